/* Pieces of an ONNX file, and the attributes of ours that go into them. */
#include "graph/onnx_write_internal.h"

enum { ATTR_FLOAT = 1, ATTR_INT = 2, ATTR_INTS = 7, ATTR_STRING = 3 };

/* --- attributes of ours --- */

const void *ec__ow_attr(const struct onnx_writer *w, const char *name)
{
    const struct ec_field *f = ec_field_find(w->n->op->fields, ec_span_of(name));

    return f ? (const char *)w->n->attrs + f->offset : NULL;
}

int64_t ec__ow_attr_int(const struct onnx_writer *w, const char *name, int64_t deflt)
{
    const struct ec_field *f = ec_field_find(w->n->op->fields, ec_span_of(name));
    const void *p = ec__ow_attr(w, name);

    if (!p)
        return deflt;
    return f->type == EC_F_BOOL   ? *(const bool *)p
           : f->type == EC_F_ENUM ? *(const int *)p
                                  : *(const int64_t *)p;
}

struct ec_ints ec__ow_attr_ints(const struct onnx_writer *w, const char *name)
{
    const struct ec_ints *v = ec__ow_attr(w, name);

    return v ? *v : (struct ec_ints){ 0 };
}

/* One for all becomes one for each. */
struct ec_ints ec__ow_spread(struct ec_ints v, int n, int64_t deflt)
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

const struct ec_shape *ec__ow_in_shape(const struct onnx_writer *w, int i)
{
    return &w->n->in_type[i]->shape;
}

/* --- pieces of the file --- */

/* Adds an attribute of a type and contents; takes the contents. */
static void put_attr(struct onnx_writer *w, const char *name, int type, struct ec_buf *contents)
{
    struct ec_buf b = EC_BUF_INIT;

    ec__wire_put_str(&b, 1, name);
    ec_buf_join(&b, contents);
    ec__wire_put_int(&b, 20, type);
    ec__wire_put_msg(&w->attrs, 5, &b);
    ec_buf_clear(&b);
    ec_buf_clear(contents);
}

void ec__ow_put_int(struct onnx_writer *w, const char *name, int64_t v)
{
    struct ec_buf b = EC_BUF_INIT;

    ec__wire_put_int(&b, 3, v);
    put_attr(w, name, ATTR_INT, &b);
}

void ec__ow_put_float(struct onnx_writer *w, const char *name, double v)
{
    struct ec_buf b = EC_BUF_INIT;

    ec__wire_put_float(&b, 2, v);
    put_attr(w, name, ATTR_FLOAT, &b);
}

void ec__ow_put_text(struct onnx_writer *w, const char *name, const char *v)
{
    struct ec_buf b = EC_BUF_INIT;

    ec__wire_put_str(&b, 4, v);
    put_attr(w, name, ATTR_STRING, &b);
}

void ec__ow_put_ints(struct onnx_writer *w, const char *name, const int64_t *v, int n)
{
    struct ec_buf b = EC_BUF_INIT;
    int i;

    for (i = 0; i < n; i++)
        ec__wire_put_int(&b, 8, v[i]);
    put_attr(w, name, ATTR_INTS, &b);
}

void ec__ow_put_info(struct ec_buf *out, uint32_t field, const struct ec_graph *g,
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

/* A name in the names' arena; without memory for it no file is written. */
const char *ec__ow_name(struct onnx_writer *w, const char *kind)
{
    const char *name = ec_arena_printf(&w->names.arena, "%s/%d", kind, w->n_temps++);

    if (!name)
        w->graph.st = EC_E_NOMEM;
    return name ? name : "";
}

const char *ec__ow_temp(struct onnx_writer *w)
{
    return ec__ow_name(w, "temp");
}

/* Adds a tensor of such contents; takes them. */
static const char *put_tensor(struct onnx_writer *w, struct ec_buf *contents)
{
    const char *name = ec__ow_name(w, "const");

    ec__wire_put_str(contents, 8, name);
    ec__wire_put_msg(&w->tensors, GRAPH_INITIALIZER, contents);
    ec_buf_clear(contents);
    return name;
}

/* A small constant. */
const char *ec__ow_constant(struct onnx_writer *w, const int64_t *v, int n)
{
    struct ec_buf b = EC_BUF_INIT;
    int i;

    ec__wire_put_int(&b, 1, n);
    ec__wire_put_int(&b, 2, 7);
    for (i = 0; i < n; i++)
        ec__wire_put_int(&b, 7, v[i]);
    return put_tensor(w, &b);
}

const char *ec__ow_constant_float(struct onnx_writer *w, double v)
{
    struct ec_buf b = EC_BUF_INIT;

    ec__wire_put_int(&b, 2, 1);
    ec__wire_put_float(&b, 4, v);
    return put_tensor(w, &b);
}

/* Node with names of inputs (NULL ends them) and one output; takes the attributes put before. */
enum ec_status ec__ow_put_node(struct onnx_writer *w, const char *op, const char *const *in,
                               const char *out)
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
    return ec_buf_status(&w->graph, w->err);
}

const char *ec__ow_name_in(const struct onnx_writer *w, int i)
{
    return w->names.value[w->n->in[i]];
}

const char *ec__ow_name_out(const struct onnx_writer *w)
{
    return w->names.value[w->n->out[0]];
}

const char *ec__ow_name_param(const struct onnx_writer *w, int i)
{
    return i < w->n->n_param ? w->names.value[w->n->param[i]] : NULL;
}

enum ec_status ec__ow_plain(struct onnx_writer *w)
{
    const char **in =
        ec_arena_alloc(&w->names.arena, ((size_t)w->n->n_in + 1) * sizeof *in); /* NULL ends it */
    int i;

    EC_PASS(ec_allocated(in, w->err));
    for (i = 0; i < w->n->n_in; i++)
        in[i] = ec__ow_name_in(w, i);
    return ec__ow_put_node(w, w->onnx, in, ec__ow_name_out(w));
}
