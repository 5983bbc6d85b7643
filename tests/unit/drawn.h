/* What must hold of every drawing: nothing leaves the page, no text covers another. */
#ifndef DRAWN_H
#define DRAWN_H

#include "plot/plot_internal.h"
#include "test.h"

#include <math.h>

/* Letters reach 0.76 of the size above the baseline and 0.24 below. */
static inline void text_box(const struct ec_item *t, double ret[4])
{
    double w = ec__text_px(t->text, t->size_px, t->bold);
    double left = t->anchor == EC_ANCHOR_START    ? t->xy[0]
                  : t->anchor == EC_ANCHOR_MIDDLE ? t->xy[0] - w / 2
                                                  : t->xy[0] - w;

    ret[0] = left;
    ret[1] = t->xy[1] - 0.76 * t->size_px;
    ret[2] = left + w;
    ret[3] = t->xy[1] + 0.24 * t->size_px;
}

/* Left, top, right, bottom of what a shape covers; text by conservative widths of letters. */
static inline void item_box(const struct ec_item *item, double ret[4])
{
    const double *xy = item->xy;
    int i;

    switch (item->kind) {
    case EC_ITEM_TEXT:
        text_box(item, ret);
        return;
    case EC_ITEM_RECT:
        ret[0] = xy[0], ret[1] = xy[1], ret[2] = xy[0] + xy[2], ret[3] = xy[1] + xy[3];
        return;
    case EC_ITEM_CIRCLE:
        ret[0] = xy[0] - xy[2], ret[1] = xy[1] - xy[2];
        ret[2] = xy[0] + xy[2], ret[3] = xy[1] + xy[2];
        return;
    case EC_ITEM_PATH:
    case EC_ITEM_POLYGON:
        break;
    }
    ret[0] = ret[2] = xy[0];
    ret[1] = ret[3] = xy[1];
    for (i = 1; i < item->n; i++) {
        ret[0] = fmin(ret[0], xy[2 * i]);
        ret[1] = fmin(ret[1], xy[2 * i + 1]);
        ret[2] = fmax(ret[2], xy[2 * i]);
        ret[3] = fmax(ret[3], xy[2 * i + 1]);
    }
}

static inline bool overlap(const double *a, const double *b)
{
    const double eps = 0.5;

    return a[0] + eps < b[2] && b[0] + eps < a[2] && a[1] + eps < b[3] && b[1] + eps < a[3];
}

static inline void check_inside(const struct ec_drawing *d, const char *plot)
{
    int i;

    for (i = 0; i < d->n; i++) {
        double box[4];

        item_box(&d->items[i], box);
        if (box[0] < -0.5 || box[1] < -0.5 || box[2] > d->width + 0.5 || box[3] > d->height + 0.5)
            test_fail(__FILE__, __LINE__, "%s: item %d (%s) leaves the page: %g %g %g %g", plot, i,
                      d->items[i].text ? d->items[i].text : "shape", box[0], box[1], box[2],
                      box[3]);
    }
}

static inline void check_texts(const struct ec_drawing *d, const char *plot)
{
    int i, k;

    for (i = 0; i < d->n; i++)
        for (k = i + 1; k < d->n; k++) {
            double a[4], b[4];

            if (d->items[i].kind != EC_ITEM_TEXT || d->items[k].kind != EC_ITEM_TEXT)
                continue;
            item_box(&d->items[i], a);
            item_box(&d->items[k], b);
            if (overlap(a, b))
                test_fail(__FILE__, __LINE__, "%s: \"%s\" covers \"%s\"", plot, d->items[i].text,
                          d->items[k].text);
        }
}

#endif
