/* Scaling over processes in a report. `epochcast measure ddp` measures a step by number of
 * processes, the step without exchange of gradients, and the exchange alone. */
#include <math.h>

#include "report/report_internal.h"
#include "report/results_internal.h"
#include "report_columns.h"

bool ec__is_scaling(const struct ec_csv *csv)
{
    static const char *const needed[] = { "model",       "ranks",         "batch_per_rank",
                                          "step_ns",     "local_step_ns", "all_reduce_ns",
                                          "images_per_s" };
    int i;

    for (i = 0; i < EC_LEN(needed); i++)
        if (ec_csv_col(csv, needed[i]) < 0)
            return false;
    return csv->n_rows > 0;
}

static double number(const struct ec_csv *c, int row, const char *col)
{
    return ec__results_number(c, row, col);
}

/* Sets of each row the first row of the same job on one process; -1: none. ret: free it */
static enum ec_status find_alone(const struct ec_csv *c, int **ret, struct ec_err *err)
{
    int *alone = ec_alloc(sizeof *alone * ((size_t)c->n_rows + 1)), i, k;
    struct ec_groups jobs = { 0 };
    enum ec_status st = alone ? EC_OK : ec_nomem(err);

    if (!st)
        st = ec__scaling_jobs(c, &jobs, err);
    for (i = 0; i < jobs.n; i++) {
        int one = -1;

        for (k = jobs.begin[i]; k < jobs.begin[i + 1] && one < 0; k++)
            one = number(c, jobs.item[k], "ranks") <= 1 ? jobs.item[k] : -1;
        for (k = jobs.begin[i]; k < jobs.begin[i + 1]; k++)
            alone[jobs.item[k]] = one;
    }
    ec_groups_clear(&jobs);
    *ret = alone;
    return st;
}

/* Speed over that of one process; not finite without such a run. */
static double speedup(const struct ec_csv *c, const int *alone, int row)
{
    return alone[row] < 0 ? (double)NAN
                          : number(c, row, "images_per_s") / number(c, alone[row], "images_per_s");
}

static void add_row(struct ec_table *t, const struct ec_csv *c, const int *alone, int row)
{
    double ranks = number(c, row, "ranks");

    ec_table_text(t, ec_csv_cell(c, row, ec_csv_col(c, "model")));
    ec_table_row(
        t, ec_positive(number(c, row, "batch_per_rank")), ec_positive(ranks),
        ec_positive(number(c, row, "step_ns")), ec_positive(number(c, row, "local_step_ns")),
        ec_positive(number(c, row, "all_reduce_ns")), ec_positive(number(c, row, "images_per_s")),
        ec_positive(speedup(c, alone, row)), ec_positive(speedup(c, alone, row) / ranks));
}

/* Whether the row has the numbers that a sentence about it needs. */
static bool can_be_said(const struct ec_csv *c, const int *alone, int row)
{
    return isfinite(speedup(c, alone, row)) && isfinite(number(c, row, "batch_per_rank")) &&
           isfinite(number(c, row, "local_step_ns") / number(c, row, "step_ns"));
}

/* The best and the worst run with the most processes. */
static enum ec_status findings(struct ec__results *r, const struct ec__result_table *t,
                               const int *alone, double most)
{
    const struct ec_csv *c = &t->csv;
    int i, lo = -1, hi = -1;

    for (i = 0; i < c->n_rows; i++) {
        if (number(c, i, "ranks") < most || !can_be_said(c, alone, i))
            continue;
        lo = lo < 0 || speedup(c, alone, i) < speedup(c, alone, lo) ? i : lo;
        hi = hi < 0 || speedup(c, alone, i) > speedup(c, alone, hi) ? i : hi;
    }
    if (lo < 0)
        return EC_OK;
    if (lo == hi)
        return ec_strs_add(&r->findings, r->a, r->err,
                           "%.0f processes of one machine train %s, batch %.0f each, %.2f times as "
                           "fast as one; without the exchange of gradients a step takes %.2f of "
                           "its time.",
                           most, ec_csv_cell(c, lo, ec_csv_col(c, "model")),
                           number(c, lo, "batch_per_rank"), speedup(c, alone, lo),
                           number(c, lo, "local_step_ns") / number(c, lo, "step_ns"));
    return ec_strs_add(
        &r->findings, r->a, r->err,
        "%.0f processes of one machine train %.2f (%s, batch %.0f each) to %.2f times (%s, batch "
        "%.0f) as fast as one; without the exchange of gradients the steps of the slowest take "
        "%.2f of their time.",
        most, speedup(c, alone, lo), ec_csv_cell(c, lo, ec_csv_col(c, "model")),
        number(c, lo, "batch_per_rank"), speedup(c, alone, hi),
        ec_csv_cell(c, hi, ec_csv_col(c, "model")), number(c, hi, "batch_per_rank"),
        number(c, lo, "local_step_ns") / number(c, lo, "step_ns"));
}

