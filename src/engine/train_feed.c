/* From batches of samples to inputs and targets of the program. */
#include "engine/train_internal.h"

#include "engine/flat_host.h"

static const struct ec_type *input_type(const struct ec_graph *g)
{
    return &g->values[g->inputs[0]]->type;
}

static const struct ec_type *output_type(const struct ec_graph *g)
{
    return &g->values[g->outputs[0]]->type;
}

/* Values of one sample: the batch is the first dimension. */
static int64_t per_sample(const struct ec_type *t)
{
    int64_t n = 0;

    if (t->shape.rank < 1 || t->shape.d[0] < 1 || !ec_shape_count(&t->shape, &n))
        return 0;
    return n / t->shape.d[0];
}

static int64_t classes_of(const struct ec_type *t)
{
    return t->shape.rank >= 4   ? t->shape.d[1]
           : t->shape.rank >= 2 ? t->shape.d[t->shape.rank - 1]
                                : 1;
}

enum ec_status ec_train_fit_samples(const struct ec_graph *g, struct ec_samples_opts *ret,
                                    struct ec_err *err)
{
    const struct ec_type *in;
    int i;

    if (!g->n_inputs || !g->n_outputs)
        return ec_fail(err, EC_E_INPUT, "network \"%.80s\" has no %s to train on", g->name,
                       g->n_inputs ? "output" : "input");
    in = input_type(g);
    if (in->shape.rank < 1 || in->shape.rank - 1 > EC_SAMPLE_RANK_MAX)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "input \"%.80s\" has %d dimensions; samples have 1 to %d beside the batch",
                       g->values[g->inputs[0]]->name, in->shape.rank, EC_SAMPLE_RANK_MAX);
    ret->shape.n = in->shape.rank - 1;
    for (i = 0; i < ret->shape.n; i++)
        ret->shape.v[i] = in->shape.d[i + 1];
    ret->input = ec_dtype_is_float(in->dtype) ? EC_INPUT_F32 : EC_INPUT_TOKENS;
    ret->classes = classes_of(output_type(g));
    return EC_OK;
}

static enum ec_loss loss_by_data(const struct ec_trainer *t)
{
    switch (t->info->label) {
    case EC_LABEL_VECTOR:
        return EC_LOSS_mse;
    case EC_LABEL_BINARY:
        return classes_of(output_type(t->g)) == 1 ? EC_LOSS_bce : EC_LOSS_cross_entropy;
    default:
        return EC_LOSS_cross_entropy;
    }
}

static enum ec_status check_input(const struct ec_trainer *t, struct ec_err *err)
{
    const struct ec_type *in = input_type(t->g);
    bool tokens = t->info->input == EC_INPUT_TOKENS;
    char shape[160];

    if (tokens == ec_dtype_is_float(in->dtype))
        return ec_fail(err, EC_E_INPUT, "network \"%.80s\" takes %s, data set %s gives %s",
                       t->g->name, tokens ? "numbers" : "tokens", t->info->name,
                       tokens ? "tokens" : "numbers");
    if (in->shape.d[0] != t->o->batch || per_sample(in) != t->info->input_elems)
        return ec_fail(err, EC_E_INPUT,
                       "network \"%.80s\" takes %s, data set %s gives %lld samples of %lld values",
                       t->g->name, ec_shape_text(&in->shape, shape, sizeof shape), t->info->name,
                       (long long)t->o->batch, (long long)t->info->input_elems);
    return EC_OK;
}

static enum ec_status check_labels(const struct ec_trainer *t, struct ec_err *err)
{
    const struct ec_type *out = output_type(t->g);
    int64_t classes = classes_of(out), rows = classes ? per_sample(out) / classes : 0;
    bool by_class = ec_loss_target(t->loss) == EC_TARGET_CLASS;
    bool has_class = t->info->label != EC_LABEL_VECTOR;
    int64_t want = by_class ? rows : per_sample(out);

    if (by_class ? !has_class
                 : t->info->label != EC_LABEL_VECTOR && t->info->label != EC_LABEL_BINARY)
        return ec_fail(err, EC_E_INPUT, "loss %s wants %s, data set %s has %s",
                       ec_loss_names[t->loss], by_class ? "classes" : "numbers", t->info->name,
                       has_class ? "classes" : "numbers");
    if (out->shape.rank < 1 || out->shape.d[0] != t->o->batch || want != t->info->label_elems)
        return ec_fail(err, EC_E_INPUT,
                       "the network's output has %lld %s per sample, data set %s has %lld labels",
                       (long long)want, by_class ? "rows" : "values", t->info->name,
                       (long long)t->info->label_elems);
    if (by_class && t->info->classes > classes)
        return ec_fail(err, EC_E_INPUT, "the network has %lld classes, data set %s has %lld",
                       (long long)classes, t->info->name, (long long)t->info->classes);
    return EC_OK;
}

