/* Time and memory of a job whose devices share more than the batch.
 *
 * Ranks stand in the order tensor, context, data, pipeline: those of a tensor group are next to
 * each other. A step is micro-batches, one after the other through the slowest stage, and the
 * bubble, in which a device waits for the first micro-batch to come and the last to go (Narayanan
 * et al. 2021):
 *
 *     step = m * (micro-batch + exposed) + (p - 1) / v * mean of a stage + exposed sums + update
 *
 * ZeRO shares states, gradients, parameters among replicas (Rajbhandari et al. 2020); its third
 * stage gathers the parameters for forward and for backward of each micro-batch (Zhao et al. 2023).
 */
#include "model/sharded.h"
#include "stacks.inc"

#include <math.h>
#include <string.h>

const double ec_sharded_constants[EC_S_COUNT] = {
#define SHARDED_VALUE(name, value, what) value,
    EC_SHARDED_LIST(SHARDED_VALUE)
#undef SHARDED_VALUE
};

const struct ec_stack_constants *ec_stack_constants(enum ec_stack s)
{
    static const struct ec_stack_constants all[EC_STACK_COUNT] = {
#define STACK_ROW(name, ...) [EC_STACK_##name] = { __VA_ARGS__ },
        EC_STACK_CONSTANT_LIST(STACK_ROW)
#undef STACK_ROW
    };

    return &all[s];
}

enum ec_stack ec_stack_of(const struct ec_parallelism *how)
{
    if (how->stack != EC_STACK_AUTO)
        return how->stack;
    if (how->tensor > 1 || how->pipeline > 1 || how->context > 1)
        return EC_STACK_MEGATRON;
    return how->zero >= 3 ? EC_STACK_FSDP : EC_STACK_AUTO;
}

enum ec_attention ec_attention_of(const struct ec_parallelism *how, const struct ec_device *d)
{
    if (how->attention != EC_ATTENTION_AUTO)
        return how->attention;
    return ec_stack_of(how) == EC_STACK_MEGATRON && d->matrix_issue.value == EC_MATRIX_WARP_GROUP
               ? EC_ATTENTION_FLASH3
               : EC_ATTENTION_FLASH2;
}

static double at_least_one(int64_t n)
{
    return n > 1 ? (double)n : 1;
}

struct ec_topology ec_topology_of_group(const struct ec_topology *all, double n, double stride)
{
    struct ec_topology t = *all;

    t.devices = n;
    t.per_machine = fmax(1, fmin(n, floor(all->per_machine / stride)));
    if (n * stride <= (double)all->bridged.joined)
        t.inside = all->bridged;
    return t;
}

double ec_shard_ranks(const struct ec_parallelism *how, int64_t data_parallel)
{
    double all = at_least_one(data_parallel) * at_least_one(how->context);

    return how->shard_group > 0 ? fmin((double)how->shard_group, all) : all;
}

double ec_expert_ranks(const struct ec_parallelism *how, int64_t data_parallel)
{
    double all =
        at_least_one(data_parallel) * at_least_one(how->context) * at_least_one(how->tensor);

    return all / (how->expert > 1 ? (double)how->expert : at_least_one(how->tensor));
}

static double group_ns(enum ec_collective kind, const struct ec_sharded_job *q, double n,
                       double stride, double bytes, const double *v)
{
    struct ec_topology t = ec_topology_of_group(&q->at, n, stride);

    return n > 1 && bytes > 0 ? ec_collective_ns(kind, &t, bytes, v) : 0;
}

/* All calls of one kind in forward. */
static double traffic_ns(enum ec_collective kind, const struct ec_sharded_job *q,
                         const struct ec_traffic *c, double n, double stride, const double *v)
{
    return c->calls > 0 ? c->calls * group_ns(kind, q, n, stride, c->bytes / c->calls, v) : 0;
}

static double exposed(const struct ec_sharded_job *q, double share)
{
    return q->how->serial_exchange ? 1 : share;
}

/* What is waited for of `ns` for each micro-batch: a share, and what does not hide behind `behind`.
 */
static double waited(const struct ec_sharded_job *q, double share, double ns, double behind)
{
    return fmax(exposed(q, share) * ns, ns - behind);
}

