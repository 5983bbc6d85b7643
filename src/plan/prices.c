/* Prices of devices, from a table or from the command line. */
#include "plan/plan.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "price_names.h"

const char *const ec_price_kinds[] = { "usual", "on-demand", "community", "reserved",
                                       "spot",  "any",       NULL };

static const struct {
    const char *word;
    enum ec_price_kind kind;
} kind_words[] = {
#define WORD(word, kind) { word, EC_PRICE_##kind },
    PRICE_WORDS(WORD)
#undef WORD
};

static bool is_yes(const char *cell)
{
    return ec_str_ieq(cell, "1") || ec_str_ieq(cell, "yes") || ec_str_ieq(cell, "true") ||
           ec_str_ieq(cell, "spot");
}

/* spot: the cell of its own column, which decides between the two usual kinds; "": there is none */
static enum ec_status kind_of(const char *word, const char *spot, enum ec_price_kind *ret,
                              struct ec_err *err)
{
    int i = 0;

    while (i < EC_LEN(kind_words) &&
           strncasecmp(word, kind_words[i].word, strlen(kind_words[i].word)) != 0)
        i++;
    *ret = is_yes(spot)             ? EC_PRICE_SPOT
           : i < EC_LEN(kind_words) ? kind_words[i].kind
           : *spot                  ? EC_PRICE_ON_DEMAND
                                    : EC_PRICE_UNSAID;
    if (*ret == EC_PRICE_UNSAID && *word)
        return ec_fail(err, EC_E_INPUT,
                       "kind of a price: found \"%.40s\", expected on-demand, reserved, community "
                       "or spot",
                       word);
    return EC_OK;
}

/* count: of the devices that have the price; 0: not said, one device or a whole machine */
static enum ec_status add(struct ec_prices *p, const char *device, const char *usd,
                          const struct ec_price *row, double count, struct ec_arena *a,
                          struct ec_err *err)
{
    const struct ec_strs words = { .n = 1, .v = &device };
    const struct ec_device **found = NULL;
    struct ec_price *grown;
    double v = 0;
    int n = 0, i;

    if (!ec_parse_double(ec_span_trim(ec_span_of(usd)), &v) || !(v > 0) || !isfinite(v))
        return ec_fail(err, EC_E_INPUT,
                       "price of %.60s: found \"%.40s\", expected USD per hour, above 0", device,
                       usd);
    EC_PASS(ec_devices_named(&words, &found, &n, a, err));
    if (p->n + n > p->cap) {
        grown = ec_arena_alloc(a, sizeof *grown * (size_t)(2 * p->cap + n));
        EC_PASS(ec_allocated(grown, err));
        if (p->n)
            memcpy(grown, p->v, sizeof *grown * (size_t)p->n);
        p->v = grown;
        p->cap = 2 * p->cap + n;
    }
    for (i = 0; i < n; i++) {
        bool whole = ec_machine_type_of(found[i]) != NULL;
        double of = count > 0 ? count : whole ? found[i]->machine_devices.value : 1;

        p->v[p->n] = *row;
        p->v[p->n].device = found[i];
        p->v[p->n].sold_by = whole ? of : 1;
        p->v[p->n++].usd_per_hour = v / of;
    }
    return EC_OK;
}

static enum ec_status read_list(const char *text, struct ec_prices *ret, struct ec_arena *a,
                                struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), word, key;
    const struct ec_price none = { .date = "", .source = "", .region = "" };
    const char *device, *usd;

    while (rest.p && ec_span_cut(&rest, ',', &word)) {
        const char *equals = word.len ? memchr(word.p, '=', word.len) : NULL;

        if (!equals)
            return ec_fail(err, EC_E_INPUT,
                           "--prices: found \"%.*s\", expected KEY=USD, or the path of a table",
                           (int)(word.len > 60 ? 60 : word.len), word.p);
        key = ec_span_trim((struct ec_span){ word.p, (size_t)(equals - word.p) });
        device = ec_arena_strn(a, key.p, key.len);
        usd = ec_arena_strn(a, equals + 1, word.len - (size_t)(equals + 1 - word.p));
        EC_PASS(ec_allocated(device && usd, err));
        EC_PASS(add(ret, device, usd, &none, 0, a, err));
    }
    return EC_OK;
}

