/* Runs as numbers and as a table. */
#include "report/report_internal.h"
#include "report/runs_internal.h"

#include <math.h>
#include <string.h>

void ec_runs_clear(struct ec_runs *r)
{
    if (!r)
        return;
    ec_free(r->v);
    ec_free(r->left);
    ec_arena_clear(&r->arena);
    memset(r, 0, sizeof *r);
}

struct ec_run ec__run_blank(void)
{
    double nan = (double)NAN;
    struct ec_run r = { .env = "",
                        .layer = "",
                        .limit = "",
                        .label = "",
                        .uncounted = "",
                        .mean_ns = nan,
                        .std_ns = nan,
                        .min_ns = nan,
                        .median_ns = nan,
                        .p95_ns = nan,
                        .max_ns = nan,
                        .predicted_ns = nan,
                        .rate_mean = nan,
                        .rate_std = nan,
                        .params = nan,
                        .flop = nan,
                        .bytes = nan,
                        .peak_flop_per_s = nan,
                        .memory_bytes_per_s = nan,
                        .ceiling_flop_per_s = nan,
                        .ceiling_bytes_per_s = nan,
                        .speedup = nan,
                        .scaling_frac = nan,
                        .device_scaling_frac = nan,
                        .memory_peak_bytes = nan };

    ec_record_init(&r.record);
    return r;
}

/* ------------------------------------------------------------------------------------------------
 * What follows from a run */

static double devices_of(const struct ec_run *r)
{
    return r->record.num_devices > 1 ? (double)r->record.num_devices : 1;
}

double ec__run_batch_share(const struct ec_run *r)
{
    return strstr(r->record.flags, "global_batch") ? 1 / devices_of(r) : 1;
}

/* Samples per second for a number of steps per second. */
static double of_batch(const struct ec_run *r, double steps_per_s)
{
    double devices = devices_of(r) * ec__run_batch_share(r);

    return *r->layer ? (double)NAN : (double)r->record.batch * devices * steps_per_s;
}

/* The same at the slowest or the fastest of several runs, for error bars. */
static double of_runs(const struct ec_run *r, double step_ns)
{
    return r->repeats > 1 ? of_batch(r, 1e9 / step_ns) : (double)NAN;
}

double ec_run_samples_per_s(const struct ec_run *r)
{
    return of_batch(r, 1e9 / r->median_ns);
}

double ec_run_intensity(const struct ec_run *r)
{
    return r->bytes > 0 ? r->flop / r->bytes : (double)NAN;
}

double ec_run_flop_per_s(const struct ec_run *r)
{
    return r->flop * 1e9 / r->median_ns;
}

double ec_run_efficiency(const struct ec_run *r)
{
    return ec_run_flop_per_s(r) / r->peak_flop_per_s;
}

double ec_run_attainable(const struct ec_run *r)
{
    return fmin(r->peak_flop_per_s, ec_run_intensity(r) * r->memory_bytes_per_s);
}

double ec_run_ridge(const struct ec_run *r)
{
    return r->peak_flop_per_s / r->memory_bytes_per_s;
}

const char *ec_run_limit(const struct ec_run *r)
{
    if (*r->limit)
        return r->limit;
    if (!isfinite(ec_run_ridge(r)) || !isfinite(ec_run_intensity(r)))
        return "";
    return ec_limit_name(ec_run_intensity(r) >= ec_run_ridge(r) ? EC_LIMIT_COMPUTE
                                                                : EC_LIMIT_MEMORY);
}

/* ------------------------------------------------------------------------------------------------
 * Groups of runs */

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int words_order(const struct ec_record *a, const struct ec_record *b, int first, int n)
{
    int i, by = 0;

    for (i = first; i < first + n && !by; i++)
        by = strcmp(ec_record_word(a, (enum ec_word)i), ec_record_word(b, (enum ec_word)i));
    return by;
}

bool ec__run_loads_data(const struct ec_run *r)
{
    return strstr(r->record.flags, "data_loading") != NULL;
}

