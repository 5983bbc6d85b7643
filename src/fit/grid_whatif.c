/* Predicts configurations that were not run from a table of configurations that were: by our
 * family, with an interval from the errors on held-out rows. */
#include "fit/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "fit/grid_internal.h"

#define COLS_MAX EC_GRID_COLS_MAX
#define ANSWERS_MAX 100000
#define LEAST 0.01      /* of the shortest time that was measured */
#define TEXT_BYTES 2048 /* names of all features */
#define DEVICES_MAX 32  /* each is a fit of its own, to a table that is read for it */

struct whatif {
    struct ec__grid g;
    const struct ec__grid_family *family;
    struct ec_regressor *model;
    int *sorted; /* the configurations by their features */
    struct ec__accuracy accuracy;
    double least; /* a straight line goes below zero: answers do not */
    double reach; /* |log(measured / predicted)| of at most 90 % of held-out rows */
    bool counted; /* num_params is what we count: it follows from the other features */
    double *choice[COLS_MAX];
    int n_choice[COLS_MAX];
    double budget;
    struct ec_grid_answers *ret;
};

static int order(const double *a, const double *b, int n)
{
    int j;

    for (j = 0; j < n; j++)
        if (a[j] < b[j] || a[j] > b[j])
            return a[j] < b[j] ? -1 : 1;
    return 0;
}

/* Half-width by split-conformal prediction: the ceil(0.9 (n + 1))-th smallest error of held-out
 * rows. */
static enum ec_status measure_reach(struct whatif *w, struct ec_err *err)
{
    struct ec__grid *g = &w->g;
    struct ec_split s = { 0 };
    double *v = ec_alloc(sizeof *v * (size_t)g->n);
    enum ec_status st;
    int i, at = (int)ceil(0.9 * (g->n + 1)) - 1;

    EC_TRY(ec_allocated(v, err));
    EC_TRY(ec_split_make(EC_SPLIT_KFOLD, NULL, g->n, g->n < 10 ? g->n : 10, (uint64_t)g->o->seed,
                         &s, err));
    EC_TRY(ec__grid_cross_predict(g, w->family, &s, v, err));
    for (i = 0; i < g->n; i++)
        w->least = i ? fmin(w->least, LEAST * g->target[i]) : LEAST * g->target[i];
    for (i = 0; i < g->n; i++)
        v[i] = fabs(log(fmax(v[i], w->least) / g->target[i]));
    qsort(v, (size_t)g->n, sizeof *v, ec_by_double);
    w->reach = v[at < g->n ? at : g->n - 1];
out:
    ec_free(s.round);
    ec_free(v);
    return st;
}

static enum ec_status add_choice(struct whatif *w, int j, double v, struct ec_err *err)
{
    double *list = ec_arena_alloc(&w->g.arena, sizeof *list * (size_t)(w->n_choice[j] + 1));

    EC_PASS(ec_allocated(list, err));
    if (w->n_choice[j])
        memcpy(list, w->choice[j], sizeof *list * (size_t)w->n_choice[j]);
    list[w->n_choice[j]++] = v;
    w->choice[j] = list;
    return EC_OK;
}

/* The features but one (-1: all), in words. */
static const char *others_of(const struct ec__grid *g, int but, char out[TEXT_BYTES])
{
    size_t at = 0;
    int j;

    out[0] = '\0';
    for (j = 0; j < g->n_cols && at < TEXT_BYTES; j++)
        if (j != but)
            at += (size_t)snprintf(out + at, TEXT_BYTES - at, "%s%s", at ? "," : "", g->names[j]);
    return out;
}

/* "depth=4", or several values: "depth=3,4". */
static enum ec_status take_setting(struct whatif *w, const char *text, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), name = { NULL, 0 }, word;
    enum ec_status st = EC_OK;
    char column[64], known[TEXT_BYTES];
    double v = 0;
    int j;

    (void)ec_span_cut(&rest, '=', &name);
    (void)snprintf(column, sizeof column, "%.*s", (int)name.len, name.p);
    j = ec__grid_find_feature(&w->g, column);
    if (j < 0)
        return ec_fail(err, EC_E_INPUT, "\"%.60s\" is none of the features: expected one of %.250s",
                       column, others_of(&w->g, -1, known));
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

/* Whether feature j follows from the others: what is counted, and the network's parameters. */
static bool follows(const struct whatif *w, int j)
{
    return w->g.feature[j].col < 0 ||
           (w->counted && ec_column_meaning(w->g.names[j]).quantity == EC_Q_PARAMS);
}

