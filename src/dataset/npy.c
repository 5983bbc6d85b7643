/* Arrays that NumPy saved: x and y of each split, read sample by sample where the file is on disk,
 * so that an array may be larger than memory. */
#include "dataset/samples_internal.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define HEADER_MAX_BYTES 65536
#define LABELS_MAX_BYTES ((size_t)1 << 31)
#define CLASSES_MAX 1000000

enum layout { LAYOUT_AUTO, LAYOUT_NCHW, LAYOUT_NHWC };
static const char *const layout_words[] = { "auto", "nchw", "nhwc", NULL };
enum task { TASK_AUTO, TASK_CLASSES, TASK_REGRESS };
static const char *const task_words[] = { "auto", "classes", "regress", NULL };

#include "npy_fields.h"

struct array {
    const char *path;
    int fd;
    struct ec__npy head;
    int64_t row_elems;
};

struct npy {
    struct array x[EC_PART_COUNT];
    int64_t *label[EC_PART_COUNT]; /* classes, (n) */
    float *target[EC_PART_COUNT];  /* (n, label_elems) */
    bool nhwc;
    struct ec__levels levels; /* bytes */
};

/* --- The format --- */

static struct ec_span value_after(struct ec_span text, const char *key)
{
    const char *p = memmem(text.p, text.len, key, strlen(key));
    size_t skip;

    if (!p)
        return (struct ec_span){ "", 0 };
    skip = (size_t)(p - text.p) + strlen(key);
    text = (struct ec_span){ text.p + skip, text.len - skip };
    return ec_span_trim(text);
}

/* (60000, 28, 28) */
static bool parse_shape(struct ec_span text, struct ec__npy *ret)
{
    const char *end = text.len ? memchr(text.p, ')', text.len) : NULL;
    struct ec_span rest, word;
    int64_t elems = 1;

    if (!end || text.p[0] != '(')
        return false;
    rest = (struct ec_span){ text.p + 1, (size_t)(end - text.p) - 1 };
    for (ret->rank = 0; rest.p && ec_span_cut(&rest, ',', &word);) {
        word = ec_span_trim(word);
        if (!word.len)
            continue;
        if (ret->rank == EC_SAMPLE_RANK_MAX + 1 || !ec_parse_int(word, &ret->dim[ret->rank]) ||
            ret->dim[ret->rank] < 1 || !ec_mul_i64(elems, ret->dim[ret->rank], &elems))
            return false;
        ret->rank++;
    }
    ret->elems = elems;
    return ret->rank > 0;
}

static bool parse_type(struct ec_span text, struct ec__npy *ret)
{
    static const struct {
        const char *name;
        char kind;
        int bytes;
    } types[] = {
        {"'|u1'",  'u', 1},
        { "'|b1'", 'u', 1},
        { "'|i1'", 'i', 1},
        { "'<u2'", 'u', 2},
        { "'<i2'", 'i', 2},
        { "'<i4'", 'i', 4},
        { "'<u4'", 'u', 4},
        { "'<i8'", 'i', 8},
        { "'<f4'", 'f', 4},
        { "'<f8'", 'f', 8},
    };
    int i;

    for (i = 0; i < EC_LEN(types); i++)
        if (text.len >= 5 && memcmp(text.p, types[i].name, 5) == 0) {
            ret->kind = types[i].kind;
            ret->item_bytes = types[i].bytes;
            return true;
        }
    return false;
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), } */
enum ec_status ec__npy_parse(const unsigned char *data, size_t len, struct ec__npy *ret,
                             struct ec_err *err)
{
    struct ec_span text, type, order;
    size_t at = 10, head;

