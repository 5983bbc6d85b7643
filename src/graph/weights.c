/* Checkpoints of one or several .safetensors files, and what is beside them. */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTES_MAX 12 /* shapes that differ */
#define FILES "*.safetensors"
#define INDEX FILES ".index.json"

/* A tensor beside what it is sorted by. */
struct ec_weight {
    const char *name; /* with '*' for numbers: h.*.ln_1.weight */
    const struct ec_tensor *t;
    int64_t d[EC_RANK_MAX]; /* extents but 1, the largest first */
    bool in_network;
};

/* --- Files --- */

/* The folder that `path` is, or that its file is in, with the slash at its end. NULL: no memory */
static const char *folder_of(const char *path, struct ec_arena *a)
{
    int len = ec_is_folder(path) ? (int)strlen(path) : (int)(ec_path_name(path) - path);

    return ec_arena_printf(a, "%.*s%s", len, path, len && path[len - 1] != '/' ? "/" : "");
}

static bool is_file_name(const char *path)
{
    return ec_str_glob(FILES, path) || ec_str_glob(INDEX, path);
}

const char *ec_weights_config(const char *path, struct ec_arena *a)
{
    const char *found = NULL;

    if (is_file_name(path) || ec_is_folder(path)) {
        const char *folder = folder_of(path, a);

        found = folder ? ec_arena_printf(a, "%sconfig.json", folder) : NULL;
    }
    return found && access(found, R_OK) == 0 ? found : NULL;
}

/* Of a folder with numbered files these alone: others beside them are the same weights in one
 * piece. Folders below hold other states of a training. */
static enum ec_status find_files(const char *path, struct ec_arena *a, struct ec_strs *ret,
                                 struct ec_err *err)
{
    static const char *const patterns[] = { "*-of-" FILES, FILES };
    struct ec_strs all = { 0 };
    bool is_folder;
    int i, k;

    if (ec_str_glob(INDEX, path)) {
        const char *folder = folder_of(path, a);

        path = folder && !*folder ? "." : folder;
    }
    EC_PASS(ec_allocated(path, err));
    EC_PASS(ec_files_find(path, FILES, a, &all, &is_folder, err));
    for (k = 0; k < EC_LEN(patterns) && !ret->n; k++)
        for (i = 0; i < all.n; i++)
            if ((!is_folder || !strchr(all.v[i] + strlen(path) + 1, '/')) &&
                ec_str_glob(patterns[k], ec_path_name(all.v[i])))
                EC_PASS(ec_strs_add(ret, a, err, "%s", all.v[i]));
    return EC_OK;
}

bool ec_weights_is(const char *path)
{
    struct ec_strs files = { 0 };
    struct ec_arena a = { 0 };
    bool yes = is_file_name(path) ||
               (ec_is_folder(path) && !find_files(path, &a, &files, NULL) && files.n);

    ec_arena_clear(&a);
    return yes;
}

/* --- Groups --- */

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x < *y) - (*x > *y);
}

static enum ec_status key_of(const struct ec_tensor *t, bool in_network, struct ec_arena *a,
                             struct ec_weight *ret, struct ec_err *err)
{
    char *out = ec_arena_str(a, t->name);
    const char *from = t->name;
    int i, n = 0;

    EC_PASS(ec_allocated(out, err));
    *ret = (struct ec_weight){ .name = out, .t = t, .in_network = in_network };
    while (*from) {
        size_t digits = from == t->name || from[-1] == '.' ? strspn(from, "0123456789") : 0;
        bool is_number = digits && (!from[digits] || from[digits] == '.');

        *out++ = is_number ? '*' : *from;
        from += is_number ? digits : 1;
    }
    *out = '\0';
    for (i = 0; i < t->shape.rank; i++)
        if (t->shape.d[i] != 1)
            ret->d[n++] = t->shape.d[i];
    qsort(ret->d, (size_t)n, sizeof *ret->d, by_size);
    return EC_OK;
}

static enum ec_status open_files(struct ec_weights *w, const struct ec_strs *paths,
                                 struct ec_err *err)
{
    int n = 0, i, k;

