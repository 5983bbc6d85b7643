/* Reads measured runs from a store: statistics of samples, work, and the device's peaks. */
#include "report/runs.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "report/report_internal.h"
#include "report/runs_internal.h"

enum { UNCOUNTED_TOLD = 100 }; /* reasons why networks are not counted; notes name fewer */
enum { THREAD_RUNS = 500, THREADS_MOST = 16 }; /* the fewest runs that are worth a thread */
enum { DRIFT_STEPS = 8 };                      /* fewest of a third of a run */

struct reading {
    struct ec_store *s;
    const struct ec_runs_query *q;
    struct ec_predictor *p;
    struct ec_runs *runs;
    int first; /* of the runs; predictions may come before */
    struct ec_err *err;
    int *step, n_steps; /* of each run, from 1; runs of one step compute the same */
    int n_repeats, n_second;
};

enum ec_status ec_runs_store(const char *const *files, int n, const struct ec_store_import *how,
                             struct ec_store **ret, struct ec_said *said, struct ec_err *err)
{
    struct ec_store_counts counts;
    struct ec_store *s = *ret;
    struct ec_err why = { .status = EC_OK };
    enum ec_status st = EC_OK;
    int i, n_passed = 0;

    *ret = NULL;
    if (!s)
        EC_TRY(ec_store_open(":memory:", 0, &s, err));
    for (i = 0; i < n; i++) {
        st = ec_store_import(s, files[i], how, &counts, &why);
        if (st && how && how->pass_over && said && ++n_passed < n) {
            ec_said_left_out(said, files[i], why.text);
            st = EC_OK;
            continue;
        }
        if (st)
            EC_TRY(ec_fail(err, st, "%.400s", why.text));
        if (counts.left_out && counts.left_out == counts.rows)
            EC_TRY(ec_fail(err, EC_E_PARSE, "%.200s: no row can be used: %.250s", files[i],
                           counts.why[0]));
        if (said)
            ec_store_counts_say(&counts, files[i], false, said);
    }
    *ret = s;
    s = NULL;
out:
    ec_store_close(s);
    return st;
}

/* A simple sum of squares suffices: samples are few and of similar size. */
static enum ec_status sample_statistics(struct ec_run *r, const double *ns, int n,
                                        struct ec_err *err)
{
    double *sorted = ec_alloc(sizeof *sorted * (size_t)n), sum = 0, squares = 0, rates = 0;
    double of_rates = 0;
    int i;

    EC_PASS(ec_allocated(sorted, err));
    memcpy(sorted, ns, sizeof *ns * (size_t)n);
    r->n = n;
    r->median_ns = ec_quantile_inplace(sorted, n, 0.5);
    r->p95_ns = ec_quantile_inplace(sorted, n, 0.95);
    r->min_ns = sorted[0];
    r->max_ns = sorted[n - 1];
    for (i = 0; i < n; i++)
        sum += ns[i];
    r->mean_ns = sum / n;
    for (i = 0; i < n; i++)
        squares += (ns[i] - r->mean_ns) * (ns[i] - r->mean_ns);
    r->std_ns = n > 1 ? sqrt(squares / (n - 1)) : (double)NAN;
    for (i = 0; i < n; i++)
        rates += 1e9 / ns[i];
    r->rate_mean = rates / n;
    for (i = 0; i < n; i++)
        of_rates += (1e9 / ns[i] - r->rate_mean) * (1e9 / ns[i] - r->rate_mean);
    r->rate_std = n > 1 ? sqrt(of_rates / (n - 1)) : (double)NAN;
    ec_free(sorted);
    return EC_OK;
}

/* Of n samples in their order. A step beyond twice the median before all others is a warm-up. */
static void steadiness(struct ec_run *r, double *ns, int n)
{
    double sum = 0, squares = 0;
    int i, third;

    for (; n > 0 && *ns > 2 * r->median_ns; n--)
        ns++;
    if (n < 3)
        return;
    for (i = 0; i < n; i++)
        sum += ns[i];
    for (i = 0; i < n; i++)
        squares += (ns[i] - sum / n) * (ns[i] - sum / n);
    r->steady_std_frac = sqrt(squares / (n - 1)) / (sum / n);
    third = n / 3;
    if (third >= DRIFT_STEPS)
        r->drift_ratio =
            ec_quantile_inplace(ns + n - third, third, 0.5) / ec_quantile_inplace(ns, third, 0.5);
}