/* Per micro-batch: sums of forward, as many of backward, and those of what is computed again; keys
 * and values once in forward, twice in backward. */
static void exchange(const struct ec_sharded_job *q, const double *v, const double *s,
                     struct ec_sharded_time *t)
{
    double tp = at_least_one(q->how->tensor), cp = at_least_one(q->how->context);
    double ep = at_least_one(q->how->expert), m = (double)q->micro_batches;
    double passes = 2 + q->again_frac;
    double sums = passes * traffic_ns(EC_COLLECTIVE_all_reduce, q, &q->tensor, tp, 1, v);
    double keys = 3 * traffic_ns(EC_COLLECTIVE_all_gather, q, &q->context, cp, tp, v);
    double own = q->how->expert > 1 ? ep : tp, alone = q->forward_ns + q->backward_ns;
    double tokens = passes * traffic_ns(EC_COLLECTIVE_all_to_all, q, &q->expert, own, 1, v);

    t->tensor_ns = m * waited(q, s[EC_S_tensor_exposed], sums, s[EC_S_tensor_hides] * alone);
    t->context_ns = m * waited(q, s[EC_S_context_exposed], keys, alone);
    t->expert_ns = m * waited(q, 1 - q->how->overlap_experts, tokens, alone);
    t->communication_ns += m * (sums + keys + tokens);
}

/* A micro-batch goes to the next stage and its gradient comes back, for each part of the network.
 */
static void send(const struct ec_sharded_job *q, const double *v, const double *s,
                 struct ec_sharded_time *t)
{
    double p = at_least_one(q->how->pipeline), parts = at_least_one(q->how->virtual_stages);
    double stride = q->at.devices / p, sends;
    struct ec_topology pair = ec_topology_of_group(&q->at, 2, stride);

    if (p <= 1)
        return;
    sends = 2 * parts * (double)q->micro_batches *
            ec_collective_ns(EC_COLLECTIVE_send, &pair, q->sent_bytes / parts, v);
    t->pipeline_ns = exposed(q, s[EC_S_pipeline_exposed]) * sends;
    t->communication_ns += sends;
}

/* With ZeRO 3 each micro-batch gathers parameters for forward and, where they were given back, for
 * backward, and scatters gradients. */
static void gather(const struct ec_sharded_job *q, const double *v, const double *s,
                   struct ec_sharded_time *t)
{
    double m = (double)q->micro_batches, stride = at_least_one(q->how->tensor);
    double ranks = ec_shard_ranks(q->how, q->data_parallel);
    double alone = q->forward_ns + q->backward_ns;
    double times = q->how->keep_gathered ? 1 : 2;
    double one = times * group_ns(EC_COLLECTIVE_all_gather, q, ranks, stride, q->gather_bytes, v) +
                 group_ns(EC_COLLECTIVE_reduce_scatter, q, ranks, stride, q->gradient_bytes, v);

    t->gather_ns =
        m * (fmax(0, one - s[EC_S_gather_hides] * alone) + s[EC_S_gather_slows] * fmin(one, alone));
    t->communication_ns += m * one;
}

/* How often gradients are added up in a step. */
static double times_reduced(const struct ec_sharded_job *q)
{
    return q->how->reduce_each ? (double)q->micro_batches : 1;
}

/* Gradients are added up once a step, while the last micro-batch goes back, or with each. ZeRO 1
 * and 2 scatter them and gather the parameters that come out of the update. */
static void reduce(const struct ec_sharded_job *q, const double *v, const double *s,
                   struct ec_sharded_time *t)
{
    double stride = at_least_one(q->how->tensor);
    double n = at_least_one(q->data_parallel) * at_least_one(q->how->context), sum, back = 0;
    double times = times_reduced(q);

