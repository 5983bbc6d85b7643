/* Fitting the constants of several devices to tables made by the law itself: the law is found
 * again, and what is written says how well. */
#include "lab/fit_internal.h"
#include "model/model.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Networks of data/parallel_networks.csv that say their own sizes. */
static const struct {
    const char *name;
    double parameters, tensors;
} networks[] = {
    {"maskrcnn_r50_fpn", 44.4e6, 180},
    { "ssd300_resnet50", 22.9e6, 190}
};
static const struct {
    const char *device, *word;
    enum ec_link link;
} places[] = {
    {"t4",              "pcie",   EC_LINK_pcie  },
    { "v100-sxm2-16gb", "nvlink", EC_LINK_nvlink}
};
static const double counts[] = { 2, 4, 8 }, alone_ms[] = { 20, 60, 200, 500 };

static const char *const tables[] = { "deepbench/allreduce.csv", "lambdal/train.csv",
                                      "pytorch_gpu_benchmark/torchvision.csv",
                                      "cs572_practicum/full_network_times.csv" };
static const char *const heads[] = {
    "device,num_devices,num_floats,num_nodes,time_ms\n",
    ("device,network,precision,batch_size_per_gpu,ngc_container,gpu_link,num_gpus,status,"
     "quality_flag,throughput,step_time_ms\n"),
    "device,network,precision,timed,batch_size_per_gpu,gpu_link,num_gpus,time_ms\n",
    "device,network,optimizer,batch_size_per_gpu,measure,epoch,gpu_link,num_gpus,step_time_ms\n",
};

struct made {
    char folder[64];
    double v[EC_P_COUNT];
    struct ec_buf csv[EC_LEN(tables)];
    int n[EC_STRATEGY_COUNT]; /* rows of several devices */
    int n_reduced;
};

/* The law with other numbers than those that ship and those that the fit begins with. */
static void choose_law(double v[EC_P_COUNT])
{
    static const double of_shipped[] = { 1.3, 0.8, 1.1, 0.9, 1.5, 0.9, 1.4, 0.8, 1.2, 0.7 };
    int i;

    for (i = 0; i < EC_P_COUNT; i++)
        v[i] = ec_parallel_fitted()->v[i] * of_shipped[i % EC_LEN(of_shipped)];
}

static struct ec_parallel_job job_of(int place, int network, double devices, double alone,
                                     enum ec_strategy strategy)
{
    struct ec_parallel_job q = { .strategy = strategy,
                                 .devices = devices,
                                 .alone_ns = alone * 1e6,
                                 .backward_ns = 0.6 * alone * 1e6,
                                 .parameter_bytes = 4 * networks[network].parameters,
                                 .gradient_bytes = 4 * networks[network].parameters,
                                 .tensors = networks[network].tensors };
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(places[place].device, &d, &err));
    if (d)
        CHECK_OK(ec_device_reach(d, places[place].link, (int64_t)devices, &q.reach, &err));
    return q;
}

static void add_reduced(struct made *m, int place, double devices)
{
    struct ec_parallel_job q = job_of(place, 0, devices, 1, EC_STRATEGY_ddp);
    double floats;

    if (places[place].link != EC_LINK_pcie)
        return; /* as the table has them */
    for (floats = 1e4; floats < 2e8; floats *= 10, m->n_reduced++)
        ec_buf_printf(&m->csv[0], "%s,%.0f,%.0f,1,%.9g\n", places[place].device, devices, floats,
                      ec_all_reduce_ns(&q.reach, devices, 4 * floats, m->v) * 1e-6);
}

/* A run on so many devices, in the table of each strategy; the alone-th batch of the network. */
static void add_run(struct made *m, int place, int network, double devices, int alone)
{
    const char *device = places[place].device, *link = places[place].word,
               *name = networks[network].name;
    struct ec_parallel_time t[EC_STRATEGY_COUNT];
    int batch = 8 << alone, s;

    for (s = EC_STRATEGY_ddp; s < EC_STRATEGY_COUNT; s++) {
        struct ec_parallel_job q =
            job_of(place, network, devices, alone_ms[alone], (enum ec_strategy)s);

        ec_parallel_time(&q, m->v, &t[s]);
        m->n[s] += devices > 1;
    }
    ec_buf_printf(&m->csv[1], "%s,%s,fp32,%d,x,%s,%.0f,ok,,%.9g,%.9g\n", device, name, batch, link,
                  devices, batch * devices / (t[EC_STRATEGY_ddp].step_ns * 1e-9),
                  t[EC_STRATEGY_ddp].step_ns * 1e-6);
    ec_buf_printf(&m->csv[2], "%s,%s,fp32,forward_backward,%d,%s,%.0f,%.9g\n", device, name, batch,
                  link, devices, t[EC_STRATEGY_dp].step_ns * 1e-6);
    ec_buf_printf(&m->csv[3], "%s,%s,sgd,%d,epoch,2,%s,%.0f,%.9g\n", device, name, batch, link,
                  devices, t[EC_STRATEGY_mirrored].step_ns * 1e-6);
}

