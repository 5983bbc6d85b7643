/* Recomputation, over many networks: it never needs more memory, it takes longer, and by one more
 * forward pass at most. */
#include "ask.h"

#include "graph/zoo_internal.h"

/* Every so many networks of the zoo are asked; each with its own conditions. */
#define STRIDE 8

static const char *const devices[] = { "a100-sxm4-80gb", "t4", "rtx4090", "mi250x-gcd",
                                       "p100-pcie-16gb" };
static const char *const frameworks[] = { "pytorch-2", "pytorch-1", "tensorflow-2",
                                          "pytorch-compiled" };
static const char *const optimizers[] = { "sgd", "adamw", "momentum" };
static const int64_t batches[] = { 1, 4, 16, 64 };

struct asked {
    const char *model, *device;
    struct ec_predict_opts o;
};

static struct asked asked_of(const char *model, int i)
{
    struct asked a = { model, devices[i % EC_LEN(devices)],
                       options(batches[i / 3 % EC_LEN(batches)]) };
    struct ec_err err = { 0 };

    a.o.cond.precision = (enum ec_precision)(i / 2 % EC_PRECISION_COUNT);
    CHECK_OK(ec_predict_opts_set(&a.o, "framework", frameworks[i / 5 % EC_LEN(frameworks)], &err));
    CHECK_OK(ec_predict_opts_set(&a.o, "optimizer", optimizers[i % EC_LEN(optimizers)], &err));
    return a;
}

/* Device time of kernels, without the gaps before them. */
static double busy_ns(const struct ec_prediction *r)
{
    return r->device_ns - r->launch_ns;
}

static bool is_no_less(double large, double small)
{
    return large >= small * (1 - 1e-9);
}

static void costs_a_forward(const struct ec_prediction *kept, const struct ec_prediction *again,
                            enum ec_precision precision)
{
    CHECK(is_no_less(again->step_time_ns.p50, kept->step_time_ns.p50));
    CHECK(is_no_less(2 * kept->step_time_ns.p50, again->step_time_ns.p50));
    CHECK(is_no_less(again->host_ns, kept->host_ns));
    CHECK(is_no_less(2 * kept->host_ns, again->host_ns));
    CHECK(is_no_less(2 * kept->launch_ns, again->launch_ns));
    if (precision == EC_FP32) /* others cast the weights again, too */
        CHECK(is_no_less(busy_ns(kept) + kept->forward_ns, busy_ns(again)));
    CHECK_NEAR(again->forward_ns, kept->forward_ns, 1e-9);
    CHECK_NEAR(again->update_ns, kept->update_ns, 1e-9);
}

/* What is in between: some of the results of products are kept. */
static void costs_less(const struct ec_prediction *kept, const struct ec_prediction *again,
                       const struct ec_prediction *some)
{
    CHECK(is_no_less(some->step_time_ns.p50, kept->step_time_ns.p50));
    CHECK(is_no_less(again->step_time_ns.p50, some->step_time_ns.p50));
    CHECK(is_no_less(some->allocator_peak_bytes.p50, again->allocator_peak_bytes.p50));
}

static void compare(struct ec_predictor *p, const struct asked *a, double *ret_saved)
{
    struct ec_predict_opts o = a->o;
    struct ec_prediction kept, again, some;
    int bad = test_bad_checks;

    if (ec_predict_network(p, a->model, a->device, &o, &kept, NULL))
        return; /* the device lacks the precision, the network the size */
    o.cond.recompute = EC_RECOMPUTE_FULL;
    again = ask(p, a->model, a->device, &o);
    CHECK(is_no_less(kept.memory_peak_bytes.p50, again.memory_peak_bytes.p50));
    CHECK(is_no_less(kept.allocator_peak_bytes.p50, again.allocator_peak_bytes.p50));
    costs_a_forward(&kept, &again, o.cond.precision);
    o.cond.recompute = EC_RECOMPUTE_SELECTIVE;
    some = ask(p, a->model, a->device, &o);
    costs_less(&kept, &again, &some);
    *ret_saved += again.allocator_peak_bytes.p50 < 0.7 * kept.allocator_peak_bytes.p50;
    if (test_bad_checks != bad)
        test_fail(__FILE__, __LINE__,
                  "%s on %s, batch %lld, %s, %s: %.4g to %.4g GiB, %.4g to %.4g ms", a->model,
                  a->device, (long long)o.batch, ec_precision_names[o.cond.precision],
                  ec_framework_keys[o.cond.framework], kept.memory_peak_bytes.p50 / 0x1p30,
                  again.memory_peak_bytes.p50 / 0x1p30, kept.step_time_ns.p50 / 1e6,
                  again.step_time_ns.p50 / 1e6);
}

TEST(it_saves_memory_and_costs_a_forward)
{
    struct ec_predictor *p = predictor();
    int n, i, asked = 0;
    const struct ec__zoo_row *rows = ec__zoo_rows(&n);
    double saved = 0;

    for (i = 0; i < n; i += STRIDE) {
        struct asked a = asked_of(rows[i].name, i / STRIDE);

        compare(p, &a, &saved);
        asked++;
    }
    CHECK(asked > 50);
    CHECK(saved > asked / 4); /* it is worth something */
    ec_predictor_free(p);
}

static void refused(const char *name, const char *value, const char *says)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(8);
    struct ec_prediction r;
    struct ec_err err = { 0 };

    o.cond.recompute = EC_RECOMPUTE_FULL;
    CHECK_OK(ec_predict_opts_set(&o, name, value, &err));
    CHECK_FAILS(ec_predict_network(p, "resnet18", "t4", &o, &r, &err), EC_E_INPUT, says);
    ec_predictor_free(p);
}

TEST(where_nothing_is_kept_nothing_is_computed_again)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o;
    struct ec_prediction r;
    struct ec_err err = { 0 };

    refused("mode", "forward", "--recompute full with --mode forward");
    refused("framework", "epochcast", "its engine keeps all activations");
    ec_predict_opts_default(&o);
    o.cond.recompute = EC_RECOMPUTE_FULL;
    CHECK_FAILS(ec_predict_op(p, "linear m=8 k=8 n=8", "t4", &o, &r, &err), EC_E_INPUT,
                "--recompute is for networks");
    ec_predictor_free(p);
}

/* Gradients are added up while backward runs, and that is longer: no less of it is hidden. */
TEST(several_devices_hide_no_less_behind_it)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(32);
    struct ec_prediction kept, again;

    o.devices = 8;
    kept = ask(p, "resnet50", "a100-sxm4-80gb", &o);
    o.cond.recompute = EC_RECOMPUTE_FULL;
    again = ask(p, "resnet50", "a100-sxm4-80gb", &o);
    CHECK(again.step_time_ns.p50 > kept.step_time_ns.p50);
    CHECK(again.exposed_ns <= kept.exposed_ns * (1 + 1e-9));
    ec_predictor_free(p);
}

/* The evaluation of a job runs forward alone. */
TEST(a_job_is_evaluated_without_it)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(32);
    struct ec_prediction kept, again;

    o.samples = 1000;
    o.epochs = 2;
    o.eval_samples = 500;
    kept = ask(p, "resnet18", "t4", &o);
    o.cond.recompute = EC_RECOMPUTE_FULL;
    again = ask(p, "resnet18", "t4", &o);
    CHECK_NEAR(again.evaluation_ns, kept.evaluation_ns, 1e-12);
    ec_predictor_free(p);
}
