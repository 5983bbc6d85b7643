/* Jobs whose devices share more than the batch: what must hold of time and memory, and what is
 * refused. */
#include "ask.h"

#include <math.h>

static void set(struct ec_predict_opts *o, const char *name, const char *value)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_predict_opts_set(o, name, value, &err));
}

/* A decoder in bf16 with float32 states; options of the job as words "tp=2 pp=4". */
static struct ec_predict_opts job(const char *words)
{
    struct ec_predict_opts o = options(0);
    struct ec_span rest = ec_span_of(words), word, name;
    static char text[16][2][32];
    static int at;

    set(&o, "precision", "bf16");
    set(&o, "optimizer", "adamw");
    o.cond.master_weights = true;
    o.seq_len = 2048;
    while (ec_span_cut(&rest, ' ', &word)) {
        char(*t)[32] = text[at++ % 16];

        (void)ec_span_cut(&word, '=', &name);
        (void)snprintf(t[0], sizeof t[0], "%.*s", (int)name.len, name.p);
        (void)snprintf(t[1], sizeof t[1], "%.*s", (int)word.len, word.p);
        set(&o, t[0], t[1]);
    }
    return o;
}

#define MODEL "llama3_8b:layers=8"
#define DEVICE "a100-sxm4-80gb"

static struct ec_prediction run_on(struct ec_predictor *p, const char *model, const char *words)
{
    struct ec_predict_opts o = job(words);

    return ask(p, model, DEVICE, &o);
}

static struct ec_prediction run(struct ec_predictor *p, const char *words)
{
    return run_on(p, MODEL, words);
}

static const char *const networks[] = {
    MODEL, "gpt2", "bert_base", "vit_b_16", "resnet50", "unet"
};

/* Devices that share the update have less of it each: all else takes as long as on one. */
static double most_per_device(const struct ec_prediction *alone, const char *how)
{
    double update = strstr(how, "zero=0") ? 0 : alone->update_ns;

    return (double)alone->batch * 1e9 / (alone->step_time_ns.p50 - update);
}

TEST(more_devices_never_do_less_nor_more_than_each)
{
    static const char *const how[] = { "zero=0 accumulation=2", "zero=1", "zero=2", "zero=3",
                                       "strategy=fsdp recompute=full" };
    struct ec_predictor *p = predictor();
    int m, h, n;

    for (m = 0; m < EC_LEN(networks); m++)
        for (h = 0; h < EC_LEN(how); h++) {
            double alone = 0, fewer = 0;

            for (n = 1; n <= 1024; n *= 4) {
                struct ec_prediction r;
                char words[128];

                (void)snprintf(words, sizeof words, "%s micro_batch=2 devices=%d%s", how[h], n,
                               m == 3 || m > 3 ? " seq_len=0"
                               : m             ? " seq_len=512"
                                               : "");
                r = run_on(p, networks[m], words);
                if (n == 1)
                    alone = most_per_device(&r, how[h]);
                CHECK(r.samples_per_s.p50 <= n * alone * (1 + 1e-9));
                CHECK(r.samples_per_s.p50 >= fewer * (1 - 1e-9));
                fewer = r.samples_per_s.p50;
                CHECK_INT(r.batch, 2 * n * (h ? 1 : 2));
                if (test_bad_checks)
                    test_fail(__FILE__, __LINE__, "%s %s", networks[m], words);
            }
        }
    ec_predictor_free(p);
}

TEST(each_zero_stage_needs_less)
{
    struct ec_predictor *p = predictor();
    char words[64];
    double before = (double)INFINITY;
    int z;

    for (z = 0; z <= 3; z++) {
        struct ec_prediction r;

        (void)snprintf(words, sizeof words, "zero=%d devices=16 micro_batch=1", z);
        r = run(p, words);
        CHECK(r.allocator_peak_bytes.p50 < before);
        before = r.allocator_peak_bytes.p50;
    }
    ec_predictor_free(p);
}

