/* What kernels move, what backward keeps, which input a gradient is for. */
#include "op/case.h"
#include "op/contract.h"

struct row {
    const char *text;
    double fwd_read, fwd_write, bwd_read, bwd_write; /* elements, all kernels together */
    double extra_bytes;                              /* kept beside tensors */
    unsigned in_mask, out_mask;
};

/* x has 2 * 3 * 4 * 4 = 96 elements throughout. */
static const struct row rows[] = {
    {"relu x=2x3x4x4",                          96,  96,  192, 96,  0,   0,        1},
    { "gelu x=2x3x4x4",                         96,  96,  192, 96,  0,   1,        0},
    { "sigmoid x=2x3x4x4",                      96,  96,  192, 96,  0,   0,        1},
    { "neg x=2x3x4x4",                          96,  96,  96,  96,  0,   0,        0},
    { "add x=2x3x4x4 y=2x3x4x4",                192, 96,  0,   0,   0,   0,        0},
    { "add x=2x3x4x4 y=3x1x1",                  99,  96,  96,  3,   0,   0,        0},
    { "sub x=2x3x4x4 y=2x3x4x4",                192, 96,  96,  96,  0,   0,        0},
    { "mul x=2x3x4x4 y=2x3x4x4",                192, 96,  384, 192, 0,   3,        0},
    { "mul x=2x3x4x4 y=3x1x1",                  99,  96,  387, 195, 0,   3,        0},
    { "softmax x=2x3x4x4",                      96,  96,  192, 96,  0,   0,        1},
    { "batch_norm x=2x3x4x4",                   192, 96,  384, 96,  24,  1,        0},
    { "layer_norm x=2x3x4x4",                   96,  96,  192, 96,  192, 1,        0},
    { "rms_norm x=2x3x4x4",                     96,  96,  192, 96,  96,  1,        0},
    { "group_norm x=2x3x4x4 groups=3",          192, 96,  384, 96,  48,  1,        0},
    { "dropout x=2x3x4x4",                      96,  96,  96,  96,  96,  0,        0},
    { "dropout x=2x3x4x4 p=0",                  0,   0,   0,   0,   0,   0,        0},
    { "drop_path x=2x3x4x4 p=0.1",              96,  96,  96,  96,  8,   0,        0},
    { "reshape x=2x3x4x4 shape=6x16",           0,   0,   0,   0,   0,   0,        0},
    { "slice x=2x3x4x4 axes=1 starts=0 ends=1", 0,   0,   32,  96,  0,   0,        0},
    { "split x=2x3x4x4 axis=1 parts=3",         0,   0,   96,  96,  0,   0,        0},
    { "expand x=2x3x4x4 shape=2x2x3x4x4",       0,   0,   192, 96,  0,   0,        0},
    { "permute x=2x3x4x4",                      0,   0,   0,   0,   0,   0,        0},
    { "transpose x=2x3x4x4",                    96,  96,  96,  96,  0,   0,        0},
    { "concat x=2x3x4x4 y=2x3x4x4",             192, 192, 0,   0,   0,   0,        0},
    { "global_avg_pool x=2x3x4x4",              96,  6,   6,   96,  0,   0,        0},
    { "floor x=2x3x4x4",                        96,  96,  0,   0,   0,   0,        0},
    { "opaque x=2x3x4x4 shape=10",              96,  10,  106, 96,  0,   1u << 31, 0},
};

static void add_traffic(const struct ec_case *c, enum ec_phase p, double *ret_read,
                        double *ret_write)
{
    struct ec_work w = { 0 };
    int i;

    *ret_read = *ret_write = 0;
    c->op->work(c, p, &w);
    for (i = 0; i < w.n; i++) {
        *ret_read += w.kernel[i].read_elems;
        *ret_write += w.kernel[i].write_elems;
    }
}