/* Numbers are compared first, texts last. */
int ec__run_compare(const struct ec_run *a, const struct ec_run *b, unsigned keys)
{
    const struct ec_record *x = &a->record, *y = &b->record;
    int by = 0;

    if (keys & EC__BY_KIND)
        by = order(a->measured, b->measured);
    if (!by && keys & EC__BY_BATCH)
        by = order(x->batch, y->batch);
    if (!by && keys & EC__BY_PIXELS)
        by = order(x->image_px, y->image_px);
    if (!by && keys & EC__BY_TOKENS)
        by = order(x->seq_len, y->seq_len);
    if (!by && keys & EC__BY_THREADS)
        by = order(x->threads, y->threads);
    if (!by && keys & EC__BY_NUM_DEVICES)
        by = order(x->num_devices, y->num_devices);
    if (!by && keys & EC__BY_LOADING)
        by = order(ec__run_loads_data(a), ec__run_loads_data(b));
    if (!by && keys & EC__BY_MODE)
        by = words_order(x, y, EC_WORD_MODE, 1);
    if (!by && keys & EC__BY_PRECISION)
        by = words_order(x, y, EC_WORD_PRECISION, 1);
    if (!by && keys & EC__BY_FRAMEWORK)
        by = words_order(x, y, EC_WORD_FRAMEWORK, 1);
    if (!by && keys & EC__BY_WORDS)
        by = words_order(x, y, 0, EC_WORD_COUNT);
    if (!by && keys & EC__BY_NETWORK)
        by = strcmp(x->what, y->what);
    if (!by && keys & EC__BY_ENV)
        by = strcmp(a->env, b->env);
    if (!by && keys & EC__BY_DEVICE)
        by = strcmp(x->device, y->device);
    if (!by && keys & EC__BY_FLAGS)
        by = strcmp(x->flags, y->flags);
    if (!by && keys & EC__BY_OUTCOME)
        by = strcmp(x->outcome, y->outcome);
    return by || !(keys & EC__BY_KIND) ? by : strcmp(a->layer, b->layer);
}

struct keyed {
    const struct ec_run *v;
    unsigned keys;
};

static int compare_items(const void *user, int a, int b)
{
    const struct keyed *k = user;

    return ec__run_compare(&k->v[a], &k->v[b], k->keys);
}

enum ec_status ec__runs_group(const struct ec_run *v, int n, unsigned keys, struct ec_groups *ret,
                              struct ec_err *err)
{
    const struct keyed by = { v, keys };

    return ec_group(n, compare_items, &by, ret, err);
}

bool ec__runs_vary(const struct ec_run *v, const struct ec_groups *g, int group, unsigned keys)
{
    int i;

    for (i = g->begin[group] + 1; i < g->begin[group + 1]; i++)
        if (ec__run_compare(&v[g->item[i]], &v[g->item[i - 1]], keys))
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Comparisons of samples per second: the same network, size, mode, precision and batch */

static int by_speed(const void *user, int a, int b)
{
    const struct ec_run *v = user;
    double x = ec_run_samples_per_s(&v[a]), y = ec_run_samples_per_s(&v[b]);

    return (x > y) - (x < y);
}

/* Adds to the score of each environment how many of the n runs it can be compared with, and how
 * many are faster. The runs are of one query, each of its own environment. */
static void score(const struct ec_run *v, int *item, int n, int *room, const struct ec_groups *envs,
                  double *found, double *slower)
{
    int i, faster = 0;

    ec_sort_items(item, n, room, by_speed, v);
    for (i = n - 1; i >= 0; i--) {
        int env = envs->of[item[i]];

        if (i < n - 1 && by_speed(v, item[i], item[i + 1]))
            faster = n - 1 - i;
        found[env] += n - 1;
        slower[env] += faster;
    }
}

/* The environment that can be compared with most runs of others; of equals the slower one. */
static enum ec_status choose_reference(const struct ec_runs *r, const struct ec_groups *queries,
                                       const char **ret, struct ec_err *err)
{
    struct ec_groups envs = { 0 }, cells = { 0 };
    int *item = ec_alloc(sizeof *item * 2 * ((size_t)r->n + 1)), i, k, n;
    double *found = ec_alloc(sizeof *found * 2 * ((size_t)r->n + 1)), best = 0;
    enum ec_status st;

    *ret = "";
    if (!item || !found)
        EC_TRY(ec_nomem(err));
    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_ENV, &envs, err));
    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_QUERY | EC__BY_BATCH | EC__BY_ENV, &cells, err));
    for (i = 0; i < queries->n; i++) {
        for (n = 0, k = queries->begin[i]; k < queries->begin[i + 1]; k++)
            if (ec_group_begins(&cells, queries->item[k]) && !*r->v[queries->item[k]].layer)
                item[n++] = queries->item[k];
        score(r->v, item, n, item + r->n + 1, &envs, found, found + r->n + 1);
    }
    for (i = 0; i < envs.n; i++)
        if (found[i] + found[r->n + 1 + i] / (found[i] + 1) > best) {
            best = found[i] + found[r->n + 1 + i] / (found[i] + 1);
            *ret = r->v[ec_group_first(&envs, i)].env;
        }
