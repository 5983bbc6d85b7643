/* Convolution: known shapes and counts, refusals, and a reference that walks every window of
 * random cases and counts its multiply-adds. */
#include "op/case.h"
#include "op/contract.h"

TEST(resnet_stem)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;

    if (!case_open("conv2d n=32 c=3 h=224 w=224 k=64 r=7 stride=2 pad=3 bias=0", &c))
        return;
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), 32.0 * 64 * 112 * 112 * 147, 0);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_DATA), 32.0 * 64 * 112 * 112 * 147, 0);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_WEIGHT), 32.0 * 64 * 112 * 112 * 147, 0);
    CHECK_NEAR(case_params(&c.c), 9408, 0);
    k = case_kernel(&c.c, EC_FORWARD, 0);
    CHECK_NEAR(k.m, 32.0 * 112 * 112, 0);
    CHECK_NEAR(k.n, 64, 0);
    CHECK_NEAR(k.k, 147, 0);
    CHECK_NEAR(k.stride, 2, 1e-12);
    CHECK_NEAR(k.read_elems, 32.0 * 3 * 224 * 224, 0);
    CHECK_NEAR(k.write_elems, 32.0 * 64 * 112 * 112, 0);
    CHECK_NEAR(k.weight_elems, 9408, 0);
    CHECK_INT(k.kclass, EC_K_CONV);
    CHECK(k.flags & EC_KF_MATRIX);
    k = case_kernel(&c.c, EC_GRAD_DATA, 0);
    CHECK_NEAR(k.m, 32.0 * 224 * 224, 0);
    CHECK_NEAR(k.n, 3, 0);
    CHECK_NEAR(k.k, 64.0 * 49, 0);
    CHECK_INT(k.for_input, 1);
    k = case_kernel(&c.c, EC_GRAD_WEIGHT, 0);
    CHECK_NEAR(k.m, 64, 0);
    CHECK_NEAR(k.n, 147, 0);
    CHECK_NEAR(k.k, 32.0 * 112 * 112, 0);
    ec_case_clear(&c);
}

TEST(bias_costs_a_reduction_backward)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;

    if (!case_open("conv2d n=2 c=8 h=10 w=10 k=16 r=3 pad=1", &c))
        return;
    CHECK_NEAR(case_params(&c.c), 16 * 8 * 9 + 16, 0);
    k = case_kernel(&c.c, EC_GRAD_WEIGHT, 1);
    CHECK_INT(k.kclass, EC_K_REDUCE);
    CHECK_NEAR(k.m, 16, 0);
    CHECK_NEAR(k.n, 200, 0);
    CHECK_NEAR(k.weight_elems, 16, 0);
    ec_case_clear(&c);
}

TEST(one_channel_per_group_is_depthwise)
{
    struct ec_owned_case c = { 0 };

    if (case_open("conv2d n=2 c=32 h=8 w=8 k=32 r=3 pad=1 groups=32", &c))
        CHECK_INT(case_kernel(&c.c, EC_FORWARD, 0).kclass, EC_K_DEPTHWISE);
    ec_case_clear(&c);
    if (case_open("conv2d n=2 c=1 h=8 w=8 k=32 r=3 pad=1", &c)) /* grey images are not */
        CHECK_INT(case_kernel(&c.c, EC_FORWARD, 0).kclass, EC_K_CONV);
    ec_case_clear(&c);
}

/* A group of channels is of one sample, and the filters are read as activations. */
TEST(filters_of_each_sample)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;
    double mac = 4.0 * 16 * 10 * 10 * 4 * 9, filters = 4.0 * 16 * 4 * 9;

    if (!case_open("conv2d_each n=4 c=8 h=10 w=10 y=4x16x4x3x3 k=16 r=3 pad=1 groups=2", &c))
        return;
    CHECK_NEAR(case_params(&c.c), 0, 0);
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), mac, 0);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_DATA), 2 * mac, 0); /* of the maps and of the filters */
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_WEIGHT), 0, 0);
    k = case_kernel(&c.c, EC_FORWARD, 0);
    CHECK_NEAR(k.groups, 4 * 2, 0);
    CHECK_NEAR(k.m, 100, 0);
    CHECK_NEAR(k.read_elems, 4 * 8 * 100 + filters, 0);
    CHECK_NEAR(k.weight_elems, 0, 0);
    k = case_kernel(&c.c, EC_GRAD_DATA, 1);
    CHECK_INT(k.for_input, 2);
    CHECK_NEAR(k.read_elems, 4 * 8 * 100 + 4 * 16 * 100, 0);
    CHECK_NEAR(k.write_elems, filters, 0);
    ec_case_clear(&c);
    if (case_open("conv2d_each n=2 c=32 h=8 w=8 y=2x32x1x3x3 k=32 r=3 pad=1 groups=32", &c))
        CHECK_INT(case_kernel(&c.c, EC_FORWARD, 0).kclass, EC_K_DEPTHWISE);
    ec_case_clear(&c);
}