enum column { C_USD, C_SPOT_USD, C_KIND, C_SPOT, C_COUNT, C_REGION, C_DATE, C_SOURCE, COLUMNS };
static const struct {
    enum column column;
    const char *name;
} column_names[] = {
#define NAME(column, name) { C_##column, name },
    PRICE_COLUMNS(NAME)
#undef NAME
};

static int find_column(const struct ec_csv *t, enum column which)
{
    int i, col = -1;

    for (i = 0; col < 0 && i < EC_LEN(column_names); i++)
        if (column_names[i].column == which)
            col = ec_csv_col(t, column_names[i].name);
    return col;
}

/* The price in one of two columns, where it has one. */
static enum ec_status add_price(const struct ec_csv *t, int row, int device, int usd,
                                const struct ec_price *p, double count, struct ec_prices *ret,
                                struct ec_arena *a, struct ec_err *err)
{
    const char *name = ec_csv_cell(t, row, device);
    enum ec_status st = add(ret, name, ec_csv_cell(t, row, usd), p, count, a, err);

    if (st != EC_E_NOT_FOUND)
        return st;
    if (!ret->n_unknown++) /* a list of offers has devices that we do not know */
        ret->unknown = ec_arena_str(a, name);
    return ec_allocated(ret->unknown, err);
}

static enum ec_status add_row(const struct ec_csv *t, int row, int device, const int *at,
                              struct ec_prices *ret, struct ec_arena *a, struct ec_err *err)
{
    struct ec_price p = { .date = ec_arena_str(a, ec_csv_cell(t, row, at[C_DATE])),
                          .source = ec_arena_str(a, ec_csv_cell(t, row, at[C_SOURCE])),
                          .region = ec_arena_str(a, ec_csv_cell(t, row, at[C_REGION])) };
    const char *count = ec_csv_cell(t, row, at[C_COUNT]);
    bool two = at[C_SPOT_USD] >= 0; /* as in SkyPilot's catalogue, which has processors as well */
    double n = 0;

    EC_PASS(ec_allocated(p.date && p.source && p.region, err));
    if (two && !*ec_csv_cell(t, row, device))
        return EC_OK;
    if (*count && (!ec_parse_double(ec_span_trim(ec_span_of(count)), &n) || !(n >= 1)))
        return ec_fail(err, EC_E_INPUT, "count: found \"%.40s\", expected devices, 1 or more",
                       count);
    if (two && *ec_csv_cell(t, row, at[C_SPOT_USD])) {
        p.kind = EC_PRICE_SPOT;
        EC_PASS(add_price(t, row, device, at[C_SPOT_USD], &p, n, ret, a, err));
    }
    if (two && !*ec_csv_cell(t, row, at[C_USD]))
        return EC_OK;
    p.kind = EC_PRICE_ON_DEMAND;
    if (!two)
        EC_PASS(kind_of(ec_csv_cell(t, row, at[C_KIND]), ec_csv_cell(t, row, at[C_SPOT]), &p.kind,
                        err));
    return add_price(t, row, device, at[C_USD], &p, n, ret, a, err);
}

static enum ec_status read_table(const char *path, struct ec_prices *ret, struct ec_arena *a,
                                 struct ec_err *err)
{
    struct ec_csv t = { 0 };
    int device, at[COLUMNS], i, row;
    enum ec_status st;

    EC_TRY(ec_csv_read(path, &t, err));
    device = ec_column_of(&t, EC_Q_DEVICE);
    if (device < 0)
        device = ec_csv_col(&t, "AcceleratorName");
    for (i = 0; i < COLUMNS; i++)
        at[i] = find_column(&t, (enum column)i);
    if (at[C_USD] >= 0 && strstr(t.names[at[C_USD]], "per_gpu")) /* of one already */
        at[C_COUNT] = -1;
    if (device < 0 || at[C_USD] < 0)
        EC_TRY(ec_fail(err, EC_E_PARSE,
                       "%s: no column \"%s\"; a table of prices has the columns device, "
                       "usd_per_hour, kind, date, source",
                       path, device < 0 ? "device" : "usd_per_hour"));
    for (row = 0; row < t.n_rows; row++) {
        st = add_row(&t, row, device, at, ret, a, err);
        if (st)
            ec_err_prefix(err, "%s, line %d: ", path, t.lines[row]);
        EC_TRY(st);
    }
    if (!ret->n && ret->n_unknown)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "%s: no device of it is known, such as \"%.60s\"", path,
                       ret->unknown));
