/* Points in series to a plot: what each form does with them. */
#include "report/picture_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learn.h"
#include "report/report_internal.h"

#define MANY_POINTS 400
#define WIDE_RATIO 30.0 /* the smallest of values this far apart would lie on zero */
enum { COLOURED = 7 };  /* number of coloured curves if there are more */

static const char *const form_names[] = {
#define FORM_NAME(name, text) text,
    EC_PICTURE_FORM_LIST(FORM_NAME)
#undef FORM_NAME
};

enum ec_status ec_picture_find(const char *name, struct ec_picture *ret, struct ec_err *err)
{
    const char *names[64];
    struct ec_buf hint = EC_BUF_INIT;
    const struct ec_picture *all;
    enum ec_status st;
    int n, i;

    all = ec_pictures(&n);
    for (i = 0; i < n; i++) {
        names[i] = all[i].name;
        if (ec_str_eq(all[i].name, name)) {
            *ret = all[i];
            return EC_OK;
        }
    }
    for (i = 0; i < EC_LEN(form_names); i++) {
        names[n + i] = form_names[i];
        if (ec_str_eq(form_names[i], name)) {
            *ret = (struct ec_picture){ .name = form_names[i], .form = (enum ec_picture_form)i };
            ret->log_if_wide = ret->form == EC_PICTURE_LINE;
            return EC_OK;
        }
    }
    ec_near_hint(&hint, name, names, n + i);
    st = ec_fail(err, EC_E_INPUT, "no picture \"%.60s\"%s; epochcast plot --list names them", name,
                 ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return st;
}

bool ec__has_columns(const char *list, const struct ec_csv *t)
{
    struct ec_span rest = ec_span_of(list ? list : ""), word;

    while (rest.len && ec_span_cut(&rest, ',', &word)) {
        bool optional;

        if (ec__column(t, ec_span_trim(word), &optional) < 0 && !optional)
            return false;
    }
    return true;
}

bool ec__panel(const struct ec_picture *p, int i, struct ec_picture *ret)
{
    struct ec_span rest = ec_span_of(p->panels ? p->panels : ""), name, wanted = { NULL, 0 };
    const struct ec_picture *all;
    int n = 0, n_recipes, k;

    while (rest.len && ec_span_cut(&rest, ',', &name))
        if (n++ == i)
            wanted = name;
    if (n <= i)
        return false;
    all = ec_pictures(&n_recipes);
    for (k = 0; k < n_recipes && !ec_span_eq(wanted, all[k].name); k++)
        continue;
    assert(k < n_recipes);
    *ret = all[k];
    ret->where = p->where;
    ret->width_px = p->width_px / n;
    ret->height_px = p->height_px;
    return true;
}

bool ec_picture_fits(const struct ec_picture *p, const struct ec_csv *t)
{
    struct ec_picture panel;
    int i;

    for (i = 0; ec__panel(p, i, &panel); i++)
        if (!ec_picture_fits(&panel, t))
            return false;
    return p->panels ||
           (ec__has_columns(p->x, t) && ec__has_columns(p->y, t) && ec__has_columns(p->group, t) &&
            ec__has_columns(p->label, t) && (!p->unless || ec_csv_col(t, p->unless) < 0));
}

/* ------------------------------------------------------------------------------------------------
 * Arrays of a plot, all in the arena of the points */

struct build {
    const struct ec_picture *p;
    const struct ec_csv *t;
    struct ec__points *pts;
    struct ec_plot plot;
    struct ec_series *series;
    struct bins {
        double lo, hi;
    } bins; /* of a histogram */
    struct ec_err *err;
};

static void *take(struct build *b, size_t bytes)
{
    return ec_arena_alloc(&b->pts->arena, bytes ? bytes : 1);
}

static void set_axis(struct ec_axis *a, const struct ec__quantity *q, const char *title)
{
    a->form = q->form;
    a->unit = q->unit;
    a->title = title ? title : q->title;
}

/* Points of a series: as many as there are, in the order in which they lie in pts; of bars a number
 * per category, not finite where there is none. */
static enum ec_status fill_series(struct build *b, int i)
{
    bool box = b->p->form == EC_PICTURE_BOX;
    bool bars = b->p->form == EC_PICTURE_BARS || b->p->form == EC_PICTURE_STACK;
    struct ec_series *s = &b->series[i];
    struct ec__points *pts = b->pts;
    size_t n = (size_t)(bars ? pts->categories.n : pts->n) + 1;
    double *x = take(b, sizeof *x * n), *y = take(b, sizeof *y * n);
    double *lo = take(b, sizeof *lo * n), *hi = take(b, sizeof *hi * n);
    const char **labels = take(b, sizeof *labels * n);
    bool spread = false;
    int k;

