/* epochcast plan --jobs: a queue of jobs, and which device runs which. */
#include "cli/plan_internal.h"
#include "cli/predict_cmd_internal.h"

#include "cli_columns.h"

enum { JOBS_MAX = 1000, MACHINES_MAX = 1024 };

struct jobs {
    struct ec_csv csv;
    struct ec_prices prices;
    const struct ec_device **devices; /* kinds */
    struct ec_queue q;
    double *time_ns, *p95_ns; /* [job][kind] */
};

/* The options of a row: what is usual for its network, then its columns. */
static enum ec_status read_job(struct ec_call *call, const struct jobs *j, int row,
                               struct ec_predict_opts *ret, struct ec_err *err)
{
    struct plan_cmd_opts *o = call->opts;
    const struct ec_predict_opts given = o->query;
    struct plan_job unused;
    enum ec_status st;
    int col;

    o->model = ec_csv_cell(&j->csv, row, ec_csv_col(&j->csv, "model"));
    EC_TRY(ec__plan_settle(call, &unused, err));
    *ret = o->query;
    for (col = 0; col < j->csv.n_cols; col++) {
        const char *name = j->csv.names[col], *cell = ec_csv_cell(&j->csv, row, col);

        if (*cell && !ec_str_eq(name, "model") && !ec_str_eq(name, "job"))
            EC_TRY(ec_predict_opts_set(ret, name, cell, err));
    }
out:
    o->query = given;
    return ec_within(err, st, "%s: line %d: ", o->jobs, j->csv.lines[row]);
}

/* Times of a job on each kind of device; 0 where it does not run, and why on the last such. */
static enum ec_status predict_job(struct ec_call *call, struct jobs *j, struct ec_predictor *p,
                                  int row, struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    const char *model = ec_csv_cell(&j->csv, row, ec_csv_col(&j->csv, "model"));
    struct ec_err why = { .status = EC_OK };
    struct ec_predict_opts opts, one;
    struct ec_prediction r;
    enum ec_status st;
    int k, n = 0;

    EC_PASS(read_job(call, j, row, &opts, err));
    opts.devices = 1;
    for (k = 0; k < j->q.n_kinds; k++) {
        ptrdiff_t at = (ptrdiff_t)row * j->q.n_kinds + k;

        one = opts;
        ec_plan_usual(&one, j->devices[k]);
        st = ec_predict_network(p, model, ec_device_key(j->devices[k]), &one, &r, &why);
        if (st == EC_E_NOMEM)
            return ec_nomem(err);
        if (!st && !r.has_job)
            return ec_fail(err, EC_E_INPUT,
                           "%s: line %d: how large is the job? Expected a column samples, tokens, "
                           "steps or dataset",
                           o->jobs, j->csv.lines[row]);
        if (!st && r.fits_probability >= 0 && r.fits_probability < o->memory_chance) {
            st = ec_fail(&why, EC_E_UNSUPPORTED, "does not fit into the memory of %s",
                         ec_device_key(j->devices[k]));
        }
        j->time_ns[at] = st ? 0 : r.job_time_ns.p50;
        j->p95_ns[at] = st ? 0 : r.job_time_ns.p95;
        n += !st;
    }
    if (!n)
        ec_say("left out line %d, %s: %s\n", j->csv.lines[row], model, why.text);
    return EC_OK;
}

static double usd_per_hour(const struct plan_cmd_opts *o, const struct jobs *j, int kind)
{
    const struct ec_price *price = ec_price_of(&j->prices, j->devices[kind], &o->query);

    return price ? ec_price_each(price, &o->query) : o->query.usd_per_hour;
}

