/* What stands around the data: title, legend, axes with their ticks and units. */
#include "plot/plot_internal.h"

#include <math.h>

#define LEGEND_MARK_PX 22.0
#define LEGEND_GAP_PX 18.0
#define LEGEND_ROW_PX 18.0

static struct ec__font font(enum ec_item_role role, double size, int fill)
{
    return (struct ec__font){ .role = role, .size_px = size, .fill = fill };
}

static void titles(struct ec__frame *f)
{
    struct ec__font title = font(EC_ROLE_TITLE, EC__TITLE_PX, EC__INK);
    struct ec__font sub = font(EC_ROLE_TITLE, EC__TEXT_PX, EC__GREY);
    double width = f->area.x1 - f->area.x0, y = f->area.y0 + EC__TITLE_PX * 0.8;

    title.bold = true;
    if (f->p->title) {
        y = ec__draw_lines(f->d, &title, f->area.x0, y, width, f->p->title);
        f->area.y0 = y - EC__TITLE_PX * 0.9;
    }
    if (f->p->subtitle) {
        y = f->area.y0 + EC__TEXT_PX * 0.95;
        y = ec__draw_lines(f->d, &sub, f->area.x0, y, width, f->p->subtitle);
        f->area.y0 = y - EC__TEXT_PX * 0.8;
    }
    f->area.y0 += 4;
}

/* The note's lines are laid out once at the top of the page to know their height, then moved. */
static void note(struct ec__frame *f)
{
    struct ec__font small = font(EC_ROLE_NOTE, EC__LABEL_PX, EC__GREY);
    int first = f->d->n, i;
    double height, shift;

    if (!f->p->note)
        return;
    height = ec__draw_lines(f->d, &small, f->area.x0, 0, f->area.x1 - f->area.x0, f->p->note);
    shift = f->area.y1 - height + EC__LABEL_PX;
    for (i = first; i < f->d->n; i++)
        f->d->items[i].xy[1] += shift;
    f->area.y1 -= height + 8;
}

/* ------------------------------------------------------------------------------------------------
 * Legend: rows under the title; what the picture holds is never covered. */

static bool filled_key(const struct ec__frame *f, const struct ec_series *s)
{
    return f->p->kind == EC_PLOT_BARS || f->p->kind == EC_PLOT_STACK || f->p->kind == EC_PLOT_BOX ||
           s->marks == EC_MARK_BAND;
}

static void legend_key(struct ec__frame *f, int i, double x, double y)
{
    const struct ec_series *s = &f->p->series[i];
    unsigned marks = s->marks ? s->marks : EC_MARK_LINE | EC_MARK_POINT;
    struct ec__pen pen = { .role = EC_ROLE_LEGEND, .fill = f->colour[i], .stroke = -1 };
    struct ec__box box = { x + 4, y - 5, x + 16, y + 5 };

    if (filled_key(f, s)) {
        pen.opacity = s->marks == EC_MARK_BAND ? 0.25 : 1;
        ec__draw_rect(f->d, &pen, &box);
        return;
    }
    if (marks & EC_MARK_LINE) {
        struct ec__pen line = { .role = EC_ROLE_LEGEND,
                                .fill = -1,
                                .stroke = f->colour[i],
                                .px = 2,
                                .dashed = marks & EC_MARK_DASHED };

        ec__draw_line(f->d, &line, x, y, x + 20, y);
    }
    if (marks & EC_MARK_LARGE)
        pen.stroke = EC__INK, pen.px = 1.2;
    if (marks & EC_MARK_POINT)
        ec__draw_point(f->d, &pen, f->shape[i], x + 10, y, 4);
}

static double legend_px(const struct ec__frame *f, int i)
{
    double room = f->area.x1 - f->area.x0 - LEGEND_MARK_PX;

    return LEGEND_MARK_PX + fmin(ec__text_px(f->p->series[i].name, EC__TEXT_PX, false), room);
}

/* Names in columns, where that takes no more rows than one after the other: the width of all; 0:
 * each its own. */
static double legend_column_px(const struct ec__frame *f)
{
    double room = f->area.x1 - f->area.x0, x = 0, widest = 0;
    int i, rows = 1, named = 0, columns;

    for (i = 0; i < f->p->n_series; i++) {
        double width;

        if (!f->p->series[i].name)
            continue;
        width = legend_px(f, i);
        if (x > 0 && x + width > room) {
            x = 0;
            rows++;
        }
        x += width + LEGEND_GAP_PX;
        widest = fmax(widest, width);
        named++;
    }
    columns = widest > 0 ? (int)((room + LEGEND_GAP_PX) / (widest + LEGEND_GAP_PX)) : 0;
    return rows > 1 && columns > 1 && (named + columns - 1) / columns <= rows ? widest : 0;
}

static void legend(struct ec__frame *f)
{
    struct ec__font text = font(EC_ROLE_LEGEND, EC__TEXT_PX, EC__INK);
    double x = f->area.x0, y = f->area.y0 + 6, column;
    int i, named = 0;

    for (i = 0; i < f->p->n_series; i++)
        named += f->p->series[i].name != NULL;
    if (named < 2 || f->p->kind == EC_PLOT_HEAT)
        return;
    text.max_px = f->area.x1 - f->area.x0 - LEGEND_MARK_PX;
    column = legend_column_px(f);
    for (i = 0; i < f->p->n_series; i++) {
        const char *name = f->p->series[i].name;
        double width;

        if (!name)
            continue;
        width = column > 0 ? column : legend_px(f, i);
        if (x > f->area.x0 && x + width > f->area.x1) {
            x = f->area.x0;
            y += LEGEND_ROW_PX;
        }
        legend_key(f, i, x, y);
        ec__draw_text(f->d, &text, x + LEGEND_MARK_PX + 2, y + EC__TEXT_PX * EC__BASELINE, name);
        x += width + LEGEND_GAP_PX;
    }
    f->area.y0 = y + LEGEND_ROW_PX / 2 + 6;
}

