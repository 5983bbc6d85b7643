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
    bool for_room; /* with --recompute full, where the memory is short */
};
/* A query, and what was found for it. */
struct advising {
    struct ec_predictor *p;
    const char *model, *device;
    const struct ec_predict_opts *asked;
    const struct ec_prediction *r, *alone; /* with and without a run */
    struct ec_advice *ret;
    int *n;
};

/* "--recompute full --micro-batch 4" */
static void say(struct ec_advice *a, const char *model)
{
    const struct ec_field *f = ec_field_find(ec_predict_fields, ec_span_of(a->option));
    bool again = a->recompute != EC_RECOMPUTE_NONE, is_flag = f && f->type == EC_F_BOOL;
    char gain[64], times[32], *c;

    if (a->speedup >= 1.5)
        (void)ec_snprintf(gain, sizeof gain, "%s times as many samples/s",
                          ec_fmt_times(times, sizeof times, a->speedup));
    else
        (void)ec_snprintf(gain, sizeof gain, "%.0f %% more samples/s", 100 * (a->speedup - 1));
    if (model)
        (void)ec_snprintf(a->text, sizeof a->text, "%.60s: %s", model, gain);
    else
        (void)snprintf(a->text, sizeof a->text, "%s%s%s--%s%s%s: %s", again ? "--recompute " : "",
                       again ? ec_recompute_names[a->recompute] : "", again ? " " : "", a->option,
                       is_flag ? "" : " ", is_flag ? "" : a->value, gain);
    for (c = a->text; !model && *c && *c != ':'; c++)
        *c = *c == '_' ? '-' : *c;
}

/* Keeps the list sorted, best first, the best of each option, and drops the last where it is full.
 */
