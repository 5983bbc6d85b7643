/* Operators: one row has all we know of one. Rules see a *case*: an operator with its attributes,
 * applied to shapes. What a device must do for a case is a list of *kernels*, per phase; every
 * count (MAC, FLOP, bytes) is a sum over them, so that counting and predicting cannot disagree. */
#ifndef EC_OP_H
#define EC_OP_H

#include "base/base.h"
#include "record/record.h"

#define EC_RANK_MAX 8

struct ec_shape {
    int rank;
    int64_t d[EC_RANK_MAX];
};

/* Element types: X(name, bytes, is_float). */
#define EC_DTYPE_LIST(X)                                                                           \
    X(f32, 4, true)                                                                                \
    X(f16, 2, true)                                                                                \
    X(bf16, 2, true)                                                                               \
    X(f64, 8, true)                                                                                \
    X(i64, 8, false)                                                                               \
    X(i32, 4, false)                                                                               \
    X(i16, 2, false)                                                                               \
    X(i8, 1, false)                                                                                \
    X(u8, 1, false)                                                                                \
    X(bool, 1, false)

enum ec_dtype {
#define EC_DTYPE_ENUM(name, bytes, is_float) EC_DT_##name,
    EC_DTYPE_LIST(EC_DTYPE_ENUM)
#undef EC_DTYPE_ENUM
        EC_DT_COUNT
};

const char *ec_dtype_name(enum ec_dtype t);
int64_t ec_dtype_bytes(enum ec_dtype t);
bool ec_dtype_is_float(enum ec_dtype t);
bool ec_dtype_parse(struct ec_span s, enum ec_dtype *ret);

/* Shape and element type of a tensor. */
struct ec_type {
    struct ec_shape shape;
    enum ec_dtype dtype;
};

/* Every dimension >= 0, product below 2^60; shape rules keep that. */
bool ec_shape_count(const struct ec_shape *s, int64_t *ret); /* false on overflow */
double ec_type_elems(const struct ec_type *t);
bool ec_shape_eq(const struct ec_shape *a, const struct ec_shape *b);
struct ec_shape ec_shape_make(int rank, const int64_t *d);
const char *ec_shape_text(const struct ec_shape *s, char *out, size_t size); /* 32x3x224x224 */

/* How a kernel works: which law of time it follows. X(NAME, text). */
#define EC_KCLASS_LIST(X)                                                                          \
    X(GEMM, "gemm")           /* b products of (m x k)(k x n) */                                   \
    X(CONV, "conv")           /* dense or grouped convolution as implicit GEMM */                  \
    X(DEPTHWISE, "depthwise") /* one filter per channel: bound by bytes */                         \
    X(STREAM, "stream")       /* each element once: element-wise, copies */                        \
    X(SOFTMAX, "softmax")     /* rows of n elements, reduced and written */                        \
    X(NORM, "norm")           /* statistics over n elements, then a second pass */                 \
    X(REDUCE, "reduce")       /* m results out of n elements each */                               \
    X(POOL, "pool")           /* windows */                                                        \
    X(GATHER, "gather")       /* rows by index: embedding and its scatter-add */                   \
    X(RNN, "rnn")             /* `serial` dependent steps, each a GEMM (b x k)(k x n) */           \
    X(ATTENTION, "attention") /* fused softmax(QK')V that keeps no matrix */                       \
    X(UPDATE, "update")       /* optimizer over parameters */                                      \
    X(COPY, "copy")           /* between host and device */

enum ec_kclass {
#define EC_KCLASS_ENUM(name, text) EC_K_##name,
    EC_KCLASS_LIST(EC_KCLASS_ENUM)
#undef EC_KCLASS_ENUM
        EC_KCLASS_COUNT
};
const char *ec_kclass_name(enum ec_kclass c);

