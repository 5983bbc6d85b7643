/* Where a network does not fit: the batch, precision, recomputation and device with which it would.
 */
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan_lists.h"

/* Fills in the largest batch that fits, and its rate. */
static enum ec_status fill_way(struct ec_predictor *p, const char *model, const char *device,
                               const struct ec_predict_opts *asked, struct ec_room_way *way,
                               struct ec_err *err)
{
    struct ec_predict_opts o = *asked;
    struct ec_prediction r;
    enum ec_status st;

    o.global_batch = 0;
    o.batch = EC_BATCH_MAX;
    st = ec_predict_batch(p, model, device, &o, &way->batch, err);
    if (st == EC_E_UNSUPPORTED) { /* not even batch 1 */
        way->batch = 0;
        return EC_OK;
    }
    EC_PASS(st);
    o.batch = way->batch;
    EC_PASS(ec_predict_network(p, model, device, &o, &r, err));
    way->samples_per_s = r.samples_per_s.p50;
    return EC_OK;
}

/* The ways that the query leaves open, each only where it allows more than those before. */
static enum ec_status fill_ways(struct ec_predictor *p, const char *model, const char *device,
                                const struct ec_predict_opts *asked, struct ec_room *ret,
                                struct ec_err *err)
{
    bool wide = asked->cond.precision == EC_FP32 || asked->cond.precision == EC_TF32;
    bool keeps = asked->cond.recompute == EC_RECOMPUTE_NONE && ec_may_recompute(&asked->cond);
    const struct {
        const char *options, *key;
        bool halves, recomputes;
    } ways[EC_ROOM_WAYS] = {
        {"",                                  "batch",               false, false},
        { "--precision amp",                  "batch_amp",           true,  false},
        { "--recompute full",                 "batch_recompute",     false, true },
        { "--precision amp --recompute full", "batch_amp_recompute", true,  true },
    };
    int i, k;

