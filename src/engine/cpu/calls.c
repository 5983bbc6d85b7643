/* What a kernel calls in each phase: listed once, run every step. */
#include "engine/cpu/cpu_internal.h"

#include <assert.h>
#include <string.h>

#define CALL_PLACES_MAX EC_PRIM_ARGS_MAX

struct ec__call {
    struct ec__prim *prim; /* or fn */
    ec__call_fn fn;
    const void *data;
    int n;
    struct ec__place place[CALL_PLACES_MAX];
    struct ec__call *next;
};

struct owned {
    struct ec__prim *prim;
    struct owned *next;
};

struct ec__calls {
    struct ec__dnnl *lib;
    struct ec__call *first[EC_PHASE_COUNT], *last[EC_PHASE_COUNT];
    struct owned *prims;
};

/* --- Running --- */

void *ec__unconst(const void *p)
{
    void *q;

    memcpy(&q, &p, sizeof q);
    return q;
}

static void *find(const struct ec_kargs *a, struct ec__place p)
{
    switch (p.kind) {
    case EC__IN:
        return ec__unconst(a->in[p.at]);
    case EC__OUT:
        return a->out[p.at];
    case EC__D_OUT:
        return ec__unconst(a->d_out[p.at]);
    case EC__D_IN:
        return a->d_in[p.at];
    case EC__PARAM:
        return a->param[p.at];
    case EC__D_PARAM:
        return a->d_param[p.at];
    case EC__WS:
        return (char *)a->ws + p.at;
    case EC__SCRATCH:
        return (char *)a->scratch + p.at;
    case EC__NOWHERE:
        break;
    }
    return NULL;
}

enum ec_status ec__cpu_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase phase,
                           const struct ec_kargs *a, struct ec_err *err)
{
    struct ec__cpu *cpu = (struct ec__cpu *)ctx;
    const struct ec__calls *p = k->state;
    const struct ec__call *c;

    for (c = p->first[phase]; c; c = c->next) {
        void *at[CALL_PLACES_MAX];
        int i;

        for (i = 0; i < c->n; i++)
            at[i] = find(a, c->place[i]);
        if (c->prim)
            EC_PASS(ec__prim_run(p->lib, c->prim, at, err));
        else
            EC_PASS(c->fn(&(struct ec__run){ cpu, k, c->data, at, a->seed, err }));
    }
    return EC_OK;
}

static void free_calls(struct ec__calls *p)
{
    struct owned *o;

    if (!p)
        return;
    for (o = p->prims; o; o = o->next)
        ec__prim_free(p->lib, o->prim);
    ec_free(p);
}

void ec__cpu_drop(struct ec_knode *k)
{
    free_calls(k->state);
    k->state = NULL;
}

/* --- Building --- */

static void begin(struct ec__build *b, struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    const struct ec__omp *omp;

    memset(b, 0, sizeof *b);
    b->cpu = (struct ec__cpu *)ctx;
    b->k = k;
    b->err = err;
    b->p = ec_alloc(sizeof *b->p);
    if (!b->p)
        b->st = ec_nomem(err);
    else
        b->p->lib = b->cpu->lib;
    if (k->n_param) {
        b->params = ec_arena_copy(k->arena, k->param_fmt, sizeof *b->params * (size_t)k->n_param);
        if (!b->params && !b->st)
            b->st = ec_nomem(err);
    }
    /* Primitives are made for as many threads as OpenMP has now, on this very thread. */
    omp = ec__dnnl_omp(b->cpu->lib);
    if (omp->set_num_threads)
        omp->set_num_threads(k->threads);
}

void ec__build_phase(struct ec__build *b, enum ec_phase p)
{
    b->phase = p;
    b->scratch = 0;
}

