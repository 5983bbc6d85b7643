/* Whole networks: the step, and its parts. */
#include "measure/measurer.h"

#include <stdio.h>
#include <string.h>

#include "measure/measurer_internal.h"

enum part { PART_FORWARD, PART_LOSS, PART_FORWARD_BACKWARD, PART_UPDATE, N_PARTS };
static const char *const part_phase[N_PARTS] = { "forward", "loss", "forward_backward", "update" };

struct network {
    struct ec_measurer *m;
    struct ec_graph *g;
    struct ec_program *program;
    struct ec_record row;
    struct ec_update update;
    struct ec__parts parts;
    int64_t *task_ns;
};

struct ec_program_opts ec_program_opts_for(const struct ec_graph *g,
                                           const struct ec_conditions *cond)
{
    struct ec_program_opts opts = { 0 };

    opts.cond = *cond;
    opts.with_loss = true;
    opts.loss = ec_graph_is_binary(g) ? EC_LOSS_bce : EC_LOSS_cross_entropy;
    return opts;
}

static enum ec_status run_step(void *user, int64_t *host_ns, struct ec_err *err)
{
    struct network *n = user;

    return ec__step_ns(n->m, n->program, &n->update, host_ns, err);
}

static enum ec_status run_parts(void *user, int64_t *host_ns, struct ec_err *err)
{
    struct network *n = user;
    int64_t *ns = ec__parts_add(&n->parts);
    int i;

    EC_PASS(ec_allocated(ns, err));
    memset(ns, 0, sizeof *ns * N_PARTS);
    EC_PASS(ec_program_step_timed(n->program, &n->update, n->task_ns, err));
    for (i = 0; i < ec_program_tasks(n->program); i++) {
        struct ec_task_info t = ec_program_task(n->program, i);

        if (t.node == EC_STEP_OPTIMIZER || t.phase == EC_UPDATE) {
            ns[PART_UPDATE] += n->task_ns[i];
            continue;
        }
        ns[PART_FORWARD_BACKWARD] += n->task_ns[i];
        if (t.node == EC_STEP_LOSS)
            ns[PART_LOSS] += n->task_ns[i];
        else if (t.phase == EC_FORWARD)
            ns[PART_FORWARD] += n->task_ns[i];
    }
    *host_ns = ns[PART_FORWARD_BACKWARD] + ns[PART_UPDATE];
    return EC_OK;
}

static enum ec_status measure_parts(struct network *n, struct ec_err *err)
{
    struct ec_timing whole = { 0 };
    enum ec_status st = EC_OK;
    int part;

    n->parts.n_parts = N_PARTS;
    n->task_ns = ec_alloc(sizeof *n->task_ns * (size_t)(ec_program_tasks(n->program) + 1));
    EC_TRY(ec_allocated(n->task_ns, err));
    EC_TRY(ec_protocol_run(&n->m->protocol, run_parts, n, n->m->stop, &whole, err));
    for (part = 0; part < N_PARTS; part++) {
        struct ec_record row = n->row;
        struct ec_timing t;

        ec_record_set_phase_in_file(&row, part_phase[part]);
        row.method = "whole";
        row.flags = "";
        if (part != PART_UPDATE)
            ec_record_set_word(&row, EC_WORD_OPTIMIZER, "none");
        EC_TRY(ec__parts_timing(n->m, &n->parts, part, &whole, &t, err));
        st = ec__row_write(n->m, &row, &t, err);
        ec_timing_clear(&t);
        if (st)
            goto out;
    }
out:
    ec_timing_clear(&whole);
    return st;
}

static enum ec_status open_program(struct network *n, struct ec_err *err)
{
    struct ec_program_opts opts;
    struct ec_program_memory memory;

