/* Jobs whose devices share more than the batch: from the options to the graph of a rank, its time
 * and memory, and the time of a step. */
#include "predict/query.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * Options */

static int64_t count(int64_t n)
{
    return n > 1 ? n : 1;
}

static int64_t model_ranks(const struct ec_predict_opts *o)
{
    const struct ec_parallelism *p = &o->parallel;

    return count(p->tensor) * count(p->pipeline) * count(p->context);
}

static int64_t data_parallel_of(const struct ec_predict_opts *o)
{
    return count(o->devices) / model_ranks(o);
}

/* More than the batch. */
static bool shares_more(const struct ec_predict_opts *o)
{
    const struct ec_parallelism *p = &o->parallel;

    return model_ranks(o) > 1 || p->expert > 1 || p->zero > 0 || o->strategy == EC_STRATEGY_fsdp;
}

bool ec__is_sharded(const struct ec_predict_opts *o)
{
    const struct ec_parallelism *p = &o->parallel;

    return shares_more(o) || p->micro_batch > 0 || p->accumulation > 0 || p->offload ||
           p->chunked_loss || p->serial_exchange;
}

/* What is next to `n` among the multiples of `of`. */
static enum ec_status refuse_multiple(const char *what, int64_t n, int64_t of, const char *why,
                                      struct ec_err *err)
{
    int64_t below = n / of * of;

    if (below < 1)
        return ec_fail(err, EC_E_INPUT, "%s %lld: %s; the nearest that fits is %lld", what,
                       (long long)n, why, (long long)of);
    return ec_fail(err, EC_E_INPUT, "%s %lld: %s; the nearest that fit are %lld and %lld", what,
                   (long long)n, why, (long long)below, (long long)below + of);
}

static enum ec_status check_devices(const struct ec_predict_opts *o, struct ec_err *err)
{
    const struct ec_parallelism *p = &o->parallel;
    int64_t ranks = model_ranks(o), experts = count(p->expert);
    int64_t holders = data_parallel_of(o) * count(p->context);
    char why[160];

    if (count(o->devices) % ranks) {
        (void)ec_snprintf(why, sizeof why, "a replica takes tp %lld x pp %lld x cp %lld = %lld",
                          (long long)count(p->tensor), (long long)count(p->pipeline),
                          (long long)count(p->context), (long long)ranks);
        return refuse_multiple("--devices", count(o->devices), ranks, why, err);
    }
    if (count(o->devices) / count(p->pipeline) % experts) {
        (void)ec_snprintf(why, sizeof why, "ep %lld does not divide the %lld devices of a stage",
                          (long long)experts, (long long)(count(o->devices) / count(p->pipeline)));
        return refuse_multiple("--devices", count(o->devices), experts * count(p->pipeline), why,
                               err);
    }
    if (p->shard_group > 0 && holders % p->shard_group)
        return ec_fail(err, EC_E_INPUT,
                       "--shard-group %lld does not divide the %lld devices that hold the same "
                       "part of the network",
                       (long long)p->shard_group, (long long)holders);
    return EC_OK;
}

/* Samples of a replica, a micro-batch and the number of these: two give the third. */
static enum ec_status check_batch(const struct ec_predict_opts *o, struct ec_err *err)
{
    const struct ec_parallelism *p = &o->parallel;
    int64_t replicas = data_parallel_of(o);
    int64_t one = count(p->micro_batch) * count(p->accumulation);
    char why[160];

