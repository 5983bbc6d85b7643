/* GoogLeNet and Inception v3. In training both have auxiliary classifiers, further outputs. */
#include "graph/zoo_internal.h"

#define GOOGLENET(X, T)                                                                            \
    X(T, BOOL, aux, "the two auxiliary classifiers of training")                                   \
    X(T, BOOL, bn, "batch norm after each convolution")                                            \
    X(T, BOOL, five, "5x5 filters as published; torchvision has 3x3")
EC__VARIANT(googlenet, GOOGLENET);

#define INCEPTION(X, T)                                                                            \
    X(T, BOOL, aux, "the auxiliary classifier of training (v3)")                                   \
    X(T, ENUM, version, versions, "v3, v4, resnet_v2")
EC__VARIANT(inception, INCEPTION);

/* What torchvision gives the losses of auxiliary classifiers in training. */
#define GOOGLENET_AUX 0.3
#define INCEPTION_AUX 0.4

static void aux_output(struct ec_builder *b, int value, double weight)
{
    if (!b->st)
        b->st = ec_graph_add_output(b->g, value, b->err);
    if (!b->st)
        b->g->values[value]->loss_weight = weight;
}

/* Convolution, batch norm, ReLU; without `bn` the convolution has a bias instead. */
static int conv(struct ec_builder *b, int x, struct ec__conv c, bool bn)
{
    c.bias = !bn;
    return bn ? ec__conv_bn_act(b, x, c, "relu") : ec__act(b, ec__conv(b, x, c), "relu");
}

struct mix { /* filters of an inception module of GoogLeNet */
    int64_t k1, k3_in, k3, k5_in, k5, pool;
};

static int mix(struct ec_builder *b, int x, const struct mix *m, const struct ec__googlenet *v)
{
    int xs[4];

    xs[0] = conv(b, x, EC__CONV(.k = m->k1), v->bn);
    xs[1] = conv(b, x, EC__CONV(.k = m->k3_in), v->bn);
    xs[1] = conv(b, xs[1], EC__CONV(.k = m->k3, .r = 3), v->bn);
    xs[2] = conv(b, x, EC__CONV(.k = m->k5_in), v->bn);
    xs[2] = conv(b, xs[2], EC__CONV(.k = m->k5, .r = v->five ? 5 : 3), v->bn);
    xs[3] = ec_b1(b, x, "max_pool2d r=3 stride=1 pad=1 ceil=1");
    xs[3] = conv(b, xs[3], EC__CONV(.k = m->pool), v->bn);
    return ec_bn(b, xs, 4, "concat");
}

static void googlenet_aux(struct ec_builder *b, int x, const struct ec__net *net,
                          const struct ec__googlenet *v, int which)
{
    size_t old;

    if (!v->aux)
        return;
    old = ec_b_push(b, "aux%d.", which);
    x = ec_b1(b, x, "adaptive_avg_pool out=4x4");
    x = conv(b, x, EC__CONV(.k = 128), v->bn);
    x = ec_b1(b, x, "flatten");
    x = ec__act(b, ec__linear(b, x, 1024, true, "fc1"), "relu");
    x = ec__linear(b, ec__dropout(b, x, 0.7), net->classes, true, "fc2");
    aux_output(b, x, GOOGLENET_AUX);
    ec_b_pop(b, old);
}

static int googlenet_stem(struct ec_builder *b, int x, const struct ec__googlenet *v)
{
    x = conv(b, x, EC__CONV(.k = 64, .r = 7, .stride = 2, .name = "conv1"), v->bn);
    x = ec_b1(b, x, "max_pool2d r=3 stride=2 ceil=1");
    x = v->bn ? x : ec_b1(b, x, "lrn");
    x = conv(b, x, EC__CONV(.k = 64, .name = "conv2"), v->bn);
    x = conv(b, x, EC__CONV(.k = 192, .r = 3, .name = "conv3"), v->bn);
    x = v->bn ? x : ec_b1(b, x, "lrn");
    return ec_b1(b, x, "max_pool2d r=3 stride=2 ceil=1");
}

static int googlenet_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const struct mix mixes[9] = {
        {64,   96,  128, 16, 32,  32 },
        { 128, 128, 192, 32, 96,  64 },
        { 192, 96,  208, 16, 48,  64 },
        { 160, 112, 224, 24, 64,  64 },
        { 128, 128, 256, 24, 64,  64 },
        { 112, 144, 288, 32, 64,  64 },
        { 256, 160, 320, 32, 128, 128},
        { 256, 160, 320, 32, 128, 128},
        { 384, 192, 384, 48, 128, 128},
    };
    static const char *const names[9] = { "3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b" };
    const struct ec__googlenet *v = variant;
    int i, x = googlenet_stem(b, ec__input_image(b, net, 3), v);

    for (i = 0; i < 9; i++) {
        size_t old = ec_b_push(b, "inception%s.", names[i]);

        x = mix(b, x, &mixes[i], v);
        ec_b_pop(b, old);
        if (i == 1)
            x = ec_b1(b, x, "max_pool2d r=3 stride=2 ceil=1");
        if (i == 6) /* torchvision pools by 2 here, the publication by 3 */
            x = ec_b1(b, x, "max_pool2d r=%d stride=2 ceil=1", v->five ? 3 : 2);
        if (i == 2 || i == 5)
            googlenet_aux(b, x, net, v, i == 2 ? 1 : 2);
    }
    return ec__classifier(b, x, v->bn ? 0.2 : 0.4, net->classes, "fc");
}

