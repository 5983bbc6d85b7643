/* Devices of the catalogue by the names that drivers and data sets give them; changing a copy. */
#include "hw/device_internal.h"

#include <math.h>
#include <string.h>

const char *ec_vendor_name(enum ec_vendor v)
{
    static const char *const names[EC_VENDOR_COUNT] = {
        [EC_VENDOR_NVIDIA] = "nvidia", [EC_VENDOR_AMD] = "amd",
        [EC_VENDOR_INTEL] = "intel",   [EC_VENDOR_GOOGLE] = "google",
        [EC_VENDOR_AWS] = "aws",       [EC_VENDOR_GRAPHCORE] = "graphcore",
        [EC_VENDOR_HUAWEI] = "huawei", [EC_VENDOR_OTHER] = "other",
    };

    return (unsigned)v < EC_VENDOR_COUNT ? names[v] : "unknown";
}

const char *ec_device_kind_name(enum ec_device_kind k)
{
    static const char *const names[EC_DEV_KIND_COUNT] = {
        [EC_DEV_GPU] = "gpu",
        [EC_DEV_CPU] = "cpu",
        [EC_DEV_ACCELERATOR] = "accelerator",
    };

    return (unsigned)k < EC_DEV_KIND_COUNT ? names[k] : "unknown";
}

const char *ec_src_name(enum ec_src s)
{
    static const char *const names[] = {
        [EC_SRC_NONE] = "none",     [EC_SRC_DATASHEET] = "datasheet",
        [EC_SRC_PROBED] = "probed", [EC_SRC_MEASURED] = "measured",
        [EC_SRC_USER] = "user",
    };

    return (unsigned)s < (unsigned)EC_LEN(names) ? names[s] : "unknown";
}

const char *ec_device_key(const struct ec_device *d)
{
    return d ? d->key : "";
}

const char *ec_device_measured_as(const struct ec_device *d)
{
    return d->measured_as ? d->measured_as : d->key;
}

const char *ec_device_name(const struct ec_device *d)
{
    return d ? d->name : "";
}

