/* Calibration: rows move predictions towards them, profiles survive their file, suggestions help.
 */
#include "fit/fit.h"
#include "predict/predict_internal.h"
#include "ask.h"

static struct ec_record network_row(const char *what, int64_t batch, double time_ns)
{
    struct ec_record r;

    ec_record_init(&r);
    ec_record_default(&r);
    r.source.mapping = "row";
    r.kind = EC_KIND_network;
    r.what = what;
    r.device = "rtx4070";
    r.batch = batch;
    r.time = (struct ec_reading){ time_ns, true };
    return r;
}

static struct ec_interval asked(struct ec_predictor *p, const char *what, int64_t batch,
                                enum ec_basis *ret_basis)
{
    struct ec_predict_opts o = options(batch);
    struct ec_prediction r = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_predict_network(p, what, "rtx4070", &o, &r, &err));
    CHECK_ORDERED(r.step_time_ns);
    CHECK_NEAR(r.device_ns + r.host_ns + r.other_ns - r.hidden_ns, r.step_time_ns.p50,
               r.basis == EC_BASIS_CALIBRATED ? 1e-9 : 0.02);
    if (ret_basis)
        *ret_basis = r.basis;
    return r.step_time_ns;
}

/* Rows a share slower than predicted. */
static void rows_slower(struct ec_predictor *p, double by, struct ec_record rows[3])
{
    rows[0] = network_row("resnet50", 16, by * asked(p, "resnet50", 16, NULL).p50);
    rows[1] = network_row("vgg16", 16, by * asked(p, "vgg16", 16, NULL).p50);
    rows[2] = network_row("lenet5", 1, by * asked(p, "lenet5", 1, NULL).p50);
}

static struct ec_profile calibrated(struct ec_predictor *p, const struct ec_record *rows, int n)
{
    struct ec_calibrated_row *used = NULL;
    struct ec_profile profile = { 0 };
    struct ec_err err = { 0 };
    struct ec_left_out left_out = { .why = EC_BUF_INIT };

    CHECK_OK(ec_calibrate(p, "rtx4070", rows, n, &profile, &used, &left_out, &err));
    CHECK_INT(left_out.n, 0);
    ec_buf_clear(&left_out.why);
    ec_free(used);
    return profile;
}

TEST(rows_move_predictions_towards_them)
{
    struct ec_predictor *p = predictor();
    struct ec_interval before = asked(p, "resnet101", 16, NULL), after;
    enum ec_basis basis = EC_BASIS_MEASURED;
    struct ec_record rows[3];
    struct ec_profile profile;

    rows_slower(p, 1.4, rows);
    profile = calibrated(p, rows, 3);
    after = asked(p, "resnet101", 16, &basis);
    CHECK_INT(basis, EC_BASIS_CALIBRATED);
    CHECK(after.p50 > before.p50 * 1.1 && after.p50 < before.p50 * 1.5);
    CHECK(profile.error_after < profile.error_before / 2);
    CHECK_INT(profile.n_networks, 3);
    CHECK_INT(profile.n_operators, 0);
    ec_predictor_free(p);
}

TEST(a_profile_narrows_but_not_below_measured_devices)
{
    struct ec_predictor *p = predictor();
    struct ec_interval before = asked(p, "resnet101", 16, NULL), after;
    struct ec_record rows[3];

    rows_slower(p, 1.2, rows);
    (void)calibrated(p, rows, 3);
    after = asked(p, "resnet101", 16, NULL);
    CHECK(log(after.p95 / after.p05) < 1.0001 * log(before.p95 / before.p05));
    /* what another network adds stays; without measurements the device adds as much at most */
    CHECK(log(after.p95 / after.p05) > 0.5 * log(before.p95 / before.p05));
    ec_predictor_free(p);
}

/* The very question, measured: the answer is the measurement, within x/1.1 of one run, within the
 * noise of runs where two agree. */
