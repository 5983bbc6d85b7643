/* Reads measured runs from a store: statistics of samples, work, and the device's peaks. */
#include "report/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"
#include "report/runs_internal.h"

struct reading {
    struct ec_store *s;
    const struct ec_runs_query *q;
    struct ec_predictor *p;
    struct ec_runs *runs;
    int n_second;      /* further readings of runs that have one */
    int n_slow_starts; /* runs whose first iteration took more than twice the median */
    double slowest_start;
    struct ec_err *err;
};

static void say_left_out(const char *file, const struct ec_store_counts *c, struct ec_buf *out)
{
    int i;

    for (i = 0; i < EC_STORE_WHY_MAX && i < c->left_out; i++)
        ec_buf_printf(out, "%s: left out: %s\n", file, c->why[i]);
    if (c->left_out > EC_STORE_WHY_MAX)
        ec_buf_printf(out, "%s: left out: %lld more\n", file,
                      (long long)(c->left_out - EC_STORE_WHY_MAX));
}

enum ec_status ec_runs_store(const char *const *files, int n, const struct ec_store_import *how,
                             struct ec_store **ret, struct ec_buf *ret_left_out, struct ec_err *err)
{
    struct ec_store_counts counts;
    struct ec_store *s = NULL;
    enum ec_status st;
    int i;

