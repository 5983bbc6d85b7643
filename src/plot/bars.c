/* Bars side by side or stacked, with error bars and their values. */
#include "plot/plot_internal.h"

#include <math.h>

#define VALUE_PX 10.5

static double value(const struct ec_series *s, int category)
{
    return category < s->n ? s->y[category] : (double)NAN;
}

static void widen(double v, double *lo, double *hi, bool *any)
{
    if (!isfinite(v))
        return;
    *lo = *any ? fmin(*lo, v) : v;
    *hi = *any ? fmax(*hi, v) : v;
    *any = true;
}

static void widen_series(const struct ec_plot *p, const struct ec_series *s, double *lo, double *hi,
                         bool *any)
{
    int c;

    for (c = 0; c < p->n_categories && c < s->n; c++) {
        if (p->y.log && !(value(s, c) > 0))
            continue;
        widen(value(s, c), lo, hi, any);
        if (s->lo && s->hi && !(p->y.log && !(s->lo[c] > 0))) {
            widen(s->lo[c], lo, hi, any);
            widen(s->hi[c], lo, hi, any);
        }
    }
}

static double stack_total(const struct ec_plot *p, int category)
{
    double sum = 0;
    int i;

    for (i = 0; i < p->n_series; i++)
        if (isfinite(value(&p->series[i], category)))
            sum += fmax(value(&p->series[i], category), 0);
    return sum;
}

static bool value_range(const struct ec_plot *p, double *lo, double *hi)
{
    bool any = false;
    int i;

    if (p->kind == EC_PLOT_STACK)
        for (i = 0; i < p->n_categories; i++)
            widen(stack_total(p, i), lo, hi, &any);
    else
        for (i = 0; i < p->n_series; i++)
            widen_series(p, &p->series[i], lo, hi, &any);
    if (any && p->has_reference && (!p->y.log || p->reference > 0))
        widen(p->reference, lo, hi, &any);
    if (any && !p->y.log)
        widen(0, lo, hi, &any);
    return any;
}

/* Short: the axis says the unit already. */
static void bar_words(const struct ec_axis *axis, double v, char *out, size_t size)
{
    struct ec_axis bare = *axis;

    bare.unit = NULL;
    if (bare.form == EC_AXIS_SHARE) {
        bare.form = EC_AXIS_NUMBER;
        v *= 100;
    }
    ec_axis_text(&bare, v, out, size);
}

/* Beyond the end of the bar where there is room, else not at all. */
static void value_text(struct ec__frame *f, const struct ec__cats *c, double v, double beyond,
                       double p, double q)
{
    struct ec__font font = { .role = EC_ROLE_LABEL, .size_px = VALUE_PX, .fill = EC__INK };
    char text[64];
    double w, at = ec__cats_px(f, c, beyond);

    bar_words(&f->p->y, v, text, sizeof text);
    w = ec__text_px(text, VALUE_PX, false);
    if (c->flat) {
        bool left = v < 0;

        font.anchor = left ? EC_ANCHOR_END : EC_ANCHOR_START;
        if (!left && f->p->has_reference) {
            double line = ec__cats_px(f, c, f->p->reference);

            if (line > at - 1 && line < at + w + 6)
                at = line;
        }
        if (q - p >= VALUE_PX && at + w + 4 < f->d->width)
            ec__draw_text(f->d, &font, at + (left ? -4 : 4), (p + q) / 2 + VALUE_PX * EC__BASELINE,
                          text);
        return;
    }
    font.anchor = EC_ANCHOR_MIDDLE;
    if (w <= q - p + 2)
        ec__draw_text(f->d, &font, (p + q) / 2, v < 0 ? at + 4 + VALUE_PX * 0.8 : at - 4, text);
}

