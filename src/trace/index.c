/* Finding by a key: keys numbered as they come, and events by a number that they carry. */
#include "trace/trace_internal.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_LEAST 256

/* Room for one more key: slots are a power of two, at least twice the keys. */
static enum ec_status make_room(struct ec__index *x, struct ec_err *err)
{
    int n_slots = x->n_slots ? 2 * x->n_slots : SLOTS_LEAST, i;
    struct ec__index_slot *slot;

    if (x->n < x->n_slots / 2)
        return EC_OK;
    slot = ec_alloc(sizeof *slot * (size_t)n_slots);
    EC_PASS(ec_allocated(slot, err));
    for (i = 0; i < x->n_slots; i++) {
        uint32_t at = x->slot[i].hash;

        if (!x->slot[i].number)
            continue;
        while (slot[at &= (uint32_t)n_slots - 1].number)
            at++;
        slot[at] = x->slot[i];
    }
    ec_free(x->slot);
    x->slot = slot;
    x->n_slots = n_slots;
    return EC_OK;
}

enum ec_status ec__index_find(struct ec__index *x, const void *v, size_t size, const void *key,
                              size_t len, uint32_t *ret, struct ec_err *err)
{
    uint32_t hash = (uint32_t)ec_hash(key, len), at = hash;

    EC_PASS(make_room(x, err));
    for (; x->slot[at &= (uint32_t)x->n_slots - 1].number; at++) {
        *ret = x->slot[at].number - 1;
        if (x->slot[at].hash == hash &&
            (size ? !memcmp((const char *)v + size * *ret, key, len)
                  : ec_span_eq((struct ec_span){ key, len }, ((const char *const *)v)[*ret])))
            return EC_OK;
    }
    *ret = (uint32_t)x->n++;
    x->slot[at] = (struct ec__index_slot){ hash, *ret + 1 };
    return EC_OK;
}

enum ec_status ec__numbers_add(struct ec__numbers *l, uint32_t number, uint32_t event,
                               struct ec_err *err)
{
    EC_PASS(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err));
    l->v[l->n++] = (struct ec__numbered){ number, event };
    return EC_OK;
}

static int by_number(const void *a, const void *b)
{
    const struct ec__numbered *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

void ec__numbers_sort(struct ec__numbers *l)
{
    if (l->n)
        qsort(l->v, (size_t)l->n, sizeof *l->v, by_number);
}

uint32_t ec__numbers_find(const struct ec__numbers *l, uint32_t number)
{
    int at;

    EC__FIRST(at, l->n, l->v[mid].number >= number);
    return number && at < l->n && l->v[at].number == number ? l->v[at].event : EC_TRACE_NIL;
}
