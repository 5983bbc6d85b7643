/* Makes points in series from the rows of a table. */
#include "report/picture_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "learn/learn.h"

#define TOKENS "seq_len"

/* ------------------------------------------------------------------------------------------------
 * Units */

void ec__quantity_of(const char *column, struct ec__quantity *ret)
{
    static const enum ec_axis_form forms[] = {
        [EC_MEASURE_TIME] = EC_AXIS_NS,     [EC_MEASURE_BYTES] = EC_AXIS_BYTES,
        [EC_MEASURE_SHARE] = EC_AXIS_SHARE, [EC_MEASURE_NUMBER] = EC_AXIS_NUMBER,
        [EC_MEASURE_LARGE] = EC_AXIS_SI,
    };
    bool apart = false;
    const struct ec_unit *u = ec_unit_of(column, &apart);
    size_t len = strlen(column), k;

    memset(ret, 0, sizeof *ret);
    ret->factor = u ? u->size : 1;
    if (u) {
        ret->form = forms[u->measure];
        if (u->measure == EC_MEASURE_NUMBER || u->measure == EC_MEASURE_LARGE)
            ret->unit = u->text; /* other forms choose their own */
        len -= apart ? strlen(u->name) + 1 : 0;
    }
    len = len < sizeof ret->title ? len : sizeof ret->title - 1;
    for (k = 0; k < len; k++)
        ret->title[k] = column[k] == '_' ? ' ' : column[k];
    if (ret->unit && strstr(ret->unit, "/s") && ec_str_eq(column, u->name)) /* said by the unit */
        memcpy(ret->title, "throughput", sizeof "throughput");
}

/* ------------------------------------------------------------------------------------------------
 * Columns */

int ec__column(const struct ec_csv *t, struct ec_span word, bool *ret_optional)
{
    struct ec_span one, rest = word;

    (void)ec_span_cut(&rest, ':', &word);
    *ret_optional = word.len && word.p[word.len - 1] == '?';
    word.len -= *ret_optional;
    while (ec_span_cut(&word, '|', &one)) {
        int c;

        one = ec_span_trim(one);
        for (c = 0; c < t->n_cols; c++)
            if (ec_span_eq(one, t->names[c]))
                return c;
    }
    return -1;
}

static enum ec_status missing(const struct ec_csv *t, struct ec_span word, struct ec_err *err)
{
    struct ec_buf hint = EC_BUF_INIT, name = EC_BUF_INIT;
    enum ec_status st;

    ec_buf_add(&name, word.p, word.len);
    ec_near_hint(&hint, ec_buf_text(&name), t->names, t->n_cols);
    st = ec_fail(err, EC_E_INPUT, "the table has no column \"%.100s\"%s", ec_buf_text(&name),
                 ec_buf_text(&hint));
    ec_buf_clear(&name);
    ec_buf_clear(&hint);
    return st;
}

/* Finds the columns of a list. Returns how many; -1 when a required one is missing. ret_names:
 * their names in legends, or NULL. */
static int columns(const struct ec_csv *t, const char *list, int *ret, int max,
                   struct ec_span *ret_missing, struct ec_span *ret_names)
{
    struct ec_span rest = ec_span_of(list ? list : ""), word;
    int n = 0;

    while (rest.len && ec_span_cut(&rest, ',', &word)) {
        bool optional;
        int c = ec__column(t, ec_span_trim(word), &optional);

        if (c < 0 && !optional) {
            *ret_missing = ec_span_trim(word);
            return -1;
        }
        if (c < 0 || n == max)
            continue;
        if (ret_names) {
            ret_names[n] = word;
            (void)ec_span_cut(&ret_names[n], ':', &word);
        }
        ret[n++] = c;
    }
    return n;
}

struct plan {
    const struct ec_csv *t;
    struct ec_span y_name[EC__Y_MAX]; /* length 0: the column's */
    int x[EC__X_MAX], n_x, y[EC__Y_MAX], n_y, group[EC__GROUP_MAX], n_group, lo, hi, label;
    bool several_x; /* there were several before shared ones were removed */
};

static enum ec_status one_column(const struct ec_csv *t, const char *word, int *ret,
                                 struct ec_err *err)
{
    struct ec_span lost;
    int n = columns(t, word, ret, 1, &lost, NULL);

