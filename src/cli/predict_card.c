/* Output of epochcast predict for one device: a card of lines. */
#include "cli/predict_cmd_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ec__chance_word(double probability)
{
    return probability < 0          ? NULL
           : probability >= EC_SURE ? "yes"
           : probability <= 0.1     ? "no"
           : probability >= 0.5     ? "likely"
                                    : "unlikely";
}

const char *ec__fits_word(const struct ec_prediction *r)
{
    return r->has_memory ? ec__chance_word(r->fits_probability) : NULL;
}

/* Words of a query: an operator is predicted for one phase or for all phases of a mode; only whole
 * steps have an optimizer. */
static const char *const *words_of(const struct predict_cmd_opts *o)
{
    static const char *const of_step[] = { "precision", "layout",    "mode",
                                           "optimizer", "framework", NULL };
    static const char *const of_mode[] = { "precision", "layout", "mode", "framework", NULL };
    static const char *const of_phase[] = { "precision", "layout", "phase", "framework", NULL };
    const struct ec_predict_opts *q = &o->query;

    if (q->phase)
        return of_phase;
    if (q->cond.mode == EC_MODE_ISOLATED_STEP)
        return of_step;
    return o->op || q->cond.mode != EC_MODE_TRAINING_STEP ? of_mode : of_step;
}

static bool is_varied(const bool *varies, const char *name)
{
    return varies && varies[ec_field_find(ec_predict_fields, ec_span_of(name)) - ec_predict_fields];
}

/* How the batch came about, where it was not given as a number. */
static const char *batch_word(const struct answer *a)
{
    return a->query.global_batch || a->asked_batch > 0 || a->query.parallel.micro_batch ? ""
           : a->asked_batch == EC_BATCH_MAX ? "the largest that fits"
                                            : "none was given";
}

/* "batch 256 (8 x 32, none was given)" */
static void batch_text(const struct answer *a, bool each, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    int64_t replicas = r->is_shared ? r->data_parallel : r->devices;
    bool shared = replicas > 1 && !each;

    ec_buf_printf(out, "%sbatch %lld", out->len ? ", " : "",
                  (long long)(each ? r->batch_per_device : r->batch));
    if (shared)
        ec_buf_printf(out, " (%lld x %lld%s%s)", (long long)replicas,
                      (long long)r->batch_per_device, *batch_word(a) ? ", " : "", batch_word(a));
    else if (*batch_word(a))
        ec_buf_printf(out, " (%s)", batch_word(a));
    ec_buf_str(out, each ? " on each" : "");
}

static void sizes(const struct answer *a, const bool *varies, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;

    if (!is_varied(varies, "batch"))
        batch_text(a, is_varied(varies, "devices"), out);
    if (r->seq_len > 0 && !is_varied(varies, "seq_len"))
        ec_buf_printf(out, "%s%lld tokens", out->len ? ", " : "", (long long)r->seq_len);
    if (r->image_px > 0 && !is_varied(varies, "image"))
        ec_buf_printf(out, "%s%lld px", out->len ? ", " : "", (long long)r->image_px);
}

/* Sequences have no order of channels. */
static bool has_layout(const struct predict_cmd_opts *o, const struct ec_prediction *r)
{
    return o->op || r->image_px > 0 || r->seq_len <= 0;
}

void ec__query_line(const struct predict_cmd_opts *o, const struct answer *a, bool with_model,
                    const bool *varies, struct ec_buf *out)
{
    const char *const *word;

    ec_buf_reset(out);
    if (with_model)
        ec_buf_str(out, a->model);
    if (!o->op)
        sizes(a, varies, out);
    for (word = words_of(o); *word; word++) {
        if (is_varied(varies, *word) || (ec_str_eq(*word, "layout") && !has_layout(o, &a->r)))
            continue;
        ec_buf_str(out, out->len ? ", " : "");
        ec_buf_str(out, ec_str_eq(*word, "optimizer") ? "optimizer " : "");
        ec_field_print(ec_field_find(ec_predict_fields, ec_span_of(*word)), &a->query, out);
    }
    if (o->query.cond.master_weights)
        ec_buf_printf(out, ", master weights%s",
                      is_varied(varies, "precision") ? " of bf16 and fp16" : "");
    if (a->query.cond.recompute != EC_RECOMPUTE_NONE && !is_varied(varies, "recompute"))
        ec_buf_printf(out, ", recompute %s", ec_recompute_names[a->query.cond.recompute]);
    if (a->query.parallel.tuning != EC_TUNING_FULL && !is_varied(varies, "tuning"))
        ec_buf_printf(out, ", %s of rank %lld", ec_tuning_names[a->query.parallel.tuning],
                      (long long)a->query.parallel.rank);
}

