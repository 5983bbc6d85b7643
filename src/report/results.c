/* From a directory to a report. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "report/picture_internal.h"
#include "report/results_internal.h"

#define ROWS_SHOWN 24 /* all of a grid of 18 */

static enum ec_status make_dir(struct ec__results *r, const char *path)
{
    if (path && mkdir(path, 0777) && errno != EEXIST)
        return ec_fail(r->err, EC_E_IO, "%s: cannot make the directory: %s", path, strerror(errno));
    return path ? EC_OK : ec_nomem(r->err);
}

static enum ec_status write_file(struct ec__results *r, const char *name, const struct ec_buf *text)
{
    const char *path = ec_arena_printf(r->a, "%s/%s", r->o->out, name);
    enum ec_status st =
        path ? ec_file_write(path, ec_buf_text(text), text->len, r->err) : ec_nomem(r->err);

    return st ? st : ec__manifest_note(r, name, text);
}

const char *ec__results_name(const struct ec__results *r, const char *path)
{
    size_t len = strlen(r->o->dir);

    return ec_str_starts(path, r->o->dir) && path[len] == '/' ? path + len + 1 : path;
}

const char *ec__results_word(struct ec__results *r, const char *name)
{
    char *word = ec_arena_str(r->a, name), *p;

    for (p = word; p && *p; p++)
        *p = *p == '/' || *p == ' ' ? '-' : *p;
    return word;
}

enum ec_status ec__results_file(struct ec__results *r, const char *name, const struct ec_buf *text)
{
    const char *inside = ec_arena_printf(r->a, "tables/%s", name);

    return inside ? write_file(r, inside, text) : ec_nomem(r->err);
}

enum ec_status ec__results_picture(struct ec__results *r, const struct ec_picture *p,
                                   const struct ec_csv *csv, const char *name, const char *command)
{
    const char *help = p->help ? p->help : "";
    char *caption = ec_arena_printf(r->a, "%s%s", help, *help ? "." : "");
    struct ec_drawing d = { 0 };
    enum ec_status st = caption ? ec_picture_draw(p, csv, &d, r->err) : ec_nomem(r->err);

    if (!st && *caption >= 'a' && *caption <= 'z')
        *caption = (char)(*caption - 'a' + 'A');
    if (!st)
        ec_document_figure(&r->doc, &d, name, caption, command);
    ec_drawing_clear(&d);
    return st;
}

enum ec_status ec__results_pictures(struct ec__results *r, const struct ec_csv *csv,
                                    const char *prefix, const char *file)
{
    struct ec_picture_file *v;
    enum ec_status st;
    int n, i;

    EC_TRY(ec_pictures_of(csv, r->a, &v, &n, r->err));
    for (i = 0; i < n; i++) {
        struct ec_picture recipe = { 0 };
        const char *where = v[i].p.where, *command, *name;

        EC_TRY(ec_picture_find(v[i].p.name, &recipe, r->err));
        if (where && recipe.where && ec_str_eq(where, recipe.where))
            where = NULL;
        command = ec_arena_printf(r->a, "epochcast plot %s %s%s%s%s", v[i].p.name, file,
                                  where ? " --where '" : "", where ? where : "", where ? "'" : "");
        name = ec_arena_printf(r->a, "%s%s", prefix, v[i].name);
        if (!command || !name)
            EC_TRY(ec_nomem(r->err));
        EC_TRY(ec__results_picture(r, &v[i].p, csv, name, command));
    }
out:
    return st;
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

static void add_cell(struct ec_table *t, const char *text, const struct ec__quantity *q)
{
    struct ec_axis axis = { .form = q->form };
    char out[64];
    double v;

    if (!ec_parse_double(ec_span_of(text), &v)) {
        ec_table_text(t, *text ? text : NULL);
        return;
    }
    if (q->form == EC_AXIS_NUMBER) { /* five digits of what is no whole number */
        (void)ec_snprintf(out, sizeof out, "%.5g", v);
        ec_table_text(t, strchr(text, '.') ? out : text);
        return;
    }
    ec_axis_text(&axis, v * q->factor, out, sizeof out);
    ec_table_text(t, out);
}

/* What all rows say, or none, needs no column. */
static bool varies(const struct ec_csv *csv, int col)
{
    int row;

    for (row = 1; row < csv->n_rows; row++)
        if (!ec_str_eq(ec_csv_cell(csv, row, col), ec_csv_cell(csv, 0, col)))
            return true;
    return csv->n_rows < 2;
}

static const char *shared_words(struct ec__results *r, const struct ec_csv *csv)
{
    const char *text = "";
    int c;

    for (c = 0; c < csv->n_cols && text; c++)
        if (!varies(csv, c) && *ec_csv_cell(csv, 0, c))
            text = ec_arena_printf(r->a, "%s%s%s %s", text, *text ? ", " : "", csv->names[c],
                                   ec_csv_cell(csv, 0, c));
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

    if (!cols || !q || !from || !shared)
        return ec_nomem(r->err);
    for (c = 0; c < csv->n_cols; c++) {
        if (!varies(csv, c) || ec_str_eq(csv->names[c], "measured_utc"))
            continue;
        ec__quantity_of(csv->names[c], &q[n]);
        if (ec_str_eq(q[n].title, "throughput") || ec_str_eq(q[n].title, "accuracy"))
            q[n].form = EC_AXIS_NUMBER;
        cols[n] = (struct ec_col){ .key = csv->names[c],
                                   .title = csv->names[c],
                                   .flags = is_numeric(csv, c) ? EC_COL_RIGHT : 0 };
        from[n++] = c;
    }
    ec_table_init(&t, cols, n);
    for (row = 0; row < shown; row++)
        for (c = 0; c < n; c++)
            add_cell(&t, ec_csv_cell(csv, row, from[c]), &q[c]);
    caption = ec_arena_printf(r->a, "%s%s%s%s", caption, *shared ? "; in all rows " : "", shared,
                              *shared ? "." : "");
    if (caption && shown < csv->n_rows)
        caption = ec_arena_printf(r->a, "%s The first %d of %d rows.", caption, shown, csv->n_rows);
    if (caption)
        ec_document_table(&r->doc, &t, caption, NULL);
    ec_table_clear(&t);
    return caption ? EC_OK : ec_nomem(r->err);
}

/* ------------------------------------------------------------------------------------------------
 * The whole */

/* Title and findings are known last and stand first. */
static enum ec_status front(struct ec__results *r)
{
    int first = r->doc.n, n, i;
    struct ec_block *moved;
    const char *slash = strrchr(r->o->dir, '/');
    const char *title = r->o->title ? r->o->title
                                    : ec_arena_printf(r->a, "Results in %s",
                                                      slash && slash[1] ? slash + 1 : r->o->dir);

    if (!title)
        return ec_nomem(r->err);
    ec_document_heading(&r->doc, 1, title);
    ec_document_heading(&r->doc, 2, "Findings");
    ec_document_text(&r->doc, "Each sentence is computed from the tables of this report.");
    for (i = 0; i < r->findings.n; i++)
        ec_document_item(&r->doc, r->findings.v[i]);
    n = r->doc.n - first;
    moved = ec_alloc(sizeof *moved * (size_t)(n + 1));
    if (!moved || r->doc.st) {
        ec_free(moved);
        return ec_nomem(r->err);
    }
    memcpy(moved, r->doc.v + first, sizeof *moved * (size_t)n);
    memmove(r->doc.v + n, r->doc.v, sizeof *moved * (size_t)first);
    memcpy(r->doc.v, moved, sizeof *moved * (size_t)n);
    ec_free(moved);
    return EC_OK;
}

static void how_to(struct ec__results *r)
{
    ec_document_heading(&r->doc, 2, "How to make this again");
    ec_document_text(&r->doc, "`epochcast report %s --out %s`", r->o->dir, r->o->out);
    ec_document_text(&r->doc,
                     "Under each table and picture stands the command that makes it; files in "
                     "tables/ lie beside this report. `--out FILE.svg` or `--out FILE.png` after a "
                     "picture's command writes it to a file.");
}

static enum ec_status write_svgs(struct ec__results *r)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->doc.n && !st; i++) {
        const struct ec_block *b = &r->doc.v[i];
        struct ec_buf text = EC_BUF_INIT;
        const char *name;

