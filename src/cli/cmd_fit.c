/* epochcast fit: the constants of the predictor, comparisons of regressors on measured operators,
 * and regressors of a table of configurations. */
#include "cli/cli.h"

#include <stdio.h>

#include "predict/predict.h"
#include "report/report.h"

struct fit_cmd_opts {
    const char *action, *dir;
    /* constants */
    const char *measured, *out, *errors, *learned;
    int64_t max_rows, iterations;
    bool quick, ship, provenance;
    /* comparisons */
    struct ec_compare_opts compare;
    /* tables */
    struct ec_grid_opts grid;
    const char *rows;
    /* all */
    int64_t seed, threads;
    bool json, csv, markdown;
};

#define AT(member) offsetof(struct fit_cmd_opts, member)
#define AT_COMPARE(member) offsetof(struct fit_cmd_opts, compare.member)

/* clang-format off */
static const struct ec_field common_fields[] = {
    { .name = "action", .type = EC_F_STR, .offset = AT(action), .metavar = "ACTION",
      .help = "physics, domain, parallel, compare or table; without it what the options say" },
    { .name = "dir", .type = EC_F_STR, .offset = AT(dir), .metavar = "DIR",
      .help = "directory of the public tables (neusight/, timm/, ...)" },
    { .name = "seed", .type = EC_F_INT, .offset = AT(seed), .deflt = "1", .metavar = "N",
      .help = "of samples, splits and fits" },
    { .name = "threads", .type = EC_F_INT, .offset = AT(threads), .deflt = "2", .min = 1, .max = 64,
      .metavar = "N", .help = "threads; the result does not depend on them" },
    { .name = "max_rows", .type = EC_F_INT, .offset = AT(max_rows), .min = 10, .max = 1e7,
      .unit = "rows", .metavar = "N",
      .help = "rows kept: of each device in each table for physics (200), of each table for a "
              "comparison (all)" },
    { .name = "rows", .type = EC_F_STR, .offset = AT(rows), .metavar = "FILE.csv",
      .help = "tables: write what was measured and what each family predicted for the rows that it "
              "had not seen; constants: the error of each row, held out" },
    EC_FIELD_JSON(AT(json)),
    EC_FIELD_CSV(AT(csv)),
    EC_FIELD_MARKDOWN(AT(markdown)),
    EC_FIELD_END
};

static const struct ec_field physics_fields[] = {
    { .name = "ship", .type = EC_F_BOOL, .offset = AT(ship), .deflt = "0",
      .help = "write what ships, bit for bit: constants, corrections, the table of their errors" },
    { .name = "provenance", .type = EC_F_BOOL, .offset = AT(provenance), .deflt = "0",
      .help = "tell what the predictor in this program rests on, as JSON" },
    { .name = "measured", .type = EC_F_STR, .offset = AT(measured), .deflt = "measured",
      .metavar = "DIR", .help = "directory of the project's own measurements" },
    { .name = "out", .type = EC_F_STR, .offset = AT(out), .deflt = "src/predict/fitted.inc",
      .metavar = "FILE", .help = "where the constants go, as C" },
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
      .help = "family of regressors; all is the default" },
    { .name = "split", .type = EC_F_STR, .offset = AT_COMPARE(split), .deflt = "random",
      .metavar = "SPLIT", .help = "random (80/10/10), kfold, group:device, group:family, "
                                  "logo:device or logo:family (leave one out)" },
    { .name = "folds", .type = EC_F_INT, .offset = AT_COMPARE(folds), .deflt = "5", .min = 2,
      .max = 1000, .metavar = "N", .help = "parts of kfold and group splits" },
    { .name = "layout", .type = EC_F_STR, .offset = AT_COMPARE(layout), .metavar = "NAME",
      .help = "read the tables by this layout, not the one that their columns tell" },
    { .name = "tune", .type = EC_F_INT, .offset = AT_COMPARE(tune), .max = 256, .metavar = "N",
      .help = "draw options of each family N times and keep the best, inside each round" },
    { .name = "tune_state", .type = EC_F_STR, .offset = AT_COMPARE(tune_state), .metavar = "FILE",
      .help = "where searches note what they tried, to go on after a stop" },
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
    "--table FILE.csv --target COLUMN --features COLUMN,COLUMN...",
    "physics DIR [--out FILE]", "domain DIR [--out FILE.csv]",
    "parallel DIR [--out FILE] [--errors FILE.csv]", "--ship DIR", "--provenance", NULL };

