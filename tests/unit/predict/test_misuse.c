/* A program that calls the library wrongly, and ends by its own return: each exported function with
 * each argument absent, with sizes that no version had, with values out of every range, and rows of
 * a store that was closed. A new export without a row here fails. */
#include "epochcast/epochcast.h"
#include "predict/predict.h"
#include "test.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* What the calls work on; the tests of a row set it up. */
static struct {
    struct ec_predictor *p;
    struct ec_store *store;
    struct ec_graph *graph;
    const struct ec_device *device;
    struct ec_predict_opts opts;
    char folder[64], path[96], table[96];
} on;

static void write_table(void)
{
    static const char text[] = "env,device,model,batch_size,iteration,time_ms\n"
                               "a,t4,resnet18,8,0,20\na,t4,resnet18,8,1,21\n";
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(on.table, text, strlen(text), &err));
}

static void set_up(void)
{
    struct ec_err err = { 0 };

    (void)snprintf(on.folder, sizeof on.folder, "/tmp/epochcast-misuse-XXXXXX");
    CHECK(mkdtemp(on.folder) != NULL);
    (void)snprintf(on.path, sizeof on.path, "%s/store", on.folder);
    (void)snprintf(on.table, sizeof on.table, "%s/table.csv", on.folder);
    write_table();
    CHECK_OK(ec_predictor_new(&on.p, &err));
    CHECK_OK(ec_store_open(on.path, 0, &on.store, &err));
    CHECK_OK(ec_store_import_file(on.store, on.table, NULL, NULL, NULL, &err));
    CHECK_OK(ec_graph_open("lenet5", NULL, &on.graph, &err));
    CHECK_OK(ec_device_find("t4", &on.device, &err));
    ec_predict_opts_default(&on.opts);
}

static void tear_down(void)
{
    char command[96];

    ec_predictor_free(on.p);
    ec_store_close(on.store);
    ec_graph_free(on.graph);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", on.folder);
    CHECK_INT(system(command), 0);
}

/* --- The table: a function calls its export with the arguments in `absent` NULL --- */

#define GIVE(i, x) (absent & 1U << (i) ? NULL : (x))
#define CALL(name) static enum ec_status call_##name(unsigned absent, struct ec_err *err)

CALL(status_name)
{
    (void)absent;
    (void)err;
    return ec_status_name((enum ec_status)99) ? EC_OK : EC_E_IO;
}

CALL(status_text)
{
    (void)absent;
    (void)err;
    return ec_status_text((enum ec_status) - 99) ? EC_OK : EC_E_IO;
}

CALL(graph_open)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts };
    struct ec_graph *g = NULL;
    enum ec_status st = ec_graph_open(GIVE(0, "lenet5"), GIVE(1, &opts), GIVE(2, &g), err);

    ec_graph_free(g);
    return st;
}

CALL(graph_free)
{
    struct ec_graph *g = NULL;
    enum ec_status st = ec_graph_open("lenet5", NULL, &g, err);

    ec_graph_free(GIVE(0, g));
    if (absent)
        ec_graph_free(g);
    return st;
}

CALL(graph_name)
{
    (void)err;
    return ec_graph_name(GIVE(0, on.graph)) ? EC_OK : EC_E_IO;
}

CALL(graph_batch)
{
    (void)err;
    return ec_graph_batch(GIVE(0, on.graph)) >= 0 ? EC_OK : EC_E_IO;
}

CALL(zoo_names)
{
    int n;

    (void)err;
    return ec_zoo_names(GIVE(0, &n)) ? EC_OK : EC_E_IO;
}

CALL(device_find)
{
    const struct ec_device *d;

    return ec_device_find(GIVE(0, "t4"), GIVE(1, &d), err);
}

CALL(device_read)
{
    const struct ec_device *d;

    return ec_device_read(GIVE(0, "/no/such.json"), GIVE(1, &d), err);
}

CALL(device_key)
{
    (void)err;
    return ec_device_key(GIVE(0, on.device)) ? EC_OK : EC_E_IO;
}

CALL(device_name)
{
    (void)err;
    return ec_device_name(GIVE(0, on.device)) ? EC_OK : EC_E_IO;
}

