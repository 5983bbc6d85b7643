/* Versions of CUDA, cuDNN and PyTorch, from files below any root, so that recorded machines can be
 * read in tests: no library is needed, and Python is not started. Names and files of a system are
 * input: a version has a few harmless characters, or it is none. */
#include "hw/probe_internal.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)4 << 20) /* cuda.h is 1 MB */
enum { VERSION_MAX = 48 };

#define TOOLKIT "/usr/local/cuda"

/* Where libraries are, below the root. */
static const char *const library_dirs[] = { TOOLKIT "/lib64", TOOLKIT "/lib",
                                            "/usr/lib/x86_64-linux-gnu",
                                            "/usr/lib/aarch64-linux-gnu", "/usr/lib64" };
/* Where Python has its folder python3.x with packages. */
static const char *const python_dirs[] = { "/usr/local/lib", "/opt/conda/lib", "/usr/lib" };
static const char *const package_dirs[] = { "site-packages", "dist-packages" };

struct versions {
    const char *root;
    bool out_of_memory; /* sticky */
    char cuda[VERSION_MAX], cudnn[VERSION_MAX], torch[VERSION_MAX];
};

static bool is_version(struct ec_span s)
{
    size_t i;

    for (i = 0; i < s.len; i++)
        if (!strchr("0123456789abcdefghijklmnopqrstuvwxyz.+-_", s.p[i]) || !s.p[i])
            return false;
    return s.len && s.len < VERSION_MAX && s.p[0] >= '0' && s.p[0] <= '9';
}

/* The first place that says it counts. */
static void found(char ret[VERSION_MAX], struct ec_span version)
{
    if (!*ret && is_version(version))
        (void)snprintf(ret, VERSION_MAX, "%.*s", (int)version.len, version.p);
}

static void found_numbers(char ret[VERSION_MAX], int64_t major, int64_t minor, int64_t patch)
{
    char text[VERSION_MAX] = "";

    if (patch >= 0)
        (void)snprintf(text, sizeof text, "%" PRId64 ".%" PRId64 ".%" PRId64, major, minor, patch);
    else
        (void)snprintf(text, sizeof text, "%" PRId64 ".%" PRId64, major, minor);
    found(ret, ec_span_of(text));
}

/* --- Files --- */

static bool works(struct versions *v, enum ec_status st)
{
    v->out_of_memory |= st == EC_E_NOMEM;
    return st == EC_OK;
}

/* Absent and unreadable files are the normal case: the version stays unknown. */
static bool open_below(struct versions *v, const char *path, struct ec_file *f)
{
    struct ec_buf full = EC_BUF_INIT;
    bool ok;

    ec_buf_printf(&full, "%s%s", v->root, path);
    ok = works(v, ec_buf_status(&full, NULL)) &&
         works(v, ec_file_open(full.data, FILE_MAX_BYTES, f, NULL));
    ec_buf_clear(&full);
    return ok;
}

/* {"cuda": {"name": "CUDA SDK", "version": "12.4.1"}} */
static void read_version_json(struct versions *v)
{
    struct ec_file f = { 0 };
    struct ec_arena a = { 0 };
    const struct ec_jval *root = NULL, *version;

    if (!open_below(v, TOOLKIT "/version.json", &f))
        return;
    if (works(v, ec_json_parse((const char *)f.data, f.len, &a, &root, NULL))) {
        version = ec_json_get(ec_json_get(root, "cuda"), "version");
        if (version && version->str)
            found(v->cuda, ec_span_of(version->str));
    }
    ec_arena_clear(&a);
    ec_file_close(&f);
}

/* "CUDA Version 10.1.243" */
static void read_version_txt(struct versions *v)
{
    static const char before[] = "CUDA Version ";
    struct ec_file f = { 0 };
    struct ec_span rest, line;

    if (!open_below(v, TOOLKIT "/version.txt", &f))
        return;
    rest = (struct ec_span){ (const char *)f.data, f.len };
    if (ec_span_cut(&rest, '\n', &line) && line.len >= sizeof before &&
        !memcmp(line.p, before, sizeof before - 1))
        found(v->cuda, ec_span_trim((struct ec_span){ line.p + sizeof before - 1,
                                                      line.len - (sizeof before - 1) }));
    ec_file_close(&f);
}

