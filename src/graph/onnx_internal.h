/* Reading ONNX, shared by the onnx_*.c files: the file as parsed, and the state of converting it.
 *
 *   onnx_parse.c   bytes -> struct onnx_model: nodes, names, declared values
 *   onnx_tensor.c  tensors and attributes: dimensions, small integers; never weights
 *   onnx_value.c   type, size, contents and name of a value
 *   onnx_sort.c    topological order, what the outputs need, which inputs are parameters
 *   onnx_fuse.c    patterns of primitive nodes -> the one operator that frameworks run
 *   onnx_fold*.c   shape arithmetic on small known tensors
 *   onnx_ops_*.c   one row per ONNX operator -> ours; onnx_rules.c finds it by name
 *   onnx_emit.c    adding a node: inputs on demand, attributes, names
 *   onnx_bind.c    whose parameter a weight is; sharing
 *   onnx_opaque.c  operators without a row
 *   onnx_join.c    parts of a split, pads of pools ...: joined in the finished graph
 *   onnx_read.c    the order of all that
 *
 * Text is borrowed from the file: spans point into it. */
#ifndef EC_GRAPH_ONNX_INTERNAL_H
#define EC_GRAPH_ONNX_INTERNAL_H

#include "graph/files_internal.h"
#include "graph/wire_internal.h"

#define ONNX_KNOWN_MAX 4096     /* elements of an integer tensor whose contents we hold */
#define ONNX_KNOWN_FLOAT_MAX 64 /* the same for floating point: scalars, scales, short lists */

struct onnx_tensor {
    struct ec_span name;
    struct ec_type type;
    double *v;          /* contents; NULL when not held. Integers up to 2^53 are exact. */
    struct ec_span raw; /* raw_data in the file; for comparing weights by sample */
};

struct onnx_attr {
    struct ec_span name, s;
    int64_t i;
    double f;
    int n_ints, n_floats;
    int64_t *ints;
    double *floats;
    struct onnx_tensor *t;
    bool has_i, has_f;
};

struct onnx_node {
    struct ec_span op, domain, name;
    int n_in, n_out, n_attr;
    int *in, *out; /* value indices; -1 where the file leaves one out */
    struct onnx_attr *attr;
    bool dead; /* part of a fused pattern, or needed by nothing */
    int aux;   /* fused norms: dimensions reduced; recurrent layers: 1 when they have a bias;
                * MatMul: bit i when operand i is transposed */
};

/* A declared value: graph input, output or value_info. */
struct onnx_info {
    int value;
    int rank; /* -1: not declared, or no tensor */
    enum ec_dtype dtype;
    int64_t d[EC_RANK_MAX]; /* -1: symbolic */
    struct ec_span sym[EC_RANK_MAX];
};

struct onnx_value {
    struct ec_span name;
    int producer;    /* node index; -1 for none */
    int tensor;      /* initializer index; -1 for none */
    int input, info; /* index in inputs[], infos[]; -1 for none */
    int n_uses;
    bool is_output;
    bool is_param; /* a float initializer, or an input that stands for one */
    bool is_const; /* an input that stands for a buffer of integers */
};

struct onnx_model {
    struct ec_arena *a;
    struct ec_span producer, graph_name;
    int64_t opset;
    int n_nodes, n_tensors, n_inputs, n_outputs, n_infos, n_values;
    struct onnx_node *nodes;
    struct onnx_tensor *tensors;
    struct onnx_info *inputs, *outputs, *infos;
    struct onnx_value *values;
    int *order;     /* n_nodes node indices, topological */
    int *table;     /* name -> value: open addressing, -1 is empty */
    int table_mask; /* size - 1, a power of two */
};

/* Contents known while reading. */
struct onnx_known {
    struct ec_type type;
    int64_t n;
    double *v;
};

/* What an ONNX value became. */
struct onnx_val {
    int gv;                   /* value of our graph; -1: not made (yet) */
    struct onnx_known *known; /* NULL: contents not known */
    int param;                /* ONNX value that is the parameter; -1: none */
    bool transposed;          /* that parameter, its two dimensions swapped */
    bool constant;            /* computed from constants alone: the same in every step */
    bool guessed;             /* its shape follows from data: what is here is a guess */
};