out:
    ec_groups_clear(&envs);
    ec_groups_clear(&cells);
    ec_free(item);
    ec_free(found);
    return st;
}

/* The runs of a query against that of the reference environment. */
static void speed_up(struct ec_runs *r, const struct ec_groups *g, int group, const char *reference)
{
    const struct ec_run *base = NULL;
    int i;

    for (i = g->begin[group]; i < g->begin[group + 1] && !base; i++)
        if (ec_str_eq(r->v[g->item[i]].env, reference))
            base = &r->v[g->item[i]];
    for (i = g->begin[group]; i < g->begin[group + 1] && base && !*base->layer; i++)
        r->v[g->item[i]].speedup =
            ec_run_samples_per_s(&r->v[g->item[i]]) / ec_run_samples_per_s(base);
}

/* The runs of a network in an environment against that with the smallest batch. */
static void scale_batch(struct ec_runs *r, const struct ec_groups *g, int group)
{
    const struct ec_run *small = &r->v[ec_group_first(g, group)];
    int i;

    if (!ec__runs_vary(r->v, g, group, EC__BY_BATCH))
        return;
    for (i = g->begin[group]; i < g->begin[group + 1]; i++)
        small = r->v[g->item[i]].record.batch < small->record.batch ? &r->v[g->item[i]] : small;
    for (i = g->begin[group]; i < g->begin[group + 1]; i++) {
        struct ec_run *v = &r->v[g->item[i]];
        const struct ec_run *base = v->record.batch == small->record.batch ? v : small;

        if (v->record.batch > 0)
            v->scaling_frac = ec_run_samples_per_s(v) / ec_run_samples_per_s(base) *
                              (double)base->record.batch / (double)v->record.batch;
    }
}

/* Runs on devices of one type in the same conditions at the same batch, against that on fewest. */
static void scale_devices(struct ec_runs *r, const struct ec_groups *g, int group)
{
    const struct ec_run *few = &r->v[ec_group_first(g, group)];
    int i, most = 0;

    for (i = g->begin[group]; i < g->begin[group + 1]; i++) {
        few = devices_of(&r->v[g->item[i]]) < devices_of(few) ? &r->v[g->item[i]] : few;
        most = (int)fmax(most, devices_of(&r->v[g->item[i]]));
    }
    for (i = g->begin[group]; i < g->begin[group + 1] && most > devices_of(few); i++) {
        struct ec_run *v = &r->v[g->item[i]];
        const struct ec_run *base = devices_of(v) > devices_of(few) ? few : v;

        v->device_scaling_frac =
            ec_run_samples_per_s(v) / ec_run_samples_per_s(base) * devices_of(base) / devices_of(v);
    }
}

enum ec_status ec_runs_relate(struct ec_runs *r, const char *reference, const char **ret_reference,
                              struct ec_err *err)
{
    struct ec_groups queries = { 0 }, places = { 0 }, jobs = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_QUERY | EC__BY_BATCH, &queries, err));
    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_QUERY | EC__BY_ENV, &places, err));
    EC_TRY(ec__runs_group(
        r->v, r->n, EC__BY_QUERY | EC__BY_BATCH | EC__BY_THREADS | EC__BY_DEVICE | EC__BY_WORDS,
        &jobs, err));
    if (!reference)
        EC_TRY(choose_reference(r, &queries, &reference, err));
    for (i = 0; i < queries.n && *reference; i++)
        speed_up(r, &queries, i, reference);
    for (i = 0; i < places.n; i++)
        scale_batch(r, &places, i);
    for (i = 0; i < jobs.n; i++)
        scale_devices(r, &jobs, i);
    *ret_reference = reference;
