/* The demonstration: calls what the commands call, in their order. demo_turns.c has the
 * measurements. */
#include "report/demo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "learn/learn.h"
#include "report/demo_internal.h"
#include "report/report_internal.h"
#include "report/results.h"

#define FRAMEWORK "epochcast"

#define INTS(...)                                                                                  \
    {                                                                                              \
        .n = sizeof((int[]){ __VA_ARGS__ }) / sizeof(int), .v = { __VA_ARGS__ }                    \
    }
#define AXES(depth_, filters_, batch_)                                                             \
    {                                                                                              \
        .family = "cifar_cnn", .n_params = 2, .param = { "depth", "base_filters" },                \
        .value = { depth_, filters_ }, .batch = batch_                                             \
    }

/* clang-format off */
static const struct ec__demo_size whole = {
    .axes = AXES(INTS(2, 3), INTS(8, 16, 32), INTS(16, 32, 64)),
    .between = AXES(INTS(3), INTS(24), INTS(48)),
    .samples = 640, .network = "resnet18", .batch = 4, .max_flop = 6e9,
};
static const struct ec__demo_size small = {
    .axes = AXES(INTS(1, 2), INTS(1, 2), INTS(4, 8)),
    .between = AXES(INTS(2), INTS(2), INTS(6)),
    .samples = 24, .network = "lenet5", .batch = 4, .max_flop = 2e7,
};
/* clang-format on */

static enum ec_status make_folder(const char *path, struct ec_err *err)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return ec_fail(err, EC_E_IO, "%s: cannot make the folder: %s", path, strerror(errno));
    return EC_OK;
}

/* --- Fitting --- */

static void put_predicted(struct ec__demo *d, const char *set, const char *what, double measured,
                          double p50)
{
    ec_buf_printf(&d->predicted, "%s,", set);
    ec_csv_put(&d->predicted, what);
    ec_buf_printf(&d->predicted, ",time_s,%.6g,%.6g\n", measured, p50);
}

static struct ec_grid_opts grid_opts(const struct ec__demo *d)
{
    return (struct ec_grid_opts){
        .table = d->table,
        .target = "time_per_epoch",
        .network = "cifar_cnn",
        .device = EC__DEMO_DEVICE,
        .profile = d->profile,
        .precision = "fp32",
        .framework = FRAMEWORK,
        .optimizer = "adam",
        .split = "kfold",
        .folds = d->ret->n_configs, /* each predicted by all the others */
        .seed = (int64_t)d->o->seed,
    };
}

static enum ec_status judge_grid(struct ec__demo *d, struct ec_err *err)
{
    static const char *const names[][2] = {
        {"linear", "a linear regression"},
        { "power", "a power law"        },
        { "ann",   "a dense network"    },
        { "ours",  "epochcast"          }
    };
    struct ec_grid_opts o = grid_opts(d);
    struct ec_grid_fit f = { 0 };
    char mae[EC__SECONDS_BYTES], r2[EC__R2_BYTES];
    enum ec_status st;
    int i, k;

    ec__demo_tell(
        d,
        "Fitting time per epoch to %d configurations; each is judged by a fit that had not "
        "seen it.",
        d->ret->n_configs);
    EC_TRY(ec_grid_compare(&o, &f, err));
    for (k = 0; k < f.n; k++) {
        const char *name = f.v[k].family;

        for (i = 0; i < EC_LEN(names); i++)
            name = ec_str_eq(f.v[k].family, names[i][0]) ? names[i][1] : name;
        ec__demo_tell(d, "  %s: mean error %.1f %%, MAE %s per epoch%s%s", name,
                      100 * f.v[k].m.mean_ape, ec__seconds(f.v[k].m.mae, mae),
                      ec__r2(&f.v[k].m, r2), f.v[k].best ? "  (best)" : "");
        for (i = 0; ec_str_eq(f.v[k].family, "ours") && i < f.n_rows; i++)
            if (f.tested[i])
                put_predicted(d, "held-out configuration", "cifar_cnn", f.measured[i],
                              f.v[k].predicted[i]);
    }
out:
    ec_grid_fit_clear(&f);
    return st;
}

