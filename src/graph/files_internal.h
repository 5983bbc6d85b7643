/* What the readers and writers of network files share. */
#ifndef EC_GRAPH_FILES_INTERNAL_H
#define EC_GRAPH_FILES_INTERNAL_H

#include "graph/build_internal.h"

/* A list of layers with their sizes, as mlpredict writes it. Format: docs/graph-json.md */
enum ec_status ec__layers_read(const struct ec_jval *root, const struct ec_graph_opts *opts,
                               struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;

/* A config.json of Hugging Face. Format: docs/hf-config.md */
enum ec_status ec__config_read(const struct ec_jval *root, const struct ec_graph_opts *opts,
                               struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;

/* A model of Keras: what model.to_json() gives. Format: docs/keras.md */
enum ec_status ec__keras_read(const struct ec_jval *root, const struct ec_graph_opts *opts,
                              struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;
/* The same out of a .keras (zip) or a .h5 (HDF5); the path is for the latter.
 * ret_found  whether it is one of these; otherwise nothing is done */
enum ec_status ec__keras_file(const char *path, const void *data, size_t len,
                              const struct ec_graph_opts *opts, bool *ret_found,
                              struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;

/* Writes a node of ours as one or more of ONNX. */
struct onnx_writer;
typedef enum ec_status ec__onnx_write_fn(struct onnx_writer *w);
ec__onnx_write_fn ec__ow_plain; /* inputs as they are, no attributes but those put before */
ec__onnx_write_fn ec__ow_attention, ec__ow_axes, ec__ow_axis, ec__ow_block, ec__ow_clip,
    ec__ow_dropout, ec__ow_instance_norm, ec__ow_matmul, ec__ow_norm, ec__ow_pad, ec__ow_prelu,
    ec__ow_reduce, ec__ow_reduce_sum, ec__ow_resize, ec__ow_shape, ec__ow_size, ec__ow_slice,
    ec__ow_split, ec__ow_tile, ec__ow_transpose;
/* What writes an operator that is read and written by one row; NULL: there is no such row. */
ec__onnx_write_fn *ec__onnx_written(const char *op, const char **ret_onnx);

/* A text name for everything that others refer to, unique in the file. */
struct ec__names {
    struct ec_arena arena; /* yours: ec_arena_clear */
    const char **value;    /* per value */
    const char **node;     /* per node */
    bool *made;            /* per value: by a node */
};
enum ec_status ec__names_make(const struct ec_graph *g, struct ec__names *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
