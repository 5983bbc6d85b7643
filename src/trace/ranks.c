/* Several ranks of one job: a collective ends for all of them together, so that who comes last
 * waits least. That needs no common clock. */
#include "trace/trace_internal.h"

#include <math.h>
#include <stdlib.h>

/* The collectives of a rank's steps, in order. */
struct taken {
    uint32_t *list;
    int n;
};

static enum ec_status take(const struct ec_trace_rank *r, struct taken *ret, struct ec_err *err)
{
    int kept = 0, i;

    EC_PASS(ec__trace_sorted(r->trace, EC__TRACE_KIND(COLLECTIVE), &ret->list, &ret->n, err));
    for (i = 0; i < ret->n; i++)
        if (ec_trace_counts(r->steps, ret->list[i]))
            ret->list[kept++] = ret->list[i];
    ret->n = kept;
    return EC_OK;
}

static bool is_same(const struct ec_trace_rank *a, uint32_t x, const struct ec_trace_rank *b,
                    uint32_t y)
{
    return ec_str_eq(ec_trace_name(a->trace, &a->trace->v[x]),
                     ec_trace_name(b->trace, &b->trace->v[y]));
}

/* The k-th collective of all ranks: the shortest has the transfer, the others wait beside it. */
static void divide(struct ec_trace_rank *r, const struct taken *t, int n, int k)
{
    double least = (double)INFINITY;
    int last = 0, i;

    for (i = 0; i < n; i++) {
        double ns = (double)r[i].trace->v[t[i].list[k]].dur_ns;

        if (ns < least) {
            least = ns;
            last = i;
        }
    }
    for (i = 0; i < n; i++) {
        double ns = (double)r[i].trace->v[t[i].list[k]].dur_ns;

        r[i].transfer_ns += least / (r[i].steps->n - r[i].steps->n_out);
        r[i].waiting_ns += (ns - least) / (r[i].steps->n - r[i].steps->n_out);
        r[last].waited_for_ns += (ns - least) / (r[i].steps->n - r[i].steps->n_out);
    }
    r[last].times_last++;
}

enum ec_status ec_trace_ranks(struct ec_trace_rank *r, int n, int *ret_matched, int *ret_other,
                              struct ec_err *err)
{
    struct taken *t = ec_alloc(sizeof *t * ((size_t)n + 1));
    enum ec_status st = EC_OK;
    int most = 0, least = INT_MAX, i, k;

    EC_PASS(ec_allocated(t, err));
    for (i = 0; i < n; i++) {
        EC_TRY(take(&r[i], &t[i], err));
        least = t[i].n < least ? t[i].n : least;
        most = t[i].n > most ? t[i].n : most;
    }
    *ret_matched = 0;
    for (k = 0; k < least; k++) {
        for (i = 1; i < n && is_same(&r[0], t[0].list[k], &r[i], t[i].list[k]); i++)
            continue;
        if (i < n)
            break; /* from here on they are not the same ones */
        divide(r, t, n, k);
        ++*ret_matched;
    }
    *ret_other = most - *ret_matched;
out:
    for (i = 0; i < n; i++)
        ec_free(t[i].list);
    ec_free(t);
    return st;
}
