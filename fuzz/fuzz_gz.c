/* gzip: what is unpacked is within its bound, and what was packed comes back as it was. */
#include "fuzz.h"

#include "dataset/samples_internal.h"

#include <string.h>

#ifdef EC_HAVE_ZLIB
#include <zlib.h>
#endif

#define MAX_BYTES ((size_t)1 << 20)

static struct ec__bytes copy_of(const void *data, size_t size)
{
    struct ec__bytes b = { ec_alloc(size), size };

    if (b.data && size)
        memcpy(b.data, data, size);
    b.len = b.data ? size : 0;
    return b;
}

static void unpack(const uint8_t *data, size_t size)
{
    struct ec__bytes b = copy_of(data, size);
    struct ec_err err = { .status = EC_OK };
    bool packed = b.len > 2 && b.data[0] == 0x1f && b.data[1] == 0x8b;

    if (ec__bytes_gunzip(&b, MAX_BYTES, NULL, &err) == EC_OK) {
        if (packed ? b.len > MAX_BYTES : b.len != size)
            __builtin_trap();
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    ec__bytes_clear(&b);
}

#ifdef EC_HAVE_ZLIB
static void round_trip(const uint8_t *data, size_t size)
{
    static unsigned char packed[1 << 16];
    z_stream z = { .next_in = (unsigned char *)data, /* only read */
                   .avail_in = (unsigned)size,
                   .next_out = packed,
                   .avail_out = sizeof packed };
    struct ec__bytes b;

    if (size > sizeof packed / 2 || deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, 0))
        return;
    if (deflate(&z, Z_FINISH) == Z_STREAM_END) {
        b = copy_of(packed, z.total_out);
        if (ec__bytes_gunzip(&b, MAX_BYTES, NULL, NULL) || b.len != size ||
            (size && memcmp(b.data, data, size)))
            __builtin_trap();
        ec__bytes_clear(&b);
    }
    (void)deflateEnd(&z);
}
#else
static void round_trip(const uint8_t *data, size_t size)
{
    (void)data, (void)size;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unpack(data, size);
    round_trip(data, size);
    return 0;
}
