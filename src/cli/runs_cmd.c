/* Output of tables of runs. */
#include "cli/runs_cmd.h"

static enum ec_status as_csv(const struct ec_table *t, struct ec_csv *ret, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_table_write(t, EC_TABLE_CSV, &text, err));
    EC_TRY(ec_csv_parse(ec_buf_text(&text), text.len, ret, err));
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status pictures(struct ec_call *call, const struct ec_table *t,
                               const struct runs_output *o, struct ec_err *err)
{
    struct ec_strs names = { 0 };
    struct ec_drawing d = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_picture p;
    enum ec_status st = EC_OK;
    int i;

    if (!o->plots && !o->out)
        return EC_OK;
    EC_TRY(as_csv(t, &csv, err));
    if (o->out) {
        EC_TRY(ec_picture_find(o->recipe, &p, err));
        p.title = o->title ? o->title : p.title;
        EC_TRY(ec_picture_draw(&p, &csv, &d, err));
        EC_TRY(ec_drawing_write(&d, o->out, err));
    }
    if (o->plots)
        EC_TRY(
            ec_pictures_write(&csv, o->plots, o->png ? "png" : "svg", &call->arena, &names, err));
    for (i = 0; i < names.n; i++)
        ec_say("%s\n", names.v[i]);
out:
    ec_drawing_clear(&d);
    ec_csv_clear(&csv);
    return st;
}

static void list(const struct ec_strs *lines, const char *heading, bool markdown,
                 struct ec_buf *out)
{
    int i;

    if (!lines->n)
        return;
    ec_buf_printf(out, "\n%s%s\n%s", markdown ? "**" : "", heading, markdown ? "\n" : "");
    for (i = 0; i < lines->n; i++)
        ec_buf_printf(out, "%s%s\n", markdown ? "- " : "  ", lines->v[i]);
}

static enum ec_status write_json(struct ec_call *call, const struct ec_table *t,
                                 const struct ec_runs *r, const struct ec_strs *findings,
                                 const struct runs_output *o, struct ec_err *err)
{
    struct ec_json j;
    enum ec_status st;

    ec_json_document(&j, &call->out, 2, o->schema);
    if (r->reference)
        ec_json_str(&j, "reference", r->reference);
    st = ec_table_json(t, &j, o->key, err);
    ec_json_strs(&j, "findings", findings->v, findings->n);
    ec_json_strs(&j, "notes", r->notes.v, r->notes.n);
    ec_json_end(&j);
    return st;
}

enum ec_status ec__runs_write(struct ec_call *call, struct ec_runs *r, const struct runs_output *o,
                              struct ec_err *err)
{
    struct ec_strs findings = { 0 };
    struct ec_table t;
    enum ec_status st;
    size_t from;
    int i;

    EC_TRY(ec_runs_table(r, o->view, &t, err));
    EC_TRY(ec_runs_findings(r, &call->arena, &findings, err));
    if (call->forms.json) {
        EC_TRY(write_json(call, &t, r, &findings, o, err));
    } else {
        EC_TRY(ec_call_table(call, NULL, &t, err));
        for (i = 0; call->forms.csv && i < r->notes.n; i++)
            ec_say("note: %s\n", r->notes.v[i]);
        from = call->out.len;
        if (!call->forms.csv) {
            list(&findings, call->forms.markdown ? "Findings**" : "Findings", call->forms.markdown,
                 &call->out);
            list(&r->notes, call->forms.markdown ? "Notes**" : "Notes", call->forms.markdown,
                 &call->out);
        }
        if (!ec_forms_any(&call->forms))
            EC_TRY(ec_call_fit(call, from, err));
    }
    EC_TRY(pictures(call, &t, o, err));
out:
    ec_table_clear(&t);
    return st;
}
