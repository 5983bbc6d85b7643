/* In place of an operating system, where a page is the host: files are what it handed over by name,
 * nothing is written, and no library is opened. */
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/headroom.h"
#include "base/module.h"
#include "base/sandbox.h"

struct held {
    char *name;
    void *data;
    size_t len;
};
static struct held *g_held;
static int g_n, g_cap;

static struct held *find(const char *name)
{
    int i;

    for (i = 0; i < g_n; i++)
        if (ec_str_eq(g_held[i].name, name))
            return &g_held[i];
    return NULL;
}

enum ec_status ec_file_hold(const char *name, void *data, size_t len, struct ec_err *err)
{
    struct held *h = find(name);
    size_t size = strlen(name) + 1;
    enum ec_status st = EC_OK;

    if (!h) {
        st = ec_grow(&g_held, &g_cap, g_n + 1, sizeof *g_held, err);
        if (st)
            return st;
        h = &g_held[g_n];
        *h = (struct held){ .name = ec_alloc(size) };
        if (!h->name)
            return ec_nomem(err);
        memcpy(h->name, name, size);
        g_n++;
    }
    ec_free(h->data);
    h->data = data;
    h->len = len;
    return EC_OK;
}

enum ec_status ec_file_open(const char *path, size_t max_bytes, struct ec_file *ret,
                            struct ec_err *err)
{
    const struct held *h = find(path);

    if (!h)
        return ec_fail(err, EC_E_NOT_FOUND, "%s: no such file was given to the page", path);
    if (max_bytes && h->len > max_bytes)
        return ec_fail(err, EC_E_IO, "%s: has %zu bytes, at most %zu are read", path, h->len,
                       max_bytes);
    *ret = (struct ec_file){ .data = h->data, .len = h->len };
    return EC_OK;
}

enum ec_status ec_file_open_kernel(const char *path, size_t max_bytes, struct ec_file *ret,
                                   struct ec_err *err)
{
    return ec_file_open(path, max_bytes, ret, err);
}

void ec_file_close(struct ec_file *f)
{
    if (f)
        *f = (struct ec_file){ 0 };
}

static enum ec_status refuse(const char *path, struct ec_err *err)
{
    return ec_fail(err, EC_E_UNSUPPORTED, "%s: a page opens no files of the machine", path);
}

int ec_file_descriptor(const char *path)
{
    (void)path;
    return -1;
}

enum ec_status ec_file_open_read(const char *path, int *ret_fd, int64_t *ret_bytes,
                                 struct ec_err *err)
{
    (void)ret_fd, (void)ret_bytes;
    return refuse(path, err);
}

enum ec_status ec_file_can_write(const char *path, bool is_dir, struct ec_err *err)
{
    (void)is_dir;
    return refuse(path, err);
}

enum ec_status ec_file_write(const char *path, const void *data, size_t len, struct ec_err *err)
{
    (void)data, (void)len;
    return refuse(path, err);
}

enum ec_status ec_dynlib_open(const char *const *names, const char *package, const char *what,
                              void **ret, struct ec_err *err)
{
    (void)package, (void)ret;
    return ec_fail(err, EC_E_UNSUPPORTED, "%s needs %s, which a page has not", what, names[0]);
}

enum ec_status ec_dynlib_symbol(void *lib, const char *name, void *to, struct ec_err *err)
{
    (void)lib, (void)to;
    return ec_fail(err, EC_E_UNSUPPORTED, "a page has no library with %s", name);
}

void ec_foreign_begin(const char *name)
{
    (void)name;
}

void ec_foreign_end(void)
{
}

enum ec_status ec_headroom_spare(const char *what, int64_t bytes, struct ec_err *err)
{
    (void)what, (void)bytes, (void)err;
    return EC_OK;
}

/* WebAssembly has nothing to give up: it sees its own memory alone. */
enum ec_status ec_sandbox_enter(const struct ec_sandbox_opts *o, unsigned *ret_parts,
                                struct ec_err *err)
{
    (void)o, (void)err;
    if (ret_parts)
        *ret_parts = 0;
    return EC_OK;
}
