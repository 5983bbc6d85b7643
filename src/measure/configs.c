/* Training the configurations of a grid. */
#include "measure/configs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "learn/learn.h"
#include "measure/csv_log.h"

#define NS_PER_S 1e9
#define MIB 1048576.0

static const char curves_header[] = "model,batch_size,optimizer,precision,epoch,train_loss,"
                                    "val_loss,train_accuracy,val_accuracy,time_s,data";

/* --- The grid --- */

void ec_config_name(const struct ec_config_axes *axes, const struct ec_config *config,
                    struct ec_buf *out)
{
    int i;

    ec_buf_str(out, axes->family);
    for (i = 0; i < axes->n_params; i++)
        ec_buf_printf(out, "%c%s=%" PRId64, i ? ',' : ':', axes->param[i], config->value[i]);
}

static enum ec_status make_grid(struct ec_configs *c, struct ec_err *err)
{
    const struct ec_config_axes *a = c->axes;
    int64_t n = a->batch.n;
    int i, at;

    for (i = 0; i < a->n_params; i++)
        n *= a->value[i].n;
    if (n < 1 || n > 100000)
        return ec_fail(err, EC_E_INPUT,
                       "a grid of %" PRId64 " configurations: expected 1 to 100000", n);
    c->v = ec_alloc(sizeof *c->v * (size_t)n);
    EC_PASS(ec_allocated(c->v, err));
    for (c->n = 0; c->n < n; c->n++) {
        struct ec_config *one = &c->v[c->n];

        at = c->n;
        one->batch = a->batch.v[at % a->batch.n];
        at /= a->batch.n;
        for (i = a->n_params - 1; i >= 0; i--) {
            one->value[i] = a->value[i].v[at % a->value[i].n];
            at /= a->value[i].n;
        }
    }
    return EC_OK;
}

static enum ec_status open_network(const struct ec_configs *c, const struct ec_config *config,
                                   struct ec_graph **ret, struct ec_err *err)
{
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = config->batch };
    struct ec_buf name = EC_BUF_INIT;
    enum ec_status st;

    ec_config_name(c->axes, config, &name);
    EC_TRY(ec_buf_status(&name, err));
    EC_TRY(ec_graph_open(name.data, &o, ret, err));
out:
    ec_buf_clear(&name);
    return st;
}

/* --- The table --- */

static void put_header(const struct ec_config_axes *a, struct ec_buf *out)
{
    int i;

    ec_buf_str(out, "model");
    for (i = 0; i < a->n_params; i++)
        ec_buf_printf(out, ",%s", a->param[i]);
    ec_buf_str(out,
               ",batch_size,num_params,dataset_size,epochs,time_per_epoch,images_per_second,"
               "peak_memory_mb,optimizer,precision,device,val_accuracy,test_accuracy,"
               "steps_per_epoch,steps_timed,scaled,train_loss,threads,clock,library,measured_utc,"
               "data");
}

static const char *data_of(const struct ec_configs *c)
{
    return c->data ? c->data : "synthetic";
}

/* What identifies a row. */
static void put_key(const struct ec_configs *c, const struct ec_config *config, struct ec_buf *out)
{
    int i;

    ec_buf_str(out, c->axes->family);
    for (i = 0; i < c->axes->n_params; i++)
        ec_buf_printf(out, ",%" PRId64, config->value[i]);
    ec_buf_printf(out, ",%" PRId64 ",%s,%s,%d,%s", config->batch,
                  ec_optimizer_names[c->train.cond.optimizer],
                  ec_precision_names[c->train.cond.precision], c->threads, data_of(c));
}

static void put_key_of_row(const struct ec_configs *c, const struct ec_csv *csv, int row,
                           struct ec_buf *out)
{
    static const char *const tail[] = { "batch_size", "optimizer", "precision", "threads", "data" };
    int i;

    ec_buf_str(out, ec_csv_cell(csv, row, ec_csv_col(csv, "model")));
    for (i = 0; i < c->axes->n_params; i++)
        ec_buf_printf(out, ",%s", ec_csv_cell(csv, row, ec_csv_col(csv, c->axes->param[i])));
    for (i = 0; i < EC_LEN(tail); i++)
        ec_buf_printf(out, ",%s", ec_csv_cell(csv, row, ec_csv_col(csv, tail[i])));
}

