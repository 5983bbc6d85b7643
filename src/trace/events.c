/* The table of events: names in a pool, equal arguments once, order, and durations that cannot be.
 */
#include "trace/operators.h"

#include <stdlib.h>
#include <string.h>

#include "trace_names.h"

#define TEXT_MOST_BYTES EC_SIZE_BOUND((uint64_t)1 << 30)
/* A duration is refused when it reaches by more than half of itself, and by more than this, into
 * what follows on its stream: kernels may overlap a little, and old files have whole microseconds.
 */
#define OVERLAP_NS 10000

#define TIME_MOST_NS ((int64_t)1 << 60) /* 36 years */

struct ec__trace_pool {
    struct ec__index text, what, lane;
    char *decoded; /* room for one name */
    int cap_decoded;
};

enum ec_status ec__trace_begin(struct ec_trace *t, struct ec_err *err)
{
    *t = (struct ec_trace){ .rank = -1 };
    t->arena.max_bytes = TEXT_MOST_BYTES;
    t->pool = ec_alloc(sizeof *t->pool);
    return t->pool ? EC_OK : ec_nomem(err);
}

static void pool_free(struct ec_trace *t)
{
    struct ec__trace_pool *p = t->pool;

    if (!p)
        return;
    ec_free(p->text.slot);
    ec_free(p->what.slot);
    ec_free(p->lane.slot);
    ec_free(p->decoded);
    ec_free(p);
    t->pool = NULL;
}

void ec_trace_clear(struct ec_trace *t)
{
    pool_free(t);
    ec_free(t->v);
    ec_free(t->what);
    ec_free(t->text);
    ec_free(t->lane);
    ec_arena_clear(&t->arena);
    *t = (struct ec_trace){ 0 };
}

static size_t decode(const char *p, size_t len, char *to)
{
    size_t n = 0, i;

    for (i = 0; i < len; i++) {
        if (p[i] != '\\' || i + 1 == len) {
            to[n++] = p[i];
            continue;
        }
        i++;
        if (p[i] == 'u') {
            unsigned v = 0, k;

            for (k = 1; k <= 4 && i + k < len; k++)
                v = v * 16 +
                    (unsigned)(p[i + k] <= '9' ? p[i + k] - '0' : (p[i + k] | 32) - 'a' + 10);
            i += k - 1;
            to[n++] = v >= 32 && v < 127 ? (char)v : '?';
        } else {
            to[n++] = p[i] == 'n' || p[i] == 't' || p[i] == 'r' ? ' ' : p[i];
        }
    }
    return n;
}

enum ec_status ec__trace_text(struct ec_trace *t, struct ec_span name, uint32_t *ret,
                              struct ec_err *err)
{
    struct ec__trace_pool *p = t->pool;

    if (name.len > INT32_MAX / 2)
        name.len = INT32_MAX / 2;
    if (name.len && memchr(name.p, '\\', name.len)) {
        EC_PASS(ec_grow(&p->decoded, &p->cap_decoded, (int)name.len, 1, err));
        name = (struct ec_span){ p->decoded, decode(name.p, name.len, p->decoded) };
    }
    EC_PASS(ec__index_find(&p->text, t->text, 0, name.p, name.len, ret, err));
    if (*ret < (uint32_t)t->n_text)
        return EC_OK;
    EC_PASS(ec_grow(&t->text, &t->cap_text, t->n_text + 1, sizeof *t->text, err));
    t->text[t->n_text] = ec_arena_strn(&t->arena, name.p ? name.p : "", name.len);
    if (!t->text[t->n_text++])
        return ec_nomem(err);
    return EC_OK;
}

static enum ec_status add_what(struct ec_trace *t, const struct ec_trace_what *what, uint32_t *ret,
                               struct ec_err *err)
{
    EC_PASS(ec__index_find(&t->pool->what, t->what, sizeof *what, what, sizeof *what, ret, err));
    if (*ret == (uint32_t)t->n_what) {
        EC_PASS(ec_grow(&t->what, &t->cap_what, t->n_what + 1, sizeof *what, err));
        t->what[t->n_what++] = *what;
    }
    return EC_OK;
}

