/* Writing measurement files, and knowing what they hold already. */
#include "measure/row_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure/csv_log.h"

#define HELD_OPERATORS_FRAC 0.1
#define HELD_NETWORKS_FRAC 0.2
enum { RUN_DIGITS = 12, KEY_DIGITS = EC_ROW_KEY_BYTES - 1 };

struct ec_row_file {
    struct ec_csv_log *log;
    char run[RUN_DIGITS + 1];
    int n_keys, cap_keys, n_old;
    char (*keys)[EC_ROW_KEY_BYTES]; /* sorted */
};

/* --- Columns: one row each, in the order of the header --- */

enum column_kind { TEXT, NUMBER, FLAG, COMPUTED };
struct column {
    const char *name;
    enum column_kind kind;
    size_t offset;
    bool in_key; /* identifies the row, in this order */
    void (*put)(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out);
};

static void put_run(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    (void)row;
    ec_buf_str(out, f->run);
}

static void put_key(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    char key[EC_ROW_KEY_BYTES];

    (void)f;
    if (ec_row_key(row, key, NULL))
        out->st = EC_E_NOMEM;
    else
        ec_buf_str(out, key);
}

static void put_now(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    time_t now = time(NULL);
    struct tm utc;
    char text[32];

    (void)f;
    (void)row;
    if (gmtime_r(&now, &utc) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        ec_buf_str(out, text);
}

static void put_warm_up(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    (void)f;
    if (row->timing)
        ec_buf_printf(out, "%d", row->timing->n_warmup);
}

static void put_stop(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    (void)f;
    if (row->timing && row->timing->n)
        ec_buf_str(out, ec_stop_name(row->timing->stop));
}

/* Times of the thread's own clock stand where other devices' do. */
static void put_host(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    int i, n = row->timing && !row->thread_clock ? row->timing->n : 0;

    (void)f;
    for (i = 0; i < n; i++)
        ec_buf_printf(out, "%s%" PRId64, i ? " " : "", row->timing->sample[i].host_ns);
}

static void put_device(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    int i, n = row->timing ? row->timing->n : 0;

    (void)f;
    if (!n || !(row->thread_clock || row->timing->sample[0].device_ns))
        return;
    for (i = 0; i < n; i++) {
        const struct ec_sample *s = &row->timing->sample[i];

        ec_buf_printf(out, "%s%" PRId64, i ? " " : "",
                      row->thread_clock ? s->host_ns : s->device_ns);
    }
}

static void put_engine(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    (void)f;
    (void)row;
    ec_buf_str(out, "epochcast");
}

static void put_version(const struct ec_row_file *f, const struct ec_row *row, struct ec_buf *out)
{
    (void)f;
    (void)row;
    ec_buf_str(out, EC_VERSION);
}

/* clang-format off */
#define TEXT_COL(member)      { #member, TEXT, offsetof(struct ec_row, member), false, NULL }
#define TEXT_KEY(member)      { #member, TEXT, offsetof(struct ec_row, member), true, NULL }
#define NUMBER_COL(member)    { #member, NUMBER, offsetof(struct ec_row, member), false, NULL }
#define NUMBER_KEY(member)    { #member, NUMBER, offsetof(struct ec_row, member), true, NULL }
#define MADE_COL(name, fn)    { name, COMPUTED, 0, false, fn }

static const struct column columns[] = {
    MADE_COL("run", put_run),
    MADE_COL("key", put_key),
    MADE_COL("measured_utc", put_now),
    TEXT_KEY(kind),
    TEXT_KEY(what),
    TEXT_COL(family),
    TEXT_KEY(phase),
    TEXT_KEY(method),
    TEXT_COL(outcome),
    TEXT_COL(note),
    NUMBER_KEY(batch),
    NUMBER_KEY(image_px),
    NUMBER_KEY(seq_len),
    TEXT_KEY(precision),
    TEXT_KEY(layout),
    TEXT_KEY(execution),
    TEXT_KEY(optimizer),
    NUMBER_KEY(threads),
    NUMBER_KEY(num_devices),
    TEXT_COL(device),
    TEXT_COL(device_name),
    TEXT_COL(machine),
    MADE_COL("engine", put_engine),
    TEXT_COL(engine_version),
    MADE_COL("framework", put_engine),
    TEXT_COL(cuda),
    TEXT_COL(cudnn),
    TEXT_COL(driver),
    TEXT_COL(onednn),
    MADE_COL("n_warm_up", put_warm_up),
    NUMBER_COL(calls_per_sample),
    MADE_COL("stop", put_stop),
    MADE_COL("samples_ns", put_host),
    MADE_COL("device_samples_ns", put_device),
    NUMBER_COL(memory_peak_bytes),
    NUMBER_COL(memory_reserved_bytes),
    { "held_out", FLAG, offsetof(struct ec_row, held_out), false, NULL },
    NUMBER_COL(seed),
    TEXT_COL(flags),
    MADE_COL("tool", put_engine),
    MADE_COL("tool_version", put_version),
};
/* clang-format on */

static void put_cell(const struct column *c, const struct ec_row_file *f, const struct ec_row *row,
                     struct ec_buf *out)
{
    const void *at = (const char *)row + c->offset;

    if (c->kind == TEXT) {
        const char *text = *(const char *const *)at;

        ec_csv_put(out, text ? text : "");
    } else if (c->kind == NUMBER) {
        int64_t v = *(const int64_t *)at;

        if (v)
            ec_buf_printf(out, "%" PRId64, v);
    } else if (c->kind == FLAG) {
        ec_buf_char(out, *(const bool *)at ? '1' : '0');
    } else {
        c->put(f, row, out);
    }
}

/* The identity: cells joined by '|', unquoted. */
enum ec_status ec_row_key(const struct ec_row *row, char ret[EC_ROW_KEY_BYTES], struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    char digest[EC_SHA256_TEXT_BYTES];
    enum ec_status st;
    int i, n = 0;

    for (i = 0; i < EC_LEN(columns); i++) {
        const void *at = (const char *)row + columns[i].offset;

        if (!columns[i].in_key)
            continue;
        ec_buf_str(&text, n++ ? "|" : "");
        if (columns[i].kind == TEXT)
            ec_buf_str(&text, *(const char *const *)at ? *(const char *const *)at : "");
        else
            put_cell(&columns[i], NULL, row, &text);
    }
    EC_TRY(ec_buf_status(&text, err));
    ec_sha256(text.data, text.len, digest);
    (void)snprintf(ret, EC_ROW_KEY_BYTES, "%.*s", KEY_DIGITS, digest);
out:
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

bool ec_row_held_out(const char *kind, const char *what)
{
    bool network = !strcmp(kind, "network");
    size_t len = network ? strcspn(what, ":") : strlen(what);
    char digest[EC_SHA256_TEXT_BYTES];
    struct ec_buf text = EC_BUF_INIT;
    bool held = false;

    if (!network && strcmp(kind, "operator") != 0)
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
    enum ec_status st = EC_OK;

    draw_run(f);
    for (i = 0; i < csv->n_rows; i++) {
        EC_TRY(ec_grow(&f->keys, &f->cap_keys, f->n_keys + 1, sizeof *f->keys, err));
        (void)snprintf(f->keys[f->n_keys++], EC_ROW_KEY_BYTES, "%s", ec_csv_cell(csv, i, key));
        (void)snprintf(f->run, sizeof f->run, "%s", ec_csv_cell(csv, i, run));
    }
    f->n_old = f->n_keys;
    if (f->n_keys)
        qsort(f->keys, (size_t)f->n_keys, sizeof *f->keys, by_text);
out:
    return st;
}

enum ec_status ec_row_file_open(const char *path, struct ec_row_file **ret, struct ec_err *err)
{
    struct ec_row_file *f = ec_alloc(sizeof *f);
    struct ec_buf header = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int i;

    if (!f)
        return ec_nomem(err);
    for (i = 0; i < EC_LEN(columns); i++)
        ec_buf_printf(&header, "%s%s", i ? "," : "", columns[i].name);
    EC_TRY(ec_buf_status(&header, err));
    EC_TRY(ec_csv_log_open(path, header.data, NULL, &f->log, &csv, err));
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

const char *ec_row_file_run(const struct ec_row_file *f)
{
    return f->run;
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
    enum ec_status st = ec_grow(&f->keys, &f->cap_keys, f->n_keys + 1, sizeof *f->keys, err);
    int at = f->n_keys;

    if (st)
        return st;
    for (; at && strcmp(f->keys[at - 1], key) > 0; at--)
        memcpy(f->keys[at], f->keys[at - 1], sizeof *f->keys);
    (void)snprintf(f->keys[at], EC_ROW_KEY_BYTES, "%s", key);
    f->n_keys++;
    return EC_OK;
}

enum ec_status ec_row_file_append(struct ec_row_file *f, const struct ec_row *row,
                                  struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    char key[EC_ROW_KEY_BYTES];
    enum ec_status st;
    int i;

    EC_TRY(ec_row_key(row, key, err));
    for (i = 0; i < EC_LEN(columns); i++) {
        if (i)
            ec_buf_char(&text, ',');
        put_cell(&columns[i], f, row, &text);
    }
    ec_buf_char(&text, '\n');
    EC_TRY(ec_csv_log_append(f->log, &text, true, err));
    EC_TRY(remember(f, key, err));
out:
    ec_buf_clear(&text);
    return st;
}
