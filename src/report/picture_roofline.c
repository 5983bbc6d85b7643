/* Rooflines of a table: the attainable rate by intensity, and the achieved points. */
#include "report/picture_internal.h"
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 8
#define SERIES_MAX 64

/* Columns of the table; those after `bytes` may be absent. */
/* clang-format off */
#define COLUMN_LIST(X) \
    X(DEVICE, device) X(INTENSITY, arithmetic_flop_per_byte) \
    X(RATE, achieved_flop_per_s) X(PEAK, peak_flop_per_s) X(BYTES, memory_bytes_per_s) \
    X(CEILING, ceiling_flop_per_s) X(CEILING_BYTES, ceiling_bytes_per_s) X(KIND, kind) \
    X(LABEL, label) X(PRECISION, precision) X(LAYER, layer) X(TIME, median_ns) \
    X(BATCH, batch_size)
/* clang-format on */
#define COLUMN(column, name) column,
#define NAME(column, name) #name,
enum column { COLUMN_LIST(COLUMN) COLUMNS };
static const char *const names[COLUMNS] = { COLUMN_LIST(NAME) };

enum {
    NUMBERED_MAX = 8,     /* layers of a device that have a number */
    NUMBERED_ALL_MAX = 16 /* of all devices */
};
/* Room for the names of numbered layers below the picture. */
#define LEGEND_PX 50
#define SAME_PLACE 0.06 /* of natural logarithms: some pixels */
#define NO_BREAK "\xc2\xa0"

struct roofs {
    const struct ec_picture *p;
    const struct ec_csv *t;
    int col[COLUMNS];
    const char *device[DEVICES_MAX], *precision[DEVICES_MAX], *roof[DEVICES_MAX];
    bool thinned;
    bool predicted, measured, measured_roof; /* what is there */
    int n_numbered;
    int n_above[3];       /* layers above each ec__roof_side */
    struct ec_buf legend; /* of the numbers */
    int first_row[DEVICES_MAX], n_devices;
    double lo, hi; /* intensities */
    const char *subtitle;
    struct ec_arena arena;
    struct ec_series series[SERIES_MAX];
    int n;
};

static double number(const struct roofs *r, int row, enum column c)
{
    double v;

    return ec_parse_double(ec_span_of(ec_csv_cell(r->t, row, r->col[c])), &v) && v > 0
               ? v
               : (double)NAN;
}

static bool kept(const struct roofs *r, int row)
{
    bool keep = false;

    return !ec__row_kept(r->p, r->t, row, &keep, NULL) && keep;
}

static void widen(struct roofs *r, int row)
{
    double ridge = number(r, row, PEAK) / number(r, row, BYTES), at = number(r, row, INTENSITY);

    if (isfinite(ridge)) {
        r->lo = fmin(r->lo, ridge / 20);
        r->hi = fmax(r->hi, ridge * 8);
    }
    if (isfinite(at)) {
        r->lo = fmin(r->lo, at / 1.6);
        r->hi = fmax(r->hi, at * 2.5);
    }
}

static bool is_of(const struct roofs *r, int row, int i)
{
    return ec_str_eq(r->device[i], ec_csv_cell(r->t, row, r->col[DEVICE])) &&
           ec_str_eq(r->precision[i], ec_csv_cell(r->t, row, r->col[PRECISION]));
}

/* Roofs of a device, one per precision; what all rows share is under the title. */
static enum ec_status name_roofs(struct roofs *r, struct ec_err *err)
{
    bool one = true, one_device = true;
    int i;

    for (i = 1; i < r->n_devices; i++) {
        one &= ec_str_eq(r->precision[i], r->precision[0]);
        one_device &= ec_str_eq(r->device[i], r->device[0]);
    }
    for (i = 0; i < r->n_devices; i++) {
        if (one)
            r->roof[i] = r->device[i];
        else if (one_device)
            r->roof[i] = r->precision[i];
        else
            r->roof[i] = ec_arena_printf(&r->arena, "%s, %s", r->device[i], r->precision[i]);
        EC_PASS(ec_allocated(r->roof[i], err));
    }
    if (one && r->n_devices && *r->precision[0])
        r->subtitle = r->precision[0];
    return EC_OK;
}

static enum ec_status find_devices(struct roofs *r, struct ec_err *err)
{
    int row, i;

