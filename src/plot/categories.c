/* An axis of words and one of numbers, for bars and boxes. Words that do not fit side by side are
 * put below each other, and values then run to the right. */
#include "plot/plot_internal.h"

#include <math.h>

#define WORD_MAX_PX 280.0
#define WORD_MAX_FRAC 0.4 /* of the page */

static double page_px(const struct ec_plot *p)
{
    return p->width_px ? p->width_px : EC__WIDTH_PX;
}

static double word_max(const struct ec_plot *p)
{
    return fmin(WORD_MAX_PX, WORD_MAX_FRAC * page_px(p));
}

static double widest_word(const struct ec_plot *p)
{
    double widest = 0;
    int i;

    for (i = 0; i < p->n_categories; i++)
        widest = fmax(widest, ec__text_px(p->categories[i], EC__TEXT_PX, false));
    return fmin(widest, word_max(p));
}

bool ec__cats_flat(const struct ec_plot *p)
{
    double room = page_px(p) - 100;

    return widest_word(p) + 10 > room / p->n_categories;
}

static double widest_tick(const struct ec__ticks *t)
{
    double widest = 0;
    int i;

    for (i = 0; i < t->n; i++)
        widest = fmax(widest, ec__text_px(t->v[i].text, EC__TEXT_PX, false));
    return widest;
}

static void flat_axes(struct ec__frame *f, struct ec__tick_request *r, struct ec__cats *c)
{
    struct ec__font word = { .role = EC_ROLE_TICK,
                             .size_px = EC__TEXT_PX,
                             .fill = EC__INK,
                             .anchor = EC_ANCHOR_END,
                             .max_px = word_max(f->p) };
    struct ec__pen axis = { .role = EC_ROLE_AXIS, .stroke = EC__GREY, .px = 1 };
    int i;

    if (f->p->x.title)
        f->area.y0 += 27;
    else
        f->area.y0 += 4;
    if (f->p->has_reference && f->p->reference_label)
        f->area.y0 += 12;
    f->area.y1 -= 42;
    f->area.x0 += widest_word(f->p) + 12;
    f->area.x1 -= fmin(fmax(24, c->value_px + 6), 80);
    r->length_px = f->area.x1 - f->area.x0;
    for (i = 0; i < 2; i++) {
        ec__ticks_make(r, &f->x, &f->x_ticks);
        r->length_px -= ec__frame_overhang(f, r->length_px);
    }
    f->area.x1 = f->area.x0 + r->length_px;
    f->x.px_lo = f->area.x0;
    f->x.px_hi = f->area.x1;
    c->from = f->area.y0;
    c->step = (f->area.y1 - f->area.y0) / f->p->n_categories;
    ec__frame_x_axis(f, &f->p->y);
    ec__draw_line(f->d, &axis, f->area.x0, f->area.y0, f->area.x0, f->area.y1);
    if (f->p->x.title)
        ec__frame_value_title(f, &f->p->x, f->p->x.unit);
    for (i = 0; i < f->p->n_categories; i++)
        ec__draw_text(f->d, &word, f->area.x0 - 8,
                      c->from + (i + 0.5) * c->step + EC__TEXT_PX * EC__BASELINE,
                      f->p->categories[i]);
}

static void upright_axes(struct ec__frame *f, struct ec__tick_request *r, struct ec__cats *c)
{
    struct ec__font word = {
        .role = EC_ROLE_TICK, .size_px = EC__TEXT_PX, .fill = EC__INK, .anchor = EC_ANCHOR_MIDDLE
    };
    struct ec__pen axis = { .role = EC_ROLE_AXIS, .stroke = EC__GREY, .px = 1 };
    int i;

    r->upright = true;
    f->area.y0 += 27;
    f->area.y1 -= f->p->x.title ? 42 : 22;
    r->length_px = f->area.y1 - f->area.y0;
    ec__ticks_make(r, &f->y, &f->y_ticks);
    f->area.x0 += widest_tick(&f->y_ticks) + 10;
    f->y.px_lo = f->area.y1;
    f->y.px_hi = f->area.y0;
    c->from = f->area.x0;
    c->step = (f->area.x1 - f->area.x0) / f->p->n_categories;
    word.max_px = c->step - 4;
    ec__frame_y_axis(f, &f->p->y);
    ec__draw_line(f->d, &axis, f->area.x0, f->area.y1, f->area.x1, f->area.y1);
    for (i = 0; i < f->p->n_categories; i++)
        ec__draw_text(f->d, &word, c->from + (i + 0.5) * c->step,
                      f->area.y1 + 7 + EC__TEXT_PX * 0.8, f->p->categories[i]);
    if (!f->p->x.title)
        return;
    word.role = EC_ROLE_AXIS;
    word.max_px = f->area.x1 - f->area.x0;
    ec__draw_text(f->d, &word, (f->area.x0 + f->area.x1) / 2, f->area.y1 + 26 + EC__TEXT_PX * 0.8,
                  f->p->x.title);
}

