/* Measured rows beside their predictions. */
#include "report/beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beside_sql.h"
#include "report_columns.h"

#define MANY 40
#define WORST 20

_Static_assert(EC_LEN(beside_cols) == EC_BESIDE_COLS, "room for the columns");

void ec_beside_table(struct ec_table *t, struct ec_col own[EC_BESIDE_COLS], bool several,
                     bool verdict)
{
    int i;

    memcpy(own, beside_cols, sizeof beside_cols);
    if (!several)
        own[1].flags |= EC_COL_DATA_ONLY;
    for (i = 0; i < EC_BESIDE_COLS && several;
         i++) /* 80 columns have room for the interval alone */
        if (ec_str_eq(own[i].key, "predicted_text"))
            own[i].drop = 6;
    for (i = 0; i < EC_BESIDE_COLS && verdict; i++)
        own[i].flags = ec_str_eq(own[i].key, "inside")    ? EC_COL_DATA_ONLY
                       : ec_str_eq(own[i].key, "verdict") ? EC_COL_VERDICT
                                                          : own[i].flags;
    ec_table_init(t, own, EC_BESIDE_COLS);
}

static const char *put_value(char *out, size_t size, const struct ec_judged *j, double v)
{
    return ec_record_is_memory(j->m) ? ec_fmt_bytes(out, size, v) : ec_fmt_ns(out, size, v);
}

/* What was run. */
static void add_what(const struct ec_beside *c, const struct ec_judged *j, struct ec_table *t)
{
    const struct ec_record *m = j->m;

    ec_table_row(t, ec_text(c->file), ec_text(c->name), ec_int(c->csv->lines[m->row]),
                 ec_text(m->what), ec_text(j->device), m->batch ? ec_int(m->batch) : ec_none(),
                 ec_text(ec_record_word(m, EC_WORD_PRECISION)),
                 ec_text(ec_record_word(m, EC_WORD_FRAMEWORK)), ec_text(ec_record_phase(m)));
}

static void add_row(const struct ec_beside *c, int i, struct ec_table *t)
{
    const struct ec_judged *j = &c->judged->v[i];
    bool memory = ec_record_is_memory(j->m);
    const struct ec_interval *p = memory ? &j->memory : &j->ns;
    double measured = memory ? j->m->memory_peak_bytes : j->m->time.ns;
    char text[3][32], range[80];

    add_what(c, j, t);
    ec_table_row(t, ec_text(memory ? "memory_peak_bytes" : "time_ns"), ec_num(measured),
                 ec_num(p->p50), ec_num(p->p05), ec_num(p->p95));
    ec_table_text(t, put_value(text[0], sizeof text[0], j, measured));
    ec_table_text(t, put_value(text[0], sizeof text[0], j, p->p50));
    (void)ec_snprintf(range, sizeof range, "%s to %s",
                      put_value(text[1], sizeof text[1], j, p->p05),
                      put_value(text[2], sizeof text[2], j, p->p95));
    ec_table_row(t, ec_text(range), ec_num(ec_judged_off(j)), ec_bool(ec_judged_inside(j)),
                 ec_text(c->causes[i].kind ? ec_cause_word(c->causes[i].kind) : NULL),
                 ec_given(c->causes[i].text),
                 ec_text(memory ? NULL : ec_verdict_names[ec_judged_verdict(j, c->tolerance)]),
                 ec_text(ec_basis_name(j->basis)));
}

/* ------------------------------------------------------------------------------------------------
 * Runs that did not fit */

static bool agrees(const struct ec_judged *j)
{
    return j->fits_probability >= 0 && j->fits_probability < 0.5;
}

static void put_verdict(const struct ec_judged *j, char *out, size_t size)
{
    char need[32], card[32];

    (void)ec_snprintf(out, size, "ran out of memory; predicted need %s of %s: the prediction %s",
                      ec_fmt_bytes_apart(need, sizeof need, j->needed_bytes, j->card_bytes),
                      ec_fmt_bytes_apart(card, sizeof card, j->card_bytes, j->needed_bytes),
                      ec_misfit_verdict(j->fits_probability));
}

static void add_out_of_memory(const struct ec_beside *c, const struct ec_judged *j,
                              struct ec_table *t)
{
    char verdict[120];

    put_verdict(j, verdict, sizeof verdict);
    add_what(c, j, t);
    ec_table_row(t, ec_text("out_of_memory"), ec_none()); /* measured */
    ec_table_num(t, j->memory.p50);
    ec_table_row(t, ec_num(j->memory.p05), ec_num(j->memory.p95), ec_none()); /* the same as text */
    ec_table_none(t);
    ec_table_row(t, ec_none(), ec_none()); /* off */
    ec_table_bool(t, agrees(j));
    ec_table_row(t, ec_none(), ec_text(verdict), ec_none(), ec_none());
}

