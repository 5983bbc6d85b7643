/* epochcast-lab: makes the predictor that ships, and studies it. For maintainers, not installed. */
#include "cli/cli.h"
#include "lab/lab.h"

#include <stdio.h>

struct lab_opts {
    const char *dir, *measured, *out, *learned, *errors, *rows;
    int64_t seed, threads, max_rows, iterations;
    bool quick;
};
#define AT(member) offsetof(struct lab_opts, member)

/* clang-format off */
#define FITTED_PATH "data/predictor/fitted.inc"
#define FIELD_DIR                                                                                  \
    { .name = "dir", .type = EC_F_STR, .offset = AT(dir), .metavar = "DIR",                        \
      .help = "directory of the public tables (neusight/, timm/, ...)" }
#define FIELD_MEASURED                                                                             \
    { .name = "measured", .type = EC_F_STR, .offset = AT(measured), .deflt = "measured",           \
      .metavar = "DIR", .help = "directory of the project's own measurements" }
#define FIELD_OUT(path, text)                                                                      \
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .deflt = (path), .metavar = "FILE",      \
      .help = (text) }
#define FIELD_LEARNED                                                                              \
    { .name = "learned", .type = EC_F_STR, .offset = AT(learned),                                  \
      .deflt = "data/predictor/predictor.bin", .metavar = "FILE",                                  \
      .help = "where the learned corrections go" }
#define FIELD_ERRORS                                                                               \
    { .name = "errors", .type = EC_F_STR, .offset = AT(errors), .metavar = "FILE.csv",             \
      .help = "where the errors of cross-validation go" }
#define FIELD_ROWS                                                                                 \
    { .name = "rows", .type = EC_F_STR, .offset = AT(rows), .metavar = "FILE.csv",                 \
      .help = "where the error of each row of a network goes, held out" }
#define FIELD_SEED                                                                                 \
    { .name = "seed", .type = EC_F_INT, .offset = AT(seed), .deflt = "1", .metavar = "N",          \
      .help = "seed of samples and splits" }
#define FIELD_THREADS                                                                              \
    { .name = "threads", .type = EC_F_INT, .offset = AT(threads), .deflt = "2", .min = 1,          \
      .max = 64, .metavar = "N", .help = "threads; the result does not depend on them" }
#define FIELD_MAX_ROWS(count)                                                                      \
    { .name = "max_rows", .type = EC_F_INT, .offset = AT(max_rows), .deflt = (count), .min = 10,   \
      .max = 1e7, .unit = "rows", .metavar = "N",                                                  \
      .help = "rows kept of each device in each table, about so many" }
#define FIELD_ITERATIONS                                                                           \
    { .name = "iterations", .type = EC_F_INT, .offset = AT(iterations), .deflt = "25", .min = 1,   \
      .max = 1000, .metavar = "N", .help = "most iterations of the main fit" }
#define CONSTANTS_HELP "where the constants go, as C"

static const struct ec_field ship_fields[] = {
    FIELD_DIR, FIELD_MEASURED, FIELD_OUT(FITTED_PATH, CONSTANTS_HELP), FIELD_LEARNED,
    { .name = "errors", .type = EC_F_STR, .offset = AT(errors), .metavar = "FILE.csv",
      .deflt = "tests/accuracy/cross_validation.csv",
      .help = "where the errors of cross-validation go" },
    FIELD_ROWS, FIELD_THREADS, EC_FIELD_END
};
static const struct ec_field physics_fields[] = {
    FIELD_DIR, FIELD_MEASURED, FIELD_OUT(FITTED_PATH, CONSTANTS_HELP), FIELD_LEARNED,
    FIELD_ERRORS, FIELD_ROWS, FIELD_SEED, FIELD_THREADS, FIELD_MAX_ROWS("200"), FIELD_ITERATIONS,
    { .name = "quick", .type = EC_F_BOOL, .offset = AT(quick), .deflt = "0",
      .help = "no cross-validation: the widths of intervals stay as they are" },
    EC_FIELD_END
};
static const struct ec_field splits_fields[] = {
    FIELD_DIR, FIELD_MEASURED,
    FIELD_OUT("tests/accuracy/splits.csv", "where the errors go"), FIELD_THREADS, EC_FIELD_END
};
static const struct ec_field memory_fields[] = {
    FIELD_DIR, FIELD_MEASURED, FIELD_OUT(FITTED_PATH, CONSTANTS_HELP), EC_FIELD_END
};
static const struct ec_field domain_fields[] = {
    FIELD_DIR, FIELD_MEASURED, FIELD_OUT("src/model/domain.csv", "where the ranges go"),
    { .name = "learned", .type = EC_F_STR, .offset = AT(learned), .metavar = "FILE",
      .help = "a predictor file that is there, which gets them too" },
    FIELD_SEED, FIELD_MAX_ROWS("300"), EC_FIELD_END
};
static const struct ec_field report_fields[] = {
    FIELD_DIR, FIELD_MEASURED,
    FIELD_OUT("docs/constants.md", "where the page goes; as CSV where the name ends with .csv"),
    FIELD_SEED, FIELD_THREADS, FIELD_MAX_ROWS("200"), EC_FIELD_END
};
static const struct ec_field parallel_fields[] = {
    FIELD_DIR, FIELD_OUT("data/predictor/parallel.inc", CONSTANTS_HELP), FIELD_ERRORS, FIELD_ROWS,
    FIELD_THREADS, FIELD_ITERATIONS, EC_FIELD_END
};
static const struct ec_field calibrate_fields[] = {
    FIELD_DIR, FIELD_OUT("tests/accuracy/calibration.csv", "where the errors go"), FIELD_SEED,
    EC_FIELD_END
};
/* clang-format on */

