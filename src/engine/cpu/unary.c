/* Element-wise operators of one input, in whatever layout it arrives: memory is walked flat. Where
 * f(0) is not 0, padding is cleared again. */
#include "engine/cpu/rows.h"

#include <string.h>

struct unary {
    enum ec__unary f;
    enum ec__elem t;
    float a;
    int64_t n;                  /* elements of memory, padding included */
    const struct ec__md *clear; /* layout whose padding f would fill; NULL: none */
};

static const char *const names[] = {
#define NAME(name, f, d, reads) #name,
    EC_UNARY_LIST(NAME)
#undef NAME
};
static const enum ec__reads reads_of[] = {
#define READS(name, f, d, reads) EC__READS_##reads,
    EC_UNARY_LIST(READS)
#undef READS
};

#define GRAIN 1024

static void forward_part(const void *data, int64_t begin, int64_t end)
{
    const struct ec__run *r = data;
    const struct unary *u = r->data;

    r->cpu->loops->unary(u->f, u->t, u->a, ec__from(r->at[0], u->t, begin),
                         ec__from(r->at[1], u->t, begin), end - begin);
}

static void backward_part(const void *data, int64_t begin, int64_t end)
{
    const struct ec__run *r = data;
    const struct unary *u = r->data;

    r->cpu->loops->unary_bwd(u->f, u->t, u->a, ec__from(r->at[0], u->t, begin),
                             ec__from(r->at[1], u->t, begin), ec__from(r->at[2], u->t, begin),
                             ec__from(r->at[3], u->t, begin), end - begin);
}

static enum ec_status forward(const struct ec__run *r)
{
    const struct unary *u = r->data;

    ec__threads_run(r->cpu, u->n, GRAIN, forward_part, r);
    return u->clear ? ec__md_zero_pad(r->cpu->lib, u->clear, r->at[1], r->err) : EC_OK;
}

static enum ec_status backward(const struct ec__run *r)
{
    const struct unary *u = r->data;

    ec__threads_run(r->cpu, u->n, GRAIN, backward_part, r);
    return EC_OK;
}

int ec__unary_of(const struct ec_case *c)
{
    const char *name = c->op->name;
    int i;

    if (!strcmp(name, "gelu") && ec_case_int(c, "approx"))
        name = "gelu_tanh";
    if (!strcmp(name, "scale_scalar")) { /* factor and term at once: no loop of ours */
        double mul = ec_case_double(c, "mul"), add = ec_case_double(c, "add");

        return add == 0 ? EC__U_scale : mul == 1 ? EC__U_offset : -1;
    }
    for (i = 0; i < EC__U_COUNT; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

static float constant_of(const struct ec_case *c, enum ec__unary f)
{
    const char *name = f == EC__U_scale ? "mul" : f == EC__U_offset ? "add" : "alpha";

    return ec_case_has(c, name) ? (float)ec_case_double(c, name) : 0;
}

/* Padding times a finite slope stays 0 in a gradient; infinite slopes at 0 do not. */
static bool keeps_padding(enum ec__unary f)
{
    switch (f) {
    case EC__U_sigmoid:
    case EC__U_hard_sigmoid:
    case EC__U_offset:
    case EC__U_exp:
    case EC__U_softplus:
        return false;
    default:
        return true;
    }
}

static bool bad_at_zero(enum ec__unary f)
{
    return f == EC__U_sqrt || f == EC__U_rsqrt || f == EC__U_reciprocal || f == EC__U_log;
}

void ec__relu_backward_call(struct ec__build *b, int64_t n, struct ec__place y, struct ec__place dy,
                            struct ec__place dx)
{
    struct unary u = { .f = EC__U_relu, .t = ec__elem_of(b->k), .n = n };

    EC__CALL_OWN(b, backward, &u, ec__place_at(EC__NOWHERE, 0), y, dy, dx);
}

void ec__unary_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct ec__buf x;
    struct unary u = { 0 };
    int f = ec__unary_of(k->c);
    bool bwd = k->training && k->want_d_in[0];

    x = ec__at_in(b, 0);
    if (f < 0 || !x.md || (ec__md_is_padded(x.md) && bad_at_zero((enum ec__unary)f)))
        ec__build_fail(b, EC_E_UNSUPPORTED, "no such loop");
    if (b->st)
        return;
    u.f = (enum ec__unary)f;
    u.t = ec__elem_of(k);
    u.a = constant_of(k->c, u.f);
    u.n = ec__md_bytes(b->cpu->lib, x.md) / ec_dtype_bytes(k->compute);
    u.clear = ec__md_is_padded(x.md) && !keeps_padding(u.f) ? x.md : NULL;
    ec__choose_out(b, 0, x.md);
    ec__build_phase(b, EC_FORWARD);
    EC__CALL_OWN(b, forward, &u, ec__place_at(EC__IN, 0), ec__place_at(EC__OUT, 0));
    k->in_place = bwd && reads_of[f] == EC__READS_IN ? -1 : 0;
    if (bwd) {
        bool in = reads_of[f] == EC__READS_IN, out = reads_of[f] == EC__READS_OUT;

        ec__build_phase(b, EC_GRAD_DATA);
        EC__CALL_OWN(b, backward, &u, ec__place_at(in ? EC__IN : EC__NOWHERE, 0),
                     ec__place_at(out ? EC__OUT : EC__NOWHERE, 0), ec__place_at(EC__D_OUT, 0),
                     ec__place_at(EC__D_IN, 0));
        k->keep_in[0] = in;
        k->keep_out[0] = out;
        k->d_in_place = 0;
    }
    ec__build_loops(b);
}
