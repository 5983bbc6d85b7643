/* Writes sentences on runs, computed from them. */
#include "report/runs_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot.h"

/* Two rows are no comparison: what is said of a range or an error needs three. Of more than a few
 * networks what they have in common comes before each of them. */
enum { MODELS_SAID = 8, MODELS_FEW = 4, FEWEST = 3, UNKNOWN_SAID = 2, ENVS_SAID = 6 };

struct says {
    const struct ec_runs *r;
    struct ec_runs_common common;
    bool only_known; /* names that no network has are not compared with networks */
    struct ec_arena *a;
    struct ec_strs *out;
    struct ec_err *err;
};

static bool whole(const struct ec_run *v)
{
    return !*v->layer && isfinite(v->median_ns);
}

static bool common(const struct says *s, const struct ec_run *v)
{
    return whole(v) && ec_run_is_common(v, &s->common) && !(s->only_known && v->unknown);
}

static const struct ec_run *fastest_of(const struct says *s, const char *model)
{
    const struct ec_run *best = NULL;
    int i;

    for (i = 0; i < s->r->n; i++)
        if (common(s, &s->r->v[i]) && ec_str_eq(s->r->v[i].record.what, model) &&
            (!best || ec_run_samples_per_s(&s->r->v[i]) > ec_run_samples_per_s(best)))
            best = &s->r->v[i];
    return best;
}

static bool first_of_model(const struct says *s, int i)
{
    int k;

    if (!common(s, &s->r->v[i]))
        return false;
    for (k = 0; k < i; k++)
        if (common(s, &s->r->v[k]) && ec_str_eq(s->r->v[k].record.what, s->r->v[i].record.what))
            return false;
    return true;
}

static int environments_of(const struct says *s, const char *model)
{
    int i, k, n = 0;

    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *v = &s->r->v[i];

        if (!common(s, v) || !ec_str_eq(v->record.what, model))
            continue;
        for (k = 0; k < i; k++)
            if (common(s, &s->r->v[k]) && ec_str_eq(s->r->v[k].record.what, model) &&
                ec_str_eq(s->r->v[k].env, v->env))
                break;
        n += k == i;
    }
    return n;
}

static int environments(const struct says *s)
{
    int i, n = 0;

    for (i = 0; i < s->r->n; i++)
        n += ec_runs_env_is_new(s->r, i);
    return n;
}

static const char *mode_words(const struct says *s)
{
    return ec_str_eq(s->common.mode, "training_step") ? "training steps" : s->common.mode;
}

/* The mode and precision of the sentences, if runs have several. */
static enum ec_status about(const struct says *s)
{
    int i, other = 0;

    for (i = 0; i < s->r->n; i++)
        other += whole(&s->r->v[i]) && !ec_run_is_common(&s->r->v[i], &s->common);
    if (!other)
        return EC_OK;
    return ec_strs_add(s->out, s->a, s->err,
                       "Speed, efficiency and scaling are those of %s at %s%s; %d of %d runs are "
                       "of another mode or precision.",
                       mode_words(s), s->common.precision,
                       environments(s) > 1 ? ", which most environments ran" : "", other, s->r->n);
}

/* Three digits, without an exponent. */
static const char *rate(const struct ec_run *v, char out[48])
{
    static const struct ec_axis axis = { .form = EC_AXIS_NUMBER, .unit = "samples/s" };

    ec_axis_text(&axis, ec_run_samples_per_s(v), out, 48);
    return out;
}

static int runs_of(const struct says *s, const char *model)
{
    int i, n = 0;

    for (i = 0; i < s->r->n; i++)
        n += common(s, &s->r->v[i]) && ec_str_eq(s->r->v[i].record.what, model);
    return n;
}

/* "batch 32", with the tokens where the network was run with several. */
static const char *where(const struct says *s, const struct ec_run *v, char out[160])
{
    int i;

    (void)snprintf(out, 160, "batch %lld", (long long)v->record.batch);
    for (i = 0; i < s->r->n; i++)
        if (common(s, &s->r->v[i]) && ec_str_eq(s->r->v[i].record.what, v->record.what) &&
            s->r->v[i].record.seq_len != v->record.seq_len) {
            (void)snprintf(out, 160, "batch %lld, %lld tokens", (long long)v->record.batch,
                           (long long)v->record.seq_len);
            break;
        }
    return out;
}

