/* The network: values and nodes in topological order, with shapes. Everything lives in one arena.
 *
 *   value  an input, a parameter, a constant (src/graph/contents.c), or what a node computes
 *   node   an operator applied to values; its own weights are parameter values too
 *
 * A graph is complete when it exists: shapes are inferred as nodes are added. */
#ifndef EC_GRAPH_H
#define EC_GRAPH_H

#include "epochcast/graph.h"
#include "graph/weights.h"
#include "op/op.h"

enum ec_value_kind { EC_V_INPUT, EC_V_PARAM, EC_V_CONST, EC_V_COMPUTED };

/* What a constant holds: numbers, or a rule that computes them from the shape and `arg`. */
#define EC_CONTENTS_MAX 131072 /* numbers held by the constants of a graph: 1 MiB */
struct ec_contents {
    const struct ec_rule *rule; /* NULL: none */
    double arg[2];
    const double *v; /* row by row */
    int64_t n;       /* of v: 1 for one that is everywhere, or all; 0: not known */
};

struct ec_value {
    struct ec_type type; /* first member: rules take pointers to it */
    enum ec_value_kind kind;
    int id;
    int producer;       /* node id; -1 for none */
    bool trainable;     /* parameters only */
    bool requires_grad; /* a trainable parameter lies upstream */
    bool packed;        /* parameters only: held in 4 bits, unpacked to be used */
    bool wide;          /* of adapters: float32 where others are halves */
    const char *name;
    struct ec_contents contents; /* constants only */
    /* The weight of the loss of a further output in training, as published with the network; its
     * loss is of the same kind as the first. 0: no loss. */
    double loss_weight;
};

struct ec_node {
    int id;
    const char *name;
    const struct ec_op *op;
    void *attrs;
    int n_in, n_out, n_param;
    int *in, *out, *param;          /* value ids */
    const struct ec_type **in_type; /* n_in, for cases */
    struct ec_type **out_type;      /* n_out */
    const char *origin;             /* operator name in the file it came from; NULL */
    bool begins_block;              /* of a stack: checkpoints are there */
};

/* Options of ec_graph_opts that a network was shaped by. */
enum ec_graph_sizes {
    EC_SIZE_SEQ_LEN = 1 << 0,
    EC_SIZE_IMAGE = 1 << 1,
    EC_SIZE_CLASSES = 1 << 2,
};

struct ec_graph {
    struct ec_arena arena;
    const char *name, *source; /* "resnet50", "onnx" */
    int64_t batch;
    int n_values, cap_values;
    struct ec_value **values;
    int n_nodes, cap_nodes;
    struct ec_node **nodes; /* topological order */
    int n_inputs, cap_inputs, *inputs;
    int n_outputs, cap_outputs, *outputs;
    struct ec_strs notes; /* sentences for the user: restored norms, unknown operators */
    int n_unknown;        /* nodes costed by bytes only */
    unsigned sizes;       /* EC_SIZE_*: what it depends on */
    int64_t image_px;     /* side of the images of a built-in network, whose input may be latents */
    const char *task;     /* "classify", "language" ... chooses the loss; NULL: by shape */
    const char *precision; /* of a module's parameters, of ec_precision_names; NULL: not said */
    bool restored_norms;
    int64_t n_contents; /* numbers that constants hold */
    /* Of ec_graph_of_batch: the network whose names and lists this one has too, NULL: none; and how
     * many have those of this one. */
    struct ec_graph *base;
    int users;
};

/* Whether rows of the output have one score; rows of more are classes, any other is an image. */
bool ec_graph_is_binary(const struct ec_graph *g);
/* The length of sequences of ids that the network reads first, where their positions reach
 * attention, recurrence or an output; else 0: a recommender looks up ids as well. */
int64_t ec_graph_tokens(const struct ec_graph *g);
bool ec_graph_attends(const struct ec_graph *g);
struct ec_graph *ec_graph_new(const char *name); /* NULL when out of memory */
/* All elements of a constant, row by row; false: they are not known */
bool ec_value_contents(const struct ec_value *v, double *ret);
enum ec_status ec_graph_add_output(struct ec_graph *g, int value, struct ec_err *err) EC_MUST_CHECK;
/* Let parameter `slot` of the node be an existing parameter (shared weight, counted once).
 * Errors: SHAPE when the element counts differ. */
enum ec_status ec_graph_tie(struct ec_graph *g, struct ec_node *node, int slot, int param_value,
                            struct ec_err *err) EC_MUST_CHECK;
/* The node is without its parameter `slot`. Errors: INPUT when it has none there */
enum ec_status ec_graph_omit(struct ec_graph *g, struct ec_node *node, int slot,
                             struct ec_err *err) EC_MUST_CHECK;
/* The network at another batch, out of two of it that were built and differ in their batch alone;
 * it keeps `a` alive. NULL: they differ otherwise, or there is no memory: then it is to be built.
 */