static double known(struct ec_reading v)
{
    return v.known && v.ns > 0 ? v.ns : (double)NAN;
}

static enum ec_status statistics(struct reading *rd, const struct ec_stored *row, struct ec_run *r)
{
    struct ec_arena a = { 0 };
    struct ec_sample *samples = NULL;
    double *ns = NULL;
    enum ec_status st;
    int n = 0, i, kept = 0;

    EC_TRY(ec_store_samples(rd->s, row->id, &a, &samples, &n, rd->err));
    ns = ec_alloc(sizeof *ns * (size_t)(n + 1));
    EC_TRY(ec_allocated(ns, rd->err));
    for (i = 0; i < n; i++) {
        int64_t t = samples[i].host_ns > 0 ? samples[i].host_ns : samples[i].device_ns;

        if (t > 0 && i >= rd->q->skip)
            ns[kept++] = (double)t;
    }
    if (kept) {
        EC_TRY(sample_statistics(r, ns, kept, rd->err));
        r->first_ns = ns[0];
        steadiness(r, ns, kept);
    } else if (!n) {
        r->median_ns = known(row->r.time);
        r->mean_ns = known(row->r.mean);
        r->std_ns = known(row->r.std);
        r->min_ns = known(row->r.min);
        r->max_ns = known(row->r.max);
        r->n = (int)fmin((double)row->r.n_samples, 1e9);
    }
out:
    ec_free(ns);
    ec_free(samples);
    ec_arena_clear(&a);
    return st;
}

/* Uses one name for a device, whichever its rows have. */
static const char *catalogue_key(const char *device)
{
    const struct ec_device *d = NULL;

    return *device && !ec_device_find(device, &d, NULL) ? ec_device_key(d) : device;
}

/* Whether the row's name is that of an environment: a user's word that is not just the device. */
static bool is_environment(const struct ec_record *r)
{
    return *r->device_name &&
           (ec_str_glob("*iterations", r->source.mapping) ||
            ((ec_str_eq(r->source.mapping, "plain") || ec_str_eq(r->source.mapping, "cnn-grid")) &&
             !ec_str_eq(catalogue_key(r->device_name), catalogue_key(r->device))));
}

/* The network, its device and its conditions, without readings and what else a row holds. */
static enum ec_status describe(struct reading *rd, const struct ec_stored *row, struct ec_run *r)
{
    r->record.what = row->r.what;
    r->record.device = catalogue_key(row->r.device);
    r->record.flags = row->r.flags;
    r->record.batch = row->r.batch;
    r->record.image_px = row->r.image_px;
    r->record.seq_len = row->r.seq_len;
    r->record.threads = row->r.threads;
    r->record.num_devices = row->r.num_devices;
    r->record.cond = row->r.cond;
    r->record.job = row->r.job;
    r->record.reading = row->r.reading;
    r->record.method = row->r.method;
    memcpy(r->record.foreign, row->r.foreign, sizeof r->record.foreign);
    if (!*ec_run_precision(r))
        ec_record_set_word(&r->record, EC_WORD_PRECISION,
                           rd->q->precision ? rd->q->precision : "fp32");
    r->env = is_environment(&row->r) || !*r->record.device ? row->r.device_name : r->record.device;
    r->env = ec_arena_str(&rd->runs->arena, *r->env ? r->env : "?");
    return r->env ? ec_record_keep(&r->record, &rd->runs->arena, rd->err) : ec_nomem(rd->err);
}

static bool step_mode(const char *mode)
{
    return ec_str_eq(mode, "training_step") || ec_str_eq(mode, "forward_backward") ||
           ec_str_eq(mode, "forward") || ec_str_eq(mode, "inference");
}

/* Whether two readings of a run are of one clock: then they are two runs of one configuration. */
static bool same_clock(const struct ec_run *a, const struct ec_run *b)
{
    return ec_str_eq(a->record.reading, b->record.reading) &&
           ec_str_eq(a->record.method, b->record.method) && isfinite(a->median_ns) &&
           isfinite(b->median_ns);
}

