/* epochcast measure: campaigns on this machine. */
#include "cli/cli.h"

#include <string.h>

#include "cli/measure_internal.h"
#include "measure/measure.h"

extern const struct ec_cmd ec_cmd_measure;

#define AT(member) offsetof(struct measure_opts, member)

const char *const ec__measure_clocks[] = { "wall", "thread", NULL };
static const char *const method_names[] = { "separated", "marginal", "isolated", "justus", NULL };

/* clang-format off */
static const struct ec_field out_fields[] = {
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .metavar = "FILE.csv",
      .help = "append rows to this file; the machine record is written to the same folder" },
    EC_FIELD_END
};

static const struct ec_field common_fields[] = {
    { .name = "resume", .type = EC_F_BOOL, .offset = AT(resume),
      .help = "continue a file that has rows; they are not measured again" },
    { .name = "store", .type = EC_F_STR, .offset = AT(store), .metavar = "FILE",
      .help = "import the rows into this store at the end" },
    { .name = "seed", .type = EC_F_INT, .offset = AT(seed), .deflt = "1", .min = 0, .max = 1e15,
      .metavar = "N", .help = "seed of the order, the drawn cases, weights and data" },
    { .name = "backend", .type = EC_F_STR, .offset = AT(engine.backend), .metavar = "NAME",
      .help = "cpu, ref, ref64 or sim; default: the best available" },
    { .name = "threads", .type = EC_F_INT, .offset = AT(engine.threads), .max = 4096,
      .metavar = "N", .help = " CPU threads; 0: all that this process may use" },
    { .name = "clock", .type = EC_F_ENUM, .offset = AT(clock), .deflt = "wall",
      .choices = ec__measure_clocks,
      .help = "wall: elapsed time; thread: processor time of the thread, for a machine with "
              "other work; needs --threads 1" },
    { .name = "device", .type = EC_F_STR, .offset = AT(device), .metavar = "KEY",
      .help = "name of the device in the rows; default: that of the machine record" },
    EC_FIELD_END
};

/* Options of campaigns that measure item by item, in one process. */
static const struct ec_field campaign_fields[] = {
    { .name = "shard", .type = EC_F_STR, .offset = AT(shard), .metavar = "I/N",
      .help = "measure part I of N, counted from 0; for job arrays" },
    { .name = "time_budget", .type = EC_F_DOUBLE, .offset = AT(time_budget_s), .unit = "s",
      .max = 1e9, .metavar = "S", .help = "start no new item after this time; 0: no limit" },
    EC_FIELD_END
};

static const struct ec_field optimizers_fields[] = {
    { .name = "optimizer", .type = EC_F_STRS, .offset = AT(optimizers), .metavar = "NAME,...",
      .choices = ec_optimizer_names, .help = "one or several joined by ','; default: sgd" },
    EC_FIELD_END
};

static const struct ec_field precisions_fields[] = {
    { .name = "precision", .type = EC_F_STRS, .offset = AT(precisions), .metavar = "NAME,...",
      EC_PRECISION_WORDS, EC_ENGINE_PRECISIONS,
      .help = "one or several joined by ','; default: fp32" },
    EC_FIELD_END
};

/* One precision and one optimizer, for tables with only one of each. */
static const struct ec_field precision_fields[] = {
    { .name = "precision", .type = EC_F_ENUM, .offset = AT(cond.precision), .deflt = "fp32",
      EC_PRECISION_WORDS, EC_ENGINE_PRECISIONS, .help = "type of activations" },
    EC_FIELD_END
};

