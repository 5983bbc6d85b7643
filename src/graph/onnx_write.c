/* Minimal ONNX from a graph: no weights, parameters are graph inputs. For operators that have a
 * direct counterpart, or one of two or three nodes; others are refused by name. */
#include "graph/files_internal.h"
#include "graph/wire_internal.h"

#include <stdio.h>
#include <string.h>

#define OPSET 17
#define IR_VERSION 8

/* Field numbers of onnx.proto. */
enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { ATTR_INT = 2, ATTR_INTS = 7, ATTR_STRING = 3 };

struct writer {
    const struct ec_graph *g;
    struct ec__names names;
    struct ec_buf graph, tensors, attrs; /* attrs: of the node being written */
    int n_temps;
};

struct row {
    const char *op;
    enum ec_status (*write)(struct writer *w, const struct ec_node *n, const struct row *r,
                            struct ec_err *err);
    const char *onnx;
};

/* --- attributes of ours --- */

static const void *attr(const struct ec_node *n, const char *name)
{
    const struct ec_field *f = ec_field_find(n->op->fields, ec_span_of(name));

    return f ? (const char *)n->attrs + f->offset : NULL;
}

static int64_t attr_int(const struct ec_node *n, const char *name, int64_t deflt)
{
    const struct ec_field *f = ec_field_find(n->op->fields, ec_span_of(name));
    const void *p = attr(n, name);

    if (!p)
        return deflt;
    return f->type == EC_F_BOOL   ? *(const bool *)p
           : f->type == EC_F_ENUM ? *(const int *)p
                                  : *(const int64_t *)p;
}

static struct ec_ints attr_ints(const struct ec_node *n, const char *name)
{
    const struct ec_ints *v = attr(n, name);

    return v ? *v : (struct ec_ints){ 0 };
}

/* One for all becomes one for each. */
static struct ec_ints spread(struct ec_ints v, int n, int64_t deflt)
{
    int i;

    for (i = v.n > 1 ? v.n : 1; i < n && i < EC_INTS_MAX; i++)
        v.v[i] = v.n == 1 ? v.v[0] : deflt;
    if (v.n < 1)
        v.v[0] = deflt;
    if (v.n < n)
        v.n = n;
    return v;
}

static const struct ec_shape *in_shape(const struct ec_node *n, int i)
{
    return &n->in_type[i]->shape;
}

/* --- pieces of the file --- */

static void put_int(struct writer *w, const char *name, int64_t v)
{
    struct ec_buf b = EC_BUF_INIT;

    ec__wire_put_str(&b, 1, name);
    ec__wire_put_int(&b, 3, v);
    ec__wire_put_int(&b, 20, ATTR_INT);
    ec__wire_put_msg(&w->attrs, 5, &b);
    ec_buf_clear(&b);
}

static void put_text(struct writer *w, const char *name, const char *v)
{
    struct ec_buf b = EC_BUF_INIT;

    ec__wire_put_str(&b, 1, name);
    ec__wire_put_str(&b, 4, v);
    ec__wire_put_int(&b, 20, ATTR_STRING);
    ec__wire_put_msg(&w->attrs, 5, &b);
    ec_buf_clear(&b);
}

static void put_ints(struct writer *w, const char *name, const int64_t *v, int n)
{
    struct ec_buf b = EC_BUF_INIT;
    int i;

    ec__wire_put_str(&b, 1, name);
    for (i = 0; i < n; i++)
        ec__wire_put_int(&b, 8, v[i]);
    ec__wire_put_int(&b, 20, ATTR_INTS);
    ec__wire_put_msg(&w->attrs, 5, &b);
    ec_buf_clear(&b);
}

