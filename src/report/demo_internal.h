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

/* The grid, and what lies between its points. */
struct ec__demo_size {
    struct ec_config_axes axes, between;
    int64_t samples;
    const char *network; /* of another kind */
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
    double grid_s, network_s; /* what the first turn took */
    double drift;             /* standard deviation of the logarithm of one piece of work */
    struct ec_sampled_list layers;
    struct ec_buf predicted; /* what was predicted and measured, as CSV */
};

/* --- demo_turns.c --- */

void ec__demo_tell(const struct ec__demo *d, const char *fmt, ...) EC_PRINTF(2, 3);
bool ec__demo_stopped(const struct ec__demo *d);
/* A name below the folder of all files. */
enum ec_status ec__demo_path(struct ec__demo *d, const char *name, const char **ret,
                             struct ec_err *err) EC_MUST_CHECK;

/* Grid, layers, what is to be predicted, and the profile that the layers make; d->drift. Check
 * whether it was stopped. Errors: INPUT when there is not enough to fit */
enum ec_status ec__demo_measure(struct ec__demo *d, struct ec_err *err) EC_MUST_CHECK;
/* The unseen configuration is predicted anyway: measured even when the budget has ended. */
enum ec_status ec__demo_measure_unseen(struct ec__demo *d, struct ec_err *err) EC_MUST_CHECK;
/* Seconds: medians of the turns; 0: none */
enum ec_status ec__demo_unseen_epoch(struct ec__demo *d, double *ret,
                                     struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__demo_unseen_step(struct ec__demo *d, double *ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* How much longer layers took in the mean than in the median, of those that are short beside a
 * step of so many seconds: what others took of the processor. The median of a short layer does not
 * show it, a step does. */
enum ec_status ec__demo_taken(struct ec__demo *d, double step_s, double *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
