/* What the texts of families call: functions over numbers and lists, parameters and constants of a
 * network, operators. */
#include "graph/net_internal.h"

#include <math.h>
#include <stdio.h>

struct ec__item ec__item_number(double v)
{
    return (struct ec__item){ .kind = EC__ITEM_NUMBER, .is.number = v };
}

struct ec__item ec__item_value(int value)
{
    return (struct ec__item){ .kind = EC__ITEM_VALUE, .is.value = value };
}

struct ec__item ec__item_text(const char *text)
{
    return (struct ec__item){ .kind = EC__ITEM_TEXT, .is.text = text ? text : "" };
}

struct ec__item ec__item_list(struct ec_builder *b, struct ec_arena *a, int n,
                              struct ec__item **ret)
{
    *ret = ec_arena_alloc(a, (size_t)(n ? n : 1) * sizeof **ret);
    if (!*ret && !b->st)
        b->st = ec_nomem(b->err);
    return (struct ec__item){ .kind = EC__ITEM_LIST, .n = *ret ? n : 0, .is.list = *ret };
}

static void fail(struct ec__call *c, const char *what)
{
    if (!c->b->st)
        c->b->st = ec_fail(c->b->err, EC_E_INPUT, "%s: %s", c->name, what);
}

/* Errors are the builder's; then 0 and "". */
static double as_number(struct ec__call *c, struct ec__item v)
{
    if (v.kind != EC__ITEM_NUMBER)
        fail(c, "a number is expected");
    return v.kind == EC__ITEM_NUMBER ? v.is.number : 0;
}

static const char *as_text(struct ec__call *c, struct ec__item v)
{
    if (v.kind != EC__ITEM_TEXT)
        fail(c, "a text is expected");
    return v.kind == EC__ITEM_TEXT ? v.is.text : "";
}

int ec__item_as_value(struct ec__call *c, struct ec__item v)
{
    if (v.kind != EC__ITEM_VALUE)
        fail(c, "a value of the network is expected");
    return v.kind == EC__ITEM_VALUE ? v.is.value : -1;
}

bool ec__item_holds(struct ec__item v)
{
    switch (v.kind) {
    case EC__ITEM_NUMBER:
        return v.is.number < 0 || v.is.number > 0;
    case EC__ITEM_TEXT:
        return v.is.text[0] != '\0';
    case EC__ITEM_LIST:
        return v.n > 0;
    default:
        return v.kind == EC__ITEM_VALUE;
    }
}

static void print_whole(struct ec_buf *out, int64_t v)
{
    char digits[24], *p = digits + sizeof digits;
    uint64_t rest = v < 0 ? (uint64_t)-v : (uint64_t)v;

    do
        *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (v < 0)
        *--p = '-';
    ec_buf_add(out, p, (size_t)(digits + sizeof digits - p));
}

void ec__item_print(struct ec_buf *out, struct ec__item v)
{
    char text[EC_FMT_DOUBLE_BYTES];
    int i;

    switch (v.kind) {
    case EC__ITEM_NUMBER:
        if (fabs(v.is.number) < 1e15 && v.is.number == floor(v.is.number))
            print_whole(out, (int64_t)v.is.number);
        else if (isfinite(v.is.number))
            ec_buf_str(out, ec_fmt_double(text, sizeof text, v.is.number));
        else
            ec_buf_str(out, "infinity");
        break;
    case EC__ITEM_TEXT:
        ec_buf_str(out, v.is.text);
        break;
    case EC__ITEM_LIST:
        for (i = 0; i < v.n; i++) {
            ec_buf_str(out, i ? "," : "");
            ec__item_print(out, v.is.list[i]);
        }
        break;
    default:
        break;
    }
}

/* --- Arguments --- */

static struct ec__item by_key(const struct ec__call *c, const char *key)
{
    int i;

    for (i = c->n_placed; i < c->n; i++)
        if (ec_str_eq(c->key[i], key))
            return c->arg[i];
    return (struct ec__item){ .kind = EC__ITEM_NONE };
}

static double number(struct ec__call *c, int i)
{
    if (i < c->n_placed)
        return as_number(c, c->arg[i]);
    fail(c, "too few arguments");
    return 0;
}

static const char *text(struct ec__call *c, int i)
{
    if (i < c->n_placed)
        return as_text(c, c->arg[i]);
    fail(c, "too few arguments");
    return "";
}

static int value(struct ec__call *c, int i)
{
    if (i < c->n_placed)
        return ec__item_as_value(c, c->arg[i]);
    fail(c, "too few arguments");
    return -1;
}

#define INTEGER_MAX 9007199254740992.0 /* 2^53: beyond, numbers are no longer whole ones */

