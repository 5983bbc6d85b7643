/* What follows from a run, and the table of runs: each view shows a part of the same columns. */
#include "a_run.h"

/* --- One run --- */

TEST(what_follows_from_a_run)
{
    struct ec_run r = run_of("a", "net", 32, 2e9);

    CHECK_NEAR(ec_run_samples_per_s(&r), 16, 1e-12);
    CHECK_NEAR(ec_run_intensity(&r), 400, 1e-12);
    CHECK_NEAR(ec_run_flop_per_s(&r), 2e12, 1e-12);
    CHECK_NEAR(ec_run_efficiency(&r), 0.2, 1e-12);
    CHECK_NEAR(ec_run_attainable(&r), 1e13, 1e-12);
    CHECK_STR(ec_run_limit(&r), "compute");
    r.bytes = 1e12; /* 4 FLOP a byte, below the ridge of 100 */
    CHECK_STR(ec_run_limit(&r), "memory bandwidth");
    CHECK_NEAR(ec_run_attainable(&r), 4e11, 1e-12);
    r.layer = "conv1";
    CHECK(!isfinite(ec_run_samples_per_s(&r)));
}

/* What is not known is said of nothing. */
TEST(unknown_stays_unknown)
{
    struct ec_run r = run_of("a", "net", 32, 2e9);

    r.bytes = UNKNOWN;
    CHECK(!isfinite(ec_run_intensity(&r)));
    CHECK_STR(ec_run_limit(&r), "");
    r = run_of("a", "net", 32, 2e9);
    r.bytes = 0;
    CHECK(!isfinite(ec_run_intensity(&r)));
    r = run_of("a", "net", 32, 2e9);
    r.peak_flop_per_s = UNKNOWN;
    CHECK(!isfinite(ec_run_efficiency(&r)));
    CHECK_STR(ec_run_limit(&r), "");
    r = run_of("a", "net", 32, UNKNOWN);
    CHECK(!isfinite(ec_run_samples_per_s(&r)) && !isfinite(ec_run_flop_per_s(&r)));
}

/* --- Several --- */

