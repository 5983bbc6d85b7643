/* Output extents of sliding windows, as PyTorch and ONNX define them. */
#include "op/op_internal.h"

#include <math.h>

const char *const ec__pad_words[] = { "valid", "same", NULL };
#define PAD_VALID (-1)
#define PAD_SAME (-2)
#define EXTENT_IN_MAX ((int64_t)1 << 40) /* keeps extents, strides and padding from overflowing */

double ec__spatial(const struct ec_shape *s)
{
    double n = 1;
    int i;

    for (i = 2; i < s->rank; i++)
        n *= (double)s->d[i];
    return n;
}

double ec__window_taps(const struct ec__window *w)
{
    double n = 1;
    int i;

    for (i = 0; i < w->dims; i++)
        n *= (double)w->filter[i];
    return n;
}

double ec__window_stride(const struct ec__window *w)
{
    double n = 1;
    int i;

    for (i = 0; i < w->dims; i++)
        n *= (double)w->stride[i];
    return w->dims == 1 ? n : pow(n, 1.0 / w->dims);
}

static enum ec_status check_list(const struct ec_ints *v, int dims, const char *name,
                                 struct ec_err *err)
{
    if (v->n == 1 || v->n == dims)
        return EC_OK;
    return ec_fail(err, EC_E_SHAPE, "%s has %d numbers, expected 1 or %d", name, v->n, dims);
}

static enum ec_status check_pad(const struct ec_ints *v, int dims, struct ec_err *err)
{
    if (v->n < 0 || v->n == 1 || v->n == dims || v->n == 2 * dims)
        return EC_OK;
    return ec_fail(err, EC_E_SHAPE, "pad has %d numbers, expected 1, %d or %d", v->n, dims,
                   2 * dims);
}

/* Padding of dimension i, begin and end together. */
static int64_t pad_total(const struct ec_ints *pad, int i, int dims)
{
    if (pad->n < 0)
        return 0;
    if (pad->n == 2 * dims)
        return pad->v[i] + pad->v[dims + i];
    return 2 * ec__ints_at(pad, i);
}

static int64_t pad_begin(const struct ec_ints *pad, int i)
{
    return pad->n < 0 ? 0 : ec__ints_at(pad, i);
}

/* Extent of a dilated filter. */
static int64_t span_of(const struct ec__window *w, int i)
{
    return (w->filter[i] - 1) * w->dil[i] + 1;
}

static enum ec_status too_large(const struct ec_shape *x, const struct ec__window_attrs *a,
                                const struct ec__window *w, struct ec_err *err)
{
    struct ec_shape padded = { w->dims, { 0 } }, span = { w->dims, { 0 } };
    char ts[64], tp[128];
    int i;

    for (i = 0; i < w->dims; i++) {
        padded.d[i] = x->d[2 + i] + pad_total(a->pad, i, w->dims);
        span.d[i] = span_of(w, i);
    }
    return ec_fail(err, EC_E_SHAPE, "kernel %s exceeds padded input %s",
                   ec_shape_text(&span, ts, sizeof ts), ec_shape_text(&padded, tp, sizeof tp));
}

/* floor((in + pad - span) / stride) + 1; with ceil_mode the last window may hang over the end but
 * must start inside the input or its leading padding. 0 when nothing fits. */
static int64_t extent(int64_t in, const struct ec__window_attrs *a, const struct ec__window *w,
                      int i)
{
    int64_t stride = w->stride[i], room, out;

    if (a->pad->n == PAD_SAME)
        return in / stride + (in % stride != 0);
    room = in + pad_total(a->pad, i, w->dims) - span_of(w, i);
    if (room < 0)
        return 0;
    out = room / stride + 1;
    if (a->ceil_mode && room % stride != 0 && out * stride < in + pad_begin(a->pad, i))
        out++;
    return out;
}

/* (in - 1) * stride - pad + span + out_pad */
static enum ec_status extent_transposed(int64_t in, const struct ec__window_attrs *a,
                                        const struct ec__window *w, int i, int64_t *ret,
                                        struct ec_err *err)
{
    int64_t extra = ec__ints_at(a->out_pad, i), steps, out;

    if (extra >= w->stride[i] && extra >= w->dil[i] && extra > 0)
        return ec_fail(err, EC_E_SHAPE, "out_pad %lld is not smaller than stride %lld or dil %lld",
                       (long long)extra, (long long)w->stride[i], (long long)w->dil[i]);
    if (!ec_mul_i64(a->pad->n == PAD_SAME ? in : in - 1, w->stride[i], &steps))
        return ec_fail(err, EC_E_SHAPE, "input extent %lld times stride %lld is too large",
                       (long long)in, (long long)w->stride[i]);
    out = steps;
    if (a->pad->n != PAD_SAME)
        out += span_of(w, i) + extra - pad_total(a->pad, i, w->dims);
    if (out < 1)
        return ec_fail(err, EC_E_SHAPE, "padding %lld leaves no output of input extent %lld",
                       (long long)pad_total(a->pad, i, w->dims), (long long)in);
    *ret = out;
    return EC_OK;
}

static enum ec_status check_lists(const struct ec__window_attrs *a, int dims, struct ec_err *err)
{
    EC_PASS(check_list(a->stride, dims, "stride", err));
    EC_PASS(check_list(a->dil, dims, "dil", err));
    EC_PASS(check_pad(a->pad, dims, err));
    if (a->out_pad)
        EC_PASS(check_list(a->out_pad, dims, "out_pad", err));
    return EC_OK;
}

enum ec_status ec__window_make(const struct ec_shape *x, const struct ec__window_attrs *a,
                               struct ec__window *ret, struct ec_err *err)
{
    struct ec__window w = { 0 };
    int i;

    w.dims = x->rank - 2;
    EC_PASS(check_lists(a, w.dims, err));
    for (i = 0; i < w.dims; i++) {
        w.filter[i] = a->filter[i];
        w.stride[i] = ec__ints_at(a->stride, i);
        w.dil[i] = ec__ints_at(a->dil, i);
        if (x->d[2 + i] < 1 || x->d[2 + i] > EXTENT_IN_MAX)
            return ec_fail(err, EC_E_SHAPE, "input extent %lld, expected 1 to 2^40",
                           (long long)x->d[2 + i]);
    }
    for (i = 0; i < w.dims; i++) {
        if (a->out_pad) {
            EC_PASS(extent_transposed(x->d[2 + i], a, &w, i, &w.out[i], err));
            continue;
        }
        w.out[i] = extent(x->d[2 + i], a, &w, i);
        if (w.out[i] < 1)
            return too_large(x, a, &w, err);
    }
    *ret = w;
    return EC_OK;
}
