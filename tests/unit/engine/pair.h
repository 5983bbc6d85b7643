/* Two processes that train alike, in one: what the other would send is what this one has. */
#ifndef EC_TEST_PAIR_H
#define EC_TEST_PAIR_H

#include "engine/engine.h"

struct pair {
    int64_t n_sent; /* floats of gradients */
    int n_open;     /* sums that are not waited for */
};

static enum ec_status pair_sum_start(struct ec_ranks *r, float *x, int64_t n, struct ec_err *err)
{
    struct pair *p = (struct pair *)r;
    int64_t i;

    (void)err;
    for (i = 0; i < n; i++)
        x[i] *= 2;
    p->n_sent += n;
    p->n_open++;
    return EC_OK;
}

static void pair_progress(struct ec_ranks *r)
{
    (void)r;
}

static enum ec_status pair_wait(struct ec_ranks *r, struct ec_err *err)
{
    (void)err;
    ((struct pair *)r)->n_open = 0;
    return EC_OK;
}

static enum ec_status pair_sum(struct ec_ranks *r, double *x, int64_t n, struct ec_err *err)
{
    int64_t i;

    (void)r;
    (void)err;
    for (i = 0; i < n; i++)
        x[i] *= 2;
    return EC_OK;
}

static enum ec_status pair_from_first(struct ec_ranks *r, float *x, int64_t n, struct ec_err *err)
{
    (void)r;
    (void)x;
    (void)n;
    (void)err;
    return EC_OK;
}

static const struct ec_ranks_ops pair_ops = {
    .abi = EC_RANKS_ABI,
    .name = "pair",
    .sum_start = pair_sum_start,
    .progress = pair_progress,
    .wait = pair_wait,
    .sum = pair_sum,
    .from_first = pair_from_first,
};

static struct ec_group pair_group(struct pair *p)
{
    return (struct ec_group){ &pair_ops, (struct ec_ranks *)p, 0, 2 };
}

#endif
