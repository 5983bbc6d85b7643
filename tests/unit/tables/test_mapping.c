/* Mapping files: what is wrong is said with its line. */
#include "test.h"

#include "tables/mapping_internal.h"

static enum ec_status parse(const char *text, size_t len, struct ec_arena *a,
                            const struct ec_mapping **ret, struct ec_err *err)
{
    struct ec_mapping_file *map = NULL;
    enum ec_status st = ec__map_parse("mine", text, len, NULL, true, a, &map, err);

    if (!st)
        *ret = map->section[0];
    return st;
}

TEST(what_is_wrong_is_said_with_its_line)
{
    /* clang-format off */
    static const struct {
        const char *text, *part;
    } cases[] = {
        { "", "no line `what = ...`" },
        { "what = relu x={n}", "no reading" },
        { "what = relu x={n}\ntime_ms = t", "line 2: one {column}" },
        { "what = relu x={n}\ntime_ms = {a}{b}", "line 2: one {column}" },
        { "what = relu x={n}\ntime_ms = {}", "line 2: one {column}" },
        { "what = relu x={n\ntime_ms = {t}", "line 1: braces" },
        { "what = relu x=}n{\ntime_ms = {t}", "line 1: braces" },
        { "what = relu x={a{b}}\ntime_ms = {t}", "line 1: braces" },
        { "# a comment\n\nwhat relu", "line 3: `key =" },
        { "what = a\nwhat = b", "line 2: given twice" },
        { "= a", "line 1: no key" },
        { "devise = a", "\"device\"" },
        { "memory_mib = {a}\nmemory_gib = {b}", "a second memory" },
        { "memory_mb = {a}\nmemory_bytes = {b}", "a second memory" },
        { "memory_tib = {a}", "\"memory_tib\"" },
        { "time_s={a}\ntime_ms={b}\ntime_us={c}\ntime_ns={d}\nforward_s={e}",
          "line 5: more than four times" },
        { "what = relu x={n:shape}\ntime_ms = {t}", "line 1: no words stand above" },
        { "words a =\n    x ->\n", "line 2: `word -> ours` is expected" },
        { "words a b = x\n", "line 1: a list of words is named by" },
        { "[a]\nwhat = relu\ntime_ms = {t}\nwords a = x", "line 4: words stand before" },
        { "rows = a", "line 1: `column=value` or" },
        { "keep = =a", "line 1: `column=value` or" },
        { "use = now", "line 1: use = record, query or named" },
        { "network = no", "line 1: network = yes is expected, found \"no\"" },
        { "time_ms = {t} mode=", "line 1: `recorded`, `mode=`" },
        { "time_ms = {t} steps=0", "line 1: `recorded`, `mode=`" },
        { "time_tflop_per_s = {t}", "line 1: a rate, and nothing else" },
        { "time_ms = {t} of=a*b", "line 1: `recorded`, `mode=`, `flags=`, `steps=` are what" },
        { "what = relu\nepoch_s = {t}", "the time of an epoch needs" },
        { "[a", "line 1: `[name]` is expected" },
        { "[]", "line 1: a section is named by" },
        { "[a b]", "line 1: a section is named by" },
        { "[b : a]", "line 1: no section stands above that is called \"a\"" },
        { "[a]\nwhat = relu\ntime_ms = {t}\n[a]", "line 4: a section of this name" },
        { "[a]\ntime_ms = {t}\n[b]", "line 3, section a: the mapping has no line `what = ...`" },
        { "kind = colour\nwhat = a\ntime_ms = {t}", "kind is \"colour\"" },
    };
    /* clang-format on */
    const struct ec_mapping *l = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(cases); i++)
        CHECK_FAILS(parse(cases[i].text, strlen(cases[i].text), &a, &l, &err), EC_E_PARSE,
                    cases[i].part);
    CHECK_FAILS(parse("what\0=", 6, &a, &l, &err), EC_E_PARSE, "NUL");
    CHECK(l == NULL);
    ec_arena_clear(&a);
}

/* A line that begins with a blank goes on with the one before, comments between them or not. */
TEST(lines_go_on)
{
    static const char text[] = "what = conv2d n={n}\n# of the kernel\n\tr=3\n\n    pad=same\n"
                               "time_ms = {t}\n";
    const struct ec_mapping *l = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(parse(text, strlen(text), &a, &l, &err));
    CHECK_STR(l->what, "conv2d n={n} r=3 pad=same");
    ec_arena_clear(&a);
}

