/* PNG: signature, header and checksums are right, where cairo is there to write it. */
#include "leaks.h"
#include "test.h"

#include "plot/plots.h"

static uint32_t crc32_of(const unsigned char *p, size_t len)
{
    uint32_t c = 0xffffffffu;
    int bit;

    for (; len; len--, p++)
        for (c ^= *p, bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    return ~c;
}

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Walks the chunks; returns their number, -1 when one is broken. */
static int chunks(const unsigned char *p, size_t len)
{
    size_t at = 8;
    int n = 0;

    while (at + 12 <= len) {
        size_t size = big_endian(p + at);

        if (at + 12 + size > len || crc32_of(p + at + 4, size + 4) != big_endian(p + at + 8 + size))
            return -1;
        n++;
        if (memcmp(p + at + 4, "IEND", 4) == 0)
            return at + 12 + size == len ? n : -1;
        at += 12 + size;
    }
    return -1;
}

TEST(png_is_whole_and_of_the_right_size)
{
    int i;

    for (i = 0; i < PLOTS; i++) {
        struct ec_buf out = EC_BUF_INIT;
        struct ec_drawing d = { 0 };
        struct ec_err err;
        enum ec_status st;

        CHECK_OK(ec_plot_draw(plot_sample(i), &d, &err));
        st = ec_drawing_png(&d, 2, &out, &err);
        if (st == EC_E_UNSUPPORTED) {
            CHECK_HAS(err.text, "libcairo2");
            (void)printf("skipped PNG: cairo is not installed\n");
        } else {
            const unsigned char *p = (const unsigned char *)out.data;

            CHECK_OK(st);
            CHECK(out.len > 1000 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0);
            CHECK_INT(big_endian(p + 16), 2 * d.width);
            CHECK_INT(big_endian(p + 20), 2 * d.height);
            CHECK(chunks(p, out.len) >= 3);
        }
        ec_buf_clear(&out);
        ec_drawing_clear(&d);
    }
}
