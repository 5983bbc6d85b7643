/* Layers of image networks that several families share: attention over channels, blurred strides,
 * standardised weights, norms beside batch norm, blocks written as words. */
#include "graph/zoo_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- Attention over channels --- */

/* The filter grows with the channels and is odd. */
int ec__eca(struct ec_builder *b, int x, int64_t channels)
{
    int64_t r = (int64_t)(fabs(log2((double)channels) + 1) / 2);
    int y;

    r = r % 2 ? r : r + 1;
    y = ec_b1(b, x, "global_avg_pool");
    y = ec_b1(b, y, "reshape shape=0,1,-1");
    y = ec_b1(b, y, "conv1d k=1 r=%lld pad=%lld bias=0", EC__I64(r), EC__I64(r / 2));
    y = ec_b1(b, ec__act(b, y, "sigmoid"), "reshape shape=0,-1,1,1");
    return ec_b2(b, x, y, "mul");
}

/* One weight per pixel gathers the map into a vector, which makes a gate per channel. */
int ec__global_context(struct ec_builder *b, int x, int64_t squeeze, const char *act)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv(b, x, EC__CONV(.k = 1, .bias = true, .name = "conv_attn"));

    y = ec_b1(b, ec_b1(b, y, "reshape shape=0,1,-1,1"), "softmax axis=2");
    y = ec_b2(b, ec_b1(b, x, "reshape shape=0,1,%lld,-1", EC__I64(c)), y, "matmul");
    y = ec_b1(b, y, "reshape shape=0,%lld,1,1", EC__I64(c));
    y = ec__conv(b, y, EC__CONV(.k = squeeze, .bias = true, .name = "fc1"));
    y = ec_b1(b, ec_b1(b, y, "flatten"), "layer_norm");
    y = ec__act(b, ec_b1(b, y, "reshape shape=0,-1,1,1"), act);
    y = ec__conv(b, y, EC__CONV(.k = c, .bias = true, .name = "fc2"));
    return ec_b2(b, x, ec__act(b, y, "sigmoid"), "mul");
}

/* --- Strides --- */

/* A fixed 3x3 filter on each channel, after padding by 1. mode: of `pad` */
int ec__blur(struct ec_builder *b, int x, int64_t stride, const char *mode)
{
    int64_t c = ec_b_dim(b, x, 1);
    struct ec_type type = {
        {4, { c, 1, 3, 3 }},
        EC_DT_f32
    };
    char name[200];
    int filter = -1;

    x = ec_b1(b, x, "pad pads=0,0,1,1,0,0,1,1 mode=%s", mode);
    x = ec__conv(b, x, EC__CONV(.k = c, .r = 3, .stride = stride, .groups = c, .valid = true));
    if (b->st)
        return -1;
    (void)snprintf(name, sizeof name, "%s.filt", ec_b_last(b)->name);
    b->st = ec_graph_add_param(b->g, name, &type, false, &filter, b->err);
    if (!b->st)
        b->st = ec_graph_tie(b->g, ec_b_last(b), 0, filter, b->err);
    return b->st ? -1 : x;
}

/* As TensorFlow pads: outputs are the size divided by the stride, rounded up; what is missing is
 * added by a layer of its own, an odd row below and right. */
int ec__conv_same(struct ec_builder *b, int x, struct ec__conv c)
{
    int64_t size = ec_b_dim(b, x, 2), stride = c.stride ? c.stride : 1, r = c.r ? c.r : 1;
    int64_t missing = ((size + stride - 1) / stride - 1) * stride + r - size;

    if (stride == 1)
        return ec__conv(b, x, c);
    c.valid = true;
    if (missing > 0)
        x = ec_b1(b, x, "pad pads=0,0,%lld,%lld,0,0,%lld,%lld", EC__I64(missing / 2),
                  EC__I64(missing / 2), EC__I64(missing - missing / 2),
                  EC__I64(missing - missing / 2));
    return ec__conv(b, x, c);
}

/* --- Standardised weights --- */

/* Of the convolution added last: each of its filters is normalised before it is used. An operator's
 * weights are parameters here, so that the result of this work has no reader. */
void ec__standardise(struct ec_builder *b, bool gain)
{
    const struct ec_node *n = ec_b_last(b);
    int64_t k = n ? ec_b_dim(b, n->param[0], 0) : 0;
    size_t old;

    if (!n)
        return;
    old = ec_b_push(b, "std_%d.", n->id);
    (void)ec_b1(b, ec_b1(b, n->param[0], "reshape shape=1,%lld,-1", EC__I64(k)), "instance_norm");
    if (gain)
        (void)ec_b1(b, ec_b_param(b, "gain", 4, k, (int64_t)1, (int64_t)1, (int64_t)1),
                    "scale_scalar mul=%.9g",
                    1 / sqrt(ec_type_elems(&b->g->values[n->param[0]]->type) / (double)k));
    ec_b_pop(b, old);
}

