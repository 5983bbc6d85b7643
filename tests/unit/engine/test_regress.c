/* Dense networks of learn by the engine: as good as learn's own loop, the same bits each time, and
 * no slower. */
#include "engine/engine.h"
#include "test.h"

enum { N = 4000, COLS = 12 };

struct table {
    double *x, *y;
};

static struct table make_table(void)
{
    struct table t = { ec_alloc(sizeof(double) * N * COLS), ec_alloc(sizeof(double) * N) };
    struct ec_rng rng;
    int i, j;

    CHECK(t.x && t.y);
    ec_rng_seed(&rng, 7);
    for (i = 0; i < N; i++) {
        double *x = t.x + (size_t)i * COLS;

        for (j = 0; j < COLS; j++)
            x[j] = 2 * ec_rng_unit(&rng) - 1;
        t.y[i] = 3 + x[0] * x[1] + sin(3 * x[2]) + 0.5 * x[3] * x[3];
    }
    return t;
}

static void free_table(struct table *t)
{
    ec_free(t->x);
    ec_free(t->y);
}

static const char *const names[COLS] = {
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"
};

/* R2 of the last quarter, fitted on the rest; the digest of the file is written when asked for. */
static double fit(const struct table *t, const char *options, const struct ec_ann_engine *by,
                  char *digest, int64_t *ret_ns)
{
    struct ec_learn_env env = { .seed = 5, .ann = by };
    struct ec_rows rows = { .x = t->x, .y = t->y, .names = names, .n = N * 3 / 4, .n_cols = COLS };
    int n_test = N - rows.n;
    double *p = ec_alloc(sizeof *p * (size_t)n_test);
    struct ec_regressor *m = NULL;
    struct ec_buf file = EC_BUF_INIT;
    struct ec_metrics metrics = { 0 };
    struct ec_recipe r = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int64_t start;

    CHECK(p != NULL);
    CHECK_OK(ec_recipe_parse("ann", options, &a, &r, &err));
    start = ec_clock_ns();
    CHECK_OK(ec_regressor_fit(&r, &rows, &env, &m, &err));
    *ret_ns = ec_clock_ns() - start;
    ec_regressor_predict(m, t->x + (size_t)rows.n * COLS, n_test, p);
    CHECK_OK(ec_metrics_compute(t->y + rows.n, p, NULL, NULL, n_test, &metrics, &err));
    CHECK_OK(ec_regressor_save(m, &file, &err));
    if (digest)
        ec_sha256(file.data, file.len, digest);
    ec_buf_clear(&file);
    ec_regressor_free(m);
    ec_arena_clear(&a);
    ec_free(p);
    return metrics.r2;
}

TEST(engine_fits_as_well_as_the_own_loop)
{
    static const char *const options[] = {
        "hidden=96x96 epochs=12",
        "hidden=64x64x32 epochs=12 act=relu loss=mse",
        "hidden=64 epochs=12 act=relu loss=mae batch=64",
    };
    struct table t = make_table();
    int i;

    for (i = 0; i < EC_LEN(options); i++) {
        int64_t own_ns = 0, engine_ns = 0;
        double own = fit(&t, options[i], NULL, NULL, &own_ns);
        double engine = fit(&t, options[i], &ec_ann_by_engine, NULL, &engine_ns);

        (void)printf("%s: R2 own %.4f, engine %.4f; time of the engine %.2f of the own loop's\n",
                     options[i], own, engine, (double)engine_ns / (double)own_ns);
        CHECK(engine > 0.6);
        CHECK(engine > own - 0.02);
    }
    free_table(&t);
}

TEST(engine_gives_the_same_bits_again)
{
    struct table t = make_table();
    char a[EC_SHA256_TEXT_BYTES], b[EC_SHA256_TEXT_BYTES];
    int64_t ns;

    (void)fit(&t, "hidden=32x32 epochs=3", &ec_ann_by_engine, a, &ns);
    (void)fit(&t, "hidden=32x32 epochs=3", &ec_ann_by_engine, b, &ns);
    CHECK_STR(a, b);
    free_table(&t);
}