    EC_PASS(ec_allocated(x && y && lo && hi && labels, b->err));
    s->name = *pts->series.name[i] ? pts->series.name[i] : NULL;
    s->n = bars ? pts->categories.n : 0;
    for (k = 0; k < s->n; k++)
        y[k] = lo[k] = hi[k] = (double)NAN;
    for (k = 0; k < pts->n; k++) {
        const struct ec__point *v = &pts->v[k];
        int at = bars ? v->category : s->n;

        if (v->series != i)
            continue;
        s->n += !bars;
        x[at] = box ? v->category : v->x;
        y[at] = v->y;
        lo[at] = isfinite(v->lo) || bars ? v->lo : v->y;
        hi[at] = isfinite(v->hi) || bars ? v->hi : v->y;
        labels[at] = v->label;
        spread = spread || (isfinite(v->lo) && isfinite(v->hi));
    }
    s->x = bars ? NULL : x;
    s->y = y;
    s->labels = b->p->label && !bars ? labels : NULL;
    if (s->labels && *pts->subject && s->n > 4 * EC__NAMED_MAX)
        ec__name_ends(s, labels);
    s->lo = spread ? lo : NULL;
    s->hi = spread ? hi : NULL;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Forms */

static enum ec_status many_series(const struct build *b)
{
    return ec_fail(b->err, EC_E_INPUT,
                   "%d series, at most 64 can be told apart: fewer by --where or --group",
                   b->pts->series.n);
}

static enum ec_status make_series(struct build *b, enum ec_status (*fill)(struct build *, int))
{
    int i;

    if (b->pts->series.n > 64)
        return many_series(b);
    b->series = take(b, sizeof *b->series * (size_t)b->pts->series.n);
    EC_PASS(ec_allocated(b->series, b->err));
    for (i = 0; i < b->pts->series.n; i++)
        EC_PASS(fill(b, i));
    b->plot.series = b->series;
    b->plot.n_series = b->pts->series.n;
    return EC_OK;
}

/* Metrics of the points of a series; -1: of all. */
static enum ec_status metrics_of(struct build *b, int series, struct ec_metrics *ret)
{
    const struct ec__points *pts = b->pts;
    double *x = take(b, sizeof *x * (size_t)pts->n), *y = take(b, sizeof *y * (size_t)pts->n);
    int i, n = 0;

    EC_PASS(ec_allocated(x && y, b->err));
    for (i = 0; i < pts->n; i++)
        if (series < 0 || pts->v[i].series == series) {
            x[n] = pts->v[i].x;
            y[n++] = pts->v[i].y;
        }
    return ec_metrics_compute(x, y, NULL, NULL, n, ret, b->err);
}

enum { SERIES_JUDGED = 6 }; /* more would fill the legend */

/* Adds metrics of each of several regressors, environments or modes. */
static enum ec_status say_each(struct build *b)
{
    struct ec_metrics m;
    char r2[EC__R2_BYTES];
    int i;