/* The transposed ones and the parameters are PyTorch's. */
TEST(shapes)
{
    struct ec_owned_case c = { 0 };

    CHECK_SHAPE("conv2d n=32 c=3 h=224 w=224 k=64 r=7 stride=2 pad=3", "32x64x112x112");
    CHECK_SHAPE("conv2d n=1 c=3 h=7 w=9 k=4 r=3 s=1 pad=1x0 stride=2x1", "1x4x4x9");
    CHECK_SHAPE("conv2d n=1 c=3 h=7 w=9 k=4 r=3 pad=0x1x2x3 stride=2", "1x4x4x6");
    CHECK_SHAPE("conv2d n=1 c=3 h=7 w=9 k=4 r=3 dil=2", "1x4x3x5");
    CHECK_SHAPE("conv2d n=1 c=3 h=7 w=9 k=4 r=4 pad=same stride=2", "1x4x4x5");
    CHECK_SHAPE("conv2d n=1 c=3 h=7 w=9 k=4 r=4 pad=valid", "1x4x4x6");
    CHECK_SHAPE("conv1d n=2 c=80 w=3000 k=384 r=3 pad=1 stride=2", "2x384x1500");
    CHECK_SHAPE("conv3d n=2 c=3 d=16 h=112 w=112 k=64 t=3 r=7 stride=1x2x2 pad=1x3x3",
                "2x64x16x56x56");
    CHECK_SHAPE("conv_transpose1d n=1 c=1 w=7 k=1 r=3 stride=2 pad=1 out_pad=1", "1x1x14");
    CHECK_SHAPE("conv_transpose1d n=1 c=1 w=4 k=1 r=4 stride=2 pad=1", "1x1x8");
    CHECK_SHAPE("conv_transpose1d n=1 c=1 w=5 k=1 r=3 dil=2 stride=3 pad=2 out_pad=2", "1x1x15");
    CHECK_SHAPE("conv_transpose2d n=1 c=8 h=5 w=6 k=4 r=3 pad=same stride=2", "1x4x10x12");
    if (case_open("conv_transpose2d n=1 c=128 h=4 w=4 k=64 r=2 stride=2", &c))
        CHECK_NEAR(case_params(&c.c), 32832, 0);
    ec_case_clear(&c);
    if (case_open("conv2d n=1 c=64 h=9 w=9 k=128 r=3 groups=4", &c))
        CHECK_NEAR(case_params(&c.c), 18560, 0);
    ec_case_clear(&c);
}

TEST(refusals)
{
    CHECK_REFUSED("conv2d n=1 c=3 h=5 w=5 k=8 r=7", EC_E_SHAPE,
                  "kernel 7x7 exceeds padded input 5x5");
    CHECK_REFUSED("conv2d n=1 c=3 h=5 w=5 k=8 r=3 dil=4 pad=1", EC_E_SHAPE,
                  "kernel 9x9 exceeds padded input 7x7");
    CHECK_REFUSED("conv2d n=1 c=3 h=5 w=5 r=3", EC_E_INPUT, "k (output channels)");
    CHECK_REFUSED("conv2d n=1 c=6 h=5 w=5 k=8 r=3 groups=4", EC_E_SHAPE,
                  "6 input channels cannot be divided into 4 groups");
    CHECK_REFUSED("conv2d n=1 c=8 h=5 w=5 k=6 r=3 groups=4", EC_E_SHAPE, "6 output channels");
    CHECK_REFUSED("conv2d n=1 c=8 h=5 w=5 k=6 r=3 stride=1x1x1", EC_E_SHAPE, "expected 1 or 2");
    CHECK_REFUSED("conv2d n=1 c=8 h=5 w=5 k=6 r=3 pad=1x1x1", EC_E_SHAPE, "pad has 3 numbers");
    CHECK_REFUSED("conv2d n=1 c=8 h=5 w=5 k=6 r=3 stride=0", EC_E_INPUT, "stride");
    CHECK_REFUSED("conv2d n=1 c=8 h=5 w=5 k=6 r=3 stride=", EC_E_SHAPE, "stride has 0 numbers");
    CHECK_REFUSED("conv2d n=1 c=8 h=5 w=5 k=6 r=0", EC_E_INPUT, "r:");
    CHECK_REFUSED("conv2d_each n=2 c=8 h=5 w=5 y=6x8x3x3 k=6 r=3", EC_E_SHAPE,
                  "filters are 6x8x3x3, expected 2x6x8x3x3");
    CHECK_REFUSED("conv2d_each n=2 c=8 h=5 w=5 y=2x6x8x3x3 k=6 r=3 groups=4", EC_E_SHAPE,
                  "6 output channels");
    CHECK_REFUSED("conv1d n=1 c=8 w=5 k=6 s=3", EC_E_INPUT, "conv1d has no \"s\"");
    CHECK_REFUSED("conv_transpose2d n=1 c=1 h=2 w=2 k=1 r=1 out_pad=1", EC_E_SHAPE, "out_pad 1");
    CHECK_REFUSED("conv_transpose2d n=1 c=1 h=1 w=1 k=1 r=1 pad=1", EC_E_SHAPE, "leaves no output");
}

