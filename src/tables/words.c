/* Translation of words in cells: by the lists of a mapping, and by the lists for all tables. */
#include "tables/mapping_internal.h"

/* Of anybody's tables: patterns of small letters and digits, see ec_str_letters. The first that
 * fits is taken, the empty word stands for an empty cell. */
/* clang-format off */
static const struct ec_word_pair any_precision[] = {
    { "fp32", "fp32" }, { "float32", "fp32" }, { "torchfloat32", "fp32" }, { "single", "fp32" },
    { "32true", "fp32" }, { "32", "fp32" }, { "", "fp32" }, { "tf32", "tf32" }, { "amp", "amp" },
    { "ampfp16", "amp" }, { "ampbf16", "amp" }, { "mixed*", "amp" }, { "*mixed", "amp" },
    { "autocast", "amp" }, { "bf16", "bf16" }, { "bf16true", "bf16" }, { "bfloat16", "bf16" },
    { "torchbfloat16", "bf16" }, { "fp16", "fp16" }, { "16true", "fp16" }, { "float16", "fp16" },
    { "torchfloat16", "fp16" }, { "half", "fp16" },
    /* of a column that asks whether the run was in mixed precision */
    { "yes", "amp" }, { "true", "amp" }, { "1", "amp" }, { "on", "amp" },
    { "no", "fp32" }, { "false", "fp32" }, { "0", "fp32" }, { "off", "fp32" },
};
static const struct ec_word_pair any_framework[] = {
    { "", "pytorch-2" }, { "epochcast", "epochcast" }, { "pytorchcompiled", "pytorch-compiled" },
    { "torchcompile*", "pytorch-compiled" }, { "pytorchngc", "pytorch-ngc" },
    { "pytorch1*", "pytorch-1" }, { "torch1*", "pytorch-1" }, { "pytorch0*", "pytorch-0" },
    { "torch7", "torch7" }, { "pytorch*", "pytorch-2" }, { "torch*", "pytorch-2" },
    { "tensorflow1*", "tensorflow-1" }, { "tf1*", "tensorflow-1" },
    { "tensorflow*", "tensorflow-2" }, { "tf*", "tensorflow-2" }, { "keras*", "tensorflow-2" },
    { "caffe*", "caffe" },
};
static const struct ec_word_pair any_optimizer[] = {
    { "", "sgd" }, { "none", "none" }, { "sgd", "sgd" }, { "momentum", "momentum" },
    { "*sgd*momentum", "momentum" }, { "rmsprop", "rmsprop" }, { "adam", "adam" },
    { "adamw", "adamw" }, { "adagrad", "adagrad" }, { "adadelta", "adadelta" },
};
static const struct ec_word_pair any_mode[] = {
    { "", "training_step" }, { "train*", "training_step" }, { "step", "training_step" },
    { "forwardbackward", "forward_backward" }, { "fwdbwd", "forward_backward" },
    { "forward", "forward" }, { "fwd", "forward" }, { "infer*", "forward" }, { "eval*", "forward" },
};
static const struct ec_word_pair any_format[] = {
    { "", "channels-first" }, { "channelsfirst", "channels-first" }, { "nchw", "channels-first" },
    { "contiguous", "channels-first" }, { "channelslast", "channels-last" },
    { "nhwc", "channels-last" },
};
static const struct ec_word_pair any_recompute[] = {
    { "", "none" }, { "0", "none" }, { "false", "none" }, { "no", "none" }, { "off", "none" },
    { "1", "full" }, { "true", "full" }, { "yes", "full" }, { "on", "full" },
};
/* Any other word is that of a run that ended well. */
static const struct ec_word_pair any_outcome[] = {
    { "oom", EC_OUT_OF_MEMORY }, { "cudaoom", EC_OUT_OF_MEMORY },
    { "*outofmemory*", EC_OUT_OF_MEMORY }, { "oomkilled", EC_OUT_OF_MEMORY },
    { "unsupported", "unsupported" }, { "unstable", "unstable" }, { "diverged", "unstable" },
    { "fail*", "error" }, { "error*", "error" }, { "crash*", "error" }, { "*", "ok" },
};

/* condition: whose own words are taken too */
#define WORDS(list, condition_)                                                                    \
    {                                                                                              \
        .name = #list, .v = list, .n = EC_LEN(list), .is_loose = true, .condition = condition_     \
    }
static const struct ec_words built_in[] = {
    WORDS(any_precision, "precision"),
    WORDS(any_framework, "framework"),
    WORDS(any_optimizer, "optimizer"),
    WORDS(any_mode, "mode"),
    WORDS(any_recompute, "recompute"),
    WORDS(any_format, "layout"),
    WORDS(any_outcome, NULL),
};
/* clang-format on */

const struct ec_words *ec__words_find(const struct ec_mapping_file *m, struct ec_span name)
{
    const struct ec_words *w;
    int i;

    for (; m; m = m->shared)
        for (w = m->words; w; w = w->next)
            if (ec_span_eq(name, w->name))
                return w;
    for (i = 0; i < EC_LEN(built_in); i++)
        if (ec_span_eq(name, built_in[i].name))
            return &built_in[i];
    return NULL;
}

static const char *own_word(const char *condition, const char *word)
{
    const struct ec_field *f = ec_field_find(ec_condition_fields, ec_span_of(condition));
    int at = ec_field_index(f, ec_span_of(word));

    return at < 0 ? NULL : f->choices[at];
}

const char *ec__word(const struct ec_words *w, const char *from)
{
    char folded[40]; /* a longer word matches none of ours */
    int i;

    if (!w)
        return NULL;
    if (w->is_loose)
        ec_str_letters(from, folded, sizeof folded);
    for (i = 0; i < w->n; i++)
        if (w->is_loose ? ec_str_glob(w->v[i].from, folded) : ec_str_eq(w->v[i].from, from))
            return w->v[i].to;
    return w->condition ? own_word(w->condition, from) : NULL;
}

void ec__words_print(const struct ec_words *w, struct ec_buf *out)
{
    int i, k;

    for (i = 0; i < w->n; i++) {
        for (k = 0; k < i && !ec_str_eq(w->v[k].to, w->v[i].to); k++)
            continue;
        if (k == i)
            ec_buf_printf(out, "%s%s", out->len ? ", " : "", w->v[i].to);
    }
}
