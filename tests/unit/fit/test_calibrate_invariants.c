/* What holds of every calibration: rows that agree change nothing, their order does not matter,
 * more of them never widen what is left open, and a profile is all that a predictor needs. */
#include "ask.h"
#include "fit/fit.h"

#define DEVICE "rtx4070"

static const struct {
    const char *what;
    int64_t batch;
} networks[] = {
    {"resnet50",      16},
    { "vgg16",        16},
    { "lenet5",       1 },
    { "resnet18",     32},
    { "mobilenet_v2", 8 },
    { "bert_base",    4 },
};
enum { NETWORKS = EC_LEN(networks) };

static struct ec_record row_of(const char *device, const char *what, int64_t batch, double time_ns)
{
    struct ec_record r;

    ec_record_init(&r);
    ec_record_default(&r);
    r.source.mapping = "row";
    r.kind = EC_KIND_network;
    r.what = what;
    r.device = device;
    r.batch = batch;
    r.time = (struct ec_reading){ time_ns, true };
    return r;
}

static double median_of(struct ec_predictor *p, int network)
{
    struct ec_predict_opts o = options(networks[network].batch);

    return ask(p, networks[network].what, DEVICE, &o).step_time_ns.p50;
}

/* Rows that took `by` times what is predicted without a profile; each a little more or less. */
static void make_rows(double by, double scatter, struct ec_record rows[NETWORKS])
{
    struct ec_predictor *p = predictor();
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_predictor_use_profile(p, NULL, &err));
    for (i = 0; i < NETWORKS; i++)
        rows[i] = row_of(DEVICE, networks[i].what, networks[i].batch,
                         by * (1 + scatter * sin(3 * i)) * median_of(p, i));
    ec_predictor_free(p);
}

static struct ec_profile calibrated(struct ec_predictor *p, const struct ec_record *rows, int n)
{
    struct ec_left_out left_out = { .why = EC_BUF_INIT };
    struct ec_calibrated_row *used = NULL;
    struct ec_profile profile = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_calibrate(p, DEVICE, rows, n, &profile, &used, &left_out, &err));
    ec_buf_clear(&left_out.why);
    ec_free(used);
    return profile;
}

/* --- Rows --- */

TEST(rows_that_agree_change_nothing)
{
    struct ec_predictor *p = predictor();
    struct ec_record rows[NETWORKS];
    struct ec_profile profile;
    int i;

    make_rows(1, 0, rows);
    profile = calibrated(p, rows, NETWORKS);
    for (i = 0; i < EC_DO_COUNT; i++)
        CHECK_NEAR(profile.change[i], 0, 1e-6);
    for (i = 0; i < NETWORKS; i++)
        CHECK_NEAR(median_of(p, i), rows[i].time.ns, 1e-6);
    CHECK_NEAR(profile.error_before, 0, 1e-9);
    CHECK_NEAR(profile.error_after, 0, 1e-6);
    CHECK_INT(profile.n_networks, NETWORKS);
    ec_predictor_free(p);
}

TEST(the_order_of_rows_does_not_matter)
{
    struct ec_predictor *p = predictor();
    struct ec_record rows[NETWORKS], turned[NETWORKS];
    struct ec_profile one, other;
    double first[NETWORKS];
    int i, k;

    make_rows(1.3, 0.1, rows);
    for (i = 0; i < NETWORKS; i++)
        turned[i] = rows[(5 * i + 4) % NETWORKS]; /* 5 and 6 share no factor: each row once */
    one = calibrated(p, rows, NETWORKS);
    for (i = 0; i < NETWORKS; i++)
        first[i] = median_of(p, i);
    other = calibrated(p, turned, NETWORKS);
    for (i = 0; i < EC_DO_COUNT; i++) {
        CHECK_NEAR(other.change[i], one.change[i], 1e-6);
        for (k = 0; k < EC_DO_COUNT; k++)
            CHECK_NEAR(other.covariance[i][k], one.covariance[i][k], 1e-6);
    }
    for (i = 0; i < NETWORKS; i++)
        CHECK_NEAR(median_of(p, i), first[i], 1e-6);
    CHECK_NEAR(other.error_before, one.error_before, 1e-9);
    CHECK_NEAR(other.error_after, one.error_after, 1e-6);
    ec_predictor_free(p);
}

TEST(more_rows_never_widen_what_is_left_open)
{
    struct ec_predictor *p = predictor();
    struct ec_record rows[NETWORKS];
    struct ec_profile before = { 0 }, after;
    struct ec_err err = { 0 };
    int n, i;

    make_rows(1, 0, rows);
    CHECK_OK(ec_profile_prior(DEVICE, &before, &err));
    for (n = 1; n <= NETWORKS; n++) {
        after = calibrated(p, rows, n);
        for (i = 0; i < EC_DO_COUNT; i++) {
            CHECK(after.covariance[i][i] > 0);
            CHECK(after.covariance[i][i] < before.covariance[i][i] * (1 + 1e-9));
        }
        before = after;
    }
    ec_predictor_free(p);
}

