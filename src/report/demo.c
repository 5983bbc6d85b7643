/* The demonstration: calls what the commands call, in their order.
 *
 * A machine's speed moves, so all that is compared is measured in turns: a round of the grid with
 * the configuration that is to be predicted among the others, a part of the layers, a stretch of
 * the network. What is to be predicted goes to files of its own, which are read when it is
 * predicted. */
#include "report/demo.h"

#include <assert.h>
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
#define NORMAL_95 1.645
#define LAYER_S 0.35 /* for one phase of a layer: many layers tell more than one well known */
enum { FEWEST_CONFIGS = 6, LAYERS = 320, LAYER_RUNS = 20, FOLDS = 4, TURNS = 3 };
enum { GRID, NETWORK };
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
    const char *unseen_table;
    const char *unseen_network[TURNS]; /* measurement files */
    int64_t start_ns;
    double turn_s[2]; /* of the first turn: GRID, NETWORK */
    double drift;     /* standard deviation of the logarithm of the speed, between turns */
    struct ec_sampled_list layers;
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

static double left_s(const struct demo *d)
{
    double left = d->o->budget_s - (double)(ec_clock_ns() - d->start_ns) / NS_PER_S;

    return left > 1 ? left : 1;
}

/* --- Grid --- */

static enum ec_status open_grid(struct demo *d, const struct ec_config_axes *axes, const char *path,
                                const char *curves, struct ec_configs *c, struct ec_err *err)
{
    enum ec_status st;

    *c = (struct ec_configs){ .axes = axes, .data = "synthetic", .samples = { .val_frac = 0.125 } };
    EC_TRY(ec_fields_default(ec_train_fields, &c->train, &d->a, err));
    c->threads = ec_engine_threads(d->m->ctx);
    c->train.epochs = 2;
    c->train.seed = (int64_t)d->o->seed;
    c->samples.limit = d->size->samples;
    EC_TRY(ec_configs_open(c, path, curves, err));
out:
    return st;
}

static int add_configs(struct ec_configs *c, struct ec_campaign_item *items)
{
    int i;

    for (i = 0; i < c->n; i++)
        items[i] = (struct ec_campaign_item){
            .kind = EC_CAMPAIGN_CONFIG, .what = c->axes->family, .configs = c, .config = &c->v[i]
        };
    return c->n;
}

/* A round of the grid, what is to be predicted among it. */
static enum ec_status grid_turn(struct demo *d, int turn, struct ec_err *err)
{
    struct ec_configs grid = { 0 }, unseen = { 0 };
    struct ec_campaign_item items[64];
    struct ec_campaign campaign = { .items = items,
                                    .first_round = turn,
                                    .seed = d->o->seed,
                                    .n_shards = 1,
                                    .budget_s = d->o->budget_s * GRID_SHARE };
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    const char *curves = NULL;
    enum ec_status st;
    int64_t start_ns = ec_clock_ns();

    EC_TRY(path_of(d, "curves.csv", &curves, err));
    EC_TRY(open_grid(d, &d->size->axes, d->table, curves, &grid, err));
    EC_TRY(open_grid(d, &d->size->between, d->unseen_table, NULL, &unseen, err));
    assert(grid.n + unseen.n <= EC_LEN(items));
    campaign.n_items = add_configs(&grid, items);
    campaign.n_items += add_configs(&unseen, items + campaign.n_items);
    EC_TRY(ec_campaign_run(d->m, &campaign, &end, err));
    if (!turn)
        d->turn_s[GRID] = (double)(ec_clock_ns() - start_ns) / NS_PER_S;
out:
    ec_configs_clear(&grid);
    ec_configs_clear(&unseen);
    return st;
}

/* The unseen one is predicted anyway, so it is measured even when the budget has ended. */
static enum ec_status measure_unseen(struct demo *d, struct ec_err *err)
{
    struct ec_configs c = { 0 };
    enum ec_status st;

    EC_TRY(open_grid(d, &d->size->between, d->unseen_table, NULL, &c, err));
    EC_TRY(ec_measure_config(d->m, &c, &c.v[0], 0, err));
out:
    ec_configs_clear(&c);
    return st;
}

static double number(const struct ec_csv *csv, int row, const char *column)
{
    double v = 0;

    (void)ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec_csv_col(csv, column))), &v);
    return v;
}

/* Whether two rows are of one configuration. */
static bool same_config(const struct ec_csv *csv, int a, int b)
{
    static const char *const what[] = { "depth", "base_filters", "batch_size" };
    int i, col;

    for (i = 0; i < EC_LEN(what); i++) {
        col = ec_csv_col(csv, what[i]);
        if (!ec_str_eq(ec_csv_cell(csv, a, col), ec_csv_cell(csv, b, col)))
            return false;
    }
    return true;
}