enum ec_kernel_flags {
    EC_KF_MATRIX = 1 << 0,     /* matrix units may do it, dtype and alignment permitting */
    EC_KF_FP32 = 1 << 1,       /* stays in float32 under automatic mixed precision */
    EC_KF_TRANSPOSED = 1 << 2, /* transposed convolution */
    EC_KF_UNKNOWN = 1 << 3,    /* an operator we do not know: bytes only */
    EC_KF_CAST = 1 << 4,       /* runs under automatic mixed precision only: a cast of m elements */
    EC_KF_ATTENTION = 1 << 5, /* part of plain attention, which a framework may run as one kernel */
    EC_KF_SUM = 1 << 6,       /* adds the gradients of two readers of a value: of no operator */
    EC_KF_TWO_PASS = 1 << 7,  /* a norm whose rows do not fit on chip: statistics, then the rest */
    EC_KF_LOSS = 1 << 8,      /* of the loss that a training step adds to a network */
    EC_KF_LAST = 1 << 9,      /* its values lie channels-last whatever the memory format */
    EC_KF_REORDER = 1 << 10,  /* (n, c, h, w) to (n, h, w, c) or back: a view, where they do */
    EC_KF_PLANES = 1 << 11,   /* a norm over planes: what lies channels-last is copied first */
    EC_KF_AGAIN = 1 << 12,    /* of forward, run once more in backward: recomputation */
    EC_KF_COMPOSED = 1 << 13, /* of a norm or experts, which a framework may compose of operators */
    EC_KF_WIDE = 1 << 14,     /* in float32 beside halves: adapters, Gemma's norms */
    EC_KF_GROUPED = 1 << 15,  /* the product of all experts */
    EC_KF_UNPACK = 1 << 16,   /* weights in 4 bits become halves or floats */
};

/* One device kernel. All counts are totals for the kernel, for every launch of it together. */
struct ec_kernel {
    enum ec_kclass kclass;
    enum ec_phase phase;
    unsigned flags;
    double mac;          /* multiply-accumulates of matrix work; part of flop as 2 FLOP each */
    double flop;         /* all arithmetic operations, 2 * mac included */
    double read_elems;   /* activations read, in the compute type */
    double write_elems;  /* activations (or their gradients) written */
    double weight_elems; /* parameters read, or their gradients written */
    double joint_elems;  /* of what is read and written: not, where a compiler joins neighbours */
    double joint_frac;   /* then, of the tensors it reads and writes: how many it does not */
    double narrow_elems; /* of the rest: there as halves, when the kernel works in float32 */
    double fixed_bytes;  /* what precision does not change: indices, masks, statistics */
    double b, m, n, k;   /* matrix view: GEMM, CONV, RNN; SOFTMAX/NORM/REDUCE: m rows of n */
    double serial;       /* dependent steps inside (RNN time steps); 1 otherwise */
    double launches;     /* kernels the host must issue; at least 1 */
    /* GRAD_DATA only: 1 + the one input whose gradient needs this kernel, so that it drops out when
     * that input needs none (a mask, a frozen layer, the network's input); 0: needed by whatever
     * gradient the operator has, weights too (batch norm, recurrence, attention with weights). */
    int for_input;
    /* geometry of windows: filter r x s, strides, spatial input and output, channels in and out
     * of one group, groups; zero where it means nothing */
    double r, s, stride, in_hw, out_hw, c_in, c_out, groups;
};

#define EC_WORK_MAX 24
/* The kernels of one case in one phase. */
struct ec_work {
    int n;
    struct ec_kernel kernel[EC_WORK_MAX];
};
/* Appends a zeroed kernel (launches = serial = 1). Rules stay within EC_WORK_MAX: asserted. */
struct ec_kernel *ec_work_add(struct ec_work *w, enum ec_kclass c, enum ec_phase p);
/* Appends a STREAM kernel: the commonest line of the rules. */
struct ec_kernel *ec_work_stream(struct ec_work *w, enum ec_phase p, double flop, double read_elems,
                                 double write_elems);

#define EC_PARAM_MAX 64
struct ec_param_spec {
    const char *role; /* "weight", "bias", "running_mean" ... */
    struct ec_shape shape;
    bool trainable;
};
struct ec_param_list {
    int n;
    struct ec_param_spec p[EC_PARAM_MAX];
};
void ec_param_add(struct ec_param_list *l, const char *role, bool trainable, int rank, ...);

/* What backward needs kept from forward; values are counted once however many nodes keep them. */
struct ec_saved {
    unsigned in_mask;    /* bit i: input i (bit 31: all of them) */
    unsigned cross_mask; /* of these: for gradients of other inputs and of parameters alone */
    unsigned out_mask;   /* bit i: output i */
    double extra_elems;  /* further elements in the compute type */
    double extra_bytes;  /* masks, indices, float32 statistics */
};

/* An operator applied to shapes. Borrowed pointers only. */
struct ec_case {
    const struct ec_op *op;
    const void *attrs; /* the struct that op->fields describes */
    int n_in, n_out;
    const struct ec_type *const *in; /* n_in data inputs (parameters are not inputs) */
    struct ec_type *const *out;      /* n_out; the shape rule writes, other rules read */
};

