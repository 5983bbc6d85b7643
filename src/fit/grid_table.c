/* Reads a table of configurations or of runs as numbers: features, the target, and the predictor's
 * time where the rows describe networks. */
#include "fit/grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/grid_internal.h"

enum { FEWEST = 6 };

#include "grid_fields.h"

void ec__grid_clear(struct ec__grid *g)
{
    ec_predictor_free(g->predictor);
    ec_csv_clear(&g->csv);
    ec_arena_clear(&g->arena);
}

static enum ec_status read_cell(const struct ec__grid *g, int row, int col, double *ret,
                                struct ec_err *err)
{
    const char *cell = ec_csv_cell(&g->csv, row, col);

    if (!ec_parse_double(ec_span_trim(ec_span_of(cell)), ret))
        return ec_fail(err, EC_E_INPUT, "line %d, column %.40s: found \"%.40s\", expected a number",
                       g->csv.lines[row], g->csv.names[col], cell);
    return EC_OK;
}

enum ec_status ec__grid_read_row(struct ec__grid *g, int row, double *value, struct ec_err *err)
{
    int j;

    for (j = 0; j < g->n_cols; j++) {
        const struct ec__feature *f = &g->feature[j];

        if (f->word)
            value[j] = ec_str_eq(ec_csv_cell(&g->csv, row, f->col), f->word);
        else if (f->col >= 0)
            EC_PASS(read_cell(g, row, f->col, &value[j], err));
    }
    for (j = 0; j < g->n_cols; j++)
        if (g->feature[j].col < 0) {
            EC_PASS(ec_within(err,
                              ec__grid_count(g, row, value, g->feature[j].counted, &value[j], err),
                              "line %d: ", g->csv.lines[row]));
        }
    return EC_OK;
}

static double accuracy_of(const struct ec__grid *g, int row)
{
    const char *cell = ec_csv_cell(&g->csv, row, g->accuracy_col);
    double v;

    return ec_parse_double(ec_span_trim(ec_span_of(cell)), &v) && v >= 0 && v <= 100 ? v
                                                                                     : (double)NAN;
}

/* Reads the numbers of a row as configuration k. */
static enum ec_status read_row(struct ec__grid *g, int row, int k, struct ec_err *err)
{
    EC_PASS(read_cell(g, row, ec_column_like(&g->csv, g->o->target), &g->target[k], err));
    if (g->target[k] <= 0)
        return ec_fail(err, EC_E_INPUT, "line %d, column %.40s: found \"%g\", expected more than 0",
                       g->csv.lines[row], g->o->target, g->target[k]);
    EC_PASS(ec__grid_read_row(g, row, g->value + k * g->n_cols, err));
    if (g->accuracy)
        g->accuracy[k] = accuracy_of(g, row);
    g->row[k] = row;
    return EC_OK;
}

static bool is_training(const struct ec__grid *g, int row)
{
    const char *mode = ec_csv_cell(&g->csv, row, g->mode_col);

    return *mode && ec_str_eq(ec_column_word(EC_Q_MODE, mode), ec_mode_name(EC_MODE_TRAINING_STEP));
}

/* Rows of other networks than the one that was named are not asked, nor are other modes beside
 * training steps. */
static bool is_asked(const struct ec__grid *g, int row)
{
    return (!g->training_only || is_training(g, row)) && ec__grid_asks(g->o, &g->csv, row);
}

#define LEFT_OUT_TOLD 3

static void say_left_out(const struct ec__grid *g, const char *file, const char *why)
{
    if (g->o->said)
        ec_said_left_out(g->o->said, file, why);
}

/* Reads all rows; those without numbers are left out. */
static enum ec_status read_values(struct ec__grid *g, struct ec_err *err)
{
    int table_col = ec_csv_col(&g->csv, EC__GRID_TABLE), n_left_out = 0, told = 0, row, n = 0;
    struct ec_err why = { .status = EC_OK }, first = why, last = why;
    char more[40];

    for (row = 0; row < g->csv.n_rows; row++)
        g->training_only |= is_training(g, row);
    for (row = 0; row < g->csv.n_rows; row++) {
        if (!is_asked(g, row))
            continue;
        if (read_row(g, row, n, &why) == EC_OK) {
            n++;
            continue;
        }
        if (!n_left_out++)
            first = why;
        /* the reason stands behind "line 7" */
        if (told == LEFT_OUT_TOLD ||
            (told && strstr(last.text, why.text + strcspn(why.text, ":,"))))
            continue;
        say_left_out(g, ec_csv_cell(&g->csv, row, table_col), why.text);
        last = why;
        told++;
    }
    (void)snprintf(more, sizeof more, "%d more row%s", n_left_out - told,
                   n_left_out == told + 1 ? "" : "s");
    if (n_left_out > told)
        say_left_out(g, "", more);
    g->n = n;
    if (n < FEWEST)
        return ec_fail(err, EC_E_INPUT, "%d rows, expected at least %d%s%s", n, (int)FEWEST,
                       n_left_out ? "; left out: " : "", first.text);
    return EC_OK;
}

