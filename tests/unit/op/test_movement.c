/* Shapes of everything that moves or renames elements, reductions and losses. */
#include "op/case.h"

TEST(views)
{
    CHECK_SHAPE("reshape x=32x12x128x64 shape=0x-1x768", "32x128x768");
    CHECK_SHAPE("reshape x=32x12 shape=384", "384");
    CHECK_SHAPE("reshape x=1x1 shape=", "scalar");
    CHECK_SHAPE("flatten x=32x512x7x7", "32x25088");
    CHECK_SHAPE("flatten x=32x512x7x7 axis=-1", "114688x7");
    CHECK_SHAPE("flatten x=32x512x7x7 axis=0", "1x802816");
    CHECK_SHAPE("flatten x=scalar axis=0", "1x1");
    CHECK_SHAPE("squeeze x=32x2048x1x1", "32x2048");
    CHECK_SHAPE("squeeze x=1x2048x1x1 axes=-1", "1x2048x1");
    CHECK_SHAPE("unsqueeze x=32x128 axes=1x2", "32x1x1x128");
    CHECK_SHAPE("unsqueeze x=32x128 axes=-1", "32x128x1");
    CHECK_SHAPE("transpose x=8x128x12x64 perm=0x2x1x3", "8x12x128x64");
    CHECK_SHAPE("transpose x=8x128x12", "12x128x8");
    CHECK_SHAPE("permute x=8x128x12 perm=1x0x2", "128x8x12");
    CHECK_SHAPE("expand x=1x1x768 shape=32x1x768", "32x1x768");
    CHECK_SHAPE("expand x=1x768 shape=32x-1x-1", "32x1x768");
}

TEST(cuts_and_joins)
{
    CHECK_SHAPE("concat x=32x64x28x28 y=32x128x28x28", "32x192x28x28");
    CHECK_SHAPE("concat x=1x2 y=3x2 z=5x2 x3=7x2 axis=0", "16x2");
    CHECK_SHAPE("split x=32x116x28x28 axis=1 parts=2", "32x58x28x28");
    CHECK_SHAPE("split x=7x3 sizes=2x5", "2x3");
    CHECK_SHAPE("slice x=32x197x768 axes=1 starts=0 ends=1", "32x1x768");
    CHECK_SHAPE("slice x=10 axes=0 starts=-3 ends=9223372036854775807", "3");
    CHECK_SHAPE("slice x=10 axes=0 starts=1 ends=-1 steps=3", "3");
    CHECK_SHAPE("slice x=10 axes=0 starts=9223372036854775807 ends=-9223372036854775807 steps=-1",
                "10");
    CHECK_SHAPE("slice x=10 axes=0 starts=5 ends=5", "0");
    CHECK_SHAPE("pad x=8x3x256x256 pads=0x0x3x3x0x0x3x3 mode=reflect", "8x3x262x262");
    CHECK_SHAPE("pad x=4 pads=-1x0", "3");
    CHECK_SHAPE("tile x=8x64x32x32 repeats=1x1x2x2", "8x64x64x64");
}

TEST(indices)
{
    CHECK_SHAPE("gather x=512x768 y=8x128", "8x128x768");
    CHECK_SHAPE("gather x=2x512x3 y=7 axis=-2", "2x7x3");
    CHECK_SHAPE("gather x=512x768 y=scalar", "768");
    CHECK_SHAPE("gather_elements x=32x1000 y=32x5 axis=1", "32x5");
    CHECK_SHAPE("embedding x=32x128 num=30522 dim=768", "32x128x768");
    CHECK_SHAPE("one_hot x=32 depth=10", "32x10");
    CHECK_SHAPE("topk x=32x1000 k=5", "32x5");
    CHECK_SHAPE("topk x=32x1000 k=0", "32x1000");
    CHECK_SHAPE("argmax x=32x1000 axis=1 keepdims=0", "32");
    CHECK_SHAPE("cumsum x=32x10 axis=1", "32x10");
}

TEST(resampling)
{
    CHECK_SHAPE("resize x=8x256x32x32 scale=2 mode=linear", "8x256x64x64");
    CHECK_SHAPE("resize x=8x256x32x32 size=40x50", "8x256x40x50");
    CHECK_SHAPE("depth_to_space x=8x256x64x64", "8x64x128x128");
    CHECK_SHAPE("space_to_depth x=8x12x320x320", "8x48x160x160");
    CHECK_SHAPE("channel_shuffle x=32x116x28x28", "32x116x28x28");
}

TEST(reductions_and_losses)
{
    CHECK_SHAPE("reduce_mean x=32x64x56x56 axes=2x3", "32x64x1x1");
    CHECK_SHAPE("reduce_sum x=32x64x56 axes=-1 keepdims=0", "32x64");
    CHECK_SHAPE("reduce_max x=32x64 keepdims=0", "scalar");
    CHECK_SHAPE("cross_entropy n=32 c=1000", "scalar");
    CHECK_SHAPE("mse x=3x4", "scalar");
    CHECK_SHAPE("where x=1x1x4x4 y=8x2x4x4 z=1", "8x2x4x4");
    CHECK_SHAPE("add x=8x1x4 y=3x1", "8x3x4");
    CHECK_SHAPE("opaque x=3 y=4 type=Foo shape=5x6 n_out=2", "5x6");
}