    if (q->how->zero >= 3) {
        double ranks = ec_shard_ranks(q->how, q->data_parallel);

        sum = group_ns(EC_COLLECTIVE_all_reduce, q, n / ranks, stride * ranks,
                       q->gradient_bytes / ranks, v);
    } else if (q->how->zero >= 1)
        sum = group_ns(EC_COLLECTIVE_reduce_scatter, q, n, stride, q->gradient_bytes, v);
    else
        sum = group_ns(EC_COLLECTIVE_all_reduce, q, n, stride, q->gradient_bytes, v);
    sum += group_ns(EC_COLLECTIVE_all_reduce, q, ec_expert_ranks(q->how, q->data_parallel),
                    at_least_one(q->how->expert), q->expert_bytes, v);
    if (q->how->zero == 1 || q->how->zero == 2)
        back = group_ns(EC_COLLECTIVE_all_gather, q, n, stride, q->updated_bytes, v);
    t->reduce_ns = exposed(q, s[EC_S_update_exposed]) * back;
    t->reduce_ns += times * (q->how->serial_exchange
                                 ? sum
                                 : ec_unhidden_ns(sum, s[EC_S_reduce_hides] * q->backward_ns,
                                                  ec_buckets(q->gradient_bytes)));
    t->communication_ns += times * sum + back;
    if (q->data_parallel > 1)
        t->wait_ns = (double)q->micro_batches * (q->forward_ns + q->backward_ns) *
                     (v[EC_P_wait_ddp] * pow(log2((double)q->data_parallel), v[EC_P_wait_power]) +
                      v[EC_P_wait_machines] * (1 - 1 / ec_topology_machines(&q->at)));
}

/* DataParallel sends the parameters out for each micro-batch and takes its gradients back;
 * MirroredStrategy adds gradients up before the update. */
static void reduce_in_one_process(const struct ec_sharded_job *q, const double *v,
                                  struct ec_sharded_time *t)
{
    double m = (double)q->micro_batches;
    double times = q->strategy == EC_STRATEGY_dp ? m : times_reduced(q);
    struct ec_parallel_job job = { .strategy = q->strategy,
                                   .at = q->at,
                                   .alone_ns = m / times * (q->forward_ns + q->backward_ns),
                                   .parameter_bytes = q->parameter_bytes,
                                   .gradient_bytes = q->gradient_bytes,
                                   .tensors = q->tensors };
    struct ec_parallel_time one;

    ec_parallel_time(&job, v, &one);
    t->reduce_ns = times * one.exposed_ns;
    t->communication_ns += times * one.communication_ns;
    t->wait_ns = times * one.wait_ns;
}

static void scale(struct ec_sharded_time *t, double by)
{
    double *all[] = { &t->step_ns,    &t->compute_ns,       &t->bubble_ns,   &t->tensor_ns,
                      &t->context_ns, &t->expert_ns,        &t->pipeline_ns, &t->gather_ns,
                      &t->reduce_ns,  &t->communication_ns, &t->wait_ns };
    int i;

    for (i = 0; i < EC_LEN(all); i++)
        *all[i] *= by;
}

void ec_sharded_time(const struct ec_sharded_job *q, const double v[EC_P_COUNT],
                     const double s[EC_S_COUNT], struct ec_sharded_time *ret)
{
    double m = (double)q->micro_batches, alone = q->forward_ns + q->backward_ns;
    struct ec_sharded_time t = { 0 };

    exchange(q, v, s, &t);
    send(q, v, s, &t);
    if (q->how->zero >= 3)
        gather(q, v, s, &t);
    if (q->strategy == EC_STRATEGY_dp || q->strategy == EC_STRATEGY_mirrored)
        reduce_in_one_process(q, v, &t);
    else
        reduce(q, v, s, &t);
    t.bubble_ns = (at_least_one(q->how->pipeline) - 1) / at_least_one(q->how->virtual_stages) *
                  (q->mean_ns + (t.tensor_ns + t.context_ns + t.expert_ns) / m);
    t.compute_ns = m * alone + q->update_ns + q->offload_ns;
    t.step_ns = t.compute_ns + t.bubble_ns + t.tensor_ns + t.context_ns + t.expert_ns +
                t.pipeline_ns + t.gather_ns + t.reduce_ns + t.wait_ns;
    scale(&t, ec_stack_constants(q->how->stack)->time_factor);
    *ret = t;
}

/* ------------------------------------------------------------------------------------------------
 * Memory */

/* Micro-batches whose activations a stage holds: those that have come and not yet gone back (1F1B:
 * Narayanan et al. 2019); interleaved stages hold more. */
