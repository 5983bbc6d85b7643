/* Rows of a public table as queries. */
#include "tables/mapping_internal.h"
#include "tables/record_internal.h"

static enum ec_status public_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                                  struct ec_arena *a, struct ec_record_list *ret,
                                  struct ec_err *err)
{
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_reader *reader = NULL;
    enum ec_status st;
    int first = ret->n, row, n = 0, i;

    EC_TRY(ec__judging_reader_new(l, csv, &reader, err));
    for (row = 0; row < csv->n_rows; row++) {
        EC_TRY(ec_reader_row(reader, row, r, &n, err));
        for (i = 0; i < n; i++)
            EC_TRY(ec__keep_query(&r[i], a, ret, err));
        ret->n_excluded += n == 0;
    }
    if (l->iteration)
        EC_TRY(ec__merge_iterations(ret, first, err));
out:
    ec_reader_free(reader);
    return st;
}

enum ec_status ec_mapping_recorded_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                                        struct ec_arena *a, struct ec_record_list *ret,
                                        struct ec_err *err)
{
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_reader *reader = NULL;
    struct ec_row_fault fault;
    enum ec_status st;
    int row, n = 0, i;

    EC_TRY(ec_reader_new(l, csv, NULL, &reader, err));
    for (row = 0; row < csv->n_rows; row++) {
        EC_TRY(ec_reader_row(reader, row, r, &n, err));
        fault = ec_reader_fault(reader);
        if (fault.column)
            EC_TRY(ec__keep_fault(csv, row, fault, a, ret, err));
        for (i = 0; i < n; i++)
            if (r[i].time.known && ec_str_eq(r[i].outcome, "ok"))
                EC_TRY(ec__keep_query(&r[i], a, ret, err));
    }
out:
    ec_reader_free(reader);
    return st;
}

enum ec_status ec_mapping_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                               struct ec_arena *a, struct ec_record_list *ret, struct ec_err *err)
{
    if (l->is_export)
        return ec__export_rows(csv, a, ret, err);
    if (l->plain || l->map->is_own)
        return ec__plain_rows(l, csv, a, ret, err);
    return public_rows(l, csv, a, ret, err);
}