TEST(recomputation_trades_time_for_memory)
{
    static const char *const how[] = { "tp=4 devices=8", "pp=4 devices=8", "zero=3 devices=8",
                                       "cp=2 devices=8" };
    struct ec_predictor *p = predictor();
    char words[96];
    int i;

    for (i = 0; i < EC_LEN(how); i++) {
        struct ec_prediction kept = run(p, how[i]), again;

        (void)snprintf(words, sizeof words, "%s recompute=full", how[i]);
        again = run(p, words);
        CHECK(again.step_time_ns.p50 > kept.step_time_ns.p50);
        CHECK(again.step_time_ns.p50 < 1.6 * kept.step_time_ns.p50);
        CHECK(again.allocator_peak_bytes.p50 < kept.allocator_peak_bytes.p50);
        CHECK(again.hardware_flop > 1.15 * again.model_flop);
        CHECK_NEAR(again.model_flop, kept.model_flop, 1e-9);
        CHECK_NEAR(kept.hardware_flop, kept.model_flop, 1e-9);
    }
    ec_predictor_free(p);
}

/* Its interval is of runs of large models: that networks on one device were smaller is no doubt. */
TEST(networks_larger_than_those_of_one_device_are_no_news)
{
    struct ec_predictor *p = predictor();
    const char *words = "tp=8 pp=4 devices=64 seq_len=4096 recompute=full precision=bf16";
    struct ec_prediction r = run_on(p, "llama2_70b", words);
    int i;

    for (i = 0; i < r.n_warnings; i++)
        test_fail(__FILE__, __LINE__, "%s", r.warnings[i]);
    ec_predictor_free(p);
}

TEST(micro_batches_fill_the_pipeline)
{
    struct ec_predictor *p = predictor();
    double share = 1;
    char words[64];
    int m;

    for (m = 4; m <= 256; m *= 4) {
        struct ec_prediction r;

        (void)snprintf(words, sizeof words, "pp=4 devices=8 accumulation=%d", m);
        r = run(p, words);
        CHECK(r.bubble_ns > 0);
        CHECK(r.bubble_ns / r.step_time_ns.p50 < share);
        share = r.bubble_ns / r.step_time_ns.p50;
        CHECK_INT(r.micro_batches, m);
    }
    CHECK(share < 0.02);
    CHECK(run(p, "pp=4 devices=8 accumulation=16 virtual_stages=2").bubble_ns <
          run(p, "pp=4 devices=8 accumulation=16").bubble_ns);
    ec_predictor_free(p);
}

TEST(near_devices_are_no_slower)
{
    static const char *const how[] = { "tp=8", "cp=8", "zero=3", "tp=2 pp=4 accumulation=8" };
    struct ec_predictor *p = predictor();
    char words[128];
    int i;

    for (i = 0; i < EC_LEN(how); i++) {
        struct ec_prediction near, far, fast;

        (void)snprintf(words, sizeof words, "%s devices=8 devices_per_machine=8", how[i]);
        near = run(p, words);
        (void)snprintf(words, sizeof words, "%s devices=8 devices_per_machine=1", how[i]);
        far = run(p, words);
        (void)snprintf(words, sizeof words,
                       "%s devices=8 devices_per_machine=1 network_rate=100GB/s", how[i]);
        fast = run(p, words);
        CHECK(near.step_time_ns.p50 <= far.step_time_ns.p50 * (1 + 1e-9));
        CHECK(fast.step_time_ns.p50 <= far.step_time_ns.p50 * (1 + 1e-9));
    }
    ec_predictor_free(p);
}

