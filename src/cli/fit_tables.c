/* epochcast fit --op and --table: kinds of regressors side by side. */
#include "cli/fit_internal.h"

#include <unistd.h>

#include "cli_columns.h"

static void progress(void *ctx, const char *text)
{
    const bool *terminal = ctx;

    if (*terminal)
        ec_say_nothing_over();
    ec_say("%s\n", text);
}

/* Progress of a search, on a terminal only: the next line overwrites this one. */
static void tried(void *ctx, const char *text)
{
    (void)ctx;
    ec_say_over("%s", text);
}

/* Writes a table in the chosen format. */
enum ec_status ec__fit_print(struct ec_call *call, const struct ec_table *t, const char *schema,
                             const char *key, struct ec_err *err)
{
    const struct ec_table_head head = { schema, key, { { 0 } } };

    return ec_call_table(call, &head, t, err);
}

/* ------------------------------------------------------------------------------------------------
 * Operators */

static void add_compared(struct ec_table *t, const struct ec_compared *c)
{
    ec_table_row(t, ec_text(c->family), ec_text(ec_feature_set_names[c->set]), ec_int(c->n_cols),
                 ec_int(c->m.n), ec_num(c->m.rmse / 1e6), ec_num(c->m.mae / 1e6),
                 ec_num(c->m.mean_ape), ec_num(c->m.median_ape), ec_num(c->m.p90_ape),
                 ec_num(c->worst_group_ape), ec_num(c->m.r2), ec_num(c->fit_ns_per_round),
                 ec_num(c->predict_ns_per_row), ec_int(c->n_held), ec_text(c->best ? "*" : ""));
}

static int count_held(const struct ec_comparison *c)
{
    int i, n = 0;

    for (i = 0; i < c->n; i++)
        n += c->v[i].n_held;
    return n;
}

/* Text has the columns that fit a terminal; Markdown, CSV and JSON have all. */
static bool is_shown(const struct ec_call *call, const struct ec_comparison *c, const char *key)
{
    if (ec_forms_any(&call->forms))
        return true;
    if (ec_str_eq(key, "worst_group_ape_frac"))
        return c->by_group;
    if (ec_str_eq(key, "held"))
        return count_held(c) > 0;
    return !ec_str_eq(key, "columns") && !ec_str_eq(key, "rows") && !ec_str_eq(key, "mae_ms");
}

static void say_held(struct ec_call *call, const struct ec_comparison *c)
{
    if (count_held(c))
        ec_buf_printf(&call->out,
                      "held: rows whose prediction lay more than a factor of %g outside the fitted "
                      "times, and was\nlimited to it; the errors are of the limited value.\n",
                      EC_LINEAR_REACH);
}

#define FAR_MEAN 10.0

static void say_far(struct ec_call *call, const struct ec_comparison *c)
{
    double most = 0;
    int i;

    for (i = 0; i < c->n; i++)
        if (!c->v[i].failed && c->v[i].m.mean_ape > most)
            most = c->v[i].m.mean_ape;
    if (most > FAR_MEAN)
        ec_buf_printf(&call->out,
                      "A mean above %.0f %%: the tested rows are unlike those of the fit, which "
                      "extrapolates; the median\nsays what a usual row is off by, and kinds of "
                      "trees (forest, gbt) stay within the fitted times.\n",
                      100 * FAR_MEAN);
}

static void say_rows(const struct ec_compare_opts *o, const struct ec_comparison *c)
{
    ec_say("%d rows of %d read; split %s: ", c->n_rows, c->n_read, o->split);
    if (c->n_rounds == 1)
        ec_say("%d test rows", c->n_tested);
    else
        ec_say("%d parts, each judged once", c->n_rounds);
    if (c->n_left_out)
        ec_say("; %d could not be used (first: %s)", c->n_left_out, c->first_left_out);
    ec_say("\n");
}

enum ec_status ec__fit_compare(struct ec_call *call, struct ec_err *err)
{
    struct fit_cmd_opts *o = call->opts;
    struct ec_col cols[EC_LEN(compare_cols)];
    struct ec_comparison c = { 0 };
    struct ec_table t = { 0 };
    bool terminal = isatty(STDERR_FILENO) != 0;
    enum ec_status st;
    int i;

