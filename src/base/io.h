/* Files, CSV, JSON, clock and random numbers. */
#ifndef EC_BASE_IO_H
#define EC_BASE_IO_H

#include "base/err.h"
#include "base/field.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>

/* A file mapped read-only (small files and pipes are read). data is not NUL-terminated. */
struct ec_file {
    const unsigned char *data;
    size_t len;
    void *map;   /* NULL when read */
    void *owned; /* NULL when mapped */
};

/* Errors: NOT_FOUND, IO (no file: a directory, pipe, device ...; unreadable; larger than max_bytes;
 * 0 is no bound). "-", /dev/stdin and /dev/fd/N read what is open, up to 1 GiB whatever the bound.
 */
enum ec_status ec_file_open(const char *path, size_t max_bytes, struct ec_file *ret,
                            struct ec_err *err) EC_MUST_CHECK;
void ec_file_close(struct ec_file *f);
/* Write to a temporary name beside `path`, flush to disk, rename. /dev/stdout, /dev/fd/N and
 * character devices: as they are; pipes and sockets are refused. */
enum ec_status ec_file_write(const char *path, const void *data, size_t len,
                             struct ec_err *err) EC_MUST_CHECK;
/* The same of a text that was collected, which is cleared. Errors: the text's own too */
static inline enum ec_status ec_file_put(const char *path, struct ec_buf *text, struct ec_err *err)
{
    enum ec_status st = ec_buf_status(text, err);

    if (!st)
        st = ec_file_write(path, text->data, text->len, err);
    ec_buf_clear(text);
    return st;
}

/* Checks whether a file or a directory could be written there, without writing, so that long work
 * does not fail at its end. Errors: NOT_FOUND, IO. */
enum ec_status ec_file_can_write(const char *path, bool is_dir, struct ec_err *err) EC_MUST_CHECK;

/* Files below a folder, three levels deep, whose names match the pattern (or several joined by
 * '|'), in the order of their
 * names; hidden ones are passed over. A path that is no folder is itself the list, whatever its
 * name. ret is appended to. Errors: IO, NOMEM */
enum ec_status ec_files_find(const char *path, const char *pattern, struct ec_arena *a,
                             struct ec_strs *ret, bool *ret_is_folder,
                             struct ec_err *err) EC_MUST_CHECK;

/* CSV, RFC 4180: quoted cells, CRLF, embedded newlines. The whole table is held. Where no comma
 * stands in the header, tabs or semicolons separate the cells; with semicolons the comma is the
 * decimal sign, and the cell "73,1" is held as "73.1". */
struct ec_csv {
    int n_cols, n_rows;
    const char **names; /* n_cols */
    const char **cells; /* n_rows x n_cols, row-major; "" when empty; never NULL */
    int *lines;         /* n_rows: the line of the file in which the row begins, from 1 */
    const char *note;   /* what its reader has to say of the file; NULL: nothing */
    struct ec_arena arena;
};

