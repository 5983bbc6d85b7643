/* A toy backend of a few kernels in double precision, so that what the program compiler does is
 * tested apart from any real backend. Formats: `mirrored` holds the elements in reverse order. */
#ifndef TOY_H
#define TOY_H

#include "engine/backend.h"
#include "engine/flat_host.h"
#include "engine/program.h"
#include "test.h"

#include <stdlib.h>

static int toy_mirror; /* kernels of the main list choose the mirrored format */
static int toy_dropped, toy_prepared;
static const char toy_mirrored[] = "mirrored";

static inline int64_t toy_elems(const struct ec_type *t)
{
    int64_t n = 0;

    (void)ec_shape_count(&t->shape, &n);
    return n;
}

static inline double toy_at(const struct ec_fmt *f, const void *x, int64_t n, int64_t i)
{
    return ((const double *)x)[f && f->layout ? n - 1 - i : i];
}

static inline void toy_put(const struct ec_fmt *f, void *x, int64_t n, int64_t i, double v)
{
    ((double *)x)[f && f->layout ? n - 1 - i : i] = v;
}

static inline const struct ec_fmt *toy_fmt(struct ec_knode *k, const struct ec_type *t)
{
    struct ec_fmt *f;

    if (!toy_mirror)
        return NULL;
    f = ec_arena_alloc(k->arena, sizeof *f);
    if (!f)
        return NULL;
    f->dtype = EC_DT_f64;
    f->bytes = toy_elems(t) * 8;
    f->layout = toy_mirrored;
    return f;
}

static inline enum ec_status toy_ready(struct ec_knode *k, struct ec_err *err)
{
    k->state = ec_alloc(1);
    if (!k->state)
        return ec_nomem(err);
    toy_prepared++;
    return EC_OK;
}

static inline void toy_drop(struct ec_knode *k)
{
    ec_free(k->state);
    toy_dropped++;
}

/* --- linear: y = x W' + b, with or without a ReLU --- */

static inline enum ec_status linear_prepare(struct ec_ctx *ctx, struct ec_knode *k,
                                            struct ec_err *err)
{
    int i;

    (void)ctx;
    k->impl = "toy";
    k->split_backward = true;
    k->keep_in[0] = true;
    k->out_fmt[0] = toy_fmt(k, k->c->out[0]);
    k->scratch_bytes = 100;
    k->ws_bytes = k->fuse & EC_FUSE_RELU_BWD ? toy_elems(k->c->out[0]) * 8 : 0;
    for (i = 0; i < k->n_param; i++)
        if (!k->param_fmt[i])
            k->param_fmt[i] = toy_fmt(k, k->param_type[i]);
    return toy_ready(k, err);
}

struct toy_linear {
    int64_t m, n, k; /* (m x k)(k x n) */
};

static inline struct toy_linear linear_sizes(const struct ec_knode *k)
{
    struct toy_linear s = { 0, k->param_type[0]->shape.d[0], k->param_type[0]->shape.d[1] };

    s.m = toy_elems(k->c->in[0]) / s.k;
    return s;
}

static inline void linear_forward(const struct ec_knode *k, const struct ec_kargs *a)
{
    struct toy_linear s = linear_sizes(k);
    int64_t i, j, l;

    memset(a->scratch, 7, 100);
    for (i = 0; i < s.m; i++)
        for (j = 0; j < s.n; j++) {
            double y = k->n_param > 1 ? toy_at(k->param_fmt[1], a->param[1], s.n, j) : 0;

            for (l = 0; l < s.k; l++)
                y += toy_at(k->in_fmt[0], a->in[0], s.m * s.k, i * s.k + l) *
                     toy_at(k->param_fmt[0], a->param[0], s.n * s.k, j * s.k + l);
            if (k->fuse & EC_FUSE_RELU_BWD)
                ((double *)a->ws)[i * s.n + j] = y > 0;
            toy_put(k->out_fmt[0], a->out[0], s.m * s.n, i * s.n + j, k->fuse && y < 0 ? 0 : y);
        }
}

static inline double linear_d_out(const struct ec_knode *k, const struct ec_kargs *a,
                                  const struct toy_linear *s, int64_t at)
{
    double d = toy_at(k->out_fmt[0], a->d_out[0], s->m * s->n, at);

    return k->fuse & EC_FUSE_RELU_BWD ? d * ((const double *)a->ws)[at] : d;
}

static inline void linear_weight(const struct ec_knode *k, const struct ec_kargs *a)
{
    struct toy_linear s = linear_sizes(k);
    int64_t i, j, l;

    for (j = 0; j < s.n; j++) {
        double b = 0;

        for (i = 0; i < s.m; i++)
            b += linear_d_out(k, a, &s, i * s.n + j);
        if (k->n_param > 1 && a->d_param[1])
            toy_put(k->param_fmt[1], a->d_param[1], s.n, j, b);
        for (l = 0; l < s.k && a->d_param[0]; l++) {
            double w = 0;

            for (i = 0; i < s.m; i++)
                w += linear_d_out(k, a, &s, i * s.n + j) *
                     toy_at(k->in_fmt[0], a->in[0], s.m * s.k, i * s.k + l);
            toy_put(k->param_fmt[0], a->d_param[0], s.n * s.k, j * s.k + l, w);
        }
    }
}

