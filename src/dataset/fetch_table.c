/* What can be downloaded, from fetch.txt. */
#include "dataset/fetch_internal.h"

/* clang-format off */
#define URLS(...)  .urls = (const char *const[]){ __VA_ARGS__, NULL }
#define FILES(...) .files = (const struct ec_fetch_file[]){ __VA_ARGS__ }, \
    .n_files = (int)(sizeof((const struct ec_fetch_file[]){ __VA_ARGS__ }) / \
                     sizeof(struct ec_fetch_file))
#define MIB(n) .unpacked_bytes = (int64_t)(n) << 20

static const struct ec_fetch_set sets[] = {
#include "fetch_sets.h"
};
/* clang-format on */

const struct ec_fetch_set *ec_fetch_sets(int *ret_count)
{
    *ret_count = EC_LEN(sets);
    return sets;
}

enum ec_status ec_fetch_find(const char *name, const struct ec_fetch_set **ret, struct ec_err *err)
{
    const char *names[EC_LEN(sets)];
    int i;

    for (i = 0; i < EC_LEN(sets); i++) {
        names[i] = sets[i].name;
        if (ec_str_eq(names[i], name)) {
            *ret = &sets[i];
            return EC_OK;
        }
    }
    return ec_fail_near(err, EC_E_NOT_FOUND, name, names, EC_LEN(names),
                        "no data set \"%.60s\" to download", name);
}
