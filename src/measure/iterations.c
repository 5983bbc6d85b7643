/* Iterations as rows. */
#include "measure/iterations.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "measure/csv_log.h"
#include "measure/measurer_internal.h"

#define NS_PER_MS 1e6
#define NS_PER_S 1e9

/* Columns beside those of the record that have a name in tables of iterations: the first ones are
 * of the run, those from the number on of the iteration. */
enum { OWN_ENV, OWN_DATA, OWN_NUMBER, OWN_TIME, OWN_THREAD_TIME, OWN_WAIT, OWN_RATE, OWN_NOW };
static const char *const own_names[] = { "env",          "data",           "iteration",
                                         "time_ms",      "thread_time_ms", "wait_ms",
                                         "images_per_s", "timestamp" };

struct column {
    const struct ec_record_col *of_run; /* NULL: one of our own */
    int own;                            /* -1: somebody else's, left empty */
};

struct ec_iterations_table {
    struct ec_csv_log *log;
    struct column col[EC_RECORD_COLS_MAX]; /* in the file's order */
    int n_cols;
    int n_run;         /* the first ones, which are the same for all iterations of a run */
    struct ec_buf run; /* their cells, and a comma behind each */
};

struct one {
    int64_t number, wait_ns; /* wait_ns below 0: nothing is waited for */
    double ns;
};

/* --- The table --- */

static void put_header(struct ec_buf *header)
{
    const struct ec_record_col *c;
    int i;

    ec_buf_str(header, own_names[OWN_ENV]);
    for (c = ec_record_cols; c->name; c++)
        if (c->in_iterations)
            ec_buf_printf(header, ",%s", c->in_iterations);
    for (i = OWN_ENV + 1; i < EC_LEN(own_names); i++)
        ec_buf_printf(header, ",%s", own_names[i]);
}

static struct column column_of(const char *name)
{
    struct column c = { NULL, EC_LEN(own_names) - 1 };

    for (c.of_run = ec_record_cols; c.of_run->name; c.of_run++)
        if (c.of_run->in_iterations && ec_str_eq(c.of_run->in_iterations, name))
            return c;
    for (c.of_run = NULL; c.own >= 0 && !ec_str_eq(own_names[c.own], name); c.own--)
        continue;
    return c;
}

static bool is_of_run(struct column c)
{
    return c.of_run || c.own < OWN_NUMBER;
}

static void find_columns(struct ec_iterations_table *t, const struct ec_csv *csv,
                         const char *header)
{
    struct ec_span rest = ec_span_of(header), name;
    char text[64];
    int i;

    for (i = 0; i < csv->n_cols && i < EC_RECORD_COLS_MAX; i++)
        t->col[t->n_cols++] = column_of(csv->names[i]);
    while (!csv->n_cols && ec_span_cut(&rest, ',', &name)) {
        (void)snprintf(text, sizeof text, "%.*s", (int)name.len, name.p);
        t->col[t->n_cols++] = column_of(text);
    }
    while (t->n_run < t->n_cols && is_of_run(t->col[t->n_run]))
        t->n_run++;
}

enum ec_status ec_iterations_open(struct ec_iterations *it, const char *path, struct ec_err *err)
{
    struct ec_iterations_table *t = ec_alloc(sizeof *t);
    struct ec_buf header = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(ec_allocated(t, err));
    it->table = t;
    put_header(&header);
    EC_TRY(ec_buf_status(&header, err));
    EC_TRY(ec_csv_log_open(path, header.data, 0, &t->log, &csv, err));
    find_columns(t, &csv, header.data);
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&header);
    return st;
}

void ec_iterations_close(struct ec_iterations *it)
{
    if (!it->table)
        return;
    ec_csv_log_close(it->table->log);
    ec_buf_clear(&it->table->run);
    ec_free(it->table);
    it->table = NULL;
}

/* --- A row --- */

static void put_now(struct ec_buf *out)
{
    struct timespec now;
    struct tm utc;
    char text[32];

    if (!clock_gettime(CLOCK_REALTIME, &now) && gmtime_r(&now.tv_sec, &utc) &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc))
        ec_buf_printf(out, "%s.%03dZ", text, (int)(now.tv_nsec / 1000000));
}

static void put_ms(double ns, bool known, struct ec_buf *out)
{
    if (known)
        ec_buf_printf(out, "%.6f", ns / NS_PER_MS);
}