    opts = ec_program_opts_for(n->g, &n->m->cond);
    EC_PASS(ec_program_new(n->m->ctx, n->g, &opts, &n->program, err));
    EC_PASS(ec_program_init(n->program, (uint64_t)n->m->base.seed, err));
    EC_PASS(ec_program_fill(n->program, (uint64_t)n->m->base.seed, err));
    ec_program_memory(n->program, &memory);
    n->row.memory_peak_bytes = (double)memory.total;
    return EC_OK;
}

static bool is_fed(const struct ec_measurer *m)
{
    return m->iterations && m->iterations->data;
}

static void fill_row(struct network *n, const char *name, const struct ec_graph_opts *opts)
{
    n->row = n->m->base;
    n->row.kind = EC_KIND_network;
    n->row.what = name;
    n->row.method = is_fed(n->m) ? "fed" : "whole";
    n->row.flags = is_fed(n->m) ? "data_loading" : "";
    ec_record_set_phase_in_file(&n->row, "step");
    n->row.batch = opts->batch;
    n->row.image_px = opts->image_px;
    n->row.seq_len = opts->seq_len;
    ec_record_set_word(&n->row, EC_WORD_OPTIMIZER, ec_optimizer_names[n->m->cond.optimizer]);
}

/* Rows of iterations say the sizes of the network's own too. */
static struct ec_record with_sizes(const struct network *n)
{
    const struct ec_shape *x = &n->g->values[n->g->inputs[0]]->type.shape;
    struct ec_record row = n->row;

    if (n->g->sizes & EC_SIZE_IMAGE && x->rank == 4 && x->d[2] == x->d[3])
        row.image_px = x->d[2];
    if (n->g->sizes & EC_SIZE_SEQ_LEN && x->rank == 2)
        row.seq_len = x->d[1];
    return row;
}

/* By the protocol; or iteration by iteration, when those are wanted.
 * ret_whole  false: stopped before its iterations were done, so that it is to be measured again */
static enum ec_status time_step(struct network *n, struct ec_timing *t, bool *ret_whole,
                                struct ec_err *err)
{
    const struct ec_iterations *it = n->m->iterations;
    struct ec_record row;

    if (!it)
        return ec_protocol_run(&n->m->protocol, run_step, n, n->m->stop, t, err);
    row = with_sizes(n);
    if (is_fed(n->m)) {
        ec_program_free(n->program); /* training has its own */
        n->program = NULL;
        EC_PASS(ec__train_iterations(n->m, n->g, &row, t, err));
        n->row.memory_peak_bytes = row.memory_peak_bytes;
    } else {
        EC_PASS(ec_iterations_run(it, &row, run_step, n, n->m->stop, t, err));
    }
    *ret_whole = t->n == it->max_iters;
    return ec_timing_judge(&n->m->protocol, t, err);
}

/* The step is written last: it is what a resumed campaign looks for. */
enum ec_status ec_measure_network(struct ec_measurer *m, const char *name,
                                  const struct ec_graph_opts *opts, struct ec_err *err)
{
    struct network n = { 0 };
    struct ec_timing t = { 0 };
    char family[128];
    enum ec_status st;
    bool known = false, whole = true;

    n.m = m;
    n.update = ec_update_default(m->cond.optimizer);
    fill_row(&n, name, opts);
    (void)snprintf(family, sizeof family, "%.*s", (int)strcspn(name, ":"), name);
    n.row.family = family;
    EC_TRY(ec_graph_open(name, opts, &n.g, err));
    n.row.batch = n.g->batch;
    EC_TRY(ec__row_known(m, &n.row, &known, err));
    if (known)
        goto out;
    EC_TRY(open_program(&n, err));
    EC_TRY(measure_parts(&n, err));
    EC_TRY(time_step(&n, &t, &whole, err));
    if (whole)
        EC_TRY(ec__row_write(m, &n.row, &t, err));
    m->n_cut += !whole;
out:
    if (st)
        st = ec__row_failed(m, &n.row, st, err);
    ec_timing_clear(&t);
    ec__parts_clear(&n.parts);
    ec_free(n.task_ns);
    ec_program_free(n.program);
    ec_graph_free(n.g);
    return st;
}