/* A device's part shrinks with what shares it. */
TEST(sharing_the_network_shares_its_memory)
{
    struct ec_predictor *p = predictor();
    struct ec_prediction one = run(p, "micro_batch=1 devices=8 accumulation=2");
    struct ec_prediction tp = run(p, "micro_batch=1 devices=8 tp=8 accumulation=2");
    struct ec_prediction pp = run(p, "micro_batch=1 devices=8 pp=8 accumulation=1");
    double sum = 0;
    int i;

    CHECK_NEAR(tp.ledger_bytes[EC_LEDGER_weights], one.ledger_bytes[EC_LEDGER_weights] / 8, 0.01);
    CHECK(pp.ledger_bytes[EC_LEDGER_weights] < one.ledger_bytes[EC_LEDGER_weights] / 2);
    CHECK(tp.ledger_bytes[EC_LEDGER_kept] < one.ledger_bytes[EC_LEDGER_kept] / 5);
    for (i = 0; i < EC_LEDGER_COUNT; i++)
        sum += one.ledger_bytes[i];
    CHECK(one.allocator_peak_bytes.p50 > 0.9 * sum);
    CHECK(one.memory_peak_bytes.p50 > one.allocator_peak_bytes.p50);
    ec_predictor_free(p);
}

TEST(very_many_devices_answer_sanely)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o =
        job("devices=16384 tp=8 pp=16 zero=1 global_batch=2048 seq_len=8192");
    struct ec_prediction r =
        ask(p, "llama3_8b:layers=126,hidden=16384,heads=128,ffn=53248", "h100-sxm5-80gb", &o);

    CHECK(isfinite(r.step_time_ns.p50));
    CHECK_INT(r.data_parallel, 128);
    CHECK_INT(r.micro_batches, 16);
    CHECK(r.model_flop / (r.step_time_ns.p50 * 1e-9 * r.peak_flop_per_s) > 0.1);
    CHECK(r.model_flop / (r.step_time_ns.p50 * 1e-9 * r.peak_flop_per_s) < 0.6);
    ec_predictor_free(p);
}

static void refuse(struct ec_predictor *p, const char *words, const char *why)
{
    struct ec_predict_opts o = job(words);
    struct ec_prediction r;
    struct ec_err err = { 0 };

    CHECK(ec_predict_network(p, "gpt2", DEVICE, &o, &r, &err) != EC_OK);
    if (!strstr(err.text, why))
        test_fail(__FILE__, __LINE__, "%s: found \"%s\", expected \"%s\"", words, err.text, why);
}

TEST(impossible_jobs_are_refused_with_the_nearest)
{
    struct ec_predictor *p = predictor();

    refuse(p, "seq_len=1024 devices=12 tp=2 pp=4", "the nearest that fit are 8 and 16");
    refuse(p, "seq_len=1024 devices=2 tp=4", "the nearest that fits is 4");
    refuse(p, "seq_len=1024 devices=8 tp=8", "does not divide the 12 heads");
    refuse(p, "seq_len=1024 devices=16 pp=16", "12 stacked blocks");
    refuse(p, "seq_len=1024 devices=8 zero=1 micro_batch=3 global_batch=100",
           "the nearest that fit are 96 and 120");
    refuse(p, "seq_len=1024 devices=8 zero=1 micro_batch=2 accumulation=2 batch=5", "batch");
    refuse(p, "seq_len=1024 devices=8 virtual_stages=2 tp=2", "goes with --pp");
    refuse(p, "seq_len=1024 devices=8 shard_group=2 tp=2", "goes with --zero");
    refuse(p, "seq_len=1024 devices=8 zero=3 shard_group=3", "does not divide the 8 devices");
    refuse(p, "seq_len=1024 devices=8 tp=2 strategy=dp", "shares the batch alone");
    refuse(p, "seq_len=1024 devices=8 tp=2 from_run=1=5ms", "--from-run");
    refuse(p, "seq_len=1024 devices=8 tp=2 batch=max", "--micro-batch");
    ec_predictor_free(p);
}

