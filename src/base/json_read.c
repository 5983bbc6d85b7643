/* JSON reader, RFC 8259 to the letter: recursive descent, one pass over the text. What reads
 * returns false when it failed; status and sentence are in the reader then. */
#include "base/io.h"
#include "base/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Also bounds the recursion below. */
#define JSON_MAX_DEPTH 64
/* Lines, columns and children are counted in int. */
#define JSON_MAX_BYTES ((size_t)INT32_MAX)
/* Of a word or number quoted in a sentence. */
#define FOUND_MAX_LEN 24

struct key {
    const char *name, *at;
};

struct reader {
    const char *text, *p, *end; /* p: what is read next */
    struct ec_arena *a;
    struct key *keys; /* of all objects that are open, those of the innermost last */
    int n_keys, keys_cap, depth;
    struct ec_buf scratch; /* the string or number that is read */
    enum ec_status st;
    struct ec_err *err;
};

/* Puts the place of `at` in front of the sentence just written. */
static bool fail_at(struct reader *r, const char *at, enum ec_status st)
{
    int line = 1, column = 1;
    const char *p;

    for (p = r->text; p < at; p++)
        if (*p == '\n') {
            line++;
            column = 1;
        } else if ((*p & 0xc0) != 0x80) { /* the first byte of a character */
            column++;
        }
    ec_err_prefix(r->err, "line %d, column %d: ", line, column);
    r->st = st;
    return false;
}

static bool no_memory(struct reader *r)
{
    r->st = ec_nomem(r->err);
    return false;
}

static bool is_of_word(char c)
{
    return ec_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.' || c == '_';
}

/* Found is a whole word, number or escape, otherwise one character. */
static bool expected(struct reader *r, const char *at, const char *what)
{
    size_t left = (size_t)(r->end - at), n = left && *at == '\\';
    char found[FOUND_MAX_LEN + sizeof "'...'"] = "the end of the text";
    bool plain = true;

    while (n < left && n < FOUND_MAX_LEN && is_of_word(at[n]))
        n++;
    if (left && !n)
        n = ec_plain_char(at, left, &plain);
    if (!plain)
        (void)snprintf(found, sizeof found, "byte 0x%02x", (unsigned char)*at);
    else if (left)
        (void)snprintf(found, sizeof found, "'%.*s%s'", (int)n, at, n < FOUND_MAX_LEN ? "" : "...");
    return fail_at(r, at, ec_fail(r->err, EC_E_PARSE, "expected %s, found %s", what, found));
}

/* NUL at the end of the text; one within it is refused wherever it stands. */
static char peek(const struct reader *r)
{
    return r->p < r->end ? *r->p : '\0';
}

static bool take(struct reader *r, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(r->end - r->p) < len || memcmp(r->p, word, len) != 0)
        return false;
    r->p += len;
    return true;
}

static void skip_space(struct reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\n' || peek(r) == '\r' || peek(r) == '\t')
        r->p++;
}

static bool read_digits(struct reader *r)
{
    if (!ec_is_digit(peek(r)))
        return expected(r, r->p, "a digit");
    while (ec_is_digit(peek(r)))
        r->p++;
    return true;
}

static bool convert_real(struct reader *r, struct ec_span s, double *ret)
{
    ec_buf_reset(&r->scratch);
    ec_buf_add(&r->scratch, s.p, s.len);
    if (r->scratch.st)
        return no_memory(r);
    *ret = ec_strtod(r->scratch.data, NULL);
    return isfinite(*ret) || expected(r, s.p, "a number between -1.8e308 and 1.8e308");
}

