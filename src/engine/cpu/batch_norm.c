/* Batch normalisation. Forward keeps mean and variance of the batch in the workspace and moves the
 * running ones as PyTorch does: variance over n - 1. */
#include "engine/cpu/rows.h"

#include <string.h>

struct running {
    int64_t channels, count; /* count: elements of a channel */
    float momentum;
};

static enum ec_status move_running(const struct ec__run *r)
{
    const struct running *v = r->data;
    const float *mean = r->at[0], *var = r->at[1];
    float *run_mean = r->at[2], *run_var = r->at[3];
    float unbiased = v->count > 1 ? (float)v->count / (float)(v->count - 1) : 1.0F;
    int64_t i;

    for (i = 0; i < v->channels; i++) {
        run_mean[i] += v->momentum * (mean[i] - run_mean[i]);
        run_var[i] += v->momentum * (var[i] * unbiased - run_var[i]);
    }
    return EC_OK;
}

struct norm {
    struct ec__build *b;
    struct ec__channels c;
    bool own_stats;    /* computed before the primitive, which takes them as given */
    int first_running; /* parameter */
    bool affine;
    struct ec__buf x;
    struct ec__place mean, var, mask, weight, bias;
    struct ec__prim *fwd;
    struct ec__prim_spec spec;
};

static void make_forward(struct norm *v)
{
    struct ec__prim_spec given = v->spec;

    given.global_stats = true;
    v->own_stats = v->b->k->training && ec__md_channels(v->x.md, &v->c);
    v->fwd = v->own_stats ? ec__try(v->b, &given) : NULL;
    v->own_stats = v->fwd != NULL;
    if (!v->fwd)
        v->fwd = ec__make(v->b, &v->spec);
}

/* For odd layouts (narrow blocks, out of grouped convolutions) the library has only its plain
 * loops, fifty times slower: values go to blocks of 16 channels then, and stay there. */
static void to_blocks(struct norm *v)
{
    struct ec__build *b = v->b;
    const struct ec_shape *x = &b->k->c->in[0]->shape;
    const struct ec__md *md =
        ec__md_blocked(b->cpu->lib, b->k->arena, b->k->compute, x->rank, x->d);

    if (!md || b->k->in_place >= 0)
        return;
    v->x = ec__as(b, v->x, md, b->k->training);
    v->spec.src = v->x.md;
    make_forward(v);
}

static void forward(struct norm *v)
{
    struct ec__build *b = v->b;
    struct ec_knode *k = b->k;
    const struct ec__md *y;

    ec__build_phase(b, EC_FORWARD);
    make_forward(v);
    if (!b->st && !strncmp(ec__prim_impl(b->cpu->lib, v->fwd), "bnorm_ref", 9))
        to_blocks(v);
    if (b->st)
        return;
    if (v->own_stats)
        ec__statistics_call(b, &v->c, v->x.place, v->mean, v->var);
    b->impl = ec_arena_str(k->arena, ec__prim_impl(b->cpu->lib, v->fwd));
    y = ec__md_of(b, v->fwd, DNNL_ARG_DST);
    ec__choose_out(b, 0, y);
    if (k->training && ec__prim_workspace(b->cpu->lib, v->fwd))
        v->mask = ec__ws(b, ec__prim_workspace(b->cpu->lib, v->fwd));
    ec__arg(b, DNNL_ARG_SRC, v->x.place);
    ec__arg(b, DNNL_ARG_MEAN, v->mean);
    ec__arg(b, DNNL_ARG_VARIANCE, v->var);
    ec__arg(b, DNNL_ARG_SCALE, v->weight);
    ec__arg(b, DNNL_ARG_SHIFT, v->bias);
    ec__arg(b, DNNL_ARG_WORKSPACE, v->mask);
    ec__arg(b, DNNL_ARG_DST, ec__at_out(b, 0).place);
    ec__call(b, v->fwd);
}

