/* Regressors against answers known beforehand; fitting twice, saving and loading change nothing. */
#include "test.h"

#include "learn/learn_internal.h"

#include <dlfcn.h>

#define ROWS 600
#define COLS 4

static const char *const names[] = { "a", "b", "c", "d" };

struct table {
    double x[ROWS * COLS], y[ROWS];
    struct ec_rows rows;
};

/* Columns evenly in -1 .. 1; y is for the test to fill. */
static struct table *make_table(int n, int n_cols)
{
    static struct table t;
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 11);
    for (i = 0; i < n * n_cols; i++)
        t.x[i] = 2 * ec_rng_unit(&rng) - 1;
    t.rows = (struct ec_rows){ .x = t.x, .y = t.y, .names = names, .n = n, .n_cols = n_cols };
    return &t;
}

static bool have_xgboost(void)
{
    return dlopen("libxgboost.so.0", RTLD_NOW) || dlopen("libxgboost.so", RTLD_NOW);
}

static struct ec_regressor *fit_as(const char *kind, const char *options, enum ec_target target,
                                   int base, const struct ec_rows *rows)
{
    struct ec_learn_env env = { .seed = 3 };
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 };
    struct ec_recipe r;
    struct ec_err err = { 0 };

    CHECK_OK(ec_recipe_parse(kind, options, &a, &r, &err));
    r.target = target;
    r.base_col = base;
    CHECK_OK(ec_regressor_fit(&r, rows, &env, &m, &err));
    ec_arena_clear(&a);
    return m;
}

static struct ec_regressor *fit(const char *kind, const char *options, const struct ec_rows *rows)
{
    return fit_as(kind, options, EC_TARGET_PLAIN, -1, rows);
}

static double at(const struct ec_regressor *m, double a, double b, double c, double d)
{
    double x[] = { a, b, c, d }, y = -1;

    if (m)
        ec_regressor_predict(m, x, 1, &y);
    return y;
}

static double rms(const struct ec_regressor *m, const struct table *t)
{
    static double p[ROWS];
    double s = 0;
    int i;

    ec_regressor_predict(m, t->x, t->rows.n, p);
    for (i = 0; i < t->rows.n; i++)
        s += (p[i] - t->y[i]) * (p[i] - t->y[i]) / t->rows.n;
    return sqrt(s);
}

/* Saving, loading and saving again gives the same bytes, and the same predictions. */
static void check_round_trip(const struct ec_regressor *m, const struct table *t)
{
    static double before[ROWS], after[ROWS];
    struct ec_buf one = EC_BUF_INIT, two = EC_BUF_INIT;
    struct ec_regressor *back = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_regressor_save(m, &one, &err));
    CHECK_OK(ec_regressor_load(one.data, one.len, &back, &err));
    if (!back)
        return;
    CHECK_OK(ec_regressor_save(back, &two, &err));
    CHECK(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
    ec_regressor_predict(m, t->x, t->rows.n, before);
    ec_regressor_predict(back, t->x, t->rows.n, after);
    CHECK(memcmp(before, after, sizeof *before * (size_t)t->rows.n) == 0);
    CHECK_STR(ec_regressor_names(back)[0], ec_regressor_names(m)[0]);
    ec_regressor_free(back);
    ec_buf_clear(&one);
    ec_buf_clear(&two);
}

static void linear_law(struct table *t)
{
    int i;

    for (i = 0; i < t->rows.n; i++) {
        const double *x = t->x + i * t->rows.n_cols;

        t->y[i] = 5 + 2 * x[0] - 3 * x[1] + 0.5 * x[2];
    }
}

