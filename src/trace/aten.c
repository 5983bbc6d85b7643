/* data/aten.csv: which of our operators an operator of aten is, and where its arguments stand. */
#include "trace/operators.h"

#include <stdlib.h>
#include <string.h>

#include "aten_file.h"

EC_EMBED(aten, EC_ATEN_FILE);

#define TEMPLATE "triton_tem" /* of TorchInductor: triton_tem_fused_mm_3 */

static int by_name(const void *a, const void *b)
{
    const struct ec__aten *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->phase > y->phase) - (x->phase < y->phase);
}

static enum ec__aten_phase phase_of(const char *word)
{
    if (ec_str_eq(word, "backward") || ec_str_eq(word, "trace_backward"))
        return EC__ATEN_BACKWARD;
    if (ec_str_eq(word, "update") || ec_str_eq(word, "trace_update"))
        return EC__ATEN_UPDATE;
    return ec_str_eq(word, "view") ? EC__ATEN_VIEW : EC__ATEN_FORWARD;
}

/* "@0 weight=@1 transposed=true" */
static enum ec_status read_args(struct ec__aten_table *t, const char *text, struct ec__aten *row,
                                struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), word, key;
    int64_t at;

    while (rest.len && ec_span_cut(&rest, ' ', &word)) {
        struct ec__aten_arg *arg = &row->arg[row->n_args];
        struct ec_span value = word;

        if (!word.len || row->n_args == EC__ATEN_ARGS)
            continue;
        *arg = (struct ec__aten_arg){ .key = "", .at = -1 };
        if (memchr(word.p, '=', word.len) && ec_span_cut(&value, '=', &key))
            arg->key = ec_arena_strn(&t->arena, key.p, key.len);
        if (value.len && *value.p == '@' &&
            ec_parse_int((struct ec_span){ value.p + 1, value.len - 1 }, &at))
            arg->at = (int)at;
        else
            arg->word = ec_arena_strn(&t->arena, value.p, value.len);
        if (!arg->key || (arg->at < 0 && !arg->word))
            return ec_nomem(err);
        row->n_args++;
    }
    return EC_OK;
}

enum ec_status ec__aten_read(struct ec__aten_table *ret, struct ec_err *err)
{
    enum { NAME, PHASE, OPERATOR, RULE, ARGS };
    struct ec_csv csv = { 0 };
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_csv_parse(ec__aten_begin, (size_t)(ec__aten_end - ec__aten_begin), &csv, err));
    ret->v = ec_arena_alloc(&ret->arena, sizeof *ret->v * (size_t)csv.n_rows);
    EC_TRY(ec_allocated(ret->v, err));
    for (i = 0; i < csv.n_rows; i++) {
        struct ec__aten *row = &ret->v[ret->n];

        if (ec_str_eq(ec_csv_cell(&csv, i, PHASE), "export")) /* of Python's functions */
            continue;
        ret->n++;
        row->name = ec_arena_str(&ret->arena, ec_csv_cell(&csv, i, NAME));
        row->op = ec_arena_str(&ret->arena, ec_csv_cell(&csv, i, OPERATOR));
        row->rule = ec_arena_str(&ret->arena, ec_csv_cell(&csv, i, RULE));
        row->phase = phase_of(ec_csv_cell(&csv, i, PHASE));
        EC_TRY(ec_allocated(row->name && row->op && row->rule, err));
        EC_TRY(read_args(ret, ec_csv_cell(&csv, i, ARGS), row, err));
    }
    qsort(ret->v, (size_t)ret->n, sizeof *ret->v, by_name);
out:
    ec_csv_clear(&csv);
    return st;
}

const struct ec__aten *ec__aten_find(const struct ec__aten_table *t, const char *name)
{
    char plain[96];
    size_t len;
    int lo;

    if (ec_str_starts(name, TEMPLATE "_"))
        name = TEMPLATE;
    else if (!strstr(name, "::") || strlen(name) >= sizeof plain)
        return NULL;
    (void)ec_snprintf(plain, sizeof plain, "%s",
                      name + (ec_str_starts(name, "aten::") ? strlen("aten::") : 0));
    len = strlen(plain);
    if (len && plain[len - 1] == '_')
        plain[len - 1] = '\0'; /* in place */
    EC__FIRST(lo, t->n, strcmp(t->v[mid].name, plain) >= 0);
    return lo < t->n && ec_str_eq(t->v[lo].name, plain) && t->v[lo].phase != EC__ATEN_VIEW
               ? &t->v[lo]
               : NULL;
}

const struct ec__aten_arg *ec__aten_arg(const struct ec__aten *row, const char *key)
{
    return ec_row_named(row->arg, row->n_args, sizeof *row->arg, key);
}
