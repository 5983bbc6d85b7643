/* Every allocation failing once: ours, and SQLite's through the same hook. What is left must be
 * freed, and the answer be NOMEM or success. */
#include "store_test.h"

#include <sqlite3.h>

/* SQLite asks for the size of what it has: it stands in front. */
#define HEAD_BYTES 16

static void *hooked_alloc(int n)
{
    char *p = ec_alloc((size_t)n + HEAD_BYTES);

    if (!p)
        return NULL;
    memcpy(p, &n, sizeof n);
    return p + HEAD_BYTES;
}

static void hooked_free(void *p)
{
    if (p)
        ec_free((char *)p - HEAD_BYTES);
}

static void *hooked_realloc(void *p, int n)
{
    char *grown = ec_realloc((char *)p - HEAD_BYTES, (size_t)n + HEAD_BYTES);

    if (!grown)
        return NULL;
    memcpy(grown, &n, sizeof n);
    return grown + HEAD_BYTES;
}

static int hooked_size(void *p)
{
    int n = 0;

    if (p)
        memcpy(&n, (char *)p - HEAD_BYTES, sizeof n);
    return n;
}

static int round_up(int n)
{
    return (n + 7) & ~7;
}

static int hooked_init(void *unused)
{
    (void)unused;
    return SQLITE_OK;
}

static void hooked_shutdown(void *unused)
{
    (void)unused;
}

static char table_path[96], export_path[96];

static enum ec_status read_all(struct ec_store *s, struct ec_err *err)
{
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_store_select(s, &(struct ec_store_query){ .device = "*" }, &rows, err));
    EC_TRY(ec_store_next(rows, &row, err));
    while (row) {
        EC_TRY(ec_export_row(s, row, EC_EXPORT_JSON_LINES, &out, err));
        EC_TRY(ec_store_next(rows, &row, err));
    }
out:
    ec_store_rows_free(rows);
    ec_buf_clear(&out);
    return st;
}

static enum ec_status everything(struct ec_err *err)
{
    struct ec_store_source_row *sources = NULL;
    struct ec_store_counts c;
    struct ec_store_check check;
    struct ec_store *s = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st;
    int n = 0;

    EC_TRY(ec_store_open(":memory:", 0, &s, err));
    EC_TRY(ec_store_import(s, table_path, NULL, &c, err));
    EC_TRY(ec_store_import(s, export_path, NULL, &c, err));
    EC_TRY(ec_store_check(s, true, &check, err));
    EC_TRY(ec_store_sources(s, &a, &sources, &n, err));
    EC_TRY(read_all(s, err));
out:
    ec_free(sources);
    ec_arena_clear(&a);
    ec_store_close(s);
    return st;
}

TEST(files)
{
    static const char table[] = "env,device,model,batch_size,iteration,time_ms\n"
                                "lab,t4,resnet18,32,0,9\nlab,t4,resnet18,32,1,3\n";
    static const char export[] =
        "{\"source_key\":\"a\",\"reading\":\"r\",\"outcome\":\"ok\",\"kind\":\"operator\",\"what\":"
        "\"relu x=8\",\"device\":\"t4\",\"mode\":\"forward\",\"time_ns\":5,\"extra\":{\"x\":[1,"
        "null]},\"machine\":{\"y\":true},\"samples\":[[0,5,null,\"\"]]}\n";

    write_text(store_file("table", table_path, sizeof table_path), table);
    write_text(store_file("export", export_path, sizeof export_path), export);
}

TEST(our_allocations)
{
    CHECK_TORTURE(everything);
}

/* SQLite does without some of its memory: success is an answer too. Every allocation of the first
 * few hundred, then some of them, for time. */
TEST(allocations_of_sqlite)
{
    static const sqlite3_mem_methods hooked = { hooked_alloc,    hooked_free, hooked_realloc,
                                                hooked_size,     round_up,    hooked_init,
                                                hooked_shutdown, NULL };
    int64_t n, left = 0;

    (void)sqlite3_shutdown();
    CHECK_INT(sqlite3_config(SQLITE_CONFIG_MALLOC, &hooked), SQLITE_OK);
    for (n = 1; !left; n += n < 300 ? 1 : 17) {
        struct ec_err err = { 0 };
        enum ec_status st;

        (void)ec_alloc_fail_after(n);
        st = everything(&err);
        left = ec_alloc_fail_after(0);
        if (st && st != EC_E_NOMEM) {
            test_fail(__FILE__, __LINE__, "allocation %lld: %s", (long long)n, err.text);
            break;
        }
    }
}

TEST(leaves_nothing_behind)
{
    (void)sqlite3_shutdown();
    store_remove_all();
}
