/* Sums of decision trees: prediction, and conversion from XGBoost's UBJSON. Thresholds and leaves
 * are XGBoost's floats, added in its order, so that predictions are bit for bit the same. */
#include "learn/learn_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* A leaf's column: its value in each row is below no leaf's, so that a leaf's walk stays at the
 * leaf. */
#define ABOVE_ALL 255
#define LINE_BYTES 64 /* of the processor's cache */
#define STEPS_PER_LINE ((int)(LINE_BYTES / sizeof(struct ec_tree_step)))

#define SIGN ((uint32_t)1 << 31)

static uint32_t bits_of(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Maps floats to integers in the same order, which are faster to compare. nan: the integer for NaN
 */
static uint32_t rank_of(float v, uint32_t nan)
{
    uint32_t bits = bits_of(v + 0.0F); /* -0 is 0 */

    if (isnan(v))
        return nan;
    return bits & SIGN ? ~bits : bits | SIGN;
}

enum ec_status ec__trees_check_size(int64_t n_trees, int64_t n_nodes, struct ec_err *err)
{
    if (n_trees > EC_TREES_MAX)
        return ec_fail(err, EC_E_INPUT, "more than %d trees, which no model holds", EC_TREES_MAX);
    if (n_nodes > EC_TREE_NODES_MAX)
        return ec_fail(err, EC_E_INPUT,
                       "trees with more than %d nodes, which no model holds: fewer trees, or lower "
                       "ones",
                       EC_TREE_NODES_MAX);
    return EC_OK;
}

/* Where the steps of nodes go; `place` is -1 for nodes without a place. */
struct layout {
    const struct ec_tree_node *node;
    int32_t *place;
    int used;
};

static void put(struct layout *l, int32_t node)
{
    l->place[node] = l->used++;
}

/* Puts a pair of children and their own children into one cache line, so that a line serves two
 * levels. room: number of steps before them in the line */
static void put_pair(struct layout *l, int32_t left, int room)
{
    int need = 2 + 2 * (l->node[left].left != 0) + 2 * (l->node[left + 1].left != 0);
    int k;

    assert(need + room <= STEPS_PER_LINE);
    if (l->used % STEPS_PER_LINE + need > STEPS_PER_LINE - room)
        l->used += STEPS_PER_LINE - l->used % STEPS_PER_LINE;
    if (room)
        l->used++;
    put(l, left);
    put(l, left + 1);
    for (k = 0; k < 2; k++)
        if (l->node[left + k].left) {
            put(l, l->node[left + k].left);
            put(l, l->node[left + k].left + 1);
        }
}

/* Three levels at the root of each tree, then pairs. Children come after their parent, so that each
 * node has a place when it is reached. */
static void lay_out(const struct ec_trees *t, struct layout *l)
{
    int32_t i, left;

    for (i = 0; i < t->n_nodes; i++)
        l->place[i] = -1;
    for (i = 0; i < t->n_trees; i++) {
        left = t->node[t->root[i]].left;
        if (left)
            put_pair(l, left, 1);
        l->place[t->root[i]] = left ? l->place[left] - 1 : l->used++;
    }
    for (i = 0; i < t->n_nodes; i++) {
        left = t->node[i].left;
        assert(!left || left > i); /* children come after their parent */
        if (left && l->place[left] < 0)
            put_pair(l, left, 0);
    }
    if (l->used > EC_TREE_NODES_MAX) { /* without gaps, as they are in the file */
        for (i = 0; i < t->n_nodes; i++)
            l->place[i] = i;
        l->used = t->n_nodes;
    }
}

static void fill_steps(struct ec_trees *t, const int32_t *place)
{
    int i;

    for (i = 0; i < t->n_nodes; i++) {
        const struct ec_tree_node *n = &t->node[i];

        assert(place[i] >= 0);
        if (n->left)
            t->step[place[i]] =
                (struct ec_tree_step){ rank_of(n->value, 0),
                                       (uint32_t)place[n->left + 1] << 8 | (uint32_t)n->feature };
        else
            t->step[place[i]] =
                (struct ec_tree_step){ bits_of(n->value), (uint32_t)place[i] << 8 | ABOVE_ALL };
    }
    for (i = 0; i < t->n_trees; i++)
        t->start[i] = place[t->root[i]];
}

/* Heights are computed from the end, as children come after their parent. */
static void fill_heights(struct ec_trees *t, int32_t *height)
{
    int i;

    for (i = t->n_nodes - 1; i >= 0; i--) {
        int32_t left = t->node[i].left;

        height[i] = 0;
        if (left)
            height[i] = 1 + (height[left] > height[left + 1] ? height[left] : height[left + 1]);
    }
    for (i = 0; i < t->n_trees; i++)
        t->height[i] = height[t->root[i]];
}

static void fill_used(struct ec_trees *t)
{
    bool used[ABOVE_ALL] = { false };
    int i;

    for (i = 0; i < t->n_nodes; i++)
        if (t->node[i].left)
            used[t->node[i].feature] = true;
    for (i = 0; i < ABOVE_ALL; i++)
        if (used[i])
            t->used[t->n_used++] = (uint8_t)i;
}

enum ec_status ec__trees_make_steps(struct ec_trees *t, struct ec_arena *a, struct ec_err *err)
{
    size_t n_trees = (size_t)t->n_trees + 1;
    int32_t *scratch = ec_alloc(sizeof *scratch * ((size_t)t->n_nodes + 1));
    struct layout l = { .node = t->node, .place = scratch };
    enum ec_status st = EC_OK;
    char *steps = NULL;

    t->start = ec_arena_alloc(a, sizeof *t->start * n_trees);
    t->height = ec_arena_alloc(a, sizeof *t->height * n_trees);
    t->used = ec_arena_alloc(a, ABOVE_ALL);
    EC_TRY(ec_allocated(scratch && t->start && t->height && t->used, err));
    lay_out(t, &l);
    steps = ec_arena_alloc(a, sizeof *t->step * ((size_t)l.used + 1) + LINE_BYTES);
    EC_TRY(ec_allocated(steps, err));
    steps += (LINE_BYTES - (uintptr_t)steps % LINE_BYTES) % LINE_BYTES;
    t->step = (void *)steps;
    fill_steps(t, scratch);
    fill_heights(t, scratch);
    fill_used(t);
out:
    ec_free(scratch);
    return st;
}

#define SIDE_BY_SIDE 16

/* Walks sixteen trees at once, so that the processor waits for their loads in parallel. */
static void walk(const struct ec_trees *t, const int32_t *start, int32_t high, const uint32_t *row,
                 float *ret_leaf)
{
    const struct ec_tree_step *step = t->step;
    uint32_t at[SIDE_BY_SIDE];
    int32_t level;
    int i;

    for (i = 0; i < SIDE_BY_SIDE; i++)
        at[i] = (uint32_t)start[i];
    for (level = 0; level < high; level++)
        for (i = 0; i < SIDE_BY_SIDE; i++) {
            const struct ec_tree_step *s = &step[at[i]];

            at[i] = (s->to >> 8) - (row[s->to & 0xff] < s->value);
        }
    for (i = 0; i < SIDE_BY_SIDE; i++)
        memcpy(&ret_leaf[i], &step[at[i]].value, sizeof ret_leaf[i]);
}

/* Adds the leaves of up to sixteen trees to sum, in order. */
static float add_trees(const struct ec_trees *t, int first, int n, const uint32_t *row, float sum)
{
    float leaf[SIDE_BY_SIDE];
    int32_t start[SIDE_BY_SIDE], high = 0;
    int i;

    for (i = 0; i < SIDE_BY_SIDE; i++) {
        int tree = first + (i < n ? i : 0);

        start[i] = t->start[tree];
        high = t->height[tree] > high ? t->height[tree] : high;
    }
    walk(t, start, high, row, leaf);
    for (i = 0; i < n; i++)
        sum += leaf[i];
    return sum;
}

/* To a finite float, so that a leaf keeps what is in it. */
static float narrow(double v)
{
    const double most = (double)FLT_MAX;

    return v > most ? FLT_MAX : v < -most ? -FLT_MAX : (float)v;
}

double ec__trees_predict(const void *state, const double *x, int n_cols)
{
    const struct ec_trees *t = state;
    uint32_t row[ABOVE_ALL + 1];
    float sum = 0;
    int i;

    (void)n_cols;
    for (i = 0; i < t->n_used; i++)
        row[t->used[i]] = rank_of(narrow(x[t->used[i]]), UINT32_MAX);
    row[ABOVE_ALL] = UINT32_MAX;
    for (i = 0; i < t->n_trees; i += SIDE_BY_SIDE)
        sum = add_trees(t, i, t->n_trees - i < SIDE_BY_SIDE ? t->n_trees - i : SIDE_BY_SIDE, row,
                        sum);
    return t->offset + (double)sum;
}

static int count_leaves(const struct ec_trees *t)
{
    int i, n = 0;

    for (i = 0; i < t->n_nodes; i++)
        n += t->node[i].left == 0;
    return n;
}

void ec__trees_describe(const void *state, const char *const *names, int n_cols, struct ec_buf *out)
{
    const struct ec_trees *t = state;
    int uses[EC_LEARN_COLS_MAX] = { 0 }, i, told, best;

    for (i = 0; i < t->n_nodes; i++)
        uses[t->node[i].feature] += t->node[i].left != 0;
    ec_buf_printf(out, "%d trees with %d leaves; splits most often on", t->n_trees,
                  count_leaves(t));
    for (told = 0; told < 5; told++) {
        for (i = 1, best = 0; i < n_cols; i++)
            if (uses[i] > uses[best])
                best = i;
        if (uses[best] <= 0)
            break;
        ec_buf_printf(out, "%s %s", told ? "," : "", names[best]);
        uses[best] = -1;
    }
}

/* ------------------------------------------------------------------------------------------------
 * UBJSON, as much of it as XGBoost writes. Numbers are big-endian. Whatever object has the four
 * arrays of a tree is one. */

struct typed_array {
    const unsigned char *data;
    int64_t n;
    char type;
};

enum { LEFT, RIGHT, FEATURE, VALUE, PARTS };
static const char *const part_names[PARTS] = { "left_children", "right_children", "split_indices",
                                               "split_conditions" };

struct ubj {
    const unsigned char *p, *end;
    bool bad;
    int n_cols, cap_trees, cap_nodes, cap_queue;
    struct ec_trees *t; /* root and node grow on the heap */
    int32_t *queue;     /* XGBoost's number of each node of the tree at hand, in our order */
    struct ec_err *err;
    enum ec_status st;
};

#define UBJ_DEPTH_MAX 32

static int type_bytes(char type)
{
    switch (type) {
    case 'i':
    case 'U':
    case 'C':
        return 1;
    case 'I':
        return 2;
    case 'l':
    case 'd':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

static uint64_t big_endian(const unsigned char *p, int n)
{
    uint64_t v = 0;
    int i;

    for (i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

static char next(struct ubj *u)
{
    if (u->p >= u->end) {
        u->bad = true;
        return 0;
    }
    return (char)*u->p++;
}

static const unsigned char *take(struct ubj *u, int64_t n)
{
    const unsigned char *p = u->p;

    if (n < 0 || n > u->end - u->p) {
        u->bad = true;
        return NULL;
    }
    u->p += n;
    return p;
}

/* A length: a type and a number that is not below zero. */
static int64_t length(struct ubj *u)
{
    int n = type_bytes(next(u));
    const unsigned char *p = take(u, n);
    uint64_t v = p && n ? big_endian(p, n) : UINT64_MAX;

    if (v > (uint64_t)INT32_MAX) {
        u->bad = true;
        return 0;
    }
    return (int64_t)v;
}

static int64_t int_at(const struct typed_array *a, int64_t i)
{
    int n = type_bytes(a->type);
    uint64_t v = big_endian(a->data + i * n, n);

    return n == 4 ? (int32_t)v : (int64_t)v;
}

static float float_at(const struct typed_array *a, int64_t i)
{
    uint32_t v = (uint32_t)big_endian(a->data + i * 4, 4);
    float f;

    memcpy(&f, &v, sizeof f);
    return f;
}

static enum ec_status add_node(struct ubj *u, const struct typed_array *part, int64_t from)
{
    struct ec_trees *t = u->t;
    int64_t left = int_at(&part[LEFT], from), feature = int_at(&part[FEATURE], from);
    struct ec_tree_node n = { .value = float_at(&part[VALUE], from) };

    EC_PASS(ec__trees_check_size(t->n_trees, (int64_t)t->n_nodes + 1, u->err));
    EC_PASS(ec_grow(&t->node, &u->cap_nodes, t->n_nodes + 1, sizeof *t->node, u->err));
    if (left >= 0) {
        if (left >= part[LEFT].n || feature < 0 || feature >= u->n_cols)
            u->bad = true;
        n.left = 1; /* set when the children are reached */
        n.feature = (int32_t)feature;
    }
    t->node[t->n_nodes++] = n;
    return EC_OK;
}

/* Breadth first: the children of a node are added together when it is taken from the queue. */
static enum ec_status add_tree(struct ubj *u, const struct typed_array *part)
{
    struct ec_trees *t = u->t;
    int first = t->n_nodes, at;

    EC_PASS(ec_grow(&t->root, &u->cap_trees, t->n_trees + 1, sizeof *t->root, u->err));
    t->root[t->n_trees++] = first;
    EC_PASS(ec_grow(&u->queue, &u->cap_queue, 1, sizeof *u->queue, u->err));
    u->queue[0] = 0;
    EC_PASS(add_node(u, part, 0));
    for (at = 0; first + at < t->n_nodes && !u->bad; at++) {
        int64_t from = u->queue[at], children[2];
        int i, n = t->n_nodes - first;

        if (!t->node[first + at].left)
            continue;
        if (n > part[LEFT].n) {
            u->bad = true;
            break;
        }
        t->node[first + at].left = t->n_nodes;
        children[0] = int_at(&part[LEFT], from);
        children[1] = int_at(&part[RIGHT], from);
        EC_PASS(ec_grow(&u->queue, &u->cap_queue, n + 2, sizeof *u->queue, u->err));
        for (i = 0; i < 2; i++) {
            if (children[i] <= 0 || children[i] >= part[LEFT].n) {
                u->bad = true;
                return EC_OK;
            }
            u->queue[n + i] = (int32_t)children[i];
            EC_PASS(add_node(u, part, children[i]));
        }
    }
    return EC_OK;
}

static void object_over(struct ubj *u, const struct typed_array *part)
{
    int i;

    for (i = 0; i < PARTS; i++)
        if (!part[i].data || part[i].n < 1 || part[i].n != part[LEFT].n ||
            type_bytes(part[i].type) < 4 || (part[i].type == 'd') != (i == VALUE))
            return;
    u->st = add_tree(u, part);
    u->bad |= u->st != EC_OK;
}

static void value(struct ubj *u, char type, int depth, struct typed_array *ret);

static void object(struct ubj *u, int depth)
{
    struct typed_array part[PARTS] = { 0 };

    while (!u->bad && u->p < u->end && *u->p != '}') {
        struct typed_array a = { 0 };
        int64_t n = length(u);
        const char *key = (const char *)take(u, n);
        int i;

        value(u, next(u), depth + 1, &a);
        for (i = 0; i < PARTS && !u->bad; i++)
            if (strlen(part_names[i]) == (size_t)n && memcmp(key, part_names[i], (size_t)n) == 0)
                part[i] = a;
    }
    (void)next(u);
    if (!u->bad)
        object_over(u, part);
}

static void array(struct ubj *u, int depth, struct typed_array *ret)
{
    struct typed_array inner;
    char type = 0;
    int64_t n = -1, i;

    if (u->p < u->end && *u->p == '$') {
        (void)next(u);
        type = next(u);
    }
    if (u->p < u->end && *u->p == '#') {
        (void)next(u);
        n = length(u);
    }
    if (type && type_bytes(type)) {
        *ret = (struct typed_array){ take(u, n < 0 ? -1 : n * type_bytes(type)), n, type };
        return;
    }
    for (i = 0; !u->bad && (n < 0 ? u->p < u->end && *u->p != ']' : i < n); i++)
        value(u, type ? type : next(u), depth + 1, &inner);
    if (n < 0)
        (void)next(u);
}

static void value(struct ubj *u, char type, int depth, struct typed_array *ret)
{
    if (depth > UBJ_DEPTH_MAX)
        u->bad = true;
    if (u->bad || type == 'T' || type == 'F' || type == 'Z' || type == 'N')
        return;
    if (type == '{')
        object(u, depth);
    else if (type == '[')
        array(u, depth, ret);
    else if (type == 'S' || type == 'H')
        (void)take(u, length(u));
    else if (type_bytes(type))
        (void)take(u, type_bytes(type));
    else
        u->bad = true;
}

enum ec_status ec__trees_from_ubj(const unsigned char *data, size_t len, int n_cols,
                                  struct ec_arena *a, struct ec_trees *ret, struct ec_err *err)
{
    struct ec_trees t = { 0 };
    struct ubj u = { .p = data, .end = data + len, .n_cols = n_cols, .t = &t, .err = err };
    struct typed_array whole = { 0 };
    enum ec_status st = EC_OK;

    value(&u, next(&u), 0, &whole);
    EC_TRY(u.st);
    if (u.bad || !t.n_trees)
        EC_TRY(ec_fail(err, EC_E_BACKEND, "XGBoost wrote a model that cannot be read"));
    ret->n_trees = t.n_trees;
    ret->n_nodes = t.n_nodes;
    ret->root = ec_arena_copy(a, t.root, sizeof *t.root * (size_t)t.n_trees);
    ret->node = ec_arena_copy(a, t.node, sizeof *t.node * (size_t)t.n_nodes);
    EC_TRY(ec_allocated(ret->root && ret->node, err));
    EC_TRY(ec__trees_make_steps(ret, a, err));
out:
    ec_free(t.root);
    ec_free(t.node);
    ec_free(u.queue);
    return st;
}
