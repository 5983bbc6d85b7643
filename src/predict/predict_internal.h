/* Shared inside predict: fitted numbers and loaded networks. */
#ifndef EC_PREDICT_INTERNAL_H
#define EC_PREDICT_INTERNAL_H

#include "predict/parallel.h"
#include "predict/physics.h"
#include "predict/predict.h"

/* Kinds of question with intervals of their own. */
#define EC_WIDTH_LIST(X)                                                                           \
    X(gemm)                                                                                        \
    X(conv)                                                                                        \
    X(vector)                                                                                      \
    X(rnn)                                                                                         \
    X(network)                                                                                     \
    X(network_not_gpu)                                                                             \
    X(memory)

enum ec_width_kind {
#define EC_WIDTH_ENUM(name) EC_W_##name,
    EC_WIDTH_LIST(EC_WIDTH_ENUM)
#undef EC_WIDTH_ENUM
        EC_WIDTH_COUNT
};
const char *ec__width_name(enum ec_width_kind k);
enum ec_width_kind ec__width_of_op(const struct ec_op *op);
enum ec_width_kind ec__width_of_network(const struct ec_device *d);
bool ec__is_network_kind(enum ec_width_kind kind);

/* log(measured / predicted) at 5, 50 and 95 %, over rows that the fit had not seen. */
struct ec_width {
    double lo, mid, hi;
    int n;
};

/* A width is stretched within a group of questions: those of a framework, forward or training, of a
 * manner: batched products, operators that wait in a queue and those on CPUs apart. */
struct ec_stretch {
    double lo, hi; /* factors of both sides; 0: as the kind */
};
enum ec_manner { EC_PLAIN, EC_BATCHED, EC_QUEUED, EC_ON_CPU, EC_MANNER_COUNT };
#define EC_WIDTH_GROUPS (2 * (int)EC_MANNER_COUNT * (int)EC_FRAMEWORK_COUNT)
int ec__width_group(enum ec_framework fw, const struct ec_step *step, const struct ec_device *d,
                    bool queued);
/* Nothing comes after the forward pass. */
bool ec__is_forward(const struct ec_step *step);

/* Peak of the framework's allocator: base + the most that the step holds at one moment. Peak memory
 * of the device: base + context, reserve times the sum of each kind at its own most, and workspace
 * times the largest working set of a convolution. The context and the workspace are not negative
 * and the reserve is at least 1: what is allocated is never above what the device holds. */
struct ec_memory_constants {
    double base_bytes, context_bytes, reserve_factor, workspace_factor;
};

/* How far an architecture ("sm80"), or a product of one ("a100"), lies from its specification:
 * logarithms of time factors of arithmetic and of memory. That of a product comes on top. */
struct ec_offset_fit {
    const char *key;
    double compute, memory;
    int n_sources; /* that measured it */
};

struct ec_device_fit {
    const char *key;
    int n_operators, n_networks; /* rows behind it */
    double interval_factor;      /* of networks there, beside that of their group */
};

/* What was measured: a kind of question on a device with a framework. Networks are of the class of
 * kernel that does most of their work. */
struct ec_seen_fit {
    const char *device;
    enum ec_framework framework;
    enum ec_width_kind kind;
    enum ec_kclass kclass; /* of networks */
    int n;                 /* rows */
    /* Logarithm of what the machine takes beside kernels over what its framework's constants say:
     * of benchmarks of operators, which each have a harness of their own, and of processors. */
    double launch;
};

/* The machine of a source that fed a GPU: how long it takes to issue kernels, as the logarithm of
 * its time over the reference host's. */
struct ec_host_fit {
    const char *name; /* "timm-rtx3090" */
    double launch;
};

struct ec_fitted {
    struct ec_constants c;
    struct ec_memory_constants memory;
    struct ec_width width[EC_WIDTH_COUNT][2]; /* by basis */
    struct ec_stretch stretch[EC_WIDTH_COUNT][2][EC_WIDTH_GROUPS];
    const struct ec_device_fit *devices; /* this and the lists that follow are sorted by key */
    int n_devices;
    const struct ec_offset_fit *archs, *products;
    int n_archs, n_products;
    const struct ec_seen_fit *seen;
    int n_seen;
    const struct ec_host_fit *hosts;
    int n_hosts;
    double reference_launch[EC_FRAMEWORK_COUNT]; /* of the host of networks, likewise */
    double largest_batch;                        /* of any network behind the fit */
};
const struct ec_fitted *ec__fitted(void);
/* The errors of a kind of question, within its group. */
struct ec_width ec__fitted_width(const struct ec_fitted *f, enum ec_width_kind kind,
                                 enum ec_basis basis, int group);
