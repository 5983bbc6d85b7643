/* Finds devices by key, alias, or pattern, and this machine by "this" or "local". */
#include "hw/device_internal.h"

#include <string.h>

static int count_names(const struct ec_device *d)
{
    const char *const *alias;
    int n = 1;

    for (alias = d->aliases; alias && *alias; alias++)
        n++;
    return n;
}

/* Every name of every device in folded form, for the hint; NULL when memory is out. */
static const char **folded_names(struct ec_arena *a, int *ret_count)
{
    const struct ec_device *const *all;
    const char *const *alias, **names;
    char folded[EC_DEVICE_NAME_MAX];
    int n, n_names = 0, total = 0, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        total += count_names(all[i]);
    names = ec_arena_alloc(a, sizeof *names * (size_t)total);
    for (i = 0; names && i < n; i++) {
        if (ec_device_fold(all[i]->key, folded, sizeof folded) < 0)
            continue;
        names[n_names] = ec_arena_str(a, folded);
        if (!names[n_names++])
            return NULL;
        for (alias = all[i]->aliases; alias && *alias; alias++)
            names[n_names++] = *alias;
    }
    *ret_count = n_names;
    return names;
}

/* "8xh100": the device, and how many; NULL: it is no such word */
static const struct ec_device *several(const char *folded, int *ret_n)
{
    int n = 0;

    while (*folded >= '0' && *folded <= '9' && n < 100000)
        n = 10 * n + (*folded++ - '0');
    *ret_n = n;
    return n && *folded == 'x' ? ec__device_folded(folded + 1) : NULL;
}

#define BEGIN_MANY 5 /* "cpu" begins more names than a sentence has room for */

/* Near names are found among aliases too, but what is offered are keys, each once. */
static enum ec_status not_found(const char *name, const char *folded, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    struct ec_buf hint = EC_BUF_INIT;
    const struct ec_device *offered[8], *one;
    const char *near[EC_LEN(offered)], **names;
    enum ec_status st;
    int n_names = 0, n_near = 0, n_begin = 0, n = 0, i, j, count;

    if (!err) /* tables may have many such names, which need no hint */
        return EC_E_NOT_FOUND;
    one = several(folded, &count);
    if (one)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "no device \"%.80s\"; did you mean --device %s --devices %d?", name,
                       one->key, count);
    names = folded_names(&a, &n_names);
    for (i = 0; names && i < n_names; i++)
        n_begin += ec_str_starts(names[i], folded);
    if (n_begin >= BEGIN_MANY)
        ec_buf_printf(&hint, "; \"epochcast device list '%.40s*'\" shows what begins so", folded);
    else if (names)
        n_near = ec_near_names(folded, names, n_names, near, EC_LEN(near));
    for (i = 0; i < n_near && n < 4; i++) {
        offered[n] = ec__device_folded(near[i]);
        for (j = 0; j < n && offered[j] != offered[n]; j++)
            continue;
        if (j < n || !offered[n])
            continue;
        ec_buf_printf(&hint, "%s\"%s\"", n ? ", " : "; did you mean ", offered[n]->key);
        n++;
    }
    st = ec_fail(err, EC_E_NOT_FOUND, "no device \"%.80s\" in the catalogue%s%s", name,
                 ec_buf_text(&hint),
                 n          ? "?"
                 : hint.len ? ""
                            : "; \"epochcast device list\" shows all keys");
    ec_buf_clear(&hint);
    ec_arena_clear(&a);
    return st;
}

enum ec_status ec_device_find(const char *key, const struct ec_device **ret, struct ec_err *err)
{
    char folded[EC_DEVICE_NAME_MAX];
    const struct ec_device *d;