TEST(hostile_sizes)
{
    CHECK_REFUSED("conv2d n=1000000 c=1000000 h=1000000 w=2 k=8", EC_E_SHAPE, "too many elements");
    CHECK_REFUSED("conv2d n=1000000 c=1 h=1000000 w=1000 k=1000000", EC_E_SHAPE, "2^60");
    CHECK_REFUSED("conv2d n=1 c=1000000000 h=1 w=1 k=1000000000 r=3 pad=1", EC_E_SHAPE,
                  "parameter weight");
    CHECK_REFUSED("conv1d n=1 c=1 w=1000000000000000000 k=1", EC_E_SHAPE, "input extent");
    CHECK_REFUSED("conv_transpose1d n=1 c=1 w=1000000000000 k=1000 r=2 stride=65536", EC_E_SHAPE,
                  "2^60");
    CHECK_REFUSED("conv2d n=1 c=8 h=5 w=5 k=6 r=99999999", EC_E_INPUT, "r:");
    CHECK_REFUSED("conv2d n=1 c=8 h=5 w=5 k=9223372036854775807", EC_E_INPUT, "k:");
}

/* --- The counting reference --- */

struct random_conv {
    int dims;
    bool transposed, same;
    int64_t n, c, k, groups;
    int64_t in[3], filter[3], stride[3], lo[3], hi[3], dil[3], out_pad[3];
};

static struct random_conv draw(struct ec_rng *r)
{
    struct random_conv x = { 0 };
    int i;

    x.dims = (int)ec_rng_range(r, 1, 3);
    x.transposed = ec_rng_range(r, 0, 3) == 0;
    x.same = !x.transposed && ec_rng_range(r, 0, 4) == 0;
    x.n = ec_rng_range(r, 1, 2);
    x.groups = ec_rng_range(r, 1, 3);
    x.c = x.groups * ec_rng_range(r, 1, 3);
    x.k = x.groups * ec_rng_range(r, 1, 3);
    for (i = 0; i < 3; i++) {
        bool used = i < x.dims;

        x.in[i] = used ? ec_rng_range(r, 1, x.dims == 3 ? 6 : 12) : 1;
        x.filter[i] = used ? ec_rng_range(r, 1, 3) : 1;
        x.stride[i] = used ? ec_rng_range(r, 1, 3) : 1;
        x.dil[i] = used ? ec_rng_range(r, 1, 2) : 1;
        x.lo[i] = used && !x.same ? ec_rng_range(r, 0, 2) : 0;
        x.hi[i] = used && !x.same ? ec_rng_range(r, 0, 2) : 0;
        x.out_pad[i] = used && x.transposed ? ec_rng_range(r, 0, x.stride[i] - 1) : 0;
    }
    return x;
}

static void put_list(struct ec_buf *b, const char *name, const int64_t *v, int n)
{
    int i;

    ec_buf_printf(b, " %s=", name);
    for (i = 0; i < n; i++)
        ec_buf_printf(b, "%s%lld", i ? "x" : "", (long long)v[i]);
}

static void put_case(struct ec_buf *b, const struct random_conv *x)
{
    static const char *const dim_names[] = { "w", "hw", "dhw" };
    static const char *const filter_names[] = { "r", "rs", "trs" };
    int64_t pads[6];
    int i;

    ec_buf_printf(b, "conv%s%dd n=%lld c=%lld", x->transposed ? "_transpose" : "", x->dims,
                  (long long)x->n, (long long)x->c);
    for (i = 0; i < x->dims; i++)
        ec_buf_printf(b, " %c=%lld %c=%lld", dim_names[x->dims - 1][i], (long long)x->in[i],
                      filter_names[x->dims - 1][i], (long long)x->filter[i]);
    ec_buf_printf(b, " k=%lld groups=%lld", (long long)x->k, (long long)x->groups);
    put_list(b, "stride", x->stride, x->dims);
    put_list(b, "dil", x->dil, x->dims);
    for (i = 0; i < x->dims; i++) {
        pads[i] = x->lo[i];
        pads[x->dims + i] = x->hi[i];
    }
    if (x->same)
        ec_buf_str(b, " pad=same");
    else
        put_list(b, "pad", pads, 2 * x->dims);
    if (x->transposed)
        put_list(b, "out_pad", x->out_pad, x->dims);
}

