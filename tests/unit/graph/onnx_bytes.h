/* ONNX files made by hand, a few lines each, for tests of the reader. */
#ifndef ONNX_BYTES_H
#define ONNX_BYTES_H

#include "figures.h"
#include "graph/wire_internal.h"

#include <string.h>

/* A model under construction: zero it, add, then ob_model. */
struct ob {
    struct ec_buf graph, attrs; /* attrs: of the next node */
    const char *producer;
    int64_t opset;
};

/* Dimensions as text: "2x3x224x224"; a word is a symbol. */
static inline void ob_info(struct ob *b, uint32_t field, const char *name, int64_t dtype,
                           const char *dims)
{
    struct ec_buf shape = EC_BUF_INIT, tensor = EC_BUF_INIT, type = EC_BUF_INIT, info = EC_BUF_INIT;
    struct ec_span rest = ec_span_of(dims), part;
    char symbol[64];
    int64_t v;

    while (rest.p && ec_span_cut(&rest, 'x', &part)) {
        struct ec_buf dim = EC_BUF_INIT;

        (void)snprintf(symbol, sizeof symbol, "%.*s", (int)part.len, part.p);
        if (ec_parse_int(part, &v))
            ec__wire_put_int(&dim, 1, v);
        else
            ec__wire_put_str(&dim, 2, symbol);
        ec__wire_put_msg(&shape, 1, &dim);
        ec_buf_clear(&dim);
    }
    ec__wire_put_int(&tensor, 1, dtype);
    ec__wire_put_msg(&tensor, 2, &shape);
    ec__wire_put_msg(&type, 1, &tensor);
    ec__wire_put_str(&info, 1, name);
    ec__wire_put_msg(&info, 2, &type);
    ec__wire_put_msg(&b->graph, field, &info);
    ec_buf_clear(&shape);
    ec_buf_clear(&tensor);
    ec_buf_clear(&type);
    ec_buf_clear(&info);
}

static inline void ob_input(struct ob *b, const char *name, const char *dims)
{
    ob_info(b, 11, name, 1, dims);
}

static inline void ob_output(struct ob *b, const char *name, const char *dims)
{
    ob_info(b, 12, name, 1, dims);
}

static inline void ob_tensor(struct ec_buf *out, uint32_t field, const char *name, int64_t dtype,
                             const char *dims, const int64_t *values, int n)
{
    struct ec_span rest = ec_span_of(dims), part;
    struct ec_buf t = EC_BUF_INIT;
    int64_t v = 0;
    int i;

    while (rest.p && rest.len && ec_span_cut(&rest, 'x', &part))
        if (ec_parse_int(part, &v))
            ec__wire_put_int(&t, 1, v);
    ec__wire_put_int(&t, 2, dtype);
    ec__wire_put_str(&t, 8, name);
    for (i = 0; i < n; i++)
        ec__wire_put_int(&t, 7, values[i]);
    ec__wire_put_msg(out, field, &t);
    ec_buf_clear(&t);
}

/* A float initializer without contents; dims "" is a scalar. */
static inline void ob_weight(struct ob *b, const char *name, const char *dims)
{
    ob_tensor(&b->graph, 5, name, 1, dims, NULL, 0);
}

/* An int64 vector with contents. */
static inline void ob_ints(struct ob *b, const char *name, const int64_t *values, int n)
{
    char dims[16];

    (void)snprintf(dims, sizeof dims, "%d", n);
    ob_tensor(&b->graph, 5, name, 7, dims, values, n);
}

/* A float scalar with contents. */
static inline void ob_float(struct ob *b, const char *name, double v)
{
    struct ec_buf t = EC_BUF_INIT;

    ec__wire_put_int(&t, 2, 1);
    ec__wire_put_float(&t, 4, v);
    ec__wire_put_str(&t, 8, name);
    ec__wire_put_msg(&b->graph, 5, &t);
    ec_buf_clear(&t);
}

static inline void ob_attr_int(struct ob *b, const char *name, int64_t v)
{
    struct ec_buf at = EC_BUF_INIT;

    ec__wire_put_str(&at, 1, name);
    ec__wire_put_int(&at, 3, v);
    ec__wire_put_int(&at, 20, 2);
    ec__wire_put_msg(&b->attrs, 5, &at);
    ec_buf_clear(&at);
}

static inline void ob_attr_ints(struct ob *b, const char *name, const char *list)
{
    struct ec_span rest = ec_span_of(list), part;
    struct ec_buf at = EC_BUF_INIT;
    int64_t v = 0;

    ec__wire_put_str(&at, 1, name);
    while (rest.p && ec_span_cut(&rest, ',', &part))
        if (ec_parse_int(part, &v))
            ec__wire_put_int(&at, 8, v);
    ec__wire_put_int(&at, 20, 7);
    ec__wire_put_msg(&b->attrs, 5, &at);
    ec_buf_clear(&at);
}

static inline void ob_names(struct ec_buf *out, uint32_t field, const char *list)
{
    struct ec_span rest = ec_span_of(list), part;
    char name[128];

    while (rest.p && rest.len && ec_span_cut(&rest, ' ', &part)) {
        (void)snprintf(name, sizeof name, "%.*s", (int)part.len, part.p);
        ec__wire_put_str(out, field, strcmp(name, "-") == 0 ? "" : name);
    }
}

/* Names separated by blanks; "-" leaves one out. Takes the attributes added before. */
static inline void ob_node(struct ob *b, const char *op, const char *in, const char *out)
{
    struct ec_buf n = EC_BUF_INIT;

    ob_names(&n, 1, in);
    ob_names(&n, 2, out);
    ec__wire_put_str(&n, 4, op);
    ec_buf_add(&n, b->attrs.data, b->attrs.len);
    ec_buf_reset(&b->attrs);
    ec__wire_put_msg(&b->graph, 1, &n);
    ec_buf_clear(&n);
}

/* The file; clears the builder. */
static inline void ob_model(struct ob *b, struct ec_buf *out)
{
    struct ec_buf opset = EC_BUF_INIT;

    ec__wire_put_int(&opset, 2, b->opset ? b->opset : 17);
    ec__wire_put_int(out, 1, 8);
    ec__wire_put_str(out, 2, b->producer ? b->producer : "test");
    ec__wire_put_msg(out, 7, &b->graph);
    ec__wire_put_msg(out, 8, &opset);
    ec_buf_clear(&opset);
    ec_buf_clear(&b->graph);
    ec_buf_clear(&b->attrs);
    *b = (struct ob){ 0 };
}

static inline enum ec_status ob_read(struct ob *b, const struct ec_graph_opts *opts,
                                     struct ec_graph **ret, struct ec_err *err)
{
    struct ec_buf file = EC_BUF_INIT;
    enum ec_status st;

    ob_model(b, &file);
    st = ec_graph_from_onnx(ec_buf_text(&file), file.len, opts, ret, err);
    ec_buf_clear(&file);
    return st;
}

/* The operators in order, joined by blanks; at most `size` characters. */
static inline const char *graph_ops(const struct ec_graph *g, char *out, size_t size)
{
    size_t at = 0;
    int i;

    out[0] = '\0';
    for (i = 0; i < g->n_nodes && at + 1 < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? " " : "", g->nodes[i]->op->name);
    return out;
}

#endif
