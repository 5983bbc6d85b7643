/* The zoo: built-in networks by name, with parameters. */
#include "graph/networks.h"
#include "graph/zoo_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Sources of published figures. The timm tables round to 0.01 M parameters and 0.01 G, and count
 * norms and pools as MAC too. */
static const struct ec__zoo_source source_torchvision = {
    "torchvision",
    "torchvision 0.14 model: elements of its parameters, products seen by a dispatch hook",
    0,
    0,
    0,
    1e-3,
};
static const struct ec__zoo_source source_timm = {
    "timm", "timm benchmark tables, rounded to 0.01 M and 0.01 G", 6000, 2e-4, 5.1e6, 0.1,
};
static const struct ec__zoo_source source_transformers = {
    .key = "transformers", .text = "parameters of the model in transformers"
};
static const struct ec__zoo_source source_diffusers = {
    .key = "diffusers", .text = "parameters of the model in diffusers"
};
static const struct ec__zoo_source source_ultralytics = {
    .key = "ultralytics", .text = "parameters of the model in ultralytics, without the fixed ones"
};
static const struct ec__zoo_source source_paper = { .key = "paper",
                                                    .text = "parameters in the publication" };
static const struct ec__zoo_source source_hand = { .key = "hand",
                                                   .text = "counted by hand from its dimensions" };

