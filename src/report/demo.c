/* The demonstration: calls what the commands call, in their order. */
#include "report/demo.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hw/hw.h"
#include "learn/learn.h"
#include "predict/predict.h"
#include "report/results.h"

#define NS_PER_S 1e9
#define GRID_SHARE 0.5 /* of the budget at most; ceilings and layers may take what is left */
#define CEILINGS_SHARE 0.1
#define LAYERS_SHARE 0.9
#define LAYER_S 0.35 /* for one phase of a layer: many layers tell more than one well known */
enum { FEWEST_CONFIGS = 6, LAYERS = 320, LAYER_RUNS = 20, FOLDS = 4 };
/* One that stands twice is drawn twice as often. */
#define LAYER_OPS "conv2d,batch_norm,conv2d,relu,conv2d,linear,conv2d,add,conv2d,max_pool2d,softmax"
#define FEATURES "depth,base_filters,batch_size"
#define DEVICE "this"
#define FRAMEWORK "epochcast"

/* The grid, and what lies between its points. */
struct size {
    struct ec_config_axes axes, between;
    int64_t samples;
    const char *network; /* of another kind */
    int64_t batch;
    double max_flop; /* of a layer */
};

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
static const struct size whole = {
    .axes = AXES(INTS(2, 3), INTS(8, 16, 32), INTS(16, 32, 64)),
    .between = AXES(INTS(3), INTS(24), INTS(48)),
    .samples = 640, .network = "resnet18", .batch = 4, .max_flop = 6e9,
};
static const struct size small = {
    .axes = AXES(INTS(1, 2), INTS(1, 2), INTS(4, 8)),
    .between = AXES(INTS(2), INTS(2), INTS(6)),
    .samples = 24, .network = "lenet5", .batch = 4, .max_flop = 2e7,
};
/* clang-format on */

struct demo {
    struct ec_measurer *m;
    const struct ec_demo_opts *o;
    const struct size *size;
    struct ec_demo_result *ret;
    struct ec_arena a;
    const char *table;   /* of the grid */
    const char *profile; /* of this machine, made of its layers */
    int64_t start_ns;
    struct ec_buf predicted; /* what was predicted and measured, as CSV */
};

static void tell(const struct demo *d, const char *fmt, ...) EC_PRINTF(2, 3);

static void tell(const struct demo *d, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    if (!d->o->tell)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    d->o->tell(d->o->user, text);
}

static bool stopped(const struct demo *d)
{
    d->ret->stopped = d->ret->stopped || (d->m->stop && d->m->stop());
    return d->ret->stopped;
}

static enum ec_status path_of(struct demo *d, const char *name, const char **ret,
                              struct ec_err *err)
{
    *ret = ec_arena_printf(&d->a, "%s/%s", d->o->dir, name);
    return *ret ? EC_OK : ec_nomem(err);
}

static enum ec_status make_folder(const char *path, struct ec_err *err)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return ec_fail(err, EC_E_IO, "%s: cannot make the folder: %s", path, strerror(errno));
    return EC_OK;
}

/* --- Grid --- */

static enum ec_status train_grid(struct demo *d, const struct ec_config_axes *axes,
                                 const char *path, const char *curves, double budget_s,
                                 int *ret_rows, struct ec_err *err)
{
    struct ec_configs c = { .axes = axes, .data = "synthetic", .samples = { .val_frac = 0.125 } };
    struct ec_campaign campaign = { .seed = d->o->seed, .n_shards = 1, .budget_s = budget_s };
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    struct ec_campaign_item *items;
    enum ec_status st;
    int i;

    EC_TRY(ec_fields_default(ec_train_fields, &c.train, &d->a, err));
    c.threads = ec_engine_threads(d->m->ctx);
    c.train.epochs = 2;
    c.train.seed = (int64_t)d->o->seed;
    c.samples.limit = d->size->samples;
    EC_TRY(ec_configs_open(&c, path, curves, err));
    items = ec_arena_alloc(&d->a, sizeof *items * (size_t)c.n);
    if (!items)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < c.n; i++) {
        items[i].kind = EC_CAMPAIGN_CONFIG;
        items[i].what = axes->family;
        items[i].configs = &c;
        items[i].config = &c.v[i];
    }
    campaign.items = items;
    campaign.n_items = c.n;
    d->m->n_added = d->m->n_known = d->m->n_failed = 0;
    EC_TRY(ec_campaign_run(d->m, &campaign, &end, err));
    *ret_rows = (int)(d->m->n_added + d->m->n_known);
