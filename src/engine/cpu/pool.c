/* Pooling: windows, adaptive where windows tile the input, global. */
#include "engine/cpu/cpu_internal.h"

#include <string.h>

/* Output i of an adaptive pool sees in / out elements when that is whole; else windows differ. */
static bool adaptive_window(const struct ec_case *c, struct ec__win *w)
{
    const struct ec_shape *x = &c->in[0]->shape, *y = &c->out[0]->shape;
    int i;

    memset(w, 0, sizeof *w);
    w->dims = x->rank - 2;
    for (i = 0; i < w->dims; i++) {
        if (x->d[2 + i] % y->d[2 + i])
            return false;
        w->filter[i] = w->stride[i] = x->d[2 + i] / y->d[2 + i];
        w->dil[i] = 1;
    }
    return true;
}

static bool hangs_over(const struct ec__win *w)
{
    int i;

    for (i = 0; i < w->dims; i++)
        if (w->pad1[i] > w->pad0[i])
            return true;
    return false;
}

static bool dilated(const struct ec__win *w)
{
    int i;

    for (i = 0; i < w->dims; i++)
        if (w->dil[i] > 1)
            return true;
    return false;
}

/* Which algorithm, and its window; false when oneDNN has none. */
static bool algo_of(const struct ec_case *c, struct ec__prim_spec *s, struct ec__win *w)
{
    bool is_max = c->op->flags & EC_OPF_MAX;
    int i;

    s->algo = is_max ? EC__POOL_MAX : EC__POOL_AVG;
    if (c->in[0]->shape.rank > 5)
        return false;
    if (!ec_case_has(c, "r"))
        return adaptive_window(c, w);
    ec__window_of(c, false, w);
    for (i = 0; i < w->dims; i++) /* rows that no window reaches: the library finds them itself */
        w->pad1[i] = w->pad1[i] < 0 ? 0 : w->pad1[i];
    if (is_max)
        return !dilated(w);
    if (ec_case_int(c, "count_include_pad"))
        s->algo = EC__POOL_AVG_PADDED;
    /* Windows over the end are divided by what of them lies inside: the library counts all. */
    return s->algo == EC__POOL_AVG || !hangs_over(w);
}

/* A largest element is above 0 where it was before the ReLU, so the ReLU's backward can be done on
 * the gradient of the output, which is smaller. */
static struct ec__place behind_relu(struct ec__build *b)
{
    int64_t bytes = ec__md_bytes(b->cpu->lib, ec__at_d_out(b, 0).md);
    struct ec__place to = ec__scratch(b, bytes);

    ec__relu_backward_call(b, bytes / ec_dtype_bytes(b->k->compute), ec__place_at(EC__OUT, 0),
                           ec__place_at(EC__D_OUT, 0), to);
    b->k->keep_out[0] = true;
    return to;
}

static void backward(struct ec__build *b, struct ec__prim_spec s, struct ec__prim *fwd,
                     struct ec__buf x, struct ec__place ws)
{
    struct ec__buf to = ec__at_d_in(b, 0), dx;
    struct ec__place dy = ec__place_at(EC__D_OUT, 0);
    struct ec__prim *p;

    ec__build_phase(b, EC_GRAD_DATA);
    s.pass = EC__BWD;
    s.src = x.md;
    s.dst = ec__at_d_out(b, 0).md;
    s.hint = fwd;
    p = ec__make(b, &s);
    dx = ec__stage(b, to, x.md);
    if (b->st)
        return;
    if (b->k->fuse == EC_FUSE_RELU_BEFORE)
        dy = behind_relu(b);
    ec__arg(b, DNNL_ARG_DIFF_DST, dy);
    ec__arg(b, DNNL_ARG_WORKSPACE, ws);
    ec__arg(b, DNNL_ARG_DIFF_SRC, dx.place);
    ec__call(b, p);
    ec__deliver(b, dx, to);
}

void ec__pool_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct ec__win w;
    struct ec__prim_spec s = { .win = &w };
    struct ec__place ws = { EC__NOWHERE, 0 };
    struct ec__prim *fwd;
    struct ec__buf x;
    const struct ec_shape *y = &k->c->out[0]->shape;

    if (!algo_of(k->c, &s, &w))
        ec__build_fail(b, EC_E_UNSUPPORTED, "oneDNN has no such windows");
    ec__build_phase(b, EC_FORWARD);
    x = ec__at_in(b, 0);
    s.pass = k->training ? EC__FWD : EC__FWD_INFER;
    s.src = x.md;
    s.dst =
        b->st ? NULL : ec__need(b, ec__md_any(b->cpu->lib, k->arena, k->compute, y->rank, y->d));
    fwd = ec__make(b, &s);
    if (b->st)
        return;
    b->impl = ec_arena_str(k->arena, ec__prim_impl(b->cpu->lib, fwd));
    ec__choose_out(b, 0, ec__md_of(b, fwd, DNNL_ARG_DST));
    if (k->training && ec__prim_workspace(b->cpu->lib, fwd))
        ws = ec__ws(b, ec__prim_workspace(b->cpu->lib, fwd));
    ec__arg(b, DNNL_ARG_SRC, x.place);
    ec__arg(b, DNNL_ARG_DST, ec__at_out(b, 0).place);
    ec__arg(b, DNNL_ARG_WORKSPACE, ws);
    ec__call(b, fwd);
    if (k->training && k->want_d_in[0])
        backward(b, s, fwd, x, ws);
}
