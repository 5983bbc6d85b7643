/* PNG files (ISO 15948) of opaque pictures, packed by zlib. libpng, which cairo writes with, jumps
 * into nowhere where its first allocation fails. */
#include "plot/plot_internal.h"

#include <string.h>

#ifdef EC_HAVE_ZLIB
#include <zlib.h>

enum { COLOUR_RGB = 2, FILTER_UP = 2, RGB_BYTES = 3, XRGB_BYTES = 4 };

static void add_u32(struct ec_buf *out, uint32_t v)
{
    const unsigned char bytes[] = { (unsigned char)(v >> 24), (unsigned char)(v >> 16),
                                    (unsigned char)(v >> 8), (unsigned char)v };

    ec_buf_add(out, bytes, sizeof bytes);
}

/* type: four letters, which the checksum covers, too */
static void add_chunk(struct ec_buf *out, const char *type, const void *data, size_t len)
{
    uLong sum = crc32_z(crc32_z(0, (const Bytef *)type, 4), data, len);

    add_u32(out, (uint32_t)len);
    ec_buf_add(out, type, 4);
    ec_buf_add(out, data, len);
    add_u32(out, (uint32_t)sum);
}

/* Of each byte the difference from the one above it, behind a byte that says so. Plots are much the
 * same from row to row. */
static void filter_rows(const struct ec__pixels *p, unsigned char *to)
{
    int x, y, k;

    for (y = 0; y < p->height; y++) {
        const unsigned char *row = p->xrgb + (size_t)y * (size_t)p->stride;
        const unsigned char *above = y ? row - p->stride : NULL;

        *to++ = FILTER_UP;
        for (x = 0; x < p->width; x++) {
            uint32_t pixel, over = 0;

            memcpy(&pixel, row + (size_t)x * XRGB_BYTES, sizeof pixel);
            if (above)
                memcpy(&over, above + (size_t)x * XRGB_BYTES, sizeof over);
            for (k = RGB_BYTES - 1; k >= 0; k--)
                *to++ = (unsigned char)((pixel >> (8 * k)) - (over >> (8 * k)));
        }
    }
}

static void add_header(const struct ec__pixels *p, struct ec_buf *out)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    struct ec_buf header = EC_BUF_INIT;

    add_u32(&header, (uint32_t)p->width);
    add_u32(&header, (uint32_t)p->height);
    ec_buf_add(&header, (const unsigned char[]){ 8, COLOUR_RGB, 0, 0, 0 }, 5);
    ec_buf_add(out, signature, sizeof signature - 1);
    if (header.st)
        out->st = header.st;
    else
        add_chunk(out, "IHDR", header.data, header.len);
    ec_buf_clear(&header);
}

enum ec_status ec__png_file(const struct ec__pixels *p, struct ec_buf *out, struct ec_err *err)
{
    size_t len = (size_t)p->height * (1 + (size_t)p->width * RGB_BYTES);
    uLongf packed_len = compressBound(len);
    unsigned char *rows = ec_alloc(len), *packed = ec_alloc(packed_len);
    enum ec_status st = EC_OK;

    if (!rows || !packed)
        EC_TRY(ec_nomem(err));
    filter_rows(p, rows);
    if (compress2(packed, &packed_len, rows, len, Z_BEST_COMPRESSION) != Z_OK)
        EC_TRY(ec_nomem(err));
    add_header(p, out);
    add_chunk(out, "IDAT", packed, packed_len);
    add_chunk(out, "IEND", "", 0);
    EC_TRY(ec_buf_status(out, err));
out:
    ec_free(rows);
    ec_free(packed);
    return st;
}
#else
enum ec_status ec__png_file(const struct ec__pixels *p, struct ec_buf *out, struct ec_err *err)
{
    (void)p;
    (void)out;
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "this build lacks zlib, which writing PNG needs; SVG "
                   "needs nothing");
}
#endif
