/* Downloads a file by libcurl, which is opened at run time; continues an earlier download. */
#include "dataset/fetch_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct curl; /* opaque handle */

/* What curl/curl.h defines: its numbers are part of the binary interface of libcurl.so.4. */
enum {
    OPT_WRITEDATA = 10001,
    OPT_URL = 10002,
    OPT_ERRORBUFFER = 10010,
    OPT_USERAGENT = 10018,
    OPT_XFERINFODATA = 10057,
    OPT_PROTOCOLS_STR = 10318,
    OPT_REDIR_PROTOCOLS_STR = 10319,
    OPT_WRITEFUNCTION = 20011,
    OPT_XFERINFOFUNCTION = 20219,
    OPT_RESUME_FROM_LARGE = 30116,
    OPT_LOW_SPEED_LIMIT = 19,
    OPT_LOW_SPEED_TIME = 20,
    OPT_NOPROGRESS = 43,
    OPT_FAILONERROR = 45,
    OPT_FOLLOWLOCATION = 52,
    OPT_MAXREDIRS = 68,
    OPT_CONNECTTIMEOUT = 78,
    OPT_NOSIGNAL = 99,
    INFO_RESPONSE_CODE = 0x200002,
    GLOBAL_ALL = 3,
    ERROR_TEXT_BYTES = 256,
};
enum {
    RC_OK = 0,
    RC_COULDNT_RESOLVE_PROXY = 5,
    RC_COULDNT_RESOLVE_HOST = 6,
    RC_COULDNT_CONNECT = 7,
    RC_HTTP_RETURNED_ERROR = 22,
    RC_RANGE_ERROR = 33,
    RC_BAD_DOWNLOAD_RESUME = 36,
};

struct curl_calls {
    EC_LIBCURL(EC_FOREIGN_MEMBER)
};

static enum ec_status open_curl(struct curl_calls *c, struct ec_err *err)
{
    static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", NULL };
    static const char *const symbols[] = { EC_LIBCURL(EC_FOREIGN_SYMBOL) NULL };

    EC_PASS(ec_dynlib_open(names, "libcurl4", "downloading", symbols, &c->global_init, err));
    if (c->global_init(GLOBAL_ALL) != RC_OK)
        return ec_fail(err, EC_E_UNSUPPORTED, "libcurl cannot be started");
    return EC_OK;
}

#define FILE_URL "file://"
#define CONNECT_TIMEOUT_S 30L
#define STALLED_AFTER_S 60L
#define REDIRECTS_MAX 10L

struct transfer {
    FILE *to;
    const struct ec_fetch_opts *opts;
    const char *name;
    int64_t start_bytes, got_bytes, max_bytes;
    bool too_long, disk_failed;
};

static size_t take(char *data, size_t one, size_t n, void *arg)
{
    struct transfer *t = arg;
    size_t len = one * n;

    t->too_long = (int64_t)len > t->max_bytes - t->start_bytes - t->got_bytes;
    if (t->too_long)
        return 0;
    t->disk_failed = fwrite(data, 1, len, t->to) != len;
    if (t->disk_failed)
        return 0;
    t->got_bytes += (int64_t)len;
    return len;
}

static int tell(void *arg, int64_t total, int64_t got, int64_t up_total, int64_t up)
{
    const struct transfer *t = arg;

    (void)up_total;
    (void)up;
    if (t->opts->progress)
        t->opts->progress(t->opts->arg, t->name, t->start_bytes + got,
                          total ? t->start_bytes + total : 0);
    return 0;
}

