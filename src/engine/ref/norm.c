/* Normalisations. All but lrn share one arithmetic: groups of elements with a mean and a variance,
 * a weight and a bias per channel (or per element of a row). With xhat = (x - mean) / deviation and
 * g = dy * weight, dx = (g - mean(g) - xhat mean(g xhat)) / deviation; without a mean (rms) the
 * middle term is missing; with fixed statistics both are.
 *
 * A group is `chunks` runs of `len` elements, `apart` from one another; group i begins at
 * i * len. */
#include "engine/ref/ref_internal.h"

#include <math.h>
#include <string.h>

struct norm {
    int64_t groups, chunks, apart, len;
    /* Parameter of element e of the tensor: e / channel_len % params. */
    int64_t channel_len, params;
    bool rms, batch;
    int weight, bias, mean, var; /* parameters; -1: none */
    double eps, momentum;
};

static void trailing_groups(const struct ec_case *c, struct norm *n)
{
    const struct ec_shape *s = &c->in[0]->shape;
    int64_t dims = ec_case_int(c, "dims");
    int i;

    n->len = 1;
    for (i = s->rank - (int)dims; i < s->rank; i++)
        n->len *= s->d[i];
    n->groups = n->len ? ec__ref_elems(c->in[0]) / n->len : 0;
    n->params = n->len;
    n->channel_len = 1;
}

static struct norm norm_of(const struct ec_knode *k)
{
    const struct ec_case *c = k->c;
    const struct ec_shape *s = &c->in[0]->shape;
    int64_t groups = ec_str_eq(c->op->name, "group_norm") ? ec_case_int(c, "groups") : 0;
    struct norm n = { .chunks = 1, .eps = ec_case_double(c, "eps") };

    n.weight = ec__ref_param(k, "weight");
    n.bias = ec__ref_param(k, "bias");
    n.mean = ec__ref_param(k, "running_mean");
    n.var = ec__ref_param(k, "running_var");
    n.rms = ec_str_eq(c->op->name, "rms_norm");
    n.batch = ec_str_eq(c->op->name, "batch_norm");
    n.momentum = n.batch ? ec_case_double(c, "momentum") : 0;
    if (ec_case_has(c, "dims")) {
        trailing_groups(c, &n);
        return n;
    }
    n.channel_len = ec__ref_plane(s);
    n.params = s->d[1];
    n.len = n.channel_len;
    n.groups = s->d[1];
    if (n.batch) { /* a plane of every sample */
        n.chunks = s->d[0];
        n.apart = s->d[1] * n.len;
    } else {
        n.groups = s->d[0] * (groups ? groups : s->d[1]);
        n.len *= groups ? s->d[1] / groups : 1;
    }
    return n;
}

static int64_t first_of(const struct norm *n, int64_t group)
{
    return group * n->len;
}

static bool norm_prepare(struct ec_knode *k)
{
    struct norm n = norm_of(k);

    k->ws_bytes = 2 * n.groups * (int64_t)sizeof(double);
    k->scratch_bytes = 2 * n.params * (int64_t)sizeof(double);
    return true;
}

/* Mean and 1 / deviation of a group, in two passes. */
static void statistics(const struct norm *n, const real *x, double *ret_mean, double *ret_var)
{
    double count = (double)(n->chunks * n->len), mean = 0, var = 0, d;
    int64_t c, i;

    for (c = 0; !n->rms && c < n->chunks; c++)
        for (i = 0; i < n->len; i++)
            mean += (double)x[c * n->apart + i];
    mean /= count;
    for (c = 0; c < n->chunks; c++)
        for (i = 0; i < n->len; i++) {
            d = (double)x[c * n->apart + i] - mean;
            var += d * d;
        }
    *ret_mean = mean;
    *ret_var = var / count;
}

/* running = (1 - momentum) running + momentum new, with the unbiased variance */
static void update_running(const struct norm *n, const struct ec_kargs *a, int64_t channel,
                           double mean, double var)
{
    double count = (double)(n->chunks * n->len);
    real *rm = (real *)a->param[n->mean] + channel, *rv = (real *)a->param[n->var] + channel;

    *rm = (real)((1 - n->momentum) * (double)*rm + n->momentum * mean);
    *rv = (real)((1 - n->momentum) * (double)*rv +
                 n->momentum * var * (count > 1 ? count / (count - 1) : 1));
}