        if (b->kind != EC_BLOCK_FIGURE)
            continue;
        name = ec_arena_printf(r->a, "pictures/%s.svg", b->name);
        ec_buf_str(&text, b->html);
        st = name ? ec_buf_status(&text, r->err) : ec_nomem(r->err);
        if (!st)
            st = write_file(r, name, &text);
        ec_buf_clear(&text);
    }
    return st;
}

static enum ec_status write_all(struct ec__results *r)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_document_html(&r->doc, &text, r->err));
    EC_TRY(write_file(r, "report.html", &text));
    ec_buf_reset(&text);
    EC_TRY(ec_document_markdown(&r->doc, "pictures", &text, r->err));
    EC_TRY(write_file(r, "report.md", &text));
    EC_TRY(write_svgs(r));
    EC_TRY(ec__manifest_write(r));
out:
    ec_buf_clear(&text);
    return st;
}

void ec__results_tell(const struct ec__results *r, const char *doing, const char *name)
{
    char text[160];

    (void)snprintf(text, sizeof text, "%s%.100s", doing, name);
    if (r->o->progress)
        r->o->progress(r->o->progress_user, text);
}

enum ec_status ec_results_report(const struct ec_results_opts *o, struct ec_arena *a,
                                 struct ec_strs *notes, struct ec_results_done *ret,
                                 struct ec_err *err)
{
    struct ec__results *r = ec_alloc(sizeof *r);
    enum ec_status st;
    int i;

    if (!r)
        return ec_nomem(err);
    r->o = o;
    r->a = a;
    r->notes = notes;
    r->err = err;
    EC_TRY(ec__results_read(r));
    EC_TRY(make_dir(r, o->out));
    EC_TRY(make_dir(r, ec_arena_printf(a, "%s/pictures", o->out)));
    EC_TRY(make_dir(r, ec_arena_printf(a, "%s/tables", o->out)));
    EC_TRY(ec__results_machines(r));
    ec__results_tell(r, "comparing runs", "");
    EC_TRY(ec__results_runs(r));
    EC_TRY(ec__results_layers(r));
    ec__results_tell(r, "predicting measured operators", "");
    EC_TRY(ec__results_operators(r));
    EC_TRY(ec__results_tables(r));
    EC_TRY(ec__results_scaling(r));
    how_to(r);
    EC_TRY(front(r));
    EC_TRY(write_all(r));
    r->done.n_figures = r->doc.n_figures;
    *ret = r->done;
out:
    for (i = 0; i < r->n_tables; i++)
        ec_csv_clear(&r->tables[i].csv);
    ec_document_clear(&r->doc);
    ec_free(r);
    return st;
}
