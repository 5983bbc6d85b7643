/* Opening a store: schema, migrations, statements; errors of SQLite as ours. */
#include "store/store_internal.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "migrations_sql.h"

/* "ECST": marks our files among other databases. */
#define APPLICATION_ID 0x45435354
#define BUSY_TIMEOUT_MS 20000
#define VALUE_MAX_BYTES                                                                            \
    (64 << 20) /* of a text of the store: a record of a machine, samples of a row */

/* Parts that begin with lines "-- schema N". */
EC_EMBED(migrations, EC_MIGRATIONS_SQL);

enum { SCHEMA = 6 }; /* that of the last part */

/* The part that brings a store to the schema. */
static enum ec_status migration_to(int64_t schema, struct ec_buf *ret, struct ec_err *err)
{
    const char *at = strstr(ec__migrations_begin, "-- schema "), *next;

    for (; at && schema > 1; schema--)
        at = strstr(at + 1, "-- schema ");
    assert(at);
    next = strstr(at + 1, "-- schema ");
    ec_buf_add(ret, at, next ? (size_t)(next - at) : strlen(at));
    return ec_buf_status(ret, err);
}

int ec_store_schema_version(void)
{
    return SCHEMA;
}

/* ------------------------------------------------------------------------------------------------
 * Statements */

enum ec_status ec__store_fail(struct ec_store *s, int rc, const char *doing, struct ec_err *err)
{
    if ((rc & 0xff) == SQLITE_NOMEM)
        return ec_nomem(err);
    if ((rc & 0xff) == SQLITE_INTERRUPT)
        return ec_fail(err, EC_E_STORE,
                       "%s: it takes far more steps than its size explains: the file is damaged",
                       doing);
    return ec_fail(err, EC_E_STORE, "%s: %s", doing, s->db ? sqlite3_errmsg(s->db) : "no memory");
}

/* A tree whose pages lead to each other in circles has rows without end, in a small file. So a
 * statement ends after so many steps of SQLite's machine, and a question after so many rows: a scan
 * takes hundreds of steps for a row, and a row tens of bytes. */
#define STEPS_MIN 20000000
#define STEPS_PER_BYTE 200
#define STEPS_BETWEEN 10000 /* looks at the count */
#define ROWS_MIN 10000
#define ROW_BYTES 16

static int count_steps(void *store)
{
    struct ec_store *s = store;

    s->steps_left -= STEPS_BETWEEN;
    return s->steps_left < 0;
}

static void allow_steps(struct ec_store *s)
{
    s->steps_left = STEPS_MIN + (s->file_bytes + s->other_bytes) * STEPS_PER_BYTE;
}

/* Some file systems do not say what is allocated. */
static int64_t allocated_bytes(const char *path)
{
    struct stat info;

    if (stat(path, &info))
        return 0;
    return info.st_blocks ? (int64_t)info.st_blocks * 512 : (int64_t)info.st_size;
}

int64_t ec__store_bytes(const char *path)
{
    char log[PATH_MAX];

    if (ec_str_eq(path, ":memory:")) /* rows of our own */
        return sqlite3_memory_used();
    (void)snprintf(log, sizeof log, "%s-wal", path);
    return allocated_bytes(path) + allocated_bytes(log);
}

enum ec_status ec__store_count(const struct ec_store *s, int64_t n, struct ec_err *err)
{
    return n <= ROWS_MIN + s->file_bytes / ROW_BYTES
               ? EC_OK
               : ec_fail(err, EC_E_STORE,
                         "it has more rows than a file of its size can hold: it is damaged");
}

enum ec_status ec__store_ask(struct ec_store *s, const char *sql, const char *doing,
                             sqlite3_stmt **ret, struct ec_err *err)
{
    int rc;

    s->file_bytes = ec__store_bytes(s->path);
    allow_steps(s);
    rc = sqlite3_prepare_v2(s->db, sql, -1, ret, NULL);
    return rc ? ec__store_fail(s, rc, doing, err) : EC_OK;
}

enum ec_status ec__store_exec(struct ec_store *s, const char *sql, struct ec_err *err)
{
    int rc;

    allow_steps(s);
    rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc ? ec__store_fail(s, rc, "the store refuses", err) : EC_OK;
}

enum ec_status ec__store_stmt(struct ec_store *s, enum ec_stmt which, sqlite3_stmt **ret,
                              struct ec_err *err)
{
    static const char *const sql[] = {
#define STMT_TEXT(name, text) text,
        EC_STMT_LIST(STMT_TEXT)
#undef STMT_TEXT
    };
    struct ec_buf add = EC_BUF_INIT;
    enum ec_status st;
    int rc;