CALL(device_number)
{
    struct ec_qty q;

    return ec_device_number(GIVE(0, on.device), GIVE(1, "tdp_w"), GIVE(2, &q), err);
}

CALL(devices)
{
    int n;

    (void)err;
    return ec_devices(GIVE(0, &n)) ? EC_OK : EC_E_IO;
}

CALL(predictor_new)
{
    struct ec_predictor *p = NULL;
    enum ec_status st = ec_predictor_new(GIVE(0, &p), err);

    ec_predictor_free(p);
    return st;
}

CALL(predictor_free)
{
    struct ec_predictor *p = NULL;
    enum ec_status st = ec_predictor_new(&p, err);

    ec_predictor_free(GIVE(0, p));
    if (absent)
        ec_predictor_free(p);
    return st;
}

CALL(predictor_use_profile)
{
    return ec_predictor_use_profile(GIVE(0, on.p), GIVE(1, "/no/such/profile"), err);
}

CALL(predict_opts_default)
{
    struct ec_predict_opts o;

    (void)err;
    ec_predict_opts_default(GIVE(0, &o));
    return EC_OK;
}

CALL(predict_opts_set)
{
    struct ec_predict_opts o = on.opts;

    return ec_predict_opts_set(GIVE(0, &o), GIVE(1, "precision"), GIVE(2, "amp"), err);
}

CALL(predict_network_into)
{
    struct ec_prediction r;

    return ec_predict_network_into(GIVE(0, on.p), GIVE(1, "lenet5"), GIVE(2, "t4"),
                                   GIVE(3, &on.opts), GIVE(4, &r), sizeof r, err);
}

CALL(predict_op_into)
{
    struct ec_prediction r;

    return ec_predict_op_into(GIVE(0, on.p), GIVE(1, "relu x=2x3x4x4"), GIVE(2, "t4"),
                              GIVE(3, &on.opts), GIVE(4, &r), sizeof r, err);
}

CALL(store_open)
{
    struct ec_store *s = NULL;
    enum ec_status st = ec_store_open(GIVE(0, on.path), 0, GIVE(1, &s), err);

    ec_store_close(s);
    return st;
}

CALL(store_close)
{
    struct ec_store *s = NULL;
    enum ec_status st = ec_store_open(on.path, EC_STORE_READ, &s, err);

    ec_store_close(GIVE(0, s));
    if (absent)
        ec_store_close(s);
    return st;
}

CALL(store_schema_version)
{
    (void)absent;
    (void)err;
    return ec_store_schema_version() > 0 ? EC_OK : EC_E_IO;
}

CALL(store_import_file)
{
    int64_t added, known;

    return ec_store_import_file(GIVE(0, on.store), GIVE(1, on.table), GIVE(2, "t4"),
                                GIVE(3, &added), GIVE(4, &known), err);
}

CALL(store_merge_file)
{
    int64_t added, known;

    return ec_store_merge_file(GIVE(0, on.store), GIVE(1, "/no/such/store"), GIVE(2, &added),
                               GIVE(3, &known), err);
}

CALL(store_find)
{
    struct ec_store_rows *rows = NULL;
    enum ec_status st =
        ec_store_find(GIVE(0, on.store), GIVE(1, "t4"), NULL, GIVE(2, "*"), GIVE(3, &rows), err);

    ec_store_rows_free(rows);
    return st;
}

CALL(store_read)
{
    struct ec_store_row row = { .struct_size = sizeof row };
    struct ec_store_rows *rows = NULL;
    enum ec_status st = ec_store_find(on.store, NULL, NULL, NULL, &rows, err);

    if (!st)
        st = ec_store_read(GIVE(0, rows), GIVE(1, &row), err);
    ec_store_rows_free(rows);
    return st;
}

CALL(store_rows_free)
{
    struct ec_store_rows *rows = NULL;
    enum ec_status st = ec_store_find(on.store, NULL, NULL, NULL, &rows, err);

    ec_store_rows_free(GIVE(0, rows));
    if (absent)
        ec_store_rows_free(rows);
    return st;
}

CALL(predict_json)
{
    const char *line;

    return ec_predict_json(GIVE(0, on.p), GIVE(1, "{\"model\": \"lenet5\"}"), GIVE(2, &line), err);
}

