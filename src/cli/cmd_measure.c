/* epochcast measure: campaigns on this machine. */
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

#include "cli/measure_internal.h"
#include "measure/measure.h"

#define AT(member) offsetof(struct measure_opts, member)

const char *const ec__measure_clocks[] = { "wall", "thread", NULL };

/* clang-format off */
static const struct ec_field common_fields[] = {
    { .name = "action", .type = EC_F_STR, .offset = AT(action), .metavar = "WHAT",
      .help = "layers, networks, ceilings, grid or ddp" },
    { .name = "words", .type = EC_F_STRS, .offset = AT(words), .metavar = "NAME",
      .help = "networks: names of the zoo with their parameters, ONNX and JSON files" },
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .metavar = "FILE.csv",
      .help = "file that rows are appended to; the machine's record goes beside it; grid: without "
              "it configs_FAMILY_DEVICE.csv" },
    { .name = "resume", .type = EC_F_BOOL, .offset = AT(resume),
      .help = "go on with a file that holds rows: they are not measured again" },
    { .name = "store", .type = EC_F_STR, .offset = AT(store), .metavar = "FILE",
      .help = "bring the rows into this store at the end" },
    { .name = "seed", .type = EC_F_INT, .offset = AT(seed), .deflt = "1", .min = 0, .max = 1e15,
      .metavar = "N", .help = "of the order, the cases drawn, weights and data" },
    { .name = "shard", .type = EC_F_STR, .offset = AT(shard), .metavar = "I/N",
      .help = "measure the I-th of N parts, from 0: one for each job of an array" },
    { .name = "time_budget", .type = EC_F_DOUBLE, .offset = AT(time_budget_s), .unit = "s",
      .max = 1e9, .metavar = "S", .help = "begin nothing new after so long; 0: no end" },
    { .name = "backend", .type = EC_F_STR, .offset = AT(engine.backend), .metavar = "NAME",
      .help = "cpu, cuda, ref, ref64 or sim; without it the best there is" },
    { .name = "threads", .type = EC_F_INT, .offset = AT(engine.threads), .max = 4096,
      .metavar = "N", .help = "of the CPU; 0: all that this process may use" },
    { .name = "clock", .type = EC_F_ENUM, .offset = AT(clock), .deflt = "wall",
      .choices = ec__measure_clocks,
      .help = "wall: what a user waits for; thread: what one thread takes of a processor, for "
              "machines that others load; with --threads 1" },
    { .name = "device", .type = EC_F_STR, .offset = AT(device), .metavar = "KEY",
      .help = "name of the device in the rows; without it the one of the machine's record" },
    { .name = "optimizer", .type = EC_F_STR, .offset = AT(optimizer), .deflt = "sgd",
      .metavar = "NAME,...",
      .help = "sgd, momentum, rmsprop, adam, adamw, adagrad, adadelta; grid: one, without it "
              "adam" },
    { .name = "precision", .type = EC_F_STR, .offset = AT(precision), .deflt = "fp32",
      .metavar = "NAME,...", .help = "fp32, bf16" },
    EC_FIELD_END
};

static const struct ec_field layer_fields[] = {
    { .name = "op", .type = EC_F_STRS, .offset = AT(op), .metavar = "NAME,...",
      .help = "draw cases of these operators in turn; else of all" },
    { .name = "count", .type = EC_F_INT, .offset = AT(count), .deflt = "100", .min = 1, .max = 1e6,
      .metavar = "N", .help = "so many cases" },
    { .name = "cases", .type = EC_F_STR, .offset = AT(cases), .metavar = "FILE",
      .help = "cases from a file, one a line, in place of drawn ones; - reads standard input" },
    { .name = "max_flop", .type = EC_F_DOUBLE, .offset = AT(limits.max_flop), .deflt = "2e10",
      .max = 1e20, .metavar = "FLOP", .help = "of a drawn case, forward and gradients; 0: any" },
    { .name = "max_bytes", .type = EC_F_DOUBLE, .offset = AT(limits.max_bytes), .deflt = "1e9",
      .max = 1e15, .metavar = "BYTES", .help = "that a drawn case needs at least; 0: any" },
    { .name = "methods", .type = EC_F_STR, .offset = AT(methods), .deflt = "separated,marginal",
      .metavar = "NAME,...", .help = "separated, marginal, isolated, justus" },
    EC_FIELD_END
};