    for (row = 0; row < r->t->n_rows; row++) {
        const char *device = ec_csv_cell(r->t, row, r->col[DEVICE]);

        if (!kept(r, row))
            continue;
        for (i = 0; i < r->n_devices && !is_of(r, row, i); i++)
            continue;
        if (i == DEVICES_MAX)
            return ec_fail(
                err, EC_E_INPUT,
                "more than %d devices and precisions, whose rooflines cannot be told apart: fewer "
                "by --where",
                DEVICES_MAX);
        if (i == r->n_devices) {
            r->device[i] = device;
            r->precision[i] = ec_csv_cell(r->t, row, r->col[PRECISION]);
            r->first_row[r->n_devices++] = row;
        }
        widen(r, row);
    }
    return name_roofs(r, err);
}

static struct ec_series *add(struct roofs *r, int n, double **x, double **y)
{
    struct ec_series *s = r->n < SERIES_MAX ? &r->series[r->n] : NULL;

    *x = ec_arena_alloc(&r->arena, sizeof **x * (size_t)n);
    *y = ec_arena_alloc(&r->arena, sizeof **y * (size_t)n);
    if (!s || !*x || !*y)
        return NULL;
    memset(s, 0, sizeof *s);
    s->x = *x;
    s->y = *y;
    s->n = n;
    r->n++;
    return s;
}

static const char *roof_words(struct roofs *r, const char *what, double peak, double bytes)
{
    static const struct ec_axis flop = { .form = EC_AXIS_SI, .unit = "FLOP/s" };
    static const struct ec_axis rate = { .form = EC_AXIS_SI, .unit = "B/s" };
    char a[64], b[64];

    ec_axis_text(&flop, peak, a, sizeof a);
    ec_axis_text(&rate, bytes, b, sizeof b);
    return ec_arena_printf(&r->arena, "%s: %s, %s", what, a, b);
}

static bool same_roof(const struct roofs *r, int a, int b, bool measured)
{
    enum column rate = measured ? CEILING : PEAK, bytes = measured ? CEILING_BYTES : BYTES;
    int p = r->first_row[a], q = r->first_row[b];

    return fabs(number(r, p, rate) - number(r, q, rate)) < 1e-6 * number(r, q, rate) &&
           fabs(number(r, p, bytes) - number(r, q, bytes)) < 1e-6 * number(r, q, bytes);
}

static bool drawn_before(const struct roofs *r, int device, bool measured)
{
    int i;

    for (i = 0; i < device; i++)
        if (same_roof(r, i, device, measured))
            return true;
    return false;
}

/* Roofs that coincide have one label with all names. NULL: out of memory */
static const char *names_of_roof(struct roofs *r, int device, bool measured)
{
    const char *text = measured ? "measured" : r->roof[device];
    int i;

    for (i = device + 1; i < r->n_devices && !measured && text; i++)
        if (same_roof(r, i, device, false))
            text = ec_arena_printf(&r->arena, "%s, %s", text, r->roof[i]);
    return text;
}

static enum ec_status add_roof(struct roofs *r, int device, bool measured, struct ec_err *err)
{
    int row = r->first_row[device];
    double peak = number(r, row, measured ? CEILING : PEAK), *x, *y;
    double bytes = number(r, row, measured ? CEILING_BYTES : BYTES);
    const char *label;
    struct ec_series *s;

    if (!isfinite(peak) || !isfinite(bytes))
        return EC_OK;
    if (measured && fabs(peak - number(r, row, PEAK)) < 1e-6 * peak &&
        fabs(bytes - number(r, row, BYTES)) < 1e-6 * bytes)
        return EC_OK; /* there are measured ceilings only */
    s = add(r, 3, &x, &y);
    EC_PASS(ec_allocated(s, err));
    x[0] = r->lo, x[1] = peak / bytes, x[2] = r->hi;
    y[0] = r->lo * bytes, y[1] = y[2] = peak;
    s->marks = EC_MARK_LINE | (measured ? EC_MARK_DASHED : 0);
    r->measured_roof |= measured;
    s->colour = device + 1;
    if (drawn_before(r, device, measured))
        return EC_OK;
    label = names_of_roof(r, device, measured);
    s->line_label = label ? roof_words(r, label, peak, bytes) : NULL;
    return s->line_label ? EC_OK : ec_nomem(err);
}

