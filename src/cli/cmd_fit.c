/* epochcast fit: the constants of the predictor, comparisons of regressors on measured operators,
 * and regressors of a table of configurations. */
#include "cli/fit_internal.h"

#include <stdio.h>

#define AT(member) offsetof(struct fit_cmd_opts, member)
#define AT_COMPARE(member) offsetof(struct fit_cmd_opts, compare.member)

/* clang-format off */
static const struct ec_field common_fields[] = {
    { .name = "action", .type = EC_F_STR, .offset = AT(action), .metavar = "ACTION",
      .help = "physics, domain, parallel, compare, table, describe or predict; without it what the "
              "options say" },
    { .name = "dir", .type = EC_F_STR, .offset = AT(dir), .metavar = "DIR",
      .help = "directory of the public tables (neusight/, timm/, ...); the file of a saved model" },
    { .name = "seed", .type = EC_F_INT, .offset = AT(seed), .deflt = "1", .metavar = "N",
      .help = "of samples, splits and fits" },
    { .name = "threads", .type = EC_F_INT, .offset = AT(threads), .deflt = "2", .min = 1, .max = 64,
      .metavar = "N", .help = "threads; the result does not depend on them" },
    { .name = "max_rows", .type = EC_F_INT, .offset = AT(max_rows), .min = 10, .max = 1e7,
      .unit = "rows", .metavar = "N",
      .help = "rows kept: of each device in each table for physics (200), of each table for a "
              "comparison (all); about so many" },
    { .name = "rows", .type = EC_F_STR, .offset = AT(rows), .metavar = "FILE.csv",
      .help = "operators and tables: write what was measured and what each regressor predicted for "
              "the rows that it had not seen; constants: the error of each row, held out" },
    EC_FIELD_JSON(AT(json)),
    EC_FIELD_CSV(AT(csv)),
    EC_FIELD_MARKDOWN(AT(markdown)),
    EC_FIELD_END
};

static const struct ec_field physics_fields[] = {
    { .name = "ship", .type = EC_F_BOOL, .offset = AT(ship), .deflt = "0",
      .help = "write what ships, bit for bit: constants, corrections, the table of their errors" },
    { .name = "provenance", .type = EC_F_BOOL, .offset = AT(provenance), .deflt = "0",
      .help = "print what the predictor in this program rests on, as JSON" },
    { .name = "measured", .type = EC_F_STR, .offset = AT(measured), .deflt = "measured",
      .metavar = "DIR", .help = "directory of the project's own measurements" },
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .deflt = "src/predict/fitted.inc",
      .metavar = "FILE", .help = "where the constants go, as C; of predict its rows, as CSV" },
    { .name = "learned", .type = EC_F_STR, .offset = AT(learned),
      .deflt = "src/predict/predictor.bin", .metavar = "FILE",
      .help = "where the learned corrections go" },
    { .name = "errors", .type = EC_F_STR, .offset = AT(errors), .metavar = "FILE.csv",
      .help = "where the errors of cross-validation go, as CSV" },
    { .name = "iterations", .type = EC_F_INT, .offset = AT(iterations), .deflt = "25", .min = 1,
      .max = 1000, .metavar = "N", .help = "most iterations of the main fit" },
    { .name = "quick", .type = EC_F_BOOL, .offset = AT(quick), .deflt = "0",
      .help = "no cross-validation: the widths of intervals stay as they are" },
    EC_FIELD_END
};