static enum ec_status fastest_sentence(const struct says *s, const struct ec_run *v,
                                       const char *reference)
{
    char more[240] = "", at[40] = "", text[48], place[160];

    if (runs_of(s, v->record.what) == 1)
        return ec_strs_add(s->out, s->a, s->err, "%s does %s on %s at %s.", v->record.what,
                           rate(v, text), v->env, where(s, v, place));
    if (v->speedup_batch != v->record.batch)
        (void)ec_snprintf(at, sizeof at, " at batch %lld", (long long)v->speedup_batch);
    if (isfinite(v->speedup) && !ec_str_eq(v->env, reference))
        (void)ec_snprintf(more, sizeof more, ", %.3g times %s%s", v->speedup, reference, at);
    return ec_strs_add(s->out, s->a, s->err, "%s is fastest on %s at %s: %s%s.", v->record.what,
                       v->env, where(s, v, place), rate(v, text), more);
}

static int models_of(const struct says *s)
{
    int i, n = 0;

    for (i = 0; i < s->r->n; i++)
        n += first_of_model(s, i);
    return n;
}

/* Ranks networks by number of environments: those can be compared. */
static enum ec_status fastest(const struct says *s, const char *reference)
{
    int i, most = 0, n = models_of(s), said = 0, envs;
    enum ec_status st = EC_OK;

    for (i = 0; i < s->r->n; i++)
        if (first_of_model(s, i)) {
            envs = environments_of(s, s->r->v[i].record.what);
            most = envs > most ? envs : most;
        }
    for (envs = most; envs > 0; envs--)
        for (i = 0; i < s->r->n && said < MODELS_SAID && !st; i++)
            if (first_of_model(s, i) && environments_of(s, s->r->v[i].record.what) == envs) {
                st = fastest_sentence(s, fastest_of(s, s->r->v[i].record.what), reference);
                said++;
            }
    if (!st && n > said)
        st = ec_strs_add(s->out, s->a, s->err, "%d further networks are in the tables.", n - said);
    return st;
}

static bool beside(const struct says *s, const struct ec_run *v, const struct ec_run *w)
{
    return common(s, w) && w->record.batch == v->record.batch && ec_str_eq(w->env, v->env);
}

/* Whether no run before it is of the same network at its batch in its environment. */
static bool is_first_beside(const struct says *s, int i)
{
    int k;

    for (k = 0; k < i; k++)
        if (beside(s, &s->r->v[i], &s->r->v[k]) &&
            ec_str_eq(s->r->v[k].record.what, s->r->v[i].record.what))
            return false;
    return true;
}

/* Networks can be compared at one batch in one environment: where most were run. */
static enum ec_status networks(const struct says *s)
{
    const struct ec_run *at = NULL, *lo = NULL, *hi = NULL;
    char text[2][48];
    int i, k, n, most = 0;

    for (i = 0; i < s->r->n; i++) {
        if (!common(s, &s->r->v[i]))
            continue;
        for (k = n = 0; k < s->r->n; k++)
            n += beside(s, &s->r->v[i], &s->r->v[k]) && is_first_beside(s, k);
        if (n > most) {
            most = n;
            at = &s->r->v[i];
        }
    }
    if (most < FEWEST)
        return EC_OK;
    for (k = 0; k < s->r->n; k++) {
        const struct ec_run *w = &s->r->v[k];

        if (!beside(s, at, w))
            continue;
        lo = !lo || ec_run_samples_per_s(w) < ec_run_samples_per_s(lo) ? w : lo;
        hi = !hi || ec_run_samples_per_s(w) > ec_run_samples_per_s(hi) ? w : hi;
    }
    return ec_strs_add(s->out, s->a, s->err,
                       "Of %d networks at batch %lld on %s, %s is fastest (%s) and %s slowest "
                       "(%s).",
                       most, (long long)at->record.batch, at->env, hi->record.what,
                       rate(hi, text[0]), lo->record.what, rate(lo, text[1]));
}

