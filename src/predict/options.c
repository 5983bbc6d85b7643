/* The table of options of a query, and the checks between options. */
#include "model/model.h"
#include "predict/predict_internal.h"
#include "predict/sharded.h"

#include <pthread.h>
#include <string.h>

static const char *const phase_words[] = { "all", EC_PHASE_LIST(EC_PHASE_WORD) NULL };
/* Bit 0 is "all". An update is of parameters, so operators do not have it. */
#define PHASES_OF_OP ~0u >> (31 - EC_PHASE_COUNT) & ~EC_ONLY(EC_UPDATE + 1)

static const char *const batch_words[] = { "max", NULL }; /* EC_BATCH_MAX */

#define WORD(id, word, help) word,
static const char *const rl_words[] = { EC_RL_LIST(WORD) NULL };
static const char *const padding_words[] = { EC_PADDING_LIST(WORD) NULL };
#undef WORD

#define AT(member) offsetof(struct ec_predict_opts, member)

#include "conditions_fields.h"
#include "predict_fields.h"

/* Parsed from the table once, since every query starts from the defaults. */
static struct ec_predict_opts defaults;
static pthread_once_t defaults_read = PTHREAD_ONCE_INIT;

static void read_defaults(void)
{
    struct ec_arena none = { 0 };

    if (ec_fields_default(ec_predict_fields, &defaults, &none, NULL))
        memset(&defaults, 0, sizeof defaults); /* cannot happen: no default needs memory */
    defaults.struct_size = sizeof defaults;
    defaults.usual_precision = defaults.usual_optimizer = defaults.usual_framework = true;
}

void ec_predict_opts_default(struct ec_predict_opts *opts)
{
    (void)pthread_once(&defaults_read, read_defaults);
    if (opts)
        *opts = defaults;
}

enum ec_status ec__option_set(const struct ec_field *f, struct ec_predict_opts *o,
                              struct ec_span text, struct ec_arena *a, struct ec_err *err)
{
    if (f->offset == AT(cond.precision))
        o->usual_precision = false;
    if (f->offset == AT(cond.optimizer))
        o->usual_optimizer = false;
    if (f->offset == AT(cond.framework))
        o->usual_framework = false;
    return ec_field_set(f, o, text, a, err);
}

enum ec_status ec_predict_opts_set(struct ec_predict_opts *opts, const char *name,
                                   const char *value, struct ec_err *err)
{
    const struct ec_field *f;

    EC_NEED(err, opts, name);
    f = ec_field_find(ec_predict_fields, ec_span_of(name));
    if (!f)
        return ec_fail(err, EC_E_INPUT, "a query has no option \"%.60s\"", name);
    if (f->type == EC_F_STR) {
        *(const char **)((char *)opts + f->offset) = value;
        return EC_OK;
    }
    EC_NEED(err, value);
    return ec__option_set(f, opts, ec_span_of(value), NULL, err);
}

static enum ec_status check_int(const struct ec_field *f, int64_t v, struct ec_err *err)
{
    if (((double)v >= f->min && (double)v <= f->max) || ec_field_word(f, v) || !v) /* not set */
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%s: found %lld, expected %.0f to %.0f", f->name, (long long)v,
                   f->min, f->max);
}

static enum ec_status check_double(const struct ec_field *f, double v, struct ec_err *err)
{
    if (v >= f->min && v <= f->max)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%s: found %g, expected %g to %g", f->name, v, f->min, f->max);
}

static enum ec_status check_index(const struct ec_field *f, int v, struct ec_err *err)
{
    int n = 0;

    while (f->choices[n])
        n++;
    while (n && !ec_field_may_be(f, n - 1))
        n--;
    if (v >= 0 && v < n)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%s: found index %d, expected 0 to %d", f->name, v, n - 1);
}

/* Checks ranges again: callers of the library fill the struct by hand, without the parser. */
static enum ec_status check_ranges(const struct ec_predict_opts *o, struct ec_err *err)
{
    const struct ec_field *f;

    for (f = ec_predict_fields; f->name; f++) {
        const void *at = (const char *)o + f->offset;

        if (f->type == EC_F_INT)
            EC_PASS(check_int(f, *(const int64_t *)at, err));
        else if (f->type == EC_F_DOUBLE)
            EC_PASS(check_double(f, *(const double *)at, err));
        else if (f->type == EC_F_ENUM)
            EC_PASS(check_index(f, *(const int *)at, err));
    }
    return EC_OK;
}

/* "none" is a value in tables of operators. */
enum ec_status ec_step_of_query(const struct ec_case *c, const struct ec_predict_opts *o,
                                struct ec_step *ret, struct ec_err *err)
{
    const struct ec_op *activation = NULL;