static const struct ec_field layer_fields[] = {
    { .name = "op", .type = EC_F_STRS, .offset = AT(op), .metavar = "NAME,...",
      .help = "draw cases of these operators in turn; default: of all" },
    { .name = "count", .type = EC_F_INT, .offset = AT(count), .deflt = "100", .min = 1, .max = 1e6,
      .metavar = "N", .help = "number of cases" },
    { .name = "cases", .type = EC_F_STR, .offset = AT(cases), .metavar = "FILE",
      .help = "read cases from a file, one per line, instead of drawing them; - is standard "
              "input" },
    { .name = "max_flop", .type = EC_F_DOUBLE, .offset = AT(limits.max_flop), .deflt = "2e10",
      .max = 1e20, .metavar = "FLOP", .help = "largest work of a drawn case, forward and "
                              "gradients; 0: no limit" },
    { .name = "max_bytes", .type = EC_F_DOUBLE, .offset = AT(limits.max_bytes), .deflt = "1e9",
      .max = 1e15, .metavar = "BYTES", .help = "largest memory that a drawn case needs; 0: no "
                              "limit" },
    { .name = "methods", .type = EC_F_STRS, .offset = AT(methods), .metavar = "NAME,...",
      .choices = method_names, .help = "one or several joined by ','; default: "
                                       "separated,marginal; with --activation justus" },
    { .name = "activation", .type = EC_F_STRS, .offset = AT(activations), .metavar = "OP,...",
      .help = "element-wise operators behind the layer in isolated and justus, such as "
              "none,relu,tanh,sigmoid: drawn for each drawn case, all with each case of --cases" },
    EC_FIELD_END
};

static const struct ec_field name_fields[] = {
    { .name = "words", .type = EC_F_STRS, .offset = AT(words), .metavar = "NETWORK",
      .help = "built-in networks with their parameters, ONNX and JSON files" },
    EC_FIELD_END
};

static const struct ec_field batch_fields[] = {
    { .name = "batch", .type = EC_F_INTS, .offset = AT(batch), .min = 1, .max = 1e9,
      .metavar = "N,...", .help = "samples per step; default: the network's "
                 "own" },
    EC_FIELD_END
};

static const struct ec_field network_fields[] = {
    { .name = "image", .type = EC_F_INT, .offset = AT(image_px), .max = 1e5, .metavar = "PX",
      .help = "side of the image; default: the network's own" },
    { .name = "seq_len", .type = EC_F_INT, .offset = AT(seq_len), .max = 1e7, .metavar = "N",
      .help = "length of sequences; default: the network's own" },
    { .name = "per_iteration", .type = EC_F_STR, .offset = AT(per_iteration),
      .metavar = "FILE.csv", .help = "write a row for each iteration, as it ends, to this table" },
    { .name = "env", .type = EC_F_STR, .offset = AT(env), .deflt = "local", .metavar = "NAME",
      .help = "name of this environment in --per-iteration" },
    EC_FIELD_END
};

/* Of networks that are trained on data. */
static const struct ec_field workers_fields[] = {
    { .name = "workers", .type = EC_F_INT, .offset = AT(workers), .deflt = "1", .max = 64,
      .metavar = "N", .help = "threads that prepare batches ahead" },
    EC_FIELD_END
};

static const struct ec_field data_fields[] = {
    { .name = "data", .type = EC_F_STR, .offset = AT(data), .metavar = "SET[:PATH]",
      .help = "train on this data set, as `epochcast train` does: imagefolder:DIR, cifar10:DIR, "
              "synthetic ...; default: one random batch again and again" },
    EC_FIELD_END
};

static const struct ec_field iteration_fields[] = {
    { .name = "max_iters", .type = EC_F_INT, .offset = AT(max_iters), .deflt = "100", .min = 1,
      .max = 1e6, .metavar = "N", .help = "iterations of each run that are timed" },
    { .name = "warmup_iters", .type = EC_F_INT, .offset = AT(warmup_iters), .deflt = "10",
      .max = 1e6, .metavar = "N", .help = "iterations before them that are not timed" },
    EC_FIELD_END
};