    if (n == 0)
        *ret = -1;
    return n < 0 ? missing(t, lost, err) : EC_OK;
}

static enum ec_status make_plan(const struct ec_picture *p, const struct ec_csv *t,
                                struct plan *ret, struct ec_err *err)
{
    struct ec_span lost;
    enum ec_status st;

    ret->t = t;
    EC_TRY(one_column(t, p->lo, &ret->lo, err));
    EC_TRY(one_column(t, p->hi, &ret->hi, err));
    EC_TRY(one_column(t, p->label, &ret->label, err));
    ret->n_x = columns(t, p->x, ret->x, EC_LEN(ret->x), &lost, NULL);
    if (ret->n_x < 0)
        return missing(t, lost, err);
    ret->n_y = columns(t, p->y, ret->y, EC__Y_MAX, &lost, ret->y_name);
    if (ret->n_y < 0)
        return missing(t, lost, err);
    ret->n_group = columns(t, p->group, ret->group, EC_LEN(ret->group), &lost, NULL);
    if (ret->n_group < 0)
        return missing(t, lost, err);
    if (!ret->n_x)
        return ec_fail(err, EC_E_INPUT, "the table has none of the columns %.200s for x",
                       p->x ? p->x : "");
    if (!ret->n_y)
        return ec_fail(err, EC_E_INPUT, "the table has none of the columns %.200s for y",
                       p->y ? p->y : "");
out:
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

/* column=pattern,...; a column with '?' is ignored if it is missing. */
enum ec_status ec__row_kept(const struct ec_picture *p, const struct ec_csv *t, int row, bool *ret,
                            struct ec_err *err)
{
    struct ec_span rest = ec_span_of(p->where ? p->where : ""), term;

    *ret = true;
    while (rest.len && ec_span_cut(&rest, ',', &term)) {
        struct ec_span value = term, name;
        char pattern[128];
        bool optional;
        int c;

        if (!memchr(term.p, '=', term.len) || !ec_span_cut(&value, '=', &name) ||
            value.len >= sizeof pattern)
            return ec_fail(err, EC_E_INPUT, "\"%.*s\": expected column=pattern", (int)term.len,
                           term.p);
        memcpy(pattern, value.p, value.len);
        pattern[value.len] = '\0';
        c = ec__column(t, ec_span_trim(name), &optional);
        if (c < 0 && !optional)
            return missing(t, name, err);
        if (c >= 0 && !ec_str_glob(pattern, ec_csv_cell(t, row, c)))
            *ret = false;
    }
    return EC_OK;
}

static int by_name(const void *user, int a, int b)
{
    const struct ec__point *v = user;

    return strcmp(v[a].name, v[b].name);
}

static int by_word(const void *user, int a, int b)
{
    const struct ec__point *v = user;

    return strcmp(v[a].place, v[b].place);
}

/* Numbers the series, or the categories, by the first points that have their names. */
static enum ec_status number_names(struct ec__points *pts, bool categories, struct ec_err *err)
{
    struct ec_groups g = { 0 };
    enum ec_status st = ec_group(pts->n, categories ? by_word : by_name, pts->v, &g, err);
    const char **names = st ? NULL : ec_alloc(sizeof *names * ((size_t)g.n + 1));
    int *rows = st ? NULL : ec_alloc(sizeof *rows * ((size_t)g.n + 1)), i;