static void put_info(struct ec_buf *out, uint32_t field, const struct ec_graph *g,
                     const struct ec_value *v, const char *name)
{
    static const int64_t onnx_type[EC_DT_COUNT] = {
        [EC_DT_f32] = 1, [EC_DT_f16] = 10, [EC_DT_bf16] = 16, [EC_DT_f64] = 11, [EC_DT_i64] = 7,
        [EC_DT_i32] = 6, [EC_DT_i16] = 5,  [EC_DT_i8] = 3,    [EC_DT_u8] = 2,   [EC_DT_bool] = 9,
    };
    struct ec_buf shape = EC_BUF_INIT, tensor = EC_BUF_INIT, type = EC_BUF_INIT, b = EC_BUF_INIT;
    int i;

    for (i = 0; i < v->type.shape.rank; i++) {
        struct ec_buf dim = EC_BUF_INIT;

        if (i == 0 && (v->kind == EC_V_INPUT || v->kind == EC_V_COMPUTED) &&
            v->type.shape.d[0] == g->batch)
            ec__wire_put_str(&dim, 2, "N");
        else
            ec__wire_put_int(&dim, 1, v->type.shape.d[i]);
        ec__wire_put_msg(&shape, 1, &dim);
        ec_buf_clear(&dim);
    }
    ec__wire_put_int(&tensor, 1, onnx_type[v->type.dtype]);
    ec__wire_put_msg(&tensor, 2, &shape);
    ec__wire_put_msg(&type, 1, &tensor);
    ec__wire_put_str(&b, 1, name);
    ec__wire_put_msg(&b, 2, &type);
    ec__wire_put_msg(out, field, &b);
    ec_buf_clear(&shape);
    ec_buf_clear(&tensor);
    ec_buf_clear(&type);
    ec_buf_clear(&b);
}

/* A small constant; the returned name lives in the names' arena. */
static const char *constant(struct writer *w, const int64_t *v, int n, int rank)
{
    const char *name = ec_arena_printf(&w->names.arena, "const/%d", w->n_temps++);
    struct ec_buf b = EC_BUF_INIT;
    int i;

    if (!name) {
        w->tensors.st = EC_E_NOMEM;
        return "";
    }
    if (rank)
        ec__wire_put_int(&b, 1, n);
    ec__wire_put_int(&b, 2, 7);
    for (i = 0; i < n; i++)
        ec__wire_put_int(&b, 7, v[i]);
    ec__wire_put_str(&b, 8, name);
    ec__wire_put_msg(&w->tensors, GRAPH_INITIALIZER, &b);
    ec_buf_clear(&b);
    return name;
}

static const char *constant_float(struct writer *w, double v)
{
    const char *name = ec_arena_printf(&w->names.arena, "const/%d", w->n_temps++);
    struct ec_buf b = EC_BUF_INIT;

    if (!name) {
        w->tensors.st = EC_E_NOMEM;
        return "";
    }
    ec__wire_put_int(&b, 2, 1);
    ec__wire_put_float(&b, 4, v);
    ec__wire_put_str(&b, 8, name);
    ec__wire_put_msg(&w->tensors, GRAPH_INITIALIZER, &b);
    ec_buf_clear(&b);
    return name;
}

static const char *temp(struct writer *w)
{
    const char *name = ec_arena_printf(&w->names.arena, "temp/%d", w->n_temps++);

    if (!name)
        w->graph.st = EC_E_NOMEM;
    return name ? name : "";
}

/* Node with names of inputs (NULL ends them) and one output; takes the attributes put before. */
static void put_node(struct writer *w, const char *op, const char *const *in, const char *out)
{
    struct ec_buf b = EC_BUF_INIT;

    for (; *in; in++)
        ec__wire_put_str(&b, 1, *in);
    ec__wire_put_str(&b, 2, out);
    ec__wire_put_str(&b, 3, out);
    ec__wire_put_str(&b, 4, op);
    ec_buf_join(&b, &w->attrs);
    ec_buf_reset(&w->attrs);
    ec__wire_put_msg(&w->graph, GRAPH_NODE, &b);
    ec_buf_clear(&b);
}