static bool read_number(struct reader *r, struct ec_jval *v)
{
    struct ec_span s = { r->p, 0 };
    const char *digits, *end;

    (void)take(r, "-");
    digits = r->p;
    if (!read_digits(r))
        return false;
    if (*digits == '0' && r->p > digits + 1)
        return expected(r, s.p, "a number without leading zeros");
    end = r->p;
    if (take(r, ".") && !read_digits(r))
        return false;
    if (take(r, "e") || take(r, "E")) {
        (void)(take(r, "+") || take(r, "-"));
        if (!read_digits(r))
            return false;
    }
    s.len = (size_t)(r->p - s.p);
    v->type = EC_J_NUM;
    v->is_int = r->p == end;
    if (!v->is_int)
        return convert_real(r, s, &v->num);
    if (!ec_parse_int(s, &v->i))
        return expected(r, s.p, "a whole number from -2^63 to 2^63 - 1");
    v->num = (double)v->i;
    return true;
}

static void add_utf8(struct ec_buf *out, uint32_t c)
{
    static const uint32_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;
    char u[4];

    for (i = n - 1; i > 0; i--, c >>= 6)
        u[i] = (char)(0x80 | (c & 0x3f));
    u[0] = (char)(first[n] | c);
    ec_buf_add(out, u, (size_t)n);
}

static bool read_hex4(struct reader *r, uint32_t *ret)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *hit;
    int i;

    *ret = 0;
    for (i = 0; i < 4; i++, r->p++) {
        hit = peek(r) ? strchr(digits, peek(r)) : NULL;
        if (!hit)
            return expected(r, r->p, "four hexadecimal digits after \\u");
        *ret = *ret << 4 | (uint32_t)(hit - digits < 16 ? hit - digits : hit - digits - 6);
    }
    return true;
}

