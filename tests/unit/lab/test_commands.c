/* The option tables of epochcast-lab, and what each of its commands says of tables that are not
 * there or too few. */
#include "lab/lab.h"

#define EC_TESTED ec_lab
#include "values.h"

#include <stdlib.h>
#include <unistd.h>

static enum ec_status run(const struct ec_cmd *cmd, const char *dir, struct ec_call *call,
                          struct ec_err *err)
{
    char word[8], *argv[] = { word };
    enum ec_status st;

    *call = (struct ec_call){ .cmd = cmd, .out = EC_BUF_INIT };
    (void)snprintf(word, sizeof word, "%s", dir ? dir : "");
    st = ec_args_parse(cmd, dir != NULL, argv, call, err);
    CHECK_INT(st, EC_OK);
    return st ? st : cmd->run(call, err);
}

TEST(every_command_asks_for_its_tables)
{
    struct ec_call call;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; command_at(i); i++) {
        CHECK_STR(command_at(i)->positional, "dir");
        CHECK_FAILS(run(command_at(i), NULL, &call, &err), EC_E_INPUT,
                    "no DIR: expected that of the public tables");
        CHECK(call.wrong_usage);
        ec_call_clear(&call);
    }
    CHECK(i >= 5);
}

/* In an empty folder, where the project's own measurements are not either. */
TEST(a_folder_without_tables_makes_nothing)
{
    char from[1024], dir[] = "/tmp/ec-test-lab-XXXXXX";
    struct ec_call call;
    struct ec_err err = { 0 };
    int i;

    if (!getcwd(from, sizeof from) || !mkdtemp(dir) || chdir(dir)) {
        test_fail(__FILE__, __LINE__, "no empty folder");
        return;
    }
    for (i = 0; command_at(i); i++) {
        if (run(command_at(i), ".", &call, &err) == EC_OK)
            test_fail(__FILE__, __LINE__, "%s of an empty folder is taken", command_at(i)->name);
        CHECK(strlen(err.text) > 10 && !call.wrong_usage);
        ec_call_clear(&call);
    }
    CHECK(chdir(from) == 0);
    CHECK(rmdir(dir) == 0); /* is empty still */
}

/* Whatever a command makes can be sent elsewhere, and is told beforehand where it cannot be. */
TEST(every_command_writes_to_a_place_of_choice)
{
    int i;

    for (i = 0; command_at(i); i++) {
        CHECK(is_listed(command_at(i)->writes, "out"));
        CHECK(field_of(command_at(i), ec_span_of("out"))->deflt != NULL);
    }
}

/* What ships is made one way: nothing of it can be chosen but where the files are. */
TEST(what_ships_has_no_choices)
{
    static const char *const chosen[] = { "seed", "max_rows", "iterations", "quick" };
    struct ec_fit_opts o = { 0 }, other = { .seed = 9, .max_rows = 10, .quick = true };
    const struct ec_cmd *ship = ec_cmd_find(&ec_lab, "ship"),
                        *physics = ec_cmd_find(&ec_lab, "physics");
    int i;

    for (i = 0; i < EC_LEN(chosen); i++) {
        CHECK(!field_of(ship, ec_span_of(chosen[i])));
        CHECK(field_of(physics, ec_span_of(chosen[i])) != NULL);
    }
    ec_fit_opts_ship(&o);
    ec_fit_opts_ship(&other);
    CHECK_INT(other.seed, o.seed);
    CHECK_INT(other.max_rows, o.max_rows);
    CHECK_INT(other.iterations, o.iterations);
    CHECK(o.iterations > 0 && o.max_rows > 0 && !o.quick && !other.quick);
}
