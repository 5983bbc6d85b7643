/* NASNet-A and PNASNet-5: cells of separable convolutions and pools found by search. A cell reads
 * the two cells before it. Strides pad unevenly, as TensorFlow does, by a copy in front. */
#include "graph/zoo_internal.h"

#define NASNET(X, T)                                                                               \
    X(T, INT, width, 4, 65536, "channels of an operation in the first stage")                      \
    X(T, INT, cells, 1, 100, "cells of a stage")                                                   \
    X(T, BOOL, progressive, "the cells of PNASNet-5")
EC__VARIANT(nasnet, NASNET);

/* --- The operations that cells combine --- */

/* Pads so that a stride of 2 keeps half of the side, rounded up. */
static int pad_for(struct ec_builder *b, int x, int64_t r)
{
    int64_t total[2], i;

    for (i = 0; i < 2; i++) {
        int64_t side = ec_b_dim(b, x, 2 + (int)i);

        total[i] = ((side + 1) / 2 - 1) * 2 + r - side;
        total[i] = total[i] > 0 ? total[i] : 0;
    }
    if (!total[0] && !total[1])
        return x;
    return ec_b1(b, x, "pad pads=0,0,%lld,%lld,0,0,%lld,%lld", EC__I64(total[0] / 2),
                 EC__I64(total[1] / 2), EC__I64(total[0] - total[0] / 2),
                 EC__I64(total[1] - total[1] / 2));
}

static int pool(struct ec_builder *b, int x, const char *kind, int64_t stride)
{
    if (stride == 1)
        return ec_b1(b, x, "%s_pool2d r=3 stride=1 pad=1", kind);
    return ec_b1(b, pad_for(b, x, 3), "%s_pool2d r=3 stride=2", kind);
}

/* ReLU, convolution, norm */
static int squash(struct ec_builder *b, int x, int64_t k, int64_t stride)
{
    return ec__conv_bn(b, ec_b1(b, x, "relu"), EC__CONV(.k = k, .stride = stride));
}

/* ReLU, depthwise r x r, 1x1, norm */
static int separable(struct ec_builder *b, int x, int64_t k, int64_t r, int64_t stride)
{
    int64_t c = ec_b_dim(b, x, 1);

    x = ec_b1(b, x, "relu");
    if (stride > 1)
        x = pad_for(b, x, r);
    x = ec__conv(b, x,
                 EC__CONV(.k = c, .r = r, .stride = stride, .groups = c, .valid = stride > 1));
    return ec__conv_bn(b, x, EC__CONV(.k = k));
}

static int twice_separable(struct ec_builder *b, int x, int64_t k, int64_t r, int64_t stride)
{
    return separable(b, separable(b, x, k, r, stride), k, r, 1);
}

/* Half of the pixels by two paths that see different ones. */
static int reduce_map(struct ec_builder *b, int x, int64_t k)
{
    int xs[2], y;

    x = ec_b1(b, x, "relu");
    y = ec_b1(b, x, "pad pads=0,0,-1,-1,0,0,1,1");
    xs[0] = ec__conv(b, ec_b1(b, x, "avg_pool2d r=1 stride=2"), EC__CONV(.k = k / 2));
    xs[1] = ec__conv(b, ec_b1(b, y, "avg_pool2d r=1 stride=2"), EC__CONV(.k = k / 2));
    return ec_b1(b, ec__concat(b, xs, 2), "batch_norm");
}

/* A cell and the one before it. */
struct pair {
    int x, before;
};

static void step(struct pair *p, int cell)
{
    p->before = p->x;
    p->x = cell;
}

/* --- NASNet-A --- */

/* left, right: the cell before and the one before that, of equal size and width */
static int nas_reduction(struct ec_builder *b, int left, int right, int64_t k)
{
    int xs[4], first;

    first = ec__add(b, twice_separable(b, left, k, 5, 2), twice_separable(b, right, k, 7, 2));
    xs[0] = ec__add(b, pool(b, left, "max", 2), twice_separable(b, right, k, 7, 2));
    xs[1] = ec__add(b, pool(b, left, "avg", 2), twice_separable(b, right, k, 5, 2));
    xs[2] = ec__add(b, pool(b, first, "avg", 1), xs[0]);
    xs[3] = ec__add(b, twice_separable(b, first, k, 3, 1), pool(b, left, "max", 2));
    return ec__concat(b, xs, 4);
}

static int nas_normal(struct ec_builder *b, int x, int before, int64_t k)
{
    int xs[6] = { before };

    xs[1] = ec__add(b, twice_separable(b, x, k, 5, 1), twice_separable(b, before, k, 3, 1));
    xs[2] = ec__add(b, twice_separable(b, before, k, 5, 1), twice_separable(b, before, k, 3, 1));
    xs[3] = ec__add(b, pool(b, x, "avg", 1), before);
    xs[4] = ec__add(b, pool(b, before, "avg", 1), pool(b, before, "avg", 1));
    xs[5] = ec__add(b, twice_separable(b, x, k, 3, 1), x);
    return ec__concat(b, xs, 6);
}

