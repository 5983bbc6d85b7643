/* Files of tensors: what is written reads back, what is damaged has its sentence, and a write that
 * fails leaves the old file. */
#include "graph/graph.h"
#include "entries.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const float numbers[6] = { 1, -2, 3.5F, 0, 1e-30F, 6 };

static const struct ec_tensor two[] = {
    {"a.weight", EC_DT_f32, { 2, { 2, 3 } }, 24, numbers, NULL},
    { "b",       EC_DT_f32, { 0, { 0 } },    4,  NULL,    NULL},
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

static int64_t size_of(const char *path)
{
    struct stat info;

    return stat(path, &info) ? -1 : (int64_t)info.st_size;
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
    char path[64];
    int left = 0;

    (void)snprintf(path, sizeof path, "%s/y.safetensors", folder());
    CHECK_OK(ec_tensors_write(path, two, 1, NULL, 0, fetch, NULL, &err));
    CHECK_FAILS(ec_tensors_write(path, two, 2, NULL, 0, fetch, &left, &err), EC_E_BACKEND,
                "no numbers for b");
    CHECK_OK(ec_tensors_open(path, &f, &err));
    CHECK_INT(f.n, 1);
    CHECK_INT(n_entries(folder()), 1);
    ec_tensors_clear(&f);
    (void)unlink(path);
    CHECK_FAILS(ec_tensors_write("/no/such/folder/z", two, 2, NULL, 0, fetch, NULL, &err),
                EC_E_NOT_FOUND, "/no/such/folder/z: cannot create");
}

/* A disk without room: writes to it fail in the middle of the numbers. */
TEST(a_full_disk_is_told)
{
    struct rlimit was, small = { 0 };
    struct ec_err err = { 0 };
    char path[64];
    int64_t size;

    (void)snprintf(path, sizeof path, "%s/full.safetensors", folder());
    CHECK_OK(ec_tensors_write(path, two, 2, NULL, 0, fetch, NULL, &err));
    size = size_of(path);
    CHECK(getrlimit(RLIMIT_FSIZE, &was) == 0);
    small = (struct rlimit){ (rlim_t)size - 8, was.rlim_max };
    (void)signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK_FAILS(ec_tensors_write(path, two, 2, NULL, 0, fetch, NULL, &err), EC_E_IO,
                "cannot write: File too large");
    CHECK(setrlimit(RLIMIT_FSIZE, &was) == 0);
    CHECK_INT(n_entries(folder()), 1);
    CHECK_INT(size_of(path), size);
    (void)unlink(path);
}

/* A byte that changed anywhere in the file is found, but for the name of the checksum itself. */
TEST(every_damaged_byte_is_found)
{
    const struct ec_tensor_note note = { "state", "1 2 3" };
    struct ec_tensors f = { 0 };
    struct ec_err err = { 0 };
    struct ec_file file = { 0 };
    unsigned char bytes[512];
    char path[64];
    size_t len, i;
    int found = 0, without = 0;

    (void)snprintf(path, sizeof path, "%s/d.safetensors", folder());
    CHECK_OK(ec_tensors_write(path, two, 2, &note, 1, fetch, NULL, &err));
    CHECK_OK(ec_file_open(path, sizeof bytes, &file, &err));
    len = file.len;
    memcpy(bytes, file.data, len);
    ec_file_close(&file);
    for (i = 0; i < 8 * len; i++) {
        bytes[i / 8] = (unsigned char)(bytes[i / 8] ^ 1 << i % 8);
        if (ec_tensors_parse(bytes, len, &f, &err))
            found++;
        else if (!ec_tensors_note(&f, "crc32"))
            without++;
        ec_tensors_clear(&f);
        bytes[i / 8] = (unsigned char)(bytes[i / 8] ^ 1 << i % 8);
    }
    CHECK_INT(found + without, 8 * len);
    CHECK(without <= 8 * 20); /* "__metadata__", "crc32" */
    bytes[len - 1] ^= 1;
    CHECK_FAILS(ec_tensors_parse(bytes, len, &f, &err), EC_E_PARSE, "the file is damaged");
    (void)unlink(path);
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
