/* The zoo inside its folder: families of networks, their variants, blocks that families share.
 *
 * A family is a builder with a struct of what distinguishes its networks. A network is one line of
 * zoo_list.h: a name and a filled struct. What a user writes after ':' changes a copy of that
 * struct through the family's field table, so everything that tells two networks apart can be set.
 */
#ifndef EC_GRAPH_ZOO_INTERNAL_H
#define EC_GRAPH_ZOO_INTERNAL_H

#include "graph/build_internal.h"

/* What every network can be given. Zero: the network's own. */
struct ec__net {
    int64_t batch;
    int64_t size;     /* image side in pixels, or tokens of a sequence */
    int64_t channels; /* of the image */
    int64_t classes;
};

struct ec__family {
    const char *name, *help;
    const char *task; /* "classify": images; "language": tokens */
    size_t variant_size;
    const struct ec_field *fields;
    /* Returns the value that is the network's main output: (n, classes) or (n*t, vocabulary);
     * auxiliary outputs it adds itself. */
    int (*build)(struct ec_builder *b, const struct ec__net *net, const void *variant);
};

/* Where the published figures of a network come from, and how exact they are there. */
struct ec__zoo_source {
    const char *key, *text;         /* for tables; for sentences */
    double params_tol, params_frac; /* absolute plus relative */
    double mac_tol, mac_frac;
};

struct ec__zoo_row {
    const char *name, *aliases; /* aliases joined by blanks */
    const struct ec__family *family;
    int64_t size, classes; /* defaults of ec__net */
    int64_t params;        /* published, trainable */
    double mac;            /* published, forward, one sample */
    const struct ec__zoo_source *source;
    const void *variant; /* the family's struct */
};

const struct ec__zoo_row *ec__zoo_rows(int *ret_count);
const struct ec__zoo_row *ec__zoo_find(struct ec_span name); /* NULL: no such network */

/* --- Rows of field tables: struct, name, member, bounds, help --- */

/* clang-format off */
#define EC__INT(T, name, member, lo, hi, help)                                                     \
    { name, EC_F_INT, offsetof(T, member), NULL, NULL, lo, hi, NULL, "N", help, NULL, 0 }
#define EC__INTS(T, name, member, lo, hi, help)                                                    \
    { name, EC_F_INTS, offsetof(T, member), NULL, NULL, lo, hi, NULL, "NxN", help, NULL, 0 }
#define EC__REAL(T, name, member, lo, hi, help)                                                    \
    { name, EC_F_DOUBLE, offsetof(T, member), NULL, NULL, lo, hi, NULL, "X", help, NULL, 0 }
#define EC__BOOL(T, name, member, help)                                                            \
    { name, EC_F_BOOL, offsetof(T, member), NULL, NULL, 0, 0, NULL, NULL, help, NULL, 0 }
#define EC__STR(T, name, member, help)                                                             \
    { name, EC_F_STR, offsetof(T, member), NULL, NULL, 0, 0, NULL, "TEXT", help, NULL, 0 }
#define EC__ENUM(T, name, member, choices, help)                                                   \
    { name, EC_F_ENUM, offsetof(T, member), NULL, NULL, 0, 0, choices, "NAME", help, NULL, 0 }
/* clang-format on */

/* --- Families and the structs of their variants --- */

