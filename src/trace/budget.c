/* The budget of steps: unions of time, not sums. Idle time is told apart by what the host did. */
#include "trace/trace_internal.h"

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
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < t->n; i++) {
        const struct ec_trace_event *e = &t->v[i];

        if (kinds >> e->kind & 1 && (!wanted || wanted(ec_trace_name(t, e))))
            EC_TRY(ec__set_add(ret, e->start_ns, ec_trace_end(e), err));
    }
    ec__set_unite(ret);
out:
    return st;
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

/* Takes the kinds out of the time that is left. */
static enum ec_status move_kinds(const struct ec_trace *t, unsigned kinds,
                                 bool (*wanted)(const char *), struct ec__set *rest,
                                 struct ec__set *part, struct ec_err *err)
{
    struct ec__set of = { 0 };
    enum ec_status st = EC_OK;

    EC_TRY(take(t, kinds, wanted, &of, err));
    EC_TRY(ec__set_move(rest, &of, part, err));
out:
    ec__set_clear(&of);
    return st;
}

/* Cuts the time of all steps into parts: each takes from what those before it have left. */
static enum ec_status divide(const struct ec_trace *t, const uint32_t *up, struct ec__set *rest,
                             struct ec__set part[EC_TRACE_PARTS], struct ec_err *err)
{
    struct ec__set late = { 0 };
    enum ec_status st = EC_OK;

    EC_TRY(late_launches(t, up, rest->n ? rest->v[0].from : 0, &late, err));
    EC_TRY(move_kinds(t, EC__TRACE_KIND(KERNEL), NULL, rest, &part[EC_TRACE_PART_compute], err));
    EC_TRY(move_kinds(t, EC__TRACE_KIND(COLLECTIVE), NULL, rest, &part[EC_TRACE_PART_communication],
                      err));
    EC_TRY(move_kinds(t, EC__TRACE_KIND(COPY) | EC__TRACE_KIND(FILL), NULL, rest,
                      &part[EC_TRACE_PART_copies], err));
    EC_TRY(move_kinds(t, EC__TRACE_KIND(RANGE), is_loader, rest, &part[EC_TRACE_PART_loader], err));
    EC_TRY(move_kinds(t, EC__TRACE_KIND(SYNC), NULL, rest, &part[EC_TRACE_PART_sync], err));
    EC_TRY(move_kinds(t, EC__TRACE_KIND(OP), is_reading, rest, &part[EC_TRACE_PART_sync], err));
    EC_TRY(move_kinds(t, EC__TRACE_KIND(PROFILER), NULL, rest, &part[EC_TRACE_PART_profiler], err));
    EC_TRY(ec__set_move(rest, &late, &part[EC_TRACE_PART_host], err));
    ec__set_unite(&part[EC_TRACE_PART_sync]);
    part[EC_TRACE_PART_other] = *rest;
    *rest = (struct ec__set){ 0 };
out:
    ec__set_clear(&late);
    return st;
}

static bool is_other_process(const char *range)
{
    return strstr(range, "MultiProcessing") != NULL;
}

enum ec_status ec_trace_budget(const struct ec_trace *t, const uint32_t *up,
                               struct ec_trace_steps *s, struct ec_err *err)
{
    struct ec__set part[EC_TRACE_PARTS] = { 0 }, rest = { 0 }, loading = { 0 }, other = { 0 };
    enum ec_status st = EC_OK;
    int i, k;

    EC_TRY(ec__set_add(&rest, s->v[0].from_ns, s->v[s->n - 1].to_ns, err));
    EC_TRY(divide(t, up, &rest, part, err));
    EC_TRY(take(t, EC__TRACE_KIND(RANGE), is_loader, &loading, err));
    EC_TRY(take(t, EC__TRACE_KIND(RANGE), is_other_process, &other, err));
    s->has_loader_workers = other.n > 0;
    for (i = 0; i < s->n; i++) {
        struct ec_trace_step *step = &s->v[i];

        for (k = 0; k < EC_TRACE_PARTS; k++)
            step->part_ns[k] = ec__set_within(&part[k], step->from_ns, step->to_ns);
        step->loading_ns = ec__set_within(&loading, step->from_ns, step->to_ns);
    }
out:
    for (k = 0; k < EC_TRACE_PARTS; k++)
        ec__set_clear(&part[k]);
    ec__set_clear(&rest);
    ec__set_clear(&loading);
    ec__set_clear(&other);
    return st;
}