/* Layers that are alike lie in one place, and are one point. */
struct alike {
    int at, n;
    double ns; /* of one */
};

static int by_sum(const void *a, const void *b)
{
    const struct alike *x = a, *y = b;
    double s = x->n * x->ns, t = y->n * y->ns;

    return s != t ? (s < t) - (s > t) : (x->at > y->at) - (x->at < y->at);
}

struct points {
    double *x, *y;
    const char **labels;
    int *rows;
    int n;
};

static bool is_layer(const struct roofs *r, int row)
{
    return *ec_csv_cell(r->t, row, r->col[LAYER]) && isfinite(number(r, row, TIME));
}

/* Leaves one point of those that are alike. Returns the number of different layers. ret_step_ns: of
 * the networks, which a table of their longest layers has, too; else of the layers */
static int join_alike(const struct roofs *r, struct points *p, struct alike *v, double *ret_step_ns)
{
    double ns_of[2] = { 0, 0 };
    int i, k, to = 0, n = 0;

    for (i = 0; i < p->n; i++) {
        double ns = number(r, p->rows[i], TIME);
        bool layer = is_layer(r, p->rows[i]);

        for (k = 0; k < n && layer; k++)
            if (v[k].ns == ns && p->x[v[k].at] == p->x[i] && p->y[v[k].at] == p->y[i])
                break;
        ns_of[layer] += isfinite(ns) ? ns : 0;
        if (layer && k < n) {
            v[k].n++;
            continue;
        }
        if (layer)
            v[n++] = (struct alike){ to, 1, ns };
        p->x[to] = p->x[i];
        p->y[to] = p->y[i];
        p->labels[to] = layer ? "" : p->labels[i];
        p->rows[to++] = p->rows[i];
    }
    p->n = to;
    *ret_step_ns = ns_of[false] > 0 ? ns_of[false] : ns_of[true];
    return n;
}

static bool same_place(const struct points *p, int a, int b)
{
    return fabs(log(p->x[a] / p->x[b])) < SAME_PLACE && fabs(log(p->y[a] / p->y[b])) < SAME_PLACE;
}

/* Points that cannot be told apart have one label, "3, 4". */
static enum ec_status add_number(struct roofs *r, struct points *p, const struct alike *v, int i,
                                 struct ec_err *err)
{
    const char **label;
    int k;

    for (k = 0; !same_place(p, v[k].at, v[i].at) && k < i; k++)
        continue;
    label = &p->labels[v[k].at];
    *label = ec_arena_printf(&r->arena, "%s%s%d", *label, **label ? ", " : "", ++r->n_numbered);
    return *label ? EC_OK : ec_nomem(err);
}

/* Names have no room among the points: the layers that take most of the time together with those
 * like them have numbers, and a legend of these says the names. */
static enum ec_status number_layers(struct roofs *r, struct points *p, struct ec_err *err)
{
    struct alike *v = ec_arena_alloc(&r->arena, sizeof *v * (size_t)p->n);
    double step_ns = 0;
    int i, n, most;

    EC_PASS(ec_allocated(v, err));
    n = join_alike(r, p, v, &step_ns);
    qsort(v, (size_t)n, sizeof *v, by_sum);
    most = r->n_devices * NUMBERED_MAX > NUMBERED_ALL_MAX ? NUMBERED_ALL_MAX / r->n_devices
                                                          : NUMBERED_MAX;
    for (i = 0; i < n && i < most; i++) {
        if (add_number(r, p, v, i, err))
            return EC_E_NOMEM;
        ec_buf_printf(&r->legend, "%s%d" NO_BREAK "%s", r->legend.len ? "   " : "", r->n_numbered,
                      ec_csv_cell(r->t, p->rows[v[i].at], r->col[LAYER]));
        if (v[i].n > 1)
            ec_buf_printf(&r->legend, NO_BREAK "x%d", v[i].n);
        ec_buf_printf(&r->legend, NO_BREAK "(%.0f" NO_BREAK "%%)",
                      100 * v[i].n * v[i].ns / step_ns);
    }
    return EC_OK;
}

/* Series of points. */
enum kind {
    EACH,     /* there are no layers */
    LAYERS,   /* without a number */
    NUMBERED, /* layers */
    WHOLE,    /* networks, beside layers */
};