TEST(speedups_are_against_one_environment)
{
    struct ec_run v[] = { run_of("slow", "net", 32, 2e9), run_of("fast", "net", 32, 1e9),
                          run_of("fast", "other", 32, 1e9), run_of("slow", "net", 64, 3e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_err err;

    CHECK_OK(ec_runs_relate(&r, NULL, &err));
    CHECK_STR(r.reference, "slow");
    CHECK_NEAR(v[0].speedup, 1, 1e-12);
    CHECK_NEAR(v[1].speedup, 2, 1e-12);
    CHECK(isnan(v[2].speedup)); /* nobody else ran it */
    CHECK_NEAR(v[3].scaling_frac, (64 / 3.0) / (32 / 2.0) / 2, 1e-12);
    CHECK_NEAR(v[0].scaling_frac, 1, 1e-12);
    CHECK(isnan(v[1].scaling_frac)); /* one batch */
    CHECK_OK(ec_runs_relate(&r, "fast", &err));
    CHECK_STR(r.reference, "fast");
    CHECK_NEAR(v[0].speedup, 0.5, 1e-12);
    CHECK_NEAR(v[1].speedup, 1, 1e-12);
    ec__runs_changed(&r);
}

/* The rows that comparisons were asked of are those that have them: they are filled once. */
TEST(rows_get_their_speedups)
{
    struct ec_run v[] = { run_of("slow", "net", 32, 2e9), run_of("fast", "net", 32, 1e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec__query *q, *before;
    const char *const references[] = { NULL, "fast" };
    const double of_fast[] = { 2, 1 };
    struct ec_err err;
    int i;

    CHECK_OK(ec__runs_query(&r, &before, &err));
    for (i = 0; i < EC_LEN(references); i++) {
        CHECK_OK(ec_runs_relate(&r, references[i], &err));
        CHECK_OK(ec__runs_query(&r, &q, &err));
        CHECK(q == before);
        ec__query_ask(q, "SELECT speedup, run.env FROM run, reference WHERE run.i = 2");
        CHECK(ec__query_next(q));
        CHECK_NEAR(ec__query_cell(q, 0), of_fast[i], 1e-12);
        CHECK(!ec__query_next(q));
    }
    ec__runs_changed(&r);
}

/* Swapping the reference turns each speed-up over. */
TEST(speedups_turn_over_with_the_reference)
{
    struct ec_run v[] = { run_of("a", "net", 8, 7e8), run_of("b", "net", 8, 3e8) };
    struct ec_runs r = { .v = v, .n = 2 };
    double of_b;
    struct ec_err err;

    CHECK_OK(ec_runs_relate(&r, "a", &err));
    of_b = v[1].speedup;
    CHECK_OK(ec_runs_relate(&r, "b", &err));
    CHECK_NEAR(v[0].speedup, 1 / of_b, 1e-12);
    ec__runs_changed(&r);
}

/* Other conditions are other questions: none of these is compared with the first. */
TEST(runs_of_other_conditions_are_not_compared)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("b", "net", 8, 1e9),
                          run_of("b", "net", 8, 1e9), run_of("b", "net", 8, 1e9),
                          run_of("b", "net", 8, 1e9), run_of("b", "net", 8, 1e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    int i;
    struct ec_err err;

    ec_record_set_word(&v[1].record, EC_WORD_PRECISION, "amp");
    ec_record_set_word(&v[2].record, EC_WORD_MODE, "forward");
    v[3].record.image_px = 96;
    v[4].measured = false;
    v[5].layer = "conv1";
    CHECK_OK(ec_runs_relate(&r, "a", &err));
    for (i = 1; i < r.n; i++)
        CHECK(isnan(v[i].speedup));
    ec__runs_changed(&r);
}

TEST(common_runs)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("b", "net", 8, 1e9),
                          run_of("b", "net", 16, 1e9), run_of("b", "net", 32, 1e9),
                          run_of("a", "net", 8, 1e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) }, none = { 0 };
    struct ec_runs_common c;
    int i, common = 0;
    struct ec_err err;

    ec_record_set_word(&v[2].record, EC_WORD_PRECISION, "amp");
    ec_record_set_word(&v[3].record, EC_WORD_PRECISION, "amp"); /* more runs, fewer environments */
    ec_record_set_word(&v[4].record, EC_WORD_MODE, "forward");
    CHECK_OK(ec_runs_common(&r, &c, &err));
    CHECK_STR(c.mode, "training_step");
    CHECK_STR(c.precision, "fp32");
    for (i = 0; i < r.n; i++)
        common += ec_run_is_common(&v[i], &c);
    CHECK_INT(common, 2);
    v[0].layer = "conv1";
    CHECK(!ec_run_is_common(&v[0], &c));
    CHECK_OK(ec_runs_common(&none, &c, &err));
    CHECK_STR(c.mode, "");
    CHECK_STR(c.precision, "");
    ec__runs_changed(&r);
    ec__runs_changed(&none);
}

TEST(the_largest_batch_leads)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("a", "net", 32, 1e9),
                          run_of("a", "net", 32, 2e9), run_of("b", "net", 16, 1e9),
                          run_of("a", "other", 4, 1e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) }, leading = { 0 };
    struct ec_err err;

    CHECK_OK(ec__runs_listed(&r, "SELECT i FROM leading", &leading, &err));
    CHECK_INT(leading.n, 3);
    CHECK_INT(leading.v[0].record.batch, 32);
    CHECK_NEAR(leading.v[0].median_ns, 1e9, 1e-12); /* the first of equals */
    CHECK_STR(leading.v[1].env, "b");
    CHECK_STR(leading.v[2].record.what, "other");
    ec__runs_changed(&r);
    ec_runs_clear(&leading);
    ec_runs_clear(NULL);
}

/* How many runs, and how many steps of work, two rows are. */
static void count_pair(const struct ec_run v[2], int *ret_runs, int *ret_steps)
{
    struct ec__query q;
    struct ec_err err;

    CHECK_OK(ec__runs_views(v, 2, &q, &err));
    ec__query_ask(&q, "SELECT count(DISTINCT one), count(DISTINCT step) FROM arranged");
    while (ec__query_next(&q)) {
        *ret_runs = (int)ec__query_cell(&q, 0);
        *ret_steps = (int)ec__query_cell(&q, 1);
    }
    CHECK_OK(ec__query_status(&q, &err));
    ec__query_close(&q);
}

