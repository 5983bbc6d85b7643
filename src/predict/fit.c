/* Fitting the constants: public tables to kernels, one robust least-squares problem over all of
 * them with a prior on every constant, then cross-validation for the widths of the intervals, and
 * the result as C text. Deterministic for a seed, on any number of threads. */
#include "predict/fit_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ec__fit_say(const struct ec_fit_opts *o, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    if (!o->progress)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    o->progress(o->progress_ctx, text);
}

/* ------------------------------------------------------------------------------------------------
 * The parameter vector: constants, then frameworks, then devices; all as log(value / initial). */

static const double theta_sd[] = {
#define THETA_SD(name, init, sd) sd,
    EC_THETA_LIST(THETA_SD)
#undef THETA_SD
};
static const double framework_sd[] = {
#define FWT_SD(name, init, sd) sd,
    EC_FRAMEWORK_THETA_LIST(FWT_SD)
#undef FWT_SD
};
/* An offset is that of the product ("v100") plus that of the board ("v100-sxm2-16gb"): a board
 * nobody measured has its product's. */
static const double product_sd[EC_DO_COUNT] = { 0.15, 0.12, 0.10 };
static const double board_sd[EC_DO_COUNT] = { 0.05, 0.05, 0.10 };
/* The rest of a launch belongs to the host that a source happened to use: fitted for each source
 * and device, and not shipped. */
#define HOST_SD 0.35

enum {
    AT_FRAMEWORK = EC_THETA_COUNT,
    AT_DEVICE = AT_FRAMEWORK + EC_FRAMEWORK_COUNT * EC_FWT_COUNT,
};

static int at_product(const struct ec_fit *f)
{
    return AT_DEVICE + f->n_devices * EC_DO_COUNT;
}

static int at_host(const struct ec_fit *f)
{
    return at_product(f) + f->n_products * EC_DO_COUNT;
}

static int param_count(const struct ec_fit *f)
{
    return at_host(f) + f->n_hosts;
}

static void constants_of(const double *x, struct ec_constants *c)
{
    int i, j;

    ec_constants_default(c);
    for (i = 0; i < EC_THETA_COUNT; i++)
        c->theta[i] *= exp(x[i]);
    for (i = 0; i < EC_FRAMEWORK_COUNT; i++)
        for (j = 0; j < EC_FWT_COUNT; j++)
            c->framework[i][j] *= exp(x[AT_FRAMEWORK + i * EC_FWT_COUNT + j]);
}

static void offsets_of(const struct ec_fit *f, const double *x, int device, double *ret)
{
    const double *board = x + AT_DEVICE + device * EC_DO_COUNT;
    const double *product = x + at_product(f) + f->product_of[device] * EC_DO_COUNT;
    int i;

    for (i = 0; i < EC_DO_COUNT; i++)
        ret[i] = board[i] + product[i];
}

static double log_error(const void *ctx, const double *x, int row)
{
    const struct ec_fit *f = ctx;
    const struct ec_fit_row *r = f->row[row];
    struct ec_constants c;
    struct ec_rates rates;
    struct ec_step_time t;
    double offset[EC_DO_COUNT];

    constants_of(x, &c);
    offsets_of(f, x, r->device, offset);
    offset[EC_DO_LAUNCH] += x[at_host(f) + r->host];
    if (ec_rates_init(&rates, f->device[r->device], r->precision, r->format, &c, offset, NULL))
        return 0;
    rates.copy_bytes = r->copy_bytes;
    ec_step_time(r->step, &rates, &c, r->framework, r->precision, r->isolated, &t);
    return log(t.step_ns / r->time_ns);
}

/* An operator row never depends on what only networks have, nor a row on another device. */
static bool row_depends(const void *ctx, int param, int row)
{
    const struct ec_fit *f = ctx;
    const struct ec_fit_row *r = f->row[row];

    if (param >= at_host(f))
        return param - at_host(f) == r->host;
    if (param >= at_product(f))
        return (param - at_product(f)) / EC_DO_COUNT == f->product_of[r->device];
    if (param >= AT_DEVICE)
        return (param - AT_DEVICE) / EC_DO_COUNT == r->device;
    if (param >= AT_FRAMEWORK)
        return (param - AT_FRAMEWORK) / EC_FWT_COUNT == (int)r->framework;
    return true;
}