static enum ec_status read_known(struct ec_configs *c, const struct ec_csv *csv, struct ec_err *err)
{
    int i;

    c->known = ec_alloc(sizeof *c->known * (size_t)(csv->n_rows + 1));
    EC_PASS(ec_allocated(c->known, err));
    for (i = 0; i < csv->n_rows; i++) {
        struct ec_buf key = EC_BUF_INIT;

        put_key_of_row(c, csv, i, &key);
        EC_PASS(ec_buf_status(&key, err));
        c->known[c->n_known++] = key.data;
    }
    return EC_OK;
}

static bool is_known(const struct ec_configs *c, const struct ec_config *config, int round)
{
    struct ec_buf key = EC_BUF_INIT;
    int n = 0, i;

    put_key(c, config, &key);
    for (i = 0; i < c->n_known; i++)
        n += ec_str_eq(c->known[i], ec_buf_text(&key));
    ec_buf_clear(&key);
    return n > round;
}

enum ec_status ec_configs_open(struct ec_configs *c, const char *path, const char *curves,
                               struct ec_err *err)
{
    struct ec_buf header = EC_BUF_INIT;
    struct ec_csv rows = { 0 };
    struct ec_graph *g = NULL;
    enum ec_status st;

    EC_TRY(make_grid(c, err));
    EC_TRY(open_network(c, &c->v[0], &g, err));
    put_header(c->axes, &header);
    EC_TRY(ec_buf_status(&header, err));
    EC_TRY(ec_csv_log_open(path, header.data, 0, &c->log, &rows, err));
    EC_TRY(read_known(c, &rows, err));
    if (curves)
        EC_TRY(ec_csv_log_open(curves, curves_header, 0, &c->curves, NULL, err));
out:
    ec_graph_free(g);
    ec_csv_clear(&rows);
    ec_buf_clear(&header);
    return st;
}

void ec_configs_clear(struct ec_configs *c)
{
    int i;

    for (i = 0; i < c->n_known; i++)
        ec_free(c->known[i]);
    ec_free(c->known);
    ec_free(c->v);
    ec_csv_log_close(c->log);
    ec_csv_log_close(c->curves);
    ec_samples_close(c->open);
    memset(c, 0, sizeof *c);
}

/* --- One run --- */

struct run {
    struct ec_measurer *m;
    struct ec_configs *c;
    const struct ec_config *config;
    struct ec_csv_log *curves; /* NULL: not wanted */
    struct ec_train_result r;
    struct ec_train_opts o;
    int64_t steps_per_epoch, epochs; /* epochs: that ended */
    struct ec_buf curve;             /* what the rows of its curve begin with */
    enum ec_status st;               /* of writing the curve */
    struct ec_err *err;
    bool stopped; /* by m->stop */
    double epoch_s;
    int64_t n_timed;
    bool scaled; /* epoch_s is that of some steps */
};

static void put_share(struct ec_buf *out, double v)
{
    ec_buf_char(out, ',');
    if (v >= 0)
        ec_buf_printf(out, "%.6g", v);
}

static void write_curve(struct run *run, const struct ec_train_epoch *e)
{
    struct ec_buf line = EC_BUF_INIT;
    bool val = ec_samples_info(run->c->open)->count[EC_PART_VAL] > 0;

    ec_buf_printf(&line, "%s%" PRId64, ec_buf_text(&run->curve), e->epoch);
    ec_buf_printf(&line, ",%.6g", e->train_loss);
    put_share(&line, val ? e->val_loss : -1);
    put_share(&line, e->train_accuracy);
    put_share(&line, val ? e->val_accuracy : -1);
    ec_buf_printf(&line, ",%.6g,", e->time_s);
    ec_csv_put(&line, data_of(run->c));
    ec_buf_char(&line, '\n');
    run->st = ec_csv_log_append(run->curves, &line, true, run->err);
    ec_buf_clear(&line);
}

