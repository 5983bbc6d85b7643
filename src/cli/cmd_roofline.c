/* epochcast roofline: compares networks and their layers with the rooflines of devices. */
#include "cli/runs_cmd.h"

#include "roofline_cmd.h"

static enum ec_status predict_one(const struct roofline_opts *o, struct ec_predictor *p,
                                  const char *model, const struct ec_device *d,
                                  struct ec_runs *runs, struct ec_err *err)
{
    struct ec_runs_ask ask = {
        .model = model, .device = d, .opts = o->query, .layers = o->layers, .top = o->top
    };
    int b;

    ask.opts.struct_size = sizeof ask.opts;
    if (!ec_host_feeds(d))
        ask.opts.host = NULL;
    for (b = 0; b < (o->batch.n ? o->batch.n : 1); b++) {
        ask.opts.batch = o->batch.n ? o->batch.v[b] : 0;
        EC_PASS(ec_runs_predict(p, &ask, runs, err));
    }
    return EC_OK;
}

/* Reads the measured runs of the models and devices of the command line. */
static enum ec_status add_measured(const struct roofline_opts *o,
                                   const struct ec_device *const *devices, int n,
                                   struct ec_store *s, struct ec_runs *runs, struct ec_err *err)
{
    int i, k;

    for (i = 0; i < n; i++)
        for (k = 0; k < o->models.n; k++) {
            struct ec_runs_query q = { .device = ec_device_key(devices[i]),
                                       .network = o->models.v[k],
                                       .precision = ec_precision_names[o->query.cond.precision],
                                       .predict = true, /* for what limits, as analyse says it */
                                       .host = o->query.host };

            EC_PASS(ec_runs_measured(s, &q, runs, err));
        }
    return EC_OK;
}

static enum ec_status gather(struct ec_call *call, struct ec_runs *runs, struct ec_err *err)
{
    const struct roofline_opts *o = call->opts;
    const struct ec_device **devices = NULL;
    struct ec_predictor *p = NULL;
    struct ec_store *s = NULL;
    struct ec_store_import how = { 0 };
    struct ec_said said = { .arena = &call->arena };
    enum ec_status st;
    int i, k, n = 0;

    EC_TRY(ec_host_check(o->query.host, err));
    EC_TRY(ec_devices_named(&o->device, &devices, &n, &call->arena, err));
    EC_TRY(ec_predictor_new(&p, err));
    how.given.device_chooses = true;
    how.given.device = n == 1 ? ec_device_key(devices[0]) : NULL;
    for (i = 0; i < n; i++)
        for (k = 0; k < o->models.n; k++)
            EC_TRY(predict_one(o, p, o->models.v[k], devices[i], runs, err));
    if (o->store)
        EC_TRY(ec_store_open(o->store, EC_STORE_READ, &s, err));
    else if (o->measured.n)
        EC_TRY(ec_runs_store(o->measured.v, o->measured.n, &how, &s, &said, err));
    EC_TRY(ec_said_end(&said, err));
    if (s) {
        EC_TRY(add_measured(o, devices, n, s, runs, err));
        EC_TRY(ec_runs_ceilings(s, runs, err));
    }
out:
    ec_store_close(s);
    ec_predictor_free(p);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct roofline_opts *o = call->opts;
    char title[128] = "Rooflines";
    struct runs_output out = { .schema = "epochcast.roofline/1",
                               .key = "points",
                               .out = o->out,
                               .recipe = "roofline",
                               .title = title,
                               .view = EC_RUNS_ROOFLINE };
    struct ec_runs runs = { 0 };
    enum ec_status st;

    if (o->models.n == 1)
        (void)ec_snprintf(title, sizeof title, "Roofline of %s%s", o->models.v[0],
                          o->layers ? " and its layers" : "");
    EC_TRY(gather(call, &runs, err));
    EC_TRY(ec_runs_label(&runs, err));
    EC_TRY(ec_runs_roof_notes(&runs, err));
    EC_TRY(ec__runs_write(call, &runs, &out, err));
out:
    ec_runs_clear(&runs);
    return st;
}
