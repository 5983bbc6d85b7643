/* Trees are walked in a layout of their own; the answer is that of the nodes. The file says which
 * nodes split; whatever no save wrote is refused. */
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

static enum ec_status load(const void *data, size_t len, struct ec_arena *a, void **ret,
                           struct ec_err *err)
{
    struct ec_bytes in = { .p = data, .left = len, .a = a, .err = err };
    struct ec_trees *t = ec_arena_alloc(a, sizeof *t);

    if (!t)
        return ec_nomem(err);
    ec__trees_members(&in, t, COLS);
    if (!in.st)
        *ret = t;
    return in.st;
}

static void save(const struct ec_trees *t, struct ec_buf *out)
{
    struct ec_bytes io = { .out = out };
    struct ec_trees copy = *t;

    ec__trees_members(&io, &copy, COLS);
}

/* Saved, loaded, and saved again as the same bytes. */
static void *loaded(const struct ec_trees *t, struct ec_arena *a)
{
    struct ec_buf bytes = EC_BUF_INIT, again = EC_BUF_INIT;
    struct ec_err err = { 0 };
    void *made = NULL;

    save(t, &bytes);
    CHECK_OK(load(bytes.data, bytes.len, a, &made, &err));
    if (made)
        save(made, &again);
    CHECK(bytes.len == again.len && memcmp(bytes.data, again.data, bytes.len) == 0);
    ec_buf_clear(&bytes);
    ec_buf_clear(&again);
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

/* One tree, filled level by level, each split with a threshold of its own. */
static void check_round_trip(int n_splits)
{
    int i, n = 2 * n_splits + 1;
    struct ec_tree_node *node = ec_alloc(sizeof *node * (size_t)n);
    int32_t root = 0;
    struct ec_trees t = { .n_trees = 1, .n_nodes = n, .root = &root, .node = node, .offset = -2 };
    struct ec_arena a = { 0 };
    const struct ec_trees *made;

    for (i = 0; i < n; i++)
        node[i] = i < n_splits ? (struct ec_tree_node){ (float)(n - i), 2 * i + 1, i % COLS }
                               : (struct ec_tree_node){ .value = (float)i };
    made = loaded(&t, &a);
    if (made) {
        CHECK_INT(made->n_nodes, n);
        CHECK(made->offset == -2 && made->root[0] == 0);
        CHECK(memcmp(made->node, node, sizeof *node * (size_t)n) == 0);
    }
    ec_arena_clear(&a);
    ec_free(node);
}

TEST(trees_of_all_sizes_come_back)
{
    static const int n_splits[] = { 0, 1, 3, 4, 256, 257, 65536, 65537, 100000 };
    int i;

    for (i = 0; i < EC_LEN(n_splits); i++)
        check_round_trip(n_splits[i]);
}

/* A tree of two splits, one of a leaf, one that asks what the first one does; docs/regressors.md
 * has the layout. */
/* clang-format off */
static const unsigned char file[] = {
    0, 0, 0, 0, 0, 0, 0xf0, 0x3f,   /* offset 1 */
    3, 0, 0, 0,   3, 0, 0, 0,       /* trees, splits */
    2, 0, 0, 0,                     /* cuts */
    1,   0, 0, 0, 0x3f,             /* column 1 below 0.5 */
    4,   0, 0, 0x80, 0xbf,          /* column 4 below -1 */
    0x45, 0,                        /* nodes 0, 2 and 6 of 9 split */
    0, 1, 0,                        /* which cut */
    0, 0, 0x80, 0x3f,   0, 0, 0, 0x40,   0, 0, 0x40, 0x40,   /* leaves 1, 2, 3 */
    0, 0, 0x80, 0x40,   0, 0, 0xa0, 0x40,   0, 0, 0xc0, 0x40 /* 4, 5, 6 */
};
/* clang-format on */

TEST(a_file_is_laid_out_as_the_document_says)
{
    static const struct ec_tree_node want[] = {
        {0.5F,  1, 1},
        { 1,    0, 0},
        { -1,   3, 4},
        { 2,    0, 0},
        { 3,    0, 0},
        { 4,    0, 0},
        { 0.5F, 7, 1},
        { 5,    0, 0},
        { 6,    0, 0}
    };
    static const int32_t root[] = { 0, 5, 6 };
    struct ec_buf again = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    void *made = NULL;

    CHECK_OK(load(file, sizeof file, &a, &made, &err));
    if (made) {
        const struct ec_trees *t = made;

        CHECK(t->n_trees == 3 && t->n_nodes == EC_LEN(want) && t->offset == 1);
        CHECK(memcmp(t->root, root, sizeof root) == 0);
        CHECK(memcmp(t->node, want, sizeof want) == 0);
        save(t, &again);
        CHECK(again.len == sizeof file && memcmp(again.data, file, sizeof file) == 0);
    }
    ec_buf_clear(&again);
    ec_arena_clear(&a);
}

TEST(what_no_save_wrote_is_refused)
{
    static const struct {
        const char *why;
        int at;
        uint8_t to;
    } damages[] = {
        {"an offset that is no number",           7,  0x7f},
        { "fewer trees",                          8,  2   },
        { "more trees",                           8,  4   },
        { "trees beyond all files",               11, 0x7f},
        { "no trees, but splits",                 8,  0   },
        { "fewer splits",                         12, 2   },
        { "more splits",                          12, 4   },
        { "splits beyond what is left",           15, 0xff},
        { "no splits, but cuts",                  12, 0   },
        { "a cut less",                           16, 1   },
        { "a cut more",                           16, 3   },
        { "more cuts than splits",                16, 4   },
        { "cuts beyond what is left",             19, 0x80},
        { "a column that is not there",           25, COLS},
        { "cuts that do not grow",                25, 0   },
        { "a threshold that is no number",        29, 0x7f},
        { "a tree that does not end",             30, 0xc5},
        { "a tree that ends early",               30, 0x41},
        { "splits where leaves were",             30, 0xff},
        { "a bit after the last node",            31, 2   },
        { "another node that splits",             31, 1   },
        { "a cut that nobody asks for",           33, 0   },
        { "a split by a cut that is not there",   34, 2   },
        { "a split by a cut far from all others", 32, 0xff},
        { "a leaf that is no number",             38, 0x7f},
    };
    unsigned char bad[sizeof file];
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    void *made = NULL;
    int i;

    for (i = 0; i < EC_LEN(damages); i++) {
        memcpy(bad, file, sizeof file);
        bad[damages[i].at] = damages[i].to;
        if (damages[i].to == 0x7f) /* with what is below, not finite */
            bad[damages[i].at - 1] |= 0xf0;
        if (load(bad, sizeof bad, &a, &made, &err) != EC_E_PARSE)
            test_fail(__FILE__, __LINE__, "taken: %s", damages[i].why);
    }
    /* the same cut twice */
    memcpy(bad, file, sizeof file);
    memcpy(bad + 25, file + 20, 5);
    CHECK_FAILS(load(bad, sizeof bad, &a, &made, &err), EC_E_PARSE, "no fit can have written");
    for (i = 0; i < (int)sizeof file; i++)
        CHECK_FAILS(load(file, (size_t)i, &a, &made, &err), EC_E_PARSE, "no fit can have written");
    CHECK(!made);
    ec_arena_clear(&a);
}

static enum ec_status load_and_save(struct ec_err *err)
{
    struct ec_buf again = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    void *made = NULL;
    enum ec_status st;

    EC_TRY(load(file, sizeof file, &a, &made, err));
    save(made, &again);
    EC_TRY(ec_buf_status(&again, err));
out:
    ec_buf_clear(&again);
    ec_arena_clear(&a);
    return st;
}

/* --- More than a model holds --- */

/* An array of objects as XGBoost writes trees, each a leaf. */
static enum ec_status leaves_of_xgboost(int n, struct ec_arena *a, struct ec_trees *ret,
                                        struct ec_err *err)
{
    static const char tree[] = "{U\x0dleft_children[$l#U\x01\xff\xff\xff\xff"
                               "U\x0eright_children[$l#U\x01\xff\xff\xff\xff"
                               "U\x0dsplit_indices[$l#U\x01\0\0\0\0"
                               "U\x10split_conditions[$d#U\x01\x3f\x80\0\0}";
    struct ec_buf all = EC_BUF_INIT;
    enum ec_status st;
    int i;

    ec_buf_char(&all, '[');
    for (i = 0; i < n; i++)
        ec_buf_add(&all, tree, sizeof tree - 1);
    ec_buf_char(&all, ']');
    EC_TRY(ec_buf_status(&all, err));
    EC_TRY(ec__trees_from_ubj((const unsigned char *)all.data, all.len, COLS, a, ret, err));
out:
    ec_buf_clear(&all);
    return st;
}

TEST(what_could_be_written_and_not_read_is_never_made)
{
    struct ec_trees t = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec__trees_check_size(EC_TREES_MAX, EC_TREE_NODES_MAX, &err));
    CHECK_FAILS(ec__trees_check_size(EC_TREES_MAX + 1, 0, &err), EC_E_INPUT, "more than 100000");
    CHECK_FAILS(ec__trees_check_size(1, EC_TREE_NODES_MAX + 1, &err), EC_E_INPUT,
                "more than 16777216 nodes");
    CHECK_OK(leaves_of_xgboost(EC_TREES_MAX, &a, &t, &err));
    CHECK_INT(t.n_trees, EC_TREES_MAX);
    CHECK(loaded(&t, &a) != NULL);
    CHECK_FAILS(leaves_of_xgboost(EC_TREES_MAX + 1, &a, &t, &err), EC_E_INPUT, "more than 100000");
    ec_arena_clear(&a);
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(load_and_save);
}
