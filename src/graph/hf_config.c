/* Reads a network from the config.json that Hugging Face keeps beside a model's weights: a type,
 * whose row here says what all its networks have in common, and sizes, whose keys have a row each.
 * Both become parameters of a family of built-in networks. Format: docs/hf-config.md */
#include "graph/files_internal.h"
#include "graph/zoo_internal.h"

#include <math.h>
#include <string.h>

#include "hf_types.h"

#define SEQ_LEN 4096    /* of a network for longer sequences, where nothing is asked for */
#define NUMBERS_SHOWN 8 /* of an unknown type */

struct reader {
    const struct ec_jval *config;
    const struct ec__zoo_row *row; /* the family's first */
    struct ec_buf set;             /* "hidden=4096,heads=32" */
    const struct ec_graph_opts *opts;
};

/* --- What networks of a type have in common --- */

struct type {
    const char *name, *family;
    const char *set;  /* by default */
    const char *keys; /* read beside those of all types: "key:parameter key:parameter" */
};

/* clang-format off */
#define ROW(...) { __VA_ARGS__ },
static const struct type types[] = { HF_TYPES(ROW) };
/* Of all types. */
static const struct key {
    const char *field, *keys;
} keys[] = { HF_KEYS(ROW) };
/* clang-format on */

/* --- Values --- */

/* NULL: absent, or null. A key inside an object stands behind the object's and a dot. */
static const struct ec_jval *value_of(const struct reader *r, const char *key)
{
    const char *dot = strchr(key, '.');
    const struct ec_jval *v = r->config;
    char outer[48];

    if (dot) {
        (void)ec_snprintf(outer, sizeof outer, "%.*s", (int)(dot - key), key);
        v = ec_json_get(r->config, outer);
        key = dot + 1;
    }
    v = v && v->type == EC_J_OBJECT ? ec_json_get(v, key) : NULL;
    return v && v->type != EC_J_NULL ? v : NULL;
}

static double number_of(const struct reader *r, const char *key, double other)
{
    const struct ec_jval *v = value_of(r, key);

    return v && v->type == EC_J_NUM ? v->num : other;
}

static bool is_true(const struct reader *r, const char *key)
{
    const struct ec_jval *v = value_of(r, key);

    return v && v->type == EC_J_BOOL && v->b;
}

static bool is_language(const struct reader *r)
{
    return ec_str_eq(r->row->family->task, "language");
}

static bool has_field(const struct reader *r, const char *name)
{
    return ec_field_find(r->row->family->fields, ec_span_of(name)) || ec_str_eq(name, "image") ||
           (ec_str_eq(name, "seq") && is_language(r));
}

static void put(struct reader *r, const char *field, double v)
{
    ec_buf_printf(&r->set, ",%s=%.15g", field, v);
}

/* Names of activations that are those of others here. */
static const char *act_of(const char *name)
{
    static const char *const same[][2] = {
        {"gelu_pytorch_tanh", "gelu_tanh"},
        { "gelu_fast",        "gelu_tanh"},
        { "swish",            "silu"     },
    };
    int i;

    for (i = 0; i < EC_LEN(same); i++)
        if (ec_str_eq(name, same[i][0]))
            return same[i][1];
    return name;
}

static bool is_word(const char *s)
{
    return strlen(s) < 40 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s);
}

static enum ec_status set_field(struct reader *r, const struct ec_jval *v, const char *field,
                                struct ec_err *err)
{
    if (v->type == EC_J_NUM) /* sequences are not longer than is usual */
        put(r, field, ec_str_eq(field, "seq") ? fmin(v->num, SEQ_LEN) : v->num);
    else if (v->type == EC_J_BOOL)
        put(r, field, v->b);
    else if (v->type == EC_J_STR && is_word(v->str))
        ec_buf_printf(&r->set, ",%s=%s", field, act_of(v->str));
    else
        return ec_fail(err, EC_E_PARSE, "\"%.40s\" is no number, word, true or false", v->key);
    return EC_OK;
}

/* The first of the keys, which blanks join. */
static enum ec_status set_key(struct reader *r, const char *names, const char *field,
                              struct ec_err *err)
{
    struct ec_span rest = ec_span_of(names), name;
    const struct ec_jval *v = NULL;
    char key[48];

    while (!v && rest.p && ec_span_cut(&rest, ' ', &name)) {
        (void)ec_snprintf(key, sizeof key, "%.*s", (int)name.len, name.p);
        v = value_of(r, key);
    }
    return v && has_field(r, field) ? set_field(r, v, field, err) : EC_OK;
}

static enum ec_status set_own_keys(struct reader *r, const char *pairs, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(pairs ? pairs : ""), pair, key;
    char name[48], field[48];

    while (rest.p && ec_span_cut(&rest, ' ', &pair)) {
        if (!pair.len || !ec_span_cut(&pair, ':', &key))
            continue;
        (void)ec_snprintf(name, sizeof name, "%.*s", (int)key.len, key.p);
        (void)ec_snprintf(field, sizeof field, "%.*s", (int)pair.len, pair.p);
        EC_PASS(set_key(r, name, field, err));
    }
    return EC_OK;
}

