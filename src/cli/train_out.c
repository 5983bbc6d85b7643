/* Outputs of a run: curves as CSV and picture, a row of the table of configurations, a measurement
 * in the store, the answer on standard output. */
#include "cli/train_internal.h"

#include "hw/hw.h"
#include "learn/learn.h"
#include "measure/measure.h"
#include "plot/plot.h"
#include "report/report.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_columns.h"

/* The first three are the same in all rows, so only files have them. */
enum { CURVE_NAMES = 3 };

static void put_share(struct ec_table *t, double v)
{
    ec_table_row(t, v < 0 ? ec_none() : ec_num(v));
}

static void fill_curve(const struct ec__train_run *run, bool named, struct ec_table *t)
{
    bool val = run->info->count[EC_PART_VAL] > 0;
    int i;

    for (i = 0; i < run->r->n_curve; i++) {
        const struct ec_train_epoch *e = &run->r->curve[i];

        if (named) {
            ec_table_row(t, ec_text(run->o->model), ec_text(run->o->data),
                         ec_int(run->o->train.batch));
        }
        ec_table_row(t, ec_int(e->epoch), ec_num(e->train_loss));
        put_share(t, e->train_accuracy);
        put_share(t, val ? e->val_loss : -1);
        put_share(t, val ? e->val_accuracy : -1);
        ec_table_row(t, ec_num(e->rate), ec_num(e->grad_norm), ec_num(e->time_s),
                     ec_num(e->images_per_s), ec_num(e->wait_frac));
    }
}

static enum ec_status curves_csv(const struct ec__train_run *run, struct ec_buf *out,
                                 struct ec_err *err)
{
    struct ec_table t;
    enum ec_status st;

    ec_table_init(&t, curve_cols, EC_LEN(curve_cols));
    fill_curve(run, true, &t);
    EC_TRY(ec_table_write(&t, EC_TABLE_CSV, out, err));
    EC_TRY(ec_buf_status(out, err));
out:
    ec_table_clear(&t);
    return st;
}

static enum ec_status write_curves(const struct ec__train_run *run, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(curves_csv(run, &text, err));
    EC_TRY(ec_file_write(run->o->curves, text.data, text.len, err));
out:
    ec_buf_clear(&text);
    return st;
}

