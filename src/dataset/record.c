/* Rows of tables as records. A layout's templates are looked up in the table's header once, so that
 * a table of a hundred thousand rows is read without searching for columns. */
#include "dataset/layout_internal.h"

#include <string.h>

/* A piece of a template: text between braces, or what stands between them. */
enum piece_kind { PIECE_TEXT, PIECE_CELL, PIECE_WORD, PIECE_SECOND };

struct piece {
    enum piece_kind kind;
    struct ec_span text; /* PIECE_TEXT; name of the word map */
    struct ec_span name; /* of the column */
    int col;
};

struct template
{
    const char *fixed; /* no braces in it: the text itself */
    struct piece *piece;
    int n, cap;
    struct ec_buf out;
};

/* Templates of a layout: X(member of the plan, how the layout has it, text when it has none). */
#define TEXT_LIST(X)                                                                               \
    X(what, l->what, "")                                                                           \
    X(device, l->device ? l->device : device, "")                                                  \
    X(precision, l->precision, "fp32")                                                             \
    X(memory_format, l->memory_format, "channels-first")                                           \
    X(optimizer, l->stored_optimizer ? l->stored_optimizer : l->optimizer, "none")                 \
    X(framework, l->framework, "")                                                                 \
    X(mode, l->stored_mode ? l->stored_mode : l->mode, "forward")                                  \
    X(family, l->family, "")                                                                       \
    X(device_name, l->device_name, "")                                                             \
    X(framework_version, l->framework_version, "")                                                 \
    X(outcome, l->outcome, "ok")                                                                   \
    X(batch, l->batch, "")                                                                         \
    X(image_px, l->image_px, "")                                                                   \
    X(seq_len, l->seq_len, "")                                                                     \
    X(num_devices, l->num_devices, "1")

enum {
#define TEXT_ENUM(name, template, deflt) TEXT_##name,
    TEXT_LIST(TEXT_ENUM)
#undef TEXT_ENUM
        TEXT_COUNT
};

enum flag_kind { FLAG_SET, FLAG_CLEAR, FLAG_TEXT };

#define NAMED_MAX 12
struct named_col {
    struct ec_span name;
    enum flag_kind kind;
    int col;
};

/* A layout looked up in a header. */
struct plan {
    const struct ec_layout *l;
    struct template text[TEXT_COUNT];
    struct named_col flag[NAMED_MAX], library[NAMED_MAX];
    int n_flags, n_libraries;
    int time_col[EC_LAYOUT_TIMES_MAX];
    int min, max, mean, std, n_samples, iteration, memory;
    bool *used; /* by column: has a place of its own */
};

#define PLANS_MAX 4
struct ec_reader {
    const struct ec_csv *csv;
    struct plan plan[PLANS_MAX]; /* layouts that share the columns */
    int n_plans;
    bool *lossy; /* by column, in this row: a word map changed what stands there */
    const char **json_key;
    struct ec_buf libraries, flags[EC_RECORDS_MAX], extra;
    struct ec_arena arena;
};

/* ------------------------------------------------------------------------------------------------
 * Looking a layout up */

static int find_col(const struct ec_csv *csv, struct ec_span name)
{
    int i;

    for (i = 0; i < csv->n_cols; i++)
        if (ec_span_eq(name, csv->names[i]))
            return i;
    return -1;
}

static int named(struct plan *p, const struct ec_csv *csv, const char *name)
{
    int col = name ? find_col(csv, ec_span_of(name)) : -1;

    if (col >= 0)
        p->used[col] = true;
    return col;
}

static enum ec_status add_piece(struct template *t, struct piece piece, struct ec_err *err)
{
    enum ec_status st;

    if (piece.kind == PIECE_TEXT && !piece.text.len)
        return EC_OK;
    st = ec_grow(&t->piece, &t->cap, t->n + 1, sizeof *t->piece, err);
    if (!st)
        t->piece[t->n++] = piece;
    return st;
}

static struct piece look_up(struct plan *p, const struct ec_csv *csv, struct ec_span body)
{
    struct piece piece = { .kind = PIECE_CELL };
    struct ec_span name = body, rest = body;

