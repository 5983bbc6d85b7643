/* The rules of all operators, by their names in ONNX and by ours. */
#include "graph/onnx_internal.h"

static const struct onnx_rule *const tables[] = { ec__onnx_rules_math, ec__onnx_rules_matrix,
                                                  ec__onnx_rules_nn, ec__onnx_rules_shape };

const struct onnx_rule *ec__onnx_rule(struct ec_span op)
{
    const struct onnx_rule *r;
    int i;

    for (i = 0; i < EC_LEN(tables); i++)
        for (r = tables[i]; r->onnx; r++)
            if (r->onnx[0] == op.p[0] && ec_span_eq(op, r->onnx))
                return r;
    return NULL;
}

ec__onnx_write_fn *ec__onnx_written(const char *op, const char **ret_onnx)
{
    const struct onnx_rule *r;
    int i;

    for (i = 0; i < EC_LEN(tables); i++)
        for (r = tables[i]; r->onnx; r++)
            if (r->write && ec_str_eq(r->op, op)) {
                *ret_onnx = r->onnx;
                return r->write;
            }
    return NULL;
}
