/* epochcast fit: comparisons of regressors on measured operators, and regressors of a table of
 * configurations. */
#include "cli/fit_internal.h"

#include <stdio.h>

#define AT(member) offsetof(struct fit_cmd_opts, member)
#define AT_COMPARE(member) offsetof(struct fit_cmd_opts, compare.member)

extern const struct ec_cmd ec_cmd_fit;

/* clang-format off */
/* Options of both comparisons, on operators and on a table. */
static const struct ec_field regressor_fields[] = {
    { .name = "family", .type = EC_F_STRS, .offset = AT_COMPARE(families), .metavar = "NAME,...",
      .help = "kind of regressor; default: all that are quick; for tables linear, power, "
              "forest, gbt, ann or ours" },
    { .name = "split", .type = EC_F_STR, .offset = AT_COMPARE(split),
      .metavar = "SPLIT", .help = "random (80/10/10; default of compare), kfold (default of "
                                  "table), group: (--folds parts of whole groups) or logo: "
                                  "(one left out); the last two with device, family, batch or "
                                  "configuration, for tables with a column" },
    { .name = "folds", .type = EC_F_INT, .offset = AT_COMPARE(folds), .deflt = "5", .min = 2,
      .max = 1000, .metavar = "N", .help = "parts of kfold and group splits; of a table of at most "
                                           "20 rows one for each" },
    { .name = "tune", .type = EC_F_INT, .offset = AT_COMPARE(tune), .max = 256, .metavar = "N",
      .help = "tune: draw options of each regressor N times and keep the best, inside each round" },
    { .name = "save", .type = EC_F_STR, .offset = AT_COMPARE(save_path), .metavar = "FILE",
      .help = "write the best model, fitted on all rows" },
    { .name = "seed", .type = EC_F_INT, .offset = AT(seed), .deflt = "1", .metavar = "N",
      .help = "seed of samples, splits and fits" },
    { .name = "rows", .type = EC_F_STR, .offset = AT(rows), .metavar = "FILE.csv",
      .help = "write the measured value and the predictions of each regressor for the held-out "
              "rows" },
    EC_FIELD_JSON(AT(json)),
    EC_FIELD_CSV(AT(csv)),
    EC_FIELD_MARKDOWN(AT(markdown)),
    EC_FIELD_END
};

/* Of tables of measured operators. */
static const struct ec_field data_fields[] = {
    { .name = "op", .type = EC_F_STRS, .offset = AT_COMPARE(ops), .metavar = "NAME",
      .help = "operator, or a kind of them: gemm, conv, vector, rnn" },
    { .name = "data", .type = EC_F_STRS, .offset = AT_COMPARE(data), .metavar = "PATH",
      .help = "table of measured operators, or a directory of them" },
    { .name = "store", .type = EC_F_STR, .offset = AT(grid.store), .metavar = "FILE",
      .help = "the rows of a store, in place of tables or beside them" },
    { .name = "max_rows", .type = EC_F_INT, .offset = AT(max_rows), .min = 10, .max = 1e7,
      .unit = "rows", .metavar = "N",
      .help = "draw about so many rows of each table of operators; default: all" },
    EC_FIELD_ENVIRONMENT(AT(grid.given)),
    { .name = "mapping", .type = EC_F_STR, .offset = AT(grid.given.mapping),
      .metavar = "NAME|FILE.map",
      .help = "meaning of the columns, as for `epochcast data import`" },
    EC_FIELD_END
};

static const struct ec_field compare_fields[] = {
    { .name = "device", .type = EC_F_STR, .offset = AT_COMPARE(given.device), .metavar = "KEY",
      .help = "device, for a table without such a column" },
    { .name = "features", .type = EC_F_STR, .offset = AT(grid.features), .metavar = "SET",
      .help = "a set of features: " EC_FEATURE_SETS_TEXT },
    { .name = "tune_state", .type = EC_F_STR, .offset = AT_COMPARE(tune_state), .metavar = "FILE",
      .help = "store the results of --tune, so that an interrupted search can continue; one file "
              "for each round of each regressor, FILE.gbt-roofline-0" },
    { .name = "threads", .type = EC_F_INT, .offset = AT(threads), .deflt = "2", .min = 1, .max = 64,
      .metavar = "N", .help = "threads; the result does not depend on them" },
    EC_FIELD_END
};