#define PERCENT(key_, title_)                                                                      \
    { .key = key_, .title = title_, .unit = "%", .format = EC_COL_FIXED, .scale = 100, .digits = 1 }
#define FIXED(key_, title_, unit_, digits_)                                                        \
    { .key = key_, .title = title_, .unit = unit_, .format = EC_COL_FIXED, .digits = digits_ }

static const struct ec_col compare_cols[] = {
    { .key = "family", .title = "family" },
    { .key = "features", .title = "features" },
    { .key = "columns", .title = "columns", .format = EC_COL_PLAIN },
    { .key = "rows", .title = "rows", .format = EC_COL_THOUSANDS },
    { .key = "rmse_ms", .title = "RMSE", .unit = "ms", .format = EC_COL_DIGITS3 },
    { .key = "mae_ms", .title = "MAE", .unit = "ms", .format = EC_COL_DIGITS3 },
    PERCENT("mean_ape_frac", "mean"),
    PERCENT("median_ape_frac", "median"),
    PERCENT("p90_ape_frac", "p90"),
    PERCENT("worst_group_ape_frac", "worst group"),
    FIXED("r2", "R2", NULL, 3),
    { .key = "fit_ns", .title = "fit", .format = EC_COL_NS },
    { .key = "predict_ns", .title = "predict a row", .format = EC_COL_NS },
    { .key = "best", .title = "best", .format = EC_COL_TEXT },
};

static const struct ec_col table_cols[] = {
    { .key = "family", .title = "family" },
    { .key = "rows", .title = "tested", .unit = "rows", .format = EC_COL_THOUSANDS },
    FIXED("r2", "R2", NULL, 3),
    { .key = "mae", .title = "MAE", .format = EC_COL_DIGITS3 },
    { .key = "rmse", .title = "RMSE", .format = EC_COL_DIGITS3 },
    PERCENT("mean_ape_frac", "mean"),
    PERCENT("p90_ape_frac", "p90"),
    { .key = "best", .title = "best", .format = EC_COL_TEXT },
};
/* clang-format on */

static void progress(void *ctx, const char *text)
{
    (void)ctx;
    (void)fprintf(stderr, "%s\n", text);
}

