/* The cache of networks: the one that was not used longest makes room. */
#include "cost/networks.h"

#include <assert.h>
#include <string.h>

static void drop_steps(struct ec_network *l)
{
    struct ec_network_step *s;

    while ((s = l->steps)) {
        l->steps = s->next;
        ec_step_clear(&s->step);
        ec_free(s);
    }
    ec_step_clear(&l->apart);
}

static void drop_stages(struct ec_network_ranks *r)
{
    int i;

    for (i = 0; i < r->stages; i++)
        ec_step_clear(&r->stage[i].step);
    ec_free(r->stage);
    ec_free(r->part);
    r->stage = NULL;
    r->part = NULL;
    r->stages = 0;
}

static void drop_ranks(struct ec_network_ranks *r)
{
    drop_stages(r);
    ec_partition_free(r->partition);
    r->partition = NULL;
}

static void network_free(struct ec_network *l)
{
    if (!l)
        return;
    drop_steps(l);
    drop_ranks(&l->ranks);
    ec_graph_free(l->graph);
    ec_free(l->key);
    ec_free(l);
}

void ec_networks_clear(struct ec_networks *c)
{
    int i;

    for (i = 0; i < c->n; i++)
        network_free(c->v[i]);
    ec_buf_clear(&c->key);
    memset(c, 0, sizeof *c);
}

/* A copy has what it shares beside its own. */
static double params_of(const struct ec_graph *g)
{
    double n = 0;
    int i;

    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM)
            n += ec_type_elems(&g->values[i]->type);
    return n;
}

static size_t graph_bytes(const struct ec_graph *g)
{
    return g->arena.used_bytes + (g->base ? g->base->arena.used_bytes : 0);
}

static size_t step_bytes(const struct ec_step *s)
{
    return (size_t)s->cap * sizeof *s->kernel + (size_t)s->cap_node * sizeof *s->node +
           (s->repeat ? (size_t)s->n * sizeof *s->repeat : 0);
}

size_t ec_network_bytes(const struct ec_network *l)
{
    const struct ec_network_ranks *r = &l->ranks;
    const struct ec_network_step *s;
    size_t sum = graph_bytes(l->graph) + step_bytes(&l->apart);
    int i;

    for (s = l->steps; s; s = s->next)
        sum += step_bytes(&s->step);
    if (r->partition)
        sum += ec_partition_bytes(r->partition);
    if (r->part)
        sum += sizeof *r->part * (size_t)l->graph->n_nodes;
    for (i = 0; i < r->stages; i++)
        sum += sizeof r->stage[i] + step_bytes(&r->stage[i].step);
    return sum;
}

/* Whether networks of another batch may be derived from it: it was built, and has its batch from
 * the options alone. */
static bool is_pattern(const struct ec_network *l, const char *key)
{
    return l->batch > 0 && l->batch == l->graph->batch && !l->graph->base &&
           ec_str_eq(l->graph->source, "zoo") && ec_str_eq(l->key, key);
}

/* The network by two of other batches; NULL: it is to be built. */
static struct ec_graph *derive(struct ec_networks *c, const char *key, int64_t batch)
{
    struct ec_network *pair[2];
    int i, n = 0;

    for (i = 0; i < c->n && n < 2 && batch > 0; i++)
        if (is_pattern(c->v[i], key))
            pair[n++] = c->v[i];
    if (n < 2)
        return NULL;
    pair[0]->used = pair[1]->used = ++c->clock;
    return ec_graph_of_batch(pair[0]->graph, pair[1]->graph, batch);
}

static enum ec_status read_new(struct ec_networks *c, const char *key, const char *model,
                               const struct ec_graph_opts *o, struct ec_network **ret,
                               struct ec_err *err)
{
    struct ec_network *l = ec_alloc(sizeof *l);
    enum ec_status st = EC_OK;
    size_t size = strlen(key) + 1;

    EC_PASS(ec_allocated(l, err));
    l->key = ec_alloc(size);
    EC_TRY(ec_allocated(l->key, err));
    memcpy(l->key, key, size);
    l->batch = o->batch;
    l->graph = derive(c, key, o->batch);
    if (!l->graph)
        EC_TRY(ec_graph_open(model, o, &l->graph, err));
    l->params = params_of(l->graph);
    *ret = l;
    l = NULL;
out:
    network_free(l);
    return st;
}