/* Back to what the compiler gave. Outputs and parameters are NULL or the compiler's then. */
static void reset_node(struct ec_knode *k, const struct ec_fmt **params)
{
    int i;

    for (i = 0; params && i < k->n_param; i++)
        k->param_fmt[i] = params[i];
    for (i = 0; i < k->c->n_out; i++) {
        k->out_fmt[i] = NULL;
        k->keep_out[i] = false;
    }
    for (i = 0; i < k->c->n_in; i++)
        k->keep_in[i] = false;
    k->ws_bytes = k->scratch_bytes = 0;
    k->in_place = k->d_in_place = -1;
    k->view = k->d_out_is_d_in = k->split_backward = false;
}

static enum ec_status end(struct ec__build *b)
{
    if (b->st) {
        free_calls(b->p);
        reset_node(b->k, b->params);
        return b->st;
    }
    b->k->state = b->p;
    if (b->impl)
        b->k->impl = b->impl;
    return EC_OK;
}

enum ec_status ec__prepare(ec__build_fn *build, struct ec_ctx *ctx, struct ec_knode *k,
                           struct ec_err *err)
{
    struct ec__build b;

    begin(&b, ctx, k, err);
    build(&b);
    return end(&b);
}

void ec__build_loops(struct ec__build *b)
{
    if (!b->st)
        b->impl = ec_arena_printf(b->k->arena, "loop:%s", b->cpu->loops->isa);
}

void ec__build_fail(struct ec__build *b, enum ec_status st, const char *text)
{
    if (!b->st)
        b->st = ec_fail(b->err, st, "%s: %s", b->k->c->op->name, text);
}

const struct ec__md *ec__need(struct ec__build *b, const struct ec__md *md)
{
    if (!md && !b->st)
        b->st = ec_nomem(b->err);
    return md;
}

struct ec__place ec__ws(struct ec__build *b, int64_t bytes)
{
    struct ec__place p = { EC__WS, b->k->ws_bytes };

    b->k->ws_bytes += ec__align(bytes);
    return p;
}

struct ec__place ec__scratch(struct ec__build *b, int64_t bytes)
{
    struct ec__place p = { EC__SCRATCH, b->scratch };

    b->scratch += ec__align(bytes);
    if (b->k->scratch_bytes < b->scratch)
        b->k->scratch_bytes = b->scratch;
    return p;
}

const struct ec__md *ec__plain(struct ec__build *b, enum ec_dtype t, int rank, const int64_t *dims)
{
    if (rank > EC_DNNL_RANK_MAX || rank < 1) {
        ec__build_fail(b, EC_E_UNSUPPORTED, "too many dimensions for oneDNN");
        return NULL;
    }
    return ec__need(b, ec__md_strided(b->cpu->lib, b->k->arena, t, rank, dims, NULL));
}

static const struct ec__md *md_of_value(struct ec__build *b, const struct ec_type *type,
                                        const struct ec_fmt *fmt)
{
    const struct ec__layout *l = fmt ? fmt->layout : NULL;
    const int64_t one = 1;

    if (l)
        return l->md;
    return type->shape.rank
               ? ec__plain(b, fmt ? fmt->dtype : b->k->compute, type->shape.rank, type->shape.d)
               : ec__plain(b, fmt ? fmt->dtype : b->k->compute, 1, &one);
}

struct ec__buf ec__at_in(struct ec__build *b, int i)
{
    return (struct ec__buf){
        {EC__IN, i},
        md_of_value(b, b->k->c->in[i], b->k->in_fmt[i])
    };
}

struct ec__buf ec__at_d_in(struct ec__build *b, int i)
{
    struct ec__buf r = ec__at_in(b, i);

    r.place.kind = EC__D_IN;
    return r;
}

struct ec__buf ec__at_out(struct ec__build *b, int i)
{
    return (struct ec__buf){
        {EC__OUT, i},
        md_of_value(b, b->k->c->out[i], b->k->out_fmt[i])
    };
}

struct ec__buf ec__at_d_out(struct ec__build *b, int i)
{
    struct ec__buf r = ec__at_out(b, i);

