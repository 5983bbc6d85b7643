/* Pictures of numbers: what to draw is described by a struct, laid out once into a list of shapes,
 * and written as SVG or PNG from that same list, so that both show the same. It depends on numbers
 * and texts only, not on measurements. */
#ifndef EC_PLOT_H
#define EC_PLOT_H

#include "base/base.h"

/* How the numbers of an axis are written; values are always in the base unit. */
enum ec_axis_form {
    EC_AXIS_NUMBER, /* as they are */
    EC_AXIS_SI,     /* 12.5 TFLOP/s out of 1.25e13 and the unit "FLOP/s" */
    EC_AXIS_NS,     /* nanoseconds: us, ms, s, min, h */
    EC_AXIS_BYTES,  /* KiB, MiB, GiB */
    EC_AXIS_SHARE,  /* 0.25 is 25 % */
};

struct ec_axis {
    const char *title, *unit; /* unit NULL: none, or that of the form */
    enum ec_axis_form form;
    bool log;       /* values of zero or less are left out */
    bool from_zero; /* linear: zero is shown */
    bool at_values; /* a tick at each value that occurs, while they are few: batch sizes, depths */
    double lo, hi;  /* range; both 0: of the data */
};

enum ec_mark {
    EC_MARK_LINE = 1 << 0,
    EC_MARK_POINT = 1 << 1,
    EC_MARK_BAND = 1 << 2, /* between lo and hi; without it they are error bars */
    EC_MARK_DASHED = 1 << 3,
    EC_MARK_SMALL = 1 << 4, /* points in their thousands: small and translucent */
    EC_MARK_GREY = 1 << 5,  /* a reference, not a colour of its own */
    EC_MARK_LARGE = 1 << 6, /* few points among many, which they summarize: large, with an edge */
};

/* Numbers that belong together. Those that are not finite are left out. */
struct ec_series {
    const char *name; /* NULL: not in the legend */
    int n;
    const double *x, *y;       /* bars: y has a value per category, x is not read; boxes: x is the
                                * index of the category */
    const double *lo, *hi;     /* NULL: none */
    const char *const *labels; /* n texts beside the points; NULL: none, also singly */
    const char *line_label;    /* on the line, near its end; NULL: none */
    unsigned marks;            /* EC_MARK_*; 0: line and points */
    int colour;                /* 1 + index in the palette; 0: by order */
    int shape;                 /* of the points: 1 + index; 0: as the colour */
};

enum ec_plot_kind {
    EC_PLOT_XY,    /* lines, bands, points: curves, scatter, rooflines */
    EC_PLOT_BARS,  /* series side by side in each category */
    EC_PLOT_STACK, /* series on top of each other */
    EC_PLOT_BOX,   /* quartiles and 5 % to 95 % of many values per category; few are all shown */
    EC_PLOT_HEAT,  /* a table of cells in shades */
};

struct ec_plot {
    enum ec_plot_kind kind;
    /* note: under the picture; a line begins after '\n' */
    const char *title, *subtitle, *note; /* NULL: none */
    struct ec_axis x, y;                 /* bars, boxes: y is that of the values */
    const char *const *categories;       /* bars, boxes, columns of a heat map */
    int n_categories;
    const struct ec_series *series;
    int n_series;
    const char *const *rows; /* heat map */
    int n_rows;
    const double *cells; /* n_rows x n_categories, written by the form of y; not finite: unknown */
    bool identity;       /* XY: the line y = x, equal axes */
    double band_frac;    /* with it: lines at this share above and below; 0: none */
    bool has_reference;  /* a line across the values at ... */
    double reference;
    const char *reference_label;
    int width_px, height_px; /* 0: 760, and what the kind needs */
};

/* --- What was laid out --- */

enum ec_item_kind { EC_ITEM_PATH, EC_ITEM_POLYGON, EC_ITEM_RECT, EC_ITEM_CIRCLE, EC_ITEM_TEXT };
enum ec_item_role {
    EC_ROLE_BACKGROUND,
    EC_ROLE_GRID,
    EC_ROLE_AXIS,
    EC_ROLE_MARK,
    EC_ROLE_LEADER, /* from a point to its label */
    EC_ROLE_TITLE,
    EC_ROLE_TICK,
    EC_ROLE_LEGEND,
    EC_ROLE_LABEL, /* of a point, line or bar */
    EC_ROLE_CELL,  /* inside a bar or cell */
    EC_ROLE_NOTE,
};
enum ec_anchor { EC_ANCHOR_START, EC_ANCHOR_MIDDLE, EC_ANCHOR_END };

struct ec_item {
    enum ec_item_kind kind;
    enum ec_item_role role;
    int n;      /* points of a path or polygon */
    double *xy; /* path, polygon: n pairs; rectangle: x y width height; circle: centre, radius;
                 * text: where its baseline begins, is centred, or ends */
    int fill, stroke; /* 0xRRGGBB; -1: none */
    double opacity, stroke_px, size_px;
    bool dashed, bold;
    enum ec_anchor anchor;
    const char *text; /* clean UTF-8 */
    const char *tip;  /* shown by browsers over the shape; NULL: none */
};

struct ec_drawing {
    double width, height;
    const char *title; /* for readers of screens */
    struct ec_item *items;
    int n, cap;
    int labels_left_out; /* no free place was found for them */
    struct ec_arena arena;
    enum ec_status st; /* sticky */
};

/* Errors: INPUT when there is nothing to draw, NOMEM. ret: ec_drawing_clear() it. */
enum ec_status ec_plot_draw(const struct ec_plot *p, struct ec_drawing *ret,
                            struct ec_err *err) EC_MUST_CHECK;
void ec_drawing_clear(struct ec_drawing *d);
/* Puts a copy of `right` at the right of what is drawn; the page grows. An empty page becomes that
 * copy. Errors: NOMEM */
enum ec_status ec_drawing_beside(struct ec_drawing *to, const struct ec_drawing *right,
                                 struct ec_err *err) EC_MUST_CHECK;

/* id: unique in a document that holds several pictures. Errors: NOMEM */
enum ec_status ec_drawing_svg(const struct ec_drawing *d, const char *id, struct ec_buf *out,
                              struct ec_err *err) EC_MUST_CHECK;
/* By the ending of the name: .svg or .png. Errors: INPUT, IO and those of the writers */
enum ec_status ec_drawing_write(const struct ec_drawing *d, const char *path,
                                struct ec_err *err) EC_MUST_CHECK;

/* A value as the axis writes it, with its unit, three digits: "1.56 TB/s". */
void ec_axis_text(const struct ec_axis *axis, double v, char *out, size_t size);

#endif
