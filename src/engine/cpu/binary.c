/* Sum of two values of one shape, the second taken to the first's layout where they differ; with a
 * ReLU on it when the compiler asks. Its gradients are the output's own. */
#include "engine/cpu/rows.h"

struct pair {
    enum ec__binary f;
    enum ec__elem t;
    int64_t n;
};

#define GRAIN 1024

static void part(const void *data, int64_t begin, int64_t end)
{
    const struct ec__run *r = data;
    const struct pair *p = r->data;

    r->cpu->loops->binary(p->f, p->t, ec__from(r->at[0], p->t, begin),
                          ec__from(r->at[1], p->t, begin), ec__from(r->at[2], p->t, begin),
                          end - begin);
}

static enum ec_status forward(const struct ec__run *r)
{
    const struct pair *p = r->data;

    ec__threads_run(r->cpu, p->n, GRAIN, part, r);
    return EC_OK;
}

void ec__binary_call(struct ec__build *b, enum ec__binary f, enum ec__elem t, int64_t n,
                     struct ec__place x, struct ec__place y, struct ec__place z)
{
    struct pair p = { f, t, n };

    EC__CALL_OWN(b, forward, &p, x, y, z);
}

/* Where one input is plain and the other is not, the other's layout wins: what follows is likely
 * to want it. */
static int layout_giver(const struct ec_knode *k)
{
    return !k->in_fmt[0] && k->in_fmt[1] ? 1 : 0;
}

void ec__add_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct ec__buf x, y;
    int giver = layout_giver(k);

    if (!ec_shape_eq(&k->c->in[0]->shape, &k->c->in[1]->shape))
        ec__build_fail(b, EC_E_UNSUPPORTED, "shapes differ");
    ec__build_phase(b, EC_FORWARD);
    x = ec__at_in(b, giver);
    y = ec__at_in(b, !giver);
    if (b->st)
        return;
    y = ec__as(b, y, x.md, false);
    ec__choose_out(b, 0, x.md);
    ec__binary_call(b, k->fuse ? EC__B_add_relu : EC__B_add, ec__elem_of(k),
                    ec__md_bytes(b->cpu->lib, x.md) / ec_dtype_bytes(k->compute), x.place, y.place,
                    ec__place_at(EC__OUT, 0));
    k->in_place = giver;
    /* A converted input's gradient must be converted back, which is a run of its own. */
    if (y.place.kind == EC__IN) {
        k->d_out_is_d_in = true;
    } else if (k->training) {
        struct ec__buf dy = ec__at_d_out(b, 0), to = ec__at_d_in(b, !giver);

        ec__build_phase(b, EC_GRAD_DATA);
        if (k->want_d_in[giver])
            ec__copy(b, dy, ec__at_d_in(b, giver));
        if (k->want_d_in[!giver])
            ec__copy(b, dy, to);
    }
    ec__build_loops(b);
}
