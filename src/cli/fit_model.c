/* epochcast fit describe and predict: models that `fit --save` wrote. */
#include "cli/fit_internal.h"

#include <math.h>
#include <sys/stat.h>

#include "cli_columns.h"

#define COLS_MAX (EC_GRID_COLS_MAX + 4)

static enum ec_status load(struct ec_call *call, struct ec_regressor **ret,
                           struct ec_saved_model *ret_saved, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;

    return ec_saved_model_load(o->file, &call->arena, ret, ret_saved, err);
}

/* ------------------------------------------------------------------------------------------------
 * What it is */

static void describe_json(const struct ec_regressor *m, const struct ec_saved_model *t,
                          double bytes, struct ec_buf *out)
{
    struct ec_json j;

    ec_json_document(&j, out, 2, "epochcast.model/1");
    ec_json_str(&j, "kind", ec_regressor_kind_name(m));
    ec_json_str(&j, "family", t->family);
    ec_json_str(&j, "fitted_to", t->of);
    ec_json_str(&j, "operators", t->what);
    ec_json_str(&j, "source", t->source);
    ec_json_str(&j, "target", t->target);
    ec_json_str(&j, "seen_as", ec_target_names[ec_regressor_target(m)]);
    ec_json_str(&j, "features", t->features);
    ec_json_strs(&j, "columns", ec_regressor_names(m), ec_regressor_cols(m));
    ec_json_int(&j, "rows", t->rows);
    ec_json_int(&j, "seed", t->seed);
    ec_json_num(&j, "bytes", bytes);
    ec_json_end(&j);
}

/* The network whose prediction is corrected, or of which counts are features; and its conditions,
 * as far as all rows share them. */
static void put_network(const struct ec_regressor *m, const struct ec_saved_model *t,
                        struct ec_buf *out)
{
    const char *words[] = { t->framework, t->precision, t->optimizer };
    int last = ec_regressor_cols(m) - 1, i, n = 0;

    ec_buf_printf(out, "%s %s%s%s",
                  ec_str_eq(ec_regressor_names(m)[last], "predicted")
                      ? "corrects  what is predicted for"
                      : "counts    what is computed by",
                  ec_str_eq(t->network, "each") ? "the network of each row" : t->network,
                  *t->device ? " on " : "", t->device);
    for (i = 0; i < EC_LEN(words); i++)
        if (*words[i])
            ec_buf_printf(out, "%s%s", n++ ? ", " : " (", words[i]);
    ec_buf_str(out, n ? ")\n" : "\n");
}

static void describe_text(const struct ec_regressor *m, const struct ec_saved_model *t,
                          double bytes, struct ec_buf *out)
{
    char size[32], rows[32];
    int i;

    ec_buf_printf(out, "kind      %s\n", ec_regressor_kind_name(m));
    ec_buf_printf(out, "family    %s\n", t->family);
    ec_buf_printf(out, "target    %s, seen as %s\n", t->target,
                  ec_target_names[ec_regressor_target(m)]);
    ec_buf_printf(out, "fitted    to %s rows of %s%s%s%s\n",
                  ec_fmt_thousands(rows, sizeof rows, t->rows), t->source,
                  *t->what ? ", operators " : "", t->what,
                  t->device_offsets ? ", with what is known of their devices" : "");
    ec_buf_printf(out, "features  %s\n", t->features);
    if (*t->network)
        put_network(m, t, out);
    if (t->hi > 0)
        ec_buf_printf(out, "held      between %.4g and %.4g\n", t->lo, t->hi);
    ec_buf_printf(out, "seed      %lld\n", (long long)t->seed);
    ec_buf_printf(out, "size      %s\n", ec_fmt_bytes(size, sizeof size, bytes));
    ec_buf_printf(out, "columns   %d:", ec_regressor_cols(m));
    for (i = 0; i < ec_regressor_cols(m); i++)
        ec_buf_printf(out, " %s", ec_regressor_names(m)[i]);
    ec_buf_char(out, '\n');
}