    r.place.kind = EC__D_OUT;
    return r;
}

/* A format of the program; NULL for plain, and after a failure. */
static const struct ec_fmt *make_fmt(struct ec__build *b, const struct ec__md *md,
                                     const struct ec__md *plain, enum ec_dtype plain_type)
{
    struct ec__layout *l;
    struct ec_fmt *f;

    if (b->st || (md && ec__md_same(b->cpu->lib, md, plain) && ec__md_dtype(md) == plain_type))
        return NULL;
    l = ec_arena_alloc(b->k->arena, sizeof *l);
    f = ec_arena_alloc(b->k->arena, sizeof *f);
    if (!l || !f) {
        b->st = ec_nomem(b->err);
        return NULL;
    }
    l->md = md;
    l->plain = plain;
    f->dtype = ec__md_dtype(md);
    f->bytes = ec__md_bytes(b->cpu->lib, md);
    f->padded = ec__md_is_padded(md);
    f->layout = l;
    return f;
}

void ec__choose_out(struct ec__build *b, int i, const struct ec__md *md)
{
    const struct ec_shape *s = &b->k->c->out[i]->shape;

    int j;

    if (b->st || !md)
        return;
    /* An input's own format where it is the same: consumers compare pointers. */
    for (j = 0; j < b->k->c->n_in; j++) {
        const struct ec_fmt *f = b->k->in_fmt[j];

        if (f && f->layout && ec_shape_eq(s, &b->k->c->in[j]->shape) &&
            ec__md_same(b->cpu->lib, ((const struct ec__layout *)f->layout)->md, md)) {
            b->k->out_fmt[i] = f;
            return;
        }
    }
    b->k->out_fmt[i] = make_fmt(b, md, ec__plain(b, b->k->compute, s->rank, s->d), b->k->compute);
}

struct ec__buf ec__at_param(struct ec__build *b, int i, const struct ec__md *plain,
                            const struct ec__md *want)
{
    struct ec__buf r = {
        {EC__PARAM, i},
        plain
    };
    const struct ec_fmt *given = b->k->param_fmt[i];

    if (b->st)
        return r;
    if (given && given->layout) {
        r.md = ((const struct ec__layout *)given->layout)->md;
        if (!ec__md_same_dims(r.md, plain))
            ec__build_fail(b, EC_E_UNSUPPORTED, "a shared parameter has other dimensions here");
    } else if (!given && want) {
        b->k->param_fmt[i] = make_fmt(b, want, plain, b->k->param_dtype);
        r.md = want;
    }
    return r;
}

struct ec__buf ec__at_d_param(struct ec__build *b, int i, const struct ec__buf *param)
{
    (void)b;
    return (struct ec__buf){
        {EC__D_PARAM, i},
        param->md
    };
}

/* Takes the arguments collected so far. */
static void add_call(struct ec__build *b, struct ec__call *c)
{
    struct ec__call *copy;

    if (b->st)
        return;
    c->n = b->n_args;
    memcpy(c->place, b->arg_place, sizeof c->place);
    b->n_args = 0;
    copy = ec_arena_copy(b->k->arena, c, sizeof *c);
    if (!copy) {
        b->st = ec_nomem(b->err);
        return;
    }
    if (b->p->last[b->phase])
        b->p->last[b->phase]->next = copy;
    else
        b->p->first[b->phase] = copy;
    b->p->last[b->phase] = copy;
}

static struct ec__prim *own(struct ec__build *b, struct ec__prim *prim)
{
    struct owned *o = ec_arena_alloc(b->k->arena, sizeof *o);

    if (!o) {
        ec__prim_free(b->cpu->lib, prim);
        b->st = ec_nomem(b->err);
        return NULL;
    }
    o->prim = prim;
    o->next = b->p->prims;
    b->p->prims = o;
    return prim;
}

struct ec__prim *ec__make(struct ec__build *b, const struct ec__prim_spec *s)
{
    struct ec__prim *prim = NULL;

