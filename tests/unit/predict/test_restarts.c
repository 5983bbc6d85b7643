/* Restarts of a job: the formulas against failures drawn by chance, and what is said of them. */
#include "ask.h"

#include <math.h>

#define H100 "h100-sxm5-80gb"
#define HOUR_NS 3600e9

/* A job of two machines, which takes days. */
static struct ec_predict_opts of_days(void)
{
    struct ec_predict_opts o = options(256);

    o.samples = 1281167;
    o.epochs = 2000;
    o.devices = 16;
    return o;
}

/* One run: work in pieces, each saved behind it but the last; a failure loses its piece. */
static double run_ns(struct ec_rng *rng, double work, double every, double write, double restart,
                     double fails)
{
    double t = 0, next = -log(1 - ec_rng_unit(rng)) * fails, done = 0;

    while (done < work) {
        double piece = fmin(every, work - done) + write;

        if (t + piece <= next) {
            t += piece;
            done += fmin(every, work - done);
            continue;
        }
        t = next + restart; /* a restart may fail as well */
        next += -log(1 - ec_rng_unit(rng)) * fails;
        while (next < t) {
            t = next + restart;
            next += -log(1 - ec_rng_unit(rng)) * fails;
        }
    }
    return t;
}

#define RUNS 4000

TEST(the_expected_time_is_that_of_drawn_failures)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_days();
    struct ec_prediction r, plain;
    double sum = 0, squares = 0, mean, sd, write, fails;
    struct ec_rng rng;
    int i;

    o.mtbf = "none";
    plain = ask(p, "resnet50", H100, &o);
    o.mtbf = "160h";
    o.restart = "20min";
    o.checkpoint_every = "1h";
    r = ask(p, "resnet50", H100, &o);
    fails = 160 * HOUR_NS / 16;
    CHECK_NEAR(r.failure_every_ns, fails, 1e-12);
    CHECK_NEAR(r.checkpoint_every_ns, HOUR_NS, 1e-12);
    write = r.checkpoints_ns * HOUR_NS / plain.job_time_ns.p50;
    ec_rng_seed(&rng, 7);
    for (i = 0; i < RUNS; i++) {
        double t = run_ns(&rng, plain.job_time_ns.p50, HOUR_NS, write, 20 * 60e9, fails);

        sum += t;
        squares += t * t;
    }
    mean = sum / RUNS;
    sd = sqrt(squares / RUNS - mean * mean);
    CHECK(fabs(r.job_time_ns.p50 - mean) < 4 * sd / sqrt(RUNS) + HOUR_NS);
    CHECK(r.restarts_ns > 0.05 * plain.job_time_ns.p50);
    CHECK_NEAR(r.job_time_ns.p50, plain.job_time_ns.p50 + r.restarts_ns, 1e-12);
    /* what is by chance is about as wide as what is drawn: one rate of failures was given */
    CHECK(1.645 * sd < r.job_time_ns.p95 - r.job_time_ns.p50);
    ec_predictor_free(p);
}

TEST(the_best_interval_is_best)
{
    static const double factors[] = { 0.4, 0.7, 1.4, 2.5 };
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_days();
    struct ec_prediction best, r;
    char text[32];
    int i;

    o.mtbf = "1000h";
    best = ask(p, "resnet50", H100, &o);
    o.checkpoint_every = text;
    for (i = 0; i < EC_LEN(factors); i++) {
        (void)snprintf(text, sizeof text, "%.9gs", factors[i] * best.checkpoint_every_ns / 1e9);
        r = ask(p, "resnet50", H100, &o);
        CHECK(r.job_time_ns.p50 > best.job_time_ns.p50);
    }
    ec_predictor_free(p);
}

TEST(more_failures_take_longer_and_one_machine_has_none)
{
    static const char *const lives[] = { "none", "1e6h", "50700h", "5000h", "500h", "100h" };
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_days();
    struct ec_prediction r, usual = ask(p, "resnet50", H100, &o);
    double last = 0;
    int i;

    for (i = 0; i < EC_LEN(lives); i++) {
        o.mtbf = lives[i];
        r = ask(p, "resnet50", H100, &o);
        CHECK(r.job_time_ns.p50 > last);
        CHECK(r.job_time_ns.p05 < r.job_time_ns.p50 && r.job_time_ns.p50 < r.job_time_ns.p95);
        last = r.job_time_ns.p50;
        if (i == 2)
            CHECK_NEAR(usual.job_time_ns.p50, last, 1e-12);
    }
    CHECK(usual.job_time_ns.p95 > usual.job_time_ns.p50);
    o.mtbf = NULL;
    o.devices = 8;
    CHECK(ask(p, "resnet50", H100, &o).restarts_ns == 0);
    o.spot_life = "6h"; /* of a machine, not of its devices */
    CHECK_NEAR(ask(p, "resnet50", H100, &o).failure_every_ns, 6 * HOUR_NS, 1e-12);
    ec_predictor_free(p);
}

/* A checkpoint is as large however the devices share it. */
TEST(sharing_does_not_shrink_a_checkpoint)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(16);
    double bytes;

    o.cond.precision = EC_BF16;
    o.cond.optimizer = EC_OPT_adamw;
    o.samples = 1000000;
    o.devices = 16;
    bytes = ask(p, "bert_large", H100, &o).checkpoint_bytes;
    CHECK(bytes > 6 * 335e6 && bytes < 6.2 * 336e6);
    o.parallel.zero = 3;
    CHECK_NEAR(ask(p, "bert_large", H100, &o).checkpoint_bytes, bytes, 1e-12);
    o.parallel.tensor = 4;
    CHECK_NEAR(ask(p, "bert_large", H100, &o).checkpoint_bytes, bytes, 1e-12);
    o.parallel.tuning = EC_TUNING_LORA;
    CHECK(ask(p, "bert_large", H100, &o).checkpoint_bytes < 0.1 * bytes);
    ec_predictor_free(p);
}

TEST(a_job_that_cannot_get_on_says_so)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_days();
    struct ec_prediction r;
    struct ec_err err = { 0 };

    o.mtbf = "1min";
    r = ask(p, "resnet50", H100, &o);
    CHECK(r.restarts_ns == 0);
    CHECK(r.n_warnings > 0 && strstr(r.warnings[r.n_warnings - 1], "restarts are not in it"));
    o.mtbf = "often";
    CHECK_FAILS(ec_predict_network(p, "resnet50", H100, &o, &r, &err), EC_E_INPUT, "--mtbf");
    o.mtbf = "-3h";
    CHECK_FAILS(ec_predict_network(p, "resnet50", H100, &o, &r, &err), EC_E_INPUT, "--mtbf");
    o.mtbf = NULL;
    o.spot_life = "0h";
    CHECK_FAILS(ec_predict_network(p, "resnet50", H100, &o, &r, &err), EC_E_INPUT, "--spot-life");
    ec_predictor_free(p);
}