TEST(linear_and_ridge_recover_coefficients)
{
    static const char *const kinds[] = { "linear", "ridge" };
    struct table *t = make_table(200, 4);
    int i;

    linear_law(t);
    for (i = 0; i < EC_LEN(kinds); i++) {
        struct ec_regressor *m = fit(kinds[i], "", &t->rows);

        CHECK_NEAR(at(m, 0, 0, 0, 0), 5, 1e-5);
        CHECK_NEAR(at(m, 1, 0, 0, 0), 7, 1e-5);
        CHECK_NEAR(at(m, 0, 1, 0, 0), 2, 1e-5);
        CHECK_NEAR(at(m, 0, 0, 1, 0), 5.5, 1e-5);
        CHECK_NEAR(at(m, 0, 0, 0, 1), 5, 1e-5);
        check_round_trip(m, t);
        ec_regressor_free(m);
    }
}

/* The normal equations of (1,1) (2,2) (3,2): slope 1/2, intercept 2/3. */
TEST(least_squares_by_hand)
{
    static const double x[] = { 1, 2, 3 }, y[] = { 1, 2, 2 };
    struct ec_rows rows = { x, y, names, 3, 1, NULL };
    struct ec_regressor *m = fit("linear", "", &rows);

    CHECK_NEAR(at(m, 0, 0, 0, 0), 2.0 / 3, 1e-12);
    CHECK_NEAR(at(m, 2, 0, 0, 0), 5.0 / 3, 1e-12);
    ec_regressor_free(m);
}

TEST(columns_that_others_explain_do_no_harm)
{
    static const char *const kinds[] = { "linear", "ridge", "nnls" };
    struct table *t = make_table(100, 4);
    int i, k;

    for (i = 0; i < 100; i++) {
        double *x = t->x + 4 * i;

        x[1] = 2 * x[0];
        x[2] = 7;
        x[3] = 0;
        t->y[i] = 10 + x[0];
    }
    for (k = 0; k < EC_LEN(kinds); k++) {
        struct ec_regressor *m = fit(kinds[k], "", &t->rows);

        CHECK_NEAR(at(m, 0.5, 1, 7, 0), 10.5, 1e-3);
        ec_regressor_free(m);
    }
}

TEST(ridge_shrinks_by_the_penalty)
{
    struct table *t = make_table(200, 1);
    struct ec_regressor *m;
    double sd2 = 0, mean = 0;
    int i;

    for (i = 0; i < 200; i++) {
        t->y[i] = 3 * t->x[i];
        mean += t->x[i] / 200;
    }
    for (i = 0; i < 200; i++)
        sd2 += (t->x[i] - mean) * (t->x[i] - mean) / 200;
    m = fit("ridge", "lambda=1", &t->rows);
    /* standardised: coefficient 3 sd / (1 + lambda) */
    CHECK_NEAR(at(m, 1, 0, 0, 0) - at(m, 0, 0, 0, 0), 1.5, 1e-9);
    CHECK(sd2 > 0.2);
    ec_regressor_free(m);
}

TEST(nnls_recovers_sparse_weights_and_never_goes_below_zero)
{
    struct table *t = make_table(300, 4);
    struct ec_regressor *m;
    int i;

    for (i = 0; i < 300; i++) {
        double *x = t->x + 4 * i;

        x[0] = 2 + x[0];
        x[1] = 2 + x[1];
        x[2] = 2 + x[2];
        x[3] = 2 + x[3];
        t->y[i] = 4 * x[0] + 0.25 * x[2];
    }
    m = fit("nnls", "", &t->rows);
    CHECK_NEAR(at(m, 1, 0, 0, 0), 4, 1e-6);
    CHECK(fabs(at(m, 0, 1, 0, 0)) < 1e-6);
    CHECK_NEAR(at(m, 0, 0, 1, 0), 0.25, 1e-6);
    CHECK(fabs(at(m, 0, 0, 0, 1)) < 1e-6);
    check_round_trip(m, t);
    ec_regressor_free(m);
    for (i = 0; i < 300; i++)
        t->y[i] = 20 - t->x[4 * i];
    m = fit("nnls", "", &t->rows);
    CHECK(at(m, 1, 0, 0, 0) >= at(m, 0, 0, 0, 0)); /* a falling law gets weight 0 */
    ec_regressor_free(m);
}

