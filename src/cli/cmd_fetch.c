/* epochcast fetch: public data sets, downloaded, checked, unpacked. */
#include "cli/cli.h"
#include "dataset/dataset.h"
#include "report/report.h"

#include <unistd.h>

#include "fetch_cmd.h"
#include "cli_columns.h"

static int64_t download_bytes(const struct ec_fetch_set *s)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < s->n_files; i++) {
        if (!s->files[i].bytes)
            return 0;
        sum += s->files[i].bytes;
    }
    return sum;
}

/* "there" if the data set is in its folder, else "-". */
static const char *state_of(const struct ec_fetch_set *s, const char *dir)
{
    struct ec_buf path = EC_BUF_INIT;
    const char *state = NULL;

    if (dir)
        ec_buf_str(&path, dir);
    else if (ec_samples_home(&path, NULL) != EC_OK)
        path.len = 0;
    ec_buf_printf(&path, "/%s", s->name);
    if (ec_buf_status(&path, NULL) == EC_OK && access(ec_buf_text(&path), F_OK) == 0)
        state = "there";
    ec_buf_clear(&path);
    return state;
}

static enum ec_status list(struct ec_call *call, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.fetch_list/1", "sets", { { 0 } } };
    const struct fetch_opts *o = call->opts;
    const struct ec_fetch_set *sets;
    struct ec_table t;
    int n, i;

    sets = ec_fetch_sets(&n);
    ec_table_init(&t, fetch_cols, EC_LEN(fetch_cols));
    for (i = 0; i < n; i++) {
        ec_table_row(&t, ec_text(sets[i].name), ec_text(sets[i].what),
                     download_bytes(&sets[i]) ? ec_int(download_bytes(&sets[i])) : ec_none(),
                     ec_text(sets[i].licence), ec_text(sets[i].checksums), ec_text(sets[i].urls[0]),
                     ec_text(state_of(&sets[i], o->dir)));
    }
    return ec_call_last_table(call, &head, &t, err);
}

/* A line that is written over, on a terminal only. */
static void show_progress(void *arg, const char *file, int64_t got_bytes, int64_t total_bytes)
{
    int64_t *last_ns = arg, now_ns = ec_clock_ns();
    char got[32], total[32];

    if (now_ns - *last_ns < 200000000)
        return;
    *last_ns = now_ns;
    ec_say_over("%s: %s of %s", file, ec_fmt_bytes(got, sizeof got, (double)got_bytes),
                total_bytes ? ec_fmt_bytes(total, sizeof total, (double)total_bytes) : "?");
}

/* What the publisher leaves open: checksums that can be forged, a way on which others can write. */
static void put_doubts(const struct ec_fetch_set *set, bool own_url, struct ec_buf *out)
{
    bool md5 = false;
    int i;

    for (i = 0; i < set->n_files; i++)
        md5 = md5 || !set->files[i].sha256;
    if (md5)
        ec_buf_str(out, "; only an MD5 is published, which shows damage and not forgery");
    if (!own_url && !ec_str_starts(set->urls[0], "https:"))
        ec_buf_str(out, "; the publisher has no https");
}

static enum ec_status fetch_one(struct ec_call *call, const char *name, struct ec_json *j,
                                struct ec_err *err)
{
    const struct fetch_opts *o = call->opts;
    int64_t last_ns = 0;
    bool terminal = isatty(STDERR_FILENO) == 1, already = false;
    struct ec_fetch_opts opts = { o->dir, o->url, terminal ? show_progress : NULL, &last_ns };
    const struct ec_fetch_set *set = NULL;
    struct ec_buf path = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    EC_TRY(ec_fetch_find(name, &set, err));
    st = ec_fetch(set, &opts, &path, &already, err);
    if (last_ns)
        ec_say_nothing_over();
    if (st)
        goto out;
    if (call->forms.json) {
        ec_json_open(j, NULL, '{');
        ec_json_str(j, "name", name);
        ec_json_str(j, "path", ec_buf_text(&path));
        ec_json_bool(j, "already_there", already);
        ec_json_str(j, "licence", set->licence);
        ec_json_str(j, "checksums", set->checksums);
        ec_json_str(j, "url", o->url ? o->url : set->urls[0]);
        ec_json_close(j, '}');
    } else {
        ec_buf_printf(&call->out, "%s: %s%s; licence: %s", name, ec_buf_text(&path),
                      already ? ", there already" : "", set->licence);
        put_doubts(set, o->url != NULL, &call->out);
        ec_buf_char(&call->out, '\n');
        st = ec_call_flush(call, err);
    }
out:
    ec_buf_clear(&path);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct fetch_opts *o = call->opts;
    enum ec_status st = EC_OK;
    struct ec_json j = { 0 };
    int i;

    if (!o->names.n)
        return list(call, err);
    if (call->forms.json) {
        ec_json_document(&j, &call->out, 2, "epochcast.fetch/1");
        ec_json_open(&j, "sets", '[');
    }
    for (i = 0; !st && i < o->names.n; i++)
        st = fetch_one(call, o->names.v[i], &j, err);
    if (call->forms.json) {
        ec_json_close(&j, ']');
        ec_json_end(&j);
    }
    return st;
}
