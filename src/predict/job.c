/* From a step to a job: epochs, cost, and whether the memory suffices. */
#include "predict/query.h"

#include <math.h>
#include <string.h>

#include "dataset/dataset.h"

/* Tokens of one sample: the option's, else the network's. */
int64_t ec__sequence_length(const struct ec_graph *g, const struct ec_predict_opts *o)
{
    return o->seq_len > 0 && g->sizes & EC_SIZE_SEQ_LEN ? o->seq_len : ec_graph_tokens(g);
}

int64_t ec_tokens_of_network(const char *model)
{
    struct ec_graph *g = NULL;
    int64_t n;

    if (ec_graph_open(model, NULL, &g, NULL))
        return 0;
    n = ec_graph_tokens(g);
    ec_graph_free(g);
    return n;
}

int64_t ec__image_side(const struct ec_graph *g)
{
    const struct ec_type *t = g->n_inputs ? &g->values[g->inputs[0]]->type : NULL;

    if (!t || t->shape.rank != 4 || t->shape.d[2] != t->shape.d[3])
        return 0;
    return g->image_px ? g->image_px : t->shape.d[2]; /* the input may be a latent image */
}

/* The samples of a data set of tokens: sequences of seq_len. */
static enum ec_status token_samples(const struct ec_dataset *d, int64_t seq_len, int64_t *ret,
                                    struct ec_err *err)
{
    if (seq_len < 1)
        return ec_fail(err, EC_E_INPUT,
                       "data set %s is a stream of tokens and the network's sequence length is not "
                       "known: give --seq-len or --samples",
                       d->key);
    if (seq_len > d->train)
        return ec_fail(err, EC_E_INPUT,
                       "data set %s has %lld tokens, less than one sequence of %lld", d->key,
                       (long long)d->train, (long long)seq_len);
    *ret = d->train / seq_len;
    return EC_OK;
}

/* Errors: INPUT for images to a network of tokens, and the other way round */
static enum ec_status check_samples(const struct ec_graph *g, const struct ec_dataset *d,
                                    struct ec_err *err)
{
    const struct ec_type *t = g->n_inputs ? &g->values[g->inputs[0]]->type : NULL;
    bool images = d->kind == EC_SAMPLE_IMAGE, takes_tokens;

    if (!t || (!images && d->kind != EC_SAMPLE_TOKEN))
        return EC_OK;
    takes_tokens = t->shape.rank == 2 && !ec_dtype_is_float(t->dtype);
    if (images ? !takes_tokens : t->shape.rank != 4)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "data set %s has %s, but %s takes %s", d->key,
                   images ? "images" : "tokens", g->name, images ? "tokens" : "images");
}

/* Images that are enlarged or reduced by more cost other than their data set is known for. */
#define SIDE_RATIO 2

static void warn_images(const struct ec__query *q, const struct ec_dataset *d)
{
    int64_t side = ec__image_side(q->graph), own = d->shape[1];

    if (d->kind != EC_SAMPLE_IMAGE || d->rank != 3 || side < 1 ||
        (side < SIDE_RATIO * own && own < SIDE_RATIO * side))
        return;
    ec__warn(q->r, "images of %s are %lld x %lld, the network takes %lld x %lld%s", d->key,
             (long long)d->shape[2], (long long)own, (long long)side, (long long)side,
             q->graph->sizes & EC_SIZE_IMAGE ? ": --image sets the size" : "");
}

static enum ec_status epoch_samples(const struct ec__query *q, int64_t *ret, struct ec_err *err)
{
    const struct ec_predict_opts *o = q->o;
    int64_t seq_len = ec__sequence_length(q->graph, o);
    const struct ec_dataset *d = NULL;

    *ret = o->samples;
    if (o->tokens && seq_len < 1)
        return ec_fail(err, EC_E_INPUT, "--tokens: %s does not take tokens; give --samples",
                       q->graph->name);
    if (o->tokens)
        *ret = (o->tokens + seq_len - 1) / seq_len;
    if (o->steps && !ec_mul_i64(o->steps, q->r->batch, ret))
        return ec_fail(err, EC_E_INPUT, "--steps: %lld of %lld samples are too many",
                       (long long)o->steps, (long long)q->r->batch);
    if (!o->dataset || !*o->dataset)
        return EC_OK;
    EC_PASS(ec_dataset_find(o->dataset, &d, err));
    EC_PASS(check_samples(q->graph, d, err));
    warn_images(q, d);
    *ret = d->train;
    if (d->kind == EC_SAMPLE_TOKEN)
        EC_PASS(token_samples(d, seq_len, ret, err));
    return EC_OK;
}

