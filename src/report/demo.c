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
#define GRID_SHARE 0.5
#define LAYERS_SHARE 0.25
enum { FEWEST_CONFIGS = 6, LAYERS = 24, FOLDS = 4 };
#define LAYER_OPS "conv2d,linear,relu,batch_norm,max_pool2d"
#define FEATURES "depth,base_filters,batch_size"
/* Where the catalogue has not this processor: a processor with published peak and bandwidth, which
 * the measurements then move. */
#define STAND_IN "cpu-2x-e5-2630v3"
/* The engine compiles its plan, so that nothing is issued kernel by kernel as in eager frameworks.
 */
#define FRAMEWORK "pytorch-compiled"

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
    .samples = 640, .network = "resnet18:image=32", .batch = 16, .max_flop = 2e9,
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
    const char *table; /* of the grid */
    const char *device;
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

static enum ec_status measure_layers(struct demo *d, const char *path, struct ec_err *err)
{
    struct ec_sample_opts draw = { .count = LAYERS, .seed = d->o->seed, .zoo_percent = 50 };
    struct ec_campaign_item items[LAYERS];
    struct ec_sampled_list drawn = { 0 };
    const struct ec_field names = { .name = "op", .type = EC_F_STRS };
    struct ec_strs ops = { 0 };
    enum ec_status st;
    int i;

    tell(d, "Timing up to %d single layers, drawn as real networks have them.", (int)LAYERS);
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
    EC_TRY(run_items(d, path, items, i, d->o->budget_s * LAYERS_SHARE, err));
    d->ret->n_layers = (int)(d->m->n_added + d->m->n_known);
out:
    ec_sampled_clear(&drawn);
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
        .device = d->device,
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
    tell(d, "  measured %.4g s per %s: %s the interval, %+.0f %% from the median.", u->measured,
         u->quantity, u->measured >= u->p05 && u->measured <= u->p95 ? "inside" : "outside",
         100 * (u->measured / u->p50 - 1));
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

/* What the predictor is asked for a phase; NULL: it is not asked. */
static const char *mode_of(const char *phase, int *ret_phase)
{
    int p;

    *ret_phase = -1;
    if (ec_str_eq(phase, "step"))
        return "training_step";
    for (p = EC_FORWARD; p <= EC_GRAD_WEIGHT; p++)
        if (ec_str_eq(phase, ec_phase_name((enum ec_phase)p))) {
            *ret_phase = p;
            return p == EC_FORWARD ? "forward" : "forward_backward";
        }
    return NULL;
}

/* Rows of layers, or the step of a network, that were measured; noisy ones too: the machine may
 * have other work, and what was measured is all there is. */
static enum ec_status take_rows(struct demo *d, const char *path, bool networks,
                                struct ec_measured_list *l, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec_csv_read(path, &csv, err));
    for (i = 0; i < csv.n_rows; i++) {
        const char *phase = ec_csv_cell(&csv, i, ec_csv_col(&csv, "phase"));
        const char *what = ec_csv_cell(&csv, i, ec_csv_col(&csv, "what"));
        struct ec_measured m = { .layout = "demo",
                                 .is_network = networks,
                                 .precision = "fp32",
                                 .memory_format = "channels-first",
                                 .optimizer = networks ? "sgd" : "none",
                                 .activation = "none",
                                 .family = networks ? "network" : "operator" };

        m.mode = mode_of(phase, &m.phase);
        m.time_ns = median_of(d, ec_csv_cell(&csv, i, ec_csv_col(&csv, "samples_ns")));
        if (!m.mode || m.time_ns <= 0 || (networks && m.phase >= 0))
            continue;
        m.batch = networks ? (int64_t)number(&csv, i, "batch") : 0;
        m.what = ec_arena_str(&d->a, what);
        if (!m.what)
            EC_TRY(ec_nomem(err));
        EC_TRY(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err));
        l->v[l->n++] = m;
    }
out:
    ec_csv_clear(&csv);
    return st;
}

static enum ec_status take_grid(struct demo *d, struct ec_measured_list *l, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec_csv_read(d->table, &csv, err));
    for (i = 0; i < csv.n_rows; i++) {
        struct ec_measured m = { .layout = "demo",
                                 .is_network = true,
                                 .precision = "fp32",
                                 .memory_format = "channels-first",
                                 .optimizer = "adam",
                                 .mode = "training_step",
                                 .activation = "none",
                                 .family = "cifar_cnn",
                                 .phase = -1 };
        double steps = number(&csv, i, "steps_per_epoch");

        m.what = ec_arena_printf(&d->a, "cifar_cnn:depth=%.0f,base_filters=%.0f",
                                 number(&csv, i, "depth"), number(&csv, i, "base_filters"));
        if (!m.what)
            EC_TRY(ec_nomem(err));
        m.batch = (int64_t)number(&csv, i, "batch_size");
        m.time_ns = steps > 0 ? number(&csv, i, "time_per_epoch") * NS_PER_S / steps : 0;
        EC_TRY(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err));
        if (m.time_ns > 0)
            l->v[l->n++] = m;
    }