CALL(command)
{
    char name[] = "device", key[] = "t4", *word[] = { name, key }, *out = NULL, *said = NULL;
    enum ec_status st = ec_command(2, GIVE(0, word), GIVE(1, &out), GIVE(2, &said), err);

    ec_text_free(out);
    ec_text_free(said);
    return st;
}

CALL(command_main)
{
    (void)absent;
    (void)err;
    return ec_command_main(0, NULL) ? EC_OK : EC_E_IO;
}

CALL(text_free)
{
    (void)absent;
    (void)err;
    ec_text_free(NULL);
    return EC_OK;
}

CALL(version)
{
    (void)absent;
    (void)err;
    return ec_version() ? EC_OK : EC_E_IO;
}

/* The arguments that are pointers, in the order of GIVE; '?' marks those that may be NULL. */
#define ROW(name, args)                                                                            \
    {                                                                                              \
        "ec_" #name, args, call_##name                                                             \
    }
static const struct row {
    const char *name, *args;
    enum ec_status (*call)(unsigned absent, struct ec_err *err);
} rows[] = {
    ROW(status_name, ""),
    ROW(status_text, ""),
    ROW(graph_open, "source opts? ret"),
    ROW(graph_free, "g?"),
    ROW(graph_name, "g?"),
    ROW(graph_batch, "g?"),
    ROW(zoo_names, "ret_count?"),
    ROW(device_find, "key ret"),
    ROW(device_read, "word ret?"),
    ROW(device_key, "d?"),
    ROW(device_name, "d?"),
    ROW(device_number, "d name ret"),
    ROW(devices, "ret_count?"),
    ROW(predictor_new, "ret"),
    ROW(predictor_free, "p?"),
    ROW(predictor_use_profile, "p path?"),
    ROW(predict_opts_default, "opts?"),
    ROW(predict_opts_set, "opts name value"),
    ROW(predict_network_into, "p model device opts? ret"),
    ROW(predict_op_into, "p op_text device opts? ret"),
    ROW(store_open, "path ret"),
    ROW(store_close, "s?"),
    ROW(store_schema_version, ""),
    ROW(store_import_file, "s path device? ret_added? ret_known?"),
    ROW(store_merge_file, "s other ret_added? ret_known?"),
    ROW(store_find, "s device? network? ret"),
    ROW(store_read, "rows ret"),
    ROW(store_rows_free, "rows?"),
    ROW(predict_json, "p request ret"),
    ROW(command, "word ret_out ret_said?"),
    ROW(command_main, ""),
    ROW(text_free, ""),
    ROW(version, ""),
};

/* Name of the first argument that is absent and may not be; "": there is none. *ret_n: how many
 * arguments there are. */
static const char *first_missing(const char *args, unsigned absent, int *ret_n)
{
    static char name[32];
    struct ec_span rest = ec_span_of(args), word;

    *name = '\0';
    for (*ret_n = 0; rest.p && rest.len && ec_span_cut(&rest, ' ', &word); ++*ret_n)
        if (absent & 1U << *ret_n && word.p[word.len - 1] != '?' && !*name)
            (void)snprintf(name, sizeof name, "%.*s", (int)word.len, word.p);
    return name;
}

static void call_without(const struct row *r, unsigned absent)
{
    struct ec_err err = { 0 };
    char expected[96];
    int n;
    const char *missing = first_missing(r->args, absent, &n);
    enum ec_status st = r->call(absent, &err);

    (void)snprintf(expected, sizeof expected, "%s: %s is NULL", r->name, missing);
    if (*missing) {
        CHECK_STR(ec_status_name(st), "E_INPUT");
        CHECK_STR(err.text, expected);
    } else if (strstr(err.text, "is NULL")) {
        test_fail(__FILE__, __LINE__, "%s refuses what may be NULL: %s", r->name, err.text);
    }
    CHECK_INT(r->call(absent, NULL), st);
}

TEST(each_argument_may_be_absent)
{
    unsigned absent;
    int i, n;

    set_up();
    for (i = 0; i < EC_LEN(rows); i++) {
        (void)first_missing(rows[i].args, 0, &n);
        for (absent = 0; absent < 1U << n; absent++)
            call_without(&rows[i], absent);
    }
    tear_down();
}

/* --- Every export has a row --- */