/* Mean and variance that the group is normalised by. */
static void group_statistics(const struct norm *n, const struct ec_kargs *a, int64_t group,
                             bool training, double *ret_mean, double *ret_var)
{
    if (n->batch && !training) {
        *ret_mean = (double)((real *)a->param[n->mean])[group];
        *ret_var = (double)((real *)a->param[n->var])[group];
        return;
    }
    statistics(n, (const real *)a->in[0] + first_of(n, group), ret_mean, ret_var);
    if (n->batch)
        update_running(n, a, group, *ret_mean, *ret_var);
}

static double param_at(const struct norm *n, const struct ec_kargs *a, int param, int64_t e,
                       double missing)
{
    return param < 0 ? missing
                     : (double)((const real *)a->param[param])[e / n->channel_len % n->params];
}

static void norm_forward(const struct norm *n, const struct ec_kargs *a, bool training)
{
    double *stat = a->ws; /* (groups, 2): mean, 1 / deviation */
    const real *x = a->in[0];
    real *y = a->out[0];
    int64_t group, c, i;

    for (group = 0; group < n->groups; group++, stat += 2) {
        group_statistics(n, a, group, training, &stat[0], &stat[1]);
        stat[1] = 1 / sqrt(stat[1] + n->eps);
        for (c = 0; c < n->chunks; c++)
            for (i = 0; i < n->len; i++) {
                int64_t e = first_of(n, group) + c * n->apart + i;

                y[e] = (real)(((double)x[e] - stat[0]) * stat[1] * param_at(n, a, n->weight, e, 1) +
                              param_at(n, a, n->bias, e, 0));
            }
    }
}

struct sums {
    double g, gx; /* of the gradient of xhat, and of that times xhat */
};

/* Sums of a group; adds the shares of the parameters' gradients to dw and db (params each). */
static struct sums backward_sums(const struct norm *n, const struct ec_kargs *a, int64_t group,
                                 double *dw, double *db)
{
    const double *stat = (const double *)a->ws + 2 * group;
    const real *x = a->in[0], *dy = a->d_out[0];
    struct sums s = { 0, 0 };
    int64_t c, i;

    for (c = 0; c < n->chunks; c++)
        for (i = 0; i < n->len; i++) {
            int64_t e = first_of(n, group) + c * n->apart + i, p = e / n->channel_len % n->params;
            double xhat = ((double)x[e] - stat[0]) * stat[1], d = (double)dy[e];
            double g = d * param_at(n, a, n->weight, e, 1);

            s.g += g;
            s.gx += g * xhat;
            dw[p] += d * xhat;
            db[p] += d;
        }
    return s;
}

static void backward_dx(const struct norm *n, const struct ec_kargs *a, int64_t group,
                        const struct sums *s)
{
    const double *stat = (const double *)a->ws + 2 * group;
    const real *x = a->in[0], *dy = a->d_out[0];
    double count = (double)(n->chunks * n->len), mean = n->rms ? 0 : s->g / count;
    int64_t c, i;

    for (c = 0; c < n->chunks; c++)
        for (i = 0; i < n->len; i++) {
            int64_t e = first_of(n, group) + c * n->apart + i;
            double xhat = ((double)x[e] - stat[0]) * stat[1];
            double g = (double)dy[e] * param_at(n, a, n->weight, e, 1);

            ((real *)a->d_in[0])[e] = (real)((g - mean - xhat * s->gx / count) * stat[1]);
        }
}

static void norm_backward(const struct norm *n, const struct ec_kargs *a, bool training)
{
    double *dw = a->scratch, *db = dw + n->params;
    int64_t group;

    memset(dw, 0, sizeof *dw * 2 * (size_t)n->params);
    for (group = 0; group < n->groups; group++) {
        struct sums s = backward_sums(n, a, group, dw, db);

        if (n->batch && !training) /* the statistics are constants */
            s.g = s.gx = 0;
        if (a->d_in[0])
            backward_dx(n, a, group, &s);
    }
    if (n->weight >= 0 && a->d_param[n->weight])
        ec__ref_from_double(dw, a->d_param[n->weight], n->params);
    if (n->bias >= 0 && a->d_param[n->bias])
        ec__ref_from_double(db, a->d_param[n->bias], n->params);
}

