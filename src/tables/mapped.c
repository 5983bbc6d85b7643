/* Translates a table by a mapping to our names of columns and words, and keeps the columns that the
 * mapping does not name. Code that searches columns by name can then read it like any table. */
#include "tables/record_internal.h"

#include <string.h>

struct mapped {
    const struct ec_csv *csv;
    const struct ec_mapping *l;
    struct ec_reader *reader;
    struct ec_buf out;
    int *lines;
    int n_rows, n_cells; /* rows that are there; cells of this one */
};

/* Columns of ours: X(name, the mapping has it, cell). */
/* clang-format off */
#define OURS(X)                                                                                    \
    X(model, l->what, r->what)                                                                     \
    X(device, l->device, r->device)                                                                \
    X(precision, l->precision, ec_record_word(r, EC_WORD_PRECISION))                               \
    X(framework, l->framework, ec_record_word(r, EC_WORD_FRAMEWORK))                               \
    X(optimizer, l->optimizer, ec_record_word(r, EC_WORD_OPTIMIZER))                               \
    X(mode, l->mode, ec_record_word(r, EC_WORD_MODE))                                              \
    X(batch_size, l->batch, number(room, (double)r->batch))                                        \
    X(image_px, l->image_px, number(room, (double)r->image_px))                                    \
    X(seq_len, l->seq_len, number(room, (double)r->seq_len))                                       \
    X(num_devices, l->num_devices, number(room, (double)r->num_devices))                           \
    X(step_time_ms, l->times[0].column, number(room, r->time.known ? r->time.ns / 1e6 : 0))        \
    X(memory_bytes, l->memory, number(room, (double)r->memory_peak_bytes))
/* clang-format on */

#define ROOM_BYTES 32

/* Nothing for what is not known. */
static const char *number(char room[ROOM_BYTES], double v)
{
    (void)ec_snprintf(room, ROOM_BYTES, "%.15g", v);
    return v > 0 ? room : "";
}

static void put(struct mapped *m, const char *cell)
{
    ec_buf_str(&m->out, m->n_cells++ ? "," : "");
    ec_csv_put(&m->out, cell);
}

static void put_others(struct mapped *m, int row)
{
    const struct ec_plan *p = &m->reader->plan[0];
    int i;

    for (i = 0; i < m->csv->n_cols; i++)
        if (!p->used[i])
            put(m, row < 0 ? m->csv->names[i] : ec_csv_cell(m->csv, row, i));
    ec_buf_char(&m->out, '\n');
    m->n_cells = 0;
}

static void put_header(struct mapped *m)
{
    const struct ec_mapping *l = m->l;

#define PUT_NAME(name, has, cell)                                                                  \
    if (has)                                                                                       \
        put(m, #name);
    OURS(PUT_NAME)
#undef PUT_NAME
    put_others(m, -1);
}

/* The conditions of the mapping exclude the row from predictions. */
static bool is_left_out(const struct mapped *m, int row)
{
    const struct ec_mapping *l = ec__reader_mapping(m->reader, row, m->l);

    return !l->stored_only && !ec__mapping_judges(l, m->csv, row);
}

/* An invalid row has empty cells in our columns; code that needs them reports the row. */
static enum ec_status put_row(struct mapped *m, int row, struct ec_err *err)
{
    struct ec_record records[EC_RECORDS_MAX];
    const struct ec_record *r = records;
    const struct ec_mapping *l = m->l;
    char room[ROOM_BYTES];
    int n = 0;
    enum ec_status st = ec_reader_row(m->reader, row, records, &n, err);
    bool bad = ec_reader_fault(m->reader).column != NULL;

    if (st || (!n && !bad) || is_left_out(m, row)) /* no row of the mapping */
        return st;
#define PUT_CELL(name, has, cell)                                                                  \
    if (has)                                                                                       \
        put(m, bad ? "" : cell);
    OURS(PUT_CELL)
#undef PUT_CELL
    put_others(m, row);
    m->lines[m->n_rows++] = m->csv->lines[row];
    return EC_OK;
}

static enum ec_status rewrite(struct mapped *m, struct ec_csv *ret, struct ec_err *err)
{
    int row;

    put_header(m);
    for (row = 0; row < m->csv->n_rows; row++)
        EC_PASS(put_row(m, row, err));
    EC_PASS(ec_buf_status(&m->out, err));
    EC_PASS(ec_csv_parse(m->out.data, m->out.len, ret, err));
    if (ret->n_rows == m->n_rows) /* messages name lines of the file */
        memcpy(ret->lines, m->lines, sizeof *m->lines * (size_t)m->n_rows);
    return EC_OK;
}

enum ec_status ec_table_read(const struct ec_table_given *given, struct ec_csv *ret,
                             struct ec_err *err)
{
    struct mapped m = { .out = EC_BUF_INIT };
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st;

    if (!given->mapping)
        return ec_table_open(given, ret, err);
    EC_PASS(ec_table_open(given, &csv, err)); /* the message names the file */
    m.csv = &csv;
    m.lines = ec_arena_alloc(&a, sizeof *m.lines * ((size_t)csv.n_rows + 1));
    EC_TRY(ec_allocated(m.lines, err));
    EC_TRY(ec_mapping_of_record(&csv, given, &a, &m.l, err));
    EC_TRY(ec_reader_new(m.l, &csv, NULL, &m.reader, err));
    EC_TRY(rewrite(&m, ret, err));
out:
    ec_reader_free(m.reader);
    ec_buf_clear(&m.out);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    return st;
}
