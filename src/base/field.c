/* Setting and printing fields described by tables. */
#include "base/field.h"

#include "base/print.h"

#include <assert.h>
#include <string.h>

const struct ec_field *ec_field_find(const struct ec_field *fields, struct ec_span name)
{
    const struct ec_field *f;

    for (f = fields; f && f->name; f++)
        if (ec_span_eq(name, f->name))
            return f;
    return NULL;
}

static void *at(void *obj, const struct ec_field *f)
{
    return (char *)obj + f->offset;
}

static const void *at_const(const void *obj, const struct ec_field *f)
{
    return (const char *)obj + f->offset;
}

static bool bounded(const struct ec_field *f)
{
    return f->min != 0 || f->max != 0;
}

static enum ec_status refuse(const struct ec_field *f, struct ec_span text, const char *why,
                             const char *expected, struct ec_err *err)
{
    return ec_fail(err, EC_E_INPUT, "%s: found \"%.*s\", %sexpected %s", f->name,
                   text.len > 80 ? 80 : (int)text.len, text.p ? text.p : "", why, expected);
}

static enum ec_status bad(const struct ec_field *f, struct ec_span text, const char *expected,
                          struct ec_err *err)
{
    return refuse(f, text, "", expected, err);
}

static enum ec_status check_range(const struct ec_field *f, double v, struct ec_span text,
                                  struct ec_err *err)
{
    char expected[96];

    if (!bounded(f) || (v >= f->min && v <= f->max))
        return EC_OK;
    (void)ec_snprintf(expected, sizeof expected, "%.15g to %.15g%s%s", f->min, f->max,
                      f->unit ? " " : "", f->unit ? f->unit : "");
    return bad(f, text, expected, err);
}

static enum ec_status set_bool(const struct ec_field *f, void *obj, struct ec_span text,
                               struct ec_err *err)
{
    static const char *const words[] = { "0", "1", "false", "true", "no", "yes" };
    bool v;
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if (ec_span_eq(text, words[i])) {
            v = i & 1;
            memcpy(at(obj, f), &v, sizeof v);
            return EC_OK;
        }
    return bad(f, text, "0 or 1", err);
}

static enum ec_status set_int(const struct ec_field *f, void *obj, struct ec_span text,
                              struct ec_err *err)
{
    int word = ec_field_index(f, text);
    int64_t v = -1 - word;

    if (word < 0 && !ec_parse_int(text, &v) && (!f->is_amount || !ec_parse_amount(text, &v)))
        return bad(f, text, f->is_amount ? "a whole number, such as 1e9 or 300M" : "a whole number",
                   err);
    if (word < 0)
        EC_PASS(check_range(f, (double)v, text, err));
    memcpy(at(obj, f), &v, sizeof v);
    return EC_OK;
}

static enum ec_status set_double(const struct ec_field *f, void *obj, struct ec_span text,
                                 struct ec_err *err)
{
    double v;

    if (!ec_parse_double(text, &v))
        return bad(f, text, "a number", err);
    EC_PASS(check_range(f, v, text, err));
    memcpy(at(obj, f), &v, sizeof v);
    return EC_OK;
}

static char plain(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == '_' ? '-' : c;
}

static bool same_word(struct ec_span text, struct ec_span word)
{
    size_t i;

    for (i = 0; i < text.len && i < word.len; i++)
        if (plain(text.p[i]) != plain(word.p[i]))
            return false;
    return text.len == word.len;
}

static bool is_among(struct ec_span text, const char *words)
{
    struct ec_span rest = ec_span_of(words), word;

    while (rest.p && ec_span_cut(&rest, ' ', &word))
        if (same_word(text, word))
            return true;
    return false;
}

int ec_field_index(const struct ec_field *f, struct ec_span text)
{
    int i;

    for (i = 0; f->choices && f->choices[i]; i++)
        if (same_word(text, ec_span_of(f->choices[i])) ||
            (f->also && f->also[i] && is_among(text, f->also[i])))
            return i;
    return -1;
}

