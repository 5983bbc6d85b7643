/* The Gaussian process: near to its points it says what they say, far from them nothing. */
#include "ask.h"

#include "adapt/gp.h"
#include "predict/predict_internal.h"
#include "adapt/neighbours.h"

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

TEST(relatives_carry_far)
{
    struct ec_gp_point points[6], with = at(100, 0), against = at(100, 0), other = at(100, 0);
    struct ec_gp *g = NULL;
    struct ec_err err = { 0 };
    double unknown;
    int i;

    for (i = 0; i < EC_LEN(points); i++) { /* the device does half of what its relative does */
        points[i] = at(10 * i, i % 2 ? 0.2 : -0.2);
        points[i].n_neighbours = 1;
        points[i].neighbour[0] = 2 * points[i].residual;
    }
    with.n_neighbours = against.n_neighbours = other.n_neighbours = 1;
    with.neighbour[0] = other.neighbour[0] = 0.4;
    against.neighbour[0] = -0.4;
    other.framework = EC_FW_caffe;
    CHECK_OK(ec_gp_new(points, EC_LEN(points), &g, &err));
    CHECK(ec_gp_mean(g, &with, &unknown) > 0.08);
    CHECK(ec_gp_mean(g, &against, &unknown) < -0.08);
    CHECK(fabs(ec_gp_mean(g, &other, &unknown)) < 0.03); /* its neighbours are other devices */
    with.n_neighbours = 0;
    CHECK(fabs(ec_gp_mean(g, &with, &unknown)) < 0.03);
    ec_gp_free(g);
}

TEST(outliers_are_forgiven)
{
    struct ec_gp_point points[12], q = at(0, 0);
    struct ec_gp *g = NULL;
    struct ec_err err = { 0 };
    double unknown;
    int i;

    for (i = 0; i < EC_LEN(points); i++)
        points[i] = at(0.01 * i, i == 5 ? 1.0 : 0.1);
    CHECK_OK(ec_gp_new(points, EC_LEN(points), &g, &err));
    CHECK_NEAR(ec_gp_mean(g, &q, &unknown), 0.1, 0.15);
    ec_gp_free(g);
}

TEST(tells_which_to_measure)
{
    /* three heaps, of five, of three and of one: each heap once, the largest first */
    static const double from[] = { 0, 20, 40 };
    static const int many[] = { 5, 3, 1 };
    double none[9][EC_DO_COUNT] = { { 0 } }, left[10];
    struct ec_gp_point points[9];
    struct ec_gp_choice all = { points, (const double(*)[EC_DO_COUNT])none, 9, 0 };
    int heap[9], chosen[9], i, k, n = 0;
    struct ec_err err = { 0 };

    for (k = 0; k < EC_LEN(many); k++)
        for (i = 0; i < many[k]; i++) {
            heap[n] = k;
            points[n++] = at(from[k] + 0.01 * i, 0);
        }
    CHECK_OK(ec_gp_choose(&all, n, chosen, left, &err));
    for (k = 0; k < n; k++)
        CHECK(left[k + 1] < left[k]);
    for (k = 0; k < EC_LEN(many); k++)
        CHECK_INT(heap[chosen[k]], k);
    for (i = 0; i < n; i++) /* no row twice */
        for (k = 0; k < i; k++)
            CHECK(chosen[i] != chosen[k]);
    all.n_given = 5; /* the largest heap was measured */
    CHECK_OK(ec_gp_choose(&all, 1, chosen, NULL, &err));
    CHECK_INT(heap[chosen[0]], 1);
    all.n_given = 0;
    none[8][EC_DO_LAUNCH] = none[7][EC_DO_LAUNCH] = 2; /* what the launches say comes first */
    CHECK_OK(ec_gp_choose(&all, 1, chosen, NULL, &err));
    CHECK(chosen[0] == 8 || chosen[0] == 7);
}

