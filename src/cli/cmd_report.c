/* epochcast report: a directory of results as one page. */
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "predict/predict.h"
#include "report/report.h"

struct report_opts {
    enum ec_precision precision;
    struct ec_results_opts o;
};

#define AT(member) offsetof(struct report_opts, member)

/* clang-format off */
static const struct ec_field fields[] = {
    { .name = "dir", .type = EC_F_STR, .offset = AT(o.dir), .metavar = "DIR",
      .help = "directory of results: CSV tables, stores (.sqlite), machine records (.json); or one "
              "of these files" },
    { .name = "out", .type = EC_F_STR, .offset = AT(o.out), .metavar = "DIR",
      .help = "folder of the report; default: DIR/report, of mine.csv mine-report" },
    { .name = "title", .type = EC_F_STR, .offset = AT(o.title), .metavar = "TEXT",
      .help = "title of the report" },
    { .name = "reference", .type = EC_F_STR, .offset = AT(o.reference), .metavar = "ENV",
      .help = "reference environment of speed-ups; default: chosen from the runs" },
    { .name = "skip", .type = EC_F_INT, .offset = AT(o.skip), .min = 0, .max = 1 << 30,
      .metavar = "N", .help = "skip the first N iterations of each run" },
    { .name = "precision", .type = EC_F_ENUM, .offset = AT(precision),
      EC_PRECISION_WORDS, .deflt = "fp32", .help = "precision of runs whose rows have none" },
    { .name = "host", .type = EC_F_STR, .offset = AT(o.host), .metavar = "NAME",
      .help = "predict runs on GPUs with this host (see `epochcast device hosts`); default: the "
              "reference host" },
    { .name = "device", .type = EC_F_STR, .offset = AT(o.given.given.device), .metavar = "KEY",
      .help = "device, for a table without such a column" },
    EC_FIELDS_GIVEN(AT(o.given.given)),
    EC_FIELD_END
};

static const struct ec_arg_group groups[] = { { "Options", fields, 0 }, { NULL, NULL, 0 } };

static const char *const usage[] = { "DIR [--out DIR] [--title TEXT]", NULL };
/* clang-format on */

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
    return o->out && o->dir ? EC_OK : ec_nomem(err);
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct report_opts *o = call->opts;
    struct ec_results_done done;
    struct ec_strs notes = { 0 };
    bool terminal = isatty(STDERR_FILENO) != 0;
    enum ec_status st;
    int i;

    if (!o->o.dir)
        return ec_usage(call, err, "a DIR of results is missing");
    EC_TRY(take_file(&o->o, &call->arena, err));
    o->o.given.given.mapping_if_fits =
        true; /* a mapping fits one kind of table, a directory has several */
    o->o.precision = o->o.given.given.precision = ec_precision_names[o->precision];
    if (!o->o.out)
        o->o.out = ec_arena_printf(&call->arena, "%s/report", o->o.dir);
    if (!o->o.out)
        return ec_nomem(err);
    o->o.progress = terminal ? show : NULL;
    st = ec_host_check(o->o.host, err);
    if (!st)
        st = ec_mapping_check(o->o.given.given.mapping, err);
    if (st)
        return st;
    st = ec_results_report(&o->o, &call->arena, &notes, &done, err);
    if (terminal)
        ec_say_nothing_over();
    for (i = 0; i < notes.n; i++)
        ec_say("%s\n", notes.v[i]);
    EC_TRY(st);
    ec_buf_printf(&call->out, "%s/report.html: %d runs, %d other tables, %d pictures\n", o->o.out,
                  done.n_runs, done.n_tables, done.n_figures);
    if (done.n_removed)
        ec_buf_printf(&call->out, "%d file%s of an earlier report removed\n", done.n_removed,
                      done.n_removed == 1 ? "" : "s");
out:
    return st;
}

const struct ec_cmd ec_cmd_report = {
    .name = "report",
    .help = "make one page of tables, pictures and findings from a directory of results",
    .usage = usage,
    .positional = "dir",
    .groups = groups,
    .opts_size = sizeof(struct report_opts),
    .run = run,
};
