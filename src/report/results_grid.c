/* Grids of configurations in a report: cross-validated regressors, predictions for configurations
 * that were not run, and the largest network in a budget of time. */
#include <math.h>
#include <stdlib.h>
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
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_picture p;
    const char *file = ec_arena_printf(r->a, "fit-%s", t->word), *command;
    enum ec_status st;

    command =
        ec__results_command(r, "plot predicted-actual", ec_arena_printf(r->a, "fit-%s", t->word));
    if (!file || !command)
        return ec_nomem(r->err);
    EC_TRY(fit_csv(g, &text, r->err));
    EC_TRY(ec__results_file(r, file, &text));
    EC_TRY(ec_csv_parse(ec_buf_text(&text), text.len, &csv, r->err));
    EC_TRY(ec_picture_find("predicted-actual", &p, r->err));
    p.log_x = p.log_y = false;
    p.title = "Regressors on configurations they had not seen";
    EC_TRY(ec__results_picture(r, &p, &csv, ec_arena_printf(r->a, "fit-%.60s", t->word), command));
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

/* " --device this --profile p.json --framework epochcast": how the table is read. */
static const char *conditions(struct ec__results *r, const struct ec_grid_opts *o)
{
    const char *text = ec_arena_printf(
        r->a, "%s%s%s%s --framework %s --optimizer %s", *o->device ? " --device " : "",
        ec__results_quoted(r, o->device), o->profile ? " --profile " : "",
        o->profile ? ec__results_quoted(r, o->profile) : "", o->framework, o->optimizer);

    return text ? text : "";
}

