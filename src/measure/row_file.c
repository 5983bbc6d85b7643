/* Writing measurement files, and knowing what they hold already. */
#include "measure/row_file_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure/csv_log.h"
#include "measure/protocol_internal.h"

#define HELD_OPERATORS_FRAC 0.1
#define HELD_NETWORKS_FRAC 0.2
enum { RUN_DIGITS = 12, KEY_DIGITS = EC_ROW_KEY_BYTES - 1 };

struct ec_row_file {
    struct ec_csv_log *log;
    char run[RUN_DIGITS + 1];
    const struct ec_record_col *col[EC_RECORD_COLS_MAX]; /* in the file's order; NULL: not ours */
    int n_cols;
    int n_keys, cap_keys, n_old;
    char (*keys)[EC_ROW_KEY_BYTES]; /* sorted */
};

/* --- One row --- */

static void put_samples(const struct ec_timing *t, struct ec_buf *out)
{
    int i;

    for (i = 0; i < t->n; i++)
        ec_buf_printf(out, "%s%" PRId64, i ? " " : "", t->sample[i].host_ns);
}

/* The identity: cells joined by '|', unquoted. */
enum ec_status ec_row_key(const struct ec_record *r, char ret[EC_ROW_KEY_BYTES], struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT, cell = EC_BUF_INIT;
    const struct ec_record_col *c;
    char digest[EC_SHA256_TEXT_BYTES];
    enum ec_status st;
    int n = 0;

    for (c = ec_record_cols; c->name; c++) {
        if (!c->in_key)
            continue;
        ec_buf_reset(&cell);
        ec_record_put_in_file(c, r, &cell);
        if (!c->late || cell.len)
            ec_buf_printf(&text, "%s%s", n++ ? "|" : "", ec_buf_text(&cell));
    }
    EC_TRY(ec_buf_status(&cell, err));
    EC_TRY(ec_buf_status(&text, err));
    ec_sha256(text.data, text.len, digest);
    (void)snprintf(ret, EC_ROW_KEY_BYTES, "%.*s", KEY_DIGITS, digest);
out:
    ec_buf_clear(&cell);
    ec_buf_clear(&text);
    return st;
}

/* The first eight hex digits as a share of their range. */
static double first_digits_frac(const char *digest)
{
    double v = 0;
    int i;

    for (i = 0; i < 8; i++)
        v = v * 16 + (digest[i] <= '9' ? digest[i] - '0' : digest[i] - 'a' + 10);
    return v / 4294967296.0;
}

bool ec_row_held_out(enum ec_kind kind, const char *what)
{
    bool network = kind == EC_KIND_network;
    size_t len = network ? strcspn(what, ":") : strlen(what);
    char digest[EC_SHA256_TEXT_BYTES];
    struct ec_buf text = EC_BUF_INIT;
    bool held = false;

    if (!network && kind != EC_KIND_operator)
        return false;
    ec_buf_str(&text, "epochcast-held-out:");
    ec_buf_add(&text, what, len);
    if (!ec_buf_status(&text, NULL)) {
        ec_sha256(text.data, text.len, digest);
        held = first_digits_frac(digest) < (network ? HELD_NETWORKS_FRAC : HELD_OPERATORS_FRAC);
    }
    ec_buf_clear(&text);
    return held;
}

/* --- The file --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void draw_run(struct ec_row_file *f)
{
    char digest[EC_SHA256_TEXT_BYTES], seed[96];

    (void)snprintf(seed, sizeof seed, "%" PRId64 " %ld %ld %p", ec_clock_ns(), (long)time(NULL),
                   (long)getpid(), (void *)f);
    ec_sha256(seed, strlen(seed), digest);
    (void)snprintf(f->run, sizeof f->run, "%.*s", RUN_DIGITS, digest);
}

static enum ec_status read_keys(struct ec_row_file *f, const struct ec_csv *csv, struct ec_err *err)
{
    int key = ec_csv_col(csv, "key"), run = ec_csv_col(csv, "run"), i;

    draw_run(f);
    for (i = 0; i < csv->n_rows; i++) {
        EC_PASS(ec_grow(&f->keys, &f->cap_keys, f->n_keys + 1, sizeof *f->keys, err));
        (void)snprintf(f->keys[f->n_keys++], EC_ROW_KEY_BYTES, "%s", ec_csv_cell(csv, i, key));
        (void)snprintf(f->run, sizeof f->run, "%s", ec_csv_cell(csv, i, run));
    }
    f->n_old = f->n_keys;
    if (f->n_keys)
        qsort(f->keys, (size_t)f->n_keys, sizeof *f->keys, by_text);
    return EC_OK;
}

/* A file that is taken up keeps its columns and their order. */
static void find_columns(struct ec_row_file *f, const struct ec_csv *csv)
{
    const struct ec_record_col *c;
    int i;

    for (c = ec_record_cols; c->name && !csv->n_cols; c++)
        if (c->in_file)
            f->col[f->n_cols++] = c;
    for (i = 0; i < csv->n_cols && i < EC_RECORD_COLS_MAX; i++)
        f->col[f->n_cols++] = ec_record_col_in_file(csv->names[i]);
}

