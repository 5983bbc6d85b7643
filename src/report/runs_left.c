/* Runs that were measured and have no time: they ran out of memory, drifted or failed; and those
 * whose time is noisy. */
#include "report/runs_internal.h"

#include <math.h>
#include <string.h>

#include "predict/predict.h"

enum { NAMED = 4 }; /* runs or environments in a sentence */

static bool came_out(const struct ec_run *l, const char *outcome)
{
    return ec_str_eq(l->record.outcome, outcome);
}

/* ------------------------------------------------------------------------------------------------
 * What predictions say of those that did not fit */

enum ec_status ec__runs_judge_left(struct ec_predictor *p, struct ec_runs *r, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n_left && !st; i++) {
        struct ec_run *l = &r->left[i];
        struct ec_judged_list judged = { 0 };
        struct ec_record m = l->record;

        if (!came_out(l, "out_of_memory"))
            continue;
        ec_record_default(&m);
        st = ec_judge(p, &m, 1, &judged, err);
        if (!st && judged.n && judged.v[0].card_bytes > 0) {
            l->needed_bytes = judged.v[0].needed_bytes;
            l->device_bytes = judged.v[0].card_bytes;
            l->fits_probability = judged.v[0].fits_probability;
        }
        ec_free(judged.v);
    }
    return st;
}

static bool is_judged(const struct ec_run *l)
{
    return l->needed_bytes > 0 && l->device_bytes > 0;
}

/* clang-format off */
static const struct ec_col misfit_cols[] = {
    { .key = "env", .title = "environment" },
    { .key = "model", .title = "network" },
    { .key = "batch_size", .title = "batch", .format = EC_COL_PLAIN },
    { .key = "mode", .title = "mode" },
    { .key = "precision", .title = "precision" },
    { .key = "needed_bytes", .title = "predicted need", .format = EC_COL_BYTES },
    { .key = "device_bytes", .title = "memory of the device", .format = EC_COL_BYTES },
    { .key = "verdict", .title = "prediction" },
};
/* clang-format on */