static const struct ec_field network_fields[] = {
    { .name = "batch", .type = EC_F_INTS, .offset = AT(batch), .min = 1, .max = 1e9,
      .metavar = "N,...", .short_flag = 'b', .help = "samples per step; else the network's own" },
    { .name = "image", .type = EC_F_INT, .offset = AT(image_px), .max = 1e5, .metavar = "PX",
      .help = "side of the image; else the network's own" },
    { .name = "seq_len", .type = EC_F_INT, .offset = AT(seq_len), .max = 1e7, .metavar = "N",
      .help = "length of sequences; else the network's own" },
    { .name = "per_iteration", .type = EC_F_STR, .offset = AT(per_iteration),
      .metavar = "FILE.csv", .help = "write a row for each iteration, as it ends, to this table" },
    { .name = "env", .type = EC_F_STR, .offset = AT(env), .deflt = "local", .metavar = "NAME",
      .help = "name of this environment in --per-iteration" },
    { .name = "max_iters", .type = EC_F_INT, .offset = AT(max_iters), .deflt = "100", .min = 1,
      .max = 1e6, .metavar = "N",
      .help = "iterations written of each run, with --per-iteration; grid: steps that are timed in "
              "place of whole epochs" },
    { .name = "warmup_iters", .type = EC_F_INT, .offset = AT(warmup_iters), .deflt = "10",
      .max = 1e6, .metavar = "N", .help = "iterations before them that are not counted" },
    EC_FIELD_END
};

static const struct ec_field grid_fields[] = {
    { .name = "family", .type = EC_F_STR, .offset = AT(family), .deflt = "cifar_cnn",
      .metavar = "NAME", .help = "network of the zoo whose parameters are varied" },
    { .name = "depth", .type = EC_F_INTS, .offset = AT(depth), .min = 1, .max = 1e9,
      .metavar = "N,...", .help = "short for --param depth=N,...; of cifar_cnn 2,3,4" },
    { .name = "base_filters", .type = EC_F_INTS, .offset = AT(base_filters), .min = 1, .max = 1e9,
      .metavar = "N,...", .help = "short for --param base_filters=N,...; of cifar_cnn 32,64" },
    { .name = "param", .type = EC_F_STRS, .offset = AT(param), .metavar = "NAME=N,...",
      .help = "a parameter of the family and its values; may be given several times" },
    { .name = "epochs", .type = EC_F_INT, .offset = AT(epochs), .deflt = "3", .min = 1, .max = 1e6,
      .metavar = "N", .help = "that each configuration is trained for" },
    { .name = "rounds", .type = EC_F_INT, .offset = AT(rounds), .deflt = "1", .min = 1, .max = 1000,
      .metavar = "N", .help = "so many rows of each, measured in turn: a machine's speed moves" },
    { .name = "data", .type = EC_F_STR, .offset = AT(data), .deflt = "synthetic",
      .metavar = "SET[:PATH]", .help = "data set, as for `epochcast train`" },
    { .name = "samples", .type = EC_F_INT, .offset = AT(samples.limit), .max = 1e12,
      .metavar = "N", .help = "training samples of it, at most; 0: all" },
    { .name = "val_split", .type = EC_F_DOUBLE, .offset = AT(samples.val_frac), .deflt = "0",
      .max = 0.9, .metavar = "SHARE", .help = "of the training samples kept for validation" },
    { .name = "curves", .type = EC_F_STR, .offset = AT(curves), .metavar = "FILE.csv",
      .help = "write loss and accuracy of each epoch of each configuration to this table" },
    { .name = "workers", .type = EC_F_INT, .offset = AT(workers), .deflt = "1", .max = 64,
      .metavar = "N", .help = "threads that prepare batches ahead" },
    EC_FIELD_END
};

static const struct ec_field ddp_fields[] = {
    { .name = "table", .type = EC_F_STR, .offset = AT(table), .metavar = "FILE.csv",
      .help = "table of steps against processes; without it beside --out" },
    { .name = "mpi", .type = EC_F_STR, .offset = AT(mpi), .metavar = "FILE.so",
      .help = "module that joins the processes of mpirun; without it the one that is installed" },
    EC_FIELD_END
};