/* Rows of one configuration become a run, whose samples are their medians; of other clocks the
 * first is kept: the first column of a mapping is the better one. Counts runs that joined another,
 * and readings that were left out. */
static enum ec_status join(struct reading *rd, const struct ec_run *const *rows, int n,
                           struct ec_run *ret)
{
    double *ns = ec_alloc(sizeof *ns * (size_t)n);
    enum ec_status st = ns ? EC_OK : ec_nomem(rd->err);
    int i, n_same = 0;

    for (i = 0; i < n && !st; i++)
        if (same_clock(rows[i], rows[0]))
            ns[n_same++] = rows[i]->median_ns;
    *ret = *rows[0];
    rd->n_second += n - (n_same ? n_same : 1);
    if (n_same > 1 && !st) {
        st = sample_statistics(ret, ns, n_same, rd->err);
        ret->repeats = n_same;
        ret->first_ns = ret->median_ns;
        ret->steady_std_frac = ret->drift_ratio = 0;
        rd->n_repeats += n_same - 1;
    }
    ec_free(ns);
    return st;
}

/* Runs of one configuration become one; copies go; the rest is sorted, its environments named. */
static enum ec_status arrange(struct reading *rd)
{
    struct ec_run *v = rd->runs->v + rd->first, *sorted = NULL;
    const struct ec_run **rows = NULL; /* of one run */
    int n = rd->runs->n - rd->first, n_rows = 0, to = 0, one = 0, i;
    struct ec__query q = { 0 };
    enum ec_status st;

    EC_TRY(ec__runs_views(v, n, &q, rd->err));
    EC_TRY(ec__query_say(&q, "SELECT * FROM copies_note", &rd->runs->arena, &rd->runs->notes,
                         rd->err));
    sorted = ec_alloc(sizeof *sorted * ((size_t)n + 1));
    rows = ec_alloc(sizeof *rows * ((size_t)n + 1));
    rd->step = ec_alloc(sizeof *rd->step * ((size_t)n + 1));
    EC_TRY(ec_allocated(sorted && rows && rd->step, rd->err));
    ec__query_ask(&q, "SELECT * FROM arranged");
    while (ec__query_next(&q)) {
        if (n_rows && one != (int)ec__query_cell(&q, 1)) {
            EC_TRY(join(rd, rows, n_rows, &sorted[to++]));
            n_rows = 0;
        }
        one = (int)ec__query_cell(&q, 1);
        i = (int)ec__query_cell(&q, 0) - 1;
        rows[n_rows++] = &v[i];
        rd->step[to] = (int)ec__query_cell(&q, 2);
        rd->n_steps = rd->step[to] > rd->n_steps ? rd->step[to] : rd->n_steps;
        v[i].env = ec_arena_str(&rd->runs->arena, ec__query_word(&q, 3));
        EC_TRY(ec_allocated(v[i].env, rd->err));
    }
    EC_TRY(ec__query_status(&q, rd->err));
    if (n_rows)
        EC_TRY(join(rd, rows, n_rows, &sorted[to++]));
    memcpy(v, sorted, sizeof *v * (size_t)to);
    rd->runs->n = rd->first + to;
out:
    ec__query_close(&q);
    ec_free(sorted);
    ec_free((void *)rows);
    return st;
}

/* Of those without a time the first of each configuration. */
static enum ec_status arrange_left(struct ec_runs *runs, struct ec_err *err)
{
    struct ec__query q = { 0 };
    int to = 0;
    enum ec_status st;

    EC_TRY(ec__runs_views(runs->left, runs->n_left, &q, err));
    ec__query_ask(&q, "SELECT i FROM kept WHERE i = one ORDER BY i");
    while (ec__query_next(&q))
        runs->left[to++] = runs->left[(int)ec__query_cell(&q, 0) - 1];
    runs->n_left = to;
    st = ec__query_status(&q, err);
out:
    ec__query_close(&q);
    return st;
}

static enum ec_status add_row(struct reading *rd, const struct ec_stored *row)
{
    struct ec_run r = ec__run_blank();

