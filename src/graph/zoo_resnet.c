/* ResNet and its kin: ResNeXt, Wide ResNet, deep stems, squeeze-and-excitation, ResNeSt, Res2Net,
 * CIFAR's small ones. Layers and names as torchvision has them; options as the timm variants have
 * them.
 *
 * Where channels follow no rule they are written for every block, in one word for each stage:
 * 256_64.64_64.80 are a stage of 256 channels and two blocks, 1x1 to 64, 3x3 to 64 or 80, 1x1 to
 * 256. A block with one number is of two 3x3: 64_64_64. */
#include "graph/zoo_internal.h"

static int64_t or_default(int64_t v, int64_t other)
{
    return v ? v : other;
}

static int conv(struct ec_builder *b, int x, const struct ec__resnet *v, struct ec__conv c)
{
    x = ec__conv(b, x, c);
    if (v->std)
        ec__standardise(b, false);
    return x;
}

static int conv_norm(struct ec_builder *b, int x, const struct ec__resnet *v, struct ec__conv c,
                     const char *act)
{
    return ec__norm_act(b, conv(b, x, v, c), v->norm, act, c.norm);
}

static int stem_convs(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    struct ec__conv first = { .k = or_default(v->width, 64), .r = 7, .stride = 2 };
    int i;

    first.name = "conv1";
    first.norm = "bn1";
    if (v->small_stem) {
        first.r = 3;
        first.stride = 1;
    }
    if (v->preact && !v->stem.n)
        return conv(b, x, v, first);
    if (v->small_stem || !v->stem.n)
        return conv_norm(b, x, v, first, "relu");
    for (i = 0; i < v->stem.n; i++) {
        struct ec__conv c = { .k = v->stem.v[i], .r = 3, .stride = i ? 1 : 2 };

        if (v->preact && i + 1 == v->stem.n) /* its norm is that of the first block */
            return conv(b, x, v, c);
        x = conv_norm(b, x, v, c, "relu");
    }
    return x;
}

static int stem(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    x = stem_convs(b, x, v);
    if (v->small_stem)
        return x;
    if (v->conv_pool)
        return conv_norm(b, x, v, EC__CONV(.k = ec_b_dim(b, x, 1), .r = 3, .stride = 2), "relu");
    if (v->aa)
        return ec_b1(b, x, "avg_pool2d r=2 name=maxpool");
    if (v->blur)
        return ec__blur(b, ec_b1(b, x, "max_pool2d r=3 stride=1 pad=1 name=maxpool"), 2, "reflect");
    return ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1 name=maxpool");
}

struct place { /* of a block */
    int64_t planes, stride, dil;
    int64_t out, first, second; /* channels of its result, of its first two convolutions */
    bool basic, leads;          /* it is the first of its stage */
};

/* The shortcut's input at the stride of the block, and what is left of the stride. */
static int pooled(struct ec_builder *b, int x, const struct ec__resnet *v, int64_t *stride)
{
    if (!v->avg_down || *stride < 2)
        return x;
    x = ec_b1(b, x, "avg_pool2d r=2 stride=%lld ceil=1 count_include_pad=0", EC__I64(*stride));
    *stride = 1;
    return x;
}

static int shortcut(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    if (at.stride == 1 && ec_b_dim(b, x, 1) == at.out)
        return x;
    x = pooled(b, x, v, &at.stride);
    return conv_norm(
        b, x, v,
        EC__CONV(.k = at.out, .stride = at.stride, .name = "downsample.0", .norm = "downsample.1"),
        NULL);
}

/* Squeezed channels are rounded to a multiple of 8. */
static int attend(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    int64_t r;

    if (v->se) {
        r = (ec_b_dim(b, x, 1) / v->se + 4) / 8 * 8;
        return ec__se(b, x, r < 8 ? 8 : r, "relu", "sigmoid");
    }
    return v->eca ? ec__eca(b, x, at.basic ? at.planes : 4 * at.planes) : x;
}

/* The strided filter; antialiased ones run at full resolution and are then averaged or blurred. */
static int strided(struct ec_builder *b, int x, const struct ec__resnet *v, struct ec__conv c)
{
    int64_t stride = c.stride;

    if ((!v->aa && !v->blur) || stride < 2)
        return conv_norm(b, x, v, c, "relu");
    c.stride = 1;
    x = conv_norm(b, x, v, c, "relu");
    return v->blur ? ec__blur(b, x, stride, "reflect")
                   : ec_b1(b, x, "avg_pool2d r=2 stride=%lld", EC__I64(stride));
}