static void insert(const struct ec_advice *a, struct ec_advice v[EC_ADVICE_MAX], int *n)
{
    int at, i;

    for (i = 0; i < *n && !ec_str_eq(v[i].option, a->option); i++)
        continue;
    if (i < *n && v[i].speedup >= a->speedup)
        return;
    at = i < *n ? i : *n < EC_ADVICE_MAX ? (*n)++ : EC_ADVICE_MAX;
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
    if (r->is_shared || opts->global_batch || opts->cond.recompute != EC_RECOMPUTE_NONE ||
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
           changed->fits_probability < fmin(EC_SURE, r->fits_probability);
}

/* The model with as many words as whole tiles of matrix units have on each rank of a tensor group.
 * ret_words "": it has so many, or scores no words. Errors: NOMEM */
#define WORDS_OF_TILES 64
#define LEAST_WORDS 4096
static enum ec_status pad_words(struct ec_predictor *p, const char *model,
                                const struct ec_predict_opts *opts, int64_t batch,
                                struct ec_buf *ret_model, char *ret_words, size_t size,
                                struct ec_err *err)
{
    struct ec_predict_opts o = *opts;
    const struct ec_graph *g = NULL;
    const struct ec_step *step = NULL;
    long long unit = WORDS_OF_TILES * (opts->parallel.tensor > 1 ? opts->parallel.tensor : 1), n;
    const struct ec_shape *out;
    enum ec_status st;

    o.batch = batch; /* the network that was predicted is there still */
    st = ec_predictor_network(p, model, &o, &g, &step, NULL);
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

/* Predicts a change of the options, or of the model with other words, and keeps it if it pays and
 * fits as surely. *ret_fits: it does. Errors: NOMEM */
static enum ec_status try_change(const struct advising *w, const char *other_model,
                                 struct ec_advice a, bool *ret_fits, struct ec_err *err)
{
    struct ec_predict_opts o = *w->asked;
    struct ec_prediction other;

    *ret_fits = false;
    o.usual_precision = false;
    if (!w->r->is_shared && !o.global_batch)
        o.batch = w->r->batch_per_device;
    if (a.recompute != EC_RECOMPUTE_NONE)
        o.cond.recompute = a.recompute;
    if (!other_model)
        EC_PASS(ec_predict_opts_set(&o, a.option, a.value, err));
    EC_PASS(ec_predict_try(w->p, other_model ? other_model : w->model, w->device, &o, &other,
                           ret_fits, err));
    *ret_fits = *ret_fits && !may_not_fit(&other, w->r);
    if (!*ret_fits)
        return EC_OK;
    a.speedup = other.samples_per_s.p50 / w->alone->samples_per_s.p50;
    if (!(a.speedup >= (other_model ? LEAST_SPEEDUP_OF_WORDS : LEAST_SPEEDUP)))
        return EC_OK;
    say(&a, other_model);
    insert(&a, w->ret, w->n);
    return EC_OK;
}

/* What devices do otherwise that share more than the batch. A micro-batch is larger, all else
 * smaller. Errors: NOMEM */
static enum ec_status advise_shared(const struct advising *w, struct ec_err *err)
{
    static const enum ec_recompute again[] = { EC_RECOMPUTE_NONE, EC_RECOMPUTE_SELECTIVE,
                                               EC_RECOMPUTE_FULL };
    const struct ec_parallelism *now = &w->asked->parallel;
    const struct ec_prediction *r = w->r;
    const struct {
        const char *option;
        int64_t value;
        bool applies;
    } changes[] = {
        {"micro_batch",    2 * r->micro_batch, true                                     },
        { "micro_batch",   4 * r->micro_batch, true                                     },
        { "micro_batch",   8 * r->micro_batch, true                                     },
        { "zero",          1,                  r->zero_stage > 1                        },
        { "zero",          2,                  r->zero_stage > 2                        },
        { "tp",            1,                  now->tensor > 1                          },
        { "tp",            now->tensor / 2,    now->tensor > 2                          },
        { "keep_gathered", 1,                  r->zero_stage == 3 && !now->keep_gathered},
    };
    bool keeps = w->asked->cond.recompute == EC_RECOMPUTE_NONE && ec_may_recompute(&w->asked->cond);
    enum ec_status st = EC_OK;
    bool fits;
    int i, k;

    for (i = 0; r->is_shared && i < EC_LEN(changes) && !st; i++) {
        struct ec_advice a = { .option = changes[i].option };

        (void)ec_snprintf(a.value, sizeof a.value, "%lld", (long long)changes[i].value);
        fits = !changes[i].applies;
        for (k = 0; !fits && k < (keeps ? EC_LEN(again) : 1); k++) {
            a.recompute = again[k];
            EC_PASS(try_change(w, NULL, a, &fits, err));
        }
    }
    return EC_OK;
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
        { "recompute", "selective",        c->recompute == EC_RECOMPUTE_FULL,             false},
        { "loader",    rate,               r->limit == EC_LIMIT_LOADER,                   false},
        { OF_WORDS,    words,              true,                                          false},
    };
    struct ec_predict_opts o = *opts, asked = *opts;
    struct ec_prediction other, alone = *r;
    const struct advising w = { p, model, device, &asked, r, &alone, ret, ret_count };
    enum ec_status st = EC_OK;
    int i;

    *ret_count = 0;
    asked.from_run = NULL; /* a run is one of its own options: others are compared without it */
    if (opts->from_run && *opts->from_run)
        EC_TRY(ec_predict_network(p, model, device, &asked, &alone, err));
    EC_TRY(pad_words(p, model, &asked, r->is_shared ? 1 : r->batch_per_device, &padded, words,
                     sizeof words, err));
    EC_TRY(wants_room(p, model, device, opts, r, &more, err));
    o.loader = NULL;
    if (r->limit == EC_LIMIT_LOADER)
        EC_TRY(ec_predict_try(p, model, device, &o, &other, &ok, err));
    if (ok)
        (void)ec_snprintf(rate, sizeof rate, "%.0f", ceil(other.samples_per_s.p50));
    (void)snprintf(twice, sizeof twice, "%lld", 2 * (long long)r->batch_per_device);
    for (i = 0; i < EC_LEN(changes); i++) {
        struct ec_advice a = { .option = changes[i].option };

        if (!changes[i].applies || !*changes[i].value || (changes[i].for_room && !more))
            continue;
        if (changes[i].for_room)
            a.recompute = EC_RECOMPUTE_FULL;
        (void)snprintf(a.value, sizeof a.value, "%s", changes[i].value);
        EC_TRY(try_change(&w, ec_str_eq(a.option, OF_WORDS) ? ec_buf_text(&padded) : NULL, a, &ok,
                          err));
    }
    EC_TRY(advise_shared(&w, err));
out:
    ec_buf_clear(&padded);
    return st;
}
