/* Reads the table of a fit: a file, several as one, or the steps of networks of a store. */
#include "fit/grid_internal.h"

#include "predict/predict.h"
#include "store/store.h"

/* The steps of networks that a store holds, as a table. */
static enum ec_status each_stored(void *store, ec_record_fn fn, void *user, struct ec_err *err)
{
    const struct ec_store_query query = { .kind = "network", .only_ok = true };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    enum ec_status st;

    EC_TRY(ec_store_select(store, &query, &rows, err));
    for (;;) {
        EC_TRY(ec_store_next(rows, &row, err));
        if (!row)
            break;
        EC_TRY(fn(user, &row->r, err));
    }
out:
    ec_store_rows_free(rows);
    return st;
}

static enum ec_status read_store(const char *path, struct ec_csv *ret, struct ec_err *err)
{
    struct ec_err why = { .status = EC_OK };
    struct ec_store *s = NULL;
    enum ec_status st;

    EC_TRY(ec_store_open(path, EC_STORE_READ, &s, err));
    st = ec_table_of_records(each_stored, s, ret, &why);
    if (st)
        EC_TRY(ec_fail(err, st, "%.300s; --op NAME fits operators", why.text));
out:
    ec_store_close(s);
    return st;
}

struct ec_table_given ec__grid_given(const struct ec_grid_opts *o)
{
    struct ec_table_given given = o->given;

    given.path = o->store ? NULL : o->table;
    given.device = o->device && *o->device ? o->device : NULL;
    given.device_in = ec_device_in_text;
    given.is_processor = ec_device_is_processor;
    return given;
}

static enum ec_status read_one(const struct ec_grid_opts *o, const char *path, struct ec_csv *ret,
                               struct ec_err *err)
{
    struct ec_table_given given = ec__grid_given(o);
    enum ec_status st;

    given.path = path;
    st = ec_table_read(&given, ret, err);
    if (!st)
        st = ec_table_of_steps(ret, &given, !given.mapping, err);
    if (!st && (!o->target || ec_csv_col(ret, o->target) < 0))
        st = ec_table_epoch_seconds(ret, err);
    if (st)
        ec_csv_clear(ret);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Several tables as one */

#define JOINED_COLS_MAX 1000

struct joined {
    const struct ec_grid_opts *o;
    const char **path;
    struct ec_csv *table;
    int n;
    struct ec_csv head; /* its names are those of all tables, each meaning once */
};

/* A device that only the name of the file says becomes a column. */
static enum ec_status add_device(const struct joined *j, const char *path, struct ec_csv *c,
                                 struct ec_err *err)
{
    struct ec_table_given given = ec__grid_given(j->o);
    const char *device;
    int col, row;

    given.path = path;
    device = ec_table_device(c, &given, &col);
    if (device)
        EC_PASS(ec_csv_add_col(c, "device", &col, err));
    for (row = 0; row < c->n_rows && device; row++)
        ec_csv_set(c, row, col, device);
    return EC_OK;
}

static enum ec_status add_names(struct joined *j, const struct ec_csv *c, struct ec_err *err)
{
    int i, col;

    for (i = 0; i < c->n_cols; i++) {
        if (ec_csv_col(&j->head, c->names[i]) >= 0 ||
            (j->n && ec_column_like(&j->head, c->names[i]) >= 0))
            continue;
        if (j->head.n_cols == JOINED_COLS_MAX)
            return ec_fail(err, EC_E_INPUT,
                           "its column %.40s is one more than the %d that several "
                           "tables may have together",
                           c->names[i], JOINED_COLS_MAX);
        EC_PASS(ec_csv_add_col(&j->head, c->names[i], &col, err));
    }
    return EC_OK;
}

static enum ec_status add_table(struct joined *j, const char *path, struct ec_err *err)
{
    struct ec_csv *c = &j->table[j->n];
    enum ec_status st;

