/* The public tables, where they are at hand: EPOCHCAST_DATA names their folder. All of them are
 * imported, how long that took is told, and a second time adds nothing. */
#include "store_test.h"

#include <glob.h>

static void import_tables(struct ec_store *s, const glob_t *files, struct ec_store_counts *sum)
{
    struct ec_store_counts c;
    struct ec_err err = { 0 };
    size_t i;

    memset(sum, 0, sizeof *sum);
    for (i = 0; i < files->gl_pathc; i++) {
        memset(&c, 0, sizeof c);
        CHECK_OK(ec_store_import(s, files->gl_pathv[i], NULL, &c, &err));
        sum->rows += c.rows;
        sum->added += c.added;
        sum->known += c.known;
        sum->skipped += c.skipped;
        sum->left_out += c.left_out;
    }
}

TEST(every_table_is_imported)
{
    const char *dir = getenv("EPOCHCAST_DATA");
    struct ec_store_counts first, second;
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    char pattern[512], path[96];
    glob_t files;
    int64_t start = ec_clock_ns();

    if (!dir) {
        (void)printf("skipped: import of all public tables: EPOCHCAST_DATA is not set\n");
        return;
    }
    (void)snprintf(pattern, sizeof pattern, "%s/*/*.csv", dir);
    CHECK_INT(glob(pattern, 0, NULL, &files), 0);
    CHECK_OK(ec_store_open(store_file("all", path, sizeof path), 0, &s, &err));
    import_tables(s, &files, &first);
    (void)printf("imported all public tables in %.1f s\n", (double)(ec_clock_ns() - start) * 1e-9);
    import_tables(s, &files, &second);
    CHECK(first.rows > 0 && first.added + first.known >= first.rows / 2);
    CHECK_INT(first.skipped, 0);
    CHECK_INT(first.left_out, 0);
    CHECK_INT(second.added, 0);
    ec_store_close(s);
    globfree(&files);
    store_remove_all();
}
