/* JSON reader: jansson checks the text, the tree is then ours, in an arena, in file order. */
#include "base/io.h"
#include "base/print.h"

#include <errno.h>
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

enum ec_status ec_json_parse(const char *text, size_t len, struct ec_arena *a,
                             const struct ec_jval **ret, struct ec_err *err)
{
    int deep = too_deep_at(text, len);
    struct ec_c_locale c_locale;
    const struct ec_jval *v;
    json_error_t at = { 0 }; /* jansson leaves the code as it is when it gives none */
    json_t *root;
    bool no_memory;

    if (len && memchr(text, '\0', len))
        return ec_fail(err, EC_E_PARSE, "a NUL byte stands in the text: not JSON");
    if (deep)
        return ec_fail(err, EC_E_PARSE, "line %d: JSON is nested deeper than %d levels", deep,
                       JSON_MAX_DEPTH);
    c_locale = ec_c_locale_begin(); /* jansson reads numbers by strtod() */
    errno = 0;
    root = json_loadb(text ? text : "", len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &at);
    /* it takes some texts for wrong for which it had no memory */
    no_memory = !root && (errno == ENOMEM || json_error_code(&at) == json_error_out_of_memory);
    ec_c_locale_end(c_locale);
    if (no_memory)
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
