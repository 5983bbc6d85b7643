/* epochcast data mappings: lists the built-in mappings, or prints one. */
#include "cli/data_internal.h"

#include "tables/tables.h"
#include "report/report.h"
#include "cli_columns.h"

static enum ec_status list(struct ec_call *call, struct ec_err *err)
{
    const struct ec_table_head head = { .schema = "epochcast.mappings/1", .rows = "mappings" };
    struct ec_mapping_info *v = NULL;
    struct ec_table t;
    enum ec_status st;
    int n = 0, i;

    ec_table_init(&t, data_mappings_cols, EC_LEN(data_mappings_cols));
    EC_TRY(ec_mappings(&call->arena, &v, &n, err));
    for (i = 0; i < n; i++) {
        ec_table_row(&t, ec_text(v[i].name), ec_text(v[i].file), ec_text(v[i].use),
                     ec_text(v[i].source));
        ec_table_row(&t, ec_given(v[i].licence), ec_given(v[i].columns), ec_given(v[i].url));
    }
    EC_TRY(ec_call_table(call, &head, &t, err));
out:
    ec_table_clear(&t);
    return st;
}

enum ec_status ec__data_mappings(struct ec_call *call, const struct ec_strs *names,
                                 struct ec_err *err)
{
    const char *text = NULL;
    size_t len = 0;
    int i;

    if (!names->n)
        return list(call, err);
    for (i = 0; i < names->n; i++) {
        EC_PASS(ec_mapping_text(names->v[i], &call->arena, &text, &len, err));
        ec_buf_add(&call->out, text, len);
    }
    return EC_OK;
}
