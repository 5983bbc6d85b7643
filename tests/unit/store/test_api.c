/* The store as programs outside see it. */
#include "store_test.h"

static const char table[] = "device,op,rows_b,cols_h,split,time_ms\n"
                            "T4,relu,4096,1024,x,1.5\n"
                            "T4,softmax,64,1024,x,0.25\n";

static struct ec_store *filled(const char *name, int64_t *ret_added, int64_t *ret_known)
{
    char path[128], csv[128];
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };

    (void)store_file(name, path, sizeof path);
    (void)store_file("table.csv", csv, sizeof csv);
    write_text(csv, table);
    CHECK_OK(ec_store_open(path, 0, &s, &err));
    CHECK_OK(ec_store_import_file(s, csv, NULL, ret_added, ret_known, &err));
    return s;
}

TEST(rows_come_back_as_they_were_imported)
{
    struct ec_store_row row = { .struct_size = sizeof row };
    struct ec_store_rows *rows = NULL;
    struct ec_err err = { 0 };
    int64_t added = 0, known = 0;
    struct ec_store *s = filled("one.sqlite", &added, &known);

    CHECK_INT(added, 2);
    CHECK_INT(known, 0);
    CHECK_OK(ec_store_find(s, "t*", "softmax", NULL, &rows, &err));
    CHECK_OK(ec_store_read(rows, &row, &err));
    CHECK(row.id > 0 && !row.is_network);
    CHECK_STR(row.what, "softmax x=64x1024");
    CHECK_STR(row.outcome, "ok");
    CHECK_NEAR(row.time_ns, 0.25e6, 1e-12);
    CHECK_OK(ec_store_read(rows, &row, &err));
    CHECK_INT(row.id, 0);
    ec_store_rows_free(rows);
    ec_store_close(s);
    s = filled("one.sqlite", &added, &known);
    CHECK_INT(added, 0);
    CHECK_INT(known, 2);
    ec_store_close(s);
    store_remove_all();
}

TEST(stores_merge)
{
    struct ec_err err = { 0 };
    int64_t added = 0;
    struct ec_store *one = filled("one.sqlite", NULL, NULL), *two = NULL;
    char path[128];

    ec_store_close(one);
    (void)store_file("two.sqlite", path, sizeof path);
    CHECK_OK(ec_store_open(path, 0, &two, &err));
    (void)store_file("one.sqlite", path, sizeof path);
    CHECK_OK(ec_store_merge_file(two, path, &added, NULL, &err));
    CHECK_INT(added, 2);
    ec_store_close(two);
    store_remove_all();
}

TEST(a_row_says_its_size)
{
    struct ec_store_row row = { 0 };
    struct ec_store_rows *rows = NULL;
    struct ec_err err = { 0 };
    struct ec_store *s = filled("one.sqlite", NULL, NULL);

    CHECK_OK(ec_store_find(s, NULL, NULL, NULL, &rows, &err));
    CHECK_INT(ec_store_read(rows, &row, &err), EC_E_INPUT);
    CHECK_HAS(err.text, "struct_size");
    row.struct_size = offsetof(struct ec_store_row, source); /* of an older program */
    CHECK_OK(ec_store_read(rows, &row, &err));
    CHECK(row.id > 0 && row.source == NULL && row.time_ns == 0);
    ec_store_rows_free(rows);
    ec_store_close(s);
    store_remove_all();
}
