/* Words and defaults of a measurement. */
#include "record/record.h"

#include <string.h>

#define WORD(name) #name,
const char *const ec_kind_names[] = { EC_KIND_LIST(WORD) NULL };
#undef WORD

static const char *const phases[] = { EC_PHASE_LIST(EC_PHASE_WORD) NULL };

const char *ec_phase_name(enum ec_phase p)
{
    return (unsigned)p < EC_PHASE_COUNT ? phases[p] : "?";
}

static int index_of(const char *const *words, const char *word)
{
    int i;

    for (i = 0; words[i]; i++)
        if (ec_str_eq(words[i], word))
            return i;
    return -1;
}

const char *ec_record_phase_word(const struct ec_record *r)
{
    return r->phase >= 0 && r->phase < EC_PHASE_COUNT ? phases[r->phase] : "";
}

int ec_phase_find(const char *word)
{
    return index_of(phases, word);
}

/* The rows of the table of conditions that sources give in words. */
static const struct ec_field *field_of(enum ec_word which)
{
    static const char *const names[EC_WORD_COUNT] = {
        [EC_WORD_PRECISION] = "precision", [EC_WORD_LAYOUT] = "layout",
        [EC_WORD_FRAMEWORK] = "framework", [EC_WORD_MODE] = "mode",
        [EC_WORD_OPTIMIZER] = "optimizer", [EC_WORD_RECOMPUTE] = "recompute",
    };

    return ec_field_find(ec_condition_fields, ec_span_of(names[which]));
}

const char *ec_record_word(const struct ec_record *r, enum ec_word which)
{
    const struct ec_field *f = field_of(which);
    int at;

    if (r->foreign[which])
        return r->foreign[which];
    memcpy(&at, (const char *)&r->cond + f->offset, sizeof at);
    return f->choices[at];
}

void ec_record_set_word(struct ec_record *r, enum ec_word which, const char *word)
{
    const struct ec_field *f = field_of(which);
    int at;

    if (which == EC_WORD_RECOMPUTE && (!word || !*word))
        word = ec_recompute_names[EC_RECOMPUTE_NONE];
    at = word && *word ? ec_field_index(f, ec_span_of(word)) : -1;
    r->foreign[which] = at < 0 ? word : NULL;
    if (at >= 0)
        memcpy((char *)&r->cond + f->offset, &at, sizeof at);
}

void ec_record_phase_mode(struct ec_record *r)
{
    const char *mode = r->foreign[EC_WORD_MODE];

    if (r->phase >= 0 && mode && ec_str_eq(mode, phases[r->phase]))
        ec_record_set_word(
            r, EC_WORD_MODE,
            ec_mode_name(r->phase == EC_UPDATE ? EC_MODE_TRAINING_STEP : EC_MODE_FORWARD_BACKWARD));
}

void ec_record_set_phase_in_file(struct ec_record *r, const char *word)
{
    r->phase = r->kind == EC_KIND_operator ? ec_phase_find(word) : -1;
    ec_record_set_word(r, EC_WORD_MODE, ec_str_eq(word, "step") ? "training_step" : word);
    ec_record_phase_mode(r);
}

void ec_record_default(struct ec_record *r)
{
    static const char *const plain[EC_WORD_COUNT] = {
        [EC_WORD_PRECISION] = "fp32",      [EC_WORD_LAYOUT] = "channels-first",
        [EC_WORD_FRAMEWORK] = "pytorch-2", [EC_WORD_MODE] = "training_step",
        [EC_WORD_OPTIMIZER] = "sgd",       [EC_WORD_RECOMPUTE] = "none",
    };
    bool updates;
    int i;

    for (i = 0; i < EC_WORD_COUNT; i++) {
        if (!r->foreign[i] || *r->foreign[i])
            continue;
        updates = !r->foreign[EC_WORD_MODE] && r->cond.mode == EC_MODE_TRAINING_STEP;
        r->usual_optimizer |= i == EC_WORD_OPTIMIZER && updates;
        ec_record_set_word(r, (enum ec_word)i,
                           i == EC_WORD_OPTIMIZER && !updates ? "none" : plain[i]);
    }
}

enum ec_status ec_record_check(const struct ec_record *r, struct ec_err *err)
{
    struct ec_conditions ignored = r->cond;
    int i;

    for (i = 0; i < EC_WORD_COUNT; i++)
        if (r->foreign[i])
            EC_PASS(
                ec_conditions_set(&ignored, field_of((enum ec_word)i)->name, r->foreign[i], err));
    return EC_OK;
}

const char *ec_record_phase(const struct ec_record *r)
{
    return r->phase < 0 ? ec_record_word(r, EC_WORD_MODE) : ec_record_phase_word(r);
}

bool ec_record_is_network(const struct ec_record *r)
{
    return r->kind == EC_KIND_network;
}

bool ec_record_is_memory(const struct ec_record *r)
{
    return !r->time.known && r->memory_peak_bytes > 0;
}

int64_t ec_record_ways(const struct ec_record *r)
{
    struct ec_span rest = ec_span_of(r->job), word, name;
    int64_t ways = 1, n;

    while (ec_span_cut(&rest, ' ', &word)) {
        (void)ec_span_cut(&word, '=', &name);
        if ((ec_span_eq(name, "tp") || ec_span_eq(name, "pp") || ec_span_eq(name, "cp")) &&
            ec_parse_int(word, &n) && n > 0 && n <= INT64_MAX / ways)
            ways *= n;
    }
    return ways;
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int ec_record_compare(const struct ec_record *a, const struct ec_record *b)
{
    int by = order(a->batch, b->batch), i;

    by = by ? by : order(a->image_px, b->image_px);
    by = by ? by : order(a->seq_len, b->seq_len);
    by = by ? by : order(a->threads, b->threads);
    by = by ? by : strcmp(a->what, b->what);
    by = by ? by : strcmp(a->device, b->device);
    by = by ? by : strcmp(a->job, b->job);
    for (i = 0; i < EC_WORD_COUNT && !by; i++)
        by = strcmp(ec_record_word(a, (enum ec_word)i), ec_record_word(b, (enum ec_word)i));
    return by;
}

bool ec_record_is_comparable(const struct ec_record *r)
{
    bool lone = r->cond.mode != EC_MODE_ISOLATED_STEP &&
                (ec_str_eq(r->method, "isolated") || ec_str_eq(r->method, "justus"));
    int i;

    for (i = 0; i < EC_WORD_COUNT; i++)
        if (r->foreign[i] && *r->foreign[i])
            return false;
    return (r->kind == EC_KIND_network ||
            (r->kind == EC_KIND_operator && r->phase != EC_UPDATE && !lone)) &&
           ec_str_eq(r->outcome, "ok") && !*r->flags && !r->held_out &&
           (r->time.ns > 0 || ec_record_is_memory(r));
}
