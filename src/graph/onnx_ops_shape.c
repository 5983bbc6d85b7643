/* ONNX operators that move or rearrange elements, and the fitting of constant reshape targets to
 * another batch. */
#include "graph/onnx_internal.h"

#include <math.h>

#include "onnx_ops.h"

static enum ec_status data_type(const struct onnx_conv *c, struct ec_type *ret)
{
    return ec__onnx_type(c, ec__onnx_in(c->n, 0), ret)
               ? EC_OK
               : ec_fail(c->err, EC_E_PARSE, "the input has no known shape");
}

static enum ec_status from_data(struct ec_err *err, const char *what)
{
    return ec_fail(err, EC_E_UNSUPPORTED, "%s that depends on data", what);
}

/* --- another batch than the file's --- */

/* Where the batch of the input stands in the old target: -1 for nowhere.
 * `inner` elements lie inside dimension `b` of the input, `old` is its old extent. */
static int batch_entry(const struct ec_shape *target, int64_t inner, int64_t old, int64_t batch)
{
    double edge = (double)inner * (double)old, size[EC_RANK_MAX + 1];
    int pass, j;

    size[target->rank] = 1;
    for (j = target->rank - 1; j >= 0; j--)
        size[j] = size[j + 1] * (double)target->d[j];
    for (pass = 0; pass < 3; pass++)
        for (j = 0; j < target->rank; j++) {
            bool same = target->d[j] == batch;

            if (pass == 0 && same && size[j + 1] == edge / (double)batch)
                return j; /* outermost inside the dimension */
            if (pass == 1 && same && size[j + 1] == (double)inner)
                return j; /* innermost */
            if (pass == 2 && size[j + 1] < edge && size[j] >= edge)
                return j && old > batch && size[j] == edge
                           ? j - 1 /* with heads in the input: they leave it, samples stay apart */
                           : j;    /* merged with others */
        }
    return -1;
}

/* A target computed for the file's batch becomes one for ours. */
static void rebatch_target(struct onnx_conv *c, const struct ec_shape *x, struct ec_ints *target)
{
    const struct ec_shape *was, *out;
    int64_t inner = 1;
    int b, i, j;

    if (!c->old || ec__onnx_out(c->n, 0) < 0)
        return;
    was = &c->old[c->n->in[0]];
    out = &c->old[c->n->out[0]];
    if (was->rank != x->rank || out->rank != target->n)
        return;
    for (b = 0; b < x->rank && x->d[b] == was->d[b]; b++)
        ;
    if (b == x->rank || was->d[b] < 1)
        return;
    for (i = b + 1; i < x->rank; i++)
        inner *= was->d[i];
    j = batch_entry(out, inner, was->d[b], c->old_batch);
    if (j < 0 || target->v[j] != out->d[j] || target->v[j] > INT32_MAX || x->d[b] > INT32_MAX)
        return; /* inferred, or computed from the shape: right already */
    target->v[j] = target->v[j] * x->d[b] / was->d[b];
    c->n_rescaled++;
}

/* --- views --- */

static enum ec_status emit_reshape(struct onnx_conv *c)
{
    struct ec_ints target;
    struct ec_type x;
    int i;

    EC_PASS(data_type(c, &x));
    if (!ec__onnx_ints(c, "shape", 1, &target) || target.n > EC_RANK_MAX)
        return from_data(c->err, "a shape");
    rebatch_target(c, &x.shape, &target);
    for (i = 0; i < target.n && i < x.shape.rank; i++)
        if (target.v[i] == 0 && !ec__onnx_attr_int(c->n, "allowzero", 0))
            target.v[i] = x.shape.d[i];
    ec__onnx_word_ints(c, "shape", &target);
    return ec__onnx_plain(c);
}

static enum ec_status emit_flatten(struct onnx_conv *c)
{
    ec__onnx_word(c, "axis", ec__onnx_attr_int(c->n, "axis", 1));
    return ec__onnx_plain(c);
}

static enum ec_status emit_squeeze(struct onnx_conv *c)
{
    struct ec_ints axes = { 0 };
    struct ec_type x;
    enum ec_status st;
    int i;

    EC_TRY(data_type(c, &x));
    if (!ec__onnx_ints(c, "axes", 1, &axes)) {
        if (c->n->n_in > 1)
            return from_data(c->err, "axes");
        for (i = 0; i < x.shape.rank; i++)
            if (x.shape.d[i] == 1)
                axes.v[axes.n++] = i;
    }
    if (axes.n)
        ec__onnx_word_ints(c, "axes", &axes);
    EC_TRY(ec__onnx_emit1(c, axes.n ? c->r->op : "identity"));
out:
    ec_buf_reset(&c->words);
    return st;
}

static enum ec_status emit_unsqueeze(struct onnx_conv *c)
{
    struct ec_ints axes;

    if (!ec__onnx_ints(c, "axes", 1, &axes))
        return from_data(c->err, "axes");
    ec__onnx_word_ints(c, "axes", &axes);
    return ec__onnx_plain(c);
}

