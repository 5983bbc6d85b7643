/* Whether a run is as expected: its interval, the time that a speed says, why it is outside. */
#include "predict/predict_internal.h"

const char *const ec_verdict_names[] = { "normal", "slower", "faster", NULL };

enum ec_verdict ec_verdict(const struct ec_interval *i, double measured, double tolerance)
{
    return measured > i->p95 * (1 + tolerance)   ? EC_VERDICT_SLOWER
           : measured < i->p05 / (1 + tolerance) ? EC_VERDICT_FASTER
                                                 : EC_VERDICT_NORMAL;
}

enum ec_verdict ec_judged_verdict(const struct ec_judged *j, double tolerance)
{
    return ec_record_is_memory(j->m) ? EC_VERDICT_NORMAL
                                     : ec_verdict(&j->ns, j->m->time.ns, tolerance);
}

/* ------------------------------------------------------------------------------------------------
 * What to expect */

static enum ec_status expect_network(struct ec_predictor *p, const struct ec_job *job,
                                     struct ec_expected *e, struct ec_err *err)
{
    EC_PASS(ec_predict_network(p, job->model, job->device, &job->opts, &e->r, err));
    e->does.of[EC_SPEED_SAMPLES] = (double)e->r.batch;
    e->does.of[EC_SPEED_TOKENS] = (double)(e->r.batch * e->r.seq_len);
    e->does.of[EC_SPEED_FLOP] = e->r.model_flop;
    if (e->r.has_epoch)
        e->does.of[EC_SPEED_EPOCHS] = e->r.step_time_ns.p50 / e->r.epoch_time_ns.p50;
    return EC_OK;
}

static enum ec_status expect_op(struct ec_predictor *p, const struct ec_job *job,
                                struct ec_expected *e, struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    struct ec_step_need need;
    enum ec_status st;

    EC_TRY(ec_predict_op(p, job->op, job->device, &job->opts, &e->r, err));
    EC_TRY(ec_case_parse(job->op, &c, err));
    EC_TRY(ec_step_of_query(&c.c, &job->opts, &step, err));
    need = ec_step_need(&step, ec_precision_bytes(e->r.precision));
    e->does.of[EC_SPEED_SAMPLES] = (double)e->r.batch;
    e->does.of[EC_SPEED_FLOP] = need.flop;
    e->does.of[EC_SPEED_BYTES] = need.bytes;
out:
    ec_step_clear(&step);
    ec_case_clear(&c);
    return st;
}

static enum ec_status expect_collective(const struct ec_job *job, const struct ec_device *d,
                                        struct ec_expected *e, struct ec_err *err)
{
    struct ec_collective_answer a = { .bytes = job->bytes };

    EC_PASS(ec_predict_collective(d, &job->opts, job->collective, &a, err));
    e->ns = a.ns;
    e->does.of[EC_SPEED_BYTES] = a.time.bus_bytes_per_s * a.time.ns / 1e9;
    return EC_OK;
}

enum ec_status ec_expect(struct ec_predictor *p, struct ec_job *job, struct ec_expected *ret,
                         struct ec_err *err)
{
    struct ec_expected e = { .does = { .of = { [EC_SPEED_STEPS] = 1 } } };
    const struct ec_device *d = NULL;

    EC_PASS(ec_device_find(job->device, &d, err));
    if (job->model)
        EC_PASS(ec_predict_usual(p, job->model, d, &job->opts, err));
    EC_PASS(!job->model && !job->op ? expect_collective(job, d, &e, err)
            : job->op               ? expect_op(p, job, &e, err)
                                    : expect_network(p, job, &e, err));
    if (job->model || job->op)
        e.ns = e.r.step_time_ns;
    e.does.devices = job->opts.devices > 1 ? job->opts.devices : 1;
    *ret = e;
    return EC_OK;
}

enum ec_status ec_step_of_speed(const struct ec_amounts *a, const char *text, double *ret_ns,
                                struct ec_err *err)
{
    struct ec_speed s;
    double amount;

    if (!ec_parse_speed(ec_span_of(text), &s))
        return ec_fail(err, EC_E_INPUT,
                       "found \"%.40s\", expected a time or a speed with its unit, such as 94ms, "
                       "\"680 img/s\", \"12.4k tokens/s\", \"1.35 it/s\" or \"312 TFLOP/s\"",
                       text);
    if (s.kind == EC_SPEED_TIME) {
        *ret_ns = s.value;
        return EC_OK;
    }
    amount = a->of[s.kind];
    if (!(amount > 0) && s.kind == EC_SPEED_EPOCHS)
        return ec_fail(err, EC_E_INPUT,
                       "\"%.40s\" is of an epoch: say of how many samples, --dataset NAME or "
                       "--samples N",
                       text);
    if (!(amount > 0))
        return ec_fail(err, EC_E_INPUT, "\"%.40s\" counts %s, of which such a run has none", text,
                       ec_speed_words[s.kind].counted);
    *ret_ns = 1e9 * amount / s.value / (s.of_each ? (double)a->devices : 1);
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Why it is outside */

enum ec_status ec_expected_causes(struct ec_predictor *p, const struct ec_job *job,
                                  const struct ec_expected *e, double ns, int most,
                                  struct ec_cause *ret, struct ec_err *err)
{
    struct ec_predict_opts opts = job->opts;
    const struct ec_device *d = NULL;
    struct ec_judged judged = { .opts = &opts };
    struct ec_judged_list one = { .v = &judged, .n = 1 };
    struct ec_record m;

    EC_PASS(ec_device_find(job->device, &d, err));
    ec_record_init(&m);
    ec_record_default(&m);
    m.kind = job->model ? EC_KIND_network : job->op ? EC_KIND_operator : EC_KIND_collective;
    m.what = job->model ? job->model : job->op ? job->op : "";
    m.device = job->device;
    m.cond = job->opts.cond;
    if (job->model || job->op)
        m.cond.precision = e->r.precision;
    m.batch = opts.batch = job->model ? e->r.batch_per_device : 0;
    opts.global_batch = 0;
    m.num_devices = e->does.devices;
    m.time = (struct ec_reading){ .ns = ns, .known = true };
    ec__judged_answer(&judged, &e->r);
    judged.m = &m;
    judged.ns = e->ns;
    judged.device = ec_device_key(d);
    judged.card_bytes = ec_device_usable_bytes(d);
    return ec_judged_causes(p, &one, most, ret, err);
}
