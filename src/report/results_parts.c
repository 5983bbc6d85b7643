/* Shared parts of sections: files, pictures, tables, cells. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph.h"
#include "report/results_internal.h"
#include "tables_sql.h"

#define ROWS_SHOWN 24   /* all of a grid of 18 */
#define SHARED_SHOWN 40 /* columns */
#define WORD_SHOWN 60   /* letters of a file's name in those of pictures */

void ec__results_tell(const struct ec__results *r, const char *doing, const char *name)
{
    char text[160];

    (void)snprintf(text, sizeof text, "%s%.100s", doing, name);
    if (r->o->progress)
        r->o->progress(r->o->progress_user, text);
}

const char *ec__results_text(struct ec__results *r, const char *fmt, ...)
{
    struct ec_buf text = EC_BUF_INIT;
    const char *copy;
    va_list ap;

    va_start(ap, fmt);
    ec_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    copy = text.st ? NULL : ec_arena_strn(r->a, ec_buf_text(&text), text.len);
    ec_buf_clear(&text);
    if (!copy)
        r->doc.st = EC_E_NOMEM;
    return copy ? copy : "";
}

enum ec_status ec__results_write(struct ec__results *r, const char *name, const struct ec_buf *text)
{
    const char *path = ec__results_text(r, "%s/%s", r->o->out, name);
    enum ec_status st = r->doc.st || text->st
                            ? ec_nomem(r->err)
                            : ec_file_write(path, ec_buf_text(text), text->len, r->err);

    return st ? st : ec__manifest_note(r, name, text);
}

const char *ec__results_name(const struct ec__results *r, const char *path)
{
    size_t len = strlen(r->o->dir);

    return ec_str_starts(path, r->o->dir) && path[len] == '/' ? path + len + 1 : path;
}

static bool in_file_names(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           strchr("._-", c) || (unsigned char)c >= 128;
}

static bool word_is_taken(const struct ec__results *r, const char *word)
{
    int i;

    for (i = 0; i < r->words.n; i++)
        if (!strncmp(r->words.v[i], word, WORD_SHOWN))
            return true;
    return false;
}

const char *ec__results_word(struct ec__results *r, const char *name)
{
    char *plain = ec_arena_str(r->a, name), *p;
    const char *word = plain;
    int i;

    for (p = plain; p && *p; p++)
        *p = in_file_names(*p) ? *p : '-';
    for (i = 2; word && word_is_taken(r, word); i++)
        word = ec__results_text(r, "%d-%s", i, plain);
    if (word && !ec_strs_add(&r->words, r->a, r->err, "%s", word))
        return word;
    r->doc.st = EC_E_NOMEM;
    return "";
}

const char *ec__results_quoted(struct ec__results *r, const char *word)
{
    struct ec_buf out = EC_BUF_INIT;
    const char *text = word ? word : "", *p, *kept;

    for (p = text; *p && (in_file_names(*p) || strchr("/:=,+@%", *p)); p++)
        continue;
    if (!*p && *text)
        return text;
    ec_buf_char(&out, '\'');
    for (p = text; *p; p++)
        if (*p == '\'')
            ec_buf_str(&out, "'\\''");
        else
            ec_buf_char(&out, *p);
    ec_buf_char(&out, '\'');
    kept = *text ? ec_arena_str(r->a, ec_buf_text(&out)) : text;
    ec_buf_clear(&out);
    return kept ? kept : text;
}

const char *ec__results_command(struct ec__results *r, const char *command, const char *table)
{
    return ec__results_text(
        r, "epochcast %s %s", command,
        ec__results_quoted(r, ec__results_text(r, "%s/tables/%s", r->o->out, table)));
}

enum ec_status ec__results_file(struct ec__results *r, const char *name, const struct ec_buf *text)
{
    return ec__results_write(r, ec__results_text(r, "tables/%s", name), text);
}

enum ec_status ec__results_parsed(struct ec__results *r, const char *name,
                                  const struct ec_buf *text, struct ec_csv *ret)
{
    EC_PASS(ec__results_file(r, name, text));
    return ec_csv_parse(ec_buf_text(text), text->len, ret, r->err);
}