struct ec_graph *ec_graph_of_batch(struct ec_graph *a, const struct ec_graph *b, int64_t batch);
double ec_graph_trained_elems(const struct ec_graph *g); /* of parameters that are trained */
/* Parameters from a value on are not trained; of the nodes from one on it is derived again what has
 * a gradient. */
void ec_graph_freeze(struct ec_graph *g, int first_value, int first_node);
/* The node as a case; borrowed. */
struct ec_case ec_node_case(const struct ec_node *n);
/* The activation behind a layer: the element-wise operator that follows; NULL: none. */
const char *ec_graph_activation(const struct ec_graph *g, int node);
/* Training computes the gradient of one of its inputs at least. */
bool ec_node_needs_input_grad(const struct ec_graph *g, const struct ec_node *n);

/* Writing and reading. Format: docs/graph-json.md */
enum ec_status ec_graph_to_json(const struct ec_graph *g, struct ec_buf *out,
                                struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_graph_from_json(const char *text, size_t len, const struct ec_graph_opts *opts,
                                  struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_graph_from_onnx(const void *data, size_t len, const struct ec_graph_opts *opts,
                                  struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;
/* Minimal ONNX without weights, from a graph (for the example file and for round-trip tests). */
enum ec_status ec_graph_to_onnx(const struct ec_graph *g, struct ec_buf *out,
                                struct ec_err *err) EC_MUST_CHECK;

/* A network of one operator. Copies follow on each other where the output has the input's shape,
 * and stand side by side, with inputs and weights of their own, where it has not. */
struct ec_case_graph {
    int copies;        /* at least 1 */
    bool train_inputs; /* float inputs are parameters: their gradients and updates are computed */
    bool train_target; /* ... and a target subtracted from each output is one too */
    bool apart;        /* copies stand side by side whatever their shapes */
    /* Images come from, or go to, a convolution, as in a network: backends choose other kernels for
     * what convolutions write. Those have frozen weights and names for which ec_graph_is_company
     * holds. */
    bool company_before, company_after;
    /* Of a loss: what it is taken of, by an operator of company's; the loss itself is the
     * program's.
     */
    bool as_loss;
    const struct ec_case *then; /* NULL; or an operator of one input that takes output 0, such as a
                                 * ReLU that backends fuse */
};
bool ec_graph_is_company(const struct ec_node *n);
/* Errors: SHAPE, NOMEM */
enum ec_status ec_graph_of_case(const struct ec_case *c, const struct ec_case_graph *opts,
                                struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;

/* Whether the zoo has it: name or name:key=value,... */
bool ec_zoo_has(const char *spec);
/* Of the network that name or name:key=value,... means, as hubs and people write it: llama3_8b of
 * meta-llama/Llama-3.1-8B-Instruct. NULL: there is none. */
const char *ec_zoo_name(const char *name);
/* The name in the zoo of what is spelled otherwise: resnet50 of ResNet-50. Other texts are as they
 * are. */
const char *ec_zoo_spelled(const char *name);
/* Whether ec_graph_open would open no file: the text is a built-in name and no path. */
bool ec_graph_is_built_in(const char *source);

/* --- Cases to measure: drawn by the operators' own rules, and taken out of the zoo --- */
struct ec_sampled {
    const struct ec_op *op;
    const char *text;
};
struct ec_sampled_list {
    struct ec_sampled *v;
    int n, cap;
    struct ec_arena arena;
};
struct ec_sample_opts {
    const struct ec_op *const
        *ops; /* taken in turn; one that stands twice is drawn twice as often */
    int n_ops, count;
    uint64_t seed;
    int zoo_percent; /* share of cases out of networks */
    struct ec_sample_limits limits;
};
/* The same options give the same cases; fewer than asked for when an operator has no more.
 * Errors: as ec_op_sample */
enum ec_status ec_sample_cases(const struct ec_sample_opts *o, struct ec_sampled_list *ret,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_sampled_clear(struct ec_sampled_list *l);

/* Builder for zoo code: a sticky failure, so that building reads like the architecture. Values are
 * ids; after a failure every call returns -1 and does nothing. */
struct ec_builder {
    struct ec_graph *g;
    enum ec_status st;
    struct ec_err *err;
    char scope[160]; /* prefix of node names: "layer1.0." */
};
int ec_b_input(struct ec_builder *b, const char *name, enum ec_dtype t, int rank,
               ...); /* int64_t */
/* A node from case words without input dimensions: "conv2d k=%d r=3 pad=1 bias=0". Returns the
 * first output. The node's name is scope + operator + running number, or `name=...` in the words.
 */
int ec_b1(struct ec_builder *b, int x, const char *fmt, ...) EC_PRINTF(3, 4);
struct ec_node *ec_b_last(struct ec_builder *b); /* the node added last; NULL after failure */

#endif
