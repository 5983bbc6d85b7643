/* Folders of JPEG images, a folder per class: ImageNet, Imagenette and what is laid out alike.
 *
 * Training takes a random box of the image, resized and flipped; validation resizes the shorter
 * edge to 256/224 of the network's and takes the middle. */
#include "dataset/samples_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)256 << 20)
#define FILES_MAX 100000000
#define CLASSES_MAX 1000000
#define DEFAULT_EDGE 224
/* Of ImageNet's training images, as torchvision and its weights use them. */
static const float imagenet_mean[3] = { 0.485F, 0.456F, 0.406F };
static const float imagenet_std[3] = { 0.229F, 0.224F, 0.225F };

#include "image_folder_fields.h"

struct image_file {
    const char *path;
    int32_t label;
};

struct list {
    struct image_file *v;
    int n, cap;
};

struct folder {
    struct list part[EC_PART_COUNT];
    double zoom;
    bool skip_broken;
    struct ec__levels levels;
};

/* --- Listing --- */

struct names {
    const char **v;
    int n, cap;
};

static bool is_jpeg(const char *name)
{
    return ec_str_glob("*.jpg", name) || ec_str_glob("*.jpeg", name);
}

/* Sorted names in a folder: of folders, or of JPEG files. Text goes to the arena. */
static enum ec_status list_names(const char *dir, bool folders, struct ec_arena *a,
                                 struct names *ret, struct ec_err *err)
{
    DIR *d = opendir(dir);
    enum ec_status st = EC_OK;
    const struct dirent *e;
    char *path;

    if (!d)
        return ec_fail(err, errno == ENOENT || errno == ENOTDIR ? EC_E_NOT_FOUND : EC_E_IO,
                       "%s: cannot open the folder: %s", dir, strerror(errno));
    while (!st && (e = readdir(d))) { /* NOLINT(concurrency-mt-unsafe): a stream of our own */
        if (e->d_name[0] == '.')
            continue;
        path = ec_arena_printf(a, "%s/%s", dir, e->d_name);
        if (!path)
            st = ec_nomem(err);
        else if (folders ? ec_is_folder(path) : is_jpeg(e->d_name))
            st = ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err);
        else
            continue;
        if (!st)
            ret->v[ret->n++] = path;
    }
    (void)closedir(d);
    if (!st && ret->n)
        qsort(ret->v, (size_t)ret->n, sizeof *ret->v, ec_by_text);
    return st;
}

static enum ec_status add_class(const char *dir, int32_t label, struct list *l, struct ec_arena *a,
                                struct ec_err *err)
{
    struct names files = { 0 };
    enum ec_status st;
    int i;

    st = list_names(dir, false, a, &files, err);
    if (!st && l->n > FILES_MAX - files.n)
        st = ec_fail(err, EC_E_INPUT, "more than %d images", FILES_MAX);
    if (!st)
        st = ec_grow(&l->v, &l->cap, l->n + files.n, sizeof *l->v, err);
    for (i = 0; !st && i < files.n; i++)
        l->v[l->n++] = (struct image_file){ files.v[i], label };
    ec_free(files.v);
    return st;
}

/* Classes are the folders of the training images, in alphabetical order. */
static enum ec_status set_classes(struct ec_samples *s, const struct names *dirs,
                                  struct ec_err *err)
{
    const char **names = ec_arena_alloc(&s->arena, (size_t)(dirs->n + 1) * sizeof *names);
    int i;

    EC_PASS(ec_allocated(names, err));
    if (dirs->n < 2 || dirs->n > CLASSES_MAX)
        return ec_fail(err, EC_E_INPUT, "%s: has %d folders, expected one for each class",
                       s->info.path, dirs->n);
    for (i = 0; i < dirs->n; i++)
        names[i] = ec_path_name(dirs->v[i]);
    s->info.class_names = names;
    s->info.classes = dirs->n;
    return EC_OK;
}