    if (!st && !(names && rows))
        st = ec_nomem(err);
    for (i = 0; i < g.n && !st; i++) {
        const struct ec__point *first = &pts->v[ec_group_first(&g, i)];

        names[i] = categories ? first->place : first->name;
        rows[i] = first->row;
    }
    for (i = 0; i < pts->n && !st; i++)
        *(categories ? &pts->v[i].category : &pts->v[i].series) = g.of[i];
    *(categories ? &pts->categories : &pts->series) = names;
    *(categories ? &pts->category_row : &pts->series_row) = rows;
    *(categories ? &pts->n_categories : &pts->n_series) = st ? 0 : g.n;
    ec_groups_clear(&g);
    return st;
}

/* "batch 64", "128 tokens": adds what a bare number counts. */
static const char *cell_words(const struct ec_csv *t, int row, int col, struct ec_arena *a)
{
    const char *cell = ec_csv_cell(t, row, col);
    struct ec__quantity q;
    double number;

    if (ec_str_eq(t->names[col], "mode") && ec_str_eq(cell, "forward_backward"))
        return "forward and backward";
    if (ec_str_eq(t->names[col], "mode")) {
        char *words = ec_arena_str(a, cell), *p;

        for (p = words; p && *p; p++)
            *p = *p == '_' ? ' ' : *p;
        return words;
    }
    if (!ec_parse_double(ec_span_of(cell), &number))
        return cell;
    if (ec_str_eq(t->names[col], TOKENS))
        return ec_arena_printf(a, "%s tokens", cell);
    ec__quantity_of(t->names[col], &q);
    return ec_arena_printf(a, "%s %s", ec_str_eq(q.title, "batch size") ? "batch" : q.title, cell);
}

/* Words of several columns; empty cells are passed over. NULL when out of memory. */
static const char *words_of(const struct ec_csv *t, int row, const int *cols, int n,
                            struct ec_arena *a)
{
    const char *name = "";
    int i;

    for (i = 0; i < n && name; i++) {
        const char *part = cell_words(t, row, cols[i], a);

        if (!part)
            return NULL;
        if (*part)
            name = ec_arena_printf(a, "%s%s%s", name, *name ? ", " : "", part);
    }
    return name;
}

static const char *series_name(const struct plan *plan, int row, int y, struct ec_arena *a)
{
    const char *name = words_of(plan->t, row, plan->group, plan->n_group, a);
    struct ec__quantity q;

    if (plan->n_y < 2 || !name)
        return name;
    if (plan->y_name[y].len)
        return ec_arena_printf(a, "%s%s%.*s", name, *name ? ", " : "", (int)plan->y_name[y].len,
                               plan->y_name[y].p);
    ec__quantity_of(plan->t->names[plan->y[y]], &q);
    return ec_arena_printf(a, "%s%s%s", name, *name ? ", " : "", q.title);
}

static double number(const struct ec_csv *t, int row, int col, double factor)
{
    double v;

    return col >= 0 && ec_parse_double(ec_span_of(ec_csv_cell(t, row, col)), &v) ? v * factor
                                                                                 : (double)NAN;
}

static enum ec_status add_row(const struct plan *plan, int row, bool words, struct ec__points *pts,
                              struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < plan->n_y; i++) {
        struct ec__point v = { .x = number(plan->t, row, plan->x[0], pts->x.factor),
                               .y = number(plan->t, row, plan->y[i], pts->y.factor),
                               .lo = number(plan->t, row, plan->lo, pts->y.factor),
                               .hi = number(plan->t, row, plan->hi, pts->y.factor),
                               .row = row };

        if (!isfinite(v.y) || (!words && !isfinite(v.x)))
            continue;
        v.name = series_name(plan, row, i, &pts->arena);
        v.place = plan->several_x ? words_of(plan->t, row, plan->x, plan->n_x, &pts->arena)
                                  : ec_csv_cell(plan->t, row, plan->x[0]);
        if (!v.name || !v.place)
            return ec_nomem(err);
        if (plan->label >= 0)
            v.label = ec_csv_cell(plan->t, row, plan->label);
        EC_TRY(ec_grow(&pts->v, &pts->cap, pts->n + 1, sizeof *pts->v, err));
        pts->v[pts->n++] = v;
    }
out:
    return st;
}

/* The quantity in columns "measured" and "predicted": by the column `quantity`, or by the user. */
static void take_unit(const struct ec_picture *p, const struct plan *plan, struct ec__points *pts)
{
    const char *unit = p->unit;
    char end[64];
    struct ec__quantity q;
    int row, col = ec_csv_col(plan->t, "quantity");
    bool keep = false;

    for (row = 0; !unit && col >= 0 && row < plan->t->n_rows; row++)
        if (!ec__row_kept(p, plan->t, row, &keep, NULL) && keep)
            unit = ec_csv_cell(plan->t, row, col);
    if (!unit)
        return;
    (void)snprintf(end, sizeof end, "_%s", unit);
    ec__quantity_of(end, &q);
    if (pts->y.form == EC_AXIS_NUMBER && !pts->y.unit)
        pts->y.form = q.form, pts->y.factor = q.factor, pts->y.unit = q.unit;
    if (p->form == EC_PICTURE_SCATTER && pts->x.form == EC_AXIS_NUMBER && !pts->x.unit)
        pts->x.form = q.form, pts->x.factor = q.factor, pts->x.unit = q.unit;
}

