/* Devices from files: each form, what is taken from the catalogue, what is refused. */
#include "test.h"

#include "hw/device_internal.h"

#include <stdlib.h>
#include <unistd.h>

static const char sheets[] = "GPU,Provisioning,Base Clock (MHz),Boost Clock (MHz),Memory (GB),"
                             "GPU Memory Bandwidth (GB/s),Cores,SM,FP16,FP32\n"
                             "L4,Cloud,795,2040,24,300,7424,60,30290,30290\n"
                             "RTX4090,Local,2235,2520,24,1001,16384,128,82580,82580\n";

/* The only device in a text; NULL, and a failed check, where there is another number of them. */
static const struct ec_device *parse(const char *name, const char *wanted, const char *text,
                                     struct ec_arena *a, struct ec_err *err)
{
    const struct ec_device **list = NULL;
    int n = 0;
    enum ec_status st = ec__devices_parse(name, wanted, ec_span_of(text), a, &list, &n, err);

    err->status = st;
    if (!st)
        CHECK_INT(n, 1);
    return st ? NULL : list[0];
}

static void check_refused(const char *name, const char *text, enum ec_status status,
                          const char *part)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK(parse(name, NULL, text, &a, &err) == NULL);
    CHECK_STR(ec_status_name(err.status), ec_status_name(status));
    CHECK_HAS(err.text, part);
    ec_arena_clear(&a);
}

TEST(words_that_name_files)
{
    CHECK(ec_device_is_file("a.json") && ec_device_is_file("dir.d/GPUs.CSV:L4"));
    CHECK(ec_device_is_file("GPUs.csv") && ec_device_is_file("GPUs.csv:RTX*"));
    CHECK(!ec_device_is_file("rtx3090") && !ec_device_is_file("a.jsonx"));
    CHECK(!ec_device_is_file("") && !ec_device_is_file("this"));
}

/* What mlpredict has of a V100; the file's name says which it is. */
TEST(three_numbers_are_enough)
{
    static const char text[] = "{\"bandwidth\": 900, \"cores\": 5120, \"clock\": 1455}";
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_device *d = parse("V100.json", NULL, text, &a, &err);

    CHECK_STR(d ? d->key : err.text, "V100.json");
    if (d) {
        CHECK_NEAR(d->fp32_flop_per_s.value, 2 * 5120 * 1455e6, 0.01);
        CHECK_NEAR(d->memory_bytes_per_s.value, 900e9, 0);
        CHECK_NEAR(d->boost_hz.value, 1455e6, 0);
        CHECK_INT(d->compute_capability, 70);
        CHECK_STR(ec_device_measured_as(d), "");
        CHECK_HAS(d->file_note, "by the name of the file");
        CHECK_HAS(d->file_note, "this differs: boost clock");
    }
    d = parse("V100.json", NULL, "{\"bandwidth\": 897}", &a, &err);
    CHECK_HAS(d ? d->file_note : err.text, "not used (\"like\": \"v100\" uses them)");
    d = parse("mine.json", NULL, text, &a, &err);
    CHECK_HAS(d ? d->file_note : err.text, "the nearest");
    CHECK_INT(d ? d->compute_capability : 0, 70);
    CHECK(d && !d->memory_bytes.src); /* of the board: nothing follows from what is near */
    ec_arena_clear(&a);
}

TEST(rows_of_a_table)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_device *d = parse("GPUs.csv", "rtx 4090", sheets, &a, &err);
    const struct ec_device **list = NULL;
    int n = 0;

    CHECK_STR(d ? d->key : err.text, "GPUs.csv:RTX4090");
    if (d) {
        CHECK_NEAR(d->fp32_flop_per_s.value, 82.58e12, 1e-9);
        CHECK_NEAR(d->memory_bytes.value, 24 * 0x1p30, 0);
        CHECK_INT(d->l2_bytes.src, EC_SRC_DATASHEET);
        CHECK_STR(d->l2_bytes.ref, "as of rtx4090");
        CHECK_STR(ec_device_measured_as(d), "rtx4090");
    }
    CHECK_OK(ec__devices_parse("GPUs.csv", NULL, ec_span_of(sheets), &a, &list, &n, &err));
    CHECK_INT(n, 2);
    CHECK_OK(ec__devices_parse("GPUs.csv", "rtx*", ec_span_of(sheets), &a, &list, &n, &err));
    CHECK_INT(n, 1);
    CHECK(parse("GPUs.csv", "H100", sheets, &a, &err) == NULL);
    CHECK_STR(err.text, "no device \"H100\"; it has L4, RTX4090");
    ec_arena_clear(&a);
}

