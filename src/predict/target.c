/* The device of a query: its numbers, host, rates and basis. */
#include "predict/query.h"

#include <string.h>

/* Numbers that replace the catalogue's: the caller's, else those measured in the profile. */
static const char *numbers_for(const struct ec_predictor *p, const struct ec_device *d,
                               const struct ec_predict_opts *o)
{
    const struct ec_profile *profile = ec__profile_of(p, ec_device_key(d));

    if (o->set && *o->set)
        return o->set;
    return profile && !p->shipped && *profile->numbers ? profile->numbers : NULL;
}

/* Looks up the target without changes: neither `set` nor a profile. */
static enum ec_status look_up(const struct ec_predictor *p, const char *key,
                              const struct ec_predict_opts *o, const struct ec_op *op,
                              struct ec__target *ret, struct ec_err *err)
{
    memset(ret, 0, sizeof *ret);
    if (ec_device_is_file(key) && p->no_files)
        return ec_fail(err, EC_E_INPUT, "device \"%.60s\": files are not read (--no-files)", key);
    if (ec_device_is_file(key) && ec_device_find(key, &ret->device, NULL))
        EC_PASS(ec_device_read(key, NULL, err));
    EC_PASS(ec_device_find(key, &ret->device, err));
    ret->fit = ec_fitted_device(p->fitted, ec_device_measured_as(ret->device));
    ret->kind = op ? ec_width_of_op(op) : ec_width_of_network(ret->device);
    ec_fitted_offset(p->fitted, ret->device, &o->cond, op, ret->offset);
    return EC_OK;
}

/* Adds the host's launch offset. CPUs issue their own work: naming a host for them is an error. */
static enum ec_status find_host(const struct ec_predictor *p, const struct ec_predict_opts *o,
                                struct ec__target *t, struct ec_err *err)
{
    double launch = 0;

    if (t->kind != EC_W_network) {
        if (o->host && *o->host)
            return ec_fail(err, EC_E_UNSUPPORTED,
                           "%s: --host is for GPUs; this device issues its own work",
                           t->device->key);
        return EC_OK;
    }
    t->host = o->host && *o->host ? o->host : EC_REFERENCE_HOST;
    EC_PASS(ec_fitted_host(p->fitted, t->host, &launch, err));
    t->offset[EC_DO_LAUNCH] += launch;
    return EC_OK;
}

static enum ec_status set_rates(const struct ec_predictor *p, const struct ec_predict_opts *o,
                                const struct ec__target *t, struct ec_rates *ret,
                                struct ec_err *err)
{
    return ec_rates_init(ret, t->device, &o->cond, &p->fitted->c, t->offset, err);
}

/* A cache of targets: there are many queries per device. One is at the place of its hash or soon
 * behind it. */
#define KEPT_TARGETS 256
#define PLACES_TRIED 4
struct ec_kept_target {
    char key[40];           /* as the caller wrote it; "": empty */
    const struct ec_op *op; /* NULL: of networks */
    bool usual_precision;   /* as asked, like the conditions */
    struct ec_conditions cond;
    struct ec__target target;
    struct ec_known known[EC_KCLASS_COUNT]; /* filled when it is first asked for */
};

static bool is_kept(const struct ec_kept_target *k, const char *key,
                    const struct ec_predict_opts *o, const struct ec_op *op)
{
    return k->op == op && k->usual_precision == o->usual_precision &&
           ec_conditions_equal(&k->cond, &o->cond) && ec_str_eq(k->key, key);
}

/* Whether the target is in the cache. *ret: where it is or may be put; NULL: it is not cached. The
 * hash has the conditions that a caller compares. */
static bool find_kept(struct ec_predictor *p, const char *key, const struct ec_predict_opts *o,
                      const struct ec_op *op, struct ec_kept_target **ret)
{
    const struct ec_conditions *c = &o->cond;
    size_t len = strlen(key);
    uint64_t hash;
    int i;

    *ret = NULL;
    if (!len || len >= sizeof p->kept_targets->key || (o->set && *o->set) || o->threads ||
        (o->host && *o->host) || (p->profile && *p->profile->numbers))
        return false;
    hash = ec_hash(key, len) + (uint64_t)(uintptr_t)op / sizeof *op * 17 +
           (uint64_t)c->precision * 31 + (uint64_t)c->framework * 61 + (uint64_t)c->mode * 127;
    for (i = 0; i < PLACES_TRIED; i++) {
        *ret = &p->kept_targets[(hash + (uint64_t)i) % KEPT_TARGETS];
        if (is_kept(*ret, key, o, op))
            return true;
        if (!*(*ret)->key)
            break;
    }
    return false;
}

