/* Lines, bands and points over two axes of numbers: curves, scatter, rooflines. */
#include "plot/plot_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_MAX 400
#define FEW_POINTS 400 /* small marks of fewer are larger and less pale */

/* --- Ranges --- */

struct range {
    double lo, hi;
    bool any;
};

static bool usable(const struct ec_axis *axis, double v)
{
    return isfinite(v) && (!axis->log || v > 0);
}

static void widen(struct range *r, const struct ec_axis *axis, double v)
{
    if (!usable(axis, v))
        return;
    r->lo = r->any ? fmin(r->lo, v) : v;
    r->hi = r->any ? fmax(r->hi, v) : v;
    r->any = true;
}

static void data_ranges(const struct ec_plot *p, struct range *x, struct range *y)
{
    int i, k;

    for (i = 0; i < p->n_series; i++) {
        const struct ec_series *s = &p->series[i];

        for (k = 0; k < s->n; k++) {
            if (!usable(&p->x, s->x[k]) || !usable(&p->y, s->y[k]))
                continue;
            widen(x, &p->x, s->x[k]);
            widen(y, &p->y, s->y[k]);
            if (s->lo)
                widen(y, &p->y, s->lo[k]);
            if (s->hi)
                widen(y, &p->y, s->hi[k]);
        }
    }
    if (p->has_reference)
        widen(y, &p->y, p->reference);
    if (!p->identity || !x->any)
        return;
    x->lo = y->lo = fmin(x->lo, y->lo);
    x->hi = y->hi = fmax(x->hi, y->hi);
}

/* Values of x that occur; 0 when there are more than fit as ticks. */
static int distinct_x(const struct ec_plot *p, double *out)
{
    int i, k, j, n = 0;

    for (i = 0; i < p->n_series; i++)
        for (k = 0; k < p->series[i].n; k++) {
            double v = p->series[i].x[k];

            if (!usable(&p->x, v))
                continue;
            for (j = 0; j < n && out[j] != v; j++)
                continue;
            if (j < n)
                continue;
            if (n == EC__TICKS_MAX)
                return 0;
            out[n++] = v;
        }
    qsort(out, (size_t)n, sizeof *out, ec_by_double);
    return n;
}

/* Makes room for ticks and titles, then fixes both scales. */
static void axes(struct ec__frame *f, const struct range *x, const struct range *y)
{
    double values[EC__TICKS_MAX], widest = 0;
    struct ec__tick_request rx = {
        .axis = &f->p->x, .lo = x->lo, .hi = x->hi, .size_px = EC__TEXT_PX, .values = values
    };
    struct ec__tick_request ry = {
        .axis = &f->p->y, .lo = y->lo, .hi = y->hi, .size_px = EC__TEXT_PX, .upright = true
    };
    int i;

    f->area.y0 += 27; /* title of the upright axis */
    f->area.y1 -= f->p->x.title || f->p->x.unit ? 42 : 22;
    ry.length_px = f->area.y1 - f->area.y0;
    ec__ticks_make(&ry, &f->y, &f->y_ticks);
    for (i = 0; i < f->y_ticks.n; i++)
        widest = fmax(widest, ec__text_px(f->y_ticks.v[i].text, EC__TEXT_PX, false));
    f->area.x0 += widest + 10;
    f->area.x1 -= 14; /* half of the last tick */
    rx.length_px = f->area.x1 - f->area.x0;
    rx.n_values = f->p->x.at_values ? distinct_x(f->p, values) : 0;
    for (i = 0; i < 2; i++) {
        ec__ticks_make(&rx, &f->x, &f->x_ticks);
        rx.length_px -= ec__frame_overhang(f, rx.length_px);
    }
    f->area.x1 = f->area.x0 + rx.length_px;
    f->x.px_lo = f->area.x0;
    f->x.px_hi = f->area.x1;
    f->y.px_lo = f->area.y1;
    f->y.px_hi = f->area.y0;
}

/* --- Marks --- */

static bool inside(const struct ec__frame *f, double x, double y)
{
    const double eps = 0.5;

    return x >= f->area.x0 - eps && x <= f->area.x1 + eps && y >= f->area.y0 - eps &&
           y <= f->area.y1 + eps;
}

