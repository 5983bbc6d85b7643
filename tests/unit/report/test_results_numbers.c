/* The numbers of a report: errors of predictions, steps of several devices, times of layers. Each
 * is computed again from what lies in the directory or beside the report. */
#define DIR "test-results-numbers"
#include "results_dir.h"

/* --- Errors of predictions --- */

static void put_runs(void)
{
    static const char *const models[] = { "resnet18", "lenet5", "vgg16" };
    static const char *const devices[] = { "t4", "v100-sxm2-16gb", "a100-sxm4-40gb" };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_rng rng;
    int m, d, k;

    ec_rng_seed(&rng, 5);
    ec_buf_str(&text, "env,device,model,batch_size,precision,mode,iteration,time_ms\n");
    for (m = 0; m < EC_LEN(models); m++)
        for (d = 0; d < EC_LEN(devices); d++)
            for (k = 0; k < 6; k++)
                ec_buf_printf(&text, "e%d,%s,%s,%d,%s,%s,%d,%.4f\n", d, devices[d], models[m],
                              16 << (k / 3), m == 2 ? "amp" : "fp32",
                              d == 1 && m == 1 ? "forward" : "training_step", k % 3,
                              5 + 100 * ec_rng_unit(&rng));
    put("runs.csv", ec_buf_text(&text));
    ec_buf_clear(&text);
}

struct errors {
    double ape[64], roof[64], sum, square, total;
    int n, n_roof;
};

/* The runs whose column says the word, as the sheet of all runs has them. */
static void errors_of(const struct ec_csv *runs, const char *col, const char *word,
                      struct errors *ret)
{
    double mean = 0;
    int i;

    *ret = (struct errors){ .n = 0 };
    for (i = 0; i < runs->n_rows; i++) {
        double t = number_at(runs, i, "median_ns"), p = number_at(runs, i, "predicted_ns");
        double roof =
            1e9 * number_at(runs, i, "flop") / number_at(runs, i, "attainable_flop_per_s");

        if (!ec_str_eq(word_at(runs, i, col), word) || !isfinite(p))
            continue;
        mean += t;
        ret->square += (p - t) * (p - t);
        ret->total += t * t;
        ret->sum += fabs(p / t - 1);
        ret->ape[ret->n++] = fabs(p / t - 1);
        if (isfinite(roof))
            ret->roof[ret->n_roof++] = fabs(roof / t - 1);
    }
    ret->total -= mean * mean / ret->n;
}

TEST(errors_are_those_of_the_runs_beside_them)
{
    static const char *const by[][2] = {
        {"device",     "env"      },
        { "mode",      "mode"     },
        { "precision", "precision"},
        { "family",    "model"    }
    };
    struct ec_csv errors, runs;
    struct report r;
    int i, k, rows[EC_LEN(by)] = { 0 }, judged = 0;

    begin();
    put_runs();
    report(NULL, &r);
    read_table("tables/errors.csv", &errors);
    read_table("tables/runs.csv", &runs);
    for (i = 0; i < runs.n_rows; i++)
        judged += isfinite(number_at(&runs, i, "predicted_ns"));
    CHECK(judged > 10);
    for (i = 0; i < errors.n_rows; i++) {
        struct errors e;

        for (k = 0; k < EC_LEN(by) && !ec_str_eq(by[k][0], word_at(&errors, i, "by")); k++)
            continue;
        CHECK(k < EC_LEN(by));
        k = k < EC_LEN(by) ? k : 0;
        errors_of(&runs, by[k][1], word_at(&errors, i, "group"), &e);
        rows[k] += e.n;
        CHECK_INT(number_at(&errors, i, "rows"), e.n);
        CHECK_NEAR(number_at(&errors, i, "median_ape_frac"), quantile_of(e.ape, e.n, 0.5), 1e-9);
        CHECK_NEAR(number_at(&errors, i, "p90_ape_frac"), quantile_of(e.ape, e.n, 0.9), 1e-9);
        CHECK_NEAR(number_at(&errors, i, "mean_ape_frac"), e.sum / e.n, 1e-9);
        CHECK_NEAR(number_at(&errors, i, "r2"), 1 - e.square / e.total, 1e-6);
        CHECK_NEAR(number_at(&errors, i, "roofline_median_ape_frac"),
                   quantile_of(e.roof, e.n_roof, 0.5), 1e-9);
    }
    for (k = 0; k < EC_LEN(by); k++)
        CHECK_INT(rows[k], judged);
    ec_csv_clear(&errors);
    ec_csv_clear(&runs);
    report_clear(&r);
    end();
}