/* Nothing of the first calibration is left in the second. */
TEST(a_calibration_starts_from_what_ships)
{
    struct ec_predictor *p = predictor(), *fresh = predictor();
    struct ec_record rows[NETWORKS], slow[NETWORKS];
    struct ec_profile one, again;

    make_rows(1.2, 0.05, rows);
    make_rows(2, 0, slow);
    (void)calibrated(p, slow, NETWORKS);
    again = calibrated(p, rows, NETWORKS);
    one = calibrated(fresh, rows, NETWORKS);
    CHECK(!memcmp(again.change, one.change, sizeof one.change));
    CHECK(!memcmp(again.covariance, one.covariance, sizeof one.covariance));
    CHECK(again.error_before == one.error_before && again.error_after == one.error_after);
    CHECK(median_of(p, 0) == median_of(fresh, 0));
    ec_predictor_free(p);
    ec_predictor_free(fresh);
}

/* To the three places of the residuals in its file; what was read is written the same again. */
TEST(a_profile_is_all_that_a_predictor_needs)
{
    struct ec_predictor *p = predictor(), *other = predictor();
    struct ec_profile profile, read = { 0 };
    struct ec_record rows[NETWORKS];
    struct ec_err err = { 0 };
    double first[NETWORKS];
    int i, round;

    make_rows(1.3, 0.1, rows);
    profile = calibrated(p, rows, NETWORKS);
    for (round = 0; round < 2; round++) {
        struct ec_buf text = EC_BUF_INIT;

        ec_profile_json(&profile, &text);
        CHECK_OK(ec_profile_parse(text.data, text.len, &read, &err));
        CHECK_OK(ec_predictor_set_profile(other, &read, &err));
        for (i = 0; i < NETWORKS; i++) {
            CHECK_NEAR(median_of(other, i), round ? first[i] : median_of(p, i), round ? 0 : 2e-3);
            first[i] = median_of(other, i);
        }
        profile = read;
        ec_buf_clear(&text);
    }
    ec_predictor_free(p);
    ec_predictor_free(other);
}

TEST(each_row_says_what_was_predicted_before_and_after)
{
    struct ec_predictor *p = predictor();
    struct ec_left_out left_out = { .why = EC_BUF_INIT };
    struct ec_calibrated_row *used = NULL;
    struct ec_record rows[NETWORKS];
    struct ec_profile profile = { 0 };
    struct ec_err err = { 0 };
    int i;

    make_rows(1.5, 0, rows);
    CHECK_OK(ec_calibrate(p, DEVICE, rows, NETWORKS, &profile, &used, &left_out, &err));
    for (i = 0; used && i < NETWORKS; i++) {
        CHECK(used[i].m == &rows[i]);
        CHECK_NEAR(used[i].before_ns, rows[i].time.ns / 1.5, 1e-9);
        CHECK_NEAR(median_of(p, i), rows[i].time.ns, 1e-6); /* as it was measured */
        CHECK(fabs(log(used[i].after_ns / rows[i].time.ns)) < log(1.5) / 2);
    }
    CHECK_NEAR(profile.error_before, 1 - 1 / 1.5, 1e-9);
    ec_free(used);
    ec_buf_clear(&left_out.why);
    ec_predictor_free(p);
}

/* --- Rows that cannot be used --- */

