/* Pictures of tables: which columns go where. A recipe is a row of a table; `epochcast plot` draws
 * by recipe or by columns that the user names. */
#ifndef EC_REPORT_PICTURE_H
#define EC_REPORT_PICTURE_H

#include "base/base.h"
#include "plot/plot.h"

#define EC_PICTURE_FORM_LIST(X)                                                                    \
    X(LINE, "line")                                                                                \
    X(SCATTER, "scatter")                                                                          \
    X(BARS, "bars")                                                                                \
    X(STACK, "stack")                                                                              \
    X(BOX, "box")                                                                                  \
    X(HEAT, "heat")                                                                                \
    X(ROOFLINE, "roofline")

enum ec_picture_form {
#define EC_PICTURE_FORM_ENUM(name, text) EC_PICTURE_##name,
    EC_PICTURE_FORM_LIST(EC_PICTURE_FORM_ENUM)
#undef EC_PICTURE_FORM_ENUM
        EC_PICTURE_FORM_COUNT
};

/* How a table becomes a picture. Columns are words joined by ','; a word may have alternatives
 * joined by '|', of which the first that the table has is taken, and end with '?' when the picture
 * can do without, then with ':' and what it is called in the legend. Units are read off the ends of
 * the names: _ns, _bytes, _frac ... */
struct ec_picture {
    const char *name, *help;
    enum ec_picture_form form;
    const char *unit;    /* of x and y where the names do not say: ns, bytes, frac ... */
    const char *x;       /* one column; words of bars may come from several */
    const char *y;       /* several columns are several series */
    const char *group;   /* their words name the series, or the rows of a heat map */
    const char *lo, *hi; /* band or error bars; NULL: 5 % to 95 % where rows repeat */
    const char *label;   /* beside points */
    const char *where;   /* column=pattern,...: rows to keep; "column?=" where there is one */
    const char *unless;  /* a table with this column is of another kind */
    const char *title, *subtitle, *note, *x_title, *y_title;
    bool log_x, log_y, at_values, from_zero;
    bool log_if_wide;      /* y is logarithmic where values are far apart */
    bool each_environment; /* a set of pictures has one of each besides, where all are too many */
    bool environments;  /* the first column of the group names environments, and it takes several */
    bool between;       /* compares environments: a table of one has nothing to show */
    bool percent_bands; /* scatter: the line y = x and +-20 % */
    bool metrics_each;  /* ... and R2 of each series, not of all points */
    bool largest_first; /* bars: sorted by value */
    bool has_reference;
    double reference;
    const char *reference_label;
    int64_t width_px, height_px;
};

const struct ec_picture *ec_pictures(int *ret_n); /* the recipes */
/* A recipe, or a form by its name, to be filled. Errors: INPUT with near names */
enum ec_status ec_picture_find(const char *name, struct ec_picture *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Errors: INPUT when a column is missing or holds no numbers; those of ec_plot_draw */
enum ec_status ec_picture_draw(const struct ec_picture *p, const struct ec_csv *table,
                               struct ec_drawing *ret, struct ec_err *err) EC_MUST_CHECK;

/* Writes the pictures of every recipe that fits the table and has something to draw there as
 * DIR/<name>.<ending>, making the directory; names go to ret_names. */
enum ec_status ec_pictures_write(const struct ec_csv *table, const char *dir, const char *ending,
                                 struct ec_arena *a, struct ec_strs *ret_names,
                                 struct ec_err *err) EC_MUST_CHECK;

#endif