static enum ec_status read_part(struct ec_samples *s, struct folder *f, enum ec_part part,
                                const char *dir, struct ec_err *err)
{
    struct names dirs = { 0 };
    enum ec_status st = EC_OK;
    int i, label;

    EC_TRY(list_names(dir, true, &s->arena, &dirs, err));
    if (part == EC_PART_TRAIN)
        EC_TRY(set_classes(s, &dirs, err));
    for (i = 0; i < dirs.n; i++) {
        label = ec_name_index(s->info.class_names, (int)s->info.classes, ec_path_name(dirs.v[i]));
        if (label < 0)
            EC_TRY(
                ec_fail(err, EC_E_INPUT, "%s: no such class among the training images", dirs.v[i]));
        EC_TRY(add_class(dirs.v[i], label, &f->part[part], &s->arena, err));
    }
    if (!f->part[part].n)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "%s: holds no JPEG images in folders", dir));
    s->info.count[part] = f->part[part].n;
out:
    ec_free(dirs.v);
    return st;
}

/* The folder with train/ in it: the path, or the one that an archive makes in it. */
static const char *find_train(struct ec_samples *s, const char **ret_root)
{
    static const char *const below[] = { "", "/imagenette2", "/imagenette2-320", "/imagenette2-160",
                                         NULL };
    const char *root, *train;
    int i;

    for (i = 0; below[i]; i++) {
        root = ec_arena_printf(&s->arena, "%s%s", s->info.path, below[i]);
        train = root ? ec_arena_printf(&s->arena, "%s/train", root) : NULL;
        if (train && ec_is_folder(train)) {
            *ret_root = root;
            return train;
        }
    }
    *ret_root = NULL;
    return s->info.path;
}

static enum ec_status read_parts(struct ec_samples *s, struct folder *f, struct ec_err *err)
{
    const char *root = NULL, *train = find_train(s, &root), *other;
    int part;

    EC_PASS(read_part(s, f, EC_PART_TRAIN, train, err));
    for (part = EC_PART_VAL; root && part < EC_PART_COUNT; part++) {
        other = ec_arena_printf(&s->arena, "%s/%s", root, ec_part_name((enum ec_part)part));
        if (other && ec_is_folder(other))
            EC_PASS(read_part(s, f, (enum ec_part)part, other, err));
    }
    return EC_OK;
}

static void set_levels(struct ec_samples *s, struct folder *f)
{
    if (s->opts.normalise == EC_NORMALISE_AUTO) {
        s->info.n_channels = 3;
        memcpy(s->info.mean, imagenet_mean, sizeof imagenet_mean);
        memcpy(s->info.std, imagenet_std, sizeof imagenet_std);
    }
    ec__levels_make(&f->levels, &s->info);
}

static enum ec_status open_folder(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    const struct folder_opts *o = opts;
    struct folder *f = ec_arena_alloc(&s->arena, sizeof *f);
    int64_t edge = o->px ? o->px : DEFAULT_EDGE;

    EC_PASS(ec_allocated(f, err));
    s->state = f;
    f->zoom = o->zoom;
    f->skip_broken = o->skip_broken;
    if (o->px)
        s->opts.shape.n = 0;
    EC_PASS(read_parts(s, f, err));
    EC_PASS(ec__image_shape(s, 3, edge, edge, err));
    s->info.label = s->info.classes == 2 ? EC_LABEL_BINARY : EC_LABEL_CLASS;
    s->info.label_elems = 1;
    s->augment = s->opts.augment == EC_AUGMENT_AUTO ? EC_AUGMENT_RESIZED_CROP : s->opts.augment;
    set_levels(s, f);
    return EC_OK;
}

/* --- One image --- */

struct view {
    const struct ec_samples *s;
    struct ec_rng *rng;
};

