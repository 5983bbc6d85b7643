/* From the keys of a training tool's file to the options of a query, by data/job-keys.csv, which is
 * built into the library: a row for each key, with the option that it sets. */
#include "predict/job_file.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "graph/graph.h"
#include "job_keys_file.h"
#include "predict/job_pairs.h"
#include "predict/predict_internal.h"

EC_EMBED(job_keys, EC_JOB_KEYS_FILE);

/* Options of which the first that is known excludes the others. */
static const char *const one_of[][5] = {
    {"steps", "samples", "tokens",       "dataset", NULL },
    { "steps",   "epochs",           NULL                 },
    { "global_batch",   "batch", NULL},
    { "batch",   "accumulation",           NULL                                  },
    { "global_batch",   "accumulation", NULL}, /* but in files of DeepSpeed without micro-batch */
};

struct reader {
    const char *path;
    const struct ec_strs *given;
    struct ec_predict_opts *o;
    struct ec_job_file *ret;
    struct ec_arena *a;
    const char *tool; /* the formats whose rows it has: "axolotl hf deepspeed" */
    struct ec__job_pairs pairs;
    struct ec_csv rows;
    struct ec_buf model, network; /* words of its name; ",layers=32,hidden=4096" */
    double devices, replicas, chunk_layers, word_unit; /* 0: not said; NAN: left open */
    bool divides_batch; /* the batch of all by accumulation is the micro-batch */
    struct ec_err *err;
};

/* ------------------------------------------------------------------------------------------------
 * Words */

/* Values of YAML and Python in one spelling. */
static const char *plain_word(const char *word)
{
    static const char *const same[][2] = {
        {"yes",  "true" },
        { "on",  "true" },
        { "no",  "false"},
        { "off", "false"},
        { "~",   "null" },
    };
    int i;

    for (i = 0; i < EC_LEN(same); i++)
        if (ec_str_ieq(word, same[i][0]))
            return same[i][1];
    return word;
}

/* "auto", "null", "-1": the tool decides. */
static bool is_open(const char *word)
{
    double v;

    return !*word || ec_str_ieq(word, "null") || ec_str_ieq(word, "none") ||
           ec_str_ieq(word, "auto") || (ec_parse_double(ec_span_of(word), &v) && v < 0);
}

/* What the rules "full=full selective=~none *=3" make of a word; false: it is not among them.
 * *ret_near: it is not quite the same */
