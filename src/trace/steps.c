/* Steps of a trace: by the profiler's marks, by an annotation, by the period of the kernels. */
#include "trace/trace_internal.h"

#include <stdlib.h>

#define STEP_MARK "ProfilerStep#"
#define PERIODS_LEAST 2

void ec_trace_steps_clear(struct ec_trace_steps *s)
{
    ec_free(s->v);
    ec_free(s->of);
    *s = (struct ec_trace_steps){ 0 };
}

static enum ec_status add_step(struct ec_trace_steps *s, int *cap, int64_t from, int64_t to,
                               struct ec_err *err)
{
    EC_PASS(ec_grow(&s->v, cap, s->n + 1, sizeof *s->v, err));
    s->v[s->n++] = (struct ec_trace_step){ .from_ns = from, .to_ns = to };
    return EC_OK;
}

/* Ranges whose names are alike but for their numbers, that do not overlap: a candidate. */
struct alike {
    char name[64];
    const char *text; /* of the first */
    int n;
    int64_t total_ns, begin_ns, end_ns;
    bool overlaps;
};

static void without_numbers(const char *name, char *to, size_t size)
{
    size_t n = 0;

    for (; *name && n + 1 < size; name++)
        if (*name < '0' || *name > '9')
            to[n++] = *name;
    to[n] = '\0';
}

#define ALIKE_MOST 256 /* annotations of different names; further ones are no steps */

static int alike_of(const struct alike *a, int n, const char *name)
{
    int i;

    for (i = 0; i < n; i++)
        if (ec_str_eq(a[i].name, name))
            break;
    return i;
}

/* The annotation that covers most time, that of the profiler if it is there. Between its first and
 * its last it covers at least half: the optimizer is no step. */
static int best_annotation(const struct ec_trace *t, const uint32_t *list, int n, struct alike *a)
{
    int n_alike = 0, best = -1, i;

    for (i = 0; i < n; i++) {
        const struct ec_trace_event *e = &t->v[list[i]];
        char name[64];
        int at;

        without_numbers(ec_trace_name(t, e), name, sizeof name);
        at = alike_of(a, n_alike, name);
        if (at == ALIKE_MOST)
            continue;
        if (at == n_alike) {
            a[n_alike] = (struct alike){ .text = ec_trace_name(t, e),
                                         .begin_ns = e->start_ns,
                                         .end_ns = e->start_ns };
            (void)ec_snprintf(a[n_alike++].name, sizeof a[at].name, "%s", name);
        }
        a[at].n++;
        a[at].overlaps |= e->start_ns < a[at].end_ns;
        a[at].end_ns = ec_trace_end(e);
        a[at].total_ns += e->dur_ns;
    }
    for (i = 0; i < n_alike; i++) {
        if (ec_str_eq(a[i].name, STEP_MARK))
            return i;
        if (a[i].n >= PERIODS_LEAST && !a[i].overlaps &&
            a[i].total_ns >= (a[i].end_ns - a[i].begin_ns) / 2 &&
            (best < 0 || a[i].total_ns > a[best].total_ns))
            best = i;
    }
    return best;
}

static enum ec_status by_annotation(const struct ec_trace *t, struct ec_trace_steps *s,
                                    struct ec_err *err)
{
    struct alike *a = ec_alloc(sizeof *a * ALIKE_MOST);
    uint32_t *list = NULL;
    enum ec_status st = EC_OK;
    int n = 0, cap = 0, best, i;

    EC_TRY(ec_allocated(a, err));
    EC_TRY(ec__trace_sorted(t, EC__TRACE_KIND(RANGE), &list, &n, err));
    best = best_annotation(t, list, n, a);
    for (i = 0; best >= 0 && i < n; i++) {
        const struct ec_trace_event *e = &t->v[list[i]];
        char name[64];

        without_numbers(ec_trace_name(t, e), name, sizeof name);
        if (ec_str_eq(name, a[best].name))
            EC_TRY(add_step(s, &cap, e->start_ns, ec_trace_end(e), err));
    }
    if (s->n)
        (void)ec_snprintf(s->found, sizeof s->found, "by the annotation %.60s",
                          ec_str_eq(a[best].name, STEP_MARK) ? "ProfilerStep" : a[best].text);
out:
    ec_free(list);
    ec_free(a);
    return st;
}

