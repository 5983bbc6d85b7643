/* Layouts at work: which table is which, and rows as the questions that the predictor is asked. */
#include "dataset/layout_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * Templates */

static const char *map_word(struct ec_span map, const char *from)
{
    const char *to = ec__layout_word(map, from);

    return to ? to : "";
}

/* The cell of a column, or of two with a plus between them. */
static const char *two_cells(const struct ec_csv *csv, int row, struct ec_span name, char *room,
                             size_t size)
{
    struct ec_span second = name, first;
    char one[64], other[64];

    if (!name.len || !memchr(name.p, '+', name.len))
        return ec__cell(csv, row, name, room, size);
    (void)ec_span_cut(&second, '+', &first);
    (void)snprintf(room, size, "%s+%s", ec__cell(csv, row, first, one, sizeof one),
                   ec__cell(csv, row, second, other, sizeof other));
    return room;
}

/* {batch/devices}: how many times the second column goes into the first. Excluded where that is no
 * whole number. */
static bool expand_quotient(const struct ec_csv *csv, int row, struct ec_span body,
                            struct ec_buf *out)
{
    struct ec_span first;
    double over, under;

    (void)ec_span_cut(&body, '/', &first);
    over = ec__cell_number(csv, row, first);
    under = ec__cell_number(csv, row, body);
    if (!(under >= 1) || !(over >= under) || fmod(over, under) != 0)
        return false;
    ec_buf_printf(out, "%.0f", over / under);
    return true;
}

/* Expand what stands between braces. False: the row is excluded. */
static bool expand_cell(const struct ec_csv *csv, int row, struct ec_span body, struct ec_buf *out)
{
    struct ec_span name = { NULL, 0 }, map = body;
    bool optional = body.len && memchr(body.p, '?', body.len);
    char column[64], both[96];
    const char *cell;

    if (memchr(body.p, '/', body.len))
        return expand_quotient(csv, row, body, out);
    if (!memchr(body.p, ':', body.len)) {
        ec_buf_str(out, ec__cell(csv, row, body, both, sizeof both));
        return true;
    }
    (void)ec_span_cut(&map, ':', &name);
    cell = two_cells(csv, row, name, both, sizeof both);
    if (optional) { /* {op:second?y}: a second operand of the same shape for binary operators */
        struct ec_span key = { NULL, 0 };
        const char *word;

        (void)ec_span_cut(&map, '?', &key);
        word = map_word(key, cell);
        if (*word)
            ec_buf_printf(out, "%s=%sx%s", word, ec_csv_cell(csv, row, ec_csv_col(csv, "rows_b")),
                          ec_csv_cell(csv, row, ec_csv_col(csv, "cols_h")));
        return true;
    }
    if (memchr(map.p, '|', map.len)) { /* {model+version:net|model}: a word, or else a column */
        struct ec_span key = { NULL, 0 };

        (void)ec_span_cut(&map, '|', &key);
        ec__column_name(map, column, sizeof column);
        cell = ec__layout_word(key, cell);
        ec_buf_str(out, cell ? cell : ec_csv_cell(csv, row, ec_csv_col(csv, column)));
        return true;
    }
    cell = map_word(map, cell);
    ec_buf_str(out, cell);
    return *cell != '\0';
}

static bool expand(const struct ec_csv *csv, int row, const char *template, struct ec_buf *out)
{
    const char *open, *close;

    ec_buf_reset(out);
    while (template && (open = strchr(template, '{')) && (close = strchr(open, '}'))) {
        struct ec_span body = { open + 1, (size_t)(close - open - 1) };

        ec_buf_add(out, template, (size_t)(open - template));
        if (!expand_cell(csv, row, body, out))
            return false;
        template = close + 1;
    }
    if (template)
        ec_buf_str(out, template);
    return true;
}

static enum ec_status expand_str(const struct ec_csv *csv, int row, const char *template,
                                 const char *deflt, struct ec_buf *scratch, struct ec_arena *a,
                                 const char **ret, bool *ret_excluded, struct ec_err *err)
{
    struct ec_span text;

    if (!template || !strchr(template, '{')) {
        *ret = template ? template : deflt;
        return EC_OK;
    }
    if (!expand(csv, row, template, scratch))
        *ret_excluded = true;
    text = ec_span_trim(ec_span_of(ec_buf_text(scratch)));
    *ret = text.len ? ec_arena_strn(a, text.p, text.len) : deflt;
    return *ret ? ec_buf_status(scratch, err) : ec_nomem(err);
}