void ec__usual_line(const struct predict_cmd_opts *o, const struct answer *a, struct ec_buf *out)
{
    bool module = a->query.module_precision;
    bool precision = o->query.usual_precision && !a->query.usual_precision && !module;
    bool optimizer = o->query.usual_optimizer && a->query.cond.optimizer != o->query.cond.optimizer;
    struct ec_interval tokens;

    if (o->query.usual_framework && !a->query.usual_framework)
        ec_buf_printf(out, "as usual for %s: %s (--framework for others)\n",
                      ec_stack_names[a->query.parallel.stack],
                      ec_framework_keys[a->query.cond.framework]);
    if (module)
        ec_buf_printf(out, "as the parameters of the module are: %s (--precision for others)\n",
                      ec_precision_names[a->r.precision]);
    if (!precision && !optimizer)
        return;
    ec_buf_printf(out, "as usual for %s: %s%s%s (%s%s%s for others)\n",
                  ec_tokens_per_s(&a->r, &tokens) ? "tokens" : "networks of this size",
                  precision ? ec_precision_names[a->query.cond.precision] : "",
                  precision && optimizer ? ", " : "",
                  optimizer ? ec_optimizer_names[a->query.cond.optimizer] : "",
                  precision ? "--precision" : "", precision && optimizer ? ", " : "",
                  optimizer ? "--optimizer" : "");
}

void ec__host_line(const struct answer *a, bool with_time, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    char time[32];

    if (!*r->host)
        return;
    if (ec_str_eq(r->host, ec_host_at(0).name))
        ec_buf_printf(out, "host: reference host of %s (--host for others)",
                      ec_framework_keys[a->query.cond.framework]);
    else
        ec_buf_printf(out, "host: %s", r->host);
    ec_buf_str(out, r->basis == EC_BASIS_CALIBRATED ? ", as the profile corrects it" : "");
    if (with_time)
        ec_buf_printf(out, ", %s a step", ec_fmt_ns(time, sizeof time, r->host_ns));
    ec_buf_char(out, '\n');
}

static void price_line(const struct ec_price *price, double usd_per_hour, struct ec_buf *out)
{
    if (!(usd_per_hour > 0))
        return;
    if (price && price->sold_by > 1)
        ec_buf_printf(out, "price: %.4g USD per hour of a machine of %.0f devices, paid whole",
                      price->usd_per_hour * price->sold_by, price->sold_by);
    else
        ec_buf_printf(out, "price: %.4g USD per hour of one device", usd_per_hour);
    if (price && price->kind)
        ec_buf_printf(out, ", %s", ec_price_kinds[price->kind]);
    if (price && *price->source)
        ec_buf_printf(out, ", %s", price->source);
    if (price && *price->region)
        ec_buf_printf(out, ", %s", price->region);
    if (price && *price->date)
        ec_buf_printf(out, ", %s%s", price->date,
                      ec_price_is_old(price) ? ": more than 90 days ago" : "");
    ec_buf_char(out, '\n');
}

/* A step has more than training: its parts, and shares of the peak, are those of training alone. */
static bool has_passes(const struct ec_prediction *r)
{
    return r->training_ns > 0;
}

/* Device and host work at the same time, and a step waits for the slower one. */
static void sides_line(const struct ec_prediction *r, struct ec_buf *out)
{
    const char *slower = r->limit == EC_LIMIT_LOADER          ? "the data loader"
                         : r->limit == EC_LIMIT_COMMUNICATION ? "communication"
                         : r->host_ns > r->device_ns          ? "the host"
                                                              : "the device";
    char device[32], host[32], hidden[32];

    if (*r->host)
        ec_buf_printf(out, "  %s%sdevice %s, host %s, of which %s overlap: %s waits for %s\n",
                      has_passes(r) ? "in training " : "", r->devices > 1 ? "each " : "",
                      ec_fmt_ns(device, sizeof device, r->device_ns),
                      ec_fmt_ns(host, sizeof host, r->host_ns),
                      ec_fmt_ns(hidden, sizeof hidden, r->hidden_ns),
                      has_passes(r) ? "it" : "the step", slower);
}