/* The input of the cell before the last has the last one's size, or twice that. */
static int fitted(struct ec_builder *b, int before, int x, int64_t k)
{
    return ec_b_dim(b, before, 2) == ec_b_dim(b, x, 2) ? squash(b, before, k, 1)
                                                       : reduce_map(b, before, k);
}

static void nas_normal_cells(struct ec_builder *b, struct pair *p, int64_t n, int64_t k, int stage)
{
    int64_t i;

    for (i = 0; ec_b_each(b, i, n, "cell_%d_%lld.", stage, EC__I64(i)); i++) {
        int before = fitted(b, p->before, p->x, k);

        step(p, nas_normal(b, squash(b, p->x, k, 1), before, k));
    }
}

/* The stage after it reads the same cell before it as the reduction does. */
static void nas_reduction_cell(struct ec_builder *b, struct pair *p, int64_t k, int stage)
{
    size_t old = ec_b_push(b, "reduction_cell_%d.", stage);
    int before = squash(b, p->before, k, 1);

    p->x = nas_reduction(b, squash(b, p->x, k, 1), before, k);
    ec_b_pop(b, old);
}

static int nasnet_body(struct ec_builder *b, int x, const struct ec__nasnet *v)
{
    int64_t k = v->width, i;
    struct pair p = { -1, x };
    size_t old = ec_b_push(b, "cell_stem_0.");
    int left = squash(b, x, k / 4, 1);

    p.x = nas_reduction(b, left, x, k / 4);
    ec_b_pop(b, old);
    old = ec_b_push(b, "cell_stem_1.");
    left = squash(b, p.x, k / 2, 1);
    step(&p, nas_reduction(b, left, reduce_map(b, x, k / 2), k / 2));
    ec_b_pop(b, old);
    for (i = 0; i < 3; i++, k *= 2) {
        if (i)
            nas_reduction_cell(b, &p, k, (int)i - 1);
        nas_normal_cells(b, &p, v->cells, k, (int)i);
    }
    return p.x;
}

/* --- PNASNet-5 --- */

static int pnas_cell(struct ec_builder *b, int left, int right, int64_t k, int64_t stride,
                     bool stem)
{
    int xs[5], y;

    y = pool(b, left, "max", stride);
    y = stem ? ec__conv_bn(b, y, EC__CONV(.k = k)) : y;
    xs[0] = ec__add(b, twice_separable(b, left, k, 5, stride), y);
    xs[1] = ec__add(b, twice_separable(b, right, k, 7, stride), pool(b, right, "max", stride));
    xs[2] = ec__add(b, twice_separable(b, right, k, 5, stride),
                    twice_separable(b, right, k, 3, stride));
    xs[3] = ec__add(b, twice_separable(b, xs[2], k, 3, 1), pool(b, right, "max", stride));
    y = stride > 1 ? squash(b, right, k, stride) : right;
    xs[4] = ec__add(b, twice_separable(b, left, k, 3, stride), y);
    return ec__concat(b, xs, 5);
}

static void pnas_next(struct ec_builder *b, struct pair *p, int64_t k, int64_t stride)
{
    size_t old = ec_b_push(b, "cell_%d.", b->g->n_nodes);
    int before = fitted(b, p->before, p->x, k);

    step(p, pnas_cell(b, before, squash(b, p->x, k, 1), k, stride, false));
    ec_b_pop(b, old);
}

static int pnasnet_body(struct ec_builder *b, int x, const struct ec__nasnet *v)
{
    struct pair p = { -1, x };
    int64_t k = v->width, i, j;
    size_t old = ec_b_push(b, "cell_stem_0.");
    int right = squash(b, x, k / 4, 1);

    p.x = pnas_cell(b, x, right, k / 4, 2, true);
    ec_b_pop(b, old);
    pnas_next(b, &p, k / 2, 2);
    for (i = 0; i < 3; i++, k *= 2)
        for (j = 0; j < v->cells && !b->st; j++)
            pnas_next(b, &p, k, i && !j ? 2 : 1);
    return p.x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__nasnet *v = variant;
    int x = ec__input_image(b, net, 3);

    x = ec__conv_bn(b, x, EC__CONV(.k = 96, .r = 3, .stride = 2, .valid = true, .name = "conv_0"));
    x = v->progressive ? pnasnet_body(b, x, v) : nasnet_body(b, x, v);
    return ec__classifier(b, ec_b1(b, x, "relu"), 0, net->classes, "last_linear");
}

EC__FAMILY(nasnet, "cells found by search", "classify", NASNET, build);
