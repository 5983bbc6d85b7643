/* ONNX bytes to struct onnx_model: nodes, names, declared values. Arrays are counted first, so
 * memory stays within a multiple of the file. */
#include "graph/onnx_internal.h"

#include <limits.h>
#include <string.h>

/* Field numbers of onnx.proto, message by message. */
enum { MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum {
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_VALUE_INFO = 13
};
enum {
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4,
    NODE_ATTR = 5,
    NODE_DOMAIN = 7
};
enum { INFO_NAME = 1, INFO_TYPE = 2 };
enum { TYPE_TENSOR = 1 };
enum { TYPE_TENSOR_ELEM = 1, TYPE_TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1 };
enum { DIM_VALUE = 1, DIM_PARAM = 2 };

/* --- names --- */

static bool span_same(struct ec_span a, struct ec_span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* The value of that name, made when new; -1 for the empty name. */
static int intern(struct onnx_model *m, struct ec_span name)
{
    uint64_t h = ec_hash(name.p, name.len);
    int at = (int)(h & (uint64_t)m->table_mask);
    struct onnx_value *v;

    if (!name.len)
        return -1;
    while (m->table[at] >= 0) {
        if (span_same(m->values[m->table[at]].name, name))
            return m->table[at];
        at = (at + 1) & m->table_mask;
    }
    m->table[at] = m->n_values;
    v = &m->values[m->n_values];
    memset(v, 0, sizeof *v);
    v->name = name;
    v->producer = v->tensor = v->input = v->info = -1;
    return m->n_values++;
}

static enum ec_status make_table(struct onnx_model *m, int64_t max_names, struct ec_err *err)
{
    int64_t size = 16;

    while (size < 2 * max_names)
        size *= 2;
    if (size > INT_MAX / 2)
        return ec_fail(err, EC_E_UNSUPPORTED, "the model has more than a billion names");
    m->table_mask = (int)size - 1;
    m->table = ec__onnx_list(m->a, (int)size, sizeof *m->table);
    m->values = ec__onnx_list(m->a, (int)max_names, sizeof *m->values);
    EC_PASS(ec_allocated(m->table && m->values, err));
    memset(m->table, 0xff, (size_t)size * sizeof *m->table);
    return EC_OK;
}

/* --- nodes --- */

static void count_node(struct ec_span msg, struct onnx_node *n)
{
    struct ec__wire w = ec__wire_span(msg);
    struct ec__field f;

    while (ec__wire_next(&w, &f)) {
        n->n_in += f.num == NODE_INPUT;
        n->n_out += f.num == NODE_OUTPUT;
        n->n_attr += f.num == NODE_ATTR;
    }
}

static enum ec_status produce(struct onnx_model *m, int node, int out, struct ec_span name,
                              struct ec_err *err)
{
    struct onnx_node *n = &m->nodes[node];
    int id = n->out[out] = intern(m, name);

    if (id < 0)
        return EC_OK;
    if (m->values[id].producer >= 0)
        return ec_fail(err, EC_E_PARSE, "two nodes produce the value \"%.*s\"",
                       name.len > 80 ? 80 : (int)name.len, name.p);
    m->values[id].producer = node;
    return EC_OK;
}

static enum ec_status parse_node(struct onnx_model *m, struct ec_span msg, int index,
                                 struct ec_err *err)
{
    struct onnx_node *n = &m->nodes[index];
    struct ec__wire w = ec__wire_span(msg);
    int in = 0, out = 0, attr = 0;
    struct ec__field f;

    count_node(msg, n);
    n->in = ec__onnx_list(m->a, n->n_in, sizeof *n->in);
    n->out = ec__onnx_list(m->a, n->n_out, sizeof *n->out);
    n->attr = ec__onnx_list(m->a, n->n_attr, sizeof *n->attr);
    EC_PASS(ec_allocated(n->in && n->out && n->attr, err));
    while (ec__wire_next(&w, &f)) {
        if (f.num == NODE_INPUT)
            n->in[in++] = intern(m, f.span);
        else if (f.num == NODE_OUTPUT)
            EC_PASS(produce(m, index, out++, f.span, err));
        else if (f.num == NODE_ATTR)
            EC_PASS(ec__onnx_parse_attr(f.span, m->a, &n->attr[attr++], err));
        else if (f.num == NODE_OP)
            n->op = f.span;
        else if (f.num == NODE_NAME)
            n->name = f.span;
        else if (f.num == NODE_DOMAIN)
            n->domain = f.span;
    }
    if (w.bad)
        return ec__onnx_malformed(err, "a node", w.bad);
    if (!n->op.len)
        return ec_fail(err, EC_E_PARSE, "node %d has no operator type", index);
    return EC_OK;
}

/* --- declared values --- */

static enum ec_status parse_dim(struct ec_span msg, struct onnx_info *info, struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg);
    struct ec__field f;

    if (info->rank == EC_RANK_MAX)
        return ec_fail(err, EC_E_UNSUPPORTED, "a declared value has more than %d dimensions",
                       EC_RANK_MAX);
    info->d[info->rank] = -1;
    while (ec__wire_next(&w, &f)) {
        if (f.num == DIM_VALUE)
            info->d[info->rank] = (int64_t)f.u;
        else if (f.num == DIM_PARAM)
            info->sym[info->rank] = f.span;
    }
    if (info->d[info->rank] < -1 || info->d[info->rank] > ONNX_DIM_MAX)
        return ec_fail(err, EC_E_SHAPE, "a declared value has dimension %lld",
                       (long long)info->d[info->rank]);
    info->rank++;
    return w.bad ? ec__onnx_malformed(err, "a declared dimension", w.bad) : EC_OK;
}

static enum ec_status parse_shape(struct ec_span msg, struct onnx_info *info, struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg);
    enum ec_status st = EC_OK;
    struct ec__field f;

