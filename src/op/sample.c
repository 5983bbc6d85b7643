/* Drawing cases that networks could hold, within limits, by the samplers of the operators. */
#include "op/op_internal.h"

#include <string.h>

/* Draws of one operator before the limits are called too tight for it. */
#define TRIES_MAX 400
#define F32_BYTES 4.0

/* What a training step of the case alone needs at least: every tensor and its gradient, the
 * parameters with gradient and one tensor of optimizer state, what backward keeps. */
double ec_case_train_bytes(const struct ec_case *c)
{
    struct ec_param_list params = { 0 };
    struct ec_saved saved = { 0 };
    double elems = 2 * (ec__in_all(c) + ec__out_all(c));
    int64_t n = 0;
    int i;

    if (c->op->params)
        c->op->params(c, &params);
    for (i = 0; i < params.n; i++)
        elems += ec_shape_count(&params.p[i].shape, &n) ? 3 * (double)n : 0;
    c->op->saved(c, &saved);
    return F32_BYTES * (elems + saved.extra_elems) + saved.extra_bytes;
}

static double train_flop(const struct ec_case *c)
{
    double flop = 0;
    int p, i;

    for (p = 0; p < EC_UPDATE; p++) {
        struct ec_work w = { 0 };

        c->op->work(c, (enum ec_phase)p, &w);
        for (i = 0; i < w.n; i++)
            flop += w.kernel[i].flop;
    }
    return flop;
}

bool ec_case_within(const struct ec_case *c, const struct ec_sample_limits *limits)
{
    return (limits->max_bytes <= 0 || ec_case_train_bytes(c) <= limits->max_bytes) &&
           (limits->max_flop <= 0 || train_flop(c) <= limits->max_flop);
}

enum ec_status ec_op_sample(const struct ec_op *op, const struct ec_sample_limits *limits,
                            struct ec_rng *rng, struct ec_buf *ret_text, struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    enum ec_status st = EC_OK;
    bool within = false;
    int i;

    if (!op->sample)
        return ec_fail(err, EC_E_UNSUPPORTED, "operator %s has no rule to draw cases by", op->name);
    for (i = 0; i < TRIES_MAX && !within; i++) {
        ec_case_clear(&c);
        ec_buf_reset(ret_text);
        op->sample(op, rng, ret_text);
        EC_TRY(ec_buf_status(ret_text, err));
        EC_TRY(ec_case_parse(ec_buf_text(ret_text), &c, err));
        within = ec_case_within(&c.c, limits);
    }
    if (!within)
        EC_TRY(ec_fail(err, EC_E_INPUT, "none of %d cases of %s stayed within the limits",
                       TRIES_MAX, op->name));
    ec_buf_reset(ret_text);
    ec_case_print(&c.c, ret_text);
    EC_TRY(ec_buf_status(ret_text, err));
out:
    ec_case_clear(&c);
    return st;
}

enum ec_status ec_ops_named(const struct ec_strs *names, struct ec_arena *a,
                            const struct ec_op *const **ret, int *ret_n, struct ec_err *err)
{
    const struct ec_op *const *all;
    const struct ec_op **v = NULL;
    int n_all, n = 0, i, most;
    size_t len = 0;

    all = ec_ops(&n_all);
    for (i = 0; i < names->n; i++)
        len += strlen(names->v[i]);
    most = n_all + (int)len + names->n;
    v = ec_arena_alloc(a, sizeof *v * (size_t)most);
    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < names->n; i++) {
        struct ec_span rest = ec_span_of(names->v[i]), word;

        while (rest.p && ec_span_cut(&rest, ',', &word))
            EC_PASS(ec_op_named(ec_span_trim(word), &v[n++], err));
    }
    for (i = 0; i < n_all && !names->n; i++)
        if (all[i]->sample && !(all[i]->flags & EC_OPF_NO_GRAD))
            v[n++] = all[i];
    *ret = v;
    *ret_n = n;
    return EC_OK;
}

bool ec_case_is_layer(const struct ec_case *c)
{
    struct ec_work w;

    w.n = 0;
    c->op->work(c, EC_FORWARD, &w);
    return w.n > 0 && w.kernel[0].kclass != EC_K_STREAM && w.kernel[0].kclass != EC_K_COPY;
}

/* By its example: element-wise, a tensor like its input comes out, and a gradient goes back. */
static bool is_activation(const struct ec_case *c)
{
    struct ec_work w;

    if (c->n_in != 1 || c->n_out != 1 || c->op->params || c->op->flags & EC_OPF_LOSS ||
        c->in[0]->dtype != c->out[0]->dtype || !ec_shape_eq(&c->in[0]->shape, &c->out[0]->shape))
        return false;
    w.n = 0;
    c->op->work(c, EC_GRAD_DATA, &w);
    return w.n == 1 && w.kernel[0].kclass == EC_K_STREAM && w.kernel[0].flop > 0;
}

enum ec_status ec_activation_named(const char *name, const struct ec_op **ret, struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    const struct ec_op *op = NULL;
    enum ec_status st = EC_OK;

    if (*name && !ec_str_eq(name, "none"))
        EC_TRY(ec_op_named(ec_span_of(name), &op, err));
    if (op) {
        EC_TRY(ec_case_parse(op->example, &c, err));
        if (!is_activation(&c.c))
            EC_TRY(ec_fail(err, EC_E_INPUT,
                           "activation %s: expected an element-wise operator of one input, such as "
                           "relu, tanh or sigmoid; none is without",
                           op->name));
    }
    *ret = op;
out:
    ec_case_clear(&c);
    return st;
}
