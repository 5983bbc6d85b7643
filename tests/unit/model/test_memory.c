/* Peaks of a step from its parts, by hand. */
#include "model/memory.h"
#include "test.h"

/* 1 GB allocated at most, 1.2 GB with each kind at its own most. */
static const struct ec_memory parts = {
    .apart = 1.2e9, .most = {4e8, 5e8, 1e8}
};
static const struct ec_memory_constants constants = { 5e7, 1.4e9, 3e8, 1.03, 1.1, 2 };

TEST(the_three_sums)
{
    struct ec_memory m = parts;

    CHECK_NEAR(ec_allocator_total(&m, &constants), 5e7 + 1e9, 1e-12);
    CHECK_NEAR(ec_memory_need(&m, &constants), 5e7 + 1.4e9 + 1.03e9, 1e-12);
    CHECK_NEAR(ec_memory_total(&m, &constants), 5e7 + 1.4e9 + 1.1 * 1.2e9, 1e-12);
    m.windowed = 1e8; /* convolutions: their library, and a workspace */
    CHECK_NEAR(ec_allocator_total(&m, &constants), 5e7 + 1e9, 1e-12);
    CHECK_NEAR(ec_memory_need(&m, &constants), 5e7 + 1.7e9 + 1.03e9, 1e-12);
    CHECK_NEAR(ec_memory_total(&m, &constants), 5e7 + 1.7e9 + 1.1 * 1.2e9 + 2e8, 1e-12);
}

/* Whatever the constants are: what is needed is never more than the peak. */
TEST(the_peak_is_never_below_what_is_needed)
{
    const struct ec_memory_constants hold = { 5e7, 1.4e9, 3e8, 1.5, 1, 0 };

    CHECK_NEAR(ec_memory_total(&parts, &hold), ec_memory_need(&parts, &hold), 0);
    CHECK(ec_allocator_total(&parts, &hold) <= ec_memory_need(&parts, &hold));
}

/* A device gives up to what it has, and a step that needs more does not fit. */
TEST(a_full_device_takes_back_what_is_reserved)
{
    CHECK_NEAR(ec_memory_on(10, 14, 16), 14, 0);
    CHECK_NEAR(ec_memory_on(10, 14, 12), 12, 0);
    CHECK_NEAR(ec_memory_on(10, 14, 8), 10, 0);
    CHECK_NEAR(ec_memory_on(10, 14, 0), 14, 0);
}
