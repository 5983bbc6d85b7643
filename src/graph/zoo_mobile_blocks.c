/* The blocks of mobile stages, and what stands between their convolutions. */
#include "graph/zoo_mobile_internal.h"

#include <math.h>

enum ec__antialias { EC__AA_NONE, EC__AA_AVG, EC__AA_BLUR };

int ec__mobile_norm(struct ec_builder *b, int x, const struct ec__mobile *v, const char *act)
{
    int64_t c = ec_b_dim(b, x, 1), groups = v->norm_group ? c / v->norm_group : 1;

    switch (v->norm) {
    case EC__GROUP_NORM:
        x = ec_b1(b, x, "group_norm groups=%lld", EC__I64(groups));
        break;
    case EC__LAYER_NORM:
        x = ec__norm2d(b, x);
        break;
    case EC__RMS_NORM:
        x = ec__rms_norm2d(b, x);
        break;
    case EC__EVO_NORM: /* is its own activation */
        return ec__evo_norm(b, x, groups, act != NULL);
    default:
        x = ec_b1(b, x, "batch_norm");
        break;
    }
    return ec__act(b, x, act);
}

/* Parts of the channels, each with its own filter; what does not divide goes to the first. */
static int mixed(struct ec_builder *b, int x, struct ec__conv c, const int64_t *k, int n)
{
    int64_t in = ec_b_dim(b, x, 1), out = c.k, rest = in - in / n * (n - 1);
    bool depthwise = c.groups > 1;
    int64_t sizes[EC__PARTS_MAX];
    int xs[EC__PARTS_MAX], i;

    for (i = 0; i < n; i++)
        sizes[i] = i ? in / n : rest;
    ec__split(b, x, 1, sizes, n, xs);
    for (i = 0; i < n && !b->st; i++) {
        c.k = i ? out / n : out - out / n * (n - 1);
        c.r = k ? k[i] : c.r;
        c.groups = depthwise ? c.k : 1;
        xs[i] = ec__conv(b, xs[i], c);
    }
    return ec__concat(b, xs, n);
}

/* Convolution, norm, activation. A stride with antialiasing is taken afterwards. */
static int layer(struct ec_builder *b, int x, const struct ec__mobile *v, struct ec__conv c,
                 const char *act)
{
    int64_t stride = c.stride ? c.stride : 1;

    if (v->aa && stride > 1)
        c.stride = 1;
    x = ec__mobile_norm(b, ec__conv(b, x, c), v, act);
    if (!v->aa || stride == 1)
        return x;
    return v->aa == EC__AA_BLUR
               ? ec__blur(b, x, stride, "constant")
               : ec_b1(b, x, "avg_pool2d r=%lld stride=%lld", EC__I64(stride), EC__I64(stride));
}

static int parted(struct ec_builder *b, int x, const struct ec__mobile *v, struct ec__conv c,
                  const int64_t *k, int n, const char *act)
{
    if (n > 1)
        return ec__mobile_norm(b, mixed(b, x, c, k, n), v, act);
    c.r = k ? k[0] : c.r;
    return layer(b, x, v, c, act);
}

static int squeeze(struct ec_builder *b, int x, const struct ec__mobile *v,
                   const struct ec__stage *st, int64_t in)
{
    const char *gate = v->gate ? v->gate : v->se_mid ? "hard_sigmoid" : "sigmoid";
    int64_t k = st->squeeze;

    if (st->se <= 0 && !k)
        return x;
    if (!k && v->se_mid)
        k = ec__round_to((double)ec_b_dim(b, x, 1) * st->se, 8, false);
    if (!k)
        k = (int64_t)fmax(1, nearbyint((double)in * st->se));
    if (v->context)
        return ec__global_context(b, x, k, st->act);
    return ec__se(b, x, k, v->se_mid ? "relu" : st->act, gate);
}

/* 2x2 pixels become channels; the filters that follow shrink accordingly. */
static int fold(struct ec_builder *b, int x, const struct ec__mobile *v, const char *act)
{
    int64_t c = 4 * ec_b_dim(b, x, 1);

    x = ec__conv(b, x, EC__CONV(.k = c, .r = 2, .stride = 2, .valid = true, .name = "conv_s2d"));
    return ec__mobile_norm(b, x, v, act);
}

static int64_t groups_of(const struct ec__mobile *v, const struct ec__stage *st, int64_t channels)
{
    int64_t size = st->group ? st->group : v->group ? v->group : 1;

    return channels / size > 0 ? channels / size : 1;
}