/* --- All runs --- */

/* Every column that follows from others does. */
TEST(columns_of_runs_follow_from_each_other)
{
    static const struct {
        const char *is, *above, *below;
        double scale;
    } rows[] = {
        {"images_per_s",              "batch_size",          "median_ns",             1e9},
        { "time_per_image_ns",        "median_ns",           "batch_size",            1  },
        { "achieved_flop_per_s",      "flop",                "median_ns",             1e9},
        { "efficiency_frac",          "achieved_flop_per_s", "peak_flop_per_s",       1  },
        { "arithmetic_flop_per_byte", "flop",                "bytes",                 1  },
        { "ridge_flop_per_byte",      "peak_flop_per_s",     "memory_bytes_per_s",    1  },
        { "roof_frac",                "achieved_flop_per_s", "attainable_flop_per_s", 1  },
    };
    struct ec_csv runs;
    struct report r;
    int i, k;

    begin();
    put_runs();
    report(NULL, &r);
    read_table("tables/runs.csv", &runs);
    CHECK_INT(runs.n_rows, r.done.n_runs);
    CHECK_INT(runs.n_rows, 18);
    for (i = 0; i < runs.n_rows; i++) {
        double ridge = number_at(&runs, i, "ridge_flop_per_byte");
        double at = number_at(&runs, i, "arithmetic_flop_per_byte");
        double roof = at * number_at(&runs, i, "memory_bytes_per_s");

        for (k = 0; k < EC_LEN(rows); k++)
            CHECK_NEAR(number_at(&runs, i, rows[k].is),
                       rows[k].scale * number_at(&runs, i, rows[k].above) /
                           number_at(&runs, i, rows[k].below),
                       1e-9);
        CHECK(*word_at(&runs, i, "limit")); /* of the prediction, else by the intensity */
        CHECK_NEAR(number_at(&runs, i, "attainable_flop_per_s"),
                   at < ridge ? roof : number_at(&runs, i, "peak_flop_per_s"), 1e-9);
        CHECK(number_at(&runs, i, "min_ns") <= number_at(&runs, i, "median_ns"));
        CHECK(number_at(&runs, i, "median_ns") <= number_at(&runs, i, "p95_ns"));
        CHECK(number_at(&runs, i, "p95_ns") <= number_at(&runs, i, "max_ns"));
    }
    ec_csv_clear(&runs);
    report_clear(&r);
    end();
}

/* The page shows as many rows as there are, and each environment with how many of them it has. */
TEST(environments_have_all_runs)
{
    struct ec_csv envs, shown;
    const char *section;
    struct report r;
    int i, sum = 0;

    begin();
    put_runs();
    report(NULL, &r);
    section = strstr(ec_buf_text(&r.markdown), "## Environments");
    shown_table(section ? section : "", "environment", &envs);
    CHECK_INT(envs.n_rows, 3);
    for (i = 0; i < envs.n_rows; i++) {
        sum += (int)number_at(&envs, i, "runs");
        CHECK_STR(word_at(&envs, i, "precisions"), "fp32, amp");
    }
    CHECK_INT(sum, r.done.n_runs);
    CHECK_INT(number_after(ec_buf_text(&r.markdown), "## Method\n\n"), r.done.n_runs);
    CHECK_INT(number_after(ec_buf_text(&r.markdown), "18 runs with "), 54);
    shown_table(ec_buf_text(&r.markdown), "network", &shown); /* what they compute */
    CHECK_INT(shown.n_rows, 8); /* two batches of three networks, forward apart */
    ec_csv_clear(&envs);
    ec_csv_clear(&shown);
    report_clear(&r);
    end();
}

/* --- Several devices --- */

static const char ddp[] =
    "model,device,ranks,batch_per_rank,batch_size,step_ns,local_step_ns,all_reduce_ns,"
    "images_per_s\n"
    "net,cpu,1,32,32,1000000,1000000,0,32000\nnet,cpu,2,32,64,1300000,1000000,300000,49000\n"
    "net,cpu,4,32,128,1600000,1200000,500000,80000\nbig,cpu,1,8,8,9000000,9000000,0,889\n"
    "big,cpu,4,8,32,9500000,9100000,600000,3368\nbig,gpu,4,8,32,9500000,9100000,600000,3368\n";