/* Features that are not set take the values of the table. */
static enum ec_status fill_choices(struct whatif *w, struct ec_err *err)
{
    const struct ec__grid *g = &w->g;
    char others[TEXT_BYTES];
    double *v;
    int j, i, n;

    for (j = 0; j < g->n_cols; j++) {
        if (w->n_choice[j] && follows(w, j))
            return ec_fail(err, EC_E_INPUT,
                           "%s cannot be set: it follows from %s; leave it out, or those out of "
                           "--features",
                           g->names[j], others_of(g, j, others));
        if (w->n_choice[j])
            continue;
        v = ec_arena_alloc(&w->g.arena, sizeof *v * (size_t)g->n);
        EC_PASS(ec_allocated(v, err));
        for (i = 0; i < g->n; i++)
            v[i] = g->value[i * g->n_cols + j];
        qsort(v, (size_t)g->n, sizeof *v, ec_by_double);
        for (i = n = 0; i < g->n; i++)
            if (!n || v[i] != v[n - 1])
                v[n++] = v[i];
        w->choice[j] = v;
        w->n_choice[j] = follows(w, j) ? 1 : n;
    }
    return EC_OK;
}

static enum ec_status count_params(const struct ec__grid *g, const double *value, double *ret,
                                   struct ec_err *err)
{
    struct ec_buf network = EC_BUF_INIT;
    struct ec_graph *graph = NULL;
    struct ec_totals t;
    enum ec_status st;

    ec__grid_network(g, g->row[0], value, &network);
    EC_TRY(ec_buf_status(&network, err));
    EC_TRY(ec_graph_open(ec_buf_text(&network), NULL, &graph, err));
    EC_TRY(ec_cost_graph(graph, EC_OPT_none, 4, &t, NULL, err));
    *ret = t.params;
out:
    ec_graph_free(graph);
    ec_buf_clear(&network);
    return st;
}

/* The feature of the network's parameters; n_cols: none. */
static int params_of(const struct ec__grid *g)
{
    int j;

    for (j = 0; j < g->n_cols && ec_column_meaning(g->names[j]).quantity != EC_Q_PARAMS; j++)
        continue;
    return j;
}

/* By features of the network: not by its parameters, and not by the batch. */
static int by_network(const void *user, int a, int b)
{
    const struct ec__grid *g = user;
    int j, by = 0;

    for (j = 0; j < g->n_cols && !by; j++) {
        enum ec_quantity q = EC_Q_NONE;

        by = order(g->value + a * g->n_cols + j, g->value + b * g->n_cols + j, 1);
        if (by) /* what a name means takes time */
            q = ec_column_meaning(g->names[j]).quantity;
        if (q == EC_Q_PARAMS || q == EC_Q_BATCH)
            by = 0;
    }
    return by;
}

/* Whether the parameters follow from other features, as rows of one network at several batches
 * show. */
static enum ec_status params_follow(const struct ec__grid *g, bool *ret, struct ec_err *err)
{
    struct ec_groups networks = { 0 };
    int j = params_of(g), i, k;
    enum ec_status st;

    *ret = false;
    if (j == g->n_cols)
        return EC_OK;
    EC_TRY(ec_group(g->n, by_network, g, &networks, err));
    *ret = networks.n > 1;
    for (i = 0; i < networks.n; i++)
        for (k = networks.begin[i]; k < networks.begin[i + 1]; k++)
            *ret &= !order(g->value + networks.item[k] * g->n_cols + j,
                           g->value + ec_group_first(&networks, i) * g->n_cols + j, 1);
out:
    ec_groups_clear(&networks);
    return st;
}

/* Whether num_params in the table is what we count for each network. */
static bool counts_agree(const struct ec__grid *g)
{
    double params = 0;
    int i, j = params_of(g);

    if (j == g->n_cols || !*g->o->network)
        return false;
    for (i = 0; i < g->n; i++)
        if (count_params(g, g->value + i * g->n_cols, &params, NULL) ||
            fabs(params - g->value[i * g->n_cols + j]) > 0.5)
            return false;
    return true;
}

static int by_features(const void *user, int a, int b)
{
    const struct ec__grid *g = user;

    return order(g->value + a * g->n_cols, g->value + b * g->n_cols, g->n_cols);
}

static enum ec_status sort_configurations(struct whatif *w, struct ec_err *err)
{
    int n = w->g.n, i;

