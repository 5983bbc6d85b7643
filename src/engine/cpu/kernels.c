/* Which operators the cpu backend runs, and by what. */
#include "engine/cpu/cpu_internal.h"

/* clang-format off */
#define PREPARE(family)                                                                            \
    static enum ec_status family##_prepare(struct ec_ctx *ctx, struct ec_knode *k,                 \
                                           struct ec_err *err)                                     \
    {                                                                                              \
        return ec__prepare(ec__##family##_build, ctx, k, err);                                     \
    }
EC__FAMILY_LIST(PREPARE)

#define ROW(op, fuses, family) { op, fuses, NULL, family##_prepare, ec__cpu_run, ec__cpu_drop },

const struct ec_kernel_row ec__cpu_rows[] = {
    ROW("adaptive_avg_pool",     0,                 global_pool)
    ROW("adaptive_avg_pool",     0,                 pool)
    ROW("adaptive_max_pool",     EC_FUSE_RELU_BEFORE, pool)
    ROW("add",                   EC_FUSE_RELU,      add)
    ROW("add",                   0,                 broadcast)
    ROW("attention",             0,                 attention)
    ROW("avg_pool1d",            0,                 pool)
    ROW("avg_pool2d",            0,                 pool)
    ROW("avg_pool3d",            0,                 pool)
    ROW("batch_norm",            EC_FUSE_RELU_BWD | EC_FUSE_ACT, block_norm)
    ROW("batch_norm",            EC_FUSE_RELU_BWD,  batch_norm)
    ROW("channel_shuffle",       0,                 channel_shuffle)
    ROW("concat",                0,                 concat)
    ROW("conv1d",                EC_FUSE_RELU,      conv)
    ROW("conv2d",                EC_FUSE_RELU,      conv)
    ROW("conv3d",                EC_FUSE_RELU,      conv)
    ROW("conv_transpose1d",      EC_FUSE_RELU,      conv)
    ROW("conv_transpose2d",      EC_FUSE_RELU,      conv)
    ROW("conv_transpose3d",      EC_FUSE_RELU,      conv)
    ROW("div",                   0,                 broadcast)
    ROW("dropout",               0,                 dropout)
    ROW("embedding",             0,                 embedding)
    ROW("flatten",               0,                 view)
    ROW("global_avg_pool",       0,                 global_pool)
    ROW("global_avg_pool",       0,                 pool)
    ROW("global_max_pool",       EC_FUSE_RELU_BEFORE, pool)
    ROW("group_norm",            0,                 group_norm)
    ROW("gru",                   0,                 rnn)
    ROW("instance_norm",         0,                 group_norm)
    ROW("layer_norm",            0,                 layer_norm)
    ROW("linear",                EC_FUSE_RELU,      linear)
    ROW("log_softmax",           0,                 softmax)
    ROW("lstm",                  0,                 rnn)
    ROW("matmul",                0,                 matmul)
    ROW("max_pool1d",            EC_FUSE_RELU_BEFORE, pool)
    ROW("max_pool2d",            EC_FUSE_RELU_BEFORE, pool)
    ROW("max_pool3d",            EC_FUSE_RELU_BEFORE, pool)
    ROW("mul",                   0,                 mul)
    ROW("mul",                   0,                 broadcast)
    ROW("multi_head_attention",  0,                 mha)
    ROW("reshape",               0,                 view)
    ROW("rms_norm",              0,                 layer_norm)
    ROW("softmax",               0,                 softmax)
    ROW("scale_scalar",          0,                 unary)
    ROW("split",                 0,                 split)
    ROW("squeeze",               0,                 view)
    ROW("sub",                   0,                 broadcast)
    ROW("transpose",             0,                 transpose)
    ROW("unsqueeze",             0,                 view)
#define UNARY(name, f, d, reads) ROW(#name, 0, unary)
    EC_UNARY_LIST(UNARY)
#undef UNARY
    { NULL, 0, NULL, NULL, NULL, NULL },
};
/* clang-format on */
