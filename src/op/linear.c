/* Linear layer: (rows, k) * weight (n, k) -> (rows, n), all leading dimensions being rows. */
#include "op/op_internal.h"

static int64_t features_in(const struct ec_case *c)
{
    return c->in[0]->shape.d[c->in[0]->shape.rank - 1];
}

static enum ec_status linear_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct ec_linear_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;

    EC_PASS(ec__rank_is(c, 0, 1, EC_RANK_MAX, err));
    EC_PASS(ec__required(a->n, "n (output features)", err));
    y.d[y.rank - 1] = a->n;
    EC_PASS(ec__set_out(c, 0, &y, c->in[0]->dtype, err));
    return ec__params_fit(c, err);
}

static void linear_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct ec_linear_attrs *a = c->attrs;

    ec_param_add(ret, "weight", true, 2, a->n, features_in(c));
    if (a->bias)
        ec_param_add(ret, "bias", true, 1, a->n);
}

/* forward (rows x k)(k x n), grad_data (rows x n)(n x k), grad_weight (n x rows)(rows x k) */
static void linear_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct ec_linear_attrs *a = c->attrs;
    double x = ec__in(c, 0), y = ec__out(c, 0), n = (double)a->n, k = (double)features_in(c);
    double rows = ec__ratio(y, n);
    struct ec_kernel *g;

    if (p == EC_FORWARD) {
        g = ec__gemm(w, p, 1, rows, n, k);
        g->read_elems = x;
        g->write_elems = y;
        g->weight_elems = n * k + (a->bias ? n : 0);
        g->flop += a->bias ? y : 0;
    } else if (p == EC_GRAD_DATA) {
        g = ec__gemm(w, p, 1, rows, k, n);
        g->read_elems = y;
        g->write_elems = x;
        g->weight_elems = n * k;
        g->for_input = 1;
    } else if (p == EC_GRAD_WEIGHT) {
        g = ec__gemm(w, p, 1, n, k, rows);
        g->read_elems = x + y;
        g->weight_elems = n * k;
        if (a->bias)
            ec__bias_grad(w, n, rows);
    }
}

static void linear_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    bool classes = ec__draw_chance(r, 15);
    int64_t m = ec__draw_log(r, 1, 16384), k = ec__draw_width(r, 16, 8192);
    int64_t n = classes ? ec__draw_log(r, 1, 1000) : ec__draw_width(r, 16, 8192);
    bool bias = ec__draw_chance(r, 80);

    ec_buf_printf(out, "%s m=%lld k=%lld n=%lld bias=%d", op->name, (long long)m, (long long)k,
                  (long long)n, bias);
}

EC__OP(linear) = {
    .name = "linear",
    .aliases = "dense fully_connected",
    .help = "fully connected layer over the last dimension",
    EC__ATTRS(ec_linear, linear_fields),
    .inputs = "*m k",
    .shape = linear_shape,
    .params = linear_params,
    .work = linear_work,
    .saved = ec__saved_for_weights,
    .sample = linear_sample,
    .example = "linear m=4096 k=768 n=3072",
};
