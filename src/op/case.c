/* Cases: canonical text to an operator with attributes and shapes, and back. One text is
 * command-line argument, database key, log line and test name. */
#include "op/op.h"

#include <string.h>

#define CASE_MAX_BYTES 4096
#define CASE_IN_MAX 64

/* Element type of input 0 when the text does not say. */
static enum ec_dtype default_dtype(const struct ec_op *op)
{
    return op->flags & EC_OPF_INDEX_IN ? EC_DT_i64 : EC_DT_f32;
}

static bool next_word(struct ec_span *rest, struct ec_span *ret)
{
    while (rest->p && ec_span_cut(rest, ' ', ret)) {
        *ret = ec_span_trim(*ret);
        if (ret->len)
            return true;
    }
    return false;
}

static enum ec_status split_word(struct ec_span word, struct ec_span *ret_key,
                                 struct ec_span *ret_value, struct ec_err *err)
{
    *ret_value = word;
    if (!memchr(word.p, '=', word.len))
        return ec_fail(err, EC_E_PARSE, "found \"%.*s\", expected name=value",
                       word.len > 60 ? 60 : (int)word.len, word.p);
    (void)ec_span_cut(ret_value, '=', ret_key);
    if (!ret_value->p)
        *ret_value = (struct ec_span){ "", 0 };
    return EC_OK;
}

static enum ec_status unknown_word(const struct ec_op *op, struct ec_span key, struct ec_err *err)
{
    struct ec_buf have = EC_BUF_INIT;
    const struct ec_field *f;

    for (f = op->fields; f && f->name; f++)
        ec_buf_printf(&have, "%s%s", have.len ? " " : " and attributes ", f->name);
    (void)ec_fail(err, EC_E_INPUT, "%s has no \"%.*s\"; it has dimensions %s%s, as in: %s",
                  op->name, key.len > 40 ? 40 : (int)key.len, key.p,
                  op->dims ? op->dims : op->inputs, ec_buf_text(&have), op->example);
    ec_buf_clear(&have);
    return EC_E_INPUT;
}

static enum ec_status set_attr(const struct ec_op *op, struct ec_span key, struct ec_span value,
                               void *attrs, struct ec_arena *a, struct ec_err *err)
{
    const struct ec_field *f = ec_field_find(op->fields, key);
    enum ec_status st;

    if (!f)
        return unknown_word(op, key, err);
    st = ec_field_set(f, attrs, value, a, err);
    if (st)
        ec_err_prefix(err, "%s: ", op->name);
    return st;
}

static enum ec_status new_attrs(const struct ec_op *op, struct ec_arena *a, void **ret,
                                struct ec_err *err)
{
    *ret = ec_arena_alloc(a, op->attrs_size ? op->attrs_size : 1);
    EC_PASS(ec_allocated(*ret, err));
    return op->fields ? ec_fields_default(op->fields, *ret, a, err) : EC_OK;
}

enum ec_status ec_attrs_parse(const struct ec_op *op, struct ec_span words, struct ec_arena *a,
                              void **ret, struct ec_err *err)
{
    struct ec_span word, key, value;
    void *attrs = NULL;

    EC_PASS(new_attrs(op, a, &attrs, err));
    while (next_word(&words, &word)) {
        EC_PASS(split_word(word, &key, &value, err));
        EC_PASS(set_attr(op, key, value, attrs, a, err));
    }
    *ret = attrs;
    return EC_OK;
}

enum ec_status ec_case_infer(struct ec_case *c, struct ec_arena *a, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(c->op->inputs), part;
    struct ec_type **out;
    int want = 0, i;

    while (rest.p && ec_span_cut(&rest, ';', &part))
        want++;
    if (c->op->flags & EC_OPF_VARIADIC ? c->n_in < 1 : c->n_in != want)
        return ec_fail(err, EC_E_SHAPE, "%s: %d inputs, expected %s%d", c->op->name, c->n_in,
                       c->op->flags & EC_OPF_VARIADIC ? "at least " : "",
                       c->op->flags & EC_OPF_VARIADIC ? 1 : want);
    c->n_out = c->op->outputs ? c->op->outputs(c) : c->op->n_out ? c->op->n_out : 1;
    if (c->n_out < 1 || c->n_out > 1024)
        return ec_fail(err, EC_E_SHAPE, "%s: %d outputs, expected 1 to 1024", c->op->name,
                       c->n_out);
    out = ec_arena_alloc(a, sizeof *out * (size_t)c->n_out);
    for (i = 0; out && i < c->n_out; i++) {
        out[i] = ec_arena_alloc(a, sizeof *out[i]);
        if (!out[i])
            out = NULL;
        else
            out[i]->dtype = c->in[0]->dtype;
    }
    EC_PASS(ec_allocated(out, err));
    c->out = out;
    return c->op->shape(c, err);
}

