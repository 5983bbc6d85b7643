/* From a directory to a report. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "report/results_internal.h"

static enum ec_status make_dir(struct ec__results *r, const char *path)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return r->doc.st ? ec_nomem(r->err)
                         : ec_fail(r->err, EC_E_IO, "%s: cannot make the directory: %s", path,
                                   strerror(errno));
    return EC_OK;
}

static bool is_heading(const struct ec_document *d, int i)
{
    return i < 0 || i >= d->n || d->v[i].kind == EC_BLOCK_HEADING;
}

/* The first picture that is not all that its section has goes to the end of the document, from
 * where front() takes it behind the findings. Returns how many were moved. */
static int take_picture(struct ec_document *d)
{
    struct ec_block b;
    int i;

    for (i = 0; i < d->n; i++)
        if (d->v[i].kind == EC_BLOCK_FIGURE && !(is_heading(d, i - 1) && is_heading(d, i + 1)))
            break;
    if (i == d->n)
        return 0;
    b = d->v[i];
    memmove(d->v + i, d->v + i + 1, sizeof b * (size_t)(d->n - i - 1));
    d->v[d->n - 1] = b;
    return 1;
}

/* Title and findings come first, but are known last. */
static enum ec_status front(struct ec__results *r)
{
    int n_pictures = take_picture(&r->doc), first = r->doc.n - n_pictures, n, i;
    struct ec_block *moved;
    const char *slash = strrchr(r->o->dir, '/');
    const char *of = r->o->only ? r->o->only : slash && slash[1] ? slash + 1 : r->o->dir;

    ec_document_heading(&r->doc, 1,
                        r->o->title ? r->o->title : ec__results_text(r, "Results in %s", of));
    ec_document_heading(&r->doc, 2, "Findings");
    ec_document_text(&r->doc, "Each sentence is computed from the tables of this report.");
    for (i = 0; r->o->first && i < r->o->first->n; i++)
        ec_document_item(&r->doc, r->o->first->v[i]);
    for (i = 0; i < r->findings.n; i++)
        ec_document_item(&r->doc, r->findings.v[i]);
    if (n_pictures && !r->doc.st) { /* behind the findings */
        struct ec_block picture = r->doc.v[first];

        memmove(r->doc.v + first, r->doc.v + first + 1,
                sizeof picture * (size_t)(r->doc.n - first - 1));
        r->doc.v[r->doc.n - 1] = picture;
    }
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
    ec_document_text(&r->doc, "`epochcast report %s --out %s`",
                     ec__results_quoted(r, r->o->only
                                               ? ec__results_text(r, "%s/%s", r->o->dir, r->o->only)
                                               : r->o->dir),
                     ec__results_quoted(r, r->o->out));
    ec_document_text(&r->doc,
                     "Under each table and picture stands the command that makes it, as it runs "
                     "in the folder where this report was made. `--out FILE.svg` or `--out "
                     "FILE.png` after a picture's command writes it to a file.");
}

static enum ec_status write_svgs(struct ec__results *r)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->doc.n && !st; i++) {
        const struct ec_block *b = &r->doc.v[i];
        struct ec_buf text = EC_BUF_INIT;

        if (b->kind != EC_BLOCK_FIGURE)
            continue;
        ec_buf_str(&text, b->html);
        st = ec__results_write(r, ec__results_text(r, "pictures/%s.svg", b->name), &text);
        ec_buf_clear(&text);
    }
    return st;
}

static enum ec_status write_all(struct ec__results *r)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_document_html(&r->doc, &text, r->err));
    EC_TRY(ec__results_write(r, "report.html", &text));
    ec_buf_reset(&text);
    EC_TRY(ec_document_markdown(&r->doc, "pictures", &text, r->err));
    EC_TRY(ec__results_write(r, "report.md", &text));
    EC_TRY(write_svgs(r));
    EC_TRY(ec__manifest_write(r));
out:
    ec_buf_clear(&text);
    return st;
}

enum ec_status ec_results_report(const struct ec_results_opts *o, struct ec_arena *a,
                                 struct ec_said *said, struct ec_results_done *ret,
                                 struct ec_err *err)
{
    struct ec__results *r = ec_alloc(sizeof *r);
    enum ec_status st;
    int i;

    EC_PASS(ec_allocated(r, err));
    r->o = o;
    r->a = a;
    r->said = said;
    r->err = err;
    EC_TRY(ec__results_read(r));
    EC_TRY(make_dir(r, o->out));
    EC_TRY(make_dir(r, ec__results_text(r, "%s/pictures", o->out)));
    EC_TRY(make_dir(r, ec__results_text(r, "%s/tables", o->out)));
    ec__results_tell(r, "comparing runs", "");
    EC_TRY(ec__results_runs(r));
    EC_TRY(ec__results_machines(r));
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
    ec_store_close(r->store);
    ec_document_clear(&r->doc);
    ec_free(r);
    return st;
}