struct ec__chain {   /* operators one after the other */
    const char *ops; /* "conv2d k=32 r=3; relu; ..."; the word `classes` is the last layer */
    int64_t channels;
};
struct ec__cifar_cnn {
    int64_t depth, base_filters, dense;
    bool twice; /* filters double from block to block */
};
struct ec__mlp {
    int64_t in, out; /* out 0: classes */
    struct ec_ints hidden;
};
struct ec__vgg {
    const char *plan; /* filters of each convolution, M for a pool */
    bool bn;
    int64_t hidden;
};
struct ec__resnet {
    struct ec_ints layers; /* blocks of each stage */
    bool basic;            /* two 3x3 instead of 1x1, 3x3, 1x1 */
    int64_t width;         /* channels of the first stage; 0: 64 */
    int64_t base_width;    /* width per 64 channels inside a block; 0: 64 */
    int64_t groups;        /* 0: 1 */
    struct ec_ints stem;   /* channels of three 3x3 convolutions; none: one 7x7 */
    bool small_stem;       /* one 3x3 at full resolution, no pool: CIFAR */
    bool conv_pool;        /* a strided 3x3 in place of the stem's pool */
    bool avg_down;         /* shortcuts pool, then project */
    bool stride_1x1;       /* the stride sits on the first 1x1 (the first publication) */
    int64_t se;            /* squeeze-and-excitation: channels divided by this; 0: none */
    bool eca;              /* efficient channel attention */
    bool aa;               /* averages in place of strides */
    bool blur;             /* blurs in place of strides */
    bool preact;           /* norm and ReLU before each convolution (version 2) */
    int norm;              /* enum ec__norm */
    bool std;              /* standardised weights */
    int64_t flat;          /* so many last stages keep the resolution */
    bool dilate;           /* and dilate their filters */
    int64_t sk;            /* 3x3 of two dilations, selected by channels/N; 0: one 3x3 */
    int64_t radix;         /* split attention over so many 3x3; 0: none */
    bool pool_first;       /* with radix: strides before the 3x3, not after it */
    int64_t scale;         /* the 3x3 in so many parts, one after the other (Res2Net); 0: one */
    const char *widths;    /* channels of every block, see zoo_resnet.c; NULL: by rule */
    int head;              /* classify, fcn, deeplab, ssd, attention, mlp, none */
    double drop_path;
};
/* A norm and, where it has one, its own activation (ec__norm_act). */
enum ec__norm {
    EC__NORM_BATCH,
    EC__NORM_GROUP, /* of 32 groups */
    EC__NORM_EVO_B, /* EvoNorm over the batch, over the sample */
    EC__NORM_EVO_S,
    EC__NORM_FILTER, /* filter response norm */
};
extern const char *const ec__norm_names[]; /* NULL ends them */
struct ec__densenet {
    int64_t growth, first; /* filters each layer adds; of the stem */
    struct ec_ints blocks, stem;
    const char *act; /* NULL: relu */
    bool blur;       /* a blur in place of the stride of the first pool */
};
struct ec__squeezenet {
    bool v1_1;
};
struct ec__googlenet {
    bool aux, bn, five; /* `five`: 5x5 filters where torchvision has 3x3 */
};
struct ec__inception {
    bool aux;
    int version; /* v3, v4, resnet_v2 */
};
struct ec__shufflenet {
    struct ec_ints channels; /* of stages 2 to 4 and of the last convolution */
};
/* How the last 1x1 convolution follows the width. */
enum ec__head_rule { EC__HEAD_ABOVE_1, EC__HEAD_ALWAYS, EC__HEAD_NEVER };
enum ec__mobile_norm { EC__BATCH_NORM, EC__GROUP_NORM, EC__LAYER_NORM, EC__EVO_NORM, EC__RMS_NORM };
enum ec__antialias { EC__AA_NONE, EC__AA_AVG, EC__AA_BLUR };
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
struct ec__regnet {
    int64_t depth, w0, group_width;
    double wa, wm, se;
    bool nearest; /* widths to the nearest multiple of a group; else at most 10 % below */
};
/* One 4x4; two 3x3, the first of half the channels or followed by an activation. */
enum ec__convnext_stem { EC__PATCH, EC__OVERLAP, EC__OVERLAP_TIERED, EC__OVERLAP_ACT };
struct ec__convnext {
    struct ec_ints depths, widths;
    double drop_path;
    bool grn;  /* global response normalisation in place of the layer scale: version 2 */
    bool conv; /* 1x1 convolutions in place of dense layers per position */
    int stem;  /* enum ec__convnext_stem */
    bool rms;  /* norms divide by the root mean square of the channels */
    struct ec_ints filters; /* of each stage; none: 7 */
    int64_t hidden;         /* features of a dense layer before the classifier; 0: none */
    const char *act;        /* NULL: gelu */
};
/* What turns an image into tokens of a vision transformer. */
enum ec__vit_stem {
    EC__STEM_PATCHES,
    EC__STEM_RESNET_V2, /* ResNet of group norms and standardised weights, then patches of its map
                         */
    EC__STEM_RESNET_D,  /* ResNet-D, then the same */
    EC__STEM_CONVS,     /* three convolutions with stride 4, 2, 2; `patch` is 16 then */
    EC__STEM_VITAMIN    /* inverted residuals with layer norms, and a strided convolution */
};
enum ec__vit_positions { EC__OF_ALL, EC__OF_PATCHES, EC__OF_NONE };
enum ec__vit_pool { EC__POOL_TOKEN, EC__POOL_MEAN, EC__POOL_ATTENTION };
enum ec__vit_norm { EC__NORM_BEFORE, EC__NORM_AFTER, EC__NORM_NONE }; /* the pool */
enum ec__vit_block { EC__BLOCK_PRE, EC__BLOCK_POST, EC__BLOCK_PARALLEL };
enum ec__vit_gate { EC__UNGATED, EC__GATE_PACKED, EC__GATE_SPLIT }; /* one dense layer, or two */
enum ec__vit_rope { EC__ROPE_NONE, EC__ROPE_FIXED, EC__ROPE_LEARNED };
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
struct ec__swin {
    int64_t dim, window;                   /* window 0: side of the image by 32 */
    struct ec_ints depths, heads, windows; /* `windows` in place of `window` */
    bool v2, cr;                           /* `cr`: version 2 as Christoph Reich wrote it */
    bool clip;          /* no window larger than the map; else the map is padded */
    int64_t norm_every; /* a further norm after every so many blocks; 0: none */
    bool norm_stages;   /* a further norm after each stage */
    double drop_path;
};
struct ec__maxvit {
    int64_t stem, window, head_dim;
    struct ec_ints layers, widths;
    double drop_path;
};
struct ec__bert {
    int64_t layers, hidden, heads, ffn, vocab, positions, types;
    int head; /* masked words; these and sentence pairs; answer spans */
    double dropout;
};
enum ec__decoder_style { EC__GPT2, EC__OPT, EC__MPT };
struct ec__gpt {
    int style;
    int64_t layers, hidden, heads, ffn, vocab, positions;
    bool flash; /* fused attention */
    double dropout;
};
struct ec__llama {
    int64_t layers, hidden, heads, kv_heads, ffn, vocab, head_dim;
    bool tied, flash, qkv_bias;
};
enum { EC__TRANSFORMER, EC__T5 };
#define EC__EXPERTS_MAX 256
struct ec__seq2seq {
    int style;
    int64_t layers, hidden, heads, head_dim, ffn, vocab;
    bool gated, untied;
    int64_t experts, sparse_step, capacity; /* sparse_step is used with experts only */
    double dropout;
};
struct ec__rnn_lm {
    int cell; /* 0 rnn, 1 lstm, 2 gru */
    int64_t vocab, embed, hidden, layers;
    bool tied;
    double dropout;
};

