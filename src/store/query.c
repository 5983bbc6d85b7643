/* Reading: measurements joined with what they name, in the order in which they were stored. */
#include "store/store_internal.h"

#include <string.h>

/* The columns of a row, in the order of the struct's filling. Times that the source does not give
 * are the median of the samples. */
static const char select_sql[] =
    "SELECT m.id, m.source_row, m.reading, c.kind, c.what, c.family, d.key, d.name, "
    "w.framework, w.framework_version, w.libraries, m.precision, m.memory_format, m.mode, m.phase, "
    "m.optimizer, m.batch, m.image_px, m.seq_len, m.num_devices, m.outcome, "
    "coalesce(m.time_ns, (SELECT ns FROM (SELECT coalesce(device_ns, host_ns) AS ns, "
    "  row_number() OVER (ORDER BY coalesce(device_ns, host_ns)) AS k, count(*) OVER () AS n "
    "  FROM sample WHERE measurement_id = m.id AND coalesce(device_ns, host_ns) IS NOT NULL) "
    "  WHERE k = (n + 1) / 2)) AS time, "
    "m.time_stat, m.time_min_ns, m.time_max_ns, m.time_mean_ns, m.time_std_ns, m.n_samples, "
    "m.memory_peak_bytes, m.memory_kind, m.flags, m.extra_json, "
    "m.method, m.run, m.threads, m.n_warm_up, m.memory_reserved_bytes, m.held_out, "
    "(SELECT group_concat(reason, ' ') FROM finding WHERE measurement_id = m.id), "
    "s.key, s.name, s.layout, s.licence, s.url, s.sha256, s.file_name, s.imported_utc, "
    "h.record_json, (SELECT count(*) FROM sample WHERE measurement_id = m.id) "
    "FROM measurement m JOIN source s ON s.id = m.source_id JOIN device d ON d.id = m.device_id "
    "JOIN software w ON w.id = m.software_id JOIN cas c ON c.id = m.cas_id "
    "LEFT JOIN machine h ON h.id = m.machine_id WHERE 1";

struct ec_store_rows {
    struct ec_store *s;
    sqlite3_stmt *q;
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

    ec_buf_str(sql, select_sql);
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
    int n, i, rc;

    if (!rows)
        return ec_nomem(err);
    rows->s = s;
    query = query ? query : &all;
    n = list_conditions(query, c);
    EC_TRY(write_sql(query, c, n, &sql, err));
    rc = sqlite3_prepare_v2(s->db, ec_buf_text(&sql), -1, &rows->q, NULL);
    if (rc)
        EC_TRY(ec__store_fail(s, rc, "cannot ask the store", err));
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
    ec_free(rows);
}

/* Columns are taken from left to right. */
struct cursor {
    sqlite3_stmt *q;
    int at;
};

static const char *take_text(struct cursor *c)
{
    const char *text = (const char *)sqlite3_column_text(c->q, c->at++);

    return text ? text : "";
}

static int64_t take_int(struct cursor *c)
{
    return sqlite3_column_int64(c->q, c->at++);
}

static struct ec_reading take_time(struct cursor *c)
{
    struct ec_reading v = { .known = sqlite3_column_type(c->q, c->at) != SQLITE_NULL };

    v.ns = sqlite3_column_double(c->q, c->at++);
    return v;
}

static void take_conditions(struct cursor *c, struct ec_stored *row)
{
    struct ec_record *r = &row->r;

    row->id = take_int(c);
    r->m.row = (int)take_int(c);
    r->reading = take_text(c);
    r->kind = take_text(c);
    r->m.what = take_text(c);
    r->m.family = take_text(c);
    r->m.device = take_text(c);
    r->device_name = take_text(c);
    r->m.framework = take_text(c);
    r->framework_version = take_text(c);
    r->libraries = take_text(c);
    r->m.precision = take_text(c);
    r->m.memory_format = take_text(c);
    r->m.mode = take_text(c);
    row->phase = take_text(c);
    r->m.optimizer = take_text(c);
    r->m.batch = take_int(c);
    r->m.image_px = take_int(c);
    r->m.seq_len = take_int(c);
    r->num_devices = take_int(c);
}

static void take_figures(struct cursor *c, struct ec_stored *row)
{
    struct ec_record *r = &row->r;

    r->outcome = take_text(c);
    r->time = take_time(c);
    r->time_stat = take_text(c);
    r->min = take_time(c);
    r->max = take_time(c);
    r->mean = take_time(c);
    r->std = take_time(c);
    r->n_samples = take_int(c);
    r->m.memory_bytes = (double)take_int(c);
    r->memory_kind = take_text(c);
    r->flags = take_text(c);
    r->extra = take_text(c);
    r->method = take_text(c);
    r->run = take_text(c);
    r->threads = take_int(c);
    r->n_warm_up = take_int(c);
    r->memory_reserved_bytes = take_int(c);
    row->held_out = take_int(c);
    r->held_out = row->held_out != 0;
    row->findings = take_text(c);
}

