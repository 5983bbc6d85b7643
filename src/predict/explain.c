/* What each stage of a prediction did, in the words of docs/time-model.md, and as JSON. */
#include "predict/query.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Adds a row to the explanation. after: the time of each kind of kernel after the stage; NULL: it
 * times none. */
static struct ec_explained *tell(struct ec_explanation *why, const char *stage,
                                 const struct ec_step_time *after)
{
    struct ec_explained *e = &why->row[why->n < EC_EXPLAINED_MAX - 1 ? why->n++ : why->n];

    e->stage = stage;
    e->timed = after != NULL;
    if (after)
        memcpy(e->kind_ns, after->class_ns, sizeof e->kind_ns);
    return e;
}

static void kernels_after(struct ec_explanation *why, const struct ec__query *q)
{
    const struct ec_step_time *t = &q->time;

    memcpy(why->launches, t->class_launches, sizeof why->launches);
    why->issued = t->issued;
    why->cast_ns = t->cast_ns;
    why->gap_ns = t->gap_ns;
    why->device_ns = q->op ? t->step_ns : t->device_ns;
}

static double repeats(const struct ec_step *s, int i)
{
    return s->repeat ? s->repeat[i] : 1;
}

static double framework_constant(const struct ec__query *q, enum ec_framework_theta_index i)
{
    return q->p->fitted->c.framework[q->o->cond.framework][i];
}

static const char *framework_name(const struct ec__query *q)
{
    return ec_framework_keys[q->o->cond.framework];
}

void ec__explain_kernels(const struct ec__query *q, struct ec_explanation *why)
{
    struct ec_explained *e = tell(why, "kernels", NULL);
    const struct ec_step *s = q->step;
    double elem = ec_precision_bytes(q->o->cond.precision), flop = 0, bytes = 0;
    char flop_text[32], bytes_text[32], casts[64] = "";
    struct ec__query spec = *q;
    int i;

    for (i = 0; i < s->n; i++) {
        why->flop[s->kernel[i].kclass] += repeats(s, i) * s->kernel[i].flop;
        flop += repeats(s, i) * s->kernel[i].flop;
        bytes += repeats(s, i) * ec_kernel_bytes(&s->kernel[i], elem);
    }
    if (q->t.by_layers)
        spec.time = q->composed.time;
    else
        ec__time_parts(&spec, &q->t.plain, false);
    if (spec.time.issued > spec.time.launches)
        (void)ec_snprintf(casts, sizeof casts, ", %.1f of them casts",
                          spec.time.issued - spec.time.launches);
    (void)ec_snprintf(e->text, sizeof e->text, "%.1f %s%s, with %sFLOP and %sB, are counted",
                      spec.time.issued,
                      !q->t.by_layers ? "launches"
                      : q->op         ? "tasks"
                                      : "tasks of a step",
                      casts, ec_fmt_si(flop_text, sizeof flop_text, flop),
                      ec_fmt_si(bytes_text, sizeof bytes_text, bytes));
}

/* "312 TFLOP/s (products and convolutions) or 19.5 TFLOP/s (others)" */
static void tell_rates(double products, double others, char *out, size_t size)
{
    char of_products[32], of_others[32];

    (void)ec_fmt_si(of_products, sizeof of_products, products);
    (void)ec_fmt_si(of_others, sizeof of_others, others);
    if (ec_str_eq(of_products, of_others))
        (void)snprintf(out, size, "%sFLOP/s", of_products);
    else
        (void)snprintf(out, size, "%sFLOP/s (products and convolutions) or %sFLOP/s (others)",
                       of_products, of_others);
}

