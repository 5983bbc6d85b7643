/* Several tables as one: columns of one meaning, devices that only files are named after. */
#include "leaks.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "fit/grid_internal.h"

#define FOLDER "/tmp/ec-test-grid-read"
#define T4 FOLDER "/grid_t4.csv"
#define A100 FOLDER "/grid.csv"
#define NOTHING FOLDER "/nothing.csv"

static void write_text(const char *path, const char *text)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path, text, strlen(text), &err));
}

static void write_tables(void)
{
    (void)mkdir(FOLDER, 0777);
    write_text(T4, "depth,base_filters,batch_size,time_per_epoch\n2,32,64,10\n3,32,64,15\n");
    write_text(A100, "device,Depth,Base Filters,Batch,epoch_time_s,note\n"
                     "a100-sxm4-40gb,4,64,128,2.5,\"x,y\"\n");
    write_text(NOTHING, "a,b\n1\n");
}

static const char *cell(const struct ec_csv *c, int row, const char *name)
{
    return ec_csv_cell(c, row, ec_csv_col(c, name));
}

TEST(columns_of_one_meaning_stand_under_each_other)
{
    const char *more[] = { A100 };
    const struct ec_grid_opts o = {
        .table = T4, .more = {.v = more, .n = 1},
             .device = ""
    };
    struct ec_csv c = { 0 };
    struct ec_err err = { 0 };

    write_tables();
    CHECK_OK(ec__grid_read(&o, &c, &err));
    CHECK_INT(c.n_rows, 3);
    CHECK_INT(c.n_cols, 7);
    CHECK_STR(cell(&c, 1, "table"), T4);
    CHECK_STR(cell(&c, 1, "device"), "t4"); /* of the file's name */
    CHECK_STR(cell(&c, 1, "depth"), "3");
    CHECK_STR(cell(&c, 1, "note"), "");
    CHECK_INT(c.lines[1], 3);
    CHECK_STR(cell(&c, 2, "table"), A100);
    CHECK_STR(cell(&c, 2, "device"), "a100-sxm4-40gb");
    CHECK_STR(cell(&c, 2, "base_filters"), "64");
    CHECK_STR(cell(&c, 2, "time_per_epoch"), "2.5");
    CHECK_STR(cell(&c, 2, "note"), "x,y");
    CHECK_INT(c.lines[2], 2); /* of its own file */
    ec_csv_clear(&c);
}

TEST(a_table_of_a_folder_that_cannot_be_used_is_named)
{
    struct ec_grid_opts o = { .table = FOLDER, .device = "" };
    const char *more[] = { NOTHING };
    struct ec_arena a = { 0 };
    struct ec_said said = { .arena = &a };
    struct ec__grid g = { 0 };
    struct ec_err err = { 0 };

    o.said = &said;
    write_tables();
    CHECK_OK(ec__grid_read(&o, &g.csv, &err));
    CHECK_INT(g.csv.n_rows, 3);
    CHECK_INT(said.left_out.texts.n, 1);
    CHECK_STR(said.left_out.paths.v[0], NOTHING);
    CHECK_HAS(said.left_out.texts.v[0], "line 2");
    ec__grid_clear(&g);

    o.table = T4; /* one that is named is an error */
    o.more = (struct ec_strs){ .v = more, .n = 1 };
    CHECK_INT(ec__grid_read(&o, &g.csv, &err), EC_E_PARSE);
    CHECK_HAS(err.text, NOTHING ": line 2");
    ec_arena_clear(&a);
}

TEST(tables_with_more_columns_than_one_fit_takes_are_refused)
{
    struct ec_buf wide = EC_BUF_INIT;
    const char *more[] = { A100 };
    const struct ec_grid_opts o = {
        .table = FOLDER "/wide.csv", .more = {.v = more, .n = 1},
              .device = ""
    };
    struct ec_csv c = { 0 };
    struct ec_err err = { 0 };
    int i;

    write_tables();
    for (i = 0; i < 1001; i++)
        ec_buf_printf(&wide, "%sc%d", i ? "," : "", i);
    for (i = 0; i < 1001; i++)
        ec_buf_str(&wide, i ? ",1" : "\n1");
    CHECK_OK(ec_file_write(FOLDER "/wide.csv", wide.data, wide.len, &err));
    CHECK_INT(ec__grid_read(&o, &c, &err), EC_E_INPUT);
    CHECK_HAS(err.text, "column c1000 is one more than the 1000");
    ec_buf_clear(&wide);
    CHECK(unlink(FOLDER "/wide.csv") == 0);
}
