/* Reads models of Keras 2 and 3 as their JSON describes them: chains of layers (Sequential), and
 * layers that are called on what others gave (Functional), also inside each other. What a layer is
 * says data/families/keras.net. Format: docs/keras.md */
#include "graph/files_internal.h"
#include "graph/keras_internal.h"

#include <stdlib.h>
#include <string.h>

#define MODELS_MAX 16     /* inside each other */
#define LAYERS_MAX 200000 /* read, and their calls; the largest published model has 1,300 */

struct layer;

/* An output of a call of a layer. */
struct ref {
    struct layer *layer;
    int64_t call, tensor;
};

enum state { NEW, BEGUN, DONE };

struct call {
    struct layer *layer;
    const struct ec_jval *args; /* NULL: of an input */
    enum state state;
    struct ref *ref; /* what goes in, once it is begun */
    int n_refs, cap_refs;
    struct ec__keras_in in; /* the numbers */
    struct ec__item out;
};

struct layer {
    const struct ec_jval *json;
    const char *name;
    struct call *call;
    int n_calls;
    int64_t
        first_call; /* the least that is referred to: 1 of models that ran when they were made */
    int first_node, end_node; /* of the call that ran first; end_node -1: none yet */
};

struct model {
    struct ec__keras *k;
    struct layer *layer, **by_name;
    int n;
};

static struct ec__item run_model(struct ec__keras *k, const struct ec_jval *json,
                                 const struct ec__keras_in *in);

static void EC_PRINTF(2, 3) wrong(struct ec__keras *k, const char *fmt, ...)
{
    char text[200];
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!k->b.st)
        k->b.st = ec_fail(k->b.err, EC_E_PARSE, "%s", text);
}

static void count_work(struct ec__keras *k, int n)
{
    k->work += n;
    if (k->work > LAYERS_MAX)
        wrong(k, "more than %d layers and calls", LAYERS_MAX);
}

/* Room for one more. False after an error. */
static bool room(struct ec__keras *k, void *array_ptr, int *cap, int n, size_t elem_bytes)
{
    if (!k->b.st)
        k->b.st = ec_grow(array_ptr, cap, n + 1, elem_bytes, k->b.err);
    return !k->b.st;
}

static bool is_class(const struct ec_jval *json, const char *name)
{
    return ec_str_eq(ec__keras_word(json, "class_name"), name);
}

static bool is_model(const struct ec_jval *json)
{
    return is_class(json, "Sequential") || is_class(json, "Functional") || is_class(json, "Model");
}

/* A list under a key of the configuration; of an old Sequential the configuration is the list. */
static const struct ec_jval *list_of(const struct ec_jval *json, const char *key)
{
    const struct ec_jval *v = ec_json_get(json, "config");

    if (v && v->type == EC_J_OBJECT)
        v = ec_json_get(v, key);
    return v && v->type == EC_J_ARRAY ? v : NULL;
}

static const char *name_of(const struct ec_jval *json)
{
    const char *name = ec__keras_word(json, "name");

    return *name ? name : ec__keras_word(ec_json_get(json, "config"), "name");
}

/* --- One call --- */

/* A layer that was called before has its weights again. */
static void share(struct ec__keras *k, const struct layer *l, int first_node, int end_node,
                  const char *name)
{
    struct ec_graph *g = k->b.g;
    bool same = end_node - first_node == l->end_node - l->first_node;
    int i, slot;

    for (i = 0; same && i < end_node - first_node; i++) {
        struct ec_node *n = g->nodes[first_node + i];
        const struct ec_node *old = g->nodes[l->first_node + i];

        same = n->op == old->op && n->n_param == old->n_param;
        for (slot = 0; same && !k->b.st && slot < n->n_param; slot++)
            if (ec_type_elems(&g->values[n->param[slot]]->type) > 0)
                k->b.st = ec_graph_tie(g, n, slot, old->param[slot], k->b.err);
    }
    if (!same)
        wrong(k, "layer \"%.60s\" is called on inputs of different kinds", name);
}

