/* What runs say, in sentences computed from them. */
#include "report/runs.h"

#include <math.h>
#include <stdio.h>

#include "plot/plot.h"

struct says {
    const struct ec_runs *r;
    struct ec_arena *a;
    struct ec_strs *out;
    struct ec_err *err;
};

static bool whole(const struct ec_run *v)
{
    return !*v->layer && isfinite(v->median_ns);
}

static const struct ec_run *fastest_of(const struct ec_runs *r, const char *model)
{
    const struct ec_run *best = NULL;
    int i;

    for (i = 0; i < r->n; i++)
        if (whole(&r->v[i]) && ec_str_eq(r->v[i].model, model) &&
            (!best || ec_run_samples_per_s(&r->v[i]) > ec_run_samples_per_s(best)))
            best = &r->v[i];
    return best;
}

static bool first_of_model(const struct ec_runs *r, int i)
{
    int k;

    for (k = 0; k < i; k++)
        if (ec_str_eq(r->v[k].model, r->v[i].model))
            return false;
    return true;
}

/* Three digits, without an exponent. */
static const char *rate(const struct ec_run *v, char out[48])
{
    static const struct ec_axis axis = { .form = EC_AXIS_NUMBER, .unit = "samples/s" };

    ec_axis_text(&axis, ec_run_samples_per_s(v), out, 48);
    return out;
}

static enum ec_status fastest(const struct says *s, const char *reference)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < s->r->n && !st; i++) {
        const struct ec_run *v =
            first_of_model(s->r, i) ? fastest_of(s->r, s->r->v[i].model) : NULL;
        char more[200] = "", text[48];

        if (!v)
            continue;
        if (isfinite(v->speedup) && !ec_str_eq(v->env, reference))
            (void)snprintf(more, sizeof more, ", %.3g times %s", v->speedup, reference);
        st = ec_strs_add(s->out, s->a, s->err, "%s is fastest on %s at batch %lld: %s%s.", v->model,
                         v->env, (long long)v->batch, rate(v, text), more);
    }
    return st;
}

static enum ec_status efficiency(const struct says *s)
{
    const struct ec_run *lo = NULL, *hi = NULL;
    int i, n = 0, memory = 0;
    enum ec_status st = EC_OK;

    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *v = &s->r->v[i];

        if (!whole(v) || !isfinite(ec_run_efficiency(v)))
            continue;
        n++;
        memory += ec_str_eq(ec_run_bound(v), "memory");
        lo = !lo || ec_run_efficiency(v) < ec_run_efficiency(lo) ? v : lo;
        hi = !hi || ec_run_efficiency(v) > ec_run_efficiency(hi) ? v : hi;
    }
    if (!n)
        return EC_OK;
    EC_TRY(ec_strs_add(s->out, s->a, s->err,
                       "Efficiency against the datasheet peak is between %.1f %% (%s on %s, batch "
                       "%lld) and %.1f %% (%s on %s, batch %lld).",
                       100 * ec_run_efficiency(lo), lo->model, lo->env, (long long)lo->batch,
                       100 * ec_run_efficiency(hi), hi->model, hi->env, (long long)hi->batch));
    EC_TRY(ec_strs_add(s->out, s->a, s->err,
                       "By their arithmetic intensity, %d of %d runs are bound by memory and %d by "
                       "compute.",
                       memory, n, n - memory));
out:
    return st;
}

static enum ec_status scaling(const struct says *s)
{
    const struct ec_run *worst = NULL;
    int i;

    for (i = 0; i < s->r->n; i++)
        if (isfinite(s->r->v[i].scaling_frac) &&
            (!worst || s->r->v[i].scaling_frac < worst->scaling_frac))
            worst = &s->r->v[i];
    if (!worst)
        return EC_OK;
    return ec_strs_add(
        s->out, s->a, s->err,
        "A larger batch pays least for %s on %s: at batch %lld it reaches %.0f %% of "
        "throughput in proportion to the batch.",
        worst->model, worst->env, (long long)worst->batch, 100 * worst->scaling_frac);
}

static enum ec_status noise(const struct says *s)
{
    const struct ec_run *worst = NULL;
    int i;

    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *v = &s->r->v[i];

        if (v->n > 2 && (!worst || v->std_ns / v->mean_ns > worst->std_ns / worst->mean_ns))
            worst = v;
    }
    if (!worst)
        return EC_OK;
    return ec_strs_add(s->out, s->a, s->err,
                       "Iterations scatter most for %s on %s, batch %lld: a standard deviation of "
                       "%.1f %% of the mean over %d iterations.",
                       worst->model, worst->env, (long long)worst->batch,
                       100 * worst->std_ns / worst->mean_ns, worst->n);
}

static enum ec_status predicted(const struct says *s)
{
    double *share = ec_alloc(sizeof *share * (size_t)(s->r->n + 1));
    enum ec_status st = EC_OK;
    int i, n = 0;

    if (!share)
        return ec_nomem(s->err);
    for (i = 0; i < s->r->n; i++) {
        const struct ec_run *v = &s->r->v[i];

        if (v->measured && whole(v) && isfinite(v->predicted_ns))
            share[n++] = fabs(v->predicted_ns / v->median_ns - 1);
    }
    if (n)
        st = ec_strs_add(s->out, s->a, s->err,
                         "epochcast predicts %d of these runs with a median error of %.1f %%.", n,
                         100 * ec_quantile_inplace(share, n, 0.5));
    ec_free(share);
    return st;
}

enum ec_status ec_runs_findings(const struct ec_runs *r, const char *reference, struct ec_arena *a,
                                struct ec_strs *ret, struct ec_err *err)
{
    struct says s = { r, a, ret, err };
    enum ec_status st;

    EC_TRY(fastest(&s, reference));
    EC_TRY(efficiency(&s));
    EC_TRY(scaling(&s));
    EC_TRY(noise(&s));
    EC_TRY(predicted(&s));
out:
    return st;
}
