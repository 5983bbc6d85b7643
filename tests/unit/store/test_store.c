/* The store: opening, migrating, refusing; rows are known again; reading in order and by query. */
#include "store_test.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct ec_store *open_new(const char *name)
{
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    char path[96];

    CHECK_OK(ec_store_open(store_file(name, path, sizeof path), 0, &s, &err));
    return s;
}

static void run_sql(const char *name, const char *sql)
{
    sqlite3 *db = NULL;
    char path[96];

    CHECK_INT(sqlite3_open(store_file(name, path, sizeof path), &db), SQLITE_OK);
    CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

static int64_t add_source(struct ec_store *s, const char *key)
{
    struct ec_source source = { .key = key, .name = "made up", .licence = "none" };
    struct ec_err err = { 0 };
    int64_t id = 0;

    CHECK_OK(ec_store_add_source(s, &source, &id, &err));
    return id;
}

TEST(a_row_is_written_once)
{
    struct ec_store *s = open_new("once");
    struct ec_record r = record_of("linear k=32 m=8 n=16", 3, 1500);
    int64_t source = add_source(s, "a"), first = 0, second = 0;
    struct ec_err err = { 0 };
    bool is_new = false;

    CHECK_OK(ec_store_add(s, source, 0, &r, &first, &is_new, &err));
    CHECK(is_new);
    r.time.ns = 9;
    CHECK_OK(ec_store_add(s, source, 0, &r, &second, &is_new, &err));
    CHECK(!is_new);
    CHECK_INT(second, first);
    r.reading = "other_ms";
    CHECK_OK(ec_store_add(s, source, 0, &r, &second, &is_new, &err));
    CHECK(is_new && second != first);
    CHECK_INT(add_source(s, "a"), source);
    CHECK(add_source(s, "b") != source);
    ec_store_close(s);
}

TEST(rows_come_back_as_they_were)
{
    struct ec_store *s = open_new("back"), *again = NULL;
    struct ec_record r = record_of("linear k=32 m=8 n=16", 0, 1500.5);
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    struct ec_err err = { 0 };
    int64_t id = 0, machine = 0;
    char path[96];

    r.batch = 12;
    r.memory_peak_bytes = 4096;
    r.min = (struct ec_reading){ 1, true };
    r.flags = "odd";
    r.extra = "{\"x\":1}";
    CHECK_OK(ec_store_add_machine(s, "{\"cpu\":1}", &machine, &err));
    CHECK_OK(ec_store_add(s, add_source(s, "a"), machine, &r, &id, NULL, &err));
    ec_store_close(s);
    CHECK_OK(ec_store_open(store_file("back", path, sizeof path), EC_STORE_READ, &again, &err));
    CHECK_OK(ec_store_select(again, NULL, &rows, &err));
    CHECK_OK(ec_store_next(rows, &row, &err));
    CHECK(row != NULL);
    if (row) {
        CHECK_STR(row->r.what, "linear m=8 k=32 n=16"); /* canonical */
        CHECK_STR(row->r.device, "gpu");
        CHECK_INT(row->r.phase, EC_FORWARD);
        CHECK_STR(row->r.flags, "odd");
        CHECK_STR(row->r.extra, "{\"x\":1}");
        CHECK_STR(row->r.machine_json, "{\"cpu\":1}");
        CHECK_STR(row->r.source.key, "a");
        CHECK_INT(row->r.batch, 12);
        CHECK_INT(row->r.seq_len, 0);
        CHECK_NEAR(row->r.time.ns, 1500.5, 0);
        CHECK(row->r.min.known && !row->r.max.known);
        CHECK_NEAR(row->r.memory_peak_bytes, 4096, 0);
        CHECK_OK(ec_store_next(rows, &row, &err));
        CHECK(row == NULL);
    }
    ec_store_rows_free(rows);
    CHECK_FAILS(ec_store_add(again, 1, 0, &r, &id, NULL, &err), EC_E_STORE, "");
    ec_store_close(again);
}

TEST(times_of_samples_are_medians_computed_when_read)
{
    static const int64_t ns[] = { 50, 10, 40, 20, 30, 0 };
    struct ec_store *s = open_new("samples");
    struct ec_record r = record_of("resnet50", 0, 0);
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    struct ec_sample *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int64_t id = 0;
    int i, n = 0;

    r.kind = EC_KIND_network;
    r.time.known = false;
    CHECK_OK(ec_store_add(s, add_source(s, "a"), 0, &r, &id, NULL, &err));
    for (i = 0; i < EC_LEN(ns); i++) {
        struct ec_sample sample = { i, ns[i], 0, i == 1 ? "first" : "" };

        CHECK_OK(ec_store_add_sample(s, id, &sample, &err));
        CHECK_OK(ec_store_add_sample(s, id, &sample, &err)); /* known already */
    }
    CHECK_OK(ec_store_select(s, NULL, &rows, &err));
    CHECK_OK(ec_store_next(rows, &row, &err));
    CHECK_NEAR(row->r.time.ns, 30, 0);
    CHECK_INT(row->n_samples, 6);
    ec_store_rows_free(rows);
    CHECK_OK(ec_store_samples(s, id, &a, &v, &n, &err));
    CHECK_INT(n, 6);
    CHECK_INT(v[1].host_ns, 10);
    CHECK_STR(v[1].flags, "first");
    ec_free(v);
    ec_arena_clear(&a);
    ec_store_close(s);
}

static int count_rows(struct ec_store *s, const struct ec_store_query *q)
{
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    struct ec_err err = { 0 };
    int64_t last = 0;
    int n = 0;

    CHECK_OK(ec_store_select(s, q, &rows, &err));
    CHECK_OK(ec_store_next(rows, &row, &err));
    for (; row; n++) {
        CHECK(row->id > last); /* stable order */
        last = row->id;
        CHECK_OK(ec_store_next(rows, &row, &err));
    }
    ec_store_rows_free(rows);
    return n;
}

TEST(queries)
{
    struct ec_store *s = open_new("query");
    struct ec_record r;
    struct ec_err err = { 0 };
    int64_t source = add_source(s, "one/abc"), id = 0;
    int i;

    for (i = 0; i < 6; i++) {
        r = record_of(i < 3 ? "conv2d n=1 c=3 h=8 w=8 k=4 r=3" : "linear m=8 k=4 n=2", i, 100 * i);
        r.device = i % 2 ? "A100-x" : "v100";
        ec_record_set_word(&r, EC_WORD_PRECISION, i % 2 ? "amp" : "fp32");
        r.flags = i == 5 ? "doubtful" : "";
        r.outcome = i == 4 ? "out_of_memory" : "ok";
        CHECK_OK(ec_store_add(s, source, 0, &r, &id, NULL, &err));
    }
    r = record_of("resnet50:depth=3", 9, 7);
    r.kind = EC_KIND_network;
    CHECK_OK(ec_store_add(s, add_source(s, "two"), 0, &r, &id, NULL, &err));
    CHECK_INT(count_rows(s, NULL), 7);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .device = "a100*" }), 3);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .op = "conv2d" }), 3);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .op = "lin*" }), 3);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .op = "conv" }), 0);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .network = "resnet*" }), 1);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .source = "one/*", .precision = "amp" }), 3);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .kind = "network" }), 1);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .limit = 2 }), 2);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .id = 3 }), 1);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .leave_flagged = true }), 6);
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .only_ok = true }), 5); /* one of 0 ns */
    ec_store_close(s);
}