    allow_steps(s);
    *ret = s->stmt[which];
    if (*ret)
        return EC_OK;
    if (which == EC_Q_MEASUREMENT_ADD)
        ec__measurement_add_sql(&add);
    EC_TRY(ec_buf_status(&add, err));
    rc = sqlite3_prepare_v3(s->db, add.len ? ec_buf_text(&add) : sql[which], -1,
                            SQLITE_PREPARE_PERSISTENT, &s->stmt[which], NULL);
    if (rc)
        st = ec__store_fail(s, rc, "the store does not take our statement", err);
    *ret = s->stmt[which];
out:
    ec_buf_clear(&add);
    return st;
}

enum ec_status ec__store_run(struct ec_store *s, sqlite3_stmt *q, struct ec_err *err)
{
    int rc = sqlite3_step(q);
    enum ec_status st = EC_OK;

    if (rc != SQLITE_DONE && rc != SQLITE_ROW)
        st = ec__store_fail(s, rc, "cannot write to the store", err);
    (void)sqlite3_reset(q);
    return st;
}

enum ec_status ec__store_id(struct ec_store *s, sqlite3_stmt *q, int64_t *ret_id, bool *ret_found,
                            struct ec_err *err)
{
    int rc = sqlite3_step(q);
    enum ec_status st = EC_OK;

    *ret_found = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW)
        *ret_id = sqlite3_column_int64(q, 0);
    else if (rc != SQLITE_DONE)
        st = ec__store_fail(s, rc, "cannot read the store", err);
    (void)sqlite3_reset(q);
    return st;
}

void ec__bind_texts(sqlite3_stmt *q, const char *const *texts, int n)
{
    int i;

    for (i = 0; i < n; i++)
        (void)sqlite3_bind_text(q, i + 1, texts[i] ? texts[i] : "", -1, SQLITE_STATIC);
}

static enum ec_status run_simple(struct ec_store *s, enum ec_stmt which, struct ec_err *err)
{
    sqlite3_stmt *q = NULL;

    EC_PASS(ec__store_stmt(s, which, &q, err));
    return ec__store_run(s, q, err);
}

enum ec_status ec_store_begin(struct ec_store *s, struct ec_err *err)
{
    enum ec_status st = run_simple(s, EC_Q_BEGIN, err);

    s->in_batch = !st;
    s->batch_since_ns = ec_clock_ns();
    return st;
}

bool ec__store_batch_full(const struct ec_store *s)
{
    return ec_clock_ns() - s->batch_since_ns >= EC_STORE_BATCH_NS;
}

/* Ids of a batch that was rolled back are invalid. */
static void forget_ids(struct ec_store *s)
{
    ec__dict_clear(&s->devices);
    ec__dict_clear(&s->software);
    ec__dict_clear(&s->cases);
}

enum ec_status ec__store_end(struct ec_store *s, enum ec_status st, struct ec_err *err)
{
    if (!st)
        st = run_simple(s, EC_Q_COMMIT, err);
    if (st && !sqlite3_get_autocommit(s->db))
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    if (st)
        forget_ids(s);
    s->in_batch = false;
    return st;
}

enum ec_status ec_store_commit(struct ec_store *s, struct ec_err *err)
{
    return ec__store_end(s, EC_OK, err);
}

/* ------------------------------------------------------------------------------------------------
 * Opening */

static enum ec_status pragma_int(struct ec_store *s, const char *sql, int64_t *ret,
                                 struct ec_err *err)
{
    sqlite3_stmt *q = NULL;
    bool found = false;
    enum ec_status st;

    EC_PASS(ec__store_ask(s, sql, "cannot read", &q, err));
    st = ec__store_id(s, q, ret, &found, err);
    (void)sqlite3_finalize(q);
    return st;
}

/* Checks whether the file is a store, empty, or something else. */
static enum ec_status check_file(struct ec_store *s, int64_t *ret_version, struct ec_err *err)
{
    int64_t id = 0, tables = 0;

