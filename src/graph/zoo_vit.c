/* Transformers on images: ViT and DeiT, Swin V1 and V2; ConvNeXt, a convolutional net in their
 * form. Attention is composed of products and softmax, as the reference implementations run it. */
#include "graph/zoo_internal.h"

#include <stdio.h>

static int layer_norm(struct ec_builder *b, int x, const char *name)
{
    return ec_b1(b, x, "layer_norm name=%s", name);
}

/* (n, t, 3*c) -> q, k, v, each (n, heads, t, c/heads), as slices of one transposed copy */
static void split_qkv(struct ec_builder *b, int qkv, int64_t heads, int out[3])
{
    const struct ec_node *split;
    int i;

    qkv = ec_b1(b, qkv, "reshape shape=0,0,3,%lld,-1", EC__I64(heads));
    qkv = ec_b1(b, qkv, "transpose perm=2,0,3,1,4");
    (void)ec_b1(b, qkv, "split axis=0 parts=3");
    split = ec_b_last(b);
    for (i = 0; i < 3; i++)
        out[i] = split ? ec_b1(b, split->out[i], "squeeze axes=0") : -1;
}

static int join(struct ec_builder *b, int scores, int v, int64_t c)
{
    int x = ec_b2(b, scores, v, "matmul");

    x = ec__join_heads(b, x);
    return ec__linear(b, x, c, true, "proj");
}

static int mlp(struct ec_builder *b, int x, int64_t inner, double dropout)
{
    int64_t c = ec_b_dim(b, x, -1);

    x = ec_b1(b, ec__linear(b, x, inner, true, "mlp.fc1"), "gelu");
    x = ec__linear(b, ec__dropout(b, x, dropout), c, true, "mlp.fc2");
    return ec__dropout(b, x, dropout);
}

/* --- ViT --- */

static int vit_attention(struct ec_builder *b, int x, const struct ec__vit *v)
{
    int qkv[3], scores;

    x = ec__linear(b, x, 3 * v->hidden, !v->no_qkv_bias, "qkv");
    split_qkv(b, x, v->heads, qkv);
    scores = ec_b2(b, qkv[0], qkv[1], "matmul transpose_b=1");
    scores = ec_b1(b, ec__scaled(b, scores, v->hidden / v->heads), "softmax");
    return ec__dropout(b, join(b, scores, qkv[2], v->hidden), v->dropout);
}

static int vit_branch(struct ec_builder *b, int x, int y, const struct ec__vit *v, const char *name)
{
    if (v->scale)
        y = ec_b2(b, y, ec_b_param(b, name, 1, v->hidden), "mul");
    return ec__add(b, x, ec__drop_path(b, y, v->drop_path));
}

static int vit_block(struct ec_builder *b, int x, const struct ec__vit *v)
{
    int y = vit_attention(b, layer_norm(b, x, "norm1"), v);

    x = vit_branch(b, x, y, v, "ls1");
    y = mlp(b, layer_norm(b, x, "norm2"), v->ffn, v->dropout);
    return vit_branch(b, x, y, v, "ls2");
}

/* Patches as tokens, with the class (and distillation) tokens in front and positions added. */
static int vit_tokens(struct ec_builder *b, const struct ec__net *net, const struct ec__vit *v)
{
    int xs[2], x = ec__input_image(b, net, 3);

    x = ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld name=conv_proj", EC__I64(v->hidden),
              EC__I64(v->patch), EC__I64(v->patch));
    x = ec_b1(b, x, "reshape shape=0,0,-1");
    x = ec_b1(b, x, "transpose perm=0,2,1");
    if (v->extra) {
        xs[0] = ec_b_param(b, "class_token", 3, (int64_t)1, v->extra, v->hidden);
        xs[0] = ec_b1(b, xs[0], "expand shape=%lld,%lld,%lld", EC__I64(net->batch),
                      EC__I64(v->extra), EC__I64(v->hidden));
        xs[1] = x;
        x = ec_bn(b, xs, 2, "concat");
    }
    xs[1] = ec_b_param(b, "pos_embedding", 3, (int64_t)1, ec_b_dim(b, x, 1), v->hidden);
    return ec__dropout(b, ec__add(b, x, xs[1]), v->dropout);
}

static int token(struct ec_builder *b, int x, int64_t i)
{
    x = ec_b1(b, x, "slice axes=1 starts=%lld ends=%lld", EC__I64(i), EC__I64(i + 1));
    return ec_b1(b, x, "squeeze axes=1");
}

static int vit_head(struct ec_builder *b, int x, const struct ec__vit *v, int64_t classes)
{
    int first;

    if (v->gap) {
        x = ec_b1(b, x, "reduce_mean axes=1 keepdims=0");
        return ec__linear(b, layer_norm(b, x, "fc_norm"), classes, true, "head");
    }
    x = layer_norm(b, x, "norm");
    first = ec__linear(b, token(b, x, 0), classes, true, "head");
    if (v->extra == 2) { /* DeiT: the distillation token has a head of its own */
        x = ec__linear(b, token(b, x, 1), classes, true, "head_dist");
        if (!b->st)
            b->st = ec_graph_add_output(b->g, x, b->err);
    }
    return first;
}

static int vit_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__vit *v = variant;
    int64_t i;
    int x;

    if (net->size < v->patch || v->hidden % v->heads) {
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "the image must hold a patch of %lld, and %lld heads divide hidden %lld",
                        EC__I64(v->patch), EC__I64(v->heads), EC__I64(v->hidden));
        return -1;
    }
    x = vit_tokens(b, net, v);
    if (v->pre_norm)
        x = layer_norm(b, x, "norm_pre");
    for (i = 0; i < v->layers && !b->st; i++) {
        size_t old = ec_b_push(b, "blocks.%lld.", EC__I64(i));

        x = vit_block(b, x, v);
        ec_b_pop(b, old);
    }
    return vit_head(b, x, v, net->classes);
}

/* clang-format off */
#define T struct ec__vit
static const struct ec_field vit_fields[] = {
    EC__INT(T, "patch", patch, 1, 4096, "side of a patch"),
    EC__INT(T, "hidden", hidden, 1, 65536, "features of a token"),
    EC__INT(T, "layers", layers, 1, 1000, "blocks"),
    EC__INT(T, "heads", heads, 1, 1024, "attention heads"),
    EC__INT(T, "ffn", ffn, 1, 1000000, "features between the two dense layers"),
    EC__INT(T, "extra", extra, 0, 1024, "tokens in front of the patches"),
    EC__BOOL(T, "gap", gap, "classify the mean of all tokens"),
    EC__BOOL(T, "scale", scale, "learned scale of each residual branch"),
    EC__REAL(T, "dropout", dropout, 0, 0.99, "dropout"),
    EC__REAL(T, "drop_path", drop_path, 0, 0.99, "probability of dropping a branch"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

const struct ec__family ec__family_vit = {
    "vit", "vision transformer", "classify", sizeof(struct ec__vit), vit_fields, vit_build,
};
