/* Iterations as rows. */
#include "measure/iterations.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "measure/csv_log.h"
#include "measure/measurer_internal.h"

#define NS_PER_MS 1e6
#define NS_PER_S 1e9

static const char header[] =
    "env,device,model,batch_size,image_px,seq_len,optimizer,precision,iteration,time_ms,"
    "images_per_s,timestamp";

enum ec_status ec_iterations_open(struct ec_iterations *it, const char *path, struct ec_err *err)
{
    return ec_csv_log_open(path, header, NULL, &it->log, NULL, err);
}

void ec_iterations_close(struct ec_iterations *it)
{
    ec_csv_log_close(it->log);
    it->log = NULL;
}

/* Empty: the network's own. */
static void put_size(int64_t v, struct ec_buf *out)
{
    if (v > 0)
        ec_buf_printf(out, "%" PRId64, v);
    ec_buf_char(out, ',');
}

/* What all rows of one run begin with. */
static void put_run(const struct ec_iterations *it, const struct ec_record *row, struct ec_buf *out)
{
    const char *const words[] = { it->env, row->device, row->what };
    int i;

    for (i = 0; i < EC_LEN(words); i++) {
        ec_csv_put(out, words[i] ? words[i] : "");
        ec_buf_char(out, ',');
    }
    ec_buf_printf(out, "%" PRId64 ",", row->batch);
    put_size(row->image_px, out);
    put_size(row->seq_len, out);
    ec_buf_printf(out, "%s,%s,", ec_record_word(row, EC_WORD_OPTIMIZER),
                  ec_record_word(row, EC_WORD_PRECISION));
}

static void put_now(struct ec_buf *out)
{
    struct timespec now;
    struct tm utc;
    char text[32];

    if (!clock_gettime(CLOCK_REALTIME, &now) && gmtime_r(&now.tv_sec, &utc) &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc))
        ec_buf_printf(out, "%s.%03dZ", text, (int)(now.tv_nsec / 1000000));
}

/* Not flushed one by one: the disk would be at work beside the next iteration. A killed process
 * loses nothing. */
static enum ec_status write_one(const struct ec_iterations *it, const struct ec_record *row,
                                const char *run, const struct ec_sample *s, struct ec_err *err)
{
    double ns = (double)(s->device_ns ? s->device_ns : s->host_ns);
    struct ec_buf line = EC_BUF_INIT;
    enum ec_status st;

    ec_buf_printf(&line, "%s%" PRId64 ",%.6f,%.6g,", run, s->iteration, ns / NS_PER_MS,
                  ns > 0 ? (double)row->batch * NS_PER_S / ns : 0);
    put_now(&line);
    ec_buf_char(&line, '\n');
    st = ec_csv_log_append(it->log, &line, s->iteration + 1 == it->max_iters, err);
    ec_buf_clear(&line);
    return st;
}

static enum ec_status time_one(ec_measured_run run, void *user, struct ec_timing *t,
                               struct ec_err *err)
{
    struct ec_sample *s;
    enum ec_status st;

    EC_TRY(ec_grow(&t->sample, &t->cap, t->n + 1, sizeof *t->sample, err));
    s = &t->sample[t->n];
    memset(s, 0, sizeof *s);
    s->iteration = t->n;
    s->flags = "";
    EC_TRY(run(user, &s->host_ns, &s->device_ns, err));
    t->n++;
out:
    return st;
}

enum ec_status ec_iterations_run(const struct ec_iterations *it, const struct ec_record *row,
                                 ec_measured_run run, void *user, bool (*stop)(void),
                                 struct ec_timing *ret, struct ec_err *err)
{
    struct ec_buf prefix = EC_BUF_INIT;
    int64_t host_ns = 0, device_ns = 0;
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    ret->stop = EC_STOP_RUNS;
    put_run(it, row, &prefix);
    EC_TRY(ec_buf_status(&prefix, err));
    EC_TRY(ec_csv_log_cut(it->log, prefix.data, err));
    for (; ret->n_warmup < it->warmup_iters && !(stop && stop()); ret->n_warmup++)
        EC_TRY(run(user, &host_ns, &device_ns, err));
    while (ret->n < it->max_iters && !(stop && stop())) {
        EC_TRY(time_one(run, user, ret, err));
        EC_TRY(write_one(it, row, prefix.data, &ret->sample[ret->n - 1], err));
    }
out:
    ec_buf_clear(&prefix);
    return st;
}