static const struct ec_arg_group groups[] = {
    { "Options", common_fields, 0 },
    { "Layers", layer_fields, 0 },
    { "Networks", network_fields, 0 },
    { "Grid", grid_fields, 0 },
    { "Data parallel", ddp_fields, 0 },
    { "One measurement", ec_protocol_fields, AT(protocol) },
    { NULL, NULL, 0 },
};
/* clang-format on */

static const char *const usage[] = {
    "layers --out FILE.csv [--op NAME,...] [--count N] [--seed N] [--resume]",
    "networks NAME... --out FILE.csv [--batch N,...] [--optimizer NAME,...] [--resume]",
    "networks NAME... --out FILE.csv --per-iteration FILE.csv [--max-iters N]",
    "grid [--family NAME] [--param NAME=N,...] [--batch N,...] [--epochs N] [--data SET]",
    "ddp NETWORK... --out FILE.csv [--batch N,...] [--max-iters N], under mpirun",
    "ceilings --out FILE.csv [--precision NAME,...] [--threads N] [--resume]",
    NULL,
};

/* --- Progress: one line that is rewritten on a terminal, every tenth part elsewhere --- */

static void clock_text(double s, char *out, size_t size)
{
    int h = (int)(s / 3600), m = (int)(s / 60) % 60;

    if (h)
        (void)snprintf(out, size, "%d:%02d h", h, m);
    else
        (void)snprintf(out, size, "%d:%02d min", m, (int)s % 60);
}

static void show(void *user, const struct ec_campaign_progress *p)
{
    struct ec__measure_shown *s = user;
    int tenth = p->total ? p->done * 10 / p->total : 10;
    char gone[32], left[32];

    if (!s->terminal && tenth == s->tenth)
        return;
    s->tenth = tenth;
    clock_text(p->elapsed_s, gone, sizeof gone);
    clock_text(p->left_s, left, sizeof left);
    (void)fprintf(stderr, "%s%d of %d, %s gone, %s left, %lld rows, %lld not ok  %.60s%s",
                  s->terminal ? EC_LINE_OVER : "", p->done, p->total, gone, left,
                  (long long)p->n_added, (long long)p->n_failed, p->what,
                  s->terminal ? EC_LINE_END : "\n");
}

/* --- Items --- */

static enum ec_status fail_word(const char *what, struct ec_span name, const char *const *names,
                                struct ec_err *err)
{
    struct ec_buf all = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; names[i]; i++)
        ec_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
    st = ec_fail(err, EC_E_INPUT, "%s: found \"%.*s\", expected one of %s", what,
                 name.len > 40 ? 40 : (int)name.len, name.p, ec_buf_text(&all));
    ec_buf_clear(&all);
    return st;
}

enum ec_status ec__words_of(const char *text, const char *const *names, const char *what, int *ret,
                            int max, int *ret_n, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), word;
    int i;

    *ret_n = 0;
    while (rest.p && ec_span_cut(&rest, ',', &word)) {
        struct ec_span name = ec_span_trim(word);

        for (i = 0; names[i] && !ec_span_eq(name, names[i]); i++)
            ;
        if (!names[i] || *ret_n == max)
            return fail_word(what, name, names, err);
        ret[(*ret_n)++] = i;
    }
    return EC_OK;
}

enum ec_status ec__one_word(const char *list, const char *const *names, const char *what, int *ret,
                            struct ec_err *err)
{
    int v[16], n = 0;
    enum ec_status st;

    EC_TRY(ec__words_of(list, names, what, v, EC_LEN(v), &n, err));
    if (n != 1)
        return ec_fail(err, EC_E_INPUT, "%s: found \"%.60s\", expected one", what, list);
    *ret = v[0];
out:
    return st;
}

const char *const ec__measure_precisions[] = { "fp32", "bf16", NULL };
static const enum ec_dtype precisions[] = { EC_DT_f32, EC_DT_bf16 };
static const char *const method_names[] = { "separated", "marginal", "isolated", "justus", NULL };

