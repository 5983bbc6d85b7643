/* Compares regressors on a table of configurations. Our family learns the ratio of the measured
 * value to the predictor's, where the columns describe a network; else it is a power law of the
 * features. */
#include "fit/grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tune_ranges.h"
#include "engine/engine.h"
#include "fit/compare_internal.h"
#include "fit/grid_internal.h"

/* The dense network has the same size and number of seeds everywhere; how long and how strictly it
 * is fitted depends on the rows (ann_options). */
#define ANN_SEEDS 5

/* clang-format off */
static const struct ec__grid_family families[EC_GRID_FAMILIES] = {
    { .name = "linear", .kind = "linear" },
    { .name = "power", .kind = "ridge", .logs = true },
    { .name = "forest", .kind = "forest", .logs = true, .dear = true },
    { .name = "gbt", .kind = "gbt", .logs = true, .dear = true,
      .options = "trees=300 depth=4 child_weight=2" },
    { .name = "ann", .kind = "ann", .logs = true, .seeds = ANN_SEEDS,
      .options = "hidden=64x64 act=relu loss=mae rate=0.01 aside=0" },
    { .name = "ours", .kind = "ridge", .logs = true, .physics = true },
};
/* clang-format on */
const struct ec__grid_family *const ec__grid_ours = &families[EC_GRID_FAMILIES - 1];

int ec__grid_inputs(const struct ec__grid *g, bool logs, bool physics, const double *value,
                    double log_physics, double *ret)
{
    int j;

    for (j = 0; j < g->n_cols; j++)
        ret[j] = logs && g->as_log[j] ? log(value[j] > 1e-9 ? value[j] : 1e-9) : value[j];
    if (!physics)
        return g->n_cols;
    ret[g->n_cols] = log_physics;
    return g->n_cols + 1;
}

static bool with_physics(const struct ec__grid *g, const struct ec__grid_family *f)
{
    return f->physics && g->physics;
}

/* Steps, passes and decay of the dense network for a number of rows. The decay stands for what is
 * known before any row, so it counts less the more rows there are. */
static enum ec_status set_ann_options(struct ec_recipe *r, int n, struct ec_arena *a,
                                      struct ec_err *err)
{
    const struct {
        const char *name;
        double value;
    } options[] = {
        {"batch",   fmin(fmax(8,       floor(n / 8.0)), 128)},
        { "epochs", fmin(fmax(3e5 / n, 40),             600)},
        { "decay",  fmin(fmax(5.0 / n, 1e-4),           0.3)},
    };
    void *opts = ec_arena_copy(a, r->opts, r->kind->opts_size);
    char text[EC_FMT_DOUBLE_BYTES];
    int i;

    EC_PASS(ec_allocated(opts, err));
    for (i = 0; i < EC_LEN(options); i++) {
        double v = i < 2 ? floor(options[i].value) : options[i].value;

        (void)ec_fmt_double(text, sizeof text, v);
        EC_PASS(ec_field_set(ec_field_find(r->kind->fields, ec_span_of(options[i].name)), opts,
                             ec_span_of(text), a, err));
    }
    r->opts = opts;
    return EC_OK;
}

/* What a family is fitted by, without its seeds. */
static enum ec_status make_recipe(const struct ec__grid *g, const struct ec__grid_family *f, int n,
                                  struct ec_arena *a, struct ec_recipe *ret, struct ec_err *err)
{
    EC_PASS(ec_recipe_parse(f->kind, f->options, a, ret, err));
    if (f->seeds)
        EC_PASS(set_ann_options(ret, n, a, err));
    ret->target = !f->logs ? EC_TARGET_PLAIN : with_physics(g, f) ? EC_TARGET_RATIO : EC_TARGET_LOG;
    ret->base_col = with_physics(g, f) ? g->n_cols : -1;
    return EC_OK;
}

/* Replaces a recipe by the geometric mean of fits with different seeds. */
static enum ec_status repeat(int seeds, struct ec_arena *a, struct ec_recipe *r, struct ec_err *err)
{
    struct ec_recipe *members = ec_arena_alloc(a, sizeof *members * (size_t)seeds);
    struct ec_recipe all = { 0 };
    int i;