/* Accuracy is a fraction or in percent: with values above 1 it is percent. */
static void guess_percent(const struct plan *plan, struct ec__points *pts)
{
    bool apart; /* the name states the unit */
    int row, i;

    if (pts->y.form != EC_AXIS_SHARE || pts->y.factor != 1 ||
        (ec_unit_of(plan->t->names[plan->y[0]], &apart) && apart))
        return;
    for (row = 0; row < plan->t->n_rows; row++)
        for (i = 0; i < plan->n_y; i++)
            if (number(plan->t, row, plan->y[i], 1) > 1.5)
                pts->y.factor = 0.01;
}

/* Whether the words are an element of a list with commas: "resnet1" is not in "resnet18". */
static bool said(const char *list, const char *words)
{
    size_t len = strlen(words);
    const char *at = list;

    while ((at = strstr(at, words)) != NULL) {
        bool begins = at == list || (at - list >= 2 && at[-1] == ' ' && at[-2] == ',');

        if (begins && (at[len] == '\0' || (at[len] == ',' && at[len + 1] == ' ')))
            return true;
        at += len;
    }
    return false;
}

/* The first kept row, if all kept rows have its word in a column; -1: they differ. */
static int constant_row(const struct ec_csv *t, const bool *kept, int col)
{
    int first = 0, row;

    while (first < t->n_rows && !kept[first])
        first++;
    for (row = first; row < t->n_rows; row++)
        if (kept[row] && !ec_str_eq(ec_csv_cell(t, row, col), ec_csv_cell(t, first, col)))
            return -1;
    return first < t->n_rows ? first : -1;
}

/* Puts the word of a column under the title, once; that of the title is there already. */
static enum ec_status say_constant(const struct ec_csv *t, int row, int col, struct ec__points *pts,
                                   struct ec_err *err)
{
    const char *words = cell_words(t, row, col, &pts->arena);

    if (!words)
        return ec_nomem(err);
    if (!*words || ec_str_eq(words, pts->subject) || said(pts->constant, words))
        return EC_OK;
    pts->constant =
        ec_arena_printf(&pts->arena, "%s%s%s", pts->constant, *pts->constant ? ", " : "", words);
    return pts->constant ? EC_OK : ec_nomem(err);
}

/* The network of all rows, if they have one. */
static enum ec_status find_subject(const struct ec_csv *t, const bool *kept, struct ec__points *pts,
                                   struct ec_err *err)
{
    bool optional;
    int col = ec__column(t, ec_span_of("model|network"), &optional);

    if (col < 0 || constant_row(t, kept, col) < 0)
        return EC_OK;
    pts->subject = cell_words(t, constant_row(t, kept, col), col, &pts->arena);
    return pts->subject ? EC_OK : ec_nomem(err);
}

/* Device, precision and batch that all rows of a network share are said, also where the recipe does
 * not name their columns. */
static enum ec_status say_conditions(const struct ec_csv *t, const bool *kept, int x_col,
                                     struct ec__points *pts, struct ec_err *err)
{
    static const char *const columns[] = { "env|environment|device", "precision",
                                           "batch_size|batch|batch_size_per_gpu" };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(columns) && !st; i++) {
        bool optional;
        int col = ec__column(t, ec_span_of(columns[i]), &optional);
        int row = col < 0 || col == x_col ? -1 : constant_row(t, kept, col);

        if (row >= 0)
            st = say_constant(t, row, col, pts, err);
    }
    return st;
}

/* Removes columns with the same word in all rows from the names, and puts the word under the title.
 * At least one column stays. */
static enum ec_status drop_constant(const struct ec_csv *t, const bool *kept, int *cols, int *n,
                                    int keep, struct ec__points *pts, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i, row, left = 0;

    for (i = 0; i < *n; i++) {
        row = constant_row(t, kept, cols[i]);
        if (row < 0 || *n - i + left <= keep)
            cols[left++] = cols[i];
        else
            EC_TRY(say_constant(t, row, cols[i], pts, err));
    }
    *n = left;
out:
    return st;
}