/* of_run: nothing else is read of `one` */
static void put_cell(const struct ec_iterations *it, struct column c, const struct ec_record *row,
                     const struct one *one, struct ec_buf *out)
{
    struct ec_buf cell = EC_BUF_INIT;

    if (c.of_run) {
        ec_record_put_in_file(c.of_run, row, &cell);
        out->st = out->st ? out->st : cell.st;
        ec_csv_put(out, ec_buf_text(&cell));
    } else if (c.own == OWN_ENV) {
        ec_csv_put(out, it->env);
    } else if (c.own == OWN_DATA) {
        ec_csv_put(out, it->data ? it->data : "");
    } else if (c.own == OWN_NUMBER) {
        ec_buf_printf(out, "%" PRId64, one->number);
    } else if (c.own == OWN_TIME || c.own == OWN_THREAD_TIME) {
        put_ms(one->ns, it->thread_clock == (c.own == OWN_THREAD_TIME), out);
    } else if (c.own == OWN_WAIT) {
        put_ms((double)one->wait_ns, one->wait_ns >= 0, out);
    } else if (c.own == OWN_RATE) {
        ec_buf_printf(out, "%.6g", one->ns > 0 ? (double)row->batch * NS_PER_S / one->ns : 0);
    } else if (c.own == OWN_NOW) {
        put_now(out);
    }
    ec_buf_clear(&cell);
}

enum ec_status ec__iterations_begin(const struct ec_iterations *it, const struct ec_record *row,
                                    struct ec_err *err)
{
    struct ec_iterations_table *t = it->table;
    struct ec_record r = *row;
    int i;

    if (!t)
        return EC_OK;
    r.engine = "epochcast";
    r.n_warm_up = it->warmup_iters;
    ec_record_set_word(&r, EC_WORD_FRAMEWORK, "epochcast");
    ec_buf_reset(&t->run);
    for (i = 0; i < t->n_run; i++) {
        put_cell(it, t->col[i], &r, NULL, &t->run);
        ec_buf_char(&t->run, ',');
    }
    EC_PASS(ec_buf_status(&t->run, err));
    return ec_csv_log_cut(t->log, ec_buf_text(&t->run), err);
}

/* Not flushed one by one: the disk would be at work beside the next iteration. A killed process
 * loses nothing. */
static enum ec_status write_one(const struct ec_iterations *it, const struct ec_record *row,
                                const struct one *one, struct ec_err *err)
{
    const struct ec_iterations_table *t = it->table;
    struct ec_buf line = EC_BUF_INIT;
    enum ec_status st;
    int i;

    ec_buf_str(&line, ec_buf_text(&t->run));
    for (i = t->n_run; i < t->n_cols; i++) {
        ec_buf_str(&line, i > t->n_run ? "," : "");
        put_cell(it, t->col[i], row, one, &line);
    }
    ec_buf_char(&line, '\n');
    st = ec_csv_log_append(t->log, &line, one->number + 1 == it->max_iters, err);
    ec_buf_clear(&line);
    return st;
}

static void tell(const struct ec_iterations *it, const struct ec_record *row,
                 const struct ec_timing *t, double ns)
{
    if (it->told)
        it->told(it->user, row, t->n_warmup + t->n, it->warmup_iters + it->max_iters, ns);
}

enum ec_status ec__iterations_add(const struct ec_iterations *it, const struct ec_record *row,
                                  int64_t ns, int64_t wait_ns, struct ec_timing *t,
                                  struct ec_err *err)
{
    struct one one = { t->n, wait_ns, (double)ns };

    if (t->n_warmup < it->warmup_iters) {
        t->n_warmup++;
        tell(it, row, t, one.ns);
        return EC_OK;
    }
    EC_PASS(ec_grow(&t->sample, &t->cap, t->n + 1, sizeof *t->sample, err));
    t->sample[t->n++] = (struct ec_sample){ .iteration = one.number, .host_ns = ns, .flags = "" };
    if (it->table)
        EC_PASS(write_one(it, row, &one, err));
    tell(it, row, t, one.ns);
    return EC_OK;
}

enum ec_status ec_iterations_run(const struct ec_iterations *it, const struct ec_record *row,
                                 ec_measured_run run, void *user, bool (*stop)(void),
                                 struct ec_timing *ret, struct ec_err *err)
{
    memset(ret, 0, sizeof *ret);
    ret->stop = EC_STOP_RUNS;
    EC_PASS(ec__iterations_begin(it, row, err));
    while (ret->n < it->max_iters && !(stop && stop())) {
        int64_t ns = 0;

        EC_PASS(run(user, &ns, err));
        EC_PASS(ec__iterations_add(it, row, ns, -1, ret, err));
    }
    return EC_OK;
}