void ec__grid_queries(const struct ec__grid *g, bool any_device, struct ec__grid_queries *ret)
{
    int i;

    *ret = (struct ec__grid_queries){
        g, any_device, {g->model_col, g->conditions_col}
    };
    for (i = 0; i < EC__GRID_WORDS; i++)
        ret->cols[2 + i] = ec_column_of(&g->csv, ec__grid_words[i].q);
}

/* Whether a feature is the device, or known of it. */
static bool is_of_device(const struct ec__grid *g, const struct ec__feature *f)
{
    return f->col >= 0 ? f->col == g->device_col
                       : f->counted == EC__COUNTED_PEAK || f->counted == EC__COUNTED_BANDWIDTH;
}

int ec__grid_by_query(const void *user, int a, int b)
{
    const struct ec__grid_queries *q = user;
    const struct ec__grid *g = q->g;
    double x = ec__grid_samples(g, g->row[a]), y = ec__grid_samples(g, g->row[b]);
    int by = (x > y) - (x < y), i;

    for (i = 0; i < g->n_cols && !by; i++) {
        x = g->value[a * g->n_cols + i];
        y = g->value[b * g->n_cols + i];
        if (!q->any_device || !is_of_device(g, &g->feature[i]))
            by = (x > y) - (x < y);
    }
    if (!by && !q->any_device)
        by = strcmp(ec__grid_device(g, g->row[a]), ec__grid_device(g, g->row[b]));
    for (i = 0; i < EC_LEN(q->cols) && !by; i++)
        if (q->cols[i] >= 0)
            by = strcmp(ec_csv_cell(&g->csv, g->row[a], q->cols[i]),
                        ec_csv_cell(&g->csv, g->row[b], q->cols[i]));
    return by;
}

/* Merges rows of one configuration into one, with their median: a repetition must not be both
 * fitted and tested. */
static enum ec_status merge_repeats(struct ec__grid *g, struct ec_err *err)
{
    double *repeat = ec_alloc(sizeof *repeat * (size_t)g->n);
    struct ec__grid_queries q;
    struct ec_groups same = { 0 };
    enum ec_status st;
    int i, k, n;

    EC_TRY(ec_allocated(repeat, err));
    ec__grid_queries(g, false, &q);
    EC_TRY(ec_group(g->n, ec__grid_by_query, &q, &same, err));
    for (i = 0; i < same.n; i++) { /* a group is written to where no later one is read */
        int first = ec_group_first(&same, i);

        for (n = 0, k = same.begin[i]; k < same.begin[i + 1]; k++)
            repeat[n++] = g->target[same.item[k]];
        g->target[i] = ec_quantile_inplace(repeat, n, 0.5);
        for (n = 0, k = same.begin[i]; k < same.begin[i + 1] && g->accuracy; k++)
            if (isfinite(g->accuracy[same.item[k]]))
                repeat[n++] = g->accuracy[same.item[k]];
        if (g->accuracy)
            g->accuracy[i] = n ? ec_quantile_inplace(repeat, n, 0.5) : (double)NAN;
        memmove(g->value + i * g->n_cols, g->value + first * g->n_cols,
                sizeof *g->value * (size_t)g->n_cols);
        g->row[i] = g->row[first];
    }
    g->n = same.n;
out:
    ec_groups_clear(&same);
    ec_free(repeat);
    return st;
}

static void find_ranges(struct ec__grid *g)
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

/* log of the target (time of a step, time of an epoch, rate) for a step of step_ns. */
static double log_target(const struct ec__grid *g, double step_ns, double samples, double batch)
{
    struct ec_meaning m = ec_column_meaning(g->o->target);
    double epoch_ns = step_ns * ceil(samples / batch);

    if (m.quantity == EC_Q_RATE || ec_str_glob("*per_s*", g->o->target))
        return log(samples / epoch_ns * 1e9);
    if (m.quantity == EC_Q_STEP_TIME)
        return log(step_ns / (m.size > 0 ? m.size : 1e9));
    return log(epoch_ns / (m.size > 0 ? m.size : 1e9));
}