/* --- Norms with their activation --- */

static int channel_param(struct ec_builder *b, const char *name, int64_t c)
{
    return ec_b_param(b, name, 4, (int64_t)1, c, (int64_t)1, (int64_t)1);
}

static int affine(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 1);

    x = ec_b2(b, x, channel_param(b, "weight", c), "mul");
    return ec__add(b, x, channel_param(b, "bias", c));
}

/* Squares and their mean stand for the variance. */
static int deviation(struct ec_builder *b, int x, const char *axes, const char *root)
{
    x = ec_b1(b, ec_b1(b, x, "pow_scalar"), "reduce_mean axes=%s", axes);
    return ec_b1(b, ec_b1(b, x, "scale_scalar add=1e-5"), "%s", root);
}

/* EvoNorm B0 and S0 (Liu et al. 2020), operator by operator. */
static int evo_b(struct ec_builder *b, int x)
{
    int y = ec_b2(b, x, channel_param(b, "v", ec_b_dim(b, x, 1)), "mul");

    y = ec__add(b, y, deviation(b, x, "2,3", "sqrt"));
    y = ec_b2(b, deviation(b, x, "0,2,3", "sqrt"), y, "max");
    return affine(b, ec_b2(b, x, y, "div"));
}

static int evo_s(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 1), h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    int64_t groups = c % 32 ? 1 : 32;
    int y = ec_b2(b, x, channel_param(b, "v", c), "mul"), d;

    y = ec_b2(b, x, ec__act(b, y, "sigmoid"), "mul");
    d = deviation(b, ec_b1(b, x, "reshape shape=0,%lld,-1", EC__I64(groups)), "2", "sqrt");
    d = ec_b1(b, d, "tile repeats=1,1,%lld", EC__I64(c / groups * h * w));
    d = ec_b1(b, d, "reshape shape=0,%lld,%lld,%lld", EC__I64(c), EC__I64(h), EC__I64(w));
    return affine(b, ec_b2(b, y, d, "div"));
}

/* Filter response norm and its threshold (Singh and Krishnan 2020). */
static int filter_response(struct ec_builder *b, int x)
{
    int y = ec_b2(b, x, deviation(b, x, "2,3", "rsqrt"), "mul");

    return ec_b2(b, affine(b, y), channel_param(b, "tau", ec_b_dim(b, x, 1)), "max");
}

int ec__norm_act(struct ec_builder *b, int x, int norm, const char *act, const char *name)
{
    size_t old;

    if (norm <= EC__NORM_GROUP)
        return ec__act(b,
                       ec_b1(b, x, "%s%s%s", norm ? "group_norm groups=32" : "batch_norm",
                             name ? " name=" : "", name ? name : ""),
                       act);
    old = ec_b_push(b, "%s_%d.", name ? name : "norm", b->g->n_nodes);
    x = norm == EC__NORM_EVO_B   ? evo_b(b, x)
        : norm == EC__NORM_EVO_S ? evo_s(b, x)
                                 : filter_response(b, x);
    ec_b_pop(b, old);
    return x;
}

const char *const ec__norm_names[] = { "batch", "group", "evo_b", "evo_s", "filter", NULL };

/* --- Parts of a value --- */

void ec__split(struct ec_builder *b, int x, int axis, const int64_t *sizes, int n, int *ret)
{
    struct ec_buf text = EC_BUF_INIT;
    int i;

    for (i = 0; i < n; i++) {
        ec_buf_printf(&text, "%s%lld", i ? "," : "", EC__I64(sizes[i]));
        ret[i] = -1;
    }
    (void)ec_b1(b, x, "split axis=%d sizes=%s", axis, ec_buf_text(&text));
    for (i = 0; i < n && !b->st; i++)
        ret[i] = ec_b_last(b)->out[i];
    ec_buf_clear(&text);
}

/* --- Words --- */

static bool word_number(struct ec_span w, const char *letters, struct ec__word *ret)
{
    struct ec_span digits = { w.p + 1, w.len - 1 };
    int at = w.len > 1 ? w.p[0] - 'a' : -1;

    if (at < 0 || at > 25 || !strchr(letters, w.p[0]) || ret->given & 1u << at)
        return false;
    ret->given |= 1u << at;
    return ec_parse_double(digits, &ret->v[at]) && ret->v[at] >= 0 && ret->v[at] <= 1e6;
}

bool ec__word_parse(struct ec_span text, const char *letters, struct ec__word *ret)
{
    struct ec_span part;

    memset(ret, 0, sizeof *ret);
    if (!ec_span_cut(&text, '_', &ret->kind) || !ret->kind.len)
        return false;
    while (text.p && ec_span_cut(&text, '_', &part))
        if (!word_number(part, letters, ret))
            return false;
    return true;
}

double ec__word_get(const struct ec__word *w, char letter, double deflt)
{
    return w->given & 1u << (letter - 'a') ? w->v[letter - 'a'] : deflt;
}
