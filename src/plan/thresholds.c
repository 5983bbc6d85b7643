/* Limits of acceptance: a table of jobs, and what each is expected to reach as JSON. */
#include "plan/thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "epochcast.thresholds/1"

void ec_thresholds_write(const struct ec_thresholds *l, struct ec_buf *out)
{
    struct ec_json j;
    int i, k;

    ec_json_document(&j, out, 2, SCHEMA);
    ec_json_str(&j, "version", EC_VERSION);
    ec_json_num(&j, "tolerance_frac", l->tolerance);
    ec_json_open(&j, "jobs", '[');
    for (i = 0; i < l->n; i++) {
        const struct ec_threshold *v = &l->v[i];
        char key[40];

        ec_json_open(&j, NULL, '{');
        ec_json_str(&j, "job", v->job);
        ec_json_num(&j, "time_p05_ns", v->ns.p05);
        ec_json_num(&j, "time_p50_ns", v->ns.p50);
        ec_json_num(&j, "time_p95_ns", v->ns.p95);
        ec_json_int(&j, "devices", v->does.devices);
        for (k = EC_SPEED_SAMPLES; k < EC_SPEED_COUNT; k++) {
            if (!(v->does.of[k] > 0))
                continue;
            (void)ec_snprintf(key, sizeof key, "%s_per_step", ec_speed_words[k].key);
            ec_json_num(&j, key, v->does.of[k]);
            (void)ec_snprintf(key, sizeof key, "%s_p05_per_s", ec_speed_words[k].key);
            ec_json_num(&j, key, 1e9 * v->does.of[k] / v->ns.p95);
        }
        ec_json_close(&j, '}');
    }
    ec_json_close(&j, ']');
    ec_json_end(&j);
}

static int by_job(const void *a, const void *b)
{
    return strcmp(((const struct ec_threshold *)a)->job, ((const struct ec_threshold *)b)->job);
}

/* A number of an object; 0: it is not there, or is none. */
static double number(const struct ec_jval *o, const char *key)
{
    const struct ec_jval *v = ec_json_get(o, key);

    return v && v->type == EC_J_NUM && isfinite(v->num) ? v->num : 0;
}

static enum ec_status parse_job(const struct ec_jval *v, struct ec_threshold *ret,
                                struct ec_err *err)
{
    const struct ec_jval *job = v->type == EC_J_OBJECT ? ec_json_get(v, "job") : NULL;
    char key[40];
    int k;

    if (!job || job->type != EC_J_STR || !*job->str)
        return ec_fail(err, EC_E_PARSE, "jobs: one has no name \"job\"");
    ret->job = job->str;
    ret->ns = (struct ec_interval){ number(v, "time_p05_ns"), number(v, "time_p50_ns"),
                                    number(v, "time_p95_ns") };
    if (!(ret->ns.p05 > 0 && ret->ns.p05 <= ret->ns.p50 && ret->ns.p50 <= ret->ns.p95))
        return ec_fail(err, EC_E_INPUT,
                       "job \"%.60s\": expected times above 0 with time_p05_ns <= time_p50_ns <= "
                       "time_p95_ns",
                       job->str);
    ret->does.of[EC_SPEED_STEPS] = 1;
    for (k = EC_SPEED_SAMPLES; k < EC_SPEED_COUNT; k++) {
        (void)ec_snprintf(key, sizeof key, "%s_per_step", ec_speed_words[k].key);
        ret->does.of[k] = number(v, key);
    }
    ret->does.devices =
        number(v, "devices") >= 1 && number(v, "devices") < 1e9 ? (int64_t)number(v, "devices") : 1;
    return EC_OK;
}

enum ec_status ec_thresholds_parse(struct ec_span text, struct ec_arena *a,
                                   struct ec_thresholds *ret, struct ec_err *err)
{
    struct ec_thresholds l = { .n = 0 };
    const struct ec_jval *root = NULL, *jobs, *v;
    int i;

    EC_PASS(ec_json_parse(text.p, text.len, a, &root, err));
    jobs = root->type == EC_J_OBJECT ? ec_json_get(root, "jobs") : NULL;
    if (!jobs || jobs->type != EC_J_ARRAY || !jobs->n)
        return ec_fail(err, EC_E_PARSE,
                       "expected an object with \"jobs\", as `epochcast check "
                       "--thresholds` writes it");
    l.tolerance = fmax(number(root, "tolerance_frac"), 0);
    l.v = ec_arena_alloc(a, sizeof *l.v * (size_t)jobs->n);
    EC_PASS(ec_allocated(l.v, err));
    for (v = jobs->child; v; v = v->next)
        EC_PASS(parse_job(v, &l.v[l.n++], err));
    qsort(l.v, (size_t)l.n, sizeof *l.v, by_job);
    for (i = 1; i < l.n; i++)
        if (ec_str_eq(l.v[i].job, l.v[i - 1].job))
            return ec_fail(err, EC_E_INPUT, "job \"%.60s\" is there twice", l.v[i].job);
    *ret = l;
    return EC_OK;
}

