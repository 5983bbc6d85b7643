/* The fitted numbers of the library: constants, offsets of devices, widths of intervals, and which
 * sources measured which devices under which conditions. */
#ifndef EC_MODEL_FITTED_H
#define EC_MODEL_FITTED_H

#include "epochcast/predict.h"
#include "model/memory.h"
#include "model/physics.h"

/* Kinds of queries. Each has intervals and corrections of its own. */
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
const char *ec_width_name(enum ec_width_kind k);
enum ec_width_kind ec_width_of_op(const struct ec_op *op);
enum ec_width_kind ec_width_of_network(const struct ec_device *d);
bool ec_is_network_kind(enum ec_width_kind kind);

/* 5, 50 and 95 % points of log(measured / predicted) over n held-out rows. */
struct ec_width {
    double lo, mid, hi;
    int n;
};

/* Factors on the width of a kind for one group of its queries. A group is a framework, forward or
 * training, and one of enum ec_group_kind. */
struct ec_width_scale {
    double lo, hi; /* on the part below and above the median; 0: not scaled */
};
enum ec_group_kind { EC_PLAIN, EC_BATCHED, EC_QUEUED, EC_ON_CPU, EC_GROUP_KIND_COUNT };
#define EC_WIDTH_GROUPS (2 * (int)EC_GROUP_KIND_COUNT * (int)EC_FRAMEWORK_COUNT)
int ec_width_group(enum ec_framework fw, const struct ec_step *step, const struct ec_device *d,
                   bool queued);
/* Whether the step is a forward pass alone. */
bool ec_is_forward(const struct ec_step *step);

/* Offset of an architecture ("sm80") or a product ("a100") from its specification: logarithms of
 * factors on the time of arithmetic and of memory. The offset of a device is the sum of both. */
struct ec_offset_fit {
    const char *key;
    double compute, memory;
    int n_sources; /* with measurements of it */
};

struct ec_device_fit {
    const char *key;
    int n_operators, n_networks; /* rows in the fit */
    double interval_factor;      /* factor on intervals of networks, beside that of their group */
};

/* The fit has rows of this operator, or of networks, on this device with this framework: phase by
 * phase, or whole isolated steps. */
struct ec_seen_fit {
    const char *device, *op; /* op: "" for networks */
    enum ec_framework framework;
    enum ec_width_kind kind;
    /* Logarithm of the measured time beside kernels over that of the framework's constants. Only
     * for benchmarks of operators, which each have a harness of their own, and for CPUs. */
    double launch;
    bool step;
};

/* Which sources measured a kind of kernel on a product under these conditions. */
struct ec_known_fit {
    const char *arch, *product;
    enum ec_framework framework;
    enum ec_width_kind kind;
    enum ec_kclass kclass; /* of networks: the class of kernel with most of the MAC */
    enum ec_precision precision;
    enum ec_memory_format layout; /* of convolutions; of others channels-first */
    uint64_t sources;             /* one bit per source of measurements */
};

/* The host of a GPU in one source of measurements. launch: logarithm of its time to issue kernels
 * over the reference host's. */
struct ec_host_fit {
    const char *name; /* "timm-rtx3090" */
    double launch;
};

struct ec_fitted {
    struct ec_constants c;
    struct ec_memory_constants memory;
    struct ec_width width[EC_WIDTH_COUNT][2]; /* by enum ec_basis; of memory by framework: those
                                                 it is fitted to, others */
    struct ec_width_scale group_scale[EC_WIDTH_COUNT][2][EC_WIDTH_GROUPS];
    const struct ec_device_fit *devices; /* this and the other lists are sorted by key */
    int n_devices;
    const struct ec_offset_fit *archs, *products;
    int n_archs, n_products;
    const struct ec_seen_fit *seen;
    int n_seen;
    const struct ec_known_fit *known;
    int n_known;
    const struct ec_host_fit *hosts;
    int n_hosts;
    double reference_launch[EC_FRAMEWORK_COUNT]; /* of the reference host, as ec_seen_fit.launch */
    double largest_batch;                        /* largest batch of any network in the fit */
};
const struct ec_fitted *ec_fitted(void);
/* Width of a kind at a basis, scaled for the group (of ec_width_group). */
struct ec_width ec_fitted_width(const struct ec_fitted *f, enum ec_width_kind kind,
                                enum ec_basis basis, int group);
