/* What would make a step faster: the query predicted again with one change at a time. */
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A change that gains less is not worth a line: other runs differ by as much. */
#define LEAST_SPEEDUP 1.05
#define OF_WORDS "vocab" /* no option: a parameter of the model */
/* Padding the words costs nothing else. */
#define LEAST_SPEEDUP_OF_WORDS 1.02

struct change {
    const char *option, *value;
    bool applies;
    bool recompute; /* with it */
};

static void say(struct ec_advice *a, const char *model)
{
    char gain[64], times[32];

    if (a->speedup >= 1.5)
        (void)ec_snprintf(gain, sizeof gain, "%s times as many samples/s",
                          ec_fmt_times(times, sizeof times, a->speedup));
    else
        (void)ec_snprintf(gain, sizeof gain, "%.0f %% more samples/s", 100 * (a->speedup - 1));
    if (model)
        (void)ec_snprintf(a->text, sizeof a->text, "%.60s: %s", model, gain);
    else
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

/* The model with as many words as whole tiles of matrix units have on each rank of a tensor group.
 * ret_words "": it has so many, or scores no words. Errors: NOMEM */
#define WORDS_OF_TILES 64
#define LEAST_WORDS 4096
static enum ec_status pad_words(struct ec_predictor *p, const char *model,
                                const struct ec_predict_opts *opts, struct ec_buf *ret_model,
                                char *ret_words, size_t size, struct ec_err *err)
{
    struct ec_predict_opts one = *opts;
    const struct ec_graph *g = NULL;
    const struct ec_step *step = NULL;
    long long unit = WORDS_OF_TILES * (opts->parallel.tensor > 1 ? opts->parallel.tensor : 1), n;
    const struct ec_shape *out;
    enum ec_status st;

    one.batch = 1;
    st = ec_predictor_network(p, model, &one, &g, &step, NULL);
    if (st)
        return st == EC_E_NOMEM ? ec_nomem(err) : EC_OK; /* a file of another batch alone */
    out = &g->values[g->outputs[0]]->type.shape;
    n = out->rank ? out->d[out->rank - 1] : 0;
    if (!(g->sizes & EC_SIZE_SEQ_LEN) || n < LEAST_WORDS || n % unit == 0)
        return EC_OK;
    (void)ec_snprintf(ret_words, size, "%lld", (n + unit - 1) / unit * unit);
    ec_buf_printf(ret_model, "%s%cvocab=%s", model, strchr(model, ':') ? ',' : ':', ret_words);
    return ec_buf_status(ret_model, err);
}

/* The prediction of a change of the options, or of the model with other words.
 * ret_ok false: it cannot be, or does not fit as surely. */
static enum ec_status ask(struct ec_predictor *p, const char *model, const char *device,
                          const struct ec_predict_opts *asked, const struct ec_prediction *r,
                          const struct ec_advice *a, struct ec_prediction *ret, bool *ret_ok,
                          struct ec_err *err)
{
    struct ec_predict_opts o = *asked;
    enum ec_status st;

    o.usual_precision = false;
    if (!o.global_batch)
        o.batch = r->batch_per_device;
    if (a->recompute)
        o.cond.recompute = EC_RECOMPUTE_FULL;
    if (!ec_str_eq(a->option, OF_WORDS))
        EC_TRY(ec_predict_opts_set(&o, a->option, a->value, err));
    EC_TRY(ec_predict_try(p, model, device, &o, ret, ret_ok, err));
    *ret_ok = *ret_ok && !may_not_fit(ret, r);
out:
    return st;
}

enum ec_status ec_advise(struct ec_predictor *p, const char *model, const char *device,
                         const struct ec_predict_opts *opts, const struct ec_prediction *r,
                         struct ec_advice ret[EC_ADVICE_MAX], int *ret_count, struct ec_err *err)
{
    const struct ec_conditions *c = &opts->cond;
    char twice[32], rate[32] = "", words[32] = "";
    struct ec_buf padded = EC_BUF_INIT;
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
        { OF_WORDS,    words,              true,                                          false},
    };
    struct ec_predict_opts o = *opts, asked = *opts;
    struct ec_prediction other, alone = *r;
    enum ec_status st = EC_OK;
    int i;

    *ret_count = 0;
    asked.from_run = NULL; /* a run is one of its own options: others are compared without it */
    if (opts->from_run && *opts->from_run)
        EC_TRY(ec_predict_network(p, model, device, &asked, &alone, err));
    EC_TRY(pad_words(p, model, &asked, &padded, words, sizeof words, err));
    EC_TRY(wants_room(p, model, device, opts, r, &more, err));
    o.loader = NULL;
    if (r->limit == EC_LIMIT_LOADER)
        EC_TRY(ec_predict_try(p, model, device, &o, &other, &ok, err));
    if (ok)
        (void)ec_snprintf(rate, sizeof rate, "%.0f", ceil(other.samples_per_s.p50));
    (void)snprintf(twice, sizeof twice, "%lld", 2 * (long long)r->batch_per_device);
    for (i = 0; i < EC_LEN(changes); i++) {
        struct ec_advice a = { .option = changes[i].option, .recompute = changes[i].recompute };
        const char *other_model = ec_str_eq(a.option, OF_WORDS) ? ec_buf_text(&padded) : NULL;

        if (!changes[i].applies || !*changes[i].value || (a.recompute && !more))
            continue;
        (void)snprintf(a.value, sizeof a.value, "%s", changes[i].value);
        EC_TRY(ask(p, other_model ? other_model : model, device, &asked, r, &a, &other, &ok, err));
        if (!ok)
            continue;
        a.speedup = other.samples_per_s.p50 / alone.samples_per_s.p50;
        if (!(a.speedup >= (other_model ? LEAST_SPEEDUP_OF_WORDS : LEAST_SPEEDUP)))
            continue;
        say(&a, other_model);
        insert(&a, ret, ret_count);
    }
out:
    ec_buf_clear(&padded);
    return st;
}
