/* Runs the terms of a family: names and values, functions, statements. Nodes are added to the graph
 * on the way. */
#include "graph/net_internal.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define DEPTH_MAX 400          /* of terms inside each other, through all calls */
#define STATEMENTS_MAX 5000000 /* run for one network; the largest one takes 100,000 */

struct variable {
    const char *name;
    struct ec__item v;
    struct variable *next;
};

struct frame {
    struct variable *vars;
    struct ec__item result;
    bool returned;
};

struct run {
    struct ec_builder *b;
    const struct ec__net *net;
    const char *family;
    struct ec_arena arena;
    struct frame given;    /* parameters of the family and of every network */
    int depth, statements; /* terms at hand; statements so far */
};

#define NET_MAX_BYTES ((size_t)256 << 20)

static void EC_PRINTF(3, 4) fail(struct run *r, int line, const char *fmt, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!r->b->st)
        r->b->st = ec_fail(r->b->err, EC_E_INPUT, "%s.net:%d: %s", r->family, line, text);
}

static void *alloc(struct run *r, size_t bytes)
{
    void *p = ec_arena_alloc(&r->arena, bytes);

    if (!p && !r->b->st)
        r->b->st = ec_nomem(r->b->err);
    return p;
}

/* --- Names --- */

static struct variable *find_variable(const struct frame *f, const char *name)
{
    struct variable *v = f->vars;

    while (v && !ec_str_eq(v->name, name))
        v = v->next;
    return v;
}

static void set(struct run *r, struct frame *f, const char *name, struct ec__item item)
{
    struct variable *v = find_variable(f, name);

    if (!v) {
        v = alloc(r, sizeof *v);
        if (!v)
            return;
        v->name = name;
        v->next = f->vars;
        f->vars = v;
    }
    v->v = item;
}

static struct ec__item get(struct run *r, struct frame *f, struct ec__term *t)
{
    static const struct ec__item none = { .kind = EC__ITEM_NONE };
    const struct variable *v = find_variable(f, t->text);

    v = v ? v : find_variable(&r->given, t->text);
    if (!v && !ec_str_eq(t->text, "none"))
        fail(r, t->line, "%s has no value here", t->text);
    return v ? v->v : none;
}

static struct ec__item list_of_ints(struct run *r, const struct ec_ints *v)
{
    int i, n = v->n > 0 ? v->n : 0;
    struct ec__item *list, ret = ec__item_list(r->b, &r->arena, n, &list);

    for (i = 0; list && i < n; i++)
        list[i] = ec__item_number((double)v->v[i]);
    return ret;
}

/* A parameter as its family's table describes it. */
static struct ec__item parameter(struct run *r, const struct ec_field *f, const void *variant)
{
    const char *at = (const char *)variant + f->offset;

    switch (f->type) {
    case EC_F_BOOL:
        return ec__item_number(*(const bool *)at);
    case EC_F_INT:
        return ec__item_number((double)*(const int64_t *)at);
    case EC_F_DOUBLE:
        return ec__item_number(*(const double *)at);
    case EC_F_ENUM:
        return ec__item_text(f->choices[*(const int *)at]);
    case EC_F_STR:
        return ec__item_text(*(const char *const *)at);
    default:
        assert(f->type == EC_F_INTS);
        return list_of_ints(r, (const struct ec_ints *)at);
    }
}

static void give(struct run *r, const struct ec_field *fields, const void *variant)
{
    const struct ec__net *net = r->net;

    set(r, &r->given, "batch", ec__item_number((double)net->batch));
    set(r, &r->given, "size", ec__item_number((double)net->size));
    set(r, &r->given, "channels", ec__item_number((double)net->channels));
    set(r, &r->given, "classes", ec__item_number((double)net->classes));
    for (; fields && fields->name; fields++)
        set(r, &r->given, fields->name, parameter(r, fields, variant));
}

/* --- Terms --- */

static struct ec__item evaluate(struct run *r, struct frame *f, struct ec__term *t);
static void run_block(struct run *r, struct frame *f, struct ec__term *t);

static struct ec__item join(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec__term *part;
    const char *text = NULL;

    for (part = t->args; part && !r->b->st; part = part->next)
        ec__item_print(&out, evaluate(r, f, part));
    if (!r->b->st)
        r->b->st = ec_buf_keep(&out, &r->arena, &text, r->b->err);
    ec_buf_clear(&out);
    return ec__item_text(text);
}

static struct ec__item list(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__term *part;
    struct ec__item *v, ret;
    int n = 0;

    for (part = t->args; part; part = part->next)
        n++;
    ret = ec__item_list(r->b, &r->arena, n, &v);
    for (part = t->args; v && part; part = part->next)
        *v++ = evaluate(r, f, part);
    return ret;
}