    EC_NEED(err, key, ret);
    if (ec_device_is_file(key))
        return ec__device_read_as(key, ret, err);
    if (ec_device_fold(key, folded, sizeof folded) <= 0)
        return ec_fail(err, EC_E_NOT_FOUND, "no device \"%.80s\" in the catalogue", key);
    d = ec_str_eq(folded, "this") || ec_str_eq(folded, "local") ? ec_device_this()
                                                                : ec__device_folded(folded);
    if (!d)
        d = ec__machine_type_folded(folded);
    if (!d)
        return not_found(key, folded, err);
    *ret = d;
    return EC_OK;
}

bool ec_device_is_processor(const char *name)
{
    const struct ec_device *d = NULL;

    return !ec_device_find(name, &d, NULL) && d->kind == EC_DEV_CPU;
}

/* A pattern without '*' and '?' is a name, so that aliases work wherever a pattern may stand. */
static enum ec_status match_one(const char *name, const struct ec_device ***ret, int *ret_count,
                                struct ec_arena *a, struct ec_err *err)
{
    const struct ec_device *d = NULL, **list;

    EC_PASS(ec_device_find(name, &d, err));
    list = ec_arena_alloc(a, sizeof *list);
    EC_PASS(ec_allocated(list, err));
    list[0] = d;
    *ret = list;
    *ret_count = 1;
    return EC_OK;
}

enum ec_status ec_devices_match(const char *pattern, const struct ec_device ***ret, int *ret_count,
                                struct ec_arena *a, struct ec_err *err)
{
    const struct ec_device *const *all, **list;
    const struct ec_machine_type *types;
    int n, n_types, n_found = 0, i;
    bool is_card;

    if (ec__devices_read_as(pattern, ret, ret_count))
        return EC_OK;
    if (ec_str_ieq(pattern, "all"))
        pattern = "*";
    if (!strpbrk(pattern, "*?") || ec_device_is_file(pattern))
        return match_one(pattern, ret, ret_count, a, err);
    all = ec_devices(&n);
    types = ec_machine_types(&n_types);
    list = ec_arena_alloc(a, sizeof *list * (size_t)(n + n_types));
    EC_PASS(ec_allocated(list, err));
    for (i = 0; i < n; i++)
        if (ec_str_glob(pattern, all[i]->key))
            list[n_found++] = all[i];
    for (i = 0, is_card = n_found > 0; i < n_types && !is_card; i++) /* "dgx-*" */
        if (ec_str_glob(pattern, types[i].device->key))
            list[n_found++] = types[i].device;
    if (!n_found)
        return ec_fail(err, EC_E_NOT_FOUND, "no device key matches \"%.80s\"", pattern);
    *ret = list;
    *ret_count = n_found;
    return EC_OK;
}

static int add_once(const struct ec_device **list, int n, const struct ec_device *d)
{
    int i;

    for (i = 0; i < n; i++)
        if (list[i] == d)
            return n;
    list[n] = d;
    return n + 1;
}

enum ec_status ec_devices_named(const struct ec_strs *words, const struct ec_device ***ret,
                                int *ret_count, struct ec_arena *a, struct ec_err *err)
{
    const struct ec_device **list = NULL, **grown, **found = NULL;
    int n = 0, n_found = 0, cap = 0, i, k;

    for (i = 0; i < words->n; i++) {
        struct ec_span rest = ec_span_of(words->v[i]), word;

        while (rest.p && ec_span_cut(&rest, ',', &word)) {
            const char *name;

            word = ec_span_trim(word);
            name = ec_arena_strn(a, word.p, word.len);
            EC_PASS(ec_allocated(name, err));
            EC_PASS(ec_devices_match(name, &found, &n_found, a, err));
            if (n + n_found > cap) {
                cap = 2 * (n + n_found);
                grown = ec_arena_alloc(a, sizeof *list * (size_t)cap);
                EC_PASS(ec_allocated(grown, err));
                if (n)
                    memcpy(grown, list, sizeof *list * (size_t)n);
                list = grown;
            }
            for (k = 0; k < n_found; k++)
                n = add_once(list, n, found[k]);
        }
    }
    *ret = list;
    *ret_count = n;
    return EC_OK;
}
