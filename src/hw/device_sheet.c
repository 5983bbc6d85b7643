/* A device from a data sheet: the members that `device show --json` writes, or the columns of
 * others
 * ("bandwidth", "Boost Clock (MHz)"). What a sheet lacks is taken from the device of the catalogue
 * that it names, else from the nearest. docs/device-file.md */
#include "hw/device_internal.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "sheet_names.h"

#define ALIKE 0.05 /* data sheets of one device differ by so much */
#define SHOWN 3    /* names that a sentence lists */
#define AT(member) offsetof(struct ec_device, member)

/* clang-format off */
#define ROW(...) { __VA_ARGS__ },
#define COLUMN(name_, member, scale_) { name_, AT(member), scale_ },
static const struct column {
    const char *name;
    size_t offset;
    double scale;
} columns[] = { SHEET_COLUMNS(COLUMN) };

static const struct {
    const char *word, *unit;
    double scale;
} units[] = { SHEET_UNITS(ROW) };

static const struct {
    const char *unit;
    double least, most;
} ranges[] = { SHEET_RANGES(ROW) };

/* Members of `device show` that are not read: they are those of the device that it is like. */
static const char *const of_base[] = {
    "schema", "vendor", "kind", "memory_type", "usable_memory_bytes", "host_link", "link",
    "form_factor", "note", "file_note",
};
/* clang-format on */

#define ONE(...) +1
_Static_assert(0 EC_DEVICE_QTY_LIST(ONE) <= 32, "a bit for each quantity");
#undef ONE

/* A device that is being read. */
struct reading {
    struct ec_device d;           /* what the file has */
    const char *like, *arch;      /* NULL: not said */
    unsigned given, given_traits; /* bits: what the file has, though it may not know it */
    double rate_scale;            /* of FLOP/s without a unit */
    struct ec_buf unread;         /* names that say nothing to us */
    int n_unread;
    bool of_json; /* a table of data sheets has columns that nobody expects to be read */
};

static const char *text_of(const struct ec_jval *v)
{
    return v && v->type == EC_J_STR && *v->str ? v->str : NULL;
}

static bool number_of(const struct ec_jval *v, double *ret)
{
    *ret = v->num;
    return v->type == EC_J_NUM || (v->type == EC_J_STR && ec_parse_double(ec_span_of(v->str), ret));
}

/* A value is there alone, or with its source: {"value": 1.4e9, "src": "datasheet", "source": ""}.
 * NULL: it is not known. */
static const struct ec_jval *value_of(const struct ec_jval *v, enum ec_src *ret_src,
                                      const char **ret_ref)
{
    const struct ec_jval *value = v->type == EC_J_OBJECT ? ec_json_get(v, "value") : v;
    const char *src = value != v ? text_of(ec_json_get(v, "src")) : NULL;
    int s;

    *ret_src = EC_SRC_DATASHEET;
    *ret_ref = value != v ? text_of(ec_json_get(v, "source")) : NULL;
    for (s = EC_SRC_DATASHEET; src && s <= EC_SRC_USER; s++)
        if (ec_str_eq(src, ec_src_name((enum ec_src)s)))
            *ret_src = (enum ec_src)s;
    return value && value->type != EC_J_NULL ? value : NULL;
}

static enum ec_status take_qty(struct reading *r, const struct ec_jval *v, int i, double scale,
                               struct ec_err *err)
{
    const struct ec_device_qty_info *info = ec_device_qty_info(&(int){ 0 }) + i;
    struct ec_qty *q = (struct ec_qty *)(void *)((char *)&r->d + info->offset);
    const struct ec_jval *value = value_of(v, &q->src, &q->ref);
    int k = 0;

    r->given |= 1U << i;
    if (!value || (value->type == EC_J_STR && !*value->str)) {
        *q = (struct ec_qty){ .src = EC_SRC_NONE };
        return EC_OK;
    }
    if (!number_of(value, &q->value))
        return ec_fail(err, EC_E_INPUT, "%.60s: expected a number", v->key);
    q->value *= scale;
    while (k < EC_LEN(ranges) - 1 && !ec_str_eq(ranges[k].unit, info->unit))
        k++;
    if (q->value >= ranges[k].least && q->value <= ranges[k].most)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%.60s: found %g%s%s, expected %g to %g: is the unit right?",
                   v->key, q->value, *info->unit ? " " : "", info->unit, ranges[k].least,
                   ranges[k].most);
}