TEST(outcomes_have_names)
{
    struct ec_store *s = open_new("outcome");
    struct ec_record r = record_of("relu x=8", 0, 5);
    struct ec_err err = { 0 };
    int64_t id = 0;

    r.outcome = "fine";
    CHECK_FAILS(ec_store_add(s, add_source(s, "a"), 0, &r, &id, NULL, &err), EC_E_INPUT,
                "row 1: outcome \"fine\"");
    CHECK_INT(count_rows(s, NULL), 0);
    ec_store_close(s);
}

TEST(texts_that_look_alike_when_joined_are_told_apart)
{
    struct ec_store *s = open_new("alike");
    struct ec_record r = record_of("relu x=8", 0, 5);
    struct ec_err err = { 0 };
    int64_t id = 0;

    r.device = "a\x1f"
               "b";
    r.device_name = "c";
    CHECK_OK(ec_store_add(s, add_source(s, "a"), 0, &r, &id, NULL, &err));
    r.device = "a";
    r.device_name = "b\x1f"
                    "c";
    r.row = 1;
    CHECK_OK(ec_store_add(s, 1, 0, &r, &id, NULL, &err));
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .device = "a" }), 1);
    ec_store_close(s);
}

TEST(an_older_schema_is_brought_up_to_date)
{
    struct ec_store *s = open_new("old");
    struct ec_record r = record_of("relu x=8", 0, 5);
    struct ec_err err = { 0 };
    struct ec_store_check c;
    struct ec_sample *v = NULL;
    struct ec_arena a = { 0 };
    int64_t id = 0;
    char path[96];
    int n = 0;

    CHECK_OK(ec_store_add(s, add_source(s, "a"), 0, &r, &id, NULL, &err));
    CHECK_OK(ec_store_add_sample(s, id, &(struct ec_sample){ 0, 7, 0, "" }, &err));
    ec_store_close(s);
    run_sql("old", "DROP TABLE finding; ALTER TABLE source RENAME mapping TO layout; "
                   "PRAGMA user_version = 1");
    CHECK_FAILS(ec_store_open(store_file("old", path, sizeof path), EC_STORE_READ, &s, &err),
                EC_E_STORE, "older than 6");
    s = open_new("old");
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .device = "gpu" }), 1);
    CHECK_OK(ec_store_samples(s, id, &a, &v, &n, &err)); /* the table was made anew around it */
    CHECK_INT(n, 1);
    ec_free(v);
    ec_arena_clear(&a);
    run_sql("old", "PRAGMA foreign_keys = ON; UPDATE sample SET measurement_id = measurement_id");
    CHECK_OK(ec_store_check(s, true, &c, &err));
    CHECK_INT(c.measurements, 1);
    ec_store_close(s);
}

