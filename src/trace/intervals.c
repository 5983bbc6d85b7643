/* Sets of time: unions, differences, and how much of one is in a window. */
#include "trace/trace_internal.h"

#include <stdlib.h>

enum ec_status ec__set_add(struct ec__set *s, int64_t from, int64_t to, struct ec_err *err)
{
    enum ec_status st = EC_OK;

    if (to <= from)
        return EC_OK;
    EC_TRY(ec_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, err));
    s->v[s->n++] = (struct ec__stretch){ from, to };
out:
    return st;
}

static int by_from(const void *a, const void *b)
{
    const struct ec__stretch *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

void ec__set_unite(struct ec__set *s)
{
    int n = 0, i;

    if (s->n)
        qsort(s->v, (size_t)s->n, sizeof *s->v, by_from);
    for (i = 0; i < s->n; i++)
        if (n && s->v[i].from <= s->v[n - 1].to)
            s->v[n - 1].to = s->v[i].to > s->v[n - 1].to ? s->v[i].to : s->v[n - 1].to;
        else
            s->v[n++] = s->v[i];
    s->n = n;
}

enum ec_status ec__set_cut(const struct ec__set *a, const struct ec__set *b, bool common,
                           struct ec__set *ret, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i, k = 0;

    for (i = 0; i < a->n; i++) {
        int64_t at = a->v[i].from, end = a->v[i].to;

        while (k < b->n && b->v[k].to <= at)
            k++;
        while (k < b->n && b->v[k].from < end) {
            int64_t from = b->v[k].from > at ? b->v[k].from : at;
            int64_t to = b->v[k].to < end ? b->v[k].to : end;

            EC_TRY(common ? ec__set_add(ret, from, to, err) : ec__set_add(ret, at, from, err));
            at = to;
            if (b->v[k].to > end)
                break;
            k++;
        }
        if (!common)
            EC_TRY(ec__set_add(ret, at, end, err));
    }
out:
    return st;
}

double ec__set_within(const struct ec__set *s, int64_t from, int64_t to)
{
    double sum = 0;
    int lo;

    EC__FIRST(lo, s->n, s->v[mid].to > from);
    for (; lo < s->n && s->v[lo].from < to; lo++) {
        int64_t a = s->v[lo].from > from ? s->v[lo].from : from;
        int64_t b = s->v[lo].to < to ? s->v[lo].to : to;

        sum += (double)(b - a);
    }
    return sum;
}

void ec__set_clear(struct ec__set *s)
{
    ec_free(s->v);
    *s = (struct ec__set){ 0 };
}
