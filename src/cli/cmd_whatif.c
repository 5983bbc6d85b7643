/* epochcast whatif: predicts configurations that were not run from a table of configurations that
 * were. */
#include "cli/cli.h"
#include "fit/fit.h"
#include "report/report.h"

#include <string.h>

#include "whatif_cmd.h"
#include "cli_columns.h"

#define COLS_MORE 10

/* ret_s: the budget in seconds; 0: the text has no unit. */
static enum ec_status parse_budget(struct ec_call *call, const char *text, double *ret,
                                   double *ret_s, struct ec_err *err)
{
    struct ec_span all = ec_span_trim(ec_span_of(text));
    double ns = 0;

    *ret_s = 0;
    if (ec_parse_double(all, ret) && *ret > 0)
        return EC_OK;
    if (ec_parse_duration(all, &ns)) {
        *ret = ns / 1e9;
        *ret_s = 1;
        return EC_OK;
    }
    return ec_usage(call, err, "--budget: \"%.40s\" is not a time such as 30s, 5min, 1h", text);
}

/* In the target's unit. */
static enum ec_status scale_budget(struct ec_call *call, const char *target, double s,
                                   double *budget, struct ec_err *err)
{
    double target_s = 0;

    if (ec_column_unit(target, &target_s) && !(target_s > 0))
        return ec_usage(call, err,
                        "--budget is a time, but the target \"%.40s\" is not; targets that are "
                        "times have names such as time_per_epoch, ..._s and ..._ms",
                        target);
    if (s > 0)
        *budget *= s / (target_s > 0 ? target_s : 1);
    return EC_OK;
}

static void make_cols(const struct ec_grid_answers *a, const char *target, struct ec_col *col)
{
    double seconds;
    int i;

    if (a->device_col)
        *col++ = (struct ec_col){ .key = a->device_col, .title = a->device_col };
    for (i = 0; i < a->n_cols; i++)
        col[i] =
            (struct ec_col){ .key = a->names[i], .title = a->names[i], .format = EC_COL_PLAIN };
    for (i = 0; i < COLS_MORE; i++)
        col[a->n_cols + i] = whatif_rest_cols[i];
    col[a->n_cols + 1].title = target;
    for (i = 0; i < 4; i++)
        col[a->n_cols + i].unit = ec_column_unit(target, &seconds);
}

static void add_share(struct ec_table *t, struct ec_interval accuracy, double share)
{
    ec_table_row(t, accuracy.p95 > 0 ? ec_num(share) : ec_none());
}

static void add_answers(struct ec_table *t, const struct ec_grid_answers *a)
{
    int i, j;

    for (i = 0; i < a->n; i++) {
        const struct ec_grid_answer *v = &a->v[i];

        if (a->device_col)
            ec_table_text(t, v->device);
        for (j = 0; j < a->n_cols; j++)
            ec_table_num(t, v->value[j]);
        ec_table_row(t, ec_num(v->target.p05), ec_num(v->target.p50), ec_num(v->target.p95),
                     ec_positive(v->measured));
        add_share(t, v->accuracy, v->accuracy.p05);
        add_share(t, v->accuracy, v->accuracy.p50);
        add_share(t, v->accuracy, v->accuracy.p95);
        ec_table_row(t, ec_text(v->front ? "*" : NULL), ec_bool(v->extrapolates),
                     ec_text(v->extrapolates ? v->outside : NULL));
    }
}

