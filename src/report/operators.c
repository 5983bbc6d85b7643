/* Statistics of measured layers by operator, phase, device and precision. */
#include "report/operators.h"

#include <stdio.h>

#include "cost/cost.h"
#include "report/query.h"
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
    EC_PASS(ec_allocated(v.phase && v.device && v.precision, err));
    EC_PASS(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err));
    l->v[l->n++] = v;
    return EC_OK;
}

void ec_operator_times_clear(struct ec_operator_times *l)
{
    ec_free(l->v);
    l->v = NULL;
    l->n = l->cap = 0;
}

enum ec_status ec_operator_times_table(const struct ec_operator_times *l, int most, int *ret_n,
                                       struct ec_table *ret, struct ec_err *err)
{
    struct ec__query q = { 0 };
    char lines[400];
    enum ec_status st;
    int i;

    ec_table_init(ret, operators_cols, EC_LEN(operators_cols));
    EC_TRY(ec__query_open(&q, err));
    ec__query_into(&q, "layer", "device precision op phase ns flop_per_s bytes_per_s");
    for (i = 0; i < l->n; i++) {
        const struct ec_operator_time *v = &l->v[i];

        ec__query_text(&q, v->device);
        ec__query_text(&q, v->precision);
        ec__query_text(&q, v->op);
        ec__query_text(&q, v->phase);
        ec__query_num(&q, v->ns);
        ec__query_num(&q, v->flop / v->ns * 1e9);
        ec__query_num(&q, v->bytes / v->ns * 1e9);
    }
    *ret_n = 0;
    ec__query_ask(&q, "SELECT 1 FROM layer GROUP BY op, phase, device, precision");
    while (ec__query_next(&q))
        ++*ret_n;
    (void)snprintf(lines, sizeof lines,
                   "SELECT device, precision, op, phase, count(*), min(ns), median(ns), max(ns), "
                   "median(flop_per_s), median(bytes_per_s) FROM layer GROUP BY op, phase, device, "
                   "precision ORDER BY sum(ns) DESC, op, phase, device, precision LIMIT %d",
                   most ? most : -1);
    EC_TRY(ec__query_rows(&q, lines, ret, err));
out:
    ec__query_close(&q);
    return st;
}