    info->rank = 0;
    while (!st && ec__wire_next(&w, &f))
        if (f.num == SHAPE_DIM)
            st = parse_dim(f.span, info, err);
    return w.bad ? ec__onnx_malformed(err, "a declared shape", w.bad) : st;
}

static enum ec_status parse_type(struct ec_span msg, struct onnx_info *info, struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg), tensor;
    enum ec_status st = EC_OK;
    struct ec__field f, g;

    while (!st && ec__wire_next(&w, &f)) {
        if (f.num != TYPE_TENSOR)
            continue;
        tensor = ec__wire_span(f.span);
        while (!st && ec__wire_next(&tensor, &g)) {
            if (g.num == TYPE_TENSOR_ELEM)
                info->dtype = ec__onnx_dtype((int64_t)g.u);
            else if (g.num == TYPE_TENSOR_SHAPE)
                st = parse_shape(g.span, info, err);
        }
        if (tensor.bad)
            return ec__onnx_malformed(err, "a declared type", tensor.bad);
    }
    return w.bad ? ec__onnx_malformed(err, "a declared type", w.bad) : st;
}

static enum ec_status parse_info(struct onnx_model *m, struct ec_span msg, struct onnx_info *info,
                                 struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg);
    struct ec_span name = { NULL, 0 };
    enum ec_status st = EC_OK;
    struct ec__field f;

    info->rank = -1;
    while (!st && ec__wire_next(&w, &f)) {
        if (f.num == INFO_NAME)
            name = f.span;
        else if (f.num == INFO_TYPE)
            st = parse_type(f.span, info, err);
    }
    /* once, whatever the message repeats: the table of names has room for one each */
    info->value = intern(m, name);
    return w.bad ? ec__onnx_malformed(err, "a declared value", w.bad) : st;
}

/* --- the graph --- */

static enum ec_status count_graph(struct ec_span msg, struct onnx_model *m, struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg);
    struct onnx_node counts = { 0 };
    struct ec__field f;

    while (ec__wire_next(&w, &f)) {
        if (f.type != EC__WIRE_LEN)
            continue;
        m->n_nodes += f.num == GRAPH_NODE;
        m->n_tensors += f.num == GRAPH_INITIALIZER;
        m->n_inputs += f.num == GRAPH_INPUT;
        m->n_outputs += f.num == GRAPH_OUTPUT;
        m->n_infos += f.num == GRAPH_VALUE_INFO;
        if (f.num == GRAPH_NODE)
            count_node(f.span, &counts);
    }
    if (w.bad)
        return ec__onnx_malformed(err, "the graph", w.bad);
    if (!m->n_nodes)
        return ec_fail(err, EC_E_PARSE, "the ONNX graph has no nodes");
    m->nodes = ec__onnx_list(m->a, m->n_nodes, sizeof *m->nodes);
    m->tensors = ec__onnx_list(m->a, m->n_tensors, sizeof *m->tensors);
    m->inputs = ec__onnx_list(m->a, m->n_inputs, sizeof *m->inputs);
    m->outputs = ec__onnx_list(m->a, m->n_outputs, sizeof *m->outputs);
    m->infos = ec__onnx_list(m->a, m->n_infos, sizeof *m->infos);
    EC_PASS(ec_allocated(m->nodes && m->tensors && m->inputs && m->outputs && m->infos, err));
    return make_table(m,
                      (int64_t)counts.n_in + counts.n_out + m->n_tensors + m->n_inputs +
                          m->n_outputs + m->n_infos,
                      err);
}

static enum ec_status add_tensor(struct onnx_model *m, struct ec_span msg, int index,
                                 struct ec_err *err)
{
    struct onnx_tensor *t = &m->tensors[index];
    int id;

    EC_PASS(ec__onnx_tensor(msg, m->a, t, err));
    id = intern(m, t->name);
    if (id >= 0 && m->values[id].tensor >= 0)
        return ec_fail(err, EC_E_PARSE, "two initializers are named \"%.*s\"",
                       t->name.len > 80 ? 80 : (int)t->name.len, t->name.p);
    if (id >= 0)
        m->values[id].tensor = index;
    return EC_OK;
}

