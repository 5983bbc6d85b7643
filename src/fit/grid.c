/* Reads a table of configurations, fits regressors, and predicts. Our family learns the ratio of
 * the measured value to the predictor's, where the columns describe a network; else it is a power
 * law of the features. */
#include "fit/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "fit/compare.h"
#include "fit/grid_internal.h"
#include "predict/predict.h"

#define COLS_MAX EC_GRID_COLS_MAX
#define CIFAR_TRAIN 50000.0
enum { FEWEST = 6 };

#define AT(member) offsetof(struct ec_grid_opts, member)
/* clang-format off */
const struct ec_field ec_grid_fields[] = {
    { .name = "table", .type = EC_F_STR, .offset = AT(table), .metavar = "FILE.csv",
      .help = "table of configurations and what was measured of them" },
    { .name = "mapping", .type = EC_F_STR, .offset = AT(mapping), .metavar = "NAME|FILE.map",
      .help = "what the columns of the tables mean: a mapping of `epochcast data mappings`, or a "
              "file of your own; without it the names of the columns say it" },
    { .name = "target", .type = EC_F_STR, .offset = AT(target), .metavar = "COLUMN",
      .help = "column to predict; without it the time of an epoch, else that of a step, else the "
              "rate" },
    { .name = "features", .type = EC_F_STR, .offset = AT(features), .metavar = "LIST",
      .help = "columns of the table, joined by commas; without it parameters and conditions; for "
              "operators a set of features: " EC_FEATURE_SETS_TEXT },
    { .name = "network", .type = EC_F_STR, .offset = AT(network), .metavar = "NAME",
      .help = "built-in network whose parameters the columns are; without it the column model, "
              "else cifar_cnn where columns are its depth and base_filters" },
    { .name = "model", .type = EC_F_STR, .offset = AT(model), .metavar = "NAME",
      .help = "only rows of this network; the network of a table that has no column of it" },
    { .name = "batch", .type = EC_F_INT, .offset = AT(batch), .max = 1e9, .metavar = "N",
      .help = "batch of the rows of a table that has no column of it" },
    { .name = "device", .type = EC_F_STR, .offset = AT(device), .deflt = "", .metavar = "KEY",
      .help = "device of the runs; without it the column device, else the name of the file" },
    { .name = "profile", .type = EC_F_STR, .offset = AT(profile), .metavar = "FILE.json",
      .help = "profile of the device, made by `epochcast calibrate`" },
    { .name = "precision", .type = EC_F_STR, .offset = AT(precision), EC_PRECISION_WORDS,
      .help = "precision of the runs; without it the column of it, else fp32" },
    { .name = "framework", .type = EC_F_STR, .offset = AT(framework),
      .choices = ec_framework_keys,
      .help = "framework of the runs; without it the column of it, else pytorch-2" },
    { .name = "optimizer", .type = EC_F_STR, .offset = AT(optimizer),
      .choices = ec_optimizer_names,
      .help = "optimizer of the runs; without it the column of it, else adam" },
    EC_FIELD_END
};
/* clang-format on */

struct grid {
    const struct ec_grid_opts *o;
    struct ec_csv csv;
    struct ec_arena arena;
    struct ec_predictor *predictor;
    int n, n_cols;                        /* configurations; features */
    int *row;                             /* first row of each configuration in the table */
    const char *names[COLS_MAX + 1];      /* with that of the physics column */
    double *value, *target, *log_physics; /* n x n_cols, n, n */
    double lo[COLS_MAX], hi[COLS_MAX];
    bool as_log[COLS_MAX], physics;
    const char *device; /* of all rows; NULL: from a column */
    int device_col, model_col, samples_col;
    struct ec_strs left_out;
    int n_left_out;
    char note[256];
};

static void grid_clear(struct grid *g)
{
    ec_predictor_free(g->predictor);
    ec_csv_clear(&g->csv);
    ec_arena_clear(&g->arena);
}

static const char *cell_of(const struct grid *g, int row, const char *column)
{
    return ec_csv_cell(&g->csv, row, ec_column_like(&g->csv, column));
}

static enum ec_status read_cell(const struct grid *g, int row, const char *column, double *ret,
                                struct ec_err *err)
{
    const char *cell = cell_of(g, row, column);

    if (!ec_parse_double(ec_span_trim(ec_span_of(cell)), ret))
        return ec_fail(err, EC_E_INPUT, "line %d, column %.40s: found \"%.40s\", expected a number",
                       g->csv.lines[row], column, cell);
    return EC_OK;
}

static enum ec_status has_column(const struct grid *g, const char *name, struct ec_err *err)
{
    struct ec_buf hint = EC_BUF_INIT;
    enum ec_status st;

    if (ec_column_like(&g->csv, name) >= 0)
        return EC_OK;
    ec_near_hint(&hint, name, g->csv.names, g->csv.n_cols);
    st = ec_fail(err, EC_E_INPUT, "no column \"%.60s\"%s", name, ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return st;
}

static enum ec_status name_columns(struct grid *g, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(g->o->features ? g->o->features : ""), word;
    enum ec_status st = EC_OK;

    while (rest.len && ec_span_cut(&rest, ',', &word)) {
        word = ec_span_trim(word);
        if (g->n_cols == COLS_MAX)
            return ec_fail(err, EC_E_INPUT, "more than %d features", COLS_MAX);
        g->names[g->n_cols] = ec_arena_strn(&g->arena, word.p, word.len);
        if (!g->names[g->n_cols])
            return ec_nomem(err);
        EC_TRY(has_column(g, g->names[g->n_cols++], err));
    }
    if (!g->n_cols)
        return ec_fail(err, EC_E_INPUT, "a table needs --features COLUMN,COLUMN...");
out:
    return st;
}

/* Reads the numbers of a row as configuration k. */
static enum ec_status read_row(struct grid *g, int row, int k, struct ec_err *err)
{
    enum ec_status st;
    int j;