static void keep_running(struct norm *v)
{
    const struct ec_shape *x = &v->b->k->c->in[0]->shape;
    struct running r = { x->d[1], ec__elems(v->b->k->c->in[0]) / x->d[1],
                         (float)ec_case_double(v->b->k->c, "momentum") };

    EC__CALL_OWN(v->b, move_running, &r, v->mean, v->var, ec__place_at(EC__PARAM, v->first_running),
                 ec__place_at(EC__PARAM, v->first_running + 1));
}

/* Gradients of weight and bias come with that of the input: what is not wanted goes to scratch. */
static struct ec__place d_param(struct norm *v, int i)
{
    if (!v->affine)
        return ec__place_at(EC__NOWHERE, 0);
    if (v->b->k->want_d_param[i])
        return ec__place_at(EC__D_PARAM, i);
    return ec__scratch(v->b, v->b->k->c->in[0]->shape.d[1] * (int64_t)sizeof(float));
}

static void backward(struct norm *v)
{
    struct ec__build *b = v->b;
    struct ec_knode *k = b->k;
    struct ec__prim_spec s = v->spec;
    struct ec__buf to = ec__at_d_in(b, 0), dx;
    struct ec__prim *p;

    ec__build_phase(b, EC_GRAD_DATA);
    s.pass = EC__BWD;
    s.src = s.src_value = v->x.md;
    s.hint = v->fwd;
    p = ec__make(b, &s);
    if (b->st)
        return;
    dx = ec__stage(b, to, v->x.md);
    if (!k->want_d_in[0])
        dx.place = ec__scratch(b, ec__md_bytes(b->cpu->lib, v->x.md));
    ec__arg(b, DNNL_ARG_SRC, v->x.place);
    ec__arg(b, DNNL_ARG_MEAN, v->mean);
    ec__arg(b, DNNL_ARG_VARIANCE, v->var);
    ec__arg(b, DNNL_ARG_SCALE, v->weight);
    ec__arg(b, DNNL_ARG_SHIFT, v->bias);
    ec__arg(b, DNNL_ARG_WORKSPACE, v->mask);
    ec__arg(b, DNNL_ARG_DIFF_DST, ec__at_d_out(b, 0).place);
    ec__arg(b, DNNL_ARG_DIFF_SRC, dx.place);
    ec__arg(b, DNNL_ARG_DIFF_SCALE, d_param(v, 0));
    ec__arg(b, DNNL_ARG_DIFF_SHIFT, d_param(v, 1));
    ec__call(b, p);
    if (k->want_d_in[0])
        ec__deliver(b, dx, to);
    k->keep_in[0] = v->x.place.kind == EC__IN;
    k->d_in_place = k->want_d_in[0] && dx.place.kind == EC__D_IN ? 0 : -1;
}

void ec__batch_norm_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct norm v = { .b = b };
    int64_t stat_bytes = k->c->in[0]->shape.d[1] * (int64_t)sizeof(float);
    bool wants;

    v.affine = ec_case_int(k->c, "affine");
    v.first_running = v.affine ? 2 : 0;
    v.x = ec__at_in(b, 0);
    v.spec = (struct ec__prim_spec){ .algo = EC__BATCH_NORM,
                                     .pass = k->training ? EC__FWD : EC__FWD_INFER,
                                     .src = v.x.md,
                                     .affine = v.affine,
                                     .global_stats = !k->training,
                                     .relu = k->fuse != 0,
                                     .eps = ec_case_double(k->c, "eps") };
    if (k->training) {
        v.mean = ec__ws(b, stat_bytes);
        v.var = ec__ws(b, stat_bytes);
    } else {
        v.mean = ec__place_at(EC__PARAM, v.first_running);
        v.var = ec__place_at(EC__PARAM, v.first_running + 1);
        k->in_place = 0;
    }
    if (v.affine) {
        v.weight = ec__place_at(EC__PARAM, 0);
        v.bias = ec__place_at(EC__PARAM, 1);
    }
    forward(&v);
    if (k->training)
        keep_running(&v);
    wants = k->want_d_in[0] || (v.affine && (k->want_d_param[0] || k->want_d_param[1]));
    if (k->training && wants)
        backward(&v);
}
