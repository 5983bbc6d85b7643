/* Iterations as rows of a table, and lines that are appended to tables. */
#include "test.h"

#include "tables/tables.h"
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

static enum ec_status run(void *user, int64_t *host_ns, struct ec_err *err)
{
    (void)user;
    (void)err;
    n_runs++;
    *host_ns = 1000000;
    return EC_OK;
}

static int64_t n_told, n_asked;

static void told(void *user, const struct ec_record *row, int64_t done, int64_t total, double ns)
{
    (void)user;
    CHECK_INT(done, ++n_told);
    n_asked = total;
    CHECK_NEAR(ns, 1e6, 0);
    CHECK_INT(row->batch, 4);
}

static int measure(const char *what, int64_t max_iters)
{
    struct ec_iterations it = {
        .env = "here, now", .max_iters = max_iters, .warmup_iters = 2, .told = told
    };
    struct ec_record row;
    struct ec_timing t;
    struct ec_err err = { 0 };
    int n;

    ec_record_init(&row);
    row.device = "made-up";
    row.what = what;
    row.batch = 4;
    row.image_px = 96;
    row.threads = 3;
    row.libraries = "onednn=2.6";
    row.flags = "data_loading";
    row.seed = 7;
    ec_record_set_word(&row, EC_WORD_PRECISION, "bf16");
    ec_record_set_word(&row, EC_WORD_LAYOUT, "channels-last");
    ec_record_set_word(&row, EC_WORD_OPTIMIZER, "adam");
    n_told = 0;
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
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "time_ms")), "1.000000");
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "thread_time_ms")), "");
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "wait_ms")), "");
    }
    ec_csv_clear(&csv);
    return n;
}

TEST(each_iteration_is_a_row_and_warm_up_is_not)
{
    (void)fresh();
    CHECK_INT(measure("mnist_cnn", 8), 8);
    CHECK_INT(n_runs, 10);
    CHECK_INT(n_told, 10);
    CHECK_INT(n_asked, 10);
    CHECK_INT(rows(), 8);
    CHECK_INT(measure("lenet5", 3), 3);
    CHECK_INT(rows(), 11);
    (void)unlink(path);
}

/* Each column of the record that is of a run, read back by the mapping of these tables. */
TEST(no_condition_is_lost)
{
    const struct ec_record_col *c;
    const struct ec_mapping *l = NULL;
    struct ec_reader *reader = NULL;
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_csv csv = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int n = 0;

    (void)fresh();
    CHECK_INT(measure("mnist_cnn", 2), 2);
    CHECK_OK(ec_csv_read(path, &csv, &err));
    for (c = ec_record_cols; c->name; c++)
        if (c->in_iterations)
            CHECK(ec_csv_col(&csv, c->in_iterations) >= 0);
    CHECK_OK(ec_mapping_detect_record(&csv, &a, &l, &err));
    CHECK_STR(ec_mapping_name(l), "campaign-iterations");
    CHECK(ec_mapping_tells_runs(l));
    CHECK_OK(ec_reader_new(l, &csv, NULL, &reader, &err));
    CHECK_OK(ec_reader_row(reader, 1, r, &n, &err));
    CHECK_INT(n, 1);
    CHECK_STR(r[0].what, "mnist_cnn");
    CHECK_STR(r[0].device, "made-up");
    CHECK_STR(r[0].device_name, "here, now");
    CHECK_STR(ec_record_word(&r[0], EC_WORD_PRECISION), "bf16");
    CHECK_STR(ec_record_word(&r[0], EC_WORD_LAYOUT), "channels-last");
    CHECK_STR(ec_record_word(&r[0], EC_WORD_OPTIMIZER), "adam");
    CHECK_STR(ec_record_word(&r[0], EC_WORD_FRAMEWORK), "epochcast");
    CHECK_STR(ec_record_word(&r[0], EC_WORD_MODE), "training_step");
    CHECK_STR(r[0].libraries, "onednn=2.6");
    CHECK_STR(r[0].flags, "data_loading");
    CHECK_INT(r[0].batch, 4);
    CHECK_INT(r[0].image_px, 96);
    CHECK_INT(r[0].threads, 3);
    CHECK_INT(r[0].n_warm_up, 2);
    CHECK_INT(r[0].iteration, 1);
    CHECK_NEAR(r[0].time.ns, 1e6, 0);
    CHECK_STR(r[0].extra, "{\"engine\":\"epochcast\",\"seed\":7}");
    ec_reader_free(reader);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
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
    CHECK_OK(ec_csv_log_open(path, "a,b", 0, &l, &csv, &err));
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
    CHECK_INT(ec_csv_log_open(path, "a,c", 0, &l, NULL, &err), EC_E_PARSE);
    CHECK_HAS(err.text, "no column \"c\"");
    (void)unlink(path);
}