    if (o->batch < 0)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "--batch max is for devices that share nothing but the batch: give "
                       "--micro-batch");
    if (o->global_batch && o->global_batch % (replicas * one)) {
        (void)ec_snprintf(why, sizeof why,
                          "%lld replicas take micro-batch %lld x accumulation %lld each",
                          (long long)replicas, (long long)count(p->micro_batch),
                          (long long)count(p->accumulation));
        return refuse_multiple("--global-batch", o->global_batch, replicas * one, why, err);
    }
    if (o->batch && o->batch % one) {
        if (p->micro_batch > 0)
            (void)ec_snprintf(why, sizeof why,
                              "a replica takes micro-batch %lld x accumulation %lld",
                              (long long)p->micro_batch, (long long)count(p->accumulation));
        else /* as other trainers count a batch */
            (void)ec_snprintf(why, sizeof why,
                              "a step on a device does not divide into %lld micro-batches "
                              "(for %lld of %lld samples give --micro-batch %lld, not --batch)",
                              (long long)p->accumulation, (long long)p->accumulation,
                              (long long)o->batch, (long long)o->batch);
        return refuse_multiple("--batch", o->batch, one, why, err);
    }
    if (p->micro_batch && p->accumulation &&
        ((o->batch && o->batch != one) || (o->global_batch && o->global_batch != one * replicas)))
        return ec_fail(err, EC_E_INPUT,
                       "--micro-batch %lld and --accumulation %lld on %lld replicas are %lld "
                       "samples a step: leave one of them or the batch out",
                       (long long)p->micro_batch, (long long)p->accumulation, (long long)replicas,
                       (long long)one * replicas);
    return EC_OK;
}

enum ec_status ec__check_sharded(const struct ec_predict_opts *o, struct ec_err *err)
{
    if (!ec__is_sharded(o))
        return EC_OK;
    if (shares_more(o) && !ec_strategy_spans_machines(o->strategy))
        return ec_fail(err, EC_E_INPUT,
                       "--strategy %s shares the batch alone: expected auto, ddp or fsdp",
                       ec_strategy_names[o->strategy]);
    if (o->from_run && *o->from_run)
        return ec_fail(err, EC_E_INPUT,
                       "--from-run is for devices that share the batch alone: it scales one "
                       "device's step");
    EC_PASS(check_devices(o, err));
    return check_batch(o, err);
}

/* With a pipeline a micro-batch is one sample, and there are four for each stage, unless something
 * else is said. */
#define USUAL_PER_STAGE 4

void ec__settle_batch(struct ec_predict_opts *own)
{
    struct ec_parallelism *p = &own->parallel;
    int64_t of_replica = own->global_batch ? own->global_batch / data_parallel_of(own) : own->batch;
    bool pipeline = p->pipeline > 1;

    if (own->strategy == EC_STRATEGY_fsdp && !p->zero)
        p->zero = 3;
    if (!p->micro_batch && p->accumulation && of_replica)
        p->micro_batch = of_replica / p->accumulation;
    if (!p->micro_batch && (pipeline || p->accumulation))
        p->micro_batch = pipeline || of_replica ? 1 : 0;
    if (!p->micro_batch)
        p->micro_batch = of_replica;
    if (!p->accumulation && p->micro_batch && of_replica)
        p->accumulation = of_replica / p->micro_batch;
    if (!p->accumulation)
        p->accumulation = pipeline ? USUAL_PER_STAGE * p->pipeline : 1;
    own->batch = p->micro_batch;
    own->global_batch = 0;
}

/* ------------------------------------------------------------------------------------------------
 * Stages */

static double node_sum(const struct ec_step *s, const struct ec_rates *r, double *cost)
{
    struct ec_kernel_time t;
    double sum = 0;
    int i;

    for (i = 0; i < s->n; i++) {
        ec_kernel_time(&s->kernel[i], r, &t);
        sum += t.total_ns;
        if (s->node[i] >= 0)
            cost[s->node[i]] += t.total_ns;
    }
    return sum;
}

/* Products of forward and backward; attention keeps no scores and computes them again in backward:
 * five products there for two, of which four are counted. */
#define ATTENTION_COUNTED 0.8

static struct ec__macs count_macs(const struct ec_step *s)
{
    struct ec__macs sum = { 0 };
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double mac = k->mac, whole = k->mac, times = s->repeat ? s->repeat[i] : 1;

        if (k->kclass == EC_K_ATTENTION) {
            double back = k->phase == EC_FORWARD ? 1 : 2;

            mac *= k->phase == EC_FORWARD ? 1 : ATTENTION_COUNTED;
            whole = fmax(mac, back * 2 * k->b * k->m * k->n * k->k);
        }
        sum.hardware += times * mac;
        if (k->flags & EC_KF_AGAIN)
            continue;
        sum.model += times * mac;
        sum.whole += times * whole;
    }
    return sum;
}