/* processes: of all bars; 0: the picture shows several numbers of them */
static enum ec_status picture(struct ec__results *r, const struct ec__result_table *t,
                              const struct ec_csv *csv, const char *recipe, const char *group,
                              double processes)
{
    const char *name = ec_arena_printf(r->a, "%s-%.60s", recipe, t->word);
    const char *where = processes > 0 ? ec_arena_printf(r->a, "num_devices=%.0f", processes) : NULL;
    const char *table =
        ec__results_quoted(r, ec_arena_printf(r->a, "%s/tables/scaling-%s", r->o->out, t->word));
    const char *command = ec_arena_printf(
        r->a, "epochcast plot %s %s%s%s%s%s%s", recipe, table, group ? " --group " : "",
        group ? group : "", where ? " --where '" : "", where ? where : "", where ? "'" : "");
    struct ec_picture p;
    enum ec_status st;

    if (!name || !command)
        return ec_nomem(r->err);
    EC_TRY(ec_picture_find(recipe, &p, r->err));
    p.group = group ? group : p.group;
    p.where = where;
    if (processes > 0)
        p.subtitle = ec_arena_printf(r->a, "steps of %.0f processes", processes);
    else
        p.x_title = "processes";
    EC_TRY(ec__results_picture(r, &p, csv, name, command));
out:
    return st;
}

static enum ec_status pictures(struct ec__results *r, const struct ec__result_table *t,
                               const struct ec_table *table, double most)
{
    const char *file = ec_arena_printf(r->a, "scaling-%s", t->word);
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    enum ec_status st;

    if (!file)
        return ec_nomem(r->err);
    EC_TRY(ec_table_write(table, EC_TABLE_CSV, &text, r->err));
    EC_TRY(ec__results_file(r, file, &text));
    EC_TRY(ec_csv_parse(ec_buf_text(&text), text.len, &csv, r->err));
    EC_TRY(picture(r, t, &csv, "scaling", "model,batch_size", 0));
    EC_TRY(picture(r, t, &csv, "exchange", NULL, most));
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

static enum ec_status section(struct ec__results *r, const struct ec__result_table *t)
{
    double most = 1;
    struct ec_table table;
    enum ec_status st;
    int *alone = NULL, i, with_one = 0;

    ec_table_init(&table, scaling_cols, EC_LEN(scaling_cols));
    EC_TRY(find_alone(&t->csv, &alone, r->err));
    for (i = 0; i < t->csv.n_rows; i++) {
        add_row(&table, &t->csv, alone, i);
        most = fmax(most, number(&t->csv, i, "ranks"));
        with_one += number(&t->csv, i, "ranks") > 1 && alone[i] >= 0;
    }
    ec_document_heading(&r->doc, 2, ec_arena_printf(r->a, "Several devices: %s", t->name));
    ec_document_text(
        &r->doc, "Processes of one machine train one network together, each on a batch of its "
                 "own: synchronous data parallel. \"Without exchange\" all of them run the same "
                 "step at once and add up nothing; \"exchange alone\" is the sum of as many "
                 "numbers as there are gradients. Part of it hides behind the backward pass.");
    ec_document_table(&r->doc, &table, ec_arena_printf(r->a, "%s.", t->name),
                      "mpirun -n N epochcast measure ddp NETWORK");
    if (with_one) {
        EC_TRY(pictures(r, t, &table, most));
        EC_TRY(findings(r, t, alone, most));
    }
out:
    ec_table_clear(&table);
    ec_free(alone);
    return st;
}

enum ec_status ec__results_scaling(struct ec__results *r)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n_tables && !st; i++)
        if (ec__is_scaling(&r->tables[i].csv))
            st = section(r, &r->tables[i]);
    return st;
}