/* Dimension names of the template met so far, with their values. */
struct dims {
    int n;
    struct ec_span name[32];
    int64_t value[32];
    bool given[32];
};

static int dim_index(const struct dims *d, struct ec_span name)
{
    int i;

    for (i = 0; i < d->n; i++)
        if (d->name[i].len == name.len && memcmp(d->name[i].p, name.p, name.len) == 0)
            return i;
    return -1;
}

static bool is_any_shape(struct ec_span one)
{
    one = ec_span_trim(one);
    return one.len == 1 && one.p[0] >= 'x' && one.p[0] <= 'z';
}

/* State of parsing one case text. */
struct parse {
    const struct ec_op *op;
    const char *inputs; /* the operator's template, or the one by dimensions */
    struct ec_arena *a;
    void *attrs;
    enum ec_dtype dtype;
    struct dims dims;
    int n_shapes;
    bool shape_given[CASE_IN_MAX];       /* inputs written as whole shapes */
    struct ec_shape shapes[CASE_IN_MAX]; /* of those; not zeroed */
};

static void collect_dims(struct parse *p)
{
    struct ec_span rest = ec_span_of(p->inputs), one, word;

    while (rest.p && ec_span_cut(&rest, ';', &one)) {
        if (is_any_shape(one))
            continue;
        while (next_word(&one, &word)) {
            if (word.p[0] == '*') {
                word.p++;
                word.len--;
            }
            if (dim_index(&p->dims, word) < 0 && p->dims.n < EC_LEN(p->dims.name))
                p->dims.name[p->dims.n++] = word;
        }
    }
}

/* Whether any word gives the shape of the first input. */
static bool has_shape(struct ec_span words)
{
    struct ec_span word;

    while (next_word(&words, &word))
        if (word.len > 2 && word.p[0] == 'x' && word.p[1] == '=')
            return true;
    return false;
}

/* x, y, z, then x3, x4 ... for the inputs of variadic operators. */
static int shape_slot(const struct parse *p, struct ec_span key)
{
    struct ec_span rest = ec_span_of(p->op->inputs), one;
    int64_t i = 0;

    while (rest.p && ec_span_cut(&rest, ';', &one)) {
        one = ec_span_trim(one);
        if (is_any_shape(one) && one.len == key.len && one.p[0] == key.p[0])
            return (int)i;
        i++;
    }
    if (!(p->op->flags & EC_OPF_VARIADIC) || !key.len)
        return -1;
    if (key.len == 1)
        return key.p[0] >= 'x' && key.p[0] <= 'z' ? key.p[0] - 'x' : -1;
    if (key.p[0] != 'x' || !ec_parse_int((struct ec_span){ key.p + 1, key.len - 1 }, &i))
        return -1;
    return i >= 3 && i < CASE_IN_MAX ? (int)i : -1;
}

static enum ec_status parse_shape(struct parse *p, int slot, struct ec_span key,
                                  struct ec_span value, struct ec_err *err)
{
    struct ec_span part;
    struct ec_shape *s = &p->shapes[slot];
    int64_t n;

    s->rank = 0;
    if (ec_span_eq(value, "scalar"))
        value = (struct ec_span){ NULL, 0 };
    while (value.p && ec_span_cut(&value, 'x', &part)) {
        if (s->rank == EC_RANK_MAX || !ec_parse_int(part, &s->d[s->rank++]))
            return ec_fail(err, EC_E_PARSE, "%s: shape %.*s is not numbers joined by x (at most 8)",
                           p->op->name, (int)key.len, key.p);
    }
    if (!ec_shape_count(s, &n))
        return ec_fail(err, EC_E_SHAPE, "%s: shape %.*s is negative or too large", p->op->name,
                       (int)key.len, key.p);
    p->shape_given[slot] = true;
    if (slot >= p->n_shapes)
        p->n_shapes = slot + 1;
    return EC_OK;
}

