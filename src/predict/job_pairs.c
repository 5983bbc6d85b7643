/* Readers of configuration files: JSON, YAML by libyaml, the part of TOML that such files use, and
 * arguments in a shell script. */
#include "predict/job_pairs.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * The list */

static enum ec_status add(struct ec__job_pairs *p, const char *key, struct ec_span value,
                          struct ec_err *err)
{
    int len = (int)(value.len < EC__JOB_VALUE ? value.len : EC__JOB_VALUE);
    struct ec__job_pair *last = p->n ? &p->v[p->n - 1] : NULL;
    const char *text;

    if (last && ec_str_eq(last->key, key)) { /* a further member of a list */
        if (strlen(last->value) >= EC__JOB_VALUE)
            return EC_OK;
        text = ec_arena_printf(p->a, "%s %.*s", last->value, len, value.p);
        last->value = text ? text : "";
        return ec_allocated(text, err);
    }
    if (!p->v)
        p->v = ec_arena_alloc(p->a, sizeof *p->v * EC__JOB_PAIRS);
    EC_PASS(ec_allocated(p->v, err));
    if (p->n == EC__JOB_PAIRS || strlen(key) > EC__JOB_KEY)
        return ec_fail(err, EC_E_PARSE,
                       p->n == EC__JOB_PAIRS ? "more than %d keys" : "a key of more than %d bytes",
                       p->n == EC__JOB_PAIRS ? EC__JOB_PAIRS : EC__JOB_KEY);
    p->v[p->n] =
        (struct ec__job_pair){ ec_arena_str(p->a, key),
                               ec_arena_strn(p->a, len ? value.p : "", (size_t)len), p->n, false };
    return ec_allocated(p->v[p->n].key && p->v[p->n++].value, err);
}

static const char *joined(struct ec__job_pairs *p, const char *path, const char *key)
{
    return ec_arena_printf(p->a, "%.*s%s%.*s", EC__JOB_KEY, path,
                           !*path || path[strlen(path) - 1] == '.' ? "" : ".", EC__JOB_KEY, key);
}

static int by_key(const void *a, const void *b)
{
    const struct ec__job_pair *x = a, *y = b;
    int order = strcmp(x->key, y->key);

    return order ? order : x->order - y->order;
}

void ec__job_pairs_sort(struct ec__job_pairs *p)
{
    int i, n = 0;

    if (p->n)
        qsort(p->v, (size_t)p->n, sizeof *p->v, by_key);
    for (i = 0; i < p->n; i++) {
        n -= n && ec_str_eq(p->v[n - 1].key, p->v[i].key);
        p->v[n++] = p->v[i];
    }
    p->n = n;
}

static int to_key(const void *key, const void *pair)
{
    return strcmp(key, ((const struct ec__job_pair *)pair)->key);
}

struct ec__job_pair *ec__job_pair(const struct ec__job_pairs *p, const char *key)
{
    return p->n ? bsearch(key, p->v, (size_t)p->n, sizeof *p->v, to_key) : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * JSON */

static enum ec_status add_json(struct ec__job_pairs *p, const char *path, const struct ec_jval *v,
                               struct ec_err *err)
{
    enum ec_status st = EC_OK;
    const struct ec_jval *c;
    char number[40];

    EC_PASS(ec_allocated(path, err));
    if (v->type == EC_J_OBJECT || v->type == EC_J_ARRAY) {
        for (c = v->child; c && !st; c = c->next)
            st = add_json(p, v->type == EC_J_OBJECT ? joined(p, path, c->key) : path, c, err);
        return st;
    }
    if (v->type == EC_J_NUM && v->is_int)
        (void)ec_snprintf(number, sizeof number, "%lld", (long long)v->i);
    else if (v->type == EC_J_NUM)
        (void)ec_fmt_double(number, sizeof number, v->num);
    return add(p, path,
               ec_span_of(v->type == EC_J_NUM    ? number
                          : v->type == EC_J_STR  ? v->str
                          : v->type == EC_J_NULL ? "null"
                          : v->b                 ? "true"
                                                 : "false"),
               err);
}

static enum ec_status read_json(struct ec__job_pairs *p, struct ec_span text, const char *prefix,
                                struct ec_err *err)
{
    const struct ec_jval *root = NULL;

