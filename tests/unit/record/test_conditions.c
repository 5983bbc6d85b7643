/* Conditions as text, in comparisons, by their words. */
#include "record/record.h"
#include "test.h"

#include <string.h>

/* Every row of the table, at each of its values. */
static int values_of(const struct ec_field *f)
{
    int n = 0;

    if (f->type == EC_F_BOOL)
        return 2;
    while (f->choices[n])
        n++;
    return n;
}

static void set_to(const struct ec_field *f, int v, struct ec_conditions *c)
{
    char *at = (char *)c + f->offset;

    if (f->type == EC_F_BOOL)
        *(bool *)at = v;
    else
        *(int *)at = v;
}

TEST(every_value_of_every_condition_is_read_back_from_its_text)
{
    const struct ec_conditions plain = ec_conditions_default();
    const struct ec_field *f;
    int v;

    for (f = ec_condition_fields; f->name; f++)
        for (v = 0; v < values_of(f); v++) {
            struct ec_conditions c = plain, again;
            struct ec_buf text = EC_BUF_INIT;
            struct ec_err err = { 0 };
            bool same;

            set_to(f, v, &c);
            ec_conditions_print(&c, &text);
            CHECK_OK(ec_conditions_parse(ec_buf_text(&text), &again, &err));
            CHECK(ec_conditions_equal(&c, &again));
            CHECK(ec_conditions_hash(&c) == ec_conditions_hash(&again));
            same = text.len == 0;
            CHECK(same == ec_conditions_equal(&c, &plain));
            CHECK(same == (ec_conditions_hash(&c) == ec_conditions_hash(&plain)));
            ec_buf_clear(&text);
        }
}

TEST(the_text_names_what_differs_from_the_defaults)
{
    struct ec_conditions c = ec_conditions_default();
    struct ec_buf text = EC_BUF_INIT;

    c.precision = EC_AMP;
    c.layout = EC_CHANNELS_LAST;
    c.queued = true;
    ec_conditions_print(&c, &text);
    CHECK_STR(ec_buf_text(&text), "precision=amp layout=channels-last queued=1");
    ec_buf_clear(&text);
}

TEST(words_are_read_in_every_spelling)
{
    static const struct {
        const char *text;
        struct ec_conditions want;
    } rows[] = {
        {"precision=f32",          { .precision = EC_FP32 }            },
        { "precision=F32",         { .precision = EC_FP32 }            },
        { "precision=BF16",        { .precision = EC_BF16 }            },
        { "precision=amp-bf16",    { .precision = EC_AMP }             },
        { "layout=Channels_Last",  { .layout = EC_CHANNELS_LAST }      },
        { "mode=forward-backward", { .mode = EC_MODE_FORWARD_BACKWARD }},
        { "framework=PyTorch_1",   { .framework = EC_FW_pytorch_1 }    },
        { "framework=torch7",      { .framework = EC_FW_torch7 }       },
    };
    struct ec_conditions c;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_conditions want = rows[i].want;

        want.optimizer = EC_OPT_sgd;
        CHECK_OK(ec_conditions_parse(rows[i].text, &c, &err));
        CHECK(ec_conditions_equal(&c, &want));
    }
    CHECK_STR(ec_precision_word("F32"), "fp32");
    CHECK_STR(ec_precision_word("fp64"), "fp64");
    CHECK(!ec_precision_word(NULL));
}

TEST(the_defaults_are_those_of_the_table)
{
    const struct ec_conditions c = ec_conditions_default();
    struct ec_conditions table = { .precision = EC_BF16 };
    struct ec_arena none = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_fields_default(ec_condition_fields, &table, &none, &err));
    CHECK(ec_conditions_equal(&c, &table));
}

TEST(a_word_that_is_none_is_named)
{
    static const struct {
        const char *text, *names;
    } rows[] = {
        {"precision=fp64",     "fp64"  },
        { "colour=red",        "colour"},
        { "layout",            "layout"},
        { "precision=amp x=1", "\"x\"" },
    };
    struct ec_conditions c;
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_err err = { 0 };

        CHECK(ec_conditions_parse(rows[i].text, &c, &err) == EC_E_INPUT);
        CHECK(strstr(err.text, rows[i].names) != NULL);
    }
}