    w->sorted = ec_arena_alloc(&w->g.arena, sizeof *w->sorted * 2 * (size_t)n);
    EC_PASS(ec_allocated(w->sorted, err));
    for (i = 0; i < n; i++)
        w->sorted[i] = i;
    ec_sort_items(w->sorted, n, w->sorted + n, by_features, &w->g);
    return EC_OK;
}

/* Mean over the rows of a configuration; 0: none. */
static double measured_mean(const struct whatif *w, const double *value)
{
    const struct ec__grid *g = &w->g;
    int lo = 0, hi = g->n, n = 0;
    double sum = 0;

    while (lo < hi) {
        int at = lo + (hi - lo) / 2;

        if (order(g->value + w->sorted[at] * g->n_cols, value, g->n_cols) < 0)
            lo = at + 1;
        else
            hi = at;
    }
    for (; lo < g->n && !order(g->value + w->sorted[lo] * g->n_cols, value, g->n_cols); lo++, n++)
        sum += g->target[w->sorted[lo]];
    return n ? sum / n : 0;
}

/* The time of an answer: what was measured counts more than what is predicted. */
static double time_of(const struct ec_grid_answer *a)
{
    return a->measured > 0 ? a->measured : a->target.p50;
}

/* "batch_size 4096 is 32 times the largest, 128". */
static enum ec_status say_outside(struct whatif *w, const double *value, struct ec_grid_answer *a,
                                  struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    const struct ec__grid *g = &w->g;
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
    a->extrapolates = out.len > 0;
    EC_TRY(ec_buf_keep(&out, &w->ret->arena, &a->outside, err));
out:
    ec_buf_clear(&out);
    return st;
}

static enum ec_status answer(struct whatif *w, double *value, struct ec_err *err)
{
    const struct ec__grid *g = &w->g;
    struct ec_grid_answer a = { 0 };
    double physics = 0, reach;
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (g->feature[j].col < 0)
            EC_PASS(ec__grid_count(&w->g, g->row[0], value, g->feature[j].counted, &value[j], err));
        else if (follows(w, j))
            EC_PASS(count_params(g, value, &value[j], err));
    if (g->physics)
        EC_PASS(ec__grid_physics(g, g->row[0], value, &physics, err));
    a.target.p50 = fmax(ec__grid_ask(g, w->family, w->model, value, physics), w->least);
    a.measured = measured_mean(w, value);
    w->ret->least = w->ret->least > 0 ? fmin(w->ret->least, time_of(&a)) : time_of(&a);
    if (w->budget > 0 && time_of(&a) > w->budget)
        return EC_OK;
    EC_PASS(say_outside(w, value, &a, err));
    reach = w->reach * (a.extrapolates ? 2 : 1);
    a.target.p05 = a.target.p50 * exp(-reach);
    a.target.p95 = a.target.p50 * exp(reach);
    if (w->accuracy.model)
        a.accuracy = ec__accuracy_of(&w->accuracy, g, value, a.extrapolates);
    memcpy(a.value, value, sizeof *value * (size_t)g->n_cols);
    EC_PASS(ec_grow(&w->ret->v, &w->ret->cap, w->ret->n + 1, sizeof *w->ret->v, err));
    w->ret->v[w->ret->n++] = a;
    return EC_OK;
}

/* Every combination of the choices. */
static enum ec_status combine(struct whatif *w, struct ec_err *err)
{
    double value[COLS_MAX];
    int at[COLS_MAX] = { 0 }, j;
    int64_t total = 1;

    for (j = 0; j < w->g.n_cols; j++)
        if (!ec_mul_i64(total, w->n_choice[j], &total) || total > ANSWERS_MAX)
            return ec_fail(err, EC_E_INPUT, "more than %d configurations; set some features",
                           ANSWERS_MAX);
    do {
        for (j = 0; j < w->g.n_cols; j++)
            value[j] = w->choice[j][at[j]];
        EC_PASS(answer(w, value, err));
        for (j = 0; j < w->g.n_cols && ++at[j] == w->n_choice[j]; j++)
            at[j] = 0;
    } while (j < w->g.n_cols);
    return EC_OK;
}

static int by_time(const void *a, const void *b)
{
    const struct ec_grid_answer *x = a, *y = b;

    return (time_of(x) > time_of(y)) - (time_of(x) < time_of(y));
}

struct asked {
    const struct ec_csv *csv;
    int *row, col; /* the rows that are asked, and the column of their device */
};

static int by_device(const void *user, int a, int b)
{
    const struct asked *q = user;

    return strcmp(ec_csv_cell(q->csv, q->row[a], q->col), ec_csv_cell(q->csv, q->row[b], q->col));
}