enum ec_status ec_thresholds_find(const struct ec_thresholds *l, const char *job,
                                  const struct ec_threshold **ret, struct ec_err *err)
{
    const struct ec_threshold key = { .job = job };
    const char *names[64];
    int i;

    *ret = bsearch(&key, l->v, (size_t)l->n, sizeof *l->v, by_job);
    if (*ret)
        return EC_OK;
    for (i = 0; i < l->n && i < EC_LEN(names); i++)
        names[i] = l->v[i].job;
    return ec_fail_near(err, EC_E_NOT_FOUND, job, names, i, "no limit for job \"%.80s\"", job);
}

/* ------------------------------------------------------------------------------------------------
 * A table of jobs */

/* Columns that say what is run. */
/* clang-format off */
static const struct ec_field what_fields[] = {
    { .name = "model", .type = EC_F_STR, .offset = offsetof(struct ec_job, model) },
    { .name = "op", .type = EC_F_STR, .offset = offsetof(struct ec_job, op) },
    { .name = "device", .type = EC_F_STR, .offset = offsetof(struct ec_job, device) },
    { .name = "collective", .type = EC_F_ENUM, .offset = offsetof(struct ec_job, collective),
      .choices = ec_collective_names },
    EC_FIELD_END
};
/* clang-format on */

enum ec_status ec_job_name(const struct ec_csv *csv, int row, struct ec_arena *a,
                           const char **ret_name, struct ec_err *err)
{
    const char *given = ec_csv_cell(csv, row, ec_csv_col(csv, "job"));
    struct ec_buf name = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; !*given && i < csv->n_cols; i++) {
        const char *cell = ec_csv_cell(csv, row, i);

        if (!*cell || ec_str_eq(csv->names[i], "measured"))
            continue;
        ec_buf_str(&name, name.len ? " " : "");
        if (!ec_field_find(what_fields, ec_span_of(csv->names[i])) &&
            !ec_str_eq(csv->names[i], "bytes"))
            ec_buf_printf(&name, "%s=", csv->names[i]);
        ec_buf_str(&name, cell);
    }
    EC_TRY(ec_buf_status(&name, err));
    *ret_name = ec_arena_str(a, *given ? given : ec_buf_text(&name));
    EC_TRY(ec_allocated(*ret_name, err));
out:
    ec_buf_clear(&name);
    return st;
}

static enum ec_status set_cell(const char *name, const char *cell, struct ec_job *job,
                               struct ec_arena *a, struct ec_err *err)
{
    const struct ec_field *what = ec_field_find(what_fields, ec_span_of(name));
    const struct ec_field *f = ec_field_find(ec_predict_fields, ec_span_of(name));

    if (!*cell || ec_str_eq(name, "job") || ec_str_eq(name, "measured"))
        return EC_OK;
    if (ec_str_eq(name, "bytes"))
        return ec_parse_bytes(ec_span_of(cell), &job->bytes)
                   ? EC_OK
                   : ec_fail(err, EC_E_INPUT,
                             "column bytes: found \"%.40s\", expected " EC_BYTES_EXPECTED, cell);
    if (!what && !f)
        return ec_fail(err, EC_E_INPUT,
                       "column %.60s: expected job, model, op, collective, bytes, device, "
                       "measured, or an option of `epochcast predict` with _ for -",
                       name);
    job->opts.usual_precision &= !ec_str_eq(name, "precision");
    job->opts.usual_optimizer &= !ec_str_eq(name, "optimizer");
    job->opts.usual_framework &= !ec_str_eq(name, "framework");
    return what ? ec_field_set(what, job, ec_span_of(cell), a, err)
                : ec_field_set(f, &job->opts, ec_span_of(cell), a, err);
}

enum ec_status ec_job_of_row(const struct ec_csv *csv, int row, struct ec_arena *a,
                             struct ec_job *ret, struct ec_err *err)
{
    const char *collective = ec_csv_cell(csv, row, ec_csv_col(csv, "collective"));
    struct ec_job job = { .bytes = 0 };
    int i;

    ec_predict_opts_default(&job.opts);
    job.opts.usual_precision = job.opts.usual_optimizer = job.opts.usual_framework = true;
    for (i = 0; i < csv->n_cols; i++)
        EC_PASS(set_cell(csv->names[i], ec_csv_cell(csv, row, i), &job, a, err));
    if (!job.device || (job.model != NULL) + (job.op != NULL) + (*collective != '\0') != 1 ||
        (*collective != '\0') != (job.bytes > 0))
        return ec_fail(err, EC_E_INPUT,
                       "expected a device, and one of model, op, and collective with bytes");
    *ret = job;
    return EC_OK;
}