    for (i = 0; i < EC_ROOM_WAYS; i++) {
        struct ec_room_way way = { .batch = 0 };
        struct ec_predict_opts o = *asked;
        int64_t least = 0;

        if ((ways[i].halves && !wide) || (ways[i].recomputes && !keeps))
            continue;
        if (ways[i].halves)
            o.cond.precision = EC_AMP;
        if (ways[i].recomputes)
            o.cond.recompute = EC_RECOMPUTE_FULL;
        (void)ec_snprintf(way.options, sizeof way.options, "%s", ways[i].options);
        (void)ec_snprintf(way.key, sizeof way.key, "%s", ways[i].key);
        EC_PASS(fill_way(p, model, device, &o, &way, err));
        for (k = 0; k < ret->n && (k == 0 || i == EC_ROOM_WAYS - 1); k++)
            least = ret->way[k].batch > least ? ret->way[k].batch : least;
        if (i == 0 || way.batch > least)
            ret->way[ret->n++] = way;
    }
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Jobs that share more than the batch */

/* Sets options written as on the command line. *ret_all: each of them changed something. */
static enum ec_status set_words(struct ec_predict_opts *o, const char *words, bool *ret_all,
                                struct ec_err *err)
{
    struct ec_span rest = ec_span_of(words), name, value;
    struct ec_buf before = EC_BUF_INIT, after = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    *ret_all = true;
    while (ec_span_cut(&rest, ' ', &name)) {
        const struct ec_field *f;
        char text[2][32];
        int i;

        (void)snprintf(text[0], sizeof text[0], "%.*s", (int)name.len - 2, name.p + 2);
        for (i = 0; text[0][i]; i++)
            if (text[0][i] == '-')
                text[0][i] = '_';
        value = ec_span_of("1"); /* of a flag */
        if (rest.len > 0 && rest.p[0] != '-')
            (void)ec_span_cut(&rest, ' ', &value);
        (void)snprintf(text[1], sizeof text[1], "%.*s", (int)value.len, value.p);
        f = ec_field_find(ec_predict_fields, ec_span_of(text[0]));
        ec_buf_clear(&before);
        ec_buf_clear(&after);
        ec_field_print(f, o, &before);
        EC_TRY(ec_predict_opts_set(o, text[0], text[1], err));
        ec_field_print(f, o, &after);
        *ret_all = *ret_all && !ec_str_eq(before.data, after.data);
    }
out:
    ec_buf_clear(&before);
    ec_buf_clear(&after);
    return st;
}

/* Keeps first what trains the same, then the fastest; nothing with a needless option. */
static void insert_way(struct ec_room *r, const struct ec_room_way *way)
{
    int at;

    for (at = 0; at < r->n; at++)
        if (strstr(way->options, r->way[at].options) &&
            r->way[at].samples_per_s >= way->samples_per_s)
            return;
    for (at = r->n < EC_ROOM_WAYS ? r->n++ : EC_ROOM_WAYS; at > 0; at--) {
        const struct ec_room_way *w = &r->way[at - 1];

        if (w->retunes == way->retunes ? w->samples_per_s >= way->samples_per_s : way->retunes)
            break;
        if (at < EC_ROOM_WAYS)
            r->way[at] = *w;
    }
    if (at < EC_ROOM_WAYS)
        r->way[at] = *way;
}

#define CHANGE(options_, key_, kind_) { options_, key_, kind_ },
static const struct {
    const char *options, *key;
    enum { AS_ASKED, FEWER_SAMPLES, OFFLOADED, MORE_DEVICES, RETUNED, SHORTER } kind;
} changes[] = { ROOM_CHANGES(CHANGE) };

/* A job that does not fit, and the changes with which it does. */
struct sharing {
    struct ec_predictor *p;
    const char *model, *device;
    const struct ec_predict_opts *asked;
    const struct ec_prediction *now;
    int64_t micro, times; /* samples at once, and how often before an update */
    struct ec_room *ret;
};

/* Predicts a change; with it the batch stays what it is. *ret_fits: it was kept.
 * Errors: NOMEM */
static enum ec_status try_way(const struct sharing *s, int i, struct ec_room_way *way,
                              bool *ret_fits, struct ec_err *err)
{
    bool fewer = changes[i].kind == FEWER_SAMPLES, ok = false;
    struct ec_predict_opts o = *s->asked;
    struct ec_prediction r;

    *ret_fits = false;
    EC_PASS(set_words(&o, way->options, &ok, err));
    if (!ok || (changes[i].kind == MORE_DEVICES && o.devices < s->asked->devices) ||
        (o.devices <= 1 && o.parallel.zero > s->asked->parallel.zero)) /* with nobody to share */
        return EC_OK;
    if (s->now->is_shared || fewer) { /* else as it would be typed */
        o.batch = o.global_batch = 0;
        if (!fewer)
            o.parallel.micro_batch = s->micro;
        o.parallel.accumulation = s->times * s->micro / o.parallel.micro_batch;
    }
    EC_PASS(ec_predict_try(s->p, s->model, s->device, &o, &r, &ok, err));
    if (!ok || r.fits_probability < EC_SURE)
        return EC_OK;
    way->samples_per_s = r.samples_per_s.p50;
    insert_way(s->ret, way);
    *ret_fits = true;
    return EC_OK;
}

/* One change; one with a number with the largest that fits, powers of two of samples or tokens
 * below those of the job. Errors: NOMEM */
#define LEAST_TOKENS 128
static enum ec_status try_ways(const struct sharing *s, int i, bool *ret_fits, struct ec_err *err)
{
    bool fewer = changes[i].kind == FEWER_SAMPLES, numbered = fewer || changes[i].kind == SHORTER;
    int64_t now = fewer ? s->micro : s->now->seq_len, n = 1;
    enum ec_status st = EC_OK;

    while (numbered && 2 * n < now)
        n *= 2;
    for (*ret_fits = false; !st && !*ret_fits && n >= (fewer || !numbered ? 1 : LEAST_TOKENS);
         n /= 2) {
        struct ec_room_way way = { .batch = s->ret->asked_batch,
                                   .retunes = strstr(changes[i].options, "--tuning") };
        char number[24] = "";

        if (fewer && s->micro % n)
            continue;
        if (numbered)
            (void)ec_snprintf(number, sizeof number, "%lld", (long long)n);
        (void)ec_snprintf(way.options, sizeof way.options, "%s%s%s", changes[i].options,
                          numbered ? " " : "", number);
        (void)ec_snprintf(way.key, sizeof way.key, "%s%s%s", changes[i].key, numbered ? "_" : "",
                          number);
        st = try_way(s, i, &way, ret_fits, err);
    }
    return st;
}

/* Changes that need less memory. Of more devices the fewest, where nothing else trains the same.
 * Whoever trains all parameters is told of adapters, another result, only where the devices at hand
 * would have to offload; of shorter samples only where nothing else fits. */
static enum ec_status shared_ways(struct ec_predictor *p, const char *model, const char *device,
                                  const struct ec_predict_opts *asked,
                                  const struct ec_prediction *now, struct ec_room *ret,
                                  struct ec_err *err)
{
    const struct sharing s = { p,
                               model,
                               device,
                               asked,
                               now,
                               now->is_shared ? now->micro_batch : now->batch / now->devices,
                               now->is_shared ? now->micro_batches : 1,
                               ret };
    bool all_trained = asked->parallel.tuning == EC_TUNING_FULL;
    bool same = false, smaller = false, fits; /* of those that fit */
    int i;