/* The jobs of each device in their order, and the sums. */
static enum ec_status show(struct ec_call *call, const struct jobs *j, struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    const struct ec_table_head head = { "epochcast.queue/1", "jobs", { { 0 } } };
    int job_col = ec_csv_col(&j->csv, "job"), model_col = ec_csv_col(&j->csv, "model"), m, i;
    double hours = 0, usd = 0;
    char end[32], bound[32], cost[32], time[32];
    struct ec_table t;
    enum ec_status st;

    ec_table_init(&t, plan_jobs_cols, EC_LEN(plan_jobs_cols));
    for (m = 0; m < j->q.n_kinds * j->q.count; m++) {
        const char *key = ec_device_key(j->devices[m / j->q.count]);
        const char *device =
            j->q.count > 1 ? ec_arena_printf(&call->arena, "%s #%d", key, m % j->q.count + 1) : key;
        double start_ns = 0, rate = usd_per_hour(o, j, m / j->q.count);

        for (i = 0; i < j->q.n_jobs; i++) {
            ptrdiff_t at = (ptrdiff_t)i * j->q.n_kinds + m / j->q.count;
            double ns = j->time_ns[at], paid = ns / 3.6e12 * rate;

            if (j->q.machine[i] != m)
                continue;
            ec_table_row(&t,
                         job_col < 0
                             ? ec_text(ec_arena_printf(&call->arena, "line %d", j->csv.lines[i]))
                             : ec_text(ec_csv_cell(&j->csv, i, job_col)),
                         ec_text(ec_csv_cell(&j->csv, i, model_col)), ec_text(device),
                         ec_num(ec_nine_digits(start_ns)), ec_num(ec_nine_digits(start_ns + ns)),
                         ec_num(ec_nine_digits(ns)), ec_num(ec_nine_digits(j->p95_ns[at])),
                         rate > 0 ? ec_num(ec_nine_digits(paid)) : ec_none());
            start_ns += ns;
            hours += ns / 3.6e12;
            usd += paid;
        }
    }
    EC_TRY(ec_call_table(call, &head, &t, err));
    ec_say("All have ended after %s; no placement ends before %s. %s device-hours%s%s%s.\n",
           ec_fmt_ns(end, sizeof end, j->q.end_ns), ec_fmt_ns(bound, sizeof bound, j->q.bound_ns),
           ec_fmt_digits3(time, sizeof time, hours), usd > 0 ? ", " : "",
           usd > 0 ? ec_fmt_digits3(cost, sizeof cost, usd) : "", usd > 0 ? " USD" : "");
out:
    ec_table_clear(&t);
    return st;
}

enum ec_status ec__plan_jobs(struct ec_call *call, struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    struct ec_arena *a = &call->arena;
    struct ec_predictor *p = NULL;
    struct jobs j = { .q.count = (int)o->query.devices };
    size_t n;
    enum ec_status st;
    int i;

    if (o->model || call->n_lists)
        return ec_usage(call, err,
                        "--jobs takes no MODEL, and one value of each option: columns "
                        "of the table have those of each job");
    EC_TRY(ec_csv_read(o->jobs, &j.csv, err));
    if (ec_csv_col(&j.csv, "model") < 0 || !j.csv.n_rows || j.csv.n_rows > JOBS_MAX)
        EC_TRY(
            ec_fail(err, EC_E_INPUT,
                    "%s: %d rows, %s column model: expected 1 to %d rows, with the columns model "
                    "and batch, samples or others that `epochcast predict` has as options",
                    o->jobs, j.csv.n_rows, ec_csv_col(&j.csv, "model") < 0 ? "no" : "a", JOBS_MAX));
    EC_TRY(ec_devices_named(&o->device, &j.devices, &j.q.n_kinds, a, err));
    if (o->prices) {
        EC_TRY(ec_prices_read(o->prices, &j.prices, a, err));
        j.q.n_kinds = ec__keep_priced(&j.prices, o->price_kind, j.devices, j.q.n_kinds);
    }
    if (o->query.devices < 1 || o->query.devices * j.q.n_kinds > MACHINES_MAX)
        return ec_usage(call, err, "--devices: found %lld of each, expected at most %d together",
                        (long long)o->query.devices, MACHINES_MAX);
    j.q.n_jobs = j.csv.n_rows;
    n = (size_t)j.q.n_jobs * (size_t)j.q.n_kinds;
    j.time_ns = ec_arena_alloc(a, sizeof *j.time_ns * n);
    j.p95_ns = ec_arena_alloc(a, sizeof *j.p95_ns * n);
    j.q.machine = ec_arena_alloc(a, sizeof *j.q.machine * (size_t)j.q.n_jobs);
    j.q.load_ns = ec_arena_alloc(a, sizeof *j.q.load_ns * (size_t)j.q.count * (size_t)j.q.n_kinds);
    EC_TRY(ec_allocated(j.time_ns && j.p95_ns && j.q.machine && j.q.load_ns, err));
    j.q.time_ns = j.time_ns;
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec__use_profile(call, o->profile, p, j.devices, j.q.n_kinds, err));
    for (i = 0; i < j.q.n_jobs; i++)
        EC_TRY(predict_job(call, &j, p, i, err));
    EC_TRY(ec_queue_place(&j.q, err));
    EC_TRY(show(call, &j, err));
out:
    ec_predictor_free(p);
    ec_csv_clear(&j.csv);
    return st;
}