/* The number of "#define NAME number"; -1: none. */
static int64_t defined(const struct ec_file *f, const char *name)
{
    struct ec_span rest = { (const char *)f->data, f->len }, line, word;
    int64_t v = -1;

    while (rest.p && ec_span_cut(&rest, '\n', &line)) {
        line = ec_span_trim(line);
        if (!ec_span_cut(&line, ' ', &word) || !ec_span_eq(word, "#define"))
            continue;
        line = ec_span_trim(line);
        if (ec_span_cut(&line, ' ', &word) && ec_span_eq(word, name) &&
            ec_parse_int(ec_span_trim(line), &v))
            return v;
    }
    return -1;
}

/* CUDA_VERSION 12040 is 12.4. */
static void read_headers(struct versions *v)
{
    static const char *const cudnn[] = { TOOLKIT "/include/cudnn_version.h",
                                         "/usr/include/cudnn_version.h" };
    struct ec_file f = { 0 };
    int64_t n;
    int i;

    if (!*v->cuda && open_below(v, TOOLKIT "/include/cuda.h", &f)) {
        n = defined(&f, "CUDA_VERSION");
        if (n > 0)
            found_numbers(v->cuda, n / 1000, n % 1000 / 10, -1);
        ec_file_close(&f);
    }
    for (i = 0; i < EC_LEN(cudnn); i++) {
        if (!open_below(v, cudnn[i], &f))
            continue;
        n = defined(&f, "CUDNN_MAJOR");
        if (n > 0)
            found_numbers(v->cudnn, n, defined(&f, "CUDNN_MINOR"), defined(&f, "CUDNN_PATCHLEVEL"));
        ec_file_close(&f);
    }
}

/* --- Names in folders --- */

typedef void (*name_fn)(struct versions *v, const char *dir, const char *name);

static void each_name(struct versions *v, const char *dir, name_fn fn)
{
    struct ec_buf full = EC_BUF_INIT;
    const struct dirent *e;
    DIR *d = NULL;

    ec_buf_printf(&full, "%s%s", v->root, dir);
    if (works(v, ec_buf_status(&full, NULL)))
        d = opendir(full.data);
    while (d && (e = readdir(d)) != NULL)
        fn(v, dir, e->d_name);
    if (d)
        (void)closedir(d);
    ec_buf_clear(&full);
}

/* What stands between; nothing: the name is another. */
static struct ec_span between(const char *name, const char *before, const char *after)
{
    size_t n = strlen(name), b = strlen(before), a = strlen(after);
    struct ec_span none = { NULL, 0 };

    if (n <= b + a || memcmp(name, before, b) != 0 || memcmp(name + n - a, after, a) != 0)
        return none;
    return (struct ec_span){ name + b, n - b - a };
}

/* libcudnn.so.8.9.2: a version with its minor number. */
static void library_name(struct versions *v, const char *dir, const char *name)
{
    struct ec_span cudart = between(name, "libcudart.so.", ""),
                   cudnn = between(name, "libcudnn.so.", "");

    (void)dir;
    if (cudart.len && memchr(cudart.p, '.', cudart.len))
        found(v->cuda, cudart);
    if (cudnn.len && memchr(cudnn.p, '.', cudnn.len))
        found(v->cudnn, cudnn);
}

/* nvidia_cudnn_cu12-8.9.2.26.dist-info: the version behind the last '-'. */
static struct ec_span behind_dash(struct ec_span s)
{
    size_t i;

    if (!s.len)
        return s;
    for (i = s.len; i && s.p[i - 1] != '-'; i--)
        ;
    return (struct ec_span){ s.p + i, s.len - i };
}

static void package_name(struct versions *v, const char *dir, const char *name)
{
    (void)dir;
    found(v->torch, between(name, "torch-", ".dist-info"));
    found(v->torch, between(name, "torch-", ".egg-info"));
    found(v->cuda, behind_dash(between(name, "nvidia_cuda_runtime_cu", ".dist-info")));
    found(v->cudnn, behind_dash(between(name, "nvidia_cudnn_cu", ".dist-info")));
}

static void read_packages(struct versions *v, const char *python)
{
    char path[512];
    int i;

    for (i = 0; i < EC_LEN(package_dirs); i++)
        if (snprintf(path, sizeof path, "%s/%s", python, package_dirs[i]) < (int)sizeof path)
            each_name(v, path, package_name);
}