out:
    ec_groups_clear(&queries);
    ec_groups_clear(&places);
    ec_groups_clear(&jobs);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * What comparisons rest on */

enum ec_status ec_runs_common(const struct ec_runs *r, struct ec_runs_common *ret,
                              struct ec_err *err)
{
    struct ec_groups words = { 0 }, cells = { 0 };
    double *score_of = NULL, best = 0;
    enum ec_status st;
    int i;

    *ret = (struct ec_runs_common){ r->n ? ec_run_mode(&r->v[0]) : "", "" };
    for (i = 0; i < r->n; i++)
        if (ec_str_eq(ec_run_mode(&r->v[i]), "training_step"))
            ret->mode = ec_run_mode(&r->v[i]);
    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_MODE | EC__BY_PRECISION, &words, err));
    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_MODE | EC__BY_PRECISION | EC__BY_ENV, &cells, err));
    score_of = ec_alloc(sizeof *score_of * ((size_t)words.n + 1));
    if (!score_of)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < cells.n; i++)
        score_of[words.of[ec_group_first(&cells, i)]] += r->n;
    for (i = 0; i < words.n; i++) {
        const struct ec_run *v = &r->v[ec_group_first(&words, i)];

        score_of[i] += ec_group_size(&words, i);
        if (ec_str_eq(ec_run_mode(v), ret->mode) && score_of[i] > best) {
            best = score_of[i];
            ret->precision = ec_run_precision(v);
        }
    }
out:
    ec_groups_clear(&words);
    ec_groups_clear(&cells);
    ec_free(score_of);
    return st;
}

bool ec_run_is_common(const struct ec_run *v, const struct ec_runs_common *c)
{
    return ec_str_eq(ec_run_mode(v), c->mode) && ec_str_eq(ec_run_precision(v), c->precision) &&
           !*v->layer;
}

/* The run of a group with the largest batch, of equals the first. */
static const struct ec_run *largest(const struct ec_runs *r, const struct ec_groups *g, int group)
{
    const struct ec_run *best = &r->v[ec_group_first(g, group)];
    int i;

    for (i = g->begin[group] + 1; i < g->begin[group + 1]; i++)
        best = r->v[g->item[i]].record.batch > best->record.batch ? &r->v[g->item[i]] : best;
    return best;
}

enum ec_status ec__runs_largest(const struct ec_runs *r, unsigned keys, struct ec_runs *ret,
                                struct ec_err *err)
{
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec__runs_group(r->v, r->n, keys, &g, err));
    EC_TRY(ec_grow(&ret->v, &ret->cap, ret->n + g.n, sizeof *ret->v, err));
    for (i = 0; i < g.n; i++)
        ret->v[ret->n++] = *largest(r, &g, i);
out:
    ec_groups_clear(&g);
    return st;
}

enum ec_status ec_runs_leading(const struct ec_runs *r, struct ec_runs *ret, struct ec_err *err)
{
    struct ec_runs_common c;
    int first = ret->n, i, n = ret->n;
    enum ec_status st;

    EC_TRY(ec_runs_common(r, &c, err));
    EC_TRY(ec__runs_largest(r, EC__BY_QUERY | EC__BY_ENV, ret, err));
    for (i = first; i < ret->n; i++)
        if (ec_run_is_common(&ret->v[i], &c))
            ret->v[n++] = ret->v[i];
    ret->n = n;
out:
    return st;
}

/* Marks the runs of groups that have several values in the keys. ret: as many as runs; free it */
static enum ec_status mark_varying(const struct ec_runs *r, unsigned group_by, unsigned keys,
                                   bool **ret, struct ec_err *err)
{
    bool *mark = ec_alloc((size_t)r->n + 1);
    struct ec_groups g = { 0 };
    enum ec_status st = mark ? EC_OK : ec_nomem(err);
    int i, k;

    if (!st)
        st = ec__runs_group(r->v, r->n, group_by, &g, err);
    for (i = 0; i < g.n; i++) {
        bool several = ec__runs_vary(r->v, &g, i, keys);

        for (k = g.begin[i]; k < g.begin[i + 1]; k++)
            mark[g.item[k]] = several;
    }
    ec_groups_clear(&g);
    *ret = mark;
    return st;
}

