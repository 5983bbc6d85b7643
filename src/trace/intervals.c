/* Sets of time: unions, differences, and how much of one is in a window. */
#include "trace/trace_internal.h"

#include <stdlib.h>

enum ec_status ec__set_add(struct ec__set *s, int64_t from, int64_t to, struct ec_err *err)
{
    if (to <= from)
        return EC_OK;
    EC_PASS(ec_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, err));
    s->v[s->n++] = (struct ec__stretch){ from, to };
    return EC_OK;
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

enum ec_status ec__set_take(struct ec__set *rest, const struct ec__set *of, struct ec_err *err)
{
    struct ec__set left = { 0 };
    enum ec_status st = EC_OK;
    int i, k = 0;

    for (i = 0; i < rest->n; i++) {
        int64_t at = rest->v[i].from, end = rest->v[i].to;

        while (k < of->n && of->v[k].to <= at)
            k++;
        for (; k < of->n && of->v[k].from < end; k++) {
            EC_TRY(ec__set_add(&left, at, of->v[k].from, err));
            at = of->v[k].to < end ? of->v[k].to : end;
            if (of->v[k].to > end)
                break;
        }
        EC_TRY(ec__set_add(&left, at, end, err));
    }
    ec__set_clear(rest);
    *rest = left;
    left = (struct ec__set){ 0 };
out:
    ec__set_clear(&left);
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
