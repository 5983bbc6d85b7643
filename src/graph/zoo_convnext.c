/* ConvNeXt, versions 1 and 2. Norms work on (n, h, w, c), so the maps are transposed around them.
 */
#include "graph/zoo_internal.h"

static int to_last(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,2,3,1");
}

static int to_second(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,3,1,2");
}

static int norm2d(struct ec_builder *b, int x)
{
    return to_second(b, ec_b1(b, to_last(b, x), "layer_norm"));
}

/* Global response normalisation: x + gamma * x * |x| / mean|x| + beta, |x| over the map. */
static int response_norm(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 3);
    int g = ec_b1(b, x, "reduce_l2 axes=1,2");
    int y = ec_b2(b, x, ec_b2(b, g, ec_b1(b, g, "reduce_mean axes=3"), "div"), "mul");

    y = ec_b2(b, y, ec_b_param(b, "grn.weight", 1, c), "mul");
    y = ec__add(b, y, ec_b_param(b, "grn.bias", 1, c));
    return ec__add(b, x, y);
}

static int block(struct ec_builder *b, int x, const struct ec__convnext *v, double p)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv(b, x, EC__CONV(.k = c, .r = 7, .groups = c, .bias = true, .name = "block.0"));

    y = ec_b1(b, to_last(b, y), "layer_norm name=block.2");
    y = ec_b1(b, ec__linear(b, y, 4 * c, true, "block.3"), "gelu");
    if (v->grn)
        y = response_norm(b, y);
    y = to_second(b, ec__linear(b, y, c, true, "block.5"));
    if (!v->grn)
        y = ec_b2(b, y, ec_b_param(b, "layer_scale", 3, c, (int64_t)1, (int64_t)1), "mul");
    return ec__add(b, x, ec__drop_path(b, y, p));
}

static int stages(struct ec_builder *b, int x, const struct ec__convnext *v)
{
    int64_t total = 0, at = 0, j;
    int i;

    for (i = 0; i < v->depths.n; i++)
        total += v->depths.v[i];
    for (i = 0; i < v->depths.n; i++) {
        size_t old = ec_b_push(b, "features.%d.", 2 * i);

        if (i)
            x = ec_b1(b, norm2d(b, x), "conv2d k=%lld r=2 stride=2", EC__I64(v->widths.v[i]));
        ec_b_pop(b, old);
        for (j = 0; j < v->depths.v[i] && !b->st; j++, at++) {
            double p = total > 1 ? v->drop_path * (double)at / (double)(total - 1) : 0;

            old = ec_b_push(b, "features.%d.%lld.", 2 * i + 1, EC__I64(j));
            x = block(b, x, v, p);
            ec_b_pop(b, old);
        }
    }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__convnext *v = variant;
    int x = ec__input_image(b, net, 3);

    if (v->widths.n < v->depths.n || v->depths.n < 1) {
        b->st = ec_fail(b->err, EC_E_INPUT, "widths: %d numbers for %d stages", v->widths.n,
                        v->depths.n);
        return -1;
    }
    x = ec_b1(b, x, "conv2d k=%lld r=4 stride=4 name=features.0.0", EC__I64(v->widths.v[0]));
    x = stages(b, norm2d(b, x), v);
    x = norm2d(b, ec_b1(b, x, "global_avg_pool"));
    return ec__linear(b, ec_b1(b, x, "flatten"), net->classes, true, "classifier.2");
}

/* clang-format off */
#define T struct ec__convnext
static const struct ec_field fields[] = {
    EC__INTS(T, "depths", depths, 1, 1000, "blocks of each stage: 3x3x9x3"),
    EC__INTS(T, "widths", widths, 1, 65536, "channels of each stage: 96x192x384x768"),
    EC__BOOL(T, "grn", grn, "version 2: global response normalisation"),
    EC__REAL(T, "drop_path", drop_path, 0, 0.99, "probability of dropping the last block"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

const struct ec__family ec__family_convnext = {
    "convnext", "depthwise 7x7 and dense layers per position",
    "classify", sizeof(struct ec__convnext),
    fields,     build,
};