void ec__explain_paper(const struct ec__query *q, struct ec_explanation *why)
{
    const struct ec_device *d = q->t.device;
    enum ec_precision p = q->o->cond.precision;
    struct ec_step_time paper = { 0 };
    char rates[128], bytes[32];
    struct ec_explained *e;
    int i;

    for (i = 0; i < q->step->n; i++) {
        struct ec_step one = { .n = 1, .kernel = q->step->kernel + i };

        paper.class_ns[one.kernel->kclass] +=
            repeats(q->step, i) * ec_plain_estimate(&one, d, p).roofline_ns;
    }
    e = tell(why, "paper", &paper);
    tell_rates(ec_paper_peak(d, p, true), ec_paper_peak(d, p, false), rates, sizeof rates);
    (void)ec_snprintf(
        e->text, sizeof e->text,
        "each kernel takes the longer of its FLOP at %s and its bytes at %sB/s, as in "
        "the data sheet",
        rates, ec_fmt_si(bytes, sizeof bytes, d->memory_bytes_per_s.value));
}

/* "; to start, a convolution takes 4.66 us": by the kinds of kernel of the query. */
static void tell_starts(const struct ec__query *q, const struct ec_step_time *t, char *out,
                        size_t size)
{
    static const struct {
        enum ec_kclass kclass;
        enum ec_theta_index start;
        const char *what;
    } starts[] = {
        {EC_K_CONV,  EC_T_conv_start_ns,   "a convolution"       },
        { EC_K_GEMM, EC_T_matrix_start_ns, "a product"           },
        { EC_K_NORM, EC_T_norm_start_ns,   "a norm of two passes"},
        { EC_K_RNN,  EC_T_rnn_start_ns,    "a recurrent layer"   },
    };
    bool cpu = q->t.device->kind == EC_DEV_CPU;
    char each[32];
    size_t len = 0;
    int i;

    out[0] = '\0';
    for (i = 0; i < EC_LEN(starts) && !cpu; i++)
        if (t->class_launches[starts[i].kclass] > 0)
            len += (size_t)ec_snprintf(
                out + len, size - len, len ? ", %s %s" : "; to start, %s takes %s", starts[i].what,
                ec_fmt_ns(each, sizeof each, q->p->fitted->c.theta[starts[i].start]));
}

/* "; products within a network x1.189, pytorch-2 as a whole x0.974": factors on many kernels. */
static void tell_whole(const struct ec__query *q, const struct ec_rates *r, char *out, size_t size)
{
    out[0] = '\0';
    if (!q->op)
        (void)ec_snprintf(out, size, "; products within a network x%.3f, %s as a whole x%.3f",
                          r->tensor ? q->p->fitted->c.theta[EC_T_network_matrix] : 1,
                          framework_name(q), framework_constant(q, EC_FWT_speed));
}

static void law_of_layers(const struct ec__query *q, struct ec_explanation *why)
{
    struct ec_step_time law = { 0 };
    struct ec_explained *e;

    memcpy(law.class_ns, q->composed.law_ns, sizeof law.class_ns);
    e = tell(why, "law", &law);
    (void)ec_snprintf(e->text, sizeof e->text,
                      "each task takes the longer of its FLOP and its bytes at the rates that were "
                      "measured on this machine (docs/local.md)");
}

/* By the specification alone, without the offsets of the device. */
void ec__explain_law(const struct ec__query *q, struct ec_explanation *why)
{
    const struct ec_device *d = q->t.device;
    struct ec_fitted bare = ec_fitted_bare(q->p->fitted);
    char starts[200], whole[96], rates[128], bytes[32];
    double none[EC_DO_COUNT];
    struct ec__query spec = *q;
    struct ec_explained *e;
    struct ec_rates r;

    if (q->t.by_layers) {
        law_of_layers(q, why);
        return;
    }
    ec_fitted_offset(&bare, d, &q->o->cond, q->op ? q->op->op : NULL, none);
    if (ec_rates_init(&r, d, &q->o->cond, &q->p->fitted->c, none, NULL) ||
        ec_rates_use(&r, d, q->t.plain.attention, q->o->parallel.products, NULL))
        return;
    r.copy_bytes = q->t.plain.copy_bytes;
    ec__time_parts(&spec, &r, false);
    e = tell(why, "law", &spec.time);
    tell_rates(r.matrix_flop_per_s, r.vector_flop_per_s, rates, sizeof rates);
    tell_starts(q, &spec.time, starts, sizeof starts);
    tell_whole(q, &r, whole, sizeof whole);
    (void)ec_snprintf(
        e->text, sizeof e->text,
        "with tiles, rounds, bytes moved and caches, kernels of this kind take so many "
        "times as long; the rates before that: %s, %sB/s%s%s",
        rates, ec_fmt_si(bytes, sizeof bytes, r.bytes_per_s), starts, whole);
}

