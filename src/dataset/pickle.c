/* Reads Python pickles, protocols 2 to 5, as data: a stack machine whose instructions only build
 * values and never call anything. The input is not trusted: all memory is bounded by its length.
 * Instructions are those of CPython's Lib/pickletools.py. */
#include "dataset/pickle_internal.h"

#include <string.h>

#include "pickle_instructions.h"

enum {
    GLOBAL_RECONSTRUCT = 1,
    GLOBAL_NDARRAY,
    GLOBAL_DTYPE,
    GLOBAL_ENCODE,
    GLOBAL_BYTES,
    GLOBAL_FROMBUFFER
};

static const struct {
    const char *module, *name;
    int id;
} globals[] = {
    {"numpy.core.multiarray",   "_reconstruct", GLOBAL_RECONSTRUCT},
    { "numpy._core.multiarray", "_reconstruct", GLOBAL_RECONSTRUCT},
    { "numpy",                  "ndarray",      GLOBAL_NDARRAY    },
    { "numpy",                  "dtype",        GLOBAL_DTYPE      },
    { "_codecs",                "encode",       GLOBAL_ENCODE     },
    { "__builtin__",            "bytes",        GLOBAL_BYTES      },
    { "numpy.core.numeric",     "_frombuffer",  GLOBAL_FROMBUFFER },
    { "numpy._core.numeric",    "_frombuffer",  GLOBAL_FROMBUFFER },
};

struct machine {
    const unsigned char *p, *begin, *end;
    struct ec_arena *a;
    struct ec__py **stack, **memo;
    int n, cap, cap_memo, n_memo;
    int *mark;
    int n_marks, cap_marks;
    int given; /* to the function of the instruction */
    struct ec_err *err;
};

static enum ec_status bad(const struct machine *m, const char *what)
{
    return ec_fail(m->err, EC_E_PARSE, "pickle, byte %lld: %s", (long long)(m->p - m->begin), what);
}

/* --- Reading operands --- */

static enum ec_status take(struct machine *m, uint64_t len, const unsigned char **ret)
{
    if (len > (uint64_t)(m->end - m->p))
        return bad(m, "the data ends too early");
    *ret = m->p;
    m->p += len;
    return EC_OK;
}

/* Little-endian number of 1 to 8 bytes. */
static enum ec_status take_number(struct machine *m, int bytes, uint64_t *ret)
{
    const unsigned char *p = NULL;
    uint64_t v = 0;

    EC_PASS(take(m, (uint64_t)bytes, &p));
    while (bytes--)
        v = v << 8 | p[bytes];
    *ret = v;
    return EC_OK;
}

static enum ec_status take_line(struct machine *m, struct ec_span *ret)
{
    const unsigned char *newline = memchr(m->p, '\n', (size_t)(m->end - m->p));

    if (!newline)
        return bad(m, "a line has no end");
    *ret = (struct ec_span){ (const char *)m->p, (size_t)(newline - m->p) };
    m->p = newline + 1;
    return EC_OK;
}

/* --- Stack --- */

static struct ec__py *make(struct machine *m, enum ec__py_type type)
{
    struct ec__py *v = ec_arena_alloc(m->a, sizeof *v);

    if (v)
        v->type = type;
    return v;
}

static enum ec_status push(struct machine *m, struct ec__py *v)
{
    EC_PASS(ec_allocated(v, m->err));
    EC_PASS(ec_grow(&m->stack, &m->cap, m->n + 1, sizeof *m->stack, m->err));
    m->stack[m->n++] = v;
    return EC_OK;
}

/* Items above the last mark. */
static int floor_of(const struct machine *m)
{
    return m->n_marks ? m->mark[m->n_marks - 1] : 0;
}

static enum ec_status pop(struct machine *m, struct ec__py **ret)
{
    if (m->n <= floor_of(m))
        return bad(m, "the stack is empty");
    *ret = m->stack[--m->n];
    return EC_OK;
}

static enum ec_status top(struct machine *m, enum ec__py_type type, struct ec__py **ret)
{
    if (!m->n || m->stack[m->n - 1]->type != type)
        return bad(m, type == EC__PY_LIST ? "a list was expected" : "a dictionary was expected");
    *ret = m->stack[m->n - 1];
    return EC_OK;
}