static void error_bar(struct ec__frame *f, const struct ec__cats *c, const struct ec_series *s,
                      int category, double middle)
{
    struct ec__pen pen = { .role = EC_ROLE_MARK, .stroke = EC__INK, .fill = -1, .px = 1.1 };

    if (!s->lo || !s->hi || !isfinite(s->lo[category]) || !isfinite(s->hi[category]))
        return;
    ec__cats_line(f, c, &pen, s->lo[category], s->hi[category], middle);
    ec__cats_bar_line(f, c, &pen, s->lo[category], middle - 3, middle + 3);
    ec__cats_bar_line(f, c, &pen, s->hi[category], middle - 3, middle + 3);
}

static const char *tip(struct ec__frame *f, int series, int category)
{
    const struct ec_series *s = &f->p->series[series];
    char text[64];

    ec_axis_text(&f->p->y, value(s, category), text, sizeof text);
    return ec_arena_printf(&f->d->arena, "%s%s%s: %s", f->p->categories[category],
                           s->name ? ", " : "", s->name ? s->name : "", text);
}

static void bar(struct ec__frame *f, const struct ec__cats *c, int series, int category, double p,
                double q)
{
    const struct ec_series *s = &f->p->series[series];
    struct ec__pen pen = { .role = EC_ROLE_MARK, .fill = f->colour[series], .stroke = -1 };
    struct ec__box box =
        ec__cats_box(f, c, ec__cats_base(f, c), value(s, category), p + 0.5, q - 0.5);

    pen.tip = tip(f, series, category);
    ec__draw_rect(f->d, &pen, &box);
    error_bar(f, c, s, category, (p + q) / 2);
}

/* With an error bar from lo on: inside the bar, where it begins; else beside the end of a lying
 * bar, over the error bar; false where there is no room. */
static bool inner_text(struct ec__frame *f, const struct ec__cats *c, int series, double v,
                       double lo, double p, double q)
{
    struct ec__font font = { .role = EC_ROLE_CELL,
                             .size_px = VALUE_PX,
                             .fill = ec__text_colour(f->colour[series]),
                             .anchor = c->flat ? EC_ANCHOR_START : EC_ANCHOR_MIDDLE };
    double base = ec__cats_px(f, c, ec__cats_base(f, c)),
           room = fabs(ec__cats_px(f, c, fmin(v, lo)) - base);
    char text[64];
    double w;

    bar_words(&f->p->y, v, text, sizeof text);
    w = ec__text_px(text, VALUE_PX, false);
    if (v >= 0 && room > (c->flat ? w : VALUE_PX) + 8 && q - p > (c->flat ? VALUE_PX : w) + 2) {
        ec__draw_text(f->d, &font, c->flat ? base + 4 : (p + q) / 2,
                      c->flat ? (p + q) / 2 + VALUE_PX * EC__BASELINE : base - 4, text);
        return true;
    }
    base = ec__cats_px(f, c, v);
    if (v < 0 || !c->flat || q - p < 2 * VALUE_PX - 2 || base + w + 3 > f->d->width)
        return false;
    font.role = EC_ROLE_LABEL;
    font.fill = EC__INK;
    ec__draw_text(f->d, &font, base + 3, (p + q) / 2 - 3, text);
    return true;
}

/* At the end of the bar; where an error bar stands there, see above; else past its end. */
static void bar_text(struct ec__frame *f, const struct ec__cats *c, int series, int category,
                     double p, double q)
{
    const struct ec_series *s = &f->p->series[series];
    double v = value(s, category), end = v;
    bool has_error = s->lo && s->hi && isfinite(s->lo[category]) && isfinite(s->hi[category]);

    if (has_error && inner_text(f, c, series, v, s->lo[category], p, q))
        return;
    if (has_error && v >= 0)
        end = fmax(v, s->hi[category]);
    value_text(f, c, v, end, p, q);
}

static bool has_bar(const struct ec_plot *p, int series, int category)
{
    double v = value(&p->series[series], category);

    return isfinite(v) && !(p->y.log && v <= 0);
}

static int bars_at(const struct ec_plot *p, int category)
{
    int i, n = 0;

    for (i = 0; i < p->n_series; i++)
        n += has_bar(p, i, category);
    return n;
}

int ec__bars_most(const struct ec_plot *p)
{
    int k, most = 1;

    for (k = 0; k < p->n_categories; k++)
        most = bars_at(p, k) > most ? bars_at(p, k) : most;
    return most;
}

