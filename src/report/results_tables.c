/* Other tables in a report: grids of configurations with their regressors, curves, ablations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/results_internal.h"

/* ------------------------------------------------------------------------------------------------
 * Grids of configurations */

/* clang-format off */
static const struct ec_col family_cols[] = {
    { .key = "family", .title = "regressor" },
    { .key = "n", .title = "rows", .format = EC_COL_PLAIN },
    { .key = "mae_s", .title = "MAE", .unit = "s/epoch", .format = EC_COL_DIGITS3 },
    { .key = "rmse_s", .title = "RMSE", .unit = "s/epoch", .format = EC_COL_DIGITS3 },
    { .key = "r2", .title = "R\xc2\xb2", .format = EC_COL_FIXED, .digits = 4 },
    { .key = "mape_frac", .title = "MAPE", .unit = "%", .format = EC_COL_FIXED, .scale = 100,
      .digits = 2 },
};
/* clang-format on */

static const char *const family_names[][2] = {
    {"linear", "linear regression"                 },
    { "ann",   "dense network"                     },
    { "ours",  "epochcast, corrected by these rows"},
};

static const char *family_name(const char *key)
{
    int i;

    for (i = 0; i < EC_LEN(family_names); i++)
        if (ec_str_eq(family_names[i][0], key))
            return family_names[i][1];
    return key;
}

static enum ec_status fit_csv(const struct ec_grid_fit *g, struct ec_buf *out, struct ec_err *err)
{
    int i, k;

    ec_buf_str(out, "measured,predicted,family,quantity\n");
    for (k = 0; k < g->n; k++)
        for (i = 0; i < g->n_rows; i++)
            if (g->tested[i])
                ec_buf_printf(out, "%.9g,%.9g,\"%s\",time_s\n", g->measured[i],
                              g->v[k].predicted[i], family_name(g->v[k].family));
    return ec_buf_status(out, err);
}

static enum ec_status fit_figure(struct ec__results *r, const struct ec_grid_fit *g,
                                 const struct ec__result_table *t)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_picture p;
    const char *file = ec_arena_printf(r->a, "fit-%s", t->word), *command;
    enum ec_status st;

    command = ec_arena_printf(r->a, "epochcast plot predicted-actual tables/fit-%s", t->word);
    if (!file || !command)
        return ec_nomem(r->err);
    EC_TRY(fit_csv(g, &text, r->err));
    EC_TRY(ec__results_file(r, file, &text));
    EC_TRY(ec_csv_parse(ec_buf_text(&text), text.len, &csv, r->err));
    EC_TRY(ec_picture_find("predicted-actual", &p, r->err));
    p.log_x = p.log_y = false;
    p.metrics_each = true;
    p.title = "Regressors on configurations they had not seen";
    EC_TRY(ec__results_picture(r, &p, &csv, ec_arena_printf(r->a, "fit-%.60s", t->word), command));
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

static enum ec_status fit_section(struct ec__results *r, const struct ec__result_table *t,
                                  const struct ec_grid_opts *o, const struct ec_grid_fit *g)
{
    const struct ec_metrics *best = &g->v[0].m;
    const char *best_name = g->v[0].family, *command;
    struct ec_table table;
    int k;

    ec_table_init(&table, family_cols, EC_LEN(family_cols));
    for (k = 0; k < g->n; k++) {
        const struct ec_metrics *m = &g->v[k].m;

        ec_table_text(&table, family_name(g->v[k].family));
        ec_table_int(&table, m->n);
        ec_table_num(&table, m->mae);
        ec_table_num(&table, m->rmse);
        ec_table_num(&table, m->r2);
        ec_table_num(&table, m->mean_ape);
        if (m->mae < best->mae) {
            best = m;
            best_name = g->v[k].family;
        }
    }
    command = ec_arena_printf(r->a,
                              "epochcast fit --table %s --features "
                              "depth,base_filters,batch_size,num_params --split kfold%s%s%s%s",
                              t->path, *o->device ? " --device this --profile " : "",
                              o->profile ? o->profile : "", *o->device ? " --framework " : "",
                              *o->device ? o->framework : "");
    ec_document_table(
        &r->doc, &table,
        "Errors in cross-validation: each row is predicted by fits that had not seen it.", command);
    ec_table_clear(&table);
    if (*g->note)
        ec_document_text(&r->doc, "%s", g->note);
    return ec_strs_add(
        &r->findings, r->a, r->err,
        "Time per epoch of the configurations in %s is predicted best by %s: R\xc2\xb2 "
        "%.3f, MAE %.3f s/epoch on rows that it had not seen.",
        t->name, family_name(best_name), best->r2, best->mae);
}