enum ec_status ec__results_kept(struct ec__results *r, const char *name, const struct ec_table *t,
                                struct ec_csv *ret)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_table_write(t, EC_TABLE_CSV, &text, r->err));
    EC_TRY(ec__results_parsed(r, name, &text, ret));
out:
    ec_buf_clear(&text);
    return st;
}

/* One point says no more than its number; several numbers of one row can be compared. */
static bool has_points(const struct ec_picture *p, const struct ec_csv *csv)
{
    bool kept = false;
    int row, n = 0;

    for (row = 0; row < csv->n_rows; row++)
        n += !ec__row_kept(p, csv, row, &kept, NULL) && kept;
    return n > 1 || p->form == EC_PICTURE_STACK || p->panels || strchr(p->y ? p->y : "", ',');
}

enum ec_status ec__results_picture(struct ec__results *r, const struct ec_picture *p,
                                   const struct ec_csv *csv, const char *name, const char *command)
{
    const char *help = p->help ? p->help : "";
    char first = *help >= 'a' && *help <= 'z' ? (char)(*help - 'a' + 'A') : *help;
    struct ec_drawing d = { 0 };
    enum ec_status st = has_points(p, csv) ? ec_picture_draw(p, csv, &d, r->err) : EC_E_INPUT;

    if (!st)
        ec_document_figure(&r->doc, &d, name,
                           *help ? ec__results_text(r, "%c%s.", first, help + 1) : "", command);
    ec_drawing_clear(&d);
    return st == EC_E_INPUT ? EC_OK : st; /* a table without numbers has no picture */
}

