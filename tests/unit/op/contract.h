/* The contract of an operator's rules, held for one case. */
#ifndef TEST_CONTRACT_H
#define TEST_CONTRACT_H

#include "op/op.h"

#include <math.h>

static enum ec_status missing(const char *what, struct ec_err *err)
{
    return ec_fail(err, EC_E_INPUT, "%s is missing", what);
}

static bool is_count(double v)
{
    return isfinite(v) && v >= 0;
}

static bool is_matrix_class(enum ec_kclass c)
{
    return c == EC_K_GEMM || c == EC_K_CONV || c == EC_K_DEPTHWISE || c == EC_K_RNN ||
           c == EC_K_ATTENTION;
}

static bool counts_ok(const struct ec_kernel *k)
{
    const double counts[] = { k->mac,    k->flop,   k->read_elems, k->write_elems, k->weight_elems,
                              k->b,      k->m,      k->n,          k->k,           k->fixed_bytes,
                              k->serial, k->stride, k->r,          k->s,           k->launches,
                              k->in_hw,  k->out_hw, k->c_in,       k->c_out,       k->groups };
    int i;

    for (i = 0; i < EC_LEN(counts); i++)
        if (!is_count(counts[i]))
            return false;
    return k->serial >= 1 && k->launches >= 1;
}

static enum ec_status check_kernel(const struct ec_case *c, const struct ec_kernel *k,
                                   enum ec_phase p, struct ec_err *err)
{
    if (k->phase != p)
        return ec_fail(err, EC_E_INPUT, "a kernel of %s says %s", ec_phase_name(p),
                       ec_phase_name(k->phase));
    if ((unsigned)k->kclass >= EC_KCLASS_COUNT || !counts_ok(k))
        return ec_fail(err, EC_E_INPUT, "a %s kernel of %s has a count that is not one",
                       ec_kclass_name(k->kclass), ec_phase_name(p));
    if (k->flop < 2 * k->mac)
        return ec_fail(err, EC_E_INPUT, "%s: %g FLOP are fewer than 2 x %g MAC", ec_phase_name(p),
                       k->flop, k->mac);
    if (k->mac > 0 && !is_matrix_class(k->kclass))
        return ec_fail(err, EC_E_INPUT, "%s: a %s kernel has MAC", ec_phase_name(p),
                       ec_kclass_name(k->kclass));
    if (k->mac > 0 && k->b * k->m * k->n * k->k <= 0)
        return ec_fail(err, EC_E_INPUT, "%s: MAC without a matrix view", ec_phase_name(p));
    if (k->for_input < 0 || k->for_input > (p == EC_GRAD_DATA ? c->n_in : 0))
        return ec_fail(err, EC_E_INPUT, "%s: a kernel is for input %d of %d", ec_phase_name(p),
                       k->for_input - 1, c->n_in);
    return EC_OK;
}

static bool has_trainable(const struct ec_param_list *l)
{
    int i;

    for (i = 0; i < l->n; i++)
        if (l->p[i].trainable)
            return true;
    return false;
}

static enum ec_status check_params(const struct ec_param_list *l, struct ec_err *err)
{
    int i, j;
    int64_t n;

    for (i = 0; i < l->n; i++) {
        if (!l->p[i].role || !l->p[i].role[0])
            return missing("a parameter's role", err);
        if (!ec_shape_count(&l->p[i].shape, &n))
            return ec_fail(err, EC_E_INPUT, "parameter %s is too large", l->p[i].role);
        for (j = 0; j < i; j++)
            if (ec_str_eq(l->p[i].role, l->p[j].role))
                return ec_fail(err, EC_E_INPUT, "two parameters are called %s", l->p[i].role);
    }
    return EC_OK;
}

/* Which phases may have kernels at all. */
static enum ec_status check_phase(const struct ec_case *c, enum ec_phase p, bool trainable, int n,
                                  struct ec_err *err)
{
    unsigned flags = c->op->flags;
    bool allowed = true;

    if (p == EC_FORWARD)
        allowed = !(flags & EC_OPF_VIEW);
    if (p == EC_GRAD_DATA)
        allowed = !(flags & (EC_OPF_NO_GRAD | EC_OPF_INDEX_IN));
    if (p == EC_GRAD_WEIGHT)
        allowed = trainable && !(flags & EC_OPF_NO_GRAD);
    if (p == EC_UPDATE)
        allowed = false;
    if (n && !allowed)
        return ec_fail(err, EC_E_INPUT, "%d kernels in %s, where none belong", n, ec_phase_name(p));
    return EC_OK;
}

