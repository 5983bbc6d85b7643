/* Databases that Nsight Systems exports (`nsys export --type sqlite`). Its columns drift: each
 * table is asked in the words of today, then in older ones; only what is a table is asked, never a
 * view. */
#include "trace/trace_internal.h"

#include <sqlite3.h>
#include <string.h>

#define ROW_MOST_BYTES (1 << 20)
#define STEPS_BETWEEN 1000000 /* of SQLite's machine, after which the user is asked */

struct reading {
    struct ec_trace *t;
    sqlite3 *db;
    struct ec__numbers names; /* StringIds: its id plus 1, the text */
    ec_trace_progress progress;
    void *arg;
    int64_t file_bytes;
    char of_device[64], of_host[160]; /* which rows: of one device, and of its processes */
};

/* Columns: start, end, id of the name or NULL, the name, process, thread or stream, correlation. */
#define KERNELS "CUPTI_ACTIVITY_KIND_KERNEL"
static const struct {
    const char *table, *category, *columns[2];
} tables[] = {
    {KERNELS,
     "kernel",          { "start, [end], demangledName, NULL, deviceId, streamId, correlationId" }},
    { "CUPTI_ACTIVITY_KIND_RUNTIME",
     "cuda_runtime",    { "start, [end], nameId, NULL, '', globalTid, correlationId" }            },
    { "CUPTI_ACTIVITY_KIND_MEMCPY",
     "gpu_memcpy",      { "start, [end], NULL, CASE copyKind WHEN 1 THEN 'Memcpy HtoD' WHEN 2 THEN "
        "'Memcpy DtoH' WHEN 8 THEN 'Memcpy DtoD' WHEN 10 THEN 'Memcpy PtoP' ELSE "
        "'Memcpy' END, deviceId, streamId, correlationId",
        "start, [end], NULL, 'Memcpy', deviceId, streamId, correlationId" }     },
    { "CUPTI_ACTIVITY_KIND_MEMSET",
     "gpu_memset",      { "start, [end], NULL, 'Memset', deviceId, streamId, correlationId" }     },
    { "NVTX_EVENTS",
     "user_annotation", { "start, [end], textId, text, '', globalTid, 0",
        "start, [end], NULL, text, '', globalTid, 0" }                     },
};

static int ask_user(void *arg)
{
    struct reading *r = arg;

    r->t->is_stopped = !r->progress(r->arg, 0, r->file_bytes);
    return r->t->is_stopped;
}

/* The rows of a table, in the first columns that it has. NULL: there is no such table. */
static enum ec_status ask(struct reading *r, const char *table, const char *const *columns, int n,
                          const char *rows, sqlite3_stmt **ret, struct ec_err *err)
{
    sqlite3_stmt *s = NULL;
    char sql[384];
    int i, rc;

    *ret = NULL;
    (void)ec_snprintf(sql, sizeof sql,
                      "SELECT 1 FROM sqlite_master WHERE type='table' AND name='%s'", table);
    if (sqlite3_prepare_v2(r->db, sql, -1, &s, NULL))
        return ec_fail(
            err, EC_E_PARSE, "is not a database of Nsight Systems: %s%s", sqlite3_errmsg(r->db),
            sqlite3_errcode(r->db) == SQLITE_NOTADB ? "; if it is packed, unpack it" : "");
    rc = sqlite3_step(s);
    (void)sqlite3_finalize(s);
    for (i = 0; rc == SQLITE_ROW && i < n && columns[i]; i++) {
        (void)ec_snprintf(sql, sizeof sql, "SELECT %s FROM %s %s", columns[i], table, rows);
        if (!sqlite3_prepare_v2(r->db, sql, -1, ret, NULL))
            return EC_OK;
    }
    return rc == SQLITE_ROW ? ec_fail(err, EC_E_PARSE, "the table %s is of an unknown version: %s",
                                      table, sqlite3_errmsg(r->db))
                            : EC_OK;
}