static void colours(struct ec__frame *f)
{
    int i, next = 0;

    for (i = 0; i < f->p->n_series; i++) {
        const struct ec_series *s = &f->p->series[i];
        int c = s->colour ? s->colour - 1 : s->marks & EC_MARK_GREY ? 0 : next++;

        f->colour[i] = s->marks & EC_MARK_GREY ? EC__GREY : ec__palette(c);
        /* After the palette is through, shapes shift, so that no pair comes twice soon. */
        f->shape[i] = s->shape ? s->shape - 1 : c + c / EC__N_PALETTE;
    }
}

void ec__frame_begin(struct ec__frame *f)
{
    struct ec__pen white = { .role = EC_ROLE_BACKGROUND, .fill = 0xFFFFFF, .stroke = -1 };
    struct ec__box page = { 0, 0, f->d->width, f->d->height };

    ec__draw_rect(f->d, &white, &page);
    f->area =
        (struct ec__box){ EC__PAD_PX, EC__PAD_PX, page.x1 - EC__PAD_PX, page.y1 - EC__PAD_PX };
    colours(f);
    titles(f);
    note(f);
    legend(f);
}

/* ------------------------------------------------------------------------------------------------
 * Axes */

double ec__frame_overhang(const struct ec__frame *f, double length_px)
{
    const struct ec__tick *last = &f->x_ticks.v[f->x_ticks.n - 1];
    struct ec__scale s = f->x;

    s.px_lo = f->area.x0;
    s.px_hi = f->area.x0 + length_px;
    return fmax(0, ec__scale_px(&s, last->at) + ec__text_px(last->text, EC__TEXT_PX, false) / 2 +
                       4 - f->d->width);
}

static const char *axis_title(struct ec__frame *f, const struct ec_axis *axis, const char *unit)
{
    const char *text = axis->title ? axis->title : "";

    if (unit && *unit)
        text = ec_arena_printf(&f->d->arena, *text ? "%s (%s)" : "%s%s", text, unit);
    if (!text)
        f->d->st = EC_E_NOMEM;
    return text;
}

void ec__frame_value_title(struct ec__frame *f, const struct ec_axis *axis, const char *unit)
{
    struct ec__font text = font(EC_ROLE_AXIS, EC__TEXT_PX, EC__INK);

    text.max_px = f->d->width - 2 * EC__PAD_PX;
    ec__draw_text(f->d, &text, EC__PAD_PX, f->area.y0 - 14, axis_title(f, axis, unit));
}

void ec__frame_x_axis(struct ec__frame *f, const struct ec_axis *of)
{
    struct ec__pen grid = { .role = EC_ROLE_GRID, .stroke = EC__LIGHT, .px = 1 };
    struct ec__pen axis = { .role = EC_ROLE_AXIS, .stroke = EC__GREY, .px = 1 };
    struct ec__font tick = font(EC_ROLE_TICK, EC__TEXT_PX, EC__INK);
    struct ec__font title = font(EC_ROLE_AXIS, EC__TEXT_PX, EC__INK);
    const struct ec__box *a = &f->area;
    int i;

    tick.anchor = title.anchor = EC_ANCHOR_MIDDLE;
    for (i = 0; i < f->x_ticks.n; i++) {
        double x = ec__scale_px(&f->x, f->x_ticks.v[i].at);

        ec__draw_line(f->d, &grid, x, a->y0, x, a->y1);
        ec__draw_line(f->d, &axis, x, a->y1, x, a->y1 + 4);
        ec__draw_text(f->d, &tick, x, a->y1 + 7 + EC__TEXT_PX * 0.8, f->x_ticks.v[i].text);
    }
    title.max_px = f->d->width - 2 * EC__PAD_PX;
    ec__draw_line(f->d, &axis, a->x0, a->y1, a->x1, a->y1);
    ec__draw_text(f->d, &title, fmax((a->x0 + a->x1) / 2, 0), a->y1 + 26 + EC__TEXT_PX * 0.8,
                  axis_title(f, of, f->x_ticks.unit));
}

void ec__frame_y_axis(struct ec__frame *f, const struct ec_axis *of)
{
    struct ec__pen grid = { .role = EC_ROLE_GRID, .stroke = EC__LIGHT, .px = 1 };
    struct ec__pen axis = { .role = EC_ROLE_AXIS, .stroke = EC__GREY, .px = 1 };
    struct ec__font tick = font(EC_ROLE_TICK, EC__TEXT_PX, EC__INK);
    const struct ec__box *a = &f->area;
    int i;

    tick.anchor = EC_ANCHOR_END;
    for (i = 0; i < f->y_ticks.n; i++) {
        double y = ec__scale_px(&f->y, f->y_ticks.v[i].at);

        ec__draw_line(f->d, &grid, a->x0, y, a->x1, y);
        ec__draw_text(f->d, &tick, a->x0 - 8, y + EC__TEXT_PX * EC__BASELINE, f->y_ticks.v[i].text);
    }
    ec__draw_line(f->d, &axis, a->x0, a->y0, a->x0, a->y1);
    ec__frame_value_title(f, of, f->y_ticks.unit);
}