    if (body.len && memchr(body.p, ':', body.len)) {
        piece.kind = PIECE_WORD;
        (void)ec_span_cut(&rest, ':', &name);
        piece.text = rest;
        if (rest.len && memchr(rest.p, '?', rest.len)) {
            piece.kind = PIECE_SECOND;
            (void)ec_span_cut(&rest, '?', &piece.text);
        }
    }
    piece.name = name;
    piece.col = find_col(csv, name);
    if (piece.col >= 0)
        p->used[piece.col] = true;
    return piece;
}

static enum ec_status look_up_text(struct plan *p, const struct ec_csv *csv, const char *text,
                                   struct template *t, struct ec_err *err)
{
    const char *open, *close;
    enum ec_status st = EC_OK;

    if (!strchr(text, '{')) {
        t->fixed = text;
        return EC_OK;
    }
    while (!st && (open = strchr(text, '{')) && (close = strchr(open, '}'))) {
        struct ec_span body = { open + 1, (size_t)(close - open - 1) };

        st = add_piece(t,
                       (struct piece){
                           .text = {text, (size_t)(open - text)},
                             .kind = PIECE_TEXT
        },
                       err);
        if (!st)
            st = add_piece(t, look_up(p, csv, body), err);
        text = close + 1;
    }
    return st ? st : add_piece(t, (struct piece){ .text = ec_span_of(text) }, err);
}

static int look_up_flags(struct plan *p, const struct ec_csv *csv, const char *flags)
{
    struct ec_span rest = ec_span_of(flags), word;
    int n = 0;

    while (rest.p && n < NAMED_MAX && ec_span_cut(&rest, ' ', &word)) {
        struct named_col f = { .kind = FLAG_SET };

        if (!word.len)
            continue;
        if (*word.p == '!' || *word.p == '@') {
            f.kind = *word.p == '!' ? FLAG_CLEAR : FLAG_TEXT;
            word = (struct ec_span){ word.p + 1, word.len - 1 };
        }
        f.name = word;
        f.col = find_col(csv, word);
        if (f.col < 0)
            continue;
        p->used[f.col] = true;
        p->flag[n++] = f;
    }
    return n;
}

static int look_up_libraries(struct plan *p, const struct ec_csv *csv, const char *libraries)
{
    struct ec_span rest = ec_span_of(libraries), word;
    int n = 0;

    while (rest.p && n < NAMED_MAX && ec_span_cut(&rest, ' ', &word)) {
        struct named_col *f = &p->library[n];

        (void)ec_span_cut(&word, '=', &f->name);
        f->col = find_col(csv, word);
        if (!f->name.len || f->col < 0)
            continue;
        p->used[f->col] = true;
        n++;
    }
    return n;
}

static enum ec_status plan_init(struct ec_reader *r, struct plan *p, const struct ec_layout *l,
                                const char *device, struct ec_err *err)
{
    const char *deflt[] = {
#define TEXT_DEFLT(name, template, deflt) deflt,
        TEXT_LIST(TEXT_DEFLT)
#undef TEXT_DEFLT
    };
    const char *text[] = {
#define TEXT_TEMPLATE(name, template, deflt) template,
        TEXT_LIST(TEXT_TEMPLATE)
#undef TEXT_TEMPLATE
    };
    enum ec_status st = EC_OK;
    int i;

    p->l = l;
    p->used = ec_arena_alloc(&r->arena, (size_t)r->csv->n_cols + 1);
    if (!p->used)
        return ec_nomem(err);
    for (i = 0; i < TEXT_COUNT && !st; i++)
        st = look_up_text(p, r->csv, text[i] ? text[i] : deflt[i], &p->text[i], err);
    for (i = 0; i < EC_LAYOUT_TIMES_MAX; i++)
        p->time_col[i] = named(p, r->csv, l->times[i].column);
    p->min = named(p, r->csv, l->min);
    p->max = named(p, r->csv, l->max);
    p->mean = named(p, r->csv, l->mean);
    p->std = named(p, r->csv, l->std);
    p->n_samples = named(p, r->csv, l->n_samples);
    p->iteration = named(p, r->csv, l->iteration);
    p->memory = named(p, r->csv, l->memory);
    p->n_flags = look_up_flags(p, r->csv, l->flags);
    p->n_libraries = look_up_libraries(p, r->csv, l->libraries);
    return st;
}

static int column_width(struct ec_span name)
{
    return name.len > 60 ? 60 : (int)name.len;
}

