/* Fills in options of a table of configurations by the names of its columns. */
#include "fit/grid.h"

#include <string.h>

#include "dataset/dataset.h"

#define HEADER_ENOUGH "depth,base_filters,batch_size,time_per_epoch or model,batch,step_time_ms"

static const char *column_name(const struct ec_csv *csv, enum ec_quantity q)
{
    int col = ec_column_of(csv, q);

    return col < 0 ? NULL : csv->names[col];
}

static bool is_cnn_grid(const struct ec_csv *csv)
{
    return ec_column_of(csv, EC_Q_DEPTH) >= 0 && ec_column_of(csv, EC_Q_BASE_FILTERS) >= 0;
}

/* Whether a column has any value. */
static bool is_filled(const struct ec_csv *csv, const char *name)
{
    int col = name ? ec_csv_col(csv, name) : -1, row;

    for (row = 0; row < csv->n_rows && col >= 0; row++)
        if (*ec_csv_cell(csv, row, col))
            return true;
    return false;
}

/* The features: columns with parameters of the network and conditions that vary. */
static enum ec_status fill_features(struct ec_grid_opts *o, const struct ec_csv *csv,
                                    struct ec_arena *a, struct ec_err *err)
{
    static const enum ec_quantity varied[] = { EC_Q_DEPTH,    EC_Q_BASE_FILTERS, EC_Q_BATCH,
                                               EC_Q_IMAGE_PX, EC_Q_SEQ_LEN,      EC_Q_NUM_DEVICES };
    bool grid = is_cnn_grid(csv);
    struct ec_buf list = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(varied); i++) {
        const char *name = column_name(csv, varied[i]);

        if (is_filled(csv, name) &&
            (grid || (varied[i] != EC_Q_DEPTH && varied[i] != EC_Q_BASE_FILTERS)))
            ec_buf_printf(&list, "%s%s", list.len ? "," : "", name);
    }
    EC_TRY(ec_buf_status(&list, err));
    if (!list.len)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "no column says the batch; a table needs at least: " HEADER_ENOUGH
                       " (or say --features COLUMN,COLUMN...)"));
    o->features = ec_arena_str(a, ec_buf_text(&list));
    if (!o->features)
        EC_TRY(ec_nomem(err));
out:
    ec_buf_clear(&list);
    return st;
}

static enum ec_status fill_target(struct ec_grid_opts *o, const struct ec_csv *csv,
                                  struct ec_arena *a, struct ec_err *err)
{
    static const enum ec_quantity measured[] = { EC_Q_EPOCH_TIME, EC_Q_STEP_TIME, EC_Q_RATE };
    const char *name = NULL;
    int i;

    for (i = 0; i < EC_LEN(measured) && !name; i++)
        name = column_name(csv, measured[i]);
    if (!name)
        return ec_fail(err, EC_E_INPUT,
                       "no column says the time; a table needs at least: " HEADER_ENOUGH
                       " (or say --target COLUMN)");
    o->target = ec_arena_str(a, name);
    return o->target ? EC_OK : ec_nomem(err);
}

/* The network of the first row; a table with several is an error. */
static enum ec_status fill_network(struct ec_grid_opts *o, const struct ec_csv *csv,
                                   struct ec_arena *a, struct ec_err *err)
{
    int col = ec_column_of(csv, EC_Q_MODEL), row;
    const char *model = o->model ? o->model : "";

    for (row = 0; row < csv->n_rows && col >= 0 && !o->model; row++) {
        const char *cell = ec_csv_cell(csv, row, col);

        if (*cell && *model && !ec_str_ieq(cell, model))
            return ec_fail(err, EC_E_INPUT,
                           "the rows are of several networks (%.40s, %.40s, ...): say --model NAME",
                           model, cell);
        model = *cell ? cell : model;
    }
    if (!*model && is_cnn_grid(csv))
        model = "cifar_cnn";
    o->network = ec_arena_str(a, model);
    return o->network ? EC_OK : ec_nomem(err);
}

/* A condition of the first row, in our word for it. */
static enum ec_status fill_word(const char **word, enum ec_quantity q, const char *deflt,
                                const struct ec_csv *csv, struct ec_err *err)
{
    int col = ec_column_of(csv, q);
    const char *cell = csv->n_rows ? ec_csv_cell(csv, 0, col) : "";

    if (*word)
        return EC_OK;
    *word = *cell ? ec_column_word(q, cell) : deflt;
    if (*word)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT,
                   "line %d, column %.40s: found \"%.60s\", which is no word that is known there",
                   csv->lines[0], csv->names[col], cell);
}

enum ec_status ec_grid_fill(struct ec_grid_opts *o, struct ec_arena *a, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st;

    if (o->target && o->features && o->network && o->precision && o->framework && o->optimizer)
        return EC_OK;
    st = ec_table_read(o->table, o->mapping, &csv, err);
    if (st)
        return st; /* its message names the file */
    EC_TRY(ec_table_of_steps(&csv, o->table, err));
    if (!o->target)
        EC_TRY(fill_target(o, &csv, a, err));
    if (!o->features)
        EC_TRY(fill_features(o, &csv, a, err));
    if (!o->network)
        EC_TRY(fill_network(o, &csv, a, err));
    EC_TRY(fill_word(&o->precision, EC_Q_PRECISION, "fp32", &csv, err));
    EC_TRY(fill_word(&o->framework, EC_Q_FRAMEWORK, "pytorch-2", &csv, err));
    EC_TRY(fill_word(&o->optimizer, EC_Q_OPTIMIZER, "adam", &csv, err));
out:
    if (st)
        ec_err_prefix(err, "%s: ", o->table);
    ec_csv_clear(&csv);
    return st;
}