/* What is not said follows from what is. */
TEST(batches_follow_from_each_other)
{
    static const struct {
        const char *words;
        int64_t batch, micro, count;
    } rows[] = {
        {"devices=8 zero=1 micro_batch=2 global_batch=64",   64, 2, 4 },
        { "devices=8 zero=1 accumulation=4 global_batch=64", 64, 2, 4 },
        { "devices=8 zero=1 global_batch=64",                64, 8, 1 },
        { "devices=8 zero=1 batch=8 micro_batch=2",          64, 2, 4 },
        { "devices=8 zero=1 batch=8 accumulation=2",         64, 4, 2 },
        { "devices=8 zero=1",                                8,  1, 1 },
        { "devices=8 tp=2 pp=4",                             16, 1, 16},
        { "devices=8 pp=4 global_batch=64",                  64, 1, 32},
        { "devices=1 accumulation=4",                        4,  1, 4 },
    };
    struct ec_predictor *p = predictor();
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_prediction r = run(p, rows[i].words);

        CHECK_INT(r.batch, rows[i].batch);
        CHECK_INT(r.micro_batch, rows[i].micro);
        CHECK_INT(r.micro_batches, rows[i].count);
    }
    ec_predictor_free(p);
}

TEST(options_that_save_memory_do)
{
    struct ec_predictor *p = predictor();
    struct ec_prediction plain = run(p, "zero=3 devices=8 micro_batch=4");
    struct ec_prediction chunked = run(p, "zero=3 devices=8 micro_batch=4 chunked_loss=1");
    struct ec_prediction away = run(p, "zero=3 devices=8 micro_batch=4 offload=1");
    struct ec_prediction lora = run(p, "zero=3 devices=8 micro_batch=4 tuning=lora");
    struct ec_prediction qlora = run(p, "zero=3 devices=8 micro_batch=4 tuning=qlora");

    CHECK(chunked.allocator_peak_bytes.p50 < plain.allocator_peak_bytes.p50);
    CHECK(away.allocator_peak_bytes.p50 < plain.allocator_peak_bytes.p50);
    CHECK(away.step_time_ns.p50 > plain.step_time_ns.p50);
    CHECK(lora.step_time_ns.p50 < plain.step_time_ns.p50);
    CHECK(lora.ledger_bytes[EC_LEDGER_moments] < 0.05 * plain.ledger_bytes[EC_LEDGER_moments]);
    CHECK(qlora.ledger_bytes[EC_LEDGER_frozen] < 0.6 * lora.ledger_bytes[EC_LEDGER_frozen]);
    CHECK(away.offload_ns > 0 && away.offload_ns < away.step_time_ns.p50 && plain.offload_ns == 0);
    ec_predictor_free(p);
}

/* The devices of a machine have one host, so more of them do not make its update shorter. */
TEST(a_machine_updates_with_one_host)
{
    struct ec_predictor *p = predictor();
    double two = run(p, "zero=3 devices=2 micro_batch=1 offload=1").offload_ns;
    double eight = run(p, "zero=3 devices=8 micro_batch=1 offload=1").offload_ns;
    double machines = run(p, "zero=3 devices=16 micro_batch=1 offload=1").offload_ns;

    CHECK(eight < two && eight > 0.6 * two); /* what is left is shared: the exchange */
    CHECK_NEAR(machines, eight / 2, 1e-9);
    ec_predictor_free(p);
}

/* In 4 bits are all frozen products but the last, whichever have adapters. */
TEST(experts_are_held_in_four_bits_too)
{
    static const char moe[] = "mixtral_8x7b:layers=2";
    struct ec_predictor *p = predictor();
    double lora = run_on(p, moe, "micro_batch=1 tuning=lora").ledger_bytes[EC_LEDGER_frozen];
    double qlora = run_on(p, moe, "micro_batch=1 tuning=qlora").ledger_bytes[EC_LEDGER_frozen];
    double few = run_on(p, moe, "micro_batch=1 tuning=qlora targets=attention")
                     .ledger_bytes[EC_LEDGER_frozen];

    CHECK(qlora < 0.4 * lora);
    CHECK_NEAR(few, qlora, 1e-9);
    ec_predictor_free(p);
}