    EC_TRY(ec_store_open(":memory:", 0, &s, err));
    for (i = 0; i < n; i++) {
        EC_TRY(ec_store_import(s, files[i], how, &counts, err));
        if (counts.left_out && counts.left_out == counts.rows)
            EC_TRY(ec_fail(err, EC_E_PARSE, "%.200s: no row can be used: %.250s", files[i],
                           counts.why[0]));
        if (ret_left_out)
            say_left_out(files[i], &counts, ret_left_out);
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

    if (!sorted)
        return ec_nomem(err);
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
    if (!ns)
        EC_TRY(ec_nomem(rd->err));
    for (i = 0; i < n; i++) {
        int64_t t = samples[i].host_ns > 0 ? samples[i].host_ns : samples[i].device_ns;

        if (t > 0 && i >= rd->q->skip)
            ns[kept++] = (double)t;
    }
    if (kept) {
        EC_TRY(sample_statistics(r, ns, kept, rd->err));
        if (kept > 2 && ns[0] > 2 * r->median_ns) {
            rd->n_slow_starts++;
            rd->slowest_start = fmax(rd->slowest_start, ns[0] / r->median_ns);
        }
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

static bool same_step(const struct ec_run *a, const struct ec_run *b)
{
    return ec_record_same_words(&a->record, &b->record) &&
           ec_str_eq(a->record.what, b->record.what) && a->record.batch == b->record.batch &&
           a->record.image_px == b->record.image_px && a->record.seq_len == b->record.seq_len;
}

/* Whether batches were loaded beside the steps, which takes time of its own. */
static bool loads_data(const struct ec_run *r)
{
    return strstr(r->record.flags, "data_loading") != NULL;
}

static bool same_place(const struct ec_run *a, const struct ec_run *b)
{
    return ec_str_eq(a->env, b->env) && ec_str_eq(a->record.device, b->record.device) &&
           a->record.threads == b->record.threads && a->record.num_devices == b->record.num_devices;
}

/* Skips a second clock of the same run: the first column of its mapping is the better one. */
static bool second_reading(const struct ec_runs *runs, const struct ec_run *r)
{
    int i;

    for (i = 0; i < runs->n; i++)
        if (same_step(&runs->v[i], r) && same_place(&runs->v[i], r) &&
            loads_data(&runs->v[i]) == loads_data(r))
            return true;
    return false;
}

/* The environment: its name, device, framework, threads, data, as far as they differ; and several
 * devices. */
static enum ec_status part_environments(struct ec_runs *runs, int first, struct ec_err *err)
{
    const char **env = ec_alloc(sizeof *env * (size_t)(runs->n + 1));
    enum ec_status st = env ? EC_OK : ec_nomem(err);
    int i, k;

    for (i = first; i < runs->n && !st; i++) {
        const struct ec_run *r = &runs->v[i];
        bool frameworks = false, threads = false, data = false, devices = false;

        for (k = first; k < runs->n; k++)
            if (ec_str_eq(runs->v[k].env, r->env)) {
                frameworks |= !ec_str_eq(ec_record_word(&runs->v[k].record, EC_WORD_FRAMEWORK),
                                         ec_record_word(&r->record, EC_WORD_FRAMEWORK));
                threads |= runs->v[k].record.threads != r->record.threads;
                data |= loads_data(&runs->v[k]) != loads_data(r);
                devices |= !ec_str_eq(runs->v[k].record.device, r->record.device);
            }
        env[i] = r->env;
        if (devices && *r->record.device)
            env[i] = ec_arena_printf(&runs->arena, "%s, %s", env[i], r->record.device);
        if (frameworks && env[i] && *ec_record_word(&r->record, EC_WORD_FRAMEWORK))
            env[i] = ec_arena_printf(&runs->arena, "%s, %s", env[i],
                                     ec_record_word(&r->record, EC_WORD_FRAMEWORK));
        if (threads && r->record.threads && env[i])
            env[i] =
                ec_arena_printf(&runs->arena, "%s, %lld thread%s", env[i],
                                (long long)r->record.threads, r->record.threads == 1 ? "" : "s");
        if (r->record.num_devices > 1 && env[i])
            env[i] = ec_arena_printf(&runs->arena, "%s, %lld devices", env[i],
                                     (long long)r->record.num_devices);
        if (data && loads_data(r) && env[i])
            env[i] = ec_arena_printf(&runs->arena, "%s, loading data", env[i]);
        if (!env[i])
            st = ec_nomem(err);
    }
    for (i = first; i < runs->n && !st; i++)
        runs->v[i].env = env[i];
    ec_free(env);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Order of runs: a campaign measures in random order */

struct place {
    int env, model, index;
    struct ec_run v;
};

static int first_with(const struct ec_runs *runs, int i, bool model)
{
    int k;

    for (k = 0; k < i; k++)
        if (model ? ec_str_eq(runs->v[k].record.what, runs->v[i].record.what)
                  : ec_str_eq(runs->v[k].env, runs->v[i].env))
            break;
    return k;
}

static int by_query(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int words;

    if (p->env != q->env)
        return p->env - q->env;
    if (p->model != q->model)
        return p->model - q->model;
    words = strcmp(ec_run_mode(&q->v), ec_run_mode(&p->v)); /* training_step first */
    words = words ? words : strcmp(ec_run_precision(&p->v), ec_run_precision(&q->v));
    if (words)
        return words;
    if (p->v.record.batch != q->v.record.batch)
        return p->v.record.batch < q->v.record.batch ? -1 : 1;
    return p->index - q->index;
}

static enum ec_status sort_runs(struct ec_runs *runs, int first, struct ec_err *err)
{
    struct place *v = ec_alloc(sizeof *v * (size_t)(runs->n + 1));
    int i;

    if (!v)
        return ec_nomem(err);
    for (i = first; i < runs->n; i++)
        v[i] =
            (struct place){ first_with(runs, i, false), first_with(runs, i, true), i, runs->v[i] };
    qsort(v + first, (size_t)(runs->n - first), sizeof *v, by_query);
    for (i = first; i < runs->n; i++)
        runs->v[i] = v[i].v;
    ec_free(v);
    return EC_OK;
}

static enum ec_status add_row(struct reading *rd, const struct ec_stored *row)
{
    struct ec_run r = ec__run_blank();
    enum ec_status st;

    r.measured = true;
    r.id = row->id;
    EC_TRY(describe(rd, row, &r));
    if (row->r.memory_peak_bytes > 0)
        r.memory_peak_bytes = row->r.memory_peak_bytes;
    if (second_reading(rd->runs, &r)) {
        rd->n_second++;
        return EC_OK;
    }
    EC_TRY(statistics(rd, row, &r));
    if (!isfinite(r.median_ns) || r.record.batch <= 0)
        return EC_OK;
    EC_TRY(ec_grow(&rd->runs->v, &rd->runs->cap, rd->runs->n + 1, sizeof *rd->runs->v, rd->err));
    rd->runs->v[rd->runs->n++] = r;
out:
    return st;
}

/* Whether a row has a time or a peak of memory that counts. */
static bool is_ok(const struct ec_record *r)
{
    return ec_str_eq(r->outcome, "ok") &&
           ((r->time.known && r->time.ns > 0) || r->memory_peak_bytes > 0);
}

/* Rows of sources without a figure are no runs; two clocks of a run are one. */
static bool leaves_trace(const struct ec_runs *runs, const struct ec_run *r)
{
    int i;

    if (ec_str_eq(r->record.outcome, "ok") || strstr(r->record.flags, "no_time") ||
        r->record.batch <= 0)
        return false;
    for (i = 0; i < runs->n_left; i++) {
        const struct ec_run_left *l = &runs->left[i];
        const struct ec_run same = { .record = l->record, .env = l->env };

        if (same_step(&same, r) && same_place(&same, r))
            return false;
    }
    return true;
}

/* A run that has no time of its own. */
static enum ec_status add_left(struct reading *rd, const struct ec_stored *row)
{
    struct ec_runs *runs = rd->runs;
    struct ec_run r = ec__run_blank();
    enum ec_status st;

    r.record.kind = row->r.kind;
    r.record.outcome = row->r.outcome;
    EC_TRY(describe(rd, row, &r));
    if (r.record.num_devices > 1)
        r.env = ec_arena_printf(&runs->arena, "%s, %lld devices", r.env,
                                (long long)r.record.num_devices);
    if (!r.env)
        EC_TRY(ec_nomem(rd->err));
    if (!leaves_trace(runs, &r))
        return EC_OK;
    EC_TRY(ec_grow(&runs->left, &runs->cap_left, runs->n_left + 1, sizeof *runs->left, rd->err));
    runs->left[runs->n_left++] = (struct ec_run_left){ .record = r.record, .env = r.env };
out:
    return st;
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

/* A table that does not say, or says another, is counted with the plainest one. */
static enum ec_optimizer optimizer_of(const struct ec_record *r)
{
    return r->foreign[EC_WORD_OPTIMIZER] ? EC_OPT_sgd : r->cond.optimizer;
}

/* Once for all rows of a network. */
static enum ec_status note_uncounted(const struct reading *rd, const char *what, const char *why)
{
    struct ec_strs *notes = &rd->runs->notes;
    int n = notes->n, i;
    enum ec_status st =
        ec_strs_add(notes, &rd->runs->arena, rd->err, "%s" EC__UNCOUNTED "%s", what, why);

    for (i = 0; !st && i < n; i++)
        if (ec_str_eq(notes->v[i], notes->v[n]))
            notes->n = n;
    return st;
}

static enum ec_status complexity(struct reading *rd, struct ec_run *r)
{
    struct ec_graph_opts o = { .struct_size = sizeof o,
                               .batch = r->record.batch,
                               .image_px = r->record.image_px,
                               .seq_len = r->record.seq_len };
    struct ec_graph *g = NULL;
    struct ec_totals t;
    struct ec_err why = { 0 };
    enum ec_status st;

    st = ec_graph_open(r->record.what, &o, &g, &why);
    if (st == EC_E_NOMEM)
        return ec_nomem(rd->err);
    if (st) {
        r->unknown = why.status == EC_E_NOT_FOUND;
        return note_uncounted(rd, r->record.what, why.text);
    }
    if (!r->record.image_px)
        r->record.image_px = own_image(g);
    if (!r->record.seq_len)
        r->record.seq_len = own_tokens(g);
    EC_TRY(ec_cost_graph(g, optimizer_of(&r->record), ec_precision_word_bytes(ec_run_precision(r)),
                         &t, NULL, rd->err));
    ec__run_count(r, &t, last_phase(r));
out:
    ec_graph_free(g);
    return st;
}

/* Predicts a run; what fails stays unknown, so that the analysis continues. */
/* Errors: NOMEM; what cannot be predicted has no prediction */
static enum ec_status predict(struct reading *rd, struct ec_run *r)
{
    struct ec_record query = r->record;
    struct ec_predict_opts o;
    struct ec_prediction p;
    const struct ec_device *d = NULL;
    enum ec_status st;
    bool ok;

    if (ec_device_find(r->record.device, &d, NULL) && ec_device_find(r->env, &d, NULL))
        return EC_OK;
    if (ec_str_eq(ec_run_mode(r), "inference"))
        ec_record_set_word(&query, EC_WORD_MODE, "forward");
    ec_record_default(&query);
    if (ec_record_opts(&query, &o, NULL))
        return EC_OK;
    if (ec_host_feeds(d))
        o.host = rd->q->host;
    st = ec_predict_try(rd->p, r->record.what, ec_device_key(d), &o, &p, &ok, rd->err);
    if (st || !ok)
        return st;
    r->predicted_ns = p.step_time_ns.p50;
    r->limit = ec_limit_name(p.limit);
    return EC_OK;
}

static enum ec_status enrich(struct reading *rd)
{
    enum ec_status st = EC_OK;
    int i, k;

    for (i = 0; i < rd->runs->n && !st; i++) {
        struct ec_run *r = &rd->runs->v[i];

        peaks(r);
        for (k = 0; k < i; k++) { /* the same network at the same batch counts the same */
            if (same_step(&rd->runs->v[k], r))
                break;
        }
        if (k < i) {
            r->params = rd->runs->v[k].params;
            r->flop = rd->runs->v[k].flop;
            r->bytes = rd->runs->v[k].bytes;
            r->unknown = rd->runs->v[k].unknown;
        } else {
            st = complexity(rd, r);
        }
        if (!st && rd->p)
            st = predict(rd, r);
    }
    return st;
}

/* Processes on one processor share it: they are no devices of their own. */
static bool is_gpu(const char *device)
{
    const struct ec_device *d = NULL;

    return !ec_device_find(device, &d, NULL) && ec_host_feeds(d);
}

enum ec_status ec_runs_measured(struct ec_store *s, const struct ec_runs_query *q,
                                struct ec_runs *ret, struct ec_err *err)
{
    struct ec_store_query what = { .device = q->device, .network = q->network, .kind = "network" };
    struct reading rd = { .s = s, .q = q, .runs = ret, .err = err };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    char times[32];
    int first = ret->n; /* the first ones are predictions */
    int n_ddp = 0;
    bool ddp;
    enum ec_status st;

    EC_TRY(ec_store_select(s, &what, &rows, err));
    for (;;) {
        EC_TRY(ec_store_next(rows, &row, err));
        if (!row)
            break;
        if (!step_mode(ec_record_word(&row->r, EC_WORD_MODE)))
            continue;
        ddp = ec_str_eq(row->r.source.mapping, "campaign-parallel") &&
              ec_str_eq(row->r.method, "whole");
        n_ddp += ddp;
        if (ddp || (row->r.num_devices > 1 && !is_gpu(row->r.device)))
            continue;
        EC_TRY(is_ok(&row->r) ? add_row(&rd, row) : add_left(&rd, row));
    }
    EC_TRY(part_environments(ret, first, err));
    EC_TRY(sort_runs(ret, first, err));
    if (rd.n_second)
        EC_TRY(ec_strs_add(&ret->notes, &ret->arena, err,
                           "%d further readings of runs already there were left out", rd.n_second));
    if (n_ddp)
        EC_TRY(ec_strs_add(&ret->notes, &ret->arena, err,
                           "%d rows of `epochcast measure ddp`, in whose steps data are made, are "
                           "left out",
                           n_ddp));
    if (rd.n_slow_starts)
        EC_TRY(ec_strs_add(&ret->notes, &ret->arena, err,
                           "the first iteration of %d run%s took up to %s times the median; "
                           "--skip leaves it out",
                           rd.n_slow_starts, rd.n_slow_starts == 1 ? "" : "s",
                           ec_fmt_times(times, sizeof times, rd.slowest_start)));
    if (q->predict)
        EC_TRY(ec_predictor_new(&rd.p, err));
    EC_TRY(enrich(&rd));
    if (rd.p)
        EC_TRY(ec__runs_judge_left(rd.p, ret, err));
out:
    ec_store_rows_free(rows);
    ec_predictor_free(rd.p);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Ceilings */

static double attribute(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    struct ec_span rest, word;
    double v;

    if (!at)
        return (double)NAN;
    rest = ec_span_of(at + strlen(name));
    return ec_span_cut(&rest, ' ', &word) && ec_parse_double(word, &v) ? v : (double)NAN;
}

/* Rates of ceilings. `gemm m= n= k=` is 2 m n k FLOP, `fma flop=` its number. `copy bytes=` reads
 * and writes so many bytes each; only the largest counts, as caches hold smaller ones. */
static void take_ceiling(const struct ec_stored *row, struct ec_run *r, double *largest_copy)
{
    const char *what = row->r.what, *p = ec_record_word(&row->r, EC_WORD_PRECISION);
    double ns = row->r.time.ns, rate, bytes;

    if (!(ns > 0) || !ec_str_eq(catalogue_key(row->r.device), r->record.device))
        return;
    if (ec_str_starts(what, "gemm ") && (!*p || ec_str_eq(p, ec_run_precision(r)))) {
        rate = 2e9 * attribute(what, " m=") * attribute(what, " n=") * attribute(what, " k=") / ns;
        if (rate > 0)
            r->ceiling_flop_per_s = fmax(r->ceiling_flop_per_s, rate);
    } else if (ec_str_starts(what, "fma ") && ec_str_eq(ec_run_precision(r), "fp32")) {
        rate = 1e9 * attribute(what, " flop=") / ns;
        if (rate > 0)
            r->ceiling_flop_per_s = fmax(r->ceiling_flop_per_s, rate);
    } else if (ec_str_starts(what, "copy ")) {
        bytes = attribute(what, " bytes=");
        rate = 2e9 * bytes / ns;
        if (!(rate > 0) || bytes < *largest_copy)
            return;
        r->ceiling_bytes_per_s = bytes > *largest_copy ? rate : fmax(r->ceiling_bytes_per_s, rate);
        *largest_copy = bytes;
    }
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
    double *largest_copy = ec_alloc(sizeof *largest_copy * (size_t)(r->n + 1));
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    enum ec_status st;
    int i;

    if (!largest_copy)
        return ec_nomem(err);
    EC_TRY(ec_store_select(s, &what, &rows, err));
    for (;;) {
        EC_TRY(ec_store_next(rows, &row, err));
        if (!row)
            break;
        for (i = 0; i < r->n; i++)
            take_ceiling(row, &r->v[i], &largest_copy[i]);
    }
    EC_TRY(measured_roofs(r, err));
out:
    ec_free(largest_copy);
    ec_store_rows_free(rows);
    return st;
}