out:
    ec_configs_clear(&c);
    return st;
}

static enum ec_status measure_grid(struct demo *d, struct ec_err *err)
{
    const char *curves = NULL;
    enum ec_status st;

    tell(d,
         "Training small CNNs on this machine: %d configurations of depth, filters and batch, two "
         "epochs of %lld made-up images each.",
         d->size->axes.value[0].n * d->size->axes.value[1].n * d->size->axes.batch.n,
         (long long)d->size->samples);
    EC_TRY(path_of(d, "configs_cifar_cnn.csv", &d->table, err));
    EC_TRY(path_of(d, "curves.csv", &curves, err));
    EC_TRY(train_grid(d, &d->size->axes, d->table, curves, d->o->budget_s * GRID_SHARE,
                      &d->ret->n_configs, err));
    if (!stopped(d) && d->ret->n_configs < FEWEST_CONFIGS)
        st = ec_fail(err, EC_E_INPUT,
                     "%d configurations were measured before the budget of %g s ended, and %d are "
                     "needed to fit: run it again to go on, or give a larger budget",
                     d->ret->n_configs, d->o->budget_s, (int)FEWEST_CONFIGS);
out:
    return st;
}

/* --- Layers --- */

static double left_s(const struct demo *d)
{
    double left = d->o->budget_s - (double)(ec_clock_ns() - d->start_ns) / NS_PER_S;

    return left > 1 ? left : 1;
}

static enum ec_status run_items(struct demo *d, const char *path,
                                const struct ec_campaign_item *items, int n, double budget_s,
                                struct ec_err *err)
{
    struct ec_campaign campaign = {
        .items = items, .n_items = n, .seed = d->o->seed, .n_shards = 1, .budget_s = budget_s
    };
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    enum ec_status st;

    d->m->n_added = d->m->n_known = 0;
    EC_TRY(ec_row_file_open(path, &d->m->file, err));
    EC_TRY(ec_campaign_run(d->m, &campaign, &end, err));
out:
    ec_row_file_close(d->m->file);
    d->m->file = NULL;
    return st;
}

static enum ec_status measure_ceilings(struct demo *d, const char *path, struct ec_err *err)
{
    struct ec_strs names = { 0 };
    struct ec_campaign_item *items;
    enum ec_status st;
    int i;

    tell(d, "Looking how fast this machine computes and copies.");
    EC_TRY(ec_ceilings(d->m, &d->a, &names, err));
    items = ec_arena_alloc(&d->a, sizeof *items * (size_t)(names.n + 1));
    if (!items)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < names.n; i++) {
        items[i].kind = EC_CAMPAIGN_CEILING;
        items[i].what = names.v[i];
    }
    EC_TRY(run_items(d, path, items, names.n, d->o->budget_s * CEILINGS_SHARE, err));
out:
    return st;
}

static enum ec_status measure_layers(struct demo *d, const char *path, struct ec_err *err)
{
    struct ec_sample_opts draw = { .count = LAYERS, .seed = d->o->seed, .zoo_percent = 50 };
    struct ec_campaign_item items[LAYERS];
    struct ec_sampled_list drawn = { 0 };
    const struct ec_field names = { .name = "op", .type = EC_F_STRS };
    struct ec_strs ops = { 0 };
    enum ec_status st;
    int i;