static bool told(void *user, const struct ec_train_event *e)
{
    struct run *run = user;

    run->steps_per_epoch = e->steps > 0 ? e->steps : run->steps_per_epoch;
    if (e->kind == EC_TRAIN_EPOCH) {
        run->epochs++;
        if (run->curves)
            write_curve(run, e->last);
    }
    run->stopped = run->stopped || (run->m->stop && run->m->stop());
    return !run->stopped && !run->st;
}

static bool same_input(const struct ec_samples_opts *a, const struct ec_samples_opts *b)
{
    return a->classes == b->classes && a->input == b->input && a->shape.n == b->shape.n &&
           !memcmp(a->shape.v, b->shape.v, sizeof *a->shape.v * (size_t)a->shape.n);
}

static enum ec_status open_data(struct ec_configs *c, const struct ec_graph *g, struct ec_err *err)
{
    struct ec_samples_opts o = c->samples;

    o.seed = c->train.seed;
    EC_PASS(ec_train_fit_samples(g, &o, err));
    if (c->open && same_input(&o, &c->open_opts))
        return EC_OK;
    ec_samples_close(c->open);
    c->open = NULL;
    EC_PASS(ec_samples_open(data_of(c), &o, &c->open, err));
    c->open_opts = o;
    return EC_OK;
}

/* The curve of a run that was interrupted is taken back. */
static enum ec_status begin_curve(struct run *run, struct ec_err *err)
{
    struct ec_buf name = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    if (!run->curves)
        return EC_OK;
    ec_config_name(run->c->axes, run->config, &name);
    ec_csv_put(&run->curve, ec_buf_text(&name));
    ec_buf_printf(&run->curve, ",%" PRId64 ",%s,%s,", run->config->batch,
                  ec_optimizer_names[run->c->train.cond.optimizer],
                  ec_precision_names[run->c->train.cond.precision]);
    EC_TRY(ec_buf_status(&run->curve, err));
    EC_TRY(ec_csv_log_cut(run->curves, run->curve.data, err));
out:
    ec_buf_clear(&name);
    return st;
}

static enum ec_status train(struct run *run, const struct ec_graph *g, struct ec_err *err)
{
    const struct ec_configs *c = run->c;

    run->o = c->train;
    run->o.batch = run->config->batch;
    if (c->max_iters) {
        run->o.max_iters = c->warmup_iters + c->max_iters;
        run->o.test = false;
    }
    EC_PASS(begin_curve(run, err));
    EC_PASS(ec_train(run->m->ctx, g, c->open, &run->o, NULL, told, run, &run->r, err));
    return run->st;
}

/* Seconds of an epoch: the mean of whole ones when there were any, else the median of the steps
 * after the first few, scaled: over a few steps one disturbed step would move the mean. Waiting
 * for data is part of a step. */
static enum ec_status time_epoch(struct run *run, struct ec_err *err)
{
    const struct ec_train_result *r = &run->r;
    int64_t first = run->c->warmup_iters < r->n_steps ? run->c->warmup_iters : 0, i;
    double *ns;

    run->scaled = !run->epochs;
    run->n_timed = run->scaled ? r->n_steps - first : r->n_steps;
    run->epoch_s = r->time_per_epoch;
    if (!run->scaled || !run->n_timed)
        return EC_OK;
    ns = ec_alloc(sizeof *ns * (size_t)run->n_timed);
    EC_PASS(ec_allocated(ns, err));
    for (i = 0; i < run->n_timed; i++)
        ns[i] = (double)r->step_ns[first + i];
    run->epoch_s =
        ec_quantile_inplace(ns, (int)run->n_timed, 0.5) * (double)run->steps_per_epoch / NS_PER_S;
    ec_free(ns);
    return EC_OK;
}

static void put_accuracies(const struct run *run, const struct ec_samples_info *info,
                           struct ec_buf *out)
{
    const struct ec_train_result *r = &run->r;
    const struct ec_train_epoch *last = r->n_curve ? &r->curve[r->n_curve - 1] : NULL;

