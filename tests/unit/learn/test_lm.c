/* Least squares: known parameters come back, outliers do not move them, threads change nothing,
 * priors pull. */
#include "test.h"

#include "learn/learn.h"

#define ROWS 400

/* y = a * exp(b * t), with noise of `noise` and every tenth row wrong by `outlier`. */
struct curve {
    double t[ROWS], y[ROWS];
};

static void make_curve(struct curve *c, double a, double b, double noise, double outlier)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 7);
    for (i = 0; i < ROWS; i++) {
        c->t[i] = 2.0 * i / ROWS;
        c->y[i] = a * exp(b * c->t[i]) + noise * (ec_rng_unit(&rng) - 0.5);
        c->y[i] += i % 10 ? 0 : outlier;
    }
}

static double curve_residual(const void *ctx, const double *x, int row)
{
    const struct curve *c = ctx;

    return x[0] * exp(x[1] * c->t[row]) - c->y[row];
}

static struct ec_lm_problem curve_problem(struct curve *c)
{
    return (struct ec_lm_problem){ .n_params = 2,
                                   .n_rows = ROWS,
                                   .ctx = c,
                                   .residual = curve_residual,
                                   .huber = 1e9,
                                   .max_iterations = 100,
                                   .n_threads = 1 };
}

static double fit(const struct ec_lm_problem *p, double x[2])
{
    struct ec_err err = { 0 };
    double loss = -1;

    x[0] = 1;
    x[1] = 0;
    CHECK_OK(ec_lm_fit(p, x, &loss, &err));
    CHECK(loss >= 0);
    return loss;
}

/* Two parameters, each read by rows of its own: 100 readings of x[0], one of them far off, and none
 * of x[1]. */
static double reading(const void *ctx, const double *x, int row)
{
    (void)ctx;
    return 2 * (x[0] - (row ? 0 : 50));
}

TEST(what_rows_and_priors_leave_open)
{
    static const double sd[] = { 0.5, 0.7 };
    double weight[100], x[] = { 0, 0 }, ret[2] = { 0 };
    int at[100], i;
    struct ec_lm_problem p = { .n_params = 2,
                               .n_rows = 100,
                               .residual = reading,
                               .prior_sd = sd,
                               .weight = weight,
                               .huber = 1,
                               .n_threads = 1 };
    struct ec_lm_slopes *slopes = NULL;
    struct ec_err err = { 0 };
    struct ec_lm_row row;

    for (i = 0; i < 100; i++) {
        weight[i] = 3;
        at[i] = i;
    }
    CHECK_OK(ec_lm_slopes_at(&p, x, &slopes, &err));
    p.slopes = slopes;
    p.slopes_row = at;
    CHECK_OK(ec_lm_posterior_sd(&p, x, ret, &err));
    /* each row has 3 times the square of the slope 2; the outlier a hundredth of it */
    CHECK_NEAR(ret[0], 1 / sqrt(99.01 * 3 * 4 + 1 / (0.5 * 0.5)), 1e-6);
    CHECK_NEAR(ret[1], 0.7, 1e-12);
    row = ec_lm_row_at(&p, x, 1);
    CHECK_INT(row.n, 1);
    CHECK_INT(row.param[0], 0);
    CHECK_NEAR((double)row.slope[0], 2, 1e-5);
    CHECK_NEAR(row.weight, 3, 1e-12);
    CHECK_NEAR(ec_lm_row_at(&p, x, 0).weight, 0.03, 1e-12);
    p.prior_sd = NULL;
    CHECK_FAILS(ec_lm_posterior_sd(&p, x, ret, &err), EC_E_UNSTABLE,
                "neither rows nor priors determine some of the parameters");
    ec_lm_slopes_free(slopes);
}

