/* What is true of single devices, taken out of what corrections for devices that nobody measured
 * are taught. A host that issues kernels slowly or a board that clocks low moves all rows of an
 * operator alike. Trees find out which device a row is from, by its sizes and rounds, and learn
 * that by heart; of a device that they have not seen it says nothing. */
#include "predict/fit_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer rows of a device say nothing of it. */
#define FEW_ROWS 8
/* Two effects: on what the kernel takes, and on what is beside it. How far they keep together, in
 * rows; rounds of weighing large errors down, and the error from which on. */
#define TOGETHER_ROWS 5.0
#define ROUNDS 4
#define LARGE_ERROR 0.05

/* Rows of one operator on one device in one table: first to end of the sorted order. */
struct run {
    int first, end;
    double effect[2];
    bool known;
};

static int compare_keys(const struct ec_effect_row *a, const struct ec_effect_row *b)
{
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

static int by_key(const void *a, const void *b)
{
    const struct ec_effect_row *x = a, *y = b;
    int c = compare_keys(x, y);

    return c ? c : (x->at > y->at) - (x->at < y->at);
}

static double effect_on(const struct ec_effect_row *r, const double effect[2])
{
    return r->kernel_share * effect[0] + (1 - r->kernel_share) * effect[1];
}

/* Weighted least squares in two unknowns, a few times over. */
static void solve_effect(const struct ec_effect_row *v, struct run *run)
{
    int i, round;

    run->effect[0] = run->effect[1] = 0;
    for (round = 0; round < ROUNDS; round++) {
        double a = TOGETHER_ROWS + 1e-6, b = -TOGETHER_ROWS, d = a, p = 0, q = 0, det;

        for (i = run->first; i < run->end; i++) {
            double s = v[i].kernel_share, e = fabs(v[i].value - effect_on(&v[i], run->effect));
            double w = round ? 1 / fmax(e, LARGE_ERROR) : 1;

            a += w * s * s;
            b += w * s * (1 - s);
            d += w * (1 - s) * (1 - s);
            p += w * s * v[i].value;
            q += w * (1 - s) * v[i].value;
        }
        det = a * d - b * b;
        run->effect[0] = (d * p - b * q) / det;
        run->effect[1] = (a * q - b * p) / det;
    }
    run->known = true;
}

/* Each device's effects in the runs of a group give way to their mean over its devices; those on
 * kernels only where asked. */
static void share_effects(struct ec_effect_row *v, struct run *run, int n, bool kernels)
{
    double mean[2] = { 0 };
    int known = 0, i, k;

    for (i = 0; i < n; i++) {
        run[i].known = false;
        if (run[i].end - run[i].first < FEW_ROWS)
            continue;
        solve_effect(v, &run[i]);
        mean[0] += run[i].effect[0];
        mean[1] += run[i].effect[1];
        known++;
    }
    for (i = 0; i < n; i++)
        for (k = run[i].first; run[i].known && k < run[i].end; k++) {
            const double instead[2] = { kernels ? mean[0] / known - run[i].effect[0] : 0,
                                        mean[1] / known - run[i].effect[1] };

            v[k].value += effect_on(&v[k], instead);
        }
}

enum ec_status ec__fit_without_devices(struct ec_effect_row *v, int n, bool kernels,
                                       struct ec_err *err)
{
    struct run *run = ec_alloc(sizeof *run * (size_t)(n + 1));
    int i, n_runs = 0;

    if (!run)
        return ec_nomem(err);
    qsort(v, (size_t)n, sizeof *v, by_key);
    for (i = 0; i < n; i++) {
        if (i && v[i].group != v[i - 1].group) {
            share_effects(v, run, n_runs, kernels);
            n_runs = 0;
        }
        if (!i || compare_keys(&v[i - 1], &v[i]))
            run[n_runs++] = (struct run){ .first = i };
        run[n_runs - 1].end = i + 1;
    }
    share_effects(v, run, n_runs, kernels);
    ec_free(run);
    return EC_OK;
}