    put_share(out, last && info->count[EC_PART_VAL] ? last->val_accuracy : -1);
    put_share(out, r->has_test ? r->test_accuracy : -1);
}

static void put_row(const struct run *run, struct ec_buf *out)
{
    const struct ec_samples_info *info = ec_samples_info(run->c->open);
    const struct ec_train_result *r = &run->r;
    char utc[32];
    double s = run->epoch_s;
    int i;

    ec_csv_put(out, run->c->axes->family);
    for (i = 0; i < run->c->axes->n_params; i++)
        ec_buf_printf(out, ",%" PRId64, run->config->value[i]);
    ec_buf_printf(out, ",%" PRId64 ",%.0f,%" PRId64 ",%" PRId64, run->config->batch, r->n_params,
                  info->count[EC_PART_TRAIN], run->epochs);
    ec_buf_printf(out, ",%.6g,%.6g,%.6g,%s,%s,", s,
                  s > 0 ? (double)(run->steps_per_epoch * run->config->batch) / s : 0,
                  (double)r->memory.total / MIB, ec_optimizer_names[run->o.cond.optimizer],
                  ec_precision_names[run->o.cond.precision]);
    ec_csv_put(out, run->m->base.device ? run->m->base.device : "");
    put_accuracies(run, info, out);
    ec_buf_printf(out, ",%" PRId64 ",%" PRId64 ",%d,", run->steps_per_epoch, run->n_timed,
                  run->scaled);
    if (r->n_curve)
        ec_buf_printf(out, "%.6g", r->curve[r->n_curve - 1].train_loss);
    ec_buf_printf(out, ",%d,%s,", ec_engine_threads(run->m->ctx),
                  run->m->thread_clock ? "thread" : "wall");
    ec_csv_put(out, ec_engine_library(run->m->ctx));
    ec_buf_char(out, ',');
    ec_buf_printf(out, "%s,", ec_utc_now(utc, sizeof utc));
    ec_csv_put(out, data_of(run->c));
    ec_buf_char(out, '\n');
    run->m->last_ns = s * NS_PER_S;
}

static enum ec_status write_row(struct run *run, struct ec_err *err)
{
    struct ec_buf line = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(time_epoch(run, err));
    put_row(run, &line);
    st = ec_csv_log_append(run->c->log, &line, true, err);
    run->m->n_added += !st;
out:
    ec_buf_clear(&line);
    return st;
}

/* What is wrong with this configuration alone does not end the campaign. */
static enum ec_status pass_over(struct run *run, enum ec_status st, struct ec_err *err)
{
    struct ec_buf name = EC_BUF_INIT;

    if (st != EC_E_UNSUPPORTED && st != EC_E_DEVICE_MEMORY && st != EC_E_UNSTABLE)
        return st;
    run->m->n_failed++;
    ec_config_name(run->c->axes, run->config, &name);
    ec_buf_printf(&name, ", batch %" PRId64, run->config->batch);
    if (run->c->failed)
        run->c->failed(run->c->user, ec_buf_text(&name), err ? err->text : "");
    ec_buf_clear(&name);
    if (err)
        memset(err, 0, sizeof *err);
    return EC_OK;
}

enum ec_status ec_measure_config(struct ec_measurer *m, struct ec_configs *c,
                                 const struct ec_config *config, int round, struct ec_err *err)
{
    struct run run = { .m = m,
                       .c = c,
                       .config = config,
                       .curves = round ? NULL : c->curves,
                       .curve = EC_BUF_INIT,
                       .err = err };
    struct ec_graph *g = NULL;
    enum ec_status st = EC_OK;

    if (is_known(c, config, round)) {
        m->n_known++;
        return EC_OK;
    }
    EC_TRY(open_network(c, config, &g, err));
    EC_TRY(open_data(c, g, err));
    EC_TRY(train(&run, g, err));
    if (!run.stopped)
        EC_TRY(write_row(&run, err));
    m->n_cut += run.stopped;
out:
    if (st)
        st = pass_over(&run, st, err);
    ec_train_result_clear(&run.r);
    ec_buf_clear(&run.curve);
    ec_graph_free(g);
    return st;
}
