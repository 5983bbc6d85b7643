/* Rooflines of a table: the attainable rate by intensity, and the achieved points. */
#include "report/picture_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEVICES_MAX 8
#define SERIES_MAX 40

/* Columns of the table; those after `bytes` may be absent. */
enum column {
    DEVICE,
    INTENSITY,
    RATE,
    PEAK,
    BYTES,
    CEILING,
    CEILING_BYTES,
    KIND,
    LABEL,
    PRECISION,
    COLUMNS
};
static const char *const names[COLUMNS] = {
    "device",
    "arithmetic_flop_per_byte",
    "achieved_flop_per_s",
    "peak_flop_per_s",
    "memory_bytes_per_s",
    "ceiling_flop_per_s",
    "ceiling_bytes_per_s",
    "kind",
    "label",
    "precision",
};

enum {
    NAMED_MAX = 12
}; /* most points of a series with names; of more, only the outermost are named */

struct roofs {
    const struct ec_picture *p;
    const struct ec_csv *t;
    int col[COLUMNS];
    const char *device[DEVICES_MAX], *precision[DEVICES_MAX], *roof[DEVICES_MAX];
    bool thinned;
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
        if (!r->roof[i])
            return ec_nomem(err);
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
    if (!s)
        return ec_nomem(err);
    x[0] = r->lo, x[1] = peak / bytes, x[2] = r->hi;
    y[0] = r->lo * bytes, y[1] = y[2] = peak;
    s->marks = EC_MARK_LINE | (measured ? EC_MARK_DASHED : 0);
    s->colour = device + 1;
    if (drawn_before(r, device, measured))
        return EC_OK;
    label = names_of_roof(r, device, measured);
    s->line_label = label ? roof_words(r, label, peak, bytes) : NULL;
    return s->line_label ? EC_OK : ec_nomem(err);
}

/* Names the fastest, the slowest and the outermost points. */
static void name_ends(struct roofs *r, const struct ec_series *s, const char **labels)
{
    int ends[4] = { 0 }, i, k;

    for (i = 0; i < s->n; i++) {
        ends[0] = s->y[i] > s->y[ends[0]] ? i : ends[0];
        ends[1] = s->y[i] < s->y[ends[1]] ? i : ends[1];
        ends[2] = s->x[i] > s->x[ends[2]] ? i : ends[2];
        ends[3] = s->x[i] < s->x[ends[3]] ? i : ends[3];
    }
    for (i = 0; i < s->n; i++) {
        for (k = 0; k < EC_LEN(ends) && ends[k] != i; k++)
            continue;
        if (k == EC_LEN(ends))
            labels[i] = "";
    }
    r->thinned = true;
}

/* Points of a device: predictions as circles, measurements as squares. */
static enum ec_status add_points(struct roofs *r, int device, bool measured, struct ec_err *err)
{
    const char **labels = ec_arena_alloc(&r->arena, sizeof *labels * (size_t)r->t->n_rows);
    struct ec_series *s;
    double *x, *y;
    int row, n = 0;

    s = labels ? add(r, r->t->n_rows, &x, &y) : NULL;
    if (!s)
        return ec_nomem(err);
    for (row = 0; row < r->t->n_rows; row++) {
        bool is_measured = ec_str_eq(ec_csv_cell(r->t, row, r->col[KIND]), "measured");

        if (is_measured != measured || !kept(r, row) || !is_of(r, row, device))
            continue;
        x[n] = number(r, row, INTENSITY);
        y[n] = number(r, row, RATE);
        labels[n++] = ec_csv_cell(r->t, row, r->col[LABEL]);
    }
    s->n = n;
    s->labels = labels;
    s->marks = EC_MARK_POINT | (r->t->n_rows > 4 * NAMED_MAX ? EC_MARK_SMALL : 0);
    if (n > NAMED_MAX)
        name_ends(r, s, labels);
    s->colour = device + 1;
    s->shape = measured ? 2 : 1;
    if (n)
        s->name = ec_arena_printf(&r->arena, "%s, %s", r->roof[device],
                                  measured ? "measured" : "predicted");
    else
        r->n--;
    return EC_OK;
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
    if (!plot.subtitle && (r->subtitle || r->thinned)) {
        plot.subtitle = ec_arena_printf(&r->arena, "%s%s%s", r->subtitle ? r->subtitle : "",
                                        r->subtitle && r->thinned ? "; " : "",
                                        r->thinned ? "of many points the outermost are named" : "");
        if (!plot.subtitle)
            EC_TRY(ec_nomem(err));
    }
    plot.x = (struct ec_axis){ .title = "arithmetic intensity", .unit = "FLOP/byte", .log = true };
    plot.y = (struct ec_axis){
        .title = "performance", .unit = "FLOP/s", .form = EC_AXIS_SI, .log = true
    };
    plot.series = r->series;
    plot.n_series = r->n;
    EC_TRY(ec_plot_draw(&plot, ret, err));
out:
    ec_arena_clear(&r->arena);
    ec_free(r);
    return st;
}