    EC_TRY(read_cell(g, row, g->o->target, &g->target[k], err));
    if (g->target[k] <= 0)
        EC_TRY(ec_fail(err, EC_E_INPUT, "line %d, column %.40s: found \"%g\", expected more than 0",
                       g->csv.lines[row], g->o->target, g->target[k]));
    for (j = 0; j < g->n_cols; j++)
        EC_TRY(read_cell(g, row, g->names[j], &g->value[k * g->n_cols + j], err));
    g->row[k] = row;
out:
    return st;
}

static bool is_asked(const struct grid *g, int row)
{
    return !g->o->model || g->model_col < 0 ||
           ec_str_ieq(ec_csv_cell(&g->csv, row, g->model_col), g->o->model);
}

#define LEFT_OUT_TOLD 3

/* Reads all rows; those without numbers are left out. */
static enum ec_status read_values(struct grid *g, struct ec_err *err)
{
    struct ec_err why = { .status = EC_OK };
    enum ec_status st = EC_OK;
    int row, n = 0;

    for (row = 0; row < g->csv.n_rows; row++) {
        if (!is_asked(g, row))
            continue;
        if (read_row(g, row, n, &why) == EC_OK)
            n++;
        else if (g->n_left_out++ < LEFT_OUT_TOLD)
            EC_TRY(ec_strs_add(&g->left_out, &g->arena, err, "left out: %s", why.text));
    }
    if (g->n_left_out > LEFT_OUT_TOLD)
        EC_TRY(ec_strs_add(&g->left_out, &g->arena, err, "left out: %d more",
                           g->n_left_out - LEFT_OUT_TOLD));
    g->n = n;
    if (n < FEWEST)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%d rows, expected at least %d%s%s", n, (int)FEWEST,
                       g->n_left_out ? "; " : "", g->n_left_out ? g->left_out.v[0] : ""));
out:
    return st;
}

static enum ec_status keep_left_out(const struct grid *g, struct ec_strs *ret, struct ec_arena *a,
                                    struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < g->left_out.n && !st; i++)
        st = ec_strs_add(ret, a, err, "%s", g->left_out.v[i]);
    return st;
}

static const char *device_of(const struct grid *g, int row)
{
    return *g->o->device ? g->o->device
           : g->device   ? g->device
                         : ec_csv_cell(&g->csv, g->row[row], g->device_col);
}

static double samples_of(const struct grid *g, int row)
{
    int col = g->samples_col;
    double v = 0;

    if (col >= 0 && ec_parse_double(ec_span_of(ec_csv_cell(&g->csv, g->row[row], col)), &v) &&
        v > 0)
        return v;
    return CIFAR_TRAIN;
}

/* Whether two rows are the same query for the predictor, which may have a device that is no
 * feature. */
static bool same_configuration(const struct grid *g, int a, int b)
{
    return !memcmp(g->value + a * g->n_cols, g->value + b * g->n_cols,
                   sizeof *g->value * (size_t)g->n_cols) &&
           ec_str_eq(device_of(g, a), device_of(g, b)) && samples_of(g, a) == samples_of(g, b);
}

/* Merges rows of one configuration into one, with their median: a repetition must not be both
 * fitted and tested. */
static enum ec_status merge_repeats(struct grid *g, struct ec_err *err)
{
    double *repeat = ec_alloc(sizeof *repeat * (size_t)g->n);
    int i, k, n = 0, kept = 0;

    if (!repeat)
        return ec_nomem(err);
    for (i = 0; i < g->n; i++) {
        for (k = 0; k < kept && !same_configuration(g, k, i); k++)
            continue;
        if (k < kept)
            continue;
        for (n = 0, k = i; k < g->n; k++)
            if (same_configuration(g, i, k))
                repeat[n++] = g->target[k];
        memmove(g->value + kept * g->n_cols, g->value + i * g->n_cols,
                sizeof *g->value * (size_t)g->n_cols);
        g->row[kept] = g->row[i];
        g->target[kept++] = ec_quantile_inplace(repeat, n, 0.5);
    }
    g->n = kept;
    ec_free(repeat);
    return EC_OK;
}

