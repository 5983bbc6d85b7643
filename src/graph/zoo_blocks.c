/* Blocks that the families of the zoo share. */
#include "graph/zoo_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int ec__input_image(struct ec_builder *b, const struct ec__net *net, int64_t own_channels)
{
    int64_t c = net->channels ? net->channels : own_channels;

    return ec_b_input(b, "input", EC_DT_f32, 4, net->batch, c, net->size, net->size);
}

int ec__input_tokens(struct ec_builder *b, const struct ec__net *net)
{
    return ec_b_input(b, "input_ids", EC_DT_i64, 2, net->batch, net->size);
}

/* " name=..." or nothing, for the end of a node's words. */
static const char *named(char *out, size_t size, const char *name)
{
    (void)snprintf(out, size, "%s%s", name ? " name=" : "", name ? name : "");
    return out;
}

int ec__conv(struct ec_builder *b, int x, struct ec__conv c)
{
    int64_t r = c.r ? c.r : 1, s = c.s ? c.s : r, dil = c.dil ? c.dil : 1;
    int64_t pad_h = c.valid ? 0 : dil * (r - 1) / 2, pad_w = c.valid ? 0 : dil * (s - 1) / 2;
    char name[96];

    return ec_b1(b, x,
                 "conv2d k=%lld r=%lld s=%lld stride=%lld pad=%lldx%lld dil=%lld groups=%lld "
                 "bias=%d%s",
                 EC__I64(c.k), EC__I64(r), EC__I64(s), EC__I64(c.stride ? c.stride : 1),
                 EC__I64(pad_h), EC__I64(pad_w), EC__I64(dil), EC__I64(c.groups ? c.groups : 1),
                 c.bias, named(name, sizeof name, c.name));
}

int ec__conv_bn(struct ec_builder *b, int x, struct ec__conv c)
{
    char name[96];

    x = ec__conv(b, x, c);
    return ec_b1(b, x, "batch_norm%s", named(name, sizeof name, c.norm));
}

int ec__act(struct ec_builder *b, int x, const char *act)
{
    return act && *act ? ec_b1(b, x, "%s", act) : x;
}

int ec__conv_bn_act(struct ec_builder *b, int x, struct ec__conv c, const char *act)
{
    return ec__act(b, ec__conv_bn(b, x, c), act);
}

int ec__cbr(struct ec_builder *b, int x, int64_t k, int64_t r, int64_t s)
{
    return ec__conv_bn_act(b, x, EC__CONV(.k = k, .r = r, .s = s), "relu");
}

/* Without padding. */
int ec__cbr_valid(struct ec_builder *b, int x, int64_t k, int64_t r, int64_t stride)
{
    return ec__conv_bn_act(b, x, EC__CONV(.k = k, .r = r, .stride = stride, .valid = true), "relu");
}

int ec__bn_act(struct ec_builder *b, int x, const char *act)
{
    return ec__act(b, ec_b1(b, x, "batch_norm"), act);
}

int ec__linear(struct ec_builder *b, int x, int64_t n, bool bias, const char *name)
{
    char text[96];

    return ec_b1(b, x, "linear n=%lld bias=%d%s", EC__I64(n), bias, named(text, sizeof text, name));
}

int ec__scaled(struct ec_builder *b, int x, int64_t d)
{
    return ec_b1(b, x, "scale_scalar mul=%.9g", 1 / sqrt((double)(d > 0 ? d : 1)));
}

int ec__dropout(struct ec_builder *b, int x, double p)
{
    return p > 0 ? ec_b1(b, x, "dropout p=%g", p) : x;
}

int ec__drop_path(struct ec_builder *b, int x, double p)
{
    return p > 0 ? ec_b1(b, x, "drop_path p=%g", p) : x;
}

int ec__add(struct ec_builder *b, int x, int y)
{
    return ec_b2(b, x, y, "add");
}

