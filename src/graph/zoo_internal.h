/* The zoo inside its folder: families of networks, and blocks that families share.
 *
 * A family is a builder with a struct of what distinguishes its networks, and the field table of
 * that struct. A network is an entry of data/networks.txt: a family and parameters. They and what a
 * user writes after ':' are set through the same table, so everything that tells two networks apart
 * can be set. */
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
    const char *text; /* in place of it: data/families/NAME.net */
};

/* The same for a family that is described by a text (net_run.c). */
int ec__net_build(struct ec_builder *b, const struct ec__net *net, const struct ec__family *family,
                  const void *variant);

/* Where the published figures of a network come from, and how exact they are there. */
struct ec__zoo_source {
    const char *key, *text;         /* for tables; for sentences */
    double params_tol, params_frac; /* absolute plus relative */
    double mac_tol, mac_frac;
};

struct ec__zoo_row {
    const char *name, *aliases; /* aliases joined by blanks */
    const struct ec__family *family;
    int64_t size, classes; /* as in ec__net */
    int64_t params;        /* published, trainable; 0: unknown, as below */
    double mac;            /* published, forward, one sample */
    const struct ec__zoo_source *source;
    const char *set; /* its parameters, of the family or of ec__net: "layers=3x4x6x3,image=288" */
};

const struct ec__zoo_row *ec__zoo_rows(int *ret_count);
const struct ec__zoo_row *ec__zoo_find(struct ec_span name); /* NULL: no such network */

/* The network of a row. params: "layers=3,classes=10" in place of its own; NULL: none */
enum ec_status ec__zoo_make(const struct ec__zoo_row *row, const char *params,
                            const struct ec_graph_opts *opts, struct ec_graph **ret,
                            struct ec_err *err) EC_MUST_CHECK;

/* --- Rows of field tables: struct, name, member, bounds, help --- */

/* clang-format off */
#define EC__INT(T, name, member, lo, hi, help)                                                     \
    { name, EC_F_INT, offsetof(T, member), NULL, NULL, lo, hi, NULL, "N", help, NULL, 0, 0 }
#define EC__INTS(T, name, member, lo, hi, help)                                                    \
    { name, EC_F_INTS, offsetof(T, member), NULL, NULL, lo, hi, NULL, "NxN", help, NULL, 0, 0 }
#define EC__REAL(T, name, member, lo, hi, help)                                                    \
    { name, EC_F_DOUBLE, offsetof(T, member), NULL, NULL, lo, hi, NULL, "X", help, NULL, 0, 0 }
#define EC__BOOL(T, name, member, help)                                                            \
    { name, EC_F_BOOL, offsetof(T, member), NULL, NULL, 0, 0, NULL, NULL, help, NULL, 0, 0 }
#define EC__STR(T, name, member, help)                                                             \
    { name, EC_F_STR, offsetof(T, member), NULL, NULL, 0, 0, NULL, "TEXT", help, NULL, 0, 0 }
#define EC__ENUM(T, name, member, choices, help)                                                   \
    { name, EC_F_ENUM, offsetof(T, member), NULL, NULL, 0, 0, choices, "NAME", help, NULL, 0, 0 }

/* What distinguishes the networks of a family is one list, NAME(X, T), of lines X(T, KIND, member,
 * bounds, help). EC__VARIANT makes the struct of it, EC__FAMILY the table and the family. */
#define EC__MEMBER(T, kind, member, ...) EC__TYPE_##kind member;
#define EC__ROW(T, kind, member, ...) EC__##kind(T, #member, member, __VA_ARGS__),
#define EC__TYPE_INT int64_t
#define EC__TYPE_INTS struct ec_ints
#define EC__TYPE_REAL double
#define EC__TYPE_BOOL bool
#define EC__TYPE_STR const char *
#define EC__TYPE_ENUM int

#define EC__VARIANT(name, list)                                                                    \
    struct ec__##name {                                                                            \
        list(EC__MEMBER, )                                                                         \
    }