static bool has_row(struct ec_span name)
{
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        if (ec_span_eq(name, rows[i].name))
            return true;
    return false;
}

/* A declaration is "EC_API type ec_name(". tests/install/run compares these with what the library
 * exports. */
static int check_header(const char *path)
{
    struct ec_err err = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_file f = { 0 };
    const char *p;
    int n = 0;

    CHECK_OK(ec_file_open(path, 1 << 20, &f, &err));
    ec_buf_add(&text, f.data, f.len);
    for (p = strstr(ec_buf_text(&text), "\nEC_API"); p; p = strstr(p + 1, "\nEC_API")) {
        const char *end = strchr(p, '('), *begin = end;

        while (begin > p && begin[-1] != ' ' && begin[-1] != '*' && begin[-1] != '\n')
            begin--;
        n++;
        if (!end || !has_row((struct ec_span){ begin, (size_t)(end - begin) }))
            test_fail(__FILE__, __LINE__, "%s: no row for %.40s", path, begin);
    }
    ec_buf_clear(&text);
    ec_file_close(&f);
    return n;
}

TEST(each_export_has_a_row)
{
    glob_t files;
    size_t i;
    int n = 0;

    CHECK_INT(glob("include/epochcast/*.h", 0, NULL, &files), 0);
    for (i = 0; i < files.gl_pathc; i++)
        n += check_header(files.gl_pathv[i]);
    CHECK_INT(n, EC_LEN(rows));
    globfree(&files);
}

/* --- Sizes --- */

static const size_t wrong_sizes[] = { 0, 1, 7, SIZE_MAX / 2, SIZE_MAX };

static void check_size(enum ec_status st, size_t size, const struct ec_err *err)
{
    char found[64];

    (void)snprintf(found, sizeof found, "struct_size is %zu,", size);
    CHECK_STR(ec_status_name(st), "E_INPUT");
    CHECK_HAS(err->text, found);
}

TEST(sizes_that_no_version_had)
{
    struct ec_store_rows *found = NULL;
    struct ec_err err = { 0 };
    struct ec_graph *g = NULL;
    struct ec_prediction r;
    int i;

    set_up();
    CHECK_OK(ec_store_find(on.store, NULL, NULL, NULL, &found, &err));
    for (i = 0; i < EC_LEN(wrong_sizes); i++) {
        size_t size = wrong_sizes[i];
        struct ec_graph_opts graph = { .struct_size = size };
        struct ec_store_row row = { .struct_size = size };
        struct ec_predict_opts o = on.opts;

        o.struct_size = size;
        check_size(ec_graph_open("lenet5", &graph, &g, &err), size, &err);
        check_size(ec_store_read(found, &row, &err), size, &err);
        check_size(ec_predict_network(on.p, "lenet5", "t4", &o, &r, &err), size, &err);
        check_size(ec_predict_op(on.p, "relu x=2x3", "t4", &o, &r, &err), size, &err);
        check_size(ec_predict_network_into(on.p, "lenet5", "t4", NULL, &r, size, &err), size, &err);
        check_size(ec_predict_op_into(on.p, "relu x=2x3", "t4", NULL, &r, size, &err), size, &err);
    }
    ec_store_rows_free(found);
    tear_down();
}

/* --- Handles --- */

TEST(rows_outlive_their_store)
{
    struct ec_store_row row = { .struct_size = sizeof row };
    struct ec_store_rows *first = NULL, *second = NULL;
    struct ec_err err = { 0 };

    set_up();
    CHECK_OK(ec_store_find(on.store, NULL, NULL, NULL, &first, &err));
    CHECK_OK(ec_store_find(on.store, NULL, NULL, NULL, &second, &err));
    ec_store_rows_free(second);
    ec_store_close(on.store);
    on.store = NULL;
    CHECK_OK(ec_store_read(first, &row, &err));
    CHECK_INT(row.id, 1);
    CHECK_STR(row.device, "t4");
    ec_store_rows_free(first);
    tear_down();
}

TEST(a_flag_that_there_is_not)
{
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };

    CHECK_FAILS(ec_store_open("/no/such/store", 0xf0, &s, &err), EC_E_INPUT, "flags are 0xf0");
}

/* --- Values: any status, but no signal --- */

