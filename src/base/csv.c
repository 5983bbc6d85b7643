/* CSV, RFC 4180, and tables with semicolons or tabs between cells, with lines of comment, or as
 * Markdown. One copy of the text; cells are pointers into it, ended in place. */
#include "base/io.h"

#include <string.h>

/* Larger than any table worth holding whole. */
#define CSV_MAX_BYTES ((size_t)2 << 30)

struct csv_reader {
    char *p, *end;  /* end points at the final NUL */
    char separator; /* of cells */
    int line;       /* of p, from 1 */
    struct ec_err *err;
};

enum cell_end { CELL_NEXT, CELL_LINE, CELL_FILE };

/* Moves over the separator at p and ends the cell's text at `stop`. */
static enum cell_end end_cell(struct csv_reader *r, char *stop)
{
    enum cell_end e = r->p == r->end ? CELL_FILE : *r->p == r->separator ? CELL_NEXT : CELL_LINE;

    *stop = '\0';
    r->p += e != CELL_FILE;
    r->line += e == CELL_LINE;
    return e;
}

static enum cell_end plain_cell(struct csv_reader *r, const char **ret)
{
    char *start = r->p, *stop;

    while (r->p < r->end && *r->p != r->separator && *r->p != '\n')
        r->p++;
    stop = r->p;
    if (*r->p != r->separator && stop > start && stop[-1] == '\r')
        stop--;
    *ret = start;
    return end_cell(r, stop);
}

static enum ec_status quoted_cell(struct csv_reader *r, const char **ret, enum cell_end *ret_end)
{
    int first_line = r->line;
    char *w = ++r->p;

    *ret = w;
    for (;;) {
        if (r->p == r->end)
            return ec_fail(r->err, EC_E_PARSE, "line %d: quoted cell is never closed", first_line);
        if (*r->p == '"') {
            r->p++;
            if (*r->p != '"')
                break;
        }
        r->line += *r->p == '\n';
        *w++ = *r->p++;
    }
    if (r->p[0] == '\r' && (r->p[1] == '\n' || r->p + 1 == r->end))
        r->p++;
    if (r->p != r->end && *r->p != r->separator && *r->p != '\n')
        return ec_fail(r->err, EC_E_PARSE, "line %d: text follows a closing quote", r->line);
    *ret_end = end_cell(r, w);
    return EC_OK;
}

static enum ec_status read_cell(struct csv_reader *r, const char **ret, enum cell_end *ret_end)
{
    if (*r->p == '"')
        return quoted_cell(r, ret, ret_end);
    *ret_end = plain_cell(r, ret);
    return EC_OK;
}

static void skip_blank_lines(struct csv_reader *r)
{
    while (*r->p == '\n' || (r->p[0] == '\r' && r->p[1] == '\n')) {
        r->p += *r->p == '\r' ? 2 : 1;
        r->line++;
    }
}

/* What stands between the names of the header: commas; else tabs; else semicolons. Programs write
 * semicolons where the comma is the decimal sign. */
static char find_separator(const char *text, size_t len)
{
    bool quoted = false, tab = false, semicolon = false;
    size_t i = 0;

    while (i < len && (text[i] == '\n' || text[i] == '\r'))
        i++;
    for (; i < len && (quoted || text[i] != '\n'); i++) {
        quoted = quoted != (text[i] == '"');
        if (!quoted && text[i] == ',')
            return ',';
        tab = tab || (!quoted && text[i] == '\t');
        semicolon = semicolon || (!quoted && text[i] == ';');
    }
    return tab ? '\t' : semicolon ? ';' : ',';
}

/* A copy of "73,1" or "73,1 ms" with a point; the cell itself if it is no such number. */
static const char *with_point(const char *cell, struct ec_arena *a)
{
    size_t sign = *cell == '-', whole = strspn(cell + sign, "0123456789");
    size_t part = cell[sign + whole] == ',' ? strspn(cell + sign + whole + 1, "0123456789") : 0;
    char *copy;

    if (!whole || !part || (cell[sign + whole + 1 + part] && cell[sign + whole + 1 + part] != ' '))
        return cell;
    copy = ec_arena_str(a, cell);
    if (copy)
        copy[sign + whole] = '.';
    return copy;
}

static enum ec_status put_points(struct ec_csv *c, struct ec_err *err)
{
    size_t n = (size_t)c->n_rows * (size_t)c->n_cols, i;

    for (i = 0; i < n; i++) {
        c->cells[i] = with_point(c->cells[i], &c->arena);
        EC_PASS(ec_allocated(c->cells[i], err));
    }
    return EC_OK;
}

static size_t count_separators(const char *text, size_t len, char separator, size_t *ret_lines)
{
    size_t n = 0, i;

    *ret_lines = 0;
    for (i = 0; i < len; i++) {
        n += text[i] == separator;
        *ret_lines += text[i] == '\n';
    }
    return n + *ret_lines;
}

