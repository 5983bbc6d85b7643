/* An answer for programs: the options as the answer has them, where what was left open has the
 * value that was taken, and what has no part in the query has none; and the prediction. */
#include "predict/predict_internal.h"
#include "predict/sharded.h"

#define AT(member) offsetof(struct ec_predict_opts, member)

/* ------------------------------------------------------------------------------------------------
 * Options */

/* Options whose value the prediction has, as whole numbers. */
/* clang-format off */
#define KNOWN(option, member, of_op) \
    { option, #member, offsetof(struct ec_prediction, member), of_op }
static const struct known {
    const char *option, *key; /* key: in answers */
    size_t at;                /* in the prediction */
    bool of_op;               /* an operator's prediction has it as well */
} known[] = {
    KNOWN("batch", batch_per_device, false),
    KNOWN("seq_len", seq_len, true),
    KNOWN("image", image_px, true),
    KNOWN("devices", devices, false),
    KNOWN("devices_per_machine", devices_per_machine, false),
    KNOWN("micro_batch", micro_batch, false),
    KNOWN("accumulation", micro_batches, false),
    KNOWN("zero", zero_stage, false),
};
/* clang-format on */

static const struct known *find(const struct ec_field *f)
{
    return ec_row_named(known, EC_LEN(known), sizeof *known, f->name);
}

/* Whether an option has a part in the query. */
static bool has_part(const struct ec_field *f, const struct ec_predict_opts *o, bool is_op)
{
    if (o->devices <= 1 &&
        ec_is_among(f->name, ec_span_of("interconnect strategy devices_per_machine"), ' '))
        return false;
    if (f->offset == AT(parallel.tuning) || f->offset == AT(parallel.rank) ||
        f->offset == AT(parallel.targets))
        return o->parallel.tuning != EC_TUNING_FULL;
    if (!ec__is_sharded(o) && f->offset >= AT(parallel) &&
        f->offset < AT(parallel) + sizeof o->parallel)
        return false;
    if (f->offset == AT(padding))
        return o->lengths && *o->lengths;
    if (f->offset == AT(rl))
        return o->rl != EC_RL_none;
    if (is_op && o->cond.mode != EC_MODE_ISOLATED_STEP && ec_str_eq(f->name, "optimizer"))
        return false;
    return !ec_str_eq(f->name, is_op ? "recompute" : "phase");
}

bool ec_option_is_said(const struct ec_field *f)
{
    return (f->type == EC_F_INT || f->type == EC_F_ENUM) && !ec_str_eq(f->name, "global_batch");
}

const char *ec_option_key(const struct ec_field *f)
{
    const struct known *k = find(f);

    return k ? k->key : f->name;
}

const char *ec_option_said(const struct ec_field *f, const struct ec_predict_opts *o,
                           const struct ec_prediction *r, bool is_op, struct ec_buf *out)
{
    const struct known *k = find(f);
    const char *at = k ? (const char *)r + k->at : (const char *)o + f->offset;
    int64_t v = f->type == EC_F_INT ? *(const int64_t *)at : 0;

    if (!out->st)
        ec_buf_reset(out);
    if (out->st || !has_part(f, o, is_op) || (k && is_op && !k->of_op))
        return ec_buf_text(out);
    if (ec_str_eq(f->name, "precision"))
        ec_buf_str(out, ec_precision_names[r->precision]);
    else if (f->type != EC_F_INT)
        ec_field_print(f, o, out);
    else if (v)
        ec_buf_printf(out, "%lld", (long long)v);
    return ec_buf_text(out);
}

/* ------------------------------------------------------------------------------------------------
 * JSON */

static void json_interval(struct ec_json *j, const char *key, const struct ec_interval *i)
{
    ec_json_open(j, key, '{');
    ec_json_num9(j, "p05", i->p05);
    ec_json_num9(j, "p50", i->p50);
    ec_json_num9(j, "p95", i->p95);
    ec_json_close(j, '}');
}

struct number {
    const char *key;
    double v;
};

static void json_parts(struct ec_json *j, const struct ec_prediction *r)
{
    const struct number ns[] = {
        { "device_ns", r->device_ns },
        { "host_ns", r->host_ns },
        { "other_ns", r->other_ns },
        { "hidden_ns", r->hidden_ns },
        { "forward_ns", r->forward_ns },
        { "backward_ns", r->backward_ns },
        { "update_ns", r->update_ns },
        { "compute_bound_ns", r->compute_bound_ns },
        { "memory_bound_ns", r->memory_bound_ns },
        { "launch_ns", r->launch_ns },
    }, several[] = {
        { "communication_ns", r->communication_ns },
        { "exposed_communication_ns", r->exposed_ns },
        { "wait_ns", r->wait_ns },
    }, bytes[] = {
        { "weights_bytes", r->weights_bytes },
        { "gradients_bytes", r->gradients_bytes },
        { "optimizer_bytes", r->optimizer_bytes },
        { "activations_bytes", r->activations_bytes },
        { "overhead_bytes", r->overhead_bytes },
    };
    int i;

    ec_json_open(j, "parts", '{');
    for (i = 0; i < EC_LEN(ns); i++)
        ec_json_num9(j, ns[i].key, ns[i].v);
    for (i = 0; r->devices > 1 && i < EC_LEN(several); i++)
        ec_json_num9(j, several[i].key, several[i].v);
    for (i = 0; r->has_memory && i < EC_LEN(bytes); i++)
        ec_json_num9(j, bytes[i].key, bytes[i].v);
    ec_json_close(j, '}');
}

/* Shares of the dense peak. */
static void json_shares(struct ec_json *j, const struct ec_prediction *r)
{
    ec_json_num9(j, "model_flop", r->model_flop);
    ec_json_num9(j, "model_flop_all_pairs", r->whole_flop);
    ec_json_num9(j, "hardware_flop", r->hardware_flop);
    ec_json_num9(j, "peak_flop_per_s", r->peak_flop_per_s);
    ec_json_num9(j, "mfu_frac", ec_flop_share(r, r->model_flop));
    ec_json_num9(j, "mfu_all_pairs_frac", ec_flop_share(r, r->whole_flop));
    ec_json_num9(j, "hfu_frac", ec_flop_share(r, r->hardware_flop));
}

/* Where a job shares more than the batch: how, what a step waits for, the ledger, and the shares of
 * the dense peak. */
static void json_shared(struct ec_json *j, const struct ec_prediction *r)
{
    static const char *const ledger[] = {
#define LEDGER_KEY(id, key, label) key,
        EC_LEDGER_LIST(LEDGER_KEY)
#undef LEDGER_KEY
    };
    const struct number numbers[] = {
        {"bubble_ns",            r->bubble_ns  },
        { "offload_ns",          r->offload_ns },
        { "tensor_exposed_ns",   r->tensor_ns  },
        { "context_exposed_ns",  r->context_ns },
        { "expert_exposed_ns",   r->expert_ns  },
        { "pipeline_exposed_ns", r->pipeline_ns},
        { "gather_exposed_ns",   r->gather_ns  },
        { "reduce_exposed_ns",   r->reduce_ns  },
    };
    int i;

    ec_json_open(j, "shared", '{');
    ec_json_int(j, "data_parallel", r->data_parallel);
    ec_json_int(j, "fullest_stage", r->fullest_stage);
    for (i = 0; i < EC_LEN(numbers); i++)
        ec_json_num9(j, numbers[i].key, numbers[i].v);
    json_shares(j, r);
    ec_json_num9(j, "first_stage_memory_bytes", r->first_rank_bytes);
    ec_json_open(j, "memory_ledger", '{');
    for (i = 0; i < EC_LEDGER_COUNT; i++)
        ec_json_num9(j, ledger[i], r->ledger_bytes[i]);
    ec_json_close(j, '}');
    ec_json_close(j, '}');
}

static void json_several(struct ec_json *j, const struct ec_prediction *r)
{
    ec_json_int(j, "machines", r->machines);
    if (r->network_bytes_per_s > 0)
        ec_json_num9(j, "network_bytes_per_s", r->network_bytes_per_s);
    json_interval(j, "scaling_efficiency", &r->scaling_efficiency);
    if (!r->is_shared && r->seq_len > 0)
        json_shares(j, r);
    if (!r->reductions)
        return;
    ec_json_open(j, "all_reduce", '{');
    ec_json_int(j, "count", r->reductions);
    ec_json_str(j, "algorithm", r->algorithm);
    ec_json_num9(j, "bytes", r->reduction_bytes);
    ec_json_num9(j, "time_ns", r->reduction_ns);
    ec_json_num9(j, "latency_ns", r->reduction_latency_ns);
    ec_json_num9(j, "bus_bytes_per_s", r->reduction_bytes_per_s);
    ec_json_close(j, '}');
}

/* What the job takes beside its steps, and a step beside its training; 0: not asked for. */
static void json_job(struct ec_json *j, const struct ec_prediction *r)
{
    const struct number of_job[] = {
        {"loader_ns",            r->loader_ns          },
        { "input_copy_ns",       r->input_copy_ns      },
        { "evaluation_ns",       r->evaluation_ns      },
        { "checkpoint_ns",       r->checkpoint_ns      },
        { "start_ns",            r->start_ns           },
        { "restarts_ns",         r->restarts_ns        },
        { "checkpoints_ns",      r->checkpoints_ns     },
        { "checkpoint_every_ns", r->checkpoint_every_ns},
        { "failure_every_ns",    r->failure_every_ns   },
        { "checkpoint_bytes",    r->checkpoint_bytes   },
        { "failures",            r->failures           },
        { "mean_tokens",         r->mean_tokens        },
        { "padding_frac",        r->padding_frac       },
        { "training_ns",         r->training_ns        },
        { "reference_ns",        r->reference_ns       },
        { "generation_ns",       r->generation_ns      },
        { "weights_sent_ns",     r->weights_sent_ns    },
        { "reference_bytes",     r->reference_bytes    },
        { "made_at_once",        r->made_at_once       },
        { "generators",          (double)r->generators },
    };
    int i;

    for (i = 0; i < EC_LEN(of_job); i++)
        if (of_job[i].v > 0)
            ec_json_num9(j, of_job[i].key, of_job[i].v);
    if (r->loader_serial)
        ec_json_bool(j, "loader_serial", true);
}

static void json_prediction(struct ec_json *j, const struct ec_prediction *r)
{
    struct ec_interval tokens_per_s;
    int i;

    json_interval(j, "step_time_ns", &r->step_time_ns);
    ec_json_bool(j, "guess", ec_is_guess(r));
    json_interval(j, "samples_per_s", &r->samples_per_s);
    if (ec_tokens_per_s(r, &tokens_per_s))
        json_interval(j, "tokens_per_s", &tokens_per_s);
    if (r->has_epoch)
        json_interval(j, "epoch_time_ns", &r->epoch_time_ns);
    if (r->has_job)
        json_interval(j, "job_time_ns", &r->job_time_ns);
    json_job(j, r);
    if (r->has_cost)
        json_interval(j, "cost_usd", &r->cost_usd);
    if (r->board_power_w.p50 > 0)
        json_interval(j, "board_power_w", &r->board_power_w);
    if (r->board_energy_j.p50 > 0)
        json_interval(j, "board_energy_j", &r->board_energy_j);
    if (r->devices > 1)
        json_several(j, r);
    if (r->is_shared)
        json_shared(j, r);
    if (r->has_memory) {
        json_interval(j, "memory_peak_bytes", &r->memory_peak_bytes);
        json_interval(j, "allocator_peak_bytes", &r->allocator_peak_bytes);
    }
    if (r->has_memory && r->fits_probability >= 0) {
        ec_json_bool(j, "fits", r->fits);
        ec_json_num9(j, "fits_probability", r->fits_probability);
    }
    ec_json_str(j, "limit", ec_limit_name(r->limit));
    ec_json_str(j, "basis", ec_basis_name(r->basis));
    ec_json_str(j, "kind", r->kind);
    ec_json_str(j, "evidence", r->evidence);
    if (*r->weakest)
        ec_json_str(j, "weakest", r->weakest);
    if (*r->host)
        ec_json_str(j, "host", r->host);
    json_parts(j, r);
    ec_json_open(j, "warnings", '[');
    for (i = 0; i < r->n_warnings; i++)
        ec_json_str(j, NULL, r->warnings[i]);
    ec_json_close(j, ']');
}

void ec_answer_json(struct ec_json *j, const struct ec_predict_opts *o,
                    const struct ec_prediction *r, bool is_op)
{
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_field *f;
    int64_t v;

    ec_json_int(j, "batch", r->batch);
    for (f = ec_predict_fields; f->name; f++) {
        if (!ec_option_is_said(f))
            continue;
        (void)ec_option_said(f, o, r, is_op, &text);
        if (!text.len)
            continue;
        if (ec_parse_int(ec_span_of(text.data), &v))
            ec_json_int(j, ec_option_key(f), v);
        else
            ec_json_str(j, ec_option_key(f), text.data);
    }
    if (text.st)
        j->out->st = text.st;
    ec_buf_clear(&text);
    if (o->module_precision)
        ec_json_str(j, "precision_from", "parameters");
    if (o->usd_per_hour > 0)
        ec_json_num9(j, "usd_per_hour", o->usd_per_hour);
    json_prediction(j, r);
}
