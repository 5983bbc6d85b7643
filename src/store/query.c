/* Reading: measurements joined with what they name, in the order in which they were stored. */
#include "store/store_internal.h"

#include <string.h>

/* What the list of columns does not have, and then each of its columns that is in the store. */
static void select_sql(struct ec_buf *sql)
{
    const struct ec_record_col *c;

    ec_buf_str(sql, "SELECT m.id, (SELECT count(*) FROM sample WHERE measurement_id = m.id), "
                    "(SELECT group_concat(reason, ' ') FROM finding WHERE measurement_id = m.id)");
    for (c = ec_record_cols; c->name; c++)
        if (c->table && ec_str_eq(c->name, "time_ns"))
            ec_buf_str(sql, ", " TIME_SQL(EC_STATEMENT));
        else if (c->table)
            ec_buf_printf(sql, ", %c.%s", c->table, ec__column_sql(c));
    ec_buf_str(sql, " " FROM_SQL(EC_STATEMENT));
}

struct ec_store_rows {
    struct ec_store *s;
    sqlite3_stmt *q;
    int64_t n; /* rows so far */
    struct ec_stored row;
};

/* Conditions: the text they compare with is bound in turn; NULL leaves the condition out. */
#define CONDITIONS_MAX 8
struct condition {
    const char *text, *sql;
};

static int list_conditions(const struct ec_store_query *q, struct condition *c)
{
    /* clang-format off */
    const struct condition all[] = {
        { q->device, " AND m.device_id IN (WITH RECURSIVE part(p, rest) AS ("
                     "SELECT '', lower(?) || ',' UNION ALL "
                     "SELECT trim(substr(rest, 1, instr(rest, ',') - 1)), "
                     "substr(rest, instr(rest, ',') + 1) FROM part WHERE rest <> '') "
                     "SELECT id FROM device, part WHERE (p <> '' AND (lower(key) GLOB p "
                     "OR lower(name) GLOB p)) OR lower(name) GLOB lower(?1))" },
        { q->op, " AND c.kind = 'operator' AND (c.what || ' ') GLOB lower(?) || ' *'" },
        { q->network, " AND c.kind <> 'operator' AND lower(c.what) GLOB lower(?)" },
        { q->source, " AND m.source_id IN "
                     "(SELECT id FROM source WHERE lower(key) GLOB lower(?))" },
        { q->kind, " AND c.kind = ?" },
        { q->precision, " AND m.precision = ?" },
    };
    /* clang-format on */
    int i, n = 0;

    for (i = 0; i < EC_LEN(all); i++)
        if (all[i].text && *all[i].text)
            c[n++] = all[i];
    return n;
}

static enum ec_status write_sql(const struct ec_store_query *q, const struct condition *c, int n,
                                struct ec_buf *sql, struct ec_err *err)
{
    int i;

    select_sql(sql);
    for (i = 0; i < n; i++)
        ec_buf_str(sql, c[i].sql);
    if (q->only_ok)
        ec_buf_str(sql, " AND m.outcome = 'ok' AND (time > 0 OR m.memory_peak_bytes > 0)");
    if (q->leave_flagged)
        ec_buf_str(sql, " AND m.flags = '' AND NOT EXISTS "
                        "(SELECT 1 FROM finding WHERE measurement_id = m.id)");
    if (q->id)
        ec_buf_printf(sql, " AND m.id = %lld", (long long)q->id);
    ec_buf_str(sql, " ORDER BY m.id");
    if (q->limit > 0)
        ec_buf_printf(sql, " LIMIT %lld", (long long)q->limit);
    return ec_buf_status(sql, err);
}

enum ec_status ec_store_select(struct ec_store *s, const struct ec_store_query *query,
                               struct ec_store_rows **ret, struct ec_err *err)
{
    static const struct ec_store_query all = { 0 };
    struct condition c[CONDITIONS_MAX];
    struct ec_store_rows *rows = ec_alloc(sizeof *rows);
    struct ec_buf sql = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int n, i;

    EC_PASS(ec_allocated(rows, err));
    rows->s = s;
    s->users++;
    query = query ? query : &all;
    n = list_conditions(query, c);
    EC_TRY(write_sql(query, c, n, &sql, err));
    EC_TRY(ec__store_ask(s, ec_buf_text(&sql), "cannot ask the store", &rows->q, err));
    for (i = 0; i < n; i++)
        if (sqlite3_bind_text(rows->q, i + 1, c[i].text, -1, SQLITE_TRANSIENT))
            EC_TRY(ec_nomem(err));
    *ret = rows;
    rows = NULL;
out:
    ec_buf_clear(&sql);
    ec_store_rows_free(rows);
    return st;
}

void ec_store_rows_free(struct ec_store_rows *rows)
{
    if (!rows)
        return;
    (void)sqlite3_finalize(rows->q);
    ec_store_close(rows->s);
    ec_free(rows);
}

static const char *text_at(sqlite3_stmt *q, int at)
{
    const char *text = (const char *)sqlite3_column_text(q, at);

    return text ? text : "";
}

static void take_cell(sqlite3_stmt *q, int at, const struct ec_record_col *c, struct ec_record *r,
                      struct ec_row_fault *fault)
{
    char *to = (char *)r + c->offset;
    struct ec_reading reading;
    int64_t count;
    double v;
    int n;

