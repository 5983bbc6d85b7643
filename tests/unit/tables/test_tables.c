/* The list of public tables: every use of it reads, every mapping that it names ships. */
#include "test.h"

#include "tables/tables.h"

static void check_use(const char *use, int least)
{
    struct ec_table_use *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const char *text = NULL;
    size_t len = 0;
    int n = 0, i;

    CHECK_OK(ec_table_uses(use, &a, &v, &n, &err));
    CHECK(n >= least);
    for (i = 0; i < n; i++) {
        CHECK(ec_str_glob("*/*.csv", v[i].table));
        if (v[i].mapping)
            CHECK_OK(ec_mapping_text(v[i].mapping, &a, &text, &len, &err));
    }
    ec_arena_clear(&a);
}

TEST(every_use_has_its_tables)
{
    check_use("fit", 30);
    check_use("accuracy", 20);
    check_use("families", 4);
    check_use("nature", 23);
    check_use("nothing", 0);
}

TEST(rows_of_a_use_say_what_they_are)
{
    struct ec_table_use *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int n = 0, i, own = 0, unsteady = 0;

    CHECK_OK(ec_table_uses("fit", &a, &v, &n, &err));
    for (i = 0; i < n; i++) {
        CHECK(v[i].learned_rows >= 1);
        own += v[i].own;
        unsteady += v[i].unsteady;
    }
    CHECK(own > 0 && own < n && unsteady > 0 && unsteady < own);
    CHECK_OK(ec_table_uses("accuracy", &a, &v, &n, &err));
    for (i = 0; i < n; i++)
        CHECK(ec_str_eq(v[i].part, "operators") || ec_str_eq(v[i].part, "networks"));
    ec_arena_clear(&a);
}
