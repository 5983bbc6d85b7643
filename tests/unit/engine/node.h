/* One operator on a backend whose values are all plain, without a program: prepared as the contract
 * asks, its buffers kept by the harshest reading of it. What backward has not asked to keep is not
 * there, scratch and what is to be written are full of NaN. */
#ifndef ENGINE_NODE_H
#define ENGINE_NODE_H

#include "engine/backend.h"
#include "test.h"

#define NODE_IN_MAX 16
#define NODE_OUT_MAX 16

struct node {
    const char *text;
    struct ec_owned_case oc;
    struct ec_param_list params;
    struct ec_type param_types[EC_PARAM_MAX];
    const struct ec_type *param_type[EC_PARAM_MAX];
    bool want_d_param[EC_PARAM_MAX];
    bool want_d_in[NODE_IN_MAX], has_d_out[NODE_OUT_MAX];
    bool keep_in[NODE_IN_MAX], keep_out[NODE_OUT_MAX];
    const struct ec_fmt *in_fmt[NODE_IN_MAX], *out_fmt[NODE_OUT_MAX], *param_fmt[EC_PARAM_MAX];
    struct ec_arena arena;
    const struct ec_kernel_row *row;
    struct ec_knode k;
    struct ec_ctx *ctx;
    void *in[NODE_IN_MAX], *out[NODE_OUT_MAX], *d_out[NODE_OUT_MAX], *d_in[NODE_IN_MAX];
    void *param[EC_PARAM_MAX], *d_param[EC_PARAM_MAX], *ws, *scratch;
    uint64_t seed;
};

static inline struct ec_ctx *node_backend(const char *name)
{
    struct ec_engine_opts opts = { .backend = name };
    struct ec_err err = { 0 };
    struct ec_ctx *ctx = NULL;

    CHECK_OK(ec_engine_open(&opts, &ctx, &err));
    return ctx;
}

static inline bool node_is_64(const struct node *n)
{
    return n->k.compute == EC_DT_f64;
}

static inline int64_t node_elems(const struct ec_type *t)
{
    int64_t n = 0;

    (void)ec_shape_count(&t->shape, &n);
    return n;
}

static inline int64_t node_elem_bytes(const struct node *n, const struct ec_type *t)
{
    return ec_dtype_bytes(ec_dtype_is_float(t->dtype) ? n->k.compute : t->dtype);
}

static inline int64_t node_bytes(const struct node *n, const struct ec_type *t)
{
    return node_elems(t) * node_elem_bytes(n, t);
}