static struct ec__item run_call(struct ec__keras *k, struct layer *l, const struct ec__keras_in *in)
{
    int first_node = k->b.g->n_nodes;
    const char *name = ec__keras_name(k, l->name);
    struct ec__item y;
    size_t scope;

    if (is_model(l->json)) {
        scope = ec_b_push(&k->b, name);
        (void)ec_b_push(&k->b, "/");
        y = run_model(k, l->json, in);
        ec_b_pop(&k->b, scope);
    } else {
        y = ec__keras_layer(k, l->json, name, in);
    }
    if (k->b.st)
        return y;
    if (l->end_node >= 0) {
        share(k, l, first_node, k->b.g->n_nodes, name);
    } else {
        l->first_node = first_node;
        l->end_node = k->b.g->n_nodes;
    }
    return y;
}

/* --- Chains --- */

/* What goes into a chain that is called on nothing: as its first layer says, or the chain itself.
 * Words where an embedding reads it. */
static int chain_input(struct ec__keras *k, const struct ec_jval *json, const struct ec_jval *first)
{
    const struct ec_jval *reader = is_class(first, "InputLayer") ? first->next : first;

    return ec__keras_input(k, first, json, reader && is_class(reader, "Embedding"));
}

static struct ec__item run_chain(struct ec__keras *k, const struct ec_jval *json,
                                 const struct ec__keras_in *in)
{
    const struct ec_jval *list = list_of(json, "layers"), *v = list ? list->child : NULL;
    struct ec__item x = { .kind = EC__ITEM_NONE };

    if (!v || (in && in->n != 1))
        wrong(k, "expected a list of \"layers\", called on one input");
    else if (in)
        x = ec__item_value(in->value[0]);
    else if (!is_model(v))
        x = ec__item_value(chain_input(k, json, v));
    for (; v && !k->b.st; v = v->next) {
        struct layer l = { .json = v, .name = name_of(v), .end_node = -1 };
        struct ec__keras_in one = { .value = &x.is.value, .n = 1 };

        count_work(k, 1);
        if (!k->b.st && !is_class(v, "InputLayer"))
            x = run_call(k, &l, x.kind == EC__ITEM_VALUE ? &one : NULL);
        if (!k->b.st && x.kind != EC__ITEM_VALUE)
            wrong(k, "layer \"%.60s\" of a chain has several outputs", l.name);
    }
    return x;
}

/* --- Layers by their names --- */

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct layer *const *)a)->name, (*(struct layer *const *)b)->name);
}

static struct layer *find_layer(const struct model *m, const char *name)
{
    struct layer like = { .name = name }, *key = &like;
    struct layer **found =
        m->n ? bsearch(&key, m->by_name, (size_t)m->n, sizeof(void *), by_name) : NULL;

    return found ? *found : NULL;
}

static void read_layer(struct model *m, struct layer *l, const struct ec_jval *json)
{
    const struct ec_jval *nodes = ec_json_get(json, "inbound_nodes"),
                         *v = nodes && nodes->type == EC_J_ARRAY ? nodes->child : NULL;
    int i;

    *l = (struct layer){
        .json = json, .name = name_of(json), .first_call = INT64_MAX, .end_node = -1
    };
    l->n_calls = v ? nodes->n : 1;
    l->call = ec_arena_alloc(&m->k->arena, (size_t)l->n_calls * sizeof *l->call);
    if (!l->call && !m->k->b.st)
        m->k->b.st = ec_nomem(m->k->b.err);
    count_work(m->k, l->n_calls);
    if (!*l->name)
        wrong(m->k, "a layer without a name");
    for (i = 0; l->call && i < l->n_calls; i++, v = v ? v->next : NULL)
        l->call[i] = (struct call){ .layer = l, .args = v };
}

