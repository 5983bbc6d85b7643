/* Cross-validation: errors on rows that neither the constants nor the corrections have seen. They
 * give the share of a correction that is worth taking, the widths of the intervals, and the table.
 */
#include "predict/fit_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ec_status ec__residual_keep(struct ec_residuals *r, double v, struct ec_err *err)
{
    enum ec_status st = ec_grow(&r->v, &r->cap, r->n + 1, sizeof *r->v, err);

    if (!st)
        r->v[r->n++] = v;
    return st;
}

static uint64_t text_hash(const char *text, size_t len)
{
    return ec_hash(text, len) * 0x9e3779b97f4a7c15u >> 33;
}

static bool held_out(const struct ec_fit *f, const struct ec_fit_row *r, int fold, int n_folds,
                     bool by_device)
{
    const char *key = ec_device_key(f->device[r->device]);
    uint64_t h = by_device     ? text_hash(key, ec__product_len(key))
                 : r->isolated ? (uint64_t)r->id * 2654435761u >> 7
                               : text_hash(r->family, strlen(r->family));

    return (int)(h % (uint64_t)n_folds) == fold;
}

/* Rows of the fold keep what is predicted for them by constants and corrections that had none of
 * them. */
static enum ec_status run_fold(struct ec_fit *f, const double *start, int fold, int n_folds,
                               bool by_device, struct ec_err *err)
{
    struct ec_fit train = *f;
    double *x = ec_alloc(sizeof *x * (size_t)ec__fit_params(f));
    struct ec_learned *learned = NULL;
    enum ec_status st = EC_OK;
    int i;

    train.row = ec_alloc(sizeof *train.row * (size_t)(f->n_rows + 1));
    train.n_rows = 0;
    if (!x || !train.row)
        EC_TRY(ec_nomem(err));
    memcpy(x, start, sizeof *x * (size_t)ec__fit_params(f));
    for (i = 0; i < f->n_rows; i++) {
        if (!held_out(f, f->row[i], fold, n_folds, by_device))
            train.row[train.n_rows++] = f->row[i];
        else if (by_device)
            ec__fit_forget(f, x, f->row[i]);
    }
    EC_TRY(ec__fit_run(&train, 4, x, err));
    EC_TRY(ec__fit_learn(f, x, train.row, train.n_rows, &learned, err));
    for (i = 0; i < f->n_rows; i++)
        if (held_out(f, f->row[i], fold, n_folds, by_device)) {
            f->row[i]->unseen[by_device] = -ec__fit_log_error(f, x, i);
            f->row[i]->correction[by_device] = ec__fit_correction(f, x, learned, f->row[i]);
        }
out:
    ec_learned_free(learned);
    ec_free(x);
    ec_free(train.row);
    return st;
}

struct ec_width ec__residual_width(struct ec_residuals *r)
{
    struct ec_width w = { -1, 0, 1, r->n };

    if (r->n < 20)
        return w;
    w.lo = ec_quantile_inplace(r->v, r->n, 0.05);
    w.mid = ec_quantile_inplace(r->v, r->n, 0.50);
    w.hi = ec_quantile_inplace(r->v, r->n, 0.95);
    return w;
}

/* Mean absolute log error of a kind when this share of the correction is taken. */
static double loss_at(const struct ec_fit *f, int kind, bool by_device, double share)
{
    double sum = 0;
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        if ((int)r->width != kind)
            continue;
        sum += fabs(r->unseen[by_device] - share * r->correction[by_device]);
        n++;
    }
    return n ? sum / n : 0;
}

/* Halves and quarters of a correction: a finer choice would fit the noise of the folds. */
static double best_share(const struct ec_fit *f, int kind, bool by_device)
{
    double best = 0, least = loss_at(f, kind, by_device, 0);
    int q;

    for (q = 1; q <= 4; q++) {
        double loss = loss_at(f, kind, by_device, q / 4.0);

        if (loss < 0.995 * least) {
            least = loss;
            best = q / 4.0;
        }
    }
    return best;
}

static enum ec_status settle_kind(struct ec_fit *f, int kind, bool by_device, struct ec_err *err)
{
    double share = best_share(f, kind, by_device);
    struct ec_residuals res = { 0 };
    enum ec_status st = EC_OK;
    int i;

