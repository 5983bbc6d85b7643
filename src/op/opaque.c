/* An operator we do not know: its outputs are stated, its cost is its traffic. */
#include "op/op_internal.h"

static int opaque_outputs(const struct ec_case *c)
{
    const struct opaque_attrs *a = c->attrs;

    return (int)a->n_out;
}

static enum ec_status opaque_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct opaque_attrs *a = c->attrs;
    struct ec_shape y = { a->shape.n, { 0 } };
    int i;

    if (a->shape.n > EC_RANK_MAX)
        return ec_fail(err, EC_E_SHAPE, "shape has %d dimensions, at most %d", a->shape.n,
                       EC_RANK_MAX);
    for (i = 0; i < y.rank; i++)
        y.d[i] = a->shape.v[i];
    for (i = 0; i < c->n_out; i++)
        EC_PASS(ec__set_out(c, i, &y, a->dtype, err));
    return EC_OK;
}

static void opaque_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double in = ec__in_all(c), out = ec__out_all(c);

    if (p == EC_FORWARD)
        ec_work_stream(w, p, 0, in, out)->flags = EC_KF_UNKNOWN;
    if (p == EC_GRAD_DATA)
        ec_work_stream(w, p, 0, in + out, in)->flags = EC_KF_UNKNOWN;
}

static void opaque_saved(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->in_mask = 1u << 31;
}

EC__OP(opaque) = {
    .name = "opaque",
    .help = "an unknown operator, costed by its traffic alone",
    EC__ATTRS(opaque, opaque_fields),
    .inputs = "x",
    .flags = EC_OPF_VARIADIC,
    .outputs = opaque_outputs,
    .shape = opaque_shape,
    .work = opaque_work,
    .saved = opaque_saved,
    .example = "opaque x=32x64 type=Custom shape=32x64",
};