static void python_name(struct versions *v, const char *dir, const char *name)
{
    char path[384];

    if (!strncmp(name, "python3", 7) &&
        snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path)
        read_packages(v, path);
}

/* The environment that a person is in comes before the system's Python. */
static void read_python(struct versions *v)
{
    static const char *const own[] = { "VIRTUAL_ENV", "CONDA_PREFIX", "HOME" };
    static const char *const below[] = { "/lib", "/lib", "/.local/lib" };
    char path[320];
    int i;

    for (i = 0; i < EC_LEN(own) && !*v->root; i++) {
        const char *prefix = getenv(own[i]);

        if (prefix && *prefix == '/' &&
            snprintf(path, sizeof path, "%s%s", prefix, below[i]) < (int)sizeof path)
            each_name(v, path, python_name);
    }
    for (i = 0; i < EC_LEN(python_dirs); i++)
        each_name(v, python_dirs[i], python_name);
}

/* --- Libraries of the loader's path --- */

static void *symbol_of(const char *const *names, const char *symbol, void **ret_lib)
{
    *ret_lib = NULL;
    for (; *names && !*ret_lib; names++)
        *ret_lib = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
    return *ret_lib ? dlsym(*ret_lib, symbol) : NULL;
}

void ec__library_versions(const char *const *cudart, const char *const *cudnn,
                          struct ec_lib_versions *ret)
{
    int (*runtime)(int *) = NULL;
    size_t (*cudnn_version)(void) = NULL;
    void *lib, *p = symbol_of(cudart, "cudaRuntimeGetVersion", &lib);
    int n = 0;

    memset(ret, 0, sizeof *ret);
    memcpy(&runtime, &p, sizeof runtime);
    if (runtime && !runtime(&n) && n > 0) /* 12040 is 12.4 */
        ret->cuda = n;
    if (lib)
        (void)dlclose(lib);
    p = symbol_of(cudnn, "cudnnGetVersion", &lib);
    memcpy(&cudnn_version, &p, sizeof cudnn_version);
    if (cudnn_version && cudnn_version() < INT32_MAX)
        ret->cudnn = (int)cudnn_version();
    if (lib)
        (void)dlclose(lib);
}

/* 8902 is 8.9.2, from 9 on 90100 is 9.1.0. */
static void read_libraries(struct versions *v)
{
    static const char *const cudart[] = { "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0",
                                          "libcudart.so", NULL };
    static const char *const cudnn[] = { "libcudnn.so.9", "libcudnn.so.8", "libcudnn.so.7", NULL };
    static const char *const none[] = { NULL };
    struct ec_lib_versions l;
    int major;

    ec__library_versions(*v->cuda ? none : cudart, *v->cudnn ? none : cudnn, &l);
    if (l.cuda)
        found_numbers(v->cuda, l.cuda / 1000, l.cuda % 1000 / 10, -1);
    major = l.cudnn >= 90000 ? 10000 : 1000;
    if (l.cudnn)
        found_numbers(v->cudnn, l.cudnn / major, l.cudnn % major / 100, l.cudnn % 100);
}

enum ec_status ec__add_lib(struct ec_machine *m, const char *name, const char *version,
                           struct ec_err *err)
{
    struct ec_lib_info *lib = &m->libs[m->n_libs];

    if (m->n_libs == EC_LIBS_MAX || !*version)
        return EC_OK;
    lib->name = name;
    lib->version = ec_arena_str(&m->arena, version);
    EC_PASS(ec_allocated(lib->version, err));
    m->n_libs++;
    return EC_OK;
}

enum ec_status ec__probe_versions(const char *root, struct ec_machine *m, struct ec_err *err)
{
    struct versions v = { .root = root };
    int i;

    read_version_json(&v);
    read_version_txt(&v);
    read_headers(&v);
    for (i = 0; i < EC_LEN(library_dirs); i++)
        each_name(&v, library_dirs[i], library_name);
    read_python(&v);
    if (!*root)
        read_libraries(&v);
    if (v.out_of_memory)
        return ec_nomem(err);
    EC_PASS(ec__add_lib(m, "CUDA", v.cuda, err));
    EC_PASS(ec__add_lib(m, "cuDNN", v.cudnn, err));
    return ec__add_lib(m, "PyTorch", v.torch, err);
}
