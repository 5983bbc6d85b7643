/* epochcast measure grid: configurations of a family, each trained for some epochs. */
#include "cli/measure_internal.h"

#include <string.h>

/* --- What is varied --- */

static enum ec_status add_axis(struct ec_config_axes *a, const char *name,
                               const struct ec_ints *values, struct ec_err *err)
{
    int i;

    for (i = 0; i < a->n_params; i++)
        if (ec_str_eq(a->param[i], name))
            return ec_fail(err, EC_E_INPUT, "parameter %s is given twice", name);
    if (a->n_params == EC_CONFIG_PARAMS_MAX)
        return ec_fail(err, EC_E_INPUT, "more than %d parameters", EC_CONFIG_PARAMS_MAX);
    a->param[a->n_params] = name;
    a->value[a->n_params++] = *values;
    return EC_OK;
}

static enum ec_status add_params(struct ec_call *call, const struct ec_strs *words,
                                 struct ec_config_axes *a, struct ec_err *err)
{
    const struct ec_field list = { .name = "param", .type = EC_F_INTS, .max = 1e9 };
    int i;

    for (i = 0; i < words->n; i++) {
        const char *eq = strchr(words->v[i], '='), *name;
        struct ec_ints v = { 0 };

        if (!eq || eq == words->v[i])
            return ec_usage(call, err, "--param %.40s: expected NAME=N,...", words->v[i]);
        name = ec_arena_strn(&call->arena, words->v[i], (size_t)(eq - words->v[i]));
        EC_PASS(ec_allocated(name, err));
        EC_PASS(ec_field_set(&list, &v, ec_span_of(eq + 1), &call->arena, err));
        EC_PASS(add_axis(a, name, &v, err));
    }
    return EC_OK;
}

static enum ec_status axes_of(struct ec_call *call, const struct measure_opts *o,
                              struct ec_config_axes *a, struct ec_err *err)
{
    static const struct ec_ints depths = {
        .n = 3, .v = {2, 3, 4}
    };
    static const struct ec_ints filters = {
        .n = 2, .v = {32, 64}
    };
    static const struct ec_ints batches = {
        .n = 3, .v = {32, 64, 128}
    };
    bool usual = ec_str_eq(o->family, "cifar_cnn") && !o->param.n;

    a->family = o->family;
    a->batch = o->batch.n ? o->batch : batches;
    if (o->depth.n || usual)
        EC_PASS(add_axis(a, "depth", o->depth.n ? &o->depth : &depths, err));
    if (o->base_filters.n || usual)
        EC_PASS(add_axis(a, "base_filters", o->base_filters.n ? &o->base_filters : &filters, err));
    EC_PASS(add_params(call, &o->param, a, err));
    if (!a->n_params && !o->batch.n)
        return ec_usage(call, err,
                        "nothing is varied: give --batch N,... or --param NAME=N,... of %s",
                        o->family);
    return EC_OK;
}

/* --- How it is trained --- */

static enum ec_status training_of(struct ec_call *call, const struct measure_opts *o,
                                  struct ec_configs *c, struct ec_err *err)
{
    EC_PASS(ec_fields_default(ec_train_fields, &c->train, &call->arena, err));
    c->train.cond = o->cond;
    c->train.epochs = o->epochs;
    c->train.seed = o->seed;
    c->train.workers = o->workers;
    c->train.test = true;
    c->data = o->data;
    c->samples = o->samples;
    c->warmup_iters = o->warmup_iters;
    if (ec_call_given(call, "max_iters"))
        c->max_iters = o->max_iters;
    return EC_OK;
}

/* --val-split says nothing to a data set that has validation samples. */
static enum ec_status check_split(struct ec_call *call, const struct measure_opts *o,
                                  struct ec_err *err)
{
    struct ec_samples_opts opts = o->samples;
    struct ec_samples *s = NULL;
    enum ec_status st = EC_OK;

    if (!ec_call_given(call, "val_split"))
        return EC_OK;
    EC_TRY(ec_samples_open(o->data, &opts, &s, err));
    if (ec_samples_info(s)->has_val)
        st = ec_usage(call, err, "--val-split has no effect: %s has validation samples of its own",
                      ec_samples_info(s)->name);
out:
    ec_samples_close(s);
    return st;
}

/* configs_FAMILY_DEVICE.csv; each shard has its own file. */
static const char *file_of(struct ec_call *call, const struct measure_opts *o, const char *device,
                           const struct ec_campaign *campaign)
{
    if (o->out)
        return o->out;
    if (campaign->n_shards > 1)
        return ec_arena_printf(&call->arena, "configs_%s_%s-%dof%d.csv", o->family, device,
                               campaign->shard, campaign->n_shards);
    return ec_arena_printf(&call->arena, "configs_%s_%s.csv", o->family, device);
}

static void tell_failed(void *user, const char *what, const char *why)
{
    const struct ec__measure_shown *shown = user;

    if (shown->terminal)
        ec_say_nothing_over();
    ec_say("%s: %s\n", what, why);
}

static enum ec_status make_items(struct ec_call *call, struct ec_configs *c, int rounds,
                                 struct ec_campaign *campaign, struct ec_err *err)
{
    struct ec_campaign_item *v = ec_arena_alloc(&call->arena, sizeof *v * (size_t)c->n);
    int i;

    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < c->n; i++) {
        struct ec_buf name = EC_BUF_INIT;

        ec_config_name(c->axes, &c->v[i], &name);
        ec_buf_printf(&name, ", batch %lld", (long long)c->v[i].batch);
        v[i].kind = EC_CAMPAIGN_CONFIG;
        v[i].what = ec_arena_str(&call->arena, ec_buf_text(&name));
        v[i].configs = c;
        v[i].config = &c->v[i];
        ec_buf_clear(&name);
        EC_PASS(ec_allocated(v[i].what, err));
    }
    campaign->items = v;
    campaign->n_items = c->n;
    campaign->rounds = rounds;
    return EC_OK;
}

enum ec_status ec__measure_grid(struct ec_call *call, const struct measure_opts *o,
                                struct ec_err *err)
{
    struct ec_config_axes axes = { 0 };
    struct ec__measure_shown shown;
    struct ec_configs c = { .axes = &axes };
    struct ec_campaign campaign;
    struct ec_measurer m = { 0 };
    const char *path;
    enum ec_status st;

    EC_TRY(ec__measure_campaign(o, &shown, &campaign, err));
    EC_TRY(check_split(call, o, err));
    EC_TRY(axes_of(call, o, &axes, err));
    EC_TRY(training_of(call, o, &c, err));
    EC_TRY(ec__measure_engine(call, o, &m, err));
    path = file_of(call, o, m.base.device, &campaign);
    EC_TRY(ec_allocated(path, err));
    c.threads = ec_engine_threads(m.ctx);
    c.failed = tell_failed;
    c.user = &shown;
    EC_TRY(ec_configs_open(&c, path, o->curves, err));
    if (c.n_known && !o->resume)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%s has %d configurations already: --resume continues it",
                       path, c.n_known));
    EC_TRY(make_items(call, &c, (int)o->rounds, &campaign, err));
    EC_TRY(ec__measure_run(call, &m, &campaign, path, err));
    EC_TRY(ec__measure_import(call, o, path, err));
out:
    ec_configs_clear(&c);
    ec__measure_close(&m);
    return st;
}