struct counters {
    int node, tensor, input, output, info;
};

static enum ec_status graph_field(struct onnx_model *m, const struct ec__field *f,
                                  struct counters *at, struct ec_err *err)
{
    if (f->type != EC__WIRE_LEN)
        return EC_OK;
    switch (f->num) {
    case GRAPH_NODE:
        return parse_node(m, f->span, at->node++, err);
    case GRAPH_INITIALIZER:
        return add_tensor(m, f->span, at->tensor++, err);
    case GRAPH_INPUT:
        return parse_info(m, f->span, &m->inputs[at->input++], err);
    case GRAPH_OUTPUT:
        return parse_info(m, f->span, &m->outputs[at->output++], err);
    case GRAPH_VALUE_INFO:
        return parse_info(m, f->span, &m->infos[at->info++], err);
    case GRAPH_NAME:
        m->graph_name = f->span;
        return EC_OK;
    default:
        return EC_OK;
    }
}

static void link_values(struct onnx_model *m)
{
    int i, k;

    for (i = 0; i < m->n_infos; i++)
        if (m->infos[i].value >= 0)
            m->values[m->infos[i].value].info = i;
    for (i = 0; i < m->n_inputs; i++)
        if (m->inputs[i].value >= 0)
            m->values[m->inputs[i].value].input = i;
    for (i = 0; i < m->n_outputs; i++)
        if (m->outputs[i].value >= 0)
            m->values[m->outputs[i].value].is_output = true;
    for (i = 0; i < m->n_nodes; i++)
        for (k = 0; k < m->nodes[i].n_in; k++)
            if (m->nodes[i].in[k] >= 0)
                m->values[m->nodes[i].in[k]].n_uses++;
}

static enum ec_status parse_graph(struct ec_span msg, struct onnx_model *m, struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg);
    struct counters at = { 0 };
    struct ec__field f;

    EC_PASS(count_graph(msg, m, err));
    while (ec__wire_next(&w, &f))
        EC_PASS(graph_field(m, &f, &at, err));
    link_values(m);
    return EC_OK;
}

/* The version of the main operator set (empty domain). */
static void parse_opset(struct ec_span msg, int64_t *ret)
{
    struct ec__wire w = ec__wire_span(msg);
    struct ec_span domain = { NULL, 0 };
    struct ec__field f;
    int64_t version = 0;

    while (ec__wire_next(&w, &f)) {
        if (f.num == OPSET_DOMAIN)
            domain = f.span;
        else if (f.num == OPSET_VERSION)
            version = (int64_t)f.u;
    }
    if (domain.len == 0 || ec_span_eq(domain, "ai.onnx"))
        *ret = version;
}

enum ec_status ec__onnx_parse(const void *data, size_t len, struct ec_arena *a,
                              struct onnx_model *ret, struct ec_err *err)
{
    struct ec__wire w = ec__wire_of(data, len);
    struct ec_span graph = { NULL, 0 };
    struct ec__field f;

    *ret = (struct onnx_model){ .a = a, .opset = 1 };
    if (len > INT32_MAX) /* so counts of anything inside fit an int */
        return ec_fail(err, EC_E_PARSE,
                       "larger than 2 GiB, which is the limit of the format; export with external "
                       "data, or without parameters");
    while (ec__wire_next(&w, &f)) {
        if (f.num == MODEL_PRODUCER)
            ret->producer = f.span;
        else if (f.num == MODEL_OPSET && f.type == EC__WIRE_LEN)
            parse_opset(f.span, &ret->opset);
        else if (f.num == MODEL_GRAPH && f.type == EC__WIRE_LEN)
            graph = f.span;
    }
    if (w.bad)
        return ec__onnx_malformed(err, "the model", w.bad);
    if (!graph.p)
        return ec_fail(err, EC_E_PARSE, "not an ONNX model: it holds no graph");
    return parse_graph(graph, ret, err);
}

/* --- reading what was parsed --- */

const struct onnx_attr *ec__onnx_attr(const struct onnx_node *n, const char *name)
{
    int i;

    for (i = 0; i < n->n_attr; i++)
        if (ec_span_eq(n->attr[i].name, name))
            return &n->attr[i];
    return NULL;
}

int64_t ec__onnx_attr_int(const struct onnx_node *n, const char *name, int64_t deflt)
{
    const struct onnx_attr *at = ec__onnx_attr(n, name);

    return at ? at->i : deflt;
}

double ec__onnx_attr_float(const struct onnx_node *n, const char *name, double deflt)
{
    const struct onnx_attr *at = ec__onnx_attr(n, name);

    return at ? at->f : deflt;
}

bool ec__onnx_is(const struct onnx_node *n, const char *op)
{
    return ec_span_eq(n->op, op);
}

int ec__onnx_in(const struct onnx_node *n, int i)
{
    return i < n->n_in ? n->in[i] : -1;
}

int ec__onnx_out(const struct onnx_node *n, int i)
{
    return i < n->n_out ? n->out[i] : -1;
}
