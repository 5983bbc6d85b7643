/* Writes sentences on runs, computed from them. */
#include "report/runs_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot.h"

/* Two rows are no comparison: what is said of a range or an error needs three. Of more than a few
 * networks what they have in common comes before each of them. */
#define DRIFTED 1.1 /* times: the least that is said */
enum { MODELS_SAID = 8, MODELS_FEW = 4, FEWEST = 3, UNKNOWN_SAID = 2, ENVS_SAID = 6 };

struct says {
    const struct ec_runs *r;
    struct ec_run *v; /* those of the comparison: borrowed copies */
    int n;
    struct ec_groups envs;     /* of all runs */
    struct ec_groups networks; /* of v */
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

static enum ec_status group(const struct says *s, unsigned keys, struct ec_groups *ret)
{
    return ec__runs_group(s->v, s->n, keys, ret, s->err);
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
                       s->envs.n > 1 ? ", which most environments ran" : "", other, s->r->n);
}

/* Three digits, without an exponent. */
static const char *rate(const struct ec_run *v, char out[48])
{
    static const struct ec_axis axis = { .form = EC_AXIS_NUMBER, .unit = "samples/s" };

    ec_axis_text(&axis, ec_run_samples_per_s(v), out, 48);
    return out;
}

/* "batch 32", with the tokens where the network was run with several. */
static const char *where(const struct says *s, const struct ec_run *v, char out[160])
{
    if (ec__runs_vary(s->v, &s->networks, s->networks.of[v - s->v], EC__BY_TOKENS))
        (void)snprintf(out, 160, "batch %lld, %lld tokens", (long long)v->record.batch,
                       (long long)v->record.seq_len);
    else
        (void)snprintf(out, 160, "batch %lld", (long long)v->record.batch);
    return out;
}

/* The run of the network in the environment of `v` that the speed-up is of: v itself, else the
 * largest batch that the reference ran too; NULL: none. */
static const struct ec_run *sped_up(const struct says *s, int network, const struct ec_run *v)
{
    const struct ec_groups *g = &s->networks;
    const struct ec_run *best = isfinite(v->speedup) ? v : NULL;
    int i;

    for (i = g->begin[network]; i < g->begin[network + 1] && best != v; i++) {
        const struct ec_run *w = &s->v[g->item[i]];

        if (isfinite(w->speedup) && ec_str_eq(w->env, v->env) &&
            (!best || w->record.batch > best->record.batch))
            best = w;
    }
    return best;
}

static enum ec_status fastest_sentence(const struct says *s, int network, const char *reference)
{
    const struct ec_groups *g = &s->networks;
    const struct ec_run *v = &s->v[ec_group_first(g, network)], *w;
    char more[240] = "", at[64] = "", text[48], place[160];
    int i;

    if (ec_group_size(g, network) == 1)
        return ec_strs_add(s->out, s->a, s->err, "%s does %s on %s at %s.", v->record.what,
                           rate(v, text), v->env, where(s, v, place));
    for (i = g->begin[network]; i < g->begin[network + 1]; i++)
        v = ec_run_samples_per_s(&s->v[g->item[i]]) > ec_run_samples_per_s(v) ? &s->v[g->item[i]]
                                                                              : v;
    w = ec_str_eq(v->env, reference) ? NULL : sped_up(s, network, v);
    if (w && w != v)
        (void)ec_snprintf(at, sizeof at, " where both ran batch %lld", (long long)w->record.batch);
    if (w)
        (void)ec_snprintf(more, sizeof more, ", %.3g times %s%s", w->speedup, reference, at);
    return ec_strs_add(s->out, s->a, s->err, "%s is fastest on %s at %s: %s%s.", v->record.what,
                       v->env, where(s, v, place), rate(v, text), more);
}

static int most_first(const void *user, int a, int b)
{
    const int *n = user;

    return n[b] - n[a];
}

/* Ranks networks by number of environments: those can be compared. */
static enum ec_status fastest(const struct says *s, const char *reference)
{
    int n = s->networks.n, i;
    int *item = ec_alloc(sizeof *item * 3 * ((size_t)n + 1)), *envs;
    struct ec_groups cells = { 0 };
    enum ec_status st;

    if (!item)
        return ec_nomem(s->err);
    envs = item + 2 * (n + 1);
    EC_TRY(group(s, EC__BY_NETWORK | EC__BY_ENV, &cells));
    for (i = 0; i < cells.n; i++)
        envs[s->networks.of[ec_group_first(&cells, i)]]++;
    for (i = 0; i < n; i++)
        item[i] = i;
    ec_sort_items(item, n, item + n + 1, most_first, envs);
    for (i = 0; i < n && i < MODELS_SAID; i++)
        EC_TRY(fastest_sentence(s, item[i], reference));
    if (n > MODELS_SAID)
        EC_TRY(ec_strs_add(s->out, s->a, s->err, "%d further networks are in the tables.",
                           n - MODELS_SAID));
out:
    ec_groups_clear(&cells);
    ec_free(item);
    return st;
}

