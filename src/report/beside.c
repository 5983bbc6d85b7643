/* Measured rows beside their predictions. */
#include "report/beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MANY 40
#define WORST 20
#define CAUSES_MAX 6
#define LINES_MAX 6
#define OUT_OF_MEMORY_MAX 10

/* clang-format off */
/* For programs only. */
#define DATA(key_, format_)                                                                        \
    { .key = key_, .title = key_, .format = format_, .flags = EC_COL_DATA_ONLY }
static const struct ec_col cols[] = {
    { .key = "table", .title = "table", .max_width = 24, .min_width = 8, .drop = 1 },
    { .key = "line", .title = "line", .format = EC_COL_PLAIN, .drop = 1 },
    { .key = "what", .title = "network", .min_width = 8 },
    { .key = "device", .title = "device", .min_width = 10, .drop = 7 },
    { .key = "batch", .title = "batch", .format = EC_COL_PLAIN, .drop = 4,
      .flags = EC_COL_HIDE_EMPTY },
    { .key = "precision", .title = "precision", .drop = 8 },
    DATA("framework", EC_COL_TEXT),
    DATA("mode", EC_COL_TEXT),
    DATA("quantity", EC_COL_TEXT),
    DATA("measured", EC_COL_DIGITS3),
    DATA("predicted", EC_COL_DIGITS3),
    DATA("predicted_p05", EC_COL_DIGITS3),
    DATA("predicted_p95", EC_COL_DIGITS3),
    { .key = "measured_text", .title = "measured", .flags = EC_COL_TEXT_ONLY | EC_COL_RIGHT },
    { .key = "predicted_text", .title = "predicted", .flags = EC_COL_TEXT_ONLY | EC_COL_RIGHT,
      .drop = 2 },
    { .key = "interval_text", .title = "90 % interval", .flags = EC_COL_TEXT_ONLY | EC_COL_RIGHT,
      .drop = 5 },
    { .key = "off_frac", .title = "off", .unit = "%", .format = EC_COL_FIXED, .scale = 100 },
    { .key = "inside", .title = "inside", .format = EC_COL_BOOL, .flags = EC_COL_VERDICT },
    { .key = "likely", .title = "likely", .flags = EC_COL_HIDE_EMPTY,
      .drop = 9 }, /* said below the table, by line */
    DATA("likely_text", EC_COL_TEXT),
};
/* clang-format on */
_Static_assert(EC_LEN(cols) == EC_BESIDE_COLS, "room for the columns");

void ec_beside_table(struct ec_table *t, struct ec_col own[EC_BESIDE_COLS], bool several)
{
    int i;

    memcpy(own, cols, sizeof cols);
    if (!several)
        own[0].flags |= EC_COL_DATA_ONLY;
    for (i = 0; i < EC_BESIDE_COLS && several;
         i++) /* 80 columns have room for the interval alone */
        if (ec_str_eq(own[i].key, "predicted_text"))
            own[i].drop = 6;
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
                 ec_text(*c->causes[i].text ? c->causes[i].text : NULL));
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
    ec_table_row(t, ec_none(), ec_text(verdict));
}

static enum ec_status say_out_of_memory(const struct ec_beside *c, struct ec_arena *a,
                                        struct ec_strs *ret, struct ec_err *err)
{
    const struct ec_judged_list *l = c->out_of_memory;
    enum ec_status st = EC_OK;
    int i, n = l ? l->n : 0, n_agree = 0;
    char verdict[120];

    for (i = 0; i < n; i++) {
        n_agree += agrees(&l->v[i]);
        put_verdict(&l->v[i], verdict, sizeof verdict);
        if (i < OUT_OF_MEMORY_MAX)
            EC_TRY(ec_strs_add(ret, a, err, "line %d, %.40s, batch %lld: %s",
                               c->csv->lines[l->v[i].m->row], l->v[i].m->what,
                               (long long)l->v[i].m->batch, verdict));
    }
    if (n > OUT_OF_MEMORY_MAX)
        EC_TRY(ec_strs_add(ret, a, err,
                           "of %d rows that ran out of memory the predictions of %d agree; --csv "
                           "has all",
                           n, n_agree));
out:
    return st;
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

static int line_of(const struct ec_beside *c, int i)
{
    return c->csv->lines[c->judged->v[i].m->row];
}

static enum ec_status say_all(const struct ec_beside *c, const struct ranked *v, struct ec_arena *a,
                              struct ec_strs *ret, struct ec_err *err)
{
    const struct ec_judged_list *l = c->judged;
    double *off = ec_alloc(sizeof *off * (size_t)l->n);
    enum ec_status st = EC_OK;
    int i, n_inside = 0;
    double worst = ec_judged_off(&l->v[v[0].i]);

