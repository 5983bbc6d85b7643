/* Fitting the constants: public tables to kernels, one robust least-squares problem over all of
 * them with a prior on every constant. */
#include "lab/fit_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ec__fit_say(const struct ec_fit_opts *o, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    if (!o->progress)
        return;
    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    o->progress(o->progress_ctx, text);
}

/* ------------------------------------------------------------------------------------------------
 * The parameter vector: constants, then frameworks, then devices; all as log(value / initial). */

static const double theta_sd[] = {
#define THETA_SD(name, init, sd, ...) sd,
    EC_THETA_LIST(THETA_SD)
#undef THETA_SD
};
static const double framework_sd[] = {
#define FWT_SD(name, init, sd, ...) sd,
    EC_FRAMEWORK_THETA_LIST(FWT_SD)
#undef FWT_SD
};
/* Prior standard deviations of a product's offsets, with the hosts of those who measured it. */
static const double product_sd[2] = { 0.15, 0.12 };
/* The same of accelerators, whose laws have no constants of their own. */
#define ACCELERATOR_SD 0.5
/* Prior standard deviation of a host's offset. */
#define HOST_SD 0.6
/* Shipped offsets are shrunk. Of an architecture the mean over its products is shipped, shrunk as
 * if NO_DIFFERENCE_SOURCES more sources had an offset of 0; of a product little beside it, so that
 * boards of one chip differ as their specifications do. Both are bounded, so that a device with
 * more of everything is not slower. */
#define NO_DIFFERENCE_SOURCES 1.0
#define NO_HOST_SOURCES 0.25
#define PRODUCT_MOST 0.05
#define ARCH_MOST 0.2

enum {
    AT_FRAMEWORK = EC_THETA_COUNT,
    AT_PRODUCT = AT_FRAMEWORK + EC_FRAMEWORK_COUNT * EC_FWT_COUNT,
};

static int at_host(const struct ec_fit *f)
{
    return AT_PRODUCT + f->n_products * 2;
}

int ec__fit_params(const struct ec_fit *f)
{
    return at_host(f) + f->n_hosts;
}

/* Constants of one framework; others keep their start. */
static void constants_for(const double *x, int framework, struct ec_constants *c)
{
    int i;

    ec_constants_default(c);
    for (i = 0; i < EC_THETA_COUNT; i++)
        c->theta[i] *= exp(x[i]);
    for (i = 0; i < EC_FWT_COUNT; i++)
        c->framework[framework][i] *= exp(x[AT_FRAMEWORK + framework * EC_FWT_COUNT + i]);
}

void ec__fit_constants(const double *x, struct ec_constants *c)
{
    int i, j;

    ec_constants_default(c);
    for (i = 0; i < EC_THETA_COUNT; i++)
        c->theta[i] *= exp(x[i]);
    for (i = 0; i < EC_FRAMEWORK_COUNT; i++)
        for (j = 0; j < EC_FWT_COUNT; j++)
            c->framework[i][j] *= exp(x[AT_FRAMEWORK + i * EC_FWT_COUNT + j]);
}

void ec__fit_params_of(const struct ec_constants *c, double *ret_x)
{
    struct ec_constants from;
    int i, j;

    ec_constants_default(&from);
    for (i = 0; i < EC_THETA_COUNT; i++)
        ret_x[i] = log(c->theta[i] / from.theta[i]);
    for (i = 0; i < EC_FRAMEWORK_COUNT; i++)
        for (j = 0; j < EC_FWT_COUNT; j++)
            ret_x[AT_FRAMEWORK + i * EC_FWT_COUNT + j] =
                log(c->framework[i][j] / from.framework[i][j]);
}

/* "timm-rtx3090": the folder of the table and the device; our own tables have the project's name.
 */
enum ec_status ec__fit_host_name(struct ec_fit *f, const struct ec_fit_host *h, const char **ret,
                                 struct ec_err *err)
{
    const char *table = f->source[h->source].table;
    const char *folder = f->source[h->source].own ? "epochcast/" : table;
    char text[128];

    (void)snprintf(text, sizeof text, "%.*s-%s", (int)strcspn(folder, "/"), folder,
                   ec_device_key(f->device[h->device]));
    *ret = ec_arena_str(&f->arena, text);
    return ec_allocated(*ret, err);
}

enum ec_status ec__fit_shipped(struct ec_fit *f, double *ret_x, struct ec_err *err)
{
    const struct ec_fitted *shipped = ec_fitted();
    double offset[EC_DO_COUNT], beside;
    const char *name;
    int i;