static int64_t expand_int(const struct ec_csv *csv, int row, const char *template,
                          struct ec_buf *scratch, bool *ret_excluded)
{
    double v = 0;

    if (!template)
        return 0;
    if (!expand(csv, row, template, scratch)) {
        *ret_excluded = true;
        return 0;
    }
    if (!ec_parse_double(ec_span_trim(ec_span_of(ec_buf_text(scratch))), &v) || v < 0 || v > 1e9)
        return 0;
    return (int64_t)v;
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

/* A value, or several separated by '|'. */
static bool is_among(const char *cell, struct ec_span values)
{
    struct ec_span one;

    if (ec_span_eq(values, cell))
        return true;
    while (values.p && ec_span_cut(&values, '|', &one))
        if (ec_span_eq(one, cell))
            return true;
    return false;
}

/* absent: what a column that is not there says */
static bool passes(const struct ec_csv *csv, int row, const char *conditions, bool absent)
{
    struct ec_span rest = ec_span_of(conditions), word, name;

    while (rest.p && ec_span_cut(&rest, ' ', &word)) {
        struct ec_span key;
        char room[64];
        bool negated, same;
        int col;

        if (!word.len)
            continue;
        (void)ec_span_cut(&word, '=', &name);
        negated = name.len && name.p[name.len - 1] == '!';
        name.len -= negated ? 1 : 0;
        col = ec__column_find(csv, name, &key);
        if (col < 0 && absent)
            continue;
        if (col < 0)
            return false;
        same = is_among(ec__cell(csv, row, name, room, sizeof room), word);
        if (same == negated)
            return false;
    }
    return true;
}

bool ec__layout_passes(const struct ec_csv *csv, int row, const char *conditions)
{
    return passes(csv, row, conditions, true);
}

bool ec__layout_has_columns(const struct ec_layout *l, const struct ec_csv *csv)
{
    struct ec_span rest = ec_span_of(l->columns), word;
    char column[64];

    while (rest.p && ec_span_cut(&rest, ' ', &word)) {
        ec__column_name(word, column, sizeof column);
        if (ec_csv_col(csv, column) < 0)
            return false;
    }
    return true;
}

/* The row is a query that the predictor answers. */
static bool judged(const struct ec_layout *l, const struct ec_csv *csv, int row)
{
    return !l->stored_only && ec__layout_passes(csv, row, l->rows) &&
           ec__layout_passes(csv, row, l->keep) &&
           !(l->except && passes(csv, row, l->except, false));
}

static bool recognises(const struct ec_layout *l, const struct ec_csv *csv)
{
    return !l->by_name && !l->stored_only && ec__layout_has_columns(l, csv);
}

/* Tables with the same columns differ in what their first row passes. */
enum ec_status ec_layout_detect(const struct ec_csv *csv, const struct ec_layout **ret,
                                struct ec_err *err)
{
    const struct ec_layout *stored = NULL;
    bool known = false;
    int i, row;

    for (i = 0; i < ec__n_layouts; i++)
        known = known || recognises(&ec__layouts[i], csv);
    for (row = 0; row < csv->n_rows && known; row++)
        for (i = 0; i < ec__n_layouts; i++)
            if (recognises(&ec__layouts[i], csv) && judged(&ec__layouts[i], csv, row)) {
                *ret = &ec__layouts[i];
                return EC_OK;
            }
    if (known)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "the columns are known, but no row is a finished measurement that can be "
                       "predicted");
    if (ec_layout_detect_record(csv, &stored, NULL) == EC_OK)
        return ec_fail(
            err, EC_E_NOT_FOUND,
            "a table in the format %s, which `epochcast data import` keeps and which cannot "
            "be compared with predictions: its rows are not single steps of one device of a "
            "network or operator that can be predicted",
            stored->name);
    return ec_fail(err, EC_E_NOT_FOUND, "no known table format has these %d columns (%s, %s, ...)",
                   csv->n_cols, csv->n_cols ? csv->names[0] : "",
                   csv->n_cols > 1 ? csv->names[1] : "");
}

enum ec_status ec_layout_find(const char *name, const struct ec_layout **ret, struct ec_err *err)
{
    struct ec_buf names = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; i < ec__n_layouts; i++) {
        if (ec_str_eq(ec__layouts[i].name, name)) {
            *ret = &ec__layouts[i];
            ec_buf_clear(&names);
            return EC_OK;
        }
        if (!ec__layouts[i].stored_only)
            ec_buf_printf(&names, "%s%s", names.len ? ", " : "", ec__layouts[i].name);
    }
    st = ec_fail(err, EC_E_NOT_FOUND, "no layout \"%.60s\"; there are %s", name,
                 ec_buf_text(&names));
    ec_buf_clear(&names);
    return st;
}

