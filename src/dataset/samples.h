/* Samples to train on, and the loader that makes batches of them. Reached by "dataset/dataset.h".
 *
 * A set is opened by its specification, `name`, `name:PATH` or `name:key=value,...`:
 *
 *     struct ec_samples *s = NULL;
 *     struct ec_loader *l = NULL;
 *     const struct ec_batch *b;
 *
 *     EC_TRY(ec_samples_open("synthetic:classes=10", NULL, &s, err));
 *     EC_TRY(ec_loader_new(s, &(struct ec_loader_opts){ .batch = 64, .shuffle = true }, &l, err));
 *     for (;;) {
 *         EC_TRY(ec_loader_next(l, &b, err));
 *         if (!b)
 *             break;
 *         ... b->data.x, b->data.label, b->n ...
 *     }
 *
 * What a sample holds depends on (set, split, index, seed, epoch) alone: never on the number of
 * workers, the time, or what was asked before. */
#ifndef EC_DATASET_SAMPLES_H
#define EC_DATASET_SAMPLES_H

#include "base/base.h"

enum ec_part { EC_PART_TRAIN, EC_PART_VAL, EC_PART_TEST, EC_PART_COUNT };
const char *ec_part_name(enum ec_part split); /* "train", "val", "test" */

/* The input of the network, and the label. */
enum ec_input_kind {
    EC_INPUT_F32,    /* data.x: shape (C, H, W) of images, (F) of tables */
    EC_INPUT_TOKENS, /* data.tokens: shape (T), 0 <= token < classes */
};

enum ec_label_kind {
    EC_LABEL_CLASS,  /* data.label: one, 0 <= label < classes */
    EC_LABEL_BINARY, /* the same with two classes; data.target holds it too, as 0.0 or 1.0 */
    EC_LABEL_VECTOR, /* data.target: label_elems numbers to come near to */
    EC_LABEL_TOKENS, /* data.label: label_elems = T; the token that follows each */
};

#define EC_SAMPLE_RANK_MAX 4
#define EC_CHANNELS_MAX 8

/* Properties of an open data set. The data set owns the strings. */
struct ec_samples_info {
    const char *name;     /* of the reader: "cifar10" */
    const char *path;     /* folder or file it was read from; "" when made */
    const char *augments; /* what is done to samples of the train split: "crop-flip", "none" */
    int64_t count[EC_PART_COUNT];
    bool has_val; /* validation samples of its own, so that none are taken from the training ones */
    enum ec_input_kind input;
    int rank;
    int64_t shape[EC_SAMPLE_RANK_MAX]; /* of one sample, without the batch */
    int64_t input_elems;               /* product of the shape */
    enum ec_label_kind label;
    int64_t label_elems;            /* values per sample in `label` or `target`: 1, targets, T */
    int64_t classes;                /* classes; size of the vocabulary; 0 for EC_LABEL_VECTOR */
    const char *const *class_names; /* `classes` of them; NULL: they have none */
    /* x = (raw - mean) / std, by channel; n_channels 0: nothing was subtracted. Raw pixels are in
     * 0..1. */
    int n_channels;
    float mean[EC_CHANNELS_MAX], std[EC_CHANNELS_MAX];
    /* Cross-entropy (nats) or mean squared error that no model can beat; 0: not known. */
    double floor_loss;
};

enum ec_augment {
    EC_AUGMENT_AUTO, /* what is usual for the set */
    EC_AUGMENT_NONE,
    EC_AUGMENT_FLIP,         /* left-right, every other time */
    EC_AUGMENT_CROP_FLIP,    /* padded by an eighth of the edge, cropped anywhere, flipped */
    EC_AUGMENT_RESIZED_CROP, /* 8-100 % of the area, aspect 3/4-4/3, resized, flipped */
};

enum ec_normalise {
    EC_NORMALISE_AUTO, /* mean 0 and deviation 1 by channel over the training samples */
    EC_NORMALISE_UNIT, /* pixels in 0..1, tables as they are */
};

/* NULL stands for the defaults, zero for each member but val_frac. Those with a row in
 * ec_samples_fields are options of commands. */
struct ec_samples_opts {
    double val_frac; /* of the training samples kept for validation, where the set has none */
    int64_t limit;   /* training samples, at most; the other splits shrink alike; 0: all */
    enum ec_augment augment;
    enum ec_normalise normalise;
    /* Not options of a command: */
    int64_t seed; /* splits, augmentation, and the content of synthetic sets */
    /* Input shape of the network, without the batch; n = 0: that of the data set. Images are
     * resized to (C, H, W) and grey ones repeated over channels; synthetic sets are made in the
     * shape. */
    struct ec_ints shape;
    int64_t classes; /* outputs of the network: synthetic sets are made with so many; 0: 10 */
    enum ec_input_kind input; /* what synthetic sets are made of */
};
extern const struct ec_field ec_samples_fields[]; /* val_split, limit, augment, normalise */