static double in_flight(const struct ec_ledger_query *q)
{
    double p = q->stages, v = at_least_one(q->how->virtual_stages);
    double most = fmin((double)q->micro_batches, p - q->stage);

    return v > 1 ? most * (1 + (p - 1) / (p * v)) : most;
}

#define HALF 2.0
/* A bucket to reduce gradients in and one to gather in: PyTorch's bucket_cap_mb; DeepSpeed's
 * reduce_bucket_size and allgather_bucket_size, halves. */
#define BUCKET_BYTES (2 * 25.0 * 1048576)
#define DEEPSPEED_BUCKET_BYTES (2 * 5e8 * HALF)

static double bucket_bytes(const struct ec_parallelism *how)
{
    return ec_stack_of(how) == EC_STACK_DEEPSPEED ? DEEPSPEED_BUCKET_BYTES : BUCKET_BYTES;
}

/* Trained elements that a rank holds of what `ranks` replicas share. */
static double part_of(const struct ec_ledger_query *q, double ranks)
{
    double experts = ranks > 1 ? fmax(1, q->expert_ranks) : 1;

    return (q->trainable - q->expert_params) / ranks + q->expert_params / experts;
}

/* Trainers that hold float32 copies beside bf16 add gradients up in float32 (Megatron-LM,
 * DeepSpeed: bfloat16 has too few digits for sums); beside fp16 they do not. DeepSpeed holds those
 * of a micro-batch as well. */
static double gradient_bytes(const struct ec_ledger_query *q)
{
    struct ec_elem_bytes e = q->memory->bytes;

    if (q->cond->precision != EC_BF16 || e.state <= e.weight)
        return e.weight;
    return e.state + (ec_stack_of(q->how) == EC_STACK_DEEPSPEED ? e.weight : 0);
}

/* Who names no stack has the loss of PyTorch. */
static double working_bytes(const struct ec_ledger_query *q)
{
    if (q->how->chunked_loss)
        return q->memory->chunked;
    return q->how->stack == EC_STACK_AUTO ? q->memory->plain : q->memory->working;
}

/* Whether a device holds what it would hold alone, and the buckets of its gradients. */
static bool is_replica(const struct ec_ledger_query *q)
{
    bool whole = q->data_parallel <= 1 || q->how->zero < 1;

    return q->cond->mode != EC_MODE_FORWARD && whole && q->stages <= 1 && q->micro_batches <= 1 &&
           ec_stack_of(q->how) == EC_STACK_AUTO && !q->how->offload && !q->how->chunked_loss;
}

/* There gradients come while what was kept goes: the step needs what its fullest moment does. */
static void take_moment(const struct ec_memory_moment *most, double l[EC_LEDGER_COUNT])
{
    double rest = -l[EC_LEDGER_buckets];
    int i;

    l[EC_LEDGER_kept] = most->kept;
    l[EC_LEDGER_working] = most->transient;
    l[EC_LEDGER_gradients] = l[EC_LEDGER_halves] = 0; /* halves are among what is kept */
    for (i = 0; i < EC_LEDGER_COUNT; i++)
        rest += l[i];
    l[EC_LEDGER_gradients] = fmax(0, most->fixed + most->kept + most->transient - rest);
}