    r.measured = true;
    r.id = row->id;
    EC_PASS(describe(rd, row, &r));
    if (row->r.memory_peak_bytes > 0)
        r.memory_peak_bytes = row->r.memory_peak_bytes;
    EC_PASS(statistics(rd, row, &r));
    if (!isfinite(r.median_ns) || r.record.batch <= 0)
        return EC_OK;
    EC_PASS(ec_grow(&rd->runs->v, &rd->runs->cap, rd->runs->n + 1, sizeof *rd->runs->v, rd->err));
    rd->runs->v[rd->runs->n++] = r;
    return EC_OK;
}

/* Whether a row has a time or a peak of memory that counts. */
static bool is_ok(const struct ec_record *r)
{
    return ec_str_eq(r->outcome, "ok") &&
           ((r->time.known && r->time.ns > 0) || r->memory_peak_bytes > 0);
}

/* A run that has no time of its own. Rows of sources without a figure are no runs. */
static enum ec_status add_left(struct reading *rd, const struct ec_stored *row)
{
    struct ec_runs *runs = rd->runs;
    struct ec_run r = ec__run_blank();

    r.record.kind = row->r.kind;
    r.record.outcome = row->r.outcome;
    EC_PASS(describe(rd, row, &r));
    if (r.record.num_devices > 1)
        r.env = ec_arena_printf(&runs->arena, "%s, %lld devices", r.env,
                                (long long)r.record.num_devices);
    EC_PASS(ec_allocated(r.env, rd->err));
    if (ec_str_eq(r.record.outcome, "ok") || strstr(r.record.flags, "no_time") ||
        r.record.batch <= 0)
        return EC_OK;
    EC_PASS(ec_grow(&runs->left, &runs->cap_left, runs->n_left + 1, sizeof *runs->left, rd->err));
    runs->left[runs->n_left++] = r;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * What a run computes, and on what */

static void peaks(struct ec_run *r)
{
    const struct ec_device *d = NULL;
    double peak;

    if (ec_device_find(r->record.device, &d, NULL) && ec_device_find(r->env, &d, NULL))
        return;
    peak = ec_paper_peak_named(d, ec_run_precision(r));
    if (peak > 0)
        r->peak_flop_per_s = peak;
    if (d->memory_bytes_per_s.src != EC_SRC_NONE)
        r->memory_bytes_per_s = d->memory_bytes_per_s.value;
}

void ec__run_count(struct ec_run *r, const struct ec_totals *t, int last)
{
    int i;

    r->params = t->params;
    r->flop = r->bytes = 0;
    for (i = EC_FORWARD; i <= last; i++) {
        r->flop += t->phase[i].flop;
        r->bytes += t->phase[i].bytes;
    }
}

static int last_phase(const struct ec_run *r)
{
    bool forward = ec_str_eq(ec_run_mode(r), "forward") || ec_str_eq(ec_run_mode(r), "inference");

    return forward                                         ? EC_FORWARD
           : ec_str_eq(ec_run_mode(r), "forward_backward") ? EC_GRAD_WEIGHT
                                                           : EC_UPDATE;
}

/* The image side of a run: given, or the network's own. */
static int64_t own_image(const struct ec_graph *g)
{
    const struct ec_shape *s = g->n_inputs ? &g->values[g->inputs[0]]->type.shape : NULL;

    return s && s->rank == 4 ? s->d[3] : 0;
}

/* The tokens of a run, likewise. */
static int64_t own_tokens(const struct ec_graph *g)
{
    const struct ec_type *t = g->n_inputs ? &g->values[g->inputs[0]]->type : NULL;

    return t && t->shape.rank == 2 && !ec_dtype_is_float(t->dtype) ? t->shape.d[1] : 0;
}

/* What one thread finds out of the runs: all of some steps, whose networks no other then opens. */
struct share {
    const struct reading *rd;
    const struct ec_run **counted; /* of each step its first run; of all threads */
    int first, end;                /* steps */
    struct ec_predictor *p;
    enum ec_status st;
    struct ec_err err;
};

/* Work is that of a training step up to the last phase of the run: predictions ask for the same. A
 * table that says an optimizer without a name here is counted with the plainest one.
 * why  NULL: near names need not be sought */
static enum ec_status complexity(struct ec_predictor *p, const struct ec_record *asked,
                                 struct ec_run *r, struct ec_err *why)
{
    bool is_given = !r->record.foreign[EC_WORD_OPTIMIZER] || asked->usual_optimizer;
    const struct ec_graph *g = NULL;
    const struct ec_step *step = NULL;
    struct ec_predict_opts o;
    struct ec_totals t;