    for (i = 0; i < b->plot.n_series; i++) {
        EC_PASS(metrics_of(b, i, &m));
        b->series[i].name = ec_arena_printf(&b->pts->arena, "%s: mean error %.1f %%%s",
                                            b->series[i].name ? b->series[i].name : "",
                                            100 * m.mean_ape, ec__r2(&m, r2));
        EC_PASS(ec_allocated(b->series[i].name, b->err));
    }
    b->plot.subtitle = ec_arena_printf(&b->pts->arena,
                                       "%s%sdashed: \xc2\xb1"
                                       "20 %%",
                                       b->pts->constant, *b->pts->constant ? "; " : "");
    return ec_allocated(b->plot.subtitle, b->err);
}

/* Values range over orders of magnitude: R2 is of the values, not of logarithms. */
static enum ec_status say_metrics(struct build *b)
{
    struct ec__points *pts = b->pts;
    struct ec_metrics m;
    char r2[EC__R2_BYTES];

    if (b->plot.n_series > 1 && b->plot.n_series <= SERIES_JUDGED)
        return say_each(b);
    EC_PASS(metrics_of(b, -1, &m));
    b->plot.subtitle = ec_arena_printf(
        &pts->arena,
        "%s%s%d point%s%s, error %.1f %% in the median, %.1f %% in the mean; dashed: \xc2\xb1"
        "20 %%",
        pts->constant, *pts->constant ? "; " : "", m.n, m.n == 1 ? "" : "s", ec__r2(&m, r2),
        100 * m.median_ape, 100 * m.mean_ape);
    return ec_allocated(b->plot.subtitle, b->err);
}

struct order {
    double value;
    int from;
};

static int by_size(const void *a, const void *b)
{
    const struct order *p = a, *q = b;

    return (p->value < q->value) - (p->value > q->value);
}

/* With more curves than colours, some are coloured, evenly from the highest to the lowest last
 * value; the others are grey and drawn first. */
static enum ec_status few_in_colour(struct build *b)
{
    int n = b->plot.n_series, i, k, next = n - COLOURED, ground = 0;
    struct ec_series *sorted = take(b, sizeof *sorted * (size_t)n);
    struct order *order = take(b, sizeof *order * (size_t)n);

    EC_PASS(ec_allocated(sorted && order, b->err));
    for (i = 0; i < n; i++)
        order[i] = (struct order){ b->series[i].n ? b->series[i].y[b->series[i].n - 1] : 0, i };
    qsort(order, (size_t)n, sizeof *order, by_size);
    for (i = k = 0; i < n; i++) {
        struct ec_series *s = &b->series[order[i].from];

        if (k < COLOURED && i == k * (n - 1) / (COLOURED - 1)) {
            sorted[next++] = *s;
            k++;
            continue;
        }
        s->name = NULL;
        s->marks = EC_MARK_LINE | EC_MARK_GREY;
        sorted[ground++] = *s;
    }
    b->plot.series = sorted;
    b->plot.subtitle = ec_arena_printf(
        &b->pts->arena, "%s%s%d of %d in colour, from the highest last value to the lowest",
        b->plot.subtitle ? b->plot.subtitle : "", b->plot.subtitle ? "; " : "", (int)COLOURED, n);
    return b->plot.subtitle ? EC_OK : ec_nomem(b->err);
}

static bool far_apart(const struct ec__points *pts)
{
    double lo = (double)INFINITY, hi = 0;
    int i;

    for (i = 0; i < pts->n; i++) {
        lo = fmin(lo, pts->v[i].y);
        hi = fmax(hi, pts->v[i].y);
    }
    return lo > 0 && hi > WIDE_RATIO * lo;
}

/* Adds to the line under the title. */
static enum ec_status say(struct build *b, const char *note)
{
    const char *before = b->plot.subtitle ? b->plot.subtitle : "";

