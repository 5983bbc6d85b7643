/* epochcast calibrate: adapts the predictor to a device by a few measurements. */
#include "cli/calibrate_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hw/hw.h"
#include "learn/learn.h"
#include "report/report.h"

/* A row that is off by a larger factor after calibration causes a warning. */
#define FAR 1.5

#include "calibrate_cmd.h"
#include "cli_columns.h"

/* ------------------------------------------------------------------------------------------------
 * Rows */

static enum ec_status number(const char *text, const char *flag, double *ret, struct ec_call *call,
                             struct ec_err *err)
{
    if (ec_parse_double(ec_span_of(text), ret) && *ret > 0)
        return EC_OK;
    return ec_usage(call, err, "%s: found \"%.40s\", expected a number above zero", flag, text);
}

/* Measurements of --samples-per-s or --time-ms belong to the rows without one, in their order. */
static enum ec_status add_texts(struct ec_call *call, const char *device, struct ec_record_list *l,
                                struct ec_err *err)
{
    const struct calibrate_opts *o = call->opts;
    bool by_rate = o->samples_per_s.n > 0;
    const struct ec_strs *apart = by_rate ? &o->samples_per_s : &o->time_ms;
    int i, used = 0;

    for (i = 0; i < o->row.n; i++) {
        bool has_own = strstr(o->row.v[i], "samples_per_s=") || strstr(o->row.v[i], "time_ms=");
        double v = 0;

        if (!has_own && used < apart->n)
            EC_PASS(
                number(apart->v[used++], by_rate ? "--samples-per-s" : "--time-ms", &v, call, err));
        EC_PASS(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err));
        EC_PASS(ec__row_of_text(o->row.v[i], device, by_rate ? v : 0, by_rate ? 0 : v, &call->arena,
                                &l->v[l->n], err));
        l->v[l->n].row = l->n;
        l->n++;
    }
    if (used < apart->n)
        return ec_usage(call, err, "%d measurements for %d rows without one", apart->n, used);
    return EC_OK;
}

/* Keeps every k-th row, so that the kept rows are spread over the table. */
static void thin(struct ec_record_list *l, int64_t max_rows)
{
    int n = l->n, i;

    if (n <= max_rows)
        return;
    for (i = 0; i < max_rows; i++)
        l->v[i] = l->v[(int64_t)i * n / max_rows];
    l->n = (int)max_rows;
}

/* others: devices of the tables */
static enum ec_status no_time(const struct ec_device *d, const struct ec_strs *others,
                              struct ec_err *err)
{
    struct ec_buf names = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; i < others->n; i++)
        ec_buf_printf(&names, "%s%.40s", i ? ", " : "; the rows are of ", others->v[i]);
    st = ec_fail(err, EC_E_NOT_FOUND, "no measured time of %s there%.300s", ec_device_key(d),
                 ec_buf_text(&names));
    ec_buf_clear(&names);
    return st;
}

static enum ec_status collect(struct ec_call *call, const struct ec_device *d,
                              struct ec_record_list *l, struct ec_err *err)
{
    const struct calibrate_opts *o = call->opts;
    struct ec_strs others = { 0 };

    EC_PASS(ec_mapping_check(o->given.mapping, err));
    EC_PASS(ec__rows_of_tables(&o->given, &o->table, d, &call->arena, l, &others, err));
    if (o->from_store)
        EC_PASS(ec__rows_of_store(o->store, d, &call->arena, l, err));
    if ((o->table.n || o->from_store) && !l->n)
        EC_PASS(no_time(d, &others, err));
    thin(l, o->max_rows);
    return add_texts(call, ec_device_key(d), l, err);
}

/* ------------------------------------------------------------------------------------------------
 * Answers */

static void name_origin(const struct calibrate_opts *o, struct ec_profile *p)
{
    const char *source = o->source       ? o->source
                         : o->table.n    ? o->table.v[0]
                         : o->measured.n ? o->measured.v[0]
                         : o->from_store ? "store"
                                         : "command line";

    (void)snprintf(p->source, sizeof p->source, "%s", source);
    (void)snprintf(p->machine, sizeof p->machine, "%s", o->machine ? o->machine : "");
}

static enum ec_status print_rows(struct ec_call *call, const struct ec_calibrated_row *rows, int n,
                                 struct ec_err *err)
{
    struct ec_table t;
    int i;

    ec_table_init(&t, calibrate_row_cols, EC_LEN(calibrate_row_cols));
    for (i = 0; i < n; i++) {
        ec_table_row(&t, ec_text(rows[i].m->what),
                     rows[i].m->batch ? ec_int(rows[i].m->batch) : ec_none(),
                     ec_text(ec_record_word(rows[i].m, EC_WORD_PRECISION)),
                     ec_num(rows[i].m->time.ns), ec_num(rows[i].before_ns),
                     ec_num(rows[i].after_ns), ec_num(rows[i].before_ns / rows[i].m->time.ns - 1),
                     ec_num(rows[i].after_ns / rows[i].m->time.ns - 1));
    }
    return ec_call_last_table(call, NULL, &t, err); /* JSON is the profile */
}