static const struct ec_field grid_fields[] = {
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .metavar = "FILE.csv",
      .help = "append rows to this file; default: configs_FAMILY_DEVICE.csv" },
    { .name = "optimizer", .type = EC_F_ENUM, .offset = AT(cond.optimizer), .deflt = "adam",
      .choices = ec_optimizer_names, .help = "optimizer of the training" },
    { .name = "family", .type = EC_F_STR, .offset = AT(family), .deflt = "cifar_cnn",
      .metavar = "NAME", .help = "built-in network whose parameters are varied" },
    { .name = "depth", .type = EC_F_INTS, .offset = AT(depth), .min = 1, .max = 1e9,
      .metavar = "N,...", .help = "short for --param depth=N,...; default for cifar_cnn: 2,3,4" },
    { .name = "base_filters", .type = EC_F_INTS, .offset = AT(base_filters), .min = 1, .max = 1e9,
      .metavar = "N,...", .help = "short for --param base_filters=N,...; default for cifar_cnn: "
                 "32,64" },
    { .name = "param", .type = EC_F_STRS, .offset = AT(param), .metavar = "NAME=N,...",
      .help = "a parameter of the family and its values" },
    { .name = "epochs", .type = EC_F_INT, .offset = AT(epochs), .deflt = "3", .min = 1, .max = 1e6,
      .metavar = "N", .help = "training epochs of each configuration" },
    { .name = "rounds", .type = EC_F_INT, .offset = AT(rounds), .deflt = "1", .min = 1, .max = 1000,
      .metavar = "N", .help = "measure all configurations N times in turn, because the speed of a "
                 "machine varies" },
    { .name = "data", .type = EC_F_STR, .offset = AT(data), .deflt = "synthetic",
      .metavar = "SET[:PATH]", .help = "data set, as for `epochcast train`" },
    { .name = "samples", .type = EC_F_INT, .offset = AT(samples.limit), .max = 1e12,
      .metavar = "N", .help = "at most so many training samples; 0: all" },
    { .name = "val_split", .type = EC_F_DOUBLE, .offset = AT(samples.val_frac), .deflt = "0",
      .max = 0.9, .metavar = "SHARE", .help = "share of the training samples used for validation" },
    { .name = "curves", .type = EC_F_STR, .offset = AT(curves), .metavar = "FILE.csv",
      .help = "write loss and accuracy of each epoch of each configuration to this table" },
    { .name = "max_iters", .type = EC_F_INT, .offset = AT(max_iters), .min = 1, .max = 1e6,
      .metavar = "N", .deflt = "100",
      .help = "time so many steps instead of whole epochs" },
    { .name = "warmup_iters", .type = EC_F_INT, .offset = AT(warmup_iters), .deflt = "10",
      .max = 1e6, .metavar = "N", .help = "iterations before them that are not timed" },
    EC_FIELD_END
};

static const struct ec_field ddp_fields[] = {
    { .name = "optimizer", .type = EC_F_ENUM, .offset = AT(cond.optimizer), .deflt = "sgd",
      .choices = ec_optimizer_names, .help = "optimizer of the training" },
    { .name = "op", .type = EC_F_STRS, .offset = AT(op), .metavar = "CASE",
      .help = "the training step of this layer alone, with input and target trained" },
    { .name = "activation", .type = EC_F_STR, .offset = AT(activation), .metavar = "OP",
      .help = "element-wise operator behind the layers of --op" },
    { .name = "isolated", .type = EC_F_BOOL, .offset = AT(isolated),
      .help = "train the parameters of these layers only (method isolated, else justus)" },
    { .name = "table", .type = EC_F_STR, .offset = AT(table), .metavar = "FILE.csv",
      .help = "table of step times by number of processes; default: named after --out" },
    { .name = "profile", .type = EC_F_STR, .offset = AT(profile), .metavar = "FILE.json",
      .help = "predict with this profile of the machine, by `epochcast calibrate`" },
    { .name = "mpi", .type = EC_F_STR, .offset = AT(mpi), .metavar = "FILE.so",
      .help = "module with the MPI code; default: the installed one" },
    EC_FIELD_END
};
/* clang-format on */

/* --- Items --- */

struct items {
    struct ec_campaign_item *v;
    int n, cap;
    struct ec_strs optimizers, precisions, activations;
    struct ec_rng rng; /* draws activations */
    unsigned methods;
    struct ec_sampled_list drawn;
    struct ec_file file;
};

static void clear_items(struct items *items)
{
    ec_free(items->v);
    ec_sampled_clear(&items->drawn);
    ec_file_close(&items->file);
}

static void read_lists(const struct measure_opts *o, struct items *items)
{
    static const char *usual_optimizer[] = { "sgd" }, *usual_precision[] = { "fp32" };
    int i, m;

    items->optimizers = o->optimizers.n ? o->optimizers : (struct ec_strs){ 1, 1, usual_optimizer };
    items->precisions = o->precisions.n ? o->precisions : (struct ec_strs){ 1, 1, usual_precision };
    ec_rng_seed(&items->rng, (uint64_t)o->seed);
    items->methods = o->methods.n       ? 0
                     : o->activations.n ? EC_LAYER_JUSTUS
                                        : EC_LAYER_SEPARATED | EC_LAYER_MARGINAL;
    for (i = 0; i < o->methods.n; i++)
        for (m = 0; method_names[m]; m++)
            if (ec_str_eq(method_names[m], o->methods.v[i]))
                items->methods |= 1U << m;
}

