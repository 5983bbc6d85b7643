/* What must hold of every drawing: nothing leaves the page, no text covers another. */
#ifndef DRAWN_H
#define DRAWN_H

#include "plot/plot.h"
#include "test.h"

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

        ec_item_box(&d->items[i], box);
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
            ec_item_box(&d->items[i], a);
            ec_item_box(&d->items[k], b);
            if (overlap(a, b))
                test_fail(__FILE__, __LINE__, "%s: \"%s\" covers \"%s\"", plot, d->items[i].text,
                          d->items[k].text);
        }
}

#endif
