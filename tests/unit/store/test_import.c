/* Importing: layouts and mapping files end as rows, twice is once, what is exported comes back. */
#include "store_test.h"

#include <sqlite3.h>

static struct ec_store *open_new(const char *name)
{
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    char path[96];

    CHECK_OK(ec_store_open(store_file(name, path, sizeof path), 0, &s, &err));
    return s;
}

static struct ec_store_counts import_text(struct ec_store *s, const char *text,
                                          const struct ec_store_import *opts, int line)
{
    struct ec_store_counts c = { 0 };
    struct ec_err err = { 0 };
    char path[96];

    write_text(store_file("in.csv", path, sizeof path), text);
    if (ec_store_import(s, path, opts, &c, &err))
        test_fail(__FILE__, line, "%s", err.text);
    return c;
}
#define IMPORT(s, text, opts) import_text(s, text, opts, __LINE__)

/* The row with this number among those of the query; borrowed until rows are freed. */
static const struct ec_stored *row_at(struct ec_store *s, int at, struct ec_store_rows **rows)
{
    const struct ec_stored *row = NULL;
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_store_select(s, NULL, rows, &err));
    for (i = 0; i <= at; i++)
        CHECK_OK(ec_store_next(*rows, &row, &err));
    CHECK(row != NULL);
    return row;
}

/* Everything as text, to compare stores by. */
static void dump(struct ec_store *s, enum ec_export_form form, struct ec_buf *out)
{
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    struct ec_err err = { 0 };

    ec_export_header(form, out);
    CHECK_OK(ec_store_select(s, NULL, &rows, &err));
    CHECK_OK(ec_store_next(rows, &row, &err));
    while (row) {
        CHECK_OK(ec_export_row(s, row, form, out, &err));
        CHECK_OK(ec_store_next(rows, &row, &err));
    }
    ec_store_rows_free(rows);
}

static const char justus[] =
    "device,batch_size,channels_in,channels_out,kernel_size,input_size,padding,stride,use_bias,"
    "activation,optimizer,timed,time_ms,time_min_ns,time_min_ms,time_std_ms,above_peak\n"
    "p100,2,3,5,7,50,same,2,1,relu,none,forward,2.5,,2,0,0\n"
    "p100,2,3,5,7,50,same,2,1,relu,adam,training_step,7.5,,7,0.5,1\n";

TEST(every_row_is_kept_with_its_conditions)
{
    struct ec_store *s = open_new("justus");
    struct ec_store_counts c = IMPORT(s, justus, NULL);
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row;

    CHECK_INT(c.added, 2);
    CHECK_STR(c.mapping, "justus-conv");
    row = row_at(s, 1, &rows);
    CHECK_STR(row->r.what, "conv2d n=2 c=3 h=50 w=50 k=5 r=7 stride=2 pad=same");
    CHECK_STR(ec_record_word(&row->r, EC_WORD_OPTIMIZER), "adam");
    CHECK_STR(ec_record_word(&row->r, EC_WORD_MODE), "training_step");
    CHECK_INT(row->r.phase, -1);
    CHECK_STR(row->r.flags, "above_peak");
    CHECK_STR(row->r.extra, "{\"activation\":\"relu\"}");
    CHECK_STR(row->r.time_stat, "median");
    CHECK_STR(row->r.source.licence, "Apache-2.0");
    CHECK_NEAR(row->r.time.ns, 7.5e6, 1e-12);
    CHECK_NEAR(row->r.min.ns, 7e6, 1e-12);
    CHECK_NEAR(row->r.std.ns, 5e5, 1e-12);
    CHECK(!row->r.max.known);
    ec_store_rows_free(rows);
    c = IMPORT(s, justus, NULL);
    CHECK_INT(c.added, 0);
    CHECK_INT(c.known, 2);
    ec_store_close(s);
}

