/* Splits: every row where it belongs, groups whole; the search finds and resumes. */
#include "test.h"

#include "learn/learn.h"

#include <stdlib.h>
#include <unistd.h>

#define N 1000

static int count(const struct ec_split *s, int round)
{
    int i, n = 0;

    for (i = 0; i < s->n; i++)
        n += s->round[i] == round;
    return n;
}

TEST(random_is_eighty_ten_ten)
{
    struct ec_split s = { 0 }, again = { 0 };
    struct ec_err err = { 0 };
    static int rows[N];

    CHECK_OK(ec_split_make(EC_SPLIT_RANDOM, NULL, N, 0, 5, &s, &err));
    CHECK_INT(s.n_rounds, 1);
    CHECK_INT(count(&s, 0), 100);
    CHECK_INT(count(&s, -1), 800);
    CHECK_INT(count(&s, -2), 100);
    CHECK_INT(ec_split_rows(&s, 0, true, rows), 100);
    CHECK_INT(ec_split_rows(&s, 0, false, rows), 800);
    CHECK_OK(ec_split_make(EC_SPLIT_RANDOM, NULL, N, 0, 5, &again, &err));
    CHECK(memcmp(s.round, again.round, sizeof *s.round * N) == 0);
    ec_free(again.round);
    CHECK_OK(ec_split_make(EC_SPLIT_RANDOM, NULL, N, 0, 6, &again, &err));
    CHECK(memcmp(s.round, again.round, sizeof *s.round * N) != 0);
    ec_free(again.round);
    ec_free(s.round);
}

TEST(each_row_is_tested_once_in_k_folds)
{
    struct ec_split s = { 0 };
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_split_make(EC_SPLIT_KFOLD, NULL, 103, 5, 1, &s, &err));
    CHECK_INT(s.n_rounds, 5);
    for (i = 0; i < 5; i++)
        CHECK(count(&s, i) == 20 || count(&s, i) == 21);
    ec_free(s.round);
}

TEST(groups_are_never_cut)
{
    struct ec_split s = { 0 };
    struct ec_err err = { 0 };
    static int group[N];
    int i;

    for (i = 0; i < N; i++)
        group[i] = (i * 7) % 23;
    CHECK_OK(ec_split_make(EC_SPLIT_GROUP, group, N, 4, 1, &s, &err));
    for (i = 23; i < N; i++)
        CHECK_INT(s.round[i], s.round[i - 23]);
    for (i = 0; i < 4; i++)
        CHECK(count(&s, i) > 200 && count(&s, i) < 300);
    ec_free(s.round);
    CHECK_OK(ec_split_make(EC_SPLIT_LEAVE_ONE, group, N, 0, 1, &s, &err));
    CHECK_INT(s.n_rounds, 23);
    for (i = 0; i < N; i++)
        CHECK_INT(s.round[i], group[i]);
    ec_free(s.round);
}

TEST(too_little_to_split_is_refused)
{
    static const int one[] = { 0, 0, 0, 0 };
    struct ec_split s = { 0 };
    struct ec_err err = { 0 };

    CHECK_FAILS(ec_split_make(EC_SPLIT_LEAVE_ONE, one, 4, 0, 1, &s, &err), EC_E_INPUT,
                "1 groups cannot be split into 2 parts");
    CHECK_FAILS(ec_split_make(EC_SPLIT_GROUP, one, 4, 3, 1, &s, &err), EC_E_INPUT, "1 groups");
    CHECK_FAILS(ec_split_make(EC_SPLIT_RANDOM, NULL, 4, 0, 1, &s, &err), EC_E_INPUT, "4 rows");
}

static enum ec_status split(struct ec_err *err)
{
    static const int group[] = { 0, 1, 2, 0, 1, 2 };
    struct ec_split s = { 0 };
    enum ec_status st = ec_split_make(EC_SPLIT_GROUP, group, 6, 3, 1, &s, err);

    ec_free(s.round);
    return st;
}

TEST(a_part_is_split_by_its_own_groups)
{
    static const int group[] = { 7, 7, 3, 3, 9, 9, 9, 3 }, row[] = { 0, 2, 3, 7, 1 },
                     alone[] = { 4, 5, 6 };
    struct ec_split s = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_split_part(group, row, 5, 4, 1, &s, &err)); /* two groups: two parts */
    CHECK_INT(s.n_rounds, 2);
    CHECK(s.round[0] == s.round[4] && s.round[1] == s.round[2] && s.round[2] == s.round[3]);
    CHECK(s.round[0] != s.round[1]);
    ec_free(s.round);
    CHECK_OK(ec_split_part(group, alone, 3, 5, 1, &s, &err)); /* one group: by rows */
    CHECK_INT(s.n_rounds, 3);
    CHECK(s.round[0] != s.round[1] && s.round[1] != s.round[2] && s.round[0] != s.round[2]);
    ec_free(s.round);
    CHECK_OK(ec_split_part(group, NULL, 4, 5, 1, &s, &err)); /* the first four */
    CHECK_INT(s.n_rounds, 2);
    CHECK(s.round[0] == s.round[1] && s.round[2] == s.round[3] && s.round[1] != s.round[2]);
    ec_free(s.round);
    CHECK_OK(ec_split_part(NULL, row, 5, 2, 1, &s, &err));
    CHECK_INT(s.n_rounds, 2);
    ec_free(s.round);
    CHECK_FAILS(ec_split_part(group, row, 1, 5, 1, &s, &err), EC_E_INPUT, "cannot be split");
}