/* Where a lone product lies. */
static struct ec_gp_point place_of(struct ec_predictor *p, const char *device, const char *what)
{
    const struct ec_device *d = NULL;
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    struct ec_gp_point ret = { 0 };
    struct ec_physics_query q = { .cond.mode = EC_MODE_FORWARD, .isolated = true };
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(device, &d, &err));
    CHECK_OK(ec_case_parse(what, &c, &err));
    CHECK_OK(ec_step_of_case(&c.c, EC_FORWARD, EC_MODE_FORWARD, &step, &err));
    q.device = d;
    q.step = &step;
    q.op = c.c.op;
    q.kind = ec_width_of_op(c.c.op);
    CHECK_OK(ec_predictor_place(p, &q, true, &ret, &err));
    ec_step_clear(&step);
    ec_case_clear(&c);
    return ret;
}

TEST(places_know_the_shape_and_the_relatives)
{
    struct ec_predictor *p = predictor();
    struct ec_gp_point a = place_of(p, "rtx4070", "matmul b=1 m=512 k=512 n=512");
    struct ec_gp_point b = place_of(p, "rtx4070", "matmul b=1 m=512 k=512 n=513");
    struct ec_gp_point conv = place_of(p, "rtx4070", "conv2d n=8 c=64 h=56 w=56 k=64 r=3 pad=1");
    struct ec_gp_point known = place_of(p, "t4", "matmul b=1 m=512 k=512 n=512");
    double apart = 0, departures = 0;
    int i;

    CHECK_INT(a.kind, EC_W_gemm);
    CHECK_INT(conv.kind, EC_W_conv);
    CHECK_INT(a.code, b.code);
    CHECK(a.code != conv.code);
    for (i = 0; i < ec_gp_coords(a.kind); i++)
        apart += fabs(a.at[i] - b.at[i]);
    CHECK(apart > 0.01);
    CHECK(a.n_neighbours >= 3 && a.n_neighbours <= EC_GP_NEIGHBOURS);
    CHECK(conv.n_neighbours >= 3 && conv.n_neighbours <= EC_GP_NEIGHBOURS);
    for (i = 0; i < a.n_neighbours; i++) {
        CHECK(fabs(a.neighbour[i]) <= EC_DEPARTURE_MAX);
        departures += fabs(a.neighbour[i]);
    }
    CHECK(departures > 0);
    CHECK_INT(known.n_neighbours, 0); /* it was measured: its corrections know it */
    ec_predictor_free(p);
}

TEST(relatives_are_of_a_generation)
{
    static const char *const keys[] = {
        "k80-12gb",       "m40", "p100-pcie-16gb", "v100-sxm2-16gb", "t4",
        "a100-pcie-40gb", "l4",  "h100-sxm5-80gb"
    };
    const struct ec_device *from[EC_LEN(keys)], *to = NULL;
    int got[EC_GP_NEIGHBOURS], i;
    struct ec_err err = { 0 };

    for (i = 0; i < EC_LEN(keys); i++)
        CHECK_OK(ec_device_find(keys[i], &from[i], &err));
    CHECK_OK(ec_device_find("rtx4070", &to, &err));
    CHECK_INT(ec_nearest_devices(to, from, EC_LEN(keys), got), EC_GP_NEIGHBOURS);
    CHECK_INT(got[0], 6); /* l4 */
    CHECK_INT(got[1], 7); /* h100 */
    CHECK_INT(got[2], 5); /* a100 */
    for (i = 0; i < EC_GP_NEIGHBOURS; i++)
        CHECK(got[i] != 0); /* k80 */
    CHECK_INT(ec_nearest_devices(to, from, 2, got), 2);
    CHECK_INT(got[0], 1);
    CHECK_INT(ec_nearest_devices(to, from, 0, got), 0);
}

TEST(rows_of_another_layout_are_passed_over)
{
    struct ec_profile a = { .device = "t4", .version = "1", .constants = "x" }, b = { 0 };
    struct ec_buf out = EC_BUF_INIT, text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_DO_COUNT; i++)
        a.covariance[i][i] = 0.01;
    a.change[0] = 0.125;
    ec_profile_json(&a, &out);
    ec_buf_printf(&text, "{\"residuals\": [[\"gemm\",0,0.1,1,2,3,4,5,6,7,8,9,10]],%s",
                  ec_buf_text(&out) + 1);
    CHECK_OK(ec_profile_parse(ec_buf_text(&text), text.len, &b, &err));
    CHECK_INT(b.n_points, 0);
    CHECK_NEAR(b.change[0], 0.125, 1e-9);
    ec_buf_clear(&out);
    ec_buf_clear(&text);
}

