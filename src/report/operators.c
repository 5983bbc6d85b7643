/* Statistics of measured layers by operator, phase, device and precision. */
#include "report/operators.h"

#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "learn/learn.h"
#include "report_columns.h"

/* FLOP and bytes of the operator in the phase; false: unknown. */
static bool count(const struct ec_record *r, double elem_bytes, struct ec_operator_time *ret)
{
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    int i;

    if (r->phase == EC_UPDATE || (r->phase < 0 && r->cond.mode == EC_MODE_FORWARD))
        return false;
    if (ec_case_parse(r->what, &c, NULL))
        return false;
    ret->op = c.c.op->name;
    if (ec_step_of_case(&c.c, r->phase, EC_MODE_FORWARD_BACKWARD, &step, NULL))
        step.n = 0;
    for (i = 0; i < step.n; i++) {
        const struct ec_kernel *k = &step.kernel[i];

        ret->flop += k->flop;
        ret->bytes += ec_kernel_bytes(k, elem_bytes);
    }
    ec_step_clear(&step);
    ec_case_clear(&c);
    return i > 0;
}

enum ec_status ec_operator_times_add(struct ec_operator_times *l, const struct ec_record *row,
                                     struct ec_err *err)
{
    const char *precision = ec_record_word(row, EC_WORD_PRECISION);
    struct ec_operator_time v = { .ns = ec_str_eq(row->outcome, "ok") ? row->time.ns : 0 };
    enum ec_status st;

    if (row->kind != EC_KIND_operator || (*row->method && !ec_str_eq(row->method, "separated")))
        return EC_OK;
    if (!(v.ns > 0) || !count(row, ec_precision_word_bytes(precision), &v)) {
        l->n_unused++;
        return EC_OK;
    }
    v.phase = ec_arena_str(l->a, ec_record_phase(row));
    v.device = row->num_devices > 1
                   ? ec_arena_printf(l->a, "%lld x %s", (long long)row->num_devices, row->device)
                   : ec_arena_str(l->a, row->device);
    v.precision = ec_arena_str(l->a, precision);
    if (!v.phase || !v.device || !v.precision)
        return ec_nomem(err);
    st = ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err);
    if (!st)
        l->v[l->n++] = v;
    return st;
}

void ec_operator_times_clear(struct ec_operator_times *l)
{
    ec_free(l->v);
    l->v = NULL;
    l->n = l->cap = 0;
}

/* A line is the layers [first, first + n) in their order. */
struct line {
    int first, n;
    double total_ns;
};

static int compare_kinds(const struct ec_operator_time *x, const struct ec_operator_time *y)
{
    int way = strcmp(x->op, y->op);

    way = way ? way : strcmp(x->phase, y->phase);
    way = way ? way : strcmp(x->device, y->device);
    return way ? way : strcmp(x->precision, y->precision);
}

static int by_kind(const void *a, const void *b)
{
    const struct ec_operator_time *x = a, *y = b;
    int way = compare_kinds(x, y);

    return way ? way : (x->ns > y->ns) - (x->ns < y->ns);
}

static int by_total(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    return x->total_ns != y->total_ns ? (x->total_ns < y->total_ns ? 1 : -1) : x->first - y->first;
}

static int find_lines(const struct ec_operator_times *l, struct line *line)
{
    int n = 0, i;

    for (i = 0; i < l->n; i++) {
        if (!i || compare_kinds(&l->v[i - 1], &l->v[i]))
            line[n++] = (struct line){ .first = i };
        line[n - 1].n++;
        line[n - 1].total_ns += l->v[i].ns;
    }
    qsort(line, (size_t)n, sizeof *line, by_total);
    return n;
}

static void add_line(const struct ec_operator_time *v, int n, double *room, struct ec_table *t)
{
    double *ns = room, *flop = room + n, *bytes = room + 2 * n;
    int i;

    for (i = 0; i < n; i++) {
        ns[i] = v[i].ns;
        flop[i] = v[i].flop / v[i].ns * 1e9;
        bytes[i] = v[i].bytes / v[i].ns * 1e9;
    }
    ec_table_row(t, ec_text(v->device), ec_text(v->precision), ec_text(v->op), ec_text(v->phase),
                 ec_int(n), ec_num(ec_quantile_inplace(ns, n, 0)),
                 ec_num(ec_quantile_inplace(ns, n, 0.5)), ec_num(ec_quantile_inplace(ns, n, 1)),
                 ec_num(ec_quantile_inplace(flop, n, 0.5)),
                 ec_num(ec_quantile_inplace(bytes, n, 0.5)));
}

enum ec_status ec_operator_times_table(struct ec_operator_times *l, int most, int *ret_n,
                                       struct ec_table *ret, struct ec_err *err)
{
    struct line *line = ec_alloc(sizeof *line * (size_t)(l->n + 1));
    double *room = ec_alloc(sizeof *room * 3 * (size_t)(l->n + 1));
    enum ec_status st = line && room ? EC_OK : ec_nomem(err);
    int i;

    if (!st) {
        qsort(l->v, (size_t)l->n, sizeof *l->v, by_kind);
        *ret_n = find_lines(l, line);
        ec_table_init(ret, operators_cols, EC_LEN(operators_cols));
        for (i = 0; i < *ret_n && (!most || i < most); i++)
            add_line(&l->v[line[i].first], line[i].n, room, ret);
    }
    ec_free(room);
    ec_free(line);
    return st;
}