/* What its readers had to guess from the source's own words. */
TEST(a_store_of_schema_3_says_its_conditions)
{
    static const struct {
        int phase;
        enum ec_mode mode;
        enum ec_precision precision;
        bool queued, half_inputs, input_copy;
    } want[] = {
        {EC_FORWARD,      EC_MODE_FORWARD,          EC_AMP,  true,  true,  false},
        { EC_GRAD_DATA,   EC_MODE_FORWARD_BACKWARD, EC_AMP,  true,  false, false},
        { EC_UPDATE,      EC_MODE_TRAINING_STEP,    EC_FP32, true,  false, false},
        { -1,             EC_MODE_TRAINING_STEP,    EC_FP32, false, false, false},
        { -1,             EC_MODE_FORWARD,          EC_FP32, false, false, true },
        { EC_FORWARD,     EC_MODE_FORWARD,          EC_BF16, true,  false, false},
        { EC_GRAD_WEIGHT, EC_MODE_FORWARD_BACKWARD, EC_BF16, false, false, false},
    };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    struct ec_buf sql = EC_BUF_INIT;
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    struct ec_file f = { 0 };
    char path[96];
    int i;

    CHECK_OK(ec_file_open("tests/recorded/store-schema-3.sql", 1 << 20, &f, &err));
    ec_buf_add(&sql, (const char *)f.data, f.len);
    run_sql("schema3", ec_buf_text(&sql));
    CHECK_OK(ec_store_open(store_file("schema3", path, sizeof path), 0, &s, &err));
    CHECK_OK(ec_store_select(s, NULL, &rows, &err));
    for (i = 0; i < EC_LEN(want); i++) {
        CHECK_OK(ec_store_next(rows, &row, &err));
        if (!row)
            break;
        CHECK_INT(row->r.phase, want[i].phase);
        CHECK(!row->r.foreign[EC_WORD_MODE] && row->r.cond.mode == want[i].mode);
        CHECK(row->r.cond.precision == want[i].precision);
        CHECK(row->r.cond.queued == want[i].queued);
        CHECK(row->r.cond.half_inputs == want[i].half_inputs);
        CHECK(row->r.cond.input_copy == want[i].input_copy);
        CHECK_STR(ec_record_word(&row->r, EC_WORD_RECOMPUTE), "none");
        CHECK(row->r.time.ns > 0);
    }
    CHECK_INT(i, EC_LEN(want));
    ec_store_rows_free(rows);
    ec_store_close(s);
    ec_buf_clear(&sql);
    ec_file_close(&f);
}

