/* The stacked blocks of a network, found as the longest run of nodes that repeats, and its cut into
 * the stages of a pipeline. */
#include "cost/cost.h"

#define LONGEST_BLOCK 512 /* nodes */
/* Of two runs the one of shorter blocks is taken unless it has fewer nodes than this share. */
#define AS_LONG 0.95

/* A number for each node that is the same where operator, attributes and shapes are. */
static enum ec_status number_nodes(const struct ec_graph *g, uint64_t *ret, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < g->n_nodes; i++) {
        struct ec_case c = ec_node_case(g->nodes[i]);

        ec_buf_reset(&text);
        ec_case_print(&c, &text);
        EC_TRY(ec_buf_status(&text, err));
        ret[i] = ec_hash(text.data, text.len);
    }
out:
    ec_buf_clear(&text);
    return st;
}

/* The longest run of i with id[i] == id[i + length]; its begin. */
static int longest_run(const uint64_t *id, int n, int length, int *ret_begin)
{
    int best = 0, run = 0, i;

    for (i = 0; i + length < n; i++) {
        run = id[i] == id[i + length] ? run + 1 : 0;
        if (run > best) {
            best = run;
            *ret_begin = i + 1 - run;
        }
    }
    return best;
}

/* ret: n_nodes + 1; bytes of values that are made before a node and read by it or behind it. */
static enum ec_status count_crossing(const struct ec_graph *g, double *ret, struct ec_err *err)
{
    int *last = ec_alloc(sizeof *last * ((size_t)g->n_values + 1)), i, k;

    EC_PASS(ec_allocated(last, err));
    for (i = 0; i < g->n_nodes; i++)
        for (k = 0; k < g->nodes[i]->n_in; k++)
            last[g->nodes[i]->in[k]] = i;
    for (i = 0; i < g->n_values; i++) {
        const struct ec_value *v = g->values[i];

        if (v->producer < 0 || last[i] <= v->producer)
            continue;
        ret[v->producer + 1] += ec_type_elems(&v->type);
        ret[last[i] + 1] -= ec_type_elems(&v->type);
    }
    for (i = 1; i <= g->n_nodes; i++)
        ret[i] += ret[i - 1];
    ec_free(last);
    return EC_OK;
}

/* Where in a run blocks begin: where least goes from one to the next. */
static int best_begin(const double *cross, int begin, int run, const struct ec_blocks *b)
{
    int slack = run + b->length - b->n * b->length, best = begin, i;

    for (i = begin + 1; i <= begin + slack; i++)
        if (cross[i + b->length] < cross[best + b->length])
            best = i;
    return best;
}

enum ec_status ec_blocks_find(const struct ec_graph *g, struct ec_blocks *ret, struct ec_err *err)
{
    uint64_t *id = ec_alloc(sizeof *id * ((size_t)g->n_nodes + 1));
    double *cross = ec_alloc(sizeof *cross * ((size_t)g->n_nodes + 2));
    struct ec_blocks best = { 0 };
    int most = 0, begin = 0, best_first = 0, best_run = 0, length, run;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(id && cross, err));
    EC_TRY(number_nodes(g, id, err));
    EC_TRY(count_crossing(g, cross, err));
    for (length = 1; length <= LONGEST_BLOCK && 2 * length <= g->n_nodes; length++) {
        run = longest_run(id, g->n_nodes, length, &begin);
        if (run < length || AS_LONG * (run + length) <= most)
            continue;
        most = run + length;
        best = (struct ec_blocks){ begin, length, (run + length) / length };
        best_first = begin;
        best_run = run;
    }
    if (best.n)
        best.begin = best_begin(cross, best_first, best_run, &best);
    *ret = best;
out:
    ec_free(id);
    ec_free(cross);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Stages */

/* Units that are not cut further: blocks, and the nodes between them. Unit i ends before node
 * end[i]; sum[i] is the cost up to there. */
struct units {
    int n;
    int *end;
    double *sum;
};

static enum ec_status take_units(const struct ec_graph *g, const struct ec_blocks *b,
                                 const double *cost, struct units *ret, struct ec_err *err)
{
    double sum = 0;
    int i;

    ret->end = ec_alloc(sizeof *ret->end * ((size_t)g->n_nodes + 1));
    ret->sum = ec_alloc(sizeof *ret->sum * ((size_t)g->n_nodes + 1));
    EC_PASS(ec_allocated(ret->end && ret->sum, err));
    for (i = 0; i < g->n_nodes; i++) {
        bool inside = b->n && i >= b->begin && i < b->begin + b->n * b->length &&
                      (i - b->begin + 1) % b->length;

        sum += cost[i];
        if (inside)
            continue;
        ret->end[ret->n] = i + 1;
        ret->sum[ret->n++] = sum;
    }
    return EC_OK;
}

/* Parts that none exceeds `bound`, filled from the front; `need` parts each have a unit at least.
 * ret  NULL, or the part of each unit */
static int fill_parts(const struct units *u, double bound, int need, int *ret)
{
    double from = 0;
    int part = 0, own = 0, i;

    for (i = 0; i < u->n; i++) {
        bool full = own && u->sum[i] - from > bound;
        bool must = own && u->n - i == need - 1 - part; /* what is left is one each */

        if (full || must) {
            part++;
            own = 0;
            from = i ? u->sum[i - 1] : 0;
        }
        own++;
        if (ret)
            ret[i] = part;
    }
    return part + 1;
}

#define BISECTIONS 50

static void balance(const struct units *u, int parts, int *ret)
{
    double high = u->sum[u->n - 1], low = high / parts * (1 - 1e-9);
    int i;

    for (i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;

        *(fill_parts(u, middle, parts, NULL) <= parts ? &high : &low) = middle;
    }
    (void)fill_parts(u, high, parts, ret);
}

/* As many blocks in each part; what is before them is in the first, what is behind in the last. */
static void cut_evenly(const struct ec_graph *g, const struct ec_blocks *b, int parts, int *ret)
{
    int per_part = b->n / parts * b->length, i;

    for (i = 0; i < g->n_nodes; i++) {
        int part = i < b->begin ? 0 : (i - b->begin) / per_part;

        ret[i] = part < parts ? part : parts - 1;
    }
}

enum ec_status ec_blocks_cut(const struct ec_graph *g, const struct ec_blocks *b,
                             const double *node_cost, int parts, int *ret_part, struct ec_err *err)
{
    bool stacked = b->n * b->length * 2 >= g->n_nodes;
    int ends = (b->begin > 0) + (b->begin + b->n * b->length < g->n_nodes); /* parts of their own */
    struct units u = { 0 };
    enum ec_status st = EC_OK;
    int *part = NULL, i, k = 0;

    if (stacked && b->n % parts == 0) {
        cut_evenly(g, b, parts, ret_part);
        return EC_OK;
    }
    EC_TRY(take_units(g, stacked ? b : &(struct ec_blocks){ 0 }, node_cost, &u, err));
    if (parts > (stacked ? b->n + ends : u.n))
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "%d stages of a pipeline: found %d %s of %s to share out, expected at least "
                       "one for each",
                       parts, stacked ? b->n : u.n, stacked ? "stacked blocks" : "operators",
                       g->name));
    part = ec_alloc(sizeof *part * (size_t)u.n);
    EC_TRY(ec_allocated(part, err));
    balance(&u, parts, part);
    for (i = 0; i < g->n_nodes; i++) {
        k += i >= u.end[k];
        ret_part[i] = part[k];
    }
out:
    ec_free(part);
    ec_free(u.end);
    ec_free(u.sum);
    return st;
}
