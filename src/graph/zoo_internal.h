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
    { name, EC_F_INT, offsetof(T, member), NULL, NULL, lo, hi, NULL, "N", help, 0, NULL, 0 }
#define EC__INTS(T, name, member, lo, hi, help)                                                    \
    { name, EC_F_INTS, offsetof(T, member), NULL, NULL, lo, hi, NULL, "NxN", help, 0, NULL, 0 }
#define EC__REAL(T, name, member, lo, hi, help)                                                    \
    { name, EC_F_DOUBLE, offsetof(T, member), NULL, NULL, lo, hi, NULL, "X", help, 0, NULL, 0 }
#define EC__BOOL(T, name, member, help)                                                            \
    { name, EC_F_BOOL, offsetof(T, member), NULL, NULL, 0, 0, NULL, NULL, help, 0, NULL, 0 }
#define EC__STR(T, name, member, help)                                                             \
    { name, EC_F_STR, offsetof(T, member), NULL, NULL, 0, 0, NULL, "TEXT", help, 0, NULL, 0 }
#define EC__ENUM(T, name, member, choices, help)                                                   \
    { name, EC_F_ENUM, offsetof(T, member), NULL, NULL, 0, 0, choices, "NAME", help, 0, NULL, 0 }
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
    bool preact;           /* norm and ReLU before each convolution (version 2) */
    bool gn;               /* with preact: group norm of 32 in place of batch norm */
    int64_t flat;          /* so many last stages keep the resolution */
    bool dilate;           /* and dilate their filters */
    int head;              /* classify, fcn, deeplab, ssd */
    double drop_path;
};
struct ec__densenet {
    int64_t growth, first; /* filters each layer adds; of the stem */
    struct ec_ints blocks, stem;
};
struct ec__squeezenet {
    bool v1_1;
};
struct ec__googlenet {
    bool aux, bn, five; /* `five`: 5x5 filters where torchvision has 3x3 */
};
struct ec__inception {
    bool aux;
};
struct ec__shufflenet {
    struct ec_ints channels; /* of stages 2 to 4 and of the last convolution */
};
/* How the last 1x1 convolution follows the width. */
enum ec__head_rule { EC__HEAD_ABOVE_1, EC__HEAD_ALWAYS, EC__HEAD_NEVER };
struct ec__mobile {
    const char *stages; /* see zoo_mobile.c */
    double width, depth;
    int64_t stem, head; /* filters of the first and of the last 1x1 convolution; head 0: none */
    int64_t hidden;     /* features between pool and classifier (MobileNetV3); 0: none */
    const char *act;
    bool se_mid; /* squeeze to a share of the inner channels, hard sigmoid; else of the input's */
    bool fixed_ends; /* the multipliers leave stem, head, first and last stage alone */
    bool fixed_stem;
    int head_rule;    /* enum ec__head_rule */
    bool round_depth; /* scaled depths to the nearest number; else up */
    bool nearest;     /* scaled widths to the nearest multiple of 8; else at most 10 % below */
    double dropout, drop_path;
};
struct ec__regnet {
    int64_t depth, w0, group_width;
    double wa, wm, se;
    bool nearest; /* widths to the nearest multiple of a group; else at most 10 % below */
};
struct ec__convnext {
    struct ec_ints depths, widths;
    double drop_path;
    bool grn; /* global response normalisation in place of the layer scale: version 2 */
};
struct ec__vit {
    int64_t patch, hidden, layers, heads, ffn;
    int64_t extra;                     /* class, distillation and register tokens */
    bool gap;                          /* mean of the patches in place of the class token */
    bool no_qkv_bias, pre_norm, scale; /* `scale`: layer scale */
    double dropout, drop_path;
};
struct ec__swin {
    int64_t dim, window;
    struct ec_ints depths, heads;
    bool v2;
    bool clip; /* no window larger than the map; else the map is padded */
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
};
struct ec__xception {
    int64_t middle; /* blocks of the middle flow */
};
struct ec__repvgg {
    struct ec_ints blocks;
    double width, last; /* multiply the channels; those of the last stage */
    int64_t groups;     /* of every second block; 0: 1 */
    bool merged;        /* as it infers: each block one 3x3 */
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
struct ec__mixer {
    int64_t patch, hidden, layers, ffn;
    int64_t tokens; /* features between the dense layers over tokens; 0: one layer (ResMLP) */
};

/* clang-format off */
#define EC__FAMILIES(X)                                                                            \
    X(chain) X(cifar_cnn) X(mlp) X(vgg) X(resnet) X(unet) X(densenet) X(squeezenet) X(googlenet)   \
    X(inception) X(shufflenet) X(mobile) X(regnet) X(convnext) X(vit) X(swin) X(maxvit) X(bert)    \
    X(gpt) X(llama) X(seq2seq) X(rnn_lm) X(vovnet) X(ghostnet) X(xception) X(repvgg)       \
    X(mixer) X(dla) X(hrnet)
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
/* Squeeze-and-excitation: pool, 1x1 to `squeeze`, act, 1x1 back, gate, multiply. */
int ec__se(struct ec_builder *b, int x, int64_t squeeze, const char *act, const char *gate);
/* Global mean, flatten, dropout, linear to the classes. */
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

#define EC__I64(v) ((long long)(v)) /* for %lld */

#endif
