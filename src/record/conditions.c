/* The words of conditions, their text and their comparison, all read from one table of rows. */
#include "record/record.h"

#include "conditions_fields.h"

#define WORD(name, word, ...) word,
const char *const ec_precision_names[] = { EC_PRECISION_LIST(WORD) NULL };
const char *const ec_memory_format_names[] = { EC_MEMORY_FORMAT_LIST(WORD) NULL };
const char *const ec_mode_names[] = { EC_MODE_LIST(WORD) NULL };
const char *const ec_recompute_names[] = { EC_RECOMPUTE_LIST(WORD) NULL };
const char *const ec_framework_keys[] = { EC_FRAMEWORK_LIST(WORD) NULL };
const char *const ec_tuning_names[] = { EC_TUNING_LIST(WORD) NULL };
const char *const ec_targets_names[] = { EC_TARGETS_LIST(WORD) NULL };
const char *const ec_stack_names[] = { EC_STACK_LIST(WORD) NULL };
const char *const ec_attention_names[] = { EC_ATTENTION_LIST(WORD) NULL };
const char *const ec_products_names[] = { EC_PRODUCTS_LIST(WORD) NULL };
#undef WORD
#define ALSO(name, word, also) also,
const char *const ec_precision_also[] = { EC_PRECISION_LIST(ALSO) NULL };
const char *const ec_memory_format_also[] = { EC_MEMORY_FORMAT_LIST(ALSO) NULL };
const char *const ec_mode_also[] = { EC_MODE_LIST(ALSO) NULL };
#undef ALSO
#define WORD(name, ...) #name,
const char *const ec_optimizer_names[] = { EC_OPTIMIZER_LIST(WORD) NULL };
/* As Hugging Face, bitsandbytes, DeepSpeed and papers call them. */
const char *const ec_optimizer_also[EC_OPT_COUNT] = {
    [EC_OPT_momentum] = "sgdm sgd_momentum",
    [EC_OPT_adam] = "fused_adam",
    [EC_OPT_adamw] = ("adamw_torch adamw_torch_fused adamw_torch_xla adamw_hf adamw_apex_fused "
                      "adamw_fused fused_adamw paged_adamw paged_adamw_32bit"),
    [EC_OPT_adamw_8bit] = ("adamw8bit adamw_bnb_8bit adamw_torch_8bit paged_adamw_8bit adam_8bit "
                           "adam8bit paged_adamw8bit"),
    [EC_OPT_lion] = "lion_32bit lion_pytorch paged_lion_32bit",
    [EC_OPT_muon] = "dist_muon",
};
const char *const ec_engine_optimizer_names[] = { EC_ENGINE_OPTIMIZER_LIST(WORD) NULL };
#undef WORD

const char *ec_precision_word(const char *word)
{
    static const struct ec_field f = { .name = "precision", .type = EC_F_ENUM, EC_PRECISION_WORDS };
    int p = 0;

    return word && !ec_field_choice(&f, ec_span_of(word), &p, NULL) ? ec_precision_names[p] : word;
}

const char *ec_mode_name(enum ec_mode m)
{
    return (unsigned)m < EC_MODE_COUNT ? ec_mode_names[m] : "?";
}

const struct ec_field ec_condition_fields[] = { EC_FIELDS_CONDITIONS(0), EC_FIELD_END };

struct ec_conditions ec_conditions_default(void)
{
    return (struct ec_conditions){ .optimizer = EC_OPT_sgd };
}

/* A condition as a number, for comparison and hash. */
static int64_t value_of(const struct ec_field *f, const struct ec_conditions *c)
{
    const char *at = (const char *)c + f->offset;

    return f->type == EC_F_BOOL ? *(const bool *)at : *(const int *)at;
}

bool ec_conditions_equal(const struct ec_conditions *a, const struct ec_conditions *b)
{
    const struct ec_field *f;

    for (f = ec_condition_fields; f->name; f++)
        if (value_of(f, a) != value_of(f, b))
            return false;
    return true;
}

uint64_t ec_conditions_hash(const struct ec_conditions *c)
{
    int64_t v[EC_LEN(ec_condition_fields)];
    int n = 0;

    for (; ec_condition_fields[n].name; n++)
        v[n] = value_of(&ec_condition_fields[n], c);
    return ec_hash(v, (size_t)n * sizeof *v);
}

void ec_conditions_print(const struct ec_conditions *c, struct ec_buf *out)
{
    struct ec_buf words = EC_BUF_INIT;

    ec_fields_print(ec_condition_fields, c, &words);
    if (words.len)
        ec_buf_add(out, words.data + 1, words.len - 1); /* the table begins with a space */
    if (words.st && !out->st)
        out->st = words.st;
    ec_buf_clear(&words);
}

static enum ec_status set(struct ec_conditions *c, struct ec_span name, struct ec_span word,
                          struct ec_err *err)
{
    const struct ec_field *f = ec_field_find(ec_condition_fields, name);

    if (!f)
        return ec_fail(err, EC_E_INPUT, "no condition is called \"%.*s\"", (int)name.len, name.p);
    return ec_field_set(f, c, word, NULL, err);
}

enum ec_status ec_conditions_set(struct ec_conditions *c, const char *name, const char *word,
                                 struct ec_err *err)
{
    return set(c, ec_span_of(name), ec_span_of(word), err);
}

enum ec_status ec_conditions_parse(const char *text, struct ec_conditions *ret, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), word, name;

    *ret = ec_conditions_default();
    while (ec_span_cut(&rest, ' ', &word)) {
        if (!word.len)
            continue;
        (void)ec_span_cut(&word, '=', &name);
        EC_PASS(set(ret, name, word, err));
    }
    return EC_OK;
}