    tell(d, "Timing up to %d single layers, drawn as real networks have them, for up to %.0f s.",
         (int)LAYERS, left_s(d) * LAYERS_SHARE);
    draw.limits.max_flop = d->size->max_flop;
    draw.limits.max_bytes = 1e8;
    memset(items, 0, sizeof items);
    EC_TRY(ec_field_set(&names, &ops, ec_span_of(LAYER_OPS), &d->a, err));
    EC_TRY(ec_ops_named(&ops, &d->a, &draw.ops, &draw.n_ops, err));
    EC_TRY(ec_sample_cases(&draw, &drawn, err));
    for (i = 0; i < drawn.n && i < LAYERS; i++) {
        items[i].kind = EC_CAMPAIGN_LAYER;
        items[i].what = drawn.v[i].text;
        items[i].optimizer = EC_OPT_sgd;
        items[i].methods = EC_LAYER_SEPARATED;
    }
    EC_TRY(run_items(d, path, items, i, left_s(d) * LAYERS_SHARE, err));
    d->ret->n_layers = (int)(d->m->n_added + d->m->n_known);
out:
    ec_sampled_clear(&drawn);
    return st;
}

/* Ceilings and layers, and the profile that they make. */
static enum ec_status know_machine(struct demo *d, struct ec_err *err)
{
    struct ec_protocol usual = d->m->protocol;
    const char *path[2] = { NULL, NULL };
    struct ec_local local = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(path_of(d, "ceilings.csv", &path[0], err));
    EC_TRY(path_of(d, "layers.csv", &path[1], err));
    EC_TRY(path_of(d, "this.json", &d->profile, err));
    d->m->protocol.budget_s = usual.budget_s < LAYER_S ? usual.budget_s : LAYER_S;
    d->m->protocol.max_runs = LAYER_RUNS;
    EC_TRY(measure_ceilings(d, path[0], err));
    if (!stopped(d))
        EC_TRY(measure_layers(d, path[1], err));
    if (stopped(d))
        goto out;
    EC_TRY(ec_local_make(DEVICE, path, EC_LEN(path), 0, &local, err));
    (void)snprintf(local.profile.source, sizeof local.profile.source, "epochcast demo");
    ec_local_json(&local, &text);
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(ec_file_write(d->profile, text.data, text.len, err));
    tell(d, "  %d times of layers make a profile of this machine: %s",
         ec_layers_count(local.layers), d->profile);
out:
    d->m->protocol = usual;
    ec_local_clear(&local);
    ec_buf_clear(&text);
    return st;
}

/* --- Fitting --- */

static void put_predicted(struct demo *d, const char *set, const char *what, double measured,
                          double p50)
{
    ec_buf_printf(&d->predicted, "%s,", set);
    ec_csv_put(&d->predicted, what);
    ec_buf_printf(&d->predicted, ",time_s,%.6g,%.6g\n", measured, p50);
}

static struct ec_grid_opts grid_opts(const struct demo *d)
{
    return (struct ec_grid_opts){
        .table = d->table,
        .target = "time_per_epoch",
        .features = FEATURES,
        .network = "cifar_cnn",
        .device = DEVICE,
        .profile = d->profile,
        .precision = "fp32",
        .framework = FRAMEWORK,
        .optimizer = "adam",
        .split = "kfold",
        .folds = FOLDS,
        .seed = (int64_t)d->o->seed,
    };
}

static enum ec_status judge_grid(struct demo *d, struct ec_err *err)
{
    static const char *const names[][2] = {
        {"linear", "a linear regression"},
        { "ann",   "a dense network"    },
        { "ours",  "epochcast"          }
    };
    struct ec_grid_opts o = grid_opts(d);
    struct ec_grid_fit f = { 0 };
    enum ec_status st;
    int i, k;

