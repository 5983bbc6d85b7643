/* Traces of Kineto and of Chrome, as JSON: a tokenizer that takes one event at a time out of a
 * window over the file. It is no checker: what it does not need is passed over, numbers may be odd,
 * and only what it cannot follow is refused. The strict reader of JSON is base's. */
#include "trace/trace_internal.h"

#include <math.h>
#include <string.h>

#define WINDOW_BYTES ((size_t)1 << 20)
#define WINDOW_MOST_BYTES ((size_t)64 << 20) /* one event, or one value of the header */
#define PROGRESS_BYTES ((int64_t)16 << 20)
#define TIME_MOST_NS ((int64_t)1 << 60) /* 36 years */
#define TIME_MOST_US 9e15

/* Nothing is taken before all of it is there: MORE means again, with more of the file. */
enum took { TOOK, MORE, WRONG };

struct cursor {
    const char *p, *end;
};

struct reader {
    struct ec_trace *t;
    struct ec__source source;
    char *buf;
    size_t cap;
    struct cursor c; /* what of buf is not taken */
    bool is_over;
    int64_t said_bytes;
    ec_trace_progress progress;
    void *arg;
};

#define TAKE(call)                                                                                 \
    do {                                                                                           \
        enum took took_ = (call);                                                                  \
        if (took_)                                                                                 \
            return took_;                                                                          \
    } while (0)

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next character that is not blank stays. */
static inline enum took next(struct cursor *c, char *ret)
{
    while (c->p < c->end && is_blank(*c->p))
        c->p++;
    if (c->p == c->end)
        return MORE;
    *ret = *c->p;
    return TOOK;
}

/* At a quote; what is between the two is as it stands. */
static enum took string(struct cursor *c, struct ec_span *ret)
{
    const char *from = c->p + 1, *q = from;

    for (;; q++) {
        const char *back;

        q = memchr(q, '"', (size_t)(c->end - q));
        if (!q)
            return MORE;
        for (back = q; back > from && back[-1] == '\\'; back--)
            continue;
        if ((q - back) % 2 == 0)
            break;
    }
    *ret = (struct ec_span){ from, (size_t)(q - from) };
    c->p = q + 1;
    return TOOK;
}

/* An object or an array, however deep. */
static enum took skip_nested(struct cursor *c)
{
    struct ec_span text;
    int64_t depth = 0;

    for (; c->p < c->end; c->p++) {
        char ch = *c->p;

        if (ch == '"') {
            TAKE(string(c, &text));
            c->p--;
        } else if (ch == '{' || ch == '[') {
            depth++;
        } else if (ch == '}' || ch == ']') {
            if (--depth == 0) {
                c->p++;
                return TOOK;
            }
        }
    }
    return MORE;
}

/* Any value, as it stands; of a text what is between the quotes. */
static enum took value(struct cursor *c, struct ec_span *ret)
{
    char ch;

    TAKE(next(c, &ch));
    if (ch == '"')
        return string(c, ret);
    ret->p = c->p;
    if (ch == '{' || ch == '[') {
        TAKE(skip_nested(c));
    } else {
        while (c->p < c->end && *c->p != ',' && *c->p != '}' && *c->p != ']' && !is_blank(*c->p))
            c->p++;
        if (c->p == c->end)
            return MORE;
        if (c->p == ret->p)
            return WRONG;
    }
    ret->len = (size_t)(c->p - ret->p);
    return TOOK;
}

/* The next key of an object whose '{' or last member was taken; len 0 and p NULL: it ended. */
static enum took key(struct cursor *c, struct ec_span *ret)
{
    char ch;

    *ret = (struct ec_span){ NULL, 0 };
    TAKE(next(c, &ch));
    while (ch == ',') {
        c->p++;
        TAKE(next(c, &ch));
    }
    if (ch == '}') {
        c->p++;
        return TOOK;
    }
    if (ch != '"')
        return WRONG;
    TAKE(string(c, ret));
    TAKE(next(c, &ch));
    if (ch != ':')
        return WRONG;
    c->p++;
    return TOOK;
}

