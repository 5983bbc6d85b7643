/* Gaussian process regression by Cholesky factorisation. Prior deviations, noise and lengths were
 * chosen by `epochcast calibrate --study`, on rows that calibrate other devices. */
#include "predict/gp.h"

#include <math.h>
#include <string.h>

#include "learn/learn.h"

#define PRIOR_SD 0.25    /* of what is left over */
#define COMMON_SHARE 0.3 /* of the variance that all rows of a kind have in common */
#define NOISE_SD 0.08
#define LENGTH_WORK 1.5   /* in logarithms: FLOP, bytes */
#define LENGTH_MATRIX 2.0 /* launches and the sides of the matrix */
#define PRECISION_APART 1.5
#define OTHER_CODE 0.4     /* correlation of equal work in another class or phase */
#define OTHER_OPERATOR 0.6 /* and by another operator of the same */
/* Operators are rough: their correlation falls at once, but reaches far. */
#define ROUGHNESS 0.4
#define LENGTH_ALIGN 3.2 /* in powers of two that divide a side */
#define OPERATORS_TOLD 97
#define CODES 100 /* more than there are of class and phase */

struct ec_gp {
    int n;
    struct ec_gp_point *point;
    double *factor; /* lower triangle of the Cholesky factor, row after row */
    double *alpha;  /* inverse of the covariance times the residuals */
};

/* The largest power of two, at most 64, that divides; as its exponent. */
static double twos(double v)
{
    int n = v < 1 || v > 0x1p62 ? 0 : __builtin_ctzll((unsigned long long)v);

    return n < 6 ? n : 6;
}

void ec_gp_place(const struct ec_step *s, const struct ec_op *op, enum ec_precision p, int kind,
                 struct ec_gp_point *ret)
{
    const struct ec_kernel *main_kernel = NULL;
    double flop = 0, elems = 0, launches = 0, most = -1;
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double repeat = s->repeat ? s->repeat[i] : 1;
        double moved = k->read_elems + k->write_elems + k->weight_elems;

        flop += repeat * k->flop;
        elems += repeat * moved;
        launches += repeat * k->launches;
        if (repeat * (k->flop + moved) > most) {
            most = repeat * (k->flop + moved);
            main_kernel = k;
        }
    }
    memset(ret, 0, sizeof *ret);
    ret->kind = kind;
    ret->at[0] = log1p(flop) / LENGTH_WORK;
    ret->at[1] = log1p(elems) / LENGTH_WORK;
    ret->at[2] = log1p(launches) / LENGTH_MATRIX;
    ret->at[6] = (p == EC_FP32 ? 0 : p == EC_TF32 ? 1 : 2) * PRECISION_APART;
    if (!main_kernel)
        return;
    ret->code = (int)main_kernel->kclass * EC_PHASE_COUNT + (int)main_kernel->phase;
    ret->at[3] = log1p(main_kernel->m) / LENGTH_MATRIX;
    ret->at[4] = log1p(main_kernel->n) / LENGTH_MATRIX;
    ret->at[5] = log1p(main_kernel->k) / LENGTH_MATRIX;
    if (!op)
        return;
    ret->code += CODES * (1 + (int)(ec_hash(op->name, strlen(op->name)) % OPERATORS_TOLD));
    ret->at[7] = twos(main_kernel->m) / LENGTH_ALIGN;
    ret->at[8] = twos(main_kernel->n) / LENGTH_ALIGN;
    ret->at[9] = twos(main_kernel->k) / LENGTH_ALIGN;
}

static double alike(const struct ec_gp_point *a, const struct ec_gp_point *b)
{
    if (a->code == b->code)
        return 1;
    return a->code % CODES == b->code % CODES ? OTHER_OPERATOR : OTHER_CODE;
}

static double covariance(const struct ec_gp_point *a, const struct ec_gp_point *b)
{
    double d = 0, near;
    int i;

    if (a->kind != b->kind)
        return 0;
    for (i = 0; i < EC_GP_COORDS; i++)
        d += (a->at[i] - b->at[i]) * (a->at[i] - b->at[i]);
    near = a->code >= CODES ? exp(-ROUGHNESS * sqrt(d)) : exp(-d / 2);
    return PRIOR_SD * PRIOR_SD * (COMMON_SHARE + (1 - COMMON_SHARE) * near * alike(a, b));
}

void ec_gp_free(struct ec_gp *g)
{
    if (!g)
        return;
    ec_free(g->point);
    ec_free(g->factor);
    ec_free(g->alpha);
    ec_free(g);
}

enum ec_status ec_gp_new(const struct ec_gp_point *points, int n, struct ec_gp **ret,
                         struct ec_err *err)
{
    size_t size = (size_t)(n < EC_GP_MAX ? n : EC_GP_MAX);
    struct ec_gp *g = NULL;
    enum ec_status st = EC_OK;
    int i, j;

    *ret = NULL;
    if (n <= 0)
        return EC_OK;
    g = ec_alloc(sizeof *g);
    if (!g)
        return ec_nomem(err);
    g->n = (int)size;
    g->point = ec_alloc(sizeof *g->point * size);
    g->factor = ec_alloc(sizeof *g->factor * size * size);
    g->alpha = ec_alloc(sizeof *g->alpha * size);
    if (!g->point || !g->factor || !g->alpha)
        EC_TRY(ec_nomem(err));
    memcpy(g->point, points, sizeof *points * size);
    for (i = 0; i < g->n; i++) {
        for (j = 0; j <= i; j++)
            g->factor[i * g->n + j] =
                covariance(&points[i], &points[j]) + (i == j ? NOISE_SD * NOISE_SD : 0);
        g->alpha[i] = points[i].residual;
    }
    if (!ec_cholesky_factor(g->factor, g->n))
        EC_TRY(ec_fail(err, EC_E_UNSTABLE, "the residuals of the profile have no factorisation"));
    ec_cholesky_lower(g->factor, g->n, g->alpha);
    ec_cholesky_upper(g->factor, g->n, g->alpha);
    *ret = g;
    g = NULL;
out:
    ec_gp_free(g);
    return st;
}

double ec_gp_mean(const struct ec_gp *g, const struct ec_gp_point *at, double *ret_unknown)
{
    double k[EC_GP_MAX], mean = 0, explained = 0;
    int i;

    *ret_unknown = 1;
    if (!g)
        return 0;
    for (i = 0; i < g->n; i++) {
        k[i] = covariance(&g->point[i], at);
        mean += k[i] * g->alpha[i];
    }
    ec_cholesky_lower(g->factor, g->n, k);
    for (i = 0; i < g->n; i++)
        explained += k[i] * k[i];
    *ret_unknown = fmax(0, 1 - explained / (PRIOR_SD * PRIOR_SD));
    return mean;
}
