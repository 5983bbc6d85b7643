/* Runs out of a store: statistics, what they compute, comparisons, ceilings. */
#include "a_run.h"

static void load(const char *csv, struct ec_store **ret)
{
    const char *path = "test-runs.csv";
    struct ec_err err;

    CHECK_OK(ec_file_write(path, csv, strlen(csv), &err));
    CHECK_OK(ec_runs_store(&path, 1, NULL, ret, NULL, &err));
    (void)remove(path);
}

/* A point of a roofline with a ridge at 100 FLOP/byte. */
static struct ec_run point(const char *layer, double intensity, double flop_per_s,
                           const char *limit)
{
    struct ec_run r = run_of("t4", "net", 8, 1e9);

    r.layer = layer;
    r.flop = flop_per_s;
    r.bytes = flop_per_s / intensity;
    r.limit = limit;
    return r;
}

TEST(what_contradicts_the_roofs_is_explained)
{
    struct ec_run v[] = {
        point("", 120, 5e12, "compute"),
        point("winograd", 400, 1.2e13, "compute"),
        point("cached", 1, 1.1e11, "memory bandwidth"),
        point("slow_copy", 150, 1e12, "memory bandwidth"),
        point("depthwise", 2, 1e10, "compute"),
        point("depthwise2", 2, 1e10, "compute"),
        point("fits", 100, 9.9e12, "kernel launches"),
    };
    static const char *const begin[] = {
        "above the flat roof: 1 of 7 rows (winograd): ",
        "above the sloped roof: 1 of 7 rows (cached): ",
        "limited by memory bandwidth above the ridge: 1 of 7 rows (slow_copy): ",
        "limited by compute below the ridge: 2 of 7 rows (depthwise and others): ",
    };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_err err;
    int i;

    CHECK_OK(ec_runs_roof_notes(&r, &err));
    CHECK_INT(r.notes.n, EC_LEN(begin));
    for (i = 0; i < EC_LEN(begin); i++)
        CHECK(ec_str_starts(r.notes.v[i], begin[i]));
    r.notes.n = 0;
    r.n = 1;
    CHECK_OK(ec_runs_roof_notes(&r, &err));
    CHECK_INT(r.notes.n, 0);
    ec_arena_clear(&r.arena);
}

static const char table[] = "env,device,model,batch_size,iteration,time_ms\n"
                            "slow,t4,resnet18,32,0,100\nslow,t4,resnet18,32,1,110\n"
                            "slow,t4,resnet18,32,2,120\nslow,t4,resnet18,64,0,200\n"
                            "fast,a100,resnet18,32,0,20\nfast,a100,resnet18,32,1,22\n"
                            "fast,a100,vgg16,8,0,50\n";

TEST(runs_have_statistics_and_comparisons)
{
    struct ec_runs_query q = { .precision = "fp32" };
    struct ec_runs r = { 0 };
    struct ec_store *s = NULL;
    struct ec_err err;

    load(table, &s);
    CHECK_OK(ec_runs_measured(s, &q, &r, &err));
    CHECK_OK(ec_runs_relate(&r, NULL, &err));
    CHECK_INT(r.n, 4);
    CHECK_STR(r.reference, "slow");
    CHECK_INT(r.v[0].n, 3);
    CHECK_NEAR(r.v[0].mean_ns, 110e6, 1e-12);
    CHECK_NEAR(r.v[0].std_ns, 10e6, 1e-9);
    CHECK_NEAR(r.v[0].p95_ns, 119e6, 1e-9);
    CHECK_NEAR(ec_run_samples_per_s(&r.v[0]), 32 / 0.11, 1e-9);
    CHECK_NEAR(r.v[0].speedup, 1, 1e-12);
    CHECK_NEAR(r.v[1].scaling_frac, (64 / 0.2) / (32 / 0.11) / 2, 1e-9);
    CHECK_NEAR(r.v[2].speedup, 110.0 / 21, 1e-9);
    CHECK(isnan(r.v[3].speedup) && isnan(r.v[3].scaling_frac));
    CHECK_NEAR(r.v[0].params, 11689512, 1e-12);
    CHECK_NEAR(r.v[0].peak_flop_per_s, 8.1e12, 0.02);
    CHECK_STR(ec_run_limit(&r.v[0]), "compute");
    ec_runs_clear(&r);
    ec_store_close(s);
}

static void findings(const char *csv, struct ec_arena *a, struct ec_strs *ret)
{
    struct ec_runs_query q = { .precision = "fp32" };
    struct ec_runs r = { 0 };
    struct ec_store *s = NULL;
    struct ec_err err;

    load(csv, &s);
    CHECK_OK(ec_runs_measured(s, &q, &r, &err));
    CHECK_OK(ec_runs_findings(&r, a, ret, &err));
    ec_runs_clear(&r);
    ec_store_close(s);
}

