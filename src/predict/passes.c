/* What a step of preference or reinforcement learning has beside training: probabilities of words
 * by the model as it was, samples that it makes itself, weights that go to where these are made. */
#include "predict/query.h"

#include <math.h>

/* Shares of peak and bandwidth while samples are made, the fixed time of a round, and how much of
 * the memory caches may fill. Assumed: no row that we have is of such jobs. */
#define MAKES_FLOP_FRAC 0.5
#define MAKES_BANDWIDTH_FRAC 0.7
#define ROUND_NS 3e6
#define CACHE_FRAC 0.9
#define MADE_BYTES 2.0 /* of a weight and of what is kept of a token: bf16 */
/* Ends of the interval of what is not fitted, as a factor. */
#define MADE_SPREAD 2.0
#define USUAL_GROUP 8
#define TAIL_PARTS 64

/* passes: forward over the samples, of the model as it was, the reference, the critic, rewards.
 * held: models that only run forward, of which the reference is that without its adapters where
 * adapters are trained. critics: trained beside the model, as large. */
static const struct {
    double passes, held, critics;
} kinds[EC_RL_COUNT] = {
    [EC_RL_dpo] = {1,  1, 0},
    [EC_RL_grpo] = { 2, 1, 0},
    [EC_RL_ppo] = { 4, 2, 1},
};

bool ec__makes_samples(const struct ec_predict_opts *o)
{
    return o->rl == EC_RL_grpo || o->rl == EC_RL_ppo;
}

double ec__reference_bytes(const struct ec__query *q)
{
    const struct ec_memory *m = &q->memory;
    double weights = kinds[q->o->rl].held, critics = kinds[q->o->rl].critics;

    if (q->o->rl == EC_RL_none)
        return 0;
    weights += q->o->parallel.tuning == EC_TUNING_FULL ? critics : -1;
    return weights * m->weights + critics * (m->gradients + m->optimizer);
}

/* The forward part of a step, with its share of what the step waits for. */
static double forward_ns(const struct ec__query *q)
{
    const struct ec_prediction *r = q->r;
    double all = r->forward_ns + r->backward_ns + r->update_ns;

    return all > 0 ? r->step_time_ns.p50 * r->forward_ns / all : 0;
}

/* Elements that a cache keeps of a value: those in front of its copies for several heads. */
static double kept_elems(const struct ec_graph *g, int id)
{
    double least = ec_type_elems(&g->values[id]->type);
    const struct ec_node *n;

    while (g->values[id]->producer >= 0) {
        n = g->nodes[g->values[id]->producer];
        if (n->n_param || !n->n_in)
            break;
        id = n->in[0];
        least = fmin(least, ec_type_elems(&g->values[id]->type));
    }
    return least;
}

/* A copy of the model that makes samples. */
struct maker {
    double params, cache_bytes; /* of the network; keys and values of a token, of all layers */
    double copies, live;        /* samples that a copy makes at once */
    double bandwidth, peak;     /* of a copy */
};

static enum ec_status look(const struct ec_graph *g, struct maker *m, struct ec_err *err)
{
    double tokens = (double)ec_graph_batch(g) * (double)g->values[g->inputs[0]]->type.shape.d[1];
    int i;

    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *n = g->nodes[i];

        if (ec_str_eq(n->op->name, "attention") && n->n_in >= 3)
            m->cache_bytes +=
                MADE_BYTES * (kept_elems(g, n->in[1]) + kept_elems(g, n->in[2])) / tokens;
    }
    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM)
            m->params += ec_type_elems(&g->values[i]->type);
    return m->cache_bytes > 0 ? EC_OK
                              : ec_fail(err, EC_E_UNSUPPORTED,
                                        "--rl: %s has no attention whose keys and values "
                                        "could be kept, so it cannot make samples",
                                        g->name);
}

static double round_ns(const struct maker *m, double live, double tokens)
{
    double bytes = MADE_BYTES * m->params + live * tokens * m->cache_bytes;

    return fmax(bytes / m->bandwidth, live * 2 * m->params / m->peak) * 1e9 + ROUND_NS;
}

/* As few devices for a copy as leave half of their room for caches. */
static enum ec_status settle(const struct ec__query *q, double devices, double held_bytes,
                             double tokens, struct maker *m, struct ec_err *err)
{
    const struct ec_device *d = q->t.device;
    double room = CACHE_FRAC * ec_device_usable_bytes(d) - held_bytes, k = 1;
    double weights = MADE_BYTES * m->params;

    while (k * room < 2 * weights && 2 * k <= devices)
        k *= 2;
    m->copies = floor(devices / k);
    m->bandwidth = k * MAKES_BANDWIDTH_FRAC * d->memory_bytes_per_s.value;
    m->peak = k * MAKES_FLOP_FRAC * ec_paper_peak(d, EC_BF16, true);
    m->live = floor((k * room - weights) / (tokens * m->cache_bytes));
    if (m->live >= 1 && m->bandwidth > 0 && m->peak > 0)
        return EC_OK;
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "--rl: beside what training holds, %.0f devices have no room for a copy of "
                   "%.1f GB and the keys and values of a sample: give --generators, or share more",
                   devices, weights / 1e9);
}