#define NODE(w, op, out, ...) put_node(w, op, (const char *const[]){ __VA_ARGS__, NULL }, out)

static const char *name_in(const struct writer *w, const struct ec_node *n, int i)
{
    return w->names.value[n->in[i]];
}

static const char *name_out(const struct writer *w, const struct ec_node *n)
{
    return w->names.value[n->out[0]];
}

static const char *name_param(const struct writer *w, const struct ec_node *n, int i)
{
    return i < n->n_param ? w->names.value[n->param[i]] : NULL;
}

/* --- one writer per kind of operator --- */

static enum ec_status plain(struct writer *w, const struct ec_node *n, const struct row *r,
                            struct ec_err *err)
{
    const char **in =
        ec_arena_alloc(&w->names.arena, ((size_t)n->n_in + 1) * sizeof *in); /* NULL ends it */
    int i;

    if (!in)
        return ec_nomem(err);
    for (i = 0; i < n->n_in; i++)
        in[i] = name_in(w, n, i);
    put_node(w, r->onnx, in, name_out(w, n));
    return EC_OK;
}

static enum ec_status with_axis(struct writer *w, const struct ec_node *n, const struct row *r,
                                struct ec_err *err)
{
    put_int(w, "axis", attr_int(n, "axis", 1));
    return plain(w, n, r, err);
}

static enum ec_status with_block(struct writer *w, const struct ec_node *n, const struct row *r,
                                 struct ec_err *err)
{
    put_int(w, "blocksize", attr_int(n, "block", 1));
    return plain(w, n, r, err);
}

static enum ec_status with_size(struct writer *w, const struct ec_node *n, const struct row *r,
                                struct ec_err *err)
{
    put_int(w, "size", attr_int(n, "size", 5));
    return plain(w, n, r, err);
}

/* kernel_shape, strides, pads, dilations of a window over `dims` dimensions. */
static void put_window(struct writer *w, const struct ec_node *n, int dims)
{
    struct ec_ints size = { dims, { 0 } }, pad = attr_ints(n, "pad"), v;
    int64_t r = attr_int(n, "r", 1), s = attr_int(n, "s", 0);

    size.v[dims - 1] = dims > 1 && s ? s : r;
    if (dims > 1)
        size.v[dims - 2] = r;
    if (dims > 2)
        size.v[0] = attr_int(n, "t", 1);
    put_ints(w, "kernel_shape", size.v, dims);
    v = attr_ints(n, "stride");
    if (v.n == 1 && v.v[0] == 0) /* pools: as large as the window */
        v = size;
    v = spread(v, dims, 1);
    put_ints(w, "strides", v.v, dims);
    v = attr_ints(n, "dil");
    if (v.n > 1 || v.v[0] > 1)
        put_ints(w, "dilations", spread(v, dims, 1).v, dims);
    if (pad.n < 0 &&
        ec_str_eq(ec_field_find(n->op->fields, ec_span_of("pad"))->choices[-1 - pad.n], "same"))
        put_text(w, "auto_pad", "SAME_UPPER");
    if (pad.n < 1)
        return;
    if (pad.n == dims && dims > 1) { /* one for each dimension: the same at both ends */
        memcpy(pad.v + dims, pad.v, (size_t)dims * sizeof *pad.v);
        pad.n = 2 * dims;
    }
    put_ints(w, "pads", spread(pad, 2 * dims, 0).v, 2 * dims);
}

static enum ec_status conv(struct writer *w, const struct ec_node *n, const struct row *r,
                           struct ec_err *err)
{
    int dims = in_shape(n, 0)->rank - 2;
    struct ec_ints out_pad = attr_ints(n, "out_pad");

    (void)err;
    put_window(w, n, dims);
    if (out_pad.n > 1 || out_pad.v[0] > 0)
        put_ints(w, "output_padding", spread(out_pad, dims, 0).v, dims);
    if (attr_int(n, "groups", 1) > 1)
        put_int(w, "group", attr_int(n, "groups", 1));
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), name_param(w, n, 0), name_param(w, n, 1));
    return EC_OK;
}

