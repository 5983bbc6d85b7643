/* One JSON request to one JSON answer, by the same table of options as the command line. */
#include "predict/predict_internal.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA "epochcast.prediction/1"

/* Members of a request beside the options. */
struct request {
    const char *model, *op, *device;
    const struct ec_jval *id;
    bool explain;
    struct ec_predict_opts opts;
};

static enum ec_status need_text(const struct ec_jval *v, const char **ret, struct ec_err *err)
{
    if (v->type != EC_J_STR)
        return ec_fail(err, EC_E_INPUT, "%s: expected text", v->key);
    if (*ret)
        return ec_fail(err, EC_E_INPUT, "\"model\" and \"network\" are both given, expected one");
    *ret = v->str;
    return EC_OK;
}

static enum ec_status need_bool(const struct ec_jval *v, bool *ret, struct ec_err *err)
{
    if (v->type != EC_J_BOOL && v->type != EC_J_NULL)
        return ec_fail(err, EC_E_INPUT, "%s: expected true or false", v->key);
    *ret = v->type == EC_J_BOOL && v->b;
    return EC_OK;
}

/* Numbers and booleans pass through the field table as text, so that there is one parser with one
 * set of messages. */
static enum ec_status set_option(const struct ec_jval *v, struct ec_predict_opts *o,
                                 struct ec_arena *a, struct ec_err *err)
{
    const struct ec_field *f = ec_field_find(ec_predict_fields, ec_span_of(v->key));
    struct ec_span text;
    char number[40];

    if (!f) {
        const char *names[64];
        int n = 0;

        for (f = ec_predict_fields; f->name && n < EC_LEN(names) - 4; f++)
            names[n++] = f->name;
        names[n++] = "model";
        names[n++] = "op";
        names[n++] = "device";
        names[n++] = "explain";
        return ec_fail_near(err, EC_E_INPUT, v->key, names, n, "unknown key \"%.60s\"", v->key);
    }
    if (v->type == EC_J_NULL)
        return EC_OK;
    if (v->type == EC_J_STR) {
        text = ec_span_of(v->str);
    } else if (v->type == EC_J_BOOL) {
        text = ec_span_of(v->b ? "1" : "0");
    } else if (v->type == EC_J_NUM) {
        if (v->is_int)
            (void)snprintf(number, sizeof number, "%lld", (long long)v->i);
        else
            (void)ec_snprintf(number, sizeof number, "%.17g", v->num);
        text = ec_span_of(number);
    } else {
        return ec_fail(err, EC_E_INPUT, "%s: expected a number or text", v->key);
    }
    return ec__option_set(f, o, text, a, err);
}

static enum ec_status need_device(const struct ec_jval *v, const char **ret, struct ec_err *err)
{
    if (v->type == EC_J_ARRAY || (v->type == EC_J_STR && strpbrk(v->str, ",*?")))
        return ec_fail(err, EC_E_INPUT,
                       "device: a request has one device; write a request for each");
    return need_text(v, ret, err);
}

static enum ec_status read_request(const struct ec_jval *root, struct request *r,
                                   struct ec_arena *a, struct ec_err *err)
{
    const struct ec_jval *v;

    if (root->type != EC_J_OBJECT)
        return ec_fail(err, EC_E_PARSE, "expected one JSON object on each line");
    r->id = ec_json_get(root, "id"); /* first, so that answers about failures have it */
    if (r->id && r->id->type == EC_J_NULL)
        r->id = NULL;
    if (r->id && r->id->type != EC_J_STR && r->id->type != EC_J_NUM)
        return ec_fail(err, EC_E_INPUT, "id: expected a number or text");
    ec_predict_opts_default(&r->opts);
    for (v = root->child; v; v = v->next) {
        if (ec_str_eq(v->key, "model") || ec_str_eq(v->key, "network"))
            EC_PASS(need_text(v, &r->model, err));
        else if (ec_str_eq(v->key, "op"))
            EC_PASS(need_text(v, &r->op, err));
        else if (ec_str_eq(v->key, "device"))
            EC_PASS(need_device(v, &r->device, err));
        else if (ec_str_eq(v->key, "explain"))
            EC_PASS(need_bool(v, &r->explain, err));
        else if (!ec_str_eq(v->key, "id") && !ec_str_eq(v->key, "schema"))
            EC_PASS(set_option(v, &r->opts, a, err));
    }
    if (r->model && (ec_str_eq(r->model, "-") || ec_file_descriptor(r->model) >= 0))
        return ec_fail(err, EC_E_INPUT, "model: standard input may hold the requests; name a file");
    if (!r->device)
        return ec_fail(err, EC_E_INPUT, "no device: give \"device\"");
    if (!r->model == !r->op)
        return ec_fail(err, EC_E_INPUT,
                       r->model ? "both \"model\" and \"op\" are given, expected one"
                                : "nothing to predict: give \"model\" or \"op\"");
    return EC_OK;
}