static enum ec_status move_rows(int *rows, const int *to, int n, struct ec_err *err)
{
    int *old = ec_alloc(sizeof *old * (size_t)(n + 1)), i;

    if (!old)
        return ec_nomem(err);
    for (i = 0; i < n; i++)
        old[i] = rows[i];
    for (i = 0; i < n; i++)
        rows[to[i]] = old[i];
    ec_free(old);
    return EC_OK;
}

static enum ec_status sort_names(const struct plan *plan, bool words, struct ec__points *pts,
                                 struct ec_err *err)
{
    int *series = ec_alloc(sizeof *series * (size_t)(pts->n_series + 1));
    int *category = ec_alloc(sizeof *category * (size_t)(pts->n_categories + 1)), i;
    enum ec_status st = series && category ? EC_OK : ec_nomem(err);

    if (!st)
        st = ec__names_sort(plan->t, plan->group, plan->n_group, pts->series, pts->series_row,
                            pts->n_series, series, err);
    if (!st)
        st = ec__names_sort(plan->t, plan->x, plan->n_x, pts->categories, pts->category_row,
                            pts->n_categories, category, err);
    if (!st)
        st = move_rows(pts->series_row, series, pts->n_series, err);
    if (!st)
        st = move_rows(pts->category_row, category, pts->n_categories, err);
    for (i = 0; i < pts->n && !st; i++) {
        pts->v[i].series = series[pts->v[i].series];
        if (words)
            pts->v[i].category = category[pts->v[i].category];
    }
    ec_free(series);
    ec_free(category);
    return st;
}

void ec__points_clear(struct ec__points *pts)
{
    ec_free(pts->v);
    ec_free(pts->series);
    ec_free(pts->categories);
    ec_free(pts->series_row);
    ec_free(pts->category_row);
    ec_arena_clear(&pts->arena);
    memset(pts, 0, sizeof *pts);
}

static bool reads_tokens(const struct ec_csv *t, const bool *kept)
{
    int col = ec_csv_col(t, TOKENS), row;

    for (row = 0; row < t->n_rows && col >= 0; row++)
        if (kept[row] && *ec_csv_cell(t, row, col))
            return true;
    return false;
}

/* Renames images per second to sequences, where networks read tokens. */
static void say_samples(struct ec__points *pts)
{
    struct ec__quantity *q = &pts->y;

    if (q->unit && ec_str_eq(q->unit, "images/s"))
        q->unit = "samples/s";
    if (ec_str_eq(q->title, "time per image"))
        memcpy(q->title, "time per sample", sizeof "time per sample");
}

/* A comparison of environments needs two of them. */
static enum ec_status check_several(const struct ec_csv *t, const bool *kept, int col,
                                    struct ec_err *err)
{
    const char *first = NULL;
    int row;

    for (row = 0; row < t->n_rows; row++) {
        const char *cell = ec_csv_cell(t, row, col);

        if (kept[row] && first && !ec_str_eq(cell, first))
            return EC_OK;
        first = kept[row] ? cell : first;
    }
    return ec_fail(err, EC_E_INPUT,
                   "nothing to compare: all rows have %s \"%.60s\"; expected two or more of them",
                   t->names[col], first ? first : "");
}

enum ec_status ec__points_read(const struct ec_picture *p, const struct ec_csv *t,
                               struct ec__points *ret, struct ec_err *err)
{
    bool words = p->form != EC_PICTURE_LINE && p->form != EC_PICTURE_SCATTER &&
                 p->form != EC_PICTURE_HISTOGRAM;
    struct ec__points pts = { .subject = "", .constant = "" };
    struct plan plan = { 0 };
    bool *kept = ec_alloc(sizeof *kept * (size_t)(t->n_rows + 1));
    enum ec_status st;
    int row;