TEST(measurements_of_the_question_are_the_answer)
{
    struct ec_predictor *p = predictor();
    double ns = 1.3 * asked(p, "resnet50", 16, NULL).p50;
    struct ec_record rows[] = { network_row("resnet50", 16, ns),
                                network_row("resnet50", 16, 1.02 * ns) };
    struct ec_profile once = calibrated(p, rows, 1), twice = calibrated(p, rows, 2), apart;
    struct ec_interval i;
    struct ec_err err = { 0 };

    CHECK_OK(ec_predictor_set_profile(p, &once, &err));
    i = asked(p, "resnet50", 16, NULL);
    CHECK_NEAR(i.p50, ns, 1e-3);
    CHECK_NEAR(i.p95 / i.p05, 1.21, 1e-2);
    CHECK_OK(ec_predictor_set_profile(p, &twice, &err));
    i = asked(p, "resnet50", 16, NULL);
    CHECK_NEAR(i.p50, 1.01 * ns, 1e-3);
    CHECK(i.p95 / i.p05 < 1.1 && i.p05 < ns && i.p95 > 1.02 * ns);
    i = asked(p, "resnet50", 24, NULL); /* another question */
    CHECK(i.p95 / i.p05 > 1.3);
    rows[1].time.ns = 4 * ns; /* one run, which nothing else bears out */
    apart = calibrated(p, rows + 1, 1);
    CHECK_OK(ec_predictor_set_profile(p, &apart, &err));
    i = asked(p, "resnet50", 16, NULL);
    CHECK(i.p50 < 3 * ns && i.p95 / i.p05 > 1.3);
    rows[1].time.ns = 1.5 * ns;
    apart = calibrated(p, rows, 2);
    CHECK_OK(ec_predictor_set_profile(p, &apart, &err));
    i = asked(p, "resnet50", 16, NULL);
    CHECK(i.p95 / i.p05 > 1.3);
    ec_predictor_free(p);
}

TEST(rows_that_agree_leave_less_variance)
{
    struct ec_predictor *p = predictor();
    struct ec_profile prior = { 0 }, after;
    struct ec_record rows[3];
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_profile_prior("rtx4070", &prior, &err));
    rows_slower(p, 1, rows);
    after = calibrated(p, rows, 3);
    for (i = 0; i < EC_DO_COUNT; i++)
        CHECK(after.covariance[i][i] < prior.covariance[i][i]);
    ec_predictor_free(p);
}

TEST(rows_of_other_devices_are_refused)
{
    struct ec_predictor *p = predictor();
    struct ec_record row = network_row("resnet50", 16, 1e8);
    struct ec_calibrated_row *used = NULL;
    struct ec_profile profile;
    struct ec_err err = { 0 };
    struct ec_left_out left_out = { .why = EC_BUF_INIT };

    CHECK_INT(ec_calibrate(p, "t4", &row, 1, &profile, &used, &left_out, &err), EC_E_INPUT);
    CHECK_HAS(err.text, "rtx4070");
    ec_predictor_free(p);
}

/* resnet50 at batch 16 needs some 0.4 TFLOP a step: 29 of them a second at most on an RTX 4070. */
TEST(rows_above_the_peak_are_left_out_and_named)
{
    struct ec_predictor *p = predictor();
    struct ec_record rows[2] = { network_row("vgg16", 16, asked(p, "vgg16", 16, NULL).p50),
                                 network_row("resnet50", 16, 2e5) };
    struct ec_left_out left_out = { .why = EC_BUF_INIT };
    struct ec_calibrated_row *used = NULL;
    struct ec_profile profile;
    struct ec_err err = { 0 };

    CHECK_OK(ec_calibrate(p, "rtx4070", rows, 2, &profile, &used, &left_out, &err));
    CHECK_INT(left_out.n, 1);
    CHECK_HAS(ec_buf_text(&left_out.why), "left out: resnet50: found");
    CHECK_HAS(ec_buf_text(&left_out.why), "above the peak");
    ec_buf_clear(&left_out.why);
    ec_free(used);
    ec_predictor_free(p);
}

TEST(a_profile_reads_back_as_written)
{
    struct ec_predictor *p = predictor();
    struct ec_profile one, two = { 0 };
    struct ec_buf text = EC_BUF_INIT, again = EC_BUF_INIT;
    struct ec_record rows[3];
    struct ec_err err = { 0 };

    rows_slower(p, 1.3, rows);
    one = calibrated(p, rows, 3);
    ec_profile_json(&one, &text);
    CHECK_OK(ec_profile_parse(text.data, text.len, &two, &err));
    ec_profile_json(&two, &again);
    CHECK_STR(ec_buf_text(&again), ec_buf_text(&text));
    CHECK(memcmp(one.covariance, two.covariance, sizeof one.covariance) == 0);
    ec_buf_clear(&text);
    ec_buf_clear(&again);
    ec_predictor_free(p);
}