void ec_request_id_json(struct ec_json *j, const struct ec_jval *id)
{
    if (!id)
        return;
    if (id->type == EC_J_STR)
        ec_json_str(j, "id", id->str);
    else if (id->type == EC_J_NUM && id->is_int)
        ec_json_int(j, "id", id->i);
    else if (id->type == EC_J_NUM)
        ec_json_num(j, "id", id->num);
}

static void json_answer(struct ec_json *j, const struct request *r,
                        const struct ec_prediction *answer)
{
    const struct ec_device *d = NULL;

    ec_json_str(j, r->op ? "op" : "model", r->op ? r->op : r->model);
    if (!ec_device_find(r->device, &d, NULL))
        ec_json_str(j, "device", ec_device_key(d));
    ec_answer_json(j, &r->opts, answer, r->op != NULL);
}

static void json_error(struct ec_json *j, enum ec_status st, int64_t number,
                       const struct ec_err *err)
{
    ec_json_open(j, "error", '{');
    if (number)
        ec_json_int(j, "line", number);
    ec_json_str(j, "status", ec_status_name(st));
    ec_json_str(j, "message", err->text);
    ec_json_close(j, '}');
}

/* The parser sees one line: what it calls line 1 is line `number` of the file. */
static enum ec_status parse_line(const char *line, size_t len, int64_t number, struct ec_arena *a,
                                 const struct ec_jval **ret, struct ec_err *err)
{
    static const char first[] = "line 1, ";
    enum ec_status st = ec_json_parse(line, len, a, ret, err);
    char rest[EC_ERR_MAX_BYTES];

    if (!st || !number || !ec_str_starts(err->text, first))
        return st;
    (void)snprintf(rest, sizeof rest, "%s", err->text + strlen(first));
    return ec_fail(err, st, "line %lld, %s", (long long)number, rest);
}

void ec_predictor_refuse_files(struct ec_predictor *p)
{
    p->no_files = true;
}

enum ec_status ec_predict_request(struct ec_predictor *p, const char *line, size_t len,
                                  int64_t number, struct ec_buf *out, struct ec_err *err)
{
    struct ec_explanation why;
    struct ec_prediction answer;
    struct request r = { 0 };
    struct ec_arena a = { 0 };
    const struct ec_jval *root = NULL;
    const struct ec_device *d = NULL;
    struct ec_err failure = { 0 };
    struct ec_json j;
    enum ec_status st;

    if (len > EC_REQUEST_MAX_BYTES)
        EC_TRY(ec_fail(&failure, EC_E_INPUT, "a request of more than %zu bytes",
                       EC_REQUEST_MAX_BYTES));
    EC_TRY(parse_line(line, len, number, &a, &root, &failure));
    EC_TRY(read_request(root, &r, &a, &failure));
    if (p->no_files && r.model && !ec_graph_is_built_in(r.model))
        EC_TRY(ec_fail(&failure, EC_E_INPUT,
                       "model: no built-in network \"%.60s\", and files are not read (--no-files)",
                       r.model));
    if (r.model && !ec_device_find(r.device, &d, NULL))
        EC_TRY(ec_predict_usual(p, r.model, d, &r.opts, &failure));
    if (r.explain)
        EC_TRY(ec_predict_explained(p, r.model, r.op, r.device, &r.opts, &answer, &why, &failure));
    else
        EC_TRY(r.op ? ec_predict_op(p, r.op, r.device, &r.opts, &answer, &failure)
                    : ec_predict_network(p, r.model, r.device, &r.opts, &answer, &failure));
out:
    ec_json_document(&j, out, 0, SCHEMA);
    ec_request_id_json(&j, r.id);
    if (number && !st)
        ec_json_int(&j, "line", number);
    if (st)
        json_error(&j, st, number, &failure);
    else
        json_answer(&j, &r, &answer);
    if (!st && r.explain)
        ec_explanation_json(&j, &why);
    ec_json_close(&j, '}');
    ec_arena_clear(&a);
    return ec_buf_status(out, err);
}

enum ec_status ec_predict_json(struct ec_predictor *p, const char *request, const char **ret,
                               struct ec_err *err)
{
    EC_NEED(err, p, request, ret);
    ec_buf_reset(&p->answer);
    EC_PASS(ec_predict_request(p, request, strlen(request), 0, &p->answer, err));
    *ret = ec_buf_text(&p->answer);
    return EC_OK;
}
