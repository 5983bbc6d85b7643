/* The columns of a measurement, which columns.txt lists, and the text of a cell both ways. */
#include "record/record.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "record_columns.h"

#define READING_MAX 1e18
#define COUNT_MAX 1000000000000000

#define AT(member) offsetof(struct ec_record, member)
#define COND(member) (AT(cond) + offsetof(struct ec_conditions, member))

/* clang-format off */
#define COLUMN(name_, type_, place, word_, table_, sql_, file, iterations, key, late_)             \
    { .name = name_, .type = EC_C_##type_, .offset = AT(place), .word = word_, .table = table_,    \
      .sql = sql_, .in_file = file, .in_iterations = iterations, .in_key = key, .late = late_ },
const struct ec_record_col ec_record_cols[] = { RECORD_COLUMNS(COLUMN) { .name = NULL } };
/* clang-format on */

static_assert(EC_LEN(ec_record_cols) <= EC_RECORD_COLS_MAX, "EC_RECORD_COLS_MAX is too small");

const struct ec_record_col *ec_record_col_in_file(const char *name)
{
    const struct ec_record_col *c;

    for (c = ec_record_cols; c->name; c++)
        if (c->in_file && ec_str_eq(c->in_file, name))
            return c;
    return NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Out */

static const char *text_at(const struct ec_record *r, size_t offset)
{
    const char *text;

    memcpy(&text, (const char *)r + offset, sizeof text);
    return text ? text : "";
}

/* The version behind `name=` in words joined by blanks. */
static struct ec_span library(const struct ec_record *r, const char *name)
{
    struct ec_span rest = ec_span_of(r->libraries ? r->libraries : ""), word, key;

    while (ec_span_cut(&rest, ' ', &word))
        if (ec_span_cut(&word, '=', &key) && ec_span_eq(key, name))
            return word;
    return (struct ec_span){ "", 0 };
}

static bool put_number(double v, bool known, struct ec_buf *out)
{
    char number[EC_FMT_DOUBLE_BYTES];

    if (known)
        ec_buf_str(out, ec_fmt_double(number, sizeof number, v));
    return known;
}

static bool put_text(const char *text, struct ec_buf *out)
{
    ec_buf_str(out, text);
    return *text;
}

bool ec_record_put(const struct ec_record_col *c, const struct ec_record *r, struct ec_buf *out)
{
    const char *at = (const char *)r + c->offset;
    struct ec_reading reading;
    struct ec_span part;
    int64_t count;
    double v;
    int n;

    switch (c->type) {
    case EC_C_TEXT:
    case EC_C_JSON:
        return put_text(text_at(r, c->offset), out);
    case EC_C_COUNT:
        memcpy(&count, at, sizeof count);
        if (count)
            ec_buf_printf(out, "%" PRId64, count);
        return count != 0;
    case EC_C_ROW:
        memcpy(&n, at, sizeof n);
        ec_buf_printf(out, "%d", n);
        return true;
    case EC_C_NUMBER:
        memcpy(&v, at, sizeof v);
        return put_number(v, v > 0, out);
    case EC_C_TIME:
        memcpy(&reading, at, sizeof reading);
        return put_number(reading.ns, reading.known, out);
    case EC_C_FLAG:
        return put_text(*(const bool *)at ? "1" : "", out);
    case EC_C_KIND:
        return put_text(ec_kind_names[r->kind], out);
    case EC_C_PHASE:
        return r->phase >= 0 && put_text(ec_record_phase_word(r), out);
    case EC_C_WORD:
        return put_text(ec_record_word(r, c->word), out);
    case EC_C_LIBRARY:
        part = library(r, c->name);
        ec_buf_add(out, part.p, part.len);
        return part.len;
    }
    return false;
}

/* Files have one word for what was timed: an operator's phase, or the whole of a mode. */
static void put_phase(const struct ec_record *r, struct ec_buf *out)
{
    if (r->phase >= 0)
        ec_buf_str(out, ec_record_phase_word(r));
    else if (!r->foreign[EC_WORD_MODE] && r->cond.mode == EC_MODE_TRAINING_STEP)
        ec_buf_str(out, "step");
    else
        ec_buf_str(out, ec_record_word(r, EC_WORD_MODE));
}

void ec_record_put_in_file(const struct ec_record_col *c, const struct ec_record *r,
                           struct ec_buf *out)
{
    if (c->type == EC_C_PHASE)
        put_phase(r, out);
    else if (c->offset == AT(held_out))
        ec_buf_char(out, r->held_out ? '1' : '0');
    else if (c->offset == COND(half_inputs))
        ec_buf_str(out, r->cond.half_inputs ? "fp16" : "");
    else
        (void)ec_record_put(c, r, out);
}

/* ------------------------------------------------------------------------------------------------
 * In */

static void find_fault(struct ec_row_fault *fault, const struct ec_record_col *c, const char *found,
                       const char *expected)
{
    if (!fault->column)
        *fault = (struct ec_row_fault){ c->name, found, expected };
}

static void set_count(const struct ec_record_col *c, char *at, const char *text,
                      struct ec_row_fault *fault)
{
    int64_t v = 0, max = c->type == EC_C_COUNT ? COUNT_MAX : INT32_MAX;
    int n;

    if (*text && (!ec_parse_int(ec_span_of(text), &v) || v < 0 || v > max)) {
        find_fault(fault, c, text, "a whole number of at least 0");
        return;
    }
    n = (int)v;
    if (c->type == EC_C_COUNT)
        memcpy(at, &v, sizeof v);
    else
        memcpy(at, &n, sizeof n);
}

static void set_number(const struct ec_record_col *c, char *at, const char *text,
                       struct ec_row_fault *fault)
{
    struct ec_reading v = { .known = *text != '\0' };

    if (v.known &&
        (!ec_parse_double(ec_span_of(text), &v.ns) || !(v.ns >= 0) || v.ns > READING_MAX)) {
        find_fault(fault, c, text, "a number from 0 to 10^18");
        return;
    }
    if (c->type == EC_C_NUMBER)
        memcpy(at, &v.ns, sizeof v.ns);
    else
        memcpy(at, &v, sizeof v);
}

static void set_flag(const struct ec_record_col *c, char *at, const char *text,
                     struct ec_row_fault *fault)
{
    bool v = ec_str_eq(text, "1");

    if (*text && !v && !ec_str_eq(text, "0"))
        find_fault(fault, c, text, "0 or 1");
    memcpy(at, &v, sizeof v);
}

static void set_kind(const struct ec_record_col *c, struct ec_record *r, const char *text,
                     struct ec_row_fault *fault)
{
    int i = ec_name_index(ec_kind_names, EC_KIND_COUNT, text);

    if (i >= 0)
        r->kind = (enum ec_kind)i;
    else
        find_fault(fault, c, text, "a kind of measurement");
}

void ec_record_set(const struct ec_record_col *c, struct ec_record *r, const char *text,
                   struct ec_row_fault *fault)
{
    char *at = (char *)r + c->offset;

    switch (c->type) {
    case EC_C_TEXT:
    case EC_C_JSON:
        memcpy(at, &text, sizeof text);
        return;
    case EC_C_COUNT:
    case EC_C_ROW:
        set_count(c, at, text, fault);
        return;
    case EC_C_NUMBER:
    case EC_C_TIME:
        set_number(c, at, text, fault);
        return;
    case EC_C_FLAG:
        set_flag(c, at, text, fault);
        return;
    case EC_C_KIND:
        set_kind(c, r, text, fault);
        return;
    case EC_C_PHASE:
        r->phase = ec_phase_find(text);
        return;
    case EC_C_WORD:
        ec_record_set_word(r, c->word, text);
        return;
    case EC_C_LIBRARY: /* read together, as `libraries` */
        return;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

bool ec_record_is_export(const struct ec_csv *csv)
{
    return ec_csv_col(csv, "source_key") >= 0 && ec_csv_col(csv, "source_row") >= 0 &&
           ec_csv_col(csv, "reading") >= 0 && ec_csv_col(csv, "what") >= 0;
}

bool ec_record_is_file(const struct ec_csv *csv)
{
    return ec_csv_col(csv, "run") >= 0 && ec_csv_col(csv, "kind") >= 0 &&
           ec_csv_col(csv, "what") >= 0 && ec_csv_col(csv, "samples_ns") >= 0;
}

void ec_record_find_cols(const struct ec_csv *csv, int ret[EC_RECORD_COLS_MAX])
{
    int i;

    for (i = 0; ec_record_cols[i].name; i++)
        ret[i] = ec_record_cols[i].table ? ec_csv_col(csv, ec_record_cols[i].name) : -1;
}

void ec_record_of_export(const struct ec_csv *csv, const int *cols, int row, struct ec_record *ret,
                         struct ec_row_fault *fault)
{
    int i;

    ec_record_init(ret);
    for (i = 0; ec_record_cols[i].name; i++)
        if (ec_record_cols[i].table)
            ec_record_set(&ec_record_cols[i], ret, ec_csv_cell(csv, row, cols[i]), fault);
    ec_record_phase_mode(ret);
}

void ec_record_init(struct ec_record *r)
{
    const struct ec_record_col *c;
    int i;

    memset(r, 0, sizeof *r);
    for (c = ec_record_cols; c->name; c++)
        if (c->type == EC_C_TEXT || c->type == EC_C_JSON)
            memcpy((char *)r + c->offset, &(const char *){ "" }, sizeof(const char *));
    for (i = 0; i < EC_WORD_COUNT; i++)
        r->foreign[i] = i == EC_WORD_RECOMPUTE ? NULL : "";
    r->phase = -1;
    r->iteration = -1;
}

enum ec_status ec_record_keep(struct ec_record *r, struct ec_arena *a, struct ec_err *err)
{
    const struct ec_record_col *c;
    int i;

    for (c = ec_record_cols; c->name; c++) {
        const char *text;

        if (c->type != EC_C_TEXT && c->type != EC_C_JSON)
            continue;
        memcpy(&text, (char *)r + c->offset, sizeof text);
        text = text && *text ? ec_arena_str(a, text) : "";
        EC_PASS(ec_allocated(text, err));
        memcpy((char *)r + c->offset, &text, sizeof text);
    }
    for (i = 0; i < EC_WORD_COUNT; i++)
        if (r->foreign[i]) {
            r->foreign[i] = *r->foreign[i] ? ec_arena_str(a, r->foreign[i]) : "";
            EC_PASS(ec_allocated(r->foreign[i], err));
        }
    return EC_OK;
}