/* One item for each precision and optimizer. */
static enum ec_status add_items(struct items *items, const struct ec_campaign_item *one,
                                struct ec_err *err)
{
    struct ec_campaign_item item = *one;
    enum ec_status st = EC_OK;
    int p, o;

    for (p = 0; p < items->precisions.n; p++) {
        EC_TRY(ec_conditions_set(&item.cond, "precision", items->precisions.v[p], err));
        for (o = 0; o < items->optimizers.n; o++) {
            EC_TRY(ec_conditions_set(&item.cond, "optimizer", items->optimizers.v[o], err));
            EC_TRY(ec_grow(&items->v, &items->cap, items->n + 1, sizeof *items->v, err));
            items->v[items->n++] = item;
        }
    }
out:
    return st;
}

static enum ec_status add_layer(struct items *items, const char *what, int activation,
                                struct ec_err *err)
{
    struct ec_campaign_item one;

    memset(&one, 0, sizeof one);
    one.what = what;
    one.activation = items->activations.v[activation];
    one.methods = items->methods;
    return add_items(items, &one, err);
}

/* The lists of --activation, each word checked; without any, none. */
static enum ec_status read_activations(struct ec_call *call, const struct measure_opts *o,
                                       struct items *items, struct ec_err *err)
{
    const struct ec_op *op = NULL;
    enum ec_status st = EC_OK;
    int i;

    if (o->activations.n && !(items->methods & (EC_LAYER_ISOLATED | EC_LAYER_JUSTUS)))
        return ec_usage(call, err,
                        "--activation is behind the layer of isolated and justus: name one of them "
                        "in --methods");
    for (i = 0; i < o->activations.n || (!i && !o->activations.n); i++) {
        struct ec_span rest = ec_span_of(o->activations.n ? o->activations.v[i] : "none"), word;

        while (rest.p && ec_span_cut(&rest, ',', &word))
            EC_TRY(
                ec_strs_add(&items->activations, &call->arena, err, "%.*s", (int)word.len, word.p));
    }
    for (i = 0; i < items->activations.n; i++)
        EC_TRY(ec_activation_named(items->activations.v[i], &op, err));
out:
    return st;
}

/* Lines are parsed as cases here, so that a wrong one is refused before anything is measured. */
static enum ec_status layers_of_file(struct ec_call *call, const char *path, struct items *items,
                                     struct ec_err *err)
{
    struct ec_span rest, line;
    enum ec_status st;
    int number = 0, i;

    EC_TRY(ec_file_open(path, (size_t)1 << 28, &items->file, err));
    rest = (struct ec_span){ (const char *)items->file.data, items->file.len };
    while (rest.p && ec_span_cut(&rest, '\n', &line)) {
        struct ec_owned_case c;
        struct ec_buf text = EC_BUF_INIT;
        const char *kept;

        number++;
        line = ec_span_trim(line);
        if (!line.len || line.p[0] == '#')
            continue;
        memset(&c, 0, sizeof c);
        kept = ec_arena_strn(&call->arena, line.p, line.len);
        st = kept ? ec_case_parse(kept, &c, err) : ec_nomem(err);
        if (st) {
            ec_err_prefix(err, "%s: line %d: ", path, number);
            return st;
        }
        ec_case_print(&c.c, &text);
        kept = ec_arena_str(&call->arena, ec_buf_text(&text));
        ec_buf_clear(&text);
        ec_case_clear(&c);
        if (!kept)
            return ec_nomem(err);
        for (i = 0; i < items->activations.n; i++)
            EC_TRY(add_layer(items, kept, i, err));
    }
out:
    return st;
}

static enum ec_status drawn_layers(struct ec_call *call, const struct measure_opts *o,
                                   struct items *items, struct ec_err *err)
{
    struct ec_sample_opts opts = {
        .count = (int)o->count, .seed = (uint64_t)o->seed, .zoo_percent = 50, .limits = o->limits
    };
    enum ec_status st;
    int i;

