/* A table of cells in shades of one scale, light to dark, each with its number. */
#include "plot/plot_internal.h"

#include <math.h>

/* Viridis by nine of its colours: even in lightness, readable without colour. */
static const int ramp[] = { 0xfde725, 0xaddc30, 0x5ec962, 0x28ae80, 0x21918c,
                            0x2c728e, 0x3b528b, 0x472d7b, 0x440154 };

static int mix(int a, int b, double t)
{
    int out = 0, shift;

    for (shift = 0; shift <= 16; shift += 8) {
        double from = a >> shift & 255, to = b >> shift & 255;

        out |= (int)lround(from + t * (to - from)) << shift;
    }
    return out;
}

static int shade(double share)
{
    double at = fmin(fmax(share, 0), 1) * (EC_LEN(ramp) - 1);
    int i = (int)fmin(floor(at), EC_LEN(ramp) - 2);

    return mix(ramp[i], ramp[i + 1], at - i);
}

static bool usable(const struct ec_plot *p, double v)
{
    return isfinite(v) && (!p->y.log || v > 0);
}

static double share_of(const struct ec_plot *p, double v, double lo, double hi)
{
    if (!(hi > lo))
        return 0.5;
    return p->y.log ? log(v / lo) / log(hi / lo) : (v - lo) / (hi - lo);
}

static void cell(struct ec__frame *f, const struct ec__box *b, double v, double lo, double hi)
{
    bool known = usable(f->p, v);
    int fill = known ? shade(share_of(f->p, v, lo, hi)) : 0xF2F2F2;
    struct ec__pen pen = { .role = EC_ROLE_MARK, .fill = fill, .stroke = 0xFFFFFF, .px = 1 };
    struct ec__font font = { .role = EC_ROLE_CELL,
                             .size_px = EC__LABEL_PX,
                             .fill = ec__text_colour(fill),
                             .anchor = EC_ANCHOR_MIDDLE };
    struct ec_axis bare = f->p->y;
    char text[64] = "\xe2\x80\x93";

    bare.unit = NULL;
    if (known)
        ec_axis_text(&bare, v, text, sizeof text);
    pen.tip = text;
    ec__draw_rect(f->d, &pen, b);
    if (ec__text_px(text, EC__LABEL_PX, false) + 4 <= b->x1 - b->x0 && b->y1 - b->y0 > EC__LABEL_PX)
        ec__draw_text(f->d, &font, (b->x0 + b->x1) / 2,
                      (b->y0 + b->y1) / 2 + EC__LABEL_PX * EC__BASELINE, text);
}

#define SCALE_PX 140.0
#define SCALE_STEPS 28

/* What the numbers are, and at the right, beside or below that, which colour is which number. */
static void heading(struct ec__frame *f, double lo, double hi)
{
    struct ec__font font = {
        .role = EC_ROLE_LEGEND, .size_px = EC__LABEL_PX, .fill = EC__INK, .anchor = EC_ANCHOR_END
    };
    struct ec_axis bare = f->p->y;
    const char *unit = f->p->y.unit ? f->p->y.unit : "";
    char from[64], to[64];
    double x0, x1, y, step = SCALE_PX / SCALE_STEPS;
    int i;

    ec__frame_value_title(f, &f->p->y, f->p->y.unit);
    if (!(hi > lo))
        return;
    bare.unit = NULL;
    ec_axis_text(&bare, lo, from, sizeof from);
    ec_axis_text(&bare, hi, to, sizeof to);
    x1 = f->area.x1 - ec__text_px(to, EC__LABEL_PX, false) - 6;
    x0 = x1 - SCALE_PX;
    if (EC__PAD_PX + ec__text_px(f->p->y.title ? f->p->y.title : "", EC__TEXT_PX, false) +
            ec__text_px(unit, EC__TEXT_PX, false) + 30 >
        x0 - ec__text_px(from, EC__LABEL_PX, false))
        f->area.y0 += 18;
    y = f->area.y0 - 22;
    for (i = 0; i < SCALE_STEPS; i++) {
        struct ec__pen pen = { .role = EC_ROLE_LEGEND,
                               .fill = shade((i + 0.5) / SCALE_STEPS),
                               .stroke = -1 };
        struct ec__box b = { x0 + i * step, y, x0 + (i + 1) * step, y + 10 };

        ec__draw_rect(f->d, &pen, &b);
    }
    y += 5 + EC__LABEL_PX * EC__BASELINE;
    ec__draw_text(f->d, &font, x0 - 6, y, from);
    ec__draw_text(f->d, &font, f->area.x1, y, to);
}

static void words(struct ec__frame *f, double step_x, double step_y)
{
    struct ec__font font = { .role = EC_ROLE_TICK,
                             .size_px = EC__TEXT_PX,
                             .fill = EC__INK,
                             .anchor = EC_ANCHOR_END,
                             .max_px = 220 };
    int i;

    for (i = 0; i < f->p->n_rows; i++)
        ec__draw_text(f->d, &font, f->area.x0 - 8,
                      f->area.y0 + (i + 0.5) * step_y + EC__TEXT_PX * EC__BASELINE, f->p->rows[i]);
    font.anchor = EC_ANCHOR_MIDDLE;
    font.max_px = step_x - 4;
    for (i = 0; i < f->p->n_categories; i++)
        ec__draw_text(f->d, &font, f->area.x0 + (i + 0.5) * step_x,
                      f->area.y1 + 6 + EC__TEXT_PX * 0.8, f->p->categories[i]);
    if (!f->p->x.title)
        return;
    font.role = EC_ROLE_AXIS;
    font.max_px = f->area.x1 - f->area.x0;
    ec__draw_text(f->d, &font, (f->area.x0 + f->area.x1) / 2, f->area.y1 + 25 + EC__TEXT_PX * 0.8,
                  f->p->x.title);
}

enum ec_status ec__draw_heat(struct ec__frame *f, struct ec_err *err)
{
    const struct ec_plot *p = f->p;
    double lo = 0, hi = 0, widest = 0, step_x, step_y;
    bool any = false;
    int i, n = p->n_rows * p->n_categories;

    for (i = 0; i < n; i++) {
        if (!usable(p, p->cells[i]))
            continue;
        lo = any ? fmin(lo, p->cells[i]) : p->cells[i];
        hi = any ? fmax(hi, p->cells[i]) : p->cells[i];
        any = true;
    }
    if (!any)
        return ec_fail(err, EC_E_INPUT, "nothing to draw: no cell has a usable number");
    for (i = 0; i < p->n_rows; i++)
        widest = fmax(widest, fmin(ec__text_px(p->rows[i], EC__TEXT_PX, false), 220));
    f->area.y0 += 27;
    f->area.y1 -= p->x.title ? 42 : 22;
    f->area.x0 += widest + 10;
    heading(f, lo, hi);
    step_x = (f->area.x1 - f->area.x0) / p->n_categories;
    step_y = (f->area.y1 - f->area.y0) / p->n_rows;
    words(f, step_x, step_y);
    for (i = 0; i < n; i++) {
        double x = f->area.x0 + i % p->n_categories * step_x;
        double y = f->area.y0 + i / p->n_categories * step_y; /* NOLINT: whole rows */
        struct ec__box b = { x, y, x + step_x, y + step_y };

        cell(f, &b, p->cells[i], lo, hi);
    }
    return f->d->st ? ec_nomem(err) : EC_OK;
}
