/* A network as a list of layers with their sizes, the format of mlpredict: each layer states what
 * goes in, so pooling that the list leaves out can be seen and is put in. */
#include "graph/files_internal.h"

#include <stdio.h>

enum kind { CONV, POOL_MAX, POOL_AVG, DENSE, DROPOUT, NORM, ACTIVATION, FLATTEN };

/* Spellings of layer types, compared without case, blanks and underscores. */
static const struct {
    const char *type;
    enum kind kind;
} kinds[] = {
    {"convolution",     CONV      },
    { "conv2d",         CONV      },
    { "conv",           CONV      },
    { "maxpool",        POOL_MAX  },
    { "maxpooling",     POOL_MAX  },
    { "averagepool",    POOL_AVG  },
    { "averagepooling", POOL_AVG  },
    { "avgpool",        POOL_AVG  },
    { "fullyconnected", DENSE     },
    { "dense",          DENSE     },
    { "linear",         DENSE     },
    { "dropout",        DROPOUT   },
    { "batchnorm",      NORM      },
    { "activation",     ACTIVATION},
    { "flatten",        FLATTEN   },
};

static const char *const activations[] = { "relu", "tanh",  "sigmoid",   "elu",
                                           "selu", "gelu",  "softplus",  "softmax",
                                           "silu", "relu6", "leaky_relu" };

static const struct ec_jval *member(const struct ec_jval *layer, const char *const *keys)
{
    const struct ec_jval *v = NULL;

    for (; *keys && !v; keys++)
        v = ec_json_get(layer, *keys);
    return v;
}

#define KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char *label(const struct ec_jval *layer)
{
    return layer->key ? layer->key : "(unnamed)";
}

/* A whole number under the first of the keys that is there. */
static enum ec_status number(const struct ec_jval *layer, const char *const *keys, int64_t deflt,
                             int64_t *ret, struct ec_err *err)
{
    const struct ec_jval *v = member(layer, keys);

    *ret = deflt;
    if (v && v->type == EC_J_NUM && v->is_int)
        *ret = v->i;
    else if (v && v->type == EC_J_NUM && v->num > 0 && v->num < 1e9)
        *ret = (int64_t)v->num; /* Python 2 divisions leave 112.0 */
    else if (v && v->type == EC_J_BOOL)
        *ret = v->b;
    else if (v && v->type != EC_J_NULL)
        *ret = -1;
    if (*ret < 0 || *ret > (int64_t)1 << 31)
        return ec_fail(err, EC_E_INPUT, "layer \"%.60s\": \"%s\" is missing or out of range",
                       label(layer), keys[0]);
    return EC_OK;
}

static const char *text(const struct ec_jval *layer, const char *key)
{
    const struct ec_jval *v = ec_json_get(layer, key);

    return v && v->type == EC_J_STR ? v->str : NULL;
}

static enum ec_status kind_of(const struct ec_jval *layer, enum kind *ret, struct ec_err *err)
{
    const char *type = text(layer, "type");
    char plain[64];
    int i;

    *ret = ec_json_get(layer, "pool_size") ? POOL_MAX : CONV;
    if (!type)
        return EC_OK;
    ec_str_letters(type, plain, sizeof plain);
    for (i = 0; i < EC_LEN(kinds); i++)
        if (ec_str_eq(plain, kinds[i].type)) {
            *ret = kinds[i].kind;
            return EC_OK;
        }
    return ec_fail(err, EC_E_UNSUPPORTED, "layer \"%.60s\": unknown type \"%.60s\"", label(layer),
                   type);
}

struct list {
    struct ec_builder b;
    int x; /* what the next layer gets */
    int64_t batch;
    int n_pools; /* put in */
};

static enum ec_status begin(struct list *l, const struct ec_jval *root, const struct ec_jval *first,
                            struct ec_err *err)
{
    const struct ec_jval *input = ec_json_get(root, "input");
    const struct ec_jval *from = input && input->type == EC_J_OBJECT ? input : first;
    int64_t size, channels;
    enum kind kind;

    EC_PASS(kind_of(first, &kind, err));
    EC_PASS(number(from, KEYS("size", "matsize"), 0, &size, err));
    EC_PASS(number(from, KEYS("dimension", "channels_in", "dim_input"), 0, &channels, err));
    if (channels < 1)
        return ec_fail(err, EC_E_INPUT, "neither \"input\" nor the first layer gives its channels");
    if (kind == DENSE && !input)
        l->x = ec_b_input(&l->b, "x", EC_DT_f32, 2, l->batch, channels);
    else if (size < 1)
        return ec_fail(err, EC_E_INPUT, "neither \"input\" nor the first layer gives its size");
    else
        l->x = ec_b_input(&l->b, "x", EC_DT_f32, 4, l->batch, channels, size, size);
    return l->b.st;
}

