/* What all commands that print a table share: one form at a time, and JSON that says what it is. */
#include "commands.h"
#include "test.h"

#include <stdlib.h>

#include "cli/cli.h"

static const struct ec_col cols[] = {
    {.key = "device",   .title = "device"     },
    {  .key = "step_time_ns",  .title = "step",    .format = EC_COL_NS },
    { .key = "batch", .title = "batch", .format = EC_COL_PLAIN },
};

static void fill(struct ec_table *t)
{
    ec_table_init(t, cols, EC_LEN(cols));
    ec_table_text(t, "t4");
    ec_table_num(t, 412e6);
    ec_table_int(t, 32);
    ec_table_text(t, "a \"b\", c");
    ec_table_none(t);
    ec_table_none(t);
}

static void written(const struct ec_forms *f, const struct ec_table_head *head, const char *want)
{
    struct ec_call call = { .out = EC_BUF_INIT, .forms = *f };
    struct ec_err err;
    struct ec_table t;

    fill(&t);
    CHECK_OK(ec_call_table(&call, head, &t, &err));
    CHECK_STR(ec_buf_text(&call.out), want);
    ec_table_clear(&t);
    ec_call_clear(&call);
}

static const struct ec_table_head head = {
    .schema = "epochcast.try/1", .rows = "points", .of = {{ "model", "lenet5" }, { "host", NULL }}
};

TEST(each_form)
{
    written(&(struct ec_forms){ .csv = true }, &head,
            "device,step_time_ns,batch\nt4,412000000,32\n\"a \"\"b\"\", c\",,\n");
    written(&(struct ec_forms){ .markdown = true }, NULL,
            "| device | step (ms) | batch |\n| :-- | --: | --: |\n| t4 | 412 | 32 |\n"
            "| a \"b\", c | - | - |\n");
    written(
        &(struct ec_forms){ .json = true }, &head,
        "{\n  \"schema\": \"epochcast.try/1\",\n  \"model\": \"lenet5\",\n  \"host\": null,\n"
        "  \"points\": [\n    {\n      \"device\": \"t4\",\n      \"step_time_ns\": 412000000,\n"
        "      \"batch\": 32\n    },\n    {\n      \"device\": \"a \\\"b\\\", c\",\n"
        "      \"step_time_ns\": null,\n      \"batch\": null\n    }\n  ]\n}\n");
}

/* All eight ways to ask: one form at most. */
TEST(forms_exclude_each_other)
{
    const struct ec_cmd *cmd = ec_cmd_find(&ec_epochcast, "op");
    int bits, k;

    for (bits = 0; bits < 8; bits++) {
        char words[3][16] = { "--json", "--csv", "--markdown" }, *argv[3];
        struct ec_call call = { .of = &ec_epochcast, .cmd = cmd, .out = EC_BUF_INIT };
        const struct ec_forms *f = &call.forms;
        struct ec_err err = { 0 };
        bool one = bits == 0 || bits == 1 || bits == 2 || bits == 4;
        int n = 0;

        for (k = 0; k < 3; k++)
            if (bits >> k & 1)
                argv[n++] = words[k];
        CHECK_OK(ec_args_parse(cmd, n, argv, &call, &err));
        CHECK_INT(ec_args_check(&call, &err), one ? EC_OK : EC_E_INPUT);
        CHECK(call.wrong_usage == !one);
        CHECK(one || strstr(err.text, "--json, --csv and --markdown exclude each other"));
        CHECK_INT(f->json | f->csv << 1 | f->markdown << 2, bits);
        CHECK_INT(ec_forms_any(f), bits != 0);
        if (one)
            CHECK_INT(ec_forms_table(f), f->csv        ? EC_TABLE_CSV
                                         : f->markdown ? EC_TABLE_MARKDOWN
                                                       : EC_TABLE_TEXT);
        ec_call_clear(&call);
    }
}

/* A flag that says "write CSV" does not write Markdown; what has tables for people and for sheets
 * has them for programs. */
