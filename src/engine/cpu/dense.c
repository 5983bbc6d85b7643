/* Products with a weight as oneDNN's inner product, whose weight has the library's layout for good;
 * and products of two values. */
#include "engine/cpu/dense.h"

static struct ec__prim_spec spec_of(const struct ec__dense *d, enum ec__pass pass)
{
    struct ec__prim_spec s = {
        .algo = EC__INNER_PRODUCT, .pass = pass, .src = d->x_md, .dst = d->y_md, .hint = d->fwd
    };

    return s;
}

static const struct ec__md *any_weight(struct ec__dense *d, enum ec_dtype t)
{
    const int64_t dims[] = { d->out, d->in };

    return ec__need(d->b, ec__md_any(d->b->cpu->lib, d->b->k->arena, t, 2, dims));
}

/* With the weight as it lies, or as the library wants it. */
static struct ec__prim *backward_prim(struct ec__dense *d, struct ec__prim_spec *s,
                                      const struct ec__md *weight)
{
    struct ec__prim *p;

    s->weights = weight;
    p = ec__try(d->b, s);
    if (p || d->b->st)
        return p;
    s->weights = any_weight(d, ec__md_dtype(weight));
    return ec__make(d->b, s);
}

void ec__dense_open(struct ec__dense *d)
{
    struct ec__build *b = d->b;
    bool keeps = d->plain_weight || d->type != EC_DT_f32;
    struct ec__prim_spec s;
    const struct ec__md *w_plain;

    d->x_md = ec__plain(b, d->type, 2, (const int64_t[]){ d->rows, d->in });
    d->y_md = ec__plain(b, d->type, 2, (const int64_t[]){ d->rows, d->out });
    w_plain = ec__plain(b, EC_DT_f32, 2, (const int64_t[]){ d->out, d->in });
    d->bias_md = ec__plain(b, EC_DT_f32, 1, &d->out);
    if (b->st)
        return;
    s = spec_of(d, b->k->training ? EC__FWD : EC__FWD_INFER);
    s.bias = d->bias >= 0 ? d->bias_md : NULL;
    s.relu = d->relu;
    s.weights = any_weight(d, d->type);
    d->fwd = ec__make(b, &s);
    d->w =
        ec__at_param(b, d->weight, w_plain, keeps ? NULL : ec__md_of(b, d->fwd, DNNL_ARG_WEIGHTS));
    if (d->bias >= 0)
        (void)ec__at_param(b, d->bias, d->bias_md, NULL);
    d->used = d->w;
}

void ec__dense_forward(struct ec__dense *d, struct ec__place x, struct ec__place y)
{
    struct ec__build *b = d->b;

    ec__dense_open(d);
    if (b->st)
        return;
    if (!b->impl)
        b->impl = ec_arena_str(b->k->arena, ec__prim_impl(b->cpu->lib, d->fwd));
    d->used = ec__as(b, d->w, ec__md_of(b, d->fwd, DNNL_ARG_WEIGHTS), b->k->training);
    ec__arg(b, DNNL_ARG_SRC, x);
    ec__arg(b, DNNL_ARG_WEIGHTS, d->used.place);
    ec__arg(b, DNNL_ARG_BIAS, ec__place_at(d->bias >= 0 ? EC__PARAM : EC__NOWHERE, d->bias));
    ec__arg(b, DNNL_ARG_DST, y);
    ec__call(b, d->fwd);
}

void ec__dense_backward_data(struct ec__dense *d, struct ec__place dy, struct ec__place dx)
{
    struct ec__build *b = d->b;
    struct ec__prim_spec s = spec_of(d, EC__BWD_DATA);
    struct ec__prim *p;
    struct ec__buf w;

    if (b->st)
        return;
    p = backward_prim(d, &s, d->used.md);
    w = ec__as(b, d->used, ec__md_of(b, p, DNNL_ARG_WEIGHTS), false);
    ec__arg(b, DNNL_ARG_DIFF_DST, dy);
    ec__arg(b, DNNL_ARG_WEIGHTS, w.place);
    ec__arg(b, DNNL_ARG_DIFF_SRC, dx);
    ec__call(b, p);
}

bool ec__dense_wants_weights(const struct ec__dense *d)
{
    const bool *want = d->b->k->want_d_param;

    return want[d->weight] || (d->bias >= 0 && want[d->bias]);
}

void ec__dense_backward_weights(struct ec__dense *d, struct ec__place x, struct ec__place dy)
{
    struct ec__build *b = d->b;
    struct ec_knode *k = b->k;
    bool want_bias = d->bias >= 0 && k->want_d_param[d->bias];
    struct ec__prim_spec s = spec_of(d, EC__BWD_WEIGHTS);
    struct ec__buf dw, to;
    struct ec__prim *p;

    if (b->st)
        return;
    s.bias = want_bias ? d->bias_md : NULL;
    p = backward_prim(d, &s, d->w.md);
    if (b->st)
        return;
    to = ec__at_d_param(b, d->weight, &d->w);
    dw = ec__stage(b, to, ec__md_of(b, p, DNNL_ARG_DIFF_WEIGHTS));
    if (!k->want_d_param[d->weight])
        dw.place = ec__scratch(b, ec__md_bytes(b->cpu->lib, dw.md));
    ec__arg(b, DNNL_ARG_SRC, x);
    ec__arg(b, DNNL_ARG_DIFF_DST, dy);
    ec__arg(b, DNNL_ARG_DIFF_WEIGHTS, dw.place);
    ec__arg(b, DNNL_ARG_DIFF_BIAS, ec__place_at(want_bias ? EC__D_PARAM : EC__NOWHERE, d->bias));
    ec__call(b, p);
    if (k->want_d_param[d->weight])
        ec__deliver(b, dw, to);
}

void ec__product(struct ec__build *b, struct ec__buf x, struct ec__buf w, struct ec__buf y,
                 float scale)
{
    struct ec__prim_spec s = { .algo = EC__MATMUL,
                               .src = x.md,
                               .weights = w.md,
                               .dst = y.md,
                               .scale = scale == 1 ? 0 : scale };
    struct ec__prim *p;

    if (b->st)
        return;
    p = ec__make(b, &s);
    ec__arg(b, DNNL_ARG_SRC, x.place);
    ec__arg(b, DNNL_ARG_WEIGHTS, w.place);
    ec__arg(b, DNNL_ARG_DST, y.place);
    ec__call(b, p);
}