enum ec_status ec__fit_describe(struct ec_call *call, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    struct ec_regressor *m = NULL;
    struct ec_saved_model t = { 0 };
    struct stat info = { 0 };
    enum ec_status st;

    EC_TRY(load(call, &m, &t, err));
    (void)stat(o->file, &info);
    (call->forms.json ? describe_json : describe_text)(m, &t, (double)info.st_size, &call->out);
out:
    ec_regressor_free(m);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * What it says of rows */

/* Times of operators are shown in milliseconds. */
static int make_cols(const struct ec_model_rows *a, const char *target, struct ec_col *col)
{
    bool of_table = a->names != NULL;
    double seconds;
    int i, n = 0;

    for (i = 0; i < (of_table ? a->n_names : EC_LEN(fit_operators_cols)); i++)
        col[n++] = of_table ? (struct ec_col){ .key = a->names[i],
                                               .title = a->names[i],
                                               .format = EC_COL_PLAIN }
                            : fit_operators_cols[i];
    for (i = 0; i < EC_LEN(fit_rest_cols); i++)
        col[n++] = fit_rest_cols[i];
    col[n - 4].unit = col[n - 3].unit = of_table ? ec_column_unit(target, &seconds) : "ms";
    if (!of_table) {
        col[n - 4].key = "measured_ms";
        col[n - 3].key = "predicted_ms";
    }
    return n;
}

static void add_row(struct ec_table *t, const struct ec_model_rows *a, const struct ec_model_row *r)
{
    double scale = a->names ? 1 : 1e-6;
    int i;

    for (i = 0; a->names && i < a->n_names; i++)
        ec_table_num(t, r->value[i]);
    if (!a->names) {
        ec_table_row(t, ec_text(r->device), ec_text(r->what), ec_text(r->timed));
    }
    ec_table_row(
        t, r->measured > 0 ? ec_num(r->measured * scale) : ec_none(), ec_num(r->predicted * scale),
        r->measured > 0 ? ec_num(r->predicted / r->measured - 1) : ec_none(), ec_bool(r->held));
}

/* Whether a path is among those joined by commas. */
static bool fitted_to(const struct ec_saved_model *t, const struct fit_cmd_opts *o)
{
    struct ec_span rest = ec_span_of(t->source), path;
    int i;

    while (ec_span_cut(&rest, ',', &path)) {
        if ((o->grid.table && ec_span_eq(path, o->grid.table)) ||
            (o->grid.store && ec_span_eq(path, o->grid.store)))
            return true;
        for (i = 0; i < o->compare.data.n; i++)
            if (ec_span_eq(path, o->compare.data.v[i]))
                return true;
    }
    return false;
}

static void say_errors(const struct ec_model_rows *a, bool seen)
{
    ec_say("%d rows", a->n);
    if (a->n_measured)
        ec_say(", %d of them measured: mean error %.1f %%, median %.1f %%, 90th "
               "percentile %.1f %%",
               a->n_measured, 100 * a->m.mean_ape, 100 * a->m.median_ape, 100 * a->m.p90_ape);
    if (a->n_measured && isfinite(a->m.r2))
        ec_say(", R2 %.3f", a->m.r2);
    ec_say("\n");
    if (a->n_left_out)
        ec_say("%d rows left out, the first: %s\n", a->n_left_out, a->first_left_out);
    if (a->n_measured && seen)
        ec_say("The model was fitted to rows of this table: its errors here say nothing "
               "about other tables.\n");
}

enum ec_status ec__fit_predict(struct ec_call *call, struct ec_err *err)
{
    struct fit_cmd_opts *o = call->opts;
    struct ec_col cols[COLS_MAX];
    struct ec_regressor *m = NULL;
    struct ec_saved_model t = { 0 };
    struct ec_model_rows a = { 0 };
    struct ec_table table = { 0 };
    enum ec_status st;
    int i;

    if ((o->grid.table != NULL) + (o->compare.data.n > 0) + (o->grid.store != NULL) != 1)
        return ec_usage(call, err,
                        "expected the FILE of a model and either --data PATH of measured "
                        "operators, --table FILE.csv or --store FILE");
    EC_TRY(load(call, &m, &t, err));
    o->compare.max_rows = o->max_rows;
    o->compare.given.mapping = o->grid.given.mapping;
    o->compare.given.environments = o->grid.given.environments;
    o->compare.store = o->grid.store;
    if (o->grid.table || (o->grid.store && ec_str_eq(t.of, "table")))
        EC_TRY(ec_saved_model_table(m, &t, &o->grid, &a, err));
    else
        EC_TRY(ec_saved_model_operators(m, &t, &o->compare, &a, err));
    ec_table_init(&table, cols, make_cols(&a, t.target, cols));
    for (i = 0; i < a.n; i++)
        add_row(&table, &a, &a.v[i]);
    say_errors(&a, fitted_to(&t, o));
    if (ec_call_given(call, "out"))
        EC_TRY(ec_table_save(&table, o->out, err));
    else
        EC_TRY(ec__fit_print(call, &table, "epochcast.model-predictions/1", "rows", err));
out:
    ec_table_clear(&table);
    ec_model_rows_clear(&a);
    ec_regressor_free(m);
    return st;
}