static int64_t integer(struct ec__call *c, int i)
{
    double v = number(c, i);

    if (fabs(v) <= INTEGER_MAX)
        return (int64_t)v;
    fail(c, "a smaller number is expected");
    return 0;
}

/* Dimensions: the arguments by place from `first` on. */
static struct ec_shape dimensions(struct ec__call *c, int first)
{
    struct ec_shape s = { 0, { 0 } };
    int i;

    for (i = first; i < c->n_placed; i++) {
        if (s.rank == EC_RANK_MAX)
            fail(c, "too many dimensions");
        else
            s.d[s.rank++] = integer(c, i);
    }
    return s;
}

/* --- Functions over numbers and lists --- */

/* To N significant digits. */
static struct ec__item fn_digits(struct ec__call *c)
{
    char out[64];
    double v = 0;

    (void)ec_snprintf(out, sizeof out, "%.*g", (int)integer(c, 1), number(c, 0));
    (void)ec_parse_double(ec_span_of(out), &v);
    return ec__item_number(v);
}

static struct ec__item fn_len(struct ec__call *c)
{
    if (c->n != 1 || c->arg[0].kind != EC__ITEM_LIST)
        fail(c, "a list is expected");
    return ec__item_number(c->b->st ? 0 : c->arg[0].n);
}

static struct ec__item fn_sum(struct ec__call *c)
{
    double sum = 0;
    int i, n = (int)fn_len(c).is.number;

    for (i = 0; i < n; i++)
        sum += as_number(c, c->arg[0].is.list[i]);
    return ec__item_number(sum);
}

/* --- Functions over text --- */

static struct ec__item value_list(struct ec__call *c, const int *values, int n)
{
    struct ec__item *v, list = ec__item_list(c->b, c->arena, n, &v);
    int i;

    for (i = 0; v && i < n; i++)
        v[i] = ec__item_value(values[i]);
    return list;
}

static struct ec__item text_item(struct ec__call *c, struct ec_span s)
{
    const char *text = ec_arena_strn(c->arena, s.p, s.len);

    if (!text && !c->b->st)
        c->b->st = ec_nomem(c->b->err);
    return ec__item_text(text);
}

/* The parts of a text between separators, without blanks around them. */
static struct ec__item fn_words(struct ec__call *c)
{
    const char *all = text(c, 0), *sep = text(c, 1);
    struct ec_span rest = ec_span_of(all), word;
    struct ec__item list, *v;
    int n = 0;

    while (rest.p && ec_span_cut(&rest, *sep, &word))
        n++;
    list = ec__item_list(c->b, c->arena, n, &v);
    rest = ec_span_of(all);
    for (n = 0; v && n < list.n && ec_span_cut(&rest, *sep, &word); n++)
        v[n] = text_item(c, ec_span_trim(word));
    return list;
}

/* "se0.25": the letters in front, and the rest. */
static struct ec__item fn_key(struct ec__call *c)
{
    struct ec_span all = ec_span_of(text(c, 0));
    struct ec__item *v, list = ec__item_list(c->b, c->arena, 2, &v);
    size_t n = 0;

    while (n < all.len && all.p[n] >= 'a' && all.p[n] <= 'z')
        n++;
    if (v) {
        v[0] = text_item(c, (struct ec_span){ all.p, n });
        v[1] = text_item(c, (struct ec_span){ all.p + n, all.len - n });
    }
    return list;
}

/* The number that a text is; none: it is no number. */
static struct ec__item fn_number(struct ec__call *c)
{
    double v;

    if (!ec_parse_double(ec_span_of(text(c, 0)), &v))
        return (struct ec__item){ .kind = EC__ITEM_NONE };
    return ec__item_number(v);
}

/* A list as it is, of at least so many; another item so many times. */
static struct ec__item fn_each(struct ec__call *c)
{
    int64_t n = c->n_placed == 2 ? integer(c, 1) : 0;
    struct ec__item *v, list;
    int i;

    if (n < 1 || n > EC_RANK_MAX || (c->arg[0].kind == EC__ITEM_LIST && c->arg[0].n < n)) {
        fail(c, "a list of so many, or one item, is expected");
        n = 0;
    } else if (c->arg[0].kind == EC__ITEM_LIST) {
        return c->arg[0];
    }
    list = ec__item_list(c->b, c->arena, (int)n, &v);
    for (i = 0; i < list.n; i++)
        v[i] = c->arg[0];
    return list;
}

/* --- The network --- */

/* Colours, unless the network is given other channels. */
static struct ec__item fn_image(struct ec__call *c)
{
    int64_t channels = c->net->channels ? c->net->channels : 3;

