/* Rows of a public table as queries. */
#include "tables/mapping_internal.h"
#include "tables/record_internal.h"

/* Which rows become queries: of a public table those that its mapping takes, of a user's those that
 * can be predicted, or all with a time. */
enum wanted { PUBLIC, PLAIN, RECORDED };

static enum ec_status read_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                                enum wanted wanted, struct ec_arena *a, struct ec_record_list *ret,
                                struct ec_err *err)
{
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_reader *reader = NULL;
    struct ec_row_fault fault;
    int first = ret->n, row, n = 0, i;
    enum ec_status st;

    EC_TRY(wanted == PUBLIC ? ec__judging_reader_new(l, csv, &reader, err)
                            : ec_reader_new(l, csv, NULL, &reader, err));
    for (row = 0; row < csv->n_rows; row++) {
        EC_TRY(ec_reader_row(reader, row, r, &n, err));
        fault = ec_reader_fault(reader);
        if (fault.column && wanted != PUBLIC) {
            EC_TRY(ec__keep_fault(csv, row, fault, a, ret, err));
        } else if (wanted == PLAIN) {
            EC_TRY(ec__keep_plain(ec__reader_mapping(reader, row, l), csv, row, r, n, a, ret, err));
        } else {
            for (i = 0; i < n; i++)
                if (wanted == PUBLIC || (r[i].time.known && ec_str_eq(r[i].outcome, "ok")))
                    EC_TRY(ec__keep_query(&r[i], a, ret, err));
            if (wanted == PUBLIC && n == 0)
                EC_TRY(ec__exclude(l, csv, row, a, ret, err));
        }
    }
    if (l->iteration && wanted != RECORDED)
        EC_TRY(ec__merge_iterations(ret, first, err));
out:
    ec_reader_free(reader);
    return st;
}

enum ec_status ec_mapping_recorded_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                                        struct ec_arena *a, struct ec_record_list *ret,
                                        struct ec_err *err)
{
    return read_rows(l, csv, RECORDED, a, ret, err);
}

enum ec_status ec_mapping_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                               struct ec_arena *a, struct ec_record_list *ret, struct ec_err *err)
{
    if (l->is_export)
        return ec__export_rows(csv, a, ret, err);
    return read_rows(l, csv, l->plain || l->map->is_own ? PLAIN : PUBLIC, a, ret, err);
}
