/* Convolution, and transposed convolution as the same with both sides changing places.
 *
 * The *many* side is the one whose elements windows slide over, the *window* side has one element
 * per window: input and output of a convolution, output and input of a transposed one. Weights are
 * (channels of the window side, channels of the many side / groups, filter) in both. Three products
 * do everything, with the windows laid out as a matrix of columns, some rows of windows at a time:
 *   to windows    window = W columns(many)        conv forward, transposed grad_data
 *   from windows  many = scatter(W' window)       conv grad_data, transposed forward
 *   weights       dW = window columns(many)'      grad_weight of both */
#include "engine/ref/ref_internal.h"

#include <string.h>

#define COLUMN_BYTES                                                                               \
    ((int64_t)1 << 19) /* of the matrix of columns: it should stay in the cache                    \
                        */

struct geometry {
    struct ec_window w; /* in is the many side, out the window side */
    bool transposed;
    int64_t batch, groups;
    int64_t c, k;              /* channels of one group: many side, window side */
    int64_t many, windows;     /* elements of one channel */
    int64_t depth;             /* c * filter elements: rows of the matrix of columns */
    int64_t lines, line_chunk; /* rows of windows: all, in one matrix */
    bool direct;               /* the many side is that matrix itself */
};

static int64_t product(const int64_t d[EC_WINDOW_DIMS])
{
    return d[0] * d[1] * d[2];
}

static bool is_direct(const struct ec_window *w)
{
    int i;

    for (i = 0; i < EC_WINDOW_DIMS; i++)
        if (w->filter[i] != 1 || w->stride[i] != 1 || w->pad[i] != 0 || w->in[i] != w->out[i])
            return false;
    return true;
}

static struct geometry geometry_of(const struct ec_case *c)
{
    struct geometry g = { 0 };
    int64_t x_channels = c->in[0]->shape.d[1], y_channels = c->out[0]->shape.d[1], i, line;

    (void)ec_case_window(c, &g.w);
    g.transposed = ec_case_has(c, "out_pad");
    g.batch = c->in[0]->shape.d[0];
    g.groups = ec_case_int(c, "groups");
    if (g.transposed) {
        for (i = 0; i < EC_WINDOW_DIMS; i++) {
            int64_t x = g.w.in[i];

            g.w.in[i] = g.w.out[i];
            g.w.out[i] = x;
        }
    }
    g.c = (g.transposed ? y_channels : x_channels) / g.groups;
    g.k = (g.transposed ? x_channels : y_channels) / g.groups;
    g.many = product(g.w.in);
    g.windows = product(g.w.out);
    g.depth = g.c * product(g.w.filter);
    g.direct = is_direct(&g.w);
    g.lines = g.w.out[0] * g.w.out[1];
    line = g.depth * g.w.out[2] * (int64_t)sizeof(real);
    g.line_chunk = EC__REF_MIN(g.lines, EC__REF_MAX(1, line ? COLUMN_BYTES / line : 1));
    if (g.direct)
        g.line_chunk = g.lines;
    return g;
}

/* Windows of one line whose element at `shift` lies inside [0, in). */
static void inside(int64_t in, int64_t out, int64_t stride, int64_t shift, int64_t *ret_first,
                   int64_t *ret_end)
{
    int64_t first = shift < 0 ? (-shift + stride - 1) / stride : 0;
    int64_t end = shift < in ? (in - shift + stride - 1) / stride : 0;

    end = EC__REF_MIN(end, out);
    *ret_first = EC__REF_MIN(first, end);
    *ret_end = end;
}

/* One line of one row of the matrix: windows out[0..n) of filter element f at line `line`. */
struct tap {
    int64_t f[EC_WINDOW_DIMS];
};

/* Offset of the line's input, -1 when it lies in the padding. */
static int64_t line_of(const struct geometry *g, const struct tap *t, int64_t line)
{
    const struct ec_window *w = &g->w;
    int64_t d = line / w->out[1] * w->stride[0] - w->pad[0] + t->f[0] * w->dil[0];
    int64_t h = line % w->out[1] * w->stride[1] - w->pad[1] + t->f[1] * w->dil[1];

    if (d < 0 || d >= w->in[0] || h < 0 || h >= w->in[1])
        return -1;
    return (d * w->in[1] + h) * w->in[2];
}

static void gather_line(const struct geometry *g, const struct tap *t, const real *many,
                        int64_t line, real *to)
{
    const struct ec_window *w = &g->w;
    int64_t off = line_of(g, t, line), shift = t->f[2] * w->dil[2] - w->pad[2], first, end, i;

    if (off < 0) {
        memset(to, 0, sizeof *to * (size_t)w->out[2]);
        return;
    }
    many += off;
    inside(w->in[2], w->out[2], w->stride[2], shift, &first, &end);
    for (i = 0; i < first; i++)
        to[i] = 0;
    for (; i < end; i++)
        to[i] = many[i * w->stride[2] + shift];
    for (; i < w->out[2]; i++)
        to[i] = 0;
}

