/* Runs out of tables: statistics of their samples another way, their order, what tells environments
 * apart, first iterations, and the roofs of devices that no catalogue has. */
#include "a_run.h"
#include "numbers.h"

static void read_runs(const char *csv, const struct ec_runs_query *q, struct ec_runs *ret)
{
    const char *path = "test-runs-measured.csv";
    struct ec_store *s = NULL;
    struct ec_err err;

    *ret = (struct ec_runs){ 0 };
    CHECK_OK(ec_file_write(path, csv, strlen(csv), &err));
    CHECK_OK(ec_runs_store(&path, 1, NULL, &s, NULL, &err));
    CHECK_OK(ec_runs_measured(s, q, ret, &err));
    ec_store_close(s);
    (void)remove(path);
}

/* --- Statistics --- */

#define SAMPLES 7
#define HEAD "env,device,model,batch_size,mode,precision,iteration,time_ms\n"

/* Times as they are written: thousandths of a millisecond. */
static void draw_samples(uint64_t seed, int n, double *ret_ns)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, seed);
    for (i = 0; i < n; i++)
        ret_ns[i] = (double)(ec_rng_next(&rng) % 100000 + 100000) * 1e3;
}

TEST(statistics_are_those_of_the_samples)
{
    struct ec_runs_query q = { .precision = "fp32" };
    int n, skip, i;

    for (n = 1; n <= SAMPLES; n++)
        for (skip = 0; skip < n; skip++) {
            double ns[SAMPLES], *v = ns + skip, sum = 0, squares = 0;
            struct ec_buf text = EC_BUF_INIT;
            int left = n - skip;
            struct ec_runs r;

            draw_samples((uint64_t)(n * 100 + skip), n, ns);
            ec_buf_str(&text, HEAD);
            for (i = 0; i < n; i++)
                ec_buf_printf(&text, "e,t4,resnet18,8,training_step,fp32,%d,%.3f\n", i,
                              ns[i] / 1e6);
            q.skip = skip;
            read_runs(ec_buf_text(&text), &q, &r);
            CHECK_INT(r.n, 1);
            for (i = 0; i < left; i++) {
                sum += v[i];
                squares += v[i] * v[i];
            }
            CHECK_INT(r.v[0].n, left);
            CHECK_NEAR(r.v[0].mean_ns, sum / left, 1e-12);
            CHECK_NEAR(r.v[0].median_ns, quantile_of(v, left, 0.5), 1e-9);
            CHECK_NEAR(r.v[0].p95_ns, quantile_of(v, left, 0.95), 1e-9);
            CHECK_NEAR(r.v[0].min_ns, quantile_of(v, left, 0), 1e-12);
            CHECK_NEAR(r.v[0].max_ns, quantile_of(v, left, 1), 1e-12);
            if (left > 1)
                CHECK_NEAR(r.v[0].std_ns, sqrt((squares - sum * sum / left) / (left - 1)), 1e-6);
            else
                CHECK(isnan(r.v[0].std_ns));
            ec_runs_clear(&r);
            ec_buf_clear(&text);
        }
}

/* Two devices under one name are two environments, and so are two names of one device. */
/* Steps of a warm-up are no scatter; a run that slows down drifts. */
TEST(warm_up_is_no_scatter_and_drift_is_known)
{
    static const double factor[] = { 1, 1.2 };
    struct ec_runs_query q = { .precision = "fp32" };
    struct ec_runs r;
    char text[4000];
    int k, i;

    for (k = 0; k < EC_LEN(factor); k++) {
        int at = snprintf(text, sizeof text, HEAD);

        for (i = 0; i < 32; i++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "t4,t4,resnet18,8,training_step,fp32,%d,%.2f\n", i,
                           i < 2 ? 900.0 : (i % 2 ? 99.0 : 101.0) * (i < 16 ? 1 : factor[k]));
        read_runs(text, &q, &r);
        CHECK_INT(r.n, 1);
        CHECK(r.v[0].std_ns / r.v[0].mean_ns > 1);
        CHECK(r.v[0].steady_std_frac > 0.009 && r.v[0].steady_std_frac < 0.11);
        CHECK_NEAR(r.v[0].drift_ratio, factor[k], 1e-9);
        ec_runs_clear(&r);
    }
}

