/* SQLite as the place of a report's rows: its functions, tables, scripts. */
#include "report/query.h"

#include <assert.h>
#include <math.h>
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

#include "learn/learn.h"
#include "plot/plot.h"

enum { NUMBER_BYTES = 64, CSV_COLS_MAX = 64 };

/* ------------------------------------------------------------------------------------------------
 * Functions of a number: texts */

struct number_form {
    const char *name;
    const char *(*write)(char *out, size_t size, double v); /* NULL: with so many digits */
    bool is_fixed;                                          /* they are decimals */
};

static const char *rate_text(char *out, size_t size, double v)
{
    static const struct ec_axis axis = { .form = EC_AXIS_NUMBER, .unit = "samples/s" };

    ec_axis_text(&axis, v, out, size); /* three digits, without an exponent */
    return out;
}

static const char *seconds_text(char *out, size_t size, double v)
{
    return ec_fmt_ns(out, size, 1e9 * v);
}

static const char *thousands_text(char *out, size_t size, double v)
{
    return ec_fmt_thousands(out, size, (int64_t)v);
}

static const struct number_form number_forms[] = {
    {"fixed",      NULL,           true },
    { "digits",    NULL,           false},
    { "rate",      rate_text,      false},
    { "times",     ec_fmt_times,   false},
    { "bytes",     ec_fmt_bytes,   false},
    { "seconds",   seconds_text,   false},
    { "thousands", thousands_text, false},
};

