/* Fitting the constants of several devices to tables made by the law itself: the law is found
 * again, and what is written says how well. */
#include "lab/fit_internal.h"
#include "model/model.h"
#include "test.h"

#include <errno.h>
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

enum { DEEPBENCH, PIPEWEAVE, LAMBDA, BENCHMARK, PRACTICUM, MLPERF, MLPERF_LATER };
static const char *const tables[] = { "deepbench/allreduce.csv",
                                      "pipeweave/collectives.csv",
                                      "lambdal/train.csv",
                                      "pytorch_gpu_benchmark/torchvision.csv",
                                      "cs572_practicum/full_network_times.csv",
                                      "mlperf_training/results.csv",
                                      "mlperf_training/results_v41_v51.csv" };
static const char *const heads[] = {
    "device,num_devices,num_floats,num_nodes,time_ms,algorithm\n",
    "device,collective,num_devices,size_as_printed,time_ms_median_over_ranks\n",
    ("device,network,precision,batch_size_per_gpu,ngc_container,gpu_link,num_gpus,status,"
     "quality_flag,throughput,step_time_ms\n"),
    "device,network,precision,timed,batch_size_per_gpu,gpu_link,num_gpus,time_ms\n",
    "device,network,optimizer,batch_size_per_gpu,measure,epoch,gpu_link,num_gpus,step_time_ms\n",
    ("mlperf_round,org,benchmark,division,device,num_devices,num_nodes,devices_per_node,"
     "global_batch_size,grad_accum,throughput_suspect,step_time_ms\n"),
    ("mlperf_round,org,benchmark,division,device,num_devices,num_nodes,devices_per_node,"
     "global_batch_size,grad_accum,throughput_suspect,step_time_ms\n"),
};

/* Jobs of fsdp follow another law. */
#define N_FITTED EC_STRATEGY_fsdp

struct made {
    char folder[64];
    double v[EC_P_COUNT];
    struct ec_buf csv[EC_LEN(tables)];
    int n[EC_STRATEGY_COUNT]; /* rows of several devices of a machine */
    int n_collectives, n_machines;
};

/* The law with other numbers than those that ship and those that the fit begins with. */
static void choose_law(double v[EC_P_COUNT])
{
    static const double of_shipped[] = { 1.3, 0.8, 1.1, 0.9, 1.5, 0.9, 1.4, 0.8, 1.2, 0.7 };
    int i;

    for (i = 0; i < EC_P_COUNT; i++)
        v[i] = ec_parallel_fitted()->v[i] * of_shipped[i % EC_LEN(of_shipped)];
}

static struct ec_topology topology_of(const char *device, enum ec_link link, double devices,
                                      double machines)
{
    struct ec_topology_wish wish = { (int64_t)devices, (int64_t)(devices / machines), link, 0 };
    const struct ec_device *d = NULL;
    struct ec_topology t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(device, &d, &err));
    if (d)
        CHECK_OK(ec_device_topology(d, &wish, &t, &err));
    return t;
}

static struct ec_parallel_job job_of(int place, int network, double devices, double alone,
                                     enum ec_strategy strategy)
{
    struct ec_parallel_job q = { .strategy = strategy,
                                 .alone_ns = alone * 1e6,
                                 .backward_ns = 0.6 * alone * 1e6,
                                 .parameter_bytes = 4 * networks[network].parameters,
                                 .gradient_bytes = 4 * networks[network].parameters,
                                 .tensors = networks[network].tensors };

    q.at = topology_of(places[place].device, places[place].link, devices, 1);
    return q;
}

