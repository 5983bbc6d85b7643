/* Finding devices by the names that people, drivers and data sets give them; changing a copy. */
#include "hw/hw.h"

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
    return d->key;
}

const char *ec_device_name(const struct ec_device *d)
{
    return d->name;
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

const char *ec_device_qty_source(const struct ec_device *d, const struct ec_qty *q)
{
    if (q->src == EC_SRC_NONE)
        return "-";
    if (q->ref)
        return q->ref;
    return q->src == EC_SRC_DATASHEET && d->source ? d->source : ec_src_name(q->src);
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
static const struct ec_device *find_folded(const char *folded)
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

/* Near names are found among aliases too, but what is offered are keys, each once. */
static enum ec_status not_found(const char *name, const char *folded, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    struct ec_buf hint = EC_BUF_INIT;
    const struct ec_device *offered[8];
    const char *near[EC_LEN(offered)], **names;
    enum ec_status st;
    int n_names = 0, n_near = 0, n = 0, i, j;

    names = folded_names(&a, &n_names);
    if (names)
        n_near = ec_near_names(folded, names, n_names, near, EC_LEN(near));
    for (i = 0; i < n_near && n < 4; i++) {
        offered[n] = find_folded(near[i]);
        for (j = 0; j < n && offered[j] != offered[n]; j++)
            continue;
        if (j < n || !offered[n])
            continue;
        ec_buf_printf(&hint, "%s\"%s\"", n ? ", " : "; did you mean ", offered[n]->key);
        n++;
    }
    st = ec_fail(err, EC_E_NOT_FOUND, "no device \"%.80s\" in the catalogue%s%s", name,
                 ec_buf_text(&hint), n ? "?" : "; \"epochcast device list\" shows all keys");
    ec_buf_clear(&hint);
    ec_arena_clear(&a);
    return st;
}

enum ec_status ec_device_find(const char *key, const struct ec_device **ret, struct ec_err *err)
{
    char folded[EC_DEVICE_NAME_MAX];
    const struct ec_device *d;

    if (ec_device_fold(key, folded, sizeof folded) <= 0)
        return ec_fail(err, EC_E_NOT_FOUND, "no device \"%.80s\" in the catalogue", key);
    d = ec_str_eq(folded, "this") || ec_str_eq(folded, "local") ? ec_device_this()
                                                                : find_folded(folded);
    if (!d)
        return not_found(key, folded, err);
    *ret = d;
    return EC_OK;
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
    return ec_device_fold(name, folded, sizeof folded) > 0 ? find_folded(folded) : NULL;
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

/* A pattern without '*' and '?' is a name, so that aliases work wherever a pattern may stand. */
static enum ec_status match_one(const char *name, const struct ec_device ***ret, int *ret_count,
                                struct ec_arena *a, struct ec_err *err)
{
    const struct ec_device *d = NULL, **list;
    enum ec_status st = ec_device_find(name, &d, err);

    if (st)
        return st;
    list = ec_arena_alloc(a, sizeof *list);
    if (!list)
        return ec_nomem(err);
    list[0] = d;
    *ret = list;
    *ret_count = 1;
    return EC_OK;
}

enum ec_status ec_devices_match(const char *pattern, const struct ec_device ***ret, int *ret_count,
                                struct ec_arena *a, struct ec_err *err)
{
    const struct ec_device *const *all, **list;
    int n, n_found = 0, i;

    if (ec_str_ieq(pattern, "all"))
        pattern = "*";
    if (!strpbrk(pattern, "*?"))
        return match_one(pattern, ret, ret_count, a, err);
    all = ec_devices(&n);
    list = ec_arena_alloc(a, sizeof *list * (size_t)n);
    if (!list)
        return ec_nomem(err);
    for (i = 0; i < n; i++)
        if (ec_str_glob(pattern, all[i]->key))
            list[n_found++] = all[i];
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
    const struct ec_device **list, **found = NULL;
    int n_all, n = 0, n_found = 0, i, k;
    enum ec_status st = EC_OK;

    (void)ec_devices(&n_all);
    list = ec_arena_alloc(a, sizeof *list * (size_t)(n_all + 1)); /* and this machine */
    if (!list)
        return ec_nomem(err);
    for (i = 0; i < words->n; i++) {
        struct ec_span rest = ec_span_of(words->v[i]), word;

        while (rest.p && ec_span_cut(&rest, ',', &word)) {
            const char *name;

            word = ec_span_trim(word);
            name = ec_arena_strn(a, word.p, word.len);
            if (!name)
                EC_TRY(ec_nomem(err));
            EC_TRY(ec_devices_match(name, &found, &n_found, a, err));
            for (k = 0; k < n_found; k++)
                n = add_once(list, n, found[k]);
        }
    }
    *ret = list;
    *ret_count = n;
out:
    return st;
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
    const char *names[EC_LEN(qty_infos)];
    char found[EC_DEVICE_NAME_MAX];
    struct ec_buf hint = EC_BUF_INIT;
    size_t len = name.len < sizeof found ? name.len : sizeof found - 1;
    enum ec_status st;
    int i;

    memcpy(found, name.p, len);
    found[len] = '\0';
    for (i = 0; i < EC_LEN(qty_infos); i++)
        names[i] = qty_infos[i].name;
    ec_near_hint(&hint, found, names, EC_LEN(names));
    st = ec_fail(err, EC_E_INPUT, "a device has no quantity \"%s\"%s", found, ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return st;
}

enum ec_status ec_device_number(const struct ec_device *d, const char *name, struct ec_qty *ret,
                                struct ec_err *err)
{
    const struct ec_device_qty_info *info = find_qty(ec_span_of(name));

    if (!info)
        return no_such_qty(ec_span_of(name), err);
    *ret = *ec_device_qty(d, info);
    return EC_OK;
}

/* One "name=value"; the value is in the unit that the name ends in. */
static enum ec_status override_one(struct ec_device *d, struct ec_span change, struct ec_err *err)
{
    const struct ec_device_qty_info *info;
    struct ec_span value = change, name;
    struct ec_qty *q;
    double v;

    if (!ec_span_cut(&value, '=', &name) || !value.p)
        return ec_fail(err, EC_E_INPUT, "device change \"%.*s\": expected name=value",
                       change.len > 80 ? 80 : (int)change.len, change.p);
    name = ec_span_trim(name);
    info = find_qty(name);
    if (!info)
        return no_such_qty(name, err);
    if (!ec_parse_double(ec_span_trim(value), &v) || v <= 0)
        return ec_fail(err, EC_E_INPUT, "%s: found \"%.*s\", expected a number above 0%s%s",
                       info->name, value.len > 80 ? 80 : (int)value.len, value.p,
                       *info->unit ? " in " : "", info->unit);
    q = (struct ec_qty *)(void *)((char *)d + info->offset);
    *q = (struct ec_qty){ v, EC_SRC_USER, NULL };
    return EC_OK;
}

enum ec_status ec_device_override(const struct ec_device *base, const char *changes,
                                  struct ec_arena *a, const struct ec_device **ret,
                                  struct ec_err *err)
{
    struct ec_device *d = ec_arena_copy(a, base, sizeof *base);
    struct ec_span rest = ec_span_of(changes), part;
    enum ec_status st;

    if (!d)
        return ec_nomem(err);
    while (ec_span_cut(&rest, ',', &part)) {
        part = ec_span_trim(part);
        if (!part.len)
            continue;
        st = override_one(d, part, err);
        if (st)
            return st;
    }
    *ret = d;
    return EC_OK;
}
