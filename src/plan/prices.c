/* Prices of devices, from a table or from the command line. */
#include "plan/plan.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static enum ec_status add(struct ec_prices *p, const char *device, const char *usd,
                          const char *date, const char *source, struct ec_arena *a,
                          struct ec_err *err)
{
    const struct ec_strs words = { .n = 1, .v = &device };
    const struct ec_device **found = NULL;
    struct ec_price *grown;
    double v = 0;
    enum ec_status st;
    int n = 0, i;

    if (!ec_parse_double(ec_span_trim(ec_span_of(usd)), &v) || !(v > 0) || !isfinite(v))
        return ec_fail(err, EC_E_INPUT,
                       "price of %.60s: found \"%.40s\", expected USD per hour, above 0", device,
                       usd);
    EC_TRY(ec_devices_named(&words, &found, &n, a, err));
    if (p->n + n > p->cap) {
        grown = ec_arena_alloc(a, sizeof *grown * (size_t)(2 * p->cap + n));
        if (!grown)
            return ec_nomem(err);
        if (p->n)
            memcpy(grown, p->v, sizeof *grown * (size_t)p->n);
        p->v = grown;
        p->cap = 2 * p->cap + n;
    }
    for (i = 0; i < n; i++)
        p->v[p->n++] = (struct ec_price){ found[i], v, date, source };
out:
    return st;
}

static enum ec_status read_list(const char *text, struct ec_prices *ret, struct ec_arena *a,
                                struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), word, key;
    enum ec_status st = EC_OK;
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
        if (!device || !usd)
            return ec_nomem(err);
        EC_TRY(add(ret, device, usd, "", "", a, err));
    }
out:
    return st;
}

static int price_column(const struct ec_csv *t)
{
    static const char *const names[] = { "usd_per_hour", "$/h",      "$/hour", "$/hr",
                                         "usd/h",        "usd/hour", "usd/hr", "price_per_hour",
                                         "hourly_usd",   "usd" };
    int i, col = -1;

    for (i = 0; i < EC_LEN(names) && col < 0; i++)
        col = ec_csv_col(t, names[i]);
    return col;
}

static enum ec_status read_table(const char *path, struct ec_prices *ret, struct ec_arena *a,
                                 struct ec_err *err)
{
    struct ec_csv t = { 0 };
    int device, usd, date, source, row = 0;
    enum ec_status st;

    EC_TRY(ec_csv_read(path, &t, err));
    device = ec_column_of(&t, EC_Q_DEVICE);
    usd = price_column(&t);
    date = ec_csv_col(&t, "date");
    source = ec_csv_col(&t, "source");
    if (device < 0 || usd < 0)
        EC_TRY(ec_fail(err, EC_E_PARSE,
                       "%s: no column \"%s\"; a table of prices has the columns device, "
                       "usd_per_hour, date, source",
                       path, device < 0 ? "device" : "usd_per_hour"));
    for (row = 0; row < t.n_rows; row++) {
        const char *on = ec_arena_str(a, ec_csv_cell(&t, row, date));
        const char *by = ec_arena_str(a, ec_csv_cell(&t, row, source));

        if (!on || !by)
            EC_TRY(ec_nomem(err));
        st = add(ret, ec_csv_cell(&t, row, device), ec_csv_cell(&t, row, usd), on, by, a, err);
        if (st)
            ec_err_prefix(err, "%s, line %d: ", path, t.lines[row]);
        EC_TRY(st);
    }
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

const struct ec_price *ec_price_of(const struct ec_prices *p, const struct ec_device *d)
{
    const struct ec_price *found = NULL;
    int i;

    for (i = 0; i < p->n; i++)
        if (p->v[i].device == d && (!found || p->v[i].usd_per_hour < found->usd_per_hour))
            found = &p->v[i];
    return found;
}
