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
struct ec__vit {
    int64_t patch, hidden, layers, heads, ffn;
    int64_t extra;  /* class, distillation and register tokens */
    bool distilled; /* the second of them has an output of its own */
    int stem;
    struct ec_ints stem_layers,
        stem_widths;              /* of the residual stems; none: their first convolution */
    int positions;                /* learned ones: of which tokens */
    int64_t grid;                 /* positions are a map of this side, resized; 0: of patches */
    bool factored;                /* that map is the sum of rows and columns */
    int rope;                     /* rotary positions */
    int64_t relative;             /* features inside the MLP of relative positions; 0: none */
    bool shared_relative;         /* the same for all blocks */
    bool pre_norm, embed_norm;    /* a norm before the blocks; before positions are added */
    int block;                    /* where norms stand in a block; attention beside the MLP */
    bool no_qkv_bias, no_bias;    /* `no_bias`: none in the dense layers of a block */
    bool split_qkv;               /* three dense layers, that of the keys without bias */
    bool qk_norm, attn_norm;      /* of each head's queries and keys; before the last layer */
    bool differential;            /* the difference of two attentions per head */
    int gate;                     /* gated MLP */
    bool mlp_first_norm;          /* of the MLP, after that of the block */
    bool mlp_norm;                /* before the last dense layer of the MLP */
    bool rms;                     /* root mean square norms */
    const char *act;              /* NULL: gelu; quick_gelu is known here */
    bool scale;                   /* layer scale */
    int pool, norm;               /* enum ec__vit_pool; where the last norm stands */
    int64_t pool_heads, pool_ffn; /* of attention pooling; 0: those of the blocks */
    double dropout, drop_path;
};

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