static bool agrees(const struct row *r, const struct ec_case *c)
{
    struct ec_saved s = { 0 };
    double fr, fw, br, bw;

    add_traffic(c, EC_FORWARD, &fr, &fw);
    add_traffic(c, EC_GRAD_DATA, &br, &bw);
    c->op->saved(c, &s);
    if (fr == r->fwd_read && fw == r->fwd_write && br == r->bwd_read && bw == r->bwd_write &&
        s.extra_bytes == r->extra_bytes && s.in_mask == r->in_mask && s.out_mask == r->out_mask)
        return true;
    test_fail(__FILE__, __LINE__, "%s: forward %g %g, backward %g %g, keeps %g bytes, %x, %x",
              r->text, fr, fw, br, bw, s.extra_bytes, s.in_mask, s.out_mask);
    return false;
}

TEST(traffic)
{
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_owned_case c = { 0 };

        if (case_open(rows[i].text, &c))
            CHECK(agrees(&rows[i], &c.c));
        ec_case_clear(&c);
    }
}

TEST(norms_and_losses_stay_in_float32)
{
    static const char *const texts[] = { "softmax x=4x4", "layer_norm x=4x4", "mse x=4x4",
                                         "cross_entropy n=4 c=4", "group_norm x=4x4 groups=2" };
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        struct ec_owned_case c = { 0 };

        if (case_open(texts[i], &c)) {
            CHECK(case_kernel(&c.c, EC_FORWARD, 0).flags & EC_KF_FP32);
            CHECK(case_kernel(&c.c, EC_GRAD_DATA, 0).flags & EC_KF_FP32);
        }
        ec_case_clear(&c);
    }
}

static bool has_two_passes(const char *text, enum ec_phase phase)
{
    struct ec_owned_case c = { 0 };
    bool two = false;

    if (case_open(text, &c))
        two = case_kernel(&c.c, phase, 0).flags & EC_KF_TWO_PASS;
    ec_case_clear(&c);
    return two;
}

TEST(norms_whose_rows_do_not_fit_on_chip_make_two_passes)
{
    static const char *const two[] = { "batch_norm x=2x4x4x4", "group_norm x=2x4x4x4 groups=2",
                                       "instance_norm x=2x4x4x4" };
    static const char *const one[] = { "layer_norm x=2x4x4x4", "rms_norm x=2x4" };
    int i;

    for (i = 0; i < EC_LEN(two); i++)
        CHECK(has_two_passes(two[i], EC_FORWARD) && has_two_passes(two[i], EC_GRAD_DATA));
    for (i = 0; i < EC_LEN(one); i++)
        CHECK(!has_two_passes(one[i], EC_FORWARD) && !has_two_passes(one[i], EC_GRAD_DATA));
}

TEST(embedding_gradient_is_dense)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;

    if (!case_open("embedding x=4x5 num=1000 dim=8", &c))
        return;
    k = case_kernel(&c.c, EC_FORWARD, 0);
    CHECK_INT(k.kclass, EC_K_GATHER);
    CHECK_NEAR(k.weight_elems, 160, 0);
    CHECK_NEAR(k.fixed_bytes, 160, 0);
    CHECK_NEAR(case_kernel(&c.c, EC_GRAD_WEIGHT, 0).weight_elems, 8000, 0);
    CHECK_NEAR(case_kernel(&c.c, EC_GRAD_WEIGHT, 1).read_elems, 160, 0);
    ec_case_clear(&c);
}

/* Empty tensors cost nothing and divide by nothing. */
TEST(empty_tensors_are_counted)
{
    const struct ec_op *const *ops;
    int n, i, n_made = 0;

    ops = ec_ops(&n);
    for (i = 0; i < n; i++) {
        struct ec_owned_case c = { 0 };
        struct ec_err err = { 0 };
        char text[100];

        (void)snprintf(text, sizeof text, "%s x=0x4x6 y=0x4x6 z=0x4x6", ops[i]->name);
        if (!strstr(ops[i]->inputs, "z"))
            *strstr(text, " z=") = '\0';
        if (!strstr(ops[i]->inputs, "y"))
            *strstr(text, " y=") = '\0';
        if (ec_case_parse(text, &c, &err) == EC_OK) {
            n_made++;
            CHECK_OK(check_contract(&c.c, &err));
        }
        ec_case_clear(&c);
    }
    CHECK(n_made > 60);
}
