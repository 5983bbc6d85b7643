/* Groups of equal items, against looking at all pairs. */
#include "test.h"

#include <string.h>

#include "base/base.h"

enum { ITEMS = 200 };

struct counted {
    const int *v;
    int64_t *n; /* comparisons */
};

static int compare(const void *user, int a, int b)
{
    const struct counted *c = user;

    ++*c->n;
    return c->v[a] - c->v[b];
}

static void check_groups(const int *v, int n, const struct ec_groups *g)
{
    int i, k, begun = 0;

    for (i = 0; i < n; i++) {
        for (k = 0; v[k] != v[i]; k++)
            continue;
        CHECK_INT(g->of[i], g->of[k]);
        CHECK_INT(ec_group_first(g, g->of[i]), k);
        CHECK(ec_group_begins(g, i) == (k == i));
        if (k == i)
            CHECK_INT(g->of[i], begun++); /* in the order of their first items */
    }
    CHECK_INT(g->n, begun);
    CHECK_INT(g->begin[g->n], n);
    for (k = 0; k < g->n; k++)
        for (i = g->begin[k]; i < g->begin[k + 1]; i++) {
            CHECK_INT(g->of[g->item[i]], k);
            CHECK(i == g->begin[k] || g->item[i] > g->item[i - 1]);
        }
}

TEST(items_are_grouped)
{
    int values, n, i, v[ITEMS];
    struct ec_groups g;
    struct ec_err err;
    struct ec_rng rng;
    int64_t calls = 0;

    ec_rng_seed(&rng, 1);
    for (n = 0; n <= ITEMS; n = n < 9 ? n + 1 : n * 2 - 1)
        for (values = 1; values <= 300; values *= 3) {
            const struct counted user = { v, &calls };

            for (i = 0; i < n; i++)
                v[i] = (int)(ec_rng_next(&rng) % (uint64_t)values);
            CHECK_OK(ec_group(n, compare, &user, &g, &err));
            check_groups(v, n, &g);
            ec_groups_clear(&g);
        }
}

/* However the items stand, so many comparisons suffice. */
TEST(no_order_makes_it_slow)
{
    enum { MANY = 1 << 14, LOG = 14 };
    int *v = ec_alloc(sizeof *v * MANY), form, i;

    for (form = 0; form < 4; form++) {
        int64_t calls = 0;
        const struct counted user = { v, &calls };
        struct ec_groups g;
        struct ec_err err;

        for (i = 0; i < MANY; i++)
            v[i] = form == 0 ? 7 : form == 1 ? i : form == 2 ? MANY - i : i * 7919 % 1009;
        CHECK_OK(ec_group(MANY, compare, &user, &g, &err));
        CHECK(calls <= (int64_t)MANY * (LOG + 1));
        ec_groups_clear(&g);
    }
    ec_free(v);
}

static enum ec_status make(struct ec_err *err)
{
    static const int v[] = { 3, 1, 3, 2 };
    int64_t calls = 0;
    const struct counted user = { v, &calls };
    struct ec_groups g = { 0 };
    enum ec_status st = ec_group(EC_LEN(v), compare, &user, &g, err);

    ec_groups_clear(&g);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(make);
}