    EC_PASS(ec_json_parse(text.p, text.len, p->a, &root, err));
    if (root->type != EC_J_OBJECT)
        return ec_fail(err, EC_E_PARSE, "expected a JSON object");
    return add_json(p, prefix, root, err);
}

/* ------------------------------------------------------------------------------------------------
 * YAML */

/* Of yaml.h: the binary interface of libyaml-0.so.2. A parser has 480 bytes, an event 104. */
enum {
    YAML_STREAM_END = 2,
    YAML_DOCUMENT_END = 4,
    YAML_ALIAS,
    YAML_SCALAR,
    YAML_SEQUENCE,
    YAML_SEQUENCE_END,
    YAML_MAPPING,
    YAML_MAPPING_END
};
struct yaml_event {
    int type;
    char *anchor, *tag, *value;
    size_t length;
    char rest[128];
};
union yaml_parser {
    struct {
        int error;
        const char *problem;
        size_t offset;
        int value;
        const char *context;
        size_t index, line;
    } of;
    char bytes[1024];
};

struct yaml {
    EC_LIBYAML(EC_FOREIGN_MEMBER)
};

#define YAML_DEPTH 32
struct yaml_level {
    bool is_mapping;
    const char *path, *key; /* key: NULL where one is expected; of a list its own path */
};

static enum ec_status yaml_value(struct ec__job_pairs *p, struct yaml_level *l,
                                 struct ec_span value, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    const char *word;

    if (l->key) {
        st = add(p, l->key, value, err);
        l->key = l->is_mapping ? NULL : l->key;
        return st;
    }
    word = ec_arena_strn(p->a, value.p, value.len < EC__JOB_KEY ? value.len : EC__JOB_KEY);
    l->key = word ? joined(p, l->path, word) : NULL;
    return ec_allocated(l->key, err);
}

/* Begins or ends a level. */
static enum ec_status yaml_nest(struct yaml_level *level, int *depth, int type, struct ec_err *err)
{
    struct yaml_level *l = &level[*depth];

    if (type == YAML_SEQUENCE_END || type == YAML_MAPPING_END) {
        --*depth;
        return EC_OK;
    }
    if (!l->key || (!*depth && type != YAML_MAPPING))
        return ec_fail(err, EC_E_PARSE, "expected a mapping of words");
    if (*depth == YAML_DEPTH - 1)
        return ec_fail(err, EC_E_PARSE, "more than %d levels", YAML_DEPTH - 1);
    level[++*depth] =
        (struct yaml_level){ type == YAML_MAPPING, l->key, type == YAML_MAPPING ? NULL : l->key };
    l->key = l->is_mapping ? NULL : l->key;
    return EC_OK;
}

/* The first document. What an alias stands for is not known. */
static enum ec_status yaml_events(const struct yaml *y, union yaml_parser *parser,
                                  struct ec__job_pairs *p, const char *prefix, struct ec_err *err)
{
    struct yaml_level level[YAML_DEPTH] = {
        {false, prefix, prefix}
    };
    struct yaml_event e;
    enum ec_status st = EC_OK;
    int depth = 0, type = 0;