    EC_PASS(ec_allocated(members, err));
    for (i = 0; i < seeds; i++)
        members[i] = *r;
    EC_PASS(ec_recipe_parse("ensemble", NULL, a, &all, err));
    all.members = members;
    all.n_members = seeds;
    all.base_col = -1;
    *r = all;
    return EC_OK;
}

/* The rows of a fit as matrices of the arena. */
static enum ec_status gather(struct ec__grid *g, const struct ec__grid_family *f,
                             const double *target, const int *row, int n, struct ec_arena *a,
                             struct ec_rows *ret, struct ec_err *err)
{
    int n_cols = g->n_cols + with_physics(g, f), i;
    double *x = ec_arena_alloc(a, sizeof *x * (size_t)n * (size_t)n_cols);
    double *y = ec_arena_alloc(a, sizeof *y * (size_t)n);

    EC_PASS(ec_allocated(x && y, err));
    g->names[g->n_cols] = "predicted";
    for (i = 0; i < n; i++) {
        int at = row ? row[i] : i;

        (void)ec__grid_inputs(g, f->logs, with_physics(g, f), g->value + at * g->n_cols,
                              g->log_physics[at], x + i * n_cols);
        y[i] = target[at];
    }
    *ret = (struct ec_rows){ x, y, g->names, n, n_cols, NULL };
    return EC_OK;
}

/* Options that --tune draws; the tables are small. */
/* clang-format off */
#define RANGE(...) { __VA_ARGS__ },
static const struct ec_search_range ranges[] = { TUNE_RANGES(RANGE) { .kind = NULL } };
/* clang-format on */
#define INNER_FOLDS 5

/* How many options are tried. Ridge chooses its penalty by rows by itself; for splits by groups it
 * has to be chosen by groups. */
#define TRIES_BY_GROUP 16
static int64_t tries_of(const struct ec__grid *g, const struct ec__grid_family *f)
{
    if (!ec_search_has(ranges, f->kind))
        return 0;
    return g->group && ec_str_eq(f->kind, "ridge") && g->o->tune < TRIES_BY_GROUP ? TRIES_BY_GROUP
                                                                                  : g->o->tune;
}

/* Chooses options by cross-validation inside the rows of the fit; by whole groups, if the
 * configurations have groups. */
static enum ec_status tune(const struct ec__grid *g, int64_t tries, const struct ec_rows *rows,
                           const int *row, struct ec_arena *a, struct ec_recipe *r,
                           struct ec_err *err)
{
    const struct ec_search s = { .n_tries = (int)tries,
                                 .ranges = ranges,
                                 .whole = true,
                                 .env = { .seed = (uint64_t)g->o->seed } };
    struct ec_split inner = { 0 };
    double score = 0;
    enum ec_status st;

    EC_TRY(ec_split_part(g->group, row, rows->n, INNER_FOLDS, s.env.seed, &inner, err));
    EC_TRY(ec_search_run(&s, r, rows, &inner, a, r, &score, err));
out:
    ec_free(inner.round);
    return st;
}

/* The engine's steps are faster, but its bits are those of one machine; few rows need few steps. */
#define ENGINE_ROWS 512

enum ec_status ec__grid_fit_rows(struct ec__grid *g, const struct ec__grid_family *f,
                                 const int *row, int n, struct ec_regressor **ret,
                                 struct ec_err *err)
{
    struct ec_learn_env env = { .seed = (uint64_t)g->o->seed,
                                .ann = n < ENGINE_ROWS ? NULL : &ec_ann_by_engine };
    struct ec_rows rows = { 0 };
    struct ec_recipe r = { 0 };
    struct ec_arena a = { 0 };
    enum ec_status st;

    EC_TRY(gather(g, f, g->target, row, n, &a, &rows, err));
    EC_TRY(make_recipe(g, f, n, &a, &r, err));
    if (tries_of(g, f))
        EC_TRY(tune(g, tries_of(g, f), &rows, row, &a, &r, err));
    if (f->seeds)
        EC_TRY(repeat(f->seeds, &a, &r, err));
    EC_TRY(ec_regressor_fit(&r, &rows, &env, ret, err));
out:
    ec_arena_clear(&a);
    return st;
}

double ec__grid_ask(const struct ec__grid *g, const struct ec__grid_family *f,
                    const struct ec_regressor *m, const double *value, double log_physics)
{
    double x[EC_GRID_COLS_MAX + 1], y = 0;

    (void)ec__grid_inputs(g, f->logs, with_physics(g, f), value, log_physics, x);
    ec_regressor_predict(m, x, 1, &y);
    return y;
}