/* A whole table in the form that was asked for. */
static enum ec_status print(struct ec_call *call, const struct ec_table *t, const char *schema,
                            struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    enum ec_table_form form = o->csv        ? EC_TABLE_CSV
                              : o->markdown ? EC_TABLE_MARKDOWN
                                            : EC_TABLE_TEXT;
    struct ec_json j;
    enum ec_status st;

    if (!o->json)
        return ec_table_write(t, form, &call->out, err);
    ec_json_begin(&j, &call->out, 2);
    ec_json_open(&j, NULL, '{');
    ec_json_str(&j, "schema", schema);
    st = ec_table_json(t, &j, "families", err);
    ec_json_close(&j, '}');
    ec_buf_char(&call->out, '\n');
    return st;
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
 * Comparisons */

static void add_compared(struct ec_table *t, const struct ec_compared *c)
{
    ec_table_text(t, c->family);
    ec_table_text(t, ec_feature_set_names[c->set]);
    ec_table_int(t, c->n_cols);
    ec_table_int(t, c->m.n);
    ec_table_num(t, c->m.rmse / 1e6);
    ec_table_num(t, c->m.mae / 1e6);
    ec_table_num(t, c->m.mean_ape);
    ec_table_num(t, c->m.median_ape);
    ec_table_num(t, c->m.p90_ape);
    ec_table_num(t, c->worst_group_ape);
    ec_table_num(t, c->m.r2);
    ec_table_num(t, c->fit_ns_per_round);
    ec_table_num(t, c->predict_ns_per_row);
    ec_table_text(t, c->best ? "*" : "");
}

static enum ec_status fit_compare(struct ec_call *call, struct ec_err *err)
{
    struct fit_cmd_opts *o = call->opts;
    struct ec_comparison c = { 0 };
    struct ec_table t;
    enum ec_status st;
    int i;

    if (!o->compare.data.n)
        return ec_usage(call, err, "a comparison needs --data PATH of measured operators");
    o->compare.seed = o->seed;
    o->compare.threads = o->threads;
    o->compare.max_rows = o->max_rows;
    o->compare.features = o->grid.features;
    o->compare.progress = progress;
    ec_table_init(&t, compare_cols, EC_LEN(compare_cols));
    EC_TRY(ec_compare(&o->compare, &c, err));
    (void)fprintf(stderr, "%d rows of %d read, %d rounds", c.n_rows, c.n_read, c.n_rounds);
    if (c.n_left_out)
        (void)fprintf(stderr, "; %d could not be used (first: %s)", c.n_left_out, c.first_left_out);
    (void)fprintf(stderr, "\n");
    for (i = 0; i < c.n; i++)
        if (!c.v[i].failed)
            add_compared(&t, &c.v[i]);
    EC_TRY(print(call, &t, "epochcast.comparison/1", err));
out:
    ec_table_clear(&t);
    ec_comparison_clear(&c);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Tables of configurations */

static enum ec_status write_rows(const struct ec_grid_fit *g, const char *path, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;
    int i, k;

    ec_buf_str(&out, "row,measured");
    for (k = 0; k < g->n; k++)
        ec_buf_printf(&out, ",%s", g->v[k].family);
    ec_buf_char(&out, '\n');
    for (i = 0; i < g->n_rows; i++) {
        if (!g->tested[i])
            continue;
        ec_buf_printf(&out, "%d,%.6g", i, g->measured[i]);
        for (k = 0; k < g->n; k++)
            ec_buf_printf(&out, ",%.6g", g->v[k].predicted[i]);
        ec_buf_char(&out, '\n');
    }
    EC_TRY(ec_buf_status(&out, err));
    EC_TRY(ec_file_write(path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    return st;
}

static enum ec_status fit_table(struct ec_call *call, struct ec_err *err)
{
    struct fit_cmd_opts *o = call->opts;
    struct ec_grid_fit g = { 0 };
    struct ec_table t;
    enum ec_status st;
    int i;

    o->grid.seed = o->seed;
    if (ec_call_given(call, "split"))
        o->grid.split = o->compare.split;
    o->grid.folds = o->compare.folds;
    ec_table_init(&t, table_cols, EC_LEN(table_cols));
    EC_TRY(ec_grid_compare(&o->grid, &g, err));
    (void)fprintf(stderr, "%d rows; %s\n", g.n_rows, g.note);
    for (i = 0; i < g.n; i++) {
        ec_table_text(&t, g.v[i].family);
        ec_table_int(&t, g.v[i].m.n);
        ec_table_num(&t, g.v[i].m.r2);
        ec_table_num(&t, g.v[i].m.mae);
        ec_table_num(&t, g.v[i].m.rmse);
        ec_table_num(&t, g.v[i].m.mean_ape);
        ec_table_num(&t, g.v[i].m.p90_ape);
        ec_table_text(&t, g.v[i].best ? "*" : "");
    }
    if (o->rows)
        EC_TRY(write_rows(&g, o->rows, err));
    EC_TRY(print(call, &t, "epochcast.table-fit/1", err));
out:
    ec_table_clear(&t);
    ec_grid_fit_clear(&g);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    const char *action = o->action ? o->action : "", *dir = o->dir;

    if (o->json + o->csv + o->markdown > 1)
        return ec_usage(call, err, "--json, --csv and --markdown exclude each other");
    if (o->provenance) {
        size_t len;
        const char *text = ec_predictor_provenance(&len);

        ec_buf_add(&call->out, text, len);
        return EC_OK;
    }
    if (o->ship && (ec_call_given(call, "seed") || ec_call_given(call, "max_rows") || o->quick ||
                    ec_call_given(call, "iterations")))
        return ec_usage(call, err, "--ship sets seed, rows and iterations itself");
    if (ec_str_eq(action, "compare") || (!*action && o->compare.ops.n))
        return fit_compare(call, err);
    if (ec_str_eq(action, "table") || (!*action && o->grid.table))
        return fit_table(call, err);
    if (!*action && o->ship)
        return ec_usage(call, err, "--ship needs the DIR of the public tables");
    if (!*action)
        return ec_usage(call, err, "fit needs --op NAME, --table FILE.csv or physics DIR");
    if (ec_str_eq(action, "parallel"))
        return fit_parallel(call, dir, err);
    if (ec_str_eq(action, "domain"))
        return fit_domain(call, dir, err);
    if (!ec_str_eq(action, "physics")) {
        if (dir)
            return ec_usage(call, err,
                            "no action \"%.40s\": expected physics, domain, parallel, "
                            "compare or table",
                            action);
        dir = action; /* epochcast fit DIR */
    }
    return fit_physics(call, dir, err);
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