TEST(outcomes_devices_memory_and_flags)
{
    static const char csv[] =
        "device,network,ngc_container,cuda_version,smi_mem_mb,quality_flag,step_time_ms,timed,"
        "num_gpus,status,precision,batch_size_per_gpu,seq_len,provider\n"
        "v100,bert_base_squad,20.01,11,1000,odd_thing,2.5,training_step,8,ok,amp,4,384,me\n"
        "v100,unheard_of,20.01,11,,,,training_step,1,out_of_memory,fp64,4,384,me\n";
    struct ec_store *s = open_new("lambda");
    struct ec_store_counts c = IMPORT(s, csv, NULL);
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = row_at(s, 0, &rows);

    CHECK_INT(c.added, 2);
    CHECK_STR(row->r.what, "bert_base");
    CHECK_INT(row->r.num_devices, 8);
    CHECK_NEAR(row->r.memory_peak_bytes, 1000 * 0x1p20, 0);
    CHECK_STR(row->r.memory_kind, "process");
    CHECK_STR(row->r.flags, "odd_thing");
    CHECK_STR(row->r.libraries, "ngc=20.01 cuda=11");
    CHECK_STR(row->r.extra, "{\"network\":\"bert_base_squad\",\"provider\":\"me\"}");
    ec_store_rows_free(rows);
    row = row_at(s, 1, &rows);
    CHECK_STR(row->r.what, "unheard_of"); /* no network of ours, no word in the map */
    CHECK_STR(ec_record_word(&row->r, EC_WORD_PRECISION), "fp64");
    CHECK_STR(row->r.outcome, "out_of_memory");
    CHECK(!row->r.time.known);
    ec_store_rows_free(rows);
    ec_store_close(s);
}

static const char iterations[] = "env,device,model,batch_size,iteration,time_ms,timestamp\n"
                                 "lab,t4,resnet18,32,0,9,noon\nlab,t4,resnet18,32,1,3,noon\n"
                                 "lab,t4,resnet18,64,0,8,noon\nlab,t4,resnet18,32,2,5,noon\n";

TEST(iterations_become_samples)
{
    struct ec_store *s = open_new("iterations");
    struct ec_store_counts c = IMPORT(s, iterations, NULL);
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = row_at(s, 0, &rows);

    CHECK_INT(c.added, 2);
    CHECK_INT(c.samples, 4);
    CHECK_INT(row->n_samples, 3);
    CHECK_NEAR(row->r.time.ns, 5e6, 0);
    CHECK_STR(row->r.device, "t4");
    ec_store_rows_free(rows);
    c = IMPORT(s, iterations, NULL);
    CHECK_INT(c.added + c.samples, 0);
    ec_store_close(s);
}

TEST(a_grid_needs_a_device)
{
    static const char csv[] = "model,depth,base_filters,batch_size,num_params,dataset_size,epochs,"
                              "time_per_epoch,images_per_second\ncifar_cnn,3,16,64,1000,50000,5,"
                              "2.5,20000\n";
    struct ec_store *s = open_new("grid");
    struct ec_store_counts c;
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row;
    struct ec_err err = { 0 };
    char path[96];

    write_text(store_file("in.csv", path, sizeof path), csv);
    CHECK_FAILS(ec_store_import(s, path, NULL, &c, &err), EC_E_INPUT, "--device");
    c = IMPORT(s, csv, (&(struct ec_store_import){ .given.device = "rtx3090" }));
    CHECK_INT(c.added, 2); /* a step by the rate, and the epoch */
    row = row_at(s, 1, &rows);
    CHECK_STR(row->r.what, "cifar_cnn:depth=3,base_filters=16");
    CHECK_STR(row->r.device, "rtx3090");
    CHECK_STR(ec_record_word(&row->r, EC_WORD_MODE), "epoch");
    CHECK_NEAR(row->r.time.ns, 2.5e9, 0);
    CHECK_HAS(row->r.extra, "\"num_params\":1000,\"dataset_size\":50000");
    ec_store_rows_free(rows);
    ec_store_close(s);
}

TEST(a_grown_table_under_a_key)
{
    struct ec_store_import opts = { .source_key = "mine" };
    struct ec_store *s = open_new("grown");
    struct ec_store_counts c;
    struct ec_buf text = EC_BUF_INIT;

    ec_buf_str(&text, justus);
    CHECK_INT(IMPORT(s, ec_buf_text(&text), &opts).added, 2);
    ec_buf_str(&text, "p100,4,3,5,7,50,same,2,1,relu,none,forward,2.5,,2,0,0\n");
    c = IMPORT(s, ec_buf_text(&text), &opts);
    CHECK_INT(c.added, 1);
    CHECK_INT(c.known, 2);
    ec_buf_clear(&text);
    ec_store_close(s);
}