/* Built-in layouts are for many editions of a table; a mapping file means what it says. */
static enum ec_status check_columns(const struct plan *p, struct ec_err *err)
{
    const struct ec_layout *l = p->l;
    const char *names[] = {
        l->min, l->max, l->mean, l->std, l->n_samples, l->iteration, l->memory
    };
    const int cols[] = { p->min, p->max, p->mean, p->std, p->n_samples, p->iteration, p->memory };
    int i, k;

    for (i = 0; i < TEXT_COUNT; i++)
        for (k = 0; k < p->text[i].n; k++)
            if (p->text[i].piece[k].kind != PIECE_TEXT && p->text[i].piece[k].col < 0)
                return ec_fail(err, EC_E_INPUT,
                               "the mapping names a column {%.*s} that the table lacks",
                               column_width(p->text[i].piece[k].name), p->text[i].piece[k].name.p);
    for (i = 0; i < EC_LAYOUT_TIMES_MAX && l->times[i].column; i++)
        if (p->time_col[i] < 0)
            return ec_fail(err, EC_E_INPUT,
                           "the mapping names a column {%.60s} that the table lacks",
                           l->times[i].column);
    for (i = 0; i < EC_LEN(names); i++)
        if (names[i] && cols[i] < 0)
            return ec_fail(err, EC_E_INPUT,
                           "the mapping names a column {%.60s} that the table lacks", names[i]);
    return EC_OK;
}

static enum ec_status quote_keys(struct ec_reader *r, struct ec_err *err)
{
    struct ec_buf b = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->csv->n_cols && !st; i++) {
        ec_buf_reset(&b);
        ec_json_quote(&b, r->csv->names[i]);
        st = ec_buf_status(&b, err);
        r->json_key[i] = st ? NULL : ec_arena_str(&r->arena, ec_buf_text(&b));
        if (!st && !r->json_key[i])
            st = ec_nomem(err);
    }
    ec_buf_clear(&b);
    return st;
}

static bool shares_table(const struct ec_layout *a, const struct ec_layout *b)
{
    return a->columns && b->columns && ec_str_eq(a->columns, b->columns);
}

static enum ec_status add_plans(struct ec_reader *r, const struct ec_layout *l, const char *device,
                                struct ec_err *err)
{
    enum ec_status st = plan_init(r, &r->plan[r->n_plans++], l, device, err);
    int i;

    for (i = 0; i < ec__n_layouts && !st && r->n_plans < PLANS_MAX; i++)
        if (&ec__layouts[i] != l && !ec__layouts[i].by_name && shares_table(&ec__layouts[i], l))
            st = plan_init(r, &r->plan[r->n_plans++], &ec__layouts[i], device, err);
    return st;
}

enum ec_status ec_reader_new(const struct ec_layout *l, const struct ec_csv *csv,
                             const char *device, struct ec_reader **ret, struct ec_err *err)
{
    struct ec_reader *r = ec_alloc(sizeof *r);
    enum ec_status st = EC_OK;

    if (!r)
        return ec_nomem(err);
    r->csv = csv;
    r->lossy = ec_arena_alloc(&r->arena, (size_t)csv->n_cols + 1);
    r->json_key = ec_arena_alloc(&r->arena, sizeof *r->json_key * ((size_t)csv->n_cols + 1));
    if (!r->lossy || !r->json_key)
        EC_TRY(ec_nomem(err));
    if (!device && ec_csv_col(csv, "device") >= 0)
        device = "{device}";
    EC_TRY(quote_keys(r, err));
    EC_TRY(add_plans(r, l, device, err));
    if (!l->columns)
        EC_TRY(check_columns(&r->plan[0], err));
    *ret = r;
    r = NULL;
out:
    ec_reader_free(r);
    return st;
}

void ec_reader_free(struct ec_reader *r)
{
    int i, k;

    if (!r)
        return;
    for (i = 0; i < r->n_plans; i++)
        for (k = 0; k < TEXT_COUNT; k++) {
            ec_free(r->plan[i].text[k].piece);
            ec_buf_clear(&r->plan[i].text[k].out);
        }
    for (i = 0; i < EC_RECORDS_MAX; i++)
        ec_buf_clear(&r->flags[i]);
    ec_buf_clear(&r->libraries);
    ec_buf_clear(&r->extra);
    ec_arena_clear(&r->arena);
    ec_free(r);
}

/* ------------------------------------------------------------------------------------------------
 * Reading a row */

