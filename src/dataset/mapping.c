/* Uses table layouts: finds that of a table, and converts rows to queries. */
#include "dataset/mapping_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * Templates */

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

/* {batch/devices}: the first cell divided by the second. The row is excluded if this is not a whole
 * number. */
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

/* Expands the text between braces. False: the row is excluded. */
static bool expand_cell(const struct ec_mapping *l, const struct ec_csv *csv, int row,
                        struct ec_span body, struct ec_buf *out)
{
    struct ec_span name = { NULL, 0 }, list = body, words, column;
    const char *cell, *word;
    char both[96];

    if (memchr(body.p, '/', body.len))
        return expand_quotient(csv, row, body, out);
    if (!memchr(body.p, ':', body.len)) {
        ec_buf_str(out, ec__cell(csv, row, body, both, sizeof both));
        return true;
    }
    (void)ec_span_cut(&list, ':', &name);
    cell = two_cells(csv, row, name, both, sizeof both);
    words = column = list;
    if (list.len &&
        list.p[list.len - 1] == '?') /* {op:second?}: empty if the list does not have the word */
        words.len--;
    else if (list.len && memchr(list.p, '|', list.len)) /* {net:words|net}: else this cell */
        (void)ec_span_cut(&column, '|', &words);
    word = ec__word(ec__words_find(l->map, words), cell);
    if (!word && column.p != words.p)
        word = ec__cell(csv, row, column, both, sizeof both);
    ec__word_put(csv, row, word ? word : "", out);
    return (word && *word) || words.len != list.len;
}

static bool expand(const struct ec_mapping *l, const struct ec_csv *csv, int row,
                   const char *template, struct ec_buf *out)
{
    const char *open, *close;

    ec_buf_reset(out);
    while (template && (open = strchr(template, '{')) && (close = strchr(open, '}'))) {
        struct ec_span body = { open + 1, (size_t)(close - open - 1) };

        ec_buf_add(out, template, (size_t)(open - template));
        if (!expand_cell(l, csv, row, body, out))
            return false;
        template = close + 1;
    }
    if (template)
        ec_buf_str(out, template);
    return true;
}

/* A row of a table, and what is needed to expand templates from it. */
struct expander {
    const struct ec_mapping *l;
    const struct ec_csv *csv;
    int row;
    struct ec_buf *scratch;
    struct ec_arena *a;
};

static enum ec_status expand_str(const struct expander *e, const char *template, const char *deflt,
                                 const char **ret, bool *ret_excluded, struct ec_err *err)
{
    struct ec_span text;

    if (!template || !strchr(template, '{')) {
        *ret = template ? template : deflt;
        return EC_OK;
    }
    if (!expand(e->l, e->csv, e->row, template, e->scratch))
        *ret_excluded = true;
    text = ec_span_trim(ec_span_of(ec_buf_text(e->scratch)));
    *ret = text.len ? ec_arena_strn(e->a, text.p, text.len) : deflt;
    return *ret ? ec_buf_status(e->scratch, err) : ec_nomem(err);
}

