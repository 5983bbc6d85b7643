/* epochcast report: a directory of results as one page. */
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "predict/predict.h"
#include "report/report.h"

#include "report_cmd.h"

static void show(void *user, const char *what)
{
    (void)user;
    ec_say_over("%.100s", what);
}

/* "runs/mine.csv" is the one file mine.csv of runs; its report is runs/mine-report. */
static enum ec_status take_file(struct ec_results_opts *o, struct ec_arena *a, struct ec_err *err)
{
    const char *slash = strrchr(o->dir, '/'), *dot = strrchr(o->dir, '.');
    const char *file = slash ? slash + 1 : o->dir;
    struct stat s;

    if (stat(o->dir, &s) || !S_ISREG(s.st_mode))
        return EC_OK;
    if (!o->out)
        o->out = ec_arena_printf(a, "%.*s-report",
                                 dot > file ? (int)(dot - o->dir) : (int)strlen(o->dir), o->dir);
    o->dir = slash ? ec_arena_strn(a, o->dir, slash == o->dir ? 1 : (size_t)(slash - o->dir)) : ".";
    o->only = file;
    return ec_allocated(o->out && o->dir, err);
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct report_opts *o = call->opts;
    struct ec_results_done done;
    struct ec_said said = { .arena = &call->arena };
    bool terminal = isatty(STDERR_FILENO) != 0;
    enum ec_status st, said_st;

    EC_PASS(take_file(&o->o, &call->arena, err));
    o->o.given.given.mapping_if_fits =
        true; /* a mapping fits one kind of table, a directory has several */
    o->o.precision = o->o.given.given.precision = ec_precision_names[o->precision];
    if (!o->o.out)
        o->o.out = ec_arena_printf(&call->arena, "%s/report", o->o.dir);
    EC_PASS(ec_allocated(o->o.out, err));
    o->o.progress = terminal ? show : NULL;
    EC_PASS(ec_host_check(o->o.host, err));
    EC_PASS(ec_mapping_check(o->o.given.given.mapping, err));
    said.folder = o->o.only ? NULL : o->o.dir;
    st = ec_results_report(&o->o, &call->arena, &said, &done, err);
    if (terminal)
        ec_say_nothing_over();
    said_st = ec_said_end(&said, st ? NULL : err);
    EC_PASS(st ? st : said_st);
    ec_buf_printf(&call->out, "%s/report.html: %d runs, %d other tables, %d pictures\n", o->o.out,
                  done.n_runs, done.n_tables, done.n_figures);
    if (done.n_removed)
        ec_buf_printf(&call->out, "%d file%s of an earlier report removed\n", done.n_removed,
                      done.n_removed == 1 ? "" : "s");
    return EC_OK;
}
