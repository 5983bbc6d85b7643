/* Ids of texts, kept in memory while rows are written. */
#include "store/store_internal.h"

#include <string.h>

/* A dictionary that has grown beyond this is emptied: it only saves queries. */
#define DICT_MAX_BYTES ((size_t)256 << 20)

void ec__dict_clear(struct ec_dict *d)
{
    ec_free(d->slot);
    ec_arena_clear(&d->arena);
    memset(d, 0, sizeof *d);
}

static struct ec_dict_slot *dict_slot(const struct ec_dict *d, const char *text, uint64_t hash)
{
    int64_t i = (int64_t)(hash & (uint64_t)(d->cap - 1));

    while (d->slot[i].text && (d->slot[i].hash != hash || !ec_str_eq(d->slot[i].text, text)))
        i = (i + 1) & (d->cap - 1);
    return &d->slot[i];
}

bool ec__dict_find(const struct ec_dict *d, const char *text, int64_t *ret_id)
{
    const struct ec_dict_slot *slot;

    if (!d->cap)
        return false;
    slot = dict_slot(d, text, ec_hash(text, strlen(text)));
    if (!slot->text)
        return false;
    *ret_id = slot->id;
    return true;
}

static enum ec_status dict_grow(struct ec_dict *d, struct ec_err *err)
{
    struct ec_dict_slot *old = d->slot;
    int64_t old_cap = d->cap, i;

    d->slot = ec_alloc(sizeof *d->slot * (size_t)(old_cap ? 2 * old_cap : 64));
    if (!d->slot) {
        d->slot = old;
        return ec_nomem(err);
    }
    d->cap = old_cap ? 2 * old_cap : 64;
    for (i = 0; i < old_cap; i++)
        if (old[i].text)
            *dict_slot(d, old[i].text, old[i].hash) = old[i];
    ec_free(old);
    return EC_OK;
}

enum ec_status ec__dict_add(struct ec_dict *d, const char *text, int64_t id, struct ec_err *err)
{
    struct ec_dict_slot *slot;
    uint64_t hash = ec_hash(text, strlen(text));

    if (d->arena.used_bytes > DICT_MAX_BYTES)
        ec__dict_clear(d);
    if (2 * (d->n + 1) > d->cap)
        EC_PASS(dict_grow(d, err));
    slot = dict_slot(d, text, hash);
    if (slot->text)
        return EC_OK;
    slot->text = ec_arena_str(&d->arena, text);
    EC_PASS(ec_allocated(slot->text, err));
    slot->hash = hash;
    slot->id = id;
    d->n++;
    return EC_OK;
}