/* One run is compared with nothing. */
TEST(one_run_is_neither_fastest_nor_between)
{
    struct ec_arena a = { 0 };
    struct ec_strs says = { 0 };

    findings("env,device,model,batch_size,iteration,time_ms\nlab,t4,resnet18,32,0,100\n", &a,
             &says);
    CHECK_INT(says.n, 2);
    CHECK_STR(says.v[0], "resnet18 does 320 samples/s on lab at batch 32.");
    CHECK_HAS(says.v[1], "resnet18 on lab, batch 32, reaches ");
    CHECK_HAS(says.v[1], " % of the peak and is limited by compute.");
    ec_arena_clear(&a);
}

TEST(iterations_can_be_skipped)
{
    struct ec_runs_query q = { .precision = "fp32", .skip = 2 };
    struct ec_runs r = { 0 };
    struct ec_store *s = NULL;
    struct ec_err err;

    load(table, &s);
    CHECK_OK(ec_runs_measured(s, &q, &r, &err));
    CHECK_INT(r.n, 1);
    CHECK_NEAR(r.v[0].median_ns, 120e6, 1e-12);
    ec_runs_clear(&r);
    ec_store_close(s);
}

TEST(the_best_ceiling_is_a_roof)
{
    static const char *const cases[] = { "gemm m=1000 n=1000 k=1000", "gemm m=10 n=10 k=10",
                                         "copy bytes=1000000", "launch" };
    struct ec_source src = { .key = "own" };
    struct ec_run runs[] = { run_of("t4", "net", 8, 1e9) };
    struct ec_runs r = { .v = runs, .n = 1 };
    struct ec_store *s = NULL;
    int64_t source, id;
    struct ec_err err;
    int i;

    CHECK_OK(ec_store_open(":memory:", 0, &s, &err));
    CHECK_OK(ec_store_add_source(s, &src, &source, &err));
    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_record rec;

        ec_record_init(&rec);
        rec.kind = EC_KIND_ceiling;
        rec.what = cases[i];
        rec.device = "t4";
        ec_record_set_word(&rec, EC_WORD_PRECISION, "fp32");
        ec_record_set_word(&rec, EC_WORD_MODE, "ceiling");
        rec.row = i;
        rec.reading = "t";
        rec.outcome = "ok";
        rec.time = (struct ec_reading){ 1e6, true };
        CHECK_OK(ec_store_add(s, source, 0, &rec, &id, NULL, &err));
    }
    CHECK_OK(ec_runs_ceilings(s, &r, &err));
    CHECK_NEAR(runs[0].ceiling_flop_per_s, 2e12, 1e-12);
    CHECK_NEAR(runs[0].ceiling_bytes_per_s, 2e9, 1e-12);
    ec_arena_clear(&r.arena); /* the runs are not its own */
    ec_store_close(s);
}

TEST(predictions_stand_beside_layers)
{
    struct ec_runs_ask ask = { .model = "lenet5", .layers = true };
    struct ec_predictor *p = NULL;
    struct ec_runs r = { 0 };
    struct ec_strs findings = { 0 };
    struct ec_step_layers layers = { 0 };
    struct ec_prediction whole;
    struct ec_arena a = { 0 };
    struct ec_err err;
    double flop = 0, bytes = 0;
    int i, k;

    ec_predict_opts_default(&ask.opts);
    ask.opts.batch = 16;
    CHECK_OK(ec_device_find("t4", &ask.device, &err));
    CHECK_OK(ec_predictor_new(&p, &err));
    CHECK_OK(ec_runs_predict(p, &ask, &r, &err));
    CHECK_OK(ec_predict_layers(p, "lenet5", "t4", &ask.opts, &whole, &layers, &a, &err));
    CHECK(r.n > 5);
    CHECK_NEAR(r.v[0].median_ns, whole.step_time_ns.p50, 1e-12);
    for (i = 1; i < r.n; i++) {
        CHECK(*r.v[i].layer && r.v[i].median_ns > 0 && r.v[i].bytes > 0);
        CHECK(i == 1 || r.v[i].median_ns <= r.v[i - 1].median_ns);
        flop += r.v[i].flop;
        bytes += r.v[i].bytes;
        for (k = 0; !ec_str_eq(layers.v[k].name, r.v[i].layer); k++)
            CHECK(k + 1 < layers.n);
        CHECK_NEAR(r.v[i].median_ns,
                   layers.v[k].forward_ns + layers.v[k].backward_ns + layers.v[k].update_ns, 1e-12);
        CHECK_STR(r.v[i].limit, ec_limit_name(layers.v[k].limit));
    }
    CHECK_NEAR(flop, r.v[0].flop, 1e-9); /* with the update */
    CHECK_NEAR(bytes, r.v[0].bytes, 1e-9);
    CHECK_OK(ec_runs_findings(&r, &a, &findings, &err));
    CHECK(findings.n > 1);
    ec_arena_clear(&a);
    ec_runs_clear(&r);
    ec_predictor_free(p);
}
