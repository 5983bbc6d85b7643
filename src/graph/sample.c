/* Drawing cases out of the zoo: operators as they stand in networks that people train, at batches
 * drawn log-uniformly. */
#include "graph/build_internal.h"

#include <math.h>
#include <string.h>

#include "sampled.h"

/* clang-format off */
#define NETWORK(name) name,
static const char *const networks[] = { SAMPLED_NETWORKS(NETWORK) };
/* clang-format on */

#define BATCHES 3
#define BATCH_MAX 256

/* Tries to draw a case that is not there yet. */
#define FRESH_TRIES 60

struct pool {
    const struct ec_sample_opts *o;
    struct ec_sampled *v; /* of the zoo */
    int n, cap;
    struct ec_sampled_list *out;
    struct ec_rng rng;
    struct ec_err *err;
};

static bool is_wanted(const struct pool *p, const struct ec_case *c)
{
    int i;

    for (i = 0; i < p->o->n_ops; i++)
        if (p->o->ops[i] == c->op)
            return ec_case_within(c, &p->o->limits);
    return false;
}

static bool has_text(const struct ec_sampled *v, int from, int n, const char *text)
{
    int i;

    for (i = from; i < n; i++)
        if (ec_str_eq(v[i].text, text))
            return true;
    return false;
}

static enum ec_status add(struct ec_sampled **v, int *n, int *cap, struct ec_arena *a,
                          struct ec_sampled item, struct ec_err *err)
{
    EC_PASS(ec_grow(v, cap, *n + 1, sizeof **v, err));
    item.text = ec_arena_str(a, item.text);
    EC_PASS(ec_allocated(item.text, err));
    (*v)[(*n)++] = item;
    return EC_OK;
}

/* Every wanted operator of one network; the same case twice in it is one. */
static enum ec_status add_network(struct pool *p, const char *spec, int64_t batch)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = batch };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_graph *g = NULL;
    enum ec_status st;
    int first = p->n, i;

    EC_TRY(ec_zoo_build(spec, &opts, &g, p->err));
    for (i = 0; i < g->n_nodes; i++) {
        struct ec_case c = ec_node_case(g->nodes[i]);

        if (!is_wanted(p, &c))
            continue;
        ec_buf_reset(&text);
        ec_case_print(&c, &text);
        EC_TRY(ec_buf_status(&text, p->err));
        if (!has_text(p->v, first, p->n, ec_buf_text(&text)))
            EC_TRY(add(&p->v, &p->n, &p->cap, &p->out->arena,
                       (struct ec_sampled){ c.op, ec_buf_text(&text) }, p->err));
    }
out:
    ec_buf_clear(&text);
    ec_graph_free(g);
    return st;
}

static enum ec_status fill_pool(struct pool *p)
{
    int i, k;

    for (i = 0; i < EC_LEN(networks); i++)
        for (k = 0; k < BATCHES; k++)
            EC_PASS(add_network(p, networks[i],
                                (int64_t)exp(log((double)BATCH_MAX) * ec_rng_unit(&p->rng))));
    return EC_OK;
}

/* A case of the zoo's; NULL when it has none of this operator. */
static const char *from_zoo(struct pool *p, const struct ec_op *op)
{
    int64_t n = 0, at;
    int i;

    for (i = 0; i < p->n; i++)
        n += p->v[i].op == op;
    at = n ? ec_rng_range(&p->rng, 0, n - 1) : 0;
    for (i = 0; i < p->n; i++)
        if (p->v[i].op == op && at-- == 0)
            return p->v[i].text;
    return NULL;
}

/* One more case of the operator; none when all that come are there already. */
static enum ec_status add_case(struct pool *p, const struct ec_op *op)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < FRESH_TRIES; i++) {
        bool zoo = ec_rng_range(&p->rng, 1, 100) <= p->o->zoo_percent;
        const char *found = zoo ? from_zoo(p, op) : NULL;

        if (!found)
            EC_TRY(ec_op_sample(op, &p->o->limits, &p->rng, &text, p->err));
        found = found ? found : ec_buf_text(&text);
        if (has_text(p->out->v, 0, p->out->n, found))
            continue;
        EC_TRY(add(&p->out->v, &p->out->n, &p->out->cap, &p->out->arena,
                   (struct ec_sampled){ op, found }, p->err));
        break;
    }
out:
    ec_buf_clear(&text);
    return st;
}

enum ec_status ec_sample_cases(const struct ec_sample_opts *o, struct ec_sampled_list *ret,
                               struct ec_err *err)
{
    struct pool p = { .o = o, .out = ret, .err = err };
    enum ec_status st = EC_OK;
    int i;

    ec_rng_seed(&p.rng, o->seed);
    if (o->zoo_percent > 0)
        EC_TRY(fill_pool(&p));
    for (i = 0; i < o->count && o->n_ops; i++)
        EC_TRY(add_case(&p, o->ops[i % o->n_ops]));
out:
    ec_free(p.v);
    return st;
}

void ec_sampled_clear(struct ec_sampled_list *l)
{
    ec_free(l->v);
    ec_arena_clear(&l->arena);
    memset(l, 0, sizeof *l);
}
