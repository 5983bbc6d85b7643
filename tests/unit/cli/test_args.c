/* The option parser: every way to write an option, and every way to write it wrong. */
#include "test.h"

#include "cli/cli.h"

struct inner {
    int64_t batch;
    int precision;
};

struct opts {
    const char *model;
    struct ec_strs more, device;
    bool json, shuffle;
    struct inner inner;
};

/* clang-format off */
static const char *const precisions[] = { "fp32", "amp", NULL };
static const struct ec_field inner_fields[] = {
    { .name = "batch", .type = EC_F_INT, .offset = offsetof(struct inner, batch), .deflt = "32",
      .min = 1, .max = 1000, .metavar = "N", .help = "samples per step" },
    { .name = "precision", .type = EC_F_ENUM, .offset = offsetof(struct inner, precision),
      .choices = precisions, .metavar = "P", .help = "arithmetic" },
    EC_FIELD_END
};
static const struct ec_field fields[] = {
    { .name = "model", .type = EC_F_STR, .offset = offsetof(struct opts, model), .metavar = "MODEL",
      .help = "network" },
    { .name = "more", .type = EC_F_STRS, .offset = offsetof(struct opts, more), .metavar = "MORE",
      .help = "others" },
    { .name = "device", .type = EC_F_STRS, .offset = offsetof(struct opts, device),
      .metavar = "KEY", .help = "where" },
    { .name = "json", .type = EC_F_BOOL, .offset = offsetof(struct opts, json), .help = "as JSON" },
    { .name = "shuffle_data", .type = EC_F_BOOL, .offset = offsetof(struct opts, shuffle),
      .deflt = "1", .help = "shuffle" },
    EC_FIELD_END
};
static const struct ec_arg_group groups[] = {
    { "Options", fields, 0 },
    { "Training", inner_fields, offsetof(struct opts, inner) },
    { NULL, NULL, 0 },
};
static const char *const usage[] = { "MODEL [OPTIONS]", NULL };
static const struct ec_cmd cmd = { .name = "try", .help = "a test", .usage = usage,
    .positional = "model more", .groups = groups, .opts_size = sizeof(struct opts) };
/* clang-format on */

/* Words separated by single blanks. */
static enum ec_status parse(const char *words, struct ec_call *call, struct ec_err *err)
{
    static char copy[4096];
    char *argv[64];
    int argc = 0;
    char *p = copy;

    ec_call_clear(call);
    *call = (struct ec_call){ .out = EC_BUF_INIT };
    (void)snprintf(copy, sizeof copy, "%s", words);
    while (*p) {
        argv[argc++] = p;
        p += strcspn(p, " ");
        if (*p)
            *p++ = '\0';
    }
    return ec_args_parse(&cmd, argc, argv, call, err);
}

TEST(every_way_to_write_an_option)
{
    static const char *const ways[] = {
        "net a b --batch 64 --precision amp --json --device x --device y --no-shuffle-data",
        "--json net --batch=64 a --precision=amp --device=x b --device y --shuffle_data=0",
        "-b 64 --precision amp --json=1 --device x --device y --shuffle-data=no -- net a b",
        "net -b64 a b --device x --device=y --json=yes --precision amp --shuffle-data=false",
        "net -b=64 a b --device x --device=y --json=true --precision amp --no-shuffle_data",
    };
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(ways); i++) {
        const struct opts *o;

        CHECK_OK(parse(ways[i], &call, &err));
        o = call.opts;
        CHECK_STR(o->model, "net");
        CHECK_INT(o->more.n, 2);
        CHECK_STR(o->more.v[1], "b");
        CHECK_INT(o->device.n, 2);
        CHECK_STR(o->device.v[0], "x");
        CHECK_INT(o->inner.batch, 64);
        CHECK_INT(o->inner.precision, 1);
        CHECK(o->json && !o->shuffle);
        CHECK(ec_call_given(&call, "batch") && ec_call_given(&call, "model"));
    }
    ec_call_clear(&call);
}