    EC_PASS(pragma_int(s, "SELECT EXISTS(SELECT 1 FROM sqlite_schema)", &tables, err));
    EC_PASS(pragma_int(s, "PRAGMA application_id", &id, err));
    EC_PASS(pragma_int(s, "PRAGMA user_version", ret_version, err));
    if (tables && id != APPLICATION_ID)
        return ec_fail(err, EC_E_STORE, "this is a database, but not a store of measurements");
    if (*ret_version > SCHEMA || *ret_version < 0)
        return ec_fail(
            err, EC_E_STORE,
            "the store has schema %lld, this program knows schemas up to %d: use a newer "
            "one",
            (long long)*ret_version, SCHEMA);
    if (*ret_version < SCHEMA && s->read_only)
        return ec_fail(err, EC_E_STORE,
                       "the store has schema %lld, older than %d: open it for writing once",
                       (long long)*ret_version, SCHEMA);
    return EC_OK;
}

/* One step of the schema; another process may have made it meanwhile. */
static enum ec_status migrate_once(struct ec_store *s, int64_t from, struct ec_err *err)
{
    int64_t now = 0;
    struct ec_buf sql = EC_BUF_INIT;
    enum ec_status st;

    EC_PASS(ec_store_begin(s, err));
    EC_TRY(pragma_int(s, "PRAGMA user_version", &now, err));
    if (now != from)
        goto out;
    ec_buf_printf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;\n", APPLICATION_ID,
                  (int)from + 1);
    EC_TRY(migration_to(from + 1, &sql, err));
    EC_TRY(ec__store_exec(s, ec_buf_text(&sql), err));
out:
    ec_buf_clear(&sql);
    return ec__store_end(s, st, err);
}

/* What a file of somebody else may contain, but is never obeyed: views that do not end, triggers,
 * functions in the schema. */
static void distrust(struct ec_store *s)
{
    static const struct {
        int which, most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH,               VALUE_MAX_BYTES},
        { SQLITE_LIMIT_COLUMN,              200            },
        { SQLITE_LIMIT_EXPR_DEPTH,          200            },
        { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000           },
        { SQLITE_LIMIT_TRIGGER_DEPTH,       1              },
        { SQLITE_LIMIT_ATTACHED,            1              },
        { SQLITE_LIMIT_WORKER_THREADS,      0              },
    };
    sqlite3 *db = s->db;
    int i;

    for (i = 0; i < EC_LEN(limits); i++)
        (void)sqlite3_limit(db, limits[i].which, limits[i].most);
    sqlite3_progress_handler(db, STEPS_BETWEEN, count_steps, s);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
}

static enum ec_status set_up(struct ec_store *s, struct ec_err *err)
{
    /* Foreign keys are off while tables are replaced: dropping the old table would delete rows that
     * refer to it, and renaming the new one would change the references. */
    static const char settings[] = "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536;"
                                   "PRAGMA temp_store = MEMORY;";
    static const char writing[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                                  "PRAGMA wal_autocheckpoint = 8192;";
    int64_t version = 0;

    (void)sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
    distrust(s);
    EC_PASS(check_file(s, &version, err));
    EC_PASS(ec__store_exec(s, settings, err));
    if (s->read_only)
        EC_PASS(ec__store_exec(s, "PRAGMA query_only = ON", err));
    else
        EC_PASS(ec__store_exec(s, writing, err));
    for (; version < SCHEMA; version++)
        EC_PASS(migrate_once(s, version, err));
    return ec__store_exec(s, "PRAGMA foreign_keys = ON", err);
}

static void make_parents(const char *path)
{
    char part[4096];
    size_t i, len = strlen(path);

    if (len >= sizeof part)
        return;
    memcpy(part, path, len + 1);
    for (i = 1; i < len; i++)
        if (part[i] == '/') {
            part[i] = '\0';
            (void)mkdir(part, 0777); /* what is missing shows when the file is opened */
            part[i] = '/';
        }
}

/* "file:PATH?immutable=1", with what has a meaning there escaped. */
static void immutable_uri(const char *path, struct ec_buf *ret)
{
    ec_buf_str(ret, "file:");
    for (; *path; path++)
        if (strchr("?#%", *path))
            ec_buf_printf(ret, "%%%02X", (unsigned)*path);
        else
            ec_buf_char(ret, *path);
    ec_buf_str(ret, "?immutable=1");
}

/* Whether writes wait in the log beside the store. */
static bool has_log(const char *path)
{
    struct stat info;
    char log[PATH_MAX];

    (void)snprintf(log, sizeof log, "%s-wal", path);
    return stat(log, &info) == 0 && info.st_size > 0;
}

/* SQLite makes files beside a store to read it. Where the folder allows none (read-only media), the
 * store is read as it is, if nothing waits in its log. */
static enum ec_status open_immutable(struct ec_store *s, struct ec_err *err)
{
    int rc = sqlite3_exec(s->db, "SELECT 1 FROM sqlite_schema LIMIT 1", NULL, NULL, NULL);
    struct ec_buf uri = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    if (rc != SQLITE_CANTOPEN && rc != SQLITE_READONLY)
        return EC_OK; /* whatever else is wrong shows when it is read */
    if (has_log(s->path))
        return ec_fail(err, EC_E_IO,
                       "cannot read: writes wait in %s-wal, and the folder is read-only; copy both "
                       "to another",
                       s->path);
    immutable_uri(s->path, &uri);
    EC_TRY(ec_buf_status(&uri, err));
    (void)sqlite3_close(s->db);
    s->db = NULL;
    rc = sqlite3_open_v2(ec_buf_text(&uri), &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    if (rc)
        EC_TRY(ec__store_fail(s, rc, "cannot open", err));
out:
    ec_buf_clear(&uri);
    return st;
}

static enum ec_status open_file(struct ec_store *s, bool must_exist, struct ec_err *err)
{
    int rc = SQLITE_CANTOPEN;
    struct stat info;

