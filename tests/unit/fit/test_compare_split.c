/* How measured operators are split, whatever the rows are; each family on rows of a known law; the
 * file of tested rows. */
#include "leaks.h"
#include "linear_table.h"
#include "test.h"

#include <unistd.h>

#include "fit/compare_internal.h"

/* --- Words --- */

TEST(each_word_of_a_split_is_understood)
{
    static const struct {
        const char *prefix;
        enum ec_split_kind kind;
    } kinds[] = {
        {"group:", EC_SPLIT_GROUP    },
        { "logo:", EC_SPLIT_LEAVE_ONE},
    };
    enum ec_split_kind kind = EC_SPLIT_GROUP;
    enum ec_by by = EC_BY_ROW_DEVICE;
    struct ec_err err = { 0 };
    char text[64];
    int i, k;

    CHECK_OK(ec__parse_split("random", &kind, &by, &err));
    CHECK(kind == EC_SPLIT_RANDOM && by == EC_BY_NOTHING);
    CHECK_OK(ec__parse_split("kfold", &kind, &by, &err));
    CHECK(kind == EC_SPLIT_KFOLD && by == EC_BY_NOTHING);
    for (i = 0; i < EC_LEN(kinds); i++)
        for (k = EC_BY_NOTHING + 1; k < EC_BY_ROW_COUNT; k++) {
            (void)snprintf(text, sizeof text, "%s%s", kinds[i].prefix, ec__by_names[k].word);
            CHECK_OK(ec__parse_split(text, &kind, &by, &err));
            CHECK_INT(kind, kinds[i].kind);
            CHECK_INT(by, k);
            CHECK(*ec__by_names[k].many && strcmp(ec__by_names[k].many, ec__by_names[k].word));
        }
}

TEST(other_words_are_refused_by_name)
{
    static const char *const words[] = { "",       "Random", "kfold:device",  "group",
                                         "group:", "logo:",  "group:devices", "device" };
    enum ec_split_kind kind;
    enum ec_by by;
    struct ec_err err = { 0 };
    char text[64];
    int i;

    for (i = 0; i < EC_LEN(words); i++) {
        (void)snprintf(text, sizeof text, "no split \"%s\": expected random, kfold, or", words[i]);
        CHECK_FAILS(ec__parse_split(words[i], &kind, &by, &err), EC_E_INPUT, text);
    }
}

/* --- Splits --- */

#define ROWS 90

/* Operators on three devices, of two families, in five batches; nine configurations. */
struct table {
    struct ec_operator_rows rows;
    const char *device[ROWS], *family[ROWS], *what[ROWS];
    char text[ROWS][64];
};

static void make(struct table *t)
{
    static const char *const devices[] = { "t4", "a100-pcie-40gb", "v100-pcie-16gb" };
    int i;

    *t = (struct table){ .rows = { .n = ROWS } };
    for (i = 0; i < ROWS; i++) {
        (void)snprintf(t->text[i], sizeof t->text[i], "linear m=%d k=%d n=64", 8 << i % 5,
                       16 << i % 9);
        t->what[i] = t->text[i];
        t->device[i] = devices[i * 7 % 11 % 3];
        t->family[i] = i % 4 ? "linear" : "attention";
    }
    t->rows.what = t->what;
    t->rows.device = t->device;
    t->rows.family = t->family;
}

static struct ec_split split(const struct table *t, const char *word, int64_t folds, int64_t seed,
                             int **ret_group, int *ret_n_groups)
{
    struct ec_compare_opts o = { .split = word, .folds = folds, .seed = seed };
    struct ec_split s = { 0 };
    struct ec_err err = { 0 };

    *ret_group = NULL;
    CHECK_OK(ec__split_operator_rows(&o, &t->rows, &s, ret_group, ret_n_groups, &err));
    CHECK_INT(s.n, ROWS);
    return s;
}

