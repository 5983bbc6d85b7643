/* Sum of two values of one shape, the second taken to the first's layout where they differ; with a
 * ReLU on it when the compiler asks. Its gradients are the output's own. */
#include "engine/cpu/cpu_internal.h"

struct sum {
    enum ec__binary f;
    enum ec__elem t;
    int64_t n;
};

struct job {
    const struct sum *s;
    const struct ec__loops *loops;
    const char *x, *y;
    char *z;
};

#define GRAIN 1024

static void part(void *data, int64_t begin, int64_t end)
{
    const struct job *j = data;
    int64_t at = begin * (j->s->t == EC__F32 ? 4 : 2);

    j->loops->binary(j->s->f, j->s->t, j->x + at, j->y + at, j->z + at, end - begin);
}

static enum ec_status forward(const struct ec__run *r)
{
    const struct sum *s = r->data;
    struct job j = { s, r->cpu->loops, r->at[0], r->at[1], r->at[2] };

    ec__threads_run(r->cpu, s->n, GRAIN, part, &j);
    return EC_OK;
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
    struct sum s = { k->fuse ? EC__B_add_relu : EC__B_add,
                     k->compute == EC_DT_bf16 ? EC__BF16 : EC__F32, 0 };
    int giver = layout_giver(k);

    if (!ec_shape_eq(&k->c->in[0]->shape, &k->c->in[1]->shape))
        ec__build_fail(b, EC_E_UNSUPPORTED, "shapes differ");
    ec__build_phase(b, EC_FORWARD);
    x = ec__at_in(b, giver);
    y = ec__at_in(b, !giver);
    if (b->st)
        return;
    s.n = ec__md_bytes(b->cpu->lib, x.md) / ec_dtype_bytes(k->compute);
    y = ec__as(b, y, x.md, false);
    ec__choose_out(b, 0, x.md);
    EC__CALL_OWN(b, forward, &s, x.place, y.place, ec__place_at(EC__OUT, 0));
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
