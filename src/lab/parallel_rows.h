/* Shared by parallel_rows.c, which reads the tables of several devices, and fit_parallel.c. */
#ifndef EC_LAB_PARALLEL_ROWS_H
#define EC_LAB_PARALLEL_ROWS_H

#include "lab/fit_internal.h"
#include "model/model.h"

/* A step on several devices beside the step of one or of fewer machines (same network, precision
 * and software), or a collective. */
struct ec__parallel_row {
    struct ec_parallel_job q; /* of a collective: gradient_bytes is its size */
    struct ec_parallel_runs runs;
    bool is_step;
    enum ec_collective kind; /* of a collective */
    bool ring_only;          /* its library has no other algorithm */
    double measured_ns;
    double unseen_ns; /* a step by the predictor and the law alone; 0: not predicted */
    double weight;
    const char *source, *group, *device, *what; /* a group is left out of a fit together */
    double predicted_ns[EC_PB_COUNT];           /* by a fit without its group; 0: by none */
    struct ec_parallel_width unseen;            /* of a collective, from other devices */
};

/* Why rows are left out: X(id, what is said) */
#define EC_PARALLEL_REASONS(X)                                                                     \
    X(condition, "for what they measure")                                                          \
    X(library, "of other libraries than NCCL")                                                     \
    X(one, "of one device")                                                                        \
    X(time, "without a time")                                                                      \
    X(reference, "without a run on one device or on fewer machines")                               \
    X(unknown, "of devices or networks that are not known")                                        \
    X(other, "of several machines of what is not a GPU")                                           \
    X(implausible, "faster than perfect scaling by more than 18 %")

struct ec__parallel_rows {
    const struct ec_fit_opts *o;
    struct ec_predictor *predictor;
    struct ec_csv networks, rates; /* data/parallel_networks.csv, data/parallel_rates.csv */
    struct ec_arena a;
    struct ec__parallel_row *v;
    int n, cap;
};
/* Reads every table of data/parallel.csv. Errors: NOT_FOUND, PARSE, NOMEM */
enum ec_status ec__parallel_rows_read(struct ec__parallel_rows *r, const struct ec_fit_opts *opts,
                                      struct ec_err *err) EC_MUST_CHECK;
void ec__parallel_rows_clear(struct ec__parallel_rows *r);

#endif
