/* Vision transformers: what zoo_vit.c, its stems and its attention share. */
#ifndef EC_GRAPH_ZOO_VIT_INTERNAL_H
#define EC_GRAPH_ZOO_VIT_INTERNAL_H

#include "graph/zoo_internal.h"

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