    if (len < 12 || memcmp(data, "\x93NUMPY", 6) != 0)
        return ec_fail(err, EC_E_PARSE, "is no array that NumPy saved");
    head = (size_t)data[8] | (size_t)data[9] << 8;
    if (data[6] >= 2) {
        head |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
        at = 12;
    }
    if (data[6] > 3 || head > len - at)
        return ec_fail(err, EC_E_PARSE, "the header of the array is cut short or unknown");
    text = (struct ec_span){ (const char *)data + at, head };
    ret->data_at = (int64_t)(at + head);
    type = value_after(text, "'descr':");
    if (!parse_type(type, ret))
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "array of type %.*s, expected little-endian numbers of 1 to 8 bytes",
                       type.len > 12 ? 12 : (int)type.len, type.p);
    order = value_after(text, "'fortran_order':");
    if (order.len < 5 || memcmp(order.p, "False", 5) != 0)
        return ec_fail(err, EC_E_UNSUPPORTED, "array in Fortran's order, expected C's");
    if (!parse_shape(value_after(text, "'shape':"), ret))
        return ec_fail(err, EC_E_PARSE, "the shape of the array is malformed");
    return EC_OK;
}

/* One number of the array as a double; wide integers lose what a double cannot hold. */
static double number_at(const struct ec__npy *h, const unsigned char *p)
{
    uint64_t v = 0;
    double d;
    float f;
    int i;

    if (h->kind == 'f' && h->item_bytes == 4) {
        memcpy(&f, p, sizeof f);
        return (double)f;
    }
    for (i = h->item_bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    if (h->kind == 'f') {
        memcpy(&d, &v, sizeof d);
        return d;
    }
    if (h->kind == 'i' && h->item_bytes < 8 && v >> (8 * h->item_bytes - 1))
        v |= ~(uint64_t)0 << (8 * h->item_bytes);
    return h->kind == 'i' ? (double)(int64_t)v : (double)v;
}

/* --- Files --- */

static enum ec_status open_array(const char *path, struct array *ret, struct ec_err *err)
{
    unsigned char head[HEADER_MAX_BYTES];
    int64_t size_bytes = 0, n, bytes;
    enum ec_status st;

    ret->path = path;
    EC_PASS(ec_file_open_read(path, &ret->fd, &size_bytes, err));
    n = size_bytes < HEADER_MAX_BYTES ? size_bytes : HEADER_MAX_BYTES;
    EC_PASS(ec__pread(ret->fd, path, head, n, 0, err));
    st = ec__npy_parse(head, (size_t)n, &ret->head, err);
    if (!st && (!ec_mul_i64(ret->head.elems, ret->head.item_bytes, &bytes) ||
                bytes != size_bytes - ret->head.data_at))
        st = ec_fail(err, EC_E_PARSE, "array of %lld numbers of %d bytes, but %lld bytes follow",
                     (long long)ret->head.elems, ret->head.item_bytes,
                     (long long)(size_bytes - ret->head.data_at));
    st = ec_within(err, st, "%s: ", path);
    ret->row_elems = ret->head.dim[0] ? ret->head.elems / ret->head.dim[0] : 0;
    return st;
}

/* The whole of y as numbers. */
static enum ec_status read_y(const char *path, int64_t rows, double **ret, int64_t *ret_elems,
                             bool *ret_whole, struct ec_err *err)
{
    struct array y = { .fd = -1 };
    unsigned char *raw = NULL;
    enum ec_status st = EC_OK;
    double *v = NULL;
    int64_t i;

    EC_TRY(open_array(path, &y, err));
    if (y.head.dim[0] != rows || y.head.elems > (int64_t)(LABELS_MAX_BYTES / sizeof *v))
        EC_TRY(ec_fail(err, EC_E_PARSE, "%s: %lld labels for %lld samples", path,
                       (long long)y.head.dim[0], (long long)rows));
    raw = ec_realloc(NULL, (size_t)(y.head.elems * y.head.item_bytes));
    v = ec_realloc(NULL, (size_t)y.head.elems * sizeof *v);
    EC_TRY(ec_allocated(raw && v, err));
    EC_TRY(ec__pread(y.fd, path, raw, y.head.elems * y.head.item_bytes, y.head.data_at, err));
    for (i = 0; i < y.head.elems; i++)
        v[i] = number_at(&y.head, raw + i * y.head.item_bytes);
    *ret = v;
    *ret_elems = y.row_elems;
    *ret_whole = y.head.kind != 'f';
    v = NULL;
out:
    if (y.fd >= 0)
        (void)close(y.fd);
    ec_free(raw);
    ec_free(v);
    return st;
}

static enum ec_status keep_classes(struct ec_samples *s, struct npy *a, enum ec_part part,
                                   const double *v, int64_t n, struct ec_err *err)
{
    int64_t i;

    a->label[part] = ec_arena_alloc(&s->arena, (size_t)n * sizeof *a->label[part]);
    EC_PASS(ec_allocated(a->label[part], err));
    for (i = 0; i < n; i++) {
        if (!(v[i] >= 0 && v[i] < CLASSES_MAX) || v[i] != floor(v[i]))
            return ec_fail(err, EC_E_PARSE, "label %lld is %g, expected a class from 0 on",
                           (long long)i, v[i]);
        a->label[part][i] = (int64_t)v[i];
        if (a->label[part][i] >= s->info.classes)
            s->info.classes = a->label[part][i] + 1;
    }
    return EC_OK;
}

static enum ec_status keep_labels(struct ec_samples *s, struct npy *a, enum ec_part part,
                                  const char *path, enum task task, struct ec_err *err)
{
    int64_t rows = a->x[part].head.dim[0], elems = 0, i;
    enum ec_status st = EC_OK;
    bool whole = false;
    double *v = NULL;

    EC_TRY(read_y(path, rows, &v, &elems, &whole, err));
    if (task == TASK_CLASSES || (task == TASK_AUTO && whole && elems == 1)) {
        st = keep_classes(s, a, part, v, rows, err);
    } else {
        a->target[part] = ec_arena_alloc(&s->arena, (size_t)(rows * elems) * sizeof(float));
        if (!a->target[part])
            st = ec_nomem(err);
        for (i = 0; !st && i < rows * elems; i++)
            a->target[part][i] = (float)v[i];
    }
    if (part != EC_PART_TRAIN && elems != s->info.label_elems)
        st = ec_fail(err, EC_E_PARSE, "%lld labels a sample, %lld in training", (long long)elems,
                     (long long)s->info.label_elems);
    s->info.label_elems = elems;
    st = ec_within(err, st, "%s: ", path);
out:
    ec_free(v);
    return st;
}

static enum ec_status read_part(struct ec_samples *s, struct npy *a, enum ec_part part,
                                const char *const *x_names, const char *const *y_names,
                                const struct npy_opts *o, struct ec_err *err)
{
    const char *x = ec__find_path(&s->arena, s->info.path, x_names),
               *y = ec__find_path(&s->arena, s->info.path, y_names);

    if (part != EC_PART_TRAIN && !x)
        return EC_OK;
    if (!x || !y)
        return ec_fail(err, EC_E_NOT_FOUND, "%s: has no %s with %s", s->info.path, x_names[0],
                       y_names[0]);
    EC_PASS(open_array(x, &a->x[part], err));
    EC_PASS(keep_labels(s, a, part, y, (enum task)o->task, err));
    if (a->x[part].row_elems != a->x[EC_PART_TRAIN].row_elems ||
        a->x[part].head.kind != a->x[EC_PART_TRAIN].head.kind)
        return ec_fail(err, EC_E_PARSE, "%s: samples unlike those of training", x);
    s->info.count[part] = a->x[part].head.dim[0];
    return EC_OK;
}

static void set_shape(struct ec_samples *s, struct npy *a, int layout)
{
    const struct ec__npy *h = &a->x[EC_PART_TRAIN].head;
    struct ec_samples_info *info = &s->info;
    int64_t last = h->dim[h->rank - 1];
    int i;

    info->input_elems = a->x[EC_PART_TRAIN].row_elems;
    info->rank = h->rank - 1;
    for (i = 0; i < info->rank; i++)
        info->shape[i] = h->dim[i + 1];
    if (h->rank == 1) {
        info->rank = 1;
        info->shape[0] = 1;
    }
    if (h->rank == 3) { /* grey images */
        info->rank = 3;
        info->shape[2] = info->shape[1];
        info->shape[1] = info->shape[0];
        info->shape[0] = 1;
    }
    a->nhwc = h->rank == 4 &&
              (layout == LAYOUT_NHWC ||
               (layout == LAYOUT_AUTO && (last == 1 || last == 3 || last == 4) && h->dim[1] > 4));
    if (a->nhwc) {
        info->shape[2] = info->shape[1];
        info->shape[1] = info->shape[0];
        info->shape[0] = last;
    }
}

static enum ec_status open_npy(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    static const char *const x[EC_PART_COUNT][3] = {
        {"x_train.npy", "x.npy", NULL},
        { "x_val.npy",  NULL,    NULL},
        { "x_test.npy", NULL,    NULL}
    };
    static const char *const y[EC_PART_COUNT][3] = {
        {"y_train.npy", "y.npy", NULL},
        { "y_val.npy",  NULL,    NULL},
        { "y_test.npy", NULL,    NULL}
    };
    const struct npy_opts *o = opts;
    struct npy *a = ec_arena_alloc(&s->arena, sizeof *a);
    int part;

    EC_PASS(ec_allocated(a, err));
    for (part = 0; part < EC_PART_COUNT; part++)
        a->x[part].fd = -1;
    s->state = a;
    for (part = 0; part < EC_PART_COUNT; part++)
        EC_PASS(read_part(s, a, (enum ec_part)part, x[part], y[part], o, err));
    set_shape(s, a, o->layout);
    s->info.label = a->target[EC_PART_TRAIN] ? EC_LABEL_VECTOR
                    : s->info.classes == 2   ? EC_LABEL_BINARY
                                             : EC_LABEL_CLASS;
    s->test_frac = o->test;
    EC_PASS(ec__shape_as_network(s, err));
    ec__levels_make(&a->levels, &s->info);
    return EC_OK;
}

/* Bytes are pixels in 0..255; other numbers are as they are. */
static void convert(const struct npy *a, const struct ec__npy *h, const unsigned char *raw,
                    const struct ec_samples_info *info, float *x)
{
    int64_t n = info->input_elems, c = a->nhwc ? h->dim[3] : 1, plane = n / c, i, k;
    bool pixels = h->kind == 'u' && h->item_bytes == 1;

    for (k = 0; k < c; k++)
        for (i = 0; i < plane; i++) {
            const unsigned char *p = raw + (i * c + k) * h->item_bytes;

            *x++ = pixels ? a->levels.v[0][*p] : (float)number_at(h, p);
        }
}

static enum ec_status get_npy(const struct ec_samples *s, const struct ec__ask *ask,
                              const struct ec_sample_data *out, struct ec__scratch *scratch,
                              struct ec_err *err)
{
    const struct npy *a = s->state;
    const struct array *x = &a->x[ask->part];
    int64_t elems = s->info.label_elems, bytes = x->row_elems * x->head.item_bytes;
    unsigned char *raw;

    if (out->label && a->label[ask->part])
        *out->label = a->label[ask->part][ask->index];
    if (out->target && a->target[ask->part])
        memcpy(out->target, a->target[ask->part] + ask->index * elems,
               (size_t)elems * sizeof *out->target);
    else if (out->target)
        *out->target = (float)a->label[ask->part][ask->index];
    if (!out->x)
        return EC_OK;
    raw = ec__scratch_get(scratch, 0, (size_t)bytes);
    EC_PASS(ec_allocated(raw, err));
    EC_PASS(ec__pread(x->fd, x->path, raw, bytes, x->head.data_at + ask->index * bytes, err));
    convert(a, &x->head, raw, &s->info, out->x);
    return EC_OK;
}

static void close_npy(struct ec_samples *s)
{
    struct npy *a = s->state;
    int part;

    for (part = 0; a && part < EC_PART_COUNT; part++)
        if (a->x[part].fd >= 0)
            (void)close(a->x[part].fd);
}

const struct ec__reader ec__reader_npy = {
    .about = {.name = "npy",
              .usage = "npy:FOLDER[,key=value,...]",
              .help = "arrays that NumPy saved: x.npy with y.npy, or x_train, y_train, x_test ...",
              .fields = npy_fields,
              .raw = true},
    .needs_path = true,
    .opts_size = sizeof(struct npy_opts),
    .open = open_npy,
    .get = get_npy,
    .close = close_npy,
};
