/* Networks of dense layers over patches: MLP-Mixer, ResMLP, gMixer and gMLP. */
#include "graph/zoo_internal.h"

enum ec__mixer_gate { EC__GATE_NONE, EC__GATE_FEATURES, EC__GATE_PATCHES };

#define MIXER(X, T)                                                                                \
    X(T, INT, patch, 1, 4096, "side of a patch in pixels")                                         \
    X(T, INT, hidden, 1, 65536, "features of a patch")                                             \
    X(T, INT, layers, 1, 1000, "blocks")                                                           \
    X(T, INT, tokens, 0, 1000000,                                                                  \
      "features between the dense layers over patches; 0: one layer (ResMLP)")                     \
    X(T, INT, ffn, 1, 1000000, "features between the dense layers over channels")                  \
    X(T, ENUM, gate, gates, "half of the features gates the other: none, features, patches (gMLP)")
EC__VARIANT(mixer, MIXER);

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

/* Two dense layers with a gate between them: one half of the features gates the other. */
static int gated(struct ec_builder *b, int x, int64_t inner, const char *fc1, const char *fc2)
{
    int64_t c = ec_b_dim(b, x, -1);
    int halves[2];

    ec__chunk(b, ec__linear(b, x, inner, true, fc1), 2, 2, halves);
    x = ec_b2(b, halves[0], ec_b1(b, halves[1], "silu"), "mul");
    return ec__linear(b, x, c, true, fc2);
}

static int maybe_gated(struct ec_builder *b, int x, const struct ec__mixer *v, int64_t inner,
                       const char *fc1, const char *fc2)
{
    return v->gate == EC__GATE_FEATURES ? gated(b, x, inner, fc1, fc2) : mlp(b, x, inner, fc1, fc2);
}

static int mixer_block(struct ec_builder *b, int x, const struct ec__mixer *v)
{
    int y = swap(b, ec_b1(b, x, "layer_norm name=norm1"));

    y = swap(b, maybe_gated(b, y, v, v->tokens, "mlp_tokens.fc1", "mlp_tokens.fc2"));
    x = ec__add(b, x, y);
    y = ec_b1(b, x, "layer_norm name=norm2");
    return ec__add(b, x, maybe_gated(b, y, v, v->ffn, "mlp_channels.fc1", "mlp_channels.fc2"));
}

/* The gate is a dense layer over the patches (gMLP). */
static int spatial_block(struct ec_builder *b, int x, const struct ec__mixer *v)
{
    int64_t tokens = ec_b_dim(b, x, 1);
    int halves[2], y = ec_b1(b, x, "layer_norm name=norm");

    y = ec_b1(b, ec__linear(b, y, v->ffn, true, "mlp_channels.fc1"), "gelu");
    ec__chunk(b, y, 2, 2, halves);
    y = swap(b, ec_b1(b, halves[1], "layer_norm name=mlp_channels.gate.norm"));
    y = swap(b, ec__linear(b, y, tokens, true, "mlp_channels.gate.proj"));
    y = ec_b2(b, halves[0], y, "mul");
    return ec__add(b, x, ec__linear(b, y, v->hidden, true, "mlp_channels.fc2"));
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

static int block(struct ec_builder *b, int x, const struct ec__mixer *v)
{
    if (v->gate == EC__GATE_PATCHES)
        return spatial_block(b, x, v);
    return v->tokens ? mixer_block(b, x, v) : resmlp_block(b, x, v);
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__mixer *v = variant;
    int64_t i;
    int x = ec__input_image(b, net, 3);

    x = ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld name=stem.proj", EC__I64(v->hidden),
              EC__I64(v->patch), EC__I64(v->patch));
    x = swap(b, ec_b1(b, x, "reshape shape=0,0,-1"));
    for (i = 0; ec_b_each(b, i, v->layers, "blocks.%lld.", EC__I64(i)); i++)
        x = block(b, x, v);
    x = v->tokens || v->gate ? ec_b1(b, x, "layer_norm name=norm") : affine(b, x, "norm");
    x = ec_b1(b, x, "reduce_mean axes=1 keepdims=0");
    return ec__linear(b, x, net->classes, true, "head");
}

static const char *const gates[] = { "none", "features", "patches", NULL };

EC__FAMILY(mixer, "dense layers over patches and over channels", "classify", MIXER, build);
