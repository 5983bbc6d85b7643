/* Tables, described once, and written as text and Markdown for people, CSV and JSON for programs.
 *
 * A column has a key that ends with its unit (CSV header, JSON key: raw values), and a title, unit
 * and format for text and Markdown (scaled values). An unknown cell is `-` in text, empty in CSV,
 * null in JSON. */
#ifndef EC_REPORT_TABLE_H
#define EC_REPORT_TABLE_H

#include "base/base.h"

enum ec_col_format {
    EC_COL_TEXT,      /* left-aligned */
    EC_COL_BOOL,      /* yes, no */
    EC_COL_THOUSANDS, /* 25,557,032 */
    EC_COL_PLAIN,     /* whole number without separators: years, ids */
    EC_COL_FIXED,     /* value * scale, `digits` decimals */
    EC_COL_DIGITS3,   /* value * scale, three significant digits, aligned on the point */
    EC_COL_SI,        /* 25.6 M */
    EC_COL_BYTES,     /* 39.6, the unit GiB is that of the column */
    EC_COL_NS,        /* 412, the unit ms is that of the column */
};

enum ec_col_flags {
    EC_COL_HIDE_EMPTY =
        1 << 0, /* text and Markdown leave the column out when all its cells are unknown */
    EC_COL_DATA_ONLY = 1 << 1, /* CSV and JSON only */
    EC_COL_TEXT_ONLY = 1 << 2, /* text and Markdown only */
    EC_COL_RIGHT = 1 << 3,     /* right-aligned text */
    EC_COL_VERDICT = 1 << 4,   /* coloured text: no, unlikely; likely; fastest, cheapest */
    EC_COL_AS_BEFORE =
        1 << 5, /* BYTES, NS: in the unit of the column before, if it is of the same format */
    EC_COL_BOTH_ENDS = 1 << 6, /* text that is too wide is cut in its middle */
    EC_COL_HIDE_SAME = 1 << 7, /* text and Markdown leave it out where all of several rows agree */
};

struct ec_col {
    const char *key;          /* step_time_ns */
    const char *title, *unit; /* "step", "ms"; unit NULL: no unit line */
    enum ec_col_format format;
    double scale;  /* 0 is 1 */
    int digits;    /* EC_COL_FIXED */
    int max_width; /* text: longer cells are cut with an ellipsis; 0: never */
    unsigned flags;
    /* Text in a table of bounded width: */
    int min_width; /* cells may be cut to this width; 0: never */
    int drop; /* columns with the highest number are left out first, all that have it; 0: never */
};

enum ec_cell_kind { EC_CELL_NONE, EC_CELL_TEXT, EC_CELL_NUM, EC_CELL_INT, EC_CELL_BOOL };
struct ec_cell {
    enum ec_cell_kind kind;
    union {
        const char *text;
        double num;
        int64_t i;
        bool b;
    } v;
};

/* Failures are kept; ec_table_write and ec_table_json report them. */
struct ec_table {
    const struct ec_col *cols; /* borrowed */
    int n_cols, n_cells, cap_cells, n_rules, cap_rules;
    struct ec_cell *cells; /* row after row */
    int *rules;            /* rows with a thin rule above */
    int width;  /* largest width of text, as far as columns can be cut or dropped; 0: any */
    bool color; /* text: bold titles, verdicts in colour */
    struct ec_arena arena;
    enum ec_status st;
};

enum ec_table_form { EC_TABLE_TEXT, EC_TABLE_MARKDOWN, EC_TABLE_CSV, EC_TABLE_HTML };

void ec_table_init(struct ec_table *t, const struct ec_col *cols, int n_cols);
void ec_table_clear(struct ec_table *t);
/* The next cell, from left to right; after the last column the next row begins. */
void ec_table_text(struct ec_table *t, const char *v); /* copied; NULL is unknown */
void ec_table_num(struct ec_table *t, double v);       /* not finite: unknown */
void ec_table_int(struct ec_table *t, int64_t v);
void ec_table_bool(struct ec_table *t, bool v);
void ec_table_none(struct ec_table *t);
/* Several cells at once: ec_table_row(t, ec_text(name), ec_num(x), known ? ec_int(n) : ec_none()).
 */
#define ec_table_row(t, ...)                                                                       \
    ec_table_cells(                                                                                \
        t, (const struct ec_cell[]){ __VA_ARGS__ },                                                \
        (int)(sizeof((const struct ec_cell[]){ __VA_ARGS__ }) / sizeof(struct ec_cell)))
void ec_table_cells(struct ec_table *t, const struct ec_cell *cells, int n);
static inline struct ec_cell ec_text(const char *v)
{
    return (struct ec_cell){ .kind = EC_CELL_TEXT, .v.text = v };
}
static inline struct ec_cell ec_num(double v)
{
    return (struct ec_cell){ .kind = EC_CELL_NUM, .v.num = v };
}
static inline struct ec_cell ec_int(int64_t v)
{
    return (struct ec_cell){ .kind = EC_CELL_INT, .v.i = v };
}
static inline struct ec_cell ec_bool(bool v)
{
    return (struct ec_cell){ .kind = EC_CELL_BOOL, .v.b = v };
}
static inline struct ec_cell ec_none(void)
{
    return (struct ec_cell){ .kind = EC_CELL_NONE };
}
/* Nothing where the text is empty, the number not above 0. */
static inline struct ec_cell ec_given(const char *v)
{
    return ec_text(*v ? v : NULL);
}
static inline struct ec_cell ec_positive(double v)
{
    return v > 0 ? ec_num(v) : ec_none();
}
/* A thin rule above the next row: totals follow. */
void ec_table_rule(struct ec_table *t);
int ec_table_rows(const struct ec_table *t);

/* Errors: NOMEM */
enum ec_status ec_table_write(const struct ec_table *t, enum ec_table_form form, struct ec_buf *out,
                              struct ec_err *err) EC_MUST_CHECK;
/* The table as CSV to a file. Errors: NOMEM; those of ec_file_write */
enum ec_status ec_table_save(const struct ec_table *t, const char *path,
                             struct ec_err *err) EC_MUST_CHECK;
/* Number of columns that text leaves out to fit the width. ret_titles: gets theirs, joined by ", ";
 * may be NULL */
int ec_table_dropped(const struct ec_table *t, struct ec_buf *ret_titles);
/* An array of objects, one per row. */
enum ec_status ec_table_json(const struct ec_table *t, struct ec_json *j, const char *key,
                             struct ec_err *err) EC_MUST_CHECK;

/* Width of a text on a terminal: wide and combining characters, bytes that are not UTF-8. */
int ec_text_width(const char *text);

#endif
