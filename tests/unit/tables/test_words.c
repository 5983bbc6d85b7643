/* Words of cells: a list of a mapping, those that mappings share, words of anybody. */
#include "test.h"

#include "tables/mapping_internal.h"

static const struct ec_words *find(const struct ec_mapping_file *m, const char *name)
{
    return ec__words_find(m, ec_span_of(name));
}

TEST(words_of_anybody_are_patterns)
{
    static const struct {
        const char *list, *from, *to;
    } cases[] = {
        {"any_precision",  "torch.bfloat16",     "bf16"            },
        { "any_precision", "Mixed (fp16)",       "amp"             },
        { "any_precision", "",                   "fp32"            },
        { "any_framework", "PyTorch 1.13",       "pytorch-1"       },
        { "any_framework", "torch.compile",      "pytorch-compiled"},
        { "any_optimizer", "SGD with momentum",  "momentum"        },
        { "any_mode",      "Forward + backward", "forward_backward"},
        { "any_format",    "NHWC",               "channels-last"   },
        { "any_recompute", "True",               "full"            },
        { "any_recompute", "",                   "none"            },
        { "any_recompute", "full",               "full"            },
        { "any_tuning",    "LoRA",               "lora"            },
        { "any_tuning",    "full_finetune",      ""                },
        { "any_zero",      "none",               ""                },
        { "any_fsdp",      "FULL_SHARD",         "3"               },
        { "any_fsdp",      "SHARD_GRAD_OP",      "2"               },
        { "any_ways",      "8",                  "8"               },
        { "any_ways",      "1",                  ""                },
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++)
        CHECK_STR(ec__word(find(NULL, cases[i].list), cases[i].from), cases[i].to);
    CHECK(ec__word(find(NULL, "any_precision"), "int4") == NULL);
    CHECK(find(NULL, "any_colour") == NULL);
    CHECK(ec__word(NULL, "fp32") == NULL);
}

TEST(a_list_of_the_mapping_goes_before_a_shared_one)
{
    static const char shared_text[] =
        "words precision =\n    half -> fp16\nwords mode =\n    step\n";
    static const char own_text[] = "words precision =\n    fp32 bf16\n    half | mixed up -> amp\n"
                                   "    -> tf32\nwhat = relu x={n}\ntime_ms = {t}\n";
    struct ec_mapping_file *shared = NULL, *own = NULL;
    struct ec_buf out = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(
        ec__map_parse("words", shared_text, strlen(shared_text), NULL, false, &a, &shared, &err));
    CHECK_OK(ec__map_parse("own", own_text, strlen(own_text), shared, true, &a, &own, &err));
    CHECK_STR(ec__word(find(own, "precision"), "half"), "amp");
    CHECK_STR(ec__word(find(own, "precision"), "mixed up"), "amp");
    CHECK_STR(ec__word(find(own, "precision"), "bf16"), "bf16");
    CHECK_STR(ec__word(find(own, "precision"), ""), "tf32");
    CHECK(ec__word(find(own, "precision"), "HALF") == NULL);
    CHECK_STR(ec__word(find(own, "mode"), "step"), "step");
    CHECK_STR(ec__word(find(shared, "precision"), "half"), "fp16");
    ec__words_print(find(own, "precision"), &out);
    CHECK_STR(ec_buf_text(&out), "fp32, bf16, amp, tf32");
    ec_buf_clear(&out);
    ec_arena_clear(&a);
}
