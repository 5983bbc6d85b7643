/* What would make a step faster: the query predicted again with one change at a time. */
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>

/* A change that gains less is not worth a line: other runs differ by as much. */
#define LEAST_SPEEDUP 1.05

struct change {
    const char *option, *value;
    bool applies;
    bool recompute; /* with it */
};

static void say(struct ec_advice *a)
{
    char gain[64], times[32];

    if (a->speedup >= 1.5)
        (void)ec_snprintf(gain, sizeof gain, "%s times as many samples/s",
                          ec_fmt_times(times, sizeof times, a->speedup));
    else
        (void)ec_snprintf(gain, sizeof gain, "%.0f %% more samples/s", 100 * (a->speedup - 1));
    (void)snprintf(a->text, sizeof a->text, "%s--%s %s: %s",
                   a->recompute ? "--recompute full " : "", a->option, a->value, gain);
}

/* Keeps the list sorted, best first, and drops the last where it is full. */
static void insert(const struct ec_advice *a, struct ec_advice v[EC_ADVICE_MAX], int *n)
{
    int at = *n < EC_ADVICE_MAX ? (*n)++ : EC_ADVICE_MAX;

    for (; at > 0 && v[at - 1].speedup < a->speedup; at--)
        if (at < EC_ADVICE_MAX)
            v[at] = v[at - 1];
    if (at < EC_ADVICE_MAX)
        v[at] = *a;
}

/* Whether memory is why the batch is not larger: twice as many samples do not fit, but they could
 * with recomputation. Errors: NOMEM */
static enum ec_status wants_room(struct ec_predictor *p, const char *model, const char *device,
                                 const struct ec_predict_opts *opts, const struct ec_prediction *r,
                                 bool *ret, struct ec_err *err)
{
    struct ec_predict_opts o = *opts;
    int64_t largest = 0;
    enum ec_status st;

    *ret = false;
    if (opts->global_batch || opts->cond.recompute != EC_RECOMPUTE_NONE ||
        !ec_may_recompute(&opts->cond))
        return EC_OK;
    o.batch = EC_BATCH_MAX;
    st = ec_predict_batch(p, model, device, &o, &largest, NULL);
    *ret = !st && largest < 2 * r->batch_per_device;
    return st == EC_E_NOMEM ? ec_nomem(err) : EC_OK;
}

/* A change is offered where it fits as surely as the largest batch does, or as the query itself. */
static bool may_not_fit(const struct ec_prediction *changed, const struct ec_prediction *r)
{
    return changed->fits_probability >= 0 &&
           changed->fits_probability < fmin(0.95, r->fits_probability);
}

enum ec_status ec_advise(struct ec_predictor *p, const char *model, const char *device,
                         const struct ec_predict_opts *opts, const struct ec_prediction *r,
                         struct ec_advice ret[EC_ADVICE_MAX], int *ret_count, struct ec_err *err)
{
    const struct ec_conditions *c = &opts->cond;
    char twice[32], rate[32] = "";
    bool more = false, ok = false;
    bool wide = c->precision == EC_FP32 || c->precision == EC_TF32;
    const struct change changes[] = {
        {"precision",  "amp",              wide,                                          false},
        { "layout",    "channels-last",    r->image_px && c->layout == EC_CHANNELS_FIRST, false},
        { "framework", "pytorch-compiled", c->framework == EC_FW_pytorch_2,               false},
        { "host",      EC_GRAPHS_HOST,     r->host_ns > r->device_ns,                     false},
        { "batch",     twice,              !opts->global_batch,                           false},
        { "batch",     "max",              true,                                          true },
        { "recompute", "none",             c->recompute != EC_RECOMPUTE_NONE,             false},
        { "loader",    rate,               r->limit == EC_LIMIT_LOADER,                   false},
    };
    struct ec_predict_opts o = *opts, asked = *opts;
    struct ec_prediction other, alone = *r;
    enum ec_status st = EC_OK;
    int i;

    *ret_count = 0;
    asked.from_run = NULL; /* a run is one of its own options: others are compared without it */
    if (opts->from_run && *opts->from_run)
        EC_TRY(ec_predict_network(p, model, device, &asked, &alone, err));
    EC_TRY(wants_room(p, model, device, opts, r, &more, err));
    o.loader = NULL;
    if (r->limit == EC_LIMIT_LOADER)
        EC_TRY(ec_predict_try(p, model, device, &o, &other, &ok, err));
    if (ok)
        (void)ec_snprintf(rate, sizeof rate, "%.0f", ceil(other.samples_per_s.p50));
    (void)snprintf(twice, sizeof twice, "%lld", 2 * (long long)r->batch_per_device);
    for (i = 0; i < EC_LEN(changes); i++) {
        struct ec_advice a = { .option = changes[i].option, .recompute = changes[i].recompute };

        if (!changes[i].applies || !*changes[i].value || (a.recompute && !more))
            continue;
        (void)snprintf(a.value, sizeof a.value, "%s", changes[i].value);
        o = asked;
        o.usual_precision = false;
        if (!o.global_batch)
            o.batch = r->batch_per_device;
        if (a.recompute)
            o.cond.recompute = EC_RECOMPUTE_FULL;
        EC_TRY(ec_predict_opts_set(&o, a.option, a.value, err));
        EC_TRY(ec_predict_try(p, model, device, &o, &other, &ok, err));
        if (!ok || may_not_fit(&other, r))
            continue;
        a.speedup = other.samples_per_s.p50 / alone.samples_per_s.p50;
        if (!(a.speedup >= LEAST_SPEEDUP))
            continue;
        say(&a);
        insert(&a, ret, ret_count);
    }
out:
    return st;
}