/* Element i of a float buffer, or of one of whole numbers. */
static inline double node_get(const struct node *n, const struct ec_type *t, const void *p,
                              int64_t i)
{
    if (t->dtype == EC_DT_i64)
        return (double)((const int64_t *)p)[i];
    if (!ec_dtype_is_float(t->dtype))
        return t->dtype == EC_DT_i32 ? ((const int32_t *)p)[i] : ((const unsigned char *)p)[i];
    return node_is_64(n) ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static inline void node_set(const struct node *n, const struct ec_type *t, void *p, int64_t i,
                            double v)
{
    if (t->dtype == EC_DT_i64)
        ((int64_t *)p)[i] = (int64_t)v;
    else if (t->dtype == EC_DT_i32)
        ((int32_t *)p)[i] = (int32_t)v;
    else if (!ec_dtype_is_float(t->dtype))
        ((unsigned char *)p)[i] = (unsigned char)v;
    else if (node_is_64(n))
        ((double *)p)[i] = v;
    else
        ((float *)p)[i] = (float)v;
}

/* Full of NaN (and of -1): what is not written shows. */
static inline void *node_poisoned(int64_t bytes)
{
    void *p = ec_alloc((size_t)bytes + 1);

    if (p)
        memset(p, 0xff, (size_t)bytes);
    return p;
}

static inline const struct ec_kernel_row *node_row(const struct ec_ctx *ctx, const char *op)
{
    const struct ec_kernel_row *r = ctx->backend->rows;

    while (r->op && strcmp(r->op, op) != 0 && strcmp(r->op, "*") != 0)
        r++;
    return r->op ? r : NULL;
}

/* Inputs that hold indices: how many there are to choose from; 0: not one. */
static inline int64_t node_index_range(const struct ec_case *c, int input)
{
    const char *op = c->op->name;

    if (input == 0 && !strcmp(op, "embedding"))
        return ec_case_int(c, "num");
    if (input == 0 && !strcmp(op, "one_hot"))
        return ec_case_int(c, "depth");
    if (input == 1 && (!strcmp(op, "gather") || !strcmp(op, "gather_elements")))
        return c->in[0]->shape.d[ec_case_axis(c)];
    return 0;
}

static inline void node_wants(struct node *n, bool gradients)
{
    const struct ec_case *c = &n->oc.c;
    int i;

    for (i = 0; i < c->n_in; i++)
        n->want_d_in[i] = gradients && ec_dtype_is_float(c->in[i]->dtype) &&
                          node_index_range(c, i) == 0 && !(c->op->flags & EC_OPF_NO_GRAD);
    for (i = 0; i < c->n_out; i++)
        n->has_d_out[i] = gradients && ec_dtype_is_float(c->out[i]->dtype);
    for (i = 0; i < n->params.n; i++)
        n->want_d_param[i] = gradients && n->params.p[i].trainable;
}

static inline void node_fill_k(struct node *n, bool training)
{
    struct ec_knode k = { .c = &n->oc.c,
                          .n_param = n->params.n,
                          .param_type = n->param_type,
                          .training = training,
                          .want_d_in = n->want_d_in,
                          .want_d_param = n->want_d_param,
                          .has_d_out = n->has_d_out,
                          .threads = 1,
                          .arena = &n->arena,
                          .in_fmt = n->in_fmt,
                          .out_fmt = n->out_fmt,
                          .param_fmt = n->param_fmt,
                          .keep_in = n->keep_in,
                          .keep_out = n->keep_out,
                          .in_place = -1,
                          .d_in_place = -1 };

    k.compute = k.param_dtype = !strcmp(ec_engine_name(n->ctx), "ref64") ? EC_DT_f64 : EC_DT_f32;
    n->k = k;
}

static inline void node_alloc(struct node *n)
{
    const struct ec_case *c = &n->oc.c;
    int i;

    for (i = 0; i < c->n_in; i++) {
        n->in[i] = node_poisoned(node_bytes(n, c->in[i]));
        n->d_in[i] = n->want_d_in[i] ? node_poisoned(node_bytes(n, c->in[i])) : NULL;
    }
    for (i = 0; i < c->n_out; i++) {
        n->out[i] = node_poisoned(node_bytes(n, c->out[i]));
        n->d_out[i] = n->has_d_out[i] ? node_poisoned(node_bytes(n, c->out[i])) : NULL;
    }
    for (i = 0; i < n->params.n; i++) {
        n->param[i] = node_poisoned(node_bytes(n, n->param_type[i]));
        n->d_param[i] = n->want_d_param[i] ? node_poisoned(node_bytes(n, n->param_type[i])) : NULL;
    }
    n->ws = node_poisoned(n->k.ws_bytes);
    n->scratch = node_poisoned(n->k.scratch_bytes);
}

/* Parses and prepares. Errors as those of the two; node_close in any case. */
static inline enum ec_status node_prepare(struct node *n, struct ec_ctx *ctx, const char *text,
                                          bool training, struct ec_err *err)
{
    enum ec_status st;
    int i;

    memset(n, 0, sizeof *n);
    n->text = text;
    n->ctx = ctx;
    n->seed = 1;
    EC_TRY(ec_case_parse(text, &n->oc, err));
    if (n->oc.c.n_in > NODE_IN_MAX || n->oc.c.n_out > NODE_OUT_MAX)
        return ec_fail(err, EC_E_INPUT, "%s: too many inputs or outputs for a test", text);
    n->row = node_row(ctx, n->oc.c.op->name);
    if (!n->row)
        return ec_fail(err, EC_E_UNSUPPORTED, "%s has no kernel", n->oc.c.op->name);
    if (n->oc.c.op->params)
        n->oc.c.op->params(&n->oc.c, &n->params);
    for (i = 0; i < n->params.n; i++) {
        n->param_types[i] = (struct ec_type){ n->params.p[i].shape, EC_DT_f32 };
        n->param_type[i] = &n->param_types[i];
    }
    node_wants(n, training);
    node_fill_k(n, training);
    EC_TRY(n->row->prepare(ctx, &n->k, err));
out:
    return st;
}

static inline bool node_open(struct node *n, struct ec_ctx *ctx, const char *text, bool training)
{
    struct ec_err err = { 0 };

    if (node_prepare(n, ctx, text, training, &err)) {
        test_fail(__FILE__, __LINE__, "%s: %s", text, err.text);
        return false;
    }
    node_alloc(n);
    return true;
}

static inline void node_close(struct node *n)
{
    int i;

    for (i = 0; i < NODE_IN_MAX; i++) {
        ec_free(n->in[i]);
        ec_free(n->d_in[i]);
    }
    for (i = 0; i < NODE_OUT_MAX; i++) {
        ec_free(n->out[i]);
        ec_free(n->d_out[i]);
    }
    for (i = 0; i < EC_PARAM_MAX; i++) {
        ec_free(n->param[i]);
        ec_free(n->d_param[i]);
    }
    ec_free(n->ws);
    ec_free(n->scratch);
    if (n->row && n->row->drop)
        n->row->drop(&n->k);
    ec_arena_clear(&n->arena);
    ec_case_clear(&n->oc);
    memset(n, 0, sizeof *n);
}

static inline void node_poison_scratch(struct node *n)
{
    if (n->k.scratch_bytes)
        memset(n->scratch, 0xff, (size_t)n->k.scratch_bytes);
}

static inline enum ec_status node_run(struct node *n, enum ec_phase p, const struct ec_kargs *a,
                                      struct ec_err *err)
{
    node_poison_scratch(n);
    return n->row->run(n->ctx, &n->k, p, a, err);
}

static inline enum ec_status node_forward(struct node *n, struct ec_err *err)
{
    struct ec_kargs a = { .in = (const void *const *)n->in,
                          .out = n->out,
                          .param = n->param,
                          .ws = n->ws,
                          .scratch = n->scratch,
                          .seed = n->seed };

    return node_run(n, EC_FORWARD, &a, err);
}

/* Only what was asked to be kept is there. */
static inline enum ec_status node_backward(struct node *n, struct ec_err *err)
{
    const void *in[NODE_IN_MAX];
    void *out[NODE_OUT_MAX];
    struct ec_kargs a = { .in = in,
                          .out = out,
                          .d_out = (const void *const *)n->d_out,
                          .d_in = n->d_in,
                          .param = n->param,
                          .d_param = n->d_param,
                          .ws = n->ws,
                          .scratch = n->scratch,
                          .seed = n->seed };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < NODE_IN_MAX; i++)
        in[i] = n->keep_in[i] ? n->in[i] : NULL;
    for (i = 0; i < NODE_OUT_MAX; i++)
        out[i] = n->keep_out[i] ? n->out[i] : NULL;
    if (n->k.split_backward)
        EC_TRY(node_run(n, EC_GRAD_WEIGHT, &a, err));
    EC_TRY(node_run(n, EC_GRAD_DATA, &a, err));
out:
    return st;
}

