/* Pooling: shapes, what is kept, and windows counted by sliding them. */
#include "op/case.h"

TEST(shapes)
{
    CHECK_SHAPE("max_pool2d n=32 c=64 h=112 w=112 r=3 stride=2 pad=1", "32x64x56x56");
    CHECK_SHAPE("max_pool2d n=1 c=2 h=7 w=8 r=2", "1x2x3x4");
    CHECK_SHAPE("max_pool2d n=1 c=2 h=7 w=8 r=2 s=3 stride=0x1", "1x2x3x6");
    CHECK_SHAPE("avg_pool3d n=1 c=2 d=4 h=8 w=8 t=2 r=2", "1x2x2x4x4");
    CHECK_SHAPE("max_pool2d n=1 c=2 h=7 w=8 r=2 stride=2 pad=same", "1x2x4x4");
    /* ceil mode, as PyTorch counts */
    CHECK_SHAPE("max_pool1d n=1 c=1 w=7 r=3 stride=2 pad=1 ceil=1", "1x1x4");
    CHECK_SHAPE("max_pool1d n=1 c=1 w=6 r=3 stride=2 ceil=1", "1x1x3");
    CHECK_SHAPE("max_pool1d n=1 c=1 w=5 r=2 stride=3 ceil=1", "1x1x2");
    CHECK_SHAPE("max_pool1d n=1 c=1 w=4 r=2 stride=3 pad=1 ceil=1", "1x1x2");
    CHECK_SHAPE("max_pool1d n=1 c=1 w=3 r=1 stride=3 ceil=1", "1x1x1");
    CHECK_SHAPE("global_avg_pool x=32x2048x7x7", "32x2048x1x1");
    CHECK_SHAPE("adaptive_avg_pool x=32x512x14x13 out=7", "32x512x7x7");
    CHECK_SHAPE("adaptive_max_pool x=32x512x14x13 out=7x6", "32x512x7x6");
    CHECK_REFUSED("max_pool2d n=1 c=2 h=2 w=8 r=3", EC_E_SHAPE,
                  "kernel 3x3 exceeds padded input 2x8");
    CHECK_REFUSED("avg_pool2d n=1 c=2 h=2 w=8 r=3 dil=1", EC_E_INPUT, "no \"dil\"");
    CHECK_REFUSED("adaptive_avg_pool x=32x512 out=7", EC_E_SHAPE, "expected 3 to 5");
    CHECK_REFUSED("adaptive_avg_pool x=32x5x9x9 out=7x7x7", EC_E_SHAPE, "expected 1 or 2");
    CHECK_REFUSED("global_avg_pool x=3x2", EC_E_SHAPE, "at least 3");
}

TEST(max_keeps_input_and_indices)
{
    struct ec_owned_case c = { 0 };
    struct ec_saved s = { 0 };

    if (!case_open("max_pool2d n=1 c=2 h=8 w=8 r=2", &c))
        return;
    c.c.op->saved(&c.c, &s);
    CHECK_INT(s.in_mask, 1);
    CHECK_NEAR(s.extra_bytes, 8 * 32, 0);
    CHECK_NEAR(case_kernel(&c.c, EC_FORWARD, 0).fixed_bytes, 8 * 32, 0);
    CHECK_NEAR(case_kernel(&c.c, EC_GRAD_DATA, 0).write_elems, 128, 0);
    ec_case_clear(&c);
}

TEST(mean_over_the_plane_keeps_nothing)
{
    struct ec_owned_case c = { 0 };
    struct ec_saved s = { 0 };

    if (!case_open("adaptive_avg_pool x=4x16x7x7", &c))
        return;
    c.c.op->saved(&c.c, &s);
    CHECK_INT(s.in_mask, 0);
    CHECK_INT(case_kernel(&c.c, EC_FORWARD, 0).kclass, EC_K_REDUCE);
    CHECK_NEAR(case_kernel(&c.c, EC_FORWARD, 0).n, 49, 0);
    ec_case_clear(&c);
}

static int64_t slide(int64_t in, int64_t filter, int64_t stride, int64_t pad, int64_t dil)
{
    int64_t start, n = 0;

    for (start = -pad; start + (filter - 1) * dil < in + pad; start += stride)
        n++;
    return n;
}

/* One comparison per window element, padding counted. */
TEST(agrees_with_sliding_windows)
{
    uint64_t seed;

    for (seed = 1; seed <= 200; seed++) {
        struct ec_rng r;
        struct ec_owned_case c = { 0 };
        struct ec_err err = { 0 };
        char text[200];
        int64_t h, w, f, stride, pad, dil, p, q, want;
        enum ec_status st;

        ec_rng_seed(&r, seed);
        h = ec_rng_range(&r, 1, 20);
        w = ec_rng_range(&r, 1, 20);
        f = ec_rng_range(&r, 1, 4);
        stride = ec_rng_range(&r, 1, 3);
        pad = ec_rng_range(&r, 0, 1);
        dil = ec_rng_range(&r, 1, 2);
        (void)snprintf(text, sizeof text,
                       "max_pool2d n=2 c=3 h=%d w=%d r=%d stride=%d pad=%d dil=%d", (int)h, (int)w,
                       (int)f, (int)stride, (int)pad, (int)dil);
        p = slide(h, f, stride, pad, dil);
        q = slide(w, f, stride, pad, dil);
        want = 6 * p * q * f * f;
        st = ec_case_parse(text, &c, &err);
        if (st != (want ? EC_OK : EC_E_SHAPE))
            test_fail(__FILE__, __LINE__, "seed %d: %s: %s", (int)seed, text, err.text);
        else if (want && ((int64_t)case_count(&c.c, EC_FORWARD).flop != want ||
                          c.c.out[0]->shape.d[2] != p || c.c.out[0]->shape.d[3] != q))
            test_fail(__FILE__, __LINE__, "seed %d: %s: rules and reference disagree", (int)seed,
                      text);
        ec_case_clear(&c);
    }
}