static double number(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__item v = evaluate(r, f, t);

    if (v.kind != EC__ITEM_NUMBER && !r->b->st)
        fail(r, t->line, "a number is expected");
    return v.kind == EC__ITEM_NUMBER && !r->b->st ? v.is.number : 0;
}

/* From the end with a negative number. */
static struct ec__item index_of(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__item v = evaluate(r, f, t->args);
    double at = number(r, f, t->args->next);

    if (v.kind == EC__ITEM_LIST && at < 0)
        at += v.n;
    if (!r->b->st && (v.kind != EC__ITEM_LIST || at < 0 || at >= v.n))
        fail(r, t->line, "no member %g of a list of %d", at, v.kind == EC__ITEM_LIST ? v.n : 0);
    return r->b->st ? ec__item_number(0) : v.is.list[(int)at];
}

static bool same(struct ec__item a, struct ec__item b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case EC__ITEM_NUMBER:
        return !(a.is.number < b.is.number || a.is.number > b.is.number);
    case EC__ITEM_TEXT:
        return ec_str_eq(a.is.text, b.is.text);
    case EC__ITEM_VALUE:
        return a.is.value == b.is.value;
    default:
        return a.kind == EC__ITEM_NONE;
    }
}

static struct ec__item joined_lists(struct run *r, struct ec__item a, struct ec__item b)
{
    struct ec__item *v, ret = ec__item_list(r->b, &r->arena, a.n + b.n, &v);

    if (v && a.n)
        memcpy(v, a.is.list, (size_t)a.n * sizeof *v);
    if (v && b.n)
        memcpy(v + a.n, b.is.list, (size_t)b.n * sizeof *v);
    return ret;
}

static double computed(struct run *r, struct ec__term *t, double a, double b)
{
    switch (t->sign) {
    case EC__SIGN_LE:
        return a <= b;
    case EC__SIGN_GE:
        return a >= b;
    case EC__SIGN_LT:
        return a < b;
    case EC__SIGN_GT:
        return a > b;
    case EC__SIGN_ADD:
        return a + b;
    case EC__SIGN_SUB:
        return a - b;
    case EC__SIGN_MUL:
        return a * b;
    default:
        break;
    }
    if (!(b < 0 || b > 0)) {
        fail(r, t->line, "a division by zero");
        return 0;
    }
    return t->sign == EC__SIGN_DIV ? a / b : t->sign == EC__SIGN_REST ? fmod(a, b) : floor(a / b);
}

static struct ec__item binary(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__item a = evaluate(r, f, t->args), b;

    if (t->sign == EC__SIGN_OR || t->sign == EC__SIGN_AND)
        return ec__item_holds(a) == (t->sign == EC__SIGN_OR) ? a : evaluate(r, f, t->args->next);
    b = evaluate(r, f, t->args->next);
    if (t->sign == EC__SIGN_EQ || t->sign == EC__SIGN_NE)
        return ec__item_number(same(a, b) == (t->sign == EC__SIGN_EQ));
    if (t->sign == EC__SIGN_ADD && a.kind == EC__ITEM_LIST && b.kind == EC__ITEM_LIST)
        return joined_lists(r, a, b);
    if (!r->b->st && (a.kind != EC__ITEM_NUMBER || b.kind != EC__ITEM_NUMBER))
        fail(r, t->line, "numbers are expected");
    return ec__item_number(r->b->st ? 0 : computed(r, t, a.is.number, b.is.number));
}

/* --- Calls --- */

static const char *parameter_name(struct ec__term *def, int i)
{
    struct ec__term *p = def->args;

    for (; p && i > 0; i--)
        p = p->next;
    return p ? p->text : NULL;
}

static bool bind(struct run *r, struct frame *f, struct ec__term *def, const struct ec__call *c,
                 int line)
{
    struct ec__term *p;
    int i;

    for (i = 0; i < c->n; i++) {
        const char *name = c->key[i] ? c->key[i] : parameter_name(def, i);

        for (p = def->args; p && name && !ec_str_eq(p->text, name);)
            p = p->next;
        if (!p || !name || find_variable(f, name))
            fail(r, line, "%s has no parameter %d, or twice", def->text, i + 1);
        else
            set(r, f, p->text, c->arg[i]);
    }
    for (p = def->args; p && !r->b->st; p = p->next) {
        if (find_variable(f, p->text))
            continue;
        if (p->args)
            set(r, f, p->text, evaluate(r, f, p->args));
        else
            fail(r, line, "%s needs %s", def->text, p->text);
    }
    return !r->b->st;
}