static int least_used(const struct ec_networks *c)
{
    int i, worst = 0;

    for (i = 1; i < c->n; i++)
        if (c->v[i]->used < c->v[worst]->used)
            worst = i;
    return worst;
}

static size_t cache_bytes(const struct ec_networks *c)
{
    size_t sum = 0;
    int i;

    for (i = 0; i < c->n; i++)
        sum += ec_network_bytes(c->v[i]);
    return sum;
}

/* Takes the network; what was not used longest makes room. */
static void keep(struct ec_networks *c, struct ec_network *l)
{
    int worst;

    while (c->n == EC_NETWORKS_MAX ||
           (c->n && cache_bytes(c) + ec_network_bytes(l) > EC_NETWORKS_MAX_BYTES)) {
        worst = least_used(c);
        network_free(c->v[worst]);
        c->v[worst] = c->v[--c->n];
    }
    assert(c->n >= 0 && c->n < EC_NETWORKS_MAX);
    c->v[c->n++] = l;
}

enum ec_status ec_networks_open(struct ec_networks *c, const char *model,
                                const struct ec_graph_opts *o, struct ec_network **ret,
                                struct ec_err *err)
{
    struct ec_network *l = NULL;
    int i;

    ec_buf_reset(&c->key);
    ec_buf_printf(&c->key, "%s|%lld|%lld|%lld|%d|%lld|%d|%d|%d", model, (long long)o->seq_len,
                  (long long)o->image_px, (long long)o->classes, o->as_exported,
                  (long long)o->adapter_rank, o->adapt_attention, o->wide_adapters, o->pack_frozen);
    EC_PASS(ec_buf_status(&c->key, err));
    for (i = 0; i < c->n; i++)
        if (c->v[i]->batch == o->batch && ec_str_eq(c->v[i]->key, c->key.data)) {
            c->v[i]->used = ++c->clock;
            *ret = c->v[i];
            return EC_OK;
        }
    EC_PASS(read_new(c, c->key.data, model, o, &l, err));
    keep(c, l);
    l->used = ++c->clock;
    *ret = l;
    return EC_OK;
}

static enum ec_status add_step(struct ec_network *l, const struct ec_conditions *cond,
                               struct ec_network_step **ret, struct ec_err *err)
{
    struct ec_network_step *s = ec_alloc(sizeof *s);
    enum ec_status st = EC_OK;

    EC_PASS(ec_allocated(s, err));
    s->mode = cond->mode;
    s->optimizer = cond->optimizer;
    s->recompute = cond->recompute;
    EC_TRY(ec_step_build(l->graph, cond, &s->step, err));
    EC_TRY(ec_step_merge(&s->step, err));
    s->next = l->steps;
    *ret = l->steps = s;
    s = NULL;
out:
    if (s)
        ec_step_clear(&s->step);
    ec_free(s);
    return st;
}

enum ec_status ec_network_step(struct ec_network *l, const struct ec_conditions *cond,
                               const struct ec_step **ret, struct ec_err *err)
{
    struct ec_network_step *s = l->steps;

    while (s && (s->mode != cond->mode || s->optimizer != cond->optimizer ||
                 s->recompute != cond->recompute))
        s = s->next;
    if (!s) {
        if (ec_network_bytes(l) > EC_NETWORKS_MAX_BYTES) /* a giant: one step of it at a time */
            drop_steps(l);
        EC_PASS(ec_compute_check(err));
        EC_PASS(add_step(l, cond, &s, err));
    }
    *ret = &s->step;
    return EC_OK;
}

enum ec_status ec_network_step_apart(struct ec_network *l, const struct ec_conditions *cond,
                                     const struct ec_step **ret, struct ec_err *err)
{
    enum ec_status st = EC_OK;

    if (!l->apart.n || !ec_conditions_equal(&l->apart_cond, cond)) {
        ec_step_clear(&l->apart);
        EC_TRY(ec_step_build(l->graph, cond, &l->apart, err));
        l->apart_cond = *cond;
    }
    *ret = &l->apart;
out:
    if (st)
        ec_step_clear(&l->apart);
    return st;
}

enum ec_status ec_network_memory(struct ec_network *l, const struct ec_conditions *cond,
                                 struct ec_memory *ret, struct ec_err *err)
{
    unsigned i, at = l->n_memories % EC_NETWORK_MEMORIES;