static struct ec_span text_at(sqlite3_stmt *s, int column)
{
    const char *p = (const char *)sqlite3_column_text(s, column);

    return (struct ec_span){ p ? p : "", p ? (size_t)sqlite3_column_bytes(s, column) : 0 };
}

/* After the last row: what ended it. */
static enum ec_status ended(struct reading *r, int rc, struct ec_err *err)
{
    if (rc == SQLITE_DONE || r->t->is_stopped)
        return EC_OK;
    if (rc == SQLITE_NOMEM)
        return ec_nomem(err);
    r->t->is_cut = true;
    (void)ec_snprintf(r->t->cut, sizeof r->t->cut, "the database is damaged: %s, after event %lld",
                      sqlite3_errmsg(r->db), (long long)r->t->n_seen);
    return EC_OK;
}

static enum ec_status read_names(struct reading *r, struct ec_err *err)
{
    sqlite3_stmt *s = NULL;
    enum ec_status st = EC_OK;
    int rc = SQLITE_DONE;

    EC_TRY(ask(r, "StringIds", (const char *const[]){ "id, value" }, 1, "", &s, err));
    while (s && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(s, 0);
        uint32_t text;

        if (id < 0 || id >= UINT32_MAX)
            continue;
        EC_TRY(ec__trace_text(r->t, text_at(s, 1), &text, err));
        EC_TRY(ec__numbers_add(&r->names, (uint32_t)id + 1, text, err));
    }
    EC_TRY(ended(r, rc, err));
    ec__numbers_sort(&r->names);
out:
    (void)sqlite3_finalize(s);
    return st;
}

/* "aten::mul, seq = 5, op_id = 3, sizes = [[64, 3], []]", of torch.autograd.profiler.emit_nvtx */
static void operator_of(struct ec_span *name, struct ec__seen *e)
{
    const char *sizes = memmem(name->p, name->len, ", sizes = ", 10);
    const char *seq = memmem(name->p, name->len, ", seq = ", 8);
    const char *comma = memchr(name->p, ',', name->len);

    if (!memmem(name->p, name->len, ", op_id = ", 10) && !sizes && !seq)
        return;
    e->category = ec_span_of("cpu_op");
    if (sizes)
        e->dims = (struct ec_span){ sizes + 10, (size_t)(name->p + name->len - sizes - 10) };
    if (seq)
        e->sequence = (struct ec_span){ seq + 8, strspn(seq + 8, "0123456789") };
    name->len = (size_t)(comma - name->p);
}

static enum ec_status add_row(struct reading *r, sqlite3_stmt *s, const char *category,
                              struct ec_err *err)
{
    struct ec__seen e = { .phase = ec_span_of("X"), .category = ec_span_of(category) };
    int64_t start = sqlite3_column_int64(s, 0), dur;
    int64_t id = sqlite3_column_int64(s, 2);
    uint32_t text = EC_TRACE_NIL;

    if (sqlite3_column_type(s, 2) != SQLITE_NULL && id >= 0 && id < UINT32_MAX)
        text = ec__numbers_find(&r->names, (uint32_t)id + 1);
    e.name = text == EC_TRACE_NIL ? text_at(s, 3) : ec_span_of(r->t->text[text]);
    e.process = text_at(s, 4);
    e.thread = text_at(s, 5);
    e.call = text_at(s, 6);
    e.is_timed = sqlite3_column_type(s, 1) == SQLITE_INTEGER &&
                 !__builtin_sub_overflow(sqlite3_column_int64(s, 1), start, &dur);
    e.start_ns = start;
    e.dur_ns = e.is_timed ? dur : 0;
    if (ec_str_eq(category, "user_annotation"))
        operator_of(&e.name, &e);
    return ec__trace_see(r->t, &e, err);
}

static enum ec_status read_table(struct reading *r, int which, struct ec_err *err)
{
    sqlite3_stmt *s = NULL;
    enum ec_status st = EC_OK;
    int rc = SQLITE_DONE;