/* The text of a valid profile with one part replaced. */
static enum ec_status parse_into(const char *from, const char *to, struct ec_profile *ret,
                                 struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT, changed = EC_BUF_INIT;
    const char *at;
    enum ec_status st;

    CHECK_INT(ec_profile_prior("t4", ret, err), EC_OK);
    ec_profile_json(ret, &text);
    at = strstr(ec_buf_text(&text), from);
    CHECK(at != NULL);
    if (at)
        ec_buf_add(&changed, text.data, (size_t)(at - text.data));
    ec_buf_str(&changed, to);
    ec_buf_str(&changed, at ? at + strlen(from) : "");
    st = ec_profile_parse(ec_buf_text(&changed), changed.len, ret, err);
    ec_buf_clear(&text);
    ec_buf_clear(&changed);
    return st;
}

static enum ec_status parse_with(const char *from, const char *to, struct ec_err *err)
{
    struct ec_profile p = { 0 };

    return parse_into(from, to, &p, err);
}

TEST(the_machine_is_read_under_its_earlier_key_too)
{
    struct ec_profile p = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(parse_into("\"machine\": \"\"", "\"machine\": \"rack 7\"", &p, &err));
    CHECK_STR(p.machine, "rack 7");
    memset(&p, 0, sizeof p);
    CHECK_OK(parse_into("\"machine\": \"\"", "\"host\": \"rack 8\"", &p, &err));
    CHECK_STR(p.machine, "rack 8");
}

TEST(damaged_profiles_are_refused)
{
    const struct {
        const char *from, *to;
        enum ec_status st;
    } cases[] = {
        {"epochcast.profile/1",  "epochcast.prediction/1", EC_E_PARSE      },
        { "epochcast.profile/1", "epochcast.profile/2",    EC_E_UNSUPPORTED},
        { "\"compute\"",         "\"colour\"",             EC_E_PARSE      },
        { "\"log_change\": 0",   "\"log_change\": 1e9",    EC_E_PARSE      },
        { "\"log_change\": 0",   "\"log_change\": \"a\"",  EC_E_PARSE      },
        { "\"log_covariance\"",  "\"covariance\"",         EC_E_PARSE      },
        { "\"operators\": 0",    "\"operators\": []",      EC_E_PARSE      },
        { "\"provenance\"",      "\"origin\"",             EC_E_PARSE      },
        { "}",                   "",                       EC_E_PARSE      },
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_err err = { 0 };

        CHECK_INT(parse_with(cases[i].from, cases[i].to, &err), cases[i].st);
        CHECK(err.text[0] != '\0');
    }
}

TEST(suggestions_leave_less_and_less)
{
    struct ec_predictor *p = predictor();
    struct ec_suggestion *s = NULL;
    struct ec_profile prior = { 0 };
    struct ec_err err = { 0 };
    double spread = 0;
    int n = 0, i, j;

    CHECK_OK(ec_profile_prior("rtx4070", &prior, &err));
    CHECK_OK(ec_calibrate_suggest(p, &prior, 5, &s, &n, &spread, &err));
    CHECK_INT(n, 5);
    for (i = 0; i < n; i++) {
        CHECK(s[i].spread < (i ? s[i - 1].spread : spread));
        for (j = 0; j < i; j++)
            CHECK(s[j].what != s[i].what || s[j].precision != s[i].precision ||
                  s[j].batch != s[i].batch);
    }
    ec_free(s);
    ec_predictor_free(p);
}

TEST(every_candidate_can_be_asked)
{
    struct ec_predictor *p = predictor();
    struct ec_suggestion *s = NULL;
    struct ec_profile prior = { 0 };
    struct ec_err err = { 0 };
    double spread = 0;
    int n = 0;

    CHECK_OK(ec_profile_prior("t4", &prior, &err));
    CHECK_OK(ec_calibrate_suggest(p, &prior, 100, &s, &n, &spread, &err));
    CHECK_INT(n, 21);
    ec_free(s);
    ec_predictor_free(p);
}

static enum ec_status parse_and_forget(struct ec_err *err)
{
    static const char text[] =
        "{\"schema\": \"epochcast.profile/1\", \"device\": \"t4\", \"offsets\": ["
        "{\"name\": \"compute\", \"log_change\": 0, \"log_covariance\": [1, 0, 0]},"
        "{\"name\": \"memory\", \"log_change\": 0, \"log_covariance\": [0, 1, 0]},"
        "{\"name\": \"launch\", \"log_change\": 0, \"log_covariance\": [0, 0, 1]}],"
        "\"rows\": {\"operators\": 1, \"networks\": 0, \"median_ape_before_frac\": 0.1,"
        "\"median_ape_after_frac\": 0.1}, \"provenance\": {\"version\": \"1\", \"constants\": "
        "\"0\"}}";
    struct ec_profile p;

