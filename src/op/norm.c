/* Normalisations. A NORM kernel has m rows of n elements that share statistics.
 *
 * Arithmetic per element: mean 1, variance 3, normalise 2, affine 2; backward 11 with the weight's
 * gradient (two products, two sums, then dx), 9 without.
 * Traffic: where a row fits on chip (layer, rms) forward reads x once; batch, group and instance
 * norm make a pass for the statistics and another to apply them, backward likewise. */
#include "op/op_internal.h"

#define STAT_BYTES 4.0 /* statistics stay in float32 */

/* Rows and row length of one case, and parameters. */
struct rows {
    double m, n, params;
};

/* Two passes forward (statistics, apply); two backward (sums, dx). `sums` says that the weight's
 * gradient comes out of the same sums, so that GRAD_WEIGHT has nothing left to do. */
static void two_pass_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w,
                          struct rows r, unsigned flags, double running)
{
    double x = ec__in(c, 0);
    struct ec_kernel *k;

    if (p != EC_FORWARD && p != EC_GRAD_DATA)
        return;
    if (p == EC_FORWARD)
        k = ec__kernel(w, EC_K_NORM, p, x * (r.params > 0 ? 8 : 6), 2 * x, x);
    else
        k = ec__kernel(w, EC_K_NORM, p, x * (r.params > 0 ? 11 : 9), 4 * x, x);
    k->flags = flags | EC_KF_TWO_PASS;
    k->b = 1;
    k->m = r.m;
    k->n = r.n;
    k->weight_elems = p == EC_FORWARD ? r.params : 1.5 * r.params; /* weight; both gradients */
    k->fixed_bytes = STAT_BYTES * (2 * r.m + (p == EC_FORWARD ? 2 * running : 0));
}

static void saved_stats(const struct ec_case *c, struct ec_saved *ret, double rows, double per_row)
{
    (void)c;
    ret->in_mask = 1;
    ret->extra_bytes = STAT_BYTES * per_row * rows;
}

static double channels(const struct ec_case *c)
{
    return (double)c->in[0]->shape.d[1];
}

static void channel_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct norm_attrs *a = c->attrs;

    if (!a->affine)
        return;
    ec_param_add(ret, "weight", true, 1, c->in[0]->shape.d[1]);
    ec_param_add(ret, "bias", true, 1, c->in[0]->shape.d[1]);
}

static enum ec_status channel_shape(const struct ec_case *c, struct ec_err *err)
{
    EC_PASS(ec__rank_is(c, 0, 2, EC_RANK_MAX, err));
    return ec__shape_same(c, err);
}

/* --- batch_norm, training: statistics of each channel over the batch --- */

static void batch_norm_params(const struct ec_case *c, struct ec_param_list *ret)
{
    channel_params(c, ret);
    ec_param_add(ret, "running_mean", false, 1, c->in[0]->shape.d[1]);
    ec_param_add(ret, "running_var", false, 1, c->in[0]->shape.d[1]);
}

static void batch_norm_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct norm_attrs *a = c->attrs;
    double m = channels(c);
    struct rows r = { m, ec__ratio(ec__in(c, 0), m), a->affine ? 2 * m : 0 };

    two_pass_work(c, p, w, r, 0, 2 * m); /* running statistics are read and written */
}

/* Fixed statistics: a scale and a shift of each channel. */
static void batch_norm_infer(const struct ec_case *c, struct ec_work *w)
{
    double e = ec__in(c, 0);

    ec_work_stream(w, EC_FORWARD, 2 * e, e, e)->weight_elems = 4 * channels(c);
}

static void batch_norm_saved(const struct ec_case *c, struct ec_saved *ret)
{
    saved_stats(c, ret, channels(c), 2);
}

EC__OP(batch_norm) = {
    .name = "batch_norm",
    .help = "normalise each channel over the batch, then scale and shift",
    EC__ATTRS(norm, affine_fields),
    .value_attrs = "eps,momentum",
    .inputs = "x",
    .shape = channel_shape,
    .params = batch_norm_params,
    .work = batch_norm_work,
    .infer = batch_norm_infer,
    .saved = batch_norm_saved,
    .sample = ec__sample_images,
    .example = "batch_norm x=32x64x56x56",
};

