/* Inside a program. It has a *variant* for training and, where layers work otherwise when
 * evaluating (batch norm, dropout), a second one over the same parameters. */
#ifndef EC_ENGINE_PROGRAM_INTERNAL_H
#define EC_ENGINE_PROGRAM_INTERNAL_H

#include "engine/backend.h"
#include "engine/program.h"

/* Where a buffer lies. */
enum ec_pool {
    EC_POOL_ARENA, /* shared by lifetime */
    EC_POOL_PARAM, /* at the parameter's offset */
    EC_POOL_GRAD,  /* at the parameter's offset */
    EC_POOL_IO,    /* inputs, targets, constants, gradients given from outside */
    EC_POOL_COUNT
};

/* For the ledger: what an arena buffer holds. */
enum ec_buf_kind { EC_BUF_VALUE, EC_BUF_GRAD, EC_BUF_WS, EC_BUF_SCRATCH, EC_BUF_KINDS };

/* A block of memory that is written by one task (`first`) and dead after another (`last`). */
struct ec_pbuf {
    enum ec_pool pool;
    enum ec_buf_kind kind;
    int64_t bytes, offset;
    int first, last; /* tasks; -1: none yet */
    int param;       /* value id, for the pools of parameters */
    int root;        /* the buffer whose memory it takes over; itself otherwise */
};

/* A value of the graph in one variant. */
struct ec_pvalue {
    const struct ec_fmt *fmt; /* NULL: plain in the compute type */
    int buf;                  /* -1: none */
    int plain, plain_wide;    /* plain copies in the compute type and in the parameters' type; -1 */
    int grad;                 /* gradient so far; -1: none yet */
    int n_uses;               /* by live nodes */
    bool needs_grad, has_grad, is_output;
};

/* A node of the graph in one variant. */
struct ec_pnode {
    const struct ec_node *n;
    const struct ec_kernel_row *row; /* NULL: not prepared */
    struct ec_knode k;
    struct ec_case c;
    bool live, backward;
    bool fallback;    /* sees plain values in the parameters' type */
    bool absorbed;    /* a ReLU whose forward is done by the node before it */
    bool vanished;    /* ... and its backward too */
    int *out_value;   /* n_out: whose memory each output is; differs from the node's own when a ReLU
                       * is fused */
    int *d_out_value; /* n_out: whose gradient comes back */
    int *in_buf, *out_buf; /* as the kernel sees them, for backward */
    int ws;
};

enum ec_task_kind {
    EC_TASK_KERNEL,
    EC_TASK_LOSS,
    EC_TASK_CONVERT, /* src in one format to dst in another */
    EC_TASK_ADD,     /* dst = base + src */
    EC_TASK_COPY,
    EC_TASK_UPDATE,
};

struct ec_task {
    enum ec_task_kind kind;
    int node; /* of the graph; EC_STEP_LOSS, EC_STEP_OPTIMIZER */
    enum ec_phase phase;
    const char *name;
    struct ec_pnode *pn;                            /* KERNEL */
    int *in, *out, *d_out, *d_in, *param, *d_param; /* KERNEL: buffers; -1: none */
    int ws, scratch;                                /* KERNEL */
    int src, base, dst;                             /* others; -1: none */
    struct ec_type type;                            /* CONVERT: plain type */
    const struct ec_fmt *from, *to;                 /* CONVERT; NULL: plain */
    enum ec_dtype dtype;                            /* ADD */
    int64_t bytes;                                  /* ADD, COPY */
    int output;                                     /* LOSS: which, and what it counts */
    double weight;
    struct ec_kargs args;            /* KERNEL: pointers, once placed */
    void *p_src, *p_base, *p_dst;    /* the same for others */
    int64_t done_offset, done_bytes; /* gradients complete after it */
};

/* Task `task` may let `to` take the memory of `from`. */
struct ec_inplace {
    int task, from, to;
};

struct ec_variant {
    bool training, backward;
    struct ec_pnode *nodes;   /* of the graph */
    struct ec_pvalue *values; /* of the graph */
    struct ec_pbuf *bufs;
    int n_bufs, cap_bufs;
    struct ec_task *tasks;
    int n_tasks, cap_tasks;
    struct ec_inplace *inplace;
    int n_inplace, cap_inplace;
    int n_forward; /* tasks up to the loss, it included */
    int64_t arena_bytes;
    int64_t kind_bytes[EC_BUF_KINDS];
    unsigned char *arena;
};

/* A parameter, running statistics, or a free parameter. */
struct ec_pparam {
    bool used, buffer; /* buffer: running statistics */
    bool learns;       /* its gradient is computed */
    int n_uses;
    const struct ec_fmt *fmt; /* NULL: not chosen yet */
    struct ec_fmt plain;
    int64_t bytes, offset; /* in the block of parameters; the same in that of gradients */
    int n_grads;           /* contributions to its gradient so far */
    int grad_done;         /* last task that writes its gradient */
};

/* An input, constant, target, or a gradient from outside. */
struct ec_pio {
    int64_t bytes, offset;
};

