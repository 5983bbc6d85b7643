/* Random removal of elements or of whole samples. With p=0 frameworks do nothing at all. */
#include "op/op_internal.h"

/* Scale and mask: two operations per element, one mask byte of each written and read back. */
static void masked_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w,
                        double mask_bytes)
{
    const struct dropout_attrs *a = c->attrs;
    double x = ec__in(c, 0);
    struct ec_kernel *k;

    if (a->p <= 0 || (p != EC_FORWARD && p != EC_GRAD_DATA))
        return;
    k = ec_work_stream(w, p, 2 * x, x, x);
    k->fixed_bytes = mask_bytes;
    k->for_input = p == EC_GRAD_DATA;
}

/* Without training nothing is dropped: no kernel. */
static void no_infer(const struct ec_case *c, struct ec_work *w)
{
    (void)c;
    (void)w;
}

static void dropout_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    masked_work(c, p, w, ec__in(c, 0));
}

static void dropout_saved(const struct ec_case *c, struct ec_saved *ret)
{
    const struct dropout_attrs *a = c->attrs;

    ret->extra_bytes = a->p > 0 ? ec__in(c, 0) : 0;
}

static double samples(const struct ec_case *c)
{
    return c->in[0]->shape.rank ? (double)c->in[0]->shape.d[0] : 1;
}

static void drop_path_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    masked_work(c, p, w, 4 * samples(c));
}

static void drop_path_saved(const struct ec_case *c, struct ec_saved *ret)
{
    const struct dropout_attrs *a = c->attrs;

    ret->extra_bytes = a->p > 0 ? 4 * samples(c) : 0;
}

static void dropout_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    ec__sample_any(op, r, out);
    ec_buf_str(out, ec__draw_chance(r, 50) ? " p=0.1" : " p=0.5");
}

static void drop_path_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    ec__sample_any(op, r, out);
    ec_buf_str(out, " p=0.1");
}

#define EC__OP_DROP(opname, text, words)                                                           \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(dropout, opname##_fields),                                                       \
        .inputs = "x",                                                                             \
        .shape = ec__shape_same,                                                                   \
        .work = opname##_work,                                                                     \
        .infer = no_infer,                                                                         \
        .saved = opname##_saved,                                                                   \
        .sample = opname##_sample,                                                                 \
        .example = #opname " " words,                                                              \
    }

EC__OP_DROP(dropout, "clear elements at random and scale the rest", "x=32x4096");
EC__OP_DROP(drop_path, "clear whole samples at random (stochastic depth)", "x=32x197x768 p=0.1");
