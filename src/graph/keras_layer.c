/* A layer of Keras as nodes: the function of its class in data/families/keras.net, with what the
 * layer's configuration says. */
#include "graph/keras_internal.h"

#include <string.h>

#define LISTS_MAX 4 /* inside each other */

const char *ec__keras_word(const struct ec_jval *obj, const char *key)
{
    const struct ec_jval *v = ec_json_get(obj, key);

    return v && v->type == EC_J_STR ? v->str : "";
}

const char *ec__keras_name(struct ec__keras *k, const char *name)
{
    char *copy = ec_arena_strn(&k->arena, name, strnlen(name, 80)), *p;

    for (p = copy; p && *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-", *p))
            *p = '_';
    if (!copy && !k->b.st)
        k->b.st = ec_nomem(k->b.err);
    return copy ? copy : "";
}

/* --- Inputs --- */

static const struct ec_jval *shape_of(const struct ec_jval *layer)
{
    static const char *const keys[] = { "batch_shape", "batch_input_shape" };
    const struct ec_jval *config = ec_json_get(layer, "config"), *v = NULL;
    int i;

    if (!config || config->type != EC_J_OBJECT)
        return NULL;
    for (i = 0; i < EC_LEN(keys); i++) {
        v = ec_json_get(config, keys[i]);
        if (v && v->type == EC_J_ARRAY && v->n)
            return v;
    }
    v = ec_json_get(config, "build_input_shape"); /* of a Sequential */
    if (!v || v->type != EC_J_ARRAY)
        v = ec_json_get(ec_json_get(layer, "build_config"), "input_shape");
    return v && v->type == EC_J_ARRAY && v->n ? v : NULL;
}

/* A dimension that the file leaves open: lengths of sequences, sides of images. */
static int64_t open_dim(struct ec__keras *k, int rank)
{
    const struct ec_graph_opts *o = k->opts;

    k->opened = true;
    k->b.g->sizes |= rank > 3 ? EC_SIZE_IMAGE : EC_SIZE_SEQ_LEN;
    return !o ? 0 : rank > 3 ? o->image_px : o->seq_len;
}

static enum ec_status read_dims(struct ec__keras *k, const struct ec_jval *list, const char *name,
                                struct ec_shape *ret)
{
    const struct ec_jval *v;
    int i = 0;

    if (list->n > 5)
        return ec_fail(k->b.err, EC_E_UNSUPPORTED, "input \"%s\" has %d dimensions, expected 5",
                       name, list->n);
    ret->rank = list->n;
    for (v = list->child; v; v = v->next, i++) {
        ret->d[i] = v->type == EC_J_NUM && v->is_int ? v->i : 0;
        if (!i) {
            ret->d[i] = k->net.batch;
        } else if (v->type == EC_J_NULL) {
            ret->d[i] = open_dim(k, list->n);
            if (ret->d[i] < 1)
                return ec_fail(k->b.err, EC_E_INPUT,
                               "input \"%s\" leaves dimension %d open: give %s", name, i,
                               list->n > 3 ? "the side of its images (--image)"
                                           : "the length of its sequences (--seq-len)");
        }
        if (ret->d[i] < 1)
            return ec_fail(k->b.err, EC_E_PARSE, "input \"%s\": dimension %d is no whole number",
                           name, i);
    }
    return EC_OK;
}

int ec__keras_input(struct ec__keras *k, const struct ec_jval *layer, const struct ec_jval *model,
                    bool as_ids)
{
    const struct ec_jval *own = shape_of(layer), *list = own || !model ? own : shape_of(model);
    const struct ec_jval *config = ec_json_get(layer, "config");
    const char *dtype = ec__keras_word(config, "dtype");
    const char *name = ec__keras_name(k, ec__keras_word(config, "name"));
    bool ids = as_ids || strncmp(dtype, "int", 3) == 0 || strncmp(dtype, "uint", 4) == 0;
    struct ec_type t = { { 0 }, ids ? EC_DT_i64 : EC_DT_f32 };
    int id = -1, i;
    int64_t last;

    if (k->b.st)
        return -1;
    if (!list)
        k->b.st = ec_fail(k->b.err, EC_E_INPUT,
                          "\"%s\" does not say the shape of its input: build the model before it "
                          "is saved",
                          name);
    else
        k->b.st = read_dims(k, list, name, &t.shape);
    last = k->b.st ? 0 : t.shape.d[t.shape.rank - 1];
    if (!k->b.st && t.shape.rank > 3 &&
        !ec__item_holds(ec__text_given(k->text, "channels_first"))) {
        for (i = t.shape.rank - 1; i > 1; i--)
            t.shape.d[i] = t.shape.d[i - 1];
        t.shape.d[1] = last;
    }
    if (!k->b.st)
        k->b.st = ec_graph_add_input(k->b.g, *name ? name : "input", &t, &id, k->b.err);
    return id;
}

/* --- Arguments --- */

static const struct ec__item none = { .kind = EC__ITEM_NONE };

/* An object is what it names: a function by "config", a layer by its class. */
static struct ec__item item_of(struct ec__keras *k, const struct ec_jval *v, int depth)
{
    const struct ec_jval *part;
    struct ec__item *list, ret;

    switch (v->type) {
    case EC_J_BOOL:
        return ec__item_number(v->b);
    case EC_J_NUM:
        return ec__item_number(v->num);
    case EC_J_STR:
        return ec__item_text(v->str);
    case EC_J_OBJECT:
        return ec__item_text(
            ec__keras_word(v, *ec__keras_word(v, "config") ? "config" : "class_name"));
    case EC_J_ARRAY:
        ret = ec__item_list(&k->b, &k->arena, depth < LISTS_MAX ? v->n : 0, &list);
        for (part = ret.n ? v->child : NULL; part; part = part->next)
            *list++ = item_of(k, part, depth + 1);
        return ret;
    default:
        return none;
    }
}

/* Of the configuration, or of what it wraps. NULL: absent, or null. */
static const struct ec_jval *setting(const struct ec_jval *config, const char *key)
{
    const struct ec_jval *v = ec_json_get(config, key);

    if (!v || v->type == EC_J_NULL)
        v = ec_json_get(ec_json_get(ec_json_get(config, "layer"), "config"), key);
    return v && v->type != EC_J_NULL ? v : NULL;
}

struct ec__item ec__keras_values(struct ec__keras *k, const struct ec__keras_in *in)
{
    struct ec__item *list, ret = ec__item_list(&k->b, &k->arena, in->n, &list);
    int i;

    for (i = 0; i < ret.n; i++)
        list[i] = ec__item_value(in->value[i]);
    return ret;
}

static struct ec__item numbers_item(struct ec__keras *k, const struct ec__keras_in *in)
{
    struct ec__item *list, ret = ec__item_list(&k->b, &k->arena, in->n_numbers, &list);
    int i;

    for (i = 0; i < ret.n; i++)
        list[i] = ec__item_number(in->number[i]);
    return ret;
}

/* The argument of a parameter; none where the configuration has nothing. */
static struct ec__item argument(struct ec__keras *k, const struct ec_jval *config, const char *key,
                                const char *name, const struct ec__keras_in *in)
{
    const struct ec_jval *v;

    if (ec_str_eq(key, "x"))
        return ec__item_value(in->value[0]);
    if (ec_str_eq(key, "all"))
        return ec__keras_values(k, in);
    if (ec_str_eq(key, "numbers"))
        return numbers_item(k, in);
    if (ec_str_eq(key, "name"))
        return ec__item_text(name);
    v = setting(config, key);
    return v ? item_of(k, v, 0) : none;
}

/* --- Layers --- */

static struct ec__item call(struct ec__keras *k, struct ec__term *def, const struct ec_jval *config,
                            const char *name, const struct ec__keras_in *in)
{
    struct ec__call c = {
        .b = &k->b, .net = &k->net, .arena = ec__text_arena(k->text), .name = def->text
    };
    struct ec__term *p;

    for (p = def->args; p && c.n < EC__ARGS_MAX; p = p->next) {
        struct ec__item v = argument(k, config, p->text, name, in);

        if (v.kind == EC__ITEM_NONE)
            continue;
        c.arg[c.n] = v;
        c.key[c.n++] = p->text;
    }
    return k->b.st ? none : ec__text_call(k->text, def, &c);
}

/* tf.math.multiply -> tf_multiply */
static struct ec__term *find(struct ec__keras *k, const struct ec_jval *layer, const char *class)
{
    const char *function = ec__keras_word(ec_json_get(layer, "config"), "function"), *dot;
    char name[64];

    if (!ec_str_eq(class, "TFOpLambda")) /* other names are those of helpers */
        return *class >= 'A' && *class <= 'Z' ? ec__text_find(k->text, class) : NULL;
    dot = strrchr(function, '.');
    (void)ec_snprintf(name, sizeof name, "tf_%.50s", dot ? dot + 1 : function);
    return ec__text_find(k->text, name);
}

/* A call of a helper of the text by its name, of one or two values. */
static int helper(struct ec__keras *k, const char *name, int x, int like)
{
    struct ec__call c = {
        .b = &k->b, .net = &k->net, .arena = ec__text_arena(k->text), .name = name, .n = 1
    };
    struct ec__item y;

    if (k->b.st)
        return -1;
    c.arg[0] = ec__item_value(x);
    if (like >= 0)
        c.arg[c.n++] = ec__item_value(like);
    c.n_placed = c.n;
    y = ec__text_call(k->text, ec__text_find(k->text, name), &c);
    return k->b.st ? -1 : ec__item_as_value(&c, y);
}

/* The layer inside, over samples and times at once. */
static struct ec__item over_time(struct ec__keras *k, const struct ec_jval *layer, const char *name,
                                 const struct ec__keras_in *in)
{
    const struct ec_jval *inner = ec_json_get(ec_json_get(layer, "config"), "layer");
    int folded = helper(k, "fold_time", in->value[0], -1);
    struct ec__keras_in one = { .value = &folded, .n = 1 };
    struct ec__item y = none;

    if (!inner || inner->type != EC_J_OBJECT || ++k->depth > 8)
        k->b.st = ec_fail(k->b.err, EC_E_PARSE, "wraps no layer");
    if (!k->b.st)
        y = ec__keras_layer(k, inner, name, &one);
    k->depth--;
    if (!k->b.st && y.kind != EC__ITEM_VALUE)
        k->b.st = ec_fail(k->b.err, EC_E_UNSUPPORTED, "wraps a layer of several outputs");
    return k->b.st ? none : ec__item_value(helper(k, "unfold_time", y.is.value, in->value[0]));
}

struct ec__item ec__keras_layer(struct ec__keras *k, const struct ec_jval *layer, const char *name,
                                const struct ec__keras_in *in)
{
    const char *class = ec__keras_word(layer, "class_name");
    const struct ec_jval *config = ec_json_get(layer, "config"), *trains = NULL;
    int first_value = k->b.g->n_values, first_node = k->b.g->n_nodes;
    struct ec__item y = none;
    struct ec__term *def;

    if (k->b.st)
        return y;
    def = find(k, layer, class);
    if (!config || config->type != EC_J_OBJECT)
        k->b.st = ec_fail(k->b.err, EC_E_PARSE, "expected an object as \"config\"");
    else if (!in->n)
        k->b.st = ec_fail(k->b.err, EC_E_PARSE, "nothing goes in");
    else if (ec_str_eq(class, "TimeDistributed"))
        y = over_time(k, layer, name, in);
    else if (def && def->args &&
             (ec_str_eq(def->args->text, "x") || ec_str_eq(def->args->text, "all")))
        y = call(k, def, config, name, in);
    else
        k->b.st = ec_fail(k->b.err, EC_E_UNSUPPORTED,
                          "no layer of this class is known (docs/keras.md lists them): export the "
                          "model as ONNX, or record it from PyTorch");
    if (!k->b.st && y.kind != EC__ITEM_VALUE && y.kind != EC__ITEM_LIST)
        k->b.st = ec_fail(k->b.err, EC_E_UNSUPPORTED, "gives no value");
    trains = k->b.st ? NULL : ec_json_get(config, "trainable");
    if (trains && trains->type == EC_J_BOOL && !trains->b)
        ec_graph_freeze(k->b.g, first_value, first_node);
    if (k->b.st)
        ec_err_prefix(k->b.err, "layer \"%.60s\" (%.40s): ", name, class);
    return y;
}