static void iteration_done(void *ctx, int iteration, double loss)
{
    const struct ec_fit *f = ctx;

    ec__fit_say(f->opts, "  %s: iteration %d, loss %.1f", f->stage, iteration + 1, loss);
}

static enum ec_status fit_once(struct ec_fit *f, int iterations, double *x, struct ec_err *err)
{
    double *sd = ec_alloc(sizeof *sd * (size_t)param_count(f)), loss = 0;
    double *weight = ec_alloc(sizeof *weight * (size_t)(f->n_rows ? f->n_rows : 1));
    struct ec_lm_problem p = { .n_params = param_count(f),
                               .n_rows = f->n_rows,
                               .ctx = f,
                               .residual = log_error,
                               .depends = row_depends,
                               .huber = 0.3,
                               .max_iterations = iterations,
                               .n_threads = (int)f->opts->threads,
                               .progress = iteration_done,
                               .progress_ctx = f };
    enum ec_status st = EC_OK;
    int i;

    if (!sd || !weight)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < p.n_params; i++)
        sd[i] = i < AT_FRAMEWORK    ? theta_sd[i]
                : i < AT_DEVICE     ? framework_sd[(i - AT_FRAMEWORK) % EC_FWT_COUNT]
                : i < at_product(f) ? board_sd[(i - AT_DEVICE) % EC_DO_COUNT]
                : i < at_host(f)    ? product_sd[(i - at_product(f)) % EC_DO_COUNT]
                                    : HOST_SD;
    for (i = 0; i < f->n_rows; i++)
        weight[i] = f->row[i]->weight;
    p.prior_sd = sd;
    p.weight = weight;
    EC_TRY(ec_lm_fit(&p, x, &loss, err));
out:
    ec_free(sd);
    ec_free(weight);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Cross-validation: residuals of rows that the fit did not see. */

struct residuals {
    double *v;
    int n, cap;
};

static enum ec_status keep_residual(struct residuals *r, double v, struct ec_err *err)
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

/* What is known of the row's device and host, forgotten. */
static void forget(const struct ec_fit *f, double *x, const struct ec_fit_row *r)
{
    memset(x + AT_DEVICE + r->device * EC_DO_COUNT, 0, sizeof *x * EC_DO_COUNT);
    memset(x + at_product(f) + f->product_of[r->device] * EC_DO_COUNT, 0, sizeof *x * EC_DO_COUNT);
    x[at_host(f) + r->host] = 0;
}

static enum ec_status run_fold(struct ec_fit *f, const double *start, int fold, int n_folds,
                               bool by_device, struct residuals *res, struct ec_err *err)
{
    struct ec_fit train = *f;
    double *x = ec_alloc(sizeof *x * (size_t)param_count(f));
    enum ec_status st = EC_OK;
    int i;

    train.row = ec_alloc(sizeof *train.row * (size_t)f->n_rows);
    train.n_rows = 0;
    if (!x || !train.row)
        EC_TRY(ec_nomem(err));
    memcpy(x, start, sizeof *x * (size_t)param_count(f));
    for (i = 0; i < f->n_rows; i++) {
        if (!held_out(f, f->row[i], fold, n_folds, by_device))
            train.row[train.n_rows++] = f->row[i];
        else if (by_device)
            forget(f, x, f->row[i]);
    }
    EC_TRY(fit_once(&train, 4, x, err));
    for (i = 0; i < f->n_rows; i++)
        if (held_out(f, f->row[i], fold, n_folds, by_device)) {
            f->row[i]->unseen[by_device] = -log_error(f, x, i);
            EC_TRY(keep_residual(&res[f->row[i]->width], f->row[i]->unseen[by_device], err));
        }
out:
    ec_free(x);
    ec_free(train.row);
    return st;
}

