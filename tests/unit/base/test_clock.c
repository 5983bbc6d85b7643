/* Clock and random numbers. */
#include "test.h"

TEST(clock_moves_forward)
{
    int64_t a = ec_clock_ns(), b = ec_clock_ns();

    CHECK(a > 0 && b >= a);
}

/* The first numbers of xoshiro256** seeded by SplitMix64(0), from the authors' programs. */
TEST(numbers_are_the_published_ones)
{
    struct ec_rng r;

    ec_rng_seed(&r, 0);
    CHECK(r.s[0] == 0xe220a8397b1dcdafu);
    CHECK(r.s[1] == 0x6e789e6aa1b965f4u);
    CHECK(ec_rng_next(&r) == 0x99ec5f36cb75f2b4u);
    CHECK(ec_rng_next(&r) == 0xbf6e1f784956452au);
}

TEST(ranges)
{
    int seen[6] = { 0 }, i;
    double sum = 0, u;
    struct ec_rng r;

    ec_rng_seed(&r, 42);
    for (i = 0; i < 60000; i++) {
        int64_t v = ec_rng_range(&r, -2, 3);

        CHECK(v >= -2 && v <= 3);
        seen[v + 2]++;
        u = ec_rng_unit(&r);
        CHECK(u >= 0 && u < 1);
        sum += u;
    }
    for (i = 0; i < 6; i++)
        CHECK_NEAR(seen[i], 10000, 0.05);
    CHECK_NEAR(sum / 60000, 0.5, 0.02);
    CHECK_INT(ec_rng_range(&r, 5, 5), 5);
    (void)ec_rng_range(&r, INT64_MIN, INT64_MAX);
}