    if (o->cond.mode != EC_MODE_ISOLATED_STEP)
        return ec_step_of_case(c, o->phase - 1, o->cond.mode, ret, err);
    if (ec__activation_of(o))
        EC_PASS(ec_op_named(ec_span_of(ec__activation_of(o)), &activation, err));
    return ec_step_isolated(c, activation, o->cond.optimizer, ret, err);
}

const char *ec__activation_of(const struct ec_predict_opts *o)
{
    return o->activation && *o->activation && !ec_str_eq(o->activation, "none") ? o->activation
                                                                                : NULL;
}

/* Callers of the library leave at zero what they do not say. */
static bool is_given(const struct ec_predict_opts *o, size_t offset, size_t size)
{
    static const struct ec_predict_opts zero;
    const char *at = (const char *)o + offset;

    return memcmp(at, (const char *)&defaults + offset, size) != 0 &&
           memcmp(at, (const char *)&zero + offset, size) != 0;
}

/* The first option that is given, of these names or of all others; NULL: none. */
static const struct ec_field *first_given(const struct ec_predict_opts *o, const char *names,
                                          bool others)
{
    const struct ec_field *f;

    for (f = ec_predict_fields; f->name; f++) {
        const char *const *text = (const void *)((const char *)o + f->offset);
        size_t size = f->type == EC_F_BOOL   ? sizeof(bool)
                      : f->type == EC_F_ENUM ? sizeof(int)
                                             : sizeof(int64_t);

        if (ec_is_among(f->name, ec_span_of(names), ' ') != others &&
            (f->type == EC_F_STR ? *text && **text : is_given(o, f->offset, size)))
            return f;
    }
    return NULL;
}

/* Refuses options of networks and jobs for an operator. */
static enum ec_status check_op(const struct ec_predict_opts *o, struct ec_err *err)
{
    const struct ec_field *f =
        first_given(o,
                    "precision layout framework mode optimizer queued half_inputs phase set "
                    "activation host threads devices_per_machine",
                    true);
    char flag[EC_FLAG_BYTES];

    if (f)
        return ec_fail(err, EC_E_INPUT,
                       "%s is for networks; the case text of an operator says it all",
                       ec_flag_text(f->name, flag, sizeof flag));
    if (o->host && *o->host)
        return ec_fail(
            err, EC_E_INPUT,
            "--host is for networks: an operator alone is timed as its benchmarks time it, "
            "with their own hosts");
    if (o->cond.mode == EC_MODE_ISOLATED_STEP && o->phase)
        return ec_fail(err, EC_E_INPUT, "--phase: an isolated step has all phases");
    if (o->cond.mode != EC_MODE_ISOLATED_STEP && ec__activation_of(o))
        return ec_fail(err, EC_E_INPUT, "--activation goes with --mode isolated_step");
    return EC_OK;
}

bool ec__has_halves(const struct ec_predict_opts *o)
{
    return o->cond.precision == EC_BF16 || o->cond.precision == EC_FP16;
}

/* An option that has no effect unless another, `of`, has one of certain values. */
struct need {
    const char *name, *of, *goes_with;
    bool is_met;
    size_t offset, size;
};
#define NEEDS 12

/* Those that are given in vain. is_settled: else a precision that is usual is not known yet */
static int find_idle(const struct ec_predict_opts *o, bool is_settled, struct need ret[NEEDS])
{
    static const char adapters[] = "--tuning lora or qlora", made[] = "--rl grpo or ppo",
                      halves[] =
                          "--precision bf16 or fp16, as parameters of others are float32 already";
    const struct ec_parallelism *p = &o->parallel;
    bool tunes = p->tuning != EC_TUNING_FULL, fsdp = o->strategy == EC_STRATEGY_fsdp;
    bool has_halves = ec__has_halves(o) || (o->usual_precision && !is_settled);
#define NEED(name, member, of, with, is_met) name, of, with, is_met, AT(member), sizeof o->member
    const struct need v[NEEDS] = {
        { NEED("rank", parallel.rank, "tuning", adapters, tunes) },
        { NEED("targets", parallel.targets, "tuning", adapters, tunes) },
        { NEED("fp32_adapters", parallel.fp32_adapters, "tuning", adapters, tunes) },
        { NEED("fp32_adapters", parallel.fp32_adapters, "precision", halves, has_halves) },
        { NEED("master_weights", cond.master_weights, "precision", halves, has_halves) },
        { NEED("virtual_stages", parallel.virtual_stages, "pp", "--pp above 1", p->pipeline > 1) },
        { NEED("shard_group", parallel.shard_group, "zero", "--zero or --strategy fsdp",
               p->zero || fsdp) },
        { NEED("keep_gathered", parallel.keep_gathered, "zero", "--zero 3 or --strategy fsdp",
               p->zero == 3 || (!p->zero && fsdp)) },
        { NEED("overlap_experts", parallel.overlap_experts, "ep", "--ep above 1", p->expert > 1) },
        { NEED("generated", generated, "rl", made, ec__makes_samples(o)) },
        { NEED("group", group, "rl", made, ec__makes_samples(o)) },
        { NEED("generators", generators, "rl", made, ec__makes_samples(o)) },
    };
#undef NEED
    int i, n = 0;

    for (i = 0; i < NEEDS; i++)
        if (!v[i].is_met && is_given(o, v[i].offset, v[i].size))
            ret[n++] = v[i];
    return n;
}

