/* A kernel for each node: rows of the backend in order, formats handed from node to node, ReLU
 * fused into the node before it where a row can do that. */
#include "engine/program_internal.h"

#include <string.h>

void ec__program_drop(struct ec_program *p, struct ec_variant *g)
{
    int i;

    for (i = 0; g->nodes && i < p->g->n_nodes; i++) {
        struct ec_pnode *pn = &g->nodes[i];

        if (pn->row && pn->row->drop)
            pn->row->drop(&pn->k);
        pn->row = NULL;
    }
}

static void drop_node(struct ec_pnode *pn)
{
    if (pn->row && pn->row->drop)
        pn->row->drop(&pn->k);
    pn->row = NULL;
}

static void *zeroed(struct ec_program *p, size_t size, int n, bool *bad)
{
    void *mem = ec_arena_alloc(&p->mem, size * (size_t)(n > 0 ? n : 1));

    *bad |= !mem;
    return mem;
}

/* The compiler's part, the kernel's part empty. */
static enum ec_status knode_init(struct ec_program *p, struct ec_variant *g, struct ec_pnode *pn,
                                 bool fallback, unsigned fuse, const struct ec_case *after,
                                 struct ec_err *err)
{
    const struct ec_node *n = pn->n;
    struct ec_knode *k = &pn->k;
    bool bad = false, *want_in, *want_param, *has_d_out;
    const struct ec_type **types;
    const struct ec_fmt **in_fmt;
    int i;

    memset(k, 0, sizeof *k);
    k->param_type = types = zeroed(p, sizeof *types, n->n_param, &bad);
    k->want_d_param = want_param = zeroed(p, sizeof(bool), n->n_param, &bad);
    k->want_d_in = want_in = zeroed(p, sizeof(bool), n->n_in, &bad);
    k->has_d_out = has_d_out = zeroed(p, sizeof(bool), n->n_out, &bad);
    k->in_fmt = in_fmt = zeroed(p, sizeof(struct ec_fmt *), n->n_in, &bad);
    k->out_fmt = zeroed(p, sizeof(struct ec_fmt *), n->n_out, &bad);
    k->param_fmt = zeroed(p, sizeof(struct ec_fmt *), n->n_param, &bad);
    k->keep_in = zeroed(p, sizeof(bool), n->n_in, &bad);
    k->keep_out = zeroed(p, sizeof(bool), n->n_out, &bad);
    if (bad)
        return ec_nomem(err);
    for (i = 0; i < n->n_param; i++) {
        const struct ec_pparam *q = &p->params[n->param[i]];

        types[i] = &p->g->values[n->param[i]]->type;
        want_param[i] = pn->backward && q->learns && p->g->values[n->param[i]]->trainable;
        k->param_fmt[i] = q->fmt;
    }
    for (i = 0; i < n->n_in; i++) {
        want_in[i] = pn->backward && g->values[n->in[i]].has_grad;
        in_fmt[i] = fallback ? NULL : g->values[n->in[i]].fmt;
    }
    for (i = 0; i < n->n_out; i++)
        has_d_out[i] = g->values[n->out[i]].has_grad;
    k->c = &pn->c;
    k->n_param = n->n_param;
    k->compute = fallback ? p->wide : p->compute;
    k->param_dtype = p->wide;
    k->training = g->training;
    k->fuse = fuse;
    k->after = after;
    k->threads = p->ctx->threads;
    k->arena = &p->mem;
    k->in_place = k->d_in_place = -1;
    return EC_OK;
}

/* Fallback kernels know plain parameters only. */
static bool params_plain(const struct ec_program *p, const struct ec_node *n)
{
    int i;

    for (i = 0; i < n->n_param; i++)
        if (p->params[n->param[i]].fmt && p->params[n->param[i]].fmt->layout)
            return false;
    return true;
}

/* A format that only says "plain" is NULL. */
static const struct ec_fmt *norm_fmt(const struct ec_program *p, const struct ec_fmt *f)
{
    return f && !f->layout && f->dtype == p->compute ? NULL : f;
}