static enum ec_status push_int(struct machine *m, int64_t i)
{
    struct ec__py *v = make(m, EC__PY_INT);

    if (v)
        v->i = i;
    return push(m, v);
}

static enum ec_status push_bytes(struct machine *m, const unsigned char *p, uint64_t len)
{
    struct ec__py *v = make(m, EC__PY_BYTES);

    if (v) {
        v->bytes = p;
        v->n = (int64_t)len;
    }
    return push(m, v);
}

/* Bytes that follow a length of so many bytes. */
static enum ec_status counted_bytes(struct machine *m)
{
    const unsigned char *p = NULL;
    uint64_t len = 0;

    EC_PASS(take_number(m, m->given, &len));
    EC_PASS(take(m, len, &p));
    return push_bytes(m, p, len);
}

/* --- Containers --- */

static enum ec_status append(struct machine *m, struct ec__py *list, struct ec__py *const *items,
                             int64_t n)
{
    int64_t cap = list->cap ? list->cap : 4;
    struct ec__py **grown;

    while (cap < list->n + n)
        cap *= 2;
    if (cap != list->cap) {
        grown = ec_arena_alloc(m->a, (size_t)cap * sizeof *grown);
        EC_PASS(ec_allocated(grown, m->err));
        if (list->n)
            memcpy(grown, list->item, (size_t)list->n * sizeof *grown);
        list->item = grown;
        list->cap = cap;
    }
    if (n)
        memcpy(list->item + list->n, items, (size_t)n * sizeof *items);
    list->n += n;
    return EC_OK;
}

/* A list or dictionary of the n topmost values. */
static enum ec_status collect(struct machine *m, enum ec__py_type type, int n)
{
    struct ec__py *v = make(m, type);
    enum ec_status st;

    EC_PASS(ec_allocated(v, m->err));
    if (m->n - floor_of(m) < n)
        return bad(m, "the stack is empty");
    st = n ? append(m, v, m->stack + m->n - n, n) : EC_OK; /* there may be no stack yet */
    m->n -= n;
    return st ? st : push(m, v);
}

static enum ec_status collect_list(struct machine *m)
{
    return collect(m, EC__PY_LIST, m->given);
}

static enum ec_status empty_dict(struct machine *m)
{
    return collect(m, EC__PY_DICT, 0);
}

static enum ec_status set_mark(struct machine *m)
{
    EC_PASS(ec_grow(&m->mark, &m->cap_marks, m->n_marks + 1, sizeof *m->mark, m->err));
    m->mark[m->n_marks++] = m->n;
    return EC_OK;
}

/* The number of values above the mark, which is taken away. */
static enum ec_status pop_mark(struct machine *m, int *ret_n)
{
    if (!m->n_marks)
        return bad(m, "a mark is missing");
    *ret_n = m->n - m->mark[--m->n_marks];
    return *ret_n < 0 ? bad(m, "the stack is empty") : EC_OK;
}

static enum ec_status collect_marked(struct machine *m)
{
    int n = 0;
    enum ec_status st = pop_mark(m, &n);

    return st ? st : collect(m, EC__PY_LIST, n);
}

/* The n topmost values go into the container below them, of the type that the instruction is given.
 */
static enum ec_status put_into(struct machine *m, int n)
{
    enum ec__py_type type = m->given == EC__PY_DICT ? EC__PY_DICT : EC__PY_LIST;
    struct ec__py *to = NULL;

    if (m->n - floor_of(m) < n || (type == EC__PY_DICT && n % 2))
        return bad(m, "values are missing");
    m->n -= n;
    EC_PASS(top(m, type, &to));
    return append(m, to, m->stack + m->n, n);
}

static enum ec_status put_one(struct machine *m)
{
    return put_into(m, m->given == EC__PY_DICT ? 2 : 1);
}

static enum ec_status put_marked(struct machine *m)
{
    int n = 0;
    enum ec_status st = pop_mark(m, &n);

    return st ? st : put_into(m, n);
}

/* --- Memo --- */

