/* The roofs of this processor: orders of magnitude, since other work shares it. */
#include "hw/hw.h"
#include "test.h"

#include <math.h>

TEST(loops_end_with_a_number)
{
    const struct ec_fma_set *sets;
    int n, i;

    sets = ec_fma_sets(&n);
    for (i = 0; i < n; i++) {
        CHECK(sets[i].flop > 1e6);
        if (sets[i].has())
            CHECK(isfinite(sets[i].run()));
    }
}

TEST(rates_are_those_of_a_processor)
{
    double flop = ec_roof_flop_per_s(1), bytes = ec_roof_copy_bytes_per_s(1, 1 << 24);
    int n;

    (void)ec_fma_sets(&n);
    CHECK(n ? flop > 1e8 && flop < 1e13 : flop == 0);
    CHECK(bytes > 1e8 && bytes < 1e13);
    CHECK(ec_roof_copy_bytes_per_s(2, 1 << 20) > 1e8);
}

TEST(copies_without_memory_are_unknown)
{
    CHECK_NEAR(ec_roof_copy_bytes_per_s(1, SIZE_MAX / 2), 0, 0);
}
