/* Linear layer. */
#include "engine/cpu/dense.h"

void ec__linear_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    struct ec__place in = ec__place_at(EC__IN, 0), out = ec__place_at(EC__OUT, 0);
    struct ec__place d_out = ec__place_at(EC__D_OUT, 0);
    struct ec__dense d = { .b = b, .bias = k->n_param > 1 ? 1 : -1, .type = k->compute };

    d.in = x->d[x->rank - 1];
    d.out = k->c->out[0]->shape.d[x->rank - 1];
    d.rows = d.in ? ec__elems(k->c->in[0]) / d.in : 0;
    d.relu = k->fuse == EC_FUSE_RELU;
    if (k->in_fmt[0] || !d.rows)
        ec__build_fail(b, EC_E_UNSUPPORTED, "rows that are not plain");
    ec__build_phase(b, EC_FORWARD);
    if (!b->st)
        ec__dense_forward(&d, in, out);
    if (!b->st && k->training && k->want_d_in[0]) {
        ec__build_phase(b, EC_GRAD_DATA);
        ec__dense_backward_data(&d, d_out, ec__place_at(EC__D_IN, 0));
    }
    if (!b->st && k->training && ec__dense_wants_weights(&d)) {
        ec__build_phase(b, EC_GRAD_WEIGHT);
        ec__dense_backward_weights(&d, in, d_out);
        k->keep_in[0] = true;
    }
    k->split_backward = true;
}