const char *ec_field_word(const struct ec_field *f, int64_t v)
{
    int64_t i;

    for (i = 0; f->choices && f->choices[i]; i++)
        if (i == -1 - v)
            return f->choices[i];
    return NULL;
}

bool ec_field_may_be(const struct ec_field *f, int choice)
{
    return !f->only || f->only & EC_ONLY(choice);
}

static enum ec_status no_choice(const struct ec_field *f, struct ec_span text, bool elsewhere,
                                struct ec_err *err)
{
    struct ec_buf expected = EC_BUF_INIT;
    enum ec_status st;
    int i, n = 0;

    ec_buf_str(&expected, "one of");
    for (i = 0; f->choices[i]; i++)
        if (ec_field_may_be(f, i))
            ec_buf_printf(&expected, "%s %s", n++ ? "," : "", f->choices[i]);
    ec_buf_printf(&expected, "%s%s", f->hint ? "; " : "", f->hint ? f->hint : "");
    st = refuse(f, text, elsewhere ? "which is not possible here, " : "", ec_buf_text(&expected),
                err);
    ec_buf_clear(&expected);
    return st;
}

enum ec_status ec_field_choice(const struct ec_field *f, struct ec_span word, int *ret,
                               struct ec_err *err)
{
    int i = ec_field_index(f, word);

    if (i < 0 || !ec_field_may_be(f, i))
        return no_choice(f, word, i >= 0, err);
    *ret = i;
    return EC_OK;
}

static enum ec_status set_enum(const struct ec_field *f, void *obj, struct ec_span text,
                               struct ec_err *err)
{
    int v = 0;

    EC_PASS(ec_field_choice(f, text, &v, err));
    memcpy(at(obj, f), &v, sizeof v);
    return EC_OK;
}

static enum ec_status set_ints(const struct ec_field *f, void *obj, struct ec_span text,
                               struct ec_err *err)
{
    struct ec_ints v = { 0 };
    struct ec_span rest = text, part;
    char sep = text.len && memchr(text.p, ',', text.len)   ? ','
               : text.len && memchr(text.p, ' ', text.len) ? ' '
                                                           : 'x';
    int word = ec_field_index(f, text);

    if (word >= 0) {
        v.n = -1 - word;
        memcpy(at(obj, f), &v, sizeof v);
        return EC_OK;
    }
    while (text.len && ec_span_cut(&rest, sep, &part)) {
        if (v.n == EC_INTS_MAX)
            return bad(f, text, "at most 16 numbers", err);
        if (!ec_parse_int(part, &v.v[v.n]))
            return bad(f, text, "whole numbers joined by x or commas, such as 3x3", err);
        EC_PASS(check_range(f, (double)v.v[v.n], text, err));
        v.n++;
    }
    memcpy(at(obj, f), &v, sizeof v);
    return EC_OK;
}

/* With choices the word as the table has it, whichever way it was written. */
static enum ec_status one_text(const struct ec_field *f, struct ec_span *text, struct ec_err *err)
{
    int i = 0;

    if (!f->choices)
        return EC_OK;
    EC_PASS(ec_field_choice(f, ec_span_trim(*text), &i, err));
    *text = ec_span_of(f->choices[i]);
    return EC_OK;
}

static enum ec_status set_str(const struct ec_field *f, void *obj, struct ec_span text,
                              struct ec_arena *a, struct ec_err *err)
{
    const char *v;

    EC_PASS(one_text(f, &text, err));
    v = ec_arena_strn(a, text.p, text.len);
    EC_PASS(ec_allocated(v, err));
    memcpy(at(obj, f), &v, sizeof v);
    return EC_OK;
}

static enum ec_status add_str(const struct ec_field *f, void *obj, struct ec_span text,
                              struct ec_arena *a, struct ec_err *err)
{
    struct ec_strs *list = at(obj, f);
    const char **grown;

    EC_PASS(one_text(f, &text, err));
    if (list->n == list->cap) {
        grown = ec_arena_alloc(a, sizeof *grown * (size_t)(list->cap * 2 + 4));
        EC_PASS(ec_allocated(grown, err));
        if (list->n)
            memcpy(grown, list->v, sizeof *grown * (size_t)list->n);
        list->v = grown;
        list->cap = list->cap * 2 + 4;
    }
    list->v[list->n] = ec_arena_strn(a, text.p, text.len);
    EC_PASS(ec_allocated(list->v[list->n], err));
    list->n++;
    return EC_OK;
}