enum ec_status ec__grid_physics(const struct ec__grid *g, int row, const double *value, double *ret,
                                struct ec_err *err)
{
    const char *device = ec__grid_device(g, row);
    const struct ec_device *d = NULL;
    struct ec_buf network = EC_BUF_INIT;
    struct ec_predict_opts o;
    struct ec_prediction p;
    enum ec_status st;

    if (!*device)
        return ec_fail(err, EC_E_INPUT, "it needs --device KEY, or a column device");
    ec__grid_network(g, row, value, &network);
    EC_TRY(ec_buf_status(&network, err));
    EC_TRY(ec__grid_query(g, row, value, &o, err));
    EC_TRY(ec_device_find(device, &d, err));
    if (ec_host_feeds(d))
        o.host = g->o->host;
    EC_TRY(ec_predict_network(g->predictor, ec_buf_text(&network), device, &o, &p, err));
    *ret = log_target(g, p.step_time_ns.p50, ec__grid_samples(g, row), (double)p.batch);
out:
    ec_buf_clear(&network);
    return st;
}

/* "Ours is ...": what our family corrects. */
static void note_physics(struct ec__grid *g)
{
    const char *device = ec__grid_device(g, g->row[0]);
    bool each = ec_str_eq(g->o->network, EC__GRID_EACH);
    int i;

    for (i = 1; i < g->n && ec_str_eq(device, ec__grid_device(g, g->row[i])); i++)
        continue;
    (void)snprintf(g->note, sizeof g->note, "Ours corrects what is predicted for %s on %s.",
                   each ? "each network" : g->o->network,
                   i < g->n                    ? "each device"
                   : ec_str_eq(device, "this") ? "this machine"
                                               : device);
}

/* Adds the physics column, if every row can be predicted. */
static enum ec_status add_physics(struct ec__grid *g, struct ec_err *err)
{
    struct ec_err why = { .status = EC_OK };
    enum ec_status st;
    int i;

    (void)snprintf(g->note, sizeof g->note, "Ours is a power law of the features.");
    if (!*g->o->network)
        return EC_OK;
    for (i = 0; i < g->n; i++) {
        st = ec__grid_physics(g, g->row[i], g->value + i * g->n_cols, &g->log_physics[i], &why);
        if (st == EC_E_NOMEM)
            return ec_nomem(err);
        if (st) {
            (void)snprintf(g->note, sizeof g->note,
                           "Ours is a power law of the features; %s is not predicted here (%.*s).",
                           ec_str_eq(g->o->network, EC__GRID_EACH) ? "a network" : g->o->network,
                           (int)strcspn(why.text, ";"), why.text);
            return EC_OK;
        }
    }
    g->physics = true;
    note_physics(g);
    return EC_OK;
}

/* The column of the accuracy: of a test rather than of validation. */
static enum ec_status find_accuracy(struct ec__grid *g, struct ec_err *err)
{
    static const char *const names[] = {
        "test_accuracy", "test_acc", "val_accuracy", "validation_accuracy",
        "val_acc",       "accuracy", "acc"
    };
    const char *given = g->o->accuracy;
    int i, row;

    g->accuracy_col = given && *given ? ec_csv_col(&g->csv, given) : -1;
    if (given)
        return *given && g->accuracy_col < 0 ? ec__grid_no_column(g, given, err) : EC_OK;
    for (i = 0; i < EC_LEN(names) && g->accuracy_col < 0; i++) {
        int col = ec_csv_col(&g->csv, names[i]);

        for (row = 0; row < g->csv.n_rows && col >= 0 && g->accuracy_col < 0; row++)
            if (*ec_csv_cell(&g->csv, row, col))
                g->accuracy_col = col;
    }
    return EC_OK;
}

/* Opens the table, finds the columns, and makes room for the rows. */
enum ec_status ec__grid_open_table(const struct ec_grid_opts *o, struct ec__grid *g,
                                   struct ec_err *err)
{
    struct ec_table_given given = ec__grid_given(o);
    size_t n;

