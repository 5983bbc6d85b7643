/* GhostNet: half of the channels by 1x1 convolutions, the other half by cheap depthwise ones.
 * RepGhostNet adds these to those, so that a deployed network has both in one filter. */
#include "graph/zoo_internal.h"

#define GHOSTNET(X, T)                                                                             \
    X(T, REAL, width, 0.01, 64, "multiplies the channels")                                         \
    X(T, BOOL, rep, "RepGhostNet: cheap copies are added, not joined")                             \
    X(T, BOOL, merged, "with rep, as it infers: both in one filter")
EC__VARIANT(ghostnet, GHOSTNET);

static int rep_ghost(struct ec_builder *b, int x, int64_t out, bool merged, const char *act)
{
    struct ec__conv cheap = { .k = out, .r = 3, .groups = out, .name = "cheap_operation" };
    int y;

    x = ec__conv_bn_act(b, x, EC__CONV(.k = out, .name = "primary_conv"), act);
    y = ec__conv_norm(b, x, cheap, merged);
    y = merged ? y : ec__add(b, y, ec_b1(b, x, "batch_norm name=fusion_bn"));
    return ec__act(b, y, act);
}

/* `out` channels, half of them made from the other half. */
static int ghost(struct ec_builder *b, int x, const struct ec__ghostnet *v, int64_t out,
                 const char *act)
{
    int64_t first = (out + 1) / 2;
    int xs[2], y;

    if (v->rep)
        return rep_ghost(b, x, out, v->merged, act);
    xs[0] = ec__conv_bn_act(b, x, EC__CONV(.k = first, .name = "primary"), act);
    xs[1] = ec__conv_bn_act(b, xs[0],
                            EC__CONV(.k = first, .r = 3, .groups = first, .name = "cheap"), act);
    y = ec_bn(b, xs, 2, "concat");
    return 2 * first == out ? y : ec_b1(b, y, "slice axes=1 starts=0 ends=%lld", EC__I64(out));
}

struct row { /* of the published table */
    int64_t k, mid, out, stride;
    bool se;
};

static int shortcut(struct ec_builder *b, int x, const struct row *r, int64_t out)
{
    int64_t in = ec_b_dim(b, x, 1);

    if (in == out && r->stride == 1)
        return x;
    x = ec__conv_bn(
        b, x,
        EC__CONV(.k = in, .r = r->k, .stride = r->stride, .groups = in, .name = "shortcut.0"));
    return ec__conv_bn(b, x, EC__CONV(.k = out, .name = "shortcut.2"));
}

static int block(struct ec_builder *b, int x, const struct row *r, const struct ec__ghostnet *v)
{
    int64_t mid = ec__round_to((double)r->mid * v->width, 4, false);
    int64_t out = ec__round_to((double)r->out * v->width, 4, false);
    size_t old = ec_b_push(b, "ghost1.");
    int y = ghost(b, x, v, mid, "relu");

    ec_b_pop(b, old);
    if (r->stride > 1)
        y = ec__conv_bn(
            b, y,
            EC__CONV(.k = mid, .r = r->k, .stride = r->stride, .groups = mid, .name = "conv_dw"));
    if (r->se)
        y = ec__se(b, y, ec__round_to((double)mid / 4, 4, false), "relu", "hard_sigmoid");
    old = ec_b_push(b, "ghost2.");
    y = ghost(b, y, v, out, NULL);
    ec_b_pop(b, old);
    return ec__add(b, y, shortcut(b, x, r, out));
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const struct row rows[] = {
        {3,  16,  16,  1, false},
        { 3, 48,  24,  2, false},
        { 3, 72,  24,  1, false},
        { 5, 72,  40,  2, true },
        { 5, 120, 40,  1, true },
        { 3, 240, 80,  2, false},
        { 3, 200, 80,  1, false},
        { 3, 184, 80,  1, false},
        { 3, 184, 80,  1, false},
        { 3, 480, 112, 1, true },
        { 3, 672, 112, 1, true },
        { 5, 672, 160, 2, true },
        { 5, 960, 160, 1, false},
        { 5, 960, 160, 1, true },
        { 5, 960, 160, 1, false},
        { 5, 960, 160, 1, true },
    };
    static const struct row rep_rows[EC_LEN(rows)] = {
        {3,  8,   16,  1, false},
        { 3, 24,  24,  2, false},
        { 3, 36,  24,  1, false},
        { 5, 36,  40,  2, true },
        { 5, 60,  40,  1, true },
        { 3, 120, 80,  2, false},
        { 3, 100, 80,  1, false},
        { 3, 120, 80,  1, false},
        { 3, 120, 80,  1, false},
        { 3, 240, 112, 1, true },
        { 3, 336, 112, 1, true },
        { 5, 336, 160, 2, true },
        { 5, 480, 160, 1, false},
        { 5, 480, 160, 1, true },
        { 5, 480, 160, 1, false},
        { 5, 480, 160, 1, true },
    };
    const struct ec__ghostnet *v = variant;
    int i, x = ec__input_image(b, net, 3);

    x = ec__conv_bn_act(b, x,
                        EC__CONV(.k = ec__round_to(16 * v->width, 4, false), .r = 3, .stride = 2,
                                 .name = "conv_stem"),
                        "relu");
    for (i = 0; ec_b_each(b, i, EC_LEN(rows), "blocks.%d.", i); i++)
        x = block(b, x, v->rep ? &rep_rows[i] : &rows[i], v);
    x = ec__conv_bn_act(b, x, EC__CONV(.k = ec__round_to(960 * v->width, 4, false)), "relu");
    x = ec_b1(b, x, "global_avg_pool");
    x = ec__act(b, ec__conv(b, x, EC__CONV(.k = 1280, .bias = true, .name = "conv_head")), "relu");
    x = ec__dropout(b, ec_b1(b, x, "flatten"), 0.2);
    return ec__linear(b, x, net->classes, true, "classifier");
}

EC__FAMILY(ghostnet, "cheap copies of channels", "classify", GHOSTNET, build);
