/* Reads measured runs from a store: statistics of samples, work, and the device's peaks. */
#include "report/runs.h"

#include <math.h>
#include <string.h>

#include "report/report_internal.h"
#include "report/runs_internal.h"

enum { UNCOUNTED_SAID = 8, UNCOUNTED_TOLD = 100 }; /* notes on networks that are not counted */
enum { COPY_SAMPLES = 5 };                         /* fewer may agree by chance */
enum { DRIFT_STEPS = 8 };                          /* fewest of a third of a run */

struct reading {
    struct ec_store *s;
    const struct ec_runs_query *q;
    struct ec_predictor *p;
    struct ec_runs *runs;
    struct ec_err *err;
    int n_uncounted;
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
    struct ec_err why = { .status = EC_OK };
    enum ec_status st;
    int i, n_passed = 0;

    EC_TRY(ec_store_open(":memory:", 0, &s, err));
    for (i = 0; i < n; i++) {
        st = ec_store_import(s, files[i], how, &counts, &why);
        if (st && how && how->pass_over && ret_left_out && ++n_passed < n) {
            ec_buf_printf(ret_left_out, "left out %s\n", why.text);
            st = EC_OK;
            continue;
        }
        if (st)
            EC_TRY(ec_fail(err, st, "%.400s", why.text));
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
    if (!ns)
        EC_TRY(ec_nomem(rd->err));
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

/* The same run but for its clock: the first column of a mapping is the better one. */
#define SAME_RUN                                                                                   \
    (EC__BY_STEP | EC__BY_ENV | EC__BY_DEVICE | EC__BY_THREADS | EC__BY_NUM_DEVICES |              \
     EC__BY_LOADING | EC__BY_OUTCOME)

/* Whether two readings of a run are of one clock: then they are two runs of one configuration. */
static bool same_clock(const struct ec_run *a, const struct ec_run *b)
{
    return ec_str_eq(a->record.reading, b->record.reading) &&
           ec_str_eq(a->record.method, b->record.method) && isfinite(a->median_ns) &&
           isfinite(b->median_ns);
}

/* Runs of one configuration become one, whose samples are their medians; of other clocks the first
 * is kept. Adds the numbers of runs that joined another, and of readings that were left out. */
static enum ec_status join_runs(struct ec_run *v, int *n, int *repeats, int *left,
                                struct ec_err *err)
{
    double *ns = ec_alloc(sizeof *ns * ((size_t)*n + 1));
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i, k, n_same;

    if (!ns)
        EC_TRY(ec_nomem(err));
    EC_TRY(ec__runs_group(v, *n, SAME_RUN, &g, err));
    for (i = 0; i < g.n; i++) {
        struct ec_run one = v[ec_group_first(&g, i)];

        for (n_same = 0, k = g.begin[i]; k < g.begin[i + 1]; k++)
            if (same_clock(&v[g.item[k]], &one))
                ns[n_same++] = v[g.item[k]].median_ns;
        *left += ec_group_size(&g, i) - (n_same ? n_same : 1);
        if (n_same > 1) {
            EC_TRY(sample_statistics(&one, ns, n_same, err));
            one.repeats = n_same;
            one.first_ns = one.median_ns;
            one.steady_std_frac = one.drift_ratio = 0;
            *repeats += n_same - 1;
        }
        v[i] = one;
    }
    *n = g.n;
out:
    ec_groups_clear(&g);
    ec_free(ns);
    return st;
}

/* By their samples, where these are enough to tell runs apart. */
static int by_samples(const void *user, int a, int b)
{
    const struct ec_run *v = user, *x = &v[a], *y = &v[b];
    const double of[][2] = {
        {x->n,                     y->n                   },
        { x->mean_ns,              y->mean_ns             },
        { x->std_ns,               y->std_ns              },
        { x->first_ns,             y->first_ns            },
        { (double)x->record.batch, (double)y->record.batch},
    };
    bool few = !(x->n >= COPY_SAMPLES && x->std_ns > 0 && x->first_ns > 0);
    bool too = !(y->n >= COPY_SAMPLES && y->std_ns > 0 && y->first_ns > 0);
    int i;

    if (few || too)
        return few && too ? a - b : few - too;
    for (i = 0; i < EC_LEN(of); i++)
        if (of[i][0] != of[i][1])
            return of[i][0] < of[i][1] ? -1 : 1;
    return strcmp(x->record.what, y->record.what);
}

/* Of runs that agree sample for sample, as in a table that was made from others, the first stays.
 */
static enum ec_status drop_copies(struct ec_runs *runs, int first, struct ec_err *err)
{
    struct ec_run *v = runs->v + first;
    struct ec_groups g = { 0 };
    const struct ec_run *copy = NULL, *of = NULL;
    int n = runs->n - first, i;
    enum ec_status st;

    EC_TRY(ec_group(n, by_samples, v, &g, err));
    for (i = 0; i < g.n && !copy; i++)
        if (ec_group_size(&g, i) > 1) {
            of = &v[ec_group_first(&g, i)];
            copy = &v[g.item[g.begin[i] + 1]];
        }
    if (copy)
        EC_TRY(ec_strs_add(
            &runs->notes, &runs->arena, err,
            "%d run%s left out: other tables have the same samples (%s at batch %lld of %s is "
            "that of %s)",
            n - g.n, n - g.n == 1 ? " is" : "s are", copy->record.what,
            (long long)copy->record.batch, copy->env, of->env));
    for (i = 0; i < g.n; i++)
        v[i] = v[ec_group_first(&g, i)];
    runs->n = first + g.n;
out:
    ec_groups_clear(&g);
    return st;
}

/* The environment: its name and of device, framework, threads and data what is in `parts`; and
 * several devices. */
static const char *full_env(struct ec_runs *runs, const struct ec_run *r, unsigned parts)
{
    const char *env = r->env, *framework = ec_record_word(&r->record, EC_WORD_FRAMEWORK);

    if (parts & EC__BY_DEVICE && *r->record.device)
        env = ec_arena_printf(&runs->arena, "%s, %s", env, r->record.device);
    if (parts & EC__BY_FRAMEWORK && *framework && env)
        env = ec_arena_printf(&runs->arena, "%s, %s", env, framework);
    if (parts & EC__BY_THREADS && r->record.threads && env)
        env = ec_arena_printf(&runs->arena, "%s, %lld thread%s", env, (long long)r->record.threads,
                              r->record.threads == 1 ? "" : "s");
    if (r->record.num_devices > 1 && env)
        env = ec_arena_printf(&runs->arena, "%s, %lld devices", env,
                              (long long)r->record.num_devices);
    if (parts & EC__BY_LOADING && ec__run_loads_data(r) && env)
        env = ec_arena_printf(&runs->arena, "%s, loading data", env);
    return env;
}

static enum ec_status part_environments(struct ec_runs *runs, int first, struct ec_err *err)
{
    static const unsigned keys[] = { EC__BY_DEVICE, EC__BY_FRAMEWORK, EC__BY_THREADS,
                                     EC__BY_LOADING };
    struct ec_run *v = runs->v + first;
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i, k;

    EC_TRY(ec__runs_group(v, runs->n - first, EC__BY_ENV, &g, err));
    for (i = 0; i < g.n; i++) {
        unsigned parts = 0;

        for (k = 0; k < EC_LEN(keys); k++)
            parts |= ec__runs_vary(v, &g, i, keys[k]) ? keys[k] : 0;
        for (k = g.begin[i]; k < g.begin[i + 1]; k++) {
            struct ec_run *r = &v[g.item[k]];

            r->env = full_env(runs, r, parts);
            if (!r->env)
                EC_TRY(ec_nomem(err));
        }
    }
out:
    ec_groups_clear(&g);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Order of runs: a campaign measures in random order */

struct places {
    const struct ec_run *v;
    struct ec_groups envs, networks;
};

static int by_place(const void *user, int a, int b)
{
    const struct places *p = user;
    const struct ec_run *x = &p->v[a], *y = &p->v[b];
    int words;

    if (p->envs.of[a] != p->envs.of[b])
        return p->envs.of[a] - p->envs.of[b];
    if (p->networks.of[a] != p->networks.of[b])
        return p->networks.of[a] - p->networks.of[b];
    words = strcmp(ec_run_mode(y), ec_run_mode(x)); /* training_step first */
    words = words ? words : ec__run_compare(x, y, EC__BY_PRECISION);
    return words ? words : ec__run_compare(x, y, EC__BY_BATCH);
}

static enum ec_status sort_runs(struct ec_runs *runs, int first, struct ec_err *err)
{
    int n = runs->n - first, i;
    struct places p = { .v = runs->v + first };
    struct ec_run *sorted = ec_alloc(sizeof *sorted * ((size_t)n + 1));
    int *item = ec_alloc(sizeof *item * 2 * ((size_t)n + 1));
    enum ec_status st;

    if (!sorted || !item)
        EC_TRY(ec_nomem(err));
    EC_TRY(ec__runs_group(p.v, n, EC__BY_ENV, &p.envs, err));
    EC_TRY(ec__runs_group(p.v, n, EC__BY_NETWORK, &p.networks, err));
    for (i = 0; i < n; i++)
        item[i] = i;
    ec_sort_items(item, n, item + n + 1, by_place, &p);
    for (i = 0; i < n; i++)
        sorted[i] = p.v[item[i]];
    memcpy(runs->v + first, sorted, sizeof *sorted * (size_t)n);
out:
    ec_groups_clear(&p.envs);
    ec_groups_clear(&p.networks);
    ec_free(sorted);
    ec_free(item);
    return st;
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

/* A run that has no time of its own. Rows of sources without a figure are no runs. */
static enum ec_status add_left(struct reading *rd, const struct ec_stored *row)
{
    struct ec_runs *runs = rd->runs;
    struct ec_run r = ec__run_blank();
    enum ec_status st;

    r.record.kind = row->r.kind;
    r.record.outcome = row->r.outcome;
    EC_TRY(describe(rd, row, &r));
    r.env = full_env(runs, &r, 0);
    if (!r.env)
        EC_TRY(ec_nomem(rd->err));
    if (ec_str_eq(r.record.outcome, "ok") || strstr(r.record.flags, "no_time") ||
        r.record.batch <= 0)
        return EC_OK;
    EC_TRY(ec_grow(&runs->left, &runs->cap_left, runs->n_left + 1, sizeof *runs->left, rd->err));
    runs->left[runs->n_left++] = r;
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

/* The network of a run: that of the predictor, which will ask for it again, or one of its own. */
static enum ec_status open_network(struct reading *rd, const struct ec_run *r,
                                   const struct ec_graph **ret, struct ec_graph **ret_own,
                                   struct ec_err *err)
{
    const struct ec_graph_opts g = { .struct_size = sizeof g,
                                     .batch = r->record.batch,
                                     .image_px = r->record.image_px,
                                     .seq_len = r->record.seq_len };
    struct ec_predict_opts o;
    const struct ec_step *step = NULL;
    enum ec_status st;

    if (!rd->p) {
        st = ec_graph_open(r->record.what, &g, ret_own, err);
        *ret = *ret_own;
        return st;
    }
    ec_predict_opts_default(&o);
    o.batch = r->record.batch;
    o.image = r->record.image_px;
    o.seq_len = r->record.seq_len;
    o.cond = r->record.cond;
    return ec_predictor_network(rd->p, r->record.what, &o, ret, &step, err);
}

static enum ec_status complexity(struct reading *rd, struct ec_run *r)
{
    const struct ec_graph *g = NULL;
    struct ec_graph *own = NULL;
    struct ec_totals t;
    struct ec_err why = { 0 };
    enum ec_status st;

    /* near names are sought for networks that a note may name, not for each of thousands */
    st = open_network(rd, r, &g, &own, rd->n_uncounted < UNCOUNTED_TOLD ? &why : NULL);
    if (st == EC_E_NOMEM)
        return ec_nomem(rd->err);
    if (st) {
        r->unknown = st == EC_E_NOT_FOUND;
        r->uncounted = rd->n_uncounted++ < UNCOUNTED_TOLD ? ec_arena_str(&rd->runs->arena, why.text)
                                                          : ec_status_name(st);
        return r->uncounted ? EC_OK : ec_nomem(rd->err);
    }
    if (!r->record.image_px)
        r->record.image_px = own_image(g);
    if (!r->record.seq_len)
        r->record.seq_len = own_tokens(g);
    EC_TRY(ec_cost_graph(g, optimizer_of(&r->record), ec_precision_word_bytes(ec_run_precision(r)),
                         &t, NULL, rd->err));
    ec__run_count(r, &t, last_phase(r));
    r->flop *= ec__run_batch_share(r);
    r->bytes *= ec__run_batch_share(r);
out:
    ec_graph_free(own);
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

    if (ec__run_batch_share(r) < 1 || /* how the devices share the network is not known */
        (ec_device_find(r->record.device, &d, NULL) && ec_device_find(r->env, &d, NULL)))
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
    r->needed_bytes = p.has_memory ? p.memory_peak_bytes.p50 : 0;
    r->most_bytes = p.has_memory ? p.memory_peak_bytes.p95 : 0;
    r->device_bytes = ec_device_usable_bytes(d);
    return EC_OK;
}

/* The same network at the same batch is counted once. */
static enum ec_status enrich(struct reading *rd, int first)
{
    struct ec_groups steps = { 0 };
    enum ec_status st;
    struct ec_run *v;
    int n = rd->runs->n - first, i;

    if (!n)
        return EC_OK;
    v = rd->runs->v + first;
    EC_TRY(ec__runs_group(v, n, EC__BY_STEP, &steps, rd->err));
    for (i = 0; i < n; i++) {
        const struct ec_run *same = &v[ec_group_first(&steps, steps.of[i])];

        peaks(&v[i]);
        if (same == &v[i])
            EC_TRY(complexity(rd, &v[i]));
        v[i].params = same->params;
        v[i].flop = same->flop;
        v[i].bytes = same->bytes;
        v[i].unknown = same->unknown;
        v[i].uncounted = same->uncounted;
        v[i].record.image_px = same->record.image_px;
        v[i].record.seq_len = same->record.seq_len;
        if (rd->p && !v[i].unknown)
            EC_TRY(predict(rd, &v[i]));
    }
out:
    ec_groups_clear(&steps);
    return st;
}

/* Why networks are not counted: each once. */
static enum ec_status note_uncounted(struct ec_runs *runs, struct ec_err *err)
{
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i, n = 0;

    EC_TRY(ec__runs_group(runs->v, runs->n, EC__BY_NETWORK, &g, err));
    for (i = 0; i < g.n; i++) {
        const struct ec_run *v = &runs->v[ec_group_first(&g, i)];

        if (*v->uncounted && n++ < UNCOUNTED_SAID)
            EC_TRY(ec_strs_add(&runs->notes, &runs->arena, err, "%s is not counted: %s",
                               v->record.what, v->uncounted));
    }
    if (n > UNCOUNTED_SAID)
        EC_TRY(ec_strs_add(&runs->notes, &runs->arena, err, "%d further networks are not counted",
                           n - UNCOUNTED_SAID));
out:
    ec_groups_clear(&g);
    return st;
}

/* Runs that began slowly. */
static enum ec_status note_starts(struct ec_runs *runs, int first, struct ec_err *err)
{
    double slowest = 0;
    char times[32];
    int i, n = 0;

    for (i = first; i < runs->n; i++) {
        const struct ec_run *v = &runs->v[i];

        if (v->n <= 2 || !(v->first_ns > 2 * v->median_ns))
            continue;
        n++;
        slowest = fmax(slowest, v->first_ns / v->median_ns);
    }
    if (!n)
        return EC_OK;
    return ec_strs_add(&runs->notes, &runs->arena, err,
                       "the first iteration of %d run%s took up to %s times the median; --skip "
                       "leaves it out",
                       n, n == 1 ? "" : "s", ec_fmt_times(times, sizeof times, slowest));
}

/* Runs that joined another, and readings by other clocks. */
static enum ec_status note_joined(struct ec_runs *runs, int n_repeats, int n_second,
                                  struct ec_err *err)
{
    enum ec_status st = EC_OK;

    if (n_repeats)
        st = ec_strs_add(&runs->notes, &runs->arena, err,
                         "%d repeated runs are in the row of their configuration: n is the number "
                         "of its runs, and the spread is between them",
                         n_repeats);
    if (!st && n_second)
        st = ec_strs_add(&runs->notes, &runs->arena, err,
                         "%d further readings of runs already there were left out", n_second);
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
    struct reading rd = { .s = s, .q = q, .runs = ret, .err = err };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    int first = ret->n; /* the first ones are predictions */
    int n_ddp = 0, n_kept, n_repeats = 0, n_second = 0, n_second_left = 0;
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
        ddp |= row->r.num_devices > 1 && !is_accelerator(row->r.device);
        if (ddp && !q->processes) {
            n_ddp++;
            continue;
        }
        EC_TRY(is_ok(&row->r) ? add_row(&rd, row) : add_left(&rd, row));
    }
    if (ret->n > first)
        EC_TRY(drop_copies(ret, first, err));
    n_kept = ret->n - first;
    if (n_kept)
        EC_TRY(join_runs(ret->v + first, &n_kept, &n_repeats, &n_second, err));
    ret->n = first + n_kept;
    if (ret->n_left)
        EC_TRY(join_runs(ret->left, &ret->n_left, &n_repeats, &n_second_left, err));
    if (n_kept) {
        EC_TRY(part_environments(ret, first, err));
        EC_TRY(sort_runs(ret, first, err));
    }
    EC_TRY(note_joined(ret, n_repeats, n_second, err));
    if (n_ddp)
        EC_TRY(ec_strs_add(&ret->notes, &ret->arena, err,
                           "%d rows of processes that share a processor are left out: `epochcast "
                           "analyse` shows them",
                           n_ddp));
    EC_TRY(note_starts(ret, first, err));
    if (q->predict)
        EC_TRY(ec_predictor_new(&rd.p, err));
    if (!q->bare)
        EC_TRY(enrich(&rd, first));
    EC_TRY(note_uncounted(ret, err));
    if (rd.p)
        EC_TRY(ec__runs_judge_left(rd.p, ret, err));
out:
    ec_store_rows_free(rows);
    ec_predictor_free(rd.p);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Ceilings */

/* A ceiling as a run. A copy reads and writes its bytes each. */
static bool take_ceiling(const struct ec_stored *row, struct ec_run *ret)
{
    double ns = row->r.time.ns, flop, bytes;

    *ret = ec__run_blank();
    ret->record.device = catalogue_key(row->r.device);
    ec_record_set_word(
        &ret->record, EC_WORD_PRECISION,
        ec_str_starts(row->r.what, "fma ") ? "fp32" : ec_record_word(&row->r, EC_WORD_PRECISION));
    ec_ceiling_work(row->r.what, &flop, &bytes);
    if (flop > 0)
        ret->ceiling_flop_per_s = 1e9 * flop / ns;
    ret->bytes = bytes;
    if (bytes > 0)
        ret->ceiling_bytes_per_s = 2e9 * bytes / ns;
    return ns > 0 && (flop > 0 || bytes > 0);
}

/* Gives the runs of a group, which come before n, what is largest among its ceilings behind them.
 * Of copies only the largest counts, as caches hold smaller ones. */
static void share_ceilings(struct ec_run *v, int n, const struct ec_groups *g, int group,
                           bool is_precision)
{
    double flop_per_s = 0, copied = 0, bytes_per_s = 0;
    int i;

    for (i = g->begin[group]; i < g->begin[group + 1]; i++) {
        const struct ec_run *c = &v[g->item[i]];

        if (g->item[i] < n)
            continue;
        if (c->ceiling_flop_per_s > 0 && (is_precision || !*ec_run_precision(c)))
            flop_per_s = fmax(flop_per_s, c->ceiling_flop_per_s);
        if (!(c->ceiling_bytes_per_s > 0) || c->bytes < copied || is_precision)
            continue;
        bytes_per_s =
            c->bytes > copied ? c->ceiling_bytes_per_s : fmax(bytes_per_s, c->ceiling_bytes_per_s);
        copied = c->bytes;
    }
    for (i = g->begin[group]; i < g->begin[group + 1] && g->item[i] < n; i++) {
        struct ec_run *r = &v[g->item[i]];

        if (flop_per_s > 0)
            r->ceiling_flop_per_s = fmax(r->ceiling_flop_per_s, flop_per_s);
        if (bytes_per_s > 0)
            r->ceiling_bytes_per_s = bytes_per_s;
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
    static const unsigned keys[] = { EC__BY_DEVICE, EC__BY_DEVICE | EC__BY_PRECISION };
    struct ec_store_query what = { .kind = "ceiling", .only_ok = true };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    struct ec_groups g = { 0 };
    struct ec_run *v = NULL; /* the runs, and the ceilings behind them */
    int n = r->n, cap = 0, i, k;
    enum ec_status st;

    EC_TRY(ec_grow(&v, &cap, n + 1, sizeof *v, err));
    if (n)
        memcpy(v, r->v, sizeof *v * (size_t)n);
    EC_TRY(ec_store_select(s, &what, &rows, err));
    for (;;) {
        EC_TRY(ec_store_next(rows, &row, err));
        if (!row)
            break;
        EC_TRY(ec_grow(&v, &cap, n + 1, sizeof *v, err));
        if (take_ceiling(row, &v[n]))
            EC_TRY(ec_record_keep(&v[n++].record, &r->arena, err));
    }
    for (k = 0; k < EC_LEN(keys); k++) {
        ec_groups_clear(&g);
        EC_TRY(ec__runs_group(v, n, keys[k], &g, err));
        for (i = 0; i < g.n; i++)
            share_ceilings(v, r->n, &g, i, k > 0);
    }
    for (i = 0; i < r->n; i++) {
        r->v[i].ceiling_flop_per_s = v[i].ceiling_flop_per_s;
        r->v[i].ceiling_bytes_per_s = v[i].ceiling_bytes_per_s;
    }
    EC_TRY(measured_roofs(r, err));
out:
    ec_groups_clear(&g);
    ec_store_rows_free(rows);
    ec_free(v);
    return st;
}
