/* What is drawn belongs to the seed alone: pinned, so that compilers that compute arguments in
 * another order are seen. */
#include "test.h"

#include "op/op.h"

static const char *const drawn_by_7[] = {
    "adaptive_avg_pool x=105x1840x19x19",
    "add x=48x32x8x8 y=48x32x1x1",
    "attention b=188 t=61 d=128 u=61 e=128",
    "avg_pool3d n=105 c=240 d=3 h=19 w=19 t=3 r=3 stride=2 pad=1",
    "concat x=3x1x1168 y=3x1x1168",
    "conv1d n=58 c=840 w=37 k=1008 groups=8 bias=0",
    "conv2d n=183 c=840 h=128 w=128 k=1008 bias=0",
    "conv3d n=183 c=144 d=21 h=128 w=128 k=160",
    "conv_transpose2d n=20 c=384 h=29 w=29 k=1840 r=3 stride=2 bias=0",
    "cross_entropy n=551 c=29",
    "embedding x=30x30 num=21508 dim=1888",
    "group_norm x=123x63x112x112 groups=3",
    "layer_norm x=30x30x2096",
    "linear m=14 k=3008 n=3704",
    "lstm n=105 t=237 c=980 hidden=13 layers=2 bidir=1",
    "matmul x=188x51x128 y=188x128x51",
    "multi_head_attention n=33 t=947 c=256 heads=2 p=0.1",
    "positional_encoding n=30 t=30 c=1168 learned=1 max_len=38",
    "relu x=1931x7216",
    "slice x=59x947x1985 axes=1 starts=1 ends=946",
    "softmax x=12x6952",
    "transpose x=3x8x8x520 perm=0x3x1x2",
};

TEST(every_compiler_draws_the_same)
{
    struct ec_sample_limits none = { 0 };
    int i;

    for (i = 0; i < EC_LEN(drawn_by_7); i++) {
        struct ec_span rest = ec_span_of(drawn_by_7[i]), name;
        struct ec_buf text = EC_BUF_INIT;
        struct ec_err err = { 0 };
        struct ec_rng rng;

        CHECK(ec_span_cut(&rest, ' ', &name));
        ec_rng_seed(&rng, 7);
        CHECK_OK(ec_op_sample(ec_op_find(name), &none, &rng, &text, &err));
        CHECK_STR(ec_buf_text(&text), drawn_by_7[i]);
        ec_buf_clear(&text);
    }
}