static void fill_flop(const struct ec__query *q, const struct ec__macs *m, double times)
{
    struct ec_prediction *r = q->r;

    r->model_flop = 2 * times * m->model;
    r->whole_flop = 2 * times * m->whole;
    r->hardware_flop = 2 * times * m->hardware;
    r->peak_flop_per_s =
        ec_paper_peak(q->t.device, q->o->cond.precision, true) * (double)count(q->o->devices);
}

/* Of a network that each device has whole. */
void ec__fill_flop(const struct ec__query *q)
{
    struct ec__macs m = count_macs(q->step);

    fill_flop(q, &m, (double)count(q->o->devices));
}

static struct ec_conditions of_micro_batch(const struct ec__query *q)
{
    struct ec_conditions c = q->o->cond;

    c.optimizer = EC_OPT_none; /* the update is apart */
    return c;
}

static enum ec_status cut_stages(const struct ec__query *q, struct ec_network *n,
                                 struct ec__shard *sh, int *part, struct ec_err *err)
{
    struct ec_conditions cond = of_micro_batch(q);
    int parts = sh->stages * (int)count(sh->how.virtual_stages);
    double *cost = ec_alloc(sizeof *cost * ((size_t)q->graph->n_nodes + 1));
    const struct ec_step *s = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(cost, err));
    EC_TRY(ec_network_blocks(n, &sh->blocks, err));
    EC_TRY(ec_network_step(n, &cond, &s, err));
    sh->macs = count_macs(s);
    if (parts == 1) /* all nodes in the first, as they are */
        goto out;
    EC_TRY(ec_network_step_apart(n, &cond, &s, err));
    (void)node_sum(s, &q->t.plain, cost);
    EC_TRY(ec_blocks_cut(q->graph, &sh->blocks, cost, parts, part, err));
out:
    ec_free(cost);
    return st;
}

static double blocks_of(const struct ec__shard *sh, const int *part, int stage)
{
    double n = 0;
    int i;

    for (i = 0; i < sh->blocks.n; i++)
        n += part[sh->blocks.begin + i * sh->blocks.length] % sh->stages == stage;
    return n;
}

static struct ec_memory find_ledger(const struct ec__query *q, const struct ec__shard *sh,
                                    const struct ec_rank_work *s, int stage,
                                    double ret[EC_LEDGER_COUNT])
{
    struct ec_ledger_query l = { .how = &sh->how,
                                 .cond = &q->o->cond,
                                 .memory = &s->memory,
                                 .data_parallel = sh->data_parallel,
                                 .micro_batches = sh->how.accumulation,
                                 .stage = stage,
                                 .stages = sh->stages,
                                 .params = s->rank.params + s->rank.frozen,
                                 .trainable = s->rank.params,
                                 .largest_params = s->rank.largest_params };
    double all = s->rank.params + s->rank.frozen;

    l.packed_frac = all > 0 ? s->rank.packed / all : 0;
    l.expert_params = fmin(s->rank.expert_params, s->rank.params);
    l.expert_ranks = ec_expert_ranks(&sh->how, sh->data_parallel);
    ec_ledger_fill(&l, ret);
    return ec_ledger_memory(&l, ret);
}

static enum ec_status take_slowest(const struct ec__query *q, struct ec__shard *sh,
                                   const struct ec_rank_work *s, struct ec_err *err)
{
    double ranks = ec_shard_ranks(&sh->how, sh->data_parallel);
    double experts = fmin(s->rank.expert_params, s->rank.params);
    double share = (s->rank.params - experts) / (sh->how.zero ? ranks : 1) +
                   experts / (sh->how.zero ? ec_expert_ranks(&sh->how, sh->data_parallel) : 1);
    double again = 0, forward = 0;
    int i;

    ec_step_clear(&sh->step);
    ec_step_clear(&sh->update);
    sh->slowest = s->rank;
    EC_PASS(ec_step_copy(&s->step, &sh->step, err));
    for (i = 0; i < sh->step.n; i++)
        if (sh->step.kernel[i].phase == EC_FORWARD) {
            forward += sh->step.kernel[i].mac * sh->step.repeat[i];
            if (sh->step.kernel[i].flags & EC_KF_AGAIN)
                again += sh->step.kernel[i].mac * sh->step.repeat[i];
        }
    sh->again_frac = forward > again ? again / (forward - again) : 0;
    if (q->o->cond.mode == EC_MODE_TRAINING_STEP)
        return ec_step_of_update(q->graph, share, sh->step.n_param_tensors, q->o->cond.optimizer,
                                 &sh->update, err);
    return EC_OK;
}