static const struct ec_device_qty_info qty_infos[] = {
#define QTY_INFO(member, unit, label, scale, printed)                                              \
    { #member, unit, label, printed, scale, offsetof(struct ec_device, member) },
    EC_DEVICE_QTY_LIST(QTY_INFO)
#undef QTY_INFO
};

const struct ec_device_qty_info *ec_device_qty_info(int *ret_count)
{
    *ret_count = EC_LEN(qty_infos);
    return qty_infos;
}

const struct ec_qty *ec_device_qty(const struct ec_device *d, const struct ec_device_qty_info *i)
{
    return (const struct ec_qty *)(const void *)((const char *)d + i->offset);
}

/* What driver and firmware keep for themselves, after the totals that PyTorch prints when memory
 * runs out: those of 22 boards are met within 1.1 % (tests/unit/hw/test_device.c). */
#define RESERVED_BYTES (0.2 * 0x1p30)
#define RESERVED_FRAC 0.008
#define RESERVED_BEFORE_VOLTA_BYTES (0.1 * 0x1p30)
#define ECC_FRAC (1.0 / 16)

double ec_device_usable_bytes(const struct ec_device *d)
{
    double bytes = d->memory_bytes.value;

    if (!d->memory_bytes.src)
        return 0;
    if (d->memory_bytes.src != EC_SRC_DATASHEET || d->vendor != EC_VENDOR_NVIDIA)
        return bytes;
    if (d->ecc_inside)
        bytes -= ECC_FRAC * bytes;
    if (d->compute_capability < 70)
        return floor(bytes - RESERVED_BEFORE_VOLTA_BYTES);
    return floor(bytes - RESERVED_BYTES - RESERVED_FRAC * bytes);
}

static const char *source_of(const struct ec_device *d, enum ec_src src, const char *ref)
{
    if (src == EC_SRC_NONE)
        return "-";
    if (ref)
        return ref;
    return src == EC_SRC_DATASHEET && d->source ? d->source : ec_src_name(src);
}

const char *ec_device_qty_source(const struct ec_device *d, const struct ec_qty *q)
{
    return source_of(d, q->src, q->ref);
}

static const struct ec_device_trait_info trait_infos[] = {
#define TRAIT_WORD(name, word) word,
#define TRAIT_INFO(member, label, list)                                                            \
    { #member, label, (const char *const[]){ list(TRAIT_WORD) NULL },                              \
      offsetof(struct ec_device, member) },
    EC_DEVICE_TRAIT_LIST(TRAIT_INFO)
#undef TRAIT_INFO
#undef TRAIT_WORD
};

const struct ec_device_trait_info *ec_device_trait_info(int *ret_count)
{
    *ret_count = EC_LEN(trait_infos);
    return trait_infos;
}

const struct ec_trait *ec_device_trait(const struct ec_device *d,
                                       const struct ec_device_trait_info *i)
{
    return (const struct ec_trait *)(const void *)((const char *)d + i->offset);
}

const char *ec_device_trait_source(const struct ec_device *d, const struct ec_trait *t)
{
    return source_of(d, t->src, t->ref);
}

/* --- Names --- */

/* 'a'..'z' or '0'..'9' of a letter or digit; 0 for anything else. */
static char fold_char(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : 0;
}

static bool is_vendor_word(const char *word, size_t len)
{
    static const char *const words[] = { "nvidia", "geforce", "tesla", "amd", "instinct" };
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if (ec_span_eq((struct ec_span){ word, len }, words[i]))
            return true;
    return false;
}

int ec_device_fold(const char *name, char *out, size_t size)
{
    size_t len = 0, word = 0; /* out[word..len) is the word being read */

    for (;; name++) {
        char c = fold_char(*name);

        if (c) {
            if (len + 1 >= size)
                return -1;
            out[len++] = c;
            continue;
        }
        if (is_vendor_word(out + word, len - word))
            len = word;
        word = len;
        if (!*name)
            break;
    }
    out[len] = '\0';
    return (int)len;
}

/* Keys are lower case, hold no vendor word and need no copy: what is no letter or digit is passed
 * over. Keeps a lookup below a microsecond. */
static bool key_is(const char *key, const char *folded)
{
    for (; *key; key++) {
        if (!fold_char(*key))
            continue;
        if (*key != *folded)
            return false;
        folded++;
    }
    return !*folded;
}

static bool alias_is(const struct ec_device *d, const char *folded)
{
    const char *const *alias;

    for (alias = d->aliases; alias && *alias; alias++)
        if (**alias == *folded && ec_str_eq(*alias, folded))
            return true;
    return false;
}

/* An exact key wins over any alias. */
const struct ec_device *ec__device_folded(const char *folded)
{
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        if (*all[i]->key == *folded && key_is(all[i]->key, folded))
            return all[i];
    for (i = 0; i < n; i++)
        if (alias_is(all[i], folded))
            return all[i];
    return NULL;
}

/* End of the words that begin at p, which are letters and digits parted by anything else. */
static const char *words_end(const char *p, int n)
{
    for (; n > 0; n--) {
        while (*p && !fold_char(*p))
            p++;
        while (fold_char(*p))
            p++;
    }
    return p;
}

/* A word that makes another product of the one before it. */
static bool is_other_product(const char *p)
{
    static const char *const words[] = { "ti",  "super", "laptop", "mobile",
                                         "max", "xt",    "xtx",    "ada" };
    const char *end;
    char word[16];
    int i;

    while (*p && !fold_char(*p))
        p++;
    end = words_end(p, 1);
    if ((size_t)(end - p) >= sizeof word)
        return false;
    memcpy(word, p, (size_t)(end - p));
    word[end - p] = '\0';
    for (i = 0; i < EC_LEN(words); i++)
        if (ec_str_ieq(words[i], word))
            return true;
    return false;
}

/* The device that so many characters name; NULL: none. */
static const struct ec_device *find_part(const char *p, size_t n)
{
    char name[EC_DEVICE_NAME_MAX], folded[EC_DEVICE_NAME_MAX];

    if (!n || n >= sizeof name)
        return NULL;
    memcpy(name, p, n);
    name[n] = '\0';
    return ec_device_fold(name, folded, sizeof folded) > 0 ? ec__device_folded(folded) : NULL;
}

const char *ec_device_in_text(const char *text, bool whole)
{
    enum { WORDS_MAX = 8 };
    const struct ec_device *d = find_part(text, strlen(text));
    const char *p, *end;
    int n;

    for (n = WORDS_MAX; n > 0 && !d && !whole; n--)
        for (p = text; *p && !d; p = words_end(p, 1)) {
            while (*p && !fold_char(*p))
                p++;
            end = words_end(p, n);
            d = is_other_product(end) ? NULL : find_part(p, (size_t)(end - p));
        }
    return d ? d->key : NULL;
}

/* --- Changed copies --- */

static const struct ec_device_qty_info *find_qty(struct ec_span name)
{
    int i;

    for (i = 0; i < EC_LEN(qty_infos); i++)
        if (ec_span_eq(name, qty_infos[i].name))
            return &qty_infos[i];
    return NULL;
}

static enum ec_status no_such_qty(struct ec_span name, struct ec_err *err)
{
    const char *names[EC_LEN(qty_infos) + EC_LEN(trait_infos)];
    char found[EC_DEVICE_NAME_MAX];
    size_t len = name.len < sizeof found ? name.len : sizeof found - 1;
    int i;

    memcpy(found, name.p, len);
    found[len] = '\0';
    for (i = 0; i < EC_LEN(qty_infos); i++)
        names[i] = qty_infos[i].name;
    for (i = 0; i < EC_LEN(trait_infos); i++)
        names[EC_LEN(qty_infos) + i] = trait_infos[i].name;
    return ec_fail_near(err, EC_E_INPUT, found, names, EC_LEN(names),
                        "a device has no quantity \"%s\"", found);
}

enum ec_status ec_device_number(const struct ec_device *d, const char *name, struct ec_qty *ret,
                                struct ec_err *err)
{
    const struct ec_device_qty_info *info;

    EC_NEED(err, d, name, ret);
    info = find_qty(ec_span_of(name));
    if (!info)
        return no_such_qty(ec_span_of(name), err);
    *ret = *ec_device_qty(d, info);
    return EC_OK;
}

static const struct ec_device_trait_info *find_trait(struct ec_span name)
{
    int i;

    for (i = 0; i < EC_LEN(trait_infos); i++)
        if (ec_span_eq(name, trait_infos[i].name))
            return &trait_infos[i];
    return NULL;
}

static enum ec_status override_trait(struct ec_device *d, const struct ec_device_trait_info *info,
                                     struct ec_span word, enum ec_src src, struct ec_err *err)
{
    struct ec_trait *t = (struct ec_trait *)(void *)((char *)d + info->offset);
    struct ec_buf expected = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; info->words[i]; i++) {
        if (ec_span_eq(word, info->words[i])) {
            *t = (struct ec_trait){ i, src, NULL };
            ec_buf_clear(&expected);
            return EC_OK;
        }
        ec_buf_printf(&expected, "%s%s", i ? ", " : "", info->words[i]);
    }
    st = ec_fail(err, EC_E_INPUT, "%s: found \"%.*s\", expected one of %s", info->name,
                 word.len > 80 ? 80 : (int)word.len, word.p, ec_buf_text(&expected));
    ec_buf_clear(&expected);
    return st;
}