    EC_TRY(ask(r, tables[which].table, tables[which].columns, EC_LEN(tables[which].columns),
               strstr(tables[which].columns[0], "deviceId") ? r->of_device : r->of_host, &s, err));
    while (s && (rc = sqlite3_step(s)) == SQLITE_ROW)
        EC_TRY(add_row(r, s, tables[which].category, err));
    EC_TRY(ended(r, rc, err));
out:
    (void)sqlite3_finalize(s);
    return st;
}

/* Of several devices the one that is asked for, by number, is a rank of its own. Its host is what
 * runs in its processes: correlation ids of two processes are the same numbers. */
static void find_device(struct reading *r)
{
    sqlite3_stmt *s = NULL;
    int64_t id = 0;

    /* an odd table is refused when it is read */
    if (ask(r, KERNELS, (const char *const[]){ "DISTINCT deviceId" }, 1, "ORDER BY 1", &s, NULL))
        return;
    while (s && sqlite3_step(s) == SQLITE_ROW)
        if (r->t->n_gpus++ == r->t->gpu)
            id = sqlite3_column_int64(s, 0);
    (void)sqlite3_finalize(s);
    if (r->t->n_gpus < 2)
        return;
    r->t->rank = r->t->gpu;
    r->t->ranks = r->t->n_gpus;
    (void)ec_snprintf(r->of_device, sizeof r->of_device, "WHERE deviceId = %lld", (long long)id);
    (void)ec_snprintf(r->of_host, sizeof r->of_host,
                      "WHERE globalTid >> 24 IN (SELECT globalPid >> 24 FROM " KERNELS " %s)",
                      r->of_device);
}

static enum ec_status read_device(struct reading *r, struct ec_err *err)
{
    sqlite3_stmt *s = NULL;
    enum ec_status st = ask(r, "TARGET_INFO_GPU", (const char *const[]){ "name" }, 1, "", &s, err);

    if (s && sqlite3_step(s) == SQLITE_ROW) {
        (void)ec_snprintf(r->t->device, sizeof r->t->device, "%s", text_at(s, 0).p);
        (void)ec_plain_text(r->t->device, strlen(r->t->device), "");
    }
    (void)sqlite3_finalize(s);
    return st;
}

enum ec_status ec__nsys_read(const char *path, void *data, size_t len, ec_trace_progress progress,
                             void *arg, struct ec_trace *t, struct ec_err *err)
{
    struct reading r = { .t = t, .progress = progress, .arg = arg, .file_bytes = (int64_t)len };
    enum ec_status st = EC_OK;
    int i;

    if (sqlite3_open_v2(data ? ":memory:" : path, &r.db,
                        data ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, NULL) ||
        (data && sqlite3_deserialize(r.db, "main", data, (sqlite3_int64)len, (sqlite3_int64)len,
                                     SQLITE_DESERIALIZE_READONLY)))
        EC_TRY(ec_fail(err, EC_E_PARSE, "is no database that SQLite can open: %s",
                       sqlite3_errmsg(r.db)));
    (void)sqlite3_limit(r.db, SQLITE_LIMIT_LENGTH, ROW_MOST_BYTES);
    (void)sqlite3_db_config(r.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(r.db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (progress)
        sqlite3_progress_handler(r.db, STEPS_BETWEEN, ask_user, &r);
    find_device(&r);
    EC_TRY(read_names(&r, err));
    for (i = 0; i < EC_LEN(tables) && !t->is_cut && !t->is_stopped; i++)
        EC_TRY(read_table(&r, i, err));
    EC_TRY(read_device(&r, err));
    if (!t->n_seen && !t->is_stopped)
        EC_TRY(ec_fail(err, EC_E_PARSE,
                       "has no events: expected tables of Nsight Systems, as nsys export writes"));
    EC_TRY(ec__trace_end(t, err));
out:
    ec_free(r.names.v);
    (void)sqlite3_close(r.db);
    return st;
}
