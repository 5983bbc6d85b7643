/* Fills in options of a table of configurations by the names of its columns. */
#include "fit/grid_internal.h"

#include "cost/cost.h"
#include "tables/tables.h"

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

/* Whether a column has a value in any row, or in all. */
static bool is_filled(const struct ec_csv *csv, int col, bool in_all)
{
    int row, n = 0;

    for (row = 0; row < csv->n_rows && col >= 0; row++)
        n += *ec_csv_cell(csv, row, col) != 0;
    return in_all ? n == csv->n_rows && n : n > 0;
}

/* Whether the rows that are asked differ in a column. */
static bool differs(const struct ec_grid_opts *o, const struct ec_csv *csv, int col)
{
    const char *first = NULL;
    int row;

    for (row = 0; row < csv->n_rows && col >= 0; row++) {
        const char *cell = ec_csv_cell(csv, row, col);

        if (!ec__grid_asks(o, csv, row))
            continue;
        if (first && !ec_str_ieq(first, cell))
            return true;
        first = cell;
    }
    return false;
}

static void put_feature(struct ec_buf *list, const char *name)
{
    ec_buf_printf(list, "%s%s", list->len ? "," : "", name);
}

#define UNKNOWN_MOST 5 /* one row of so many may be of an unknown device */

/* Rates of the devices, if they are known but for a few rows, which are then left out; else the
 * devices as words. */
static void put_devices(const struct ec_csv *csv, const struct ec_grid_opts *o, struct ec_buf *list)
{
    const struct ec_table_given given = ec__grid_given(o);
    int col = -1, row, n = 0, unknown = 0;

    (void)ec_table_device(csv, &given, &col);
    for (row = 0; row < csv->n_rows && col >= 0; row++) {
        const struct ec_device *d = NULL;

        n += ec__grid_asks(o, csv, row);
        unknown += ec__grid_asks(o, csv, row) &&
                   !(!ec_device_find(ec_csv_cell(csv, row, col), &d, NULL) &&
                     ec_paper_peak(d, EC_FP32, true) > 0 && d->memory_bytes_per_s.value > 0);
    }
    if (n && UNKNOWN_MOST * unknown <= n) {
        put_feature(list, ec__counted_names[EC__COUNTED_PEAK]);
        put_feature(list, ec__counted_names[EC__COUNTED_BANDWIDTH]);
    } else if (col >= 0) {
        put_feature(list, csv->names[col]);
    }
}

/* The features: columns with parameters of the network and conditions that vary; of several
 * networks what is counted of them. */
static enum ec_status fill_features(struct ec_grid_opts *o, const struct ec_csv *csv,
                                    struct ec_arena *a, struct ec_err *err)
{
    static const enum ec_quantity varied[] = { EC_Q_DEPTH,    EC_Q_BASE_FILTERS, EC_Q_BATCH,
                                               EC_Q_IMAGE_PX, EC_Q_SEQ_LEN,      EC_Q_NUM_DEVICES };
    int params = ec_column_of(csv, EC_Q_PARAMS);
    bool grid = is_cnn_grid(csv), each = ec_str_eq(o->network, EC__GRID_EACH);
    struct ec_buf list = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(varied); i++) {
        int col = ec_column_of(csv, varied[i]);

        if (is_filled(csv, col, each) && (!each || differs(o, csv, col)) &&
            (grid || (varied[i] != EC_Q_DEPTH && varied[i] != EC_Q_BASE_FILTERS)))
            put_feature(&list, csv->names[col]);
    }
    EC_TRY(ec_buf_status(&list, err));
    if (!list.len && !each)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "no column says the batch; a table needs at least: " HEADER_ENOUGH
                       " (or say --features COLUMN,COLUMN...)"));
    if (grid && !each && is_filled(csv, params, true) && differs(o, csv, params))
        put_feature(&list, csv->names[params]);
    if (each) {
        put_feature(&list, ec__counted_names[EC__COUNTED_FLOP]);
        put_feature(&list, ec__counted_names[EC__COUNTED_BYTES]);
        put_feature(&list, ec__counted_names[EC__COUNTED_PARAMS]);
    }
    if (differs(o, csv, ec_column_of(csv, EC_Q_DEVICE)) && !*o->device)
        put_devices(csv, o, &list);
    for (i = 0; i < EC__GRID_WORDS; i++) {
        int col = ec_column_of(csv, ec__grid_words[i].q);

        if (ec__grid_words[i].given && differs(o, csv, col))
            put_feature(&list, csv->names[col]);
    }
    EC_TRY(ec_buf_keep(&list, a, &o->features, err));
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
    return ec_allocated(o->target, err);
}

/* The network of the rows; EC__GRID_EACH if they have several. */
static enum ec_status fill_network(struct ec_grid_opts *o, const struct ec_csv *csv,
                                   struct ec_arena *a, struct ec_err *err)
{
    int col = ec_column_of(csv, EC_Q_MODEL), row;
    const char *model = o->model ? o->model : "";

    for (row = 0; row < csv->n_rows && col >= 0 && !o->model; row++) {
        const char *cell = ec_csv_cell(csv, row, col);

        if (!ec__grid_asks(o, csv, row))
            continue;
        if (*cell && *model && !ec_str_ieq(cell, model)) {
            model = EC__GRID_EACH;
            break;
        }
        model = *cell ? cell : model;
    }
    if (!*model && is_cnn_grid(csv))
        model = "cifar_cnn";
    o->network = ec_arena_str(a, model);
    return ec_allocated(o->network, err);
}

/* A condition of all rows, in our word for it; NULL where the rows differ. */
static enum ec_status fill_word(struct ec_grid_opts *o, const struct ec__grid_word *w,
                                const struct ec_csv *csv, struct ec_err *err)
{
    const char **word = (const char **)((char *)o + w->given);
    int col = ec_column_of(csv, w->q);
    const char *cell = "";
    int row;

    for (row = 0; row < csv->n_rows && !ec__grid_asks(o, csv, row); row++)
        continue;
    if (row < csv->n_rows)
        cell = ec_csv_cell(csv, row, col);
    if (!w->given || *word || differs(o, csv, col))
        return EC_OK;
    *word = *cell ? ec_column_word(w->q, cell) : w->deflt;
    if (*word)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT,
                   "line %d, column %.40s: found \"%.60s\", which is no word that is known there",
                   csv->lines[row], csv->names[col], cell);
}

enum ec_status ec_grid_fill(struct ec_grid_opts *o, struct ec_arena *a, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int i;

    if (o->target && o->features && o->network && o->precision && o->framework && o->optimizer)
        return EC_OK;
    st = ec__grid_read(o, &csv, err);
    if (st)
        return ec__grid_of_table(o, st, err);
    if (!o->target)
        EC_TRY(fill_target(o, &csv, a, err));
    if (!o->network)
        EC_TRY(fill_network(o, &csv, a, err));
    if (!o->features)
        EC_TRY(fill_features(o, &csv, a, err));
    for (i = 0; i < EC__GRID_WORDS; i++)
        EC_TRY(fill_word(o, &ec__grid_words[i], &csv, err));
out:
    st = ec__grid_of_table(o, st, err);
    ec_csv_clear(&csv);
    return st;
}