    g->o = o;
    EC_PASS(ec__grid_read(o, &g->csv, err));
    given.device = NULL; /* of the options: it stands before the table's */
    g->device = ec_table_device(&g->csv, &given, &g->device_col);
    g->model_col = ec_column_of(&g->csv, EC_Q_MODEL);
    g->samples_col = ec_column_of(&g->csv, EC_Q_DATASET_SIZE);
    g->mode_col = ec_column_of(&g->csv, EC_Q_MODE);
    g->conditions_col = ec_csv_col(&g->csv, EC_STEP_CONDITIONS);
    EC_PASS(find_accuracy(g, err));
    g->n = g->csv.n_rows;
    n = (size_t)g->n + 1;
    EC_PASS(ec__grid_find_features(g, err));
    EC_PASS(ec_predictor_new(&g->predictor, err));
    g->value = ec_arena_alloc(&g->arena, n * (size_t)g->n_cols * sizeof *g->value);
    g->target = ec_arena_alloc(&g->arena, n * sizeof *g->target);
    g->log_physics = ec_arena_alloc(&g->arena, n * sizeof *g->log_physics);
    g->row = ec_arena_alloc(&g->arena, n * sizeof *g->row);
    if (g->accuracy_col >= 0)
        g->accuracy = ec_arena_alloc(&g->arena, n * sizeof *g->accuracy);
    if (!g->value || !g->target || !g->log_physics || !g->row ||
        (g->accuracy_col >= 0 && !g->accuracy))
        return ec_nomem(err);
    return EC_OK;
}

static enum ec_status check_where(const struct ec__grid *g, struct ec_err *err)
{
    int i;

    for (i = 0; i < g->o->where.n; i++) {
        struct ec_span rest = ec_span_of(g->o->where.v[i]), name;
        char column[64];

        if (!strchr(g->o->where.v[i], '='))
            return ec_fail(err, EC_E_INPUT, "\"%.60s\": expected COLUMN=WORD", g->o->where.v[i]);
        (void)ec_span_cut(&rest, '=', &name);
        (void)snprintf(column, sizeof column, "%.*s", (int)name.len, name.p);
        if (ec_column_like(&g->csv, column) < 0)
            return ec__grid_no_column(g, column, err);
    }
    return EC_OK;
}

/* The first two different cells of a column in rows that are asked; false: all are the same. */
static bool differ(const struct ec__grid *g, int col, const char *ret[2])
{
    int row;

    ret[0] = "";
    for (row = 0; row < g->csv.n_rows && col >= 0; row++) {
        const char *cell = ec_csv_cell(&g->csv, row, col);

        if (!*cell || !is_asked(g, row))
            continue;
        ret[1] = cell;
        if (*ret[0] && !ec_str_ieq(ret[0], cell))
            return true;
        ret[0] = *ret[0] ? ret[0] : cell;
    }
    return false;
}

/* Hypothetical configurations are of one network on one device, with one word of each condition. */
static enum ec_status check_one(const struct ec__grid *g, struct ec_err *err)
{
    const char *two[2];
    int j;

    if (ec_str_eq(g->o->network, EC__GRID_EACH) && differ(g, g->model_col, two))
        return ec_fail(err, EC_E_INPUT,
                       "the rows are of several networks (%.40s, %.40s, ...): say --model NAME",
                       two[0], two[1]);
    for (j = g->n_cols - 1; j >= 0; j--) { /* the device, which may differ, last */
        const struct ec__feature *f = &g->feature[j];
        bool of_device =
            f->col < 0 && (f->counted == EC__COUNTED_PEAK || f->counted == EC__COUNTED_BANDWIDTH);
        int col = of_device ? g->device_col : f->word ? f->col : -1;

        if (differ(g, col, two))
            return ec_fail(err, EC_E_INPUT,
                           "the rows differ in %.40s (%.40s, %.40s, ...): say %.40s=WORD",
                           g->csv.names[col], two[0], two[1], g->csv.names[col]);
    }
    return EC_OK;
}

enum ec_status ec__grid_open(const struct ec_grid_opts *o, bool one, struct ec__grid *g,
                             struct ec_err *err)
{
    enum ec_status st;

    EC_TRY(ec__grid_open_table(o, g, err));
    EC_TRY(check_where(g, err));
    if (one)
        EC_TRY(check_one(g, err));
    if (g->n < FEWEST)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%d rows, expected at least %d", g->n, (int)FEWEST));
    if (ec_column_like(&g->csv, o->target) < 0)
        EC_TRY(ec__grid_no_column(g, o->target, err));
    /* these name the host and the profile themselves */
    EC_PASS(ec_host_check(o->host, err));
    if (o->profile)
        EC_PASS(ec_predictor_use_profile(g->predictor, o->profile, err));
    EC_TRY(read_values(g, err));
    EC_TRY(merge_repeats(g, err));
    find_ranges(g);
    if (g->n < FEWEST)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "%d configurations by %.200s, expected at least %d; --features names the "
                       "columns that tell rows apart",
                       g->n, o->features, (int)FEWEST));
    EC_TRY(add_physics(g, err));
out:
    return ec__grid_of_table(o, st, err);
}