TEST(speedups_of_processes_are_against_one)
{
    static const double alone[] = { 32000, 32000, 32000, 889, 889, 0 };
    struct ec_csv in = { 0 }, out;
    struct report r;
    struct ec_err err;
    int i;

    begin();
    put("ddp.csv", ddp);
    report(NULL, &r);
    CHECK_OK(ec_csv_parse(ddp, sizeof ddp - 1, &in, &err));
    read_table("tables/scaling-ddp.csv", &out);
    CHECK_INT(out.n_rows, in.n_rows);
    for (i = 0; i < out.n_rows && i < in.n_rows; i++) {
        double ranks = number_at(&in, i, "ranks"), rate = number_at(&in, i, "images_per_s");

        CHECK_NEAR(number_at(&out, i, "num_devices"), ranks, 1e-12);
        CHECK_NEAR(number_at(&out, i, "batch_size"), number_at(&in, i, "batch_per_rank"), 1e-12);
        CHECK_NEAR(number_at(&out, i, "images_per_s"), rate, 1e-12);
        if (alone[i] > 0) {
            CHECK_NEAR(number_at(&out, i, "speedup"), rate / alone[i], 1e-9);
            CHECK_NEAR(number_at(&out, i, "scaling_efficiency_frac"), rate / alone[i] / ranks,
                       1e-9);
        } else { /* nobody ran it on one GPU */
            CHECK_STR(word_at(&out, i, "speedup"), "");
            CHECK_STR(word_at(&out, i, "scaling_efficiency_frac"), "");
        }
    }
    CHECK_HAS(ec_buf_text(&r.markdown),
              "- 4 processes of one machine train 2.50 (net, batch 32 each) to 3.79 times (big, "
              "batch 8) as fast as one; without the exchange of gradients the steps of the slowest "
              "take 0.75 of their time.");
    ec_csv_clear(&in);
    ec_csv_clear(&out);
    report_clear(&r);
    end();
}

/* One row of the most processes is said alone; what a row lacks, no sentence says. */
TEST(sentences_about_processes)
{
    static const char head[] =
        "model,ranks,batch_per_rank,batch_size,step_ns,local_step_ns,all_reduce_ns,images_per_s\n";
    /* clang-format off */
    static const struct {
        const char *rows, *says; /* NULL: nothing of processes */
    } cases[] = {
        { "a,1,8,8,10,10,0,800\na,3,8,24,20,15,4,1200\n",
          "3 processes of one machine train a, batch 8 each, 1.50 times as fast as one; without "
          "the exchange of gradients a step takes 0.75 of its time." },
        { "a,1,8,8,10,10,0,800\na,3,8,24,20,,4,1200\n", NULL },
        { "a,1,8,8,10,10,0,\na,3,8,24,20,15,4,\n", NULL },
        { "a,2,8,16,10,10,0,800\na,3,8,24,20,15,4,1200\n", NULL },
        { "a,1,8,8,10,10,0,800\na,1,8,8,10,10,0,800\n", NULL },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_buf text = EC_BUF_INIT;
        struct report r;

        begin();
        ec_buf_printf(&text, "%s%s", head, cases[i].rows);
        put("ddp.csv", ec_buf_text(&text));
        report(NULL, &r);
        CHECK_HAS(ec_buf_text(&r.markdown), "## Several devices: ddp.csv");
        if (cases[i].says)
            CHECK_HAS(ec_buf_text(&r.markdown), cases[i].says);
        else
            CHECK(!strstr(ec_buf_text(&r.markdown), "- 3 processes"));
        holds_of_every_report(&r, "ddp.csv", cases[i].rows);
        report_clear(&r);
        end();
        ec_buf_clear(&text);
    }
}

/* --- Layers --- */

#define LAYER(what, samples) MEASURED_BY("separated", "operator", what, samples)

static const char layers[] = MEASURED LAYER("relu x=64x256x56x56", "500000 510000 520000")
    LAYER("relu x=64x64x56x56", "130000") LAYER("relu x=1x64x56x56", "30000")
        LAYER("linear m=64 k=2048 n=1000", "90000 91000") LAYER("softmax x=64x1000", "12000")
            LAYER("no_such_operator x=4", "12000");
static const char ceilings[] =
    MEASURED MEASURED_ROW("ceiling", "gemm m=1000 n=1000 k=1000", "500000")
        MEASURED_ROW("ceiling", "gemm m=10 n=10 k=10", "1000")
            MEASURED_ROW("ceiling", "copy bytes=1000000", "10000")
                MEASURED_ROW("ceiling", "copy bytes=1000", "5");

