/* The table of well-known data sets, samples to train on (samples.h), downloading (fetch.h). */
#ifndef EC_DATASET_H
#define EC_DATASET_H

#include "base/base.h"
#include "dataset/fetch.h"
#include "dataset/samples.h"

enum ec_sample_kind {
    EC_SAMPLE_IMAGE,
    EC_SAMPLE_TEXT,
    EC_SAMPLE_TOKEN,
    EC_SAMPLE_AUDIO,
    EC_SAMPLE_EVENT,
    EC_SAMPLE_KIND_COUNT
};

struct ec_dataset {
    const char *key, *name;
    const char *const *aliases; /* folded like keys are (see ec_dataset_find), NULL-terminated */
    enum ec_sample_kind kind; /* what is counted below; EC_SAMPLE_TOKEN counts tokens of a stream */
    int64_t train, val, test; /* samples; 0: no such part, or not public */
    int64_t classes;          /* 0: not a classification, or several labels each */
    int rank;                 /* of one sample as usually trained; 0: varies */
    int64_t shape[3];         /* channels, height, width; tokens of a sequence */
    int64_t train_bytes;      /* of the training files as distributed; 0: unknown */
    const char *source;
};

/* Data set by key or alias; case, blanks, '-', '_' and '.' do not count.
 * Errors: NOT_FOUND with near keys */
enum ec_status ec_dataset_find(const char *key, const struct ec_dataset **ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* All rows, in table order. */
const struct ec_dataset *ec_datasets(int *ret_count);

#endif