/* The turn that a row is of, and the logarithm of its time over the median of its configuration. */
static int turn_of(const struct ec_csv *csv, int row, double *ret_log)
{
    double v[TURNS], own = number(csv, row, "time_per_epoch");
    int i, n = 0, turn = 0;

    for (i = 0; i < csv->n_rows && n < TURNS; i++) {
        turn = i == row ? n : turn;
        if (same_config(csv, i, row))
            v[n++] = number(csv, i, "time_per_epoch");
    }
    *ret_log = n > 1 ? log(own / ec_quantile_inplace(v, n, 0.5)) : 0;
    return turn;
}

/* How far the machine's speed moved: each turn's median over configurations, and their spread. */
static double drift_of(const struct ec_csv *csv, double *room)
{
    double sum = 0, sum_of_squares = 0;
    int turn, row, n, turns = 0;

    for (turn = 0; turn < TURNS; turn++) {
        double middle;

        for (row = n = 0; row < csv->n_rows; row++)
            n += turn_of(csv, row, &room[n]) == turn;
        if (!n)
            continue;
        middle = ec_quantile_inplace(room, n, 0.5);
        sum += middle;
        sum_of_squares += middle * middle;
        turns++;
    }
    return turns > 1 ? sqrt(fmax(0, sum_of_squares - sum * sum / turns) / (turns - 1)) : 0;
}

static int count_configs(const struct ec_csv *csv)
{
    int row, before, n = 0;

    for (row = 0; row < csv->n_rows; row++) {
        for (before = 0; before < row && !same_config(csv, before, row); before++)
            continue;
        n += before == row;
    }
    return n;
}

/* What the turns brought of the grid. */
static enum ec_status read_turns(struct demo *d, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    double *room;
    enum ec_status st;

    EC_TRY(ec_csv_read(d->table, &csv, err));
    d->ret->n_configs = count_configs(&csv);
    if (d->ret->n_configs < FEWEST_CONFIGS)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "%d configurations were measured before the budget of %g s ended, and %d "
                       "are needed to fit: run it again to go on, or give a larger budget",
                       d->ret->n_configs, d->o->budget_s, (int)FEWEST_CONFIGS));
    room = ec_arena_alloc(&d->a, sizeof *room * (size_t)(csv.n_rows + 1));
    if (!room)
        EC_TRY(ec_nomem(err));
    d->drift = drift_of(&csv, room);
    tell(d, "  from turn to turn the same work took %.1f %% more or less",
         100 * (exp(d->drift) - 1));
out:
    ec_csv_clear(&csv);
    return st;
}

/* --- Layers --- */

static enum ec_status run_items(struct demo *d, const char *path, const struct ec_campaign *c,
                                struct ec_err *err)
{
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    enum ec_status st;

    EC_TRY(ec_row_file_open(path, &d->m->file, err));
    EC_TRY(ec_campaign_run(d->m, c, &end, err));
out:
    ec_row_file_close(d->m->file);
    d->m->file = NULL;
    return st;
}

static enum ec_status measure_ceilings(struct demo *d, const char *path, struct ec_err *err)
{
    struct ec_campaign c = { .n_shards = 1, .budget_s = d->o->budget_s * CEILINGS_SHARE };
    struct ec_strs names = { 0 };
    struct ec_campaign_item *items;
    enum ec_status st;
    int i;

    tell(d, "Looking how fast this machine computes and copies.");
    EC_TRY(ec_ceilings(d->m, &d->a, &names, err));
    items = ec_arena_alloc(&d->a, sizeof *items * (size_t)(names.n + 1));
    if (!items)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < names.n; i++)
        items[i] = (struct ec_campaign_item){ .kind = EC_CAMPAIGN_CEILING, .what = names.v[i] };
    c.items = items;
    c.n_items = names.n;
    EC_TRY(run_items(d, path, &c, err));
out:
    return st;
}

static enum ec_status draw_layers(struct demo *d, struct ec_err *err)
{
    struct ec_sample_opts draw = { .count = LAYERS, .seed = d->o->seed, .zoo_percent = 50 };
    const struct ec_field names = { .name = "op", .type = EC_F_STRS };
    struct ec_strs ops = { 0 };
    enum ec_status st;

    draw.limits.max_flop = d->size->max_flop;
    draw.limits.max_bytes = 1e8;
    EC_TRY(ec_field_set(&names, &ops, ec_span_of(LAYER_OPS), &d->a, err));
    EC_TRY(ec_ops_named(&ops, &d->a, &draw.ops, &draw.n_ops, err));
    EC_TRY(ec_sample_cases(&draw, &d->layers, err));
out:
    return st;
}

