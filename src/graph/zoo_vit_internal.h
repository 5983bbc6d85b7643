/* Vision transformers: what zoo_vit.c, its stems and its attention share. */
#ifndef EC_GRAPH_ZOO_VIT_INTERNAL_H
#define EC_GRAPH_ZOO_VIT_INTERNAL_H

#include "graph/zoo_internal.h"

/* What turns an image into tokens of a vision transformer. */
enum ec__vit_stem {
    EC__STEM_PATCHES,
    EC__STEM_RESNET_V2, /* ResNet of group norms and standardised weights, then patches of its map
                         */
    EC__STEM_RESNET_D,  /* ResNet-D, then the same */
    EC__STEM_CONVS,     /* three convolutions with stride 4, 2, 2; `patch` is 16 then */
    EC__STEM_VITAMIN    /* inverted residuals with layer norms, and a strided convolution */
};
enum ec__vit_norm { EC__NORM_BEFORE, EC__NORM_AFTER, EC__NORM_NONE }; /* the pool */
#define VIT(X, T)                                                                                  \
    X(T, INT, patch, 1, 4096, "side of a patch")                                                   \
    X(T, INT, hidden, 1, 65536, "features of a token")                                             \
    X(T, INT, layers, 1, 1000, "blocks")                                                           \
    X(T, INT, heads, 1, 1024, "attention heads")                                                   \
    X(T, INT, ffn, 1, 1000000, "features between the two dense layers")                            \
    X(T, INT, extra, 0, 1024, "tokens in front of the patches")                                    \
    X(T, BOOL, distilled, "an output of the second of them")                                       \
    X(T, ENUM, stem, stems, "before the patches: nothing, a ResNet, convolutions")                 \
    X(T, INTS, stem_layers, 1, 1000, "blocks of each stage of that ResNet: 3x4x9")                 \
    X(T, INTS, stem_widths, 1, 65536, "channels of each stage of ViTamin's stem")                  \
    X(T, ENUM, positions, places, "which tokens have learned positions")                           \
    X(T, INT, grid, 0, 4096, "positions are a map of this side, resized; 0: of patches")           \
    X(T, BOOL, factored, "that map is the sum of rows and columns")                                \
    X(T, ENUM, rope, ropes, "rotary positions")                                                    \
    X(T, INT, relative, 0, 65536, "features inside the MLP of relative positions; 0: none")        \
    X(T, BOOL, shared_relative, "relative positions are those of all blocks")                      \
    X(T, BOOL, pre_norm, "a norm before the blocks")                                               \
    X(T, BOOL, embed_norm, "a norm of the patches")                                                \
    X(T, ENUM, block, blocks, "norms before or after branches, or branches side by side")          \
    X(T, BOOL, no_qkv_bias, "queries, keys and values have no bias")                               \
    X(T, BOOL, no_bias, "no dense layer of a block has a bias")                                    \
    X(T, BOOL, split_qkv, "queries, keys and values of a dense layer each")                        \
    X(T, BOOL, qk_norm, "norms of queries and keys")                                               \
    X(T, BOOL, attn_norm, "a norm before attention's last dense layer")                            \
    X(T, BOOL, differential, "the difference of two attentions")                                   \
    X(T, ENUM, gate, gates, "gated dense layers, of one first layer or two")                       \
    X(T, BOOL, mlp_first_norm, "a second norm before the first dense layer")                       \
    X(T, BOOL, mlp_norm, "a norm before the last dense layer")                                     \
    X(T, BOOL, rms, "root mean square norms")                                                      \
    X(T, STR, act, "activation: gelu, quick_gelu ...; of gates silu")                              \
    X(T, BOOL, scale, "learned scale of each residual branch")                                     \
    X(T, ENUM, pool, pools, "the class token, the mean of the patches, attention")                 \
    X(T, ENUM, norm, norms, "the last norm: before or after the pool")                             \
    X(T, INT, pool_heads, 0, 1024, "heads of attention as a pool; 0: of the blocks")               \
    X(T, INT, pool_ffn, 0, 1000000, "ffn of attention as a pool; 0: of the blocks")                \
    X(T, REAL, dropout, 0, 0.99, "dropout")                                                        \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping a branch")
EC__VARIANT(vit, VIT);

/* What the blocks of one network share; values, -1: none. */
struct ec__vit_shared {
    int64_t side;  /* of the map of patches */
    int bias;      /* relative positions, added to the scores of each block */
    int cos, sin;  /* rotary positions; learned ones (layers, heads, t, d) */
    int64_t block; /* the one being built */
};

int ec__vit_act(struct ec_builder *b, int x, const struct ec__vit *v);

/* zoo_vit_stem.c: the map that is cut into patches, and the side of those; 0: the map is tokens */
int ec__vit_stem(struct ec_builder *b, int image, const struct ec__vit *v, int64_t *ret_patch);

/* zoo_vit_attention.c */
int ec__vit_norm(struct ec_builder *b, int x, const struct ec__vit *v, const char *name);
/* Makes what the blocks share, for patches of a square map of that side. */
void ec__vit_share(struct ec_builder *b, const struct ec__vit *v, int64_t side,
                   struct ec__vit_shared *ret);
int ec__vit_attention(struct ec_builder *b, int x, const struct ec__vit *v,
                      const struct ec__vit_shared *s);
/* softmax(q k') v of (n, t, heads, d) each, norms of queries and keys, joined (n, t, c). */
int ec__vit_attend(struct ec_builder *b, const int qkv[3], const struct ec__vit *v,
                   const struct ec__vit_shared *s);
/* A learned query's attention to all tokens, then an MLP: (n, c) */
int ec__vit_pool_attention(struct ec_builder *b, int x, const struct ec__vit *v);

#endif
