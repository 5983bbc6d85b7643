/* The Gaussian process of a profile: coordinates of a query, and covariance of two queries. The
 * hyperparameters below and in coords.txt were chosen on the tables of NeuSight, DeepBench, Justus
 * and the practicum: those of operators by the leave-one-out likelihood of 4 to 100 rows of a
 * device, with physics, corrections fitted to other products, and three offsets; `near` of products
 * and `neighbours` of vector operators by the error after 5, 10 and 20 rows of an operator; those
 * of networks by the likelihood of the other networks after 3 to 20 of a device, in seven tables.
 */
#include "adapt/gp.h"

#include <math.h>
#include <string.h>

#include "learn/learn.h"

#include "gp_coords.h"

#define LENGTH_WORK 1.5   /* in logarithms of FLOP or bytes */
#define LENGTH_MATRIX 2.0 /* launches and the sides of the matrix */
#define PRECISION_APART 1.5
#define LENGTH_ALIGN 3.2 /* in log2 of the power of two that divides a side */
#define OPERATORS_TOLD 97
#define OUTLIER 2.0 /* standard deviations */
#define CODES 100   /* more than pairs of class and phase */

/* A feature, and the length over which correlation falls by e. */
struct coord {
    int feature;
    double length;
};
/* Compute- or memory-bound: log of the ratio of both times of the kernel. */
#define REGIME (-1)
#define REGIME_MOST 6.0
/* 0: float32, 1: TF32, 2: halves. */
#define PRECISION (-2)

#define COORD(feature, length) { feature, length },
static const struct coord gemm_coords[] = { GEMM_COORDS(COORD) };
static const struct coord conv_coords[] = { CONV_COORDS(COORD) };
static const struct coord vector_coords[] = { VECTOR_COORDS(COORD) };
static const struct coord network_coords[] = { NETWORK_COORDS(COORD) };
#undef COORD

/* Covariance of a kind: standard deviations of parts that rows share, as logarithms, and factors.
 */
struct shape {
    double common;     /* shared by all rows of the kind */
    double own;        /* shared by rows of an operator */
    double near;       /* shared by rows nearby, falling with distance */
    double other;      /* factor on `near` for another operator, class or phase */
    double phase;      /* further factor where class or phase differs, too */
    double foreign;    /* factor on `near` for another framework */
    double neighbours; /* weight of the residuals of neighbour devices */
    double noise;
    const struct coord *coord;
    int n_coords; /* coord NULL: coordinates of the whole step */
};
#define STEP_COORDS 10

/* clang-format off */
#define NETWORKS { 0.009, 0, 0.161, 0.54, 1, 0.2, 0, 0.044, network_coords, EC_LEN(network_coords) }
#define STEPS { 0.137, 0, 0.209, 0.6, 0.67, 1, 0, 0.080, NULL, STEP_COORDS }
static const struct shape shapes[EC_WIDTH_COUNT] = {
    /*                         common own    near   other phase foreign neighb. noise */
    [EC_W_gemm] =            { 0.057, 0.049, 0.220, 0.57, 0.67, 1, 0.567, 0.080,
                               gemm_coords, EC_LEN(gemm_coords) },
    [EC_W_conv] =            { 0.045, 0.042, 0.131, 0.51, 0.67, 1, 0.747, 0.040,
                               conv_coords, EC_LEN(conv_coords) },
    [EC_W_vector] =          { 0.041, 0.049, 0.088, 0.74, 0.67, 1, 0.650, 0.020,
                               vector_coords, EC_LEN(vector_coords) },
    [EC_W_rnn] =             STEPS,
    [EC_W_network] =         NETWORKS,
    [EC_W_network_not_gpu] = NETWORKS,
    [EC_W_memory] =          STEPS,
};
/* clang-format on */

struct ec_gp {
    struct ec_gp_point *point;
    double noise[EC_GP_MAX]; /* variance of each point */
    struct ec_gaussian solved;
};