    EC_TRY(read_one(j->o, path, c, err));
    if (!c->n_rows)
        EC_TRY(ec_fail(err, EC_E_INPUT, "the table has no rows"));
    EC_TRY(add_device(j, path, c, err));
    EC_TRY(add_names(j, c, err));
    j->path[j->n++] = path;
out:
    if (st) {
        ec_csv_clear(c);
        if (!ec_str_starts(err->text, path))
            ec_err_prefix(err, "%s: ", path);
    }
    return st;
}

/* The column of a table under a name of all: that name, or one of its meaning that is no name of
 * its own there. */
static int column_under(const struct joined *j, const struct ec_csv *c, const char *name)
{
    int col = ec_csv_col(c, name), like = col < 0 ? ec_column_like(c, name) : -1;

    return like >= 0 && ec_csv_col(&j->head, c->names[like]) < 0 ? like : col;
}

static void put_table(const struct joined *j, int t, struct ec_buf *out)
{
    const struct ec_csv *c = &j->table[t];
    int from[JOINED_COLS_MAX], row, i;

    for (i = 0; i < j->head.n_cols; i++)
        from[i] = column_under(j, c, j->head.names[i]);
    for (row = 0; row < c->n_rows; row++) {
        ec_csv_put(out, j->path[t]);
        for (i = 0; i < j->head.n_cols; i++) {
            ec_buf_char(out, ',');
            ec_csv_put(out, ec_csv_cell(c, row, from[i]));
        }
        ec_buf_char(out, '\n');
    }
}

/* The tables one under another. The column `table` has the file of each row. */
static enum ec_status put_joined(const struct joined *j, struct ec_csv *ret, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    int t, row, i, k = 0;
    enum ec_status st;

    ec_buf_str(&out, EC__GRID_TABLE);
    for (i = 0; i < j->head.n_cols; i++) {
        ec_buf_char(&out, ',');
        ec_csv_put(&out, j->head.names[i]);
    }
    ec_buf_char(&out, '\n');
    for (t = 0; t < j->n; t++)
        put_table(j, t, &out);
    EC_TRY(ec_buf_status(&out, err));
    EC_TRY(ec_csv_parse(out.data, out.len, ret, err));
    for (t = 0; t < j->n; t++)
        for (row = 0; row < j->table[t].n_rows; row++)
            ret->lines[k++] = j->table[t].lines[row];
out:
    ec_buf_clear(&out);
    return st;
}

static bool is_named(const struct ec_grid_opts *o, const char *path)
{
    return ec_strs_have(&o->more, path) || ec_str_eq(o->table, path);
}

/* Of folders, a table that cannot be used is left out. */
static enum ec_status add_or_leave(struct joined *j, const char *path, struct ec_err *err)
{
    struct ec_err why = { .status = EC_OK };
    enum ec_status st = add_table(j, path, &why);

    if (st && (is_named(j->o, path) || st == EC_E_NOMEM))
        return ec_fail(err, st, "%s", why.text);
    if (st && j->o->said)
        ec_said_left_out(j->o->said, path, why.text);
    return EC_OK;
}

static enum ec_status read_joined(const struct ec_grid_opts *o, const struct ec_strs *files,
                                  struct ec_csv *ret, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    size_t n = (size_t)files->n;
    struct joined j = { .o = o,
                        .path = ec_arena_alloc(&a, (n + 1) * sizeof *j.path),
                        .table = ec_arena_alloc(&a, (n + 1) * sizeof *j.table) };
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_allocated(j.path && j.table, err));
    for (i = 0; i < files->n; i++)
        EC_TRY(add_or_leave(&j, files->v[i], err));
    if (!files->n)
        EC_TRY(ec_no_table(o->table, "", &a, err));
    if (!j.n)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND,
                       "none of its %d tables is of configurations or runs; "
                       "--op NAME fits operators",
                       files->n));
    EC_TRY(put_joined(&j, ret, err));
out:
    for (i = 0; i < j.n; i++)
        ec_csv_clear(&j.table[i]);
    ec_csv_clear(&j.head);
    ec_arena_clear(&a);
    return st;
}

enum ec_status ec__grid_read(const struct ec_grid_opts *o, struct ec_csv *ret, struct ec_err *err)
{
    struct ec_strs files = { 0 };
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    bool is_folder = false;
    enum ec_status st = EC_OK;
    int i;

    for (i = -1; i < o->more.n && !o->store; i++)
        EC_TRY(
            ec_files_find(i < 0 ? o->table : o->more.v[i], "*.csv", &a, &files, &is_folder, err));
    if (o->store)
        EC_TRY(read_store(o->store, &csv, err));
    else if (files.n == 1 && !is_folder)
        EC_TRY(read_one(o, o->table, &csv, err));
    else
        EC_TRY(read_joined(o, &files, &csv, err));
    *ret = csv;
out:
    ec_arena_clear(&a);
    return st;
}

/* Puts the table's name in front of a message without it. */
enum ec_status ec__grid_of_table(const struct ec_grid_opts *o, enum ec_status st,
                                 struct ec_err *err)
{
    const char *name = o->store ? o->store : o->table;
    int i;

    for (i = 0; st && name && err && i < o->more.n; i++) /* a table among several is named */
        if (ec_str_starts(err->text, o->more.v[i]))
            name = NULL;
    if (st && name && err && !ec_str_starts(err->text, name))
        ec_err_prefix(err, "%s: ", name);
    return st;
}
