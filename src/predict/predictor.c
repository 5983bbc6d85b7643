/* The predictor: what it keeps from query to query, and the profile in use. */
#include "predict/predict_internal.h"

#define PROFILE_MAX_BYTES ((size_t)1 << 23)

void ec_predictor_free(struct ec_predictor *p)
{
    if (!p)
        return;
    ec_networks_clear(&p->networks);
    ec_arena_clear(&p->scratch);
    ec_buf_clear(&p->answer);
    ec_free(p->kept_targets);
    ec_free(p->profile);
    ec_gp_free(p->residuals);
    ec_layers_free(p->layers);
    ec_learned_free(p->learned);
    if (p->shipped_domain)
        ec_domain_clear(p->shipped_domain);
    ec_free(p->shipped_domain);
    ec_free(p);
}

/* Older predictor files have no ranges; they use the shipped ones. */
static enum ec_status load_domain(struct ec_predictor *p, struct ec_err *err)
{
    const char *text;
    size_t len;

    if (p->learned->domain.n) {
        p->domain = &p->learned->domain;
        return EC_OK;
    }
    p->shipped_domain = ec_alloc(sizeof *p->shipped_domain);
    EC_PASS(ec_allocated(p->shipped_domain, err));
    p->domain = p->shipped_domain;
    ec_domain_shipped(&text, &len);
    return ec_domain_parse(text, len, p->shipped_domain, err);
}

enum ec_status ec_predictor_new(struct ec_predictor **ret, struct ec_err *err)
{
    struct ec_predictor *p;
    enum ec_status st;

    EC_NEED(err, ret);
    p = ec_alloc(sizeof *p);
    EC_PASS(ec_allocated(p, err));
    p->fitted = ec_fitted();
    EC_TRY(ec_learned_open_shipped(&p->learned, err));
    EC_TRY(load_domain(p, err));
    *ret = p;
    p = NULL;
out:
    ec_predictor_free(p);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Networks */

enum ec_status ec__open_network(struct ec_predictor *p, const char *model,
                                const struct ec_predict_opts *o, struct ec_network **ret,
                                struct ec_err *err)
{
    struct ec_graph_opts g = {
        .struct_size = sizeof g,
        .batch = o->batch,
        .seq_len = o->seq_len,
        .image_px = o->image,
        .classes = o->classes,
        .as_exported = o->as_exported,
        .adapter_rank = o->parallel.tuning == EC_TUNING_FULL ? 0 : o->parallel.rank,
        .adapt_attention = o->parallel.targets == EC_TARGETS_ATTENTION,
        .wide_adapters = o->parallel.fp32_adapters && ec__has_halves(o),
        .pack_frozen = o->parallel.tuning == EC_TUNING_QLORA,
    };

    return ec_networks_open(&p->networks, model, &g, ret, err);
}

enum ec_status ec_predictor_network(struct ec_predictor *p, const char *model,
                                    const struct ec_predict_opts *o,
                                    const struct ec_graph **ret_graph,
                                    const struct ec_step **ret_step, struct ec_err *err)
{
    struct ec_network *n = NULL;

    EC_PASS(ec__open_network(p, model, o, &n, err));
    EC_PASS(ec_network_step(n, &o->cond, ret_step, err));
    *ret_graph = n->graph;
    return EC_OK;
}

struct ec_learned *ec_predictor_learned(struct ec_predictor *p)
{
    return p->learned;
}

enum ec_status ec_predictor_place(struct ec_predictor *p, const struct ec_physics_query *q,
                                  bool with_neighbours, struct ec_gp_point *ret, struct ec_err *err)
{
    return ec_query_place(p->fitted, p->learned, &p->neighbours, q, with_neighbours, ret, err);
}

/* ------------------------------------------------------------------------------------------------
 * The profile in use */

static enum ec_status parse_profile(const char *text, size_t len, struct ec_profile *ret,
                                    struct ec_layers **ret_layers, struct ec_err *err)
{
    const struct ec_device *d = NULL;

