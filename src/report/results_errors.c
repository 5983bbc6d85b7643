/* Errors of predictions in a report: of measured runs, and of single operators. */
#include "report/results_internal.h"
#include "report/runs_internal.h"
#include "report_columns.h"

#define FITTED                                                                                     \
    "Where rows took part in what ships (`epochcast fit --provenance` names its tables) these "    \
    "are "                                                                                         \
    "errors of a fit, no test of it."

static void add_group(struct ec_table *t, const char *by, const char *group,
                      const struct ec_metrics *m, double roofline_median)
{
    ec_table_row(t, ec_text(by), ec_text(group), ec_int(m->n), ec_num(m->median_ape),
                 ec_num(m->mean_ape), ec_num(m->p90_ape), ec_num(m->r2), ec_num(roofline_median));
}

/* The table, its file, and its pictures. */
static enum ec_status show(struct ec__results *r, const struct ec_table *t, const char *prefix,
                           const char *caption)
{
    const char *file = ec__results_text(r, "%serrors.csv", prefix);
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(ec__results_kept(r, file, t, &csv));
    ec_document_table(&r->doc, t, caption, NULL);
    EC_TRY(ec__results_pictures(r, &csv, prefix, ec__results_text(r, "tables/%s", file)));
out:
    ec_csv_clear(&csv);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Runs of networks */

enum ec_status ec__results_errors(struct ec__results *r, struct ec_runs *runs)
{
    struct ec__query *q;
    struct ec_table t;
    enum ec_status st;

    ec_table_init(&t, errors_cols, EC_LEN(errors_cols));
    EC_TRY(ec__runs_query(runs, &q, r->err));
    EC_TRY(ec__query_rows(q, "SELECT * FROM errors", &t, r->err));
    if (!ec_table_rows(&t))
        goto out;
    ec_document_heading(&r->doc, 2, "Predictions of the runs");
    ec_document_text(&r->doc, FITTED);
    EC_TRY(show(r, &t, "",
                "Errors of what ships on these runs, and of a roofline of the whole step, by "
                "environment, mode, precision and network."));
out:
    ec_table_clear(&t);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Single operators */

struct operators {
    struct ec_record_list rows;
    struct ec_arena arena;
    struct ec_csv *csv;
};

/* Skips a table without a complete measurement: it has no errors. */
static enum ec_status read_operators(struct ec__results *r, struct operators *o)
{
    int i;

    o->csv = ec_alloc(sizeof *o->csv * (size_t)r->n_layer_files);
    EC_PASS(ec_allocated(o->csv, r->err));
    for (i = 0; i < r->n_layer_files; i++) {
        const struct ec_mapping *layout = NULL;

        EC_PASS(ec_csv_read(r->layer_files[i], &o->csv[i], r->err));
        if (ec_mapping_detect(&o->csv[i], &o->arena, &layout, NULL) == EC_OK)
            EC_PASS(ec_mapping_rows(layout, &o->csv[i], &o->arena, &o->rows, r->err));
    }
    return EC_OK;
}

static enum ec_status operator_groups(struct ec__results *r, const struct ec_judged_list *l,
                                      enum ec_group_by by, const char *name, struct ec_table *t)
{
    struct ec_group_errors *v = NULL;
    enum ec_status st;
    int n = 0, i;

    EC_TRY(ec_evaluate(l, by, &v, &n, r->err));
    for (i = 0; i < n; i++)
        add_group(t, name, v[i].key, &v[i].ours, v[i].roofline.median_ape);
out:
    ec_free(v);
    return st;
}

static enum ec_status operator_section(struct ec__results *r, const struct ec_judged_list *l)
{
    char many[32], left[32];
    struct ec_table t;
    enum ec_status st;

    ec_table_init(&t, errors_cols, EC_LEN(errors_cols));
    EC_TRY(operator_groups(r, l, EC_BY_DEVICE, "device", &t));
    EC_TRY(operator_groups(r, l, EC_BY_PHASE, "phase", &t));
    EC_TRY(operator_groups(r, l, EC_BY_PRECISION, "precision", &t));
    EC_TRY(operator_groups(r, l, EC_BY_FAMILY, "kind", &t));
    ec_document_heading(&r->doc, 2, "Operators");
    ec_document_text(&r->doc, FITTED);
    ec_document_text(
        &r->doc,
        "%s measured times of single operators beside what ships, and beside a "
        "roofline at datasheet peaks; %s further rows are of no device of the "
        "catalogue or could not be predicted.",
        ec_fmt_thousands(many, sizeof many, l->n),
        ec_fmt_thousands(left, sizeof left, l->n_no_device + l->n_other + l->n_no_network));
    EC_TRY(show(r, &t, "operator-", "Errors by device, phase, precision and kind of operator."));
out:
    ec_table_clear(&t);
    return st;
}

enum ec_status ec__results_operators(struct ec__results *r)
{
    struct operators o = { 0 };
    struct ec_judged_list l = { 0 };
    struct ec_predictor *p = NULL;
    enum ec_status st = EC_OK;
    int i;

    if (!r->n_layer_files)
        return EC_OK;
    EC_TRY(read_operators(r, &o));
    EC_TRY(ec_predictor_new(&p, r->err));
    EC_TRY(ec_judge(p, o.rows.v, o.rows.n, &l, r->err));
    if (l.n)
        EC_TRY(operator_section(r, &l));
out:
    ec_predictor_free(p);
    ec_free(l.v);
    ec_records_clear(&o.rows);
    for (i = 0; o.csv && i < r->n_layer_files; i++)
        ec_csv_clear(&o.csv[i]);
    ec_free(o.csv);
    ec_arena_clear(&o.arena);
    return st;
}