static enum ec_status read_header(struct csv_reader *r, struct ec_csv *c, const char **cells)
{
    enum cell_end e = CELL_NEXT;

    skip_blank_lines(r);
    if (r->p == r->end)
        return ec_fail(r->err, EC_E_PARSE, "line 1: the header is missing, the file is empty");
    for (; e == CELL_NEXT; c->n_cols++) {
        EC_PASS(read_cell(r, &cells[c->n_cols], &e));
    }
    c->names = cells;
    c->cells = cells + c->n_cols;
    return EC_OK;
}

static enum ec_status read_row(struct csv_reader *r, struct ec_csv *c, const char **row)
{
    enum cell_end e = CELL_NEXT;
    int line = r->line, n = 0;
    const char *cell;

    for (; e == CELL_NEXT; n++) {
        EC_PASS(read_cell(r, &cell, &e));
        if (n < c->n_cols)
            row[n] = cell;
    }
    if (n != c->n_cols)
        return ec_fail(r->err, EC_E_PARSE, "line %d: %d cells, the header has %d%s", line, n,
                       c->n_cols, c->n_cols == 1 ? "; is it a table?" : "");
    c->lines[c->n_rows++] = line;
    return EC_OK;
}

static enum ec_status parse(struct csv_reader *r, size_t len, struct ec_csv *c)
{
    size_t max_lines, max_cells = count_separators(r->p, len, r->separator, &max_lines) + 2;
    const char **cells;
    enum ec_status st;

    if (max_cells > INT32_MAX)
        return ec_fail(r->err, EC_E_PARSE, "too many cells: %zu", max_cells);
    cells = ec_arena_alloc(&c->arena, max_cells * sizeof *cells);
    c->lines = ec_arena_alloc(&c->arena, (max_lines + 1) * sizeof *c->lines);
    EC_PASS(ec_allocated(cells && c->lines, r->err));
    st = read_header(r, c, cells);
    while (!st) {
        skip_blank_lines(r);
        if (r->p == r->end)
            break;
        st = read_row(r, c, c->cells + (size_t)c->n_rows * (size_t)c->n_cols);
    }
    if (!st && r->separator == ';')
        st = put_points(c, r->err);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Lines of comment, and Markdown. Lines keep their numbers. */

#define SIGNS ",;\t" /* between cells */

static bool is_comment(struct ec_span line)
{
    return line.len && *line.p == '#' && (line.len == 1 || !strchr(SIGNS, line.p[1]));
}

static int count_signs(struct ec_span line)
{
    size_t i;
    int n = 0;

    for (i = 0; i < line.len; i++)
        n += line.p[i] && strchr(SIGNS, line.p[i]);
    return n;
}

/* "# model,batch" right above "resnet50,32", as NumPy writes headers. */
static bool is_header(struct ec_span line, struct ec_span next)
{
    bool number = false;
    size_t i;

    for (i = 0; i < next.len; i++)
        number |= strchr("0123456789", next.p[i]) && (!i || strchr(SIGNS, next.p[i - 1]));
    return number && count_signs(line) > 0 && count_signs(line) == count_signs(next);
}

/* "| a | b |" as cells of CSV; nothing of "|---|:--:|". */
static void put_markdown(struct ec_span line, struct ec_arena *a, struct ec_buf *out)
{
    struct ec_span rest = ec_span_trim(line), cell;
    bool rule = true, first = true;
    const char *text;
    size_t i;

    for (i = 0; i < rest.len; i++)
        rule &= strchr("|:- ", rest.p[i]) != NULL;
    if (rule || *rest.p != '|')
        return;
    rest.p++;
    rest.len -= rest.len > 1 && rest.p[rest.len - 2] == '|' ? 2 : 1;
    while (rest.p && ec_span_cut(&rest, '|', &cell)) {
        for (cell = ec_span_trim(cell); cell.len && strchr("*`", *cell.p); cell.len--)
            cell.p++;
        while (cell.len && strchr("*`", cell.p[cell.len - 1]))
            cell.len--;
        ec_buf_str(out, first ? "" : ",");
        first = false;
        text = ec_arena_strn(a, cell.p, cell.len);
        ec_csv_put(out, text ? text : "");
    }
}

/* What stands for the text: the lines without what is not of the table. */
static void put_lines(struct ec_span text, struct ec_arena *a, struct ec_buf *out)
{
    bool markdown = ec_span_trim(text).len && *ec_span_trim(text).p == '|';
    struct ec_span line, next, behind;
    int head = 0; /* separators of the header */

    while (text.p && ec_span_cut(&text, '\n', &line)) {
        behind = text;
        if (!text.p || !ec_span_cut(&behind, '\n', &next))
            next = (struct ec_span){ NULL, 0 };
        if (markdown && line.len)
            put_markdown(line, a, out);
        else if (is_comment(line) && !head && !is_comment(next) && is_header(line, next))
            ec_buf_add(out, line.p + 1, line.len - 1);
        else if (!is_comment(line) ||
                 (head == count_signs(line) && head && line.len > 1 && line.p[1] != ' '))
            ec_buf_add(out, line.p, line.len);
        if (!is_comment(line) && !head)
            head = count_signs(line);
        ec_buf_char(out, '\n');
    }
}

enum ec_status ec_csv_parse(const char *text, size_t len, struct ec_csv *ret, struct ec_err *err)
{
    struct ec_csv c = { 0 };
    struct csv_reader r = { .line = 1, .err = err };
    struct ec_span content = ec_span_after_mark((struct ec_span){ text, len });
    struct ec_span begin = ec_span_trim(content);
    struct ec_buf lines = { .max_bytes = 2 * CSV_MAX_BYTES };
    enum ec_status st = EC_OK;