    switch (c->type) {
    case EC_C_COUNT:
        count = sqlite3_column_int64(q, at);
        memcpy(to, &count, sizeof count);
        return;
    case EC_C_ROW:
        n = sqlite3_column_int(q, at);
        memcpy(to, &n, sizeof n);
        return;
    case EC_C_NUMBER:
        v = (double)sqlite3_column_int64(q, at);
        memcpy(to, &v, sizeof v);
        return;
    case EC_C_TIME:
        reading.known = sqlite3_column_type(q, at) != SQLITE_NULL;
        reading.ns = sqlite3_column_double(q, at);
        memcpy(to, &reading, sizeof reading);
        return;
    case EC_C_FLAG:
        *(bool *)to = sqlite3_column_int64(q, at) != 0;
        return;
    case EC_C_TEXT:
    case EC_C_JSON:
    case EC_C_KIND:
    case EC_C_PHASE:
    case EC_C_WORD:
    case EC_C_LIBRARY:
        ec_record_set(c, r, text_at(q, at), fault);
    }
}

static enum ec_status take_row(struct ec_store_rows *rows, struct ec_err *err)
{
    struct ec_stored *row = &rows->row;
    const struct ec_record_col *c;
    struct ec_row_fault fault = { 0 };
    int at = 3;

    ec_record_init(&row->r);
    row->id = sqlite3_column_int64(rows->q, 0);
    row->n_samples = sqlite3_column_int64(rows->q, 1);
    row->findings = text_at(rows->q, 2);
    for (c = ec_record_cols; c->name; c++)
        if (c->table)
            take_cell(rows->q, at++, c, &row->r, &fault);
    if (sqlite3_errcode(rows->s->db) == SQLITE_NOMEM) /* a text that could not be handed over */
        return ec_nomem(err);
    if (fault.column)
        return ec_fail(err, EC_E_STORE, "measurement %lld, %s: found \"%.60s\", expected %s",
                       (long long)row->id, fault.column, fault.found, fault.expected);
    return EC_OK;
}

enum ec_status ec_store_next(struct ec_store_rows *rows, const struct ec_stored **ret,
                             struct ec_err *err)
{
    int rc = sqlite3_step(rows->q);
    enum ec_status st;

    *ret = NULL;
    if (rc == SQLITE_DONE)
        return EC_OK;
    if (rc != SQLITE_ROW)
        return ec__store_fail(rows->s, rc, "cannot read the store", err);
    st = ec__store_count(rows->s, ++rows->n, err);
    if (!st)
        st = take_row(rows, err);
    *ret = st ? NULL : &rows->row;
    return st;
}

enum ec_status ec_store_samples(struct ec_store *s, int64_t measurement_id, struct ec_arena *a,
                                struct ec_sample **ret, int *ret_n, struct ec_err *err)
{
    struct ec_sample *v = NULL;
    enum ec_status st = EC_OK;
    sqlite3_stmt *q = NULL;
    int n = 0, cap = 0, rc;

    EC_PASS(ec__store_stmt(s, EC_Q_SAMPLES, &q, err));
    (void)sqlite3_bind_int64(q, 1, measurement_id);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        EC_TRY(ec_grow(&v, &cap, n + 1, sizeof *v, err));
        v[n].iteration = sqlite3_column_int64(q, 0);
        v[n].host_ns = sqlite3_column_int64(q, 1);
        v[n].device_ns = sqlite3_column_int64(q, 2);
        v[n].flags = ec_arena_str(a, (const char *)sqlite3_column_text(q, 3));
        EC_TRY(ec_allocated(v[n++].flags, err));
    }
    if (rc != SQLITE_DONE)
        EC_TRY(ec__store_fail(s, rc, "cannot read the store", err));
    *ret = v;
    *ret_n = n;
    v = NULL;
out:
    (void)sqlite3_reset(q);
    ec_free(v);
    return st;
}

static const char *arena_column(struct ec_arena *a, sqlite3_stmt *q, int at, enum ec_status *st,
                                struct ec_err *err)
{
    const char *text = (const char *)sqlite3_column_text(q, at);
    const char *copy = ec_arena_str(a, text ? text : "");

    if (!copy)
        *st = ec_nomem(err);
    return copy;
}

enum ec_status ec_store_sources(struct ec_store *s, struct ec_arena *a,
                                struct ec_store_source_row **ret, int *ret_n, struct ec_err *err)
{
    struct ec_store_source_row *v = NULL;
    sqlite3_stmt *q = NULL;
    enum ec_status st = EC_OK;
    int n = 0, cap = 0, rc;

    EC_PASS(ec__store_ask(s, SOURCES_SQL(EC_STATEMENT), "cannot ask the store", &q, err));
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        EC_TRY(ec_grow(&v, &cap, n + 1, sizeof *v, err));
        v[n].key = arena_column(a, q, 0, &st, err);
        v[n].name = arena_column(a, q, 1, &st, err);
        v[n].mapping = arena_column(a, q, 2, &st, err);
        v[n].licence = arena_column(a, q, 3, &st, err);
        v[n].url = arena_column(a, q, 4, &st, err);
        v[n].sha256 = arena_column(a, q, 5, &st, err);
        v[n].file_name = arena_column(a, q, 6, &st, err);
        v[n].imported = arena_column(a, q, 7, &st, err);
        v[n].measurements = sqlite3_column_int64(q, 8);
        v[n].devices = sqlite3_column_int64(q, 9);
        v[n].cases = sqlite3_column_int64(q, 10);
        v[n++].samples = sqlite3_column_int64(q, 11);
        if (st)
            goto out;
    }
    if (rc != SQLITE_DONE)
        EC_TRY(ec__store_fail(s, rc, "cannot read the store", err));
    *ret = v;
    *ret_n = n;
    v = NULL;
out:
    (void)sqlite3_finalize(q);
    ec_free(v);
    return st;
}