/* A word of the source that the map has no word for stays as it is: names are recorded. */
static const char *word_of(struct ec_reader *r, const struct piece *p, const char *cell)
{
    const char *to = ec__layout_word(p->text, cell);

    if (!to || !*to)
        return cell;
    if (!ec_str_eq(to, cell))
        r->lossy[p->col] = true;
    return to;
}

/* A second operand of the same shape, for binary operators. */
static void put_second(struct ec_reader *r, int row, const struct piece *p, const char *cell,
                       struct ec_buf *out)
{
    const char *word = ec__layout_word(p->text, cell);

    if (word && *word)
        ec_buf_printf(out, "%s=%sx%s", word, ec_csv_cell(r->csv, row, ec_csv_col(r->csv, "rows_b")),
                      ec_csv_cell(r->csv, row, ec_csv_col(r->csv, "cols_h")));
}

static const char *expand(struct ec_reader *r, int row, struct template *t)
{
    int i;

    if (t->fixed)
        return t->fixed;
    if (t->n == 1 && t->piece[0].kind == PIECE_CELL)
        return ec_csv_cell(r->csv, row, t->piece[0].col);
    ec_buf_reset(&t->out);
    for (i = 0; i < t->n; i++) {
        const struct piece *p = &t->piece[i];
        const char *cell = ec_csv_cell(r->csv, row, p->col);

        if (p->kind == PIECE_TEXT)
            ec_buf_add(&t->out, p->text.p, p->text.len);
        else if (p->kind == PIECE_CELL)
            ec_buf_str(&t->out, cell);
        else if (p->kind == PIECE_WORD)
            ec_buf_str(&t->out, p->col < 0 ? cell : word_of(r, p, cell));
        else
            put_second(r, row, p, cell, &t->out);
    }
    while (t->out.len && t->out.data[t->out.len - 1] == ' ')
        t->out.data[--t->out.len] = '\0';
    return ec_buf_text(&t->out);
}

static int64_t expand_count(struct ec_reader *r, int row, struct template *t)
{
    double v;

    if (!ec_parse_double(ec_span_of(expand(r, row, t)), &v) || v < 0 || v > 1e15)
        return 0;
    return (int64_t)v;
}

static struct ec_reading read_time(const struct ec_csv *csv, int row, int col, double unit_ns)
{
    struct ec_reading v = { 0 };

    v.known = col >= 0 && ec_parse_double(ec_span_of(ec_csv_cell(csv, row, col)), &v.ns);
    v.ns = v.known ? v.ns * (unit_ns > 0 ? unit_ns : 1e6) : 0;
    return v;
}

static bool cell_is_json_number(const char *c)
{
    c += *c == '-';
    if (*c == '0' ? c[1] >= '0' && c[1] <= '9' : *c < '1' || *c > '9')
        return false;
    c += strspn(c, "0123456789");
    if (*c == '.' && c[1] >= '0' && c[1] <= '9')
        c += 1 + strspn(c + 1, "0123456789");
    return !*c;
}

/* Columns that have no place of their own, and the source's word where a map changed it. */
static const char *write_extra(struct ec_reader *r, const struct plan *p, int row)
{
    int i;

    ec_buf_reset(&r->extra);
    for (i = 0; i < r->csv->n_cols; i++) {
        const char *cell = ec_csv_cell(r->csv, row, i);

        if (!*cell || (p->used[i] && !r->lossy[i]))
            continue;
        ec_buf_char(&r->extra, r->extra.len ? ',' : '{');
        ec_buf_str(&r->extra, r->json_key[i]);
        ec_buf_char(&r->extra, ':');
        if (cell_is_json_number(cell))
            ec_buf_str(&r->extra, cell);
        else
            ec_json_quote(&r->extra, cell);
    }
    if (r->extra.len)
        ec_buf_char(&r->extra, '}');
    return ec_buf_text(&r->extra);
}

static const char *write_libraries(struct ec_reader *r, const struct plan *p, int row)
{
    int i;

    ec_buf_reset(&r->libraries);
    for (i = 0; i < p->n_libraries; i++) {
        const char *cell = ec_csv_cell(r->csv, row, p->library[i].col);

        if (!*cell)
            continue;
        ec_buf_str(&r->libraries, r->libraries.len ? " " : "");
        ec_buf_add(&r->libraries, p->library[i].name.p, p->library[i].name.len);
        ec_buf_char(&r->libraries, '=');
        ec_buf_str(&r->libraries, cell);
    }
    return ec_buf_text(&r->libraries);
}

