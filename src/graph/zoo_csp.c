/* Cross stage partial networks and DarkNet, as timm has them (Wang et al. 2019).
 *
 * A stage is a word, csp_d3_c128_s2_e2_r1_b0.5:
 *
 *   csp  half of the channels pass by the blocks; 1x1 before, after the blocks, and after the join
 *   cs3  the same without the 1x1 after the blocks
 *   dark all channels go through the blocks
 *
 * d blocks, c channels of the result, s stride, g groups of 3x3 convolutions, e times the channels
 * before they are halved, r and b times them for the result and the inside of a block. */
#include "graph/zoo_internal.h"

#include <math.h>

#define CSP(X, T)                                                                                  \
    X(T, INTS, stem, 1, 65536, "filters of the convolutions of the stem")                          \
    X(T, INT, stem_filter, 0, 64, "side of their filters; 0: 3")                                   \
    X(T, INT, stem_stride, 1, 64, "stride of the first of them")                                   \
    X(T, BOOL, pool, "pool after the stem")                                                        \
    X(T, STR, stages, "stages joined by blanks: csp_d3_c128_s2_e2_r1_b0.5")                        \
    X(T, ENUM, block, block_kinds, "dark: 1x1, 3x3; edge: 3x3, 1x1; bottle: 1x1, 3x3, 1x1")        \
    X(T, STR, act, "activation: leaky_relu, silu")                                                 \
    X(T, INT, se, 0, 1024, "squeeze-and-excitation to channels/N; 0: none")                        \
    X(T, BOOL, linear, "no activation before the channels are halved")                             \
    X(T, BOOL, grow, "the strided convolution gives the channels of its stage")                    \
    X(T, BOOL, avg_down, "pool and 1x1 in place of the strided convolution")
EC__VARIANT(csp, CSP);

enum { DARK, EDGE, BOTTLE };

struct stage {
    bool dark, csp;
    int64_t depth, out, stride, groups, expanded, block, mid;
};

static bool stage_parse(struct ec_span text, struct stage *ret)
{
    struct ec__word w;
    double r;

    if (!ec__word_parse(text, "dcsgerb", &w))
        return false;
    ret->csp = ec_span_eq(w.kind, "csp");
    ret->dark = ec_span_eq(w.kind, "dark");
    ret->depth = (int64_t)ec__word_get(&w, 'd', 1);
    ret->out = (int64_t)ec__word_get(&w, 'c', 0);
    ret->stride = (int64_t)ec__word_get(&w, 's', 2);
    ret->groups = (int64_t)ec__word_get(&w, 'g', 1);
    ret->expanded = (int64_t)nearbyint((double)ret->out * ec__word_get(&w, 'e', 1));
    r = ec__word_get(&w, 'r', 1);
    ret->block = (int64_t)nearbyint((double)ret->out * r);
    ret->mid = (int64_t)nearbyint((double)ret->block * ec__word_get(&w, 'b', 1));
    return (ret->csp || ret->dark || ec_span_eq(w.kind, "cs3")) && ret->out >= 2 &&
           ret->stride >= 1 && ret->groups >= 1 && ret->mid >= 1 && ret->depth <= 1000;
}

static int conv(struct ec_builder *b, int x, const struct ec__csp *v, struct ec__conv c)
{
    return ec__conv_bn_act(b, x, c, v->act);
}

static int attend(struct ec_builder *b, int x, const struct ec__csp *v)
{
    int64_t r;

    if (!v->se)
        return x;
    r = (ec_b_dim(b, x, 1) / v->se + 4) / 8 * 8;
    return ec__se(b, x, r < 8 ? 8 : r, v->act, "sigmoid");
}

