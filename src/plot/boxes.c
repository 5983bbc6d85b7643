/* Many values per category: a box from the quarter to three quarters with the median, whiskers from
 * 5 % to 95 %; few values are shown one by one. */
#include "plot/plot_internal.h"

#include <math.h>
#include <stdlib.h>

#define STRIP_MAX 60

static double quantile(const double *sorted, int n, double q)
{
    double at = q * (n - 1);
    int i = (int)at;

    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* Values of one series in one category, sorted; returns how many. */
static int gather(const struct ec_plot *p, int series, int category, double *out)
{
    const struct ec_series *s = &p->series[series];
    int k, n = 0;

    for (k = 0; k < s->n; k++)
        if ((int)lround(s->x[k]) == category && isfinite(s->y[k]) && (!p->y.log || s->y[k] > 0))
            out[n++] = s->y[k];
    qsort(out, (size_t)n, sizeof *out, ec_by_double);
    return n;
}

static const double whiskers[] = { 0.05, 0.95 };

static void strip(struct ec__frame *f, const struct ec__cats *c, int series, const double *v, int n,
                  double p, double q)
{
    struct ec__pen dot = {
        .role = EC_ROLE_MARK, .fill = f->colour[series], .stroke = -1, .opacity = 0.55
    };
    int k;

    for (k = 0; k < n; k++) {
        /* Spread by the golden section: even, and the same every time. */
        double share = fmod(0.5 + k * 0.6180339887, 1), across = p + (0.2 + 0.6 * share) * (q - p);
        double at = ec__cats_px(f, c, v[k]);

        ec__draw_circle(f->d, &dot, c->flat ? at : across, c->flat ? across : at, 2.2);
    }
}

static void draw_box(struct ec__frame *f, const struct ec__cats *c, int series, const double *v,
                     int n, double p, double q)
{
    int colour = f->colour[series], i;
    struct ec__pen body = {
        .role = EC_ROLE_MARK, .fill = colour, .stroke = colour, .px = 1.2, .opacity = 0.35
    };
    struct ec__pen line = { .role = EC_ROLE_MARK, .fill = -1, .stroke = colour, .px = 1.4 };
    struct ec__pen median = { .role = EC_ROLE_MARK, .fill = -1, .stroke = EC__INK, .px = 2 };
    double q1 = quantile(v, n, 0.25), q3 = quantile(v, n, 0.75), middle = (p + q) / 2;
    struct ec__box box = ec__cats_box(f, c, q1, q3, p, q);
    char text[64];

    ec_axis_text(&f->p->y, quantile(v, n, 0.5), text, sizeof text);
    body.tip = ec_arena_printf(&f->d->arena, "median %s of %d", text, n);
    if (n <= STRIP_MAX)
        strip(f, c, series, v, n, p, q);
    if (n >= 5) {
        ec__draw_rect(f->d, &body, &box);
        for (i = 0; i < 2; i++) {
            double end = quantile(v, n, whiskers[i]);

            ec__cats_line(f, c, &line, i ? q3 : q1, end, middle);
            ec__cats_bar_line(f, c, &line, end, middle - 4, middle + 4);
        }
    }
    ec__cats_bar_line(f, c, &median, quantile(v, n, 0.5), p, q);
}

/* The range of whiskers and single points. */
static bool range(const struct ec_plot *p, double *work, double *lo, double *hi)
{
    bool any = false;
    int i, k;

    for (i = 0; i < p->n_series; i++)
        for (k = 0; k < p->n_categories; k++) {
            int n = gather(p, i, k, work);
            bool all = n <= STRIP_MAX;

            if (!n)
                continue;
            *lo = fmin(any ? *lo : work[n - 1], all ? work[0] : quantile(work, n, whiskers[0]));
            *hi = fmax(any ? *hi : work[0], all ? work[n - 1] : quantile(work, n, whiskers[1]));
            any = true;
        }
    if (any && p->has_reference && (!p->y.log || p->reference > 0)) {
        *lo = fmin(*lo, p->reference);
        *hi = fmax(*hi, p->reference);
    }
    return any;
}

enum ec_status ec__draw_boxes(struct ec__frame *f, struct ec_err *err)
{
    struct ec__cats c = { 0 };
    double lo = 0, hi = 0, *work, width;
    size_t most = 1;
    int i, k;

    for (i = 0; i < f->p->n_series; i++)
        most += (size_t)f->p->series[i].n;
    work = ec_alloc(sizeof *work * most);
    EC_PASS(ec_allocated(work, err));
    if (!range(f->p, work, &lo, &hi)) {
        ec_free(work);
        return ec_fail(err, EC_E_INPUT, "nothing to draw: no category has a usable number");
    }
    ec__cats_axes(f, lo, hi, &c);
    ec__cats_reference(f, &c);
    width = fmin(0.7 * c.step / f->p->n_series, 46);
    for (i = 0; i < f->p->n_series; i++)
        for (k = 0; k < f->p->n_categories; k++) {
            int n = gather(f->p, i, k, work);
            double p = c.from + (k + 0.5) * c.step + (i - f->p->n_series / 2.0) * width;

            if (n)
                draw_box(f, &c, i, work, n, p + 1, p + width - 1);
        }
    ec_free(work);
    return f->d->st ? ec_nomem(err) : EC_OK;
}