    if (!*note)
        return EC_OK;
    b->plot.subtitle = ec_arena_printf(&b->pts->arena, "%s%s%s", before, *before ? "; " : "", note);
    return b->plot.subtitle ? EC_OK : ec_nomem(b->err);
}

#define GROWTH 1.4 /* from one batch to the next */

/* Whether x has at least three whole numbers, each of which is so many times the one before: batch
 * sizes, numbers of devices. Errors: NOMEM */
static enum ec_status grows_by_factors(struct build *b, bool *ret)
{
    const struct ec__points *pts = b->pts;
    double *x = take(b, sizeof *x * (size_t)pts->n);
    int i, n = 0;

    EC_PASS(ec_allocated(x, b->err));
    for (i = 0; i < pts->n; i++)
        x[i] = pts->v[i].x;
    qsort(x, (size_t)pts->n, sizeof *x, ec_by_double);
    for (i = 0; i < pts->n && x[i] > 0 && x[i] == round(x[i]); i++)
        if (!n || x[i] >= GROWTH * x[i - 1])
            n++;
        else if (x[i] > x[i - 1])
            break;
    *ret = i == pts->n && n > 2;
    return EC_OK;
}

static enum ec_status lines(struct build *b)
{
    const char *note = "";
    int i;

    EC_PASS(ec__points_merge(b->pts, false, b->err));
    if (b->p->environments)
        EC_PASS(ec__few_curves(b->t, b->pts, EC__CURVES_MAX, &note, b->err));
    EC_PASS(say(b, note));
    if (b->pts->series.n == 1) /* it has no legend */
        EC_PASS(say(b, b->pts->series.name[0]));
    EC_PASS(make_series(b, fill_series));
    if (b->plot.y.from_zero && far_apart(b->pts)) {
        b->plot.y.from_zero = false;
        b->plot.y.log = true;
    }
    if (b->p->log_if_wide) {
        EC_PASS(grows_by_factors(b, &b->plot.x.log));
        b->plot.x.at_values = b->plot.x.log;
    }
    for (i = 0; i < b->plot.n_series; i++)
        b->series[i].marks = EC_MARK_LINE | EC_MARK_POINT | (b->series[i].lo ? EC_MARK_BAND : 0);
    if (b->plot.n_series > EC__CURVES_MAX)
        EC_PASS(few_in_colour(b));
    return EC_OK;
}

static enum ec_status scatter(struct build *b)
{
    int i;

    EC_PASS(make_series(b, fill_series));
    for (i = 0; i < b->plot.n_series; i++)
        b->series[i].marks = EC_MARK_POINT | (b->pts->n > MANY_POINTS ? EC_MARK_SMALL : 0);
    b->plot.identity = b->p->percent_bands;
    b->plot.band_frac = b->p->percent_bands ? 0.2 : 0;
    return b->p->percent_bands && !b->p->subtitle ? say_metrics(b) : EC_OK;
}

/* Categories by the largest value of their first series. */
static enum ec_status sort_categories(struct build *b)
{
    struct ec__points *pts = b->pts;
    size_t n = (size_t)pts->categories.n;
    struct order *order = take(b, sizeof *order * n);
    int *to = take(b, sizeof *to * n), i;

    EC_PASS(ec_allocated(order && to, b->err));
    for (i = 0; i < pts->categories.n; i++)
        order[i] = (struct order){ (double)-INFINITY, i };
    for (i = 0; i < pts->n; i++)
        if (pts->v[i].series == 0)
            order[pts->v[i].category].value = fmax(order[pts->v[i].category].value, pts->v[i].y);
    qsort(order, n, sizeof *order, by_size);
    for (i = 0; i < pts->categories.n; i++)
        to[order[i].from] = i;
    return ec__points_place(pts, true, to, b->err);
}

static enum ec_status bars(struct build *b)
{
    enum ec__rank by = b->p->form == EC_PICTURE_STACK ? EC__BY_SUM
                       : b->p->largest_first          ? EC__BY_FIRST
                                                      : EC__BY_SERIES;
    const char *note = "";

