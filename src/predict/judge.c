/* Predicts measured rows, with two plain estimates for each. */
#include "predict/methods.h"
#include "predict/predict_internal.h"

#include <math.h>
#include <string.h>

/* The rows that are judged together. */
struct rows {
    const struct ec_record *v;
    int n;
    struct ec_groups jobs;          /* those that differ in the number of processes alone */
    const struct ec_record **alone; /* of each job: its step on one process; NULL: none */
};

static int by_job(const void *user, int a, int b)
{
    const struct ec_record *v = user;
    int by = strcmp(v[a].run, v[b].run);

    return by ? by : ec_record_compare(&v[a], &v[b]);
}

/* Finds the step on one process of each job, where rows have several. */
static enum ec_status find_alone(struct rows *r, struct ec_err *err)
{
    int i, several = 0;

    for (i = 0; i < r->n; i++)
        several |= *r->v[i].run && r->v[i].num_devices > 1;
    if (!several)
        return EC_OK;
    EC_PASS(ec_group(r->n, by_job, r->v, &r->jobs, err));
    r->alone = ec_alloc(sizeof *r->alone * ((size_t)r->jobs.n + 1));
    EC_PASS(ec_allocated(r->alone, err));
    for (i = 0; i < r->n; i++)
        if (!r->alone[r->jobs.of[i]] && r->v[i].num_devices == 1 && r->v[i].time.ns > 0)
            r->alone[r->jobs.of[i]] = &r->v[i];
    return EC_OK;
}

/* The prediction of the kind of memory that was measured; of an unknown one the nearer. */
static struct ec_interval memory_of(const struct ec_record *m, const struct ec_prediction *r)
{
    double allocator = fabs(log(r->allocator_peak_bytes.p50 / m->memory_peak_bytes));
    double process = fabs(log(r->memory_peak_bytes.p50 / m->memory_peak_bytes));
    bool nearer = ec_str_eq(m->memory_kind, EC_MEMORY_EITHER) && allocator < process;

    return nearer || ec_str_eq(m->memory_kind, "allocator") ? r->allocator_peak_bytes
                                                            : r->memory_peak_bytes;
}

void ec__judged_answer(struct ec_judged *j, const struct ec_prediction *r)
{
    j->ns = r->step_time_ns;
    j->basis = r->basis;
    j->host_ns = r->host_ns;
    j->device_ns = r->device_ns;
    j->needed_bytes = r->has_memory ? r->memory_needed_bytes.p50 : 0;
    j->most_bytes = r->has_memory ? r->memory_peak_bytes.p95 : 0;
    j->fits_probability = r->fits_probability;
}

static enum ec_status judge_network(struct ec_predictor *p, const struct ec_record *m,
                                    const struct ec_predict_opts *o, const struct ec_device *d,
                                    struct ec_judged *ret, struct ec_err *err)
{
    struct ec_prediction r;
    const struct ec_step *step = NULL;
    const struct ec_graph *g = NULL;

    EC_PASS(ec_predict_network(p, m->what, m->device, o, &r, err));
    EC_PASS(ec_predictor_network(p, m->what, o, &g, &step, err));
    ec__judged_answer(ret, &r);
    ret->memory = memory_of(m, &r);
    ret->plain = ec_plain_estimate(step, d, o->cond.precision);
    return EC_OK;
}

static enum ec_status judge_op(struct ec_predictor *p, const struct ec_record *m,
                               const struct ec_predict_opts *o, const struct ec_device *d,
                               struct ec_judged *ret, struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    struct ec_prediction r;
    enum ec_status st;

    EC_TRY(ec_predict_op(p, m->what, m->device, o, &r, err));
    EC_TRY(ec_case_parse(m->what, &c, err));
    EC_TRY(ec_step_of_query(&c.c, o, &step, err));
    ec__judged_answer(ret, &r);
    if (ec_str_eq(m->method, "traced"))
        ret->ns = ec_interval_traced(ret->ns);
    ret->plain = ec_plain_estimate(&step, d, o->cond.precision);
out:
    ec_step_clear(&step);
    ec_case_clear(&c);
    return st;
}