static void part(struct ec_buf *out, const char *name, double ns, double of, int *n_parts)
{
    if (of > 0 && ns / of >= 0.005)
        ec_buf_printf(out, "%s%s %.0f %%", (*n_parts)++ ? ", " : ": ", name, 100 * ns / of);
}

/* Shares of the device's time. */
static void phase_line(const struct ec_prediction *r, struct ec_buf *out)
{
    double sum = r->forward_ns + r->backward_ns + r->update_ns + r->launch_ns;
    int n = 0;

    if (!(sum > 0))
        return;
    ec_buf_str(out, "  device time");
    part(out, "forward", r->forward_ns, sum, &n);
    part(out, "backward", r->backward_ns, sum, &n);
    part(out, "update", r->update_ns, sum, &n);
    part(out, "launches", r->launch_ns, sum, &n);
    ec_buf_char(out, '\n');
}

static void basis_lines(const struct ec_prediction *r, struct ec_buf *out)
{
    ec_buf_printf(out, "  the estimate rests on %s\n", r->evidence);
    if (*r->weakest && r->basis != EC_BASIS_CALIBRATED)
        ec_buf_printf(out, "  its weakest part: %s\n", r->weakest);
}

/* How the batch comes to the device: loaded beside or before the step, copied as its first part. */
static void input_line(const struct ec_prediction *r, struct ec_buf *out)
{
    const char *slow = r->loader_serial              ? ", before the step"
                       : r->limit == EC_LIMIT_LOADER ? ", longer than the step without it"
                                                     : ", beside the step";
    char load[32], copy[32];

    if (!(r->loader_ns > 0) && !(r->input_copy_ns > 0))
        return;
    ec_buf_str(out, "  input: ");
    if (r->loader_ns > 0)
        ec_buf_printf(out, "loading a batch takes %s%s", ec_fmt_ns(load, sizeof load, r->loader_ns),
                      slow);
    if (r->input_copy_ns > 0)
        ec_buf_printf(out, "%scopying %s to the device takes %s, the first part of the step",
                      r->loader_ns > 0 ? "; " : "", r->loader_ns > 0 ? "it" : "a batch",
                      ec_fmt_ns(copy, sizeof copy, r->input_copy_ns));
    ec_buf_char(out, '\n');
}

/* The lines on the limit of the step, its phases, and the basis. */
static void why_lines(const struct answer *a, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;

    ec_buf_char(out, '\n');
    if (!ec_is_guess(r))
        sides_line(r, out);
    input_line(r, out);
    ec_buf_printf(out, "  limited by %s\n", ec_limit_name(r->limit));
    phase_line(r, out);
    basis_lines(r, out);
}

static void range_line(struct ec_buf *out, const char *name, const struct ec_interval *i,
                       const char *(*fmt)(char *, size_t, double, double), bool is_guess)
{
    char lo[32], mid[32], hi[32];

    (void)fmt(mid, sizeof mid, i->p50, i->p50);
    ec_buf_printf(out, "  %-12s %12s", name, is_guess ? EC_NOT_KNOWN : mid);
    if (!isnan(i->p05))
        ec_buf_printf(out, "   (90 %%: %s to %s)",
                      fmt(lo, sizeof lo, i->p05, is_guess ? i->p05 : i->p50),
                      fmt(hi, sizeof hi, i->p95, is_guess ? i->p95 : i->p50));
    ec_buf_char(out, '\n');
}

static void interval_line(struct ec_buf *out, const char *name, const struct ec_interval *i,
                          const char *(*fmt)(char *, size_t, double, double))
{
    range_line(out, name, i, fmt, false);
}

static const char *fmt_rate(char *out, size_t size, double v, double like)
{
    (void)like;
    return ec_fmt_digits3(out, size, v);
}

static const char *fmt_usd(char *out, size_t size, double v, double like)
{
    (void)like;
    (void)ec_snprintf(out, size, "%.*f USD", v < 1000 ? 2 : 0, v);
    return out;
}