/* --- What the fit has not seen --- */

static void show_unseen(struct ec__demo *d, struct ec_demo_unseen *u)
{
    char measured[EC__SECONDS_BYTES];

    ec__demo_tell(d, "  measured %s per %s: %s the interval, the prediction is %+.0f %% off.",
                  ec__seconds(u->measured, measured), u->quantity,
                  u->measured >= u->p05 && u->measured <= u->p95 ? "inside" : "outside",
                  100 * (u->p50 / u->measured - 1));
    put_predicted(d, "unseen", u->what, u->measured, u->p50);
    d->ret->n_unseen++;
}

static void tell_predicted(struct ec__demo *d, const char *kind, const struct ec_demo_unseen *u)
{
    char middle[EC__SECONDS_BYTES], low[EC__SECONDS_BYTES], high[EC__SECONDS_BYTES];

    ec__demo_tell(d, "Predicting %s, %s: %s per %s (%s to %s).", kind, u->what,
                  ec__seconds(u->p50, middle), u->quantity, ec__seconds(u->p05, low),
                  ec__seconds(u->p95, high));
}

static enum ec_status predict_config(struct ec__demo *d, struct ec_demo_unseen *u,
                                     struct ec_err *err)
{
    const struct ec_config_axes *at = &d->size->between;
    struct ec_grid_opts o = grid_opts(d);
    struct ec_grid_answers answers = { 0 };
    struct ec_strs set = { 0 };
    const struct ec_field one = { .name = "set", .type = EC_F_STRS };
    char text[64];
    enum ec_status st;
    int i;

    (void)snprintf(u->what, sizeof u->what, "cifar_cnn:depth=%lld,base_filters=%lld, batch %lld",
                   (long long)at->value[0].v[0], (long long)at->value[1].v[0],
                   (long long)at->batch.v[0]);
    u->kind = "configuration";
    u->quantity = "epoch";
    for (i = 0; i <= at->n_params; i++) {
        bool batch = i == at->n_params;

        (void)snprintf(text, sizeof text, "%s=%lld", batch ? "batch_size" : at->param[i],
                       (long long)(batch ? at->batch.v[0] : at->value[i].v[0]));
        EC_TRY(ec_field_set(&one, &set, ec_span_of(text), &d->a, err));
    }
    EC_TRY(ec_grid_whatif(&o, &set, 0, &answers, err));
    if (!answers.n)
        EC_TRY(ec_fail(err, EC_E_INPUT, "no answer for %s", u->what));
    u->p05 = answers.v[0].target.p05;
    u->p50 = answers.v[0].target.p50;
    u->p95 = answers.v[0].target.p95;
    tell_predicted(d, "the configuration put aside", u);
out:
    ec_grid_answers_clear(&answers);
    return st;
}

static enum ec_status unseen_config(struct ec__demo *d, struct ec_err *err)
{
    struct ec_demo_unseen *u = &d->ret->unseen[d->ret->n_unseen];

    EC_PASS(predict_config(d, u, err));
    EC_PASS(ec__demo_measure_unseen(d, err));
    if (ec__demo_stopped(d))
        return EC_OK;
    EC_PASS(ec__demo_unseen_epoch(d, &u->measured, err));
    show_unseen(d, u);
    return EC_OK;
}

/* Adjusts a prediction from layers to the state of the machine: other processes take a share of the
 * processor (`taken`), and the machine's speed varies (`drift`), independently of the layers'
 * errors. Predictions of configurations need no such adjustment, since their held-out rows were
 * measured in the same turns. */