void ec__explain_offset(const struct ec__query *q, struct ec_explanation *why)
{
    struct ec_explained *e = tell(why, "offset", &q->time);
    const struct ec_device *d = q->t.device;
    double offset[EC_DO_COUNT];
    char arch[EC_ARCH_BYTES];

    ec_fitted_offset(q->p->fitted, d, &q->o->cond, q->op ? q->op->op : NULL, offset);
    ec_arch_key(d, arch);
    (void)ec_snprintf(
        e->text, sizeof e->text,
        "of the device from its specification: arithmetic x%.3f, memory x%.3f, above 1 is slower; "
        "by the number of sources that measured architecture %s (%d) and this product (%d); %d "
        "rows of networks and %d of operators are of this device",
        exp(offset[EC_DO_COMPUTE]), exp(offset[EC_DO_MEMORY]), arch,
        ec_fitted_arch_sources(q->p->fitted, arch),
        ec_fitted_sources(q->p->fitted, ec_device_measured_as(d)),
        q->t.fit ? q->t.fit->n_networks : 0, q->t.fit ? q->t.fit->n_operators : 0);
    kernels_after(why, q);
}

/* "; forward x1.039, grad_data x1.021": of operators each phase has its own. */
static void tell_phases(const struct ec__query *q, char *out, size_t size)
{
    size_t len = 0;
    int i;

    out[0] = '\0';
    for (i = 0; i < q->n_parts; i++)
        len += (size_t)ec_snprintf(out + len, size - len, "%s%s x%.3f", i ? ", " : "; ",
                                   q->n_parts > 1 ? ec_phase_name(q->part[i].step.kernel[0].phase)
                                                  : "as a whole",
                                   q->part[i].correction);
}

void ec__explain_correction(const struct ec__query *q, struct ec_explanation *why)
{
    struct ec_explained *e = tell(why, "correction", &q->time);
    char phases[160];

    tell_phases(q, phases, sizeof phases);
    (void)ec_snprintf(e->text, sizeof e->text,
                      "by trees and neural networks, from the residuals of the laws on measured "
                      "rows%s",
                      phases);
    kernels_after(why, q);
}

void ec__explain_profile(const struct ec__query *q, struct ec_explanation *why)
{
    const struct ec_profile *profile = q->t.profile;
    struct ec_explained *e = tell(why, "profile", &q->time);
    int64_t rows = profile->n_operators + profile->n_networks;
    char sum[32];

    kernels_after(why, q);
    if (q->t.by_layers) {
        (void)ec_snprintf(e->text, sizeof e->text,
                          "each task is corrected by layers that were measured on this machine; "
                          "the %s is the sum of its tasks: %s",
                          q->op ? "time" : "step", ec_fmt_ns(sum, sizeof sum, q->time.step_ns));
        e->step_ns = q->time.step_ns;
        return;
    }
    (void)ec_snprintf(e->text, sizeof e->text,
                      "%lld measured %s: arithmetic x%.3f, memory x%.3f, launches x%.3f; "
                      "residuals of rows nearby x%.3f, on the whole step, in the interval",
                      (long long)rows, rows == 1 ? "row" : "rows",
                      exp(profile->change[EC_DO_COMPUTE]), exp(profile->change[EC_DO_MEMORY]),
                      exp(profile->change[EC_DO_LAUNCH]), exp(q->near));
}

