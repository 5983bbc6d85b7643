/* Our trees give the bits that XGBoost gives, on the same rows with the same settings. */
#include "test.h"

#include "learn/learn.h"

#include <dlfcn.h>

#define ROWS 500
#define COLS 3

struct handle; /* opaque */

#define SYMBOLS(X)                                                                                 \
    X(matrix, "XGDMatrixCreateFromMat",                                                            \
      (const float *, uint64_t, uint64_t, float, struct handle **))                                \
    X(info, "XGDMatrixSetFloatInfo", (struct handle *, const char *, const float *, uint64_t))     \
    X(free_matrix, "XGDMatrixFree", (struct handle *))                                             \
    X(booster, "XGBoosterCreate", (struct handle *const *, uint64_t, struct handle **))            \
    X(set, "XGBoosterSetParam", (struct handle *, const char *, const char *))                     \
    X(update, "XGBoosterUpdateOneIter", (struct handle *, int, struct handle *))                   \
    X(predict, "XGBoosterPredict",                                                                 \
      (struct handle *, struct handle *, int, unsigned, int, uint64_t *, const float **))          \
    X(free_booster, "XGBoosterFree", (struct handle *))

struct xgb {
#define MEMBER(member, symbol, params) int(*member) params;
    SYMBOLS(MEMBER)
#undef MEMBER
};

static bool open_xgb(struct xgb *x)
{
    void *lib = dlopen("libxgboost.so.0", RTLD_NOW), *p;
    bool all = lib != NULL;

#define LOAD(member, symbol, params)                                                               \
    p = lib ? dlsym(lib, symbol) : NULL;                                                           \
    memcpy(&x->member, &p, sizeof p);                                                              \
    all = all && p;
    SYMBOLS(LOAD)
#undef LOAD
    return all;
}

static void boost_there(const struct xgb *x, const float *v, const float *y, float *ret)
{
    static const char *const settings[][2] = {
        {"tree_method",       "hist"            },
        { "nthread",          "1"               },
        { "verbosity",        "0"               },
        { "base_score",       "0"               },
        { "seed",             "9"               },
        { "max_depth",        "5"               },
        { "max_bin",          "256"             },
        { "subsample",        "0.8"             },
        { "min_child_weight", "3"               },
        { "eta",              "0.1"             },
        { "lambda",           "1"               },
        { "colsample_bytree", "0.8"             },
        { "objective",        "reg:squarederror"},
    };
    struct handle *m = NULL, *b = NULL;
    const float *out = NULL;
    uint64_t n = 0;
    int i;

    CHECK_INT(x->matrix(v, ROWS, COLS, NAN, &m), 0);
    CHECK_INT(x->info(m, "label", y, ROWS), 0);
    CHECK_INT(x->booster(&m, 1, &b), 0);
    for (i = 0; i < EC_LEN(settings); i++)
        CHECK_INT(x->set(b, settings[i][0], settings[i][1]), 0);
    for (i = 0; i < 40; i++)
        CHECK_INT(x->update(b, i, m), 0);
    CHECK_INT(x->predict(b, m, 0, 0, 0, &n, &out), 0);
    CHECK_INT(n, ROWS);
    if (n == ROWS)
        memcpy(ret, out, sizeof *ret * ROWS);
    (void)x->free_booster(b);
    (void)x->free_matrix(m);
}

TEST(the_same_bits_as_xgboost)
{
    static const char *const names[] = { "a", "b", "c" };
    static double x[ROWS * COLS], y[ROWS], ours[ROWS];
    static float fx[ROWS * COLS], fy[ROWS], theirs[ROWS];
    struct ec_rows rows = { x, y, names, ROWS, COLS, NULL };
    struct ec_learn_env env = { .seed = 9 };
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 };
    struct ec_recipe r;
    struct ec_err err = { 0 };
    struct ec_rng rng;
    struct xgb xgb;
    double mean = 0;
    int i;

    if (!open_xgb(&xgb))
        return; /* without the library nothing is fitted */
    ec_rng_seed(&rng, 1);
    for (i = 0; i < ROWS * COLS; i++)
        fx[i] = (float)(x[i] = ec_rng_unit(&rng) * 10);
    for (i = 0; i < ROWS; i++) {
        y[i] = sin(x[3 * i]) * x[3 * i + 1] + x[3 * i + 2];
        mean += y[i] / ROWS;
    }
    for (i = 0; i < ROWS; i++)
        fy[i] = (float)(y[i] - mean);
    boost_there(&xgb, fx, fy, theirs);
    CHECK_OK(ec_recipe_parse("gbt", "trees=40 depth=5 rate=0.1 bins=256", &a, &r, &err));
    CHECK_OK(ec_regressor_fit(&r, &rows, &env, &m, &err));
    if (m)
        ec_regressor_predict(m, x, ROWS, ours);
    for (i = 0; i < ROWS; i++)
        if (ours[i] != mean + (double)theirs[i])
            test_fail(__FILE__, __LINE__, "row %d: %.17g, XGBoost %.17g", i, ours[i] - mean,
                      (double)theirs[i]);
    ec_regressor_free(m);
    ec_arena_clear(&a);
}