enum ec_status ec_row_file_open(const char *path, struct ec_row_file **ret, struct ec_err *err)
{
    struct ec_row_file *f = ec_alloc(sizeof *f);
    struct ec_buf header = EC_BUF_INIT;
    const struct ec_record_col *c;
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(ec_allocated(f, err));
    for (c = ec_record_cols; c->name; c++)
        if (c->in_file)
            ec_buf_printf(&header, "%s%s", header.len ? "," : "", c->in_file);
    EC_TRY(ec_buf_status(&header, err));
    EC_TRY(ec_csv_log_open(path, header.data, 0, &f->log, &csv, err));
    find_columns(f, &csv);
    EC_TRY(read_keys(f, &csv, err));
    *ret = f;
    f = NULL;
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&header);
    ec_row_file_close(f);
    return st;
}

void ec_row_file_close(struct ec_row_file *f)
{
    if (!f)
        return;
    ec_csv_log_close(f->log);
    ec_free(f->keys);
    ec_free(f);
}

int64_t ec_row_file_rows(const struct ec_row_file *f)
{
    return f->n_old;
}

bool ec_row_file_has(const struct ec_row_file *f, const char *key)
{
    return f->n_keys && bsearch(key, f->keys, (size_t)f->n_keys, sizeof *f->keys, by_text);
}

static enum ec_status remember(struct ec_row_file *f, const char *key, struct ec_err *err)
{
    int at = f->n_keys;

    EC_PASS(ec_grow(&f->keys, &f->cap_keys, f->n_keys + 1, sizeof *f->keys, err));
    for (; at && strcmp(f->keys[at - 1], key) > 0; at--)
        memcpy(f->keys[at], f->keys[at - 1], sizeof *f->keys);
    (void)snprintf(f->keys[at], EC_ROW_KEY_BYTES, "%s", key);
    f->n_keys++;
    return EC_OK;
}

static void put_row(const struct ec_row_file *f, const struct ec_record *r, struct ec_buf *cell,
                    struct ec_buf *out)
{
    int i;

    for (i = 0; i < f->n_cols; i++) {
        ec_buf_str(out, i ? "," : "");
        if (!f->col[i])
            continue;
        ec_buf_reset(cell);
        ec_record_put_in_file(f->col[i], r, cell);
        out->st = out->st ? out->st : cell->st;
        ec_csv_put(out, ec_buf_text(cell));
    }
    ec_buf_char(out, '\n');
}

enum ec_status ec_row_file_append(struct ec_row_file *f, const struct ec_record *row,
                                  const struct ec_timing *timing, bool thread_clock,
                                  struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT, cell = EC_BUF_INIT, host = EC_BUF_INIT, device = EC_BUF_INIT;
    struct ec_buf *const made[] = { &host, &device };
    struct ec_record r = *row;
    char key[EC_ROW_KEY_BYTES], utc[32];
    enum ec_status st;
    int i;

    ec_record_set_word(&r, EC_WORD_FRAMEWORK, "epochcast");
    EC_TRY(ec_row_key(&r, key, err));
    if (timing) /* times of the thread's own clock stand where a device's do */
        put_samples(timing, thread_clock ? &device : &host);
    for (i = 0; i < EC_LEN(made); i++)
        EC_TRY(ec_buf_status(made[i], err));
    r.run = f->run;
    r.key = key;
    r.measured_utc = ec_utc_now(utc, sizeof utc);
    r.engine = r.tool = "epochcast";
    r.tool_version = EC_VERSION;
    r.n_warm_up = timing ? timing->n_warmup : 0;
    r.stop = timing && timing->n ? ec_stop_name(timing->stop) : "";
    r.samples_ns = ec_buf_text(&host);
    r.device_samples_ns = ec_buf_text(&device);
    put_row(f, &r, &cell, &text);
    EC_TRY(ec_csv_log_append(f->log, &text, true, err));
    EC_TRY(remember(f, key, err));
out:
    for (i = 0; i < EC_LEN(made); i++)
        ec_buf_clear(made[i]);
    ec_buf_clear(&cell);
    ec_buf_clear(&text);
    return st;
}