/* The loss of a network with many classes is the same whoever counts it. */
/* Whether a batch is said as such or as one micro-batch, recomputed or not, on one or several. */
TEST(a_batch_needs_as_much_memory_by_any_name)
{
    static const char *const of[] = { "vit_b_16", "resnet50", "swin_t", "whisper_small" };
    static const char *const ways[] = { "", " recompute=full", " devices=4" };
    struct ec_predictor *p = predictor();
    char words[64];
    int i, k;

    for (i = 0; i < EC_LEN(of); i++)
        for (k = 0; k < EC_LEN(ways); k++) {
            struct ec_prediction by_batch, by_micro;

            (void)snprintf(words, sizeof words, "batch=8 seq_len=0%s", ways[k]);
            by_batch = run_on(p, of[i], words);
            (void)snprintf(words, sizeof words, "micro_batch=8 seq_len=0%s", ways[k]);
            by_micro = run_on(p, of[i], words);
            CHECK_NEAR(by_micro.allocator_peak_bytes.p50, by_batch.allocator_peak_bytes.p50, 0.02);
            CHECK_NEAR(by_micro.memory_peak_bytes.p50, by_batch.memory_peak_bytes.p50, 0.02);
        }
    ec_predictor_free(p);
}

TEST(one_device_that_shares_with_nobody_needs_as_much)
{
    static const char *const ways[] = { "zero=1", "zero=3", "micro_batch=1", "accumulation=1" };
    struct ec_predictor *p = predictor();
    struct ec_prediction alone = run(p, "batch=1 tuning=lora"), r;
    double full = run(p, "batch=2").allocator_peak_bytes.p50;
    char words[64];
    int i;

    CHECK_NEAR(run(p, "micro_batch=2").allocator_peak_bytes.p50, full, 0.02);

    for (i = 0; i < EC_LEN(ways); i++) {
        (void)snprintf(words, sizeof words, "batch=1 tuning=lora %s", ways[i]);
        r = run(p, words);
        CHECK_NEAR(r.allocator_peak_bytes.p50, alone.allocator_peak_bytes.p50, 0.06);
    }
    ec_predictor_free(p);
}

/* A ring of four leaves the bridges, the pairs of a tensor group do not; boards sold with one have
 * it unless PCIe is asked for. */
TEST(groups_that_fit_a_bridge_use_it)
{
    static const char *const boards[] = { "rtx3090", "h200-nvl-141gb" };
    struct ec_predictor *p = predictor();
    int i;

    for (i = 0; i < EC_LEN(boards); i++) {
        struct ec_predict_opts o = job("devices=8 tp=2 micro_batch=1 interconnect=nvlink-bridge");
        double bridged = ask(p, MODEL, boards[i], &o).step_time_ns.p50, by_pcie, usual;

        o.interconnect = EC_LINK_pcie;
        by_pcie = ask(p, MODEL, boards[i], &o).step_time_ns.p50;
        o.interconnect = EC_LINK_auto;
        usual = ask(p, MODEL, boards[i], &o).step_time_ns.p50;
        CHECK(bridged < 0.99 * by_pcie);
        CHECK_NEAR(usual, i ? bridged : by_pcie, 1e-9);
    }
    ec_predictor_free(p);
}

/* Models in Python sort rows, move weights into another layout and add up; software that divides
 * experts among ranks, or the network, has those of its own. */