    ec_predict_opts_default(&o);
    o.batch = r->record.batch;
    o.image = r->record.image_px;
    o.seq_len = r->record.seq_len;
    o.cond.mode = EC_MODE_TRAINING_STEP;
    o.cond.optimizer = is_given ? asked->cond.optimizer : EC_OPT_sgd;
    EC_PASS(ec_predict_opts_job(r->record.job, &o, why)); /* its adapters, where it has any */
    EC_PASS(ec_predictor_network(p, r->record.what, &o, &g, &step, why));
    if (!r->record.image_px)
        r->record.image_px = own_image(g);
    if (!r->record.seq_len)
        r->record.seq_len = own_tokens(g);
    ec_cost_step(g, step, ec_precision_word_bytes(ec_run_precision(r)), &t);
    ec__run_count(r, &t, last_phase(r));
    return EC_OK;
}

/* Predicts a run. Sizes that its table does not give stay those of the network, whose step is
 * there. Errors: NOMEM; what cannot be predicted has no prediction */
static enum ec_status predict(struct share *s, const struct ec_record *asked, struct ec_run *r)
{
    struct ec_predict_opts o;
    struct ec_prediction p;
    const struct ec_device *d = NULL;
    enum ec_status st;
    bool ok;

    /* with a batch of all devices, how they share the network is not known */
    if (strstr(r->record.flags, "global_batch") ||
        (ec_device_find(r->record.device, &d, NULL) && ec_device_find(r->env, &d, NULL)))
        return EC_OK;
    if (ec_record_opts(asked, &o, NULL))
        return EC_OK;
    if (ec_host_feeds(d))
        o.host = s->rd->q->host;
    st = ec_predict_try(s->p, r->record.what, ec_device_key(d), &o, &p, &ok, &s->err);
    if (st || !ok)
        return st;
    r->predicted_ns = p.step_time_ns.p50;
    r->limit = ec_limit_name(p.limit);
    r->needed_bytes = p.has_memory ? p.memory_peak_bytes.p50 : 0;
    r->most_bytes = p.has_memory ? p.memory_peak_bytes.p95 : 0;
    r->device_bytes = ec_device_usable_bytes(d);
    return EC_OK;
}

/* The same network at the same batch is counted once. */
static enum ec_status enrich_run(struct share *s, struct ec_run *v, const struct ec_run **counted)
{
    const struct ec_run *same;
    struct ec_record asked;
    enum ec_status st;

    EC_PASS(ec__run_asked(s->p, &v->record, &asked, &s->err));
    peaks(v);
    if (!*counted) {
        st = complexity(s->p, &asked, v, NULL);
        if (st == EC_E_NOMEM)
            return ec_nomem(&s->err);
        v->unknown = st == EC_E_NOT_FOUND;
        v->uncounted = st ? ec_status_name(st) : v->uncounted;
        *counted = v;
    }
    same = *counted;
    v->params = same->params;
    v->flop = same->flop;
    v->bytes = same->bytes;
    v->unknown = same->unknown;
    v->uncounted = same->uncounted;
    v->record.image_px = same->record.image_px;
    v->record.seq_len = same->record.seq_len;
    return s->rd->q->predict && !v->unknown ? predict(s, &asked, v) : EC_OK;
}

static void enrich_share(void *ctx, int at)
{
    struct share *s = (struct share *)ctx + at;
    struct ec_runs *runs = s->rd->runs;
    const int *step = s->rd->step;
    int i;

    s->st = ec_predictor_new(&s->p, &s->err);
    for (i = s->rd->first; i < runs->n && !s->st; i++, step++)
        if (*step >= s->first && *step < s->end)
            s->st = enrich_run(s, &runs->v[i], &s->counted[*step]);
    ec_predictor_free(s->p);
}

/* Near names are sought for networks that a note may name, not for each of thousands. */
static enum ec_status tell_uncounted(struct reading *rd, const struct ec_run *const *counted)
{
    struct ec_run *v = rd->runs->v + rd->first;
    int n = rd->runs->n - rd->first, told = 0, i;