/* "gpu=t4" for each device of the rows that are asked; none if they are of one, or of too many. */
static enum ec_status find_devices(const struct ec_grid_opts *o, const struct ec_csv *csv,
                                   struct ec_arena *a, struct ec_strs *ret, struct ec_err *err)
{
    const struct ec_table_given given = ec__grid_given(o);
    struct asked q = { csv, ec_alloc(sizeof *q.row * ((size_t)csv->n_rows + 1)), -1 };
    struct ec_groups g = { 0 };
    enum ec_status st = EC_OK;
    int row, n = 0, i;

    EC_TRY(ec_allocated(q.row, err));
    (void)ec_table_device(csv, &given, &q.col);
    for (row = 0; row < csv->n_rows && q.col >= 0 && !*o->device; row++)
        if (ec__grid_asks(o, csv, row))
            q.row[n++] = row;
    EC_TRY(ec_group(n, by_device, &q, &g, err));
    for (i = 0; i < g.n && g.n > 1 && g.n <= DEVICES_MAX; i++)
        EC_TRY(ec_strs_add(ret, a, err, "%s=%s", csv->names[q.col],
                           ec_csv_cell(csv, q.row[ec_group_first(&g, i)], q.col)));
out:
    ec_groups_clear(&g);
    ec_free(q.row);
    return st;
}

/* Settings of words choose rows: "precision=amp". The rest are values of features. */
static enum ec_status part_settings(struct ec_grid_opts *o, const struct ec_strs *set,
                                    struct ec_arena *a, struct ec_strs *ret_values,
                                    struct ec_strs *ret_devices, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int i;

    st = ec__grid_read(o, &csv, err);
    if (st)
        return ec__grid_of_table(o, st, err);
    for (i = 0; i < set->n; i++) {
        struct ec_span rest = ec_span_of(set->v[i]), name = { NULL, 0 };
        char column[64];
        int col;

        (void)ec_span_cut(&rest, '=', &name);
        (void)snprintf(column, sizeof column, "%.*s", (int)name.len, name.p);
        col = ec_column_like(&csv, column);
        EC_TRY(ec_strs_add(col >= 0 && ec__grid_has_words(&csv, col) ? &o->where : ret_values, a,
                           err, "%s", set->v[i]));
    }
    EC_TRY(find_devices(o, &csv, a, ret_devices, err));
out:
    ec_csv_clear(&csv);
    return st;
}

/* Opens the table. Parameters that follow from the other features, and are not those that we count,
 * are known of no other configuration: they are no feature. */
static enum ec_status open_grid(struct whatif *w, struct ec_grid_opts *o, struct ec_arena *a,
                                struct ec_err *err)
{
    char others[TEXT_BYTES];
    bool drop;

    EC_PASS(ec__grid_open(o, true, &w->g, err));
    w->counted = w->g.physics || counts_agree(&w->g);
    EC_PASS(params_follow(&w->g, &drop, err));
    if (!drop || w->counted)
        return EC_OK;
    o->features = ec_arena_str(a, others_of(&w->g, params_of(&w->g), others));
    EC_PASS(ec_allocated(o->features, err));
    ec__grid_clear(&w->g);
    memset(&w->g, 0, sizeof w->g);
    return ec__grid_open(o, true, &w->g, err);
}

/* What is said once of all devices: the names of the features, and how far accuracies are off. */
static enum ec_status tell(const struct whatif *w, struct ec_grid_answers *r, struct ec_err *err)
{
    int i;

    if (w->accuracy.model && (!*r->accuracy || w->accuracy.off > r->accuracy_off)) {
        r->accuracy = ec_arena_str(&r->arena, w->g.csv.names[w->g.accuracy_col]);
        r->accuracy_off = w->accuracy.off;
        r->accuracy_spread = w->accuracy.spread;
    }
    if (!r->notes.n || !ec_str_eq(r->notes.v[r->notes.n - 1], w->g.note))
        EC_PASS(ec_strs_add(&r->notes, &r->arena, err, "%s", w->g.note));
    r->n_cols = w->g.n_cols;
    for (i = 0; i < r->n_cols; i++) {
        r->names[i] = ec_arena_str(&r->arena, w->g.names[i]);
        EC_PASS(ec_allocated(r->names[i] && r->accuracy, err));
    }
    return EC_OK;
}

