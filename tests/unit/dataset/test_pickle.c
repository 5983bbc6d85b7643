/* Pickles read as data: what Python wrote comes back, what asks for a call is refused. */
#include "test.h"

#include "dataset/pickle_internal.h"

#define CORPUS "fuzz/corpus/pickle/"

static enum ec_status read(const char *name, struct ec_arena *a, struct ec_file *f,
                           const struct ec__py **ret, struct ec_err *err)
{
    struct ec_err opening = { 0 };
    char path[128];

    (void)snprintf(path, sizeof path, CORPUS "%s", name);
    CHECK(ec_file_open(path, 0, f, &opening) == EC_OK);
    return ec__pickle_parse(f->data, f->len, a, ret, err);
}

static void check_batch(const char *name)
{
    const struct ec__py *root = NULL, *labels;
    struct ec_arena a = { 0 };
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };
    const unsigned char *rows;
    int64_t n = 0, i;

    CHECK_OK(read(name, &a, &f, &root, &err));
    labels = root ? ec__py_get(root, "labels") : NULL;
    rows = root && ec__py_get(root, "data") ? ec__py_rows_u8(ec__py_get(root, "data"), 3072, &n)
                                            : NULL;
    CHECK_INT(n, 2);
    CHECK(labels && labels->n == 2 && labels->item[0]->i == 1 && labels->item[1]->i == 4);
    for (i = 0; rows && i < 2 * 3072; i++)
        if (rows[i] != (7 * (i / 3072) + i % 3072) % 256)
            break;
    CHECK_INT(i, 2 * 3072);
    ec_arena_clear(&a);
    ec_file_close(&f);
}

/* Loaded by Python 3 and saved again, their keys are bytes; NumPy 2 has other names of modules. */
TEST(batches_of_python_2_and_3)
{
    static const char *const writers[] = { "python3", "saved_again" };
    char name[64];
    int i, protocol;

    check_batch("python2.pkl");
    for (i = 0; i < EC_LEN(writers); i++)
        for (protocol = 2; protocol <= 5; protocol++) {
            (void)snprintf(name, sizeof name, "%s_%d.pkl", writers[i], protocol);
            check_batch(name);
        }
    check_batch("numpy2_2.pkl");
    check_batch("numpy2_4.pkl");
    check_batch("numpy2_5.pkl");
}

TEST(numbers_and_containers)
{
    const struct ec__py *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(read("numbers.pkl", &a, &f, &v, &err));
    if (!v || v->n != 8) {
        CHECK(v && v->n == 8);
    } else {
        CHECK_INT(v->item[0]->i, 1);
        CHECK_INT(v->item[1]->i, -1);
        CHECK_INT(v->item[2]->i, (int64_t)1 << 40);
        CHECK_NEAR(v->item[3]->f, 1.5, 0);
        CHECK_INT(v->item[6]->n, 4);
        CHECK_INT(v->item[7]->type, EC__PY_DICT);
        CHECK(ec__py_get(v->item[7], "a") && !ec__py_get(v->item[7], "b"));
    }
    ec_arena_clear(&a);
    ec_file_close(&f);
}

static void check_refused(const char *name, enum ec_status want, const char *part)
{
    const struct ec__py *v = NULL;
    struct ec_arena a = { .max_bytes = 1 << 20 };
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };

    CHECK_FAILS(read(name, &a, &f, &v, &err), want, part);
    CHECK(!v);
    ec_arena_clear(&a);
    ec_file_close(&f);
}

static enum ec_status parse(const char *text, struct ec_arena *a, const struct ec__py **ret,
                            struct ec_err *err)
{
    return ec__pickle_parse((const unsigned char *)text, strlen(text), a, ret, err);
}