out:
    ec_csv_clear(&csv);
    return st;
}

static enum ec_status calibrate(struct demo *d, const char *layers, struct ec_predictor *p,
                                struct ec_err *err)
{
    struct ec_measured_list l = { 0 };
    struct ec_calibrated_row *rows = NULL;
    struct ec_profile profile;
    int left_out = 0, n = 0, i;
    enum ec_status st;

    EC_TRY(take_rows(d, layers, false, &l, err));
    EC_TRY(take_grid(d, &l, err));
    for (i = 0; i < l.n; i++) {
        if (l.v[i].time_ns <= 0)
            continue;
        l.v[n] = l.v[i];
        l.v[n].device = d->device;
        l.v[n].framework = FRAMEWORK;
        l.v[n].row = n;
        n++;
    }
    tell(d, "Adapting the predictor to this machine by %d times of layers and networks, from %s.",
         n, d->device);
    EC_TRY(ec_calibrate(p, d->device, l.v, n, &profile, &rows, &left_out, err));
    tell(d, "  median error of those times %.0f %% before, %.0f %% after",
         100 * profile.error_before, 100 * profile.error_after);
out:
    ec_free(rows);
    ec_measured_clear(&l);
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
    EC_TRY(ec_predict_network(p, d->size->network, d->device, &o, &r, err));
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

static enum ec_status unseen_network(struct demo *d, const char *layers, struct ec_err *err)
{
    struct ec_demo_unseen *u = &d->ret->unseen[d->ret->n_unseen];
    struct ec_campaign_item item = { .kind = EC_CAMPAIGN_NETWORK, .what = d->size->network };
    struct ec_measured_list l = { 0 };
    struct ec_predictor *p = NULL;
    const char *path = NULL;
    enum ec_status st;

    item.opts = (struct ec_graph_opts){ .struct_size = sizeof item.opts, .batch = d->size->batch };
    item.optimizer = EC_OPT_sgd;
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(calibrate(d, layers, p, err));
    EC_TRY(predict_network(d, p, u, err));
    EC_TRY(path_of(d, "unseen/network.csv", &path, err));
    EC_TRY(run_items(d, path, &item, 1, 0, err));
    if (stopped(d))
        goto out;
    EC_TRY(take_rows(d, path, true, &l, err));
    if (l.n)
        u->measured = l.v[l.n - 1].time_ns / NS_PER_S;
    if (u->measured > 0)
        show_unseen(d, u);
    else
        tell(d, "  it could not be measured.");
out:
    ec_measured_clear(&l);
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

static enum ec_status choose_device(struct demo *d)
{
    const struct ec_device *own = NULL;

    d->device = STAND_IN;
    if (d->m->base.device && !ec_device_find(d->m->base.device, &own, NULL))
        d->device = ec_device_key(own);
    else
        tell(d,
             "%s is not in the catalogue of devices: predictions begin from %s and are moved by "
             "what is measured.",
             d->m->base.device_name ? d->m->base.device_name : "This processor", STAND_IN);
    return EC_OK;
}

static enum ec_status run(struct demo *d, struct ec_err *err)
{
    const char *layers = NULL, *unseen = NULL;
    enum ec_status st;

    EC_TRY(make_folder(d->o->dir, err));
    EC_TRY(path_of(d, "unseen", &unseen, err));
    EC_TRY(make_folder(unseen, err));
    EC_TRY(path_of(d, "layers.csv", &layers, err));
    EC_TRY(choose_device(d));
    EC_TRY(measure_grid(d, err));
    if (stopped(d))
        goto out;
    EC_TRY(measure_layers(d, layers, err));
    if (stopped(d))
        goto out;
    EC_TRY(judge_grid(d, err));
    EC_TRY(unseen_config(d, err));
    if (stopped(d))
        goto out;
    EC_TRY(unseen_network(d, layers, err));
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
                      .predicted = EC_BUF_INIT };
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    ec_buf_str(&d.predicted, "set,what,quantity,measured,predicted\n");
    st = run(&d, err);
    ec_buf_clear(&d.predicted);
    ec_arena_clear(&d.a);
    return st;
}