static enum ec_status remember(struct machine *m, uint64_t at)
{
    if (m->n <= floor_of(m))
        return bad(m, "nothing to remember");
    if (at > (uint64_t)(m->p - m->begin) || at > INT32_MAX - 1)
        return bad(m, "a memo's number is too large");
    EC_PASS(ec_grow(&m->memo, &m->cap_memo, (int)at + 1, sizeof *m->memo, m->err));
    for (; m->n_memo <= (int)at; m->n_memo++)
        m->memo[m->n_memo] = NULL;
    m->memo[at] = m->stack[m->n - 1];
    return EC_OK;
}

static enum ec_status recall(struct machine *m, uint64_t at)
{
    if (at >= (uint64_t)m->n_memo || !m->memo[at])
        return bad(m, "a memo that was never set");
    return push(m, m->memo[at]);
}

static enum ec_status remember_numbered(struct machine *m)
{
    uint64_t at = 0;
    enum ec_status st = take_number(m, m->given, &at);

    return st ? st : remember(m, at);
}

static enum ec_status remember_next(struct machine *m)
{
    return remember(m, (uint64_t)m->n_memo);
}

static enum ec_status recall_numbered(struct machine *m)
{
    uint64_t at = 0;
    enum ec_status st = take_number(m, m->given, &at);

    return st ? st : recall(m, at);
}

/* --- NumPy --- */

static enum ec_status push_global(struct machine *m, struct ec_span module, struct ec_span name)
{
    struct ec__py *v;
    int i;

    for (i = 0; i < EC_LEN(globals); i++)
        if (ec_span_eq(module, globals[i].module) && ec_span_eq(name, globals[i].name)) {
            v = make(m, EC__PY_GLOBAL);
            if (v)
                v->i = globals[i].id;
            return push(m, v);
        }
    return ec_fail(m->err, EC_E_UNSUPPORTED,
                   "pickle asks for %.*s.%.*s: only NumPy arrays are read, nothing is called",
                   module.len > 60 ? 60 : (int)module.len, module.p,
                   name.len > 60 ? 60 : (int)name.len, name.p);
}

static enum ec_status global_of_lines(struct machine *m)
{
    struct ec_span module = { 0 }, name = { 0 };

    EC_PASS(take_line(m, &module));
    EC_PASS(take_line(m, &name));
    return push_global(m, module, name);
}

static struct ec_span text_of(const struct ec__py *v)
{
    return (struct ec_span){ (const char *)v->bytes, v->type == EC__PY_BYTES ? (size_t)v->n : 0 };
}

static enum ec_status global_of_stack(struct machine *m)
{
    struct ec__py *module = NULL, *name = NULL;

    EC_PASS(pop(m, &name));
    EC_PASS(pop(m, &module));
    return push_global(m, text_of(module), text_of(name));
}

/* (bytes, dtype, shape, order): how protocol 5 writes an array. */
static enum ec_status array_of_buffer(struct machine *m, const struct ec__py *args)
{
    struct ec__py *v = make(m, EC__PY_ARRAY), **item;

    if (args->n != 4 || args->item[0]->type != EC__PY_BYTES ||
        args->item[1]->type != EC__PY_DTYPE || args->item[2]->type != EC__PY_LIST)
        return bad(m, "an array without its bytes, type and shape");
    if (!ec_span_eq(text_of(args->item[3]), "C"))
        return ec_fail(m->err, EC_E_UNSUPPORTED, "array in Fortran's order");
    item = ec_arena_alloc(m->a, 4 * sizeof *item);
    EC_PASS(ec_allocated(v && item, m->err));
    item[0] = args->item[2];
    item[1] = args->item[1];
    item[2] = args->item[3];
    item[3] = args->item[0];
    v->item = item;
    v->n = 4;
    return push(m, v);
}

/* --- Bytes: protocol 2 has none, so Python 3 writes them as a call that encodes text --- */