/* The range to which predictions of a linear model of logarithms are limited; 0: they are not. */
static void find_reach(const struct ec__grid *g, const struct ec__grid_family *f, const int *row,
                       int n, double *ret_lo, double *ret_hi)
{
    if (f->logs && ec_str_eq(f->kind, "ridge"))
        ec__reach(g->target, row, n, ret_lo, ret_hi);
}

enum ec_status ec__grid_cross_predict(struct ec__grid *g, const struct ec__grid_family *f,
                                      const struct ec_split *s, double *ret, struct ec_err *err)
{
    int *row = ec_alloc(sizeof *row * (size_t)g->n), round, i, n;
    struct ec_regressor *m = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(row, err));
    for (round = 0; round < s->n_rounds; round++) {
        double lo = 0, hi = 0;

        n = ec_split_rows(s, round, false, row);
        EC_TRY(ec__grid_fit_rows(g, f, row, n, &m, err));
        find_reach(g, f, row, n, &lo, &hi);
        n = ec_split_rows(s, round, true, row);
        for (i = 0; i < n; i++) {
            double *v = &ret[row[i]];

            *v = ec__grid_ask(g, f, m, g->value + row[i] * g->n_cols, g->log_physics[row[i]]);
            if (hi > 0)
                (void)ec__held(v, lo, hi);
        }
        ec_regressor_free(m);
        m = NULL;
    }
out:
    ec_regressor_free(m);
    ec_free(row);
    return st;
}

/* What a regression of other numbers sees: logarithms of the features, without the prediction. */
static const struct ec__grid_family of_numbers = { .kind = "ridge", .logs = true };

enum ec_status ec__grid_fit_numbers(struct ec__grid *g, const double *y, const int *row, int n,
                                    struct ec_regressor **ret, struct ec_err *err)
{
    const struct ec_learn_env env = { .seed = (uint64_t)g->o->seed };
    struct ec_rows rows = { 0 };
    struct ec_recipe r = { 0 };
    struct ec_arena a = { 0 };
    enum ec_status st;

    EC_TRY(gather(g, &of_numbers, y, row, n, &a, &rows, err));
    EC_TRY(ec_recipe_parse(of_numbers.kind, NULL, &a, &r, err));
    r.base_col = -1;
    EC_TRY(ec_regressor_fit(&r, &rows, &env, ret, err));
out:
    ec_arena_clear(&a);
    return st;
}

double ec__grid_ask_numbers(const struct ec__grid *g, const struct ec_regressor *m,
                            const double *value)
{
    return ec__grid_ask(g, &of_numbers, m, value, 0);
}

/* ------------------------------------------------------------------------------------------------
 * Splits */

/* Numbers the configurations by the cells of a column. */
static enum ec_status group_by(struct ec__grid *g, const char *column, struct ec_err *err)
{
    int col = ec_column_like(&g->csv, column), i, k;

    if (col < 0)
        return ec__grid_no_column(g, column, err);
    g->group = ec_arena_alloc(&g->arena, sizeof *g->group * (size_t)g->n);
    EC_PASS(ec_allocated(g->group, err));
    for (i = 0; i < g->n; i++) {
        const char *cell = ec_csv_cell(&g->csv, g->row[i], col);

        for (k = 0; k < i && !ec_str_eq(ec_csv_cell(&g->csv, g->row[k], col), cell); k++)
            continue;
        g->group[i] = k < i ? g->group[k] : g->n_groups++;
    }
    if (g->n_groups < 2)
        return ec_fail(err, EC_E_INPUT, "column %.60s holds one value, so it makes no groups",
                       column);
    return EC_OK;
}

static enum ec_status make_split(struct ec__grid *g, struct ec_split *ret, struct ec_err *err)
{
    const char *word = g->o->split ? g->o->split : "kfold", *column;
    bool each = ec_str_eq(word, "kfold") && g->n <= EC_GRID_FEW;
    int64_t parts = g->o->folds ? g->o->folds : each ? g->n : EC_GRID_FOLDS;
    int folds = parts < g->n ? (int)parts : g->n;
    enum ec_split_kind kind;
    uint64_t seed = (uint64_t)g->o->seed;