/* Weights that train need a gradient: GRAD_WEIGHT makes it, or a kernel that all gradients share.
 */
static bool makes_weight_grad(const struct ec_work *w, enum ec_phase p)
{
    int i;

    for (i = 0; i < w->n; i++)
        if (w->kernel[i].weight_elems > 0 &&
            (p == EC_GRAD_WEIGHT || (p == EC_GRAD_DATA && w->kernel[i].for_input == 0)))
            return true;
    return false;
}

/* A tensor with a dimension of zero: there is nothing to compute. */
static bool is_empty(const struct ec_case *c)
{
    int i;

    for (i = 0; i < c->n_in; i++)
        if (ec_type_elems(c->in[i]) == 0)
            return true;
    return false;
}

static enum ec_status check_work(const struct ec_case *c, struct ec_err *err)
{
    struct ec_param_list params = { 0 };
    bool trainable, has_grad = false;
    enum ec_status st;
    int p, i;

    if (c->op->params)
        c->op->params(c, &params);
    EC_TRY(check_params(&params, err));
    trainable = has_trainable(&params);
    for (p = 0; p < EC_PHASE_COUNT; p++) {
        struct ec_work w = { 0 };

        c->op->work(c, (enum ec_phase)p, &w);
        EC_TRY(check_phase(c, (enum ec_phase)p, trainable, w.n, err));
        for (i = 0; i < w.n; i++)
            EC_TRY(check_kernel(c, &w.kernel[i], (enum ec_phase)p, err));
        has_grad = has_grad || makes_weight_grad(&w, (enum ec_phase)p);
    }
    if (trainable && !has_grad && !is_empty(c))
        return ec_fail(err, EC_E_INPUT, "parameters train, but no kernel makes their gradient");
out:
    return st;
}

static enum ec_status check_saved(const struct ec_case *c, struct ec_err *err)
{
    struct ec_saved s = { 0 };
    uint64_t in = 0;

    c->op->saved(c, &s);
    in = s.in_mask & ~(1u << 31); /* bit 31 stands for all */
    if (!is_count(s.extra_elems) || !is_count(s.extra_bytes))
        return ec_fail(err, EC_E_INPUT, "what backward keeps is not a count");
    if ((c->n_in < 32 && in >> c->n_in) || (c->n_out < 32 && (uint64_t)s.out_mask >> c->n_out))
        return ec_fail(err, EC_E_INPUT, "backward keeps a tensor that does not exist");
    if (c->op->flags & EC_OPF_NO_GRAD && (s.in_mask || s.out_mask || s.extra_bytes > 0))
        return ec_fail(err, EC_E_INPUT, "keeps tensors, but has no gradient");
    return EC_OK;
}

/* Text to case to text to case: the second text equals the first, and so do the outputs. */
static enum ec_status check_round_trip(const struct ec_case *c, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT, again = EC_BUF_INIT;
    struct ec_owned_case other = { 0 };
    enum ec_status st = EC_OK;
    int i;

    ec_case_print(c, &text);
    EC_TRY(ec_case_parse(ec_buf_text(&text), &other, err));
    ec_case_print(&other.c, &again);
    EC_TRY(ec_buf_status(&again, err));
    if (!ec_str_eq(ec_buf_text(&text), ec_buf_text(&again)))
        st = ec_fail(err, EC_E_INPUT, "\"%s\" reads back as \"%s\"", ec_buf_text(&text),
                     ec_buf_text(&again));
    for (i = 0; !st && i < c->n_out; i++)
        if (other.c.n_out != c->n_out || !ec_shape_eq(&c->out[i]->shape, &other.c.out[i]->shape))
            st = ec_fail(err, EC_E_INPUT, "\"%s\" reads back with other outputs",
                         ec_buf_text(&text));
out:
    ec_case_clear(&other);
    ec_buf_clear(&again);
    ec_buf_clear(&text);
    return st;
}

/* Counts are finite and in the right phase, what is kept exists, the text reads back as the same
 * case. */
static enum ec_status check_contract(const struct ec_case *c, struct ec_err *err)
{
    enum ec_status st;

    EC_TRY(check_work(c, err));
    EC_TRY(check_saved(c, err));
    EC_TRY(check_round_trip(c, err));
out:
    return st;
}

#endif