bool ec__per_stage(struct ec_builder *b, int stages, ...)
{
    const char *name;
    va_list ap;

    if (!b->st && stages < 1)
        b->st = ec_fail(b->err, EC_E_INPUT, "the network has no stages");
    va_start(ap, stages);
    while ((name = va_arg(ap, const char *)) != NULL) {
        int n = va_arg(ap, int);

        if (!b->st && n < stages)
            b->st = ec_fail(b->err, EC_E_INPUT, "%s: %d numbers, expected %d, one for each stage",
                            name, n, stages);
    }
    va_end(ap);
    return !b->st;
}

int ec__se(struct ec_builder *b, int x, int64_t squeeze, const char *act, const char *gate)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec_b1(b, x, "global_avg_pool");

    y = ec__act(b, ec__conv(b, y, EC__CONV(.k = squeeze, .bias = true)), act);
    y = ec__act(b, ec__conv(b, y, EC__CONV(.k = c, .bias = true)), gate);
    return ec_b2(b, x, y, "mul");
}

int ec__classifier(struct ec_builder *b, int x, double dropout, int64_t classes, const char *name)
{
    x = ec_b1(b, x, "global_avg_pool");
    x = ec__dropout(b, ec_b1(b, x, "flatten"), dropout);
    return classes ? ec__linear(b, x, classes, true, name) : x;
}

int ec__const(struct ec_builder *b, const char *name, enum ec_dtype t, int rank, ...)
{
    struct ec_type type = {
        {rank, { 0 }},
        t
    };
    char full[256];
    va_list ap;
    int i, v = -1;

    va_start(ap, rank);
    for (i = 0; i < rank; i++)
        type.shape.d[i] = va_arg(ap, int64_t);
    va_end(ap);
    (void)snprintf(full, sizeof full, "%s%s", b->scope, name);
    if (!b->st)
        b->st = ec_graph_add_const(b->g, full, &type, &v, b->err);
    return v;
}

int ec__holds(struct ec_builder *b, int constant, double v)
{
    if (!b->st)
        b->st = ec_graph_const_values(b->g, constant, &v, 1, b->err);
    return constant;
}

int ec__holds_rule(struct ec_builder *b, int constant, const char *rule, int n_arg, double arg0,
                   double arg1)
{
    const double arg[] = { arg0, arg1 };

    if (!b->st)
        b->st = ec_graph_const_rule(b->g, constant, rule, arg, n_arg, b->err);
    return constant;
}

int ec__split_heads(struct ec_builder *b, int x, int64_t heads)
{
    x = ec_b1(b, x, "reshape shape=0,0,%lld,-1", EC__I64(heads));
    return ec_b1(b, x, "transpose perm=0,2,1,3");
}

int ec__join_heads(struct ec_builder *b, int x)
{
    x = ec_b1(b, x, "transpose perm=0,2,1,3");
    return ec_b1(b, x, "reshape shape=0,0,-1");
}

int ec__rotate(struct ec_builder *b, int x, int cos, int sin)
{
    int64_t half = ec_b_dim(b, x, 3) / 2;
    int xs[2];

    xs[1] = ec_b1(b, x, "slice axes=3 starts=0 ends=%lld", EC__I64(half));
    xs[0] = ec_b1(b, x, "slice axes=3 starts=%lld ends=%lld", EC__I64(half), EC__I64(2 * half));
    xs[0] = ec_b1(b, xs[0], "neg");
    xs[0] = ec_bn(b, xs, 2, "concat axis=3");
    return ec__add(b, ec_b2(b, x, cos, "mul"), ec_b2(b, xs[0], sin, "mul"));
}

int64_t ec__round_to(double v, int64_t by, bool nearest)
{
    double parts = v / (double)by;
    int64_t n = (int64_t)(nearest ? nearbyint(parts) : floor(parts + 0.5)) * by;

    if (n < by)
        n = by;
    return !nearest && (double)n < 0.9 * v ? n + by : n;
}
