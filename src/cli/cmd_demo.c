/* epochcast demo: measures, fits, predicts and checks on this machine. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/measure_internal.h"
#include "report/report.h"

#include "demo_cmd.h"
#include "cli_columns.h"

static void tell(void *user, const char *sentence)
{
    (void)user;
    ec_say("%s\n", sentence);
}

static void list_names(const struct ec_demo_result *r, bool markdown, struct ec_buf *out)
{
    int i;

    ec_buf_printf(out, "\nHeld out from the fit:\n%s", markdown ? "\n" : "");
    for (i = 0; i < r->n_unseen; i++)
        ec_buf_printf(out, "%s%s: %s\n", markdown ? "- " : "  ", r->unseen[i].kind,
                      r->unseen[i].what);
}

/* Names, which may be long, stand below the table: it is as wide as a terminal. */
static enum ec_status print(struct ec_call *call, const struct ec_demo_result *r,
                            struct ec_err *err)
{
    const struct ec_table_head head = { "epochcast.demo/1", "unseen", { { "report", r->report } } };
    struct ec_table t;
    enum ec_status st;
    int i;

    ec_table_init(&t, demo_cols, EC_LEN(demo_cols));
    for (i = 0; i < r->n_unseen; i++) {
        const struct ec_demo_unseen *u = &r->unseen[i];

        ec_table_row(&t, ec_text(u->kind), ec_text(u->what), ec_text(u->quantity),
                     ec_num(u->p05 * 1e9), ec_num(u->p50 * 1e9), ec_num(u->p95 * 1e9),
                     ec_num(u->measured * 1e9), ec_num(u->p50 / u->measured - 1),
                     ec_bool(u->measured >= u->p05 && u->measured <= u->p95));
    }
    st = ec_call_table(call, &head, &t, err);
    if (!call->forms.json && !call->forms.csv)
        list_names(r, call->forms.markdown, &call->out);
    ec_table_clear(&t);
    return st;
}

/* Whether the numbers can be trusted, and what to do with them. */
static void print_end(bool markdown, const struct ec_demo_result *r, struct ec_buf *out)
{
    const char *const sentences[] = { r->noise, r->advice };
    int i;

    ec_buf_printf(out, "\nthe report: %s\n", r->report);
    for (i = 0; i < EC_LEN(sentences); i++)
        if (*sentences[i]) {
            ec_buf_char(out, '\n');
            if (markdown)
                ec_buf_printf(out, "%s\n", sentences[i]);
            else
                ec_help_wrap(out, out->len, sentences[i], 0);
        }
}

static enum ec_status answer(struct ec_call *call, const struct demo_opts *o,
                             const struct ec_demo_result *r, struct ec_err *err)
{
    if (r->n_unseen || ec_forms_any(&call->forms))
        EC_PASS(print(call, r, err));
    if (r->stopped)
        ec_call_interrupted(
            call, "interrupted; the measurements are kept, epochcast demo %s continues", o->dir);
    else if (!call->forms.json && !call->forms.csv)
        print_end(call->forms.markdown, r, &call->out);
    return EC_OK;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct demo_opts *o = call->opts;
    struct ec_demo_opts demo = {
        .dir = o->dir, .budget_s = o->budget_s, .seed = (uint64_t)o->seed, .tell = tell
    };
    struct measure_opts m_opts = { .seed = o->seed, .clock = o->clock, .engine = o->engine };
    struct ec_measurer m = { 0 };
    struct ec_demo_result r;
    enum ec_status st;

    if (mkdir(o->dir, 0777) && errno != EEXIST)
        return ec_fail(err, EC_E_IO, "%s: cannot make the folder: %s", o->dir, strerror(errno));
    EC_TRY(ec_fields_default(ec_protocol_fields, &m_opts.protocol, &call->arena, err));
    m_opts.out = ec_arena_printf(&call->arena, "%s/", o->dir); /* machine record */
    EC_TRY(ec_allocated(m_opts.out, err));
    EC_TRY(ec__measure_engine(call, &m_opts, &m, err));
    if (o->budget_s < EC_DEMO_SMALL_S)
        m.protocol.budget_s = 0.2;
    ec_interrupt_watch();
    EC_TRY(ec_demo_run(&m, &demo, &r, err));
    EC_TRY(answer(call, o, &r, err));
out:
    ec__measure_close(&m);
    return st;
}
