/* Output of epochcast predict --layers: the step by layer, adding up to it. */
#include "cli/predict_cmd_internal.h"
#include "report/report.h"

#include <stdlib.h>

#include "cli_columns.h"

static double all_of(const struct ec_node_time *l)
{
    return l->forward_ns + l->backward_ns + l->update_ns;
}

static int longest_first(const void *va, const void *vb)
{
    const struct ec_node_time *const *a = va, *const *b = vb;
    double x = all_of(*a), y = all_of(*b);

    return x != y ? (x < y) - (x > y) : (*a > *b) - (*a < *b);
}

static void add_layer(struct ec_table *t, const struct ec_node_time *l, double step_ns)
{
    ec_table_row(t, ec_text(l->name), ec_text(l->op));
    ec_table_row(t, ec_positive(l->forward_ns), ec_positive(l->backward_ns),
                 ec_positive(l->update_ns));
    ec_table_row(t, ec_num(all_of(l)), ec_num(all_of(l) / step_ns),
                 ec_text(l->op ? ec_limit_name(l->limit) : NULL));
}

/* A row that is no layer. */
static void add_other(struct ec_table *t, const char *name, double ns, double step_ns)
{
    int i;

    if (!(ns > 1e-6 * step_ns))
        return; /* nothing but rounding */
    ec_table_text(t, name);
    for (i = 0; i < 4; i++)
        ec_table_none(t);
    ec_table_row(t, ec_num(ns), ec_num(ns / step_ns), ec_none());
}

/* What the step is beside its layers. A line that adds up ends the table. */
static void add_rest(struct ec_table *t, const struct ec_step_layers *l,
                     const struct ec_node_time *hidden, const char *hidden_name)
{
    if (hidden_name)
        add_layer(t, hidden, l->step_ns);
    add_other(t, "casts of autocast", l->casts_ns, l->step_ns);
    add_other(t, "waiting and bookkeeping", l->rest_ns, l->step_ns);
    ec_table_rule(t);
    add_other(t, "step", l->step_ns, l->step_ns);
}

/* Layers that take no time, such as views, are no rows; beyond `top` they are one row. */
static enum ec_status fill(const struct ec_step_layers *l, int64_t top, struct ec_arena *a,
                           struct ec_table *t, struct ec_err *err)
{
    const struct ec_node_time **by = ec_arena_alloc(a, sizeof *by * (size_t)l->n);
    struct ec_node_time rest = { .name = NULL };
    int n = 0, shown, i;

    EC_PASS(ec_allocated(by, err));
    for (i = 0; i < l->n; i++)
        if (all_of(&l->v[i]) > 0)
            by[n++] = &l->v[i];
    if (top)
        qsort(by, (size_t)n, sizeof *by, longest_first);
    shown = top && top < n ? (int)top : n;
    for (i = 0; i < shown; i++)
        add_layer(t, by[i], l->step_ns);
    for (; i < n; i++) {
        rest.forward_ns += by[i]->forward_ns;
        rest.backward_ns += by[i]->backward_ns;
        rest.update_ns += by[i]->update_ns;
    }
    rest.name = n > shown ? ec_arena_printf(a, "%d other layers", n - shown) : NULL;
    add_rest(t, l, &rest, rest.name);
    return EC_OK;
}

enum ec_status ec__predict_layers_table(struct ec_call *call, const struct ec_step_layers *l,
                                        struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    struct ec_table t;
    enum ec_status st;

    ec_table_init(&t, layers_cols, EC_LEN(layers_cols));
    EC_TRY(fill(l, o->top, &call->arena, &t, err));
    if (!call->forms.csv)
        ec_buf_char(&call->out, '\n');
    EC_TRY(ec_call_table(call, NULL, &t, err));
out:
    ec_table_clear(&t);
    return st;
}

void ec__predict_layers_json(const struct ec_step_layers *l, struct ec_json *j)
{
    int i;

    ec_json_open(j, "layers", '[');
    for (i = 0; i < l->n; i++) {
        const struct ec_node_time *v = &l->v[i];

        if (!(all_of(v) > 0))
            continue;
        ec_json_open(j, NULL, '{');
        ec_json_str(j, "layer", v->name);
        ec_json_str(j, "op", v->op);
        ec_json_num9(j, "forward_ns", v->forward_ns);
        ec_json_num9(j, "backward_ns", v->backward_ns);
        ec_json_num9(j, "update_ns", v->update_ns);
        ec_json_num(j, "flop", v->flop);
        ec_json_str(j, "limit", ec_limit_name(v->limit));
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
    ec_json_num9(j, "casts_ns", l->casts_ns);
    ec_json_num9(j, "rest_ns", l->rest_ns);
}