static const struct ec_field file_fields[] = {
    { .name = "file", .type = EC_F_STR, .offset = AT(file), .metavar = "FILE",
      .help = "model file that --save wrote" },
    EC_FIELD_END
};

static const struct ec_field describe_fields[] = { EC_FIELD_JSON(AT(json)), EC_FIELD_END };

static const struct ec_field predict_fields[] = {
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .metavar = "FILE.csv",
      .help = "write the predicted rows to this file; default: standard output" },
    { .name = "table", .type = EC_F_STR, .offset = AT(grid.table), .metavar = "FILE.csv",
      .help = "table of configurations, for a model that was fitted to one" },
    { .name = "device", .type = EC_F_STR, .offset = AT(grid.device), .deflt = "", .metavar = "KEY",
      .help = "device of the runs of the table; default: its column device, else its name" },
    { .name = "profile", .type = EC_F_STR, .offset = AT(grid.profile), .metavar = "FILE.json",
      .help = "profile of the device, made by `epochcast calibrate`" },
    EC_FIELD_JSON(AT(json)),
    EC_FIELD_CSV(AT(csv)),
    EC_FIELD_MARKDOWN(AT(markdown)),
    EC_FIELD_END
};

static const struct ec_field provenance_fields[] = {
    { .name = "provenance", .type = EC_F_BOOL, .offset = AT(provenance), .deflt = "0",
      .help = "print the data behind the built-in predictor, as JSON" },
    EC_FIELD_END
};

static const struct ec_arg_group compare_groups[] = {
    { "Options", data_fields, 0 },
    { "Options", compare_fields, 0 },
    { "Options", regressor_fields, 0 },
    { NULL, NULL, 0 },
};
static const struct ec_field more_fields[] = {
    { .name = "more", .type = EC_F_STRS, .offset = AT(grid.more), .metavar = "FILE.csv",
      .help = "tables of other devices, or folders of tables: one fit to the rows of all" },
    EC_FIELD_END
};
static const struct ec_arg_group table_groups[] = {
    { "Options", ec_grid_fields, AT(grid) },
    { "Options", more_fields, 0 },
    { "Options", regressor_fields, 0 },
    { NULL, NULL, 0 },
};
static const struct ec_arg_group describe_groups[] = {
    { "Options", file_fields, 0 }, { "Options", describe_fields, 0 }, { NULL, NULL, 0 }
};
static const struct ec_arg_group predict_groups[] = {
    { "Options", file_fields, 0 },
    { "Options", data_fields, 0 },
    { "Options", predict_fields, 0 },
    { NULL, NULL, 0 },
};
static const struct ec_arg_group provenance_groups[] = {
    { "Options", provenance_fields, 0 }, { NULL, NULL, 0 }
};
/* clang-format on */

static enum ec_status check_forms(struct ec_call *call, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;

    if (o->json + o->csv + o->markdown > 1)
        return ec_usage(call, err, "--json, --csv and --markdown exclude each other");
    return EC_OK;
}

static enum ec_status check_split(struct ec_call *call, const char *usual, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    const char *split = o->compare.split && *o->compare.split ? o->compare.split : usual;

    if (ec_call_given(call, "folds") &&
        (ec_str_eq(split, "random") || ec_str_starts(split, "logo:")))
        return ec_usage(call, err,
                        "--folds does not apply to --split %s, only to kfold and group:", split);
    return EC_OK;
}

/* "linear,gbt" is two. */
static enum ec_status split_families(struct ec_call *call, struct ec_err *err)
{
    struct fit_cmd_opts *o = call->opts;
    struct ec_strs apart = { 0 };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < o->compare.families.n; i++) {
        struct ec_span rest = ec_span_of(o->compare.families.v[i]), one;

        while (ec_span_cut(&rest, ',', &one))
            EC_TRY(ec_strs_add(&apart, &call->arena, err, "%.*s", (int)one.len, one.p));
    }
    o->compare.families = apart;
out:
    return st;
}

