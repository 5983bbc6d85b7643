/* Loading, saving and applying the learned corrections. */
#include "predict/learned.h"
#include "predict/features.h"
#include "predict/network_features.h"

#include "predictor_file.h"

#include <math.h>
#include <string.h>

#define MAGIC "EPOCHPRD"
#define VERSION 2
#define VERSION_WITHOUT_RANGES 1
#define MAGIC_BYTES 8
#define MODEL_MAX_BYTES ((uint64_t)8 << 20)
/* No correction beyond a factor of this much: trees do not extrapolate, and neither do we. */
#define LARGEST_CORRECTION 1.5

static void put_u64(struct ec_buf *out, uint64_t v)
{
    unsigned char b[8];
    int i;

    for (i = 0; i < 8; i++)
        b[i] = (unsigned char)(v >> (8 * i));
    ec_buf_add(out, b, sizeof b);
}

/* Bytes still to be read; a read past the end is a failure that stays. */
struct reader {
    const unsigned char *p;
    size_t left;
    bool bad;
};

static uint64_t get_u64(struct reader *r)
{
    uint64_t v = 0;
    int i;

    if (r->left < 8) {
        r->bad = true;
        return 0;
    }
    for (i = 0; i < 8; i++)
        v |= (uint64_t)r->p[i] << (8 * i);
    r->p += 8;
    r->left -= 8;
    return v;
}

/* Shares are written as parts of 2^32. */
static double get_share(struct reader *r)
{
    return (double)(get_u64(r) & 0xffffffffu) / 4294967295.0;
}

static uint64_t share_bits(double share)
{
    return (uint64_t)(share * 4294967295.0 + 0.5);
}

void ec_learned_free(struct ec_learned *l)
{
    int i;

    if (!l)
        return;
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        ec_regressor_free(l->kind[i].model);
    ec_buf_clear(&l->ranges);
    ec_domain_clear(&l->domain);
    ec_free(l);
}

static enum ec_status read_model(struct reader *r, struct ec_learned *l, struct ec_err *err)
{
    uint64_t kind = get_u64(r), len;
    double share[2];

    share[0] = get_share(r);
    share[1] = get_share(r);
    len = get_u64(r);
    if (r->bad || kind >= EC_WIDTH_COUNT || len > r->left || len > MODEL_MAX_BYTES ||
        l->kind[kind < EC_WIDTH_COUNT ? kind : 0].model)
        return ec_fail(err, EC_E_PARSE, "predictor file: a model's header is damaged");
    memcpy(l->kind[kind].share, share, sizeof share);
    r->p += len;
    r->left -= len;
    return ec_regressor_load(r->p - len, (size_t)len, &l->kind[kind].model, err);
}

static enum ec_status read_ranges(struct reader *r, struct ec_learned *l, struct ec_err *err)
{
    uint64_t len = get_u64(r);
    enum ec_status st;

    if (r->bad || !len || len > r->left)
        return ec_fail(err, EC_E_PARSE, "predictor file: the ranges are damaged");
    EC_TRY(ec_domain_parse((const char *)r->p, (size_t)len, &l->domain, err));
    ec_buf_add(&l->ranges, r->p, (size_t)len);
    EC_TRY(ec_buf_status(&l->ranges, err));
    r->p += len;
    r->left -= len;
out:
    return st;
}

enum ec_status ec_learned_load(const void *data, size_t len, struct ec_learned **ret,
                               struct ec_err *err)
{
    struct reader r = { data, len, false };
    struct ec_learned *l = ec_alloc(sizeof *l);
    enum ec_status st = EC_OK;
    uint64_t n, version;

    if (!l)
        return ec_nomem(err);
    if (len < MAGIC_BYTES || memcmp(data, MAGIC, MAGIC_BYTES) != 0)
        EC_TRY(ec_fail(err, EC_E_PARSE, "not a predictor file"));
    r.p += MAGIC_BYTES;
    r.left -= MAGIC_BYTES;
    version = get_u64(&r);
    n = get_u64(&r);
    if (!r.bad && (version < VERSION_WITHOUT_RANGES || version > VERSION))
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED,
                       "predictor file of version %llu, this program reads up to %d",
                       (unsigned long long)version, VERSION));
    if (r.bad || n > EC_WIDTH_COUNT)
        EC_TRY(ec_fail(err, EC_E_PARSE, "predictor file: the header is damaged"));
    while (n--)
        EC_TRY(read_model(&r, l, err));
    if (version > VERSION_WITHOUT_RANGES)
        EC_TRY(read_ranges(&r, l, err));
    if (r.left)
        EC_TRY(ec_fail(err, EC_E_PARSE, "predictor file: %zu bytes too many", r.left));
    *ret = l;
    l = NULL;