/* All-reduces of a ring, in one machine and in two. */
static void add_rings(struct made *m, double devices, double machines)
{
    struct ec_topology at = topology_of("t4", EC_LINK_pcie, devices, machines);
    struct ec_collective_time t;
    double floats;

    if (machines > 1)
        at.network_bytes_per_s = 0.85e9; /* as data/parallel_rates.csv has it */
    for (floats = 1e4; floats < 2e8; floats *= 10, m->n_collectives++) {
        ec_collective_by(EC_ALGORITHM_ring, EC_COLLECTIVE_all_reduce, &at, 4 * floats, m->v, &t);
        ec_buf_printf(&m->csv[DEEPBENCH], "t4,%.0f,%.0f,%.0f,%.9g,NCCL 2.0 MPI\n", devices, floats,
                      machines, t.ns * 1e-6);
    }
    ec_buf_printf(&m->csv[DEEPBENCH], "t4,%.0f,1000,%.0f,5,OSU Allreduce\n", devices, machines);
}

static void add_collectives(struct made *m, enum ec_collective kind, double devices)
{
    struct ec_topology at = topology_of("v100-sxm2-16gb", EC_LINK_nvlink, devices, 1);
    double bytes;

    for (bytes = 1e4; bytes < 2e9; bytes *= 4, m->n_collectives++)
        ec_buf_printf(&m->csv[PIPEWEAVE], "v100-sxm2-16gb,%s,%.0f,%.0f,%.9g\n",
                      ec_collective_names[kind], devices, bytes,
                      ec_collective_ns(kind, &at, bytes, m->v) * 1e-6);
}

/* A run on machines of eight at one batch per device, by what one machine takes. */
static void add_machines(struct made *m, struct ec_predictor *p, int org, double machines,
                         int batch, double one_ns)
{
    struct ec_parallel_job q = { .strategy = EC_STRATEGY_ddp, .alone_ns = one_ns };
    struct ec_parallel_runs runs = { .several_ns = one_ns, .devices = 8 };
    struct ec_predict_opts o;
    struct ec_prediction r = { 0 };
    struct ec_err err = { 0 };

    ec_predict_opts_default(&o);
    o.batch = batch;
    CHECK_OK(ec_predict_opts_set(&o, "framework", "mxnet", &err));
    CHECK_OK(ec_predict_opts_set(&o, "precision", "amp", &err));
    CHECK_OK(ec_predict_opts_set(&o, "layout", "channels-last", &err));
    CHECK_OK(ec_predict_opts_set(&o, "optimizer", "momentum", &err));
    CHECK_OK(ec_predict_network(p, "resnet50", "v100-sxm2-16gb", &o, &r, &err));
    q.at = topology_of("v100-sxm2-16gb", EC_LINK_auto, 8 * machines, machines);
    q.backward_ns = r.backward_ns / r.device_ns * one_ns;
    q.parameter_bytes = q.gradient_bytes = r.gradients_bytes / 2;
    q.tensors = 161;
    ec_buf_printf(&m->csv[MLPERF],
                  "v1,org%d,resnet,closed,v100-sxm2-16gb,%.0f,%.0f,8,%.0f,1,0,%.9g\n", org,
                  8 * machines, machines, 8 * machines * batch,
                  ec_parallel_from_runs(&q, &runs, m->v) * 1e-6);
    m->n_machines += machines > 1;
}

/* A run on so many devices, in the table of each strategy; the alone-th batch of the network. */
static void add_run(struct made *m, int place, int network, double devices, int alone)
{
    const char *device = places[place].device, *link = places[place].word,
               *name = networks[network].name;
    struct ec_parallel_time t[EC_STRATEGY_COUNT];
    int batch = 8 << alone, s;

    for (s = EC_STRATEGY_ddp; s < N_FITTED; s++) {
        struct ec_parallel_job q =
            job_of(place, network, devices, alone_ms[alone], (enum ec_strategy)s);

        ec_parallel_time(&q, m->v, &t[s]);
        m->n[s] += devices > 1;
    }
    ec_buf_printf(&m->csv[LAMBDA], "%s,%s,fp32,%d,x,%s,%.0f,ok,,%.9g,%.9g\n", device, name, batch,
                  link, devices, batch * devices / (t[EC_STRATEGY_ddp].step_ns * 1e-9),
                  t[EC_STRATEGY_ddp].step_ns * 1e-6);
    ec_buf_printf(&m->csv[BENCHMARK], "%s,%s,fp32,forward_backward,%d,%s,%.0f,%.9g\n", device, name,
                  batch, link, devices, t[EC_STRATEGY_dp].step_ns * 1e-6);
    ec_buf_printf(&m->csv[PRACTICUM], "%s,%s,sgd,%d,epoch,2,%s,%.0f,%.9g\n", device, name, batch,
                  link, devices, t[EC_STRATEGY_mirrored].step_ns * 1e-6);
}