/* --- What follows from several keys --- */

/* A list of "sliding_attention" and "full_attention": each which layer sees all. */
static void set_layer_types(struct reader *r)
{
    const struct ec_jval *list = value_of(r, "layer_types"), *v;
    int64_t at = 0;

    for (v = list && list->type == EC_J_ARRAY ? list->child : NULL; v; v = v->next) {
        at++;
        if (v->type == EC_J_STR && ec_str_eq(v->str, "full_attention"))
            break;
    }
    if (v && at == 1)
        put(r, "window", 0);
    else if (at)
        put(r, "window_every", v ? (double)at : 0);
}

static double head_features(const struct reader *r)
{
    double hidden = number_of(r, "hidden_size", 0), heads = number_of(r, "num_attention_heads", 1);

    return number_of(r, "head_dim", heads > 0 ? hidden / heads : 0);
}

static void set_windows(struct reader *r)
{
    const struct ec_jval *used = value_of(r, "use_sliding_window");

    if (used && used->type == EC_J_BOOL && !used->b)
        put(r, "window", 0);
    else
        set_layer_types(r);
}

static void set_falcon(struct reader *r)
{
    if (is_true(r, "new_decoder_architecture")) {
        put(r, "kv_heads", number_of(r, "num_kv_heads", 0));
        ec_buf_str(&r->set, ",parallel=two_norms");
    } else if (value_of(r, "multi_query") && !is_true(r, "multi_query")) {
        put(r, "kv_heads", 0);
    }
    if (value_of(r, "parallel_attn") && !is_true(r, "parallel_attn"))
        ec_buf_str(&r->set, ",parallel=no");
    if (is_true(r, "alibi"))
        ec_buf_str(&r->set, ",encoding=alibi,flash=0");
}

static void set_t5(struct reader *r)
{
    const struct ec_jval *act = value_of(r, "feed_forward_proj"),
                         *tied = value_of(r, "tie_word_embeddings");

    put(r, "gated", act && act->type == EC_J_STR && strncmp(act->str, "gated-", 6) == 0);
    put(r, "untied", tied && tied->type == EC_J_BOOL && !tied->b);
}

/* Of a model without a head the first token is what a head would read. */
static void set_head(struct reader *r)
{
    const struct ec_jval *list = value_of(r, "architectures");
    const struct ec_jval *v = list && list->type == EC_J_ARRAY ? list->child : NULL;
    const char *end = v && v->type == EC_J_STR ? strstr(v->str, "Model") : NULL;

    if (end && !end[5] && has_field(r, "head"))
        ec_buf_str(&r->set, ",head=pooler");
}

static void set_derived(struct reader *r, const struct type *t)
{
    double part = number_of(r, "rotary_pct", number_of(r, "partial_rotary_factor", 1));
    double shared = number_of(r, "shared_expert_intermediate_size", 0);
    double one = number_of(r, "moe_intermediate_size", 0);

    if (part > 0 && part < 1)
        put(r, "rotary_dim", (double)(int64_t)(part * head_features(r)));
    if (shared > 0 && one > 0)
        put(r, "shared_experts", (double)(int64_t)(shared / one));
    if (value_of(r, "use_parallel_residual") && !is_true(r, "use_parallel_residual"))
        ec_buf_str(&r->set, ",parallel=no");
    if (ec_str_eq(t->name, "opt")) /* two unused rows in front of its positions */
        put(r, "positions", number_of(r, "max_position_embeddings", 2048) + 2);
    if (ec_str_eq(t->name, "falcon"))
        set_falcon(r);
    if (ec_str_eq(t->name, "t5"))
        set_t5(r);
    set_head(r);
    if (ec_str_eq(t->family, "decoder"))
        set_windows(r);
}

/* --- The whole --- */

static const struct type *type_of(const char *name)
{
    return ec_row_named(types, EC_LEN(types), sizeof *types, name);
}

/* The last part of a path, else the type. */
static const char *name_of(const struct ec_jval *root, const char *type)
{
    const struct ec_jval *v = ec_json_get(root, "_name_or_path");
    const char *slash = v && v->type == EC_J_STR ? strrchr(v->str, '/') : NULL;
    const char *name = slash ? slash + 1 : v && v->type == EC_J_STR ? v->str : "";

    return name[0] && strlen(name) < 80 ? name : type;
}

/* A built-in network of that name, else of a name that begins with the type: "swin_t". */
static const char *built_in_of(const struct ec_jval *config, const char *type)
{
    const char *found = ec_zoo_name(name_of(config, type));
    int i, n;
    const char *const *names = ec_zoo_names(&n);

    for (i = 0; i < n && !found; i++)
        if (ec_str_starts(names[i], type) &&
            !strchr("abcdefghijklmnopqrstuvwxyz", names[i][strlen(type)]))
            found = names[i];
    return found;
}