static void read_layers(struct model *m, const struct ec_jval *json)
{
    const struct ec_jval *list = list_of(json, "layers"), *v;
    struct ec_arena *a = &m->k->arena;
    int i = 0;

    if (!list || !list->n) {
        wrong(m->k, "expected a list of \"layers\"");
        return;
    }
    m->layer = ec_arena_alloc(a, (size_t)list->n * sizeof *m->layer);
    m->by_name = ec_arena_alloc(a, (size_t)list->n * sizeof(void *));
    if (!m->layer || !m->by_name)
        m->k->b.st = ec_nomem(m->k->b.err);
    for (v = list->child; v && !m->k->b.st; v = v->next, i++) {
        read_layer(m, &m->layer[i], v);
        m->by_name[i] = &m->layer[i];
    }
    m->n = i;
    if (i)
        qsort(m->by_name, (size_t)i, sizeof(void *), by_name);
    for (i = 1; i < m->n; i++)
        if (ec_str_eq(m->by_name[i]->name, m->by_name[i - 1]->name))
            wrong(m->k, "two layers are called \"%.60s\"", m->by_name[i]->name);
}

/* --- What goes into a call --- */

/* ["dense", 0, 0], and in Keras 2 an object of arguments behind it. */
static bool is_ref(const struct ec_jval *v)
{
    const struct ec_jval *a = v->type == EC_J_ARRAY && v->n >= 3 && v->n <= 4 ? v->child : NULL;

    return a && a->type == EC_J_STR && a->next->type == EC_J_NUM && a->next->is_int &&
           a->next->next->type == EC_J_NUM && a->next->next->is_int;
}

/* Notes the least call of each layer that is referred to. */
static void note_calls(struct model *m, const struct ec_jval *v)
{
    struct layer *l = is_ref(v) ? find_layer(m, v->child->str) : NULL;
    const struct ec_jval *part;

    if (l && v->child->next->i < l->first_call)
        l->first_call = v->child->next->i;
    for (part = v->child; part; part = part->next)
        note_calls(m, part);
}

static void add_ref(struct model *m, struct call *c, const struct ec_jval *v)
{
    struct ref r = { find_layer(m, v->child->str), v->child->next->i, v->child->next->next->i };
    struct ec__keras *k = m->k;

    if (!r.layer) {
        wrong(k, "\"%.60s\" is called on \"%.60s\", which is no layer",
              c->layer ? c->layer->name : "the output", v->child->str);
        return;
    }
    if (is_model(r.layer->json) && r.layer->first_call == 1)
        r.call--;
    if (r.call < 0 || r.call >= r.layer->n_calls || r.tensor < 0) {
        wrong(k, "\"%.60s\" has no call %lld", r.layer->name, (long long)r.call);
        return;
    }
    if (room(k, &c->ref, &c->cap_refs, c->n_refs, sizeof *c->ref))
        c->ref[c->n_refs++] = r;
}

/* Masks and states of other layers do not count. */
static bool is_input(const char *key)
{
    return !key || (!strstr(key, "mask") && !strstr(key, "state") && !ec_str_eq(key, "axis"));
}

/* All tensors and numbers of the arguments, in their order. */
static void collect(struct model *m, struct call *c, const struct ec_jval *v)
{
    struct ec__keras_in *in = &c->in;
    const struct ec_jval *part;

    if (v->type == EC_J_NUM &&
        room(m->k, &in->number, &in->cap_numbers, in->n_numbers, sizeof *in->number))
        in->number[in->n_numbers++] = v->num;
    if (is_ref(v)) {
        add_ref(m, c, v);
        part = v->child->next->next->next;
    } else if (is_class(v, "__keras_tensor__")) {
        part = ec_json_get(ec_json_get(v, "config"), "keras_history");
        if (part && is_ref(part))
            add_ref(m, c, part);
        part = NULL;
    } else {
        part = v->child;
    }
    for (; part && !m->k->b.st; part = part->next)
        if (is_input(part->key))
            collect(m, c, part);
}