    ec__fit_params_of(&shipped->c, ret_x);
    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        ec_fitted_offset(shipped, f->device[r->device], &r->cond, r->op, offset);
        memcpy(ret_x + AT_PRODUCT + f->product_of[r->device] * 2, offset, 2 * sizeof *offset);
        EC_PASS(ec__fit_host_name(f, &f->host[r->host], &name, err));
        if (r->width != EC_W_network || ec_fitted_host(shipped, name, &beside, NULL))
            beside = 0; /* a host that never waited has no name */
        ret_x[at_host(f) + r->host] = offset[EC_DO_LAUNCH] + beside;
    }
    return EC_OK;
}

static double within(double v, double most)
{
    return fmax(-most, fmin(most, v));
}

static const double *product_at(const double *x, int product)
{
    return x + AT_PRODUCT + product * 2;
}

void ec__fit_arch_offset(const struct ec_fit *f, const double *x, int arch, double ret[2])
{
    double n = 0;
    int i, k;

    ret[0] = ret[1] = 0;
    for (i = 0; i < f->n_products; i++)
        for (k = 0; f->product_arch[i] == arch && k < 2; k++) {
            ret[k] += f->product_sources[i] * product_at(x, i)[k];
            n += f->product_sources[i] / 2.0;
        }
    for (k = 0; k < 2 && n > 0; k++)
        ret[k] = f->arch_is_own[arch] ? ret[k] / n
                                      : within(ret[k] / (n + NO_DIFFERENCE_SOURCES), ARCH_MOST);
}

void ec__fit_product_offset(const struct ec_fit *f, const double *x, int product, double ret[2])
{
    double n = f->product_sources[product], beside;
    int k;

    ec__fit_arch_offset(f, x, f->product_arch[product], ret);
    for (k = 0; k < 2; k++) {
        beside = (product_at(x, product)[k] - ret[k]) * n / (n + NO_DIFFERENCE_SOURCES);
        ret[k] = within(beside, PRODUCT_MOST);
    }
}

double ec__fit_host_offset(const struct ec_fit *f, const double *x, int host)
{
    return x[at_host(f) + host];
}

/* Whether any row depends on the host; else its offset stays at the start. */
static bool is_known(const struct ec_fit *f, const double *x, int host)
{
    return fabs(x[at_host(f) + host]) > 0;
}

/* Mean over the devices of a source; false: it has no networks of the framework on GPUs, or its
 * host changed its speed. */
static bool source_host(const struct ec_fit *f, const double *x, int source, enum ec_framework fw,
                        double *ret)
{
    double sum = 0;
    int i, n = 0;

    for (i = 0; i < f->n_hosts && !f->source[source].unsteady; i++)
        if (f->host[i].source == source && f->host[i].framework == fw && f->host[i].n_networks &&
            f->device[f->host[i].device]->kind == EC_DEV_GPU && is_known(f, x, i)) {
            sum += x[at_host(f) + i];
            n++;
        }
    *ret = n ? sum / n : 0;
    return n > 0;
}

double ec__fit_reference_host(const struct ec_fit *f, const double *x, enum ec_framework fw)
{
    double of[EC_FIT_SOURCES_MAX];
    int i, n = 0;

    for (i = 0; i < f->n_sources; i++)
        n += source_host(f, x, i, fw, &of[n]);
    return n ? ec_quantile_inplace(of, n, 0.5) * n / (n + NO_HOST_SOURCES) : 0;
}

/* Of a lone operator: that of its device, else the mean over the others of its table, as a query
 * gets it. */
static double harness(const struct ec_fit *f, const double *x, int host)
{
    double sum = 0;
    int i, n = 0;

    if (is_known(f, x, host))
        return x[at_host(f) + host];
    for (i = 0; i < f->n_hosts; i++)
        if (f->host[i].source == f->host[host].source && is_known(f, x, i)) {
            sum += x[at_host(f) + i];
            n++;
        }
    return n ? sum / n : 0;
}

static void offsets_of(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                       enum ec_fit_as as, double ret[EC_DO_COUNT])
{
    int product = f->product_of[r->device], k;
    double beside[2];

    if (as == EC_FIT_AS_MEASURED) {
        memcpy(ret, product_at(x, product), 2 * sizeof *ret);
    } else {
        ec__fit_arch_offset(f, x, f->product_arch[product], ret);
        ec__fit_product_offset(f, x, product, beside);
        for (k = 0; k < 2; k++)
            ret[k] += beside[k];
    }
    ret[EC_DO_LAUNCH] = as != EC_FIT_AS_ASKED      ? x[at_host(f) + r->host]
                        : r->width == EC_W_network ? ec__fit_reference_host(f, x, r->cond.framework)
                        : r->isolated              ? harness(f, x, r->host)
                                                   : x[at_host(f) + r->host];
}

