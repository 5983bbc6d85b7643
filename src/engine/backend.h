/* A backend is a table of functions, and a list of rows, one per operator that it can run. The
 * program compiler (program.c) does not depend on libraries; a backend does not depend on networks.
 *
 *   value    a tensor of the graph. Its *format* (order of elements, type) is chosen by the kernel
 *            that produces it; every consumer takes it as it is and converts inside itself where it
 *            wants another, keeping the converted copy in its workspace when backward needs it too.
 *            Format NULL is plain: row-major, dense, in the compute type.
 *   gradient has the format of its value.
 *   params   float32 (float64 on ref64) always: the master copy. Format chosen by the first
 *            kernel that uses it, so that a step needs no conversion; a kernel that computes in a
 *            lower precision converts forward, into its workspace. A gradient of a parameter has
 *            the parameter's format. Padding inside a format is zero and stays zero.
 *   ws       workspace: written forward, read backward (masks, statistics, converted copies)
 *   scratch  contents mean nothing between two runs; shared by all kernels of a program
 *
 * Everything that a kernel needs is asked for in `prepare`, once per program: a run allocates
 * nothing and creates nothing. Buffers are aligned to EC_ENGINE_ALIGN. */
#ifndef EC_ENGINE_BACKEND_H
#define EC_ENGINE_BACKEND_H

#include "engine/engine.h"

#define EC_ENGINE_ALIGN 64
/* Rounded up to the alignment of buffers. */
static inline int64_t ec__align(int64_t bytes)
{
    return (bytes + EC_ENGINE_ALIGN - 1) / EC_ENGINE_ALIGN * EC_ENGINE_ALIGN;
}

/* How a tensor lies in memory. `layout` belongs to the backend; NULL: plain. */
struct ec_fmt {
    enum ec_dtype dtype;
    int64_t bytes; /* padding included; a multiple of the element size */
    bool padded;   /* elements beyond the shape exist, and are zero */
    const void *layout;
};

/* What a kernel may do beside its own operator. */
enum ec_fuse {
    EC_FUSE_RELU = 1 << 0,     /* a ReLU on output 0, forward only: its backward is a task apart and
                                * reads the output alone */
    EC_FUSE_RELU_BWD = 1 << 1, /* ... backward too: the kernel keeps what it needs in ws */
    EC_FUSE_ACT = 1 << 2,      /* any operator of one input on output 0, forward and backward:
                                * `after` says which; prepare refuses those that it does not know */
    EC_FUSE_RELU_BEFORE = 1 << 3, /* input 0 is what a ReLU wrote: backward makes the gradient of
                                   * what that ReLU read */
};

/* One node in one program. The compiler fills the first part, `prepare` the second. */
struct ec_knode {
    const struct ec_case *c; /* operator, attributes, shapes */
    int n_param;
    const struct ec_type *const *param_type; /* n_param */
    enum ec_dtype compute;                   /* type of float values: f32, bf16; f64 on ref64 */
    enum ec_dtype param_dtype;               /* f32; f64 on ref64 */
    bool training;            /* statistics of the batch, dropout; backward will run */
    const bool *want_d_in;    /* n_in: gradient wanted; all false when only inferring */
    const bool *want_d_param; /* n_param */
    const bool *has_d_out; /* n_out: false: nothing flows back into this output, it counts as 0 */
    unsigned fuse;         /* enum ec_fuse, one at most, among those the row names */
    const struct ec_case *after; /* EC_FUSE_ACT: the operator on output 0; else NULL */
    int threads;
    struct ec_arena *arena;             /* of the program: for formats and whatever lives as long */
    const struct ec_fmt *const *in_fmt; /* n_in; NULL entries are plain */

    const struct ec_fmt **out_fmt;   /* n_out; comes as NULLs: plain */
    const struct ec_fmt **param_fmt; /* n_param; NULL: free to choose, stays plain when left; else
                                      * an earlier kernel's choice, to be taken as it is */
    bool *keep_in, *keep_out; /* n_in, n_out; come false: backward reads input / output values */
    bool view;                /* output 0 is input 0 under another shape: no run forward, nor
                               * backward. Only when input 0 is plain */
    bool d_out_is_d_in;       /* gradient of every wanted input is output 0's gradient itself
                               * (sum of equal shapes, identity): no run backward */
    int in_place;             /* comes -1: forward may write output 0 over this input */
    int d_in_place;           /* comes -1: backward may write this input's gradient over d_out 0 */
    bool split_backward;      /* GRAD_WEIGHT and GRAD_DATA run apart; false: one run in GRAD_DATA
                               * makes everything (batch norm, recurrence) */
    int64_t ws_bytes, scratch_bytes;
    const char *impl; /* which implementation, for records: "jit:avx512_core", "ref"; static or in
                       * the arena */
    void *state;      /* the kernel's own; freed by the row's drop */
};

/* Whether any gradient is wanted. */
static inline bool ec_knode_wants(const struct ec_knode *k)
{
    int i;

    for (i = 0; i < k->c->n_in; i++)
        if (k->want_d_in[i])
            return true;
    for (i = 0; i < k->n_param; i++)
        if (k->want_d_param[i])
            return true;
    return false;
}

/* Buffers of one run, in the formats agreed on. Entries are NULL where nothing is wanted or kept.
 */
