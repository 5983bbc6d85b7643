/* The numbers that ship: written by `epochcast fit`, never by hand. */
#include "predict/predict_internal.h"

#include <string.h>

#include "predict/fitted.inc"

const struct ec_fitted *ec__fitted(void)
{
    return &fitted;
}

const struct ec_device_fit *ec__fitted_device(const struct ec_fitted *f, const char *key)
{
    int lo = 0, hi = f->n_devices - 1;

    while (lo <= hi) {
        int mid = (lo + hi) / 2, c = strcmp(key, f->devices[mid].key);

        if (c == 0)
            return &f->devices[mid];
        if (c < 0)
            hi = mid - 1;
        else
            lo = mid + 1;
    }
    return NULL;
}

const char *ec__width_name(enum ec_width_kind k)
{
    static const char *const names[] = {
#define WIDTH_NAME(name) #name,
        EC_WIDTH_LIST(WIDTH_NAME)
#undef WIDTH_NAME
    };
    return names[k];
}

enum ec_width_kind ec__width_of_op(const struct ec_op *op)
{
    static const struct {
        const char *prefix;
        enum ec_width_kind kind;
    } kinds[] = {
        {"conv",       EC_W_conv},
        { "matmul",    EC_W_gemm},
        { "linear",    EC_W_gemm},
        { "lstm",      EC_W_rnn },
        { "gru",       EC_W_rnn },
        { "rnn",       EC_W_rnn },
        { "multi",     EC_W_gemm},
        { "attention", EC_W_gemm},
    };
    int i;

    for (i = 0; i < EC_LEN(kinds); i++)
        if (ec_str_starts(op->name, kinds[i].prefix))
            return kinds[i].kind;
    return EC_W_vector;
}