/* Epochs of the job; 0: there is none. Samples that are no epoch's are those of the job. */
static int64_t job_epochs(const struct ec_predict_opts *o)
{
    return !o->epochs && ec_has_amount(o) ? 1 : o->epochs;
}

static void fill_cost(const struct ec_predict_opts *o, struct ec_prediction *r)
{
    r->has_cost = o->usd_per_hour > 0;
    if (r->has_cost)
        r->cost_usd = ec__times(r->has_job ? r->job_time_ns : r->epoch_time_ns,
                                o->usd_per_hour * (double)(r->devices + r->generators) / 3600e9);
}

/* ns of a sample, of "800" samples per second, or of workers and the time of a sample: "8x10ms".
 * Without workers, "0x10ms", the loop itself loads, and the step waits. */
static enum ec_status sample_ns(const char *text, double *ret, bool *ret_serial, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), workers;
    double n = 0;

    *ret_serial = false;
    if (ec_parse_double(ec_span_trim(rest), &n) && n > 0) {
        *ret = 1e9 / n;
        return EC_OK;
    }
    if (ec_span_cut(&rest, 'x', &workers) && rest.p && ec_parse_double(ec_span_trim(workers), &n) &&
        n >= 0 && ec_parse_duration(ec_span_trim(rest), ret)) {
        *ret_serial = n == 0;
        *ret /= n > 0 ? n : 1;
        return EC_OK;
    }
    return ec_fail(err, EC_E_INPUT,
                   "--loader: found \"%.60s\", expected samples per second such as 800, or workers "
                   "and the time of a sample such as 8x10ms; 0x10ms is loaded in the loop",
                   text);
}

/* Workers load beside the step, which takes as long as they do; else the step comes after it. */
static double after_loading(const struct ec_prediction *r, double step_ns)
{
    return r->loader_serial ? step_ns + r->loader_ns : fmax(step_ns, r->loader_ns);
}

/* Scaling where each loads before its step. NAN where the loader sets the pace: what more devices
 * bring is its own.
 * alone_ns  of loading, with one device */
static double loading_efficiency(const struct ec_prediction *r, double efficiency, double alone_ns)
{
    double step_ns = r->step_time_ns.p50;

    if (!r->loader_serial)
        return r->limit == EC_LIMIT_LOADER ? (double)NAN : efficiency;
    return (efficiency * step_ns + alone_ns) / (step_ns + r->loader_ns);
}

enum ec_status ec__wait_for_loader(const struct ec__query *q, struct ec_err *err)
{
    struct ec_prediction *r = q->r;
    struct ec_interval *step = &r->step_time_ns, *e = &r->scaling_efficiency;
    bool each = ec_strategy_spans_machines(ec__strategy_of(q->o)); /* a process for each device */
    double ns = 0, alone;

    if (!q->o->loader || !*q->o->loader)
        return EC_OK;
    EC_PASS(sample_ns(q->o->loader, &ns, &r->loader_serial, err));
    alone = ns * (double)r->batch_per_device;
    r->loader_ns = r->loader_serial && each ? alone : ns * (double)r->batch;
    if (r->loader_ns > step->p50)
        r->limit = EC_LIMIT_LOADER;
    if (r->devices > 1)
        *e = (struct ec_interval){ loading_efficiency(r, e->p05, alone),
                                   loading_efficiency(r, e->p50, alone),
                                   loading_efficiency(r, e->p95, alone) };
    *step = (struct ec_interval){ after_loading(r, step->p05), after_loading(r, step->p50),
                                  after_loading(r, step->p95) };
    r->samples_per_s = ec__rate_of(*step, (double)r->batch);
    return EC_OK;
}

/* The parts of a job beside its training. forward: of a step; NULL: no evaluation */
enum ec_status ec__fill_job(const struct ec__query *q, const struct ec_prediction *forward,
                            struct ec_err *err)
{
    const struct ec_predict_opts *o = q->o;
    struct ec_prediction *r = q->r;
    double rate = 0, parts;