/* As `epochcast plot training-curves` draws the table of the curves. */
static enum ec_status write_plot(const struct ec__train_run *run, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_drawing d = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_picture p;
    enum ec_status st;

    EC_TRY(curves_csv(run, &text, err));
    EC_TRY(ec_csv_parse(text.data, text.len, &csv, err));
    EC_TRY(ec_picture_find("training-curves", &p, err));
    EC_TRY(ec_picture_draw(&p, &csv, &d, err));
    EC_TRY(ec_drawing_write(&d, run->o->plot, err));
out:
    ec_drawing_clear(&d);
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

/* --- Times --- */

/* Median of the steps of this run; 0: there was none. A cold start does not move it. */
static enum ec_status step_ns(const struct ec__train_run *run, double *ret, struct ec_err *err)
{
    const struct ec_train_result *r = run->r;
    double *ns = ec_alloc(sizeof *ns * (size_t)(r->n_steps + 1));
    int i;

    EC_PASS(ec_allocated(ns, err));
    for (i = 0; i < r->n_steps; i++)
        ns[i] = (double)r->step_ns[i];
    *ret = r->n_steps ? ec_quantile_inplace(ns, r->n_steps, 0.5) : 0;
    ec_free(ns);
    return EC_OK;
}

/* Of whole epochs, or what one would take by the median of its steps. */
static double epoch_s(const struct ec__train_run *run)
{
    const struct ec_train_result *r = run->r;

    return r->time_per_epoch > 0 ? r->time_per_epoch
                                 : run->step_ns * 1e-9 * (double)r->steps_per_epoch;
}

/* --- A row of the table of configurations --- */

static const char grid_header[] =
    "model,depth,base_filters,batch_size,num_params,dataset_size,epochs,time_per_epoch,"
    "images_per_second,peak_memory_mb,optimizer,precision,device,val_accuracy,test_accuracy,data";

/* Value of `key=` in a network's specification; "" when it has none. */
static struct ec_span spec_word(const char *spec, const char *key)
{
    struct ec_span rest = ec_span_of(spec), word;
    const char *colon = strchr(spec, ':');
    size_t n = strlen(key);

    if (colon)
        rest = ec_span_of(colon + 1);
    while (colon && ec_span_cut(&rest, ',', &word))
        if (word.len > n && !memcmp(word.p, key, n) && word.p[n] == '=')
            return (struct ec_span){ word.p + n + 1, word.len - n - 1 };
    return (struct ec_span){ "", 0 };
}

static void grid_row(const struct ec__train_run *run, struct ec_buf *out)
{
    const struct ec_train_result *r = run->r;
    struct ec_span depth = spec_word(run->o->model, "depth");
    struct ec_span filters = spec_word(run->o->model, "base_filters");
    size_t name = strcspn(run->o->model, ":");
    char model[128];

    (void)snprintf(model, sizeof model, "%.*s", (int)(name < 127 ? name : 127), run->o->model);
    ec_csv_put(out, model);
    ec_buf_printf(out, ",%.*s,%.*s", (int)depth.len, depth.p, (int)filters.len, filters.p);
    ec_buf_printf(out, ",%lld,%.0f,%lld,%lld", (long long)run->o->train.batch, r->n_params,
                  (long long)run->info->count[EC_PART_TRAIN], (long long)r->epochs);
    ec_buf_printf(out, ",%.6g,%.6g,%.6g,%s,%s,", epoch_s(run), r->images_per_s,
                  r->peak_bytes / 1048576, ec_optimizer_names[run->o->train.cond.optimizer],
                  ec_precision_names[run->o->train.cond.precision]);
    ec_csv_put(out, run->o->device ? run->o->device : run->backend);
    ec_buf_char(out, ',');
    if (r->n_curve && r->curve[r->n_curve - 1].val_accuracy >= 0)
        ec_buf_printf(out, "%.6g", r->curve[r->n_curve - 1].val_accuracy);
    ec_buf_char(out, ',');
    if (r->has_test && r->test_accuracy >= 0)
        ec_buf_printf(out, "%.6g", r->test_accuracy);
    ec_buf_char(out, ',');
    ec_csv_put(out, run->o->data);
    ec_buf_char(out, '\n');
}

/* Other runs hold the table for a moment; a campaign holds it until its end. */
#define LOCK_WAIT_MS 10000

static enum ec_status append_grid(const struct ec__train_run *run, struct ec_err *err)
{
    struct ec_csv_log *table = NULL;
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_csv_log_open(run->o->csv, grid_header, LOCK_WAIT_MS, &table, NULL, err));
    grid_row(run, &text);
    EC_TRY(ec_csv_log_append(table, &text, true, err));
out:
    ec_csv_log_close(table);
    ec_buf_clear(&text);
    return st;
}

/* --- The store --- */

static struct ec_record record_of(const struct ec__train_run *run, const char *mode,
                                  const char *reading, double ns)
{
    const struct ec__train_opts *o = run->o;
    struct ec_record r;

    ec_record_init(&r);
    r.kind = EC_KIND_network;
    r.what = r.family = o->model;
    r.batch = o->train.batch;
    r.image_px = o->image;
    r.seq_len = o->seq_len;
    r.num_devices = 1;
    ec_record_set_word(&r, EC_WORD_PRECISION, ec_precision_names[o->train.cond.precision]);
    ec_record_set_word(&r, EC_WORD_OPTIMIZER, ec_optimizer_names[o->train.cond.optimizer]);
    ec_record_set_word(&r, EC_WORD_FRAMEWORK, "epochcast");
    ec_record_set_word(&r, EC_WORD_MODE, mode);
    r.device = o->device ? o->device : "";
    r.device_name = run->backend;
    r.framework_version = EC_VERSION;
    r.libraries = run->library;
    r.outcome = "ok";
    r.flags = "data_loading";
    r.reading = reading;
    r.time = (struct ec_reading){ ns, ns > 0 };
    r.time_stat = "mean";
    r.memory_peak_bytes = run->r->peak_bytes;
    r.memory_kind = "process";
    return r;
}

static enum ec_status store_samples(struct ec_store *s, const struct ec__train_run *run, int64_t id,
                                    struct ec_err *err)
{
    int i;

    for (i = 0; i < run->r->n_steps; i++) {
        const struct ec_sample sample = { .iteration = i,
                                          .host_ns = run->r->step_ns[i],
                                          .flags = "" };

        EC_PASS(ec_store_add_sample(s, id, &sample, err));
    }
    return EC_OK;
}