static enum ec_status pool(struct writer *w, const struct ec_node *n, const struct row *r,
                           struct ec_err *err)
{
    put_window(w, n, in_shape(n, 0)->rank - 2);
    if (attr_int(n, "ceil", 0))
        put_int(w, "ceil_mode", 1);
    if (ec_str_eq(r->onnx, "AveragePool"))
        put_int(w, "count_include_pad", attr_int(n, "count_include_pad", 1));
    return plain(w, n, r, err);
}

/* Adaptive pooling is plain pooling where the output size divides the input's. */
static enum ec_status adaptive_pool(struct writer *w, const struct ec_node *n, const struct row *r,
                                    struct ec_err *err)
{
    const struct ec_shape *x = in_shape(n, 0), *y = &n->out_type[0]->shape;
    struct ec_ints size = { x->rank - 2, { 0 } };
    int i;

    for (i = 0; i < size.n; i++) {
        if (y->d[i + 2] < 1 || x->d[i + 2] % y->d[i + 2])
            return ec_fail(err, EC_E_UNSUPPORTED, "an output that does not divide its input");
        size.v[i] = x->d[i + 2] / y->d[i + 2];
    }
    put_ints(w, "kernel_shape", size.v, size.n);
    put_ints(w, "strides", size.v, size.n);
    return plain(w, n, r, err);
}

static enum ec_status linear(struct writer *w, const struct ec_node *n, const struct row *r,
                             struct ec_err *err)
{
    const char *wt, *product, *bias = name_param(w, n, 1);

    (void)r;
    (void)err;
    if (in_shape(n, 0)->rank == 2) {
        put_int(w, "transB", 1);
        NODE(w, "Gemm", name_out(w, n), name_in(w, n, 0), name_param(w, n, 0), bias);
        return EC_OK;
    }
    wt = temp(w);
    product = bias ? temp(w) : name_out(w, n);
    NODE(w, "Transpose", wt, name_param(w, n, 0));
    NODE(w, "MatMul", product, name_in(w, n, 0), wt);
    if (bias)
        NODE(w, "Add", name_out(w, n), product, bias);
    return EC_OK;
}

/* Scale and shift are inputs that ONNX does not leave out. */
static enum ec_status norm(struct writer *w, const struct ec_node *n, const struct row *r,
                           struct ec_err *err)
{
    int64_t dims = attr_int(n, "dims", 0);

    if (!name_param(w, n, 0))
        return ec_fail(err, EC_E_UNSUPPORTED, "a norm without scale");
    if (dims)
        put_int(w, "axis", -dims);
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), name_param(w, n, 0), name_param(w, n, 1),
         name_param(w, n, 2), name_param(w, n, 3));
    return EC_OK;
}

static enum ec_status prelu(struct writer *w, const struct ec_node *n, const struct row *r,
                            struct ec_err *err)
{
    (void)err;
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), name_param(w, n, 0));
    return EC_OK;
}

static enum ec_status embedding(struct writer *w, const struct ec_node *n, const struct row *r,
                                struct ec_err *err)
{
    (void)err;
    NODE(w, r->onnx, name_out(w, n), name_param(w, n, 0), name_in(w, n, 0));
    return EC_OK;
}

static enum ec_status relu6(struct writer *w, const struct ec_node *n, const struct row *r,
                            struct ec_err *err)
{
    (void)err;
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), constant_float(w, 0), constant_float(w, 6));
    return EC_OK;
}

static enum ec_status silu(struct writer *w, const struct ec_node *n, const struct row *r,
                           struct ec_err *err)
{
    const char *s = temp(w);

    (void)err;
    NODE(w, "Sigmoid", s, name_in(w, n, 0));
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), s);
    return EC_OK;
}

