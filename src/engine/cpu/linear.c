/* Linear layer as an inner product: rows are plain, the weight has the library's layout. */
#include "engine/cpu/cpu_internal.h"

#include <string.h>

struct linear {
    struct ec__build *b;
    bool has_bias;
    int64_t rows, in, out;
    const struct ec__md *x_md, *y_md, *w_plain, *bias_md;
    struct ec__buf x, w, used, bias; /* used: w in the type that is computed in */
    struct ec__prim *fwd;
};

static struct ec__prim_spec spec_of(const struct linear *v, enum ec__pass pass)
{
    struct ec__prim_spec s = {
        .algo = EC__INNER_PRODUCT, .pass = pass, .src = v->x_md, .dst = v->y_md, .hint = v->fwd
    };

    return s;
}

static const struct ec__md *any_weight(struct linear *v, enum ec_dtype t)
{
    const int64_t dims[] = { v->out, v->in };

    return ec__need(v->b, ec__md_any(v->b->cpu->lib, v->b->k->arena, t, 2, dims));
}

static struct ec__prim *backward_prim(struct linear *v, struct ec__prim_spec *s,
                                      const struct ec__md *weight)
{
    struct ec__prim *p;

    s->weights = weight;
    p = ec__try(v->b, s);
    if (p)
        return p;
    s->weights = any_weight(v, ec__md_dtype(weight));
    return ec__make(v->b, s);
}

static void forward(struct linear *v)
{
    struct ec__build *b = v->b;
    struct ec_knode *k = b->k;
    struct ec__prim_spec s = spec_of(v, k->training ? EC__FWD : EC__FWD_INFER);
    const struct ec__md *w_md;

    ec__build_phase(b, EC_FORWARD);
    s.bias = v->has_bias ? v->bias_md : NULL;
    s.relu = k->fuse == EC_FUSE_RELU;
    s.weights = any_weight(v, k->compute);
    v->fwd = ec__make(b, &s);
    if (b->st)
        return;
    b->impl = ec_arena_str(k->arena, ec__prim_impl(b->cpu->lib, v->fwd));
    w_md = ec__md_of(b, v->fwd, DNNL_ARG_WEIGHTS);
    v->w = ec__at_param(b, 0, v->w_plain, k->compute == EC_DT_f32 ? w_md : NULL);
    v->bias = v->has_bias ? ec__at_param(b, 1, v->bias_md, NULL) : v->bias;
    v->x = ec__as(b, ec__at_in(b, 0), NULL, false);
    v->x.md = v->x_md;
    v->used = ec__as(b, v->w, w_md, k->training);
    ec__arg(b, DNNL_ARG_SRC, v->x.place);
    ec__arg(b, DNNL_ARG_WEIGHTS, v->used.place);
    ec__arg(b, DNNL_ARG_BIAS, v->bias.place);
    ec__arg(b, DNNL_ARG_DST, ec__place_at(EC__OUT, 0));
    ec__call(b, v->fwd);
}

static void backward_data(struct linear *v)
{
    struct ec__build *b = v->b;
    struct ec__prim_spec s = spec_of(v, EC__BWD_DATA);
    struct ec__prim *p;
    struct ec__buf w;

    ec__build_phase(b, EC_GRAD_DATA);
    p = backward_prim(v, &s, v->used.md);
    if (b->st)
        return;
    w = ec__as(b, v->used, ec__md_of(b, p, DNNL_ARG_WEIGHTS), false);
    ec__arg(b, DNNL_ARG_DIFF_DST, ec__place_at(EC__D_OUT, 0));
    ec__arg(b, DNNL_ARG_WEIGHTS, w.place);
    ec__arg(b, DNNL_ARG_DIFF_SRC, ec__place_at(EC__D_IN, 0));
    ec__call(b, p);
}

static void backward_weights(struct linear *v)
{
    struct ec__build *b = v->b;
    struct ec_knode *k = b->k;
    bool want_bias = v->has_bias && k->want_d_param[1];
    struct ec__prim_spec s = spec_of(v, EC__BWD_WEIGHTS);
    struct ec__buf dw, to;
    struct ec__prim *p;

    ec__build_phase(b, EC_GRAD_WEIGHT);
    s.bias = want_bias ? v->bias_md : NULL;
    p = backward_prim(v, &s, v->w.md);
    if (b->st)
        return;
    to = ec__at_d_param(b, 0, &v->w);
    dw = ec__stage(b, to, ec__md_of(b, p, DNNL_ARG_DIFF_WEIGHTS));
    if (!k->want_d_param[0])
        dw.place = ec__scratch(b, ec__md_bytes(b->cpu->lib, dw.md));
    ec__arg(b, DNNL_ARG_SRC, v->x.place);
    ec__arg(b, DNNL_ARG_DIFF_DST, ec__place_at(EC__D_OUT, 0));
    ec__arg(b, DNNL_ARG_DIFF_WEIGHTS, dw.place);
    ec__arg(b, DNNL_ARG_DIFF_BIAS, ec__place_at(want_bias ? EC__D_PARAM : EC__NOWHERE, 1));
    ec__call(b, p);
    if (k->want_d_param[0])
        ec__deliver(b, dw, to);
    k->keep_in[0] = true;
}

/* All leading dimensions are rows. */
static void sizes(struct linear *v)
{
    struct ec__build *b = v->b;
    const struct ec_case *c = b->k->c;
    const struct ec_shape *x = &c->in[0]->shape;

    v->has_bias = b->k->n_param > 1;
    v->in = x->d[x->rank - 1];
    v->out = c->out[0]->shape.d[x->rank - 1];
    v->rows = v->in ? ec__elems(c->in[0]) / v->in : 0;
    if (b->k->in_fmt[0] || !v->rows)
        ec__build_fail(b, EC_E_UNSUPPORTED, "rows that are not plain");
    v->x_md = ec__plain(b, b->k->compute, 2, (const int64_t[]){ v->rows, v->in });
    v->y_md = ec__plain(b, b->k->compute, 2, (const int64_t[]){ v->rows, v->out });
    v->w_plain = ec__plain(b, EC_DT_f32, 2, (const int64_t[]){ v->out, v->in });
    v->bias_md = ec__plain(b, EC_DT_f32, 1, &v->out);
}

enum ec_status ec__linear_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    struct ec__build b;
    struct linear v = { .b = &b };

    ec__build_begin(&b, ctx, k, err);
    sizes(&v);
    if (!b.st)
        forward(&v);
    if (!b.st && k->training && k->want_d_in[0])
        backward_data(&v);
    if (!b.st && k->training && (k->want_d_param[0] || (v.has_bias && k->want_d_param[1])))
        backward_weights(&v);
    k->split_backward = true;
    return ec__build_end(&b);
}
