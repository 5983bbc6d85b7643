/* Shared by the files of the trainer. */
#ifndef EC_ENGINE_TRAIN_INTERNAL_H
#define EC_ENGINE_TRAIN_INTERNAL_H

#include "engine/exchange.h"
#include "engine/program.h"

/* Sums over the batches of an epoch, or of an evaluation. */
struct ec_sums {
    double loss;    /* x counted */
    double correct; /* rows */
    double counted;
};

/* Where a run stands: all of it is in a checkpoint, so that going on gives the same numbers. */
struct ec_train_state {
    int64_t epoch, step; /* next to be run */
    int64_t updates;     /* done */
    int64_t steps;       /* done: dropout is a function of it */
    struct ec_sums sums; /* of the epoch so far */
    double best;         /* loss of validation; 0: none yet */
};

struct ec_trainer {
    struct ec_ctx *ctx;
    const struct ec_graph *g;
    const struct ec_samples *s;
    const struct ec_samples_info *info;
    const struct ec_train_opts *o;
    struct ec_group group;
    ec_train_told told;
    void *user;
    struct ec_train_result *ret;
    struct ec_program *program;
    struct ec_loader *train;
    enum ec_loss loss;
    bool has_accuracy;
    int64_t world, micro; /* micro: steps that add up to one update */
    int64_t steps_per_epoch, updates_per_epoch, total_steps;
    double lr;
    struct ec_train_state at;
    struct ec_exchange exchange;
    struct ec_update last_update;
    double last_norm;
    int64_t start_ns, train_ns; /* train_ns: in training steps of this run */
    int64_t own_steps;          /* of this run */
    int64_t step_ns, wait_ns;   /* of the last step */
    bool stop;
    bool last_is_damaged; /* the checkpoint before it is kept until a new one is there */
    void *converted;      /* tokens in the graph's integer type */
    float *output;        /* for evaluations that are not whole */
};

/* train_feed.c: from batches to the program. */
enum ec_status ec__feed_check(struct ec_trainer *t, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__feed(struct ec_trainer *t, const struct ec_batch *b,
                        struct ec_err *err) EC_MUST_CHECK;
/* Evaluates a batch and adds what it gave. */
enum ec_status ec__feed_eval(struct ec_trainer *t, const struct ec_batch *b, struct ec_sums *ret,
                             struct ec_err *err) EC_MUST_CHECK;

/* train_save.c: checkpoints. The lock holds the folder against other runs and removes what killed
 * ones left; -1 where there is none to hold. */
enum ec_status ec__train_lock(struct ec_trainer *t, int *ret_lock,
                              struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__train_save(struct ec_trainer *t, const char *name,
                              struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__train_load(struct ec_trainer *t, struct ec_err *err) EC_MUST_CHECK;

/* train_group.c: what several processes share beside their gradients. */
enum ec_status ec__group_sums(struct ec_trainer *t, struct ec_sums *s,
                              struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__group_statistics(struct ec_trainer *t, struct ec_err *err) EC_MUST_CHECK;
void ec__tell_note(struct ec_trainer *t, const char *fmt, ...) EC_PRINTF(2, 3);

bool ec__is_statistic(const struct ec_graph *g, int value);

/* --- train_opts.c --- */

/* The rate in force for an update. update: from 0; total: of the run, at least 1 */
double ec_train_rate(const struct ec_train_opts *o, double lr, int64_t update, int64_t total,
                     int64_t updates_per_epoch);

#endif
