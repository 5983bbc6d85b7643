/* The Gaussian process: near to its points it says what they say, far from them nothing. */
#include "ask.h"

#include "predict/gp.h"
#include "predict/predict_internal.h"

static struct ec_gp_point at(double x, double residual)
{
    return (struct ec_gp_point){ .kind = EC_W_gemm, .at = { x }, .residual = residual };
}

TEST(nothing_known_says_nothing)
{
    struct ec_gp_point q = at(0, 0);
    struct ec_gp *g = NULL;
    struct ec_err err = { 0 };
    double unknown = 0;

    CHECK_OK(ec_gp_new(NULL, 0, &g, &err));
    CHECK(g == NULL);
    CHECK_NEAR(ec_gp_mean(g, &q, &unknown), 0, 0);
    CHECK_NEAR(unknown, 1, 0);
    ec_gp_free(g);
}

TEST(points_are_followed_nearby)
{
    struct ec_gp_point points[] = { at(0, 0.3), at(8, -0.2) }, q = at(0, 0);
    struct ec_gp *g = NULL;
    struct ec_err err = { 0 };
    double near_unknown = 0, far_unknown = 0;

    CHECK_OK(ec_gp_new(points, 2, &g, &err));
    CHECK(ec_gp_mean(g, &q, &near_unknown) > 0.15 && ec_gp_mean(g, &q, &near_unknown) < 0.3);
    q = at(8, 0);
    CHECK(ec_gp_mean(g, &q, &near_unknown) < -0.08);
    q = at(100, 0); /* far: what they have in common */
    CHECK(fabs(ec_gp_mean(g, &q, &far_unknown)) < 0.05);
    CHECK(near_unknown < 0.3 && far_unknown > 0.5 && far_unknown < 1);
    q.kind = EC_W_conv;
    CHECK_NEAR(ec_gp_mean(g, &q, &far_unknown), 0, 0);
    CHECK_NEAR(far_unknown, 1, 0);
    ec_gp_free(g);
}

TEST(equal_points_are_averaged)
{
    struct ec_gp_point points[40], q = at(0, 0);
    struct ec_gp *g = NULL;
    struct ec_err err = { 0 };
    double unknown;
    int i;

    for (i = 0; i < EC_LEN(points); i++)
        points[i] = at(0, i % 2 ? 0.1 : 0.3);
    CHECK_OK(ec_gp_new(points, EC_LEN(points), &g, &err));
    CHECK_NEAR(ec_gp_mean(g, &q, &unknown), 0.2, 0.05);
    CHECK(unknown < 0.05);
    ec_gp_free(g);
}

TEST(another_phase_says_less)
{
    struct ec_gp_point point = at(0, 0.3), same = at(0, 0), other = at(0, 0);
    struct ec_gp *g = NULL;
    struct ec_err err = { 0 };
    double unknown;

    other.code = 1;
    CHECK_OK(ec_gp_new(&point, 1, &g, &err));
    CHECK(ec_gp_mean(g, &other, &unknown) < ec_gp_mean(g, &same, &unknown));
    CHECK(ec_gp_mean(g, &other, &unknown) > 0);
    ec_gp_free(g);
}

TEST(residuals_survive_the_file)
{
    struct ec_profile a = { .device = "t4", .version = "1", .constants = "x" }, b = { 0 };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_DO_COUNT; i++)
        a.covariance[i][i] = 0.01;
    a.n_operators = 2;
    a.n_points = 2;
    a.point[0] = at(1.5, 0.25);
    a.point[1] = at(2.5, -0.125);
    a.point[1].code = 7;
    ec_profile_json(&a, &out);
    CHECK_OK(ec_profile_parse(ec_buf_text(&out), out.len, &b, &err));
    CHECK_INT(b.n_points, 2);
    CHECK_NEAR(b.point[1].residual, -0.125, 1e-9);
    CHECK_NEAR(b.point[1].at[0], 2.5, 1e-9);
    CHECK_INT(b.point[1].code, 7);
    CHECK_INT(b.point[1].kind, EC_W_gemm);
    ec_buf_clear(&out);
}

TEST(damaged_residuals_are_refused)
{
    static const char *const bad[] = { "3",
                                       "[3]",
                                       "[[]]",
                                       "[[\"gemm\"]]",
                                       "[[\"nothing\",0,0]]",
                                       "[[\"gemm\",0,0,1,2,3,4,5,6,7,8,9]]",
                                       "[[\"gemm\",0,0,1,2,3,4,5,6,7,8,9,10,11]]",
                                       "[[\"gemm\",0,99,1,2,3,4,5,6,7,8,9,10]]" };
    struct ec_profile a = { .device = "t4", .version = "1", .constants = "x" };
    struct ec_buf out = EC_BUF_INIT, text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_DO_COUNT; i++)
        a.covariance[i][i] = 0.01;
    ec_profile_json(&a, &out);
    for (i = 0; i < EC_LEN(bad); i++) {
        struct ec_profile b = { 0 };

        ec_buf_reset(&text);
        ec_buf_printf(&text, "{\"residuals\": %s,%s", bad[i], ec_buf_text(&out) + 1);
        CHECK_INT(ec_profile_parse(ec_buf_text(&text), text.len, &b, &err), EC_E_PARSE);
        CHECK_HAS(err.text, "residuals");
    }
    ec_buf_clear(&out);
    ec_buf_clear(&text);
}