    return ec__item_value(ec_b_input(c->b, "input", EC_DT_f32, 4, c->net->batch, channels,
                                     c->net->size, c->net->size));
}

/* By keyword: what an input or a constant is made of. */
static enum ec_dtype type_of(struct ec__call *c)
{
    struct ec__item v = by_key(c, "type");
    enum ec_dtype t = EC_DT_f32;

    if (v.kind == EC__ITEM_TEXT && !ec_dtype_parse(ec_span_of(v.is.text), &t))
        fail(c, "no type of that name");
    return t;
}

/* name, dimensions, type= */
static struct ec__item fn_input(struct ec__call *c)
{
    struct ec_type type = { dimensions(c, 1), type_of(c) };
    const char *name = text(c, 0);
    int v = -1;

    if (!c->b->st)
        c->b->st = ec_graph_add_input(c->b->g, name, &type, &v, c->b->err);
    return ec__item_value(v);
}

static const char *in_scope(struct ec__call *c, char *out, size_t size)
{
    (void)snprintf(out, size, "%s%s", c->b->scope, text(c, 0));
    return out;
}

/* name, dimensions; a parameter that is learned, unless fixed=1 */
static struct ec__item fn_param(struct ec__call *c)
{
    struct ec_type type = { dimensions(c, 1), EC_DT_f32 };
    bool learned = !ec__item_holds(by_key(c, "fixed"));
    char name[256];
    int v = -1;

    (void)in_scope(c, name, sizeof name);
    if (!c->b->st)
        c->b->st = ec_graph_add_param(c->b->g, name, &type, learned, &v, c->b->err);
    return ec__item_value(v);
}

/* What a constant holds: numbers, or a rule with up to two. */
static void hold(struct ec__call *c, int x)
{
    struct ec__item rule = by_key(c, "rule"), v = by_key(c, "value");
    int n = v.kind == EC__ITEM_LIST ? v.n : v.kind == EC__ITEM_NUMBER, i;
    double *all = ec_arena_alloc(c->arena, (size_t)(n + 1) * sizeof *all);

    if (!all && !c->b->st)
        c->b->st = ec_nomem(c->b->err);
    for (i = 0; !c->b->st && i < n; i++)
        all[i] = as_number(c, v.kind == EC__ITEM_LIST ? v.is.list[i] : v);
    if (rule.kind == EC__ITEM_TEXT && !c->b->st)
        c->b->st = ec_graph_const_rule(c->b->g, x, rule.is.text, all, n, c->b->err);
    else if (n && !c->b->st)
        c->b->st = ec_graph_const_values(c->b->g, x, all, n, c->b->err);
}

/* name, dimensions, type=; rule= with the numbers of value=, or value= alone: what it holds */
static struct ec__item fn_constant(struct ec__call *c)
{
    struct ec_type type = { dimensions(c, 1), type_of(c) };
    char name[256];
    int x = -1;

    (void)in_scope(c, name, sizeof name);
    if (!c->b->st)
        c->b->st = ec_graph_add_const(c->b->g, name, &type, &x, c->b->err);
    hold(c, x);
    return ec__item_value(x);
}

/* The node made last has these parameters in place of its own. */
static struct ec__item fn_tie(struct ec__call *c)
{
    int i;

    for (i = 0; i < c->n_placed && !c->b->st; i++)
        c->b->st = ec_graph_tie(c->b->g, ec_b_last(c->b), i, value(c, i), c->b->err);
    return ec__item_number(0);
}

/* The node made last is without its parameter of that number. */
static struct ec__item fn_omit(struct ec__call *c)
{
    int64_t i = integer(c, 0);

    if (!c->b->st)
        c->b->st =
            ec_graph_omit(c->b->g, ec_b_last(c->b), i < 0 || i > 64 ? -1 : (int)i, c->b->err);
    return ec__item_number(0);
}

/* The parameters of the node made last. */
static struct ec__item fn_weights(struct ec__call *c)
{
    const struct ec_node *n = ec_b_last(c->b);

    return value_list(c, n ? n->param : NULL, n ? n->n_param : 0);
}

static struct ec__item fn_dim(struct ec__call *c)
{
    return ec__item_number((double)ec_b_dim(c->b, value(c, 0), (int)integer(c, 1)));
}

static struct ec__item fn_rank(struct ec__call *c)
{
    int x = value(c, 0);

    return ec__item_number(c->b->st ? 0 : c->b->g->values[x]->type.shape.rank);
}

static struct ec__item fn_type(struct ec__call *c)
{
    int x = value(c, 0);

    return ec__item_text(c->b->st ? NULL : ec_dtype_name(c->b->g->values[x]->type.dtype));
}

