/* Compares kinds of regressors: each is fitted with each set of features and tested on the same
 * split. A row of families.txt is a kind of regressor with its options, a target, and the column
 * that the target is relative to. */
#include "fit/compare_internal.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "fit/saved_model.h"

#include "families.h"

#define MEMBERS 6

enum from { FROM_ANY, FROM_OPERATIONS = EC_FS_OPERATIONS, FROM_ROOFLINE = EC_FS_ROOFLINE };

/* The target is measured / base where the feature set has that column, else the logarithm alone. */
/* clang-format off */
static const struct family {
    const char *name, *kind, *options, *base;
    enum from from;               /* smallest set that it makes sense with */
    bool once;                    /* ignores the set: one row */
    bool terms;                   /* a sum of times: takes the set `terms` */
    bool dear;                    /* fitted only when named: takes several times as long */
    const char *members[MEMBERS]; /* ensembles: names of families */
    const char *help;
} families[] = {
#define MEMBERS_OF(...) { __VA_ARGS__ }
#define FAMILY(name, kind, options, base, from, once, terms, dear, members, help)                  \
    { name, kind, options, base, FROM_##from, once, terms, dear, MEMBERS_OF members, help },
    FAMILIES(FAMILY)
#undef FAMILY
#undef MEMBERS_OF
};
/* clang-format on */

static const struct family *find_family(const char *name)
{
    return ec_row_named(families, EC_LEN(families), sizeof *families, name);
}

/* ------------------------------------------------------------------------------------------------
 * One family with one set */

struct columns {
    int n, of[EC_FEATURE_COUNT]; /* features */
    const char *names[EC_FEATURE_COUNT];
};

struct compare {
    const struct ec_compare_opts *o;
    const struct ec_operator_rows *rows;
    struct ec_split split;
    int *group, n_groups;
    bool by_group;
    bool device_offsets; /* features use the fitted offsets of devices */
    struct ec_compared *cell;
    int n_cells;
    pthread_mutex_t lock;
    enum ec_status st;
    struct ec_err *err;
};

static void pick_columns(enum ec_feature_set set, struct columns *ret)
{
    int i;

    ret->n = 0;
    for (i = 0; i < EC_FEATURE_COUNT; i++)
        if (ec_feature_in(i, set)) {
            ret->of[ret->n] = i;
            ret->names[ret->n++] = ec_feature_name(i);
        }
}

static int column_of(const struct columns *c, const char *name)
{
    int i;

    for (i = 0; name && i < c->n; i++)
        if (ec_str_eq(c->names[i], name))
            return i;
    return -1;
}

static enum ec_status make_recipe(const struct family *f, const struct columns *c,
                                  struct ec_arena *a, struct ec_recipe *ret, struct ec_err *err)
{
    int i;

    EC_PASS(ec_recipe_parse(f->kind, f->options, a, ret, err));
    ret->base_col = column_of(c, f->base);
    ret->target = f->terms || f->members[0] ? EC_TARGET_PLAIN
                  : ret->base_col >= 0      ? EC_TARGET_RATIO
                                            : EC_TARGET_LOG;
    if (f->members[0]) {
        struct ec_recipe *m = ec_arena_alloc(a, MEMBERS * sizeof *m);

        EC_PASS(ec_allocated(m, err));
        for (i = 0; i < MEMBERS && f->members[i]; i++)
            EC_PASS(make_recipe(find_family(f->members[i]), c, a, &m[i], err));
        ret->members = m;
        ret->n_members = i;
    }
    return EC_OK;
}

static void copy_row(const struct compare *x, const struct columns *c, int row, double *to)
{
    const double *from = x->rows->x + (size_t)row * EC_FEATURE_COUNT;
    int i;

    for (i = 0; i < c->n; i++)
        to[i] = from[c->of[i]];
}

/* The listed rows as a matrix of the columns. */
static void gather(const struct compare *x, const struct columns *c, const int *row, int n,
                   double *ret_x, double *ret_y)
{
    int i;

    for (i = 0; i < n; i++) {
        copy_row(x, c, row[i], ret_x + (size_t)i * (size_t)c->n);
        ret_y[i] = x->rows->time_ns[row[i]];
    }
}

/* Scratch of one cell. */
struct cell_room {
    double *x, *y, *predicted, *measured, *out;
    int *row, *tested;
};

static enum ec_status get_room(const struct compare *x, int n_cols, struct ec_arena *a,
                               struct cell_room *r, struct ec_err *err)
{
    size_t n = (size_t)x->rows->n;
    double *v = ec_arena_alloc(a, n * (size_t)(n_cols + 4) * sizeof *v);
    int *rows = ec_arena_alloc(a, 2 * n * sizeof *rows);

    EC_PASS(ec_allocated(v && rows, err));
    *r = (struct cell_room){ v + 4 * n, v, v + n, v + 2 * n, v + 3 * n, rows, rows + n };
    return EC_OK;
}

/* Prints the options that a search chose, and writes them beside its state. */
static enum ec_status tell_chosen(struct compare *x, const struct ec_recipe *r, const char *name,
                                  const char *state_path, double score, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    const struct ec_field *f;
    char path[1040];
    enum ec_status st;

    ec_buf_printf(&out, "%s chose: %s", name, r->kind->name);
    for (f = r->kind->fields; f && f->name; f++) {
        ec_buf_printf(&out, " %s=", f->name);
        ec_field_print(f, r->opts, &out);
    }
    ec_buf_printf(&out, " (mean |log error| %.4f inside)", score);
    EC_TRY(ec_buf_status(&out, err));
    if (x->o->progress) {
        (void)pthread_mutex_lock(&x->lock);
        x->o->progress(x->o->progress_ctx, ec_buf_text(&out));
        (void)pthread_mutex_unlock(&x->lock);
    }
    if (!state_path)
        goto out;
    ec_buf_char(&out, '\n');
    (void)snprintf(path, sizeof path, "%s.chosen", state_path);
    EC_TRY(ec_file_put(path, &out, err));
out:
    ec_buf_clear(&out);
    return st;
}

struct searching {
    struct compare *x;
    const char *name;
};

static void tell_tried(void *ctx, int done, int total, double best)
{
    const struct searching *s = ctx;
    char text[160];

    (void)ec_snprintf(text, sizeof text, "%s: %d of %d tries, best error %.4f", s->name, done,
                      total, best);
    (void)pthread_mutex_lock(&s->x->lock);
    s->x->o->tried(s->x->o->progress_ctx, text);
    (void)pthread_mutex_unlock(&s->x->lock);
}

/* Searches options for a recipe without members, on a split inside the rows of the fit: by whole
 * groups where the comparison is by groups. row: their numbers */
static enum ec_status tune_one(struct compare *x, const struct ec_rows *rows, const int *row,
                               const struct ec_learn_env *env, const char *name, struct ec_arena *a,
                               struct ec_recipe *r, struct ec_err *err)
{
    struct searching told = { x, name };
    struct ec_search s = { .n_tries = (int)x->o->tune,
                           .env = *env,
                           .tried = x->o->tried ? tell_tried : NULL,
                           .tried_ctx = &told };
    struct ec_split inner = { 0 };
    char path[1024];
    double score = 0;
    enum ec_status st;

    if (r->target == EC_TARGET_PLAIN || !ec_search_has(NULL, r->kind->name))
        return EC_OK;
    if (x->o->tune_state) {
        (void)snprintf(path, sizeof path, "%s.%s", x->o->tune_state, name);
        s.state_path = path;
    }
    EC_TRY(ec_split_part(x->by_group ? x->group : NULL, row, rows->n, 5, env->seed, &inner, err));
    EC_TRY(ec_search_run(&s, r, rows, &inner, a, r, &score, err));
    EC_TRY(tell_chosen(x, r, name, s.state_path, score, err));
out:
    ec_free(inner.round);
    return st;
}

/* Searches options for a recipe, or for each member of an ensemble. */
static enum ec_status tune(struct compare *x, const struct ec_rows *rows, const int *row,
                           const struct ec_learn_env *env, const char *name, struct ec_arena *a,
                           struct ec_recipe *r, struct ec_err *err)
{
    struct ec_recipe *members;
    char member[120];
    int i;

    if (!x->o->tune)
        return EC_OK;
    if (!r->n_members)
        return tune_one(x, rows, row, env, name, a, r, err);
    members = ec_arena_copy(a, r->members, sizeof *members * (size_t)r->n_members);
    EC_PASS(ec_allocated(members, err));
    for (i = 0; i < r->n_members; i++) {
        (void)snprintf(member, sizeof member, "%s-%d", name, i);
        EC_PASS(tune_one(x, rows, row, env, member, a, &members[i], err));
    }
    r->members = members;
    return EC_OK;
}

static bool held_in_range(const struct ec_recipe *r)
{
    return r->target == EC_TARGET_LOG &&
           (ec_str_eq(r->kind->name, "linear") || ec_str_eq(r->kind->name, "ridge"));
}

/* Limits predictions to lo...hi; returns how many were outside. */
static int hold(double *v, int n, double lo, double hi)
{
    int i, n_held = 0;

    for (i = 0; i < n; i++)
        n_held += ec__held(&v[i], lo, hi);
    return n_held;
}

/* One round: fits, and predicts the test rows. *n: number of rows tested so far. */
static enum ec_status run_round(struct compare *x, struct ec_compared *c,
                                const struct columns *cols, int round, struct cell_room *room,
                                int *n, struct ec_err *err)
{
    struct ec_learn_env env = { .seed = (uint64_t)x->o->seed + (uint64_t)round,
                                .ann = &ec_ann_by_engine };
    struct ec_rows rows = { .x = room->x, .y = room->y, .names = cols->names, .n_cols = cols->n };
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 };
    struct ec_recipe r = { 0 };
    char name[96];
    enum ec_status st;
    double lo = 0, hi = 0;
    int64_t began;
    int n_test, i;

    rows.n = ec_split_rows(&x->split, round, false, room->row);
    gather(x, cols, room->row, rows.n, room->x, room->y);
    EC_TRY(make_recipe(find_family(c->family), cols, &a, &r, err));
    (void)snprintf(name, sizeof name, "%s-%s-%d", c->family, ec_feature_set_names[c->set], round);
    ec__reach(room->y, NULL, rows.n, &lo, &hi);
    began = ec_thread_clock_ns();
    EC_TRY(tune(x, &rows, room->row, &env, name, &a, &r, err));
    EC_TRY(ec_regressor_fit(&r, &rows, &env, &m, err));
    c->fit_ns_per_round += (double)(ec_thread_clock_ns() - began) / x->split.n_rounds;
    n_test = ec_split_rows(&x->split, round, true, room->row);
    gather(x, cols, room->row, n_test, room->x, room->y);
    began = ec_thread_clock_ns();
    ec_regressor_predict(m, room->x, n_test, room->out);
    c->predict_ns_per_row += (double)(ec_thread_clock_ns() - began);
    if (held_in_range(&r))
        c->n_held += hold(room->out, n_test, lo, hi);
    for (i = 0; i < n_test; i++) {
        room->predicted[*n] = room->out[i];
        room->measured[*n] = room->y[i];
        room->tested[(*n)++] = room->row[i];
    }
out:
    ec_regressor_free(m);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status worst_group(const struct compare *x, const struct cell_room *r, int n,
                                  double *ret, struct ec_err *err)
{
    double *sum = ec_alloc(sizeof *sum * (size_t)(x->n_groups + 1));
    int *rows = ec_alloc(sizeof *rows * (size_t)(x->n_groups + 1)), g, i;

    for (i = 0; sum && rows && i < n; i++) {
        sum[x->group[r->tested[i]]] += fabs(r->predicted[i] / r->measured[i] - 1);
        rows[x->group[r->tested[i]]]++;
    }
    for (g = 0; sum && rows && g < x->n_groups; g++)
        *ret = rows[g] && sum[g] / rows[g] > *ret ? sum[g] / rows[g] : *ret;
    g = sum && rows;
    ec_free(sum);
    ec_free(rows);
    return ec_allocated(g, err);
}

/* Keeps predictions by row, for rows_path. */
static enum ec_status keep_predicted(const struct compare *x, const struct cell_room *r, int n,
                                     struct ec_compared *c, struct ec_err *err)
{
    int i;

    if (!x->o->rows_path)
        return EC_OK;
    c->predicted = ec_alloc(sizeof *c->predicted * (size_t)x->rows->n);
    EC_PASS(ec_allocated(c->predicted, err));
    for (i = 0; i < x->rows->n; i++)
        c->predicted[i] = (double)NAN;
    for (i = 0; i < n; i++)
        c->predicted[r->tested[i]] = r->predicted[i];
    return EC_OK;
}

static enum ec_status run_cell(struct compare *x, struct ec_compared *c, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    struct cell_room room = { 0 };
    struct columns cols;
    enum ec_status st;
    int round, n = 0;

    pick_columns(c->set, &cols);
    c->n_cols = ec_str_eq(find_family(c->family)->kind, "constant") ? 1 : cols.n;
    EC_TRY(get_room(x, cols.n, &a, &room, err));
    for (round = 0; round < x->split.n_rounds; round++)
        EC_TRY(run_round(x, c, &cols, round, &room, &n, err));
    EC_TRY(ec_metrics_compute(room.measured, room.predicted, NULL, NULL, n, &c->m, err));
    c->predict_ns_per_row /= n;
    EC_TRY(worst_group(x, &room, n, &c->worst_group_ape, err));
    EC_TRY(keep_predicted(x, &room, n, c, err));
out:
    ec_arena_clear(&a);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * All of them */

static void say_cell(const struct compare *x, const struct ec_compared *c)
{
    char text[256];

    if (!x->o->progress)
        return;
    if (c->failed)
        (void)snprintf(text, sizeof text, "%s, %s: %s", c->family, ec_feature_set_names[c->set],
                       c->why);
    else
        (void)ec_snprintf(text, sizeof text, "%s, %s: mean %.1f %%, RMSE %.4g ms", c->family,
                          ec_feature_set_names[c->set], 100 * c->m.mean_ape, c->m.rmse / 1e6);
    x->o->progress(x->o->progress_ctx, text);
}

/* After a failure the rest is left. */
static void take_cell(void *ctx, int i)
{
    struct compare *x = ctx;
    struct ec_compared *c = &x->cell[i];
    struct ec_err err = { .status = EC_OK };
    enum ec_status st;

    (void)pthread_mutex_lock(&x->lock);
    st = x->st;
    (void)pthread_mutex_unlock(&x->lock);
    if (st)
        return;
    st = run_cell(x, c, &err);
    (void)pthread_mutex_lock(&x->lock);
    if (st == EC_E_UNSUPPORTED) { /* a missing library: other families are still compared */
        c->failed = true;
        (void)snprintf(c->why, sizeof c->why, "%.150s", err.text);
    } else if (st && !x->st) {
        x->st = ec_fail(x->err, st, "%s: %s", c->family, err.text);
    }
    if (!st || c->failed)
        say_cell(x, c);
    (void)pthread_mutex_unlock(&x->lock);
}

static bool asked(const struct ec_compare_opts *o, const struct family *f)
{
    return ec_strs_have(&o->families, f->name) ||
           (!f->dear && (!o->families.n || ec_strs_have(&o->families, "all")));
}

static void put_families(struct ec_buf *out)
{
    int i;

    for (i = 0; i < EC_LEN(families); i++)
        ec_buf_printf(out, "%s%s", i ? ", " : ": expected all, ", families[i].name);
}

static enum ec_status check_families(const struct ec_compare_opts *o, struct ec_err *err)
{
    const char *names[EC_LEN(families)];
    struct ec_buf hint = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(families); i++)
        names[i] = families[i].name;
    for (i = 0; i < o->families.n && !st; i++) {
        if (ec_str_eq(o->families.v[i], "all") || find_family(o->families.v[i]))
            continue;
        ec_near_hint(&hint, o->families.v[i], names, EC_LEN(names));
        if (!hint.len)
            put_families(&hint);
        st = ec_fail(err, EC_E_NOT_FOUND, "no family \"%.40s\"%s", o->families.v[i],
                     ec_buf_text(&hint));
    }
    ec_buf_clear(&hint);
    return st;
}

static void list_cells(const struct ec_compare_opts *o, int only, struct ec_compared *cell, int *n)
{
    int i, set;

    for (i = 0; i < EC_LEN(families); i++) {
        const struct family *f = &families[i];

        if (!asked(o, f))
            continue;
        for (set = 0; set < EC_FS_TERMS; set++) {
            if (set < (int)f->from || (only >= 0 && set != only && !f->once))
                continue;
            cell[(*n)++] = (struct ec_compared){
                .family = f->name,
                .help = f->help,
                .set = f->terms ? EC_FS_TERMS : (enum ec_feature_set)set,
            };
            if (f->once)
                break;
        }
    }
}

static struct ec_compared *mark_best(struct compare *x)
{
    struct ec_compared *best = NULL;
    int i;

    for (i = 0; i < x->n_cells; i++)
        if (!x->cell[i].failed && (!best || x->cell[i].m.mean_ape < best->m.mean_ape))
            best = &x->cell[i];
    if (best)
        best->best = true;
    return best;
}

/* A longer list of sources is shortened in the model file. */
#define SOURCE_MOST_BYTES 1024

/* Writes the description of the model into it. */
static enum ec_status describe_model(const struct compare *x, const struct ec_compared *best,
                                     bool held, struct ec_regressor *m, struct ec_err *err)
{
    struct ec_buf ops = EC_BUF_INIT, data = EC_BUF_INIT;
    struct ec_saved_model t = { .of = "operators",
                                .family = best->family,
                                .target = "time_ns",
                                .features = ec_feature_set_names[best->set],
                                .rows = x->rows->n,
                                .seed = x->o->seed,
                                .device_offsets = x->device_offsets };
    enum ec_status st;

    if (held)
        ec__reach(x->rows->time_ns, NULL, x->rows->n, &t.lo, &t.hi);
    ec_strs_print(&x->o->ops, &ops);
    ec_strs_print(&x->o->data, &data);
    if (data.len > SOURCE_MOST_BYTES) {
        ec_buf_reset(&data);
        ec_buf_printf(&data, "%.200s and %d more", x->o->data.v[0], x->o->data.n - 1);
    }
    EC_TRY(ec_buf_status(&ops, err));
    EC_TRY(ec_buf_status(&data, err));
    t.what = ec_buf_text(&ops);
    t.source = ec_buf_text(&data);
    EC_TRY(ec_saved_model_describe(&t, m, err));
out:
    ec_buf_clear(&ops);
    ec_buf_clear(&data);
    return st;
}

/* Fits the best recipe to every row and saves it. */
static enum ec_status save_best(struct compare *x, const struct ec_compared *best,
                                struct ec_err *err)
{
    struct ec_learn_env env = { .seed = (uint64_t)x->o->seed, .ann = &ec_ann_by_engine };
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 };
    struct ec_recipe r = { 0 };
    struct cell_room room = { 0 };
    struct columns cols;
    struct ec_rows rows;
    enum ec_status st;
    int i;

    pick_columns(best->set, &cols);
    EC_TRY(get_room(x, cols.n, &a, &room, err));
    for (i = 0; i < x->rows->n; i++)
        room.row[i] = i;
    gather(x, &cols, room.row, x->rows->n, room.x, room.y);
    rows = (struct ec_rows){ room.x, room.y, cols.names, x->rows->n, cols.n, NULL };
    EC_TRY(make_recipe(find_family(best->family), &cols, &a, &r, err));
    EC_TRY(tune(x, &rows, room.row, &env, "saved", &a, &r, err));
    EC_TRY(ec_regressor_fit(&r, &rows, &env, &m, err));
    EC_TRY(describe_model(x, best, held_in_range(&r), m, err));
    EC_TRY(ec__model_write(m, x->o->save_path, err));
out:
    ec_regressor_free(m);
    ec_arena_clear(&a);
    return st;
}