static struct ec_width width_of(struct residuals *r)
{
    struct ec_width w = { -1, 0, 1, r->n };

    if (r->n < 20)
        return w;
    w.lo = ec_quantile_inplace(r->v, r->n, 0.05);
    w.mid = ec_quantile_inplace(r->v, r->n, 0.50);
    w.hi = ec_quantile_inplace(r->v, r->n, 0.95);
    return w;
}

static enum ec_status cross_validate(struct ec_fit *f, const double *x, bool by_device, int n_folds,
                                     struct ec_err *err)
{
    struct residuals res[EC_WIDTH_COUNT] = { 0 };
    enum ec_status st = EC_OK;
    char stage[64];
    int fold, i;

    for (fold = 0; fold < n_folds; fold++) {
        (void)snprintf(stage, sizeof stage, "%s fold %d of %d",
                       by_device ? "unseen devices" : "unseen rows", fold + 1, n_folds);
        f->stage = stage;
        EC_TRY(run_fold(f, x, fold, n_folds, by_device, res, err));
    }
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        if (i != EC_W_memory)
            f->width[i][by_device] = width_of(&res[i]);
out:
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        ec_free(res[i].v);
    return st;
}

/* What the fit reaches on its own rows, by table: to see which law is weak, not to be quoted. */
static enum ec_status say_errors(struct ec_fit *f, const double *x, struct ec_err *err)
{
    double *ape = ec_alloc(sizeof *ape * (size_t)(f->n_rows ? f->n_rows : 1));
    int s, i;