static enum ec_status parse_dim(struct parse *p, int i, struct ec_span value, struct ec_err *err)
{
    int64_t v;

    if (!ec_parse_int(value, &v) || v < 1)
        return ec_fail(err, EC_E_INPUT, "%s: %.*s: found \"%.*s\", expected a whole number >= 1",
                       p->op->name, (int)p->dims.name[i].len, p->dims.name[i].p,
                       value.len > 40 ? 40 : (int)value.len, value.p);
    p->dims.value[i] = v;
    p->dims.given[i] = true;
    return EC_OK;
}

/* A dimension name wins over an attribute of the same name: "linear m k" has attribute n. */
static enum ec_status parse_word(struct parse *p, struct ec_span word, struct ec_err *err)
{
    struct ec_span key, value;
    int i;

    EC_PASS(split_word(word, &key, &value, err));
    if ((i = dim_index(&p->dims, key)) >= 0)
        return parse_dim(p, i, value, err);
    if (ec_field_find(p->op->fields, key))
        return set_attr(p->op, key, value, p->attrs, p->a, err);
    if ((i = shape_slot(p, key)) >= 0)
        return parse_shape(p, i, key, value, err);
    if (ec_span_eq(key, "dtype")) {
        if (!ec_dtype_parse(value, &p->dtype))
            return ec_fail(err, EC_E_INPUT, "%s: unknown dtype \"%.*s\"", p->op->name,
                           value.len > 40 ? 40 : (int)value.len, value.p);
        return EC_OK;
    }
    return unknown_word(p->op, key, err);
}

static enum ec_status input_from_dims(struct parse *p, struct ec_span one, struct ec_type *t,
                                      struct ec_err *err)
{
    struct ec_span word;
    int64_t n;

    while (next_word(&one, &word)) {
        int i;

        if (word.p[0] == '*') {
            word.p++;
            word.len--;
        }
        i = dim_index(&p->dims, word);
        if (!p->dims.given[i] && p->op->dims && !t->shape.rank)
            p->dims.value[i] = 1; /* the batch of a product */
        else if (!p->dims.given[i])
            return ec_fail(err, EC_E_INPUT, "%s: dimension %.*s is missing (wanted: %s)",
                           p->op->name, (int)word.len, word.p, p->inputs);
        if (t->shape.rank == EC_RANK_MAX)
            return ec_fail(err, EC_E_SHAPE, "%s: more than 8 dimensions", p->op->name);
        t->shape.d[t->shape.rank++] = p->dims.value[i];
    }
    if (!ec_shape_count(&t->shape, &n))
        return ec_fail(err, EC_E_SHAPE, "%s: input has too many elements", p->op->name);
    return EC_OK;
}

static enum ec_status input_from_shape(struct parse *p, int slot, struct ec_type *t,
                                       struct ec_err *err)
{
    if (!p->shape_given[slot])
        return ec_fail(err, EC_E_INPUT, "%s: input %d has no shape (wanted: %c=32x64)", p->op->name,
                       slot, slot < 3 ? 'x' + slot : 'x');
    t->shape = p->shapes[slot];
    return EC_OK;
}

/* Inputs of the template, and those that variadic operators add. */
static int count_inputs(const struct parse *p)
{
    int n = 1;
    const char *c;

    for (c = p->inputs; *c; c++)
        n += *c == ';';
    return p->op->flags & EC_OPF_VARIADIC && n < p->n_shapes ? p->n_shapes : n;
}

static enum ec_status make_inputs(struct parse *p, struct ec_case *c, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(p->inputs), one;
    int n_in = count_inputs(p), i;
    struct ec_type *types = ec_arena_alloc(p->a, sizeof *types * (size_t)n_in);
    const struct ec_type **in = ec_arena_alloc(p->a, sizeof *in * (size_t)n_in);

    EC_PASS(ec_allocated(types && in, err));
    for (i = 0; i < n_in; i++) {
        in[i] = &types[i];
        types[i].dtype = p->dtype;
        if (rest.p && ec_span_cut(&rest, ';', &one) && !is_any_shape(one))
            EC_PASS(input_from_dims(p, one, &types[i], err));
        else
            EC_PASS(input_from_shape(p, i, &types[i], err));
    }
    c->in = in;
    c->n_in = n_in;
    return EC_OK;
}

