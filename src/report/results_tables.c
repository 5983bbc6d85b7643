/* Other tables in a report: grids of configurations, curves, ablations. */
#include <math.h>

#include "report/picture_internal.h"
#include "report/results_internal.h"

enum { METHODS_SAID = 12 };

/* ------------------------------------------------------------------------------------------------
 * Sentences about tables that recipes draw */

/* The row where a column is largest or smallest; -1: no numbers. */
static int extreme(const struct ec_csv *c, const char *col, bool largest)
{
    int i, best = -1;

    for (i = 0; i < c->n_rows; i++) {
        double v = ec__results_number(c, i, col);

        if (isfinite(v) && (best < 0 || (largest ? v > ec__results_number(c, best, col)
                                                 : v < ec__results_number(c, best, col))))
            best = i;
    }
    return best;
}

static bool begins(const struct ec_csv *c, const char *col, const char *word)
{
    int at = ec_csv_col(c, col), i;

    for (i = 0; i < c->n_rows && at >= 0; i++)
        if (ec_str_starts(ec_csv_cell(c, i, at), word))
            return true;
    return false;
}

static bool tells_accuracy(const struct ec_csv *c)
{
    return ec_csv_col(c, "val_accuracy") >= 0 || ec_csv_col(c, "test_accuracy") >= 0;
}

/* Adds a note when the table does not say what its accuracy is of. */
static void data_note(struct ec__results *r, const struct ec_csv *c)
{
    bool cifar = begins(c, "model", "cifar");
    const char *shape = cifar ? " of the shape of CIFAR-10's" : "";

    if (!tells_accuracy(c))
        return;
    if (begins(c, "data", "synthetic"))
        ec_document_text(&r->doc,
                         "The images are made up (synthetic)%s: accuracies show that networks "
                         "learn, and which sooner%s.",
                         shape, cifar ? "; they are not those of CIFAR-10" : "");
    else if (cifar && ec_csv_col(c, "data") < 0)
        ec_document_text(&r->doc,
                         "The table does not say which images these are. `epochcast measure grid` "
                         "and `collect.py grid` take made-up ones (synthetic)%s by "
                         "default: accuracies are then not those of CIFAR-10.",
                         shape);
}

/* Whether no epoch of the table is better than guessing. */
static bool learned_nothing(const struct ec_csv *c)
{
    int model = ec_csv_col(c, "model"), i;
    double classes = model >= 0 ? ec__results_classes(ec_csv_cell(c, 0, model)) : 0;

    for (i = 0; i < c->n_rows; i++)
        if (!ec__results_guesses(ec__results_number(c, i, "train_loss"), classes))
            return false;
    return c->n_rows > 0;
}

static enum ec_status curve_findings(struct ec__results *r, const struct ec__result_table *t)
{
    static const char *const cols[] = { "val_accuracy", "validation_accuracy", "test_accuracy",
                                        "accuracy" };
    const char *model, *batch;
    char after[48] = "";
    int i, best;

    if (ec_csv_col(&t->csv, "epoch") < 0)
        return EC_OK;
    if (learned_nothing(&t->csv))
        return ec_strs_add(&r->findings, r->a, r->err,
                           "The runs in %s learned nothing (a training loss of "
                           "guessing): only times count there.",
                           t->name);
    for (i = 0; i < EC_LEN(cols); i++) {
        double v, epoch;

        best = ec_csv_col(&t->csv, cols[i]) >= 0 ? extreme(&t->csv, cols[i], true) : -1;
        if (best < 0)
            continue;
        v = ec__results_number(&t->csv, best, cols[i]);
        epoch = ec__results_number(&t->csv, best, "epoch");
        if (isfinite(epoch))
            (void)ec_snprintf(after, sizeof after, ", after epoch %g", epoch);
        model = ec_csv_cell(&t->csv, best, ec_csv_col(&t->csv, "model"));
        batch = ec_csv_cell(&t->csv, best, ec_csv_col(&t->csv, "batch_size"));
        return ec_strs_add(&r->findings, r->a, r->err, "The best %s in %s is %.1f %%%s%s%s%s%s%s.",
                           i < 2   ? "validation accuracy"
                           : i < 3 ? "test accuracy"
                                   : "accuracy",
                           t->name, v > 1.5 ? v : 100 * v, after, *model ? " of " : "", model,
                           *batch ? " at batch " : "", batch,
                           begins(&t->csv, "data", "synthetic") ? ", on made-up images" : "");
    }
    return EC_OK;
}

static enum ec_status ablation_findings(struct ec__results *r, const struct ec__result_table *t)
{
    static const char *const cols[] = { "ratio", "isolated_to_whole", "sum_to_whole" };
    int by = ec_csv_col(&t->csv, "method"), i, k;
    struct ec_groups g = { 0 };
    enum ec_status st = EC_OK;
    const char *col = NULL;

    for (i = 0; i < EC_LEN(cols) && !col; i++)
        col = ec_csv_col(&t->csv, cols[i]) >= 0 ? cols[i] : NULL;
    by = by < 0 ? ec_csv_col(&t->csv, "variant") : by;
    if (!col || by < 0)
        return EC_OK;
    EC_TRY(ec__csv_group(&t->csv, &by, 1, NULL, t->csv.n_rows, &g, r->err));
    for (i = 0; i < g.n && i < METHODS_SAID; i++) {
        const char *method = ec_csv_cell(&t->csv, ec_group_first(&g, i), by);
        double lo = (double)INFINITY, hi = -(double)INFINITY;

        for (k = g.begin[i]; k < g.begin[i + 1]; k++) {
            lo = fmin(lo, ec__results_number(&t->csv, g.item[k], col));
            hi = fmax(hi, ec__results_number(&t->csv, g.item[k], col));
        }
        if (!isfinite(lo) || !isfinite(hi))
            continue;
        EC_TRY(ec_strs_add(
            &r->findings, r->a, r->err,
            "Layers timed by the method \"%s\" add up to %.2f to %.2f of their network.", method,
            lo, hi));
    }
out:
    ec_groups_clear(&g);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 */

/* The subject of a table: the title of its first picture. */
static const char *subject(const struct ec_csv *csv)
{
    const struct ec_picture *all;
    int n, i;

    if (ec__is_grid(csv))
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
    data_note(r, &t->csv);
    EC_TRY(ec__results_csv(r, &t->csv, t->name));
    if (ec__is_grid(&t->csv))
        EC_TRY(ec__grid_begin(r, t));
    EC_TRY(ec__results_pictures(r, &t->csv, prefix, t->path));
    EC_TRY(curve_findings(r, t));
    EC_TRY(ablation_findings(r, t));
    if (ec__is_grid(&t->csv))
        EC_TRY(ec__grid_end(r, t));
out:
    return st;
}

enum ec_status ec__results_tables(struct ec__results *r)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n_tables && !st; i++)
        if (!ec__is_scaling(&r->tables[i].csv)) {
            ec__results_tell(r, "drawing ", r->tables[i].name);
            st = section(r, &r->tables[i]);
        }
    r->done.n_tables += r->n_tables;
    return st ? st : ec__grids_end(r);
}
