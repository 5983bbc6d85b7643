/* A table read for a picture: columns found, rows kept, points grouped into series. */
#ifndef EC_REPORT_PICTURE_INTERNAL_H
#define EC_REPORT_PICTURE_INTERNAL_H

#include "report/picture.h"

#define EC__Y_MAX 16
#define EC__CURVES_MAX 14 /* that can be followed in one picture */
#define EC__X_MAX 6
#define EC__GROUP_MAX 8

/* How numbers of a column are to be taken: value * factor is in the base unit of the form. */
struct ec__quantity {
    enum ec_axis_form form;
    double factor;
    const char *unit;
    char title[64]; /* the name without its unit, in words */
};
void ec__quantity_of(const char *column, struct ec__quantity *ret);

struct ec__point {
    int series, category;
    double x, y, lo, hi;
    const char *label;
};

struct ec__points {
    struct ec_arena arena;
    struct ec__point *v;
    int n, cap;
    const char **series, **categories;
    int n_series, cap_series, n_categories, cap_categories;
    int *series_row, *category_row; /* where each first stands */
    int cap_series_row, cap_category_row;
    int x_cols[EC__X_MAX], n_x, group[EC__GROUP_MAX], n_group; /* columns that names are made of */
    const char *constant; /* words that all rows share, and no name repeats; "": none */
    struct ec__quantity x, y;
};

/* The column that a word of a picture means; -1: none, and *ret_optional says whether it may be.
 */
int ec__column(const struct ec_csv *t, struct ec_span word, bool *ret_optional);
/* Whether the picture's `where` takes the row. */
enum ec_status ec__row_kept(const struct ec_picture *p, const struct ec_csv *t, int row, bool *ret,
                            struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__points_read(const struct ec_picture *p, const struct ec_csv *t,
                               struct ec__points *ret, struct ec_err *err) EC_MUST_CHECK;
/* Points of one series and place become one, their median, with 5 % and 95 % as bounds. */
enum ec_status ec__points_merge(struct ec__points *pts, bool by_category,
                                struct ec_err *err) EC_MUST_CHECK;
/* Keeps the series (categories) that are marked, in their order; the points of others go. */
void ec__points_keep(struct ec__points *pts, const bool *keep, bool categories);
void ec__points_clear(struct ec__points *pts);
/* picture_few.c: bars and curves that are too many to be read become those that compare best; the
 * picture's *ret_note says so. Bars go by how many series have them, by the sum of theirs, or by
 * the value of the first series. */
enum ec__rank { EC__BY_SERIES, EC__BY_SUM, EC__BY_FIRST };
enum ec_status ec__few_categories(const struct ec_csv *t, struct ec__points *pts, enum ec__rank by,
                                  const char **ret_note, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__few_curves(const struct ec_csv *t, struct ec__points *pts, int max,
                              const char **ret_note, struct ec_err *err) EC_MUST_CHECK;
/* picture_order.c: sorts names by the cells of their first rows. ret_to: new place of each. */
enum ec_status ec__names_sort(const struct ec_csv *t, const int *cols, int n_cols,
                              const char **names, const int *rows, int n, int *ret_to,
                              struct ec_err *err) EC_MUST_CHECK;

enum ec_status ec__roofline_draw(const struct ec_picture *p, const struct ec_csv *t,
                                 struct ec_drawing *ret, struct ec_err *err) EC_MUST_CHECK;

/* --- picture.c, picture_set.c --- */

/* Whether the table has what the recipe asks for. */
bool ec_picture_fits(const struct ec_picture *p, const struct ec_csv *table);

/* A picture that a table gives, by name; a recipe may give several. */
struct ec_picture_file {
    struct ec_picture p;
    const char *name; /* "roofline-a100": of the file, without its ending */
};
/* Every recipe that fits the table and has something to draw there. Of a table with several modes
 * or precisions the pictures are of steps of training, at the precision of most environments;
 * predictions are drawn mode by mode, rooflines also device by device, curves that are too many for
 * one picture environment by environment. ret: n entries in the arena. Errors: NOMEM */
enum ec_status ec_pictures_of(const struct ec_csv *table, struct ec_arena *a,
                              struct ec_picture_file **ret, int *ret_n,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
