/* Small cases of every operator, for tests of kernels: odd extents, strides, padding, groups. An
 * operator without a line is tested by its example, its numbers cut to a few. */
#ifndef REF_CASES_H
#define REF_CASES_H

#include "op/op.h"
#include "test.h"

static const char *const ref_cases[] = {
    "abs x=3x5",
    "adaptive_avg_pool x=2x3x7x5 out=3x2",
    "adaptive_avg_pool x=2x3x5 out=1",
    "adaptive_avg_pool x=1x2x3x4x5 out=2x5x3",
    "adaptive_max_pool x=2x2x7x5 out=3x4",
    "add x=2x3x4 y=3x1",
    "add x=2x3 y=2x3",
    "add x=3 y=4x2x3",
    "add x=scalar y=2x2",
    "argmax x=3x5x2 axis=1",
    "argmax x=3x5 axis=-1 keepdims=0",
    "attention b=3 t=4 u=5 d=3 e=3",
    "attention b=2 t=4 u=4 d=3 e=3 causal=1",
    "attention b=2 t=3 u=5 d=4 e=2 p=0.3",
    "avg_pool1d n=2 c=3 w=9 r=3 stride=2 pad=1",
    "avg_pool2d n=2 c=2 h=7 w=6 r=3 s=2 stride=2x1 pad=1",
    "avg_pool2d n=1 c=2 h=7 w=6 r=3 stride=2 pad=1 count_include_pad=0 ceil=1",
    "avg_pool2d n=1 c=2 h=8 w=6 r=3 stride=2 pad=1 ceil=1",
    "avg_pool3d n=1 c=2 d=4 h=5 w=4 t=2 r=2 stride=1x2x1",
    "batch_norm x=4x3x2x3",
    "batch_norm x=6x4",
    "batch_norm x=3x2x5 affine=0",
    "batch_norm x=4x3x2x3 eps=0.3 momentum=0.25",
    "bce x=3x4",
    "cast x=3x4 to=f16",
    "ceil x=3x4",
    "channel_shuffle x=2x6x3x2 groups=3",
    "clip x=3x7 lo=-0.7 hi=1.1",
    "clip x=3x7 hi=0.5",
    "compare x=3x4 y=4",
    "compare x=3x4 y=4 kind=ge",
    "concat x=2x3x2 y=2x1x2 z=2x2x2",
    "concat x=2x3 y=4x3 axis=0",
    "concat x=2x3x2 y=2x3x4 axis=-1",
    "conv1d n=2 c=4 w=9 k=6 r=3 stride=2 pad=1 dil=2 groups=2",
    "conv2d n=2 c=3 h=5 w=6 k=4 r=3 pad=1",
    "conv2d n=2 c=3 h=7 w=5 k=2 r=3 s=2 stride=2x1 pad=1x2 bias=0",
    "conv2d n=1 c=4 h=7 w=7 k=4 r=3 pad=2 dil=2 groups=4",
    "conv2d n=1 c=2 h=6 w=5 k=4 r=3 stride=3 pad=same groups=2",
    "conv2d n=2 c=3 h=4 w=5 k=5 r=1",
    "conv2d n=2 c=3 h=5 w=5 k=5 r=1 stride=2",
    "conv2d n=1 c=2 h=5 w=5 k=3 r=3 pad=1x0x2x1",
    "conv2d n=1 c=2 h=9 w=9 k=2 r=2 stride=3",
    "conv2d_each n=2 c=4 h=5 w=4 y=2x6x2x3x2 k=6 r=3 s=2 stride=2x1 pad=1 groups=2",
    "conv2d_each n=3 c=4 h=3 w=4 y=3x4x1x3x3 k=4 r=3 pad=1 groups=4",
    "conv2d_each n=2 c=3 h=2 w=3 y=2x5x3x1x1 k=5",
    "conv3d n=1 c=2 d=4 h=4 w=5 k=2 t=2 r=3 s=1 stride=1x2x1 pad=1",
    "conv_transpose1d n=2 c=3 w=4 k=2 r=4 stride=2 pad=1",
    "conv_transpose2d n=1 c=4 h=3 w=4 k=6 r=3 s=2 stride=2 pad=1 out_pad=1 groups=2",
    "conv_transpose2d n=2 c=3 h=4 w=3 k=2 r=2 stride=2",
    "conv_transpose2d n=1 c=2 h=3 w=3 k=2 r=3 dil=2 bias=0",
    "conv_transpose2d n=1 c=2 h=3 w=3 k=2 r=3 stride=2 pad=same",
    "conv_transpose3d n=1 c=2 d=2 h=3 w=2 k=2 t=2 r=3 stride=2 pad=0x1x1",
    "cos x=3x4",
    "cross_entropy n=4 c=5",
    "cumsum x=3x4x2 axis=1",
    "depth_to_space x=2x12x2x3",
    "div x=3x4 y=2x1x4",
    "drop_path x=6x3x2 p=0.4",
    "dropout x=8x5 p=0.3",
    "dropout x=4x3 p=1",
    "dropout x=4x3 p=0",
    "elu x=3x4",
    "embedding x=3x4 num=7 dim=5",
    "erf x=3x4",
    "exp x=3x4",
    "expand x=1x3x1 shape=4x2x-1x5",
    "permute x=3x4x5 perm=2x0x1",
    "flatten x=2x3x4 axis=2",
    "floor x=3x4",
    "gather x=4x5x2 y=3x2 axis=1",
    "gather x=6x3 y=4 axis=0",
    "gather x=6x3 y=scalar axis=0",
    "gather_elements x=4x5 y=4x3 axis=1",
    "gather_elements x=4x5x2 y=2x5x2 axis=0",
    "gelu x=3x5",
    "gelu x=3x5 approx=tanh",
    "global_avg_pool x=2x3x4x5",
    "global_avg_pool x=2x3x2x3x4x2",
    "global_max_pool x=2x3x4x5",
    "group_norm x=3x6x2x3 groups=3",
    "group_norm x=3x4 groups=2 affine=0",
    "gru n=2 t=4 c=3 hidden=5",
    "gru n=3 t=3 c=2 hidden=3 layers=2 bidir=1 bias=0",
    "hard_sigmoid x=5x5",
    "hard_swish x=5x5",
    "identity x=3x4",
    "instance_norm x=2x3x4x3",
    "instance_norm x=2x3x5 affine=1",
    "isnan x=3x4",
    "layer_norm x=3x2x5",
    "layer_norm x=3x2x5 dims=2 bias=0",
    "layer_norm x=4x6 affine=0",
    "layer_norm x=3x2x5 eps=0.3",
    "leaky_relu x=4x5 alpha=0.2",
    "linear m=5 k=7 n=6",
    "linear m=3 k=4 n=9 bias=0",
    "log x=3x4",
    "log_softmax x=3x4x2 axis=1",
    "log_softmax x=3x7",
    "logical x=3x4 y=4 dtype=bool",
    "logical x=3x4 y=4 dtype=bool kind=xor",
    "lrn x=2x7x3x2 size=5",
    "lrn x=2x4x3 size=2",
    "lstm n=2 t=4 c=3 hidden=5",
    "lstm n=3 t=3 c=2 hidden=3 layers=3 bidir=1",
    "lstm n=2 t=1 c=2 hidden=3 bias=0",
    "mae x=3x4",
    "matmul x=3x4 y=4x5",
    "matmul x=2x3x4x5 y=2x1x5x3",
    "matmul x=3x4x5 y=5x2",
    "matmul x=4x5 y=3x5x2",
    "matmul x=2x5x4 y=2x3x5 transpose_a=1 transpose_b=1",
    "matmul x=2x4x5 y=2x3x5 transpose_b=1",
    "matmul x=5 y=2x5x3",
    "matmul x=2x3x5 y=5",
    "matmul x=5 y=5",
    "grouped_matmul x=7x4 y=3x4x5",
    "grouped_matmul x=2x4 y=3x5x4 transpose_b=1",
    "max x=3x4 y=4",
    "max_pool1d n=2 c=3 w=9 r=3 stride=2 pad=1",
    "max_pool2d n=2 c=2 h=7 w=6 r=3 stride=2 pad=1",
    "max_pool2d n=1 c=2 h=8 w=9 r=3 s=2 stride=2 pad=1x0 dil=2x1 ceil=1",
    "max_pool2d n=2 c=2 h=5 w=5 r=2 pad=same stride=2",
    "max_pool3d n=1 c=2 d=4 h=5 w=4 t=2 r=3 s=2 stride=2 pad=1",
    "min x=3x4 y=3x1",
    "mish x=4x5",
    "mod x=3x4 y=4",
    "mse x=3x4",
    "mul x=2x3x4 y=3x1",
    "mul x=1x3x1 y=2x1x4",
    "attention b=2 t=5 u=5 d=3 e=2 causal=1 window=2",
    "experts m=5 c=4 e=3 top_k=2 ffn=3",
    "experts m=6 c=3 e=4 top_k=1 ffn=2 gated=0 bias=1",
    "experts m=4 c=3 e=2 top_k=2 ffn=2 bias=1",
    "multi_head_attention n=2 t=4 c=6 heads=2",
    "multi_head_attention n=2 t=3 c=4 heads=4 bias=0 causal=1",
    "multi_head_attention n=1 t=4 c=6 heads=3 p=0.3",
    "neg x=3x4",
    "not x=3x4",
    "one_hot x=3x4 depth=5",
    "pad x=2x3x4 pads=0x1x2x1x0x1",
    "pad x=1x2x4x5 pads=0x0x2x1x0x0x1x3 mode=reflect",
    "pad x=1x2x3x2 pads=0x0x2x1x0x0x4x3 mode=edge",
    "pad x=4x5 pads=-1x2x1x-2",
    "positional_encoding n=3 t=4 c=5",
    "positional_encoding n=3 t=4 c=6 learned=1 max_len=7",
    "pow x=3x4 y=4",
    "pow_scalar x=3x4 p=3",
    "pow_scalar x=3x4 p=0.5",
    "prelu x=3x4x5 params=4",
    "prelu x=3x4 params=1",
    "reciprocal x=3x4",
    "reduce_l2 x=3x4x5 axes=1",
    "reduce_max x=3x4x5 axes=0x2 keepdims=0",
    "reduce_mean x=3x4x5 axes=1x2",
    "reduce_mean x=3x4x5",
    "reduce_min x=3x4x5 axes=-1",
    "reduce_prod x=3x4x5 axes=1",
    "reduce_sum x=3x4x5 axes=0 keepdims=0",
    "relu x=4x5",
    "relu6 x=4x5",
    "reshape x=2x3x4 shape=0x-1",
    "resize x=2x2x3x4 scale=2",
    "resize x=2x2x5x4 size=3x7",
    "resize x=1x2x3x4 scale=2x3 mode=linear",
    "resize x=1x2x5x7 size=3x4 mode=linear",
    "resize x=1x2x5 size=8 mode=linear",
    "resize x=1x1x2x3x2 scale=2 mode=linear",
    "resize x=1x2x4x5 size=6x3 mode=cubic",
    "rms_norm x=3x2x5",
    "rms_norm x=3x2x5 eps=0.3",
    "rms_norm x=3x2x5 dims=2 affine=0",
    "rnn n=2 t=4 c=3 hidden=5",
    "rnn n=3 t=3 c=2 hidden=3 layers=2 bidir=1",
    "roll x=2x3x4",
    "roll x=2x5x4x3 shifts=-2x3 axes=1x2",
    "roll x=3x4 shifts=7",
    "round x=3x4",
    "rsqrt x=3x4",
    "scale_scalar x=3x4 mul=-1.5 add=2",
    "selu x=4x5",
    "sigmoid x=4x5",
    "sign x=4x5",
    "silu x=4x5",
    "sin x=4x5",
    "slice x=4x6x5 axes=1 starts=1 ends=5 steps=2",
    "slice x=4x6x5 axes=0x2 starts=-1x4 ends=-9x-4 steps=-1x-2",
    "slice x=4x6 starts=1x0 ends=3x999999",
    "softmax x=3x4x2 axis=1",
    "softmax x=3x7",
    "softplus x=4x5",
    "softsign x=4x5",
    "space_to_depth x=2x3x4x6",
    "split x=2x7x3 axis=1 sizes=2x4x1",
    "split x=6x2 parts=3",
    "sqrt x=3x4",
    "squeeze x=2x1x3x1 axes=1",
    "sub x=2x3x4 y=3x1",
    "tanh x=4x5",
    "tile x=2x3x2 repeats=2x1x3",
    "topk x=3x7 k=3",
    "topk x=3x7 k=0",
    "topk x=5x2x3 k=2 axis=0",
    "transpose x=2x3x4 perm=2x0x1",
    "transpose x=2x3x4",
    "transpose x=2x3x4x5 perm=0x2x1x3",
    "unsqueeze x=3x4 axes=0x2",
    "where x=3x4 y=2x1x4 z=3x1",
};