    for (i = 0; i < n; i++, v++) {
        const struct ec_run *same = counted[rd->step[i]];
        struct ec_err why = { 0 };

        if (*same->uncounted && same == v && told++ < UNCOUNTED_TOLD) {
            if (complexity(rd->p, &v->record, v, &why) == EC_E_NOMEM)
                return ec_nomem(rd->err);
            v->uncounted = ec_arena_str(&rd->runs->arena, why.text);
            EC_PASS(ec_allocated(v->uncounted, rd->err));
        }
        v->uncounted = same->uncounted;
        v->flop *= ec__run_batch_share(v);
        v->bytes *= ec__run_batch_share(v);
    }
    return EC_OK;
}

static enum ec_status enrich(struct reading *rd)
{
    int n = rd->runs->n - rd->first, n_shares, i;
    struct share shares[THREADS_MOST];
    const struct ec_run **counted;
    enum ec_status st = EC_OK;

    counted = ec_alloc(sizeof *counted * ((size_t)rd->n_steps + 1));
    EC_PASS(ec_allocated(counted, rd->err));
    n_shares = (int)fmin((double)sysconf(_SC_NPROCESSORS_ONLN), THREADS_MOST);
    if (n_shares > n / THREAD_RUNS)
        n_shares = n / THREAD_RUNS;
    if (n_shares < 1)
        n_shares = 1;
    for (i = 0; i < n_shares; i++)
        shares[i] = (struct share){ .rd = rd,
                                    .counted = counted,
                                    .first = (int)((int64_t)rd->n_steps * i / n_shares + 1),
                                    .end = (int)((int64_t)rd->n_steps * (i + 1) / n_shares + 1) };
    ec_each(n_shares, n_shares, enrich_share, shares);
    for (i = 0; i < n_shares; i++)
        if (shares[i].st)
            EC_TRY(ec_fail(rd->err, shares[i].st, "%s", shares[i].err.text));
    EC_TRY(tell_uncounted(rd, counted));
out:
    ec_free((void *)counted);
    return st;
}

/* Runs that joined another, and readings by other clocks. */
static enum ec_status note_joined(const struct reading *rd)
{
    struct ec_runs *runs = rd->runs;

    if (rd->n_repeats)
        EC_PASS(
            ec_strs_add(&runs->notes, &runs->arena, rd->err,
                        "%d repeated runs are in the row of their configuration: n is the number "
                        "of its runs, and the spread is between them",
                        rd->n_repeats));
    if (rd->n_second)
        EC_PASS(ec_strs_add(&runs->notes, &runs->arena, rd->err,
                            "%d further readings of runs already there were left out",
                            rd->n_second));
    return EC_OK;
}

/* Slow beginnings, and networks that are not counted. Rows of the runs alone are kept for what is
 * asked of them next. */
static enum ec_status note_others(struct reading *rd)
{
    struct ec_runs *runs = rd->runs;
    struct ec__query own = { 0 }, *q = &own;
    enum ec_status st;

    EC_TRY(rd->first ? ec__runs_views(runs->v + rd->first, runs->n - rd->first, q, rd->err)
                     : ec__runs_query(runs, &q, rd->err));
    st = ec__query_say(q, "SELECT * FROM starts_note; SELECT * FROM uncounted_notes", &runs->arena,
                       &runs->notes, rd->err);
out:
    ec__query_close(&own);
    return st;
}

/* Processes on one processor share it: they are no devices of their own. */
static bool is_accelerator(const char *device)
{
    const struct ec_device *d = NULL;

    return !ec_device_find(device, &d, NULL) && d->kind != EC_DEV_CPU;
}

enum ec_status ec_runs_measured(struct ec_store *s, const struct ec_runs_query *q,
                                struct ec_runs *ret, struct ec_err *err)
{
    struct ec_store_query what = { .device = q->device, .network = q->network, .kind = "network" };
    struct reading rd = { .s = s, .q = q, .runs = ret, .first = ret->n, .err = err };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    int n_ddp = 0;
    bool ddp;
    enum ec_status st;