/* "tensor 1.2 s, gradients 300 ms": what a step waits for, largest parts in the order of the list.
 */
static void exposed_parts(const struct ec_prediction *r, struct ec_buf *out)
{
    const struct {
        const char *word;
        double ns;
    } part[] = {
        {"tensor",      r->tensor_ns  },
        { "context",    r->context_ns },
        { "experts",    r->expert_ns  },
        { "stages",     r->pipeline_ns},
        { "parameters", r->gather_ns  },
        { "gradients",  r->reduce_ns  },
    };
    bool any = false;
    char ns[32];
    int i;

    ec_buf_str(out, "not hidden:\n    ");
    for (i = 0; i < EC_LEN(part); i++)
        if (part[i].ns > 0) {
            ec_buf_printf(out, "%s%s %s", any ? ", " : "", part[i].word,
                          ec_fmt_ns(ns, sizeof ns, part[i].ns));
            any = true;
        }
    if (!any)
        ec_buf_str(out, "nothing");
    ec_buf_char(out, '\n');
}

/* "2 replicas x tp 8 x pp 4; 128 micro-batches of 1" */
static void shared_line(const struct answer *a, struct ec_buf *out)
{
    const struct ec_parallelism *p = &a->query.parallel;
    const struct ec_prediction *r = &a->r;
    const struct {
        const char *word;
        int64_t n;
    } part[] = {
        {"tp",  p->tensor  },
        { "pp", p->pipeline},
        { "cp", p->context },
        { "ep", p->expert  },
    };
    int i;

    ec_buf_printf(out, "  shared by    %lld replica%s", (long long)r->data_parallel,
                  r->data_parallel == 1 ? "" : "s");
    for (i = 0; i < EC_LEN(part); i++)
        if (part[i].n > 1)
            ec_buf_printf(out, " x %s %lld", part[i].word, (long long)part[i].n);
    if (r->zero_stage)
        ec_buf_printf(out, ", zero %lld", (long long)r->zero_stage);
    ec_buf_printf(out, "; %lld micro-batch%s of %lld\n", (long long)r->micro_batches,
                  r->micro_batches == 1 ? "" : "es", (long long)r->micro_batch);
}

static void share_line(const struct ec_prediction *r, struct ec_buf *out)
{
    if (r->peak_flop_per_s > 0)
        ec_buf_printf(
            out, "  MFU%s %.1f %% of the dense %s peak, with masked pairs %.1f %%; HFU %.1f %%\n",
            has_passes(r) ? " of training alone" : "", 100 * ec_flop_share(r, r->model_flop),
            ec_precision_names[r->precision], 100 * ec_flop_share(r, r->whole_flop),
            100 * ec_flop_share(r, r->hardware_flop));
}

static void shared_lines(const struct answer *a, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    char ns[32], slowest[32];

    shared_line(a, out);
    if (r->exposed_ns + r->wait_ns + r->offload_ns > 0)
        ec_buf_str(out, has_passes(r) ? "  of its training: " : "  of a step: ");
    if (r->bubble_ns > 0)
        ec_buf_printf(out, "bubble %s; ", ec_fmt_ns(ns, sizeof ns, r->bubble_ns));
    if (r->wait_ns > r->bubble_ns)
        ec_buf_printf(out, "waiting for the %s %s; ",
                      a->query.strategy == EC_STRATEGY_dp ? "host" : "slowest",
                      ec_fmt_ns(slowest, sizeof slowest, r->wait_ns - r->bubble_ns));
    if (r->offload_ns > 0)
        ec_buf_printf(out, "update by the host %s; ", ec_fmt_ns(ns, sizeof ns, r->offload_ns));
    if (r->exposed_ns + r->wait_ns + r->offload_ns > 0)
        exposed_parts(r, out);
    share_line(r, out);
}

static const char *fmt_energy(char *out, size_t size, double v, double like)
{
    char digits[32];
    bool small = like < 3.6e6;

    (void)ec_snprintf(out, size, "%s %s",
                      ec_fmt_digits3(digits, sizeof digits, v / (small ? 3600 : 3.6e6)),
                      small ? "Wh" : "kWh");
    return out;
}

