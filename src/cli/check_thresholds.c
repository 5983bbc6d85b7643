/* Limits of acceptance: `check --thresholds` writes what jobs are expected to reach, `check
 * --against` compares results with it. */
#include "cli/check_internal.h"
#include "report/report.h"

#include <math.h>

#include "cli_columns.h"

#define LIMITS_MOST ((size_t)64 << 20)

int ec__check_exit(const int n[3])
{
    return check_exits[n[EC_VERDICT_SLOWER]   ? EC_VERDICT_SLOWER
                       : n[EC_VERDICT_FASTER] ? EC_VERDICT_FASTER
                                              : EC_VERDICT_NORMAL];
}

enum ec_status ec__check_tolerance(struct ec_call *call, double *ret, struct ec_err *err)
{
    const struct check_opts *o = call->opts;
    struct ec_span s = ec_span_trim(ec_span_of(o->tolerance ? o->tolerance : ""));
    bool percent = s.len && s.p[s.len - 1] == '%';

    if (!o->tolerance)
        return EC_OK;
    s.len -= percent;
    if (!ec_parse_double(ec_span_trim(s), ret) || !(*ret >= 0) || *ret > (percent ? 1000 : 10))
        return ec_usage(call, err,
                        "--tolerance: found \"%.20s\", expected a share such as 10%% or 0.1",
                        o->tolerance);
    *ret /= percent ? 100 : 1;
    return EC_OK;
}

static enum ec_status open_table(struct ec_call *call, struct ec_csv *ret, struct ec_err *err)
{
    const struct check_opts *o = call->opts;

    if (o->model.n != 1)
        return ec_usage(call, err, "expected one table, found %d", o->model.n);
    EC_PASS(ec_csv_read(o->model.v[0], ret, err));
    if (!ret->n_rows)
        return ec_fail(err, EC_E_INPUT, "%s: no rows", o->model.v[0]);
    return EC_OK;
}

enum ec_status ec__check_thresholds(struct ec_call *call, struct ec_err *err)
{
    const struct check_opts *o = call->opts;
    struct ec_predictor *p = NULL;
    struct ec_csv csv = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_thresholds l = { .n = 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec__check_tolerance(call, &l.tolerance, err));
    EC_TRY(open_table(call, &csv, err));
    l.v = ec_arena_alloc(&call->arena, sizeof *l.v * (size_t)csv.n_rows);
    EC_TRY(ec_allocated(l.v, err));
    EC_TRY(ec_predictor_new(&p, err));
    if (o->profile)
        EC_TRY(ec_predictor_use_profile(p, o->profile, err));
    for (i = 0; i < csv.n_rows; i++, l.n++) {
        struct ec_expected e;
        struct ec_job job;

        st = ec_job_of_row(&csv, i, &call->arena, &job, err);
        if (!st)
            st = ec_job_name(&csv, i, &call->arena, &l.v[i].job, err);
        if (!st)
            st = ec_expect(p, &job, &e, err);
        EC_TRY(ec_within(err, st, "%s: line %d: ", o->model.v[0], csv.lines[i]));
        l.v[i].ns = e.ns;
        l.v[i].does = e.does;
    }
    ec_thresholds_write(&l, &text);
    EC_TRY(ec_file_put(o->thresholds, &text, err));
    ec_say("wrote the limits of %d job%s to %s\n", l.n, l.n == 1 ? "" : "s", o->thresholds);
out:
    ec_predictor_free(p);
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Results */

struct compared {
    struct ec_thresholds limits;
    struct ec_table table;
    bool *seen; /* of each limit */
    int n[3];
};

static void add_row(struct compared *c, const struct ec_threshold *l, double ns)
{
    double slow = l->ns.p95 * (1 + c->limits.tolerance),
           fast = l->ns.p05 / (1 + c->limits.tolerance);
    enum ec_verdict v = ec_verdict(&l->ns, ns, c->limits.tolerance);
    bool measured = ns > 0;
    char text[3][32], range[80];

    (void)ec_snprintf(range, sizeof range, "%s to %s",
                      ec_fmt_ns_like(text[1], sizeof text[1], fast, l->ns.p50),
                      ec_fmt_ns_like(text[2], sizeof text[2], slow, l->ns.p50));
    ec_table_row(&c->table, ec_text(l->job), measured ? ec_num(ns) : ec_none(), ec_num(fast),
                 ec_num(slow),
                 ec_text(measured ? ec_fmt_ns_like(text[0], sizeof text[0], ns, l->ns.p50) : NULL),
                 ec_text(range), measured ? ec_num(round(1e6 * ns / l->ns.p50) / 1e6) : ec_none(),
                 ec_text(measured ? ec_verdict_names[v] : "not measured"));
    c->n[v] += measured;
}

static enum ec_status compare(struct compared *c, const struct ec_csv *csv, int row,
                              struct ec_arena *a, struct ec_err *err)
{
    const struct ec_threshold *l = NULL;
    const char *name = NULL;
    double ns = 0;

    EC_PASS(ec_job_name(csv, row, a, &name, err));
    EC_PASS(ec_thresholds_find(&c->limits, name, &l, err));
    EC_PASS(
        ec_step_of_speed(&l->does, ec_csv_cell(csv, row, ec_csv_col(csv, "measured")), &ns, err));
    c->seen[l - c->limits.v] = true;
    add_row(c, l, ns);
    return EC_OK;
}

static enum ec_status compare_all(struct ec_call *call, struct compared *c,
                                  const struct ec_csv *csv, int *ret_missing, struct ec_err *err)
{
    const struct check_opts *o = call->opts;
    int i;

    *ret_missing = 0;
    c->seen = ec_arena_alloc(&call->arena, (size_t)c->limits.n);
    EC_PASS(ec_allocated(c->seen, err));
    for (i = 0; i < csv->n_rows; i++) {
        EC_PASS(ec_within(err, compare(c, csv, i, &call->arena, err),
                          "%s: line %d: ", o->model.v[0], csv->lines[i]));
    }
    for (i = 0; i < c->limits.n; i++) {
        if (c->seen[i])
            continue;
        add_row(c, &c->limits.v[i], 0);
        ++*ret_missing;
    }
    return EC_OK;
}

enum ec_status ec__check_against(struct ec_call *call, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.acceptance/1", "jobs", { { 0 } } };
    const struct check_opts *o = call->opts;
    struct compared c = { .n = { 0 } };
    struct ec_file file = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int missing = 0;

    EC_TRY(ec_file_open(o->against, LIMITS_MOST, &file, err));
    st = ec_thresholds_parse((struct ec_span){ (const char *)file.data, file.len }, &call->arena,
                             &c.limits, err);
    EC_TRY(ec_within(err, st, "%s: ", o->against));
    EC_TRY(ec__check_tolerance(call, &c.limits.tolerance, err));
    EC_TRY(open_table(call, &csv, err));
    if (ec_csv_col(&csv, "measured") < 0)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%s: no column \"measured\", such as 94ms or 680 img/s",
                       o->model.v[0]));
    ec_table_init(&c.table, thresholds_cols, EC_LEN(thresholds_cols));
    EC_TRY(compare_all(call, &c, &csv, &missing, err));
    EC_TRY(ec_call_table(call, &head, &c.table, err));
    call->verdict = ec__check_exit(c.n);
    EC_TRY(ec_call_flush(call, err));
    if (missing)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%s: %d of %d jobs were not measured", o->model.v[0],
                       missing, c.limits.n));
out:
    ec_table_clear(&c.table);
    ec_csv_clear(&csv);
    ec_file_close(&file);
    return st;
}