/* How many nodes there are: some names have it in them. */
static struct ec__item fn_nodes(struct ec__call *c)
{
    return ec__item_number(c->b->g->n_nodes);
}

/* An activation as words, "leaky_relu alpha=0.1"; none: the value itself. */
static struct ec__item fn_act(struct ec__call *c)
{
    const char *act = text(c, 1);
    int x = value(c, 0);

    return ec__item_value(*act ? ec_b1(c->b, x, "%s", act) : x);
}

/* loss=: the weight of its loss in training */
static struct ec__item fn_output(struct ec__call *c)
{
    struct ec__item loss = by_key(c, "loss");
    int x = value(c, 0);

    if (!c->b->st)
        c->b->st = ec_graph_add_output(c->b->g, x, c->b->err);
    if (!c->b->st && loss.kind == EC__ITEM_NUMBER)
        c->b->g->values[x]->loss_weight = loss.is.number;
    return c->arg[0];
}

static struct ec__item fn_task(struct ec__call *c)
{
    c->b->g->task = ec_arena_str(&c->b->g->arena, text(c, 0));
    if (!c->b->g->task && !c->b->st)
        c->b->st = ec_nomem(c->b->err);
    return ec__item_number(0);
}

/* All that is made so far is not trained. */
static struct ec__item fn_freeze(struct ec__call *c)
{
    ec_graph_freeze(c->b->g, 0, 0);
    return ec__item_number(0);
}

/* clang-format off */
#define RUN(name) { #name, fn_##name, NULL, NULL },
#define ONE(name, of) { #name, NULL, of, NULL },
#define TWO(name, of) { #name, NULL, NULL, of },
static const struct ec__function functions[] = {
    RUN(act) RUN(constant) RUN(digits) RUN(dim) RUN(each) RUN(freeze) RUN(image) RUN(input) RUN(key)
    RUN(len) RUN(nodes) RUN(number) RUN(omit) RUN(output) RUN(param) RUN(rank) RUN(sum) RUN(task)
    RUN(tie) RUN(type) RUN(weights) RUN(words)
    ONE(exp, exp) ONE(floor, floor) ONE(log, log) ONE(log2, log2) ONE(sqrt, sqrt)
    ONE(round, nearbyint) /* halves to the even number */
    TWO(max, fmax) TWO(min, fmin) TWO(pow, pow)
};
/* clang-format on */

const struct ec__function *ec__net_function(const char *name)
{
    return ec_row_named(functions, EC_LEN(functions), sizeof *functions, name);
}

struct ec__item ec__net_run(const struct ec__function *f, struct ec__call *c)
{
    if (f->run)
        return f->run(c);
    return ec__item_number(f->one ? f->one(number(c, 0)) : f->two(number(c, 0), number(c, 1)));
}

/* --- Operators --- */

/* Inputs of a node: values, and those of lists. */
static int inputs(struct ec__call *c, int *ret, int max)
{
    int i, j, n = 0;

    for (i = 0; i < c->n_placed; i++) {
        struct ec__item v = c->arg[i];
        int parts = v.kind == EC__ITEM_LIST ? v.n : 1;

        for (j = 0; j < parts; j++) {
            if (n == max)
                fail(c, "too many inputs");
            else
                ret[n++] = ec__item_as_value(c, v.kind == EC__ITEM_LIST ? v.is.list[j] : v);
        }
    }
    return n;
}

/* The name of the node stands last. */
static void put_attributes(struct ec__call *c, struct ec_buf *out)
{
    struct ec__item name = by_key(c, "name");
    int i;

    ec_buf_str(out, c->name);
    for (i = c->n_placed; i < c->n; i++) {
        if (ec_str_eq(c->key[i], "name"))
            continue;
        ec_buf_char(out, ' ');
        ec_buf_str(out, c->key[i]);
        ec_buf_char(out, '=');
        ec__item_print(out, c->arg[i]);
    }
    if (ec__item_holds(name)) {
        ec_buf_str(out, " name=");
        ec_buf_str(out, as_text(c, name));
    }
}

#define INPUTS_MAX 256

struct ec__item ec__net_operator(struct ec__call *c)
{
    struct ec_buf words = EC_BUF_INIT;
    int in[INPUTS_MAX], n = inputs(c, in, INPUTS_MAX), x = -1;

    put_attributes(c, &words);
    if (!c->b->st)
        c->b->st = ec_buf_status(&words, c->b->err);
    if (!c->b->st)
        x = ec_bn(c->b, in, n, ec_buf_text(&words));
    ec_buf_clear(&words);
    if (c->b->st || ec_b_last(c->b)->n_out == 1)
        return ec__item_value(x);
    return value_list(c, ec_b_last(c->b)->out, ec_b_last(c->b)->n_out);
}
