/* CaiT: attention whose heads are mixed before and after the softmax, then two layers in which a
 * class token attends to the patches. */
#include "graph/zoo_internal.h"

#define CAIT(X, T)                                                                                 \
    X(T, INT, hidden, 1, 65536, "features of a token")                                             \
    X(T, INT, layers, 1, 1000, "blocks before the class token joins")                              \
    X(T, INT, heads, 1, 1024, "attention heads")
EC__VARIANT(cait, CAIT);

enum { PATCH = 16 };

/* One dense layer over the heads, which a transposed copy brings to the end. */
static int mix_heads(struct ec_builder *b, int scores, const char *name)
{
    int64_t heads = ec_b_dim(b, scores, 1);
    int x = ec__linear(b, ec_b1(b, scores, "transpose perm=0,2,3,1"), heads, true, name);

    return ec_b1(b, x, "transpose perm=0,3,1,2");
}

static int talking_heads(struct ec_builder *b, int x, const struct ec__cait *v)
{
    int qkv[3];

    ec__split_parts(b, ec__linear(b, x, 3 * v->hidden, true, "attn.qkv"), 3, v->heads, qkv);
    x = ec__scaled(b, qkv[0], v->hidden / v->heads);
    x = mix_heads(b, ec_b2(b, x, qkv[1], "matmul transpose_b=1"), "attn.proj_l");
    x = mix_heads(b, ec_b1(b, x, "softmax"), "attn.proj_w");
    x = ec__join_heads(b, ec_b2(b, x, qkv[2], "matmul"));
    return ec__linear(b, x, v->hidden, true, "attn.proj");
}

static int block(struct ec_builder *b, int x, const struct ec__cait *v)
{
    int y = talking_heads(b, ec__layer_norm(b, x, "norm1"), v);

    x = ec__residual(b, x, y, "gamma_1", 0);
    y = ec__mlp(b, ec__layer_norm(b, x, "norm2"), 4 * v->hidden, "gelu", 0);
    return ec__residual(b, x, y, "gamma_2", 0);
}

/* Returns the class token, which sees itself and the patches. */
static int class_block(struct ec_builder *b, int cls, int x, const struct ec__cait *v)
{
    int y = ec_bn(b, (int[]){ cls, x }, 2, "concat");

    y = ec__class_attention(b, ec__layer_norm(b, y, "norm1"), v->heads);
    cls = ec__residual(b, cls, y, "gamma_1", 0);
    y = ec__mlp(b, ec__layer_norm(b, cls, "norm2"), 4 * v->hidden, "gelu", 0);
    return ec__residual(b, cls, y, "gamma_2", 0);
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__cait *v = variant;
    int x = ec__input_image(b, net, 3), cls;
    int64_t i;

    if (!ec__heads_fit(b, v->hidden, v->heads))
        return -1;
    x = ec__patches(b, x, v->hidden, PATCH, "patch_embed.proj");
    x = ec__positions(b, x, "pos_embed");
    for (i = 0; ec_b_each(b, i, v->layers, "blocks.%lld.", EC__I64(i)); i++)
        x = block(b, x, v);
    cls = ec_b_param(b, "cls_token", 3, (int64_t)1, (int64_t)1, v->hidden);
    cls = ec_b1(b, cls, "expand shape=%lld,1,%lld", EC__I64(net->batch), EC__I64(v->hidden));
    for (i = 0; ec_b_each(b, i, 2, "blocks_token_only.%lld.", EC__I64(i)); i++)
        cls = class_block(b, cls, x, v);
    x = ec__layer_norm(b, ec_bn(b, (int[]){ cls, x }, 2, "concat"), "norm");
    return ec__linear(b, ec__token(b, x, 0), net->classes, true, "head");
}

EC__FAMILY(cait, "attention of mixed heads", "classify", CAIT, build);
