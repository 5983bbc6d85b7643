/* Convolution and transposed convolution of one to three spatial dimensions.
 *
 * The library chooses the layouts of the forward pass; the weights take that one for good, so that
 * a step converts nothing. Backward is asked for the same layouts first, and for its own choice
 * with a conversion only where that would leave it without a fast implementation. In bfloat16 the
 * master weights have the layout of their gradient, and forward converts them into the workspace.
 */
#include "engine/cpu/conv.h"

#include <string.h>

/* Dimensions as oneDNN has them, (g) out in filter..., over the graph's row-major weight: that is
 * (out, in / g, filter), transposed (in, out / g, filter). */
static void weight_layout(struct ec__conv *v)
{
    const struct ec_case *c = v->b->k->c;
    const int64_t g = ec_case_int(c, "groups"), in = c->in[0]->shape.d[1] / g;
    const int64_t out = c->out[0]->shape.d[1] / g;
    int64_t s[EC_DNNL_RANK_MAX], taps = 1;
    int i, n = 0;

    for (i = 0; i < v->win.dims; i++)
        taps *= v->win.filter[i];
    if (g > 1) {
        v->w_dims[n] = g;
        s[n++] = out * in * taps;
    }
    v->w_dims[n] = out;
    s[n++] = v->transposed ? taps : in * taps;
    v->w_dims[n] = in;
    s[n++] = v->transposed ? out * taps : taps;
    for (i = 0; i < v->win.dims; i++) {
        taps /= v->win.filter[i];
        v->w_dims[n] = v->win.filter[i];
        s[n++] = taps;
    }
    v->w_rank = n;
    v->w_plain =
        ec__need(v->b, ec__md_strided(v->b->cpu->lib, v->b->k->arena, EC_DT_f32, n, v->w_dims, s));
}

static const struct ec__md *any_of(struct ec__conv *v, enum ec_dtype t, const struct ec_shape *s)
{
    return ec__need(v->b, ec__md_any(v->b->cpu->lib, v->b->k->arena, t, s->rank, s->d));
}

static const struct ec__md *any_weight(struct ec__conv *v, enum ec_dtype t)
{
    return ec__need(v->b, ec__md_any(v->b->cpu->lib, v->b->k->arena, t, v->w_rank, v->w_dims));
}

static struct ec__prim_spec spec_of(const struct ec__conv *v, enum ec__pass pass)
{
    struct ec__prim_spec s = { .algo = v->transposed ? EC__DECONV : EC__CONV,
                               .pass = pass,
                               .win = &v->win,
                               .bias = v->has_bias ? v->bias_md : NULL };

    s.hint = v->fwd;
    return s;
}

static bool is_fast(struct ec__conv *v, const struct ec__prim *p)
{
    const char *impl = p ? ec__prim_impl(v->b->cpu->lib, p) : "ref";

    return strncmp(impl, "ref", 3) != 0 && strncmp(impl, "gemm", 4) != 0;
}

static bool is_slowest(struct ec__conv *v, const struct ec__prim *p)
{
    return !p || !strncmp(ec__prim_impl(v->b->cpu->lib, p), "ref", 3);
}

/* Nothing given but the shapes: for those whose layouts at hand only the reference takes, a hundred
 * times slower than converting (gradients of inputs of few channels). */
static struct ec__prim *free_prim(struct ec__conv *v, const struct ec__prim_spec *given)
{
    struct ec__prim_spec s = *given;
    const struct ec_knode *k = v->b->k;

    s.src = any_of(v, k->compute, &k->c->in[0]->shape);
    s.dst = any_of(v, k->compute, &k->c->out[0]->shape);
    return ec__try(v->b, &s);
}

/* Backward with the weight's layout fixed, or with the library's choice where only that is fast. */
static struct ec__prim *backward_prim(struct ec__conv *v, struct ec__prim_spec *s)
{
    struct ec__prim *fixed, *free_choice;

    s->weights = v->w.md;
    fixed = ec__try(v->b, s);
    if (is_fast(v, fixed))
        return fixed;
    s->weights = any_weight(v, ec__md_dtype(v->w.md));
    free_choice = ec__try(v->b, s);
    if (is_slowest(v, fixed) && is_slowest(v, free_choice)) {
        struct ec__prim *free_all = free_prim(v, s);

        if (!is_slowest(v, free_all))
            return free_all;
    }
    if (free_choice && (!fixed || is_fast(v, free_choice)))
        return free_choice;
    if (!fixed)
        ec__build_fail(v->b, EC_E_UNSUPPORTED, "oneDNN has no backward pass for it");
    return fixed;
}

/* In lower precision the gradient of the weight is float32 in a layout of its own, which the master
 * takes. */
static const struct ec__md *master_layout(struct ec__conv *v, const struct ec__md *src,
                                          const struct ec__md *dst)
{
    struct ec__prim_spec s = spec_of(v, EC__BWD_WEIGHTS);
    struct ec__prim *p;

    s.src = src;
    s.dst = dst;
    s.weights = any_weight(v, EC_DT_f32);
    p = ec__try(v->b, &s);
    return p ? ec__md_of(v->b, p, DNNL_ARG_DIFF_WEIGHTS) : NULL;
}

