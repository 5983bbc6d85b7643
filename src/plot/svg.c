/* Writes a drawing as SVG: no scripts, no external references, the same bytes on every machine. */
#include "plot/plot_internal.h"

#include <math.h>

#define FONTS "Helvetica, Arial, &quot;Liberation Sans&quot;, &quot;DejaVu Sans&quot;, sans-serif"

/* Hundredths of a pixel; printf's decimal point would follow the locale. */
static void number(struct ec_buf *out, double v)
{
    int64_t h = (int64_t)llround(v * 100), a = h < 0 ? -h : h;

    ec_buf_printf(out, "%s%lld", h < 0 ? "-" : "", (long long)(a / 100));
    if (a % 10)
        ec_buf_printf(out, ".%02d", (int)(a % 100));
    else if (a % 100)
        ec_buf_printf(out, ".%d", (int)(a % 100 / 10));
}

static void attribute(struct ec_buf *out, const char *name, double v)
{
    ec_buf_printf(out, " %s=\"", name);
    number(out, v);
    ec_buf_char(out, '"');
}

static void escaped(struct ec_buf *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            ec_buf_str(out, "&amp;");
            break;
        case '<':
            ec_buf_str(out, "&lt;");
            break;
        case '>':
            ec_buf_str(out, "&gt;");
            break;
        case '"':
            ec_buf_str(out, "&quot;");
            break;
        case '\'':
            ec_buf_str(out, "&#39;");
            break;
        default:
            ec_buf_char(out, *text);
        }
}

static void colour(struct ec_buf *out, const char *name, int rgb)
{
    if (rgb < 0)
        ec_buf_printf(out, " %s=\"none\"", name);
    else
        ec_buf_printf(out, " %s=\"#%06x\"", name, (unsigned)rgb);
}

static void style(struct ec_buf *out, const struct ec_item *item)
{
    colour(out, "fill", item->fill);
    if (item->stroke >= 0 && item->stroke_px > 0) {
        colour(out, "stroke", item->stroke);
        attribute(out, "stroke-width", item->stroke_px);
        if (item->dashed)
            ec_buf_str(out, " stroke-dasharray=\"6 4\"");
        if (item->kind == EC_ITEM_PATH)
            ec_buf_str(out, " stroke-linejoin=\"round\"");
    }
    if (item->opacity < 1)
        attribute(out, "opacity", item->opacity);
}

static const char *open_points(struct ec_buf *out, const struct ec_item *item)
{
    const char *tag = item->kind == EC_ITEM_PATH ? "polyline" : "polygon";
    int i;

    ec_buf_printf(out, "<%s points=\"", tag);
    for (i = 0; i < 2 * item->n; i++) {
        if (i)
            ec_buf_char(out, i % 2 ? ',' : ' ');
        number(out, item->xy[i]);
    }
    ec_buf_char(out, '"');
    return tag;
}

static const char *open_shape(struct ec_buf *out, const struct ec_item *item)
{
    const double *xy = item->xy;

    if (item->kind == EC_ITEM_RECT) {
        ec_buf_str(out, "<rect");
        attribute(out, "x", xy[0]);
        attribute(out, "y", xy[1]);
        attribute(out, "width", xy[2]);
        attribute(out, "height", xy[3]);
        return "rect";
    }
    if (item->kind == EC_ITEM_CIRCLE) {
        ec_buf_str(out, "<circle");
        attribute(out, "cx", xy[0]);
        attribute(out, "cy", xy[1]);
        attribute(out, "r", xy[2]);
        return "circle";
    }
    return open_points(out, item);
}

static void text(struct ec_buf *out, const struct ec_item *item)
{
    static const char *const anchors[] = { "start", "middle", "end" };

    ec_buf_str(out, "<text");
    attribute(out, "x", item->xy[0]);
    attribute(out, "y", item->xy[1]);
    attribute(out, "font-size", item->size_px);
    if (item->anchor)
        ec_buf_printf(out, " text-anchor=\"%s\"", anchors[item->anchor]);
    if (item->bold)
        ec_buf_str(out, " font-weight=\"bold\"");
    colour(out, "fill", item->fill);
    /* A white rim keeps a label legible where it crosses a line of the grid. */
    if (item->role == EC_ROLE_LABEL)
        ec_buf_str(out, " stroke=\"#ffffff\" stroke-width=\"2.5\" paint-order=\"stroke\"");
    ec_buf_char(out, '>');
    escaped(out, item->text);
    ec_buf_str(out, "</text>\n");
}

enum ec_status ec_drawing_svg(const struct ec_drawing *d, const char *id, struct ec_buf *out,
                              struct ec_err *err)
{
    int i;

    ec_buf_str(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    attribute(out, "width", d->width);
    attribute(out, "height", d->height);
    ec_buf_str(out, " viewBox=\"0 0 ");
    number(out, d->width);
    ec_buf_char(out, ' ');
    number(out, d->height);
    ec_buf_printf(out, "\" font-family=\"" FONTS "\" aria-labelledby=\"");
    escaped(out, id);
    ec_buf_str(out, "\">\n<title id=\"");
    escaped(out, id);
    ec_buf_str(out, "\">");
    escaped(out, d->title);
    ec_buf_str(out, "</title>\n");
    for (i = 0; i < d->n; i++) {
        const struct ec_item *item = &d->items[i];
        const char *tag;

        if (item->kind == EC_ITEM_TEXT) {
            text(out, item);
            continue;
        }
        tag = open_shape(out, item);
        style(out, item);
        if (item->tip) {
            ec_buf_str(out, "><title>");
            escaped(out, item->tip);
            ec_buf_printf(out, "</title></%s>\n", tag);
        } else {
            ec_buf_str(out, "/>\n");
        }
    }
    ec_buf_str(out, "</svg>\n");
    return ec_buf_status(out, err);
}

enum ec_status ec_drawing_write(const struct ec_drawing *d, const char *path, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;

    if (ec_str_glob("*.svg", path))
        st = ec_drawing_svg(d, "picture", &out, err);
    else if (ec_str_glob("*.png", path))
        st = ec_drawing_png(d, 2, &out, err);
    else
        st = ec_fail(err, EC_E_INPUT, "%s: the name of a picture ends with .svg or .png", path);
    if (!st)
        st = ec_file_write(path, out.data, out.len, err);
    ec_buf_clear(&out);
    return st;
}
