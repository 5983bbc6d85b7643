/* Recurrent layers and attention: parameters as PyTorch counts them, and loops over steps. */
#include "op/case.h"

static double params_of(const char *text)
{
    struct ec_owned_case c = { 0 };
    double n = -1;

    if (case_open(text, &c))
        n = case_params(&c.c);
    ec_case_clear(&c);
    return n;
}

/* sum(p.numel() for p in module.parameters()) */
TEST(parameters)
{
    CHECK_NEAR(params_of("lstm n=1 t=1 c=128 hidden=256 layers=2 bidir=1"), 2367488, 0);
    CHECK_NEAR(params_of("gru n=1 t=1 c=128 hidden=256 layers=2 bidir=1"), 1775616, 0);
    CHECK_NEAR(params_of("rnn n=1 t=1 c=10 hidden=20 layers=3 bias=0"), 2200, 0);
    CHECK_NEAR(params_of("multi_head_attention n=1 t=1 c=768 heads=12"), 2362368, 0);
    CHECK_NEAR(params_of("layer_norm x=4x16x32 dims=2"), 1024, 0);
    CHECK_NEAR(params_of("embedding x=3x4 num=30522 dim=768"), 30522.0 * 768, 0);
    CHECK_NEAR(params_of("positional_encoding n=1 t=4 c=8 learned=1 max_len=16"), 128, 0);
    CHECK_NEAR(params_of("positional_encoding n=1 t=4 c=8"), 0, 0);
}

TEST(roles_are_pytorchs)
{
    struct ec_owned_case c = { 0 };
    struct ec_param_list l = { 0 };

    if (!case_open("gru n=1 t=1 c=3 hidden=5 layers=2 bidir=1", &c))
        return;
    c.c.op->params(&c.c, &l);
    CHECK_INT(l.n, 16);
    CHECK_STR(l.p[0].role, "weight_ih_l0");
    CHECK_INT(l.p[0].shape.d[0], 15);
    CHECK_INT(l.p[0].shape.d[1], 3);
    CHECK_STR(l.p[5].role, "weight_hh_l0_reverse");
    CHECK_STR(l.p[8].role, "weight_ih_l1");
    CHECK_INT(l.p[8].shape.d[1], 10);
    CHECK_STR(l.p[15].role, "bias_hh_l1_reverse");
    ec_case_clear(&c);
}

TEST(steps_depend_on_each_other)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;

    if (!case_open("lstm n=32 t=100 c=128 hidden=256 bidir=1", &c))
        return;
    k = case_kernel(&c.c, EC_FORWARD, 0);
    CHECK_INT(k.kclass, EC_K_GEMM);
    CHECK_NEAR(k.m, 3200, 0);
    CHECK_NEAR(k.n, 1024, 0);
    CHECK_NEAR(k.k, 128, 0);
    k = case_kernel(&c.c, EC_FORWARD, 1);
    CHECK_INT(k.kclass, EC_K_RNN);
    CHECK_NEAR(k.serial, 100, 0);
    CHECK_NEAR(k.b, 2, 0);
    CHECK_NEAR(k.m, 32, 0);
    CHECK_NEAR(k.n, 1024, 0);
    CHECK_NEAR(k.k, 256, 0);
    CHECK_INT(case_kernel(&c.c, EC_GRAD_DATA, 0).for_input, 0); /* weights need the steps too */
    CHECK_INT(case_kernel(&c.c, EC_GRAD_DATA, 1).for_input, 1);
    ec_case_clear(&c);
    CHECK_SHAPE("lstm n=32 t=100 c=128 hidden=256 bidir=1", "32x100x512");
    CHECK_REFUSED("gru n=1 t=2 c=3", EC_E_INPUT, "hidden (features of the state)");
    CHECK_REFUSED("gru n=1 t=2 c=3 hidden=5 layers=9", EC_E_INPUT, "layers");
    CHECK_REFUSED("gru n=1 t=2 c=1000000000 hidden=1000000000000", EC_E_SHAPE, "above 2^60");
}

/* Every step of every direction and layer: each gate of each state element looks at the layer's
 * input and at the state. */
static int64_t count_rnn(int64_t n, int64_t t, int64_t c, int64_t h, int gates, int layers,
                         int dirs)
{
    int64_t count = 0, in = c, step, batch, g, i;
    int layer, dir;

    for (layer = 0; layer < layers; layer++) {
        for (dir = 0; dir < dirs; dir++)
            for (step = 0; step < t; step++)
                for (batch = 0; batch < n; batch++)
                    for (g = 0; g < gates * h; g++) {
                        for (i = 0; i < in; i++)
                            count++;
                        for (i = 0; i < h; i++)
                            count++;
                    }
        in = h * dirs;
    }
    return count;
}