TEST(device_and_environment_tell_runs_apart)
{
    static const char *const tables[] = {
        HEAD "lab,t4,lenet5,8,training_step,fp32,0,10\nlab,a100,lenet5,8,training_step,fp32,0,2\n",
        "env,device,model,batch_size,step_time_ms\nlab,t4,lenet5,8,10\nlab,a100,lenet5,8,2\n",
        "env,device,model,batch_size,step_time_ms\nhome,t4,lenet5,8,10\nlab,t4,lenet5,8,2\n",
    };
    static const char *const env[][2] = {
        {"lab, t4",  "lab, a100-sxm4-40gb"},
        { "lab, t4", "lab, a100-sxm4-40gb"},
        { "home",    "lab"                }
    };
    struct ec_runs_query q = { .precision = "fp32" };
    struct ec_runs r;
    int i, k;

    for (i = 0; i < EC_LEN(tables); i++) {
        read_runs(tables[i], &q, &r);
        CHECK_INT(r.n, 2);
        CHECK_INT(r.notes.n, 0);
        for (k = 0; k < 2 && r.n == 2; k++)
            CHECK_STR(r.v[k].env, env[i][k]);
        ec_runs_clear(&r);
    }
}

/* All iterations left out leave no run. */
TEST(a_run_without_iterations_is_none)
{
    struct ec_runs_query q = { .precision = "fp32", .skip = 3 };
    struct ec_runs r;

    read_runs(HEAD "e,t4,resnet18,8,training_step,fp32,0,10\n"
                   "e,t4,resnet18,8,training_step,fp32,1,11\n",
              &q, &r);
    CHECK_INT(r.n, 0);
    CHECK_INT(r.notes.n, 0);
    ec_runs_clear(&r);
}

TEST(slow_first_iterations_are_said)
{
    static const struct {
        int64_t skip;
        const char *note; /* NULL: none */
    } rows[] = {
        {0,  "the first iteration of 1 run took up to 5.0 times the median; --skip leaves it out"},
        { 1, NULL                                                                                },
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_runs_query q = { .precision = "fp32", .skip = rows[i].skip };
        struct ec_runs r;

        read_runs(HEAD "e,t4,resnet18,8,training_step,fp32,0,50\n"
                       "e,t4,resnet18,8,training_step,fp32,1,10\n"
                       "e,t4,resnet18,8,training_step,fp32,2,10\n"
                       "e,t4,resnet18,8,training_step,fp32,3,10\n"
                       "e,t4,lenet5,8,training_step,fp32,0,10\n"
                       "e,t4,lenet5,8,training_step,fp32,1,9\n"
                       "e,t4,lenet5,8,training_step,fp32,2,9\n"
                       "e,t4,lenet5,8,training_step,fp32,3,9\n",
                  &q, &r);
        CHECK_INT(r.notes.n, rows[i].note ? 1 : 0);
        if (rows[i].note && r.notes.n)
            CHECK_STR(r.notes.v[0], rows[i].note);
        ec_runs_clear(&r);
    }
}

/* --- Order --- */

static int place_of(const struct ec_runs *r, int i, bool model)
{
    int k;

    for (k = 0; k < i; k++)
        if (model ? ec_str_eq(r->v[k].record.what, r->v[i].record.what)
                  : ec_str_eq(r->v[k].env, r->v[i].env))
            break;
    return k;
}

/* Environments and networks together, steps of training first, batches from the smallest. */
static void check_order(const struct ec_runs *r)
{
    int i;

    for (i = 1; i < r->n; i++) {
        const struct ec_run *a = &r->v[i - 1], *b = &r->v[i];
        bool same = ec_str_eq(a->env, b->env);

        CHECK(same || place_of(r, i, false) == i); /* one that ended comes no more */
        if (!same || !ec_str_eq(a->record.what, b->record.what))
            continue;
        CHECK(strcmp(ec_run_mode(a), ec_run_mode(b)) >= 0);
        if (ec_str_eq(ec_run_mode(a), ec_run_mode(b)))
            CHECK(strcmp(ec_run_precision(a), ec_run_precision(b)) <= 0);
        if (ec_str_eq(ec_run_mode(a), ec_run_mode(b)) &&
            ec_str_eq(ec_run_precision(a), ec_run_precision(b)))
            CHECK(a->record.batch < b->record.batch);
    }
}

TEST(runs_stand_in_order_however_they_came)
{
    static const char *const envs[] = { "b", "a" }, *const models[] = { "vgg16", "lenet5" },
                             *const modes[] = { "forward", "training_step" },
                             *const precisions[] = { "fp32", "amp" };
    struct ec_runs_query q = { .precision = "fp32" };
    int trial, i;

    for (trial = 1; trial < 32; trial += 2) {
        struct ec_buf text = EC_BUF_INIT;
        struct ec_runs r;

        ec_buf_str(&text, HEAD);
        for (i = 0; i < 32; i++) {
            int at = (i * trial + 5) % 32; /* each of them once */

            ec_buf_printf(&text, "%s,t4,%s,%d,%s,%s,0,%d\n", envs[at & 1], models[at >> 1 & 1],
                          8 << (at >> 2 & 1), modes[at >> 3 & 1], precisions[at >> 4], 10 + at);
        }
        read_runs(ec_buf_text(&text), &q, &r);
        CHECK_INT(r.n, 32);
        check_order(&r);
        ec_runs_clear(&r);
        ec_buf_clear(&text);
    }
}

