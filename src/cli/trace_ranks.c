/* Output of epochcast trace for several files: ranks beside each other, and two traces compared. */
#include "cli/trace_internal.h"

#include <math.h>
#include <stdlib.h>

#include "cli_columns.h"

static double step_ns(const struct ec_traced *f)
{
    return ec_trace_step_ns(ec_trace_median(&f->steps));
}

static void say_last(struct ec_call *call, const struct ec_traced *f, const struct ec_trace_rank *r,
                     int last, int matched, int other)
{
    char a[32];

    if (!matched && !other)
        ec_buf_str(&call->out, "\nThere are no collectives: are these ranks of one job? --compare "
                               "puts two traces beside each other.");
    else
        ec_buf_printf(&call->out, "\n%d of %d collectives are on all ranks.", matched,
                      matched + other);
    if (r[last].waited_for_ns > 0)
        ec_buf_printf(&call->out,
                      " Rank %lld is waited for most, %s: the others wait %s a step for it.",
                      (long long)(f[last].trace.rank < 0 ? last : f[last].trace.rank), f[last].path,
                      ec_fmt_ns(a, sizeof a, r[last].waited_for_ns));
    ec_buf_char(&call->out, '\n');
}

enum ec_status ec__trace_ranks(struct ec_call *call, const struct ec_traced *f, int n,
                               int *ret_last, struct ec_err *err)
{
    struct ec_trace_rank *r = ec_arena_alloc(&call->arena, sizeof *r * (size_t)n);
    struct ec_table t;
    enum ec_status st = EC_OK;
    int matched, other, last = 0, i;
    size_t from;

    EC_PASS(ec_allocated(r, err));
    ec_table_init(&t, trace_rank_cols, EC_LEN(trace_rank_cols));
    for (i = 0; i < n; i++)
        r[i] = (struct ec_trace_rank){ .trace = &f[i].trace, .steps = &f[i].steps };
    EC_TRY(ec_trace_ranks(r, n, &matched, &other, err));
    for (i = 1; i < n; i++)
        last = r[i].waited_for_ns > r[last].waited_for_ns ? i : last;
    for (i = 0; i < n; i++)
        ec_table_row(&t, ec_text(f[i].path), ec_int(f[i].trace.rank < 0 ? i : f[i].trace.rank),
                     ec_num(step_ns(&f[i])),
                     ec_num(ec_trace_median(&f[i].steps)->part_ns[EC_TRACE_PART_compute]),
                     ec_num(r[i].transfer_ns), ec_num(r[i].waiting_ns), ec_num(r[i].waited_for_ns),
                     ec_int(r[i].times_last));
    if (call->out.len)
        ec_buf_char(&call->out, '\n');
    EC_TRY(ec_call_table(call, NULL, &t, err));
    from = call->out.len;
    say_last(call, f, r, last, matched, other);
    EC_TRY(ec__trace_said(call, from, err));
    *ret_last = last;
out:
    ec_table_clear(&t);
    return st;
}

/* --- Two traces --- */

static int by_difference(const void *a, const void *b)
{
    const struct ec__trace_sum *x = a, *y = b;
    double dx = fabs(x->v[1] - x->v[0]), dy = fabs(y->v[1] - y->v[0]);

    return dx != dy ? (dx > dy ? -1 : 1) : ec__trace_by_name(a, b);
}

/* Operators of both by their case, else their name. */
static int join(const struct ec_traced *f, struct ec__trace_sum *v)
{
    int n = 0, i, k;

    for (k = 0; k < 2; k++)
        for (i = 0; i < f[k].ops.n; i++) {
            const struct ec_trace_op *o = &f[k].ops.v[i];

            v[n].name = o->label;
            v[n].way = ec_trace_way_words[o->way];
            v[n++].v[k] = o->measured_ns / f[k].ops.n_steps;
        }
    return ec__trace_add_up(v, n, by_difference);
}

static void add_parts(struct ec_table *t, const struct ec_traced *f)
{
    int i;

    for (i = 0; i < EC_TRACE_PARTS; i++) {
        double a = ec_trace_median(&f[0].steps)->part_ns[i];
        double b = ec_trace_median(&f[1].steps)->part_ns[i];

        if (a > 0 || b > 0)
            ec_table_row(t, ec_text(ec_trace_part_labels[i]), ec_none(), ec_num(a), ec_num(b),
                         ec_num(b - a));
    }
    ec_table_row(t, ec_text("step"), ec_none(), ec_num(step_ns(&f[0])), ec_num(step_ns(&f[1])),
                 ec_num(step_ns(&f[1]) - step_ns(&f[0])));
    ec_table_rule(t);
}

enum { SLOWER = 3, FASTER = 4, ROWS = 10 };

enum ec_status ec__trace_compare(struct ec_call *call, const struct ec_traced *f,
                                 struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    struct ec__trace_sum *v = ec_alloc(sizeof *v * ((size_t)f[0].ops.n + (size_t)f[1].ops.n + 1));
    double times = step_ns(&f[1]) / step_ns(&f[0]);
    int64_t most = o->top ? o->top : o->operators ? INT_MAX : ROWS;
    struct ec_table t;
    enum ec_status st = EC_OK;
    int n, i;

    EC_PASS(ec_allocated(v, err));
    ec_table_init(&t, trace_beside_cols, EC_LEN(trace_beside_cols));
    add_parts(&t, f);
    n = join(f, v);
    for (i = 0; i < n && i < most; i++)
        ec_table_row(&t, ec_text(v[i].name), ec_text(v[i].way), ec_num(v[i].v[0]),
                     ec_num(v[i].v[1]), ec_num(v[i].v[1] - v[i].v[0]));
    if (!ec_forms_any(&call->forms))
        ec_buf_printf(&call->out,
                      "first: %s\nsecond: %s\nthe median step of the second takes "
                      "%.3f times as long\n\n",
                      f[0].path, f[1].path, times);
    EC_TRY(ec_call_table(
        call, &(struct ec_table_head){ "epochcast.trace-compare/1", "rows", { { NULL, NULL } } },
        &t, err));
    call->verdict = times > 1 + o->tolerance ? SLOWER : times < 1 - o->tolerance ? FASTER : 0;
out:
    ec_table_clear(&t);
    ec_free(v);
    return st;
}
