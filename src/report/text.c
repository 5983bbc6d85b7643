/* Tables for people: text for the terminal, and Markdown.
 *
 * First every cell is formatted and measured to the left and right of its decimal point; then the
 * widths of columns are computed; then lines are written. */
#include "report/report_internal.h"

#include <math.h>
#include <string.h>

#include "learn/learn.h"

#define GAP "  "
#define RULE "\xe2\x94\x80" /* U+2500, light horizontal */
#define ELLIPSIS "\xe2\x80\xa6"
enum { HTML_BREAK_FROM = 24 }; /* columns of a text */

/* Code points that take two columns, roughly: enough for names, not a whole Unicode table. */
static bool is_wide(unsigned long c)
{
    return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
           (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
           (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

static bool is_combining(unsigned long c)
{
    return (c >= 0x300 && c <= 0x36f) || c == 0x200b || c == 0x200d ||
           (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff;
}

static unsigned long decode(const char *p, int len)
{
    static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    unsigned long c = (unsigned char)*p & first[len];
    int i;

    for (i = 1; i < len; i++)
        c = c << 6 | ((unsigned char)p[i] & 0x3f);
    return c;
}

/* One character at p: bytes it takes, columns it fills. A byte that is not UTF-8 fills one. */
static size_t one_char(const char *p, size_t left, int *ret_columns)
{
    int len = ec_utf8_len(p, left);
    unsigned long c;

    *ret_columns = 1;
    if (!len)
        return 1;
    c = decode(p, len);
    if (is_combining(c))
        *ret_columns = 0;
    else if (is_wide(c))
        *ret_columns = 2;
    return (size_t)len;
}

static int width_of(const char *text, size_t len)
{
    int total = 0, columns;

    while (len) {
        size_t n = one_char(text, len, &columns);

        total += columns;
        text += n;
        len -= n;
    }
    return total;
}

int ec_text_width(const char *text)
{
    return width_of(text, strlen(text));
}

/* A formatted cell: `head` columns up to the decimal point, `tail` from it on. */
struct shown {
    const char *text;
    int head, tail;
};

struct column {
    const char *title, *unit; /* as shown; no unit is "" */
    double scale;             /* of BYTES and NS; 0: each cell has a unit of its own */
    int head, tail;           /* of its widest cells */
    bool hidden;
};

struct layout {
    const struct ec_table *t;
    struct ec_arena arena;
    struct shown *cells;
    struct column *cols;
    int n_dropped;
    struct ec_buf *dropped; /* gets their titles; NULL: nobody asks */
};

static double scaled(const struct ec_col *col, double v)
{
    return col->scale != 0 ? v * col->scale : v;
}

static double number_of(const struct ec_cell *cell)
{
    return cell->kind == EC_CELL_INT ? (double)cell->v.i : cell->v.num;
}

#define PLAIN_BELOW 1e9      /* what a fit that went astray says fills no line */
#define THOUSANDS_BELOW 1e18 /* what an int64_t holds */

static void format_fixed(char *out, size_t size, int digits, double v)
{
    if (fabs(v) < PLAIN_BELOW)
        (void)ec_snprintf(out, size, "%.*f", digits, v);
    else
        (void)ec_snprintf(out, size, "%.3g", v);
    if (*out == '-' && !out[strcspn(out, "123456789")]) /* "-0.00" */
        memmove(out, out + 1, strlen(out));
}

static void format_digits3(char *out, size_t size, double v)
{
    double a = fabs(v);
    int decimals = a >= 99.95 || a == 0 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : 3;

    if (a > 0 && a < 0.00095)
        (void)ec_snprintf(out, size, "%.2g", v);
    else
        format_fixed(out, size, decimals, v);
}

/* scale  of the column's unit; 0: the cell has its own */
static void format_number(const struct ec_col *col, const struct ec_cell *cell, double scale,
                          char *out, size_t size)
{
    double v = number_of(cell);

    if (!isfinite(v)) {
        (void)snprintf(out, size, "-");
        return;
    }
    switch (col->format) {
    case EC_COL_THOUSANDS:
        if (cell->kind == EC_CELL_INT)
            (void)ec_fmt_thousands(out, size, cell->v.i);
        else if (fabs(v) < THOUSANDS_BELOW)
            (void)ec_fmt_thousands(out, size, (int64_t)v);
        else
            (void)ec_snprintf(out, size, "%.3g", v);
        break;
    case EC_COL_FIXED:
        format_fixed(out, size, col->digits, scaled(col, v));
        break;
    case EC_COL_DIGITS3:
        format_digits3(out, size, scaled(col, v));
        break;
    case EC_COL_SI:
        (void)ec_fmt_si(out, size, v);
        break;
    case EC_COL_BYTES:
    case EC_COL_NS:
        if (scale > 0 && v > 0 && v * scale < 0.00095)
            ec_snprintf(out, size, "<0.001");
        else if (scale > 0)
            format_digits3(out, size, v * scale);
        else if (col->format == EC_COL_NS)
            (void)ec_fmt_ns(out, size, v);
        else
            (void)ec_fmt_bytes(out, size, v);
        break;
    case EC_COL_TEXT:
    case EC_COL_BOOL:
    case EC_COL_PLAIN:
        (void)ec_fmt_double(out, size, v);
        break;
    }
}

const char *ec__r2(const struct ec_metrics *m, char out[EC__R2_BYTES])
{
    *out = '\0';
    if (isfinite(m->r2))
        (void)ec_snprintf(out, EC__R2_BYTES, ", R\xc2\xb2 %.3f", m->r2);
    return out;
}

const char *ec__seconds(double s, char out[EC__SECONDS_BYTES])
{
    return ec_fmt_ns(out, EC__SECONDS_BYTES, s * 1e9);
}

/* The longest head of `text` that fits, with an ellipsis; or half of it, and an end. */
static const char *cut(struct ec_arena *a, const char *text, int max_width, unsigned flags)
{
    size_t len = strlen(text), at = 0, end = 0;
    int used = 0, columns, tail = flags & EC_COL_BOTH_ENDS ? (max_width - 1) / 2 : 0;

    if (!max_width || width_of(text, len) <= max_width)
        return text;
    while (at < len) {
        size_t n = one_char(text + at, len - at, &columns);

        if (used + columns > max_width - 1 - tail)
            break;
        used += columns;
        at += n;
    }
    while (width_of(text + end, len - end) > tail)
        end += one_char(text + end, len - end, &columns);
    return ec_arena_printf(a, "%.*s%s%s", (int)at, text, ELLIPSIS, text + end);
}

/* What a terminal would obey in place of showing it is gone. */
static const char *plain(struct ec_arena *a, const char *text)
{
    char *copy = ec_arena_str(a, text);

    if (copy)
        copy[ec_plain_text(copy, strlen(copy), "")] = '\0';
    return copy;
}

static const char *cell_text(struct layout *l, int at, const struct ec_cell *cell)
{
    const struct ec_col *col = &l->t->cols[at];
    const char *text;
    char number[64];

    switch (cell->kind) {
    case EC_CELL_NONE:
        return "-";
    case EC_CELL_TEXT:
        text = plain(&l->arena, cell->v.text);
        return text ? cut(&l->arena, text, col->max_width, col->flags) : NULL;
    case EC_CELL_BOOL:
        return cell->v.b ? "yes" : "no";
    case EC_CELL_NUM:
    case EC_CELL_INT:
        break;
    }
    format_number(col, cell, l->cols[at].scale, number, sizeof number);
    return ec_arena_str(&l->arena, number);
}

static bool is_left(const struct ec_col *col)
{
    return (col->format == EC_COL_TEXT || col->format == EC_COL_BOOL) &&
           !(col->flags & EC_COL_RIGHT);
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* Only numbers with mixed precision are aligned on the point; other cells are right-aligned. */
static void measure(struct layout *l, int col)
{
    const struct ec_table *t = l->t;
    struct column *c = &l->cols[col];
    bool mixed = t->cols[col].format == EC_COL_DIGITS3 || c->scale > 0;
    int row;

    c->head = c->tail = 0;
    for (row = 0; row < ec_table_rows(t); row++) {
        struct shown *s = &l->cells[row * t->n_cols + col];
        const char *point = mixed ? strchr(s->text, '.') : NULL;

        s->head = width_of(s->text, point ? (size_t)(point - s->text) : strlen(s->text));
        s->tail = point ? ec_text_width(point) : 0;
        c->head = max_int(c->head, s->head);
        c->tail = max_int(c->tail, s->tail);
    }
    c->head = max_int(c->head, max_int(ec_text_width(c->title), ec_text_width(c->unit)) - c->tail);
}

/* --- One unit for a column of times or bytes --- */

/* Smallest and largest size of the numbers that are not 0. */
struct range {
    double least, most;
};

static struct range range_of(const struct ec_table *t, int col)
{
    struct range r = { 0, 0 };
    int row;

    for (row = 0; row < ec_table_rows(t); row++) {
        const struct ec_cell *cell = &t->cells[row * t->n_cols + col];
        double v =
            cell->kind == EC_CELL_NUM || cell->kind == EC_CELL_INT ? fabs(number_of(cell)) : 0;

        if (!(v > 0))
            continue;
        r.least = r.most > 0 ? fmin(r.least, v) : v;
        r.most = fmax(r.most, v);
    }
    return r;
}

/* Beyond this ratio the small numbers of one unit have no digits left, or the large ones too many.
 */
#define ONE_UNIT_RATIO 1e4
/* A time may be a tenth of its unit: 0.142 ms beside 1015. A size a quarter: its bytes are exact.
 */
#define SHARE_OF_TIME 0.1
#define SHARE_OF_SIZE 0.25
#define DAY_NS 86400e9

/* Whether the column is to have the unit of the one before. */
static bool goes_with(const struct ec_col *c, int col)
{
    return col > 0 && c[col].flags & EC_COL_AS_BEFORE && c[col].format == c[col - 1].format;
}

/* Of the column, and of those behind it that are to have the same: that of the first with numbers.
 */
static void choose_unit(struct layout *l, int col)
{
    const struct ec_col *c = l->t->cols;
    struct range r = range_of(l->t, col);
    double like, scale = 0;
    const char *unit;
    int end;

    for (end = col + 1; end < l->t->n_cols && goes_with(c, end); end++)
        if (!(r.most > 0))
            r = range_of(l->t, end);
    if (!(r.most > 0) || r.most > ONE_UNIT_RATIO * r.least)
        return;
    if (c[col].format == EC_COL_BYTES) {
        unit = ec_unit_of_bytes(fmin(r.most, r.least / SHARE_OF_SIZE), &scale);
    } else { /* hours: half a day is 12 of them */
        like = fmin(r.most, r.least / SHARE_OF_TIME);
        unit = ec_unit_of_ns(r.least < DAY_NS ? fmin(like, DAY_NS) : like, &scale);
    }
    for (; col < end; col++) {
        l->cols[col].scale = scale;
        l->cols[col].unit = unit;
    }
}

static void choose_units(struct layout *l)
{
    const struct ec_col *c = l->t->cols;
    int col;

    for (col = 0; col < l->t->n_cols; col++)
        if ((c[col].format == EC_COL_NS || c[col].format == EC_COL_BYTES) && !goes_with(c, col))
            choose_unit(l, col);
}

static enum ec_status lay_out_column(struct layout *l, int col)
{
    const struct ec_table *t = l->t;
    const struct ec_col *from = &t->cols[col];
    struct column *c = &l->cols[col];
    bool known = false, same = t->n_cells > t->n_cols;
    int at;

    c->title = plain(&l->arena, from->title);
    c->unit = plain(&l->arena, c->unit ? c->unit : from->unit ? from->unit : "");
    if (!c->title || !c->unit)
        return EC_E_NOMEM;
    for (at = col; at < t->n_cells; at += t->n_cols) {
        l->cells[at].text = cell_text(l, col, &t->cells[at]);
        if (!l->cells[at].text)
            return EC_E_NOMEM;
        known = known || t->cells[at].kind != EC_CELL_NONE;
        same = same && ec_str_eq(l->cells[at].text, l->cells[col].text);
    }
    c->hidden = (from->flags & EC_COL_DATA_ONLY) || ((from->flags & EC_COL_HIDE_EMPTY) && !known) ||
                ((from->flags & EC_COL_HIDE_SAME) && same);
    measure(l, col);
    return EC_OK;
}

static int column_width(const struct layout *l, int col)
{
    return l->cols[col].head + l->cols[col].tail;
}

/* Width of a column that is cut as far as it may be. */
static int least_width(const struct layout *l, int col)
{
    int least = l->t->cols[col].min_width, width = column_width(l, col);

    return least && least < width ? least : width;
}

static int total_width(const struct layout *l, int (*width)(const struct layout *, int))
{
    int col, n = 0, total = 0;

    for (col = 0; col < l->t->n_cols; col++)
        if (!l->cols[col].hidden)
            total += width(l, col) + (n++ ? (int)strlen(GAP) : 0);
    return total;
}

/* The number of the columns that are dropped next; 0: none. */
static int next_to_drop(const struct layout *l)
{
    int col, number = 0;

    for (col = 0; col < l->t->n_cols; col++)
        if (!l->cols[col].hidden)
            number = max_int(number, l->t->cols[col].drop);
    return number;
}

static void drop_columns(struct layout *l, int number)
{
    int col;

    for (col = 0; col < l->t->n_cols; col++)
        if (!l->cols[col].hidden && l->t->cols[col].drop == number) {
            l->cols[col].hidden = true;
            if (l->dropped)
                ec_buf_printf(l->dropped, "%s%s", l->n_dropped ? ", " : "", l->t->cols[col].title);
            l->n_dropped++;
        }
}

static enum ec_status cut_column(struct layout *l, int col, int width)
{
    int at;

    for (at = col; at < l->t->n_cells; at += l->t->n_cols) {
        l->cells[at].text = cut(&l->arena, l->cells[at].text, width, l->t->cols[col].flags);
        if (!l->cells[at].text)
            return EC_E_NOMEM;
    }
    measure(l, col);
    return EC_OK;
}

/* Drops columns until the rest fits when cut as far as allowed; then cuts cells as far as needed,
 * from the left. */
static enum ec_status fit_width(struct layout *l)
{
    int col, over, number;

    if (!l->t->width)
        return EC_OK;
    while (total_width(l, least_width) > l->t->width && (number = next_to_drop(l)) > 0)
        drop_columns(l, number);
    for (col = 0; col < l->t->n_cols; col++) {
        int width = column_width(l, col);

        over = total_width(l, column_width) - l->t->width;
        if (!l->cols[col].hidden && over > 0 && least_width(l, col) < width)
            EC_PASS(cut_column(l, col, max_int(least_width(l, col), width - over)));
    }
    return EC_OK;
}

static enum ec_status lay_out(struct layout *l)
{
    size_t n_cols = (size_t)l->t->n_cols, n_cells = (size_t)l->t->n_cells;
    int col;

    l->cells = ec_arena_alloc(&l->arena, n_cells * sizeof *l->cells);
    l->cols = ec_arena_alloc(&l->arena, n_cols * sizeof *l->cols);
    if (!l->cells || !l->cols)
        return EC_E_NOMEM;
    choose_units(l);
    for (col = 0; col < l->t->n_cols; col++)
        EC_PASS(lay_out_column(l, col));
    return EC_OK;
}

int ec_table_dropped(const struct ec_table *t, struct ec_buf *ret_titles)
{
    struct layout l = { .t = t, .dropped = ret_titles };
    int n;

    if (!t->st && !lay_out(&l) && fit_width(&l))
        l.n_dropped = 0;
    n = l.n_dropped;
    ec_arena_clear(&l.arena);
    return n;
}

static void pad(struct ec_buf *out, int n)
{
    for (; n > 0; n--)
        ec_buf_char(out, ' ');
}

#define SGR_END "\033[0m"

/* Bad words are red, uncertain ones yellow, the best green; NULL: as it is. */
static const char *verdict_sgr(const char *word)
{
    static const struct {
        const char *word, *sgr;
    } rows[] = {
        {"no",        "\033[31m"},
        { "unlikely", "\033[31m"},
        { "slower",   "\033[31m"},
        { "faster",   "\033[33m"},
        { "normal",   "\033[32m"},
        { "likely",   "\033[33m"},
        { "fastest",  "\033[32m"},
        { "cheapest", "\033[32m"},
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        if (ec_str_starts(word, rows[i].word) &&
            (!word[strlen(rows[i].word)] || word[strlen(rows[i].word)] == ','))
            return rows[i].sgr;
    return NULL;
}

/* Escapes take no width, so the text is padded around them. */
static void put_sgr(const char *sgr, const char *text, struct ec_buf *out)
{
    if (sgr && *text)
        ec_buf_printf(out, "%s%s" SGR_END, sgr, text);
    else
        ec_buf_str(out, text);
}

/* Rows above the first: the titles, and below them the units or a rule. */
enum { TITLES = -2, BELOW_TITLES = -1 };

/* A way to write a table: what stands around rows, and how one column of a row is written. */
struct form {
    const char *begin, *gap, *end;
    void (*put)(const struct layout *l, int row, int col, struct ec_buf *out);
};

static void write_row(const struct layout *l, const struct form *f, int row, struct ec_buf *out)
{
    size_t start = out->len;
    int col, n = 0;

    ec_buf_str(out, f->begin);
    for (col = 0; col < l->t->n_cols; col++)
        if (!l->cols[col].hidden) {
            ec_buf_str(out, n++ ? f->gap : "");
            f->put(l, row, col, out);
        }
    while (out->len > start && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    ec_buf_str(out, f->end);
}

static const struct shown *shown(const struct layout *l, int row, int col)
{
    return &l->cells[row * l->t->n_cols + col];
}

static void text_title(const struct layout *l, int col, const char *text, struct ec_buf *out)
{
    bool left = is_left(&l->t->cols[col]);
    int room = column_width(l, col) - ec_text_width(text);

    pad(out, left ? 0 : room);
    put_sgr(l->t->color ? "\033[1m" : NULL, text, out);
    pad(out, left ? room : 0);
}

static void text_put(const struct layout *l, int row, int col, struct ec_buf *out)
{
    const struct column *c = &l->cols[col];
    const struct ec_col *of = &l->t->cols[col];
    const struct shown *s;

    if (row < 0) {
        text_title(l, col, row == TITLES ? c->title : c->unit, out);
        return;
    }
    s = shown(l, row, col);
    pad(out, is_left(of) ? 0 : c->head - s->head);
    put_sgr(of->flags & EC_COL_VERDICT && l->t->color ? verdict_sgr(s->text) : NULL, s->text, out);
    pad(out, is_left(of) ? c->head - s->head : c->tail - s->tail);
}

static void write_rule(const struct layout *l, struct ec_buf *out)
{
    int width = total_width(l, column_width);

    for (; width > 0; width--)
        ec_buf_str(out, RULE);
    ec_buf_char(out, '\n');
}

static bool any_unit(const struct layout *l)
{
    int col;

    for (col = 0; col < l->t->n_cols; col++)
        if (!l->cols[col].hidden && *l->cols[col].unit)
            return true;
    return false;
}

static bool has_rule(const struct ec_table *t, int row)
{
    int i;

    for (i = 0; i < t->n_rules; i++)
        if (t->rules[i] == row)
            return true;
    return false;
}

static void write_text(const struct layout *l, struct ec_buf *out)
{
    static const struct form form = { "", GAP, "\n", text_put };
    int row;

    write_row(l, &form, TITLES, out);
    if (any_unit(l))
        write_row(l, &form, BELOW_TITLES, out);
    write_rule(l, out);
    for (row = 0; row < ec_table_rows(l->t); row++) {
        if (has_rule(l->t, row))
            write_rule(l, out);
        write_row(l, &form, row, out);
    }
}

size_t ec__put_plain(struct ec_buf *out, const char *text, size_t len)
{
    bool plain;
    size_t n = ec_plain_char(text, len, &plain);

    if (plain)
        ec_buf_add(out, text, n);
    else
        ec_buf_char(out, ' ');
    return n;
}

/* Escapes the end of a column, links, pictures and tags: a cell is text, whatever it contains. */
static bool is_markdown(const char *at)
{
    char next = at[1];

    return *at == '|' || (*at == ']' && next == '(') ||
           (*at == '<' && (next == '/' || next == '!' || next == '?' ||
                           (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z')));
}

static void markdown_text(struct ec_buf *out, const char *text)
{
    const char *end = text + strlen(text);

    while (text < end) {
        if (is_markdown(text))
            ec_buf_char(out, '\\');
        text += ec__put_plain(out, text, (size_t)(end - text));
    }
}

/* The title of a column with its unit. Titles may be the names of columns in somebody's table. */
static void put_title(const struct layout *l, int col, void (*put)(struct ec_buf *, const char *),
                      struct ec_buf *out)
{
    put(out, l->t->cols[col].title);
    if (*l->cols[col].unit) {
        ec_buf_str(out, " (");
        put(out, l->cols[col].unit);
        ec_buf_char(out, ')');
    }
}

static void markdown_put(const struct layout *l, int row, int col, struct ec_buf *out)
{
    ec_buf_char(out, ' ');
    if (row == TITLES)
        put_title(l, col, markdown_text, out);
    else if (row == BELOW_TITLES)
        ec_buf_str(out, is_left(&l->t->cols[col]) ? ":--" : "--:");
    else
        markdown_text(out, shown(l, row, col)->text);
    ec_buf_str(out, " |");
}

static void write_markdown(const struct layout *l, struct ec_buf *out)
{
    static const struct form form = { "|", "", "\n", markdown_put };
    int row;

    for (row = TITLES; row < ec_table_rows(l->t); row++)
        write_row(l, &form, row, out);
}

void ec_html_escape_part(struct ec_buf *out, const char *text, size_t len)
{
    static const char special[] = "&<>\"'";
    static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

    size_t n;

    for (; len; len -= n, text += n) {
        const char *at = *text ? strchr(special, *text) : NULL;

        n = 1;
        if (at)
            ec_buf_str(out, entities[at - special]);
        else
            n = ec__put_plain(out, text, len);
    }
}

void ec_html_escape(struct ec_buf *out, const char *text)
{
    ec_html_escape_part(out, text, strlen(text));
}

/* Texts of several words may be broken on narrow pages; names never are. */
static const char *html_class(const struct ec_col *col, const char *text)
{
    if (!is_left(col))
        return " class=\"n\"";
    return strchr(text, ' ') && ec_text_width(text) > HTML_BREAK_FROM ? " class=\"w\"" : "";
}

static void html_put(const struct layout *l, int row, int col, struct ec_buf *out)
{
    const struct ec_col *of = &l->t->cols[col];

    if (row == TITLES) {
        ec_buf_str(out, is_left(of) ? "<th>" : "<th class=\"n\">");
        put_title(l, col, ec_html_escape, out);
        ec_buf_str(out, "</th>");
        return;
    }
    ec_buf_printf(out, "<td%s>", html_class(of, shown(l, row, col)->text));
    ec_html_escape(out, shown(l, row, col)->text);
    ec_buf_str(out, "</td>");
}

static void write_html(const struct layout *l, struct ec_buf *out)
{
    static const struct form titles = { "<thead><tr>", "", "</tr></thead>\n", html_put };
    static const struct form form = { "<tr>", "", "</tr>\n", html_put };
    int row;

    ec_buf_str(out, "<div class=\"table\"><table>\n");
    write_row(l, &titles, TITLES, out);
    ec_buf_str(out, "<tbody>\n");
    for (row = 0; row < ec_table_rows(l->t); row++)
        write_row(l, &form, row, out);
    ec_buf_str(out, "</tbody></table></div>\n");
}

static enum ec_status write_people(const struct ec_table *t, enum ec_table_form form,
                                   struct ec_buf *out, struct ec_err *err)
{
    struct layout l = { .t = t };
    enum ec_status st = lay_out(&l);

    if (!st && form == EC_TABLE_TEXT)
        st = fit_width(&l);
    if (st)
        st = ec_nomem(err);
    else if (form == EC_TABLE_TEXT)
        write_text(&l, out);
    else if (form == EC_TABLE_HTML)
        write_html(&l, out);
    else
        write_markdown(&l, out);
    ec_arena_clear(&l.arena);
    return st;
}

enum ec_status ec_table_write(const struct ec_table *t, enum ec_table_form form, struct ec_buf *out,
                              struct ec_err *err)
{
    if (t->st)
        return ec_nomem(err);
    if (form == EC_TABLE_CSV)
        ec__table_csv(t, out);
    else
        EC_PASS(write_people(t, form, out, err));
    return ec_buf_status(out, err);
}

enum ec_status ec_table_save(const struct ec_table *t, const char *path, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = ec_table_write(t, EC_TABLE_CSV, &text, err);

    if (!st)
        st = ec_file_write(path, text.data, text.len, err);
    ec_buf_clear(&text);
    return st;
}