    w->files = ec_arena_alloc(&w->arena, sizeof *w->files * ((size_t)paths->n + 1));
    EC_PASS(ec_allocated(w->files, err));
    for (i = 0; i < paths->n; n += w->files[i++].n) {
        EC_PASS(ec_tensors_open(paths->v[i], &w->files[i], err));
        w->n_files++;
    }
    w->v = ec_arena_alloc(&w->arena, sizeof *w->v * ((size_t)n + 1));
    EC_PASS(ec_allocated(w->v, err));
    for (i = 0; i < w->n_files; i++)
        for (k = 0; k < w->files[i].n; k++)
            EC_PASS(key_of(&w->files[i].v[k], false, &w->arena, &w->v[w->n++], err));
    return EC_OK;
}

static int by_group(const void *a, const void *b)
{
    const struct ec_weight *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    order = order ? order : strcmp(x->t->type, y->t->type);
    return order ? order : memcmp(x->t->shape.d, y->t->shape.d, sizeof x->t->shape.d);
}

static double elems_of(const struct ec_tensor *t)
{
    const struct ec_type type = { t->shape, EC_DT_f32 };

    return ec_type_elems(&type);
}

static enum ec_status make_groups(struct ec_weights *w, struct ec_err *err)
{
    struct ec_weights_group *g;
    int i;

    g = w->groups = ec_arena_alloc(&w->arena, sizeof *g * ((size_t)w->n + 1));
    EC_PASS(ec_allocated(g, err));
    qsort(w->v, (size_t)w->n, sizeof *w->v, by_group);
    for (i = 0; i < w->n; i++) {
        const struct ec_weight *k = &w->v[i];

        if (!i || by_group(k, k - 1) != 0) {
            g = &w->groups[w->n_groups++];
            *g = (struct ec_weights_group){ .name = k->name, .first = k->t };
        }
        g->n++;
        g->elems += elems_of(k->t);
        g->bytes += (double)k->t->bytes;
    }
    return EC_OK;
}

/* --- What kind it is --- */

static const struct ec_weights_group *named(const struct ec_weights *w, const char *pattern)
{
    int i;

    for (i = 0; i < w->n_groups; i++)
        if (ec_str_glob(pattern, w->groups[i].name))
            return &w->groups[i];
    return NULL;
}

/* Names as bitsandbytes, GPTQ, AWQ, compressed-tensors, checkpoints in FP8 and MXFP4 have them. */
static enum ec_status note_kind(struct ec_weights *w, struct ec_err *err)
{
    static const char *const marks[] = { "*.qweight", "*.absmax",    "*.SCB",
                                         "*_scale",   "*_scale_inv", "*_scales" };
    const struct ec_weights_group *lora = named(w, "*.lora_A*"), *quantized = NULL;
    int i;

    for (i = 0; i < EC_LEN(marks) && !quantized; i++)
        quantized = named(w, marks[i]);
    if (quantized)
        EC_PASS(ec_strs_add(&w->notes, &w->arena, err,
                            "quantized, since it has %.80s: packed numbers and their scales are "
                            "counted as they are stored, which is not the number of parameters",
                            quantized->name));
    if (lora)
        EC_PASS(ec_strs_add(&w->notes, &w->arena, err,
                            "LoRA adapters, which train beside a network: predict that with "
                            "--tuning lora --rank %lld",
                            (long long)lora->first->shape.d[0]));
    w->is_whole = !w->notes.n;
    return EC_OK;
}

/* Names count the files: model-00001-of-00003.safetensors. */
static enum ec_status note_missing(struct ec_weights *w, const char *first, struct ec_err *err)
{
    const char *of = strstr(ec_path_name(first), "-of-");
    int64_t expected = 0;

    if (of)
        (void)ec_parse_int((struct ec_span){ of + 4, strspn(of + 4, "0123456789") }, &expected);
    if (!expected || expected == w->n_files)
        return EC_OK;
    w->is_whole = false;
    return ec_strs_add(&w->notes, &w->arena, err, "%d of %lld files: give a folder with all",
                       w->n_files, (long long)expected);
}

enum ec_status ec_weights_open(const char *path, struct ec_weights *ret, struct ec_err *err)
{
    struct ec_strs paths = { 0 };