/* Names of networks; with batch and tokens where these vary. */
enum ec_status ec_runs_label(struct ec_runs *r, struct ec_err *err)
{
    bool *lengths = NULL, *batches = NULL;
    enum ec_status st;
    int i;

    EC_TRY(mark_varying(r, EC__BY_NETWORK, EC__BY_TOKENS, &lengths, err));
    EC_TRY(mark_varying(r, EC__BY_QUERY | EC__BY_ENV, EC__BY_BATCH, &batches, err));
    for (i = 0; i < r->n; i++) {
        struct ec_run *v = &r->v[i];

        if (*v->layer)
            continue;
        v->label = v->record.what;
        if (lengths[i])
            v->label = ec_arena_printf(&r->arena, "%s, batch %lld, %lld tokens", v->record.what,
                                       (long long)v->record.batch, (long long)v->record.seq_len);
        else if (batches[i])
            v->label = ec_arena_printf(&r->arena, "%s, batch %lld", v->record.what,
                                       (long long)v->record.batch);
        if (!v->label)
            EC_TRY(ec_nomem(err));
    }
out:
    ec_free(lengths);
    ec_free(batches);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * The table: X(key, title, format, value as text or number, views that show it) */

enum {
    S = 1 << EC_RUNS_STATISTICS,
    E = 1 << EC_RUNS_REACHED,
    A = 1 << EC_RUNS_ANALYSIS,
    R = 1 << EC_RUNS_ROOFLINE,
    C = 1 << EC_RUNS_COMPLEXITY,
    P = 1 << EC_RUNS_THROUGHPUT
};

static double positive(int64_t v)
{
    return v > 0 ? (double)v : (double)NAN;
}

/* All conditions of a run in one text. */
enum { WORDS_BYTES = 512 };
static const char *words_of(const struct ec_run *r, char out[WORDS_BYTES])
{
    size_t n = 0;
    int i;

    for (i = 0; i < EC_WORD_COUNT && n < WORDS_BYTES; i++)
        n += (size_t)ec_snprintf(out + n, WORDS_BYTES - n, "%s ",
                                 ec_record_word(&r->record, (enum ec_word)i));
    return out;
}

/* Where what limits the run stands among all that may. */
static double limit_order(const struct ec_run *r)
{
    int i = 0;

    while (i < EC_LIMIT_COUNT && !ec_str_eq(ec_run_limit(r), ec_limit_name((enum ec_limit)i)))
        i++;
    return i;
}

static bool is_spilled(const struct ec_run *v)
{
    double bytes = v->memory_peak_bytes > 0 ? v->memory_peak_bytes : 0;

    return ec_spilled(v->median_ns / v->predicted_ns, fmax(bytes, v->needed_bytes), v->most_bytes,
                      v->device_bytes);
}

/* clang-format off */
#define COLUMN_LIST(T, N)                                                                          \
    T(env, "environment", v->env, A | S | E | P)                                                   \
    T(device, "device", v->record.device, R)                                                       \
    T(model, "network", v->record.what, A | R | C | S | E | P)                                     \
    N(batch_size, "batch", EC_COL_PLAIN, positive(v->record.batch),                                \
      A | R | C | S | E | P)                                                                       \
    N(image_px, "image", EC_COL_PLAIN, positive(v->record.image_px), 0)                            \
    N(seq_len, "tokens", EC_COL_PLAIN, positive(v->record.seq_len), A | R | C | S | E | P)         \
    T(layer, "layer", v->layer, R)                                                                 \
    T(mode, "mode", ec_run_mode(v), A | R | C | S | E | P)                                         \
    T(precision, "precision", ec_run_precision(v), A | R | C | S | E | P)                          \
    T(kind, "time", v->measured ? "measured" : "predicted", R)                                     \
    N(n, "n", EC_COL_PLAIN, v->n ? (double)v->n : (double)NAN, A | S | P)                          \
    N(images_per_s, "samples/s", EC_COL_DIGITS3, ec_run_samples_per_s(v), A | S | E | P)           \
    N(mean_ns, "mean", EC_COL_NS, v->mean_ns, A | S)                                               \
    N(std_ns, "std", EC_COL_NS, v->std_ns, A | S)                                                  \
    N(min_ns, "min", EC_COL_NS, v->min_ns, A | S)                                                  \
    N(median_ns, "median", EC_COL_NS, v->median_ns, A | R | S)                                     \
    N(p95_ns, "95 %", EC_COL_NS, v->p95_ns, A | S)                                                 \
    N(max_ns, "max", EC_COL_NS, v->max_ns, A | S)                                                  \
    N(images_per_s_mean, "mean/s", EC_COL_DIGITS3, of_batch(v, v->rate_mean), S | P)               \
    N(images_per_s_std, "std/s", EC_COL_DIGITS3, of_batch(v, v->rate_std), S | P)                  \
    N(images_per_s_min, "min/s", EC_COL_DIGITS3, of_batch(v, 1e9 / v->max_ns), S | P)              \
    N(images_per_s_max, "max/s", EC_COL_DIGITS3, of_batch(v, 1e9 / v->min_ns), S | P)              \
    N(images_per_s_lo, "slowest run/s", EC_COL_DIGITS3, of_runs(v, v->max_ns), 0)                  \
    N(images_per_s_hi, "fastest run/s", EC_COL_DIGITS3, of_runs(v, v->min_ns), 0)                  \
    N(time_per_image_ns, "per sample", EC_COL_NS, *v->layer ? (double)NAN :                        \
      v->median_ns / (double)v->record.batch, 0)                                                   \
    N(params, "parameters", EC_COL_THOUSANDS, v->params, C)                                        \
    N(flop, "FLOP", EC_COL_SI, v->flop, R | C)                                                     \
    N(bytes, "bytes", EC_COL_BYTES, v->bytes, R | C)                                               \
    N(arithmetic_flop_per_byte, "FLOP/byte", EC_COL_DIGITS3, ec_run_intensity(v), R | C)           \
    N(ridge_flop_per_byte, "ridge", EC_COL_DIGITS3, ec_run_ridge(v), R)                            \
    T(limit, "limited by", ec_run_limit(v), A | R | E)                                             \
    N(achieved_flop_per_s, "FLOP/s", EC_COL_SI, ec_run_flop_per_s(v), A | R | E)                   \
    N(attainable_flop_per_s, "roof", EC_COL_SI, ec_run_attainable(v), R)                           \
    N(efficiency_frac, "of peak", EC_COL_FIXED, ec_run_efficiency(v), A | R | E)                   \
    N(roof_frac, "of roof", EC_COL_FIXED, ec_run_flop_per_s(v) / ec_run_attainable(v), R)          \
    N(peak_flop_per_s, "peak", EC_COL_SI, v->peak_flop_per_s, 0)                                   \
    N(memory_bytes_per_s, "bandwidth", EC_COL_SI, v->memory_bytes_per_s, 0)                        \
    N(ceiling_flop_per_s, "measured peak", EC_COL_SI, v->ceiling_flop_per_s, 0)                    \
    N(ceiling_bytes_per_s, "measured bandwidth", EC_COL_SI, v->ceiling_bytes_per_s, 0)             \
    N(speedup, "speed-up", EC_COL_DIGITS3, v->speedup, A | E)                                      \
    N(scaling_efficiency_frac, "by batch", EC_COL_FIXED, v->scaling_frac, A | E)                   \
    N(n_devices, "devices", EC_COL_PLAIN, isfinite(v->device_scaling_frac) ? devices_of(v) :       \
      (double)NAN, A | E)                                                                          \
    N(device_scaling_frac, "of linear", EC_COL_FIXED, v->device_scaling_frac, A | E)               \
    N(predicted_ns, "predicted", EC_COL_NS, v->predicted_ns, A | E)                                \
    N(memory_peak_bytes, "memory", EC_COL_BYTES, v->memory_peak_bytes, A | E)                      \
    T(flags, "flags", v->record.flags, A | E)                                                      \
    T(label, "label", v->label, 0)

/* What queries need besides: X(name, value). */
#define QUERIED_LIST(T, N)                                                                         \
    T(words, "", words_of(v, words), 0)                                                            \
    N(threads, "", EC_COL_PLAIN, (double)v->record.threads, 0)                                     \
    N(num_devices, "", EC_COL_PLAIN, devices_of(v), 0)                                             \
    N(limit_order, "", EC_COL_PLAIN, limit_order(v), 0)                                            \
    N(spread, "", EC_COL_PLAIN,                                                                    \
      v->steady_std_frac > 0 ? v->steady_std_frac : v->std_ns / v->mean_ns, 0)                     \
    N(drift_ratio, "", EC_COL_PLAIN, v->drift_ratio > 0 ? v->drift_ratio : (double)NAN, 0)         \
    N(repeats, "", EC_COL_PLAIN, v->repeats, 0)                                                    \
    N(first_ns, "", EC_COL_NS, v->first_ns, 0)                                                     \
    N(unknown, "", EC_COL_PLAIN, v->unknown, 0)                                                    \
    T(uncounted, "", v->uncounted, 0)                                                              \
    T(outcome, "", v->record.outcome, 0)                                                           \
    N(needed_bytes, "", EC_COL_BYTES, v->needed_bytes, 0)                                          \
    N(device_bytes, "", EC_COL_BYTES, v->device_bytes, 0)                                          \
    N(fits_probability, "", EC_COL_PLAIN, v->fits_probability, 0)                                  \
    T(verdict, "", ec_misfit_verdict(v->fits_probability), 0)                                      \
    N(spilled, "", EC_COL_PLAIN, is_spilled(v), 0)

#define IS_SHARE(f) ((f) == EC_COL_FIXED)
static const struct ec_col cols[] = {
#define COL_TEXT(key_, title_, value, views) { .key = #key_, .title = title_ },
#define COL_NUM(key_, title_, format_, value, views)                                               \
    { .key = #key_, .title = title_, .format = format_,                                            \
      .flags = (format_) == EC_COL_NS ? EC_COL_AS_BEFORE : 0,                                      \
      .unit = IS_SHARE(format_) ? "%" : NULL, .scale = IS_SHARE(format_) ? 100 : 0, .digits = 1 },
    COLUMN_LIST(COL_TEXT, COL_NUM)
};
static const struct ec_col queried[] = {
    COLUMN_LIST(COL_TEXT, COL_NUM)
    QUERIED_LIST(COL_TEXT, COL_NUM)
};
#undef COL_TEXT
#undef COL_NUM

static const int views_of[] = {
#define VIEW_TEXT(key, title, value, views) views,
#define VIEW_NUM(key, title, format, value, views) views,
    COLUMN_LIST(VIEW_TEXT, VIEW_NUM)
#undef VIEW_TEXT
#undef VIEW_NUM
};
/* clang-format on */

static void text_cell(struct ec_table *t, const char *text)
{
    ec_table_row(t, ec_text(*text ? text : NULL));
}

static void add_row(struct ec_table *t, const struct ec_run *v)
{
#define ADD_TEXT(key, title, value, views) text_cell(t, value);
#define ADD_NUM(key, title, format, value, views) ec_table_num(t, value);
    COLUMN_LIST(ADD_TEXT, ADD_NUM)
#undef ADD_TEXT
#undef ADD_NUM
}

void ec__runs_into(struct ec__query *q, const char *table, const struct ec_run *runs, int n)
{
    const struct ec_run *v;
    char words[WORDS_BYTES];
    int i;

    ec__query_into(q, table, queried, EC_LEN(queried));
#define ADD_TEXT(key, title, value, views) ec__query_text(q, value);
#define ADD_NUM(key, title, format, value, views) ec__query_num(q, value);
    for (i = 0; i < n; i++) {
        v = &runs[i];
        COLUMN_LIST(ADD_TEXT, ADD_NUM)
        QUERIED_LIST(ADD_TEXT, ADD_NUM)
    }
#undef ADD_TEXT
#undef ADD_NUM
}

/* Runs of one device by several frameworks are named by environment. */
static bool has_environments(const struct ec_runs *r)
{
    int i;

    for (i = 0; i < r->n; i++)
        if (*r->v[i].env && !ec_str_eq(r->v[i].env, r->v[i].record.device))
            return true;
    return false;
}

/* "t4, pytorch-2" */
static bool environments_name_devices(const struct ec_runs *r)
{
    int i;

    for (i = 0; i < r->n; i++)
        if (!ec_str_starts(r->v[i].env, r->v[i].record.device))
            return false;
    return true;
}

static bool any_predicted(const struct ec_runs *r)
{
    int i;

    for (i = 0; i < r->n; i++)
        if (!r->v[i].measured)
            return true;
    return false;
}

/* Whether text needs a column of these: not if all runs share its value; sequence lengths only if
 * one network has several. */
static enum ec_status differs(const struct ec_runs *r, unsigned group_by, unsigned keys, bool *ret,
                              struct ec_err *err)
{
    bool *mark = NULL;
    enum ec_status st = mark_varying(r, group_by, keys, &mark, err);
    int i;