bool ec__fit_rates(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                   enum ec_fit_as as, struct ec_constants *ret_constants, struct ec_rates *ret)
{
    double offset[EC_DO_COUNT];

    constants_for(x, (int)r->cond.framework, ret_constants);
    offsets_of(f, x, r, as, offset);
    ec_offsets_bound(f->device[r->device], ret_constants, offset);
    if (ec_rates_init(ret, f->device[r->device], &r->cond, ret_constants, offset, NULL))
        return false;
    ret->copy_bytes = r->copy_bytes;
    return true;
}

double ec__fit_log_error(const void *ctx, const double *x, int row)
{
    const struct ec_fit *f = ctx;
    const struct ec_fit_row *r = f->row[row];
    struct ec_constants c;
    struct ec_rates rates;
    struct ec_step_time t;

    if (!ec__fit_rates(f, x, r, EC_FIT_AS_MEASURED, &c, &rates))
        return 0;
    ec_step_time(r->step, &rates, &c, r->isolated, &t);
    return log(t.step_ns / r->time_ns);
}

double ec__fit_asked_error(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                           enum ec_fit_as as)
{
    struct ec_constants c;
    struct ec_rates rates;
    struct ec_step_time t;

    if (!ec__fit_rates(f, x, r, as, &c, &rates))
        return 0;
    ec_step_time(r->step, &rates, &c, r->isolated, &t);
    return log(r->time_ns / t.step_ns);
}

/* There are few CPUs, and the formulas are those of GPUs: rows of CPUs affect only constants of
 * CPUs. Torch 7 leaves most of a CPU idle, so its rows affect no others. */
static bool cpu_depends(const struct ec_fit_row *r, int param)
{
    if (r->cond.framework == EC_FW_torch7)
        return false;
    switch (param) {
    case EC_T_peak_cpu:
    case EC_T_peak_measured:
    case EC_T_conv_cpu:
    case EC_T_depthwise_cpu:
    case EC_T_memory_cpu:
    case EC_T_memory_measured:
    case EC_T_cpu_kernel_ns:
        return true;
    default: /* our engine runs nowhere else */
        return param >= AT_FRAMEWORK && r->cond.framework == EC_FW_epochcast &&
               (param - AT_FRAMEWORK) / EC_FWT_COUNT == (int)r->cond.framework;
    }
}

/* Convolutions in TF32 run on matrix units but where lanes are as fast: a row of them says nothing
 * of the lanes. */
static bool is_of_lanes(int param)
{
    return param == EC_T_peak_simt || param == EC_T_peak_simt_dual ||
           param == EC_T_peak_simt_turing || param == EC_T_watt_simt ||
           (param >= EC_T_winograd_flop && param <= EC_T_winograd_grad);
}

/* Whether a row depends on a parameter: never on those of another device or framework. */
static bool row_depends(const void *ctx, int param, int row)
{
    const struct ec_fit *f = ctx;
    const struct ec_fit_row *r = f->row[row];

    if (param >= at_host(f))
        return param - at_host(f) == r->host;
    if (param >= AT_PRODUCT)
        return (param - AT_PRODUCT) / 2 == f->product_of[r->device];
    if (f->device[r->device]->kind == EC_DEV_CPU)
        return cpu_depends(r, param);
    if (f->device[r->device]->kind == EC_DEV_ACCELERATOR) /* few, and unlike GPUs */
        return param == EC_T_peak_other || param == EC_T_memory_other;
    if (param >= AT_FRAMEWORK)
        return (param - AT_FRAMEWORK) / EC_FWT_COUNT == (int)r->cond.framework;
    return r->cond.precision != EC_TF32 || !is_of_lanes(param);
}

void ec__fit_forget(const struct ec_fit *f, double *x, const struct ec_fit_row *r)
{
    memset(x + AT_PRODUCT + f->product_of[r->device] * 2, 0, sizeof *x * 2);
    x[at_host(f) + r->host] = 0;
}

static void iteration_done(void *ctx, int iteration, double loss)
{
    const struct ec_fit *f = ctx;

    ec__fit_say(f->opts, "  %s: iteration %d, loss %.1f", f->stage, iteration + 1, loss);
}

static double prior_sd(const struct ec_fit *f, int param)
{
    if (param < AT_FRAMEWORK)
        return theta_sd[param];
    if (param < AT_PRODUCT)
        return framework_sd[(param - AT_FRAMEWORK) % EC_FWT_COUNT];
    if (param >= at_host(f))
        return HOST_SD;
    return f->product_is_accelerator[(param - AT_PRODUCT) / 2]
               ? ACCELERATOR_SD
               : product_sd[(param - AT_PRODUCT) % 2];
}