/* The answers of one device. device: "gpu=t4"; NULL: all rows are of one. o: gets the features */
static enum ec_status ask_device(struct ec_grid_opts *o, const char *device,
                                 const struct ec_strs *values, double budget,
                                 struct ec_grid_answers *r, struct ec_err *err)
{
    struct whatif w = { .budget = budget, .ret = r };
    struct ec_grid_opts own = *o;
    enum ec_status st;
    int first = r->n, i;

    if (device)
        EC_TRY(ec_strs_add(&own.where, &r->arena, err, "%s", device));
    EC_TRY(ec_grid_fill(&own, &r->arena, err));
    w.family = o->family ? ec__grid_family(o->family) : ec__grid_ours;
    EC_TRY(open_grid(&w, &own, &r->arena, err));
    for (i = 0; i < values->n; i++)
        EC_TRY(take_setting(&w, values->v[i], err));
    EC_TRY(fill_choices(&w, err));
    EC_TRY(sort_configurations(&w, err));
    EC_TRY(ec__grid_fit_rows(&w.g, w.family, NULL, w.g.n, &w.model, err));
    EC_TRY(measure_reach(&w, err));
    EC_TRY(ec__accuracy_fit(&w.g, &w.accuracy, err));
    EC_TRY(combine(&w, err));
    for (i = first; i < r->n; i++)
        r->v[i].device = device ? strchr(device, '=') + 1 : "";
    o->features = own.features;
    EC_TRY(tell(&w, r, err));
out:
    r->n = st ? first : r->n;
    ec_regressor_free(w.model);
    ec__accuracy_clear(&w.accuracy);
    ec__grid_clear(&w.g);
    return st;
}

/* A device whose rows do not suffice is left out, unless none is left. */
static enum ec_status ask_devices(struct ec_grid_opts *o, const struct ec_strs *devices,
                                  const struct ec_strs *values, double budget,
                                  struct ec_grid_answers *r, struct ec_err *err)
{
    const char *table = o->store ? o->store : o->table;
    struct ec_err why = { .status = EC_OK };
    enum ec_status st = EC_OK;
    int i, n = 0;

    for (i = 0; i < devices->n; i++) {
        const char *text = why.text;

        st = ask_device(o, devices->v[i], values, budget, r, &why);
        n += !st;
        text += ec_str_starts(text, table) ? strlen(table) + 2 : 0; /* "runs.csv: " */
        if (st && (st == EC_E_NOMEM || (i == devices->n - 1 && !n)))
            return ec_fail(err, st, "%s: %s: %s", table, devices->v[i], text);
        if (st && o->said)
            ec_said_left_out(o->said, devices->v[i], text);
    }
    r->device_col = ec_arena_strn(&r->arena, devices->v[0], strcspn(devices->v[0], "="));
    return r->device_col ? EC_OK : ec_nomem(err);
}

enum ec_status ec_grid_whatif(const struct ec_grid_opts *o, const struct ec_strs *set,
                              double budget, struct ec_grid_answers *ret, struct ec_err *err)
{
    struct ec_grid_opts filled = *o, all;
    struct ec_grid_answers r = { .accuracy = "" };
    struct ec_strs values = { 0 }, family = { 0 }, devices = { 0 };
    enum ec_status st;
    int i;

    filled.where = (struct ec_strs){ 0 };
    for (i = 0; i < o->where.n; i++)
        EC_TRY(ec_strs_add(&filled.where, &r.arena, err, "%s", o->where.v[i]));
    if (o->family)
        EC_TRY(ec_strs_add(&family, &r.arena, err, "%s", o->family));
    EC_TRY(ec__grid_check_families(&family, err));
    EC_TRY(part_settings(&filled, set, &r.arena, &values, &devices, err));
    all = filled;
    EC_TRY(ec_grid_fill(&all, &r.arena, err));
    /* one network in the same conditions, on each device; else the message says what differs */
    if (devices.n && all.precision && all.framework && all.optimizer &&
        !ec_str_eq(all.network, EC__GRID_EACH))
        EC_TRY(ask_devices(&filled, &devices, &values, budget, &r, err));
    else
        EC_TRY(ask_device(&all, NULL, &values, budget, &r, err));
    if (r.n)
        qsort(r.v, (size_t)r.n, sizeof *r.v, by_time);
    ec__accuracy_mark(r.v, r.n);
    *ret = r;
    memset(&r, 0, sizeof r);
out:
    ec_grid_answers_clear(&r);
    return st;
}

void ec_grid_answers_clear(struct ec_grid_answers *a)
{
    ec_free(a->v);
    ec_arena_clear(&a->arena);
}
