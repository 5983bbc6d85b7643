/* Downloading a data set: each file is completed in `name.part`, checked, unpacked into `name.new`,
 * and that folder is renamed to `name` when nothing is missing. */
#include "dataset/fetch_internal.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset/samples.h"

#define UNKNOWN_MAX_BYTES ((int64_t)64 << 30)
#define OPEN_FILES_MAX 16

struct job {
    const struct ec_fetch_set *set;
    const struct ec_fetch_opts *opts;
    char target[PATH_MAX], part[PATH_MAX], fresh[PATH_MAX];
    int64_t budget_bytes;
};

static enum ec_status join(char out[PATH_MAX], struct ec_err *err, const char *dir,
                           const char *name, const char *suffix)
{
    int n = snprintf(out, PATH_MAX, "%s/%s%s", dir, name, suffix);

    if (n < 0 || n >= PATH_MAX)
        return ec_fail(err, EC_E_INPUT, "%.60s...: path is too long", dir);
    return EC_OK;
}

static bool exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

static enum ec_status make_dirs(const char *path, struct ec_err *err)
{
    char work[PATH_MAX], *slash;
    int n = snprintf(work, sizeof work, "%s/", path);

    if (n < 0 || n >= (int)sizeof work)
        return ec_fail(err, EC_E_INPUT, "%.60s...: path is too long", path);
    for (slash = strchr(work + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(work, 0777) && errno != EEXIST)
            return ec_fail(err, EC_E_IO, "%s: cannot create the folder: %s", work, strerror(errno));
        *slash = '/';
    }
    return EC_OK;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info;
    (void)type;
    (void)at;
    return remove(path);
}

/* Folders that this file made, by the names it gives them. */
static enum ec_status remove_tree(const char *path, struct ec_err *err)
{
    if (exists(path) && nftw(path, remove_one, OPEN_FILES_MAX, FTW_DEPTH | FTW_PHYS))
        return ec_fail(err, EC_E_IO, "%s: cannot remove: %s", path, strerror(errno));
    return EC_OK;
}

static enum ec_status set_paths(struct job *j, struct ec_err *err)
{
    struct ec_buf home = EC_BUF_INIT;
    const char *dir = j->opts->dir;
    enum ec_status st = EC_OK;

    if (!dir) {
        EC_TRY(ec_samples_home(&home, err));
        dir = ec_buf_text(&home);
    }
    EC_TRY(join(j->target, err, dir, j->set->name, ""));
    EC_TRY(join(j->part, err, dir, j->set->name, ".part"));
    EC_TRY(join(j->fresh, err, dir, j->set->name, ".new"));
out:
    ec_buf_clear(&home);
    return st;
}

/* --- Checking --- */

/* MD5 can be forged, so it is used only if no SHA-256 is published. */
static bool has_sum(const struct ec_fetch_file *f, const char *md5, const char *sha256)
{
    if (f->sha256)
        return ec_str_eq(f->sha256, sha256);
    return f->md5 && ec_str_eq(f->md5, md5);
}

static enum ec_status sums_of(const struct ec_fetch_set *set, const struct ec_fetch_file *f,
                              const char *path, char md5[EC__MD5_TEXT_BYTES],
                              char sha256[EC_SHA256_TEXT_BYTES], struct ec_err *err)
{
    bool needs_sha256 = false;
    struct ec_file file = { 0 };
    enum ec_status st = ec_file_open(path, 0, &file, err);
    int i;

    for (i = 0; i < set->n_files; i++)
        needs_sha256 = needs_sha256 || set->files[i].sha256;
    EC_PASS(st);
    if (f->bytes && (int64_t)file.len != f->bytes) {
        st = ec_fail(err, EC_E_PARSE, "%s: %zu bytes, expected %lld", f->name, file.len,
                     (long long)f->bytes);
    } else {
        ec__md5(file.data, file.len, md5);
        if (needs_sha256)
            ec_sha256(file.data, file.len, sha256);
    }
    ec_file_close(&file);
    return st;
}

/* The row with the checksum of the file; another row than its own if the server has mixed up the
 * names. */
static enum ec_status check_file(const struct ec_fetch_set *set, const struct ec_fetch_file *f,
                                 const char *path, const struct ec_fetch_file **ret,
                                 struct ec_err *err)
{
    char md5[EC__MD5_TEXT_BYTES] = "", sha256[EC_SHA256_TEXT_BYTES] = "";
    int i;

