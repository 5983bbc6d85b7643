/* A JPEG decoded for training: whatever box is asked for lies in the image that comes out. */
#include "fuzz.h"

#include "dataset/samples_internal.h"

/* The first bytes choose the box, as augmentation would. */
static void choose(void *arg, int64_t h, int64_t w, struct ec__box *ret)
{
    const uint64_t *seed = arg;
    struct ec_rng r;

    ec_rng_seed(&r, *seed);
    ec__random_box(&r, h, w, ret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t shape[3] = { 3, 7, 9 };
    struct ec__bytes b = { (unsigned char *)data, size }; /* only read */
    struct ec_err err = { .status = EC_OK };
    struct ec__scratch scratch = { 0 };
    struct ec_samples_info plain = { .n_channels = 0 };
    struct ec__levels levels;
    struct ec__image im;
    struct ec__box box;
    uint64_t seed = ec_hash(data, size);
    float x[3 * 7 * 9];

    ec__levels_make(&levels, &plain);
    if (ec__jpeg_decode(&b, choose, &seed, shape, &im, &box, &scratch, &err) == EC_OK) {
        if (ec__image_resize(&im, &box, false, &levels, shape, x, &scratch, &err) != EC_OK)
            __builtin_trap();
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    ec__scratch_clear(&scratch);
    return 0;
}