static void forward(struct ec__conv *v)
{
    struct ec__build *b = v->b;
    struct ec_knode *k = b->k;
    struct ec__prim_spec s = spec_of(v, k->training ? EC__FWD : EC__FWD_INFER);
    const struct ec__md *want = NULL, *w_md;
    struct ec__buf w;

    ec__build_phase(b, EC_FORWARD);
    s.src = any_of(v, k->compute, &k->c->in[0]->shape);
    s.dst = any_of(v, k->compute, &k->c->out[0]->shape);
    s.weights = any_weight(v, k->compute);
    s.relu = k->fuse == EC_FUSE_RELU;
    v->fwd = ec__make(b, &s);
    if (b->st)
        return;
    b->impl = ec_arena_str(k->arena, ec__prim_impl(b->cpu->lib, v->fwd));
    ec__choose_out(b, 0, ec__md_of(b, v->fwd, DNNL_ARG_DST));
    v->y = ec__at_out(b, 0);
    w_md = ec__md_of(b, v->fwd, DNNL_ARG_WEIGHTS);
    if (!v->lower)
        want = w_md;
    else if (k->training)
        want = master_layout(v, ec__md_of(b, v->fwd, DNNL_ARG_SRC), v->y.md);
    v->w = ec__at_param(b, 0, v->w_plain, want);
    if (v->has_bias)
        v->bias = ec__at_param(b, 1, v->bias_md, NULL);
    v->x = ec__as(b, ec__at_in(b, 0), ec__md_of(b, v->fwd, DNNL_ARG_SRC),
                  k->training && k->want_d_param[0]);
    w = ec__as(b, v->w, w_md, k->training);
    ec__arg(b, DNNL_ARG_SRC, v->x.place);
    ec__arg(b, DNNL_ARG_WEIGHTS, w.place);
    ec__arg(b, DNNL_ARG_BIAS, v->bias.place);
    ec__arg(b, DNNL_ARG_DST, v->y.place);
    ec__call(b, v->fwd);
    if (v->lower)
        v->w = w;
}

static void backward_data(struct ec__conv *v)
{
    struct ec__build *b = v->b;
    struct ec__prim_spec s = spec_of(v, EC__BWD_DATA);
    struct ec__buf dx, dy, w, to;
    struct ec__prim *p;

    ec__build_phase(b, EC_GRAD_DATA);
    s.src = v->x.md;
    s.dst = v->y.md;
    s.bias = NULL;
    p = backward_prim(v, &s);
    if (b->st)
        return;
    dy = ec__as(b, ec__at_d_out(b, 0), ec__md_of(b, p, DNNL_ARG_DIFF_DST), false);
    to = ec__at_d_in(b, 0);
    w = ec__as(b, v->w, ec__md_of(b, p, DNNL_ARG_WEIGHTS), false);
    dx = ec__stage(b, to, ec__md_of(b, p, DNNL_ARG_DIFF_SRC));
    ec__arg(b, DNNL_ARG_DIFF_DST, dy.place);
    ec__arg(b, DNNL_ARG_WEIGHTS, w.place);
    ec__arg(b, DNNL_ARG_DIFF_SRC, dx.place);
    ec__call(b, p);
    ec__deliver(b, dx, to);
}

/* master: the parameter as the optimizer sees it */
static void backward_weights(struct ec__conv *v, struct ec__buf master)
{
    struct ec__build *b = v->b;
    struct ec_knode *k = b->k;
    bool want_bias = v->has_bias && k->want_d_param[1];
    struct ec__prim_spec s = spec_of(v, EC__BWD_WEIGHTS);
    struct ec__buf x, dy, dw, to, used = v->w;
    struct ec__prim *p;

    ec__build_phase(b, EC_GRAD_WEIGHT);
    if (ec__depthwise_backward(v, &master))
        return;
    s.src = v->x.md;
    s.dst = v->y.md;
    s.bias = want_bias ? v->bias_md : NULL;
    v->w = master;
    p = backward_prim(v, &s);
    v->w = used;
    if (b->st)
        return;
    x = ec__as(b, v->x, ec__md_of(b, p, DNNL_ARG_SRC), false);
    dy = ec__as(b, ec__at_d_out(b, 0), ec__md_of(b, p, DNNL_ARG_DIFF_DST), false);
    to = ec__at_d_param(b, 0, &master);
    dw = ec__stage(b, to, ec__md_of(b, p, DNNL_ARG_DIFF_WEIGHTS));
    if (!k->want_d_param[0])
        dw.place = ec__scratch(b, ec__md_bytes(b->cpu->lib, dw.md));
    ec__arg(b, DNNL_ARG_SRC, x.place);
    ec__arg(b, DNNL_ARG_DIFF_DST, dy.place);
    ec__arg(b, DNNL_ARG_DIFF_WEIGHTS, dw.place);
    ec__arg(b, DNNL_ARG_DIFF_BIAS, ec__place_at(want_bias ? EC__D_PARAM : EC__NOWHERE, 1));
    ec__call(b, p);
    if (k->want_d_param[0])
        ec__deliver(b, dw, to);
    k->keep_in[0] = v->x.place.kind == EC__IN;
}

void ec__conv_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct ec__conv v = { .b = b };
    struct ec__buf master;

    v.transposed = ec_case_has(k->c, "out_pad");
    v.has_bias = k->n_param > 1;
    v.lower = k->compute != EC_DT_f32;
    ec__window_of(k->c, v.transposed, &v.win);
    weight_layout(&v);
    v.bias_md = ec__plain(b, EC_DT_f32, 1, &k->c->out[0]->shape.d[1]);
    forward(&v);
    if (b->st)
        return;
    master = ec__at_param(b, 0, v.w_plain, NULL);
    if (k->training && k->want_d_in[0])
        backward_data(&v);
    if (k->training && (k->want_d_param[0] || (v.has_bias && k->want_d_param[1])))
        backward_weights(&v, master);
    k->split_backward = true;
}