/* A multiple of 16 in blocks of two filters, of 8 in others, as published. */
static int selective(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at,
                     struct ec__conv c)
{
    return ec__selective(b, x, c,
                         ec__round_to((double)c.k / (double)v->sk, at.basic ? 16 : 8, false));
}

static int split_attention(struct ec_builder *b, int x, const struct ec__resnet *v,
                           struct ec__conv c)
{
    int64_t stride = c.stride;

    c.stride = 1;
    if (stride > 1 && v->pool_first)
        x = ec_b1(b, x, "avg_pool2d r=3 stride=%lld pad=1", EC__I64(stride));
    x = ec__split_attention(b, x, c, v->radix);
    if (stride > 1 && !v->pool_first)
        x = ec_b1(b, x, "avg_pool2d r=3 stride=%lld pad=1", EC__I64(stride));
    return x;
}

static int basic(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    struct ec__conv c = { .k = at.first, .r = 3, .stride = at.stride };

    c.name = "conv1";
    c.norm = "bn1";
    x = v->sk ? selective(b, x, v, at, c) : strided(b, x, v, c);
    return conv_norm(b, x, v, EC__CONV(.k = at.out, .r = 3, .name = "conv2", .norm = "bn2"), NULL);
}

static int middle(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    struct ec__conv c = { .k = at.second, .r = 3, .stride = v->stride_1x1 ? 1 : at.stride };

    c.groups = or_default(v->groups, 1);
    c.dil = at.dil;
    if (v->scale > 1)
        return ec__multi_scale(b, x, c, v->scale, at.leads);
    c.name = "conv2";
    c.norm = "bn2";
    if (v->radix)
        return split_attention(b, x, v, c);
    return v->sk ? selective(b, x, v, at, c) : strided(b, x, v, c);
}

static int bottleneck(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    int64_t stride = v->stride_1x1 ? at.stride : 1;

    x = conv_norm(b, x, v,
                  EC__CONV(.k = at.first * or_default(v->scale, 1), .stride = stride,
                           .name = "conv1", .norm = "bn1"),
                  "relu");
    x = middle(b, x, v, at);
    return conv_norm(b, x, v, EC__CONV(.k = at.out, .name = "conv3", .norm = "bn3"), NULL);
}

static int block(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    int y = at.basic ? basic(b, x, v, at) : bottleneck(b, x, v, at);

    y = ec__drop_path(b, attend(b, y, v, at), v->drop_path);
    y = ec__add(b, y, shortcut(b, x, v, at));
    return ec__act(b, y, "relu");
}

static int norm_act(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    return ec__norm_act(b, x, v->norm, "relu", NULL);
}

static int preact_shortcut(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    x = pooled(b, x, v, &at.stride);
    return conv(b, x, v, EC__CONV(.k = at.out, .stride = at.stride, .name = "downsample.conv"));
}

static int preact_block(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    bool project = at.stride > 1 || ec_b_dim(b, x, 1) != at.out;
    int y = norm_act(b, x, v);

    x = project ? preact_shortcut(b, y, v, at) : x;
    if (at.basic) {
        y = conv(b, y, v, EC__CONV(.k = at.first, .r = 3, .stride = at.stride, .name = "conv1"));
        y = conv(b, norm_act(b, y, v), v, EC__CONV(.k = at.out, .r = 3, .name = "conv2"));
        return ec__add(b, x, ec__drop_path(b, y, v->drop_path));
    }
    y = conv(b, y, v, EC__CONV(.k = at.first, .name = "conv1"));
    y = conv(b, norm_act(b, y, v), v,
             EC__CONV(.k = at.second, .r = 3, .stride = at.stride, .name = "conv2"));
    y = conv(b, norm_act(b, y, v), v, EC__CONV(.k = at.out, .name = "conv3"));
    return ec__add(b, x, ec__drop_path(b, y, v->drop_path));
}

static bool channels(struct ec_span text, int64_t *ret)
{
    return ec_parse_int(text, ret) && *ret >= 1 && *ret <= 1000000;
}

/* "64.80" or "64" */
static bool block_channels(struct ec_span word, struct place *at)
{
    struct ec_span first = { NULL, 0 };

    if (!ec_span_cut(&word, '.', &first) || !channels(first, &at->first))
        return false;
    at->basic = !word.p;
    return at->basic || channels(word, &at->second);
}

