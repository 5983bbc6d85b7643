/* Dropout: which elements stay is a function of the seed and the element's number, so that backward
 * makes the same choice again and nothing is kept. */
#include "engine/cpu/rows.h"

struct drop {
    enum ec__elem t;
    uint32_t threshold; /* noise below it drops */
    float scale;
    int64_t n;
};

#define GRAIN 4096

static void part(const void *data, int64_t begin, int64_t end)
{
    const struct ec__run *r = data;
    const struct drop *d = r->data;

    r->cpu->loops->dropout(d->t, r->seed, begin, d->threshold, d->scale,
                           ec__from(r->at[0], d->t, begin), ec__from(r->at[1], d->t, begin),
                           end - begin);
}

static enum ec_status apply(const struct ec__run *r)
{
    const struct drop *d = r->data;

    ec__threads_run(r->cpu, d->n, GRAIN, part, r);
    return EC_OK;
}

void ec__dropout_call(struct ec__build *b, double p, int64_t n, struct ec__place x,
                      struct ec__place y)
{
    struct drop d = { ec__elem_of(b->k), (uint32_t)(p * 4294967296.0), (float)(1 / (1 - p)), n };

    EC__CALL_OWN(b, apply, &d, x, y);
}

void ec__dropout_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    double p = ec_case_double(k->c, "p");
    struct ec__buf x;
    int64_t n;

    x = ec__at_in(b, 0);
    ec__choose_out(b, 0, x.md);
    if (!b->st && (!k->training || p <= 0)) {
        k->in_place = 0;
        k->d_out_is_d_in = true;
        ec__build_phase(b, EC_FORWARD);
        ec__copy(b, x, ec__at_out(b, 0));
        return;
    }
    if (b->st || p >= 1) {
        ec__build_fail(b, EC_E_UNSUPPORTED, "nothing stays");
        return;
    }
    n = ec__md_bytes(b->cpu->lib, x.md) / ec_dtype_bytes(k->compute);
    ec__build_phase(b, EC_FORWARD);
    ec__dropout_call(b, p, n, ec__place_at(EC__IN, 0), ec__place_at(EC__OUT, 0));
    ec__build_phase(b, EC_GRAD_DATA);
    ec__dropout_call(b, p, n, ec__place_at(EC__D_OUT, 0), ec__place_at(EC__D_IN, 0));
    k->in_place = 0;
    k->d_in_place = 0;
    ec__build_loops(b);
}
