/* Baselines: what must hold between them, whatever the constants. */
#include "ask.h"
#include "predict/predict_internal.h"

#include <stdio.h>

enum { ROOFLINE = 1, FLOP, JUSTUS_SUM, PRACTICUM_1, PRACTICUM_2, PRACTICUM_3, N_METHODS };

static double by(struct ec_predictor *p, int method, const char *model)
{
    struct ec_predict_opts o = options(32);
    struct ec_err err = { 0 };
    double ns = 0;

    CHECK_OK(ec_method_ns(p, method, model, NULL, "t4", &o, &ns, &err));
    CHECK(isfinite(ns) && ns > 0);
    return ns;
}

TEST(every_method_has_its_words)
{
    int i, j;

    for (i = 0; ec_method_names[i]; i++) {
        CHECK(ec_method_help(i)[0] != '\0');
        for (j = 0; j < i; j++)
            CHECK(!ec_str_eq(ec_method_names[i], ec_method_names[j]));
    }
    CHECK_INT(i, N_METHODS);
    CHECK_STR(ec_method_names[EC_METHOD_OWN], "epochcast");
    CHECK_STR(ec_method_names[PRACTICUM_3], "practicum-3");
}

TEST(own_method_is_the_prediction)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(32);
    struct ec_prediction r = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_predict_network(p, "mnist_cnn", "t4", &o, &r, &err));
    CHECK_NEAR(by(p, EC_METHOD_OWN, "mnist_cnn"), r.step_time_ns.p50, 1e-12);
    ec_predictor_free(p);
}

TEST(arithmetic_alone_is_no_more_than_the_roofline)
{
    struct ec_predictor *p = predictor();

    CHECK(by(p, FLOP, "resnet18") <= by(p, ROOFLINE, "resnet18"));
    ec_predictor_free(p);
}

TEST(compositions_follow_from_one_sum)
{
    struct ec_predictor *p = predictor();
    double sum = by(p, JUSTUS_SUM, "mnist_cnn"), third = by(p, PRACTICUM_3, "mnist_cnn");

    CHECK_NEAR(by(p, PRACTICUM_1, "mnist_cnn"), sum, 1e-12);
    CHECK_NEAR(by(p, PRACTICUM_2, "mnist_cnn"), sum, 1e-12);
    CHECK(third < sum && third > sum / 1.5);
    ec_predictor_free(p);
}

TEST(strategies_weigh_on_each_layer_or_on_the_last)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(32);
    struct ec_err err = { 0 };
    double ns[N_METHODS] = { 0 };
    int m;

    o.devices = 2;
    CHECK_OK(ec_predict_opts_set(&o, "framework", "tensorflow-2", &err));
    for (m = JUSTUS_SUM; m < N_METHODS; m++)
        CHECK_OK(ec_method_ns(p, m, "mnist_cnn", NULL, "p100-pcie-16gb", &o, &ns[m], &err));
    CHECK(ns[PRACTICUM_1] > ns[PRACTICUM_2] && ns[PRACTICUM_2] > ns[JUSTUS_SUM]);
    CHECK(ns[PRACTICUM_3] < ns[PRACTICUM_2]);
    o.batch = 0;
    o.global_batch = 64; /* the same, said otherwise */
    for (m = JUSTUS_SUM; m < N_METHODS; m++) {
        double again = 0;

        CHECK_OK(ec_method_ns(p, m, "mnist_cnn", NULL, "p100-pcie-16gb", &o, &again, &err));
        CHECK_NEAR(again, ns[m], 1e-12);
    }
    ec_predictor_free(p);
}

TEST(sums_hold_the_optimizer_of_each_layer)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(32);
    struct ec_err err = { 0 };
    double sgd = 0, adam = 0;

    CHECK_OK(ec_method_ns(p, JUSTUS_SUM, "resnet18", NULL, "t4", &o, &sgd, &err));
    o.cond.optimizer = EC_OPT_adam;
    CHECK_OK(ec_method_ns(p, JUSTUS_SUM, "resnet18", NULL, "t4", &o, &adam, &err));
    CHECK(adam > sgd);
    ec_predictor_free(p);
}

