/* Where a network comes from: a file, told apart by its content, or a built-in name. */
#include "graph/graph.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX_BYTES ((size_t)1 << 38)

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);

    return n > m && ec_str_ieq(text + n - m, tail);
}

static bool looks_like_path(const char *source)
{
    struct stat info;

    if (strchr(source, '/') || ends_with(source, ".onnx") || ends_with(source, ".json") ||
        ec_str_eq(source, "-"))
        return true;
    return !ec_zoo_has(source) && stat(source, &info) == 0;
}

/* Blanks, then '{': JSON. An ONNX file begins with a field's tag. */
static bool looks_like_json(const struct ec_file *f)
{
    struct ec_span s = { (const char *)f->data, f->len < 4096 ? f->len : 4096 };

    s = ec_span_trim(s);
    return s.len && (s.p[0] == '{' || s.p[0] == '[');
}

/* dir/name.onnx -> name */
static enum ec_status name_after(struct ec_graph *g, const char *path, struct ec_err *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');

    g->name =
        ec_arena_strn(&g->arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    return g->name ? EC_OK : ec_nomem(err);
}

static enum ec_status read_content(const struct ec_file *f, const struct ec_graph_opts *opts,
                                   struct ec_graph **ret, struct ec_err *err)
{
    if (!f->len)
        return ec_fail(err, EC_E_PARSE, "the file is empty");
    if (looks_like_json(f))
        return ec_graph_from_json((const char *)f->data, f->len, opts, ret, err);
    return ec_graph_from_onnx(f->data, f->len, opts, ret, err);
}

static enum ec_status open_file(const char *path, const struct ec_graph_opts *opts,
                                struct ec_graph **ret, struct ec_err *err)
{
    struct ec_file f = { 0 };
    struct ec_graph *g = NULL;
    enum ec_status st;

    EC_TRY(ec_file_open(path, FILE_MAX_BYTES, &f, err));
    st = read_content(&f, opts, &g, err);
    if (st) {
        ec_err_prefix(err, "%s: ", path);
        goto out;
    }
    if (!ec_str_eq(path, "-") && !ec_str_eq(g->source, "json"))
        EC_TRY(name_after(g, path, err));
    *ret = g;
    g = NULL;
out:
    ec_graph_free(g);
    ec_file_close(&f);
    return st;
}

enum ec_status ec_graph_open(const char *source, const struct ec_graph_opts *opts,
                             struct ec_graph **ret, struct ec_err *err)
{
    if (looks_like_path(source))
        return open_file(source, opts, ret, err);
    return ec_zoo_build(source, opts, ret, err);
}