static int64_t expand_int(const struct ec_mapping *l, const struct ec_csv *csv, int row,
                          const char *template, struct ec_buf *scratch, bool *ret_excluded)
{
    double v = 0;

    if (!template)
        return 0;
    if (!expand(l, csv, row, template, scratch)) {
        *ret_excluded = true;
        return 0;
    }
    if (!ec_parse_double(ec_span_trim(ec_span_of(ec_buf_text(scratch))), &v) || v < 0 || v > 1e9)
        return 0;
    return (int64_t)v;
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

static enum ec_status row_question(const struct ec_mapping *l, const struct ec_csv *csv, int row,
                                   struct ec_buf *scratch, struct ec_arena *a, struct ec_record *m,
                                   bool *ret_excluded, struct ec_err *err)
{
    const char *words[EC_WORD_COUNT] = { NULL };
    const struct {
        const char *template, *deflt;
        const char **ret;
    } texts[] = {
        {l->what,                             "",               &m->what                 },
        { l->device ? l->device : "{device}", "",               &m->device               },
        { l->precision,                       "fp32",           &words[EC_WORD_PRECISION]},
        { l->memory_format,                   "channels-first", &words[EC_WORD_LAYOUT]   },
        { l->optimizer,                       "none",           &words[EC_WORD_OPTIMIZER]},
        { l->framework,                       "pytorch-2",      &words[EC_WORD_FRAMEWORK]},
        { l->mode,                            "forward",        &words[EC_WORD_MODE]     },
        { l->family,                          "",               &m->family               },
        { l->activation,                      "",               &m->activation           },
    };
    const struct expander e = { l, csv, row, scratch, a };
    enum ec_status st = EC_OK;
    int i;

    ec_record_init(m);
    for (i = 0; i < EC_LEN(texts); i++)
        EC_TRY(expand_str(&e, texts[i].template, texts[i].deflt, texts[i].ret, ret_excluded, err));
    for (i = 0; i < EC_WORD_COUNT; i++)
        ec_record_set_word(m, (enum ec_word)i, words[i]);
    m->source.mapping = l->name;
    m->kind = l->is_network ? EC_KIND_network : EC_KIND_operator;
    m->cond.input_copy = ec__mapping_holds(csv, row, l->input_copy);
    m->cond.queued = !l->is_network && ec__mapping_holds(csv, row, l->queued);
    m->cond.half_inputs = !l->is_network && ec__mapping_holds(csv, row, l->half_inputs);
    m->batch = expand_int(l, csv, row, l->batch, scratch, ret_excluded);
    m->image_px = expand_int(l, csv, row, l->image_px, scratch, ret_excluded);
    m->seq_len = expand_int(l, csv, row, l->seq_len, scratch, ret_excluded);
    m->num_devices = expand_int(l, csv, row, l->num_devices, scratch, ret_excluded);
    m->row = row;
    if (l->phase && expand(l, csv, row, l->phase, scratch))
        m->phase = ec_phase_find(ec_buf_text(scratch));
out:
    return st;
}

/* The layout itself, or another one with the same columns whose conditions the row passes. */
static const struct ec_mapping *layout_of_row(const struct ec_mapping *l, const struct ec_csv *csv,
                                              int row)
{
    int i;

    if (ec__mapping_judges(l, csv, row))
        return l;
    if (l->by_name) /* the section was requested by name: no other is used */
        return NULL;
    for (i = 0; l->map && i < l->map->n; i++)
        if (ec__mappings_share(l->map->section[i], l) &&
            ec__mapping_judges(l->map->section[i], csv, row))
            return l->map->section[i];
    return NULL;
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

/* Median of a cell of samples, zeros and what is no number left out. */
static bool median_ns(const char *cell, double *ret, enum ec_status *ret_st, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(cell);
    double *v = NULL;
    int n = 0, cap = 0;
    bool bad = false;
    int64_t ns = 0;

    while (!*ret_st && ec_samples_next(&rest, &ns, &bad)) {
        if (bad || ns == 0)
            continue;
        *ret_st = ec_grow(&v, &cap, n + 1, sizeof *v, err);
        if (!*ret_st)
            v[n++] = (double)ns;
    }
    if (n)
        *ret = ec__median(v, n);
    ec_free(v);
    return n > 0;
}

bool ec__sampled_ns(const char *samples, const char *device_samples, double *ret,
                    enum ec_status *ret_st, struct ec_err *err)
{
    return median_ns(device_samples, ret, ret_st, err) ||
           (!*ret_st && median_ns(samples, ret, ret_st, err));
}

static const char *cell_named(const struct ec_csv *csv, int row, const char *column)
{
    return ec_csv_cell(csv, row, ec__column_named(csv, column));
}

/* A reading; false unless the cell is a number above zero. */
static bool positive(const struct ec_csv *csv, int row, const char *column, double *ret)
{
    double v;

    if (!ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec__column_named(csv, column))), &v) ||
        v <= 0)
        return false;
    *ret = v;
    return true;
}

static enum ec_status append(struct ec_record_list *l, const struct ec_record *r,
                             struct ec_err *err)
{
    enum ec_status st = ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err);

    if (!st)
        l->v[l->n++] = *r;
    return st;
}

static enum ec_status add_row(const struct ec_mapping *table, const struct ec_csv *csv, int row,
                              struct ec_buf *scratch, struct ec_arena *a,
                              struct ec_record_list *ret, struct ec_err *err)
{
    const struct ec_mapping *l = layout_of_row(table, csv, row);
    bool excluded = l == NULL;
    enum ec_status st = EC_OK;
    int t, had = ret->n;
    double value = 0;
    struct ec_record m;

    if (!excluded)
        EC_TRY(row_question(l, csv, row, scratch, a, &m, &excluded, err));
    for (t = 0; !excluded && t < EC_MAPPING_TIMES_MAX && l->times[t].column; t++) {
        if (l->times[t].stored_only || !positive(csv, row, l->times[t].column, &value))
            continue;
        value = ec__mapping_time_ns(&l->times[t], csv, row, value);
        if (!(value > 0))
            continue;
        m.time = (struct ec_reading){ value, true };
        m.phase = l->phase ? m.phase : l->times[t].phase;
        EC_TRY(append(ret, &m, err));
    }
    if (!excluded && l->samples &&
        ec__sampled_ns(cell_named(csv, row, l->samples), cell_named(csv, row, l->device_samples),
                       &value, &st, err)) {
        m.time = (struct ec_reading){ value, true };
        EC_TRY(append(ret, &m, err));
    }
    if (!excluded && l->memory_read && positive(csv, row, l->memory_read, &value)) {
        m.time = (struct ec_reading){ 0 };
        m.memory_peak_bytes = value * (l->memory_unit_bytes > 0 ? l->memory_unit_bytes : 0x1p20);
        m.memory_kind = l->memory_kind ? l->memory_kind : "";
        m.phase = EC_L_WHOLE;
        EC_TRY(append(ret, &m, err));
    }
    ret->n_excluded += ret->n > had ? 0 : 1;
out:
    return st;
}

enum ec_status ec_mapping_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                               struct ec_arena *a, struct ec_record_list *ret, struct ec_err *err)
{
    struct ec_buf scratch = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int row;

    if (l->is_export)
        return ec__export_rows(csv, a, ret, err);
    if (l->plain || l->map->is_own)
        return ec__plain_rows(l, csv, a, ret, err);
    for (row = 0; row < csv->n_rows; row++)
        EC_TRY(add_row(l, csv, row, &scratch, a, ret, err));
out:
    ec_buf_clear(&scratch);
    return st;
}

void ec_records_clear(struct ec_record_list *l)
{
    if (!l)
        return;
    ec_free(l->v);
    memset(l, 0, sizeof *l);
}