static void write_number(sqlite3_context *c, int n, sqlite3_value **v)
{
    const struct number_form *f = sqlite3_user_data(c);
    double x = sqlite3_value_double(v[0]);
    int digits = sqlite3_value_int(v[n - 1]);
    char out[NUMBER_BYTES];
    const char *text = out;

    if (sqlite3_value_type(v[0]) == SQLITE_NULL)
        return;
    if (f->write)
        text = f->write(out, sizeof out, x);
    else
        (void)(f->is_fixed ? ec_snprintf(out, sizeof out, "%.*f", digits, x)
                           : ec_snprintf(out, sizeof out, "%.*g", digits, x));
    sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

/* Logarithms and their inverse, which not every SQLite has. */
static const struct number_function {
    const char *name;
    double (*of)(double);
} number_functions[] = {
    {"log2",  log2},
    { "exp2", exp2},
};

static void compute_number(sqlite3_context *c, int n, sqlite3_value **v)
{
    const struct number_function *f = sqlite3_user_data(c);
    double x = f->of(sqlite3_value_double(v[0]));

    (void)n;
    if (sqlite3_value_type(v[0]) != SQLITE_NULL && isfinite(x))
        sqlite3_result_double(c, x);
}

/* ------------------------------------------------------------------------------------------------
 * Functions of a group */

struct numbers {
    double *v, q;
    int n, cap;
};

static void quantile_step(sqlite3_context *c, int n, sqlite3_value **v)
{
    struct numbers *x = sqlite3_aggregate_context(c, sizeof *x);

    if (!x || sqlite3_value_type(v[0]) == SQLITE_NULL)
        return;
    x->q = n > 1 ? sqlite3_value_double(v[1]) : 0.5;
    if (ec_grow(&x->v, &x->cap, x->n + 1, sizeof *x->v, NULL))
        sqlite3_result_error_nomem(c);
    else
        x->v[x->n++] = sqlite3_value_double(v[0]);
}

static void quantile_end(sqlite3_context *c)
{
    struct numbers *x = sqlite3_aggregate_context(c, 0);

    if (x && x->n)
        sqlite3_result_double(c, ec_quantile_inplace(x->v, x->n, x->q));
    if (x)
        ec_free(x->v);
}

struct best {
    sqlite3_value *value;
    double key;
};

static const double largest = 1, smallest = -1; /* the sign of the key that is sought */

static void best_step(sqlite3_context *c, int n, sqlite3_value **v)
{
    struct best *b = sqlite3_aggregate_context(c, sizeof *b);
    const double *sign = sqlite3_user_data(c);
    double key = *sign * sqlite3_value_double(v[1]);

    (void)n;
    if (!b || sqlite3_value_type(v[1]) == SQLITE_NULL || (b->value && !(key > b->key)))
        return;
    sqlite3_value_free(b->value);
    b->value = sqlite3_value_dup(v[0]);
    b->key = key;
    if (!b->value)
        sqlite3_result_error_nomem(c);
}

static void best_end(sqlite3_context *c)
{
    struct best *b = sqlite3_aggregate_context(c, 0);

    if (b && b->value)
        sqlite3_result_value(c, b->value);
    if (b)
        sqlite3_value_free(b->value);
}

/* Errors of predictions. */
struct pairs {
    double *measured, *predicted;
    int n, cap, cap_predicted;
};

static void metric_step(sqlite3_context *c, int n, sqlite3_value **v)
{
    struct pairs *p = sqlite3_aggregate_context(c, sizeof *p);

    (void)n;
    if (!p || sqlite3_value_type(v[0]) == SQLITE_NULL || sqlite3_value_type(v[1]) == SQLITE_NULL)
        return;
    if (ec_grow(&p->measured, &p->cap, p->n + 1, sizeof *p->measured, NULL) ||
        ec_grow(&p->predicted, &p->cap_predicted, p->n + 1, sizeof *p->predicted, NULL)) {
        sqlite3_result_error_nomem(c);
        return;
    }
    p->measured[p->n] = sqlite3_value_double(v[0]);
    p->predicted[p->n++] = sqlite3_value_double(v[1]);
}

static void metric_end(sqlite3_context *c)
{
    struct pairs *p = sqlite3_aggregate_context(c, 0);
    const size_t *offset = sqlite3_user_data(c);
    struct ec_metrics m;
    double value;

    if (!p)
        return;
    if (p->n && ec_metrics_compute(p->measured, p->predicted, NULL, NULL, p->n, &m, NULL)) {
        sqlite3_result_error_nomem(c);
    } else if (p->n) {
        memcpy(&value, (const char *)&m + *offset, sizeof value);
        if (isfinite(value))
            sqlite3_result_double(c, value);
    }
    ec_free(p->measured);
    ec_free(p->predicted);
}

static const size_t median_ape = offsetof(struct ec_metrics, median_ape),
                    mean_ape = offsetof(struct ec_metrics, mean_ape),
                    p90_ape = offsetof(struct ec_metrics, p90_ape),
                    r2 = offsetof(struct ec_metrics, r2);

static int add_functions(sqlite3 *db)
{
    static const struct {
        const char *name;
        int n_args;
        const void *user;
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*end)(sqlite3_context *);
    } groups[] = {
        {"median",      1, NULL,        quantile_step, quantile_end},
        { "quantile",   2, NULL,        quantile_step, quantile_end},
        { "at_max",     2, &largest,    best_step,     best_end    },
        { "at_min",     2, &smallest,   best_step,     best_end    },
        { "median_ape", 2, &median_ape, metric_step,   metric_end  },
        { "mean_ape",   2, &mean_ape,   metric_step,   metric_end  },
        { "p90_ape",    2, &p90_ape,    metric_step,   metric_end  },
        { "r2",         2, &r2,         metric_step,   metric_end  },
    };
    int i, rc = SQLITE_OK;

    for (i = 0; i < EC_LEN(number_forms) && !rc; i++)
        rc = sqlite3_create_function(db, number_forms[i].name, number_forms[i].write ? 1 : 2,
                                     SQLITE_UTF8 | SQLITE_DETERMINISTIC, (void *)&number_forms[i],
                                     write_number, NULL, NULL);
    for (i = 0; i < EC_LEN(number_functions) && !rc; i++)
        rc = sqlite3_create_function(db, number_functions[i].name, 1,
                                     SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                     (void *)&number_functions[i], compute_number, NULL, NULL);
    for (i = 0; i < EC_LEN(groups) && !rc; i++)
        rc = sqlite3_create_function(db, groups[i].name, groups[i].n_args,
                                     SQLITE_UTF8 | SQLITE_DETERMINISTIC, (void *)groups[i].user,
                                     NULL, groups[i].step, groups[i].end);
    return rc;
}

