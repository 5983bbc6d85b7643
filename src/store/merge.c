/* Merging another store: rows are matched by source, row and reading, words by their texts. */
#include "store/store_internal.h"

#include <sys/stat.h>

#define TEXT(sql) sql,
static const char *const names[] = { MERGE_NAMES(TEXT) };

static void measurements(struct ec_buf *sql)
{
    ec_buf_str(sql, "INSERT OR IGNORE INTO main.measurement(source_id, machine_id, device_id, "
                    "software_id, cas_id, ");
    ec__measurement_columns("", sql);
    ec_buf_str(sql, ") SELECT s.id, h.id, d.id, w.id, c.id, ");
    ec__measurement_columns("om.", sql);
    ec_buf_printf(sql, " %s", MERGE_MEASUREMENTS_FROM(EC_STATEMENT));
}

static enum ec_status ask(struct ec_store *s, const char *sql, int64_t *ret, const char **ret_text,
                          struct ec_arena *a, struct ec_err *err)
{
    sqlite3_stmt *q = NULL;
    enum ec_status st = EC_OK;
    int rc;

    EC_PASS(ec__store_ask(s, sql, "cannot read the other store", &q, err));
    rc = sqlite3_step(q);
    if (rc == SQLITE_ROW && ret)
        *ret = sqlite3_column_int64(q, 0);
    else if (rc == SQLITE_ROW)
        *ret_text = ec_arena_str(a, (const char *)sqlite3_column_text(q, 0));
    else if (rc != SQLITE_DONE)
        st = ec__store_fail(s, rc, "cannot read the other store", err);
    (void)sqlite3_finalize(q);
    return st;
}

/* Refuses one key for two files, whose rows would count as the same. */
static enum ec_status check_keys(struct ec_store *s, struct ec_err *err)
{
    static const char sql[] =
        "SELECT o.key FROM other.source o JOIN main.source s ON s.key = o.key "
        "WHERE o.sha256 <> s.sha256 ORDER BY o.key LIMIT 1";
    struct ec_arena a = { 0 };
    const char *key = NULL;
    enum ec_status st = ask(s, sql, NULL, &key, &a, err);

    if (!st && key)
        st = ec_fail(err, EC_E_INPUT,
                     "both stores have a source \"%.100s\", made from different files: "
                     "import one of them under another --source",
                     key);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status copy_rows(struct ec_store *s, struct ec_store_counts *c, struct ec_err *err)
{
    struct ec_buf sql = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    measurements(&sql);
    EC_TRY(ec_buf_status(&sql, err));
    EC_TRY(ask(s, "SELECT sum(1) FROM other.measurement", &c->rows, NULL, NULL, err));
    for (i = 0; i < EC_LEN(names); i++)
        EC_TRY(ec__store_exec(s, names[i], err));
    EC_TRY(ec__store_exec(s, ec_buf_text(&sql), err));
    c->added = sqlite3_changes(s->db);
    c->known = c->rows - c->added;
    EC_TRY(ec__store_exec(s, MERGE_SAMPLES(EC_STATEMENT), err));
    c->samples = sqlite3_changes(s->db);
out:
    ec_buf_clear(&sql);
    return st;
}

static enum ec_status attach(struct ec_store *s, const char *path, struct ec_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(s->db, "ATTACH ?1 AS other", -1, &q, NULL);

    s->other_bytes = ec__store_bytes(path);
    if (!rc) {
        (void)sqlite3_bind_text(q, 1, path, -1, SQLITE_STATIC);
        rc = sqlite3_step(q);
    }
    (void)sqlite3_finalize(q);
    return rc == SQLITE_DONE ? EC_OK : ec__store_fail(s, rc, "cannot open the other store", err);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

enum ec_status ec_store_merge(struct ec_store *s, const char *other, struct ec_store_counts *ret,
                              struct ec_err *err)
{
    struct ec_store_counts c = { 0 };
    struct ec_store *o = NULL;
    bool attached = false;
    enum ec_status st = EC_OK;

    if (same_file(s->path, other))
        return ec_fail(err, EC_E_INPUT, "%s: a store is not merged with itself", other);
    st = ec_store_open(other, EC_STORE_READ, &o, err); /* ours, and of this schema */
    if (st)
        return st;
    ec_store_close(o);
    EC_TRY(attach(s, other, err));
    attached = true;
    EC_TRY(check_keys(s, err));
    EC_TRY(ec_store_begin(s, err));
    EC_TRY(ec__store_end(s, copy_rows(s, &c, err), err));
    *ret = c;
out:
    if (attached)
        (void)sqlite3_exec(s->db, "DETACH other", NULL, NULL, NULL);
    if (st)
        ec_err_prefix(err, "%s: ", other);
    return st;
}