static enum ec_status run_compare(struct ec_call *call, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    enum ec_status st;

    EC_TRY(check_forms(call, err));
    EC_TRY(check_split(call, "random", err));
    EC_TRY(split_families(call, err));
    if (!o->compare.ops.n)
        return ec_usage(call, err, "--op NAME is missing: the operators to compare on");
    if (o->compare.tune_state && !o->compare.tune)
        return ec_usage(call, err, "--tune-state needs --tune N");
    EC_TRY(ec__fit_compare(call, err));
out:
    return st;
}

static enum ec_status run_table(struct ec_call *call, struct ec_err *err)
{
    enum ec_status st;

    EC_TRY(check_forms(call, err));
    EC_TRY(check_split(call, "kfold", err));
    EC_TRY(split_families(call, err));
    EC_TRY(ec__fit_table(call, err));
out:
    return st;
}

static enum ec_status run_predict(struct ec_call *call, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    enum ec_status st;

    EC_TRY(check_forms(call, err));
    if (ec_call_given(call, "out") && (o->json || o->csv || o->markdown))
        return ec_usage(call, err, "--out writes CSV; it excludes --json, --csv and --markdown");
    EC_TRY(ec__fit_predict(call, err));
out:
    return st;
}

static enum ec_status run_provenance(struct ec_call *call, struct ec_err *err)
{
    size_t len;
    const char *text = ec_predictor_provenance(&len);

    (void)err;
    ec_buf_add(&call->out, text, len);
    return EC_OK;
}

static const char *const compare_usage[] = {
    "--op NAME... PATH... | --store FILE [--family NAME,...] [--features SET] [--split SPLIT]",
    NULL,
};
static const struct ec_cmd compare_cmd = {
    .of = &ec_cmd_fit,
    .name = "compare",
    .chosen_by = "op",
    .writes = "rows save tune_state",
    .help = "compare regressors on measured operators; --op without a sub-command does this too",
    .usage = compare_usage,
    .positional = "data",
    .groups = compare_groups,
    .opts_size = sizeof(struct fit_cmd_opts),
    .run = run_compare,
};

static const char *const table_usage[] = {
    "FILE.csv... | --store FILE [--target COLUMN] [--features COLUMN,COLUMN...]",
    NULL,
};
static const struct ec_cmd table_cmd = {
    .of = &ec_cmd_fit,
    .name = "table",
    .chosen_by = "table store",
    .chosen_by_path = true,
    .writes = "rows save",
    .help = "compare regressors on a table of configurations or runs; a FILE, --table or --store "
            "without a sub-command does this too",
    .usage = table_usage,
    .positional = "table more",
    .groups = table_groups,
    .opts_size = sizeof(struct fit_cmd_opts),
    .run = run_table,
};

static const char *const describe_usage[] = {
    "FILE [--json]",
    NULL,
};
static const struct ec_cmd describe_cmd = {
    .of = &ec_cmd_fit,
    .name = "describe",
    .help = "describe a saved model, with its errors",
    .usage = describe_usage,
    .positional = "file",
    .groups = describe_groups,
    .opts_size = sizeof(struct fit_cmd_opts),
    .run = ec__fit_describe,
};

static const char *const predict_usage[] = {
    "FILE --data PATH... | --table FILE.csv | --store FILE [--out FILE.csv]",
    NULL,
};
static const struct ec_cmd predict_cmd = {
    .of = &ec_cmd_fit,
    .name = "predict",
    .writes = "out",
    .help = "predict times by a saved model",
    .usage = predict_usage,
    .positional = "file",
    .groups = predict_groups,
    .opts_size = sizeof(struct fit_cmd_opts),
    .run = run_predict,
};

static const char *const provenance_usage[] = {
    "",
    NULL,
};
static const struct ec_cmd provenance_cmd = {
    .of = &ec_cmd_fit,
    .name = "provenance",
    .chosen_by = "provenance",
    .help = "print the data behind the built-in predictor, as JSON; --provenance does this too",
    .usage = provenance_usage,
    .groups = provenance_groups,
    .opts_size = sizeof(struct fit_cmd_opts),
    .run = run_provenance,
};

static const struct ec_cmd *const subs[] = { &compare_cmd, &table_cmd,      &describe_cmd,
                                             &predict_cmd, &provenance_cmd, NULL };

const struct ec_cmd ec_cmd_fit = {
    .name = "fit",
    .help = "fit regressors to measurements and compare them",
    .subs = subs,
};