static void set_options(const struct curl_calls *call, struct curl *c, const char *url,
                        struct transfer *t, char *why)
{
    (void)call->easy_setopt(c, OPT_URL, url);
    (void)call->easy_setopt(c, OPT_ERRORBUFFER, why);
    (void)call->easy_setopt(c, OPT_FOLLOWLOCATION, 1L);
    (void)call->easy_setopt(c, OPT_MAXREDIRS, REDIRECTS_MAX);
    (void)call->easy_setopt(c, OPT_PROTOCOLS_STR, "http,https,file");
    (void)call->easy_setopt(c, OPT_REDIR_PROTOCOLS_STR,
                            ec_str_starts(url, "https:") ? "https" : "http,https");
    (void)call->easy_setopt(c, OPT_FAILONERROR, 1L);
    (void)call->easy_setopt(c, OPT_NOSIGNAL, 1L);
    (void)call->easy_setopt(c, OPT_CONNECTTIMEOUT, CONNECT_TIMEOUT_S);
    (void)call->easy_setopt(c, OPT_LOW_SPEED_LIMIT, 1L);
    (void)call->easy_setopt(c, OPT_LOW_SPEED_TIME, STALLED_AFTER_S);
    (void)call->easy_setopt(c, OPT_USERAGENT, "epochcast/" EC_VERSION);
    (void)call->easy_setopt(c, OPT_WRITEFUNCTION, take);
    (void)call->easy_setopt(c, OPT_WRITEDATA, t);
    (void)call->easy_setopt(c, OPT_XFERINFOFUNCTION, tell);
    (void)call->easy_setopt(c, OPT_XFERINFODATA, t);
    (void)call->easy_setopt(c, OPT_NOPROGRESS, t->opts->progress ? 0L : 1L);
    (void)call->easy_setopt(c, OPT_RESUME_FROM_LARGE, (int64_t)t->start_bytes);
}

static enum ec_status explain(const struct transfer *t, int rc, long http, const char *url,
                              const char *why, struct ec_err *err)
{
    int64_t all_bytes = t->start_bytes + t->got_bytes;

    if (t->disk_failed)
        return ec_fail(err, EC_E_IO, "%s: cannot write: %s", t->name, strerror(errno));
    if (t->too_long)
        return ec_fail(err, EC_E_PARSE, "%s: has more than the %lld bytes that were expected", url,
                       (long long)t->max_bytes);
    if (rc == RC_COULDNT_RESOLVE_HOST || rc == RC_COULDNT_CONNECT || rc == RC_COULDNT_RESOLVE_PROXY)
        return ec_fail(err, EC_E_IO,
                       "%s: no connection (%s); without a network, copy the files from a machine "
                       "that has one, or name a mirror by --url",
                       url, why);
    if (rc == RC_HTTP_RETURNED_ERROR)
        return ec_fail(err, EC_E_IO, "%s: the server answers %ld", url, http);
    return ec_fail(err, EC_E_IO, "%s: %s after %lld bytes; call again to continue", url, why,
                   (long long)all_bytes);
}

/* One attempt. *ret_restart: the server does not support ranges, or its file is shorter than ours.
 * */
static enum ec_status attempt(const struct curl_calls *call, const char *url, struct transfer *t,
                              bool *ret_restart, struct ec_err *err)
{
    char why[ERROR_TEXT_BYTES] = "";
    enum ec_status st = EC_OK;
    struct curl *c = call->easy_init();
    long http = 0;
    int rc;

    EC_PASS(ec_allocated(c, err));
    set_options(call, c, url, t, why);
    rc = call->easy_perform(c);
    (void)call->easy_getinfo(c, INFO_RESPONSE_CODE, &http);
    *ret_restart =
        t->start_bytes && (rc == RC_RANGE_ERROR || rc == RC_BAD_DOWNLOAD_RESUME || http == 416);
    if (rc != RC_OK)
        st = explain(t, rc, http, url, *why ? why : call->easy_strerror(rc), err);
    call->easy_cleanup(c);
    return st;
}

enum ec_status ec__download(const char *url, const char *path, int64_t max_bytes,
                            const struct ec_fetch_opts *opts, const char *name, struct ec_err *err)
{
    struct transfer t = { .opts = opts, .name = name, .max_bytes = max_bytes };
    struct curl_calls call = { 0 };
    enum ec_status st;
    bool restart = false;
    struct stat info;

    if (ec_str_starts(url, FILE_URL)) {
        EC_PASS(ec_file_check(url + strlen(FILE_URL), err));
    }
    t.start_bytes = stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
    if (t.start_bytes == max_bytes)
        return EC_OK; /* complete already: the checksum decides */
    EC_PASS(open_curl(&call, err));
    do {
        if (restart || t.start_bytes > max_bytes)
            t.start_bytes = 0;
        t.got_bytes = 0;
        t.to = fopen(path, t.start_bytes ? "ab" : "wb");
        if (!t.to)
            return ec_fail(err, EC_E_IO, "%s: cannot write: %s", path, strerror(errno));
        st = attempt(&call, url, &t, &restart, err);
        if (fclose(t.to) && !st)
            st = ec_fail(err, EC_E_IO, "%s: cannot write: %s", path, strerror(errno));
    } while (st && restart);
    return st;
}