/* What n runs are: all, or those of the comparison, "training steps at fp32". */
static void put_which(const struct says *s, int n, struct ec_buf *out)
{
    int i, all = 0, n_common = 0;

    for (i = 0; i < s->r->n; i++) {
        all += whole(&s->r->v[i]) && !(s->only_known && s->r->v[i].unknown);
        n_common += common(s, &s->r->v[i]);
    }
    if (n_common == all)
        ec_buf_str(out, "runs");
    else
        ec_buf_printf(out, "%s at %s", mode_words(s), s->common.precision);
    if (n < n_common)
        ec_buf_str(out, " on devices with a known peak");
}

/* "7 of 9 runs are limited by compute, 2 by host dispatch." */
static enum ec_status limits(const struct says *s, int n)
{
    struct ec_buf text = EC_BUF_INIT, which = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int limit, i, n_said = 0;

    put_which(s, n, &which);
    for (limit = 0; limit < EC_LIMIT_COUNT; limit++) {
        const char *name = ec_limit_name((enum ec_limit)limit);
        int n_of = 0;

        for (i = 0; i < s->r->n; i++)
            n_of += common(s, &s->r->v[i]) && isfinite(ec_run_efficiency(&s->r->v[i])) &&
                    ec_str_eq(ec_run_limit(&s->r->v[i]), name);
        if (n_of == n && !n_said++)
            ec_buf_printf(&text, "All %d %s are limited by %s", n, ec_buf_text(&which), name);
        else if (n_of && !n_said++)
            ec_buf_printf(&text, "%d of %d %s are limited by %s", n_of, n, ec_buf_text(&which),
                          name);
        else if (n_of)
            ec_buf_printf(&text, ", %d by %s", n_of, name);
    }
    st = ec_buf_status(&text, s->err);
    st = st ? st : ec_buf_status(&which, s->err);
    if (n_said && !st)
        st = ec_strs_add(s->out, s->a, s->err, "%s.", ec_buf_text(&text));
    ec_buf_clear(&text);
    ec_buf_clear(&which);
    return st;
}

/* Decimals of an efficiency in percent. */
static int digits_of(const struct ec_run *v)
{
    return ec_run_efficiency(v) < 0.002 ? 3 : 1;
}

static enum ec_status efficiency(const struct says *s)
{
    const struct ec_run *lo = NULL, *hi = NULL;
    enum ec_status st = EC_OK;
    const char *limit;
    int i, n = 0;

    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *v = &s->r->v[i];

        if (!common(s, v) || !isfinite(ec_run_efficiency(v)))
            continue;
        n++;
        lo = !lo || ec_run_efficiency(v) < ec_run_efficiency(lo) ? v : lo;
        hi = !hi || ec_run_efficiency(v) > ec_run_efficiency(hi) ? v : hi;
    }
    if (!n || (n > 1 && n < FEWEST))
        return EC_OK;
    limit = ec_run_limit(hi);
    if (n == 1)
        return ec_strs_add(s->out, s->a, s->err,
                           "%s on %s, batch %lld, reaches %.1f %% of the peak%s%s.",
                           hi->record.what, hi->env, (long long)hi->record.batch,
                           100 * ec_run_efficiency(hi), *limit ? " and is limited by " : "", limit);
    EC_TRY(ec_strs_add(s->out, s->a, s->err,
                       "Efficiency against the peak is between %.*f %% (%s on %s, batch "
                       "%lld) and %.*f %% (%s on %s, batch %lld)%s.",
                       digits_of(lo), 100 * ec_run_efficiency(lo), lo->record.what, lo->env,
                       (long long)lo->record.batch, digits_of(hi), 100 * ec_run_efficiency(hi),
                       hi->record.what, hi->env, (long long)hi->record.batch,
                       ec_run_efficiency(hi) > 1 ? "; what is above 100 % ran in another precision "
                                                   "than its row says (tf32 for fp32), or with "
                                                   "fewer operations than are counted"
                                                 : ""));
    EC_TRY(limits(s, n));
