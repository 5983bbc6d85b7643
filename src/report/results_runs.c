/* Measured runs in a report: their work, their speed, and their share of the device's peaks. */
#include <stdio.h>

#include "report/results_internal.h"
#include "report/runs_internal.h"
#include "report_columns.h"

#define RUNS_SHOWN 60
#define LEADING_SHOWN 600 /* of networks at their largest batches: a page has an end */

static enum ec_status gather(struct ec__results *r, struct ec_store **ret)
{
    struct ec_store_counts counts;
    struct ec_store *s = r->store;
    int i, n_read = s ? 1 : 0;
    enum ec_status st;

    r->store = NULL;
    EC_TRY(ec_runs_store(r->run_files + n_read, r->n_run_files - n_read, &r->o->given, &s, NULL,
                         r->err));
    for (i = 0; i < r->n_stores; i++)
        EC_TRY(ec_store_merge(s, r->stores[i], &counts, r->err));
    *ret = s;
    s = NULL;
out:
    ec_store_close(s);
    return st;
}

/* The catalogue's device of an environment, with its peaks. */
static void quantity(struct ec_table *t, const struct ec_qty *q)
{
    ec_table_row(t, q->src == EC_SRC_NONE ? ec_none() : ec_num(q->value));
}

/* An environment, by the number of its first run. fp32: that of its last run at fp32, whose peak a
 * device has that is not in the catalogue; 0: none. */
static void add_environment(struct ec_runs *runs, int first, int fp32, struct ec_table *t)
{
    const struct ec_run *v = &runs->v[first - 1];
    const struct ec_device *d = NULL;

    ec_table_text(t, v->env);
    if (ec_device_find(v->record.device, &d, NULL) && ec_device_find(v->env, &d, NULL)) {
        ec_table_row(t, ec_given(v->record.device), ec_none(),
                     fp32 ? ec_num(runs->v[fp32 - 1].peak_flop_per_s) : ec_none(), ec_none(),
                     ec_none(), ec_num(v->memory_bytes_per_s), ec_none());
        return;
    }
    ec_table_row(t, ec_text(ec_device_key(d)), ec_text(ec_device_name(d)));
    quantity(t, &d->fp32_flop_per_s);
    quantity(t, &d->fp16_tensor_flop_per_s);
    quantity(t, &d->bf16_tensor_flop_per_s);
    quantity(t, &d->memory_bytes_per_s);
    quantity(t, &d->memory_bytes);
}

static enum ec_status environments(struct ec__results *r, struct ec_runs *runs)
{
    struct ec__query *q;
    struct ec_table t;
    enum ec_status st;

    ec_table_init(&t, devices_cols, EC_LEN(devices_cols));
    EC_TRY(ec__runs_query(runs, &q, r->err));
    ec__query_ask(q, "SELECT first, ifnull(fp32, 0), n, precisions FROM environment");
    while (ec__query_next(q)) {
        add_environment(runs, (int)ec__query_cell(q, 0), (int)ec__query_cell(q, 1), &t);
        ec_table_row(&t, ec_num(ec__query_cell(q, 2)), ec_text(ec__query_word(q, 3)));
    }
    EC_TRY(ec__query_status(q, r->err));
    ec_document_table(&r->doc, &t, "Environments, with the numbers of their devices.",
                      "epochcast device list");
out:
    ec_table_clear(&t);
    return st;
}

/* --- Memory by kind, as predicted: no run has its parts --- */

static bool is_gpu(const struct ec_run *v)
{
    const struct ec_device *d = NULL;

    return !ec_device_find(v->record.device, &d, NULL) && d->form_factor &&
           !ec_str_eq(d->form_factor, "cpu");
}

/* Only runs on GPUs if there are any: else memory is the host's. */
static enum ec_status memory_csv(struct ec__results *r, struct ec_runs *runs, struct ec_buf *out)
{
    struct ec_predictor *p = NULL;
    struct ec_predict_opts o;
    struct ec_prediction m;
    struct ec_runs once = { 0 }; /* each network, batch and length on a device */
    enum ec_status st;
    bool gpus = false, ok;
    int i;