/* Converting one model; pass 1 of 2 when the batch of a fixed file is changed. */
struct onnx_conv {
    struct onnx_model *m;
    struct ec_graph *g;
    struct ec_arena *a; /* scratch: lives as long as the reading */
    const struct ec_graph_opts *opts;
    struct onnx_val *val;      /* per ONNX value */
    const struct onnx_node *n; /* being converted, by rule r */
    const struct onnx_rule *r;
    struct ec_node *made;       /* of the graph, added last */
    struct ec_err *err;         /* of the conversion of n */
    struct ec_buf words;        /* attributes of the node being added */
    int64_t batch, old_batch;   /* differ while rebatching */
    const struct ec_shape *old; /* per ONNX value, at old_batch; NULL when not rebatching */
    int n_rescaled;             /* targets changed to fit the new batch */
    bool restore;               /* put folded norms back */
    int n_restored;
    int n_shared;        /* weights that layers have in common with one before, but for tables */
    double shared_elems; /* elements that they would have of their own */
    int tables[8], n_tables;         /* embeddings so far: ONNX values that are their parameters */
    struct ec_span unknown[64];      /* operators we do not know ... */
    int n_unknown_of[64], n_unknown; /* ... and how often each occurs */
};

/* One row of onnx_ops.txt per operator of ONNX: what it becomes, and how ours is written as it. */
struct onnx_rule {
    const char *onnx;
    enum ec_status (*emit)(struct onnx_conv *c);
    const char *op;           /* ours */
    const char *words;        /* fixed attributes */
    unsigned weights;         /* input slots that hold parameters: bit i for input i */
    ec__onnx_write_fn *write; /* NULL: ours is not written, or by a row in onnx_write_ops.c */
};
#define ONNX_RULE(...) { __VA_ARGS__ },