TEST(commands_offer_the_same_forms)
{
    static const char *const names[] = { "json", "csv", "markdown" };
    static const char *const says[] = { "JSON", "CSV", "Markdown" };
    int i, k;

    for (i = 0; command_at(i); i++) {
        const struct ec_field *f[3] = { NULL };
        const struct ec_arg_group *g;

        for (g = command_at(i)->groups; g->fields; g++)
            for (k = 0; k < EC_LEN(names); k++)
                f[k] = f[k] ? f[k] : ec_field_find(g->fields, ec_span_of(names[k]));
        for (k = 0; k < EC_LEN(names); k++)
            if (f[k] && f[k]->type == EC_F_BOOL &&
                !(ec_str_starts(f[k]->help, "write") && strstr(f[k]->help, says[k])))
                test_fail(__FILE__, __LINE__, "%s: --%s: %s", command_at(i)->name, names[k],
                          f[k]->help);
        if (f[1] && f[2] && !f[0])
            test_fail(__FILE__, __LINE__, "%s has tables and no JSON", command_at(i)->name);
    }
}

/* A head may hold fewer rows than there is room for. */
TEST(a_head_alone)
{
    struct ec_table_head bare = { .schema = "s/1", .rows = "rows" };
    struct ec_call call = { .out = EC_BUF_INIT, .forms = { .json = true } };
    struct ec_table t;
    struct ec_err err;

    ec_table_init(&t, cols, EC_LEN(cols));
    CHECK_OK(ec_call_table(&call, &bare, &t, &err));
    CHECK_STR(ec_buf_text(&call.out), "{\n  \"schema\": \"s/1\",\n  \"rows\": []\n}\n");
    ec_table_clear(&t);
    ec_call_clear(&call);
}

static enum ec_status write_forms(struct ec_err *err)
{
    static const struct ec_forms forms[] = {
        { .json = true },
        { .csv = true },
        { .markdown = true },
    };
    struct ec_call call = { .out = EC_BUF_INIT };
    enum ec_status st = EC_OK;
    struct ec_table t;
    int i;

    fill(&t);
    for (i = 0; i < EC_LEN(forms) && !st; i++) {
        call.forms = forms[i];
        st = ec_call_table(&call, &head, &t, err);
    }
    if (!st)
        st = ec_buf_status(&call.out, err);
    ec_table_clear(&t);
    ec_call_clear(&call);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(write_forms);
}

static void fitted(const char *columns, const char *text, const char *want)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err;

    CHECK(!setenv("COLUMNS", columns, 1));
    ec_buf_str(&call.out, "above\n");
    ec_buf_str(&call.out, text);
    CHECK_OK(ec_call_fit(&call, strlen("above\n"), &err));
    CHECK(ec_str_starts(ec_buf_text(&call.out), "above\n"));
    CHECK_STR(ec_buf_text(&call.out) + strlen("above\n"), want);
    CHECK(!unsetenv("COLUMNS"));
    ec_call_clear(&call);
}

TEST(long_lines_go_on_below)
{
    fitted("30", "  as long as it is wide, no more\n\n  short\n",
           "  as long as it is wide, no\n    more\n\n  short\n");
    fitted("32", "  as long as it is wide, no more\n", "  as long as it is wide, no more\n");
    fitted("30", "  step      643 ms   (90 %: 439 ms to 932 ms)\n",
           "  step      643 ms\n    (90 %: 439 ms to 932 ms)\n"); /* before a column */
    fitted("30", "it takes about a minute and 20 ms\n",
           "it takes about a minute and\n  20 ms\n"); /* a number keeps its unit */
    fitted("30", "\xe2\x94\x80\xe2\x94\x80 two letters of three bytes\n",
           "\xe2\x94\x80\xe2\x94\x80 two letters of three bytes\n");
    fitted("30", "a-word-that-has-no-place-to-be-broken-at\n",
           "a-word-that-has-no-place-to-be-broken-at\n");
    fitted("20", "narrower terminals do it themselves\n", "narrower terminals do it themselves\n");
}