/* Rows that are far off even with the profile are probably wrong. */
static void warn_far(const struct ec_calibrated_row *rows, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        double ratio = rows[i].after_ns / rows[i].m->time.ns;
        char times[32];

        if (ratio > FAR || ratio < 1 / FAR)
            ec_say("warning: %.80s: measured %s times %s than predicted even after calibration; "
                   "is the row right, and was the machine idle?\n",
                   rows[i].m->what,
                   ec_fmt_times(times, sizeof times, ratio > 1 ? ratio : 1 / ratio),
                   ratio > 1 ? "faster" : "slower");
    }
}

static void print_profile(const struct ec_profile *p, int left_out, bool markdown,
                          struct ec_buf *out)
{
    static const char *const names[EC_DO_COUNT] = { "compute", "memory", "launch" };
    const char *lead = markdown ? "- " : "  ";
    int i;

    ec_buf_printf(out, "\n%s, compared with the built-in predictor\n%s", p->device,
                  markdown ? "\n" : "");
    for (i = 0; i < EC_DO_COUNT; i++) {
        double half = EC_NORMAL_95 * sqrt(p->covariance[i][i]);

        ec_buf_printf(out, "%s%-8s time x %.3f   (90 %%: x %.3f to x %.3f)\n", lead, names[i],
                      exp(p->change[i]), exp(p->change[i] - half), exp(p->change[i] + half));
    }
    ec_buf_printf(out, "%shalf of the rows are off by at most %.1f %% before, %.1f %% after\n",
                  lead, 100 * p->error_before, 100 * p->error_after);
    if (left_out)
        ec_buf_printf(out, "%s%d row%s left out\n", lead, left_out,
                      left_out == 1 ? " was" : "s were");
}

/* The conditions of a row as options of predict: its precision, and what is not the default. */
static void print_conditions(const struct ec_record *r, struct ec_buf *out)
{
    static const char *const flags[EC_WORD_COUNT] = {
        [EC_WORD_PRECISION] = "precision", [EC_WORD_LAYOUT] = "layout",
        [EC_WORD_FRAMEWORK] = "framework", [EC_WORD_MODE] = "mode",
        [EC_WORD_OPTIMIZER] = "optimizer", [EC_WORD_RECOMPUTE] = "recompute",
    };
    struct ec_record usual;
    int i;

    ec_record_init(&usual);
    ec_record_default(&usual);
    for (i = 0; i < EC_WORD_COUNT; i++) {
        const char *word = ec_record_word(r, (enum ec_word)i);

        if (i == EC_WORD_PRECISION || !ec_str_eq(word, ec_record_word(&usual, (enum ec_word)i)))
            ec_buf_printf(out, " --%s %s", flags[i], word);
    }
    if (*r->activation)
        ec_buf_printf(out, " --activation %s", r->activation);
    if (r->image_px)
        ec_buf_printf(out, " --image %lld", (long long)r->image_px);
    if (r->seq_len)
        ec_buf_printf(out, " --seq-len %lld", (long long)r->seq_len);
}

/* What was written, and the command that uses it: for the last row, which a person knows. */
static void print_next(const struct calibrate_opts *o, const struct ec_profile *p,
                       const struct ec_record *last, struct ec_buf *out)
{
    if (!o->out) {
        ec_buf_str(out, "\nnothing was written: --out FILE.json keeps the profile\n");
        return;
    }
    ec_buf_printf(out, "\nwrote %s: %d row%s of %s. To predict with it:\n\n    epochcast predict ",
                  o->out, p->n_points, p->n_points == 1 ? "" : "s", p->device);
    if (ec_record_is_network(last))
        ec_buf_printf(out, "%s --batch %lld", last->what, (long long)last->batch);
    else
        ec_buf_printf(out, "--op '%s'", last->what);
    ec_buf_printf(out, " --device %s", p->device);
    print_conditions(last, out);
    ec_buf_printf(out, " --profile %s\n", o->out);
}