TEST(experts_of_a_stack_are_its_own)
{
    static const char moe[] = "olmoe_1b_7b:layers=4";
    struct ec_predictor *p = predictor();
    double eager = run_on(p, moe, "batch=4").device_ns;
    double compiled = run_on(p, moe, "batch=4 framework=pytorch-compiled").device_ns;
    double whole = run_on(p, moe, "devices=2 zero=1 micro_batch=4").device_ns;
    double divided = run_on(p, moe, "devices=2 zero=1 micro_batch=4 ep=2").device_ns;
    double dense = run(p, "batch=4").device_ns;

    CHECK(eager / compiled > 1.3 * dense / run(p, "batch=4 framework=pytorch-compiled").device_ns);
    CHECK(whole > 0.9 * eager);
    CHECK(divided < 0.85 * whole);
    CHECK(divided > 0.7 * compiled);
    ec_predictor_free(p);
}

/* Gemma's norm multiplies by 1 + w in float32: more passes, which a compiler makes one kernel. */
TEST(norms_in_float32_pass_more_often)
{
    static const char wide[] = MODEL ",norm=rms_wide";
    struct ec_predictor *p = predictor();
    struct ec_prediction a = run(p, "batch=4"), b = run_on(p, wide, "batch=4");

    CHECK(b.device_ns > 1.005 * a.device_ns && b.device_ns < 1.2 * a.device_ns);
    CHECK(b.host_ns > 1.01 * a.host_ns);
    a = run(p, "batch=4 framework=pytorch-compiled");
    b = run_on(p, wide, "batch=4 framework=pytorch-compiled");
    CHECK_NEAR(b.device_ns, a.device_ns, 1e-9);
    ec_predictor_free(p);
}

TEST(software_has_its_kernels)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = job("tp=2 devices=8 products=fp8");
    struct ec_prediction r, old, usual, new, eight;
    struct ec_err err = { 0 };

    usual = run(p, "tp=2 devices=8 attention=flash2");
    old = run(p, "tp=2 devices=8 attention=flash1");
    new = run(p, "tp=2 devices=8 attention=flash3");
    CHECK(new.step_time_ns.p50 < usual.step_time_ns.p50);
    CHECK(usual.step_time_ns.p50 < old.step_time_ns.p50);
    CHECK_FAILS(ec_predict_network(p, MODEL, DEVICE, &o, &r, &err), EC_E_UNSUPPORTED, "8 bits");
    usual = ask(p, MODEL, "h100-sxm5-80gb", &o);
    o = job("tp=2 devices=8");
    eight = usual;
    usual = ask(p, MODEL, "h100-sxm5-80gb", &o);
    CHECK(eight.step_time_ns.p50 < usual.step_time_ns.p50);
    CHECK(eight.step_time_ns.p50 > 0.5 * usual.step_time_ns.p50);
    o = job("tp=2 devices=8 products=mxfp8"); /* more scales to move */
    CHECK(ask(p, MODEL, "h100-sxm5-80gb", &o).step_time_ns.p50 > eight.step_time_ns.p50);
    ec_predictor_free(p);
}

/* 4 bits are for devices that have a rate for them, and less is gained than products gain. */
TEST(products_in_four_bits_need_a_rate)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts eight = job("tp=2 devices=8 products=mxfp8");
    struct ec_predict_opts four = job("tp=2 devices=8 products=nvfp4");
    struct ec_prediction r, fast, slow;
    struct ec_err err = { 0 };

    CHECK_FAILS(ec_predict_network(p, MODEL, "h100-sxm5-80gb", &four, &r, &err), EC_E_UNSUPPORTED,
                "4 bits");
    fast = ask(p, MODEL, "gb200", &four);
    slow = ask(p, MODEL, "gb200", &eight);
    CHECK(fast.step_time_ns.p50 < slow.step_time_ns.p50);
    CHECK(fast.step_time_ns.p50 > 0.5 * slow.step_time_ns.p50);
    ec_predictor_free(p);
}

/* Over a slow link nearly all of the sums are waited for: there is too little to hide behind. */
TEST(tensor_parallel_over_a_slow_link_waits)
{
    static const char words[] = "tp=8 devices=8";
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = job(words);
    struct ec_prediction near = ask(p, MODEL, "h100-sxm5-80gb", &o);
    struct ec_prediction far = ask(p, MODEL, "l40s", &o);

    CHECK(near.tensor_ns < 0.7 * near.communication_ns);
    CHECK(far.tensor_ns > 0.8 * far.communication_ns);
    ec_predictor_free(p);
}