struct ec_program {
    struct ec_ctx *ctx;
    const struct ec_backend *b;
    const struct ec_graph *g;
    struct ec_program_opts opts;
    enum ec_dtype compute, wide; /* wide: of parameters, losses and fallback kernels */
    struct ec_arena mem;
    struct ec_variant train, eval; /* eval: compiled when first asked for */
    bool has_eval, eval_differs;
    struct ec_variant *last;  /* the one that ran last */
    struct ec_pparam *params; /* by value id */
    struct ec_pio *value_io;  /* by value id: inputs and constants */
    struct ec_pio *d_out_io;  /* by output */
    struct ec_pio target_io;
    int64_t io_bytes;
    int64_t param_bytes;              /* the whole block */
    int64_t learn_bytes;              /* its beginning: what the optimizer updates */
    int64_t library_bytes;            /* grown by while kernels were prepared */
    int64_t weight_bytes, stat_bytes; /* for the ledger, parameters and running statistics */
    int n_states;
    void *param_mem, *grad_mem, *state_mem[2], *io_mem;
    void *raw[8]; /* what was allocated, to free */
    int n_raw;
    uint64_t steps;                           /* run so far */
    double loss_scale;                        /* of gradients; 0 is 1 */
    struct ec_step_result result, aux_result; /* of the first output; of another */
    ec_program_grads_ready on_grads;
    void *on_grads_user;
};

/* program_flow.c: what is live, where gradients flow. */
enum ec_status ec__program_flow(struct ec_program *p, struct ec_variant *g,
                                struct ec_err *err) EC_MUST_CHECK;
/* program_kernels.c: rows, formats, fusing. */
enum ec_status ec__program_prepare(struct ec_program *p, struct ec_variant *g,
                                   struct ec_err *err) EC_MUST_CHECK;
void ec__program_drop(struct ec_program *p, struct ec_variant *g);
/* program_tasks.c: the tasks and the buffers they touch. */
enum ec_status ec__program_emit(struct ec_program *p, struct ec_variant *g,
                                struct ec_err *err) EC_MUST_CHECK;
/* program_memory.c: places buffers, allocates, fills in pointers. */
enum ec_status ec__program_place(struct ec_program *p, struct ec_variant *g,
                                 struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__program_layout(struct ec_program *p, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__program_resolve(struct ec_program *p, struct ec_variant *g,
                                   struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__program_alloc(struct ec_program *p, int64_t bytes, void **ret,
                                 struct ec_err *err) EC_MUST_CHECK;
/* program_build.c: buffers and tasks one by one. Failure is sticky in `st`, so that emitting reads
 * like what is emitted; buffers are -1 after it. */
struct ec_emit {
    struct ec_program *p;
    struct ec_variant *g;
    struct ec_err *err;
    enum ec_status st;
};
int ec__buf(struct ec_emit *e, enum ec_buf_kind kind, int64_t bytes);
int ec__buf_at(struct ec_emit *e, enum ec_pool pool, int param, int64_t offset, int64_t bytes);
/* Of a value in its format. */
int64_t ec__emit_bytes(const struct ec_emit *e, int value);
/* The task that comes next touches the buffer. */
void ec__touch(struct ec_emit *e, int buf);
struct ec_task *ec__task(struct ec_emit *e, enum ec_task_kind kind, int node, enum ec_phase phase,
                         const char *name); /* NULL after failure */
void ec__may_take(struct ec_emit *e, int task, int from, int to);
struct ec_fmt_ref {
    const struct ec_fmt *fmt; /* NULL: plain in `plain` */
    enum ec_dtype plain;
};
/* src in one format to dst in another; both of the shape of a value. */
void ec__emit_convert(struct ec_emit *e, int node, enum ec_phase phase, int value,
                      struct ec_fmt_ref from, int src, struct ec_fmt_ref to, int dst);
/* A contribution to the gradient of a value, in the value's format. */
void ec__emit_grad(struct ec_emit *e, int node, int value, int buf);
/* The buffer that a kernel may write as the gradient of a parameter; whatever must follow is
 * emitted by ec__emit_param_grad_end with what this returned. */
int ec__param_grad_begin(struct ec_emit *e, int param);
void ec__param_grad_end(struct ec_emit *e, int node, int param, int buf);
/* program.c: what evaluates; compiled when first asked for. */
enum ec_status ec__program_eval_variant(struct ec_program *p, struct ec_variant **ret,
                                        struct ec_err *err) EC_MUST_CHECK;
/* program_flow.c: what the loss of an output counts; 0: it has none. */
double ec__loss_weight(const struct ec_program *p, int output);
/* program_io.c. Rows, columns and `inner` of the first output. */
void ec__loss_shape(const struct ec_program *p, struct ec_loss_job *job);
int64_t ec__value_elems(const struct ec_program *p, int value);
enum ec_dtype ec__value_dtype(const struct ec_program *p, int value, enum ec_dtype t);
int64_t ec__plain_bytes(const struct ec_program *p, int value, enum ec_dtype t);
/* An input or constant, from plain float32 or its own integers on the host. */
enum ec_status ec__program_write_io(struct ec_program *p, int value, const void *data,
                                    struct ec_err *err) EC_MUST_CHECK;

#endif