static inline void linear_data(const struct ec_knode *k, const struct ec_kargs *a)
{
    struct toy_linear s = linear_sizes(k);
    int64_t i, j, l;

    for (i = 0; i < s.m; i++)
        for (l = 0; l < s.k; l++) {
            double x = 0;

            for (j = 0; j < s.n; j++)
                x += linear_d_out(k, a, &s, i * s.n + j) *
                     toy_at(k->param_fmt[0], a->param[0], s.n * s.k, j * s.k + l);
            toy_put(k->in_fmt[0], a->d_in[0], s.m * s.k, i * s.k + l, x);
        }
}

static inline enum ec_status linear_run(struct ec_ctx *ctx, const struct ec_knode *k,
                                        enum ec_phase phase, const struct ec_kargs *a,
                                        struct ec_err *err)
{
    (void)ctx;
    (void)err;
    if (phase == EC_FORWARD)
        linear_forward(k, a);
    else if (phase == EC_GRAD_WEIGHT)
        linear_weight(k, a);
    else
        linear_data(k, a);
    return EC_OK;
}

/* --- relu, add, mul, flatten, sigmoid (a fallback), dropout (halves while training) --- */

static inline enum ec_status relu_prepare(struct ec_ctx *ctx, struct ec_knode *k,
                                          struct ec_err *err)
{
    (void)ctx;
    k->out_fmt[0] = k->in_fmt[0];
    k->keep_out[0] = true;
    k->in_place = k->d_in_place = 0;
    return toy_ready(k, err);
}

static inline enum ec_status relu_run(struct ec_ctx *ctx, const struct ec_knode *k,
                                      enum ec_phase phase, const struct ec_kargs *a,
                                      struct ec_err *err)
{
    int64_t i, n = toy_elems(k->c->out[0]);

    (void)ctx;
    (void)err;
    for (i = 0; i < n; i++)
        if (phase == EC_FORWARD)
            ((double *)a->out[0])[i] =
                ((const double *)a->in[0])[i] > 0 ? ((const double *)a->in[0])[i] : 0;
        else
            ((double *)a->d_in[0])[i] =
                ((const double *)a->out[0])[i] > 0 ? ((const double *)a->d_out[0])[i] : 0;
    return EC_OK;
}

static inline bool same_formats(const struct ec_knode *k)
{
    return ec_shape_eq(&k->c->in[0]->shape, &k->c->in[1]->shape) &&
           (!k->in_fmt[0]) == (!k->in_fmt[1]);
}

static inline enum ec_status add_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    k->out_fmt[0] = k->in_fmt[0];
    k->d_out_is_d_in = true;
    k->in_place = 0;
    return toy_ready(k, err);
}

static inline enum ec_status add_run(struct ec_ctx *ctx, const struct ec_knode *k,
                                     enum ec_phase phase, const struct ec_kargs *a,
                                     struct ec_err *err)
{
    int64_t i, n = toy_elems(k->c->out[0]);

    (void)ctx;
    if (phase != EC_FORWARD)
        return ec_fail(err, EC_E_BACKEND, "add has no backward");
    for (i = 0; i < n; i++)
        ((double *)a->out[0])[i] = ((const double *)a->in[0])[i] + ((const double *)a->in[1])[i];
    return EC_OK;
}

static inline enum ec_status mul_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    k->out_fmt[0] = k->in_fmt[0];
    k->keep_in[0] = k->want_d_in[1];
    k->keep_in[1] = k->want_d_in[0];
    return toy_ready(k, err);
}

static inline enum ec_status mul_run(struct ec_ctx *ctx, const struct ec_knode *k,
                                     enum ec_phase phase, const struct ec_kargs *a,
                                     struct ec_err *err)
{
    int64_t i, n = toy_elems(k->c->out[0]);
    const double *x = a->in[0], *y = a->in[1];

    (void)ctx;
    (void)err;
    for (i = 0; i < n; i++) {
        double d = phase == EC_FORWARD ? 0 : ((const double *)a->d_out[0])[i];

        if (phase == EC_FORWARD)
            ((double *)a->out[0])[i] = x[i] * y[i];
        if (phase != EC_FORWARD && a->d_in[0])
            ((double *)a->d_in[0])[i] = d * y[i];
        if (phase != EC_FORWARD && a->d_in[1])
            ((double *)a->d_in[1])[i] = d * x[i];
    }
    return EC_OK;
}

static inline enum ec_status view_prepare(struct ec_ctx *ctx, struct ec_knode *k,
                                          struct ec_err *err)
{
    (void)ctx;
    if (k->in_fmt[0])
        return ec_fail(err, EC_E_UNSUPPORTED, "not plain");
    k->view = true;
    return toy_ready(k, err);
}