/* Texts come in a second round, above the reference line. A place where series have no bar holds
 * the others side by side, in the middle. */
static void side_by_side(struct ec__frame *f, const struct ec__cats *c, bool texts)
{
    double gap = fmin(0.24 * c->step, 40), width = (c->step - gap) / ec__bars_most(f->p);
    int i, k;

    width = fmin(width, 64);
    for (k = 0; k < f->p->n_categories; k++) {
        double p = c->from + (k + 0.5) * c->step - bars_at(f->p, k) / 2.0 * width;

        for (i = 0; i < f->p->n_series; i++) {
            if (!has_bar(f->p, i, k))
                continue;
            if (texts)
                bar_text(f, c, i, k, p, p + width);
            else
                bar(f, c, i, k, p, p + width);
            p += width;
        }
    }
}

/* Room that values take beyond the ends of lying bars. */
static double widest_value(const struct ec_plot *p)
{
    double widest = 0;
    char text[64];
    int i, k;

    for (k = 0; k < p->n_categories; k++)
        for (i = 0; i < p->n_series; i++) {
            double v = p->kind == EC_PLOT_STACK ? stack_total(p, k) : value(&p->series[i], k);

            if (!isfinite(v))
                continue;
            bar_words(&p->y, v, text, sizeof text);
            widest = fmax(widest, ec__text_px(text, VALUE_PX, false));
        }
    return widest;
}

/* The part's value inside it, where it fits. */
static void part_text(struct ec__frame *f, const struct ec__box *b, double v, int colour)
{
    struct ec__font font = { .role = EC_ROLE_CELL,
                             .size_px = VALUE_PX,
                             .fill = ec__text_colour(colour),
                             .anchor = EC_ANCHOR_MIDDLE };
    char text[64];

    bar_words(&f->p->y, v, text, sizeof text);
    if (ec__text_px(text, VALUE_PX, false) + 4 > b->x1 - b->x0 || b->y1 - b->y0 < VALUE_PX + 2)
        return;
    ec__draw_text(f->d, &font, (b->x0 + b->x1) / 2, (b->y0 + b->y1) / 2 + VALUE_PX * EC__BASELINE,
                  text);
}

static void stacked(struct ec__frame *f, const struct ec__cats *c)
{
    double width = fmin(0.72 * c->step, 90);
    int i, k;

    for (k = 0; k < f->p->n_categories; k++) {
        double sum = 0, p = c->from + (k + 0.5) * c->step - width / 2;

        for (i = 0; i < f->p->n_series; i++) {
            struct ec__pen pen = {
                .role = EC_ROLE_MARK, .fill = f->colour[i], .stroke = 0xFFFFFF, .px = 0.8
            };
            double v = value(&f->p->series[i], k);
            struct ec__box box;

            if (!isfinite(v) || v <= 0)
                continue;
            pen.tip = tip(f, i, k);
            box = ec__cats_box(f, c, sum, sum + v, p, p + width);
            ec__draw_rect(f->d, &pen, &box);
            part_text(f, &box, v, f->colour[i]);
            sum += v;
        }
        if (sum > 0)
            value_text(f, c, sum, sum, p, p + width);
    }
}

enum ec_status ec__draw_bars(struct ec__frame *f, struct ec_err *err)
{
    struct ec__cats c = { .value_px = widest_value(f->p) };
    double lo = 0, hi = 0;

    if (!value_range(f->p, &lo, &hi))
        return ec_fail(err, EC_E_INPUT, "nothing to draw: no bar has a usable number");
    ec__cats_axes(f, lo, hi + 0.06 * (f->p->y.log ? hi : hi - lo), &c);
    if (f->p->kind == EC_PLOT_STACK)
        stacked(f, &c);
    else
        side_by_side(f, &c, false);
    ec__cats_reference(f, &c);
    if (f->p->kind == EC_PLOT_BARS)
        side_by_side(f, &c, true);
    return f->d->st ? ec_nomem(err) : EC_OK;
}
