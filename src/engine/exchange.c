/* Gradients of several processes, added up in buckets while backward still computes those of
 * earlier layers. */
#include "engine/exchange.h"

#include "engine/program.h"

/* Large enough that a message is worth its latency, small enough that the first ones leave while
 * most of backward is still to come. */
#define BUCKET_ELEMS ((int64_t)1 << 20)

static enum ec_status send_bucket(struct ec_exchange *x, struct ec_err *err)
{
    float *start = x->start;
    int64_t n = x->n;

    x->start = NULL;
    x->n = 0;
    return n ? x->group->ops->sum_start(x->group->ranks, start, n, err) : EC_OK;
}

enum ec_status ec_exchange_grads(void *exchange, float *grad, int64_t n, struct ec_err *err)
{
    struct ec_exchange *x = exchange;

    if (x->n && x->start + x->n != grad)
        EC_PASS(send_bucket(x, err));
    if (!x->n)
        x->start = grad;
    x->n += n;
    if (x->n >= BUCKET_ELEMS)
        EC_PASS(send_bucket(x, err));
    x->group->ops->progress(x->group->ranks);
    return EC_OK;
}

enum ec_status ec_exchange_end(struct ec_exchange *x, struct ec_err *err)
{
    if (x->group->world < 2)
        return EC_OK;
    EC_PASS(send_bucket(x, err));
    return x->group->ops->wait(x->group->ranks, err);
}

enum ec_status ec_group_step(const struct ec_group *g, struct ec_program *p,
                             const struct ec_update *u, struct ec_err *err)
{
    struct ec_exchange x = { .group = g };
    struct ec_update own = *u;
    enum ec_status st;

    if (g->world > 1) {
        ec_program_on_grads(p, ec_exchange_grads, &x);
        own.grad_scale = u->grad_scale / g->world;
    }
    EC_TRY(ec_program_step(p, NULL, NULL, err));
    EC_TRY(ec_exchange_end(&x, err));
    EC_TRY(ec_program_update(p, &own, err));
out:
    ec_program_on_grads(p, NULL, NULL);
    return st;
}