    for (i = 0; i < runs->n; i++)
        gpus |= is_gpu(&runs->v[i]);
    EC_TRY(ec_predictor_new(&p, r->err));
    EC_TRY(ec__runs_listed(runs, "SELECT i FROM sized", &once, r->err));
    for (i = 0; i < once.n; i++) {
        const struct ec_run *v = &once.v[i];
        const struct ec_device *d = NULL;
        struct ec_record asked = v->record;

        if (ec_device_find(v->record.device, &d, NULL) || (gpus && !is_gpu(v)))
            continue;
        ec_record_set_word(&asked, EC_WORD_MODE, "training_step");
        EC_TRY(ec__run_asked(p, &asked, &asked, r->err));
        ec_predict_opts_default(&o);
        o.cond.optimizer = asked.cond.optimizer;
        o.batch = v->record.batch;
        o.image = v->record.image_px;
        o.seq_len = v->record.seq_len;
        if (*v->record.job) /* its devices share what the network holds */
            o.devices = v->record.num_devices > 1 ? v->record.num_devices : 1;
        if (ec_predict_opts_set(&o, "precision", ec_run_precision(v), NULL) ||
            ec_predict_opts_job(v->record.job, &o, NULL))
            continue;
        EC_TRY(ec_predict_try(p, v->record.what, ec_device_key(d), &o, &m, &ok, r->err));
        if (!ok || !m.has_memory)
            continue;
        if (!out->len)
            ec_buf_str(out,
                       "model,batch_size,seq_len,device,precision,weights_bytes,"
                       "gradients_bytes,optimizer_bytes,activations_bytes,overhead_bytes,job\n");
        ec_csv_put(out, v->record.what);
        ec_buf_printf(out, ",%lld,", (long long)v->record.batch);
        if (v->record.seq_len)
            ec_buf_printf(out, "%lld", (long long)v->record.seq_len);
        ec_buf_printf(out, ",%s,%s,%.0f,%.0f,%.0f,%.0f,%.0f,", v->record.device,
                      ec_run_precision(v), m.weights_bytes, m.gradients_bytes, m.optimizer_bytes,
                      m.activations_bytes, m.overhead_bytes);
        ec_csv_put(out, v->record.job);
        ec_buf_str(out, "\n");
    }
    EC_TRY(ec_buf_status(out, r->err));
out:
    ec_runs_clear(&once);
    ec_predictor_free(p);
    return st;
}

static enum ec_status memory(struct ec__results *r, struct ec_runs *runs)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(memory_csv(r, runs, &text));
    if (!text.len)
        goto out;
    ec_document_heading(&r->doc, 2, "Memory");
    ec_document_text(
        &r->doc, "Peak device memory of a training step by kind, as predicted from the network: "
                 "weights, gradients, state of the optimizer, what backward needs kept, and what "
                 "the framework holds besides: its context on the device, workspace, and blocks it "
                 "keeps for later.");
    EC_TRY(ec__results_parsed(r, "memory.csv", &text, &csv));
    EC_TRY(ec__results_pictures(r, &csv, "", "tables/memory.csv"));
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

/* --- */

static void method(struct ec__results *r, struct ec_runs *runs)
{
    const char *skipped = "No iteration is left out.";
    char many[32];
    int64_t samples = 0;
    int i;

    if (r->o->skip)
        skipped =
            ec__results_text(r, "The first %lld of each run are left out.", (long long)r->o->skip);
    if (r->o->skip == 1)
        skipped = "The first of each run is left out.";

    for (i = 0; i < runs->n; i++)
        samples += runs->v[i].n;
    ec_document_heading(&r->doc, 2, "Method");
    if (samples)
        ec_document_text(&r->doc,
                         "%d run%s with %s timed iterations together. %s Statistics are over "
                         "iterations, and throughput, FLOP/s and speed-up rest on the median.",
                         runs->n, runs->n == 1 ? "" : "s",
                         ec_fmt_thousands(many, sizeof many, samples), skipped);
    else
        ec_document_text(&r->doc, "%d run%s, each with one time: its table has no iterations.",
                         runs->n, runs->n == 1 ? "" : "s");
    ec_document_text(
        &r->doc, "Times are of whole steps. FLOP and bytes are counted kernel by kernel, a "
                 "multiply-add being two "
                 "FLOP, and bytes being what each kernel reads and writes without caches between "
                 "kernels. FLOP per byte is therefore several times smaller than in tables that "
                 "count only the weights and an estimate of the activations, once: 25 and not "
                 "238 for a ResNet-50 at batch 128.");
    ec_document_text(
        &r->doc,
        "Efficiency is achieved FLOP/s over the peak at the precision of the run: that of "
        "the datasheet, or where there is none the measured one. What limits a run is that "
        "of its prediction: compute, memory bandwidth, kernel launches, host dispatch. "
        "\"By batch\" is throughput over that of the smallest batch, divided by how much larger "
        "the batch is.");
    for (i = 0; i < runs->notes.n; i++)
        ec_document_item(&r->doc, runs->notes.v[i]);
}