    EC_TRY(ec_ops_named(&o->op, &call->arena, &opts.ops, &opts.n_ops, err));
    EC_TRY(ec_sample_cases(&opts, &items->drawn, err));
    for (i = 0; i < items->drawn.n; i++)
        EC_TRY(add_layer(items, items->drawn.v[i].text,
                         (int)ec_rng_range(&items->rng, 0, items->activations.n - 1), err));
out:
    return st;
}

static enum ec_status layers(struct ec_call *call, const struct measure_opts *o,
                             const struct ec_measurer *m, struct items *items, struct ec_err *err)
{
    enum ec_status st = read_activations(call, o, items, err);

    (void)m;
    if (st)
        return st;
    return o->cases ? layers_of_file(call, o->cases, items, err)
                    : drawn_layers(call, o, items, err);
}

/* An unknown network is probably a typing error, so it is refused before anything is measured. A
 * network that exists but fails gets a row.
 * sizes  gets what the network depends on */
static enum ec_status find_network(const char *name, unsigned *sizes, struct ec_err *err)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts };
    struct ec_graph *g = NULL;
    enum ec_status st = ec_graph_open(name, &opts, &g, err);

    *sizes |= g ? g->sizes : EC_SIZE_IMAGE | EC_SIZE_SEQ_LEN;
    ec_graph_free(g);
    if (st == EC_E_NOT_FOUND)
        return st;
    if (st && err)
        *err = (struct ec_err){ .status = EC_OK };
    return EC_OK;
}

/* A wrong path is refused before anything is measured. */
static enum ec_status find_data(const char *data, struct ec_err *err)
{
    struct ec_samples *s = NULL;
    enum ec_status st = data ? ec_samples_open(data, NULL, &s, err) : EC_OK;

    ec_samples_close(s);
    return st;
}

static enum ec_status networks(struct ec_call *call, const struct measure_opts *o,
                               const struct ec_measurer *m, struct items *items, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    unsigned sizes = 0;
    int i, b;

    (void)m;
    if (!o->words.n)
        return ec_usage(call, err, "no network given: names, or ONNX and JSON files");
    EC_TRY(find_data(o->data, err));
    for (i = 0; i < o->words.n; i++)
        EC_TRY(find_network(o->words.v[i], &sizes, err));
    EC_TRY(ec_call_check_sizes(call, sizes, o->words.n > 1 ? NULL : o->words.v[0], err));
    for (i = 0; i < o->words.n; i++) {
        for (b = 0; b < o->batch.n || (!b && !o->batch.n); b++) {
            struct ec_campaign_item one;

            memset(&one, 0, sizeof one);
            one.kind = EC_CAMPAIGN_NETWORK;
            one.what = o->words.v[i];
            one.opts.struct_size = sizeof one.opts;
            one.opts.batch = o->batch.n ? o->batch.v[b] : 0;
            one.opts.image_px = o->image_px;
            one.opts.seq_len = o->seq_len;
            EC_TRY(add_items(items, &one, err));
        }
    }
out:
    return st;
}

/* --- Running --- */

static enum ec_status ceilings(struct ec_call *call, const struct measure_opts *o,
                               const struct ec_measurer *m, struct items *items, struct ec_err *err)
{
    struct ec_strs names;
    enum ec_status st;
    int i;

    memset(&names, 0, sizeof names);
    (void)o;
    EC_TRY(ec_ceilings(m, &call->arena, &names, err));
    for (i = 0; i < names.n; i++) {
        struct ec_campaign_item one;

        memset(&one, 0, sizeof one);
        one.kind = EC_CAMPAIGN_CEILING;
        one.what = names.v[i];
        EC_TRY(add_items(items, &one, err));
    }
out:
    return st;
}

typedef enum ec_status (*items_fn)(struct ec_call *call, const struct measure_opts *o,
                                   const struct ec_measurer *m, struct items *items,
                                   struct ec_err *err);