static void call_gaps(const struct ec__query *q, struct ec_explained *e)
{
    char plain[32], gap[32], sum[32], kernels[32];
    double plain_ns = 0;
    int i;

    for (i = 0; i < q->n_parts; i++)
        plain_ns = fmax(plain_ns, q->part[i].plain.gap_ns);
    (void)ec_snprintf(e->text, sizeof e->text,
                      "a call takes %s beside its kernels, once, with the factors of its phase "
                      "x%.3f: %s; with %s of kernels it takes %s",
                      ec_fmt_ns(plain, sizeof plain, plain_ns),
                      plain_ns > 0 ? q->time.gap_ns / plain_ns : 1,
                      ec_fmt_ns(gap, sizeof gap, q->time.gap_ns),
                      ec_fmt_ns(kernels, sizeof kernels, q->time.device_ns),
                      ec_fmt_ns(sum, sizeof sum, q->time.step_ns));
}

void ec__explain_gaps(const struct ec__query *q, struct ec_explanation *why)
{
    struct ec_explained *e = tell(why, "gaps", NULL);
    const struct ec_step_time *t = &q->time;
    double speed = framework_constant(q, EC_FWT_speed);
    char each[32], gaps[32], kernels[32], casts[64] = "", cast[32], sum[32];

    if (q->op) {
        call_gaps(q, e);
        return;
    }
    if (t->cast_ns > 0)
        (void)ec_snprintf(casts, sizeof casts, " and %s of casts",
                          ec_fmt_ns(cast, sizeof cast, t->cast_ns));
    (void)ec_snprintf(
        e->text, sizeof e->text,
        "%.0f launches x %s x %.3f for %s = %s; with %s of kernels%s the device takes %s",
        t->issued, ec_fmt_ns(each, sizeof each, t->gap_ns / t->issued / speed), speed,
        framework_name(q), ec_fmt_ns(gaps, sizeof gaps, t->gap_ns),
        ec_fmt_ns(kernels, sizeof kernels, t->device_ns - t->gap_ns - t->cast_ns), casts,
        ec_fmt_ns(sum, sizeof sum, t->device_ns));
}

void ec__explain_host(const struct ec__query *q, struct ec_explanation *why)
{
    struct ec_explained *e = tell(why, "host", NULL);
    const struct ec_step_time *t = &q->time;
    char each[32], update[64] = "", host[32];

    if (t->phase_ns[EC_UPDATE] > 0)
        (void)snprintf(update, sizeof update, " + %s for the update",
                       ec_fmt_ns(each, sizeof each, framework_constant(q, EC_FWT_update_ns)));
    (void)ec_snprintf(e->text, sizeof e->text,
                      "(%.0f calls x %s%s) x %.3f for the host x %.3f for %s = %s", t->calls,
                      ec_fmt_ns(each, sizeof each, framework_constant(q, EC_FWT_dispatch_ns)),
                      update, q->t.rates.launch_factor, framework_constant(q, EC_FWT_speed),
                      framework_name(q), ec_fmt_ns(host, sizeof host, t->host_ns));
}

void ec__explain_step(const struct ec__query *q, struct ec_explanation *why)
{
    struct ec_explained *e = tell(why, "step", NULL);
    const struct ec_step_time *t = &q->time;
    double share = ec_host_share(q->p->fitted->c.theta);
    const char *fixed =
        q->o->cond.input_copy ? "bookkeeping and the copy of the input" : "bookkeeping";
    char more[32], less[32], other[32], step[32];

    e->step_ns = t->step_ns;
    (void)ec_fmt_ns(more, sizeof more, fmax(t->device_ns, t->host_ns));
    (void)ec_fmt_ns(other, sizeof other, t->fixed_ns);
    (void)ec_fmt_ns(step, sizeof step, t->step_ns);
    if (t->host_ns > 0)
        (void)ec_snprintf(e->text, sizeof e->text,
                          "the longer of device and host, %.3f of the shorter, and %s: %s + %.3f x "
                          "%s + %s = %s",
                          share, fixed, more, share,
                          ec_fmt_ns(less, sizeof less, fmin(t->device_ns, t->host_ns)), other,
                          step);
    else
        (void)ec_snprintf(e->text, sizeof e->text, "the device, and %s: %s + %s = %s", fixed, more,
                          other, step);
}

