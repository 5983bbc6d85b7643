/* Time of a step on several devices.
 *
 * With ddp, gradients are sent in buckets while backward runs: the first bucket is full when its
 * share of backward is done, and the step waits for what is unsent when backward ends, which is at
 * least the last bucket. The slowest of N devices whose times scatter is later by a deviation that
 * grows as the root of log N; M machines add their own. */
#include "model/parallel.h"

#include <assert.h>
#include <math.h>

#include "parallel.inc"

/* PyTorch's default, bucket_cap_mb. */
#define BUCKET_BYTES (25.0 * 1048576)

const char *const ec_strategy_names[] = {
#define STRATEGY_NAME(id, name, help) name,
    EC_STRATEGY_LIST(STRATEGY_NAME)
#undef STRATEGY_NAME
        NULL
};

const struct ec_parallel_constants *ec_parallel_fitted(void)
{
    return &parallel;
}

bool ec_strategy_spans_machines(enum ec_strategy s)
{
    return s != EC_STRATEGY_dp && s != EC_STRATEGY_mirrored;
}

/* All-reduces of the gradients in so many equal buckets, one after the other. */
static void reduce_gradients(const struct ec_parallel_job *q, int buckets, const double *v,
                             struct ec_parallel_time *t)
{
    assert(buckets > 0);
    t->buckets = buckets;
    t->bucket_bytes = q->gradient_bytes / buckets;
    ec_collective_time(EC_COLLECTIVE_all_reduce, &q->at, t->bucket_bytes, v, &t->reduced);
    t->communication_ns = buckets * t->reduced.ns;
}

/* The wait for the slowest device of a machine. */
static double slowest_ns(const struct ec_parallel_job *q, const double *v)
{
    return q->alone_ns * v[EC_P_wait_ddp] * pow(log2(q->at.devices), v[EC_P_wait_power]);
}

double ec_unhidden_ns(double communication_ns, double backward_ns, double buckets)
{
    return communication_ns - fmin(backward_ns, communication_ns) * (1 - 1 / fmax(buckets, 1));
}

double ec_buckets(double bytes)
{
    return ceil(bytes / BUCKET_BYTES);
}

static void time_ddp(const struct ec_parallel_job *q, const double *v, struct ec_parallel_time *t)
{
    if (q->gradient_bytes <= 0)
        return;
    reduce_gradients(q, (int)ec_buckets(q->gradient_bytes), v, t);
    t->exposed_ns = ec_unhidden_ns(t->communication_ns, q->backward_ns, t->buckets);
    t->wait_ns = slowest_ns(q, v) +
                 q->alone_ns * v[EC_P_wait_machines] * (1 - 1 / ec_topology_machines(&q->at));
}

/* DataParallel: one process with a thread per device; Python's interpreter lock runs one at a time.
 * Parameters are sent and gradients gathered while no device computes. */
static void time_dp(const struct ec_parallel_job *q, const double *v, struct ec_parallel_time *t)
{
    double bytes = q->parameter_bytes + q->gradient_bytes;

    t->communication_ns =
        ec_collective_ns(EC_COLLECTIVE_send, &q->at, v[EC_P_traffic_dp] * bytes, v);
    t->exposed_ns = t->communication_ns;
    t->wait_ns = q->at.devices * q->tensors * v[EC_P_tensor_dp_ns];
}

/* MirroredStrategy: one process, which packs all gradients, sends them when backward has ended, and
 * unpacks them. What it issues for that does not grow with the batch. */
static void time_mirrored(const struct ec_parallel_job *q, const double *v,
                          struct ec_parallel_time *t)
{
    if (q->gradient_bytes > 0)
        reduce_gradients(q, 1, v, t);
    t->communication_ns *= v[EC_P_traffic_mirrored];
    t->exposed_ns = t->communication_ns;
    t->wait_ns = v[EC_P_sync_mirrored_ns] + slowest_ns(q, v);
}

void ec_parallel_time(const struct ec_parallel_job *q, const double v[EC_P_COUNT],
                      struct ec_parallel_time *ret)
{
    struct ec_parallel_time t = { 0 };

    if (q->at.devices > 1 && q->strategy == EC_STRATEGY_dp)
        time_dp(q, v, &t);
    else if (q->at.devices > 1 && q->strategy == EC_STRATEGY_mirrored)
        time_mirrored(q, v, &t);
    else if (q->at.devices > 1)
        time_ddp(q, v, &t);
    assert(t.exposed_ns >= 0 && t.exposed_ns <= t.communication_ns && t.wait_ns >= 0);
    t.step_ns = q->alone_ns + t.exposed_ns + t.wait_ns;
    *ret = t;
}

/* ------------------------------------------------------------------------------------------------
 * Runs of the job */

enum ec_status ec_parallel_runs_parse(const char *text, struct ec_parallel_runs *ret,
                                      struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text ? text : ""), one, count;
    struct ec_parallel_runs r = { 0 };
    int64_t devices = 0;
    double ns = 0;

    while (rest.len && ec_span_cut(&rest, ',', &one)) {
        (void)ec_span_cut(&one, '=', &count);
        if (!ec_parse_int(ec_span_trim(count), &devices) || devices < 1 ||
            !ec_parse_duration(ec_span_trim(one), &ns))
            return ec_fail(err, EC_E_INPUT,
                           "--from-run: found \"%.60s\", expected DEVICES=TIME such as 2=48.5ms",
                           text);
        if (devices == 1 ? r.alone_ns > 0 : r.several_ns > 0)
            return ec_fail(
                err, EC_E_INPUT,
                "--from-run: \"%.60s\" has two runs on %s, expected one on one device and "
                "one on several at most",
                text, devices == 1 ? "one device" : "several devices");
        if (devices == 1) {
            r.alone_ns = ns;
        } else {
            r.several_ns = ns;
            r.devices = (double)devices;
        }
    }
    *ret = r;
    return EC_OK;
}

double ec_parallel_from_runs(const struct ec_parallel_job *q, const struct ec_parallel_runs *runs,
                             const double v[EC_P_COUNT])
{
    struct ec_parallel_job at = *q;
    struct ec_parallel_time here, there;
    double beyond;

    if (runs->alone_ns > 0)
        at.alone_ns = runs->alone_ns;
    ec_parallel_time(&at, v, &here);
    if (runs->several_ns <= 0)
        return here.step_ns;
    at.at.devices = runs->devices;
    ec_parallel_time(&at, v, &there);
    if (runs->alone_ns <= 0)
        return runs->several_ns * here.step_ns / there.step_ns;
    /* Where several devices were faster than one alone, the cost beyond one device is taken as 0.
     */
    beyond = fmax(0, runs->several_ns - runs->alone_ns);
    return runs->several_ns +
           beyond * ((here.step_ns - at.alone_ns) / (there.step_ns - at.alone_ns) - 1);
}
