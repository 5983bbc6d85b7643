/* Readers of configuration files. */
#include "predict/job_pairs.h"
#include "test.h"

#include <string.h>

static struct ec_err err;

static struct ec__job_pairs pairs(enum ec__job_syntax syntax, const char *text, struct ec_arena *a)
{
    struct ec__job_pairs p = { .a = a };

    CHECK_OK(ec__job_pairs_read(syntax, ec_span_of(text), "", &p, &err));
    ec__job_pairs_sort(&p);
    return p;
}

static const char *value(const struct ec__job_pairs *p, const char *key)
{
    const struct ec__job_pair *pair = ec__job_pair(p, key);

    return pair ? pair->value : "(none)";
}

TEST(json_has_paths_and_lists)
{
    struct ec_arena a = { 0 };
    struct ec__job_pairs p = pairs(
        EC__JOB_JSON, "{\"a\": {\"b\": [1, \"x\", true], \"c\": null}, \"d\": 0.5, \"e\": []}", &a);

    CHECK_STR(value(&p, "a.b"), "1 x true");
    CHECK_STR(value(&p, "a.c"), "null");
    CHECK_STR(value(&p, "d"), "0.5");
    CHECK_STR(value(&p, "e"), "(none)");
    ec_arena_clear(&a);
}

TEST(toml_has_tables_texts_and_lists)
{
    struct ec_arena a = { 0 };
    struct ec__job_pairs p = pairs(EC__JOB_TOML,
                                   "top = true # a note\n[ a.b ]\r\nx = \"1 # \\\" 2\"\ny = 'z'\n"
                                   "list = [ \"p\", # one\n  'q', [3] ]\nempty = []\n"
                                   "n = 1_000\n[[c]]\nx=2\nlast=1e-4",
                                   &a);

    CHECK_STR(value(&p, "top"), "true");
    CHECK_STR(value(&p, "a.b.x"), "1 # \\\" 2");
    CHECK_STR(value(&p, "a.b.y"), "z");
    CHECK_STR(value(&p, "a.b.list"), "p q 3");
    CHECK_STR(value(&p, "a.b.empty"), "(none)");
    CHECK_STR(value(&p, "a.b.n"), "1000");
    CHECK_STR(value(&p, "c.x"), "2");
    CHECK_STR(value(&p, "c.last"), "1e-4");
    ec_arena_clear(&a);
}

TEST(toml_that_is_none_is_refused_with_its_line)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"a = 1\nb",          "line 2: expected [table] or key = value"},
        { "a = 1\n\n[b\nc=1", "line 3: expected [table]"               },
        { "a = {b = 1}",      "line 1: expected a number"              },
        { "a = \"open",       "line 1: expected a number"              },
        { "a = [1, 2",        "line 1: expected a number"              },
        { "a = \"x\" y",      "line 1: found more"                     },
        { "a =",              "line 1: expected a number"              },
        { "= 1",              "line 1: expected [table]"               },
    };
    struct ec_arena a = { 0 };
    int i;

    for (i = 0; i < EC_LEN(bad); i++) {
        struct ec__job_pairs p = { .a = &a };

        CHECK_FAILS(ec__job_pairs_read(EC__JOB_TOML, ec_span_of(bad[i].text), "", &p, &err),
                    EC_E_PARSE, bad[i].part);
    }
    ec_arena_clear(&a);
}

TEST(arguments_have_flags_values_and_variables)
{
    struct ec_arena a = { 0 };
    struct ec__job_pairs p =
        pairs(EC__JOB_ARGUMENTS,
              "#!/bin/sh\nexport N=8 # --comment 1\nM=${X:-4}\nARGS=(\n --nproc-per-node $N\n"
              " --nnodes ${M}\n --open $UNKNOWN\n)\nrun ${ARGS[@]} a.py --bf16 --lr=1e-4 \\\n"
              " \"--data 1 b\" --last\n",
              &a);

    CHECK_STR(value(&p, "nproc_per_node"), "8");
    CHECK_STR(value(&p, "nnodes"), "4");
    CHECK_STR(value(&p, "open"), "$UNKNOWN");
    CHECK_STR(value(&p, "bf16"), "true");
    CHECK_STR(value(&p, "lr"), "1e-4");
    CHECK_STR(value(&p, "data"), "1 b");
    CHECK_STR(value(&p, "last"), "true");
    CHECK_STR(value(&p, "comment"), "(none)");
    ec_arena_clear(&a);
}

