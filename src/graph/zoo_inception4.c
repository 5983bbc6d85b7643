/* Inception v4 and Inception-ResNet v2 (Szegedy et al. 2016), up to the pool before the classifier;
 * the stem of version 3, which they share. */
#include "graph/zoo_internal.h"

static int down(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "max_pool2d r=3 stride=2");
}

/* A mean in which padding does not count, and a 1x1. */
static int pool_proj(struct ec_builder *b, int x, int64_t k)
{
    x = ec_b1(b, x, "avg_pool2d r=3 stride=1 pad=1 count_include_pad=0");
    return ec__cbr(b, x, k, 1, 1);
}

int ec__inception_stem(struct ec_builder *b, int x)
{
    x = ec__cbr_valid(b, ec__cbr_valid(b, x, 32, 3, 2), 32, 3, 1);
    x = ec_b1(b, ec__cbr(b, x, 64, 3, 3), "max_pool2d r=3 stride=2");
    x = ec__cbr_valid(b, ec__cbr(b, x, 80, 1, 1), 192, 3, 1);
    return ec_b1(b, x, "max_pool2d r=3 stride=2");
}

static int join(struct ec_builder *b, const int *xs, int n)
{
    return ec_bn(b, xs, n, "concat");
}

/* 1x1, then filters of one row and of one column by turns. */
static int rows_and_columns(struct ec_builder *b, int x, const int64_t *k, int n, int64_t r,
                            bool row_first)
{
    int i;

    x = ec__cbr(b, x, k[0], 1, 1);
    for (i = 1; i < n; i++) {
        bool row = (i % 2 == 1) == row_first;

        x = ec__cbr(b, x, k[i], row ? 1 : r, row ? r : 1);
    }
    return x;
}

/* --- Version 4 --- */

static int stem_4(struct ec_builder *b, int x)
{
    static const int64_t seven[] = { 64, 64, 64 };
    int xs[2];

    x = ec__cbr_valid(b, ec__cbr_valid(b, x, 32, 3, 2), 32, 3, 1);
    x = ec__cbr(b, x, 64, 3, 3);
    xs[0] = down(b, x);
    xs[1] = ec__cbr_valid(b, x, 96, 3, 2);
    x = join(b, xs, 2);
    xs[0] = ec__cbr_valid(b, ec__cbr(b, x, 64, 1, 1), 96, 3, 1);
    xs[1] = ec__cbr_valid(b, rows_and_columns(b, x, seven, 3, 7, true), 96, 3, 1);
    x = join(b, xs, 2);
    xs[0] = ec__cbr_valid(b, x, 192, 3, 2);
    xs[1] = down(b, x);
    return join(b, xs, 2);
}

static int module_a(struct ec_builder *b, int x)
{
    int xs[4];

    xs[0] = ec__cbr(b, x, 96, 1, 1);
    xs[1] = ec__cbr(b, ec__cbr(b, x, 64, 1, 1), 96, 3, 3);
    xs[2] = ec__cbr(b, ec__cbr(b, ec__cbr(b, x, 64, 1, 1), 96, 3, 3), 96, 3, 3);
    xs[3] = pool_proj(b, x, 96);
    return join(b, xs, 4);
}

static int module_b(struct ec_builder *b, int x)
{
    static const int64_t few[] = { 192, 224, 256 }, many[] = { 192, 192, 224, 224, 256 };
    int xs[4];

    xs[0] = ec__cbr(b, x, 384, 1, 1);
    xs[1] = rows_and_columns(b, x, few, 3, 7, true);
    xs[2] = rows_and_columns(b, x, many, 5, 7, false);
    xs[3] = pool_proj(b, x, 128);
    return join(b, xs, 4);
}

static int fork_3(struct ec_builder *b, int x)
{
    int xs[2];

    xs[0] = ec__cbr(b, x, 256, 1, 3);
    xs[1] = ec__cbr(b, x, 256, 3, 1);
    return join(b, xs, 2);
}

static int module_c(struct ec_builder *b, int x)
{
    static const int64_t three[] = { 384, 448, 512 };
    int xs[4];

    xs[0] = ec__cbr(b, x, 256, 1, 1);
    xs[1] = fork_3(b, ec__cbr(b, x, 384, 1, 1));
    xs[2] = fork_3(b, rows_and_columns(b, x, three, 3, 3, false));
    xs[3] = pool_proj(b, x, 256);
    return join(b, xs, 4);
}

/* Half the resolution: a filter, two filters, a pool. */
static int reduction_a(struct ec_builder *b, int x, const int64_t *k)
{
    int xs[3];

    xs[0] = ec__cbr_valid(b, x, 384, 3, 2);
    xs[1] = ec__cbr_valid(b, ec__cbr(b, ec__cbr(b, x, k[0], 1, 1), k[1], 3, 3), k[2], 3, 2);
    xs[2] = down(b, x);
    return join(b, xs, 3);
}