/* The operator's example with every number above 9 replaced by a small one. */
static inline void ref_small_example(const char *example, char *out, size_t size)
{
    size_t at = 0;
    const char *p = example;

    while (*p && at + 4 < size) {
        size_t digits = strspn(p, "0123456789");

        if (digits > 1) {
            out[at++] = (char)('3' + (digits > 2));
            p += digits;
        } else {
            out[at++] = *p++;
        }
    }
    out[at] = '\0';
}

/* Calls fn for every case of the table; for operators without one, for the small example. */
static inline void ref_each_case(void (*fn)(const char *text))
{
    const struct ec_op *const *ops;
    char small[512];
    int n_ops, i, o;

    ops = ec_ops(&n_ops);
    for (o = 0; o < n_ops; o++) {
        size_t len = strlen(ops[o]->name);
        bool any = false;

        if (!strcmp(ops[o]->name, "opaque"))
            continue;
        for (i = 0; i < EC_LEN(ref_cases); i++) {
            if (strncmp(ref_cases[i], ops[o]->name, len) != 0 || ref_cases[i][len] != ' ')
                continue;
            fn(ref_cases[i]);
            any = true;
        }
        ref_small_example(ops[o]->example, small, sizeof small);
        if (!any)
            fn(small);
    }
}

/* Inputs that must be positive for the operator and its gradient to exist: bits. */
static inline unsigned ref_positive(const char *text)
{
    static const struct {
        const char *op;
        unsigned inputs;
    } rows[] = {
        {"log ",         1},
        { "sqrt ",       1},
        { "rsqrt ",      1},
        { "pow ",        3},
        { "pow_scalar ", 1},
        { "div ",        2},
        { "mod ",        2}
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        if (!strncmp(text, rows[i].op, strlen(rows[i].op)))
            return rows[i].inputs;
    return 0;
}

#endif
