/* Iterations as rows of a table, and lines that are appended to tables. */
#include "test.h"

#include "measure/csv_log.h"
#include "measure/measure.h"
#include "measure/measurer_internal.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "iterations-XXXXXX";
static int n_runs, stop_after;

static bool stop(void)
{
    return stop_after && n_runs >= stop_after;
}

static const char *fresh(void)
{
    int fd;

    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    fd = mkstemp(path);
    CHECK(fd >= 0);
    (void)close(fd);
    n_runs = stop_after = 0;
    return path;
}

static enum ec_status run(void *user, int64_t *host_ns, int64_t *device_ns, struct ec_err *err)
{
    (void)user;
    (void)device_ns;
    (void)err;
    n_runs++;
    *host_ns = 1000000;
    return EC_OK;
}

static int measure(const char *what, int64_t max_iters)
{
    struct ec_iterations it = { NULL, "here, now", max_iters, 2 };
    struct ec_record row = { .device = "made-up", .what = what, .batch = 4, .image_px = 96 };
    struct ec_timing t;
    struct ec_err err = { 0 };
    int n;

    CHECK_OK(ec_iterations_open(&it, path, &err));
    CHECK_OK(ec_iterations_run(&it, &row, run, NULL, stop, &t, &err));
    n = t.n;
    ec_timing_clear(&t);
    ec_iterations_close(&it);
    return n;
}

/* Rows in all; those of each network are counted from 0 on. */
static int rows(void)
{
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int n, i;

    CHECK_OK(ec_csv_read(path, &csv, &err));
    n = csv.n_rows;
    for (i = 0; i < n; i++) {
        char want[16];
        bool first = !i || !ec_str_eq(ec_csv_cell(&csv, i, ec_csv_col(&csv, "model")),
                                      ec_csv_cell(&csv, i - 1, ec_csv_col(&csv, "model")));
        static int at;

        at = first ? 0 : at + 1;
        (void)snprintf(want, sizeof want, "%d", at);
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "iteration")), want);
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "env")), "here, now");
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "image_px")), "96");
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "seq_len")), "");
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "images_per_s")), "4000");
    }
    ec_csv_clear(&csv);
    return n;
}

TEST(each_iteration_is_a_row_and_warm_up_is_not)
{
    (void)fresh();
    CHECK_INT(measure("mnist_cnn", 8), 8);
    CHECK_INT(n_runs, 10);
    CHECK_INT(rows(), 8);
    CHECK_INT(measure("lenet5", 3), 3);
    CHECK_INT(rows(), 11);
    (void)unlink(path);
}

TEST(an_unfinished_run_is_taken_back)
{
    (void)fresh();
    CHECK_INT(measure("lenet5", 3), 3);
    stop_after = n_runs + 6;
    CHECK_INT(measure("mnist_cnn", 8), 4);
    CHECK_INT(rows(), 7);
    stop_after = 0;
    CHECK_INT(measure("mnist_cnn", 8), 8);
    CHECK_INT(rows(), 11);
    (void)unlink(path);
}

TEST(a_torn_line_is_cut_off)
{
    static const char torn[] = "a,b\n1,2\n3,";
    struct ec_csv_log *l = NULL;
    struct ec_csv csv = { 0 };
    struct ec_buf line = EC_BUF_INIT;
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(fresh(), torn, sizeof torn - 1, &err));
    CHECK_OK(ec_csv_log_open(path, "a,b", NULL, &l, &csv, &err));
    CHECK_INT(csv.n_rows, 1);
    ec_csv_clear(&csv);
    ec_buf_str(&line, "5,6\n");
    CHECK_OK(ec_csv_log_append(l, &line, true, &err));
    CHECK_OK(ec_csv_log_cut(l, "7,", &err));
    ec_csv_log_close(l);
    CHECK_OK(ec_csv_read(path, &csv, &err));
    CHECK_INT(csv.n_rows, 2);
    CHECK_STR(ec_csv_cell(&csv, 1, 0), "5");
    ec_csv_clear(&csv);
    ec_buf_clear(&line);
    CHECK_INT(ec_csv_log_open(path, "a,c", NULL, &l, NULL, &err), EC_E_PARSE);
    CHECK_HAS(err.text, "no column \"c\"");
    (void)unlink(path);
}