/* Names the nearest, and the numbers that were read. */
static enum ec_status unknown_type(const struct reader *r, const char *name, struct ec_err *err)
{
    const char *built_in = built_in_of(r->config, name), *names[EC_LEN(types)];
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_jval *v;
    int i, n = 0;

    for (i = 0; i < EC_LEN(types); i++)
        names[i] = types[i].name;
    ec_near_hint(&text, name, names, EC_LEN(types));
    if (built_in)
        ec_buf_printf(&text, "; %s is built in: give its name in place of the file", built_in);
    for (v = r->config->child; v && n < NUMBERS_SHOWN; v = v->next)
        if (v->type == EC_J_NUM && v->is_int && strlen(v->key) < 40 && !strstr(v->key, "token_id"))
            ec_buf_printf(&text, "%s%s %lld", n++ ? ", " : "; it has ", v->key, (long long)v->i);
    (void)ec_fail(err, EC_E_UNSUPPORTED, "no network of model_type \"%.40s\" is known%s", name,
                  ec_buf_text(&text));
    ec_buf_clear(&text);
    return EC_E_UNSUPPORTED;
}

static enum ec_status read_settings(struct reader *r, const struct type *t, struct ec_err *err)
{
    static const char *const needed[] = { "layers", "hidden", "heads", "vocab" };
    int i;

    if (is_language(r))
        put(r, "seq", SEQ_LEN);
    ec_buf_printf(&r->set, ",%s", t->set);
    for (i = 0; i < EC_LEN(keys); i++)
        EC_PASS(set_key(r, keys[i].keys, keys[i].field, err));
    EC_PASS(set_own_keys(r, t->keys, err));
    set_derived(r, t);
    if (!is_language(r))
        put(r, "classes", value_of(r, "id2label") ? value_of(r, "id2label")->n : 1000);
    EC_PASS(ec_buf_status(&r->set, err));
    for (i = 0; i < EC_LEN(needed); i++) {
        char word[16];

        (void)ec_snprintf(word, sizeof word, ",%s=", needed[i]);
        if (has_field(r, needed[i]) && !strstr(ec_buf_text(&r->set), word))
            return ec_fail(err, EC_E_PARSE, "expected \"%s\"", keys[i < 3 ? i : 7].keys);
    }
    return EC_OK;
}

static enum ec_status add_notes(struct ec_graph *g, const struct reader *r, bool nested,
                                struct ec_err *err)
{
    double most = number_of(r, "max_position_embeddings", 0);

    if (nested)
        EC_PASS(ec_graph_note(g, err, "the part for text alone: images are left out"));
    if (g->sizes & EC_SIZE_SEQ_LEN && most > SEQ_LEN && !(r->opts && r->opts->seq_len > 0))
        EC_PASS(
            ec_graph_note(g, err, "%d tokens of %.0f: --seq-len asks for others", SEQ_LEN, most));
    if (number_of(r, "num_nextn_predict_layers", 0) > 0)
        EC_PASS(ec_graph_note(g, err, "layers that predict further tokens are left out"));
    if (value_of(r, "quantization_config") && !(r->opts && r->opts->pack_frozen))
        EC_PASS(ec_graph_note(g, err,
                              "the weights of the file are quantized: they count in the precision "
                              "of the job (--tuning qlora: 4 bits)"));
    return EC_OK;
}

/* Whether the network is that of the part for text. */
static bool is_nested(const struct ec_jval *root)
{
    const struct ec_jval *text = ec_json_get(root, "text_config"),
                         *name = ec_json_get(root, "model_type");
    const struct type *whole = name && name->type == EC_J_STR ? type_of(name->str) : NULL;

    return text && text->type == EC_J_OBJECT && ec_json_get(text, "model_type") &&
           !(whole && whole->keys && strstr(whole->keys, "text_config."));
}

enum ec_status ec__config_read(const struct ec_jval *root, const struct ec_graph_opts *opts,
                               struct ec_graph **ret, struct ec_err *err)
{
    const struct ec_jval *name;
    struct reader r = { .config = root, .opts = opts };
    bool nested = is_nested(root);
    struct ec__zoo_row row = { 0 };
    struct ec_graph *g = NULL;
    const struct type *t;
    enum ec_status st;

    if (nested)
        r.config = ec_json_get(root, "text_config");
    name = ec_json_get(r.config, "model_type");
    if (!name || name->type != EC_J_STR)
        return ec_fail(err, EC_E_PARSE, "expected a text as \"model_type\"");
    t = type_of(name->str);
    if (!t)
        return unknown_type(&r, name->str, err);
    r.row = ec__zoo_find(ec_span_of(t->family));
    EC_TRY(read_settings(&r, t, err));
    row = (struct ec__zoo_row){ .name = name_of(root, t->name),
                                .family = r.row->family,
                                .set = ec_buf_text(&r.set) };
    EC_TRY(ec__zoo_make(&row, NULL, opts, &g, err));
    g->source = "config";
    EC_TRY(add_notes(g, &r, nested, err));
    *ret = g;
    g = NULL;
out:
    ec_graph_free(g);
    ec_buf_clear(&r.set);
    return st;
}
