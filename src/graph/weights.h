/* Checkpoints: what the headers of .safetensors files say of their tensors; no number is read. */
#ifndef EC_GRAPH_WEIGHTS_H
#define EC_GRAPH_WEIGHTS_H

#include "graph/safetensors.h"

/* Tensors of one shape and type whose names differ by numbers alone: "h.*.ln_1.weight". */
struct ec_weights_group {
    const char *name;
    const struct ec_tensor *first;
    int n;
    double elems, bytes;
};

struct ec_weights {
    int n, n_files, n_groups;
    struct ec_weight *v; /* n, of all files, by group */
    struct ec_tensors *files;
    struct ec_weights_group *groups; /* by name */
    const char *config;              /* the config.json beside them; NULL: there is none */
    bool is_whole; /* all parameters as they are: no adapters, nothing quantized, no file missing */
    struct ec_strs notes; /* sentences for the user */
    struct ec_arena arena;
};

/* A .safetensors file, the .index.json of several, or a folder with such files. */
bool ec_weights_is(const char *path);
/* ret  zeroed; ec_weights_clear, also after a failure
 * Errors: as ec_tensors_open; NOT_FOUND; NOMEM */
enum ec_status ec_weights_open(const char *path, struct ec_weights *ret,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_weights_clear(struct ec_weights *w);
/* Adds notes on what the network has and the checkpoint has not, and the reverse, by shapes: names
 * of parameters are the reader's own. */
struct ec_graph;
enum ec_status ec_weights_compare(struct ec_weights *w, const struct ec_graph *g,
                                  struct ec_err *err) EC_MUST_CHECK;
/* The config.json in a folder, or beside a file of weights, in the arena; NULL: there is none. */
const char *ec_weights_config(const char *path, struct ec_arena *a);

#endif