/* The next character of UTF-8; false: it is none below 256. */
static bool take_latin1(const struct ec__py *text, const unsigned char **p, unsigned char *ret)
{
    unsigned char c = *(*p)++;

    if (c >= 0x80) {
        if ((c != 0xc2 && c != 0xc3) || *p == text->bytes + text->n || (**p & 0xc0) != 0x80)
            return false;
        c = (unsigned char)((c & 3) << 6 | (*(*p)++ & 0x3f));
    }
    *ret = c;
    return true;
}

static enum ec_status encode(struct machine *m, const struct ec__py *text)
{
    const unsigned char *p = text->bytes;
    unsigned char *to = ec_arena_alloc(m->a, (size_t)text->n + 1);
    uint64_t n = 0;

    EC_PASS(ec_allocated(to, m->err));
    while (p < text->bytes + text->n)
        if (!take_latin1(text, &p, &to[n++]))
            return bad(m, "text that is no Latin-1, which bytes are written in");
    return push_bytes(m, to, n);
}

static bool is_latin1(const struct ec__py *codec)
{
    return ec_span_eq(text_of(codec), "latin1") || ec_span_eq(text_of(codec), "latin-1");
}

static enum ec_status reduce(struct machine *m)
{
    struct ec__py *args = NULL, *f = NULL, *v;

    EC_PASS(pop(m, &args));
    EC_PASS(pop(m, &f));
    if (f->type != EC__PY_GLOBAL || args->type != EC__PY_LIST)
        return bad(m, "a call of what is no function");
    if (f->i == GLOBAL_RECONSTRUCT)
        return push(m, make(m, EC__PY_ARRAY));
    if (f->i == GLOBAL_FROMBUFFER)
        return array_of_buffer(m, args);
    if (f->i == GLOBAL_BYTES && !args->n)
        return push_bytes(m, (const unsigned char *)"", 0);
    if (args->n < 1 || args->item[0]->type != EC__PY_BYTES)
        return bad(m, "a call without its argument");
    if (f->i == GLOBAL_ENCODE && args->n == 2 && is_latin1(args->item[1]))
        return encode(m, args->item[0]);
    if (f->i != GLOBAL_DTYPE)
        return ec_fail(m->err, EC_E_UNSUPPORTED, "pickle calls what only Python can answer");
    v = make(m, EC__PY_DTYPE);
    if (v) {
        v->bytes = args->item[0]->bytes;
        v->n = args->item[0]->n;
    }
    return push(m, v);
}

/* State of an array: (version, shape, dtype, in Fortran's order, bytes). That of a dtype says the
 * order of its bytes, which single bytes have none of. */
static enum ec_status build(struct machine *m)
{
    struct ec__py *state = NULL, *v;

    EC_PASS(pop(m, &state));
    if (m->n <= floor_of(m))
        return bad(m, "the stack is empty");
    v = m->stack[m->n - 1];
    if (v->type == EC__PY_DTYPE)
        return EC_OK;
    if (v->type != EC__PY_ARRAY || state->type != EC__PY_LIST || state->n != 5)
        return bad(m, "a state that no array has");
    if (state->item[1]->type != EC__PY_LIST || state->item[2]->type != EC__PY_DTYPE ||
        state->item[4]->type != EC__PY_BYTES)
        return bad(m, "a state that no array has");
    if (state->item[3]->i)
        return ec_fail(m->err, EC_E_UNSUPPORTED, "array in Fortran's order");
    v->item = state->item + 1;
    v->n = 4;
    return EC_OK;
}

/* --- Numbers --- */

static enum ec_status binary_float(struct machine *m)
{
    const unsigned char *p = NULL;
    struct ec__py *f;
    uint64_t bits = 0;
    double v;
    int i;

    EC_PASS(take(m, 8, &p));
    for (i = 0; i < 8; i++)
        bits = bits << 8 | p[i];
    memcpy(&v, &bits, sizeof v);
    f = make(m, EC__PY_FLOAT);
    if (f)
        f->f = v;
    return push(m, f);
}

static enum ec_status long_int(struct machine *m)
{
    const unsigned char *p = NULL;
    uint64_t len = 0, v = 0;
    int i;