/* "Most accurate within 30s: depth=3, batch_size=64: 91 %, in 24 s." */
static void say_best(const struct ec_grid_answers *a, const struct whatif_opts *o, const char *unit)
{
    const struct ec_grid_answer *best = &a->v[0];
    char number[EC_FMT_DOUBLE_BYTES];
    int i;

    for (i = 1; i < a->n; i++)
        best = a->v[i].accuracy.p50 > best->accuracy.p50 ? &a->v[i] : best;
    ec_say("Most accurate%s%s:", o->budget ? " within " : "", o->budget ? o->budget : "");
    if (a->device_col)
        ec_say(" %s=%s,", a->device_col, best->device);
    for (i = 0; i < a->n_cols; i++)
        ec_say("%s %s=%s", i ? "," : "", a->names[i],
               ec_fmt_double(number, sizeof number, best->value[i]));
    ec_say(": %.1f %% (%.1f to %.1f) in %.3g%s%s.\n", 100 * best->accuracy.p50,
           100 * best->accuracy.p05, 100 * best->accuracy.p95, best->target.p50, unit ? " " : "",
           unit ? unit : "");
}

static void say_accuracy(const struct ec_grid_answers *a, const struct whatif_opts *o,
                         const char *unit)
{
    if (!*a->accuracy || !a->n)
        return;
    ec_say("%s of held-out rows is off by %.1f points", a->accuracy, 100 * a->accuracy_off);
    if (a->accuracy_off < 0.8 * a->accuracy_spread)
        ec_say("; their mean would be by %.1f.\n", 100 * a->accuracy_spread);
    else
        ec_say(", little better than their mean (%.1f): the features hardly say it.\n",
               100 * a->accuracy_spread);
    say_best(a, o, unit);
    ec_say("front *: none is expected to be both faster and more accurate.\n");
}

static enum ec_status print(struct ec_call *call, const struct ec_table *t, struct ec_err *err)
{
    const struct whatif_opts *o = call->opts;
    const struct ec_table_head head = { "epochcast.whatif/1",
                                        "configurations",
                                        { { "target", o->grid.target } } };

    return ec_call_table(call, &head, t, err);
}

/* The first word that sets nothing is the table. */
static void take_table(struct whatif_opts *o)
{
    if (o->grid.table || o->grid.store || !o->set.n || strchr(o->set.v[0], '='))
        return;
    o->grid.table = o->set.v[0];
    o->set.v++;
    o->set.n--;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct whatif_opts *o = call->opts;
    struct ec_col cols[1 + EC_GRID_COLS_MAX + COLS_MORE];
    struct ec_grid_opts filled;
    struct ec_said said = { .arena = &call->arena };
    struct ec_grid_answers a = { 0 };
    struct ec_table t = { 0 };
    double budget = 0, budget_s = 0, seconds;
    const char *unit;
    enum ec_status st = EC_OK;
    int i;

    take_table(o);
    if (!o->grid.table == !o->grid.store)
        return ec_usage(call, err, "whatif needs either FILE.csv or --store FILE");
    if (o->budget)
        EC_TRY(parse_budget(call, o->budget, &budget, &budget_s, err));
    filled = o->grid; /* the features also follow from the words that are set */
    EC_TRY(ec_grid_fill(&filled, &call->arena, err));
    o->grid.target = filled.target;
    unit = ec_column_unit(o->grid.target, &seconds);
    if (o->budget)
        EC_TRY(scale_budget(call, o->grid.target, budget_s, &budget, err));
    o->grid.seed = o->seed;
    said.folder = o->grid.store ? o->grid.store : o->grid.table;
    o->grid.said = &said;
    EC_TRY(ec_grid_whatif(&o->grid, &o->set, budget, &a, err));
    EC_TRY(ec_said_end(&said, err));
    for (i = 0; i < a.notes.n; i++)
        ec_say("%s\n", a.notes.v[i]);
    if (!a.n)
        ec_say("No configuration is within %s; the smallest %s is %.4g%s%s.\n", o->budget,
               o->grid.target, a.least, unit ? " " : "", unit ? unit : "");
    say_accuracy(&a, o, unit);
    make_cols(&a, o->grid.target, cols);
    ec_table_init(&t, cols, (a.device_col != NULL) + a.n_cols + COLS_MORE);
    add_answers(&t, &a);
    EC_TRY(print(call, &t, err));
out:
    ec_table_clear(&t);
    ec_grid_answers_clear(&a);
    return st;
}
