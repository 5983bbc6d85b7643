/* HRNet: branches of different resolution side by side, exchanged after every module. */
#include "graph/zoo_internal.h"

#define HRNET(X, T)                                                                                \
    X(T, INT, width, 1, 8192, "channels of the finest branch")                                     \
    X(T, INT, first, 1, 1000, "bottlenecks of the first stage")                                    \
    X(T, INT, planes, 1, 8192, "their width")                                                      \
    X(T, INT, blocks, 1, 1000, "blocks of a branch in a module")                                   \
    X(T, INTS, modules, 1, 1000, "modules of the stages of 2, 3 and 4 branches")
EC__VARIANT(hrnet, HRNET);

#define BRANCHES 4

static int basic(struct ec_builder *b, int x, int64_t k)
{
    int y = ec__conv_bn_act(b, x, EC__CONV(.k = k, .r = 3), "relu");

    y = ec__conv_bn(b, y, EC__CONV(.k = k, .r = 3));
    return ec__act(b, ec__add(b, y, x), "relu");
}

static int bottleneck(struct ec_builder *b, int x, int64_t planes)
{
    int y = ec__conv_bn_act(b, x, EC__CONV(.k = planes), "relu");

    y = ec__conv_bn_act(b, y, EC__CONV(.k = planes, .r = 3), "relu");
    y = ec__conv_bn(b, y, EC__CONV(.k = 4 * planes));
    if (ec_b_dim(b, x, 1) != 4 * planes)
        x = ec__conv_bn(b, x, EC__CONV(.k = 4 * planes));
    return ec__act(b, ec__add(b, y, x), "relu");
}

/* What branch `from` gives to branch `to`: upsampled, as it is, or strided down. */
static int give(struct ec_builder *b, int x, int from, int to, const int64_t *k)
{
    if (from > to) {
        x = ec__conv_bn(b, x, EC__CONV(.k = k[to]));
        return ec_b1(b, x, "resize scale=%d mode=nearest", 1 << (from - to));
    }
    for (; from < to; from++) {
        bool last = from + 1 == to;

        x = ec__conv_bn_act(b, x,
                            EC__CONV(.k = last ? k[to] : ec_b_dim(b, x, 1), .r = 3, .stride = 2),
                            last ? NULL : "relu");
    }
    return x;
}

static void exchange(struct ec_builder *b, int *xs, int n, const int64_t *k)
{
    int ys[BRANCHES], i, j;

    for (i = 0; i < n; i++) {
        ys[i] = give(b, xs[0], 0, i, k);
        for (j = 1; j < n; j++)
            ys[i] = ec__add(b, ys[i], give(b, xs[j], j, i, k));
        ys[i] = ec__act(b, ys[i], "relu");
    }
    for (i = 0; i < n; i++)
        xs[i] = ys[i];
}

/* One branch more: the others pass, with a convolution where their width changes. */
static void widen(struct ec_builder *b, int *xs, int n, const int64_t *k)
{
    int i;

    xs[n] = ec__conv_bn_act(b, xs[n - 1], EC__CONV(.k = k[n], .r = 3, .stride = 2), "relu");
    for (i = 0; i < n; i++)
        if (ec_b_dim(b, xs[i], 1) != k[i])
            xs[i] = ec__conv_bn_act(b, xs[i], EC__CONV(.k = k[i], .r = 3), "relu");
}

static void module(struct ec_builder *b, int *xs, int n, const int64_t *k, int64_t blocks)
{
    int64_t j;
    int i;

    for (i = 0; i < n; i++)
        for (j = 0; j < blocks && !b->st; j++)
            xs[i] = basic(b, xs[i], k[i]);
    exchange(b, xs, n, k);
}

/* Every branch widened by a bottleneck, then added from the finest to the coarsest. */
static int head(struct ec_builder *b, const int *xs, const struct ec__net *net)
{
    int i, x = bottleneck(b, xs[0], 32);

    for (i = 1; i < BRANCHES; i++) {
        int y = bottleneck(b, xs[i], (int64_t)32 << i);

        x = ec__conv_bn_act(
            b, x, EC__CONV(.k = (int64_t)128 << i, .r = 3, .stride = 2, .bias = true), "relu");
        x = ec__add(b, y, x);
    }
    x = ec__conv_bn_act(b, x, EC__CONV(.k = 2048, .bias = true), "relu");
    return ec__classifier(b, x, 0, net->classes, "classifier");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__hrnet *v = variant;
    int64_t k[BRANCHES], j;
    int xs[BRANCHES], n, i;

    for (i = 0; i < BRANCHES; i++)
        k[i] = v->width << i;
    if (v->modules.n != 3) {
        b->st = ec_fail(b->err, EC_E_INPUT, "modules: %d numbers, expected 3", v->modules.n);
        return -1;
    }
    xs[0] = ec__input_image(b, net, 3);
    for (i = 0; i < 2; i++)
        xs[0] = ec__conv_bn_act(b, xs[0], EC__CONV(.k = 64, .r = 3, .stride = 2), "relu");
    for (j = 0; j < v->first && !b->st; j++)
        xs[0] = bottleneck(b, xs[0], v->planes);
    for (n = 1; n < BRANCHES; n++) {
        widen(b, xs, n, k);
        for (j = 0; ec_b_each(b, j, v->modules.v[n - 1], "stage%d.%lld.", n + 1, EC__I64(j)); j++)
            module(b, xs, n + 1, k, v->blocks);
    }
    return head(b, xs, net);
}

EC__FAMILY(hrnet, "resolutions side by side", "classify", HRNET, build);
