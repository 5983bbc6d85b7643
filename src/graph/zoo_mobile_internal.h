/* Stages of the mobile networks, between their notation, their blocks and their network. */
#ifndef EC_GRAPH_ZOO_MOBILE_INTERNAL_H
#define EC_GRAPH_ZOO_MOBILE_INTERNAL_H

#include "graph/zoo_internal.h"

enum ec__mobile_norm { EC__BATCH_NORM, EC__GROUP_NORM, EC__LAYER_NORM, EC__EVO_NORM, EC__RMS_NORM };
struct ec__mobile {
    const char *stages; /* see zoo_mobile_stage.c */
    double width, depth;
    int64_t stem, head; /* filters of the first and of the last 1x1 convolution; head 0: none */
    int64_t hidden;     /* features between pool and classifier (MobileNetV3); 0: none */
    const char *act;
    bool se_mid; /* squeeze to a share of the inner channels, hard sigmoid; else of the input's */
    bool fixed_ends; /* the multipliers leave stem, head, first and last stage alone */
    bool fixed_stem;
    int head_rule;      /* enum ec__head_rule */
    bool round_depth;   /* scaled depths to the nearest number; else up */
    bool nearest;       /* scaled widths to the nearest multiple; else at most 10 % below */
    int64_t by;         /* the multiple; 0: 8 */
    int64_t stem_r;     /* side of the first filter; 0: 3 */
    bool hidden_norm;   /* a norm after the hidden features */
    int64_t group;      /* channels of a group of the filtering convolutions; 0: 1, depthwise */
    int norm;           /* enum ec__mobile_norm */
    int64_t norm_group; /* channels of a group of the norm; 0: all */
    int aa;             /* enum ec__antialias, in place of strides */
    bool context;       /* the squeeze is weighted per pixel (global context) */
    const char *gate;   /* of the excitation, where it is not the rule; NULL */
    bool layer_scale;
    int64_t fuse; /* so many last maps of different size make the head; 0: the last */
    double dropout, drop_path;
};

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