TEST(one_run_has_one_of_each_condition)
{
    struct ec_run v[2], same = run_of("a", "x", 1, 1);
    int i, n_runs, n_steps;

    for (i = 0; i < 9 + EC_WORD_COUNT; i++) {
        v[0] = v[1] = same;
        if (i >= 9)
            ec_record_set_word(&v[1].record, (enum ec_word)(i - 9), "another");
        v[1].env = i == 0 ? "b" : v[1].env;
        v[1].record.device = i == 1 ? "b" : v[1].record.device;
        v[1].record.threads = i == 2 ? 8 : 0;
        v[1].record.num_devices = i == 3 ? 2 : 0;
        v[1].record.flags = i == 4 ? "data_loading" : "";
        v[1].record.what = i == 5 ? "y" : v[1].record.what;
        v[1].record.batch = i == 6 ? 2 : 1;
        v[1].record.image_px = i == 7 ? 64 : 224;
        v[1].record.seq_len = i == 8 ? 64 : 0;
        count_pair(v, &n_runs, &n_steps);
        CHECK_INT(n_runs, 2);
        CHECK_INT(n_steps, i < 5 ? 1 : 2);
    }
    v[0] = v[1] = same;
    count_pair(v, &n_runs, &n_steps);
    CHECK_INT(n_runs, 1);
    v[1].record.reading = "device"; /* a clock is no condition */
    count_pair(v, &n_runs, &n_steps);
    CHECK_INT(n_runs, 1);
}