out:
    return st;
}

/* Whether the run has enough smaller batches that it is compared with. */
static bool is_larger(const struct says *s, const struct ec_run *v)
{
    int i, n = 0;

    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *w = &s->r->v[i];

        if (common(s, w) && w->record.batch < v->record.batch && ec_str_eq(w->env, v->env) &&
            ec_str_eq(w->record.what, v->record.what) && w->record.image_px == v->record.image_px &&
            w->record.seq_len == v->record.seq_len && w->measured == v->measured)
            n++;
    }
    return n + 1 >= FEWEST;
}

static enum ec_status scaling(const struct says *s)
{
    const struct ec_run *worst = NULL;
    int i;

    for (i = 0; i < s->r->n; i++)
        if (common(s, &s->r->v[i]) && isfinite(s->r->v[i].scaling_frac) &&
            is_larger(s, &s->r->v[i]) && (!worst || s->r->v[i].scaling_frac < worst->scaling_frac))
            worst = &s->r->v[i];
    if (!worst)
        return EC_OK;
    return ec_strs_add(
        s->out, s->a, s->err,
        "A larger batch pays least for %s on %s: at batch %lld it reaches %.0f %% of "
        "throughput in proportion to the batch.",
        worst->record.what, worst->env, (long long)worst->record.batch, 100 * worst->scaling_frac);
}

static enum ec_status noise(const struct says *s)
{
    const struct ec_run *worst = NULL;
    int i, n = 0;

    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *v = &s->r->v[i];

        if (!common(s, v) || v->n <= 2 || !isfinite(v->std_ns / v->mean_ns))
            continue;
        n++;
        if (!worst || v->std_ns / v->mean_ns > worst->std_ns / worst->mean_ns)
            worst = v;
    }
    if (!worst)
        return EC_OK;
    return ec_strs_add(s->out, s->a, s->err,
                       "Iterations scatter%s for %s on %s, batch %lld: a standard deviation of "
                       "%.1f %% of the mean over %d iterations.",
                       n > 1 ? " most" : "", worst->record.what, worst->env,
                       (long long)worst->record.batch, 100 * worst->std_ns / worst->mean_ns,
                       worst->n);
}

/* What the most devices reach of throughput in proportion to their number: the best and the worst.
 */
static enum ec_status over_devices(const struct says *s)
{
    const struct ec_run *lo = NULL, *hi = NULL;
    int64_t most = 1;
    char more[200] = "";
    int i;

    for (i = 0; i < s->r->n; i++)
        if (common(s, &s->r->v[i]) && isfinite(s->r->v[i].device_scaling_frac) &&
            s->r->v[i].record.num_devices > most)
            most = s->r->v[i].record.num_devices;
    for (i = 0; i < s->r->n && most > 1; i++) {
        const struct ec_run *v = &s->r->v[i];

        if (!common(s, v) || !isfinite(v->device_scaling_frac) || v->record.num_devices != most)
            continue;
        lo = !lo || v->device_scaling_frac < lo->device_scaling_frac ? v : lo;
        hi = !hi || v->device_scaling_frac > hi->device_scaling_frac ? v : hi;
    }
    if (!hi)
        return EC_OK;
    if (lo != hi)
        (void)ec_snprintf(more, sizeof more, "; %s at batch %lld reaches least, %.1f %%",
                          lo->record.what, (long long)lo->record.batch,
                          100 * lo->device_scaling_frac);
    return ec_strs_add(s->out, s->a, s->err,
                       "%lld devices of the type %s reach %.1f %% of throughput in proportion to "
                       "their number, for %s at batch %lld each%s.",
                       (long long)most, hi->record.device, 100 * hi->device_scaling_frac,
                       hi->record.what, (long long)hi->record.batch, more);
}

