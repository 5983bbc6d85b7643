/* CIFAR-10 and CIFAR-100 as distributed: the binary version, and the batches that Python pickled.
 */
#include "dataset/samples_internal.h"

#include <string.h>

#include "dataset/pickle_internal.h"

#define EDGE 32
#define IMAGE_BYTES ((int64_t)3 * EDGE * EDGE)
#define FILE_MAX_BYTES ((size_t)1 << 30)
#define PICKLE_ARENA_BYTES ((size_t)64 << 20)
#define NAMES_MAX_BYTES ((size_t)1 << 20)

struct flavour {
    int64_t classes;
    int64_t label_bytes;          /* before each image of the binary version */
    int64_t label_at;             /* the one that counts */
    const char *labels, *names;   /* keys of the pickles */
    const char *const *binary[2]; /* training and test files */
    const char *const *pickled[2];
    const char *const *folders; /* where the archives unpack to, below the path */
    const char *const *meta;    /* names of the classes, a line each */
    const char *const *pickled_meta;
};

/* clang-format off */
#define NAMES(...) (const char *const[]){ __VA_ARGS__, NULL }

static const struct flavour cifar10 = {
    .classes = 10, .label_bytes = 1, .labels = "labels", .names = "label_names",
    .binary = { NAMES("data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                      "data_batch_4.bin", "data_batch_5.bin"), NAMES("test_batch.bin") },
    .pickled = { NAMES("data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                       "data_batch_5"), NAMES("test_batch") },
    .folders = NAMES("cifar-10-batches-bin", "cifar-10-batches-py"),
    .meta = NAMES("batches.meta.txt"), .pickled_meta = NAMES("batches.meta"),
};

static const struct flavour cifar100 = {
    .classes = 100, .label_bytes = 2, .label_at = 1,
    .labels = "fine_labels", .names = "fine_label_names",
    .binary = { NAMES("train.bin"), NAMES("test.bin") },
    .pickled = { NAMES("train"), NAMES("test") },
    .folders = NAMES("cifar-100-binary", "cifar-100-python"),
    .meta = NAMES("fine_label_names.txt"), .pickled_meta = NAMES("meta"),
};
/* clang-format on */

/* --- Files --- */

enum ec_status ec__cifar_binary(const struct ec__bytes *b, int64_t label_bytes, int64_t label_at,
                                struct ec__pixels *p, enum ec_part part, struct ec_err *err)
{
    int64_t record = label_bytes + IMAGE_BYTES, n = (int64_t)b->len / record, first = 0, i;
    const unsigned char *from = b->data;

    if (!n || (int64_t)b->len % record)
        return ec_fail(err, EC_E_PARSE, "has %zu bytes, expected a multiple of %lld", b->len,
                       (long long)record);
    EC_PASS(ec__pixels_add(p, part, n, &first, err));
    for (i = first; i < first + n; i++, from += record) {
        p->label[part][i] = from[label_at];
        memcpy(p->data[part] + i * IMAGE_BYTES, from + label_bytes, (size_t)IMAGE_BYTES);
    }
    return EC_OK;
}

static enum ec_status put_pickled(const struct ec__py *root, const char *label_key,
                                  struct ec__pixels *p, enum ec_part part, struct ec_err *err)
{
    const struct ec__py *data = ec__py_get(root, "data"), *labels = ec__py_get(root, label_key);
    const unsigned char *rows;
    int64_t n = 0, first = 0, i;

    rows = data ? ec__py_rows_u8(data, IMAGE_BYTES, &n) : NULL;
    if (!rows || !n)
        return ec_fail(err, EC_E_PARSE, "pickle has no \"data\", an array of bytes with rows of %d",
                       (int)IMAGE_BYTES);
    if (!labels || labels->type != EC__PY_LIST || labels->n != n)
        return ec_fail(err, EC_E_PARSE, "pickle has no \"%s\", a list of %lld numbers", label_key,
                       (long long)n);
    EC_PASS(ec__pixels_add(p, part, n, &first, err));
    for (i = 0; i < n; i++) {
        const struct ec__py *v = labels->item[i];

        if (v->type != EC__PY_INT || v->i < 0 || v->i > INT32_MAX)
            return ec_fail(err, EC_E_PARSE, "label %lld is no number", (long long)i);
        p->label[part][first + i] = (int32_t)v->i;
    }
    memcpy(p->data[part] + first * IMAGE_BYTES, rows, (size_t)(n * IMAGE_BYTES));
    return EC_OK;
}

enum ec_status ec__cifar_pickled(const struct ec__bytes *b, const char *label_key,
                                 struct ec__pixels *p, enum ec_part part, struct ec_err *err)
{
    /* bytes of protocols 0 to 2 are decoded there, to no more than they take in the file */
    struct ec_arena a = { .max_bytes = PICKLE_ARENA_BYTES + b->len };
    const struct ec__py *root = NULL;
    enum ec_status st = ec__pickle_parse(b->data, b->len, &a, &root, err);

    if (!st)
        st = put_pickled(root, label_key, p, part, err);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status read_file(const struct flavour *f, const char *path, bool pickled,
                                struct ec__pixels *p, enum ec_part part, struct ec_err *err)
{
    struct ec__bytes b = { 0 };
    enum ec_status st;

    EC_PASS(ec__bytes_load(path, FILE_MAX_BYTES, &b, err));
    st = ec_within(err,
                   pickled ? ec__cifar_pickled(&b, f->labels, p, part, err)
                           : ec__cifar_binary(&b, f->label_bytes, f->label_at, p, part, err),
                   "%s: ", path);
    ec__bytes_clear(&b);
    return st;
}

/* --- Names of the classes: optional, missing ones are not an error --- */

static const char *const *names_of_text(struct ec_arena *a, const struct ec__bytes *b, int64_t n)
{
    const char **names = ec_arena_alloc(a, (size_t)n * sizeof *names);
    struct ec_span rest = { (const char *)b->data, b->len }, line;
    int64_t i = 0;

    while (names && rest.p && i < n && ec_span_cut(&rest, '\n', &line)) {
        line = ec_span_trim(line);
        if (line.len)
            names[i++] = ec_arena_strn(a, line.p, line.len);
    }
    return i == n && names[n - 1] ? names : NULL;
}

static const char *const *names_of_pickle(struct ec_arena *a, const struct ec__bytes *b,
                                          const struct flavour *f)
{
    const char **names = ec_arena_alloc(a, (size_t)f->classes * sizeof *names);
    struct ec_arena values = { .max_bytes = PICKLE_ARENA_BYTES };
    const struct ec__py *root = NULL, *list = NULL;
    int64_t i = 0;

    if (ec__pickle_parse(b->data, b->len, &values, &root, NULL) == EC_OK)
        list = ec__py_get(root, f->names);
    if (names && list && list->type == EC__PY_LIST && list->n == f->classes)
        for (i = 0; i < list->n && list->item[i]->type == EC__PY_BYTES; i++)
            names[i] =
                ec_arena_strn(a, (const char *)list->item[i]->bytes, (size_t)list->item[i]->n);
    ec_arena_clear(&values);
    return i == f->classes && names[i - 1] ? names : NULL;
}

static void read_names(struct ec_samples *s, const struct flavour *f, const char *dir)
{
    const char *text = ec__find_path(&s->arena, dir, f->meta), *pickled;
    struct ec__bytes b = { 0 };

    pickled = text ? NULL : ec__find_path(&s->arena, dir, f->pickled_meta);
    if ((!text && !pickled) ||
        ec__bytes_load(text ? text : pickled, NAMES_MAX_BYTES, &b, NULL) != EC_OK)
        return;
    s->info.class_names =
        text ? names_of_text(&s->arena, &b, f->classes) : names_of_pickle(&s->arena, &b, f);
    ec__bytes_clear(&b);
}

/* --- The readers --- */

static bool has(struct ec_arena *a, const char *dir, const char *const *names)
{
    return ec__find_path(a, dir, (const char *const[]){ names[0], NULL }) != NULL;
}

/* The folder with the files: the path, or the folder below it that the archive unpacks to. */
static const char *find_folder(struct ec_samples *s, const struct flavour *f, bool *ret_pickled)
{
    const char *dir = s->info.path, *const *name = f->folders;

    for (; dir; dir = *name ? ec_arena_printf(&s->arena, "%s/%s", s->info.path, *name++) : NULL) {
        *ret_pickled = false;
        if (has(&s->arena, dir, f->binary[0]))
            return dir;
        *ret_pickled = true;
        if (has(&s->arena, dir, f->pickled[0]))
            return dir;
    }
    return NULL;
}

static enum ec_status read_all(struct ec_samples *s, const struct flavour *f, const char *dir,
                               bool pickled, struct ec__pixels *p, struct ec_err *err)
{
    static const enum ec_part parts[2] = { EC_PART_TRAIN, EC_PART_TEST };
    const char *const *name, *path;
    int i;

    for (i = 0; i < 2; i++)
        for (name = pickled ? f->pickled[i] : f->binary[i]; *name; name++) {
            path = ec_arena_printf(&s->arena, "%s/%s", dir, *name);
            EC_PASS(ec_allocated(path, err));
            if (i && !ec__path_exists(path)) /* training works without test samples */
                continue;
            EC_PASS(read_file(f, path, pickled, p, parts[i], err));
        }
    return EC_OK;
}

static enum ec_status open_cifar(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    const struct flavour *f = s->reader->variant;
    struct ec__pixels *p = NULL;
    bool pickled = false;
    const char *dir;

    (void)opts;
    dir = find_folder(s, f, &pickled);
    if (!dir)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "%s: has neither %s nor %s; \"epochcast fetch %s\" downloads them",
                       s->info.path, f->binary[0][0], f->pickled[0][0], s->reader->about.name);
    EC_PASS(ec__pixels_new(s, 3, EDGE, EDGE, f->classes, &p, err));
    EC_PASS(read_all(s, f, dir, pickled, p, err));
    read_names(s, f, dir);
    return ec__pixels_ready(s, p, EC_AUGMENT_CROP_FLIP, err);
}

const struct ec__reader ec__reader_cifar10 = {
    .about = {.name = "cifar10",
              .usage = "cifar10[:FOLDER]",
              .help = "CIFAR-10, binary or Python version"},
    .folder = "cifar10",
    .variant = &cifar10,
    .open = open_cifar,
    .get = ec__pixels_get,
    .close = ec__pixels_close,
};

const struct ec__reader ec__reader_cifar100 = {
    .about = {.name = "cifar100",
              .usage = "cifar100[:FOLDER]",
              .help = "CIFAR-100 with its fine labels, binary or Python version"},
    .folder = "cifar100",
    .variant = &cifar100,
    .open = open_cifar,
    .get = ec__pixels_get,
    .close = ec__pixels_close,
};
