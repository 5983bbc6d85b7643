/* Writing ONNX, shared by the onnx_write*.c files. */
#ifndef EC_GRAPH_ONNX_WRITE_INTERNAL_H
#define EC_GRAPH_ONNX_WRITE_INTERNAL_H

#include "graph/files_internal.h"
#include "graph/wire_internal.h"

/* Field numbers of onnx.proto. */
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };

struct onnx_writer {
    const struct ec_graph *g;
    struct ec__names names;
    struct ec_buf graph, tensors, attrs; /* attrs: of the node being written */
    int n_temps;
    const struct ec_node *n; /* being written, its main node as onnx */
    const char *onnx;
    struct ec_err *err;
};

struct onnx_row {
    const char *op;
    ec__onnx_write_fn *write;
    const char *onnx;
};

/* Attributes of ours, by name. */
const void *ec__ow_attr(const struct onnx_writer *w, const char *name);
int64_t ec__ow_attr_int(const struct onnx_writer *w, const char *name, int64_t deflt);
struct ec_ints ec__ow_attr_ints(const struct onnx_writer *w, const char *name);
struct ec_ints ec__ow_spread(struct ec_ints v, int n, int64_t deflt);
const struct ec_shape *ec__ow_in_shape(const struct onnx_writer *w, int i);

/* Pieces of the file. Attributes put go to the node written next. */
void ec__ow_put_int(struct onnx_writer *w, const char *name, int64_t v);
void ec__ow_put_float(struct onnx_writer *w, const char *name, double v);
void ec__ow_put_text(struct onnx_writer *w, const char *name, const char *v);
void ec__ow_put_ints(struct onnx_writer *w, const char *name, const int64_t *v, int n);
void ec__ow_put_info(struct ec_buf *out, uint32_t field, const struct ec_graph *g,
                     const struct ec_value *v, const char *name);
const char *ec__ow_constant(struct onnx_writer *w, const int64_t *v, int n);
const char *ec__ow_constant_float(struct onnx_writer *w, double v);
const char *ec__ow_name(struct onnx_writer *w, const char *kind);
const char *ec__ow_temp(struct onnx_writer *w);
/* Errors: what the file met so far. */
enum ec_status ec__ow_put_node(struct onnx_writer *w, const char *op, const char *const *in,
                               const char *out);
const char *ec__ow_name_in(const struct onnx_writer *w, int i);
const char *ec__ow_name_out(const struct onnx_writer *w);
const char *ec__ow_name_param(const struct onnx_writer *w, int i);

#define ONNX_NODE(w, op, out, ...)                                                                 \
    ec__ow_put_node(w, op, (const char *const[]){ __VA_ARGS__, NULL }, out)
/* The main node, with the output of ours. */
#define ONNX_MAIN(w, ...) ONNX_NODE(w, (w)->onnx, ec__ow_name_out(w), __VA_ARGS__)

ec__onnx_write_fn ec__ow_channel_shuffle, ec__ow_roll;

/* Operators that no row of reading is for; ends with a row without name. */
extern const struct onnx_row ec__onnx_rows[];

#endif