    EC_PASS(take_number(m, m->given, &len));
    EC_PASS(take(m, len, &p));
    if (len > 8)
        return bad(m, "a number of more than 8 bytes");
    for (i = (int)len - 1; i >= 0; i--)
        v = v << 8 | p[i];
    if (len && len < 8 && p[len - 1] & 0x80)
        v |= ~(uint64_t)0 << (8 * len);
    return push_int(m, (int64_t)v);
}

/* Of four bytes it has a sign. */
static enum ec_status short_int(struct machine *m)
{
    uint64_t v = 0;
    enum ec_status st = take_number(m, m->given, &v);

    return st ? st : push_int(m, m->given == 4 ? (int32_t)v : (int64_t)v);
}

static enum ec_status none(struct machine *m)
{
    return push(m, make(m, EC__PY_NONE));
}

static enum ec_status boolean(struct machine *m)
{
    EC_PASS(push_int(m, m->given));
    m->stack[m->n - 1]->type = EC__PY_BOOL;
    return EC_OK;
}

/* --- The machine --- */

/* The protocol's number, and how far to read ahead, say nothing of values. */
static enum ec_status skip(struct machine *m)
{
    const unsigned char *p = NULL;

    return take(m, (uint64_t)m->given, &p);
}

static const struct {
    enum ec_status (*run)(struct machine *); /* NULL: the instruction is not data */
    int given;
} instructions[256] = {
#define INSTRUCTION_ROW(byte, name, run, given) [byte] = { run, given },
    PICKLE_INSTRUCTIONS(INSTRUCTION_ROW)
#undef INSTRUCTION_ROW
};

static enum ec_status step(struct machine *m)
{
    unsigned char op = *m->p;

    if (!instructions[op].run)
        return ec_fail(m->err, EC_E_UNSUPPORTED,
                       "pickle, byte %lld: instruction 0x%02x is no data of protocols 2 to 5",
                       (long long)(m->p - m->begin), op);
    m->p++;
    m->given = instructions[op].given;
    return instructions[op].run(m);
}

enum ec_status ec__pickle_parse(const unsigned char *data, size_t len, struct ec_arena *a,
                                const struct ec__py **ret, struct ec_err *err)
{
    static const unsigned char nothing[1];
    const unsigned char *begin = len ? data : nothing; /* of no bytes, data may be NULL */
    struct machine m = { .p = begin, .begin = begin, .end = begin + len, .a = a, .err = err };
    enum ec_status st = EC_OK;

    while (!st && m.p < m.end && *m.p != '.')
        st = step(&m);
    if (!st && m.p == m.end)
        st = bad(&m, "the data ends too early");
    if (!st && (m.n != 1 || m.n_marks))
        st = bad(&m, "the stack does not end with one value");
    if (!st)
        *ret = m.stack[0];
    ec_free(m.stack);
    ec_free(m.memo);
    ec_free(m.mark);
    return st;
}

const struct ec__py *ec__py_get(const struct ec__py *dict, const char *key)
{
    int64_t i;

    if (dict->type != EC__PY_DICT)
        return NULL;
    for (i = 0; i + 1 < dict->n; i += 2)
        if (dict->item[i]->type == EC__PY_BYTES && ec_span_eq(text_of(dict->item[i]), key))
            return dict->item[i + 1];
    return NULL;
}

static bool is_u8(const struct ec__py *type)
{
    struct ec_span t = { (const char *)type->bytes, (size_t)type->n };

    return ec_span_eq(t, "u1") || ec_span_eq(t, "|u1");
}

const unsigned char *ec__py_rows_u8(const struct ec__py *array, int64_t row_elems, int64_t *ret_n)
{
    const struct ec__py *shape;
    int64_t elems = 1, i;

    if (array->type != EC__PY_ARRAY || array->n != 4 || !is_u8(array->item[1]))
        return NULL;
    shape = array->item[0];
    for (i = 0; i < shape->n; i++)
        if (shape->item[i]->type != EC__PY_INT || shape->item[i]->i < 0 ||
            !ec_mul_i64(elems, shape->item[i]->i, &elems))
            return NULL;
    if (shape->n < 2 || elems != array->item[3]->n || elems % row_elems ||
        shape->item[0]->i != elems / row_elems)
        return NULL;
    *ret_n = elems / row_elems;
    return array->item[3]->bytes;
}