/* The longest end of the sequence that is a whole number of equal periods, at least two, and at
 * least half of all: by the borders of its prefixes when read from its end (Knuth, Morris, Pratt).
 */
static int period_of(const uint32_t *name, int n, int *border)
{
    int best = 0, i, k = 0;

    for (i = 1; i < n; i++) {
        while (k && name[n - 1 - i] != name[n - 1 - k])
            k = border[k - 1];
        k += name[n - 1 - i] == name[n - 1 - k];
        border[i] = k;
        if (k && (i + 1) / (i + 1 - k) >= PERIODS_LEAST && i + 1 >= n / 2)
            best = i + 1 - k;
    }
    return best;
}

static enum ec_status by_period(const struct ec_trace *t, const uint32_t *list, int n,
                                struct ec_trace_steps *s, struct ec_err *err)
{
    uint32_t *name = ec_alloc(sizeof *name * ((size_t)n + 1));
    uint32_t *at = ec_alloc(sizeof *at * ((size_t)n + 1));
    int *border = ec_alloc(sizeof *border * ((size_t)n + 1));
    enum ec_status st = EC_OK;
    int n_kernels = 0, cap = 0, period, i;

    EC_TRY(ec_allocated(name && border && at, err));
    for (i = 0; i < n; i++)
        if (t->v[list[i]].kind == EC_TRACE_KERNEL) {
            at[n_kernels] = list[i];
            name[n_kernels++] = t->what[t->v[list[i]].what].name;
        }
    period = period_of(name, n_kernels, border);
    for (i = period ? n_kernels % period : n_kernels; i < n_kernels; i += period)
        EC_TRY(
            add_step(s, &cap, t->v[at[i]].start_ns, ec_trace_end(&t->v[at[i + period - 1]]), err));
    if (s->n)
        (void)ec_snprintf(s->found, sizeof s->found,
                          "by the sequence of kernels, which repeats after %d", period);
out:
    ec_free(name);
    ec_free(border);
    ec_free(at);
    return st;
}

static enum ec_status whole(const struct ec_trace *t, struct ec_trace_steps *s, struct ec_err *err)
{
    int64_t from = INT64_MAX, to = INT64_MIN;
    int i, cap = 0;

    for (i = 0; i < t->n; i++) {
        if (t->has_device ? !ec_trace_of_device(&t->v[i]) : t->v[i].kind == EC_TRACE_NONE)
            continue;
        from = t->v[i].start_ns < from ? t->v[i].start_ns : from;
        to = ec_trace_end(&t->v[i]) > to ? ec_trace_end(&t->v[i]) : to;
    }
    if (from > to)
        return ec_fail(err, EC_E_PARSE,
                       "has no kernels and no operators: expected a trace of the PyTorch profiler");
    (void)ec_snprintf(s->found, sizeof s->found, "all of the trace, since no steps were found");
    return add_step(s, &cap, from, to, err);
}

/* The last step that begins at or before the time; -1: none. After the end of the last: n. */
static int step_at(const struct ec_trace_steps *s, int64_t at)
{
    int next;

    if (at >= s->v[s->n - 1].to_ns)
        return s->n;
    EC__FIRST(next, s->n, s->v[mid].from_ns > at);
    return next - 1;
}

#define NO_LAUNCHES INT32_MIN

/* The step in which the work of a device was launched; what has no launch is of the step of what
 * runs before it on its stream. Of a stream without launches, as of_device all are, by the time on
 * the device. */
