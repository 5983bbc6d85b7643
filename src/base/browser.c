/* In place of an operating system, where a page is the host: files are what it handed over by name,
 * nothing is written, and no library is opened. */
#include "base/held.h"

#include <stdlib.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/headroom.h"
#include "base/module.h"
#include "base/sandbox.h"

enum ec_status ec_file_open(const char *path, size_t max_bytes, struct ec_file *ret,
                            struct ec_err *err)
{
    enum ec_status st = ec__file_held(path, max_bytes, ret, err);

    return st == EC_E_NOT_FOUND ? ec_fail(err, st, "%s: no such file was given to the page", path)
                                : st;
}

enum ec_status ec_file_open_kernel(const char *path, size_t max_bytes, struct ec_file *ret,
                                   struct ec_err *err)
{
    return ec_file_open(path, max_bytes, ret, err);
}

void ec_file_close(struct ec_file *f)
{
    if (!f)
        return;
    ec_free(f->owned);
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

bool ec_is_folder(const char *path)
{
    (void)path;
    return false;
}

enum ec_status ec_files_find(const char *path, const char *pattern, struct ec_arena *a,
                             struct ec_strs *ret, bool *ret_is_folder, struct ec_err *err)
{
    (void)pattern, (void)a, (void)ret, (void)ret_is_folder;
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

const char *ec_dynlib_take(void *lib, const char *const *symbols, void *to)
{
    (void)lib, (void)to;
    return symbols[0];
}

enum ec_status ec_dynlib_open(const char *const *names, const char *package, const char *what,
                              const char *const *symbols, void *to, struct ec_err *err)
{
    (void)package, (void)symbols, (void)to;
    return ec_fail(err, EC_E_UNSUPPORTED, "%s needs %s, which a page has not", what, names[0]);
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
