/* Shared by the readers of training data. A reader fills in struct ec_samples when it opens, and
 * answers for one sample of one of its own parts; splits, limits and seeds are samples.c's. */
#ifndef EC_SAMPLES_INTERNAL_H
#define EC_SAMPLES_INTERNAL_H

#include "dataset/samples.h"

/* Which sample, in the reader's own numbering. */
struct ec__ask {
    enum ec_part part;
    int64_t index;
    struct ec_rng *rng; /* for augmentation; NULL: none */
};

/* Memory that a thread keeps from sample to sample. Zeroed is empty. */
#define EC__SCRATCH_BUFS 3
struct ec__scratch {
    void *buf[EC__SCRATCH_BUFS];
    size_t cap_bytes[EC__SCRATCH_BUFS];
};
/* At least so many bytes, content undefined; NULL when memory is out. */
void *ec__scratch_get(struct ec__scratch *s, int which, size_t bytes);
void ec__scratch_clear(struct ec__scratch *s);

struct ec__reader {
    struct ec_samples_reader about;
    const char *folder; /* below ec_samples_home(), looked into without a path; NULL: none */
    bool needs_path;    /* and there is no such folder */
    size_t opts_size;   /* of the struct that about.fields describe */
    /* Sets info (counts are those of the reader's parts), state, and default_augment. */
    enum ec_status (*open)(struct ec_samples *s, const void *opts, struct ec_err *err);
    enum ec_status (*get)(const struct ec_samples *s, const struct ec__ask *ask,
                          const struct ec_sample_data *out, struct ec__scratch *scratch,
                          struct ec_err *err);
    void (*close)(struct ec_samples *s); /* NULL: all is in the arena */
};

struct ec_samples {
    const struct ec__reader *reader;
    struct ec_samples_opts opts;
    struct ec_samples_info info;
    void *state;                       /* the reader's */
    int64_t part_count[EC_PART_COUNT]; /* as the reader has them */
    bool val_from_train;
    enum ec_augment augment;
    struct ec_arena arena; /* for what lives as long as the set */
};

/* Mixes two numbers into one that looks like neither. */
uint64_t ec__mix(uint64_t a, uint64_t b);
/* Where i goes in the permutation of 0..n-1 that `key` names; no memory, any order. */
int64_t ec__permute(int64_t i, int64_t n, uint64_t key);
/* Like ec_samples_get, with memory of the calling thread. */
enum ec_status ec__samples_get(const struct ec_samples *s, enum ec_part split, int64_t index,
                               int64_t epoch, const struct ec_sample_data *out,
                               struct ec__scratch *scratch, struct ec_err *err) EC_MUST_CHECK;

/* What the synthetic sets hide in an image of a class: (C, size, size), zero mean. For tests. */
struct ec__patterns {
    int64_t channels, size, classes;
    const float *v; /* (classes, channels, size, size) */
};
const struct ec__patterns *ec__synthetic_patterns(const struct ec_samples *s);

#endif
