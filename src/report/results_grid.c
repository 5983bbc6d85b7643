/* Grids of configurations in a report: cross-validated regressors, predictions for configurations
 * that were not run, and the largest network in a budget of time. */
#include <math.h>
#include <string.h>

#include "report/report_internal.h"
#include "report/results_internal.h"
#include "report_columns.h"

enum { N_FEATURES = 4 };

/* ------------------------------------------------------------------------------------------------
 * Grids of configurations */

static const char *const family_names[][2] = {
    {"linear", "linear regression"                 },
    { "power", "power law"                         },
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
    const char *file = ec__results_text(r, "fit-%s", t->word);
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_picture p;
    enum ec_status st;

    EC_TRY(fit_csv(g, &text, r->err));
    EC_TRY(ec__results_parsed(r, file, &text, &csv));
    EC_TRY(ec_picture_find("predicted-actual", &p, r->err));
    p.log_x = p.log_y = false;
    p.title = "Regressors on configurations they had not seen";
    EC_TRY(ec__results_picture(r, &p, &csv, ec__results_text(r, "fit-%.60s", t->word),
                               ec__results_command(r, "plot predicted-actual", file)));
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

/* " --device this --profile p.json --framework epochcast": how the table is read. */
static const char *conditions(struct ec__results *r, const struct ec_grid_opts *o)
{
    return ec__results_text(
        r, "%s%s%s%s --framework %s --optimizer %s", *o->device ? " --device " : "",
        ec__results_quoted(r, o->device), o->profile ? " --profile " : "",
        o->profile ? ec__results_quoted(r, o->profile) : "", o->framework, o->optimizer);
}

static enum ec_status fit_section(struct ec__results *r, const struct ec__result_table *t,
                                  const struct ec_grid_opts *o, const struct ec_grid_fit *g,
                                  const char **ret_best)
{
    const struct ec_metrics *best = &g->v[0].m;
    const char *best_name = g->v[0].family;
    char mae[EC__SECONDS_BYTES], r2[EC__R2_BYTES];
    struct ec_table table;
    int k;

    ec_table_init(&table, grid_families_cols, EC_LEN(grid_families_cols));
    for (k = 0; k < g->n; k++) {
        const struct ec_metrics *m = &g->v[k].m;

        ec_table_row(&table, ec_text(family_name(g->v[k].family)), ec_int(m->n), ec_num(m->mae),
                     ec_num(m->rmse), ec_num(m->r2), ec_num(m->mean_ape));
        if (m->mae < best->mae) {
            best = m;
            best_name = g->v[k].family;
        }
    }
    ec_document_table(&r->doc, &table,
                      ec__results_text(r,
                                       "Errors in cross-validation of %d parts, from %s: each row "
                                       "is predicted by fits that had not seen it.",
                                       g->n_rounds, g->features),
                      ec__results_text(r, "epochcast fit table %s --target time_per_epoch%s",
                                       ec__results_quoted(r, t->path), conditions(r, o)));
    ec_table_clear(&table);
    *ret_best = ec__results_text(r, "%s", best_name);
    if (*g->note)
        ec_document_text(&r->doc, "%s", g->note);
    return ec_strs_add(&r->findings, r->a, r->err,
                       "Time per epoch of the configurations in %s is predicted best by %s: MAE %s "
                       "per epoch%s, on "
                       "rows that it had not seen.",
                       t->name, family_name(best_name), ec__seconds(best->mae, mae),
                       ec__r2(best, r2));
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

static struct ec_grid_opts options(const struct ec__results *r, const struct ec__result_table *t)
{
    struct ec_grid_opts o = { .table = t->path,
                              .target = "time_per_epoch",
                              .network = "cifar_cnn",
                              .device = r->o->given.given.device ? r->o->given.given.device : "",
                              .precision = "fp32",
                              .framework = "pytorch-2",
                              .optimizer = "adam",
                              .split = "kfold",
                              .seed = 1 };
    const char *profile = profile_beside(r, t->path);

    if (!trained_by_us(&t->csv))
        return o;
    o.framework = "epochcast";
    if (profile) {
        o.device = "this";
        o.profile = profile;
    }
    return o;
}

static enum ec_status device_findings(struct ec__results *r, const struct ec_grid_fit *g)
{
    int i;

    for (i = 0; i < g->devices.n; i++)
        EC_PASS(ec_strs_add(&r->findings, r->a, r->err, "%s", g->devices.v[i]));
    return EC_OK;
}

static enum ec_status fit(struct ec__results *r, const struct ec__result_table *t,
                          const struct ec_grid_opts *o, const char **ret_best)
{
    struct ec_grid_fit g = { 0 };
    struct ec_err why = { 0 };
    enum ec_status st;

    if (ec_grid_compare(o, &g, &why)) {
        ec_document_text(&r->doc, "No regressor was fitted: %s.", why.text);
        return EC_OK;
    }
    ec_document_heading(&r->doc, 3, "Regressors");
    EC_TRY(fit_section(r, t, o, &g, ret_best));
    EC_TRY(fit_figure(r, &g, t));
    EC_TRY(device_findings(r, &g));
out:
    ec_grid_fit_clear(&g);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * What was not run: values of the table and, of the filters, one between two; within the time that
 * half of the measured configurations take */

/* The budget: the median measured time, rounded up to two digits. */
static double budget_of(struct ec__query *q)
{
    double middle = 0, step;

    ec__query_ask(q, "SELECT median(time_per_epoch) FROM line WHERE time_per_epoch > 0");
    while (ec__query_next(q))
        middle = ec__query_cell(q, 0);
    if (!(middle > 0))
        return 0;
    step = pow(10, floor(log10(middle)) - 1);
    return ceil(middle / step) * step;
}

/* What the table calls a column. */
static const char *own_name(const struct ec__result_table *t, const char *name)
{
    int col = ec__grid_column(&t->csv, name);

    return col < 0 ? name : t->csv.names[col];
}

/* The value of a feature of an answer; not finite where it is none. */
static double value_of(const struct ec_grid_answers *all, const struct ec_grid_answer *a,
                       const char *name)
{
    int i;

    for (i = 0; i < all->n_cols; i++)
        if (ec_str_eq(all->names[i], name))
            return a->value[i];
    return (double)NAN;
}

static void answers_into(struct ec__query *q, const struct ec__result_table *t,
                         const struct ec_grid_answers *all, const char *family, double budget,
                         double samples)
{
    const char *names[N_FEATURES];
    int i, k;

    for (k = 0; k < N_FEATURES; k++)
        names[k] = own_name(t, whatif_cols[k].key);
    ec__query_fill(q, "asked", 3);
    ec__query_text(q, family);
    ec__query_num(q, budget);
    ec__query_num(q, samples);
    ec__query_fill(q, "answer", N_FEATURES + 4);
    for (i = 0; i < all->n; i++) {
        const struct ec_grid_answer *a = &all->v[i];

        for (k = 0; k < N_FEATURES; k++)
            ec__query_num(q, value_of(all, a, names[k]));
        ec__query_num(q, a->target.p05);
        ec__query_num(q, a->target.p50);
        ec__query_num(q, a->target.p95);
        ec__query_num(q, a->measured > 0 ? a->measured : (double)NAN);
    }
}

static enum ec_status whatif(struct ec__results *r, const struct ec__result_table *t,
                             const struct ec_grid_opts *o, struct ec__query *q)
{
    struct ec_strs set = { 0 }, words = { 0 };
    double budget = budget_of(q), samples;
    struct ec_grid_answers a = { 0 };
    struct ec_table table;
    enum ec_status st;

    ec_table_init(&table, whatif_cols, EC_LEN(whatif_cols));
    EC_TRY(ec__query_say(q, "SELECT name || '=' || text FROM choice", r->a, &set, r->err));
    if (!(budget > 0) || ec_grid_whatif(o, &set, budget, &a, NULL) || !a.n || a.device_col)
        goto out;
    if (!ec_parse_double(ec_span_of(ec_csv_text(&t->csv, 0, "dataset_size")), &samples))
        samples = (double)NAN;
    answers_into(q, t, &a, family_name(o->family ? o->family : "ours"), budget, samples);
    EC_TRY(ec__query_say(q, "SELECT * FROM choice_words; SELECT * FROM answer_caption", r->a,
                         &words, r->err));
    EC_TRY(ec__query_rows(q, "SELECT * FROM answer_table", &table, r->err));
    ec_document_heading(&r->doc, 3, "Within a budget of time");
    ec_document_table(
        &r->doc, &table, words.v[1],
        ec__results_text(r, "epochcast whatif %s%s --target time_per_epoch --budget %gs%s%s%s",
                         ec__results_quoted(r, t->path), words.v[0], budget,
                         o->family ? " --family " : "", o->family ? o->family : "",
                         conditions(r, o)));
    EC_TRY(ec__query_say(q, "SELECT * FROM answer_found", r->a, &r->findings, r->err));
out:
    ec_table_clear(&table);
    ec_grid_answers_clear(&a);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Sentences and pictures */

/* Time per epoch over depth and filters against batch. */
enum ec_status ec__grid_begin(struct ec__results *r, const struct ec__result_table *t,
                              struct ec__query *q)
{
    struct ec_picture p = { .name = "heat",
                            .form = EC_PICTURE_HEAT,
                            .x = own_name(t, "batch_size"),
                            .y = own_name(t, "time_per_epoch"),
                            .group = ec__results_text(r, "%s,%s", own_name(t, "depth"),
                                                      own_name(t, "base_filters")),
                            .title = "Time per epoch",
                            .help = "time per epoch of each configuration",
                            .x_title = "batch size" };
    bool several = false;

    ec__query_ask(q, "SELECT 1 FROM several WHERE yes");
    while (ec__query_next(q))
        several = true;
    if (!several)
        return ec__query_status(q, r->err);
    return ec__results_picture(
        r, &p, &t->csv, ec__results_text(r, "epoch-time-%.60s", t->word),
        ec__results_text(r, "epochcast plot heat %s --x %s --y %s --group %s",
                         ec__results_quoted(r, t->path), ec__results_quoted(r, p.x),
                         ec__results_quoted(r, p.y), ec__results_quoted(r, p.group)));
}

enum ec_status ec__grid_end(struct ec__results *r, const struct ec__result_table *t,
                            struct ec__query *q)
{
    struct ec_grid_opts o = options(r, t);

    EC_PASS(fit(r, t, &o, &o.family));
    return whatif(r, t, &o, q);
}

enum ec_status ec__grids_end(struct ec__results *r)
{
    struct ec_grid_opts o = { .table = NULL };
    struct ec_grid_fit g = { 0 };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n_tables; i++)
        if (ec__is_grid(&r->tables[i].csv) && !o.table)
            o = options(r, &r->tables[i]);
        else if (ec__is_grid(&r->tables[i].csv))
            EC_TRY(ec_strs_add(&o.more, r->a, r->err, "%s", r->tables[i].path));
    if (!o.more.n)
        goto out;
    o.profile = NULL;
    o.device = r->o->given.given.device ? r->o->given.given.device : "";
    EC_TRY(ec_strs_add(&o.families, r->a, r->err, "linear")); /* its fit is not looked at */
    if (ec_grid_compare(&o, &g, NULL) == EC_OK)
        EC_TRY(device_findings(r, &g));
out:
    ec_grid_fit_clear(&g);
    return st;
}