static void make_rows(struct made *m)
{
    int place, network, count, alone;

    for (place = 0; place < EC_LEN(places); place++)
        for (count = -1; count < EC_LEN(counts); count++) {
            for (network = 0; network < EC_LEN(networks); network++)
                for (alone = 0; alone < EC_LEN(alone_ms); alone++)
                    add_run(m, place, network, count < 0 ? 1 : counts[count], alone);
            if (count >= 0)
                add_reduced(m, place, counts[count]);
        }
}

static void path_of(const struct made *m, const char *name, char *out, size_t size)
{
    (void)snprintf(out, size, "%s/%s", m->folder, name);
}

static bool make(struct made *m)
{
    struct ec_err err = { 0 };
    char path[160];
    int i;

    memset(m, 0, sizeof *m);
    (void)snprintf(m->folder, sizeof m->folder, "/tmp/ec-test-parallel-XXXXXX");
    if (!mkdtemp(m->folder))
        return false;
    choose_law(m->v);
    for (i = 0; i < EC_LEN(tables); i++)
        ec_buf_str(&m->csv[i], heads[i]);
    make_rows(m);
    for (i = 0; i < EC_LEN(tables); i++) {
        path_of(m, tables[i], path, sizeof path);
        *strrchr(path, '/') = '\0';
        CHECK(mkdir(path, 0700) == 0);
        path_of(m, tables[i], path, sizeof path);
        CHECK_OK(ec_file_write(path, m->csv[i].data, m->csv[i].len, &err));
    }
    return true;
}

static void clear(struct made *m)
{
    char command[128];
    int i;

    for (i = 0; i < EC_LEN(tables); i++)
        ec_buf_clear(&m->csv[i]);
    (void)snprintf(command, sizeof command, "rm -r %s", m->folder);
    CHECK(system(command) == 0);
}

static enum ec_status fit(const struct made *m, int threads, const char *out, const char *errors,
                          struct ec_err *err)
{
    char out_path[160], errors_path[160];
    struct ec_fit_opts o = { .data_dir = m->folder, .threads = threads, .iterations = 30 };

    path_of(m, out, out_path, sizeof out_path);
    path_of(m, errors, errors_path, sizeof errors_path);
    o.out_path = out_path;
    o.table_path = errors_path;
    return ec_fit_parallel(&o, err);
}

static void read_text(const struct made *m, const char *name, struct ec_buf *ret)
{
    struct ec_file file = { 0 };
    struct ec_err err = { 0 };
    char path[160];

    path_of(m, name, path, sizeof path);
    CHECK_OK(ec_file_open(path, 1 << 20, &file, &err));
    ec_buf_reset(ret);
    if (file.len)
        ec_buf_add(ret, (const char *)file.data, file.len);
    ec_file_close(&file);
}

/* "[EC_P_name] = value" of what was written; NaN: is not there. */
static double written(const char *text, const char *name)
{
    char key[64];
    const char *at;
    double v;

    (void)snprintf(key, sizeof key, "[EC_P_%s] = ", name);
    at = strstr(text, key);
    if (!at ||
        !ec_parse_double((struct ec_span){ at + strlen(key), strcspn(at + strlen(key), ",") }, &v))
        return (double)NAN;
    return v;
}

/* How far off the constants are at the job that they are worst at. */
static double worst_error(const struct made *m, const double v[EC_P_COUNT])
{
    struct ec_parallel_time got, want;
    double worst = 0;
    int place, network, count, alone, s;

    for (place = 0; place < EC_LEN(places); place++)
        for (network = 0; network < EC_LEN(networks); network++)
            for (count = 0; count < EC_LEN(counts); count++)
                for (alone = 0; alone < EC_LEN(alone_ms); alone++)
                    for (s = EC_STRATEGY_ddp; s < EC_STRATEGY_COUNT; s++) {
                        struct ec_parallel_job q = job_of(place, network, counts[count],
                                                          alone_ms[alone], (enum ec_strategy)s);

                        ec_parallel_time(&q, v, &got);
                        ec_parallel_time(&q, m->v, &want);
                        worst = fmax(worst, fabs(log(got.step_ns / want.step_ns)));
                    }
    return worst;
}