static struct ec__item run_definition(struct run *r, struct ec__term *def, const struct ec__call *c,
                                      int line)
{
    struct frame f = { .result.kind = EC__ITEM_NONE };
    size_t scope = strlen(r->b->scope);

    if (!bind(r, &f, def, c, line))
        return f.result;
    run_block(r, &f, def->body);
    ec_b_pop(r->b, scope); /* a return leaves the scopes that it stands in */
    return f.result;
}

static bool collect(struct run *r, struct frame *f, struct ec__term *t, struct ec__call *c)
{
    struct ec__term *arg;

    for (arg = t->args; arg && !r->b->st; arg = arg->next) {
        if (c->n == EC__ARGS_MAX || (!arg->key && c->n_placed < c->n)) {
            fail(r, t->line, "%s: too many arguments, or one without its name behind one with it",
                 t->text);
            return false;
        }
        c->arg[c->n] = evaluate(r, f, arg);
        c->key[c->n++] = arg->key;
        c->n_placed += !arg->key;
    }
    return !r->b->st;
}

static struct ec__item call(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__call c = { .b = r->b, .net = r->net, .arena = &r->arena, .name = t->text };

    if (!collect(r, f, t, &c))
        return ec__item_value(-1);
    if (t->def)
        return run_definition(r, t->def, &c, t->line);
    if (t->function && (t->function->run || !c.n || c.arg[0].kind != EC__ITEM_VALUE))
        return ec__net_run(t->function, &c);
    return ec__net_operator(&c);
}

static struct ec__item worth(struct run *r, struct frame *f, struct ec__term *t)
{
    switch (t->kind) {
    case EC__TERM_NUMBER:
        return ec__item_number(t->number);
    case EC__TERM_TEXT:
        return ec__item_text(t->text);
    case EC__TERM_JOIN:
        return join(r, f, t);
    case EC__TERM_NAME:
        return get(r, f, t);
    case EC__TERM_LIST:
        return list(r, f, t);
    case EC__TERM_CALL:
        return call(r, f, t);
    case EC__TERM_INDEX:
        return index_of(r, f, t);
    case EC__TERM_BINARY:
        return binary(r, f, t);
    case EC__TERM_NOT:
        return ec__item_number(!ec__item_holds(evaluate(r, f, t->args)));
    default:
        assert(t->kind == EC__TERM_CHOICE);
        return evaluate(
            r, f, ec__item_holds(evaluate(r, f, t->args)) ? t->args->next : t->args->next->next);
    }
}

static struct ec__item evaluate(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__item v = { .kind = EC__ITEM_NONE };

    if (r->depth == DEPTH_MAX)
        fail(r, t->line, "more than %d terms inside each other", DEPTH_MAX);
    if (r->b->st)
        return v;
    r->depth++;
    v = worth(r, f, t);
    r->depth--;
    return v;
}

/* --- Statements --- */

static void assign(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__term *name = t->args, *p;
    struct ec__item v;
    int n = 0;

    for (p = t->args; p->next; p = p->next)
        n++;
    v = evaluate(r, f, p);
    if (r->b->st)
        return;
    if (n > 1 && (v.kind != EC__ITEM_LIST || v.n != n)) {
        fail(r, t->line, "%d names for %d values", n, v.kind == EC__ITEM_LIST ? v.n : 1);
        return;
    }
    for (p = name, n = 0; p->next; p = p->next)
        set(r, f, p->text, p == name && !p->next->next ? v : v.is.list[n++]);
}

static void in_scope(struct run *r, struct frame *f, struct ec__term *name, struct ec__term *body)
{
    struct ec__item text = name ? evaluate(r, f, name) : ec__item_text("");
    size_t old = strlen(r->b->scope);

    if (!r->b->st && text.kind != EC__ITEM_TEXT)
        fail(r, name->line, "a scope has a text");
    if (r->b->st)
        return;
    (void)ec_b_push(r->b, text.is.text);
    run_block(r, f, body);
    ec_b_pop(r->b, old);
}

/* Over the members of a list, or 0 to N - 1. */
static void loop(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__item all = evaluate(r, f, t->args);
    double n = all.kind == EC__ITEM_LIST ? all.n : all.kind == EC__ITEM_NUMBER ? all.is.number : -1;
    int i;

    if (!(n >= 0 && n <= STATEMENTS_MAX))
        fail(r, t->line, "a loop is over a list or a number from 0 to %d", STATEMENTS_MAX);
    for (i = 0; i < n && !f->returned && !r->b->st; i++) {
        set(r, f, t->text, all.kind == EC__ITEM_LIST ? all.is.list[i] : ec__item_number(i));
        in_scope(r, f, t->args->next, t->body);
    }
}

