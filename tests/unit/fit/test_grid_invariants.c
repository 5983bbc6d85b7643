/* What holds of regressors of tables whatever the rows are: laws that they can express are found,
 * units do not matter, folds cover each row once, the same seed is the same answer. */
#include "leaks.h"
#include "test.h"

#include <unistd.h>

#include "fit/fit.h"

#define PATH "/tmp/ec-test-grid-invariants.csv"
#define ROWS 24

/* Times of a law of two columns, 4 x 6 values. */
static double law(double a, double b)
{
    return 0.3 * pow(a, 1.7) / sqrt(b);
}

static double line(double a, double b)
{
    return 5 + 2 * a + 0.25 * b;
}

static double noisy(double a, double b)
{
    return law(a, b) * (1 + 0.1 * sin(37 * a + 11 * b));
}

static void write_law(double (*of)(double a, double b), double factor, bool backwards)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    ec_buf_str(&out, "a,b,time_s\n");
    for (i = 0; i < ROWS; i++) {
        int k = backwards ? ROWS - 1 - i : i;
        double a = 1 << k % 4, b = 3 + 7 * (k / 4);

        ec_buf_printf(&out, "%g,%g,%.17g\n", a, b, factor * of(a, b));
    }
    CHECK_OK(ec_file_write(PATH, out.data, out.len, &err));
    ec_buf_clear(&out);
}

static const char *quick[] = { "linear", "ours" };

/* Without the dense network, which takes a second. */
static struct ec_grid_opts options(void)
{
    return (struct ec_grid_opts){
        .table = PATH,
        .target = "time_s",
        .features = "a,b",
        .network = "",
        .device = "t4",
        .precision = "fp32",
        .framework = "pytorch-2",
        .optimizer = "adam",
        .families = {2, 2, quick},
        .folds = 4,
        .seed = 1
    };
}

static struct ec_grid_fit compared(const struct ec_grid_opts *o)
{
    struct ec_grid_fit g = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_grid_compare(o, &g, &err));
    return g;
}

/* --- Laws --- */

TEST(each_family_finds_the_law_that_it_is_made_for)
{
    static double (*const laws[])(double a, double b) = { line, law };
    struct ec_grid_opts o = options();
    int i, k;

    for (i = 0; i < EC_LEN(laws); i++) {
        struct ec_grid_fit g;

        write_law(laws[i], 1, false);
        g = compared(&o);
        CHECK_INT(g.n, 2);
        for (k = 0; k < g.n; k++) {
            CHECK_STR(g.v[k].family, quick[k]);
            CHECK_INT(g.v[k].best, k == i);
            CHECK(k == i ? g.v[k].m.mean_ape < 1e-3 : g.v[k].m.mean_ape > 1e-2);
        }
        CHECK_STR(g.note, "Ours is a power law of the features.");
        ec_grid_fit_clear(&g);
    }
    (void)unlink(PATH);
}

TEST(a_power_law_holds_beyond_the_rows)
{
    const char *far[] = { "a=64", "b=1000" };
    struct ec_strs set = { 2, 2, far };
    struct ec_grid_opts o = options();
    struct ec_grid_answers a = { 0 };
    struct ec_err err = { 0 };

    write_law(law, 1, false);
    CHECK_OK(ec_grid_whatif(&o, &set, 0, &a, &err));
    CHECK_INT(a.n, 1);
    CHECK_NEAR(a.v[0].target.p50, law(64, 1000), 1e-2);
    CHECK(a.v[0].extrapolates);
    CHECK_STR(a.v[0].outside,
              "a 64 is 8 times the largest, 8; b 1000 is 26.3 times the largest, 38");
    ec_grid_answers_clear(&a);
    (void)unlink(PATH);
}

/* --- Units --- */

TEST(times_in_another_unit_are_predicted_in_it)
{
    struct ec_grid_opts o = options();
    struct ec_grid_fit one, thousand;
    int i, k;

    write_law(noisy, 1, false);
    one = compared(&o);
    write_law(noisy, 1000, false);
    thousand = compared(&o);
    for (k = 0; k < one.n && k < thousand.n; k++) {
        CHECK_NEAR(thousand.v[k].m.mean_ape, one.v[k].m.mean_ape, 1e-6);
        CHECK_NEAR(thousand.v[k].m.rmse, 1000 * one.v[k].m.rmse, 1e-6);
        CHECK_INT(thousand.v[k].best, one.v[k].best);
        for (i = 0; i < ROWS; i++)
            CHECK_NEAR(thousand.v[k].predicted[i], 1000 * one.v[k].predicted[i], 1e-6);
    }
    ec_grid_fit_clear(&one);
    ec_grid_fit_clear(&thousand);
    (void)unlink(PATH);
}

/* --- Splits --- */