/* A board of another size is no longer the device that was measured. */
TEST(numbers_that_differ_are_said)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_device *d =
        parse("a.json", NULL, "{\"like\": \"rtx3090\", \"memory_bytes_per_s\": 500e9}", &a, &err);

    CHECK_STR(d ? ec_device_measured_as(d) : err.text, "");
    CHECK_HAS(d ? d->file_note : err.text, "this differs: memory bandwidth");
    d = parse("a.json", NULL, "{\"like\": \"rtx3090\", \"memory_bytes\": 48e9}", &a, &err);
    CHECK_STR(d ? ec_device_measured_as(d) : err.text, "rtx3090");
    CHECK_NEAR(d ? d->memory_bytes.value : 0, 48e9, 0);
    d = parse("a.json", NULL, "{\"like\": \"rtx3090\", \"l2_bytes\": null, \"tpyo\": 1}", &a, &err);
    CHECK(d && !d->l2_bytes.src);
    CHECK_HAS(d ? d->file_note : err.text, "not read: tpyo");
    ec_arena_clear(&a);
}

TEST(units)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_device *d =
        parse("a.json", NULL,
              "{\"like\": \"h100-sxm5-80gb\", \"fp32\": 66.9, "
              "\"memory bandwidth (TB/s)\": 3.35, \"clock (GHz)\": \"1.98\", "
              "\"L2 cache (MiB)\": 50}",
              &a, &err);

    CHECK(d != NULL);
    CHECK_NEAR(d ? d->fp32_flop_per_s.value : 0, 66.9e12, 1e-9);
    CHECK_NEAR(d ? d->memory_bytes_per_s.value : 0, 3.35e12, 1e-9);
    CHECK_NEAR(d ? d->boost_hz.value : 0, 1.98e9, 1e-9);
    CHECK_NEAR(d ? d->l2_bytes.value : 0, 50 * 0x1p20, 1e-9);
    ec_arena_clear(&a);
    check_refused("a.json", "{\"like\": \"t4\", \"bandwidth\": 320e9}", EC_E_INPUT,
                  "is the unit right?");
    check_refused("a.json", "{\"like\": \"t4\", \"bandwidth (furlongs)\": 320}", EC_E_INPUT,
                  "bandwidth (furlongs): this unit is not known");
    check_refused("a.json", "{\"like\": \"t4\", \"bandwidth\": -1}", EC_E_INPUT, "expected 1e+07");
    check_refused("a.json", "{\"like\": \"t4\", \"bandwidth\": \"fast\"}", EC_E_INPUT,
                  "expected a number");
    check_refused("a.json", "{\"like\": \"t4\", \"clock_kind\": \"odd\"}", EC_E_INPUT,
                  "clock_kind: expected a word such as \"specified\"");
}

TEST(files_that_are_refused)
{
    check_refused("VGG16.json", "{\"layers\": {\"1\": {\"name\": \"conv\"}}}", EC_E_INPUT,
                  "bandwidth, and cores or fp32");
    check_refused("a.json", "{\"like\": \"t5\"}", EC_E_NOT_FOUND, "like: no device \"t5\"");
    check_refused("a.json", "[3]", EC_E_PARSE, "expected an object");
    check_refused("a.json", "{", EC_E_PARSE, "line 1");
    check_refused("a.json", "[]", EC_E_NOT_FOUND, "no device");
    check_refused("a.json", "[{\"key\": \"t4\"}, {\"key\": \"t4\"}]", EC_E_INPUT,
                  "t4: two devices have this name");
    check_refused("a.json", "[{\"key\": \"t4\"}, {}]", EC_E_INPUT, "no name for a device");
    check_refused("a.csv", "GPU,Cores\n,100\n", EC_E_INPUT, "no name for a device");
    check_refused("a.csv", "GPU,Cores\n\"a,b\",100\n", EC_E_INPUT, "no name for a device");
    check_refused("a.csv", "", EC_E_PARSE, "");
}