    if (!kept)
        return ec_nomem(err);
    EC_TRY(make_plan(p, t, &plan, err));
    ec__quantity_of(t->names[plan.x[0]], &pts.x);
    ec__quantity_of(t->names[plan.y[0]], &pts.y);
    take_unit(p, &plan, &pts);
    guess_percent(&plan, &pts);
    for (row = 0; row < t->n_rows; row++)
        EC_TRY(ec__row_kept(p, t, row, &kept[row], err));
    if (p->between && plan.n_group)
        EC_TRY(check_several(t, kept, plan.group[0], err));
    if (reads_tokens(t, kept))
        say_samples(&pts);
    EC_TRY(find_subject(t, kept, &pts, err));
    EC_TRY(drop_constant(t, kept, plan.group, &plan.n_group, 0, &pts, err));
    plan.several_x = plan.n_x > 1;
    if (words && plan.several_x)
        EC_TRY(drop_constant(t, kept, plan.x, &plan.n_x, 1, &pts, err));
    if (*pts.subject)
        EC_TRY(say_conditions(t, kept, plan.x[0], &pts, err));
    for (row = 0; row < t->n_rows; row++)
        if (kept[row])
            EC_TRY(add_row(&plan, row, words, &pts, err));
    if (!pts.n)
        EC_TRY(ec_fail(err, EC_E_INPUT, "nothing to draw: no row has numbers in %s%s%s",
                       words ? "" : t->names[plan.x[0]], words ? "" : " and ",
                       t->names[plan.y[0]]));
    EC_TRY(number_names(&pts, false, err));
    if (words)
        EC_TRY(number_names(&pts, true, err));
    EC_TRY(sort_names(&plan, words, &pts, err));
    memcpy(pts.x_cols, plan.x, sizeof pts.x_cols);
    memcpy(pts.group, plan.group, sizeof pts.group);
    pts.n_x = plan.n_x;
    pts.n_group = plan.n_group;
    *ret = pts;
    memset(&pts, 0, sizeof pts);
out:
    ec_free(kept);
    ec__points_clear(&pts);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Repeats */

static int by_place(const void *a, const void *b)
{
    const struct ec__point *p = a, *q = b;

    if (p->series != q->series)
        return p->series - q->series;
    if (p->category != q->category)
        return p->category - q->category;
    return (p->x > q->x) - (p->x < q->x);
}

enum ec_status ec__points_keep(struct ec__points *pts, const bool *keep, bool categories,
                               struct ec_err *err)
{
    const char **names = categories ? pts->categories : pts->series;
    int *rows = categories ? pts->category_row : pts->series_row;
    int n = categories ? pts->n_categories : pts->n_series, i, left = 0, out = 0;
    int *to = ec_alloc(sizeof *to * ((size_t)n + 1));

    if (!to)
        return ec_nomem(err);
    for (i = 0; i < n; i++) {
        to[i] = left;
        names[left] = names[i];
        rows[left] = rows[i];
        left += keep[i];
    }
    for (i = 0; i < pts->n; i++) {
        struct ec__point v = pts->v[i];
        int *at = categories ? &v.category : &v.series;

        if (!keep[*at])
            continue;
        *at = to[*at];
        pts->v[out++] = v;
    }
    pts->n = out;
    *(categories ? &pts->n_categories : &pts->n_series) = left;
    ec_free(to);
    return EC_OK;
}

enum ec_status ec__points_merge(struct ec__points *pts, bool by_category, struct ec_err *err)
{
    double *y = ec_alloc(sizeof *y * (size_t)pts->n);
    int i, k, out = 0;

    if (!y)
        return ec_nomem(err);
    for (i = 0; by_category && i < pts->n; i++)
        pts->v[i].x = 0;
    qsort(pts->v, (size_t)pts->n, sizeof *pts->v, by_place);
    for (i = 0; i < pts->n; i += k) {
        struct ec__point one = pts->v[i];

        for (k = 0; i + k < pts->n && by_place(&pts->v[i], &pts->v[i + k]) == 0; k++)
            y[k] = pts->v[i + k].y;
        if (k > 1) {
            one.y = ec_quantile_inplace(y, k, 0.5);
            one.lo = ec_quantile_inplace(y, k, 0.05);
            one.hi = ec_quantile_inplace(y, k, 0.95);
        }
        pts->v[out++] = one;
    }
    pts->n = out;
    ec_free(y);
    return EC_OK;
}