/* One "name=value"; the value is in the unit that the name ends in, or one of the trait's words. */
static enum ec_status override_one(struct ec_device *d, struct ec_span change, enum ec_src src,
                                   struct ec_err *err)
{
    const struct ec_device_qty_info *info;
    struct ec_span value = change, name;
    struct ec_qty *q;
    double v;

    if (!ec_span_cut(&value, '=', &name) || !value.p)
        return ec_fail(err, EC_E_INPUT, "device change \"%.*s\": expected name=value",
                       change.len > 80 ? 80 : (int)change.len, change.p);
    name = ec_span_trim(name);
    if (find_trait(name))
        return override_trait(d, find_trait(name), ec_span_trim(value), src, err);
    info = find_qty(name);
    if (!info)
        return no_such_qty(name, err);
    if (!ec_parse_double(ec_span_trim(value), &v) || v <= 0)
        return ec_fail(err, EC_E_INPUT, "%s: found \"%.*s\", expected a number above 0%s%s",
                       info->name, value.len > 80 ? 80 : (int)value.len, value.p,
                       *info->unit ? " in " : "", info->unit);
    q = (struct ec_qty *)(void *)((char *)d + info->offset);
    *q = (struct ec_qty){ v, src, NULL };
    return EC_OK;
}

enum ec_status ec_device_override(const struct ec_device *base, const char *changes,
                                  enum ec_src src, struct ec_arena *a, const struct ec_device **ret,
                                  struct ec_err *err)
{
    struct ec_device *d = ec_arena_copy(a, base, sizeof *base);
    struct ec_span rest = ec_span_of(changes), part;

    EC_PASS(ec_allocated(d, err));
    while (ec_span_cut(&rest, ',', &part)) {
        part = ec_span_trim(part);
        if (!part.len)
            continue;
        EC_PASS(override_one(d, part, src, err));
    }
    *ret = d;
    return EC_OK;
}

/* What one core copies, read and written: 25.8e9 bytes/s on the EPYC of measured/amd-epyc. */
#define CORE_BYTES_PER_S 25e9

enum ec_status ec_device_of_threads(const struct ec_device *base, int64_t threads,
                                    struct ec_arena *a, const struct ec_device **ret,
                                    struct ec_err *err)
{
    double share = (double)threads / base->sm_count.value;
    struct ec_device *d;

    *ret = base;
    if (base->kind != EC_DEV_CPU)
        return ec_fail(err, EC_E_UNSUPPORTED, "%s: --threads is for CPUs", base->key);
    if (!base->sm_count.src || share >= 1)
        return EC_OK;
    d = ec_arena_copy(a, base, sizeof *base);
    EC_PASS(ec_allocated(d, err));
    d->sm_count.value = (double)threads;
    d->fp32_lanes.value *= share;
    d->fp32_flop_per_s.value *= share;
    d->fp32_matrix_flop_per_s.value *= share;
    d->fp16_vector_flop_per_s.value *= share;
    d->bf16_tensor_flop_per_s.value *= share;
    d->memory_bytes_per_s.value =
        fmin(d->memory_bytes_per_s.value, (double)threads * CORE_BYTES_PER_S);
    *ret = d;
    return EC_OK;
}
