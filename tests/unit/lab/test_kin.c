/* Which networks are left out together: those of one family, one network, or built alike. */
#include "lab/fit_internal.h"
#include "test.h"

#include <stdio.h>

#define MOST 200

struct world {
    struct ec_fit f;
    struct ec_fit_row row[MOST], *at[MOST];
    struct ec_step step[MOST];
    struct ec_kernel kernel[MOST][2];
    char family[MOST][16];
};

/* A network of which this share of the work is convolutions, the rest products. */
static struct ec_fit_row *add(struct world *w, const char *family, uint64_t network, double convs)
{
    int i = w->f.n_rows++;
    struct ec_kernel *k = w->kernel[i];

    k[0] = (struct ec_kernel){ .kclass = EC_K_CONV, .mac = 1e9 * convs, .c_in = 64, .c_out = 64 };
    k[0].r = 3;
    k[0].groups = 1;
    k[1] = (struct ec_kernel){ .kclass = EC_K_GEMM, .mac = 1e9 * (1 - convs), .n = 64, .k = 64 };
    w->step[i] = (struct ec_step){ .n = 2, .kernel = k };
    (void)snprintf(w->family[i], sizeof w->family[i], "%s", family);
    w->row[i] = (struct ec_fit_row){ .step = &w->step[i], .network = network, .kin = -1 };
    w->row[i].family = w->family[i];
    w->at[i] = &w->row[i];
    w->f.row = w->at;
    return &w->row[i];
}

TEST(rows_of_a_family_or_of_a_network_are_together)
{
    static struct world w;
    struct ec_err err = { 0 };
    const struct ec_fit_row *a, *b, *twin, *c, *lone;
    struct ec_fit_row *lone_op;

    memset(&w, 0, sizeof w);
    a = add(&w, "resnet", 1, 1);
    c = add(&w, "vit", 9, 0);
    b = add(&w, "resnet", 2, 0.2);
    twin = add(&w, "resnet_by_another_name", 2, 0.2);
    lone = add(&w, "lenet", 5, 0.6);
    lone_op = add(&w, "resnet", 0, 1);
    lone_op->isolated = true;
    CHECK_OK(ec__fit_find_kin(&w.f, &err));
    CHECK_INT(a->kin, b->kin);
    CHECK_INT(b->kin, twin->kin);
    CHECK(a->kin != c->kin && a->kin != lone->kin && c->kin != lone->kin);
    CHECK_INT(lone_op->kin, -1); /* networks alone */
}

/* A row may show that two families, which were apart until then, are one. */
TEST(a_network_that_two_families_share_joins_them)
{
    static struct world w;
    struct ec_err err = { 0 };
    const struct ec_fit_row *first, *second, *third, *other;

    memset(&w, 0, sizeof w);
    first = add(&w, "a", 1, 1);
    second = add(&w, "b", 2, 0);
    other = add(&w, "c", 3, 0.5);
    third = add(&w, "b", 1, 0.5);
    CHECK_OK(ec__fit_find_kin(&w.f, &err));
    CHECK_INT(first->kin, second->kin);
    CHECK_INT(first->kin, third->kin);
    CHECK(other->kin != first->kin);
}

TEST(what_is_built_alike_is_together_and_clusters_are_few)
{
    enum { N = 3 * EC_FIT_FOLDS_KIN };
    static struct world w;
    bool seen[N] = { false };
    struct ec_err err = { 0 };
    int i, n = 0;

    memset(&w, 0, sizeof w);
    for (i = 0; i < N; i++) { /* three of each make, which no name tells */
        char family[16];

        (void)snprintf(family, sizeof family, "f%d", i);
        add(&w, family, 100 + (uint64_t)i,
            (i % EC_FIT_FOLDS_KIN + 0.001 * (i / EC_FIT_FOLDS_KIN)) / EC_FIT_FOLDS_KIN);
    }
    CHECK_OK(ec__fit_find_kin(&w.f, &err));
    for (i = 0; i < N; i++) {
        CHECK(w.row[i].kin >= 0 && w.row[i].kin < EC_FIT_FOLDS_KIN);
        CHECK_INT(w.row[i].kin, w.row[i % EC_FIT_FOLDS_KIN].kin);
        n += !seen[w.row[i].kin];
        seen[w.row[i].kin] = true;
    }
    CHECK_INT(n, EC_FIT_FOLDS_KIN);
}

TEST(a_fit_without_networks_has_no_kin)
{
    static struct world w;
    struct ec_err err = { 0 };

    memset(&w, 0, sizeof w);
    CHECK_OK(ec__fit_find_kin(&w.f, &err));
    add(&w, "", 0, 1)->isolated = true;
    CHECK_OK(ec__fit_find_kin(&w.f, &err));
}

/* --- Orders --- */

/* Families that share networks, and shares of convolutions that lie apart. */
static void add_some(struct world *w, int i)
{
    static const char *const families[] = { "a", "b", "c", "d", "e" };

    add(w, families[i % EC_LEN(families)], 1 + (uint64_t)(i * i % 17), (i * 7 % 40) / 40.0);
}

/* In whatever order the rows stand, the same ones are together. */
TEST(the_order_of_rows_changes_nothing)
{
    enum { N = 40 };
    static struct world w, back;
    struct ec_err err = { 0 };
    int i, k;

    memset(&w, 0, sizeof w);
    memset(&back, 0, sizeof back);
    for (i = 0; i < N; i++) {
        add_some(&w, i);
        add_some(&back, N - 1 - i);
    }
    CHECK_OK(ec__fit_find_kin(&w.f, &err));
    CHECK_OK(ec__fit_find_kin(&back.f, &err));
    for (i = 0; i < N; i++)
        for (k = 0; k < i; k++)
            if ((w.row[i].kin == w.row[k].kin) !=
                (back.row[N - 1 - i].kin == back.row[N - 1 - k].kin))
                test_fail(__FILE__, __LINE__, "rows %d and %d", i, k);
}

/* Each of a family, and each of a network, is with the others, whatever else joined them. */
TEST(no_family_and_no_network_is_torn_apart)
{
    enum { N = 120 };
    static struct world w;
    struct ec_err err = { 0 };
    char family[16];
    int i, k;

    memset(&w, 0, sizeof w);
    for (i = 0; i < N; i++) {
        (void)snprintf(family, sizeof family, "f%d", i * 31 % 50);
        add(&w, family, 1 + (uint64_t)(i * 13 % 70), (i * 11 % 30) / 30.0);
    }
    CHECK_OK(ec__fit_find_kin(&w.f, &err));
    for (i = 0; i < N; i++) {
        CHECK(w.row[i].kin >= 0 && w.row[i].kin < EC_FIT_FOLDS_KIN);
        for (k = 0; k < i; k++)
            if ((w.row[i].network == w.row[k].network ||
                 strcmp(w.row[i].family, w.row[k].family) == 0) &&
                w.row[i].kin != w.row[k].kin)
                test_fail(__FILE__, __LINE__, "rows %d and %d are apart", i, k);
    }
}

static enum ec_status find_some(struct ec_err *err)
{
    static struct world w;
    int i;

    memset(&w, 0, sizeof w);
    for (i = 0; i < 8; i++)
        add_some(&w, i);
    return ec__fit_find_kin(&w.f, err);
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(find_some);
}
