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
    struct ec_buf name = EC_BUF_INIT;
    enum ec_status st;

    ec_buf_add(&name, word.p, word.len);
    st = ec_fail_near(err, EC_E_INPUT, ec_buf_text(&name), t->names, t->n_cols,
                      "the table has no column \"%.100s\"", ec_buf_text(&name));
    ec_buf_clear(&name);
    return st;
}

/* Finds the columns of a list, at most `max`. ret_names: their names in legends, or NULL. */
static enum ec_status columns(const struct ec_csv *t, const char *list, int max, int *ret,
                              int *ret_n, struct ec_span *ret_names, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(list ? list : ""), word;

    *ret_n = 0;
    while (rest.len && ec_span_cut(&rest, ',', &word)) {
        bool optional;
        int c = ec__column(t, ec_span_trim(word), &optional);

        if (c < 0 && !optional)
            return missing(t, ec_span_trim(word), err);
        if (c < 0 || *ret_n == max)
            continue;
        if (ret_names) {
            ret_names[*ret_n] = word;
            (void)ec_span_cut(&ret_names[*ret_n], ':', &word);
        }
        ret[(*ret_n)++] = c;
    }
    return EC_OK;
}

struct plan {
    const struct ec_csv *t;
    struct ec_span y_name[EC__Y_MAX]; /* length 0: the column's */
    int y[EC__Y_MAX], n_y, lo, hi;
    struct ec__names label;
    bool label_words; /* beside points stand words of the columns that differ; else cells */
    bool several_x;   /* there were several before shared ones were removed */
};

static enum ec_status one_column(const struct ec_csv *t, const char *word, int *ret,
                                 struct ec_err *err)
{
    int n;

    *ret = -1;
    return columns(t, word, 1, ret, &n, NULL, err);
}

static enum ec_status make_plan(const struct ec_picture *p, const struct ec_csv *t,
                                struct plan *ret, struct ec__points *pts, struct ec_err *err)
{
    struct ec__names *x = &pts->categories, *group = &pts->series;

    ret->t = t;
    EC_PASS(one_column(t, p->lo, &ret->lo, err));
    EC_PASS(one_column(t, p->hi, &ret->hi, err));
    EC_PASS(columns(t, p->label, EC__X_MAX, ret->label.cols, &ret->label.n_cols, NULL, err));
    EC_PASS(columns(t, p->x, EC__X_MAX, x->cols, &x->n_cols, NULL, err));
    EC_PASS(columns(t, p->y, EC__Y_MAX, ret->y, &ret->n_y, ret->y_name, err));
    EC_PASS(columns(t, p->group, EC__GROUP_MAX, group->cols, &group->n_cols, NULL, err));
    if (!x->n_cols || !ret->n_y)
        return ec_fail(err, EC_E_INPUT, "the table has none of the columns %.200s for %s",
                       (x->n_cols ? p->y : p->x) ? (x->n_cols ? p->y : p->x) : "",
                       x->n_cols ? "y" : "x");
    ret->several_x = x->n_cols > 1;
    ret->label_words = ret->label.n_cols > 1;
    return EC_OK;
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

static int *place_in(struct ec__point *v, bool categories)
{
    return categories ? &v->category : &v->series;
}

enum ec_status ec__points_place(struct ec__points *pts, bool categories, const int *to,
                                struct ec_err *err)
{
    struct ec__names *names = categories ? &pts->categories : &pts->series, old = *names;
    int i, n = 0;

    names->name = ec_arena_alloc(&pts->arena, sizeof *names->name * ((size_t)old.n + 1));
    names->row = ec_arena_alloc(&pts->arena, sizeof *names->row * ((size_t)old.n + 1));
    EC_PASS(ec_allocated(names->name && names->row, err));
    names->n = 0;
    for (i = 0; i < old.n; i++)
        if (to[i] >= 0) {
            names->name[to[i]] = old.name[i];
            names->row[to[i]] = old.row[i];
            names->n++;
        }
    for (i = 0; i < pts->n; i++) {
        int *at = place_in(&pts->v[i], categories);

        *at = to[*at];
        if (*at >= 0)
            pts->v[n++] = pts->v[i];
    }
    pts->n = n;
    return EC_OK;
}

/* Makes series, or categories, of the points of one name each, and sorts them. */
static enum ec_status make_names(const struct ec_csv *t, bool categories, struct ec__points *pts,
                                 struct ec_err *err)
{
    struct ec__names *names = categories ? &pts->categories : &pts->series;
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i, *to;