    o->compare.store = o->grid.store;
    o->compare.seed = o->seed;
    o->compare.threads = o->threads;
    o->compare.max_rows = o->max_rows;
    o->compare.features = o->grid.features;
    o->compare.given.mapping = o->grid.given.mapping;
    o->compare.given.environments = o->grid.given.environments;
    o->compare.rows_path = o->rows;
    o->compare.progress = progress;
    o->compare.progress_ctx = &terminal;
    o->compare.tried = terminal ? tried : NULL;
    if (!o->compare.split)
        o->compare.split = "random";
    EC_TRY(ec_compare(&o->compare, &c, err));
    for (i = 0; i < EC_LEN(cols); i++) {
        cols[i] = compare_cols[i];
        cols[i].flags = is_shown(call, &c, cols[i].key) ? 0 : EC_COL_DATA_ONLY;
    }
    ec_table_init(&t, cols, EC_LEN(cols));
    say_rows(&o->compare, &c);
    for (i = 0; i < c.n; i++)
        if (!c.v[i].failed)
            add_compared(&t, &c.v[i]);
    EC_TRY(ec__fit_print(call, &t, "epochcast.comparison/1", "families", err));
    if (!call->forms.json && !call->forms.csv) {
        say_far(call, &c);
        say_held(call, &c);
    }
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
    return ec_file_put(path, &out, err);
}

#define FEW_JUDGE 10

static void say_table(const struct ec_grid_opts *o, const struct ec_grid_fit *g)
{
    int i;

    ec_say("%d rows; split %s: ", g->n_rows, o->split);
    if (g->n_rounds > 1)
        ec_say("%d parts, each judged once", g->n_rounds);
    else
        ec_say("%d row%s judge%s", g->n_tested, g->n_tested == 1 ? "" : "s",
               g->n_tested == 1 ? "s" : "");
    ec_say(". Features: %s. %s\n", g->features, g->note);
    for (i = 0; i < g->devices.n; i++)
        ec_say("%s\n", g->devices.v[i]);
    for (i = 0; i < g->n; i++)
        if (g->v[i].failed)
            ec_say("%s is left out: %s\n", g->v[i].family, g->v[i].why);
    if (g->n_tested < FEW_JUDGE)
        ec_say("The errors of so few test rows are uncertain%s.\n",
               g->n_rounds > 1 ? "" : ": --split kfold tests all rows");
}

enum ec_status ec__fit_table(struct ec_call *call, struct ec_err *err)
{
    struct fit_cmd_opts *o = call->opts;
    struct ec_col cols[EC_LEN(fit_table_cols)];
    struct ec_said said = { .arena = &call->arena };
    struct ec_grid_fit g = { 0 };
    struct ec_table t = { 0 };
    double seconds;
    enum ec_status st;
    int i;

    if ((!o->grid.table || !*o->grid.table) == !o->grid.store)
        return ec_usage(call, err,
                        o->grid.store ? "--store takes no table"
                                      : "a fit to a table needs FILE.csv or --store FILE");
    o->grid.seed = o->seed;
    o->grid.split = o->compare.split ? o->compare.split : "kfold";
    o->grid.folds = ec_call_given(call, "folds") ? o->compare.folds : 0;
    o->grid.families = o->compare.families;
    o->grid.save_path = o->compare.save_path;
    o->grid.tune = o->compare.tune;
    said.folder = o->grid.store ? o->grid.store : o->grid.table;
    o->grid.said = &said;
    EC_TRY(ec_grid_compare(&o->grid, &g, err));
    for (i = 0; i < EC_LEN(cols); i++) {
        cols[i] = fit_table_cols[i];
        if (ec_str_eq(cols[i].key, "mae") || ec_str_eq(cols[i].key, "rmse"))
            cols[i].unit = ec_column_unit(g.target, &seconds);
    }
    ec_table_init(&t, cols, EC_LEN(cols));
    EC_TRY(ec_said_end(&said, err));
    say_table(&o->grid, &g);
    for (i = 0; i < g.n; i++) {
        if (g.v[i].failed)
            continue;
        ec_table_row(&t, ec_text(g.v[i].family), ec_int(g.v[i].m.n), ec_num(g.v[i].m.r2),
                     ec_num(g.v[i].m.mae), ec_num(g.v[i].m.rmse), ec_num(g.v[i].m.mean_ape),
                     ec_num(g.v[i].m.p90_ape),
                     g.by_group ? ec_num(g.v[i].worst_group_ape) : ec_none(),
                     ec_text(g.v[i].best ? "*" : ""));
    }
    if (o->rows)
        EC_TRY(write_rows(&g, o->rows, err));
    EC_TRY(ec__fit_print(call, &t, "epochcast.table-fit/1", "families", err));
out:
    ec_table_clear(&t);
    ec_grid_fit_clear(&g);
    return st;
}
