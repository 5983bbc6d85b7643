/* Shared by the kernels of the cpu backend.
 *
 * A kernel is a short list of *calls* for each phase, each a primitive of oneDNN or a function of
 * ours, over places (an input, a gradient, a part of the workspace ...). The `build` of its family
 * lists them with the builder below, which also puts conversions of layout around a primitive where
 * a buffer has another layout than it wants; one `run` and one `drop` serve every kernel. */
#ifndef EC_ENGINE_CPU_INTERNAL_H
#define EC_ENGINE_CPU_INTERNAL_H

#include "engine/cpu/dnnl.h"
#include "engine/cpu/loops.h"

#define EC_CPU_REORDERS_MAX 256

struct ec__cpu {
    struct ec_ctx base;
    struct ec__dnnl *lib;
    const struct ec__loops *loops; /* for the instructions of this processor */
    /* Conversions between layouts that programs have asked for, the oldest replaced when all places
     * are taken; a step asks for them in the same order each time, so looking starts behind the one
     * found last. */
    struct ec__prim *reorders[EC_CPU_REORDERS_MAX];
    int n_reorders, last_reorder;
};

/* --- Threads --- */

/* Does items [begin, end) of a job. */
typedef void (*ec__part_fn)(const void *job, int64_t begin, int64_t end);
/* n items over the threads in contiguous parts, each a multiple of `grain` but the last; one part
 * when there is little to do. */
void ec__threads_run(const struct ec__cpu *cpu, int64_t n, int64_t grain, ec__part_fn fn,
                     const void *job);

/* --- Layouts of values and parameters --- */

/* What ec_fmt.layout points to. `plain` is the same tensor row-major, seen with the dimensions of
 * `md` (a grouped weight has one more than the graph's). */
struct ec__layout {
    const struct ec__md *md, *plain;
};

/* --- Calls --- */

enum ec__place_kind {
    EC__NOWHERE,
    EC__IN,
    EC__OUT,
    EC__D_OUT,
    EC__D_IN,
    EC__PARAM,
    EC__D_PARAM,
    EC__WS,
    EC__SCRATCH,
};
struct ec__place {
    enum ec__place_kind kind;
    int64_t at; /* index; offset in bytes for WS and SCRATCH */
};
static inline struct ec__place ec__place_at(enum ec__place_kind kind, int64_t at)
{
    struct ec__place p = { kind, at };

    return p;
}
/* A place and how it lies there. */
struct ec__buf {
    struct ec__place place;
    const struct ec__md *md;
};

struct ec__call;
/* One run of a function of ours among the calls. */
struct ec__run {
    const struct ec__cpu *cpu;
    const struct ec_knode *k;
    const void *data;
    void *const *at; /* its places, NULL where nothing is wanted */
    uint64_t seed;
    struct ec_err *err;
};
typedef enum ec_status (*ec__call_fn)(const struct ec__run *r);
struct ec__calls;

/* Lists the calls. Failure is sticky: after it every function here does nothing. */
struct ec__build {
    struct ec__cpu *cpu;
    struct ec_knode *k;
    struct ec__calls *p;
    enum ec_phase phase;
    int64_t scratch;              /* used so far in this phase */
    const struct ec_fmt **params; /* formats as the compiler gave them */
    int n_args, arg[EC_PRIM_ARGS_MAX];
    struct ec__place arg_place[EC_PRIM_ARGS_MAX];
    const char *impl;
    enum ec_status st;
    struct ec_err *err;
};
typedef void ec__build_fn(struct ec__build *b);
/* Gives the calls that `build` lists to the node. UNSUPPORTED leaves the node as it came. */
enum ec_status ec__prepare(ec__build_fn *build, struct ec_ctx *ctx, struct ec_knode *k,
                           struct ec_err *err) EC_MUST_CHECK;
/* What follows belongs to this phase; scratch starts again at 0. */
void ec__build_phase(struct ec__build *b, enum ec_phase p);
/* Says of the kernel that it runs loops of ours. */
void ec__build_loops(struct ec__build *b);
void ec__build_fail(struct ec__build *b, enum ec_status st, const char *text);
/* NULL (out of memory, a layout that cannot be) becomes a failure. */
const struct ec__md *ec__need(struct ec__build *b, const struct ec__md *md);

struct ec__place ec__ws(struct ec__build *b, int64_t bytes);
struct ec__place ec__scratch(struct ec__build *b, int64_t bytes);