static bool by_rules(const struct reader *r, const char *rules, const char *word, const char **ret,
                     bool *ret_near)
{
    struct ec_span rest = ec_span_of(rules), rule, from;
    char name[64];

    *ret = word;
    *ret_near = ec_str_eq(rules, "~");
    if (!*rules || *ret_near)
        return true;
    while (rest.p && ec_span_cut(&rest, ' ', &rule)) {
        if (!ec_span_cut(&rule, '=', &from) || !rule.p)
            continue;
        (void)ec_snprintf(name, sizeof name, "%.*s", (int)from.len, from.p);
        if (!ec_str_eq(name, "*") && !ec_str_ieq(name, word))
            continue;
        *ret_near = rule.len && *rule.p == '~';
        if (!ec_span_eq(rule, "*"))
            *ret = ec_arena_strn(r->a, rule.p + *ret_near, rule.len - *ret_near);
        return *ret != NULL;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Options */

/* A key and its value, where it has one, as a person wrote them. */
static const char *said(const struct reader *r, const char *key, const char *value)
{
    char *text = ec_arena_printf(r->a, "%s%s%.60s", key, value ? " " : "", value ? value : "");

    if (text)
        text[ec_plain_text(text, strlen(text), "")] = '\0';
    return text ? text : "";
}

/* Another option says the same in other words. NULL: none does */
static const char *excluded_by(const struct reader *r, const char *name, const struct ec_strs *list)
{
    int n = EC_LEN(one_of) - r->divides_batch, i, k, own;

    for (i = 0; i < n; i++) {
        for (own = 0; one_of[i][own] && !ec_str_eq(one_of[i][own], name); own++)
            continue;
        for (k = 0; one_of[i][own] && one_of[i][k]; k++)
            if (k != own && ec_strs_have(list, one_of[i][k]))
                return one_of[i][k];
    }
    return ec_strs_have(list, name) ? name : NULL;
}

/* Whole numbers may be written as "3.0"; a part of an epoch counts as a whole one. */
static const char *whole(const struct reader *r, const struct ec_field *f, const char *text,
                         bool *ret_near)
{
    double v;

    if (f->type != EC_F_INT || !ec_parse_double(ec_span_of(text), &v) || !(fabs(v) < 1e15))
        return text;
    *ret_near = *ret_near || v != floor(v);
    text = ec_arena_printf(r->a, "%.0f", ceil(v));
    return text ? text : "";
}

/* An option as the command takes it: --offload, --no-offload, --zero 3. */
static const char *as_typed(const struct reader *r, const struct ec_field *f, const char *flag,
                            const char *text)
{
    const char *typed = f->type != EC_F_BOOL   ? ec_arena_printf(r->a, "%s %s", flag, text)
                        : ec_str_eq(text, "0") ? ec_arena_printf(r->a, "--no-%s", flag + 2)
                                               : flag;

    return typed ? typed : flag;
}

/* key, value: for the sentence; without a value the key is a reason, and "" says nothing */
static enum ec_status set_option(struct reader *r, const char *name, const char *text,
                                 const char *key, const char *value, bool near)
{
    const struct ec_field *f = ec_field_find(ec_predict_fields, ec_span_of(name));
    const char *shown = said(r, key, value), *by;
    struct ec_job_file *ret = r->ret;
    char flag[64], other[64];

    if (!f)
        return ec_strs_add(&ret->unknown, r->a, r->err, "%s: no option for it", shown);
    (void)ec_flag_text(name, flag, sizeof flag);
    by = excluded_by(r, name, r->given);
    if (by)
        return value ? ec_strs_add(&ret->read, r->a, r->err, "%s: not used, as %s is given", shown,
                                   ec_flag_text(by, other, sizeof other))
                     : EC_OK;
    if (excluded_by(r, name, &ret->set))
        return EC_OK;
    text = whole(r, f, text, &near);
    if (ec__option_set(f, r->o, ec_span_of(text), r->a, NULL))
        return ec_strs_add(&ret->unknown, r->a, r->err, "%s: no value of %s", shown, flag);
    if (f->type == EC_F_ENUM) /* in our own word */
        text = f->choices[*(const int *)((const char *)r->o + f->offset)];
    if (ec_strs_add(&ret->set, r->a, r->err, "%s", name))
        return EC_E_NOMEM;
    if (f->type == EC_F_INT && f->deflt && ec_str_eq(f->deflt, text) && value)
        ret->n_idle++;
    else if (*key)
        return ec_strs_add(near ? &ret->assumed : &ret->read, r->a, r->err,
                           !value ? "%s: %s"
                           : near ? "%s for %s"
                                  : "%s (%s)",
                           as_typed(r, f, flag, text), value && near ? shown : key);
    return EC_OK;
}

/* Numbers from which options follow later. NULL: the name is that of an option */
static double *number_of(struct reader *r, const char *name)
{
    return ec_str_eq(name, "devices")        ? &r->devices
           : ec_str_eq(name, "replicas")     ? &r->replicas
           : ec_str_eq(name, "chunk_layers") ? &r->chunk_layers
           : ec_str_eq(name, "word_unit")    ? &r->word_unit
                                             : NULL;
}

static enum ec_status put(struct reader *r, const char *name, const char *text, const char *key,
                          const char *value, bool near)
{
    double *number = number_of(r, name), v = 0;
    char member[64];

    if (number) {
        if (!ec_parse_double(ec_span_of(text), &v) || !(v >= 0 && v <= 1 << 20) || v != floor(v))
            return ec_strs_add(&r->ret->unknown, r->a, r->err, "%s: no number of devices",
                               said(r, key, value));
        *number = v < 1 ? (double)NAN : *number != 0 ? *number * v : v;
        return isnan(*number) ? EC_OK
                              : ec_strs_add(&r->ret->read, r->a, r->err, "%s", said(r, key, value));
    }
    if (ec_str_eq(name, "model")) {
        ec_buf_printf(&r->model, "%s%s", r->model.len ? "_" : "", text);
        return EC_OK;
    }
    if (!ec_str_starts(name, "model."))
        return set_option(r, name, text, key, value, near);
    (void)ec_snprintf(member, sizeof member, ",%s=", name + 6);
    if (strstr(ec_buf_text(&r->network), member) ||
        strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(text))
        return EC_OK;
    ec_buf_printf(&r->network, "%s%s", member, text);
    return !value && *key
               ? ec_strs_add(&r->ret->assumed, r->a, r->err, "%s %s: %s", name + 6, text, key)
               : EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

enum { COL_FORMAT, COL_KEY, COL_OPTION, COL_VALUES };

static const char *cell(const struct reader *r, int row, int col)
{
    return ec_csv_cell(&r->rows, row, col);
}

static bool is_own(const struct reader *r, int row)
{
    return ec_is_among(cell(r, row, COL_FORMAT), ec_span_of(r->tool), ' ');
}

/* Each word of a value by the rules of a row. Words that no row of the key knows are unknown;
 * *known has a bit for each word. */
static enum ec_status apply(struct reader *r, int row, const struct ec__job_pair *pair,
                            uint64_t *known)
{
    const char *rules = cell(r, row, COL_VALUES), *name = cell(r, row, COL_OPTION), *to;
    struct ec_span rest = ec_span_of(pair->value), word;
    enum ec_status st = EC_OK;
    char text[EC__JOB_VALUE + 1];
    bool near;
    int i = 0;

    if (!*rules || ec_str_eq(rules, "~")) {
        *known = UINT64_MAX;
        return *name && !is_open(pair->value)
                   ? put(r, name, pair->value, pair->key, pair->value, *rules != '\0')
                   : EC_OK;
    }
    while (!st && rest.p && ec_span_cut(&rest, ' ', &word) && i < 64) {
        (void)ec_snprintf(text, sizeof text, "%.*s", (int)word.len, word.p);
        text[strcspn(text, ",")] = '\0';
        if (by_rules(r, rules, plain_word(text), &to, &near)) {
            *known |= (uint64_t)1 << i;
            if (*to && *name)
                st = put(r, name, to, pair->key, pair->value, near);
        } else if (is_open(plain_word(text))) {
            *known |= (uint64_t)1 << i;
        }
        i++;
    }
    return st;
}

static int words_in(const char *value)
{
    int n = 1;

    for (; *value; value++)
        n += *value == ' ';
    return n > 64 ? 64 : n;
}

/* With what it means that the key is not read, where a row has it. */
static enum ec_status add_unknown(struct reader *r, const char *key, const char *value)
{
    const char *note = "";
    int row;

    for (row = 0; row < r->rows.n_rows; row++)
        if (ec_str_eq(cell(r, row, COL_FORMAT), "note") && ec_str_eq(cell(r, row, COL_KEY), key))
            note = cell(r, row, COL_VALUES);
    return ec_strs_add(&r->ret->unknown, r->a, r->err, "%s%s%s", said(r, key, value),
                       *note ? ": " : "", note);
}

static enum ec_status end_key(struct reader *r, struct ec__job_pair *pair, uint64_t known)
{
    uint64_t all = UINT64_MAX >> (64 - words_in(pair->value));

    if (pair->used)
        return EC_OK;
    pair->used = true;
    return (known & all) == all ? EC_OK : add_unknown(r, pair->key, pair->value);
}

/* Rows of one key stand together. */
static enum ec_status apply_keys(struct reader *r)
{
    struct ec__job_pair *pair;
    enum ec_status st = EC_OK;
    uint64_t known = 0;
    int row;

    for (row = 0; row < r->rows.n_rows && !st; row++) {
        const char *key = cell(r, row, COL_KEY);
        bool more = row + 1 < r->rows.n_rows && is_own(r, row + 1) &&
                    ec_str_eq(key, cell(r, row + 1, COL_KEY));

        pair = is_own(r, row) ? ec__job_pair(&r->pairs, key) : NULL;
        if (!pair || pair->used)
            continue;
        r->ret->n_idle += !*cell(r, row, COL_OPTION);
        st = apply(r, row, pair, &known);
        if (!st && !more) {
            st = end_key(r, pair, known);
            known = 0;
        }
    }
    return st;
}

/* Patterns of keys without effect, and keys that nobody knows. */
static enum ec_status pass_rest(struct reader *r)
{
    enum ec_status st = EC_OK;
    int i, row;

    for (i = 0; i < r->pairs.n && !st; i++) {
        const struct ec__job_pair *p = &r->pairs.v[i];

        for (row = 0; !p->used && *p->value && row < r->rows.n_rows; row++) {
            const char *key = cell(r, row, COL_KEY);

            if (key[0] != '*' && strchr(key, '*') && is_own(r, row) && ec_str_glob(key, p->key))
                break;
        }
        if (!p->used && row == r->rows.n_rows)
            st = add_unknown(r, p->key, p->value);
        r->ret->n_idle += !p->used && row < r->rows.n_rows;
    }
    return st;
}

/* What the tool does where its file says nothing. */
static enum ec_status apply_defaults(struct reader *r)
{
    bool has_network = r->network.len > 0;
    enum ec_status st = EC_OK;
    int row;

    for (row = 0; row < r->rows.n_rows && !st; row++) {
        const char *key = cell(r, row, COL_KEY), *name = cell(r, row, COL_OPTION);
        bool is_default = ec_str_eq(key, "*"), of_network = ec_str_starts(name, "model.");

        if (is_own(r, row) && (is_default || ec_str_eq(key, "-")) && (has_network || !of_network))
            st =
                put(r, name, cell(r, row, COL_VALUES), is_default ? "its default" : "", NULL, true);
    }
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * What follows from several keys */

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

static enum ec_status follow(struct reader *r, const char *name, int64_t n, const char *why)
{
    char text[24];

    (void)ec_snprintf(text, sizeof text, "%lld", (long long)n);
    return set_option(r, name, text, why, NULL, true);
}

static enum ec_status set_devices(struct reader *r)
{
    const struct ec_parallelism *p = &r->o->parallel;
    int64_t ranks = at_least_one(p->tensor) * at_least_one(p->pipeline) * at_least_one(p->context);

    if (r->devices > 0)
        return follow(r, "devices", (int64_t)r->devices, "the processes that it starts");
    if (r->replicas > 0 && r->replicas * (double)ranks <= 1 << 20)
        return follow(r, "devices", (int64_t)r->replicas * ranks, "the product of its groups");
    return follow(r, "devices", ranks,
                  ranks > 1 ? "one replica; it does not say how many" : "it does not say how many");
}

/* Trainers of peft run under autocast where they say nothing, but for a pure precision. */
static bool is_autocast(const struct reader *r)
{
    static const char *const keys[] = { "bf16", "bfloat16", "fp16", "mixed_precision" };
    const struct ec__job_pair *pair;
    const char *to;
    bool near;
    int i;

    for (i = 0; i < EC_LEN(keys); i++) {
        pair = ec__job_pair(&r->pairs, keys[i]);
        if (pair && by_rules(r, "true= auto= bf16= fp16=", plain_word(pair->value), &to, &near))
            return true;
    }
    pair = ec__job_pair(&r->pairs, "bf16");
    return (!pair || is_open(pair->value)) && !ec__job_pair(&r->pairs, "pure_bf16");
}

/* peft holds adapters in float32; autocast multiplies in halves all the same, and DeepSpeed makes
 * halves of all parameters, with master weights. */
static enum ec_status widen_adapters(struct reader *r)
{
    const struct ec_predict_opts *o = r->o;

    if (!ec_is_among("hf", ec_span_of(r->tool), ' ') || o->parallel.tuning == EC_TUNING_FULL ||
        o->cond.master_weights || !ec__has_halves(o) || is_autocast(r))
        return EC_OK;
    return follow(r, "fp32_adapters", 1, "peft holds them so, and autocast is off");
}

/* Layers of a chunk give the chunks; the batch of a pipeline is cut into micro-batches; epochs need
 * a size. */
static enum ec_status settle(struct reader *r)
{
    const char *layers = strstr(ec_buf_text(&r->network), ",layers=");
    struct ec_predict_opts *o = r->o;
    struct ec_parallelism *p = &o->parallel;
    struct ec_job_file *ret = r->ret;
    double n = 0;

    if (r->chunk_layers > 0 && layers &&
        ec_parse_double((struct ec_span){ layers + 8, strcspn(layers + 8, ",") }, &n) &&
        n >= 2 * r->chunk_layers * (double)at_least_one(p->pipeline))
        EC_PASS(follow(r, "virtual_stages",
                       (int64_t)(n / r->chunk_layers / (double)at_least_one(p->pipeline)),
                       "num_layers_per_virtual_pipeline_stage"));
    if (ec_str_eq(r->tool, "torchtitan") && p->pipeline > 1 &&
        ec_strs_have(&ret->set, "micro_batch") && !o->global_batch &&
        !ec_strs_have(r->given, "batch")) {
        o->batch = p->micro_batch;
        p->micro_batch = 1;
    }
    ec_drop_idle(o, NULL, r->given);
    EC_PASS(widen_adapters(r));
    if (ec_strs_have(&ret->set, "epochs") && !ec_has_amount(o) && !(o->dataset && *o->dataset)) {
        EC_PASS(ec_strs_add(&ret->unknown, r->a, r->err,
                            "the samples of an epoch: --samples N gives the time of %lld epoch%s",
                            (long long)o->epochs, o->epochs == 1 ? "" : "s"));
        o->epochs = 0;
    }
    return set_devices(r);
}

/* ------------------------------------------------------------------------------------------------
 * The network */

/* A path beside the file, where something can be read there; NULL: nothing can. */
static const char *beside(const struct reader *r, const char *name, const char *below)
{
    const char *slash = strrchr(r->path, '/');
    int dir = *name == '/' || !slash ? 0 : (int)(slash - r->path) + 1;
    const char *path = ec_arena_printf(r->a, "%.*s%s%s", dir, r->path, name, below);

    return path && strlen(path) < PATH_MAX && access(path, R_OK) == 0 ? path : NULL;
}

/* Megatron-LM pads its words so that each rank of a tensor group has a multiple of some number. */
#define USUAL_WORD_UNIT 128
static enum ec_status pad_words(struct reader *r)
{
    const char *text = ec_buf_text(&r->network), *at = strstr(text, ",vocab="), *rest, *padded;
    int64_t unit = (r->word_unit > 0 ? (int64_t)r->word_unit : USUAL_WORD_UNIT) *
                   at_least_one(r->o->parallel.tensor);
    int64_t n = 0, most;

    if (!at || !ec_str_eq(r->tool, "megatron"))
        return EC_OK;
    at += strlen(",vocab=");
    rest = at + strspn(at, "0123456789");
    most = ec_parse_int((struct ec_span){ at, (size_t)(rest - at) }, &n)
               ? (n + unit - 1) / unit * unit
               : 0;
    if (most <= n || n < 1)
        return EC_OK;
    padded = ec_arena_printf(r->a, "%.*s%lld%s", (int)(at - text), text, (long long)most, rest);
    EC_PASS(ec_allocated(padded, r->err));
    ec_buf_reset(&r->network);
    ec_buf_str(&r->network, padded);
    return ec_strs_add(&r->ret->assumed, r->a, r->err,
                       "vocab %lld: padded from %lld to a multiple of %lld", (long long)most,
                       (long long)n, (long long)unit);
}

static enum ec_status find_model(struct reader *r)
{
    const char *name = ec_buf_text(&r->model), *path = NULL, *known = NULL;
    struct ec_job_file *ret = r->ret;

    if (ec_strs_have(r->given, "model"))
        return *name ? ec_strs_add(&ret->read, r->a, r->err, "%s: not used, as MODEL is given",
                                   said(r, "model", name))
                     : EC_OK;
    if (*name) {
        path = beside(r, name, "/config.json");
        known = path || strchr(name, ':') ? NULL : ec_zoo_name(name);
    }
    if (!path && !known && r->network.len) {
        enum ec_status st = pad_words(r);

        if (st)
            return st;
        ret->model = ec_arena_printf(r->a, "decoder:%s", ec_buf_text(&r->network) + 1);
        return ret->model ? EC_OK : ec_nomem(r->err);
    }
    ret->model = path ? path : known ? known : beside(r, "config.json", "");
    if (!ret->model)
        return *name ? ec_strs_add(&ret->unknown, r->a, r->err, "%s is no network that is known",
                                   said(r, "model", name))
                     : EC_OK;
    return ec_strs_add(path || known ? &ret->read : &ret->assumed, r->a, r->err, "%s: %s",
                       *name ? said(r, "model", name) : "the network", ret->model);
}

/* ------------------------------------------------------------------------------------------------
 * The file */

static enum ec__job_syntax syntax_of(const char *path, struct ec_span text)
{
    struct ec_span begin = ec_span_trim(ec_span_after_mark(text));

    return ec_str_ends(path, ".yaml") || ec_str_ends(path, ".yml") ? EC__JOB_YAML
           : ec_str_ends(path, ".toml")                            ? EC__JOB_TOML
           : begin.len && (*begin.p == '{' || *begin.p == '[')     ? EC__JOB_JSON
                                                                   : EC__JOB_ARGUMENTS;
}

/* Settings of DeepSpeed are in the file, or in one that it names; at least its name says the stage,
 * and what is on the host: the states, at stage 3 parameters too, or these alone. */
static enum ec_status add_deepspeed(struct reader *r)
{
    const struct ec__job_pair *own = ec__job_pair(&r->pairs, "deepspeed"),
                              *of_accelerate = ec__job_pair(&r->pairs, "config_file");
    const struct ec__job_pair *named = own ? own : of_accelerate;
    const char *path = own && !is_open(own->value) ? beside(r, own->value, "") : NULL, *z;
    struct ec_file f = { 0 };
    enum ec_status st = EC_OK;

    if (path) {
        EC_TRY(ec_file_open(path, EC__JOB_FILE_BYTES, &f, r->err));
        st = ec__job_pairs_read(EC__JOB_JSON, (struct ec_span){ (const char *)f.data, f.len },
                                "deepspeed.", &r->pairs, r->err);
        if (st)
            ec_err_prefix(r->err, "%s: ", path);
        ec__job_pairs_sort(&r->pairs);
    } else if (named) {
        z = strrchr(named->value, 'z');
        z = z && ec_str_starts(z, "zero") ? z + 4 : z ? z + 1 : "";
        z += *z == '_' || *z == '-';
        if (*z >= '1' && *z <= '3')
            st = set_option(r, "zero",
                            *z == '1'   ? "1"
                            : *z == '2' ? "2"
                                        : "3",
                            named->key, named->value, true);
        if (!st && strstr(named->value, "offload") && !strstr(named->value, "offload_param"))
            st = set_option(r, "offload", "1", named->key, named->value, true);
        if (!st && strstr(named->value, "offload") && *z == '3')
            st = add_unknown(r, "deepspeed.zero_optimization.offload_param.device", "by its name");
    }
out:
    ec_file_close(&f);
    return st;
}

/* Keys as they are called where another tool's file names or holds those of DeepSpeed. */
static enum ec_status take_deepspeed(struct reader *r)
{
    const struct ec__job_pair *own = ec__job_pair(&r->pairs, "train_micro_batch_size_per_gpu");
    int i;

    r->divides_batch = (!own || is_open(own->value)) && !ec_strs_have(r->given, "micro_batch");
    for (i = 0; i < r->pairs.n; i++) {
        r->pairs.v[i].key = ec_arena_printf(r->a, "deepspeed.%s", r->pairs.v[i].key);
        EC_PASS(ec_allocated(r->pairs.v[i].key, r->err));
    }
    return EC_OK;
}

/* A row of a tool has a key that only its files have. */
static enum ec_status find_tool(struct reader *r)
{
    int row = 0;

    while (row < r->rows.n_rows && !(ec_str_eq(cell(r, row, COL_FORMAT), "tool") &&
                                     ec__job_pair(&r->pairs, cell(r, row, COL_KEY))))
        row++;
    if (row == r->rows.n_rows)
        return ec_fail(r->err, EC_E_UNSUPPORTED,
                       "no job file that is known: expected TrainingArguments of Hugging Face, "
                       "settings of DeepSpeed (JSON), LLaMA-Factory or axolotl (YAML), torchtitan "
                       "(TOML) or arguments of Megatron-LM");
    r->tool = cell(r, row, COL_VALUES);
    r->ret->format = ec_arena_str(r->a, cell(r, row, COL_OPTION));
    EC_PASS(ec_allocated(r->ret->format, r->err));
    return ec_str_eq(r->tool, "deepspeed") ? take_deepspeed(r) : EC_OK;
}

enum ec_status ec_job_file_parse(const char *path, struct ec_span text, const struct ec_strs *given,
                                 struct ec_predict_opts *o, struct ec_job_file *ret,
                                 struct ec_arena *a, struct ec_err *err)
{
    struct reader r = {
        .path = path, .given = given, .o = o, .ret = ret, .a = a, .err = err, .pairs = { .a = a }
    };
    enum ec_status st;

    *ret = (struct ec_job_file){ .model = NULL };
    EC_TRY(ec_csv_parse(ec__job_keys_begin, (size_t)(ec__job_keys_end - ec__job_keys_begin),
                        &r.rows, err));
    EC_TRY(ec__job_pairs_read(syntax_of(path, text), text, "", &r.pairs, err));
    ec__job_pairs_sort(&r.pairs);
    EC_TRY(find_tool(&r));
    EC_TRY(add_deepspeed(&r));
    EC_TRY(apply_keys(&r));
    EC_TRY(pass_rest(&r));
    EC_TRY(apply_defaults(&r));
    EC_TRY(settle(&r));
    EC_TRY(find_model(&r));
    EC_TRY(ec_buf_status(&r.network, err));
    EC_TRY(ec_buf_status(&r.model, err));
out:
    if (st)
        ec_err_prefix(err, "%s: ", path);
    ec_buf_clear(&r.model);
    ec_buf_clear(&r.network);
    ec_csv_clear(&r.rows);
    return st;
}

enum ec_status ec_job_file_read(const char *path, const struct ec_strs *given,
                                struct ec_predict_opts *o, struct ec_job_file *ret,
                                struct ec_arena *a, struct ec_err *err)
{
    struct ec_file f = { 0 };
    enum ec_status st;

    EC_TRY(ec_file_open(path, EC__JOB_FILE_BYTES, &f, err));
    EC_TRY(ec_job_file_parse(path, (struct ec_span){ (const char *)f.data, f.len }, given, o, ret,
                             a, err));
out:
    ec_file_close(&f);
    return st;
}

void ec_job_option(const char *key, char *ret, size_t size)
{
    struct ec_csv rows = { 0 };
    int row;

    *ret = '\0';
    if (ec_csv_parse(ec__job_keys_begin, (size_t)(ec__job_keys_end - ec__job_keys_begin), &rows,
                     NULL) == EC_OK)
        for (row = 0; row < rows.n_rows && !*ret; row++)
            if (ec_str_eq(ec_csv_cell(&rows, row, COL_KEY), key))
                (void)ec_snprintf(ret, size, "%s", ec_csv_cell(&rows, row, COL_OPTION));
    ec_csv_clear(&rows);
}
