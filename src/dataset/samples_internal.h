/* Shared by the readers of training data. A reader fills in struct ec_samples when it opens, and
 * answers for one sample of one of its own parts; splits, limits and seeds are samples.c's, which
 * has the table of readers. What readers share is in reader.c, bytes.c, image.c and pixels.c. */
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
    const char *folder;  /* below ec_samples_home(), looked into without a path; NULL: none */
    bool needs_path;     /* and there is no such folder */
    bool takes_path;     /* and knows where to look without one */
    size_t opts_size;    /* of the struct that about.fields describe */
    const void *variant; /* what readers with one `open` differ in */
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
    void *state;      /* the reader's */
    double test_frac; /* of the training samples, for testing; 0: the reader has test samples */
    enum ec_augment augment;
    /* samples.c's: */
    int64_t part_count[EC_PART_COUNT]; /* as the reader has them */
    bool val_from_train, test_from_train;
    int64_t n_test;        /* before a limit */
    struct ec_arena arena; /* for what lives as long as the set */
};

/* Mixes two numbers into one that looks like neither. */
uint64_t ec__mix(uint64_t a, uint64_t b);
/* Where i goes in the permutation of 0..n-1 that `key` names; no memory, any order. */
int64_t ec__permute(int64_t i, int64_t n, uint64_t key);
/* One sample. epoch chooses the augmentation of the train split; -1: as it is in the set, prepared
 * as for validation. May be called by many threads at once, each with its scratch.
 * Errors: INPUT: no such index, IO or PARSE: the file is gone or broken, NOMEM */
enum ec_status ec__samples_get(const struct ec_samples *s, enum ec_part split, int64_t index,
                               int64_t epoch, const struct ec_sample_data *out,
                               struct ec__scratch *scratch, struct ec_err *err) EC_MUST_CHECK;

/* --- Files (bytes.c) --- */

struct ec__bytes {
    unsigned char *data;
    size_t len;
};
/* Bytes that a file has by what its first `len` say; 0: they do not say it. */
typedef size_t (*ec__bytes_says)(const unsigned char *head, size_t len);
/* The whole file, unpacked when it is gzip; neither may be larger than max_bytes. What is unpacked
 * is as long as its head says (says; NULL: no head), else at most 16 MiB or 32 times what is
 * packed, the larger of both: a small file fills no memory. */
enum ec_status ec__bytes_load_as(const char *path, size_t max_bytes, ec__bytes_says says,
                                 struct ec__bytes *ret, struct ec_err *err) EC_MUST_CHECK;