    if (!r->has_job)
        return EC_OK;
    if (forward)
        r->evaluation_ns =
            ceil((double)o->eval_samples / (double)forward->batch) * forward->step_time_ns.p50;
    if (o->checkpoint_rate && *o->checkpoint_rate) {
        if (!ec_parse_byte_rate(ec_span_of(o->checkpoint_rate), &rate))
            return ec_fail(
                err, EC_E_INPUT,
                "--checkpoint-rate: found \"%.60s\", expected a rate with its unit, such as 2GB/s",
                o->checkpoint_rate);
        r->checkpoint_ns = 1e9 * r->checkpoint_bytes / rate;
    }
    if (o->start && *o->start && !ec_parse_duration(ec_span_of(o->start), &r->start_ns))
        return ec_fail(err, EC_E_INPUT, "--start: found \"%.60s\", expected a time such as 90s",
                       o->start);
    parts = r->start_ns + (double)job_epochs(o) * (r->evaluation_ns + r->checkpoint_ns);
    r->job_time_ns.p05 += parts;
    r->job_time_ns.p50 += parts;
    r->job_time_ns.p95 += parts;
    EC_PASS(ec__add_restarts(q, rate, err));
    fill_cost(o, r);
    return EC_OK;
}

/* Parameters that are trained with their states and copies, and running statistics. */
static double checkpoint_bytes(const struct ec__query *q)
{
    const struct ec_conditions *c = &q->o->cond;
    struct ec_elem_bytes e = q->memory.bytes;
    double states = ec_optimizer_state_bytes(c->optimizer, e.state, q->memory.hidden_frac) +
                    (e.state > e.weight ? e.state : 0);
    double bytes = 0;
    int i;

    for (i = 0; i < q->graph->n_values; i++) {
        const struct ec_value *v = q->graph->values[i];

        if (v->kind == EC_V_PARAM && v->trainable)
            bytes += (double)ec_type_elems(&v->type) * (e.weight + states);
        else if (v->kind == EC_V_PARAM && q->o->parallel.tuning == EC_TUNING_FULL)
            bytes += (double)ec_type_elems(&v->type) * e.weight;
    }
    return bytes;
}

/* An epoch has ceil(samples / batch) steps; the last one counts as a whole step. */
enum ec_status ec__fill_epoch(const struct ec__query *q, struct ec_err *err)
{
    const struct ec_predict_opts *o = q->o;
    struct ec_prediction *r = q->r;
    int64_t samples = 0;
    double steps;

    EC_PASS(epoch_samples(q, &samples, err));
    if (!samples)
        return EC_OK;
    if (r->batch > samples)
        ec__warn(r, "batch %lld is larger than the %lld samples of an epoch", (long long)r->batch,
                 (long long)samples);
    steps = ceil((double)samples / (double)r->batch);
    r->has_epoch = true;
    r->epoch_time_ns = ec__times(r->step_time_ns, steps);
    r->has_job = job_epochs(o) > 0;
    if (r->has_job)
        r->job_time_ns = ec__times(r->epoch_time_ns, (double)job_epochs(o));
    if (r->has_job) /* here, for an evaluation takes another graph */
        r->checkpoint_bytes = checkpoint_bytes(q);
    fill_cost(o, r);
    return EC_OK;
}

/* Interval of the allocator's peak, from that of what the step needs. The lower end is lower by the
 * same factor, the upper end higher by the same bytes, such as those of an uncounted workspace. So
 * no point is above what is needed, nor above the device's peak. */
static struct ec_interval part_of_need(double allocated, double total,
                                       const struct ec_interval *need)
{
    double p50 = need->p50 * (allocated / total);

    return (struct ec_interval){ p50 * (need->p05 / need->p50), p50,
                                 p50 + (need->p95 - need->p50) };
}

static struct ec_interval peak_on(const struct ec_interval *need, const struct ec_interval *total,
                                  double capacity)
{
    return (struct ec_interval){ ec_memory_on(need->p05, total->p05, capacity),
                                 ec_memory_on(need->p50, total->p50, capacity),
                                 ec_memory_on(need->p95, total->p95, capacity) };
}

/* Resident before the first tensor: PyTorch 1.13 of Debian 12 has 226 MiB after its import. */
#define PROCESS_BYTES 0.25e9

/* A processor has no context and no cuDNN, only the process. */
static struct ec_memory_constants memory_constants(const struct ec__query *q)
{
    struct ec_memory_constants c = q->p->fitted->memory;

    if (q->t.device->kind == EC_DEV_CPU) {
        c.base_bytes = c.convolution_bytes = 0;
        c.context_bytes = PROCESS_BYTES;
    } else {
        c.context_bytes += ec_communicator_bytes(q->shard ? &q->shard->how : &q->o->parallel,
                                                 (double)q->o->devices);
    }
    return c;
}

/* 5 and 95 % points of log(measured / predicted) on the readings of docs/large-models.md. */
static const struct ec_width of_large_models = { -0.13, 0, 0.27, 117 };