struct ec__unet {
    struct ec_ints widths; /* channels of each level, finest first */
    int64_t dims;          /* 2: images, 3: volumes */
    int64_t channels;
    bool strided;  /* convolutions with stride in place of pools */
    bool instance; /* instance norm in place of batch norm */
};

struct ec__vovnet {
    struct ec_ints stem, mid, out, blocks; /* per stage: channels inside, of the result, blocks */
    int64_t per_block;                     /* convolutions of a block */
    bool depthwise;
    bool plain; /* without attention and additions */
};
struct ec__ghostnet {
    double width;
    bool rep;    /* RepGhostNet: the cheap copies are added, not joined */
    bool merged; /* with rep, as it infers: the sum is a part of the filter */
};
struct ec__xception {
    int64_t middle; /* blocks of the middle flow */
};
struct ec__repvgg {
    struct ec_ints blocks;
    double width, last; /* multiply the channels; those of the last stage */
    int64_t groups;     /* of every second block; 0: 1 */
    bool merged;        /* as it infers: each block one 3x3 */
    int64_t se;         /* squeeze to channels/N; 0: none */
};
struct ec__dla {
    struct ec_ints channels, heights; /* of six levels; of the trees of the last four */
    bool basic, root_add;
    int64_t groups, base_width;
};
struct ec__hrnet {
    int64_t width, first, planes, blocks; /* of the finest branch; of the first stage; of modules */
    struct ec_ints modules;
};
enum ec__mixer_gate { EC__GATE_NONE, EC__GATE_FEATURES, EC__GATE_PATCHES };
struct ec__mixer {
    int64_t patch, hidden, layers, ffn;
    int64_t tokens; /* features between the dense layers over tokens; 0: one layer (ResMLP) */
    int gate;       /* enum ec__mixer_gate */
};
struct ec__rexnet {
    double width;
    int64_t by; /* channels are multiples of it */
};
struct ec__convmixer {
    int64_t patch, hidden, layers, filter;
    const char *act;
};
struct ec__edgenext {
    struct ec_ints depths, widths;
    int64_t heads;
    bool early; /* overlapping stem, strides in the first blocks, no bias in convolutions */
};
struct ec__starnet {
    int64_t width, ratio; /* channels of the first stage; inner channels per channel */
    struct ec_ints depths;
};
struct ec__swiftformer {
    struct ec_ints depths, widths;
};
struct ec__mambaout {
    struct ec_ints depths, widths;
    double expand, filtered; /* features inside per feature; of them filtered */
    const char *act;
    bool rw; /* fewer norms, a learned scale of each block */
};
struct ec__efficientvit {
    struct ec_ints widths, depths, head; /* stem and stages; the last two layers */
    int64_t head_dim;
    const char *act;
    bool large;
};
struct ec__efficientvit_m {
    struct ec_ints widths, depths, heads, filters; /* filters: of the queries of each head */
    bool merged; /* as it infers: convolutions and their norms are one */
};
struct ec__shvit {
    struct ec_ints widths, depths, parts; /* parts: channels that attend; 0: none */
    bool merged;
};
struct ec__tinyvit {
    struct ec_ints widths, depths, heads, windows;
    bool merged;
};
struct ec__nextvit {
    struct ec_ints depths;
    bool merged;
};
struct ec__efficientformer {
    struct ec_ints depths, widths;
    int64_t attending; /* blocks with attention in the last stage; version 2: in the last two */
    bool v2;
    struct ec_ints narrow; /* version 2: in the last two stages, the first block with three times
                              the inner channels in place of four, and how many there are */
};
struct ec__fastvit {
    struct ec_ints depths, widths;
    int64_t ratio;     /* inner channels per channel */
    int64_t attending; /* last stages that attend */
    bool clip;         /* MobileCLIP's image encoder: squeeze, activations and other norms */
    bool five;         /* its larger ones: layer norms, one stage more */
    bool merged;
};
struct ec__repvit {
    struct ec_ints depths, widths;
    bool legacy; /* a norm of each branch, none of their sum */
    bool merged;
};
struct ec__nasnet {
    int64_t width, cells; /* channels of an operation in the first stage; cells of a stage */
    bool progressive;     /* PNASNet-5 */
};