    EC_TRY(ec_group(pts->n, categories ? by_word : by_name, pts->v, &g, err));
    names->name = ec_arena_alloc(&pts->arena, sizeof *names->name * (size_t)g.n);
    names->row = ec_arena_alloc(&pts->arena, sizeof *names->row * (size_t)g.n);
    to = ec_arena_alloc(&pts->arena, sizeof *to * (size_t)g.n);
    EC_TRY(ec_allocated(names->name && names->row && to, err));
    names->n = g.n;
    for (i = 0; i < g.n; i++) {
        const struct ec__point *first = &pts->v[ec_group_first(&g, i)];

        names->name[i] = categories ? first->place : first->name;
        names->row[i] = first->row;
    }
    for (i = 0; i < pts->n; i++)
        *place_in(&pts->v[i], categories) = g.of[i];
    EC_TRY(ec__names_sort(t, names, to, err));
    st = ec__points_place(pts, categories, to, err);
out:
    ec_groups_clear(&g);
    return st;
}

/* "batch 64", "128 tokens": adds what a bare number counts. A job without words is plain. */
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
    if (!*cell && ec_str_eq(t->names[col], "job"))
        return "plain";
    if (!ec_parse_double(ec_span_of(cell), &number))
        return cell;
    if (ec_str_eq(t->names[col], TOKENS))
        return ec_arena_printf(a, "%s tokens", cell);
    ec__quantity_of(t->names[col], &q);
    return ec_arena_printf(a, "%s %s", ec_str_eq(q.title, "batch size") ? "batch" : q.title, cell);
}

/* Words of several columns; empty cells are passed over. NULL when out of memory. */
static const char *words_of(const struct ec_csv *t, int row, const struct ec__names *of,
                            struct ec_arena *a)
{
    const char *name = "";
    int i;

    for (i = 0; i < of->n_cols && name; i++) {
        const char *part = cell_words(t, row, of->cols[i], a);

        if (!part)
            return NULL;
        if (*part)
            name = ec_arena_printf(a, "%s%s%s", name, *name ? ", " : "", part);
    }
    return name;
}

