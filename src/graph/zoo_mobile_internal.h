/* Stages of the mobile networks, between their notation, their blocks and their network. */
#ifndef EC_GRAPH_ZOO_MOBILE_INTERNAL_H
#define EC_GRAPH_ZOO_MOBILE_INTERNAL_H

#include "graph/zoo_internal.h"

enum ec__mobile_norm { EC__BATCH_NORM, EC__GROUP_NORM, EC__LAYER_NORM, EC__EVO_NORM, EC__RMS_NORM };
#define MOBILE(X, T)                                                                               \
    X(T, REAL, width, 0.01, 64, "multiplies the channels")                                         \
    X(T, REAL, depth, 0.01, 64, "multiplies the blocks of a stage")                                \
    X(T, BOOL, nearest, "scaled channels to the nearest multiple of 8")                            \
    X(T, INT, by, 0, 1024, "scaled channels to multiples of it; 0: 8")                             \
    X(T, INT, stem, 1, 65536, "filters of the first convolution")                                  \
    X(T, INT, stem_r, 0, 64, "its side; 0: 3")                                                     \
    X(T, INT, head, 0, 65536, "filters of the last 1x1 convolution; 0: none")                      \
    X(T, INT, hidden, 0, 65536, "features between pool and classifier; 0: none")                   \
    X(T, BOOL, hidden_norm, "a norm after them")                                                   \
    X(T, STR, act, "activation: relu, relu6, silu, hard_swish")                                    \
    X(T, STR, stages, "stages joined by blanks: ir_r2_k3_s2_e6_c24")                               \
    X(T, INT, group, 0, 65536,                                                                     \
      "channels of a group of the filtering convolutions; 0: 1, depthwise")                        \
    X(T, ENUM, norm, norms, "norm: batch, group, layer, evo, rms")                                 \
    X(T, INT, norm_group, 0, 65536, "channels of a group of the norm; 0: all")                     \
    X(T, ENUM, aa, pools, "none, avg or blur in place of strides (antialiasing)")                  \
    X(T, BOOL, context, "squeeze by a weight per pixel, not by the mean")                          \
    X(T, BOOL, layer_scale, "learned scale of each residual branch")                               \
    X(T, INT, fuse, 0, MAPS_MAX, "last maps of different size joined for the head")                \
    X(T, STR, gate, "of the excitation, where it is not the rule")                                 \
    X(T, BOOL, se_mid, "squeeze to a share of the inner channels, not of the input's")             \
    X(T, BOOL, fixed_stem, "`width` leaves the stem alone")                                        \
    X(T, BOOL, fixed_ends, "and the last 1x1 convolution, first and last stage")                   \
    X(T, BOOL, round_depth, "scaled depths to the nearest number, not up")                         \
    X(T, ENUM, head_rule, head_rules, "where `width` multiplies the head")                         \
    X(T, REAL, dropout, 0, 0.99, "probability before the classifier")                              \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping a block")
EC__VARIANT(mobile, MOBILE);

enum ec__stage_kind {
    EC__CN,
    EC__DS,
    EC__DSA,
    EC__IR,
    EC__ER,
    EC__UIR,
    EC__MQA,
    EC__MVIT,
    EC__MVIT2
};

#define EC__PARTS_MAX 5

/* A word of ec__mobile.stages; 0 where it says nothing. */
struct ec__stage {
    enum ec__stage_kind kind;
    int64_t repeat, stride, channels;
    struct ec__parts {
        int64_t v[EC__PARTS_MAX];
        int n;
    } k, first, last;   /* filters, mixed when several; groups of the 1x1 before and after */
    int64_t fake_in;    /* the expansion is of so many channels */
    int64_t mid;        /* inner channels, in place of an expansion */
    int64_t squeeze;    /* channels between squeeze and excitation, in place of a share */
    int64_t group;      /* channels of a group of the filtering convolution */
    int64_t heads, dim; /* of attention; dim: features of a head, or of a token */
    int64_t kv_stride;  /* of the maps of keys and values */
    int64_t layers;     /* of the transformer inside */
    int64_t fold;       /* 2x2 pixels become channels in the first block */
    int64_t experts;    /* whose filters are mixed for each sample; 0: none */
    double expand, se;
    const char *act;
    bool skip;
};

/* act: of a stage that names none. False: not a word of a stage. */
bool ec__stage_parse(struct ec_span text, const char *act, struct ec__stage *ret);

/* Normalises as the network does, then applies the activation; NULL: none. */
int ec__mobile_norm(struct ec_builder *b, int x, const struct ec__mobile *v, const char *act);
/* One block without its residual addition. */
int ec__mobile_block(struct ec_builder *b, int x, const struct ec__mobile *v,
                     const struct ec__stage *st, int64_t out, int64_t stride);

#endif
