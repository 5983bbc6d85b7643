/* Time of a data-parallel step on several devices of one machine, from the time of one device
 * alone. Each device has its own batch; gradients are added up before the update. The constants are
 * rows of EC_PARALLEL_LIST, fitted by `epochcast-lab parallel`. */
#ifndef EC_PARALLEL_H
#define EC_PARALLEL_H

#include "epochcast/predict.h"
#include "hw/hw.h"

/* clang-format off */
/* X(name, initial value, prior standard deviation of its logarithm) */
#define EC_PARALLEL_LIST(X)                                                                        \
    X(latency_ns, 15e3, 0.7)       /* of one hop of a ring */                                      \
    X(share_pcie, 0.5, 0.5)        /* collectives' share of the link's nominal rate */             \
    X(share_bridge, 0.6, 0.5)                                                                      \
    X(share_nvlink, 0.6, 0.3)                                                                      \
    X(wait_ddp, 0.015, 1.0)        /* share of a step that devices wait for the slowest */         \
    X(wait_power, 0.5, 0.5)        /* wait grows as (1 - 1/N)^power */                             \
    X(tensor_dp_ns, 100e3, 1.0)    /* host time per device and parameter tensor */                 \
    X(traffic_dp, 1.0, 0.7)        /* bytes moved per byte of parameter and gradient */            \
    X(sync_mirrored_ns, 1.5e6, 0.7)                                                                \
    X(wait_mirrored, 0.05, 1.0)
/* clang-format on */

extern const char *const ec_strategy_names[]; /* NULL-terminated */

enum ec_parallel_index {
#define EC_PARALLEL_ENUM(name, init, sd) EC_P_##name,
    EC_PARALLEL_LIST(EC_PARALLEL_ENUM)
#undef EC_PARALLEL_ENUM
        EC_P_COUNT
};

/* What a prediction for several devices starts from. */
enum ec_parallel_basis {
    EC_PB_ALONE, /* the time of one device, measured or predicted */
    EC_PB_RUN,   /* and a measured run on several devices */
    EC_PB_COUNT
};
/* 5, 50 and 95 % points of log(measured / predicted) on devices that were left out of the fit; n
 * rows. */
struct ec_parallel_width {
    double lo, mid, hi;
    int n;
};
struct ec_parallel_constants {
    double v[EC_P_COUNT];
    struct ec_parallel_width width[EC_STRATEGY_COUNT][EC_PB_COUNT];
    int most_devices; /* largest number of devices in the rows of the fit */
};
const struct ec_parallel_constants *ec_parallel_fitted(void);

/* A job from the side of one device. alone_ns is its step without the others, backward_ns the
 * backward pass in it; tensors counts parameter tensors. */
struct ec_parallel_job {
    enum ec_strategy strategy;
    struct ec_reach reach;
    double devices, alone_ns, backward_ns;
    double parameter_bytes, gradient_bytes, tensors;
};
struct ec_parallel_time {
    double communication_ns; /* all of it */
    double exposed_ns;       /* the part that the step waits for */
    double wait_ns;          /* waiting for the slowest device and for the host */
    double step_ns;
};
/* Splits the time of a step into its parts. With 1 device it is alone_ns. */
void ec_parallel_time(const struct ec_parallel_job *q, const double v[EC_P_COUNT],
                      struct ec_parallel_time *ret);

/* Time in ns of a ring all-reduce of `bytes`. */
double ec_all_reduce_ns(const struct ec_reach *reach, double devices, double bytes,
                        const double v[EC_P_COUNT]);

/* Measured steps of this job in ns, on 1 device and on `devices` devices; 0: not measured. */
struct ec_parallel_runs {
    double alone_ns, several_ns, devices;
};
/* Parses "1=45ms,4=48.5ms". Errors: INPUT */
enum ec_status ec_parallel_runs_parse(const char *text, struct ec_parallel_runs *ret,
                                      struct ec_err *err) EC_MUST_CHECK;
/* Time in ns of a step on q->devices. The measured cost beyond one device is scaled from
 * runs->devices to q->devices as ec_parallel_time predicts. */
double ec_parallel_from_runs(const struct ec_parallel_job *q, const struct ec_parallel_runs *runs,
                             const double v[EC_P_COUNT]);

#endif