/* Grids name the library that trained them. */
static bool trained_by_us(const struct ec_csv *c)
{
    int col = ec_csv_col(c, "library");

    return col >= 0 && c->n_rows && !ec_str_starts(ec_csv_cell(c, 0, col), "PyTorch");
}

/* A profile of the folder is of the machine of its grids. */
static const char *profile_beside(const struct ec__results *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    int i;

    for (i = 0; i < r->n_profiles; i++)
        if (!strncmp(r->profiles[i], path, len) && r->profiles[i][len] == '/' &&
            !strchr(r->profiles[i] + len + 1, '/'))
            return r->profiles[i];
    return NULL;
}

static enum ec_status fit(struct ec__results *r, const struct ec__result_table *t)
{
    struct ec_grid_opts o = { .table = t->path,
                              .target = "time_per_epoch",
                              .features = "depth,base_filters,batch_size,num_params",
                              .network = "cifar_cnn",
                              .device = "",
                              .precision = "fp32",
                              .framework = "pytorch-2",
                              .optimizer = "adam",
                              .split = "kfold",
                              .folds = 5,
                              .seed = 1 };
    struct ec_grid_fit g = { 0 };
    struct ec_err why = { 0 };
    enum ec_status st = EC_OK;
    const char *profile;

    profile = profile_beside(r, t->path);
    if (profile && trained_by_us(&t->csv)) {
        o.device = "this";
        o.profile = profile;
        o.framework = "epochcast";
    }
    if (ec_grid_compare(&o, &g, &why)) {
        ec_document_text(&r->doc, "No regressor was fitted: %s.", why.text);
        return EC_OK;
    }
    ec_document_heading(&r->doc, 3, "Regressors");
    EC_TRY(fit_section(r, t, &o, &g));
    EC_TRY(fit_figure(r, &g, t));
out:
    ec_grid_fit_clear(&g);
    return st;
}

static double cell(const struct ec_csv *c, int row, const char *col)
{
    double v;

    return ec_parse_double(ec_span_of(ec_csv_cell(c, row, ec_csv_col(c, col))), &v) ? v
                                                                                    : (double)NAN;
}

static enum ec_status grid_findings(struct ec__results *r, const struct ec__result_table *t)
{
    int i, slow = -1, fast = -1;

    for (i = 0; i < t->csv.n_rows; i++) {
        double v = cell(&t->csv, i, "time_per_epoch");

        if (!(v > 0))
            continue;
        fast = fast < 0 || v < cell(&t->csv, fast, "time_per_epoch") ? i : fast;
        slow = slow < 0 || v > cell(&t->csv, slow, "time_per_epoch") ? i : slow;
    }
    if (fast < 0)
        return EC_OK;
    return ec_strs_add(
        &r->findings, r->a, r->err,
        "Of the configurations in %s, depth %g with %g filters at batch %g is fastest (%.3g s per "
        "epoch), depth %g with %g filters at batch %g slowest (%.3g s).",
        t->name, cell(&t->csv, fast, "depth"), cell(&t->csv, fast, "base_filters"),
        cell(&t->csv, fast, "batch_size"), cell(&t->csv, fast, "time_per_epoch"),
        cell(&t->csv, slow, "depth"), cell(&t->csv, slow, "base_filters"),
        cell(&t->csv, slow, "batch_size"), cell(&t->csv, slow, "time_per_epoch"));
}

static bool is_grid(const struct ec_csv *c)
{
    static const char *const needed[] = { "depth", "base_filters", "batch_size", "num_params",
                                          "time_per_epoch" };
    int i;

    for (i = 0; i < EC_LEN(needed); i++)
        if (ec_csv_col(c, needed[i]) < 0)
            return false;
    return true;
}

/* Time per epoch over depth and filters against batch. */
static enum ec_status grid_heat(struct ec__results *r, const struct ec__result_table *t)
{
    struct ec_picture p = { .name = "heat",
                            .form = EC_PICTURE_HEAT,
                            .x = "batch_size",
                            .y = "time_per_epoch",
                            .group = "depth,base_filters",
                            .title = "Time per epoch",
                            .help = "time per epoch of each configuration",
                            .x_title = "batch size" };
    const char *name = ec_arena_printf(r->a, "epoch-time-%.60s", t->word);
    const char *command = ec_arena_printf(r->a,
                                          "epochcast plot heat %s --x batch_size --y "
                                          "time_per_epoch --group depth,base_filters",
                                          t->path);