static bool is_kind(const struct roofs *r, const struct points *p, int i, enum kind kind)
{
    if (kind == EACH || kind == WHOLE)
        return kind == EACH || !is_layer(r, p->rows[i]);
    return is_layer(r, p->rows[i]) && (kind == NUMBERED) == (*p->labels[i] != '\0');
}

static const char *series_name(struct roofs *r, int device, enum kind kind, bool measured)
{
    if (kind == EACH)
        return ec_arena_printf(&r->arena, "%s, %s", r->roof[device],
                               measured ? "measured" : "predicted");
    return ec_arena_printf(&r->arena, "%s%s%s%s", r->n_devices > 1 ? r->roof[device] : "",
                           r->n_devices > 1 ? ", " : "", measured ? "measured " : "",
                           kind == LAYERS ? "layers" : "the whole step");
}

/* Predictions as circles, measurements as squares; networks among layers as large diamonds and
 * triangles. */
static enum ec_status add_kind(struct roofs *r, const struct points *p, int device, enum kind kind,
                               bool measured, struct ec_err *err)
{
    const char **labels = ec_arena_alloc(&r->arena, sizeof *labels * (size_t)p->n);
    struct ec_series *s;
    double *x, *y;
    int i, n = 0, named = 0;

    s = labels ? add(r, p->n, &x, &y) : NULL;
    if (!s)
        return ec_nomem(err);
    for (i = 0; i < p->n; i++) {
        if (!is_kind(r, p, i, kind))
            continue;
        x[n] = p->x[i];
        y[n] = p->y[i];
        named += *p->labels[i] != '\0';
        labels[n++] = p->labels[i];
    }
    if (!n) {
        r->n--;
        return EC_OK;
    }
    s->n = n;
    s->labels = labels;
    s->marks = EC_MARK_POINT;
    if (kind == LAYERS || (kind == EACH && r->t->n_rows > 4 * EC__NAMED_MAX))
        s->marks |= EC_MARK_SMALL;
    if (kind == WHOLE)
        s->marks |= EC_MARK_LARGE;
    if (named > EC__NAMED_MAX && kind != NUMBERED)
        ec__name_ends(s, labels), r->thinned = true;
    s->colour = device + 1;
    s->shape = (kind == WHOLE ? 4 : 1) + measured;
    if (kind == NUMBERED)
        return EC_OK; /* they are layers too */
    s->name = series_name(r, device, kind, measured);
    return s->name ? EC_OK : ec_nomem(err);
}

/* Points of a device. */
static enum ec_status add_points(struct roofs *r, int device, bool measured, struct ec_err *err)
{
    size_t most = (size_t)r->t->n_rows;
    struct points p = { .x = ec_arena_alloc(&r->arena, sizeof *p.x * most),
                        .y = ec_arena_alloc(&r->arena, sizeof *p.y * most),
                        .labels = ec_arena_alloc(&r->arena, sizeof *p.labels * most),
                        .rows = ec_arena_alloc(&r->arena, sizeof *p.rows * most) };
    bool layers = false;
    int row;

    EC_PASS(ec_allocated(p.x && p.y && p.labels && p.rows, err));
    for (row = 0; row < r->t->n_rows; row++) {
        bool is_measured = ec_str_eq(ec_csv_cell(r->t, row, r->col[KIND]), "measured");

        if (is_measured != measured || !kept(r, row) || !is_of(r, row, device))
            continue;
        p.x[p.n] = number(r, row, INTENSITY);
        p.y[p.n] = number(r, row, RATE);
        p.labels[p.n] = ec_csv_cell(r->t, row, r->col[LABEL]);
        p.rows[p.n++] = row;
        layers |= is_layer(r, row);
        r->n_above[ec__roof_above(number(r, row, INTENSITY), number(r, row, RATE),
                                  number(r, row, PEAK), number(r, row, BYTES))]++;
    }
    if (!p.n)
        return EC_OK;
    *(measured ? &r->measured : &r->predicted) = true;
    if (!layers)
        return add_kind(r, &p, device, EACH, measured, err);
    EC_PASS(number_layers(r, &p, err));
    EC_PASS(add_kind(r, &p, device, LAYERS, measured, err));
    EC_PASS(add_kind(r, &p, device, WHOLE, measured, err));
    return add_kind(r, &p, device, NUMBERED, measured, err);
}