static void put_flag(struct ec_buf *out, const char *before, struct ec_span flag)
{
    ec_buf_str(out, out->len ? " " : "");
    ec_buf_str(out, before);
    ec_buf_add(out, flag.p, flag.len);
}

static const char *write_flags(struct ec_reader *r, const struct plan *p, int row, int which,
                               const char *of_time)
{
    struct ec_buf *out = &r->flags[which];
    int i;

    ec_buf_reset(out);
    for (i = 0; i < p->n_flags; i++) {
        const struct named_col *f = &p->flag[i];
        const char *cell = ec_csv_cell(r->csv, row, f->col);

        if (f->kind == FLAG_TEXT && *cell)
            put_flag(out, "", ec_span_of(cell));
        else if (f->kind == FLAG_SET && ec_str_eq(cell, "1"))
            put_flag(out, "", f->name);
        else if (f->kind == FLAG_CLEAR && ec_str_eq(cell, "0"))
            put_flag(out, "not_", f->name);
    }
    if (of_time)
        put_flag(out, "", ec_span_of(of_time));
    return ec_buf_text(out);
}

static void read_memory(const struct ec_reader *r, const struct plan *p, int row,
                        struct ec_record *rec)
{
    double unit = p->l->memory_unit_bytes, v;

    if (p->memory < 0 || !ec_parse_double(ec_span_of(ec_csv_cell(r->csv, row, p->memory)), &v) ||
        v <= 0)
        return;
    rec->m.memory_bytes = v * (unit > 0 ? unit : 0x1p20);
    rec->memory_kind = p->l->memory_kind ? p->l->memory_kind : "";
}

/* What all readings of the row share. */
static void read_common(struct ec_reader *r, struct plan *p, int row, struct ec_record *rec)
{
    const struct {
        int text;
        const char **ret;
    } texts[] = {
        {TEXT_what,               &rec->m.what           },
        { TEXT_device,            &rec->m.device         },
        { TEXT_precision,         &rec->m.precision      },
        { TEXT_memory_format,     &rec->m.memory_format  },
        { TEXT_optimizer,         &rec->m.optimizer      },
        { TEXT_framework,         &rec->m.framework      },
        { TEXT_mode,              &rec->m.mode           },
        { TEXT_family,            &rec->m.family         },
        { TEXT_device_name,       &rec->device_name      },
        { TEXT_framework_version, &rec->framework_version},
        { TEXT_outcome,           &rec->outcome          },
    };
    int i;

    memset(rec, 0, sizeof *rec);
    memset(r->lossy, 0, (size_t)r->csv->n_cols);
    for (i = 0; i < EC_LEN(texts); i++)
        *texts[i].ret = expand(r, row, &p->text[texts[i].text]);
    rec->m.layout = p->l->name;
    rec->m.is_network = p->l->is_network;
    rec->m.input_copy =
        p->l->input_copy &&
        strstr(ec_csv_cell(r->csv, row, ec_csv_col(r->csv, p->l->input_copy)), "_incl_h2d");
    rec->m.phase = EC_L_WHOLE;
    rec->m.row = row;
    rec->m.batch = expand_count(r, row, &p->text[TEXT_batch]);
    rec->m.image_px = expand_count(r, row, &p->text[TEXT_image_px]);
    rec->m.seq_len = expand_count(r, row, &p->text[TEXT_seq_len]);
    rec->num_devices = expand_count(r, row, &p->text[TEXT_num_devices]);
    rec->kind = p->l->kind ? p->l->kind : p->l->is_network ? "network" : "operator";
    rec->libraries = write_libraries(r, p, row);
    rec->extra = write_extra(r, p, row);
    rec->time_stat = rec->memory_kind = rec->flags = "";
    rec->iteration = -1;
    if (p->iteration >= 0 &&
        !ec_parse_int(ec_span_of(ec_csv_cell(r->csv, row, p->iteration)), &rec->iteration))
        rec->iteration = row;
}

static void read_spread(const struct ec_reader *r, const struct plan *p, int row,
                        struct ec_record *rec)
{
    double unit_ns = p->l->times[0].unit_ns;
    double n;