enum ec_status ec__results_pictures(struct ec__results *r, const struct ec_csv *csv,
                                    const char *prefix, const char *file)
{
    struct ec_picture_file *v;
    int n, i;

    if (ec_str_starts(file, "tables/")) /* of the report */
        file = ec__results_text(r, "%s/%s", r->o->out, file);
    EC_PASS(ec_pictures_of(csv, r->a, &v, &n, r->err));
    for (i = 0; i < n; i++) {
        struct ec_picture recipe = { 0 };
        const char *where = v[i].p.where;

        EC_PASS(ec_picture_find(v[i].p.name, &recipe, r->err));
        if (where && recipe.where && ec_str_eq(where, recipe.where))
            where = NULL;
        EC_PASS(ec__results_picture(r, &v[i].p, csv, ec__results_text(r, "%s%s", prefix, v[i].name),
                                    ec__results_text(r, "epochcast plot %s %s%s%s%s", v[i].p.name,
                                                     ec__results_quoted(r, file),
                                                     where ? " --where '" : "", where ? where : "",
                                                     where ? "'" : "")));
    }
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * A table as it is, with the units that its columns name */

static bool is_numeric(const struct ec_csv *csv, int col)
{
    int row;
    double v;

    for (row = 0; row < csv->n_rows; row++) {
        const char *text = ec_csv_cell(csv, row, col);

        if (*text && !ec_parse_double(ec_span_of(text), &v))
            return false;
    }
    return true;
}

/* A number with its unit, to a few digits; other texts as they are. */
static const char *cell_text(const char *text, const struct ec__quantity *q, char out[64])
{
    struct ec_axis axis = { .form = q->form };
    double v;

    if (!ec_parse_double(ec_span_of(text), &v))
        return text;
    if (q->form == EC_AXIS_NS)
        return ec_fmt_ns(out, 64, v * q->factor);
    if (q->form != EC_AXIS_NUMBER)
        ec_axis_text(&axis, v * q->factor, out, 64);
    else if (strchr(text, '.')) /* five digits of what is no whole number */
        (void)ec_snprintf(out, 64, "%.5g", v);
    else
        return text;
    return out;
}

/* Times and bytes are numbers of a table's own formats; other columns are text. */
static enum ec_col_format format_of(const struct ec_csv *csv, int col, const struct ec__quantity *q)
{
    if (!is_numeric(csv, col))
        return EC_COL_TEXT;
    return q->form == EC_AXIS_NS      ? EC_COL_NS
           : q->form == EC_AXIS_BYTES ? EC_COL_BYTES
                                      : EC_COL_TEXT;
}

static void add_cell(struct ec_table *t, const char *cell, enum ec_col_format format,
                     const struct ec__quantity *q)
{
    char out[64];
    double v;

    if (!*cell)
        ec_table_none(t);
    else if (format != EC_COL_TEXT && ec_parse_double(ec_span_of(cell), &v))
        ec_table_num(t, v * q->factor);
    else
        ec_table_text(t, cell_text(cell, q, out));
}

/* Columns with the same value in all rows, or with none, are left out. */
static bool varies(const struct ec_csv *csv, int col)
{
    int row;

    for (row = 1; row < csv->n_rows; row++)
        if (!ec_str_eq(ec_csv_cell(csv, row, col), ec_csv_cell(csv, 0, col)))
            return true;
    return csv->n_rows < 2;
}

static void quantity_of(const char *column, struct ec__quantity *ret)
{
    ec__quantity_of(column, ret);
    if (ec_str_eq(ret->title, "throughput") || ec_str_eq(ret->title, "accuracy"))
        ret->form = EC_AXIS_NUMBER;
}

/* "model resnet18, depth 3": what all rows share; of many columns the first. */
static const char *shared_words(struct ec__results *r, const struct ec_csv *csv)
{
    struct ec__quantity q;
    const char *text = "";
    char out[64];
    int c, n = 0;

    for (c = 0; c < csv->n_cols && text; c++) {
        if (varies(csv, c) || !*ec_csv_cell(csv, 0, c) || n++ >= SHARED_SHOWN)
            continue;
        quantity_of(csv->names[c], &q);
        text = ec_arena_printf(r->a, "%s%s%s %s", text, *text ? ", " : "", csv->names[c],
                               cell_text(ec_csv_cell(csv, 0, c), &q, out));
    }
    if (n > SHARED_SHOWN && text)
        text = ec_arena_printf(r->a, "%s, and %d more", text, n - SHARED_SHOWN);
    return text;
}

enum ec_status ec__results_csv(struct ec__results *r, const struct ec_csv *csv, const char *caption)
{
    struct ec_col *cols = ec_arena_alloc(r->a, sizeof *cols * (size_t)csv->n_cols);
    struct ec__quantity *q = ec_arena_alloc(r->a, sizeof *q * (size_t)csv->n_cols);
    int *from = ec_arena_alloc(r->a, sizeof *from * (size_t)csv->n_cols);
    int row, c, n = 0, shown = csv->n_rows < ROWS_SHOWN ? csv->n_rows : ROWS_SHOWN;
    const char *shared = shared_words(r, csv);
    struct ec_table t;

    EC_PASS(ec_allocated(cols && q && from && shared, r->err));
    for (c = 0; c < csv->n_cols; c++) {
        if (!varies(csv, c) || ec_str_eq(csv->names[c], "measured_utc"))
            continue;
        quantity_of(csv->names[c], &q[n]);
        cols[n] = (struct ec_col){ .key = csv->names[c],
                                   .title = csv->names[c],
                                   .format = format_of(csv, c, &q[n]),
                                   .flags = is_numeric(csv, c) ? EC_COL_RIGHT : 0 };
        from[n++] = c;
    }
    caption = ec_arena_printf(r->a, "%s%s%s%s", caption, *shared ? "; in all rows " : "", shared,
                              *shared ? "." : "");
    if (!n && caption) { /* all rows are the same: the words say it */
        ec_document_text(&r->doc, "%s", caption);
        return EC_OK;
    }
    ec_table_init(&t, cols, n);
    for (row = 0; row < shown; row++)
        for (c = 0; c < n; c++)
            add_cell(&t, ec_csv_cell(csv, row, from[c]), cols[c].format, &q[c]);
    if (caption && shown < csv->n_rows)
        caption = ec_arena_printf(r->a, "%s The first %d of %d rows.", caption, shown, csv->n_rows);
    if (caption)
        ec_document_table(&r->doc, &t, caption, NULL);
    ec_table_clear(&t);
    return caption ? EC_OK : ec_nomem(r->err);
}

/* ------------------------------------------------------------------------------------------------
 * Tables as queries */

static const char *const grid_names[] = { "depth", "base_filters", "batch_size", "time_per_epoch" };

int ec__grid_column(const struct ec_csv *c, const char *name)
{
    int col = ec_column_like(c, name);

    return col < 0 && ec_str_eq(name, "time_per_epoch") ? ec_column_of(c, EC_Q_EPOCH_TIME) : col;
}

bool ec__is_grid(const struct ec_csv *c)
{
    int i;

    for (i = 0; i < EC_LEN(grid_names); i++)
        if (ec__grid_column(c, grid_names[i]) < 0)
            return false;
    /* "epoch" alone is the number of one, in curves */
    return !ec_str_ieq(c->names[ec__grid_column(c, "time_per_epoch")], "epoch");
}

bool ec__is_scaling(const struct ec_csv *csv)
{
    return csv->n_rows > 0 && ec__has_columns("model,ranks,batch_per_rank,step_ns,local_step_ns,"
                                              "all_reduce_ns,images_per_s",
                                              csv);
}

EC_EMBED(tables_sql, EC_TABLES_SQL);

/* Outputs of the network with default parameters; 0: no such network. */
static double classes_of(const char *model)
{
    struct ec_graph *g = NULL;
    double n = 0;

    if (!*model || ec_graph_open(model, NULL, &g, NULL))
        return 0;
    if (g->n_outputs) {
        const struct ec_shape *s = &g->values[g->outputs[0]]->type.shape;

        n = s->rank == 2 ? (double)s->d[1] : 0;
    }
    ec_graph_free(g);
    return n;
}

enum ec_status ec__results_query(struct ec__results *r, const struct ec__result_table *t,
                                 struct ec__query *ret)
{
    struct ec_csv named = t->csv; /* with our names for the columns of a grid */
    double classes = 0;
    enum ec_status st;
    char sql[100];
    int i;

    named.names = ec_alloc(sizeof *named.names * ((size_t)named.n_cols + 1));
    EC_TRY(ec_allocated(named.names, r->err));
    memcpy(named.names, t->csv.names, sizeof *named.names * (size_t)named.n_cols);
    for (i = 0; i < EC_LEN(grid_names) && ec__is_grid(&t->csv); i++)
        named.names[ec__grid_column(&t->csv, grid_names[i])] = grid_names[i];
    if (t->csv.n_rows && ec_csv_col(&t->csv, "train_loss") >= 0)
        classes = classes_of(ec_csv_text(&t->csv, 0, "model"));
    EC_TRY(ec__query_open(ret, r->err));
    EC_TRY(ec__query_say(ret, ec__tables_sql_begin, NULL, NULL, r->err));
    ec__query_csv(ret, "line", &named);
    if (ec__is_grid(&t->csv)) {
        i = ec__grid_column(&t->csv, "time_per_epoch");
        (void)ec_snprintf(sql, sizeof sql,
                          "UPDATE line SET time_per_epoch = time_per_epoch * %.17g",
                          ec_column_meaning(t->csv.names[i]).size / 1e9);
        EC_TRY(ec__query_say(ret, sql, NULL, NULL, r->err));
    }
    ec__query_into(ret, "given", "name is_grid classes entropy");
    ec__query_text(ret, t->name);
    ec__query_num(ret, ec__is_grid(&t->csv));
    ec__query_num(ret, classes);
    ec__query_num(ret, classes > 1 ? log(classes) : (double)NAN);
    st = ec__query_status(ret, r->err);
out:
    ec_free(named.names);
    return st;
}

enum ec_status ec__results_note(struct ec__results *r, struct ec__query *q, const char *sql)
{
    struct ec_strs said = { 0 };
    enum ec_status st = ec__query_say(q, sql, r->a, &said, r->err);
    int i;

    for (i = 0; i < said.n; i++)
        ec_document_text(&r->doc, "%s", said.v[i]);
    return st;
}