TEST(a_full_profile_stays_small)
{
    struct ec_profile *a = ec_alloc(sizeof *a);
    struct ec_buf out = EC_BUF_INIT;
    int i, k;

    CHECK(a != NULL);
    for (i = 0; i < EC_GP_MAX; i++) {
        struct ec_gp_point *at = &a->point[i];

        at->kind = i % 2 ? EC_W_conv : EC_W_gemm;
        at->code = 5432;
        at->residual = -0.12345;
        at->n_neighbours = EC_GP_NEIGHBOURS;
        for (k = 0; k < EC_GP_COORDS; k++)
            at->at[k] = -1.23456 * k;
        for (k = 0; k < EC_GP_NEIGHBOURS; k++)
            at->neighbour[k] = -0.12345;
    }
    a->n_points = EC_GP_MAX;
    ec_profile_json(a, &out);
    CHECK(out.len < 100000);
    ec_buf_clear(&out);
    ec_free(a);
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
    a.point[1].framework = EC_FW_tensorflow_2;
    a.point[1].n_neighbours = 2;
    a.point[1].neighbour[0] = -0.25;
    a.point[1].neighbour[1] = 0.75;
    ec_profile_json(&a, &out);
    CHECK_OK(ec_profile_parse(ec_buf_text(&out), out.len, &b, &err));
    CHECK_INT(b.n_points, 2);
    CHECK_NEAR(b.point[1].residual, -0.125, 1e-9);
    CHECK_NEAR(b.point[1].at[0], 2.5, 1e-9);
    CHECK_INT(b.point[1].code, 7);
    CHECK_INT(b.point[0].framework, 0);
    CHECK_INT(b.point[1].framework, EC_FW_tensorflow_2);
    CHECK_INT(b.point[0].n_neighbours, 0);
    CHECK_INT(b.point[1].n_neighbours, 2);
    CHECK_NEAR(b.point[1].neighbour[0], -0.25, 1e-9);
    CHECK_NEAR(b.point[1].neighbour[1], 0.75, 1e-9);
    CHECK_INT(b.point[1].kind, EC_W_gemm);
    ec_buf_clear(&out);
}

TEST(damaged_residuals_are_refused)
{
    static const char *const bad[] = { "3",
                                       "[3]",
                                       "[[]]",
                                       "[[\"rnn\"]]",
                                       "[[\"rnn\",0,0]]",
                                       "[[\"rnn\",\"nothing\",0,0]]",
                                       "[[\"nothing\",\"caffe\",0,0]]",
                                       "[[\"rnn\",\"caffe\",0,0,1,2,3,4,5,6,7,8,9]]",
                                       "[[\"rnn\",\"caffe\",0,0,1,2,3,4,5,6,7,8,9,10,2]]",
                                       "[[\"rnn\",\"caffe\",0,0,1,2,3,4,5,6,7,8,9,10,\"\"]]",
                                       "[[\"rnn\",\"caffe\",0,99,1,2,3,4,5,6,7,8,9,10]]",
                                       ("[[\"rnn\",\"caffe\",0,0,1,2,3,4,5,6,7,8,9,10,"
                                        "0,0,0,0,0,0,0,0,0]]") };
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
        ec_buf_printf(&text, "{\"residual_layout\": %d, \"residuals\": %s,%s", EC_GP_LAYOUT, bad[i],
                      ec_buf_text(&out) + 1);
        CHECK_INT(ec_profile_parse(ec_buf_text(&text), text.len, &b, &err), EC_E_PARSE);
        CHECK_HAS(err.text, "residuals");
    }
    ec_buf_clear(&out);
    ec_buf_clear(&text);
}