struct ec__csp {
    struct ec_ints stem;
    int64_t stem_filter, stem_stride;
    bool pool;
    const char *stages; /* see zoo_csp.c */
    int block;          /* dark, edge, bottle */
    const char *act;
    int64_t se; /* squeeze to channels/N; 0: none */
    bool linear, grow, avg_down;
};

struct ec__byob {
    struct ec_ints stem;
    int64_t stem_filter, stem_plain; /* the first so many without norm and activation */
    bool pool;
    const char *stages; /* see zoo_byob.c */
    int64_t head;
    const char *act;
    int attend; /* none, se, eca, gca, bat */
    int64_t se; /* squeeze to channels/N; 0: 16 */
    bool twice, narrow, linear_out, no_shortcut;
};

struct ec__nfnet {
    struct ec_ints depths, channels, stem;
    double width;
    int64_t stem_filter;
    bool pool;
    int64_t group; /* channels of a group of a 3x3; 0: no groups */
    double ratio;
    bool narrow, twice;
    int64_t head;
    const char *act;
    bool gamma_in_act, same, skip_gain;
    int64_t se; /* squeeze to channels/N; 0: none */
    bool eca;
    double drop_path;
};

struct ec__dpn {
    struct ec_ints blocks, grow;
    int64_t stem, inner, groups;
    bool small, apart;
    const char *act;
};
struct ec__aligned_xception {
    struct ec_ints entry;
    int64_t middle;
    bool preact;
};
struct ec__selecsls {
    const char *layers; /* see zoo_selecsls.c */
};
struct ec__hgnet {
    bool v2;
    struct ec_ints stem, mid, out, blocks, light;
    int64_t per_block;
    bool affine;
};
struct ec__mobileone {
    struct ec_ints widths, blocks, gated;
    int64_t stem, branches;
    bool merged;
};
struct ec__tresnet {
    struct ec_ints layers;
    int64_t width, basic;
};