TEST(folds_test_each_row_once_and_a_random_split_some)
{
    static const struct {
        const char *split;
        int64_t folds;
        int rounds, tested;
    } rows[] = {
        {"kfold",   2,    2,    ROWS},
        { "kfold",  5,    5,    ROWS},
        { "kfold",  ROWS, ROWS, ROWS},
        { "kfold",  100,  ROWS, ROWS}, /* no more than there are rows */
        { "random", 5,    1,    3   }, /* a tenth, and no fewer than that */
        { NULL,     5,    5,    ROWS},
    };
    int i, k, n;

    write_law(noisy, 1, false);
    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_grid_opts o = options();
        struct ec_grid_fit g;

        o.split = rows[i].split;
        o.folds = rows[i].folds;
        g = compared(&o);
        for (k = n = 0; k < g.n_rows; k++)
            n += g.tested[k];
        CHECK_INT(g.n_rows, ROWS);
        CHECK_INT(g.n_rounds, rows[i].rounds);
        CHECK_INT(g.n_tested, rows[i].tested);
        CHECK_INT(n, rows[i].tested);
        CHECK_INT(g.v[0].m.n, rows[i].tested);
        ec_grid_fit_clear(&g);
    }
    (void)unlink(PATH);
}

TEST(a_seed_is_an_answer)
{
    struct ec_grid_opts o = options();
    struct ec_grid_fit one, again, other;
    int k;

    write_law(noisy, 1, false);
    one = compared(&o);
    again = compared(&o);
    o.seed = 2;
    other = compared(&o);
    for (k = 0; k < one.n; k++) {
        CHECK(!memcmp(one.v[k].predicted, again.v[k].predicted, ROWS * sizeof *one.v[k].predicted));
        CHECK(memcmp(one.v[k].predicted, other.v[k].predicted, ROWS * sizeof *one.v[k].predicted) !=
              0);
    }
    ec_grid_fit_clear(&one);
    ec_grid_fit_clear(&again);
    ec_grid_fit_clear(&other);
    (void)unlink(PATH);
}

/* --- What if --- */

static struct ec_grid_answers asked(const struct ec_grid_opts *o, const struct ec_strs *set,
                                    double budget)
{
    struct ec_grid_answers a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_grid_whatif(o, set, budget, &a, &err));
    return a;
}

TEST(answers_do_not_depend_on_the_order_of_the_rows)
{
    struct ec_strs none = { 0 };
    struct ec_grid_opts o = options();
    struct ec_grid_answers one, other;
    int i;

    write_law(noisy, 1, false);
    one = asked(&o, &none, 0);
    write_law(noisy, 1, true);
    other = asked(&o, &none, 0);
    CHECK_INT(one.n, ROWS);
    CHECK_INT(other.n, one.n);
    for (i = 0; i < one.n && i < other.n; i++) {
        CHECK_NEAR(other.v[i].target.p50, one.v[i].target.p50, 1e-9);
        CHECK_NEAR(other.v[i].measured, one.v[i].measured, 1e-12);
    }
    ec_grid_answers_clear(&one);
    ec_grid_answers_clear(&other);
    (void)unlink(PATH);
}

/* What answers are sorted by. */
static double time_of(const struct ec_grid_answer *a)
{
    return a->measured > 0 ? a->measured : a->target.p50;
}

TEST(what_holds_of_every_answer)
{
    const char *some[] = { "a=2", "a=3", "a=100" };
    struct ec_strs set = { 3, 3, some };
    struct ec_grid_opts o = options();
    struct ec_grid_answers a;
    double least = (double)INFINITY, side;
    int i;

    write_law(noisy, 1, false);
    a = asked(&o, &set, 0);
    CHECK_INT(a.n, 3 * 6); /* each value of b */
    CHECK_INT(a.n_cols, 2);
    CHECK_STR(a.names[1], "b");
    for (i = 0; i < a.n; i++) {
        const struct ec_grid_answer *v = &a.v[i];

        side = v->target.p50 / v->target.p05;
        CHECK(v->target.p05 > 0 && v->target.p05 < v->target.p50);
        CHECK_NEAR(v->target.p95 / v->target.p50, side, 1e-12);
        CHECK_INT(v->extrapolates, v->value[0] == 100);
        CHECK_INT(*v->outside != 0, v->extrapolates);
        CHECK_INT(v->measured > 0, v->value[0] == 2);
        CHECK(!i || time_of(&a.v[i - 1]) <= time_of(v));
        least = fmin(least, time_of(v));
    }
    CHECK_NEAR(a.least, least, 0);
    ec_grid_answers_clear(&a);
    (void)unlink(PATH);
}