enum ec_status ec_case_parse(const char *text, struct ec_owned_case *ret, struct ec_err *err)
{
    struct ec_owned_case made = { 0 };
    struct parse p;
    struct ec_span rest = ec_span_of(text), word;
    enum ec_status st = EC_OK;

    if (rest.len > CASE_MAX_BYTES)
        return ec_fail(err, EC_E_PARSE, "case text of %zu bytes, at most %d are read", rest.len,
                       CASE_MAX_BYTES);
    if (!next_word(&rest, &word))
        return ec_fail(err, EC_E_PARSE, "empty case text, expected an operator: conv2d n=32 ...");
    memset(&p, 0, offsetof(struct parse, shapes));
    EC_TRY(ec_op_named(word, &p.op, err));
    p.a = &made.arena;
    p.inputs = p.op->dims && !has_shape(rest) ? p.op->dims : p.op->inputs;
    p.dtype = default_dtype(p.op);
    collect_dims(&p);
    EC_TRY(new_attrs(p.op, p.a, &p.attrs, err));
    while (next_word(&rest, &word))
        EC_TRY(parse_word(&p, word, err));
    made.c.op = p.op;
    made.c.attrs = p.attrs;
    EC_TRY(make_inputs(&p, &made.c, err));
    EC_TRY(ec_case_infer(&made.c, p.a, err));
    *ret = made;
    made.arena.head = NULL;
out:
    ec_arena_clear(&made.arena);
    return st;
}

void ec_case_clear(struct ec_owned_case *c)
{
    if (!c)
        return;
    ec_arena_clear(&c->arena);
    memset(c, 0, sizeof *c);
}

static int count_words(struct ec_span one)
{
    struct ec_span word;
    int n = 0;

    while (next_word(&one, &word))
        n++;
    return n;
}

/* Dimensions of one input against its template, as they go by: surplus leading ones fold into a
 * starred first. */
struct dim_walk {
    const struct ec_type *t;
    struct ec_span rest;
    int extra, at;
};

static struct dim_walk walk_dims(const struct ec_type *t, struct ec_span one)
{
    return (struct dim_walk){ t, one, t->shape.rank - count_words(one), 0 };
}

/* The next one that was not seen before; false after the last. */
static bool next_dim(struct dim_walk *w, struct dims *seen, struct ec_span *ret_name,
                     int64_t *ret_value)
{
    struct ec_span word;

    while (next_word(&w->rest, &word)) {
        int64_t v = w->at < w->t->shape.rank && w->at >= 0 ? w->t->shape.d[w->at] : 1;
        int i;

        if (word.p[0] == '*') {
            word.p++;
            word.len--;
            if (w->extra < 0) { /* a matrix where a batch of them was possible */
                v = 1;
                w->at += w->extra;
            }
            for (i = 0; i < w->extra; i++)
                v *= w->t->shape.d[++w->at];
        }
        w->at++;
        if (dim_index(seen, word) >= 0)
            continue;
        if (seen->n < EC_LEN(seen->name))
            seen->name[seen->n++] = word;
        *ret_name = word;
        *ret_value = v;
        return true;
    }
    return false;
}

static void print_dims(const struct ec_type *t, struct ec_span one, struct dims *seen,
                       struct ec_buf *out)
{
    struct dim_walk w = walk_dims(t, one);
    struct ec_span name;
    int64_t v;

    while (next_dim(&w, seen, &name, &v))
        ec_buf_printf(out, " %.*s=%lld", (int)name.len, name.p, (long long)v);
}

static void print_shape(const struct ec_type *t, int slot, struct ec_buf *out)
{
    char text[200];

    if (slot < 3)
        ec_buf_printf(out, " %c=%s", 'x' + slot, ec_shape_text(&t->shape, text, sizeof text));
    else
        ec_buf_printf(out, " x%d=%s", slot, ec_shape_text(&t->shape, text, sizeof text));
}

static bool changes_values_only(const struct ec_op *op, const struct ec_field *f)
{
    struct ec_span rest = ec_span_of(op->value_attrs ? op->value_attrs : ""), one;

    while (rest.len && ec_span_cut(&rest, ',', &one))
        if (ec_span_eq(one, f->name))
            return true;
    return false;
}

