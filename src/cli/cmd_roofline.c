/* epochcast roofline: compares networks and their layers with the rooflines of devices. */
#include "cli/runs_cmd.h"

struct roofline_opts {
    struct ec_strs models, device, measured;
    struct ec_ints batch;
    const char *store, *out;
    bool layers, json, csv, markdown;
    int64_t top;
    struct ec_predict_opts query;
};

#define AT(member) offsetof(struct roofline_opts, member)

/* clang-format off */
static const struct ec_field fields[] = {
    { .name = "models", .type = EC_F_STRS, .offset = AT(models), .metavar = "MODEL",
      .help = "an .onnx or .json file, or the name of a built-in network" },
    EC_FIELD_DEVICES(AT(device)),
    { .name = "batch", .type = EC_F_INTS, .offset = AT(batch), .min = 1, .max = 1 << 24,
      .metavar = "N", .help = "samples per step; several joined by ','" },
    { .name = "layers", .type = EC_F_BOOL, .offset = AT(layers),
      .help = "show each layer too, the slowest first" },
    { .name = "top", .type = EC_F_INT, .offset = AT(top), .min = 1, .max = 1e6, .metavar = "N",
      .help = "with --layers: the N that take longest" },
    { .name = "measured", .type = EC_F_STRS, .offset = AT(measured), .metavar = "FILE.csv",
      .help = "measured runs and ceilings to show beside the predictions" },
    { .name = "store", .type = EC_F_STR, .offset = AT(store), .metavar = "FILE",
      .help = "a store with measured runs and ceilings" },
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .metavar = "FILE",
      .help = "picture to write: .svg or .png" },
    EC_FIELD_JSON(AT(json)),
    EC_FIELD_CSV(AT(csv)),
    EC_FIELD_MARKDOWN(AT(markdown)),
    EC_FIELD_END
};

static const struct ec_field query_fields[] = {
    { .name = "precision", .type = EC_F_ENUM, .offset = AT(query.cond.precision),
      EC_PRECISION_WORDS, .deflt = "fp32", .help = "precision of the step" },
    { .name = "mode", .type = EC_F_ENUM, .offset = AT(query.cond.mode), .choices = ec_mode_names,
      .deflt = "training_step", .help = "parts of a step" },
    { .name = "optimizer", .type = EC_F_ENUM, .offset = AT(query.cond.optimizer),
      .choices = ec_optimizer_names, .deflt = "sgd", .help = "optimizer of training steps" },
    { .name = "image", .type = EC_F_INT, .offset = AT(query.image), .min = 0, .max = 1 << 16,
      .metavar = "PX", .help = "side of input images; default: the network's own" },
    { .name = "seq_len", .type = EC_F_INT, .offset = AT(query.seq_len), .min = 0,
      .max = 1 << 22, .metavar = "N", .help = "tokens of a sequence" },
    { .name = "host", .type = EC_F_STR, .offset = AT(query.host), .metavar = "NAME",
      .help = "host of networks on GPUs (see `epochcast device hosts`); default: the reference "
              "host" },
    EC_FIELD_END
};

static const struct ec_arg_group groups[] = {
    { "Options", fields, 0 },
    { "The query", query_fields, 0 },
    { NULL, NULL, 0 },
};

static const char *const usage[] = {
    "MODEL... --device KEY[,KEY...] [--batch N[,N...]] [--layers] [--out FILE.svg|FILE.png]",
    "MODEL... --device KEY --measured FILE.csv | --store FILE",
    NULL,
};
/* clang-format on */

static enum ec_status predict_one(const struct roofline_opts *o, struct ec_predictor *p,
                                  const char *model, const struct ec_device *d,
                                  struct ec_runs *runs, struct ec_err *err)
{
    struct ec_runs_ask ask = {
        .model = model, .device = d, .opts = o->query, .layers = o->layers, .top = o->top
    };
    enum ec_status st = EC_OK;
    int b;

    ask.opts.struct_size = sizeof ask.opts;
    if (!ec_host_feeds(d))
        ask.opts.host = NULL;
    for (b = 0; b < (o->batch.n ? o->batch.n : 1) && !st; b++) {
        ask.opts.batch = o->batch.n ? o->batch.v[b] : 0;
        st = ec_runs_predict(p, &ask, runs, err);
    }
    return st;
}

/* Reads the measured runs of the models and devices of the command line. */
static enum ec_status add_measured(const struct roofline_opts *o,
                                   const struct ec_device *const *devices, int n,
                                   struct ec_store *s, struct ec_runs *runs, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i, k;

    for (i = 0; i < n; i++)
        for (k = 0; k < o->models.n; k++) {
            struct ec_runs_query q = { .device = ec_device_key(devices[i]),
                                       .network = o->models.v[k],
                                       .precision = ec_precision_names[o->query.cond.precision],
                                       .predict = true, /* for what limits, as analyse says it */
                                       .host = o->query.host };

            EC_TRY(ec_runs_measured(s, &q, runs, err));
        }
out:
    return st;
}

static enum ec_status gather(struct ec_call *call, struct ec_runs *runs, struct ec_err *err)
{
    const struct roofline_opts *o = call->opts;
    const struct ec_device **devices = NULL;
    struct ec_predictor *p = NULL;
    struct ec_store *s = NULL;
    struct ec_store_import how = { 0 };
    struct ec_buf left_out = EC_BUF_INIT;
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
        EC_TRY(ec_runs_store(o->measured.v, o->measured.n, &how, &s, &left_out, err));
    ec_say("%s", ec_buf_text(&left_out));
    if (s) {
        EC_TRY(add_measured(o, devices, n, s, runs, err));
        EC_TRY(ec_runs_ceilings(s, runs, err));
    }
out:
    ec_buf_clear(&left_out);
    ec_store_close(s);
    ec_predictor_free(p);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct roofline_opts *o = call->opts;
    char title[128] = "Rooflines";
    struct runs_output out = { .json = o->json,
                               .csv = o->csv,
                               .markdown = o->markdown,
                               .schema = "epochcast.roofline/1",
                               .key = "points",
                               .out = o->out,
                               .recipe = "roofline",
                               .title = title,
                               .view = EC_RUNS_ROOFLINE,
                               .reference = "" };
    struct ec_runs runs = { 0 };
    enum ec_status st;

    if (o->models.n == 1)
        (void)ec_snprintf(title, sizeof title, "Roofline of %s%s", o->models.v[0],
                          o->layers ? " and its layers" : "");
    if (o->json + o->csv + o->markdown > 1)
        return ec_usage(call, err, "--json, --csv and --markdown exclude each other");
    if (o->top && !o->layers)
        return ec_usage(call, err, "--top goes with --layers");
    if (!o->models.n)
        return ec_usage(call, err, "a MODEL is missing");
    if (!o->device.n)
        return ec_usage(call, err, "no device: give --device KEY");
    if (o->store && o->measured.n)
        return ec_usage(call, err, "--store and --measured exclude each other");
    EC_TRY(gather(call, &runs, err));
    EC_TRY(ec_runs_label(&runs, err));
    EC_TRY(ec_runs_roof_notes(&runs, err));
    EC_TRY(ec__runs_write(call, &runs, &out, err));
out:
    ec_runs_clear(&runs);
    return st;
}

const struct ec_cmd ec_cmd_roofline = {
    .name = "roofline",
    .help = "compare networks and layers with the rooflines of devices",
    .usage = usage,
    .positional = "models",
    .writes = "out",
    .groups = groups,
    .opts_size = sizeof(struct roofline_opts),
    .run = run,
};
