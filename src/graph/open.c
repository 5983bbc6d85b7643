/* Opens a network: a file, whose format follows from its content, or a built-in name. */
#include "graph/files_internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX_BYTES EC_SIZE_BOUND((uint64_t)1 << 38)

/* Files of weights, or of formats that are not read, by how their names end, and where and by what
 * the network in them is exported. */
#define EXPORT "export the network as ONNX (docs/onnx.md), in "
#define BY_TORCH EXPORT "PyTorch by torch.onnx.export(model, sample, \"model.onnx\")"
#define BY_PYTHON BY_TORCH ", or read it by python3 -m epochcast.pt2 model.pt2 > model.json"
#define BY_CONFIG BY_TORCH ", or put the config.json of its model beside it"
#define BY_TF2ONNX(what) EXPORT "a shell by python -m tf2onnx.convert " what " --output model.onnx"
#define BY_JOB "those of training tools are read by epochcast predict MODEL --job FILE"
/* clang-format off */
static const struct foreign {
    const char *ending, *what, *by;
} foreign[] = {
    { ".pt",          "a PyTorch checkpoint",    BY_TORCH },
    { ".pt2",         "an exported program",     BY_PYTHON },
    { ".pth",         "a PyTorch checkpoint",    BY_TORCH },
    { ".ckpt",        "a checkpoint",            BY_TORCH },
    { ".bin",         "a checkpoint",            BY_TORCH },
    { ".safetensors", "weights alone",           BY_CONFIG },
    { ".py",          "a Python program",        BY_TORCH },
    { ".yaml",        "a file of settings",      BY_JOB },
    { ".yml",         "a file of settings",      BY_JOB },
    { ".toml",        "a file of settings",      BY_JOB },
    { ".sh",          "a shell script",          BY_JOB },
    { ".pb",          "a TensorFlow model",      BY_TF2ONNX("--saved-model DIR") },
    { ".tflite",      "a TensorFlow Lite model", BY_TF2ONNX("--tflite model.tflite") },
};
/* clang-format on */

/* What the name of a file says that it is; NULL: nothing of those. */
static const struct foreign *foreign_name(const char *path)
{
    int i;

    for (i = 0; i < EC_LEN(foreign); i++)
        if (ec_str_ends(path, foreign[i].ending))
            return &foreign[i];
    return NULL;
}

static bool has_ending(const char *path)
{
    static const char *const endings[] = { ".onnx", ".json", ".keras", ".h5", ".hdf5" };
    int i;

    for (i = 0; i < EC_LEN(endings); i++)
        if (ec_str_ends(path, endings[i]))
            return true;
    return false;
}

static bool is_path(const char *source)
{
    return has_ending(source) || (strchr(source, '/') && !ec_zoo_has(source)) ||
           ec_str_eq(source, "-") || foreign_name(source);
}

/* "owner/name", and no file of a known kind, nor one that a server keeps by its digest. */
static bool is_hub_name(const char *source)
{
    const char *slash = strchr(source, '/');

    return slash && slash != source && slash[1] && !strchr(slash + 1, '/') && *source != '.' &&
           !has_ending(source) && !foreign_name(source) && strncmp(source, "sha256/", 7) != 0;
}

static bool looks_like_path(const char *source)
{
    const char *slash = strchr(source, '/');
    struct stat info;
    char owner[96];

    if (is_path(source))
        return true;
    if (!slash)
        return !ec_zoo_has(source) && stat(source, &info) == 0;
    (void)snprintf(owner, sizeof owner, "%.*s", (int)(slash - source), source);
    return stat(owner, &info) == 0; /* a folder here, and no name of a hub */
}

bool ec_graph_is_built_in(const char *source)
{
    return !looks_like_path(source) && ec_zoo_has(source);
}

/* Blanks, then '{': JSON. An ONNX file begins with a field's tag. */
static bool looks_like_json(struct ec_span s)
{
    s = ec_span_trim((struct ec_span){ s.p, s.len < 4096 ? s.len : 4096 });
    return s.len && (s.p[0] == '{' || s.p[0] == '[');
}

/* dir/name.onnx -> name */
static enum ec_status name_after(struct ec_graph *g, const char *path, struct ec_err *err)
{
    const char *base = ec_path_name(path);
    const char *dot = strrchr(base, '.');