    tell(d,
         "Fitting time per epoch to %d configurations; each is judged by a fit that had not "
         "seen it.",
         d->ret->n_configs);
    EC_TRY(ec_grid_compare(&o, &f, err));
    for (k = 0; k < f.n; k++) {
        const char *name = f.v[k].family;

        for (i = 0; i < EC_LEN(names); i++)
            name = ec_str_eq(f.v[k].family, names[i][0]) ? names[i][1] : name;
        tell(d, "  %s: mean error %.1f %%, MAE %.3g s/epoch, R2 %.3f%s", name,
             100 * f.v[k].m.mean_ape, f.v[k].m.mae, f.v[k].m.r2, f.v[k].best ? "  (best)" : "");
        for (i = 0; ec_str_eq(f.v[k].family, "ours") && i < f.n_rows; i++)
            if (f.tested[i])
                put_predicted(d, "held-out configuration", "cifar_cnn", f.measured[i],
                              f.v[k].predicted[i]);
    }
out:
    ec_grid_fit_clear(&f);
    return st;
}

/* --- What was not measured yet --- */

static double number(const struct ec_csv *csv, int row, const char *column)
{
    double v = 0;

    (void)ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec_csv_col(csv, column))), &v);
    return v;
}

static void show_unseen(struct demo *d, struct ec_demo_unseen *u)
{
    tell(d, "  measured %.4g s per %s: %s the interval, the prediction is %+.0f %% off.",
         u->measured, u->quantity,
         u->measured >= u->p05 && u->measured <= u->p95 ? "inside" : "outside",
         100 * (u->p50 / u->measured - 1));
    put_predicted(d, "unseen", u->what, u->measured, u->p50);
    d->ret->n_unseen++;
}

static enum ec_status predict_config(struct demo *d, struct ec_demo_unseen *u, struct ec_err *err)
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
    tell(d, "Predicting a configuration that was not run, %s: %.3g s per epoch (%.3g to %.3g).",
         u->what, u->p50, u->p05, u->p95);
out:
    ec_grid_answers_clear(&answers);
    return st;
}

static enum ec_status unseen_config(struct demo *d, struct ec_err *err)
{
    struct ec_demo_unseen *u = &d->ret->unseen[d->ret->n_unseen];
    struct ec_csv csv = { 0 };
    const char *path = NULL;
    int n = 0;
    enum ec_status st;

    EC_TRY(predict_config(d, u, err));
    EC_TRY(path_of(d, "unseen/config.csv", &path, err));
    EC_TRY(train_grid(d, &d->size->between, path, NULL, 0, &n, err));
    if (!n || stopped(d))
        goto out;
    EC_TRY(ec_csv_read(path, &csv, err));
    u->measured = number(&csv, 0, "time_per_epoch");
    show_unseen(d, u);
out:
    ec_csv_clear(&csv);
    return st;
}

/* Median of numbers joined by blanks; 0: none. */
static double median_of(struct demo *d, const char *samples)
{
    struct ec_span rest = ec_span_of(samples), word;
    double *v = ec_arena_alloc(&d->a, sizeof *v * (strlen(samples) / 2 + 1));
    int n = 0;

    while (v && rest.len && ec_span_cut(&rest, ' ', &word))
        n += ec_parse_double(word, &v[n]);
    return n ? ec_quantile_inplace(v, n, 0.5) : 0;
}

/* Seconds of the step in a measurement file, noisy or not: the machine may have other work, and
 * what was measured is all there is. 0: none. */
static enum ec_status measured_step(struct demo *d, const char *path, double *ret,
                                    struct ec_err *err)
{
    const char *samples = d->m->base.thread_clock ? "device_samples_ns" : "samples_ns";
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int i;

    *ret = 0;
    EC_TRY(ec_csv_read(path, &csv, err));
    for (i = 0; i < csv.n_rows; i++)
        if (ec_str_eq(ec_csv_cell(&csv, i, ec_csv_col(&csv, "phase")), "step"))
            *ret = median_of(d, ec_csv_cell(&csv, i, ec_csv_col(&csv, samples))) / NS_PER_S;
out:
    ec_csv_clear(&csv);
    return st;
}

static enum ec_status predict_network(struct demo *d, struct ec_predictor *p,
                                      struct ec_demo_unseen *u, struct ec_err *err)
{
    struct ec_prediction r = { .struct_size = sizeof r };
    struct ec_predict_opts o;
    enum ec_status st;

