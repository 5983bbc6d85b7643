/* Residual networks of freely chosen blocks, as timm has them: GENet, ResNets with other stems and
 * attention, BoTNet, HaloNet, LambdaNetworks.
 *
 * Blocks are words, bottle_d2_c256_s2_g32_b0.25:
 *
 *   basic  two 3x3                     bot    1x1, attention in the whole map, 1x1
 *   bottle 1x1, 3x3, 1x1               halo   the same in blocks of w pixels and o around them
 *   edge   3x3, 1x1                    lambda the same by lambdas, their filter r pixels
 *
 * d blocks, c channels of the result, s stride of the first, g channels of a group of the 3x3, b
 * times c channels inside; of attention: h heads, q features of a query, or x times c. */
#include "graph/zoo_byob_internal.h"

#define BYOB(X, T)                                                                                 \
    X(T, INTS, stem, 1, 65536, "filters of the convolutions of the stem")                          \
    X(T, INT, stem_filter, 0, 64, "side of their filters; 0: 3")                                   \
    X(T, INT, stem_plain, 0, 16, "first N of them without norm and activation")                    \
    X(T, BOOL, pool, "pool after the stem")                                                        \
    X(T, STR, stages, "blocks joined by blanks: bottle_d2_c256_b0.25 halo_d2_c512_s2")             \
    X(T, INT, head, 0, 65536, "filters of the last 1x1 convolution; 0: none")                      \
    X(T, STR, act, "activation: relu, silu")                                                       \
    X(T, ENUM, attend, attends, "channel attention: none, se, eca, gca, bat")                      \
    X(T, INT, se, 0, 1024, "squeeze-and-excitation to channels/N; 0: 16")                          \
    X(T, BOOL, twice, "a second 3x3 in blocks of the kind bottle")                                 \
    X(T, BOOL, narrow, "channels inside a block follow its input, not its result")                 \
    X(T, BOOL, linear_out, "no activation after the addition")                                     \
    X(T, BOOL, no_shortcut, "no shortcut where it would have to project")
EC__VARIANT(byob, BYOB);

enum kind { BASIC, BOTTLE, EDGE, BOT, HALO, LAMBDA };

struct blocks {
    enum kind kind;
    int64_t n, out, stride, group;
    double ratio;
    struct ec__self_attention attention;
};

static void attention_parse(const struct ec__word *w, enum kind kind,
                            struct ec__self_attention *ret)
{
    ret->heads = (int64_t)ec__word_get(w, 'h', kind == HALO ? 8 : 4);
    ret->dim = (int64_t)ec__word_get(w, 'q', kind == LAMBDA ? 16 : 0);
    ret->ratio = ec__word_get(w, 'x', 1);
    ret->window = (int64_t)ec__word_get(w, 'w', 8);
    ret->rim = (int64_t)(kind == LAMBDA ? ec__word_get(w, 'r', 9) : ec__word_get(w, 'o', 3));
}

static bool blocks_parse(struct ec_span text, struct blocks *ret)
{
    static const char *const kinds[] = { "basic", "bottle", "edge", "bot", "halo", "lambda" };
    struct ec__word w;
    int i;

    if (!ec__word_parse(text, "dcsgbhqxwor", &w))
        return false;
    for (i = 0; i < EC_LEN(kinds) && !ec_span_eq(w.kind, kinds[i]); i++)
        ;
    ret->kind = (enum kind)i;
    ret->n = (int64_t)ec__word_get(&w, 'd', 1);
    ret->out = (int64_t)ec__word_get(&w, 'c', 0);
    ret->stride = (int64_t)ec__word_get(&w, 's', 1);
    ret->group = (int64_t)ec__word_get(&w, 'g', 0);
    ret->ratio = ec__word_get(&w, 'b', 1);
    attention_parse(&w, ret->kind, &ret->attention);
    return i < EC_LEN(kinds) && ret->out >= 1 && ret->n <= 1000 && ret->ratio > 0 &&
           (ret->stride == 1 || ret->stride == 2) && ret->attention.heads >= 1 &&
           ret->attention.window >= 1;
}

static int conv(struct ec_builder *b, int x, const struct ec__byob *v, struct ec__conv c)
{
    return ec__conv_bn_act(b, x, c, v->act);
}

enum { NONE, SE, ECA, GCA, BAT };

static int attend(struct ec_builder *b, int x, const struct ec__byob *v)
{
    int64_t c = ec_b_dim(b, x, 1), r;

    switch (v->attend) {
    case SE:
        r = (int64_t)((double)c / (double)(v->se ? v->se : 16) + 4) / 8 * 8;
        return ec__se(b, x, r < 8 ? 8 : r, "relu", "sigmoid");
    case ECA:
        return ec__eca(b, x, c);
    case GCA:
        return ec__global_context(b, x, c / 8 > 0 ? c / 8 : 1, "relu");
    case BAT:
        return ec__bat(b, x);
    default:
        return x;
    }
}

