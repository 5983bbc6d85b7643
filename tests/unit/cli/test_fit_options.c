/* Every option of `epochcast fit` belongs to an action, and is refused by the others. */
#include "test.h"

#include "cli/fit_internal.h"

extern const struct ec_cmd ec_cmd_fit;

TEST(every_option_belongs_to_an_action)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    int n = 0;

    for (g = ec_cmd_fit.groups; g->fields; g++)
        for (f = g->fields; f->name; f++, n++)
            if (!ec_str_eq(f->name, "action") && !ec__fit_actions_of(f->name))
                CHECK_STR(f->name, "an option of some action");
    CHECK(n > 20);
    CHECK_INT(ec__fit_actions_of("nothing"), 0);
}

static enum ec_status check(const char *option, enum ec__fit_action action, struct ec_err *err)
{
    const char *given[] = { option };
    struct fit_cmd_opts o = { 0 };
    struct ec_call call = {
        .opts = &o, .given = {1, 1, given}
    };

    return ec__fit_check_options(&call, action, err);
}

TEST(options_of_other_actions_are_refused)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    struct ec_err err = { 0 };
    int action;

    for (g = ec_cmd_fit.groups; g->fields; g++)
        for (f = g->fields; f->name; f++)
            for (action = 0; action < EC_FIT_ACTION_COUNT; action++)
                if (!ec_str_eq(f->name, "action") && !ec_str_eq(f->name, "folds"))
                    CHECK_INT(check(f->name, (enum ec__fit_action)action, NULL) == EC_OK,
                              ec__fit_actions_of(f->name) >> action & 1);
    CHECK_FAILS(check("tune", EC_FIT_TABLE, &err), EC_E_INPUT,
                "--tune belongs to fit --op, not to fit --table");
    CHECK_FAILS(check("max_rows", EC_FIT_TABLE, &err), EC_E_INPUT, "--max-rows belongs to");
}
