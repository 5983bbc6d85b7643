/* epochcast measure ddp: data parallel training under mpirun. */
#include "cli/measure_internal.h"
#include "report/report.h"

#include <string.h>
#include <unistd.h>

#include "cli_columns.h"

static const int64_t reduce_bytes[] = { 4, 1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24 };

/* --- The answer --- */

/* Samples per second of the same configuration on one process; 0: not measured. */
static double alone(const struct ec_csv *csv, int row)
{
    static const char *const same[] = { "model", "batch_per_rank", "optimizer", "precision",
                                        "threads" };
    int i, k;

    for (i = 0; i < csv->n_rows; i++) {
        for (k = 0; k < EC_LEN(same); k++)
            if (!ec_str_eq(ec_csv_cell(csv, i, ec_csv_col(csv, same[k])),
                           ec_csv_cell(csv, row, ec_csv_col(csv, same[k]))))
                break;
        if (k == EC_LEN(same) && ec_csv_number(csv, i, "ranks") <= 1)
            return ec_csv_number(csv, i, "images_per_s");
    }
    return 0;
}

static void add_row(struct ec_table *t, const struct ec_csv *csv, int row)
{
    static const char *const numbers[] = { "batch_per_rank", "ranks",         "step_ns",
                                           "local_step_ns",  "all_reduce_ns", "images_per_s" };
    double one = alone(csv, row), speedup;
    int i;

    ec_table_text(t, ec_csv_cell(csv, row, ec_csv_col(csv, "model")));
    for (i = 0; i < EC_LEN(numbers); i++) {
        double v = ec_csv_number(csv, row, numbers[i]);

        ec_table_row(t, ec_positive(v));
    }
    if (one <= 0) {
        ec_table_row(t, ec_none(), ec_none());
        return;
    }
    speedup = ec_csv_number(csv, row, "images_per_s") / one;
    ec_table_row(t, ec_num(speedup), ec_num(speedup / ec_csv_number(csv, row, "ranks")));
}

/* Text is fitted to the terminal. */
static enum ec_status write_table(struct ec_table *t, struct ec_buf *out, struct ec_err *err)
{
    t->width = ec_terminal_columns();
    return ec_table_write(t, EC_TABLE_TEXT, out, err);
}

static enum ec_status print_steps(struct ec_call *call, const struct ec_csv *csv,
                                  struct ec_err *err)
{
    struct ec_table t;
    enum ec_status st;
    int i;

    ec_table_init(&t, ddp_steps_cols, EC_LEN(ddp_steps_cols));
    for (i = 0; i < csv->n_rows; i++)
        add_row(&t, csv, i);
    st = write_table(&t, &call->out, err);
    ec_table_clear(&t);
    return st;
}

/* A prediction knows nothing of processes that wait for each other's cores. */
static void note_cores(const struct ec_csv *csv, struct ec_buf *out)
{
    double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN), most = 0;
    int i;

    for (i = 0; i < csv->n_rows; i++) {
        double n = ec_csv_number(csv, i, "ranks") * ec_csv_number(csv, i, "threads");

        most = n > most ? n : most;
    }
    if (most > cpus)
        ec_buf_printf(out,
                      "%.0f threads of all ranks share %.0f CPUs; predictions give each its "
                      "own\n",
                      most, cpus);
}

/* Networks beside their predictions. */
static enum ec_status print_predicted(struct ec_call *call, const struct measure_opts *o,
                                      const struct ec_csv *csv, struct ec_err *err)
{
    struct ec_predictor *p = NULL;
    const char *why = "";
    struct ec_table t;
    enum ec_status st;

    ec_scaling_table(&t);
    EC_TRY(ec_predictor_new(&p, err));
    if (o->profile)
        EC_TRY(ec_predictor_use_profile(p, o->profile, err));
    EC_TRY(ec_scaling_rows(p, csv, &call->arena, &t, &why, err));
    if (!ec_table_rows(&t))
        goto out;
    ec_buf_char(&call->out, '\n');
    EC_TRY(write_table(&t, &call->out, err));
    ec_buf_str(&call->out, "one rank: as `predict` answers; several: from the measured step of "
                           "one rank\n");
    note_cores(csv, &call->out);
    if (*why)
        ec_buf_printf(&call->out, "no prediction: %s\n", why);
out:
    ec_table_clear(&t);
    ec_predictor_free(p);
    return st;
}

/* --- Running --- */

/* All processes exchange whether they are ready, because processes that wait for a failed one
 * would wait for ever. */
static enum ec_status all_ready(const struct ec_group *g, enum ec_status own, struct ec_err *err)
{
    double failed = own != EC_OK;
    enum ec_status st = EC_OK;

    if (g->world > 1)
        st = g->ops->sum(g->ranks, &failed, 1, own ? NULL : err);
    if (own)
        return own;
    if (!st && failed > 0)
        st = ec_fail(err, EC_E_BACKEND, "another process could not start");
    return st;
}

static enum ec_status open_rank(struct ec_call *call, const struct measure_opts *o,
                                struct ec_parallel *p, struct ec_measurer *m, const char *table,
                                struct ec_err *err)
{
    struct ec_engine_opts engine = o->engine;

    if (p->group->rank) {
        m->protocol = o->protocol;
        m->base.seed = o->seed;
        m->stop = ec_interrupted;
        engine.seed = (uint64_t)o->seed;
        return ec_engine_open(&engine, &m->ctx, err);
    }
    EC_PASS(ec__measure_open(call, o, m, err));
    return ec_parallel_open(p, table, err);
}

static enum ec_status measure_reduces(struct ec_measurer *m, const struct ec_parallel *p,
                                      struct ec_table *t, bool *ret_stopped, struct ec_err *err)
{
    int i;