static void widen(struct ec_demo_unseen *u, double taken, double drift)
{
    double lower = hypot(log(u->p50 / u->p05), EC_NORMAL_95 * drift);
    double upper = hypot(log(u->p95 / u->p50), EC_NORMAL_95 * drift);

    u->p05 = u->p50 * exp(-lower);
    u->p50 *= taken;
    u->p95 = u->p50 * exp(upper);
}

static enum ec_status predict_network(struct ec__demo *d, struct ec_predictor *p,
                                      struct ec_demo_unseen *u, struct ec_err *err)
{
    struct ec_prediction r = { .struct_size = sizeof r };
    struct ec_predict_opts o;
    double taken = 1;

    ec_predict_opts_default(&o);
    o.batch = d->size->batch;
    EC_PASS(ec_predict_opts_set(&o, "framework", FRAMEWORK, err));
    EC_PASS(ec_predict_opts_set(&o, "optimizer", "sgd", err));
    EC_PASS(ec_predict_network(p, d->size->network, EC__DEMO_DEVICE, &o, &r, err));
    (void)snprintf(u->what, sizeof u->what, "%s, batch %lld", d->size->network,
                   (long long)d->size->batch);
    u->kind = "network";
    u->quantity = "step";
    u->p05 = r.step_time_ns.p05 / EC__NS_PER_S;
    u->p50 = r.step_time_ns.p50 / EC__NS_PER_S;
    u->p95 = r.step_time_ns.p95 / EC__NS_PER_S;
    EC_PASS(ec__demo_taken(d, u->p50, &taken, err));
    widen(u, taken, d->drift);
    if (taken > 1.02)
        ec__demo_tell(d, "Others took the processor: layers take %.0f %% longer in the mean.",
                      100 * (taken - 1));
    tell_predicted(d, "a network of another kind", u);
    return EC_OK;
}

static enum ec_status unseen_network(struct ec__demo *d, struct ec_err *err)
{
    struct ec_demo_unseen *u = &d->ret->unseen[d->ret->n_unseen];
    struct ec_predictor *p = NULL;
    enum ec_status st;

    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predictor_use_profile(p, d->profile, err));
    EC_TRY(predict_network(d, p, u, err));
    EC_TRY(ec__demo_unseen_step(d, &u->measured, err));
    if (u->measured > 0)
        show_unseen(d, u);
    else
        ec__demo_tell(d, "  it could not be measured.");
out:
    ec_predictor_free(p);
    return st;
}

/* --- What a person can do with the result --- */

/* Errors below are those of a good prediction. */
#define GOOD 0.25

static void find_noise(struct ec__demo *d)
{
    d->ret->drift = d->drift;
    if (d->drift <= EC__DEMO_NOISY)
        return;
    (void)ec_snprintf(d->ret->noise, sizeof d->ret->noise,
                      "This machine was noisy: the same epoch took %.0f %% more or less, so these "
                      "errors say little about the predictions. End other programs and measure "
                      "again in another folder: `epochcast demo quiet`.",
                      100 * (exp(d->drift) - 1));
}

static void find_advice(struct ec__demo *d)
{
    const struct ec_demo_result *r = d->ret;
    char *out = d->ret->advice;
    size_t size = sizeof d->ret->advice;
    double worst = 0;
    bool inside = true;
    int i;

    for (i = 0; i < r->n_unseen; i++) {
        const struct ec_demo_unseen *u = &r->unseen[i];

        worst = fmax(worst, fabs(u->p50 / u->measured - 1));
        inside = inside && u->measured >= u->p05 && u->measured <= u->p95;
    }
    if (!r->n_unseen || *r->noise)
        return;
    if (inside && worst < GOOD)
        (void)ec_snprintf(out, size,
                          "Predictions hold on this machine, within %.0f %%: predict a network of "
                          "yours with `epochcast predict NETWORK --batch 8 --device this --profile "
                          "%.100s --framework epochcast`.",
                          100 * worst, d->profile);
    else
        (void)ec_snprintf(out, size,
                          "Predictions were off by up to %.0f %% here%s: use them to compare "
                          "settings rather than for the time itself, or give more time, "
                          "`epochcast demo --budget 600`, in another folder.",
                          100 * worst, inside ? "" : ", outside of their interval");
}

