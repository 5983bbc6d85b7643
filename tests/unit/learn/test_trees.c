/* Trees are walked in a layout of their own; the answer is that of the nodes as they are written.
 */
#include "test.h"

#include "learn/learn_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COLS 7
#define NODES 4000
#define TREES 37

static uint32_t state = 1;

static uint32_t rnd(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static const float special[] = { 0.0F, -0.0F, 1, -1, 0.5F, FLT_MIN, -FLT_MAX, FLT_MAX };

static float number(void)
{
    return rnd(3) ? special[rnd(EC_LEN(special))] : (float)rnd(2000) / 100 - 10;
}

/* Breadth first, of random shape. */
static void grow(struct ec_trees *t)
{
    int from, end;

    t->root[t->n_trees++] = t->n_nodes;
    from = t->n_nodes++;
    for (end = from + 1 + (int)rnd(90); from < t->n_nodes; from++) {
        struct ec_tree_node *n = &t->node[from];

        *n = (struct ec_tree_node){ .value = number() };
        if (t->n_nodes >= end || !rnd(6))
            continue;
        n->left = t->n_nodes;
        n->feature = (int32_t)rnd(COLS);
        t->n_nodes += 2;
    }
}

static double by_nodes(const struct ec_trees *t, const double *x)
{
    float sum = 0;
    int i;

    for (i = 0; i < t->n_trees; i++) {
        const struct ec_tree_node *n = &t->node[t->root[i]];

        while (n->left)
            n = &t->node[n->left + !((float)x[n->feature] < n->value)];
        sum += n->value;
    }
    return t->offset + (double)sum;
}

static void *loaded(const struct ec_trees *t, struct ec_arena *a)
{
    struct ec_buf bytes = EC_BUF_INIT;
    struct ec_bytes in = { 0 };
    struct ec_err err = { 0 };
    void *made = NULL;

    ec__trees_save(t, COLS, &bytes);
    in.p = (const unsigned char *)bytes.data;
    in.left = bytes.len;
    CHECK_OK(ec__trees_load(&in, COLS, a, &made, &err));
    ec_buf_clear(&bytes);
    return made;
}

TEST(walking_is_what_the_nodes_say)
{
    static struct ec_tree_node node[NODES];
    static int32_t root[TREES];
    struct ec_trees t = { .root = root, .node = node, .offset = 0.25 };
    struct ec_arena a = { 0 };
    double x[COLS];
    void *made;
    int i, k;

    while (t.n_trees < TREES)
        grow(&t);
    made = loaded(&t, &a);
    for (i = 0; i < 2000; i++) {
        double want, got;

        for (k = 0; k < COLS; k++)
            x[k] = (double)number();
        want = by_nodes(&t, x);
        got = ec__trees_predict(made, x, COLS);
        CHECK(memcmp(&want, &got, sizeof want) == 0);
    }
    ec_arena_clear(&a);
}

/* Damaged files may give a node two parents. */
TEST(nodes_of_two_parents_are_walked_too)
{
    struct ec_tree_node node[] = {
        {0,    1, 0},
        { 0,   3, 1},
        { 0,   4, 2},
        { 1,   0, 0},
        { 10,  0, 0},
        { 100, 0, 0}
    };
    int32_t root[] = { 0, 2 };
    struct ec_trees t = { .n_trees = 2, .n_nodes = EC_LEN(node), .root = root, .node = node };
    struct ec_arena a = { 0 };
    double x[COLS] = { 0 };
    void *made = loaded(&t, &a);
    int i;

    for (i = 0; i < 8; i++) {
        x[0] = i & 1 ? 1 : -1;
        x[1] = i & 2 ? 1 : -1;
        x[2] = i & 4 ? 1 : -1;
        CHECK_NEAR(ec__trees_predict(made, x, COLS), by_nodes(&t, x), 0);
    }
    ec_arena_clear(&a);
}