TEST(mapping_files)
{
    static const char mapping[] = "# invented\nwhat = conv2d n={N} c={C} h={HW} w={HW} k={K} r=3\n"
                                  "device = {gpu}\nforward_us = {us}\nmemory_mib = {mib}\n"
                                  "time_std = {spread}\nsource = a test\nlicence = none\n";
    static const char csv[] = "gpu,N,C,HW,K,us,mib,spread,room\nt4,1,3,8,4,12.5,2,1,warm\n";
    struct ec_store *s = open_new("mapping");
    struct ec_store_counts c;
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row;
    struct ec_err err = { 0 };
    char path[96], map[96];

    write_text(store_file("mine.map", map, sizeof map), mapping);
    c = IMPORT(s, csv, (&(struct ec_store_import){ .given.mapping = map }));
    CHECK_INT(c.added, 1);
    row = row_at(s, 0, &rows);
    CHECK_STR(row->r.what, "conv2d n=1 c=3 h=8 w=8 k=4 r=3");
    CHECK_STR(row->r.device, "t4");
    CHECK_INT(row->r.phase, EC_FORWARD);
    CHECK_STR(row->r.source.name, "a test");
    CHECK_STR(row->r.extra, "{\"room\":\"warm\"}");
    CHECK_NEAR(row->r.time.ns, 12500, 1e-12);
    CHECK_NEAR(row->r.std.ns, 1000, 1e-12);
    CHECK_NEAR(row->r.memory_peak_bytes, 0x1p21, 0);
    ec_store_rows_free(rows);
    write_text(store_file("in.csv", path, sizeof path), "gpu,N\nt4,1\n");
    CHECK_FAILS(
        ec_store_import(s, path, &(struct ec_store_import){ .given.mapping = map }, &c, &err),
        EC_E_INPUT, "{C} that the table lacks");
    ec_store_close(s);
}

static void round_trip(enum ec_export_form form, const char *name)
{
    struct ec_store *from = open_new("from"), *to = open_new(name);
    struct ec_buf first = EC_BUF_INIT, second = EC_BUF_INIT;
    struct ec_store_counts c;

    (void)IMPORT(from, justus, NULL);
    (void)IMPORT(from, iterations, NULL);
    dump(from, form, &first);
    c = IMPORT(to, ec_buf_text(&first), NULL);
    CHECK_INT(c.added, 4);
    CHECK_INT(c.samples, 4);
    dump(to, form, &second);
    CHECK_STR(ec_buf_text(&second), ec_buf_text(&first));
    c = IMPORT(from, ec_buf_text(&first), NULL); /* where it came from */
    CHECK_INT(c.added + c.samples, 0);
    CHECK_INT(c.known, 4);
    ec_buf_clear(&first);
    ec_buf_clear(&second);
    ec_store_close(from);
    ec_store_close(to);
}

TEST(what_is_exported_comes_back)
{
    round_trip(EC_EXPORT_CSV, "csv");
    round_trip(EC_EXPORT_JSON_LINES, "json");
}

#define START "{\"source_key\":\"a\",\"reading\":\"r\""

/* Rows of a campaign of our own: raw samples, a machine record beside the file. */
#define CAMPAIGN_HEADER                                                                            \
    "run,key,measured_utc,kind,what,family,phase,method,outcome,note,batch,image_px,seq_len,"      \
    "precision,inputs,layout,execution,optimizer,threads,num_devices,device,device_name,machine,"  \
    "engine,"                                                                                      \
    "engine_version,framework,cuda,cudnn,driver,onednn,blas,allocator,n_warm_up,calls_per_sample," \
    "stop,"                                                                                        \
    "samples_ns,device_samples_ns,memory_peak_bytes,memory_reserved_bytes,held_out,seed,flags,"    \
    "tool,tool_version\n"
#define CAMPAIGN_ROW(key, kind, what, phase, outcome, batch, samples, device_samples, held_out)    \
    "0a1b2c3d4e5f," key ",2026-01-02T03:04:05Z," kind "," what ",f," phase ",separated," outcome   \
    ",a note," batch ",,,amp-bf16,bf16,channels-last,eager,none,2,1,t4,A Card,abc,pytorch,1.13.1," \
    "pytorch-1,12.1,8902,535.1,,,,7,1,ci," samples "," device_samples ",1000,2000," held_out       \
    ",9,noisy,collect.py,0.1.0\n"

