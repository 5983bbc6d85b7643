/* Single operators. */
#include "measure/measurer.h"

#include <string.h>

#include "measure/measurer_internal.h"

/* The phases of a row file, in the order in which a step goes through them. */
enum part {
    PART_FORWARD,
    PART_LOSS,
    PART_GRAD_WEIGHT,
    PART_GRAD_DATA,
    PART_UPDATE,
    PART_STEP,
    N_PARTS
};
static const char *const part_phase[N_PARTS] = { "forward",   "forward_backward", "grad_weight",
                                                 "grad_data", "update",           "step" };

struct layer {
    struct ec_measurer *m;
    const struct ec_case *c;
    const struct ec_case *activation; /* NULL: none */
    struct ec_record row;
    struct ec_update update;
    bool has_weights;
    enum ec_loss loss; /* COUNT: the operator is none */
};

void ec__layer_close(struct ec__layer_program *p)
{
    ec_program_free(p->program);
    ec_graph_free(p->g);
    memset(p, 0, sizeof *p);
}

enum ec_status ec__layer_open(const struct ec_measurer *m, const struct ec_case *c,
                              const struct ec_case_graph *shape, const struct ec_program_opts *o,
                              struct ec__layer_program *ret, struct ec_err *err)
{
    struct ec_program_opts opts = *o;
    enum ec_status st;

    opts.cond = m->cond;
    opts.input_grad = true;
    opts.no_fuse = !shape->then; /* an activation runs as it does in a network */
    EC_TRY(ec_graph_of_case(c, shape, &ret->g, err));
    EC_TRY(ec_program_new(m->ctx, ret->g, &opts, &ret->program, err));
    EC_TRY(ec_program_init(ret->program, (uint64_t)m->base.seed, err));
    EC_TRY(ec_program_fill(ret->program, (uint64_t)m->base.seed, err));
out:
    if (st)
        ec__layer_close(ret);
    return st;
}

static enum ec_status open_program(const struct layer *l, const struct ec_case_graph *shape,
                                   bool with_loss, struct ec__layer_program *ret,
                                   struct ec_err *err)
{
    struct ec_program_opts opts = { .with_loss = with_loss,
                                    .loss = shape->as_loss ? l->loss : EC_LOSS_mse };

    return ec__layer_open(l->m, l->c, shape, &opts, ret, err);
}

static int64_t memory_of(const struct ec__layer_program *p)
{
    struct ec_program_memory memory;

    ec_program_memory(p->program, &memory);
    return memory.total;
}

/* --- Separated: the tasks of a step, one by one --- */

struct separated {
    struct layer *l;
    struct ec__layer_program p;
    int copies;
    struct ec__parts parts;
    int64_t *task_ns;
    bool has[N_PARTS];
};

static bool is_loss(const struct layer *l)
{
    return l->loss != EC_LOSS_COUNT;
}

/* -1: none of the operator's own. */
static int part_of(const struct ec_graph *g, const struct ec_task_info *t, bool as_loss)
{
    if (as_loss)
        return t->node == EC_STEP_LOSS ? PART_LOSS : -1;
    if (t->node == EC_STEP_LOSS || (t->node >= 0 && ec_graph_is_company(g->nodes[t->node])))
        return -1;
    switch (t->phase) {
    case EC_FORWARD:
        return PART_FORWARD;
    case EC_GRAD_WEIGHT:
        return PART_GRAD_WEIGHT;
    case EC_GRAD_DATA:
        return PART_GRAD_DATA;
    case EC_UPDATE:
        return PART_UPDATE;
    default:
        return -1;
    }
}

/* A sample of a phase is the mean over the copies. */
static enum ec_status run_separated(void *user, int64_t *host_ns, struct ec_err *err)
{
    struct separated *s = user;
    int n = ec_program_tasks(s->p.program), i;
    int64_t *ns = ec__parts_add(&s->parts);