static const char *series_name(const struct plan *plan, const struct ec__names *group, int row,
                               int y, struct ec_arena *a)
{
    const char *name = words_of(plan->t, row, group, a);
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
    int x_col = pts->categories.cols[0], i;

    for (i = 0; i < plan->n_y; i++) {
        struct ec__point v = { .x = number(plan->t, row, x_col, pts->x.factor),
                               .y = number(plan->t, row, plan->y[i], pts->y.factor),
                               .lo = number(plan->t, row, plan->lo, pts->y.factor),
                               .hi = number(plan->t, row, plan->hi, pts->y.factor),
                               .row = row };

        if (!isfinite(v.y) || (!words && !isfinite(v.x)))
            continue;
        v.name = series_name(plan, &pts->series, row, i, &pts->arena);
        v.place = plan->several_x ? words_of(plan->t, row, &pts->categories, &pts->arena)
                                  : ec_csv_cell(plan->t, row, x_col);
        EC_PASS(ec_allocated(v.name && v.place, err));
        if (plan->label.n_cols)
            v.label = plan->label_words ? words_of(plan->t, row, &plan->label, &pts->arena)
                                        : ec_csv_cell(plan->t, row, plan->label.cols[0]);
        EC_PASS(ec_grow(&pts->v, &pts->cap, pts->n + 1, sizeof *pts->v, err));
        pts->v[pts->n++] = v;
    }
    return EC_OK;
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

int ec__constant_row(const struct ec_csv *t, const bool *kept, int col)
{
    int first = 0, row;

    while (kept && first < t->n_rows && !kept[first])
        first++;
    for (row = first; row < t->n_rows; row++)
        if ((!kept || kept[row]) &&
            !ec_str_eq(ec_csv_cell(t, row, col), ec_csv_cell(t, first, col)))
            return -1;
    return first;
}

/* Puts the word of a column under the title, once; that of the title is there already. */
static enum ec_status say_constant(const struct ec_csv *t, int row, int col, struct ec__points *pts,
                                   struct ec_err *err)
{
    const char *words = cell_words(t, row, col, &pts->arena);

    EC_PASS(ec_allocated(words, err));
    if (!*ec_csv_cell(t, row, col) || ec_str_eq(words, pts->subject) || said(pts->constant, words))
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
    int row = col < 0 ? -1 : ec__constant_row(t, kept, col);

    if (row >= 0)
        pts->subject = cell_words(t, row, col, &pts->arena);
    return pts->subject ? EC_OK : ec_nomem(err);
}

/* Device, precision and batch that all rows of a network share are said, also where the recipe does
 * not name their columns. */
static enum ec_status say_conditions(const struct ec_csv *t, const bool *kept, int x_col,
                                     struct ec__points *pts, struct ec_err *err)
{
    static const char *const columns[] = { "env|environment|device", "precision",
                                           "batch_size|batch|batch_size_per_gpu" };
    int i;

    for (i = 0; i < EC_LEN(columns); i++) {
        bool optional;
        int col = ec__column(t, ec_span_of(columns[i]), &optional);
        int row = col < 0 || col == x_col ? -1 : ec__constant_row(t, kept, col);

        if (row >= 0)
            EC_PASS(say_constant(t, row, col, pts, err));
    }
    return EC_OK;
}

/* Removes columns with the same word in all rows from the names, and puts the word under the title.
 * At least one column stays. */
static enum ec_status drop_constant(const struct ec_csv *t, const bool *kept, struct ec__names *of,
                                    int keep, struct ec__points *pts, struct ec_err *err)
{
    int i, row, left = 0;

    for (i = 0; i < of->n_cols; i++) {
        row = ec__constant_row(t, kept, of->cols[i]);
        if (row < 0 || of->n_cols - i + left <= keep)
            of->cols[left++] = of->cols[i];
        else
            EC_PASS(say_constant(t, row, of->cols[i], pts, err));
    }
    of->n_cols = left;
    return EC_OK;
}

void ec__points_clear(struct ec__points *pts)
{
    ec_free(pts->v);
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
    int row = ec__constant_row(t, kept, col);

    if (row < 0)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT,
                   "nothing to compare: all rows have %s \"%.60s\"; expected two or more of them",
                   t->names[col], ec_csv_cell(t, row, col));
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
    int row, x_col;

    EC_PASS(ec_allocated(kept, err));
    EC_TRY(make_plan(p, t, &plan, &pts, err));
    x_col = pts.categories.cols[0];
    ec__quantity_of(t->names[x_col], &pts.x);
    ec__quantity_of(t->names[plan.y[0]], &pts.y);
    take_unit(p, &plan, &pts);
    guess_percent(&plan, &pts);
    for (row = 0; row < t->n_rows; row++)
        EC_TRY(ec__row_kept(p, t, row, &kept[row], err));
    if (p->between && pts.series.n_cols)
        EC_TRY(check_several(t, kept, pts.series.cols[0], err));
    if (reads_tokens(t, kept))
        say_samples(&pts);
    EC_TRY(find_subject(t, kept, &pts, err));
    EC_TRY(drop_constant(t, kept, &pts.series, 0, &pts, err));
    if (words && plan.several_x)
        EC_TRY(drop_constant(t, kept, &pts.categories, 1, &pts, err));
    x_col = pts.categories.cols[0];
    if (*pts.subject)
        EC_TRY(say_conditions(t, kept, x_col, &pts, err));
    if (*pts.subject && plan.label_words) /* else the names of the networks suffice */
        EC_TRY(drop_constant(t, kept, &plan.label, 0, &pts, err));
    else
        plan.label.n_cols = plan.label.n_cols > 0;
    for (row = 0; row < t->n_rows; row++)
        if (kept[row])
            EC_TRY(add_row(&plan, row, words, &pts, err));
    if (!pts.n)
        EC_TRY(ec_fail(err, EC_E_INPUT, "nothing to draw: no row has numbers in %s%s%s",
                       words ? "" : t->names[x_col], words ? "" : " and ", t->names[plan.y[0]]));
    EC_TRY(make_names(t, false, &pts, err));
    if (words)
        EC_TRY(make_names(t, true, &pts, err));
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

void ec__points_sort(struct ec__points *pts)
{
    qsort(pts->v, (size_t)pts->n, sizeof *pts->v, by_place);
}

enum ec_status ec__points_merge(struct ec__points *pts, bool by_category, struct ec_err *err)
{
    double *y = ec_arena_alloc(&pts->arena, sizeof *y * (size_t)pts->n);
    int i, k, out = 0;

    EC_PASS(ec_allocated(y, err));
    for (i = 0; by_category && i < pts->n; i++)
        pts->v[i].x = 0;
    ec__points_sort(pts);
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
    return EC_OK;
}