/* The longest together come first, and all layers stand in one line each. */
TEST(layers_are_counted_by_their_operator)
{
    static const struct {
        const char *op, *shortest, *median, *longest;
        int n;
    } want[] = {
        {"relu",     "30.0", "130",  "510",  3},
        { "linear",  "90.5", "90.5", "90.5", 1},
        { "softmax", "12.0", "12.0", "12.0", 1},
    };
    struct ec_csv lines;
    struct report r;
    int i;

    begin();
    put("layers.csv", layers);
    report(NULL, &r);
    shown_table(ec_buf_text(&r.markdown), "device | precision | operator", &lines);
    CHECK_INT(lines.n_rows, EC_LEN(want));
    for (i = 0; i < EC_LEN(want); i++) {
        CHECK_STR(word_at(&lines, i, "operator"), want[i].op);
        CHECK_STR(word_at(&lines, i, "phase"), "forward");
        CHECK_INT(number_at(&lines, i, "layers"), want[i].n);
        CHECK_STR(word_at(&lines, i, "shortest (us)"), want[i].shortest);
        CHECK_STR(word_at(&lines, i, "median (us)"), want[i].median);
        CHECK_STR(word_at(&lines, i, "longest (us)"), want[i].longest);
    }
    CHECK_HAS(ec_buf_text(&r.markdown),
              "5 times of single layers, their phases apart; 1 more rows are updates");
    ec_csv_clear(&lines);
    report_clear(&r);
    end();
}

/* Points are what layers compute in their time; roofs are the best product and the largest copy. */
TEST(layers_stand_under_measured_roofs)
{
    struct ec_csv points;
    struct report r;
    int i, n = 0;

    begin();
    put("layers.csv", layers);
    put("ceilings.csv", ceilings);
    put("elsewhere/ceilings.csv",
        MEASURED MEASURED_ROW("ceiling", "gemm m=9999 n=9999 k=9999", "10"));
    report(NULL, &r);
    read_table("tables/roofline-layers.csv", &points);
    for (i = 0; i < points.n_rows; i++) {
        double at = number_at(&points, i, "arithmetic_flop_per_byte");
        double rate = number_at(&points, i, "achieved_flop_per_s");

        CHECK_NEAR(number_at(&points, i, "peak_flop_per_s"), 2e9 / 500e3 * 1e9, 1e-5);
        CHECK_NEAR(number_at(&points, i, "memory_bytes_per_s"), 2e6 / 10e3 * 1e9, 1e-5);
        CHECK(at > 0.01 && rate > 0);
        if (!ec_str_eq(word_at(&points, i, "op"), "linear"))
            continue;
        n++;
        CHECK_NEAR(rate, 2.0 * 64 * 2048 * 1000 / 90500 * 1e9, 2e-3); /* and a bias */
        CHECK_NEAR(at, 2.0 * 64 * 2048 * 1000 / (4 * (64 * 2048 + 2048 * 1000 + 64 * 1000)), 5e-3);
    }
    CHECK_INT(n, 1);
    CHECK_HAS(ec_buf_text(&r.markdown), "layers-layers.csv.svg");
    ec_csv_clear(&points);
    report_clear(&r);
    end();
}

/* Operators stand beside what is predicted: each group has all rows. */
TEST(operators_are_judged_in_groups)
{
    static const char *const by[] = { "device", "phase", "precision", "kind" };
    struct ec_csv errors;
    struct report r;
    int i, k, told;

    begin();
    put("layers.csv", layers);
    report(NULL, &r);
    read_table("tables/operator-errors.csv", &errors);
    told = (int)number_after(ec_buf_text(&r.markdown), "no test of it.\n\n");
    CHECK(told >= 5);
    for (k = 0; k < EC_LEN(by); k++) {
        int sum = 0;

        for (i = 0; i < errors.n_rows; i++)
            if (ec_str_eq(word_at(&errors, i, "by"), by[k])) {
                sum += (int)number_at(&errors, i, "rows");
                CHECK(number_at(&errors, i, "median_ape_frac") >= 0);
                CHECK(number_at(&errors, i, "p90_ape_frac") >=
                      number_at(&errors, i, "median_ape_frac"));
            }
        CHECK_INT(sum, told);
    }
    ec_csv_clear(&errors);
    report_clear(&r);
    end();
}
