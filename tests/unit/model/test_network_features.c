/* What networks are made of: the same at every batch, optimizer and device. */
#include "predict/predict.h"
#include "model/learned.h"
#include "model/network_features.h"
#include "test.h"

struct asked {
    const char *model, *device;
    int64_t batch;
    enum ec_mode mode;
    enum ec_optimizer optimizer;
};

static void features_of(struct ec_predictor *p, const struct asked *a, double ret[EC_NF_COUNT])
{
    struct ec_predict_opts o;
    const struct ec_graph *g = NULL;
    const struct ec_step *step = NULL;
    const struct ec_device *d = NULL;
    struct ec_constants c;
    struct ec_rates r;
    struct ec_step_time t;
    struct ec_err err = { 0 };

    ec_predict_opts_default(&o);
    o.batch = a->batch;
    ec_constants_default(&c);
    o.cond.mode = a->mode;
    o.cond.optimizer = a->optimizer;
    CHECK_OK(ec_predictor_network(p, a->model, &o, &g, &step, &err));
    CHECK_OK(ec_device_find(a->device, &d, &err));
    CHECK_OK(ec_rates_init(&r, d, &(struct ec_conditions){ .precision = EC_AMP }, &c, NULL, &err));
    ec_step_time(step, &r, &c, false, &t);
    ec_network_features(step, &r, &t, ret);
}

static void check_same(struct ec_predictor *p, const struct asked *a, const struct asked *b)
{
    static const int structure[] = {
#define STRUCTURE_AT(name, value) EC_NF_##name,
        EC_STRUCTURE_LIST(STRUCTURE_AT)
#undef STRUCTURE_AT
    };
    double one[EC_NF_COUNT] = { 0 }, two[EC_NF_COUNT] = { 0 };
    int i;

    features_of(p, a, one);
    features_of(p, b, two);
    for (i = 0; i < EC_LEN(structure); i++) {
        int at = structure[i];

        if (!(fabs(one[at] - two[at]) <= 1e-5)) /* sums start at one instead of none */
            test_fail(__FILE__, __LINE__, "%s: %s is %g at batch %d on %s, %g at %d on %s",
                      a->model, ec_network_feature_names[at], one[at], (int)a->batch, a->device,
                      two[at], (int)b->batch, b->device);
    }
}

static const char *const models[] = {
    "resnet50",      "mobilenet_v2", "vit_base_patch16_224",        "bert_base",
    "convnext_tiny", "regnety_008",  "swin_tiny_patch4_window7_224"
};

static struct ec_predictor *predictor(void)
{
    struct ec_predictor *p = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_predictor_new(&p, &err));
    return p;
}

TEST(what_a_network_is_made_of_does_not_change_with_batch_optimizer_or_device)
{
    struct ec_predictor *p = predictor();
    int i;

    for (i = 0; i < EC_LEN(models); i++) {
        struct asked one = { models[i], "a100-sxm4-40gb", 8, EC_MODE_TRAINING_STEP, EC_OPT_sgd };
        struct asked batch = one, optimizer = one, device = one;

        batch.batch = 1;
        check_same(p, &one, &batch);
        batch.batch = 96;
        check_same(p, &one, &batch);
        optimizer.optimizer = EC_OPT_adam;
        check_same(p, &one, &optimizer);
        device.device = "rtx3090";
        check_same(p, &one, &device);
        device.device = "t4";
        check_same(p, &one, &device);
    }
    ec_predictor_free(p);
}

TEST(what_a_network_is_made_of_tells_networks_apart)
{
    struct ec_predictor *p = predictor();
    struct asked a = { "resnet50", "t4", 4, EC_MODE_FORWARD, EC_OPT_none };
    double v[EC_NF_COUNT] = { 0 };

    features_of(p, &a, v);
    CHECK(v[EC_NF_of_spatial] > 0.3 && v[EC_NF_of_pointwise] > 0.3);
    CHECK(v[EC_NF_of_linear] < 0.01 && v[EC_NF_of_attention] == 0);
    CHECK(v[EC_NF_trains] == 0);
    a.model = "bert_base";
    a.mode = EC_MODE_TRAINING_STEP;
    features_of(p, &a, v);
    CHECK(v[EC_NF_of_linear] > 0.7 && v[EC_NF_of_attention] > 0);
    CHECK(v[EC_NF_of_spatial] == 0 && v[EC_NF_of_row_norms] > 0);
    CHECK(v[EC_NF_trains] == 1);
    a.model = "mobilenet_v2";
    features_of(p, &a, v);
    CHECK(v[EC_NF_of_depthwise] > 0.2 && v[EC_NF_of_channel_norms] > 0.5);
    ec_predictor_free(p);
}
