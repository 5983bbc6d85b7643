/* The numbers that ship: constants, offsets, widths of intervals, what was measured. */
#ifndef EC_MODEL_FITTED_H
#define EC_MODEL_FITTED_H

#include "epochcast/predict.h"
#include "model/memory.h"
#include "model/physics.h"

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
const char *ec_width_name(enum ec_width_kind k);
enum ec_width_kind ec_width_of_op(const struct ec_op *op);
enum ec_width_kind ec_width_of_network(const struct ec_device *d);
bool ec_is_network_kind(enum ec_width_kind kind);

/* log(measured / predicted) at 5, 50 and 95 %, over rows that the fit had not seen. */
struct ec_width {
    double lo, mid, hi;
    int n;
};

/* A width is scaled within a group of questions: those of a framework, forward or training, of a
 * way of running: batched products, operators that wait in a queue and those on CPUs apart. */
struct ec_width_scale {
    double lo, hi; /* factors of both sides; 0: as the kind */
};
enum ec_group_kind { EC_PLAIN, EC_BATCHED, EC_QUEUED, EC_ON_CPU, EC_GROUP_KIND_COUNT };
#define EC_WIDTH_GROUPS (2 * (int)EC_GROUP_KIND_COUNT * (int)EC_FRAMEWORK_COUNT)
int ec_width_group(enum ec_framework fw, const struct ec_step *step, const struct ec_device *d,
                   bool queued);
/* Nothing comes after the forward pass. */
bool ec_is_forward(const struct ec_step *step);

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
    struct ec_width_scale group_scale[EC_WIDTH_COUNT][2][EC_WIDTH_GROUPS];
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
const struct ec_fitted *ec_fitted(void);
/* The errors of a kind of question, within its group. */
struct ec_width ec_fitted_width(const struct ec_fitted *f, enum ec_width_kind kind,
                                enum ec_basis basis, int group);
/* NULL when no row of the device was fitted. */
const struct ec_device_fit *ec_fitted_device(const struct ec_fitted *f, const char *key);
/* How many sources measured the product; 0: none. */
int ec_fitted_sources(const struct ec_fitted *f, const char *key);
/* The same of an architecture, by its name. */
int ec_fitted_arch_sources(const struct ec_fitted *f, const char *arch);
/* What was measured of a question: the device, the framework and the kind of kernel together. */
enum ec_basis ec_fitted_basis(const struct ec_fitted *f, const char *device, enum ec_framework fw,
                              enum ec_width_kind kind, const struct ec_step *step);
/* Of the architecture and the product. Beside kernels: of networks on GPUs what the reference host
 * of the framework takes, of all others what was measured with the device, else nothing. */
void ec_fitted_offset(const struct ec_fitted *f, const struct ec_device *d, enum ec_framework fw,
                      enum ec_width_kind kind, double ret[EC_DO_COUNT]);
/* Errors: NOT_FOUND with the names that are close */
enum ec_status ec_fitted_host(const struct ec_fitted *f, const char *name, double *ret_launch,
                              struct ec_err *err) EC_MUST_CHECK;
#define EC_REFERENCE_HOST "reference"
/* Length of the product's name at the start of a key: "a100" of "a100-sxm4-40gb". */
size_t ec_product_len(const char *key);
/* The name of an architecture: "sm80", or the catalogue's word where there is no such number. */
#define EC_ARCH_BYTES 32
void ec_arch_key(const struct ec_device *d, char ret[EC_ARCH_BYTES]);
/* The class of kernel that does most of a network's work. */
enum ec_kclass ec_main_class(const struct ec_step *step);
/* The same constants, with nothing known of any device beyond its catalogue, nor of the machine
 * around it. */
struct ec_fitted ec_fitted_bare(const struct ec_fitted *f);

#endif