/* "; 4 all-reduces of 24.4 MiB by a ring: 271 us each, 43.0 us of it latency, 165 GB/s" */
static const char *reductions(const struct ec_prediction *r, char *out, size_t size)
{
    char bytes[32], each[32], latency[32], rate[32];
    int i = ec_name_index(ec_algorithm_names, EC_ALGORITHM_COUNT, r->algorithm);

    *out = '\0';
    if (r->reductions && i >= 0)
        (void)snprintf(out, size, "; %lld all-reduce%s of %s by %s: %s%s, %s of it latency, %sB/s",
                       (long long)r->reductions, r->reductions > 1 ? "s" : "",
                       ec_fmt_bytes(bytes, sizeof bytes, r->reduction_bytes), ec_algorithm_said[i],
                       ec_fmt_ns(each, sizeof each, r->reduction_ns),
                       r->reductions > 1 ? " each" : "",
                       ec_fmt_ns(latency, sizeof latency, r->reduction_latency_ns),
                       ec_fmt_si(rate, sizeof rate, r->reduction_bytes_per_s));
    return out;
}

/* What the fullest device holds. */
static void ledger_text(const struct ec_prediction *r, char *out, size_t size)
{
    static const char *const labels[] = {
#define LEDGER_LABEL(id, key, label) label,
        EC_LEDGER_LIST(LEDGER_LABEL)
#undef LEDGER_LABEL
    };
    char bytes[32];
    size_t len = 0;
    int i;

    out[0] = '\0';
    for (i = 0; i < EC_LEDGER_COUNT; i++)
        if (r->ledger_bytes[i] > 0)
            len += (size_t)ec_snprintf(out + len, size - len, "%s%s %s", len ? ", " : "", labels[i],
                                       ec_fmt_bytes(bytes, sizeof bytes, r->ledger_bytes[i]));
}

static void explain_shared(const struct ec__query *q, struct ec_explanation *why)
{
    const struct ec_prediction *r = q->r;
    enum ec_stack stack = q->shard->how.stack;
    const struct ec_stack_constants *c = ec_stack_constants(stack);
    struct ec_explained *e = tell(why, "devices", NULL);
    char bubble[32], waited[32], ledger[320];

    e->step_ns = q->time.step_ns;
    ledger_text(r, ledger, sizeof ledger);
    (void)ec_snprintf(e->text, sizeof e->text,
                      "%lld micro-batches of the slowest stage and the update + %s bubble + %s not "
                      "hidden; stack %s x%.3f (%d rows); stage %lld is the fullest: %s",
                      (long long)r->micro_batches, ec_fmt_ns(bubble, sizeof bubble, r->bubble_ns),
                      ec_fmt_ns(waited, sizeof waited, r->exposed_ns), ec_stack_names[stack],
                      c->time_factor, c->rows, (long long)r->fullest_stage + 1, ledger);
}

void ec__explain_devices(const struct ec__query *q, struct ec_explanation *why)
{
    char alone[32], waited[32], others[32], step[32], reduced[256];
    const struct ec_prediction *r = q->r;
    struct ec_explained *e;

    if (q->shard) {
        explain_shared(q, why);
        return;
    }
    if (r->devices < 2 && !q->several.from_run)
        return;
    e = tell(why, "devices", NULL);
    e->step_ns = q->time.step_ns;
    (void)ec_snprintf(
        e->text, sizeof e->text,
        "%lld devices: %s alone + %s for gradients + %s for the slowest device = %s%s%s",
        (long long)r->devices,
        ec_fmt_ns(alone, sizeof alone, q->time.step_ns - r->exposed_ns - r->wait_ns),
        ec_fmt_ns(waited, sizeof waited, r->exposed_ns),
        ec_fmt_ns(others, sizeof others, r->wait_ns), ec_fmt_ns(step, sizeof step, e->step_ns),
        q->several.from_run ? ", by the runs given" : "", reductions(r, reduced, sizeof reduced));
}

/* "; scaled by x1.52 for rows like it, by x1.47 for what is unlike all rows, with 0.50 of what an
 * unmeasured device adds" */