static enum ec_status assign(const struct ec_trace *t, const uint32_t *up, const uint32_t *list,
                             int n, bool of_device, struct ec_trace_steps *s, struct ec_err *err)
{
    int32_t *last = ec_alloc(sizeof *last * ((size_t)t->n_lanes + 1));
    enum ec_status st = EC_OK;
    int i;

    s->of = ec_alloc(sizeof *s->of * ((size_t)t->n + 1));
    EC_TRY(ec_allocated(last && s->of, err));
    for (i = 0; i < t->n_lanes; i++)
        last[i] = NO_LAUNCHES;
    for (i = 0; i < n && !of_device; i++)
        if (ec__trace_launch(t, up, list[i]))
            last[t->v[list[i]].lane] = -1;
    for (i = 0; i < n; i++) {
        const struct ec_trace_event *e = &t->v[list[i]];
        const struct ec_trace_event *launch = ec__trace_launch(t, up, list[i]);

        if (launch && last[e->lane] != NO_LAUNCHES)
            last[e->lane] = step_at(s, launch->start_ns);
        s->of[list[i]] = last[e->lane] == NO_LAUNCHES ? step_at(s, e->start_ns) : last[e->lane];
    }
out:
    ec_free(last);
    return st;
}

/* Moves the borders between steps to where the device ends what was launched before. */
static void move_borders(const struct ec_trace *t, const uint32_t *list, int n,
                         struct ec_trace_steps *s)
{
    int64_t end = INT64_MIN, host_end = s->v[s->n - 1].to_ns;
    int i;

    for (i = 0; i < s->n; i++)
        s->v[i].to_ns = INT64_MIN; /* the last end on the device */
    for (i = 0; i < n; i++) {
        int step = s->of[list[i]];
        int64_t to = ec_trace_end(&t->v[list[i]]);

        if (step < 0)
            end = to > end ? to : end;
        else if (step < s->n && to > s->v[step].to_ns)
            s->v[step].to_ns = to;
    }
    for (i = 0; i < s->n; i++) {
        s->v[i].from_ns = end > s->v[i].from_ns ? end : s->v[i].from_ns;
        end = s->v[i].to_ns > end ? s->v[i].to_ns : end;
        if (i)
            s->v[i - 1].to_ns = s->v[i].from_ns;
    }
    s->v[s->n - 1].to_ns = end > host_end ? end : host_end;
}

static int by_duration(const void *a, const void *b, void *arg)
{
    const struct ec_trace_step *v = arg, *x = &v[*(const int *)a], *y = &v[*(const int *)b];
    int64_t dx = x->to_ns - x->from_ns, dy = y->to_ns - y->from_ns;

    return dx != dy ? (dx < dy ? -1 : 1) : x < y ? -1 : x > y;
}

static enum ec_status choose_median(struct ec_trace_steps *s, struct ec_err *err)
{
    int *order = ec_alloc(sizeof *order * (size_t)s->n), n, i;

    EC_PASS(ec_allocated(order, err));
    s->n_out = s->n > 1;
    n = s->n - s->n_out;
    for (i = 0; i < n; i++)
        order[i] = s->n_out + i;
    qsort_r(order, (size_t)n, sizeof *order, by_duration, s->v);
    s->median = order[(n - 1) / 2];
    ec_free(order);
    return EC_OK;
}

enum ec_status ec_trace_find_steps(const struct ec_trace *t, const uint32_t *up,
                                   struct ec_trace_steps *ret, struct ec_err *err)
{
    struct ec_trace_steps s = { 0 };
    uint32_t *list = NULL;
    enum ec_status st = EC_OK;
    bool of_device = false;
    int n = 0;

    EC_TRY(ec__trace_sorted(t, EC__TRACE_OF_DEVICE, &list, &n, err));
    EC_TRY(by_annotation(t, &s, err));
    if (!s.n) {
        of_device = true;
        EC_TRY(by_period(t, list, n, &s, err));
    }
    if (!s.n)
        EC_TRY(whole(t, &s, err));
    EC_TRY(assign(t, up, list, n, of_device, &s, err));
    if (!of_device)
        move_borders(t, list, n, &s);
    EC_TRY(choose_median(&s, err));
    *ret = s;
    s = (struct ec_trace_steps){ 0 };
out:
    ec_trace_steps_clear(&s);
    ec_free(list);
    return st;
}