/* The width of a query at a spread of 1. The square of a side is that of the width with
 * measurements, and the share `unknown` of what a device that nobody measured adds to it. */
struct ec_width ec_width_between(const struct ec_width *measured,
                                 const struct ec_width *specification, double unknown);
/* NULL when the fit has no row of the device. */
const struct ec_device_fit *ec_fitted_device(const struct ec_fitted *f, const char *key);
/* Number of sources that measured the product; 0: none. key: of a device */
int ec_fitted_sources(const struct ec_fitted *f, const char *key);
/* Number of sources that measured the architecture, by its name ("sm80"). */
int ec_fitted_arch_sources(const struct ec_fitted *f, const char *arch);
/* How many sources measured what a query asks. Conditions are framework, precision and, of
 * convolutions, memory order; of networks only those count whose main kernels are of this class. */
struct ec_known {
    int same;    /* this product, under these conditions */
    int product; /* beside those: this product, under others */
    int sibling; /* another product of its architecture, under these conditions */
    int arch;    /* another product of its architecture, under others */
    int kind;    /* any device, under these conditions */
    int kind_by; /* any device, with this framework */
    /* Share of the difference between a width with measurements and one without: 0 for a product
     * that was measured under these conditions, 1 where nothing near was measured. It never rises
     * when a source is added. */
    double unknown;
};
struct ec_known ec_fitted_known(const struct ec_fitted *f, const struct ec_device *d,
                                const struct ec_conditions *cond, enum ec_width_kind kind,
                                const struct ec_step *step);
/* The basis in a word: measured where `unknown` is 0, related up to a half, else specification. */
enum ec_basis ec_known_basis(const struct ec_known *k);
/* What the seen rows of a row of the fit, or of a query, are compared by. product: the start of the
 * key, which the caller ends */
struct ec_known_fit ec_known_place(const struct ec_conditions *cond, enum ec_width_kind kind,
                                   const struct ec_step *step);
/* Offsets of a device for a query. Compute and memory: architecture plus product. Launch: for
 * networks on GPUs that of the framework's reference host, else that of the device's rows of the
 * operator, without any that of its kind, then of operators the means over devices, else 0.
 * op  NULL: a network */
void ec_fitted_offset(const struct ec_fitted *f, const struct ec_device *d,
                      const struct ec_conditions *cond, const struct ec_op *op,
                      double ret[EC_DO_COUNT]);
/* ret_launch: as ec_host_fit.launch. Errors: NOT_FOUND with near names */
enum ec_status ec_fitted_host(const struct ec_fitted *f, const char *name, double *ret_launch,
                              struct ec_err *err) EC_MUST_CHECK;
/* Hosts of no source: the first is the reference; EC_GRAPHS_HOST launches a step as one graph. */
#define EC_REFERENCE_HOST "reference"
#define EC_GRAPHS_HOST "graphs"
int ec_fitted_host_count(const struct ec_fitted *f);
/* i: from 0 to the count - 1 */
const struct ec_host_fit *ec_fitted_host_at(const struct ec_fitted *f, int i);
/* Length of the product's name at the start of a key: "a100" of "a100-sxm4-40gb". */
size_t ec_product_len(const char *key);
/* Name of the device's architecture: "sm80", or the catalogue's word where it has no such number.
 */
#define EC_ARCH_BYTES 32
void ec_arch_key(const struct ec_device *d, char ret[EC_ARCH_BYTES]);
/* The class of kernel with most of the MAC in the forward pass; depthwise counts as convolution,
 * attention as product. */
enum ec_kclass ec_main_class(const struct ec_step *step);
/* A copy with the constants but without devices, offsets and hosts, as if no device had been
 * measured. */
struct ec_fitted ec_fitted_bare(const struct ec_fitted *f);

#endif
