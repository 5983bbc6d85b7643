/* Sentences on files. */
#include "base/said.h"

#include <string.h>

#include "base/file.h"
#include "base/group.h"
#include "base/io.h"
#include "base/text.h"

#define FILES "*.csv|*.json*" /* among which a name is to be distinct */

static void add(struct ec_said *s, struct ec_sayings *l, const char *path, const char *text)
{
    int i;

    for (i = 0; i < l->texts.n; i++) /* a table may be read for each of several questions */
        if (ec_str_eq(l->paths.v[i], path) && ec_str_eq(l->texts.v[i], text))
            return;
    if (!s->st)
        s->st = ec_strs_add(&l->paths, s->arena, NULL, "%s", path);
    if (!s->st)
        s->st = ec_strs_add(&l->texts, s->arena, NULL, "%s", text);
}

void ec_said_add(struct ec_said *s, const char *path, const char *fmt, ...)
{
    struct ec_buf text = EC_BUF_INIT;
    va_list ap;

    va_start(ap, fmt);
    ec_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    s->st = s->st ? s->st : ec_buf_status(&text, NULL);
    add(s, &s->notes, path, ec_buf_text(&text));
    ec_buf_clear(&text);
}

void ec_said_left_out(struct ec_said *s, const char *path, const char *why)
{
    size_t len = strlen(path);

    if (len && ec_str_starts(why, path) && strncmp(why + len, ": ", 2) == 0)
        why += len + 2;
    add(s, &s->left_out, path, why);
}

static int by_text(const void *user, int a, int b)
{
    const struct ec_sayings *l = user;

    return strcmp(l->texts.v[a], l->texts.v[b]);
}

/* The shortest end that no other file has, without the folder. */
static const char *name_of(const struct ec_said *s, const char *path, const struct ec_strs *files)
{
    size_t len = s->folder ? strlen(s->folder) : 0;
    const char *end;

    if (!len || !ec_str_starts(path, s->folder))
        return path;
    end = ec_path_end(path, files);
    return end < path + len && path[len] ? path + len + (path[len] == '/') : end;
}

/* Each text once, behind the names that have it; of notes, their number is enough. */
static enum ec_status print_each(const struct ec_said *s, const struct ec_sayings *l,
                                 const struct ec_strs *files, struct ec_buf *out,
                                 struct ec_err *err)
{
    const char *lead = l == &s->left_out ? "left out " : "";
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i, k;

    EC_TRY(ec_group(l->texts.n, by_text, l, &g, err));
    for (i = 0; i < g.n; i++) {
        const int *item = g.item + g.begin[i];
        int n = ec_group_size(&g, i);

        ec_buf_printf(out, "%s%s", s->folder ? "  " : "", lead);
        if (n > 1 && !*lead)
            ec_buf_printf(out, "%d tables", n);
        for (k = 0; k < n && (n == 1 || *lead); k++)
            ec_buf_printf(out, "%s%s", k ? ", " : "", name_of(s, l->paths.v[item[k]], files));
        ec_buf_printf(out, "%s%s\n", *l->paths.v[*item] ? ": " : "", l->texts.v[*item]);
    }
out:
    ec_groups_clear(&g);
    return st;
}

enum ec_status ec_said_print(const struct ec_said *s, struct ec_buf *out, struct ec_err *err)
{
    struct ec_strs files = { 0 };
    bool is_folder;

    EC_PASS(ec_allocated(!s->st, err));
    if (s->left_out.texts.n + s->notes.texts.n == 0)
        return EC_OK;
    if (s->folder) {
        ec_buf_printf(out, "%s:\n", s->folder);
        EC_PASS(ec_files_find(s->folder, FILES, s->arena, &files, &is_folder, err));
    }
    EC_PASS(print_each(s, &s->left_out, &files, out, err));
    EC_PASS(print_each(s, &s->notes, &files, out, err));
    return ec_buf_status(out, err);
}