TEST(agrees_with_loops)
{
    static const char *const names[] = { "rnn", "gru", "lstm" };
    static const int gates[] = { 1, 3, 4 };
    uint64_t seed;

    for (seed = 1; seed <= 100; seed++) {
        struct ec_rng r;
        struct ec_owned_case c = { 0 };
        char text[200];
        int64_t n, t, f, h, want;
        int cell, layers, dirs, p;

        ec_rng_seed(&r, seed);
        cell = (int)ec_rng_range(&r, 0, 2);
        n = ec_rng_range(&r, 1, 3);
        t = ec_rng_range(&r, 1, 4);
        f = ec_rng_range(&r, 1, 5);
        h = ec_rng_range(&r, 1, 5);
        layers = (int)ec_rng_range(&r, 1, 8);
        dirs = (int)ec_rng_range(&r, 1, 2);
        (void)snprintf(text, sizeof text, "%s n=%d t=%d c=%d hidden=%d layers=%d bidir=%d",
                       names[cell], (int)n, (int)t, (int)f, (int)h, layers, dirs - 1);
        want = count_rnn(n, t, f, h, gates[cell], layers, dirs);
        if (!case_open(text, &c))
            continue;
        for (p = EC_FORWARD; p <= EC_GRAD_WEIGHT; p++)
            if ((int64_t)case_mac(&c.c, (enum ec_phase)p) != want)
                test_fail(__FILE__, __LINE__, "seed %d: %s: %s has %g MAC, want %lld", (int)seed,
                          text, ec_phase_name((enum ec_phase)p), case_mac(&c.c, (enum ec_phase)p),
                          (long long)want);
        ec_case_clear(&c);
    }
}

TEST(fused_attention)
{
    struct ec_owned_case c = { 0 };
    struct ec_saved s = { 0 };

    if (!case_open("attention b=96 t=512 u=512 d=64 e=64", &c))
        return;
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), 2.0 * 96 * 512 * 512 * 64, 0);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_DATA), 5.0 * 96 * 512 * 512 * 64, 0);
    c.c.op->saved(&c.c, &s);
    CHECK_INT(s.in_mask, 7);
    CHECK_INT(s.out_mask, 1);
    CHECK_NEAR(s.extra_bytes, 4.0 * 96 * 512, 0);
    ec_case_clear(&c);
    if (!case_open("attention b=1 t=4 u=4 d=1 e=1 causal=1", &c))
        return;
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), 20, 0); /* 1 + 2 + 3 + 4 pairs, two products */
    ec_case_clear(&c);
}

/* Queries see 1, 2, 3, 3 and 3 keys. */
TEST(attention_in_a_window)
{
    struct ec_owned_case c = { 0 };

    if (!case_open("attention b=1 t=5 u=5 d=1 e=1 causal=1 window=3", &c))
        return;
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), 2 * 12, 0);
    ec_case_clear(&c);
    CHECK_REFUSED("attention b=1 t=5 u=5 d=1 e=1 window=3", EC_E_INPUT, "causal=1");
}

/* Rows of tokens times their experts; both products have two gradients. */
TEST(mixture_of_experts)
{
    struct ec_owned_case c = { 0 };

    if (!case_open("experts m=8 c=3 e=4 top_k=2 ffn=5", &c))
        return;
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), 16 * 3 * (10 + 5), 1e-9);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_DATA), 16 * 3 * (10 + 5), 1e-9);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_WEIGHT), 16 * 3 * (10 + 5), 1e-9);
    ec_case_clear(&c);
    CHECK_NEAR(params_of("experts m=1 c=3 e=4 top_k=2 ffn=5"), 4 * 3 * (10 + 5), 0);
    CHECK_NEAR(params_of("experts m=1 c=3 e=4 ffn=5 gated=0 bias=1"), 4 * (3 * 10 + 5 + 3), 0);
    CHECK_REFUSED("experts m=8 c=3 e=4 top_k=5 ffn=5", EC_E_SHAPE, "4 experts");
    CHECK_REFUSED("experts m=8 c=3 e=4", EC_E_INPUT, "ffn");
}

TEST(attention_layer)
{
    struct ec_owned_case c = { 0 };
    double scores = 2.0 * 3 * 5 * 5 * 4;

    if (!case_open("multi_head_attention n=2 t=5 c=12 heads=3", &c))
        return;
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), 10 * 12 * 48 + 2 * scores, 0);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_DATA), 10 * 12 * 48 + 4 * scores, 0);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_WEIGHT), 10 * 12 * 48, 0);
    ec_case_clear(&c);
    CHECK_REFUSED("multi_head_attention n=2 t=5 c=12 heads=5", EC_E_SHAPE,
                  "12 features cannot be divided into 5 heads");
    CHECK_REFUSED("multi_head_attention n=2 t=1000000000 c=16 heads=8", EC_E_SHAPE, "scores");
}
