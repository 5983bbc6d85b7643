/* Images of one size held as bytes: what CIFAR, MNIST and the digits become. */
#include "dataset/samples_internal.h"

#include <math.h>
#include <string.h>

#define PIXELS_MAX_BYTES ((int64_t)64 << 30)

static int64_t image_bytes(const struct ec__pixels *p)
{
    return p->c * p->h * p->w;
}

enum ec_status ec__pixels_new(struct ec_samples *s, int64_t c, int64_t h, int64_t w,
                              int64_t classes, struct ec__pixels **ret, struct ec_err *err)
{
    struct ec__pixels *p = ec_arena_alloc(&s->arena, sizeof *p);

    EC_PASS(ec_allocated(p, err));
    s->state = p; /* from here on ec__pixels_close frees what it holds */
    p->c = c;
    p->h = h;
    p->w = w;
    s->info.classes = classes;
    *ret = p;
    return EC_OK;
}

enum ec_status ec__pixels_add(struct ec__pixels *p, enum ec_part part, int64_t n,
                              int64_t *ret_first, struct ec_err *err)
{
    int64_t total, bytes;
    void *grown;

    if (!ec_add_i64(p->n[part], n, &total) || !ec_mul_i64(total, image_bytes(p), &bytes) ||
        bytes > PIXELS_MAX_BYTES)
        return ec_fail(err, EC_E_INPUT, "too many images to hold in memory: %lld", (long long)n);
    grown = ec_realloc(p->data[part], (size_t)bytes);
    EC_PASS(ec_allocated(grown, err));
    p->data[part] = grown;
    grown = ec_realloc(p->label[part], (size_t)total * sizeof *p->label[part]);
    EC_PASS(ec_allocated(grown, err));
    p->label[part] = grown;
    *ret_first = p->n[part];
    p->n[part] = total;
    return EC_OK;
}

static void measure(const struct ec__pixels *p, struct ec_samples_info *info)
{
    int64_t plane = p->h * p->w, i, j, c;
    double n = (double)p->n[EC_PART_TRAIN] * (double)plane, sum, squares;
    int64_t count[EC_CHANNELS_MAX][256] = { { 0 } };

    for (i = 0; i < p->n[EC_PART_TRAIN]; i++)
        for (c = 0; c < p->c; c++) {
            const unsigned char *v = p->data[EC_PART_TRAIN] + (i * p->c + c) * plane;

            for (j = 0; j < plane; j++)
                count[c][v[j]]++;
        }
    for (c = 0; c < p->c; c++) {
        sum = squares = 0;
        for (i = 0; i < 256; i++)
            sum += (double)count[c][i] * (double)i / 255 / n;
        for (i = 0; i < 256; i++)
            squares += (double)count[c][i] / n * pow((double)i / 255 - sum, 2);
        info->mean[c] = (float)sum;
        info->std[c] = squares > 1e-8 ? (float)sqrt(squares) : 1;
    }
}

static enum ec_status check_labels(const struct ec__pixels *p, int64_t classes, struct ec_err *err)
{
    int64_t i;
    int part;

    for (part = 0; part < EC_PART_COUNT; part++)
        for (i = 0; i < p->n[part]; i++)
            if (p->label[part][i] < 0 || p->label[part][i] >= classes)
                return ec_fail(err, EC_E_PARSE, "%s image %lld has label %d, expected 0 to %lld",
                               ec_part_name((enum ec_part)part), (long long)i,
                               (int)p->label[part][i], (long long)classes - 1);
    return EC_OK;
}

enum ec_status ec__pixels_ready(struct ec_samples *s, struct ec__pixels *p, enum ec_augment augment,
                                struct ec_err *err)
{
    struct ec_samples_info *info = &s->info;
    int64_t c;

    memcpy(info->count, p->n, sizeof info->count);
    info->label = info->classes == 2 ? EC_LABEL_BINARY : EC_LABEL_CLASS;
    info->label_elems = 1;
    EC_PASS(check_labels(p, info->classes, err));
    EC_PASS(ec__image_shape(s, p->c, p->h, p->w, err));
    if (s->opts.normalise == EC_NORMALISE_AUTO) {
        measure(p, info);
        info->n_channels = (int)info->shape[0];
        for (c = p->c; c < info->shape[0]; c++) { /* grey, repeated */
            info->mean[c] = info->mean[0];
            info->std[c] = info->std[0];
        }
    }
    ec__levels_make(&p->levels, info);
    s->augment = s->opts.augment == EC_AUGMENT_AUTO ? augment : s->opts.augment;
    return EC_OK;
}