static void find_ranges(struct grid *g)
{
    int i, j;

    for (j = 0; j < g->n_cols; j++) {
        g->lo[j] = g->hi[j] = g->value[j];
        for (i = 1; i < g->n; i++) {
            g->lo[j] = fmin(g->lo[j], g->value[i * g->n_cols + j]);
            g->hi[j] = fmax(g->hi[j], g->value[i * g->n_cols + j]);
        }
        g->as_log[j] = g->lo[j] > 0;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Predictions of configurations */

static int feature_of(const struct grid *g, enum ec_quantity q)
{
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (ec_column_meaning(g->names[j]).quantity == q)
            return j;
    return -1;
}

/* Finds a column by its name or by a synonym. */
static int find_col(const struct grid *g, const char *name)
{
    enum ec_quantity want = ec_column_meaning(name).quantity;
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (ec_str_eq(g->names[j], name))
            return j;
    return want == EC_Q_NONE ? -1 : feature_of(g, want);
}

static enum ec_status unknown_feature(const struct grid *g, const char *name, struct ec_err *err)
{
    char known[256];
    size_t at = 0;
    int j;

    known[0] = 0;
    for (j = 0; j < g->n_cols && at < sizeof known; j++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", j ? ", " : "", g->names[j]);
    return ec_fail(err, EC_E_INPUT, "\"%.60s\" is none of the features: expected one of %s", name,
                   known);
}

/* The network's parameter for a column; NULL: none. */
static const char *parameter(const char *column)
{
    switch (ec_column_meaning(column).quantity) {
    case EC_Q_BATCH:
    case EC_Q_PARAMS:
    case EC_Q_DATASET_SIZE:
    case EC_Q_EPOCHS:
    case EC_Q_IMAGE_PX:
    case EC_Q_SEQ_LEN:
    case EC_Q_NUM_DEVICES:
        return NULL;
    case EC_Q_DEPTH:
        return "depth";
    case EC_Q_BASE_FILTERS:
        return "base_filters";
    default:
        return column;
    }
}

static void network_text(const struct grid *g, const double *value, struct ec_buf *out)
{
    char text[EC_FMT_DOUBLE_BYTES];
    int j, n = 0;

    ec_buf_reset(out);
    ec_buf_str(out, g->o->network);
    for (j = 0; j < g->n_cols; j++)
        if (parameter(g->names[j]))
            ec_buf_printf(out, "%c%s=%s", n++ ? ',' : ':', parameter(g->names[j]),
                          ec_fmt_double(text, sizeof text, value[j]));
}

static enum ec_status query_of(const struct grid *g, const double *value,
                               struct ec_predict_opts *ret, struct ec_err *err)
{
    const struct {
        enum ec_quantity q;
        int64_t *ret;
    } counts[] = {
        {EC_Q_BATCH,        &ret->batch  },
        { EC_Q_IMAGE_PX,    &ret->image  },
        { EC_Q_SEQ_LEN,     &ret->seq_len},
        { EC_Q_NUM_DEVICES, &ret->devices},
    };
    enum ec_status st = EC_OK;
    int i, j;

    ec_predict_opts_default(ret);
    EC_TRY(ec_conditions_set(&ret->cond, "precision", g->o->precision, err));
    EC_TRY(ec_conditions_set(&ret->cond, "framework", g->o->framework, err));
    EC_TRY(ec_conditions_set(&ret->cond, "optimizer", g->o->optimizer, err));
    ret->batch = g->o->batch > 0 ? g->o->batch : 32;
    for (i = 0; i < EC_LEN(counts); i++) {
        j = feature_of(g, counts[i].q);
        if (j >= 0)
            *counts[i].ret = (int64_t)value[j];
    }
out:
    return st;
}

/* log of the target (time of a step, time of an epoch, rate) for a step of step_ns. */
static double log_target(const struct grid *g, double step_ns, double samples, double batch)
{
    struct ec_meaning m = ec_column_meaning(g->o->target);
    double epoch_ns = step_ns * ceil(samples / batch);

    if (m.quantity == EC_Q_RATE || ec_str_glob("*per_s*", g->o->target))
        return log(samples / epoch_ns * 1e9);
    if (m.quantity == EC_Q_STEP_TIME)
        return log(step_ns / (m.size > 0 ? m.size : 1e9));
    return log(epoch_ns / (m.size > 0 ? m.size : 1e9));
}

/* The same, with the predictor's step time. */
static enum ec_status physics_of(const struct grid *g, const double *value, const char *device,
                                 double samples, double *ret, struct ec_err *err)
{
    const struct ec_device *d = NULL;
    struct ec_buf network = EC_BUF_INIT;
    struct ec_predict_opts o;
    struct ec_prediction p;
    enum ec_status st;

    if (!*device)
        return ec_fail(err, EC_E_INPUT, "it needs --device KEY, or a column device");
    network_text(g, value, &network);
    EC_TRY(ec_buf_status(&network, err));
    EC_TRY(query_of(g, value, &o, err));
    EC_TRY(ec_device_find(device, &d, err));
    if (ec_host_feeds(d))
        o.host = g->o->host;
    EC_TRY(ec_predict_network(g->predictor, ec_buf_text(&network), device, &o, &p, err));
    *ret = log_target(g, p.step_time_ns.p50, samples, (double)p.batch);
out:
    ec_buf_clear(&network);
    return st;
}

/* Adds the physics column, if every row can be predicted. */
static enum ec_status add_physics(struct grid *g, struct ec_err *err)
{
    struct ec_err why = { .status = EC_OK };
    enum ec_status st;
    int i;

    (void)snprintf(g->note, sizeof g->note, "Ours is a power law of the features.");
    if (!*g->o->network)
        return EC_OK;
    for (i = 0; i < g->n; i++) {
        st = physics_of(g, g->value + i * g->n_cols, device_of(g, i), samples_of(g, i),
                        &g->log_physics[i], &why);
        if (st == EC_E_NOMEM)
            return ec_nomem(err);
        if (st) {
            (void)snprintf(g->note, sizeof g->note,
                           "Ours is a power law of the features; %s is not predicted here (%.*s).",
                           g->o->network, (int)strcspn(why.text, ";"), why.text);
            return EC_OK;
        }
    }
    g->physics = true;
    (void)snprintf(g->note, sizeof g->note, "Ours corrects what is predicted for %s on %s.",
                   g->o->network,
                   ec_str_eq(device_of(g, 0), "this") ? "this machine" : device_of(g, 0));
    return EC_OK;
}

/* Opens the table, finds the columns, and makes room for the rows. */
static enum ec_status open_table(const struct ec_grid_opts *o, struct grid *g, struct ec_err *err)
{
    struct ec_table_given given = { .device_in = ec_device_in_text };
    size_t n;
    enum ec_status st;

    g->o = o;
    EC_TRY(ec_table_read(o->table, o->mapping, &g->csv, err));
    EC_TRY(ec_table_of_steps(&g->csv, o->table, err));
    given.path = o->table;
    g->device = ec_table_device(&g->csv, &given, &g->device_col);
    g->model_col = ec_column_of(&g->csv, EC_Q_MODEL);
    g->samples_col = ec_column_of(&g->csv, EC_Q_DATASET_SIZE);
    g->n = g->csv.n_rows;
    n = (size_t)g->n + 1;
    EC_TRY(name_columns(g, err));
    EC_TRY(ec_predictor_new(&g->predictor, err));
    g->value = ec_arena_alloc(&g->arena, n * (size_t)g->n_cols * sizeof *g->value);
    g->target = ec_arena_alloc(&g->arena, n * sizeof *g->target);
    g->log_physics = ec_arena_alloc(&g->arena, n * sizeof *g->log_physics);
    g->row = ec_arena_alloc(&g->arena, n * sizeof *g->row);
    if (!g->value || !g->target || !g->log_physics || !g->row)
        EC_TRY(ec_nomem(err));
out:
    return st;
}

/* Puts the table's name in front of a message without it. */
static enum ec_status of_table(const struct ec_grid_opts *o, enum ec_status st, struct ec_err *err)
{
    if (st && o->table && err && !ec_str_starts(err->text, o->table))
        ec_err_prefix(err, "%s: ", o->table);
    return st;
}

static enum ec_status grid_open(const struct ec_grid_opts *o, struct grid *g, struct ec_err *err)
{
    enum ec_status st;

    EC_TRY(open_table(o, g, err));
    if (g->n < FEWEST)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%d rows, expected at least %d", g->n, (int)FEWEST));
    EC_TRY(has_column(g, o->target, err));
    st = ec_host_check(o->host, err);
    if (!st && o->profile)
        st = ec_predictor_use_profile(g->predictor, o->profile, err);
    if (st)
        return st; /* its message names the host or the profile */
    EC_TRY(read_values(g, err));
    EC_TRY(merge_repeats(g, err));
    find_ranges(g);
    if (g->n < FEWEST)
        EC_TRY(
            ec_fail(err, EC_E_INPUT, "%d configurations, expected at least %d", g->n, (int)FEWEST));
    EC_TRY(add_physics(g, err));
out:
    return of_table(o, st, err);
}

/* ------------------------------------------------------------------------------------------------
 * Families */

/* clang-format off */
static const struct grid_family {
    const char *name, *kind, *options;
    bool ours; /* features as logarithms, and the physics column */
} families[] = {
    { .name = "linear", .kind = "linear" },
    { .name = "ann", .kind = "ann",
      .options = "hidden=32x32 epochs=1200 patience=300 batch=8 rate=0.004 act=relu loss=mse" },
    { .name = "ours", .kind = "ridge", .ours = true },
};
/* clang-format on */

/* The inputs of a family for a row; returns how many. */
static int row_of(const struct grid *g, bool ours, const double *value, double log_physics,
                  double *ret)
{
    int j;

    for (j = 0; j < g->n_cols; j++)
        ret[j] = ours && g->as_log[j] ? log(value[j] > 1e-9 ? value[j] : 1e-9) : value[j];
    if (!ours || !g->physics)
        return g->n_cols;
    ret[g->n_cols] = log_physics;
    return g->n_cols + 1;
}

/* Fits a family on the listed rows. */
static enum ec_status fit_rows(struct grid *g, const struct grid_family *f, const int *row, int n,
                               struct ec_regressor **ret, struct ec_err *err)
{
    int n_cols = g->n_cols + (f->ours && g->physics ? 1 : 0), i;
    struct ec_learn_env env = { .seed = (uint64_t)g->o->seed, .ann = &ec_ann_by_engine };
    struct ec_arena a = { 0 };
    double *x = ec_arena_alloc(&a, sizeof *x * (size_t)n * (size_t)n_cols);
    double *y = ec_arena_alloc(&a, sizeof *y * (size_t)n);
    struct ec_rows rows = { x, y, g->names, n, n_cols, NULL };
    struct ec_recipe r = { 0 };
    enum ec_status st;

    if (!x || !y)
        EC_TRY(ec_nomem(err));
    g->names[g->n_cols] = "predicted";
    for (i = 0; i < n; i++) {
        (void)row_of(g, f->ours, g->value + row[i] * g->n_cols, g->log_physics[row[i]],
                     x + i * n_cols);
        y[i] = g->target[row[i]];
    }
    EC_TRY(ec_recipe_parse(f->kind, f->options, &a, &r, err));
    r.target = !f->ours ? EC_TARGET_PLAIN : g->physics ? EC_TARGET_RATIO : EC_TARGET_LOG;
    r.base_col = f->ours && g->physics ? g->n_cols : -1;
    EC_TRY(ec_regressor_fit(&r, &rows, &env, ret, err));
out:
    ec_arena_clear(&a);
    return st;
}

static double ask(const struct grid *g, bool ours, const struct ec_regressor *m,
                  const double *value, double log_physics)
{
    double x[COLS_MAX + 1], y = 0;

    (void)row_of(g, ours, value, log_physics, x);
    ec_regressor_predict(m, x, 1, &y);
    return y;
}

/* Predicts each row by the fit of its round, which was fitted without it. */
static enum ec_status cross_predict(struct grid *g, const struct grid_family *f,
                                    const struct ec_split *s, double *ret, struct ec_err *err)
{
    int *row = ec_alloc(sizeof *row * (size_t)g->n), round, i, n;
    struct ec_regressor *m = NULL;
    enum ec_status st = EC_OK;

    if (!row)
        return ec_nomem(err);
    for (round = 0; round < s->n_rounds; round++) {
        n = ec_split_rows(s, round, false, row);
        EC_TRY(fit_rows(g, f, row, n, &m, err));
        n = ec_split_rows(s, round, true, row);
        for (i = 0; i < n; i++)
            ret[row[i]] = ask(g, f->ours, m, g->value + row[i] * g->n_cols, g->log_physics[row[i]]);
        ec_regressor_free(m);
        m = NULL;
    }
out:
    ec_regressor_free(m);
    ec_free(row);
    return st;
}

static enum ec_status make_split(const struct grid *g, struct ec_split *ret, struct ec_err *err)
{
    const char *word = g->o->split ? g->o->split : "kfold";
    int folds = g->o->folds < g->n ? (int)g->o->folds : g->n;

    if (ec_str_eq(word, "kfold"))
        return ec_split_make(EC_SPLIT_KFOLD, NULL, g->n, folds, (uint64_t)g->o->seed, ret, err);
    if (ec_str_eq(word, "random"))
        return ec_split_make(EC_SPLIT_RANDOM, NULL, g->n, 0, (uint64_t)g->o->seed, ret, err);
    return ec_fail(err, EC_E_INPUT, "a table is split by kfold or random, not by \"%.40s\"", word);
}

static enum ec_status judge_family(struct ec_grid_fit *f, int k, struct ec_err *err)
{
    size_t n = (size_t)f->n_rows;
    double *measured = ec_alloc(sizeof *measured * n), *predicted = ec_alloc(sizeof *measured * n);
    enum ec_status st = EC_OK;
    int i, m = 0;

    if (!measured || !predicted)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < f->n_rows; i++)
        if (f->tested[i]) {
            measured[m] = f->measured[i];
            predicted[m++] = f->v[k].predicted[i];
        }
    EC_TRY(ec_metrics_compute(measured, predicted, NULL, NULL, m, &f->v[k].m, err));
out:
    ec_free(measured);
    ec_free(predicted);
    return st;
}

static bool asked(const struct ec_grid_opts *o, const char *name)
{
    int i;

    for (i = 0; i < o->families.n; i++)
        if (ec_str_eq(o->families.v[i], name) || ec_str_eq(o->families.v[i], "all"))
            return true;
    return !o->families.n;
}

static enum ec_status check_families(const struct ec_grid_opts *o, struct ec_err *err)
{
    int i, k;

    for (i = 0; i < o->families.n; i++) {
        for (k = 0; k < EC_LEN(families) && !ec_str_eq(families[k].name, o->families.v[i]); k++)
            continue;
        if (k == EC_LEN(families) && !ec_str_eq(o->families.v[i], "all"))
            return ec_fail(err, EC_E_NOT_FOUND,
                           "no family \"%.40s\" of tables: expected linear, ann, ours or all",
                           o->families.v[i]);
    }
    return EC_OK;
}

/* Fits, predicts and computes the errors of one family. */
static enum ec_status compare_family(struct grid *g, const struct grid_family *family,
                                     const struct ec_split *s, struct ec_grid_fit *f,
                                     struct ec_err *err)
{
    struct ec_grid_family *v = &f->v[f->n];
    enum ec_status st;

    v->family = family->name;
    v->predicted = ec_arena_alloc(&f->arena, sizeof *g->target * (size_t)g->n);
    if (!v->predicted)
        EC_TRY(ec_nomem(err));
    EC_TRY(cross_predict(g, family, s, v->predicted, err));
    EC_TRY(judge_family(f, f->n, err));
    f->n++;
out:
    return st;
}

/* Writes the description of the model into it. */
static enum ec_status describe_model(const struct grid *g, const struct grid_family *f,
                                     struct ec_regressor *m, struct ec_err *err)
{
    struct ec_saved_model t = { .of = "table",
                                .family = f->name,
                                .source = g->o->table,
                                .target = g->o->target,
                                .features = g->o->features,
                                .network = f->ours && g->physics ? g->o->network : "",
                                .device = g->o->device,
                                .precision = g->o->precision,
                                .framework = g->o->framework,
                                .optimizer = g->o->optimizer,
                                .rows = g->n,
                                .seed = g->o->seed };
    struct ec_buf logs = EC_BUF_INIT;
    enum ec_status st;
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (f->ours && g->as_log[j])
            ec_buf_printf(&logs, "%s%s", logs.len ? "," : "", g->names[j]);
    EC_TRY(ec_buf_status(&logs, err));
    t.logs = ec_buf_text(&logs);
    EC_TRY(ec_saved_model_describe(&t, m, err));
out:
    ec_buf_clear(&logs);
    return st;
}

/* Fits a family to every row and saves it. */
static enum ec_status save_family(struct grid *g, const char *name, struct ec_err *err)
{
    int *row = ec_alloc(sizeof *row * (size_t)g->n), i, k = 0;
    struct ec_regressor *m = NULL;
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;

    if (!row)
        return ec_nomem(err);
    for (i = 0; i < g->n; i++)
        row[i] = i;
    while (!ec_str_eq(families[k].name, name))
        k++;
    EC_TRY(fit_rows(g, &families[k], row, g->n, &m, err));
    EC_TRY(describe_model(g, &families[k], m, err));
    EC_TRY(ec_regressor_save(m, &out, err));
    EC_TRY(ec_file_write(g->o->save_path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    ec_regressor_free(m);
    ec_free(row);
    return st;
}

enum ec_status ec_grid_compare(const struct ec_grid_opts *o, struct ec_grid_fit *ret,
                               struct ec_err *err)
{
    struct ec_grid_opts filled = *o;
    struct ec_grid_fit f = { 0 };
    struct grid g = { 0 };
    struct ec_split s = { 0 };
    enum ec_status st;
    int i, k, best = 0;

    EC_TRY(check_families(o, err));
    EC_TRY(ec_grid_fill(&filled, &f.arena, err));
    o = &filled;
    EC_TRY(grid_open(o, &g, err));
    f.target = o->target;
    EC_TRY(make_split(&g, &s, err));
    f.n_rows = g.n;
    f.n_rounds = s.n_rounds;
    f.measured = ec_arena_copy(&f.arena, g.target, sizeof *g.target * (size_t)g.n);
    f.tested = ec_arena_alloc(&f.arena, sizeof *f.tested * (size_t)g.n);
    if (!f.measured || !f.tested)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < g.n; i++) {
        f.tested[i] = s.round[i] >= 0;
        f.n_tested += f.tested[i];
    }
    for (k = 0; k < EC_LEN(families); k++)
        if (asked(o, families[k].name))
            EC_TRY(compare_family(&g, &families[k], &s, &f, err));
    for (k = 0; k < f.n; k++)
        best = f.v[k].m.mean_ape < f.v[best].m.mean_ape ? k : best;
    f.v[best].best = true;
    if (o->save_path)
        EC_TRY(save_family(&g, f.v[best].family, err));
    memcpy(f.note, g.note, sizeof f.note);
    EC_TRY(keep_left_out(&g, &f.left_out, &f.arena, err));
    *ret = f;
    memset(&f, 0, sizeof f);
out:
    ec_free(s.round);
    grid_clear(&g);
    ec_grid_fit_clear(&f);
    return st;
}

void ec_grid_fit_clear(struct ec_grid_fit *g)
{
    ec_arena_clear(&g->arena);
}

/* ------------------------------------------------------------------------------------------------
 * What if */

#define ANSWERS_MAX 100000

struct whatif {
    struct grid g;
    struct ec_regressor *model;
    double reach; /* |log(measured / predicted)| of at most 90 % of held-out rows */
    bool counted; /* num_params is what we count: it follows from the other features */
    double *choice[COLS_MAX];
    int n_choice[COLS_MAX];
    double budget;
    struct ec_grid_answers *ret;
};

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Half-width by split-conformal prediction: the ceil(0.9 (n + 1))-th smallest error of held-out
 * rows. */
static enum ec_status measure_reach(struct whatif *w, struct ec_err *err)
{
    const struct grid_family *ours = &families[EC_LEN(families) - 1];
    struct grid *g = &w->g;
    struct ec_split s = { 0 };
    double *v = ec_alloc(sizeof *v * (size_t)g->n);
    enum ec_status st;
    int i, at = (int)ceil(0.9 * (g->n + 1)) - 1;

    if (!v)
        return ec_nomem(err);
    EC_TRY(ec_split_make(EC_SPLIT_KFOLD, NULL, g->n, g->n < 10 ? g->n : 10, (uint64_t)g->o->seed,
                         &s, err));
    EC_TRY(cross_predict(g, ours, &s, v, err));
    for (i = 0; i < g->n; i++)
        v[i] = fabs(log(v[i] / g->target[i]));
    qsort(v, (size_t)g->n, sizeof *v, by_number);
    w->reach = v[at < g->n ? at : g->n - 1];
out:
    ec_free(s.round);
    ec_free(v);
    return st;
}

static enum ec_status add_choice(struct whatif *w, int j, double v, struct ec_err *err)
{
    double *list = ec_arena_alloc(&w->g.arena, sizeof *list * (size_t)(w->n_choice[j] + 1));

    if (!list)
        return ec_nomem(err);
    if (w->n_choice[j])
        memcpy(list, w->choice[j], sizeof *list * (size_t)w->n_choice[j]);
    list[w->n_choice[j]++] = v;
    w->choice[j] = list;
    return EC_OK;
}

/* "depth=4", or several values: "depth=3,4". */
static enum ec_status take_setting(struct whatif *w, const char *text, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), name = { NULL, 0 }, word;
    enum ec_status st = EC_OK;
    char column[64];
    double v = 0;
    int j;

    (void)ec_span_cut(&rest, '=', &name);
    (void)snprintf(column, sizeof column, "%.*s", (int)name.len, name.p);
    j = find_col(&w->g, column);
    if (j < 0)
        return unknown_feature(&w->g, column, err);
    do {
        word = rest;
        (void)ec_span_cut(&rest, ',', &word);
        if (!ec_parse_double(ec_span_trim(word), &v))
            return ec_fail(err, EC_E_INPUT, "\"%.60s\": expected %s=NUMBER or %s=NUMBER,NUMBER",
                           text, column, column);
        st = add_choice(w, j, v, err);
    } while (!st && rest.p);
    return st;
}

/* Whether feature j follows from the network: its number of parameters. */
static bool follows(const struct whatif *w, int j)
{
    return w->counted && ec_column_meaning(w->g.names[j]).quantity == EC_Q_PARAMS;
}

/* Features that are not set take the values of the table. */
static enum ec_status fill_choices(struct whatif *w, struct ec_err *err)
{
    const struct grid *g = &w->g;
    double *v;
    int j, i, n;

    for (j = 0; j < g->n_cols; j++) {
        if (w->n_choice[j])
            continue;
        v = ec_arena_alloc(&w->g.arena, sizeof *v * (size_t)g->n);
        if (!v)
            return ec_nomem(err);
        for (i = 0; i < g->n; i++)
            v[i] = g->value[i * g->n_cols + j];
        qsort(v, (size_t)g->n, sizeof *v, by_number);
        for (i = n = 0; i < g->n; i++)
            if (!n || v[i] != v[n - 1])
                v[n++] = v[i];
        w->choice[j] = v;
        w->n_choice[j] = follows(w, j) ? 1 : n;
    }
    return EC_OK;
}

static enum ec_status count_params(const struct grid *g, const double *value, double *ret,
                                   struct ec_err *err)
{
    struct ec_buf network = EC_BUF_INIT;
    struct ec_graph *graph = NULL;
    struct ec_totals t;
    enum ec_status st;

    network_text(g, value, &network);
    EC_TRY(ec_buf_status(&network, err));
    EC_TRY(ec_graph_open(ec_buf_text(&network), NULL, &graph, err));
    EC_TRY(ec_cost_graph(graph, EC_OPT_none, 4, &t, NULL, err));
    *ret = t.params;
out:
    ec_graph_free(graph);
    ec_buf_clear(&network);
    return st;
}

/* Whether num_params in the table is what we count for each network. */
static bool counts_agree(const struct grid *g)
{
    double params = 0;
    int i, j;

    for (j = 0; j < g->n_cols && ec_column_meaning(g->names[j]).quantity != EC_Q_PARAMS; j++)
        continue;
    if (j == g->n_cols || !*g->o->network)
        return false;
    for (i = 0; i < g->n; i++)
        if (count_params(g, g->value + i * g->n_cols, &params, NULL) ||
            fabs(params - g->value[i * g->n_cols + j]) > 0.5)
            return false;
    return true;
}

static double measured_mean(const struct grid *g, const double *value)
{
    double sum = 0;
    int i, j, n = 0;

    for (i = 0; i < g->n; i++) {
        for (j = 0; j < g->n_cols && g->value[i * g->n_cols + j] == value[j]; j++)
            ;
        if (j == g->n_cols) {
            sum += g->target[i];
            n++;
        }
    }
    return n ? sum / n : 0;
}

/* "batch_size 4096 is 32 times the largest, 128". */
static enum ec_status say_outside(struct whatif *w, const double *value, struct ec_grid_answer *a,
                                  struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    const struct grid *g = &w->g;
    enum ec_status st;
    int j;

    for (j = 0; j < g->n_cols; j++) {
        bool above = value[j] > g->hi[j];
        double end = above ? g->hi[j] : g->lo[j];

        if (!above && !(value[j] < g->lo[j]))
            continue;
        ec_buf_printf(&out, "%s%s %.6g ", out.len ? "; " : "", g->names[j], value[j]);
        if (end > 0 && value[j] > 0)
            ec_buf_printf(&out, "is %.3g times the %s, %.6g", value[j] / end,
                          above ? "largest" : "smallest", end);
        else
            ec_buf_printf(&out, "is %s %.6g", above ? "above" : "below", end);
    }
    EC_TRY(ec_buf_status(&out, err));
    a->extrapolates = out.len > 0;
    a->outside = ec_arena_str(&w->ret->arena, ec_buf_text(&out));
    if (!a->outside)
        EC_TRY(ec_nomem(err));
out:
    ec_buf_clear(&out);
    return st;
}

static enum ec_status answer(struct whatif *w, double *value, struct ec_err *err)
{
    const struct grid *g = &w->g;
    struct ec_grid_answer a = { 0 };
    double physics = 0, reach;
    enum ec_status st = EC_OK;
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (follows(w, j))
            EC_TRY(count_params(g, value, &value[j], err));
    if (g->physics)
        EC_TRY(physics_of(g, value, device_of(g, 0), samples_of(g, 0), &physics, err));
    a.target.p50 = ask(g, true, w->model, value, physics);
    w->ret->least = w->ret->least > 0 ? fmin(w->ret->least, a.target.p50) : a.target.p50;
    if (w->budget > 0 && a.target.p50 > w->budget)
        return EC_OK;
    EC_TRY(say_outside(w, value, &a, err));
    reach = w->reach * (a.extrapolates ? 2 : 1);
    a.target.p05 = a.target.p50 * exp(-reach);
    a.target.p95 = a.target.p50 * exp(reach);
    a.measured = measured_mean(g, value);
    memcpy(a.value, value, sizeof *value * (size_t)g->n_cols);
    EC_TRY(ec_grow(&w->ret->v, &w->ret->cap, w->ret->n + 1, sizeof *w->ret->v, err));
    w->ret->v[w->ret->n++] = a;
out:
    return st;
}

/* Every combination of the choices. */
static enum ec_status combine(struct whatif *w, struct ec_err *err)
{
    double value[COLS_MAX];
    int at[COLS_MAX] = { 0 }, j;
    int64_t total = 1;
    enum ec_status st;

    for (j = 0; j < w->g.n_cols; j++)
        if (!ec_mul_i64(total, w->n_choice[j], &total) || total > ANSWERS_MAX)
            return ec_fail(err, EC_E_INPUT, "more than %d configurations; set some features",
                           ANSWERS_MAX);
    do {
        for (j = 0; j < w->g.n_cols; j++)
            value[j] = w->choice[j][at[j]];
        EC_TRY(answer(w, value, err));
        for (j = 0; j < w->g.n_cols && ++at[j] == w->n_choice[j]; j++)
            at[j] = 0;
    } while (j < w->g.n_cols);
out:
    return st;
}

static int by_median(const void *a, const void *b)
{
    const struct ec_grid_answer *x = a, *y = b;

    return (x->target.p50 > y->target.p50) - (x->target.p50 < y->target.p50);
}

static enum ec_status fit_ours(struct whatif *w, struct ec_err *err)
{
    int *row = ec_alloc(sizeof *row * (size_t)w->g.n), i;
    enum ec_status st;

    if (!row)
        return ec_nomem(err);
    for (i = 0; i < w->g.n; i++)
        row[i] = i;
    st = fit_rows(&w->g, &families[EC_LEN(families) - 1], row, w->g.n, &w->model, err);
    ec_free(row);
    return st;
}

enum ec_status ec_grid_whatif(const struct ec_grid_opts *o, const struct ec_strs *set,
                              double budget, struct ec_grid_answers *ret, struct ec_err *err)
{
    struct ec_grid_opts filled = *o;
    struct ec_grid_answers r = { 0 };
    struct whatif w = { .budget = budget, .ret = &r };
    enum ec_status st;
    int i;

    EC_TRY(ec_grid_fill(&filled, &r.arena, err));
    EC_TRY(grid_open(&filled, &w.g, err));
    for (i = 0; i < set->n; i++)
        EC_TRY(take_setting(&w, set->v[i], err));
    w.counted = w.g.physics || counts_agree(&w.g);
    EC_TRY(fill_choices(&w, err));
    EC_TRY(fit_ours(&w, err));
    EC_TRY(measure_reach(&w, err));
    EC_TRY(combine(&w, err));
    if (r.n)
        qsort(r.v, (size_t)r.n, sizeof *r.v, by_median);
    r.n_cols = w.g.n_cols;
    for (i = 0; i < r.n_cols; i++) {
        r.names[i] = ec_arena_str(&r.arena, w.g.names[i]);
        if (!r.names[i])
            EC_TRY(ec_nomem(err));
    }
    memcpy(r.note, w.g.note, sizeof r.note);
    EC_TRY(keep_left_out(&w.g, &r.left_out, &r.arena, err));
    *ret = r;
    memset(&r, 0, sizeof r);
out:
    ec_regressor_free(w.model);
    grid_clear(&w.g);
    ec_grid_answers_clear(&r);
    return st;
}

void ec_grid_answers_clear(struct ec_grid_answers *a)
{
    ec_free(a->v);
    ec_arena_clear(&a->arena);
}

/* ------------------------------------------------------------------------------------------------
 * Models that were saved */

static bool in_list(const char *list, const char *name)
{
    struct ec_span rest = ec_span_of(list), word;

    while (ec_span_cut(&rest, ',', &word))
        if (ec_span_eq(word, name))
            return true;
    return false;
}

/* Checks that the model's columns are the features, and the physics column if it was fitted with
 * it. */
static enum ec_status check_columns(const struct grid *g, const struct ec_regressor *m,
                                    struct ec_err *err)
{
    const char *const *names = ec_regressor_names(m);
    int j;

    for (j = 0; j < g->n_cols && j < ec_regressor_cols(m); j++)
        if (!ec_str_eq(names[j], g->names[j]))
            break;
    if (j < g->n_cols || ec_regressor_cols(m) != g->n_cols + g->physics)
        return ec_fail(err, EC_E_PARSE, "the model's columns are not the features it names");
    return EC_OK;
}

/* Predicts one row, whose target may be missing. */
static enum ec_status ask_row(struct grid *g, const struct ec_regressor *m,
                              const struct ec_saved_model *t, int i, struct ec_model_row *ret,
                              struct ec_err *err)
{
    double x[COLS_MAX + 1], *value = g->value + i * g->n_cols;
    const char *cell = cell_of(g, i, t->target);
    enum ec_status st = EC_OK;
    int j;

    g->row[i] = i;
    for (j = 0; j < g->n_cols; j++)
        EC_TRY(read_cell(g, i, g->names[j], &value[j], err));
    if (g->physics) {
        st = physics_of(g, value, device_of(g, i), samples_of(g, i), &g->log_physics[i], err);
        if (st)
            ec_err_prefix(err, "line %d: ", g->csv.lines[i]);
        EC_TRY(st);
    }
    if (!ec_parse_double(ec_span_trim(ec_span_of(cell)), &ret->measured) || ret->measured < 0)
        ret->measured = 0;
    ret->value = value;
    (void)row_of(g, *t->logs != 0, value, g->log_physics[i], x);
    if (g->physics)
        x[g->n_cols] = g->log_physics[i];
    ec__asked_answer(m, t, x, ret);
out:
    return st;
}

static enum ec_status ask_rows(struct grid *g, const struct ec_regressor *m,
                               const struct ec_saved_model *t, struct ec_model_rows *ret,
                               struct ec_err *err)
{
    enum ec_status st;
    int i;

    for (i = 0; i < g->n_cols; i++)
        g->as_log[i] = in_list(t->logs, g->names[i]);
    ret->v = ec_arena_alloc(&g->arena, sizeof *ret->v * (size_t)(g->n + 1));
    ret->names = ec_arena_copy(&g->arena, g->names, sizeof *g->names * (size_t)g->n_cols);
    if (!ret->v || !ret->names)
        EC_TRY(ec_nomem(err));
    ret->n_names = g->n_cols;
    for (i = 0; i < g->n; i++)
        EC_TRY(ask_row(g, m, t, i, &ret->v[ret->n++], err));
    EC_TRY(ec__asked_judge(ret, err));
out:
    return st;
}

enum ec_status ec_saved_model_table(const struct ec_regressor *m, const struct ec_saved_model *t,
                                    const struct ec_grid_opts *of, struct ec_model_rows *ret,
                                    struct ec_err *err)
{
    struct ec_grid_opts o = { .table = of->table,
                              .mapping = of->mapping,
                              .target = t->target,
                              .features = t->features,
                              .network = t->network,
                              .device = *of->device ? of->device : t->device,
                              .precision = t->precision,
                              .framework = t->framework,
                              .optimizer = t->optimizer,
                              .profile = of->profile };
    struct ec_model_rows asked = { 0 };
    struct grid g = { .physics = *t->network != 0 };
    enum ec_status st;

    if (!ec_str_eq(t->of, "table"))
        return ec_fail(err, EC_E_INPUT,
                       "the model was fitted to operators: give --op NAME --data PATH");
    EC_TRY(of_table(&o, open_table(&o, &g, err), err));
    EC_TRY(check_columns(&g, m, err));
    if (o.profile)
        EC_TRY(ec_predictor_use_profile(g.predictor, o.profile, err));
    EC_TRY(of_table(&o, ask_rows(&g, m, t, &asked, err), err));
    asked.arena = g.arena; /* the texts of the rows */
    memset(&g.arena, 0, sizeof g.arena);
    *ret = asked;
out:
    grid_clear(&g);
    return st;
}
