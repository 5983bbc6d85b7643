/* Data parallel: each process trains on its share of a step; gradients are added up in buckets
 * while backward still computes those of earlier layers. */
#include "engine/train_internal.h"

#include <stdarg.h>
#include <string.h>

/* Large enough that a message is worth its latency, small enough that the first ones leave while
 * most of backward is still to come. */
#define BUCKET_ELEMS ((int64_t)1 << 20)

static enum ec_status send_bucket(struct ec_trainer *t, struct ec_err *err)
{
    struct ec_bucket b = t->bucket;

    t->bucket = (struct ec_bucket){ NULL, 0 };
    return b.n ? t->group.ops->sum_start(t->group.ranks, b.start, b.n, err) : EC_OK;
}

enum ec_status ec__group_grads(void *trainer, float *grad, int64_t n, struct ec_err *err)
{
    struct ec_trainer *t = trainer;
    struct ec_bucket *b = &t->bucket;
    enum ec_status st = EC_OK;

    if (b->n && b->start + b->n != grad)
        st = send_bucket(t, err);
    if (!b->n)
        b->start = grad;
    b->n += n;
    if (!st && b->n >= BUCKET_ELEMS)
        st = send_bucket(t, err);
    t->group.ops->progress(t->group.ranks);
    return st;
}

enum ec_status ec__group_step_end(struct ec_trainer *t, struct ec_err *err)
{
    enum ec_status st;

    if (t->world < 2)
        return EC_OK;
    EC_TRY(send_bucket(t, err));
    EC_TRY(t->group.ops->wait(t->group.ranks, err));
out:
    return st;
}

enum ec_status ec__group_sums(struct ec_trainer *t, struct ec_sums *s, struct ec_err *err)
{
    double v[3] = { s->loss, s->correct, s->counted };
    enum ec_status st;

    if (t->world < 2)
        return EC_OK;
    EC_TRY(t->group.ops->sum(t->group.ranks, v, EC_LEN(v), err));
    *s = (struct ec_sums){ v[0], v[1], v[2] };
out:
    return st;
}

bool ec__is_statistic(const struct ec_graph *g, int value)
{
    const struct ec_value *v = g->values[value];

    return v->kind == EC_V_PARAM && !v->trainable &&
           (strstr(v->name, ".running_mean") || strstr(v->name, ".running_var"));
}

/* Statistics of batches stay local while training; for evaluating and saving, those of the first
 * process count. */
enum ec_status ec__group_statistics(struct ec_trainer *t, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    float *v = NULL;
    int i;

    for (i = 0; t->world > 1 && i < t->g->n_values && !st; i++) {
        const char *name = t->g->values[i]->name;
        int64_t n = 0;

        if (!ec__is_statistic(t->g, i) || !ec_program_has(t->program, name, 'v') ||
            !ec_shape_count(&t->g->values[i]->type.shape, &n))
            continue;
        v = ec_alloc(sizeof *v * (size_t)n);
        if (!v)
            return ec_nomem(err);
        st = ec_program_read(t->program, name, 'v', v, n, err);
        if (!st)
            st = t->group.ops->from_first(t->group.ranks, v, n, err);
        if (!st)
            st = ec_program_write(t->program, name, 'v', v, n, err);
        ec_free(v);
    }
    return st;
}

/* One process speaks for all. */
void ec__tell_note(struct ec_trainer *t, const char *fmt, ...)
{
    struct ec_train_event e = { .kind = EC_TRAIN_NOTE };
    char text[512];
    va_list ap;

    if (!t->told || t->group.rank)
        return;
    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    e.text = text;
    if (!t->told(t->user, &e))
        t->stop = true;
}
