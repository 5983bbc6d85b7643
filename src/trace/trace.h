/* Profiler traces: what ran, the budget of its steps, and each operator beside its prediction.
 *
 * A trace is one table of events in time order of the file, with names in a pool. Readers fill it
 * (kineto.c), the rest of this folder only reads it. Times are in nanoseconds; those of one file
 * have one origin. docs/trace.md */
#ifndef EC_TRACE_H
#define EC_TRACE_H

#include "predict/predict.h"
#include "tables/tables.h"

enum ec_trace_kind {
    EC_TRACE_NONE,       /* refused */
    EC_TRACE_OP,         /* an operator of the framework, on the host */
    EC_TRACE_LAUNCH,     /* a call that puts work into a queue of the device */
    EC_TRACE_SYNC,       /* a call that waits for the device */
    EC_TRACE_RANGE,      /* an annotation: a step, a loader's wait, the optimizer */
    EC_TRACE_MODULE,     /* forward of a module */
    EC_TRACE_PROFILER,   /* the profiler's own work on the host */
    EC_TRACE_KERNEL,     /* from here on of a device */
    EC_TRACE_COLLECTIVE, /* a kernel that waits for other devices */
    EC_TRACE_COPY,
    EC_TRACE_FILL
};

#define EC_TRACE_NIL UINT32_MAX /* no event, no name */

#define EC_TRACE_LANES_MOST 0xffff /* events of further ones are of the last */
/* 32 bytes, since there are millions of them. */
struct ec_trace_event {
    int64_t start_ns, dur_ns;
    uint32_t what;     /* of struct ec_trace.what */
    uint32_t external; /* the operator, also on its launches and kernels; 0: none */
    /* LAUNCH and device: the correlation. OP: autograd's sequence, the same forward and backward.
     * 0: none */
    uint32_t link;
    uint16_t lane; /* thread or stream */
    uint8_t kind;  /* enum ec_trace_kind */
};

/* The name, and what operators and collectives say of their arguments, as JSON text:
 * "[[32,3,224,224],[]]"; EC_TRACE_NIL: nothing. Equal ones are one. Of collectives: name, type,
 * number of elements, size of the group. */
struct ec_trace_what {
    uint32_t name, dims, types, values, strides;
};

struct ec_trace {
    struct ec_trace_event *v; /* n */
    int n, cap;
    struct ec_trace_what *what;
    int n_what, cap_what;
    const char **text; /* names, and the arguments of operators */
    int n_text, cap_text;
    struct ec_trace_lane {
        uint32_t process, thread; /* texts */
        uint32_t of_device;       /* 1, or 0 */
    } * lane;
    int n_lanes, cap_lanes;
    char device[128];    /* its own name, "NVIDIA H100 80GB HBM3"; "": not said */
    int64_t base_ns;     /* the clock of the file where start_ns is 0 */
    int64_t rank, ranks; /* ranks 0: not said */
    int gpu, n_gpus;     /* of a database: which of its devices, each a rank, this is */
    bool with_stack;
    bool has_device; /* it has work of a device */
    /* What the file holds beside: */
    int64_t n_seen;    /* events read, of all kinds */
    int64_t n_odd;     /* without a time or with one that is no number: left out */
    int64_t n_refused; /* of a device, with durations that reach far into what follows */
    bool is_cut;       /* the file ends early: what came before is here */
    bool is_stopped;   /* reading was interrupted */
    char cut[160];     /* where, in words */
    int64_t file_bytes, text_bytes; /* on disk; unpacked, as far as it was read */
    struct ec_arena arena;
    struct ec__trace_pool *pool; /* while reading */
};

/* Called about every 16 MB of the file; false stops the reading. */
typedef bool (*ec_trace_progress)(void *arg, int64_t done_bytes, int64_t of_bytes);