    *ret = false;
    for (i = 0; i < r->n && !st; i++)
        *ret |= mark[i];
    ec_free(mark);
    return st;
}

/* clang-format off */
/* Columns that a narrow page leaves out, the last ones first. */
static const char *const least_needed[] = {
    "images_per_s", "median_ns", "batch_size", "efficiency_frac", "roof_frac", "limit",
    "predicted_ns", "flop", "bytes", "mean_ns", "speedup", "kind", "memory_peak_bytes", "p95_ns",
    "std_ns", "achieved_flop_per_s", "scaling_efficiency_frac", "flags",
    "arithmetic_flop_per_byte", "min_ns", "max_ns", "n", "attainable_flop_per_s",
    "ridge_flop_per_byte",
};
/* clang-format on */

static int drop_of(const char *key)
{
    int i;

    for (i = 0; i < EC_LEN(least_needed); i++)
        if (ec_str_eq(least_needed[i], key))
            return i + 1;
    return 0;
}

enum ec_status ec_runs_table(const struct ec_runs *r, enum ec_runs_view view, struct ec_table *ret,
                             struct ec_err *err)
{
    struct ec_groups work = { 0 }; /* is counted once per network and batch, for all devices */
    bool modes, precisions, lengths;
    struct ec_col *c;
    enum ec_status st;
    int i;

