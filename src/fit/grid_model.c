/* Predicts rows of a table with a saved model. */
#include "fit/grid.h"

#include <string.h>

#include "fit/grid_internal.h"

/* Checks that the model's columns are the features, and after them maybe the physics column. */
static enum ec_status check_columns(struct ec__grid *g, const struct ec_regressor *m,
                                    struct ec_err *err)
{
    const char *const *names = ec_regressor_names(m);
    int j;

    for (j = 0; j < g->n_cols && j < ec_regressor_cols(m); j++)
        if (!ec_str_eq(names[j], g->names[j]))
            break;
    g->physics = ec_regressor_cols(m) == g->n_cols + 1;
    if (j < g->n_cols || ec_regressor_cols(m) != g->n_cols + g->physics ||
        (g->physics && !*g->o->network))
        return ec_fail(err, EC_E_PARSE, "the model's columns are not the features it names");
    return EC_OK;
}

/* Predicts one row, whose target may be missing. */
static enum ec_status ask_row(struct ec__grid *g, const struct ec_regressor *m,
                              const struct ec_saved_model *t, int i, struct ec_model_row *ret,
                              struct ec_err *err)
{
    double x[EC_GRID_COLS_MAX + 1], *value = g->value + i * g->n_cols;
    const char *cell = ec_csv_cell(&g->csv, i, ec_column_like(&g->csv, t->target));

    g->row[i] = i;
    EC_PASS(ec__grid_read_row(g, i, value, err));
    if (g->physics) {
        EC_PASS(ec_within(err, ec__grid_physics(g, i, value, &g->log_physics[i], err),
                          "line %d: ", g->csv.lines[i]));
    }
    if (!ec_parse_double(ec_span_trim(ec_span_of(cell)), &ret->measured) || ret->measured < 0)
        ret->measured = 0;
    ret->value = value;
    (void)ec__grid_inputs(g, true, g->physics, value, g->log_physics[i], x);
    ec__asked_answer(m, t, x, ret);
    return EC_OK;
}

static enum ec_status ask_rows(struct ec__grid *g, const struct ec_regressor *m,
                               const struct ec_saved_model *t, struct ec_model_rows *ret,
                               struct ec_err *err)
{
    int i;

    for (i = 0; i < g->n_cols; i++)
        g->as_log[i] = ec_is_among(g->names[i], ec_span_of(t->logs), ',');
    ret->v = ec_arena_alloc(&g->arena, sizeof *ret->v * (size_t)(g->n + 1));
    ret->names = ec_arena_copy(&g->arena, g->names, sizeof *g->names * (size_t)g->n_cols);
    EC_PASS(ec_allocated(ret->v && ret->names, err));
    ret->n_names = g->n_cols;
    for (i = 0; i < g->n; i++)
        EC_PASS(ask_row(g, m, t, i, &ret->v[ret->n++], err));
    return ec__asked_judge(ret, err);
}

/* A word that all rows of the fit shared; NULL where they differed. */
static const char *given(const char *word)
{
    return word && *word ? word : NULL;
}

enum ec_status ec_saved_model_table(const struct ec_regressor *m, const struct ec_saved_model *t,
                                    const struct ec_grid_opts *of, struct ec_model_rows *ret,
                                    struct ec_err *err)
{
    struct ec_grid_opts o = { .table = of->table,
                              .store = of->store,
                              .given = of->given,
                              .target = t->target,
                              .features = t->features,
                              .network = t->network,
                              .device = *of->device ? of->device : t->device,
                              .precision = given(t->precision),
                              .framework = given(t->framework),
                              .optimizer = given(t->optimizer),
                              .profile = of->profile };
    struct ec_model_rows asked = { 0 };
    struct ec__grid g = { 0 };
    enum ec_status st;

    if (!ec_str_eq(t->of, "table"))
        return ec_fail(err, EC_E_INPUT,
                       "the model was fitted to operators: give --op NAME --data PATH");
    EC_TRY(ec__grid_of_table(&o, ec__grid_open_table(&o, &g, err), err));
    EC_TRY(check_columns(&g, m, err));
    if (o.profile)
        EC_TRY(ec_predictor_use_profile(g.predictor, o.profile, err));
    EC_TRY(ec__grid_of_table(&o, ask_rows(&g, m, t, &asked, err), err));
    asked.arena = g.arena; /* the texts of the rows */
    memset(&g.arena, 0, sizeof g.arena);
    *ret = asked;
out:
    ec__grid_clear(&g);
    return st;
}
