/* Why measured rows are outside their intervals. */
#include "ask.h"
#include "predict/predict_internal.h"

/* A row whose time is that of a prediction times a factor. */
static struct ec_record row_on(struct ec_predictor *p, const char *device, const char *what,
                               int64_t batch, double factor)
{
    struct ec_predict_opts o = options(batch);
    struct ec_record r;

    ec_record_init(&r);
    ec_record_default(&r);
    r.kind = EC_KIND_network;
    r.what = r.family = what;
    r.device = device;
    r.batch = batch;
    r.time = (struct ec_reading){ factor * ask(p, what, device, &o).step_time_ns.p50, true };
    return r;
}

static struct ec_record row(struct ec_predictor *p, const char *what, int64_t batch, double factor)
{
    return row_on(p, "rtx3090", what, batch, factor);
}

#define ROWS_MAX 6
static void causes(struct ec_predictor *p, const struct ec_record *rows, int n,
                   struct ec_cause ret[ROWS_MAX])
{
    struct ec_judged_list l = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_judge(p, rows, n, &l, &err));
    CHECK_INT(l.n, n);
    CHECK_OK(ec_judged_causes(p, &l, 1, ret, &err));
    ec_free(l.v);
}

TEST(a_row_inside_has_no_cause)
{
    struct ec_predictor *p = predictor();
    struct ec_record r = row(p, "resnet50", 64, 1.05);
    struct ec_cause c[ROWS_MAX];

    causes(p, &r, 1, c);
    CHECK_INT(c[0].kind, EC_CAUSE_NONE);
    CHECK_STR(c[0].text, "");
    ec_predictor_free(p);
}

TEST(memory_beyond_the_card_is_named)
{
    struct ec_predictor *p = predictor();
    struct ec_record r = row(p, "resnet50", 64, 10);
    struct ec_cause c[ROWS_MAX];

    r.memory_peak_bytes = 44e9;
    causes(p, &r, 1, c);
    CHECK_INT(c[0].kind, EC_CAUSE_SPILLED);
    r.memory_peak_bytes = 5e9;
    causes(p, &r, 1, c);
    CHECK_INT(c[0].kind, EC_CAUSE_SLOW);
    ec_predictor_free(p);
}

/* Numbers that are compared have as many digits as tell them apart; a peak ends at the card's. */
TEST(what_is_needed_and_what_there_is_differ)
{
    struct ec_record m = {
        .time = {6e9, true}
    };
    struct ec_prediction r = {
        .has_memory = true, .step_time_ns = {1e9, 1e9, 1e9}
    };
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };
    struct ec_cause c;
    double card;

    CHECK_OK(ec_device_find("rtx4080", &d, &err));
    card = ec_device_usable_bytes(d);
    r.memory_peak_bytes.p95 = card;
    r.memory_needed_bytes.p50 = card * 0.9;
    CHECK(ec_record_spilled(&m, d, &r, &c));
    CHECK_HAS(c.text, "needs up to 15.7 GiB, all that the card has: part");
    r.memory_needed_bytes.p50 = card * 1.001;
    CHECK(ec_record_spilled(&m, d, &r, &c));
    CHECK_HAS(c.text, "needs 15.69 GiB, the card has 15.67 GiB: part");
}

TEST(a_time_of_another_precision_or_mode_is_named)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(64);
    struct ec_record r = row(p, "resnet50", 64, 1);
    struct ec_cause c[ROWS_MAX];

    o.cond.precision = EC_AMP;
    r.time.ns = ask(p, "resnet50", "rtx3090", &o).step_time_ns.p05;
    causes(p, &r, 1, c);
    CHECK_INT(c[0].kind, EC_CAUSE_PRECISION);
    ec_predictor_free(p);
}

TEST(a_slow_processor_is_no_clock_of_a_gpu)
{
    struct ec_predictor *p = predictor();
    struct ec_record r = row_on(p, "cpu-epyc-2vcpu", "resnet50", 4, 40);
    struct ec_cause c[ROWS_MAX];

    causes(p, &r, 1, c);
    CHECK_INT(c[0].kind, EC_CAUSE_SLOW);
    CHECK_HAS(c[0].text, "number of threads");
    CHECK(!strstr(c[0].text, "nvidia-smi"));
    ec_predictor_free(p);
}

TEST(rows_of_one_rate_wait_for_the_loader)
{
    struct ec_predictor *p = predictor();
    struct ec_record r[] = { row(p, "resnet18", 64, 1), row(p, "resnet50", 64, 1) };
    struct ec_cause c[ROWS_MAX];

    r[0].time.ns = r[1].time.ns = 600e6;
    causes(p, r, 2, c);
    CHECK_INT(c[0].kind, EC_CAUSE_LOADER);
    CHECK_INT(c[1].kind, EC_CAUSE_LOADER);
    ec_predictor_free(p);
}

/* As long for each sample on all cards: the slow ones hardly show it. */
TEST(a_loader_in_the_loop_is_found_on_other_devices)
{
    static const char *const devices[] = { "t4", "p100-pcie-16gb", "v100-pcie-16gb", "l4",
                                           "rtx4090" };
    struct ec_predictor *p = predictor();
    struct ec_record r[EC_LEN(devices)];
    struct ec_cause c[ROWS_MAX];
    int i;

    for (i = 0; i < EC_LEN(devices); i++) {
        r[i] = row_on(p, devices[i], "vgg16", 64, 1);
        r[i].time.ns += 64 * 2.2e6;
    }
    causes(p, r, EC_LEN(devices), c);
    CHECK_INT(c[4].kind, EC_CAUSE_LOADER);
    CHECK_HAS(c[4].text, "--loader 0x2.");
    for (i = 0; i < EC_LEN(devices); i++)
        r[i].loader = "0x2.2ms";
    causes(p, r, EC_LEN(devices), c);
    for (i = 0; i < EC_LEN(devices); i++)
        CHECK_INT(c[i].kind, EC_CAUSE_NONE);
    ec_predictor_free(p);
}

TEST(one_factor_for_all_rows_is_the_clock)
{
    struct ec_predictor *p = predictor();
    struct ec_record r[] = { row(p, "vgg16", 64, 2.5), row(p, "resnet50", 128, 2.5) };
    struct ec_cause c[ROWS_MAX];

    causes(p, r, 2, c);
    CHECK_INT(c[0].kind, EC_CAUSE_THROTTLED);
    CHECK_INT(c[1].kind, EC_CAUSE_THROTTLED);
    ec_predictor_free(p);
}

TEST(a_time_that_the_batch_does_not_change_is_of_another_batch)
{
    struct ec_predictor *p = predictor();
    struct ec_record r[] = { row(p, "resnet50", 32, 1), row(p, "resnet50", 128, 1) };
    struct ec_cause c[ROWS_MAX];

    r[1].time.ns = r[0].time.ns;
    causes(p, r, 2, c);
    CHECK_INT(c[0].kind, EC_CAUSE_NONE);
    CHECK(c[1].kind == EC_CAUSE_BATCH || c[1].kind == EC_CAUSE_PRECISION);
    ec_predictor_free(p);
}