static enum ec_status add_strs(const struct ec_field *f, void *obj, struct ec_span text,
                               struct ec_arena *a, struct ec_err *err)
{
    struct ec_span rest = text, word;

    if (!f->choices)
        return add_str(f, obj, text, a, err);
    while (rest.p && ec_span_cut(&rest, ',', &word))
        EC_PASS(add_str(f, obj, word, a, err));
    return EC_OK;
}

enum ec_status ec_field_set(const struct ec_field *f, void *obj, struct ec_span text,
                            struct ec_arena *a, struct ec_err *err)
{
    switch (f->type) {
    case EC_F_BOOL:
        return set_bool(f, obj, text, err);
    case EC_F_INT:
        return set_int(f, obj, text, err);
    case EC_F_DOUBLE:
        return set_double(f, obj, text, err);
    case EC_F_ENUM:
        return set_enum(f, obj, text, err);
    case EC_F_STR:
        return set_str(f, obj, text, a, err);
    case EC_F_INTS:
        return set_ints(f, obj, text, err);
    case EC_F_STRS:
        return add_strs(f, obj, text, a, err);
    }
    return ec_fail(err, EC_E_INPUT, "%s: unknown field type", f->name);
}

static size_t field_size(enum ec_field_type type)
{
    switch (type) {
    case EC_F_BOOL:
        return sizeof(bool);
    case EC_F_INT:
        return sizeof(int64_t);
    case EC_F_DOUBLE:
        return sizeof(double);
    case EC_F_ENUM:
        return sizeof(int);
    case EC_F_STR:
        return sizeof(const char *);
    case EC_F_INTS:
        return sizeof(struct ec_ints);
    case EC_F_STRS:
        return sizeof(struct ec_strs);
    }
    return 0;
}

/* Most defaults are one digit, and are read for every query. */
static int one_digit(const char *text)
{
    return text[0] >= '0' && text[0] <= '9' && !text[1] ? text[0] - '0' : -1;
}

/* The same as parsing the text, the member being zero; false when it has to be parsed. Bounds hold
 * for defaults. */
static bool set_digit(const struct ec_field *f, void *obj)
{
    int digit = one_digit(f->deflt);
    struct ec_ints *ints = at(obj, f);

    if (digit < 0)
        return false;
    if (f->type == EC_F_INT) {
        *(int64_t *)at(obj, f) = digit;
    } else if (f->type == EC_F_DOUBLE) {
        *(double *)at(obj, f) = digit;
    } else if (f->type == EC_F_INTS && !f->choices) {
        ints->n = 1;
        ints->v[0] = digit;
    } else if (f->type == EC_F_BOOL && digit < 2) {
        *(bool *)at(obj, f) = digit == 1;
    } else {
        return false;
    }
    return true;
}

enum ec_status ec_fields_default(const struct ec_field *fields, void *obj, struct ec_arena *a,
                                 struct ec_err *err)
{
    const struct ec_field *f;
    enum ec_status st;

    for (f = fields; f && f->name; f++) {
        memset(at(obj, f), 0, field_size(f->type));
        if (!f->deflt || set_digit(f, obj))
            continue;
        st = ec_field_set(f, obj, ec_span_of(f->deflt), a, err);
        assert(st == EC_OK || st == EC_E_NOMEM);
        if (st)
            return st;
    }
    return EC_OK;
}

static void print_ints(const struct ec_field *f, const struct ec_ints *v, struct ec_buf *out)
{
    int i;

    if (v->n < 0) {
        ec_buf_str(out, f->choices[-1 - v->n]);
        return;
    }
    for (i = 0; i < v->n; i++)
        ec_buf_printf(out, "%s%lld", i ? "x" : "", (long long)v->v[i]);
}

