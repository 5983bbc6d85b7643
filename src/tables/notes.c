/* What a user's table leaves open: a precision that no column says, columns without a meaning. */
#include "tables/mapping_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAMES_MAX 1024
#define COLUMNS_MAX 5
#define HINT_MAX 64

/* All names that columns may have, with their units. */
static enum ec_status known_names(struct ec_arena *a, const char **names, int *ret_n,
                                  struct ec_err *err)
{
    int i, n = 0;

    for (i = 0; i < ec_n_columns; i++) {
        struct ec_span rest = ec_span_of(ec_columns[i].names), name;
        const struct ec_unit *u;

        while (rest.p && ec_span_cut(&rest, ' ', &name)) {
            if (n < NAMES_MAX)
                names[n++] = ec_arena_printf(a, "%.*s", (int)name.len, name.p);
            for (u = ec_columns[i].units; u && u->name && n < NAMES_MAX; u++)
                names[n++] = ec_arena_printf(a, "%.*s_%s", (int)name.len, name.p, u->name);
            EC_PASS(ec_allocated(names[n - 1], err));
        }
    }
    *ret_n = n;
    return EC_OK;
}

/* " (did you mean step_time_ms?)" where a name is near: one that begins alike and is about as long.
 */
static void hint(struct ec_buf *out, const char *column, const char *const *names, int n)
{
    const char *near = NULL;

    if (!ec_near_names(column, names, n, &near, 1) || strncasecmp(near, column, 2) != 0)
        return;
    if (abs((int)strlen(near) - (int)strnlen(column, HINT_MAX)) <= 1)
        ec_buf_printf(out, " (did you mean %s?)", near);
}

enum ec_status ec_columns_unknown(const struct ec_csv *csv, struct ec_arena *a, struct ec_buf *out,
                                  struct ec_err *err)
{
    const char **names = ec_arena_alloc(a, sizeof *names * NAMES_MAX);
    int i, n_names = 0, n = 0;

    EC_PASS(ec_allocated(names, err));
    EC_PASS(known_names(a, names, &n_names, err));
    for (i = 0; i < csv->n_cols; i++) {
        if (!*csv->names[i] || ec_column_meaning(csv->names[i]).quantity != EC_Q_NONE ||
            n++ >= COLUMNS_MAX)
            continue;
        ec_buf_printf(out, "%s%.40s", n > 1 ? ", " : "", csv->names[i]);
        hint(out, csv->names[i], names, n_names);
    }
    if (n > COLUMNS_MAX)
        ec_buf_printf(out, ", %d more", n - COLUMNS_MAX);
    return ec_buf_status(out, err);
}

/* No device has less memory in GiB than this in MiB, nor more GiB than this. */
#define GIB_BELOW 512

const char *ec__likely_unit(const struct ec_csv *csv, int col, enum ec_quantity q)
{
    double most = 0, v;
    int row;

    for (row = 0; row < csv->n_rows; row++)
        if (ec_parse_double(ec_span_trim(ec_span_of(ec_csv_cell(csv, row, col))), &v) && v > most)
            most = v;
    return q != EC_Q_MEMORY ? "ms" : most > 0 && most < GIB_BELOW ? "gib" : "mib";
}

static enum ec_status note_tokens(const struct ec_csv *csv, const struct ec_mapping *l,
                                  struct ec_arena *a, struct ec_strs *ret, struct ec_err *err)
{
    const char *model = ec_csv_cell(csv, 0, ec_column_of(csv, EC_Q_MODEL));
    int64_t n = l->tokens_of(*model ? model : l->what);

    return ec_strs_add(ret, a, err,
                       "no column says the tokens of a sample (seq_len): each network's own number "
                       "is taken, for %.40s %lld",
                       *model ? model : l->what, (long long)n);
}

enum ec_status ec_table_notes(const struct ec_csv *csv, const struct ec_mapping *l,
                              struct ec_arena *a, struct ec_strs *ret, struct ec_err *err)
{
    int precision = ec_column_of(csv, EC_Q_PRECISION), i;
    struct ec_buf columns = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    if (csv->note)
        EC_TRY(ec_strs_add(ret, a, err, "%s", csv->note));
    if (!l->plain)
        return EC_OK;
    if (!l->precision)
        EC_TRY(ec_strs_add(ret, a, err,
                           "no column says the precision: fp32 is taken; say --precision amp if "
                           "the runs were in amp"));
    if (l->taken_env)
        EC_TRY(ec_strs_add(ret, a, err,
                           "%.40s is taken for %.40s; if it is another, such as a laptop's: "
                           "--environment '%.40s=KEY'",
                           l->taken_env, l->taken_device, l->taken_env));
    if (l->tokens_of && !l->seq_len)
        EC_TRY(note_tokens(csv, l, a, ret, err));
    if (l->memory_read && ec_str_eq(l->memory_kind, "process"))
        EC_TRY(ec_strs_add(ret, a, err,
                           "column %.40s is taken for the memory that nvidia-smi shows",
                           l->memory_read));
    if (l->memory_read && ec_str_eq(l->memory_kind, EC_MEMORY_EITHER))
        EC_TRY(ec_strs_add(ret, a, err,
                           "column %.40s may be what the allocator has handed out "
                           "(torch.cuda.max_memory_allocated) or what nvidia-smi shows: of each "
                           "row the nearer prediction is taken",
                           l->memory_read));
    for (i = 0; i < csv->n_cols; i++) {
        struct ec_meaning m = ec_column_meaning(csv->names[i]);

        if ((m.quantity == EC_Q_STEP_TIME || m.quantity == EC_Q_MEMORY) && !(m.size > 0))
            EC_TRY(ec_strs_add(ret, a, err,
                               "column %.40s is not used: its name says no unit; call it %.40s_%s",
                               csv->names[i], csv->names[i], ec__likely_unit(csv, i, m.quantity)));
        if (m.quantity == EC_Q_PRECISION && i != precision)
            EC_TRY(ec_strs_add(ret, a, err,
                               "column %.40s is not used: column %.40s says the precision",
                               csv->names[i], csv->names[precision]));
    }
    EC_TRY(ec_columns_unknown(csv, a, &columns, err));
    if (columns.len)
        EC_TRY(ec_strs_add(ret, a, err, "columns without a known meaning are not used: %s",
                           ec_buf_text(&columns)));
out:
    ec_buf_clear(&columns);
    return st;
}