enum ec_op_flags {
    EC_OPF_VIEW = 1 << 0,     /* no kernel forward: reshape, slice, split ... */
    EC_OPF_VARIADIC = 1 << 1, /* any number of inputs >= 1 */
    EC_OPF_LOSS = 1 << 2,
    EC_OPF_INDEX_IN = 1 << 3, /* input 0 holds indices: no gradient to it */
    EC_OPF_NO_GRAD = 1 << 4,  /* result has no gradient: comparisons, argmax, shape */
    EC_OPF_INPLACE = 1 << 5,  /* frameworks commonly run it in place (ReLU after a norm) */
    EC_OPF_PLACES = 1 << 6,   /* copies into a larger tensor: a compiler leaves it alone */
    EC_OPF_FLOAT = 1 << 7,    /* element by element, which autocast runs in float32 */
    EC_OPF_MAX = 1 << 8,      /* pooling that takes the largest element; else the mean */
};

struct ec_op {
    const char *name;              /* stable: written to files and databases */
    const char *aliases;           /* "gemm bmm": what else may be written for it; NULL: nothing */
    const char *help;              /* one line */
    size_t attrs_size;             /* sizeof the attribute struct; 0 when none */
    const struct ec_field *fields; /* describes it; NULL when none */
    /* Attributes by which other values are computed in the same time, "eps,momentum": no part of a
     * case's text and numbers, so that what was measured and predicted is one case. NULL: none. */
    const char *value_attrs;
    /* Names of input dimensions, for case text and messages: "n c h w"; ';' between inputs; a
     * leading '*' folds all further leading dimensions into the first ("*m k"). A single name of
     * "x" .. "z" means any shape, written x=32x64. */
    const char *inputs;
    /* The same for operators whose inputs are any shapes, as dimensions: matmul b=8 m=64 k=32 n=64;
     * the leading one is 1 where it is not given.
     * Read only; the canonical text has the shapes. NULL: none. */
    const char *dims;
    unsigned flags;
    int n_out;                               /* 0: one */
    int (*outputs)(const struct ec_case *c); /* where attributes decide (split); NULL: n_out */
    enum ec_status (*shape)(const struct ec_case *c, struct ec_err *err); /* writes c->out */
    void (*params)(const struct ec_case *c, struct ec_param_list *ret);   /* NULL: none */
    /* Kernels of a phase: GRAD_DATA is all input gradients, GRAD_WEIGHT all parameter gradients.
     * UPDATE is not asked of operators: optimizers are rows of their own. */
    void (*work)(const struct ec_case *c, enum ec_phase p, struct ec_work *ret);
    /* Kernels of forward when the network only infers (fixed statistics, no dropout); NULL: those
     * of `work`. */
    void (*infer)(const struct ec_case *c, struct ec_work *ret);
    void (*saved)(const struct ec_case *c, struct ec_saved *ret);
    /* Draws the text of a case that a network could hold; NULL: never measured alone. */
    void (*sample)(const struct ec_op *op, struct ec_rng *rng, struct ec_buf *out);
    const char *example;       /* a case text: documentation, table tests, fuzz seeds */
    double flop_fwd, flop_bwd; /* per element, for the families that share rules */
};

/* The list, sorted by name. */
const struct ec_op *const *ec_ops(int *ret_count);
const struct ec_op *ec_op_find(struct ec_span name); /* NULL: no such operator */
/* The same with a sentence that names the nearest. Errors: NOT_FOUND */
enum ec_status ec_op_named(struct ec_span name, const struct ec_op **ret,
                           struct ec_err *err) EC_MUST_CHECK;
/* Whether benchmarks of layers measure the operator by itself: products, convolutions, pools,
 * norms. An element-wise operator is measured as the activation of the layer before. */
bool ec_case_is_layer(const struct ec_case *c);
/* What may stand behind a layer as its activation: element-wise, of one input, with a gradient.
 * ret  NULL for "none" and ""
 * Errors: NOT_FOUND; INPUT: an operator that is no such one */
enum ec_status ec_activation_named(const char *name, const struct ec_op **ret,
                                   struct ec_err *err) EC_MUST_CHECK;

/* A case that owns what it points to. */
struct ec_owned_case {
    struct ec_case c;
    struct ec_arena arena;
};
/* Parse "conv2d n=32 c=64 h=56 w=56 k=64 r=3 s=3 pad=1 dtype=f32"; infers the output shapes.
 * Errors: NOT_FOUND (operator, with near names), PARSE, INPUT, SHAPE. */