/* Stages between the first and the last are alike where they have as many nodes. */
static bool is_like_second(const int *part, int n, int stage, int stages)
{
    int own = 0, second = 0, i;

    if (stage < 2 || stage == stages - 1)
        return false;
    for (i = 0; i < n; i++) {
        own += part[i] % stages == stage;
        second += part[i] % stages == 1;
    }
    return own == second;
}

static enum ec_status visit_stages(const struct ec__query *q, struct ec_network *n,
                                   struct ec__shard *sh, const int *part, struct ec_err *err)
{
    double slowest = 0, sum = 0, last_ns = 0, ledger[EC_LEDGER_COUNT];
    const struct ec_rank_work *s = NULL;
    struct ec_memory memory;
    struct ec_step_time t;
    int i;

    for (i = 0; i < sh->stages; i++) {
        if (is_like_second(part, q->graph->n_nodes, i, sh->stages)) {
            sum += last_ns;
            continue;
        }
        EC_PASS(ec_network_rank(n, &q->o->cond, part, sh->stages, i, &s, err));
        ec_step_time(&s->step, &q->t.plain, &q->p->fitted->c, false, &t);
        memory = find_ledger(q, sh, s, i, ledger);
        if (i == 0)
            sh->first_memory = memory;
        if (i == 0 || ec_ledger_total(ledger) > ec_ledger_total(sh->ledger)) {
            memcpy(sh->ledger, ledger, sizeof ledger);
            sh->memory = memory;
            sh->fullest = i;
        }
        sh->sent_elems = fmax(sh->sent_elems, s->rank.received_elems);
        sh->most_blocks = fmax(sh->most_blocks, blocks_of(sh, part, i));
        sum += last_ns = t.step_ns;
        if (t.step_ns > slowest) {
            slowest = t.step_ns;
            EC_PASS(take_slowest(q, sh, s, err));
        }
    }
    sh->mean_over_slowest = slowest > 0 ? sum / sh->stages / slowest : 1;
    return EC_OK;
}

void ec__shard_free(struct ec__shard *sh)
{
    if (!sh)
        return;
    ec_step_clear(&sh->step);
    ec_step_clear(&sh->update);
    ec_free(sh);
}

enum ec_status ec__shard_network(struct ec__query *q, struct ec_network *n, struct ec_err *err)
{
    struct ec__shard *sh = ec_alloc(sizeof *sh);
    const struct ec_parallelism *how = &q->o->parallel;
    struct ec_division d = { count(how->tensor), count(how->context), count(how->expert),
                             how->sequence_parallel };
    int *part = ec_alloc(sizeof *part * ((size_t)q->graph->n_nodes + 1));
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(sh && part, err));
    sh->how = *how;
    sh->data_parallel = data_parallel_of(q->o);
    sh->stages = (int)count(how->pipeline);
    EC_TRY(ec_network_divide(n, &d, err));
    EC_TRY(cut_stages(q, n, sh, part, err));
    EC_TRY(visit_stages(q, n, sh, part, err));
    q->step = &sh->step;
    q->memory = sh->memory;
    q->shard = sh;
    sh = NULL;
out:
    ec_free(part);
    ec__shard_free(sh);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Time of a step */

/* Bytes per second at which the host of a machine reads and writes states in an update: what Llama
 * 3.1 8B with DeepSpeed's CPU Adam leaves on eight H200 and on eight B200 (S. Bekman, "Machine
 * Learning Engineering", 2025); less than a third of what twelve channels of DDR5 have at most. */
#define HOST_UPDATE_BYTES_PER_S 130e9

/* Gradients go to the host, updated parameters come back; in between the host updates those of all
 * devices of its machine. */