int ec_gp_coords(int kind)
{
    return shapes[kind].n_coords;
}

bool ec_gp_wants_neighbours(int kind)
{
    return shapes[kind].neighbours > 0;
}

/* log2 of the largest power of two that divides v, at most 6. */
static double twos(double v)
{
    int n = v < 1 || v > 0x1p62 ? 0 : __builtin_ctzll((unsigned long long)v);

    return n < 6 ? n : 6;
}

/* Coordinates from the whole step and its main kernel. */
static void place_step(const struct ec_gp_query *q, struct ec_gp_point *ret)
{
    const struct ec_step *s = q->step;
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
    ret->at[0] = log1p(flop) / LENGTH_WORK;
    ret->at[1] = log1p(elems) / LENGTH_WORK;
    ret->at[2] = log1p(launches) / LENGTH_MATRIX;
    ret->at[6] = (q->cond.precision == EC_FP32   ? 0
                  : q->cond.precision == EC_TF32 ? 1
                                                 : 2) *
                 PRECISION_APART;
    if (!main_kernel)
        return;
    ret->code = (int)main_kernel->kclass * EC_PHASE_COUNT + (int)main_kernel->phase;
    ret->at[3] = log1p(main_kernel->m) / LENGTH_MATRIX;
    ret->at[4] = log1p(main_kernel->n) / LENGTH_MATRIX;
    ret->at[5] = log1p(main_kernel->k) / LENGTH_MATRIX;
    if (!q->op)
        return;
    ret->code += CODES * (1 + (int)(ec_hash(q->op->name, strlen(q->op->name)) % OPERATORS_TOLD));
    ret->at[7] = twos(main_kernel->m) / LENGTH_ALIGN;
    ret->at[8] = twos(main_kernel->n) / LENGTH_ALIGN;
    ret->at[9] = twos(main_kernel->k) / LENGTH_ALIGN;
}

static double coordinate(const struct coord *c, const struct ec_gp_query *q)
{
    const double *f = q->features;
    double v;

    if (c->feature == PRECISION)
        v = q->cond.precision == EC_FP32 ? 0 : q->cond.precision == EC_TF32 ? 1 : 2;
    else if (c->feature == REGIME)
        v = fmax(-REGIME_MOST, fmin(REGIME_MOST, f[EC_F_ROOFLINE_log_kernel_compute_ns] -
                                                     f[EC_F_ROOFLINE_log_kernel_memory_ns]));
    else
        v = f[c->feature];
    return v / c->length;
}

void ec_gp_place(const struct ec_gp_query *q, struct ec_gp_point *ret)
{
    const struct shape *s = &shapes[q->kind];
    int i;

    memset(ret, 0, sizeof *ret);
    ret->kind = q->kind;
    ret->framework = (int)q->cond.framework;
    place_step(q, ret);
    if (s->coord) {
        memset(ret->at, 0, sizeof ret->at);
        for (i = 0; q->features && i < s->n_coords; i++)
            ret->at[i] = coordinate(&s->coord[i], q);
    }
    ret->n_neighbours = q->n_neighbours < EC_GP_NEIGHBOURS ? q->n_neighbours : EC_GP_NEIGHBOURS;
    for (i = 0; i < ret->n_neighbours; i++)
        ret->neighbour[i] = q->neighbour[i];
}

static double alike(const struct shape *s, const struct ec_gp_point *a, const struct ec_gp_point *b)
{
    if (a->code == b->code)
        return 1;
    return s->other * (a->code % CODES == b->code % CODES ? 1 : s->phase);
}

/* Covariance by neighbours: the device's residual is modelled as a mixture of its neighbours'
 * residuals, so points where these agree go together. */
static double related(const struct shape *s, const struct ec_gp_point *a,
                      const struct ec_gp_point *b)
{
    double sum = 0;
    int i;

    if (a->framework != b->framework || a->n_neighbours != b->n_neighbours || !a->n_neighbours)
        return 0;
    for (i = 0; i < a->n_neighbours; i++)
        sum += a->neighbour[i] * b->neighbour[i];
    return s->neighbours * s->neighbours * sum / a->n_neighbours;
}