/* Networks can be compared at one batch in one environment: where most were run. */
static enum ec_status networks(const struct says *s)
{
    struct ec_groups places = { 0 }, cells = { 0 };
    int *n_of = ec_alloc(sizeof *n_of * ((size_t)s->n + 1)), at = 0, i;
    const struct ec_run *lo, *hi;
    char text[2][48];
    enum ec_status st;

    if (!n_of)
        EC_TRY(ec_nomem(s->err));
    EC_TRY(group(s, EC__BY_ENV | EC__BY_BATCH, &places));
    EC_TRY(group(s, EC__BY_ENV | EC__BY_BATCH | EC__BY_NETWORK, &cells));
    for (i = 0; i < cells.n; i++)
        n_of[places.of[ec_group_first(&cells, i)]]++;
    for (i = 0; i < places.n; i++)
        at = n_of[i] > n_of[at] ? i : at;
    if (n_of[at] < FEWEST)
        goto out;
    lo = hi = &s->v[ec_group_first(&places, at)];
    for (i = places.begin[at]; i < places.begin[at + 1]; i++) {
        const struct ec_run *w = &s->v[places.item[i]];

        lo = ec_run_samples_per_s(w) < ec_run_samples_per_s(lo) ? w : lo;
        hi = ec_run_samples_per_s(w) > ec_run_samples_per_s(hi) ? w : hi;
    }
    EC_TRY(ec_strs_add(s->out, s->a, s->err,
                       "Of %d networks at batch %lld on %s, %s is fastest (%s) and %s slowest "
                       "(%s).",
                       n_of[at], (long long)lo->record.batch, lo->env, hi->record.what,
                       rate(hi, text[0]), lo->record.what, rate(lo, text[1])));
out:
    ec_groups_clear(&places);
    ec_groups_clear(&cells);
    ec_free(n_of);
    return st;
}