static const char *option(struct ec__results *r, const char *text, const char *name,
                          const char *value)
{
    return value && *value
               ? ec__results_text(r, "%s --%s %s", text, name, ec__results_quoted(r, value))
               : text;
}

static const char *number(struct ec__results *r, int64_t v)
{
    return v ? ec__results_text(r, "%lld", (long long)v) : NULL;
}

static const char *analyse_command(struct ec__results *r, const char *rest)
{
    const struct ec_results_opts *o = r->o;
    const char *text = "epochcast analyse";
    int i;

    for (i = 0; i < r->n_run_files; i++)
        text = ec__results_text(r, "%s %s", text, ec__results_quoted(r, r->run_files[i]));
    if (!r->n_run_files && r->n_stores)
        text = option(r, text, "store", r->stores[0]);
    text = option(r, text, "skip", number(r, o->skip));
    text = option(r, text, "host", o->host);
    text = option(r, text, "precision",
                  o->precision && !ec_str_eq(o->precision, "fp32") ? o->precision : NULL);
    text = option(r, text, "reference", o->reference);
    if (r->n_run_files) {
        text = option(r, text, "device", o->given.given.device);
        text = option(r, text, "mapping", o->given.given.mapping);
        text = option(r, text, "model", o->given.given.model);
        text = option(r, text, "batch", number(r, o->given.given.batch));
    }
    return ec__results_text(r, "%s%s", text, rest);
}

static enum ec_status view(struct ec__results *r, struct ec_runs *runs, enum ec_runs_view v,
                           const char *caption, const char *command)
{
    struct ec_table t;
    enum ec_status st = ec_runs_table(runs, v, &t, r->err);

    if (!st)
        ec_document_table(&r->doc, &t, caption, command);
    ec_table_clear(&t);
    return st;
}

#define HISTOGRAMS 7      /* runs in one picture */
#define FEWEST_SAMPLES 20 /* of a run */

static enum ec_status add_samples(struct ec__results *r, struct ec_store *s, const struct ec_run *v,
                                  struct ec_buf *out)
{
    struct ec_arena a = { 0 };
    struct ec_sample *samples = NULL;
    struct ec_run one = *v; /* an iteration as a run */
    enum ec_status st;
    int n = 0, i;

    EC_TRY(ec_store_samples(s, v->id, &a, &samples, &n, r->err));
    for (i = (int)r->o->skip; i < n; i++) {
        int64_t ns = samples[i].host_ns > 0 ? samples[i].host_ns : samples[i].device_ns;

        if (ns <= 0)
            continue;
        ec_csv_put(out, v->env);
        ec_buf_char(out, ',');
        ec_csv_put(out, v->record.what);
        one.median_ns = (double)ns;
        ec_buf_printf(out, ",%lld,%lld,%lld,%.6g\n", (long long)v->record.batch,
                      (long long)samples[i].iteration, (long long)ns, ec_run_samples_per_s(&one));
    }
out:
    ec_free(samples);
    ec_arena_clear(&a);
    return st;
}

/* How iterations scatter: those of a few runs with enough of them. */
static enum ec_status iterations(struct ec__results *r, struct ec_store *s, struct ec_runs *runs)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_runs_common common;
    struct ec_csv csv = { 0 };
    enum ec_status st = EC_OK;
    int i, n = 0;

    EC_TRY(ec_runs_common(runs, &common, r->err));
    ec_buf_str(&text, "env,model,batch_size,iteration,time_ns,images_per_s\n");
    for (i = 0; i < runs->n && n < HISTOGRAMS; i++) {
        const struct ec_run *v = &runs->v[i];

        if (!v->id || v->n < FEWEST_SAMPLES || !ec_run_is_common(v, &common))
            continue;
        EC_TRY(add_samples(r, s, v, &text));
        n++;
    }
    if (!n)
        goto out;
    EC_TRY(ec__results_parsed(r, "iterations.csv", &text, &csv));
    EC_TRY(ec__results_pictures(r, &csv, "", "tables/iterations.csv"));
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

#define PIVOT_ENVS 64 /* columns; of more the file would be mostly commas */

