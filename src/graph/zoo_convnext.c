/* ConvNeXt, versions 1 and 2. Norms work on (n, h, w, c), so the maps are transposed around them.
 */
#include "graph/zoo_internal.h"

#include <math.h>

/* One 4x4; two 3x3, the first of half the channels or followed by an activation. */
enum ec__convnext_stem { EC__PATCH, EC__OVERLAP, EC__OVERLAP_TIERED, EC__OVERLAP_ACT };

#define CONVNEXT(X, T)                                                                             \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 3x3x9x3")                                   \
    X(T, INTS, widths, 1, 65536, "channels of each stage: 96x192x384x768")                         \
    X(T, BOOL, grn, "version 2: global response normalisation")                                    \
    X(T, BOOL, conv, "1x1 convolutions in place of dense layers per position")                     \
    X(T, ENUM, stem, stems,                                                                        \
      "patch: one 4x4; overlap: two 3x3; tiered: the first of half the channels; act: with "       \
      "an activation between them")                                                                \
    X(T, BOOL, rms, "norms divide by the root mean square of the channels")                        \
    X(T, INTS, filters, 1, 1000, "side of the filters of each stage; none: 7")                     \
    X(T, INT, hidden, 0, 65536, "features before the classifier; 0: none")                         \
    X(T, STR, act, "activation; by default gelu")                                                  \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping the last block")
EC__VARIANT(convnext, CONVNEXT);

static int to_last(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,2,3,1");
}

static int to_second(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,3,1,2");
}

static int norm2d(struct ec_builder *b, int x, const struct ec__convnext *v)
{
    return v->rms ? ec__rms_norm2d(b, x) : ec__norm2d(b, x);
}

/* A weight per channel, which is the last dimension or the second. */
static int per_channel(struct ec_builder *b, const char *name, int64_t c, bool last)
{
    return last ? ec_b_param(b, name, 1, c) : ec_b_param(b, name, 3, c, (int64_t)1, (int64_t)1);
}

/* Global response normalisation: x + gamma * x * |x| / mean|x| + beta, |x| over the map. */
static int response_norm(struct ec_builder *b, int x, bool last)
{
    int64_t c = ec_b_dim(b, x, last ? 3 : 1);
    int g = ec_b1(b, x, "reduce_l2 axes=%s", last ? "1,2" : "2,3");
    int y =
        ec_b2(b, x, ec_b2(b, g, ec_b1(b, g, "reduce_mean axes=%d", last ? 3 : 1), "div"), "mul");

    y = ec_b2(b, y, per_channel(b, "grn.weight", c, last), "mul");
    y = ec__add(b, y, per_channel(b, "grn.bias", c, last));
    return ec__add(b, x, y);
}

/* Norm and dense layers per position, on (n, h, w, c). */
static int dense(struct ec_builder *b, int x, const struct ec__convnext *v, const char *act)
{
    int64_t c = ec_b_dim(b, x, 1);

    x = ec_b1(b, to_last(b, x), "layer_norm name=block.2");
    x = ec__act(b, ec__linear(b, x, 4 * c, true, "block.3"), act);
    if (v->grn)
        x = response_norm(b, x, true);
    return to_second(b, ec__linear(b, x, c, true, "block.5"));
}

/* The same as 1x1 convolutions. */
static int convolved(struct ec_builder *b, int x, const struct ec__convnext *v, const char *act)
{
    int64_t c = ec_b_dim(b, x, 1);

    x = norm2d(b, x, v);
    x = ec__act(b, ec__conv(b, x, EC__CONV(.k = 4 * c, .bias = true, .name = "block.3")), act);
    if (v->grn)
        x = response_norm(b, x, false);
    return ec__conv(b, x, EC__CONV(.k = c, .bias = true, .name = "block.5"));
}

static int block(struct ec_builder *b, int x, const struct ec__convnext *v, int64_t r, double p)
{
    const char *act = v->act ? v->act : "gelu";
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv(b, x, EC__CONV(.k = c, .r = r, .groups = c, .bias = true, .name = "block.0"));

    y = v->conv ? convolved(b, y, v, act) : dense(b, y, v, act);
    if (!v->grn)
        y = ec_b2(b, y, ec_b_param(b, "layer_scale", 3, c, (int64_t)1, (int64_t)1), "mul");
    return ec__add(b, x, ec__drop_path(b, y, p));
}

static int stages(struct ec_builder *b, int x, const struct ec__convnext *v)
{
    int64_t total = ec__sum(&v->depths), at = 0, j;
    int i;

    for (i = 0; i < v->depths.n; i++) {
        size_t old = ec_b_push(b, "features.%d.", 2 * i);

        if (i)
            x = ec_b1(b, norm2d(b, x, v), "conv2d k=%lld r=2 stride=2", EC__I64(v->widths.v[i]));
        ec_b_pop(b, old);
        for (j = 0; ec_b_each(b, j, v->depths.v[i], "features.%d.%lld.", 2 * i + 1, EC__I64(j));
             j++, at++)
            x = block(b, x, v, i < v->filters.n ? v->filters.v[i] : 7,
                      ec__rising(v->drop_path, at, total));
    }
    return x;
}

static int stem(struct ec_builder *b, int x, const struct ec__convnext *v)
{
    int64_t c = v->widths.v[0];
    int64_t mid = v->stem == EC__OVERLAP_TIERED ? ec__round_to(floor((double)c / 2), 8, false) : c;
    struct ec__conv first = { .k = mid, .r = 3, .stride = 2, .bias = true };
    struct ec__conv second = { .k = c, .r = 3, .stride = 2, .bias = true };

    if (v->stem == EC__PATCH)
        return ec_b1(b, x, "conv2d k=%lld r=4 stride=4 name=features.0.0", EC__I64(c));
    x = ec__conv(b, x, first);
    x = ec__act(b, x, v->stem == EC__OVERLAP_ACT ? "gelu" : NULL);
    return ec__conv(b, x, second);
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__convnext *v = variant;
    int x = ec__input_image(b, net, 3);

    if (!ec__per_stage(b, v->depths.n, "widths", v->widths.n, NULL))
        return -1;
    x = stages(b, norm2d(b, stem(b, x, v), v), v);
    x = ec_b1(b, norm2d(b, ec_b1(b, x, "global_avg_pool"), v), "flatten");
    if (v->hidden)
        x = ec_b1(b, ec__linear(b, x, v->hidden, true, "pre_logits"), "gelu");
    return ec__linear(b, x, net->classes, true, "classifier.2");
}

static const char *const stems[] = { "patch", "overlap", "tiered", "act", NULL };

EC__FAMILY(convnext, "depthwise 7x7 and dense layers per position", "classify", CONVNEXT, build);