    while (!st && type != YAML_STREAM_END && type != YAML_DOCUMENT_END) {
        memset(&e, 0, sizeof e);
        if (!y->parser_parse(parser, &e))
            return ec_fail(err, EC_E_PARSE, "line %zu: %s", parser->of.line + 1,
                           parser->of.problem ? parser->of.problem : "no YAML");
        type = e.type;
        if (type >= YAML_SEQUENCE)
            st = yaml_nest(level, &depth, type, err);
        else if (type >= YAML_ALIAS && !depth)
            st = ec_fail(err, EC_E_PARSE, "expected a mapping of words");
        else if (type >= YAML_ALIAS)
            st = yaml_value(
                p, &level[depth],
                type == YAML_SCALAR ? (struct ec_span){ e.value, e.length } : ec_span_of("*"), err);
        y->event_delete(&e);
    }
    return st;
}

static enum ec_status read_yaml(struct ec__job_pairs *p, struct ec_span text, const char *prefix,
                                struct ec_err *err)
{
    static const char *const names[] = { "libyaml-0.so.2", NULL };
    static const char *const symbols[] = { EC_LIBYAML(EC_FOREIGN_SYMBOL) NULL };
    union yaml_parser parser;
    enum ec_status st = EC_OK;
    struct yaml y;

    EC_PASS(ec_dynlib_open(names, "libyaml-0-2", "reading YAML", symbols, &y, err));
    memset(&parser, 0, sizeof parser);
    EC_PASS(ec_allocated(y.parser_initialize(&parser), err));
    y.parser_set_input_string(&parser, (const unsigned char *)text.p, text.len);
    st = yaml_events(&y, &parser, p, prefix, err);
    y.parser_delete(&parser);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * TOML: tables, keys, and values that are words, numbers, texts on one line or lists of these */

struct toml {
    const char *at, *end;
    int line;
};

/* Passes blanks and comments, and line ends where `over`. */
static void toml_blanks(struct toml *t, bool over)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r' || *t->at == '#' ||
                              (over && *t->at == '\n'))) {
        if (*t->at == '#') {
            while (t->at < t->end && *t->at != '\n')
                t->at++;
            continue;
        }
        t->line += *t->at == '\n';
        t->at++;
    }
}

/* A text in quotes, or what stands before one of the characters that end a word. */
static bool toml_word(struct toml *t, const char *ends, struct ec_span *ret)
{
    const char *from = t->at;
    char quote = t->at < t->end && (*t->at == '"' || *t->at == '\'') ? *t->at : '\0';

    if (quote) {
        for (t->at++; t->at < t->end && *t->at != quote && *t->at != '\n'; t->at++)
            t->at += quote == '"' && *t->at == '\\' && t->at + 1 < t->end && t->at[1] != '\n';
        if (t->at >= t->end || *t->at != quote)
            return false;
        *ret = (struct ec_span){ from + 1, (size_t)(t->at++ - from - 1) };
        return true;
    }
    while (t->at < t->end && !strchr(ends, *t->at) && *t->at)
        t->at++;
    *ret = ec_span_trim((struct ec_span){ from, (size_t)(t->at - from) });
    return ret->len > 0;
}

static bool toml_sign(struct toml *t, char sign, bool over)
{
    toml_blanks(t, over);
    if (t->at >= t->end || *t->at != sign)
        return false;
    t->at++;
    return true;
}

/* 1000 of "1_000". */
static struct ec_span without_marks(struct ec__job_pairs *p, struct ec_span word)
{
    char *text = ec_arena_strn(p->a, word.p, word.len), *to = text;
    size_t i;

    for (i = 0; text && i < word.len; i++)
        if (text[i] != '_')
            *to++ = text[i];
    return (struct ec_span){ text, (size_t)(to - text) };
}

/* Lists within lists are one list. */
static enum ec_status toml_value(struct toml *t, struct ec__job_pairs *p, const char *key,
                                 struct ec_err *err)
{
    struct ec_span word;
    enum ec_status st;
    int depth = 0;

