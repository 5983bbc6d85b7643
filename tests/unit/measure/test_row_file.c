/* Measurement files: rows that come back, torn lines, full disks. */
#include "test.h"

#include "measure/row_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static char path[] = "row-file-XXXXXX";

static const char *fresh(void)
{
    int fd;

    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    fd = mkstemp(path);
    CHECK(fd >= 0);
    (void)close(fd);
    return path;
}

static struct ec_row row_of(const char *what)
{
    struct ec_row r;

    memset(&r, 0, sizeof r);
    r.kind = "operator";
    r.what = what;
    r.family = "linear";
    r.phase = "forward";
    r.method = "separated";
    r.outcome = "ok";
    r.note = "a, \"quoted\" note";
    r.precision = "fp32";
    r.threads = 2;
    return r;
}

TEST(rows_are_taken_up_again)
{
    struct ec_row_file *f = NULL;
    struct ec_sample s[] = {
        {0,  1500, 0, ""},
        { 1, 1600, 0, ""}
    };
    struct ec_timing t;
    struct ec_row r = row_of("linear m=4 k=3 n=5");
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    char run[16], key[EC_ROW_KEY_BYTES];

    memset(&t, 0, sizeof t);
    t.n = 2;
    t.n_warmup = 10;
    t.sample = s;
    t.stop = EC_STOP_BUDGET;
    r.timing = &t;
    CHECK_OK(ec_row_file_open(fresh(), &f, &err));
    CHECK_OK(ec_row_file_append(f, &r, &err));
    CHECK_OK(ec_row_key(&r, key, &err));
    CHECK(ec_row_file_has(f, key));
    (void)snprintf(run, sizeof run, "%s", ec_row_file_run(f));
    ec_row_file_close(f);

    CHECK_OK(ec_row_file_open(path, &f, &err));
    CHECK_INT(ec_row_file_rows(f), 1);
    CHECK(ec_str_eq(ec_row_file_run(f), run));
    CHECK(ec_row_file_has(f, key));
    r.phase = "grad_data";
    CHECK_OK(ec_row_key(&r, key, &err));
    CHECK(!ec_row_file_has(f, key));
    CHECK_OK(ec_row_file_append(f, &r, &err));
    ec_row_file_close(f);

    CHECK_OK(ec_csv_read(path, &csv, &err));
    CHECK_INT(csv.n_rows, 2);
    CHECK(ec_str_eq(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "samples_ns")), "1500 1600"));
    CHECK(ec_str_eq(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "note")), "a, \"quoted\" note"));
    CHECK(ec_str_eq(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "stop")), "budget"));
    CHECK(ec_str_eq(ec_csv_cell(&csv, 1, ec_csv_col(&csv, "run")), run));
    ec_csv_clear(&csv);
    (void)unlink(path);
}

TEST(a_torn_line_is_cut_off)
{
    struct ec_row_file *f = NULL;
    struct ec_row r = row_of("linear m=4 k=3 n=5");
    struct ec_err err = { 0 };
    int fd;

    CHECK_OK(ec_row_file_open(fresh(), &f, &err));
    CHECK_OK(ec_row_file_append(f, &r, &err));
    ec_row_file_close(f);
    fd = open(path, O_WRONLY | O_APPEND);
    CHECK_INT(write(fd, "abc,def,\"gh", 11), 11);
    (void)close(fd);
    CHECK_OK(ec_row_file_open(path, &f, &err));
    CHECK_INT(ec_row_file_rows(f), 1);
    r.batch = 3;
    CHECK_OK(ec_row_file_append(f, &r, &err));
    ec_row_file_close(f);
    CHECK_OK(ec_row_file_open(path, &f, &err));
    CHECK_INT(ec_row_file_rows(f), 2);
    ec_row_file_close(f);
    (void)unlink(path);
}

TEST(another_table_is_refused)
{
    struct ec_row_file *f = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(fresh(), "a,b\n1,2\n", 8, &err));
    CHECK_INT(ec_row_file_open(path, &f, &err), EC_E_PARSE);
    CHECK(strstr(err.text, "no column \"run\"") != NULL);
    (void)unlink(path);
}

TEST(a_full_disk_leaves_whole_rows)
{
    struct ec_row_file *f = NULL;
    struct ec_row r = row_of("linear m=4 k=3 n=5");
    struct rlimit old, tight;
    struct ec_err err = { 0 };
    off_t end;
    int fd;

    CHECK_OK(ec_row_file_open(fresh(), &f, &err));
    CHECK_OK(ec_row_file_append(f, &r, &err));
    fd = open(path, O_RDONLY);
    end = lseek(fd, 0, SEEK_END);
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = (rlim_t)end + 20;
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &tight), 0);
    r.phase = "update";
    CHECK_INT(ec_row_file_append(f, &r, &err), EC_E_IO);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &old), 0);
    CHECK_INT(lseek(fd, 0, SEEK_END), end);
    (void)close(fd);
    ec_row_file_close(f);
    (void)unlink(path);
}

TEST(what_is_held_out_is_known_by_name)
{
    int held = 0, i;
    char what[64];

    for (i = 1; i <= 2000; i++) {
        (void)snprintf(what, sizeof what, "linear m=%d k=3 n=5", i);
        held += ec_row_held_out("operator", what);
        CHECK(!ec_row_held_out("ceiling", what));
    }
    CHECK(held > 150 && held < 250);
    CHECK(ec_row_held_out("network", "resnet50") == ec_row_held_out("network", "resnet50:a=1"));
}
