/* Groups by sorting: a merge sort needs n log n comparisons of whatever it is given. */
#include "base/group.h"

#include <string.h>

#include "base/mem.h"

static void merge(const int *from, int left, int middle, int right, int *to, ec_compare_fn *compare,
                  const void *user)
{
    int a = left, b = middle, k;

    for (k = left; k < right; k++)
        to[k] = b == right || (a < middle && compare(user, from[a], from[b]) <= 0) ? from[a++]
                                                                                   : from[b++];
}

void ec_sort_items(int *item, int n, int *room, ec_compare_fn *compare, const void *user)
{
    int *from = item, *to = room, *swap;
    int64_t width, at; /* twice the width of so many items is more than an int */

    for (width = 1; width < n; width *= 2) {
        for (at = 0; at < n; at += 2 * width) {
            int64_t middle = at + width < n ? at + width : n;
            int64_t right = at + 2 * width < n ? at + 2 * width : n;

            merge(from, (int)at, (int)middle, (int)right, to, compare, user);
        }
        swap = from;
        from = to;
        to = swap;
    }
    if (from != item)
        memcpy(item, from, sizeof *item * (size_t)n);
}

/* Numbers the groups by their first items, and puts the items into their groups' places. */
static void number_groups(struct ec_groups *g, int n, const int *sorted, int *first)
{
    int i, k;

    for (i = 0; i < n; i++) /* for now, a group is known by its first item */
        g->of[sorted[i]] = first[i];
    for (i = 0; i < n; i++)
        g->of[i] = g->of[i] == i ? g->n++ : g->of[g->of[i]];
    for (i = 0; i < n; i++)
        g->begin[g->of[i] + 1]++;
    for (k = 0; k < g->n; k++)
        g->begin[k + 1] += g->begin[k];
    for (i = n - 1; i >= 0; i--) /* the ends become the beginnings */
        g->item[--g->begin[g->of[i] + 1]] = i;
    for (k = 0; k < g->n; k++)
        g->begin[k] = g->begin[k + 1];
    g->begin[g->n] = n;
}

enum ec_status ec_group(int n, ec_compare_fn *compare, const void *user, struct ec_groups *ret,
                        struct ec_err *err)
{
    size_t bytes = sizeof(int) * ((size_t)n + 1);
    struct ec_groups g = { 0, ec_alloc(bytes), ec_alloc(bytes), ec_alloc(bytes) };
    int *sorted = ec_alloc(bytes), *first = ec_alloc(bytes), i;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(g.of && g.item && g.begin && sorted && first, err));
    for (i = 0; i < n; i++)
        sorted[i] = i;
    ec_sort_items(sorted, n, first, compare, user);
    for (i = 0; i < n; i++)
        first[i] = i && !compare(user, sorted[i - 1], sorted[i]) ? first[i - 1] : sorted[i];
    number_groups(&g, n, sorted, first);
    *ret = g;
    g = (struct ec_groups){ 0 };
out:
    ec_groups_clear(&g);
    ec_free(sorted);
    ec_free(first);
    return st;
}

void ec_groups_clear(struct ec_groups *g)
{
    ec_free(g->of);
    ec_free(g->item);
    ec_free(g->begin);
    *g = (struct ec_groups){ 0 };
}

int ec_by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int ec_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
