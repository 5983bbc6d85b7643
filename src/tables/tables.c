/* The uses of public tables, their paths below a directory of data, and their mappings:
 * data/tables.csv, which is built into the library. */
#include "tables/mapping_internal.h"

#include "tables_file.h"

EC_EMBED(tables, EC_TABLES_FILE);

static enum ec_status read_use(const struct ec_csv *csv, int row, struct ec_arena *a,
                               struct ec_table_use *ret, struct ec_err *err)
{
    const char *learned = ec_csv_text(csv, row, "learned_rows");
    struct ec_table_use u = { .table = ec_arena_str(a, ec_csv_text(csv, row, "table")),
                              .mapping = ec_arena_str(a, ec_csv_text(csv, row, "mapping")),
                              .part = ec_arena_str(a, ec_csv_text(csv, row, "part")),
                              .name = ec_arena_str(a, ec_csv_text(csv, row, "name")),
                              .own = ec_str_eq(ec_csv_text(csv, row, "directory"), "measured"),
                              .unsteady = *ec_csv_text(csv, row, "unsteady") != '\0' };
    int64_t n = 0;

    EC_PASS(ec_allocated(u.table && u.mapping && u.part && u.name, err));
    if (*learned && (!ec_parse_int(ec_span_of(learned), &n) || n < 1 || n > 1000000))
        return ec_fail(err, EC_E_PARSE,
                       "tables.csv, line %d: learned_rows is \"%.40s\", expected 1 to 1000000",
                       csv->lines[row], learned);
    u.learned_rows = (int)n;
    u.mapping = *u.mapping ? u.mapping : NULL;
    *ret = u;
    return EC_OK;
}

enum ec_status ec_table_uses(const char *use, struct ec_arena *a, struct ec_table_use **ret,
                             int *ret_n, struct ec_err *err)
{
    struct ec_table_use *v = NULL;
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int row, n = 0;

    EC_TRY(ec_csv_parse(ec__tables_begin, (size_t)(ec__tables_end - ec__tables_begin), &csv, err));
    v = ec_arena_alloc(a, sizeof *v * ((size_t)csv.n_rows + 1));
    EC_TRY(ec_allocated(v, err));
    for (row = 0; row < csv.n_rows; row++)
        if (ec_str_eq(ec_csv_text(&csv, row, "use"), use))
            EC_TRY(read_use(&csv, row, a, &v[n++], err));
    *ret = v;
    *ret_n = n;
out:
    ec_csv_clear(&csv);
    return st;
}