static void try_opts(const struct ec_predict_opts *o)
{
    struct ec_prediction r;
    struct ec_err err = { 0 };
    enum ec_status network = ec_predict_network(on.p, "lenet5", "t4", o, &r, &err);
    enum ec_status op = ec_predict_op(on.p, "relu x=2x3x4x4", "t4", o, &r, &err);

    CHECK((!network && !op) || *err.text);
}

TEST(options_out_of_every_range)
{
    static const int64_t integers[] = { INT64_MIN, -1, 3, INT32_MAX, INT64_MAX };
    static const double numbers[] = { -1, 1e300, (double)NAN, (double)INFINITY };
    static const char *const texts[] = {
        "", ",", "=", "%s%n", "\xff\xfe", "1e999", "-1x-1", "a=b"
    };
    const struct ec_field *f;
    int i;

    set_up();
    for (f = ec_predict_fields; f->name; f++) {
        struct ec_predict_opts o = on.opts;
        char *at = (char *)&o + f->offset;

        for (i = 0; i < EC_LEN(integers) && f->type == EC_F_INT; i++) {
            memcpy(at, &integers[i], sizeof integers[i]);
            try_opts(&o);
        }
        for (i = 0; i < EC_LEN(integers) && f->type == EC_F_ENUM; i++) {
            int v = (int)integers[i];

            memcpy(at, &v, sizeof v);
            try_opts(&o);
        }
        for (i = 0; i < EC_LEN(numbers) && f->type == EC_F_DOUBLE; i++) {
            memcpy(at, &numbers[i], sizeof numbers[i]);
            try_opts(&o);
        }
        for (i = 0; i < EC_LEN(texts) && f->type == EC_F_STR; i++) {
            memcpy(at, &texts[i], sizeof texts[i]);
            try_opts(&o);
        }
    }
    tear_down();
}

TEST(sizes_of_networks_out_of_every_range)
{
    static const int64_t integers[] = { INT64_MIN, -1, 1LL << 40, INT64_MAX };
    static const char *const networks[] = { "lenet5", "resnet18", "bert-base", "lstm_lm" };
    struct ec_err err = { 0 };
    int i, k, member;

    for (i = 0; i < EC_LEN(integers); i++)
        for (k = 0; k < EC_LEN(networks); k++)
            for (member = 0; member < 4; member++) {
                struct ec_graph_opts o = { .struct_size = sizeof o };
                int64_t *const at[] = { &o.batch, &o.seq_len, &o.image_px, &o.classes };
                struct ec_graph *g = NULL;

                *at[member] = integers[i];
                if (!ec_graph_open(networks[k], &o, &g, &err))
                    CHECK(ec_graph_batch(g) > 0);
                ec_graph_free(g);
            }
}

TEST(words_of_any_kind)
{
    static char long_word[70000];
    const char *const words[] = { "", " ", "*", "?", ",", "%s%n%d", "\xff\xfe", "\n", long_word };
    const struct ec_device *d = NULL;
    struct ec_graph *g = NULL;
    struct ec_prediction r;
    struct ec_err err = { 0 };
    struct ec_qty q;
    int i;

    memset(long_word, 'a', sizeof long_word - 1);
    set_up();
    for (i = 0; i < EC_LEN(words); i++) {
        struct ec_predict_opts o = on.opts;

        CHECK(ec_device_find(words[i], &d, &err) != EC_OK);
        CHECK(ec_device_number(on.device, words[i], &q, &err) != EC_OK);
        CHECK(ec_graph_open(words[i], NULL, &g, &err) != EC_OK);
        CHECK(ec_predict_opts_set(&o, words[i], words[i], &err) != EC_OK);
        CHECK(ec_predict_network(on.p, words[i], "t4", NULL, &r, &err) != EC_OK);
        CHECK(ec_predict_network(on.p, "lenet5", words[i], NULL, &r, &err) != EC_OK);
        CHECK(ec_predict_op(on.p, words[i], "t4", NULL, &r, &err) != EC_OK);
        CHECK(ec_predictor_use_profile(on.p, words[i], &err) != EC_OK);
        CHECK(ec_store_import_file(on.store, words[i], NULL, NULL, NULL, &err) != EC_OK);
    }
    tear_down();
}