static const char campaign[] = CAMPAIGN_HEADER CAMPAIGN_ROW(
    "k1", "operator", "relu x=64", "grad_data", "ok", "", "50 30.6 40", "5 3 4", "0")
    CAMPAIGN_ROW("k2", "network", "resnet18", "step", "unstable", "8", "9 7", "", "1")
        CAMPAIGN_ROW("k3", "ceiling", "launch", "forward", "error", "", "", "", "0");

TEST(campaigns_of_our_own)
{
    struct ec_store *s = open_new("campaign");
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row;
    struct ec_store_counts c;
    struct ec_sample *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    char path[96];
    int n = 0;

    write_text(store_file("machine-abc.json", path, sizeof path), "{\"cpu\":\"made up\"}");
    c = IMPORT(s, campaign, NULL);
    CHECK_STR(c.mapping, "campaign-case");
    CHECK_INT(c.added, 3);
    CHECK_INT(c.samples, 5);
    CHECK_INT(c.skipped, 0);
    row = row_at(s, 0, &rows);
    CHECK_STR(row->r.source.key, "campaign/0a1b2c3d4e5f");
    CHECK_STR(row->r.machine_json, "{\"cpu\":\"made up\"}");
    CHECK_INT(row->r.kind, EC_KIND_operator);
    CHECK_INT(row->r.phase, EC_GRAD_DATA);
    CHECK_STR(ec_record_word(&row->r, EC_WORD_PRECISION), "amp");
    CHECK_STR(ec_record_word(&row->r, EC_WORD_LAYOUT), "channels-last");
    CHECK_STR(ec_record_word(&row->r, EC_WORD_FRAMEWORK), "pytorch-1");
    CHECK_STR(row->r.libraries, "cuda=12.1 cudnn=8902 driver=535.1");
    CHECK_STR(row->r.method, "separated");
    CHECK_STR(row->r.run, "0a1b2c3d4e5f");
    CHECK_STR(row->r.flags, "noisy");
    CHECK_INT(row->r.threads, 2);
    CHECK_INT(row->r.n_warm_up, 7);
    CHECK_NEAR(row->r.memory_peak_bytes, 1000, 0);
    CHECK_INT(row->r.memory_reserved_bytes, 2000);
    CHECK(!row->r.held_out);
    CHECK_NEAR(row->r.time.ns, 4, 0); /* the device's median */
    CHECK(row->r.cond.queued && row->r.cond.half_inputs);
    CHECK_HAS(row->r.extra, "\"precision\":\"amp-bf16\"");
    CHECK_HAS(row->r.extra, "\"stop\":\"ci\"");
    CHECK_OK(ec_store_samples(s, row->id, &a, &v, &n, &err));
    CHECK_INT(n, 3);
    CHECK_INT(v[1].host_ns, 31);
    CHECK_INT(v[1].device_ns, 3);
    ec_free(v);
    ec_store_rows_free(rows);
    row = row_at(s, 1, &rows);
    CHECK_STR(ec_record_word(&row->r, EC_WORD_MODE), "training_step");
    CHECK_INT(row->r.phase, -1);
    CHECK_INT(row->r.batch, 8);
    CHECK(row->r.held_out);
    CHECK_STR(row->r.outcome, "unstable");
    ec_store_rows_free(rows);
    row = row_at(s, 2, &rows);
    CHECK_INT(row->r.kind, EC_KIND_ceiling);
    CHECK_STR(row->r.outcome, "error");
    CHECK(!row->r.time.known);
    ec_store_rows_free(rows);
    ec_arena_clear(&a);
    ec_store_close(s);
}

TEST(a_campaign_that_grew_adds_its_new_rows)
{
    struct ec_store *s = open_new("campaign_grown");
    struct ec_buf text = EC_BUF_INIT;
    struct ec_store_counts c;

    (void)IMPORT(s, campaign, NULL);
    ec_buf_str(&text, campaign);
    ec_buf_str(&text,
               CAMPAIGN_ROW("k4", "operator", "tanh x=64", "forward", "ok", "", "1 2", "", "1"));
    c = IMPORT(s, ec_buf_text(&text), NULL);
    CHECK_INT(c.added, 1);
    CHECK_INT(c.known, 3);
    CHECK_INT(c.samples, 2);
    ec_buf_clear(&text);
    ec_store_close(s);
}