EC__FAMILY(googlenet, "inception modules", "classify", GOOGLENET, googlenet_build);

/* --- Inception v3: convolution, batch norm, ReLU throughout --- */

static int pool_proj(struct ec_builder *b, int x, int64_t k)
{
    return ec__cbr(b, ec_b1(b, x, "avg_pool2d r=3 stride=1 pad=1"), k, 1, 1);
}

static int module_a(struct ec_builder *b, int x, int64_t pool)
{
    int xs[4];

    xs[0] = ec__cbr(b, x, 64, 1, 1);
    xs[1] = ec__cbr(b, ec__cbr(b, x, 48, 1, 1), 64, 5, 5);
    xs[2] = ec__cbr(b, ec__cbr(b, ec__cbr(b, x, 64, 1, 1), 96, 3, 3), 96, 3, 3);
    xs[3] = pool_proj(b, x, pool);
    return ec_bn(b, xs, 4, "concat");
}

static int module_b(struct ec_builder *b, int x)
{
    int xs[3];

    xs[0] = ec__cbr_valid(b, x, 384, 3, 2);
    xs[1] = ec__cbr_valid(b, ec__cbr(b, ec__cbr(b, x, 64, 1, 1), 96, 3, 3), 96, 3, 2);
    xs[2] = ec_b1(b, x, "max_pool2d r=3 stride=2");
    return ec_bn(b, xs, 3, "concat");
}

static int module_c(struct ec_builder *b, int x, int64_t k)
{
    int xs[4], y;

    xs[0] = ec__cbr(b, x, 192, 1, 1);
    xs[1] = ec__cbr(b, ec__cbr(b, ec__cbr(b, x, k, 1, 1), k, 1, 7), 192, 7, 1);
    y = ec__cbr(b, ec__cbr(b, ec__cbr(b, x, k, 1, 1), k, 7, 1), k, 1, 7);
    xs[2] = ec__cbr(b, ec__cbr(b, y, k, 7, 1), 192, 1, 7);
    xs[3] = pool_proj(b, x, 192);
    return ec_bn(b, xs, 4, "concat");
}

static int module_d(struct ec_builder *b, int x)
{
    int xs[3], y = ec__cbr(b, ec__cbr(b, ec__cbr(b, x, 192, 1, 1), 192, 1, 7), 192, 7, 1);

    xs[0] = ec__cbr_valid(b, ec__cbr(b, x, 192, 1, 1), 320, 3, 2);
    xs[1] = ec__cbr_valid(b, y, 192, 3, 2);
    xs[2] = ec_b1(b, x, "max_pool2d r=3 stride=2");
    return ec_bn(b, xs, 3, "concat");
}

static int fork_1x3(struct ec_builder *b, int x)
{
    int xs[2];

    xs[0] = ec__cbr(b, x, 384, 1, 3);
    xs[1] = ec__cbr(b, x, 384, 3, 1);
    return ec_bn(b, xs, 2, "concat");
}

static int module_e(struct ec_builder *b, int x)
{
    int xs[4];

    xs[0] = ec__cbr(b, x, 320, 1, 1);
    xs[1] = fork_1x3(b, ec__cbr(b, x, 384, 1, 1));
    xs[2] = fork_1x3(b, ec__cbr(b, ec__cbr(b, x, 448, 1, 1), 384, 3, 3));
    xs[3] = pool_proj(b, x, 192);
    return ec_bn(b, xs, 4, "concat");
}

static void inception_aux(struct ec_builder *b, int x, const struct ec__net *net)
{
    size_t old = ec_b_push(b, "AuxLogits.");

    x = ec_b1(b, x, "avg_pool2d r=5 stride=3");
    x = ec__cbr_valid(b, ec__cbr(b, x, 128, 1, 1), 768, 5, 1);
    aux_output(b, ec__classifier(b, x, 0, net->classes, "fc"), INCEPTION_AUX);
    ec_b_pop(b, old);
}

static int inception_3(struct ec_builder *b, int x, const struct ec__net *net,
                       const struct ec__inception *v)
{
    static const int64_t pools[3] = { 32, 64, 64 }, sevens[4] = { 128, 160, 160, 192 };
    int i;

    x = ec__inception_stem(b, x);
    for (i = 0; i < 3; i++)
        x = module_a(b, x, pools[i]);
    x = module_b(b, x);
    for (i = 0; i < 4; i++)
        x = module_c(b, x, sevens[i]);
    if (v->aux)
        inception_aux(b, x, net);
    return module_e(b, module_e(b, module_d(b, x)));
}

enum { V3, V4, RESNET_V2 };

static int inception_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__inception *v = variant;
    int x = ec__input_image(b, net, 3);

    x = v->version == V3   ? inception_3(b, x, net, v)
        : v->version == V4 ? ec__inception_4(b, x)
                           : ec__inception_resnet(b, x);
    return ec__classifier(b, x, v->version == V3 ? 0.5 : 0, net->classes, "fc");
}

static const char *const versions[] = { "v3", "v4", "resnet_v2", NULL };

EC__FAMILY(inception, "Inception v3, v4 and Inception-ResNet v2", "classify", INCEPTION,
           inception_build);