    if (must_exist && stat(s->path, &info))
        return ec_fail(err, EC_E_NOT_FOUND,
                       "there is no store: %s; `epochcast data import` makes one", strerror(errno));
    if (stat(s->path, &info) == 0 && !S_ISREG(info.st_mode))
        return ec_fail(err, EC_E_IO, "is a %s, expected a store",
                       S_ISDIR(info.st_mode) ? "directory" : "device or a pipe");
    if (!must_exist)
        make_parents(s->path);
    rc = sqlite3_open_v2(s->path, &s->db,
                         SQLITE_OPEN_READWRITE | (must_exist ? 0 : SQLITE_OPEN_CREATE), NULL);
    if (rc == SQLITE_NOMEM)
        return ec_nomem(err);
    if (rc)
        return ec_fail(err, EC_E_IO, "cannot open: %s", sqlite3_errstr(rc));
    return s->read_only ? open_immutable(s, err) : EC_OK;
}

enum ec_status ec_store_open(const char *path, unsigned flags, struct ec_store **ret,
                             struct ec_err *err)
{
    struct ec_store *s;
    enum ec_status st = EC_OK;
    size_t len;

    EC_NEED(err, path, ret);
    if (flags & ~(unsigned)(EC_STORE_READ | EC_STORE_EXISTS))
        return ec_fail(err, EC_E_INPUT, "%s: flags are 0x%x, expected some of 0x%x", path, flags,
                       EC_STORE_READ | EC_STORE_EXISTS);
    s = ec_alloc(sizeof *s);
    EC_PASS(ec_allocated(s, err));
    s->users = 1;
    len = strlen(path);
    s->read_only = flags & EC_STORE_READ;
    s->path = ec_alloc(len + 1);
    EC_TRY(ec_allocated(s->path, err));
    memcpy(s->path, path, len);
    EC_TRY(open_file(s, flags != 0, err));
    EC_TRY(set_up(s, err));
    *ret = s;
    s = NULL;
out:
    if (st)
        ec_err_prefix(err, "%s: ", path);
    ec_store_close(s);
    return st;
}

void ec_store_close(struct ec_store *s)
{
    int i;

    if (!s || --s->users)
        return;
    for (i = 0; i < EC_STMT_COUNT; i++)
        (void)sqlite3_finalize(s->stmt[i]);
    forget_ids(s);
    (void)sqlite3_close(s->db);
    ec_buf_clear(&s->key);
    ec_free(s->path);
    ec_free(s);
}

const char *ec_store_file(const struct ec_store *s)
{
    return s->path;
}

enum ec_status ec_store_path(const char *given, char *(*env)(const char *), struct ec_buf *ret,
                             struct ec_err *err)
{
    const char *store = env("EPOCHCAST_STORE"), *data = env("XDG_DATA_HOME"), *home = env("HOME");

    ec_buf_reset(ret);
    if (given && *given)
        ec_buf_str(ret, given);
    else if (store && *store)
        ec_buf_str(ret, store);
    else if (data && *data)
        ec_buf_printf(ret, "%s/epochcast/store.sqlite", data);
    else if (home && *home)
        ec_buf_printf(ret, "%s/.local/share/epochcast/store.sqlite", home);
    else
        return ec_fail(err, EC_E_INPUT,
                       "nothing says where the store is: give --store FILE or set HOME");
    return ec_buf_status(ret, err);
}