out:
    ec_learned_free(l);
    return st;
}

enum ec_status ec_learned_save(const struct ec_learned *l, struct ec_buf *out, struct ec_err *err)
{
    struct ec_buf one = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    uint64_t n = 0;
    int i;

    for (i = 0; i < EC_WIDTH_COUNT; i++)
        n += l->kind[i].model != NULL;
    ec_buf_add(out, MAGIC, MAGIC_BYTES);
    put_u64(out, l->ranges.len ? VERSION : VERSION_WITHOUT_RANGES);
    put_u64(out, n);
    for (i = 0; i < EC_WIDTH_COUNT; i++) {
        if (!l->kind[i].model)
            continue;
        ec_buf_reset(&one);
        EC_TRY(ec_regressor_save(l->kind[i].model, &one, err));
        put_u64(out, (uint64_t)i);
        put_u64(out, share_bits(l->kind[i].share[0]));
        put_u64(out, share_bits(l->kind[i].share[1]));
        put_u64(out, one.len);
        ec_buf_add(out, one.data, one.len);
    }
    if (l->ranges.len) {
        put_u64(out, l->ranges.len);
        ec_buf_add(out, l->ranges.data, l->ranges.len);
    }
    EC_TRY(ec_buf_status(out, err));
out:
    ec_buf_clear(&one);
    return st;
}

int ec__learned_columns(enum ec_width_kind kind)
{
    int n = 0;

    if (kind == EC_W_network || kind == EC_W_network_not_gpu)
        return EC_NF_COUNT;
    while (n < EC_FEATURE_COUNT && ec_feature_in(n, EC_FS_ROOFLINE))
        n++;
    return n;
}

const char *const *ec__learned_column_names(enum ec_width_kind kind, const char **scratch)
{
    int i, n = ec__learned_columns(kind);

    if (kind == EC_W_network || kind == EC_W_network_not_gpu)
        return ec_network_feature_names;
    for (i = 0; i < n; i++)
        scratch[i] = ec_feature_name(i);
    return scratch;
}

static int find_name(const char *const *names, int n, const char *name)
{
    int i;

    for (i = 0; i < n; i++)
        if (ec_str_eq(names[i], name))
            return i;
    return -1;
}

enum ec_status ec_learned_bind(struct ec_learned *l, struct ec_err *err)
{
    const char *scratch[EC_FEATURE_COUNT];
    int kind, i;

    for (kind = 0; kind < EC_WIDTH_COUNT; kind++) {
        struct ec_learned_model *m = &l->kind[kind];
        int n = ec__learned_columns((enum ec_width_kind)kind);
        const char *const *have = ec__learned_column_names((enum ec_width_kind)kind, scratch);

        for (i = 0; m->model && i < ec_regressor_cols(m->model); i++) {
            const char *name = ec_regressor_names(m->model)[i];

            m->column[i] = find_name(have, n, name);
            if (m->column[i] < 0)
                return ec_fail(err, EC_E_UNSUPPORTED,
                               "predictor file: the %s model learnt from \"%.60s\", which this "
                               "program does not compute",
                               ec__width_name((enum ec_width_kind)kind), name);
        }
        m->bound = true;
    }
    return EC_OK;
}

double ec_learned_correction(const struct ec_learned *l, enum ec_width_kind kind,
                             enum ec_basis basis, const double *features)
{
    const struct ec_learned_model *m = &l->kind[kind];
    double row[EC_LEARN_COLS_MAX], v;
    int i;

    if (!m->model || m->share[basis] <= 0)
        return 0;
    for (i = 0; m->bound && i < ec_regressor_cols(m->model); i++)
        row[i] = features[m->column[i]];
    ec_regressor_predict(m->model, m->bound ? row : features, 1, &v);
    return m->share[basis] * fmax(-LARGEST_CORRECTION, fmin(LARGEST_CORRECTION, v));
}

/* The file is put into the library as it is. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        "ec__predictor_begin:\n"
        ".incbin \"" EC_PREDICTOR_FILE "\"\n"
        "ec__predictor_end:\n"
        ".byte 0\n"
        ".previous\n");
extern const unsigned char ec__predictor_begin[] __attribute__((visibility("hidden")));
extern const unsigned char ec__predictor_end[] __attribute__((visibility("hidden")));

void ec__learned_shipped(const void **ret_data, size_t *ret_len)
{
    *ret_data = ec__predictor_begin;
    *ret_len = (size_t)(ec__predictor_end - ec__predictor_begin);
}