static int64_t inner_channels(const struct ec__mobile *v, const struct ec__stage *st, int64_t in)
{
    int64_t by = v->by ? v->by : 8;

    if (st->mid)
        return st->mid;
    if (st->fake_in)
        in = ec__round_to((double)st->fake_in * v->width, by, v->nearest);
    return ec__round_to((double)in * st->expand, 8, false);
}

/* The filter of a folded map, of half the side: an even one pads at the end only. */
static int folded_filter(struct ec_builder *b, int x, const struct ec__mobile *v,
                         const struct ec__stage *st, int64_t groups)
{
    int64_t r = (st->k.v[0] + 1) / 2, c = ec_b_dim(b, x, 1);

    x = ec_b1(b, x, "conv2d k=%lld r=%lld pad=same groups=%lld bias=0", EC__I64(c), EC__I64(r),
              EC__I64(groups));
    return ec__mobile_norm(b, x, v, st->act);
}

/* The filters of all experts, mixed for each sample, then the norm. routes: (n, experts) */
static int mixture(struct ec_builder *b, int x, const struct ec__mobile *v, int routes,
                   struct ec__conv c, const char *act)
{
    int64_t r = c.r ? c.r : 1, groups = c.groups ? c.groups : 1, in = ec_b_dim(b, x, 1);
    int64_t depth = in / groups;
    size_t old = ec_b_push(b, "%s.", c.name);
    int w = ec_b_param(b, "weight", 2, ec_b_dim(b, routes, 1), c.k * depth * r * r);

    w = ec_b2(b, routes, w, "matmul");
    w = ec_b1(b, w, "reshape shape=0,%lld,%lld,%lld,%lld", EC__I64(c.k), EC__I64(depth), EC__I64(r),
              EC__I64(r));
    x = ec_b2(b, x, w, "conv2d_each k=%lld r=%lld stride=%lld pad=%lld groups=%lld", EC__I64(c.k),
              EC__I64(r), EC__I64(c.stride ? c.stride : 1), EC__I64(r / 2), EC__I64(groups));
    x = ec__mobile_norm(b, x, v, act);
    ec_b_pop(b, old);
    return x;
}

/* IR whose filters a layer chooses by the mean of the map */
static int conditional(struct ec_builder *b, int x, const struct ec__mobile *v,
                       const struct ec__stage *st, int64_t out, int64_t stride)
{
    int64_t in = ec_b_dim(b, x, 1), mid = inner_channels(v, st, in);
    int routes = ec_b1(b, ec_b1(b, x, "global_avg_pool"), "flatten");

    routes = ec_b1(b, ec__linear(b, routes, st->experts, true, "routing_fn"), "sigmoid");
    x = mixture(b, x, v, routes, EC__CONV(.k = mid, .name = "conv_pw"), st->act);
    x = mixture(
        b, x, v, routes,
        EC__CONV(.k = mid, .r = st->k.v[0], .stride = stride, .groups = mid, .name = "conv_dw"),
        st->act);
    x = squeeze(b, x, v, st, in);
    return mixture(b, x, v, routes, EC__CONV(.k = out, .name = "conv_pwl"), NULL);
}

/* DS, DSA and IR */
static int separable(struct ec_builder *b, int x, const struct ec__mobile *v,
                     const struct ec__stage *st, int64_t out, int64_t stride)
{
    bool folds = st->fold && ec_b_dim(b, x, 1) < out;
    int64_t in = ec_b_dim(b, x, 1), mid, groups;

    if (folds)
        x = fold(b, x, v, st->act);
    mid = inner_channels(v, st, ec_b_dim(b, x, 1));
    if (st->kind == EC__IR && (st->expand != 1 || st->mid)) /* exactly as written */
        x = parted(b, x, v, EC__CONV(.k = mid), NULL, st->first.n, st->act);
    mid = ec_b_dim(b, x, 1);
    groups = groups_of(v, st, mid);
    x = folds ? folded_filter(b, x, v, st, groups)
              : parted(b, x, v, EC__CONV(.k = mid, .stride = stride, .groups = groups), st->k.v,
                       st->k.n, st->act);
    x = squeeze(b, x, v, st, in);
    return parted(b, x, v, EC__CONV(.k = out), NULL, st->last.n,
                  st->kind == EC__DSA ? st->act : NULL);
}