/* The same of a file without such a head. */
enum ec_status ec__bytes_load(const char *path, size_t max_bytes, struct ec__bytes *ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* The same into memory of the thread, as it is: ret is borrowed from the scratch. */
enum ec_status ec__bytes_load_to(const char *path, size_t max_bytes, struct ec__scratch *scratch,
                                 int which, struct ec__bytes *ret,
                                 struct ec_err *err) EC_MUST_CHECK;
/* Unpacks in place what begins like gzip. says: may be NULL */
enum ec_status ec__bytes_gunzip(struct ec__bytes *b, size_t max_bytes, ec__bytes_says says,
                                struct ec_err *err) EC_MUST_CHECK;
void ec__bytes_clear(struct ec__bytes *b);
/* len bytes from `at`; a file that is shorter is an error sentence. */
enum ec_status ec__pread(int fd, const char *path, void *to, int64_t len, int64_t at,
                         struct ec_err *err) EC_MUST_CHECK;
bool ec__path_exists(const char *path);
/* The first of the names, NULL-terminated, that exists below dir; NULL: none, or no memory. */
const char *ec__find_path(struct ec_arena *a, const char *dir, const char *const *names);

/* --- Images (image.c, pixels.c) --- */

/* Bytes of an image and the steps between them. */
struct ec__image {
    const unsigned char *data;
    int64_t c, h, w, step_c, step_y, step_x;
};
/* A part of an image, in its pixels; what lies outside the image is not read. */
struct ec__box {
    double y, x, h, w;
};
/* (v / 255 - mean) / std by channel, as a table. */
struct ec__levels {
    float v[EC_CHANNELS_MAX][256];
    float scale[EC_CHANNELS_MAX], shift[EC_CHANNELS_MAX]; /* the same for values between */
};
void ec__levels_make(struct ec__levels *l, const struct ec_samples_info *info);
/* The box of the image brought to shape (C, H, W), by a triangle as wide as the shrinking asks for
 * (what Pillow calls bilinear); grey is repeated over channels. x NULL: nothing. */
enum ec_status ec__image_resize(const struct ec__image *im, const struct ec__box *box, bool flip,
                                const struct ec__levels *l, const int64_t shape[3], float *x,
                                struct ec__scratch *scratch, struct ec_err *err) EC_MUST_CHECK;

/* Called with the height and width of an image before it is decoded. */
typedef void ec__choose_box(void *arg, int64_t h, int64_t w, struct ec__box *ret);
/* The part of a JPEG that the chosen box needs, perhaps at half, a quarter or an eighth of the size
 * but never below shape (C, H, W); *ret_box is the box in the image that came out, which is in the
 * scratch. Errors: PARSE, UNSUPPORTED, NOMEM */
enum ec_status ec__jpeg_decode(const struct ec__bytes *b, ec__choose_box *choose, void *choose_arg,
                               const int64_t shape[3], struct ec__image *ret_image,
                               struct ec__box *ret_box, struct ec__scratch *scratch,
                               struct ec_err *err) EC_MUST_CHECK;
/* A box of 8-100 % of the image's area and an aspect of 3/4-4/3, as for ImageNet. */
void ec__random_box(struct ec_rng *r, int64_t h, int64_t w, struct ec__box *ret);

/* Images of one size in memory: (n, C, H, W) bytes and their labels, by part. */
struct ec__pixels {
    int64_t c, h, w;
    int64_t n[EC_PART_COUNT];
    unsigned char *data[EC_PART_COUNT];
    int32_t *label[EC_PART_COUNT];
    struct ec__levels levels;
};
/* Readers make one with ec__pixels_new, give it parts, and end with ec__pixels_ready. */
enum ec_status ec__pixels_new(struct ec_samples *s, int64_t c, int64_t h, int64_t w,
                              int64_t classes, struct ec__pixels **ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* Room for n more images of the part; *ret_first is where they begin. Errors: NOMEM, INPUT */
enum ec_status ec__pixels_add(struct ec__pixels *p, enum ec_part part, int64_t n,
                              int64_t *ret_first, struct ec_err *err) EC_MUST_CHECK;
/* Labels are in range, shape of the network, mean and deviation. `augment` is the usual one. */
enum ec_status ec__pixels_ready(struct ec_samples *s, struct ec__pixels *p, enum ec_augment augment,
                                struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__pixels_get(const struct ec_samples *s, const struct ec__ask *ask,
                              const struct ec_sample_data *out, struct ec__scratch *scratch,
                              struct ec_err *err) EC_MUST_CHECK;
void ec__pixels_close(struct ec_samples *s);
/* The network's (C, H, W) where it has three dimensions, else the images' own. */
enum ec_status ec__image_shape(struct ec_samples *s, int64_t c, int64_t h, int64_t w,
                               struct ec_err *err) EC_MUST_CHECK;

/* The network's shape where it holds as many values. Errors: INPUT when it does not */
enum ec_status ec__shape_as_network(struct ec_samples *s, struct ec_err *err) EC_MUST_CHECK;

/* --- Parsers that tests and fuzzers call --- */

enum ec_status ec__idx_parse(const struct ec__bytes *b, int rank, int64_t dims[3],
                             struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__cifar_binary(const struct ec__bytes *b, int64_t label_bytes, int64_t label_at,
                                struct ec__pixels *p, enum ec_part part,
                                struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__cifar_pickled(const struct ec__bytes *b, const char *label_key,
                                 struct ec__pixels *p, enum ec_part part,
                                 struct ec_err *err) EC_MUST_CHECK;

/* Header of an array that NumPy saved. */
struct ec__npy {
    char kind; /* 'u', 'i', 'f' */
    int item_bytes;
    int rank;
    int64_t dim[EC_SAMPLE_RANK_MAX + 1];
    int64_t elems, data_at;
};
enum ec_status ec__npy_parse(const unsigned char *data, size_t len, struct ec__npy *ret,
                             struct ec_err *err) EC_MUST_CHECK;

/* What the synthetic sets hide in an image of a class: (C, size, size), zero mean: the
 * state of a set begins with it. */
struct ec__patterns {
    int64_t channels, size, classes;
    const float *v; /* (classes, channels, size, size) */
};

#endif