TEST(refusals)
{
    CHECK_REFUSED("reshape x=32x12 shape=5x-1", EC_E_SHAPE, "element counts differ");
    CHECK_REFUSED("reshape x=32x12 shape=-1x-1", EC_E_SHAPE, "more than one -1");
    CHECK_REFUSED("reshape x=32x12 shape=384x1x0", EC_E_SHAPE, "copies dimension 2");
    CHECK_REFUSED("reshape x=0x4 shape=4x0", EC_E_SHAPE, "element counts differ");
    CHECK_REFUSED("reshape x=0x4 shape=0x-1", EC_E_SHAPE, "element counts differ");
    CHECK_REFUSED("reshape x=32x12 shape=1x1x1x1x1x1x1x384x1", EC_E_SHAPE, "at most 8");
    CHECK_REFUSED("flatten x=32x12 axis=3", EC_E_SHAPE, "axis 3 is out of range");
    CHECK_REFUSED("squeeze x=32x12 axes=1", EC_E_SHAPE, "extent 12");
    CHECK_REFUSED("unsqueeze x=32x12 axes=0x0", EC_E_SHAPE, "given twice");
    CHECK_REFUSED("unsqueeze x=1x1x1x1x1x1x1x1 axes=0", EC_E_SHAPE, "8 in all");
    CHECK_REFUSED("transpose x=2x3 perm=0x0", EC_E_SHAPE, "given twice");
    CHECK_REFUSED("transpose x=2x3 perm=0", EC_E_SHAPE, "1 axes");
    CHECK_REFUSED("expand x=3 shape=4", EC_E_SHAPE, "cannot be broadcast");
    CHECK_REFUSED("concat x=2x3 y=3x4", EC_E_SHAPE, "does not join");
    CHECK_REFUSED("concat x=2x3 y=2x3x1", EC_E_SHAPE, "does not join");
    CHECK_REFUSED("concat x=1x1000000000000000000 y=1x1000000000000000000", EC_E_SHAPE, "2^60");
    CHECK_REFUSED("split x=7x3 sizes=2x4", EC_E_SHAPE, "sizes add up to 6, the axis has 7");
    CHECK_REFUSED("split x=7x3 parts=2", EC_E_SHAPE, "7 rows cannot be divided into 2 parts");
    CHECK_REFUSED("split x=7x3", EC_E_SHAPE, "0 outputs");
    CHECK_REFUSED("slice x=10 axes=0 starts=1 ends=2 steps=0", EC_E_SHAPE, "step of axis 0 is 0");
    CHECK_REFUSED("slice x=10 axes=0 starts=1", EC_E_SHAPE, "1 starts, 0 ends");
    CHECK_REFUSED("slice x=10 axes=1 starts=1 ends=2", EC_E_SHAPE, "axis 1 is out of range");
    CHECK_REFUSED("pad x=4x4 pads=1x1", EC_E_SHAPE, "expected 4");
    CHECK_REFUSED("pad x=4 pads=4x0 mode=reflect", EC_E_SHAPE, "cannot be reflected");
    CHECK_REFUSED("pad x=4 pads=-5x0", EC_E_SHAPE, "do not fit");
    CHECK_REFUSED("tile x=4 repeats=2x2", EC_E_SHAPE, "repeats has 2");
    CHECK_REFUSED("tile x=1000000000 repeats=1000000000000", EC_E_SHAPE, "too long");
    CHECK_REFUSED("gather x=2x3 y=1x1x1x1x1x1x1x1", EC_E_SHAPE, "9 dimensions");
    CHECK_REFUSED("embedding x=3 num=10", EC_E_INPUT, "dim (elements of a row)");
    CHECK_REFUSED("topk x=3 k=5", EC_E_SHAPE, "k is 5, axis 0 has only 3");
    CHECK_REFUSED("resize x=1x1x2x2", EC_E_SHAPE, "scale has 0 numbers");
    CHECK_REFUSED("depth_to_space x=1x6x2x2", EC_E_SHAPE, "6 channels cannot be divided into 4");
    CHECK_REFUSED("reduce_sum x=2x3 axes=2", EC_E_SHAPE, "axis 2 is out of range");
    CHECK_REFUSED("add x=2x3 y=4", EC_E_SHAPE, "shapes 2x3 and 4 cannot be broadcast");
    CHECK_REFUSED("add x=1x1000000000000 y=1000000000000x1", EC_E_SHAPE, "2^60");
    CHECK_REFUSED("group_norm x=2x6x4 groups=4", EC_E_SHAPE, "6 channels cannot be divided");
    CHECK_REFUSED("layer_norm x=4 dims=2", EC_E_SHAPE, "at least 2");
    CHECK_REFUSED("prelu x=2x6 params=4", EC_E_SHAPE, "4 slopes for 6 channels");
    CHECK_REFUSED("softmax x=2x6 axis=2", EC_E_SHAPE, "axis 2 is out of range");
    CHECK_REFUSED("attention b=2 t=3 u=4 d=5", EC_E_INPUT, "dimension e is missing");
    CHECK_REFUSED("positional_encoding n=1 t=9 c=4 max_len=8", EC_E_SHAPE, "9 positions");
    CHECK_REFUSED("cast x=4 to=f8", EC_E_INPUT, "f8");
    CHECK_REFUSED("dropout x=4 p=1.5", EC_E_INPUT, "p:");
}

TEST(types)
{
    struct ec_owned_case c = { 0 };

    if (case_open("cast x=4 to=f16", &c))
        CHECK_INT(c.c.out[0]->dtype, EC_DT_f16);
    ec_case_clear(&c);
    if (case_open("compare x=4 y=4", &c))
        CHECK_INT(c.c.out[0]->dtype, EC_DT_bool);
    ec_case_clear(&c);
    if (case_open("topk x=4 k=2", &c))
        CHECK_INT(c.c.out[1]->dtype, EC_DT_i64);
    ec_case_clear(&c);
    if (case_open("embedding x=4 num=3 dim=2", &c)) {
        CHECK_INT(c.c.in[0]->dtype, EC_DT_i64);
        CHECK_INT(c.c.out[0]->dtype, EC_DT_f32);
    }
    ec_case_clear(&c);
}