/* Words that predictions do not know are kept, as of the other conditions. */
TEST(recomputation_is_stored)
{
    static const char *const words[] = { "none", "full", "half" };
    struct ec_store *s = open_new("recompute");
    struct ec_record r = record_of("relu x=8", 0, 5);
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    struct ec_err err = { 0 };
    int64_t id = 0, source = add_source(s, "a");
    int i;

    for (i = 0; i < EC_LEN(words); i++) {
        ec_record_set_word(&r, EC_WORD_RECOMPUTE, words[i]);
        r.row = i;
        CHECK_OK(ec_store_add(s, source, 0, &r, &id, NULL, &err));
    }
    CHECK_OK(ec_store_select(s, NULL, &rows, &err));
    for (i = 0; i < EC_LEN(words); i++) {
        CHECK_OK(ec_store_next(rows, &row, &err));
        if (!row)
            break;
        CHECK_STR(ec_record_word(&row->r, EC_WORD_RECOMPUTE), words[i]);
        CHECK((ec_record_check(&row->r, &err) == EC_OK) == (i < 2));
    }
    CHECK_INT(i, EC_LEN(words));
    CHECK_HAS(err.text, "half");
    ec_store_rows_free(rows);
    ec_store_close(s);
}

/* SQLite's table has the columns of the list, the ids that a row refers to, and none besides. */
TEST(the_table_of_measurements_has_the_columns_of_the_list)
{
    struct ec_store *s = open_new("columns");
    const struct ec_record_col *c;
    sqlite3_stmt *q = NULL;
    sqlite3 *db = NULL;
    char path[96];
    int n = 0, ids = 0;

    ec_store_close(s);
    CHECK_INT(sqlite3_open(store_file("columns", path, sizeof path), &db), SQLITE_OK);
    CHECK_INT(
        sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info('measurement')", -1, &q, NULL),
        SQLITE_OK);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(q, 0);
        size_t len = strlen(name);

        for (c = ec_record_cols; c->name; c++)
            if (c->table == 'm' && ec_str_eq(c->sql ? c->sql : c->name, name))
                break;
        n += c->name != NULL;
        ids += !c->name;
        CHECK(c->name || ec_str_eq(name + (len > 2 ? len - 2 : 0), "id"));
    }
    for (c = ec_record_cols; c->name; c++)
        n -= c->table == 'm';
    CHECK_INT(n, 0);
    CHECK_INT(ids, 6); /* its own and five that it refers to */
    (void)sqlite3_finalize(q);
    (void)sqlite3_close(db);
}

TEST(what_is_not_our_store_is_refused)
{
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    char path[96];

    ec_store_close(open_new("newer"));
    run_sql("newer", "PRAGMA user_version = 99");
    CHECK_FAILS(ec_store_open(store_file("newer", path, sizeof path), 0, &s, &err), EC_E_STORE,
                "schema 99");
    run_sql("foreign", "CREATE TABLE t(x)");
    CHECK_FAILS(ec_store_open(store_file("foreign", path, sizeof path), 0, &s, &err), EC_E_STORE,
                "not a store");
    write_text(store_file("text", path, sizeof path), "no database at all, but some text in it\n");
    CHECK_FAILS(ec_store_open(path, 0, &s, &err), EC_E_STORE, "not a database");
    CHECK_FAILS(ec_store_open(store_file("none", path, sizeof path), EC_STORE_READ, &s, &err),
                EC_E_NOT_FOUND, "there is no store");
    CHECK_FAILS(ec_store_open("/dev/null/x/y", 0, &s, &err), EC_E_IO, "cannot open");
    CHECK(s == NULL);
}

/* A store whose table of measurements is a view without end, and one that acts when it is written.
 */
