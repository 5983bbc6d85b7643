/* Preference and reinforcement learning: what a step has beside training. */
#include "ask.h"

#include <math.h>

#define H100 "h100-sxm5-80gb"

static struct ec_predict_opts of_llama(void)
{
    struct ec_predict_opts o = options(0);

    o.cond.precision = EC_BF16;
    o.cond.optimizer = EC_OPT_adamw;
    o.seq_len = 2048;
    o.devices = 8;
    o.parallel.zero = 3;
    o.parallel.micro_batch = 1;
    o.parallel.accumulation = 8;
    return o;
}

TEST(preferences_add_a_pass_and_a_reference)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_llama();
    struct ec_prediction plain = ask(p, "llama3.2_1b", H100, &o), r, adapters;

    o.rl = EC_RL_dpo;
    r = ask(p, "llama3.2_1b", H100, &o);
    CHECK_NEAR(r.training_ns, plain.step_time_ns.p50, 1e-12);
    CHECK_NEAR(r.step_time_ns.p50, r.training_ns + r.reference_ns, 1e-12);
    CHECK(r.reference_ns > 0.2 * r.training_ns && r.reference_ns < 0.5 * r.training_ns);
    CHECK(r.generation_ns == 0);
    CHECK(r.reference_bytes > 0);
    CHECK(r.memory_needed_bytes.p50 > plain.memory_needed_bytes.p50 + 0.9 * r.reference_bytes);
    o.cond.recompute = EC_RECOMPUTE_FULL; /* of backward: a pass forward is as it was */
    adapters = ask(p, "llama3.2_1b", H100, &o);
    CHECK(adapters.training_ns > 1.1 * r.training_ns);
    CHECK_NEAR(adapters.reference_ns, r.reference_ns, 0.03); /* its share of what steps wait for */
    o.cond.recompute = EC_RECOMPUTE_NONE;
    o.parallel.tuning = EC_TUNING_LORA; /* the reference is the network without its adapters */
    adapters = ask(p, "llama3.2_1b", H100, &o);
    CHECK(adapters.reference_bytes == 0 && adapters.reference_ns > 0);
    ec_predictor_free(p);
}

/* A critic that is trained and rewards, beside what grpo has. */
TEST(a_critic_is_trained_and_held_too)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_llama();
    struct ec_prediction plain = ask(p, "llama3.2_1b", H100, &o), grpo, ppo;

    o.rl = EC_RL_grpo;
    grpo = ask(p, "llama3.2_1b", H100, &o);
    o.rl = EC_RL_ppo;
    ppo = ask(p, "llama3.2_1b", H100, &o);
    CHECK_NEAR(ppo.training_ns, 2 * grpo.training_ns, 1e-9);
    CHECK_NEAR(ppo.reference_ns, 2 * grpo.reference_ns, 1e-9);
    CHECK_NEAR(ec_flop_share(&ppo, ppo.model_flop), ec_flop_share(&grpo, grpo.model_flop), 1e-9);
    CHECK_NEAR(ppo.reference_bytes,
               3 * plain.weights_bytes + plain.gradients_bytes + plain.optimizer_bytes, 1e-9);
    o.parallel.tuning = EC_TUNING_LORA; /* critic and reference share the weights */
    ppo = ask(p, "llama3.2_1b", H100, &o);
    CHECK_NEAR(ppo.reference_bytes, ppo.weights_bytes + ppo.gradients_bytes + ppo.optimizer_bytes,
               1e-9);
    ec_predictor_free(p);
}

TEST(making_samples_takes_longer_for_more_of_them)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_llama();
    struct ec_prediction r, more, longer, apart;

    o.rl = EC_RL_grpo;
    r = ask(p, "llama3.2_1b", H100, &o);
    CHECK_NEAR(r.step_time_ns.p50,
               r.training_ns + r.reference_ns + r.generation_ns + r.weights_sent_ns, 1e-9);
    CHECK_ORDERED(r.step_time_ns);
    CHECK_INT(r.limit, EC_LIMIT_GENERATION);
    CHECK(r.made_at_once >= 1 && r.made_at_once <= (double)r.batch);
    o.generated = 2000;
    longer = ask(p, "llama3.2_1b", H100, &o);
    CHECK(longer.generation_ns > 1.5 * r.generation_ns);
    o.generated = 0;
    o.parallel.accumulation = 64;
    more = ask(p, "llama3.2_1b", H100, &o);
    CHECK(more.generation_ns > r.generation_ns && more.generation_ns < 8 * r.generation_ns);
    o.parallel.accumulation = 8;
    o.generators = 8; /* as many again: no longer than together */
    apart = ask(p, "llama3.2_1b", H100, &o);
    CHECK(apart.step_time_ns.p50 < r.step_time_ns.p50);
    CHECK_NEAR(apart.step_time_ns.p50,
               fmax(apart.generation_ns, apart.training_ns + apart.reference_ns) +
                   apart.weights_sent_ns,
               1e-9);
    ec_predictor_free(p);
}

/* A round of one sample reads the weights once: bandwidth bounds it. */
TEST(a_lone_sample_waits_for_the_weights)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_llama();
    struct ec_prediction r;
    double weights = 2 * 1.2358e9, least;

    o.devices = 1;
    o.parallel.zero = 0;
    o.parallel.accumulation = 1;
    o.rl = EC_RL_grpo;
    o.generated = 1024;
    r = ask(p, "llama3.2_1b", H100, &o);
    least = 1024 * weights / 3.35e12 * 1e9;
    CHECK(r.generation_ns > least && r.generation_ns < 12 * least);
    ec_predictor_free(p);
}

TEST(what_cannot_make_samples_says_why)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_llama(), small = options(4);
    struct ec_prediction r;
    struct ec_err err = { 0 };

    o.group = 4;
    CHECK_FAILS(ec_predict_network(p, "llama3.2_1b", H100, &o, &r, &err), EC_E_INPUT, "--rl grpo");
    o.group = 0;
    o.rl = EC_RL_grpo;
    o.generated = 2048;
    CHECK_FAILS(ec_predict_network(p, "llama3.2_1b", H100, &o, &r, &err), EC_E_INPUT, "no prompt");
    o.generated = 0;
    o.devices = 1;
    o.parallel.zero = 0;
    CHECK_FAILS(ec_predict_network(p, "llama3_70b", H100, &o, &r, &err), EC_E_UNSUPPORTED,
                "no room");
    small.rl = EC_RL_grpo;
    CHECK(ec_predict_network(p, "resnet50", H100, &small, &r, &err) != EC_OK);
    ec_predictor_free(p);
}