/* A time at another batch is no speed-up. */
TEST(speedups_are_at_one_batch)
{
    struct ec_run v[] = { run_of("slow", "net", 8, 2e9), run_of("slow", "net", 32, 4e9),
                          run_of("fast", "net", 32, 1e9), run_of("fast", "net", 64, 1e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_err err;

    CHECK_OK(ec_runs_relate(&r, NULL, &err));
    CHECK_STR(r.reference, "slow");
    CHECK_NEAR(v[2].speedup, 4, 1e-12);
    CHECK(isnan(v[3].speedup));
    ec__runs_changed(&r);
    r.v = v + 2; /* nothing is left to compare with */
    r.n = 2;
    v[2].speedup = UNKNOWN;
    CHECK_OK(ec_runs_relate(&r, NULL, &err));
    CHECK(!r.reference);
    CHECK(isnan(v[2].speedup));
    ec__runs_changed(&r);
}

/* Whether two runs are of one network, size and batch under the same conditions. */
static bool comparable(const struct ec_run *a, const struct ec_run *b)
{
    const struct ec_record *x = &a->record, *y = &b->record;

    return !strcmp(x->what, y->what) && !strcmp(ec_run_mode(a), ec_run_mode(b)) &&
           !strcmp(ec_run_precision(a), ec_run_precision(b)) && x->batch == y->batch &&
           x->image_px == y->image_px && x->seq_len == y->seq_len && a->measured == b->measured &&
           !strcmp(a->layer, b->layer);
}

/* The choice of the reference, computed again by looking at all pairs. */
TEST(the_reference_is_what_most_can_be_compared_with)
{
    uint64_t seed;

    for (seed = 1; seed <= 40; seed++) {
        struct ec_run v[40];
        struct ec_runs r = { .v = v, .n = EC_LEN(v) };
        const char *best = "";
        double best_score = 0;
        struct ec_err err;
        struct ec_rng rng;
        int i, k, j;

        ec_rng_seed(&rng, seed);
        for (i = 0; i < r.n; i++)
            v[i] = a_drawn_run(&rng);
        CHECK_OK(ec_runs_relate(&r, NULL, &err));
        for (i = 0; i < r.n; i++) {
            double found = 0, slower = 0;

            for (k = 0; k < r.n; k++) {
                for (j = 0; j < k && !(comparable(&v[j], &v[k]) && !strcmp(v[j].env, v[k].env));
                     j++)
                    continue;
                if (j < k || !strcmp(v[k].env, v[i].env))
                    continue;
                for (j = 0; j < r.n && !(comparable(&v[j], &v[k]) && !strcmp(v[j].env, v[i].env));
                     j++)
                    continue;
                if (j == r.n)
                    continue;
                found++;
                slower += ec_run_samples_per_s(&v[j]) < ec_run_samples_per_s(&v[k]);
            }
            if (found > 0 && found + slower / (found + 1) > best_score) {
                best_score = found + slower / (found + 1);
                best = v[i].env;
            }
        }
        CHECK_STR(r.reference ? r.reference : "", best);
        ec__runs_changed(&r);
    }
}

TEST(labels_tell_runs_apart)
{
    struct ec_run v[] = { run_of("a", "one", 8, 1e9),  run_of("a", "two", 8, 1e9),
                          run_of("a", "two", 16, 1e9), run_of("a", "bert", 8, 1e9),
                          run_of("a", "bert", 8, 1e9), run_of("a", "one", 8, 1e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_err err;

    v[3].record.seq_len = 128;
    v[4].record.seq_len = 512;
    v[5].layer = "conv1";
    v[5].label = "kept";
    CHECK_OK(ec_runs_label(&r, &err));
    CHECK_STR(v[0].label, "one");
    CHECK_STR(v[1].label, "two, batch 8");
    CHECK_STR(v[2].label, "two, batch 16");
    CHECK_STR(v[3].label, "bert, batch 8, 128 tokens");
    CHECK_STR(v[4].label, "bert, batch 8, 512 tokens");
    CHECK_STR(v[5].label, "kept");
    ec__runs_changed(&r); /* the runs are not its own */
    ec_arena_clear(&r.arena);
}

/* --- The table --- */

static void table_of(struct ec_runs *r, enum ec_runs_view view, struct ec_table *ret)
{
    struct ec_err err;

    CHECK_OK(ec_runs_table(r, view, ret, &err));
    ec__runs_changed(r);
}

/* A key names its unit, stands once, and is the same in all views. */
TEST(views_share_their_columns)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("b", "net", 16, 2e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_table first, other;
    int view, i, k;

    table_of(&r, EC_RUNS_ANALYSIS, &first);
    CHECK(first.n_cols > 20);
    for (i = 0; i < first.n_cols; i++) {
        const struct ec_col *c = &first.cols[i];

        CHECK(c->key && *c->key && c->title && *c->title);
        if (c->format == EC_COL_NS)
            CHECK(ec_str_glob("*_ns", c->key));
        if (c->format == EC_COL_BYTES)
            CHECK(ec_str_glob("*bytes", c->key));
        if (c->unit)
            CHECK(ec_str_eq(c->unit, "%") && ec_str_glob("*_frac", c->key));
        for (k = 0; k < i; k++)
            CHECK(strcmp(c->key, first.cols[k].key) != 0);
    }
    for (view = 0; view < EC_RUNS_VIEWS; view++) {
        int shown = 0;

        table_of(&r, (enum ec_runs_view)view, &other);
        CHECK_INT(other.n_cols, first.n_cols);
        for (i = 0; i < other.n_cols; i++) {
            CHECK_STR(other.cols[i].key, first.cols[i].key);
            shown += !(other.cols[i].flags & EC_COL_DATA_ONLY);
        }
        CHECK(shown > 3 && shown < other.n_cols);
        ec_table_clear(&other);
    }
    ec_table_clear(&first);
}

/* STATISTICS and REACHED are the halves of ANALYSIS: together they show what it shows. */
TEST(two_halves_make_the_analysis)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("b", "net", 16, 2e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_table whole, one, two;
    int i;

    table_of(&r, EC_RUNS_ANALYSIS, &whole);
    table_of(&r, EC_RUNS_STATISTICS, &one);
    table_of(&r, EC_RUNS_REACHED, &two);
    for (i = 0; i < whole.n_cols; i++) {
        bool in_one = !(one.cols[i].flags & EC_COL_DATA_ONLY);
        bool in_two = !(two.cols[i].flags & EC_COL_DATA_ONLY);

        if (!ec_str_starts(whole.cols[i].key, "images_per_s_")) /* too wide for one table */
            CHECK_INT(in_one || in_two, !(whole.cols[i].flags & EC_COL_DATA_ONLY));
    }
    ec_table_clear(&whole);
    ec_table_clear(&one);
    ec_table_clear(&two);
}

static const struct ec_col *col(const struct ec_table *t, const char *key)
{
    static const struct ec_col none = { .key = "", .flags = EC_COL_DATA_ONLY };
    int i;

    for (i = 0; i < t->n_cols; i++)
        if (ec_str_eq(t->cols[i].key, key))
            return &t->cols[i];
    test_fail(__FILE__, __LINE__, "no column %s", key);
    return &none;
}

static bool shows(struct ec_runs *r, enum ec_runs_view view, const char *key)
{
    struct ec_table t;
    bool ret;

    table_of(r, view, &t);
    ret = !(col(&t, key)->flags & EC_COL_DATA_ONLY);
    ec_table_clear(&t);
    return ret;
}

/* People see what differs: one mode, one precision and measured times need no column. */
TEST(columns_that_say_nothing_are_left_out)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("b", "net", 16, 2e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };

    CHECK(!shows(&r, EC_RUNS_ANALYSIS, "mode") && !shows(&r, EC_RUNS_ANALYSIS, "precision"));
    CHECK(!shows(&r, EC_RUNS_ANALYSIS, "seq_len") && !shows(&r, EC_RUNS_ROOFLINE, "kind"));
    CHECK(!shows(&r, EC_RUNS_ROOFLINE, "env") && shows(&r, EC_RUNS_ROOFLINE, "device"));
    ec_record_set_word(&v[1].record, EC_WORD_MODE, "forward");
    ec_record_set_word(&v[1].record, EC_WORD_PRECISION, "amp");
    v[1].record.seq_len = 128;
    v[1].measured = false;
    v[0].env = "a, pytorch-2";
    CHECK(shows(&r, EC_RUNS_ANALYSIS, "mode") && shows(&r, EC_RUNS_ANALYSIS, "precision"));
    CHECK(shows(&r, EC_RUNS_ANALYSIS, "seq_len") && shows(&r, EC_RUNS_ROOFLINE, "kind"));
    CHECK(shows(&r, EC_RUNS_ROOFLINE, "env") && !shows(&r, EC_RUNS_ROOFLINE, "device"));
}

TEST(unknown_cells_are_empty)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9) };
    struct ec_runs r = { .v = v, .n = 1 };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_table t;
    struct ec_err err;

    table_of(&r, EC_RUNS_ANALYSIS, &t);
    CHECK_OK(ec_table_write(&t, EC_TABLE_CSV, &out, &err));
    CHECK(!strstr(ec_buf_text(&out), "nan"));
    CHECK_OK(ec_csv_parse(ec_buf_text(&out), out.len, &csv, &err));
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "median_ns")), "1000000000");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "images_per_s")), "8");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "efficiency_frac")), "0.4");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "kind")), "measured");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "speedup")), "");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "seq_len")), "");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "flags")), "");
    ec_csv_clear(&csv);
    ec_table_clear(&t);
    ec_buf_clear(&out);
}

/* What a network computes is the same on every device: a row each, and no layers. */
TEST(complexity_is_of_networks)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("b", "net", 8, 2e9),
                          run_of("b", "net", 16, 2e9), run_of("b", "net", 8, 2e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_table t;

    v[3].layer = "conv1";
    table_of(&r, EC_RUNS_COMPLEXITY, &t);
    CHECK_INT(ec_table_rows(&t), 2);
    ec_table_clear(&t);
    table_of(&r, EC_RUNS_ROOFLINE, &t);
    CHECK_INT(ec_table_rows(&t), 4);
    ec_table_clear(&t);
}

static enum ec_status make(struct ec_err *err)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("b", "net", 16, 2e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) }, leading = { 0 };
    struct ec_table t = { 0 };
    enum ec_status st;

    EC_TRY(ec_runs_label(&r, err));
    EC_TRY(ec__runs_listed(&r, "SELECT i FROM leading", &leading, err));
    EC_TRY(ec_runs_table(&r, EC_RUNS_ANALYSIS, &t, err));
out:
    ec_table_clear(&t);
    ec__runs_changed(&r);
    ec_runs_clear(&leading);
    ec_arena_clear(&r.arena);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(make);
}
