/* Finds rows that no hardware can produce, by comparing values with each other and with the device.
 */
#include "store/store_internal.h"

#include "cost/cost.h"
#include "hw/hw.h"

#include <string.h>

/* Tensors that fit into so many times the last-level cache may never reach memory. */
#define CACHE_FACTOR 4.0
#define CACHE_UNKNOWN_BYTES 256e6

const char *ec_finding_name(enum ec_finding f)
{
    static const char *const names[] = {
#define FINDING_NAME(name, text) #name,
        EC_FINDING_LIST(FINDING_NAME)
#undef FINDING_NAME
    };

    return names[f];
}

const char *ec_finding_text(enum ec_finding f)
{
    static const char *const texts[] = {
#define FINDING_TEXT(name, text) text,
        EC_FINDING_LIST(FINDING_TEXT)
#undef FINDING_TEXT
    };

    return texts[f];
}

struct check {
    struct ec_store *s;
    struct ec_store_check *c;
    struct ec_dict devices; /* index into device[] */
    const struct ec_device **device;
    int n_devices, cap_devices;
    struct ec_err *err;
};

static enum ec_status find(struct check *k, enum ec_finding f, int64_t id)
{
    const char *name = ec_finding_name(f);
    sqlite3_stmt *q = NULL;

    k->c->found[f]++;
    if (!k->c->example[f] || id < k->c->example[f])
        k->c->example[f] = id;
    if (!k->s->in_batch || f == EC_FIND_device_unknown)
        return EC_OK;
    EC_PASS(ec__store_stmt(k->s, EC_Q_FINDING_ADD, &q, k->err));
    (void)sqlite3_bind_int64(q, 1, id);
    (void)sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
    return ec__store_run(k->s, q, k->err);
}

/* The catalogue's row; NULL: none. */
static enum ec_status device_of(struct check *k, const char *key, const struct ec_device **ret)
{
    int64_t at = 0;

    if (!ec__dict_find(&k->devices, key, &at)) {
        EC_PASS(ec_grow(&k->device, &k->cap_devices, k->n_devices + 1, sizeof *k->device, k->err));
        k->device[k->n_devices] = NULL;
        if (ec_device_find(key, &k->device[k->n_devices], NULL))
            k->device[k->n_devices] = NULL;
        at = k->n_devices++;
        EC_PASS(ec__dict_add(&k->devices, key, at, k->err));
    }
    *ret = k->device[at];
    return EC_OK;
}

/* UNSUPPORTED when the row's mode is none that has a step. */
static enum ec_status step_of(const struct ec_stored *row, const struct ec_owned_case *c,
                              struct ec_step *ret)
{
    return row->r.foreign[EC_WORD_MODE]
               ? EC_E_UNSUPPORTED
               : ec_step_of_case(&c->c, row->r.phase, row->r.cond.mode, ret, NULL);
}

/* Counts the work of a row. Failures other than NOMEM mean that it cannot be counted; *ret_case:
 * the text is a case. */
static enum ec_status needs_of(const struct ec_stored *row, struct ec_step_need *ret,
                               bool *ret_case)
{
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    *ret_case = false;
    EC_TRY(ec_case_parse(row->r.what, &c, NULL));
    *ret_case = true;
    EC_TRY(step_of(row, &c, &step));
    *ret = ec_step_need(&step, ec_precision_word_bytes(ec_record_word(&row->r, EC_WORD_PRECISION)));
out:
    ec_step_clear(&step);
    ec_case_clear(&c);
    return st;
}

static enum ec_status check_rates(struct check *k, const struct ec_stored *row,
                                  const struct ec_device *d, const struct ec_step_need *need)
{
    double n = row->r.num_devices > 1 ? (double)row->r.num_devices : 1;
    double cache = d->l2_bytes.value > 0 ? CACHE_FACTOR * d->l2_bytes.value : CACHE_UNKNOWN_BYTES;
    double seconds = row->r.time.ns * 1e-9;
    double flop_s = ec_highest_flop_per_s(d, ec_record_word(&row->r, EC_WORD_PRECISION)) * n;
    double bytes_s = d->memory_bytes_per_s.value * n;
    double over = flop_s > 0 ? need->flop / seconds / flop_s : 0;
    double least_over = flop_s > 0 ? need->least_flop / seconds / flop_s : 0;

    k->c->judged++;
    if (over > EC_PEAK_MARGIN && least_over <= EC_PEAK_MARGIN)
        k->c->winograd++;
    else if (over > EC_PEAK_MARGIN)
        EC_PASS(find(k, EC_FIND_rate_above_peak, row->id));
    if (bytes_s > 0 && need->bytes > cache && need->bytes / seconds > EC_PEAK_MARGIN * bytes_s)
        EC_PASS(find(k, EC_FIND_bandwidth_above_peak, row->id));
    return EC_OK;
}

