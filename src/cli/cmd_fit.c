/* epochcast fit: fit the constants of the predictor to public measurements and write them. */
#include "cli/cli.h"

#include <stdio.h>

#include "predict/predict.h"

struct fit_cmd_opts {
    const char *data, *out, *table;
    int64_t seed, threads, max_rows, iterations;
    bool quick;
};

#define AT(member) offsetof(struct fit_cmd_opts, member)

/* clang-format off */
static const struct ec_field fields[] = {
    { .name = "data", .type = EC_F_STR, .offset = AT(data), .metavar = "DIR",
      .help = "directory of the public tables (neusight/, timm/, ...)" },
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .deflt = "src/predict/fitted.inc",
      .metavar = "FILE", .help = "where the constants go, as C" },
    { .name = "table", .type = EC_F_STR, .offset = AT(table), .metavar = "FILE.csv",
      .help = "where the errors of cross-validation go, as CSV" },
    { .name = "seed", .type = EC_F_INT, .offset = AT(seed), .deflt = "1", .metavar = "N",
      .help = "which rows are sampled" },
    { .name = "threads", .type = EC_F_INT, .offset = AT(threads), .deflt = "2", .min = 1, .max = 64,
      .metavar = "N", .help = "threads; the result does not depend on them" },
    { .name = "max_rows", .type = EC_F_INT, .offset = AT(max_rows), .deflt = "300", .min = 10,
      .max = 1e6, .unit = "rows", .metavar = "N",
      .help = "rows kept of each device in each table" },
    { .name = "iterations", .type = EC_F_INT, .offset = AT(iterations), .deflt = "25", .min = 1,
      .max = 1000, .metavar = "N", .help = "most iterations of the main fit" },
    { .name = "quick", .type = EC_F_BOOL, .offset = AT(quick), .deflt = "0",
      .help = "no cross-validation: the widths of intervals stay as they are" },
    EC_FIELD_END
};

static const struct ec_arg_group groups[] = {
    { "Options", fields, 0 },
    { NULL, NULL, 0 },
};

static const char *const usage[] = { "DIR [--out FILE]", NULL };
/* clang-format on */

static void progress(void *ctx, const char *text)
{
    (void)ctx;
    (void)fprintf(stderr, "%s\n", text);
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    struct ec_fit_opts fit = {
        .data_dir = o->data,
        .out_path = o->out,
        .table_path = o->table,
        .seed = o->seed,
        .threads = o->threads,
        .max_rows = o->max_rows,
        .iterations = o->iterations,
        .quick = o->quick,
        .progress = progress,
    };

    if (!o->data)
        return ec_usage(call, err, "fit needs the DIR of the public tables");
    return ec_fit_physics(&fit, err);
}

const struct ec_cmd ec_cmd_fit = {
    .name = "fit",
    .help = "fit the predictor's constants to public measurements",
    .usage = usage,
    .positional = "data",
    .groups = groups,
    .opts_size = sizeof(struct fit_cmd_opts),
    .run = run,
};