/* The middle of the image, `zoom` times smaller than it could be. */
static void middle(double zoom, const int64_t shape[3], int64_t h, int64_t w, struct ec__box *ret)
{
    double fit_h = (double)h / (double)shape[1], fit_w = (double)w / (double)shape[2];
    double step = (fit_h < fit_w ? fit_h : fit_w) / zoom;

    ret->h = (double)shape[1] * step;
    ret->w = (double)shape[2] * step;
    ret->y = ((double)h - ret->h) / 2;
    ret->x = ((double)w - ret->w) / 2;
}

static void choose_box(void *arg, int64_t h, int64_t w, struct ec__box *ret)
{
    const struct view *v = arg;
    const struct folder *f = v->s->state;

    if (v->rng && v->s->augment == EC_AUGMENT_RESIZED_CROP) {
        ec__random_box(v->rng, h, w, ret);
        return;
    }
    middle(f->zoom, v->s->info.shape, h, w, ret);
    if (v->rng && v->s->augment == EC_AUGMENT_CROP_FLIP) {
        ret->y = ((double)h - ret->h) * ec_rng_unit(v->rng);
        ret->x = ((double)w - ret->w) * ec_rng_unit(v->rng);
    }
}

static enum ec_status put_image(const struct ec_samples *s, const char *path, struct ec_rng *rng,
                                float *x, struct ec__scratch *scratch, struct ec_err *err)
{
    const struct folder *f = s->state;
    struct view v = { s, rng };
    struct ec__bytes b = { 0 };
    struct ec__image im = { 0 };
    struct ec__box box = { 0 };
    bool flip = rng && ec_rng_next(rng) >> 63;
    enum ec_status st;

    EC_PASS(ec__bytes_load_to(path, FILE_MAX_BYTES, scratch, 2, &b, err));
    st = ec__jpeg_decode(&b, choose_box, &v, s->info.shape, &im, &box, scratch, err);
    if (!st)
        st = ec__image_resize(&im, &box, flip, &f->levels, s->info.shape, x, scratch, err);
    return ec_within(err, st, "%s: ", path);
}

#define SKIPS_MAX 100

static enum ec_status get_folder(const struct ec_samples *s, const struct ec__ask *ask,
                                 const struct ec_sample_data *out, struct ec__scratch *scratch,
                                 struct ec_err *err)
{
    const struct folder *f = s->state;
    const struct list *l = &f->part[ask->part];
    const struct image_file *file = &l->v[ask->index];
    enum ec_status st = EC_OK;
    int64_t skips;

    for (skips = 0; out->x && skips < SKIPS_MAX; skips++) {
        file = &l->v[(ask->index + skips) % l->n];
        st = put_image(s, file->path, ask->rng, out->x, scratch, err);
        if (!st || !f->skip_broken || st == EC_E_NOMEM)
            break;
    }
    if (st)
        return st;
    if (out->label)
        *out->label = file->label;
    if (out->target && s->info.label == EC_LABEL_BINARY)
        *out->target = (float)file->label;
    return EC_OK;
}

static void close_folder(struct ec_samples *s)
{
    struct folder *f = s->state;
    int part;

    for (part = 0; f && part < EC_PART_COUNT; part++)
        ec_free(f->part[part].v);
}

const struct ec__reader ec__reader_imagefolder = {
    .about = {.name = "imagefolder",
              .usage = "imagefolder:FOLDER[,key=value,...]",
              .help = "JPEG images in a folder per class, below train/, val/, test/ or at once",
              .fields = folder_fields},
    .needs_path = true,
    .opts_size = sizeof(struct folder_opts),
    .open = open_folder,
    .get = get_folder,
    .close = close_folder,
};

const struct ec__reader ec__reader_imagenette = {
    .about = {.name = "imagenette",
              .usage = "imagenette[:FOLDER][,key=value,...]",
              .help = "Imagenette, ten classes of ImageNet",
              .fields = folder_fields},
    .folder = "imagenette",
    .opts_size = sizeof(struct folder_opts),
    .open = open_folder,
    .get = get_folder,
    .close = close_folder,
};
