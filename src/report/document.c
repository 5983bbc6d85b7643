/* Blocks of a document, and the two ways to write them. */
#include "report/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "page_css.h"
#include "page_js.h"
#include "report/report_internal.h"

void ec_document_clear(struct ec_document *d)
{
    if (!d)
        return;
    ec_free(d->v);
    ec_arena_clear(&d->arena);
    memset(d, 0, sizeof *d);
}

static struct ec_block *add(struct ec_document *d, enum ec_block_kind kind, const char *text)
{
    struct ec_block *b;

    if (!d->st)
        d->st = ec_grow(&d->v, &d->cap, d->n + 1, sizeof *d->v, NULL);
    if (d->st)
        return NULL;
    b = &d->v[d->n];
    memset(b, 0, sizeof *b);
    b->kind = kind;
    b->text = ec_arena_str(&d->arena, text ? text : "");
    if (!b->text) {
        d->st = EC_E_NOMEM;
        return NULL;
    }
    d->n++;
    return b;
}

/* A copy in the document's arena; NULL stays NULL. */
static const char *keep(struct ec_document *d, const char *text)
{
    const char *copy = text ? ec_arena_str(&d->arena, text) : NULL;

    if (text && !copy)
        d->st = EC_E_NOMEM;
    return copy;
}

void ec_document_heading(struct ec_document *d, int level, const char *text)
{
    struct ec_block *b = add(d, EC_BLOCK_HEADING, text);

    if (b)
        b->level = level;
}

void ec_document_text(struct ec_document *d, const char *fmt, ...)
{
    char text[2048];
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    (void)add(d, EC_BLOCK_TEXT, text);
}

void ec_document_item(struct ec_document *d, const char *text)
{
    (void)add(d, EC_BLOCK_ITEM, text);
}

void ec_document_table(struct ec_document *d, const struct ec_table *t, const char *caption,
                       const char *command)
{
    struct ec_buf html = EC_BUF_INIT, markdown = EC_BUF_INIT;
    struct ec_block *b = add(d, EC_BLOCK_TABLE, caption);

    if (b && (ec_table_write(t, EC_TABLE_HTML, &html, NULL) ||
              ec_table_write(t, EC_TABLE_MARKDOWN, &markdown, NULL)))
        d->st = EC_E_NOMEM;
    if (b) {
        b->html = keep(d, ec_buf_text(&html));
        b->markdown = keep(d, ec_buf_text(&markdown));
        b->n_rows = ec_table_rows(t);
        b->command = keep(d, command);
    }
    ec_buf_clear(&html);
    ec_buf_clear(&markdown);
}

void ec_document_figure(struct ec_document *d, const struct ec_drawing *drawing, const char *name,
                        const char *caption, const char *command)
{
    struct ec_buf svg = EC_BUF_INIT;
    struct ec_block *b = add(d, EC_BLOCK_FIGURE, caption);

    if (b && ec_drawing_svg(drawing, name, &svg, NULL))
        d->st = EC_E_NOMEM;
    if (b) {
        b->html = keep(d, ec_buf_text(&svg));
        b->name = keep(d, name);
        b->command = keep(d, command);
        d->n_figures++;
    }
    ec_buf_clear(&svg);
}

/* ------------------------------------------------------------------------------------------------
 * HTML */

EC_EMBED(page_style, EC_PAGE_CSS);

/* A click on a column's head sorts the rows by it: by number and unit, else by text. */
EC_EMBED(page_script, EC_PAGE_JS);

/* The text between two backticks that are alone on one line. */
static bool is_code(const char *text, const char *from, const char *end)
{
    const char *c;

    if (end == from + 1 || end[1] == '`' || (from > text && from[-1] == '`'))
        return false;
    for (c = from + 1; c < end; c++)
        if ((unsigned char)*c < 32)
            return false;
    return true;
}

/* The next word between backticks, which is a command; NULL: none. Names of files may contain
 * backticks: those are text. */
static const char *next_code(const char *text, const char **ret_end)
{
    const char *from = strchr(text, '`'), *end = from ? strchr(from + 1, '`') : NULL;

    while (end && !is_code(text, from, end)) {
        from = end;
        end = strchr(from + 1, '`');
    }
    *ret_end = end;
    return end ? from : NULL;
}

static void prose(struct ec_buf *out, const char *text)
{
    const char *from, *end;

    while ((from = next_code(text, &end)) != NULL) {
        ec_html_escape_part(out, text, (size_t)(from - text));
        ec_buf_str(out, "<code>");
        ec_html_escape_part(out, from + 1, (size_t)(end - from - 1));
        ec_buf_str(out, "</code>");
        text = end + 1;
    }
    ec_html_escape(out, text);
}

static void element(struct ec_buf *out, const char *tag, const char *attributes, const char *text)
{
    ec_buf_printf(out, "<%s%s>", tag, attributes);
    prose(out, text);
    ec_buf_printf(out, "</%s>\n", tag);
}

static void contents(const struct ec_document *d, struct ec_buf *out)
{
    int i;

    ec_buf_str(out, "<nav><details><summary>Contents</summary>\n<ul>\n");
    for (i = 0; i < d->n; i++)
        if (d->v[i].kind == EC_BLOCK_HEADING && d->v[i].level == 2) {
            ec_buf_printf(out, "<li><a href=\"#s%d\">", i);
            ec_html_escape(out, d->v[i].text);
            ec_buf_str(out, "</a></li>\n");
        }
    ec_buf_str(out, "</ul></details></nav>\n");
}

static void caption(struct ec_buf *out, const struct ec_block *b)
{
    prose(out, b->text);
    if (!b->command)
        return;
    ec_buf_str(out, *b->text ? "<br><code>" : "<code>");
    ec_html_escape(out, b->command);
    ec_buf_str(out, "</code>");
}