/* Transformers on images, beside vit, swin and maxvit */
struct ec__xcit {
    int64_t patch, hidden, layers, heads;
    bool norm_class; /* the second norm of class attention sees the class token only */
};
struct ec__cait {
    int64_t hidden, layers, heads;
};
struct ec__pit {
    int64_t patch, stride, head_dim;
    struct ec_ints layers, heads;
    bool distilled;
};
struct ec__levit {
    int64_t patch, key_dim;
    struct ec_ints widths, layers, heads;
    bool conv, distilled; /* `conv`: 1x1 convolutions over maps */
    const char *act;
};
struct ec__twins {
    struct ec_ints widths, layers, heads, ratios, sr; /* sr: see zoo_twins.c */
    int64_t window;                                   /* of every second block; 0: none */
};
struct ec__nest {
    struct ec_ints widths, layers, heads;
    bool same; /* pools pad as TensorFlow does */
    double drop_path;
};
struct ec__coat {
    struct ec_ints widths, layers, ratios;
    int64_t parallel; /* layers over three sizes; 0: CoaT-Lite */
};
struct ec__convit {
    int64_t hidden, layers, gated, heads; /* gated: first layers, which know distances */
};
struct ec__visformer {
    int64_t stem, hidden, heads;
    struct ec_ints layers;
};
struct ec__samvit {
    int64_t patch, hidden, layers, heads, window;
    int64_t every; /* so many-th block sees the whole map */
    int64_t neck;  /* channels of two convolutions after the blocks; 0: none */
    bool positions;
};
struct ec__focalnet {
    int64_t width, levels, window; /* of the first stage; depthwise filters and side of the first */
    struct ec_ints layers;
    bool post_norm, inner_norm, overlap, scale, mean;
    double drop_path;
};
struct ec__davit {
    struct ec_ints widths, layers, heads;
    int64_t window;
    bool overlap; /* of patches between stages */
};
struct ec__hiera {
    int64_t width, heads; /* of the first stage */
    struct ec_ints layers;
    int64_t grid;       /* side of a map of positions; 0: positions of each token */
    bool repeat, scale; /* `repeat`: stages widen by maximum and mean, not by a dense layer */
};
struct ec__hieradet {
    int64_t width, heads, grid;
    struct ec_ints layers, windows, global; /* global: numbers of blocks that see the whole map */
    bool scale;
};
struct ec__tnt {
    int64_t hidden, pixel, layers, heads, pixel_heads;
};

