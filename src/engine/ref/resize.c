/* Resampling: per dimension an output element is a weighted sum of 1, 2 or 4 input elements, made
 * once. Positions as PyTorch with align_corners=False. */
#include "engine/ref/ref_internal.h"

#include <math.h>

#define TAPS_MAX 4
#define CUBIC_A (-0.75)

enum mode { NEAREST, LINEAR, CUBIC };

struct tap {
    int64_t at;
    double weight;
};
struct axis {
    int64_t in, out;
    int taps;
    struct tap *tap; /* out x taps */
};
struct resize {
    struct axis axis[EC_WINDOW_DIMS]; /* aligned to the right */
    int64_t planes, in, out;
};

/* Weight of the cubic kernel at distance d. */
static double cubic(double d)
{
    d = fabs(d);
    if (d <= 1)
        return ((CUBIC_A + 2) * d - (CUBIC_A + 3)) * d * d + 1;
    return ((CUBIC_A * d - 5 * CUBIC_A) * d + 8 * CUBIC_A) * d - 4 * CUBIC_A;
}

static int64_t clamp(int64_t v, int64_t extent)
{
    return EC__REF_MIN(EC__REF_MAX(v, 0), extent - 1);
}

static void fill_taps(const struct axis *a, enum mode mode, int64_t o, struct tap *t)
{
    double at = ((double)o + 0.5) * (double)a->in / (double)a->out - 0.5, part;
    int64_t first;
    int i;

    if (mode == NEAREST) {
        t[0] = (struct tap){ o * a->in / a->out, 1 };
        return;
    }
    if (mode == LINEAR && at < 0)
        at = 0;
    first = (int64_t)floor(at);
    part = at - (double)first;
    for (i = 0; i < a->taps; i++) {
        int64_t shift = mode == LINEAR ? i : i - 1;

        t[i].at = clamp(first + shift, a->in);
        t[i].weight = mode == CUBIC ? cubic(part - (double)shift) : i ? part : 1 - part;
    }
}

static bool make_axis(struct axis *a, enum mode mode, struct ec_arena *arena)
{
    static const int taps[] = { 1, 2, TAPS_MAX };
    int64_t o;

    a->taps = taps[mode];
    a->tap = ec_arena_alloc(arena, sizeof *a->tap * (size_t)(a->taps * (a->out ? a->out : 1)));
    for (o = 0; a->tap && o < a->out; o++)
        fill_taps(a, mode, o, a->tap + o * a->taps);
    return a->tap != NULL;
}

static bool resize_prepare(struct ec_knode *k)
{
    struct resize *r = ec_arena_alloc(k->arena, sizeof *r);
    const struct ec_shape *x = &k->c->in[0]->shape, *y = &k->c->out[0]->shape;
    enum mode mode = (enum mode)ec_case_int(k->c, "mode");
    int i;

    if (!r)
        return false;
    r->planes = x->d[0] * x->d[1];
    r->in = r->out = 1;
    for (i = 0; i < EC_WINDOW_DIMS; i++) {
        int from = x->rank - EC_WINDOW_DIMS + i;
        struct axis *a = &r->axis[i];

        a->in = from >= 2 ? x->d[from] : 1;
        a->out = from >= 2 ? y->d[from] : 1;
        r->in *= a->in;
        r->out *= a->out;
        if (!make_axis(a, from >= 2 ? mode : NEAREST, k->arena))
            return false;
    }
    k->state = r;
    return true;
}

/* Calls for every tap of one output element: y += w x, or dx += w dy. */
static void one_output(const struct resize *r, int64_t o, const real *from, real *to, bool back)
{
    const struct axis *d = &r->axis[0], *h = &r->axis[1], *w = &r->axis[2];
    const struct tap *td = d->tap + o / w->out / h->out * d->taps;
    const struct tap *th = h->tap + o / w->out % h->out * h->taps;
    const struct tap *tw = w->tap + o % w->out * w->taps;
    double sum = 0;
    int n = d->taps * h->taps * w->taps, i;

    for (i = 0; i < n; i++) {
        const struct tap *a = &td[i / w->taps / h->taps], *b = &th[i / w->taps % h->taps];
        const struct tap *c = &tw[i % w->taps];
        int64_t at = (a->at * h->in + b->at) * w->in + c->at;
        double weight = a->weight * b->weight * c->weight;

        if (back)
            to[at] += (real)(weight * (double)from[o]);
        else
            sum += weight * (double)from[at];
    }
    if (!back)
        to[o] = (real)sum;
}

static enum ec_status resize_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const struct resize *r = call->k->state;
    bool back = call->phase == EC_GRAD_DATA;
    int64_t i, o;

    if (back && !a->d_in[0])
        return EC_OK;
    if (back)
        ec__ref_clear_d_in(call, 0);
    for (i = 0; i < r->planes; i++)
        for (o = 0; o < r->out; o++)
            one_output(
                r, o,
                back ? (const real *)a->d_out[0] + i * r->out : (const real *)a->in[0] + i * r->in,
                back ? (real *)a->d_in[0] + i * r->in : (real *)a->out[0] + i * r->out, back);
    return EC_OK;
}

EC__REF_KERNEL(resize, .prepare = resize_prepare, .run = resize_run)