TEST(groups_are_left_out_whole_and_rows_tested_once)
{
    static const char *const words[] = { "group:device",      "group:batch", "group:configuration",
                                         "logo:device",       "logo:family", "logo:batch",
                                         "logo:configuration" };
    static const int groups[] = { 3, 5, 9, 3, 2, 5, 9 };
    struct table t;
    int w, i, seed;

    make(&t);
    for (w = 0; w < EC_LEN(words); w++)
        for (seed = 0; seed < 4; seed++) {
            bool alone = ec_str_starts(words[w], "logo:");
            int *group, n_groups = 0, round_of[16], n_in[16] = { 0 }, n_groups_in[16] = { 0 };
            struct ec_split s = split(&t, words[w], 3, seed, &group, &n_groups);

            CHECK_INT(n_groups, groups[w]);
            CHECK_INT(s.n_rounds, alone ? groups[w] : 3);
            memset(round_of, -1, sizeof round_of);
            for (i = 0; i < ROWS && group && s.round; i++) {
                CHECK(s.round[i] >= 0 && s.round[i] < s.n_rounds);
                n_groups_in[s.round[i]] += round_of[group[i]] < 0;
                CHECK(round_of[group[i]] < 0 || round_of[group[i]] == s.round[i]);
                round_of[group[i]] = s.round[i];
                n_in[s.round[i]]++;
            }
            for (i = 0; i < s.n_rounds; i++) {
                CHECK(n_in[i] > 0 && n_in[i] < ROWS);
                CHECK(!alone || n_groups_in[i] == 1);
            }
            ec_free(group);
            ec_free(s.round);
        }
}

TEST(folds_are_of_equal_size)
{
    struct table t;
    int folds, i;

    make(&t);
    for (folds = 2; folds <= 16; folds++) {
        int *group, n_groups = 0, n_in[16] = { 0 };
        struct ec_split s = split(&t, "kfold", folds, 1, &group, &n_groups);

        CHECK_INT(s.n_rounds, folds);
        for (i = 0; i < ROWS; i++)
            n_in[s.round[i]]++;
        for (i = 0; i < folds; i++)
            CHECK(n_in[i] == ROWS / folds || n_in[i] == ROWS / folds + 1);
        ec_free(group);
        ec_free(s.round);
    }
}

TEST(a_seed_is_a_split)
{
    static const char *const words[] = { "random", "kfold", "group:configuration" };
    struct table t;
    int w;

    make(&t);
    for (w = 0; w < EC_LEN(words); w++) {
        int *group[3], n_groups;
        struct ec_split one = split(&t, words[w], 3, 1, &group[0], &n_groups),
                        same = split(&t, words[w], 3, 1, &group[1], &n_groups),
                        other = split(&t, words[w], 3, 5, &group[2], &n_groups);

        CHECK(!memcmp(one.round, same.round, ROWS * sizeof *one.round));
        CHECK(memcmp(one.round, other.round, ROWS * sizeof *one.round) != 0);
        CHECK(!memcmp(group[0], group[2], ROWS * sizeof *group[0])); /* of the rows alone */
        ec_free(group[0]);
        ec_free(group[1]);
        ec_free(group[2]);
        ec_free(one.round);
        ec_free(same.round);
        ec_free(other.round);
    }
}

TEST(splits_that_cannot_be_made_say_why)
{
    static const struct {
        const char *split;
        int64_t folds;
        const char *text;
    } rows[] = {
        {"group:device",  4,  "the rows are of 3 devices (such as \"t4\"), too few for 4 parts"},
        { "group:family", 3,
         "of 2 families (such as \"attention\"), too few for 3 parts; they "
          "have 3 devices, 5 batch sizes, 9 configurations"                                    },
        { "kfold",        1,  "90 rows cannot be split into 2 parts"                           },
        { "kfold",        91, "90 rows cannot be split into 91 parts"                          },
    };
    struct ec_err err = { 0 };
    struct table t;
    int i;

    make(&t);
    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_compare_opts o = { .split = rows[i].split, .folds = rows[i].folds };
        struct ec_split s = { 0 };
        int *group = NULL, n_groups = 0;

        CHECK_FAILS(ec__split_operator_rows(&o, &t.rows, &s, &group, &n_groups, &err), EC_E_INPUT,
                    rows[i].text);
        CHECK(!s.round && !group);
    }
}

TEST(as_many_fits_as_a_thousand_groups_are_refused)
{
    enum { MANY = 1001 };
    static char text[MANY][32];
    static const char *what[MANY], *same[MANY];
    struct ec_operator_rows rows = { .n = MANY, .what = what, .device = same, .family = same };
    struct ec_compare_opts o = { .split = "logo:batch", .folds = 5 };
    struct ec_split s = { 0 };
    struct ec_err err = { 0 };
    int *group = NULL, n_groups = 0, i;

    for (i = 0; i < MANY; i++) {
        (void)snprintf(text[i], sizeof text[i], "linear m=%d k=8 n=8", i + 1);
        what[i] = text[i];
        same[i] = "t4";
    }
    CHECK_FAILS(ec__split_operator_rows(&o, &rows, &s, &group, &n_groups, &err), EC_E_INPUT,
                "1001 batch sizes would be as many fits; --split group:batch makes --folds parts");
    rows.n = MANY - 1;
    CHECK_OK(ec__split_operator_rows(&o, &rows, &s, &group, &n_groups, &err));
    CHECK_INT(s.n_rounds, MANY - 1);
    ec_free(group);
    ec_free(s.round);
}

