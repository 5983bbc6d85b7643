/* Pictures that several tests draw: one of each kind, with names that are hard to write. */
#ifndef TEST_PLOTS_H
#define TEST_PLOTS_H

#include "plot/plot_internal.h"

#define PLOTS 8
#define LONG_NAME                                                                                  \
    "a very long name, longer than what any device is called and longer than the page is wide, "   \
    "on "                                                                                          \
    "purpose, and then some more of it"

/* Picture i of PLOTS; borrowed, static. */
static inline const struct ec_plot *plot_sample(int i)
{
    static const double x[] = { 1, 2, 3, 4, 5, 6 }, up[] = { 0.3, 0.42, 0.5, 0.55, 0.58, 0.6 },
                        lo[] = { 0.28, 0.4, 0.47, 0.52, 0.55, 0.56 },
                        hi[] = { 0.33, 0.45, 0.53, 0.6, 0.62, 0.66 }, roof_x[] = { 0.1, 12.5, 1e4 },
                        roof_y[] = { 1.555e11, 19.5e12, 19.5e12 },
                        near_x[] = { 14, 14.2, 14.4, 15, 30, 31 },
                        near_y[] = { 9e12, 9.1e12, 8.9e12, 9e12, 12e12, 12.1e12 },
                        bars[] = { 812, 402, 733, 2.5, (double)NAN, 99 },
                        group[] = { 0, 0, 0, 1, 1, 1 }, one[] = { 7e9 };
    static const char *const labels[] = {
        "resnet18 batch 64", "resnet34 batch 64", "mobilenet_v2 batch 64", "vgg16", "resnet50", NULL
    };
    static const char *const words[] = {
        "resnet18", "resnet50", "vgg16", "vit_b_16", "gpt2", "bert"
    };
    static const char *const hostile[] = {
        "</text><script>alert(1)</script>", "a & b \"c\" 'd'", "\xff\xfe\x01 broken \x1b[31m",
        "\xe2\x80\xae turned \xe2\x80\xac", LONG_NAME,         "]]>"
    };
    static const struct ec_series lines[] = {
        {.name = "training", .n = 6, .x = x, .y = up         },
        { .name = "validation",
         .n = 6,
         .x = x,
         .y = up,
         .lo = lo,
         .hi = hi,
         .marks = EC_MARK_LINE | EC_MARK_POINT | EC_MARK_BAND },
    };
    static const struct ec_series roof[] = {
        {.name = "a100",
         .n = 3,
         .x = roof_x,
         .y = roof_y,
         .marks = EC_MARK_LINE,
         .line_label = "19.5 TFLOP/s, 1.56 TB/s" },
        { .n = 6,             .x = near_x, .y = near_y, .labels = labels, .marks = EC_MARK_POINT},
    };
    static const struct ec_series bar[] = {
        {.name = "a",  .n = 6, .y = bars},
        { .name = "b", .n = 6, .y = up  }
    };
    static const struct ec_series box[] = {
        {.n = 6, .x = group, .y = up}
    };
    static const struct ec_series dot[] = {
        {.n = 1, .x = one, .y = one}
    };
    /* clang-format off */
    static const struct ec_plot plots[PLOTS] = {
        {.kind = EC_PLOT_XY,
         .title = "Accuracy",
         .subtitle = "made up",
         .x = { .title = "epoch", .at_values = true },
         .y = { .title = "accuracy", .form = EC_AXIS_SHARE },
         .series = lines,
         .n_series = 2,
         .note = "A note under the picture." },
        { .kind = EC_PLOT_XY,
         .title = "Roofline",
         .x = { .title = "intensity", .unit = "FLOP/byte", .log = true },
         .y = { .title = "rate", .unit = "FLOP/s", .form = EC_AXIS_SI, .log = true },
         .series = roof,
         .n_series = 2 },
        { .kind = EC_PLOT_BARS,
         .title = "Throughput",
         .categories = words,
         .n_categories = 6,
         .y = { .title = "throughput", .unit = "images/s" },
         .series = bar,
         .n_series = 2,
         .has_reference = true,
         .reference = 500,
         .reference_label = "target" },
        { .kind = EC_PLOT_BARS,
         .title = "<b>&\x01",
         .subtitle = "\xff",
         .categories = hostile,
         .n_categories = 6,
         .y = { .title = "</svg>", .unit = "<&>", .log = true },
         .series = bar,
         .n_series = 2 },
        { .kind = EC_PLOT_STACK,
         .title = "Memory",
         .categories = words,
         .n_categories = 6,
         .y = { .title = "memory", .form = EC_AXIS_BYTES },
         .series = bar,
         .n_series = 2 },
        { .kind = EC_PLOT_BOX,
         .title = "Errors",
         .categories = words,
         .n_categories = 2,
         .y = { .title = "error", .form = EC_AXIS_SHARE },
         .series = box,
         .n_series = 1 },
        { .kind = EC_PLOT_HEAT,
         .title = "Cells",
         .categories = words,
         .n_categories = 3,
         .rows = hostile,
         .n_rows = 2,
         .cells = bars,
         .y = { .title = "time", .form = EC_AXIS_NS, .log = true } },
        { .kind = EC_PLOT_XY,
         .title = "One point",
         .identity = true,
         .band_frac = 0.2,
         .x = { .title = "measured", .form = EC_AXIS_NS },
         .y = { .title = "predicted", .form = EC_AXIS_NS },
         .series = dot,
         .n_series = 1 },
    };
    /* clang-format on */

    return &plots[i];
}

#endif