/* Compares an operator with its device, when both are known. */
static enum ec_status check_operator(struct check *k, const struct ec_stored *row,
                                     const struct ec_device *d)
{
    bool is_case = false;
    struct ec_step_need need;
    enum ec_status st = needs_of(row, &need, &is_case);

    if (st == EC_E_NOMEM)
        return ec_nomem(k->err);
    if (d && !st && row->r.time.known && row->r.time.ns > 0)
        return check_rates(k, row, d, &need);
    k->c->not_judged += d != NULL;
    return is_case ? EC_OK : find(k, EC_FIND_case_not_understood, row->id);
}

static enum ec_status check_figures(struct check *k, const struct ec_stored *row)
{
    const struct ec_record *r = &row->r;

    if (!r->time.known && r->memory_peak_bytes <= 0 && ec_str_eq(r->outcome, "ok"))
        return find(k, EC_FIND_no_time, row->id);
    if (!r->time.known)
        return EC_OK;
    if (!(r->time.ns > 0))
        EC_PASS(find(k, EC_FIND_time_not_positive, row->id));
    if (r->min.known && r->min.ns > r->time.ns)
        EC_PASS(find(k, EC_FIND_min_above_time, row->id));
    if (r->max.known && r->max.ns < r->time.ns)
        EC_PASS(find(k, EC_FIND_max_below_time, row->id));
    return EC_OK;
}

static enum ec_status check_row(struct check *k, const struct ec_stored *row)
{
    const struct ec_device *d = NULL;

    k->c->measurements++;
    if (ec__describes(row->r.kind)) {
        k->c->descriptions++;
        return EC_OK;
    }
    EC_PASS(check_figures(k, row));
    EC_PASS(device_of(k, row->r.device, &d));
    k->c->no_device += !d;
    if (!d)
        EC_PASS(find(k, EC_FIND_device_unknown, row->id));
    if (d && d->memory_bytes.value > 0 && row->r.memory_peak_bytes > d->memory_bytes.value)
        EC_PASS(find(k, EC_FIND_memory_above_device, row->id));
    if (row->r.kind == EC_KIND_operator)
        EC_PASS(check_operator(k, row, d));
    else
        k->c->others += d != NULL;
    return EC_OK;
}

/* Notes the finding for each row that the statement gives. */
static enum ec_status find_all(struct check *k, enum ec_finding f, const char *sql)
{
    sqlite3_stmt *q = NULL;
    enum ec_status st = EC_OK;
    int64_t n = 0;
    int rc;

    EC_PASS(ec__store_ask(k->s, sql, "cannot ask the store", &q, k->err));
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        EC_TRY(ec__store_count(k->s, ++n, k->err));
        EC_TRY(find(k, f, sqlite3_column_int64(q, 0)));
    }
    if (rc != SQLITE_DONE)
        EC_TRY(ec__store_fail(k->s, rc, "cannot read the store", k->err));
out:
    (void)sqlite3_finalize(q);
    return st;
}

/* SQLite keeps any text in any column: other tools may have written the file. A time below zero is
 * a finding of its own. */
static enum ec_status check_numbers(struct check *k)
{
    struct ec_buf sql = EC_BUF_INIT;
    const struct ec_record_col *c;
    enum ec_status st;

    ec_buf_str(&sql, "SELECT id FROM measurement WHERE 0");
    for (c = ec_record_cols; c->name; c++)
        if (c->table == 'm' &&
            (c->type == EC_C_TIME || c->type == EC_C_NUMBER || c->type == EC_C_COUNT))
            ec_buf_printf(&sql, " OR typeof(%s) IN ('text', 'blob') OR %s > 1e18 OR %s < %s",
                          ec__column_sql(c), ec__column_sql(c), ec__column_sql(c),
                          c->offset == offsetof(struct ec_record, time) ? "-1e18" : "0");
    ec_buf_str(&sql, " ORDER BY id");
    EC_TRY(ec_buf_status(&sql, k->err));
    EC_TRY(find_all(k, EC_FIND_not_a_number, ec_buf_text(&sql)));
out:
    ec_buf_clear(&sql);
    return st;
}

static enum ec_status check_all(struct check *k)
{
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(ec_store_select(k->s, NULL, &rows, k->err));
    EC_TRY(ec_store_next(rows, &row, k->err));
    while (row) {
        EC_TRY(check_row(k, row));
        EC_TRY(ec_store_next(rows, &row, k->err));
    }
    EC_TRY(check_numbers(k));
    EC_TRY(find_all(k, EC_FIND_repeats_disagree, REPEATS_SQL(EC_STATEMENT)));
out:
    ec_store_rows_free(rows);
    return st;
}

enum ec_status ec_store_check(struct ec_store *s, bool write, struct ec_store_check *ret,
                              struct ec_err *err)
{
    struct ec_store_check c = { 0 };
    struct check k = { .s = s, .c = &c, .err = err };
    enum ec_status st = EC_OK;

    if (write)
        EC_TRY(ec_store_begin(s, err));
    if (write)
        st = ec__store_exec(s, "DELETE FROM finding", err);
    if (!st)
        st = check_all(&k);
    if (write)
        st = ec__store_end(s, st, err);
    if (!st)
        *ret = c;
out:
    ec__dict_clear(&k.devices);
    ec_free(k.device);
    return st;
}
