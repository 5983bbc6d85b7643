/* The measurements of the demonstration.
 *
 * A machine's speed varies, so all that is compared is measured in turns: in each turn a round of
 * the grid with the unseen configuration, some steps of the network, a part of the layers.
 * Measurements of unseen queries go to separate files, which are read only after the predictions.
 */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/demo_internal.h"

#define GRID_SHARE 0.5 /* of the budget at most; ceilings and layers may take what is left */
#define CEILINGS_SHARE 0.1
#define LAYERS_SHARE 0.9
#define NETWORK_LONGER 1.5 /* than usual: a step is as long as many layers */
#define LAYER_S 0.35       /* for one phase of a layer: many layers say more than one well known */
enum { LAYERS = 320, LAYER_RUNS = 20, FEWEST_CONFIGS = 6 };
/* A name that is listed twice is drawn twice as often. */
#define LAYER_OPS "conv2d,batch_norm,conv2d,relu,conv2d,linear,conv2d,add,conv2d,max_pool2d,softmax"
/* A layer is short if a step takes at least so many times as long. */
#define SHORT_BESIDE 10.0

void ec__demo_tell(const struct ec__demo *d, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    if (!d->o->tell)
        return;
    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    d->o->tell(d->o->user, text);
}

bool ec__demo_stopped(const struct ec__demo *d)
{
    d->ret->stopped = d->ret->stopped || (d->m->stop && d->m->stop());
    return d->ret->stopped;
}

enum ec_status ec__demo_path(struct ec__demo *d, const char *name, const char **ret,
                             struct ec_err *err)
{
    *ret = ec_arena_printf(&d->a, "%s/%s", d->o->dir, name);
    return *ret ? EC_OK : ec_nomem(err);
}

/* 0: no number */
static double left_s(const struct ec__demo *d)
{
    double left = d->o->budget_s - (double)(ec_clock_ns() - d->start_ns) / EC__NS_PER_S;

    return left > 1 ? left : 1;
}

/* --- Grid --- */

static enum ec_status open_grid(struct ec__demo *d, const struct ec_config_axes *axes,
                                const char *path, const char *curves, struct ec_configs *c,
                                struct ec_err *err)
{
    *c = (struct ec_configs){ .axes = axes, .data = "synthetic", .samples = { .val_frac = 0.125 } };
    EC_PASS(ec_fields_default(ec_train_fields, &c->train, &d->a, err));
    c->threads = ec_engine_threads(d->m->ctx);
    c->train.epochs = 2;
    c->train.seed = (int64_t)d->o->seed;
    c->samples.limit = d->size->samples;
    return ec_configs_open(c, path, curves, err);
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

/* Measures a round of the grid and of the unseen configuration. */
static enum ec_status grid_turn(struct ec__demo *d, int turn, struct ec_err *err)
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

    EC_TRY(ec__demo_path(d, "curves.csv", &curves, err));
    EC_TRY(open_grid(d, &d->size->axes, d->table, curves, &grid, err));
    EC_TRY(open_grid(d, &d->size->between, d->unseen_table, NULL, &unseen, err));
    assert(grid.n + unseen.n <= EC_LEN(items));
    campaign.n_items = add_configs(&grid, items);
    campaign.n_items += add_configs(&unseen, items + campaign.n_items);
    EC_TRY(ec_campaign_run(d->m, &campaign, &end, err));
    if (!turn)
        d->grid_s = (double)(ec_clock_ns() - start_ns) / EC__NS_PER_S;
out:
    ec_configs_clear(&grid);
    ec_configs_clear(&unseen);
    return st;
}

enum ec_status ec__demo_measure_unseen(struct ec__demo *d, struct ec_err *err)
{
    struct ec_configs c = { 0 };
    enum ec_status st;