TEST(a_section_begins_with_what_stands_above_or_as_another)
{
    static const char text[] =
        "precision = fp32\nmode = forward\n[a]\nwhat = relu x={n}\n"
        "time_ms = {t}\nforward_us = {f}\nuse = named\n[b : a]\nmode = backward\n"
        "time_s = {s}\n[c]\nwhat = tanh x={n}\ntime_ns = {t}\n";
    struct ec_mapping_file *map = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec__map_parse("mine", text, strlen(text), NULL, true, &a, &map, &err));
    CHECK_INT(map->n, 3);
    CHECK_STR(map->section[1]->what, "relu x={n}");
    CHECK_STR(map->section[1]->precision, "fp32");
    CHECK_STR(map->section[1]->mode, "backward");
    CHECK(map->section[1]->by_name && !map->section[2]->by_name);
    CHECK_STR(map->section[1]->times[0].column, "s");
    CHECK(!map->section[1]->times[1].column); /* readings are replaced as a whole */
    CHECK_STR(map->section[0]->times[1].column, "f");
    CHECK_STR(map->section[2]->mode, "forward");
    ec_arena_clear(&a);
}

static const char mapping[] = "what = resnet50\nkind = network\r\ntime_s={t}\nnum_devices = {g}\n"
                              "flags = odd !usable @note\nlibraries = cuda=c driver=d";
static const char table[] = "t,g,odd,usable,note,c,d\n2,8,1,0,why,11,\n3,1,0,1,,,\n";

static enum ec_status read_once(struct ec_err *err)
{
    const struct ec_mapping *l = NULL;
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_reader *reader = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int n = 0;

    EC_TRY(ec_csv_parse(table, strlen(table), &csv, err));
    EC_TRY(parse(mapping, strlen(mapping), &a, &l, err));
    EC_TRY(ec_reader_new(l, &csv, "t4", &reader, err));
    EC_TRY(ec_reader_row(reader, 0, r, &n, err));
    CHECK_INT(n, 1);
    CHECK(ec_record_is_network(&r[0]));
    CHECK_STR(r[0].what, "resnet50");
    CHECK_STR(r[0].device, "t4");
    CHECK_STR(r[0].flags, "odd not_usable why");
    CHECK_STR(r[0].libraries, "cuda=11");
    CHECK_STR(r[0].extra, "");
    CHECK_INT(r[0].num_devices, 8);
    CHECK_NEAR(r[0].time.ns, 2e9, 0);
    EC_TRY(ec_reader_row(reader, 1, r, &n, err));
    CHECK_STR(r[0].flags, "");
    CHECK_STR(r[0].libraries, "");
out:
    ec_reader_free(reader);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    return st;
}

TEST(a_row_is_read)
{
    struct ec_err err = { 0 };

    CHECK_OK(read_once(&err));
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(read_once);
}

/* A column that is called so comes before a part of a cell. */
TEST(parts_of_cells)
{
    static const char lines[] = "what = matmul m={spec.m} k={spec.k} n={a.n}\ntime_ms = {t}\n"
                                "rows = spec.layout=TN";
    static const char rows[] = "spec,a.n,a,t\nm=16 k=32 layout=TN,8,n=9,1\n"
                               "m=16 k=32 layout=NN,8,n=9,1\nm: 64 layout: TN k: 2,8,n=9,1\n";
    static const char *const want[] = { "matmul m=16 k=32 n=8", NULL, "matmul m=64 k=2 n=8" };
    const struct ec_mapping *l = NULL;
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_reader *reader = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int n, i;

    CHECK_OK(ec_csv_parse(rows, strlen(rows), &csv, &err));
    CHECK_OK(parse(lines, strlen(lines), &a, &l, &err));
    CHECK_OK(ec_reader_new(l, &csv, "t4", &reader, &err));
    for (i = 0; i < EC_LEN(want); i++) {
        CHECK_OK(ec_reader_row(reader, i, r, &n, &err));
        CHECK_INT(n, want[i] ? 1 : 0);
        if (want[i])
            CHECK_STR(r[0].what, want[i]);
    }
    ec_reader_free(reader);
    ec_arena_clear(&a);
    ec_csv_clear(&csv);
}
