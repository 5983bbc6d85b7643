/* JSON reader: jansson checks the text, the tree is then ours, in an arena, in file order. */
#include "base/io.h"
#include "base/print.h"

#include <jansson.h>
#include <string.h>

/* Also bounds the recursion below. */
#define JSON_MAX_DEPTH 64

static struct ec_jval *convert(json_t *from, struct ec_arena *a);

static bool add_child(struct ec_jval *parent, struct ec_jval ***tail, struct ec_jval *child)
{
    if (!child)
        return false;
    **tail = child;
    *tail = &child->next;
    parent->n++;
    return true;
}

static bool convert_array(json_t *from, struct ec_jval *v, struct ec_arena *a)
{
    struct ec_jval **tail = &v->child;
    size_t i;

    v->type = EC_J_ARRAY;
    for (i = 0; i < json_array_size(from); i++)
        if (!add_child(v, &tail, convert(json_array_get(from, i), a)))
            return false;
    return true;
}

static bool convert_object(json_t *from, struct ec_jval *v, struct ec_arena *a)
{
    struct ec_jval **tail = &v->child;
    struct ec_jval *child;
    void *it;

    v->type = EC_J_OBJECT;
    for (it = json_object_iter(from); it; it = json_object_iter_next(from, it)) {
        child = convert(json_object_iter_value(it), a);
        if (!add_child(v, &tail, child))
            return false;
        child->key = ec_arena_str(a, json_object_iter_key(it));
        if (!child->key)
            return false;
    }
    return true;
}

static bool convert_string(json_t *from, struct ec_jval *v, struct ec_arena *a)
{
    v->type = EC_J_STR;
    v->str = ec_arena_strn(a, json_string_value(from), json_string_length(from));
    return v->str;
}

static bool convert_number(json_t *from, struct ec_jval *v)
{
    v->type = EC_J_NUM;
    v->is_int = json_is_integer(from);
    v->i = v->is_int ? json_integer_value(from) : 0;
    v->num = json_number_value(from);
    return true;
}

static bool convert_into(json_t *from, struct ec_jval *v, struct ec_arena *a)
{
    switch (json_typeof(from)) {
    case JSON_OBJECT:
        return convert_object(from, v, a);
    case JSON_ARRAY:
        return convert_array(from, v, a);
    case JSON_STRING:
        return convert_string(from, v, a);
    case JSON_INTEGER:
    case JSON_REAL:
        return convert_number(from, v);
    case JSON_TRUE:
    case JSON_FALSE:
        v->type = EC_J_BOOL;
        v->b = json_is_true(from);
        return true;
    case JSON_NULL:
        break;
    }
    return true;
}

static struct ec_jval *convert(json_t *from, struct ec_arena *a)
{
    struct ec_jval *v = ec_arena_alloc(a, sizeof *v);

    return v && convert_into(from, v, a) ? v : NULL;
}

/* Line where brackets are nested too deep, 0 when none is: found before jansson recurses and before
 * anything is built. Brackets inside strings do not count. */
static int too_deep_at(const char *text, size_t len)
{
    bool in_string = false;
    int depth = 0, line = 1;
    size_t i;

    for (i = 0; i < len; i++) {
        char c = text[i];

        line += c == '\n';
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']'))
            depth--;
        if (depth > JSON_MAX_DEPTH)
            return line;
    }
    return 0;
}

/* --- Whether a text is JSON ---
 * jansson often calls a failed allocation a syntax error. This reads the same grammar and allocates
 * nothing: a text that it finds right was refused for lack of memory. */

struct syntax {
    const char *p, *end;
};

static bool take(struct syntax *s, const char *set)
{
    bool hit = s->p < s->end && *s->p && strchr(set, *s->p);

    s->p += hit;
    return hit;
}

static void skip(struct syntax *s, const char *set)
{
    while (take(s, set))
        ;
}

static bool digits(struct syntax *s)
{
    const char *begin = s->p;

    skip(s, "0123456789");
    return s->p > begin;
}

static bool number(struct syntax *s)
{
    (void)take(s, "-");
    if (!take(s, "0") && !digits(s))
        return false;
    if (take(s, ".") && !digits(s))
        return false;
    if (!take(s, "eE"))
        return true;
    (void)take(s, "+-");
    return digits(s);
}