static enum ec_status answer(struct ec_call *call, struct ec_predictor *p, struct ec_record_list *l,
                             const char *device, struct ec_profile *ret, struct ec_err *err)
{
    const struct calibrate_opts *o = call->opts;
    struct ec_calibrated_row *rows = NULL;
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;
    struct ec_left_out left_out = { .why = EC_BUF_INIT };
    size_t from;

    EC_TRY(ec_records_usual(p, l->v, l->n, err));
    EC_TRY(ec_calibrate(p, device, l->v, l->n, ret, &rows, &left_out, err));
    ec_say("%s", ec_buf_text(&left_out.why));
    name_origin(o, ret);
    ec_profile_json(ret, &text);
    EC_TRY(ec_buf_status(&text, err));
    if (o->out)
        EC_TRY(ec_file_write(o->out, text.data, text.len, err));
    warn_far(rows, l->n - left_out.n);
    if (o->suggest)
        goto out;
    if (call->forms.json) {
        ec_buf_join(&call->out, &text);
        goto out;
    }
    EC_TRY(print_rows(call, rows, l->n - left_out.n, err));
    from = call->out.len;
    if (!call->forms.csv)
        print_profile(ret, left_out.n, call->forms.markdown, &call->out);
    if (!ec_forms_any(&call->forms)) {
        EC_TRY(ec_call_fit(call, from, err));
        print_next(o, ret, rows[l->n - left_out.n - 1].m, &call->out);
    }
out:
    ec_free(rows);
    ec_buf_clear(&left_out.why);
    ec_buf_clear(&text);
    return st;
}

static enum ec_status suggest(struct ec_call *call, struct ec_predictor *p,
                              const struct ec_profile *from, struct ec_err *err)
{
    const struct calibrate_opts *o = call->opts;
    const struct ec_table_head head = { "epochcast.suggestions/1",
                                        "suggestions",
                                        { { "device", o->device } } };
    struct ec_suggestion *s = NULL;
    struct ec_table t;
    double spread = 0;
    enum ec_status st;
    int n = 0, i;

    ec_table_init(&t, calibrate_suggest_cols, EC_LEN(calibrate_suggest_cols));
    EC_TRY(ec_calibrate_suggest(p, from, (int)o->suggest, &s, &n, &spread, err));
    if (!call->forms.json && !call->forms.csv)
        ec_buf_printf(&call->out, "%s: standard deviation of predictions now: %.1f %%\n\n",
                      from->device, 100 * spread);
    for (i = 0; i < n; i++) {
        ec_table_row(&t, ec_int(i + 1), ec_text(s[i].what),
                     s[i].is_network ? ec_int(s[i].batch) : ec_none(), ec_text(s[i].precision),
                     ec_num(s[i].expected_ns), ec_num(s[i].spread));
    }
    EC_TRY(ec_call_table(call, &head, &t, err));
out:
    ec_table_clear(&t);
    ec_free(s);
    return st;
}

static enum ec_status calibrate(struct ec_call *call, struct ec_err *err)
{
    const struct calibrate_opts *o = call->opts;
    struct ec_record_list l = { 0 };
    const struct ec_device *d = NULL;
    struct ec_predictor *p = NULL;
    struct ec_profile profile;
    enum ec_status st;

    EC_TRY(ec_device_find(o->device, &d, err));
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_profile_prior(o->device, &profile, err));
    EC_TRY(collect(call, d, &l, err));
    if (l.n)
        EC_TRY(answer(call, p, &l, ec_device_key(d), &profile, err));
    if (o->suggest)
        EC_TRY(suggest(call, p, &profile, err));
out:
    ec_records_clear(&l);
    ec_predictor_free(p);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Layers of this machine */

static void print_layers(const struct ec_local *l, struct ec_buf *out)
{
    const struct ec_layer_machine *own = ec_layers_machine(l->layers);

    ec_buf_printf(out, "%s, framework %s, precision %s, %lld thread%s\n", l->machine,
                  own->framework, own->precision, (long long)own->threads,
                  own->threads == 1 ? "" : "s");
    ec_buf_printf(out, "  %d rows of layers", ec_layers_count(l->layers));
    if (l->left_out)
        ec_buf_printf(out, "; %d that cannot be used were left out", l->left_out);
    ec_buf_printf(out, "\n  arithmetic %.1f GFLOP/s, largest copies %.1f GB/s\n",
                  own->flop_per_s * 1e-9, own->rate_bytes_per_s[own->n - 1] * 1e-9);
}

static enum ec_status layers(struct ec_call *call, struct ec_err *err)
{
    const struct calibrate_opts *o = call->opts;
    struct ec_buf text = EC_BUF_INIT;
    struct ec_local l = { 0 };
    enum ec_status st;

    EC_TRY(ec_local_make(o->device, o->measured.v, o->measured.n, o->threads, &l, err));
    name_origin(o, &l.profile);
    ec_local_json(&l, &text);
    EC_TRY(ec_buf_status(&text, err));
    if (o->out)
        EC_TRY(ec_file_write(o->out, text.data, text.len, err));
    if (call->forms.json)
        ec_buf_join(&call->out, &text);
    else
        print_layers(&l, &call->out);
out:
    ec_local_clear(&l);
    ec_buf_clear(&text);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct calibrate_opts *o = call->opts;

    return o->measured.n ? layers(call, err) : calibrate(call, err);
}