/* NULL when no row of the device was fitted. */
const struct ec_device_fit *ec__fitted_device(const struct ec_fitted *f, const char *key);
/* How many sources measured the product; 0: none. */
int ec__fitted_sources(const struct ec_fitted *f, const char *key);
/* What was measured of a question: the device, the framework and the kind of kernel together. */
enum ec_basis ec__fitted_basis(const struct ec_fitted *f, const char *device, enum ec_framework fw,
                               enum ec_width_kind kind, const struct ec_step *step);
/* Of the architecture and the product. Beside kernels: of networks on GPUs what the reference host
 * of the framework takes, of all others what was measured with the device, else nothing. */
void ec__fitted_offset(const struct ec_fitted *f, const struct ec_device *d, enum ec_framework fw,
                       enum ec_width_kind kind, double ret[EC_DO_COUNT]);
/* Errors: NOT_FOUND with the names that are close */
enum ec_status ec__fitted_host(const struct ec_fitted *f, const char *name, double *ret_launch,
                               struct ec_err *err) EC_MUST_CHECK;
#define EC_REFERENCE_HOST "reference"
/* Length of the product's name at the start of a key: "a100" of "a100-sxm4-40gb". */
size_t ec__product_len(const char *key);
/* The name of an architecture: "sm80", or the catalogue's word where there is no such number. */
#define EC_ARCH_BYTES 32
void ec__arch_key(const struct ec_device *d, char ret[EC_ARCH_BYTES]);
/* The class of kernel that does most of a network's work. */
enum ec_kclass ec__main_class(const struct ec_step *step);

/* A question as physics sees it: a step on a device, under conditions. */
struct ec_posed {
    const struct ec_device *device;
    const struct ec_step *step;
    const struct ec_op *op; /* NULL for a network */
    struct ec_conditions cond;
    enum ec_width_kind kind;
    bool isolated;
    double copy_bytes;
};
/* Logarithm of the step in ns, offsets being those of the device with `change` added; NaN when the
 * catalogue lacks what it needs. change: NULL for none. */
double ec__posed_log_ns(const struct ec_fitted *f, const struct ec_posed *q,
                        const double change[EC_DO_COUNT]);
/* What a change of each offset changes in it. */
void ec__posed_gradient(const struct ec_fitted *f, const struct ec_posed *q,
                        const double change[EC_DO_COUNT], double ret[EC_DO_COUNT]);
/* Variance of the logarithm that the covariance of the offsets leaves: g' C g. */
double ec__variance_along(const double g[EC_DO_COUNT],
                          const double covariance[EC_DO_COUNT][EC_DO_COUNT]);

/* Adds what the profile changes. */
void ec__profile_add(const struct ec_profile *profile, double offset[EC_DO_COUNT]);
/* Profiles that ship with the library, of machines that this project measured: the one of the
 * device and of what is asked comes in use, unless the caller has given a profile or changed
 * numbers. Errors: PARSE for one that is damaged, NOMEM */
enum ec_status ec__shipped_need(struct ec_predictor *p, const char *device,
                                const struct ec_predict_opts *o, struct ec_err *err) EC_MUST_CHECK;
/* The profile in use when it is of the device, else NULL. */
const struct ec_profile *ec__profile_of(const struct ec_predictor *p, const char *device);
/* The interval of a calibrated question: at least that of a measured device and at most that of a
 * specification.
 * unknown  share of what rows near the question leave open, 0 to 1 */
struct ec_width ec__profile_width(const struct ec_fitted *f, const struct ec_profile *profile,
                                  double unknown, const struct ec_posed *q);
/* Tells constants apart, so that a profile is not used with others than it was made with. */
void ec__constants_id(const struct ec_fitted *f, char ret[EC_PROFILE_TEXT_BYTES]);

/* A loaded network with its steps, one per mode and optimizer asked for so far. */
struct ec_loaded {
    char *key;
    struct ec_graph *graph;
    struct ec_step step[EC_MODE_COUNT][EC_OPT_COUNT];
    bool have[EC_MODE_COUNT][EC_OPT_COUNT];
    size_t bytes; /* of graph and steps */
    int64_t used;
};