static const struct ec_width *memory_width(const struct ec__query *q)
{
    bool is_fitted = ec_memory_is_fitted(q->o->cond.framework) && q->t.device->kind != EC_DEV_CPU;

    if (q->shard && q->r->seq_len > 0)
        return &of_large_models;
    return &q->p->fitted->width[EC_W_memory][is_fitted ? 0 : 1];
}

/* Peak of the device of a job's first stage. */
static double memory_of_first(const struct ec__query *q)
{
    struct ec_memory_constants c = memory_constants(q);
    const struct ec_memory *m = &q->shard->first_memory;

    return ec_memory_on(ec_memory_need(m, &c), ec_memory_total(m, &c),
                        ec_device_usable_bytes(q->t.device)) *
           exp(memory_width(q)->mid);
}

/* Gradients packed for communication, and the reference model. */
static double further(const struct ec__query *q)
{
    return (q->o->devices > 1 && !q->shard ? q->memory.gradients : 0) + ec__reference_bytes(q);
}

struct ec_interval ec__memory_needed(const struct ec__query *q)
{
    struct ec_memory_constants c = memory_constants(q);

    return ec__spread(ec_memory_need(&q->memory, &c) + further(q), memory_width(q), 1);
}

/* Memory of one device. Returns what the step needs. */
static struct ec_interval fill_peaks(const struct ec__query *q, double capacity)
{
    struct ec_memory_constants c = memory_constants(q);
    double own = q->t.own_memory;
    struct ec_interval need = ec__memory_needed(q);
    struct ec_interval total =
        ec__spread(ec_memory_total(&q->memory, &c) + further(q), memory_width(q), 1);

    if (own > 0) {
        need = (struct ec_interval){ own, own, own };
        q->r->memory_peak_bytes = q->r->allocator_peak_bytes = need;
        return need;
    }
    q->r->memory_peak_bytes = peak_on(&need, &total, capacity);
    q->r->allocator_peak_bytes =
        part_of_need(ec_allocator_total(&q->memory, &c) + further(q), need.p50, &need);
    return need;
}

/* Drivers of GeForce cards on Windows put what does not fit into the host's memory (NVIDIA since
 * 536.40); each step fetches it and brings it back. */
static void warn_spill(const struct ec__query *q, double over)
{
    const struct ec_device *d = q->t.device;
    struct ec_reach host = { 0 };
    double ns;
    char more[32];

    if (q->o->devices > 1 || !strstr(d->name, "GeForce") ||
        ec_device_reach(d, EC_LINK_pcie, 1, &host, NULL) || !(host.bytes_per_s > 0))
        return;
    ns = 2e9 * over / (host.bytes_per_s * ec_sharded_constants[EC_S_host_link]);
    ec__warn(q->r,
             "on Windows the driver puts the %.1f GiB that do not fit into the host's memory: each "
             "step takes %s more at least, for the way there and back",
             over / 0x1p30, ec_fmt_ns(more, sizeof more, ns));
}

/* Gradients come as activations go: where the peak has no room for all of both, what is left of
 * activations is given. */
void ec__fill_memory(const struct ec__query *q)
{
    const struct ec_memory *m = &q->memory;
    double capacity = ec_device_usable_bytes(q->t.device);
    struct ec_prediction *r = q->r;
    struct ec_interval need = fill_peaks(q, capacity);
    double beside;

    r->has_memory = true;
    r->memory_needed_bytes = need;
    if (q->shard)
        r->first_rank_bytes = memory_of_first(q);
    r->weights_bytes = m->weights;
    r->gradients_bytes = m->gradients;
    r->optimizer_bytes = m->optimizer;
    beside = r->memory_peak_bytes.p50 - m->weights - m->gradients - m->optimizer;
    r->activations_bytes = fmax(0, fmin(m->activations + m->input, beside));
    r->overhead_bytes = fmax(0, beside - r->activations_bytes - r->reference_bytes);
    r->fits_probability = -1;
    if (!(capacity > 0))
        return;
    r->fits = need.p50 <= capacity;
    r->fits_probability = ec_interval_below(&need, capacity);
    if (!r->fits)
        warn_spill(q, need.p50 - capacity);
    if (r->fits_probability < 0.1)
        ec__warn(r, "does not fit: about %.1f GiB of %.1f GiB", need.p50 / 0x1p30,
                 capacity / 0x1p30);
    else if (r->fits_probability < EC_SURE)
        ec__warn(r, "may not fit: %.1f to %.1f GiB of %.1f GiB", need.p05 / 0x1p30,
                 need.p95 / 0x1p30, capacity / 0x1p30);
}
