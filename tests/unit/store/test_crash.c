/* A process that is killed while it writes loses at most what it was writing. */
#include "store_test.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#define ROWS 6000 /* some batches long */
#define KILLS 12

static void make_table(const char *path)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    ec_buf_str(&text, "device,m,n,k,a_transposed,b_transposed,precision,time_ms\n");
    for (i = 0; i < ROWS; i++)
        ec_buf_printf(&text, "t4,%d,64,32,0,0,fp32,%d.5\n", i + 1, i + 1);
    CHECK_OK(ec_file_write(path, text.data, text.len, &err));
    ec_buf_clear(&text);
}

/* One number out of the file, by a connection of its own. */
static int64_t ask(const char *path, const char *sql)
{
    sqlite3_stmt *q = NULL;
    sqlite3 *db = NULL;
    int64_t v = -1;

    CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
    if (sqlite3_step(q) == SQLITE_ROW)
        v = sqlite3_column_int64(q, 0);
    (void)sqlite3_finalize(q);
    (void)sqlite3_close(db);
    return v;
}

static void check_whole(const char *path)
{
    CHECK_INT(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    CHECK_INT(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    CHECK_INT(ask(path, "SELECT count(*) FROM (SELECT source_row FROM measurement "
                        "GROUP BY source_id, source_row, reading HAVING count(*) > 1)"),
              0);
}

static void import_all(const char *store, const char *table, struct ec_store_counts *c)
{
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_store_open(store, 0, &s, &err));
    CHECK_OK(ec_store_import(s, table, NULL, c, &err));
    ec_store_close(s);
}

/* Runs fn in a child that is killed after so many microseconds. */
static void kill_after(void (*fn)(int to_parent), unsigned us, int *ret_last)
{
    int pipe_fd[2], status = 0;
    pid_t child;

    CHECK_INT(pipe(pipe_fd), 0);
    child = fork();
    if (child == 0) {
        (void)close(pipe_fd[0]);
        fn(pipe_fd[1]);
        _exit(0);
    }
    (void)close(pipe_fd[1]);
    (void)usleep(us);
    (void)kill(child, SIGKILL);
    CHECK_INT(waitpid(child, &status, 0), child);
    while (read(pipe_fd[0], ret_last, sizeof *ret_last) == (ssize_t)sizeof *ret_last)
        continue;
    (void)close(pipe_fd[0]);
}

static char store_path[96], table_path[96];

static void child_imports(int to_parent)
{
    struct ec_store_counts c;

    (void)to_parent;
    import_all(store_path, table_path, &c);
}

TEST(an_import_that_was_killed_is_finished_by_another)
{
    struct ec_store_counts c = { 0 };
    struct ec_rng rng;
    int i, unused = 0;

    ec_rng_seed(&rng, 7);
    (void)store_file("import", store_path, sizeof store_path);
    make_table(store_file("table.csv", table_path, sizeof table_path));
    for (i = 0; i < KILLS; i++)
        kill_after(child_imports, (unsigned)ec_rng_range(&rng, 500, 150000), &unused);
    import_all(store_path, table_path, &c);
    CHECK_INT(c.added + c.known, ROWS);
    CHECK_INT(ask(store_path, "SELECT count(*) FROM measurement"), ROWS);
    check_whole(store_path);
    import_all(store_path, table_path, &c);
    CHECK_INT(c.added, 0);
}

/* Rows one by one, each told to the parent once it is written. */
static void child_measures(int to_parent)
{
    struct ec_source source = { .key = "own" };
    struct ec_store *s = NULL;
    struct ec_err err = { 0 };
    int64_t source_id = 0, id = 0;
    int i;

    if (ec_store_open(store_path, 0, &s, &err) || ec_store_add_source(s, &source, &source_id, &err))
        _exit(1);
    for (i = 0; i < 100000; i++) {
        struct ec_record r = record_of("relu x=64", i, 5 + i);

        if (ec_store_add(s, source_id, 0, &r, &id, NULL, &err) ||
            write(to_parent, &i, sizeof i) != (ssize_t)sizeof i)
            _exit(1);
    }
}

TEST(what_was_written_is_there_after_a_kill)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 11);
    for (i = 0; i < KILLS; i++) {
        char name[16], sql[96];
        int last = -1;

        (void)snprintf(name, sizeof name, "own%d", i);
        (void)store_file(name, store_path, sizeof store_path);
        ec_store_close(NULL);
        kill_after(child_measures, (unsigned)ec_rng_range(&rng, 10000, 60000), &last);
        if (last < 0)
            continue; /* killed before the first row */
        (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM measurement WHERE source_row <= %d",
                       last);
        CHECK_INT(ask(store_path, sql), last + 1);
        CHECK(ask(store_path, "SELECT count(*) FROM measurement") <= last + 2);
        check_whole(store_path);
    }
}

TEST(leaves_nothing_behind)
{
    store_remove_all();
}
