/* A table read for a picture: columns found, rows kept, points grouped into series. */
#ifndef EC_REPORT_PICTURE_INTERNAL_H
#define EC_REPORT_PICTURE_INTERNAL_H

#include "report/picture.h"
#include "report/report_internal.h"

#define EC__Y_MAX 16
#define EC__CURVES_MAX 14 /* largest number that is legible in one picture */
#define EC__X_MAX 6
#define EC__GROUP_MAX 8

/* Unit of a column: value * factor is in the base unit of the form. */
struct ec__quantity {
    enum ec_axis_form form;
    double factor;
    const char *unit;
    char title[64]; /* the name without its unit, in words */
};
void ec__quantity_of(const char *column, struct ec__quantity *ret);

struct ec__point {
    int series, category, row;
    double x, y, lo, hi;
    const char *name, *place, *label; /* of its series and its category; beside it */
};

/* Names of series, or of categories. */
struct ec__names {
    const char **name;
    int *row;                           /* the first with the name */
    int n, cols[EC__GROUP_MAX], n_cols; /* columns whose words make the names */
};

struct ec__points {
    struct ec_arena arena;
    struct ec__point *v;
    int n, cap;
    struct ec__names series, categories;
    const char *subject;  /* the network of all rows, for the title; "": they have several */
    const char *constant; /* words that all rows share and names leave out; "": none */
    struct ec__quantity x, y;
};

/* The column of a word of a recipe; -1: none. *ret_optional: whether it may be missing. */
int ec__column(const struct ec_csv *t, struct ec_span word, bool *ret_optional);
/* Whether the table has the columns of a recipe. */
bool ec__has_columns(const char *list, const struct ec_csv *t);
/* Whether the picture's `where` takes the row. */
enum ec_status ec__row_kept(const struct ec_picture *p, const struct ec_csv *t, int row, bool *ret,
                            struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__points_read(const struct ec_picture *p, const struct ec_csv *t,
                               struct ec__points *ret, struct ec_err *err) EC_MUST_CHECK;
/* The first kept row, if all kept rows have its word in a column; -1: they differ. kept: NULL: all
 * rows are */
int ec__constant_row(const struct ec_csv *t, const bool *kept, int col);
/* By series, category and x. */
void ec__points_sort(struct ec__points *pts);
/* Merges points of one series and place: their median, with 5 % and 95 % as bounds. */
enum ec_status ec__points_merge(struct ec__points *pts, bool by_category,
                                struct ec_err *err) EC_MUST_CHECK;
/* Gives each of the series, or of the categories, a new place; below 0: it goes, with its points.
 */
enum ec_status ec__points_place(struct ec__points *pts, bool categories, const int *to,
                                struct ec_err *err) EC_MUST_CHECK;
void ec__points_clear(struct ec__points *pts);
/* picture_few.c: reduces too many bars or curves to those that are compared best; *ret_note says
 * how many are shown. Bars are ranked by number of series, by sum, or by value of the first series.
 */
enum ec__rank { EC__BY_SERIES, EC__BY_SUM, EC__BY_FIRST };
enum ec_status ec__few_categories(const struct ec_csv *t, struct ec__points *pts, enum ec__rank by,
                                  const char **ret_note, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__few_curves(const struct ec_csv *t, struct ec__points *pts, int max,
                              const char **ret_note, struct ec_err *err) EC_MUST_CHECK;
/* picture_order.c: sorts names by the cells of their first rows. ret_to: new place of each. */
enum ec_status ec__names_sort(const struct ec_csv *t, const struct ec__names *names, int *ret_to,
                              struct ec_err *err) EC_MUST_CHECK;

/* Keeps labels of the fastest, the slowest and the outermost points: of more than so many. */
enum { EC__NAMED_MAX = 12 };
void ec__name_ends(const struct ec_series *s, const char **labels);

enum ec_status ec__roofline_draw(const struct ec_picture *p, const struct ec_csv *t,
                                 struct ec_drawing *ret, struct ec_err *err) EC_MUST_CHECK;

/* --- picture.c, picture_set.c --- */

/* The i-th panel of a recipe, with its share of the width; false: there are no more. */
bool ec__panel(const struct ec_picture *p, int i, struct ec_picture *ret);

/* Whether the table has the recipe's columns. */
bool ec_picture_fits(const struct ec_picture *p, const struct ec_csv *table);

/* One picture of a table; a recipe may yield several. */
struct ec_picture_file {
    struct ec_picture p;
    const char *name; /* "roofline-a100": of the file, without its ending */
};
/* All pictures of a table. With several modes or precisions they show training steps, at the
 * precision of most environments. Predictions have a picture per mode, rooflines also per device,
 * and too many curves one per environment. ret: n entries in the arena. Errors: NOMEM */
enum ec_status ec_pictures_of(const struct ec_csv *table, struct ec_arena *a,
                              struct ec_picture_file **ret, int *ret_n,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