/* --- The file of tested rows --- */

#define CSV "/tmp/ec-test-compare-split.csv"

/* Rows that no round tested stay out, as does a family that could not be fitted. */
TEST(the_file_has_tested_rows_and_fitted_families)
{
    static const char *timed[] = { "forward", "training_step", "forward" },
                      *optimizer[] = { "none", "sgd", "none" };
    double one[] = { 1e6, (double)NAN, 3.5e6 }, time_ns[] = { 1.5e6, 2e6, 3e6 };
    /* clang-format off */
    struct ec_compared v[] = {
        { .family = "forest", .set = EC_FS_MEMORY, .failed = true, .why = "no library" },
        { .family = "knn", .set = EC_FS_MEMORY, .predicted = one },
    };
    /* clang-format on */
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    struct table t;

    make(&t);
    t.rows.n = 3;
    t.rows.timed = timed;
    t.rows.optimizer = optimizer;
    t.rows.time_ns = time_ns;
    CHECK_OK(ec__compare_write_rows(&t.rows, v, EC_LEN(v), CSV, &err));
    CHECK_OK(ec_csv_read(CSV, &csv, &err));
    CHECK_INT(csv.n_rows, 2);
    CHECK_INT(csv.n_cols, 6);
    CHECK_STR(csv.names[5], "knn_memory_ms");
    CHECK_STR(ec_csv_cell(&csv, 1, ec_csv_col(&csv, "case")), t.what[2]);
    CHECK_STR(ec_csv_cell(&csv, 1, ec_csv_col(&csv, "measured_ms")), "3");
    CHECK_STR(ec_csv_cell(&csv, 1, 5), "3.5");
    ec_csv_clear(&csv);
    CHECK_OK(ec__compare_write_rows(&t.rows, v, 1, CSV, &err)); /* none could be fitted */
    CHECK_OK(ec_csv_read(CSV, &csv, &err));
    CHECK_INT(csv.n_rows, 0);
    ec_csv_clear(&csv);
    (void)unlink(CSV);
    CHECK_FAILS(ec__compare_write_rows(&t.rows, v, 1, "/tmp/ec-no-such-dir/x.csv", &err),
                EC_E_NOT_FOUND, "/tmp/ec-no-such-dir/x.csv");
}

/* --- Families --- */

static const char *words[] = { CSV, "linear", "all", "stacked", "ann_ensemble" };

static struct ec_compare_opts options(void)
{
    return (struct ec_compare_opts){
        .data = {1,  1, &words[0]},
        .ops = { 1, 1, &words[1]},
        .families = { 1, 1, &words[2]},
        .features = "roofline",
        .split = "random",
        .folds = 3,
        .seed = 1,
        .threads = 2
    };
}

static void holds_of_a_family(const struct ec_comparison *c, const struct ec_compared *v)
{
    int bad = test_bad_checks;

    CHECK(*v->family && *v->help && v->help[strlen(v->help) - 1] != '.');
    CHECK(!v->failed && !*v->why);
    CHECK(v->n_cols >= 1 && v->n_cols <= EC_FEATURE_COUNT);
    CHECK_INT(v->m.n, c->n_tested);
    CHECK(v->m.median_ape <= v->m.p90_ape && v->m.mean_ape <= v->worst_group_ape * 1.0001);
    CHECK(isfinite(v->m.rmse) && v->m.mae <= v->m.rmse * 1.0001);
    /* twice the time of the roofline is what the first two cannot say */
    CHECK(v->m.mean_ape < 0.6);
    CHECK(v->fit_ns_per_round >= 0 && v->predict_ns_per_row >= 0);
    CHECK(!v->predicted);
    if (test_bad_checks != bad)
        test_fail(__FILE__, __LINE__, "the family was %s", v->family);
}

TEST(every_family_is_fitted_once_and_one_is_best)
{
    struct ec_compare_opts o = options();
    struct ec_comparison c = { 0 };
    struct ec_err err = { 0 };
    int i, k, n_best = 0;

    write_linear_table(CSV, 90);
    CHECK_OK(ec_compare(&o, &c, &err));
    CHECK(c.n > 10);
    for (i = 0; i < c.n; i++) {
        holds_of_a_family(&c, &c.v[i]);
        n_best += c.v[i].best;
        for (k = 0; k < c.n; k++) {
            CHECK(k == i || strcmp(c.v[i].family, c.v[k].family) != 0);
            CHECK(!c.v[i].best || c.v[i].m.mean_ape <= c.v[k].m.mean_ape);
        }
        CHECK(strcmp(c.v[i].family, "stacked") && strcmp(c.v[i].family, "ann_ensemble"));
    }
    CHECK_INT(n_best, 1);
    ec_comparison_clear(&c);
    (void)unlink(CSV);
}

