/* What the files of this folder share: boxes, scales, ticks, shapes, the frame around the data. */
#ifndef EC_PLOT_INTERNAL_H
#define EC_PLOT_INTERNAL_H

#include "plot/plot.h"

#define EC__WIDTH_PX 760 /* of a page when nobody says */

struct ec__box {
    double x0, y0, x1, y1;
};
bool ec__box_meets(const struct ec__box *a, const struct ec__box *b);
/* Whether a segment (x0, y0, x1, y1) begins inside the box or crosses an edge, and which part of
 * it, from 0 to 1, is inside; ret_part may be NULL (Liang and Barsky 1984). */
bool ec__crosses(const double *segment, const struct ec__box *b, double *ret_part);

/* metrics.c: widths in pixels, after DejaVu Sans, which is wider than most. */
double ec__text_px(const char *text, double size_px, bool bold);
/* Copies without control characters and what is not UTF-8; longer than max_px ends in an ellipsis
 * (0: no bound). NULL when out of memory. */
const char *ec__text_clean(struct ec_arena *a, const char *text, double size_px, double max_px);

/* --- ticks.c --- */
#define EC__TICKS_MAX 24
#define EC__TICK_BYTES 64
struct ec__scale {
    double lo, hi;
    bool log;
    double px_lo, px_hi; /* where lo and hi are drawn */
};
double ec__scale_px(const struct ec__scale *s, double v);

struct ec__tick {
    double at;
    char text[EC__TICK_BYTES]; /* "": without a text */
};
struct ec__ticks {
    int n;
    struct ec__tick v[EC__TICKS_MAX];
    char unit[64]; /* "ms", "TFLOP/s"; "": none */
};
/* Range and ticks of an axis that is length_px long.
 * lo, hi  of the data
 * values  that occur, sorted, for at_values; n_values 0: none
 * upright texts stand below each other */
struct ec__tick_request {
    const struct ec_axis *axis;
    double lo, hi, length_px, size_px;
    const double *values;
    int n_values;
    bool upright;
};
void ec__ticks_make(const struct ec__tick_request *r, struct ec__scale *ret_scale,
                    struct ec__ticks *ret);
/* --- draw.c --- */
struct ec__pen {
    enum ec_item_role role;
    int fill, stroke;
    double px, opacity; /* opacity 0 is 1 */
    bool dashed;
    const char *tip;
};
void ec__draw_path(struct ec_drawing *d, const struct ec__pen *pen, const double *xy, int n);
void ec__draw_line(struct ec_drawing *d, const struct ec__pen *pen, double x0, double y0, double x1,
                   double y1);
void ec__draw_polygon(struct ec_drawing *d, const struct ec__pen *pen, const double *xy, int n);
void ec__draw_rect(struct ec_drawing *d, const struct ec__pen *pen, const struct ec__box *b);
void ec__draw_circle(struct ec_drawing *d, const struct ec__pen *pen, double x, double y, double r);
struct ec__font {
    enum ec_item_role role;
    double size_px;
    bool bold;
    int fill;
    enum ec_anchor anchor;
    double max_px; /* 0: no bound */
};
void ec__draw_text(struct ec_drawing *d, const struct ec__font *f, double x, double baseline,
                   const char *text);
/* Words broken into lines; returns the baseline of the line that would come next. */
double ec__draw_lines(struct ec_drawing *d, const struct ec__font *f, double x, double baseline,
                      double width_px, const char *text);
/* Point of shape 0, 1, ... */
void ec__draw_point(struct ec_drawing *d, const struct ec__pen *pen, int shape, double x, double y,
                    double r);
int ec__palette(int i); /* Okabe and Ito, yellow left out: it is lost on white */
#define EC__N_PALETTE 7
#define EC__N_SHAPES 5
#define EC__INK 0x222222
#define EC__GREY 0x767676 /* 4.5 : 1 on white */
#define EC__LIGHT 0xE3E3E3