static void several_lines(const struct predict_cmd_opts *o, const struct answer *a,
                          struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    char all[32], waited[32], rest[32];

    if (r->has_cost)
        range_line(out, "cost", &r->cost_usd, fmt_usd, ec_is_guess(r));
    if (r->board_energy_j.p50 > 0)
        range_line(out, "energy", &r->board_energy_j, fmt_energy, ec_is_guess(r));
    if (o->method == EC_METHOD_OWN && r->is_shared) {
        shared_lines(a, out);
        return;
    }
    if (r->devices < 2 || o->method != EC_METHOD_OWN)
        return;
    if (isfinite(r->scaling_efficiency.p50))
        ec_buf_printf(out, "  %-12s %10.1f %%   (90 %%: %.1f to %.1f %%)\n", "efficiency",
                      100 * r->scaling_efficiency.p50, 100 * r->scaling_efficiency.p05,
                      100 * r->scaling_efficiency.p95);
    ec_buf_printf(
        out, "  of %s: communication %s, of which %s are not hidden; waiting for the %s %s\n",
        has_passes(r) ? "its training" : "a step", ec_fmt_ns(all, sizeof all, r->communication_ns),
        ec_fmt_ns(waited, sizeof waited, r->exposed_ns),
        a->query.strategy == EC_STRATEGY_dp ? "host" : "slowest",
        ec_fmt_ns(rest, sizeof rest, r->wait_ns));
    if (r->seq_len > 0)
        share_line(r, out);
}

/* Adds an item to a line that lists several; an item beyond the right margin starts a new line. */
static void add_part(struct ec_buf *out, int *used, const char *text)
{
    int width = ec_text_width(text);

    if (*used && *used + 3 + width > 80) {
        ec_buf_str(out, ",\n      ");
        *used = 6;
    } else {
        ec_buf_str(out, *used ? ", " : "    ");
        *used += *used ? 2 : 4;
    }
    ec_buf_str(out, text);
    *used += width;
}

static void evidence_line(const struct ec_evidence *e, struct ec_buf *out)
{
    char time[32], least[32], most[32], text[160];
    int used = 0;

    add_part(out, &used, e->what);
    (void)snprintf(text, sizeof text, "batch %lld", (long long)e->batch);
    if (e->batch)
        add_part(out, &used, text);
    add_part(out, &used, e->precision);
    add_part(out, &used, e->phase[0] ? e->phase : e->mode);
    if (e->framework[0])
        add_part(out, &used, e->framework);
    (void)snprintf(text, sizeof text, "on %.80s: %s", e->device,
                   ec_fmt_ns(time, sizeof time, e->time_ns));
    add_part(out, &used, text);
    (void)snprintf(text, sizeof text, "mean of %d from %s to %s", e->count,
                   ec_fmt_ns(least, sizeof least, e->least_ns),
                   ec_fmt_ns(most, sizeof most, e->most_ns));
    if (e->count > 1)
        add_part(out, &used, text);
    (void)ec_snprintf(text, sizeof text, "distance %.2f", e->distance);
    add_part(out, &used, text);
    add_part(out, &used, e->source);
    (void)snprintf(text, sizeof text, "measurement %lld", (long long)e->id);
    add_part(out, &used, text);
    ec_buf_char(out, '\n');
}

static void evidence_lines(const struct answer *a, struct ec_buf *out)
{
    int i;

    if (a->no_evidence)
        ec_buf_printf(out, "\n  no evidence: %s\n", a->no_evidence);
    if (!a->evidence)
        return;
    ec_buf_str(out, a->n_evidence ? "\n  measured nearest to it\n"
                                  : "\n  no evidence: the store has no similar measurement\n");
    for (i = 0; i < a->n_evidence; i++)
        evidence_line(&a->evidence[i], out);
}

static void machines_line(const struct ec_prediction *r, struct ec_buf *out)
{
    char rate[32], bits[32];

    if (r->devices < 2)
        return;
    if (r->machines < 2)
        ec_buf_str(out, "in one machine\n");
    else
        ec_buf_printf(out, "in %lld machines of %lld; between them %sB/s (%sb/s) for each device\n",
                      (long long)r->machines, (long long)r->devices_per_machine,
                      ec_fmt_si(rate, sizeof rate, r->network_bytes_per_s),
                      ec_fmt_si(bits, sizeof bits, 8 * r->network_bytes_per_s));
}