    EC_TRY(open_grid(d, &d->size->between, d->unseen_table, NULL, &c, err));
    EC_TRY(ec_measure_config(d->m, &c, &c.v[0], 0, err));
out:
    ec_configs_clear(&c);
    return st;
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

/* log of an epoch's time minus the mean log time of the epochs of its configuration. */
static double deviation(const struct ec_csv *csv, int row)
{
    int model = ec_csv_col(csv, "model"), batch = ec_csv_col(csv, "batch_size"), i, n = 0;
    double sum = 0;

    for (i = 0; i < csv->n_rows; i++)
        if (ec_str_eq(ec_csv_cell(csv, i, model), ec_csv_cell(csv, row, model)) &&
            ec_str_eq(ec_csv_cell(csv, i, batch), ec_csv_cell(csv, row, batch))) {
            sum += log(ec_csv_number(csv, i, "time_s"));
            n++;
        }
    return log(ec_csv_number(csv, row, "time_s")) - sum / n;
}

/* Standard deviation of log(time) of an epoch of one configuration, over all its epochs. */
static enum ec_status find_drift(struct ec__demo *d, struct ec_err *err)
{
    const char *curves = NULL;
    struct ec_csv csv = { 0 };
    enum ec_status st;
    double sum = 0;
    int row;

    EC_TRY(ec__demo_path(d, "curves.csv", &curves, err));
    EC_TRY(ec_csv_read(curves, &csv, err));
    for (row = 0; row < csv.n_rows; row++) {
        double v = deviation(&csv, row);

        sum += v * v;
    }
    if (csv.n_rows > d->ret->n_configs)
        d->drift = sqrt(sum / (csv.n_rows - d->ret->n_configs));
    ec__demo_tell(d, "  the same epoch took %.1f %% more or less%s", 100 * (exp(d->drift) - 1),
                  d->drift > EC__DEMO_NOISY ? ": the machine is noisy" : "");
out:
    ec_csv_clear(&csv);
    return st;
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

/* Collects the grid's rows of all turns. */
static enum ec_status read_turns(struct ec__demo *d, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(ec_csv_read(d->table, &csv, err));
    d->ret->n_configs = count_configs(&csv);
    if (d->ret->n_configs < FEWEST_CONFIGS)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "%d configurations were measured before the budget of %g s ended, and %d "
                       "are needed to fit: run it again to go on, or give a larger budget",
                       d->ret->n_configs, d->o->budget_s, (int)FEWEST_CONFIGS));
    EC_TRY(find_drift(d, err));
out:
    ec_csv_clear(&csv);
    return st;
}

/* --- Layers --- */