/* Stages of several parts send in turn what each part needs, not all of it each time. */
TEST(parts_of_a_stage_send_their_own)
{
    struct ec_predictor *p = predictor();
    double one = run(p, "pp=4 devices=8 accumulation=16").pipeline_ns;
    double two = run(p, "pp=4 devices=8 accumulation=16 virtual_stages=2").pipeline_ns;

    CHECK(two > one && two < 3 * one);
    ec_predictor_free(p);
}

/* Replicas wait for each other in the same way, however the job is written. */
TEST(one_micro_batch_is_plain_data_parallel)
{
    static const char *const devices[] = { "devices=8 strategy=ddp", "devices=64 strategy=ddp",
                                           "devices=4 strategy=dp", "devices=4 strategy=mirrored" };
    static const char *const of[] = { "gpt2", "vit_b_16", "resnet50" };
    struct ec_predictor *p = predictor();
    int i, k;

    for (i = 0; p && i < EC_LEN(of); i++)
        for (k = 0; k < EC_LEN(devices); k++) {
            char plain[80], shared[80];
            struct ec_prediction a, b;

            (void)snprintf(plain, sizeof plain, "%s seq_len=512 batch=64", devices[k]);
            (void)snprintf(shared, sizeof shared, "%s seq_len=512 micro_batch=64 accumulation=1",
                           devices[k]);
            a = run_on(p, of[i], plain);
            b = run_on(p, of[i], shared);
            CHECK_NEAR(b.step_time_ns.p50, a.step_time_ns.p50, 0.05);
            CHECK_NEAR(b.wait_ns, a.wait_ns, 0.1); /* there, during the update too */
        }
    ec_predictor_free(p);
}

/* Gradients are added up with the last micro-batch alone, unless with each; one process sends the
 * parameters out with each. */
TEST(accumulation_adds_up_once_or_with_each_micro_batch)
{
    static const struct {
        const char *how;
        double once; /* exchanges of a step of 4 micro-batches, as those of a step of one */
    } of[] = {
        {"devices=8 strategy=ddp",       1},
        { "devices=8 zero=2",            1},
        { "devices=4 strategy=mirrored", 1},
        { "devices=4 strategy=dp",       4},
    };
    struct ec_predictor *p = predictor();
    char words[96];
    int i;

    for (i = 0; i < EC_LEN(of); i++) {
        struct ec_prediction one, once, each;

        (void)snprintf(words, sizeof words, "%s micro_batch=2 accumulation=1", of[i].how);
        one = run(p, words);
        (void)snprintf(words, sizeof words, "%s micro_batch=2 accumulation=4", of[i].how);
        once = run(p, words);
        (void)snprintf(words, sizeof words, "%s micro_batch=2 accumulation=4 reduce_each=1",
                       of[i].how);
        each = run(p, words);
        CHECK_NEAR(once.communication_ns, of[i].once * one.communication_ns, 1e-9);
        CHECK(each.communication_ns > 2 * one.communication_ns);
        CHECK(each.step_time_ns.p50 >= once.step_time_ns.p50);
        CHECK(once.step_time_ns.p50 > 2 * one.step_time_ns.p50);
        CHECK(once.step_time_ns.p50 <= 4 * one.step_time_ns.p50 * 1.001);
    }
    ec_predictor_free(p);
}