TEST(known_parameters_come_back)
{
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    double x[2], loss;

    make_curve(&c, 3, -0.7, 0, 0);
    loss = fit(&p, x);
    CHECK_NEAR(x[0], 3, 1e-3);
    CHECK_NEAR(x[1], -0.7, 1e-3);
    CHECK(loss < 1e-6);
    make_curve(&c, 3, -0.7, 0.1, 0);
    (void)fit(&p, x);
    CHECK_NEAR(x[0], 3, 0.02);
    CHECK_NEAR(x[1], -0.7, 0.02);
}

TEST(outliers_do_not_move_a_robust_fit)
{
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    double robust[2], plain[2];

    make_curve(&c, 3, -0.7, 0.02, 30);
    (void)fit(&p, plain);
    p.huber = 0.02;
    (void)fit(&p, robust);
    CHECK_NEAR(robust[0], 3, 0.01);
    CHECK_NEAR(robust[1], -0.7, 0.02);
    CHECK(fabs(plain[0] - 3) > 20 * fabs(robust[0] - 3));
}

TEST(weights_of_zero_leave_rows_out)
{
    static struct curve c;
    static double weight[ROWS];
    struct ec_lm_problem p = curve_problem(&c);
    double x[2];
    int i;

    make_curve(&c, 3, -0.7, 0, 30);
    for (i = 0; i < ROWS; i++)
        weight[i] = i % 10 ? 1 : 0;
    p.weight = weight;
    (void)fit(&p, x);
    CHECK_NEAR(x[0], 3, 1e-3);
    CHECK_NEAR(x[1], -0.7, 1e-3);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    static const int threads[] = { 2, 3, 64 };
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    double one[2], more[2], loss;
    int i;

    make_curve(&c, 3, -0.7, 0.5, 3);
    p.huber = 0.3;
    loss = fit(&p, one);
    for (i = 0; i < EC_LEN(threads); i++) {
        p.n_threads = threads[i];
        CHECK(fit(&p, more) == loss);
        CHECK(memcmp(one, more, sizeof one) == 0);
    }
}

TEST(priors_pull_towards_zero)
{
    static const double tight[] = { 0, 1e-4 }, loose[] = { 0, 1e4 };
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    double x[2];

    make_curve(&c, 3, -0.7, 0, 0);
    p.prior_sd = tight;
    (void)fit(&p, x);
    CHECK(fabs(x[1]) < 0.01);
    p.prior_sd = loose;
    (void)fit(&p, x);
    CHECK_NEAR(x[1], -0.7, 1e-3);
}

/* The first rows of a curve, as a problem of its own that knows the slopes of all. */
static struct ec_lm_problem part_of(const struct ec_lm_problem *all, int n,
                                    const struct ec_lm_slopes *slopes, const int *row)
{
    struct ec_lm_problem p = *all;

    p.n_rows = n;
    p.slopes = slopes;
    p.slopes_row = row;
    return p;
}

static int n_asked;

static double counted_residual(const void *ctx, const double *x, int row)
{
    n_asked++;
    return curve_residual(ctx, x, row);
}

TEST(known_slopes_lead_to_the_optimum_of_a_part)
{
    static struct curve c;
    static int row[ROWS];
    struct ec_lm_problem all = curve_problem(&c), part;
    struct ec_lm_slopes *slopes = NULL;
    struct ec_err err = { 0 };
    double x[2], anew[2], loss = -1, least = -1;
    int i, n_anew;

    make_curve(&c, 3, -0.7, 0.5, 0);
    for (i = 0; i < ROWS; i++)
        row[i] = i;
    (void)fit(&all, x);
    CHECK_OK(ec_lm_slopes_at(&all, x, &slopes, &err));
    memcpy(anew, x, sizeof x);
    all.residual = counted_residual;
    part = part_of(&all, ROWS / 2, NULL, NULL);
    n_asked = 0;
    CHECK_OK(ec_lm_fit(&part, anew, &least, &err));
    n_anew = n_asked;
    part = part_of(&all, ROWS / 2, slopes, row);
    CHECK(fabs(anew[1] - x[1]) > 1e-3);
    n_asked = 0;
    CHECK_OK(ec_lm_fit(&part, x, &loss, &err));
    CHECK_NEAR(x[0], anew[0], 1e-3);
    CHECK_NEAR(x[1], anew[1], 1e-3);
    CHECK_NEAR(loss, least, 1e-4);
    CHECK(n_asked < n_anew);
    ec_lm_slopes_free(slopes);
    ec_lm_slopes_free(NULL);
}