TEST(a_budget_below_all_keeps_none_and_says_the_least)
{
    struct ec_strs none = { 0 };
    struct ec_grid_opts o = options();
    struct ec_grid_answers all, few;

    write_law(noisy, 1, false);
    all = asked(&o, &none, 0);
    few = asked(&o, &none, all.least / 2);
    CHECK_INT(few.n, 0);
    CHECK_NEAR(few.least, all.least, 0);
    ec_grid_answers_clear(&few);
    few = asked(&o, &none, all.least);
    CHECK_INT(few.n, 1);
    ec_grid_answers_clear(&all);
    ec_grid_answers_clear(&few);
    (void)unlink(PATH);
}

/* --- Errors --- */

TEST(options_that_mean_nothing_are_refused_by_name)
{
    static const char *nobody[] = { "shrub" };
    /* clang-format off */
    const struct {
        const char *table, *target, *features, *host, *profile, *split, *mapping;
        struct ec_strs families;
        int64_t folds;
        enum ec_status st;
        const char *text;
    } rows[] = {
        { .table = "/tmp/ec-test-no-such.csv", .st = EC_E_NOT_FOUND,
          .text = "/tmp/ec-test-no-such.csv" },
        { .target = "times", .st = EC_E_INPUT, .text = PATH ": no column \"times\"" },
        { .features = "a,c", .st = EC_E_INPUT, .text = PATH ": no column \"c\"" },
        { .features = "a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b,a",
          .st = EC_E_INPUT, .text = "more than 32 features" },
        { .host = "abacus", .st = EC_E_NOT_FOUND, .text = "abacus" },
        { .profile = "/tmp/ec-test-no-such.json", .st = EC_E_NOT_FOUND,
          .text = "/tmp/ec-test-no-such.json" },
        { .split = "thirds", .st = EC_E_INPUT,
          .text = "group:COLUMN or logo:COLUMN, not by \"thirds\"" },
        { .folds = 1, .st = EC_E_INPUT, .text = "24 rows cannot be split into 2 parts" },
        { .mapping = "nobodys", .st = EC_E_NOT_FOUND, .text = "no mapping \"nobodys\"" },
        { .families = { 1, 1, nobody }, .st = EC_E_NOT_FOUND,
          .text = "no family \"shrub\" of tables: expected linear, power, forest, gbt, ann," },
    };
    /* clang-format on */
    struct ec_err err = { 0 };
    int i;

    write_law(law, 1, false);
    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_grid_opts o = options();
        struct ec_grid_fit g = { 0 };

        o.table = rows[i].table ? rows[i].table : o.table;
        o.target = rows[i].target ? rows[i].target : o.target;
        o.features = rows[i].features ? rows[i].features : o.features;
        o.families = rows[i].families.n ? rows[i].families : o.families;
        o.folds = rows[i].folds ? rows[i].folds : o.folds;
        o.host = rows[i].host;
        o.profile = rows[i].profile;
        o.split = rows[i].split;
        o.given.mapping = rows[i].mapping;
        CHECK_FAILS(ec_grid_compare(&o, &g, &err), rows[i].st, rows[i].text);
        CHECK(!g.n && !g.measured); /* nothing to clear */
    }
    (void)unlink(PATH);
}

TEST(too_many_combinations_are_refused)
{
    struct ec_strs set = { 0 };
    struct ec_arena arena = { 0 };
    struct ec_grid_opts o = options();
    struct ec_grid_answers a = { 0 };
    struct ec_err err = { 0 };
    int i;

    write_law(law, 1, false);
    for (i = 1; i <= 400; i++)
        CHECK_OK(ec_strs_add(&set, &arena, &err, "%s=%d", i % 2 ? "a" : "b", i));
    CHECK_OK(ec_grid_whatif(&o, &set, 0, &a, &err)); /* 200 times 200 */
    CHECK_INT(a.n, 40000);
    ec_grid_answers_clear(&a);
    for (i = 1; i <= 400; i++)
        CHECK_OK(ec_strs_add(&set, &arena, &err, "a=%d", 1000 + i));
    CHECK_FAILS(ec_grid_whatif(&o, &set, 0, &a, &err), EC_E_INPUT,
                "more than 100000 configurations; set some features");
    ec_arena_clear(&arena);
    (void)unlink(PATH);
}

/* A device without a prediction costs the prediction, not the fit. */
TEST(a_network_that_cannot_be_predicted_is_named_in_the_note)
{
    static const struct {
        const char *device, *network, *note;
    } rows[] = {
        {"abacus", "cifar_cnn",       "cifar_cnn is not predicted here"      },
        { "t4",    "no_such_network", "no_such_network is not predicted here"},
    };
    int i;

    write_law(law, 1, false);
    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_grid_opts o = options();
        struct ec_grid_fit g;

        o.device = rows[i].device;
        o.network = rows[i].network;
        g = compared(&o);
        CHECK_HAS(g.note, "Ours is a power law of the features; ");
        CHECK_HAS(g.note, rows[i].note);
        CHECK(g.n == 2 && g.v[1].m.mean_ape < 1e-3);
        ec_grid_fit_clear(&g);
    }
    (void)unlink(PATH);
}