TEST(a_campaign_comes_back_from_its_export)
{
    struct ec_store *from = open_new("campaign_from"), *to = open_new("campaign_to");
    struct ec_buf first = EC_BUF_INIT, second = EC_BUF_INIT;

    (void)IMPORT(from, campaign, NULL);
    dump(from, EC_EXPORT_CSV, &first);
    CHECK_INT(IMPORT(to, ec_buf_text(&first), NULL).samples, 5);
    dump(to, EC_EXPORT_CSV, &second);
    CHECK_STR(ec_buf_text(&second), ec_buf_text(&first));
    ec_buf_clear(&first);
    ec_buf_clear(&second);
    ec_store_close(from);
    ec_store_close(to);
}

TEST(hostile_exports)
{
    /* clang-format off */
    static const struct {
        const char *text, *part;
    } cases[] = {
        { "{\"source_key\":\"a\"", "line 1" },
        { "{\"source_key\":\"a\"}", "no reading" },
        { START ",\"kind\":\"ceiling\",\"outcome\":\"no\"}", "outcome" },
        { START ",\"kind\":\"ceiling\",\"outcome\":\"ok\",\"samples\":3}", "no list" },
        { START ",\"kind\":\"ceiling\",\"outcome\":\"ok\",\"samples\":[[1]]}", "a sample is" },
        { "colour,taste\nred,sweet\n", "no known table format" },
        { CAMPAIGN_HEADER CAMPAIGN_ROW("k", "network", "a", "step", "ok", "1", "5 -3", "", "0"),
          "row 1: sample 1 is no number" },
        { CAMPAIGN_HEADER CAMPAIGN_ROW("k", "network", "a", "step", "fine", "1", "5", "", "0"),
          "outcome" },
    };
    /* clang-format on */
    struct ec_store *s = open_new("hostile");
    struct ec_store_counts c;
    struct ec_err err = { 0 };
    char path[96];
    int i;

    (void)store_file("in", path, sizeof path);
    for (i = 0; i < EC_LEN(cases); i++) {
        memset(&err, 0, sizeof err);
        write_text(path, cases[i].text);
        CHECK(ec_store_import(s, path, NULL, &c, &err) != EC_OK);
        CHECK_HAS(err.text, cases[i].part);
    }
    CHECK_FAILS(ec_store_import(s, "/none", NULL, &c, &err), EC_E_NOT_FOUND, "/none");
    ec_store_close(s);
}

TEST(rows_of_exports_without_sense_are_left_out)
{
    /* clang-format off */
    static const struct {
        const char *text, *why;
    } cases[] = {
        { START ",\"kind\":\"network\",\"batch\":-1}", "column batch: found \"-1\"" },
        { START ",\"source_row\":99999999999}", "column source_row: found \"999999" },
        { START ",\"kind\":\"network\",\"time_ns\":\"x\"}", "column time_ns: found \"x\"" },
        { "source_key,source_row,reading,kind,what\na,x,r,network,w\n",
          "column source_row: found \"x\"" },
    };
    /* clang-format on */
    struct ec_store *s = open_new("hostile_rows");
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_store_counts c = IMPORT(s, cases[i].text, NULL);

        CHECK_INT(c.added, 0);
        CHECK_INT(c.left_out, 1);
        CHECK_HAS(c.why[0], cases[i].why);
    }
    ec_store_close(s);
}

TEST(merging)
{
    struct ec_store *a = open_new("merge_a"), *b = open_new("merge_b");
    struct ec_store_import key = { .source_key = "same" };
    struct ec_store_counts c = { 0 };
    struct ec_err err = { 0 };
    struct ec_store_rows *rows = NULL;
    char path[96], own[96];

    (void)store_file("merge_b", path, sizeof path);
    (void)IMPORT(a, justus, NULL);
    (void)IMPORT(b, justus, NULL);
    (void)IMPORT(b, iterations, NULL);
    ec_store_close(b);
    CHECK_OK(ec_store_merge(a, path, &c, &err));
    CHECK_INT(c.added, 2);
    CHECK_INT(c.known, 2);
    CHECK_INT(c.samples, 4);
    CHECK_NEAR(row_at(a, 2, &rows)->r.time.ns, 5e6, 0);
    ec_store_rows_free(rows);
    CHECK_OK(ec_store_merge(a, path, &c, &err));
    CHECK_INT(c.added + c.samples, 0);
    CHECK_FAILS(ec_store_merge(a, store_file("merge_a", own, sizeof own), &c, &err), EC_E_INPUT,
                "itself");
    CHECK_FAILS(ec_store_merge(a, "/none", &c, &err), EC_E_NOT_FOUND, "/none");
    b = open_new("merge_b");
    (void)IMPORT(b, iterations, &key);
    (void)IMPORT(a, justus, &key);
    ec_store_close(b);
    CHECK_FAILS(ec_store_merge(a, path, &c, &err), EC_E_INPUT, "\"same\", made from different");
    ec_store_close(a);
}