/* What does not fit is the first thing to know. */
static void room_lines(const struct answer *a, const struct extras *x, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    const struct ec_interval *need = &r->memory_needed_bytes;
    double bytes = ec_device_usable_bytes(a->used);
    char about[32], least[32], most[32], has[32];

    if (!x->has_room)
        return;
    ec_buf_printf(out, "%s: it needs %s (90 %%: %s to %s), the device has %s. What %s:\n",
                  r->fits_probability < 0.1   ? "DOES NOT FIT"
                  : r->fits_probability < 0.5 ? "PROBABLY DOES NOT FIT"
                                              : "MAY NOT FIT",
                  ec_fmt_bytes_apart(about, sizeof about, need->p50, bytes),
                  ec_fmt_bytes_apart(least, sizeof least, need->p05, bytes),
                  ec_fmt_bytes_apart(most, sizeof most, need->p95, bytes),
                  ec_fmt_bytes_apart(has, sizeof has, bytes,
                                     fabs(need->p50 - bytes) < fabs(need->p95 - bytes) ? need->p50
                                                                                       : need->p95),
                  r->fits_probability < 0.1 ? "fits" : "is sure to fit");
    ec_room_print(&x->room, out);
    ec_buf_char(out, '\n');
}

static void advice_lines(const struct extras *x, struct ec_buf *out)
{
    int i;

    for (i = 0; i < x->n_advice; i++)
        ec_buf_printf(out, "%s%s\n",
                      i ? "                   " : "  what would help: ", x->advice[i].text);
}

static void deadline_line(const struct predict_cmd_opts *o, const struct answer *a,
                          struct ec_buf *out)
{
    if (a->in_time >= 0)
        ec_buf_printf(out, "  %-12s %10.0f %%   (chance to end within %s)\n", "in time",
                      100 * a->in_time, o->deadline);
}

/* Where restarts are a part of the job that can be seen. */
#define SEEN_FRAC 1e-3

static void restarts_line(const struct ec_prediction *r, struct ec_buf *out)
{
    char lost[32], every[32], fails[32], bytes[32], n[32];

    if (!(r->restarts_ns > SEEN_FRAC * r->job_time_ns.p50))
        return;
    ec_buf_printf(out,
                  "               %s of it for %s failures, one in %s, and checkpoints:\n"
                  "               %s every %s\n",
                  ec_fmt_ns(lost, sizeof lost, r->restarts_ns),
                  ec_fmt_digits3(n, sizeof n, r->failures),
                  ec_fmt_ns(fails, sizeof fails, r->failure_every_ns),
                  ec_fmt_bytes(bytes, sizeof bytes, r->checkpoint_bytes),
                  ec_fmt_ns(every, sizeof every, r->checkpoint_every_ns));
}

/* What the job has beside its steps, and the loader, which works beside each step. */
static void job_lines(const struct answer *a, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    const struct {
        const char *name;
        double ns;
    } parts[] = {
        {"start ",                     r->start_ns     },
        { "evaluation of each epoch ", r->evaluation_ns},
        { "checkpoint of each epoch ", r->checkpoint_ns},
    };
    char time[32];
    int i, n = 0;

    for (i = 0; i < EC_LEN(parts); i++)
        if (parts[i].ns > 0)
            ec_buf_printf(out, "%s%s%s", n++ ? ", " : "               of the job: ", parts[i].name,
                          ec_fmt_ns(time, sizeof time, parts[i].ns));
    if (n)
        ec_buf_char(out, '\n');
    restarts_line(r, out);
}

static void head_lines(const struct predict_cmd_opts *o, const struct answer *a, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    struct ec_buf line = EC_BUF_INIT;

    ec__query_line(o, a, true, NULL, &line);
    ec_buf_join(out, &line);
    ec_buf_str(out, "\non ");
    if (r->devices > 1)
        ec_buf_printf(out, "%lld x ", (long long)r->devices);
    ec_buf_printf(out, "%s%s%s\n", a->used->name, o->query.set ? ", with " : "",
                  o->query.set ? o->query.set : "");
    machines_line(r, out);
    ec__host_line(a, false, out);
    ec__usual_line(o, a, out);
    price_line(a->price, a->query.usd_per_hour, out);
    ec_buf_char(out, '\n');
    ec_buf_clear(&line);
}

