/* PatchCamelyon: HDF5 files with images x (n, 96, 96, 3) and labels y (n, 1, 1, 1), a pair for each
 * split. Images are read when asked for. libhdf5, opened at run time, is not made for threads: one
 * reads at a time. */
#include "dataset/samples_internal.h"

enum { RANK_MAX = 8 };

struct pcam_part {
    const char *path;
    ec_hid file, x;
    int64_t n;
    unsigned char *label;
};

struct pcam {
    struct ec_hdf5 h;
    struct pcam_part part[EC_PART_COUNT];
    int64_t height, width, channels;
    struct ec__levels levels;
};

/* Dimensions of a data set of bytes; what it is called is for the sentence. */
static enum ec_status dims_of(const struct ec_hdf5 *h, ec_hid set, const char *name, int rank,
                              int64_t *ret, struct ec_err *err)
{
    ec_hid space = h->Dget_space(set), type = h->Dget_type(set);
    ec_hsize dims[RANK_MAX] = { 0 };
    bool fits = space >= 0 && type >= 0 && h->Sget_simple_extent_ndims(space) == rank &&
                h->Sget_simple_extent_dims(space, dims, NULL) == rank && h->Tget_size(type) == 1 &&
                h->Tget_class(type) == EC_H5_INTEGER;
    int i;

    if (type >= 0)
        (void)h->Tclose(type);
    if (space >= 0)
        (void)h->Sclose(space);
    if (!fits)
        return ec_fail(err, EC_E_PARSE, "\"%s\" is no array of bytes with %d dimensions", name,
                       rank);
    for (i = 0; i < rank; i++) {
        if (!dims[i] || dims[i] > INT32_MAX)
            return ec_fail(err, EC_E_PARSE, "dimension %d of \"%s\" is %llu", i, name, dims[i]);
        ret[i] = (int64_t)dims[i];
    }
    return EC_OK;
}

static enum ec_status open_set(const struct ec_hdf5 *h, const char *path, const char *name,
                               ec_hid *ret_file, ec_hid *ret_set, struct ec_err *err)
{
    EC_PASS(ec_file_check(path, err));
    *ret_file = h->Fopen(path, EC_H5_READ_ONLY, 0);
    if (*ret_file < 0)
        return ec_fail(err, EC_E_PARSE, "%s: is no HDF5 file", path);
    *ret_set = h->Dopen2(*ret_file, name, 0);
    if (*ret_set < 0)
        return ec_fail(err, EC_E_PARSE, "%s: has no \"%s\"", path, name);
    return EC_OK;
}

static enum ec_status read_labels(struct ec_samples *s, struct pcam *p, struct pcam_part *part,
                                  const char *path, struct ec_err *err)
{
    const struct ec_hdf5 *h = &p->h;
    ec_hid file = -1, set = -1;
    int64_t dims[4] = { 0 };
    enum ec_status st = EC_OK;

    EC_TRY(open_set(h, path, "y", &file, &set, err));
    EC_TRY(dims_of(h, set, "y", 4, dims, err));
    if (dims[0] != part->n || dims[1] * dims[2] * dims[3] != 1)
        EC_TRY(ec_fail(err, EC_E_PARSE, "%s: %lld labels for %lld images", path, (long long)dims[0],
                       (long long)part->n));
    part->label = ec_arena_alloc(&s->arena, (size_t)part->n);
    EC_TRY(ec_allocated(part->label, err));
    if (h->Dread(set, *h->native_u8, 0, 0, 0, part->label) < 0)
        EC_TRY(ec_fail(err, EC_E_IO, "%s: cannot read the labels", path));
out:
    if (set >= 0)
        (void)h->Dclose(set);
    if (file >= 0)
        (void)h->Fclose(file);
    return st;
}

static enum ec_status open_part(struct ec_samples *s, struct pcam *p, enum ec_part which,
                                const char *word, struct ec_err *err)
{
    struct pcam_part *part = &p->part[which];
    const char *x, *y;
    int64_t dims[4] = { 0 }, i;

    x = ec_arena_printf(&s->arena, "%s/camelyonpatch_level_2_split_%s_x.h5", s->info.path, word);
    y = ec_arena_printf(&s->arena, "%s/camelyonpatch_level_2_split_%s_y.h5", s->info.path, word);
    EC_PASS(ec_allocated(x && y, err));
    if (which != EC_PART_TRAIN && !ec__path_exists(x))
        return EC_OK;
    if (!ec__path_exists(x) || !ec__path_exists(y))
        return ec_fail(err, EC_E_NOT_FOUND,
                       "%s is missing, or its _y.h5; \"epochcast fetch pcam\" downloads them", x);
    part->path = x;
    EC_PASS(open_set(&p->h, x, "x", &part->file, &part->x, err));
    EC_PASS(dims_of(&p->h, part->x, "x", 4, dims, err));
    part->n = dims[0];
    if (which != EC_PART_TRAIN &&
        (dims[1] != p->height || dims[2] != p->width || dims[3] != p->channels))
        return ec_fail(err, EC_E_PARSE, "%s: images unlike those of training", x);
    p->height = dims[1];
    p->width = dims[2];
    p->channels = dims[3];
    if (p->channels > EC_CHANNELS_MAX || p->height > 16384 || p->width > 16384)
        return ec_fail(err, EC_E_PARSE, "%s: images of %lldx%lldx%lld", x, (long long)dims[1],
                       (long long)dims[2], (long long)dims[3]);
    EC_PASS(read_labels(s, p, part, y, err));
    for (i = 0; i < part->n; i++)
        if (part->label[i] > 1)
            return ec_fail(err, EC_E_PARSE, "%s: label %lld is %d, expected 0 or 1", y,
                           (long long)i, part->label[i]);
    s->info.count[which] = part->n;
    return EC_OK;
}

