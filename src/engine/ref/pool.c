/* Pooling by windows, adaptive and global: all are windows with a begin and an end per output. */
#include "engine/ref/ref_internal.h"

#include <math.h>

/* Windows of one dimension: [begin, end) in steps of `dil`, and the extent that the mean divides
 * by, padding included where it counts. */
struct axis {
    int64_t in, out, dil;
    int64_t *begin, *end, *extent; /* out */
};
struct pool {
    struct axis axis[EC_WINDOW_DIMS];
    int64_t planes, in, out; /* planes; elements of each */
    bool is_max;
};

static bool axis_alloc(struct axis *a, struct ec_arena *arena)
{
    int64_t *p = ec_arena_alloc(arena, sizeof *p * 3 * (size_t)(a->out ? a->out : 1));

    a->begin = p;
    a->end = p ? p + a->out : NULL;
    a->extent = p ? p + 2 * a->out : NULL;
    return p != NULL;
}

/* PyTorch: the mean divides by the window cut at the padding's end; without the padding, by what
 * lies inside. */
static void window_axis(struct axis *a, const struct ec_window *w, int i, bool count_pad)
{
    int64_t o;

    for (o = 0; o < a->out; o++) {
        int64_t begin = o * w->stride[i] - w->pad[i];
        int64_t end = begin + (w->filter[i] - 1) * w->dil[i] + 1;
        int64_t padded = EC__REF_MIN(end, a->in + w->pad_end[i]) - begin;

        if (begin < 0)
            begin += (-begin + a->dil - 1) / a->dil * a->dil;
        a->begin[o] = begin;
        a->end[o] = EC__REF_MIN(end, a->in);
        a->extent[o] = count_pad ? padded : a->end[o] - begin;
    }
}

static void adaptive_axis(struct axis *a)
{
    int64_t o;

    for (o = 0; o < a->out; o++) {
        a->begin[o] = o * a->in / a->out;
        a->end[o] = ((o + 1) * a->in + a->out - 1) / a->out;
        a->extent[o] = a->end[o] - a->begin[o];
    }
}

static void set_axis(const struct ec_case *c, struct pool *p, int i)
{
    bool count_pad = ec_case_has(c, "count_include_pad") && ec_case_int(c, "count_include_pad");
    struct ec_window w;

    if (ec_case_window(c, &w)) {
        p->axis[i].dil = w.dil[i];
        window_axis(&p->axis[i], &w, i, count_pad);
    } else {
        adaptive_axis(&p->axis[i]);
    }
}

/* Spatial dimensions aligned to the right; those beyond three (global pooling) are folded, which
 * means the same as windows span them whole. */
static void extents_of(const struct ec_shape *s, int64_t d[EC_WINDOW_DIMS])
{
    int i, at;

    d[0] = d[1] = d[2] = 1;
    for (i = 2; i < s->rank; i++) {
        at = EC_WINDOW_DIMS - (s->rank - i);
        d[EC__REF_MAX(at, 0)] *= s->d[i];
    }
}

static bool pool_prepare(struct ec_knode *k)
{
    struct pool *p = ec_arena_alloc(k->arena, sizeof *p);
    const struct ec_shape *x = &k->c->in[0]->shape;
    int64_t in[EC_WINDOW_DIMS], out[EC_WINDOW_DIMS];
    int i;

    if (!p)
        return false;
    extents_of(x, in);
    extents_of(&k->c->out[0]->shape, out);
    p->planes = x->d[0] * x->d[1];
    p->is_max = k->c->op->flags & EC_OPF_MAX;
    p->in = p->out = 1;
    for (i = 0; i < EC_WINDOW_DIMS; i++) {
        p->axis[i].in = in[i];
        p->axis[i].out = out[i];
        p->axis[i].dil = 1;
        p->in *= in[i];
        p->out *= out[i];
        if (!axis_alloc(&p->axis[i], k->arena))
            return false;
        set_axis(k->c, p, i);
    }
    if (p->is_max && ec_knode_wants(k))
        k->ws_bytes = p->planes * p->out * (int64_t)sizeof(int64_t);
    k->state = p;
    return true;
}

/* One window of one plane. */
struct window {
    const struct axis *axis[EC_WINDOW_DIMS];
    int64_t o[EC_WINDOW_DIMS];
};

static struct window window_at(const struct pool *p, int64_t out)
{
    struct window w = {
        {&p->axis[0],  &p->axis[1], &p->axis[2] },
        { 0}
    };