/* What a table cannot bring in may have come from elsewhere: another tool, an older program. */
#define DOUBTFUL(row, more)                                                                        \
    "{\"source_key\":\"a\",\"reading\":\"r\",\"kind\":\"operator\",\"mode\":\"forward\","          \
    "\"phase\":\"forward\",\"precision\":\"fp32\",\"source_row\":" row "," more "}\n"

static void write_doubtful(const char *name)
{
    sqlite3 *db = NULL;
    char path[96];

    CHECK_INT(sqlite3_open(store_file(name, path, sizeof path), &db), SQLITE_OK);
    CHECK_INT(
        sqlite3_exec(db,
                     "UPDATE measurement SET time_min_ns = 'short' WHERE id = 1;"
                     "UPDATE measurement SET time_ns = 0 WHERE id = 7;"
                     "UPDATE measurement SET time_ns = NULL WHERE id = 8;"
                     "INSERT INTO cas(what, kind, family) VALUES('relu x=foo', 'operator', '');"
                     "UPDATE measurement SET cas_id = last_insert_rowid() WHERE id = 10",
                     NULL, NULL, NULL),
        SQLITE_OK);
    (void)sqlite3_close(db);
}

TEST(checking)
{
    static const char csv[] = "device,m,n,k,a_transposed,b_transposed,precision,time_ms\n"
                              "t4,4096,4096,4096,0,0,fp32,100\n"  /* 1.4 TFLOP/s */
                              "t4,4096,4096,4096,0,0,fp32,1\n"    /* 140, of 8 */
                              "t4,16384,16384,1,0,0,fp32,0.9\n"   /* 1.2 TB/s, of 320 GB/s */
                              "t4,128,64,64,0,0,fp32,1\n"         /* repeats */
                              "t4,128,64,64,0,0,fp32,3\n"         /* that disagree */
                              "unheard-of,64,64,64,0,0,fp32,1\n"; /* of no catalogue */
    static const char doubtful[] = DOUBTFUL(
        "0", "\"outcome\":\"ok\",\"device\":\"t4\",\"what\":\"relu x=64\",\"time_ns\":5")
        DOUBTFUL("1", "\"outcome\":\"ok\",\"device\":\"t4\",\"what\":\"relu x=64\",\"time_ns\":5")
            DOUBTFUL("2", "\"outcome\":\"error\",\"device\":\"t4\",\"what\":\"relu x=64\"")
                DOUBTFUL("3", "\"outcome\":\"ok\",\"device\":\"t4\",\"what\":\"relu x=64\","
                              "\"time_ns\":5");
    struct ec_store *s = open_new("check");
    struct ec_store_check c;
    struct ec_store_rows *rows = NULL;
    struct ec_err err = { 0 };
    int i;

    (void)IMPORT(s, csv, NULL);
    (void)IMPORT(s, doubtful, NULL);
    write_doubtful("check");
    for (i = 0; i < 2; i++) { /* findings replace those of the last check */
        CHECK_OK(ec_store_check(s, true, &c, &err));
        CHECK_INT(c.measurements, 10);
        CHECK_INT(c.judged, 5);
        CHECK_INT(c.no_device, 1);
        CHECK_INT(c.not_judged, 4);
        CHECK_INT(c.judged + c.no_device + c.descriptions + c.others + c.not_judged,
                  c.measurements);
        CHECK_INT(c.found[EC_FIND_rate_above_peak], 1);
        CHECK_INT(c.example[EC_FIND_rate_above_peak], 2);
        CHECK_INT(c.found[EC_FIND_time_not_positive], 1);
        CHECK_INT(c.found[EC_FIND_no_time], 1);
        CHECK_INT(c.found[EC_FIND_case_not_understood], 1);
        CHECK_INT(c.found[EC_FIND_device_unknown], 1);
        CHECK_INT(c.found[EC_FIND_not_a_number], 1);
        CHECK_INT(c.example[EC_FIND_not_a_number], 1);
        CHECK_INT(c.found[EC_FIND_bandwidth_above_peak], 1);
        CHECK_INT(c.found[EC_FIND_repeats_disagree], 2 + 2); /* the first two are repeats too */
    }
    CHECK_STR(row_at(s, 1, &rows)->findings, "rate_above_peak repeats_disagree");
    ec_store_rows_free(rows);
    CHECK_STR(row_at(s, 5, &rows)->findings, ""); /* a device that is not listed is no doubt */
    ec_store_rows_free(rows);
    ec_store_close(s);
}

