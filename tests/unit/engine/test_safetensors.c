/* Files of tensors: what is written reads back, what is damaged has its sentence, and a write that
 * fails leaves the old file. */
#include "engine/safetensors.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const float numbers[6] = { 1, -2, 3.5F, 0, 1e-30F, 6 };

static const struct ec_tensor two[] = {
    {"a.weight", EC_DT_f32, { 2, { 2, 3 } }, 24, numbers},
    { "b",       EC_DT_f32, { 0, { 0 } },    4,  NULL   },
};

static enum ec_status fetch(void *user, const struct ec_tensor *t, void *ret, struct ec_err *err)
{
    int *left = user;

    if (left && --*left < 0)
        return ec_fail(err, EC_E_BACKEND, "no numbers for %s", t->name);
    memcpy(ret, &numbers[2], (size_t)t->bytes);
    return EC_OK;
}

static const char *folder(void)
{
    static char name[] = "/tmp/ec-tensors-XXXXXX";
    static bool made;

    if (!made)
        CHECK(mkdtemp(name) != NULL);
    made = true;
    return name;
}

TEST(what_is_written_reads_back)
{
    const struct ec_tensor_note note = { "state", "1 2 \"3\"\n" };
    struct ec_tensors f = { 0 };
    struct ec_err err = { 0 };
    char path[64];

    (void)snprintf(path, sizeof path, "%s/x.safetensors", folder());
    CHECK_OK(ec_tensors_write(path, two, 2, &note, 1, fetch, NULL, &err));
    CHECK_OK(ec_tensors_open(path, &f, &err));
    CHECK_INT(f.n, 2);
    CHECK_STR(ec_tensors_note(&f, "state"), note.value);
    CHECK(ec_tensors_find(&f, "a.weight") && ec_tensors_find(&f, "a.weight")->shape.d[1] == 3);
    CHECK(!memcmp(ec_tensors_find(&f, "a.weight")->data, numbers, 24));
    CHECK(!memcmp(ec_tensors_find(&f, "b")->data, &numbers[2], 4));
    CHECK(ec_tensors_find(&f, "c") == NULL);
    CHECK_INT((int64_t)((const char *)f.v[0].data - (const char *)f.file.data) % 8, 0);
    ec_tensors_clear(&f);
    (void)unlink(path);
}

TEST(a_write_that_fails_leaves_the_old_file)
{
    struct ec_tensors f = { 0 };
    struct ec_err err = { 0 };
    char path[64], part[80];
    int left = 0;

    (void)snprintf(path, sizeof path, "%s/y.safetensors", folder());
    (void)snprintf(part, sizeof part, "%s.part", path);
    CHECK_OK(ec_tensors_write(path, two, 1, NULL, 0, fetch, NULL, &err));
    CHECK_FAILS(ec_tensors_write(path, two, 2, NULL, 0, fetch, &left, &err), EC_E_BACKEND,
                "no numbers for b");
    CHECK_OK(ec_tensors_open(path, &f, &err));
    CHECK_INT(f.n, 1);
    CHECK(access(part, F_OK) != 0);
    ec_tensors_clear(&f);
    (void)unlink(path);
    CHECK_FAILS(ec_tensors_write("/no/such/folder/z", two, 2, NULL, 0, fetch, NULL, &err), EC_E_IO,
                "/no/such/folder/z.part: cannot create");
}

/* A disk without room: writes to it fail in the middle of the numbers. */
TEST(a_full_disk_is_told)
{
    struct ec_err err = { 0 };

    if (access("/dev/full", W_OK))
        return;
    CHECK(symlink("/dev/full", "/tmp/ec-full.part") == 0);
    CHECK_FAILS(ec_tensors_write("/tmp/ec-full", two, 2, NULL, 0, fetch, NULL, &err), EC_E_IO,
                "No space left on device");
    (void)unlink("/tmp/ec-full.part");
    CHECK(access("/tmp/ec-full", F_OK) != 0);
}

static enum ec_status parse(const char *json, const char *data, size_t n, struct ec_err *err)
{
    struct ec_tensors f = { 0 };
    unsigned char bytes[512] = { 0 };
    size_t len = strlen(json);
    enum ec_status st;

    bytes[0] = (unsigned char)len;
    memcpy(bytes + 8, json, len);
    memcpy(bytes + 8 + len, data, n);
    st = ec_tensors_parse(bytes, 8 + len + n, &f, err);
    ec_tensors_clear(&f);
    return st;
}

TEST(damaged_files_have_their_sentence)
{
    struct ec_err err = { 0 };
    struct ec_tensors f = { 0 };

    CHECK_FAILS(ec_tensors_parse("abc", 3, &f, &err), EC_E_PARSE, "too short");
    CHECK_FAILS(ec_tensors_parse("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, &f, &err), EC_E_PARSE,
                "the header claims");
    CHECK_FAILS(parse("[]", "", 0, &err), EC_E_PARSE, "no object");
    CHECK_FAILS(parse("{\"a\":1}", "", 0, &err), EC_E_PARSE, "tensor \"a\" is no object");
    CHECK_FAILS(parse("{\"a\":{\"dtype\":\"F8\"}}", "", 0, &err), EC_E_PARSE, "dtype \"F8\"");
    CHECK_FAILS(parse("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1]}}", "", 0, &err), EC_E_PARSE,
                "no whole number");
    CHECK_FAILS(
        parse("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,8]}}", "1234", 4, &err),
        EC_E_PARSE, "lie outside the 4 bytes");
    CHECK_FAILS(
        parse("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", "1234", 4, &err),
        EC_E_PARSE, "4 bytes do not fit");
    CHECK_FAILS(parse("{\"a\":{\"dtype\":\"F32\",\"shape\":[1152921504606846976,16],"
                      "\"data_offsets\":[0,0]}}",
                      "", 0, &err),
                EC_E_PARSE, "do not fit");
    CHECK_FAILS(parse("{\"__metadata__\":{\"x\":1}}", "", 0, &err), EC_E_PARSE, "is no text");
    CHECK_OK(
        parse("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "1234", 4, &err));
}

static enum ec_status write_and_read(struct ec_err *err)
{
    struct ec_tensors f = { 0 };
    enum ec_status st;
    char path[64];

    (void)snprintf(path, sizeof path, "%s/t.safetensors", folder());
    EC_TRY(ec_tensors_write(path, two, 2, NULL, 0, fetch, NULL, err));
    EC_TRY(ec_tensors_open(path, &f, err));
out:
    ec_tensors_clear(&f);
    (void)unlink(path);
    return st;
}

TEST(every_failing_allocation_is_survived)
{
    CHECK_TORTURE(write_and_read);
    (void)rmdir(folder());
}
