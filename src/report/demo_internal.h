/* The parts of the demonstration. */
#ifndef EC_DEMO_INTERNAL_H
#define EC_DEMO_INTERNAL_H

#include "hw/hw.h"
#include "learn/learn.h"
#include "fit/fit.h"
#include "report/demo.h"

#define EC__NS_PER_S 1e9
#define EC__DEMO_DEVICE "this"
enum { EC__DEMO_TURNS = 3 };
/* From this drift on, differences between turns are larger than errors that matter. */
#define EC__DEMO_NOISY 0.1

/* The grid, and the unseen configuration between its points. */
struct ec__demo_size {
    struct ec_config_axes axes, between;
    int64_t samples;
    const char *network; /* of another design */
    int64_t batch;
    double max_flop; /* of a layer */
};

struct ec__demo {
    struct ec_measurer *m;
    const struct ec_demo_opts *o;
    const struct ec__demo_size *size;
    struct ec_demo_result *ret;
    struct ec_arena a;
    const char *table;   /* of the grid */
    const char *profile; /* of this machine, made of its layers */
    const char *unseen_table;
    const char *unseen_network[EC__DEMO_TURNS]; /* measurement files */
    int64_t start_ns;
    double grid_s, network_s; /* seconds of the first turn */
    double drift;             /* standard deviation of log(time) of repeated work */
    struct ec_sampled_list layers;
    struct ec_buf predicted; /* predictions and measurements, as CSV */
};

/* --- demo_turns.c --- */

void ec__demo_tell(const struct ec__demo *d, const char *fmt, ...) EC_PRINTF(2, 3);
bool ec__demo_stopped(const struct ec__demo *d);
/* The path of a file in the folder of all files. */
enum ec_status ec__demo_path(struct ec__demo *d, const char *name, const char **ret,
                             struct ec_err *err) EC_MUST_CHECK;

/* Measures the grid, the layers and the unseen queries, makes the profile of the layers, and sets
 * d->drift. Check afterwards whether it was stopped. Errors: INPUT when there is not enough to fit
 */
enum ec_status ec__demo_measure(struct ec__demo *d, struct ec_err *err) EC_MUST_CHECK;
/* Measures the unseen configuration, even after the budget's end. */
enum ec_status ec__demo_measure_unseen(struct ec__demo *d, struct ec_err *err) EC_MUST_CHECK;
/* Seconds: medians of the turns; 0: none */
enum ec_status ec__demo_unseen_epoch(struct ec__demo *d, double *ret,
                                     struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__demo_unseen_step(struct ec__demo *d, double *ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Mean over median time of layers that are short compared with a step of step_s seconds, at least
 * 1: the share of the processor that other processes took. It is in the time of a step, but not in
 * the median of a short layer. */
enum ec_status ec__demo_taken(struct ec__demo *d, double step_s, double *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