    ec_predict_opts_default(&o);
    o.batch = d->size->batch;
    EC_TRY(ec_predict_opts_set(&o, "framework", FRAMEWORK, err));
    EC_TRY(ec_predict_opts_set(&o, "optimizer", "sgd", err));
    EC_TRY(ec_predict_network(p, d->size->network, DEVICE, &o, &r, err));
    (void)snprintf(u->what, sizeof u->what, "%s, batch %lld", d->size->network,
                   (long long)d->size->batch);
    u->quantity = "step";
    u->p05 = r.step_time_ns.p05 / NS_PER_S;
    u->p50 = r.step_time_ns.p50 / NS_PER_S;
    u->p95 = r.step_time_ns.p95 / NS_PER_S;
    tell(d, "Predicting a network of another kind, %s: %.3g s per step (%.3g to %.3g).", u->what,
         u->p50, u->p05, u->p95);
out:
    return st;
}

static enum ec_status unseen_network(struct demo *d, struct ec_err *err)
{
    struct ec_demo_unseen *u = &d->ret->unseen[d->ret->n_unseen];
    struct ec_campaign_item item = { .kind = EC_CAMPAIGN_NETWORK, .what = d->size->network };
    struct ec_predictor *p = NULL;
    const char *path = NULL;
    enum ec_status st;

    item.opts = (struct ec_graph_opts){ .struct_size = sizeof item.opts, .batch = d->size->batch };
    item.optimizer = EC_OPT_sgd;
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predictor_use_profile(p, d->profile, err));
    EC_TRY(predict_network(d, p, u, err));
    EC_TRY(path_of(d, "unseen/network.csv", &path, err));
    EC_TRY(run_items(d, path, &item, 1, 0, err));
    if (stopped(d))
        goto out;
    EC_TRY(measured_step(d, path, &u->measured, err));
    if (u->measured > 0)
        show_unseen(d, u);
    else
        tell(d, "  it could not be measured.");
out:
    ec_predictor_free(p);
    return st;
}

/* --- Report --- */

static enum ec_status report(struct demo *d, struct ec_err *err)
{
    struct ec_results_opts o = { .dir = d->o->dir,
                                 .title = "epochcast on this machine",
                                 .precision = "fp32" };
    struct ec_results_done done;
    struct ec_strs notes = { 0 };
    const char *path = NULL;
    enum ec_status st;

    EC_TRY(path_of(d, "predicted.csv", &path, err));
    EC_TRY(ec_buf_status(&d->predicted, err));
    EC_TRY(ec_file_write(path, d->predicted.data, d->predicted.len, err));
    EC_TRY(path_of(d, "report", &o.out, err));
    EC_TRY(ec_results_report(&o, &d->a, &notes, &done, err));
    (void)snprintf(d->ret->report, sizeof d->ret->report, "%s/report.html", o.out);
out:
    return st;
}

static enum ec_status run(struct demo *d, struct ec_err *err)
{
    const char *unseen = NULL;
    enum ec_status st;

    EC_TRY(make_folder(d->o->dir, err));
    EC_TRY(path_of(d, "unseen", &unseen, err));
    EC_TRY(make_folder(unseen, err));
    EC_TRY(measure_grid(d, err));
    if (!stopped(d))
        EC_TRY(know_machine(d, err));
    if (stopped(d))
        goto out;
    EC_TRY(judge_grid(d, err));
    EC_TRY(unseen_config(d, err));
    if (!stopped(d))
        EC_TRY(unseen_network(d, err));
    if (!stopped(d))
        EC_TRY(report(d, err));
out:
    return st;
}

enum ec_status ec_demo_run(struct ec_measurer *m, const struct ec_demo_opts *o,
                           struct ec_demo_result *ret, struct ec_err *err)
{
    struct demo d = { .m = m,
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
    ec_arena_clear(&d.a);
    return st;
}