    EC_PASS(sums_of(set, f, path, md5, sha256, err));
    *ret = f;
    if ((!f->md5 && !f->sha256) || has_sum(f, md5, sha256))
        return EC_OK;
    for (i = 0; i < set->n_files; i++)
        if (has_sum(&set->files[i], md5, sha256)) {
            *ret = &set->files[i];
            return EC_OK;
        }
    return ec_fail(err, EC_E_PARSE, "%s: checksum %s, expected %s (%s)", f->name,
                   f->sha256 ? sha256 : md5, f->sha256 ? f->sha256 : f->md5, set->checksums);
}

/* --- Files --- */

static enum ec_status download(const struct job *j, const struct ec_fetch_file *f, const char *path,
                               struct ec_err *err)
{
    int64_t max_bytes = f->bytes ? f->bytes : UNKNOWN_MAX_BYTES;
    const char *one[] = { j->opts->url, NULL }, *const *base = j->opts->url ? one : j->set->urls;
    enum ec_status st = EC_OK;
    char url[PATH_MAX];
    size_t len;

    for (; *base; base++) {
        len = strlen(*base);
        st = join(url, err, *base, f->name, "");
        if (!st && len && (*base)[len - 1] == '/')
            (void)snprintf(url, sizeof url, "%s%s", *base, f->name);
        if (!st)
            st = ec__download(url, path, max_bytes, j->opts, f->name, err);
        if (!st)
            break;
    }
    return st;
}

static enum ec_status unpack(struct job *j, const struct ec_fetch_file *f, const char *from,
                             struct ec_err *err)
{
    size_t len = strlen(f->name);
    char to[PATH_MAX];

    EC_PASS(join(to, err, j->fresh, f->name, ""));
    if (f->kind == EC_FETCH_TAR)
        return ec__unpack_tar(from, j->fresh, &j->budget_bytes, err);
    if (f->kind == EC_FETCH_GZIP && len > 3) {
        to[strlen(to) - 3] = '\0';
        return ec__unpack_gzip(from, to, &j->budget_bytes, err);
    }
    return rename(from, to) ? ec_fail(err, EC_E_IO, "%s: cannot rename: %s", from, strerror(errno))
                            : EC_OK;
}

/* Downloads and checks all files before unpacking the first, so that complete files are kept for
 * the next call. */
static enum ec_status get_all(struct job *j, struct ec_err *err)
{
    const struct ec_fetch_file *f, *as = NULL;
    enum ec_status st = EC_OK;
    char path[PATH_MAX];
    int i;

    for (i = 0; i < j->set->n_files; i++) {
        f = &j->set->files[i];
        EC_PASS(join(path, err, j->part, f->name, ""));
        EC_PASS(download(j, f, path, err));
        st = check_file(j->set, f, path, &as, err);
        if (st == EC_E_PARSE)
            (void)unlink(path); /* continuing with it would always fail */
        EC_PASS(st);
    }
    for (i = 0; i < j->set->n_files; i++) {
        f = &j->set->files[i];
        EC_PASS(join(path, err, j->part, f->name, ""));
        EC_PASS(check_file(j->set, f, path, &as, err));
        EC_PASS(unpack(j, as, path, err));
    }
    return st;
}

enum ec_status ec_fetch(const struct ec_fetch_set *set, const struct ec_fetch_opts *opts,
                        struct ec_buf *ret_path, bool *ret_already, struct ec_err *err)
{
    static const struct ec_fetch_opts none;
    struct job *j = ec_alloc(sizeof *j);
    enum ec_status st = EC_OK;
    int lock = -1;

    EC_TRY(ec_allocated(j, err));
    j->set = set;
    j->opts = opts ? opts : &none;
    j->budget_bytes = set->unpacked_bytes;
    EC_TRY(set_paths(j, err));
    ec_buf_str(ret_path, j->target);
    *ret_already = exists(j->target);
    if (*ret_already)
        goto out;
    EC_TRY(make_dirs(j->part, err));
    EC_TRY(ec_folder_lock(j->part, &lock, err));
    *ret_already = exists(j->target); /* another process may have ended just now */
    if (*ret_already)
        goto out;
    EC_TRY(remove_tree(j->fresh, err));
    EC_TRY(make_dirs(j->fresh, err));
    EC_TRY(get_all(j, err));
    if (rename(j->fresh, j->target))
        EC_TRY(ec_fail(err, EC_E_IO, "%s: cannot rename: %s", j->fresh, strerror(errno)));
    (void)remove_tree(j->part, NULL); /* a failure to remove it does no harm */
    st = ec_buf_status(ret_path, err);
out:
    if (st && lock >= 0)
        (void)remove_tree(j->fresh, NULL);
    if (lock >= 0)
        (void)close(lock);
    ec_free(j);
    return st;
}