/* ------------------------------------------------------------------------------------------------
 * Which rows */

struct ranked {
    double off; /* distance of the logarithm of the ratio from 0 */
    int i;
};

static int worst_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->off < y->off ? 1 : x->off > y->off ? -1 : x->i - y->i;
}

static int in_order(const void *a, const void *b)
{
    return ((const struct ranked *)a)->i - ((const struct ranked *)b)->i;
}

static struct ranked *rank(const struct ec_judged_list *l)
{
    struct ranked *v = ec_alloc(sizeof *v * (size_t)(l->n ? l->n : 1));
    int i;

    for (i = 0; v && i < l->n; i++)
        v[i] = (struct ranked){ fabs(log(ec_judged_ratio(&l->v[i]))), i };
    if (v)
        qsort(v, (size_t)l->n, sizeof *v, worst_first);
    return v;
}

enum ec_status ec_beside_rows(const struct ec_beside *c, bool all, struct ec_table *t, int *ret_n,
                              struct ec_err *err)
{
    struct ranked *v = rank(c->judged);
    int i, n = all || c->judged->n <= MANY ? c->judged->n : WORST;

    EC_PASS(ec_allocated(v, err));
    qsort(v, (size_t)n, sizeof *v, in_order);
    for (i = 0; i < n; i++)
        add_row(c, v[i].i, t);
    for (i = 0; all && c->out_of_memory && i < c->out_of_memory->n; i++)
        add_out_of_memory(c, &c->out_of_memory->v[i], t);
    ec_free(v);
    *ret_n = n;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Sentences */

EC_EMBED(beside_sql, EC_BESIDE_SQL);

static void add_to_sum(const struct ec_beside *c, int i, const char *name, struct ec__query *q)
{
    const struct ec_judged *j = &c->judged->v[i];
    enum ec_cause_kind kind = c->causes[i].kind;

    ec__query_text(q, name);
    ec__query_text(q, c->given);
    ec__query_num(q, c->csv->lines[j->m->row]);
    ec__query_num(q, ec_judged_off(j));
    ec__query_num(q, ec_judged_inside(j));
    ec__query_num(q, fabs(log(ec_judged_ratio(j))));
    ec__query_text(q, j->device);
    ec__query_text(q, kind ? ec_cause_word(kind) : "");
    ec__query_text(q, c->causes[i].text);
    ec__query_num(q, kind == EC_CAUSE_HOST || kind == EC_CAUSE_THROTTLED || kind == EC_CAUSE_SLOW);
}

enum ec_status ec_beside_add(const struct ec_beside *c, struct ec_beside_sum *s, struct ec_err *err)
{
    const struct ec_judged_list *misfits = c->out_of_memory;
    const char *name = s->several ? c->name : "";
    struct ec__query *q = &s->rows;
    char verdict[120];
    int i;

    if (!s->n_parts++) {
        EC_PASS(ec__query_open(q, err));
        ec__query_into(q, "beside",
                       "name given line off inside distance device likely cause calibrates");
        ec__query_into(q, "misfit", "name part line what batch verdict agrees");
    }
    ec__query_fill(q, "beside", 10);
    for (i = 0; i < c->judged->n; i++)
        add_to_sum(c, i, name, q);
    ec__query_fill(q, "misfit", 7);
    for (i = 0; misfits && i < misfits->n; i++) {
        const struct ec_judged *j = &misfits->v[i];

        put_verdict(j, verdict, sizeof verdict);
        ec__query_text(q, name);
        ec__query_num(q, s->n_parts);
        ec__query_num(q, c->csv->lines[j->m->row]);
        ec__query_text(q, j->m->what);
        ec__query_num(q, (double)j->m->batch);
        ec__query_text(q, verdict);
        ec__query_num(q, agrees(j));
    }
    return ec__query_status(q, err);
}

void ec_beside_clear(struct ec_beside_sum *s)
{
    if (s->n_parts)
        ec__query_close(&s->rows);
    s->n_parts = 0;
}

enum ec_status ec_beside_sentences(struct ec_beside_sum *s, struct ec_arena *a, struct ec_strs *ret,
                                   struct ec_err *err)
{
    return s->n_parts ? ec__query_say(&s->rows, ec__beside_sql_begin, a, ret, err) : EC_OK;
}
