/* Output of epochcast predict as JSON. */
#include "cli/predict_cmd_internal.h"

#include <math.h>

static void json_evidence(const struct answer *a, struct ec_json *j)
{
    int i;

    if (a->no_evidence)
        ec_json_str(j, "no_evidence", a->no_evidence);
    if (!a->evidence && !a->no_evidence)
        return;
    ec_json_open(j, "evidence", '[');
    for (i = 0; i < a->n_evidence; i++) {
        const struct ec_evidence *e = &a->evidence[i];

        ec_json_open(j, NULL, '{');
        ec_json_int(j, "id", e->id);
        ec_json_str(j, "what", e->what);
        ec_json_str(j, "device", e->device);
        ec_json_str(j, "precision", e->precision);
        ec_json_str(j, "mode", e->mode);
        if (e->phase[0])
            ec_json_str(j, "phase", e->phase);
        ec_json_str(j, "framework", e->framework);
        if (e->batch)
            ec_json_int(j, "batch", e->batch);
        ec_json_num(j, "time_ns", e->time_ns);
        ec_json_int(j, "count", e->count);
        ec_json_num(j, "time_min_ns", e->least_ns);
        ec_json_num(j, "time_max_ns", e->most_ns);
        ec_json_num(j, "distance", e->distance);
        ec_json_str(j, "source", e->source);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
}

static void json_choice(const struct answer *a, struct ec_json *j)
{
    if (a->price && a->price->kind)
        ec_json_str(j, "price_kind", ec_price_kinds[a->price->kind]);
    if (a->price && *a->price->date)
        ec_json_str(j, "price_date", a->price->date);
    if (a->price && *a->price->source)
        ec_json_str(j, "price_source", a->price->source);
    if (a->speedup > 0) {
        ec_json_num(j, "speedup", a->speedup);
        ec_json_num(j, "efficiency", a->efficiency);
    }
    if (a->over_first.p50 > 0) {
        ec_json_num(j, "time_over_first", a->over_first.p50);
        ec_json_num(j, "time_over_first_p05", a->over_first.p05);
        ec_json_num(j, "time_over_first_p95", a->over_first.p95);
        ec_json_num(j, "faster_than_first_probability", a->faster_probability);
    }
    if (a->in_time >= 0)
        ec_json_num(j, "in_time_probability", a->in_time);
    if (a->is_fastest)
        ec_json_bool(j, "fastest", true);
    if (a->is_cheapest)
        ec_json_bool(j, "cheapest", true);
}

static void json_extras(const struct extras *x, struct ec_json *j)
{
    int i;

    if (x->has_room) {
        ec_json_open(j, "room", '{');
        for (i = 0; i < x->room.n; i++)
            ec_json_int(j, x->room.way[i].key, x->room.way[i].batch);
        if (x->room.device)
            ec_json_str(j, "device", ec_device_key(x->room.device));
        ec_json_close(j, '}');
    }
    if (x->has_layers)
        ec__predict_layers_json(&x->layers, j);
    ec_json_open(j, "advice", '[');
    for (i = 0; i < x->n_advice; i++) {
        ec_json_open(j, NULL, '{');
        ec_json_str(j, "option", x->advice[i].option);
        ec_json_str(j, "value", x->advice[i].value);
        if (x->advice[i].recompute)
            ec_json_str(j, "recompute", ec_recompute_names[x->advice[i].recompute]);
        ec_json_num(j, "speedup", round(1000 * x->advice[i].speedup) / 1000);
        ec_json_str(j, "text", x->advice[i].text);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
}

static void json_one(const struct predict_cmd_opts *o, const struct answer *a,
                     const struct extras *x, struct ec_json *j)
{
    ec_json_str(j, o->op ? "op" : "model", a->model);
    ec_json_str(j, "device", a->device);
    if (o->method != EC_METHOD_OWN)
        ec_json_str(j, "method", ec_method_names[o->method]);
    if (!a->st && a->own_step_ns > 0)
        ec_json_num(j, "ratio_to_own", a->r.step_time_ns.p50 / a->own_step_ns);
    if (!a->st) {
        ec_answer_json(j, &a->query, &a->r, o->op != NULL);
        json_choice(a, j);
        if (a->largest_batch >= 0)
            ec_json_int(j, "largest_batch", a->largest_batch);
        if (x)
            json_extras(x, j);
        if (a->why)
            ec_explanation_json(j, a->why);
        json_evidence(a, j);
        return;
    }
    ec_json_open(j, "error", '{');
    ec_json_str(j, "status", ec_status_name(a->st));
    ec_json_str(j, "message", a->err.text);
    ec_json_close(j, '}');
}

void ec__predict_json(struct ec_call *call, const struct answer *a, int n, const struct extras *x)
{
    const struct predict_cmd_opts *o = call->opts;
    struct ec_json j;
    int i;

    ec_json_document(&j, &call->out, 2, "epochcast.prediction/1");
    ec__predict_job_json(o, &j);
    if (n == 1)
        json_one(o, &a[0], x, &j);
    if (n > 1)
        ec_json_open(&j, "predictions", '[');
    for (i = 0; n > 1 && i < n; i++) {
        ec_json_open(&j, NULL, '{');
        json_one(o, &a[i], NULL, &j);
        ec_json_close(&j, '}');
    }
    if (n > 1)
        ec_json_close(&j, ']');
    ec_json_end(&j);
}
