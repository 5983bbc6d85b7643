/* Where a network does not fit: the batch, the precision and the device with which it would. */
#include "plan/plan.h"

/* The largest batch that fits; 0: none does. */
static enum ec_status largest(struct ec_predictor *p, const char *model, const char *device,
                              const struct ec_predict_opts *o, int64_t *ret, struct ec_err *err)
{
    enum ec_status st = ec_predict_batch(p, model, device, o, ret, err);

    if (st != EC_E_UNSUPPORTED)
        return st;
    *ret = 0;
    return EC_OK;
}

/* More recent ones come first where memories are equal. */
static bool is_nearer(const struct ec_device *d, const struct ec_device *than)
{
    double bytes = d->memory_bytes.value;

    return !than || bytes < than->memory_bytes.value ||
           (bytes == than->memory_bytes.value && d->launch_year > than->launch_year);
}

static const struct ec_device *larger_device(struct ec_predictor *p, const char *model,
                                             const struct ec_device *now,
                                             const struct ec_predict_opts *o)
{
    const struct ec_device *const *all, *found = NULL;
    struct ec_prediction r;
    int n = 0, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        if (all[i]->vendor == now->vendor && all[i]->kind == now->kind &&
            all[i]->memory_bytes.value > now->memory_bytes.value && is_nearer(all[i], found) &&
            !ec_predict_network(p, model, ec_device_key(all[i]), o, &r, NULL) &&
            r.fits_probability >= 0.95)
            found = all[i];
    return found;
}

enum ec_status ec_room_for(struct ec_predictor *p, const char *model, const char *device,
                           const struct ec_predict_opts *opts, struct ec_room *ret,
                           struct ec_err *err)
{
    const struct ec_device *now = NULL;
    struct ec_predict_opts o = *opts;
    int64_t asked = opts->batch;
    enum ec_status st;

    *ret = (struct ec_room){ .half = EC_AMP };
    EC_TRY(ec_predict_batch(p, model, device, opts, &ret->asked_batch, err));
    EC_TRY(ec_device_find(device, &now, err));
    o.global_batch = 0;
    o.batch = EC_BATCH_MAX;
    EC_TRY(largest(p, model, device, &o, &ret->batch, err));
    o.cond.precision = EC_AMP;
    if (opts->cond.precision == EC_FP32 || opts->cond.precision == EC_TF32)
        EC_TRY(largest(p, model, device, &o, &ret->half_batch, err));
    if (ret->half_batch <= ret->batch)
        ret->half_batch = 0;
    o.cond.precision = opts->cond.precision;
    o.global_batch = opts->global_batch;
    o.batch = asked;
    if (!opts->set || !*opts->set)
        ret->device = larger_device(p, model, now, &o);
out:
    return st;
}

void ec_room_print(const struct ec_room *r, struct ec_buf *out)
{
    if (r->batch)
        ec_buf_printf(out, "batch %lld", (long long)r->batch);
    else
        ec_buf_str(out, "no batch on this device");
    if (r->half_batch)
        ec_buf_printf(out, "; batch %lld with --precision %s", (long long)r->half_batch,
                      ec_precision_names[r->half]);
    if (r->device)
        ec_buf_printf(out, "; batch %lld on %s (%.0f GiB)", (long long)r->asked_batch,
                      ec_device_key(r->device), r->device->memory_bytes.value / 0x1p30);
}