/* clang-format off */
#define ROW(name, also, family, size, classes, params, mac, source, set)                           \
    { name, also, &ec__family_##family, size, classes, params, mac, &source_##source, set },
#define NAME(name, ...) name,
static const struct ec__zoo_row g_rows[] = { EC__NETWORKS(ROW) };
static const char *const g_names[] = { EC__NETWORKS(NAME) };
/* Folded names, sorted, and the row of each; of a family its first. */
#define KEY_BYTES 64
#define KEY(key, row) { key, row },
static const struct key {
    const char *text;
    int row;
} g_keys[] = { EC__NETWORK_KEYS(KEY) }, g_families[] = { EC__FAMILY_KEYS(KEY) };
/* clang-format on */

const struct ec__zoo_row *ec__zoo_rows(int *ret_count)
{
    *ret_count = EC_LEN(g_rows);
    return g_rows;
}

const char *const *ec_zoo_names(int *ret_count)
{
    if (ret_count)
        *ret_count = EC_LEN(g_names);
    return g_names;
}

static bool is_mark(char c)
{
    return c == '-' || c == '_' || c == '.' || c == ' ' || c == '/'; /* ViT-L/16 */
}

/* Case and the marks that people put between the parts of a name do not count, but for one between
 * two digits: 1.6 is not 16. tools/list-networks folds alike. False: begins with a mark, or too
 * long for any name. */
static bool fold(struct ec_span name, char ret_key[KEY_BYTES])
{
    size_t n = 0, i;

    if (!name.len || is_mark(name.p[0]))
        return false;
    for (i = 0; i < name.len; i++) {
        if (is_mark(name.p[i]))
            continue;
        if (n + 3 > KEY_BYTES)
            return false;
        if (i && is_mark(name.p[i - 1]) && ec_is_digit(name.p[i]) && ec_is_digit(ret_key[n - 1]))
            ret_key[n++] = '_';
        ret_key[n++] = (char)tolower((unsigned char)name.p[i]);
    }
    ret_key[n] = '\0';
    return true;
}

static const struct ec__zoo_row *find(const struct key *keys, int n, struct ec_span name)
{
    char text[KEY_BYTES];
    const struct key wanted = { text, 0 }, *found;

    if (!fold(name, text))
        return NULL;
    found = bsearch(&wanted, keys, (size_t)n, sizeof *keys, ec_by_text);
    return found ? &g_rows[found->row] : NULL;
}

/* "resnet50.a1_in1k": what follows the dot names weights. */
static bool strip_tag(struct ec_span *name)
{
    size_t i;

    for (i = name->len; i > 1; i--)
        if (name->p[i - 1] == '.' && i < name->len && !ec_is_digit(name->p[i])) {
            name->len = i - 1;
            return true;
        }
    return false;
}

/* Prefixes and suffixes by which timm tells weights of one architecture apart. The tf_ models pad
 * unevenly; sizes and counts are those of the plain ones. */
static bool strip(struct ec_span *name)
{
    static const char *const before[] = { "tv_",  "tf_",   "gluon_", "legacy_",
                                          "ssl_", "swsl_", "ig_",    "adv_" };
    static const char *const after[] = { "_in21ft1k", "_in22ft1k", "_in21k", "_in22k",
                                         "_miil",     "_ns",       "_ap",    "_sam" };
    size_t n;
    int i;

    for (i = 0; i < EC_LEN(before); i++) {
        n = strlen(before[i]);
        if (name->len > n && memcmp(name->p, before[i], n) == 0) {
            *name = (struct ec_span){ name->p + n, name->len - n };
            return true;
        }
    }
    for (i = 0; i < EC_LEN(after); i++) {
        n = strlen(after[i]);
        if (name->len > n && memcmp(name->p + name->len - n, after[i], n) == 0) {
            name->len -= n;
            return true;
        }
    }
    return strip_tag(name);
}

/* "meta-llama/Llama-3.1-8B-Instruct", as hubs name it: whose it is, and words at the end that do
 * not change the network, one at a time. */
static bool strip_hub(struct ec_span *name)
{
    static const char *const idle[] = { "instruct", "chat", "hf",   "base", "it",   "pt",
                                        "v0.1",     "v0.2", "v0.3", "v1.0", "4bit", "bnb",
                                        "2407",     "2501", "2507", "text", "671b", "in21k" };
    static const char meta[] = "Meta-";
    struct ec_span rest = *name, owner;
    size_t begin = name->len;
    int i;

    if (ec_span_cut(&rest, '/', &owner) && rest.p) {
        *name = rest;
        return owner.len && rest.len && !memchr(rest.p, '/', rest.len);
    }
    if (name->len > strlen(meta) && memcmp(name->p, meta, strlen(meta)) == 0) {
        *name = (struct ec_span){ name->p + strlen(meta), name->len - strlen(meta) };
        return true;
    }
    while (begin && name->p[begin - 1] != '-' && name->p[begin - 1] != '_')
        begin--;
    for (i = 0; begin > 1 && i < EC_LEN(idle); i++)
        if (strlen(idle[i]) == name->len - begin &&
            strncasecmp(idle[i], name->p + begin, name->len - begin) == 0) {
            name->len = begin - 1;
            return true;
        }
    return false;
}

static const struct ec__zoo_row *find_stripped(struct ec_span *name)
{
    const struct ec__zoo_row *row;

    do {
        row = find(g_keys, EC_LEN(g_keys), *name);
    } while (!row && strip(name));
    return row;
}

const struct ec__zoo_row *ec__zoo_find(struct ec_span name)
{
    struct ec_span hub = name;
    const struct ec__zoo_row *row = find_stripped(&name);

    if (!row)
        row = find(g_families, EC_LEN(g_families), name);
    while (!row && strip_hub(&hub)) {
        name = hub;
        row = find_stripped(&name);
    }
    return row;
}

static struct ec_span name_of(const char *spec)
{
    struct ec_span rest = ec_span_of(spec), name = { "", 0 };

    (void)ec_span_cut(&rest, ':', &name);
    return ec_span_trim(name);
}

bool ec_zoo_has(const char *spec)
{
    return ec__zoo_find(name_of(spec)) != NULL;
}

const char *ec_zoo_name(const char *name)
{
    const struct ec__zoo_row *row = ec__zoo_find(name_of(name));

    return row ? row->name : NULL;
}

const char *ec_zoo_spelled(const char *name)
{
    const struct ec__zoo_row *row = find(g_keys, EC_LEN(g_keys), ec_span_of(name));

    return row ? row->name : name;
}

/* clang-format off */
#define T struct ec__net
static const struct ec_field image_fields[] = {
    EC__INT(T, "image", size, 1, 65536, "side of the input image"),
    EC__INT(T, "channels", channels, 1, 65536, "channels of the input image"),
    EC__INT(T, "classes", classes, 0, 10000000, "outputs of the classifier; 0: none"),
    EC_FIELD_END
};
static const struct ec_field token_fields[] = {
    EC__INT(T, "seq", size, 1, 16777216, "length of the sequence"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

static const struct ec_field *common_fields(const struct ec__family *f)
{
    return ec_str_eq(f->task, "language") ? token_fields : image_fields;
}

static void list_fields(struct ec_buf *out, const struct ec_field *f)
{
    for (; f && f->name; f++)
        ec_buf_printf(out, " %s", f->name);
}

static enum ec_status unknown_key(const struct ec__zoo_row *row, struct ec_span key,
                                  struct ec_err *err)
{
    struct ec_buf have = EC_BUF_INIT;

    list_fields(&have, row->family->fields);
    list_fields(&have, common_fields(row->family));
    (void)ec_fail(err, EC_E_INPUT, "%s has no parameter \"%.*s\"; it has%s", row->name,
                  key.len > 40 ? 40 : (int)key.len, key.p, ec_buf_text(&have));
    ec_buf_clear(&have);
    return EC_E_INPUT;
}

static enum ec_status set_one(const struct ec__zoo_row *row, struct ec_span word,
                              struct ec__net *net, void *variant, struct ec_arena *a,
                              struct ec_err *err)
{
    const struct ec__family *f = row->family;
    const struct ec_field *field;
    struct ec_span value = word, key;
    void *obj = variant;

    (void)ec_span_cut(&value, '=', &key);
    key = ec_span_trim(key);
    if (!value.p)
        return ec_fail(err, EC_E_INPUT, "%s: found \"%.*s\", expected name=value", row->name,
                       key.len > 40 ? 40 : (int)key.len, key.p);
    field = ec_field_find(f->fields, key);
    if (!field) {
        field = ec_field_find(common_fields(f), key);
        obj = net;
    }
    if (!field)
        return unknown_key(row, key, err);
    return ec_within(err, ec_field_set(field, obj, ec_span_trim(value), a, err), "%s: ", row->name);
}

/* What stands behind ':', which may be NULL. */
static enum ec_status set_params(const struct ec__zoo_row *row, const char *params,
                                 struct ec__net *net, void *variant, struct ec_arena *a,
                                 struct ec_err *err)
{
    struct ec_span rest = ec_span_of(params), word;

    while (rest.p && ec_span_cut(&rest, ',', &word))
        if (ec_span_trim(word).len)
            EC_PASS(set_one(row, word, net, variant, a, err));
    return EC_OK;
}

static void set_options(const struct ec__zoo_row *row, const struct ec_graph_opts *opts,
                        struct ec__net *net)
{
    int64_t size = ec_str_eq(row->family->task, "language") ? opts->seq_len : opts->image_px;

    if (opts->batch > 0)
        net->batch = opts->batch;
    if (size > 0)
        net->size = size;
    if (opts->classes > 0)
        net->classes = opts->classes;
}

static enum ec_status not_found(struct ec_span name, struct ec_err *err)
{
    struct ec_buf hint = EC_BUF_INIT;
    char text[80];

    if (!err)
        return EC_E_NOT_FOUND;
    (void)snprintf(text, sizeof text, "%.*s", name.len > 70 ? 70 : (int)name.len, name.p);
    ec_near_hint(&hint, text, g_names, EC_LEN(g_names));
    if (!hint.len)
        ec_buf_str(
            &hint,
            ", and no file of this name; \"epochcast model --list\" shows all, others come as "
            "ONNX or config.json");
    (void)ec_fail(err, EC_E_NOT_FOUND, "no built-in network \"%s\"%s", text, ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return EC_E_NOT_FOUND;
}

/* "resnet50", or with what was asked for: "cifar_cnn:depth=3". */
static const char *full_name(struct ec_graph *g, const struct ec__zoo_row *row, const char *params)
{
    return ec_arena_printf(&g->arena, "%s%s%s", row->name, params ? ":" : "", params ? params : "");
}

/* Builders append auxiliary outputs on the way; the main one arrives last and belongs first. */
static enum ec_status add_main_output(struct ec_graph *g, int value, struct ec_err *err)
{
    int i;

    EC_PASS(ec_graph_add_output(g, value, err));
    for (i = g->n_outputs - 1; i > 0; i--)
        g->outputs[i] = g->outputs[i - 1];
    g->outputs[0] = value;
    return EC_OK;
}

/* Whatever the parameters ask for; the largest named network takes 10 MB. */
#define ZOO_MAX_BYTES ((size_t)256 << 20)
#define ZOO_MAX_REST ((size_t)1 << 20) /* less left: what failed was the bound, not the machine */

enum ec_status ec__zoo_make(const struct ec__zoo_row *row, const char *params,
                            const struct ec_graph_opts *opts, struct ec_graph **ret,
                            struct ec_err *err)
{
    struct ec_builder b = { .err = err };
    struct ec__net net = { .batch = 1,
                           .size = 224,
                           .classes = 1000 }; /* where a row says nothing */
    enum ec_status st = EC_OK;
    void *variant;
    int out;

    b.g = ec_graph_new(row->name);
    EC_TRY(ec_allocated(b.g, err));
    b.g->arena.max_bytes = ZOO_MAX_BYTES;
    variant = ec_arena_alloc(&b.g->arena, row->family->variant_size);
    b.g->name = full_name(b.g, row, params);
    EC_TRY(ec_allocated(variant && b.g->name, err));
    EC_TRY(set_params(row, row->set, &net, variant, &b.g->arena, err));
    if (opts)
        set_options(row, opts, &net);
    EC_TRY(set_params(row, params, &net, variant, &b.g->arena, err));
    b.g->source = "zoo";
    b.g->task = row->family->task;
    b.g->batch = net.batch;
    if (common_fields(row->family) == image_fields)
        b.g->image_px = net.size;
    b.g->sizes = EC_SIZE_CLASSES | (b.g->image_px ? EC_SIZE_IMAGE : EC_SIZE_SEQ_LEN);
    out = ec__net_build(&b, &net, row->family, variant);
    EC_TRY(b.st);
    EC_TRY(add_main_output(b.g, out, err));
    *ret = b.g;
    b.g = NULL;
out:
    if (st == EC_E_NOMEM && b.g && b.g->arena.used_bytes > ZOO_MAX_BYTES - ZOO_MAX_REST)
        st = ec_fail(err, EC_E_INPUT, "these parameters make too many layers");
    if (st && b.g)
        ec_err_prefix(err, "%.60s: ", row->name);
    ec_graph_free(b.g);
    return st;
}

enum ec_status ec_zoo_build(const char *spec, const struct ec_graph_opts *opts,
                            struct ec_graph **ret, struct ec_err *err)
{
    const struct ec__zoo_row *row = ec__zoo_find(name_of(spec));
    const char *colon = strchr(spec, ':');

    if (!row)
        return not_found(name_of(spec), err);
    return ec__zoo_make(row, colon ? colon + 1 : NULL, opts, ret, err);
}