    for (i = 0; i < l->n_memories && i < EC_NETWORK_MEMORIES; i++)
        if (ec_conditions_equal(&l->memory[i].cond, cond)) {
            *ret = l->memory[i].memory;
            return EC_OK;
        }
    EC_PASS(ec_compute_check(err));
    EC_PASS(ec_cost_memory(l->graph, cond, ret, err));
    l->memory[at].cond = *cond;
    l->memory[at].memory = *ret;
    l->n_memories++;
    return EC_OK;
}

enum ec_status ec_network_blocks(struct ec_network *l, struct ec_blocks *ret, struct ec_err *err)
{
    if (!l->has_blocks)
        EC_PASS(ec_blocks_find(l->graph, &l->blocks, err));
    l->has_blocks = true;
    *ret = l->blocks;
    return EC_OK;
}

static bool is_divided_so(const struct ec_network_ranks *r, const struct ec_division *d)
{
    return r->partition && r->division.tensor == d->tensor && r->division.context == d->context &&
           r->division.expert == d->expert && r->division.sequence == d->sequence;
}

enum ec_status ec_network_divide(struct ec_network *l, const struct ec_division *d,
                                 struct ec_err *err)
{
    if (is_divided_so(&l->ranks, d))
        return EC_OK;
    drop_ranks(&l->ranks);
    l->ranks.division = *d;
    return ec_partition_new(l->graph, d, &l->ranks.partition, err);
}

static enum ec_status keep_stages(struct ec_network *l, const struct ec_conditions *cond,
                                  const int *part, int stages, struct ec_err *err)
{
    struct ec_network_ranks *r = &l->ranks;
    size_t bytes = sizeof *part * (size_t)l->graph->n_nodes;

    if (r->stages == stages && ec_conditions_equal(&r->cond, cond) && !memcmp(r->part, part, bytes))
        return EC_OK;
    drop_stages(r);
    r->part = ec_alloc(bytes);
    r->stage = ec_alloc(sizeof *r->stage * (size_t)stages);
    EC_PASS(ec_allocated(r->part && r->stage, err));
    memcpy(r->part, part, bytes);
    r->cond = *cond;
    r->stages = stages;
    return EC_OK;
}

/* Software that divides a network has experts of its own, not those that PyTorch composes. */
static void take_own_experts(const struct ec_network_ranks *r, struct ec_step *s)
{
    int i;

    if (r->division.tensor <= 1 && r->division.expert <= 1 && r->stages <= 1)
        return;
    for (i = 0; i < s->n; i++)
        if (s->kernel[i].flags & EC_KF_GROUPED)
            s->kernel[i].flags &= ~(unsigned)EC_KF_COMPOSED;
}

static enum ec_status find_rank(struct ec_network *l, int stage, struct ec_rank_work *ret,
                                struct ec_err *err)
{
    const struct ec_network_ranks *r = &l->ranks;
    struct ec_conditions cond = r->cond;
    struct ec_rank_work w = { .known = true };
    struct ec_blocks blocks;
    enum ec_status st;

    cond.optimizer = EC_OPT_none; /* the update is apart */
    EC_TRY(ec_network_blocks(l, &blocks, err));
    EC_TRY(ec_partition_rank(r->partition, r->part, stage, r->stages, &blocks, &w.rank, err));
    EC_TRY(ec_step_build(w.rank.graph, &cond, &w.step, err));
    take_own_experts(r, &w.step);
    EC_TRY(ec_step_merge(&w.step, err));
    EC_TRY(ec_cost_memory(w.rank.graph, &r->cond, &w.memory, err));
    *ret = w;
    ret->rank.graph = NULL;
    memset(&w.step, 0, sizeof w.step);
out:
    ec_graph_free(w.rank.graph);
    ec_step_clear(&w.step);
    return st;
}

enum ec_status ec_network_rank(struct ec_network *l, const struct ec_conditions *cond,
                               const int *part, int stages, int stage,
                               const struct ec_rank_work **ret, struct ec_err *err)
{
    struct ec_rank_work *w;

    EC_PASS(keep_stages(l, cond, part, stages, err));
    w = &l->ranks.stage[stage];
    if (!w->known)
        EC_PASS(find_rank(l, stage, w, err));
    *ret = w;
    return EC_OK;
}