/* The first cells of a row: what was run. */
static void put_run(const struct ec_run *v, struct ec_buf *out)
{
    ec_csv_put(out, v->record.what);
    ec_buf_printf(out, ",%lld,%s,%s,", (long long)v->record.batch, ec_run_mode(v),
                  ec_run_precision(v));
    if (v->params > 0)
        ec_buf_printf(out, "%.4g", 4e-6 * v->params);
}

/* Goes on to the next cell of a row until there are n behind the first ones. */
static void put_cells(struct ec_buf *out, int *at, int n)
{
    for (; *at < n; ++*at)
        ec_buf_char(out, ',');
}

/* Samples per second of each network, condition and batch, an environment a column; the best of
 * several runs. */
static enum ec_status pivot(struct ec__results *r, struct ec_runs *runs)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec__query *q;
    int row = 0, n_envs = 0, at = 0;
    enum ec_status st;

    EC_TRY(ec__runs_query(runs, &q, r->err));
    ec_buf_str(&text, "model,batch_size,mode,precision,weights_mb");
    ec__query_ask(q, "SELECT first FROM environment");
    for (; ec__query_next(q); n_envs++) {
        ec_buf_char(&text, ',');
        ec_csv_put(&text, runs->v[(int)ec__query_cell(q, 0) - 1].env);
    }
    EC_TRY(ec__query_status(q, r->err));
    if (n_envs > PIVOT_ENVS)
        goto out;
    ec__query_ask(q, "SELECT row, col, rate FROM best_rate");
    for (at = n_envs; ec__query_next(q);) {
        if (row != (int)ec__query_cell(q, 0)) {
            put_cells(&text, &at, n_envs);
            row = (int)ec__query_cell(q, 0);
            ec_buf_char(&text, '\n');
            put_run(&runs->v[row - 1], &text);
            at = 0;
        }
        put_cells(&text, &at, (int)ec__query_cell(q, 1));
        if (ec__query_cell(q, 2) > 0)
            ec_buf_printf(&text, "%.6g", ec__query_cell(q, 2));
    }
    put_cells(&text, &at, n_envs);
    ec_buf_char(&text, '\n');
    EC_TRY(ec__query_status(q, r->err));
    EC_TRY(ec__results_file(r, "throughput.csv", &text));
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status pictures(struct ec__results *r, struct ec_runs *runs)
{
    struct ec_csv csv = { 0 };
    struct ec_table t;
    enum ec_status st;
    int n;

    EC_TRY(ec_runs_table(runs, EC_RUNS_ANALYSIS, &t, r->err));
    EC_TRY(ec__results_kept(r, "runs.csv", &t, &csv));
    ec_document_heading(&r->doc, 2, "Pictures of the runs");
    n = r->doc.n;
    EC_TRY(ec__results_pictures(r, &csv, "", "tables/runs.csv"));
    if (r->doc.n == n && n) /* one run gives none */
        r->doc.n--;
out:
    ec_table_clear(&t);
    ec_csv_clear(&csv);
    return st;
}

/* A caption, with the file of the rest of a long table. */
static const char *caption(struct ec__results *r, struct ec_runs *all, struct ec_runs *shown,
                           const char *words)
{
    struct ec_runs_common c;

    if (all->n == shown->n)
        return words;
    if (ec_runs_common(all, &c, r->err))
        return NULL;
    return ec_arena_printf(r->a,
                           "%s %d of %d runs: %s, %s, of each network and environment the largest "
                           "batch%s. All of them are in tables/runs.csv.",
                           words, shown->n, all->n,
                           ec_str_eq(c.mode, "training_step") ? "training steps" : c.mode,
                           c.precision, shown->n == LEADING_SHOWN ? ", the first of them" : "");
}

/* Of many runs, keeps each network once, at its largest batch. */
static enum ec_status complexity(struct ec__results *r, struct ec_runs *all, struct ec_runs *shown)
{
    const char *words = "Parameters, FLOP and bytes of a step.";
    struct ec_runs once = { 0 };
    enum ec_status st = EC_OK;

    if (shown != all)
        st = ec__runs_listed(shown, "SELECT i FROM largest", &once, r->err);
    if (shown != all)
        words = "Parameters, FLOP and bytes of a step, of each network at the largest batch. The "
                "others are in tables/runs.csv.";
    if (!st)
        st = view(r, shown == all ? shown : &once, EC_RUNS_COMPLEXITY, words,
                  analyse_command(r, " --complexity"));
    ec_runs_clear(&once);
    return st;
}