/* Sets of features from the smallest on; what looks at none has one row. */
TEST(all_sets_are_rows_of_their_own)
{
    static const char *two[] = { "ridge", "roofline_fitted" };
    struct ec_compare_opts o = options();
    struct ec_comparison c = { 0 };
    struct ec_err err = { 0 };
    int i;

    write_linear_table(CSV, 60);
    o.families = (struct ec_strs){ 2, 2, two };
    o.features = "all";
    CHECK_OK(ec_compare(&o, &c, &err));
    CHECK_INT(c.n, 1 + EC_FS_TERMS);
    for (i = 0; i < c.n; i++)
        CHECK_STR(c.v[i].family, i ? "ridge" : "roofline_fitted");
    CHECK_INT(c.v[0].n_cols, 1);
    for (i = 1; i < c.n; i++) {
        CHECK_INT(c.v[i].set, i - 1);
        CHECK(i == 1 || c.v[i].n_cols > c.v[i - 1].n_cols);
    }
    ec_comparison_clear(&c);
    (void)unlink(CSV);
}

/* --- Rows --- */

TEST(rows_that_cannot_be_used_are_counted_and_named)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_compare_opts o = options();
    struct ec_comparison c = { 0 };
    struct ec_file file = { 0 };
    struct ec_err err = { 0 };

    write_linear_table(CSV, 40);
    CHECK_OK(ec_file_open(CSV, 0, &file, &err));
    ec_buf_add(&out, file.data, file.len);
    ec_file_close(&file);
    ec_buf_str(&out, "abacus,1,64,64,64,train,1\nslate,1,64,64,64,train,1\n");
    CHECK_OK(ec_file_write(CSV, out.data, out.len, &err));
    words[2] = "roofline";
    CHECK_OK(ec_compare(&o, &c, &err));
    words[2] = "all";
    CHECK_INT(c.n_rows, 40);
    CHECK_INT(c.n_read, 42);
    CHECK_INT(c.n_left_out, 2);
    CHECK_HAS(c.first_left_out, "abacus");
    ec_comparison_clear(&c);
    ec_buf_clear(&out);
    (void)unlink(CSV);
}

/* About max_rows are kept, by the seed, and not by where they stand. */
TEST(a_sample_is_of_about_the_size_and_of_the_seed)
{
    struct ec_compare_opts o = options();
    struct ec_operator_rows all = { 0 }, some = { 0 }, same = { 0 }, other = { 0 };
    struct ec_err err = { 0 };

    write_linear_table(CSV, 300);
    CHECK_OK(ec__operator_rows_read(&o, true, &all, &err));
    CHECK_INT(all.n, 300);
    o.max_rows = 100;
    CHECK_OK(ec__operator_rows_read(&o, true, &some, &err));
    CHECK_OK(ec__operator_rows_read(&o, true, &same, &err));
    o.seed = 2;
    CHECK_OK(ec__operator_rows_read(&o, true, &other, &err));
    CHECK(some.n > 65 && some.n < 135);
    CHECK_INT(same.n, some.n);
    CHECK(!memcmp(same.x, some.x, sizeof *some.x * EC_FEATURE_COUNT * (size_t)some.n));
    CHECK(other.n != some.n ||
          memcmp(other.time_ns, some.time_ns, sizeof *some.time_ns * (size_t)some.n) != 0);
    ec__operator_rows_clear(&all);
    ec__operator_rows_clear(&some);
    ec__operator_rows_clear(&same);
    ec__operator_rows_clear(&other);
    (void)unlink(CSV);
}

/* A table that is named must be one of operators; in a folder others are passed over. */
TEST(tables_of_other_things_are_refused_where_they_are_named)
{
    static const char networks[] = "device,model,batch,step_time_ms\nt4,resnet18,32,100\n";
    struct ec_compare_opts o = options();
    struct ec_comparison c = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(CSV, networks, sizeof networks - 1, &err));
    CHECK_FAILS(ec_compare(&o, &c, &err), EC_E_INPUT,
                CSV ": the table holds networks, expected operators");
    (void)unlink(CSV);
    CHECK_FAILS(ec_compare(&o, &c, &err), EC_E_NOT_FOUND, CSV);
}