static void scatter_line(const struct geometry *g, const struct tap *t, real *many, int64_t line,
                         const real *from)
{
    const struct ec_window *w = &g->w;
    int64_t off = line_of(g, t, line), shift = t->f[2] * w->dil[2] - w->pad[2], first, end, i;

    if (off < 0)
        return;
    many += off;
    inside(w->in[2], w->out[2], w->stride[2], shift, &first, &end);
    for (i = first; i < end; i++)
        many[i * w->stride[2] + shift] += from[i];
}

/* The matrix of columns for lines [line, line + n): filled from the many side of one group, or
 * added back to it. */
static void columns(const struct geometry *g, real *many, int64_t line, int64_t n, real *cols,
                    bool back)
{
    int64_t row = 0, c, l;
    struct tap t;

    for (c = 0; c < g->c; c++, many += g->many)
        for (t.f[0] = 0; t.f[0] < g->w.filter[0]; t.f[0]++)
            for (t.f[1] = 0; t.f[1] < g->w.filter[1]; t.f[1]++)
                for (t.f[2] = 0; t.f[2] < g->w.filter[2]; t.f[2]++, row++)
                    for (l = 0; l < n; l++) {
                        real *at = cols + (row * n + l) * g->w.out[2];

                        if (back)
                            scatter_line(g, &t, many, line + l, at);
                        else
                            gather_line(g, &t, many, line + l, at);
                    }
}

/* Buffers of one group of one sample. `cols` is scratch. */
struct buffers {
    real *many, *window, *weight, *cols;
};
typedef void group_fn(struct ec_ctx *ctx, const struct geometry *g, const struct buffers *b);

/* Number of windows in lines [line, ...) of one matrix. */
static int64_t chunk(const struct geometry *g, int64_t line, int64_t *ret_lines)
{
    *ret_lines = EC__REF_MIN(g->line_chunk, g->lines - line);
    return *ret_lines * g->w.out[2];
}

static void to_windows(struct ec_ctx *ctx, const struct geometry *g, const struct buffers *b)
{
    int64_t line, n;

    for (line = 0; line < g->lines; line += n) {
        int64_t width = chunk(g, line, &n);

        if (!g->direct)
            columns(g, b->many, line, n, b->cols, false);
        ec__ref_gemm(ctx, g->k, width, g->depth, ec__ref_mat(b->weight, g->depth, 1),
                     ec__ref_mat(g->direct ? b->many : b->cols, width, 1),
                     ec__ref_set(b->window + line * g->w.out[2], g->windows));
    }
}

static void from_windows(struct ec_ctx *ctx, const struct geometry *g, const struct buffers *b)
{
    int64_t line, n;

    memset(b->many, 0, sizeof(real) * (size_t)(g->c * g->many));
    for (line = 0; line < g->lines; line += n) {
        int64_t width = chunk(g, line, &n);

        ec__ref_gemm(ctx, g->depth, width, g->k, ec__ref_mat(b->weight, 1, g->depth),
                     ec__ref_mat(b->window + line * g->w.out[2], g->windows, 1),
                     ec__ref_set(g->direct ? b->many : b->cols, width));
        if (!g->direct)
            columns(g, b->many, line, n, b->cols, true);
    }
}

/* Added to the weights' gradient. */
static void weights(struct ec_ctx *ctx, const struct geometry *g, const struct buffers *b)
{
    int64_t line, n;

    for (line = 0; line < g->lines; line += n) {
        int64_t width = chunk(g, line, &n);

        if (!g->direct)
            columns(g, b->many, line, n, b->cols, false);
        ec__ref_gemm(
            ctx, g->k, g->depth, width, ec__ref_mat(b->window + line * g->w.out[2], g->windows, 1),
            ec__ref_mat(g->direct ? b->many : b->cols, 1, width), ec__ref_add(b->weight, g->depth));
    }
}

/* x and y are the buffers of the operator's input and output, or of their gradients. The weights of
 * a sample lie `step` after those of the sample before it. */
static void each_group_of(struct ec_ctx *ctx, const struct geometry *g, real *x, real *y,
                          real *weight, int64_t step, real *cols, group_fn *fn)
{
    real *many = g->transposed ? y : x, *window = g->transposed ? x : y;
    int64_t i, group;

    for (i = 0; i < g->batch; i++)
        for (group = 0; group < g->groups; group++) {
            struct buffers b = { many + (i * g->groups + group) * g->c * g->many,
                                 window + (i * g->groups + group) * g->k * g->windows,
                                 weight + i * step + group * g->k * g->depth, cols };

            fn(ctx, g, &b);
        }
}