static enum ec_status norm_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct norm n = norm_of(call->k);

    if (call->phase == EC_FORWARD)
        norm_forward(&n, a, call->k->training);
    else if (call->phase == EC_GRAD_DATA)
        norm_backward(&n, a, call->k->training);
    return EC_OK;
}

/* --- lrn: y = x / d^beta, d = k + alpha / size * sum of x^2 over neighbouring channels, with
 * PyTorch's defaults --- */

#define LRN_ALPHA 1e-4
#define LRN_BETA 0.75
#define LRN_K 1.0

struct lrn {
    int64_t channels, plane, size;
};

/* Neighbours of channel c, as PyTorch pads: size / 2 before it, the rest after. */
static int64_t lrn_first(const struct lrn *l, int64_t c)
{
    return EC__REF_MAX(0, c - l->size / 2);
}

static int64_t lrn_end(const struct lrn *l, int64_t c)
{
    return EC__REF_MIN(l->channels, c + (l->size - 1) / 2 + 1);
}

static double lrn_divisor(const struct lrn *l, const real *x, int64_t c)
{
    double sum = 0;
    int64_t i;

    for (i = lrn_first(l, c); i < lrn_end(l, c); i++)
        sum += (double)x[i * l->plane] * (double)x[i * l->plane];
    return LRN_K + LRN_ALPHA / (double)l->size * sum;
}

/* x, dy, dx: the channels of one place of a sample */
static void lrn_backward(const struct lrn *l, const real *x, const real *dy, real *dx)
{
    int64_t c, i;

    for (c = 0; c < l->channels; c++)
        dx[c * l->plane] = 0;
    for (c = 0; c < l->channels; c++) {
        double d = lrn_divisor(l, x, c), g = (double)dy[c * l->plane] * pow(d, -LRN_BETA);
        double each = -2 * LRN_ALPHA * LRN_BETA / (double)l->size * g * (double)x[c * l->plane] / d;

        dx[c * l->plane] += (real)g;
        for (i = lrn_first(l, c); i < lrn_end(l, c); i++)
            dx[i * l->plane] += (real)(each * (double)x[i * l->plane]);
    }
}

static void lrn_forward(const struct lrn *l, const real *x, real *y)
{
    int64_t c;

    for (c = 0; c < l->channels; c++)
        y[c * l->plane] = (real)((double)x[c * l->plane] * pow(lrn_divisor(l, x, c), -LRN_BETA));
}

static enum ec_status lrn_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const struct ec_shape *s = &call->c->in[0]->shape;
    struct lrn l = { s->d[1], ec__ref_plane(s), ec_case_int(call->c, "size") };
    int64_t i, j;

    for (i = 0; i < s->d[0]; i++)
        for (j = 0; j < l.plane; j++) {
            int64_t at = i * l.channels * l.plane + j;

            if (call->phase == EC_FORWARD)
                lrn_forward(&l, (const real *)a->in[0] + at, (real *)a->out[0] + at);
            else if (call->phase == EC_GRAD_DATA && a->d_in[0])
                lrn_backward(&l, (const real *)a->in[0] + at, (const real *)a->d_out[0] + at,
                             (real *)a->d_in[0] + at);
        }
    return EC_OK;
}

EC__REF_KERNEL(batch_norm, .keeps_in = 1, .prepare = norm_prepare, .run = norm_run)
EC__REF_KERNEL(group_norm, .keeps_in = 1, .prepare = norm_prepare, .run = norm_run)
EC__REF_KERNEL(instance_norm, .keeps_in = 1, .prepare = norm_prepare, .run = norm_run)
EC__REF_KERNEL(layer_norm, .keeps_in = 1, .prepare = norm_prepare, .run = norm_run)
EC__REF_KERNEL(rms_norm, .keeps_in = 1, .prepare = norm_prepare, .run = norm_run)
EC__REF_KERNEL(lrn, .keeps_in = 1, .run = lrn_run)
