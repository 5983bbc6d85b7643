/* Measurement files: rows that come back, torn lines, full disks. */
#include "test.h"

#include "measure/row_file_internal.h"

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

static struct ec_record row_of(const char *what)
{
    struct ec_record r;

    ec_record_init(&r);
    r.kind = EC_KIND_operator;
    r.what = what;
    r.family = "linear";
    ec_record_set_phase_in_file(&r, "forward");
    r.method = "separated";
    r.outcome = "ok";
    r.note = "a, \"quoted\" note";
    ec_record_set_word(&r, EC_WORD_PRECISION, "fp32");
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
    struct ec_record r = row_of("linear m=4 k=3 n=5");
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    char key[EC_ROW_KEY_BYTES];
    int run;

    memset(&t, 0, sizeof t);
    t.n = 2;
    t.n_warmup = 10;
    t.sample = s;
    t.stop = EC_STOP_BUDGET;
    CHECK_OK(ec_row_file_open(fresh(), &f, &err));
    CHECK_OK(ec_row_file_append(f, &r, &t, false, &err));
    CHECK_OK(ec_row_key(&r, key, &err));
    CHECK(ec_row_file_has(f, key));
    ec_row_file_close(f);

    CHECK_OK(ec_row_file_open(path, &f, &err));
    CHECK_INT(ec_row_file_rows(f), 1);
    CHECK(ec_row_file_has(f, key));
    ec_record_set_phase_in_file(&r, "grad_data");
    CHECK_OK(ec_row_key(&r, key, &err));
    CHECK(!ec_row_file_has(f, key));
    CHECK_OK(ec_row_file_append(f, &r, NULL, false, &err));
    ec_row_file_close(f);

    CHECK_OK(ec_csv_read(path, &csv, &err));
    CHECK_INT(csv.n_rows, 2);
    run = ec_csv_col(&csv, "run"); /* 12 hex digits */
    CHECK_INT(strlen(ec_csv_cell(&csv, 0, run)), 12);
    CHECK_STR(ec_csv_cell(&csv, 1, run), ec_csv_cell(&csv, 0, run));
    CHECK(ec_str_eq(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "samples_ns")), "1500 1600"));
    CHECK(ec_str_eq(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "note")), "a, \"quoted\" note"));
    CHECK(ec_str_eq(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "stop")), "budget"));
    ec_csv_clear(&csv);
    (void)unlink(path);
}

TEST(a_torn_line_is_cut_off)
{
    struct ec_row_file *f = NULL;
    struct ec_record r = row_of("linear m=4 k=3 n=5");
    struct ec_err err = { 0 };
    int fd;

    CHECK_OK(ec_row_file_open(fresh(), &f, &err));
    CHECK_OK(ec_row_file_append(f, &r, NULL, false, &err));
    ec_row_file_close(f);
    fd = open(path, O_WRONLY | O_APPEND);
    CHECK_INT(write(fd, "abc,def,\"gh", 11), 11);
    (void)close(fd);
    CHECK_OK(ec_row_file_open(path, &f, &err));
    CHECK_INT(ec_row_file_rows(f), 1);
    r.batch = 3;
    CHECK_OK(ec_row_file_append(f, &r, NULL, false, &err));
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

/* One that has more, or the same in another order. */
TEST(a_file_that_is_taken_up_keeps_its_columns)
{
    static const char begun[] =
        "run,tool,key,measured_utc,kind,what,family,phase,method,outcome,note,batch,image_px,"
        "seq_len,precision,layout,execution,optimizer,threads,num_devices,device,device_name,"
        "machine,engine,engine_version,framework,cuda,cudnn,driver,onednn,n_warm_up,"
        "calls_per_sample,stop,samples_ns,device_samples_ns,memory_peak_bytes,"
        "memory_reserved_bytes,held_out,seed,flags,tool_version,inputs,activation,blas,allocator,"
        "later\n";
    struct ec_row_file *f = NULL;
    struct ec_record r = row_of("linear m=4 k=3 n=5");
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(fresh(), begun, strlen(begun), &err));
    CHECK_OK(ec_row_file_open(path, &f, &err));
    CHECK_OK(ec_row_file_append(f, &r, NULL, false, &err));
    ec_row_file_close(f);
    CHECK_OK(ec_csv_read(path, &csv, &err));
    CHECK_INT(csv.n_rows, 1);
    CHECK_STR(ec_csv_cell(&csv, 0, 1), "epochcast");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "threads")), "2");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "phase")), "forward");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "later")), "");
    ec_csv_clear(&csv);
    (void)unlink(path);
}

/* The key of a row without an activation has nothing in its place. */
TEST(an_activation_is_part_of_the_key)
{
    struct ec_record r = row_of("linear m=4 k=3 n=5");
    static const char before[] = "operator|linear m=4 k=3 n=5|forward|separated||||fp32||||2|";
    char key[EC_ROW_KEY_BYTES], other[EC_ROW_KEY_BYTES], digest[EC_SHA256_TEXT_BYTES];
    struct ec_err err = { 0 };

    CHECK_OK(ec_row_key(&r, key, &err));
    ec_sha256(before, strlen(before), digest);
    CHECK(!strncmp(key, digest, EC_ROW_KEY_BYTES - 1));
    r.activation = "relu";
    CHECK_OK(ec_row_key(&r, other, &err));
    CHECK(!ec_str_eq(key, other));
}

TEST(a_full_disk_leaves_whole_rows)
{
    struct ec_row_file *f = NULL;
    struct ec_record r = row_of("linear m=4 k=3 n=5");
    struct rlimit old, tight;
    struct ec_err err = { 0 };
    off_t end;
    int fd;

    CHECK_OK(ec_row_file_open(fresh(), &f, &err));
    CHECK_OK(ec_row_file_append(f, &r, NULL, false, &err));
    fd = open(path, O_RDONLY);
    end = lseek(fd, 0, SEEK_END);
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = (rlim_t)end + 20;
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &tight), 0);
    ec_record_set_phase_in_file(&r, "update");
    CHECK_INT(ec_row_file_append(f, &r, NULL, false, &err), EC_E_IO);
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
        held += ec_row_held_out(EC_KIND_operator, what);
        CHECK(!ec_row_held_out(EC_KIND_ceiling, what));
    }
    CHECK(held > 150 && held < 250);
    CHECK(ec_row_held_out(EC_KIND_network, "resnet50") ==
          ec_row_held_out(EC_KIND_network, "resnet50:a=1"));
}
