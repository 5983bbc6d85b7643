/* Networks of dense layers over patches: MLP-Mixer and ResMLP. */
#include "graph/zoo_internal.h"

static int swap(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,2,1");
}

static int mlp(struct ec_builder *b, int x, int64_t inner, const char *fc1, const char *fc2)
{
    int64_t c = ec_b_dim(b, x, -1);

    x = ec_b1(b, ec__linear(b, x, inner, true, fc1), "gelu");
    return ec__linear(b, x, c, true, fc2);
}

static int mixer_block(struct ec_builder *b, int x, const struct ec__mixer *v)
{
    int y = swap(b, ec_b1(b, x, "layer_norm name=norm1"));

    y = swap(b, mlp(b, y, v->tokens, "mlp_tokens.fc1", "mlp_tokens.fc2"));
    x = ec__add(b, x, y);
    y = ec_b1(b, x, "layer_norm name=norm2");
    return ec__add(b, x, mlp(b, y, v->ffn, "mlp_channels.fc1", "mlp_channels.fc2"));
}

/* A scale and a shift per channel in place of a norm. */
static int affine(struct ec_builder *b, int x, const char *name)
{
    int64_t c = ec_b_dim(b, x, -1);
    size_t old = ec_b_push(b, "%s.", name);

    x = ec_b2(b, x, ec_b_param(b, "alpha", 1, c), "mul");
    x = ec__add(b, x, ec_b_param(b, "beta", 1, c));
    ec_b_pop(b, old);
    return x;
}

static int scaled(struct ec_builder *b, int x, int y, const char *name)
{
    y = ec_b2(b, y, ec_b_param(b, name, 1, ec_b_dim(b, x, -1)), "mul");
    return ec__add(b, x, y);
}

static int resmlp_block(struct ec_builder *b, int x, const struct ec__mixer *v)
{
    int64_t tokens = ec_b_dim(b, x, 1);
    int y = swap(b, affine(b, x, "norm1"));

    y = swap(b, ec__linear(b, y, tokens, true, "linear_tokens"));
    x = scaled(b, x, y, "ls1");
    y = mlp(b, affine(b, x, "norm2"), v->ffn, "mlp_channels.fc1", "mlp_channels.fc2");
    return scaled(b, x, y, "ls2");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__mixer *v = variant;
    int64_t i;
    int x = ec__input_image(b, net, 3);

    x = ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld name=stem.proj", EC__I64(v->hidden),
              EC__I64(v->patch), EC__I64(v->patch));
    x = swap(b, ec_b1(b, x, "reshape shape=0,0,-1"));
    for (i = 0; i < v->layers && !b->st; i++) {
        size_t old = ec_b_push(b, "blocks.%lld.", EC__I64(i));

        x = v->tokens ? mixer_block(b, x, v) : resmlp_block(b, x, v);
        ec_b_pop(b, old);
    }
    x = v->tokens ? ec_b1(b, x, "layer_norm name=norm") : affine(b, x, "norm");
    x = ec_b1(b, x, "reduce_mean axes=1 keepdims=0");
    return ec__linear(b, x, net->classes, true, "head");
}

/* clang-format off */
#define T struct ec__mixer
static const struct ec_field fields[] = {
    EC__INT(T, "patch", patch, 1, 4096, "side of a patch in pixels"),
    EC__INT(T, "hidden", hidden, 1, 65536, "features of a patch"),
    EC__INT(T, "layers", layers, 1, 1000, "blocks"),
    EC__INT(T, "tokens", tokens, 0, 1000000,
            "features between the dense layers over patches; 0: one layer (ResMLP)"),
    EC__INT(T, "ffn", ffn, 1, 1000000, "features between the dense layers over channels"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

const struct ec__family ec__family_mixer = {
    "mixer",    "dense layers over patches and over channels",
    "classify", sizeof(struct ec__mixer),
    fields,     build,
};
