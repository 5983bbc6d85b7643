/* MNIST and Fashion-MNIST: IDX files, plain or gzip. */
#include "dataset/samples_internal.h"

#include <string.h>

#define FILE_MAX_BYTES EC_SIZE_BOUND((uint64_t)4 << 30)
#define EDGE_MAX 4096

static int64_t big_endian(const unsigned char *p)
{
    return (int64_t)p[0] << 24 | (int64_t)p[1] << 16 | (int64_t)p[2] << 8 | p[3];
}

/* Of bytes with one to three dimensions, as ec__idx_parse reads them. */
static size_t size_said(const unsigned char *head, size_t len)
{
    int64_t bytes = 1;
    int i, rank = len > 4 ? head[3] : 0;

    for (i = 0; i < rank && rank <= 3; i++)
        if (len < 8 + 4 * (size_t)i || !ec_mul_i64(bytes, big_endian(head + 4 + 4 * i), &bytes))
            return 0;
    return rank && rank <= 3 ? (size_t)bytes + 4 + 4 * (size_t)rank : 0;
}

enum ec_status ec__idx_parse(const struct ec__bytes *b, int rank, int64_t dims[3],
                             struct ec_err *err)
{
    size_t head = 4 + 4 * (size_t)rank;
    int64_t bytes = 1;
    int i;

    if (b->len < head || b->data[0] || b->data[1] || b->data[2] != 8 || b->data[3] != rank)
        return ec_fail(err, EC_E_PARSE, "no IDX file of bytes with %d dimensions", rank);
    for (i = 0; i < rank; i++) {
        dims[i] = big_endian(b->data + 4 + 4 * i);
        if (!dims[i] || (i && dims[i] > EDGE_MAX) || !ec_mul_i64(bytes, dims[i], &bytes))
            return ec_fail(err, EC_E_PARSE, "IDX dimension %d is %lld", i, (long long)dims[i]);
    }
    if ((uint64_t)bytes != b->len - head)
        return ec_fail(err, EC_E_PARSE, "IDX header says %lld bytes, %zu follow", (long long)bytes,
                       b->len - head);
    return EC_OK;
}

/* Images of a part; the first file makes the set. */
static enum ec_status put(struct ec_samples *s, const struct ec__bytes *images,
                          const struct ec__bytes *labels, enum ec_part part, struct ec_err *err)
{
    struct ec__pixels *p = s->state;
    int64_t dims[3] = { 0 }, n[3] = { 0 }, first = 0, i;

    EC_PASS(ec__idx_parse(images, 3, dims, err));
    EC_PASS(ec__idx_parse(labels, 1, n, err));
    if (dims[0] != n[0])
        return ec_fail(err, EC_E_PARSE, "%lld images and %lld labels", (long long)dims[0],
                       (long long)n[0]);
    if (!p)
        EC_PASS(ec__pixels_new(s, 1, dims[1], dims[2], 10, &p, err));
    if (p->h != dims[1] || p->w != dims[2])
        return ec_fail(err, EC_E_PARSE, "test images are %lldx%lld, training images %lldx%lld",
                       (long long)dims[1], (long long)dims[2], (long long)p->h, (long long)p->w);
    EC_PASS(ec__pixels_add(p, part, dims[0], &first, err));
    memcpy(p->data[part], images->data + 16, images->len - 16);
    for (i = 0; i < dims[0]; i++)
        p->label[part][i] = labels->data[8 + i];
    return EC_OK;
}

static enum ec_status read_part(struct ec_samples *s, const char *images_path,
                                const char *labels_path, enum ec_part part, struct ec_err *err)
{
    struct ec__bytes images = { 0 }, labels = { 0 };
    enum ec_status st = EC_OK;

    EC_TRY(ec__bytes_load_as(images_path, FILE_MAX_BYTES, size_said, &images, err));
    EC_TRY(ec__bytes_load_as(labels_path, FILE_MAX_BYTES, size_said, &labels, err));
    st = ec_within(err, put(s, &images, &labels, part, err), "%s: ", images_path);
out:
    ec__bytes_clear(&images);
    ec__bytes_clear(&labels);
    return st;
}

/* clang-format off */
#define FORMS(stem, kind) \
    (const char *const[]){ stem "-" kind, stem "-" kind ".gz", "MNIST/raw/" stem "-" kind, \
                           "FashionMNIST/raw/" stem "-" kind, NULL }
/* clang-format on */

static enum ec_status open_idx(struct ec_samples *s, enum ec_augment augment, struct ec_err *err)
{
    const char *dir = s->info.path, *images, *labels, *test_images, *test_labels;

    images = ec__find_path(&s->arena, dir, FORMS("train", "images-idx3-ubyte"));
    labels = ec__find_path(&s->arena, dir, FORMS("train", "labels-idx1-ubyte"));
    test_images = ec__find_path(&s->arena, dir, FORMS("t10k", "images-idx3-ubyte"));
    test_labels = ec__find_path(&s->arena, dir, FORMS("t10k", "labels-idx1-ubyte"));
    if (!images || !labels)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "%s: has no train-images-idx3-ubyte[.gz] with "
                       "train-labels-idx1-ubyte[.gz]; \"epochcast fetch %s\" downloads them",
                       dir, s->reader->about.name);
    EC_PASS(read_part(s, images, labels, EC_PART_TRAIN, err));
    if (test_images && test_labels)
        EC_PASS(read_part(s, test_images, test_labels, EC_PART_TEST, err));
    return ec__pixels_ready(s, s->state, augment, err);
}

static enum ec_status open_mnist(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    (void)opts;
    return open_idx(s, EC_AUGMENT_NONE, err);
}

static enum ec_status open_fashion(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    static const char *const names[] = { "t-shirt", "trouser", "pullover", "dress", "coat",
                                         "sandal",  "shirt",   "sneaker",  "bag",   "ankle boot" };

    (void)opts;
    s->info.class_names = names;
    return open_idx(s, EC_AUGMENT_FLIP, err);
}

const struct ec__reader ec__reader_mnist = {
    .about = {.name = "mnist",
              .usage = "mnist[:FOLDER]",
              .help = "MNIST, and any IDX files of its names"},
    .folder = "mnist",
    .open = open_mnist,
    .get = ec__pixels_get,
    .close = ec__pixels_close,
};

const struct ec__reader ec__reader_fashion = {
    .about = {.name = "fashion", .usage = "fashion[:FOLDER]", .help = "Fashion-MNIST"},
    .folder = "fashion",
    .open = open_fashion,
    .get = ec__pixels_get,
    .close = ec__pixels_close,
};