static void progress(void *ctx, const char *text)
{
    (void)ctx;
    ec_say("%s\n", text);
}

static struct ec_fit_opts fit_opts(const struct lab_opts *o)
{
    return (struct ec_fit_opts){ .command = "epochcast-lab physics DIR",
                                 .data_dir = o->dir,
                                 .measured_dir = o->measured,
                                 .out_path = o->out,
                                 .table_path = o->errors,
                                 .rows_path = o->rows,
                                 .learned_path = o->learned,
                                 .seed = o->seed,
                                 .threads = o->threads,
                                 .max_rows = o->max_rows,
                                 .iterations = o->iterations,
                                 .quick = o->quick,
                                 .progress = progress };
}

static enum ec_status need_dir(struct ec_call *call, struct ec_err *err)
{
    const struct lab_opts *o = call->opts;

    return o->dir ? EC_OK : ec_usage(call, err, "no DIR: expected that of the public tables");
}

static enum ec_status run_physics(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts fit = fit_opts(call->opts);
    enum ec_status st = need_dir(call, err);

    return st ? st : ec_fit_physics(&fit, err);
}

static enum ec_status run_ship(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts fit = fit_opts(call->opts);
    enum ec_status st = need_dir(call, err);

    ec_fit_opts_ship(&fit);
    return st ? st : ec_fit_physics(&fit, err);
}

static enum ec_status run_splits(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts fit = fit_opts(call->opts);
    enum ec_status st = need_dir(call, err);

    ec_fit_opts_ship(&fit);
    return st ? st : ec_fit_splits(&fit, err);
}

static enum ec_status run_memory(struct ec_call *call, struct ec_err *err)
{
    const struct lab_opts *o = call->opts;
    struct ec_fit_opts fit;
    enum ec_status st = need_dir(call, err);

    ec_fit_opts_ship(&fit);
    fit.data_dir = o->dir;
    fit.measured_dir = o->measured;
    fit.out_path = o->out;
    fit.progress = progress;
    return st ? st : ec_fit_memory(&fit, err);
}

static enum ec_status run_domain(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts fit = fit_opts(call->opts);
    enum ec_status st = need_dir(call, err);

    return st ? st : ec_fit_domain(&fit, err);
}

static enum ec_status run_report(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts fit = fit_opts(call->opts);
    enum ec_status st = need_dir(call, err);

    fit.constants_only = true;
    return st ? st : ec_fit_report(&fit, &call->out, err);
}

static enum ec_status run_parallel(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts fit = fit_opts(call->opts);
    enum ec_status st = need_dir(call, err);

    return st ? st : ec_fit_parallel(&fit, err);
}

static enum ec_status run_calibrate(struct ec_call *call, struct ec_err *err)
{
    const struct lab_opts *o = call->opts;
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(need_dir(call, err));
    EC_TRY(ec_calibrate_study(o->dir, o->seed, progress, NULL, &text, err));
    EC_TRY(ec_file_write(o->out, text.data, text.len, err));
out:
    ec_buf_clear(&text);
    return st;
}

static const char *const usage[] = { "DIR", NULL };

/* X(name, fields that name what is written, help) */
/* clang-format off */
#define COMMAND_LIST(X)                                                                            \
    X(ship, "out learned errors rows",                                                             \
      "make what ships, bit for bit: constants, corrections, the table of their errors")           \
    X(physics, "out learned errors rows", "the same with options of your own")                     \
    X(report, "out", "the constants: value, prior, what the rows say of each; nothing is fitted") \
    X(splits, "out", "errors of the laws without a source, a release, a kind of kernel, as CSV")   \
    X(memory, "out", "fit the constants of memory alone, in a file of constants that is there")    \
    X(domain, "out learned", "the ranges of the rows that the fit sees, as CSV")                   \
    X(parallel, "out errors", "fit the constants of several devices")                              \
    X(calibrate, "out", "errors by the number of rows that a device is calibrated with, as CSV")

#define COMMAND_DEFINE(word, may_write, text)                                                      \
    static const struct ec_arg_group word##_groups[] = { { "Options", word##_fields, 0 },          \
                                                         { NULL, NULL, 0 } };                      \
    static const struct ec_cmd cmd_##word = {                                                      \
        .name = #word,                                                                             \
        .help = (text),                                                                            \
        .usage = usage,                                                                            \
        .positional = "dir",                                                                       \
        .writes = (may_write),                                                                     \
        .groups = word##_groups,                                                                   \
        .opts_size = sizeof(struct lab_opts),                                                      \
        .run = run_##word,                                                                         \
    };
COMMAND_LIST(COMMAND_DEFINE)
#undef COMMAND_DEFINE
/* clang-format on */

static const struct ec_cmd *const commands[] = {
#define COMMAND_ROW(name, writes, help) &cmd_##name,
    COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
        NULL,
};

const struct ec_executable ec_lab = {
    .name = "epochcast-lab",
    .help = "makes the predictor that ships, and studies it",
    .commands = commands,
};