TEST(slopes_of_other_rows_are_taken_by_their_index)
{
    static struct curve c;
    static int row[ROWS];
    struct ec_lm_problem p = curve_problem(&c);
    struct ec_lm_slopes *slopes = NULL;
    struct ec_err err = { 0 };
    double x[2] = { 2.5, -0.5 }, back[2] = { 2.5, -0.5 }, loss = -1;
    int i;

    make_curve(&c, 3, -0.7, 0, 0);
    CHECK_OK(ec_lm_slopes_at(&p, x, &slopes, &err));
    p.slopes = slopes;
    p.slopes_row = row;
    for (i = 0; i < ROWS; i++)
        row[i] = i;
    CHECK_OK(ec_lm_fit(&p, x, &loss, &err));
    CHECK_NEAR(x[1], -0.7, 1e-2);
    for (i = 0; i < ROWS; i++)
        row[i] = 0; /* wrong: all as the first, which says nothing of the second parameter */
    p.max_iterations = 5;
    CHECK_OK(ec_lm_fit(&p, back, &loss, &err));
    CHECK_NEAR(back[1], -0.5, 1e-9);
    ec_lm_slopes_free(slopes);
}

static bool only_first(const void *ctx, int param, int row)
{
    (void)ctx;
    (void)row;
    return param == 0;
}

TEST(parameters_that_no_row_depends_on_stay)
{
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    double x[2];

    make_curve(&c, 3, 0, 0, 0);
    p.depends = only_first;
    (void)fit(&p, x);
    CHECK_NEAR(x[0], 3, 1e-3);
    CHECK_NEAR(x[1], 0, 0);
}

static double no_number(const void *ctx, const double *x, int row)
{
    (void)ctx;
    (void)row;
    return x[0] / 0.0;
}

TEST(a_start_that_is_not_finite_is_refused)
{
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    struct ec_err err = { 0 };
    double x[2] = { 1, 1 }, loss = -1;

    p.residual = no_number;
    CHECK_FAILS(ec_lm_fit(&p, x, &loss, &err), EC_E_UNSTABLE, "not finite");
    CHECK_NEAR(loss, -1, 0);
}

static void count_progress(void *ctx, int iteration, double loss)
{
    int *n = ctx;

    CHECK_INT(iteration, *n);
    CHECK(loss >= 0);
    ++*n;
}

TEST(progress_is_told_each_iteration)
{
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    double x[2];
    int n = 0;

    make_curve(&c, 3, -0.7, 0, 0);
    p.progress = count_progress;
    p.progress_ctx = &n;
    (void)fit(&p, x);
    CHECK(n > 1 && n <= p.max_iterations);
}

static enum ec_status fit_once(struct ec_err *err)
{
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    double x[2] = { 1, 0 }, loss;

    make_curve(&c, 3, -0.7, 0, 0);
    return ec_lm_fit(&p, x, &loss, err);
}

static enum ec_status slopes_once(struct ec_err *err)
{
    static struct curve c;
    struct ec_lm_problem p = curve_problem(&c);
    const double x[2] = { 1, 0 };
    struct ec_lm_slopes *slopes = NULL;
    enum ec_status st;

    make_curve(&c, 3, -0.7, 0, 0);
    st = ec_lm_slopes_at(&p, x, &slopes, err);
    ec_lm_slopes_free(slopes);
    return st;
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(fit_once);
    CHECK_TORTURE(slopes_once);
}