static enum ec_status add_lane(struct ec_trace *t, struct ec_span process, struct ec_span thread,
                               bool of_device, uint16_t *ret, struct ec_err *err)
{
    struct ec_trace_lane lane = { .of_device = of_device };
    uint32_t at;

    EC_PASS(ec__trace_text(t, process, &lane.process, err));
    EC_PASS(ec__trace_text(t, thread, &lane.thread, err));
    EC_PASS(ec__index_find(&t->pool->lane, t->lane, sizeof lane, &lane, sizeof lane, &at, err));
    if (at == (uint32_t)t->n_lanes) {
        EC_PASS(ec_grow(&t->lane, &t->cap_lanes, t->n_lanes + 1, sizeof lane, err));
        t->lane[t->n_lanes++] = lane;
    }
    *ret = (uint16_t)(at < EC_TRACE_LANES_MOST ? at : EC_TRACE_LANES_MOST - 1);
    return EC_OK;
}

/* The next event, zeroed; NULL with EC_OK: there are as many as are held. */
static enum ec_status add_event(struct ec_trace *t, struct ec_trace_event **ret, struct ec_err *err)
{
    *ret = NULL;
    if (t->n >= EC__TRACE_EVENTS_MAX) {
        t->is_cut = true;
        (void)ec_snprintf(t->cut, sizeof t->cut, "more than %d events: later ones are left out",
                          EC__TRACE_EVENTS_MAX);
        return EC_OK;
    }
    EC_PASS(ec_grow(&t->v, &t->cap, t->n + 1, sizeof *t->v, err));
    *ret = &t->v[t->n++];
    **ret = (struct ec_trace_event){ 0 };
    return EC_OK;
}

static int by_start(const void *a, const void *b, void *arg)
{
    const struct ec_trace_event *v = arg, *x = &v[*(const uint32_t *)a];
    const struct ec_trace_event *y = &v[*(const uint32_t *)b];

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

enum ec_status ec__trace_sorted(const struct ec_trace *t, unsigned kinds, uint32_t **ret,
                                int *ret_n, struct ec_err *err)
{
    uint32_t *list;
    int n = 0, i;

    for (i = 0; i < t->n; i++)
        n += (kinds >> t->v[i].kind & 1) != 0;
    list = ec_alloc(sizeof *list * ((size_t)n + 1));
    EC_PASS(ec_allocated(list, err));
    for (n = i = 0; i < t->n; i++)
        if (kinds >> t->v[i].kind & 1)
            list[n++] = (uint32_t)i;
    qsort_r(list, (size_t)n, sizeof *list, by_start, t->v);
    *ret = list;
    *ret_n = n;
    return EC_OK;
}

/* By the names of kernels. */
static enum ec_status find_collectives(struct ec_trace *t, struct ec_err *err)
{
    enum { UNKNOWN, COLLECTIVE, OTHER };
    uint8_t *is = ec_alloc((size_t)t->n_text + 1); /* by text */
    struct ec_csv rows = { 0 };
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_allocated(is, err));
    EC_TRY(ec__kernels_read(&rows, err));
    for (i = 0; i < t->n; i++) {
        struct ec_trace_event *e = &t->v[i];
        uint32_t name = t->what[e->what].name;

        if (e->kind != EC_TRACE_KERNEL)
            continue;
        if (is[name] == UNKNOWN)
            is[name] =
                ec_str_eq(ec__kernel_kind(&rows, t->text[name]), "collective") ? COLLECTIVE : OTHER;
        if (is[name] == COLLECTIVE)
            e->kind = EC_TRACE_COLLECTIVE;
    }
out:
    ec_csv_clear(&rows);
    ec_free(is);
    return st;
}

enum ec_status ec__trace_end(struct ec_trace *t, struct ec_err *err)
{
    uint32_t *list = NULL, *last = NULL;
    enum ec_status st = EC_OK;
    int n = 0, i;

    pool_free(t);
    EC_TRY(find_collectives(t, err));
    EC_TRY(ec__trace_sorted(t, EC__TRACE_OF_DEVICE, &list, &n, err));
    last = ec_alloc(sizeof *last * ((size_t)t->n_lanes + 1));
    EC_TRY(ec_allocated(last, err));
    for (i = 0; i < n; i++) {
        struct ec_trace_event *e = &t->v[list[i]];
        struct ec_trace_event *before = last[e->lane] ? &t->v[last[e->lane] - 1] : NULL;
        int64_t over = before ? ec_trace_end(before) - e->start_ns : 0;

        if (over > OVERLAP_NS && over > before->dur_ns / 2) {
            before->kind = EC_TRACE_NONE;
            t->n_refused++;
        }
        last[e->lane] = list[i] + 1;
    }
    t->has_device = n > t->n_refused;
out:
    ec_free(last);
    ec_free(list);
    return st;
}