static enum ec_status run_items(struct ec__demo *d, const char *path, const struct ec_campaign *c,
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

static enum ec_status measure_ceilings(struct ec__demo *d, const char *path, struct ec_err *err)
{
    struct ec_campaign c = { .n_shards = 1, .budget_s = d->o->budget_s * CEILINGS_SHARE };
    struct ec_strs names = { 0 };
    struct ec_campaign_item *items;
    int i;

    ec__demo_tell(d, "Looking how fast this machine computes and copies.");
    EC_PASS(ec_ceilings(d->m, &d->a, &names, err));
    items = ec_arena_alloc(&d->a, sizeof *items * (size_t)(names.n + 1));
    EC_PASS(ec_allocated(items, err));
    for (i = 0; i < names.n; i++)
        items[i] = (struct ec_campaign_item){ .kind = EC_CAMPAIGN_CEILING, .what = names.v[i] };
    c.items = items;
    c.n_items = names.n;
    return run_items(d, path, &c, err);
}

static enum ec_status draw_layers(struct ec__demo *d, struct ec_err *err)
{
    struct ec_sample_opts draw = { .count = LAYERS, .seed = d->o->seed, .zoo_percent = 50 };
    const struct ec_field names = { .name = "op", .type = EC_F_STRS };
    struct ec_strs ops = { 0 };

    draw.limits.max_flop = d->size->max_flop;
    draw.limits.max_bytes = 1e8;
    EC_PASS(ec_field_set(&names, &ops, ec_span_of(LAYER_OPS), &d->a, err));
    EC_PASS(ec_ops_named(&ops, &d->a, &draw.ops, &draw.n_ops, err));
    return ec_sample_cases(&draw, &d->layers, err);
}

static bool grid_fits(const struct ec__demo *d, int turn)
{
    return !turn || d->grid_s * (turn + 1) < d->o->budget_s * GRID_SHARE;
}

/* Seconds that later turns need before their layers. */
static double reserved_s(const struct ec__demo *d, int turn)
{
    double s = 0;

    while (++turn < EC__DEMO_TURNS)
        s += d->network_s + (grid_fits(d, turn) ? d->grid_s : 0);
    return s;
}

/* Measures a part of the layers: the time left is shared out over the remaining turns. */
static enum ec_status layers_turn(struct ec__demo *d, int turn, const char *path,
                                  struct ec_err *err)
{
    struct ec_protocol usual = d->m->protocol;
    struct ec_campaign_item items[LAYERS];
    struct ec_campaign c = {
        .items = items, .seed = d->o->seed, .shard = turn, .n_shards = EC__DEMO_TURNS
    };
    enum ec_status st;

    for (c.n_items = 0; c.n_items < d->layers.n && c.n_items < LAYERS; c.n_items++)
        items[c.n_items] = (struct ec_campaign_item){ .kind = EC_CAMPAIGN_LAYER,
                                                      .what = d->layers.v[c.n_items].text,
                                                      .cond.optimizer = EC_OPT_sgd,
                                                      .methods = EC_LAYER_SEPARATED };
    c.budget_s = fmax(left_s(d) - reserved_s(d, turn), 1) * LAYERS_SHARE / (EC__DEMO_TURNS - turn);
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

static enum ec_status network_turn(struct ec__demo *d, int turn, struct ec_err *err)
{
    struct ec_campaign_item item = {
        .kind = EC_CAMPAIGN_NETWORK,
        .what = d->size->network,
        .opts = {.struct_size = sizeof item.opts, .batch = d->size->batch},
        .cond.optimizer = EC_OPT_sgd
    };
    struct ec_campaign c = { .items = &item, .n_items = 1, .n_shards = 1 };
    struct ec_protocol usual = d->m->protocol;
    int64_t start_ns = ec_clock_ns();
    const char *name;
    enum ec_status st;

    name = ec_arena_printf(&d->a, "unseen/network-%d.csv", turn + 1);
    EC_PASS(ec_allocated(name, err));
    EC_TRY(ec__demo_path(d, name, &d->unseen_network[turn], err));
    d->m->protocol.budget_s *= NETWORK_LONGER;
    EC_TRY(run_items(d, d->unseen_network[turn], &c, err));
    if (!turn)
        d->network_s = (double)(ec_clock_ns() - start_ns) / EC__NS_PER_S;
out:
    d->m->protocol = usual;
    return st;
}

/* --- Turns --- */

static enum ec_status take_turn(struct ec__demo *d, int turn, const char *layers,
                                struct ec_err *err)
{
    if (grid_fits(d, turn))
        EC_PASS(grid_turn(d, turn, err));
    if (!ec__demo_stopped(d) && (!turn || left_s(d) > d->network_s))
        EC_PASS(network_turn(d, turn, err));
    if (!ec__demo_stopped(d))
        EC_PASS(layers_turn(d, turn, layers, err));
    return EC_OK;
}

static enum ec_status measure_all(struct ec__demo *d, const char *const *path, struct ec_err *err)
{
    const struct ec_config_axes *a = &d->size->axes;
    int turn;

    EC_PASS(measure_ceilings(d, path[0], err));
    EC_PASS(draw_layers(d, err));
    ec__demo_tell(
        d,
        "In %d turns, since a machine's speed moves: small CNNs, %d configurations of depth, "
        "filters and batch, two epochs of %lld made-up images each; up to %d single layers, drawn "
        "as real networks have them. In between, put aside until they are predicted: one more "
        "configuration, and %s.",
        (int)EC__DEMO_TURNS, a->value[0].n * a->value[1].n * a->batch.n,
        (long long)d->size->samples, (int)LAYERS, d->size->network);
    for (turn = 0; turn < EC__DEMO_TURNS && !ec__demo_stopped(d); turn++) {
        EC_PASS(take_turn(d, turn, path[1], err));
        ec__demo_tell(d, "  turn %d: %.0f s of %.0f s", turn + 1,
                      (double)(ec_clock_ns() - d->start_ns) / EC__NS_PER_S, d->o->budget_s);
    }
    return EC_OK;
}

static enum ec_status make_profile(struct ec__demo *d, const char *const *path, struct ec_err *err)
{
    struct ec_local local = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_local_make(EC__DEMO_DEVICE, path, 2, 0, &local, err));
    (void)snprintf(local.profile.source, sizeof local.profile.source, "epochcast demo");
    ec_local_json(&local, &text);
    EC_TRY(ec_file_put(d->profile, &text, err));
    ec__demo_tell(d, "  %d times of layers make a profile of this machine: %s",
                  ec_layers_count(local.layers), d->profile);
out:
    ec_local_clear(&local);
    ec_buf_clear(&text);
    return st;
}

enum ec_status ec__demo_measure(struct ec__demo *d, struct ec_err *err)
{
    const char *path[2] = { NULL, NULL };

    EC_PASS(ec__demo_path(d, "ceilings.csv", &path[0], err));
    EC_PASS(ec__demo_path(d, "layers.csv", &path[1], err));
    EC_PASS(ec__demo_path(d, "this.json", &d->profile, err));
    EC_PASS(ec__demo_path(d, "configs_cifar_cnn.csv", &d->table, err));
    EC_PASS(ec__demo_path(d, "unseen/config.csv", &d->unseen_table, err));
    EC_PASS(measure_all(d, path, err));
    if (!ec__demo_stopped(d))
        EC_PASS(read_turns(d, err));
    if (!ec__demo_stopped(d))
        EC_PASS(make_profile(d, path, err));
    return EC_OK;
}

enum ec_status ec__demo_unseen_epoch(struct ec__demo *d, double *ret, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    double v[EC__DEMO_TURNS];
    int i;
    enum ec_status st;

    EC_TRY(ec_csv_read(d->unseen_table, &csv, err));
    for (i = 0; i < csv.n_rows && i < EC__DEMO_TURNS; i++)
        v[i] = ec_csv_number(&csv, i, "time_per_epoch");
    *ret = i ? ec_quantile_inplace(v, i, 0.5) : 0;
out:
    ec_csv_clear(&csv);
    return st;
}

/* Samples of a row, in the arena; their number. */
static int samples_of(struct ec__demo *d, const struct ec_csv *csv, int row, double **ret)
{
    const char *column = d->m->thread_clock ? "device_samples_ns" : "samples_ns";
    const char *text = ec_csv_cell(csv, row, ec_csv_col(csv, column));
    struct ec_span rest = ec_span_of(text), word;
    int n = 0;

    *ret = ec_arena_alloc(&d->a, sizeof **ret * (strlen(text) / 2 + 1));
    while (*ret && rest.len && ec_span_cut(&rest, ' ', &word))
        n += ec_parse_double(word, &(*ret)[n]);
    return n;
}

/* Seconds of the step in a measurement file, also with the flag noisy: there is no other
 * measurement. 0: none */
static enum ec_status measured_step(struct ec__demo *d, const char *path, double *ret,
                                    struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    double *v = NULL;
    enum ec_status st;
    int i, n;

    *ret = 0;
    EC_TRY(ec_csv_read(path, &csv, err));
    for (i = 0; i < csv.n_rows; i++) {
        if (!ec_str_eq(ec_csv_cell(&csv, i, ec_csv_col(&csv, "phase")), "step"))
            continue;
        n = samples_of(d, &csv, i, &v);
        *ret = n ? ec_quantile_inplace(v, n, 0.5) / EC__NS_PER_S : 0;
    }
out:
    ec_csv_clear(&csv);
    return st;
}

enum ec_status ec__demo_unseen_step(struct ec__demo *d, double *ret, struct ec_err *err)
{
    double v[EC__DEMO_TURNS];
    int turn, n = 0;

    for (turn = 0; turn < EC__DEMO_TURNS; turn++) {
        if (!d->unseen_network[turn])
            continue;
        EC_PASS(measured_step(d, d->unseen_network[turn], &v[n], err));
        n += v[n] > 0;
    }
    *ret = n ? ec_quantile_inplace(v, n, 0.5) : 0;
    return EC_OK;
}

enum ec_status ec__demo_taken(struct ec__demo *d, double step_s, double *ret, struct ec_err *err)
{
    double medians = 0, means = 0, most_ns = step_s * EC__NS_PER_S / SHORT_BESIDE, *v = NULL;
    struct ec_csv csv = { 0 };
    const char *path = NULL;
    enum ec_status st;
    int row, n, i;

    EC_TRY(ec__demo_path(d, "layers.csv", &path, err));
    EC_TRY(ec_csv_read(path, &csv, err));
    for (row = 0; row < csv.n_rows; row++) {
        double sum = 0, median;

        n = samples_of(d, &csv, row, &v);
        for (i = 0; i < n; i++)
            sum += v[i];
        median = n ? ec_quantile_inplace(v, n, 0.5) : 0;
        if (!n || median > most_ns)
            continue;
        medians += median;
        means += sum / n;
    }
    *ret = medians > 0 ? fmax(means / medians, 1) : 1;
out:
    ec_csv_clear(&csv);
    return st;
}
