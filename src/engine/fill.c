/* Numbers to begin with: initial weights, and random inputs and targets for measuring. Each element
 * is a function of a seed, a name and its index alone, so that order and threads do not matter. */
#include "engine/program_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

static uint64_t stream_of(uint64_t seed, const char *name)
{
    return mix(seed ^ ec_hash(name, strlen(name)));
}

/* [0, 1) */
static double unit_at(uint64_t stream, int64_t i)
{
    return (double)(mix(stream + (uint64_t)i) >> 11) * 0x1p-53;
}

static double normal_at(uint64_t stream, int64_t i)
{
    double u = unit_at(stream, 2 * i), v = unit_at(stream, 2 * i + 1);

    return sqrt(-2 * log1p(-u)) * cos(6.283185307179586 * v);
}

static void uniform(float *w, int64_t n, uint64_t stream, double bound)
{
    int64_t i;

    for (i = 0; i < n; i++)
        w[i] = (float)((2 * unit_at(stream, i) - 1) * bound);
}

static void normal(float *w, int64_t n, uint64_t stream, double deviation)
{
    int64_t i;

    for (i = 0; i < n; i++)
        w[i] = (float)(normal_at(stream, i) * deviation);
}

static void constant(float *w, int64_t n, double value)
{
    int64_t i;

    for (i = 0; i < n; i++)
        w[i] = (float)value;
}

/* --- Weights --- */

struct param_use {
    const struct ec_node *node; /* NULL: a free parameter */
    const char *role;
    const struct ec_type *type;
    const struct ec_type *weight; /* of the same node; NULL */
};

/* Inputs that one output of the weight sums over. */
static double fan_in(const struct ec_type *t)
{
    double n = ec_type_elems(t);

    return t->shape.rank >= 1 && t->shape.d[0] > 0 ? n / (double)t->shape.d[0] : n;
}

static bool is_any(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list))
            return true;
    return false;
}

static void init_norm(const struct param_use *u, float *w, int64_t n)
{
    bool ones = !strcmp(u->role, "weight") || !strcmp(u->role, "running_var");

    constant(w, n, ones ? 1 : 0);
}

/* Both input and output sides count (Glorot). */
static void init_attention(const struct param_use *u, float *w, int64_t n, uint64_t stream)
{
    double in = fan_in(u->type), out = (double)u->type->shape.d[0];

    if (strstr(u->role, "bias"))
        constant(w, n, 0);
    else if (!strcmp(u->role, "in_proj_weight"))
        uniform(w, n, stream, sqrt(6 / (in + out)));
    else
        uniform(w, n, stream, 1 / sqrt(in));
}

/* Recurrent layers go by their hidden size: columns of a weight that multiplies it. */
static void init_recurrent(const struct param_use *u, float *w, int64_t n, uint64_t stream)
{
    int gates = !strcmp(u->node->op->name, "lstm") ? 4 : !strcmp(u->node->op->name, "gru") ? 3 : 1;
    double hidden = (double)u->type->shape.d[0] / gates;

    uniform(w, n, stream, hidden > 0 ? 1 / sqrt(hidden) : 0);
}

/* Free parameters: scales of layers begin at one or close to zero, tables of positions small. */
static void init_free(const char *name, float *w, int64_t n, uint64_t stream)
{
    if (strstr(name, "layer_scale") || strstr(name, "gamma"))
        constant(w, n, 1e-6);
    else
        normal(w, n, stream, 0.02);
}

static void init_param(const struct param_use *u, const char *name, float *w, int64_t n,
                       uint64_t stream)
{
    static const char *const norms[] = { "batch_norm",    "layer_norm", "group_norm",
                                         "instance_norm", "rms_norm",   NULL };
    static const char *const recurrent[] = { "rnn", "lstm", "gru", NULL };
    const char *op = u->node ? u->node->op->name : "";
    double in = fan_in(u->weight ? u->weight : u->type);

    if (!u->node)
        init_free(name, w, n, stream);
    else if (is_any(op, norms))
        init_norm(u, w, n);
    else if (is_any(op, recurrent))
        init_recurrent(u, w, n, stream);
    else if (!strcmp(op, "multi_head_attention") || !strcmp(op, "attention"))
        init_attention(u, w, n, stream);
    else if (!strcmp(op, "embedding"))
        normal(w, n, stream, 1);
    else if (!strcmp(op, "positional_encoding"))
        normal(w, n, stream, 0.02);
    else if (!strcmp(op, "experts")) /* of each expert a matrix */
        uniform(w, n, stream, 1 / sqrt((double)u->type->shape.d[u->type->shape.rank - 1]));
    else if (!strcmp(op, "prelu"))
        constant(w, n, 0.25);
    else
        uniform(w, n, stream, in > 0 ? 1 / sqrt(in) : 0);
}

