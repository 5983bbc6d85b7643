/* Samples of many lengths: padded or packed, against draws by chance. */
#include "ask.h"

#include <math.h>

#define H100 "h100-sxm5-80gb"

static struct ec_predict_opts of_tokens(int64_t batch)
{
    struct ec_predict_opts o = options(batch);

    o.cond.precision = EC_BF16;
    o.cond.optimizer = EC_OPT_adamw;
    return o;
}

/* Mean of the longest of n samples, drawn. */
static double drawn_longest(int n, double share, double lo, double hi)
{
    double sum = 0;
    struct ec_rng rng;
    int i, k;

    ec_rng_seed(&rng, 3);
    for (i = 0; i < 20000; i++) {
        double longest = lo;

        for (k = 0; k < n; k++)
            longest = ec_rng_unit(&rng) < share ? longest : hi;
        sum += longest;
    }
    return sum / 20000;
}

TEST(padding_is_to_the_longest_of_a_micro_batch)
{
    static const int batches[] = { 1, 2, 4, 8, 16 };
    struct ec_predictor *p = predictor();
    struct ec_prediction r, alike, full;
    double last = 0;
    int i;

    for (i = 0; i < EC_LEN(batches); i++) {
        struct ec_predict_opts o = of_tokens(batches[i]);
        double longest = drawn_longest(batches[i], 0.8, 128, 1024);

        o.lengths = "128:0.8,1024:0.2";
        r = ask(p, "gpt2", H100, &o);
        CHECK_NEAR(r.mean_tokens, 0.8 * 128 + 0.2 * 1024, 1e-12);
        CHECK(fabs((double)r.seq_len - longest) < 0.02 * longest + 8);
        CHECK_NEAR(r.padding_frac, 1 - r.mean_tokens / (double)r.seq_len, 1e-12);
        CHECK(r.padding_frac >= last); /* more samples, more padding */
        last = r.padding_frac;
        o.lengths = NULL;
        o.seq_len = r.seq_len;
        alike = ask(p, "gpt2", H100, &o);
        CHECK_NEAR(r.step_time_ns.p50, alike.step_time_ns.p50, 1e-12);
        o.seq_len = 1024; /* the memory is that of the fullest micro-batch */
        full = ask(p, "gpt2", H100, &o);
        CHECK_NEAR(r.memory_peak_bytes.p50, full.memory_peak_bytes.p50, 1e-12);
    }
    ec_predictor_free(p);
}

TEST(packing_trains_the_tokens_alone)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_tokens(8);
    struct ec_prediction packed, padded, all;

    o.lengths = "100:3,200,900:1";
    o.samples = 100000;
    o.seq_len = 1024;
    padded = ask(p, "gpt2", H100, &o);
    o.padding = EC_PADDING_max;
    all = ask(p, "gpt2", H100, &o);
    CHECK_INT(all.seq_len, 1024);
    o.padding = EC_PADDING_packed;
    packed = ask(p, "gpt2", H100, &o);
    CHECK(packed.padding_frac == 0 && all.padding_frac > padded.padding_frac);
    CHECK(packed.job_time_ns.p50 < padded.job_time_ns.p50);
    CHECK(padded.job_time_ns.p50 < all.job_time_ns.p50);
    CHECK_NEAR(packed.job_time_ns.p50,
               packed.step_time_ns.p50 * ceil(ceil(1e5 * (300 + 200 + 900) / 5 / 1024) / 8), 1e-9);
    o.samples = 0;
    o.tokens = 28000000; /* of the samples: as many as before */
    CHECK_NEAR(ask(p, "gpt2", H100, &o).job_time_ns.p50, packed.job_time_ns.p50, 1e-3);
    o.padding = EC_PADDING_longest;
    CHECK_NEAR(ask(p, "gpt2", H100, &o).job_time_ns.p50, padded.job_time_ns.p50, 1e-3);
    ec_predictor_free(p);
}

#define FILE_NAME "./sample-lengths.csv"
TEST(a_file_has_a_length_on_each_line)
{
    static const char text[] = "tokens\n100\n\n300\r\n2000\n";
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_tokens(4);
    struct ec_prediction r;
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(FILE_NAME, text, sizeof text - 1, &err));
    o.seq_len = 1000; /* cuts */
    o.lengths = FILE_NAME;
    CHECK_NEAR(ask(p, "gpt2", H100, &o).mean_tokens, 1400.0 / 3, 1e-9);
    CHECK_OK(ec_file_write(FILE_NAME, "100\nx\n", 6, &err));
    CHECK_FAILS(ec_predict_network(p, "gpt2", H100, &o, &r, &err), EC_E_INPUT, "line 2");
    (void)remove(FILE_NAME);
    ec_predictor_free(p);
}

TEST(lengths_that_are_none_are_refused)
{
    static const char *const texts[] = { "many", "0",      "-5",  "100:0", "100:x", "100,,200",
                                         "1e9",  "100:-1", "nan", ":",     ",",     "/nowhere/x" };
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = of_tokens(4);
    struct ec_prediction r;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        o.lengths = texts[i];
        CHECK(ec_predict_network(p, "gpt2", H100, &o, &r, &err) != EC_OK);
    }
    o.lengths = "100,200";
    CHECK_FAILS(ec_predict_network(p, "resnet50", H100, &o, &r, &err), EC_E_INPUT, "tokens");
    o.lengths = NULL;
    o.padding = EC_PADDING_packed;
    CHECK_FAILS(ec_predict_network(p, "gpt2", H100, &o, &r, &err), EC_E_INPUT, "--lengths");
    ec_predictor_free(p);
}