    return name && command ? ec__results_picture(r, &p, &t->csv, name, command) : ec_nomem(r->err);
}

/* ------------------------------------------------------------------------------------------------
 * Sentences about tables that recipes draw */

/* The row where a column is largest or smallest; -1: no numbers. */
static int extreme(const struct ec_csv *c, const char *col, bool largest)
{
    int i, best = -1;

    for (i = 0; i < c->n_rows; i++) {
        double v = cell(c, i, col);

        if (isfinite(v) &&
            (best < 0 || (largest ? v > cell(c, best, col) : v < cell(c, best, col))))
            best = i;
    }
    return best;
}

static enum ec_status curve_findings(struct ec__results *r, const struct ec__result_table *t)
{
    static const char *const cols[] = { "val_accuracy", "validation_accuracy", "test_accuracy",
                                        "accuracy" };
    int i, best;

    if (ec_csv_col(&t->csv, "epoch") < 0)
        return EC_OK;
    for (i = 0; i < EC_LEN(cols); i++) {
        double v;

        best = ec_csv_col(&t->csv, cols[i]) >= 0 ? extreme(&t->csv, cols[i], true) : -1;
        if (best < 0)
            continue;
        v = cell(&t->csv, best, cols[i]);
        return ec_strs_add(&r->findings, r->a, r->err,
                           "The best %s in %s is %.1f %%, after epoch %g.",
                           i < 2   ? "validation accuracy"
                           : i < 3 ? "test accuracy"
                                   : "accuracy",
                           t->name, v > 1.5 ? v : 100 * v, cell(&t->csv, best, "epoch"));
    }
    return EC_OK;
}

static enum ec_status ablation_findings(struct ec__results *r, const struct ec__result_table *t)
{
    static const char *const cols[] = { "ratio", "isolated_to_whole", "sum_to_whole" };
    int by = ec_csv_col(&t->csv, "method"), i, k;
    enum ec_status st = EC_OK;
    const char *col = NULL;

    for (i = 0; i < EC_LEN(cols) && !col; i++)
        col = ec_csv_col(&t->csv, cols[i]) >= 0 ? cols[i] : NULL;
    by = by < 0 ? ec_csv_col(&t->csv, "variant") : by;
    if (!col || by < 0)
        return EC_OK;
    for (i = 0; i < t->csv.n_rows && !st; i++) {
        const char *method = ec_csv_cell(&t->csv, i, by);
        double lo = (double)INFINITY, hi = 0;

        for (k = 0; k < i && !ec_str_eq(ec_csv_cell(&t->csv, k, by), method); k++)
            continue;
        if (k < i)
            continue;
        for (k = i; k < t->csv.n_rows; k++)
            if (ec_str_eq(ec_csv_cell(&t->csv, k, by), method)) {
                lo = fmin(lo, cell(&t->csv, k, col));
                hi = fmax(hi, cell(&t->csv, k, col));
            }
        st = ec_strs_add(
            &r->findings, r->a, r->err,
            "Layers timed by the method \"%s\" add up to %.2f to %.2f of their network.", method,
            lo, hi);
    }
    return st;
}

/* ------------------------------------------------------------------------------------------------
 */

/* What a table is about: the title of its first picture. */
static const char *subject(const struct ec_csv *csv)
{
    const struct ec_picture *all;
    int n, i;

    if (is_grid(csv))
        return "Configurations";
    all = ec_pictures(&n);
    for (i = 0; i < n; i++)
        if (ec_picture_fits(&all[i], csv))
            return all[i].title;
    return "Table";
}

static enum ec_status section(struct ec__results *r, const struct ec__result_table *t)
{
    const char *prefix = ec_arena_printf(r->a, "%.60s-", t->word);
    enum ec_status st;

    if (!prefix)
        return ec_nomem(r->err);
    ec_document_heading(&r->doc, 2, ec_arena_printf(r->a, "%s: %s", subject(&t->csv), t->name));
    EC_TRY(ec__results_csv(r, &t->csv, t->name));
    if (is_grid(&t->csv)) {
        EC_TRY(grid_findings(r, t));
        EC_TRY(grid_heat(r, t));
    }
    EC_TRY(ec__results_pictures(r, &t->csv, prefix, t->path));
    EC_TRY(curve_findings(r, t));
    EC_TRY(ablation_findings(r, t));
    if (is_grid(&t->csv))
        EC_TRY(fit(r, t));
out:
    return st;
}

enum ec_status ec__results_tables(struct ec__results *r)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n_tables && !st; i++)
        st = section(r, &r->tables[i]);
    r->done.n_tables += r->n_tables;
    return st;
}
