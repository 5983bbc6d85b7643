/* What a trace says of its run: batch, precision, layout, optimizer, by the shapes and names in it.
 */
#include "trace/trace_internal.h"

#include <string.h>

/* The number behind " n=" or the n-th of "x=32x128". 0: there is none. */
static int64_t number_in(const char *text, const char *key, int n)
{
    const char *p = text ? strstr(text, key) : NULL;
    int64_t v = 0;
    size_t len;

    for (p = p ? p + strlen(key) : NULL; p; p += *p == 'x') {
        len = strspn(p, "0123456789");
        if (!len || !ec_parse_int((struct ec_span){ p, len }, &v))
            return 0;
        p += len;
        if (n-- == 0)
            return v;
        if (*p != 'x')
            return 0;
    }
    return 0;
}

static bool is_product(const char *text)
{
    return ec_str_starts(text, "conv") || ec_str_starts(text, "linear") ||
           ec_str_starts(text, "matmul") || ec_str_starts(text, "attention");
}

static enum ec_optimizer optimizer_of(const struct ec_trace *t)
{
    int i, k;

    for (i = 0; i < t->n_text; i++) {
        const char *name = t->text[i];

        if (!ec_str_starts(name, "Optimizer.step#"))
            continue;
        name += strlen("Optimizer.step#");
        for (k = 0; ec_optimizer_names[k]; k++) {
            size_t len = strlen(ec_optimizer_names[k]);

            if (!strncasecmp(name, ec_optimizer_names[k], len) && name[len] == '.')
                return (enum ec_optimizer)k;
        }
    }
    return EC_OPT_none;
}

/* Kernels of TorchInductor. */
static bool is_compiled(const struct ec_trace *t)
{
    int i;

    for (i = 0; i < t->n_text; i++)
        if (ec_str_starts(t->text[i], "triton_") ||
            ec_str_starts(t->text[i], "Torch-Compiled Region"))
            return true;
    return false;
}

void ec_trace_conditions(const struct ec_trace *t, const struct ec_trace_ops *o,
                         struct ec_trace_said *ret)
{
    double ns[EC_PRECISION_COUNT] = { 0 }, last_ns = 0, all_ns = 0;
    struct ec_conditions *c = &ret->cond;
    bool has_attention = false;
    int i, k;

    *ret = (struct ec_trace_said){ .cond.optimizer = optimizer_of(t) };
    c->mode = EC_MODE_FORWARD;
    c->framework = o->is_old        ? EC_FW_pytorch_1
                   : is_compiled(t) ? EC_FW_pytorch_compiled
                                    : EC_FW_pytorch_2;
    for (i = 0; i < o->n; i++) {
        const struct ec_trace_op *v = &o->v[i];

        has_attention |= ec_str_eq(v->kind, "attention");
        if (!v->text)
            continue;
        if (v->way == EC_TRACE_BACKWARD)
            c->mode =
                c->optimizer == EC_OPT_none ? EC_MODE_FORWARD_BACKWARD : EC_MODE_TRAINING_STEP;
        if (c->optimizer == EC_OPT_sgd && v->way == EC_TRACE_UPDATE && strstr(v->name, "mul_"))
            c->optimizer = EC_OPT_momentum; /* of the momenta, before gradients are added */
        if (is_product(v->text))
            ns[v->precision] += v->measured_ns;
        if (ec_str_starts(v->text, "conv2d")) {
            last_ns += v->channels_last ? v->measured_ns : 0;
            all_ns += v->measured_ns;
            ret->batch = number_in(v->text, " n=", 0);
            if (number_in(v->text, " c=", 0) == 3)
                ret->image = number_in(v->text, " h=", 0);
        }
    }
    for (i = 0; i < o->n && !ret->batch; i++)
        if (o->v[i].text && ec_str_starts(o->v[i].text, "embedding") &&
            number_in(o->v[i].text, " x=", 0) > 1) {
            ret->batch = number_in(o->v[i].text, " x=", 0);
            ret->seq_len = number_in(o->v[i].text, " x=", 1);
            if (!ret->seq_len && has_attention) { /* a server's list of tokens, of many requests */
                ret->seq_len = ret->batch;
                ret->batch = 1;
                ret->is_list = true;
            }
        }
    for (k = 0; k < EC_PRECISION_COUNT; k++)
        if (ns[k] > ns[c->precision])
            c->precision = (enum ec_precision)k;
    if (o->float_parameters && (c->precision == EC_FP16 || c->precision == EC_BF16))
        c->precision = EC_AMP;
    c->layout = last_ns > all_ns / 2 ? EC_CHANNELS_LAST : EC_CHANNELS_FIRST;
}