/* x (1 + erf(x / sqrt 2)) / 2, as exporters write it. */
static enum ec_status gelu(struct writer *w, const struct ec_node *n, const struct row *r,
                           struct ec_err *err)
{
    const char *a = temp(w), *b = temp(w), *c = temp(w), *d = temp(w), *x = name_in(w, n, 0);

    (void)r;
    (void)err;
    NODE(w, "Div", a, x, constant_float(w, 1.4142135623730951));
    NODE(w, "Erf", b, a);
    NODE(w, "Add", c, b, constant_float(w, 1));
    NODE(w, "Mul", d, x, c);
    NODE(w, "Mul", name_out(w, n), d, constant_float(w, 0.5));
    return EC_OK;
}

/* The random decision of drop path has no operator; its mean effect is none. */
static enum ec_status identity(struct writer *w, const struct ec_node *n, const struct row *r,
                               struct ec_err *err)
{
    return plain(w, n, r, err);
}

static enum ec_status dropout(struct writer *w, const struct ec_node *n, const struct row *r,
                              struct ec_err *err)
{
    const double *p = attr(n, "p");

    (void)err;
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), constant_float(w, p ? *p : 0.5));
    return EC_OK;
}

static enum ec_status with_shape(struct writer *w, const struct ec_node *n, const struct row *r,
                                 struct ec_err *err)
{
    struct ec_ints shape = attr_ints(n, "shape");

    (void)err;
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), constant(w, shape.v, shape.n, 1));
    return EC_OK;
}

static enum ec_status with_axes(struct writer *w, const struct ec_node *n, const struct row *r,
                                struct ec_err *err)
{
    struct ec_ints axes = attr_ints(n, "axes");

    if (!axes.n)
        return plain(w, n, r, err);
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), constant(w, axes.v, axes.n, 1));
    return EC_OK;
}

static enum ec_status reduce(struct writer *w, const struct ec_node *n, const struct row *r,
                             struct ec_err *err)
{
    struct ec_ints axes = attr_ints(n, "axes");

    if (axes.n)
        put_ints(w, "axes", axes.v, axes.n);
    put_int(w, "keepdims", attr_int(n, "keepdims", 1));
    return plain(w, n, r, err);
}

static enum ec_status transpose(struct writer *w, const struct ec_node *n, const struct row *r,
                                struct ec_err *err)
{
    struct ec_ints perm = attr_ints(n, "perm");

    if (perm.n)
        put_ints(w, "perm", perm.v, perm.n);
    return plain(w, n, r, err);
}

static enum ec_status channel_shuffle(struct writer *w, const struct ec_node *n,
                                      const struct row *r, struct ec_err *err)
{
    const struct ec_shape *x = in_shape(n, 0);
    int64_t groups = attr_int(n, "groups", 2);
    const int64_t split[] = { 0, groups, x->d[1] / groups, x->d[x->rank - 2], x->d[x->rank - 1] };
    const int64_t join[] = { 0, x->d[1], x->d[x->rank - 2], x->d[x->rank - 1] };
    const int64_t perm[] = { 0, 2, 1, 3, 4 };
    const char *a = temp(w), *b = temp(w);

    if (x->rank != 4)
        return ec_fail(err, EC_E_UNSUPPORTED, "other than images");
    NODE(w, "Reshape", a, name_in(w, n, 0), constant(w, split, 5, 1));
    put_ints(w, "perm", perm, 5);
    NODE(w, r->onnx, b, a);
    NODE(w, "Reshape", name_out(w, n), b, constant(w, join, 4, 1));
    return EC_OK;
}

static enum ec_status slice(struct writer *w, const struct ec_node *n, const struct row *r,
                            struct ec_err *err)
{
    struct ec_ints starts = attr_ints(n, "starts"), ends = attr_ints(n, "ends");
    struct ec_ints axes = attr_ints(n, "axes"), steps = spread(attr_ints(n, "steps"), starts.n, 1);
    int i;

