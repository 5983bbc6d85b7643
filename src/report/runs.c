/* Runs as numbers and as a table. */
#include "report/report_internal.h"
#include "report/runs_internal.h"
#include "base/base.h"

#include <math.h>
#include <string.h>

#include "measured_sql.h"
#include "runs_sql.h"

void ec_runs_clear(struct ec_runs *r)
{
    if (!r)
        return;
    ec__runs_changed(r);
    ec_free(r->v);
    ec_free(r->left);
    ec_arena_clear(&r->arena);
    memset(r, 0, sizeof *r);
}

struct ec_run ec__run_blank(void)
{
    double nan = (double)NAN;
    struct ec_run r = { .env = "",
                        .layer = "",
                        .limit = "",
                        .label = "",
                        .uncounted = "",
                        .mean_ns = nan,
                        .std_ns = nan,
                        .min_ns = nan,
                        .median_ns = nan,
                        .p95_ns = nan,
                        .max_ns = nan,
                        .predicted_ns = nan,
                        .rate_mean = nan,
                        .rate_std = nan,
                        .params = nan,
                        .flop = nan,
                        .bytes = nan,
                        .peak_flop_per_s = nan,
                        .memory_bytes_per_s = nan,
                        .ceiling_flop_per_s = nan,
                        .ceiling_bytes_per_s = nan,
                        .speedup = nan,
                        .scaling_frac = nan,
                        .device_scaling_frac = nan,
                        .memory_peak_bytes = nan };

    ec_record_init(&r.record);
    return r;
}

/* ------------------------------------------------------------------------------------------------
 * What follows from a run */

static double devices_of(const struct ec_run *r)
{
    return r->record.num_devices > 1 ? (double)r->record.num_devices : 1;
}

double ec__run_batch_share(const struct ec_run *r)
{
    double of_one = (double)ec_record_ways(&r->record);

    return strstr(r->record.flags, "global_batch") ? 1 / devices_of(r) : 1 / of_one;
}

/* Samples per second for a number of steps per second. */
static double of_batch(const struct ec_run *r, double steps_per_s)
{
    double devices = devices_of(r) * ec__run_batch_share(r);

    return *r->layer ? (double)NAN : (double)r->record.batch * devices * steps_per_s;
}

/* The same at the slowest or the fastest of several runs, for error bars. */
static double of_runs(const struct ec_run *r, double step_ns)
{
    return r->repeats > 1 ? of_batch(r, 1e9 / step_ns) : (double)NAN;
}

double ec_run_samples_per_s(const struct ec_run *r)
{
    return of_batch(r, 1e9 / r->median_ns);
}

double ec_run_intensity(const struct ec_run *r)
{
    return r->bytes > 0 ? r->flop / r->bytes : (double)NAN;
}

double ec_run_flop_per_s(const struct ec_run *r)
{
    return r->flop * 1e9 / r->median_ns;
}

double ec_run_efficiency(const struct ec_run *r)
{
    return ec_run_flop_per_s(r) / r->peak_flop_per_s;
}

double ec_run_attainable(const struct ec_run *r)
{
    return fmin(r->peak_flop_per_s, ec_run_intensity(r) * r->memory_bytes_per_s);
}

double ec_run_ridge(const struct ec_run *r)
{
    return r->peak_flop_per_s / r->memory_bytes_per_s;
}

const char *ec_run_limit(const struct ec_run *r)
{
    if (*r->limit)
        return r->limit;
    if (!isfinite(ec_run_ridge(r)) || !isfinite(ec_run_intensity(r)))
        return "";
    return ec_limit_name(ec_run_intensity(r) >= ec_run_ridge(r) ? EC_LIMIT_COMPUTE
                                                                : EC_LIMIT_MEMORY);
}

/* ------------------------------------------------------------------------------------------------
 * The table: runs.txt */

#include "run_columns.h"

enum {
    S = 1 << EC_RUNS_STATISTICS,
    E = 1 << EC_RUNS_REACHED,
    A = 1 << EC_RUNS_ANALYSIS,
    R = 1 << EC_RUNS_ROOFLINE,
    C = 1 << EC_RUNS_COMPLEXITY,
    P = 1 << EC_RUNS_THROUGHPUT
};

static double positive(int64_t v)
{
    return v > 0 ? (double)v : (double)NAN;
}

/* All conditions of a run in one text, in a buffer. */
static const char *words_of(const struct ec_run *r, struct ec_buf *words)
{
    int i;

    ec_buf_reset(words);
    ec_buf_printf(words, "%s ", r->record.job);
    for (i = 0; i < EC_WORD_COUNT; i++)
        ec_buf_printf(words, "%s ", ec_record_word(&r->record, (enum ec_word)i));
    return ec_buf_text(words);
}

