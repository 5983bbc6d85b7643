/* Ticks: nice numbers, inside the axis, apart from each other; units chosen by size. */
#include "test.h"

#include "plot/plot_internal.h"

static struct ec__ticks make(struct ec_axis axis, double lo, double hi, double length,
                             struct ec__scale *s)
{
    struct ec__tick_request r = {
        .axis = &axis, .lo = lo, .hi = hi, .length_px = length, .size_px = 12
    };
    struct ec__ticks t;

    ec__ticks_make(&r, s, &t);
    return t;
}

TEST(ticks_are_inside_and_apart)
{
    static const double ranges[][2] = {
        {0,     1   },
        { 0.3,  0.62},
        { -5,   3   },
        { 1e-9, 2e-9},
        { 1e11, 3e14},
        { 7,    7   },
        { 0,    0   },
        { 1,    1e12},
        { 999,  1001},
        { 1e-3, 1e3 },
        { 0.1,  0.11}
    };
    static const double lengths[] = { 60, 200, 700, 3000 };
    int r, l, form, log_, i;

    for (r = 0; r < EC_LEN(ranges); r++)
        for (l = 0; l < EC_LEN(lengths); l++)
            for (form = 0; form <= EC_AXIS_SHARE; form++)
                for (log_ = 0; log_ < 2; log_++) {
                    struct ec_axis axis = { .form = (enum ec_axis_form)form, .log = log_ };
                    struct ec__scale s;
                    struct ec__ticks t;

                    if (log_ && ranges[r][0] <= 0)
                        continue;
                    t = make(axis, ranges[r][0], ranges[r][1], lengths[l], &s);
                    CHECK(t.n >= 1);
                    CHECK(s.lo <= ranges[r][0] && s.hi >= ranges[r][1] && s.lo < s.hi);
                    for (i = 0; i < t.n; i++) {
                        double px = ec__scale_px(&s, t.v[i].at);

                        CHECK(px >= -0.01 && px <= lengths[l] + 0.01);
                        CHECK(i == 0 || px > ec__scale_px(&s, t.v[i - 1].at));
                    }
                }
}

/* Batch sizes: the axis ends where they end, and where there is no room every second, third ... has
 * a tick. */
TEST(ticks_at_values_are_values_and_end_with_the_last)
{
    static const double batches[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024 };
    static const double lengths[] = { 60, 120, 200, 400, 1000 };
    struct ec_axis axis = { .log = true, .at_values = true };
    int l, i, k;

    for (l = 0; l < EC_LEN(lengths); l++) {
        struct ec__tick_request r = { .axis = &axis,
                                      .lo = 1,
                                      .hi = 1024,
                                      .length_px = lengths[l],
                                      .size_px = EC__TEXT_PX,
                                      .values = batches,
                                      .n_values = EC_LEN(batches) };
        struct ec__scale s;
        struct ec__ticks t;

        ec__ticks_make(&r, &s, &t);
        CHECK(s.lo > 0.5 && s.hi < 2048);
        CHECK_NEAR(t.v[t.n - 1].at, 1024, 0);
        CHECK(l + 1 < EC_LEN(lengths) || t.n == EC_LEN(batches));
        for (i = 0; i < t.n; i++) {
            for (k = 0; k < EC_LEN(batches) && batches[k] != t.v[i].at; k++)
                continue;
            CHECK(k < EC_LEN(batches));
        }
    }
}

TEST(units_follow_the_size)
{
    struct ec__scale s;
    struct ec__ticks t;
    char text[64];

    t = make((struct ec_axis){ .form = EC_AXIS_SI, .unit = "FLOP/s" }, 0, 1.9e13, 700, &s);
    CHECK_STR(t.unit, "TFLOP/s");
    CHECK_STR(t.v[1].text, "5");
    t = make((struct ec_axis){ .form = EC_AXIS_NS }, 0, 4.2e8, 700, &s);
    CHECK_STR(t.unit, "ms");
    t = make((struct ec_axis){ .form = EC_AXIS_BYTES }, 0, 6.0 * (1 << 30), 700, &s);
    CHECK_STR(t.unit, "GiB");
    CHECK_STR(t.v[1].text, "1");
    t = make((struct ec_axis){ .form = EC_AXIS_NS, .log = true }, 1e3, 1e9, 700, &s);
    CHECK_STR(t.unit, "");
    ec_axis_text(&(struct ec_axis){ .form = EC_AXIS_SI, .unit = "B/s" }, 1.6e12, text, sizeof text);
    CHECK_STR(text, "1.6 TB/s");
    ec_axis_text(&(struct ec_axis){ .form = EC_AXIS_NUMBER, .unit = "images/s" }, 12345, text,
                 sizeof text);
    CHECK_STR(text, "12,345 images/s");
    ec_axis_text(&(struct ec_axis){ .form = EC_AXIS_SHARE }, 0.0512, text, sizeof text);
    CHECK_STR(text, "5.12 %");
    ec_axis_text(&(struct ec_axis){ .form = EC_AXIS_NS }, 250e9, text, sizeof text);
    CHECK_STR(text, "4.17 min");
}

TEST(a_unit_is_that_of_the_rounded_number)
{
    static const struct {
        enum ec_axis_form form;
        double v;
        const char *text;
    } rows[] = {
        {EC_AXIS_NS,     999.4e6,       "999 ms"     },
        { EC_AXIS_NS,    999.6e6,       "1 s"        },
        { EC_AXIS_NS,    -999.6e6,      "-1 s"       },
        { EC_AXIS_NS,    1004e6,        "1 s"        },
        { EC_AXIS_NS,    1006e6,        "1.01 s"     },
        { EC_AXIS_NS,    179.4e9,       "179 s"      },
        { EC_AXIS_NS,    179.6e9,       "2.99 min"   },
        { EC_AXIS_NS,    999.6,         "1 \xc2\xb5s"},
        { EC_AXIS_SI,    999.6e9,       "1 T"        },
        { EC_AXIS_SI,    999.4,         "999"        },
        { EC_AXIS_BYTES, 1023.4 * 1024, "1,023 KiB"  },
        { EC_AXIS_BYTES, 1023.6 * 1024, "1 MiB"      },
        { EC_AXIS_NS,    0,             "0 ns"       },
    };
    char text[64];
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        ec_axis_text(&(struct ec_axis){ .form = rows[i].form }, rows[i].v, text, sizeof text);
        CHECK_STR(text, rows[i].text);
    }
}

TEST(zero_is_shown_when_asked)
{
    struct ec__scale s;

    (void)make((struct ec_axis){ .from_zero = true }, 80, 100, 400, &s);
    CHECK_NEAR(s.lo, 0, 1e-12);
    (void)make((struct ec_axis){ .lo = 10, .hi = 20 }, 0, 100, 400, &s);
    CHECK_NEAR(s.lo, 10, 1e-12);
    CHECK_NEAR(s.hi, 20, 1e-12);
}