enum ec_status ec_case_parse(const char *text, struct ec_owned_case *ret,
                             struct ec_err *err) EC_MUST_CHECK;
void ec_case_clear(struct ec_owned_case *c);
/* The samples of a case: the first dimension of its first input; 1 where there is none. */
int64_t ec_case_batch(const struct ec_case *c);
/* Canonical text: input dimensions, attributes that differ from their default, dtype unless f32
 * (i64 where input 0 holds indices). */
void ec_case_print(const struct ec_case *c, struct ec_buf *out);
/* The numbers of that text, without writing it: dimensions, attributes that differ from their
 * default (of several numbers the last), and of whole shapes the last dimension. */
struct ec_case_number {
    const char *name; /* not terminated */
    int name_len;
    bool of_shape; /* of several dimensions */
    double value;
};
/* Returns how many were written, at most `max`; further ones are left out. */
int ec_case_numbers(const struct ec_case *c, struct ec_case_number *ret, int max);
/* Allocate attributes and set them from the words of "k=64 r=3 pad=1". Errors: as parse. */
enum ec_status ec_attrs_parse(const struct ec_op *op, struct ec_span words, struct ec_arena *a,
                              void **ret, struct ec_err *err) EC_MUST_CHECK;
/* Run the shape rule after checking the number of inputs; allocates outputs in the arena. */
enum ec_status ec_case_infer(struct ec_case *c, struct ec_arena *a,
                             struct ec_err *err) EC_MUST_CHECK;

/* Bounds of drawn cases; 0: none. */
struct ec_sample_limits {
    double max_bytes; /* ec_case_train_bytes() */
    double max_flop;  /* forward and both gradients */
};
/* Bytes that a training step of the case alone needs at least, in float32. */
double ec_case_train_bytes(const struct ec_case *c);
bool ec_case_within(const struct ec_case *c, const struct ec_sample_limits *limits);
/* Draws a case, as canonical text. Errors: UNSUPPORTED: no rule; INPUT: none within the limits */
enum ec_status ec_op_sample(const struct ec_op *op, const struct ec_sample_limits *limits,
                            struct ec_rng *rng, struct ec_buf *ret_text,
                            struct ec_err *err) EC_MUST_CHECK;
/* Operators named in lists joined by commas; without any, all that have a rule to draw and a
 * gradient. ret lives in the arena. Errors: NOT_FOUND, NOMEM */
enum ec_status ec_ops_named(const struct ec_strs *names, struct ec_arena *a,
                            const struct ec_op *const **ret, int *ret_n,
                            struct ec_err *err) EC_MUST_CHECK;

/* Bytes that a kernel must move, at `elem_bytes` per activation and parameter element. */
double ec_kernel_bytes(const struct ec_kernel *k, double elem_bytes);
/* Sum of MAC, FLOP and bytes, of kernels that run so many times. */
struct ec_count {
    double mac, flop, bytes, launches;
};
void ec_count_add(struct ec_count *c, const struct ec_kernel *k, double times, double elem_bytes);

/* --- Reading a case from outside, for kernels --- */

/* An attribute by the name of its field, which must exist: asserted. int reads INT, BOOL and ENUM.
 */
bool ec_case_has(const struct ec_case *c, const char *attr);
int64_t ec_case_int(const struct ec_case *c, const char *attr);
double ec_case_double(const struct ec_case *c, const char *attr);
const struct ec_ints *ec_case_ints(const struct ec_case *c, const char *attr);
/* The attribute "axis" with negative ones resolved. */
int ec_case_axis(const struct ec_case *c);

/* Sliding windows of a convolution or pooling, the spatial dimensions right-aligned: unused leading
 * ones are 1 (extents, strides) or 0 (padding). Element f of the filter at output o meets input
 * o * stride - pad + f * dil; in a transposed convolution, input i meets output likewise. */
#define EC_WINDOW_DIMS 3
struct ec_window {
    int64_t in[EC_WINDOW_DIMS], out[EC_WINDOW_DIMS], filter[EC_WINDOW_DIMS];
    int64_t stride[EC_WINDOW_DIMS], dil[EC_WINDOW_DIMS];
    int64_t pad[EC_WINDOW_DIMS];     /* before the first element */
    int64_t pad_end[EC_WINDOW_DIMS]; /* after the last, as stated; windows may reach beyond */
};
/* False when the operator slides no window. "same" puts the odd element at the end. */
bool ec_case_window(const struct ec_case *c, struct ec_window *ret);

#endif