/* ------------------------------------------------------------------------------------------------
 * Tables */

enum ec_status ec__query_status(const struct ec__query *q, struct ec_err *err)
{
    if (!q->rc)
        return EC_OK;
    return q->rc == SQLITE_NOMEM
               ? ec_nomem(err)
               : ec_fail(err, EC_E_STORE, "a query of the report: %.200s", sqlite3_errmsg(q->db));
}

enum ec_status ec__query_open(struct ec__query *q, struct ec_err *err)
{
    *q = (struct ec__query){ 0 };
    q->rc = sqlite3_open(":memory:", &q->db);
    if (!q->rc)
        q->rc = add_functions(q->db);
    if (!q->rc) /* never committed: nothing has to be kept */
        q->rc = sqlite3_exec(q->db, "BEGIN", NULL, NULL, NULL);
    return ec__query_status(q, err);
}

void ec__query_close(struct ec__query *q)
{
    (void)sqlite3_finalize(q->into);
    (void)sqlite3_finalize(q->ask);
    (void)sqlite3_close(q->db);
    *q = (struct ec__query){ 0 };
}

static void prepare(struct ec__query *q, const struct ec_buf *sql, sqlite3_stmt **ret)
{
    if (sql->st)
        q->rc = SQLITE_NOMEM;
    if (!q->rc)
        q->rc = sqlite3_prepare_v2(q->db, ec_buf_text(sql), -1, ret, NULL);
}

void ec__query_fill(struct ec__query *q, const char *table, int n)
{
    struct ec_buf insert = EC_BUF_INIT;
    int i;

    ec_buf_printf(&insert, "INSERT INTO %s VALUES(NULL", table);
    for (i = 0; i < n; i++)
        ec_buf_str(&insert, ", ?");
    ec_buf_char(&insert, ')');
    (void)sqlite3_finalize(q->into);
    q->into = NULL;
    prepare(q, &insert, &q->into);
    q->n_cols = n;
    q->at = 0;
    ec_buf_clear(&insert);
}

void ec__query_into(struct ec__query *q, const char *table, const char *columns)
{
    struct ec_buf create = EC_BUF_INIT;
    sqlite3_stmt *made = NULL;
    int len, n;

    ec_buf_printf(&create, "CREATE TABLE %s(i INTEGER PRIMARY KEY", table);
    for (n = 0; *columns; n++, columns += len, columns += strspn(columns, " ")) {
        len = (int)strcspn(columns, " ");
        ec_buf_printf(&create, ", \"%.*s\"", len, columns);
    }
    ec_buf_char(&create, ')');
    prepare(q, &create, &made);
    if (!q->rc && sqlite3_step(made) != SQLITE_DONE)
        q->rc = sqlite3_errcode(q->db);
    (void)sqlite3_finalize(made);
    ec_buf_clear(&create);
    ec__query_fill(q, table, n);
}

/* After the last cell of a row, the row is added. */
static void end_cell(struct ec__query *q)
{
    if (q->rc || q->at < q->n_cols)
        return;
    q->at = 0;
    if (sqlite3_step(q->into) != SQLITE_DONE)
        q->rc = sqlite3_errcode(q->db);
    (void)sqlite3_reset(q->into);
}

void ec__query_text(struct ec__query *q, const char *v)
{
    if (!q->rc)
        q->rc = sqlite3_bind_text(q->into, ++q->at, v ? v : "", -1, SQLITE_STATIC);
    end_cell(q);
}

