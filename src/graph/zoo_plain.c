/* Networks without branches: chains of operators, the CIFAR-10 template, MLP, VGG. */
#include "graph/zoo_internal.h"

#include <string.h>

#define CHAIN(X, T) X(T, STR, ops, "operators joined by semicolons; `classes` is the last layer")
EC__VARIANT(chain, CHAIN);

struct ec__cifar_cnn {
    int64_t depth, base_filters, dense;
    bool twice;
};

#define MLP(X, T)                                                                                  \
    X(T, INT, in, 1, 100000000, "input features")                                                  \
    X(T, INTS, hidden, 1, 10000000, "features of the hidden layers: 512x512")                      \
    X(T, INT, out, 0, 10000000, "outputs; 0: classes")
EC__VARIANT(mlp, MLP);

#define VGG(X, T)                                                                                  \
    X(T, STR, plan, "filters of each convolution, M for a pool: 64-M-128-M")                       \
    X(T, BOOL, bn, "batch norm after each convolution")                                            \
    X(T, INT, hidden, 0, 1000000, "features of the dense layers; 0: 4096")
EC__VARIANT(vgg, VGG);

static int chain_step(struct ec_builder *b, int x, struct ec_span word, int64_t classes)
{
    if (ec_span_eq(word, "classes"))
        return ec__linear(b, x, classes, true, NULL);
    return ec_b1(b, x, "%.*s", (int)word.len, word.p);
}

static int chain_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__chain *v = variant;
    struct ec_span rest = ec_span_of(v->ops), word;
    int x = ec__input_image(b, net, 3);

    while (!b->st && ec_span_cut(&rest, ';', &word))
        x = chain_step(b, x, ec_span_trim(word), net->classes);
    return x;
}

EC__FAMILY(chain, "one operator after the other", "classify", CHAIN, chain_build);

static int cifar_cnn_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__cifar_cnn *v = variant;
    int x = ec__input_image(b, net, 3);
    int64_t i, k = v->base_filters;

    for (i = 0; ec_b_each(b, i, v->depth, "block%lld.", EC__I64(i + 1)); i++) {
        x = ec__conv(b, x, EC__CONV(.k = k, .r = 3, .bias = true, .name = "conv1"));
        x = ec__act(b, x, "relu");
        x = ec__conv(b, x, EC__CONV(.k = k, .r = 3, .bias = true, .name = "conv2"));
        x = ec__act(b, x, "relu");
        x = ec_b1(b, x, "max_pool2d r=2");
        if (v->twice)
            k *= 2;
    }
    x = ec_b1(b, x, "flatten");
    x = ec__act(b, ec__linear(b, x, v->dense, true, "dense1"), "relu");
    return ec__linear(b, x, net->classes, true, "dense2");
}

/* Not one list, for the parameter `double` is no name of a member. */
/* clang-format off */
#define T struct ec__cifar_cnn
static const struct ec_field cifar_cnn_fields[] = {
    EC__INT(T, "depth", depth, 1, 16, "blocks of two convolutions and a pool"),
    EC__INT(T, "base_filters", base_filters, 1, 4096, "filters of the first block"),
    EC__BOOL(T, "double", twice, "filters double from block to block"),
    EC__INT(T, "dense", dense, 1, 65536, "features of the hidden dense layer"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

EC__FAMILY_OF(cifar_cnn, "VGG-like template of blocks", "classify", cifar_cnn_fields,
              cifar_cnn_build);

static int mlp_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__mlp *v = variant;
    int x = ec_b_input(b, "input", EC_DT_f32, 2, net->batch, v->in);
    int i;

    for (i = 0; i < v->hidden.n; i++)
        x = ec__act(b, ec__linear(b, x, v->hidden.v[i], true, NULL), "relu");
    return ec__linear(b, x, v->out ? v->out : net->classes, true, NULL);
}

EC__FAMILY(mlp, "dense layers", "classify", MLP, mlp_build);

static int vgg_conv(struct ec_builder *b, int x, int64_t filters, bool bn)
{
    struct ec__conv c = { .k = filters, .r = 3, .bias = true };

    return bn ? ec__conv_bn_act(b, x, c, "relu") : ec__act(b, ec__conv(b, x, c), "relu");
}

static int vgg_features(struct ec_builder *b, int x, const struct ec__vgg *v)
{
    struct ec_span rest = ec_span_of(v->plan), word;
    int64_t filters;

    while (!b->st && ec_span_cut(&rest, '-', &word)) {
        if (ec_span_eq(word, "M") || ec_span_eq(word, "m"))
            x = ec_b1(b, x, "max_pool2d r=2");
        else if (ec_parse_int(word, &filters))
            x = vgg_conv(b, x, filters, v->bn);
        else
            b->st = ec_fail(b->err, EC_E_INPUT, "plan: found \"%.*s\", expected filters or M",
                            word.len > 40 ? 40 : (int)word.len, word.p);
    }
    return x;
}

static int vgg_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__vgg *v = variant;
    int64_t hidden = v->hidden ? v->hidden : 4096;
    size_t old = ec_b_push(b, "features.");
    int i, x = vgg_features(b, ec__input_image(b, net, 3), v);

    ec_b_pop(b, old);
    x = ec_b1(b, x, "adaptive_avg_pool out=7x7 name=avgpool");
    x = ec_b1(b, x, "flatten");
    old = ec_b_push(b, "classifier.");
    for (i = 0; i < 2; i++) {
        x = ec__act(b, ec__linear(b, x, hidden, true, NULL), "relu");
        x = ec__dropout(b, x, 0.5);
    }
    x = ec__linear(b, x, net->classes, true, NULL);
    ec_b_pop(b, old);
    return x;
}

EC__FAMILY(vgg, "3x3 convolutions and pools, three dense layers", "classify", VGG, vgg_build);