    if (ec_str_eq(word, "kfold"))
        return ec_split_make(EC_SPLIT_KFOLD, NULL, g->n, folds, seed, ret, err);
    if (ec_str_eq(word, "random"))
        return ec_split_make(EC_SPLIT_RANDOM, NULL, g->n, 0, seed, ret, err);
    column = ec__split_by(word, &kind);
    if (!column)
        return ec_fail(err, EC_E_INPUT,
                       "a table is split by kfold, random, group:COLUMN or logo:COLUMN, not by "
                       "\"%.40s\"",
                       word);
    EC_PASS(group_by(g, column, err));
    folds = folds < g->n_groups ? folds : g->n_groups;
    return ec_split_make(kind, g->group, g->n, folds, seed, ret, err);
}

/* ------------------------------------------------------------------------------------------------
 * Comparison */

static enum ec_status judge_family(const struct ec__grid *g, struct ec_grid_fit *f, int k,
                                   struct ec_err *err)
{
    size_t n = (size_t)f->n_rows;
    double *measured = ec_alloc(sizeof *measured * n), *predicted = ec_alloc(sizeof *measured * n);
    enum ec_status st = EC_OK;
    int i, m, group;

    EC_TRY(ec_allocated(measured && predicted, err));
    for (group = -1; group < g->n_groups; group++) { /* first all, then each group */
        struct ec_metrics part;

        for (i = m = 0; i < f->n_rows; i++)
            if (f->tested[i] && (group < 0 || g->group[i] == group)) {
                measured[m] = f->measured[i];
                predicted[m++] = f->v[k].predicted[i];
            }
        EC_TRY(ec_metrics_compute(measured, predicted, NULL, NULL, m, &part, err));
        if (group < 0)
            f->v[k].m = part;
        else
            f->v[k].worst_group_ape = fmax(f->v[k].worst_group_ape, part.mean_ape);
    }
out:
    ec_free(measured);
    ec_free(predicted);
    return st;
}

/* Without a prediction ours is the power law. */
static bool asked(const struct ec__grid *g, const struct ec__grid_family *f)
{
    const struct ec_strs *names = &g->o->families;

    return ec_strs_have(names, f->name) ||
           ((ec_strs_have(names, "all") || (!names->n && !f->dear)) &&
            (g->physics || !ec_str_eq(f->name, "power")));
}

const struct ec__grid_family *ec__grid_family(const char *name)
{
    return ec_row_named(families, EC_LEN(families), sizeof *families, name);
}

enum ec_status ec__grid_check_families(const struct ec_strs *asked_for, struct ec_err *err)
{
    struct ec_buf names = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i, k;

    for (i = 0; i < asked_for->n &&
                (ec__grid_family(asked_for->v[i]) || ec_str_eq(asked_for->v[i], "all"));
         i++)
        continue;
    if (i == asked_for->n)
        return EC_OK;
    for (k = 0; k < EC_LEN(families); k++)
        ec_buf_printf(&names, "%s, ", families[k].name);
    EC_TRY(ec_buf_status(&names, err));
    st = ec_fail(err, EC_E_NOT_FOUND, "no family \"%.40s\" of tables: expected %sall",
                 asked_for->v[i], ec_buf_text(&names));
out:
    ec_buf_clear(&names);
    return st;
}

/* Fits, predicts and computes the errors of one family. A missing library is no error: the others
 * are still compared. */
static enum ec_status compare_family(struct ec__grid *g, const struct ec__grid_family *family,
                                     const struct ec_split *s, struct ec_grid_fit *f,
                                     struct ec_err *err)
{
    struct ec_grid_family *v = &f->v[f->n];
    struct ec_err why = { .status = EC_OK };
    enum ec_status st;

    v->family = family->name;
    v->predicted = ec_arena_alloc(&f->arena, sizeof *g->target * (size_t)g->n);
    EC_PASS(ec_allocated(v->predicted, err));
    st = ec__grid_cross_predict(g, family, s, v->predicted, &why);
    if (st == EC_E_UNSUPPORTED) {
        v->failed = true;
        (void)snprintf(v->why, sizeof v->why, "%.150s", why.text);
    } else if (st) {
        return ec_fail(err, st, "%s: %s", family->name, why.text);
    } else {
        EC_PASS(judge_family(g, f, f->n, err));
    }
    f->n++;
    return EC_OK;
}