static inline enum ec_status sigmoid_run(struct ec_ctx *ctx, const struct ec_knode *k,
                                         enum ec_phase phase, const struct ec_kargs *a,
                                         struct ec_err *err)
{
    int64_t i, n = toy_elems(k->c->out[0]);

    (void)ctx;
    (void)err;
    for (i = 0; i < n; i++)
        if (phase == EC_FORWARD) {
            ((double *)a->out[0])[i] = 1 / (1 + exp(-((const double *)a->in[0])[i]));
        } else {
            double y = ((const double *)a->out[0])[i];

            ((double *)a->d_in[0])[i] = ((const double *)a->d_out[0])[i] * y * (1 - y);
        }
    return EC_OK;
}

static inline enum ec_status sigmoid_prepare(struct ec_ctx *ctx, struct ec_knode *k,
                                             struct ec_err *err)
{
    (void)ctx;
    k->keep_out[0] = true;
    k->in_place = k->d_in_place = 0;
    return toy_ready(k, err);
}

static inline enum ec_status dropout_prepare(struct ec_ctx *ctx, struct ec_knode *k,
                                             struct ec_err *err)
{
    (void)ctx;
    k->out_fmt[0] = k->in_fmt[0];
    return toy_ready(k, err);
}

static inline enum ec_status dropout_run(struct ec_ctx *ctx, const struct ec_knode *k,
                                         enum ec_phase phase, const struct ec_kargs *a,
                                         struct ec_err *err)
{
    int64_t i, n = toy_elems(k->c->out[0]);
    const double *from = phase == EC_FORWARD ? a->in[0] : a->d_out[0];
    double *to = phase == EC_FORWARD ? a->out[0] : a->d_in[0];

    (void)ctx;
    (void)err;
    for (i = 0; i < n; i++)
        to[i] = from[i] * (k->training ? 0.5 : 1);
    return EC_OK;
}

static const struct ec_kernel_row toy_rows[] = {
    {"linear",   EC_FUSE_RELU, NULL,         linear_prepare,  linear_run,  toy_drop},
    { "relu",    0,            NULL,         relu_prepare,    relu_run,    toy_drop},
    { "add",     0,            same_formats, add_prepare,     add_run,     toy_drop},
    { "mul",     0,            same_formats, mul_prepare,     mul_run,     toy_drop},
    { "flatten", 0,            NULL,         view_prepare,    NULL,        toy_drop},
    { "dropout", 0,            NULL,         dropout_prepare, dropout_run, toy_drop},
    { NULL,      0,            NULL,         NULL,            NULL,        NULL    },
};
/* The same, but a linear layer keeps what its ReLU needs. */
static const struct ec_kernel_row toy_rows_bwd[] = {
    {"linear", EC_FUSE_RELU_BWD, NULL, linear_prepare, linear_run, toy_drop},
    { "relu",  0,                NULL, relu_prepare,   relu_run,   toy_drop},
    { NULL,    0,                NULL, NULL,           NULL,       NULL    },
};
static const struct ec_kernel_row toy_fallback[] = {
    {"sigmoid",  0, NULL, sigmoid_prepare, sigmoid_run, toy_drop},
    { "flatten", 0, NULL, view_prepare,    NULL,        toy_drop},
    { "add",     0, NULL, add_prepare,     add_run,     toy_drop},
    { "mul",     0, NULL, mul_prepare,     mul_run,     toy_drop},
    { NULL,      0, NULL, NULL,            NULL,        NULL    },
};

static inline enum ec_status toy_reorder(struct ec_ctx *ctx, const struct ec_type *type,
                                         const struct ec_fmt *from, const void *src,
                                         const struct ec_fmt *to, void *dst, struct ec_err *err)
{
    bool narrow_from = from ? from->dtype == EC_DT_f32 : type->dtype == EC_DT_f32;
    bool narrow_to = to ? to->dtype == EC_DT_f32 : type->dtype == EC_DT_f32;
    int64_t i, n = toy_elems(type);

    (void)ctx;
    (void)err;
    for (i = 0; i < n; i++) {
        double v = narrow_from ? (double)((const float *)src)[i] : toy_at(from, src, n, i);

        if (narrow_to)
            ((float *)dst)[i] = (float)v;
        else
            toy_put(to, dst, n, i, v);
    }
    return EC_OK;
}

/* Named ref64: parameters and values are double. */
static const struct ec_backend toy_backend = {
    .name = "ref64",
    .abi = EC_BACKEND_ABI,
    .rows = toy_rows,
    .fallback = toy_fallback,
    .reorder = toy_reorder,
    .flat = &ec_flat_host,
};
static const struct ec_backend toy_backend_bwd = {
    .name = "ref64",
    .abi = EC_BACKEND_ABI,
    .rows = toy_rows_bwd,
    .fallback = toy_fallback,
    .reorder = toy_reorder,
    .flat = &ec_flat_host,
};

#endif
