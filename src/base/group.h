/* Groups of equal items, in n log n comparisons: what GROUP BY does. */
#ifndef EC_BASE_GROUP_H
#define EC_BASE_GROUP_H

#include "base/err.h"

#include <stdbool.h>

struct ec_groups {
    int n;      /* groups; those whose first items come first have the lowest numbers */
    int *of;    /* the group of each item */
    int *item;  /* the items, group after group; those of a group in their order */
    int *begin; /* n + 1 places in item */
};

/* Compares two items as strcmp does texts. */
typedef int ec_compare_fn(const void *user, int a, int b);

/* ret: n_items items 0, 1, ... in groups; clear it. Errors: NOMEM */
enum ec_status ec_group(int n_items, ec_compare_fn *compare, const void *user,
                        struct ec_groups *ret, struct ec_err *err) EC_MUST_CHECK;
void ec_groups_clear(struct ec_groups *g);

static inline int ec_group_size(const struct ec_groups *g, int group)
{
    return g->begin[group + 1] - g->begin[group];
}
static inline int ec_group_first(const struct ec_groups *g, int group)
{
    return g->item[g->begin[group]];
}
/* Whether the item is the first of its group. */
static inline bool ec_group_begins(const struct ec_groups *g, int item)
{
    return ec_group_first(g, g->of[item]) == item;
}

/* For qsort: doubles, the smallest first; texts, in the order of strcmp. Both also for structs that
 * begin with one. */
int ec_by_double(const void *a, const void *b);
int ec_by_text(const void *a, const void *b);
/* Sorts items, equal ones in their order. room: as many */
void ec_sort_items(int *item, int n, int *room, ec_compare_fn *compare, const void *user);

#endif