    for (i = 0; i < EC_LEN(reduce_bytes) && p->group->world > 1; i++) {
        EC_PASS(ec_parallel_stopped(m, p, ret_stopped, err));
        if (*ret_stopped)
            break;
        m->last_ns = 0;
        EC_PASS(ec_measure_all_reduce(m, p, reduce_bytes[i], err));
        if (m->last_ns <= 0)
            continue;
        ec_table_row(t, ec_int(reduce_bytes[i]), ec_num(m->last_ns),
                     ec_num((double)reduce_bytes[i] / m->last_ns * 1e9));
    }
    return EC_OK;
}

static enum ec_status measure_networks(struct ec_measurer *m, const struct ec_parallel *p,
                                       const struct measure_opts *o, bool *stopped,
                                       struct ec_err *err)
{
    int i, b;

    for (i = 0; i < o->words.n; i++)
        for (b = 0; !*stopped && (b < o->batch.n || (!b && !o->batch.n)); b++) {
            EC_PASS(ec_measure_parallel(m, p, o->words.v[i], o->batch.n ? o->batch.v[b] : 0, err));
            EC_PASS(ec_parallel_stopped(m, p, stopped, err));
            if (*stopped)
                break;
            if (!p->group->rank)
                ec_say("%d process%s: %s done\n", p->group->world > 1 ? p->group->world : 1,
                       p->group->world > 1 ? "es" : "", o->words.v[i]);
        }
    return EC_OK;
}

static enum ec_status measure_layers(struct ec_measurer *m, const struct ec_parallel *p,
                                     const struct measure_opts *o, bool *stopped,
                                     struct ec_err *err)
{
    enum ec_layer_method method = o->isolated ? EC_LAYER_ISOLATED : EC_LAYER_JUSTUS;
    int i;

    for (i = 0; i < o->op.n && !*stopped; i++) {
        EC_PASS(ec_measure_parallel_layer(m, p, o->op.v[i], o->activation, method, err));
        EC_PASS(ec_parallel_stopped(m, p, stopped, err));
    }
    return EC_OK;
}

static enum ec_status answer(struct ec_call *call, const struct measure_opts *o,
                             const struct ec_measurer *m, const struct ec_table *reduces,
                             const char *table, bool stopped, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(ec_csv_read(table, &csv, err));
    EC_TRY(print_steps(call, &csv, err));
    EC_TRY(print_predicted(call, o, &csv, err));
    if (ec_table_rows(reduces)) {
        ec_buf_char(&call->out, '\n');
        EC_TRY(ec_table_write(reduces, EC_TABLE_TEXT, &call->out, err));
    }
    ec_buf_printf(&call->out, "\n%s: %lld rows added, %lld had been measured already; %s\n", o->out,
                  (long long)m->n_added, (long long)m->n_known, table);
    if (stopped)
        ec_call_interrupted(call,
                            "interrupted; %s has the finished measurements, --resume "
                            "continues",
                            o->out);
    EC_TRY(ec__measure_import(call, o, o->out, err));
out:
    ec_csv_clear(&csv);
    return st;
}

/* scaling.csv beside rows.csv: rows-scaling.csv */
static const char *table_of(struct ec_call *call, const struct measure_opts *o)
{
    return o->table
               ? o->table
               : ec_arena_printf(&call->arena, "%.*s-scaling.csv",
                                 (int)strlen(o->out) - 4 * ec_str_ends(o->out, ".csv"), o->out);
}

/* Before anything is measured. */
static enum ec_status check_layers(const struct measure_opts *o, struct ec_err *err)
{
    const struct ec_op *op = NULL;
    enum ec_status st = ec_activation_named(o->activation ? o->activation : "", &op, err);
    int i;

    for (i = 0; i < o->op.n && !st; i++) {
        struct ec_owned_case c = { 0 };

        st = ec_case_parse(o->op.v[i], &c, err);
        ec_case_clear(&c);
    }
    return st;
}

enum ec_status ec__measure_ddp(struct ec_call *call, const struct measure_opts *o,
                               struct ec_err *err)
{
    struct ec_group group = { 0 };
    struct ec_parallel p = { &group, o->max_iters, o->warmup_iters, NULL };
    struct ec_measurer m = { 0 };
    struct ec_table reduces;
    const char *table = table_of(call, o);
    bool stopped = false;
    enum ec_status st;

    ec_table_init(&reduces, ddp_reduce_cols, EC_LEN(ddp_reduce_cols));
    EC_TRY(ec_allocated(table, err));
    EC_TRY(check_layers(o, err));
    m.cond = o->cond;
    EC_TRY(ec_group_open(o->mpi, &group, err));
    if (o->mpi && !group.ops)
        EC_TRY(ec_usage(call, err, "--mpi has no effect without mpirun"));
    EC_TRY(all_ready(&group, open_rank(call, o, &p, &m, table, err), err));
    ec_record_set_word(&m.base, EC_WORD_PRECISION, ec_precision_names[m.cond.precision]);
    ec_interrupt_watch();
    EC_TRY(measure_reduces(&m, &p, &reduces, &stopped, err));
    if (!stopped)
        EC_TRY(measure_networks(&m, &p, o, &stopped, err));
    if (!stopped)
        EC_TRY(measure_layers(&m, &p, o, &stopped, err));
    if (!group.rank)
        EC_TRY(answer(call, o, &m, &reduces, table, stopped, err));
out:
    ec_table_clear(&reduces);
    ec_parallel_close(&p);
    ec__measure_close(&m);
    ec_group_close(&group);
    return st;
}