const char *ec_layout_name(const struct ec_layout *l)
{
    return l->name;
}

const char *ec_layout_source(const struct ec_layout *l)
{
    return l->source;
}

bool ec_layout_needs_device(const struct ec_layout *l)
{
    return !l->device && (l->times[0].column || l->memory);
}

const char *ec_layout_licence(const struct ec_layout *l)
{
    return l->licence ? l->licence : "";
}

const char *ec_layout_run_column(const struct ec_layout *l)
{
    return l->samples ? "run" : NULL;
}

const char *ec_layout_url(const struct ec_layout *l)
{
    return l->url ? l->url : "";
}

bool ec_layout_is_plain(const struct ec_layout *l)
{
    return l->plain;
}

bool ec_layout_is_network(const struct ec_layout *l)
{
    return l->is_network;
}

static enum ec_status row_question(const struct ec_layout *l, const struct ec_csv *csv, int row,
                                   struct ec_buf *scratch, struct ec_arena *a,
                                   struct ec_measured *m, bool *ret_excluded, struct ec_err *err)
{
    const struct {
        const char *template, *deflt;
        const char **ret;
    } texts[] = {
        {l->what,                             "",               &m->what         },
        { l->device ? l->device : "{device}", "",               &m->device       },
        { l->precision,                       "fp32",           &m->precision    },
        { l->memory_format,                   "channels-first", &m->memory_format},
        { l->optimizer,                       "none",           &m->optimizer    },
        { l->framework,                       "pytorch-2",      &m->framework    },
        { l->mode,                            "forward",        &m->mode         },
        { l->family,                          "",               &m->family       },
        { l->activation,                      "none",           &m->activation   },
    };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(texts); i++)
        EC_TRY(expand_str(csv, row, texts[i].template, texts[i].deflt, scratch, a, texts[i].ret,
                          ret_excluded, err));
    m->layout = l->name;
    m->is_network = l->is_network;
    m->input_copy =
        l->input_copy && strstr(ec_csv_cell(csv, row, ec_csv_col(csv, l->input_copy)), "_incl_h2d");
    m->queued = l->queued && *ec_csv_cell(csv, row, ec_csv_col(csv, l->queued));
    m->half_inputs = ec__layout_half_inputs(l, csv, row);
    m->batch = expand_int(csv, row, l->batch, scratch, ret_excluded);
    m->image_px = expand_int(csv, row, l->image_px, scratch, ret_excluded);
    m->seq_len = expand_int(csv, row, l->seq_len, scratch, ret_excluded);
    m->num_devices = expand_int(csv, row, l->num_devices, scratch, ret_excluded);
    m->row = row;
    m->phase = EC_L_WHOLE;
    if (l->phase && expand(csv, row, l->phase, scratch))
        m->phase = ec__layout_phase(ec_buf_text(scratch));
out:
    return st;
}

/* The layout itself, or another one with the same columns whose conditions the row passes. */
static const struct ec_layout *layout_of_row(const struct ec_layout *l, const struct ec_csv *csv,
                                             int row)
{
    int i;

    if (judged(l, csv, row))
        return l;
    if (l->by_name) /* asked for: this and nothing else */
        return NULL;
    for (i = 0; i < ec__n_layouts; i++)
        if (!ec__layouts[i].by_name && ec_str_eq(ec__layouts[i].columns, l->columns) &&
            judged(&ec__layouts[i], csv, row))
            return &ec__layouts[i];
    return NULL;
}

bool ec__layout_half_inputs(const struct ec_layout *l, const struct ec_csv *csv, int row)
{
    const char *cell = l->half_inputs ? ec_csv_cell(csv, row, ec_csv_col(csv, l->half_inputs)) : "";

    return ec_str_eq(cell, "fp16") || ec_str_eq(cell, "bf16");
}

int ec__layout_phase(const char *word)
{
    static const char *const words[] = { "forward", "grad_data", "grad_weight", "update" };
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if (ec_str_eq(word, words[i]))
            return i;
    return EC_L_WHOLE;
}