#define TIMM_HEADER                                                                                \
    "device,family,model,memory_format,forward_gmacs,timed,compiled,framework_version,precision,"  \
    "batch_size,img_size,time_ms\n"

TEST(words_of_two_columns)
{
    static const char csv[] =
        TIMM_HEADER "t4,repvgg,repvgg_a0,channels_last,1,inference,1,2.9.1,amp_fp16,8,224,5\n"
                    "t4,resnet,resnet50,channels_last,1,inference,0,1.13,amp_fp16,8,224,5\n";
    struct ec_store *s = open_new("timm");
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row;

    CHECK_INT(IMPORT(s, csv, NULL).added, 2);
    row = row_at(s, 0, &rows);
    CHECK_STR(row->r.what, "repvgg_a0:merged=1");
    CHECK_STR(ec_record_word(&row->r, EC_WORD_FRAMEWORK), "pytorch-compiled");
    CHECK_HAS(row->r.extra, "\"model\":\"repvgg_a0\"");
    ec_store_rows_free(rows);
    row = row_at(s, 1, &rows);
    CHECK_STR(row->r.what, "resnet50"); /* what stands in the column */
    CHECK_STR(ec_record_word(&row->r, EC_WORD_FRAMEWORK), "pytorch-1");
    ec_store_rows_free(rows);
    ec_store_close(s);
}

TEST(rows_without_sense_are_left_out)
{
    static const char mapping[] = "what = conv2d n={N} c={C} h=8 w=8 k={K} r=3\ndevice = {gpu}\n"
                                  "batch = {B}\nforward_ms = {ms}\ntime_std = {spread}\n"
                                  "memory_mib = {mib}\n";
    static const struct {
        const char *row, *why;
    } cases[] = {
        {"t4,1,3,foo,8,1,0,1",    "line 2: found \"conv2d n=1 c=3 h=8 w=8 k=foo r=3\", no case: "},
        { "t4,1,3,4,8,nan,0,1",   "line 2, column ms: found \"nan\", expected a number"          },
        { "t4,1,3,4,8,1e400,0,1", "column ms: found \"1e400\""                                   },
        { "t4,1,3,4,8,-1,0,1",    "column ms: found \"-1\""                                      },
        { "t4,1,3,4,8,0,0,1",     "column ms: found \"0\", expected a time above zero"           },
        { "t4,1,3,4,-32,1,0,1",   "column B: found \"-32\", expected a number from 0"            },
        { "t4,1,3,4,many,1,0,1",  "column B: found \"many\""                                     },
        { "t4,1,3,4,8,1,wide,1",  "column spread: found \"wide\""                                },
        { "t4,1,3,4,8,1,0,inf",   "column mib: found \"inf\""                                    },
    };
    struct ec_store *s = open_new("garbage");
    char map[96];
    int i;

    write_text(store_file("mine.map", map, sizeof map), mapping);
    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_store_counts c;
        char csv[256];

        (void)snprintf(csv, sizeof csv, "gpu,N,C,K,B,ms,spread,mib\n%s\nt4,1,3,%d, 8 ,1,,\n",
                       cases[i].row, i + 1);
        c = IMPORT(s, csv, (&(struct ec_store_import){ .given.mapping = map }));
        CHECK_INT(c.added, 1);
        CHECK_INT(c.left_out, 1);
        CHECK_HAS(c.why[0], cases[i].why);
    }
    ec_store_close(s);
}

TEST(a_row_without_figures_is_no_success)
{
    static const char csv[] = "device,m,n,k,a_transposed,b_transposed,precision,time_ms\n"
                              "t4,64,64,64,0,0,fp32,\n";
    struct ec_store *s = open_new("no_figures");
    struct ec_store_counts c = IMPORT(s, csv, NULL);
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = row_at(s, 0, &rows);

    CHECK_INT(c.added, 1);
    CHECK_INT(c.no_time, 1);
    CHECK_STR(row->r.outcome, "error");
    CHECK_STR(row->r.flags, "no_time");
    ec_store_rows_free(rows);
    ec_store_close(s);
}