static enum ec_status open_parts(struct ec_samples *s, struct pcam *p, struct ec_err *err)
{
    EC_PASS(ec_hdf5_open(&p->h, err));
    EC_PASS(open_part(s, p, EC_PART_TRAIN, "train", err));
    EC_PASS(open_part(s, p, EC_PART_VAL, "valid", err));
    return open_part(s, p, EC_PART_TEST, "test", err);
}

static enum ec_status open_pcam(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    struct pcam *p = ec_arena_alloc(&s->arena, sizeof *p);
    enum ec_status st = EC_OK;
    int i;

    (void)opts;
    EC_PASS(ec_allocated(p, err));
    for (i = 0; i < EC_PART_COUNT; i++)
        p->part[i].file = p->part[i].x = -1;
    s->state = p;
    ec_hdf5_begin();
    st = open_parts(s, p, err);
    ec_hdf5_end();
    EC_PASS(st);
    EC_PASS(ec__image_shape(s, p->channels, p->height, p->width, err));
    s->info.label = EC_LABEL_BINARY;
    s->info.label_elems = 1;
    s->info.classes = 2;
    s->augment = s->opts.augment == EC_AUGMENT_AUTO ? EC_AUGMENT_FLIP : s->opts.augment;
    ec__levels_make(&p->levels, &s->info);
    return st;
}

static enum ec_status read_image(const struct pcam *p, const struct pcam_part *part, int64_t index,
                                 unsigned char *to, struct ec_err *err)
{
    const struct ec_hdf5 *h = &p->h;
    ec_hsize start[4] = { (ec_hsize)index },
             count[4] = { 1, (ec_hsize)p->height, (ec_hsize)p->width, (ec_hsize)p->channels };
    bool read = false;
    ec_hid space, memory;

    ec_hdf5_begin();
    space = h->Dget_space(part->x);
    memory = h->Screate_simple(4, count, NULL);
    if (space >= 0 && memory >= 0 &&
        h->Sselect_hyperslab(space, EC_H5_SELECT_SET, start, NULL, count, NULL) >= 0)
        read = h->Dread(part->x, *h->native_u8, memory, space, 0, to) >= 0;
    if (memory >= 0)
        (void)h->Sclose(memory);
    if (space >= 0)
        (void)h->Sclose(space);
    ec_hdf5_end();
    return read ? EC_OK
                : ec_fail(err, EC_E_IO, "%s: cannot read image %lld", part->path, (long long)index);
}

static enum ec_status get_pcam(const struct ec_samples *s, const struct ec__ask *ask,
                               const struct ec_sample_data *out, struct ec__scratch *scratch,
                               struct ec_err *err)
{
    const struct pcam *p = s->state;
    const struct pcam_part *part = &p->part[ask->part];
    struct ec__image im = { NULL,       p->channels, p->height, p->width, 1, p->width * p->channels,
                            p->channels };
    struct ec__box box = { 0, 0, (double)p->height, (double)p->width };
    bool flip = ask->rng && ec_rng_next(ask->rng) >> 63;
    unsigned char *data;

    if (out->label)
        *out->label = part->label[ask->index];
    if (out->target)
        *out->target = (float)part->label[ask->index];
    if (!out->x)
        return EC_OK;
    data = ec__scratch_get(scratch, 1, (size_t)(p->height * p->width * p->channels));
    EC_PASS(ec_allocated(data, err));
    EC_PASS(read_image(p, part, ask->index, data, err));
    im.data = data;
    if (ask->rng && s->augment == EC_AUGMENT_RESIZED_CROP)
        ec__random_box(ask->rng, p->height, p->width, &box);
    return ec__image_resize(&im, &box, flip, &p->levels, s->info.shape, out->x, scratch, err);
}

static void close_pcam(struct ec_samples *s)
{
    struct pcam *p = s->state;
    int i;

    if (!p)
        return;
    ec_hdf5_begin();
    for (i = 0; i < EC_PART_COUNT; i++) {
        if (p->part[i].x >= 0)
            (void)p->h.Dclose(p->part[i].x);
        if (p->part[i].file >= 0)
            (void)p->h.Fclose(p->part[i].file);
    }
    ec_hdf5_end();
}

const struct ec__reader ec__reader_pcam = {
    .about = {.name = "pcam",
              .usage = "pcam[:FOLDER]",
              .help = "PatchCamelyon, HDF5",
              .raw = true},
    .folder = "pcam",
    .open = open_pcam,
    .get = get_pcam,
    .close = close_pcam,
};