static void rule_channels(const struct ec__resnet *v, struct place *at)
{
    at->basic = v->basic;
    at->out = v->basic ? at->planes : 4 * at->planes;
    at->first = at->second =
        v->basic ? at->planes
                 : at->planes * or_default(v->base_width, 64) / 64 * or_default(v->groups, 1);
}

/* The channels of block j of stage i; false: the stage has no such block. */
static bool next_block(struct ec_builder *b, const struct ec__resnet *v, int i, int64_t j,
                       struct ec_span *words, struct place *at)
{
    struct ec_span word = { NULL, 0 };

    if (!v->widths) {
        rule_channels(v, at);
        return j < v->layers.v[i];
    }
    if (!words->p || !ec_span_cut(words, '_', &word))
        return false;
    if (!j && channels(word, &at->out) && ec_span_cut(words, '_', &word) &&
        block_channels(word, at))
        return true;
    if (j && block_channels(word, at))
        return true;
    b->st = ec_fail(b->err, EC_E_INPUT, "widths: stage %d is not like 256_64.64_64.64", i + 1);
    return false;
}

/* Stages that keep the resolution dilate from their second block on what the stride would have
 * been from the first. */
static int stages(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    struct place at = { .planes = or_default(v->width, 64), .stride = 1, .dil = 1 };
    struct ec_span rest = ec_span_of(v->widths ? v->widths : ""), words = { NULL, 0 };
    int64_t j, dil = 1;
    int i;

    for (i = 0; v->widths ? rest.p && ec_span_cut(&rest, ' ', &words) : i < v->layers.n; i++) {
        bool flat = i >= v->layers.n - v->flat && !v->widths;

        at.dil = dil;
        if (i && flat && v->dilate)
            dil *= 2;
        for (j = 0; !b->st && next_block(b, v, i, j, &words, &at); j++, at.dil = dil) {
            size_t old = ec_b_push(b, "layer%d.%lld.", i + 1, EC__I64(j));

            at.stride = i && !j && !flat ? 2 : 1;
            at.leads = !j;
            x = v->preact ? preact_block(b, x, v, at) : block(b, x, v, at);
            ec_b_pop(b, old);
        }
        at.planes *= 2;
    }
    return v->preact ? norm_act(b, x, v) : x;
}

int ec__resnet_maps(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    return stages(b, stem(b, x, v), v);
}

static int fcn_head(struct ec_builder *b, int x, int64_t classes)
{
    x = ec__conv_bn_act(b, x, EC__CONV(.k = ec_b_dim(b, x, 1) / 4, .r = 3), "relu");
    return ec__conv(b, ec__dropout(b, x, 0.1), EC__CONV(.k = classes, .bias = true));
}

/* DeepLab v3: a 1x1, three dilated 3x3 and the global mean, joined. */
static int deeplab_head(struct ec_builder *b, int x, int64_t classes)
{
    int64_t h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3), i;
    int xs[5];

    xs[0] = ec__conv_bn_act(b, x, EC__CONV(.k = 256), "relu");
    for (i = 1; i < 4; i++)
        xs[i] = ec__conv_bn_act(b, x, EC__CONV(.k = 256, .r = 3, .dil = 12 * i), "relu");
    xs[4] = ec__conv_bn_act(b, ec_b1(b, x, "global_avg_pool"), EC__CONV(.k = 256), "relu");
    xs[4] = ec_b1(b, xs[4], "resize size=%lld,%lld mode=linear", EC__I64(h), EC__I64(w));
    x = ec__conv_bn_act(b, ec_bn(b, xs, 5, "concat"), EC__CONV(.k = 256), "relu");
    x = ec__conv_bn_act(b, ec__dropout(b, x, 0.5), EC__CONV(.k = 256, .r = 3), "relu");
    return ec__conv(b, x, EC__CONV(.k = classes, .bias = true));
}

/* Boxes of one feature map of SSD: (n, what, positions), for 4 coordinates or the classes. */
static int ssd_boxes(struct ec_builder *b, int x, int64_t boxes, int64_t what)
{
    x = ec__conv(b, x, EC__CONV(.k = boxes * what, .r = 3, .bias = true));
    return ec_b1(b, x, "reshape shape=0,%lld,-1", EC__I64(what));
}

