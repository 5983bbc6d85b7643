/* Reading attributes and windows from outside. */
#include "case.h"

static struct ec_window window_of(const char *text)
{
    struct ec_owned_case c = { 0 };
    struct ec_window w = { 0 };

    if (case_open(text, &c))
        CHECK(ec_case_window(&c.c, &w));
    ec_case_clear(&c);
    return w;
}

TEST(attributes_are_read_by_name)
{
    struct ec_owned_case c = { 0 };

    if (!case_open("conv2d n=1 c=4 h=8 w=8 k=6 r=3 groups=2 bias=0 stride=1x2", &c))
        return;
    CHECK_INT(ec_case_int(&c.c, "k"), 6);
    CHECK_INT(ec_case_int(&c.c, "bias"), 0);
    CHECK_INT(ec_case_ints(&c.c, "stride")->v[1], 2);
    CHECK(ec_case_has(&c.c, "groups"));
    CHECK(!ec_case_has(&c.c, "out_pad"));
    ec_case_clear(&c);
    if (!case_open("leaky_relu x=2 alpha=0.25", &c))
        return;
    CHECK_NEAR(ec_case_double(&c.c, "alpha"), 0.25, 0);
    ec_case_clear(&c);
    if (!case_open("softmax x=2x3x4 axis=-2", &c))
        return;
    CHECK_INT(ec_case_axis(&c.c), 1);
    ec_case_clear(&c);
}

TEST(windows_are_aligned_to_the_right)
{
    struct ec_window w = window_of("conv1d n=1 c=2 w=10 k=2 r=3 stride=2 pad=1x0 dil=2");

    CHECK_INT(w.filter[1], 1);
    CHECK_INT(w.filter[2], 3);
    CHECK_INT(w.stride[2], 2);
    CHECK_INT(w.dil[2], 2);
    CHECK_INT(w.pad[2], 1);
    CHECK_INT(w.pad_end[2], 0);
    CHECK_INT(w.in[2], 10);
    CHECK_INT(w.out[2], 4);
    w = window_of("conv2d n=1 c=2 h=9 w=8 k=2 r=3 s=5 pad=1x2");
    CHECK_INT(w.filter[1], 3);
    CHECK_INT(w.filter[2], 5);
    CHECK_INT(w.pad[1], 1);
    CHECK_INT(w.pad[2], 2);
    w = window_of("conv3d n=1 c=2 d=4 h=9 w=8 k=2 t=2 r=3 s=1");
    CHECK_INT(w.filter[0], 2);
    CHECK_INT(w.filter[2], 1);
}

TEST(same_padding_puts_the_odd_element_at_the_end)
{
    struct ec_window w = window_of("conv2d n=1 c=1 h=8 w=7 k=1 r=3 stride=2 pad=same");

    CHECK_INT(w.out[1], 4);
    CHECK_INT(w.pad[1], 0);
    CHECK_INT(w.pad_end[1], 1);
    CHECK_INT(w.pad[2], 1);
    CHECK_INT(w.pad_end[2], 1);
}

TEST(a_pools_stride_is_its_window)
{
    struct ec_window w = window_of("max_pool2d n=1 c=1 h=8 w=9 r=2 s=3");

    CHECK_INT(w.stride[1], 2);
    CHECK_INT(w.stride[2], 3);
}

TEST(others_slide_no_window)
{
    struct ec_owned_case c = { 0 };
    struct ec_window w;

    if (case_open("relu x=2", &c))
        CHECK(!ec_case_window(&c.c, &w));
    ec_case_clear(&c);
}
