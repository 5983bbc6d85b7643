/* Questions in tests: ask, and hold every answer to what any answer must keep. */
#ifndef ASK_H
#define ASK_H

#include "predict/predict.h"
#include "test.h"

#define CHECK_ORDERED(i)                                                                           \
    do {                                                                                           \
        CHECK((i).p05 > 0 && (i).p05 <= (i).p50 && (i).p50 <= (i).p95 && isfinite((i).p95));       \
    } while (0)

static inline struct ec_predictor *predictor(void)
{
    struct ec_predictor *p = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_predictor_new(&p, &err));
    return p;
}

static inline struct ec_predict_opts options(int64_t batch)
{
    struct ec_predict_opts o;

    ec_predict_opts_default(&o);
    o.batch = batch;
    return o;
}

/* What holds of every answer, whatever the constants are. */
static inline void check_answer(const char *what, const struct ec_prediction *r)
{
    int bad = test_bad_checks, i;

    CHECK_ORDERED(r->step_time_ns);
    CHECK_ORDERED(r->samples_per_s);
    CHECK_NEAR(r->samples_per_s.p50 * r->step_time_ns.p50, (double)r->batch * 1e9, 1e-9);
    CHECK_NEAR(r->samples_per_s.p05 * r->step_time_ns.p95, (double)r->batch * 1e9, 1e-9);
    CHECK(r->device_ns >= 0 && isfinite(r->device_ns));
    CHECK(r->host_ns >= 0 && isfinite(r->host_ns));
    CHECK(r->forward_ns >= 0 && r->backward_ns >= 0 && r->update_ns >= 0);
    CHECK(r->forward_ns + r->backward_ns + r->update_ns > 0);
    CHECK_NEAR(r->compute_bound_ns + r->memory_bound_ns,
               r->forward_ns + r->backward_ns + r->update_ns, 1e-9);
    if (r->has_memory) {
        CHECK_ORDERED(r->memory_peak_bytes);
        CHECK(r->weights_bytes >= 0 && r->gradients_bytes >= 0 && r->optimizer_bytes >= 0);
        CHECK(r->activations_bytes >= 0 && r->overhead_bytes >= 0);
    }
    CHECK(r->fits_probability == -1 || (r->fits_probability >= 0 && r->fits_probability <= 1));
    CHECK(*ec_limit_name(r->limit) && *ec_basis_name(r->basis));
    for (i = 0; i < r->n_warnings; i++)
        CHECK(*r->warnings[i]);
    if (test_bad_checks != bad)
        test_fail(__FILE__, __LINE__, "the answer was that of %s", what);
}

static inline struct ec_prediction ask(struct ec_predictor *p, const char *model,
                                       const char *device, const struct ec_predict_opts *o)
{
    struct ec_prediction r = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_predict_network(p, model, device, o, &r, &err));
    check_answer(model, &r);
    return r;
}

static inline struct ec_prediction ask_op(struct ec_predictor *p, const char *op,
                                          const char *device, const struct ec_predict_opts *o)
{
    struct ec_prediction r = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_predict_op(p, op, device, o, &r, &err));
    check_answer(op, &r);
    return r;
}

#endif