static enum ec_status take_trait(struct reading *r, const struct ec_jval *v, int i,
                                 struct ec_err *err)
{
    const struct ec_device_trait_info *info = ec_device_trait_info(&(int){ 0 }) + i;
    struct ec_trait *t = (struct ec_trait *)(void *)((char *)&r->d + info->offset);
    const struct ec_jval *value = value_of(v, &t->src, &t->ref);
    const char *word = text_of(value);

    r->given_traits |= 1U << i;
    for (t->value = 0; word && info->words[t->value]; t->value++)
        if (ec_str_eq(word, info->words[t->value]))
            return EC_OK;
    *t = (struct ec_trait){ .src = EC_SRC_NONE };
    return value ? ec_fail(err, EC_E_INPUT, "%s: expected a word such as \"%s\"", info->name,
                           info->words[0])
                 : EC_OK;
}

static const struct column *column_of(const char *name)
{
    char part[EC_DEVICE_NAME_MAX], folded[EC_DEVICE_NAME_MAX];
    int i;

    (void)snprintf(part, sizeof part, "%.*s", (int)strcspn(name, "("), name);
    for (i = 0; ec_device_fold(part, folded, sizeof folded) > 0 && i < EC_LEN(columns); i++)
        if (ec_str_eq(columns[i].name, folded))
            return &columns[i];
    return NULL;
}

static enum ec_status take_column(struct reading *r, const struct ec_jval *v,
                                  const struct column *c, struct ec_err *err)
{
    const struct ec_device_qty_info *info = ec_device_qty_info(&(int){ 0 });
    const char *open = strchr(v->key, '('), *close = open ? strchr(open, ')') : NULL;
    size_t len = close ? (size_t)(close - open) - 1 : 0;
    double scale;
    int i = 0, k = 0;

    while (info[i].offset != c->offset)
        i++;
    scale = ec_str_eq(info[i].unit, "FLOP/s") ? r->rate_scale : c->scale;
    if (len && *info[i].unit) {
        while (k < EC_LEN(units) &&
               (!ec_str_eq(units[k].unit, info[i].unit) || len != strlen(units[k].word) ||
                strncasecmp(open + 1, units[k].word, len) != 0))
            k++;
        if (k == EC_LEN(units))
            return ec_fail(err, EC_E_INPUT, "%.60s: this unit is not known", v->key);
        scale = units[k].scale;
    }
    return take_qty(r, v, i, scale, err);
}

static enum ec_status take(struct reading *r, const struct ec_jval *v, struct ec_err *err)
{
    const struct ec_device_qty_info *qty;
    const struct ec_device_trait_info *trait;
    int n_qty, n_traits, i;

    qty = ec_device_qty_info(&n_qty);
    for (i = 0; i < n_qty; i++)
        if (ec_str_eq(v->key, qty[i].name))
            return take_qty(r, v, i, 1, err);
    trait = ec_device_trait_info(&n_traits);
    for (i = 0; i < n_traits; i++)
        if (ec_str_eq(v->key, trait[i].name))
            return take_trait(r, v, i, err);
    if (ec_str_eq(v->key, "key"))
        r->d.key = text_of(v);
    else if (ec_str_eq(v->key, "name"))
        r->d.name = text_of(v);
    else if (ec_str_eq(v->key, "like"))
        r->like = text_of(v);
    else if (ec_str_eq(v->key, "arch"))
        r->arch = text_of(v);
    else if (column_of(v->key))
        return take_column(r, v, column_of(v->key), err);
    else if (ec_name_index(of_base, EC_LEN(of_base), v->key) < 0 && r->n_unread++ < SHOWN)
        ec_buf_printf(&r->unread, "%s%.40s", r->n_unread > 1 ? ", " : "", v->key);
    return EC_OK;
}

/* The device that a name is of; NULL: none. */
static const struct ec_device *named(const char *name)
{
    char folded[EC_DEVICE_NAME_MAX];

    return name && ec_device_fold(name, folded, sizeof folded) > 0 ? ec__device_folded(folded)
                                                                   : NULL;
}

/* Mean squared logarithm of the ratios of what both have; infinite without bandwidth, and
 * either lanes or the rate. */