void ec__runs_misfits(const struct ec_runs *r, struct ec_table *ret)
{
    int i;

    ec_table_init(ret, misfit_cols, EC_LEN(misfit_cols));
    for (i = 0; i < r->n_left; i++) {
        const struct ec_run *l = &r->left[i];

        if (!came_out(l, "out_of_memory"))
            continue;
        ec_table_text(ret, l->env);
        ec_table_text(ret, l->record.what);
        ec_table_int(ret, l->record.batch);
        ec_table_text(ret, ec_record_word(&l->record, EC_WORD_MODE));
        ec_table_text(ret, ec_record_word(&l->record, EC_WORD_PRECISION));
        if (is_judged(l)) {
            ec_table_num(ret, l->needed_bytes);
            ec_table_num(ret, l->device_bytes);
            ec_table_text(ret, ec_misfit_verdict(l->fits_probability));
        } else {
            ec_table_none(ret);
            ec_table_none(ret);
            ec_table_none(ret);
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Sentences */

/* "vgg16 on t4 at batch 128", joined: the first of n with this outcome. Those of several modes or
 * precisions have one name. */
static enum ec_status put_left(const struct ec_runs *r, const char *outcome, int n,
                               struct ec_buf *out, struct ec_err *err)
{
    struct ec_groups g = { 0 };
    int i, said = 0;
    enum ec_status st = ec__runs_group(
        r->left, r->n_left, EC__BY_OUTCOME | EC__BY_ENV | EC__BY_NETWORK | EC__BY_BATCH, &g, err);

    for (i = 0; i < g.n && said < NAMED; i++) {
        const struct ec_run *l = &r->left[ec_group_first(&g, i)];

        if (!came_out(l, outcome))
            continue;
        ec_buf_printf(out, "%s%s on %s at batch %lld", said++ ? ", " : "", l->record.what, l->env,
                      (long long)l->record.batch);
        n -= ec_group_size(&g, i);
    }
    if (n)
        ec_buf_printf(out, " and %d more", n);
    ec_groups_clear(&g);
    return st;
}

/* What predictions say of memory, of n runs. */
static void put_verdicts(const struct ec_runs *r, struct ec_buf *out)
{
    double least = 1;
    int i, n = 0, n_agree = 0;

    for (i = 0; i < r->n_left; i++) {
        n += is_judged(&r->left[i]);
        n_agree += is_judged(&r->left[i]) && r->left[i].fits_probability < 0.5;
        least = fmin(least, is_judged(&r->left[i]) ? r->left[i].fits_probability : least);
    }
    if (n == 1)
        ec_buf_printf(out, "; the prediction %s",
                      n_agree ? "agrees: it needs more than the device has"
                              : ec_misfit_verdict(least));
    else if (n)
        ec_buf_printf(out, "; predictions agree for %d of the %d that can be predicted", n_agree,
                      n);
}

static enum ec_status say_outcome(const struct ec_runs *r, const char *outcome, const char *words,
                                  struct ec_arena *a, struct ec_strs *ret, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i, n = 0;

    for (i = 0; i < r->n_left; i++)
        n += came_out(&r->left[i], outcome);
    if (!n)
        return EC_OK;
    ec_buf_printf(&text,
                  "%d of %d measured runs %s, and %s no part of the tables and pictures: ", n,
                  r->n + r->n_left, words, n == 1 ? "is" : "are");
    EC_TRY(put_left(r, outcome, n, &text, err));
    if (ec_str_eq(outcome, "out_of_memory"))
        put_verdicts(r, &text);
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(ec_strs_add(ret, a, err, "%s.", ec_buf_text(&text)));
out:
    ec_buf_clear(&text);
    return st;
}

/* Flags of measurement files for a median that is less certain than was asked for. */
static bool is_noisy(const struct ec_run *v)
{
    return strstr(v->record.flags, "noisy") || strstr(v->record.flags, "drift") ||
           strstr(v->record.flags, "throttled");
}

static enum ec_status say_noisy(const struct ec_runs *r, struct ec_arena *a, struct ec_strs *ret,
                                struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_groups envs = { 0 };
    int n = 0, left, i, k, said = 0;
    enum ec_status st;

    for (i = 0; i < r->n; i++)
        n += is_noisy(&r->v[i]);
    if (!n)
        return EC_OK;
    left = n;
    EC_TRY(ec__runs_group(r->v, r->n, EC__BY_ENV, &envs, err));
    ec_buf_printf(&text,
                  "%d of %d runs are noisy: their times scatter more than was asked for, as on a "
                  "busy or throttled machine (",
                  n, r->n);
    for (i = 0; i < envs.n && said < NAMED; i++) {
        int of = 0;

        for (k = envs.begin[i]; k < envs.begin[i + 1]; k++)
            of += is_noisy(&r->v[envs.item[k]]);
        if (!of)
            continue;
        ec_buf_printf(&text, "%s%d on %s", said++ ? "; " : "", of,
                      r->v[ec_group_first(&envs, i)].env);
        left -= of;
    }
    if (left)
        ec_buf_printf(&text, "; %d on others", left);
    ec_buf_str(&text, "); the column flags names them");
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(ec_strs_add(ret, a, err, "%s.", ec_buf_text(&text)));
out:
    ec_groups_clear(&envs);
    ec_buf_clear(&text);
    return st;
}

static bool is_spilled(const struct ec_run *v)
{
    double bytes = v->memory_peak_bytes > 0 ? v->memory_peak_bytes : 0;

    return ec_spilled(v->median_ns / v->predicted_ns, fmax(bytes, v->needed_bytes), v->most_bytes,
                      v->device_bytes);
}

/* The run that spilled worst, and how many others did. */
static enum ec_status say_spilled(const struct ec_runs *r, struct ec_arena *a, struct ec_strs *ret,
                                  struct ec_err *err)
{
    const struct ec_run *worst = NULL;
    char times[32], need[32], card[32], more[64] = "", room[64] = "may fill the card's";
    double bytes;
    int i, n = 0;

    for (i = 0; i < r->n; i++) {
        const struct ec_run *v = &r->v[i];

        if (!is_spilled(v))
            continue;
        n++;
        if (!worst || v->median_ns / v->predicted_ns > worst->median_ns / worst->predicted_ns)
            worst = v;
    }
    if (!worst)
        return EC_OK;
    bytes = fmax(worst->needed_bytes, worst->memory_peak_bytes);
    if (n > 1)
        (void)ec_snprintf(more, sizeof more, "; so did %d other%s", n - 1, n > 2 ? "s" : "");
    if (bytes > worst->device_bytes)
        (void)ec_snprintf(room, sizeof room, "needs %s, and the card has",
                          ec_fmt_bytes(need, sizeof need, bytes));
    return ec_strs_add(ret, a, err,
                       "%s on %s at batch %lld took %s times the predicted step and seems to have "
                       "spilled into the host's memory: it %s %s%s.",
                       worst->record.what, worst->env, (long long)worst->record.batch,
                       ec_fmt_times(times, sizeof times, worst->median_ns / worst->predicted_ns),
                       room, ec_fmt_bytes(card, sizeof card, worst->device_bytes), more);
}

enum ec_status ec__runs_say_left(const struct ec_runs *r, struct ec_arena *a, struct ec_strs *ret,
                                 struct ec_err *err)
{
    static const char *const outcomes[][2] = {
        {"out_of_memory", "ran out of memory"               },
        { "unstable",     "drifted while they were measured"},
        { "unsupported",  "could not be run there"          },
        { "error",        "failed"                          },
    };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(outcomes) && !st; i++)
        st = say_outcome(r, outcomes[i][0], outcomes[i][1], a, ret, err);
    st = st ? st : say_spilled(r, a, ret, err);
    return st ? st : say_noisy(r, a, ret, err);
}