void ec_ledger_fill(const struct ec_ledger_query *q, double ret[EC_LEDGER_COUNT])
{
    struct ec_elem_bytes e = q->memory->bytes;
    double ranks = ec_shard_ranks(q->how, q->data_parallel);
    double of_weights = q->how->zero >= 3 ? ranks : 1, of_grads = q->how->zero >= 2 ? ranks : 1;
    double of_states = q->how->zero >= 1 ? ranks : 1;
    bool trains = q->cond->mode != EC_MODE_FORWARD;
    bool updates = q->cond->mode == EC_MODE_TRAINING_STEP;
    double *l = ret;

    memset(l, 0, sizeof *l * EC_LEDGER_COUNT);
    /* where the float32 copies are shared out, halves are there only while they are gathered */
    if (q->how->zero < 3 || ranks <= 1 || e.state <= e.weight)
        l[EC_LEDGER_weights] = part_of(q, of_weights) * e.weight;
    l[EC_LEDGER_frozen] = q->memory->weights - q->trainable * e.weight;
    l[EC_LEDGER_frozen] /= of_weights;
    l[EC_LEDGER_halves] = q->how->zero >= 3 ? 0 : q->memory->casts;
    if (q->how->zero >= 3 && ranks > 1) /* of the block at work and of the next one */
        l[EC_LEDGER_gathered] =
            (q->how->keep_gathered ? q->params : fmin(q->params, 2 * q->largest_params)) *
            ((1 - q->packed_frac) * fmin(e.activation, e.weight) +
             q->packed_frac * EC_PACKED_BYTES);
    if (trains) {
        l[EC_LEDGER_gradients] = part_of(q, of_grads) * gradient_bytes(q);
        l[EC_LEDGER_kept] = q->memory->at_loss;
        l[EC_LEDGER_in_flight] = (in_flight(q) - 1) * q->memory->at_loss;
        l[EC_LEDGER_working] = working_bytes(q) - q->memory->at_loss;
    } else
        l[EC_LEDGER_working] = q->memory->most.kept + q->memory->most.transient;
    if (q->how->zero >= 3 && ranks > 1 &&
        trains) /* a block's gradients before they are scattered */
        l[EC_LEDGER_buckets] = q->largest_params * e.activation;
    else if (trains && q->data_parallel > 1)
        l[EC_LEDGER_buckets] = fmin(bucket_bytes(q->how), 2 * q->trainable * e.weight);
    if (updates && !q->how->offload) {
        l[EC_LEDGER_master] = e.state > e.weight ? part_of(q, of_states) * e.state : 0;
        l[EC_LEDGER_moments] =
            part_of(q, of_states) *
            ec_optimizer_state_bytes(q->cond->optimizer, e.state, q->memory->hidden_frac);
    }
    if (is_replica(q)) {
        l[EC_LEDGER_buckets] = q->data_parallel > 1 ? q->memory->gradients : 0;
        take_moment(&q->memory->most, l);
    }
}

/* What a communicator of NCCL holds on each device, for each kind of group that a rank is in and
 * for all ranks together; nvidia-smi sees it, allocators do not. */
#define COMMUNICATOR_BYTES 0.5e9

double ec_communicator_bytes(const struct ec_parallelism *how, double devices)
{
    double data = devices / (at_least_one(how->tensor) * at_least_one(how->pipeline) *
                             at_least_one(how->context));
    bool replicas_apart = data < devices || ec_stack_of(how) != EC_STACK_AUTO;
    int groups = (devices > 1) + (data > 1 && replicas_apart) + (how->tensor > 1) +
                 (how->pipeline > 1) + (how->context > 1) + (how->expert > 1);

    return groups * COMMUNICATOR_BYTES;
}

double ec_ledger_total(const double ledger[EC_LEDGER_COUNT])
{
    double sum = 0;
    int i;

    for (i = 0; i < EC_LEDGER_COUNT; i++)
        sum += ledger[i];
    return sum;
}

struct ec_memory ec_ledger_memory(const struct ec_ledger_query *q, const double l[EC_LEDGER_COUNT])
{
    double kept = l[EC_LEDGER_kept] + l[EC_LEDGER_in_flight];
    struct ec_memory m = *q->memory;

    m.weights = l[EC_LEDGER_weights] + l[EC_LEDGER_frozen] + l[EC_LEDGER_halves] +
                l[EC_LEDGER_gathered] + l[EC_LEDGER_dequantised];
    m.gradients = l[EC_LEDGER_gradients] + l[EC_LEDGER_buckets];
    m.optimizer = l[EC_LEDGER_master] + l[EC_LEDGER_moments];
    m.activations = kept;
    m.transient = l[EC_LEDGER_working];
    m.casts = 0;
    m.input = 0;
    m.most = (struct ec_memory_moment){ m.weights + m.gradients + m.optimizer, kept, m.transient };
    m.apart = fmax(ec_ledger_total(l), is_replica(q) ? q->memory->apart + l[EC_LEDGER_buckets] : 0);
    return m;
}
