/* CRC-32 of known texts, in one piece and in several. */
#include "base/crc32.h"
#include "test.h"

static uint32_t sum_of(const char *text, size_t len, size_t step)
{
    struct ec_crc32 c;
    size_t at;

    ec_crc32_init(&c);
    for (at = 0; at < len; at += step)
        ec_crc32_add(&c, text + at, len - at < step ? len - at : step);
    return ec_crc32_sum(&c);
}

TEST(known_sums)
{
    static const char fox[] = "The quick brown fox jumps over the lazy dog";
    size_t step;

    CHECK_INT(sum_of("", 0, 1), 0);
    CHECK_INT(sum_of("123456789", 9, 9), 0xcbf43926);
    for (step = 1; step <= sizeof fox - 1; step++)
        CHECK_INT(sum_of(fox, sizeof fox - 1, step), 0x414fa339);
}

TEST(any_bit_counts)
{
    char text[64] = "weights";
    uint32_t whole = sum_of(text, sizeof text, sizeof text);
    int i;

    for (i = 0; i < 8 * (int)sizeof text; i++) {
        text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
        CHECK(sum_of(text, sizeof text, sizeof text) != whole);
        text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
    }
}
