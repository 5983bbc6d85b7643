/* Computes the features of a network's step. */
#include "model/network_features.h"

#include <math.h>

const char *const ec_network_feature_names[] = {
#define NF_NAME(name, value) #name,
    EC_NETWORK_FEATURE_LIST(NF_NAME)
#undef NF_NAME
        NULL
};

/* Sums over all kernels; the second line and `mac` are sums over kernels of matrix work, weighted
 * by MAC. */
struct view {
    double busy, matrix, mac, flop, bytes, repeats;
    double pointwise, grouped, large_filter, log_width, log_depth, log_rows, unaligned;
    double mode;
};

static bool is_multiple(double v, double by)
{
    return fmod(v, by) == 0;
}

static void add_matrix(const struct ec_kernel *k, double mac, struct view *v)
{
    v->mac += mac;
    v->log_width += mac * log1p(k->n);
    v->log_depth += mac * log1p(k->k);
    v->log_rows += mac * log1p(k->m);
    v->pointwise += k->kclass == EC_K_CONV && k->r == 1 ? mac : 0;
    v->grouped += k->kclass == EC_K_CONV && k->groups > 1 ? mac : 0;
    v->large_filter += k->r > 3 ? mac : 0;
    v->unaligned += is_multiple(k->n, 8) && is_multiple(k->k, 8) ? 0 : mac;
}

static void add_kernel(const struct ec_kernel *k, double repeat, const struct ec_rates *r,
                       struct view *v)
{
    v->repeats += repeat;
    v->flop += repeat * k->flop;
    v->bytes += repeat * ec_kernel_bytes(k, r->elem_bytes);
    if (k->mac > 0)
        add_matrix(k, repeat * k->mac, v);
}

/* Sums over the kernels of the forward pass: MAC, and in the last line counts of kernels. */
struct whole {
    double mac, linear, attention, pointwise, spatial, grouped, narrow_groups, large_filter;
    double unaligned, recurrent, log_width;
    double n, depthwise, channel_norms, row_norms, softmaxes, streams; /* counts */
};

static void add_conv(const struct ec_kernel *k, double mac, struct whole *w)
{
    bool grouped = k->groups > 1;

    w->grouped += grouped ? mac : 0;
    w->narrow_groups += grouped && k->c_in < 16 ? mac : 0;
    w->pointwise += !grouped && k->r == 1 ? mac : 0;
    w->spatial += !grouped && k->r > 1 ? mac : 0;
    w->large_filter += k->r > 3 ? mac : 0;
    if (!is_multiple(k->c_in * k->groups, 8) || !is_multiple(k->c_out * k->groups, 8))
        w->unaligned += mac;
}

static void add_forward(const struct ec_kernel *k, double repeat, struct whole *w)
{
    double mac = repeat * k->mac;
    bool attends = k->flags & EC_KF_ATTENTION || k->kclass == EC_K_ATTENTION || k->b > 1;

    w->mac += mac;
    w->log_width += mac * log2(1 + (k->c_out > 0 ? k->c_out * k->groups : k->n));
    switch (k->kclass) {
    case EC_K_GEMM:
    case EC_K_ATTENTION:
        *(attends ? &w->attention : &w->linear) += mac;
        break;
    case EC_K_CONV:
        add_conv(k, mac, w);
        break;
    case EC_K_DEPTHWISE:
        w->depthwise += repeat;
        break;
    case EC_K_RNN:
        w->recurrent += mac;
        break;
    case EC_K_NORM:
        *(k->flags & EC_KF_TWO_PASS ? &w->channel_norms : &w->row_norms) += repeat;
        return;
    case EC_K_SOFTMAX:
        w->softmaxes += repeat;
        return;
    case EC_K_STREAM:
        w->streams += repeat;
        return;
    default:
        return;
    }
    w->n += repeat;
}

static void look_at(const struct ec_step *s, struct whole *w)
{
    int i;

    for (i = 0; i < s->n; i++)
        if (s->kernel[i].phase == EC_FORWARD && !(s->kernel[i].flags & EC_KF_LOSS))
            add_forward(&s->kernel[i], s->repeat ? s->repeat[i] : 1, w);
}

void ec_network_structure(const struct ec_step *s, double ret[EC_STRUCTURE_COUNT])
{
    struct whole whole = { .mac = 1, .n = 1 }, *w = &whole;
    int i = 0;

    look_at(s, w);
#define STRUCTURE_VALUE(name, value) ret[i++] = (value);
    EC_STRUCTURE_LIST(STRUCTURE_VALUE)
#undef STRUCTURE_VALUE
}

void ec_network_features(const struct ec_step *s, const struct ec_rates *r,
                         const struct ec_step_time *t, double *ret)
{
    struct view view = { .mac = 1, .flop = 1, .bytes = 1 }, *v = &view;
    struct whole whole = { .mac = 1, .n = 1 }, *w = &whole;
    enum ec_framework fw = r->cond.framework;
    enum ec_precision p = r->cond.precision;
    int i;

    for (i = 0; i < s->n; i++)
        add_kernel(&s->kernel[i], s->repeat ? s->repeat[i] : 1, r, v);
    for (i = 0; i < EC_KCLASS_COUNT; i++)
        v->busy += t->class_ns[i];
    v->busy = v->busy > 0 ? v->busy : 1;
    look_at(s, w);
    v->matrix = t->matrix.ns > 0 ? t->matrix.ns : 1;
    v->mode = t->phase_ns[EC_UPDATE] > 0                                    ? 2
              : t->phase_ns[EC_GRAD_DATA] + t->phase_ns[EC_GRAD_WEIGHT] > 0 ? 1
                                                                            : 0;
    if (p == EC_TF32 && !r->tensor) /* a device without TF32 units computes in float32 */
        p = EC_FP32;
    if (r->half) /* kernels of halves are alike: what differs between these is in the laws */
        p = EC_AMP;
    i = 0;
#define NF_VALUE(name, value) ret[i++] = (double)(value);
    EC_NETWORK_FEATURE_LIST(NF_VALUE)
#undef NF_VALUE
}