    for (i = 0; i < EC_LEN(changes); i++) {
        if ((changes[i].kind == FEWER_SAMPLES && (smaller || s.micro < 2)) ||
            (changes[i].kind == RETUNED && all_trained && same) ||
            ((changes[i].kind == MORE_DEVICES || changes[i].kind == SHORTER) && ret->n))
            continue;
        EC_PASS(try_ways(&s, i, &fits, err));
        smaller |= fits && changes[i].kind == FEWER_SAMPLES;
        same |= fits && changes[i].kind < OFFLOADED;
    }
    return EC_OK;
}

/* The smallest one with which it fits and that does not take twice as long; of those the fastest.
 * *ret NULL: there is none. Errors: NOMEM */
static enum ec_status larger_device(struct ec_predictor *p, const char *model,
                                    const struct ec_device *now, double now_ns,
                                    const struct ec_predict_opts *o, const struct ec_device **ret,
                                    struct ec_err *err)
{
    double least = ec_device_usable_bytes(now), most = (double)INFINITY, fastest_ns = 0;
    const struct ec_device *const *all, *found = NULL;
    struct ec_prediction r;
    int n = 0, i;
    bool ok;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        double bytes = ec_device_usable_bytes(all[i]);

        if (all[i]->vendor != now->vendor || all[i]->kind != now->kind || bytes <= least ||
            bytes > most)
            continue;
        EC_PASS(ec_predict_try(p, model, ec_device_key(all[i]), o, &r, &ok, err));
        if (!ok || r.fits_probability < EC_SURE || r.step_time_ns.p50 > 2 * now_ns ||
            (bytes == most && r.step_time_ns.p50 >= fastest_ns))
            continue;
        found = all[i];
        most = bytes;
        fastest_ns = r.step_time_ns.p50;
    }
    *ret = found;
    return EC_OK;
}

enum ec_status ec_room_for(struct ec_predictor *p, const char *model, const char *device,
                           const struct ec_predict_opts *opts, struct ec_room *ret,
                           struct ec_err *err)
{
    const struct ec_device *now = NULL;
    struct ec_prediction r;
    bool ok;

    *ret = (struct ec_room){ .n = 0 };
    EC_PASS(ec_predict_batch(p, model, device, opts, &ret->asked_batch, err));
    EC_PASS(ec_device_find(device, &now, err));
    EC_PASS(ec_predict_try(p, model, device, opts, &r, &ok, err));
    if (!ok || !r.is_shared)
        EC_PASS(fill_ways(p, model, device, opts, ret, err));
    if (ok && (!ret->n || !ret->way[ret->n - 1].batch)) {
        ret->n = 0;
        ret->asked_batch = r.batch_per_device;
        EC_PASS(shared_ways(p, model, device, opts, &r, ret, err));
    }
    if (!opts->set || !*opts->set)
        EC_PASS(larger_device(p, model, now, ok ? r.step_time_ns.p50 : (double)INFINITY, opts,
                              &ret->device, err));
    return EC_OK;
}

void ec_room_print(const struct ec_room *r, struct ec_buf *out)
{
    bool any = false;
    char rate[32];
    int i, width = 0;

    for (i = 0; i < r->n; i++)
        width = (int)strlen(r->way[i].options) > width ? (int)strlen(r->way[i].options) : width;
    for (i = 0; i < r->n; i++) {
        any |= r->way[i].batch > 0;
        if (r->way[i].batch)
            ec_buf_printf(out, "  batch %-6lld %-*s %8s samples/s\n", (long long)r->way[i].batch,
                          width, r->way[i].options,
                          ec_fmt_digits3(rate, sizeof rate, r->way[i].samples_per_s));
    }
    if (!any)
        ec_buf_str(out, "  nothing as asked; epochcast plan looks for how many devices hold it\n");
    if (r->device)
        ec_buf_printf(out, "  batch %-6lld on %s (%.0f GiB)\n", (long long)r->asked_batch,
                      ec_device_key(r->device), r->device->memory_bytes.value / 0x1p30);
}