static void each_group(struct ec_ctx *ctx, const struct geometry *g, real *x, real *y, real *weight,
                       real *cols, group_fn *fn)
{
    each_group_of(ctx, g, x, y, weight, 0, cols, fn);
}

static void add_bias(const struct ec_case *c, real *y, const real *bias)
{
    const struct ec_shape *s = &c->out[0]->shape;
    int64_t plane = ec__ref_elems(c->out[0]) / EC__REF_MAX(1, s->d[0] * s->d[1]), row, i;

    for (row = 0; row < s->d[0] * s->d[1]; row++)
        for (i = 0; i < plane; i++)
            y[row * plane + i] += bias[row % s->d[1]];
}

static void grad_bias(const struct ec_case *c, const real *dy, real *d_bias)
{
    const struct ec_shape *s = &c->out[0]->shape;
    int64_t plane = ec__ref_elems(c->out[0]) / EC__REF_MAX(1, s->d[0] * s->d[1]), k, n, i;

    for (k = 0; k < s->d[1]; k++) {
        double sum = 0;

        for (n = 0; n < s->d[0]; n++)
            for (i = 0; i < plane; i++)
                sum += (double)dy[(n * s->d[1] + k) * plane + i];
        d_bias[k] = (real)sum;
    }
}

static bool conv_prepare(struct ec_knode *k)
{
    struct geometry g = geometry_of(k->c);

    ec__ref_keep(k, k->want_d_param[0], 0);
    if (!g.direct)
        k->scratch_bytes = g.depth * g.line_chunk * g.w.out[2] * (int64_t)sizeof(real);
    return true;
}

static enum ec_status conv_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct geometry g = geometry_of(call->c);
    bool bias = call->k->n_param > 1;

    if (call->phase == EC_FORWARD) {
        each_group(call->ctx, &g, ec__ref_at(a->in[0], 0), a->out[0], a->param[0], a->scratch,
                   g.transposed ? from_windows : to_windows);
        if (bias)
            add_bias(call->c, a->out[0], a->param[1]);
    } else if (call->phase == EC_GRAD_DATA && a->d_in[0]) {
        each_group(call->ctx, &g, a->d_in[0], ec__ref_at(a->d_out[0], 0), a->param[0], a->scratch,
                   g.transposed ? to_windows : from_windows);
    } else if (call->phase == EC_GRAD_WEIGHT) {
        if (a->d_param[0]) {
            memset(a->d_param[0], 0, sizeof(real) * (size_t)ec__ref_elems(call->k->param_type[0]));
            each_group(call->ctx, &g, ec__ref_at(a->in[0], 0), ec__ref_at(a->d_out[0], 0),
                       a->d_param[0], a->scratch, weights);
        }
        if (bias && a->d_param[1])
            grad_bias(call->c, a->d_out[0], a->d_param[1]);
    }
    return EC_OK;
}

EC__REF_KERNEL(conv1d, .split_backward = true, .prepare = conv_prepare, .run = conv_run)
EC__REF_KERNEL(conv2d, .split_backward = true, .prepare = conv_prepare, .run = conv_run)
EC__REF_KERNEL(conv3d, .split_backward = true, .prepare = conv_prepare, .run = conv_run)
EC__REF_KERNEL(conv_transpose1d, .split_backward = true, .prepare = conv_prepare, .run = conv_run)
EC__REF_KERNEL(conv_transpose2d, .split_backward = true, .prepare = conv_prepare, .run = conv_run)
EC__REF_KERNEL(conv_transpose3d, .split_backward = true, .prepare = conv_prepare, .run = conv_run)

static bool each_prepare(struct ec_knode *k)
{
    struct geometry g = geometry_of(k->c);

    if (!g.direct)
        k->scratch_bytes = g.depth * g.line_chunk * g.w.out[2] * (int64_t)sizeof(real);
    return true;
}

static enum ec_status each_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct geometry g = geometry_of(call->c);
    int64_t step = g.groups * g.k * g.depth;

    if (call->phase == EC_FORWARD)
        each_group_of(call->ctx, &g, ec__ref_at(a->in[0], 0), a->out[0], ec__ref_at(a->in[1], 0),
                      step, a->scratch, to_windows);
    if (call->phase == EC_GRAD_DATA && a->d_in[0])
        each_group_of(call->ctx, &g, a->d_in[0], ec__ref_at(a->d_out[0], 0),
                      ec__ref_at(a->in[1], 0), step, a->scratch, from_windows);
    if (call->phase == EC_GRAD_DATA && a->d_in[1]) {
        ec__ref_clear_d_in(call, 1);
        each_group_of(call->ctx, &g, ec__ref_at(a->in[0], 0), ec__ref_at(a->d_out[0], 0),
                      a->d_in[1], step, a->scratch, weights);
    }
    return EC_OK;
}

EC__REF_KERNEL(conv2d_each, .keeps_in = 3, .prepare = each_prepare, .run = each_run)
