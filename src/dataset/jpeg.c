/* JPEG images to bytes by libjpeg-turbo, decoding no more than is needed: at a smaller scale where
 * the image is to shrink anyway, and only the rows and columns of a crop. */
#include "dataset/samples_internal.h"

#ifdef EC_HAVE_JPEG

#include <math.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

#define EDGE_MAX 65500
#define PIXELS_MAX ((int64_t)1 << 28)

/* What the library calls when it cannot go on: it must not return. */
struct failure {
    struct jpeg_error_mgr base;
    jmp_buf back;
    char text[JMSG_LENGTH_MAX];
};

static void give_up(j_common_ptr j)
{
    struct failure *f = (struct failure *)(void *)j->err;

    f->base.format_message(j, f->text);
    longjmp(f->back, 1);
}

/* Warnings are ignored, except missing data, which would become grey pixels. */
static void warn(j_common_ptr j, int level)
{
    int code = j->err->msg_code;

    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER))
        give_up(j);
}

struct decoder {
    struct jpeg_decompress_struct j;
    struct failure failure;
    struct ec__image *im;
    struct ec__box *box;
};

/* The smallest scale that still has as many pixels in the box as are wanted. */
static void choose_scale(struct decoder *d, const struct ec__box *box, const int64_t shape[3])
{
    double by_h = box->h / (double)shape[1], by_w = box->w / (double)shape[2];
    double shrink = by_h < by_w ? by_h : by_w;
    unsigned by = 1;

    while (by < 8 && 2 * by <= shrink) /* 1/1, 1/2, 1/4, 1/8: those that are fast */
        by *= 2;
    d->j.scale_num = 8 / by;
    d->j.scale_denom = 8;
}

static void set_colours(struct decoder *d)
{
    bool inks = d->j.jpeg_color_space == JCS_CMYK || d->j.jpeg_color_space == JCS_YCCK;

    d->j.out_color_space = inks ? JCS_CMYK : JCS_RGB;
    d->j.dct_method = JDCT_ISLOW;
    d->j.do_fancy_upsampling = TRUE;
}

/* CMYK files have inverted inks by Adobe's convention: 255 is no ink. */
static void inks_to_rgb(unsigned char *row, int64_t n)
{
    const unsigned char *from = row;
    unsigned char *to = row;
    int64_t i;

    for (i = 0; i < n; i++, from += 4, to += 3) {
        unsigned k = from[3], r = from[0], g = from[1], b = from[2];

        to[0] = (unsigned char)(r * k / 255);
        to[1] = (unsigned char)(g * k / 255);
        to[2] = (unsigned char)(b * k / 255);
    }
}

/* The part of the scaled image that the box needs, with a margin for the filter. */
struct window {
    JDIMENSION x, width, y, height;
};

static struct window window_of(const struct decoder *d, const struct ec__box *box)
{
    double scale = (double)d->j.scale_num / (double)d->j.scale_denom, x = floor(box->x * scale) - 8,
           y = floor(box->y * scale) - 8, right = ceil((box->x + box->w) * scale) + 8,
           bottom = ceil((box->y + box->h) * scale) + 8;
    struct window w;

    w.x = x > 0 ? (JDIMENSION)x : 0;
    w.y = y > 0 ? (JDIMENSION)y : 0;
    w.width = (right < (double)d->j.output_width ? (JDIMENSION)right : d->j.output_width) - w.x;
    w.height =
        (bottom < (double)d->j.output_height ? (JDIMENSION)bottom : d->j.output_height) - w.y;
    return w;
}

/* Rows of the window; im->data and the box are then in pixels of the window. */
static enum ec_status decode_rows(struct decoder *d, struct ec__scratch *scratch,
                                  struct ec_err *err)
{
    double scale = (double)d->j.scale_num / (double)d->j.scale_denom;
    struct window w = window_of(d, d->box);
    int64_t stride;
    unsigned char *data, *row;
    JDIMENSION y;

    if (w.x || w.width < d->j.output_width)
        jpeg_crop_scanline(&d->j, &w.x, &w.width); /* widens to whole blocks */
    stride = (int64_t)w.width * d->j.output_components;
    data = ec__scratch_get(scratch, 1, (size_t)(stride * w.height));
    EC_PASS(ec_allocated(data, err));
    if (w.y)
        (void)jpeg_skip_scanlines(&d->j, w.y);
    for (y = 0; y < w.height; y++) {
        row = data + stride * y;
        (void)jpeg_read_scanlines(&d->j, &row, 1);
        if (d->j.output_components == 4)
            inks_to_rgb(row, w.width);
    }
    *d->im = (struct ec__image){ data, 3, w.height, w.width, 1, stride, 3 };
    d->box->x = d->box->x * scale - w.x;
    d->box->y = d->box->y * scale - w.y;
    d->box->w *= scale;
    d->box->h *= scale;
    return EC_OK;
}

enum ec_status ec__jpeg_decode(const struct ec__bytes *b, ec__choose_box *choose, void *choose_arg,
                               const int64_t shape[3], struct ec__image *ret_image,
                               struct ec__box *ret_box, struct ec__scratch *scratch,
                               struct ec_err *err)
{
    struct decoder d = { .im = ret_image, .box = ret_box };
    enum ec_status st;

    d.j.err = jpeg_std_error(&d.failure.base);
    d.failure.base.error_exit = give_up;
    d.failure.base.emit_message = warn;
    if (setjmp(d.failure.back)) {
        jpeg_destroy_decompress(&d.j);
        return ec_fail(err, EC_E_PARSE, "damaged JPEG: %s", d.failure.text);
    }
    jpeg_create_decompress(&d.j);
    jpeg_mem_src(&d.j, b->data, (unsigned long)b->len);
    (void)jpeg_read_header(&d.j, TRUE);
    if (d.j.image_width > EDGE_MAX || d.j.image_height > EDGE_MAX ||
        (int64_t)d.j.image_width * d.j.image_height > PIXELS_MAX) {
        st = ec_fail(err, EC_E_UNSUPPORTED, "image of %ux%u pixels", d.j.image_width,
                     d.j.image_height);
    } else {
        choose(choose_arg, d.j.image_height, d.j.image_width, ret_box);
        choose_scale(&d, ret_box, shape);
        set_colours(&d);
        (void)jpeg_start_decompress(&d.j);
        st = decode_rows(&d, scratch, err);
    }
    jpeg_destroy_decompress(&d.j); /* rows that were not needed are left */
    return st;
}

#else

enum ec_status ec__jpeg_decode(const struct ec__bytes *b, ec__choose_box *choose, void *choose_arg,
                               const int64_t shape[3], struct ec__image *ret_image,
                               struct ec__box *ret_box, struct ec__scratch *scratch,
                               struct ec_err *err)
{
    (void)b;
    (void)choose;
    (void)choose_arg;
    (void)shape;
    (void)ret_image;
    (void)ret_box;
    (void)scratch;
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "epochcast was built without libjpeg: install libjpeg62-turbo-dev and rebuild");
}

#endif
