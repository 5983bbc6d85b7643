/* RegNet X and Y: widths from a quantised line (Radosavovic et al. 2020, equations 2 to 4). */
#include "graph/zoo_internal.h"

#include <math.h>

#define REGNET(X, T)                                                                               \
    X(T, INT, depth, 1, 1000, "blocks")                                                            \
    X(T, INT, w0, 8, 65536, "width of the first block")                                            \
    X(T, REAL, wa, 0, 10000, "growth of the width per block")                                      \
    X(T, REAL, wm, 1.01, 100, "ratio of widths between stages")                                    \
    X(T, INT, group_width, 1, 65536, "channels of a group of the 3x3")                             \
    X(T, BOOL, nearest, "widths to the nearest multiple of a group")                               \
    X(T, REAL, se, 0, 1, "squeeze-and-excitation, share of the input channels; 0: none")
EC__VARIANT(regnet, REGNET);

#define STAGES_MAX 64

struct stages {
    int n;
    int64_t width[STAGES_MAX], depth[STAGES_MAX];
};

/* Block j is w0 * wm^round(log((w0 + wa*j)/w0) / log(wm)) wide, to a multiple of 8; neighbours of
 * one width are a stage. */
static bool plan(const struct ec__regnet *v, struct stages *ret)
{
    int64_t j;

    ret->n = 0;
    for (j = 0; j < v->depth; j++) {
        double step =
            nearbyint(log(((double)j * v->wa + (double)v->w0) / (double)v->w0) / log(v->wm));
        int64_t w = (int64_t)(nearbyint((double)v->w0 * pow(v->wm, step) / 8) * 8);

        if (ret->n && ret->width[ret->n - 1] == w) {
            ret->depth[ret->n - 1]++;
            continue;
        }
        if (ret->n == STAGES_MAX || w < 8 || w > 1000000)
            return false;
        ret->width[ret->n] = w;
        ret->depth[ret->n++] = 1;
    }
    return true;
}

static int block(struct ec_builder *b, int x, const struct ec__regnet *v, int64_t out,
                 int64_t stride)
{
    int64_t in = ec_b_dim(b, x, 1), group = v->group_width < out ? v->group_width : out;
    int y, side = x;

    if (in != out || stride != 1)
        side = ec__conv_bn(
            b, x, EC__CONV(.k = out, .stride = stride, .name = "proj.0", .norm = "proj.1"));
    y = ec__conv_bn_act(b, x, EC__CONV(.k = out, .name = "f.a.0", .norm = "f.a.1"), "relu");
    y = ec__conv_bn_act(b, y,
                        EC__CONV(.k = out, .r = 3, .stride = stride, .groups = out / group,
                                 .name = "f.b.0", .norm = "f.b.1"),
                        "relu");
    if (v->se > 0)
        y = ec__se(b, y, (int64_t)nearbyint(v->se * (double)in), "relu", "sigmoid");
    y = ec__conv_bn(b, y, EC__CONV(.k = out, .name = "f.c.0", .norm = "f.c.1"));
    return ec__act(b, ec__add(b, side, y), "relu");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__regnet *v = variant;
    struct stages s;
    int64_t j;
    int i, x = ec__input_image(b, net, 3);

    if (!plan(v, &s)) {
        b->st = ec_fail(b->err, EC_E_INPUT, "w0, wa, wm give no usable widths");
        return -1;
    }
    x = ec__conv_bn_act(
        b, x, EC__CONV(.k = 32, .r = 3, .stride = 2, .name = "stem.0", .norm = "stem.1"), "relu");
    for (i = 0; i < s.n; i++) {
        int64_t g = v->group_width < s.width[i] ? v->group_width : s.width[i];
        int64_t out = ec__round_to((double)s.width[i], g, v->nearest);

        for (j = 0; ec_b_each(b, j, s.depth[i], "block%d-%lld.", i + 1, EC__I64(j)); j++)
            x = block(b, x, v, out, j ? 1 : 2);
    }
    return ec__classifier(b, x, 0, net->classes, "fc");
}

EC__FAMILY(regnet, "residual blocks whose widths lie on a line", "classify", REGNET, build);
