/* Weights of rows, and the parts of splits. */
#include "lab/fit_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t text_hash(const char *text, size_t len)
{
    return ec_hash(text, len) * 0x9e3779b97f4a7c15u >> 33;
}

void ec__fit_take(struct ec_fit *f, unsigned samples)
{
    int i;

    for (i = 0; i < f->n_rows; i++)
        f->row[i]->physics = (f->row[i]->drawn & samples) != 0;
}

/* Rows of one part stay together: all phases of a case; networks that are built alike; boards of
 * one architecture. */
int ec__fit_part(const struct ec_fit *f, const struct ec_fit_row *r, enum ec_basis basis, int n)
{
    uint64_t h = (uint64_t)r->kin;

    if (basis == EC_BASIS_SPECIFICATION)
        h = (uint64_t)f->arch_rank[f->arch_of[r->device]];
    else if (r->isolated)
        h = r->cond.queued ? text_hash(r->what, strlen(r->what))
                           : (uint64_t)r->id * 2654435761u >> 7;
    return (int)(h % (uint64_t)n);
}

double ec__weighted_quantile(struct ec_weighted *v, int n, double q)
{
    double sum = 0, below = 0;
    int i;

    if (!n)
        return 0;
    qsort(v, (size_t)n, sizeof *v, ec_by_double);
    for (i = 0; i < n; i++)
        sum += v[i].weight;
    for (i = 0; i < n - 1; i++) {
        below += v[i].weight;
        if (below >= q * sum)
            break;
    }
    return v[i].v;
}

struct ec_width ec__weighted_width(struct ec_weighted *v, int n)
{
    struct ec_width w = { -1, 0, 1, n };

    if (n < 20)
        return w;
    w.lo = fmin(0, ec__weighted_quantile(v, n, 0.05));
    w.hi = fmax(0, ec__weighted_quantile(v, n, 0.95));
    return w;
}

double ec__fit_width_weight(const struct ec_fit_row *r, enum ec_basis basis)
{
    return r->bare[basis] ? 0 : r->source_weight;
}