    EC_PASS(ec__points_merge(b->pts, true, b->err));
    EC_PASS(ec__few_categories(b->t, b->pts, by, &note, b->err));
    if (b->p->largest_first)
        EC_PASS(sort_categories(b));
    if (b->p->log_if_wide) {
        b->plot.y.log = far_apart(b->pts);
        b->plot.y.from_zero = !b->plot.y.log;
    }
    EC_PASS(say(b, note));
    return make_series(b, fill_series);
}

static enum ec_status boxes(struct build *b)
{
    return make_series(b, fill_series);
}

static enum ec_status heat(struct build *b)
{
    struct ec__points *pts = b->pts;
    double *cells;
    int i;

    EC_PASS(ec__points_merge(pts, true, b->err));
    if ((int64_t)pts->series.n * pts->categories.n > 1000000)
        return ec_fail(b->err, EC_E_INPUT, "a heat map of %d x %d cells, at most a million",
                       pts->series.n, pts->categories.n);
    cells = take(b, sizeof *cells * (size_t)pts->series.n * (size_t)pts->categories.n);
    EC_PASS(ec_allocated(cells, b->err));
    for (i = 0; i < pts->series.n * pts->categories.n; i++)
        cells[i] = (double)NAN;
    for (i = 0; i < pts->n; i++)
        cells[pts->v[i].series * pts->categories.n + pts->v[i].category] = pts->v[i].y;
    b->plot.cells = cells;
    b->plot.rows = pts->series.name;
    b->plot.n_rows = pts->series.n;
    return EC_OK;
}

#define BINS 40
#define APART 1.5 /* medians of series this far apart: times over the median are drawn */

static double median_of(const struct ec__points *pts, int series, double *room)
{
    int i, n = 0;

    for (i = 0; i < pts->n; i++)
        if (pts->v[i].series == series)
            room[n++] = pts->v[i].x;
    return n ? ec_quantile_inplace(room, n, 0.5) : (double)NAN;
}

/* Divides by the median of each series, if these are far apart: else each would be one bar. */
static enum ec_status make_relative(struct build *b)
{
    struct ec__points *pts = b->pts;
    double *room = take(b, sizeof *room * (size_t)pts->n), lo = (double)INFINITY, hi = 0;
    double *median = take(b, sizeof *median * (size_t)pts->series.n);
    int i;

    EC_PASS(ec_allocated(room && median, b->err));
    for (i = 0; i < pts->series.n; i++) {
        median[i] = median_of(pts, i, room);
        lo = fmin(lo, median[i]);
        hi = fmax(hi, median[i]);
    }
    if (!(lo > 0) || hi <= APART * lo)
        return EC_OK;
    for (i = 0; i < pts->n; i++)
        pts->v[i].x /= median[pts->v[i].series];
    b->plot.x.title = ec_arena_printf(&pts->arena, "%s over the median of its run",
                                      b->plot.x.title ? b->plot.x.title : "value");
    b->plot.x.form = EC_AXIS_NUMBER;
    b->plot.x.unit = NULL;
    return b->plot.x.title ? EC_OK : ec_nomem(b->err);
}

/* Bins between the 1 % and 99 % points, so that few outliers do not press all others together; the
 * outer bins take what is beyond. */
static enum ec_status set_bins(struct build *b)
{
    struct ec__points *pts = b->pts;
    double *x = take(b, sizeof *x * (size_t)pts->n), lo, hi;
    int i;

    EC_PASS(ec_allocated(x, b->err));
    for (i = 0; i < pts->n; i++)
        x[i] = pts->v[i].x;
    lo = ec_quantile_inplace(x, pts->n, 0.01);
    hi = ec_quantile_inplace(x, pts->n, 0.99);
    b->bins.lo = lo;
    b->bins.hi = hi > lo ? hi : lo + fmax(fabs(lo), 1e-9) * 0.01;
    return EC_OK;
}

static double edge(const struct bins *s, int bin)
{
    return s->lo + (s->hi - s->lo) * bin / BINS;
}

static void put(struct ec_series *s, double *x, double *y, double at, double share)
{
    x[s->n] = at;
    y[s->n++] = share;
}

/* The outline of a series: the share of its points in each bin, from its first to its last. */
static enum ec_status fill_histogram(struct build *b, int i)
{
    struct ec_series *s = &b->series[i];
    struct ec__points *pts = b->pts;
    double *x = take(b, sizeof *x * (2 * BINS + 2)), *y = take(b, sizeof *y * (2 * BINS + 2));
    double share[BINS] = { 0 };
    int k, n = 0, first = BINS, last = 0;