static int value_of(struct model *m, const struct ref *r)
{
    struct ec__item y = r->layer->call[r->call].out;

    if (y.kind == EC__ITEM_LIST && r->tensor < y.n)
        y = y.is.list[r->tensor];
    else if (r->tensor)
        y.kind = EC__ITEM_NONE;
    if (y.kind != EC__ITEM_VALUE)
        wrong(m->k, "\"%.60s\" has no output %lld", r->layer->name, (long long)r->tensor);
    return y.kind == EC__ITEM_VALUE ? y.is.value : -1;
}

/* The values that the references stand for; in the arena. */
static void gather(struct model *m, struct call *c)
{
    int i;

    c->in.value = ec_arena_alloc(&m->k->arena, (size_t)(c->n_refs + 1) * sizeof *c->in.value);
    if (!c->in.value) {
        m->k->b.st = m->k->b.st ? m->k->b.st : ec_nomem(m->k->b.err);
        return;
    }
    for (i = 0; i < c->n_refs; i++)
        c->in.value[i] = value_of(m, &c->ref[i]);
    c->in.n = c->n_refs;
}

/* --- The order of calls --- */

struct stack {
    struct call **call;
    int n, cap;
};

static void push(struct model *m, struct stack *s, struct call *c)
{
    if (room(m->k, &s->call, &s->cap, s->n, sizeof *s->call))
        s->call[s->n++] = c;
}

/* What a call reads is run first. Calls that are begun and not done lead to the one on top. */
static void begin(struct model *m, struct stack *s, struct call *c)
{
    int i;

    c->state = BEGUN;
    if (c->args)
        collect(m, c, c->args);
    for (i = c->n_refs - 1; i >= 0 && !m->k->b.st; i--) {
        struct call *from = &c->ref[i].layer->call[c->ref[i].call];

        if (from->state == BEGUN)
            wrong(m->k, "layer \"%.60s\" is called on what follows from it", from->layer->name);
        else if (from->state == NEW)
            push(m, s, from);
    }
}

static void finish(struct model *m, struct call *c)
{
    gather(m, c);
    c->state = DONE;
    if (m->k->b.st)
        return;
    if (!c->args && is_class(c->layer->json, "InputLayer"))
        c->out = ec__item_value(ec__keras_input(m->k, c->layer->json, NULL, false));
    else
        c->out = run_call(m->k, c->layer, &c->in);
}

static void run_from(struct model *m, struct stack *s, struct call *first)
{
    push(m, s, first);
    while (s->n && !m->k->b.st) {
        struct call *c = s->call[s->n - 1];

        if (c->state == NEW) {
            begin(m, s, c);
            continue;
        }
        s->n--;
        if (c->state == BEGUN)
            finish(m, c);
    }
}

/* The inputs of a model inside another are what it is called on. */
static void give_inputs(struct model *m, const struct call *inputs, const struct ec__keras_in *in)
{
    int i;

    if (in->n != inputs->n_refs)
        wrong(m->k, "a model of %d inputs is called on %d", inputs->n_refs, in->n);
    for (i = 0; i < inputs->n_refs && !m->k->b.st; i++) {
        struct call *c = &inputs->ref[i].layer->call[0];

        c->state = DONE;
        c->out = ec__item_value(in->value[i]);
    }
}

static struct ec__item outputs_of(struct model *m, struct call *outputs)
{
    gather(m, outputs);
    if (!outputs->n_refs)
        wrong(m->k, "expected a list of \"output_layers\"");
    if (m->k->b.st || outputs->n_refs == 1)
        return ec__item_value(m->k->b.st ? -1 : outputs->in.value[0]);
    return ec__keras_values(m->k, &outputs->in);
}

static void forget(struct call *c)
{
    ec_free(c->ref);
    ec_free(c->in.number);
}