TEST(views_and_triggers_of_a_file_are_not_obeyed)
{
    struct ec_record r = record_of("relu shape=4", 1, 1e6);
    struct ec_store *s = open_new("hostile");
    struct ec_store_check c;
    struct ec_err err = { 0 };
    int64_t id = 0;
    bool is_new = false;
    char path[96];

    ec_store_close(s);
    run_sql("hostile", "CREATE TRIGGER t AFTER INSERT ON measurement"
                       " BEGIN DELETE FROM measurement; END");
    s = open_new("hostile");
    CHECK_OK(ec_store_add(s, add_source(s, "a"), 0, &r, &id, &is_new, &err));
    CHECK_INT(count_rows(s, &(struct ec_store_query){ .device = "gpu" }), 1);
    ec_store_close(s);
    run_sql("hostile", "DROP TABLE measurement; CREATE VIEW measurement AS WITH RECURSIVE"
                       " n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n");
    s = NULL;
    CHECK_OK(ec_store_open(store_file("hostile", path, sizeof path), EC_STORE_READ, &s, &err));
    CHECK_INT(ec_store_check(s, false, &c, &err), EC_E_STORE); /* and at once */
    ec_store_close(s);
}

/* As a user who may not write there; root may write everywhere. */
static int read_as_guest(const char *path)
{
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    int n;

    if (geteuid() == 0 && setuid(65534))
        return 2;
    if (ec_store_open(path, EC_STORE_READ, &s, &err))
        return strstr(err.text, "-wal") ? 3 : 4;
    n = count_rows(s, &(struct ec_store_query){ .device = "gpu" });
    ec_store_close(s);
    return n == 1 ? 0 : 5;
}

static int status_of_guest(const char *path)
{
    pid_t child = fork();
    int status = -1;

    if (!child)
        _exit(read_as_guest(path));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_store_on_read_only_media_is_read)
{
    struct ec_record r = record_of("relu shape=4", 1, 1e6);
    char folder[96], path[112], log[120];
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    bool is_new = false;
    int64_t id = 0;

    CHECK(mkdir(store_file("50%#?", folder, sizeof folder), 0755) == 0);
    (void)snprintf(path, sizeof path, "%s/store", folder);
    (void)snprintf(log, sizeof log, "%s-wal", path);
    CHECK_OK(ec_store_open(path, 0, &s, &err));
    CHECK_OK(ec_store_add(s, add_source(s, "a"), 0, &r, &id, &is_new, &err));
    ec_store_close(s);
    CHECK(chmod(store_dir, 0755) == 0 && chmod(folder, 0555) == 0);
    CHECK_INT(status_of_guest(path), 0);
    CHECK(chmod(folder, 0755) == 0);
    write_text(log, "what a writer left");
    CHECK(chmod(folder, 0555) == 0);
    CHECK_INT(status_of_guest(path), 3);
    CHECK(chmod(folder, 0755) == 0);
}

static const char *env_store, *env_data, *env_home;

static char *fake_env(const char *name)
{
    const char *v = ec_str_eq(name, "EPOCHCAST_STORE") ? env_store
                    : ec_str_eq(name, "XDG_DATA_HOME") ? env_data
                                                       : env_home;

    return (char *)(uintptr_t)v;
}

TEST(where_the_store_is)
{
    struct ec_buf path = EC_BUF_INIT;
    struct ec_err err = { 0 };

    env_store = "/s";
    env_data = "/d";
    env_home = "/h";
    CHECK_OK(ec_store_path("given", fake_env, &path, &err));
    CHECK_STR(ec_buf_text(&path), "given");
    CHECK_OK(ec_store_path(NULL, fake_env, &path, &err));
    CHECK_STR(ec_buf_text(&path), "/s");
    env_store = "";
    CHECK_OK(ec_store_path("", fake_env, &path, &err));
    CHECK_STR(ec_buf_text(&path), "/d/epochcast/store.sqlite");
    env_data = NULL;
    CHECK_OK(ec_store_path(NULL, fake_env, &path, &err));
    CHECK_STR(ec_buf_text(&path), "/h/.local/share/epochcast/store.sqlite");
    env_home = NULL;
    CHECK_FAILS(ec_store_path(NULL, fake_env, &path, &err), EC_E_INPUT, "--store");
    ec_buf_clear(&path);
}

TEST(leaves_nothing_behind)
{
    store_remove_all();
}
