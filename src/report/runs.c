/* Runs as numbers and as a table. */
#include "report/report_internal.h"
#include "report/runs_internal.h"

#include <math.h>
#include <stdio.h>
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

/* Samples per second for a number of steps per second: the batch is that of each device. */
static double of_batch(const struct ec_run *r, double steps_per_s)
{
    return *r->layer ? (double)NAN : (double)r->record.batch * devices_of(r) * steps_per_s;
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
 * Comparisons */

/* Whether two runs can be compared by samples per second: the same network, size, mode and
 * precision. Called for each pair of runs, so numbers are compared first. */
static bool same_query(const struct ec_run *a, const struct ec_run *b)
{
    return a->record.image_px == b->record.image_px && a->record.seq_len == b->record.seq_len &&
           a->measured == b->measured && !*a->layer && !*b->layer &&
           ec_str_eq(a->record.what, b->record.what) && ec_str_eq(ec_run_mode(a), ec_run_mode(b)) &&
           ec_str_eq(ec_run_precision(a), ec_run_precision(b));
}

/* The run of `env` to compare with: the batch nearest to that of `to`. */
static const struct ec_run *counterpart(const struct ec_runs *r, const struct ec_run *to,
                                        const char *env)
{
    const struct ec_run *best = NULL;
    int i;

    for (i = 0; i < r->n; i++) {
        const struct ec_run *v = &r->v[i];

        if (!same_query(v, to) || !ec_str_eq(v->env, env))
            continue;
        if (!best || fabs(log((double)v->record.batch / (double)to->record.batch)) <
                         fabs(log((double)best->record.batch / (double)to->record.batch)))
            best = v;
    }
    return best;
}

static bool asked_before(const struct ec_runs *r, int k)
{
    int i;

    for (i = 0; i < k; i++)
        if (same_query(&r->v[i], &r->v[k]) && ec_str_eq(r->v[i].env, r->v[k].env))
            return true;
    return false;
}

bool ec_runs_env_is_new(const struct ec_runs *r, int i)
{
    int k;

    for (k = 0; k < i && !ec_str_eq(r->v[k].env, r->v[i].env); k++)
        continue;
    return k == i;
}

/* The environment that can be compared with most networks of others; of equals the slower one. */
static const char *choose_reference(const struct ec_runs *r)
{
    const char *best = "";
    double best_score = -1;
    int i, k;

    for (i = 0; i < r->n; i++) {
        double found = 0, slower = 0;

        for (k = 0; k < r->n && ec_runs_env_is_new(r, i); k++) {
            const struct ec_run *c = counterpart(r, &r->v[k], r->v[i].env);

            if (!c || ec_str_eq(r->v[k].env, r->v[i].env) || asked_before(r, k))
                continue;
            found++;
            slower += ec_run_samples_per_s(c) < ec_run_samples_per_s(&r->v[k]);
        }
        if (found > 0 && found + slower / (found + 1) > best_score) {
            best_score = found + slower / (found + 1);
            best = r->v[i].env;
        }
    }
    return best;
}

/* The run with the smallest batch of the same environment and network. */
static const struct ec_run *smallest_batch(const struct ec_runs *r, const struct ec_run *of)
{
    const struct ec_run *best = of;
    int i;

    for (i = 0; i < r->n; i++)
        if (ec_str_eq(r->v[i].env, of->env) && same_query(&r->v[i], of) &&
            r->v[i].record.batch < best->record.batch)
            best = &r->v[i];
    return best;
}

/* The run on fewest devices of the same type in the same conditions at the same batch; NULL: all
 * have the same number. */
static const struct ec_run *fewest_devices(const struct ec_runs *r, const struct ec_run *of)
{
    const struct ec_run *best = of;
    bool several = false;
    int i;

    for (i = 0; i < r->n; i++) {
        const struct ec_run *v = &r->v[i];

        if (!same_query(v, of) || v->record.batch != of->record.batch ||
            v->record.threads != of->record.threads ||
            !ec_str_eq(v->record.device, of->record.device) ||
            !ec_record_same_words(&v->record, &of->record))
            continue;
        several |= devices_of(v) != devices_of(of);
        best = devices_of(v) < devices_of(best) ? v : best;
    }
    return several ? best : NULL;
}

static bool has_batches(const struct ec_runs *r, const struct ec_run *of)
{
    int i;

    for (i = 0; i < r->n; i++)
        if (ec_str_eq(r->v[i].env, of->env) && same_query(&r->v[i], of) &&
            r->v[i].record.batch != of->record.batch)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * What comparisons rest on */

static bool mode_is(const struct ec_run *v, const char *mode)
{
    return !mode || ec_str_eq(ec_run_mode(v), mode);
}

static bool env_before(const struct ec_runs *r, int i, const char *mode)
{
    int k;

    for (k = 0; k < i; k++)
        if (ec_str_eq(r->v[k].env, r->v[i].env) && mode_is(&r->v[k], mode) &&
            ec_str_eq(ec_run_precision(&r->v[k]), ec_run_precision(&r->v[i])))
            return true;
    return false;
}

void ec_runs_common(const struct ec_runs *r, struct ec_runs_common *ret)
{
    int i, k, best = 0;

    ret->mode = r->n ? ec_run_mode(&r->v[0]) : "";
    for (i = 0; i < r->n; i++)
        if (ec_str_eq(ec_run_mode(&r->v[i]), "training_step"))
            ret->mode = ec_run_mode(&r->v[i]);
    ret->precision = "";
    for (i = 0; i < r->n; i++) {
        int score = 0;

        if (!mode_is(&r->v[i], ret->mode))
            continue;
        for (k = 0; k < r->n; k++)
            if (mode_is(&r->v[k], ret->mode) &&
                ec_str_eq(ec_run_precision(&r->v[k]), ec_run_precision(&r->v[i])))
                score += 1 + (env_before(r, k, ret->mode) ? 0 : r->n);
        if (score > best) {
            best = score;
            ret->precision = ec_run_precision(&r->v[i]);
        }
    }
}

bool ec_run_is_common(const struct ec_run *v, const struct ec_runs_common *c)
{
    return ec_str_eq(ec_run_mode(v), c->mode) && ec_str_eq(ec_run_precision(v), c->precision) &&
           !*v->layer;
}

enum ec_status ec_runs_leading(const struct ec_runs *r, struct ec_runs *ret, struct ec_err *err)
{
    struct ec_runs_common c;
    enum ec_status st = EC_OK;
    int i, k;

    ec_runs_common(r, &c);
    for (i = 0; i < r->n && !st; i++) {
        const struct ec_run *v = &r->v[i];

        for (k = 0; k < r->n; k++) /* a later one of the same batch is not larger */
            if (ec_str_eq(r->v[k].env, v->env) && same_query(&r->v[k], v) &&
                (r->v[k].record.batch > v->record.batch ||
                 (r->v[k].record.batch == v->record.batch && k < i)))
                break;
        if (k < r->n || !ec_run_is_common(v, &c))
            continue;
        st = ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err);
        if (!st)
            ret->v[ret->n++] = *v;
    }
    return st;
}

static bool has_lengths(const struct ec_runs *r, const struct ec_run *of)
{
    int i;

    for (i = 0; i < r->n; i++)
        if (ec_str_eq(r->v[i].record.what, of->record.what) &&
            r->v[i].record.seq_len != of->record.seq_len)
            return true;
    return false;
}

/* Names of networks; with batch and tokens where these vary. */
enum ec_status ec_runs_label(struct ec_runs *r, struct ec_err *err)
{
    int i;

    for (i = 0; i < r->n; i++) {
        struct ec_run *v = &r->v[i];
        bool lengths = has_lengths(r, v);

        if (*v->layer)
            continue;
        v->label = v->record.what;
        if (lengths)
            v->label = ec_arena_printf(&r->arena, "%s, batch %lld, %lld tokens", v->record.what,
                                       (long long)v->record.batch, (long long)v->record.seq_len);
        else if (has_batches(r, v))
            v->label = ec_arena_printf(&r->arena, "%s, batch %lld", v->record.what,
                                       (long long)v->record.batch);
        if (!v->label)
            return ec_nomem(err);
    }
    return EC_OK;
}

void ec_runs_relate(struct ec_runs *r, const char *reference, const char **ret_reference)
{
    const char *env = reference ? reference : choose_reference(r);
    int i;

    for (i = 0; i < r->n; i++) {
        struct ec_run *v = &r->v[i];
        const struct ec_run *c = *env ? counterpart(r, v, env) : NULL;
        const struct ec_run *small = smallest_batch(r, v), *few = fewest_devices(r, v);

        if (c) {
            v->speedup = ec_run_samples_per_s(v) / ec_run_samples_per_s(c);
            v->speedup_batch = c->record.batch;
        }
        if (has_batches(r, v) && v->record.batch > 0)
            v->scaling_frac = ec_run_samples_per_s(v) / ec_run_samples_per_s(small) *
                              (double)small->record.batch / (double)v->record.batch;
        if (few)
            v->device_scaling_frac = ec_run_samples_per_s(v) / ec_run_samples_per_s(few) *
                                     devices_of(few) / devices_of(v);
    }
    *ret_reference = env;
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

#define IS_SHARE(f) ((f) == EC_COL_FIXED)
static const struct ec_col cols[] = {
#define COL_TEXT(key_, title_, value, views) { .key = #key_, .title = title_ },
#define COL_NUM(key_, title_, format_, value, views)                                               \
    { .key = #key_, .title = title_, .format = format_,                                            \
      .flags = (format_) == EC_COL_NS ? EC_COL_AS_BEFORE : 0,                                      \
      .unit = IS_SHARE(format_) ? "%" : NULL, .scale = IS_SHARE(format_) ? 100 : 0, .digits = 1 },
    COLUMN_LIST(COL_TEXT, COL_NUM)
#undef COL_TEXT
#undef COL_NUM
};

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
    ec_table_text(t, *text ? text : NULL);
}

static void add_row(struct ec_table *t, const struct ec_run *v)
{
#define ADD_TEXT(key, title, value, views) text_cell(t, value);
#define ADD_NUM(key, title, format, value, views) ec_table_num(t, value);
    COLUMN_LIST(ADD_TEXT, ADD_NUM)
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

/* Whether text needs the column. Not if all runs share its value; sequence lengths only if one
 * network has several. */
static bool differs(const struct ec_runs *r, const char *key)
{
    int i, k;

    for (i = 1; i < r->n; i++) {
        if (ec_str_eq(key, "mode") && !ec_str_eq(ec_run_mode(&r->v[i]), ec_run_mode(&r->v[0])))
            return true;
        if (ec_str_eq(key, "precision") &&
            !ec_str_eq(ec_run_precision(&r->v[i]), ec_run_precision(&r->v[0])))
            return true;
        for (k = 0; k < i && ec_str_eq(key, "seq_len"); k++)
            if (ec_str_eq(r->v[i].record.what, r->v[k].record.what) &&
                r->v[i].record.seq_len != r->v[k].record.seq_len)
                return true;
    }
    return false;
}

/* Work is counted once per network and batch, for all devices. */
static bool counted_before(const struct ec_runs *r, int i)
{
    int k;

    for (k = 0; k < i; k++)
        if (same_query(&r->v[k], &r->v[i]) && r->v[k].record.batch == r->v[i].record.batch)
            return true;
    return false;
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
    struct ec_col *c;
    int i;

    ec_table_init(ret, cols, EC_LEN(cols));
    c = ec_arena_copy(&ret->arena, cols, sizeof cols);
    if (!c)
        return ec_nomem(err);
    for (i = 0; i < EC_LEN(cols); i++) {
        bool shown = views_of[i] >> view & 1;

        if (ec_str_eq(cols[i].key, "kind"))
            shown = shown && any_predicted(r);
        if (view == EC_RUNS_ROOFLINE && ec_str_eq(cols[i].key, "env"))
            shown = has_environments(r);
        if (view == EC_RUNS_ROOFLINE && ec_str_eq(cols[i].key, "device"))
            shown = !has_environments(r) || !environments_name_devices(r);

        if (ec_str_eq(cols[i].key, "mode") || ec_str_eq(cols[i].key, "precision") ||
            ec_str_eq(cols[i].key, "seq_len"))
            shown = shown && differs(r, cols[i].key);
        c[i].flags |= EC_COL_HIDE_EMPTY | (shown ? 0u : EC_COL_DATA_ONLY);
        c[i].drop = drop_of(cols[i].key);
        c[i].min_width = ec_str_eq(cols[i].key, "layer") ? 12 : 0;
    }
    ret->cols = c;
    for (i = 0; i < r->n; i++)
        if (view != EC_RUNS_COMPLEXITY || (!*r->v[i].layer && !counted_before(r, i)))
            add_row(ret, &r->v[i]);
    if (ret->st)
        return ec_nomem(err);
    return EC_OK;
}
