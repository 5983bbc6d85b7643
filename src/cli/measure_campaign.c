/* The parts that all campaigns of `epochcast measure` share: progress and run. */
#include "cli/measure_internal.h"

#include <string.h>
#include <unistd.h>

#define RENEW_NS ((int64_t)200000000)

/* --- Progress: one line that is overwritten on a terminal, else a line per tenth of the items ---
 * */

static void clock_text(double s, char *out, size_t size)
{
    int h = (int)(s / 3600), m = (int)(s / 60) % 60;

    if (h)
        (void)snprintf(out, size, "%d:%02d h", h, m);
    else
        (void)snprintf(out, size, "%d:%02d min", m, (int)s % 60);
}

static void show(void *user, const struct ec_campaign_progress *p)
{
    struct ec__measure_shown *s = user;
    int tenth = p->total ? p->done * 10 / p->total : 10;
    char so_far[32], left[32];

    if (!s->terminal && tenth == s->tenth)
        return;
    s->tenth = tenth;
    clock_text(p->elapsed_s, so_far, sizeof so_far);
    clock_text(p->left_s, left, sizeof left);
    (s->terminal ? ec_say_over : ec_say)(
        "%d of %d, %s so far, %s left, %lld rows, %lld failed  %.60s%s", p->done, p->total, so_far,
        left, (long long)p->n_added, (long long)p->n_failed, p->what, s->terminal ? "" : "\n");
}

void ec__measure_show_iteration(void *user, const struct ec_record *row, int64_t done,
                                int64_t total, double ns)
{
    struct ec__measure_shown *s = user;
    int64_t now = ec_clock_ns();
    char time[32];

    if (!s->terminal || (done < total && now - s->last_ns < RENEW_NS))
        return;
    s->last_ns = now;
    ec_say_over("%.60s, batch %lld: iteration %lld of %lld, %s, %.3g samples/s", row->what,
                (long long)row->batch, (long long)done, (long long)total,
                ec_fmt_ns(time, sizeof time, ns), ns > 0 ? (double)row->batch * 1e9 / ns : 0);
}

/* --- Running --- */

static enum ec_status shard_of(const char *text, struct ec_campaign *ret, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), i_word, n_word = { NULL, 0 };
    int64_t i, n;

    if (!ec_span_cut(&rest, '/', &i_word) || !ec_span_cut(&rest, '/', &n_word) ||
        !ec_parse_int(i_word, &i) || !ec_parse_int(n_word, &n) || i < 0 || n < 1 || i >= n ||
        n > 1000000)
        return ec_fail(err, EC_E_INPUT, "--shard %.40s: expected I/N with 0 <= I < N, such as 0/4",
                       text);
    ret->shard = (int)i;
    ret->n_shards = (int)n;
    return EC_OK;
}

enum ec_status ec__measure_campaign(const struct measure_opts *o, struct ec__measure_shown *shown,
                                    struct ec_campaign *ret, struct ec_err *err)
{
    memset(ret, 0, sizeof *ret);
    *shown = (struct ec__measure_shown){ .terminal = isatty(STDERR_FILENO) != 0 };
    ret->seed = (uint64_t)o->seed;
    ret->n_shards = 1;
    ret->budget_s = o->time_budget_s;
    ret->progress = show;
    ret->user = shown;
    return o->shard ? shard_of(o->shard, ret, err) : EC_OK;
}

enum ec_status ec__measure_run(struct ec_call *call, struct ec_measurer *m,
                               const struct ec_campaign *c, const char *path, struct ec_err *err)
{
    const struct ec__measure_shown *shown = c->user;
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    enum ec_status st;

    ec_interrupt_watch();
    st = ec_campaign_run(m, c, &end, err);
    ec_interrupt_end();
    if (shown->terminal)
        ec_say("\n");
    if (st)
        return st;
    ec_buf_printf(&call->out,
                  "%s: %lld rows added, %lld failed, %lld items had been measured "
                  "already\n",
                  path, (long long)m->n_added, (long long)m->n_failed, (long long)m->n_known);
    if (m->n_crowded)
        ec_say("note: other programs took the processor during %lld of these rows, up to %.0f %% "
               "of the time: their times are too long; end the others and measure again\n",
               (long long)m->n_crowded, 100 * m->crowded_frac);
    if (m->why[0])
        ec_say("the last failure: %s\n", m->why);
    if (end == EC_CAMPAIGN_BUDGET)
        ec_buf_str(&call->out, "the time budget is used up; --resume continues\n");
    if (end == EC_CAMPAIGN_STOPPED)
        ec_call_interrupted(call,
                            "interrupted; %s has the finished measurements, --resume "
                            "continues",
                            path);
    return EC_OK;
}