/* Whether two runs differ in nothing but the device, of which both have the same type. */
static bool same_but_unit(const struct says *s, const struct ec_run *v, const struct ec_run *w)
{
    return common(s, w) && v->measured && w->measured && !ec_str_eq(v->env, w->env) &&
           *v->record.device && ec_str_eq(v->record.device, w->record.device) &&
           ec_str_eq(v->record.what, w->record.what) && v->record.batch == w->record.batch &&
           v->record.image_px == w->record.image_px && v->record.seq_len == w->record.seq_len &&
           v->record.threads == w->record.threads &&
           v->record.num_devices == w->record.num_devices &&
           ec_str_eq(v->record.flags, w->record.flags) &&
           ec_record_same_words(&v->record, &w->record);
}

/* What the devices of one type differ by, where a query was run on several. */
static enum ec_status units(const struct says *s)
{
    const struct ec_run *slow = NULL, *fast = NULL;
    double *spread = ec_alloc(sizeof *spread * (size_t)(s->r->n + 1)), widest = 0, median;
    char more[80] = "";
    int i, k, n = 0, most = 0;

    if (!spread)
        return ec_nomem(s->err);
    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *v = &s->r->v[i], *lo = v, *hi = v;
        bool first = common(s, v);
        int count = 1;

        for (k = 0; k < s->r->n && first; k++) {
            const struct ec_run *w = &s->r->v[k];

            if (!same_but_unit(s, v, w))
                continue;
            first = k > i;
            lo = w->median_ns < lo->median_ns ? w : lo;
            hi = w->median_ns > hi->median_ns ? w : hi;
            count++;
        }
        if (!first || count == 1)
            continue;
        spread[n++] = hi->median_ns / lo->median_ns - 1;
        most = count > most ? count : most;
        if (spread[n - 1] >= widest) {
            widest = spread[n - 1];
            fast = lo;
            slow = hi;
        }
    }
    median = n ? ec_quantile_inplace(spread, n, 0.5) : 0;
    if (n > 1)
        (void)ec_snprintf(more, sizeof more, " in the middle of %d such, and %.1f %% at most", n,
                          100 * widest);
    ec_free(spread);
    if (!n)
        return EC_OK;
    return ec_strs_add(
        s->out, s->a, s->err,
        "%d devices of the type %s differ: the slowest median of a network and batch "
        "is %.1f %% above the fastest%s (%s at batch %lld: %s above %s).",
        most, slow->record.device, 100 * median, more, slow->record.what,
        (long long)slow->record.batch, slow->env, fast->env);
}

/* Median error of an environment; NULL: of all. *ret_n: runs. */
static enum ec_status error_of(const struct says *s, const char *env, double *ret, int *ret_n)
{
    double *share = ec_alloc(sizeof *share * (size_t)(s->r->n + 1));
    int i, n = 0;

    if (!share)
        return ec_nomem(s->err);
    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *v = &s->r->v[i];

        if (v->measured && whole(v) && isfinite(v->predicted_ns) &&
            (!env || ec_str_eq(env, v->env)))
            share[n++] = fabs(v->predicted_ns / v->median_ns - 1);
    }
    *ret_n = n;
    *ret = n ? ec_quantile_inplace(share, n, 0.5) : (double)NAN;
    ec_free(share);
    return EC_OK;
}

static enum ec_status predicted(const struct says *s)
{
    const char *each = "", *best = "", *worst = "";
    enum ec_status st;
    int i, n, all, envs = 0;
    double error, of_all, lo = (double)INFINITY, hi = 0;
    char many[32] = "";