static void clear_cells(struct ec_compared *v, int n)
{
    int i;

    for (i = 0; v && i < n; i++)
        ec_free(v[i].predicted);
    ec_free(v);
}

enum ec_status ec_compare(const struct ec_compare_opts *o, struct ec_comparison *ret,
                          struct ec_err *err)
{
    struct ec_comparison c = { 0 };
    struct compare x = { .o = o, .err = err };
    bool all_sets = !o->features || ec_str_eq(o->features, "all");
    int only = all_sets ? -1 : ec_name_index(ec_feature_set_names, EC_FS_TERMS, o->features);
    enum ec_split_kind kind = EC_SPLIT_RANDOM;
    enum ec_by by = EC_BY_NOTHING;
    struct ec_operator_rows rows = { 0 };
    const struct ec_compared *best;
    int i;
    enum ec_status st;

    (void)pthread_mutex_init(&x.lock, NULL);
    EC_TRY(ec__parse_split(o->split, &kind, &by, err));
    EC_TRY(check_families(o, err));
    if (!all_sets && only < 0)
        EC_TRY(ec_fail(err, EC_E_INPUT, "no set of features \"%.40s\": expected %s", o->features,
                       EC_FEATURE_SETS_TEXT));
    x.by_group = by != EC_BY_NOTHING;
    /* With held-out devices, features must not use offsets that were fitted to their rows. */
    x.device_offsets = by != EC_BY_ROW_DEVICE;
    EC_TRY(ec__operator_rows_read(o, x.device_offsets, &rows, err));
    x.rows = &rows;
    EC_TRY(ec__split_operator_rows(o, &rows, &x.split, &x.group, &x.n_groups, err));
    x.cell = ec_alloc(sizeof *x.cell * EC_LEN(families) * EC_FS_COUNT);
    EC_TRY(ec_allocated(x.cell, err));
    list_cells(o, only, x.cell, &x.n_cells);
    ec_each((int)o->threads, x.n_cells, take_cell, &x);
    EC_TRY(x.st);
    best = mark_best(&x);
    if (best && o->save_path)
        EC_TRY(save_best(&x, best, err));
    if (o->rows_path)
        EC_TRY(ec__compare_write_rows(&rows, x.cell, x.n_cells, o->rows_path, err));
    c.v = x.cell;
    c.n = x.n_cells;
    c.n_rows = rows.n;
    c.n_read = rows.n_read;
    c.n_left_out = rows.n_other;
    memcpy(c.first_left_out, rows.first_other, sizeof c.first_left_out);
    c.n_rounds = x.split.n_rounds;
    c.by_group = x.by_group;
    for (i = 0; i < rows.n; i++)
        c.n_tested += x.split.round[i] >= 0;
    x.cell = NULL;
    *ret = c;
    memset(&c, 0, sizeof c);
out:
    (void)pthread_mutex_destroy(&x.lock);
    clear_cells(x.cell, x.n_cells);
    ec_free(x.group);
    ec_free(x.split.round);
    ec__operator_rows_clear(&rows);
    ec_comparison_clear(&c);
    return st;
}

void ec_comparison_clear(struct ec_comparison *c)
{
    clear_cells(c->v, c->n);
}
