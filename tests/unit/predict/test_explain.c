/* An explanation adds up to the answer, and asking for it changes nothing. */
#include "ask.h"

#include <math.h>
#include <string.h>

static const char *const networks[] = { "resnet50", "vit_base_patch16_224", "bert_base",
                                        "mobilenet_v2", "lenet5" };
static const char *const devices[] = { "t4", "a100-sxm4-40gb", "rtx4090", "h100-sxm5-80gb",
                                       "mi250x" };

static double sum_of(const double kind_ns[EC_KCLASS_COUNT])
{
    double sum = 0;
    int i;

    for (i = 0; i < EC_KCLASS_COUNT; i++)
        sum += kind_ns[i];
    return sum;
}

static const struct ec_explained *last_column(const struct ec_explanation *why)
{
    int i = why->n;

    while (i-- > 0)
        if (why->row[i].timed)
            return &why->row[i];
    return NULL;
}

static const struct ec_explained *stage_named(const struct ec_explanation *why, const char *name)
{
    int i;

    for (i = 0; i < why->n; i++)
        if (ec_str_eq(why->row[i].stage, name))
            return &why->row[i];
    return NULL;
}

static void check_adds_up(const struct ec_prediction *r, const struct ec_explanation *why)
{
    const struct ec_explained *col = last_column(why), *at_step = stage_named(why, "step"),
                              *interval = stage_named(why, "interval");
    double step;

    CHECK(col && interval);
    if (test_bad_checks)
        return;
    CHECK_NEAR(sum_of(col->kind_ns) + why->cast_ns + why->gap_ns, r->device_ns, 1e-9);
    CHECK_NEAR(why->device_ns, r->device_ns, 1e-12);
    step = r->device_ns + r->host_ns + r->other_ns - r->hidden_ns;
    if (at_step)
        CHECK_NEAR(at_step->step_ns, step, 1e-9);
    CHECK_NEAR(interval->step_ns, r->step_time_ns.p50, 1e-12);
}

TEST(the_stages_of_a_network_add_up_to_its_step)
{
    struct ec_predictor *p = NULL;
    struct ec_err err = { 0 };
    int i, k;

    CHECK_OK(ec_predictor_new(&p, &err));
    for (i = 0; !test_bad_checks && i < EC_LEN(networks); i++)
        for (k = 0; k < EC_LEN(devices); k++) {
            struct ec_prediction r, plain;
            struct ec_explanation why;
            struct ec_predict_opts o;

            ec_predict_opts_default(&o);
            o.batch = 16;
            o.cond.precision = i % 2 ? EC_AMP : EC_FP32;
            CHECK_OK(ec_predict_network(p, networks[i], devices[k], &o, &plain, &err));
            CHECK_OK(ec_predict_explained(p, networks[i], NULL, devices[k], &o, &r, &why, &err));
            CHECK(memcmp(&r.step_time_ns, &plain.step_time_ns, sizeof r.step_time_ns) == 0);
            CHECK_INT(r.n_warnings, plain.n_warnings);
            check_adds_up(&r, &why);
        }
    ec_predictor_free(p);
}

TEST(operators_alone_are_corrected)
{
    static const char op[] = "conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1";
    struct ec_predictor *p = NULL;
    struct ec_explanation why;
    struct ec_prediction r;
    struct ec_err err = { 0 };

    CHECK_OK(ec_predictor_new(&p, &err));
    CHECK_OK(ec_predict_explained(p, networks[0], NULL, "t4", NULL, &r, &why, &err));
    CHECK(!stage_named(&why, "correction"));
    CHECK_OK(ec_predict_explained(p, NULL, op, "t4", NULL, &r, &why, &err));
    CHECK(test_bad_checks || stage_named(&why, "correction"));
    ec_predictor_free(p);
}

TEST(an_operator_is_its_kernels_and_its_call)
{
    static const char op[] = "conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1";
    struct ec_predictor *p = NULL;
    struct ec_explanation why;
    struct ec_prediction r;
    struct ec_err err = { 0 };

    CHECK_OK(ec_predictor_new(&p, &err));
    CHECK_OK(ec_predict_explained(p, NULL, op, "t4", NULL, &r, &why, &err));
    if (!test_bad_checks) {
        CHECK_NEAR(sum_of(last_column(&why)->kind_ns) + why.gap_ns, why.device_ns, 1e-9);
        CHECK_NEAR(why.launches[EC_K_CONV], 3, 1e-12);
        CHECK(!stage_named(&why, "step") && !stage_named(&why, "devices"));
    }
    ec_predictor_free(p);
}

TEST(several_devices_have_a_stage_of_their_own)
{
    struct ec_predictor *p = NULL;
    const struct ec_explained *several;
    struct ec_explanation why;
    struct ec_predict_opts o;
    struct ec_prediction r;
    struct ec_err err = { 0 };

    ec_predict_opts_default(&o);
    o.batch = 64;
    CHECK_OK(ec_predictor_new(&p, &err));
    CHECK_OK(ec_predict_explained(p, "resnet50", NULL, "v100-sxm2-16gb", &o, &r, &why, &err));
    CHECK(!stage_named(&why, "devices"));
    o.devices = 4;
    CHECK_OK(ec_predict_explained(p, "resnet50", NULL, "v100-sxm2-16gb", &o, &r, &why, &err));
    several = stage_named(&why, "devices");
    CHECK(several && several->step_ns > stage_named(&why, "step")->step_ns);
    ec_predictor_free(p);
}