/* --- Roofs that were measured --- */

struct ceiling {
    const char *what, *precision;
    double ns;
};

static void add_ceilings(const struct ceiling *v, int n, struct ec_store *s)
{
    struct ec_source src = { .key = "own" };
    int64_t source, id;
    struct ec_err err;
    int i;

    CHECK_OK(ec_store_add_source(s, &src, &source, &err));
    for (i = 0; i < n; i++) {
        struct ec_record rec;

        ec_record_init(&rec);
        rec.kind = EC_KIND_ceiling;
        rec.what = v[i].what;
        rec.device = "my-own-chip";
        ec_record_set_word(&rec, EC_WORD_PRECISION, v[i].precision);
        ec_record_set_word(&rec, EC_WORD_MODE, "ceiling");
        rec.row = i;
        rec.reading = "t";
        rec.outcome = "ok";
        rec.time = (struct ec_reading){ v[i].ns, true };
        CHECK_OK(ec_store_add(s, source, 0, &rec, &id, NULL, &err));
    }
}

/* Of products the fastest at the precision of the run, of copies the largest. */
TEST(roofs_are_the_best_product_and_the_largest_copy)
{
    /* clang-format off */
    static const struct {
        struct ceiling v[3];
        int n;
        double flop_per_s, bytes_per_s; /* 0: not known */
        const char *note;
    } rows[] = {
        { { { "gemm m=100 n=100 k=100", "fp32", 1e3 }, { "gemm m=10 n=10 k=10", "fp32", 1 },
            { "copy bytes=5000", "fp32", 10 } }, 3, 2e12, 1e12,
          "the peaks of my-own-chip are measured: no datasheet of it is in the catalogue" },
        { { { "gemm m=100 n=100 k=100", "fp16", 1e3 } }, 1, 0, 0, NULL },
        { { { "fma flop=1000", "fp32", 1 } }, 1, 1e12, 0,
          "the peaks of my-own-chip are measured" },
        { { { "copy bytes=5000", "fp32", 10 }, { "copy bytes=100", "fp32", 1e-3 },
            { "copy bytes=5000", "fp32", 5 } }, 3, 0, 2e12, NULL },
        { { { "gemm m=100 n=100", "fp32", 1e3 }, { "copy", "fp32", 10 },
            { "copy bytes=x", "fp32", 10 } }, 3, 0, 0, NULL },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_run v = run_of("my-own-chip", "net", 8, 1e9);
        struct ec_runs r = { .v = &v, .n = 1 };
        struct ec_store *s = NULL;
        struct ec_err err;

        v.peak_flop_per_s = v.memory_bytes_per_s = UNKNOWN;
        CHECK_OK(ec_store_open(":memory:", 0, &s, &err));
        add_ceilings(rows[i].v, rows[i].n, s);
        CHECK_OK(ec_runs_ceilings(s, &r, &err));
        if (rows[i].flop_per_s > 0) {
            CHECK_NEAR(v.ceiling_flop_per_s, rows[i].flop_per_s, 1e-12);
            CHECK_NEAR(v.peak_flop_per_s, rows[i].flop_per_s, 1e-12);
        } else {
            CHECK(isnan(v.ceiling_flop_per_s) && isnan(v.peak_flop_per_s));
        }
        if (rows[i].bytes_per_s > 0)
            CHECK_NEAR(v.ceiling_bytes_per_s, rows[i].bytes_per_s, 1e-12);
        else
            CHECK(isnan(v.ceiling_bytes_per_s) && isnan(v.memory_bytes_per_s));
        CHECK_INT(r.notes.n, rows[i].note != NULL);
        if (rows[i].note && r.notes.n)
            CHECK_HAS(r.notes.v[0], rows[i].note);
        ec_arena_clear(&r.arena); /* the run is not its own */
        ec_store_close(s);
    }
}

/* A datasheet's peak stays, whatever was measured. */
TEST(a_datasheet_stands_above_what_was_measured)
{
    static const struct ceiling fast = { "gemm m=1000 n=1000 k=1000", "fp32", 1 };
    struct ec_run v = run_of("my-own-chip", "net", 8, 1e9);
    struct ec_runs r = { .v = &v, .n = 1 };
    struct ec_store *s = NULL;
    struct ec_err err;

    CHECK_OK(ec_store_open(":memory:", 0, &s, &err));
    add_ceilings(&fast, 1, s);
    CHECK_OK(ec_runs_ceilings(s, &r, &err));
    CHECK_NEAR(v.ceiling_flop_per_s, 2e18, 1e-12);
    CHECK_NEAR(v.peak_flop_per_s, 1e13, 1e-12);
    CHECK_INT(r.notes.n, 0);
    ec_arena_clear(&r.arena);
    ec_store_close(s);
}