    if (len && memchr(text, '\0', len))
        return ec_fail(err, EC_E_PARSE, "a NUL byte stands in the text: not CSV");
    if (begin.len && strchr("#|", *begin.p)) {
        put_lines(content, &c.arena, &lines);
        EC_TRY(ec_buf_status(&lines, err));
        content = (struct ec_span){ ec_buf_text(&lines), lines.len };
    }
    r.p = ec_arena_strn(&c.arena, content.p, content.len);
    EC_TRY(ec_allocated(r.p, err));
    r.end = r.p + content.len;
    r.separator = find_separator(content.p, content.len);
    EC_TRY(parse(&r, content.len, &c));
    *ret = c;
    c.arena = (struct ec_arena){ 0 };
out:
    ec_buf_clear(&lines);
    ec_arena_clear(&c.arena);
    return st;
}

enum ec_status ec_csv_read(const char *path, struct ec_csv *ret, struct ec_err *err)
{
    struct ec_file f = { 0 };
    enum ec_status st;

    EC_PASS(ec_file_open(path, CSV_MAX_BYTES, &f, err));
    st = ec_within(err, ec_csv_parse((const char *)f.data, f.len, ret, err), "%s: ", path);
    ec_file_close(&f);
    return st;
}

void ec_csv_clear(struct ec_csv *c)
{
    if (!c)
        return;
    ec_arena_clear(&c->arena);
    *c = (struct ec_csv){ 0 };
}

int ec_csv_col(const struct ec_csv *c, const char *name)
{
    return ec_name_index(c->names, c->n_cols, name);
}

enum ec_status ec_csv_add_col(struct ec_csv *c, const char *name, int *ret_col, struct ec_err *err)
{
    size_t n = (size_t)c->n_cols, row, rows = (size_t)c->n_rows;
    const char **names = ec_arena_alloc(&c->arena, (rows + 1) * (n + 1) * sizeof *names);
    const char **cells = names ? names + n + 1 : NULL;

    EC_PASS(ec_allocated(names, err));
    if (n)
        memcpy(names, c->names, n * sizeof *names);
    names[n] = ec_arena_str(&c->arena, name);
    EC_PASS(ec_allocated(names[n], err));
    for (row = 0; row < rows; row++) {
        if (n)
            memcpy(cells + row * (n + 1), c->cells + row * n, n * sizeof *cells);
        cells[row * (n + 1) + n] = "";
    }
    c->names = names;
    c->cells = cells;
    *ret_col = c->n_cols++;
    return EC_OK;
}

const char *ec_csv_cell(const struct ec_csv *c, int row, int col)
{
    if (col < 0 || col >= c->n_cols || row < 0 || row >= c->n_rows)
        return "";
    return c->cells[(size_t)row * (size_t)c->n_cols + (size_t)col];
}

const char *ec_csv_text(const struct ec_csv *c, int row, const char *name)
{
    return ec_csv_cell(c, row, ec_csv_col(c, name));
}

double ec_csv_number(const struct ec_csv *c, int row, const char *name)
{
    double v = 0;

    (void)ec_parse_double(ec_span_of(ec_csv_text(c, row, name)), &v);
    return v;
}

void ec_csv_set(struct ec_csv *c, int row, int col, const char *text)
{
    if (col >= 0)
        c->cells[(size_t)row * (size_t)c->n_cols + (size_t)col] = text;
}

void ec_csv_put(struct ec_buf *out, const char *cell)
{
    struct ec_span begin = ec_span_trim(ec_span_of(cell));
    bool other = begin.len && strchr("#|", *begin.p); /* a comment, Markdown */
    const char *quote;

    if (!other && !strpbrk(cell, ",;\t\"\r\n") && ec_span_after_mark(ec_span_of(cell)).p == cell) {
        ec_buf_str(out, cell);
        return;
    }
    ec_buf_char(out, '"');
    while ((quote = strchr(cell, '"'))) {
        ec_buf_add(out, cell, (size_t)(quote - cell) + 1);
        ec_buf_char(out, '"');
        cell = quote + 1;
    }
    ec_buf_str(out, cell);
    ec_buf_char(out, '"');
}
