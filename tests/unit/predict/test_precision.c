/* The precision that a query leaves to the device, and what matrix units do in each. */
#include "ask.h"

#include "cost/cost.h"
#include "hw/hw.h"

#include <math.h>

#define CONV "conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1"

/* Every device has an answer to the plainest query: in fp32 where the catalogue has a rate for it,
 * else in the precision that the device is made for, and the answer says so. */
static void check_device(struct ec_predictor *p, const struct ec_device *d)
{
    struct ec_prediction r = ask(p, "resnet50", d->key, NULL);
    enum ec_precision want = d->fp32_flop_per_s.src          ? EC_FP32
                             : d->bf16_tensor_flop_per_s.src ? EC_BF16
                                                             : EC_FP16;
    bool told = r.n_warnings && strstr(r.warnings[0], "no fp32 rate") != NULL;

    if (r.precision != want || told != (want != EC_FP32) || !(r.step_time_ns.p50 > 0))
        test_fail(__FILE__, __LINE__, "%s: %g ns in %s, %s", d->key, r.step_time_ns.p50,
                  ec_precision_names[r.precision], told ? r.warnings[0] : "without a note");
}

TEST(every_device_of_the_catalogue_answers)
{
    struct ec_predictor *p = predictor();
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        check_device(p, all[i]);
    ec_predictor_free(p);
}

TEST(a_precision_that_is_given_is_not_replaced)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(8);
    struct ec_err err = { 0 };
    struct ec_prediction r;

    CHECK_INT(ask(p, "resnet50", "tpu-v4", &o).precision, EC_BF16);
    CHECK_OK(ec_predict_opts_set(&o, "precision", "fp32", &err));
    CHECK_FAILS(ec_predict_network(p, "resnet50", "tpu-v4", &o, &r, &err), EC_E_UNSUPPORTED,
                "tpu-v4: the catalogue has no peak rate at this precision");
    o.batch = 0;
    CHECK_FAILS(ec_predict_op(p, CONV, "tpu-v4", &o, &r, &err), EC_E_UNSUPPORTED, "no peak rate");
    CHECK_INT(ask_op(p, CONV, "tpu-v4", NULL).precision, EC_BF16);
    CHECK_OK(ec_predict_opts_set(&o, "precision", "bf16", &err));
    r = ask(p, "resnet50", "tpu-v4", &o);
    CHECK_INT(r.precision, EC_BF16);
    CHECK(!strstr(r.warnings[0], "fp32"));
    o = options(8);
    CHECK_INT(ask(p, "resnet50", "t4", &o).precision, EC_FP32);
    ec_predictor_free(p);
}

/* An older program's options end before the choice: its fp32 is meant. */
TEST(the_precision_of_an_older_program_is_its_own)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(8);
    struct ec_err err = { 0 };
    struct ec_prediction r;

    o.struct_size = offsetof(struct ec_predict_opts, usual_precision);
    CHECK_FAILS(ec_predict_network(p, "resnet50", "tpu-v4", &o, &r, &err), EC_E_UNSUPPORTED,
                "no peak rate");
    ec_predictor_free(p);
}

/* The answer is that of the same query with the precision given, but for its note; a rate for fp32
 * that the query brings along is used. */
TEST(the_usual_precision_is_that_precision)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(16), given = options(16);
    struct ec_err err = { 0 };
    struct ec_prediction r;
    int i;

    CHECK_OK(ec_predict_opts_set(&given, "precision", "fp16", &err));
    for (i = 0; i < 2; i++) { /* the second time from the cache */
        r = ask(p, "resnet18", "ascend-910", &o);
        CHECK_NEAR(r.step_time_ns.p50, ask(p, "resnet18", "ascend-910", &given).step_time_ns.p50,
                   0);
        CHECK_HAS(r.warnings[0], "predicted in fp16");
    }
    o.global_batch = 32;
    o.batch = 0;
    o.devices = 2;
    r = ask(p, "resnet18", "ascend-910", &o);
    CHECK_INT(r.batch_per_device, 16);
    CHECK_INT(r.precision, EC_FP16);
    o = options(16);
    o.set = "fp32_flop_per_s=16e12";
    CHECK_INT(ask(p, "resnet18", "ascend-910", &o).precision, EC_FP32);
    ec_predictor_free(p);
}

/* A measured row says its precision. */
TEST(a_measured_row_keeps_its_precision)
{
    struct ec_record m;
    struct ec_predict_opts o;
    struct ec_err err = { 0 };

    ec_record_init(&m);
    m.device = "tpu-v4";
    m.what = "resnet50";
    ec_record_default(&m);
    CHECK_OK(ec_record_opts(&m, &o, &err));
    CHECK(!o.usual_precision);
}

/* ns of a product of matrices of `side`, forward. */
static double product_ns(struct ec_predictor *p, const char *device, int side,
                         const char *precision)
{
    struct ec_predict_opts o = options(0);
    struct ec_err err = { 0 };
    char text[96];

    (void)snprintf(text, sizeof text, "matmul b=1 m=%d k=%d n=%d", side, side, side);
    CHECK_OK(ec_predict_opts_set(&o, "precision", precision, &err));
    CHECK_OK(ec_predict_opts_set(&o, "phase", "forward", &err));
    return ask_op(p, text, device, &o).step_time_ns.p50;
}

/* Boards for games may clock a tenth above their data sheet. */
TEST(no_product_beats_the_data_sheet)
{
    struct ec_predictor *p = predictor();
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        double peak = ec_matrix_flop_per_s(all[i], EC_BF16), rate;

        if (peak <= 0 || all[i]->kind == EC_DEV_CPU || !all[i]->bf16_tensor_flop_per_s.src)
            continue;
        rate = 2 * pow(8192, 3) / product_ns(p, all[i]->key, 8192, "bf16") * 1e9;
        if (rate > 1.1 * peak)
            test_fail(__FILE__, __LINE__, "%s: %g of %g FLOP/s", all[i]->key, rate, peak);
    }
    ec_predictor_free(p);
}

/* measured/h100/ceilings.csv: calls in bf16, which no row of the fit is. */
TEST(calls_in_bf16_take_what_was_measured)
{
    static const struct {
        int side;
        double ns;
    } measured[] = {
        {4096,  187e3 },
        { 8192, 1494e3}
    };
    struct ec_predictor *p = predictor();
    int i;

    for (i = 0; i < EC_LEN(measured); i++)
        CHECK_NEAR(product_ns(p, "h100-sxm5-80gb", measured[i].side, "bf16") / measured[i].ns, 1,
                   0.2);
    ec_predictor_free(p);
}
