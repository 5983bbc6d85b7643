/* The table of data sets, from datasets.txt. */
#include "dataset/dataset.h"

/* clang-format off */
#define ALIASES(...)    .aliases = (const char *const[]){ __VA_ARGS__, NULL }
#define IMAGE(c, h, w)  .kind = EC_SAMPLE_IMAGE, .rank = 3, .shape = { c, h, w }
#define TEXT(tokens)    .kind = EC_SAMPLE_TEXT, .rank = 1, .shape = { tokens }
#define TOKENS          .kind = EC_SAMPLE_TOKEN
#define SPLIT(tr, v, t) .train = (tr), .val = (v), .test = (t)

static const struct ec_dataset datasets[] = {
#include "datasets.h"
};
/* clang-format on */

const struct ec_dataset *ec_datasets(int *ret_count)
{
    *ret_count = EC_LEN(datasets);
    return datasets;
}

static bool same_name(const char *a, const char *b)
{
    char letters[2][64];

    ec_str_letters(a, letters[0], sizeof letters[0]);
    ec_str_letters(b, letters[1], sizeof letters[1]);
    return ec_str_eq(letters[0], letters[1]);
}

static bool is_named(const struct ec_dataset *d, const char *key)
{
    const char *const *alias;

    if (same_name(d->key, key))
        return true;
    for (alias = d->aliases; alias && *alias; alias++)
        if (same_name(*alias, key))
            return true;
    return false;
}

static enum ec_status not_found(const char *key, struct ec_err *err)
{
    const char *keys[EC_LEN(datasets)];
    int i;

    for (i = 0; i < EC_LEN(datasets); i++)
        keys[i] = datasets[i].key;
    return ec_fail_near(err, EC_E_NOT_FOUND, key, keys, EC_LEN(keys),
                        "no data set \"%.80s\" in the table", key);
}

enum ec_status ec_dataset_find(const char *key, const struct ec_dataset **ret, struct ec_err *err)
{
    int i;

    for (i = 0; i < EC_LEN(datasets); i++)
        if (is_named(&datasets[i], key)) {
            *ret = &datasets[i];
            return EC_OK;
        }
    return not_found(key, err);
}
