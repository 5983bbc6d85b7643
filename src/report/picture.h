/* Pictures of tables. A recipe says which columns go where; `epochcast plot` draws by recipe or by
 * columns that the user names. */
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
    X(HISTOGRAM, "histogram")                                                                      \
    X(ROOFLINE, "roofline")

enum ec_picture_form {
#define EC_PICTURE_FORM_ENUM(name, text) EC_PICTURE_##name,
    EC_PICTURE_FORM_LIST(EC_PICTURE_FORM_ENUM)
#undef EC_PICTURE_FORM_ENUM
        EC_PICTURE_FORM_COUNT
};

/* A recipe. Columns are words joined by ','. A word may have alternatives joined by '|', of which
 * the first that the table has is taken; then '?' if the column may be missing; then ':' and its
 * name in the legend. Units come from the ends of names: _ns, _bytes, _frac ... */
struct ec_picture {
    const char *name, *help;
    enum ec_picture_form form;
    const char *unit;    /* of x and y where names have none: ns, bytes, frac ... */
    const char *x;       /* one column; labels of bars may come from several */
    const char *y;       /* several columns are several series; histogram: a column that the table
                            must have, not drawn */
    const char *group;   /* columns whose words name the series, or the rows of a heat map */
    const char *lo, *hi; /* band or error bars; NULL: 5 % to 95 % where rows repeat */
    const char *label;   /* beside points: a cell, or of several columns what differs */
    const char
        *where; /* column=pattern,...: rows to keep; "column?=" if the column may be missing */
    const char *unless; /* not for tables with this column */
    const char *title, *subtitle, *note, *x_title, *y_title;
    bool log_x, log_y, at_values, from_zero;
    bool log_if_wide;      /* y is logarithmic if its values differ much */
    bool each_environment; /* also one picture per environment, if there are too many for one
                              picture */
    bool environments;     /* the group's first column names environments */
    bool between;          /* compares environments: needs several */
    bool percent_bands;    /* scatter: the line y = x and +-20 % */
    bool largest_first;    /* bars: sorted by value */
    bool has_reference;
    double reference;
    const char *reference_label;
    int64_t width_px, height_px;
    /* Names of recipes joined by ',' that stand side by side, instead of columns; a panel without
     * numbers is left out. NULL: the picture is one */
    const char *panels;
};

const struct ec_picture *ec_pictures(int *ret_n); /* the recipes */
/* Finds a recipe, or a form by its name, which the caller fills. Errors: INPUT with near names */
enum ec_status ec_picture_find(const char *name, struct ec_picture *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Draws the picture. Errors: INPUT when a column is missing or has no numbers; those of
 * ec_plot_draw */
enum ec_status ec_picture_draw(const struct ec_picture *p, const struct ec_csv *table,
                               struct ec_drawing *ret, struct ec_err *err) EC_MUST_CHECK;

/* Writes DIR/<name>.<ending> for every recipe that fits the table and has something to draw;
 * creates the directory. ret_names: names of the pictures. */
enum ec_status ec_pictures_write(const struct ec_csv *table, const char *dir, const char *ending,
                                 struct ec_arena *a, struct ec_strs *ret_names,
                                 struct ec_err *err) EC_MUST_CHECK;

#endif
