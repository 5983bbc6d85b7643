/* What processes that train together share beside their gradients (exchange.c). */
#include "engine/train_internal.h"

#include <stdarg.h>
#include <string.h>

enum ec_status ec__group_sums(struct ec_trainer *t, struct ec_sums *s, struct ec_err *err)
{
    double v[3] = { s->loss, s->correct, s->counted };

    if (t->world < 2)
        return EC_OK;
    EC_PASS(t->group.ops->sum(t->group.ranks, v, EC_LEN(v), err));
    *s = (struct ec_sums){ v[0], v[1], v[2] };
    return EC_OK;
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
        EC_PASS(ec_allocated(v, err));
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