/* What augmentation chose: the image moved by (dy, dx), what comes in is black. */
struct move {
    int64_t dy, dx;
    bool flip;
};

static struct move draw(const struct ec_samples *s, const struct ec__pixels *p, struct ec_rng *r)
{
    struct move m = { 0, 0, false };
    int64_t pad_y = p->h / 8, pad_x = p->w / 8;

    if (!r)
        return m;
    m.flip = ec_rng_next(r) >> 63;
    if (s->augment == EC_AUGMENT_CROP_FLIP) {
        m.dy = ec_rng_range(r, -pad_y, pad_y);
        m.dx = ec_rng_range(r, -pad_x, pad_x);
    }
    return m;
}

/* One row of the moved image: `row` NULL is a black one. */
static void put_row(const unsigned char *row, const struct move *m, int64_t w, const float *level,
                    float *x)
{
    int64_t i, from;

    for (i = 0; i < w; i++) {
        from = (m->flip ? w - 1 - i : i) + m->dx;
        x[i] = level[row && from >= 0 && from < w ? row[from] : 0];
    }
}

static void put_plain(const unsigned char *row, int64_t w, const float *level, float *x)
{
    int64_t i;

    for (i = 0; i < w; i++)
        x[i] = level[row[i]];
}

static void put_same_size(const struct ec__pixels *p, const unsigned char *data,
                          const struct move *m, int64_t channels, float *x)
{
    int64_t c, y, from;

    for (c = 0; c < channels; c++)
        for (y = 0; y < p->h; y++, x += p->w) {
            const unsigned char *plane = data + (p->c == 1 ? 0 : c) * p->h * p->w;

            from = y + m->dy;
            if (!m->flip && !m->dx && from >= 0 && from < p->h)
                put_plain(plane + from * p->w, p->w, p->levels.v[c], x);
            else
                put_row(from >= 0 && from < p->h ? plane + from * p->w : NULL, m, p->w,
                        p->levels.v[c], x);
        }
}

/* Moved in bytes first, then resized. */
static enum ec_status put_resized(const struct ec_samples *s, const unsigned char *data,
                                  struct ec__box box, const struct move *m, float *x,
                                  struct ec__scratch *scratch, struct ec_err *err)
{
    const struct ec__pixels *p = s->state;
    struct ec__image im = { data, p->c, p->h, p->w, p->h * p->w, p->w, 1 };
    int64_t c, y, from_y, i, from;
    unsigned char *moved;

    if (m->dy || m->dx) {
        moved = ec__scratch_get(scratch, 1, (size_t)image_bytes(p));
        EC_PASS(ec_allocated(moved, err));
        im.data = moved;
        for (c = 0; c < p->c; c++)
            for (y = 0; y < p->h; y++)
                for (i = 0; i < p->w; i++, moved++) {
                    from_y = y + m->dy;
                    from = i + m->dx;
                    *moved = from_y >= 0 && from_y < p->h && from >= 0 && from < p->w
                                 ? data[(c * p->h + from_y) * p->w + from]
                                 : 0;
                }
    }
    return ec__image_resize(&im, &box, m->flip, &p->levels, s->info.shape, x, scratch, err);
}

enum ec_status ec__pixels_get(const struct ec_samples *s, const struct ec__ask *ask,
                              const struct ec_sample_data *out, struct ec__scratch *scratch,
                              struct ec_err *err)
{
    const struct ec__pixels *p = s->state;
    const unsigned char *data = p->data[ask->part] + ask->index * image_bytes(p);
    struct ec__box box = { 0, 0, (double)p->h, (double)p->w };
    struct move m = draw(s, p, ask->rng);

    if (out->label)
        *out->label = p->label[ask->part][ask->index];
    if (out->target && s->info.label == EC_LABEL_BINARY)
        *out->target = (float)p->label[ask->part][ask->index];
    if (!out->x)
        return EC_OK;
    if (ask->rng && s->augment == EC_AUGMENT_RESIZED_CROP)
        ec__random_box(ask->rng, p->h, p->w, &box);
    else if (s->info.shape[1] == p->h && s->info.shape[2] == p->w) {
        put_same_size(p, data, &m, s->info.shape[0], out->x);
        return EC_OK;
    }
    return put_resized(s, data, box, &m, out->x, scratch, err);
}

void ec__pixels_close(struct ec_samples *s)
{
    struct ec__pixels *p = s->state;
    int part;

    for (part = 0; p && part < EC_PART_COUNT; part++) {
        ec_free(p->data[part]);
        ec_free(p->label[part]);
    }
}