static enum ec_status run_campaign(struct ec_call *call, const struct measure_opts *o,
                                   items_fn items_of, struct items *items, struct ec_err *err)
{
    struct ec__measure_shown shown;
    struct ec_iterations it = { .env = o->env,
                                .max_iters = o->max_iters,
                                .warmup_iters = o->warmup_iters,
                                .thread_clock = o->clock != 0,
                                .data = o->data,
                                .workers = o->workers,
                                .told = ec__measure_show_iteration,
                                .user = &shown };
    struct ec_campaign c;
    struct ec_measurer m;
    enum ec_status st;

    memset(&m, 0, sizeof m);
    EC_TRY(ec__measure_campaign(o, &shown, &c, err));
    EC_TRY(ec__measure_open(call, o, &m, err));
    EC_TRY(items_of(call, o, &m, items, err));
    if (o->per_iteration)
        EC_TRY(ec_iterations_open(&it, o->per_iteration, err));
    if (o->per_iteration || o->data)
        m.iterations = &it;
    c.items = items->v;
    c.n_items = items->n;
    EC_TRY(ec__measure_run(call, &m, &c, o->out, err));
    EC_TRY(ec__measure_import(call, o, o->out, err));
out:
    ec_iterations_close(&it);
    ec__measure_close(&m);
    return st;
}

static enum ec_status need_out(struct ec_call *call, struct ec_err *err)
{
    const struct measure_opts *o = call->opts;

    return o->out ? EC_OK : ec_usage(call, err, "--out is missing: the file that rows go to");
}

static enum ec_status campaign(struct ec_call *call, items_fn items_of, struct ec_err *err)
{
    const struct measure_opts *o = call->opts;
    struct items items;
    enum ec_status st;

    memset(&items, 0, sizeof items);
    EC_TRY(need_out(call, err));
    read_lists(o, &items);
    EC_TRY(run_campaign(call, o, items_of, &items, err));
out:
    clear_items(&items);
    return st;
}

static enum ec_status run_layers(struct ec_call *call, struct ec_err *err)
{
    return campaign(call, layers, err);
}

static enum ec_status run_networks(struct ec_call *call, struct ec_err *err)
{
    return campaign(call, networks, err);
}

static enum ec_status run_ceilings(struct ec_call *call, struct ec_err *err)
{
    return campaign(call, ceilings, err);
}

static enum ec_status run_grid(struct ec_call *call, struct ec_err *err)
{
    return ec__measure_grid(call, call->opts, err);
}

static enum ec_status run_ddp(struct ec_call *call, struct ec_err *err)
{
    enum ec_status st = need_out(call, err);

    return st ? st : ec__measure_ddp(call, call->opts, err);
}

static const struct ec_arg_group layers_groups[] = {
    {"Options",          out_fields,         0           },
    { "Options",         layer_fields,       0           },
    { "Options",         optimizers_fields,  0           },
    { "Options",         precisions_fields,  0           },
    { "Options",         common_fields,      0           },
    { "Options",         campaign_fields,    0           },
    { "One measurement", ec_protocol_fields, AT(protocol)},
    { NULL,              NULL,               0           }
};
static const struct ec_arg_group networks_groups[] = {
    {"Options",          name_fields,        0           },
    { "Options",         out_fields,         0           },
    { "Options",         batch_fields,       0           },
    { "Options",         network_fields,     0           },
    { "Options",         data_fields,        0           },
    { "Options",         workers_fields,     0           },
    { "Options",         iteration_fields,   0           },
    { "Options",         optimizers_fields,  0           },
    { "Options",         precisions_fields,  0           },
    { "Options",         common_fields,      0           },
    { "Options",         campaign_fields,    0           },
    { "One measurement", ec_protocol_fields, AT(protocol)},
    { NULL,              NULL,               0           }
};
static const struct ec_arg_group ceilings_groups[] = {
    {"Options",          out_fields,         0           },
    { "Options",         precisions_fields,  0           },
    { "Options",         common_fields,      0           },
    { "Options",         campaign_fields,    0           },
    { "One measurement", ec_protocol_fields, AT(protocol)},
    { NULL,              NULL,               0           }
};
/* Epochs and steps are counted, so that of the protocol nothing is asked. */
static const struct ec_arg_group grid_groups[] = {
    {"Options",  grid_fields,      0},
    { "Options", batch_fields,     0},
    { "Options", workers_fields,   0},
    { "Options", precision_fields, 0},
    { "Options", common_fields,    0},
    { "Options", campaign_fields,  0},
    { NULL,      NULL,             0}
};
/* So many steps are timed as --max-iters says. */
static const struct ec_arg_group ddp_groups[] = {
    {"Options",          name_fields,                             0           },
    { "Options",         out_fields,                              0           },
    { "Options",         batch_fields,                            0           },
    { "Options",         iteration_fields,                        0           },
    { "Options",         ddp_fields,                              0           },
    { "Options",         precision_fields,                        0           },
    { "Options",         common_fields,                           0           },
    { "One measurement", ec_protocol_fields + EC_PROTOCOL_JUDGED, AT(protocol)},
    { NULL,              NULL,                                    0           }
};