TEST(the_law_that_made_the_tables_is_found)
{
    static const char *const names[] = {
#define NAME(name, init, sd) #name,
        EC_PARALLEL_LIST(NAME)
#undef NAME
    };
    static const double init[] = {
#define INIT(name, init, sd) init,
        EC_PARALLEL_LIST(INIT)
#undef INIT
    };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    double v[EC_P_COUNT];
    static struct made m;
    char want[96];
    int i, rows = 0;

    if (!make(&m))
        return;
    CHECK_OK(fit(&m, 1, "one.inc", "one.csv", &err));
    read_text(&m, "one.inc", &text);
    for (i = 0; i < EC_P_COUNT; i++) {
        v[i] = written(ec_buf_text(&text), names[i]);
        CHECK(v[i] > 0);
    }
    CHECK(worst_error(&m, init) > 0.2); /* before the fit */
    CHECK(worst_error(&m, v) < 0.1);
    CHECK_NEAR(v[EC_P_latency_ns], m.v[EC_P_latency_ns], 0.1);
    CHECK_NEAR(v[EC_P_share_pcie], m.v[EC_P_share_pcie], 0.1);
    CHECK_NEAR(v[EC_P_share_bridge], init[EC_P_share_bridge], 1e-3); /* no table is of it */
    for (i = 0; i < EC_STRATEGY_COUNT; i++)
        rows += m.n[i];
    (void)snprintf(want, sizeof want, "do not edit. %d rows. */", rows + m.n_reduced);
    CHECK_HAS(ec_buf_text(&text), want);
    CHECK_HAS(ec_buf_text(&text), ".most_devices = 8,");
    ec_buf_clear(&text);
    clear(&m);
}

/* --- The table of errors --- */

static double cell(const struct ec_csv *csv, int row, const char *column)
{
    double v;

    return ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec_csv_col(csv, column))), &v)
               ? v
               : (double)NAN;
}

static const char *word(const struct ec_csv *csv, int row, const char *column)
{
    return ec_csv_cell(csv, row, ec_csv_col(csv, column));
}

static void row_is_sound(const struct ec_csv *csv, int row)
{
    double median = cell(csv, row, "median_ape_frac"), p90 = cell(csv, row, "p90_ape_frac"),
           coverage = cell(csv, row, "coverage_of_90_frac");
    bool perfect = ec_str_eq(word(csv, row, "known"), "perfect scaling");

    CHECK(cell(csv, row, "rows") >= 1);
    CHECK(median >= 0 && median <= p90 && cell(csv, row, "mean_ape_frac") >= 0);
    CHECK(perfect ? isnan(coverage) : coverage >= 0 && coverage <= 1);
    if (!perfect && median > 0.05) /* the law is known but for its numbers */
        test_fail(__FILE__, __LINE__, "row %d: %s, %s: off by %g", row, word(csv, row, "strategy"),
                  word(csv, row, "known"), median);
}

/* Rows of all counts of devices are as many as those of each count together. */
static void rows_add_up(const struct ec_csv *csv, const struct made *m)
{
    int row, s;

    for (s = EC_STRATEGY_ddp; s < EC_STRATEGY_COUNT; s++) {
        double all = 0, parts = 0;

        for (row = 0; row < csv->n_rows; row++)
            if (ec_str_eq(word(csv, row, "strategy"), ec_strategy_names[s]) &&
                ec_str_eq(word(csv, row, "known"), "perfect scaling") &&
                ec_str_eq(word(csv, row, "rows_of"), "all"))
                *(ec_str_eq(word(csv, row, "devices"), "all") ? &all : &parts) +=
                    cell(csv, row, "rows");
        CHECK_INT(all, m->n[s]);
        CHECK_INT(parts, m->n[s]);
    }
}

TEST(errors_of_each_strategy_are_written)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    static struct made m;
    int row;

    if (!make(&m))
        return;
    CHECK_OK(fit(&m, 1, "one.inc", "one.csv", &err));
    read_text(&m, "one.csv", &text);
    CHECK_OK(ec_csv_parse(ec_buf_text(&text), text.len, &csv, &err));
    CHECK(csv.n_rows > 3 * 2 * EC_LEN(counts));
    for (row = 0; row < csv.n_rows; row++)
        row_is_sound(&csv, row);
    rows_add_up(&csv, &m);
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    clear(&m);
}