TEST(knn_answers_with_the_neighbour_that_is_there)
{
    struct table *t = make_table(300, 2);
    struct ec_regressor *m;
    int i;

    for (i = 0; i < 300; i++)
        t->y[i] = t->x[2 * i] > 0 ? 10 : 20;
    m = fit("knn", "k=3", &t->rows);
    CHECK_NEAR(at(m, 0.7, 0, 0, 0), 10, 1e-6);
    CHECK_NEAR(at(m, -0.7, 0, 0, 0), 20, 1e-6);
    CHECK_NEAR(at(m, t->x[10], t->x[11], 0, 0), t->y[5], 1e-3);
    check_round_trip(m, t);
    ec_regressor_free(m);
}

/* Exclusive or: no line parts it. */
static void exclusive_or(struct table *t)
{
    int i;

    for (i = 0; i < t->rows.n; i++)
        t->y[i] = (t->x[i * t->rows.n_cols] > 0) != (t->x[i * t->rows.n_cols + 1] > 0) ? 2 : 1;
}

TEST(trees_and_network_learn_exclusive_or)
{
    static const struct {
        const char *kind, *options;
        double most;
    } rows[] = {
        {"gbt",     "trees=100 depth=6 rate=0.3 columns=1",                   0.08},
        { "forest", "trees=60 columns=1",                                     0.2 },
        { "ann",    "hidden=32x32 epochs=150 patience=150 batch=32 act=relu", 0.2 },
        { "ann",    "hidden=32x32x16 epochs=150 batch=32 loss=mse",           0.2 },
    };
    struct table *t = make_table(ROWS, 2);
    struct ec_regressor *m;
    int i;

    exclusive_or(t);
    m = fit("linear", "", &t->rows);
    CHECK(rms(m, t) > 0.4);
    ec_regressor_free(m);
    for (i = 0; i < EC_LEN(rows); i++) {
        if (rows[i].kind[0] != 'a' && !have_xgboost())
            continue;
        m = fit(rows[i].kind, rows[i].options, &t->rows);
        if (rms(m, t) > rows[i].most)
            test_fail(__FILE__, __LINE__, "%s: %g", rows[i].kind, rms(m, t));
        CHECK(fabs(at(m, 0.5, 0.5, 0, 0) - 1) < 0.15);
        CHECK(fabs(at(m, 0.5, -0.5, 0, 0) - 2) < 0.15);
        check_round_trip(m, t);
        ec_regressor_free(m);
    }
}

/* Without rows aside, few rows are all fitted, and the last epoch is kept. */
TEST(a_network_can_fit_all_rows)
{
    static const char *const column[] = { "x" };
    double x[6], y[6], p = 0;
    struct ec_rows rows = { x, y, column, 6, 1, NULL };
    const struct ec_learn_env env = { .seed = 1 };
    struct ec_regressor *m = NULL;
    struct ec_recipe r = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < 6; i++) {
        x[i] = i;
        y[i] = i == 3 ? 9 : i;
    }
    CHECK_OK(
        ec_recipe_parse("ann", "hidden=32x32 epochs=400 batch=8 rate=0.01 aside=0", &a, &r, &err));
    CHECK_OK(ec_regressor_fit(&r, &rows, &env, &m, &err));
    for (i = 0; i < 6; i++) {
        ec_regressor_predict(m, &x[i], 1, &p);
        CHECK_NEAR(p, y[i], 0.05 * (1 + y[i]));
    }
    ec_regressor_free(m);
    ec_arena_clear(&a);
}