out:
    ec_csv_clear(&t);
    return st;
}

enum ec_status ec_prices_read(const char *path_or_list, struct ec_prices *ret, struct ec_arena *a,
                              struct ec_err *err)
{
    bool is_list = strchr(path_or_list, '=') && access(path_or_list, F_OK) != 0;

    memset(ret, 0, sizeof *ret);
    return is_list ? read_list(path_or_list, ret, a, err) : read_table(path_or_list, ret, a, err);
}

/* A card may be rented in any type of machines that has it; a type that has no price of its own is
 * that of its cards. */
static bool is_card_of(const struct ec_device *card, const struct ec_device *machine)
{
    return ec_machine_type_of(machine) && ec_str_eq(ec_device_measured_as(machine), card->key);
}

double ec_price_each(const struct ec_price *p, const struct ec_predict_opts *o)
{
    double n, of = p->sold_by;

    if (!o)
        return p->usd_per_hour;
    n = fmax(1, (double)o->devices) + (double)o->generators;
    if (o->devices_per_machine)
        of = fmin(of, (double)o->devices_per_machine);
    return p->usd_per_hour * p->sold_by * ceil(n / of) / n;
}

const struct ec_price *ec_price_of(const struct ec_prices *p, const struct ec_device *d,
                                   const struct ec_predict_opts *o)
{
    const struct ec_price *found = NULL, *other = NULL;
    int i;

    for (i = 0; i < p->n; i++) {
        const struct ec_price *v = &p->v[i];

        if ((v->device == d || is_card_of(d, v->device)) &&
            (!found || ec_price_each(v, o) < ec_price_each(found, o)))
            found = v;
        else if (is_card_of(v->device, d) &&
                 (!other || ec_price_each(v, o) < ec_price_each(other, o)))
            other = v;
    }
    return found ? found : other;
}

static bool prices_of(const struct ec_price *v, const struct ec_device *d)
{
    return v->device == d || is_card_of(d, v->device) || is_card_of(v->device, d);
}

static enum ec_price_kind usual_kind(const struct ec_prices *p, const struct ec_device **devices,
                                     int n)
{
    enum ec_price_kind kind, best = EC_PRICE_UNSAID;
    int i, k, count, most = 0;

    for (kind = EC_PRICE_ON_DEMAND; kind < EC_PRICE_ANY; kind++) {
        if (best && kind > EC_PRICE_COMMUNITY)
            break;
        for (i = 0, count = 0; i < n; i++) {
            for (k = 0; k < p->n && (p->v[k].kind != kind || !prices_of(&p->v[k], devices[i])); k++)
                continue;
            count += k < p->n;
        }
        if (count > most) {
            most = count;
            best = kind;
        }
    }
    return best;
}

enum ec_price_kind ec_prices_keep(struct ec_prices *p, enum ec_price_kind kind,
                                  const struct ec_device **devices, int n_devices)
{
    int i, n = 0;

    if (kind == EC_PRICE_UNSAID)
        kind = usual_kind(p, devices, n_devices);
    for (i = 0; i < p->n; i++)
        if (kind == EC_PRICE_ANY || p->v[i].kind == kind || p->v[i].kind == EC_PRICE_UNSAID)
            p->v[n++] = p->v[i];
    p->n = n;
    return kind;
}

#define OLD_DAYS 90
#define DAY_S 86400

bool ec_price_is_old(const struct ec_price *p)
{
    struct ec_span rest = ec_span_of(p->date), part;
    struct tm day = { 0 };
    int64_t v[3];
    int i;

    for (i = 0; i < EC_LEN(v); i++) /* 2026-05-24, with or without a time behind */
        if (!ec_span_cut(&rest, '-', &part) || (part.len = part.len > 4 ? 2 : part.len) < 1 ||
            !ec_parse_int(part, &v[i]) || v[i] > 9999)
            return false;
    day.tm_year = (int)v[0] - 1900;
    day.tm_mon = (int)v[1] - 1;
    day.tm_mday = (int)v[2];
    return difftime(time(NULL), timegm(&day)) > (double)OLD_DAYS * DAY_S;
}