TEST(defaults_when_nothing_is_given)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };
    const struct opts *o;

    CHECK_OK(parse("", &call, &err));
    o = call.opts;
    CHECK(!o->model && !o->more.n && !o->json && o->shuffle);
    CHECK_INT(o->inner.batch, 32);
    CHECK(!ec_call_given(&call, "batch"));
    ec_call_clear(&call);
}

TEST(odd_words)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };

    CHECK_OK(parse("-", &call, &err));
    CHECK_STR(((const struct opts *)call.opts)->model, "-");
    CHECK_OK(parse("-- --json -b", &call, &err));
    CHECK_STR(((const struct opts *)call.opts)->model, "--json");
    CHECK(!((const struct opts *)call.opts)->json);
    CHECK_OK(parse("--device -", &call, &err));
    CHECK_OK(parse("x --help", &call, &err));
    CHECK(call.want_help);
    CHECK_OK(parse("-h", &call, &err));
    CHECK(call.want_help);
    ec_call_clear(&call);
}

TEST(wrong_usage_says_what_is_wrong)
{
    static const struct {
        const char *words, *sentence;
    } rows[] = {
        {"--bacth 3",         "unknown option --bacth; did you mean --batch?"         },
        { "--prec=amp",       "unknown option --prec; did you mean --precision?"      },
        { "--zzzzzzzz",       "unknown option --zzzzzzzz"                             },
        { "-q",               "unknown option -q"                                     },
        { "--no-batch",       "unknown option --no-batch; did you mean --batch?"      },
        { "--batch",          "--batch needs a value: N"                              },
        { "--batch --json",   "--batch needs a value: N"                              },
        { "-b",               "-b needs a value: N"                                   },
        { "--batch 3 -b 4",   "-b is given twice"                                     },
        { "--json --no-json", "--json is given twice"                                 },
        { "--batch 0",        "--batch: found \"0\", expected 1 to 1000"              },
        { "--batch -5",       "--batch: found \"-5\", expected 1 to 1000"             },
        { "--batch 1e3",      "--batch: found \"1e3\", expected a whole number"       },
        { "--batch=",         "--batch: found \"\", expected a whole number"          },
        { "--precision int4", "--precision: found \"int4\", expected one of fp32, amp"},
        { "--json=perhaps",   "--json: found \"perhaps\", expected 0 or 1"            },
    };
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        CHECK_INT(parse(rows[i].words, &call, &err), EC_E_INPUT);
        CHECK_STR(err.text, rows[i].sentence);
        CHECK(call.wrong_usage);
    }
    ec_call_clear(&call);
}

TEST(help_comes_from_the_table)
{
    struct ec_buf b = EC_BUF_INIT;

    ec_help_cmd(&ec_epochcast, &cmd, &b);
    CHECK_STR(ec_buf_text(&b),
              "epochcast try - a test\n"
              "\n"
              "Usage: epochcast try MODEL [OPTIONS]\n"
              "\n"
              "Arguments:\n"
              "  MODEL                       network\n"
              "  MORE                        others; may be repeated\n"
              "\n"
              "Options:\n"
              "  -d, --device KEY            where; may be repeated\n"
              "      --json                  as JSON\n"
              "      --no-shuffle-data       shuffle\n"
              "\n"
              "Training:\n"
              "  -b, --batch N               samples per step (default 32, 1 to 1000)\n"
              "  -p, --precision P           arithmetic: fp32, amp\n");
    ec_buf_clear(&b);
}

static void check_table(const struct ec_cmd *c, const char *of)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    char taken[256] = { 0 };

    for (g = c->groups; g && g->fields; g++)
        for (f = g->fields; f->name; f++) {
            if (!f->help || !*f->help || f->help[strlen(f->help) - 1] == '.')
                test_fail(__FILE__, __LINE__, "%s %s: %s: help", of, c->name, f->name);
            if (ec_short_flag(f->name) && taken[(unsigned char)ec_short_flag(f->name)]++)
                test_fail(__FILE__, __LINE__, "%s %s: -%c twice", of, c->name,
                          ec_short_flag(f->name));
        }
}