int64_t ec_case_batch(const struct ec_case *c)
{
    const struct ec_shape *x = c->n_in ? &c->in[0]->shape : NULL;

    return x && x->rank && x->d[0] > 0 ? x->d[0] : 1;
}

void ec_case_print(const struct ec_case *c, struct ec_buf *out)
{
    struct ec_span rest = ec_span_of(c->op->inputs), one;
    const struct ec_field *f;
    struct dims seen = { 0 };
    int i = 0;

    ec_buf_str(out, c->op->name);
    while (rest.p && ec_span_cut(&rest, ';', &one) && i < c->n_in) {
        one = ec_span_trim(one);
        if (is_any_shape(one))
            print_shape(c->in[i], one.p[0] - 'x', out);
        else
            print_dims(c->in[i], one, &seen, out);
        i++;
    }
    for (; i < c->n_in; i++)
        print_shape(c->in[i], i, out);
    for (f = c->op->fields; f && f->name; f++) {
        if (changes_values_only(c->op, f) || ec_field_is_default(f, c->attrs))
            continue;
        ec_buf_printf(out, " %s=", f->name);
        ec_field_print(f, c->attrs, out);
    }
    if (c->n_in && c->in[0]->dtype != default_dtype(c->op))
        ec_buf_printf(out, " dtype=%s", ec_dtype_name(c->in[0]->dtype));
}

/* Numbers as they are collected. */
struct numbers {
    struct ec_case_number *v;
    int n, max;
};

static void add_number(struct numbers *to, const char *name, size_t len, bool of_shape, double v)
{
    if (to->n < to->max)
        to->v[to->n++] = (struct ec_case_number){ name, (int)len, of_shape, v };
}

/* Names of shapes by slot, as print_shape writes them. */
static void add_shape(struct numbers *to, const struct ec_type *t, int slot)
{
#define TEN(tens)                                                                                  \
    "x" #tens "0", "x" #tens "1", "x" #tens "2", "x" #tens "3", "x" #tens "4", "x" #tens "5",      \
        "x" #tens "6", "x" #tens "7", "x" #tens "8", "x" #tens "9"
    static const char *const names[] = {
        "x",  "y",  "z",    "x3",   "x4",   "x5",   "x6",   "x7",
        "x8", "x9", TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6)
    };
#undef TEN
    int rank = t->shape.rank;

    if (rank > 0 && slot < EC_LEN(names))
        add_number(to, names[slot], strlen(names[slot]), rank > 1, (double)t->shape.d[rank - 1]);
}

static void add_attr(struct numbers *to, const struct ec_field *f, const void *attrs)
{
    const void *at = (const char *)attrs + f->offset;
    const struct ec_ints *ints = at;
    double v;

    if (f->type == EC_F_BOOL)
        v = *(const bool *)at;
    else if (f->type == EC_F_INT)
        v = (double)*(const int64_t *)at;
    else if (f->type == EC_F_DOUBLE)
        v = *(const double *)at;
    else if (f->type == EC_F_INTS && ints->n > 0)
        v = (double)ints->v[ints->n - 1];
    else
        return; /* words */
    if (!ec_field_is_default(f, attrs))
        add_number(to, f->name, strlen(f->name), false, v);
}

int ec_case_numbers(const struct ec_case *c, struct ec_case_number *ret, int max)
{
    struct ec_span rest = ec_span_of(c->op->inputs), one, name;
    struct numbers to = { ret, 0, max };
    const struct ec_field *f;
    struct dims seen;
    int i = 0;
    int64_t v;

    seen.n = 0;
    while (rest.p && ec_span_cut(&rest, ';', &one) && i < c->n_in) {
        one = ec_span_trim(one);
        if (is_any_shape(one)) {
            add_shape(&to, c->in[i], one.p[0] - 'x');
        } else {
            struct dim_walk w = walk_dims(c->in[i], one);

            while (next_dim(&w, &seen, &name, &v))
                add_number(&to, name.p, name.len, false, (double)v);
        }
        i++;
    }
    for (; i < c->n_in; i++)
        add_shape(&to, c->in[i], i);
    for (f = c->op->fields; f && f->name; f++)
        if (!changes_values_only(c->op, f))
            add_attr(&to, f, c->attrs);
    return to.n;
}
