/* Traces of Kineto and of Chrome, as JSON: a tokenizer that takes one event at a time out of a
 * window over the file. It is no checker: what it does not need is passed over, numbers may be odd,
 * and only what it cannot follow is refused. The strict reader of JSON is base's. */
#include "trace/trace_internal.h"

#include <math.h>
#include <string.h>

#define WINDOW_BYTES ((size_t)1 << 20)
#define WINDOW_MOST_BYTES ((size_t)64 << 20) /* one event, or one value of the header */
#define HEADER_MOST_BYTES ((size_t)16 << 20) /* of the devices, read */
#define PROGRESS_BYTES ((int64_t)16 << 20)
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
    const char *dot = s.len ? memchr(s.p, '.', s.len) : NULL;
    size_t whole = dot ? (size_t)(dot - s.p) : s.len, n = dot ? s.len - whole - 1 : 0;
    char text[32] = "";
    double d;

    if (whole && whole < sizeof text - 3 && (!dot || strspn(dot + 1, "0123456789") >= n)) {
        memcpy(text, s.p, whole);
        memset(text + whole, '0', 3);
        memcpy(text + whole, dot ? dot + 1 : s.p, n < 3 ? n : 3);
        if (ec_parse_int((struct ec_span){ text, whole + 3 }, ret_ns))
            return true;
    }
    if (!ec_parse_double(s, &d) || fabs(d) > TIME_MOST_US) /* 1.5e6 */
        return false;
    *ret_ns = (int64_t)(d * 1e3);
    return true;
}

struct member {
    const char *key;
    size_t at;
};
#define MEMBER(key, field)                                                                         \
    {                                                                                              \
        key, offsetof(struct ec__seen, field)                                                      \
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
                 struct ec__seen *e)
{
    int i;

    for (i = 0; i < n; i++)
        if (of[i].key[0] == *k.p && ec_span_eq(k, of[i].key)) {
            memcpy((char *)e + of[i].at, &v, sizeof v);
            return;
        }
}

/* An event at its '{', or what stands in its "args". */
static enum took members_of(struct cursor *c, const struct member *of, int n, struct ec__seen *e)
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

/* --- The window --- */

/* More of the file behind what is not taken yet. */
static enum ec_status refill(struct reader *r, struct ec_err *err)
{
    size_t have = (size_t)(r->c.end - r->c.p), n = 0;

    if (have && r->c.p > r->buf)
        memmove(r->buf, r->c.p, have);
    if (have == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : WINDOW_BYTES;
        char *buf;

        if (cap > WINDOW_MOST_BYTES)
            return ec_fail(err, EC_E_PARSE, "a value of more than %zu MB: this is no trace",
                           WINDOW_MOST_BYTES >> 20);
        buf = ec_realloc(r->buf, cap);
        EC_PASS(ec_allocated(buf, err));
        r->buf = buf;
        r->cap = cap;
    }
    EC_PASS(ec__source_read(&r->source, r->buf + have, r->cap - have, &n, err));
    r->c = (struct cursor){ r->buf, r->buf + have + n };
    r->t->text_bytes += (int64_t)n;
    r->is_over = !n;
    if (r->progress && r->source.done_bytes - r->said_bytes >= PROGRESS_BYTES) {
        r->said_bytes = r->source.done_bytes;
        r->t->is_stopped = !r->progress(r->arg, r->said_bytes, r->source.file_bytes);
    }
    return EC_OK;
}

static void cut_here(struct reader *r, const char *what)
{
    r->t->is_cut = true;
    if (!*r->t->cut)
        (void)ec_snprintf(r->t->cut, sizeof r->t->cut, "%s after %lld bytes of JSON and event %lld",
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
    char ch = 0;

    while (!r->t->is_stopped && !r->t->is_cut) {
        struct cursor c = r->c;
        struct ec__seen e = { 0 };
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
            EC_PASS(go_on(r, took, err));
            continue;
        }
        r->c = c;
        e.is_timed = time_of(e.start, &e.start_ns) && time_of(e.dur, &e.dur_ns);
        if (ch == '{')
            EC_PASS(ec__trace_see(r->t, &e, err));
    }
    return EC_OK;
}