/* --- instance_norm: batch norm of every sample by itself --- */

static void instance_norm_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct norm_attrs *a = c->attrs;
    double m = channels(c) * (double)c->in[0]->shape.d[0];
    struct rows r = { m, ec__ratio(ec__in(c, 0), m), a->affine ? 2 * channels(c) : 0 };

    two_pass_work(c, p, w, r, EC_KF_PLANES, 0);
}

static void instance_norm_saved(const struct ec_case *c, struct ec_saved *ret)
{
    saved_stats(c, ret, channels(c) * (double)c->in[0]->shape.d[0], 2);
}

EC__OP(instance_norm) = {
    .name = "instance_norm",
    .help = "normalise each channel of each sample",
    EC__ATTRS(norm, instance_fields),
    .value_attrs = "eps",
    .inputs = "x",
    .shape = channel_shape,
    .params = channel_params,
    .work = instance_norm_work,
    .saved = instance_norm_saved,
    .sample = ec__sample_images,
    .example = "instance_norm x=8x64x128x128",
};

/* --- group_norm --- */

static enum ec_status group_norm_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct norm_attrs *a = c->attrs;

    EC_PASS(channel_shape(c, err));
    EC_PASS(ec__required(a->groups, "groups", err));
    return ec__divides(a->groups, c->in[0]->shape.d[1], "groups", "channels", err);
}

static double group_rows(const struct ec_case *c)
{
    const struct norm_attrs *a = c->attrs;

    return (double)c->in[0]->shape.d[0] * (double)a->groups;
}

static void group_norm_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct norm_attrs *a = c->attrs;
    double m = group_rows(c);
    struct rows r = { m, ec__ratio(ec__in(c, 0), m), a->affine ? 2 * channels(c) : 0 };

    two_pass_work(c, p, w, r, EC_KF_FP32 | EC_KF_PLANES, 0);
}

static void group_norm_saved(const struct ec_case *c, struct ec_saved *ret)
{
    saved_stats(c, ret, group_rows(c), 2);
}

static void group_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    int64_t groups = ec__draw_chance(r, 60) ? 32 : ec_rng_range(r, 1, 8), side = ec__draw_side(r);
    int64_t n = ec__draw_log(r, 1, 128), c = groups * ec__draw_log(r, 1, 32);

    ec_buf_printf(out, "%s x=%lldx%lldx%lldx%lld groups=%lld", op->name, (long long)n, (long long)c,
                  (long long)side, (long long)side, (long long)groups);
}

EC__OP(group_norm) = {
    .name = "group_norm",
    .help = "normalise groups of channels of each sample, then scale and shift",
    EC__ATTRS(norm, group_fields),
    .value_attrs = "eps",
    .inputs = "x",
    .shape = group_norm_shape,
    .params = channel_params,
    .work = group_norm_work,
    .saved = group_norm_saved,
    .sample = group_sample,
    .example = "group_norm x=8x320x64x64 groups=32",
};

/* --- layer_norm, rms_norm: over the trailing dimensions --- */

static enum ec_status trailing_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct norm_attrs *a = c->attrs;

    EC_PASS(ec__rank_is(c, 0, (int)a->dims, EC_RANK_MAX, err));
    return ec__shape_same(c, err);
}

static struct ec_shape trailing(const struct ec_case *c)
{
    const struct norm_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;

    return ec_shape_make((int)a->dims, x->d + x->rank - a->dims);
}

static void add_trailing_param(const struct ec_case *c, struct ec_param_list *ret, const char *role)
{
    ec_param_add(ret, role, true, 0);
    ret->p[ret->n - 1].shape = trailing(c);
}

static void trailing_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct norm_attrs *a = c->attrs;

    if (a->affine)
        add_trailing_param(c, ret, "weight");
    if (a->affine && a->bias)
        add_trailing_param(c, ret, "bias");
}

static struct rows trailing_rows(const struct ec_case *c)
{
    const struct norm_attrs *a = c->attrs;
    struct ec_type t = { trailing(c), EC_DT_f32 };
    double n = ec_type_elems(&t);

    return (struct rows){ ec__ratio(ec__in(c, 0), n), n, a->affine ? n * (1 + a->bias) : 0 };
}