    for (;;) {
        toml_blanks(t, depth > 0);
        if (t->at < t->end && (*t->at == '[' || (depth && (*t->at == ']' || *t->at == ',')))) {
            depth += (*t->at == '[') - (*t->at == ']');
            if (*t->at++ == ']' && !depth)
                return EC_OK;
            continue;
        }
        if (!toml_word(t, depth ? ",]#\n" : "#\n", &word) || *word.p == '{')
            return ec_fail(err, EC_E_PARSE,
                           "line %d: expected a number, a text on one line or a list", t->line);
        if (*word.p >= '0' && *word.p <= '9')
            word = without_marks(p, word);
        st = word.p ? add(p, key, word, err) : ec_nomem(err);
        if (st || !depth)
            return st;
    }
}

static enum ec_status read_toml(struct ec__job_pairs *p, struct ec_span text, const char *prefix,
                                struct ec_err *err)
{
    struct toml t = { text.p, text.p + text.len, 1 };
    const char *table = prefix, *name;
    enum ec_status st = EC_OK;
    struct ec_span word;
    bool is_table, good;

    for (toml_blanks(&t, true); !st && t.at < t.end; toml_blanks(&t, true)) {
        is_table = toml_sign(&t, '[', false);
        if (is_table)
            (void)toml_sign(&t, '[', false);
        toml_blanks(&t, false);
        good = toml_word(&t, is_table ? "]\n" : "=\n", &word);
        name = good ? ec_arena_strn(p->a, word.p, word.len < EC__JOB_KEY ? word.len : EC__JOB_KEY)
                    : "";
        EC_PASS(ec_allocated(name, err));
        if (!good || !toml_sign(&t, is_table ? ']' : '=', false))
            return ec_fail(err, EC_E_PARSE, "line %d: expected [table] or key = value", t.line);
        if (is_table)
            (void)toml_sign(&t, ']', false);
        name = joined(p, is_table ? prefix : table, name);
        EC_PASS(ec_allocated(name, err));
        if (is_table)
            table = name;
        else
            st = toml_value(&t, p, name, err);
        toml_blanks(&t, false);
        if (!st && t.at < t.end && *t.at != '\n')
            return ec_fail(err, EC_E_PARSE, "line %d: found more behind the value", t.line);
    }
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Arguments: "--key value --flag --key=value", in a shell script with NAME=VALUE before */

enum { VARIABLES = 64 };
struct arguments {
    struct ec__job_pairs *p;
    struct {
        struct ec_span name;
        const char *value;
    } variable[VARIABLES];
    int n_variables;
    const char *key; /* whose value may follow; NULL: none */
    bool has_value;
};

static bool is_name(struct ec_span s)
{
    size_t i;

    for (i = 0; i < s.len; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789", s.p[i]) ||
            !s.p[i])
            return false;
    return s.len > 0;
}

/* "8" of "$GPUS", "${GPUS}" and "${GPUS:-8}"; other words are as they are. */
static struct ec_span expanded(const struct arguments *a, struct ec_span w)
{
    struct ec_span name = { w.p + 1, w.len - 1 }, other = { NULL, 0 };
    int i;

    if (w.len < 2 || *w.p != '$')
        return w;
    if (*name.p == '{' && name.p[name.len - 1] == '}') {
        other = (struct ec_span){ name.p + 1, name.len - 2 };
        (void)ec_span_cut(&other, ':', &name);
    }
    for (i = a->n_variables - 1; i >= 0; i--)
        if (a->variable[i].name.len == name.len &&
            memcmp(a->variable[i].name.p, name.p, name.len) == 0)
            return ec_span_of(a->variable[i].value);
    if (!other.p || other.len < 2 || (*other.p != '-' && *other.p != '='))
        return w;
    other = (struct ec_span){ other.p + 1, other.len - 1 };
    if (other.len > 1 && *other.p == '"' && other.p[other.len - 1] == '"')
        other = (struct ec_span){ other.p + 1, other.len - 2 };
    return other;
}

static enum ec_status end_flag(struct arguments *a, struct ec_err *err)
{
    enum ec_status st = EC_OK;