/* Keeps the sentence about a row that is left out, once for all rows that have it. */
static void keep_why(struct ec_judged_list *list, const struct ec_record *m, const char *text)
{
    int i, n = list->n_why < EC_WHY_MAX ? list->n_why : EC_WHY_MAX;
    char shown[sizeof list->why[0].text];

    (void)ec_snprintf(shown, sizeof shown, "%s", text);
    for (i = 0; i < n && !ec_str_eq(list->why[i].text, shown); i++)
        continue;
    if (i == n) {
        list->n_why++;
        if (n == EC_WHY_MAX)
            return;
        memcpy(list->why[n].text, shown, sizeof shown);
    }
    if (list->why[i].n++ < EC_WHY_ROWS_MAX)
        list->why[i].row[list->why[i].n - 1] = m->row;
}

static enum ec_status judge_one(struct ec_predictor *p, const struct rows *rows,
                                const struct ec_record *m, struct ec_judged_list *list,
                                struct ec_judged *ret, struct ec_err *err)
{
    const struct ec_record *one =
        *m->run && m->num_devices > 1 ? rows->alone[rows->jobs.of[m - rows->v]] : NULL;
    const struct ec_device *d = NULL;
    struct ec_predict_opts o;
    char run[48];
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    st = ec_device_find(m->device, &d, err);
    if (st == EC_E_NOT_FOUND)
        list->n_no_device++;
    if (st)
        return st;
    EC_TRY(ec_record_opts(m, &o, err));
    if (ec_record_is_network(m) && ec_host_feeds(d))
        o.host = m->host;
    if (ec_record_is_network(m))
        o.loader = m->loader;
    if (d->kind == EC_DEV_CPU && !ec_fitted_device(p->fitted, ec_device_measured_as(d)))
        o.threads = m->threads; /* a fitted device's offset is that of its rows' threads */
    if (one) {
        (void)ec_snprintf(run, sizeof run, "1=%.0fns", one->time.ns);
        o.from_run = run;
    }
    ret->m = m;
    ret->device = ec_device_key(d);
    ret->card_bytes = ec_device_usable_bytes(d);
    EC_TRY(ec_record_is_network(m) ? judge_network(p, m, &o, d, ret, err)
                                   : judge_op(p, m, &o, d, ret, err));
out:
    if (st == EC_E_NOT_FOUND)
        list->n_no_network++;
    else if (st)
        list->n_other++;
    return st;
}

enum ec_status ec_judge(struct ec_predictor *p, const struct ec_record *rows, int n,
                        struct ec_judged_list *ret, struct ec_err *err)
{
    struct rows all = { .v = rows, .n = n };
    struct ec_judged_list list = { 0 };
    struct ec_err why = { .status = EC_OK };
    enum ec_status st = EC_OK;
    int i;

    list.v = ec_alloc(sizeof *list.v * (size_t)(n ? n : 1));
    EC_TRY(ec_allocated(list.v, err));
    EC_TRY(find_alone(&all, err));
    for (i = 0; i < n; i++) {
        enum ec_status one = judge_one(p, &all, &rows[i], &list, &list.v[list.n], &why);

        if (one == EC_E_NOMEM)
            EC_TRY(ec_nomem(err));
        if (one)
            keep_why(&list, &rows[i], why.text);
        list.n += one == EC_OK;
    }
    *ret = list;
    list.v = NULL;
out:
    ec_free(list.v);
    ec_free(all.alone);
    ec_groups_clear(&all.jobs);
    return st;
}

enum ec_status ec_judge_by(struct ec_predictor *p, int method, struct ec_judged_list *l,
                           struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i, n = 0;

    for (i = 0; i < l->n; i++) {
        const struct ec_record *m = l->v[i].m;
        struct ec_predict_opts o;
        double ns = 0;

        st = ec_record_opts(m, &o, NULL);
        if (!st)
            st = ec_method_ns(p, method, ec_record_is_network(m) ? m->what : NULL,
                              ec_record_is_network(m) ? NULL : m->what, m->device, &o, &ns, NULL);
        if (st == EC_E_NOMEM)
            return ec_nomem(err);
        if (st) {
            l->n_other++;
            continue;
        }
        l->v[n] = l->v[i];
        l->v[n++].ns = ec_no_interval(ns);
    }
    l->n = n;
    return EC_OK;
}

bool ec_spilled(double ratio, double bytes, double most_bytes, double card_bytes)
{
    return card_bytes > 0 &&
           ((bytes > card_bytes && ratio >= 1.5) || (most_bytes >= card_bytes && ratio >= 5));
}

const char *ec_misfit_verdict(double fits_probability)
{
    if (fits_probability < 0.5)
        return "agrees";
    return fits_probability < EC_SURE ? "says it may not fit" : "says it fits";
}