/* SSD: five further, ever smaller maps; boxes of four or six shapes per place of each map. */
static int ssd_head(struct ec_builder *b, int x, int64_t classes)
{
    static const int64_t out[5] = { 512, 512, 256, 256, 256 }, mid[5] = { 256, 256, 128, 128, 128 };
    static const int64_t boxes[6] = { 4, 6, 6, 6, 4, 4 };
    int coordinates[6], scores[6], i;

    for (i = 0; ec_b_each(b, i, 6, "ssd%d.", i); i++) {
        if (i) {
            x = ec__conv_bn_act(b, x, EC__CONV(.k = mid[i - 1]), "relu");
            x = ec__conv_bn_act(
                b, x, EC__CONV(.k = out[i - 1], .r = 3, .stride = i < 4 ? 2 : 1, .valid = i >= 4),
                "relu");
        }
        coordinates[i] = ssd_boxes(b, x, boxes[i], 4);
        scores[i] = ssd_boxes(b, x, boxes[i], classes);
    }
    if (b->st)
        return -1;
    x = ec_bn(b, coordinates, 6, "concat axis=2");
    if (!b->st)
        b->st = ec_graph_add_output(b->g, x, b->err);
    return ec_bn(b, scores, 6, "concat axis=2");
}

/* CLIP: what a token that starts as the mean of all others finds in them. */
static int attention_head(struct ec_builder *b, int x, int64_t classes)
{
    int64_t c = ec_b_dim(b, x, 1), heads = c % 64 || !c ? 1 : c / 64, tokens;
    int xs[2], q, k, v;

    xs[1] = ec_b1(b, ec_b1(b, x, "reshape shape=0,0,-1"), "transpose perm=0,2,1");
    xs[0] = ec_b1(b, xs[1], "reduce_mean axes=1");
    x = ec_bn(b, xs, 2, "concat axis=1");
    tokens = ec_b_dim(b, x, 1);
    x = ec__add(b, x, ec_b_param(b, "head.pos_embed", 3, (int64_t)1, tokens, c));
    q = ec__split_heads(b, ec__linear(b, x, c, true, "head.q"), heads);
    k = ec__split_heads(b, ec__linear(b, x, c, true, "head.k"), heads);
    v = ec__split_heads(b, ec__linear(b, x, c, true, "head.v"), heads);
    x = ec_b2(b, ec__scaled(b, q, c / heads), k, "matmul transpose_b=1");
    x = ec__join_heads(b, ec_b2(b, ec_b1(b, x, "softmax"), v, "matmul"));
    x = ec__linear(b, x, classes, true, "head.proj");
    x = ec_b1(b, x, "slice axes=1 starts=0 ends=1");
    return ec_b1(b, x, "reshape shape=0,-1");
}

static int mlp_head(struct ec_builder *b, int x, int64_t classes)
{
    x = ec_b1(b, ec_b1(b, x, "global_avg_pool"), "batch_norm name=head.norm");
    x = ec__linear(b, ec_b1(b, x, "flatten"), ec_b_dim(b, x, 1) / 2, true, "head.fc1");
    return ec__linear(b, ec__act(b, x, "relu"), classes, true, "head.fc2");
}

enum { CLASSIFY, FCN, DEEPLAB, SSD, ATTENTION, MLP, NONE };

static int dense_head(struct ec_builder *b, int x, const struct ec__net *net, int head)
{
    x = head == FCN ? fcn_head(b, x, net->classes) : deeplab_head(b, x, net->classes);
    return ec_b1(b, x, "resize size=%lld mode=linear", EC__I64(net->size));
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__resnet *v = variant;
    int x = ec__resnet_maps(b, ec__input_image(b, net, 3), v);

    if (v->head == FCN || v->head == DEEPLAB)
        b->g->task = "segment";
    if (v->head == SSD)
        b->g->task = "detect";
    switch (v->head) {
    case FCN:
    case DEEPLAB:
        return dense_head(b, x, net, v->head);
    case SSD:
        return ssd_head(b, x, net->classes);
    case ATTENTION:
        return attention_head(b, x, net->classes);
    case MLP:
        return mlp_head(b, x, net->classes);
    case NONE:
        return ec_b1(b, ec_b1(b, x, "global_avg_pool"), "flatten");
    default:
        return ec__classifier(b, x, 0, net->classes, "fc");
    }
}

static const char *const heads[] = { "classify",  "fcn", "deeplab", "ssd",
                                     "attention", "mlp", "none",    NULL };

EC__FAMILY(resnet, "residual blocks of convolutions", "classify", RESNET, build);
