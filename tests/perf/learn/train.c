/* Training one dense network of the kind that corrections of convolutions are: prints seconds of
 * processor time. Arguments: rows, columns, epochs. */
#include "base/text.h"
#include "learn/learn.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void die(const char *what)
{
    (void)fprintf(stderr, "perf-learn-train: %s\n", what);
    exit(1);
}

/* A smooth surface of a few of the columns. */
static void fill(double *x, double *y, int n, int n_cols)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 1);
    for (i = 0; i < n * n_cols; i++)
        x[i] = ec_rng_unit(&rng);
    for (i = 0; i < n; i++) {
        const double *at = x + (ptrdiff_t)i * n_cols;

        y[i] = 6 * at[0] * at[0] + at[1] * at[2] - at[3];
    }
}

static int number(const char *text)
{
    int64_t v = 0;

    if (!ec_parse_int(ec_span_of(text), &v) || v < 1 || v > 1000000)
        die("expected rows, columns and epochs");
    return (int)v;
}

int main(int argc, char **argv)
{
    int n, n_cols, epochs;
    const char **names;
    double *x, *y;
    struct ec_learn_env env = { .seed = 1 };
    struct ec_regressor *model = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct ec_recipe recipe;
    struct ec_rows rows;
    char options[128];
    clock_t start;
    int i;

    if (argc != 4)
        die("expected rows, columns and epochs");
    n = number(argv[1]);
    n_cols = number(argv[2]);
    epochs = number(argv[3]);
    if (n_cols < 4)
        die("expected 4 columns or more");
    (void)snprintf(options, sizeof options,
                   "hidden=128x128x64 epochs=%d patience=%d batch=64 rate=0.003 decay=0.05", epochs,
                   epochs);
    x = malloc(sizeof *x * (size_t)n * (size_t)n_cols);
    y = malloc(sizeof *y * (size_t)n);
    names = malloc(sizeof *names * (size_t)n_cols);
    if (!x || !y || !names)
        die("no memory");
    for (i = 0; i < n_cols; i++)
        names[i] = "x";
    fill(x, y, n, n_cols);
    rows = (struct ec_rows){ .x = x, .y = y, .names = names, .n = n, .n_cols = n_cols };
    if (ec_recipe_parse("ann", options, &a, &recipe, &err))
        die(err.text);
    start = clock();
    if (ec_regressor_fit(&recipe, &rows, &env, &model, &err))
        die(err.text);
    (void)printf("%.4f\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    ec_regressor_free(model);
    ec_arena_clear(&a);
    free(x);
    free(y);
    free(names);
    return 0;
}