TEST(of_a_key_the_last_value_stays)
{
    struct ec_arena a = { 0 };
    struct ec__job_pairs p = pairs(EC__JOB_ARGUMENTS, "--a 1 --b 2 --a 3\n", &a);

    CHECK_STR(value(&p, "a"), "3");
    CHECK_INT(p.n, 2);
    ec_arena_clear(&a);
}

/* A kilobyte of brackets, more keys than there is room for, one long key. */
TEST(files_have_bounds)
{
    struct ec_arena a = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    struct ec__job_pairs p = { .a = &a };
    int i;

    for (i = 0; i <= EC__JOB_PAIRS; i++)
        ec_buf_printf(&text, "k%d = 1\n", i);
    CHECK_FAILS(
        ec__job_pairs_read(EC__JOB_TOML, (struct ec_span){ text.data, text.len }, "", &p, &err),
        EC_E_PARSE, "more than 4096 keys");
    ec_buf_reset(&text);
    for (i = 0; i < 300; i++)
        ec_buf_str(&text, "a[x");
    ec_buf_str(&text, "=1");
    p = (struct ec__job_pairs){ .a = &a };
    CHECK_OK(
        ec__job_pairs_read(EC__JOB_TOML, (struct ec_span){ text.data, text.len }, "", &p, &err));
    CHECK_INT((int)strlen(p.v[0].key), EC__JOB_KEY);
    ec_buf_clear(&text);
    ec_arena_clear(&a);
}

TEST(yaml_has_mappings_and_lists)
{
    struct ec_arena a = { 0 };
    struct ec__job_pairs p = { .a = &a };
    enum ec_status st =
        ec__job_pairs_read(EC__JOB_YAML,
                           ec_span_of("a: 1\nb:\n  - x\n  - y: [1, 2]\n    z: no\nc: {d: 'e f'}\n"
                                      "g: &h 5\ni: *h\n---\nj: 1\n"),
                           "", &p, NULL);

    if (st == EC_E_UNSUPPORTED) {
        (void)printf("skipped: libyaml is not installed\n");
        ec_arena_clear(&a);
        return;
    }
    CHECK_INT(st, EC_OK);
    ec__job_pairs_sort(&p);
    CHECK_STR(value(&p, "a"), "1");
    CHECK_STR(value(&p, "b"), "x");
    CHECK_STR(value(&p, "b.y"), "1 2");
    CHECK_STR(value(&p, "b.z"), "no");
    CHECK_STR(value(&p, "c.d"), "e f");
    CHECK_STR(value(&p, "i"), "*");
    CHECK_STR(value(&p, "j"), "(none)");
    CHECK_FAILS(ec__job_pairs_read(EC__JOB_YAML, ec_span_of("a: [1\nb: 2"), "", &p, &err),
                EC_E_PARSE, "line 2: ");
    CHECK_FAILS(ec__job_pairs_read(EC__JOB_YAML, ec_span_of("- a\n- b\n"), "", &p, &err),
                EC_E_PARSE, "expected a mapping");
    CHECK_FAILS(ec__job_pairs_read(EC__JOB_YAML, ec_span_of("? [a]\n: b\n"), "", &p, &err),
                EC_E_PARSE, "expected a mapping");
    CHECK_FAILS(ec__job_pairs_read(EC__JOB_YAML,
                                   ec_span_of("a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1"), "",
                                   &p, &err),
                EC_E_PARSE, "");
    ec_arena_clear(&a);
}