/* A number that float holds exactly, in +-[0.05, 2], or [0.25, 2.25] when it must be positive. */
static inline double node_draw(struct ec_rng *r, bool positive)
{
    double v = floor(ec_rng_unit(r) * 0x1p20) / 0x1p20;

    if (positive)
        return 0.25 + 2 * v;
    return ec_rng_unit(r) < 0.5 ? -(0.05 + 1.95 * v) : 0.05 + 1.95 * v;
}

static inline void node_fill_buffer(struct node *n, struct ec_rng *r, const struct ec_type *t,
                                    void *p, int64_t range, bool positive)
{
    int64_t i;

    for (i = 0; p && i < node_elems(t); i++) {
        double v = (double)(float)node_draw(r, positive);

        if (range)
            v = (double)ec_rng_range(r, 0, range - 1);
        else if (!ec_dtype_is_float(t->dtype))
            v = (double)ec_rng_range(r, 0, t->dtype == EC_DT_bool ? 1 : 5);
        node_set(n, t, p, i, v);
    }
}

/* The same numbers for a seed, whatever the backend. positive: bit i for input i. */
static inline void node_fill(struct node *n, uint64_t seed, unsigned positive)
{
    const struct ec_case *c = &n->oc.c;
    struct ec_rng r;
    int i;

    ec_rng_seed(&r, seed);
    for (i = 0; i < c->n_in; i++)
        node_fill_buffer(n, &r, c->in[i], n->in[i], node_index_range(c, i), positive & 1u << i);
    for (i = 0; i < c->n_out; i++)
        node_fill_buffer(n, &r, c->out[i], n->d_out[i], 0, false);
    for (i = 0; i < n->params.n; i++)
        node_fill_buffer(n, &r, n->param_type[i], n->param[i], 0,
                         !strcmp(n->params.p[i].role, "running_var"));
}

#endif