bool ec_samples_next(struct ec_span *rest, int64_t *ret_ns, bool *ret_bad)
{
    struct ec_span word;
    double v = 0;

    while (rest->p && ec_span_cut(rest, ' ', &word)) {
        if (!word.len)
            continue;
        *ret_bad = !ec_parse_double(word, &v) || v < 0 || v > 0x1p62;
        *ret_ns = *ret_bad ? 0 : (int64_t)(v + 0.5);
        return true;
    }
    return false;
}

static int by_size(const void *a, const void *b)
{
    int64_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* Median of a cell of samples, zeros and what is no number left out. */
static bool median_ns(const char *cell, double *ret, enum ec_status *ret_st, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(cell);
    int64_t *v = NULL, ns = 0;
    int n = 0, cap = 0;
    bool bad = false;

    while (!*ret_st && ec_samples_next(&rest, &ns, &bad)) {
        if (bad || ns == 0)
            continue;
        *ret_st = ec_grow(&v, &cap, n + 1, sizeof *v, err);
        if (!*ret_st)
            v[n++] = ns;
    }
    if (n)
        qsort(v, (size_t)n, sizeof *v, by_size);
    if (n) {
        int64_t lower = v[(n - 1) / 2], upper = v[n / 2];

        *ret = ((double)lower + (double)upper) / 2;
    }
    ec_free(v);
    return n > 0;
}

/* The device's time where it was taken, else the host's. */
static bool sampled_ns(const struct ec_layout *l, const struct ec_csv *csv, int row, double *ret,
                       enum ec_status *ret_st, struct ec_err *err)
{
    const char *columns[] = { l->device_samples, l->samples };
    int i;

    for (i = 0; i < EC_LEN(columns) && !*ret_st; i++)
        if (columns[i] &&
            median_ns(ec_csv_cell(csv, row, ec_csv_col(csv, columns[i])), ret, ret_st, err))
            return true;
    return false;
}

/* A reading: anything else than a number above zero is none. */
static bool positive(const struct ec_csv *csv, int row, const char *column, double *ret)
{
    double v;

    if (!ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec_csv_col(csv, column))), &v) || v <= 0)
        return false;
    *ret = v;
    return true;
}

static enum ec_status add_row(const struct ec_layout *table, const struct ec_csv *csv, int row,
                              struct ec_buf *scratch, struct ec_arena *a,
                              struct ec_measured_list *ret, struct ec_err *err)
{
    const struct ec_layout *l = layout_of_row(table, csv, row);
    struct ec_measured m = { 0 };
    bool excluded = l == NULL, any = false;
    enum ec_status st = EC_OK;
    double value = 0;
    int t;

    if (!excluded)
        EC_TRY(row_question(l, csv, row, scratch, a, &m, &excluded, err));
    for (t = 0; !excluded && t < EC_LAYOUT_TIMES_MAX && l->times[t].column; t++) {
        if (l->times[t].stored_only || !positive(csv, row, l->times[t].column, &value))
            continue;
        m.time_ns = ec__layout_time_ns(&l->times[t], csv, row, value);
        if (!(m.time_ns > 0))
            continue;
        m.phase = l->phase ? m.phase : l->times[t].phase;
        EC_TRY(ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err));
        ret->v[ret->n++] = m;
        any = true;
    }
    if (!excluded && l->samples && sampled_ns(l, csv, row, &value, &st, err)) {
        m.time_ns = value;
        EC_TRY(ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err));
        ret->v[ret->n++] = m;
        any = true;
    }
    if (!excluded && l->memory_read && positive(csv, row, l->memory_read, &value)) {
        m.time_ns = 0;
        m.memory_bytes = value * (l->memory_unit_bytes > 0 ? l->memory_unit_bytes : 0x1p20);
        m.allocator = l->memory_kind && ec_str_eq(l->memory_kind, "allocator");
        m.phase = EC_L_WHOLE;
        EC_TRY(ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err));
        ret->v[ret->n++] = m;
        any = true;
    }
    ret->n_excluded += any ? 0 : 1;
out:
    return st;
}

enum ec_status ec_layout_rows(const struct ec_layout *l, const struct ec_csv *csv,
                              struct ec_arena *a, struct ec_measured_list *ret, struct ec_err *err)
{
    struct ec_buf scratch = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int row;

    if (l->plain)
        return ec__plain_rows(l, csv, a, ret, err);
    for (row = 0; row < csv->n_rows; row++)
        EC_TRY(add_row(l, csv, row, &scratch, a, ret, err));
out:
    ec_buf_clear(&scratch);
    return st;
}

void ec_measured_clear(struct ec_measured_list *l)
{
    if (!l)
        return;
    ec_free(l->v);
    memset(l, 0, sizeof *l);
}