static void require(struct run *r, struct frame *f, struct ec__term *t)
{
    struct ec__item sentence;

    if (ec__item_holds(evaluate(r, f, t->args)) || r->b->st)
        return;
    sentence = evaluate(r, f, t->args->next);
    if (!r->b->st)
        r->b->st = ec_fail(r->b->err, EC_E_INPUT, "%s",
                           sentence.kind == EC__ITEM_TEXT ? sentence.is.text : t->text);
}

static void run_statement(struct run *r, struct frame *f, struct ec__term *t)
{
    if (++r->statements > STATEMENTS_MAX)
        fail(r, t->line, "more than %d statements", STATEMENTS_MAX);
    switch (t->kind) {
    case EC__TERM_SET:
        assign(r, f, t);
        break;
    case EC__TERM_FOR:
        loop(r, f, t);
        break;
    case EC__TERM_IF:
        run_block(r, f, ec__item_holds(evaluate(r, f, t->args)) ? t->body : t->otherwise);
        break;
    case EC__TERM_SCOPE:
        in_scope(r, f, t->args, t->body);
        break;
    case EC__TERM_RETURN:
        f->result = evaluate(r, f, t->args);
        f->returned = true;
        break;
    case EC__TERM_REQUIRE:
        require(r, f, t);
        break;
    default:
        assert(t->kind == EC__TERM_DO);
        (void)evaluate(r, f, t->args);
        break;
    }
}

static void run_block(struct run *r, struct frame *f, struct ec__term *t)
{
    for (; t && !f->returned && !r->b->st; t = t->next)
        run_statement(r, f, t);
}

static int network(struct run *r, struct ec__term *own)
{
    struct ec__term *def = ec__net_definition(own, "network");
    struct ec__call c = { .b = r->b };
    struct ec__item out;

    if (!def) {
        fail(r, 1, "network() is not defined");
        return -1;
    }
    out = run_definition(r, def, &c, def->line);
    if (!r->b->st && out.kind != EC__ITEM_VALUE)
        fail(r, def->line, "network returns no value");
    return r->b->st ? -1 : out.is.value;
}

/* The definitions of a family. */
static enum ec_status read_family(struct run *r, const struct ec__family *f, struct ec__term **ret)
{
    static struct ec__parsed blocks;
    struct ec__term *shared = NULL;

    EC_PASS(ec__net_parsed("blocks", ec__net_blocks, NULL, &blocks, &shared, r->b->err));
    return f->parsed ? ec__net_parsed(f->name, f->text, shared, f->parsed, ret, r->b->err)
                     : ec__net_parse(f->name, f->text, shared, &r->arena, ret, r->b->err);
}

struct ec__text {
    struct run run;
    struct ec__term *own;
};

struct ec__text *ec__text_open(struct ec_builder *b, const struct ec__net *net,
                               const struct ec__family *f)
{
    struct ec__text *t = b->st ? NULL : ec_alloc(sizeof *t);

    if (!t) {
        b->st = b->st ? b->st : ec_nomem(b->err);
        return NULL;
    }
    t->run = (struct run){ .b = b, .net = net, .family = f->name };
    t->run.arena.max_bytes = NET_MAX_BYTES;
    b->st = read_family(&t->run, f, &t->own);
    if (!b->st)
        give(&t->run, NULL, NULL);
    return t;
}

void ec__text_close(struct ec__text *t)
{
    if (t)
        ec_arena_clear(&t->run.arena);
    ec_free(t);
}

struct ec_arena *ec__text_arena(struct ec__text *t)
{
    return &t->run.arena;
}

void ec__text_give(struct ec__text *t, const char *name, struct ec__item item)
{
    set(&t->run, &t->run.given, name, item);
}

struct ec__item ec__text_given(struct ec__text *t, const char *name)
{
    const struct variable *v = find_variable(&t->run.given, name);

    return v ? v->v : (struct ec__item){ .kind = EC__ITEM_NONE };
}

struct ec__term *ec__text_find(struct ec__text *t, const char *name)
{
    return ec__net_definition(t->own, name);
}

struct ec__item ec__text_call(struct ec__text *t, struct ec__term *def, struct ec__call *call)
{
    return run_definition(&t->run, def, call, def->line);
}

int ec__net_build(struct ec_builder *b, const struct ec__net *net, const struct ec__family *family,
                  const void *variant)
{
    struct run r = { .b = b, .net = net, .family = family->name };
    struct ec__term *own = NULL;
    int out = -1;

    r.arena.max_bytes = NET_MAX_BYTES;
    if (!b->st)
        b->st = read_family(&r, family, &own);
    if (!b->st) {
        give(&r, family->fields, variant);
        out = network(&r, own);
    }
    ec_arena_clear(&r.arena);
    return out;
}