void ec__query_num(struct ec__query *q, double v)
{
    if (!q->rc)
        q->rc = isfinite(v) ? sqlite3_bind_double(q->into, ++q->at, v)
                            : sqlite3_bind_null(q->into, ++q->at);
    end_cell(q);
}

void ec__query_nomem(struct ec__query *q)
{
    q->rc = q->rc ? q->rc : SQLITE_NOMEM;
}

void ec__query_csv(struct ec__query *q, const char *table, const struct ec_csv *csv)
{
    struct ec_buf sql = EC_BUF_INIT;
    int at[CSV_COLS_MAX], row, i, n = 0;
    bool is_text[CSV_COLS_MAX];
    double v;

    ec_buf_printf(&sql, "SELECT name, type = 'TEXT' FROM pragma_table_info('%s') WHERE NOT pk",
                  table);
    prepare(q, &sql, &q->ask);
    while (ec__query_next(q)) {
        assert(n < CSV_COLS_MAX);
        is_text[n] = ec__query_cell(q, 1) > 0;
        at[n++] = ec_csv_col(csv, ec__query_word(q, 0));
    }
    ec_buf_clear(&sql);
    ec__query_fill(q, table, n);
    for (row = 0; row < csv->n_rows; row++)
        for (i = 0; i < n; i++) {
            const char *cell = ec_csv_cell(csv, row, at[i]);

            if (is_text[i])
                ec__query_text(q, cell);
            else
                ec__query_num(q, ec_parse_double(ec_span_of(cell), &v) ? v : (double)NAN);
        }
}

/* ------------------------------------------------------------------------------------------------
 * Questions */

void ec__query_ask(struct ec__query *q, const char *sql)
{
    assert(!q->ask);
    if (!q->rc)
        q->rc = sqlite3_prepare_v2(q->db, sql, -1, &q->ask, NULL);
}

bool ec__query_next(struct ec__query *q)
{
    int rc = q->ask && !q->rc ? sqlite3_step(q->ask) : SQLITE_DONE;

    if (rc == SQLITE_ROW)
        return true;
    if (rc != SQLITE_DONE)
        q->rc = rc;
    (void)sqlite3_finalize(q->ask);
    q->ask = NULL;
    return false;
}

double ec__query_cell(struct ec__query *q, int col)
{
    return sqlite3_column_type(q->ask, col) == SQLITE_NULL ? (double)NAN
                                                           : sqlite3_column_double(q->ask, col);
}

const char *ec__query_word(struct ec__query *q, int col)
{
    const char *text = (const char *)sqlite3_column_text(q->ask, col);

    return text ? text : "";
}

enum ec_status ec__query_say(struct ec__query *q, const char *script, struct ec_arena *a,
                             struct ec_strs *ret, struct ec_err *err)
{
    enum ec_status st = EC_OK;

    while (!q->rc && *script && !st) {
        q->rc = sqlite3_prepare_v2(q->db, script, -1, &q->ask, &script);
        while (ec__query_next(q))
            if (ret && !st && sqlite3_column_type(q->ask, 0) != SQLITE_NULL)
                st = ec_strs_add(ret, a, err, "%s", ec__query_word(q, 0));
    }
    return st ? st : ec__query_status(q, err);
}

enum ec_status ec__query_rows(struct ec__query *q, const char *sql, struct ec_table *t,
                              struct ec_err *err)
{
    int i;

    ec__query_ask(q, sql);
    while (ec__query_next(q))
        for (i = 0; i < t->n_cols; i++)
            switch (sqlite3_column_type(q->ask, i)) {
            case SQLITE_NULL:
                ec_table_none(t);
                break;
            case SQLITE_TEXT:
                ec_table_text(t, ec__query_word(q, i));
                break;
            case SQLITE_INTEGER:
                ec_table_int(t, sqlite3_column_int64(q->ask, i));
                break;
            default:
                ec_table_num(t, ec__query_cell(q, i));
            }
    return q->rc ? ec__query_status(q, err) : t->st ? ec_nomem(err) : EC_OK;
}