void ec_drop_idle(struct ec_predict_opts *o, const struct ec_strs *of, const struct ec_strs *kept)
{
    struct need v[NEEDS];
    int i, n;

    ec_predict_opts_default(NULL);
    n = find_idle(o, false, v);
    for (i = 0; i < n; i++)
        if ((!of || ec_strs_have(of, v[i].of)) && !(kept && ec_strs_have(kept, v[i].name)))
            memcpy((char *)o + v[i].offset, (const char *)&defaults + v[i].offset, v[i].size);
}

enum ec_status ec__check_needs(const struct ec_predict_opts *o, bool is_settled, struct ec_err *err)
{
    struct ec_buf found = EC_BUF_INIT;
    struct need v[NEEDS];
    char flag[EC_FLAG_BYTES];
    enum ec_status st;

    if (!find_idle(o, is_settled, v))
        return EC_OK;
    ec_field_print(ec_field_find(ec_predict_fields, ec_span_of(v->of)), o, &found);
    st =
        ec_fail(err, EC_E_INPUT, "%s goes with %s: found --%s %s",
                ec_flag_text(v->name, flag, sizeof flag), v->goes_with, v->of, ec_buf_text(&found));
    ec_buf_clear(&found);
    return st;
}

bool ec_may_recompute(const struct ec_conditions *c)
{
    return c->mode != EC_MODE_FORWARD && c->framework != EC_FW_epochcast;
}

static enum ec_status check_recompute(const struct ec_predict_opts *o, struct ec_err *err)
{
    if (o->cond.recompute == EC_RECOMPUTE_NONE || ec_may_recompute(&o->cond))
        return EC_OK;
    if (o->cond.mode == EC_MODE_FORWARD)
        return ec_fail(err, EC_E_INPUT,
                       "--recompute %s with --mode forward: forward alone keeps nothing that "
                       "could be computed again; expected training_step or forward_backward",
                       ec_recompute_names[o->cond.recompute]);
    return ec_fail(err, EC_E_INPUT,
                   "--recompute %s with --framework %s: its engine keeps all activations",
                   ec_recompute_names[o->cond.recompute], ec_framework_keys[o->cond.framework]);
}

bool ec_has_amount(const struct ec_predict_opts *o)
{
    return o->samples || o->tokens || o->steps;
}

/* Refuses parts of a job where there is none. */
static enum ec_status check_job(const struct ec_predict_opts *o, struct ec_err *err)
{
    const struct ec_field *f = first_given(
        o, "eval_samples checkpoint_rate start mtbf spot_life restart checkpoint_every", false);
    char flag[EC_FLAG_BYTES];

    if (!f || o->epochs || ec_has_amount(o))
        return EC_OK;
    return ec_fail(err, EC_E_INPUT,
                   "%s is a part of a job: give --epochs, or --samples, --tokens or --steps of the "
                   "job",
                   ec_flag_text(f->name, flag, sizeof flag));
}

/* Refuses what makes or fills samples where it has no meaning. */
static enum ec_status check_samples(const struct ec_predict_opts *o, struct ec_err *err)
{
    bool has_lengths = o->lengths && *o->lengths;

    if (o->rl != EC_RL_none && o->cond.mode != EC_MODE_TRAINING_STEP)
        return ec_fail(err, EC_E_INPUT, "--rl goes with --mode training_step");
    if (ec__makes_samples(o) && o->parallel.pipeline > 1)
        return ec_fail(
            err, EC_E_UNSUPPORTED,
            "--rl %s with --pp: each token that is generated passes all stages, which is "
            "not predicted; share by --zero or --tp in place of --pp %lld",
            rl_words[o->rl], (long long)o->parallel.pipeline);
    if (o->padding != EC_PADDING_longest && !has_lengths)
        return ec_fail(err, EC_E_INPUT, "--padding goes with --lengths");
    if (has_lengths && o->dataset && *o->dataset)
        return ec_fail(err, EC_E_INPUT, "--lengths and --dataset are both given, expected one");
    return EC_OK;
}