/* What n runs are: all, or those of the comparison, "training steps at fp32". */
static void put_which(const struct says *s, int n, struct ec_buf *out)
{
    int i, all = 0;

    for (i = 0; i < s->r->n; i++)
        all += whole(&s->r->v[i]) && !(s->only_known && s->r->v[i].unknown);
    if (s->n == all)
        ec_buf_str(out, "runs");
    else
        ec_buf_printf(out, "%s at %s", mode_words(s), s->common.precision);
    if (n < s->n)
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

        for (i = 0; i < s->n; i++)
            n_of +=
                isfinite(ec_run_efficiency(&s->v[i])) && ec_str_eq(ec_run_limit(&s->v[i]), name);
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

    for (i = 0; i < s->n; i++) {
        const struct ec_run *v = &s->v[i];

        if (!isfinite(ec_run_efficiency(v)))
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

/* The run of a group that scales worst, of those with enough smaller batches to compare with. */
static const struct ec_run *worst_of(const struct says *s, const struct ec_groups *g, int k)
{
    int64_t least = INT64_MAX, second = INT64_MAX;
    const struct ec_run *worst = NULL;
    int i;

    for (i = g->begin[k]; i < g->begin[k + 1]; i++) {
        int64_t batch = s->v[g->item[i]].record.batch;

        second = batch < least ? least : batch < second ? batch : second;
        least = batch < least ? batch : least;
    }
    for (i = g->begin[k]; i < g->begin[k + 1]; i++) {
        const struct ec_run *v = &s->v[g->item[i]];

        if (isfinite(v->scaling_frac) && v->record.batch > second &&
            (!worst || v->scaling_frac < worst->scaling_frac))
            worst = v;
    }
    return worst;
}

static enum ec_status scaling(const struct says *s)
{
    const struct ec_run *worst = NULL;
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(group(s, EC__BY_QUERY | EC__BY_ENV, &g));
    for (i = 0; i < g.n; i++) {
        const struct ec_run *v = worst_of(s, &g, i);

        worst = v && (!worst || v->scaling_frac < worst->scaling_frac) ? v : worst;
    }
    if (worst)
        EC_TRY(ec_strs_add(s->out, s->a, s->err,
                           "A larger batch pays least for %s on %s: at batch %lld it reaches %.0f "
                           "%% of throughput in proportion to the batch.",
                           worst->record.what, worst->env, (long long)worst->record.batch,
                           100 * worst->scaling_frac));
out:
    ec_groups_clear(&g);
    return st;
}

static double spread_of(const struct ec_run *v)
{
    return v->steady_std_frac > 0 ? v->steady_std_frac : v->std_ns / v->mean_ns;
}

/* How far the end of a run is from its begin, as a factor of at least 1; 0: not known. */
static double drift_of(const struct ec_run *v)
{
    return v->drift_ratio > 0 ? fmax(v->drift_ratio, 1 / v->drift_ratio) : 0;
}

/* A device that is throttled becomes slower within a run, one that wakes up faster. */
static enum ec_status drift(const struct says *s)
{
    const struct ec_run *worst = NULL;
    char times[32];
    int i;

    for (i = 0; i < s->n; i++)
        worst = !worst || drift_of(&s->v[i]) > drift_of(worst) ? &s->v[i] : worst;
    if (!worst || drift_of(worst) < DRIFTED)
        return EC_OK;
    return ec_strs_add(s->out, s->a, s->err,
                       "%s on %s, batch %lld, became %s while it ran: the last third of its "
                       "iterations took %s times as long as the first.",
                       worst->record.what, worst->env, (long long)worst->record.batch,
                       worst->drift_ratio > 1 ? "slower" : "faster",
                       ec_fmt_times(times, sizeof times, worst->drift_ratio));
}

static enum ec_status noise(const struct says *s)
{
    const struct ec_run *worst = NULL;
    int i, n = 0;

    for (i = 0; i < s->n; i++) {
        const struct ec_run *v = &s->v[i];

        if (v->n <= 2 || !isfinite(spread_of(v)))
            continue;
        n++;
        if (!worst || spread_of(v) > spread_of(worst))
            worst = v;
    }
    if (!worst)
        return EC_OK;
    return ec_strs_add(s->out, s->a, s->err,
                       "Iterations scatter%s for %s on %s, batch %lld: a standard deviation of "
                       "%.1f %% of the mean over %d iterations%s.",
                       n > 1 ? " most" : "", worst->record.what, worst->env,
                       (long long)worst->record.batch, 100 * spread_of(worst), worst->n,
                       worst->first_ns > 2 * worst->median_ns ? ", without those of the warm-up"
                                                              : "");
}

/* What the most devices reach of throughput in proportion to their number: the best and the worst.
 */
static enum ec_status over_devices(const struct says *s)
{
    const struct ec_run *lo = NULL, *hi = NULL;
    int64_t most = 1;
    char more[200] = "";
    int i;

    for (i = 0; i < s->n; i++)
        if (isfinite(s->v[i].device_scaling_frac) && s->v[i].record.num_devices > most)
            most = s->v[i].record.num_devices;
    for (i = 0; i < s->n && most > 1; i++) {
        const struct ec_run *v = &s->v[i];

        if (!isfinite(v->device_scaling_frac) || v->record.num_devices != most)
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

/* What the devices of one type differ by, where a query was run on several. */
static enum ec_status units(const struct says *s)
{
    const struct ec_run *slow = NULL, *fast = NULL;
    double *spread = ec_alloc(sizeof *spread * ((size_t)s->n + 1)), widest = 0, median;
    struct ec_groups g = { 0 };
    char more[80] = "";
    enum ec_status st;
    int i, k, n = 0, most = 0;

    if (!spread)
        return ec_nomem(s->err);
    EC_TRY(group(s,
                 EC__BY_STEP | EC__BY_KIND | EC__BY_DEVICE | EC__BY_THREADS | EC__BY_NUM_DEVICES |
                     EC__BY_FLAGS,
                 &g));
    for (i = 0; i < g.n; i++) {
        const struct ec_run *lo = &s->v[ec_group_first(&g, i)], *hi = lo;

        if (!lo->measured || !*lo->record.device || !ec__runs_vary(s->v, &g, i, EC__BY_ENV))
            continue;
        for (k = g.begin[i]; k < g.begin[i + 1]; k++) {
            const struct ec_run *w = &s->v[g.item[k]];

            lo = w->median_ns < lo->median_ns ? w : lo;
            hi = w->median_ns > hi->median_ns ? w : hi;
        }
        spread[n++] = hi->median_ns / lo->median_ns - 1;
        most = ec_group_size(&g, i) > most ? ec_group_size(&g, i) : most;
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
    if (n)
        EC_TRY(ec_strs_add(
            s->out, s->a, s->err,
            "%d devices of the type %s differ: the slowest median of a network and batch is %.1f "
            "%% above the fastest%s (%s at batch %lld: %s above %s).",
            most, slow->record.device, 100 * median, more, slow->record.what,
            (long long)slow->record.batch, slow->env, fast->env));
out:
    ec_groups_clear(&g);
    ec_free(spread);
    return st;
}

/* Median error of n runs; *ret_n: those with a prediction. room: as many */
static double error_of(const struct ec_run *runs, const int *item, int n, double *room, int *ret_n)
{
    int i;

    *ret_n = 0;
    for (i = 0; i < n; i++) {
        const struct ec_run *v = &runs[item[i]];

        if (v->measured && whole(v) && isfinite(v->predicted_ns))
            room[(*ret_n)++] = fabs(v->predicted_ns / v->median_ns - 1);
    }
    return *ret_n ? ec_quantile_inplace(room, *ret_n, 0.5) : (double)NAN;
}

static enum ec_status predicted(const struct says *s)
{
    const char *each = "", *best = "", *worst = "";
    const struct ec_groups *g = &s->envs;
    double *room = ec_alloc(sizeof *room * ((size_t)s->r->n + 1));
    double error, of_all, lo = (double)INFINITY, hi = 0;
    int i, n, all, envs = 0;
    enum ec_status st = EC_OK;
    char many[32] = "";

    if (!room)
        return ec_nomem(s->err);
    of_all = error_of(s->r->v, g->item, s->r->n, room, &all);
    if (all < FEWEST)
        goto out;
    if (all < s->r->n)
        (void)snprintf(many, sizeof many, "%d of ", all);
    for (i = 0; i < g->n; i++) {
        const char *env = s->r->v[ec_group_first(g, i)].env;

        error = error_of(s->r->v, g->item + g->begin[i], ec_group_size(g, i), room, &n);
        if (!n)
            continue;
        best = error < lo ? env : best;
        worst = error >= hi ? env : worst;
        lo = fmin(lo, error);
        hi = fmax(hi, error);
        if (envs++ < ENVS_SAID)
            each = ec_arena_printf(s->a, "%s%s%s %.1f %%", each, envs > 1 ? "; " : ": ", env,
                                   100 * error);
        if (!each)
            EC_TRY(ec_nomem(s->err));
    }
    if (envs > ENVS_SAID)
        each = ec_arena_printf(s->a, ", in %d environments between %.1f %% (%s) and %.1f %% (%s)",
                               envs, 100 * lo, best, 100 * hi, worst);
    if (!each)
        EC_TRY(ec_nomem(s->err));
    EC_TRY(ec_strs_add(s->out, s->a, s->err,
                       "epochcast predicts %sthese runs with a median error of %.1f %%%s.", many,
                       100 * of_all, envs > 1 ? each : ""));
out:
    ec_free(room);
    return st;
}

/* Names that are no network, as a misspelt one: the first ones, and how many others. */
static enum ec_status unknown(const struct says *s)
{
    int i, names = 0, others = 0;
    struct ec_groups g = { 0 };
    enum ec_status st;

    EC_TRY(ec__runs_group(s->r->v, s->r->n, EC__BY_NETWORK, &g, s->err));
    for (i = 0; i < g.n; i++) {
        const struct ec_run *v = &s->r->v[ec_group_first(&g, i)];
        int n = ec_group_size(&g, i);

        if (!v->unknown)
            continue;
        if (names++ >= UNKNOWN_SAID)
            others += n;
        else
            EC_TRY(ec_strs_add(s->out, s->a, s->err, "%d run%s of \"%s\" %s not compared: %s%s", n,
                               n == 1 ? "" : "s", v->record.what, n == 1 ? "is" : "are",
                               v->uncounted, strchr(v->uncounted, '?') ? "" : "."));
    }
    if (others)
        EC_TRY(ec_strs_add(s->out, s->a, s->err,
                           "%d run%s of %d further name%s that no built-in network has %s not "
                           "compared either.",
                           others, others == 1 ? "" : "s", names - UNKNOWN_SAID,
                           names == UNKNOWN_SAID + 1 ? "" : "s", others == 1 ? "is" : "are"));
out:
    ec_groups_clear(&g);
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
    int i;

    s.v = ec_alloc(sizeof *s.v * ((size_t)r->n + 1));
    if (!s.v)
        EC_TRY(ec_nomem(err));
    EC_TRY(ec_runs_common(r, &s.common, err));
    for (i = 0; i < r->n; i++)
        if (common(&s, &r->v[i]))
            s.v[s.n++] = r->v[i];
    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_ENV, &s.envs, err));
    EC_TRY(group(&s, EC__BY_NETWORK, &s.networks));
    few = s.networks.n <= MODELS_FEW;
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
    EC_TRY(drift(&s));
out:
    ec_groups_clear(&s.envs);
    ec_groups_clear(&s.networks);
    ec_free(s.v);
    return st;
}