    return ec_profile_parse(text, sizeof text - 1, &p, err);
}

TEST(parsing_survives_any_failed_allocation)
{
    CHECK_TORTURE(parse_and_forget);
}

TEST(ten_rows_of_a_kind_are_followed_beyond_the_three_numbers)
{
    struct ec_predictor *p = predictor();
    struct ec_record rows[10];
    char what[10][64];
    struct ec_predict_opts o = options(0);
    struct ec_prediction before, after;
    struct ec_err err = { 0 };
    int i;

    o.phase = EC_FORWARD + 1;
    for (i = 0; i < 10; i++) { /* only large products are slower than the device's numbers say */
        double by = i < 5 ? 1.3 : 1.0;
        struct ec_prediction r;

        (void)snprintf(what[i], sizeof what[i], "linear m=%d k=%d n=%d", i < 5 ? 4096 : 128,
                       1024 + 64 * i, i < 5 ? 4096 : 128);
        CHECK_OK(ec_predict_op(p, what[i], "rtx4070", &o, &r, &err));
        rows[i] = network_row(what[i], 0, by * r.step_time_ns.p50);
        rows[i].kind = EC_KIND_operator;
        rows[i].phase = EC_FORWARD;
        ec_record_set_word(&rows[i], EC_WORD_MODE, "forward");
        ec_record_set_word(&rows[i], EC_WORD_OPTIMIZER, "none");
    }
    CHECK_OK(ec_predict_op(p, "linear m=4096 k=1200 n=4096", "rtx4070", &o, &before, &err));
    (void)calibrated(p, rows, 10);
    CHECK_OK(ec_predict_op(p, "linear m=4096 k=1200 n=4096", "rtx4070", &o, &after, &err));
    CHECK_INT(after.basis, EC_BASIS_CALIBRATED);
    CHECK(after.step_time_ns.p50 > 1.18 * before.step_time_ns.p50);
    CHECK(after.step_time_ns.p50 < 1.4 * before.step_time_ns.p50);
    CHECK(after.step_time_ns.p95 / after.step_time_ns.p05 <
          before.step_time_ns.p95 / before.step_time_ns.p05);
    ec_predictor_free(p);
}

static int group_of(const struct ec_step *s, bool queued)
{
    const struct ec_device gpu = { .kind = EC_DEV_GPU };

    return ec_width_group(EC_FW_pytorch_2, s, &gpu, queued);
}

TEST(a_group_scales_the_width_of_its_kind)
{
    struct ec_fitted f = *ec_fitted();
    struct ec_kernel k = { .phase = EC_FORWARD };
    struct ec_step s = { .n = 1, .kernel = &k };
    const struct ec_device cpu = { .kind = EC_DEV_CPU }, other = { .kind = EC_DEV_ACCELERATOR };
    int forward = group_of(&s, false), training;
    struct ec_width w;

    k.phase = EC_GRAD_WEIGHT;
    training = group_of(&s, false);
    CHECK(forward != training && training < EC_WIDTH_GROUPS);
    k = (struct ec_kernel){ .phase = EC_FORWARD, .kclass = EC_K_GEMM, .b = 1 };
    CHECK_INT(group_of(&s, false), forward);
    k.b = 8;
    CHECK(group_of(&s, false) > training);
    CHECK(group_of(&s, true) > group_of(&s, false));
    CHECK(ec_width_group((enum ec_framework)(EC_FRAMEWORK_COUNT - 1), &s, &cpu, true) <
          EC_WIDTH_GROUPS);
    CHECK_INT(ec_width_group(EC_FW_tensorflow_2, &s, &other, false),
              ec_width_group(EC_FW_pytorch_compiled, &s, &other, false));
    f.width[EC_W_network][0] = (struct ec_width){ -0.2, 0.1, 0.5, 100 };
    f.group_scale[EC_W_network][0][training] = (struct ec_width_scale){ 0.5, 2 };
    f.group_scale[EC_W_network][0][forward] = (struct ec_width_scale){ 0, 0 };
    w = ec_fitted_width(&f, EC_W_network, EC_BASIS_MEASURED, training);
    CHECK_NEAR(w.lo, 0.1 - 0.15, 1e-12);
    CHECK_NEAR(w.mid, 0.1, 0);
    CHECK_NEAR(w.hi, 0.1 + 0.8, 1e-12);
    w = ec_fitted_width(&f, EC_W_network, EC_BASIS_MEASURED, forward);
    CHECK_NEAR(w.lo, -0.2, 0);
    CHECK_NEAR(w.hi, 0.5, 0);
}
