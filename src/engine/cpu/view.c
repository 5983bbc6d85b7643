/* Operators that leave the elements in row-major order: flatten, reshape, squeeze. A plain value is
 * the same memory; any other is put in order first, and its gradient taken back. */
#include "engine/cpu/cpu_internal.h"

void ec__view_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *s = &k->c->in[0]->shape;
    const struct ec__md *plain;

    if (!ec_dtype_is_float(k->c->in[0]->dtype) && k->in_fmt[0])
        ec__build_fail(b, EC_E_UNSUPPORTED, "not a float");
    if (!k->in_fmt[0]) {
        k->view = true;
        return;
    }
    plain = ec__plain(b, k->compute, s->rank, s->d);
    ec__build_phase(b, EC_FORWARD);
    ec__copy(b, ec__at_in(b, 0), (struct ec__buf){ ec__place_at(EC__OUT, 0), plain });
    if (k->training && k->want_d_in[0]) {
        ec__build_phase(b, EC_GRAD_DATA);
        ec__copy(b, (struct ec__buf){ ec__place_at(EC__D_OUT, 0), plain }, ec__at_d_in(b, 0));
    }
    b->impl = "reorder";
}