    rec->time_stat = p->l->time_stat ? p->l->time_stat : "";
    rec->min = read_time(r->csv, row, p->min, unit_ns);
    rec->max = read_time(r->csv, row, p->max, unit_ns);
    rec->mean = read_time(r->csv, row, p->mean, unit_ns);
    rec->std = read_time(r->csv, row, p->std, unit_ns);
    if (p->n_samples >= 0 &&
        ec_parse_double(ec_span_of(ec_csv_cell(r->csv, row, p->n_samples)), &n) && n > 0 &&
        n < 1e15)
        rec->n_samples = (int64_t)n;
}

/* The record of one time of the row. */
static void read_one(struct ec_reader *r, const struct plan *p, int row, int which, int time,
                     struct ec_record *rec)
{
    const struct ec_layout_time *t = &p->l->times[time];

    rec->reading = t->column;
    rec->time = read_time(r->csv, row, p->time_col[time], t->unit_ns);
    rec->m.mode = t->mode ? t->mode : rec->m.mode;
    rec->m.phase = p->l->stored_mode && !ec_str_eq(rec->m.mode, "forward") ? EC_L_WHOLE : t->phase;
    rec->flags = write_flags(r, p, row, which, t->flags);
    if (time == 0)
        read_spread(r, p, row, rec);
}

static enum ec_status reader_status(struct ec_reader *r, struct plan *p, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < TEXT_COUNT && !st; i++)
        st = ec_buf_status(&p->text[i].out, err);
    for (i = 0; i < EC_RECORDS_MAX && !st; i++)
        st = ec_buf_status(&r->flags[i], err);
    if (!st)
        st = ec_buf_status(&r->libraries, err);
    return st ? st : ec_buf_status(&r->extra, err);
}

static struct plan *plan_of_row(struct ec_reader *r, int row)
{
    int i;

    for (i = 0; i < r->n_plans; i++)
        if (ec__layout_passes(r->csv, row, r->plan[i].l->rows))
            return &r->plan[i];
    return NULL;
}

static bool has_time(const struct ec_reader *r, const struct plan *p, int row, int time)
{
    const char *cell = ec_csv_cell(r->csv, row, p->time_col[time]);
    double v = 0;

    return *cell && !(p->l->zero_is_none && ec_parse_double(ec_span_of(cell), &v) && v <= 0);
}

enum ec_status ec_reader_row(struct ec_reader *r, int row, struct ec_record ret[EC_RECORDS_MAX],
                             int *ret_n, struct ec_err *err)
{
    struct plan *p = plan_of_row(r, row);
    struct ec_record common;
    int n = 0, i;

    *ret_n = 0;
    if (!p)
        return EC_OK;
    read_common(r, p, row, &common);
    for (i = 0; i < EC_LAYOUT_TIMES_MAX && p->l->times[i].column; i++) {
        if (!has_time(r, p, row, i))
            continue;
        ret[n] = common;
        read_one(r, p, row, n, i, &ret[n]);
        n++;
    }
    if (!n) { /* memory alone, an outcome without figures, or a description */
        ret[0] = common;
        ret[0].reading = p->memory >= 0 ? p->l->memory : "row";
        ret[0].flags = write_flags(r, p, row, 0, NULL);
        n = 1;
    }
    read_memory(r, p, row, &ret[0]);
    *ret_n = n;
    return reader_status(r, p, err);
}

static int count_words(const char *words)
{
    int n = 1;

    for (; *words; words++)
        n += *words == ' ';
    return n;
}

/* The layout that wants most of the columns; of two that want the same, the one whose conditions
 * the first row meets. */
enum ec_status ec_layout_detect_record(const struct ec_csv *csv, const struct ec_layout **ret,
                                       struct ec_err *err)
{
    const struct ec_layout *best = NULL;
    int best_score = 0, i;

    for (i = 0; i < ec__n_layouts; i++) {
        const struct ec_layout *l = &ec__layouts[i];
        int score = 2 * count_words(l->columns);

        if (l->by_name || !ec__layout_has_columns(l, csv))
            continue;
        score += csv->n_rows && ec__layout_passes(csv, 0, l->rows);
        if (score > best_score) {
            best = l;
            best_score = score;
        }
    }
    if (best) {
        *ret = best;
        return EC_OK;
    }
    return ec_fail(err, EC_E_NOT_FOUND,
                   "no layout knows a table with these %d columns (%s, %s, ...); a mapping file "
                   "describes one of your own",
                   csv->n_cols, csv->n_cols ? csv->names[0] : "",
                   csv->n_cols > 1 ? csv->names[1] : "");
}