static void int_member(const struct ec_jval *object, const char *name, int64_t *ret)
{
    const struct ec_jval *v = ec_json_get(object, name);

    if (v && v->type == EC_J_NUM && v->is_int && v->i >= 0)
        *ret = v->i;
}

static void header(struct ec_trace *t, struct ec_span k, struct ec_span v)
{
    bool of_devices = ec_span_eq(k, "deviceProperties");
    const struct ec_jval *doc = NULL, *d;
    struct ec_arena a = { .max_bytes = HEADER_MOST_BYTES };

    if (ec_span_eq(k, "with_stack"))
        t->with_stack = ec_span_eq(v, "1") || ec_span_eq(v, "true");
    if ((of_devices || ec_span_eq(k, "distributedInfo")) &&
        !ec_json_parse(v.p, v.len, &a, &doc, NULL)) {
        int_member(doc, "rank", &t->rank);
        int_member(doc, "world_size", &t->ranks);
        /* The first device that has a name: a file may list all of the machine. */
        for (d = of_devices ? doc->child : NULL; d && !*t->device; d = d->next) {
            const struct ec_jval *name = ec_json_get(d, "name");

            if (name && name->type == EC_J_STR) {
                (void)ec_snprintf(t->device, sizeof t->device, "%s", name->str);
                (void)ec_plain_text(t->device, strlen(t->device), "");
            }
        }
    }
    ec_arena_clear(&a);
}

/* The members of the file's object. */
static enum ec_status members(struct reader *r, struct ec_err *err)
{
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
            EC_PASS(events(r, err));
            continue;
        }
        if (!took)
            took = value(&c, &v);
        if (took) {
            EC_PASS(go_on(r, took, err));
            continue;
        }
        r->c = c;
        header(r->t, k, v);
    }
    return EC_OK;
}

static enum ec_status document(struct reader *r, struct ec_err *err)
{
    char ch = 0;

    if (r->c.end - r->c.p >= 3 && !memcmp(r->c.p, "\xef\xbb\xbf", 3))
        r->c.p += 3;
    if (next(&r->c, &ch) || (ch != '{' && ch != '['))
        return ec_fail(err, EC_E_PARSE, "%s",
                       r->c.p == r->c.end ? "is empty: expected the JSON of a profiler"
                       : *r->c.p == '\xff' || *r->c.p == '\xfe' || !*r->c.p
                           ? "is no trace: expected the JSON of a profiler in UTF-8"
                           : ("is no trace: expected the JSON of a profiler, which begins with { "
                              "or [; of Nsight Systems what nsys export --type sqlite writes"));
    r->c.p++;
    EC_PASS(ch == '{' ? members(r, err) : events(r, err));
    if (*r->source.cut) {
        r->t->is_cut = true;
        (void)ec_snprintf(r->t->cut, sizeof r->t->cut, "%s, after event %lld", r->source.cut,
                          (long long)r->t->n_seen);
    }
    if (!r->t->n_seen && !r->t->is_stopped)
        return ec_fail(err, EC_E_PARSE, "has no events: expected a list \"traceEvents\"");
    return ec__trace_end(r->t, err);
}

static enum ec_status read_all(const char *path, const void *data, size_t len, int gpu,
                               ec_trace_progress progress, void *arg, struct ec_trace *ret,
                               struct ec_err *err)
{
    struct ec_trace t = { 0 };
    struct reader r = { .t = &t, .progress = progress, .arg = arg };
    enum ec_status st;

    EC_TRY(ec__source_open(path, data, len, &r.source, err));
    EC_TRY(ec__trace_begin(&t, err));
    EC_TRY(refill(&r, err));
    t.gpu = gpu;
    if (r.c.end - r.c.p > 16 && !memcmp(r.c.p, "SQLite format 3", 16))
        EC_TRY(ec__nsys_read(path, (void *)data, data ? len : (size_t)r.source.file_bytes, progress,
                             arg, &t, err));
    else
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

enum ec_status ec_trace_read(const char *path, int gpu, ec_trace_progress progress, void *arg,
                             struct ec_trace *ret, struct ec_err *err)
{
    return read_all(path, NULL, 0, gpu, progress, arg, ret, err);
}

enum ec_status ec_trace_parse(const void *data, size_t len, struct ec_trace *ret,
                              struct ec_err *err)
{
    return read_all("trace", data, len, 0, NULL, NULL, ret, err);
}