/* Runs that did not fit, beside what predictions say. */
static enum ec_status misfits(struct ec__results *r, struct ec_runs *runs)
{
    struct ec__query *q;
    struct ec_table t;
    enum ec_status st;

    ec_table_init(&t, misfits_cols, EC_LEN(misfits_cols));
    EC_TRY(ec__runs_query(runs, &q, r->err));
    EC_TRY(ec__query_rows(q, "SELECT * FROM misfit", &t, r->err));
    if (ec_table_rows(&t)) {
        ec_document_heading(&r->doc, 2, "Runs that ran out of memory");
        ec_document_table(&r->doc, &t,
                          "They have no time. What a step needs is predicted; the memory of the "
                          "device is what programs get of it.",
                          NULL);
    }
out:
    ec_table_clear(&t);
    return st;
}

static bool any_above_roof(struct ec_runs *runs)
{
    int i;

    for (i = 0; i < runs->n; i++)
        if (ec_run_flop_per_s(&runs->v[i]) > ec_run_attainable(&runs->v[i]))
            return true;
    return false;
}

static enum ec_status sections(struct ec__results *r, struct ec_store *s, struct ec_runs *runs)
{
    struct ec_runs leading = { 0 };
    struct ec_runs *shown = runs;
    const char *words;
    enum ec_status st = EC_OK;

    if (runs->n > RUNS_SHOWN) {
        EC_TRY(ec__runs_listed(runs, "SELECT i FROM leading", &leading, r->err));
        leading.n = leading.n < LEADING_SHOWN ? leading.n : LEADING_SHOWN;
        shown = &leading;
    }
    ec_document_heading(&r->doc, 2, "Runs");
    words = caption(r, runs, shown, "Statistics over iterations, and what follows.");
    EC_TRY(view(r, shown, EC_RUNS_STATISTICS, words, analyse_command(r, "")));
    EC_TRY(view(r, shown, EC_RUNS_REACHED,
                "What the same runs reach. tables/throughput.csv has samples per second, a row for "
                "each network and batch and a column for each environment.",
                NULL));
    EC_TRY(misfits(r, runs));
    EC_TRY(pictures(r, runs));
    EC_TRY(pivot(r, runs));
    EC_TRY(iterations(r, s, shown));
    ec_document_heading(&r->doc, 2, "Roofline");
    words =
        caption(r, runs, shown,
                any_above_roof(shown) ? "Where the runs stand under the roofs. What is above the "
                                        "slope of its roof is served by caches, which the "
                                        "bytes here do not know; what is above its flat part "
                                        "ran in another precision (tf32 for fp32), or by an "
                                        "algorithm with fewer operations (Winograd)."
                                      : "Where the runs stand under the roofs.");
    EC_TRY(view(r, shown, EC_RUNS_ROOFLINE, words, analyse_command(r, " --csv")));
    EC_TRY(ec__results_errors(r, runs));
    EC_TRY(memory(r, shown));
    ec_document_heading(&r->doc, 2, "What the networks compute");
    EC_TRY(complexity(r, runs, shown));
    ec_document_heading(&r->doc, 2, "Environments");
    EC_TRY(environments(r, runs));
    method(r, runs);
out:
    ec_runs_clear(&leading);
    return st;
}

enum ec_status ec__results_runs(struct ec__results *r)
{
    struct ec_runs_query q = {
        .precision = r->o->precision, .skip = r->o->skip, .predict = true, .host = r->o->host
    };
    struct ec_store *s = NULL;
    struct ec_runs runs = { 0 };
    enum ec_status st;

    if (!r->n_run_files && !r->n_stores)
        return EC_OK;
    EC_TRY(gather(r, &s));
    EC_TRY(ec_runs_measured(s, &q, &runs, r->err));
    if (!runs.n)
        goto out;
    EC_TRY(ec_runs_ceilings(s, &runs, r->err));
    EC_TRY(ec_runs_relate(&runs, r->o->reference, r->err));
    EC_TRY(ec_runs_label(&runs, r->err));
    EC_TRY(ec_runs_findings(&runs, r->a, &r->findings, r->err));
    EC_TRY(sections(r, s, &runs));
    r->done.n_runs = runs.n;
out:
    ec_runs_clear(&runs);
    ec_store_close(s);
    return st;
}
