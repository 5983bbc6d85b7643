/* Convolution and transposed convolution over one to three spatial dimensions.
 *
 * As an implicit GEMM, per group (N batch, PQ output and HW input positions, C and K channels in
 * and out of one group, RS filter elements):
 *   forward      (N*PQ x C*RS)(C*RS x K)
 *   grad_data    (N*HW x K*RS)(K*RS x C)   of which stride leaves 1/stride^2 to compute
 *   grad_weight  (K x N*PQ)(N*PQ x C*RS)
 * Each is N*PQ*K*C*RS multiply-accumulates, padding counted. A transposed convolution is the same
 * with forward and grad_data changing places: N*HW*C*K*RS. With filters of their own the samples
 * are groups of one sample. */
#include "op/op_internal.h"

/* Only the transposed ones have out_pad. */
static bool is_transposed(const struct ec_case *c)
{
    return ec_field_find(c->op->fields, ec_span_of("out_pad")) != NULL;
}

/* Filter extents in the order of the spatial dimensions. */
static void filter_of(const struct ec_conv_attrs *a, int dims, int64_t f[EC__SPATIAL_MAX])
{
    int64_t s = a->s ? a->s : a->r;

    if (dims == 3)
        f[0] = a->t;
    if (dims >= 2) {
        f[dims - 2] = a->r;
        f[dims - 1] = s;
    } else {
        f[0] = a->r;
    }
}

static enum ec_status window_of(const struct ec_case *c, struct ec__window *ret, struct ec_err *err)
{
    const struct ec_conv_attrs *a = c->attrs;
    int64_t filter[EC__SPATIAL_MAX] = { 1, 1, 1 };
    struct ec__window_attrs wa = {
        filter, &a->stride, &a->pad, &a->dil, is_transposed(c) ? &a->out_pad : NULL, false
    };

    filter_of(a, c->in[0]->shape.rank - 2, filter);
    return ec__window_make(&c->in[0]->shape, &wa, ret, err);
}

/* (N,C,spatial) * weight -> (N,K,windows) */
static enum ec_status shape_of(const struct ec_case *c, int dims, struct ec_err *err)
{
    const struct ec_conv_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape y = { dims + 2, { 0 } };
    struct ec__window w = { 0 };
    int i;

    EC_PASS(ec__rank_is(c, 0, dims + 2, dims + 2, err));
    EC_PASS(ec__required(a->k, "k (output channels)", err));
    EC_PASS(ec__divides(a->groups, x->d[1], "groups", "input channels", err));
    EC_PASS(ec__divides(a->groups, a->k, "groups", "output channels", err));
    EC_PASS(window_of(c, &w, err));
    y.d[0] = x->d[0];
    y.d[1] = a->k;
    for (i = 0; i < dims; i++)
        y.d[2 + i] = w.out[i];
    EC_PASS(ec__set_out(c, 0, &y, c->in[0]->dtype, err));
    return ec__params_fit(c, err);
}

static enum ec_status conv1_shape(const struct ec_case *c, struct ec_err *err)
{
    return shape_of(c, 1, err);
}

static enum ec_status conv2_shape(const struct ec_case *c, struct ec_err *err)
{
    return shape_of(c, 2, err);
}

static enum ec_status conv3_shape(const struct ec_case *c, struct ec_err *err)
{
    return shape_of(c, 3, err);
}

/* weight: (K, C/g, filter), transposed (C, K/g, filter); bias: (K) */
static void conv_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct ec_conv_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    int64_t f[EC__SPATIAL_MAX] = { 1, 1, 1 };
    bool t = is_transposed(c);

    filter_of(a, x->rank - 2, f);
    ec_param_add(ret, "weight", true, x->rank, t ? x->d[1] : a->k,
                 t ? a->k / a->groups : x->d[1] / a->groups, f[0], f[1], f[2]);
    if (a->bias)
        ec_param_add(ret, "bias", true, 1, a->k);
}

struct size {
    double batch, in_hw, out_hw;
    double c, k, groups; /* channels of one group */
    double taps, stride, r, s;
    double x, y, weight, bias, mac;
    bool transposed;
};

static struct size size_of(const struct ec_case *c)
{
    const struct ec_conv_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec__window w = { 0 };
    struct size s = { 0 };

    if (window_of(c, &w, NULL))
        return s; /* never: the shape rule has passed */
    s.transposed = is_transposed(c);
    s.batch = (double)x->d[0];
    s.in_hw = ec__spatial(x);
    s.out_hw = ec__spatial(&c->out[0]->shape);
    s.groups = (double)a->groups;
    s.c = (double)x->d[1] / s.groups;
    s.k = (double)a->k / s.groups;
    s.taps = ec__window_taps(&w);
    s.stride = ec__window_stride(&w);
    s.r = (double)a->r;
    s.s = w.dims == 1 ? 1 : (double)w.filter[w.dims - 1];
    s.x = ec__in(c, 0);
    s.y = ec__out(c, 0);
    s.weight = s.groups * s.k * s.c * s.taps;
    s.bias = a->bias ? (double)a->k : 0;
    s.mac = s.batch * (s.transposed ? s.in_hw : s.out_hw) * s.weight;
    return s;
}