static enum ec_status fit_section(struct ec__results *r, const struct ec__result_table *t,
                                  const struct ec_grid_opts *o, const struct ec_grid_fit *g,
                                  const char **ret_best)
{
    const struct ec_metrics *best = &g->v[0].m;
    const char *best_name = g->v[0].family, *command, *caption;
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
    command = ec_arena_printf(r->a, "epochcast fit table %s --target time_per_epoch%s",
                              ec__results_quoted(r, t->path), conditions(r, o));
    caption = ec_arena_printf(r->a,
                              "Errors in cross-validation of %d parts, from %s: each row is "
                              "predicted by fits that had not seen it.",
                              g->n_rounds, g->features);
    if (caption)
        ec_document_table(&r->doc, &table, caption, command);
    ec_table_clear(&table);
    *ret_best = ec_arena_str(r->a, best_name);
    if (!*ret_best || !caption)
        return ec_nomem(r->err);
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

/* Different configurations; 0 when memory is out, which the fit then says. */
static int configurations(const struct ec_csv *c)
{
    const int cols[] = { ec_csv_col(c, "depth"), ec_csv_col(c, "base_filters"),
                         ec_csv_col(c, "batch_size") };
    struct ec_groups g = { 0 };
    int n = ec__csv_group(c, cols, EC_LEN(cols), NULL, c->n_rows, &g, NULL) ? 0 : g.n;

    ec_groups_clear(&g);
    return n;
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
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < g->devices.n && !st; i++)
        st = ec_strs_add(&r->findings, r->a, r->err, "%s", g->devices.v[i]);
    return st;
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

enum { CHOICES_MAX = 12, ANSWERS_SHOWN = 27 };

/* Different numbers of a column, in their order; at most max. */
static int values_of(const struct ec_csv *c, const char *col, double *ret, int max)
{
    int row, i, n = 0;

    for (row = 0; row < c->n_rows && n < max; row++) {
        double v = ec__results_number(c, row, col);

        for (i = 0; i < n && !(fabs(ret[i] - v) < 0.5); i++)
            continue;
        if (i == n && isfinite(v))
            ret[n++] = v;
    }
    qsort(ret, (size_t)n, sizeof *ret, ec_by_double);
    return n;
}

static enum ec_status choices(struct ec__results *r, const struct ec_csv *c, struct ec_strs *set,
                              const char **ret_words)
{
    static const char *const cols[] = { "depth", "base_filters", "batch_size" };
    double v[CHOICES_MAX + 1];
    enum ec_status st = EC_OK;
    int i, k, n;

    *ret_words = "";
    for (i = 0; i < EC_LEN(cols); i++) {
        n = values_of(c, cols[i], v, CHOICES_MAX);
        if (i == 1 && n > 1)
            v[n++] = floor((v[0] + v[1]) / 2);
        qsort(v, (size_t)n, sizeof *v, ec_by_double);
        for (k = 0; k < n; k++) {
            EC_TRY(ec_strs_add(set, r->a, r->err, "%s=%.0f", cols[i], v[k]));
            *ret_words = k ? ec_arena_printf(r->a, "%s,%.0f", *ret_words, v[k])
                           : ec_arena_printf(r->a, "%s %s", *ret_words, set->v[set->n - 1]);
            if (!*ret_words)
                return ec_nomem(r->err);
        }
    }
out:
    return st;
}

/* The budget: the median measured time, rounded to two digits. */
static double budget_of(struct ec__results *r, const struct ec_csv *c)
{
    double *v = ec_arena_alloc(r->a, sizeof *v * (size_t)(c->n_rows + 1)), middle, step;
    int i, n = 0;

    for (i = 0; v && i < c->n_rows; i++) {
        v[n] = ec__results_number(c, i, "time_per_epoch");
        n += v[n] > 0;
    }
    if (!n)
        return 0;
    middle = ec_quantile_inplace(v, n, 0.5);
    step = pow(10, floor(log10(middle)) - 1);
    return ceil(middle / step) * step;
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

static void add_answer(struct ec_table *t, const struct ec_grid_answers *all,
                       const struct ec_grid_answer *a, double samples)
{
    int i;

    for (i = 0; i < N_FEATURES; i++)
        ec_table_num(t, value_of(all, a, whatif_cols[i].key));
    ec_table_row(t, ec_num(a->target.p05), ec_num(a->target.p50), ec_num(a->target.p95),
                 ec_positive(a->measured),
                 ec_num(samples / (a->measured > 0 ? a->measured : a->target.p50)));
}

/* A network is larger with more blocks, then with more filters, where its parameters are not known.
 */
static bool is_larger(const struct ec_grid_answers *all, const struct ec_grid_answer *a,
                      const struct ec_grid_answer *than)
{
    double more = value_of(all, a, "num_params") - value_of(all, than, "num_params");

    if (!isfinite(more))
        more = value_of(all, a, "depth") - value_of(all, than, "depth");
    if (!(more > 0) && !(more < 0))
        more = value_of(all, a, "base_filters") - value_of(all, than, "base_filters");
    return more > 0;
}

/* The largest network within the budget, of equals the fastest: by measured times, and else by the
 * family that was best. */
static enum ec_status whatif_finding(struct ec__results *r, const struct ec__result_table *t,
                                     const struct ec_grid_answers *a, const char *family,
                                     double budget)
{
    const struct ec_grid_answer *best = &a->v[0];
    char at_most[EC__SECONDS_BYTES], middle[EC__SECONDS_BYTES], low[EC__SECONDS_BYTES],
        high[EC__SECONDS_BYTES];
    const char *took;
    int i;

    for (i = 1; i < a->n; i++)
        best = is_larger(a, &a->v[i], best) ? &a->v[i] : best;
    took = best->measured > 0
               ? ec_arena_printf(r->a, "%s were measured", ec__seconds(best->measured, middle))
               : ec_arena_printf(
                     r->a, "%s are predicted by %s, %s to %s with 90 %% confidence",
                     ec__seconds(best->target.p50, middle), family_name(family ? family : "ours"),
                     ec__seconds(best->target.p05, low), ec__seconds(best->target.p95, high));
    if (!took)
        return ec_nomem(r->err);
    return ec_strs_add(&r->findings, r->a, r->err,
                       "Within %s per epoch, the largest network of the family in %s has depth "
                       "%.0f with %.0f filters, at batch %.0f: %s.",
                       ec__seconds(budget, at_most), t->name, value_of(a, best, "depth"),
                       value_of(a, best, "base_filters"), value_of(a, best, "batch_size"), took);
}

static enum ec_status whatif_table(struct ec__results *r, const struct ec__result_table *t,
                                   const struct ec_grid_answers *a, double budget,
                                   const char *command)
{
    double samples = ec__results_number(&t->csv, 0, "dataset_size");
    int i, n_measured = 0, n_inside = 0;
    char at_most[EC__SECONDS_BYTES];
    const char *caption;
    struct ec_table table;

    ec_table_init(&table, whatif_cols, EC_LEN(whatif_cols));
    for (i = 0; i < a->n && i < ANSWERS_SHOWN; i++)
        add_answer(&table, a, &a->v[i], samples);
    for (i = 0; i < a->n; i++)
        if (a->v[i].measured > 0) {
            n_measured++;
            n_inside +=
                a->v[i].measured >= a->v[i].target.p05 && a->v[i].measured <= a->v[i].target.p95;
        }
    caption = ec_arena_printf(r->a,
                              "Configurations within %s per epoch, the fastest first; those "
                              "without a measured time were not run. Of the %d that were run, %d "
                              "took a time within their 5 to 95 %%.",
                              ec__seconds(budget, at_most), n_measured, n_inside);
    if (caption)
        ec_document_table(&r->doc, &table, caption, command);
    ec_table_clear(&table);
    return caption ? EC_OK : ec_nomem(r->err);
}

static enum ec_status whatif(struct ec__results *r, const struct ec__result_table *t,
                             const struct ec_grid_opts *o)
{
    double budget = budget_of(r, &t->csv);
    struct ec_grid_answers a = { 0 };
    const char *words, *command;
    struct ec_strs set = { 0 };
    enum ec_status st;

    EC_TRY(choices(r, &t->csv, &set, &words));
    if (!(budget > 0) || ec_grid_whatif(o, &set, budget, &a, NULL) || !a.n)
        goto out;
    command = ec_arena_printf(
        r->a, "epochcast whatif %s%s --target time_per_epoch --budget %gs%s%s%s",
        ec__results_quoted(r, t->path), words, budget, o->family ? " --family " : "",
        o->family ? o->family : "", conditions(r, o));
    if (!command)
        EC_TRY(ec_nomem(r->err));
    ec_document_heading(&r->doc, 3, "Within a budget of time");
    EC_TRY(whatif_table(r, t, &a, budget, command));
    EC_TRY(whatif_finding(r, t, &a, o->family, budget));
out:
    ec_grid_answers_clear(&a);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Sentences and pictures */

/* Counts runs that are no better than guessing: their accuracy is not that of their network. */
static enum ec_status untrained(struct ec__results *r, const struct ec__result_table *t)
{
    const struct ec_csv *c = &t->csv;
    double classes = ec__results_classes(ec_csv_cell(c, 0, ec_csv_col(c, "model")));
    int i, n = 0, all = 0;

    for (i = 0; i < c->n_rows; i++) {
        double loss = ec__results_number(c, i, "train_loss");

        if (!isfinite(loss) || (!isfinite(ec__results_number(c, i, "test_accuracy")) &&
                                !isfinite(ec__results_number(c, i, "val_accuracy"))))
            continue;
        all++;
        n += ec__results_guesses(loss, classes);
    }
    if (!n || classes < 2)
        return EC_OK;
    ec_document_text(
        &r->doc,
        "%d of %d runs ended at the training loss of random answers among %.0f classes, "
        "%.3f: they learned nothing, and their accuracies say nothing of their "
        "networks. Times do not depend on it.",
        n, all, classes, log(classes));
    if (configurations(c) < 2)
        return EC_OK;
    return ec_strs_add(
        &r->findings, r->a, r->err,
        "In %s %d of %d runs learned nothing (their training loss is that of random answers): only "
        "times count there.",
        t->name, n, all);
}

/* Whether the row says which configuration it is. */
static bool is_config(const struct ec_csv *c, int row)
{
    return isfinite(ec__results_number(c, row, "depth")) &&
           isfinite(ec__results_number(c, row, "base_filters")) &&
           isfinite(ec__results_number(c, row, "batch_size"));
}

static enum ec_status grid_findings(struct ec__results *r, const struct ec__result_table *t)
{
    char fast_s[EC__SECONDS_BYTES], slow_s[EC__SECONDS_BYTES];
    int i, slow = -1, fast = -1;

    for (i = 0; i < t->csv.n_rows; i++) {
        double v = ec__results_number(&t->csv, i, "time_per_epoch");

        if (!(v > 0) || !is_config(&t->csv, i))
            continue;
        fast = fast < 0 || v < ec__results_number(&t->csv, fast, "time_per_epoch") ? i : fast;
        slow = slow < 0 || v > ec__results_number(&t->csv, slow, "time_per_epoch") ? i : slow;
    }
    if (fast < 0 || configurations(&t->csv) < 2)
        return EC_OK;
    return ec_strs_add(
        &r->findings, r->a, r->err,
        "Of the configurations in %s, depth %g with %g filters at batch %g is fastest (%s per "
        "epoch), depth %g with %g filters at batch %g slowest (%s).",
        t->name, ec__results_number(&t->csv, fast, "depth"),
        ec__results_number(&t->csv, fast, "base_filters"),
        ec__results_number(&t->csv, fast, "batch_size"),
        ec__seconds(ec__results_number(&t->csv, fast, "time_per_epoch"), fast_s),
        ec__results_number(&t->csv, slow, "depth"),
        ec__results_number(&t->csv, slow, "base_filters"),
        ec__results_number(&t->csv, slow, "batch_size"),
        ec__seconds(ec__results_number(&t->csv, slow, "time_per_epoch"), slow_s));
}

/* By what factor twice a column's value changes the time, of rows alike in the two others: the
 * slope of logarithms within them. Not finite where none differ. */
static enum ec_status effect(const struct ec_csv *c, const char *name, const int others[2],
                             double *ret, struct ec_err *err)
{
    double up = 0, across = 0;
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i, k;

    EC_TRY(ec__csv_group(c, others, 2, NULL, c->n_rows, &g, err));
    for (i = 0; i < g.n; i++) {
        double n = 0, x = 0, y = 0, xx = 0, xy = 0;

        for (k = g.begin[i]; k < g.begin[i + 1]; k++) {
            double v = log2(ec__results_number(c, g.item[k], name));
            double t = log2(ec__results_number(c, g.item[k], "time_per_epoch"));

            if (!isfinite(v) || !isfinite(t))
                continue;
            n++;
            x += v;
            y += t;
            xx += v * v;
            xy += v * t;
        }
        across += n > 0 ? xx - x * x / n : 0;
        up += n > 0 ? xy - x * y / n : 0;
    }
    *ret = across > 1e-9 ? exp2(up / across) : (double)NAN;
out:
    ec_groups_clear(&g);
    return st;
}

static enum ec_status effects(struct ec__results *r, const struct ec__result_table *t)
{
    static const char *const axes[][2] = {
        {"depth",         "depth"  },
        { "base_filters", "filters"},
        { "batch_size",   "batch"  },
    };
    const char *text = "";
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(axes); i++) {
        const int others[] = { ec_csv_col(&t->csv, axes[(i + 1) % 3][0]),
                               ec_csv_col(&t->csv, axes[(i + 2) % 3][0]) };
        double times;

        EC_TRY(effect(&t->csv, axes[i][0], others, &times, r->err));
        if (isfinite(times))
            text = ec_arena_printf(r->a, "%s%s %.2f times as long with twice the %s", text,
                                   *text ? "," : "", times, axes[i][1]);
        if (!text)
            EC_TRY(ec_nomem(r->err));
    }
    if (*text)
        EC_TRY(ec_strs_add(&r->findings, r->a, r->err,
                           "Where all else is alike, an epoch in %s takes%s.", t->name, text));
out:
    return st;
}

bool ec__is_grid(const struct ec_csv *c)
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
                                          ec__results_quoted(r, t->path));

    if (configurations(&t->csv) < 2)
        return EC_OK;
    return name && command ? ec__results_picture(r, &p, &t->csv, name, command) : ec_nomem(r->err);
}

enum ec_status ec__grid_begin(struct ec__results *r, const struct ec__result_table *t)
{
    enum ec_status st;

    EC_TRY(grid_findings(r, t));
    EC_TRY(effects(r, t));
    EC_TRY(untrained(r, t));
    EC_TRY(grid_heat(r, t));
out:
    return st;
}

enum ec_status ec__grid_end(struct ec__results *r, const struct ec__result_table *t)
{
    struct ec_grid_opts o = options(r, t);
    enum ec_status st;

    EC_TRY(fit(r, t, &o, &o.family));
    EC_TRY(whatif(r, t, &o));
out:
    return st;
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