/* Where one sample, or a batch of them, is written. Members that the set does not fill may be NULL;
 * so may those that it fills and the caller does not want. */
struct ec_sample_data {
    float *x;        /* (n, shape...) */
    int64_t *tokens; /* (n, T) */
    int64_t *label;  /* (n, label_elems), (n) for classes */
    float *target;   /* (n, label_elems) */
};

struct ec_samples;

/* spec    "cifar10", "cifar10:/data/cifar", "synthetic:classes=10,shape=3x32x32"; docs/datasets.md.
 *         Without a path the folder that `epochcast fetch` fills is looked into
 * opts    NULL for the defaults; copied
 * Errors  NOT_FOUND: no such set or file, PARSE: malformed file, INPUT: bad option, or one that
 *         changes nothing in this set, UNSUPPORTED: a library was missing when this was built, IO,
 *         NOMEM */
enum ec_status ec_samples_open(const char *spec, const struct ec_samples_opts *opts,
                               struct ec_samples **ret, struct ec_err *err) EC_MUST_CHECK;
void ec_samples_close(struct ec_samples *s);
const struct ec_samples_info *ec_samples_info(const struct ec_samples *s);

/* The readers, for help and inspection: key and one line each. NULL ends. */
struct ec_samples_reader {
    const char *name;
    const char *usage;             /* "cifar10[:FOLDER]" */
    const char *help;              /* without final full stop */
    const struct ec_field *fields; /* of `name:key=value,...`; NULL: what follows is a path */
    bool raw;                      /* values are not normalised, whatever is asked for */
};
const struct ec_samples_reader *const *ec_samples_readers(void);
/* Folder where `epochcast fetch` puts data sets: $XDG_CACHE_HOME/epochcast/data, else
 * ~/.cache/epochcast/data. Errors: INPUT when neither variable is set */
enum ec_status ec_samples_home(struct ec_buf *ret, struct ec_err *err) EC_MUST_CHECK;

/* --- Loader --- */

struct ec_loader_opts {
    int64_t workers;  /* threads; 0: batches are made in the caller's thread when asked for */
    int64_t prefetch; /* batches made ahead of the one in use, with workers; 0 is 2 */
    /* Not options of a command: */
    enum ec_part split;
    int64_t batch;  /* samples per step of this rank; at least 1 */
    int64_t epochs; /* 0: without end */
    int64_t seed;   /* of the order */
    bool shuffle;   /* by (seed, epoch); false: 0, 1, 2 ... */
    bool drop_last; /* leave out the step that is not full; false: it has b->n < batch */
    bool augment;   /* train split only */
    /* Data parallel: the step of all ranks takes batch * world samples in order, rank r the r-th
     * part. A last step that is not full is shared out evenly; a rank may get n = 0. */
    int64_t rank, world; /* world 0 is 1 */
};
extern const struct ec_field ec_loader_fields[]; /* workers, prefetch */

struct ec_batch {
    int64_t n;           /* samples in it, at most `batch`; the rest of the buffers is zero */
    int64_t epoch, step; /* from 0 */
    bool last;           /* of its epoch */
    struct ec_sample_data data;
};

struct ec_loader_stats {
    int64_t batches, samples;  /* handed out */
    int64_t wait_ns;           /* time that the caller waited in ec_loader_next */
    int64_t first_wait_ns;     /* part of it for the first batch, which could not be made ahead */
    int64_t busy_ns;           /* making samples, over all threads */
    int64_t elapsed_ns;        /* since ec_loader_new, ec_loader_seek or ec_loader_reset_stats */
    double samples_per_s;      /* handed out / elapsed */
    double load_samples_per_s; /* what one thread makes: samples made / busy */
};

struct ec_loader;

/* s is borrowed until the loader is freed. Errors: INPUT: option out of range, an empty split, a
 * full step that is larger than the split with drop_last; NOMEM; IO when threads cannot start */
enum ec_status ec_loader_new(const struct ec_samples *s, const struct ec_loader_opts *opts,
                             struct ec_loader **ret, struct ec_err *err) EC_MUST_CHECK;
void ec_loader_free(struct ec_loader *l);
int64_t ec_loader_steps(const struct ec_loader *l); /* per epoch; the same on every rank */
/* The next batch is that of (epoch, step): goes on where a checkpoint was written. Errors: INPUT */
enum ec_status ec_loader_seek(struct ec_loader *l, int64_t epoch, int64_t step,
                              struct ec_err *err) EC_MUST_CHECK;
/* The next batch, borrowed until the next call on the loader (a caller that copies to a device
 * must have finished by then); *ret is NULL after the last epoch. One thread at a time.
 * Errors: INPUT, IO, PARSE, NOMEM; they name the sample, and stay until ec_loader_seek */
enum ec_status ec_loader_next(struct ec_loader *l, const struct ec_batch **ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_loader_get_stats(const struct ec_loader *l, struct ec_loader_stats *ret);
void ec_loader_reset_stats(struct ec_loader *l);

#endif