/* Four hexadecimal digits; the halves of a pair, U+D800 to U+DFFF, stand together. */
static bool code_unit(struct syntax *s, unsigned *ret)
{
    int i;

    for (*ret = 0, i = 0; i < 4; i++) {
        const char *hex = "0123456789abcdefABCDEF", *at = s->p < s->end ? strchr(hex, *s->p) : NULL;

        if (!at || !*s->p)
            return false;
        *ret = *ret * 16 + (unsigned)(at - hex < 16 ? at - hex : at - hex - 6);
        s->p++;
    }
    return true;
}

static bool escape(struct syntax *s)
{
    unsigned first, second;

    if (!take(s, "u"))
        return take(s, "\"\\/bfnrt");
    if (!code_unit(s, &first) || (first >= 0xdc00 && first < 0xe000))
        return false;
    if (first < 0xd800 || first >= 0xe000)
        return true;
    return take(s, "\\") && take(s, "u") && code_unit(s, &second) && second >= 0xdc00 &&
           second < 0xe000;
}

static bool string(struct syntax *s)
{
    if (!take(s, "\""))
        return false;
    while (s->p < s->end && *s->p != '"') {
        unsigned char c = (unsigned char)*s->p++;

        if (c < 0x20 || (c == '\\' && !escape(s)))
            return false;
    }
    return take(s, "\"");
}

static bool word(struct syntax *s)
{
    static const char *const words[] = { "true", "false", "null" };
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if ((size_t)(s->end - s->p) >= strlen(words[i]) &&
            !memcmp(s->p, words[i], strlen(words[i]))) {
            s->p += strlen(words[i]);
            return true;
        }
    return false;
}

#define BLANKS " \t\n\r"

static bool value(struct syntax *s); /* the depth is bounded: too_deep_at */

static bool members(struct syntax *s, bool named, const char *close)
{
    skip(s, BLANKS);
    if (take(s, close))
        return true;
    do {
        skip(s, BLANKS);
        if (named && !string(s))
            return false;
        skip(s, BLANKS);
        if ((named && !take(s, ":")) || !value(s))
            return false;
    } while (take(s, ","));
    return take(s, close);
}

static bool value(struct syntax *s)
{
    bool right;

    skip(s, BLANKS);
    if (s->p == s->end)
        return false;
    if (take(s, "{"))
        right = members(s, true, "}");
    else if (take(s, "["))
        right = members(s, false, "]");
    else if (*s->p == '"')
        right = string(s);
    else
        right = word(s) || number(s);
    skip(s, BLANKS);
    return right;
}

static bool is_json(const char *text, size_t len)
{
    struct syntax s = { text, text + len };

    return value(&s) && s.p == s.end;
}

static bool was_memory(const json_error_t *at, const char *text, size_t len)
{
    switch (json_error_code(at)) {
    case json_error_unknown:
    case json_error_out_of_memory:
        return true;
    case json_error_invalid_syntax:
    case json_error_premature_end_of_input:
    case json_error_end_of_input_expected:
        return is_json(text, len);
    default:
        return false;
    }
}

enum ec_status ec_json_parse(const char *text, size_t len, struct ec_arena *a,
                             const struct ec_jval **ret, struct ec_err *err)
{
    int deep = too_deep_at(text, len);
    struct ec_c_locale c_locale;
    const struct ec_jval *v;
    json_error_t at = { 0 }; /* jansson leaves the code as it is when it gives none */
    json_t *root;

    if (len && memchr(text, '\0', len))
        return ec_fail(err, EC_E_PARSE, "a NUL byte stands in the text: not JSON");
    if (deep)
        return ec_fail(err, EC_E_PARSE, "line %d: JSON is nested deeper than %d levels", deep,
                       JSON_MAX_DEPTH);
    c_locale = ec_c_locale_begin(); /* jansson reads numbers by strtod() */
    root = json_loadb(text ? text : "", len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &at);
    ec_c_locale_end(c_locale);
    if (!root && was_memory(&at, text ? text : "", len))
        return ec_nomem(err);
    if (!root)
        return ec_fail(err, EC_E_PARSE, "line %d, column %d: %s", at.line, at.column, at.text);
    v = convert(root, a);
    json_decref(root);
    if (!v)
        return ec_nomem(err);
    *ret = v;
    return EC_OK;
}

const struct ec_jval *ec_json_get(const struct ec_jval *obj, const char *key)
{
    const struct ec_jval *v;

    if (!obj || obj->type != EC_J_OBJECT)
        return NULL;
    for (v = obj->child; v; v = v->next)
        if (ec_str_eq(v->key, key))
            return v;
    return NULL;
}
