/* From the text of a family to its terms: words, lines and their indentation, expressions,
 * statements. */
#include "graph/net_internal.h"

#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <string.h>

#define DEPTH_MAX 64 /* of indentation, and of terms inside each other */

enum word_kind {
    WORD_END,
    WORD_LINE, /* the end of a line */
    WORD_INDENT,
    WORD_DEDENT,
    WORD_NAME,
    WORD_NUMBER,
    WORD_TEXT,
    WORD_SIGN
};

struct parser {
    const char *name, *p; /* of the file; the rest of the text */
    struct ec_arena *arena;
    struct ec_err *err;
    enum ec_status st;
    int line, depth; /* depth: of terms */
    int brackets;    /* open: ends of lines do not count */
    int indent[DEPTH_MAX], n_indent;
    int change; /* of indentation, to be given out: 1 deeper, or blocks that end, below 0 */
    enum word_kind kind;
    struct ec_span word;
    struct ec__term lost; /* after a failure: written to, never read */
};

static void fail(struct parser *s, const char *expected)
{
    int len = s->word.len > 40 ? 40 : (int)s->word.len;

    if (!s->st)
        s->st = ec_fail(s->err, EC_E_PARSE, "%s.net:%d: found \"%.*s\", expected %s", s->name,
                        s->line, len, s->word.p, expected);
    s->kind = WORD_END;
}

/* --- Words --- */

/* Brackets that are open and a comma at the end of a line go on in the next. */
static void skip_blanks(struct parser *s)
{
    bool goes_on = s->brackets || ec_span_eq(s->word, ",");

    for (;; s->p++) {
        if (*s->p == '#')
            s->p += strcspn(s->p, "\n");
        if (*s->p == '\n' && goes_on)
            s->line++;
        else if (*s->p != ' ')
            return;
    }
}

/* From the end of a line to the next with a statement; its indentation, 0 at the end. */
static int next_indent(struct parser *s)
{
    int indent = 0;

    for (;; s->p++) {
        if (*s->p == '#')
            s->p += strcspn(s->p, "\n");
        if (*s->p == '\n') {
            indent = 0;
            s->line++;
        } else if (*s->p == ' ') {
            indent++;
        } else {
            return *s->p ? indent : 0;
        }
    }
}

static void end_line(struct parser *s)
{
    int indent = next_indent(s);

    assert(s->change == 0);
    s->kind = WORD_LINE;
    if (indent > s->indent[s->n_indent]) {
        if (s->n_indent + 1 == DEPTH_MAX)
            fail(s, "fewer blocks inside each other");
        else
            s->indent[++s->n_indent] = indent;
        s->change = 1;
        return;
    }
    for (; indent < s->indent[s->n_indent]; s->n_indent--)
        s->change--;
    if (indent != s->indent[s->n_indent])
        fail(s, "the indentation of a line above");
}