/* Channels inside a block, and groups of its 3x3. */
struct inside {
    int64_t mid, groups, stride;
};

static int bottle(struct ec_builder *b, int x, const struct ec__byob *v, struct inside in)
{
    x = conv(b, x, v, EC__CONV(.k = in.mid, .name = "conv1_1x1"));
    x = conv(b, x, v,
             EC__CONV(.k = in.mid, .r = 3, .stride = in.stride, .groups = in.groups,
                      .name = "conv2_kxk"));
    if (v->twice)
        x = conv(b, x, v, EC__CONV(.k = in.mid, .r = 3, .groups = in.groups, .name = "conv2b_kxk"));
    return attend(b, x, v);
}

static int self_attention(struct ec_builder *b, int x, const struct ec__byob *v,
                          const struct blocks *s, struct inside in)
{
    x = conv(b, x, v, EC__CONV(.k = in.mid, .name = "conv1_1x1"));
    if (!b->st && in.mid % s->attention.heads)
        b->st = ec_fail(b->err, EC_E_INPUT, "%lld heads do not divide %lld channels",
                        EC__I64(s->attention.heads), EC__I64(in.mid));
    x = s->kind == BOT    ? ec__bottleneck_attention(b, x, &s->attention, in.stride)
        : s->kind == HALO ? ec__halo_attention(b, x, &s->attention, in.stride)
                          : ec__lambda_layer(b, x, &s->attention, in.stride);
    return ec__bn_act(b, x, v->act);
}

/* The layers of a block before the one that gives the result. */
static int inner(struct ec_builder *b, int x, const struct ec__byob *v, const struct blocks *s,
                 int64_t stride)
{
    int64_t from = v->narrow ? ec_b_dim(b, x, 1) : s->out;
    struct inside in = { .mid = ec__round_to((double)from * s->ratio, 8, false), .stride = stride };

    in.groups = s->group ? in.mid / s->group : 1;
    if (in.groups < 1)
        in.groups = 1;
    if (s->kind == BOTTLE)
        return bottle(b, x, v, in);
    if (s->kind != BASIC && s->kind != EDGE)
        return self_attention(b, x, v, s, in);
    x = conv(b, x, v,
             EC__CONV(.k = in.mid, .r = 3, .stride = stride,
                      .groups = s->kind == EDGE ? in.groups : 1, .name = "conv1_kxk"));
    return s->kind == EDGE ? attend(b, x, v) : x;
}

static int block(struct ec_builder *b, int x, const struct ec__byob *v, const struct blocks *s,
                 int64_t stride)
{
    bool same = stride == 1 && ec_b_dim(b, x, 1) == s->out;
    int y = inner(b, x, v, s, stride);

    y = ec__conv_bn(b, y, EC__CONV(.k = s->out, .r = s->kind == BASIC ? 3 : 1, .name = "conv3"));
    if (!same && !v->no_shortcut)
        x = ec__conv_bn(b, x, EC__CONV(.k = s->out, .stride = stride, .name = "shortcut"));
    if (same || !v->no_shortcut)
        y = ec__add(b, y, x);
    return ec__act(b, y, v->linear_out ? NULL : v->act);
}

/* Several convolutions without a pool have a stride at both ends. */
static int stem(struct ec_builder *b, int x, const struct ec__byob *v)
{
    int i;

    for (i = 0; i < v->stem.n; i++) {
        bool last = i && i + 1 == v->stem.n && !v->pool;
        struct ec__conv c = { .k = v->stem.v[i],
                              .r = v->stem_filter ? v->stem_filter : 3,
                              .stride = i && !last ? 1 : 2 };

        x = i < v->stem_plain ? ec__conv(b, x, c) : conv(b, x, v, c);
    }
    return v->pool ? ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1 name=stem.pool") : x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__byob *v = variant;
    struct ec_span rest = ec_span_of(v->stages), word;
    int x = stem(b, ec__input_image(b, net, 3), v), i = 0;
    int64_t j;

    for (; !b->st && rest.p && ec_span_cut(&rest, ' ', &word); i++) {
        struct blocks s;

        if (!blocks_parse(word, &s)) {
            b->st = ec_fail(b->err, EC_E_INPUT, "block \"%.*s\" is not like bottle_d2_c256_b0.25",
                            word.len > 60 ? 60 : (int)word.len, word.p);
            break;
        }
        for (j = 0; ec_b_each(b, j, s.n, "stages.%d.%lld.", i, EC__I64(j)); j++)
            x = block(b, x, v, &s, j ? 1 : s.stride);
    }
    if (v->head)
        x = conv(b, x, v, EC__CONV(.k = v->head, .name = "final_conv"));
    return ec__classifier(b, x, 0, net->classes, "head.fc");
}

static const char *const attends[] = { "none", "se", "eca", "gca", "bat", NULL };

EC__FAMILY(byob, "residual blocks of free choice", "classify", BYOB, build);
