/* What a query means that names no batch, precision or optimizer; and the largest batch that fits.
 */
#include "predict/query.h"

#include <math.h>

/* Without a batch: this one, halved until it fits. */
#define USUAL_BATCH 32
/* Networks of as many parameters are trained with AdamW, whatever they take. */
#define LARGE_NETWORK 5e8

struct ec_usual ec_usual_training(bool tokens, double params, enum ec_tuning tuning)
{
    bool large = params >= LARGE_NETWORK;

    return (struct ec_usual){ tokens || large, tokens || (large && tuning != EC_TUNING_FULL) };
}

enum ec_precision ec_precision_of_tokens(const struct ec_device *d)
{
    if (d->kind == EC_DEV_CPU)
        return EC_FP32;
    return d->bf16_tensor_flop_per_s.src   ? EC_BF16
           : d->fp16_tensor_flop_per_s.src ? EC_AMP
                                           : EC_FP32;
}

void ec_precision_of_module(const struct ec_graph *g, struct ec_predict_opts *o)
{
    o->module_precision = o->usual_precision && g->precision;
    if (o->module_precision)
        o->cond.precision =
            (enum ec_precision)ec_name_index(ec_precision_names, EC_PRECISION_COUNT, g->precision);
    o->usual_precision &= !o->module_precision;
}

enum ec_status ec_predict_usual(struct ec_predictor *p, const char *model,
                                const struct ec_device *d, struct ec_predict_opts *o,
                                struct ec_err *err)
{
    enum ec_precision usual = ec_precision_of_tokens(d);
    struct ec_network *n = NULL;
    enum ec_status st = EC_OK;
    struct ec_usual u;

    if (o->usual_framework &&
        (o->parallel.stack == EC_STACK_MEGATRON || o->parallel.stack == EC_STACK_MAXTEXT)) {
        o->cond.framework = EC_FW_pytorch_compiled; /* whose fusing is nearest to theirs */
        o->usual_framework = false;
    }
    if (o->usual_precision || o->usual_optimizer)
        st = ec__open_network(p, model, o, &n, NULL);
    if (st == EC_E_NOMEM)
        return ec_nomem(err);
    if (st || !n)
        return EC_OK;
    if (d->fp32_flop_per_s.src || !n->graph->precision ||
        !ec_str_eq(n->graph->precision, ec_precision_names[EC_FP32]))
        ec_precision_of_module(n->graph, o);
    u = ec_usual_training(ec_graph_tokens(n->graph) > 0, n->params, o->parallel.tuning);
    if (!u.adamw)
        return EC_OK;
    if (!u.halves && usual == EC_BF16)
        usual = EC_AMP;
    if (usual == EC_AMP && o->parallel.tuning != EC_TUNING_FULL)
        usual = EC_FP16; /* what is frozen is held in halves */
    if (o->usual_precision && usual != EC_FP32) {
        o->cond.precision = usual;
        o->usual_precision = false;
    }
    if (o->usual_optimizer && o->cond.mode == EC_MODE_TRAINING_STEP)
        o->cond.optimizer = EC_OPT_adamw;
    return EC_OK;
}

static bool same_network(const struct ec_record *a, const struct ec_record *b)
{
    return ec_str_eq(a->what, b->what) && ec_str_eq(a->job, b->job) && a->seq_len == b->seq_len &&
           a->cond.mode == b->cond.mode;
}

enum ec_status ec_records_usual(struct ec_predictor *p, struct ec_record *rows, int n,
                                struct ec_err *err)
{
    const struct ec_record *before = NULL; /* rows of many batches stand together */
    const struct ec_device *d = NULL;
    enum ec_status st = EC_OK;
    struct ec_predict_opts o;
    int i;

    for (i = 0; i < n && !st; i++) {
        struct ec_record *m = &rows[i];

        if (!m->usual_optimizer || !ec_record_is_network(m) || ec_record_opts(m, &o, NULL) ||
            ec_device_find(m->device, &d, NULL))
            continue;
        o.usual_optimizer = true;
        if (before && same_network(m, before))
            o.cond.optimizer = before->cond.optimizer;
        else
            st = ec_predict_usual(p, m->what, d, &o, err);
        m->cond.optimizer = o.cond.optimizer;
        before = m;
    }
    return st;
}

/* Bytes that a step needs, at the upper end of its interval: what fits by it fits with a margin. */
static enum ec_status needed(struct ec__query *q, const char *model, int64_t batch, double *ret,
                             struct ec_err *err)
{
    struct ec_predict_opts o = *q->o;
    struct ec_network *n = NULL;

    o.batch = batch;
    EC_PASS(ec__open_network(q->p, model, &o, &n, err));
    q->graph = n->graph;
    EC_PASS(ec_network_memory(n, &o.cond, &q->memory, err));
    *ret = ec__memory_needed(q).p95;
    return EC_OK;
}