/* clang-format off */
#define EC__FAMILIES(X)                                                                            \
    X(chain) X(cifar_cnn) X(mlp) X(vgg) X(resnet) X(unet) X(densenet) X(squeezenet) X(googlenet)   \
    X(inception) X(shufflenet) X(mobile) X(regnet) X(convnext) X(vit) X(swin) X(maxvit) X(bert)    \
    X(gpt) X(llama) X(seq2seq) X(rnn_lm) X(vovnet) X(ghostnet) X(xception) X(repvgg) X(mixer)      \
    X(dla) X(hrnet) X(csp) X(byob) X(nfnet) X(dpn) X(aligned_xception) X(selecsls) X(hgnet)        \
    X(mobileone) X(tresnet) X(rexnet) X(convmixer) X(edgenext) X(nasnet) X(xcit) X(cait) X(pit)    \
    X(levit) X(twins) X(nest) X(coat) X(convit) X(visformer) X(tnt) X(samvit) X(focalnet)          \
    X(davit) X(hiera) X(hieradet)                                                \
    X(starnet) X(swiftformer) X(mambaout) X(efficientvit) X(efficientvit_m) X(shvit) X(tinyvit)    \
    X(nextvit) X(efficientformer) X(fastvit) X(repvit)
#define X(name) extern const struct ec__family ec__family_##name;
EC__FAMILIES(X)
#undef X
/* clang-format on */

/* --- Blocks (zoo_blocks.c) --- */

/* Zero: r=1 s=r stride=1 groups=1 dil=1, padding that keeps the size at stride 1, no bias. */
struct ec__conv {
    int64_t k, r, s, stride, groups, dil;
    bool valid; /* no padding */
    bool bias;
    const char *name, *norm; /* node names; NULL: numbered */
};
#define EC__CONV(...) ((struct ec__conv){ __VA_ARGS__ })

int ec__input_image(struct ec_builder *b, const struct ec__net *net, int64_t own_channels);
int ec__input_tokens(struct ec_builder *b, const struct ec__net *net);
int ec__conv(struct ec_builder *b, int x, struct ec__conv c);
int ec__conv_bn(struct ec_builder *b, int x, struct ec__conv c);
int ec__conv_bn_act(struct ec_builder *b, int x, struct ec__conv c, const char *act);
int ec__bn_act(struct ec_builder *b, int x, const char *act);
int ec__act(struct ec_builder *b, int x, const char *act); /* NULL or "": x itself */
int ec__linear(struct ec_builder *b, int x, int64_t n, bool bias, const char *name);
/* Times 1 / sqrt(d), as attention scales its scores. */
int ec__scaled(struct ec_builder *b, int x, int64_t d);
int ec__dropout(struct ec_builder *b, int x, double p);   /* p = 0: x itself, as in PyTorch */
int ec__drop_path(struct ec_builder *b, int x, double p); /* the same */
int ec__add(struct ec_builder *b, int x, int y);
/* The maps before ResNet's pool and classifier. */
int ec__resnet_maps(struct ec_builder *b, int x, const struct ec__resnet *v);
/* Rotary positions: x * cos + (second half negated, first half) * sin; x is (n, heads, t, d). */
int ec__rotate(struct ec_builder *b, int x, int cos, int sin);
/* Squeeze-and-excitation: pool, 1x1 to `squeeze`, act, 1x1 back, gate, multiply. */
int ec__se(struct ec_builder *b, int x, int64_t squeeze, const char *act, const char *gate);
/* Global mean, flatten, dropout, linear to the classes, where there are any. */
int ec__classifier(struct ec_builder *b, int x, double dropout, int64_t classes, const char *name);
int ec__const(struct ec_builder *b, const char *name, enum ec_dtype t, int rank, ...); /* int64_t */
/* What a constant holds; both return it. rule: one of contents.c, with up to two numbers. */
int ec__holds(struct ec_builder *b, int constant, double v);
int ec__holds_rule(struct ec_builder *b, int constant, const char *rule, int n_arg, double arg0,
                   double arg1);
