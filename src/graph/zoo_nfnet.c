/* Networks without norms (Brock et al. 2021): every convolution standardises its weights; each
 * block is scaled. NFNet, NF-ResNet and NF-RegNet, as timm has them. */
#include "graph/zoo_internal.h"

#include <math.h>

#define NFNET(X, T)                                                                                \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 1x2x6x3")                                   \
    X(T, INTS, channels, 1, 65536, "channels of each stage: 256x512x1536x1536")                    \
    X(T, REAL, width, 0.01, 64, "multiplies the channels")                                         \
    X(T, INTS, stem, 1, 65536, "filters of the convolutions of the stem")                          \
    X(T, INT, stem_filter, 0, 64, "side of their filters; 0: 3")                                   \
    X(T, BOOL, pool, "pool after the stem")                                                        \
    X(T, INT, group, 0, 65536, "channels of a group of a 3x3; 0: no groups")                       \
    X(T, REAL, ratio, 0.01, 64, "channels inside a block to those of its result")                  \
    X(T, BOOL, narrow, "to those of its input, and attention inside it (RegNet)")                  \
    X(T, BOOL, twice, "a second 3x3 in each block")                                                \
    X(T, INT, head, 0, 65536, "filters of the last 1x1 convolution; 0: none")                      \
    X(T, STR, act, "activation: relu, silu, gelu")                                                 \
    X(T, BOOL, gamma_in_act, "activations are scaled, not weights")                                \
    X(T, BOOL, same, "pad as TensorFlow does")                                                     \
    X(T, BOOL, skip_gain, "a learned gain of each block")                                          \
    X(T, INT, se, 0, 1024, "squeeze-and-excitation to channels/N; 0: none")                        \
    X(T, BOOL, eca, "efficient channel attention")                                                 \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping a block")
EC__VARIANT(nfnet, NFNET);

#define ALPHA 0.2     /* of what a block adds */
#define ATTEND_GAIN 2 /* makes good what gates take */

/* Keeps the variance of a normal input: ReLU, SiLU, GELU. */
static double gamma_of(const char *act)
{
    return ec_str_eq(act, "silu")   ? 1.7881293296813965
           : ec_str_eq(act, "gelu") ? 1.7015043497085571
                                    : 1.7139588594436646;
}

static int conv(struct ec_builder *b, int x, const struct ec__nfnet *v, struct ec__conv c)
{
    c.bias = true;
    x = v->same ? ec__conv_same(b, x, c) : ec__conv(b, x, c);
    ec__standardise(b, true);
    return x;
}

static int act(struct ec_builder *b, int x, const struct ec__nfnet *v)
{
    x = ec__act(b, x, v->act);
    return v->gamma_in_act ? ec_b1(b, x, "scale_scalar mul=%.9g", gamma_of(v->act)) : x;
}

static int attend(struct ec_builder *b, int x, const struct ec__nfnet *v)
{
    int64_t c = ec_b_dim(b, x, 1), r;

    if (!v->se && !v->eca)
        return x;
    r = v->se ? (c / v->se + 4) / 8 * 8 : 0;
    x = v->eca ? ec__eca(b, x, c) : ec__se(b, x, r < 8 ? 8 : r, "relu", "sigmoid");
    return ec_b1(b, x, "scale_scalar mul=%d", ATTEND_GAIN);
}

struct place { /* of a block */
    int64_t out, stride, mid, groups;
    double variance; /* of its input */
};

static int branch(struct ec_builder *b, int x, const struct ec__nfnet *v, const struct place *at)
{
    x = conv(b, x, v, EC__CONV(.k = at->mid, .name = "conv1"));
    x = conv(b, act(b, x, v), v,
             EC__CONV(.k = at->mid, .r = 3, .stride = at->stride, .groups = at->groups,
                      .name = "conv2"));
    if (v->twice)
        x = conv(b, act(b, x, v), v,
                 EC__CONV(.k = at->mid, .r = 3, .groups = at->groups, .name = "conv2b"));
    if (v->narrow)
        x = attend(b, x, v);
    x = conv(b, act(b, x, v), v, EC__CONV(.k = at->out, .name = "conv3"));
    return v->narrow ? x : attend(b, x, v);
}

static int block(struct ec_builder *b, int x, const struct ec__nfnet *v, const struct place *at)
{
    bool project = at->stride > 1 || ec_b_dim(b, x, 1) != at->out;
    int y = ec_b1(b, act(b, x, v), "scale_scalar mul=%.9g", 1 / sqrt(at->variance));

    if (project) {
        x = y;
        if (at->stride > 1)
            x = ec_b1(b, x, "avg_pool2d r=2 stride=%lld ceil=1 count_include_pad=0",
                      EC__I64(at->stride));
        x = conv(b, x, v, EC__CONV(.k = at->out, .name = "downsample.conv"));
    }
    y = ec__drop_path(b, branch(b, y, v, at), v->drop_path);
    if (v->skip_gain)
        y = ec_b2(b, y, ec_b_param(b, "skipinit_gain", 0), "mul");
    return ec__add(b, ec_b1(b, y, "scale_scalar mul=%g", ALPHA), x);
}

/* Channels inside a block, and its groups: whole groups where their size is a multiple of 8. */
static void inside(const struct ec__nfnet *v, int64_t in, double ratio, struct place *at)
{
    at->mid = ec__round_to((double)(v->narrow ? in : at->out) * ratio, 8, false);
    at->groups = v->group ? at->mid / v->group : 1;
    if (at->groups < 1)
        at->groups = 1;
    if (v->group && v->group % 8 == 0)
        at->mid = v->group * at->groups;
}

static int stages(struct ec_builder *b, int x, const struct ec__nfnet *v, bool halved)
{
    struct place at = { .variance = 1 };
    int64_t j;
    int i;

    for (i = 0; i < v->depths.n; i++)
        for (j = 0; ec_b_each(b, j, v->depths.v[i], "stages.%d.%lld.", i, EC__I64(j)); j++) {
            at.out = ec__round_to((double)v->channels.v[i] * v->width, 8, false);
            at.stride = j || (!i && halved) ? 1 : 2;
            inside(v, ec_b_dim(b, x, 1), v->narrow && !i && !j ? 1 : v->ratio, &at);
            x = block(b, x, v, &at);
            at.variance = (j ? at.variance : 1) + ALPHA * ALPHA;
        }
    return x;
}

/* Four convolutions have a stride at both ends. */
static int stem(struct ec_builder *b, int x, const struct ec__nfnet *v)
{
    int i;

    for (i = 0; i < v->stem.n; i++) {
        bool last = i && i + 1 == v->stem.n;

        x = conv(b, i ? act(b, x, v) : x, v,
                 EC__CONV(.k = ec__round_to((double)v->stem.v[i] * v->width, 8, false),
                          .r = v->stem_filter ? v->stem_filter : 3, .stride = i && !last ? 1 : 2));
    }
    return v->pool ? ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1 name=stem.pool") : x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__nfnet *v = variant;
    int x = ec__input_image(b, net, 3);

    if (!ec__per_stage(b, v->depths.n, "channels", v->channels.n, NULL))
        return -1;
    x = stages(b, stem(b, x, v), v, v->pool || v->stem.n > 1);
    if (v->head)
        x = conv(b, x, v,
                 EC__CONV(.k = ec__round_to((double)v->head * v->width, 8, false),
                          .name = "final_conv"));
    return ec__classifier(b, act(b, x, v), 0, net->classes, "head.fc");
}

EC__FAMILY(nfnet, "without norms, weights standardised", "classify", NFNET, build);