static void tell_widened(const struct ec__query *q, char *out, size_t size)
{
    bool of_fit = !q->t.by_layers && !q->t.profile;
    size_t len = 0;

    out[0] = '\0';
    if (q->several.from_run || q->several.of_jobs || q->repeats.n)
        return;
    if (fabs(q->t.spread - 1) > 5e-3)
        len += (size_t)ec_snprintf(out, size, "; scaled by x%.2f for rows like it", q->t.spread);
    if (q->widened > 1.005)
        len += (size_t)ec_snprintf(out + len, size - len, "%s by x%.2f for what is unlike all rows",
                                   len ? "," : "; scaled", q->widened);
    if (of_fit && q->t.known.unknown > 5e-3)
        (void)ec_snprintf(out + len, size - len, "%s with %.2f of what an unmeasured device adds",
                          len ? "," : ";", q->t.known.unknown);
}

void ec__explain_interval(const struct ec__query *q, struct ec_explanation *why)
{
    static const char *const bases[] = {
        [EC_BASIS_MEASURED] = "errors on held-out rows of devices where this kind was measured",
        [EC_BASIS_SPECIFICATION] = "errors on rows of held-out devices",
        [EC_BASIS_CALIBRATED] = "errors on held-out rows, narrowed by the profile",
        [EC_BASIS_RELATED] = "errors on held-out rows and devices, by what was measured nearby",
    };
    const struct ec_interval *step = &q->r->step_time_ns;
    const char *base = q->several.from_run  ? "two runs of one job differ by this much"
                       : q->several.of_jobs ? "errors on public runs of large models"
                       : q->repeats.n       ? "measurements of this very question"
                       : q->t.by_layers     ? "uncertainty of the layers"
                                        : bases[q->t.profile ? EC_BASIS_CALIBRATED : q->t.basis];
    struct ec_explained *e = tell(why, "interval", NULL);
    char median[64] = "", wider[160];

    if (fabs(q->width.mid) > 5e-4)
        (void)ec_snprintf(median, sizeof median, "the median x%.3f; ", exp(q->width.mid));
    tell_widened(q, wider, sizeof wider);
    (void)ec_snprintf(e->text, sizeof e->text, "%s90 %% between x%.3f and x%.3f: %s%s%s", median,
                      step->p05 / step->p50, step->p95 / step->p50, base, wider,
                      q->several.adds ? ", with the errors of several devices" : "");
    e->step_ns = step->p50;
}

static void json_kinds(struct ec_json *j, const char *key, const double *v)
{
    int i;

    ec_json_open(j, key, '{');
    for (i = 0; i < EC_KCLASS_COUNT; i++)
        if (v[i] > 0 && v[i] == floor(v[i])) /* a count */
            ec_json_num(j, ec_kclass_name((enum ec_kclass)i), v[i]);
        else if (v[i] > 0)
            ec_json_num9(j, ec_kclass_name((enum ec_kclass)i), v[i]);
    ec_json_close(j, '}');
}

void ec_explanation_json(struct ec_json *j, const struct ec_explanation *why)
{
    int i;

    ec_json_open(j, "explanation", '{');
    json_kinds(j, "launches", why->launches);
    ec_json_num(j, "launches_with_casts", why->issued);
    json_kinds(j, "flop", why->flop);
    ec_json_num9(j, "casts_ns", why->cast_ns);
    ec_json_num9(j, "gaps_ns", why->gap_ns);
    ec_json_num9(j, "device_ns", why->device_ns);
    ec_json_open(j, "stages", '[');
    for (i = 0; i < why->n; i++) {
        const struct ec_explained *e = &why->row[i];

        ec_json_open(j, NULL, '{');
        ec_json_str(j, "stage", e->stage);
        if (e->timed)
            json_kinds(j, "device_ns_by_kind", e->kind_ns);
        if (e->step_ns > 0)
            ec_json_num9(j, "step_time_ns", e->step_ns);
        ec_json_str(j, "text", e->text);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
    ec_json_close(j, '}');
}
