/* epochcast trace: the budget of the steps of a profile. */
#include "cli/trace_internal.h"

#include <unistd.h>

#include "trace_cmd.h"

struct watched {
    const char *path;
    bool is_terminal;
};

static bool watch(void *arg, int64_t done_bytes, int64_t of_bytes)
{
    const struct watched *w = arg;

    if (w->is_terminal && of_bytes > 0)
        ec_say_over("%.60s: %lld %% of %.0f MB", w->path, (long long)(100 * done_bytes / of_bytes),
                    (double)of_bytes / 1e6);
    return !ec_interrupted();
}

static enum ec_status read_one(struct ec_call *call, const char *path, int gpu,
                               struct ec_predictor *p, struct ec_traced *f, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    struct watched w = { path, isatty(STDERR_FILENO) };
    enum ec_status st = ec_traced_read(path, gpu, watch, &w, p, o->device, f, err);

    if (w.is_terminal)
        ec_say_nothing_over();
    if (!st && f->trace.is_stopped)
        ec_call_interrupted(call, "interrupted; nothing is kept");
    return st;
}

/* Each device of a database is a trace; where one is asked for, the first. */
static enum ec_status read_devices(struct ec_call *call, const char *path, struct ec_predictor *p,
                                   struct ec_traced **f, int *n, int *cap, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    bool one = o->model || o->perfetto || o->out || o->compare;
    int gpu = 0;

    do {
        EC_PASS(ec_grow(f, cap, *n + 1, sizeof **f, err));
        EC_PASS(read_one(call, path, gpu++, p, &(*f)[*n], err));
    } while ((*f)[(*n)++].trace.n_gpus > gpu && !one && !*call->interrupted);
    return EC_OK;
}

static enum ec_status find_files(struct ec_call *call, struct ec_strs *ret, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    bool is_folder;
    int i;

    for (i = 0; i < o->files.n; i++) {
        EC_PASS(ec_files_find(o->files.v[i], "*.json*", &call->arena, ret, &is_folder, err));
        if (is_folder && !ret->n)
            return ec_fail(err, EC_E_NOT_FOUND, "%s: no file *.json or *.json.gz in the folder",
                           o->files.v[i]);
    }
    return EC_OK;
}

static enum ec_status write_json(struct ec_call *call, const struct ec_traced *f, int n,
                                 struct ec_err *err)
{
    enum ec_status st = EC_OK;
    struct ec_json j;
    int i;

    ec_json_document(&j, &call->out, 2, "epochcast.trace/1");
    ec_json_open(&j, "traces", '[');
    for (i = 0; i < n && !st; i++) {
        ec_json_open(&j, NULL, '{');
        st = ec__trace_json(&j, &f[i], err);
        ec_json_close(&j, '}');
    }
    ec_json_close(&j, ']');
    ec_json_end(&j);
    return st ? st : ec_buf_status(&call->out, err);
}

#define PAGES_MOST 2 /* of more ranks the one that is waited for most has its page */

static enum ec_status show(struct ec_call *call, const struct ec_traced *f, int n,
                           struct ec_err *err)
{
    int last = 0, i;

    for (i = 0; n <= PAGES_MOST && i < n; i++)
        EC_PASS(ec__trace_show(call, &f[i], err));
    if (n > 1)
        EC_PASS(ec__trace_ranks(call, f, n, &last, err));
    if (n > PAGES_MOST) {
        ec_buf_char(&call->out, '\n');
        EC_PASS(ec__trace_show(call, &f[last], err));
    }
    return EC_OK;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    struct ec_strs files = { 0 };
    struct ec_traced *f = NULL;
    struct ec_predictor *p = NULL;
    enum ec_status st;
    int n = 0, cap = 0, i;

    EC_TRY(find_files(call, &files, err));
    if (o->compare && files.n != 2)
        return ec_usage(call, err, "--compare: found %d traces, expected two", files.n);
    if ((o->model || o->perfetto || o->out) && files.n != 1)
        return ec_usage(call, err, "--%s: found %d traces, expected one",
                        o->model      ? "model"
                        : o->perfetto ? "perfetto"
                                      : "out",
                        files.n);
    EC_TRY(ec_predictor_new(&p, err));
    ec_interrupt_watch();
    for (i = 0; i < files.n && !*call->interrupted; i++)
        EC_TRY(read_devices(call, files.v[i], p, &f, &n, &cap, err));
    ec_interrupt_end();
    if (*call->interrupted)
        goto out;
    if (o->perfetto)
        EC_TRY(ec_trace_tracks(&f[0], o->perfetto, err));
    if (o->out)
        EC_TRY(ec__trace_picture(&f[0], o->out, err));
    if (o->compare)
        EC_TRY(ec__trace_compare(call, f, err));
    else if (o->model)
        EC_TRY(ec__trace_model(call, p, &f[0], err));
    else if (call->forms.json)
        EC_TRY(write_json(call, f, n, err));
    else if (call->forms.csv)
        EC_TRY(ec__trace_csv(call, f, n, err));
    else
        EC_TRY(show(call, f, n, err));
out:
    ec_predictor_free(p);
    for (i = 0; i < n; i++)
        ec_traced_clear(&f[i]);
    ec_free(f);
    return st;
}