static const struct ec_arg_rule layers_rules[] = {
    {"op count max_flop max_bytes", NULL, "cases"},
    { NULL,                         NULL, NULL   },
};
static const struct ec_arg_rule networks_rules[] = {
    {"max_iters warmup_iters", "per_iteration data", NULL},
    { "env",                   "per_iteration",      NULL},
    { "workers",               "data",               NULL},
    { NULL,                    NULL,                 NULL},
};
static const struct ec_arg_rule grid_rules[] = {
    {"warmup_iters", "max_iters", NULL},
    { NULL,          NULL,        NULL},
};

static const char *const layers_usage[] = {
    "--out FILE.csv [--op NAME,...] [--count N] [--seed N] [--resume]",
    NULL,
};
static const struct ec_cmd layers_cmd = {
    .of = &ec_cmd_measure,
    .name = "layers",
    .writes = "out",
    .help = "time single layers: drawn ones, or those of a file",
    .usage = layers_usage,
    .groups = layers_groups,
    .rules = layers_rules,
    .opts_size = sizeof(struct measure_opts),
    .run = run_layers,
};

static const char *const networks_usage[] = {
    "NETWORK... --out FILE.csv [--batch N,...] [--optimizer NAME,...] [--resume]",
    "NETWORK... --out FILE.csv --per-iteration FILE.csv [--max-iters N] [--data SET[:PATH]]",
    NULL,
};
static const struct ec_cmd networks_cmd = {
    .of = &ec_cmd_measure,
    .name = "networks",
    .writes = "out per_iteration",
    .help = "time training steps of networks, and their parts",
    .usage = networks_usage,
    .positional = "words",
    .groups = networks_groups,
    .rules = networks_rules,
    .opts_size = sizeof(struct measure_opts),
    .run = run_networks,
};

static const char *const ceilings_usage[] = {
    "--out FILE.csv [--precision NAME,...] [--threads N] [--resume]",
    NULL,
};
static const struct ec_cmd ceilings_cmd = {
    .of = &ec_cmd_measure,
    .name = "ceilings",
    .writes = "out",
    .help = "measure the peak rates of this machine: products, copies, launches",
    .usage = ceilings_usage,
    .groups = ceilings_groups,
    .opts_size = sizeof(struct measure_opts),
    .run = run_ceilings,
};

static const char *const grid_usage[] = {
    "[--family NAME] [--param NAME=N,...] [--batch N,...] [--epochs N] [--data SET]",
    NULL,
};
static const struct ec_cmd grid_cmd = {
    .of = &ec_cmd_measure,
    .name = "grid",
    .writes = "out curves",
    .help = "train every configuration of a family for some epochs",
    .usage = grid_usage,
    .groups = grid_groups,
    .rules = grid_rules,
    .opts_size = sizeof(struct measure_opts),
    .run = run_grid,
};

static const char *const ddp_usage[] = {
    "NETWORK... --out FILE.csv [--batch N,...] [--max-iters N]",
    "--op CASE --out FILE.csv [--activation OP] [--isolated]",
    NULL,
};
static const struct ec_cmd ddp_cmd = {
    .of = &ec_cmd_measure,
    .name = "ddp",
    .writes = "out table",
    .help = "time data-parallel steps of several processes, under mpirun",
    .usage = ddp_usage,
    .positional = "words",
    .groups = ddp_groups,
    .opts_size = sizeof(struct measure_opts),
    .run = run_ddp,
};

static const struct ec_cmd *const subs[] = { &layers_cmd, &networks_cmd, &ceilings_cmd,
                                             &grid_cmd,   &ddp_cmd,      NULL };

const struct ec_cmd ec_cmd_measure = {
    .name = "measure",
    .help = "measure layers, networks, ceilings, grids and scaling on this machine",
    .subs = subs,
};