/* Microseconds, with a fraction or without, as nanoseconds: exactly, since 2^53 is near. */
static bool time_of(struct ec_span s, int64_t *ret_ns)
{
    bool minus = s.len && *s.p == '-';
    int decimals = -1;
    int64_t v = 0;
    size_t i;
    double d;

    for (i = minus; i < s.len && decimals < 3; i++) {
        if (s.p[i] == '.' && decimals < 0)
            decimals = 0;
        else if (s.p[i] < '0' || s.p[i] > '9' || !ec_mul_i64(v, 10, &v) ||
                 !ec_add_i64(v, s.p[i] - '0', &v))
            break;
        else
            decimals += decimals >= 0;
    }
    while (i < s.len && decimals == 3 && s.p[i] >= '0' && s.p[i] <= '9')
        i++;
    if (i < s.len || i == minus) { /* 1.5e6 */
        if (!ec_parse_double(s, &d) || fabs(d) > TIME_MOST_US)
            return false;
        *ret_ns = (int64_t)(d * 1e3);
        return true;
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
        if (!ec_mul_i64(v, 10, &v))
            return false;
    *ret_ns = minus ? -v : v;
    return true;
}

/* The time since the first event: the sums of two are in range whatever the file has. */
static bool since_first(struct ec_trace *t, struct ec_span s, int64_t *ret_ns)
{
    int64_t at;

    if (!time_of(s, &at))
        return false;
    if (!t->n)
        t->base_ns = at;
    return !__builtin_sub_overflow(at, t->base_ns, ret_ns) &&
           *ret_ns<TIME_MOST_NS && * ret_ns> - TIME_MOST_NS;
}

static uint32_t number_of(struct ec_span s)
{
    int64_t v;

    return ec_parse_int(s, &v) && v > 0 && v < UINT32_MAX ? (uint32_t)v : 0;
}

/* What is read of an event; spans are of the window. */
struct event {
    struct ec_span phase, name, category, process, thread, start, dur;
    struct ec_span dims, types, values, strides, call, external, sequence;
    struct ec_span collective, elements, dtype, group; /* of collectives */
};

struct member {
    const char *key;
    size_t at;
};
#define MEMBER(key, field)                                                                         \
    {                                                                                              \
        key, offsetof(struct event, field)                                                         \
    }
static const struct member outer[] = { MEMBER("ph", phase),   MEMBER("cat", category),
                                       MEMBER("name", name),  MEMBER("pid", process),
                                       MEMBER("tid", thread), MEMBER("ts", start),
                                       MEMBER("dur", dur) };
static const struct member inner[] = { MEMBER("External id", external),
                                       MEMBER("external id", external),
                                       MEMBER("correlation", call),
                                       MEMBER("Sequence number", sequence),
                                       MEMBER("Input Dims", dims),
                                       MEMBER("Input type", types),
                                       MEMBER("Concrete Inputs", values),
                                       MEMBER("Input Strides", strides),
                                       MEMBER("Collective name", collective),
                                       MEMBER("In msg nelems", elements),
                                       MEMBER("dtype", dtype),
                                       MEMBER("Group size", group) };

static void keep(const struct member *of, int n, struct ec_span k, struct ec_span v,
                 struct event *e)
{
    int i;

    for (i = 0; i < n; i++)
        if (of[i].key[0] == *k.p && ec_span_eq(k, of[i].key)) {
            memcpy((char *)e + of[i].at, &v, sizeof v);
            return;
        }
}

/* An event at its '{', or what stands in its "args". */
static enum took members_of(struct cursor *c, const struct member *of, int n, struct event *e)
{
    struct ec_span k, v;
    char ch;

    c->p++;
    for (;;) {
        TAKE(key(c, &k));
        if (!k.p)
            return TOOK;
        TAKE(next(c, &ch));
        if (ch == '{' && of == outer && ec_span_eq(k, "args")) {
            TAKE(members_of(c, inner, EC_LEN(inner), e));
        } else {
            TAKE(value(c, &v));
            if (k.len)
                keep(of, n, k, v, e);
        }
    }
}

static bool has(struct ec_span s, const char *part)
{
    return s.len && memmem(s.p, s.len, part, strlen(part)) != NULL;
}

static bool starts(struct ec_span s, const char *prefix)
{
    size_t len = strlen(prefix);

    return s.len >= len && !memcmp(s.p, prefix, len);
}

static bool is_collective(struct ec_span name)
{
    static const char *const words[] = { "nccl",   "rccl",     "msccl", "cross_device_reduce",
                                         "oneccl", "AllReduce" };
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if (has(name, words[i]))
            return true;
    return false;
}

/* Categories of 2021 and of today; what is not here is passed over: flows, counters, frames of
 * Python, the device's copies of annotations. */
static enum ec_trace_kind kind_of(const struct event *e)
{
    static const struct {
        const char *category;
        enum ec_trace_kind kind;
    } rows[] = {
        {"cpu_op",               EC_TRACE_OP      },
        { "Operator",            EC_TRACE_OP      },
        { "kernel",              EC_TRACE_KERNEL  },
        { "Kernel",              EC_TRACE_KERNEL  },
        { "cuda_runtime",        EC_TRACE_LAUNCH  },
        { "cuda_driver",         EC_TRACE_LAUNCH  },
        { "Runtime",             EC_TRACE_LAUNCH  },
        { "hip_runtime",         EC_TRACE_LAUNCH  },
        { "xpu_runtime",         EC_TRACE_LAUNCH  },
        { "privateuse1_runtime", EC_TRACE_LAUNCH  },
        { "gpu_memcpy",          EC_TRACE_COPY    },
        { "Memcpy",              EC_TRACE_COPY    },
        { "gpu_memset",          EC_TRACE_FILL    },
        { "Memset",              EC_TRACE_FILL    },
        { "user_annotation",     EC_TRACE_RANGE   },
        { "python_function",     EC_TRACE_MODULE  },
        { "overhead",            EC_TRACE_PROFILER},
    };
    enum ec_trace_kind kind = EC_TRACE_NONE;
    int i;

    for (i = 0; i < EC_LEN(rows) && !kind; i++)
        if (*rows[i].category == (e->category.len ? *e->category.p : '\0') &&
            ec_span_eq(e->category, rows[i].category))
            kind = rows[i].kind;
    if (kind == EC_TRACE_LAUNCH)
        return has(e->name, "ynchronize") ? EC_TRACE_SYNC
               : has(e->name, "aunch") || has(e->name, "emcpy") || has(e->name, "emset")
                   ? kind
                   : EC_TRACE_NONE;
    if (kind == EC_TRACE_MODULE && !starts(e->name, "nn.Module: "))
        return EC_TRACE_NONE;
    if (kind == EC_TRACE_KERNEL && is_collective(e->name))
        return EC_TRACE_COLLECTIVE;
    if (kind == EC_TRACE_OP && (starts(e->name, "ProfilerStep#") || starts(e->name, "enumerate(") ||
                                starts(e->name, "Optimizer.")))
        return EC_TRACE_RANGE; /* of 2021 */
    return kind;
}

static enum ec_status text_id(struct ec_trace *t, struct ec_span s, uint32_t *ret,
                              struct ec_err *err)
{
    return s.p ? ec__trace_text(t, s, ret, err) : EC_OK;
}

/* Of collectives other members stand in the places of the arguments. */
static enum ec_status what_of(struct ec_trace *t, const struct event *e, enum ec_trace_kind kind,
                              uint32_t *ret, struct ec_err *err)
{
    struct ec_trace_what w = { EC_TRACE_NIL, EC_TRACE_NIL, EC_TRACE_NIL, EC_TRACE_NIL,
                               EC_TRACE_NIL };
    enum ec_status st = EC_OK;
    bool of_collective = e->collective.p != NULL;

    EC_TRY(ec__trace_text(t, e->name, &w.name, err));
    if (kind == EC_TRACE_OP || kind == EC_TRACE_COLLECTIVE) {
        EC_TRY(text_id(t, of_collective ? e->collective : e->dims, &w.dims, err));
        EC_TRY(text_id(t, of_collective ? e->dtype : e->types, &w.types, err));
        EC_TRY(text_id(t, of_collective ? e->elements : e->values, &w.values, err));
        EC_TRY(text_id(t, of_collective ? e->group : e->strides, &w.strides, err));
    }
    EC_TRY(ec__trace_what(t, &w, ret, err));
out:
    return st;
}

static enum ec_status add_event(struct ec_trace *t, const struct event *e, struct ec_err *err)
{
    enum ec_trace_kind kind = ec_span_eq(e->phase, "X") ? kind_of(e) : EC_TRACE_NONE;
    struct ec_trace_event *v = NULL, made = { 0 };
    enum ec_status st = EC_OK;

    t->n_seen++;
    if (!kind)
        return EC_OK;
    if (!since_first(t, e->start, &made.start_ns) || !time_of(e->dur, &made.dur_ns) ||
        made.dur_ns < 0 || made.dur_ns > TIME_MOST_NS) {
        t->n_odd++;
        return EC_OK;
    }
    EC_TRY(what_of(t, e, kind, &made.what, err));
    EC_TRY(ec__trace_lane(t, e->process, e->thread, kind >= EC_TRACE_KERNEL, &made.lane, err));
    made.external = number_of(e->external);
    made.link = number_of(kind == EC_TRACE_OP ? e->sequence : e->call);
    made.kind = (uint8_t)kind;
    EC_TRY(ec__trace_add(t, &v, err));
    if (v)
        *v = made;
out:
    return st;
}

/* --- The window --- */

/* More of the file behind what is not taken yet. */
static enum ec_status refill(struct reader *r, struct ec_err *err)
{
    size_t have = (size_t)(r->c.end - r->c.p), n = 0;
    enum ec_status st = EC_OK;

    if (have && r->c.p > r->buf)
        memmove(r->buf, r->c.p, have);
    if (have == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : WINDOW_BYTES;
        char *buf;

        if (cap > WINDOW_MOST_BYTES)
            return ec_fail(err, EC_E_PARSE, "a value of more than %zu MB: this is no trace",
                           WINDOW_MOST_BYTES >> 20);
        buf = ec_realloc(r->buf, cap);
        if (!buf)
            return ec_nomem(err);
        r->buf = buf;
        r->cap = cap;
    }
    EC_TRY(ec__source_read(&r->source, r->buf + have, r->cap - have, &n, err));
    r->c = (struct cursor){ r->buf, r->buf + have + n };
    r->t->text_bytes += (int64_t)n;
    r->is_over = !n;
    if (r->progress && r->source.done_bytes - r->said_bytes >= PROGRESS_BYTES) {
        r->said_bytes = r->source.done_bytes;
        r->t->is_stopped = !r->progress(r->arg, r->said_bytes, r->source.file_bytes);
    }
out:
    return st;
}

static void cut_here(struct reader *r, const char *what)
{
    r->t->is_cut = true;
    if (!*r->t->cut)
        (void)ec_snprintf(r->t->cut, sizeof r->t->cut, "%s after %lld bytes of JSON, %lld events",
                          what, (long long)(r->t->text_bytes - (r->c.end - r->c.p)),
                          (long long)r->t->n_seen);
}

/* After what was not taken: more of the file, where it has more. */
static enum ec_status go_on(struct reader *r, enum took took, struct ec_err *err)
{
    if (took == MORE && !r->is_over)
        return refill(r, err);
    cut_here(r, took == WRONG ? "what follows is no JSON" : "the file ends");
    return EC_OK;
}

/* Events up to the ']' or the end of the file. */
static enum ec_status events(struct reader *r, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    char ch = 0;

    while (!r->t->is_stopped && !r->t->is_cut) {
        struct cursor c = r->c;
        struct event e = { 0 };
        struct ec_span other;
        enum took took = next(&c, &ch);

        if (!took && (ch == ',' || ch == ']')) {
            r->c.p = c.p + 1;
            if (ch == ']')
                return EC_OK;
            continue;
        }
        if (!took)
            took = ch == '{' ? members_of(&c, outer, EC_LEN(outer), &e) : value(&c, &other);
        if (took) {
            EC_TRY(go_on(r, took, err));
            continue;
        }
        r->c = c;
        if (ch == '{')
            EC_TRY(add_event(r->t, &e, err));
    }
out:
    return st;
}

static void text_member(struct ec_span object, const char *name, char *to, size_t size)
{
    struct cursor c = { object.p, object.p + object.len };
    struct ec_span k, v;

    if (!object.len || *object.p++ != '{')
        return;
    c.p++;
    while (!key(&c, &k) && k.p && !value(&c, &v))
        if (ec_span_eq(k, name)) {
            (void)ec_snprintf(to, size, "%.*s", (int)(v.len < size ? v.len : size - 1), v.p);
            (void)ec_plain_text(to, strlen(to), "");
            return;
        }
}

static void int_member(struct ec_span object, const char *name, int64_t *ret)
{
    char text[32] = "";
    int64_t v;

    text_member(object, name, text, sizeof text);
    if (ec_parse_int(ec_span_of(text), &v) && v >= 0)
        *ret = v;
}

/* The first device that has a name: a file may list all of the machine. */
static void read_devices(struct ec_trace *t, struct ec_span list)
{
    struct cursor c = { list.p + 1, list.p + list.len };
    struct ec_span d;
    char ch;

    if (!list.len || *list.p != '[')
        return;
    while (!next(&c, &ch) && ch != ']') {
        if (ch == ',') {
            c.p++;
            continue;
        }
        if (value(&c, &d))
            return;
        if (!*t->device)
            text_member(d, "name", t->device, sizeof t->device);
    }
}

static void header(struct ec_trace *t, struct ec_span k, struct ec_span v)
{
    if (ec_span_eq(k, "deviceProperties"))
        read_devices(t, v);
    if (ec_span_eq(k, "with_stack"))
        t->with_stack = ec_span_eq(v, "1") || ec_span_eq(v, "true");
    if (ec_span_eq(k, "distributedInfo")) {
        int_member(v, "rank", &t->rank);
        int_member(v, "world_size", &t->ranks);
    }
}

/* The members of the file's object. */
static enum ec_status members(struct reader *r, struct ec_err *err)
{
    enum ec_status st = EC_OK;

    while (!r->t->is_stopped && !r->t->is_cut) {
        struct cursor c = r->c;
        struct ec_span k = { NULL, 0 }, v = { NULL, 0 };
        enum took took = key(&c, &k);
        char ch = 0;

        if (!took && !k.p)
            return EC_OK;
        if (!took)
            took = next(&c, &ch);
        if (!took && ch == '[' && ec_span_eq(k, "traceEvents")) {
            r->c.p = c.p + 1;
            EC_TRY(events(r, err));
            continue;
        }
        if (!took)
            took = value(&c, &v);
        if (took) {
            EC_TRY(go_on(r, took, err));
            continue;
        }
        r->c = c;
        header(r->t, k, v);
    }
out:
    return st;
}

static enum ec_status document(struct reader *r, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    char ch = 0;

    EC_TRY(refill(r, err));
    if (r->c.end - r->c.p >= 3 && !memcmp(r->c.p, "\xef\xbb\xbf", 3))
        r->c.p += 3;
    if (next(&r->c, &ch) || (ch != '{' && ch != '['))
        EC_TRY(ec_fail(err, EC_E_PARSE,
                       "is no trace: expected the JSON of a profiler, which begins with { or ["));
    r->c.p++;
    EC_TRY(ch == '{' ? members(r, err) : events(r, err));
    if (*r->source.cut) {
        r->t->is_cut = true;
        (void)ec_snprintf(r->t->cut, sizeof r->t->cut, "%s, %lld events", r->source.cut,
                          (long long)r->t->n_seen);
    }
    if (!r->t->n_seen && !r->t->is_stopped)
        EC_TRY(ec_fail(err, EC_E_PARSE, "has no events: expected a list \"traceEvents\""));
    EC_TRY(ec__trace_end(r->t, err));
out:
    return st;
}

static enum ec_status read_all(const char *path, const void *data, size_t len,
                               ec_trace_progress progress, void *arg, struct ec_trace *ret,
                               struct ec_err *err)
{
    struct ec_trace t = { 0 };
    struct reader r = { .t = &t, .progress = progress, .arg = arg };
    enum ec_status st;

    EC_TRY(ec__source_open(path, data, len, &r.source, err));
    EC_TRY(ec__trace_begin(&t, err));
    EC_TRY(document(&r, err));
    t.file_bytes = r.source.file_bytes;
    *ret = t;
    t = (struct ec_trace){ 0 };
out:
    if (st && r.source.fd >= 0 && !data)
        ec_err_prefix(err, "%s: ", path);
    ec__source_close(&r.source);
    ec_free(r.buf);
    ec_trace_clear(&t);
    return st;
}

enum ec_status ec_trace_read(const char *path, ec_trace_progress progress, void *arg,
                             struct ec_trace *ret, struct ec_err *err)
{
    return read_all(path, NULL, 0, progress, arg, ret, err);
}

enum ec_status ec_trace_parse(const void *data, size_t len, struct ec_trace *ret,
                              struct ec_err *err)
{
    return read_all("trace", data, len, NULL, NULL, ret, err);
}