static const struct ec_field compare_fields[] = {
    { .name = "op", .type = EC_F_STRS, .offset = AT_COMPARE(ops), .metavar = "NAME",
      .help = "operator, or a kind of them: gemm, conv, vector, rnn" },
    { .name = "data", .type = EC_F_STRS, .offset = AT_COMPARE(data), .metavar = "PATH",
      .help = "table of measured operators, or a directory of them" },
    { .name = "family", .type = EC_F_STRS, .offset = AT_COMPARE(families), .metavar = "NAME",
      .help = "kind of regressor; all is the default; of tables linear, ann or ours" },
    { .name = "split", .type = EC_F_STR, .offset = AT_COMPARE(split),
      .metavar = "SPLIT", .help = "random (80/10/10; default of --op), kfold (default of "
                                  "--table), group: (--folds parts of whole groups) or logo: "
                                  "(one left out); the last two with device, family, batch or "
                                  "configuration" },
    { .name = "folds", .type = EC_F_INT, .offset = AT_COMPARE(folds), .deflt = "5", .min = 2,
      .max = 1000, .metavar = "N", .help = "parts of kfold and group splits" },
    { .name = "layout", .type = EC_F_STR, .offset = AT_COMPARE(layout), .metavar = "NAME",
      .help = "read the tables in this format, not in the one that their columns suggest" },
    { .name = "tune", .type = EC_F_INT, .offset = AT_COMPARE(tune), .max = 256, .metavar = "N",
      .help = "draw options of each regressor N times and keep the best, inside each round" },
    { .name = "tune_state", .type = EC_F_STR, .offset = AT_COMPARE(tune_state), .metavar = "FILE",
      .help = "where searches note what they tried, to go on after a stop: a file for each round "
              "of each regressor, FILE.gbt-roofline-0" },
    { .name = "save", .type = EC_F_STR, .offset = AT_COMPARE(save_path), .metavar = "FILE",
      .help = "write the best model, fitted on all rows" },
    EC_FIELD_END
};

static const struct ec_arg_group groups[] = {
    { "Options", common_fields, 0 },
    { "Fitting the constants", physics_fields, 0 },
    { "Comparing regressors on operators", compare_fields, 0 },
    { "Regressors of a table", ec_grid_fields, AT(grid) },
    { NULL, NULL, 0 },
};

static const char *const usage[] = {
    "--op NAME... --data PATH... [--family NAME...] [--features SET] [--split SPLIT]",
    "--table FILE.csv [--target COLUMN] [--features COLUMN,COLUMN...]",
    "describe FILE", "predict FILE --data PATH... | --table FILE.csv [--out FILE.csv]",
    "physics DIR [--out FILE]", "domain DIR [--out FILE.csv]",
    "parallel DIR [--out FILE] [--errors FILE.csv]", "--ship DIR", "--provenance", NULL };
/* clang-format on */

static void progress(void *ctx, const char *text)
{
    (void)ctx;
    (void)fprintf(stderr, "%s\n", text);
}

/* ------------------------------------------------------------------------------------------------
 * The constants */

static enum ec_status fit_physics(struct ec_call *call, const char *dir, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    struct ec_fit_opts fit = {
        .data_dir = dir,
        .measured_dir = o->measured,
        .out_path = o->out,
        .table_path = o->errors,
        .rows_path = o->rows,
        .learned_path = o->learned,
        .seed = o->seed,
        .threads = o->threads,
        .max_rows = o->max_rows ? o->max_rows : 200,
        .iterations = o->iterations,
        .quick = o->quick,
        .progress = progress,
    };

    if (!dir)
        return ec_usage(call, err, "fit physics needs the DIR of the public tables");
    if (o->ship) {
        ec_fit_opts_ship(&fit);
        if (!o->errors)
            fit.table_path = "tests/accuracy/cross_validation.csv";
    }
    return ec_fit_physics(&fit, err);
}

static enum ec_status fit_domain(struct ec_call *call, const char *dir, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    struct ec_fit_opts fit = {
        .data_dir = dir,
        .measured_dir = o->measured,
        .out_path = ec_call_given(call, "out") ? o->out : "src/predict/domain.csv",
        .seed = o->seed,
        .max_rows = o->max_rows ? o->max_rows : 300,
        .progress = progress,
    };

    if (!dir)
        return ec_usage(call, err, "fit domain needs the DIR of the public tables");
    return ec_fit_domain(&fit, err);
}

static enum ec_status fit_parallel(struct ec_call *call, const char *dir, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    struct ec_fit_opts fit = {
        .data_dir = dir,
        .out_path = ec_call_given(call, "out") ? o->out : "src/predict/parallel.inc",
        .table_path = o->errors,
        .threads = o->threads,
        .iterations = o->iterations,
        .progress = progress,
    };

    if (!dir)
        return ec_usage(call, err, "fit parallel needs the DIR of the public tables");
    return ec_fit_parallel(&fit, err);
}