/* Refuses options of operators for a network, and contradictions. */
static enum ec_status check_network(const struct ec_predict_opts *o, struct ec_err *err)
{
    bool has_dataset = o->dataset && *o->dataset, has_amount = ec_has_amount(o);

    if (o->cond.mode == EC_MODE_ISOLATED_STEP || ec__activation_of(o))
        return ec_fail(err, EC_E_INPUT,
                       "--mode isolated_step and --activation are for single operators; --method "
                       "justus-sum adds up those of a network");
    if (o->cond.queued || o->cond.half_inputs)
        return ec_fail(err, EC_E_INPUT,
                       "--queued and --half-inputs are for single operators (--op); the kernels "
                       "of a network always wait in the queue");
    if (o->phase)
        return ec_fail(err, EC_E_INPUT, "--phase is for single operators; a network takes --mode");
    if (has_dataset && has_amount)
        return ec_fail(err, EC_E_INPUT,
                       "--dataset and --%s are both given; the data set has its own count",
                       o->samples  ? "samples"
                       : o->tokens ? "tokens"
                                   : "steps");
    if (!!o->samples + !!o->tokens + !!o->steps > 1)
        return ec_fail(err, EC_E_INPUT, "--%s and --%s are both given, expected one",
                       o->samples ? "samples" : "tokens", o->steps ? "steps" : "tokens");
    if (o->epochs && o->steps)
        return ec_fail(err, EC_E_INPUT, "--steps and --epochs are both given, expected one");
    if ((o->epochs || o->usd_per_hour > 0) && !has_dataset && !has_amount)
        return ec_fail(err, EC_E_INPUT,
                       "--%s without a size: give --dataset, --samples or --tokens%s",
                       o->epochs ? "epochs" : "usd-per-hour", o->epochs ? "" : ", or --steps");
    if (o->global_batch && o->batch)
        return ec_fail(err, EC_E_INPUT,
                       "--batch, of one device, and --global-batch, of all, are both given");
    EC_PASS(ec__check_sharded(o, err));
    if (!ec__is_sharded(o) && o->global_batch &&
        o->global_batch % (o->devices > 1 ? o->devices : 1))
        return ec_fail(err, EC_E_INPUT,
                       "--global-batch %lld cannot be shared evenly by %lld devices",
                       (long long)o->global_batch, (long long)o->devices);
    EC_PASS(check_job(o, err));
    EC_PASS(check_samples(o, err));
    return check_recompute(o, err);
}

enum ec_status ec_predict_opts_check(const struct ec_predict_opts *o, bool is_op,
                                     struct ec_err *err)
{
    EC_PASS(check_ranges(o, err));
    ec_predict_opts_default(NULL);
    EC_PASS(ec__check_needs(o, false, err));
    return is_op ? check_op(o, err) : check_network(o, err);
}

enum ec_status ec_predict_opts_job(const char *job, struct ec_predict_opts *o, struct ec_err *err)
{
    const size_t first = offsetof(struct ec_predict_opts, parallel);
    struct ec_span rest = ec_span_of(job), word, name;

    while (ec_span_cut(&rest, ' ', &word)) {
        const struct ec_field *f;

        if (!word.len)
            continue;
        (void)ec_span_cut(&word, '=', &name);
        f = ec_field_find(ec_predict_fields, name);
        if (!f || f->offset < first || f->offset >= first + sizeof o->parallel)
            return ec_fail(err, EC_E_INPUT, "\"%.*s\" is no word of a job, such as tuning or zero",
                           (int)(name.len < 40 ? name.len : 40), name.p);
        EC_PASS(ec_field_set(f, o, word, NULL, err));
    }
    return EC_OK;
}

enum ec_status ec_record_opts(const struct ec_record *m, struct ec_predict_opts *ret,
                              struct ec_err *err)
{
    EC_PASS(ec_record_check(m, err));
    ec_predict_opts_default(ret);
    ret->cond = m->cond;
    ret->usual_precision = ret->usual_framework = false;
    ret->batch = m->batch;
    ret->devices = m->num_devices;
    if (*m->run) /* processes of one machine: docs/measurement-format.md */
        ret->devices_per_machine = m->num_devices;
    ret->seq_len = m->seq_len;
    ret->image = m->image_px;
    ret->phase = ec_record_is_network(m) ? 0 : m->phase + 1;
    if (ret->cond.mode == EC_MODE_ISOLATED_STEP && *m->activation &&
        !ec_str_eq(m->activation, "none"))
        ret->activation = m->activation;
    EC_PASS(ec_predict_opts_job(m->job, ret, err));
    ec_drop_idle(ret, NULL, NULL); /* tables have one rank for rows with and without */
    return EC_OK;
}