static struct ec_kernel *add_trailing(struct ec_work *w, enum ec_phase p, struct rows r,
                                      double flop, double reads)
{
    double x = r.m * r.n;
    struct ec_kernel *k = ec__kernel(w, EC_K_NORM, p, flop * x, reads * x, x);

    k->flags = EC_KF_FP32;
    k->b = 1;
    k->m = r.m;
    k->n = r.n;
    return k;
}

/* forward reads x; grad_data reads x and dy; grad_weight sums dy and dy * xhat over the rows. */
static void trailing_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w, double stats,
                          double fwd, double bwd)
{
    const struct norm_attrs *a = c->attrs;
    struct rows r = trailing_rows(c);
    struct ec_kernel *k;

    if (p == EC_GRAD_WEIGHT && a->affine) {
        k = ec__bias_grad(w, r.n, r.m);
        k->flags = EC_KF_FP32;
        k->read_elems = 2 * r.m * r.n;
        k->flop = r.m * r.n * (a->bias ? 5 : 4);
        k->weight_elems = r.params;
    }
    if (p != EC_FORWARD && p != EC_GRAD_DATA)
        return;
    k = p == EC_FORWARD ? add_trailing(w, p, r, fwd, 1) : add_trailing(w, p, r, bwd, 2);
    k->weight_elems = p == EC_FORWARD ? r.params : a->affine ? r.n : 0;
    k->fixed_bytes = STAT_BYTES * stats * r.m;
    k->for_input = p == EC_GRAD_DATA;
}

static void layer_norm_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    trailing_work(c, p, w, 2, 8, 9);
}

static void layer_norm_saved(const struct ec_case *c, struct ec_saved *ret)
{
    saved_stats(c, ret, trailing_rows(c).m, 2);
}

static void rms_norm_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct norm_attrs *a = c->attrs;
    int i = w->n;

    trailing_work(c, p, w, 1, 4, 7);
    for (; i < w->n; i++)
        w->kernel[i].flags |= a->wide ? EC_KF_COMPOSED | EC_KF_WIDE : EC_KF_COMPOSED;
}

static void rms_norm_saved(const struct ec_case *c, struct ec_saved *ret)
{
    saved_stats(c, ret, trailing_rows(c).m, 1);
}

EC__OP(layer_norm) = {
    .name = "layer_norm",
    .help = "normalise the trailing dimensions, then scale and shift",
    EC__ATTRS(norm, layer_fields),
    .value_attrs = "eps",
    .inputs = "x",
    .shape = trailing_shape,
    .params = trailing_params,
    .work = layer_norm_work,
    .saved = layer_norm_saved,
    .sample = ec__sample_rows,
    .example = "layer_norm x=8x512x768",
};

EC__OP(rms_norm) = {
    .name = "rms_norm",
    .help = "divide the trailing dimensions by their root mean square, then scale",
    EC__ATTRS(norm, rms_fields),
    .value_attrs = "eps",
    .inputs = "x",
    .shape = trailing_shape,
    .params = trailing_params,
    .work = rms_norm_work,
    .saved = rms_norm_saved,
    .sample = ec__sample_rows,
    .example = "rms_norm x=8x512x768",
};

/* --- lrn: across neighbouring channels, x / (k + alpha sum x^2)^beta --- */

static void lrn_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct lrn_attrs *a = c->attrs;
    double x = ec__in(c, 0), size = (double)a->size;
    struct ec_kernel *k;

    if (p != EC_FORWARD && p != EC_GRAD_DATA)
        return;
    if (p == EC_FORWARD)
        k = ec__kernel(w, EC_K_POOL, p, x * (size + 5), x, x);
    else
        k = ec__kernel(w, EC_K_POOL, p, x * (2 * size + 7), 3 * x, x);
    k->r = size;
    k->s = k->stride = 1;
    k->for_input = p == EC_GRAD_DATA;
}

EC__OP(lrn) = {
    .name = "lrn",
    .help = "local response normalisation across channels",
    EC__ATTRS(lrn, lrn_fields),
    .inputs = "x",
    .shape = channel_shape,
    .work = lrn_work,
    .saved = ec__saved_in_out,
    .example = "lrn x=32x96x55x55 size=5",
};
