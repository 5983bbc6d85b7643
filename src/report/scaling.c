/* Data-parallel steps beside their predictions. */
#include "report/scaling.h"

#include <stdlib.h>
#include <string.h>

#include "hw/hw.h"
#include "report/report_internal.h"
#include "report_columns.h"

void ec_scaling_table(struct ec_table *t)
{
    ec_table_init(t, processes_cols, EC_LEN(processes_cols));
}

/* Of each job that ran on one process, in addition to what was measured. */
static const int64_t usual_ranks[] = { 2, 4 };

/* A device that the catalogue does not have is this machine. */
static const char *device_or_this(const char *name)
{
    const struct ec_device *d = NULL;

    return ec_device_find(name, &d, NULL) ? "this" : name;
}

static struct ec_record record_of(const struct ec_csv *csv, int row)
{
    struct ec_record r;

    ec_record_init(&r);
    r.kind = EC_KIND_network;
    r.run = "ranks"; /* of one machine */
    r.what = ec_csv_text(csv, row, "model");
    r.device = device_or_this(ec_csv_text(csv, row, "device"));
    r.batch = (int64_t)ec_csv_number(csv, row, "batch_per_rank");
    r.num_devices = (int64_t)ec_csv_number(csv, row, "ranks");
    r.threads = (int64_t)ec_csv_number(csv, row, "threads");
    r.time.ns = ec_csv_number(csv, row, "step_ns");
    r.time.known = true;
    ec_record_set_word(&r, EC_WORD_PRECISION, ec_csv_text(csv, row, "precision"));
    ec_record_set_word(&r, EC_WORD_OPTIMIZER, ec_csv_text(csv, row, "optimizer"));
    ec_record_set_word(&r, EC_WORD_FRAMEWORK, "epochcast");
    ec_record_default(&r);
    return r;
}

static int by_job_and_ranks(const void *a, const void *b)
{
    const struct ec_record *x = a, *y = b;

    if (x->row != y->row)
        return x->row - y->row;
    return (x->num_devices > y->num_devices) - (x->num_devices < y->num_devices);
}

/* The rows of each job in a table of `epochcast measure ddp`. */
static enum ec_status scaling_jobs(const struct ec_csv *csv, struct ec_groups *ret,
                                   struct ec_err *err)
{
    const int cols[] = { ec_csv_col(csv, "model"),     ec_csv_col(csv, "batch_per_rank"),
                         ec_csv_col(csv, "optimizer"), ec_csv_col(csv, "precision"),
                         ec_csv_col(csv, "threads"),   ec_csv_col(csv, "device") };

    return ec__csv_group(csv, cols, EC_LEN(cols), NULL, csv->n_rows, ret, err);
}

/* The rows, and of each job on one process the usual numbers of processes that were not measured.
 * The rows of a job belong together. */
static enum ec_status collect(const struct ec_csv *csv, struct ec_record *ret, int *ret_n,
                              struct ec_err *err)
{
    struct ec_groups jobs = { 0 };
    enum ec_status st = scaling_jobs(csv, &jobs, err);
    unsigned has = 0; /* of usual_ranks */
    int job, i, k, n = 0;

    for (job = 0; job < jobs.n; job++, has = 0) {
        for (i = jobs.begin[job]; i < jobs.begin[job + 1]; i++)
            for (k = 0; k < EC_LEN(usual_ranks); k++)
                if ((int64_t)ec_csv_number(csv, jobs.item[i], "ranks") == usual_ranks[k])
                    has |= 1u << k;
        for (i = jobs.begin[job]; i < jobs.begin[job + 1]; i++) {
            struct ec_record r = record_of(csv, jobs.item[i]);

            if (strchr(r.what, ' ')) /* the case of a layer */
                continue;
            r.row = job;
            ret[n++] = r;
            for (k = 0; k < EC_LEN(usual_ranks) && r.num_devices == 1; k++) {
                if (has >> k & 1)
                    continue;
                ret[n] = r;
                ret[n].num_devices = usual_ranks[k];
                ret[n++].time = (struct ec_reading){ 0 };
            }
        }
    }
    qsort(ret, (size_t)n, sizeof *ret, by_job_and_ranks);
    ec_groups_clear(&jobs);
    *ret_n = n;
    return st;
}

