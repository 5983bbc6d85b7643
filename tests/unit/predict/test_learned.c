/* The predictor file: reading, refusing, and what a correction does. */
#include "predict/learned.h"
#include "test.h"

#include <math.h>

#define ROWS 200

static struct ec_regressor *small_model(double slope)
{
    static const char *const names[] = { "a", "b" };
    double x[ROWS * 2], y[ROWS];
    struct ec_rows rows = { x, y, names, ROWS, 2 };
    struct ec_learn_env env = { .seed = 1 };
    struct ec_regressor *model = NULL;
    struct ec_arena a = { 0 };
    struct ec_recipe recipe;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < ROWS; i++) {
        x[2 * i] = i % 17;
        x[2 * i + 1] = i % 5;
        y[i] = slope * x[2 * i];
    }
    CHECK_OK(ec_recipe_parse("linear", "", &a, &recipe, &err));
    CHECK_OK(ec_regressor_fit(&recipe, &rows, &env, &model, &err));
    ec_arena_clear(&a);
    return model;
}

static void save_some(struct ec_buf *out, double slope)
{
    struct ec_learned l = { 0 };
    struct ec_err err = { 0 };

    l.kind[EC_W_gemm].model = small_model(slope);
    l.kind[EC_W_gemm].share[EC_BASIS_MEASURED] = 1;
    l.kind[EC_W_gemm].share[EC_BASIS_SPECIFICATION] = 0.25;
    CHECK_OK(ec_learned_save(&l, out, &err));
    ec_regressor_free(l.kind[EC_W_gemm].model);
}

TEST(saved_and_loaded_is_the_same)
{
    static const double features[] = { 2, 1 };
    struct ec_buf first = EC_BUF_INIT, second = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };

    save_some(&first, 0.1);
    CHECK_OK(ec_learned_load(first.data, first.len, &l, &err));
    CHECK_OK(ec_learned_save(l, &second, &err));
    CHECK_INT(second.len, first.len);
    CHECK(memcmp(first.data, second.data, first.len) == 0);
    CHECK_NEAR(ec_learned_correction(l, EC_W_gemm, EC_BASIS_MEASURED, features), 0.2, 1e-6);
    CHECK_NEAR(ec_learned_correction(l, EC_W_gemm, EC_BASIS_SPECIFICATION, features), 0.05, 1e-6);
    CHECK(ec_learned_correction(l, EC_W_conv, EC_BASIS_MEASURED, features) == 0);
    ec_learned_free(l);
    ec_buf_clear(&first);
    ec_buf_clear(&second);
}

TEST(corrections_are_bounded)
{
    static const double features[] = { 16, 1 };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };

    save_some(&file, 100);
    CHECK_OK(ec_learned_load(file.data, file.len, &l, &err));
    CHECK(ec_learned_correction(l, EC_W_gemm, EC_BASIS_MEASURED, features) <= 1.5);
    ec_learned_free(l);
    ec_buf_clear(&file);
}

TEST(every_cut_is_refused)
{
    struct ec_buf file = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };
    size_t len;

    save_some(&file, 1);
    for (len = 0; len < file.len; len++)
        CHECK(ec_learned_load(file.data, len, &l, &err) != EC_OK);
    ec_buf_char(&file, 0);
    CHECK_FAILS(ec_learned_load(file.data, file.len, &l, &err), EC_E_PARSE, "too many");
    ec_buf_clear(&file);
}

TEST(every_damaged_byte_is_refused_or_harmless)
{
    static const double features[] = { 2, 1 };
    struct ec_buf file = EC_BUF_INIT;
    size_t i;

    save_some(&file, 1);
    for (i = 0; i < file.len; i++) {
        struct ec_learned *l = NULL;

        file.data[i] = (char)(file.data[i] ^ 0x41);
        if (ec_learned_load(file.data, file.len, &l, NULL) == EC_OK)
            CHECK(isfinite(ec_learned_correction(l, EC_W_gemm, EC_BASIS_MEASURED, features)));
        ec_learned_free(l);
        file.data[i] = (char)(file.data[i] ^ 0x41);
    }
    ec_buf_clear(&file);
}

TEST(what_ships_loads_and_is_small)
{
    struct ec_learned *l = NULL;
    const void *data;
    size_t len;
    struct ec_err err = { 0 };

    ec__learned_shipped(&data, &len);
    CHECK(len < (size_t)8 << 20);
    CHECK_OK(ec_learned_load(data, len, &l, &err));
    ec_learned_free(l);
}