static void make_rows(struct made *m)
{
    struct ec_predictor *p = NULL;
    struct ec_err err = { 0 };
    int place, network, count, alone, i, org;

    for (place = 0; place < EC_LEN(places); place++)
        for (count = -1; count < EC_LEN(counts); count++)
            for (network = 0; network < EC_LEN(networks); network++)
                for (alone = 0; alone < EC_LEN(alone_ms); alone++)
                    add_run(m, place, network, count < 0 ? 1 : counts[count], alone);
    for (count = 0; count < EC_LEN(counts); count++) {
        add_rings(m, counts[count], 1);
        add_collectives(m, EC_COLLECTIVE_all_reduce, counts[count]);
    }
    add_rings(m, 16, 2);
    add_rings(m, 32, 4);
    add_collectives(m, EC_COLLECTIVE_send, 2);
    CHECK_OK(ec_predictor_new(&p, &err));
    for (alone = 0; p && alone < EC_LEN(alone_ms); alone++)
        for (i = 1; i <= 1024; i *= 4)
            for (org = 0; org < 4; org++)
                add_machines(m, p, org, i, 32 << alone, alone_ms[alone] * 1e6);
    ec_predictor_free(p);
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
        CHECK(mkdir(path, 0700) == 0 || errno == EEXIST);
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
                    for (s = EC_STRATEGY_ddp; s < N_FITTED; s++) {
                        struct ec_parallel_job q = job_of(place, network, counts[count],
                                                          alone_ms[alone], (enum ec_strategy)s);

                        ec_parallel_time(&q, v, &got);
                        ec_parallel_time(&q, m->v, &want);
                        worst = fmax(worst, fabs(log(got.step_ns / want.step_ns)));
                    }
    return worst;
}