/* What is said to hide is not waited for, unless it is longer than the work beside it. */
TEST(exchange_between_experts_hides_as_far_as_is_said)
{
    static const char *const model = "mixtral_8x7b:layers=4";
    struct ec_predictor *p = predictor();
    struct ec_prediction usual = run_on(p, model, "devices=8 ep=8 micro_batch=1");
    struct ec_prediction none = run_on(p, model, "devices=8 ep=8 micro_batch=1 overlap_experts=0");
    struct ec_prediction all = run_on(p, model, "devices=8 ep=8 micro_batch=1 overlap_experts=1");
    struct ec_prediction serial =
        run_on(p, model, "devices=8 ep=8 micro_batch=1 overlap_experts=1 serial_exchange=1");
    struct ec_prediction slow = run_on(
        p, model,
        "devices=8 ep=8 micro_batch=1 overlap_experts=1 devices_per_machine=1 network_rate=1GB/s");

    CHECK_NEAR(usual.expert_ns, 0.6 * none.expert_ns, 1e-9);
    CHECK(all.expert_ns == 0 && none.expert_ns > 0);
    CHECK_NEAR(serial.expert_ns, none.expert_ns, 1e-9);
    CHECK(slow.expert_ns > slow.device_ns);
    ec_predictor_free(p);
}

TEST(waiting_for_each_exchange_takes_longer)
{
    static const char *const how[] = { "tp=4", "pp=2 tp=2", "cp=4", "zero=3", "zero=1" };
    struct ec_predictor *p = predictor();
    char words[96];
    int i;

    for (i = 0; i < EC_LEN(how); i++) {
        struct ec_prediction beside, apart;

        (void)snprintf(words, sizeof words, "%s devices=8", how[i]);
        beside = run(p, words);
        (void)snprintf(words, sizeof words, "%s devices=8 serial_exchange=1", how[i]);
        apart = run(p, words);
        CHECK(apart.step_time_ns.p50 >= beside.step_time_ns.p50);
        CHECK(apart.exposed_ns >= beside.exposed_ns);
        CHECK_NEAR(apart.communication_ns, beside.communication_ns, 1e-9);
    }
    ec_predictor_free(p);
}

/* What a predictor kept of the questions before changes no answer. */
TEST(answers_are_those_of_a_new_predictor)
{
    static const char *const how[] = {
        "tp=2 devices=8 micro_batch=1 accumulation=4",
        "tp=2 devices=8 micro_batch=1 accumulation=4 zero=3",
        "tp=2 pp=2 devices=8 micro_batch=1 accumulation=4",
        "tp=2 pp=2 devices=8 micro_batch=1 accumulation=4 recompute=full",
        "tp=2 pp=3 devices=6 micro_batch=1 accumulation=4",
        "tp=2 pp=2 virtual_stages=2 devices=8 micro_batch=1 accumulation=4",
        "tp=4 devices=8 micro_batch=1 accumulation=4 precision=fp16",
        "tp=4 devices=8 micro_batch=1 accumulation=4 sequence_parallel=1",
        "cp=2 devices=8 micro_batch=1 accumulation=4 optimizer=sgd",
        "devices=8 micro_batch=1 accumulation=4 mode=forward_backward",
    };
    static const char *const on[] = { DEVICE, "h100-sxm5-80gb" };
    struct ec_predictor *kept = predictor(), *fresh;
    int i, k, n = 2 * EC_LEN(how);

    for (i = 0; kept && i < n * n; i += 7) /* pairs in changing order */
        for (k = 0; k < 2; k++) {
            struct ec_predict_opts o = job(how[(k ? i : i / n) / 2 % EC_LEN(how)]);
            const char *device = on[(k ? i : i / n) % 2];
            struct ec_prediction a, b;

            a = ask(kept, MODEL, device, &o);
            fresh = predictor();
            b = ask(fresh, MODEL, device, &o);
            CHECK(a.step_time_ns.p50 == b.step_time_ns.p50 &&
                  a.memory_peak_bytes.p50 == b.memory_peak_bytes.p50);
            CHECK(a.model_flop == b.model_flop && a.pipeline_ns == b.pipeline_ns);
            ec_predictor_free(fresh);
        }
    ec_predictor_free(kept);
}