    if (b->st)
        return NULL;
    b->st = ec__prim_new(b->cpu->lib, s, &prim, b->err);
    return b->st ? NULL : own(b, prim);
}

struct ec__prim *ec__try(struct ec__build *b, const struct ec__prim_spec *s)
{
    struct ec__prim *prim = NULL;
    struct ec_err why = { 0 };
    enum ec_status st;

    if (b->st)
        return NULL;
    st = ec__prim_new(b->cpu->lib, s, &prim, &why);
    if (!st)
        return own(b, prim);
    if (st != EC_E_UNSUPPORTED)
        b->st = ec_fail(b->err, st, "%s", why.text);
    return NULL;
}

const struct ec__md *ec__md_of(struct ec__build *b, const struct ec__prim *p, int arg)
{
    return b->st ? NULL : ec__need(b, ec__prim_md(b->cpu->lib, b->k->arena, p, arg));
}

void ec__arg(struct ec__build *b, int arg, struct ec__place place)
{
    if (b->st || (arg && place.kind == EC__NOWHERE))
        return;
    assert(b->n_args < EC_PRIM_ARGS_MAX - 1); /* a scratchpad may follow */
    b->arg[b->n_args] = arg;
    b->arg_place[b->n_args++] = place;
}

void ec__call(struct ec__build *b, struct ec__prim *p)
{
    struct ec__call c = { 0 };
    int64_t scratchpad;

    if (b->st)
        return;
    scratchpad = ec__prim_scratch(b->cpu->lib, p);
    if (scratchpad)
        ec__arg(b, DNNL_ARG_SCRATCHPAD, ec__scratch(b, scratchpad));
    c.prim = p;
    b->st = ec__prim_args(b->cpu->lib, p, b->n_args, b->arg, b->err);
    add_call(b, &c);
}

void ec__call_own(struct ec__build *b, ec__call_fn fn, const void *data, size_t bytes,
                  const struct ec__place *place, int n)
{
    struct ec__call c = { 0 };
    int i;

    if (b->st)
        return;
    for (i = 0; i < n; i++)
        ec__arg(b, 0, place[i]);
    c.fn = fn;
    c.data = ec_arena_copy(b->k->arena, data, bytes);
    b->st = ec_allocated(c.data, b->err);
    add_call(b, &c);
}

void ec__copy(struct ec__build *b, struct ec__buf from, struct ec__buf to)
{
    struct ec__prim *p = NULL;

    if (b->st)
        return;
    b->st = ec__prim_reorder(b->cpu->lib, from.md, to.md, &p, b->err);
    if (b->st || !own(b, p))
        return;
    ec__arg(b, DNNL_ARG_FROM, from.place);
    ec__arg(b, DNNL_ARG_TO, to.place);
    ec__call(b, p);
}

struct ec__buf ec__as(struct ec__build *b, struct ec__buf x, const struct ec__md *want, bool in_ws)
{
    struct ec__buf y = { x.place, want };
    int64_t bytes;

    if (b->st || !want || !x.md || ec__md_same(b->cpu->lib, x.md, want))
        return x;
    bytes = ec__md_bytes(b->cpu->lib, want);
    y.place = in_ws ? ec__ws(b, bytes) : ec__scratch(b, bytes);
    ec__copy(b, x, y);
    return y;
}

struct ec__buf ec__stage(struct ec__build *b, struct ec__buf y, const struct ec__md *made)
{
    struct ec__buf s = { y.place, made };

    if (b->st || !made || !y.md || ec__md_same(b->cpu->lib, y.md, made))
        return y;
    s.place = ec__scratch(b, ec__md_bytes(b->cpu->lib, made));
    return s;
}

void ec__deliver(struct ec__build *b, struct ec__buf staged, struct ec__buf y)
{
    if (staged.place.kind != y.place.kind || staged.place.at != y.place.at)
        ec__copy(b, staged, y);
}
