/* Images from bytes to numbers: crop, flip, resize, normalise, in one pass over the rows that are
 * needed. */
#include "dataset/samples_internal.h"

#include <math.h>
#include <string.h>

void ec__levels_make(struct ec__levels *l, const struct ec_samples_info *info)
{
    int c, i;

    for (c = 0; c < EC_CHANNELS_MAX; c++) {
        bool known = c < info->n_channels;
        double mean = known ? (double)info->mean[c] : 0, std = known ? (double)info->std[c] : 1;

        l->scale[c] = (float)(1 / (255 * std));
        l->shift[c] = (float)(-mean / std);
        for (i = 0; i < 256; i++)
            l->v[c][i] = (float)((i / 255.0 - mean) / std);
    }
}

/* --- Weights of one axis --- */

/* Output i is the sum of n[i] inputs from first[i], times weight[i * taps]. */
struct axis {
    int64_t taps;
    int32_t *first, *n;
    float *weight;
};

static size_t axis_bytes(int64_t out, int64_t taps)
{
    return (size_t)out * (2 * sizeof(int32_t) + (size_t)taps * sizeof(float));
}

static int64_t axis_taps(double length, int64_t out)
{
    double step = length / (double)out;

    return 2 * (int64_t)ceil(step > 1 ? step : 1) + 1;
}

static void set_weights(float *weight, int64_t from, int64_t to, double centre, double step)
{
    double sum = 0, v;
    int64_t k;

    for (k = from; k < to; k++) {
        v = 1 - fabs(((double)k + 0.5 - centre) / step);
        weight[k - from] = (float)(v > 0 ? v : 0);
        sum += (double)weight[k - from];
    }
    for (k = from; k < to; k++)
        weight[k - from] = sum > 0 ? (float)((double)weight[k - from] / sum) : 0;
}

/* start, length: of the box along the axis; size: of the image. `flip` mirrors the outputs. */
static void axis_make(struct axis *a, char *memory, double start, double length, int64_t size,
                      int64_t out, bool flip)
{
    double step = length / (double)out, support = step > 1 ? step : 1, centre;
    int64_t i, at, from, to;

    a->taps = axis_taps(length, out);
    a->weight = (float *)(void *)memory;
    a->first = (int32_t *)(void *)(a->weight + out * a->taps);
    a->n = a->first + out;
    for (i = 0; i < out; i++) {
        at = flip ? out - 1 - i : i;
        centre = start + ((double)i + 0.5) * step;
        from = (int64_t)floor(centre - support + 0.5);
        to = (int64_t)floor(centre + support + 0.5);
        from = from < 0 ? 0 : from >= size ? size - 1 : from;
        to = to > size ? size : to;
        to = to <= from ? from + 1 : to;
        to = to - from > a->taps ? from + a->taps : to;
        a->first[at] = (int32_t)from;
        a->n[at] = (int32_t)(to - from);
        set_weights(a->weight + at * a->taps, from, to, centre, support);
    }
}

/* --- Resizing --- */

/* One row of three channels that stand side by side, which is what JPEG gives. */
static void shrink_row3(const unsigned char *row, const struct axis *ax, int64_t w, float *out)
{
    int64_t i;
    int32_t k;

    for (i = 0; i < w; i++) {
        const unsigned char *p = row + (ptrdiff_t)ax->first[i] * 3;
        const float *wt = ax->weight + i * ax->taps;
        float r = 0, g = 0, b = 0;

        for (k = 0; k < ax->n[i]; k++, p += 3) {
            r += wt[k] * (float)p[0];
            g += wt[k] * (float)p[1];
            b += wt[k] * (float)p[2];
        }
        out[i] = r;
        out[w + i] = g;
        out[2 * w + i] = b;
    }
}

static void shrink_row(const struct ec__image *im, const unsigned char *row, const struct axis *ax,
                       int64_t w, float *out)
{
    int64_t c, i;
    int32_t k;

    if (im->c == 3 && im->step_x == 3 && im->step_c == 1) {
        shrink_row3(row, ax, w, out);
        return;
    }
    for (c = 0; c < im->c; c++)
        for (i = 0; i < w; i++) {
            const unsigned char *p = row + c * im->step_c + ax->first[i] * im->step_x;
            const float *wt = ax->weight + i * ax->taps;
            float sum = 0;

            for (k = 0; k < ax->n[i]; k++, p += im->step_x)
                sum += wt[k] * (float)*p;
            out[c * w + i] = sum;
        }
}

/* Rows already shrunk, kept in a ring of `taps`: neighbours of the output use the same ones. */
struct rows {
    float *v; /* (taps, c, w) */
    int64_t taps, next, row_elems;
};

static const float *row_at(struct rows *r, const struct ec__image *im, const struct axis *ax,
                           int64_t w, int64_t y)
{
    for (; r->next <= y; r->next++)
        shrink_row(im, im->data + r->next * im->step_y, ax, w,
                   r->v + r->next % r->taps * r->row_elems);
    return r->v + y % r->taps * r->row_elems;
}