/* --- An event as a file has it --- */

static uint32_t number_of(struct ec_span s)
{
    int64_t v;

    return ec_parse_int(s, &v) && v > 0 && v < UINT32_MAX ? (uint32_t)v : 0;
}

static bool starts(struct ec_span s, const char *prefix)
{
    size_t len = strlen(prefix);

    return s.len >= len && !memcmp(s.p, prefix, len);
}

/* Categories of 2021 and of today; what is not here is passed over: flows, counters, frames of
 * Python, the device's copies of annotations. */
static enum ec_trace_kind kind_of(const struct ec__seen *e)
{
    static const struct {
        const char *category;
        enum ec_trace_kind kind;
    } rows[] = {
#define CATEGORY(name, kind) { name, EC_TRACE_##kind },
        TRACE_CATEGORIES(CATEGORY)
#undef CATEGORY
    };
    enum ec_trace_kind kind = EC_TRACE_NONE;
    int i;

    for (i = 0; i < EC_LEN(rows) && !kind; i++)
        if (*rows[i].category == (e->category.len ? *e->category.p : '\0') &&
            ec_span_eq(e->category, rows[i].category))
            kind = rows[i].kind;
    if (kind == EC_TRACE_LAUNCH)
        return ec_span_holds(e->name, "ynchronize") ? EC_TRACE_SYNC
               : ec_span_holds(e->name, "aunch") || ec_span_holds(e->name, "emcpy") ||
                       ec_span_holds(e->name, "emset")
                   ? kind
                   : EC_TRACE_NONE;
    if (kind == EC_TRACE_MODULE && !starts(e->name, "nn.Module: "))
        return EC_TRACE_NONE;
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
static enum ec_status what_of(struct ec_trace *t, const struct ec__seen *e, enum ec_trace_kind kind,
                              uint32_t *ret, struct ec_err *err)
{
    struct ec_trace_what w = { EC_TRACE_NIL, EC_TRACE_NIL, EC_TRACE_NIL, EC_TRACE_NIL,
                               EC_TRACE_NIL };
    bool of_collective = e->collective.p != NULL;

    EC_PASS(ec__trace_text(t, e->name, &w.name, err));
    if (kind == EC_TRACE_OP || of_collective) {
        EC_PASS(text_id(t, of_collective ? e->collective : e->dims, &w.dims, err));
        EC_PASS(text_id(t, of_collective ? e->dtype : e->types, &w.types, err));
        EC_PASS(text_id(t, of_collective ? e->elements : e->values, &w.values, err));
        EC_PASS(text_id(t, of_collective ? e->group : e->strides, &w.strides, err));
    }
    return add_what(t, &w, ret, err);
}

enum ec_status ec__trace_see(struct ec_trace *t, const struct ec__seen *e, struct ec_err *err)
{
    enum ec_trace_kind kind = ec_span_eq(e->phase, "X") ? kind_of(e) : EC_TRACE_NONE;
    struct ec_trace_event *v = NULL, made = { .dur_ns = e->dur_ns, .kind = (uint8_t)kind };
    int64_t base = t->n ? t->base_ns : e->start_ns;

    t->n_seen++;
    if (!kind)
        return EC_OK;
    /* Since the first event: the sums of two are in range whatever the file has. */
    if (!e->is_timed || __builtin_sub_overflow(e->start_ns, base, &made.start_ns) ||
        made.start_ns > TIME_MOST_NS || made.start_ns < -TIME_MOST_NS || made.dur_ns < 0 ||
        made.dur_ns > TIME_MOST_NS) {
        t->n_odd++;
        return EC_OK;
    }
    t->base_ns = base;
    EC_PASS(what_of(t, e, kind, &made.what, err));
    EC_PASS(add_lane(t, e->process, e->thread, kind >= EC_TRACE_KERNEL, &made.lane, err));
    made.external = number_of(e->external);
    made.link = number_of(kind == EC_TRACE_OP ? e->sequence : e->call);
    EC_PASS(add_event(t, &v, err));
    if (v)
        *v = made;
    return EC_OK;
}