    ec__fit_say(f->opts, "  %s, %s: mean |log error| %.4f, with corrections %.4f (share %.2f)",
                ec__width_name((enum ec_width_kind)kind),
                by_device ? "unseen device" : "unseen row", loss_at(f, kind, by_device, 0),
                loss_at(f, kind, by_device, share), share);
    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        if ((int)r->width != kind)
            continue;
        r->unseen[by_device] -= share * r->correction[by_device];
        EC_TRY(ec__residual_keep(&res, r->unseen[by_device], err));
    }
    f->width[kind][by_device] = ec__residual_width(&res);
    f->learned->kind[kind].share[by_device] = share;
out:
    ec_free(res.v);
    return st;
}

enum ec_status ec__fit_cross_validate(struct ec_fit *f, const double *x, bool by_device,
                                      int n_folds, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    char stage[64];
    int fold, i;

    for (fold = 0; fold < n_folds; fold++) {
        (void)snprintf(stage, sizeof stage, "%s fold %d of %d",
                       by_device ? "unseen devices" : "unseen rows", fold + 1, n_folds);
        f->stage = stage;
        EC_TRY(run_fold(f, x, fold, n_folds, by_device, err));
    }
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        if (i != EC_W_memory)
            EC_TRY(settle_kind(f, i, by_device, err));
out:
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * What cross-validation reached, as a table: one row per source of rows and split. */

static const char *split_name(const struct ec_fit_row *r, bool by_device)
{
    if (by_device)
        return "unseen device";
    return r->isolated ? "unseen configuration" : "unseen family";
}

static enum ec_status cv_row(const struct ec_fit *f, int source, bool by_device, double *v,
                             struct ec_buf *out, struct ec_err *err)
{
    double *y = v, *p = v + f->n_rows, *lo = v + 2 * f->n_rows, *hi = v + 3 * f->n_rows;
    const struct ec_fit_row *last = NULL;
    struct ec_metrics m;
    enum ec_status st;
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];
        const struct ec_width *w = &f->width[r->width][by_device];
        double raw = r->time_ns * exp(-r->unseen[by_device]);

        if (r->source != source)
            continue;
        last = r;
        y[n] = r->time_ns;
        p[n] = raw * exp(w->mid);
        lo[n] = raw * exp(w->lo);
        hi[n++] = raw * exp(w->hi);
    }
    if (!n)
        return EC_OK;
    EC_TRY(ec_metrics_compute(y, p, lo, hi, n, &m, err));
    ec_csv_put(out, f->source[source].name);
    ec_buf_printf(out, ",%s,%d,%.4f,%.4f,%.4f,%.3f,%.4g,%.4f,%.4f\n", split_name(last, by_device),
                  n, m.median_ape, m.mean_ape, m.p90_ape, m.worst_ape, m.rmse / 1e6, m.r2,
                  m.coverage);
    ec__fit_say(f->opts, "  %-46.46s %-20s median %5.1f %%, p90 %5.1f %%, in interval %4.1f %%",
                f->source[source].name, split_name(last, by_device), 100 * m.median_ape,
                100 * m.p90_ape, 100 * m.coverage);
out:
    return st;
}

enum ec_status ec__fit_write_folds(const struct ec_fit *f, struct ec_err *err)
{
    double *v = ec_alloc(sizeof *v * 4 * (size_t)(f->n_rows ? f->n_rows : 1));
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int s, by_device;

    if (!v)
        return ec_nomem(err);
    ec_buf_str(&out, "table,split,rows,median_ape_frac,mean_ape_frac,p90_ape_frac,worst_ape_frac,"
                     "rmse_ms,r2,coverage_of_90_frac\n");
    for (s = 0; s < f->n_sources; s++)
        for (by_device = 0; by_device < 2; by_device++)
            EC_TRY(cv_row(f, s, by_device, v, &out, err));
    EC_TRY(ec_buf_status(&out, err));
    if (f->opts->table_path)
        EC_TRY(ec_file_write(f->opts->table_path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    ec_free(v);
    return st;
}