/* Long tables and long lists are folded: of a list the first items stay. */
enum { TABLE_FOLDED = 12, ITEMS_OPEN = 6, ITEMS_FOLDED = 9 };

static void table(const struct ec_block *b, struct ec_buf *out)
{
    bool folded = b->n_rows > TABLE_FOLDED;

    if (folded)
        ec_buf_printf(out, "<details><summary>Table of %d rows</summary>\n", b->n_rows);
    ec_buf_str(out, b->html);
    ec_buf_str(out, folded ? "</details>\n<div class=\"caption\">" : "<div class=\"caption\">");
    caption(out, b);
    ec_buf_str(out, "</div>\n");
}

static void item(const struct ec_document *d, int i, struct ec_buf *out)
{
    int first = i, end = i;

    while (first && d->v[first - 1].kind == EC_BLOCK_ITEM)
        first--;
    while (end < d->n && d->v[end].kind == EC_BLOCK_ITEM)
        end++;
    if (i == first)
        ec_buf_str(out, "<ul>\n");
    if (i - first == ITEMS_OPEN && end - first >= ITEMS_FOLDED)
        ec_buf_printf(out, "</ul>\n<details><summary>%d more</summary>\n<ul>\n", end - i);
    element(out, "li", "", d->v[i].text);
    if (i + 1 == end)
        ec_buf_str(out, end - first >= ITEMS_FOLDED ? "</ul>\n</details>\n" : "</ul>\n");
}

static void block(const struct ec_document *d, int i, struct ec_buf *out)
{
    const struct ec_block *b = &d->v[i];
    char id[32], tag[4];

    switch (b->kind) {
    case EC_BLOCK_HEADING:
        (void)snprintf(id, sizeof id, " id=\"s%d\"", i);
        (void)snprintf(tag, sizeof tag, "h%d", b->level);
        element(out, tag, id, b->text);
        if (b->level == 1)
            contents(d, out);
        return;
    case EC_BLOCK_TEXT:
        element(out, "p", "", b->text);
        return;
    case EC_BLOCK_ITEM:
        item(d, i, out);
        return;
    case EC_BLOCK_TABLE:
        table(b, out);
        return;
    case EC_BLOCK_FIGURE:
        ec_buf_printf(out, "<figure>\n%s<figcaption>", b->html);
        caption(out, b);
        ec_buf_str(out, "</figcaption>\n</figure>\n");
    }
}

enum ec_status ec_document_html(const struct ec_document *d, struct ec_buf *out, struct ec_err *err)
{
    int i;

    if (d->st)
        return ec_nomem(err);
    ec_buf_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n");
    ec_buf_str(out, "<title>");
    ec_html_escape(out, d->n ? d->v[0].text : "");
    ec_buf_str(out, "</title>\n");
    ec_buf_printf(out, "<style>\n%s</style>\n</head>\n<body>\n", ec__page_style_begin);
    for (i = 0; i < d->n; i++)
        block(d, i, out);
    ec_buf_printf(out, "<script>\n%s</script>\n</body>\n</html>\n", ec__page_script_begin);
    return ec_buf_status(out, err);
}

/* ------------------------------------------------------------------------------------------------
 * Markdown */

/* Characters that would be markup in running text; commands between backticks stay as they are. */
static void markdown_text(struct ec_buf *out, const char *text)
{
    const char *end = NULL, *code = next_code(text, &end), *last = text + strlen(text);

    for (; text < last; text++) {
        if (code && text >= code) {
            ec_buf_add(out, code, (size_t)(end + 1 - code));
            text = end;
            code = next_code(end + 1, &end);
            continue;
        }
        if (strchr("\\`*[]<>#|", *text))
            ec_buf_char(out, '\\');
        text += ec__put_plain(out, text, (size_t)(last - text)) - 1;
    }
}

/* A second line would be no part of the command. */
static void one_line(struct ec_buf *out, const char *text)
{
    for (; *text; text++)
        ec_buf_char(out, (unsigned char)*text < 32 ? ' ' : *text);
}

static void markdown_block(const struct ec_block *b, const char *pictures, struct ec_buf *out)
{
    int i;

    switch (b->kind) {
    case EC_BLOCK_HEADING:
        for (i = 0; i < b->level; i++)
            ec_buf_char(out, '#');
        ec_buf_char(out, ' ');
        break;
    case EC_BLOCK_ITEM:
        ec_buf_str(out, "- ");
        break;
    case EC_BLOCK_TABLE:
        ec_buf_str(out, b->markdown);
        ec_buf_char(out, '\n');
        break;
    case EC_BLOCK_FIGURE:
        ec_buf_str(out, "![");
        markdown_text(out, b->text);
        ec_buf_printf(out, "](%s/%s.svg)\n\n", pictures, b->name);
        break;
    case EC_BLOCK_TEXT:
        break;
    }
    markdown_text(out, b->text);
    ec_buf_str(out, *b->text ? "\n" : "");
    if (b->command) {
        ec_buf_str(out, "\n    ");
        one_line(out, b->command);
        ec_buf_char(out, '\n');
    }
}

enum ec_status ec_document_markdown(const struct ec_document *d, const char *pictures,
                                    struct ec_buf *out, struct ec_err *err)
{
    int i;

    if (d->st)
        return ec_nomem(err);
    for (i = 0; i < d->n; i++) {
        bool list = d->v[i].kind == EC_BLOCK_ITEM;

        if (i && !(list && d->v[i - 1].kind == EC_BLOCK_ITEM))
            ec_buf_char(out, '\n');
        markdown_block(&d->v[i], pictures, out);
    }
    return ec_buf_status(out, err);
}
