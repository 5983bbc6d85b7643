/* Networks: opening them, and the built-in ones. */
#ifndef EPOCHCAST_GRAPH_H
#define EPOCHCAST_GRAPH_H

#include "epochcast/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ec_graph; /* opaque */

struct ec_graph_opts {
    size_t struct_size; /* sizeof(struct ec_graph_opts) */
    int64_t batch;      /* samples; 0: the file's own, 1 where it is symbolic */
    int64_t seq_len;    /* symbolic or default sequence length; 0: the network's own */
    int64_t image_px;   /* image side of built-in networks; 0: the network's own */
    int64_t classes;    /* outputs of built-in classifiers; 0: the network's own */
    bool as_exported;   /* do not restore norms that the exporter folded away */
    /* Freeze the network, and train adapters of this rank beside its linear layers; 0: none */
    int64_t adapter_rank;
    bool pack_frozen;     /* with them: the weights of these layers are held in 4 bits */
    bool adapt_attention; /* with them: beside the linear layers of attention alone */
    bool wide_adapters;   /* with them: in float32, where the network is in halves */
};

/* Load a network: a path ending in .onnx or .json (or holding such content), or a built-in name
 * with optional parameters ("resnet50", "cifar_cnn:depth=3,base_filters=32").
 * opts  NULL for defaults; its struct_size says which members the caller knows
 * ret   yours; ec_graph_free
 * Errors: NOT_FOUND (with near names), PARSE, SHAPE, INPUT (also for a struct_size that no version
 * had), IO, NOMEM */
EC_API enum ec_status ec_graph_open(const char *source, const struct ec_graph_opts *opts,
                                    struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;
EC_API void ec_graph_free(struct ec_graph *g); /* NULL: does nothing */
/* NULL: "", and 0. The name lives as long as the graph. */
EC_API const char *ec_graph_name(const struct ec_graph *g);
EC_API int64_t ec_graph_batch(const struct ec_graph *g);

/* Names of built-in networks, families together. ret_count  may be NULL */
EC_API const char *const *ec_zoo_names(int *ret_count);

#ifdef __cplusplus
}
#endif
#endif