static enum ec_status read_table(struct roofs *r, const struct ec_csv *t, struct ec_err *err)
{
    int i;

    r->t = t;
    r->lo = 1e30;
    for (i = 0; i < COLUMNS; i++) {
        r->col[i] = ec_csv_col(t, names[i]);
        if (r->col[i] < 0 && i <= BYTES)
            return ec_fail(
                err, EC_E_INPUT,
                "the table has no column %s; epochcast roofline --csv writes such tables",
                names[i]);
    }
    return find_devices(r, err);
}

/* The batch of all rows; "": they differ, or it is not known. */
static const char *one_batch(const struct roofs *r)
{
    const char *batch = NULL;
    int row;

    for (row = 0; row < r->t->n_rows; row++) {
        const char *cell = ec_csv_cell(r->t, row, r->col[BATCH]);

        if (!kept(r, row))
            continue;
        if (batch && !ec_str_eq(batch, cell))
            return "";
        batch = cell;
    }
    return batch ? batch : "";
}

/* Why points lie above a roof. */
static void explain_above(struct roofs *r)
{
    int side;

    for (side = EC__ROOF_SLOPED; side <= EC__ROOF_FLAT; side++)
        if (r->n_above[side])
            ec_buf_printf(&r->legend, "%sabove the %s roof: %s", r->legend.len ? "\n" : "",
                          side == EC__ROOF_FLAT ? "flat" : "sloped",
                          ec__roof_reason((enum ec__roof_side)side));
}

/* Says what lines, points, names and numbers are. */
static enum ec_status explain(struct roofs *r, const char **ret, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    if (*one_batch(r))
        ec_buf_printf(&text, "batch %s%s", one_batch(r), r->subtitle ? ", " : "; ");
    if (r->subtitle)
        ec_buf_printf(&text, "%s; ", r->subtitle);
    ec_buf_printf(&text, "%s: peak and memory bandwidth of the data sheet%s",
                  r->n_devices > 1 ? "lines" : "line",
                  r->measured_roof ? ", dashed: measured" : "");
    if (r->predicted != r->measured)
        ec_buf_printf(&text, "; points: %s", r->predicted ? "predicted" : "measured");
    if (r->n_numbered)
        ec_buf_str(&text,
                   "; numbered: the layers that take most time, with how many are alike, and "
                   "their share of the step");
    if (r->thinned)
        ec_buf_str(&text, "; named: the outermost of many points");
    EC_TRY(ec_buf_keep(&text, &r->arena, ret, err));
out:
    ec_buf_clear(&text);
    return st;
}

enum ec_status ec__roofline_draw(const struct ec_picture *p, const struct ec_csv *t,
                                 struct ec_drawing *ret, struct ec_err *err)
{
    struct roofs *r = ec_alloc(sizeof *r);
    struct ec_plot plot = { .kind = EC_PLOT_XY,
                            .title = p->title,
                            .subtitle = p->subtitle,
                            .note = p->note,
                            .height_px = p->height_px ? (int)p->height_px : 560,
                            .width_px = (int)p->width_px };
    enum ec_status st;
    int i;

    if (!r)
        return ec_nomem(err);
    r->p = p;
    EC_TRY(read_table(r, t, err));
    for (i = 0; i < 2 * r->n_devices; i++)
        EC_TRY(add_roof(r, i / 2, i % 2, err));
    for (i = 0; i < 2 * r->n_devices; i++)
        EC_TRY(add_points(r, i / 2, i % 2, err));
    if (!plot.subtitle)
        EC_TRY(explain(r, &plot.subtitle, err));
    explain_above(r);
    if (r->legend.len && !plot.note) {
        EC_TRY(ec_buf_status(&r->legend, err));
        plot.note = ec_buf_text(&r->legend);
        plot.height_px += p->height_px ? 0 : LEGEND_PX;
    }
    plot.x = (struct ec_axis){ .title = "arithmetic intensity", .unit = "FLOP/byte", .log = true };
    plot.y = (struct ec_axis){
        .title = "performance", .unit = "FLOP/s", .form = EC_AXIS_SI, .log = true
    };
    plot.series = r->series;
    plot.n_series = r->n;
    EC_TRY(ec_plot_draw(&plot, ret, err));
out:
    ec_buf_clear(&r->legend);
    ec_arena_clear(&r->arena);
    ec_free(r);
    return st;
}