/* Dense layout of a shape in the compute type. */
const struct ec__md *ec__plain(struct ec__build *b, enum ec_dtype t, int rank, const int64_t *dims);
/* Values as they arrive; views with the given dimensions when not NULL (plain values only). */
struct ec__buf ec__at_in(struct ec__build *b, int i);
struct ec__buf ec__at_out(struct ec__build *b, int i);   /* after ec__choose_out */
struct ec__buf ec__at_d_in(struct ec__build *b, int i);  /* laid out like input i */
struct ec__buf ec__at_d_out(struct ec__build *b, int i); /* laid out like output i */
void ec__choose_out(struct ec__build *b, int i, const struct ec__md *md);
/* Parameter i, taken as a tensor of `rank` dimensions `dims` that lies row-major, or by `strides`,
 * when it is plain. `want` is the layout to give it where it is still free; NULL: plain. Fails with
 * UNSUPPORTED when an earlier kernel gave it other dimensions. */
struct ec__buf ec__at_param(struct ec__build *b, int i, const struct ec__md *plain,
                            const struct ec__md *want);
struct ec__buf ec__at_d_param(struct ec__build *b, int i, const struct ec__buf *param);

/* `x` in layout `want`: itself, or a copy made at this point of the calls, in ws when it must
 * live until backward, else in scratch. */
struct ec__buf ec__as(struct ec__build *b, struct ec__buf x, const struct ec__md *want, bool in_ws);
/* A place for a result that a primitive writes in layout `made`, meant for y: y itself when the
 * layouts agree. Call ec__deliver after the primitive. */
struct ec__buf ec__stage(struct ec__build *b, struct ec__buf y, const struct ec__md *made);
void ec__deliver(struct ec__build *b, struct ec__buf staged, struct ec__buf y);

/* A copy between layouts of one shape, in this phase. */
void ec__copy(struct ec__build *b, struct ec__buf from, struct ec__buf to);

/* Makes a primitive that the list of calls owns; NULL on failure. */
struct ec__prim *ec__make(struct ec__build *b, const struct ec__prim_spec *s);
/* The same, but being unsupported is no failure: NULL. */
struct ec__prim *ec__try(struct ec__build *b, const struct ec__prim_spec *s);
const struct ec__md *ec__md_of(struct ec__build *b, const struct ec__prim *p, int arg);
/* Arguments of the call that comes next, one by one: DNNL_ARG_* of a primitive, 0 for a function. A
 * primitive's argument that is nowhere is left out. */
void ec__arg(struct ec__build *b, int arg, struct ec__place place);
/* Adds a call of a primitive; its scratchpad is placed here. */
void ec__call(struct ec__build *b, struct ec__prim *p);
/* Adds a call of a function with n places; data is copied into the program's arena. */
void ec__call_own(struct ec__build *b, ec__call_fn fn, const void *data, size_t bytes,
                  const struct ec__place *place, int n);
#define EC__CALL_OWN(b, fn, data, ...)                                                             \
    ec__call_own(b, fn, data, sizeof *(data), (const struct ec__place[]){ __VA_ARGS__ },           \
                 EC_LEN(((const struct ec__place[]){ __VA_ARGS__ })))

/* The loop that does an operator of one input; -1: there is none. */
int ec__unary_of(const struct ec_case *c);
/* dx = dy where y is above 0, else 0: n elements in the compute type. dx may be dy. */
void ec__relu_backward_call(struct ec__build *b, int64_t n, struct ec__place y, struct ec__place dy,
                            struct ec__place dx);

/* For every row. */
enum ec_status ec__cpu_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase phase,
                           const struct ec_kargs *a, struct ec_err *err);
void ec__cpu_drop(struct ec_knode *k);

/* For arguments that a primitive only reads. */
void *ec__unconst(const void *p);

/* --- Of a case --- */
/* Window of a convolution or pooling, padding worked out. */
void ec__window_of(const struct ec_case *c, bool transposed, struct ec__win *ret);
int64_t ec__elems(const struct ec_type *t);
bool ec__op_is(const struct ec_knode *k, const char *name);

/* --- What lists the calls of a kernel; kernels.c has a row for each operator --- */
/* clang-format off */
#define EC__FAMILY_LIST(X)                                                                         \
    X(add) X(attention) X(batch_norm) X(block_norm) X(broadcast) X(channel_shuffle) X(concat)      \
    X(conv) X(dropout) X(embedding) X(global_pool) X(group_norm) X(layer_norm) X(linear)           \
    X(matmul) X(mha) X(mul) X(pool) X(rnn) X(softmax) X(split) X(transpose) X(unary) X(view)
/* clang-format on */
#define EC__FAMILY_DECLARE(family) ec__build_fn ec__##family##_build;
EC__FAMILY_LIST(EC__FAMILY_DECLARE)

extern const struct ec_kernel_row ec__cpu_rows[];

#endif
