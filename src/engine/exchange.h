/* The exchange of gradients in a data-parallel step: each process trains on its share of the
 * samples, and all add up their gradients before the update. */
#ifndef EC_ENGINE_EXCHANGE_H
#define EC_ENGINE_EXCHANGE_H

#include "engine/ranks.h"

struct ec_exchange {
    const struct ec_group *group; /* borrowed */
    float *start;                 /* gradients that wait for their all-reduce */
    int64_t n;
};

/* A gradient is ready: for ec_program_on_grads, with a struct ec_exchange. Errors: BACKEND */
enum ec_status ec_exchange_grads(void *exchange, float *grad, int64_t n,
                                 struct ec_err *err) EC_MUST_CHECK;
/* After backward: sends the rest and waits for all of it. One process has none. Errors: BACKEND */
enum ec_status ec_exchange_end(struct ec_exchange *x, struct ec_err *err) EC_MUST_CHECK;

#endif