static double distance(const struct reading *r, const struct ec_device *d)
{
    const struct ec_device_qty_info *info;
    double sum = 0, by;
    int n, n_both = 0, i;

    info = ec_device_qty_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_qty *a = ec_device_qty(&r->d, &info[i]), *b = ec_device_qty(d, &info[i]);

        by = a->src && b->src ? log(a->value / b->value) : 0;
        sum += by * by;
        n_both += a->src && b->src;
    }
    if (!r->d.memory_bytes_per_s.src || !(r->d.fp32_lanes.src || r->d.fp32_flop_per_s.src) ||
        !d->memory_bytes_per_s.src || !d->fp32_flop_per_s.src)
        return (double)INFINITY;
    return sum / n_both;
}

static const struct ec_device *nearest(const struct reading *r)
{
    const struct ec_device *const *all, *best = NULL;
    double least = (double)INFINITY, far;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        far = distance(r, all[i]);
        if (all[i]->kind != EC_DEV_GPU || (r->arch && !ec_str_ieq(r->arch, all[i]->arch)) ||
            !(far < least))
            continue;
        least = far;
        best = all[i];
    }
    return best;
}

static double ratio(const struct ec_qty *a, const struct ec_qty *b)
{
    return a->src && b->src ? a->value / b->value : 1;
}

/* A number of the board, not of the chip: nothing follows for another board. */
static bool is_of_board(size_t offset)
{
    return offset == AT(memory_bytes) || offset == AT(tdp_w) || offset == AT(link_bytes_per_s) ||
           offset == AT(machine_devices) || offset == AT(network_bytes_per_s);
}

/* Takes from `base` what the file does not have, rates in proportion. same: it is that device.
 * Their names go to `out`. */
static void complete(struct reading *r, const struct ec_device *base, bool same, const char *ref,
                     struct ec_buf *out)
{
    double lanes = ratio(&r->d.fp32_lanes, &base->fp32_lanes);
    double clock = ratio(&r->d.boost_hz, &base->boost_hz);
    double fp32 = r->d.fp32_flop_per_s.src ? ratio(&r->d.fp32_flop_per_s, &base->fp32_flop_per_s)
                                           : lanes * clock;
    const struct ec_device_qty_info *info;
    const struct ec_device_trait_info *trait;
    int n, n_taken = 0, i;

    info = ec_device_qty_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_qty *from = ec_device_qty(base, &info[i]);
        struct ec_qty *q = (struct ec_qty *)(void *)((char *)&r->d + info[i].offset);

        if (r->given & 1U << i || !from->src || (!same && is_of_board(info[i].offset)))
            continue;
        *q = (struct ec_qty){ from->value, from->src, ref };
        q->value *= ec_str_eq(info[i].unit, "FLOP/s")  ? fp32
                    : info[i].offset == AT(sm_count)   ? lanes
                    : info[i].offset == AT(fp32_lanes) ? fp32 / clock
                    : info[i].offset == AT(base_hz)    ? clock
                                                       : 1;
        if (n_taken++ < SHOWN)
            ec_buf_printf(out, "%s%.*s", n_taken > 1 ? ", " : "", (int)strcspn(info[i].label, ","),
                          info[i].label);
    }
    trait = ec_device_trait_info(&n);
    for (i = 0; i < n; i++)
        if (!(r->given_traits & 1U << i))
            memcpy((char *)&r->d + trait[i].offset, ec_device_trait(base, &trait[i]),
                   sizeof(struct ec_trait));
    if (n_taken > SHOWN)
        ec_buf_printf(out, " and %d more", n_taken - SHOWN);
}

/* Label of the first number in which two devices differ; NULL: they are alike. Boards of one chip
 * differ in memory, power and lowest clock, and data sheets in what they call the rate of FP16. */
static const char *difference(const struct ec_device *a, const struct ec_device *b)
{
    const struct ec_device_qty_info *info;
    const struct ec_device_trait_info *trait;
    int n, i;

    info = ec_device_qty_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_qty *p = ec_device_qty(a, &info[i]), *q = ec_device_qty(b, &info[i]);

        if (info[i].offset == AT(base_hz) || info[i].offset == AT(fp16_vector_flop_per_s) ||
            is_of_board(info[i].offset))
            continue;
        if (!p->src != !q->src || (p->src && fabs(log(p->value / q->value)) > ALIKE))
            return info[i].label;
    }
    trait = ec_device_trait_info(&n);
    for (i = 0; i < n; i++)
        if (ec_device_trait(a, &trait[i])->value != ec_device_trait(b, &trait[i])->value)
            return trait[i].label;
    return NULL;
}

/* How the device of the catalogue was found that gives the rest. */
enum found { BY_FILE, BY_FILE_NAME, BY_NUMBERS };