/* A stack that never had a value is no array yet: nothing is counted from its beginning. */
TEST(nothing_on_the_stack)
{
    const struct ec__py *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(parse("].", &a, &v, &err));
    CHECK(v && v->type == EC__PY_LIST && v->n == 0);
    CHECK_OK(parse("(t.", &a, &v, &err));
    CHECK(v && v->type == EC__PY_LIST && v->n == 0);
    CHECK_FAILS(parse("(e.", &a, &v, &err), EC_E_PARSE, "a list was expected");
    CHECK_FAILS(parse("(u.", &a, &v, &err), EC_E_PARSE, "a dictionary was expected");
    CHECK_FAILS(parse(".", &a, &v, &err), EC_E_PARSE, "does not end with one value");
    CHECK_FAILS(ec__pickle_parse(NULL, 0, &a, &v, &err), EC_E_PARSE, "the data ends too early");
    ec_arena_clear(&a);
}

TEST(calls_are_refused)
{
    check_refused("calls_system.pkl", EC_E_UNSUPPORTED, "asks for os.system");
    check_refused("calls_stack_global.pkl", EC_E_UNSUPPORTED, "asks for posix.system");
}

/* Bytes of protocol 2 are a call that encodes text; no other call of it is answered. */
TEST(bytes_that_are_written_as_text)
{
    const struct ec__py *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(parse("c_codecs\nencode\n(U\x04"
                   "A\\\xc3\xbfU\x06latin1tR.",
                   &a, &v, &err));
    CHECK(v && v->n == 3 && !memcmp(v->bytes, "A\\\xff", 3));
    CHECK_OK(parse("c__builtin__\nbytes\n(tR.", &a, &v, &err));
    CHECK(v && v->type == EC__PY_BYTES && v->n == 0);
    CHECK_FAILS(parse("c_codecs\nencode\n(U\x01"
                      "aU\x05utf-8tR.",
                      &a, &v, &err),
                EC_E_UNSUPPORTED, "only Python can answer");
    CHECK_FAILS(parse("c_codecs\nencode\n(U\x01\xc3U\x06latin1tR.", &a, &v, &err), EC_E_PARSE,
                "no Latin-1");
    CHECK_FAILS(parse("c_codecs\nencode\n(U\x02\xc4\x80U\x06latin1tR.", &a, &v, &err), EC_E_PARSE,
                "no Latin-1");
    ec_arena_clear(&a);
}

/* What nothing writes unless it is asked to: text, and numbers as text. */
TEST(protocols_0_and_1_are_refused)
{
    check_refused("python3_0.pkl", EC_E_UNSUPPORTED, "no data of protocols 2 to 5");
    check_refused("python3_1.pkl", EC_E_UNSUPPORTED, "no data of protocols 2 to 5");
    check_refused("no_latin1.pkl", EC_E_UNSUPPORTED, "no data of protocols 2 to 5");
}

TEST(hostile_lengths_are_refused)
{
    check_refused("cut.pkl", EC_E_PARSE, "ends too early");
    check_refused("length_huge.pkl", EC_E_PARSE, "ends too early");
    check_refused("memo_far.pkl", EC_E_PARSE, "memo's number is too large");
}

/* One byte a value: the arena's bound ends it, not the machine's memory. */
TEST(memory_is_bounded)
{
    static unsigned char many[1 << 16];
    struct ec_arena a = { .max_bytes = 1 << 20 };
    const struct ec__py *v = NULL;
    struct ec_err err = { 0 };

    memset(many, ')', sizeof many);
    CHECK_FAILS(ec__pickle_parse(many, sizeof many, &a, &v, &err), EC_E_NOMEM, "out of memory");
    ec_arena_clear(&a);
}

static enum ec_status parse_one(struct ec_err *err)
{
    static const unsigned char text[] = "\x80\x02}q\x00(U\x01"
                                        "a]q\x01(K\x01K\x02K\x03K\x04K\x05"
                                        "eU\x01"
                                        "bU\x01nU\x01"
                                        "cc_codecs\nencode\n(U\x01"
                                        "aU\x06latin1tRu.";
    const struct ec__py *v = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st = ec__pickle_parse(text, sizeof text - 1, &a, &v, err);

    ec_arena_clear(&a);
    return st;
}

TEST(memory_may_run_out)
{
    CHECK_TORTURE(parse_one);
}