/* Reads a trace of Kineto or Chrome, plain or gzip: events are taken one at a time, so that memory
 * holds the table and no text. What is cut off is used as far as it goes, and says so (is_cut).
 * gpu       which of the devices of a database, of which ret->n_gpus says the number
 * progress  NULL: none
 * Errors    NOT_FOUND, IO; PARSE: no trace, or none of its events has a time */
enum ec_status ec_trace_read(const char *path, int gpu, ec_trace_progress progress, void *arg,
                             struct ec_trace *ret, struct ec_err *err) EC_MUST_CHECK;
/* The same of bytes in memory. */
enum ec_status ec_trace_parse(const void *data, size_t len, struct ec_trace *ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_trace_clear(struct ec_trace *t);

static inline const char *ec_trace_text(const struct ec_trace *t, uint32_t id)
{
    return id == EC_TRACE_NIL ? "" : t->text[id];
}
static inline const char *ec_trace_name(const struct ec_trace *t, const struct ec_trace_event *e)
{
    return t->text[t->what[e->what].name];
}
static inline int64_t ec_trace_end(const struct ec_trace_event *e)
{
    return e->start_ns + e->dur_ns;
}
static inline bool ec_trace_of_device(const struct ec_trace_event *e)
{
    return e->kind >= EC_TRACE_KERNEL;
}

/* --- What belongs to what (join.c) --- */

/* For each event the one that it belongs to, EC_TRACE_NIL: none. Work of a device belongs to its
 * launch, or where that is missing to the operator that it names; a launch and an operator belong
 * to the operator or module around them on their thread. */
enum ec_status ec_trace_join(const struct ec_trace *t, uint32_t **ret_up,
                             struct ec_err *err) EC_MUST_CHECK;

/* --- Steps and their budget (steps.c, budget.c) --- */

/* Parts of a step that exclude each other and add up to it: X(id, label). */
#define EC_TRACE_PART_LIST(X)                                                                      \
    X(compute, "compute")                                                                          \
    X(communication, "communication, exposed")                                                     \
    X(copies, "copies, exposed")                                                                   \
    X(loader, "idle: waits for the data loader")                                                   \
    X(sync, "idle: the host synchronises")                                                         \
    X(host, "idle: the host launches too late")                                                    \
    X(profiler, "idle: the profiler's own work")                                                   \
    X(other, "idle: other")
#define EC_TRACE_PART_ENUM(id, label) EC_TRACE_PART_##id,
enum ec_trace_part { EC_TRACE_PART_LIST(EC_TRACE_PART_ENUM) EC_TRACE_PARTS };
#undef EC_TRACE_PART_ENUM
extern const char *const ec_trace_part_labels[EC_TRACE_PARTS];

struct ec_trace_step {
    int64_t from_ns, to_ns;
    double part_ns[EC_TRACE_PARTS];
    double loading_ns; /* in which the host waited for the loader, whatever the device did */
};
static inline double ec_trace_step_ns(const struct ec_trace_step *s)
{
    return (double)(s->to_ns - s->from_ns);
}

struct ec_trace_steps {
    struct ec_trace_step *v; /* n, one behind the other */
    int n;
    int n_out;       /* the first so many stand for no other: caches and choices of kernels */
    int median;      /* of the others, by duration */
    int32_t *of;     /* by event of a device: its step; -1: before the first; n: after the last */
    char found[120]; /* how, in words */
    bool has_loader_workers; /* loading is another process's */
};
static inline const struct ec_trace_step *ec_trace_median(const struct ec_trace_steps *s)
{
    return &s->v[s->median];
}
/* Whether an event of a device is of a step that counts. */
static inline bool ec_trace_counts(const struct ec_trace_steps *s, uint32_t event)
{
    return s->of[event] >= s->n_out && s->of[event] < s->n;
}
/* A step reaches from where the host begins it, or from where the device ends what was launched
 * before if that is later, to the same point of the next. */
enum ec_status ec_trace_find_steps(const struct ec_trace *t, const uint32_t *up,
                                   struct ec_trace_steps *ret, struct ec_err *err) EC_MUST_CHECK;
void ec_trace_steps_clear(struct ec_trace_steps *s);
/* Fills part_ns and loading_ns. docs/trace.md says how idle time is told apart. */
enum ec_status ec_trace_budget(const struct ec_trace *t, const uint32_t *up,
                               struct ec_trace_steps *s, struct ec_err *err) EC_MUST_CHECK;

/* --- Operators beside their predictions (operators.c) --- */

/* UNKNOWN: of a kernel that no operator launched. */
enum ec_trace_way { EC_TRACE_FORWARD, EC_TRACE_BACKWARD, EC_TRACE_UPDATE, EC_TRACE_UNKNOWN };
extern const char *const ec_trace_way_words[]; /* by enum ec_trace_way; NULL: UNKNOWN */
enum ec_trace_mapped {
    EC_TRACE_MAPPED,    /* an operator of ours */
    EC_TRACE_BY_BYTES,  /* none of ours: by what it moves */
    EC_TRACE_NOT_MAPPED /* no operator, or its shapes are not known */
};

/* Calls of one operator with the same arguments, in the steps that count. */
struct ec_trace_op {
    const char *name;   /* "aten::addmm"; of kernels without an operator that of the kernel */
    const char *label;  /* for people: the case, "copy_ of 8.00 MiB", "product bf16 128x64" */
    const char *kernel; /* that takes most of its time */
    const char *kind;   /* "convolution", "norm" */
    const char *text;   /* the case; NULL: not mapped */
    const char *where;  /* a module that calls it; NULL: not known */
    const char *why;    /* not mapped; NULL: mapped */
    enum ec_trace_way way;
    int phase; /* enum ec_phase that a call is; EC_PHASE_COUNT: both gradients; -1: not known */
    enum ec_trace_mapped mapped;
    enum ec_precision precision;
    bool channels_last;
    int64_t calls, kernels;          /* in all steps that count */
    double measured_ns;              /* of all calls */
    struct ec_interval predicted_ns; /* of one call; NaN: none */
    double roofline_ns;              /* of one call, at the peaks of the data sheet */
    double recoverable_ns;           /* of a step: what is above the median, where above 95 % */
    double elems;                    /* of a call: read, written, parameters */
    uint32_t group;                  /* its number before they were ordered */
};
/* A call in the median step. */
struct ec_trace_call {
    uint32_t event;  /* the operator; the kernel, where it has none */
    uint32_t number; /* of autograd, the same of a call and of its backward; 0: none */
    int op;          /* of struct ec_trace_ops.v */
    int forward;     /* of backward: the call that it goes back through; -1: not known */
    double ns;       /* of its kernels */
};
struct ec_trace_ops {
    struct ec_trace_op *v; /* n, by recoverable time, then by time */
    int n;
    struct ec_trace_call *call; /* n_calls, in the order of the host */
    int n_calls, cap_calls;
    const char **kind;     /* by text: of the kernel or copy of that name; NULL: none is counted */
    int n_steps;           /* that count */
    double kernels_ns;     /* of a step: kernels but collectives */
    double mapped_ns[3];   /* by enum ec_trace_mapped, of a step */
    double collective_ns;  /* of a step */
    double inside_frac;    /* of mapped operators with an interval: inside 90 % */
    double median_error;   /* of these, predicted over measured */
    double mean_error;     /* likewise, weighted by time */
    double predicted_ns;   /* of a step: medians of what is mapped */
    double compared_ns;    /* what that took */
    bool float_parameters; /* gradients are collected in float32 */
    bool is_old;           /* values of arguments are not recorded: before PyTorch 2 */
    struct ec_arena arena;
};
/* The device's key in the catalogue by the name that its driver gives; NULL: none is like it. */
const char *ec_trace_device(const struct ec_trace *t);
/* device  a key; NULL: nothing is predicted */
enum ec_status ec_trace_operators(const struct ec_trace *t, const uint32_t *up,
                                  const struct ec_trace_steps *s, struct ec_predictor *p,
                                  const char *device, struct ec_trace_ops *ret,
                                  struct ec_err *err) EC_MUST_CHECK;
void ec_trace_ops_clear(struct ec_trace_ops *o);

/* What the median step computes, by the kinds of its operators, the longest first. Where kernels
 * overlap, the time of each is less by the same factor, so that they add up to compute. What has no
 * prediction is as long as it took. */
#define EC_TRACE_KINDS_MOST 24 /* of data/kernels.csv */
struct ec_trace_share {
    const char *kind;
    double ns, predicted_ns;
    bool is_predicted; /* any of it */
};
int ec_trace_by_kind(const struct ec_trace_steps *s, const struct ec_trace_ops *o,
                     struct ec_trace_share ret[EC_TRACE_KINDS_MOST]);

/* --- The trace of a network (layers.c) --- */

/* A node of the network beside the call that runs it, or either alone. */
struct ec_trace_layer {
    const char *name; /* of the node; NULL: the network has none */
    const char *kind; /* "linear, matmul", "copies", "update" */
    bool is_paired;
    double measured_ns[3], predicted_ns[3]; /* by enum ec_trace_way; of the median step */
};
/* Pairs calls and nodes of one kind and size in their order, then those of one kind that are left.
 * What only the trace has is behind the nodes, the last of ret are autocast's casts and the update.
 * times  as many times the samples of the trace are those of l */
enum ec_status ec_trace_layers(const struct ec_trace_ops *o, const struct ec_step_layers *l,
                               double times, struct ec_arena *a, struct ec_trace_layer **ret,
                               int *ret_n, struct ec_err *err) EC_MUST_CHECK;

/* --- Several ranks (ranks.c) --- */

/* A rank: its trace, and of its collectives in a step what is transfer and what is waiting for the
 * rank that comes last. */
struct ec_trace_rank {
    const struct ec_trace *trace;
    const struct ec_trace_steps *steps;
    double transfer_ns, waiting_ns;
    double waited_for_ns; /* that all others wait for it */
    int64_t times_last;
};
/* Matches the collectives of the ranks one by one in their order, as far as their names agree.
 * ret_matched  how many; ret_other: those that are left */
enum ec_status ec_trace_ranks(struct ec_trace_rank *r, int n, int *ret_matched, int *ret_other,
                              struct ec_err *err) EC_MUST_CHECK;

/* --- Conditions (conditions.c) --- */
struct ec_trace_said {
    int64_t batch, seq_len, image; /* 0: not seen */
    bool is_list;                  /* seq_len is of all samples together, taken as one */
    struct ec_conditions cond;     /* optimizer none: no optimizer steps */
};
/* What the shapes and names of a trace say of the run. */
void ec_trace_conditions(const struct ec_trace *t, const struct ec_trace_ops *o,
                         struct ec_trace_said *ret);

/* --- A file and all that is found in it (rows.c) --- */
struct ec_traced {
    const char *path;
    struct ec_trace trace;
    uint32_t *up;
    struct ec_trace_steps steps;
    const char *device; /* of the predictions; NULL: none */
    struct ec_trace_ops ops;
    struct ec_trace_said said;
};
/* device  NULL: that of the trace. p  NULL: nothing is predicted. A reading that was stopped
 *         (trace.is_stopped) has nothing else */
enum ec_status ec_traced_read(const char *path, int gpu, ec_trace_progress progress, void *arg,
                              struct ec_predictor *p, const char *device, struct ec_traced *ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_traced_clear(struct ec_traced *f);
/* Writes the median step as measured and as predicted, for Perfetto; packed where the name ends in
 * ".gz". Errors: IO */
enum ec_status ec_trace_tracks(const struct ec_traced *f, const char *path,
                               struct ec_err *err) EC_MUST_CHECK;
/* For struct ec_table_given: a trace as a measurement file. Each operator with its phase is a row,
 * its time the mean of all calls; with a given model the steps are one more. No columns: the file
 * is no trace. */
enum ec_status ec_trace_table(const struct ec_table_given *given, struct ec_csv *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
