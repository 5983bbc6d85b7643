/* An explanation as JSON. */
#include "predict/predict_internal.h"

static void json_kinds(struct ec_json *j, const char *key, const double *v)
{
    int i;

    ec_json_open(j, key, '{');
    for (i = 0; i < EC_KCLASS_COUNT; i++)
        if (v[i] > 0)
            ec_json_num(j, ec_kclass_name((enum ec_kclass)i), v[i]);
    ec_json_close(j, '}');
}

void ec_explanation_json(struct ec_json *j, const struct ec_explanation *why)
{
    int i;

    ec_json_open(j, "explanation", '{');
    json_kinds(j, "launches", why->launches);
    ec_json_num(j, "launches_with_casts", why->issued);
    json_kinds(j, "flop", why->flop);
    ec_json_num(j, "casts_ns", why->cast_ns);
    ec_json_num(j, "launches_ns", why->gap_ns);
    ec_json_num(j, "device_ns", why->device_ns);
    ec_json_open(j, "stages", '[');
    for (i = 0; i < why->n; i++) {
        const struct ec_explained *e = &why->row[i];

        ec_json_open(j, NULL, '{');
        ec_json_str(j, "stage", e->stage);
        if (e->column) {
            ec_json_str(j, "column", e->column);
            json_kinds(j, "device_ns_by_kind", e->kind_ns);
        }
        if (e->step_ns > 0)
            ec_json_num(j, "step_time_ns", e->step_ns);
        ec_json_str(j, "text", e->text);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
    ec_json_close(j, '}');
}