    EC_PASS(ec_allocated(x && y, b->err));
    for (k = 0; k < pts->n; k++)
        n += pts->v[k].series == i;
    for (k = 0; k < pts->n; k++) {
        double at = (pts->v[k].x - b->bins.lo) / (b->bins.hi - b->bins.lo) * BINS;
        int bin = (int)fmin(fmax(at, 0), BINS - 1);

        if (pts->v[k].series != i)
            continue;
        share[bin] += 1.0 / n;
        first = bin < first ? bin : first;
        last = bin > last ? bin : last;
    }
    s->name = *pts->series.name[i] ? pts->series.name[i] : NULL;
    put(s, x, y, edge(&b->bins, first), 0);
    for (k = first; k <= last; k++) {
        put(s, x, y, edge(&b->bins, k), share[k]);
        put(s, x, y, edge(&b->bins, k + 1), share[k]);
    }
    put(s, x, y, edge(&b->bins, last + 1), 0);
    s->x = x;
    s->y = y;
    s->marks = EC_MARK_LINE;
    return EC_OK;
}

static enum ec_status histogram(struct build *b)
{
    const char *note = "";

    b->plot.y = (struct ec_axis){ .form = EC_AXIS_SHARE,
                                  .title = b->p->y_title ? b->p->y_title : "share",
                                  .from_zero = true };
    if (b->p->environments)
        EC_PASS(ec__few_curves(b->t, b->pts, COLOURED, &note, b->err));
    EC_PASS(make_relative(b));
    EC_PASS(set_bins(b));
    EC_PASS(say(b, note));
    return make_series(b, fill_histogram);
}

/* clang-format off */
static const struct {
    enum ec_plot_kind kind;
    enum ec_status (*build)(struct build *);
} forms[EC_PICTURE_FORM_COUNT] = {
    [EC_PICTURE_LINE] = { EC_PLOT_XY, lines },     [EC_PICTURE_SCATTER] = { EC_PLOT_XY, scatter },
    [EC_PICTURE_BARS] = { EC_PLOT_BARS, bars },    [EC_PICTURE_STACK] = { EC_PLOT_STACK, bars },
    [EC_PICTURE_BOX] = { EC_PLOT_BOX, boxes },     [EC_PICTURE_HEAT] = { EC_PLOT_HEAT, heat },
    [EC_PICTURE_HISTOGRAM] = { EC_PLOT_XY, histogram },
};
/* clang-format on */

/* Whether the title is that of a recipe: a user's own stays as it is. */
static bool is_recipes(const char *title)
{
    const struct ec_picture *all;
    int n, i;

    all = ec_pictures(&n);
    for (i = 0; i < n; i++)
        if (all[i].title && title && ec_str_eq(all[i].title, title))
            return true;
    return false;
}

/* The network of all rows stands in a recipe's title, else under it. */
static enum ec_status entitle(struct build *b)
{
    const struct ec_picture *p = b->p;
    struct ec__points *pts = b->pts;
    const char *text;