    EC_PASS(find_files(path, &ret->arena, &paths, err));
    if (!paths.n)
        return ec_fail(err, EC_E_NOT_FOUND, "%s: no .safetensors file is beside it", path);
    EC_PASS(open_files(ret, &paths, err));
    EC_PASS(make_groups(ret, err));
    ret->config = ec_weights_config(path, &ret->arena);
    EC_PASS(note_kind(ret, err));
    return note_missing(ret, paths.v[0], err);
}

void ec_weights_clear(struct ec_weights *w)
{
    int i;

    for (i = 0; i < w->n_files; i++)
        ec_tensors_clear(&w->files[i]);
    ec_arena_clear(&w->arena);
    *w = (struct ec_weights){ 0 };
}

/* --- Beside a network --- */

static int by_shape(const void *a, const void *b)
{
    const struct ec_weight *x = a, *y = b;
    int i, order = (int)x->in_network - (int)y->in_network;

    for (i = 0; i < EC_RANK_MAX; i++)
        if (x->d[i] != y->d[i])
            return x->d[i] < y->d[i] ? 1 : -1;
    return order ? order : strcmp(x->name, y->name);
}

/* Of one shape: those of the checkpoint before those of the network. */
static enum ec_status note_shape(struct ec_weights *w, const struct ec_weight *k, int ours,
                                 int theirs, struct ec_err *err)
{
    const struct ec_weight *more = ours > theirs ? k : k + ours;
    struct ec_buf names = EC_BUF_INIT;
    enum ec_status st;
    char shape[128];
    int i;

    for (i = 0; i < (ours > theirs ? ours : theirs); i++)
        if (!i || !ec_str_eq(more[i].name, more[i - 1].name))
            ec_buf_printf(&names, "%s %s", i ? "," : "", more[i].name);
    st = ec_strs_add(
        &w->notes, &w->arena, err, "%s: %d in the checkpoint, %d in the network%s:%.300s",
        ec_shape_text(&k->t->shape, shape, sizeof shape), ours, theirs,
        ours + theirs == 3 && ours && theirs ? " (tied in one of both)" : "", ec_buf_text(&names));
    ec_buf_clear(&names);
    return st;
}

static enum ec_status note_shapes(struct ec_weights *w, struct ec_weight *k, int n,
                                  struct ec_err *err)
{
    int i, end, ours, found = 0;

    qsort(k, (size_t)n, sizeof *k, by_shape);
    for (i = 0; i < n; i = end) {
        for (ours = 0, end = i; end < n && !memcmp(k[end].d, k[i].d, sizeof k[i].d); end++)
            ours += !k[end].in_network;
        if (2 * ours != end - i && found++ < NOTES_MAX)
            EC_PASS(note_shape(w, k + i, ours, end - i - ours, err));
    }
    if (found > NOTES_MAX)
        EC_PASS(ec_strs_add(&w->notes, &w->arena, err, "%d further shapes", found - NOTES_MAX));
    return EC_OK;
}

enum ec_status ec_weights_compare(struct ec_weights *w, const struct ec_graph *g,
                                  struct ec_err *err)
{
    size_t n_values = (size_t)g->n_values + 1;
    struct ec_weight *k = ec_arena_alloc(&w->arena, sizeof *k * ((size_t)w->n + n_values));
    struct ec_tensor *t = ec_arena_alloc(&w->arena, sizeof *t * n_values);
    double ours = 0, theirs = 0;
    int i, n = w->n;
    char a[32], b[32];

    EC_PASS(ec_allocated(k && t, err));
    memcpy(k, w->v, sizeof *k * (size_t)n);
    for (i = 0; i < w->n_groups; i++)
        ours += w->groups[i].elems;
    for (i = 0; i < g->n_values; i++) {
        const struct ec_value *v = g->values[i];

        if (v->kind != EC_V_PARAM)
            continue;
        t[i] = (struct ec_tensor){ .name = v->name, .shape = v->type.shape };
        theirs += elems_of(&t[i]);
        EC_PASS(key_of(&t[i], true, &w->arena, &k[n++], err));
    }
    EC_PASS(ec_strs_add(&w->notes, &w->arena, err,
                        "config.json: %s parameters, the checkpoint has %s",
                        ec_fmt_thousands(a, sizeof a, (int64_t)theirs),
                        ours == theirs ? "as many" : ec_fmt_thousands(b, sizeof b, (int64_t)ours)));
    return note_shapes(w, k, n, err);
}