#define EC__FAMILY_OF(name, help, task, fields, build)                                             \
    extern const struct ec__family ec__family_##name;                                              \
    const struct ec__family ec__family_##name = {                                                  \
        #name, help, task, sizeof(struct ec__##name), fields, build, NULL,                               \
    }
#define EC__FAMILY(name, help, task, list, build)                                                  \
    static const struct ec_field name##_fields[] = {                                               \
        list(EC__ROW, struct ec__##name) EC_FIELD_END                                              \
    };                                                                                             \
    EC__FAMILY_OF(name, help, task, name##_fields, build)
/* clang-format on */

/* --- Variants that several files build --- */

#define RESNET(X, T)                                                                               \
    X(T, INTS, layers, 1, 1000, "blocks of each stage: 3x4x6x3")                                   \
    X(T, BOOL, basic, "two 3x3 convolutions per block in place of 1x1, 3x3, 1x1")                  \
    X(T, INT, width, 0, 8192, "channels of the first stage; 0: 64")                                \
    X(T, INT, base_width, 0, 8192, "width of a group per 64 channels; 0: 64")                      \
    X(T, INT, groups, 0, 8192, "groups of the 3x3 convolution; 0: 1")                              \
    X(T, INTS, stem, 1, 8192, "channels of the 3x3 convolutions of the stem; none: one 7x7")       \
    X(T, BOOL, small_stem, "one 3x3 at full resolution and no pool")                               \
    X(T, BOOL, conv_pool, "a strided convolution in place of the stem's pool")                     \
    X(T, BOOL, avg_down, "shortcuts pool before they project")                                     \
    X(T, BOOL, stride_1x1, "stride on the first 1x1 convolution (v1)")                             \
    X(T, INT, se, 0, 1024, "squeeze-and-excitation to channels/N; 0: none")                        \
    X(T, BOOL, eca, "efficient channel attention")                                                 \
    X(T, BOOL, aa, "average in place of strides (antialiasing)")                                   \
    X(T, BOOL, blur, "blur in place of strides (antialiasing)")                                    \
    X(T, BOOL, preact, "norm and ReLU before each convolution (version 2)")                        \
    X(T, ENUM, norm, ec__norm_names, "batch, group, evo_b, evo_s, filter")                         \
    X(T, BOOL, std, "standardised weights")                                                        \
    X(T, INT, flat, 0, 16, "last N stages keep the resolution")                                    \
    X(T, BOOL, dilate, "and dilate their filters")                                                 \
    X(T, INT, sk, 0, 1024, "3x3 of two dilations, selected by channels/N; 0: one 3x3")             \
    X(T, INT, radix, 0, 64, "split attention over N 3x3 convolutions; 0: none")                    \
    X(T, BOOL, pool_first, "with radix: strides before the 3x3, not after it")                     \
    X(T, INT, scale, 0, 16, "the 3x3 in N parts, one after the other; 0: one")                     \
    X(T, STR, widths, "channels of every block in place of layers: 256_64.64_64.64")               \
    X(T, ENUM, head, heads, "classify, fcn, deeplab, ssd, attention, mlp, none")                   \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping a block")
EC__VARIANT(resnet, RESNET);
/* A norm and, where it has one, its own activation (ec__norm_act). */
enum ec__norm {
    EC__NORM_BATCH,
    EC__NORM_GROUP, /* of 32 groups */
    EC__NORM_EVO_B, /* EvoNorm over the batch, over the sample */
    EC__NORM_EVO_S,
    EC__NORM_FILTER, /* filter response norm */
};
extern const char *const ec__norm_names[]; /* NULL ends them */
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
/* Whether each list has a number for each of `stages`, at least one; else the builder fails. Then:
 * names of lists and how many numbers they have (int), in turn; NULL ends them. */
bool ec__per_stage(struct ec_builder *b, int stages, ...);
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
int64_t ec__sum(const struct ec_ints *list);

#define EC__I64(v) ((long long)(v)) /* for %lld */

#endif