static int fused(struct ec_builder *b, int x, const struct ec__mobile *v,
                 const struct ec__stage *st, int64_t out, int64_t stride)
{
    int64_t in = ec_b_dim(b, x, 1), mid = inner_channels(v, st, in);
    int64_t groups = st->group ? groups_of(v, st, mid) : 1;

    x = layer(b, x, v, EC__CONV(.k = mid, .r = st->k.v[0], .stride = stride, .groups = groups),
              st->act);
    return layer(b, squeeze(b, x, v, st, in), v, EC__CONV(.k = out), NULL);
}

static int depthwise(struct ec_builder *b, int x, const struct ec__mobile *v, int64_t r,
                     int64_t stride, const char *act)
{
    int64_t c = ec_b_dim(b, x, 1);

    return layer(b, x, v, EC__CONV(.k = c, .r = r, .stride = stride, .groups = c), act);
}

static int universal(struct ec_builder *b, int x, const struct ec__mobile *v,
                     const struct ec__stage *st, int64_t out, int64_t stride)
{
    int64_t start = st->first.n ? st->first.v[0] : 0, mid = st->k.v[0];

    if (start)
        x = depthwise(b, x, v, start, mid ? 1 : stride, NULL);
    x = layer(b, x, v, EC__CONV(.k = inner_channels(v, st, ec_b_dim(b, x, 1))), st->act);
    if (mid)
        x = depthwise(b, x, v, mid, stride, st->act);
    x = layer(b, squeeze(b, x, v, st, ec_b_dim(b, x, 1)), v, EC__CONV(.k = out), NULL);
    return v->layer_scale ? ec__channel_scale(b, x, "layer_scale") : x;
}

/* The map of keys or of values: (n, 1, t, d) */
static int shared_head(struct ec_builder *b, int x, const struct ec__mobile *v,
                       const struct ec__stage *st, const char *name)
{
    size_t old = ec_b_push(b, "%s.", name);

    if (st->kv_stride > 1)
        x = depthwise(b, x, v, st->k.v[0], st->kv_stride, NULL);
    x = ec__map_tokens(b, ec__conv(b, x, EC__CONV(.k = st->dim, .name = "proj")));
    ec_b_pop(b, old);
    return ec_b1(b, x, "unsqueeze axes=1");
}

static int multi_query(struct ec_builder *b, int x, const struct ec__mobile *v,
                       const struct ec__stage *st, int64_t out)
{
    int64_t h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    int qkv[3], q;

    x = ec__mobile_norm(b, x, v, NULL);
    q = ec__conv(b, x, EC__CONV(.k = st->heads * st->dim, .name = "query"));
    q = ec_b1(b, q, "reshape shape=0,%lld,%lld,-1", EC__I64(st->heads), EC__I64(st->dim));
    q = ec_b1(b, q, "transpose perm=0,1,3,2");
    qkv[0] = q;
    qkv[1] = shared_head(b, x, v, st, "key");
    qkv[2] = shared_head(b, x, v, st, "value");
    x = ec_b1(b, ec__attend(b, qkv, -1), "transpose perm=0,1,3,2");
    x = ec_b1(b, x, "reshape shape=0,-1,%lld,%lld", EC__I64(h), EC__I64(w));
    x = ec__conv(b, x, EC__CONV(.k = out, .name = "output"));
    return v->layer_scale ? ec__channel_scale(b, x, "layer_scale") : x;
}

static int transformer_layer(struct ec_builder *b, int x, const struct ec__stage *st)
{
    int y = ec__grouped_attention(b, ec_b1(b, x, "layer_norm name=norm1"), st->heads);

    x = ec__add(b, x, y);
    return ec__add(b, x, ec__mlp(b, ec_b1(b, x, "layer_norm name=norm2"), 2 * st->dim, st->act, 0));
}

/* Attention among the pixels that have the same place in their 2x2 patches: (n, 4, t, c) */
static int patch_transformer(struct ec_builder *b, int x, const struct ec__stage *st)
{
    int64_t c = st->dim, h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3), i;
    int64_t nh = (h + 1) / 2, nw = (w + 1) / 2;

    x = ec__resize(b, x, 2 * nh, 2 * nw);
    x = ec_b1(b, x, "reshape shape=0,%lld,2,%lld,2", EC__I64(c * nh), EC__I64(nw));
    x = ec_b1(b, x, "transpose perm=0,1,3,2,4");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,4", EC__I64(c), EC__I64(nh * nw));
    x = ec_b1(b, x, "transpose perm=0,3,2,1");
    for (i = 0; ec_b_each(b, i, st->layers, "transformer.%lld.", EC__I64(i)); i++)
        x = transformer_layer(b, x, st);
    x = ec_b1(b, ec_b1(b, x, "layer_norm name=norm"), "transpose perm=0,3,2,1");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,2,2", EC__I64(c * nh), EC__I64(nw));
    x = ec_b1(b, x, "transpose perm=0,1,3,2,4");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(c), EC__I64(2 * nh), EC__I64(2 * nw));
    return ec__resize(b, x, h, w);
}

