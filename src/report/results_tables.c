/* Other tables in a report: grids of configurations, curves, ablations. What is found in them are
 * the queries of tables.sql. */
#include "report/results_internal.h"

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
    struct ec__query q = { 0 };
    enum ec_status st;

    EC_TRY(ec__results_query(r, t, &q));
    ec_document_heading(&r->doc, 2, ec__results_text(r, "%s: %s", subject(&t->csv), t->name));
    EC_TRY(ec__results_note(r, &q, "SELECT * FROM data_note"));
    EC_TRY(ec__results_csv(r, &t->csv, t->name));
    EC_TRY(ec__results_note(r, &q, "SELECT * FROM trained_note"));
    EC_TRY(ec__query_say(&q,
                         "SELECT * FROM grid_found; SELECT * FROM curve_found; SELECT * FROM "
                         "ablation_found",
                         r->a, &r->findings, r->err));
    if (ec__is_grid(&t->csv))
        EC_TRY(ec__grid_begin(r, t, &q));
    EC_TRY(ec__results_pictures(r, &t->csv, ec__results_text(r, "%.60s-", t->word), t->path));
    if (ec__is_grid(&t->csv))
        EC_TRY(ec__grid_end(r, t, &q));
out:
    ec__query_close(&q);
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