static double covariance(const struct ec_gp_point *a, const struct ec_gp_point *b)
{
    const struct shape *s = &shapes[a->kind];
    double d = 0, near;
    int i;

    if (a->kind != b->kind)
        return 0;
    for (i = 0; i < s->n_coords; i++)
        d += (a->at[i] - b->at[i]) * (a->at[i] - b->at[i]);
    near = exp(-sqrt(d));
    return s->common * s->common + (a->code / CODES == b->code / CODES ? s->own * s->own : 0) +
           s->near * s->near * near * alike(s, a, b) *
               (a->framework == b->framework ? 1 : s->foreign) +
           related(s, a, b);
}

void ec_gp_free(struct ec_gp *g)
{
    if (!g)
        return;
    ec_free(g->point);
    ec_gaussian_clear(&g->solved);
    ec_free(g);
}

static double noisy_covariance(const void *ctx, int i, int j)
{
    const struct ec_gp *g = ctx;

    return covariance(&g->point[i], &g->point[j]) + (i == j ? g->noise[i] : 0);
}

static enum ec_status solve(struct ec_gp *g, struct ec_err *err)
{
    double residual[EC_GP_MAX];
    int i;

    for (i = 0; i < g->solved.n; i++)
        residual[i] = g->point[i].residual;
    if (ec_gaussian_solve(&g->solved, noisy_covariance, g, residual))
        return EC_OK;
    return ec_fail(err, EC_E_UNSTABLE, "the residuals of the profile have no factorisation");
}

/* Makes outliers weaker: a row further than OUTLIER standard deviations from what the other rows
 * predict gets more noise, so that it pulls like a row at that distance. */
static void forgive(struct ec_gp *g)
{
    double room[EC_GP_MAX], variance;
    int i;

    for (i = 0; i < g->solved.n; i++) {
        double error = ec_gaussian_left_out(&g->solved, i, room, &variance);

        g->noise[i] += fmax(0, fabs(error) * sqrt(variance) / OUTLIER - variance);
    }
}

enum ec_status ec_gp_new(const struct ec_gp_point *points, int n, struct ec_gp **ret,
                         struct ec_err *err)
{
    int n_used = n < EC_GP_MAX ? n : EC_GP_MAX, i;
    struct ec_gp *g = NULL;
    enum ec_status st = EC_OK;

    *ret = NULL;
    if (n <= 0)
        return EC_OK;
    g = ec_alloc(sizeof *g);
    EC_PASS(ec_allocated(g, err));
    EC_TRY(ec_gaussian_init(&g->solved, n_used, err));
    g->point = ec_alloc(sizeof *g->point * (size_t)n_used);
    EC_TRY(ec_allocated(g->point, err));
    memcpy(g->point, points, sizeof *points * (size_t)n_used);
    for (i = 0; i < n_used; i++)
        g->noise[i] = shapes[points[i].kind].noise * shapes[points[i].kind].noise;
    EC_TRY(solve(g, err));
    forgive(g);
    EC_TRY(solve(g, err));
    *ret = g;
    g = NULL;
out:
    ec_gp_free(g);
    return st;
}

bool ec_gp_knows(const struct ec_gp *g, int kind, bool *ret_neighbours)
{
    bool known = false;
    int i;

    *ret_neighbours = false;
    for (i = 0; g && i < g->solved.n; i++)
        if (g->point[i].kind == kind) {
            known = true;
            *ret_neighbours = *ret_neighbours || g->point[i].n_neighbours > 0;
        }
    return known;
}