/* Each row of the catalogue, written and read again, is the same device. */
static void check_same(const struct ec_device *d, struct ec_arena *a)
{
    const struct ec_device_qty_info *info;
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_device *back;
    struct ec_err err = { 0 };
    struct ec_json j;
    int n, i;

    info = ec_device_qty_info(&n);
    ec_json_begin(&j, &text, 0);
    ec_json_open(&j, NULL, '{');
    ec_json_str(&j, "key", d->key);
    for (i = 0; i < n; i++)
        if (ec_device_qty(d, &info[i])->src)
            ec_json_num(&j, info[i].name, ec_device_qty(d, &info[i])->value);
        else
            ec_json_null(&j, info[i].name);
    ec_json_close(&j, '}');
    back = parse("x.json", NULL, ec_buf_text(&text), a, &err);
    CHECK_STR(back ? ec_device_measured_as(back) : err.text, d->key);
    for (i = 0; i < n && back; i++)
        CHECK(ec_device_qty(back, &info[i])->value == ec_device_qty(d, &info[i])->value);
    CHECK(back && ec_device_usable_bytes(back) == ec_device_usable_bytes(d));
    ec_buf_clear(&text);
}

TEST(the_catalogue_is_read_as_it_is_written)
{
    const struct ec_device *const *all;
    struct ec_arena a = { 0 };
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        check_same(all[i], &a);
    ec_arena_clear(&a);
}

static void write_file(const char *path, const char *text)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path, text, strlen(text), &err));
}

TEST(a_word_is_read_once_and_then_found)
{
    char folder[] = "/tmp/epochcast-device-XXXXXX", path[64], row[80], other[80], command[96];
    const struct ec_device *d = NULL, *again = NULL, **list = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const char *words[2];
    int n = 0;

    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/one.csv", folder);
    (void)snprintf(row, sizeof row, "%s:L4", path);
    write_file(path, sheets);
    CHECK_FAILS(ec_device_find("one.csv:L4", &d, &err), EC_E_NOT_FOUND, "was not read");
    CHECK_OK(ec_device_read(row, &d, &err));
    CHECK_OK(ec_device_find("one.csv:L4", &again, &err));
    CHECK(d == again);
    CHECK_OK(ec_device_find(row, &again, &err));
    CHECK(d == again);
    CHECK_OK(ec_device_read(path, NULL, &err));
    CHECK_FAILS(ec_device_find(path, &again, &err), EC_E_INPUT, "has 2 devices");
    words[0] = path;
    words[1] = row;
    CHECK_OK(ec_devices_named(&(struct ec_strs){ .n = 2, .v = words }, &list, &n, &a, &err));
    CHECK_INT(n, 2); /* the row is not there twice */
    CHECK(n && list[0] == d);
    (void)snprintf(other, sizeof other, "%s/sub", folder);
    (void)snprintf(command, sizeof command, "mkdir '%s'", other);
    CHECK_INT(system(command), 0);
    (void)snprintf(other, sizeof other, "%s/sub/one.csv", folder);
    write_file(other, sheets);
    CHECK_FAILS(ec_device_read(other, NULL, &err), EC_E_INPUT, "have the same name");
    CHECK_FAILS(ec_device_read("/no/such.json", NULL, &err), EC_E_NOT_FOUND, "/no/such.json");
    CHECK_FAILS(ec_device_read("t4", NULL, &err), EC_E_INPUT, "expected FILE.json");
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
    ec_arena_clear(&a);
}

static enum ec_status parse_once(struct ec_err *err)
{
    struct ec_arena a = { 0 };
    const struct ec_device **list = NULL;
    int n = 0;
    enum ec_status st = ec__devices_parse("GPUs.csv", NULL, ec_span_of(sheets), &a, &list, &n, err);

    ec_arena_clear(&a);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(parse_once);
}