static bool is_image(const struct list *l)
{
    return l->b.g->values[l->x]->type.shape.rank == 4;
}

/* The list leaves pooling out if the input size of a layer is a fraction of the size before it. */
static enum ec_status meet_size(struct list *l, const struct ec_jval *layer, struct ec_err *err)
{
    int64_t want, have = is_image(l) ? ec_b_dim(&l->b, l->x, 2) : 0;

    EC_PASS(number(layer, KEYS("matsize"), have, &want, err));
    if (!is_image(l) || want == have)
        return EC_OK;
    if (want < 1 || have / want < 2 || have / want > 8)
        return ec_fail(err, EC_E_SHAPE,
                       "layer \"%.60s\" gets size %lld, the layers before it leave %lld",
                       label(layer), (long long)want, (long long)have);
    l->x = ec_b1(&l->b, l->x, "max_pool2d r=%d stride=%d", (int)(have / want), (int)(have / want));
    l->n_pools++;
    return l->b.st;
}

static enum ec_status activate(struct list *l, const struct ec_jval *layer, struct ec_err *err)
{
    const char *name = text(layer, "activation");
    char plain[32];
    int i;

    if (!name)
        return EC_OK;
    ec_str_letters(name, plain, sizeof plain);
    if (ec_str_eq(plain, "none") || ec_str_eq(plain, "linear") || !*name)
        return EC_OK;
    for (i = 0; i < EC_LEN(activations); i++)
        if (ec_str_ieq(name, activations[i])) {
            l->x = ec_b1(&l->b, l->x, "%s", activations[i]);
            return l->b.st;
        }
    return ec_fail(err, EC_E_UNSUPPORTED, "layer \"%.60s\": unknown activation \"%.60s\"",
                   label(layer), name);
}

/* Padding of one side pair by TensorFlow's rule: SAME keeps ceil(size / stride). */
static void padding(const struct ec_jval *layer, int64_t in, int64_t r, int64_t stride,
                    int64_t *ret_begin, int64_t *ret_end)
{
    const struct ec_jval *v = ec_json_get(layer, "padding");
    int64_t total = 0;

    if (v && v->type == EC_J_STR && ec_str_ieq(v->str, "same"))
        total = ((in + stride - 1) / stride - 1) * stride + r - in;
    if (v && v->type == EC_J_NUM && v->is_int && v->i > 0 && v->i < 10000)
        total = 2 * v->i;
    *ret_begin = total > 0 ? total / 2 : 0;
    *ret_end = total > 0 ? total - *ret_begin : 0;
}

static enum ec_status window(struct list *l, const struct ec_jval *layer, const char *head,
                             const char *const *size_keys, const char *tail, struct ec_err *err)
{
    int64_t r, stride, begin_pad, end_pad;

    if (!is_image(l))
        return ec_fail(err, EC_E_SHAPE, "layer \"%.60s\" needs an image", label(layer));
    EC_PASS(number(layer, size_keys, 0, &r, err));
    EC_PASS(number(layer, KEYS("strides", "stride"), r, &stride, err));
    if (r < 1 || stride < 1)
        return ec_fail(err, EC_E_INPUT,
                       "layer \"%.60s\": \"%s\" and \"strides\" must be at least 1", label(layer),
                       size_keys[0]);
    padding(layer, ec_b_dim(&l->b, l->x, 2), r, stride, &begin_pad, &end_pad);
    l->x = ec_b1(&l->b, l->x, "%s r=%lld stride=%lld pad=%lld,%lld,%lld,%lld%s", head, (long long)r,
                 (long long)stride, (long long)begin_pad, (long long)begin_pad, (long long)end_pad,
                 (long long)end_pad, tail);
    return l->b.st;
}

static enum ec_status convolution(struct list *l, const struct ec_jval *layer, struct ec_err *err)
{
    int64_t k, c, bias;
    char head[64], tail[16];