/* Whether a feature is counted of a network, which a saved model has to name then. */
static bool counts_networks(const struct ec__grid *g)
{
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (g->feature[j].col < 0)
            return true;
    return false;
}

/* Writes the description of the model into it. */
static enum ec_status describe_model(const struct ec__grid *g, const struct ec__grid_family *f,
                                     struct ec_regressor *m, struct ec_err *err)
{
    struct ec_saved_model t = {
        .of = "table",
        .family = f->name,
        .source = g->o->store ? g->o->store : g->o->table,
        .target = g->o->target,
        .features = g->o->features,
        .network = with_physics(g, f) || counts_networks(g) ? g->o->network : "",
        .device = g->o->device,
        .precision = g->o->precision,
        .framework = g->o->framework,
        .optimizer = g->o->optimizer,
        .rows = g->n,
        .seed = g->o->seed,
    };
    struct ec_buf logs = EC_BUF_INIT;
    enum ec_status st;
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (f->logs && g->as_log[j])
            ec_buf_printf(&logs, "%s%s", logs.len ? "," : "", g->names[j]);
    EC_TRY(ec_buf_status(&logs, err));
    t.logs = ec_buf_text(&logs);
    EC_TRY(ec_saved_model_describe(&t, m, err));
out:
    ec_buf_clear(&logs);
    return st;
}

/* Fits a family to every row and saves it. */
static enum ec_status save_family(struct ec__grid *g, const char *name, struct ec_err *err)
{
    const struct ec__grid_family *f = ec__grid_family(name);
    struct ec_regressor *m = NULL;
    enum ec_status st;

    EC_TRY(ec__grid_fit_rows(g, f, NULL, g->n, &m, err));
    EC_TRY(describe_model(g, f, m, err));
    EC_TRY(ec__model_write(m, g->o->save_path, err));
out:
    ec_regressor_free(m);
    return st;
}

static struct ec_grid_family *mark_best(struct ec_grid_fit *f)
{
    struct ec_grid_family *best = NULL;
    int k;

    for (k = 0; k < f->n; k++)
        if (!f->v[k].failed && (!best || f->v[k].m.mean_ape < best->m.mean_ape))
            best = &f->v[k];
    if (best)
        best->best = true;
    return best;
}

enum ec_status ec_grid_compare(const struct ec_grid_opts *o, struct ec_grid_fit *ret,
                               struct ec_err *err)
{
    struct ec_grid_opts filled = *o;
    struct ec_grid_fit f = { 0 };
    struct ec__grid g = { 0 };
    struct ec_split s = { 0 };
    const struct ec_grid_family *best;
    enum ec_status st;
    int i, k;

    EC_TRY(ec__grid_check_families(&o->families, err));
    EC_TRY(ec_grid_fill(&filled, &f.arena, err));
    o = &filled;
    EC_TRY(ec__grid_open(o, false, &g, err));
    f.target = o->target;
    f.features = o->features;
    EC_TRY(make_split(&g, &s, err));
    f.n_rows = g.n;
    f.n_rounds = s.n_rounds;
    f.by_group = g.n_groups > 0;
    f.measured = ec_arena_copy(&f.arena, g.target, sizeof *g.target * (size_t)g.n);
    f.tested = ec_arena_alloc(&f.arena, sizeof *f.tested * (size_t)g.n);
    EC_TRY(ec_allocated(f.measured && f.tested, err));
    for (i = 0; i < g.n; i++) {
        f.tested[i] = s.round[i] >= 0;
        f.n_tested += f.tested[i];
    }
    for (k = 0; k < EC_LEN(families); k++)
        if (asked(&g, &families[k]))
            EC_TRY(compare_family(&g, &families[k], &s, &f, err));
    best = mark_best(&f);
    if (o->save_path && best)
        EC_TRY(save_family(&g, best->family, err));
    memcpy(f.note, g.note, sizeof f.note);
    EC_TRY(ec__grid_devices(&g, &f.devices, &f.arena, err));
    *ret = f;
    memset(&f, 0, sizeof f);
out:
    ec_free(s.round);
    ec__grid_clear(&g);
    ec_grid_fit_clear(&f);
    return st;
}

void ec_grid_fit_clear(struct ec_grid_fit *g)
{
    ec_arena_clear(&g->arena);
}