/* A batch at which a straight line through two points reaches `bytes`, between lo and hi. */
static int64_t guess(int64_t lo, double at_lo, int64_t hi, double at_hi, double bytes)
{
    double v = (double)lo + (double)(hi - lo) * (bytes - at_lo) / fmax(at_hi - at_lo, 1);

    if (!(v >= (double)(lo + 1)))
        return lo + 1;
    return v < (double)hi ? (int64_t)v : hi - 1;
}

/* Memory grows with the batch almost as a straight line, so a guess along it is nearly right; after
 * a few guesses the interval is halved. */
static enum ec_status largest(struct ec__query *q, const char *model, double capacity, int64_t *ret,
                              struct ec_err *err)
{
    int64_t lo = 0, hi = 1, at;
    double at_lo = 0, at_hi = 0, bytes = 0;
    int tries = 0;

    while (hi <= EC_BATCH_LARGEST) {
        EC_PASS(needed(q, model, hi, &at_hi, err));
        if (at_hi > capacity)
            break;
        lo = hi;
        at_lo = at_hi;
        hi *= 8;
    }
    while (lo < EC_BATCH_LARGEST && hi - lo > 1) {
        at = ++tries < 8 ? guess(lo, at_lo, hi, at_hi, capacity) : lo + (hi - lo) / 2;
        EC_PASS(needed(q, model, at, &bytes, err));
        *(bytes > capacity ? &hi : &lo) = at;
        *(bytes > capacity ? &at_hi : &at_lo) = bytes;
    }
    *ret = lo;
    return EC_OK;
}

/* A file exported with a batch above 1 keeps it. */
static enum ec_status usual(struct ec__query *q, const char *model, double capacity, int64_t *ret,
                            struct ec_err *err)
{
    double bytes = 0;

    EC_PASS(needed(q, model, 0, &bytes, err));
    *ret = ec_graph_batch(q->graph);
    if (*ret > 1)
        return EC_OK;
    for (*ret = USUAL_BATCH; *ret > 1; *ret /= 2) {
        EC_PASS(needed(q, model, *ret, &bytes, err));
        if (!(capacity > 0) || bytes <= capacity)
            return EC_OK;
    }
    return EC_OK;
}

enum ec_status ec__choose_framework(struct ec__query *q, const char *model, struct ec_err *err)
{
    struct ec_predict_opts one = *q->o;
    struct ec_network *n = NULL;

    if (q->o->cond.framework != EC_FW_pytorch_ngc)
        return EC_OK;
    one.batch = one.batch > 0 ? one.batch : 1;
    EC_PASS(ec__open_network(q->p, model, &one, &n, err));
    q->unfused = !ec_graph_attends(n->graph);
    if (q->unfused)
        q->settled.cond.framework = EC_FW_pytorch_2;
    return EC_OK;
}

/* A sample of a network of tokens is long enough by itself. */
static enum ec_status usual_micro_batch(struct ec__query *q, const char *model, int64_t *ret,
                                        struct ec_err *err)
{
    struct ec_predict_opts one = *q->o;
    struct ec_network *n = NULL;

    one.batch = 1;
    EC_PASS(ec__open_network(q->p, model, &one, &n, err));
    q->graph = n->graph;
    *ret = ec_graph_tokens(q->graph) > 0 ? 1 : USUAL_BATCH;
    return EC_OK;
}

enum ec_status ec__choose_batch(struct ec__query *q, const char *model, struct ec_err *err)
{
    double capacity = ec_device_usable_bytes(q->t.device);
    int64_t batch = q->o->batch;
    double bytes = 0;
    char need[32], has[32];

    if (batch > 0)
        return EC_OK;
    if (ec__is_sharded(q->o)) {
        EC_PASS(usual_micro_batch(q, model, &batch, err));
        q->settled.batch = q->settled.parallel.micro_batch = batch;
        return EC_OK;
    }
    if (batch == 0)
        EC_PASS(usual(q, model, capacity, &batch, err));
    else if (!(capacity > 0))
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "%s: the largest batch is not known, for the catalogue has no memory size",
                       ec_device_key(q->t.device));
    else
        EC_PASS(largest(q, model, capacity, &batch, err));
    if (batch < 1) {
        EC_PASS(needed(q, model, 1, &bytes, err));
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "%s: not even batch 1 of %s fits: it needs up to %s of its %s",
                       ec_device_key(q->t.device), model,
                       ec_fmt_bytes_apart(need, sizeof need, bytes, capacity),
                       ec_fmt_bytes_apart(has, sizeof has, capacity, bytes));
    }
    q->settled.batch = batch;
    return EC_OK;
}