    if (a->key && !a->has_value)
        st = add(a->p, a->key, ec_span_of("true"), err);
    a->key = NULL;
    a->has_value = false;
    return st;
}

static enum ec_status begin_flag(struct arguments *a, struct ec_span w, const char *prefix,
                                 struct ec_err *err)
{
    struct ec_span value = { w.p + 2, w.len - 2 }, key;
    char *c;

    EC_PASS(end_flag(a, err));
    (void)ec_span_cut(&value, '=', &key);
    c = ec_arena_printf(a->p->a, "%s%.*s", prefix,
                        (int)(key.len < EC__JOB_KEY ? key.len : EC__JOB_KEY), key.p);
    EC_PASS(ec_allocated(c, err));
    a->key = c;
    for (; *c; c++)
        *c = *c == '-' ? '_' : *c;
    if (value.p && value.len) {
        EC_PASS(add(a->p, a->key, expanded(a, value), err));
        a->has_value = true;
    }
    return EC_OK;
}

static bool is_program(struct ec_span w)
{
    return w.len > 3 && memcmp(w.p + w.len - 3, ".py", 3) == 0;
}

/* A word without dashes: a value, NAME=VALUE, or the program, whose own flags follow. */
static enum ec_status plain_word(struct arguments *a, struct ec_span w, struct ec_err *err)
{
    struct ec_span value = w, name;
    enum ec_status st = EC_OK;

    if (is_program(w)) {
        st = end_flag(a, err);
    } else if (a->key && !memchr(w.p, '@', w.len)) {
        st = add(a->p, a->key, expanded(a, w), err);
        a->has_value = true;
    } else if (ec_span_cut(&value, '=', &name) && value.p && is_name(name) &&
               a->n_variables < VARIABLES) {
        value = expanded(a, value);
        a->variable[a->n_variables].name = name;
        a->variable[a->n_variables].value = ec_arena_strn(a->p->a, value.p, value.len);
        if (!a->variable[a->n_variables++].value)
            st = ec_nomem(err);
    }
    return st;
}

/* Quotes and brackets separate words; a line that ends without '\' ends the value of a flag. */
static enum ec_status read_arguments(struct ec__job_pairs *p, struct ec_span text,
                                     const char *prefix, struct ec_err *err)
{
    static const char apart[] = " \t\r\"'();&|\\\n";
    const char *c = text.p, *end = text.p + text.len, *from;
    struct arguments a = { .p = p };
    enum ec_status st = EC_OK;
    int open; /* a quote within "${" and "}" ends no word */

    while (!st && c < end) {
        if (*c == '\\' && c + 1 < end) {
            c += 2;
        } else if (*c == '#' || *c == '\n') {
            while (c < end && *c != '\n')
                c++;
            c += c < end;
            st = end_flag(&a, err);
        } else if (!*c || strchr(apart, *c)) {
            c++;
        } else {
            for (from = c, open = 0; c < end && *c && *c != '\n' && (open || !strchr(apart, *c));
                 c++)
                open += (*c == '{' && c > from && c[-1] == '$') - (open && *c == '}');
            st = c - from > 2 && from[0] == '-' && from[1] == '-'
                     ? begin_flag(&a, (struct ec_span){ from, (size_t)(c - from) }, prefix, err)
                     : plain_word(&a, (struct ec_span){ from, (size_t)(c - from) }, err);
        }
    }
    return st ? st : end_flag(&a, err);
}

enum ec_status ec__job_pairs_read(enum ec__job_syntax syntax, struct ec_span text,
                                  const char *prefix, struct ec__job_pairs *ret, struct ec_err *err)
{
    text = ec_span_after_mark(text);
    return syntax == EC__JOB_JSON   ? read_json(ret, text, prefix, err)
           : syntax == EC__JOB_YAML ? read_yaml(ret, text, prefix, err)
           : syntax == EC__JOB_TOML ? read_toml(ret, text, prefix, err)
                                    : read_arguments(ret, text, prefix, err);
}
