/* A job whose devices share more than the batch, during its prediction. */
#ifndef EC_PREDICT_SHARDED_H
#define EC_PREDICT_SHARDED_H

#include "model/model.h"

/* Multiply-accumulates of a step: of the network, forward once and backward; of all pairs of
 * attention; and with what is computed again. */
struct ec__macs {
    double model, whole, hardware;
};

/* One micro-batch on a rank of the slowest stage, and what the ranks hold. */
struct ec__shard {
    struct ec_parallelism how; /* settled */
    int64_t data_parallel;
    struct ec_blocks blocks;
    int stages;
    struct ec_step step;      /* of the slowest stage, equal kernels merged, without the update */
    struct ec_step update;    /* of its share of the parameters */
    struct ec_rank slowest;   /* its graph is freed: counts alone */
    double mean_over_slowest; /* micro-batch of a stage, by the laws */
    double again_frac;        /* of forward: what runs once more in backward */
    double most_blocks;       /* of a stage */
    double sent_elems;        /* from a stage to the next, at most */
    int fullest;
    double ledger[EC_LEDGER_COUNT]; /* of that stage */
    struct ec_memory memory, first_memory;
    struct ec__macs macs; /* of a micro-batch, all stages and ranks */
};

/* sharded.c */
/* Whether the options share more than the batch, or accumulate. */
bool ec__is_sharded(const struct ec_predict_opts *o);
/* Errors: INPUT for products that do not fit the devices or the batch, with the nearest that do */
enum ec_status ec__check_sharded(const struct ec_predict_opts *o, struct ec_err *err) EC_MUST_CHECK;
/* Sets what of batch, micro-batch and accumulation follows from the others; 0 stays open. */
void ec__settle_batch(struct ec_predict_opts *own);

#endif
