/* Shared inside store: the connection, its statements, and calls that turn SQLite's failures into
 * ours. */
#ifndef EC_STORE_INTERNAL_H
#define EC_STORE_INTERNAL_H

#include "store/store.h"

#include <sqlite3.h>

#include "statements.h"
#define EC_STATEMENT(sql) sql /* of a list of one */

enum ec_stmt {
#define EC_STMT_ENUM(name, sql) EC_Q_##name,
    EC_STMT_LIST(EC_STMT_ENUM)
#undef EC_STMT_ENUM
        EC_STMT_COUNT
};

/* dict.c: a cache of ids by text, which saves queries. */
struct ec_dict_slot {
    const char *text; /* in the arena; NULL: free */
    uint64_t hash;
    int64_t id;
};
struct ec_dict {
    struct ec_dict_slot *slot;
    int64_t n, cap; /* cap: a power of two */
    struct ec_arena arena;
};
void ec__dict_clear(struct ec_dict *d);
bool ec__dict_find(const struct ec_dict *d, const char *text, int64_t *ret_id);
enum ec_status ec__dict_add(struct ec_dict *d, const char *text, int64_t id,
                            struct ec_err *err) EC_MUST_CHECK;

struct ec_store {
    sqlite3 *db;
    char *path;
    int users; /* its owner, and rows that are read: the last closes it */
    bool read_only, in_batch;
    int64_t batch_since_ns; /* when the batch was begun */
    int64_t file_bytes;     /* on disk when a question was asked last: bounds its work */
    int64_t other_bytes;    /* of a store that is merged into this one */
    int64_t steps_left;     /* of the statement that runs */
    sqlite3_stmt *stmt[EC_STMT_COUNT];
    struct ec_dict devices, software, cases;
    struct ec_buf key; /* scratch */
};

/* The error of SQLite's last failure, as "doing: message", with our status. */
enum ec_status ec__store_fail(struct ec_store *s, int rc, const char *doing, struct ec_err *err);
enum ec_status ec__store_exec(struct ec_store *s, const char *sql,
                              struct ec_err *err) EC_MUST_CHECK;
/* A question to be stepped and finalized. doing: what it is for. */
enum ec_status ec__store_ask(struct ec_store *s, const char *sql, const char *doing,
                             sqlite3_stmt **ret, struct ec_err *err) EC_MUST_CHECK;
/* Bytes of a store on the disk, its log included; holes do not count. */
int64_t ec__store_bytes(const char *path);
/* Errors: STORE where the n-th row is more than a file of this size can hold */
enum ec_status ec__store_count(const struct ec_store *s, int64_t n,
                               struct ec_err *err) EC_MUST_CHECK;
/* A statement ready to be bound. */
enum ec_status ec__store_stmt(struct ec_store *s, enum ec_stmt which, sqlite3_stmt **ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* Runs a bound statement that gives no row, and resets it. */
enum ec_status ec__store_run(struct ec_store *s, sqlite3_stmt *q, struct ec_err *err) EC_MUST_CHECK;
/* Runs a bound statement and takes the first column of its first row; *ret_found: there is one. */
enum ec_status ec__store_id(struct ec_store *s, sqlite3_stmt *q, int64_t *ret_id, bool *ret_found,
                            struct ec_err *err) EC_MUST_CHECK;
/* Binds texts ?1, ?2 ...; NULL is "". They live until the statement is reset. */
void ec__bind_texts(sqlite3_stmt *q, const char *const *texts, int n);
/* Ends a batch: commits when st is EC_OK, else rolls back. Returns st or the failure. */
enum ec_status ec__store_end(struct ec_store *s, enum ec_status st, struct ec_err *err);

/* import_own.c: tables that `export` wrote */
enum ec_status ec__import_own_csv(struct ec_store *s, const struct ec_csv *csv,
                                  struct ec_store_counts *c, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__import_own_json(struct ec_store *s, const char *text, size_t len,
                                   struct ec_store_counts *c, struct ec_err *err) EC_MUST_CHECK;

/* Whether rows of this kind are descriptions (devices, configurations) without measured values. */
bool ec__describes(enum ec_kind kind);

/* Writes a parsed value as JSON on one line. */
void ec__json_print(const struct ec_jval *v, struct ec_buf *out);

/* INSERT with the ids that a measurement refers to, EC_MEASUREMENT_IDS of them, and its columns. */
enum { EC_MEASUREMENT_IDS = 5 };
void ec__measurement_add_sql(struct ec_buf *out);
/* The columns that SQLite has in the table of measurements, each with `before` and a comma between
 * them: "om.reading, om.run". */
void ec__measurement_columns(const char *before, struct ec_buf *out);
const char *ec__column_sql(const struct ec_record_col *c);

/* An import commits a batch after so much time. */
#define EC_STORE_BATCH_NS ((int64_t)50000000)
bool ec__store_batch_full(const struct ec_store *s);

#endif
