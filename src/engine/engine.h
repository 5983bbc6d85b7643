/* Training for real. A *plan* is compiled from a graph: kernels prepared once, formats agreed,
 * buffers placed in one arena by their lifetimes; a step walks an array of tasks. The plan is also
 * the ledger of memory. On top of it stand losses, optimizers and the trainer. */
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
/* From now on that clock counts what the calling thread takes of a processor, so that work can be
 * timed on a machine that others load. Errors: UNSUPPORTED with several threads, or on a backend
 * with a clock of its own */
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

/* --- Plans --- */

struct ec_plan;

struct ec_plan_opts {
    enum ec_mode mode;           /* TRAINING_STEP, FORWARD_BACKWARD, FORWARD */
    enum ec_optimizer optimizer; /* TRAINING_STEP */
    enum ec_dtype precision;     /* f32, bf16 (f64 by ref64 itself) */
    bool with_loss;              /* false: gradients of the outputs are given (ec_plan_set_d_out) */
    enum ec_loss loss;
    double label_smoothing, huber_delta;
    bool input_grad; /* gradients of float inputs too: single layers */
    bool accumulate; /* gradients add up until ec_plan_update */
    bool
        separate_update; /* a step has no update: ec_plan_update does it, after clipping or ranks */
    bool no_fuse;        /* every operator a task of its own, for measuring */
    bool keep_all;       /* no buffer shares memory: every value can be read (tests) */
    bool compile_only; /* its tasks and memory are asked for, it never runs: no weights are drawn */
};
/* g must outlive the plan. Errors: UNSUPPORTED (names node, operator, backend), DEVICE_MEMORY,
 * NOMEM, BACKEND */
enum ec_status ec_plan_new(struct ec_ctx *ctx, const struct ec_graph *g,
                           const struct ec_plan_opts *opts, struct ec_plan **ret,
                           struct ec_err *err) EC_MUST_CHECK;
void ec_plan_free(struct ec_plan *p);

/* Initial weights as PyTorch's defaults: by the parameter's role and fan-in; a function of the seed
 * and the parameter's name alone. Resets optimizer state and running statistics. */
enum ec_status ec_plan_init(struct ec_plan *p, uint64_t seed, struct ec_err *err) EC_MUST_CHECK;

/* Inputs by their order in the graph, plain: float32 (float64 on ref64 is converted from float32),
 * or the integer type of the graph. Copied. */
enum ec_status ec_plan_set_input(struct ec_plan *p, int input, const void *data, int64_t bytes,
                                 struct ec_err *err) EC_MUST_CHECK;
/* Random inputs and targets that the network accepts: for measuring. */
enum ec_status ec_plan_fill(struct ec_plan *p, uint64_t seed, struct ec_err *err) EC_MUST_CHECK;
/* int64_t or float, see ec_loss_target. Copied. */
enum ec_status ec_plan_set_target(struct ec_plan *p, const void *data, int64_t bytes,
                                  struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_plan_set_d_out(struct ec_plan *p, int output, const float *data, int64_t bytes,
                                 struct ec_err *err) EC_MUST_CHECK;

struct ec_step_result {
    double loss;
    int64_t correct, counted;
};
/* Forward, loss, backward; the update when the plan's mode has one and it does not accumulate.
 * u     NULL: no update
 * ret   may be NULL (nothing is then waited for on devices) */
enum ec_status ec_plan_step(struct ec_plan *p, const struct ec_update *u,
                            struct ec_step_result *ret, struct ec_err *err) EC_MUST_CHECK;
/* Forward and loss only, with running statistics and without dropout (evaluation). */
enum ec_status ec_plan_eval(struct ec_plan *p, struct ec_step_result *ret,
                            struct ec_err *err) EC_MUST_CHECK;
/* What ec_plan_step does at its end; for clipping, ranks and accumulation: there it also zeroes the
 * gradients. */
enum ec_status ec_plan_update(struct ec_plan *p, const struct ec_update *u,
                              struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_plan_grad_norm(struct ec_plan *p, double *ret, struct ec_err *err) EC_MUST_CHECK;
/* Factor on the loss's gradient: 1 / steps that add up. */
void ec_plan_set_loss_scale(struct ec_plan *p, double scale);
/* Steps done so far: dropout is a function of it. For going on where an earlier run ended. */
void ec_plan_set_step(struct ec_plan *p, uint64_t step);

/* Called after the task that completes a block of gradients, last layers first: all gradients lie
 * in one float32 block of memory, `grad` points into it. For all-reduce behind backward. */
typedef enum ec_status (*ec_plan_grads_ready)(void *user, float *grad, int64_t n,
                                              struct ec_err *err);
void ec_plan_on_grads(struct ec_plan *p, ec_plan_grads_ready fn, void *user);

/* Reading and writing by name of the graph's value, plain float32. what: 'v' value, 'g' gradient,
 * '0' '1' optimizer state. n in elements. Errors: NOT_FOUND, INPUT (size) */
enum ec_status ec_plan_read(struct ec_plan *p, const char *value, char what, float *ret, int64_t n,
                            struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_plan_write(struct ec_plan *p, const char *value, char what, const float *data,
                             int64_t n, struct ec_err *err) EC_MUST_CHECK;
/* A parameter of the plan, and whether it has that part: for listing. */
bool ec_plan_has(const struct ec_plan *p, const char *value, char what);
enum ec_status ec_plan_output(struct ec_plan *p, int output, float *ret, int64_t n,
                              struct ec_err *err) EC_MUST_CHECK;
const struct ec_graph *ec_plan_graph(const struct ec_plan *p);

/* The tasks, for measuring phases and layers: node is that of the graph, or EC_STEP_LOSS,
 * EC_STEP_OPTIMIZER. */
struct ec_task_info {
    int node;
    enum ec_phase phase;
    const char *name; /* node's name, "loss", "update", "accumulate" */
    const char *impl;
};
int ec_plan_tasks(const struct ec_plan *p);
struct ec_task_info ec_plan_task(const struct ec_plan *p, int i);
/* A step whose tasks are timed one by one (synchronised after each): ret_ns has ec_plan_tasks(). */
enum ec_status ec_plan_step_timed(struct ec_plan *p, const struct ec_update *u, int64_t *ret_ns,
                                  struct ec_err *err) EC_MUST_CHECK;
/* Runs tasks [first, last) again on what lies in the buffers: single phases of a layer. */
enum ec_status ec_plan_run_tasks(struct ec_plan *p, int first, int last, const struct ec_update *u,
                                 struct ec_err *err) EC_MUST_CHECK;

/* The ledger, in bytes. arena is the peak of values, gradients of values, workspaces and scratch
 * under sharing; the parts before sharing are told apart for reading. */
struct ec_plan_memory {
    int64_t weights, buffers, gradients, optimizer;
    int64_t arena;
    int64_t values, value_gradients, workspace, scratch; /* as if nothing were shared */
    int64_t io;                                          /* inputs and targets */
    int64_t total;                                       /* weights .. arena and io */
    int64_t library; /* what the process grew by while kernels were prepared (their code): measured,
                      * not part of total; 0: not known */
};
void ec_plan_memory(const struct ec_plan *p, struct ec_plan_memory *ret);

/* The trainer on top of plans. */
#include "engine/train.h"
/* Dense networks of src/learn, trained by plans. */
#include "engine/regress.h"

#endif