static void add_row(float *sum, const float *row, float weight, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++)
        sum[i] += weight * row[i];
}

static void put_row(const struct ec__levels *l, const float *sum, int64_t from_c, int64_t c,
                    int64_t w, int64_t plane, float *x)
{
    int64_t k, i;

    for (k = 0; k < c; k++) {
        const float *v = sum + (from_c == 1 ? 0 : k * w);
        float scale = l->scale[k], shift = l->shift[k];

        for (i = 0; i < w; i++)
            x[k * plane + i] = v[i] * scale + shift;
    }
}

enum ec_status ec__image_resize(const struct ec__image *im, const struct ec__box *box, bool flip,
                                const struct ec__levels *l, const int64_t shape[3], float *x,
                                struct ec__scratch *scratch, struct ec_err *err)
{
    int64_t c = shape[0], h = shape[1], w = shape[2];
    size_t x_bytes = axis_bytes(w, axis_taps(box->w, w)), y_bytes;
    int64_t y_taps = axis_taps(box->h, h), y;
    struct rows rows = { .taps = y_taps, .row_elems = im->c * w };
    struct axis ax, ay;
    char *memory;
    float *sum;
    int32_t k;

    if (!x)
        return EC_OK;
    y_bytes = axis_bytes(h, y_taps);
    memory = ec__scratch_get(
        scratch, 0, x_bytes + y_bytes + (size_t)((y_taps + 1) * rows.row_elems) * sizeof(float));
    EC_PASS(ec_allocated(memory, err));
    axis_make(&ax, memory, box->x, box->w, im->w, w, flip);
    axis_make(&ay, memory + x_bytes, box->y, box->h, im->h, h, false);
    rows.v = (float *)(void *)(memory + x_bytes + y_bytes);
    rows.next = ay.first[0];
    sum = rows.v + y_taps * rows.row_elems;
    for (y = 0; y < h; y++) {
        memset(sum, 0, (size_t)rows.row_elems * sizeof *sum);
        for (k = 0; k < ay.n[y]; k++)
            add_row(sum, row_at(&rows, im, &ax, w, ay.first[y] + k), ay.weight[y * ay.taps + k],
                    rows.row_elems);
        put_row(l, sum, im->c, c, w, h * w, x + y * w);
    }
    return EC_OK;
}

#define BOX_TRIES 10

void ec__random_box(struct ec_rng *r, int64_t h, int64_t w, struct ec__box *ret)
{
    double area = (double)h * (double)w, part, aspect, bw, bh, edge;
    int i;

    for (i = 0; i < BOX_TRIES; i++) {
        part = area * (0.08 + 0.92 * ec_rng_unit(r));
        aspect = exp(log(0.75) + (log(4.0 / 3) - log(0.75)) * ec_rng_unit(r));
        bw = round(sqrt(part * aspect));
        bh = round(sqrt(part / aspect));
        if (bw < 1 || bh < 1 || bw > (double)w || bh > (double)h)
            continue;
        *ret = (struct ec__box){ .h = bh, .w = bw };
        ret->y = (double)ec_rng_range(r, 0, h - (int64_t)bh);
        ret->x = (double)ec_rng_range(r, 0, w - (int64_t)bw);
        return;
    }
    edge = (double)(h < w ? h : w);
    *ret = (struct ec__box){ ((double)h - edge) / 2, ((double)w - edge) / 2, edge, edge };
}

enum ec_status ec__image_shape(struct ec_samples *s, int64_t c, int64_t h, int64_t w,
                               struct ec_err *err)
{
    const struct ec_ints *net = &s->opts.shape;
    struct ec_samples_info *info = &s->info;
    int64_t own[3] = { c, h, w };
    int i;

    info->input = EC_INPUT_F32;
    info->rank = 3;
    for (i = 0; i < 3; i++)
        info->shape[i] = net->n == 3 ? net->v[i] : own[i];
    if (net->n && net->n != 3)
        return ec_fail(err, EC_E_INPUT, "images have 3 dimensions, the network takes %d", net->n);
    if (info->shape[0] != c && c != 1)
        return ec_fail(err, EC_E_INPUT, "images have %lld channels, the network takes %lld",
                       (long long)c, (long long)info->shape[0]);
    if (info->shape[0] > EC_CHANNELS_MAX)
        return ec_fail(err, EC_E_INPUT, "%lld channels, expected at most %d",
                       (long long)info->shape[0], EC_CHANNELS_MAX);
    if (info->shape[1] > 16384 || info->shape[2] > 16384)
        return ec_fail(err, EC_E_INPUT, "images of %lldx%lld, expected at most 16384 pixels a side",
                       (long long)info->shape[1], (long long)info->shape[2]);
    info->input_elems = info->shape[0] * info->shape[1] * info->shape[2];
    return EC_OK;
}