    EC_PASS(meet_size(l, layer, err));
    EC_PASS(number(layer, KEYS("channels_out", "filters"), 0, &k, err));
    EC_PASS(number(layer, KEYS("channels_in"), ec_b_dim(&l->b, l->x, 1), &c, err));
    EC_PASS(number(layer, KEYS("use_bias", "bias"), 1, &bias, err));
    if (c != ec_b_dim(&l->b, l->x, 1))
        return ec_fail(err, EC_E_SHAPE, "layer \"%.60s\" gets %lld channels, expected %lld",
                       label(layer), (long long)ec_b_dim(&l->b, l->x, 1), (long long)c);
    (void)snprintf(head, sizeof head, "conv2d k=%lld", (long long)k);
    (void)snprintf(tail, sizeof tail, " bias=%d", bias != 0);
    EC_PASS(window(l, layer, head, KEYS("kernelsize", "kernel_size"), tail, err));
    return activate(l, layer, err);
}

static enum ec_status dense(struct list *l, const struct ec_jval *layer, struct ec_err *err)
{
    int64_t n, bias;

    EC_PASS(number(layer, KEYS("channels_out", "dim_output", "units"), 0, &n, err));
    EC_PASS(number(layer, KEYS("use_bias", "bias"), 1, &bias, err));
    if (is_image(l))
        l->x = ec_b1(&l->b, l->x, "flatten");
    l->x = ec_b1(&l->b, l->x, "linear n=%lld bias=%d", (long long)n, bias != 0);
    EC_PASS(l->b.st);
    return activate(l, layer, err);
}

static enum ec_status add_layer(struct list *l, const struct ec_jval *layer, struct ec_err *err)
{
    enum kind kind;

    if (layer->type != EC_J_OBJECT)
        return ec_fail(err, EC_E_PARSE, "a layer is a JSON object");
    EC_PASS(kind_of(layer, &kind, err));
    switch (kind) {
    case CONV:
        return convolution(l, layer, err);
    case POOL_MAX:
        return window(l, layer, "max_pool2d", KEYS("pool_size", "kernelsize"), "", err);
    case POOL_AVG:
        return window(l, layer, "avg_pool2d", KEYS("pool_size", "kernelsize"), "", err);
    case DENSE:
        return dense(l, layer, err);
    case DROPOUT:
        l->x = ec_b1(&l->b, l->x, "dropout");
        return l->b.st;
    case NORM:
        l->x = ec_b1(&l->b, l->x, "batch_norm");
        return l->b.st;
    case ACTIVATION:
        return activate(l, layer, err);
    case FLATTEN:
        l->x = ec_b1(&l->b, l->x, "flatten");
        return l->b.st;
    }
    return EC_OK;
}

static enum ec_status choose_batch(const struct ec_jval *root, const struct ec_jval *first,
                                   const struct ec_graph_opts *opts, int64_t *ret,
                                   struct ec_err *err)
{
    EC_PASS(number(first, KEYS("batchsize", "batch_size"), 1, ret, err));
    EC_PASS(number(root, KEYS("batchsize", "batch_size"), *ret, ret, err));
    if (opts && opts->batch > 0)
        *ret = opts->batch;
    if (*ret < 1)
        return ec_fail(err, EC_E_INPUT, "the batch size is 0");
    return EC_OK;
}

enum ec_status ec__layers_read(const struct ec_jval *root, const struct ec_graph_opts *opts,
                               struct ec_graph **ret, struct ec_err *err)
{
    const struct ec_jval *layers = ec_json_get(root, "layers"), *layer;
    struct list l = { .x = -1 };
    enum ec_status st;

    if ((layers->type != EC_J_OBJECT && layers->type != EC_J_ARRAY) || !layers->n ||
        layers->child->type != EC_J_OBJECT)
        return ec_fail(err, EC_E_PARSE, "\"layers\" is not a list of layers");
    l.b.err = err;
    l.b.g = ec_graph_new(text(root, "name") ? text(root, "name") : "layers");
    EC_TRY(ec_allocated(l.b.g, err));
    l.b.g->source = "layers";
    EC_TRY(choose_batch(root, layers->child, opts, &l.batch, err));
    l.b.g->batch = l.batch;
    EC_TRY(begin(&l, root, layers->child, err));
    for (layer = layers->child; layer; layer = layer->next)
        EC_TRY(add_layer(&l, layer, err));
    EC_TRY(ec_graph_add_output(l.b.g, l.x, err));
    if (l.n_pools)
        EC_TRY(ec_graph_note(l.b.g, err,
                             "%d max-pooling layers were put in where sizes of the list jump",
                             l.n_pools));
    *ret = l.b.g;
    l.b.g = NULL;
out:
    ec_graph_free(l.b.g);
    return st;
}