/* A step of 100 ms, on 512 devices. */
static double on_64_machines(const double v[EC_P_COUNT])
{
    struct ec_parallel_job q = {
        .strategy = EC_STRATEGY_ddp, .alone_ns = 1e8, .backward_ns = 6e7, .gradient_bytes = 1e8
    };
    struct ec_parallel_time t;

    q.at = topology_of("v100-sxm2-16gb", EC_LINK_auto, 512, 64);
    ec_parallel_time(&q, v, &t);
    return t.step_ns;
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
    CHECK_NEAR(v[EC_P_share_pcie], m.v[EC_P_share_pcie], 0.1);
    CHECK_NEAR(v[EC_P_share_nvlink], m.v[EC_P_share_nvlink], 0.1);
    CHECK_NEAR(v[EC_P_share_network], m.v[EC_P_share_network], 0.1);
    CHECK_NEAR(v[EC_P_hop_pcie_ns], m.v[EC_P_hop_pcie_ns], 0.2);
    CHECK_NEAR(on_64_machines(v), on_64_machines(m.v), 0.03);
    CHECK_NEAR(v[EC_P_share_bridge], init[EC_P_share_bridge], 0.03); /* no table is of it */
    for (i = 0; i < EC_STRATEGY_COUNT; i++)
        rows += m.n[i];
    (void)snprintf(want, sizeof want, "do not edit. %d rows. */",
                   rows + m.n_collectives + m.n_machines);
    CHECK_HAS(ec_buf_text(&text), want);
    CHECK_HAS(ec_buf_text(&text), ", 8 },");
    CHECK_HAS(ec_buf_text(&text), ", 8192 },");
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

/* Steps of one machine: what a group that was left out has in common with the others. */
static bool is_of_machine(const struct ec_csv *csv, int row)
{
    int i;

    for (i = 0; ec_strategy_names[i]; i++)
        if (ec_str_eq(word(csv, row, "strategy"), ec_strategy_names[i]))
            return true;
    return false;
}

static void row_is_sound(const struct ec_csv *csv, int row)
{
    double median = cell(csv, row, "median_ape_frac"), p90 = cell(csv, row, "p90_ape_frac"),
           coverage = cell(csv, row, "coverage_of_90_frac");
    bool perfect = ec_str_eq(word(csv, row, "known"), "perfect scaling");
    bool of_collective = strstr(word(csv, row, "strategy"), "all_reduce") ||
                         ec_str_eq(word(csv, row, "strategy"), "send_recv");
    bool has_width = !perfect && (is_of_machine(csv, row) ||
                                  ec_str_eq(word(csv, row, "known"), "fewer machines known"));

    CHECK(cell(csv, row, "rows") >= 1);
    CHECK(median >= 0 && median <= p90 && cell(csv, row, "mean_ape_frac") >= 0);
    if (of_collective && !isnan(coverage)) /* where another device was measured */
        has_width = true;
    CHECK(has_width ? coverage >= 0 && coverage <= 1 : isnan(coverage));
    if (!perfect &&
        median > (is_of_machine(csv, row) ? 0.05 : 1)) /* the law is known but for its numbers */
        test_fail(__FILE__, __LINE__, "row %d: %s, %s: off by %g", row, word(csv, row, "strategy"),
                  word(csv, row, "known"), median);
}

/* Rows of all counts of devices are as many as those of each count together. */
static void rows_add_up(const struct ec_csv *csv, const struct made *m)
{
    int row, s;

    for (s = EC_STRATEGY_ddp; s < N_FITTED; s++) {
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
        "t4,2,1000,2,1,OSU Allreduce\n",
        "no-such-device,all_reduce,2,1000,1\n",
        "t4,maskrcnn_r50_fpn,fp32,8,x,pcie,2,failed,,100,20\n",
        "t4,maskrcnn_r50_fpn,fp64,forward_backward,8,pcie,2,20\n",
        "t4,maskrcnn_r50_fpn,sgd,8,epoch,1,pcie,2,20\n",
        "v1,us,resnet,closed,v100-sxm2-16gb,16,2,8,512,1,0,100\n", /* no other row */
        "v5,us,bert,open,v100-sxm2-16gb,16,2,8,512,1,0,100\n",
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
    struct ec_csv sources = { 0 }, named = { 0 }, rates = { 0 };
    struct ec_err err = { 0 };
    int row, i;

    CHECK_OK(ec__parallel_sources(&sources, &err));
    CHECK_OK(ec__parallel_networks(&named, &err));
    for (row = 0; row < sources.n_rows; row++) {
        const char *kind = word(&sources, row, "kind");
        bool known = ec_str_eq(kind, "collective") || ec_str_eq(kind, "machines");

        for (i = 0; i < EC_LEN(tables); i++)
            if (ec_str_eq(word(&sources, row, "table"), tables[i]))
                break;
        CHECK(i < EC_LEN(tables));
        for (i = 0; ec_strategy_names[i]; i++)
            known = known || ec_str_eq(ec_strategy_names[i], kind);
        CHECK(known && *word(&sources, row, "time") && *word(&sources, row, "group"));
        CHECK(*word(&sources, row, "devices") && *word(&sources, row, "what"));
        CHECK(cell(&sources, row, "bytes_each") > 0);
    }
    CHECK_OK(ec__parallel_rates(&rates, &err));
    for (row = 0; row < rates.n_rows; row++) {
        for (i = 0; i < EC_LEN(tables); i++)
            if (ec_str_eq(word(&rates, row, "table"), tables[i]))
                break;
        CHECK(i < EC_LEN(tables) && cell(&rates, row, "network_bytes_per_s") > 1e8);
    }
    ec_csv_clear(&rates);
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