static enum ec_status try_row(struct ec_program *p, struct ec_variant *g, struct ec_pnode *pn,
                              const struct ec_kernel_row *row, bool fallback, unsigned fuse,
                              const struct ec_case *after, struct ec_err *err)
{
    if (fallback && !params_plain(p, pn->n))
        return EC_E_UNSUPPORTED;
    EC_PASS(knode_init(p, g, pn, fallback, fuse, after, err));
    if (row->supports && !row->supports(&pn->k))
        return EC_E_UNSUPPORTED;
    EC_PASS(row->prepare(p->ctx, &pn->k, err));
    pn->row = row;
    pn->fallback = fallback;
    return EC_OK;
}

/* What the kernel chose goes to values and parameters. */
static void adopt(struct ec_program *p, struct ec_variant *g, struct ec_pnode *pn)
{
    int i;

    for (i = 0; i < pn->n->n_out; i++) {
        const struct ec_fmt *f = pn->fallback ? NULL : norm_fmt(p, pn->k.out_fmt[i]);

        g->values[pn->n->out[i]].fmt = f;
        g->values[pn->out_value[i]].fmt = f;
    }
    for (i = 0; i < pn->n->n_param; i++) {
        struct ec_pparam *q = &p->params[pn->n->param[i]];

        if (!q->fmt)
            q->fmt = pn->k.param_fmt[i] ? pn->k.param_fmt[i] : &q->plain;
        pn->k.param_fmt[i] = q->fmt;
    }
}

/* The operator of one input that alone reads output 0 of the node; NULL when there is none. */
static struct ec_pnode *next_alone(const struct ec_program *p, struct ec_variant *g,
                                   const struct ec_pnode *pn)
{
    int i, v = pn->n->n_out ? pn->n->out[0] : -1;

    if (p->opts.no_fuse || v < 0 || g->values[v].n_uses != 1 || g->values[v].is_output)
        return NULL;
    for (i = pn->n->id + 1; i < p->g->n_nodes; i++) {
        struct ec_pnode *r = &g->nodes[i];

        if (r->live && r->n->n_in == 1 && r->n->in[0] == v)
            return r->n->n_out == 1 && !r->n->n_param ? r : NULL;
    }
    return NULL;
}

static bool is_relu(const struct ec_pnode *pn)
{
    return !strcmp(pn->n->op->name, "relu");
}

static bool same_fmt(const struct ec_fmt *a, const struct ec_fmt *b)
{
    return a == b || (a && b && a->layout == b->layout && a->dtype == b->dtype);
}

/* The ReLU that writes input 0 of the node for it alone, and whose backward is still to be done by
 * a task of its own; NULL when there is none. */
static struct ec_pnode *relu_before(const struct ec_program *p, struct ec_variant *g,
                                    const struct ec_pnode *pn)
{
    int v = pn->n->n_in ? pn->n->in[0] : -1, at = v < 0 ? -1 : p->g->values[v]->producer;
    struct ec_pnode *r = at < 0 ? NULL : &g->nodes[at];

    if (!r || p->opts.no_fuse || !pn->backward || !is_relu(r) || !r->live || !r->backward ||
        !r->row || r->fallback || r->vanished || r->k.view || r->k.d_out_is_d_in)
        return NULL;
    if (g->values[v].n_uses != 1 || g->values[v].is_output || !g->values[v].has_grad ||
        !same_fmt(g->values[v].fmt, g->values[r->n->in[0]].fmt))
        return NULL;
    return r;
}

static enum ec_status prepare_alone(struct ec_program *p, struct ec_variant *g, struct ec_pnode *pn,
                                    struct ec_err *err);

/* The backward of a ReLU whose forward is fused: must read the output alone, in the format that
 * comes. *ret_ok false: it does not. */