TEST(threads_change_nothing)
{
    struct ec_buf one = EC_BUF_INIT, three = EC_BUF_INIT;
    struct ec_err err = { 0 };
    static struct made m;

    if (!make(&m))
        return;
    CHECK_OK(fit(&m, 1, "one.inc", "one.csv", &err));
    CHECK_OK(fit(&m, 3, "three.inc", "three.csv", &err));
    read_text(&m, "one.inc", &one);
    read_text(&m, "three.inc", &three);
    CHECK_STR(ec_buf_text(&three), ec_buf_text(&one));
    read_text(&m, "one.csv", &one);
    read_text(&m, "three.csv", &three);
    CHECK_STR(ec_buf_text(&three), ec_buf_text(&one));
    ec_buf_clear(&one);
    ec_buf_clear(&three);
    clear(&m);
}

/* --- What is missing --- */

TEST(each_table_that_is_missing_is_named)
{
    struct ec_err err = { 0 };
    char path[160], away[200];
    static struct made m;
    int i;

    if (!make(&m))
        return;
    for (i = 0; i < EC_LEN(tables); i++) {
        path_of(&m, tables[i], path, sizeof path);
        (void)snprintf(away, sizeof away, "%s.away", path);
        CHECK(rename(path, away) == 0);
        CHECK_FAILS(fit(&m, 1, "none.inc", "none.csv", &err), EC_E_NOT_FOUND, tables[i]);
        CHECK(rename(away, path) == 0);
    }
    path_of(&m, "none.inc", path, sizeof path);
    CHECK(access(path, F_OK) != 0);
    clear(&m);
}

/* Tables with their heads alone, and with rows that no condition lets pass. */
TEST(too_few_rows_are_counted)
{
    static const char *const rows[] = {
        "t4,2,1000,2,1\n", /* two machines */
        "t4,maskrcnn_r50_fpn,fp32,8,x,pcie,2,failed,,100,20\n",
        "t4,maskrcnn_r50_fpn,fp64,forward_backward,8,pcie,2,20\n",
        "t4,maskrcnn_r50_fpn,sgd,8,epoch,1,pcie,2,20\n",
    };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    char path[160];
    static struct made m;
    int i, filled;

    if (!make(&m))
        return;
    for (filled = 0; filled < 2; filled++) {
        for (i = 0; i < EC_LEN(tables); i++) {
            ec_buf_reset(&text);
            ec_buf_printf(&text, "%s%s", heads[i], filled ? rows[i] : "");
            path_of(&m, tables[i], path, sizeof path);
            CHECK_OK(ec_file_write(path, text.data, text.len, &err));
        }
        CHECK_FAILS(fit(&m, 1, "none.inc", "none.csv", &err), EC_E_INPUT,
                    "0 usable rows of several devices, expected 50");
    }
    ec_buf_clear(&text);
    clear(&m);
}

/* --- The tables in the program --- */

TEST(sources_and_networks_are_well_written)
{
    struct ec_csv sources = { 0 }, named = { 0 };
    struct ec_err err = { 0 };
    int row, i;

    CHECK_OK(ec__parallel_sources(&sources, &err));
    CHECK_OK(ec__parallel_networks(&named, &err));
    CHECK_INT(sources.n_rows, EC_LEN(tables));
    for (row = 0; row < sources.n_rows; row++) {
        const char *strategy = word(&sources, row, "strategy");
        bool known = ec_str_eq(strategy, "all_reduce");

        CHECK_STR(word(&sources, row, "table"), tables[row]);
        for (i = 0; ec_strategy_names[i]; i++)
            known = known || ec_str_eq(ec_strategy_names[i], strategy);
        CHECK(known && *word(&sources, row, "time") && *word(&sources, row, "group"));
    }
    for (row = 0; row < named.n_rows; row++) { /* a network of ours, or its sizes */
        bool sized = cell(&named, row, "parameters") > 0 && cell(&named, row, "tensors") > 0;

        CHECK(*word(&named, row, "name"));
        CHECK(sized != (*word(&named, row, "zoo") != '\0'));
        for (i = 0; i < row; i++)
            CHECK(strcmp(word(&named, i, "name"), word(&named, row, "name")) != 0);
    }
    for (i = 0; i < EC_LEN(networks); i++) { /* as this test has them */
        for (row = 0; row < named.n_rows; row++)
            if (ec_str_eq(word(&named, row, "name"), networks[i].name))
                break;
        CHECK(row < named.n_rows);
        CHECK_NEAR(cell(&named, row, "parameters"), networks[i].parameters, 1e-12);
        CHECK_NEAR(cell(&named, row, "tensors"), networks[i].tensors, 1e-12);
    }
    ec_csv_clear(&sources);
    ec_csv_clear(&named);
}
