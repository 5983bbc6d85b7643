/* A drawing as PNG, painted by cairo when its library is there. It stays open: it keeps fonts
 * between pictures. */
#include "plot/plot_internal.h"

#include <dlfcn.h>
#include <math.h>

struct cairo; /* opaque handles */
struct cairo_surface;
typedef int (*cairo_write_fn)(void *ctx, const unsigned char *data, unsigned len);

enum { CAIRO_RGB24 = 1, CAIRO_JOIN_ROUND = 1, CAIRO_SUCCESS = 0, CAIRO_WRITE_ERROR = 11 };

/* Beside the picture: fonts. Where cairo's search for them gets no memory it does not end. */
#define SPARE_BYTES ((int64_t)32 << 20)

struct cairo_lib {
    void *lib;
    EC_LIBCAIRO(EC_FOREIGN_MEMBER)
};

static enum ec_status open_cairo(struct cairo_lib *c, struct ec_err *err)
{
    static const char *const symbols[] = { EC_LIBCAIRO(EC_FOREIGN_SYMBOL) NULL };
    const char *missing;

    c->lib = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!c->lib)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "writing PNG needs the library cairo (libcairo2 of Debian), which is not "
                       "installed; SVG needs nothing");
    missing = ec_dynlib_take(c->lib, symbols, &c->image_surface_create);
    if (missing)
        return ec_fail(err, EC_E_UNSUPPORTED, "the library cairo lacks %s", missing);
    return EC_OK;
}

static void source(const struct cairo_lib *c, struct cairo *cr, int rgb, double opacity)
{
    c->set_source_rgba(cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0,
                       opacity);
}

static void outline(const struct cairo_lib *c, struct cairo *cr, const struct ec_item *item)
{
    const double *xy = item->xy;
    int i;

    if (item->kind == EC_ITEM_RECT) {
        c->rectangle(cr, xy[0], xy[1], xy[2], xy[3]);
        return;
    }
    if (item->kind == EC_ITEM_CIRCLE) {
        c->arc(cr, xy[0], xy[1], xy[2], 0, 2 * M_PI);
        return;
    }
    c->move_to(cr, xy[0], xy[1]);
    for (i = 1; i < item->n; i++)
        c->line_to(cr, xy[2 * i], xy[2 * i + 1]);
    if (item->kind == EC_ITEM_POLYGON)
        c->close_path(cr);
}

static void stroke(const struct cairo_lib *c, struct cairo *cr, int rgb, double px, double opacity)
{
    source(c, cr, rgb, opacity);
    c->set_line_width(cr, px);
    c->stroke_preserve(cr);
}

static void paint_shape(const struct cairo_lib *c, struct cairo *cr, const struct ec_item *item)
{
    static const double dash[] = { 6, 4 };

    outline(c, cr, item);
    if (item->fill >= 0) {
        source(c, cr, item->fill, item->opacity);
        c->fill_preserve(cr);
    }
    if (item->stroke >= 0 && item->stroke_px > 0) {
        c->set_dash(cr, dash, item->dashed ? 2 : 0, 0);
        stroke(c, cr, item->stroke, item->stroke_px, item->opacity);
        c->set_dash(cr, dash, 0, 0);
    }
    c->new_path(cr);
}

static void paint_text(const struct cairo_lib *c, struct cairo *cr, const struct ec_item *item)
{
    double extents[6] = { 0 }; /* the fifth is the advance */
    double x = item->xy[0], room = ec__text_px(item->text, item->size_px, item->bold);

    c->select_font_face(cr, "Helvetica", 0, item->bold);
    c->set_font_size(cr, item->size_px);
    c->text_extents(cr, item->text, extents);
    if (extents[4] > room) { /* a font wider than the layout counts with */
        c->set_font_size(cr, item->size_px * room / extents[4]);
        extents[4] = room;
    }
    if (item->anchor)
        x -= extents[4] / (item->anchor == EC_ANCHOR_MIDDLE ? 2 : 1);
    c->move_to(cr, x, item->xy[1]);
    c->text_path(cr, item->text);
    if (item->role == EC_ROLE_LABEL)
        stroke(c, cr, 0xFFFFFF, 2.5, 1);
    source(c, cr, item->fill, 1);
    c->fill_preserve(cr);
    c->new_path(cr);
}

static int append(void *ctx, const unsigned char *data, unsigned len)
{
    struct ec_buf *out = ctx;

    ec_buf_add(out, data, len);
    return out->st ? CAIRO_WRITE_ERROR : CAIRO_SUCCESS;
}

static void paint(const struct cairo_lib *c, struct cairo *cr, const struct ec_drawing *d,
                  double scale)
{
    int i;

    c->scale(cr, scale, scale);
    c->set_line_join(cr, CAIRO_JOIN_ROUND);
    for (i = 0; i < d->n; i++)
        if (d->items[i].kind == EC_ITEM_TEXT)
            paint_text(c, cr, &d->items[i]);
        else
            paint_shape(c, cr, &d->items[i]);
}

enum ec_status ec_drawing_png(const struct ec_drawing *d, double scale, struct ec_buf *out,
                              struct ec_err *err)
{
    struct cairo_surface *surface = NULL;
    struct cairo *cr = NULL;
    struct cairo_lib c = { 0 };
    enum ec_status st;

    ec_foreign_begin("cairo");
    EC_TRY(open_cairo(&c, err));
    EC_TRY(ec_headroom_spare("cairo", SPARE_BYTES, err));
    surface = c.image_surface_create(CAIRO_RGB24, (int)ceil(d->width * scale),
                                     (int)ceil(d->height * scale));
    cr = c.create(surface);
    paint(&c, cr, d, scale);
    if (c.status(cr) || c.surface_status(surface))
        EC_TRY(ec_fail(err, EC_E_BACKEND, "cairo could not paint a picture of %.0f x %.0f",
                       d->width * scale, d->height * scale));
    if (c.surface_write_to_png_stream(surface, append, out) && !out->st)
        EC_TRY(ec_fail(err, EC_E_BACKEND, "cairo could not write PNG"));
    EC_TRY(ec_buf_status(out, err));
out:
    if (cr)
        c.destroy(cr);
    if (surface)
        c.surface_destroy(surface);
    if (c.lib)
        (void)dlclose(c.lib);
    ec_foreign_end();
    return st;
}