static enum ec_status offload_ns(const struct ec__query *q, double devices, double *ret,
                                 struct ec_err *err)
{
    const struct ec__shard *sh = q->shard;
    struct ec_elem_bytes e = sh->memory.bytes;
    double elems = sh->slowest.params / ec_shard_ranks(&sh->how, sh->data_parallel);
    double moved = elems * 2 * e.weight;
    double updated = elems * 4 * ec_optimizer_tensors(q->o->cond.optimizer);
    struct ec_reach host = { 0 };

    EC_PASS(ec_device_reach(q->t.device, EC_LINK_pcie, 1, &host, err));
    *ret = (moved / (host.bytes_per_s * ec_sharded_constants[EC_S_host_link]) +
            devices * updated / HOST_UPDATE_BYTES_PER_S) *
           1e9;
    return EC_OK;
}

static struct ec_traffic in_bytes(const struct ec_traffic *elems, double elem_bytes)
{
    return (struct ec_traffic){ elems->calls, elems->bytes * elem_bytes };
}

static double gathered_bytes(const struct ec_rank *r, double elem_bytes)
{
    return (r->params + r->frozen - r->packed) * elem_bytes + r->packed * EC_PACKED_BYTES;
}

/* m: micro-batches; both with what the stack puts on them */
static void scale_time(struct ec_step_time *t, double m, double by,
                       const struct ec_step_time *update)
{
    int i;

    t->device_ns = m * t->device_ns + by * update->device_ns;
    t->host_ns = m * t->host_ns + by * update->host_ns;
    t->fixed_ns *= m;
    t->compute_ns *= m;
    t->memory_ns = m * t->memory_ns + by * update->device_ns;
    t->gap_ns *= m;
    t->unknown_ns *= m;
    for (i = 0; i < EC_PHASE_COUNT; i++)
        t->phase_ns[i] *= m;
    t->phase_ns[EC_UPDATE] = by * update->device_ns;
}

static void fill(const struct ec__shard *sh, const struct ec_sharded_time *t,
                 struct ec_prediction *r)
{
    r->bubble_ns = t->bubble_ns;
    r->tensor_ns = t->tensor_ns;
    r->context_ns = t->context_ns;
    r->expert_ns = t->expert_ns;
    r->pipeline_ns = t->pipeline_ns;
    r->gather_ns = t->gather_ns;
    r->reduce_ns = t->reduce_ns;
    r->communication_ns = t->communication_ns;
    r->exposed_ns =
        t->tensor_ns + t->context_ns + t->expert_ns + t->pipeline_ns + t->gather_ns + t->reduce_ns;
    r->wait_ns = t->wait_ns + t->bubble_ns;
    r->stage_blocks = sh->most_blocks;
}

/* 5 and 95 % points of log(measured / predicted) on 408 rows of large models without their source,
 * wider for each doubling beyond their devices (docs/large-models.md). Other jobs have the errors
 * of one device, and these of what is shared. */
#define JOBS_LO (-0.26)
#define JOBS_HI 0.39
#define SHARED_ERROR 0.16
#define MOST_DEVICES 1024
#define WIDEN_PER_DOUBLING 0.25

/* A network of tokens on software that rows have. */
static bool has_rows(const struct ec__query *q)
{
    return q->r->seq_len > 0 && ec_stack_constants(ec_stack_of(&q->shard->how))->rows > 0;
}