struct items {
    struct ec_campaign_item *v;
    int n, cap;
    int optimizer[EC_OPT_COUNT], n_optimizers;
    int precision[EC_LEN(precisions)], n_precisions;
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

static enum ec_status read_lists(const struct measure_opts *o, struct items *items,
                                 struct ec_err *err)
{
    int methods[EC_LEN(method_names)], n = 0, i;
    enum ec_status st;

    EC_TRY(ec__words_of(o->optimizer, ec_optimizer_names, "--optimizer", items->optimizer,
                        EC_OPT_COUNT, &items->n_optimizers, err));
    EC_TRY(ec__words_of(o->precision, ec__measure_precisions, "--precision", items->precision,
                        EC_LEN(precisions), &items->n_precisions, err));
    EC_TRY(ec__words_of(o->methods, method_names, "--methods", methods, EC_LEN(methods), &n, err));
    for (i = 0; i < n; i++)
        items->methods |= 1U << methods[i];
out:
    return st;
}

/* One item for each precision and optimizer. */
static enum ec_status add_items(struct items *items, const struct ec_campaign_item *one,
                                struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int p, o;

    for (p = 0; p < items->n_precisions; p++) {
        for (o = 0; o < items->n_optimizers; o++) {
            EC_TRY(ec_grow(&items->v, &items->cap, items->n + 1, sizeof *items->v, err));
            items->v[items->n] = *one;
            items->v[items->n].precision = precisions[items->precision[p]];
            items->v[items->n].optimizer = (enum ec_optimizer)items->optimizer[o];
            items->n++;
        }
    }
out:
    return st;
}

static enum ec_status add_layer(struct items *items, const char *what, struct ec_err *err)
{
    struct ec_campaign_item one;

    memset(&one, 0, sizeof one);
    one.what = what;
    one.methods = items->methods;
    return add_items(items, &one, err);
}

/* Lines are read as cases here, so that a wrong one is refused before anything is measured. */
static enum ec_status layers_of_file(struct ec_call *call, const char *path, struct items *items,
                                     struct ec_err *err)
{
    struct ec_span rest, line;
    enum ec_status st;
    int number = 0;

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
        EC_TRY(add_layer(items, kept, err));
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
        EC_TRY(add_layer(items, items->drawn.v[i].text, err));
out:
    return st;
}

/* A name that no network has is a slip of the hand, refused before anything is measured. What is
 * there and does not work is a row. */
static enum ec_status find_network(const char *name, struct ec_err *err)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts };
    struct ec_graph *g = NULL;
    enum ec_status st = ec_graph_open(name, &opts, &g, err);

    ec_graph_free(g);
    if (st == EC_E_NOT_FOUND)
        return st;
    if (st && err)
        *err = (struct ec_err){ .status = EC_OK };
    return EC_OK;
}