/* The fit of the constants as least squares. */
struct problem {
    struct ec_fit f; /* with the rows of the physics only */
    double *sd, *weight;
    int *slopes_row;
    struct ec_lm_problem lm;
};

static void problem_clear(struct problem *p)
{
    ec_free(p->f.row);
    ec_free(p->sd);
    ec_free(p->weight);
    ec_free(p->slopes_row);
}

static enum ec_status problem_init(struct problem *p, const struct ec_fit *all, struct ec_err *err)
{
    size_t n_params = (size_t)ec__fit_params(all), n_rows = (size_t)all->n_rows;
    int i;

    *p = (struct problem){ .f = *all,
                           .sd = ec_alloc(sizeof *p->sd * n_params),
                           .weight = ec_alloc(sizeof *p->weight * (n_rows + 1)),
                           .slopes_row = ec_alloc(sizeof *p->slopes_row * (n_rows + 1)) };
    p->f.row = ec_alloc(sizeof *p->f.row * (n_rows + 1));
    p->f.n_rows = 0;
    EC_PASS(ec_allocated(p->sd && p->weight && p->slopes_row && p->f.row, err));
    for (i = 0; i < (int)n_params; i++)
        p->sd[i] = prior_sd(all, i);
    for (i = 0; i < all->n_rows; i++)
        if (all->row[i]->physics) {
            p->weight[p->f.n_rows] = all->row[i]->weight;
            p->slopes_row[p->f.n_rows] = all->row[i]->slopes_row;
            p->f.row[p->f.n_rows++] = all->row[i];
        }
    p->lm = (struct ec_lm_problem){ .n_params = (int)n_params,
                                    .n_rows = p->f.n_rows,
                                    .ctx = &p->f,
                                    .residual = ec__fit_log_error,
                                    .depends = row_depends,
                                    .prior_sd = p->sd,
                                    .weight = p->weight,
                                    .huber = 0.3,
                                    .n_threads = (int)all->opts->threads,
                                    .progress = iteration_done,
                                    .progress_ctx = &p->f,
                                    .slopes = all->slopes,
                                    .slopes_row = p->slopes_row };
    return EC_OK;
}

enum ec_status ec__fit_run(const struct ec_fit *f, int iterations, double *x, struct ec_err *err)
{
    double loss = 0;
    struct problem p;
    enum ec_status st;

    EC_TRY(problem_init(&p, f, err));
    p.lm.max_iterations = iterations;
    EC_TRY(ec_lm_fit(&p.lm, x, &loss, err));
out:
    problem_clear(&p);
    return st;
}

enum ec_status ec__fit_keep_slopes(struct ec_fit *f, const double *x, struct ec_err *err)
{
    struct problem p;
    enum ec_status st;
    int i;

    ec_lm_slopes_free(f->slopes);
    f->slopes = NULL;
    EC_TRY(problem_init(&p, f, err));
    EC_TRY(ec_lm_slopes_at(&p.lm, x, &f->slopes, err));
    for (i = 0; i < p.f.n_rows; i++)
        p.f.row[i]->slopes_row = i;
out:
    problem_clear(&p);
    return st;
}

/* The first source that reads the table of this one. */
static int table_of(const struct ec_fit *f, int source)
{
    int i = 0;

    while (!ec_str_eq(f->source[i].table, f->source[source].table))
        i++;
    return i;
}

enum ec_status ec__fit_evidence(const struct ec_fit *f, const double *x,
                                struct ec_fit_evidence *ret, struct ec_err *err)
{
    int n_params = ec__fit_params(f), i, k;
    double *sd = ec_alloc(sizeof *sd * (size_t)n_params);
    struct problem p = { 0 };
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(sd, err));
    EC_TRY(problem_init(&p, f, err));
    EC_TRY(ec_lm_posterior_sd(&p.lm, x, sd, err));
    for (i = 0; i < n_params; i++)
        ret[i] = (struct ec_fit_evidence){ .prior_sd = p.sd[i], .sd = sd[i] };
    for (i = 0; i < p.f.n_rows; i++) {
        struct ec_lm_row row = ec_lm_row_at(&p.lm, x, i);
        int table = table_of(f, p.f.row[i]->source);

        for (k = 0; k < row.n; k++) {
            struct ec_fit_evidence *e = &ret[row.param[k]];
            double slope = (double)row.slope[k];

            e->rows[table] += fabs(slope) >= EC_FIT_NOTICEABLE;
            e->says[table] += row.weight * slope * slope;
        }
    }
out:
    problem_clear(&p);
    ec_free(sd);
    return st;
}