/* The sentence that answers have of the device. */
static void describe(const struct reading *r, const struct ec_device *base, enum found how,
                     const char *differs, const struct ec_buf *taken, struct ec_buf *out)
{
    static const char *const hows[] = { "which it names", "by the name of the file",
                                        "the nearest" };

    ec_buf_str(out, "read from a file");
    if (taken->len)
        ec_buf_printf(out, "; what it lacks is as of %s, %s: %s", base->key, hows[how],
                      ec_buf_text(taken));
    ec_buf_printf(out, "; measurements of %s are %sused", base->key,
                  how == BY_FILE && !differs ? "" : "not ");
    if (differs)
        ec_buf_printf(out, ", for this differs: %s", differs);
    else if (how != BY_FILE)
        ec_buf_printf(out, " (\"like\": \"%s\" uses them)", base->key);
    if (r->n_unread && r->of_json)
        ec_buf_printf(out, "; not read: %s", ec_buf_text(&r->unread));
    if (r->n_unread > SHOWN && r->of_json)
        ec_buf_printf(out, " and %d more", r->n_unread - SHOWN);
}

/* key: what the device is called from now on. label: name of the file without its ending. */
static enum ec_status finish(struct reading *r, const char *key, const char *label,
                             struct ec_arena *a, const struct ec_device **ret, struct ec_err *err)
{
    const struct ec_device *base = named(r->d.key);
    struct ec_buf taken = EC_BUF_INIT, note = EC_BUF_INIT;
    struct ec_device own, *d;
    enum found how = BY_FILE;
    const char *ref, *differs;
    enum ec_status st = EC_OK;

    if (r->like)
        base = named(r->like);
    if (r->like && !base)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "like: no device \"%.60s\" in the catalogue", r->like));
    base = base ? base : named(r->d.name);
    if (!base) {
        base = named(label);
        how = base ? BY_FILE_NAME : BY_NUMBERS;
        base = base ? base : nearest(r);
    }
    if (!base)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "neither the name of a device of the catalogue, nor what finds the nearest: "
                       "bandwidth, and cores or fp32"));
    ref = ec_arena_printf(a, "as of %s", base->key);
    EC_TRY(ec_allocated(ref, err));
    complete(r, base, how != BY_NUMBERS, ref, &taken);
    EC_TRY(ec_buf_status(&taken, err));
    EC_TRY(ec_buf_status(&r->unread, err));
    differs = difference(&r->d, base);
    own = *base;
#define TAKE(member, ...) own.member = r->d.member;
    EC_DEVICE_QTY_LIST(TAKE)
    EC_DEVICE_TRAIT_LIST(TAKE)
#undef TAKE
    own.key = key;
    own.name = ec_arena_str(a, r->d.name ? r->d.name : r->d.key ? r->d.key : label);
    own.aliases = NULL;
    if (how == BY_NUMBERS) { /* words about a board */
        own.memory_type = own.link = own.note = NULL;
        own.launch_year = own.process_nm = 0;
    }
    own.source = key;
    own.measured_as = how == BY_FILE && !differs ? base->key : "";
    describe(r, base, how, differs, &taken, &note);
    EC_TRY(ec_buf_status(&note, err));
    own.file_note = ec_arena_str(a, ec_buf_text(&note));
    d = ec_arena_copy(a, &own, sizeof own);
    EC_TRY(ec_allocated(own.name && own.file_note && d, err));
    *ret = d;
out:
    ec_buf_clear(&taken);
    ec_buf_clear(&note);
    return st;
}

enum ec_status ec__device_sheet(const struct ec_jval *object, const struct ec__sheet_names *names,
                                struct ec_arena *a, const struct ec_device **ret,
                                struct ec_err *err)
{
    struct reading r = { .rate_scale = 1e9, .of_json = names->of_json, .unread = EC_BUF_INIT };
    const struct ec_jval *v;
    enum ec_status st = EC_OK;
    double fp32;

    for (v = object->child; v; v = v->next)
        if (column_of(v->key) && column_of(v->key)->offset == AT(fp32_flop_per_s) &&
            number_of(v, &fp32) && fp32 < 1000)
            r.rate_scale = 1e12; /* such numbers are TFLOP/s */
    r.d.key = names->row;
    for (v = object->child; v; v = v->next)
        EC_TRY(take(&r, v, err));
    EC_TRY(finish(&r, names->key, names->file, a, ret, err));
out:
    ec_buf_clear(&r.unread);
    return st;
}