static void keep(struct ec_kept_target *k, const char *key, const struct ec_conditions *asked,
                 bool usual_precision, const struct ec_op *op, const struct ec__target *t)
{
    memcpy(k->key, key, strlen(key) + 1);
    k->op = op;
    k->usual_precision = usual_precision;
    k->cond = *asked;
    k->target = *t;
    memset(k->known, 0, sizeof k->known);
}

/* The precision in which the device is used if it has no rate for fp32; fp32 if it has. */
static enum ec_precision usual_precision(const struct ec_device *d)
{
    if (d->fp32_flop_per_s.src)
        return EC_FP32;
    return d->bf16_tensor_flop_per_s.src   ? EC_BF16
           : d->fp16_tensor_flop_per_s.src ? EC_FP16
                                           : EC_FP32;
}

bool ec_runs_compiled(const struct ec_device *d, enum ec_framework fw)
{
    return d->kind == EC_DEV_ACCELERATOR && fw == EC_FW_pytorch_2;
}

/* Conditions that go with the device: its usual precision, and graphs that are compiled before they
 * run, where kernels are not issued one by one. */
static void choose_conditions(struct ec__target *t, struct ec_predict_opts *o)
{
    enum ec_precision usual = usual_precision(t->device);

    t->usual_precision = o->usual_precision && o->cond.precision == EC_FP32 && usual != EC_FP32;
    t->compiled = ec_runs_compiled(t->device, o->cond.framework);
    t->no_tf32 = o->cond.precision == EC_TF32 && !t->device->tf32_tensor_flop_per_s.src;
    if (t->usual_precision)
        o->cond.precision = usual;
    if (t->no_tf32)
        o->cond.precision = EC_FP32;
    if (t->compiled)
        o->cond.framework = EC_FW_pytorch_compiled;
}

enum ec_status ec__find_target(struct ec_predictor *p, const char *key, struct ec_predict_opts *o,
                               const struct ec_op *op, struct ec__target *ret, struct ec_err *err)
{
    struct ec_conditions asked = o->cond;
    struct ec_kept_target *place;
    const char *numbers;

    if (!p->kept_targets)
        p->kept_targets = ec_alloc(sizeof *p->kept_targets * KEPT_TARGETS);
    EC_PASS(ec_allocated(p->kept_targets, err));
    if (find_kept(p, key, o, op, &place)) {
        *ret = place->target;
        choose_conditions(ret, o);
    } else {
        EC_PASS(look_up(p, key, o, op, ret, err));
        EC_PASS(find_host(p, o, ret, err));
        numbers = numbers_for(p, ret->device, o);
        if (numbers)
            EC_PASS(ec_device_override(ret->device, numbers,
                                       numbers == o->set ? EC_SRC_USER : EC_SRC_PROBED, &p->scratch,
                                       &ret->device, err));
        if (o->threads)
            EC_PASS(ec_device_of_threads(ret->device, o->threads, &p->scratch, &ret->device, err));
        choose_conditions(ret, o);
        EC_PASS(set_rates(p, o, ret, &ret->plain, err));
        if (place)
            keep(place, key, &asked, o->usual_precision, op, ret);
    }
    EC_PASS(ec__shipped_need(p, ec_device_measured_as(ret->device), o, err));
    EC_PASS(ec_rates_use(&ret->plain, ret->device, ec_attention_of(&o->parallel, ret->device),
                         o->parallel.products, err));
    ret->by_class = place ? place->known : NULL;
    ret->profile = ec__profile_of(p, ret->device->key);
    ret->rates = ret->plain;
    if (ret->profile) {
        ec_profile_add(ret->profile, ret->offset);
        EC_PASS(set_rates(p, o, ret, &ret->rates, err));
        EC_PASS(ec_rates_use(&ret->rates, ret->device, ret->plain.attention, o->parallel.products,
                             err));
    }
    return EC_OK;
}

/* Sets the basis and loads the models. */
enum ec_status ec__find_basis(const struct ec_predictor *p, const struct ec_predict_opts *o,
                              const struct ec_step *step, struct ec__target *t, struct ec_err *err)
{
    bool forward = o->phase ? o->phase - 1 == EC_FORWARD : o->cond.mode == EC_MODE_FORWARD;
    enum ec_kclass kclass = ec_known_place(&o->cond, t->kind, step).kclass;
    struct ec_known *kept = t->by_class ? &t->by_class[kclass] : &t->known;

    if (!kept->same && !(kept->unknown > 0)) /* not filled yet */
        *kept = ec_fitted_known(p->fitted, t->device, &o->cond, t->kind, step);
    t->known = *kept;
    t->basis = ec_known_basis(&t->known);
    EC_PASS(ec_learned_need(p->learned, t->kind, ec_scope_key_of(&o->cond, true), err));
    return ec_learned_need(p->learned, t->kind, ec_scope_key_of(&o->cond, forward), err);
}