static enum ec_status store_records(struct ec_store *s, const struct ec__train_run *run,
                                    int64_t source, int64_t machine, struct ec_err *err)
{
    double step_ns =
        run->r->images_per_s > 0 ? (double)run->o->train.batch / run->r->images_per_s * 1e9 : 0;
    struct ec_record step = record_of(run, "training_step", "step_ns", step_ns);
    struct ec_record epoch =
        record_of(run, "epoch", "time_per_epoch", run->r->time_per_epoch * 1e9);
    int64_t id = 0;
    bool is_new;

    EC_PASS(ec_store_add(s, source, machine, &step, &id, &is_new, err));
    EC_PASS(store_samples(s, run, id, err));
    if (run->r->time_per_epoch > 0)
        EC_PASS(ec_store_add(s, source, machine, &epoch, &id, &is_new, err));
    return EC_OK;
}

static enum ec_status write_store(const struct ec__train_run *run, struct ec_err *err)
{
    struct ec_buf path = EC_BUF_INIT, json = EC_BUF_INIT;
    struct ec_machine *machine = NULL;
    struct ec_store *s = NULL;
    int64_t source = 0, machine_id = 0;
    char utc[32], key[64];
    enum ec_status st;

    (void)ec_utc_now(utc, sizeof utc);
    (void)snprintf(key, sizeof key, "train-%s-%d", utc, (int)getpid());
    EC_TRY(ec_store_path(run->o->store_file, getenv, &path, err));
    EC_TRY(ec_store_open(ec_buf_text(&path), 0, &s, err));
    EC_TRY(ec_machine_probe(&machine, err));
    EC_TRY(ec_machine_to_json(machine, &json, err));
    EC_TRY(ec_store_begin(s, err));
    EC_TRY(ec_store_add_machine(s, ec_buf_text(&json), &machine_id, err));
    EC_TRY(ec_store_add_source(
        s,
        &(struct ec_source){
            .key = key, .name = "training run of epochcast", .mapping = "train", .imported = utc },
        &source, err));
    EC_TRY(store_records(s, run, source, machine_id, err));
    EC_TRY(ec_store_commit(s, err));
out:
    ec_store_close(s);
    ec_machine_free(machine);
    ec_buf_clear(&path);
    ec_buf_clear(&json);
    return st;
}

/* --- The answer --- */

static void put_memory(struct ec_json *j, const struct ec_program_memory *m)
{
    ec_json_open(j, "memory", '{');
    ec_json_int(j, "weights_bytes", m->weights);
    ec_json_int(j, "buffers_bytes", m->buffers);
    ec_json_int(j, "gradients_bytes", m->gradients);
    ec_json_int(j, "optimizer_bytes", m->optimizer);
    ec_json_int(j, "arena_bytes", m->arena);
    ec_json_int(j, "io_bytes", m->io);
    ec_json_int(j, "total_bytes", m->total);
    ec_json_close(j, '}');
}

