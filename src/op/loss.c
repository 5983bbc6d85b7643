/* Losses: targets are implied, the result is a scalar. They stay in float32 under automatic mixed
 * precision, and so does what they keep. */
#include "op/op_internal.h"

#define F32_BYTES 4.0

static struct ec_kernel *fp32(struct ec_kernel *k)
{
    k->flags |= EC_KF_FP32;
    k->for_input = k->phase == EC_GRAD_DATA;
    return k;
}

/* --- cross_entropy: log_softmax, then the target's entry of each row --- */

static enum ec_status cross_entropy_shape(const struct ec_case *c, struct ec_err *err)
{
    EC_PASS(ec__rank_is(c, 0, 1, EC_RANK_MAX, err));
    return ec__shape_scalar(c, err);
}

static void add_softmax(struct ec_work *w, enum ec_phase p, double rows, double classes,
                        double flop, double reads)
{
    double x = rows * classes;
    struct ec_kernel *k = fp32(ec__kernel(w, EC_K_SOFTMAX, p, flop * x, reads * x, x));

    k->b = 1;
    k->m = rows;
    k->n = classes;
}

/* backward: the target's entry into zeros, then dx = dy - softmax * sum(dy) */
static void cross_entropy_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct ec_shape *x = &c->in[0]->shape;
    double classes = (double)x->d[x->rank - 1], rows = ec__ratio(ec__in(c, 0), classes);

    if (p == EC_FORWARD) {
        add_softmax(w, p, rows, classes, 5, 1);
        fp32(ec__reduce(w, p, 1, rows))->fixed_bytes = EC__INDEX_BYTES * rows;
    } else if (p == EC_GRAD_DATA) {
        fp32(ec_work_stream(w, p, rows, 0, rows * classes))->fixed_bytes = EC__INDEX_BYTES * rows;
        add_softmax(w, p, rows, classes, 4, 2);
    }
}

/* log-probabilities and targets */
static void cross_entropy_saved(const struct ec_case *c, struct ec_saved *ret)
{
    const struct ec_shape *x = &c->in[0]->shape;
    double n = ec__in(c, 0);

    ret->extra_bytes = F32_BYTES * n + EC__INDEX_BYTES * ec__ratio(n, (double)x->d[x->rank - 1]);
}

static void entropy_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    int64_t n = ec__draw_log(r, 1, 8192), c = ec__draw_log(r, 2, 33000);

    ec_buf_printf(out, "%s n=%lld c=%lld", op->name, (long long)n, (long long)c);
}

EC__OP(cross_entropy) = {
    .name = "cross_entropy",
    .help = "mean cross entropy of class scores, classes last",
    .inputs = "*n c",
    .flags = EC_OPF_LOSS,
    .shape = cross_entropy_shape,
    .work = cross_entropy_work,
    .saved = cross_entropy_saved,
    .sample = entropy_sample,
    .example = "cross_entropy n=32 c=1000",
};

/* --- Losses of single elements: one pass with the targets, then the mean --- */

static void element_loss_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0);

    if (p == EC_FORWARD) {
        fp32(ec_work_stream(w, p, x * c->op->flop_fwd, 2 * x, x));
        fp32(ec__reduce(w, p, 1, x));
    }
    if (p == EC_GRAD_DATA)
        fp32(ec_work_stream(w, p, x * c->op->flop_bwd, 2 * x, x));
}

/* Input and targets; the mean absolute error keeps their difference's sign instead. */
static void element_loss_saved(const struct ec_case *c, struct ec_saved *ret)
{
    ret->in_mask = 1;
    ret->extra_bytes = F32_BYTES * ec__in(c, 0);
}

#define EC__OP_LOSS(opname, fwd, bwd, text)                                                        \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        .inputs = "x",                                                                             \
        .flags = EC_OPF_LOSS,                                                                      \
        .shape = ec__shape_scalar,                                                                 \
        .work = element_loss_work,                                                                 \
        .saved = element_loss_saved,                                                               \
        .sample = ec__sample_any,                                                                  \
        .example = #opname " x=32x10",                                                             \
        .flop_fwd = fwd,                                                                           \
        .flop_bwd = bwd,                                                                           \
    }

EC__OP_LOSS(bce, 8, 6, "mean binary cross entropy of logits");
EC__OP_LOSS(mae, 2, 2, "mean absolute error");
EC__OP_LOSS(mse, 2, 3, "mean squared error");