static struct ec_kernel *add_conv(struct ec_work *w, enum ec_phase p, const struct size *s,
                                  double m, double n, double k)
{
    bool depthwise = s->groups > 1 && (s->c <= 1 || (s->transposed && s->k <= 1));
    struct ec_kernel *c = ec_work_add(w, depthwise ? EC_K_DEPTHWISE : EC_K_CONV, p);

    c->flags = EC_KF_MATRIX | (s->transposed ? (unsigned)EC_KF_TRANSPOSED : 0u);
    c->mac = s->mac;
    c->flop = 2 * s->mac;
    c->b = c->groups = s->groups;
    c->m = m;
    c->n = n;
    c->k = k;
    c->r = s->r;
    c->s = s->s;
    c->stride = s->stride;
    c->in_hw = s->in_hw;
    c->out_hw = s->out_hw;
    c->c_in = s->c;
    c->c_out = s->k;
    c->weight_elems = s->weight;
    return c;
}

static void conv_forward(const struct size *s, struct ec_work *w)
{
    struct ec_kernel *k = add_conv(w, EC_FORWARD, s, s->batch * s->out_hw, s->k, s->c * s->taps);

    k->read_elems = s->x;
    k->write_elems = s->y;
    k->weight_elems += s->bias;
    k->flop += s->bias > 0 ? s->y : 0;
}

static void conv_grad_data(const struct size *s, struct ec_work *w)
{
    struct ec_kernel *k = add_conv(w, EC_GRAD_DATA, s, s->batch * s->in_hw, s->c, s->k * s->taps);

    k->read_elems = s->y;
    k->write_elems = s->x;
    k->for_input = 1;
}

static void conv_grad_weight(const struct size *s, struct ec_work *w)
{
    double positions = s->batch * (s->transposed ? s->in_hw : s->out_hw);
    struct ec_kernel *k = add_conv(w, EC_GRAD_WEIGHT, s, s->transposed ? s->c : s->k,
                                   (s->transposed ? s->k : s->c) * s->taps, positions);

    k->read_elems = s->x + s->y;
    if (s->bias > 0)
        ec__bias_grad(w, s->bias, s->batch * s->out_hw);
}

static void conv_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    struct size s = size_of(c);

    if (p == EC_FORWARD)
        conv_forward(&s, w);
    if (p == EC_GRAD_DATA)
        conv_grad_data(&s, w);
    if (p == EC_GRAD_WEIGHT)
        conv_grad_weight(&s, w);
}

/* Filters as networks have them: mostly 3 and 1, mostly padded to keep the size, sometimes grouped;
 * transposed ones double the size. */
static void conv_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    static const int64_t filters[] = { 1, 1, 3, 3, 3, 3, 5, 7 };
    static const char *const extents[] = { "d", "h", "w" };
    bool transposed = ec_field_find(op->fields, ec_span_of("out_pad")) != NULL;
    int dims = ec_field_find(op->fields, ec_span_of("t"))   ? 3
               : ec_field_find(op->fields, ec_span_of("s")) ? 2
                                                            : 1;
    bool stem = !transposed && ec__draw_chance(r, 8);
    bool depthwise = !transposed && !stem && ec__draw_chance(r, 12);
    int64_t c = stem ? ec_rng_range(r, 1, 3) : ec__draw_width(r, 8, dims == 3 ? 256 : 2048);
    int64_t k = depthwise ? c : ec__draw_width(r, 8, dims == 3 ? 256 : 2048);
    int64_t filter = transposed ? ec_rng_range(r, 2, 4) : ec__draw_of(r, filters, EC_LEN(filters));
    int64_t side = dims == 1 ? ec__draw_log(r, 16, 4096) : ec__draw_side(r);
    int64_t groups = depthwise ? c : ec__draw_chance(r, 5) && c % 8 == 0 && k % 8 == 0 ? 8 : 1;
    int64_t n = ec__draw_log(r, 1, 256), depth = dims == 3 ? ec__draw_log(r, filter, 32) : 0;
    bool bias = ec__draw_chance(r, 50);
    int i;

    ec_buf_printf(out, "%s n=%lld c=%lld", op->name, (long long)n, (long long)c);
    for (i = 3 - dims; i < 3; i++)
        ec_buf_printf(out, " %s=%lld", extents[i], (long long)(i == 0 ? depth : side));
    ec_buf_printf(out, " k=%lld r=%lld", (long long)k, (long long)filter);
    if (dims == 3)
        ec_buf_printf(out, " t=%lld", (long long)filter);
    if (transposed || ec__draw_chance(r, 20))
        ec_buf_str(out, " stride=2");
    if (!transposed && ec__draw_chance(r, 80))
        ec_buf_printf(out, " pad=%lld", (long long)(filter / 2));
    ec_buf_printf(out, " groups=%lld bias=%d", (long long)groups, bias);
}