/* A line that begins with a dot goes on with what stands above. */
static bool goes_on(const char *p)
{
    p += strspn(p, " \n");
    return *p == '.';
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t number_length(const char *p)
{
    size_t len = strspn(p, "0123456789.");

    if (p[len] == 'e') {
        len += p[len + 1] == '-' ? 2 : 1;
        len += strspn(p + len, "0123456789");
    }
    return len;
}

static size_t sign_length(const char *p)
{
    static const char *const pairs[] = { "==", "!=", "<=", ">=", "//" };
    int i;

    for (i = 0; i < EC_LEN(pairs); i++)
        if (strncmp(p, pairs[i], 2) == 0)
            return 2;
    return 1;
}

/* Between marks of either kind. */
static void take_text(struct parser *s)
{
    char mark = *s->p++;
    size_t len = strcspn(s->p, mark == '"' ? "\"\n" : "'\n");

    s->kind = WORD_TEXT;
    s->word = (struct ec_span){ s->p, len };
    s->p += len;
    if (*s->p == mark)
        s->p++;
    else
        fail(s, "a quotation mark behind it");
}

static void take_word(struct parser *s)
{
    size_t len = 0;

    if (*s->p == '"' || *s->p == '\'') {
        take_text(s);
        return;
    }
    if (isdigit((unsigned char)*s->p)) {
        s->kind = WORD_NUMBER;
        len = number_length(s->p);
    } else if (is_letter(*s->p)) {
        s->kind = WORD_NAME;
        while (is_letter(s->p[len]))
            len++;
    } else {
        s->kind = WORD_SIGN;
        len = sign_length(s->p);
        s->brackets += strchr("([{", *s->p) ? 1 : strchr(")]}", *s->p) ? -1 : 0;
    }
    s->word = (struct ec_span){ s->p, len };
    s->p += len;
}

static void next(struct parser *s)
{
    if (s->st)
        return;
    if (s->change) {
        s->kind = s->change > 0 ? WORD_INDENT : WORD_DEDENT;
        s->change += s->change > 0 ? -1 : 1;
        return;
    }
    skip_blanks(s);
    s->word = (struct ec_span){ s->p, 0 };
    if (*s->p == '\n' && !goes_on(s->p)) {
        end_line(s);
        return;
    }
    for (; *s->p == '\n' || *s->p == ' '; s->p++)
        s->line += *s->p == '\n';
    if (*s->p)
        take_word(s);
    else
        s->kind = WORD_END;
}

static bool at(const struct parser *s, const char *word)
{
    return (s->kind == WORD_SIGN || s->kind == WORD_NAME) && ec_span_eq(s->word, word);
}

static bool take(struct parser *s, const char *word)
{
    bool hit = at(s, word);

    if (hit)
        next(s);
    return hit;
}

static void expect(struct parser *s, const char *word)
{
    if (!take(s, word))
        fail(s, word);
}

/* What follows the word at hand, on its line. */
static bool before(const struct parser *s, char sign)
{
    const char *p = s->p + strspn(s->p, " ");

    return p[0] == sign && p[1] != '=';
}

static const char *take_name(struct parser *s)
{
    const char *text;

    if (s->kind != WORD_NAME)
        fail(s, "a name");
    text = ec_arena_strn(s->arena, s->word.p, s->word.len);
    if (!text && !s->st)
        s->st = ec_nomem(s->err);
    next(s);
    return s->st ? "" : text;
}

/* --- Terms --- */

static struct ec__term *term(struct parser *s, enum ec__term_kind kind)
{
    struct ec__term *t = s->st ? NULL : ec_arena_alloc(s->arena, sizeof *t);

    if (!t && !s->st)
        s->st = ec_nomem(s->err);
    if (!t)
        return &s->lost;
    t->kind = kind;
    t->line = s->line;
    return t;
}

/* Appends to a list of terms; returns where the next is to be appended. */
static struct ec__term **append(struct parser *s, struct ec__term **end, struct ec__term *t)
{
    if (s->st)
        return end;
    *end = t;
    return &t->next;
}

static struct ec__term *expression(struct parser *s);

static struct ec__term *literal(struct parser *s, const char *text, size_t len)
{
    struct ec__term *t = term(s, EC__TERM_TEXT);

    t->text = ec_arena_strn(s->arena, text, len);
    if (!t->text && !s->st)
        s->st = ec_nomem(s->err);
    return t;
}

/* A text; what stands in braces is an expression. */
static struct ec__term *text(struct parser *s)
{
    const char *p = s->word.p, *end = p + s->word.len, *rest = s->p;
    struct ec__term *t = term(s, EC__TERM_JOIN), **last = &t->args;

    while (p < end && !s->st) {
        const char *brace = memchr(p, '{', (size_t)(end - p));
        size_t len = (size_t)((brace ? brace : end) - p);

        if (len)
            last = append(s, last, literal(s, p, len));
        if (!brace)
            break;
        s->p = brace + 1;
        s->brackets++;
        next(s);
        last = append(s, last, expression(s));
        if (!at(s, "}") || s->p > end)
            fail(s, "}");
        p = s->p;
    }
    s->p = rest;
    next(s);
    return t;
}

/* What stands in brackets, up to `close`. names: NAME=VALUE gives values by keyword. */
static void arguments(struct parser *s, struct ec__term **end, const char *close, bool names)
{
    while (!s->st && !at(s, close)) {
        const char *key = names && s->kind == WORD_NAME && before(s, '=') ? take_name(s) : NULL;
        struct ec__term *t;

        if (key)
            expect(s, "=");
        t = expression(s);
        t->key = key;
        end = append(s, end, t);
        if (!at(s, close))
            expect(s, ",");
    }
    expect(s, close);
}

static struct ec__term *name_or_call(struct parser *s)
{
    struct ec__term *t = term(s, EC__TERM_NAME);

    t->text = take_name(s);
    if (take(s, "(")) {
        t->kind = EC__TERM_CALL;
        arguments(s, &t->args, ")", true);
    }
    return t;
}

static struct ec__term *number(struct parser *s)
{
    struct ec__term *t = term(s, EC__TERM_NUMBER);

    if (!ec_parse_double(s->word, &t->number))
        fail(s, "a number");
    next(s);
    return t;
}

static struct ec__term *primary(struct parser *s)
{
    struct ec__term *t;

    if (s->kind == WORD_NUMBER)
        return number(s);
    if (s->kind == WORD_TEXT)
        return text(s);
    if (s->kind == WORD_NAME)
        return name_or_call(s);
    if (take(s, "[")) {
        t = term(s, EC__TERM_LIST);
        arguments(s, &t->args, "]", false);
        return t;
    }
    if (take(s, "(")) {
        t = expression(s);
        expect(s, ")");
        return t;
    }
    fail(s, "a value");
    return &s->lost;
}

/* x.f(a) is f(x, a), l[i] a member of a list. */
static struct ec__term *postfix(struct parser *s)
{
    struct ec__term *t = primary(s), *whole;

    for (;;) {
        if (take(s, ".")) {
            whole = name_or_call(s);
            if (whole->kind != EC__TERM_CALL)
                fail(s, "a call behind the dot");
            t->next = whole->args;
            whole->args = t;
        } else if (take(s, "[")) {
            whole = term(s, EC__TERM_INDEX);
            whole->args = t;
            arguments(s, &t->next, "]", false);
        } else {
            return t;
        }
        t = whole;
    }
}

static struct ec__term *binary(struct parser *s, int least);

#define LEVEL_NOT 3
static const struct {
    const char *text;
    int level; /* higher ones bind first */
} signs[] = {
    [EC__SIGN_OR] = {"or",   1},
      [EC__SIGN_AND] = { "and", 2},
      [EC__SIGN_EQ] = { "==",  3},
    [EC__SIGN_NE] = { "!=",  3},
      [EC__SIGN_LE] = { "<=",  3},
      [EC__SIGN_GE] = { ">=",  3},
    [EC__SIGN_LT] = { "<",   3},
      [EC__SIGN_GT] = { ">",   3},
      [EC__SIGN_ADD] = { "+",   4},
    [EC__SIGN_SUB] = { "-",   4},
      [EC__SIGN_MUL] = { "*",   5},
      [EC__SIGN_FLOOR] = { "//",  5},
    [EC__SIGN_DIV] = { "/",   5},
      [EC__SIGN_REST] = { "%",   5},
};

static struct ec__term *unary(struct parser *s)
{
    struct ec__term *t;

    if (++s->depth > DEPTH_MAX)
        fail(s, "fewer terms inside each other");
    if (take(s, "not")) {
        t = term(s, EC__TERM_NOT);
        t->args = binary(s, LEVEL_NOT);
    } else if (take(s, "-")) { /* 0 - x */
        t = term(s, EC__TERM_BINARY);
        t->sign = EC__SIGN_SUB;
        t->args = term(s, EC__TERM_NUMBER);
        t->args->next = unary(s);
    } else {
        t = postfix(s);
    }
    s->depth--;
    return t;
}

static int sign_at(const struct parser *s)
{
    int i;

    for (i = 0; i < EC_LEN(signs); i++)
        if (at(s, signs[i].text))
            return i;
    return -1;
}

static struct ec__term *binary(struct parser *s, int least)
{
    struct ec__term *left = unary(s), *t;
    int sign;

    while ((sign = sign_at(s)) >= 0 && signs[sign].level >= least) {
        t = term(s, EC__TERM_BINARY);
        t->sign = (enum ec__sign)sign;
        next(s);
        t->args = left;
        left->next = binary(s, signs[sign].level + 1);
        left = t;
    }
    return left;
}

static struct ec__term *expression(struct parser *s)
{
    struct ec__term *t, *whole;

    if (++s->depth > DEPTH_MAX)
        fail(s, "fewer terms inside each other");
    t = binary(s, 1);
    if (take(s, "if")) { /* A if CONDITION else B */
        whole = term(s, EC__TERM_CHOICE);
        whole->args = binary(s, 1);
        whole->args->next = t;
        expect(s, "else");
        t->next = expression(s);
        t = whole;
    }
    s->depth--;
    return t;
}

/* --- Statements --- */

static struct ec__term *statement(struct parser *s);

/* ':' and a statement on the same line, or those that are indented below. */
static struct ec__term *block(struct parser *s)
{
    struct ec__term *first = NULL, **end = &first;

    expect(s, ":");
    if (s->kind != WORD_LINE)
        return statement(s);
    next(s);
    if (s->kind != WORD_INDENT)
        fail(s, "an indented block");
    next(s);
    while (!s->st && s->kind != WORD_DEDENT && s->kind != WORD_END)
        end = append(s, end, statement(s));
    if (s->kind == WORD_DEDENT)
        next(s);
    return first;
}

static struct ec__term *if_statement(struct parser *s)
{
    struct ec__term *t = term(s, EC__TERM_IF);

    t->args = expression(s);
    t->body = block(s);
    if (take(s, "elif"))
        t->otherwise = if_statement(s);
    else if (take(s, "else"))
        t->otherwise = block(s);
    return t;
}

static struct ec__term *for_statement(struct parser *s)
{
    struct ec__term *t = term(s, EC__TERM_FOR);

    t->text = take_name(s);
    expect(s, "in");
    t->args = expression(s);
    if (take(s, "scope"))
        t->args->next = expression(s);
    t->body = block(s);
    return t;
}

static struct ec__term *scope_statement(struct parser *s)
{
    struct ec__term *t = term(s, EC__TERM_SCOPE);

    t->args = expression(s);
    t->body = block(s);
    return t;
}

/* NAME(PARAMETER, PARAMETER=DEFAULT...): */
static struct ec__term *definition(struct parser *s)
{
    struct ec__term *t = term(s, EC__TERM_DEF), **end = &t->args;

    t->text = take_name(s);
    expect(s, "(");
    while (!s->st && !at(s, ")")) {
        struct ec__term *p = term(s, EC__TERM_NAME);

        p->text = take_name(s);
        if (take(s, "="))
            p->args = expression(s);
        end = append(s, end, p);
        if (!at(s, ")"))
            expect(s, ",");
    }
    expect(s, ")");
    t->body = block(s);
    return t;
}

/* NAME, NAME = VALUE */
static struct ec__term *assignment(struct parser *s)
{
    struct ec__term *t = term(s, EC__TERM_SET), **end = &t->args, *name;

    do {
        name = term(s, EC__TERM_NAME);
        name->text = take_name(s);
        end = append(s, end, name);
    } while (take(s, ","));
    expect(s, "=");
    (void)append(s, end, expression(s));
    return t;
}

static struct ec__term *simple_statement(struct parser *s)
{
    struct ec__term *t;

    if (s->kind == WORD_NAME && (before(s, '=') || before(s, ',')))
        return assignment(s);
    if (take(s, "return")) {
        t = term(s, EC__TERM_RETURN);
        t->args = expression(s);
    } else if (take(s, "require")) {
        t = term(s, EC__TERM_REQUIRE);
        t->args = expression(s);
        expect(s, ",");
        t->args->next = expression(s);
    } else {
        t = term(s, EC__TERM_DO);
        t->args = expression(s);
    }
    return t;
}

static struct ec__term *statement(struct parser *s)
{
    struct ec__term *t;

    if (++s->depth > DEPTH_MAX)
        fail(s, "fewer blocks inside each other");
    if (take(s, "if")) {
        t = if_statement(s);
    } else if (take(s, "for")) {
        t = for_statement(s);
    } else if (take(s, "scope")) {
        t = scope_statement(s);
    } else {
        t = simple_statement(s);
        if (s->kind == WORD_LINE)
            next(s);
        else if (s->kind != WORD_END)
            fail(s, "the end of the line");
    }
    s->depth--;
    return t;
}

/* --- Texts --- */

struct ec__term *ec__net_definition(struct ec__term *d, const char *name)
{
    while (d && !ec_str_eq(d->text, name))
        d = d->next;
    return d;
}

/* Finds what the calls of terms mean. */
static void link_calls(struct ec__term *t, struct ec__term *own, struct ec__term *shared)
{
    for (; t; t = t->next) {
        if (t->kind == EC__TERM_CALL) {
            t->def = ec__net_definition(own, t->text);
            t->def = t->def ? t->def : ec__net_definition(shared, t->text);
            t->function = ec__net_function(t->text);
        }
        link_calls(t->args, own, shared);
        link_calls(t->body, own, shared);
        link_calls(t->otherwise, own, shared);
    }
}

enum ec_status ec__net_parse(const char *name, const char *source, struct ec__term *shared,
                             struct ec_arena *a, struct ec__term **ret, struct ec_err *err)
{
    struct parser s = { .name = name, .p = source, .arena = a, .err = err, .line = 1 };
    struct ec__term *first = NULL, **end = &first;

    (void)next_indent(&s);
    next(&s);
    while (!s.st && s.kind != WORD_END) {
        expect(&s, "def");
        end = append(&s, end, definition(&s));
    }
    if (!s.st) {
        link_calls(first, first, shared);
        *ret = first;
    }
    return s.st;
}

enum ec_status ec__net_parsed(const char *name, const char *source, struct ec__term *shared,
                              struct ec__parsed *once, struct ec__term **ret, struct ec_err *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    enum ec_status st = EC_OK;

    (void)pthread_mutex_lock(&lock);
    if (!once->terms)
        st = ec__net_parse(name, source, shared, &once->arena, &once->terms, err);
    if (st)
        ec_arena_clear(&once->arena);
    *ret = once->terms;
    (void)pthread_mutex_unlock(&lock);
    return st;
}
