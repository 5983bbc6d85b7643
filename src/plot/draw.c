/* Shapes appended to a drawing. */
#include "plot/plot_internal.h"

#include <math.h>
#include <string.h>

/* Okabe and Ito (2008), the darker ones first; grey-black last. */
int ec__palette(int i)
{
    static const int rgb[EC__N_PALETTE] = { 0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                            0xE69F00, 0x56B4E9, 0x4D4D4D };

    return rgb[i % EC__N_PALETTE];
}

int ec__darker(int rgb)
{
    return (int)((rgb >> 16 & 255) * 0.7) << 16 | (int)((rgb >> 8 & 255) * 0.7) << 8 |
           (int)((rgb & 255) * 0.7);
}

int ec__text_colour(int background)
{
    double light = 0.299 * (background >> 16 & 255) + 0.587 * (background >> 8 & 255) +
                   0.114 * (background & 255);

    return light > 140 ? EC__INK : 0xFFFFFF;
}

bool ec__box_meets(const struct ec__box *a, const struct ec__box *b)
{
    return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

void ec_drawing_clear(struct ec_drawing *d)
{
    if (!d)
        return;
    ec_free(d->items);
    ec_arena_clear(&d->arena);
    memset(d, 0, sizeof *d);
}

/* Numbers of a shape: a rectangle and a circle have more than their points. */
static int numbers_of(const struct ec_item *item)
{
    return item->kind == EC_ITEM_TEXT                                   ? 2
           : item->kind == EC_ITEM_RECT || item->kind == EC_ITEM_CIRCLE ? 4
                                                                        : 2 * item->n;
}

static bool is_path(const struct ec_item *item)
{
    return item->kind == EC_ITEM_PATH || item->kind == EC_ITEM_POLYGON;
}

/* A copy in the arena, so far to the right; false: out of memory. */
static bool copy_item(struct ec_arena *a, const struct ec_item *from, double right_px,
                      struct ec_item *to)
{
    int i, n = numbers_of(from);

    *to = *from;
    to->xy = ec_arena_copy(a, from->xy, sizeof *from->xy * (size_t)n);
    to->text = from->text ? ec_arena_str(a, from->text) : NULL;
    to->tip = from->tip ? ec_arena_str(a, from->tip) : NULL;
    for (i = 0; to->xy && i < (is_path(from) ? n : 2); i += 2)
        to->xy[i] += right_px;
    return to->xy && !to->text == !from->text && !to->tip == !from->tip;
}

enum ec_status ec_drawing_beside(struct ec_drawing *to, const struct ec_drawing *right,
                                 struct ec_err *err)
{
    int i;

    EC_PASS(ec_grow(&to->items, &to->cap, to->n + right->n, sizeof *to->items, err));
    for (i = 0; i < right->n; i++)
        EC_PASS(ec_allocated(
            copy_item(&to->arena, &right->items[i], to->width, &to->items[to->n + i]), err));
    to->title = ec_arena_printf(&to->arena, "%s%s%s", to->title ? to->title : "",
                                to->title ? "; " : "", right->title);
    EC_PASS(ec_allocated(to->title, err));
    to->n += right->n;
    to->width += right->width;
    to->height = fmax(to->height, right->height);
    to->labels_left_out += right->labels_left_out;
    return EC_OK;
}

static struct ec_item *add(struct ec_drawing *d, enum ec_item_kind kind, const double *xy,
                           int numbers)
{
    struct ec_item *item;

    if (!d->st)
        d->st = ec_grow(&d->items, &d->cap, d->n + 1, sizeof *d->items, NULL);
    if (d->st)
        return NULL;
    item = &d->items[d->n];
    memset(item, 0, sizeof *item);
    item->kind = kind;
    item->xy = ec_arena_copy(&d->arena, xy, sizeof *xy * (size_t)numbers);
    item->opacity = 1;
    if (!item->xy) {
        d->st = EC_E_NOMEM;
        return NULL;
    }
    d->n++;
    return item;
}

static void shape(struct ec_drawing *d, enum ec_item_kind kind, const struct ec__pen *pen,
                  const double *xy, int numbers)
{
    struct ec_item *item = add(d, kind, xy, numbers);

    if (!item)
        return;
    item->n = numbers / 2;
    item->role = pen->role;
    item->fill = pen->fill;
    item->stroke = pen->stroke;
    item->stroke_px = pen->px;
    item->dashed = pen->dashed;
    item->opacity = pen->opacity > 0 ? pen->opacity : 1;
    if (pen->tip && !(item->tip = ec__text_clean(&d->arena, pen->tip, EC__TEXT_PX, 2000)))
        d->st = EC_E_NOMEM;
}

void ec__draw_path(struct ec_drawing *d, const struct ec__pen *pen, const double *xy, int n)
{
    struct ec__pen line = *pen;

    line.fill = -1;
    if (n >= 2)
        shape(d, EC_ITEM_PATH, &line, xy, 2 * n);
}

void ec__draw_line(struct ec_drawing *d, const struct ec__pen *pen, double x0, double y0, double x1,
                   double y1)
{
    const double xy[] = { x0, y0, x1, y1 };

    ec__draw_path(d, pen, xy, 2);
}

void ec__draw_polygon(struct ec_drawing *d, const struct ec__pen *pen, const double *xy, int n)
{
    if (n >= 3)
        shape(d, EC_ITEM_POLYGON, pen, xy, 2 * n);
}

void ec__draw_rect(struct ec_drawing *d, const struct ec__pen *pen, const struct ec__box *b)
{
    const double xy[] = { fmin(b->x0, b->x1), fmin(b->y0, b->y1), fabs(b->x1 - b->x0),
                          fabs(b->y1 - b->y0) };

    shape(d, EC_ITEM_RECT, pen, xy, 4);
}

void ec__draw_circle(struct ec_drawing *d, const struct ec__pen *pen, double x, double y, double r)
{
    const double xy[] = { x, y, r, 0 };

    shape(d, EC_ITEM_CIRCLE, pen, xy, 4);
}

void ec__draw_point(struct ec_drawing *d, const struct ec__pen *pen, int kind, double x, double y,
                    double r)
{
    double xy[8];
    int corners = kind % EC__N_SHAPES == 2 || kind % EC__N_SHAPES == 4 ? 3 : 4, i;
    /* Angle of the first corner: square, triangle up, diamond, triangle down. */
    static const double turn[EC__N_SHAPES] = { 0, M_PI / 4, -M_PI / 2, 0, M_PI / 2 };

    if (kind % EC__N_SHAPES == 0) {
        ec__draw_circle(d, pen, x, y, r);
        return;
    }
    for (i = 0; i < corners; i++) {
        double angle = turn[kind % EC__N_SHAPES] + 2 * M_PI * i / corners;

        xy[2 * i] = x + 1.25 * r * cos(angle);
        xy[2 * i + 1] = y + 1.25 * r * sin(angle);
    }
    ec__draw_polygon(d, pen, xy, corners);
}

void ec__draw_text(struct ec_drawing *d, const struct ec__font *f, double x, double baseline,
                   const char *text)
{
    const double xy[] = { x, baseline };
    struct ec_item *item;

    if (!text || !*text || d->st)
        return;
    item = add(d, EC_ITEM_TEXT, xy, 2);
    if (!item)
        return;
    item->role = f->role;
    item->fill = f->fill;
    item->stroke = -1;
    item->size_px = f->size_px;
    item->bold = f->bold;
    item->anchor = f->anchor;
    item->text = ec__text_clean(&d->arena, text, f->size_px * (f->bold ? 1.18 : 1), f->max_px);
    if (!item->text)
        d->st = EC_E_NOMEM;
}

/* Bytes of the longest run of words that fits, at least one character. */
static size_t fitting(const char *text, const struct ec__font *f, double width_px,
                      struct ec_arena *a)
{
    size_t best = 0, i;

    for (i = 1; text[i - 1]; i++) {
        char *part;

        if (text[i] && text[i] != ' ' && text[i] != '\n')
            continue;
        part = ec_arena_strn(a, text, i);
        if (!part || (best && ec__text_px(part, f->size_px, f->bold) > width_px))
            break;
        best = i;
        if (text[i] == '\n')
            break;
    }
    return best ? best : strlen(text);
}

#define LINES_MAX 10

double ec__draw_lines(struct ec_drawing *d, const struct ec__font *f, double x, double baseline,
                      double width_px, const char *text)
{
    struct ec__font line = *f;
    int lines = 0;

    line.max_px = width_px;
    if (!text)
        return baseline;
    while (*text && !d->st && lines < LINES_MAX) {
        size_t n = fitting(text, f, width_px, &d->arena);
        char *part = ec_arena_strn(&d->arena, text, n);

        if (!part)
            d->st = EC_E_NOMEM;
        ec__draw_text(d, &line, x, baseline, part);
        baseline += f->size_px * 1.35;
        text += n;
        text += *text == '\n' ? 1 : strspn(text, " ");
        lines++;
    }
    return baseline;
}