    g->name =
        ec_arena_strn(&g->arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    return ec_allocated(g->name, err);
}

static enum ec_status read_content(const char *path, const struct ec_file *f,
                                   const struct ec_graph_opts *opts, struct ec_graph **ret,
                                   struct ec_err *err)
{
    struct ec_span text = ec_span_after_mark((struct ec_span){ (const char *)f->data, f->len });
    enum ec_status st;
    bool found;

    if (!f->len)
        return ec_fail(err, EC_E_PARSE, "the file is empty");
    if (looks_like_json(text))
        return ec_graph_from_json(text.p, text.len, opts, ret, err);
    st = ec__keras_file(path, f->data, f->len, opts, &found, ret, err);
    return found ? st : ec_graph_from_onnx(f->data, f->len, opts, ret, err);
}

static enum ec_status open_file(const char *path, const struct ec_graph_opts *opts,
                                struct ec_graph **ret, struct ec_err *err)
{
    const struct foreign *known = foreign_name(path);
    struct ec_arena a = { 0 };
    struct ec_file f = { 0 };
    struct ec_graph *g = NULL;
    const char *config = ec_weights_config(path, &a); /* of a folder, and beside weights */
    enum ec_status st;

    if (!config && ec_is_folder(path))
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND,
                       "%s: a folder without config.json, expected a file of a network, or a "
                       "folder with the config.json of Hugging Face",
                       path));
    path = config ? config : path;
    EC_TRY(ec_file_open(path, FILE_MAX_BYTES, &f, err));
    st = read_content(path, &f, opts, &g, err);
    if (st && known && !config)
        st = ec_fail(err, EC_E_PARSE, "%s: %s, which this program does not read as a network: %s",
                     path, known->what, known->by);
    else if (st)
        ec_err_prefix(err, "%s: ", path);
    EC_TRY(st);
    if (!ec_str_eq(path, "-") && !ec_str_eq(g->source, "json") && !ec_str_eq(g->source, "config"))
        EC_TRY(name_after(g, path, err));
    *ret = g;
    g = NULL;
out:
    ec_graph_free(g);
    ec_file_close(&f);
    ec_arena_clear(&a);
    return st;
}

/* A size that was asked for and changes nothing is a mistake worth telling. */
static enum ec_status note_unused(struct ec_graph *g, const struct ec_graph_opts *opts,
                                  struct ec_err *err)
{
    const struct {
        const char *name;
        enum ec_graph_sizes size;
        int64_t asked;
    } rows[] = {
        {"seq_len",  EC_SIZE_SEQ_LEN, opts->seq_len },
        { "image",   EC_SIZE_IMAGE,   opts->image_px},
        { "classes", EC_SIZE_CLASSES, opts->classes },
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        if (rows[i].asked > 0 && !(g->sizes & rows[i].size))
            EC_PASS(ec_graph_note(g, err, "%s is not used: %s does not depend on it", rows[i].name,
                                  g->name));
    return EC_OK;
}

enum ec_status ec_graph_open(const char *source, const struct ec_graph_opts *opts,
                             struct ec_graph **ret, struct ec_err *err)
{
    struct ec_graph_opts own = { 0 };
    struct ec_graph *g = NULL;
    enum ec_status st;
    bool path;

    EC_NEED(err, source, ret);
    if (opts) {
        EC_TRY(ec_need_size(err, "struct ec_graph_opts", opts->struct_size, sizeof own.struct_size,
                            sizeof own));
        memcpy(&own, opts, opts->struct_size);
        opts = &own;
    }
    path = looks_like_path(source);
    st = path ? open_file(source, opts, &g, err) : ec_zoo_build(source, opts, &g, err);
    if (st == EC_E_NOT_FOUND && path && is_hub_name(source))
        st = ec_fail(err, st,
                     "%s: no file, and no built-in network; one of a hub is read from the folder "
                     "with its config.json",
                     source);
    EC_TRY(st);
    if (!path && strchr(source, '/'))
        EC_TRY(
            ec_graph_note(g, err, "%s is taken for the built-in %s", source, ec_zoo_name(source)));
    if (opts)
        EC_TRY(note_unused(g, opts, err));
    if (opts && opts->adapter_rank > 0)
        EC_TRY(ec__graph_adapt(g, opts, err));
    *ret = g;
    g = NULL;
out:
    ec_graph_free(g);
    return st;
}