static enum ec_status answer_json(struct ec_call *call, const struct ec__train_run *run,
                                  const struct ec_table *curve, struct ec_err *err)
{
    const struct ec_train_result *r = run->r;
    struct ec_json j;
    enum ec_status st;

    ec_json_document(&j, &call->out, 2, "epochcast.training/1");
    ec_json_str(&j, "model", run->o->model);
    ec_json_str(&j, "data", run->o->data);
    ec_json_str(&j, "backend", run->backend);
    ec_json_str(&j, "library", run->library);
    ec_json_int(&j, "threads", run->threads);
    ec_json_int(&j, "batch", run->o->train.batch);
    ec_json_num(&j, "num_params", r->n_params);
    ec_json_int(&j, "epochs", r->epochs);
    ec_json_int(&j, "steps", r->steps);
    ec_json_bool(&j, "stopped", r->stopped);
    ec_json_num(&j, "time_s", r->time_s);
    ec_json_int(&j, "steps_per_epoch", r->steps_per_epoch);
    ec_json_num(&j, "time_per_step_ns", run->step_ns);
    ec_json_num(&j, "time_per_epoch_s", epoch_s(run));
    ec_json_bool(&j, "time_per_epoch_scaled", !(r->time_per_epoch > 0));
    ec_json_num(&j, "images_per_s", r->images_per_s);
    ec_json_num(&j, "peak_memory_bytes", r->peak_bytes);
    put_memory(&j, &r->memory);
    if (r->has_test) {
        ec_json_num(&j, "test_loss", r->test_loss);
        if (r->test_accuracy >= 0)
            ec_json_num(&j, "test_accuracy", r->test_accuracy);
    }
    st = ec_table_json(curve, &j, "curve", err);
    ec_json_end(&j);
    return st;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void put_speed(const struct ec__train_run *run, struct ec_buf *out)
{
    const struct ec_train_result *r = run->r;
    char step[32], epoch[32];

    ec_fmt_ns(step, sizeof step, run->step_ns);
    ec_fmt_ns(epoch, sizeof epoch, epoch_s(run) * 1e9);
    ec_buf_printf(out, "%.*f images/s, %s per step (median); ", r->images_per_s < 99.95,
                  r->images_per_s, step);
    if (r->time_per_epoch > 0)
        ec_buf_printf(out, "%s per epoch\n", epoch);
    else
        ec_buf_printf(out, "an epoch of %lld step%s would take %s\n", (long long)r->steps_per_epoch,
                      plural(r->steps_per_epoch), epoch);
}

static void put_done(const struct ec__train_run *run, struct ec_buf *out)
{
    const struct ec_train_result *r = run->r;
    bool limited = run->o->train.max_iters > 0 && r->steps >= run->o->train.max_iters;

    ec_buf_printf(out, "%s%s on %s, %s, %d thread%s: %lld epoch%s, %lld step%s%s\n",
                  r->n_curve ? "\n" : "", run->g->name, run->info->name, run->library, run->threads,
                  plural(run->threads), (long long)r->epochs, plural(r->epochs),
                  (long long)r->steps, plural(r->steps),
                  !r->stopped ? ""
                  : limited   ? ", ended by --max-iters"
                              : ", stopped");
}

static enum ec_status answer_text(struct ec_call *call, const struct ec__train_run *run,
                                  const struct ec_table *curve, struct ec_err *err)
{
    const struct ec_train_result *r = run->r;
    struct ec_buf *out = &call->out;
    char peak[32], total[32];

    if (r->n_curve)
        EC_PASS(ec_table_write(curve, EC_TABLE_TEXT, out, err));
    put_done(run, out);
    if (r->has_test && r->test_accuracy >= 0)
        ec_buf_printf(out, "test: loss %.4f, accuracy %.2f %%\n", r->test_loss,
                      100 * r->test_accuracy);
    else if (r->has_test)
        ec_buf_printf(out, "test: loss %.4g\n", r->test_loss);
    if (run->step_ns > 0)
        put_speed(run, out);
    ec_buf_printf(out, "memory %s of the network, %s of the process\n",
                  ec_fmt_bytes(total, sizeof total, (double)r->memory.total),
                  ec_fmt_bytes(peak, sizeof peak, r->peak_bytes));
    return EC_OK;
}

/* The first failure is returned, but the other outputs are still written, because a run may have
 * taken days. */
struct firsts {
    enum ec_status st;
    struct ec_err err;
};

static void note_first(struct firsts *f, enum ec_status st, const struct ec_err *err)
{
    if (!f->st && st) {
        f->st = st;
        f->err = *err;
    }
}

static void write_files(const struct ec__train_run *run, struct firsts *first)
{
    const struct ec__train_opts *o = run->o;
    struct ec_err err = { 0 };

    if (o->curves)
        note_first(first, write_curves(run, &err), &err);
    if (o->plot && run->r->n_curve)
        note_first(first, write_plot(run, &err), &err);
    else if (o->plot)
        ec_say("%s is not drawn: no epoch ended\n", o->plot);
    if (o->csv)
        note_first(first, append_grid(run, &err), &err);
    if (o->store || o->store_file)
        note_first(first, write_store(run, &err), &err);
}

enum ec_status ec__train_write(struct ec_call *call, struct ec__train_run *run, struct ec_err *err)
{
    struct firsts first = { 0 };
    struct ec_table curve;
    enum ec_status st;

    ec_table_init(&curve, curve_cols + CURVE_NAMES, EC_LEN(curve_cols) - CURVE_NAMES);
    fill_curve(run, false, &curve);
    EC_TRY(step_ns(run, &run->step_ns, err));
    EC_TRY(call->forms.json ? answer_json(call, run, &curve, err)
                            : answer_text(call, run, &curve, err));
    write_files(run, &first);
    if (!first.st)
        goto out;
    EC_TRY(ec_call_flush(call, err));
    st = first.st;
    *err = first.err;
out:
    ec_table_clear(&curve);
    return st;
}