    w.o[2] = out % p->axis[2].out;
    w.o[1] = out / p->axis[2].out % p->axis[1].out;
    w.o[0] = out / p->axis[2].out / p->axis[1].out;
    return w;
}

/* The elements of a window, one after the other: -1 begins, -1 ends. */
struct cursor {
    int64_t at[EC_WINDOW_DIMS];
};

static int64_t cursor_first(const struct window *w, struct cursor *c)
{
    int i;

    for (i = 0; i < EC_WINDOW_DIMS; i++) {
        c->at[i] = w->axis[i]->begin[w->o[i]];
        if (c->at[i] >= w->axis[i]->end[w->o[i]])
            return -1;
    }
    return (c->at[0] * w->axis[1]->in + c->at[1]) * w->axis[2]->in + c->at[2];
}

static int64_t cursor_next(const struct window *w, struct cursor *c)
{
    int i;

    for (i = EC_WINDOW_DIMS - 1; i >= 0; i--) {
        c->at[i] += w->axis[i]->dil;
        if (c->at[i] < w->axis[i]->end[w->o[i]])
            return (c->at[0] * w->axis[1]->in + c->at[1]) * w->axis[2]->in + c->at[2];
        c->at[i] = w->axis[i]->begin[w->o[i]];
    }
    return -1;
}

static double divisor(const struct window *w)
{
    double n = 1;
    int i;

    for (i = 0; i < EC_WINDOW_DIMS; i++)
        n *= (double)w->axis[i]->extent[w->o[i]];
    return n;
}

/* The first of the largest; NaN counts as larger. */
static int64_t find_max(const struct window *w, const real *x)
{
    struct cursor c;
    int64_t best = cursor_first(w, &c), i;

    for (i = best; i >= 0; i = cursor_next(w, &c))
        if (x[i] > x[best] || (isnan(x[i]) && !isnan(x[best])))
            best = i;
    return best;
}

static real mean_of(const struct window *w, const real *x)
{
    struct cursor c;
    double sum = 0;
    int64_t i;

    for (i = cursor_first(w, &c); i >= 0; i = cursor_next(w, &c))
        sum += (double)x[i];
    return (real)(sum / divisor(w));
}

static void spread(const struct window *w, real dy, real *dx)
{
    real share = (real)((double)dy / divisor(w));
    struct cursor c;
    int64_t i;

    for (i = cursor_first(w, &c); i >= 0; i = cursor_next(w, &c))
        dx[i] += share;
}

/* Places of the maxima are kept when there is a workspace. */
static void plane_forward(const struct pool *p, const real *x, real *y, int64_t *places)
{
    int64_t o;

    for (o = 0; o < p->out; o++) {
        struct window w = window_at(p, o);
        int64_t best;

        if (!p->is_max) {
            y[o] = mean_of(&w, x);
            continue;
        }
        best = find_max(&w, x);
        y[o] = best < 0 ? -(real)INFINITY : x[best];
        if (places)
            places[o] = best;
    }
}

static void plane_backward(const struct pool *p, const real *dy, real *dx, const int64_t *places)
{
    int64_t o;

    for (o = 0; o < p->out; o++) {
        struct window w = window_at(p, o);

        if (!p->is_max)
            spread(&w, dy[o], dx);
        else if (places[o] >= 0)
            dx[places[o]] += dy[o];
    }
}

static enum ec_status pool_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const struct pool *p = call->k->state;
    int64_t *places = call->k->ws_bytes ? a->ws : NULL, i;

    if (call->phase == EC_GRAD_DATA)
        ec__ref_clear_d_in(call, 0);
    for (i = 0; i < p->planes; i++) {
        int64_t *at = places ? places + i * p->out : NULL;

        if (call->phase == EC_FORWARD)
            plane_forward(p, (const real *)a->in[0] + i * p->in, (real *)a->out[0] + i * p->out,
                          at);
        else if (call->phase == EC_GRAD_DATA && a->d_in[0])
            plane_backward(p, (const real *)a->d_out[0] + i * p->out,
                           (real *)a->d_in[0] + i * p->in, at);
    }
    return EC_OK;
}

EC__REF_KERNEL(adaptive_avg_pool, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(adaptive_max_pool, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(avg_pool1d, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(avg_pool2d, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(avg_pool3d, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(global_avg_pool, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(global_max_pool, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(max_pool1d, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(max_pool2d, .prepare = pool_prepare, .run = pool_run)
EC__REF_KERNEL(max_pool3d, .prepare = pool_prepare, .run = pool_run)
