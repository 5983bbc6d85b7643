/* Rows of a report in a database in memory, and what is asked of them in SQL.
 *
 * A script is a text of statements: views, and queries whose rows are sentences. Its tables are
 * filled row by row; of a table, column i is the number of the row from 1. A number that is not
 * finite is NULL, an unknown text is ''. Beside SQLite's own functions a script has
 *   fixed(x, n), digits(x, n)   a number with n decimals, with n digits
 *   log2(x), exp2(x)            NULL where they are not finite
 *   rate(x), times(x), bytes(x), seconds(x), thousands(n)   as tables and sentences write them
 *   median(x), quantile(x, q)   of a group
 *   at_max(v, x), at_min(v, x)  v of the row of a group where x is largest, smallest; of equals the
 *                               first
 *   median_ape(m, p), mean_ape(m, p), p90_ape(m, p), r2(m, p)   struct ec_metrics of a group:
 *                               predictions p beside what was measured */
#ifndef EC_REPORT_QUERY_H
#define EC_REPORT_QUERY_H

#include "report/table.h"

struct sqlite3;
struct sqlite3_stmt;

struct ec__query {
    struct sqlite3 *db;
    struct sqlite3_stmt *into; /* of the table that is filled */
    struct sqlite3_stmt *ask;  /* whose rows are read */
    int at, n_cols;            /* the next column of its row */
    int rc;                    /* the first failure of SQLite; what follows it does nothing */
};

enum ec_status ec__query_open(struct ec__query *q, struct ec_err *err) EC_MUST_CHECK;
void ec__query_close(struct ec__query *q);

/* Makes a table of columns, parted by blanks; the cells that follow fill its rows. A failure is
 * kept: the next question says it. */
void ec__query_into(struct ec__query *q, const char *table, const char *columns);
/* The cells that follow fill the n columns of a table that a script made. */
void ec__query_fill(struct ec__query *q, const char *table, int n);
/* Fills a table that a script made, after its first column `i`, with the columns of the same names:
 * a REAL has numbers only, and what the CSV lacks is NULL or ''. */
void ec__query_csv(struct ec__query *q, const char *table, const struct ec_csv *csv);
void ec__query_text(struct ec__query *q, const char *v); /* until the row ends; NULL is '' */
void ec__query_num(struct ec__query *q, double v);
/* A text of the caller has no memory: a failure like one of the query. */
void ec__query_nomem(struct ec__query *q);

/* Runs a script; its rows of one column are sentences, NULL being none. ret: may be NULL.
 * Errors: NOMEM, STORE */
enum ec_status ec__query_say(struct ec__query *q, const char *script, struct ec_arena *a,
                             struct ec_strs *ret, struct ec_err *err) EC_MUST_CHECK;
/* Appends the rows of one statement to a table with as many columns. */
enum ec_status ec__query_rows(struct ec__query *q, const char *sql, struct ec_table *t,
                              struct ec_err *err) EC_MUST_CHECK;

/* Reads the rows of one statement, one after the other: false behind the last, and after a failure.
 * A number that is NULL is not finite. */
void ec__query_ask(struct ec__query *q, const char *sql);
bool ec__query_next(struct ec__query *q);
double ec__query_cell(struct ec__query *q, int col);
const char *ec__query_word(struct ec__query *q, int col); /* "" for NULL; until the next row */
enum ec_status ec__query_status(const struct ec__query *q, struct ec_err *err) EC_MUST_CHECK;

#endif