/* The lowest float: what masked scores get. */
#define EC__MASKED (-3.4028234663852886e+38)
/* (n, t, heads*d) -> (n, heads, t, d); the transposed copy that a batched product needs */
int ec__split_heads(struct ec_builder *b, int x, int64_t heads);
int ec__join_heads(struct ec_builder *b, int x); /* back */
/* Nearest multiple of `by`; unless `nearest`, not more than 10 % below v (the mobile networks). */
int64_t ec__round_to(double v, int64_t by, bool nearest);

/* --- Layers that several families of image networks share (zoo_layers.c) --- */

int ec__eca(struct ec_builder *b, int x, int64_t channels); /* the filter is made for `channels` */
int ec__global_context(struct ec_builder *b, int x, int64_t squeeze, const char *act);
int ec__blur(struct ec_builder *b, int x, int64_t stride, const char *mode);
int ec__conv_same(struct ec_builder *b, int x, struct ec__conv c);
void ec__standardise(struct ec_builder *b, bool gain);
int ec__norm_act(struct ec_builder *b, int x, int norm, const char *act, const char *name);
void ec__split(struct ec_builder *b, int x, int axis, const int64_t *sizes, int n, int *ret);

/* A kind, then letters with numbers: "bottle_d2_c256_s1_b0.25". */
struct ec__word {
    struct ec_span kind;
    double v[26];   /* by letter */
    unsigned given; /* bit 0: a */
};
bool ec__word_parse(struct ec_span text, const char *letters, struct ec__word *ret);
double ec__word_get(const struct ec__word *w, char letter, double deflt);

/* zoo_blocks.c: convolution, batch norm, ReLU; the size kept, or without padding */
int ec__cbr(struct ec_builder *b, int x, int64_t k, int64_t r, int64_t s);
int ec__cbr_valid(struct ec_builder *b, int x, int64_t k, int64_t r, int64_t stride);
/* zoo_inception4.c: the stem of version 3; whole networks up to the classifier */
int ec__inception_stem(struct ec_builder *b, int x);
int ec__inception_4(struct ec_builder *b, int x);
int ec__inception_resnet(struct ec_builder *b, int x);

/* The filters of a residual block in place of its 3x3, with norms and ReLU (zoo_resnet_mid.c). */
int ec__split_attention(struct ec_builder *b, int x, struct ec__conv c, int64_t radix);
int ec__selective(struct ec_builder *b, int x, struct ec__conv c, int64_t squeeze);
int ec__multi_scale(struct ec_builder *b, int x, struct ec__conv c, int64_t scale, bool first);

/* --- Blocks of vision networks (zoo_vision.c) --- */

/* Equal parts along an axis */
void ec__chunk(struct ec_builder *b, int x, int axis, int parts, int *out);
int ec__concat(struct ec_builder *b, const int *xs, int n); /* along the channels */
int ec__rms_norm2d(struct ec_builder *b, int x);
int ec__norm2d(struct ec_builder *b, int x); /* layer norm of the channels of each pixel */
/* Times a learned number per channel: layer scale */
int ec__channel_scale(struct ec_builder *b, int x, const char *name);
int ec__evo_norm(struct ec_builder *b, int x, int64_t groups, bool act); /* EvoNorm S0 */
/* (n, t, 3c) -> q, k, v of (n, heads, t, c/heads); with groups of tokens (n, g, t, 3c) as well */
void ec__qkv(struct ec_builder *b, int x, int64_t heads, int out[3]);
int ec__merge_heads(struct ec_builder *b, int x); /* back to (n, t, c) or (n, g, t, c) */
int ec__grouped_attention(struct ec_builder *b, int x, int64_t heads); /* with its projections */
int ec__conv_mlp(struct ec_builder *b, int x, int64_t inner, const char *act); /* 1x1s on a map */
int ec__resize(struct ec_builder *b, int x, int64_t h, int64_t w); /* bilinear; x if it fits */
/* Convolution and norm; merged: as one convolution with a bias */
int ec__conv_norm(struct ec_builder *b, int x, struct ec__conv c, bool merged);
int ec__two_heads(struct ec_builder *b, int x, int64_t classes); /* their mean */
/* (heads, queries, keys): learned for each distance between tokens of two square maps */
int ec__distance_bias(struct ec_builder *b, int64_t heads, int64_t queries, int64_t keys);

