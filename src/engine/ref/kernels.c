/* The rows: which kernel serves which operator. One line each; a kernel is two functions, exported
 * by EC__REF_KERNEL at the end of its file. */
#include "engine/ref/ref_internal.h"

/* clang-format off */
/* X(operator, kernel) */
#define ROWS(X) \
    X(abs, unary) \
    X(adaptive_avg_pool, pool) \
    X(adaptive_max_pool, pool) \
    X(add, binary) \
    X(argmax, argmax) \
    X(attention, attention) \
    X(avg_pool1d, pool) \
    X(avg_pool2d, pool) \
    X(avg_pool3d, pool) \
    X(batch_norm, norm) \
    X(bce, bce) \
    X(cast, cast) \
    X(ceil, unary) \
    X(channel_shuffle, channel_shuffle) \
    X(clip, unary) \
    X(compare, binary) \
    X(concat, concat) \
    X(conv1d, conv) \
    X(conv2d, conv) \
    X(conv3d, conv) \
    X(conv_transpose1d, conv) \
    X(conv_transpose2d, conv) \
    X(conv_transpose3d, conv) \
    X(cos, unary) \
    X(cross_entropy, cross_entropy) \
    X(cumsum, cumsum) \
    X(depth_to_space, depth_to_space) \
    X(div, binary) \
    X(drop_path, drop) \
    X(dropout, drop) \
    X(elu, unary) \
    X(embedding, embedding) \
    X(erf, unary) \
    X(exp, unary) \
    X(expand, expand) \
    X(flatten, view) \
    X(floor, unary) \
    X(gather, gather) \
    X(gather_elements, gather_elements) \
    X(gelu, unary) \
    X(global_avg_pool, pool) \
    X(global_max_pool, pool) \
    X(group_norm, norm) \
    X(gru, rnn) \
    X(hard_sigmoid, unary) \
    X(hard_swish, unary) \
    X(identity, view) \
    X(instance_norm, norm) \
    X(isnan, unary) \
    X(layer_norm, norm) \
    X(leaky_relu, unary) \
    X(linear, linear) \
    X(log, unary) \
    X(log_softmax, softmax) \
    X(logical, binary) \
    X(lrn, lrn) \
    X(lstm, rnn) \
    X(mae, mae) \
    X(matmul, matmul) \
    X(max, binary) \
    X(max_pool1d, pool) \
    X(max_pool2d, pool) \
    X(max_pool3d, pool) \
    X(min, binary) \
    X(mish, unary) \
    X(mod, binary) \
    X(mse, mse) \
    X(mul, binary) \
    X(multi_head_attention, mha) \
    X(neg, unary) \
    X(not, unary) \
    X(one_hot, one_hot) \
    X(pad, pad) \
    X(positional_encoding, position) \
    X(pow, binary) \
    X(pow_scalar, unary) \
    X(prelu, prelu) \
    X(reciprocal, unary) \
    X(reduce_l2, reduce) \
    X(reduce_max, reduce) \
    X(reduce_mean, reduce) \
    X(reduce_min, reduce) \
    X(reduce_prod, reduce) \
    X(reduce_sum, reduce) \
    X(relu, unary) \
    X(relu6, unary) \
    X(reshape, view) \
    X(resize, resize) \
    X(rms_norm, norm) \
    X(rnn, rnn) \
    X(roll, roll) \
    X(round, unary) \
    X(rsqrt, unary) \
    X(scale_scalar, unary) \
    X(selu, unary) \
    X(sigmoid, unary) \
    X(sign, unary) \
    X(silu, unary) \
    X(sin, unary) \
    X(slice, slice) \
    X(softmax, softmax) \
    X(softplus, unary) \
    X(softsign, unary) \
    X(space_to_depth, space_to_depth) \
    X(split, split) \
    X(sqrt, unary) \
    X(squeeze, view) \
    X(sub, binary) \
    X(tanh, unary) \
    X(tile, tile) \
    X(topk, topk) \
    X(transpose, transpose) \
    X(unsqueeze, view) \
    X(where, where)

#define DECLARE(op, kernel) EC__REF_DECLARE(kernel)
ROWS(DECLARE)

#define ROW(op, kernel) \
    { #op, 0, NULL, EC__REF(kernel##_prepare), EC__REF(kernel##_run), NULL },
const struct ec_kernel_row EC__REF(rows)[] = {
    ROWS(ROW)
    { NULL, 0, NULL, NULL, NULL, NULL },
};
/* clang-format on */
