/* Stores that are damaged, by chance or by somebody: every question ends, with an answer or with a
 * sentence. */
#include "store_test.h"

#include <fcntl.h>
#include <sqlite3.h>

#define ROWS 600
#define LEVELS 9
#define FLIPS 80

static void fill(const char *path)
{
    struct ec_source source = { .key = "a", .name = "made up", .licence = "none" };
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    int64_t source_id = 0, id = 0;
    int i;

    CHECK_OK(ec_store_open(path, 0, &s, &err));
    CHECK_OK(ec_store_add_source(s, &source, &source_id, &err));
    CHECK_OK(ec_store_begin(s, &err));
    for (i = 0; i < ROWS; i++) {
        struct ec_record r = record_of("relu x=64", i, 5 + i);

        CHECK_OK(ec_store_add(s, source_id, 0, &r, &id, NULL, &err));
    }
    CHECK_OK(ec_store_commit(s, &err));
    ec_store_close(s);
}

/* Everything that reads a store; returns the first failure. */
static enum ec_status read_all(const char *path, struct ec_err *err)
{
    struct ec_store_source_row *sources = NULL;
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    struct ec_sample *samples = NULL;
    struct ec_arena a = { 0 };
    struct ec_store *s = NULL;
    struct ec_store_check c;
    enum ec_status st;
    int n = 0;

    EC_TRY(ec_store_open(path, EC_STORE_READ, &s, err));
    EC_TRY(ec_store_select(s, NULL, &rows, err));
    do {
        EC_TRY(ec_store_next(rows, &row, err));
        if (row)
            EC_TRY(ec_store_samples(s, row->id, &a, &samples, &n, err));
        ec_free(samples);
        samples = NULL;
    } while (row);
    EC_TRY(ec_store_sources(s, &a, &sources, &n, err));
    EC_TRY(ec_store_check(s, false, &c, err));
out:
    ec_free(sources);
    ec_store_rows_free(rows);
    ec_arena_clear(&a);
    ec_store_close(s);
    return st;
}

static int64_t ask(const char *path, const char *sql)
{
    sqlite3_stmt *q = NULL;
    sqlite3 *db = NULL;
    int64_t v = -1;

    CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
    if (sqlite3_step(q) == SQLITE_ROW)
        v = sqlite3_column_int64(q, 0);
    (void)sqlite3_finalize(q);
    (void)sqlite3_close(db);
    return v;
}

static void put_number(unsigned char *to, int64_t page)
{
    int i;

    for (i = 0; i < 4; i++)
        to[i] = (unsigned char)(page >> (24 - 8 * i));
}

/* All children of an interior page are one page: it has as many copies of its rows as children. */
static void lead_to(unsigned char *page, int64_t child)
{
    int i, n = page[3] << 8 | page[4];

    CHECK_INT(page[0], 5); /* interior page of a table */
    for (i = 0; i < n; i++)
        put_number(page + (page[12 + 2 * i] << 8 | page[13 + 2 * i]), child);
    put_number(page + 8, child);
}

/* The tree of measurements gets more levels, each of which multiplies the rows of the one below:
 * some hundred kilobytes with more rows than a computer counts in its life. */
static void multiply_rows(const char *path)
{
    int64_t root = ask(path, "SELECT rootpage FROM sqlite_schema WHERE name = 'measurement'"),
            size = ask(path, "PRAGMA page_size"), last = ask(path, "PRAGMA page_count"), leaf;
    unsigned char *page = ec_alloc((size_t)size), pages[4];
    int fd = open(path, O_RDWR), i, cell;

    CHECK(page && fd >= 0);
    if (!page || fd < 0)
        return;
    CHECK_INT(pread(fd, page, (size_t)size, (off_t)((root - 1) * size)), size);
    cell = page[12] << 8 | page[13];
    leaf = (int64_t)page[cell] << 24 | page[cell + 1] << 16 | page[cell + 2] << 8 | page[cell + 3];
    for (i = 0; i < LEVELS; i++) {
        lead_to(page, i < LEVELS - 1 ? last + i + 1 : leaf);
        CHECK_INT(pwrite(fd, page, (size_t)size, (off_t)(((i ? last + i : root) - 1) * size)),
                  size);
    }
    put_number(pages, last + LEVELS - 1);
    CHECK_INT(pwrite(fd, pages, sizeof pages, 28), sizeof pages); /* pages of the file */
    ec_free(page);
    (void)close(fd);
}

TEST(rows_without_end_have_an_end)
{
    struct ec_store_source_row *sources = NULL;
    struct ec_arena a = { 0 };
    struct ec_store *s = NULL, *to = NULL;
    struct ec_store_counts counts;
    struct ec_store_check c;
    struct ec_err err = { 0 };
    char path[96], other[96];
    int n = 0;

    fill(store_file("circle", path, sizeof path));
    CHECK_OK(read_all(path, &err));
    multiply_rows(path);
    (void)alarm(100);
    CHECK_FAILS(read_all(path, &err), EC_E_STORE, "more rows than a file of its size");
    CHECK_OK(ec_store_open(path, EC_STORE_READ, &s, &err));
    CHECK_FAILS(ec_store_sources(s, &a, &sources, &n, &err), EC_E_STORE, "cannot read");
    CHECK_FAILS(ec_store_check(s, false, &c, &err), EC_E_STORE, "damaged");
    ec_store_close(s);
    CHECK_OK(ec_store_open(store_file("target", other, sizeof other), 0, &to, &err));
    CHECK_FAILS(ec_store_merge(to, path, &counts, &err), EC_E_STORE, "far more steps");
    ec_store_close(to);
    (void)alarm(0);
    ec_arena_clear(&a);
}

TEST(flipped_bytes_crash_nobody)
{
    struct ec_file whole = { 0 };
    struct ec_err err = { 0 };
    char path[96], torn[96];
    struct ec_rng rng;
    int i, k, n_refused = 0;

    ec_rng_seed(&rng, 19);
    fill(store_file("whole", path, sizeof path));
    CHECK_OK(ec_file_open(path, 0, &whole, &err));
    (void)store_file("torn", torn, sizeof torn);
    for (i = 0; i < FLIPS; i++) {
        unsigned char *copy = ec_alloc(whole.len);

        if (!copy)
            break;
        memcpy(copy, whole.data, whole.len);
        for (k = i % 8; k >= 0; k--) /* the head of the file, or anywhere */
            copy[ec_rng_range(&rng, 0, i % 3 ? (int64_t)whole.len - 1 : 8191)] ^=
                (unsigned char)(1 << ec_rng_range(&rng, 0, 7));
        CHECK_OK(ec_file_write(torn, copy, i % 5 ? whole.len : whole.len / 2, &err));
        ec_free(copy);
        err.text[0] = '\0';
        if (read_all(torn, &err)) {
            n_refused++;
            CHECK(*err.text);
        }
    }
    CHECK(n_refused > FLIPS / 10);
    ec_file_close(&whole);
}

TEST(leaves_nothing_behind)
{
    store_remove_all();
}