static bool to_px(const struct ec__frame *f, double x, double y, double *px)
{
    if (!usable(&f->p->x, x) || !usable(&f->p->y, y))
        return false;
    px[0] = ec__scale_px(&f->x, x);
    px[1] = ec__scale_px(&f->y, y);
    return true;
}

/* Leaves the part of a segment inside the box; false when there is none. */
static bool clip(const struct ec__box *b, double *s)
{
    double dx = s[2] - s[0], dy = s[3] - s[1], x = s[0], y = s[1], part[2];

    if (!ec__crosses(s, b, part))
        return false;
    s[0] = x + part[0] * dx, s[1] = y + part[0] * dy;
    s[2] = x + part[1] * dx, s[3] = y + part[1] * dy;
    return true;
}

/* Segments drawn so far: labels keep off them. */
struct work {
    struct ec__frame *f;
    double *segments;
    int n_segments, cap_segments;
    struct ec__box *boxes;
    int n_boxes, cap_boxes;
    struct ec__label labels[LABELS_MAX];
    int n_labels;
};

static void note_segment(struct work *w, const double *s)
{
    struct ec_drawing *d = w->f->d;

    if (!d->st)
        d->st = ec_grow(&w->segments, &w->cap_segments, 4 * (w->n_segments + 1),
                        sizeof *w->segments, NULL);
    if (!d->st)
        memcpy(w->segments + 4 * w->n_segments++, s, 4 * sizeof *s);
}

static void note_box(struct work *w, double x, double y, double r)
{
    struct ec_drawing *d = w->f->d;

    if (!d->st)
        d->st = ec_grow(&w->boxes, &w->cap_boxes, w->n_boxes + 1, sizeof *w->boxes, NULL);
    if (!d->st)
        w->boxes[w->n_boxes++] = (struct ec__box){ x - r, y - r, x + r, y + r };
}

/* A run of points as one path, cut where it leaves the area. */
static void draw_run(struct work *w, const struct ec__pen *pen, const double *xy, int n)
{
    struct ec_drawing *d = w->f->d;
    double *path = ec_arena_alloc(&d->arena, sizeof *path * 2 * (size_t)(n + 1));
    int i, k = 0;

    if (!path) {
        d->st = EC_E_NOMEM;
        return;
    }
    for (i = 0; i + 1 < n; i++) {
        double s[4] = { xy[2 * i], xy[2 * i + 1], xy[2 * i + 2], xy[2 * i + 3] };

        if (!clip(&w->f->area, s))
            continue;
        note_segment(w, s);
        if (k && (path[2 * k - 2] != s[0] || path[2 * k - 1] != s[1])) {
            ec__draw_path(d, pen, path, k);
            k = 0;
        }
        if (!k)
            memcpy(path + 2 * k++, s, 2 * sizeof *s);
        memcpy(path + 2 * k++, s + 2, 2 * sizeof *s);
    }
    ec__draw_path(d, pen, path, k);
}

static void draw_line(struct work *w, int i)
{
    const struct ec_series *s = &w->f->p->series[i];
    struct ec__pen pen = { .role = EC_ROLE_MARK,
                           .stroke = w->f->colour[i],
                           .fill = -1,
                           .px = s->marks & EC_MARK_GREY ? 1.2 : 2,
                           .dashed = s->marks & EC_MARK_DASHED };
    double *xy = ec_arena_alloc(&w->f->d->arena, sizeof *xy * 2 * (size_t)(s->n + 1));
    int k, n = 0;

    if (!xy) {
        w->f->d->st = EC_E_NOMEM;
        return;
    }
    for (k = 0; k < s->n; k++) {
        if (to_px(w->f, s->x[k], s->y[k], xy + 2 * n)) {
            n++;
            continue;
        }
        draw_run(w, &pen, xy, n);
        n = 0;
    }
    draw_run(w, &pen, xy, n);
}