static int block(struct ec_builder *b, int x, const struct ec__csp *v, const struct stage *s)
{
    int64_t first = v->block == EDGE ? 3 : 1, last = v->block == DARK ? 3 : 1;
    struct ec__conv end = { .k = s->block, .r = last, .groups = last > 1 ? s->groups : 1 };
    int y = conv(
        b, x, v,
        EC__CONV(.k = s->mid, .r = first, .groups = first > 1 ? s->groups : 1, .name = "conv1"));

    end.name = "conv3";
    if (v->block == BOTTLE)
        y = conv(b, y, v, EC__CONV(.k = s->mid, .r = 3, .groups = s->groups, .name = "conv2"));
    y = attend(b, y, v);
    if (v->block == BOTTLE)
        return ec__act(b, ec__add(b, ec__conv_bn(b, y, end), x), v->act);
    return ec__add(b, conv(b, y, v, end), x);
}

static int blocks(struct ec_builder *b, int x, const struct ec__csp *v, const struct stage *s)
{
    int64_t j;

    for (j = 0; ec_b_each(b, j, s->depth, "blocks.%lld.", EC__I64(j)); j++)
        x = block(b, x, v, s);
    return x;
}

static int down(struct ec_builder *b, int x, const struct ec__csp *v, const struct stage *s)
{
    bool grow = s->dark || v->grow;

    if (s->stride == 1 && !s->dark)
        return x;
    if (!v->avg_down)
        return conv(b, x, v,
                    EC__CONV(.k = grow ? s->out : ec_b_dim(b, x, 1), .r = 3, .stride = s->stride,
                             .groups = s->groups, .name = "conv_down"));
    if (s->stride > 1)
        x = ec_b1(b, x, "avg_pool2d r=2");
    return conv(b, x, v, EC__CONV(.k = s->out, .groups = s->groups, .name = "conv_down"));
}

static int stage(struct ec_builder *b, int x, const struct ec__csp *v, const struct stage *s)
{
    int64_t sizes[2] = { s->expanded / 2, s->expanded / 2 };
    struct ec__conv expand = { .k = s->expanded, .name = "conv_exp" };
    int xs[2], y;

    x = down(b, x, v, s);
    if (s->dark)
        return blocks(b, x, v, s);
    x = v->linear ? ec__conv_bn(b, x, expand) : conv(b, x, v, expand);
    ec__split(b, x, 1, sizes, 2, xs);
    y = blocks(b, xs[s->csp], v, s);
    if (s->csp)
        y = conv(b, y, v, EC__CONV(.k = s->expanded / 2, .name = "conv_transition_b"));
    xs[s->csp] = y;
    return conv(b, ec_bn(b, xs, 2, "concat"), v, EC__CONV(.k = s->out, .name = "conv_transition"));
}

static int stem(struct ec_builder *b, int x, const struct ec__csp *v)
{
    int i;

    for (i = 0; i < v->stem.n; i++)
        x = conv(b, x, v,
                 EC__CONV(.k = v->stem.v[i], .r = v->stem_filter ? v->stem_filter : 3,
                          .stride = i ? 1 : v->stem_stride));
    return v->pool ? ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1") : x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__csp *v = variant;
    struct ec_span rest = ec_span_of(v->stages), word;
    int x = stem(b, ec__input_image(b, net, 3), v), i = 0;

    while (!b->st && rest.p && ec_span_cut(&rest, ' ', &word)) {
        struct stage s = { 0 };
        size_t old = ec_b_push(b, "stages.%d.", i++);

        if (stage_parse(word, &s))
            x = stage(b, x, v, &s);
        else
            b->st = ec_fail(b->err, EC_E_INPUT, "stage \"%.*s\" is not like csp_d3_c128_s2_b0.5",
                            word.len > 60 ? 60 : (int)word.len, word.p);
        ec_b_pop(b, old);
    }
    return ec__classifier(b, x, 0, net->classes, "head.fc");
}

static const char *const block_kinds[] = { "dark", "edge", "bottle", NULL };

EC__FAMILY(csp, "half of the channels pass by", "classify", CSP, build);