/* torch.backends.cudnn.allow_tf32 is true by default. */
static bool is_tf32_usual(const struct answer *a)
{
    return a->query.cond.precision == EC_FP32 && a->used->tf32_tensor_flop_per_s.value > 0 &&
           ec_str_eq(a->r.kind, "convolutions") &&
           ec_str_starts(ec_framework_keys[a->query.cond.framework], "pytorch");
}

/* What a step has beside training, and how much of it is padding. */
static void passes_line(const struct answer *a, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    char train[32], rate[32], make[32], send[32], n[32];

    if (r->padding_frac > 0 || r->mean_tokens > 0)
        ec_buf_printf(out, "               samples of %s tokens in the mean; padding is %.0f %%\n",
                      ec_fmt_digits3(n, sizeof n, r->mean_tokens), 100 * r->padding_frac);
    if (!has_passes(r))
        return;
    ec_buf_printf(out, "               training %s, probabilities %s",
                  ec_fmt_ns(train, sizeof train, r->training_ns),
                  ec_fmt_ns(rate, sizeof rate, r->reference_ns));
    if (r->generation_ns > 0)
        ec_buf_printf(
            out, "; making samples %s%s,\n               %.0f at once; sending weights %s",
            ec_fmt_ns(make, sizeof make, r->generation_ns), r->generators ? " beside them" : "",
            r->made_at_once, ec_fmt_ns(send, sizeof send, r->weights_sent_ns));
    ec_buf_char(out, '\n');
}

/* Without --epochs the job is one pass, and its epoch would say the same. */
static void time_lines(const struct predict_cmd_opts *o, const struct answer *a, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    struct ec_interval tokens_per_s;
    bool guess = ec_is_guess(r);

    range_line(out, o->op ? "time" : "step", &r->step_time_ns, ec_fmt_ns_like, guess);
    passes_line(a, out);
    if (!o->op)
        range_line(out, "samples/s", &r->samples_per_s, fmt_rate, guess);
    if (!o->op && ec_tokens_per_s(r, &tokens_per_s))
        range_line(out, "tokens/s", &tokens_per_s, fmt_rate, guess);
    if (r->has_epoch && (a->query.epochs || !r->has_job))
        range_line(out, "epoch", &r->epoch_time_ns, ec_fmt_ns_like, guess);
    if (r->has_job)
        range_line(out, "job", &r->job_time_ns, ec_fmt_ns_like, guess);
}

void ec__predict_card(const struct predict_cmd_opts *o, const struct answer *a,
                      const struct extras *x, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    double usable = ec_device_usable_bytes(a->used);
    int i;

    room_lines(a, x, out);
    head_lines(o, a, out);
    time_lines(o, a, out);
    job_lines(a, out);
    deadline_line(o, a, out);
    several_lines(o, a, out);
    if (r->has_memory) {
        interval_line(out, "peak memory", &r->memory_peak_bytes, ec_fmt_bytes_like);
        interval_line(out, "  allocated", &r->allocator_peak_bytes, ec_fmt_bytes_like);
    }
    if (ec__fits_word(r))
        ec_buf_printf(out, "  %-12s %12s   (of %.1f GiB%s)\n", "fits", ec__fits_word(r),
                      usable / 0x1p30, usable < a->used->memory_bytes.value ? " usable" : "");
    if (o->method == EC_METHOD_OWN)
        why_lines(a, out);
    else
        ec_buf_printf(
            out, "\n  by %s: %s\n  %.2f times our own prediction; a baseline has no interval\n",
            ec_method_names[o->method], ec_method_help(o->method),
            r->step_time_ns.p50 / a->own_step_ns);
    advice_lines(x, out);
    for (i = 0; i < r->n_warnings; i++)
        if (!strstr(r->warnings[i], "fit: ")) /* said above */
            ec_buf_printf(out, "  note: %s\n", r->warnings[i]);
    if (is_tf32_usual(a))
        ec_buf_str(out, "  note: fp32 is without TF32, which PyTorch uses in convolutions by "
                        "default: --precision tf32\n");
    if (ec_str_eq(ec_device_key(a->used), "this") && r->basis == EC_BASIS_SPECIFICATION)
        ec_buf_str(out, "  note: a run of yours narrows the interval: epochcast calibrate --device "
                        "this --row ...\n");
    evidence_lines(a, out);
}