/* Windows along one dimension, by sliding until the window leaves the padded input. */
static int64_t slide(const struct random_conv *x, int i)
{
    int64_t start, last, n = 0;

    for (start = -x->lo[i];; start += x->stride[i]) {
        last = start + (x->filter[i] - 1) * x->dil[i];
        if (x->same ? start >= x->in[i] : last >= x->in[i] + x->hi[i])
            return n;
        n++;
    }
}

/* Extent reached by scattering each input, then cropped and extended. */
static int64_t scatter(const struct random_conv *x, int i)
{
    int64_t pos, tap, reach = 0;

    for (pos = 0; pos < x->in[i]; pos++)
        for (tap = 0; tap < x->filter[i]; tap++)
            if (pos * x->stride[i] + tap * x->dil[i] >= reach)
                reach = pos * x->stride[i] + tap * x->dil[i] + 1;
    return reach - x->lo[i] - x->hi[i] + x->out_pad[i];
}

/* Multiply-adds at one position of every dimension: each output channel takes its group's inputs
 * (or each input channel gives to its group's outputs) through every filter element. */
static int64_t at_position(const struct random_conv *x)
{
    int64_t many = x->transposed ? x->c : x->k, few = x->transposed ? x->k : x->c;
    int64_t a, b, t, r, s, n = 0;

    for (a = 0; a < many; a++)
        for (b = 0; b < few; b++) {
            if (a / (many / x->groups) != b / (few / x->groups))
                continue; /* another group */
            for (t = 0; t < x->filter[0]; t++)
                for (r = 0; r < x->filter[1]; r++)
                    for (s = 0; s < x->filter[2]; s++)
                        n++;
        }
    return n;
}

static int64_t count_mac(const struct random_conv *x, const int64_t *positions)
{
    int64_t i, a, b, c, n = 0;

    for (i = 0; i < x->n; i++)
        for (a = 0; a < positions[0]; a++)
            for (b = 0; b < positions[1]; b++)
                for (c = 0; c < positions[2]; c++)
                    n += at_position(x);
    return n;
}

static bool agrees(const struct random_conv *x, const struct ec_case *c, const int64_t *out)
{
    int64_t mac = count_mac(x, x->transposed ? x->in : out);
    const struct ec_shape *y = &c->out[0]->shape;
    bool ok = y->d[0] == x->n && y->d[1] == x->k;
    int i, p;

    for (i = 0; i < x->dims; i++)
        ok = ok && y->d[2 + i] == out[i];
    for (p = EC_FORWARD; p <= EC_GRAD_WEIGHT; p++)
        ok = ok && (int64_t)case_mac(c, (enum ec_phase)p) == mac;
    return ok;
}

TEST(agrees_with_walking_every_window)
{
    uint64_t seed;
    int n_made = 0;

    for (seed = 1; seed <= 300; seed++) {
        struct ec_rng rng;
        struct random_conv x;
        struct ec_buf text = EC_BUF_INIT;
        struct ec_owned_case c = { 0 };
        struct ec_err err = { 0 };
        int64_t out[3] = { 1, 1, 1 };
        bool fits = true;
        enum ec_status st;
        int i;

        ec_rng_seed(&rng, seed);
        x = draw(&rng);
        put_case(&text, &x);
        for (i = 0; i < x.dims; i++) {
            out[i] = x.transposed ? scatter(&x, i) : slide(&x, i);
            fits = fits && out[i] >= 1;
        }
        st = ec_case_parse(ec_buf_text(&text), &c, &err);
        if (st != (fits ? EC_OK : EC_E_SHAPE))
            test_fail(__FILE__, __LINE__, "seed %d: %s: %s", (int)seed, ec_buf_text(&text),
                      st ? err.text : "not refused");
        else if (fits && !agrees(&x, &c.c, out))
            test_fail(__FILE__, __LINE__, "seed %d: %s: rules and reference disagree", (int)seed,
                      ec_buf_text(&text));
        else if (fits && check_contract(&c.c, &err))
            test_fail(__FILE__, __LINE__, "seed %d: %s", (int)seed, err.text);
        n_made += fits;
        ec_case_clear(&c);
        ec_buf_clear(&text);
    }
    CHECK(n_made >= 200);
}
