/* A step by layer adds up to the step. */
#include "ask.h"

static const char *const networks[] = { "resnet50", "bert_base", "lenet5", "lstm_lm" };
static const char *const devices[] = { "t4", "a100-sxm4-80gb", "rtx4090" };
static const char *const words[][2] = {
    {"precision",  "fp32"            },
    { "precision", "amp"             },
    { "mode",      "forward"         },
    { "layout",    "channels-last"   },
    { "optimizer", "adam"            },
    { "framework", "tensorflow-2"    },
    { "devices",   "4"               },
    { "batch",     "1"               },
    { "framework", "pytorch-compiled"},
    { "recompute", "full"            }
};

static void adds_up(struct ec_predictor *p, const char *network, const char *device,
                    const char *const word[2])
{
    struct ec_arena arena = { 0 };
    struct ec_predict_opts o = options(16);
    struct ec_prediction r, plain;
    struct ec_step_layers l;
    struct ec_err err = { 0 };
    double forward = 0, sum;
    int bad = test_bad_checks, i;

    CHECK_OK(ec_predict_opts_set(&o, word[0], word[1], &err));
    CHECK_OK(ec_predict_layers(p, network, device, &o, &r, &l, &arena, &err));
    plain = ask(p, network, device, &o);
    CHECK_NEAR(r.step_time_ns.p50, plain.step_time_ns.p50, 1e-12);
    CHECK(l.casts_ns >= 0 && l.rest_ns >= -1e-9 * l.step_ns);
    sum = l.casts_ns + l.rest_ns;
    for (i = 0; i < l.n; i++) {
        CHECK(l.v[i].forward_ns >= 0 && l.v[i].backward_ns >= 0 && l.v[i].update_ns >= 0);
        sum += l.v[i].forward_ns + l.v[i].backward_ns + l.v[i].update_ns;
        forward += l.v[i].forward_ns;
    }
    CHECK_NEAR(sum, plain.step_time_ns.p50, 1e-9);
    CHECK(forward > 0);
    if (o.cond.precision == EC_FP32) /* only autocast casts */
        CHECK(l.casts_ns < 1e-6 * l.step_ns);
    if (test_bad_checks != bad)
        test_fail(__FILE__, __LINE__, "%s on %s, %s %s", network, device, word[0], word[1]);
    ec_arena_clear(&arena);
}

TEST(layers_add_up_to_the_step)
{
    struct ec_predictor *p = predictor();
    int i, k, w;

    for (i = 0; i < EC_LEN(networks); i++)
        for (k = 0; k < EC_LEN(devices); k++)
            for (w = 0; w < EC_LEN(words); w++)
                adds_up(p, networks[i], devices[k], words[w]);
    ec_predictor_free(p);
}

/* A tied parameter is updated once. */
TEST(the_update_is_shared_out_by_parameters)
{
    struct ec_predictor *p = predictor();
    struct ec_arena arena = { 0 };
    struct ec_predict_opts o = options(8);
    struct ec_prediction r;
    struct ec_step_layers l;
    struct ec_err err = { 0 };
    double update = 0, most = 0;
    const char *name = "";
    int i;

    CHECK_OK(ec_predict_layers(p, "vgg16", "t4", &o, &r, &l, &arena, &err));
    for (i = 0; i < l.n; i++) {
        update += l.v[i].update_ns;
        if (l.v[i].update_ns > most)
            name = l.v[i].name;
        most = fmax(most, l.v[i].update_ns);
    }
    CHECK_HAS(name, "classifier."); /* 103 of 138 million parameters */
    CHECK_NEAR(most / update, 102764544.0 / 138357544, 1e-4);
    ec_arena_clear(&arena);
    ec_predictor_free(p);
}