static void take_row(sqlite3_stmt *q, struct ec_stored *row)
{
    struct cursor c = { q, 0 };

    memset(row, 0, sizeof *row);
    take_conditions(&c, row);
    take_figures(&c, row);
    row->source_key = take_text(&c);
    row->source_name = take_text(&c);
    row->r.m.layout = take_text(&c);
    row->licence = take_text(&c);
    row->url = take_text(&c);
    row->sha256 = take_text(&c);
    row->file_name = take_text(&c);
    row->imported = take_text(&c);
    row->machine_json = take_text(&c);
    row->n_samples = take_int(&c);
    row->r.m.is_network = ec_str_eq(row->r.kind, "network");
    row->r.m.input_copy = strstr(row->r.extra, "_incl_h2d"); /* the source's word for the mode */
    row->r.m.queued = !row->r.m.is_network && !strncmp(row->r.m.layout, "campaign-", 9) &&
                      strstr(row->r.libraries, "cuda=");
    row->r.m.half_inputs = row->r.m.queued && (strstr(row->r.extra, "\"inputs\":\"fp16\"") ||
                                               strstr(row->r.extra, "\"inputs\":\"bf16\""));
    row->r.m.activation = "none"; /* a column of it is in r.extra */
    row->r.m.time_ns = row->r.time.known ? row->r.time.ns : 0;
    row->r.m.phase = -1;
    row->r.iteration = -1;
    row->r.samples = row->r.device_samples = row->r.machine = "";
}

enum ec_status ec_store_next(struct ec_store_rows *rows, const struct ec_stored **ret,
                             struct ec_err *err)
{
    int rc = sqlite3_step(rows->q);

    *ret = NULL;
    if (rc == SQLITE_DONE)
        return EC_OK;
    if (rc != SQLITE_ROW)
        return ec__store_fail(rows->s, rc, "cannot read the store", err);
    take_row(rows->q, &rows->row);
    if (sqlite3_errcode(rows->s->db) == SQLITE_NOMEM) /* a text that could not be handed over */
        return ec_nomem(err);
    *ret = &rows->row;
    return EC_OK;
}

enum ec_status ec_store_samples(struct ec_store *s, int64_t measurement_id, struct ec_arena *a,
                                struct ec_sample **ret, int *ret_n, struct ec_err *err)
{
    static const char sql[] = "SELECT iteration, host_ns, device_ns, flags FROM sample "
                              "WHERE measurement_id = ?1 ORDER BY iteration";
    struct ec_sample *v = NULL;
    sqlite3_stmt *q = NULL;
    enum ec_status st = EC_OK;
    int n = 0, cap = 0, rc;

    rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
    if (rc)
        return ec__store_fail(s, rc, "cannot ask the store", err);
    (void)sqlite3_bind_int64(q, 1, measurement_id);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        EC_TRY(ec_grow(&v, &cap, n + 1, sizeof *v, err));
        v[n].iteration = sqlite3_column_int64(q, 0);
        v[n].host_ns = sqlite3_column_int64(q, 1);
        v[n].device_ns = sqlite3_column_int64(q, 2);
        v[n].flags = ec_arena_str(a, (const char *)sqlite3_column_text(q, 3));
        if (!v[n++].flags)
            EC_TRY(ec_nomem(err));
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
    static const char sql[] =
        "SELECT s.key, s.name, s.layout, s.licence, s.url, s.sha256, s.file_name, s.imported_utc, "
        "count(m.id), count(DISTINCT m.device_id), count(DISTINCT m.cas_id), "
        "(SELECT count(*) FROM sample JOIN measurement x ON x.id = sample.measurement_id "
        "WHERE x.source_id = s.id) "
        "FROM source s LEFT JOIN measurement m ON m.source_id = s.id GROUP BY s.id ORDER BY s.key";
    struct ec_store_source_row *v = NULL;
    sqlite3_stmt *q = NULL;
    enum ec_status st = EC_OK;
    int n = 0, cap = 0, rc;

    rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
    if (rc)
        return ec__store_fail(s, rc, "cannot ask the store", err);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        EC_TRY(ec_grow(&v, &cap, n + 1, sizeof *v, err));
        v[n].key = arena_column(a, q, 0, &st, err);
        v[n].name = arena_column(a, q, 1, &st, err);
        v[n].layout = arena_column(a, q, 2, &st, err);
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
