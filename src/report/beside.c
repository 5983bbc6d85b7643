/* Measured rows beside their predictions. */
#include "report/beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_columns.h"

#define MANY 40
#define WORST 20
#define CAUSES_MAX 6
#define LINES_MAX 6
#define OUT_OF_MEMORY_MAX 10

_Static_assert(EC_LEN(beside_cols) == EC_BESIDE_COLS, "room for the columns");

void ec_beside_table(struct ec_table *t, struct ec_col own[EC_BESIDE_COLS], bool several,
                     bool verdict)
{
    int i;

    memcpy(own, beside_cols, sizeof beside_cols);
    if (!several)
        own[0].flags |= EC_COL_DATA_ONLY;
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

    ec_table_row(t, ec_text(c->file), ec_int(c->csv->lines[m->row]), ec_text(m->what),
                 ec_text(j->device), m->batch ? ec_int(m->batch) : ec_none(),
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
                      ec_fmt_bytes(need, sizeof need, j->needed_bytes),
                      ec_fmt_bytes(card, sizeof card, j->card_bytes),
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

    if (!v)
        return ec_nomem(err);
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

/* "line 3", or "FILE line 3" where there are several files. */
static void put_place(const struct ec_beside_sum *s, const char *file, int line, struct ec_buf *out)
{
    if (s->several)
        ec_buf_printf(out, "%s ", ec_path_name(file));
    ec_buf_printf(out, "line %d", line);
}

static enum ec_status add_out_of_memory_lines(const struct ec_beside *c, struct ec_beside_sum *s,
                                              struct ec_err *err)
{
    const struct ec_judged_list *l = c->out_of_memory;
    struct ec_buf place = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i, n = l ? l->n : 0, n_agree = 0;
    char verdict[120];

    for (i = 0; i < n; i++) {
        n_agree += agrees(&l->v[i]);
        if (i >= OUT_OF_MEMORY_MAX)
            continue;
        put_verdict(&l->v[i], verdict, sizeof verdict);
        ec_buf_reset(&place);
        put_place(s, c->file, c->csv->lines[l->v[i].m->row], &place);
        EC_TRY(ec_strs_add(&s->misfits, s->arena, err, "%s, %.40s, batch %lld: %s",
                           ec_buf_text(&place), l->v[i].m->what, (long long)l->v[i].m->batch,
                           verdict));
    }
    if (n > OUT_OF_MEMORY_MAX)
        EC_TRY(ec_strs_add(&s->misfits, s->arena, err,
                           "of %d rows that ran out of memory the predictions of %d agree; --csv "
                           "has all",
                           n, n_agree));
out:
    ec_buf_clear(&place);
    return st;
}

enum ec_status ec_beside_add(const struct ec_beside *c, struct ec_beside_sum *s, struct ec_err *err)
{
    const char *file = ec_arena_str(s->arena, c->file);
    enum ec_status st;
    int i;

    if (!file)
        return ec_nomem(err);
    EC_TRY(ec_grow(&s->v, &s->cap, s->n + c->judged->n, sizeof *s->v, err));
    for (i = 0; i < c->judged->n; i++) {
        const struct ec_judged *j = &c->judged->v[i];
        struct ec_beside_row *row = &s->v[s->n++];

        *row = (struct ec_beside_row){ .file = file,
                                       .line = c->csv->lines[j->m->row],
                                       .off = ec_judged_off(j),
                                       .distance = fabs(log(ec_judged_ratio(j))),
                                       .inside = ec_judged_inside(j),
                                       .kind = c->causes[i].kind,
                                       .device = ec_arena_str(s->arena, j->device),
                                       .cause = ec_arena_str(s->arena, c->causes[i].text) };
        if (!row->device || !row->cause)
            EC_TRY(ec_nomem(err));
    }
    st = add_out_of_memory_lines(c, s, err);
out:
    return st;
}

void ec_beside_clear(struct ec_beside_sum *s)
{
    ec_free(s->v);
    s->v = NULL;
    s->n = s->cap = 0;
}

static enum ec_status say_all(const struct ec_beside_sum *s, struct ec_strs *ret,
                              struct ec_err *err)
{
    double *off = ec_alloc(sizeof *off * (size_t)s->n);
    const struct ec_beside_row *worst = s->v;
    struct ec_buf place = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    const char *side;
    int i, n_inside = 0;

    if (!off)
        return ec_nomem(err);
    for (i = 0; i < s->n; i++) {
        off[i] = fabs(s->v[i].off);
        n_inside += s->v[i].inside;
        worst = s->v[i].distance > worst->distance ? &s->v[i] : worst;
    }
    side = worst->off < 0 ? "below" : "above";
    put_place(s, worst->file, worst->line, &place);
    EC_TRY(ec_buf_status(&place, err));
    if (s->n == 1)
        st = ec_strs_add(
            ret, s->arena, err,
            "the prediction is %.0f %% %s the measurement, which is %s the 90 %% interval",
            off[0] * 100, side, n_inside ? "inside" : "outside");
    else
        st = ec_strs_add(ret, s->arena, err,
                         "inside their 90 %% interval: %d of %d measurements; half of the "
                         "predictions are off by at most %.0f %%, the worst is %.0f %% %s its "
                         "measurement (%s)",
                         n_inside, s->n, ec_quantile_inplace(off, s->n, 0.5) * 100,
                         fabs(worst->off) * 100, side, ec_buf_text(&place));
out:
    ec_buf_clear(&place);
    ec_free(off);
    return st;
}

/* "line 3", "lines 3, 4, 5", "a.csv line 3, b.csv line 2": the rows of a group. */
static void put_lines(const struct ec_beside_sum *s, const struct ec_groups *g, int group,
                      struct ec_buf *out)
{
    int n = ec_group_size(g, group), i;

    if (!s->several)
        ec_buf_str(out, n > 1 ? "lines" : "line");
    for (i = 0; i < n && i < LINES_MAX; i++) {
        const struct ec_beside_row *row = &s->v[g->item[g->begin[group] + i]];

        ec_buf_str(out, i ? "," : "");
        ec_buf_str(out, i || !s->several ? " " : "");
        if (s->several)
            put_place(s, row->file, row->line, out);
        else
            ec_buf_printf(out, "%d", row->line);
    }
    if (n > LINES_MAX)
        ec_buf_printf(out, " and %d more", n - LINES_MAX);
}

static int by_cause(const void *user, int a, int b)
{
    const struct ec_beside_sum *s = user;

    return strcmp(s->v[a].cause, s->v[b].cause);
}

static enum ec_status say_causes(const struct ec_beside_sum *s, struct ec_strs *ret,
                                 struct ec_err *err)
{
    struct ec_buf lines = EC_BUF_INIT;
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i, n = 0;

    EC_TRY(ec_group(s->n, by_cause, s, &g, err));
    for (i = 0; i < g.n; i++) {
        const struct ec_beside_row *row = &s->v[ec_group_first(&g, i)];

        if (!*row->cause || n++ >= CAUSES_MAX)
            continue;
        ec_buf_reset(&lines);
        put_lines(s, &g, i, &lines);
        EC_TRY(ec_buf_status(&lines, err));
        EC_TRY(ec_strs_add(ret, s->arena, err, "%s, likely %s: %s", ec_buf_text(&lines),
                           ec_cause_word(row->kind), row->cause));
    }
    if (n > CAUSES_MAX)
        EC_TRY(ec_strs_add(ret, s->arena, err, "%d further causes: --csv has those of all rows",
                           n - CAUSES_MAX));
out:
    ec_groups_clear(&g);
    ec_buf_clear(&lines);
    return st;
}

/* The device of the first row outside can be calibrated to its table, if its times are right. */
static enum ec_status say_calibrate(const struct ec_beside_sum *s, struct ec_strs *ret,
                                    struct ec_err *err)
{
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_beside_row *row = &s->v[i];

        if (row->kind == EC_CAUSE_HOST || row->kind == EC_CAUSE_THROTTLED ||
            row->kind == EC_CAUSE_SLOW)
            return ec_strs_add(ret, s->arena, err,
                               "if these times are what you will get, adapt the predictions to "
                               "them: epochcast calibrate --device %s --table %s --out %s.json",
                               row->device, row->file, row->device);
    }
    return EC_OK;
}

enum ec_status ec_beside_sentences(const struct ec_beside_sum *s, struct ec_strs *ret,
                                   struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    if (s->n) {
        EC_TRY(say_all(s, ret, err));
        EC_TRY(say_causes(s, ret, err));
    }
    for (i = 0; i < s->misfits.n; i++)
        EC_TRY(ec_strs_add(ret, s->arena, err, "%s", s->misfits.v[i]));
    EC_TRY(say_calibrate(s, ret, err));
out:
    return st;
}