/* Samples of many lengths, from none to twice the mean: a copy is full until the last ones, which
 * then end one by one. */
static double made_ns(const struct maker *m, double samples, double prompt, double generated)
{
    double n = ceil(samples / m->copies), live = fmin(n, m->live), tokens = prompt + generated / 2;
    double ns = (n - live) * generated / live * round_ns(m, live, tokens);
    int i;

    for (i = 0; i < TAIL_PARTS; i++)
        ns += 2 * generated / TAIL_PARTS *
              round_ns(m, fmax(1, live * (1 - (i + 0.5) / TAIL_PARTS)), tokens);
    return ns;
}

/* Weights go from how training shares them to how samples are made. */
static enum ec_status sent_ns(const struct ec__query *q, double bytes, double *ret,
                              struct ec_err *err)
{
    struct ec_collective_time t = { 0 };
    struct ec_predict_opts o = *q->o;
    struct ec_topology at;

    o.devices = (o.devices > 1 ? o.devices : 1) + o.generators;
    *ret = 1e9 * 2 * bytes / q->t.device->memory_bytes_per_s.value;
    if (o.devices < 2)
        return EC_OK;
    EC_PASS(ec__topology_of(q->t.device, &o, &at, err));
    ec_collective_time(o.generators ? EC_COLLECTIVE_broadcast : EC_COLLECTIVE_all_gather, &at,
                       bytes, ec_parallel_fitted()->v, &t);
    *ret += t.ns;
    return EC_OK;
}

static enum ec_status make(const struct ec__query *q, struct ec_err *err)
{
    const struct ec_predict_opts *o = q->o;
    struct ec_prediction *r = q->r;
    double generated = o->generated ? (double)o->generated : floor((double)r->seq_len / 2);
    double prompt = (double)r->seq_len - generated;
    double group = o->group ? (double)o->group : USUAL_GROUP, prefill;
    double devices = (double)(o->generators ? o->generators : r->devices);
    double held = o->generators ? 0 : q->memory.weights + q->memory.optimizer;
    struct maker m = { 0 };

    if (r->seq_len < 2 || prompt < 1)
        return ec_fail(err, EC_E_INPUT,
                       "--rl: of %lld tokens %.0f are made, which leaves no prompt",
                       (long long)r->seq_len, generated);
    EC_PASS(look(q->graph, &m, err));
    EC_PASS(settle(q, devices, held, prompt + generated, &m, err));
    prefill = 1e9 * ceil((double)r->batch / group / m.copies) * prompt * 2 * m.params / m.peak;
    r->generation_ns = prefill + made_ns(&m, (double)r->batch, prompt, generated);
    r->made_at_once = fmin(ceil((double)r->batch / m.copies), m.live) * m.copies;
    r->generators = o->generators;
    return sent_ns(q, MADE_BYTES * m.params, &r->weights_sent_ns, err);
}

/* Samples are made beside training on devices of their own, else before it. */
static double with_made(const struct ec_prediction *r, double train_ns, double spread)
{
    double made = r->generation_ns * spread;

    return (r->generators ? fmax(train_ns, made) : train_ns + made) + r->weights_sent_ns;
}

enum ec_status ec__add_passes(const struct ec__query *q, struct ec_err *err)
{
    struct ec_prediction *r = q->r;
    struct ec_interval *step = &r->step_time_ns;
    double trained = 1 + kinds[q->o->rl].critics, by;

    if (q->o->rl == EC_RL_none)
        return EC_OK;
    r->reference_ns = kinds[q->o->rl].passes * forward_ns(q);
    r->reference_bytes = ec__reference_bytes(q);
    r->training_ns = trained * step->p50;
    r->model_flop *= trained;
    r->whole_flop *= trained;
    r->hardware_flop *= trained;
    by = trained + r->reference_ns / step->p50;
    if (ec__makes_samples(q->o))
        EC_PASS(make(q, err));
    step->p05 = with_made(r, by * step->p05, 1 / MADE_SPREAD);
    step->p50 = with_made(r, by * step->p50, 1);
    step->p95 = with_made(r, by * step->p95, MADE_SPREAD);
    r->samples_per_s = ec__rate_of(*step, (double)r->batch);
    if (r->generation_ns > r->training_ns + r->reference_ns)
        r->limit = EC_LIMIT_GENERATION;
    return EC_OK;
}