struct ec_kargs {
    const void *const *in;    /* n_in */
    void *const *out;         /* n_out */
    const void *const *d_out; /* n_out */
    void *const *d_in;        /* n_in; written, never added to */
    void *const *param;       /* n_param; running statistics are written forward */
    void *const *d_param;     /* n_param; written, never added to */
    void *ws, *scratch;
    uint64_t seed; /* of this node in this step: dropout is a function of it and the element */
};

/* An operator on a backend. Several rows may name the same operator: the first that supports the
 * node is taken. */
struct ec_kernel_row {
    const char *op; /* name of the operator; "*": any */
    unsigned fuses; /* enum ec_fuse that it can do */
    /* Cheap; NULL: every case. Sees the compiler's part of the node. */
    bool (*supports)(const struct ec_knode *k);
    /* Errors: UNSUPPORTED: the next row is tried (the node must be as it came) */
    enum ec_status (*prepare)(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err);
    /* EC_FORWARD; EC_GRAD_WEIGHT and EC_GRAD_DATA, or GRAD_DATA alone (split_backward). May only
     * enqueue. */
    enum ec_status (*run)(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase phase,
                          const struct ec_kargs *a, struct ec_err *err);
    void (*drop)(struct ec_knode *k); /* frees k->state; NULL: nothing to free */
};

/* Flat arithmetic on buffers, for the program, the losses and the optimizers. n counts elements. */
struct ec_flat {
    void (*zero)(struct ec_ctx *ctx, void *x, int64_t bytes);
    void (*add)(struct ec_ctx *ctx, enum ec_dtype t, void *acc, const void *x, int64_t n);
    /* Sum of squares, in double. */
    double (*norm2)(struct ec_ctx *ctx, enum ec_dtype t, const void *x, int64_t n);
    /* One update over n parameters. state[0], state[1]: as the optimizer needs. */
    void (*update)(struct ec_ctx *ctx, enum ec_dtype t, const struct ec_update *u, void *param,
                   const void *grad, void *const *state, int64_t n);
    /* Mean loss over rows and its gradient. See engine.h */
    enum ec_status (*loss)(struct ec_ctx *ctx, enum ec_dtype t, const struct ec_loss_job *job,
                           struct ec_err *err);
    void (*copy)(struct ec_ctx *ctx, void *to, const void *from, int64_t bytes); /* NULL: memcpy */
};

#define EC_BACKEND_ABI 1
struct ec_backend {
    const char *name; /* "ref", "ref64", "sim", "cpu", "cuda" */
    const char *help; /* one line */
    int abi;          /* EC_BACKEND_ABI */
    unsigned flags;   /* enum ec_backend_flags */
    /* Required. Errors: BACKEND when a library is missing (the sentence names it and its package),
     * NO_DEVICE, NOMEM */
    enum ec_status (*open)(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                           struct ec_err *err);
    void (*close)(struct ec_ctx *ctx);
    /* Rows, ended by one whose op is NULL. Those of `fallback` follow. Required. */
    const struct ec_kernel_row *rows;
    /* Rows tried when none of `rows` serves: they see plain values only, the compiler converts
     * around them. NULL: none. */
    const struct ec_kernel_row *fallback;
    /* Plain <-> format; one of both is plain when fmt is NULL; src and dst types may differ between
     * f32 and the format's. Required (ref: a copy). */
    enum ec_status (*reorder)(struct ec_ctx *ctx, const struct ec_type *type,
                              const struct ec_fmt *from, const void *src, const struct ec_fmt *to,
                              void *dst, struct ec_err *err);
    const struct ec_flat *flat; /* required */
    /* Device memory; NULL: the host's. */
    enum ec_status (*mem_alloc)(struct ec_ctx *ctx, int64_t bytes, void **ret, struct ec_err *err);
    void (*mem_free)(struct ec_ctx *ctx, void *p);
    enum ec_status (*upload)(struct ec_ctx *ctx, void *dst, const void *src, int64_t bytes,
                             struct ec_err *err);
    enum ec_status (*download)(struct ec_ctx *ctx, void *dst, const void *src, int64_t bytes,
                               struct ec_err *err);
    enum ec_status (*sync)(struct ec_ctx *ctx, struct ec_err *err); /* NULL: runs are synchronous */
    /* Time on the device; NULL: the host's clock. sim: its own. */
    int64_t (*now_ns)(struct ec_ctx *ctx);
    /* Versions of libraries, "oneDNN 2.6.3 (OMP)"; for records. */
    const char *(*library)(struct ec_ctx *ctx);
};

enum ec_backend_flags {
    EC_BACKEND_BF16 = 1 << 0,   /* computes in bfloat16 */
    EC_BACKEND_FAKE = 1 << 1,   /* results are meaningless, only times are valid */
    EC_BACKEND_DEVICE = 1 << 2, /* memory is not the host's */
    EC_BACKEND_REF = 1 << 3     /* its context is a struct ec_ref_ctx: products are counted */
};

/* Every context begins with this. */
struct ec_ctx {
    const struct ec_backend *backend;
    int threads;
    uint64_t seed;
    bool thread_clock; /* see ec_engine_use_thread_clock */
};

extern const struct ec_backend ec_backend_ref, ec_backend_ref64, ec_backend_sim, ec_backend_cpu,
    ec_backend_cuda;

#endif