    ec_table_init(ret, cols, EC_LEN(cols));
    c = ec_arena_copy(&ret->arena, cols, sizeof cols);
    if (!c)
        return ec_nomem(err);
    EC_TRY(differs(r, 0, EC__BY_MODE, &modes, err));
    EC_TRY(differs(r, 0, EC__BY_PRECISION, &precisions, err));
    EC_TRY(differs(r, EC__BY_NETWORK, EC__BY_TOKENS, &lengths, err));
    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_QUERY | EC__BY_BATCH, &work, err));
    for (i = 0; i < EC_LEN(cols); i++) {
        bool shown = views_of[i] >> view & 1;

        if (ec_str_eq(cols[i].key, "kind"))
            shown = shown && any_predicted(r);
        if (view == EC_RUNS_ROOFLINE && ec_str_eq(cols[i].key, "env"))
            shown = has_environments(r);
        if (view == EC_RUNS_ROOFLINE && ec_str_eq(cols[i].key, "device"))
            shown = !has_environments(r) || !environments_name_devices(r);
        if ((ec_str_eq(cols[i].key, "mode") && !modes) ||
            (ec_str_eq(cols[i].key, "precision") && !precisions) ||
            (ec_str_eq(cols[i].key, "seq_len") && !lengths))
            shown = false;
        c[i].flags |= EC_COL_HIDE_EMPTY | (shown ? 0u : EC_COL_DATA_ONLY);
        c[i].drop = drop_of(cols[i].key);
        c[i].min_width = ec_str_eq(cols[i].key, "layer") ? 12 : 0;
    }
    ret->cols = c;
    for (i = 0; i < r->n; i++)
        if (view != EC_RUNS_COMPLEXITY || (!*r->v[i].layer && ec_group_begins(&work, i)))
            add_row(ret, &r->v[i]);
    if (ret->st)
        EC_TRY(ec_nomem(err));
out:
    ec_groups_clear(&work);
    return st;
}
