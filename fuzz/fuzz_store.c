/* A store: an SQLite file whose pages and schema say anything. It is read to its end, or refused; a
 * reader never changes it. Then it is opened as a writer does, which converts an older schema. */
#include "fuzz.h"

#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_MAX 1000 /* a row of a damaged file may name itself as its next */

static char folder[] = "/tmp/fuzz-store-XXXXXX";
static char path[sizeof folder + 8];

static void remove_all(void)
{
    static const char *const ends[] = { "", "-journal", "-wal", "-shm" };
    char name[sizeof path + 8];
    int i;

    for (i = 0; i < EC_LEN(ends); i++) {
        (void)snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)unlink(name);
    }
}

static void remove_folder(void)
{
    remove_all();
    (void)rmdir(folder);
}

static void write_file(const uint8_t *data, size_t size)
{
    FILE *f;

    if (!path[0]) {
        if (!mkdtemp(folder))
            abort();
        (void)snprintf(path, sizeof path, "%s/s.db", folder);
        (void)atexit(remove_folder);
    }
    remove_all();
    f = fopen(path, "we");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        abort();
}

static void check_same(const uint8_t *data, size_t size)
{
    struct ec_file f = { 0 };

    if (ec_file_open(path, size + 1, &f, NULL) || f.len != size || memcmp(f.data, data, size))
        __builtin_trap();
    ec_file_close(&f);
}

static void read_rows(struct ec_store *s, struct ec_store_rows *rows, struct ec_err *err)
{
    const struct ec_stored *row = NULL;
    struct ec_sample *samples = NULL;
    struct ec_buf line = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    int i, n = 0;

    for (i = 0; i < ROWS_MAX && !ec_store_next(rows, &row, err) && row; i++) {
        if (!ec_store_samples(s, row->id, &a, &samples, &n, err))
            ec_free(samples);
        (void)!ec_export_row(s, row, EC_EXPORT_JSON_LINES, &line, err);
        (void)!ec_export_row(s, row, EC_EXPORT_CSV, &line, err);
        ec_buf_reset(&line);
    }
    ec_buf_clear(&line);
    ec_arena_clear(&a);
}

static void read_all(struct ec_store *s)
{
    struct ec_store_source_row *sources = NULL;
    struct ec_err err = { .status = EC_OK };
    struct ec_store_rows *rows = NULL;
    struct ec_store_check found;
    struct ec_arena a = { 0 };
    int n = 0;

    if (!ec_store_select(s, NULL, &rows, &err))
        read_rows(s, rows, &err);
    ec_store_rows_free(rows);
    if (!ec_store_sources(s, &a, &sources, &n, &err))
        ec_free(sources);
    (void)!ec_store_check(s, false, &found, &err);
    ec_arena_clear(&a);
}

static void try_opening(unsigned flags)
{
    struct ec_err err = { .status = EC_OK };
    struct ec_store *s = NULL;

    if (ec_store_open(path, flags, &s, &err) == EC_OK)
        read_all(s);
    else if (!err.text[0])
        __builtin_trap();
    ec_store_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    write_file(data, size);
    try_opening(EC_STORE_READ);
    check_same(data, size);
    try_opening(EC_STORE_EXISTS);
    return 0;
}
