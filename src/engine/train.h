/* Training: epochs over a data set, evaluation, schedules, checkpoints. The trainer prints nothing:
 * it calls back, and the status it gets in return decides whether it goes on.
 *
 * Reached by "engine/engine.h". */
#ifndef EC_ENGINE_TRAIN_H
#define EC_ENGINE_TRAIN_H

#include "dataset/dataset.h"
#include "engine/engine.h"
#include "engine/ranks.h"

enum ec_schedule { EC_SCHEDULE_CONSTANT, EC_SCHEDULE_STEP, EC_SCHEDULE_COSINE };

/* Options with a row in ec_train_fields are those of the command. Zero stands for the default where
 * a row says so. */
struct ec_train_opts {
    int64_t epochs, batch, accumulate, max_iters, seed, warmup, step_epochs;
    struct ec_conditions cond; /* a training step: optimizer, and precision fp32 or bf16 */
    enum ec_schedule schedule;
    int loss;  /* 0: by the data, else 1 + enum ec_loss */
    double lr; /* 0: usual for the optimizer */
    double momentum, weight_decay, step_factor, clip_norm, label_smoothing, huber_delta;
    bool nesterov, test;
    const char *checkpoint;   /* folder; NULL: none */
    int64_t checkpoint_every; /* updates; 0: at the end of each epoch */
    bool resume;
    int64_t workers, prefetch; /* of the loader */
    /* Not an option of the command: */
    bool steps_only; /* to time steps: validation samples are not evaluated */
};
extern const struct ec_field ec_train_fields[];

/* What the data set must give to be trained on by the network: shape, classes, kind of input. */
enum ec_status ec_train_fit_samples(const struct ec_graph *g, struct ec_samples_opts *ret,
                                    struct ec_err *err) EC_MUST_CHECK;

/* One line of the curves. Accuracies are shares; -1 where there is none. */
struct ec_train_epoch {
    int64_t epoch; /* from 1 */
    double train_loss, train_accuracy, val_loss, val_accuracy;
    double rate, grad_norm; /* at its last update; grad_norm 0 without clipping */
    double time_s, images_per_s;
    double wait_frac; /* share of the time that the data was waited for */
};

enum ec_train_event_kind {
    EC_TRAIN_START,
    EC_TRAIN_STEP,
    EC_TRAIN_EPOCH, /* an epoch ended: `last` is filled in */
    EC_TRAIN_SAVED, /* `text` is the checkpoint's path */
    EC_TRAIN_NOTE,  /* `text` is a sentence to be printed */
};
struct ec_train_event {
    enum ec_train_event_kind kind;
    int64_t epoch, step;         /* from 0: running */
    int64_t steps;               /* per epoch */
    int64_t done, total;         /* steps of the run; done counts those of earlier runs too */
    double loss, accuracy;       /* of the epoch so far; accuracy -1: none */
    int64_t step_ns, wait_ns;    /* of this step; part of it that its data was waited for */
    double images_per_s, left_s; /* by the steps of this run; left_s < 0: not known yet */
    const struct ec_train_epoch *last;
    const char *text;
};
/* Returns false to stop: the run ends as if its steps were done, after a checkpoint. */
typedef bool (*ec_train_told)(void *user, const struct ec_train_event *e);

struct ec_train_result {
    int64_t epochs, steps;           /* done, earlier runs included */
    int64_t images;                  /* trained on in this run */
    bool stopped;                    /* by the callback or max_iters, before its epochs were done */
    double test_loss, test_accuracy; /* has_test */
    bool has_test;
    double time_s;         /* of this run, evaluation included */
    double time_per_epoch; /* mean seconds over whole epochs of training in this run; 0: none */
    int64_t steps_per_epoch;
    double images_per_s; /* over the training steps of this run */
    double peak_bytes;   /* of the process; 0: not known */
    double n_params;
    struct ec_program_memory memory;
    struct ec_train_epoch *curve; /* every epoch, earlier runs included; ec_train_result_clear */
    int n_curve, cap_curve;
    int64_t *step_ns; /* of each step of this run */
    int n_steps, cap_steps;
};
void ec_train_result_clear(struct ec_train_result *r);

/* g      opened with batch = opts->batch; borrowed
 * group  NULL: alone
 * told   NULL: silent
 * Errors those of programs, the loader and the files; a checkpoint on disk is whole in any case */
enum ec_status ec_train(struct ec_ctx *ctx, const struct ec_graph *g, const struct ec_samples *s,
                        const struct ec_train_opts *opts, const struct ec_group *group,
                        ec_train_told told, void *user, struct ec_train_result *ret,
                        struct ec_err *err) EC_MUST_CHECK;

/* A training step of the processes of the group, called by all of them together: forward, backward
 * behind which gradients are added up, update by their mean. One process alone is a group, too.
 * p   compiled with separate_update
 * Errors: those of a step; BACKEND of the exchange */
enum ec_status ec_group_step(const struct ec_group *g, struct ec_program *p,
                             const struct ec_update *u, struct ec_err *err) EC_MUST_CHECK;

#endif