/* --- frame.c --- */
struct ec__frame {
    const struct ec_plot *p;
    struct ec_drawing *d;
    struct ec__box area; /* of the data */
    struct ec__scale x, y;
    struct ec__ticks x_ticks, y_ticks;
    int colour[64]; /* of each series, 0xRRGGBB */
    int shape[64];
};
#define EC__SERIES_MAX 64
#define EC__TITLE_PX 16.0
#define EC__TEXT_PX 12.0
#define EC__LABEL_PX 11.0
#define EC__PAD_PX 14.0
#define EC__BASELINE 0.36 /* of the size, from the middle of a line down to its baseline */
/* Title, subtitle, legend, note: leaves what is free in f->area. */
void ec__frame_begin(struct ec__frame *f);
/* The title of an upright axis stands above its ticks, not turned. */
/* How far the text of the last tick would reach over the edge of the page, were the axis so long.
 */
double ec__frame_overhang(const struct ec__frame *f, double length_px);
void ec__frame_value_title(struct ec__frame *f, const struct ec_axis *axis, const char *unit);
void ec__frame_x_axis(struct ec__frame *f, const struct ec_axis *of);
void ec__frame_y_axis(struct ec__frame *f, const struct ec_axis *of);

/* --- categories.c: one axis of words, one of numbers --- */
struct ec__cats {
    double value_px;   /* of the widest value beside a lying bar; 0: none */
    bool flat;         /* words from top to bottom, values to the right: long words need it */
    double from, step; /* pixels: category i takes from + i * step to from + (i + 1) * step */
};
/* bars.c: bars of the fullest category */
int ec__bars_most(const struct ec_plot *p);
bool ec__cats_flat(const struct ec_plot *p);
/* Axes for values from lo to hi, and the words. */
void ec__cats_axes(struct ec__frame *f, double lo, double hi, struct ec__cats *ret);
/* Pixel of a value, kept inside the axis. */
double ec__cats_px(const struct ec__frame *f, const struct ec__cats *c, double v);
/* Of the values from a to b, at the pixels from p to q across. */
struct ec__box ec__cats_box(const struct ec__frame *f, const struct ec__cats *c, double a, double b,
                            double p, double q);
/* A line along the values at pixel p across, or across at one value. */
void ec__cats_line(struct ec__frame *f, const struct ec__cats *c, const struct ec__pen *pen,
                   double a, double b, double p);
void ec__cats_bar_line(struct ec__frame *f, const struct ec__cats *c, const struct ec__pen *pen,
                       double v, double p, double q);
void ec__cats_reference(struct ec__frame *f, const struct ec__cats *c);
/* What bars are drawn from. */
double ec__cats_base(const struct ec__frame *f, const struct ec__cats *c);
int ec__text_colour(int background); /* ink or white, whichever reads better */
int ec__darker(int rgb);             /* of a colour, for texts on white */

/* --- labels.c --- */
struct ec__label {
    const char *text;
    double x, y;   /* of its point */
    double radius; /* of the point */
    int colour;
    bool on_line; /* beside the end of a line: may slide to the left */
};
struct ec__obstacles {
    const struct ec__box *boxes;
    int n_boxes;
    const double *segments; /* x0 y0 x1 y1 */
    int n_segments;
};
/* Draws each label where it covers no other, with a line to its point when it stands apart; those
 * without a free place are counted. Errors: NOMEM, in d->st */
void ec__labels_place(struct ec_drawing *d, const struct ec__box *area,
                      const struct ec__label *labels, int n, const struct ec__obstacles *o);

/* --- one file per kind --- */
enum ec_status ec__draw_xy(struct ec__frame *f, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__draw_bars(struct ec__frame *f, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__draw_boxes(struct ec__frame *f, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__draw_heat(struct ec__frame *f, struct ec_err *err) EC_MUST_CHECK;

/* scale: pixels per unit, 2 for print. Errors: UNSUPPORTED when cairo is not installed; NOMEM */
enum ec_status ec_drawing_png(const struct ec_drawing *d, double scale, struct ec_buf *out,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