static double clamp(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static void draw_band(struct work *w, int i)
{
    const struct ec_series *s = &w->f->p->series[i];
    const struct ec__box *a = &w->f->area;
    struct ec__pen pen = {
        .role = EC_ROLE_MARK, .stroke = -1, .fill = w->f->colour[i], .opacity = 0.18
    };
    double *xy = ec_arena_alloc(&w->f->d->arena, sizeof *xy * 4 * (size_t)(s->n + 1));
    int k, n = 0;

    if (!xy) {
        w->f->d->st = EC_E_NOMEM;
        return;
    }
    for (k = 0; k < 2 * s->n; k++) {
        int at = k < s->n ? k : 2 * s->n - 1 - k;
        double *px = xy + 2 * n;

        if (!to_px(w->f, s->x[at], k < s->n ? s->hi[at] : s->lo[at], px))
            continue;
        px[0] = clamp(px[0], a->x0, a->x1);
        px[1] = clamp(px[1], a->y0, a->y1);
        n++;
    }
    ec__draw_polygon(w->f->d, &pen, xy, n);
}

static void error_bar(struct work *w, int i, int k, double x)
{
    const struct ec_series *s = &w->f->p->series[i];
    const struct ec__box *a = &w->f->area;
    struct ec__pen pen = { .role = EC_ROLE_MARK, .stroke = w->f->colour[i], .fill = -1, .px = 1.2 };
    double lo[2], hi[2];

    if (!s->lo || !s->hi || s->marks & EC_MARK_BAND || !to_px(w->f, s->x[k], s->lo[k], lo) ||
        !to_px(w->f, s->x[k], s->hi[k], hi))
        return;
    lo[1] = clamp(lo[1], a->y0, a->y1);
    hi[1] = clamp(hi[1], a->y0, a->y1);
    ec__draw_line(w->f->d, &pen, x, lo[1], x, hi[1]);
    ec__draw_line(w->f->d, &pen, x - 3, lo[1], x + 3, lo[1]);
    ec__draw_line(w->f->d, &pen, x - 3, hi[1], x + 3, hi[1]);
}

/* Points in their thousands: one per half pixel is all that can be seen, but for those with a name.
 */
static bool seen_before(unsigned char *seen, const struct ec__frame *f, double x, double y)
{
    int columns = (int)(f->area.x1 - f->area.x0 + 4) * 2;
    int at = (int)((y - f->area.y0 + 1) * 2) * columns + (int)((x - f->area.x0 + 1) * 2);
    bool was = seen[at / 8] >> (at % 8) & 1;

    seen[at / 8] = (unsigned char)(seen[at / 8] | 1 << (at % 8));
    return was;
}

static void add_label(struct work *w, const char *text, double x, double y, double r, int colour,
                      bool on_line)
{
    if (!text || !*text || w->f->d->st)
        return;
    if (w->n_labels == LABELS_MAX) {
        w->f->d->labels_left_out++;
        return;
    }
    w->labels[w->n_labels++] = (struct ec__label){ text, x, y, r, colour, on_line };
}

static void draw_points(struct work *w, int i)
{
    struct ec__frame *f = w->f;
    const struct ec_series *s = &f->p->series[i];
    bool small = s->marks & EC_MARK_SMALL, few = s->n < FEW_POINTS;
    bool large = s->marks & EC_MARK_LARGE;
    struct ec__pen pen = { .role = EC_ROLE_MARK,
                           .fill = f->colour[i],
                           .stroke = small   ? -1
                                     : large ? EC__INK
                                             : 0xFFFFFF,
                           .px = large ? 1.2 : 0.8,
                           .opacity = small ? few ? 0.6 : 0.4 : 1 };
    size_t bits = (size_t)(f->d->width + 8) * 2 * (size_t)(f->d->height + 8) * 2;
    unsigned char *seen = small ? ec_alloc(bits / 8 + 1) : NULL;
    double r = small ? few ? 3 : 2 : large ? 6 : 4, px[2];
    int k;

    if (small && !seen) {
        f->d->st = EC_E_NOMEM;
        return;
    }
    for (k = 0; k < s->n; k++) {
        pen.tip = s->labels ? s->labels[k] : NULL;
        if (!to_px(f, s->x[k], s->y[k], px) || !inside(f, px[0], px[1]) ||
            (small && seen_before(seen, f, px[0], px[1]) && !(pen.tip && *pen.tip)))
            continue;
        error_bar(w, i, k, px[0]);
        ec__draw_point(f->d, &pen, f->shape[i], px[0], px[1], r);
        note_box(w, px[0], px[1], small ? r : r + 1);
        if (s->labels)
            add_label(w, s->labels[k], px[0], px[1], r, f->colour[i], false);
    }
    ec_free(seen);
}

/* At the last point inside the area. */
static void line_label(struct work *w, int i)
{
    const struct ec_series *s = &w->f->p->series[i];
    double px[2];
    int k;

    if (!s->line_label)
        return;
    for (k = s->n - 1; k >= 0; k--)
        if (to_px(w->f, s->x[k], s->y[k], px) && inside(w->f, px[0], px[1])) {
            add_label(w, s->line_label, px[0], px[1], 2, w->f->colour[i], true);
            return;
        }
}

/* --- References --- */

static void across(struct work *w, double factor, bool dashed)
{
    struct ec__frame *f = w->f;
    struct ec__pen pen = { .role = EC_ROLE_AXIS, .stroke = EC__GREY, .px = 1, .dashed = dashed };
    double s[4], a[2], b[2];

    if (!to_px(f, f->x.lo, f->x.lo * factor, a) || !to_px(f, f->x.hi, f->x.hi * factor, b))
        return;
    s[0] = a[0], s[1] = a[1], s[2] = b[0], s[3] = b[1];
    if (!clip(&f->area, s))
        return;
    note_segment(w, s);
    ec__draw_line(f->d, &pen, s[0], s[1], s[2], s[3]);
}

static void references(struct work *w)
{
    struct ec__frame *f = w->f;
    struct ec__pen pen = { .role = EC_ROLE_AXIS, .stroke = EC__GREY, .px = 1.2, .dashed = true };
    double y;

    if (f->p->identity)
        across(w, 1, false);
    if (f->p->identity && f->p->band_frac > 0) {
        across(w, 1 + f->p->band_frac, true);
        across(w, 1 / (1 + f->p->band_frac), true);
    }
    if (!f->p->has_reference || !usable(&f->p->y, f->p->reference))
        return;
    y = ec__scale_px(&f->y, f->p->reference);
    if (!inside(f, f->area.x0, y))
        return;
    ec__draw_line(f->d, &pen, f->area.x0, y, f->area.x1, y);
    note_segment(w, (double[4]){ f->area.x0, y, f->area.x1, y });
    add_label(w, f->p->reference_label, f->area.x1, y, 2, EC__GREY, true);
}

enum ec_status ec__draw_xy(struct ec__frame *f, struct ec_err *err)
{
    struct range x = { 0 }, y = { 0 };
    struct work *w;
    int i;

    data_ranges(f->p, &x, &y);
    if (!x.any)
        return ec_fail(err, EC_E_INPUT, "nothing to draw: no point has two usable numbers");
    w = ec_alloc(sizeof *w);
    EC_PASS(ec_allocated(w, err));
    w->f = f;
    axes(f, &x, &y);
    ec__frame_x_axis(f, &f->p->x);
    ec__frame_y_axis(f, &f->p->y);
    for (i = 0; i < f->p->n_series && !f->d->st; i++)
        if (f->p->series[i].marks & EC_MARK_BAND && f->p->series[i].lo && f->p->series[i].hi)
            draw_band(w, i);
    references(w);
    for (i = 0; i < f->p->n_series && !f->d->st; i++)
        if (!f->p->series[i].marks || f->p->series[i].marks & EC_MARK_LINE)
            draw_line(w, i);
    for (i = 0; i < f->p->n_series && !f->d->st; i++) {
        if (!f->p->series[i].marks || f->p->series[i].marks & EC_MARK_POINT)
            draw_points(w, i);
        line_label(w, i);
    }
    ec__labels_place(f->d, &f->area, w->labels, w->n_labels,
                     &(struct ec__obstacles){ w->boxes, w->n_boxes, w->segments, w->n_segments });
    ec_free(w->segments);
    ec_free(w->boxes);
    ec_free(w);
    return f->d->st ? ec_nomem(err) : EC_OK;
}
