/* Appending lines to a table. */
#include "measure/csv_log.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 1 << 30 };

struct ec_csv_log {
    int fd;
    char *path;
};

static enum ec_status io_fail(const struct ec_csv_log *l, const char *doing, struct ec_err *err)
{
    return ec_fail(err, EC_E_IO, "%s: %s: %s", l->path, doing, strerror(errno));
}

/* Writes all bytes or none: if the disk is full, the written part is removed. */
enum ec_status ec_csv_log_append(struct ec_csv_log *l, const struct ec_buf *lines, bool flush,
                                 struct ec_err *err)
{
    off_t end = lseek(l->fd, 0, SEEK_END);
    enum ec_status st = ec_buf_status(lines, err);
    size_t done = 0;

    while (!st && done < lines->len) {
        ssize_t n = write(l->fd, lines->data + done, lines->len - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            st = io_fail(l, "cannot write the row", err);
        else
            done += (size_t)n;
    }
    if (!st && flush && fsync(l->fd) && errno != EINVAL && errno != EROFS)
        st = io_fail(l, "cannot flush the row", err);
    if (st && end >= 0 && ftruncate(l->fd, end))
        st = io_fail(l, "cannot take back half a row", err);
    return st;
}

static enum ec_status write_header(struct ec_csv_log *l, const char *header, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    ec_buf_printf(&text, "%s\n", header);
    st = ec_csv_log_append(l, &text, true, err);
    ec_buf_clear(&text);
    return st;
}

static enum ec_status check_columns(const struct ec_csv_log *l, const char *header,
                                    const struct ec_csv *csv, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(header), name;
    int i;

    while (rest.p && ec_span_cut(&rest, ',', &name)) {
        for (i = 0; i < csv->n_cols && !ec_span_eq(name, csv->names[i]); i++)
            ;
        if (i == csv->n_cols)
            return ec_fail(err, EC_E_PARSE, "%s: no column \"%.*s\": the file holds another table",
                           l->path, (int)name.len, name.p);
    }
    return EC_OK;
}

/* Of a device or a pipe nothing is there to be taken up. */
static bool is_file(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

/* Reads the existing file; an incomplete last line is removed. */
static enum ec_status take_up(struct ec_csv_log *l, const char *header, struct ec_csv *csv,
                              struct ec_err *err)
{
    struct ec_file file = { 0 };
    enum ec_status st;
    size_t len;

    EC_TRY(ec_file_open(l->path, FILE_MAX_BYTES, &file, err));
    for (len = file.len; len && file.data[len - 1] != '\n'; len--)
        ;
    if (len < file.len && ftruncate(l->fd, (off_t)len)) {
        st = io_fail(l, "cannot cut off a torn row", err);
        goto out;
    }
    if (!len) {
        st = write_header(l, header, err);
        goto out;
    }
    EC_TRY(ec_within(err, ec_csv_parse((const char *)file.data, len, csv, err), "%s: ", l->path));
    EC_TRY(check_columns(l, header, csv, err));
out:
    ec_file_close(&file);
    return st;
}

enum ec_status ec_csv_log_open(const char *path, const char *header, int wait_ms,
                               struct ec_csv_log **ret, struct ec_csv *ret_rows, struct ec_err *err)
{
    struct ec_csv_log *l = ec_alloc(sizeof *l);
    struct ec_buf copy = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(ec_allocated(l, err));
    ec_buf_str(&copy, path);
    l->fd = -1;
    l->path = copy.data;
    EC_TRY(ec_buf_status(&copy, err));
    EC_TRY(ec_file_open_append(path, wait_ms, &l->fd, err));
    EC_TRY(is_file(l->fd) ? take_up(l, header, &csv, err) : write_header(l, header, err));
    *ret = l;
    l = NULL;
    if (ret_rows) {
        *ret_rows = csv;
        memset(&csv, 0, sizeof csv);
    }
out:
    ec_csv_clear(&csv);
    ec_csv_log_close(l);
    return st;
}

void ec_csv_log_close(struct ec_csv_log *l)
{
    if (!l)
        return;
    if (l->fd >= 0)
        (void)close(l->fd);
    ec_free(l->path);
    ec_free(l);
}

enum ec_status ec_csv_log_cut(struct ec_csv_log *l, const char *prefix, struct ec_err *err)
{
    size_t n = strlen(prefix), end, start;
    struct ec_file file = { 0 };
    enum ec_status st;

    if (!is_file(l->fd))
        return EC_OK;
    EC_TRY(ec_file_open(l->path, FILE_MAX_BYTES, &file, err));
    for (end = file.len; end; end = start) {
        for (start = end - 1; start && file.data[start - 1] != '\n'; start--)
            ;
        if (end - start < n || memcmp(file.data + start, prefix, n) != 0)
            break;
    }
    if (end < file.len && ftruncate(l->fd, (off_t)end))
        st = io_fail(l, "cannot take back an unfinished run", err);
out:
    ec_file_close(&file);
    return st;
}