/* Errors: PARSE with line number for ragged rows, a missing header, unbalanced quotes. */
enum ec_status ec_csv_parse(const char *text, size_t len, struct ec_csv *ret,
                            struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_csv_read(const char *path, struct ec_csv *ret, struct ec_err *err) EC_MUST_CHECK;
void ec_csv_clear(struct ec_csv *c);
int ec_csv_col(const struct ec_csv *c, const char *name); /* -1 when absent */
/* Appends a column of empty cells; its index, *ret_col, is the last. Errors: NOMEM */
enum ec_status ec_csv_add_col(struct ec_csv *c, const char *name, int *ret_col,
                              struct ec_err *err) EC_MUST_CHECK;
const char *ec_csv_cell(const struct ec_csv *c, int row, int col); /* "" when col < 0 */
/* The same by the column's name; as a number, 0 where it is none. */
const char *ec_csv_text(const struct ec_csv *c, int row, const char *name);
double ec_csv_number(const struct ec_csv *c, int row, const char *name);
/* text lives as long as the table; nothing is done when col < 0. */
void ec_csv_set(struct ec_csv *c, int row, int col, const char *text);
/* One cell for writing: quoted only when it must be. */
void ec_csv_put(struct ec_buf *out, const char *cell);

/* JSON writer; it adds commas and indentation. indent 0 writes one line. */
struct ec_json {
    struct ec_buf *out;
    int indent, depth;
    bool need_comma;
};

void ec_json_begin(struct ec_json *j, struct ec_buf *out, int indent);
/* An object that says what it is, which ec_json_end closes, with a line's end. */
void ec_json_document(struct ec_json *j, struct ec_buf *out, int indent, const char *schema);
void ec_json_end(struct ec_json *j);
void ec_json_open(struct ec_json *j, const char *key, char bracket); /* '{' or '['; key NULL */
void ec_json_close(struct ec_json *j, char bracket);                 /* '}' or ']' */
void ec_json_str(struct ec_json *j, const char *key, const char *v); /* NULL writes null */
void ec_json_strs(struct ec_json *j, const char *key, const char *const *v, int n); /* an array */
void ec_json_int(struct ec_json *j, const char *key, int64_t v);
void ec_json_num(struct ec_json *j, const char *key, double v); /* not finite: null */
/* ec_nine_digits of it, for what is predicted. */
void ec_json_num9(struct ec_json *j, const char *key, double v);
void ec_json_bool(struct ec_json *j, const char *key, bool v);
void ec_json_null(struct ec_json *j, const char *key);
void ec_json_quote(struct ec_buf *out, const char *text);

/* JSON reader: a tree in an arena. Depth at most 64; duplicate keys and invalid UTF-8 refused. */
enum ec_jtype { EC_J_NULL, EC_J_BOOL, EC_J_NUM, EC_J_STR, EC_J_ARRAY, EC_J_OBJECT };

struct ec_jval {
    enum ec_jtype type;
    bool b, is_int;
    double num;
    int64_t i;       /* valid when is_int */
    const char *str; /* EC_J_STR */
    const char *key; /* inside an object */
    struct ec_jval *child, *next;
    int n; /* children */
};

/* Errors: PARSE with line and column. */
enum ec_status ec_json_parse(const char *text, size_t len, struct ec_arena *a,
                             const struct ec_jval **ret, struct ec_err *err) EC_MUST_CHECK;
const struct ec_jval *ec_json_get(const struct ec_jval *obj, const char *key); /* NULL: absent */

int64_t ec_clock_ns(void); /* monotonic */
/* Runs job(ctx, i) for each i below n on several threads: what each gives must not depend on how
 * many there are. */
void ec_each(int n_threads, int n, void (*job)(void *ctx, int i), void *ctx);

/* Processor time of the calling thread; does not advance while other threads run. */
int64_t ec_thread_clock_ns(void);

/* What this thread computes has to be done by this time of ec_clock_ns, 0: whenever: networks that
 * are built and predictions fail when it is over. */
void ec_compute_until(int64_t until_ns);
int64_t ec_compute_end_ns(void);
/* Errors: UNSTABLE, the time is over */
enum ec_status ec_compute_check(struct ec_err *err) EC_MUST_CHECK;

/* The time of day in UTC, 2026-01-31T23:59:59Z. */
const char *ec_utc_now(char *out, size_t size);

#define EC_SHA256_TEXT_BYTES 65
/* Lower-case hexadecimal digest, NUL-terminated. */
void ec_sha256(const void *data, size_t len, char out[EC_SHA256_TEXT_BYTES]);

/* SplitMix64-seeded xoshiro256**; a seed gives the same numbers everywhere. */
struct ec_rng {
    uint64_t s[4];
};
void ec_rng_seed(struct ec_rng *r, uint64_t seed);
uint64_t ec_rng_next(struct ec_rng *r);
double ec_rng_unit(struct ec_rng *r);                           /* [0, 1) */
int64_t ec_rng_range(struct ec_rng *r, int64_t lo, int64_t hi); /* lo..hi inclusive */
void ec_rng_shuffle(struct ec_rng *r, int *v, int n);

#endif