    EC_PASS(ec_allocated(ns, err));
    memset(ns, 0, sizeof *ns * N_PARTS);
    EC_PASS(ec_program_step_timed(s->p.program, &s->l->update, s->task_ns, err));
    for (i = 0; i < n; i++) {
        struct ec_task_info t = ec_program_task(s->p.program, i);
        int part = part_of(s->p.g, &t, is_loss(s->l));

        if (part < 0)
            continue;
        ns[part] += s->task_ns[i];
        ns[PART_STEP] += s->task_ns[i];
        s->has[part] = part != PART_UPDATE || s->l->has_weights;
    }
    for (i = 0; i < N_PARTS; i++)
        ns[i] = (ns[i] + s->copies / 2) / s->copies;
    *host_ns = ns[PART_STEP];
    return EC_OK;
}

static struct ec_record part_row(const struct layer *l, const char *method, enum part part)
{
    struct ec_record row = l->row;

    row.method = method;
    ec_record_set_phase_in_file(&row, part_phase[part]);
    if (part != PART_UPDATE && part != PART_STEP)
        ec_record_set_word(&row, EC_WORD_OPTIMIZER, "none");
    return row;
}

/* Forward, or what a loss has instead, is written last: it is what a resumed campaign looks for. */
static enum ec_status write_parts(struct separated *s, const struct ec_timing *whole,
                                  struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int part;

    for (part = PART_UPDATE; part >= 0; part--) {
        struct ec_record row = part_row(s->l, "separated", (enum part)part);
        struct ec_timing t;

        if (!s->has[part])
            continue;
        row.memory_peak_bytes = (double)memory_of(&s->p);
        EC_PASS(ec__parts_timing(s->l->m, &s->parts, part, whole, &t, err));
        st = ec__row_write(s->l->m, &row, &t, err);
        ec_timing_clear(&t);
        EC_PASS(st);
    }
    return st;
}

static enum ec_status separated(struct layer *l, struct ec_err *err)
{
    static const struct ec_case_graph usual = { .copies = EC_LAYER_COPIES,
                                                .company_before = true,
                                                .company_after = true },
                                      as_loss = { .copies = 1, .as_loss = true };
    const struct ec_case_graph *shape = is_loss(l) ? &as_loss : &usual;
    struct ec_record first = part_row(l, "separated", is_loss(l) ? PART_LOSS : PART_FORWARD);
    struct separated s = { 0 };
    struct ec_timing whole = { 0 };
    enum ec_status st;
    bool known;

    EC_TRY(ec__row_known(l->m, &first, &known, err));
    if (known)
        return EC_OK;
    s.l = l;
    s.copies = shape->copies;
    s.parts.n_parts = N_PARTS;
    EC_TRY(open_program(l, shape, shape->as_loss, &s.p, err));
    s.task_ns = ec_alloc(sizeof *s.task_ns * (size_t)(ec_program_tasks(s.p.program) + 1));
    EC_TRY(ec_allocated(s.task_ns, err));
    EC_TRY(ec_protocol_run(&l->m->protocol, run_separated, &s, l->m->stop, &whole, err));
    EC_TRY(write_parts(&s, &whole, err));
out:
    if (st)
        st = ec__row_failed(l->m, &first, st, err);
    ec_timing_clear(&whole);
    ec__parts_clear(&s.parts);
    ec_free(s.task_ns);
    ec__layer_close(&s.p);
    return st;
}

/* --- Whole training steps --- */

struct steps {
    struct layer *l;
    struct ec__layer_program one, many; /* many.program NULL: one alone counts */
};

/* Noise may make a difference negative: it is kept, the median is what counts. */
static enum ec_status run_steps(void *user, int64_t *host_ns, struct ec_err *err)
{
    const struct steps *s = user;
    int64_t many_ns;

    EC_PASS(ec__step_ns(s->l->m, s->one.program, &s->l->update, host_ns, err));
    if (!s->many.program)
        return EC_OK;
    EC_PASS(ec__step_ns(s->l->m, s->many.program, &s->l->update, &many_ns, err));
    *host_ns = (many_ns - *host_ns) / (EC_LAYER_COPIES - 1);
    return EC_OK;
}

/* Differences of two steps: noise may be larger than what is looked for. */
static enum ec_status check_positive(const struct ec_timing *t, struct ec_err *err)
{
    int i, n = 0;

    for (i = 0; i < t->n; i++)
        n += t->sample[i].host_ns < 0;
    if (!n)
        return EC_OK;
    return ec_fail(err, EC_E_UNSTABLE,
                   "more copies took less time than fewer in %d of %d samples: the noise is larger "
                   "than the operator",
                   n, t->n);
}