static enum ec_status prepare_relu_backward(struct ec_program *p, struct ec_variant *g,
                                            struct ec_pnode *relu, bool *ret_ok, struct ec_err *err)
{
    const struct ec_fmt *came = g->values[relu->n->in[0]].fmt;
    const struct ec_fmt *left;

    EC_PASS(prepare_alone(p, g, relu, err));
    left = g->values[relu->n->out[0]].fmt;
    *ret_ok = !relu->k.keep_in[0] && !relu->k.view && relu->k.ws_bytes == 0 &&
              same_fmt(came, left) && !(relu->fallback && came);
    if (!*ret_ok)
        drop_node(relu);
    return EC_OK;
}

/* One row with the operator after it fused as `fuse` says. *ret_ok false: go on with the next. */
static enum ec_status try_fused(struct ec_program *p, struct ec_variant *g, struct ec_pnode *pn,
                                const struct ec_kernel_row *row, unsigned fuse,
                                struct ec_pnode *relu, bool *ret_ok, struct ec_err *err)
{
    struct ec_case *after = ec_arena_alloc(&p->mem, sizeof *after);
    bool apart = fuse == EC_FUSE_RELU && pn->backward;
    enum ec_status st;

    EC_PASS(ec_allocated(after, err));
    *after = ec_node_case(relu->n);
    st = try_row(p, g, pn, row, false, fuse, fuse == EC_FUSE_ACT ? after : NULL, err);
    *ret_ok = !st;
    if (st)
        return st == EC_E_UNSUPPORTED ? EC_OK : st;
    pn->out_value[0] = relu->n->out[0];
    if (!apart)
        pn->d_out_value[0] = relu->n->out[0];
    adopt(p, g, pn);
    relu->absorbed = true;
    relu->vanished = !apart;
    if (!apart)
        return EC_OK;
    st = prepare_relu_backward(p, g, relu, ret_ok, err);
    if (st || *ret_ok)
        return st;
    relu->absorbed = false;
    pn->out_value[0] = pn->n->out[0];
    drop_node(pn);
    return EC_OK;
}

static const unsigned fuse_order[] = { EC_FUSE_RELU_BWD, EC_FUSE_RELU, EC_FUSE_ACT };

/* Parameters' formats chosen in a try that was given up are free again. */
static enum ec_status prepare_fused(struct ec_program *p, struct ec_variant *g, struct ec_pnode *pn,
                                    const struct ec_kernel_row *row, bool *ret_ok,
                                    struct ec_err *err)
{
    struct ec_pnode *next = row->fuses ? next_alone(p, g, pn) : NULL;
    const struct ec_fmt *was[EC_PARAM_MAX];
    int i, j;

    *ret_ok = false;
    if (!next || pn->n->n_param > EC_PARAM_MAX)
        return EC_OK;
    for (j = 0; j < pn->n->n_param; j++)
        was[j] = p->params[pn->n->param[j]].fmt;
    for (i = 0; i < EC_LEN(fuse_order) && !*ret_ok; i++) {
        if (!(row->fuses & fuse_order[i]) || (fuse_order[i] != EC_FUSE_ACT && !is_relu(next)))
            continue;
        EC_PASS(try_fused(p, g, pn, row, fuse_order[i], next, ret_ok, err));
        for (j = 0; !*ret_ok && j < pn->n->n_param; j++)
            p->params[pn->n->param[j]].fmt = was[j];
    }
    return EC_OK;
}

/* One row that does the backward of the ReLU before it, too: that one then passes the gradient on.
 */
static enum ec_status prepare_behind_relu(struct ec_program *p, struct ec_variant *g,
                                          struct ec_pnode *pn, const struct ec_kernel_row *row,
                                          bool *ret_ok, struct ec_err *err)
{
    struct ec_pnode *relu = row->fuses & EC_FUSE_RELU_BEFORE ? relu_before(p, g, pn) : NULL;
    enum ec_status st;

    *ret_ok = false;
    if (!relu)
        return EC_OK;
    st = try_row(p, g, pn, row, false, EC_FUSE_RELU_BEFORE, NULL, err);
    if (st)
        return st == EC_E_UNSUPPORTED ? EC_OK : st;
    adopt(p, g, pn);
    relu->k.d_out_is_d_in = true;
    *ret_ok = true;
    return EC_OK;
}