    EC_TRY(error_of(s, NULL, &of_all, &all));
    if (all < FEWEST)
        return EC_OK;
    if (all < s->r->n)
        (void)snprintf(many, sizeof many, "%d of ", all);
    for (i = 0; i < s->r->n; i++) {
        if (!ec_runs_env_is_new(s->r, i))
            continue;
        EC_TRY(error_of(s, s->r->v[i].env, &error, &n));
        if (!n)
            continue;
        best = error < lo ? s->r->v[i].env : best;
        worst = error >= hi ? s->r->v[i].env : worst;
        lo = fmin(lo, error);
        hi = fmax(hi, error);
        if (envs++ < ENVS_SAID)
            each = ec_arena_printf(s->a, "%s%s%s %.1f %%", each, envs > 1 ? "; " : ": ",
                                   s->r->v[i].env, 100 * error);
        if (!each)
            return ec_nomem(s->err);
    }
    if (envs > ENVS_SAID)
        each = ec_arena_printf(s->a, ", in %d environments between %.1f %% (%s) and %.1f %% (%s)",
                               envs, 100 * lo, best, 100 * hi, worst);
    if (!each)
        return ec_nomem(s->err);
    st = ec_strs_add(s->out, s->a, s->err,
                     "epochcast predicts %sthese runs with a median error of %.1f %%%s.", many,
                     100 * of_all, envs > 1 ? each : "");
out:
    return st;
}

/* Why a name is not counted; its note says which are near. */
static const char *note_of(const struct says *s, const char *model)
{
    const struct ec_strs *notes = &s->r->notes;
    size_t len = strlen(model);
    int i;

    for (i = 0; i < notes->n; i++)
        if (ec_str_starts(notes->v[i], model) && ec_str_starts(notes->v[i] + len, EC__UNCOUNTED))
            return notes->v[i] + len + strlen(EC__UNCOUNTED);
    return "";
}

static bool first_of_name(const struct says *s, int i)
{
    int k;

    for (k = 0; k < i && !ec_str_eq(s->r->v[k].record.what, s->r->v[i].record.what); k++)
        continue;
    return k == i;
}

/* Names that are no network, as a misspelt one: the first ones, and how many others. */
static enum ec_status unknown(const struct says *s)
{
    int i, k, n, names = 0, others = 0;
    enum ec_status st = EC_OK;

    for (i = 0; i < s->r->n && !st; i++) {
        const char *model = s->r->v[i].record.what;

        if (!s->r->v[i].unknown || !first_of_name(s, i))
            continue;
        for (k = i, n = 0; k < s->r->n; k++)
            n += ec_str_eq(s->r->v[k].record.what, model);
        if (names++ >= UNKNOWN_SAID) {
            others += n;
        } else {
            const char *why = note_of(s, model);

            st = ec_strs_add(s->out, s->a, s->err, "%d run%s of \"%s\" %s not compared: %s%s", n,
                             n == 1 ? "" : "s", model, n == 1 ? "is" : "are", why,
                             strchr(why, '?') ? "" : ".");
        }
    }
    if (!st && others)
        st = ec_strs_add(s->out, s->a, s->err,
                         "%d run%s of %d further name%s that no built-in network has %s not "
                         "compared either.",
                         others, others == 1 ? "" : "s", names - UNKNOWN_SAID,
                         names == UNKNOWN_SAID + 1 ? "" : "s", others == 1 ? "is" : "are");
    return st;
}

/* Whether some runs, but not all, are of networks that are known. */
static bool some_known(const struct ec_runs *r)
{
    int i, n = 0;

    for (i = 0; i < r->n; i++)
        n += r->v[i].unknown;
    return n && n < r->n;
}

enum ec_status ec_runs_findings(const struct ec_runs *r, const char *reference, struct ec_arena *a,
                                struct ec_strs *ret, struct ec_err *err)
{
    struct says s = { .r = r, .a = a, .out = ret, .err = err, .only_known = some_known(r) };
    enum ec_status st;
    bool few;

    ec_runs_common(r, &s.common);
    few = models_of(&s) <= MODELS_FEW;
    EC_TRY(about(&s));
    if (few)
        EC_TRY(fastest(&s, reference));
    EC_TRY(networks(&s));
    EC_TRY(ec__runs_say_left(r, a, ret, err));
    if (s.only_known)
        EC_TRY(unknown(&s));
    EC_TRY(predicted(&s));
    EC_TRY(efficiency(&s));
    if (!few)
        EC_TRY(fastest(&s, reference));
    EC_TRY(scaling(&s));
    EC_TRY(over_devices(&s));
    EC_TRY(units(&s));
    EC_TRY(noise(&s));
out:
    return st;
}