static int lines_of(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

TEST(rows_left_out_are_told_up_to_ten_of_them)
{
    enum { BAD = 13 };
    struct ec_predictor *p = predictor();
    struct ec_left_out left_out = { .why = EC_BUF_INIT };
    struct ec_calibrated_row *used = NULL;
    struct ec_record good[NETWORKS], rows[BAD + 1];
    struct ec_profile profile = { 0 };
    struct ec_err err = { 0 };
    int i;

    make_rows(1, 0, good);
    for (i = 0; i < BAD; i++)
        rows[i] = row_of(DEVICE, i % 2 ? "resnet50" : "no_such_network", 16, i % 2 ? 0 : 1e8);
    rows[BAD] = good[0];
    CHECK_OK(ec_calibrate(p, DEVICE, rows, BAD + 1, &profile, &used, &left_out, &err));
    CHECK_INT(left_out.n, BAD);
    CHECK_INT(profile.n_networks, 1);
    CHECK(used && used[0].m == &rows[BAD]);
    CHECK_HAS(ec_buf_text(&left_out.why), "left out: no_such_network, batch 16: ");
    CHECK_HAS(ec_buf_text(&left_out.why), "left out: resnet50 has no time\n");
    CHECK_INT(lines_of(ec_buf_text(&left_out.why)), 10 + 1);
    CHECK_HAS(ec_buf_text(&left_out.why), "\n3 more rows left out\n");
    ec_free(used);
    ec_buf_clear(&left_out.why);
    ec_predictor_free(p);
}

TEST(what_cannot_be_calibrated_is_refused_by_name)
{
    const struct ec_record none[] = { row_of(DEVICE, "resnet50", 16, 0),
                                      row_of(DEVICE, "vgg16", 16, -1) },
                           other[] = { row_of("t4", "resnet50", 16, 1e8) },
                           unknown[] = { row_of("abacus", "resnet50", 16, 1e8) },
                           fast[] = { row_of(DEVICE, "resnet50", 16, 1) };
    const struct {
        const char *device;
        const struct ec_record *rows;
        int n;
        enum ec_status st;
        const char *text;
    } cases[] = {
        {"abacus", other,   1, EC_E_NOT_FOUND, "abacus"                                         },
        { DEVICE,  none,    0, EC_E_INPUT,     "no rows to calibrate " DEVICE " with"           },
        { DEVICE,  none,    2, EC_E_INPUT,     "none of the 2 rows can be used: resnet50 has no"},
        { DEVICE,  other,   1, EC_E_INPUT,     "a row is of device t4, expected " DEVICE        },
        { DEVICE,  unknown, 1, EC_E_INPUT,     "none of the 1 rows can be used: "               },
        { DEVICE,  fast,    1, EC_E_INPUT,     "above the peak of " DEVICE                      },
    };
    struct ec_predictor *p = predictor();
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_left_out left_out = { .why = EC_BUF_INIT };
        struct ec_calibrated_row *used = NULL;
        struct ec_profile profile = { 0 };
        struct ec_err err = { 0 };

        CHECK_FAILS(ec_calibrate(p, cases[i].device, cases[i].rows, cases[i].n, &profile, &used,
                                 &left_out, &err),
                    cases[i].st, cases[i].text);
        CHECK(!used && !left_out.n && !left_out.why.len); /* nothing to clear */
    }
    ec_predictor_free(p);
}

/* --- Suggestions --- */

static int suggested(struct ec_predictor *p, const struct ec_profile *from, int n,
                     struct ec_suggestion **ret, double *ret_spread)
{
    struct ec_err err = { 0 };
    int got = 0;

    *ret = NULL;
    CHECK_OK(ec_calibrate_suggest(p, from, n, ret, &got, ret_spread, &err));
    return got;
}

/* Each suggestion is made after those before it, not for a number of them. */
TEST(fewer_suggestions_are_the_first_of_more)
{
    struct ec_predictor *p = predictor();
    struct ec_suggestion *few, *many;
    struct ec_profile prior = { 0 };
    double spread = 0, same = 0;
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_profile_prior(DEVICE, &prior, &err));
    CHECK_INT(suggested(p, &prior, 3, &few, &spread), 3);
    CHECK_INT(suggested(p, &prior, 8, &many, &same), 8);
    CHECK(spread == same && spread > 0);
    for (i = 0; few && many && i < 3; i++) {
        CHECK(few[i].what == many[i].what && few[i].precision == many[i].precision);
        CHECK(few[i].spread == many[i].spread && few[i].expected_ns > 0);
        CHECK_INT(few[i].is_network, few[i].batch > 0);
    }
    ec_free(few);
    CHECK_INT(suggested(p, &prior, 0, &few, &same), 0);
    CHECK(same == spread);
    ec_free(few);
    ec_free(many);
    ec_predictor_free(p);
}

TEST(rows_measured_leave_less_to_measure)
{
    struct ec_predictor *p = predictor();
    struct ec_record rows[NETWORKS];
    struct ec_profile prior = { 0 }, after;
    struct ec_suggestion *s;
    double before = 0, left = 0;
    struct ec_err err = { 0 };

    CHECK_OK(ec_profile_prior(DEVICE, &prior, &err));
    CHECK_INT(suggested(p, &prior, 1, &s, &before), 1);
    ec_free(s);
    make_rows(1, 0, rows);
    after = calibrated(p, rows, NETWORKS);
    CHECK_INT(suggested(p, &after, 1, &s, &left), 1);
    CHECK(left < 0.8 * before);
    ec_free(s);
    ec_predictor_free(p);
}

TEST(suggestions_for_an_unknown_device_are_refused)
{
    struct ec_predictor *p = predictor();
    struct ec_profile from = { .device = "abacus" };
    struct ec_suggestion *s = NULL;
    struct ec_err err = { 0 };
    double spread = 0;
    int n = 0;

    CHECK_FAILS(ec_calibrate_suggest(p, &from, 3, &s, &n, &spread, &err), EC_E_NOT_FOUND, "abacus");
    CHECK(!s);
    ec_predictor_free(p);
}