static void add_row(const struct ec_record *m, const struct ec_judged *j, struct ec_table *t)
{
    char from[32], to[32], range[80];

    ec_table_row(t, ec_text(m->what), ec_int(m->batch), ec_int(m->num_devices),
                 m->time.known ? ec_num(m->time.ns) : ec_none());
    if (!j) {
        ec_table_row(t, ec_none(), ec_none(), ec_none(), ec_none());
        return;
    }
    (void)ec_snprintf(range, sizeof range, "%s to %s", ec_fmt_ns(from, sizeof from, j->ns.p05),
                      ec_fmt_ns(to, sizeof to, j->ns.p95));
    ec_table_row(t, ec_num(j->ns.p50), ec_text(range));
    if (m->time.known) {
        ec_table_row(t, ec_num(ec_judged_off(j)), ec_bool(ec_judged_inside(j)));
    } else {
        ec_table_row(t, ec_none(), ec_none());
    }
}

enum ec_status ec_scaling_rows(struct ec_predictor *p, const struct ec_csv *csv, struct ec_arena *a,
                               struct ec_table *t, const char **ret_why, struct ec_err *err)
{
    struct ec_judged_list judged = { 0 };
    struct ec_record *rows;
    enum ec_status st;
    int n, i, k = 0;

    rows = ec_alloc(sizeof *rows * (size_t)(csv->n_rows * (1 + EC_LEN(usual_ranks)) + 1));
    EC_PASS(ec_allocated(rows, err));
    EC_TRY(collect(csv, rows, &n, err));
    EC_TRY(ec_judge(p, rows, n, &judged, err));
    for (i = 0; i < n; i++) {
        bool is_judged = k < judged.n && judged.v[k].m == &rows[i];

        add_row(&rows[i], is_judged ? &judged.v[k] : NULL, t);
        k += is_judged;
    }
    *ret_why = judged.n_why ? ec_arena_str(a, judged.why[0].text) : "";
    if (!*ret_why)
        st = ec_nomem(err);
out:
    ec_free(judged.v);
    ec_free(rows);
    return st;
}

enum ec_status ec_scaling_predict(struct ec_predictor *p, const struct ec_scaling_job *job,
                                  struct ec_scaling_answer *ret, struct ec_err *err)
{
    enum { PLAIN, ALONE, SEVERAL, N_ROWS };
    struct ec_judged_list judged = { 0 };
    struct ec_record rows[N_ROWS];
    const char *runs[N_ROWS] = { "plain", "ranks", "ranks" };
    const struct ec_device *own = NULL;
    enum ec_status st;
    int i;

    EC_TRY(ec_device_find("this", &own, err));
    for (i = 0; i < N_ROWS; i++) {
        ec_record_init(&rows[i]);
        rows[i].kind = EC_KIND_network;
        rows[i].run = runs[i];
        rows[i].what = job->network;
        rows[i].device = device_or_this(own->name);
        rows[i].batch = job->batch;
        rows[i].num_devices = i == ALONE ? 1 : job->ranks;
        rows[i].time = (struct ec_reading){ job->alone_ns, true };
        ec_record_set_word(&rows[i], EC_WORD_OPTIMIZER, job->optimizer);
        ec_record_set_word(&rows[i], EC_WORD_FRAMEWORK, "epochcast");
        ec_record_default(&rows[i]);
    }
    EC_TRY(ec_judge(p, rows, N_ROWS, &judged, err));
    *ret = (struct ec_scaling_answer){ 0 };
    for (i = 0; i < judged.n; i++) {
        if (judged.v[i].m == &rows[PLAIN])
            ret->plain_ns = judged.v[i].ns.p50;
        if (judged.v[i].m == &rows[SEVERAL])
            ret->from_run_ns = judged.v[i].ns.p50;
    }
out:
    ec_free(judged.v);
    return st;
}