TEST(iterations_without_sense_are_left_out)
{
    static const char csv[] = "env,device,model,batch_size,iteration,time_ms\n"
                              "lab,t4,resnet18,32,0,nan\nlab,t4,resnet18,-32,1,4\n"
                              "lab,t4,resnet18,32,2,1e400\n,,,,,\nlab,t4,resnet18,32,x,4\n"
                              "lab,t4,resnet18,32,3,\nlab,t4,resnet18,32,4,5\n";
    struct ec_store *s = open_new("bad_iterations");
    struct ec_store_counts c = IMPORT(s, csv, NULL);

    CHECK_INT(c.added, 1);
    CHECK_INT(c.samples, 1);
    CHECK_INT(c.left_out, 6);
    CHECK_HAS(c.why[0], "line 2, column time_ms: found \"nan\"");
    CHECK_HAS(c.why[1], "line 3, column batch_size: found \"-32\"");
    CHECK_HAS(c.why[2], "line 4, column time_ms: found \"1e400\"");
    ec_store_close(s);
}

TEST(checking_spread_memory_and_fast_convolutions)
{
    static const char conv[] =
        "device,batch_size,channels_in,channels_out,kernel_size,input_size,padding,stride,use_bias,"
        "activation,optimizer,timed,time_ms,time_min_ms,time_max_ms\n"
        "t4,32,256,256,3,56,1,1,0,none,none,forward,8,9,7\n"; /* 118 GFLOP at 14.8 TFLOP/s */
    static const char memory[] =
        "device,model,image_size,seq_len,optimizer,peak_gpu_mem_mib,run_is,"
        "batch_size\nt4,resnet18,224,,adam,99999,x,8\n";
    struct ec_store *s = open_new("spread");
    struct ec_store_check c;
    struct ec_err err = { 0 };

    (void)IMPORT(s, conv, NULL);
    (void)IMPORT(s, memory, NULL);
    CHECK_OK(ec_store_check(s, false, &c, &err));
    CHECK_INT(c.found[EC_FIND_min_above_time], 1);
    CHECK_INT(c.found[EC_FIND_max_below_time], 1);
    CHECK_INT(c.found[EC_FIND_memory_above_device], 1);
    CHECK_INT(c.found[EC_FIND_rate_above_peak], 0);
    CHECK_INT(c.winograd, 1);
    ec_store_close(s);
}

TEST(leaves_nothing_behind)
{
    store_remove_all();
}

/* Files as their authors left them, where they are: each is imported whole, or refused as what it
 * is. */
TEST(files_as_their_authors_left_them)
{
    static const char *const folders[] = { "../shared/data/raw/nyu25/results",
                                           "../shared/data/raw/nyu25/analysis",
                                           "../shared/data/raw/practicum",
                                           "../shared/data/raw/prenet" };
    struct ec_strs files = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    bool is_folder = false;
    int i, n;

    for (i = 0; i < EC_LEN(folders); i++)
        if (ec_files_find(folders[i], "*.csv", &a, &files, &is_folder, &err) || !is_folder)
            break;
    n = i < EC_LEN(folders) ? 0 : files.n;
    if (!n)
        (void)printf("skipped: files of authors: %s is not there\n",
                     folders[i < EC_LEN(folders) ? i : 0]);
    for (i = 0; i < n; i++) {
        bool sums = (strstr(files.v[i], "/analysis/") && !strstr(files.v[i], "/combined_")) ||
                    strstr(files.v[i], "/GPUs.csv");
        bool lacks = strstr(files.v[i], "/dfConv") || strstr(files.v[i], "/test_run");
        struct ec_store_import opts = { .given.device = lacks ? "p100" : NULL };
        struct ec_store *s = NULL;
        struct ec_store_counts c = { 0 };
        enum ec_status st;

        CHECK_OK(ec_store_open(":memory:", 0, &s, &err));
        st = ec_store_import(s, files.v[i], &opts, &c, &err);
        if (st != (sums ? EC_E_UNSUPPORTED : EC_OK) || c.left_out || c.skipped ||
            (!sums && !c.added))
            test_fail(__FILE__, __LINE__, "%s: %s, %lld added, %lld left out", files.v[i],
                      st ? err.text : "imported", (long long)c.added, (long long)c.left_out);
        ec_store_close(s);
    }
    ec_arena_clear(&a);
}