    if (!ape)
        return ec_nomem(err);
    for (s = 0; s < f->n_sources; s++) {
        double sum = 0, mid, p90;
        int n = 0;

        for (i = 0; i < f->n_rows; i++)
            if (f->row[i]->source == s)
                sum += ape[n++] = fabs(expm1(log_error(f, x, i)));
        if (!n)
            continue;
        mid = ec_quantile_inplace(ape, n, 0.5);
        p90 = ec_quantile_inplace(ape, n, 0.9);
        ec__fit_say(f->opts, "  %-52.52s %5d rows: median %5.1f %%, mean %5.1f %%, p90 %5.1f %%",
                    f->source[s].name, n, 100 * mid, 100 * sum / n, 100 * p90);
    }
    ec_free(ape);
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Memory: four constants on peak readings. */

static const double memory_init[] = { 1.2e9, 1, 1, 1 };

static struct ec_memory_constants memory_of(const double *x)
{
    return (struct ec_memory_constants){ memory_init[0] * exp(x[0]), memory_init[1] * exp(x[1]),
                                         memory_init[2] * exp(x[2]), memory_init[3] * exp(x[3]) };
}

static double memory_log_error(const void *ctx, const double *x, int row)
{
    const struct ec_fit *f = ctx;
    struct ec_memory_constants c = memory_of(x);

    return log(ec__memory_total(&f->memory_row[row].parts, &c) / f->memory_row[row].peak_bytes);
}

static enum ec_status fit_memory(struct ec_fit *f, struct ec_err *err)
{
    static const double sd[] = { 1, 0.5, 0.5, 1 };
    struct ec_lm_problem p = { .n_params = 4,
                               .n_rows = f->n_memory_rows,
                               .ctx = f,
                               .residual = memory_log_error,
                               .prior_sd = sd,
                               .huber = 0.2,
                               .max_iterations = 40,
                               .n_threads = 1 };
    struct residuals res = { 0 };
    double x[4] = { 0 }, loss;
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_lm_fit(&p, x, &loss, err));
    f->memory = memory_of(x);
    for (i = 0; i < f->n_memory_rows; i++)
        EC_TRY(keep_residual(&res, -memory_log_error(f, x, i), err));
    f->width[EC_W_memory][0] = f->width[EC_W_memory][1] = width_of(&res);
out:
    ec_free(res.v);
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

static enum ec_status write_cv_table(const struct ec_fit *f, struct ec_err *err)
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

/* ------------------------------------------------------------------------------------------------
 * The result as C. */

static void print_constants(const double *x, struct ec_buf *out)
{
    static const char *const names[] = {
#define THETA_NAME(name, init, sd) #name,
        EC_THETA_LIST(THETA_NAME)
#undef THETA_NAME
    };
    struct ec_constants c;
    int i, j;

    constants_of(x, &c);
    ec_buf_str(out, "    .c = { .theta = {\n");
    for (i = 0; i < EC_THETA_COUNT; i++)
        ec_buf_printf(out, "        [EC_T_%s] = %.6g,\n", names[i], c.theta[i]);
    ec_buf_str(out, "    }, .framework = {\n");
    for (i = 0; i < EC_FRAMEWORK_COUNT; i++) {
        ec_buf_str(out, "        {");
        for (j = 0; j < EC_FWT_COUNT; j++)
            ec_buf_printf(out, " %.6g,", c.framework[i][j]);
        ec_buf_printf(out, " }, /* %s */\n", ec_framework_keys[i]);
    }
    ec_buf_str(out, "    } },\n");
}

static int by_key(const void *a, const void *b)
{
    const struct ec_device_fit *x = a, *y = b;

    return strcmp(x->key, y->key);
}

static void count_rows(const struct ec_fit *f, struct ec_device_fit *d)
{
    int i;

    for (i = 0; i < f->n_rows; i++)
        *(f->row[i]->isolated ? &d[f->row[i]->device].n_operators
                              : &d[f->row[i]->device].n_networks) += 1;
}

static void print_device_rows(const char *name, struct ec_device_fit *d, int n, struct ec_buf *out)
{
    int i;

    qsort(d, (size_t)n, sizeof *d, by_key);
    ec_buf_printf(out, "static const struct ec_device_fit %s[] = {\n", name);
    for (i = 0; i < n; i++)
        ec_buf_printf(out, "    { \"%s\", { %.4f, %.4f, %.4f }, %d, %d },\n", d[i].key,
                      d[i].offset[0], d[i].offset[1], d[i].offset[2], d[i].n_operators,
                      d[i].n_networks);
    ec_buf_str(out, "};\n\n");
}

static enum ec_status print_devices(const struct ec_fit *f, const double *x, struct ec_buf *out,
                                    struct ec_err *err)
{
    struct ec_device_fit *d = ec_alloc(sizeof *d * (size_t)(f->n_devices + 1));
    struct ec_device_fit *p = ec_alloc(sizeof *p * (size_t)(f->n_products + 1));
    enum ec_status st = EC_OK;
    int i;

    if (!d || !p)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < f->n_devices; i++) {
        d[i].key = ec_device_key(f->device[i]);
        offsets_of(f, x, i, d[i].offset);
    }
    for (i = 0; i < f->n_products; i++) {
        p[i].key = f->product[i];
        memcpy(p[i].offset, x + at_product(f) + i * EC_DO_COUNT, sizeof p[i].offset);
    }
    count_rows(f, d);
    print_device_rows("device_fits", d, f->n_devices, out);
    print_device_rows("product_fits", p, f->n_products, out);
out:
    ec_free(d);
    ec_free(p);
    return st;
}

static int by_host(const void *a, const void *b)
{
    const struct ec_host_fit *x = a, *y = b;
    int c = strcmp(x->device, y->device);

    if (c)
        return c;
    return x->framework != y->framework ? (int)x->framework - (int)y->framework
                                        : (int)x->kind - (int)y->kind;
}

static enum ec_status print_hosts(const struct ec_fit *f, const double *x, struct ec_buf *out,
                                  struct ec_err *err)
{
    struct ec_host_fit *h = ec_alloc(sizeof *h * (size_t)(f->n_hosts + 1));
    int i;

