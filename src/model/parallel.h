/* Several devices of one machine train one network, each on a batch of its own, and add up their
 * gradients before the update: how long a step takes when it is known how long one device takes
 * alone. Constants are rows of EC_PARALLEL_LIST, fitted by `epochcast-lab parallel`. */
#ifndef EC_PARALLEL_H
#define EC_PARALLEL_H

#include "epochcast/predict.h"
#include "hw/hw.h"

/* clang-format off */
/* X(name, initial value, prior standard deviation of its logarithm) */
#define EC_PARALLEL_LIST(X)                                                                        \
    X(latency_ns, 15e3, 0.7)       /* of one hop of a ring */                                      \
    X(share_pcie, 0.5, 0.5)        /* of the nominal rate that collectives reach */                \
    X(share_bridge, 0.6, 0.5)                                                                      \
    X(share_nvlink, 0.6, 0.3)                                                                      \
    X(wait_ddp, 0.015, 1.0)        /* share of a step that devices wait for the slowest */         \
    X(wait_power, 0.5, 0.5)        /* how it grows: (1 - 1/N)^power */                             \
    X(tensor_dp_ns, 100e3, 1.0)    /* per device and parameter tensor, host */                     \
    X(traffic_dp, 1.0, 0.7)        /* bytes moved over bytes of parameters and gradients */        \
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

/* What is known of the job when its time on several devices is asked for. */
enum ec_parallel_basis {
    EC_PB_ALONE, /* the time of one device, measured or predicted */
    EC_PB_RUN,   /* a run on several devices as well */
    EC_PB_COUNT
};
/* log(measured / predicted) at 5, 50 and 95 % for devices that the fit had not seen. */
struct ec_parallel_width {
    double lo, mid, hi;
    int n;
};
struct ec_parallel_constants {
    double v[EC_P_COUNT];
    struct ec_parallel_width width[EC_STRATEGY_COUNT][EC_PB_COUNT];
    int most_devices; /* of any row behind the fit */
};
const struct ec_parallel_constants *ec_parallel_fitted(void);

/* A job, as one of its devices sees it. */
struct ec_parallel_job {
    enum ec_strategy strategy;
    struct ec_reach reach;
    double devices, alone_ns, backward_ns;
    double parameter_bytes, gradient_bytes, tensors;
};
struct ec_parallel_time {
    double communication_ns; /* all of it */
    double exposed_ns;       /* what the step waits for */
    double wait_ns;          /* the slowest device, and what the host adds */
    double step_ns;
};
/* devices 1: the time alone. */
void ec_parallel_time(const struct ec_parallel_job *q, const double v[EC_P_COUNT],
                      struct ec_parallel_time *ret);

/* A sum over all devices of `bytes`, by a ring. */
double ec_all_reduce_ns(const struct ec_reach *reach, double devices, double bytes,
                        const double v[EC_P_COUNT]);

/* Runs of this very job: times of a step on 1 and on `devices` devices; 0: not measured. */
struct ec_parallel_runs {
    double alone_ns, several_ns, devices;
};
/* "1=45ms,4=48.5ms". Errors: INPUT */
enum ec_status ec_parallel_runs_parse(const char *text, struct ec_parallel_runs *ret,
                                      struct ec_err *err) EC_MUST_CHECK;
/* Step on q->devices from the runs: what they cost beyond one device grows as the law says. */
double ec_parallel_from_runs(const struct ec_parallel_job *q, const struct ec_parallel_runs *runs,
                             const double v[EC_P_COUNT]);

#endif
