/* A document of headings, sentences, tables and pictures, written as one HTML file that opens
 * without a network, or as Markdown with its pictures beside it. */
#ifndef EC_REPORT_DOCUMENT_H
#define EC_REPORT_DOCUMENT_H

#include "plot/plot.h"
#include "report/table.h"

enum ec_block_kind {
    EC_BLOCK_HEADING,
    EC_BLOCK_TEXT,
    EC_BLOCK_ITEM,
    EC_BLOCK_TABLE,
    EC_BLOCK_FIGURE
};
struct ec_block {
    enum ec_block_kind kind;
    int level;                   /* of a heading, from 1 */
    const char *text;            /* heading, text, item; caption of a table or figure */
    const char *html, *markdown; /* of a table; html also the SVG of a figure */
    const char *name;            /* of a figure: file without ending */
    const char *command;         /* that draws it again; NULL: none */
    int n_rows;                  /* of a table */
};

/* Failures are kept; the writers report them. */
struct ec_document {
    struct ec_arena arena;
    struct ec_block *v;
    int n, cap, n_figures;
    enum ec_status st;
};

void ec_document_clear(struct ec_document *d);
void ec_document_heading(struct ec_document *d, int level, const char *text);
void ec_document_text(struct ec_document *d, const char *fmt, ...) EC_PRINTF(2, 3);
void ec_document_item(struct ec_document *d, const char *text);
/* caption and command may be NULL */
void ec_document_table(struct ec_document *d, const struct ec_table *t, const char *caption,
                       const char *command);
void ec_document_figure(struct ec_document *d, const struct ec_drawing *drawing, const char *name,
                        const char *caption, const char *command);
enum ec_status ec_document_html(const struct ec_document *d, struct ec_buf *out,
                                struct ec_err *err) EC_MUST_CHECK;
/* pictures: folder of the SVG files, as the Markdown file names it */
enum ec_status ec_document_markdown(const struct ec_document *d, const char *pictures,
                                    struct ec_buf *out, struct ec_err *err) EC_MUST_CHECK;

#endif