TEST(sums_want_networks)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(0);
    struct ec_err err = { 0 };
    double ns = 0;

    CHECK_INT(ec_method_ns(p, JUSTUS_SUM, NULL, "relu x=32x64", "t4", &o, &ns, &err), EC_E_INPUT);
    CHECK_HAS(err.text, "network");
    ec_predictor_free(p);
}

TEST(only_our_own_prediction_has_a_host)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(4);
    struct ec_err err = { 0 };
    double ns = 0;
    int i;

    o.host = "reference";
    CHECK_OK(ec_method_ns(p, EC_METHOD_OWN, "resnet18", NULL, "t4", &o, &ns, &err));
    for (i = 0; ec_method_names[i]; i++)
        if (i != EC_METHOD_OWN) {
            CHECK_INT(ec_method_ns(p, i, "resnet18", NULL, "t4", &o, &ns, &err), EC_E_INPUT);
            CHECK_HAS(err.text, "has no host");
        }
    ec_predictor_free(p);
}

TEST(replaced_times_hold_together)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(32);
    struct ec_prediction r = { 0 };
    struct ec_err err = { 0 };

    o.samples = 3200;
    o.epochs = 3;
    CHECK_OK(ec_predict_network(p, "mnist_cnn", "t4", &o, &r, &err));
    ec_method_replace(&r, 2e6);
    CHECK_NEAR(r.step_time_ns.p50, 2e6, 1e-12);
    CHECK(isnan(r.step_time_ns.p05) && isnan(r.step_time_ns.p95)); /* of a baseline nobody knows */
    CHECK_NEAR(r.epoch_time_ns.p50, 2e8, 1e-9);
    CHECK_NEAR(r.job_time_ns.p50, 6e8, 1e-9);
    CHECK_NEAR(r.samples_per_s.p50, 16000, 1e-9);
    ec_predictor_free(p);
}

TEST(a_number_without_interval_has_no_note_on_one)
{
    struct ec_prediction r = {
        .n_warnings = 3, .step_time_ns = {1, 2, 3}
    };

    (void)snprintf(r.warnings[0], sizeof r.warnings[0], "one");
    (void)snprintf(r.warnings[1], sizeof r.warnings[1], "%sof something", EC_NOTE_INTERVAL);
    (void)snprintf(r.warnings[2], sizeof r.warnings[2], "three");
    ec_method_replace(&r, 5);
    CHECK_INT(r.n_warnings, 2);
    CHECK_STR(r.warnings[0], "one");
    CHECK_STR(r.warnings[1], "three");
}

static struct ec_record relu_row(void)
{
    struct ec_record r;

    ec_record_init(&r);
    ec_record_set_word(&r, EC_WORD_MODE, "forward");
    ec_record_set_word(&r, EC_WORD_OPTIMIZER, "sgd");
    ec_record_default(&r);
    r.source.mapping = "row";
    r.what = "relu x=32x64";
    r.family = "relu";
    r.device = "t4";
    r.phase = EC_FORWARD;
    r.time = (struct ec_reading){ 1e4, true };
    return r;
}

TEST(rows_a_method_cannot_do_are_dropped)
{
    struct ec_predictor *p = predictor();
    struct ec_record row = relu_row();
    struct ec_judged_list l = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_judge(p, &row, 1, &l, &err));
    CHECK_INT(l.n, 1);
    CHECK_OK(ec_judge_by(p, ROOFLINE, &l, &err));
    CHECK_INT(l.n, 1);
    CHECK_NEAR(l.v[0].ns.p50, l.v[0].plain.roofline_ns, 1e-12);
    CHECK_OK(ec_judge_by(p, JUSTUS_SUM, &l, &err));
    CHECK_INT(l.n, 0);
    CHECK_INT(l.n_other, 1);
    ec_free(l.v);
    ec_predictor_free(p);
}