/* First node that has the parameter as one of its own. */
static struct param_use use_of(const struct ec_program *p, int value)
{
    struct param_use u = { .role = "", .type = &p->g->values[value]->type };
    struct ec_param_list list;
    int i, j;

    for (i = 0; i < p->g->n_nodes && !u.node; i++) {
        const struct ec_node *n = p->g->nodes[i];
        struct ec_case c = ec_node_case(n);

        for (j = 0; j < n->n_param && n->param[j] != value; j++)
            ;
        if (j == n->n_param)
            continue;
        list.n = 0;
        n->op->params(&c, &list);
        u.node = n;
        u.role = j < list.n ? list.p[j].role : "";
        if (n->n_param > 1 && !strcmp(u.role, "bias"))
            u.weight = &p->g->values[n->param[0]]->type;
    }
    return u;
}

/* Memory for one parameter: between two steps nothing in the arena is needed, and what is allocated
 * apart would stay with the process and be in no ledger. */
static float *room_for(struct ec_program *p, int64_t n, float **ret_owned)
{
    int64_t bytes = n * (int64_t)sizeof(float);

    *ret_owned = NULL;
    if (!p->b->mem_alloc && !p->opts.keep_all && bytes <= p->train.arena_bytes)
        return (float *)(void *)p->train.arena;
    *ret_owned = ec_alloc((size_t)bytes);
    return *ret_owned;
}

static enum ec_status init_one(struct ec_program *p, int value, uint64_t seed, struct ec_err *err)
{
    const char *name = p->g->values[value]->name;
    struct param_use u = use_of(p, value);
    int64_t n = ec__value_elems(p, value);
    float *owned, *w = room_for(p, n, &owned);
    enum ec_status st;

    EC_PASS(ec_allocated(w, err));
    if (n)
        init_param(&u, name, w, n, stream_of(seed, name));
    st = ec_program_write(p, name, 'v', w, n, err);
    ec_free(owned);
    return st;
}

static void put_int(enum ec_dtype t, void *data, int64_t i, int64_t v)
{
    switch (ec_dtype_bytes(t)) {
    case 8:
        ((int64_t *)data)[i] = v;
        break;
    case 4:
        ((int32_t *)data)[i] = (int32_t)v;
        break;
    case 2:
        ((int16_t *)data)[i] = (int16_t)v;
        break;
    default:
        ((int8_t *)data)[i] = (int8_t)v;
    }
}

/* Saturates: what a file says need not fit. */
static int64_t whole(double v)
{
    if (!(v > -9.2e18))
        return v != v ? 0 : INT64_MIN;
    return v > 9.2e18 ? INT64_MAX : (int64_t)v;
}

/* Contents of a constant; those that are not known are 1, whole numbers 0. */
static void fill_const(const struct ec_value *v, int64_t n, double *x)
{
    int64_t i;

    if (!ec_value_contents(v, x))
        for (i = 0; i < n; i++)
            x[i] = ec_dtype_is_float(v->type.dtype);
}

static enum ec_status init_const(struct ec_program *p, int value, struct ec_err *err)
{
    enum ec_dtype t = p->g->values[value]->type.dtype;
    int64_t n = ec__value_elems(p, value), i;
    enum ec_status st = EC_OK;
    double *x = NULL;
    void *data = NULL;

    if (p->train.values[value].buf < 0 || !n)
        return EC_OK;
    x = ec_alloc(sizeof *x * (size_t)n);
    data = ec_alloc((size_t)(n * (int64_t)sizeof(int64_t)));
    EC_TRY(ec_allocated(x && data, err));
    fill_const(p->g->values[value], n, x);
    for (i = 0; i < n; i++) {
        if (ec_dtype_is_float(t))
            ((float *)data)[i] = (float)x[i];
        else if (t == EC_DT_bool)
            put_int(t, data, i, x[i] != 0);
        else
            put_int(t, data, i, whole(x[i]));
    }
    EC_TRY(ec__program_write_io(p, value, data, err));
out:
    ec_free(x);
    ec_free(data);
    return st;
}

enum ec_status ec_program_init(struct ec_program *p, uint64_t seed, struct ec_err *err)
{
    const struct ec_flat *f = p->b->flat;
    int i;

    p->steps = 0;
    f->zero(p->ctx, p->param_mem, p->param_bytes);
    if (p->grad_mem)
        f->zero(p->ctx, p->grad_mem, p->learn_bytes);
    for (i = 0; i < p->n_states; i++)
        f->zero(p->ctx, p->state_mem[i], p->learn_bytes);
    if (p->b->flags & EC_BACKEND_FAKE)
        return EC_OK;
    for (i = 0; i < p->g->n_values; i++) {
        if (p->g->values[i]->kind == EC_V_PARAM && p->params[i].used)
            EC_PASS(init_one(p, i, seed, err));
        else if (p->g->values[i]->kind == EC_V_CONST)
            EC_PASS(init_const(p, i, err));
    }
    return EC_OK;
}