static enum ec_status try_rows(struct ec_program *p, struct ec_variant *g, struct ec_pnode *pn,
                               const struct ec_kernel_row *row, bool fallback, bool *ret_ok,
                               struct ec_err *err)
{
    enum ec_status st = EC_OK;

    for (; row && row->op && !*ret_ok && !st; row++) {
        if (strcmp(row->op, pn->n->op->name) != 0 && strcmp(row->op, "*") != 0)
            continue;
        if (!fallback && !pn->absorbed)
            st = prepare_fused(p, g, pn, row, ret_ok, err);
        if (!st && !*ret_ok && !fallback)
            st = prepare_behind_relu(p, g, pn, row, ret_ok, err);
        if (st || *ret_ok)
            break;
        st = try_row(p, g, pn, row, fallback, 0, NULL, err);
        if (!st) {
            adopt(p, g, pn);
            *ret_ok = true;
        }
        if (st == EC_E_UNSUPPORTED)
            st = EC_OK;
    }
    return st;
}

static enum ec_status prepare_alone(struct ec_program *p, struct ec_variant *g, struct ec_pnode *pn,
                                    struct ec_err *err)
{
    struct ec_err why = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    bool ok = false;
    enum ec_status st = try_rows(p, g, pn, p->b->rows, false, &ok, &why);

    if (!st && !ok)
        st = try_rows(p, g, pn, p->b->fallback, true, &ok, &why);
    if (!st && ok)
        return EC_OK;
    if (st) {
        (void)ec_fail(err, st, "%s", why.text);
        ec_err_prefix(err, "%s \"%.80s\": ", pn->n->op->name, pn->n->name);
        return st;
    }
    ec_case_print(&pn->c, &text);
    st = ec_fail(err, EC_E_UNSUPPORTED, "%s \"%.80s\": backend %s has no kernel for %.200s%s%.120s",
                 pn->n->op->name, pn->n->name, p->b->name, ec_buf_text(&text),
                 why.text[0] ? ": " : "", why.text);
    ec_buf_clear(&text);
    return st;
}

/* Shared parameters stay plain: several kernels, perhaps of several shapes, read them. */
static void fix_shared(struct ec_program *p)
{
    int i;

    for (i = 0; i < p->g->n_values; i++) {
        struct ec_pparam *q = &p->params[i];

        if (!q->used)
            continue;
        q->plain.dtype = p->wide;
        q->plain.bytes = ec__plain_bytes(p, i, p->wide);
        if (q->n_uses > 1)
            q->fmt = &q->plain;
    }
}

enum ec_status ec__program_prepare(struct ec_program *p, struct ec_variant *g, struct ec_err *err)
{
    int i, j;

    fix_shared(p);
    for (i = 0; i < p->g->n_nodes; i++) {
        struct ec_pnode *pn = &g->nodes[i];
        const struct ec_node *n = pn->n;
        bool bad = false;

        pn->ws = -1;
        pn->c = ec_node_case(n);
        pn->out_value = zeroed(p, sizeof(int), n->n_out, &bad);
        pn->d_out_value = zeroed(p, sizeof(int), n->n_out, &bad);
        pn->in_buf = zeroed(p, sizeof(int), n->n_in, &bad);
        pn->out_buf = zeroed(p, sizeof(int), n->n_out, &bad);
        if (bad)
            return ec_nomem(err);
        for (j = 0; j < n->n_out; j++)
            pn->out_value[j] = pn->d_out_value[j] = n->out[j];
    }
    for (i = 0; i < p->g->n_nodes; i++)
        if (g->nodes[i].live && !g->nodes[i].absorbed)
            EC_PASS(prepare_alone(p, g, &g->nodes[i], err));
    return EC_OK;
}