/* --- Blocks of transformers on images (zoo_tokens.c): tokens are (n, t, c) --- */

int ec__layer_norm(struct ec_builder *b, int x, const char *name);
/* Maps (n, c, h, w) as tokens and back; both are transposed copies. */
int ec__map_tokens(struct ec_builder *b, int x);
int ec__tokens_map(struct ec_builder *b, int x, int64_t h, int64_t w);
/* The image in tokens: a convolution whose windows are the patches. */
int ec__patches(struct ec_builder *b, int x, int64_t hidden, int64_t patch, const char *name);
/* Learned tokens of that name in front of those of x. */
int ec__prefix(struct ec_builder *b, int x, int64_t tokens, const char *name);
/* Learned positions of that name, (1, t, c), added. */
int ec__positions(struct ec_builder *b, int x, const char *name);
int ec__token(struct ec_builder *b, int x, int64_t i);                    /* (n, c) */
int ec__tokens_of(struct ec_builder *b, int x, int64_t from, int64_t to); /* a view */
/* (n, t, parts * heads * d) -> parts of (n, heads, t, d), slices of one transposed copy */
void ec__split_parts(struct ec_builder *b, int x, int parts, int64_t heads, int *ret);
/* softmax(q k' / sqrt(d) + bias) v for (n, heads, t, d) each; bias < 0: none. */
int ec__attend(struct ec_builder *b, const int qkv[3], int bias);
/* Attention of tokens to each other: one product for q, k, v, `qkv`; the result's, `proj`. */
int ec__self_attention(struct ec_builder *b, int x, int64_t heads, bool qkv_bias);
/* Attention of the first token to all; (n, 1, c). */
int ec__class_attention(struct ec_builder *b, int x, int64_t heads);
/* Two dense layers, `mlp.fc1` and `mlp.fc2`, `inner` features between them. */
int ec__mlp(struct ec_builder *b, int x, int64_t inner, const char *act, double dropout);
/* x + drop_path(gamma * y); gamma: name of a learned scale per feature, NULL: none. */
int ec__residual(struct ec_builder *b, int x, int y, const char *gamma, double drop_path);
/* Each side of a map is cut into windows: (n, h, w, c) -> (n * windows, side * side, c) and back.
 */
int ec__windows(struct ec_builder *b, int x, int64_t side);
int ec__windows_map(struct ec_builder *b, int x, int64_t side, int64_t h, int64_t w);
/* (n, h, w, c) with rows and columns of zeros, so that windows of that side are whole; the first h
 * rows and w columns, a copy. Both x itself where nothing changes. */
int ec__pad_map(struct ec_builder *b, int x, int64_t side);
int ec__crop_map(struct ec_builder *b, int x, int64_t h, int64_t w);
/* Transposed copies: (n, c, h, w) -> (n, h, w, c), and back. */
int ec__to_last(struct ec_builder *b, int x);
int ec__to_second(struct ec_builder *b, int x);
/* The layer norm of each pixel of (n, c, h, w). */
int ec__map_norm(struct ec_builder *b, int x, const char *name);
int64_t ec__round_up(int64_t v, int64_t by);
/* x / |x| along the last dimension */
int ec__unit_length(struct ec_builder *b, int x);
/* Attention and two dense layers, norms before both; `inner` features between the layers. */
int ec__block(struct ec_builder *b, int x, int64_t heads, int64_t inner, double drop_path);
/* Whether heads divide the features of a token; else the builder fails. */
bool ec__heads_fit(struct ec_builder *b, int64_t hidden, int64_t heads);
/* Probability of dropping branch `at` of `total`, which rises to p. */
double ec__rising(double p, int64_t at, int64_t total);

#define EC__I64(v) ((long long)(v)) /* for %lld */

#endif