static bool grid_fits(const struct demo *d, int turn)
{
    return !turn || d->turn_s[GRID] * (turn + 1) < d->o->budget_s * GRID_SHARE;
}

/* What turns after this one will take before their layers. */
static double reserved_s(const struct demo *d, int turn)
{
    double s = 0;

    while (++turn < TURNS)
        s += d->turn_s[NETWORK] + (grid_fits(d, turn) ? d->turn_s[GRID] : 0);
    return s;
}

/* A part of the layers; what is left of the time is shared out over the turns to come. */
static enum ec_status layers_turn(struct demo *d, int turn, const char *path, struct ec_err *err)
{
    struct ec_protocol usual = d->m->protocol;
    struct ec_campaign_item items[LAYERS];
    struct ec_campaign c = { .items = items, .seed = d->o->seed, .shard = turn, .n_shards = TURNS };
    enum ec_status st;

    for (c.n_items = 0; c.n_items < d->layers.n && c.n_items < LAYERS; c.n_items++)
        items[c.n_items] = (struct ec_campaign_item){ .kind = EC_CAMPAIGN_LAYER,
                                                      .what = d->layers.v[c.n_items].text,
                                                      .optimizer = EC_OPT_sgd,
                                                      .methods = EC_LAYER_SEPARATED };
    c.budget_s = fmax(left_s(d) - reserved_s(d, turn), 1) * LAYERS_SHARE / (TURNS - turn);
    d->m->protocol.budget_s = fmin(usual.budget_s, LAYER_S);
    d->m->protocol.max_runs = LAYER_RUNS;
    d->m->n_added = d->m->n_known = 0;
    EC_TRY(run_items(d, path, &c, err));
    d->ret->n_layers += (int)(d->m->n_added + d->m->n_known);
out:
    d->m->protocol = usual;
    return st;
}

/* --- The network that is to be predicted --- */

static enum ec_status network_turn(struct demo *d, int turn, struct ec_err *err)
{
    struct ec_campaign_item item = {
        .kind = EC_CAMPAIGN_NETWORK,
        .what = d->size->network,
        .opts = {.struct_size = sizeof item.opts, .batch = d->size->batch},
        .optimizer = EC_OPT_sgd
    };
    struct ec_campaign c = { .items = &item, .n_items = 1, .n_shards = 1 };
    int64_t start_ns = ec_clock_ns();
    const char *name;
    enum ec_status st;

    name = ec_arena_printf(&d->a, "unseen/network-%d.csv", turn + 1);
    if (!name)
        return ec_nomem(err);
    EC_TRY(path_of(d, name, &d->unseen_network[turn], err));
    EC_TRY(run_items(d, d->unseen_network[turn], &c, err));
    if (!turn)
        d->turn_s[NETWORK] = (double)(ec_clock_ns() - start_ns) / NS_PER_S;
out:
    return st;
}

/* --- Turns --- */

static enum ec_status take_turn(struct demo *d, int turn, const char *layers, struct ec_err *err)
{
    enum ec_status st = EC_OK;

    if (grid_fits(d, turn))
        EC_TRY(grid_turn(d, turn, err));
    if (!stopped(d) && (!turn || left_s(d) > d->turn_s[NETWORK]))
        EC_TRY(network_turn(d, turn, err));
    if (!stopped(d))
        EC_TRY(layers_turn(d, turn, layers, err));
out:
    return st;
}

static enum ec_status measure_all(struct demo *d, const char *const *path, struct ec_err *err)
{
    const struct ec_config_axes *a = &d->size->axes;
    enum ec_status st;
    int turn;

    EC_TRY(measure_ceilings(d, path[0], err));
    EC_TRY(draw_layers(d, err));
    tell(d,
         "In %d turns, since a machine's speed moves: small CNNs, %d configurations of depth, "
         "filters and batch, two epochs of %lld made-up images each; up to %d single layers, drawn "
         "as real networks have them. In between, put aside until they are predicted: one more "
         "configuration, and %s.",
         (int)TURNS, a->value[0].n * a->value[1].n * a->batch.n, (long long)d->size->samples,
         (int)LAYERS, d->size->network);
    for (turn = 0; turn < TURNS && !stopped(d); turn++) {
        EC_TRY(take_turn(d, turn, path[1], err));
        tell(d, "  turn %d: %.0f s of %.0f s", turn + 1,
             (double)(ec_clock_ns() - d->start_ns) / NS_PER_S, d->o->budget_s);
    }
out:
    return st;
}