/* Behind \u: a character of UTF-16, which is one unit or a pair of surrogates. */
static bool read_unicode(struct reader *r)
{
    const char *at = r->p - 2;
    uint32_t c, low = 0;

    if (!read_hex4(r, &c))
        return false;
    if (!c)
        return expected(r, at, "a character other than NUL");
    if (c >= 0xdc00 && c <= 0xdfff)
        return expected(r, at, "the first half of a surrogate pair before the second");
    if (c >= 0xd800 && c <= 0xdbff) {
        at = r->p;
        if (take(r, "\\u") && !read_hex4(r, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return expected(r, at, "the second half of a surrogate pair, \\udc00 to \\udfff");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    add_utf8(&r->scratch, c);
    return true;
}

static bool read_escape(struct reader *r)
{
    static const char names[] = "\"\\/bfnrt", chars[] = "\"\\/\b\f\n\r\t";
    const char *hit;

    if (take(r, "\\u"))
        return read_unicode(r);
    r->p++;
    hit = peek(r) ? strchr(names, peek(r)) : NULL;
    if (!hit)
        return expected(r, r->p, "one of \"\\/bfnrtu after \\");
    r->p++;
    ec_buf_char(&r->scratch, chars[hit - names]);
    return true;
}

/* Characters that stand for themselves, up to a quote or an escape. */
static bool read_run(struct reader *r)
{
    const char *start = r->p;

    while ((unsigned char)peek(r) >= ' ' && peek(r) != '"' && peek(r) != '\\') {
        int n = ec_utf8_len(r->p, (size_t)(r->end - r->p));

        if (!n)
            return expected(r, r->p, "UTF-8");
        r->p += n;
    }
    if (peek(r) != '"' && peek(r) != '\\')
        return expected(r, r->p, "a character of a string or '\"' at its end");
    ec_buf_add(&r->scratch, start, (size_t)(r->p - start));
    return true;
}

static bool read_string(struct reader *r, const char **ret)
{
    r->p++;
    ec_buf_reset(&r->scratch);
    if (!read_run(r))
        return false;
    while (!take(r, "\""))
        if (!read_escape(r) || !read_run(r))
            return false;
    *ret = r->scratch.st ? NULL : ec_arena_strn(r->a, r->scratch.data, r->scratch.len);
    return *ret || no_memory(r);
}

static bool read_key(struct reader *r, const char **ret)
{
    const char *at;

    skip_space(r);
    at = r->p;
    if (peek(r) != '"')
        return expected(r, at, "a key in double quotes");
    if (!read_string(r, ret))
        return false;
    if (ec_grow(&r->keys, &r->keys_cap, r->n_keys + 1, sizeof *r->keys, r->err))
        return no_memory(r);
    r->keys[r->n_keys++] = (struct key){ *ret, at };
    skip_space(r);
    return take(r, ":") || expected(r, r->p, "':' after a key");
}

static int by_name_and_place(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int d = strcmp(x->name, y->name);

    return d ? d : x->at < y->at ? -1 : x->at > y->at;
}

/* Of the object that ends here, whose keys begin at `first`. They are sorted, not hashed: there are
 * no keys that make this slow. */
static bool check_keys(struct reader *r, int first)
{
    struct key *k;

    qsort(r->keys + first, (size_t)(r->n_keys - first), sizeof *k, by_name_and_place);
    for (k = r->keys + first; k + 1 < r->keys + r->n_keys; k++)
        if (ec_str_eq(k[0].name, k[1].name))
            return fail_at(
                r, k[1].at,
                ec_fail(r->err, EC_E_PARSE, "the key \"%.80s\" is given twice", k->name));
    r->n_keys = first;
    return true;
}

static bool read_value(struct reader *r, struct ec_jval *v);

/* Of an array or an object, whose bracket is read. */
static bool read_members(struct reader *r, struct ec_jval *v)
{
    bool is_object = v->type == EC_J_OBJECT;
    const char *close = is_object ? "}" : "]";
    struct ec_jval *child, **tail = &v->child;
    int first_key = r->n_keys;

    skip_space(r);
    if (take(r, close))
        return true;
    do {
        child = ec_arena_alloc(r->a, sizeof *child);
        if (!child)
            return no_memory(r);
        if ((is_object && !read_key(r, &child->key)) || !read_value(r, child))
            return false;
        *tail = child;
        tail = &child->next;
        v->n++;
        skip_space(r);
    } while (take(r, ","));
    if (!take(r, close))
        return expected(r, r->p,
                        is_object ? "',' or '}' after a value" : "',' or ']' after a value");
    return !is_object || check_keys(r, first_key);
}

static bool read_value(struct reader *r, struct ec_jval *v)
{
    bool ok;

    skip_space(r);
    if (peek(r) == '-' || ec_is_digit(peek(r)))
        return read_number(r, v);
    if (peek(r) == '"') {
        v->type = EC_J_STR;
        return read_string(r, &v->str);
    }
    if (take(r, "null"))
        return true; /* v is zeroed */
    v->b = take(r, "true");
    if (v->b || take(r, "false")) {
        v->type = EC_J_BOOL;
        return true;
    }
    if (peek(r) != '{' && peek(r) != '[')
        return expected(r, r->p, "a value");
    if (r->depth == JSON_MAX_DEPTH)
        return fail_at(
            r, r->p,
            ec_fail(r->err, EC_E_PARSE, "JSON is nested deeper than %d levels", JSON_MAX_DEPTH));
    v->type = *r->p++ == '{' ? EC_J_OBJECT : EC_J_ARRAY;
    r->depth++;
    ok = read_members(r, v);
    r->depth--;
    return ok;
}

enum ec_status ec_json_parse(const char *text, size_t len, struct ec_arena *a,
                             const struct ec_jval **ret, struct ec_err *err)
{
    struct reader r = { .text = text ? text : "", .a = a, .err = err };
    struct ec_jval *v = ec_arena_alloc(a, sizeof *v);

    if (len > JSON_MAX_BYTES)
        return ec_fail(err, EC_E_PARSE, "%zu bytes of JSON, expected at most %zu", len,
                       JSON_MAX_BYTES);
    EC_PASS(ec_allocated(v, err));
    r.p = r.text;
    r.end = r.text + len;
    if (read_value(&r, v)) {
        skip_space(&r);
        if (r.p == r.end)
            *ret = v;
        else
            (void)expected(&r, r.p, "the end of the text after its value");
    }
    ec_free(r.keys);
    ec_buf_clear(&r.scratch);
    return r.st;
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