/* ------------------------------------------------------------------------------------------------
 * Actions */

/* What the words and options ask for; a first word that names no action is the DIR of the tables.
 */
static enum ec_status find_action(struct ec_call *call, enum ec__fit_action *ret,
                                  const char **ret_dir, struct ec_err *err)
{
    static const struct {
        const char *word;
        enum ec__fit_action action;
    } words[] = {
        {"physics",   EC_FIT_PHYSICS },
        { "domain",   EC_FIT_DOMAIN  },
        { "parallel", EC_FIT_PARALLEL},
        { "compare",  EC_FIT_COMPARE },
        { "table",    EC_FIT_TABLE   },
        { "describe", EC_FIT_DESCRIBE},
        { "predict",  EC_FIT_PREDICT },
    };
    const struct fit_cmd_opts *o = call->opts;
    int i;

    *ret_dir = o->dir;
    for (i = 0; i < EC_LEN(words); i++)
        if (o->action && ec_str_eq(words[i].word, o->action)) {
            *ret = o->ship && words[i].action == EC_FIT_PHYSICS ? EC_FIT_SHIP : words[i].action;
            return EC_OK;
        }
    if (o->action && o->dir)
        return ec_usage(call, err,
                        "no action \"%.40s\": expected physics, domain, parallel, compare, table, "
                        "describe or predict",
                        o->action);
    if (o->action) {
        *ret = o->ship ? EC_FIT_SHIP : EC_FIT_PHYSICS;
        *ret_dir = o->action; /* epochcast fit DIR */
        return EC_OK;
    }
    *ret = o->provenance      ? EC_FIT_PROVENANCE
           : o->ship          ? EC_FIT_SHIP
           : o->compare.ops.n ? EC_FIT_COMPARE
           : o->grid.table    ? EC_FIT_TABLE
                              : EC_FIT_ACTION_COUNT;
    if (*ret == EC_FIT_ACTION_COUNT)
        return ec_usage(call, err, "fit needs --op NAME, --table FILE.csv or physics DIR");
    return EC_OK;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    enum ec__fit_action action = EC_FIT_ACTION_COUNT;
    const char *dir = NULL, *text;
    enum ec_status st;
    size_t len;

    EC_TRY(find_action(call, &action, &dir, err));
    if (o->ship && (ec_call_given(call, "seed") || ec_call_given(call, "max_rows") || o->quick ||
                    ec_call_given(call, "iterations")))
        return ec_usage(call, err,
                        "--ship sets --seed, --max-rows, --iterations and --quick itself");
    if (action == EC_FIT_SHIP && !dir)
        return ec_usage(call, err, "--ship needs the DIR of the public tables");
    EC_TRY(ec__fit_check_options(call, action, err));
    switch (action) {
    case EC_FIT_COMPARE:
        return ec__fit_compare(call, err);
    case EC_FIT_TABLE:
        return ec__fit_table(call, err);
    case EC_FIT_DESCRIBE:
        return ec__fit_describe(call, err);
    case EC_FIT_PREDICT:
        return ec__fit_predict(call, err);
    case EC_FIT_DOMAIN:
        return fit_domain(call, dir, err);
    case EC_FIT_PARALLEL:
        return fit_parallel(call, dir, err);
    case EC_FIT_PROVENANCE:
        text = ec_predictor_provenance(&len);
        ec_buf_add(&call->out, text, len);
        return EC_OK;
    default:
        return fit_physics(call, dir, err);
    }
out:
    return st;
}

const struct ec_cmd ec_cmd_fit = {
    .name = "fit",
    .help = "fit regressors and the predictor's constants to measurements",
    .usage = usage,
    .positional = "action dir",
    .writes = "rows out learned errors save tune_state",
    .groups = groups,
    .opts_size = sizeof(struct fit_cmd_opts),
    .run = run,
};