static enum ec_status steps(struct layer *l, const char *method, const struct ec_case_graph *shape,
                            bool with_loss, bool slope, struct ec_err *err)
{
    struct ec_case_graph many = *shape;
    struct ec_record row = part_row(l, method, PART_STEP);
    struct steps s = { 0 };
    struct ec_timing t = { 0 };
    enum ec_status st;
    bool known;

    EC_TRY(ec__row_known(l->m, &row, &known, err));
    if (known)
        return EC_OK;
    s.l = l;
    many.copies = EC_LAYER_COPIES;
    EC_TRY(open_program(l, shape, with_loss, &s.one, err));
    if (slope)
        EC_TRY(open_program(l, &many, with_loss, &s.many, err));
    row.memory_peak_bytes = (double)memory_of(&s.one);
    EC_TRY(ec_protocol_run(&l->m->protocol, run_steps, &s, l->m->stop, &t, err));
    EC_TRY(check_positive(&t, err));
    EC_TRY(ec__row_write(l->m, &row, &t, err));
out:
    if (st)
        st = ec__row_failed(l->m, &row, st, err);
    ec_timing_clear(&t);
    ec__layer_close(&s.one);
    ec__layer_close(&s.many);
    return st;
}

/* A lone layer: the operator, and its activation, in a step with a loss. */
static enum ec_status lone(struct layer *l, const char *method, bool trained, struct ec_err *err)
{
    struct ec_case_graph shape = {
        .copies = 1, .train_inputs = trained, .train_target = trained, .then = l->activation
    };

    return steps(l, method, &shape, true, false, err);
}

/* The engine's loss of the same name; COUNT: none. */
static enum ec_loss loss_of(const struct ec_op *op)
{
    enum ec_loss l = EC_LOSS_COUNT;

    if (op->flags & EC_OPF_LOSS)
        for (l = (enum ec_loss)0; l < EC_LOSS_COUNT && !ec_str_eq(ec_loss_names[l], op->name); l++)
            ;
    return l;
}

enum ec_status ec__activation_case(const char *name, struct ec_arena *a, struct ec_case *ret,
                                   struct ec_err *err)
{
    struct ec_case c = { .n_in = 1 };
    void *attrs = NULL;

    EC_PASS(ec_activation_named(name ? name : "", &c.op, err));
    if (c.op)
        EC_PASS(ec_attrs_parse(c.op, (struct ec_span){ "", 0 }, a, &attrs, err));
    c.attrs = attrs;
    *ret = c;
    return EC_OK;
}

enum ec_status ec_measure_layer(struct ec_measurer *m, const char *what, const char *activation,
                                unsigned methods, struct ec_err *err)
{
    static const struct ec_case_graph plain = { .copies = 1 };
    struct ec_case then = { 0 };
    struct ec_owned_case c = { 0 };
    struct layer l = { 0 };
    enum ec_status st;

    EC_TRY(ec_case_parse(what, &c, err));
    l.m = m;
    l.c = &c.c;
    l.row = m->base;
    l.row.kind = EC_KIND_operator;
    l.row.what = what;
    l.row.family = c.c.op->name;
    ec_record_set_word(&l.row, EC_WORD_OPTIMIZER, ec_optimizer_names[m->cond.optimizer]);
    l.has_weights = c.c.op->params != NULL;
    l.loss = loss_of(c.c.op);
    l.update = ec_update_default(m->cond.optimizer);
    if (methods & EC_LAYER_SEPARATED)
        EC_TRY(separated(&l, err));
    if (methods & EC_LAYER_MARGINAL)
        EC_TRY(steps(&l, "marginal", &plain, false, true, err));
    EC_TRY(ec__activation_case(activation, &c.arena, &then, err));
    l.activation = then.op ? &then : NULL;
    l.row.activation = then.op ? then.op->name : "";
    if (methods & EC_LAYER_ISOLATED)
        EC_TRY(lone(&l, "isolated", false, err));
    if (methods & EC_LAYER_JUSTUS)
        EC_TRY(lone(&l, "justus", true, err));
out:
    ec_case_clear(&c);
    return st;
}