/* Networks kept: so many, and so much memory; the one asked for last is always kept. */
#define EC_CACHE_MAX 128
#define EC_CACHE_MAX_BYTES ((size_t)256 << 20)
struct ec_learned;
struct ec_domain;
struct ec_gp;
struct ec_relatives;
struct ec_kept_target;
struct ec__shipped;
struct ec_predictor {
    const struct ec_fitted *fitted;
    struct ec_profile *profile;        /* in use, owned; NULL: none */
    struct ec_gp *residuals;           /* of the profile; NULL: none */
    struct ec_relatives *relatives;    /* of the question asked last; NULL: none */
    struct ec_layers *layers;          /* of the profile; NULL: none */
    bool given;                        /* the caller chose the profile */
    const struct ec__shipped *shipped; /* ... it is one of those that ship; NULL: not */
    struct ec_learned *learned;
    const struct ec_domain *domain; /* what the fit has seen: of the predictor file, else shipped */
    struct ec_domain *shipped_domain;
    struct ec_loaded *cache[EC_CACHE_MAX];
    int n_cache;
    struct ec_kept_target *kept_targets; /* NULL: none yet */
    int64_t clock;
    struct ec_buf key;
    struct ec_arena scratch; /* emptied for each question */
};
/* The network of a question, loaded or from the cache; borrowed until the next call. */
enum ec_status ec__load(struct ec_predictor *p, const char *model,
                        const struct ec_predict_opts *opts, struct ec_loaded **ret,
                        struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__loaded_step(struct ec_loaded *l, enum ec_mode mode, enum ec_optimizer opt,
                               const struct ec_step **ret, struct ec_err *err) EC_MUST_CHECK;

/* Peak memory of the device in bytes from its parts. */
double ec__memory_total(const struct ec_memory *m, const struct ec_memory_constants *c);
/* And what the framework's allocator says of it, never more. */
double ec__allocator_total(const struct ec_memory *m, const struct ec_memory_constants *c);
/* Memory parts of a network at a precision, without master weights. */
enum ec_status ec__memory_parts(const struct ec_graph *g, enum ec_mode mode, enum ec_optimizer opt,
                                enum ec_precision p, struct ec_memory *ret,
                                struct ec_err *err) EC_MUST_CHECK;

/* Paper peak of a device at a precision; roofline_ns and flop_ns of a step. */
double ec__paper_peak(const struct ec_device *d, enum ec_precision p, bool matrix);
void ec__plain_estimates(const struct ec_step *s, const struct ec_device *d, enum ec_precision p,
                         struct ec_judged *ret);

/* The question that a measured row answers. */
enum ec_status ec__measured_opts(const struct ec_measured *m, struct ec_predict_opts *ret,
                                 struct ec_err *err) EC_MUST_CHECK;

/* --- Several devices --- */
/* What is asked for each device: batch from global_batch. */
void ec__batch_of_one(const struct ec_predict_opts *given, struct ec_predict_opts *own);
/* Options that say the batch of one device; `own` holds them when the given ones do not. */
void ec__share_batch(const struct ec_predict_opts **opts, struct ec_predict_opts *own);
enum ec_strategy ec__strategy_of(const struct ec_predict_opts *o);
/* The operator that follows in an isolated step; NULL: none. */
const char *ec__activation_of(const struct ec_predict_opts *o);
/* Turns the time of one device into that of all: *step_ns is the median step before and after; *w
 * is widened by what the law does not know. Fills the members of several devices.
 * Errors: INPUT, UNSUPPORTED; those of ec_parallel_runs_parse */
struct ec_several {
    const struct ec_predict_opts *opts;
    const struct ec_device *device;
    const struct ec_step *step;
    const struct ec_memory *memory;
    double backward_share; /* of the step */
};
enum ec_status ec__several(const struct ec_several *q, double *step_ns, struct ec_width *w,
                           struct ec_prediction *r, struct ec_err *err) EC_MUST_CHECK;
/* How a note on an interval begins: it says nothing of a number that has none. */
#define EC_NOTE_INTERVAL "the interval is wide because "
EC_PRINTF(2, 3) void ec__warn(struct ec_prediction *r, const char *fmt, ...);

#endif