/* A parameter's matrix keeps being that parameter: linear layers store it either way. */
static enum ec_status emit_transpose(struct onnx_conv *c)
{
    const struct onnx_node *n = c->n;
    const struct onnx_attr *perm = ec__onnx_attr(n, "perm");
    struct ec_ints axes = { 0 };
    struct ec_type x;
    int i;

    EC_PASS(data_type(c, &x));
    if (ec__onnx_is_param(c, n->in[0]) && x.shape.rank == 2 && ec__onnx_out(n, 0) >= 0 &&
        (!perm || (perm->n_ints == 2 && perm->ints[0] == 1 && perm->ints[1] == 0))) {
        c->val[n->out[0]] = c->val[n->in[0]];
        c->val[n->out[0]].transposed = !c->val[n->in[0]].transposed;
        c->val[n->out[0]].gv = -1;
        return EC_OK;
    }
    for (i = 0; perm && i < perm->n_ints && i < EC_INTS_MAX; i++)
        axes.v[axes.n++] = perm->ints[i];
    if (axes.n)
        ec__onnx_word_ints(c, "perm", &axes);
    return ec__onnx_plain(c);
}

static enum ec_status emit_expand(struct onnx_conv *c)
{
    struct ec_ints shape;

    if (!ec__onnx_ints(c, NULL, 1, &shape))
        return from_data(c->err, "a shape");
    if (c->old && shape.n && shape.v[0] == c->old_batch && shape.v[0] != c->batch &&
        (c->old_batch > 1 || ec__onnx_is_param(c, c->n->in[0]))) {
        shape.v[0] = c->batch;
        c->n_rescaled++;
    }
    ec__onnx_word_ints(c, "shape", &shape);
    return ec__onnx_plain(c);
}

static enum ec_status emit_tile(struct onnx_conv *c)
{
    struct ec_ints repeats;

    if (!ec__onnx_ints(c, NULL, 1, &repeats))
        return from_data(c->err, "a number of repetitions");
    ec__onnx_word_ints(c, "repeats", &repeats);
    return ec__onnx_plain(c);
}

/* --- joining and cutting --- */

static enum ec_status emit_concat(struct onnx_conv *c)
{

    ec__onnx_word(c, "axis", ec__onnx_attr_int(c->n, "axis", 1));
    return ec__onnx_emit(c, c->r->op, 0, c->n->n_in);
}

static enum ec_status emit_split(struct onnx_conv *c)
{
    struct ec_ints sizes;

    ec__onnx_word(c, "axis", ec__onnx_attr_int(c->n, "axis", 0));
    if (ec__onnx_ints(c, "split", 1, &sizes) && sizes.n > 0)
        ec__onnx_word_ints(c, "sizes", &sizes);
    else if (ec__onnx_in(c->n, 1) >= 0)
        return from_data(c->err, "part sizes (or more than 16 of them)");
    else
        ec__onnx_word(c, "parts", c->n->n_out);
    return ec__onnx_emit(c, c->r->op, 0, 1);
}

static enum ec_status emit_slice(struct onnx_conv *c)
{
    struct ec_ints starts, ends, axes, steps;

    if (!ec__onnx_ints(c, "starts", 1, &starts) || !ec__onnx_ints(c, "ends", 2, &ends))
        return from_data(c->err, "bounds");
    if (ec__onnx_ints(c, "axes", 3, &axes) && axes.n)
        ec__onnx_word_ints(c, "axes", &axes);
    ec__onnx_word_ints(c, "starts", &starts);
    ec__onnx_word_ints(c, "ends", &ends);
    if (ec__onnx_ints(c, "steps", 4, &steps) && steps.n)
        ec__onnx_word_ints(c, "steps", &steps);
    return ec__onnx_plain(c);
}

/* Begins then ends; from operator set 18 on possibly for some axes only. */
static enum ec_status emit_pad(struct onnx_conv *c)
{
    const struct onnx_attr *mode = ec__onnx_attr(c->n, "mode");
    struct ec_ints pads, axes, all = { 0 };
    struct ec_type x;
    int i;

    EC_PASS(data_type(c, &x));
    if (!ec__onnx_ints(c, ec__onnx_attr(c->n, "paddings") ? "paddings" : "pads", 1, &pads))
        return from_data(c->err, "padding");
    if (ec__onnx_ints(c, NULL, 3, &axes) && axes.n * 2 == pads.n) {
        all.n = 2 * x.shape.rank;
        for (i = 0; i < axes.n; i++) {
            int64_t at = axes.v[i] < 0 ? axes.v[i] + x.shape.rank : axes.v[i];

            if (at < 0 || at >= x.shape.rank)
                return ec_fail(c->err, EC_E_SHAPE, "axis %lld", (long long)axes.v[i]);
            all.v[at] = pads.v[i];
            all.v[at + x.shape.rank] = pads.v[axes.n + i];
        }
        pads = all;
    }
    ec__onnx_word_ints(c, "pads", &pads);
    if (mode && (ec_span_eq(mode->s, "reflect") || ec_span_eq(mode->s, "edge")))
        ec_buf_printf(&c->words, " mode=%.*s", (int)mode->s.len, mode->s.p);
    return ec__onnx_plain(c);
}