static int mobile_vit(struct ec_builder *b, int x, const struct ec__mobile *v,
                      const struct ec__stage *st, int64_t out)
{
    int xs[2] = { x };

    x = layer(b, x, v, EC__CONV(.k = ec_b_dim(b, x, 1), .r = st->k.v[0]), st->act);
    x = ec__conv(b, x, EC__CONV(.k = st->dim, .name = "conv_1x1"));
    x = patch_transformer(b, x, st);
    xs[1] = layer(b, x, v, EC__CONV(.k = out), st->act);
    x = ec__concat(b, xs, 2);
    return layer(b, x, v, EC__CONV(.k = out, .r = st->k.v[0]), st->act);
}

/* A weight per pixel gathers the keys of its place in the patches into one vector: (n, c, 4, t) */
static int linear_attention(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 1);
    const int64_t sizes[3] = { 1, c, c };
    int qkv[3], k;

    x = ec__conv(b, x, EC__CONV(.k = 1 + 2 * c, .bias = true, .name = "qkv_proj"));
    ec__split(b, x, 1, sizes, 3, qkv);
    k = ec_b1(b, ec_b2(b, qkv[1], ec_b1(b, qkv[0], "softmax"), "mul"), "reduce_sum axes=3");
    x = ec_b2(b, ec_b1(b, qkv[2], "relu"), k, "mul");
    return ec__conv(b, x, EC__CONV(.k = c, .bias = true, .name = "out_proj"));
}

static int mobile_vit2(struct ec_builder *b, int x, const struct ec__mobile *v,
                       const struct ec__stage *st, int64_t out)
{
    int64_t c = ec__round_to(0.5 * (double)ec_b_dim(b, x, 1), 8, false), i;
    int64_t nh = (ec_b_dim(b, x, 2) + 1) / 2, nw = (ec_b_dim(b, x, 3) + 1) / 2;

    x = depthwise(b, ec__resize(b, x, 2 * nh, 2 * nw), v, st->k.v[0], 1, st->act);
    x = ec__conv(b, x, EC__CONV(.k = c, .name = "conv_1x1"));
    x = ec_b1(b, x, "reshape shape=0,0,%lld,2,%lld,2", EC__I64(nh), EC__I64(nw));
    x = ec_b1(b, ec_b1(b, x, "transpose perm=0,1,3,5,2,4"), "reshape shape=0,0,4,-1");
    for (i = 0; ec_b_each(b, i, st->layers, "transformer.%lld.", EC__I64(i)); i++) {
        x = ec__add(b, x, linear_attention(b, ec_b1(b, x, "group_norm groups=1 name=norm1")));
        x = ec__add(b, x,
                    ec__conv_mlp(b, ec_b1(b, x, "group_norm groups=1 name=norm2"), 2 * c, st->act));
    }
    x = ec_b1(b, x, "group_norm groups=1 name=norm");
    x = ec_b1(b, x, "reshape shape=0,0,2,2,%lld,%lld", EC__I64(nh), EC__I64(nw));
    x = ec_b1(b, x, "transpose perm=0,1,4,2,5,3");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(c), EC__I64(2 * nh), EC__I64(2 * nw));
    return layer(b, x, v, EC__CONV(.k = out), NULL);
}

int ec__mobile_block(struct ec_builder *b, int x, const struct ec__mobile *v,
                     const struct ec__stage *st, int64_t out, int64_t stride)
{
    switch (st->kind) {
    case EC__CN:
        return layer(b, x, v, EC__CONV(.k = out, .r = st->k.v[0], .stride = stride), st->act);
    case EC__ER:
        return fused(b, x, v, st, out, stride);
    case EC__UIR:
        return universal(b, x, v, st, out, stride);
    case EC__MQA:
        return multi_query(b, x, v, st, out);
    case EC__MVIT:
        return mobile_vit(b, x, v, st, out);
    case EC__MVIT2:
        return mobile_vit2(b, x, v, st, out);
    default:
        return st->experts ? conditional(b, x, v, st, out, stride)
                           : separable(b, x, v, st, out, stride);
    }
}
