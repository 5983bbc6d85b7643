/* Tables that `epochcast data export` wrote: their columns are those of a measurement. */
#include "tables/mapping_internal.h"

#include <string.h>

#define EXPORT .name = "export", .source = "rows of a store", .columns = "", .is_export = true

static const struct ec_mapping operators = { EXPORT };
static const struct ec_mapping networks = { EXPORT, .is_network = true };

const struct ec_mapping *ec__mapping_of_export(const struct ec_csv *csv)
{
    int col = ec_csv_col(csv, "kind"), row;

    if (!ec_record_is_export(csv))
        return NULL;
    for (row = 0; row < csv->n_rows; row++)
        if (ec_str_eq(ec_csv_cell(csv, row, col), ec_kind_names[EC_KIND_operator]))
            return &operators;
    return &networks;
}

/* [iteration, host_ns, device_ns, "flags"]: the device's time if there is one, else the host's; 0:
 * not a sample. */
static double sample_ns(const struct ec_jval *v)
{
    const struct ec_jval *host = v->type == EC_J_ARRAY && v->n == 4 ? v->child->next : NULL;
    const struct ec_jval *time = host && host->next->type == EC_J_NUM ? host->next : host;

    return time && time->type == EC_J_NUM ? time->num : 0;
}

/* Exports of older versions have no time in rows with samples. */
static enum ec_status read_time(const char *samples, struct ec_reading *ret, struct ec_err *err)
{
    const struct ec_jval *list = NULL, *v;
    struct ec_arena a = { 0 };
    double *ns = NULL, one;
    enum ec_status st;
    int n = 0, cap = 0;

    if (ret->known || !*samples)
        return EC_OK;
    EC_TRY(ec_json_parse(samples, strlen(samples), &a, &list, err));
    for (v = list->type == EC_J_ARRAY ? list->child : NULL; v; v = v->next) {
        one = sample_ns(v);
        if (!(one > 0))
            continue;
        EC_TRY(ec_grow(&ns, &cap, n + 1, sizeof *ns, err));
        ns[n++] = one;
    }
    if (n)
        *ret = (struct ec_reading){ ec__median(ns, n), true };
out:
    ec_free(ns);
    ec_arena_clear(&a);
    return st;
}

/* Memory is compared only in rows without a time, because each row is compared by one quantity. */
static void leave_memory_out(struct ec_record_list *l, int first)
{
    int i, n = first;

    for (i = first; i < l->n && ec_record_is_memory(&l->v[i]); i++)
        continue;
    if (i == l->n)
        return;
    for (i = first; i < l->n; i++)
        if (!ec_record_is_memory(&l->v[i]))
            l->v[n++] = l->v[i];
    l->n_excluded += l->n - n;
    l->n = n;
}

enum ec_status ec__export_row(const struct ec_csv *csv, const int *cols, int row,
                              struct ec_record *ret, struct ec_row_fault *fault, struct ec_err *err)
{
    ec_record_of_export(csv, cols, row, ret, fault);
    return read_time(ec_csv_cell(csv, row, ec_csv_col(csv, "samples")), &ret->time, err);
}

static enum ec_status add_row(const struct ec_csv *csv, const int *cols, int row,
                              struct ec_arena *a, struct ec_record_list *ret, struct ec_err *err)
{
    struct ec_row_fault fault = { 0 };
    struct ec_record r;

    EC_PASS(ec__export_row(csv, cols, row, &r, &fault, err));
    if (fault.column)
        return ec__keep_fault(csv, row, fault, a, ret, err);
    if (!ec_record_is_comparable(&r)) {
        ret->n_excluded++;
        return EC_OK;
    }
    ec_record_default(&r);
    r.source.mapping = operators.name;
    r.row = row;
    return ec__keep_query(&r, a, ret, err);
}

enum ec_status ec__export_rows(const struct ec_csv *csv, struct ec_arena *a,
                               struct ec_record_list *ret, struct ec_err *err)
{
    int cols[EC_RECORD_COLS_MAX], row, first = ret->n;

    ec_record_find_cols(csv, cols);
    for (row = 0; row < csv->n_rows; row++)
        EC_PASS(add_row(csv, cols, row, a, ret, err));
    leave_memory_out(ret, first);
    return EC_OK;
}