/* --- parse --- */
#define ONNX_DIM_MAX ((int64_t)1 << 40)
enum ec_status ec__onnx_malformed(struct ec_err *err, const char *part, const char *why);
void *ec__onnx_list(struct ec_arena *a, int n, size_t elem_bytes); /* never empty */
enum ec_status ec__onnx_tensor(struct ec_span msg, struct ec_arena *a, struct onnx_tensor *t,
                               struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__onnx_parse_attr(struct ec_span msg, struct ec_arena *a, struct onnx_attr *at,
                                   struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__onnx_parse(const void *data, size_t len, struct ec_arena *a,
                              struct onnx_model *ret, struct ec_err *err) EC_MUST_CHECK;
bool ec__onnx_small(const struct ec_shape *s, int64_t max, int64_t *ret_n);
const struct onnx_attr *ec__onnx_attr(const struct onnx_node *n, const char *name);
int64_t ec__onnx_attr_int(const struct onnx_node *n, const char *name, int64_t deflt);
double ec__onnx_attr_float(const struct onnx_node *n, const char *name, double deflt);
bool ec__onnx_is(const struct onnx_node *n, const char *op);
int ec__onnx_in(const struct onnx_node *n, int i);  /* -1: absent */
int ec__onnx_out(const struct onnx_node *n, int i); /* -1: absent */

/* --- sort --- */
enum ec_status ec__onnx_sort(struct onnx_model *m, struct ec_err *err) EC_MUST_CHECK;
void ec__onnx_mark_params(struct onnx_model *m);
void ec__onnx_drop_unneeded(struct onnx_model *m, int *ret_dropped);
/* Recurrent layers: what rearranges their weights, and initial states of zeros, are cut off. */
void ec__onnx_trim_recurrent(struct onnx_model *m);
void ec__onnx_fuse(struct onnx_model *m);

/* --- values (onnx_value.c) --- */
/* What is taken where the file leaves a size open and nothing is asked for. */
#define ONNX_SEQ_LEN 128
#define ONNX_IMAGE_PX 224
/* Printable text without blanks, from bytes we do not trust. */
void ec__onnx_clean(struct ec_span s, char *out, size_t size);
/* Names that PyTorch made up itself, not those of modules. */
bool ec__onnx_generated_name(struct ec_span name);
/* The one-element constant behind a value, if its contents are held. */
bool ec__onnx_scalar(const struct onnx_model *m, int value, double *ret);
/* Element type and shape of an initializer or declared input; false when not declared. */
bool ec__onnx_declared(const struct onnx_model *m, int value, int *ret_rank, enum ec_dtype *ret);
/* What was asked for, 0 when nothing was. */
int64_t ec__onnx_asked_size(const struct onnx_conv *c, enum ec_graph_sizes which);
/* Declared shape of a value with symbols replaced; false when not declared. */
bool ec__onnx_info_type(const struct onnx_conv *c, const struct onnx_info *info,
                        struct ec_type *ret);
bool ec__onnx_type(const struct onnx_conv *c, int value, struct ec_type *ret);
/* Type of a parameter or constant as the file declares it. */
bool ec__onnx_param_type(const struct onnx_conv *c, int value, struct ec_type *ret);
bool ec__onnx_is_param(const struct onnx_conv *c, int value);
/* Types of a weight and of an input, of at least that rank. Errors: PARSE, SHAPE */
enum ec_status ec__onnx_weight_type(const struct onnx_conv *c, int slot, int min_rank,
                                    struct ec_type *ret) EC_MUST_CHECK;
enum ec_status ec__onnx_input_type(const struct onnx_conv *c, int slot, int min_rank,
                                   struct ec_type *ret) EC_MUST_CHECK;
const struct onnx_known *ec__onnx_known(const struct onnx_conv *c, int value); /* NULL: not */
struct onnx_known *ec__onnx_new_known(struct onnx_conv *c, const struct ec_type *t);
/* Integers from the attribute, or else from input `slot` when its contents are known. */
bool ec__onnx_ints(const struct onnx_conv *c, const char *attr, int slot, struct ec_ints *ret);

/* --- fold --- */
/* True when the node was evaluated: its outputs are known. */
bool ec__onnx_fold(struct onnx_conv *c, const struct onnx_node *n);

/* --- rules --- */
const struct onnx_rule *ec__onnx_rule(struct ec_span op);
extern const struct onnx_rule ec__onnx_rules_math[], ec__onnx_rules_matrix[], ec__onnx_rules_nn[],
    ec__onnx_rules_shape[];

/* --- emitting nodes (onnx_emit.c) --- */
/* The value in our graph; parameters and constants are made when first asked for. */
enum ec_status ec__onnx_data(struct onnx_conv *c, int slot, int *ret) EC_MUST_CHECK;
enum ec_status ec__onnx_value(struct onnx_conv *c, int value, int *ret) EC_MUST_CHECK;
/* Add a node with the attributes in c->words, which is emptied. */
enum ec_status ec__onnx_add(struct onnx_conv *c, const char *op, const int *in,
                            int n_in) EC_MUST_CHECK;
/* The same with one input: a value of our graph in, a value of our graph out. */
enum ec_status ec__onnx_add1(struct onnx_conv *c, const char *op, int in, int *ret) EC_MUST_CHECK;
/* `n_in` data inputs from slot `first` on through `op`; its outputs are those of the node. */
enum ec_status ec__onnx_emit(struct onnx_conv *c, const char *op, int first,
                             int n_in) EC_MUST_CHECK;
/* Data input 0 through `op`, to output 0. */
enum ec_status ec__onnx_emit1(struct onnx_conv *c, const char *op) EC_MUST_CHECK;
/* The same through the operator of the rule. */
enum ec_status ec__onnx_plain(struct onnx_conv *c) EC_MUST_CHECK;
/* A value of our graph in another shape. */
enum ec_status ec__onnx_view(struct onnx_conv *c, int in, const struct ec_ints *shape,
                             int *ret) EC_MUST_CHECK;
/* Every input of the node is a constant. */
bool ec__onnx_is_constant(const struct onnx_conv *c);
void ec__onnx_set(struct onnx_conv *c, int out, int gv);
void ec__onnx_word(struct onnx_conv *c, const char *key, int64_t v);
void ec__onnx_word_ints(struct onnx_conv *c, const char *key, const struct ec_ints *v);
/* The weight in input `slot` is parameter `p` of the node: name it, share it. */
enum ec_status ec__onnx_bind(struct onnx_conv *c, int slot, int p) EC_MUST_CHECK;
/* Joins in the finished graph what the exporter took apart. */
enum ec_status ec__onnx_join(struct onnx_conv *c, struct ec_err *err) EC_MUST_CHECK;
/* An operator we have no rule for: bytes only. */
enum ec_status ec__onnx_opaque(struct onnx_conv *c) EC_MUST_CHECK;
/* All elements of a tensor of at most max, in the arena; NULL and no error when the file does not
 * hold them, or not in a form that is read at once. */
enum ec_status ec__onnx_contents(const struct onnx_tensor *t, struct ec_arena *a, int64_t max,
                                 double **ret, int64_t *ret_n, struct ec_err *err) EC_MUST_CHECK;
enum ec_dtype ec__onnx_dtype(int64_t onnx);

#endif