    if (!h)
        return ec_nomem(err);
    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        h[r->host] = (struct ec_host_fit){ ec_device_key(f->device[r->device]), r->framework,
                                           r->width, x[at_host(f) + r->host] };
    }
    qsort(h, (size_t)f->n_hosts, sizeof *h, by_host);
    ec_buf_str(out, "static const struct ec_host_fit host_fits[] = {\n");
    for (i = 0; i < f->n_hosts; i++)
        ec_buf_printf(out, "    { \"%s\", (enum ec_framework)%d, EC_W_%s, %.4f },\n", h[i].device,
                      (int)h[i].framework, ec__width_name(h[i].kind), h[i].launch);
    ec_buf_str(out, "};\n\n");
    ec_free(h);
    return EC_OK;
}

static enum ec_status write_result(const struct ec_fit *f, const double *x, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;
    int i, b;

    ec_buf_printf(
        &out,
        "/* Written by `epochcast fit`; do not edit. %d rows of operators and networks and "
        "%d of memory,\n * seed %lld. Sources:\n",
        f->n_rows, f->n_memory_rows, (long long)f->opts->seed);
    for (i = 0; i < f->n_sources; i++)
        ec_buf_printf(&out, " *   %s: %d rows of %d read\n", f->source[i].name, f->source[i].n_used,
                      f->source[i].n_read);
    ec_buf_str(&out, " */\n");
    EC_TRY(print_devices(f, x, &out, err));
    EC_TRY(print_hosts(f, x, &out, err));
    ec_buf_str(&out, "static const struct ec_fitted fitted = {\n");
    print_constants(x, &out);
    ec_buf_printf(&out, "    .memory = { %.6g, %.6g, %.6g, %.6g },\n    .width = {\n",
                  f->memory.base_bytes, f->memory.static_factor, f->memory.kept_factor,
                  f->memory.transient_factor);
    for (i = 0; i < EC_WIDTH_COUNT; i++) {
        ec_buf_printf(&out, "        [EC_W_%s] = {\n", ec__width_name((enum ec_width_kind)i));
        for (b = 0; b < 2; b++)
            ec_buf_printf(&out, "            { %.4f, %.4f, %.4f, %d },\n", f->width[i][b].lo,
                          f->width[i][b].mid, f->width[i][b].hi, f->width[i][b].n);
        ec_buf_str(&out, "        },\n");
    }
    ec_buf_printf(&out,
                  "    },\n    .devices = device_fits,\n    .n_devices = %d,\n"
                  "    .products = product_fits,\n    .n_products = %d,\n"
                  "    .hosts = host_fits,\n    .n_hosts = %d,\n    .largest_batch = %.0f,\n};\n",
                  f->n_devices, f->n_products, f->n_hosts, f->largest_batch);
    EC_TRY(ec_buf_status(&out, err));
    EC_TRY(ec_file_write(f->opts->out_path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    return st;
}

enum ec_status ec_fit_physics(const struct ec_fit_opts *opts, struct ec_err *err)
{
    struct ec_fit f = { .opts = opts, .stage = "all rows" };
    double *x = NULL;
    enum ec_status st;

    memcpy(f.width, ec__fitted()->width, sizeof f.width);
    f.memory = ec__fitted()->memory;
    EC_TRY(ec__fit_collect(&f, err));
    x = ec_alloc(sizeof *x * (size_t)param_count(&f));
    if (!x)
        EC_TRY(ec_nomem(err));
    EC_TRY(fit_once(&f, (int)opts->iterations, x, err));
    EC_TRY(say_errors(&f, x, err));
    if (f.n_memory_rows >= 20)
        EC_TRY(fit_memory(&f, err));
    if (!opts->quick) {
        EC_TRY(cross_validate(&f, x, false, 4, err));
        EC_TRY(cross_validate(&f, x, true, 6, err));
    }
    EC_TRY(write_result(&f, x, err));
    if (!opts->quick)
        EC_TRY(write_cv_table(&f, err));
out:
    ec_free(x);
    ec__fit_clear(&f);
    return st;
}