static struct ec__item run_functional(struct ec__keras *k, const struct ec_jval *json,
                                      const struct ec__keras_in *in)
{
    const struct ec_jval *in_list = list_of(json, "input_layers");
    const struct ec_jval *out_list = list_of(json, "output_layers");
    struct call inputs = { .state = NEW }, outputs = { .state = NEW };
    struct model m = { .k = k };
    struct stack s = { 0 };
    struct ec__item y;
    int i, j;

    read_layers(&m, json);
    if (!k->b.st)
        note_calls(&m, ec_json_get(json, "config"));
    if (!k->b.st && in_list)
        collect(&m, &inputs, in_list);
    if (!k->b.st && out_list)
        collect(&m, &outputs, out_list);
    if (!k->b.st && in)
        give_inputs(&m, &inputs, in);
    for (i = 0; i < m.n && !k->b.st; i++)
        for (j = 0; j < m.layer[i].n_calls && !k->b.st; j++)
            run_from(&m, &s, &m.layer[i].call[j]);
    y = outputs_of(&m, &outputs);
    for (i = 0; i < m.n; i++)
        for (j = 0; m.layer[i].call && j < m.layer[i].n_calls; j++)
            forget(&m.layer[i].call[j]);
    forget(&inputs);
    forget(&outputs);
    ec_free(s.call);
    return y;
}

static struct ec__item run_model(struct ec__keras *k, const struct ec_jval *json,
                                 const struct ec__keras_in *in)
{
    struct ec__item y = { .kind = EC__ITEM_NONE };

    if (++k->depth > MODELS_MAX)
        wrong(k, "more than %d models inside each other", MODELS_MAX);
    if (!k->b.st)
        y = is_class(json, "Sequential") ? run_chain(k, json, in) : run_functional(k, json, in);
    k->depth--;
    return y;
}

/* --- The whole --- */

/* Whether a layer says that channels come first, which holds for all of them then. */
static bool channels_first(const struct ec_jval *v)
{
    const struct ec_jval *part;

    if (ec_str_eq(ec__keras_word(v, "data_format"), "channels_first"))
        return true;
    for (part = v->child; part; part = part->next)
        if (channels_first(part))
            return true;
    return false;
}

static void add_outputs(struct ec__keras *k, struct ec__item y)
{
    const struct ec__item *v = y.kind == EC__ITEM_LIST ? y.is.list : &y;
    int i, n = y.kind == EC__ITEM_LIST ? y.n : 1;

    for (i = 0; i < n && !k->b.st; i++) {
        if (v[i].kind != EC__ITEM_VALUE || v[i].is.value < 0)
            wrong(k, "the model has no output");
        else
            k->b.st = ec_graph_add_output(k->b.g, v[i].is.value, k->b.err);
        if (!k->b.st && i)
            k->b.g->values[v[i].is.value]->loss_weight = 1;
    }
}

enum ec_status ec__keras_read(const struct ec_jval *root, const struct ec_graph_opts *opts,
                              struct ec_graph **ret, struct ec_err *err)
{
    static struct ec__parsed parsed;
    static const struct ec__family layers = { .name = "keras",
                                              .text = ec__net_keras,
                                              .parsed = &parsed };
    struct ec__keras k = { .b.err = err, .opts = opts, .net.batch = 1 };
    const char *name = ec__keras_word(ec_json_get(root, "config"), "name");

    if (!is_model(root))
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "a Keras model of class \"%.40s\", whose layers are in its code: expected "
                       "Sequential or Functional; export it as ONNX (docs/onnx.md)",
                       ec__keras_word(root, "class_name"));
    if (opts && opts->batch > 0)
        k.net.batch = opts->batch;
    k.b.g = ec_graph_new(*name ? name : "model");
    EC_PASS(ec_allocated(k.b.g, err));
    k.b.g->source = "keras";
    k.b.g->batch = k.net.batch;
    k.text = ec__text_open(&k.b, &k.net, &layers);
    if (k.text) {
        ec__text_give(k.text, "channels_first", ec__item_number(channels_first(root)));
        add_outputs(&k, run_model(&k, root, NULL));
    }
    ec__text_close(k.text);
    ec_arena_clear(&k.arena);
    if (!k.b.st)
        *ret = k.b.g;
    else
        ec_graph_free(k.b.g);
    return k.b.st;
}
