/* Training. A *program* is compiled from a graph: kernels are prepared once, formats are chosen,
 * buffers are placed in one arena by their lifetimes; a step runs an array of tasks. The program
 * also has the ledger of memory, the bytes of each kind. Losses, optimizers and the trainer use
 * programs. */
#ifndef EC_ENGINE_H
#define EC_ENGINE_H

#include "cost/cost.h"
#include "dataset/dataset.h"
#include "graph/graph.h"

/* --- Backends --- */

struct ec_ctx;     /* an open backend; one thread at a time */
struct ec_backend; /* its table of functions: engine/backend.h */

struct ec_engine_opts {
    const char *backend; /* "cpu", "ref", "ref64", "sim", "cuda"; NULL: the best there is */
    int64_t threads;     /* 0: cores this process may use */
    int64_t device;      /* index, for cuda */
    const char *sim;     /* device whose law of time `sim` follows; NULL: the first GPU */
    uint64_t seed;
};
/* Errors: NOT_FOUND (no such backend), BACKEND (library missing), NO_DEVICE, NOMEM */
enum ec_status ec_engine_open(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_engine_close(struct ec_ctx *ctx);
const char *ec_engine_name(const struct ec_ctx *ctx); /* "cpu" */
const char *ec_engine_library(struct ec_ctx *ctx);    /* "oneDNN 2.6.3 (OMP)" */
int ec_engine_threads(const struct ec_ctx *ctx);
/* Clock of the backend's device after all that was enqueued. */
enum ec_status ec_engine_sync(struct ec_ctx *ctx, struct ec_err *err) EC_MUST_CHECK;
int64_t ec_engine_now_ns(struct ec_ctx *ctx);
/* From now on that clock counts the processor time of the calling thread, so that work can be timed
 * on a machine with other work. Errors: UNSUPPORTED with several threads, or on a backend with a
 * clock of its own */
enum ec_status ec_engine_use_thread_clock(struct ec_ctx *ctx, struct ec_err *err) EC_MUST_CHECK;

/* --- Losses: one row each --- */

/* What the targets are. */
enum ec_target_kind {
    EC_TARGET_CLASS, /* int64_t per row: class; negative: the row is left out */
    EC_TARGET_FLOAT, /* float per element of the output */
};
/* X(name, target kind, help) */
#define EC_LOSS_LIST(X)                                                                            \
    X(cross_entropy, CLASS, "softmax and cross entropy, classes last")                             \
    X(bce, FLOAT, "sigmoid and binary cross entropy")                                              \
    X(mse, FLOAT, "mean squared error")                                                            \
    X(mae, FLOAT, "mean absolute error")                                                           \
    X(huber, FLOAT, "squared below `delta`, absolute above")

enum ec_loss {
#define EC_LOSS_ENUM(name, target, help) EC_LOSS_##name,
    EC_LOSS_LIST(EC_LOSS_ENUM)
#undef EC_LOSS_ENUM
        EC_LOSS_COUNT
};
extern const char *const ec_loss_names[]; /* NULL-terminated */
enum ec_target_kind ec_loss_target(enum ec_loss l);

struct ec_loss_job {
    enum ec_loss loss;
    double label_smoothing; /* cross_entropy: share given to all classes evenly */
    double delta;           /* huber */
    double scale;           /* of the gradient: 1, or 1/steps of accumulation */
    int64_t rows, cols;     /* of the output; FLOAT losses: rows * cols elements */
    int64_t inner;        /* CLASS: the classes of a row lie this many elements apart, with as many
                           * rows side by side (pixels: height * width); 0 is 1, classes last */
    const void *y;        /* output, plain */
    const void *target;   /* int64_t[rows] or float[rows * cols] */
    void *d_y;            /* NULL: no gradient wanted */
    double *ret_loss;     /* mean over rows that count (CLASS) or elements (FLOAT) */
    int64_t *ret_correct; /* rows whose target is the largest (CLASS), or whose side of 0 is right
                           * (bce); NULL: not wanted */
    int64_t *ret_counted; /* rows, elements that count; NULL: not wanted */
};

/* --- Optimizers: rows of EC_OPTIMIZER_LIST in cost/cost.h --- */

struct ec_update {
    enum ec_optimizer optimizer;
    double lr, momentum, beta1, beta2, alpha, eps, weight_decay;
    bool nesterov;
    int64_t step;      /* from 1: corrections of Adam */
    double grad_scale; /* clipping, averaging over ranks */
};

/* As the optimizer is usually set: PyTorch's defaults; step 1. */
struct ec_update ec_update_default(enum ec_optimizer o);

/* What activations are held in at a precision. */
enum ec_dtype ec_engine_dtype(enum ec_precision p);

/* --- Programs; program.h has what the trainer needs besides --- */

struct ec_program;

struct ec_program_opts {
    /* Mode: a training step with its optimizer, forward and backward, or forward. Precision: fp32
     * or bf16; ref64 computes in float64 all the same. */
    struct ec_conditions cond;
    bool with_loss; /* false: gradients of the outputs are given (ec_program_set_d_out) */
    enum ec_loss loss;
    double label_smoothing, huber_delta;
    bool input_grad;      /* gradients of float inputs too: single layers */
    bool accumulate;      /* gradients add up until ec_program_update */
    bool separate_update; /* ec_program_update does it, after clipping or ranks; no step does */
    bool no_fuse;         /* every operator a task of its own, for measuring */
    bool keep_all;        /* no buffer shares memory: every value can be read (tests) */
    bool compile_only;    /* only to ask for its tasks and memory: it has none, and never runs */
};
/* g must outlive the program. Errors: UNSUPPORTED (names node, operator, backend), DEVICE_MEMORY,
 * NOMEM, BACKEND */
enum ec_status ec_program_new(struct ec_ctx *ctx, const struct ec_graph *g,
                              const struct ec_program_opts *opts, struct ec_program **ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_program_free(struct ec_program *p);

/* Initial weights as PyTorch's defaults: by the parameter's role and fan-in; a function of the seed
 * and the parameter's name alone. Resets optimizer state and running statistics. */
enum ec_status ec_program_init(struct ec_program *p, uint64_t seed,
                               struct ec_err *err) EC_MUST_CHECK;

/* Random inputs and targets that the network accepts: for measuring. */
enum ec_status ec_program_fill(struct ec_program *p, uint64_t seed,
                               struct ec_err *err) EC_MUST_CHECK;

struct ec_step_result {
    double loss;
    int64_t correct, counted;
};
/* Forward, loss, backward; the update when the program's mode has one and it does not accumulate.
 * u     NULL: no update
 * ret   may be NULL (nothing is then waited for on devices) */
enum ec_status ec_program_step(struct ec_program *p, const struct ec_update *u,
                               struct ec_step_result *ret, struct ec_err *err) EC_MUST_CHECK;

/* The tasks, for measuring phases and layers: node is that of the graph, or EC_STEP_LOSS,
 * EC_STEP_OPTIMIZER. */
struct ec_task_info {
    int node;
    enum ec_phase phase;
    const char *name; /* node's name, "loss", "update", "accumulate" */
    const char *impl;
};
int ec_program_tasks(const struct ec_program *p);
struct ec_task_info ec_program_task(const struct ec_program *p, int i);
/* A step whose tasks are timed one by one (synchronised after each): ret_ns has ec_program_tasks().
 */
enum ec_status ec_program_step_timed(struct ec_program *p, const struct ec_update *u,
                                     int64_t *ret_ns, struct ec_err *err) EC_MUST_CHECK;
/* Runs tasks [first, last) again on what lies in the buffers: single phases of a layer. */
enum ec_status ec_program_run_tasks(struct ec_program *p, int first, int last,
                                    const struct ec_update *u, struct ec_err *err) EC_MUST_CHECK;

/* The ledger, in bytes. arena is the peak of values, gradients of values, workspaces and scratch
 * under sharing; the parts before sharing are told apart for reading. */
struct ec_program_memory {
    int64_t weights, buffers, gradients, optimizer;
    int64_t arena;
    int64_t values, value_gradients, workspace, scratch; /* as if nothing were shared */
    int64_t io;                                          /* inputs and targets */
    int64_t total;                                       /* weights .. arena and io */
    int64_t library; /* what the process grew by while kernels were prepared (their code): measured,
                      * not part of total; 0: not known */
};
void ec_program_memory(const struct ec_program *p, struct ec_program_memory *ret);

/* The trainer on top of programs. */
#include "engine/train.h"
/* Dense networks of src/learn, trained by programs. */
#include "engine/regress.h"

#endif
