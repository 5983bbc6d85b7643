/* Accuracy beside time: a regression of the logit of the accuracy on the features, with an interval
 * from held-out rows, and the front of the configurations that are worth their time. */
#include "fit/grid_internal.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST = 8, FOLDS = 10 };
#define LEAST 1e-3 /* accuracies of 0 and 1 have no logit */

static double logit(double share)
{
    double p = fmin(fmax(share, LEAST), 1 - LEAST);

    return log(p / (1 - p));
}

static double share_of(double logit_)
{
    return 1 / (1 + exp(-logit_));
}

/* The configurations that have an accuracy. ret: room for n; returns how many. Percentages become
 * shares. */
static int known(const struct ec__grid *g, double *ret_logit, int *ret)
{
    double most = 0;
    int i, n = 0;

    for (i = 0; i < g->n; i++)
        most = isfinite(g->accuracy[i]) ? fmax(most, g->accuracy[i]) : most;
    for (i = 0; i < g->n; i++) {
        if (!isfinite(g->accuracy[i]))
            continue;
        ret_logit[i] = logit(g->accuracy[i] / (most > 1 ? 100 : 1));
        ret[n++] = i;
    }
    return n;
}

/* Predicts each configuration by a fit without its part, and keeps how far it is off. y: logits;
 * part, at, error: room for n. */
static enum ec_status judge(struct ec__grid *g, const double *y, const int *row, int n, int *part,
                            double *error, struct ec__accuracy *a, struct ec_err *err)
{
    struct ec_split s = { 0 };
    struct ec_regressor *m = NULL;
    enum ec_status st;
    double mean = 0;
    int round, i, k, count;

    EC_TRY(ec_split_make(EC_SPLIT_KFOLD, NULL, n, n < FOLDS ? n : FOLDS, (uint64_t)g->o->seed, &s,
                         err));
    for (i = 0; i < n; i++)
        mean += share_of(y[row[i]]) / n;
    for (round = 0; round < s.n_rounds; round++) {
        count = ec_split_rows(&s, round, false, part);
        for (i = 0; i < count; i++)
            part[i] = row[part[i]];
        EC_TRY(ec__grid_fit_numbers(g, y, part, count, &m, err));
        count = ec_split_rows(&s, round, true, part);
        for (i = 0; i < count; i++) {
            double p;

            k = row[part[i]];
            p = ec__grid_ask_numbers(g, m, g->value + k * g->n_cols);
            error[part[i]] = fabs(p - y[k]);
            a->off += fabs(share_of(p) - share_of(y[k])) / n;
            a->spread += fabs(mean - share_of(y[k])) / n;
        }
        ec_regressor_free(m);
        m = NULL;
    }
    qsort(error, (size_t)n, sizeof *error, ec_by_double);
    k = (int)ceil(0.9 * (n + 1)) - 1;
    a->reach = error[k < n ? k : n - 1];
out:
    ec_regressor_free(m);
    ec_free(s.round);
    return st;
}

enum ec_status ec__accuracy_fit(struct ec__grid *g, struct ec__accuracy *ret, struct ec_err *err)
{
    size_t n = (size_t)g->n;
    struct ec__accuracy a = { 0 };
    struct ec_arena room = { 0 };
    double *y, *error;
    int *row, *part, count;
    enum ec_status st = EC_OK;

    if (!g->accuracy)
        return EC_OK;
    y = ec_arena_alloc(&room, n * sizeof *y);
    error = ec_arena_alloc(&room, n * sizeof *error);
    row = ec_arena_alloc(&room, n * sizeof *row);
    part = ec_arena_alloc(&room, n * sizeof *part);
    EC_TRY(ec_allocated(y && error && row && part, err));
    count = known(g, y, row);
    if (count >= FEWEST) {
        EC_TRY(judge(g, y, row, count, part, error, &a, err));
        EC_TRY(ec__grid_fit_numbers(g, y, row, count, &a.model, err));
    }
    *ret = a;
out:
    ec_arena_clear(&room);
    return st;
}

void ec__accuracy_clear(struct ec__accuracy *a)
{
    ec_regressor_free(a->model);
}

struct ec_interval ec__accuracy_of(const struct ec__accuracy *a, const struct ec__grid *g,
                                   const double *value, bool extrapolates)
{
    double p = ec__grid_ask_numbers(g, a->model, value), reach = a->reach * (extrapolates ? 2 : 1);

    return (struct ec_interval){ .p05 = share_of(p - reach),
                                 .p50 = share_of(p),
                                 .p95 = share_of(p + reach) };
}

void ec__accuracy_mark(struct ec_grid_answer *v, int n)
{
    double best = 0;
    int i;

    for (i = 0; i < n; i++) {
        v[i].front = v[i].accuracy.p50 > best;
        best = fmax(best, v[i].accuracy.p50);
    }
}
