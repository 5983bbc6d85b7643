/* A run of a network with plain numbers, and many with drawn ones. */
#ifndef TEST_A_RUN_H
#define TEST_A_RUN_H

#include "test.h"

#include "report/report.h"
#include "report/runs_internal.h"

#define UNKNOWN ((double)NAN)

static inline struct ec_run run_of(const char *env, const char *model, int64_t batch,
                                   double median_ns)
{
    struct ec_run r = { .env = env,
                        .layer = "",
                        .label = "",
                        .limit = "",
                        .uncounted = "",
                        .measured = true,
                        .n = 3,
                        .mean_ns = median_ns,
                        .std_ns = UNKNOWN,
                        .min_ns = median_ns,
                        .median_ns = median_ns,
                        .p95_ns = median_ns,
                        .max_ns = median_ns,
                        .predicted_ns = UNKNOWN,
                        .params = 1e6,
                        .flop = 4e12,
                        .bytes = 1e10,
                        .peak_flop_per_s = 1e13,
                        .memory_bytes_per_s = 1e11,
                        .ceiling_flop_per_s = UNKNOWN,
                        .ceiling_bytes_per_s = UNKNOWN,
                        .speedup = UNKNOWN,
                        .scaling_frac = UNKNOWN,
                        .memory_peak_bytes = UNKNOWN };

    ec_record_init(&r.record);
    r.record.device = env;
    r.record.what = model;
    r.record.batch = batch;
    r.record.image_px = 224;
    ec_record_set_word(&r.record, EC_WORD_MODE, "training_step");
    ec_record_set_word(&r.record, EC_WORD_PRECISION, "fp32");
    ec_record_set_word(&r.record, EC_WORD_OPTIMIZER, "sgd");
    return r;
}

static inline int drawn(struct ec_rng *rng, int below)
{
    return (int)(ec_rng_next(rng) % (uint64_t)below);
}

/* Several environments, networks, batches, modes and precisions; some numbers are not known. */
static inline struct ec_run a_drawn_run(struct ec_rng *rng)
{
    static const char *const envs[] = { "a", "b", "c" };
    static const char *const models[] = { "m0", "m1", "m2", "m3", "m4",  "m5",
                                          "m6", "m7", "m8", "m9", "m10", "m11" };
    struct ec_run r = run_of(envs[drawn(rng, 3)], models[drawn(rng, 12)], 8LL << drawn(rng, 3),
                             1e6 * (1 + 99 * ec_rng_unit(rng)));

    ec_record_set_word(&r.record, EC_WORD_MODE, drawn(rng, 6) ? "training_step" : "forward");
    ec_record_set_word(&r.record, EC_WORD_PRECISION, drawn(rng, 4) ? "fp32" : "amp");
    r.n = drawn(rng, 6);
    r.mean_ns = r.median_ns * (1 + 0.1 * ec_rng_unit(rng));
    r.std_ns = drawn(rng, 4) ? r.mean_ns * ec_rng_unit(rng) : UNKNOWN;
    r.flop = 1e9 * (1 + 99 * ec_rng_unit(rng));
    r.bytes = drawn(rng, 5) ? r.flop / (200 * ec_rng_unit(rng) + 1) : UNKNOWN;
    r.peak_flop_per_s = drawn(rng, 5) ? 1e13 : UNKNOWN;
    r.predicted_ns = drawn(rng, 3) ? r.median_ns * (0.5 + ec_rng_unit(rng)) : UNKNOWN;
    r.measured = drawn(rng, 8) != 0;
    return r;
}

#endif