/* --- picking --- */

/* One known index is a view: x[:, 0]. */
static enum ec_status gather_one(struct onnx_conv *c, int64_t axis, const struct onnx_known *index)
{
    int64_t at = (int64_t)fmin(fmax(index->v[0], -1e15), 1e15);
    int x = -1;

    ec_buf_printf(&c->words, " axes=%lld starts=%lld ends=%lld", (long long)axis, (long long)at,
                  (long long)(at == -1 ? INT64_MAX / 2 : at + 1));
    EC_PASS(ec__onnx_data(c, 0, &x));
    EC_PASS(ec__onnx_add1(c, "slice", x, &x));
    if (index->type.shape.rank == 0) {
        ec__onnx_word(c, "axes", axis);
        EC_PASS(ec__onnx_add1(c, "squeeze", x, &x));
    }
    ec__onnx_set(c, 0, x);
    return EC_OK;
}

static enum ec_status embedding(struct onnx_conv *c, const struct ec_shape *table)
{
    ec__onnx_word(c, "num", table->d[0]);
    ec__onnx_word(c, "dim", table->d[1]);
    EC_PASS(ec__onnx_emit(c, "embedding", 1, 1));
    return ec__onnx_bind(c, 0, 0);
}

static enum ec_status emit_gather(struct onnx_conv *c)
{
    const struct onnx_known *index = ec__onnx_known(c, ec__onnx_in(c->n, 1));
    int64_t axis = ec__onnx_attr_int(c->n, "axis", 0);
    struct ec_type x, ids;

    EC_PASS(data_type(c, &x));
    if (index && index->n == 1 && index->type.shape.rank <= 1)
        return gather_one(c, axis, index);
    if (ec__onnx_is_param(c, c->n->in[0]) && !c->val[c->n->in[0]].transposed && axis == 0 &&
        x.shape.rank == 2 && ec__onnx_type(c, ec__onnx_in(c->n, 1), &ids) &&
        !ec_dtype_is_float(ids.dtype) && x.shape.d[0] > 0 && x.shape.d[1] > 0)
        return embedding(c, &x.shape);
    ec__onnx_word(c, "axis", axis);
    return ec__onnx_emit(c, c->r->op, 0, 2);
}

static enum ec_status emit_gather_elements(struct onnx_conv *c)
{
    ec__onnx_word(c, "axis", ec__onnx_attr_int(c->n, "axis", 0));
    return ec__onnx_emit(c, c->r->op, 0, 2);
}

/* --- images --- */

/* Spatial output sizes from the sizes or scales, wherever this version keeps them. */
static bool resize_sizes(const struct onnx_conv *c, const struct ec_shape *x, struct ec_ints *ret)
{
    const struct onnx_known *sizes = ec__onnx_known(c, ec__onnx_in(c->n, 3));
    const struct onnx_known *scales =
        ec__onnx_known(c, ec__onnx_in(c->n, c->m->opset < 11 ? 1 : 2));
    const struct onnx_attr *at = ec__onnx_attr(c->n, "scales");
    int i;

    ret->n = x->rank - 2;
    for (i = 0; i < ret->n; i++) {
        double out;

        if (sizes && sizes->n == x->rank)
            out = sizes->v[i + 2];
        else if (scales && scales->n == x->rank)
            out = floor((double)x->d[i + 2] * scales->v[i + 2]);
        else if (at && at->n_floats == x->rank)
            out = floor((double)x->d[i + 2] * at->floats[i + 2]);
        else
            return false;
        if (!(out >= 1 && out < 1e9))
            return false;
        ret->v[i] = (int64_t)out;
    }
    return true;
}

static enum ec_status emit_resize(struct onnx_conv *c)
{
    const struct onnx_attr *mode = ec__onnx_attr(c->n, "mode");
    struct ec_ints size;
    struct ec_type x;

    EC_PASS(data_type(c, &x));
    if (x.shape.rank < 3 || !resize_sizes(c, &x.shape, &size))
        return from_data(c->err, "a size");
    ec__onnx_word_ints(c, "size", &size);
    if (mode && (ec_span_eq(mode->s, "linear") || ec_span_eq(mode->s, "cubic")))
        ec_buf_printf(&c->words, " mode=%.*s", (int)mode->s.len, mode->s.p);
    return ec__onnx_plain(c);
}

static enum ec_status emit_block(struct onnx_conv *c)
{
    ec__onnx_word(c, "block", ec__onnx_attr_int(c->n, "blocksize", 1));
    return ec__onnx_plain(c);
}

const struct onnx_rule ec__onnx_rules_shape[] = { ONNX_SHAPE(ONNX_RULE){ 0 } };
