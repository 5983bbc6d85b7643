/* Merging another store: rows are matched by source, row and reading, words by their texts. */
#include "store/store_internal.h"

#include <sys/stat.h>

#define SAME_ROW                                                                                   \
    "JOIN other.source os ON os.id = om.source_id JOIN main.source s ON s.key = os.key "

/* In the order of references: referenced tables first. */
static const char *const steps[] = {
    "INSERT OR IGNORE INTO main.source(key, name, mapping, licence, url, sha256, file_name, "
    "imported_utc) SELECT key, name, mapping, licence, url, sha256, file_name, imported_utc "
    "FROM other.source ORDER BY id",
    "INSERT OR IGNORE INTO main.machine(key, record_json) "
    "SELECT key, record_json FROM other.machine ORDER BY id",
    "INSERT OR IGNORE INTO main.device(key, name) SELECT key, name FROM other.device ORDER BY id",
    "INSERT OR IGNORE INTO main.software(framework, framework_version, libraries) "
    "SELECT framework, framework_version, libraries FROM other.software ORDER BY id",
    "INSERT OR IGNORE INTO main.cas(what, kind, family) "
    "SELECT what, kind, family FROM other.cas ORDER BY id",
};

static void measurements(struct ec_buf *sql)
{
    static const char from[] =
        " FROM other.measurement om " SAME_ROW "JOIN other.device od ON od.id = om.device_id "
        "JOIN main.device d ON d.key = od.key AND d.name = od.name "
        "JOIN other.software ow ON ow.id = om.software_id JOIN main.software w "
        "ON w.framework = ow.framework AND w.framework_version = ow.framework_version "
        "AND w.libraries = ow.libraries "
        "JOIN other.cas oc ON oc.id = om.cas_id "
        "JOIN main.cas c ON c.what = oc.what AND c.kind = oc.kind AND c.family = oc.family "
        "LEFT JOIN other.machine oh ON oh.id = om.machine_id "
        "LEFT JOIN main.machine h ON h.key = oh.key ORDER BY om.id";

    ec_buf_str(sql, "INSERT OR IGNORE INTO main.measurement(source_id, machine_id, device_id, "
                    "software_id, cas_id, ");
    ec__measurement_columns("", sql);
    ec_buf_str(sql, ") SELECT s.id, h.id, d.id, w.id, c.id, ");
    ec__measurement_columns("om.", sql);
    ec_buf_str(sql, from);
}

static const char samples[] =
    "INSERT OR IGNORE INTO main.sample(measurement_id, iteration, host_ns, device_ns, flags) "
    "SELECT m.id, p.iteration, p.host_ns, p.device_ns, p.flags FROM other.sample p "
    "JOIN other.measurement om ON om.id = p.measurement_id " SAME_ROW
    "JOIN main.measurement m ON m.source_id = s.id AND m.source_row = om.source_row "
    "AND m.reading = om.reading ORDER BY m.id, p.iteration";

static enum ec_status ask(struct ec_store *s, const char *sql, int64_t *ret, const char **ret_text,
                          struct ec_arena *a, struct ec_err *err)
{
    sqlite3_stmt *q = NULL;
    enum ec_status st;
    int rc;

    st = ec__store_ask(s, sql, "cannot read the other store", &q, err);
    if (st)
        return st;
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
    for (i = 0; i < EC_LEN(steps); i++)
        EC_TRY(ec__store_exec(s, steps[i], err));
    EC_TRY(ec__store_exec(s, ec_buf_text(&sql), err));
    c->added = sqlite3_changes(s->db);
    c->known = c->rows - c->added;
    EC_TRY(ec__store_exec(s, samples, err));
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
