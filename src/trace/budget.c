/* The budget of steps: unions of time, not sums. Idle time is told apart by what the host did. */
#include "trace/trace_internal.h"

#include <math.h>
#include <string.h>

#define PART_LABEL(id, label) label,
const char *const ec_trace_part_labels[EC_TRACE_PARTS] = { EC_TRACE_PART_LIST(PART_LABEL) };

static bool is_loader(const char *range)
{
    return strstr(range, "DataLoader") && strstr(range, "next");
}

/* An operator whose value the host reads: it waits for the device. */
static bool is_reading(const char *op)
{
    return ec_str_eq(op, "aten::item") || ec_str_eq(op, "aten::_local_scalar_dense") ||
           ec_str_eq(op, "aten::nonzero");
}

static enum ec_status take(const struct ec_trace *t, unsigned kinds, bool (*wanted)(const char *),
                           struct ec__set *ret, struct ec_err *err)
{
    int i;

    for (i = 0; i < t->n; i++) {
        const struct ec_trace_event *e = &t->v[i];

        if (kinds >> e->kind & 1 && (!wanted || wanted(ec_trace_name(t, e))))
            EC_PASS(ec__set_add(ret, e->start_ns, ec_trace_end(e), err));
    }
    ec__set_unite(ret);
    return EC_OK;
}

/* Between the end of what a device did, at first `done`, and what it does next: up to the end of
 * that one's launch, where the launch began after the device was done. */
static enum ec_status late_launches(const struct ec_trace *t, const uint32_t *up, int64_t done,
                                    struct ec__set *ret, struct ec_err *err)
{
    uint32_t *list = NULL;
    enum ec_status st = EC_OK;
    int n = 0, i;

    EC_TRY(ec__trace_sorted(t, EC__TRACE_OF_DEVICE, &list, &n, err));
    for (i = 0; i < n; i++) {
        const struct ec_trace_event *e = &t->v[list[i]];
        const struct ec_trace_event *launch = ec__trace_launch(t, up, list[i]);

        if (launch && launch->start_ns >= done) {
            int64_t end = ec_trace_end(launch);

            EC_TRY(ec__set_add(ret, done, end < e->start_ns ? end : e->start_ns, err));
        }
        done = ec_trace_end(e) > done ? ec_trace_end(e) : done;
    }
    ec__set_unite(ret);
out:
    ec_free(list);
    return st;
}

/* What takes of the time that those before it have left. */
static const struct {
    enum ec_trace_part part;
    unsigned kinds;
    bool (*wanted)(const char *); /* NULL: all of these kinds */
} takers[] = {
    {EC_TRACE_PART_compute,        EC__TRACE_KIND(KERNEL),                      NULL      },
    { EC_TRACE_PART_communication, EC__TRACE_KIND(COLLECTIVE),                  NULL      },
    { EC_TRACE_PART_copies,        EC__TRACE_KIND(COPY) | EC__TRACE_KIND(FILL), NULL      },
    { EC_TRACE_PART_loader,        EC__TRACE_KIND(RANGE),                       is_loader },
    { EC_TRACE_PART_sync,          EC__TRACE_KIND(SYNC),                        NULL      },
    { EC_TRACE_PART_sync,          EC__TRACE_KIND(OP),                          is_reading},
    { EC_TRACE_PART_profiler,      EC__TRACE_KIND(PROFILER),                    NULL      },
};

static void add_part(struct ec_trace_steps *s, enum ec_trace_part part, const struct ec__set *of,
                     double times)
{
    int i;

    for (i = 0; i < s->n; i++) {
        double ns = times * ec__set_within(of, s->v[i].from_ns, s->v[i].to_ns);

        s->v[i].part_ns[part] = fmax(0, s->v[i].part_ns[part] + ns); /* of years: rounded */
    }
}

/* Takes from `rest` what it has in common with `of`, which is cleared: the part is what is gone. */
static enum ec_status move_part(struct ec_trace_steps *s, enum ec_trace_part part,
                                struct ec__set *rest, struct ec__set *of, struct ec_err *err)
{
    enum ec_status st = EC_OK;

    add_part(s, part, rest, 1);
    EC_TRY(ec__set_take(rest, of, err));
    add_part(s, part, rest, -1);
out:
    ec__set_clear(of);
    return st;
}

static bool is_other_process(const char *range)
{
    return strstr(range, "MultiProcessing") != NULL;
}

enum ec_status ec_trace_budget(const struct ec_trace *t, const uint32_t *up,
                               struct ec_trace_steps *s, struct ec_err *err)
{
    struct ec__set rest = { 0 }, of = { 0 };
    int64_t begin = s->v[0].from_ns, end = begin;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < s->n; i++) /* those of kernels on several streams may overlap */
        end = s->v[i].to_ns > end ? s->v[i].to_ns : end;
    EC_TRY(ec__set_add(&rest, begin, end, err));
    for (i = 0; i < EC_LEN(takers); i++) {
        EC_TRY(take(t, takers[i].kinds, takers[i].wanted, &of, err));
        EC_TRY(move_part(s, takers[i].part, &rest, &of, err));
    }
    EC_TRY(late_launches(t, up, begin, &of, err));
    EC_TRY(move_part(s, EC_TRACE_PART_host, &rest, &of, err));
    add_part(s, EC_TRACE_PART_other, &rest, 1);
    EC_TRY(take(t, EC__TRACE_KIND(RANGE), is_loader, &of, err));
    for (i = 0; i < s->n; i++)
        s->v[i].loading_ns = ec__set_within(&of, s->v[i].from_ns, s->v[i].to_ns);
    ec__set_clear(&of);
    EC_TRY(take(t, EC__TRACE_KIND(RANGE), is_other_process, &of, err));
    s->has_loader_workers = of.n > 0;
out:
    ec__set_clear(&rest);
    ec__set_clear(&of);
    return st;
}