    if (!off)
        return ec_nomem(err);
    for (i = 0; i < l->n; i++) {
        off[i] = fabs(ec_judged_off(&l->v[i]));
        n_inside += ec_judged_inside(&l->v[i]);
    }
    if (l->n == 1)
        st = ec_strs_add(
            ret, a, err,
            "the prediction is %.0f %% %s the measurement, which is %s the 90 %% interval",
            off[0] * 100, worst < 0 ? "below" : "above", n_inside ? "inside" : "outside");
    else
        st = ec_strs_add(ret, a, err,
                         "inside their 90 %% interval: %d of %d measurements; half of the "
                         "predictions are off by at most %.0f %%, the worst is %.0f %% %s its "
                         "measurement (line %d)",
                         n_inside, l->n, ec_quantile_inplace(off, l->n, 0.5) * 100,
                         fabs(worst) * 100, worst < 0 ? "below" : "above", line_of(c, v[0].i));
    ec_free(off);
    return st;
}

/* "line 3", "lines 3, 4, 5": the rows from i on with the same cause. */
static void put_lines(const struct ec_beside *c, int i, struct ec_buf *out)
{
    int k, n = 0;

    for (k = i; k < c->judged->n; k++)
        n += ec_str_eq(c->causes[k].text, c->causes[i].text);
    ec_buf_str(out, n > 1 ? "lines" : "line");
    for (k = i, n = 0; k < c->judged->n; k++)
        if (ec_str_eq(c->causes[k].text, c->causes[i].text) && n++ < LINES_MAX)
            ec_buf_printf(out, "%s %d", n > 1 ? "," : "", line_of(c, k));
    if (n > LINES_MAX)
        ec_buf_printf(out, " and %d more", n - LINES_MAX);
}

static bool is_said(const struct ec_beside *c, int i)
{
    int k;

    for (k = 0; k < i; k++)
        if (ec_str_eq(c->causes[k].text, c->causes[i].text))
            return true;
    return false;
}

static enum ec_status say_causes(const struct ec_beside *c, struct ec_arena *a, struct ec_strs *ret,
                                 struct ec_err *err)
{
    struct ec_buf lines = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i, n = 0;

    for (i = 0; i < c->judged->n; i++) {
        if (!*c->causes[i].text || is_said(c, i) || n++ >= CAUSES_MAX)
            continue;
        ec_buf_reset(&lines);
        put_lines(c, i, &lines);
        EC_TRY(ec_buf_status(&lines, err));
        EC_TRY(ec_strs_add(ret, a, err, "%s, likely %s: %s", ec_buf_text(&lines),
                           ec_cause_word(c->causes[i].kind), c->causes[i].text));
    }
    if (n > CAUSES_MAX)
        EC_TRY(ec_strs_add(ret, a, err, "%d further causes: --csv has those of all rows",
                           n - CAUSES_MAX));
out:
    ec_buf_clear(&lines);
    return st;
}

/* The device of most rows outside can be calibrated to them, if they are right. */
static enum ec_status say_calibrate(const struct ec_beside *c, struct ec_arena *a,
                                    struct ec_strs *ret, struct ec_err *err)
{
    int i;

    for (i = 0; i < c->judged->n; i++) {
        const struct ec_judged *j = &c->judged->v[i];
        enum ec_cause_kind k = c->causes[i].kind;

        if (k == EC_CAUSE_HOST || k == EC_CAUSE_THROTTLED || k == EC_CAUSE_SLOW)
            return ec_strs_add(ret, a, err,
                               "if these times are what you will get, adapt the predictions to "
                               "them: epochcast calibrate --device %s --table %s --out %s.json",
                               j->device, c->file, j->device);
    }
    return EC_OK;
}

enum ec_status ec_beside_sentences(const struct ec_beside *c, struct ec_arena *a,
                                   struct ec_strs *ret, struct ec_err *err)
{
    struct ranked *v = rank(c->judged);
    enum ec_status st = EC_OK;

    if (!v)
        return ec_nomem(err);
    if (c->judged->n) {
        EC_TRY(say_all(c, v, a, ret, err));
        EC_TRY(say_causes(c, a, ret, err));
    }
    EC_TRY(say_out_of_memory(c, a, ret, err));
    EC_TRY(say_calibrate(c, a, ret, err));
out:
    ec_free(v);
    return st;
}