enum ec_status ec__sharded(struct ec__query *q, struct ec_err *err)
{
    const struct ec__shard *sh = q->shard;
    struct ec_elem_bytes e = ec_elem_bytes_of(q->o->cond.precision, q->o->cond.master_weights);
    double m = (double)sh->how.accumulation, beyond, by;
    double forward = q->time.phase_ns[EC_FORWARD] / q->time.device_ns;
    double experts = fmin(sh->slowest.expert_params, sh->slowest.params);
    struct ec_step_time update = { 0 };
    struct ec_sharded_job job = { .how = &sh->how,
                                  .strategy =
                                      shares_more(q->o) ? EC_STRATEGY_ddp : ec__strategy_of(q->o),
                                  .data_parallel = sh->data_parallel,
                                  .micro_batches = sh->how.accumulation,
                                  .forward_ns = forward * q->time.step_ns,
                                  .backward_ns = (1 - forward) * q->time.step_ns,
                                  .mean_ns = sh->mean_over_slowest * q->time.step_ns,
                                  .again_frac = sh->again_frac,
                                  .tensor = in_bytes(&sh->slowest.tensor, e.activation),
                                  .context = in_bytes(&sh->slowest.context, e.activation),
                                  .expert = in_bytes(&sh->slowest.expert, e.activation),
                                  .sent_bytes = sh->sent_elems * e.activation,
                                  .updated_bytes = sh->slowest.params * e.weight,
                                  .gather_bytes = gathered_bytes(&sh->slowest, e.activation),
                                  .gradient_bytes = (sh->slowest.params - experts) * e.weight,
                                  .expert_bytes = experts * e.weight,
                                  .parameter_bytes = gathered_bytes(&sh->slowest, e.weight),
                                  .tensors = (double)sh->step.n_param_tensors };
    struct ec_sharded_time t;

    EC_PASS(ec__topology_of(q->t.device, q->o, &job.at, err));
    if (sh->update.n && sh->how.offload)
        EC_PASS(offload_ns(q, ec_topology_inside(&job.at), &job.offload_ns, err));
    else if (sh->update.n)
        ec_step_time(&sh->update, &q->t.plain, &q->p->fitted->c, false, &update);
    job.update_ns = update.step_ns - update.fixed_ns;
    ec_sharded_time(&job, ec_parallel_fitted()->v, ec_sharded_constants, &t);
    fill(sh, &t, q->r);
    q->r->offload_ns = job.offload_ns;
    q->r->machines = (int64_t)ec_topology_machines(&job.at);
    q->r->devices_per_machine = (int64_t)ec_topology_inside(&job.at);
    q->r->network_bytes_per_s = q->r->machines > 1 ? job.at.network_bytes_per_s : 0;
    by = ec_stack_constants(sh->how.stack)->time_factor;
    scale_time(&q->time, m * by, by, &update);
    q->time.step_ns = t.step_ns;
    q->r->scaling_efficiency = (struct ec_interval){ (double)NAN, (double)NAN, (double)NAN };
    beyond = fmax(0, log2((double)count(q->o->devices) / MOST_DEVICES));
    if (beyond > 0)
        ec__warn(q->r, "extrapolating: %lld devices, the most behind the shared jobs are %d",
                 (long long)q->o->devices, MOST_DEVICES);
    beyond = 1 + WIDEN_PER_DOUBLING * beyond;
    q->several = (struct ec__several_width){ .of_jobs = has_rows(q), .adds = true };
    q->several.lo = beyond * (q->several.of_jobs ? JOBS_LO : -SHARED_ERROR);
    q->several.hi = beyond * (q->several.of_jobs ? JOBS_HI : SHARED_ERROR);
    return EC_OK;
}

double ec_flop_share(const struct ec_prediction *r, double flop)
{
    double ns = r->training_ns > 0 ? r->training_ns : r->step_time_ns.p50;

    return r->peak_flop_per_s > 0 ? flop / (ns * 1e-9 * r->peak_flop_per_s) : (double)NAN;
}

/* After fill_devices: the batch is that of all replicas. */
void ec__fill_sharded(const struct ec__query *q)
{
    const struct ec__shard *sh = q->shard;
    struct ec_prediction *r = q->r;
    int64_t of_replica;

    r->is_shared = true;
    r->data_parallel = sh->data_parallel;
    r->micro_batch = ec_graph_batch(q->graph);
    r->micro_batches = sh->how.accumulation;
    r->zero_stage = sh->how.zero;
    of_replica = r->micro_batch * r->micro_batches;
    r->batch_per_device = of_replica;
    r->batch = of_replica * sh->data_parallel;
    fill_flop(q, &sh->macs, (double)(r->micro_batches * sh->data_parallel));
    memcpy(r->ledger_bytes, sh->ledger, sizeof r->ledger_bytes);
    r->fullest_stage = sh->fullest;
}