static int reduction_b(struct ec_builder *b, int x)
{
    static const int64_t seven[] = { 256, 256, 320 };
    int xs[3];

    xs[0] = ec__cbr_valid(b, ec__cbr(b, x, 192, 1, 1), 192, 3, 2);
    xs[1] = ec__cbr_valid(b, rows_and_columns(b, x, seven, 3, 7, true), 320, 3, 2);
    xs[2] = down(b, x);
    return join(b, xs, 3);
}

int ec__inception_4(struct ec_builder *b, int x)
{
    static const int64_t reduced[] = { 192, 224, 256 };
    int i;

    x = stem_4(b, x);
    for (i = 0; i < 4; i++)
        x = module_a(b, x);
    x = reduction_a(b, x, reduced);
    for (i = 0; i < 7; i++)
        x = module_b(b, x);
    x = reduction_b(b, x);
    for (i = 0; i < 3; i++)
        x = module_c(b, x);
    return x;
}

/* --- Inception-ResNet v2 --- */

static int first_module(struct ec_builder *b, int x)
{
    int xs[4];

    xs[0] = ec__cbr(b, x, 96, 1, 1);
    xs[1] = ec__cbr(b, ec__cbr(b, x, 48, 1, 1), 64, 5, 5);
    xs[2] = ec__cbr(b, ec__cbr(b, ec__cbr(b, x, 64, 1, 1), 96, 3, 3), 96, 3, 3);
    xs[3] = pool_proj(b, x, 64);
    return join(b, xs, 4);
}

/* Branches joined, back to the channels of the input by a 1x1, scaled and added to it. */
static int residual(struct ec_builder *b, int x, const int *xs, int n, double scale,
                    const char *act)
{
    int y = ec__conv(b, join(b, xs, n),
                     EC__CONV(.k = ec_b_dim(b, x, 1), .bias = true, .name = "conv2d"));

    return ec__act(b, ec__add(b, ec_b1(b, y, "scale_scalar mul=%g", scale), x), act);
}

static int block_35(struct ec_builder *b, int x)
{
    int xs[3];

    xs[0] = ec__cbr(b, x, 32, 1, 1);
    xs[1] = ec__cbr(b, ec__cbr(b, x, 32, 1, 1), 32, 3, 3);
    xs[2] = ec__cbr(b, ec__cbr(b, ec__cbr(b, x, 32, 1, 1), 48, 3, 3), 64, 3, 3);
    return residual(b, x, xs, 3, 0.17, "relu");
}

static int block_17(struct ec_builder *b, int x)
{
    static const int64_t seven[] = { 128, 160, 192 };
    int xs[2];

    xs[0] = ec__cbr(b, x, 192, 1, 1);
    xs[1] = rows_and_columns(b, x, seven, 3, 7, true);
    return residual(b, x, xs, 2, 0.1, "relu");
}

static int block_8(struct ec_builder *b, int x, double scale, const char *act)
{
    static const int64_t three[] = { 192, 224, 256 };
    int xs[2];

    xs[0] = ec__cbr(b, x, 192, 1, 1);
    xs[1] = rows_and_columns(b, x, three, 3, 3, true);
    return residual(b, x, xs, 2, scale, act);
}

static int last_reduction(struct ec_builder *b, int x)
{
    int xs[4];

    xs[0] = ec__cbr_valid(b, ec__cbr(b, x, 256, 1, 1), 384, 3, 2);
    xs[1] = ec__cbr_valid(b, ec__cbr(b, x, 256, 1, 1), 288, 3, 2);
    xs[2] = ec__cbr_valid(b, ec__cbr(b, ec__cbr(b, x, 256, 1, 1), 288, 3, 3), 320, 3, 2);
    xs[3] = down(b, x);
    return join(b, xs, 4);
}

static int repeated(struct ec_builder *b, int x, int n, const char *name,
                    int (*block)(struct ec_builder *b, int x))
{
    int i;

    for (i = 0; ec_b_each(b, i, n, "%s.%d.", name, i); i++)
        x = block(b, x);
    return x;
}

static int scaled_block_8(struct ec_builder *b, int x)
{
    return block_8(b, x, 0.2, "relu");
}

int ec__inception_resnet(struct ec_builder *b, int x)
{
    static const int64_t reduced[] = { 256, 256, 384 };

    x = first_module(b, ec__inception_stem(b, x));
    x = repeated(b, x, 10, "repeat", block_35);
    x = reduction_a(b, x, reduced);
    x = repeated(b, x, 20, "repeat_1", block_17);
    x = last_reduction(b, x);
    x = repeated(b, x, 9, "repeat_2", scaled_block_8);
    return ec__cbr(b, block_8(b, x, 1, NULL), 1536, 1, 1);
}