    (void)err;
    for (i = axes.n; i < starts.n; i++)
        axes.v[i] = i;
    NODE(w, r->onnx, name_out(w, n), name_in(w, n, 0), constant(w, starts.v, starts.n, 1),
         constant(w, ends.v, ends.n, 1), constant(w, axes.v, starts.n, 1),
         constant(w, steps.v, starts.n, 1));
    return EC_OK;
}

static enum ec_status split(struct writer *w, const struct ec_node *n, const struct row *r,
                            struct ec_err *err)
{
    int axis = (int)attr_int(n, "axis", 0), i;
    struct ec_buf b = EC_BUF_INIT;
    struct ec_ints sizes = { n->n_out, { 0 } };

    axis += axis < 0 ? in_shape(n, 0)->rank : 0;
    if (n->n_out > EC_INTS_MAX)
        return ec_fail(err, EC_E_UNSUPPORTED, "more than %d parts", EC_INTS_MAX);
    for (i = 0; i < n->n_out; i++)
        sizes.v[i] = n->out_type[i]->shape.d[axis];
    put_int(w, "axis", axis);
    ec__wire_put_str(&b, 1, name_in(w, n, 0));
    ec__wire_put_str(&b, 1, constant(w, sizes.v, sizes.n, 1));
    for (i = 0; i < n->n_out; i++)
        ec__wire_put_str(&b, 2, w->names.value[n->out[i]]);
    ec__wire_put_str(&b, 3, w->names.node[n->id]);
    ec__wire_put_str(&b, 4, r->onnx);
    ec_buf_join(&b, &w->attrs);
    ec_buf_reset(&w->attrs);
    ec__wire_put_msg(&w->graph, GRAPH_NODE, &b);
    ec_buf_clear(&b);
    return EC_OK;
}

/* clang-format off */
static const struct row rows[] = {
    { "abs", plain, "Abs" },
    { "adaptive_avg_pool", adaptive_pool, "AveragePool" },
    { "adaptive_max_pool", adaptive_pool, "MaxPool" }, { "add", plain, "Add" },
    { "avg_pool1d", pool, "AveragePool" },       { "avg_pool2d", pool, "AveragePool" },
    { "avg_pool3d", pool, "AveragePool" },       { "batch_norm", norm, "BatchNormalization" },
    { "channel_shuffle", channel_shuffle, "Transpose" }, { "concat", with_axis, "Concat" },
    { "conv1d", conv, "Conv" },                  { "conv2d", conv, "Conv" },
    { "conv3d", conv, "Conv" },                  { "conv_transpose1d", conv, "ConvTranspose" },
    { "conv_transpose2d", conv, "ConvTranspose" }, { "conv_transpose3d", conv, "ConvTranspose" },
    { "depth_to_space", with_block, "DepthToSpace" }, { "div", plain, "Div" },
    { "drop_path", identity, "Identity" },       { "dropout", dropout, "Dropout" },
    { "elu", plain, "Elu" },                     { "embedding", embedding, "Gather" },
    { "erf", plain, "Erf" },                     { "exp", plain, "Exp" },
    { "expand", with_shape, "Expand" },          { "flatten", with_axis, "Flatten" },
    { "gelu", gelu, NULL },                      { "global_avg_pool", plain, "GlobalAveragePool" },
    { "global_max_pool", plain, "GlobalMaxPool" }, { "hard_sigmoid", plain, "HardSigmoid" },
    { "hard_swish", plain, "HardSwish" },        { "identity", plain, "Identity" },
    { "layer_norm", norm, "LayerNormalization" }, { "leaky_relu", plain, "LeakyRelu" },
    { "linear", linear, NULL },                  { "log", plain, "Log" },
    { "log_softmax", with_axis, "LogSoftmax" },  { "lrn", with_size, "LRN" },
    { "matmul", plain, "MatMul" },               { "max", plain, "Max" },
    { "max_pool1d", pool, "MaxPool" },           { "max_pool2d", pool, "MaxPool" },
    { "max_pool3d", pool, "MaxPool" },           { "min", plain, "Min" },
    { "mul", plain, "Mul" },                     { "neg", plain, "Neg" },
    { "prelu", prelu, "PRelu" },                 { "reduce_max", reduce, "ReduceMax" },
    { "reduce_mean", reduce, "ReduceMean" },     { "relu", plain, "Relu" },
    { "relu6", relu6, "Clip" },                  { "reshape", with_shape, "Reshape" },
    { "selu", plain, "Selu" },                   { "sigmoid", plain, "Sigmoid" },
    { "silu", silu, "Mul" },                     { "slice", slice, "Slice" },
    { "softmax", with_axis, "Softmax" },         { "softplus", plain, "Softplus" },
    { "space_to_depth", with_block, "SpaceToDepth" }, { "split", split, "Split" },
    { "sqrt", plain, "Sqrt" },                   { "squeeze", with_axes, "Squeeze" },
    { "sub", plain, "Sub" },                     { "tanh", plain, "Tanh" },
    { "transpose", transpose, "Transpose" },     { "unsqueeze", with_axes, "Unsqueeze" },
};
/* clang-format on */