static enum ec_status networks(struct ec_call *call, const struct measure_opts *o,
                               struct items *items, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i, b;

    if (!o->words.n)
        return ec_usage(call, err, "no network given: names, or ONNX and JSON files");
    for (i = 0; i < o->words.n; i++) {
        EC_TRY(find_network(o->words.v[i], err));
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

static enum ec_status shard_of(const char *text, struct ec_campaign *ret, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), i_word, n_word = { NULL, 0 };
    int64_t i, n;

    if (!ec_span_cut(&rest, '/', &i_word) || !ec_span_cut(&rest, '/', &n_word) ||
        !ec_parse_int(i_word, &i) || !ec_parse_int(n_word, &n) || i < 0 || n < 1 || i >= n ||
        n > 1000000)
        return ec_fail(err, EC_E_INPUT, "--shard %.40s: expected I/N with 0 <= I < N, such as 0/4",
                       text);
    ret->shard = (int)i;
    ret->n_shards = (int)n;
    return EC_OK;
}

static enum ec_status ceilings(struct ec_call *call, const struct ec_measurer *m,
                               struct items *items, struct ec_err *err)
{
    struct ec_strs names;
    enum ec_status st;
    int i;

    memset(&names, 0, sizeof names);
    items->n_optimizers = 1;
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

static enum ec_status items_of(struct ec_call *call, const struct measure_opts *o,
                               const struct ec_measurer *m, struct items *items, struct ec_err *err)
{
    if (ec_str_eq(o->action, "layers"))
        return o->cases ? layers_of_file(call, o->cases, items, err)
                        : drawn_layers(call, o, items, err);
    if (ec_str_eq(o->action, "networks"))
        return networks(call, o, items, err);
    return ceilings(call, m, items, err);
}

enum ec_status ec__measure_campaign(const struct measure_opts *o, struct ec__measure_shown *shown,
                                    struct ec_campaign *ret, struct ec_err *err)
{
    memset(ret, 0, sizeof *ret);
    *shown = (struct ec__measure_shown){ isatty(STDERR_FILENO) != 0, 0 };
    ret->seed = (uint64_t)o->seed;
    ret->n_shards = 1;
    ret->budget_s = o->time_budget_s;
    ret->progress = show;
    ret->user = shown;
    return o->shard ? shard_of(o->shard, ret, err) : EC_OK;
}

enum ec_status ec__measure_run(struct ec_call *call, struct ec_measurer *m,
                               const struct ec_campaign *c, const char *path, struct ec_err *err)
{
    const struct ec__measure_shown *shown = c->user;
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    enum ec_status st;

    ec_interrupt_watch();
    st = ec_campaign_run(m, c, &end, err);
    ec_interrupt_end();
    if (shown->terminal)
        (void)fputs("\n", stderr);
    if (st)
        return st;
    ec_buf_printf(&call->out, "%s: %lld rows added, %lld not ok, %lld items were there already\n",
                  path, (long long)m->n_added, (long long)m->n_failed, (long long)m->n_known);
    if (end == EC_CAMPAIGN_BUDGET)
        ec_buf_str(&call->out, "the time budget has ended; --resume goes on\n");
    if (end == EC_CAMPAIGN_STOPPED)
        ec_call_interrupted(call, "interrupted; %s keeps what is measured, --resume goes on", path);
    return EC_OK;
}

static enum ec_status run_campaign(struct ec_call *call, const struct measure_opts *o,
                                   struct items *items, struct ec_err *err)
{
    struct ec_iterations it = { NULL, o->env, o->max_iters, o->warmup_iters };
    struct ec__measure_shown shown;
    struct ec_campaign c;
    struct ec_measurer m;
    enum ec_status st;

    memset(&m, 0, sizeof m);
    EC_TRY(ec__measure_campaign(o, &shown, &c, err));
    EC_TRY(ec__measure_open(call, o, &m, err));
    EC_TRY(items_of(call, o, &m, items, err));
    if (o->per_iteration) {
        EC_TRY(ec_iterations_open(&it, o->per_iteration, err));
        m.iterations = &it;
    }
    c.items = items->v;
    c.n_items = items->n;
    EC_TRY(ec__measure_run(call, &m, &c, o->out, err));
    EC_TRY(ec__measure_import(call, o, o->out, err));
out:
    ec_iterations_close(&it);
    ec__measure_close(&m);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct measure_opts *o = call->opts;
    struct items items;
    enum ec_status st;

    memset(&items, 0, sizeof items);
    if (!o->action)
        return ec_usage(call, err,
                        "what to measure is missing: layers, networks, ceilings, grid or ddp");
    if (ec_str_eq(o->action, "grid"))
        return ec__measure_grid(call, o, err);
    if (!o->out)
        return ec_usage(call, err, "--out is missing: the file that rows go to");
    if (ec_str_eq(o->action, "ddp"))
        return ec__measure_ddp(call, o, err);
    if (!ec_str_eq(o->action, "layers") && !ec_str_eq(o->action, "networks") &&
        !ec_str_eq(o->action, "ceilings"))
        return ec_usage(call, err,
                        "cannot measure \"%.40s\": there are layers, networks, "
                        "ceilings, grid, ddp",
                        o->action);
    EC_TRY(read_lists(o, &items, err));
    EC_TRY(run_campaign(call, o, &items, err));
out:
    clear_items(&items);
    return st;
}

const struct ec_cmd ec_cmd_measure = {
    .name = "measure",
    .help = "measure layers, networks, ceilings, grids and scaling on this machine",
    .usage = usage,
    .positional = "action words",
    .writes = "out per_iteration curves table",
    .groups = groups,
    .opts_size = sizeof(struct measure_opts),
    .run = run,
};