/* The findings of the report are the sentences of the terminal. */
static enum ec_status findings(struct ec__demo *d, struct ec_strs *ret, struct ec_err *err)
{
    const struct ec_demo_result *r = d->ret;
    char middle[EC__SECONDS_BYTES], low[EC__SECONDS_BYTES], high[EC__SECONDS_BYTES],
        measured[EC__SECONDS_BYTES];
    int i;

    if (*r->noise)
        EC_PASS(ec_strs_add(ret, &d->a, err, "%s", r->noise));
    for (i = 0; i < r->n_unseen; i++) {
        const struct ec_demo_unseen *u = &r->unseen[i];

        EC_PASS(ec_strs_add(
            ret, &d->a, err,
            "Held out, %s: predicted %s per %s (%s to %s), measured %s, %s the interval, %+.0f %%.",
            u->what, ec__seconds(u->p50, middle), u->quantity, ec__seconds(u->p05, low),
            ec__seconds(u->p95, high), ec__seconds(u->measured, measured),
            u->measured >= u->p05 && u->measured <= u->p95 ? "inside" : "outside",
            100 * (u->p50 / u->measured - 1)));
    }
    if (*r->advice)
        EC_PASS(ec_strs_add(ret, &d->a, err, "%s", r->advice));
    return EC_OK;
}

/* --- Report --- */

static enum ec_status report(struct ec__demo *d, struct ec_err *err)
{
    struct ec_results_opts o = { .dir = d->o->dir,
                                 .title = "epochcast on this machine",
                                 .precision = "fp32" };
    struct ec_results_done done;
    struct ec_said said = { .arena = &d->a };
    struct ec_strs first = { 0 };
    const char *path = NULL;

    find_noise(d);
    find_advice(d);
    EC_PASS(findings(d, &first, err));
    o.first = &first;
    EC_PASS(ec__demo_path(d, "predicted.csv", &path, err));
    EC_PASS(ec_buf_status(&d->predicted, err));
    EC_PASS(ec_file_write(path, d->predicted.data, d->predicted.len, err));
    EC_PASS(ec__demo_path(d, "report", &o.out, err));
    EC_PASS(ec_results_report(&o, &d->a, &said, &done, err));
    (void)snprintf(d->ret->report, sizeof d->ret->report, "%s/report.html", o.out);
    return EC_OK;
}

static enum ec_status run(struct ec__demo *d, struct ec_err *err)
{
    const char *unseen = NULL;

    EC_PASS(make_folder(d->o->dir, err));
    EC_PASS(ec__demo_path(d, "unseen", &unseen, err));
    EC_PASS(make_folder(unseen, err));
    EC_PASS(ec__demo_measure(d, err));
    if (ec__demo_stopped(d))
        return EC_OK;
    EC_PASS(judge_grid(d, err));
    EC_PASS(unseen_config(d, err));
    if (!ec__demo_stopped(d))
        EC_PASS(unseen_network(d, err));
    if (!ec__demo_stopped(d))
        EC_PASS(report(d, err));
    return EC_OK;
}

enum ec_status ec_demo_run(struct ec_measurer *m, const struct ec_demo_opts *o,
                           struct ec_demo_result *ret, struct ec_err *err)
{
    struct ec__demo d = { .m = m,
                          .o = o,
                          .size = o->budget_s < EC_DEMO_SMALL_S ? &small : &whole,
                          .ret = ret,
                          .start_ns = ec_clock_ns(),
                          .predicted = EC_BUF_INIT };
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    ec_buf_str(&d.predicted, "set,what,quantity,measured,predicted\n");
    st = run(&d, err);
    ec_buf_clear(&d.predicted);
    ec_sampled_clear(&d.layers);
    ec_arena_clear(&d.a);
    return st;
}