enum ec_status ec__feed_check(struct ec_trainer *t, struct ec_err *err)
{
    t->loss = loss_by_data(t);
    if (t->o->loss)
        t->loss = (enum ec_loss)(t->o->loss - 1); /* enum: the words begin with auto */
    if (t->o->label_smoothing > 0 && t->loss != EC_LOSS_cross_entropy)
        return ec_fail(err, EC_E_INPUT,
                       "label smoothing has no effect: it is of cross entropy, the loss is %s",
                       ec_loss_names[t->loss]);
    t->has_accuracy = t->loss == EC_LOSS_cross_entropy || t->loss == EC_LOSS_bce;
    EC_PASS(check_input(t, err));
    EC_PASS(check_labels(t, err));
    if (t->g->n_inputs > 1)
        ec__tell_note(t, "the network has %d inputs: the data feeds \"%.80s\", the others are zero",
                      t->g->n_inputs, t->g->values[t->g->inputs[0]]->name);
    return EC_OK;
}

/* Tokens come as int64_t; the network may want them narrower. */
static enum ec_status set_tokens(struct ec_trainer *t, const int64_t *tokens, struct ec_err *err)
{
    const struct ec_type *in = input_type(t->g);
    int64_t i, n = per_sample(in) * t->o->batch, size = ec_dtype_bytes(in->dtype);

    if (size == (int64_t)sizeof *tokens)
        return ec_program_set_input(t->program, 0, tokens, n * size, err);
    if (!t->converted)
        t->converted = ec_alloc((size_t)(n * size));
    EC_PASS(ec_allocated(t->converted, err));
    for (i = 0; i < n; i++) {
        if (size == 4)
            ((int32_t *)t->converted)[i] = (int32_t)tokens[i];
        else if (size == 2)
            ((int16_t *)t->converted)[i] = (int16_t)tokens[i];
        else
            ((int8_t *)t->converted)[i] = (int8_t)tokens[i];
    }
    return ec_program_set_input(t->program, 0, t->converted, n * size, err);
}

static enum ec_status set_input(struct ec_trainer *t, const struct ec_batch *b, struct ec_err *err)
{
    if (t->info->input == EC_INPUT_TOKENS)
        return set_tokens(t, b->data.tokens, err);
    return ec_program_set_input(t->program, 0, b->data.x,
                                per_sample(input_type(t->g)) * t->o->batch * (int64_t)sizeof(float),
                                err);
}

/* The loader's buffers are whole batches; rows without a sample get a label that does not count.
 */
static enum ec_status set_target(struct ec_trainer *t, const struct ec_batch *b, struct ec_err *err)
{
    int64_t n = t->info->label_elems, rows = n * t->o->batch, i;
    int64_t *label = b->data.label;

    if (ec_loss_target(t->loss) == EC_TARGET_FLOAT)
        return ec_program_set_target(t->program, b->data.target, rows * (int64_t)sizeof(float),
                                     err);
    for (i = b->n * n; i < rows; i++)
        label[i] = -1;
    return ec_program_set_target(t->program, label, rows * (int64_t)sizeof *label, err);
}

enum ec_status ec__feed(struct ec_trainer *t, const struct ec_batch *b, struct ec_err *err)
{
    EC_PASS(set_input(t, b, err));
    return set_target(t, b, err);
}

/* Losses of numbers have no way to leave a row out: of a batch that is not full, the rows that
 * count are judged here. */
static enum ec_status judge_part(struct ec_trainer *t, const struct ec_batch *b,
                                 struct ec_step_result *ret, struct ec_err *err)
{
    int64_t n = per_sample(output_type(t->g));
    struct ec_ctx host = { .threads = 1 };
    struct ec_loss_job job = {
        .loss = t->loss,
        .delta = t->o->huber_delta > 0 ? t->o->huber_delta : 1,
        .scale = 1,
        .rows = b->n,
        .cols = n,
        .target = b->data.target,
        .ret_loss = &ret->loss,
        .ret_correct = &ret->correct,
        .ret_counted = &ret->counted,
    };

    if (!t->output)
        t->output = ec_alloc((size_t)(n * t->o->batch) * sizeof *t->output);
    EC_PASS(ec_allocated(t->output, err));
    EC_PASS(ec_program_output(t->program, 0, t->output, n * t->o->batch, err));
    job.y = t->output;
    return ec_flat_host.loss(&host, EC_DT_f32, &job, err);
}

enum ec_status ec__feed_eval(struct ec_trainer *t, const struct ec_batch *b, struct ec_sums *ret,
                             struct ec_err *err)
{
    struct ec_step_result r = { 0 };

    if (b->n == 0)
        return EC_OK;
    EC_PASS(ec__feed(t, b, err));
    EC_PASS(ec_program_eval(t->program, &r, err));
    if (b->n < t->o->batch && ec_loss_target(t->loss) == EC_TARGET_FLOAT)
        EC_PASS(judge_part(t, b, &r, err));
    ret->loss += r.loss * (double)r.counted;
    ret->correct += (double)r.correct;
    ret->counted += (double)r.counted;
    return EC_OK;
}
