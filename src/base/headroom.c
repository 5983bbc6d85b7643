/* Reads limits of memory from setrlimit, /proc and /sys. Text of the system is input: a number that
 * cannot be read sets no limit. */
#include "base/headroom.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIB 1024
#define PATH_BYTES 4096
#define TEXT_BYTES 8192

/* The file's text up to TEXT_BYTES, trimmed; empty when it cannot be read. */
static struct ec_span read_text(const char *root, const char *path, char text[TEXT_BYTES])
{
    char full[PATH_BYTES];
    size_t len = 0;
    ssize_t n = 1;
    int fd;

    if (snprintf(full, sizeof full, "%s%s", root, path) >= (int)sizeof full)
        return (struct ec_span){ text, 0 };
    fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return (struct ec_span){ text, 0 };
    while (len < TEXT_BYTES && n) {
        n = read(fd, text + len, TEXT_BYTES - len);
        if (n < 0 && errno != EINTR)
            break;
        len += n > 0 ? (size_t)n : 0;
    }
    (void)close(fd);
    return ec_span_trim((struct ec_span){ text, len });
}

static void tighten(struct ec_headroom *r, const char *name, int64_t limit_bytes,
                    int64_t left_bytes)
{
    if (r->limit && left_bytes >= r->left_bytes)
        return;
    r->limit = name;
    r->limit_bytes = limit_bytes;
    r->left_bytes = left_bytes > 0 ? left_bytes : 0;
}

/* --- setrlimit --- */

/* A number of /proc/self/statm by its place, in bytes; 0: not known. */
static int64_t statm(int place)
{
    char text[TEXT_BYTES];
    struct ec_span rest = read_text("", "/proc/self/statm", text), word = { NULL, 0 };
    int64_t pages = 0;
    int i;

    for (i = 0; i <= place; i++)
        if (!ec_span_cut(&rest, ' ', &word))
            return 0;
    return ec_parse_int(word, &pages) ? pages * sysconf(_SC_PAGESIZE) : 0;
}

int64_t ec_resident_bytes(void)
{
    return statm(1);
}

/* place: of what the limit counts, in statm */
static void by_rlimit(struct ec_headroom *r, const struct rlimit *l, int place, const char *name)
{
    if (l->rlim_cur != RLIM_INFINITY && l->rlim_cur <= INT64_MAX)
        tighten(r, name, (int64_t)l->rlim_cur, (int64_t)l->rlim_cur - statm(place));
}

static void by_rlimits(struct ec_headroom *r)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_AS, &l) == 0)
        by_rlimit(r, &l, 0, "the limit of address space (ulimit -v)");
    if (getrlimit(RLIMIT_DATA, &l) == 0)
        by_rlimit(r, &l, 5, "the limit of data (ulimit -d)");
}

/* --- Groups of processes, and the machine --- */

/* The numbers of lines "key number [kB]" or "key: number" whose key is one of the list, added. */
static int64_t sum_lines(struct ec_span rest, char sep, const char *const *keys)
{
    struct ec_span line, key, number;
    int64_t sum = 0, n;
    int i;

    while (ec_span_cut(&rest, '\n', &line)) {
        if (!ec_span_cut(&line, sep, &key))
            continue;
        line = ec_span_trim(line);
        for (i = 0; keys[i]; i++)
            if (ec_span_eq(key, keys[i]) && ec_span_cut(&line, ' ', &number) &&
                ec_parse_int(number, &n) && n > 0 && ec_add_i64(sum, n, &n))
                sum = n;
    }
    return sum;
}

static bool read_number(const char *root, const char *folder, const char *name, int64_t *ret)
{
    char path[PATH_BYTES], text[TEXT_BYTES];

    return snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, name) < (int)sizeof path &&
           ec_parse_int(read_text(root, path, text), ret);
}

/* Pages of files are given up when memory is short, and count as left. */
static void by_group(const char *root, const char *folder, struct ec_headroom *r)
{
    static const char *const files[] = { "inactive_file", "active_file", NULL };
    char path[PATH_BYTES], text[TEXT_BYTES];
    int64_t max, now, given_up = 0;

    if (!read_number(root, folder, "memory.max", &max) || max <= 0 ||
        !read_number(root, folder, "memory.current", &now))
        return;
    if (snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.stat", folder) < (int)sizeof path)
        given_up = sum_lines(read_text(root, path, text), ' ', files);
    tighten(r, "the limit of its group of processes (cgroup)", max,
            max - now + (given_up < now ? given_up : now));
}

/* From the group of this process, "0::/a/b", up to the root. */
static void by_groups(const char *root, struct ec_headroom *r)
{
    char text[TEXT_BYTES], folder[PATH_BYTES], *slash;
    struct ec_span rest = read_text(root, "/proc/self/cgroup", text), line;

    while (ec_span_cut(&rest, '\n', &line)) {
        if (line.len < 4 || memcmp(line.p, "0::/", 4) != 0 || line.len >= sizeof folder)
            continue;
        memcpy(folder, line.p + 3, line.len - 3);
        folder[line.len - 3] = '\0';
        while ((slash = strrchr(folder, '/'))) {
            if (slash[1])
                by_group(root, folder, r);
            *slash = '\0';
        }
    }
    by_group(root, "", r);
}

static void by_machine(const char *root, struct ec_headroom *r)
{
    static const char *const all[] = { "MemTotal", "SwapTotal", NULL };
    static const char *const left[] = { "MemAvailable", "SwapFree", NULL };
    static const char *const available[] = { "MemAvailable", NULL };
    char text[TEXT_BYTES];
    struct ec_span info = read_text(root, "/proc/meminfo", text);

    if (sum_lines(info, ':', available) > 0)
        tighten(r, "this machine's memory", sum_lines(info, ':', all) * KIB,
                sum_lines(info, ':', left) * KIB);
}

void ec_headroom_find(const char *root, struct ec_headroom *ret)
{
    struct ec_headroom r = { 0 };

    if (!root[0])
        by_rlimits(&r);
    by_groups(root, &r);
    by_machine(root, &r);
    *ret = r;
}

/* --- Questions --- */

static enum ec_status holds(const struct ec_headroom *r, const char *what, int64_t bytes,
                            struct ec_err *err)
{
    char want[32], left[32], limit[32];

    if (!r->limit || bytes <= r->left_bytes)
        return EC_OK;
    return ec_fail(err, EC_E_DEVICE_MEMORY, "%s needs %s of memory, but %s are left of %s, %s",
                   what,
                   ec_fmt_bytes_apart(want, sizeof want, (double)bytes, (double)r->left_bytes),
                   ec_fmt_bytes_apart(left, sizeof left, (double)r->left_bytes, (double)bytes),
                   ec_fmt_bytes(limit, sizeof limit, (double)r->limit_bytes), r->limit);
}

enum ec_status ec_headroom_check(const char *what, int64_t bytes, struct ec_err *err)
{
    struct ec_headroom r;

    ec_headroom_find("", &r);
    return holds(&r, what, bytes, err);
}

enum ec_status ec_headroom_spare(const char *what, int64_t bytes, struct ec_err *err)
{
    struct ec_headroom r = { 0 };

    by_rlimits(&r);
    return holds(&r, what, bytes, err);
}