/* --- What a network computes --- */

/* The same for the same question, more with more samples, and more with each phase. */
TEST(work_grows_with_batch_and_phase)
{
    struct ec_runs_query q = { .precision = "fp32" };
    struct ec_runs r;

    read_runs(HEAD "a,t4,resnet18,8,training_step,fp32,0,10\n"
                   "a,t4,resnet18,16,training_step,fp32,0,10\n"
                   "a,t4,resnet18,16,forward,fp32,0,5\n"
                   "b,t4,resnet18,16,forward,fp32,0,7\n"
                   "b,t4,no_such_network,16,forward,fp32,0,7\n",
              &q, &r);
    CHECK_INT(r.n, 5);
    if (r.n != 5)
        return;
    CHECK(r.v[1].flop > 1.9 * r.v[0].flop && r.v[1].flop < 2.1 * r.v[0].flop);
    CHECK(r.v[1].flop > 2.5 * r.v[2].flop && r.v[1].flop < 3.5 * r.v[2].flop);
    CHECK(r.v[1].bytes > r.v[0].bytes && r.v[1].bytes > r.v[2].bytes);
    CHECK_NEAR(r.v[0].params, r.v[1].params, 1e-12);
    CHECK_NEAR(r.v[3].flop, r.v[2].flop, 1e-12);
    CHECK_NEAR(r.v[3].bytes, r.v[2].bytes, 1e-12);
    CHECK(isnan(r.v[4].flop) && isnan(r.v[4].params));
    CHECK_INT(r.notes.n, 1);
    CHECK_HAS(r.notes.n ? r.notes.v[0] : "", "no_such_network is not counted: ");
    CHECK_INT(r.v[0].record.image_px, 224);
    ec_runs_clear(&r);
}

static enum ec_status make(struct ec_err *err)
{
    const char *path = "test-runs-torture.csv";
    struct ec_runs_query q = { .precision = "fp32" };
    struct ec_store *s = NULL;
    struct ec_runs r = { 0 };
    enum ec_status st;

    EC_TRY(ec_runs_store(&path, 1, NULL, &s, NULL, err));
    EC_TRY(ec_runs_measured(s, &q, &r, err));
    EC_TRY(ec_runs_ceilings(s, &r, err));
out:
    ec_runs_clear(&r);
    ec_store_close(s);
    return st;
}

/* Many runs are shared out over threads: each is as if it were read alone. */
TEST(many_runs_are_each_as_if_alone)
{
    struct ec_runs_query q = { .precision = "fp32", .predict = true };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_runs all, one;
    int i;

    ec_buf_str(&text, HEAD);
    for (i = 0; i < 1700; i++)
        ec_buf_printf(&text, "e,t4,%s,%d,training_step,fp32,0,9\n", i % 17 ? "resnet18" : "resnet1",
                      i + 1);
    read_runs(ec_buf_text(&text), &q, &all);
    CHECK_INT(all.n, 1700);
    for (i = 0; i < all.n; i += 67) {
        const struct ec_run *v = &all.v[i], *w;

        ec_buf_reset(&text);
        ec_buf_printf(&text, HEAD "e,t4,%s,%d,training_step,fp32,0,9\n", v->record.what,
                      (int)v->record.batch);
        read_runs(ec_buf_text(&text), &q, &one);
        CHECK_INT(one.n, 1);
        w = &one.v[0];
        CHECK_INT(v->unknown, w->unknown);
        CHECK_INT(v->record.image_px, w->record.image_px);
        CHECK(v->unknown ? isnan(v->flop) && isnan(v->predicted_ns) && v->uncounted
                         : v->flop == w->flop && v->bytes == w->bytes &&
                               v->predicted_ns == w->predicted_ns && v->limit == w->limit);
        ec_runs_clear(&one);
    }
    ec_runs_clear(&all);
    ec_buf_clear(&text);
}

TEST(each_allocation_may_fail)
{
    static const char text[] = HEAD "a,t4,lenet5,8,training_step,fp32,0,10\n"
                                    "a,t4,lenet5,8,training_step,fp32,1,12\n";
    struct ec_err err;

    CHECK_OK(ec_file_write("test-runs-torture.csv", text, sizeof text - 1, &err));
    CHECK_TORTURE(make);
    (void)remove("test-runs-torture.csv");
}
