/* Trees in the model file. Trees repeat the same splits, so each distinct split is written once and
 * nodes refer to it. The bits that say which nodes split determine the shape of the trees
 * (learn_internal.h). */
#include "learn/learn_internal.h"

#include <stdlib.h>
#include <string.h>

#define CUT_BYTES 5  /* column, threshold */
#define LEAF_BYTES 4 /* what it adds */

/* A split as a number for sorting: the column, then the bits of the threshold. */
static uint64_t cut_of(uint32_t column, float threshold)
{
    uint32_t bits;

    memcpy(&bits, &threshold, sizeof bits);
    return (uint64_t)column << 32 | bits;
}

static uint64_t cut_of_node(const struct ec_tree_node *n)
{
    return cut_of((uint32_t)n->feature, n->value);
}

/* Bytes of an index into the list of splits. */
static int index_bytes(int n_cuts)
{
    return n_cuts <= 1 << 8 ? 1 : n_cuts <= 1 << 16 ? 2 : 3;
}

/* ------------------------------------------------------------------------------------------------
 * Writing */

static int by_cut(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Writes the distinct cuts in ascending order; returns how many. ret: room for one per split */
static int list_cuts(const struct ec_trees *t, uint64_t *ret)
{
    int i, n = 0, n_kept = 0;

    for (i = 0; i < t->n_nodes; i++)
        if (t->node[i].left)
            ret[n++] = cut_of_node(&t->node[i]);
    qsort(ret, (size_t)n, sizeof *ret, by_cut);
    for (i = 0; i < n; i++)
        if (!i || ret[i] != ret[n_kept - 1])
            ret[n_kept++] = ret[i];
    return n_kept;
}

static void put_cuts(const uint64_t *cut, int n, struct ec_buf *out)
{
    int i;

    ec__put_uint(out, (uint32_t)n, 4);
    for (i = 0; i < n; i++) {
        ec__put_uint(out, (uint32_t)(cut[i] >> 32), 1);
        ec__put_uint(out, (uint32_t)cut[i], 4);
    }
}

/* Writes a bit for each node, the lowest first: whether it splits. */
static void put_shape(const struct ec_trees *t, struct ec_buf *out)
{
    uint32_t bits = 0;
    int i;

    for (i = 0; i < t->n_nodes; i++) {
        bits |= (uint32_t)(t->node[i].left != 0) << i % 8;
        if (i % 8 == 7 || i == t->n_nodes - 1) {
            ec__put_uint(out, bits, 1);
            bits = 0;
        }
    }
}

static void put_nodes(const struct ec_trees *t, const uint64_t *cut, int n_cuts, struct ec_buf *out)
{
    int i, n_bytes = index_bytes(n_cuts);

    for (i = 0; i < t->n_nodes; i++)
        if (t->node[i].left) {
            uint64_t key = cut_of_node(&t->node[i]);
            const uint64_t *at = bsearch(&key, cut, (size_t)n_cuts, sizeof *cut, by_cut);

            ec__put_uint(out, (uint32_t)(at - cut), n_bytes);
        }
    for (i = 0; i < t->n_nodes; i++)
        if (!t->node[i].left)
            ec__put_f32(out, t->node[i].value);
}

static void save(const struct ec_trees *t, struct ec_buf *out)
{
    int n_splits = (t->n_nodes - t->n_trees) / 2, n_cuts;
    uint64_t *cut = ec_alloc(sizeof *cut * ((size_t)n_splits + 1));

    if (!cut) {
        out->st = EC_E_NOMEM;
        return;
    }
    ec__put_f64(out, t->offset);
    ec__put_uint(out, (uint32_t)t->n_trees, 4);
    ec__put_uint(out, (uint32_t)n_splits, 4);
    n_cuts = list_cuts(t, cut);
    put_cuts(cut, n_cuts, out);
    put_shape(t, out);
    put_nodes(t, cut, n_cuts, out);
    ec_free(cut);
}

/* ------------------------------------------------------------------------------------------------
 * Reading */

struct cut {
    float threshold;
    uint8_t column;
    bool asked; /* by a split */
};

/* Parts of a file that are read in parallel. */
struct parts {
    struct cut *cut;
    int n_cuts;
    struct ec_bytes shape, which, leaf;
};

static enum ec_status get_cuts(struct ec_bytes *in, int n_cols, int n_splits, struct parts *ret,
                               struct ec_err *err)
{
    uint64_t key, before = 0;
    int i;

    ret->n_cuts = ec__get_count(in, CUT_BYTES, n_splits);
    ret->cut = ec_alloc(sizeof *ret->cut * ((size_t)ret->n_cuts + 1));
    EC_PASS(ec_allocated(ret->cut, err));
    for (i = 0; i < ret->n_cuts && !in->bad; i++) {
        uint32_t column = (uint32_t)ec__get_uint(in, 1);
        float threshold = ec__get_f32(in);

        key = cut_of(column, threshold);
        in->bad |= column >= (uint32_t)n_cols || (i && key <= before);
        ret->cut[i] = (struct cut){ threshold, (uint8_t)column, false };
        before = key;
    }
    return EC_OK;
}

static bool splits(const struct parts *p, int node)
{
    return p->shape.p[node / 8] >> node % 8 & 1;
}

static struct ec_tree_node get_split(struct parts *p, int n_bytes, int left)
{
    uint32_t which = (uint32_t)ec__get_uint(&p->which, n_bytes);
    struct cut *cut = &p->cut[which < (uint32_t)p->n_cuts ? which : 0];

    p->which.bad |= which >= (uint32_t)p->n_cuts;
    cut->asked = true;
    return (struct ec_tree_node){ cut->threshold, left, cut->column };
}

/* A tree ends when all its splits have children. A file with more splits than it counts has nothing
 * left to read; up to there all nodes have room. */
static void get_nodes(struct parts *p, struct ec_trees *t)
{
    int tree, i = 0, end = 0, n_bytes = index_bytes(p->n_cuts);

    for (tree = 0; tree < t->n_trees; tree++) {
        t->root[tree] = end++;
        for (; i < end && !p->which.bad && !p->leaf.bad; i++) {
            if (splits(p, i)) {
                t->node[i] = get_split(p, n_bytes, end);
                end += 2;
            } else
                t->node[i].value = ec__get_f32(&p->leaf);
        }
    }
}

/* Whether a save can have written the bytes: all were read, each cut is used, and the bits after
 * the last node are 0. */
static bool is_as_written(const struct parts *p, const struct ec_trees *t)
{
    int i;

    if (p->which.bad || p->leaf.bad || p->which.left || p->leaf.left)
        return false;
    for (i = t->n_nodes; i % 8; i++)
        if (splits(p, i))
            return false;
    for (i = 0; i < p->n_cuts; i++)
        if (!p->cut[i].asked)
            return false;
    return true;
}

static enum ec_status load(struct ec_bytes *in, struct ec_trees *t, int n_cols, struct ec_err *err)
{
    struct parts p = { 0 };
    enum ec_status st = EC_OK;
    int n_splits;

    t->offset = ec__get_f64(in);
    t->n_trees = ec__get_count(in, LEAF_BYTES, EC_TREES_MAX);
    n_splits = ec__get_count(in, LEAF_BYTES + 1, (EC_TREE_NODES_MAX - t->n_trees) / 2);
    EC_TRY(get_cuts(in, n_cols, n_splits, &p, err));
    t->n_nodes = 2 * n_splits + t->n_trees;
    p.shape = ec__get_part(in, ((size_t)t->n_nodes + 7) / 8);
    p.which = ec__get_part(in, (size_t)n_splits * (size_t)index_bytes(p.n_cuts));
    p.leaf = ec__get_part(in, ((size_t)n_splits + (size_t)t->n_trees) * LEAF_BYTES);
    EC_TRY(ec__get_status(in, true, err));
    t->root = ec_arena_alloc(in->a, sizeof *t->root * ((size_t)t->n_trees + 1));
    t->node = ec_arena_alloc(in->a, sizeof *t->node * ((size_t)t->n_nodes + 1));
    EC_TRY(ec_allocated(t->root && t->node, err));
    get_nodes(&p, t);
    in->bad |= !is_as_written(&p, t);
    EC_TRY(ec__get_status(in, true, err));
    EC_TRY(ec__trees_make_steps(t, in->a, err));
out:
    ec_free(p.cut);
    return st;
}

void ec__trees_members(struct ec_bytes *io, void *state, int n_cols)
{
    if (io->out)
        save(state, io->out);
    else
        io->st = load(io, state, n_cols, io->err);
}