/* With few rows each try is judged in all rounds, and ranges are the caller's. */
TEST(a_search_of_few_rows_takes_the_caller_s_ranges)
{
    static const struct ec_search_range ranges[] = {
        {"ridge", "lambda", 1e3, 1e4, false, true },
        { NULL,   NULL,     0,   0,   false, false}
    };
    static const char *const names[] = { "x" };
    const struct ec_search search = {
        .n_tries = 6, .ranges = ranges, .whole = true, .env = { .seed = 1 }
    };
    double x[12], y[12], score = 0, lambda;
    struct ec_rows rows = { x, y, names, 12, 1, NULL };
    struct ec_recipe start = { 0 }, best = { 0 };
    struct ec_split inner = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < 12; i++) {
        x[i] = i;
        y[i] = exp(0.3 * i);
    }
    CHECK(ec_search_has(ranges, "ridge") && !ec_search_has(ranges, "ann"));
    CHECK(ec_search_has(NULL, "ann") && !ec_search_has(NULL, "linear"));
    CHECK_OK(ec_recipe_parse("ridge", "lambda=1e-6", &a, &start, &err));
    start.target = EC_TARGET_LOG;
    start.base_col = -1;
    CHECK_OK(ec_split_make(EC_SPLIT_KFOLD, NULL, 12, 4, 1, &inner, &err));
    CHECK_OK(ec_search_run(&search, &start, &rows, &inner, &a, &best, &score, &err));
    memcpy(&lambda, best.opts, sizeof lambda);
    CHECK_NEAR(lambda, 1e-6, 1e-12); /* what was given beats what shrinks to the mean */
    CHECK(score < 1e-3);
    ec_free(inner.round);
    ec_arena_clear(&a);
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(split);
}

/* ---- search ---- */

static void count_fits(void *ctx, int done, int total, double best)
{
    CHECK_INT(total, 8 + 4 + 2 + 1);
    CHECK(done >= 1 && done <= total);
    CHECK(best > 0 && best < 1);
    ++*(int *)ctx;
}

static double search(const char *state, int *ret_fits, struct ec_err *ret_err,
                     enum ec_status *ret_st)
{
    static const char *const names[] = { "x" };
    static double x[400], y[400];
    struct ec_rows rows = { x, y, names, 400, 1, NULL };
    struct ec_search s = {
        .state_path = state, .n_tries = 8, .tried = count_fits, .tried_ctx = ret_fits
    };
    struct ec_split inner = { 0 };
    struct ec_arena a = { 0 };
    struct ec_recipe start, best;
    struct ec_err err = { 0 };
    double score = 0;
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 2);
    for (i = 0; i < 400; i++) {
        x[i] = ec_rng_unit(&rng);
        y[i] = exp(x[i]) * (1 + 0.2 * ec_rng_unit(&rng));
    }
    *ret_fits = 0;
    s.env = (struct ec_learn_env){ .seed = 4 };
    CHECK_OK(ec_split_make(EC_SPLIT_KFOLD, NULL, 400, 5, 1, &inner, &err));
    CHECK_OK(ec_recipe_parse("knn", "k=1", &a, &start, &err));
    start.target = EC_TARGET_LOG;
    *ret_st = ec_search_run(&s, &start, &rows, &inner, &a, &best, &score, ret_err);
    ec_free(inner.round);
    ec_arena_clear(&a);
    return score;
}

TEST(a_search_halves_and_resumes)
{
    char path[] = "/tmp/ec-search-XXXXXX";
    struct ec_err err = { 0 };
    enum ec_status st;
    double first, second;
    int fits, fd = mkstemp(path);

    CHECK(fd >= 0);
    (void)close(fd);
    (void)unlink(path);
    first = search(path, &fits, &err, &st);
    CHECK_OK(st);
    CHECK_INT(fits, 8 + 4 + 2 + 1);
    CHECK(first > 0 && first < 0.06); /* more than one neighbour: the noise itself is 0.05 */
    second = search(path, &fits, &err, &st);
    CHECK_OK(st);
    CHECK_INT(fits, 0); /* all known */
    CHECK_NEAR(second, first, 1e-12);
    CHECK_OK(ec_file_write(path, "something else\n", 15, &err));
    (void)search(path, &fits, &err, &st);
    CHECK_INT(st, EC_E_INPUT);
    CHECK_HAS(err.text, "not the state of this search");
    (void)unlink(path);
}
