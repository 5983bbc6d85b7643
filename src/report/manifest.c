/* The manifest of a report: a line "sha256  name" for each file that it wrote, as sha256sum reads.
 * A report into the same directory removes those of the last one that it has not written again. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/results_internal.h"

#define MANIFEST "manifest.sha256"
#define MANIFEST_MAX_BYTES (1 << 22)
#define FILE_MAX_BYTES (1 << 28)
enum { DIGEST = EC_SHA256_TEXT_BYTES - 1, NAME_AT = DIGEST + 2 };

static const char *line_of(struct ec_arena *a, const char *name, const void *data, size_t len)
{
    char digest[EC_SHA256_TEXT_BYTES];

    ec_sha256(data, len, digest);
    return ec_arena_printf(a, "%s  %s", digest, name);
}

enum ec_status ec__manifest_note(struct ec__results *r, const char *name, const struct ec_buf *text)
{
    const char *line = line_of(r->a, name, ec_buf_text(text), text->len);

    return line ? ec_strs_add(&r->written, r->a, r->err, "%s", line) : ec_nomem(r->err);
}

/* Checks a manifest, which anyone may have edited: it may only name files that a report writes. */
static bool is_ours(const char *name)
{
    const char *slash = strchr(name, '/');

    if (!slash)
        return ec_str_eq(name, "report.html") || ec_str_eq(name, "report.md");
    return (ec_str_starts(name, "pictures/") || ec_str_starts(name, "tables/")) &&
           !strchr(slash + 1, '/') && slash[1] && slash[1] != '.';
}

static bool written_again(const struct ec__results *r, const char *name)
{
    int i;

    for (i = 0; i < r->written.n; i++)
        if (ec_str_eq(r->written.v[i] + NAME_AT, name))
            return true;
    return false;
}

/* Whether the file's content is what the report wrote. */
static bool unchanged(struct ec__results *r, const char *path, const char *line)
{
    struct ec_file f = { 0 };
    struct stat s;
    const char *now;
    bool same;

    if (lstat(path, &s) || !S_ISREG(s.st_mode) || ec_file_open(path, FILE_MAX_BYTES, &f, NULL))
        return false;
    now = line_of(r->a, line + NAME_AT, f.data, f.len);
    same = now && ec_str_eq(now, line);
    ec_file_close(&f);
    return same;
}

static enum ec_status drop(struct ec__results *r, const char *line)
{
    const char *name = line + NAME_AT, *path;
    struct stat s;

    if (strlen(line) <= NAME_AT || !is_ours(name) || written_again(r, name))
        return EC_OK;
    path = ec_arena_printf(r->a, "%s/%s", r->o->out, name);
    EC_PASS(ec_allocated(path, r->err));
    if (lstat(path, &s))
        return EC_OK;
    if (unchanged(r, path, line) && !unlink(path)) {
        r->done.n_removed++;
        return EC_OK;
    }
    ec_said_add(r->said, path, "of an earlier report, changed since: it stays where it is");
    return EC_OK;
}

enum ec_status ec__manifest_write(struct ec__results *r)
{
    const char *path = ec_arena_printf(r->a, "%s/%s", r->o->out, MANIFEST);
    struct ec_buf text = EC_BUF_INIT;
    struct ec_file f = { 0 };
    struct ec_span rest, word;
    enum ec_status st = EC_OK;
    int i;

    EC_PASS(ec_allocated(path, r->err));
    if (!ec_file_open(path, MANIFEST_MAX_BYTES, &f, NULL)) {
        rest = (struct ec_span){ (const char *)f.data, f.len };
        while (rest.len && ec_span_cut(&rest, '\n', &word)) {
            const char *line = ec_arena_strn(r->a, word.p, word.len);

            EC_TRY(ec_allocated(line, r->err));
            EC_TRY(drop(r, line));
        }
    }
    for (i = 0; i < r->written.n; i++)
        ec_buf_printf(&text, "%s\n", r->written.v[i]);
    EC_TRY(ec_buf_status(&text, r->err));
    EC_TRY(ec_file_write(path, ec_buf_text(&text), text.len, r->err));
out:
    ec_file_close(&f);
    ec_buf_clear(&text);
    return st;
}