/* Where what limits the run stands among all that may. */
static double limit_order(const struct ec_run *r)
{
    int i = 0;

    while (i < EC_LIMIT_COUNT && !ec_str_eq(ec_run_limit(r), ec_limit_name((enum ec_limit)i)))
        i++;
    return i;
}

static bool is_spilled(const struct ec_run *v)
{
    double bytes = v->memory_peak_bytes > 0 ? v->memory_peak_bytes : 0;

    return ec_spilled(v->median_ns / v->predicted_ns, fmax(bytes, v->needed_bytes), v->most_bytes,
                      v->device_bytes);
}

#define IS_SHARE(format) ((format) == EC_COL_FIXED)
static const struct ec_col cols[] = {
#define COL(kind, key_, title_, format_, value, views, drop_)                                      \
    { .key = #key_,                                                                                \
      .title = title_,                                                                             \
      .format = EC_COL_##format_,                                                                  \
      .flags = EC_COL_##format_ == EC_COL_NS ? EC_COL_AS_BEFORE : 0,                               \
      .unit = IS_SHARE(EC_COL_##format_) ? "%" : NULL,                                             \
      .scale = IS_SHARE(EC_COL_##format_) ? 100 : 0,                                               \
      .digits = 1,                                                                                 \
      .drop = drop_ },
    RUN_COLUMNS(COL)
#undef COL
};

static const int views_of[] = {
#define VIEWS(kind, key, title, format, value, views, drop) views,
    RUN_COLUMNS(VIEWS)
#undef VIEWS
};

static void add_row(struct ec_table *t, const struct ec_run *v)
{
#define ADD_text(value) ec_table_row(t, ec_given(value))
#define ADD_num(value) ec_table_num(t, value)
#define ADD(kind, key, title, format, value, ...) ADD_##kind(value);
    RUN_COLUMNS(ADD)
#undef ADD
#undef ADD_num
#undef ADD_text
}

/* Columns of EC_RUNS_ANALYSIS, and what queries need besides. */
static void runs_into(struct ec__query *q, const char *table, const struct ec_run *runs, int n)
{
    struct ec_buf words = EC_BUF_INIT;
    const struct ec_run *v;

#define NAME(kind, key, ...) #key " "
#define ASK(kind, key, title, format, value, ...) ec__query_##kind(q, value);
#define ASK_MORE(kind, key, value) ec__query_##kind(q, value);
    ec__query_into(q, table, RUN_COLUMNS(NAME) RUN_QUERIED(NAME));
    for (v = runs; n > 0; n--, v++) {
        RUN_COLUMNS(ASK)
        RUN_QUERIED(ASK_MORE)
        if (words.st)
            ec__query_nomem(q);
    }
#undef ASK_MORE
#undef ASK
#undef NAME
    ec_buf_clear(&words);
}

/* ------------------------------------------------------------------------------------------------
 * Comparisons are queries: runs.sql */

EC_EMBED(measured_sql, EC_MEASURED_SQL);
EC_EMBED(runs_sql, EC_RUNS_SQL);

enum ec_status ec__runs_views(const struct ec_run *runs, int n, struct ec__query *ret,
                              struct ec_err *err)
{
    EC_PASS(ec__query_open(ret, err));
    runs_into(ret, "run", runs, n);
    return ec__query_say(ret, ec__measured_sql_begin, NULL, NULL, err);
}

void ec__runs_changed(struct ec_runs *r)
{
    if (r->q)
        ec__query_close(r->q);
    ec_free(r->q);
    r->q = NULL;
}

enum ec_status ec__runs_query(struct ec_runs *r, struct ec__query **ret, struct ec_err *err)
{
    enum ec_status st = EC_OK;

    if (r->q)
        goto out;
    r->q = ec_alloc(sizeof *r->q);
    EC_PASS(ec_allocated(r->q, err));
    EC_TRY(ec__runs_views(r->v, r->n, r->q, err));
    runs_into(r->q, "left_out", r->left, r->n_left);
    ec__query_into(r->q, "reference", "env");
    ec__query_text(r->q, r->reference);
    EC_TRY(ec__query_say(r->q, ec__runs_sql_begin, NULL, NULL, err));
out:
    *ret = r->q;
    if (st)
        ec__runs_changed(r);
    return st;
}

/* The rows stay: what is compared is not in `job`. */
static const char relate_sql[] =
    "CREATE TABLE compared AS SELECT * FROM related;" /* in the order of the runs */
    "UPDATE run SET speedup = c.speedup, scaling_efficiency_frac = by_batch,"
    " device_scaling_frac = by_devices, n_devices = iif(by_devices IS NULL, NULL, num_devices) "
    "FROM compared AS c WHERE c.rowid = run.i";

enum ec_status ec_runs_relate(struct ec_runs *r, const char *reference, struct ec_err *err)
{
    struct ec__query *q;
    int i;

    r->reference = reference;
    EC_PASS(ec__runs_query(r, &q, err));
    EC_PASS(
        ec__query_say(q, "DELETE FROM reference; DROP TABLE IF EXISTS compared", NULL, NULL, err));
    if (reference) {
        ec__query_fill(q, "reference", 1);
        ec__query_text(q, reference);
    } else {
        EC_PASS(ec__query_say(q, "INSERT INTO reference SELECT max(i), max(env) FROM comparable",
                              NULL, NULL, err));
        ec__query_ask(q, "SELECT i FROM reference WHERE env IS NOT NULL");
        while (ec__query_next(q))
            r->reference = r->v[(int)ec__query_cell(q, 0) - 1].env;
    }
    EC_PASS(ec__query_say(q, relate_sql, NULL, NULL, err));
    ec__query_ask(q, "SELECT * FROM compared");
    for (i = 0; ec__query_next(q); i++) {
        r->v[i].speedup = ec__query_cell(q, 0);
        r->v[i].scaling_frac = ec__query_cell(q, 1);
        r->v[i].device_scaling_frac = ec__query_cell(q, 2);
    }
    return ec__query_status(q, err);
}

enum ec_status ec_runs_label(struct ec_runs *r, struct ec_err *err)
{
    struct ec__query *q;
    int i;

    EC_PASS(ec__runs_query(r, &q, err));
    ec__query_ask(q, "SELECT * FROM labelled");
    for (i = 0; ec__query_next(q); i++) {
        if (*r->v[i].layer)
            continue;
        r->v[i].label = ec_arena_str(&r->arena, ec__query_word(q, 0));
        if (!r->v[i].label)
            ec__query_nomem(q);
    }
    return ec__query_status(q, err);
}

enum ec_status ec__runs_listed(struct ec_runs *r, const char *sql, struct ec_runs *ret,
                               struct ec_err *err)
{
    struct ec__query *q;

    EC_PASS(ec__runs_query(r, &q, err));
    EC_PASS(ec_grow(&ret->v, &ret->cap, ret->n + r->n, sizeof *ret->v, err));
    ec__query_ask(q, sql);
    while (ec__query_next(q))
        ret->v[ret->n++] = r->v[(int)ec__query_cell(q, 0) - 1];
    return ec__query_status(q, err);
}

enum ec_status ec_runs_common(struct ec_runs *r, struct ec_runs_common *ret, struct ec_err *err)
{
    const struct ec_run *v;
    struct ec__query *q;

    *ret = (struct ec_runs_common){ "", "" };
    EC_PASS(ec__runs_query(r, &q, err));
    ec__query_ask(q, "SELECT i FROM common");
    while (ec__query_next(q)) {
        v = &r->v[(int)ec__query_cell(q, 0) - 1];
        *ret = (struct ec_runs_common){ ec_run_mode(v), ec_run_precision(v) };
    }
    return ec__query_status(q, err);
}

bool ec_run_is_common(const struct ec_run *v, const struct ec_runs_common *c)
{
    return ec_str_eq(ec_run_mode(v), c->mode) && ec_str_eq(ec_run_precision(v), c->precision) &&
           !*v->layer;
}

enum ec_status ec_runs_table(struct ec_runs *r, enum ec_runs_view view, struct ec_table *ret,
                             struct ec_err *err)
{
    struct ec_runs once = { 0 }; /* work is counted once per network and batch, for all devices */
    struct ec__query *q;
    struct ec_col *c;
    enum ec_status st;
    int i;

    ec_table_init(ret, cols, EC_LEN(cols));
    c = ec_arena_copy(&ret->arena, cols, sizeof cols);
    EC_PASS(ec_allocated(c, err));
    EC_TRY(ec__runs_query(r, &q, err));
    for (i = 0; i < EC_LEN(cols); i++) {
        c[i].flags |= EC_COL_HIDE_EMPTY | (views_of[i] >> view & 1 ? 0u : EC_COL_DATA_ONLY);
        c[i].min_width = ec_str_eq(cols[i].key, "layer") ? 12 : 0;
    }
    ec__query_ask(q, "SELECT key, of_roofline FROM needless");
    while (ec__query_next(q))
        for (i = 0; i < EC_LEN(cols); i++)
            if (ec_str_eq(cols[i].key, ec__query_word(q, 0)) &&
                (view == EC_RUNS_ROOFLINE || !(ec__query_cell(q, 1) > 0)))
                c[i].flags |= EC_COL_DATA_ONLY;
    EC_TRY(ec__query_status(q, err));
    if (view == EC_RUNS_COMPLEXITY)
        EC_TRY(ec__runs_listed(r, "SELECT i FROM computed", &once, err));
    ret->cols = c;
    r = view == EC_RUNS_COMPLEXITY ? &once : r;
    for (i = 0; i < r->n; i++)
        add_row(ret, &r->v[i]);
    if (ret->st)
        EC_TRY(ec_nomem(err));
out:
    ec_runs_clear(&once);
    return st;
}