void ec__cats_axes(struct ec__frame *f, double lo, double hi, struct ec__cats *ret)
{
    struct ec__tick_request r = { .axis = &f->p->y, .lo = lo, .hi = hi, .size_px = EC__TEXT_PX };

    ret->flat = ec__cats_flat(f->p);
    if (ret->flat)
        flat_axes(f, &r, ret);
    else
        upright_axes(f, &r, ret);
}

static const struct ec__scale *value_scale(const struct ec__frame *f, const struct ec__cats *c)
{
    return c->flat ? &f->x : &f->y;
}

double ec__cats_px(const struct ec__frame *f, const struct ec__cats *c, double v)
{
    const struct ec__scale *s = value_scale(f, c);

    return ec__scale_px(s, fmin(fmax(v, s->lo), s->hi));
}

double ec__cats_base(const struct ec__frame *f, const struct ec__cats *c)
{
    const struct ec__scale *s = value_scale(f, c);

    return s->log || s->lo > 0 ? s->lo : 0;
}

struct ec__box ec__cats_box(const struct ec__frame *f, const struct ec__cats *c, double a, double b,
                            double p, double q)
{
    double from = ec__cats_px(f, c, a), to = ec__cats_px(f, c, b);

    if (c->flat)
        return (struct ec__box){ fmin(from, to), p, fmax(from, to), q };
    return (struct ec__box){ p, fmin(from, to), q, fmax(from, to) };
}

void ec__cats_line(struct ec__frame *f, const struct ec__cats *c, const struct ec__pen *pen,
                   double a, double b, double p)
{
    double from = ec__cats_px(f, c, a), to = ec__cats_px(f, c, b);

    if (c->flat)
        ec__draw_line(f->d, pen, from, p, to, p);
    else
        ec__draw_line(f->d, pen, p, from, p, to);
}

void ec__cats_bar_line(struct ec__frame *f, const struct ec__cats *c, const struct ec__pen *pen,
                       double v, double p, double q)
{
    double at = ec__cats_px(f, c, v);

    if (c->flat)
        ec__draw_line(f->d, pen, at, p, at, q);
    else
        ec__draw_line(f->d, pen, p, at, q, at);
}

/* Its label stands outside the data: above the area, or at its right edge. */
void ec__cats_reference(struct ec__frame *f, const struct ec__cats *c)
{
    struct ec__pen pen = { .role = EC_ROLE_AXIS, .stroke = EC__INK, .px = 1.2, .dashed = true };
    struct ec__font text = {
        .role = EC_ROLE_LABEL, .size_px = EC__LABEL_PX, .fill = EC__INK, .anchor = EC_ANCHOR_END
    };
    double end = c->from + c->step * f->p->n_categories;

    if (!f->p->has_reference)
        return;
    ec__cats_bar_line(f, c, &pen, f->p->reference, c->from, end);
    if (!f->p->reference_label)
        return;
    text.anchor = c->flat ? EC_ANCHOR_MIDDLE : EC_ANCHOR_END;
    ec__draw_text(f->d, &text, c->flat ? ec__cats_px(f, c, f->p->reference) : f->area.x1,
                  c->flat ? f->area.y0 - 4 : f->area.y0 - 14, f->p->reference_label);
}