static enum ec_status make_profile(struct demo *d, const char *const *path, struct ec_err *err)
{
    struct ec_local local = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_local_make(DEVICE, path, 2, 0, &local, err));
    (void)snprintf(local.profile.source, sizeof local.profile.source, "epochcast demo");
    ec_local_json(&local, &text);
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(ec_file_write(d->profile, text.data, text.len, err));
    tell(d, "  %d times of layers make a profile of this machine: %s",
         ec_layers_count(local.layers), d->profile);
out:
    ec_local_clear(&local);
    ec_buf_clear(&text);
    return st;
}

/* Grid, layers, what is to be predicted, and the profile that the layers make. */
static enum ec_status know_machine(struct demo *d, struct ec_err *err)
{
    const char *path[2] = { NULL, NULL };
    enum ec_status st;

    EC_TRY(path_of(d, "ceilings.csv", &path[0], err));
    EC_TRY(path_of(d, "layers.csv", &path[1], err));
    EC_TRY(path_of(d, "this.json", &d->profile, err));
    EC_TRY(path_of(d, "configs_cifar_cnn.csv", &d->table, err));
    EC_TRY(path_of(d, "unseen/config.csv", &d->unseen_table, err));
    EC_TRY(measure_all(d, path, err));
    if (!stopped(d))
        EC_TRY(read_turns(d, err));
    if (!stopped(d))
        EC_TRY(make_profile(d, path, err));
out:
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

/* --- What the fit has not seen --- */

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
    tell(d, "Predicting the configuration put aside, %s: %.3g s per epoch (%.3g to %.3g).", u->what,
         u->p50, u->p05, u->p95);
out:
    ec_grid_answers_clear(&answers);
    return st;
}

/* Median of the turns. */
static enum ec_status measured_epoch(struct demo *d, double *ret, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    double v[TURNS];
    int i;
    enum ec_status st;

    EC_TRY(ec_csv_read(d->unseen_table, &csv, err));
    for (i = 0; i < csv.n_rows && i < TURNS; i++)
        v[i] = number(&csv, i, "time_per_epoch");
    *ret = i ? ec_quantile_inplace(v, i, 0.5) : 0;
out:
    ec_csv_clear(&csv);
    return st;
}

static enum ec_status unseen_config(struct demo *d, struct ec_err *err)
{
    struct ec_demo_unseen *u = &d->ret->unseen[d->ret->n_unseen];
    enum ec_status st;

    EC_TRY(predict_config(d, u, err));
    EC_TRY(measure_unseen(d, err));
    if (stopped(d))
        goto out;
    EC_TRY(measured_epoch(d, &u->measured, err));
    show_unseen(d, u);
out:
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

/* Median of the turns. 0: none. */
static enum ec_status measured_steps(struct demo *d, double *ret, struct ec_err *err)
{
    double v[TURNS];
    int turn, n = 0;
    enum ec_status st = EC_OK;

    for (turn = 0; turn < TURNS; turn++) {
        if (!d->unseen_network[turn])
            continue;
        EC_TRY(measured_step(d, d->unseen_network[turn], &v[n], err));
        n += v[n] > 0;
    }
    *ret = n ? ec_quantile_inplace(v, n, 0.5) : 0;
out:
    return st;
}

/* The layers' own errors and the machine's moves are independent. The prediction of a
 * configuration needs no such widening: what was held out of its fit was measured in the same
 * turns. */
static double reach_of(const struct demo *d, double end, double middle)
{
    return exp(copysign(hypot(log(end / middle), NORMAL_95 * d->drift), end - middle));
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
    u->p50 = r.step_time_ns.p50 / NS_PER_S;
    u->p05 = u->p50 * reach_of(d, r.step_time_ns.p05, r.step_time_ns.p50);
    u->p95 = u->p50 * reach_of(d, r.step_time_ns.p95, r.step_time_ns.p50);
    tell(d, "Predicting a network of another kind, %s: %.3g s per step (%.3g to %.3g).", u->what,
         u->p50, u->p05, u->p95);
out:
    return st;
}

static enum ec_status unseen_network(struct demo *d, struct ec_err *err)
{
    struct ec_demo_unseen *u = &d->ret->unseen[d->ret->n_unseen];
    struct ec_predictor *p = NULL;
    enum ec_status st;

    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predictor_use_profile(p, d->profile, err));
    EC_TRY(predict_network(d, p, u, err));
    EC_TRY(measured_steps(d, &u->measured, err));
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
    ec_sampled_clear(&d.layers);
    ec_arena_clear(&d.a);
    return st;
}
