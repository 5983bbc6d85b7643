/* epochcast measure: campaigns on this machine. */
#include "cli/cli.h"

#include <string.h>

#include "cli/measure_internal.h"
#include "measure/measure.h"

const char *const ec__measure_clocks[] = { "wall", "thread", NULL };
static const char *const method_names[] = { "separated", "marginal", "isolated", "justus", NULL };

#include "measure_cmd.h"

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
    int p, o;

    for (p = 0; p < items->precisions.n; p++) {
        EC_PASS(ec_conditions_set(&item.cond, "precision", items->precisions.v[p], err));
        for (o = 0; o < items->optimizers.n; o++) {
            EC_PASS(ec_conditions_set(&item.cond, "optimizer", items->optimizers.v[o], err));
            EC_PASS(ec_grow(&items->v, &items->cap, items->n + 1, sizeof *items->v, err));
            items->v[items->n++] = item;
        }
    }
    return EC_OK;
}

static enum ec_status add_layer(struct items *items, const char *what, int activation,
                                struct ec_err *err)
{
    struct ec_campaign_item one = { 0 };

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
    int i;

    if (o->activations.n && !(items->methods & (EC_LAYER_ISOLATED | EC_LAYER_JUSTUS)))
        return ec_usage(call, err,
                        "--activation is behind the layer of isolated and justus: name one of them "
                        "in --methods");
    for (i = 0; i < o->activations.n || (!i && !o->activations.n); i++) {
        struct ec_span rest = ec_span_of(o->activations.n ? o->activations.v[i] : "none"), word;

        while (rest.p && ec_span_cut(&rest, ',', &word))
            EC_PASS(
                ec_strs_add(&items->activations, &call->arena, err, "%.*s", (int)word.len, word.p));
    }
    for (i = 0; i < items->activations.n; i++)
        EC_PASS(ec_activation_named(items->activations.v[i], &op, err));
    return EC_OK;
}

/* Lines are parsed as cases here, so that a wrong one is refused before anything is measured. */
static enum ec_status layers_of_file(struct ec_call *call, const char *path, struct items *items,
                                     struct ec_err *err)
{
    struct ec_span rest, line;
    int number = 0, i;

    EC_PASS(ec_file_open(path, (size_t)1 << 28, &items->file, err));
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
        EC_PASS(ec_within(err, kept ? ec_case_parse(kept, &c, err) : ec_nomem(err),
                          "%s: line %d: ", path, number));
        ec_case_print(&c.c, &text);
        kept = ec_arena_str(&call->arena, ec_buf_text(&text));
        ec_buf_clear(&text);
        ec_case_clear(&c);
        EC_PASS(ec_allocated(kept, err));
        for (i = 0; i < items->activations.n; i++)
            EC_PASS(add_layer(items, kept, i, err));
    }
    return EC_OK;
}

static enum ec_status drawn_layers(struct ec_call *call, const struct measure_opts *o,
                                   struct items *items, struct ec_err *err)
{
    struct ec_sample_opts opts = {
        .count = (int)o->count, .seed = (uint64_t)o->seed, .zoo_percent = 50, .limits = o->limits
    };
    int i;

    EC_PASS(ec_ops_named(&o->op, &call->arena, &opts.ops, &opts.n_ops, err));
    EC_PASS(ec_sample_cases(&opts, &items->drawn, err));
    for (i = 0; i < items->drawn.n; i++)
        EC_PASS(add_layer(items, items->drawn.v[i].text,
                          (int)ec_rng_range(&items->rng, 0, items->activations.n - 1), err));
    return EC_OK;
}

static enum ec_status layers(struct ec_call *call, const struct measure_opts *o,
                             const struct ec_measurer *m, struct items *items, struct ec_err *err)
{
    (void)m;
    EC_PASS(read_activations(call, o, items, err));
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
    unsigned sizes = 0;
    int i, b;

    (void)m;
    EC_PASS(find_data(o->data, err));
    for (i = 0; i < o->words.n; i++)
        EC_PASS(find_network(o->words.v[i], &sizes, err));
    EC_PASS(ec_call_check_sizes(call, sizes, o->words.n > 1 ? NULL : o->words.v[0], err));
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
            EC_PASS(add_items(items, &one, err));
        }
    }
    return EC_OK;
}

/* --- Running --- */

static enum ec_status ceilings(struct ec_call *call, const struct measure_opts *o,
                               const struct ec_measurer *m, struct items *items, struct ec_err *err)
{
    struct ec_strs names = { 0 };
    int i;

    (void)o;
    EC_PASS(ec_ceilings(m, &call->arena, &names, err));
    for (i = 0; i < names.n; i++) {
        struct ec_campaign_item one;

        memset(&one, 0, sizeof one);
        one.kind = EC_CAMPAIGN_CEILING;
        one.what = names.v[i];
        EC_PASS(add_items(items, &one, err));
    }
    return EC_OK;
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
    struct ec_measurer m = { 0 };
    enum ec_status st;

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
    struct items items = { 0 };
    enum ec_status st;

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
    EC_PASS(need_out(call, err));
    return ec__measure_ddp(call, call->opts, err);
}