/* --- Inputs for measuring --- */

/* Integers that the network accepts: below the rows of the table that they index; views and casts
 * are looked through. */
static int64_t index_bound(const struct ec_program *p, int value)
{
    int64_t bound = 2;
    int i, j;

    for (i = 0; i < p->g->n_nodes; i++) {
        const struct ec_node *n = p->g->nodes[i];
        int64_t b = 0;

        for (j = 0; j < n->n_in && n->in[j] != value; j++)
            ;
        if (j == n->n_in)
            continue;
        if (!strcmp(n->op->name, "embedding") && n->n_param)
            b = p->g->values[n->param[0]]->type.shape.d[0];
        else if (n->op->flags & EC_OPF_VIEW && n->n_out)
            b = index_bound(p, n->out[0]);
        if (b > bound)
            bound = b;
    }
    return bound;
}

/* Data to measure with needs no more than one block of it, over and over: drawing a hundred
 * million numbers would take longer than what is measured. The odd length keeps rows apart. */
enum { STRETCH = 65521 };
static void fill_normal(float *x, int64_t n, uint64_t stream)
{
    int64_t done = n < STRETCH ? n : STRETCH;

    normal(x, done, stream, 1);
    while (done < n) {
        int64_t more = n - done < done ? n - done : done;

        memcpy(x + done, x, (size_t)more * sizeof *x);
        done += more;
    }
}

static enum ec_status fill_input(struct ec_program *p, int input, uint64_t seed, struct ec_err *err)
{
    int value = p->g->inputs[input];
    enum ec_dtype t = ec__value_dtype(p, value, EC_DT_f32);
    int64_t n = ec__value_elems(p, value), bytes = ec__plain_bytes(p, value, EC_DT_f32), i, bound;
    uint64_t stream = stream_of(seed, p->g->values[value]->name);
    void *data = ec_alloc((size_t)bytes);
    enum ec_status st;

    EC_PASS(ec_allocated(data, err));
    bound = ec_dtype_is_float(t) ? 0 : ec_dtype_bytes(t) == 1 ? 2 : index_bound(p, value);
    if (ec_dtype_is_float(t))
        fill_normal(data, n, stream);
    for (i = 0; bound && i < n; i++)
        put_int(t, data, i, (int64_t)(unit_at(stream, i) * (double)bound));
    st = ec_program_set_input(p, input, data, bytes, err);
    ec_free(data);
    return st;
}

static enum ec_status fill_target(struct ec_program *p, uint64_t seed, struct ec_err *err)
{
    bool class = ec_loss_target(p->opts.loss) == EC_TARGET_CLASS;
    uint64_t stream = stream_of(seed, "target");
    struct ec_loss_job job = { 0 };
    enum ec_status st;
    int64_t n, i;
    void *data;

    ec__loss_shape(p, &job);
    n = class ? job.rows : job.rows * job.cols;
    data = ec_alloc((size_t)p->target_io.bytes);
    EC_PASS(ec_allocated(data, err));
    for (i = 0; i < n; i++) {
        double u = unit_at(stream, i);

        if (class)
            ((int64_t *)data)[i] = (int64_t)(u * (double)job.cols);
        else
            ((float *)data)[i] = p->opts.loss == EC_LOSS_bce ? (u < 0.5 ? 0.0F : 1.0F) : (float)u;
    }
    st = ec_program_set_target(p, data, p->target_io.bytes, err);
    ec_free(data);
    return st;
}

static enum ec_status fill_d_out(struct ec_program *p, int output, uint64_t seed,
                                 struct ec_err *err)
{
    int64_t n = ec__value_elems(p, p->g->outputs[output]);
    float *data = ec_alloc(sizeof *data * (size_t)n);
    enum ec_status st;
    char name[32];

    EC_PASS(ec_allocated(data, err));
    (void)snprintf(name, sizeof name, "d_out%d", output);
    fill_normal(data, n, stream_of(seed, name));
    st = ec_program_set_d_out(p, output, data, n * (int64_t)sizeof *data, err);
    ec_free(data);
    return st;
}

enum ec_status ec_program_fill(struct ec_program *p, uint64_t seed, struct ec_err *err)
{
    int i;

    if (p->b->flags & EC_BACKEND_FAKE)
        return EC_OK;
    for (i = 0; i < p->g->n_inputs; i++)
        EC_PASS(fill_input(p, i, seed, err));
    if (p->opts.with_loss)
        EC_PASS(fill_target(p, seed, err));
    for (i = 0; i < p->g->n_outputs && !p->opts.with_loss && p->train.backward; i++)
        if (ec_dtype_is_float(p->g->values[p->g->outputs[i]]->type.dtype))
            EC_PASS(fill_d_out(p, i, seed, err));
    return EC_OK;
}