    EC_PASS(ec_profile_parse(text, len, ret, err));
    EC_PASS(ec_device_find(ret->device, &d, err));
    return ec_profile_parse_layers(text, len, ret_layers, err);
}

/* Removes the residuals of neighbours from a profile that was made with other constants: its
 * neighbours are other devices. */
static void drop_neighbours(const struct ec_predictor *p, struct ec_profile *profile)
{
    char id[EC_PROFILE_TEXT_BYTES];
    int i;

    ec_constants_id(p->fitted, id);
    for (i = 0; i < profile->n_points && !ec_str_eq(id, profile->constants); i++)
        profile->point[i].n_neighbours = 0;
}

/* Takes ownership of all three; NULL: none. */
static void replace_profile(struct ec_predictor *p, struct ec_profile *profile,
                            struct ec_layers *layers, struct ec_gp *residuals)
{
    ec_free(p->profile);
    ec_gp_free(p->residuals);
    ec_layers_free(p->layers);
    p->profile = profile;
    p->residuals = residuals;
    p->layers = layers;
}

/* text NULL: takes the profile away. */
static enum ec_status put_in_use(struct ec_predictor *p, const char *text, size_t len,
                                 struct ec_err *err)
{
    struct ec_profile *profile = NULL;
    struct ec_layers *layers = NULL;
    struct ec_gp *residuals = NULL;
    enum ec_status st = EC_OK;

    if (text) {
        profile = ec_alloc(sizeof *profile);
        EC_PASS(ec_allocated(profile, err));
        EC_TRY(parse_profile(text, len, profile, &layers, err));
        drop_neighbours(p, profile);
        EC_TRY(ec_gp_new(profile->point, profile->n_points, &residuals, err));
    }
    replace_profile(p, profile, layers, residuals);
    profile = NULL;
    layers = NULL;
out:
    ec_layers_free(layers);
    ec_free(profile);
    return st;
}

enum ec_status ec_predictor_use_profile(struct ec_predictor *p, const char *path,
                                        struct ec_err *err)
{
    struct ec_file f = { 0 };
    enum ec_status st = EC_OK;

    EC_NEED(err, p);
    if (path)
        EC_PASS(ec_file_open(path, PROFILE_MAX_BYTES, &f, err)); /* its message names the file */
    EC_TRY(put_in_use(p, path ? (const char *)f.data : NULL, f.len, err));
    p->given = path != NULL;
    p->shipped = NULL;
out:
    if (st)
        ec_err_prefix(err, "%s: ", path);
    ec_file_close(&f);
    return st;
}

enum ec_status ec_predictor_set_profile(struct ec_predictor *p, const struct ec_profile *profile,
                                        struct ec_err *err)
{
    struct ec_profile *own = ec_alloc(sizeof *own);
    struct ec_gp *residuals = NULL;
    enum ec_status st;

    EC_PASS(ec_allocated(own, err));
    EC_TRY(ec_gp_new(profile->point, profile->n_points, &residuals, err));
    *own = *profile;
    replace_profile(p, own, NULL, residuals);
    own = NULL;
    p->given = true;
    p->shipped = NULL;
out:
    ec_free(own);
    return st;
}

enum ec_status ec__shipped_need(struct ec_predictor *p, const char *device,
                                const struct ec_predict_opts *o, struct ec_err *err)
{
    const struct ec_shipped_profile *s;
    enum ec_status st;

    if (p->given)
        return EC_OK;
    s = o->set && *o->set ? NULL : ec_profile_shipped(device, &o->cond);
    if (s == p->shipped)
        return EC_OK;
    EC_TRY(put_in_use(p, s ? s->begin : NULL, s ? (size_t)(s->end - s->begin) : 0, err));
    p->shipped = s;
out:
    if (st)
        ec_err_prefix(err, "the profile of %s that ships: ", device);
    return st;
}

const struct ec_profile *ec_predictor_profile(const struct ec_predictor *p)
{
    return p->profile;
}

const struct ec_profile *ec__profile_of(const struct ec_predictor *p, const char *device)
{
    return p->profile && ec_str_eq(p->profile->device, device) ? p->profile : NULL;
}
