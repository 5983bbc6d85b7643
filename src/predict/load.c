/* Loaded networks: a cache keyed by everything that shapes the graph. */
#include "predict/gp.h"
#include "predict/learned.h"
#include "predict/predict_internal.h"
#include "predict/relatives.h"

#include <string.h>

static void drop_steps(struct ec_loaded *l)
{
    int m, o;

    for (m = 0; m < EC_MODE_COUNT; m++)
        for (o = 0; o < EC_OPT_COUNT; o++)
            ec_step_clear(&l->step[m][o]);
    memset(l->have, 0, sizeof l->have);
}

static void loaded_free(struct ec_loaded *l)
{
    if (!l)
        return;
    drop_steps(l);
    ec_graph_free(l->graph);
    ec_free(l->key);
    ec_free(l);
}

void ec_predictor_free(struct ec_predictor *p)
{
    int i;

    if (!p)
        return;
    for (i = 0; i < p->n_cache; i++)
        loaded_free(p->cache[i]);
    ec_buf_clear(&p->key);
    ec_arena_clear(&p->scratch);
    ec_free(p->kept_targets);
    ec_free(p->profile);
    ec_gp_free(p->residuals);
    ec_relatives_free(p->relatives);
    ec_layers_free(p->layers);
    ec_learned_free(p->learned);
    if (p->shipped_domain)
        ec_domain_clear(p->shipped_domain);
    ec_free(p->shipped_domain);
    ec_free(p);
}

/* A predictor file from before ranges were kept has those that ship beside it. */
static enum ec_status load_domain(struct ec_predictor *p, struct ec_err *err)
{
    const char *text;
    size_t len;

    if (p->learned->domain.n) {
        p->domain = &p->learned->domain;
        return EC_OK;
    }
    p->shipped_domain = ec_alloc(sizeof *p->shipped_domain);
    if (!p->shipped_domain)
        return ec_nomem(err);
    p->domain = p->shipped_domain;
    ec__domain_shipped(&text, &len);
    return ec_domain_parse(text, len, p->shipped_domain, err);
}

enum ec_status ec_predictor_new(struct ec_predictor **ret, struct ec_err *err)
{
    struct ec_predictor *p = ec_alloc(sizeof *p);
    enum ec_status st;

    if (!p)
        return ec_nomem(err);
    p->fitted = ec__fitted();
    EC_TRY(ec_learned_open_shipped(&p->learned, err));
    EC_TRY(load_domain(p, err));
    *ret = p;
    p = NULL;
out:
    ec_predictor_free(p);
    return st;
}

static enum ec_status load_new(const char *key, const char *model, const struct ec_predict_opts *o,
                               struct ec_loaded **ret, struct ec_err *err)
{
    struct ec_graph_opts g = {
        .struct_size = sizeof g,
        .batch = o->batch,
        .seq_len = o->seq_len,
        .image_px = o->image,
        .classes = o->classes,
        .as_exported = o->as_exported,
    };
    struct ec_loaded *l = ec_alloc(sizeof *l);
    enum ec_status st = EC_OK;
    size_t size = strlen(key) + 1;

    if (!l)
        return ec_nomem(err);
    l->key = ec_alloc(size);
    if (!l->key)
        EC_TRY(ec_nomem(err));
    memcpy(l->key, key, size);
    EC_TRY(ec_graph_open(model, &g, &l->graph, err));
    l->bytes = l->graph->arena.used_bytes;
    *ret = l;
    l = NULL;
out:
    loaded_free(l);
    return st;
}

static int least_used(const struct ec_predictor *p)
{
    int i, worst = 0;

    for (i = 1; i < p->n_cache; i++)
        if (p->cache[i]->used < p->cache[worst]->used)
            worst = i;
    return worst;
}

static size_t cache_bytes(const struct ec_predictor *p)
{
    size_t sum = 0;
    int i;

    for (i = 0; i < p->n_cache; i++)
        sum += p->cache[i]->bytes;
    return sum;
}

/* Takes the network; what was not used longest makes room. */
static void keep(struct ec_predictor *p, struct ec_loaded *l)
{
    int worst;

    while (p->n_cache == EC_CACHE_MAX ||
           (p->n_cache && cache_bytes(p) + l->bytes > EC_CACHE_MAX_BYTES)) {
        worst = least_used(p);
        loaded_free(p->cache[worst]);
        p->cache[worst] = p->cache[--p->n_cache];
    }
    p->cache[p->n_cache++] = l;
}

enum ec_status ec__load(struct ec_predictor *p, const char *model, const struct ec_predict_opts *o,
                        struct ec_loaded **ret, struct ec_err *err)
{
    enum ec_status st;
    struct ec_loaded *l = NULL;
    int i;

    ec_buf_reset(&p->key);
    ec_buf_printf(&p->key, "%s|%lld|%lld|%lld|%lld|%d", model, (long long)o->batch,
                  (long long)o->seq_len, (long long)o->image, (long long)o->classes,
                  o->as_exported);
    EC_TRY(ec_buf_status(&p->key, err));
    for (i = 0; i < p->n_cache; i++)
        if (ec_str_eq(p->cache[i]->key, p->key.data)) {
            p->cache[i]->used = ++p->clock;
            *ret = p->cache[i];
            return EC_OK;
        }
    EC_TRY(load_new(p->key.data, model, o, &l, err));
    keep(p, l);
    l->used = ++p->clock;
    *ret = l;
out:
    return st;
}

enum ec_status ec__loaded_step(struct ec_loaded *l, enum ec_mode mode, enum ec_optimizer opt,
                               const struct ec_step **ret, struct ec_err *err)
{
    struct ec_step *s = &l->step[mode][opt], built = { 0 };
    enum ec_status st = EC_OK;

    if (!l->have[mode][opt]) {
        if (l->bytes > EC_CACHE_MAX_BYTES) { /* a giant: one step of it at a time */
            drop_steps(l);
            l->bytes = l->graph->arena.used_bytes;
        }
        EC_TRY(ec_step_build(l->graph, mode, opt, &built, err));
        EC_TRY(ec_step_merge(&built, err));
        *s = built;
        memset(&built, 0, sizeof built);
        l->bytes += (size_t)s->cap * sizeof *s->kernel;
    }
    l->have[mode][opt] = true;
    *ret = s;
out:
    ec_step_clear(&built);
    return st;
}