#define EC__OP_CONV(opname, rule, dims_text, text, example_text)                                   \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(ec_conv, opname##_fields),                                                       \
        .inputs = dims_text,                                                                       \
        .shape = rule,                                                                             \
        .params = conv_params,                                                                     \
        .work = conv_work,                                                                         \
        .saved = ec__saved_for_weights,                                                            \
        .sample = conv_sample,                                                                     \
        .example = #opname " " example_text,                                                       \
    }

EC__OP_CONV(conv1d, conv1_shape, "n c w", "convolution over one dimension",
            "n=16 c=80 w=3000 k=384 r=3 pad=1");
EC__OP_CONV(conv2d, conv2_shape, "n c h w", "convolution over height and width",
            "n=32 c=64 h=56 w=56 k=64 r=3 pad=1 bias=0");
EC__OP_CONV(conv3d, conv3_shape, "n c d h w", "convolution over depth, height and width",
            "n=4 c=3 d=16 h=112 w=112 k=64 t=3 r=7 stride=1x2x2 pad=1x3x3");
EC__OP_CONV(conv_transpose1d, conv1_shape, "n c w", "transposed convolution over one dimension",
            "n=8 c=64 w=100 k=32 r=4 stride=2 pad=1");
EC__OP_CONV(conv_transpose2d, conv2_shape, "n c h w",
            "transposed convolution over height and width",
            "n=8 c=128 h=32 w=32 k=64 r=2 stride=2");
EC__OP_CONV(conv_transpose3d, conv3_shape, "n c d h w",
            "transposed convolution over depth, height and width",
            "n=2 c=64 d=8 h=16 w=16 k=32 t=2 r=2 stride=2");

/* --- conv2d_each: the filters are an input (N, K, C/g, R, S), a set for each sample --- */

static enum ec_status conv2d_each_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct ec_conv_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape want = {
        5, {x->d[0], a->k, 0, a->r, a->s ? a->s : a->r}
    };
    char found[200], expected[200];

    EC_PASS(conv2_shape(c, err));
    want.d[2] = x->d[1] / a->groups;
    if (!ec_shape_eq(&c->in[1]->shape, &want))
        return ec_fail(err, EC_E_SHAPE, "filters are %s, expected %s",
                       ec_shape_text(&c->in[1]->shape, found, sizeof found),
                       ec_shape_text(&want, expected, sizeof expected));
    return EC_OK;
}

static void conv2d_each_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    struct size s = size_of(c);
    struct ec_kernel *k;
    int i;

    s.groups *= s.batch;
    s.weight *= s.batch;
    s.batch = 1;
    if (p == EC_FORWARD)
        conv_forward(&s, w);
    if (p == EC_GRAD_DATA) {
        conv_grad_data(&s, w);
        k = add_conv(w, p, &s, s.k, s.c * s.taps, s.out_hw);
        k->read_elems = s.x + s.y;
        k->write_elems = s.weight;
        k->for_input = 2;
    }
    for (i = 0; i < w->n; i++) { /* filters are activations here */
        k = &w->kernel[i];
        k->weight_elems = 0;
        k->read_elems += k->for_input == 2 ? 0 : s.weight;
    }
}

/* Depthwise or 1x1, on the small maps at the end of networks. */
static void conv2d_each_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    bool depthwise = ec__draw_chance(r, 50);
    int64_t c = ec__draw_width(r, 8, 1024), k = depthwise ? c : ec__draw_width(r, 8, 1024);
    int64_t filter = depthwise ? 2 * ec_rng_range(r, 1, 2) + 1 : 1, n = ec__draw_log(r, 1, 64);
    int64_t side = ec__draw_log(r, 5, 20);

    ec_buf_printf(out, "%s n=%lld c=%lld h=%lld w=%lld y=%lldx%lldx%lldx%lldx%lld", op->name,
                  (long long)n, (long long)c, (long long)side, (long long)side, (long long)n,
                  (long long)k, (long long)(depthwise ? 1 : c), (long long)filter,
                  (long long)filter);
    ec_buf_printf(out, " k=%lld r=%lld pad=%lld groups=%lld", (long long)k, (long long)filter,
                  (long long)(filter / 2), (long long)(depthwise ? c : 1));
}

EC__OP(conv2d_each) = {
    .name = "conv2d_each",
    .help = "convolution by filters of its own for each sample",
    EC__ATTRS(ec_conv, conv2d_each_fields),
    .inputs = "n c h w;y",
    .shape = conv2d_each_shape,
    .work = conv2d_each_work,
    .saved = ec__saved_factors,
    .sample = conv2d_each_sample,
    .example = "conv2d_each n=32 c=480 h=14 w=14 y=32x112x480x1x1 k=112",
};