double ec_gp_mean(const struct ec_gp *g, const struct ec_gp_point *at, double *ret_unknown)
{
    double k[EC_GP_MAX], mean;
    int i;

    *ret_unknown = 1;
    if (!g)
        return 0;
    for (i = 0; i < g->solved.n; i++)
        k[i] = covariance(&g->point[i], at);
    mean = ec_gaussian_mean(&g->solved, k);
    *ret_unknown = fmax(0, 1 - ec_gaussian_explained(&g->solved, k) / covariance(at, at));
    return mean;
}

/* Prior covariances of all points, n x n. Neighbours are left out: otherwise points with an odd
 * neighbour would have the most variance, and be chosen. */
static void fill_choice(const struct ec_gp_choice *c, double *ret)
{
    size_t n = (size_t)c->n;
    int i, j, k;

    for (i = 0; i < c->n; i++)
        for (j = 0; j <= i; j++) {
            struct ec_gp_point a = c->point[i];
            double sum;

            a.n_neighbours = 0;
            sum = covariance(&a, &c->point[j]);
            for (k = 0; k < EC_DO_COUNT; k++)
                sum += c->shared[i][k] * c->shared[j][k];
            ret[(size_t)i * n + (size_t)j] = ret[(size_t)j * n + (size_t)i] = sum;
        }
}

/* Variance of a measurement at a point, with noise. */
static double noisy_variance(const struct ec_gp_choice *c, const double *v, int i)
{
    double noise = shapes[c->point[i].kind].noise;

    return v[(size_t)i * (size_t)c->n + (size_t)i] + noise * noise;
}

/* By how much a measurement at `at` reduces the sum of variances of the points that are not given.
 */
static double variance_removed_by(const struct ec_gp_choice *c, const double *v, int at)
{
    const double *row = v + (size_t)at * (size_t)c->n;
    double sum = 0;
    int i;

    for (i = c->n_given; i < c->n; i++)
        sum += row[i] * row[i];
    return sum / noisy_variance(c, v, at);
}

/* Updates the covariances after a measurement at `at`. row: scratch for n numbers */
static void take_out(const struct ec_gp_choice *c, double *v, int at, double *row)
{
    size_t n = (size_t)c->n, i, j;
    double variance = noisy_variance(c, v, at);

    memcpy(row, v + (size_t)at * n, sizeof *row * n);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            v[i * n + j] -= row[i] * row[j] / variance;
}

static double mean_left(const struct ec_gp_choice *c, const double *v)
{
    double sum = 0;
    int i;

    for (i = c->n_given; i < c->n; i++)
        sum += v[(size_t)i * (size_t)c->n + (size_t)i];
    return c->n > c->n_given ? sum / (c->n - c->n_given) : 0;
}

static int most_telling(const struct ec_gp_choice *c, const double *v, const bool *taken)
{
    double best = -1;
    int i, ret = c->n_given;

    for (i = c->n_given; i < c->n; i++) {
        double told = taken[i] ? -1 : variance_removed_by(c, v, i);

        if (told > best) {
            best = told;
            ret = i;
        }
    }
    return ret;
}

enum ec_status ec_gp_choose(const struct ec_gp_choice *c, int n_chosen, int *ret, double *ret_left,
                            struct ec_err *err)
{
    size_t n = (size_t)(c->n > 0 ? c->n : 1);
    double *v = ec_alloc(sizeof *v * n * n), *row = ec_alloc(sizeof *row * n);
    bool *taken = ec_alloc(sizeof *taken * n);
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_allocated(v && row && taken, err));
    fill_choice(c, v);
    for (i = 0; i < c->n_given; i++)
        take_out(c, v, i, row);
    if (ret_left)
        ret_left[0] = mean_left(c, v);
    for (i = 0; i < n_chosen && i < c->n - c->n_given; i++) {
        ret[i] = most_telling(c, v, taken);
        taken[ret[i]] = true;
        take_out(c, v, ret[i], row);
        if (ret_left)
            ret_left[i + 1] = mean_left(c, v);
    }
out:
    ec_free(v);
    ec_free(row);
    ec_free(taken);
    return st;
}
