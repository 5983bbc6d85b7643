/* The kinds of regressors by name: recipes, and models from and to files. */
#include "learn/learn_internal.h"

#include <string.h>

static const struct ec_regressor_kind *const kinds[] = {
#define KIND_ROW(name) &ec_regressor_##name,
    EC_REGRESSOR_LIST(KIND_ROW)
#undef KIND_ROW
};

static enum ec_status find_kind(const char *name, const struct ec_regressor_kind **ret,
                                struct ec_err *err)
{
    const char *names[EC_LEN(kinds)];
    int i;

    for (i = 0; i < EC_LEN(kinds); i++) {
        names[i] = kinds[i]->name;
        if (ec_str_eq(names[i], name)) {
            *ret = kinds[i];
            return EC_OK;
        }
    }
    return ec_fail_near(err, EC_E_NOT_FOUND, name, names, EC_LEN(names), "no regressor \"%.40s\"",
                        name);
}

enum ec_status ec_recipe_parse(const char *kind, const char *options, struct ec_arena *a,
                               struct ec_recipe *ret, struct ec_err *err)
{
    const struct ec_regressor_kind *found = NULL;

    EC_PASS(find_kind(kind, &found, err));
    return ec__recipe_of(found, options, a, ret, err);
}

/* ------------------------------------------------------------------------------------------------
 * The model file: magic, version, bytes of the rest, checksum of the rest; then the model. */

#define MAGIC "ECMODEL\n"
#define MAGIC_BYTES 8
#define VERSION 2
#define VERSION_TOLD 3 /* which rows it was fitted to stands before the model */
#define HEADER_BYTES (MAGIC_BYTES + 4 + 8 + 8)

enum ec_status ec_regressor_save(const struct ec_regressor *r, struct ec_buf *out,
                                 struct ec_err *err)
{
    const char *about = ec_regressor_about(r);
    struct ec_buf body = EC_BUF_INIT;
    enum ec_status st;

    if (about)
        ec__put_text(&body, about);
    ec__regressor_put(r, &body);
    EC_TRY(ec_buf_status(&body, err));
    ec_buf_add(out, MAGIC, MAGIC_BYTES);
    ec__put_uint(out, about ? VERSION_TOLD : VERSION, 4);
    ec__put_uint(out, body.len, 8);
    ec__put_uint(out, ec_hash(body.data, body.len), 8);
    ec_buf_add(out, body.data, body.len);
    EC_TRY(ec_buf_status(out, err));
out:
    ec_buf_clear(&body);
    return st;
}

static enum ec_status check_header(struct ec_bytes *in, const void *data, size_t len,
                                   bool *ret_told, struct ec_err *err)
{
    uint64_t body, sum;
    uint32_t version;

    if (len < HEADER_BYTES || memcmp(data, MAGIC, MAGIC_BYTES) != 0)
        return ec_fail(err, EC_E_PARSE, "not a model file: it does not begin with the mark of one");
    in->p += MAGIC_BYTES;
    in->left -= MAGIC_BYTES;
    version = (uint32_t)ec__get_uint(in, 4);
    if (version != VERSION && version != VERSION_TOLD)
        return ec_fail(err, EC_E_UNSUPPORTED, "model file of version %u, expected %d or %d",
                       (unsigned)version, VERSION, VERSION_TOLD);
    *ret_told = version == VERSION_TOLD;
    body = ec__get_uint(in, 8);
    sum = ec__get_uint(in, 8);
    if (body != in->left)
        return ec_fail(err, EC_E_PARSE, "the model file holds %llu bytes of a model, expected %llu",
                       (unsigned long long)in->left, (unsigned long long)body);
    if (sum != ec_hash(in->p, in->left))
        return ec_fail(err, EC_E_PARSE, "the model file is damaged: its checksum does not match");
    return EC_OK;
}

static const char *get_about(struct ec_bytes *in, struct ec_arena *a)
{
    int n = ec__get_count(in, 1, EC_ABOUT_MAX_BYTES), i;
    struct ec_bytes part = ec__get_part(in, (size_t)(n > 0 ? n : 0));

    for (i = 0; !in->bad && i < n; i++)
        in->bad |= part.p[i] < ' ';
    return in->bad ? NULL : ec_arena_strn(a, (const char *)part.p, (size_t)n);
}

enum ec_status ec_regressor_load(const void *data, size_t len, struct ec_regressor **ret,
                                 struct ec_err *err)
{
    struct ec_bytes in = { .p = data, .left = len, .find_kind = find_kind };
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 };
    const char *about = NULL;
    bool told = false;
    enum ec_status st;

    EC_TRY(check_header(&in, data, len, &told, err));
    if (told) {
        about = get_about(&in, &a);
        EC_TRY(ec__get_status(&in, about != NULL, err));
    }
    EC_TRY(ec__regressor_get(&in, &m, err));
    if (about)
        EC_TRY(ec_regressor_tell(m, about, err));
    if (in.left)
        EC_TRY(ec_fail(err, EC_E_PARSE, "%llu bytes after the end of the model",
                       (unsigned long long)in.left));
    *ret = m;
    m = NULL;
out:
    ec_arena_clear(&a);
    ec_regressor_free(m);
    return st;
}
