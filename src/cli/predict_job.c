/* The file of a training tool as options of epochcast predict, and what became of its keys. */
#include "cli/predict_cmd_internal.h"

enum ec_status ec__predict_job_read(struct ec_call *call, struct ec_err *err)
{
    struct predict_cmd_opts *o = call->opts;
    struct ec_job_file *f = &o->job_file;
    int i;

    EC_PASS(ec_job_file_read(o->job, &call->given, &o->query, f, &call->arena, err));
    for (i = 0; i < f->set.n; i++)
        EC_PASS(ec_strs_add(&call->given, &call->arena, err, "%s", f->set.v[i]));
    if (!o->model.n && f->model)
        EC_PASS(ec_strs_add(&o->model, &call->arena, err, "%s", f->model));
    if (!o->model.n)
        return ec_usage(call, err, "%s: %s: give a MODEL beside it", o->job,
                        f->unknown.n && ec_str_starts(f->unknown.v[f->unknown.n - 1], "model ")
                            ? f->unknown.v[f->unknown.n - 1]
                            : "it names no network");
    return EC_OK;
}

static void list(struct ec_buf *out, const char *name, const struct ec_strs *v)
{
    struct ec_buf line = EC_BUF_INIT;
    size_t start = out->len;
    int i;

    for (i = 0; i < v->n; i++)
        ec_buf_printf(&line, "%s%s", i ? "; " : "", v->v[i]);
    ec_buf_printf(out, "  %s", name);
    ec_help_wrap(out, start, v->n ? ec_buf_text(&line) : "nothing", 11);
    ec_buf_clear(&line);
}

void ec__predict_job_lines(struct ec_call *call)
{
    const struct predict_cmd_opts *o = call->opts;
    const struct ec_job_file *f = &o->job_file;
    struct ec_buf text = EC_BUF_INIT;

    if (!o->job || call->forms.json)
        return;
    ec_buf_printf(&text, "%s, a job file of %s\n", o->job, f->format);
    list(&text, "read", &f->read);
    list(&text, "assumed", &f->assumed);
    list(&text, "unknown", &f->unknown);
    ec_buf_printf(&text, "  %d further key%s without effect on time and memory\n\n", f->n_idle,
                  f->n_idle == 1 ? " is" : "s are");
    if (call->forms.csv || call->forms.markdown)
        ec_say("%s", ec_buf_text(&text));
    else
        ec_buf_join(&call->out, &text);
    ec_buf_clear(&text);
}

void ec__predict_job_json(const struct predict_cmd_opts *o, struct ec_json *j)
{
    const struct ec_job_file *f = &o->job_file;

    if (!o->job)
        return;
    ec_json_open(j, "job_file", '{');
    ec_json_str(j, "path", o->job);
    ec_json_str(j, "format", f->format);
    ec_json_strs(j, "read", f->read.v, f->read.n);
    ec_json_strs(j, "assumed", f->assumed.v, f->assumed.n);
    ec_json_strs(j, "unknown", f->unknown.v, f->unknown.n);
    ec_json_int(j, "without_effect", f->n_idle);
    ec_json_close(j, '}');
}