TEST(the_same_seed_gives_the_same_bytes)
{
    static const char *const kinds[] = { "linear", "ridge", "nnls", "knn", "gbt", "forest", "ann" };
    static const char *const options[] = { "", "", "", "", "trees=20", "trees=10", "epochs=5" };
    struct table *t = make_table(ROWS, 4);
    struct ec_err err = { 0 };
    int i;

    linear_law(t);
    for (i = 0; i < EC_LEN(kinds); i++) {
        struct ec_buf one = EC_BUF_INIT, two = EC_BUF_INIT;
        struct ec_regressor *a, *b;

        if ((i == 4 || i == 5) && !have_xgboost())
            continue;
        a = fit(kinds[i], options[i], &t->rows);
        b = fit(kinds[i], options[i], &t->rows);
        CHECK_OK(ec_regressor_save(a, &one, &err));
        CHECK_OK(ec_regressor_save(b, &two, &err));
        CHECK(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
        ec_buf_clear(&one);
        ec_buf_clear(&two);
        ec_regressor_free(a);
        ec_regressor_free(b);
    }
}

TEST(targets_are_undone)
{
    struct table *t = make_table(200, 2);
    struct ec_regressor *m;
    int i;

    for (i = 0; i < 200; i++)
        t->y[i] = exp(1 + 2 * t->x[2 * i] + t->x[2 * i + 1]);
    m = fit_as("linear", "", EC_TARGET_LOG, -1, &t->rows);
    CHECK_NEAR(at(m, 0.5, 0.5, 0, 0), exp(2.5), 1e-9);
    ec_regressor_free(m);
    m = fit_as("linear", "", EC_TARGET_RATIO, 1, &t->rows);
    CHECK_NEAR(at(m, 0.5, 0.5, 0, 0), exp(2.5), 1e-9);
    check_round_trip(m, t);
    ec_regressor_free(m);
    for (i = 0; i < 200; i++)
        t->y[i] = 3 * exp(t->x[2 * i + 1]);
    m = fit_as("constant", "", EC_TARGET_RATIO, 1, &t->rows);
    CHECK_NEAR(at(m, 0, 0, 0, 0), 3, 1e-9);
    ec_regressor_free(m);
    m = fit_as("constant", "fixed=1", EC_TARGET_RATIO, 1, &t->rows);
    CHECK_NEAR(at(m, 0, 2, 0, 0), exp(2), 1e-12);
    check_round_trip(m, t);
    ec_regressor_free(m);
}

static struct ec_regressor *fit_ensemble(const struct table *t, const char *options,
                                         struct ec_err *err)
{
    struct ec_recipe members[2], whole;
    struct ec_learn_env env = { .seed = 3 };
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st;

    EC_TRY(ec_recipe_parse("linear", "", &a, &members[0], err));
    EC_TRY(ec_recipe_parse("constant", "", &a, &members[1], err));
    members[0].target = members[1].target = EC_TARGET_LOG;
    EC_TRY(ec_recipe_parse("ensemble", options, &a, &whole, err));
    whole.members = members;
    whole.n_members = 2;
    EC_TRY(ec_regressor_fit(&whole, &t->rows, &env, &m, err));
out:
    ec_arena_clear(&a);
    return m;
}

TEST(ensembles_multiply_or_choose)
{
    struct table *t = make_table(200, 1);
    struct ec_regressor *m;
    struct ec_err err = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    int i;

    for (i = 0; i < 200; i++)
        t->y[i] = exp(t->x[i]);
    m = fit_ensemble(t, "", &err);
    CHECK(m != NULL);
    CHECK(at(m, 1, 0, 0, 0) < exp(0.7)); /* halfway to the middle */
    check_round_trip(m, t);
    ec_regressor_free(m);
    m = fit_ensemble(t, "stacked=1", &err);
    CHECK_NEAR(at(m, 1, 0, 0, 0), exp(1), 1e-4); /* the one that is right gets the weight */
    ec_regressor_describe(m, &text);
    CHECK_HAS(ec_buf_text(&text), "geometric mean of 1.000 of (linear of 1 columns, target log");
    ec_buf_clear(&text);
    ec_regressor_free(m);
}

/* Twice the same recipe is two networks: their mean is neither of them. */
TEST(members_of_an_ensemble_have_seeds_of_their_own)
{
    struct table *t = make_table(200, 1);
    struct ec_learn_env env = { .seed = 3 };
    struct ec_recipe members[2], whole;
    struct ec_regressor *one = NULL, *two = NULL;
    struct ec_err err = { 0 };
    struct ec_arena a = { 0 };
    int i;

    for (i = 0; i < 200; i++)
        t->y[i] = exp(t->x[i]);
    CHECK_OK(ec_recipe_parse("ann", "hidden=8 epochs=3", &a, &members[0], &err));
    members[0].target = EC_TARGET_LOG;
    members[1] = members[0];
    CHECK_OK(ec_recipe_parse("ensemble", "", &a, &whole, &err));
    whole.members = members;
    whole.n_members = 2;
    CHECK_OK(ec_regressor_fit(&whole, &t->rows, &env, &two, &err));
    CHECK_OK(ec_regressor_fit(&members[0], &t->rows, &env, &one, &err));
    CHECK(fabs(log(at(two, 1, 0, 0, 0)) - log(at(one, 1, 0, 0, 0))) > 1e-6);
    ec_regressor_free(one);
    ec_regressor_free(two);
    ec_arena_clear(&a);
}

TEST(what_cannot_be_fitted_is_refused_with_a_sentence)
{
    struct table *t = make_table(10, 2);
    struct ec_learn_env env = { .seed = 1 };
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct ec_recipe r;
    int i;

    for (i = 0; i < 10; i++)
        t->y[i] = i - 2;
    CHECK_OK(ec_recipe_parse("linear", NULL, &a, &r, &err));
    r.target = EC_TARGET_LOG;
    CHECK_FAILS(ec_regressor_fit(&r, &t->rows, &env, &m, &err), EC_E_INPUT, "no logarithm");
    r.target = EC_TARGET_RATIO;
    r.base_col = 9;
    CHECK_FAILS(ec_regressor_fit(&r, &t->rows, &env, &m, &err), EC_E_INPUT, "base column");
    r.target = EC_TARGET_PLAIN;
    t->x[3] = (double)NAN;
    CHECK_FAILS(ec_regressor_fit(&r, &t->rows, &env, &m, &err), EC_E_INPUT, "row 1: b is not");
    t->rows.n = 1;
    CHECK_FAILS(ec_regressor_fit(&r, &t->rows, &env, &m, &err), EC_E_INPUT, "1 rows of 2");
    CHECK_FAILS(ec_recipe_parse("gbtt", "", &a, &r, &err), EC_E_NOT_FOUND, "gbt");
    CHECK_FAILS(ec_recipe_parse("gbt", "leaves=3", &a, &r, &err), EC_E_INPUT, "no option");
    CHECK_FAILS(ec_recipe_parse("gbt", "depth=99", &a, &r, &err), EC_E_INPUT, "depth");
    ec_arena_clear(&a);
}

TEST(what_a_model_was_fitted_to_is_in_its_file)
{
    static const char about[] = "{\"family\":\"knn\"}";
    struct table *t = make_table(50, 2);
    struct ec_regressor *m = fit("knn", "k=2", &t->rows), *back = NULL;
    struct ec_buf one = EC_BUF_INIT, two = EC_BUF_INIT;
    struct ec_err err = { 0 };
    char long_text[5000];
    size_t i;

    memset(long_text, 'a', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    CHECK(!ec_regressor_about(m));
    CHECK_FAILS(ec_regressor_tell(m, long_text, &err), EC_E_INPUT, "more than 4096 bytes");
    CHECK_OK(ec_regressor_tell(m, about, &err));
    CHECK_OK(ec_regressor_save(m, &one, &err));
    for (i = 0; i < one.len; i++)
        CHECK(ec_regressor_load(one.data, i, &back, NULL) != EC_OK);
    CHECK_OK(ec_regressor_load(one.data, one.len, &back, &err));
    CHECK_STR(ec_regressor_about(back), about);
    CHECK_OK(ec_regressor_save(back, &two, &err));
    CHECK(one.len == two.len && !memcmp(one.data, two.data, one.len));
    ec_regressor_free(m);
    ec_regressor_free(back);
    ec_buf_clear(&one);
    ec_buf_clear(&two);
}

TEST(damaged_model_files_are_refused)
{
    struct table *t = make_table(50, 2);
    struct ec_regressor *m, *back = NULL;
    struct ec_buf file = EC_BUF_INIT;
    struct ec_err err = { 0 };
    size_t i;

    linear_law(make_table(50, 4));
    t = make_table(50, 2);
    m = fit("knn", "k=2", &t->rows);
    CHECK_OK(ec_regressor_save(m, &file, &err));
    ec_regressor_free(m);
    for (i = 0; i < file.len; i++)
        CHECK(ec_regressor_load(file.data, i, &back, NULL) != EC_OK);
    for (i = 0; i < file.len; i++) {
        file.data[i] ^= 0x20;
        CHECK(ec_regressor_load(file.data, file.len, &back, NULL) != EC_OK);
        file.data[i] ^= 0x20;
    }
    CHECK_FAILS(ec_regressor_load("ECMODEL\n", 8, &back, &err), EC_E_PARSE, "not a model file");
    file.data[8] = 9;
    CHECK_FAILS(ec_regressor_load(file.data, file.len, &back, &err), EC_E_UNSUPPORTED, "version 9");
    file.data[8] = 1;
    CHECK_FAILS(ec_regressor_load(file.data, file.len, &back, &err), EC_E_UNSUPPORTED,
                "version 1, expected 2");
    file.data[8] = 2;
    file.data[file.len - 1] ^= 1;
    CHECK_FAILS(ec_regressor_load(file.data, file.len, &back, &err), EC_E_PARSE, "checksum");
    ec_buf_clear(&file);
}

static enum ec_status fit_save_load(struct ec_err *err)
{
    static const char *const kinds[] = { "linear", "ridge", "nnls", "knn", "ann" };
    struct table *t = make_table(40, 2);
    struct ec_regressor *m = NULL, *back = NULL;
    struct ec_learn_env env = { .seed = 3 };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    struct ec_recipe r;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < 40; i++)
        t->y[i] = 3 + t->x[i];
    for (i = 0; i < EC_LEN(kinds); i++) {
        EC_TRY(ec_recipe_parse(kinds[i], i == 4 ? "hidden=8 epochs=2" : "", &a, &r, err));
        EC_TRY(ec_regressor_fit(&r, &t->rows, &env, &m, err));
        EC_TRY(ec_regressor_save(m, &file, err));
        EC_TRY(ec_regressor_load(file.data, file.len, &back, err));
        ec_regressor_free(m);
        ec_regressor_free(back);
        m = back = NULL;
        ec_buf_reset(&file);
    }
out:
    ec_regressor_free(m);
    ec_regressor_free(back);
    ec_buf_clear(&file);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status stack_and_load(struct ec_err *err)
{
    struct table *t = make_table(40, 1);
    struct ec_regressor *m, *back = NULL;
    struct ec_buf file = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; i < 40; i++)
        t->y[i] = 3 + t->x[i];
    m = fit_ensemble(t, "stacked=1", err);
    if (!m)
        return EC_E_NOMEM;
    EC_TRY(ec_regressor_save(m, &file, err));
    EC_TRY(ec_regressor_load(file.data, file.len, &back, err));
out:
    ec_regressor_free(m);
    ec_regressor_free(back);
    ec_buf_clear(&file);
    return st;
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(fit_save_load);
    CHECK_TORTURE(stack_and_load);
}