    ec__runs_changed(ret);
    EC_TRY(ec_store_select(s, &what, &rows, err));
    for (;;) {
        EC_TRY(ec_store_next(rows, &row, err));
        if (!row)
            break;
        if (!step_mode(ec_record_word(&row->r, EC_WORD_MODE)))
            continue;
        ddp = ec_str_eq(row->r.source.mapping, "campaign-parallel") &&
              ec_str_eq(row->r.method, "whole");
        ddp |= row->r.num_devices > 1 && !is_accelerator(row->r.device);
        if (ddp && !q->processes) {
            n_ddp++;
            continue;
        }
        EC_TRY(is_ok(&row->r) ? add_row(&rd, row) : add_left(&rd, row));
        if (q->bare && ret->n)
            break;
    }
    if (q->bare)
        goto out;
    if (ret->n > rd.first)
        EC_TRY(arrange(&rd));
    if (ret->n_left)
        EC_TRY(arrange_left(ret, err));
    EC_TRY(note_joined(&rd));
    if (n_ddp)
        EC_TRY(ec_strs_add(&ret->notes, &ret->arena, err,
                           "%d rows of processes that share a processor are left out: `epochcast "
                           "analyse` shows them",
                           n_ddp));
    EC_TRY(ec_predictor_new(&rd.p, err));
    if (q->predict)
        EC_TRY(ec__runs_judge_left(rd.p, ret, err));
    if (ret->n > rd.first) {
        EC_TRY(enrich(&rd));
        EC_TRY(note_others(&rd));
    }
out:
    ec_store_rows_free(rows);
    ec_predictor_free(rd.p);
    ec_free(rd.step);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Ceilings */

/* A copy reads and writes its bytes each. */
static void add_ceiling(const struct ec_stored *row, struct ec__query *q)
{
    double ns = row->r.time.ns, flop, bytes;

    ec_ceiling_work(row->r.what, &flop, &bytes);
    if (!(ns > 0))
        return;
    ec__query_text(q, catalogue_key(row->r.device));
    ec__query_text(q, ec_str_starts(row->r.what, "fma ")
                          ? "fp32"
                          : ec_record_word(&row->r, EC_WORD_PRECISION));
    ec__query_num(q, 1e9 * flop / ns);
    ec__query_num(q, bytes);
    ec__query_num(q, 2e9 * bytes / ns);
}

/* A device without a specification in the catalogue has the measured roofs. */
static enum ec_status measured_roofs(struct ec_runs *r, struct ec_err *err)
{
    const char *told = "";
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n && !st; i++) {
        struct ec_run *v = &r->v[i];

        if (v->peak_flop_per_s > 0 || !(v->ceiling_flop_per_s > 0))
            continue;
        v->peak_flop_per_s = v->ceiling_flop_per_s;
        if (!(v->memory_bytes_per_s > 0))
            v->memory_bytes_per_s = v->ceiling_bytes_per_s;
        if (!ec_str_eq(told, v->record.device))
            st = ec_strs_add(&r->notes, &r->arena, err,
                             "the peaks of %s are measured: no datasheet of it is in the catalogue",
                             v->record.device);
        told = v->record.device;
    }
    return st;
}

enum ec_status ec_runs_ceilings(struct ec_store *s, struct ec_runs *r, struct ec_err *err)
{
    struct ec_store_query what = { .kind = "ceiling", .only_ok = true };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    struct ec__query q = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec_store_select(s, &what, &rows, err));
    EC_TRY(ec_store_next(rows, &row, err));
    if (!row)
        goto out;
    ec__runs_changed(r);
    EC_TRY(ec__runs_views(r->v, r->n, &q, err));
    ec__query_into(&q, "ceiling", "device precision flop_per_s bytes bytes_per_s");
    while (row) {
        add_ceiling(row, &q);
        EC_TRY(ec_store_next(rows, &row, err));
    }
    ec__query_ask(&q, "SELECT * FROM roofs");
    for (i = 0; ec__query_next(&q); i++) {
        double flop_per_s = ec__query_cell(&q, 0), bytes_per_s = ec__query_cell(&q, 1);

        if (flop_per_s > 0)
            r->v[i].ceiling_flop_per_s = fmax(r->v[i].ceiling_flop_per_s, flop_per_s);
        if (bytes_per_s > 0)
            r->v[i].ceiling_bytes_per_s = bytes_per_s;
    }
    EC_TRY(ec__query_status(&q, err));
    EC_TRY(measured_roofs(r, err));
out:
    ec__query_close(&q);
    ec_store_rows_free(rows);
    return st;
}
