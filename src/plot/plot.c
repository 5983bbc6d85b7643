/* From a description to a drawing. */
#include "plot/plot_internal.h"

#include <math.h>
#include <string.h>

#define WIDTH_MIN_PX 240
#define SIDE_MAX_PX 20000

static int flat_height(const struct ec_plot *p)
{
    double bars = p->kind == EC_PLOT_BARS    ? ec__bars_most(p)
                  : p->kind == EC_PLOT_STACK ? 1
                                             : p->n_series;
    double each = fmax(24, bars * (bars > 4 ? 13 : 15) + 9);

    return (int)fmin(140 + each * p->n_categories, 4000);
}

static int default_height(const struct ec_plot *p)
{
    if (p->kind == EC_PLOT_HEAT)
        return (int)fmin(130 + 28.0 * p->n_rows, 3000);
    if (p->kind != EC_PLOT_XY && ec__cats_flat(p))
        return flat_height(p);
    return p->identity ? 640 : 440;
}

static enum ec_status check_categories(const struct ec_plot *p, struct ec_err *err)
{
    if (p->kind == EC_PLOT_XY)
        return EC_OK;
    if (p->n_categories < 1)
        return ec_fail(err, EC_E_INPUT, "nothing to draw: no categories");
    if (p->n_categories > 2000)
        return ec_fail(err, EC_E_INPUT, "%d categories, at most 2000 can be told apart",
                       p->n_categories);
    if (p->kind == EC_PLOT_HEAT && (p->n_rows < 1 || p->n_rows > 2000))
        return ec_fail(err, EC_E_INPUT, "a heat map of %d rows, expected 1 to 2000", p->n_rows);
    return EC_OK;
}

static enum ec_status check(const struct ec_plot *p, struct ec_err *err)
{
    if (p->n_series > EC__SERIES_MAX)
        return ec_fail(err, EC_E_INPUT, "%d series, at most %d can be told apart", p->n_series,
                       EC__SERIES_MAX);
    if (p->kind != EC_PLOT_HEAT && p->n_series < 1)
        return ec_fail(err, EC_E_INPUT, "nothing to draw: no series");
    if (p->width_px && (p->width_px < WIDTH_MIN_PX || p->width_px > SIDE_MAX_PX))
        return ec_fail(err, EC_E_INPUT, "width %d px, expected %d to %d", p->width_px, WIDTH_MIN_PX,
                       SIDE_MAX_PX);
    if (p->height_px && (p->height_px < 200 || p->height_px > SIDE_MAX_PX))
        return ec_fail(err, EC_E_INPUT, "height %d px, expected 200 to %d", p->height_px,
                       SIDE_MAX_PX);
    return check_categories(p, err);
}

enum ec_status ec_plot_draw(const struct ec_plot *p, struct ec_drawing *ret, struct ec_err *err)
{
    static enum ec_status (*const kinds[])(struct ec__frame *, struct ec_err *) = {
        [EC_PLOT_XY] = ec__draw_xy,      [EC_PLOT_BARS] = ec__draw_bars,
        [EC_PLOT_STACK] = ec__draw_bars, [EC_PLOT_BOX] = ec__draw_boxes,
        [EC_PLOT_HEAT] = ec__draw_heat,
    };
    struct ec_drawing d = { 0 };
    struct ec__frame *f = NULL;
    enum ec_status st;

    EC_TRY(check(p, err));
    f = ec_alloc(sizeof *f);
    EC_TRY(ec_allocated(f, err));
    f->p = p;
    f->d = &d;
    d.width = p->width_px ? p->width_px : EC__WIDTH_PX;
    d.height = p->height_px ? p->height_px : default_height(p);
    d.title = ec__text_clean(&d.arena, p->title ? p->title : "", EC__TITLE_PX, 0);
    EC_TRY(ec_allocated(d.title, err));
    ec__frame_begin(f);
    EC_TRY(kinds[p->kind](f, err));
    *ret = d;
    memset(&d, 0, sizeof d);
out:
    ec_free(f);
    ec_drawing_clear(&d);
    return st;
}