/* Every option of every command explains itself, and no short flag is taken twice. What takes a
 * value takes one in every sub-command: only so can the word of the sub-command be found. */
TEST(tables_of_all_commands)
{
    int i, k;

    for (i = 0; ec_epochcast.commands[i]; i++) {
        const struct ec_cmd *c = ec_epochcast.commands[i];

        CHECK(ec_cmd_find(&ec_epochcast, c->name) == c);
        CHECK(c->subs || c->run);
        check_table(c, "");
        for (k = 0; c->subs && c->subs[k]; k++) {
            CHECK(ec_cmd_sub(c, c->subs[k]->name) == c->subs[k]);
            CHECK(c->subs[k]->of == c && c->subs[k]->run && !c->subs[k]->subs);
            check_table(c->subs[k], c->name);
        }
    }
    CHECK(!ec_cmd_find(&ec_epochcast, "no such command"));
}

extern const struct ec_cmd ec_cmd_data, ec_cmd_op, ec_cmd_fit;

/* What the words choose: the name of the sub-command, of the command itself, or "". *ret_left: how
 * many words are left. */
static const char *chosen(const struct ec_cmd *c, const char *words, int *ret_left)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    const struct ec_cmd *ret = NULL;
    struct ec_err err = { 0 };
    char copy[256], *argv[16], *p;
    enum ec_status st;

    *ret_left = 0;
    (void)snprintf(copy, sizeof copy, "%s", words);
    for (p = copy; *p; p += strspn(p, " ")) {
        argv[(*ret_left)++] = p;
        p += strcspn(p, " ");
        if (*p)
            *p++ = '\0';
    }
    st = ec_args_choose(c, ret_left, argv, &call, &ret, &err);
    CHECK(!st || (call.wrong_usage && strstr(err.text, c->subs[0]->name)));
    return st ? "" : ret->name;
}

TEST(a_word_chooses_the_sub_command_wherever_it_stands)
{
    static const struct {
        const struct ec_cmd *of;
        const char *words, *want;
        int left;
    } rows[] = {
        {&ec_cmd_data,  "import a.csv --store x",    "import",     3},
        { &ec_cmd_data, "--store list import a.csv", "import",     3},
        { &ec_cmd_data, "--clean list --limit 3",    "list",       3},
        { &ec_cmd_data, "--limit=3 list",            "list",       1},
        { &ec_cmd_data, "-- list",                   "",           2},
        { &ec_cmd_data, "lst",                       "",           1},
        { &ec_cmd_data, "--store import",            "",           2},
        { &ec_cmd_data, "--help",                    "data",       1},
        { &ec_cmd_op,   "sample --count 3",          "sample",     2},
        { &ec_cmd_op,   "conv2d",                    "op",         1},
        { &ec_cmd_fit,  "--op matmul --data x",      "compare",    4},
        { &ec_cmd_fit,  "--table=x",                 "table",      1},
        { &ec_cmd_fit,  "predict m --table x",       "predict",    3},
        { &ec_cmd_fit,  "--provenance",              "provenance", 1},
        { &ec_cmd_fit,  "--seed 3",                  "",           2},
    };
    int i, left;

    for (i = 0; i < EC_LEN(rows); i++) {
        CHECK_STR(chosen(rows[i].of, rows[i].words, &left), rows[i].want);
        CHECK_INT(left, rows[i].left);
    }
}

static enum ec_status parse_some(struct ec_err *err)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    enum ec_status st = parse("net a b c d e f --batch 64 --device x --device y", &call, err);

    ec_call_clear(&call);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(parse_some);
}