    b->plot.title = p->title;
    if (!*pts->subject)
        return EC_OK;
    if (is_recipes(p->title)) {
        text = ec_arena_printf(&pts->arena, "%s: %s", p->title, pts->subject);
        b->plot.title = text;
    } else {
        text = ec_arena_printf(&pts->arena, "%s%s%s", pts->subject, *pts->constant ? ", " : "",
                               pts->constant);
        pts->constant = text;
    }
    return text ? EC_OK : ec_nomem(b->err);
}

static void describe(struct build *b)
{
    const struct ec_picture *p = b->p;
    struct ec_plot *plot = &b->plot;

    plot->kind = forms[p->form].kind;
    plot->subtitle = p->subtitle ? p->subtitle : *b->pts->constant ? b->pts->constant : NULL;
    plot->note = p->note;
    set_axis(&plot->x, &b->pts->x, p->x_title);
    set_axis(&plot->y, &b->pts->y, p->y_title);
    plot->x.log = p->log_x;
    plot->x.at_values = p->at_values;
    plot->y.log = p->log_y;
    plot->y.from_zero = p->from_zero && !p->log_y;
    plot->has_reference = p->has_reference;
    plot->reference = p->reference;
    plot->reference_label = p->reference_label;
    plot->width_px = (int)p->width_px;
    plot->height_px = (int)p->height_px;
    if (plot->kind != EC_PLOT_XY && !p->x_title)
        plot->x.title = NULL;
}

/* Of training, validation and test columns only the last with numbers is drawn, if all would be too
 * many curves. */
static enum ec_status read_points(struct ec_picture *p, const struct ec_csv *table,
                                  struct ec__points *pts, struct ec_err *err)
{
    enum ec_status st = ec__points_read(p, table, pts, err);
    struct ec_picture one = *p;
    struct ec__points fewer = { 0 };
    const char *comma, *end;

    if (st || p->form != EC_PICTURE_LINE || pts->series.n <= EC__CURVES_MAX)
        return st;
    end = p->y + strlen(p->y);
    while ((comma = end) > p->y && strchr(p->y, ',')) {
        while (comma > p->y && comma[-1] != ',')
            comma--;
        one.y = ec_arena_strn(&pts->arena, comma, (size_t)(end - comma));
        EC_PASS(ec_allocated(one.y, err));
        st = ec__points_read(&one, table, &fewer, NULL);
        if (st == EC_E_NOMEM)
            return ec_nomem(err);
        if (!st)
            break;
        end = comma - 1;
    }
    if (!fewer.n)
        return EC_OK;
    p->y_title = NULL;
    ec__points_clear(pts);
    *pts = fewer;
    return EC_OK;
}

static enum ec_status draw_panels(const struct ec_picture *p, const struct ec_csv *table,
                                  struct ec_drawing *ret, struct ec_err *err)
{
    struct ec_drawing page = { 0 }, one = { 0 };
    struct ec_picture panel;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; ec__panel(p, i, &panel); i++) {
        st = ec_picture_draw(&panel, table, &one, err);
        if (st == EC_E_INPUT)
            continue;
        EC_TRY(st);
        st = ec_drawing_beside(&page, &one, err);
        ec_drawing_clear(&one);
        EC_TRY(st);
    }
    if (st && !page.n) /* the last panel says what it lacks */
        goto out;
    st = EC_OK;
    *ret = page;
    page = (struct ec_drawing){ 0 };
out:
    ec_drawing_clear(&page);
    return st;
}

enum ec_status ec_picture_draw(const struct ec_picture *p, const struct ec_csv *table,
                               struct ec_drawing *ret, struct ec_err *err)
{
    struct ec__points pts = { 0 };
    struct ec_picture own = *p;
    struct build b = { .p = &own, .t = table, .pts = &pts, .err = err };
    enum ec_status st;

    if (p->form == EC_PICTURE_ROOFLINE)
        return ec__roofline_draw(p, table, ret, err);
    if (p->panels)
        return draw_panels(p, table, ret, err);
    EC_TRY(read_points(&own, table, &pts, err));
    EC_TRY(entitle(&b));
    describe(&b);
    EC_TRY(forms[p->form].build(&b));
    b.plot.categories = pts.categories.name;
    b.plot.n_categories = pts.categories.n;
    EC_TRY(ec_plot_draw(&b.plot, ret, err));
out:
    ec__points_clear(&pts);
    return st;
}
