/* Scaling over processes in a report. `epochcast measure ddp` measures a step by number of
 * processes, the step without exchange of gradients, and the exchange alone. */
#include "report/results_internal.h"
#include "report_columns.h"

/* processes: of all bars; 0: the picture shows several numbers of them */
static enum ec_status picture(struct ec__results *r, const struct ec__result_table *t,
                              const struct ec_csv *csv, const char *recipe, const char *group,
                              double processes)
{
    const char *where = processes > 0 ? ec__results_text(r, "num_devices=%.0f", processes) : NULL;
    struct ec_picture p;

    EC_PASS(ec_picture_find(recipe, &p, r->err));
    p.group = group ? group : p.group;
    p.where = where;
    if (processes > 0)
        p.subtitle = ec__results_text(r, "steps of %.0f processes", processes);
    else
        p.x_title = "processes";
    return ec__results_picture(
        r, &p, csv, ec__results_text(r, "%s-%.60s", recipe, t->word),
        ec__results_text(
            r, "epochcast plot %s %s%s%s%s%s%s", recipe,
            ec__results_quoted(r, ec__results_text(r, "%s/tables/scaling-%s", r->o->out, t->word)),
            group ? " --group " : "", group ? group : "", where ? " --where '" : "",
            where ? where : "", where ? "'" : ""));
}

static enum ec_status section(struct ec__results *r, const struct ec__result_table *t)
{
    struct ec__query q = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_table table;
    double processes = 0;
    bool compared = false;
    enum ec_status st;

    ec_table_init(&table, scaling_cols, EC_LEN(scaling_cols));
    EC_TRY(ec__results_query(r, t, &q));
    EC_TRY(ec__query_rows(&q, "SELECT * FROM ddp_table", &table, r->err));
    ec__query_ask(&q, "SELECT ranks, compared FROM most");
    while (ec__query_next(&q)) {
        processes = ec__query_cell(&q, 0);
        compared = ec__query_cell(&q, 1) > 0;
    }
    ec_document_heading(&r->doc, 2, ec__results_text(r, "Several devices: %s", t->name));
    ec_document_text(
        &r->doc, "Processes of one machine train one network together, each on a batch of its "
                 "own: synchronous data parallel. \"Without exchange\" all of them run the same "
                 "step at once and add up nothing; \"exchange alone\" is the sum of as many "
                 "numbers as there are gradients. Part of it hides behind the backward pass.");
    ec_document_table(&r->doc, &table, ec__results_text(r, "%s.", t->name),
                      "mpirun -n N epochcast measure ddp NETWORK");
    if (compared) {
        EC_TRY(ec__results_kept(r, ec__results_text(r, "scaling-%s", t->word), &table, &csv));
        EC_TRY(picture(r, t, &csv, "scaling", "model,batch_size", 0));
        EC_TRY(picture(r, t, &csv, "exchange", NULL, processes));
    }
    EC_TRY(ec__query_say(&q, "SELECT * FROM ddp_found", r->a, &r->findings, r->err));
out:
    ec_csv_clear(&csv);
    ec_table_clear(&table);
    ec__query_close(&q);
    return st;
}

enum ec_status ec__results_scaling(struct ec__results *r)
{
    int i;

    for (i = 0; i < r->n_tables; i++)
        if (ec__is_scaling(&r->tables[i].csv))
            EC_PASS(section(r, &r->tables[i]));
    return EC_OK;
}
