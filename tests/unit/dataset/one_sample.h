/* A sample of a set, by itself. */
#ifndef EC_TEST_DATASET_ONE_SAMPLE_H
#define EC_TEST_DATASET_ONE_SAMPLE_H

#include "dataset/samples_internal.h"

static inline enum ec_status one_sample(const struct ec_samples *s, enum ec_part split,
                                        int64_t index, int64_t epoch,
                                        const struct ec_sample_data *out, struct ec_err *err)
{
    struct ec__scratch scratch = { 0 };
    enum ec_status st = ec__samples_get(s, split, index, epoch, out, &scratch, err);

    ec__scratch_clear(&scratch);
    return st;
}

#endif