enum ec_status ec_strs_add(struct ec_strs *list, struct ec_arena *a, struct ec_err *err,
                           const char *fmt, ...)
{
    static const struct ec_field f = { .name = "sentence", .type = EC_F_STRS };
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;
    va_list ap;

    va_start(ap, fmt);
    ec_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    st = ec_buf_status(&text, err);
    if (!st)
        st = ec_field_set(&f, list, ec_span_of(ec_buf_text(&text)), a, err);
    ec_buf_clear(&text);
    return st;
}

void ec_strs_print(const struct ec_strs *v, struct ec_buf *out)
{
    int i;

    for (i = 0; i < v->n; i++)
        ec_buf_printf(out, "%s%s", i ? "," : "", v->v[i]);
}

const char *ec_path_end(const char *path, const struct ec_strs *all)
{
    const char *end = ec_path_name(path);
    int i;

    for (i = 0; i < all->n; i++) {
        size_t len = strlen(all->v[i]);

        while (end > path && !ec_str_eq(all->v[i], path) && len >= strlen(end) &&
               ec_str_eq(all->v[i] + len - strlen(end), end))
            for (end--; end > path && end[-1] != '/';)
                end--;
    }
    return end;
}

void ec_field_print(const struct ec_field *f, const void *obj, struct ec_buf *out)
{
    const void *p = at_const(obj, f);
    char text[EC_FMT_DOUBLE_BYTES];

    switch (f->type) {
    case EC_F_BOOL:
        ec_buf_char(out, *(const bool *)p ? '1' : '0');
        break;
    case EC_F_INT:
        if (ec_field_word(f, *(const int64_t *)p))
            ec_buf_str(out, ec_field_word(f, *(const int64_t *)p));
        else
            ec_buf_printf(out, "%lld", (long long)*(const int64_t *)p);
        break;
    case EC_F_DOUBLE:
        ec_buf_str(out, ec_fmt_double(text, sizeof text, *(const double *)p));
        break;
    case EC_F_ENUM:
        ec_buf_str(out, f->choices[*(const int *)p]);
        break;
    case EC_F_STR:
        ec_buf_str(out, *(const char *const *)p ? *(const char *const *)p : "");
        break;
    case EC_F_INTS:
        print_ints(f, p, out);
        break;
    case EC_F_STRS:
        ec_strs_print(p, out);
        break;
    }
}

static bool strs_are_default(const struct ec_strs *v, const char *deflt)
{
    return deflt ? v->n == 1 && ec_str_eq(v->v[0], deflt) : v->n == 0;
}

static bool str_is_default(const char *v, const char *deflt)
{
    return ec_str_eq(v ? v : "", deflt ? deflt : "");
}

/* Allocates nothing: a default that is not text is a few bytes beside the value. */
bool ec_field_is_default(const struct ec_field *f, const void *obj)
{
    union {
        int64_t i;
        double d;
        struct ec_ints ints;
    } deflt = { .ints = { 0 } };
    struct ec_field row = *f;
    const void *p = at_const(obj, f);

    if (f->type == EC_F_STR)
        return str_is_default(*(const char *const *)p, f->deflt);
    if (f->type == EC_F_STRS)
        return strs_are_default(p, f->deflt);
    row.offset = 0;
    if (f->deflt && !set_digit(&row, &deflt) &&
        ec_field_set(&row, &deflt, ec_span_of(f->deflt), NULL, NULL))
        return false;
    return memcmp(p, &deflt, field_size(f->type)) == 0;
}

const char *ec_flag_text(const char *name, char *out, size_t size)
{
    char *c = out;

    for ((void)ec_snprintf(out, size, "--%s", name); *c; c++)
        *c = *c == '_' ? '-' : *c;
    return out;
}

bool ec_strs_have(const struct ec_strs *list, const char *text)
{
    return ec_name_index(list->v, list->n, text) >= 0;
}

void ec_fields_print(const struct ec_field *fields, const void *obj, struct ec_buf *out)
{
    const struct ec_field *f;

    for (f = fields; f && f->name; f++) {
        if (ec_field_is_default(f, obj))
            continue;
        ec_buf_printf(out, " %s=", f->name);
        ec_field_print(f, obj, out);
    }
}