static enum ec_status write_node(struct writer *w, const struct ec_node *n, struct ec_err *err)
{
    enum ec_status st;
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        if (ec_str_eq(rows[i].op, n->op->name)) {
            st = rows[i].write(w, n, &rows[i], err);
            if (st)
                ec_err_prefix(err, "%s \"%.80s\": ", n->op->name, n->name);
            return st;
        }
    return ec_fail(err, EC_E_UNSUPPORTED, "%s \"%.80s\" has no counterpart in ONNX that we write",
                   n->op->name, n->name);
}

static void put_values(struct writer *w)
{
    static const enum ec_value_kind order[] = { EC_V_INPUT, EC_V_PARAM, EC_V_CONST };
    int pass, i;

    for (pass = 0; pass < EC_LEN(order); pass++) /* what the user feeds comes first */
        for (i = 0; i < w->g->n_values; i++) {
            const struct ec_value *v = w->g->values[i];

            if (v->kind == order[pass] && ec_type_elems(&v->type) > 0)
                put_info(&w->graph, GRAPH_INPUT, w->g, v, w->names.value[i]);
        }
    for (i = 0; i < w->g->n_outputs; i++)
        put_info(&w->graph, GRAPH_OUTPUT, w->g, w->g->values[w->g->outputs[i]],
                 w->names.value[w->g->outputs[i]]);
}

static void put_model(struct writer *w, struct ec_buf *out)
{
    struct ec_buf opset = EC_BUF_INIT;

    ec_buf_join(&w->graph, &w->tensors);
    ec__wire_put_str(&opset, 1, "");
    ec__wire_put_int(&opset, 2, OPSET);
    ec__wire_put_int(out, MODEL_IR, IR_VERSION);
    ec__wire_put_str(out, MODEL_PRODUCER, "epochcast");
    ec__wire_put_msg(out, MODEL_GRAPH, &w->graph);
    ec__wire_put_msg(out, MODEL_OPSET, &opset);
    ec_buf_clear(&opset);
}

enum ec_status ec_graph_to_onnx(const struct ec_graph *g, struct ec_buf *out, struct ec_err *err)
{
    struct writer w = { .g = g };
    enum ec_status st;
    int i;

    EC_TRY(ec__names_make(g, &w.names, err));
    for (i = 0; i < g->n_nodes; i++)
        EC_TRY(write_node(&w, g->nodes[i], err));
    put_values(&w);
    ec__wire_put_str(&w.graph, GRAPH_NAME, g->name);
    put_model(&w, out);
    EC_TRY(ec_buf_status(out, err));
out:
    ec_buf_clear(&w.graph);
    ec_buf_clear(&w.tensors);
    ec_buf_clear(&w.attrs);
    ec_arena_clear(&w.names.arena);
    return st;
}
