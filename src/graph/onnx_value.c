/* Properties of an ONNX value: its type, size, contents and name, before and during the conversion.
 * */
#include "graph/onnx_internal.h"

#include <string.h>

/* --- names --- */

/* Printable text without blanks, from bytes we do not trust. */
void ec__onnx_clean(struct ec_span s, char *out, size_t size)
{
    size_t i, n = s.len < size - 1 ? s.len : size - 1;

    for (i = 0; i < n; i++)
        out[i] = s.p[i] > ' ' && s.p[i] < 127 && s.p[i] != '"' && s.p[i] != '\\' ? s.p[i] : '_';
    out[n] = '\0';
}

static bool all_digits(struct ec_span s)
{
    size_t i;

    for (i = 0; i < s.len; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.len > 0;
}

/* PyTorch names what it computed itself "497" or "onnx::Conv_497"; modules keep their path. */
bool ec__onnx_generated_name(struct ec_span name)
{
    return all_digits(name) || (name.len > 6 && memcmp(name.p, "onnx::", 6) == 0);
}

/* --- before conversion --- */

static const struct onnx_tensor *constant_tensor(const struct onnx_model *m, int value)
{
    int hops;

    for (hops = 0; hops < 4 && value >= 0; hops++) {
        const struct onnx_value *v = &m->values[value];
        const struct onnx_node *n = v->producer < 0 ? NULL : &m->nodes[v->producer];
        const struct onnx_attr *at;

        if (v->tensor >= 0)
            return &m->tensors[v->tensor];
        if (!n)
            return NULL;
        if (ec__onnx_is(n, "Constant")) {
            at = ec__onnx_attr(n, "value");
            return at ? at->t : NULL;
        }
        if (!ec__onnx_is(n, "Cast") && !ec__onnx_is(n, "Identity"))
            return NULL;
        value = ec__onnx_in(n, 0);
    }
    return NULL;
}

bool ec__onnx_scalar(const struct onnx_model *m, int value, double *ret)
{
    const struct onnx_tensor *t = constant_tensor(m, value);
    const struct onnx_value *v = value < 0 ? NULL : &m->values[value];
    const struct onnx_attr *at = NULL;
    int64_t n;

    if (t) {
        if (!t->v || !ec_shape_count(&t->type.shape, &n) || n != 1)
            return false;
        *ret = t->v[0];
        return true;
    }
    if (!v || v->producer < 0 || !ec__onnx_is(&m->nodes[v->producer], "Constant"))
        return false;
    if ((at = ec__onnx_attr(&m->nodes[v->producer], "value_float")))
        *ret = at->f;
    else if ((at = ec__onnx_attr(&m->nodes[v->producer], "value_int")))
        *ret = (double)at->i;
    return at != NULL;
}

bool ec__onnx_declared(const struct onnx_model *m, int value, int *ret_rank, enum ec_dtype *ret)
{
    const struct onnx_value *v = value < 0 ? NULL : &m->values[value];

    if (v && v->tensor >= 0) {
        *ret_rank = m->tensors[v->tensor].type.shape.rank;
        *ret = m->tensors[v->tensor].type.dtype;
        return true;
    }
    if (v && v->input >= 0 && m->inputs[v->input].rank >= 0) {
        *ret_rank = m->inputs[v->input].rank;
        *ret = m->inputs[v->input].dtype;
        return true;
    }
    return false;
}

/* --- sizes that the file leaves open --- */

int64_t ec__onnx_asked_size(const struct onnx_conv *c, enum ec_graph_sizes which)
{
    if (!c->opts)
        return 0;
    return which == EC_SIZE_IMAGE ? c->opts->image_px : c->opts->seq_len;
}

/* Also notes that the network depends on it. */
static int64_t open_size(const struct onnx_conv *c, enum ec_graph_sizes which)
{
    int64_t asked = ec__onnx_asked_size(c, which);

    c->g->sizes |= which;
    return asked > 0 ? asked : which == EC_SIZE_IMAGE ? ONNX_IMAGE_PX : ONNX_SEQ_LEN;
}

/* The name of a symbol decides; without one its place does. */
static int64_t symbol_size(const struct onnx_conv *c, const struct onnx_info *info, int dim)
{
    struct ec_span s = info->sym[dim];

    if (ec_span_holds(s, "batch") || ec_span_eq(s, "N") || ec_span_eq(s, "B") ||
        ec_span_eq(s, "bs"))
        return c->batch;
    if (ec_span_holds(s, "height") || ec_span_holds(s, "width"))
        return open_size(c, EC_SIZE_IMAGE);
    if (ec_span_holds(s, "seq") || ec_span_holds(s, "len") || ec_span_holds(s, "time"))
        return open_size(c, EC_SIZE_SEQ_LEN);
    if (dim == 0)
        return c->batch;
    return open_size(c, info->rank >= 4 && dim >= 2 ? EC_SIZE_IMAGE : EC_SIZE_SEQ_LEN);
}

/* --- types --- */

bool ec__onnx_info_type(const struct onnx_conv *c, const struct onnx_info *info,
                        struct ec_type *ret)
{
    int64_t n;
    int i;

    if (info->rank < 0)
        return false;
    ret->dtype = info->dtype;
    ret->shape.rank = info->rank;
    for (i = 0; i < info->rank; i++)
        ret->shape.d[i] = info->d[i];
    for (i = 0; i < info->rank; i++)
        if (info->d[i] < 0)
            ret->shape.d[i] = symbol_size(c, info, i);
    if (c->old && info->rank > 0 && info->d[0] == c->old_batch)
        ret->shape.d[0] = c->batch;
    return ec_shape_count(&ret->shape, &n);
}

/* Type of a parameter as the file declares it. */
bool ec__onnx_param_type(const struct onnx_conv *c, int value, struct ec_type *ret)
{
    const struct onnx_value *v = &c->m->values[value];
    int i;

    if (v->tensor >= 0) {
        *ret = c->m->tensors[v->tensor].type;
        return true;
    }
    if (v->input < 0 || c->m->inputs[v->input].rank < 0)
        return false;
    ret->dtype = c->m->inputs[v->input].dtype;
    ret->shape.rank = c->m->inputs[v->input].rank;
    for (i = 0; i < ret->shape.rank; i++)
        ret->shape.d[i] = c->m->inputs[v->input].d[i];
    return true;
}

bool ec__onnx_type(const struct onnx_conv *c, int value, struct ec_type *ret)
{
    const struct onnx_val *v = value < 0 ? NULL : &c->val[value];
    int64_t swap;

    if (!v)
        return false;
    if (v->param >= 0) {
        if (!ec__onnx_param_type(c, v->param, ret))
            return false;
        if (v->transposed) {
            swap = ret->shape.d[0];
            ret->shape.d[0] = ret->shape.d[1];
            ret->shape.d[1] = swap;
        }
        return true;
    }
    if (v->gv >= 0) {
        *ret = c->g->values[v->gv]->type;
        return true;
    }
    if (v->known) {
        *ret = v->known->type;
        return true;
    }
    return ec__onnx_param_type(c, value, ret); /* a constant not asked for yet */
}

enum ec_status ec__onnx_weight_type(const struct onnx_conv *c, int slot, int min_rank,
                                    struct ec_type *ret)
{
    if (!ec__onnx_type(c, ec__onnx_in(c->n, slot), ret))
        return ec_fail(c->err, EC_E_PARSE, "the weight has no known shape");
    if (ret->shape.rank < min_rank)
        return ec_fail(c->err, EC_E_SHAPE, "the weight has %d dimensions, expected at least %d",
                       ret->shape.rank, min_rank);
    return EC_OK;
}

enum ec_status ec__onnx_input_type(const struct onnx_conv *c, int slot, int min_rank,
                                   struct ec_type *ret)
{
    if (!ec__onnx_type(c, ec__onnx_in(c->n, slot), ret))
        return ec_fail(c->err, EC_E_PARSE, "input %d has no known shape", slot);
    if (ret->shape.rank < min_rank)
        return ec_fail(c->err, EC_E_SHAPE, "input %d has %d dimensions, expected at least %d", slot,
                       ret->shape.rank, min_rank);
    return EC_OK;
}

bool ec__onnx_is_param(const struct onnx_conv *c, int value)
{
    return value >= 0 && c->val[value].param >= 0;
}

/* --- contents --- */

const struct onnx_known *ec__onnx_known(const struct onnx_conv *c, int value)
{
    return value < 0 ? NULL : c->val[value].known;
}

struct onnx_known *ec__onnx_new_known(struct onnx_conv *c, const struct ec_type *t)
{
    struct onnx_known *k;
    int64_t n;

    if (!ec__onnx_small(&t->shape, ONNX_KNOWN_MAX, &n))
        return NULL;
    k = ec_arena_alloc(c->a, sizeof *k);
    if (!k)
        return NULL;
    k->type = *t;
    k->n = n;
    k->v = ec_arena_alloc(c->a, (size_t)(n ? n : 1) * sizeof *k->v);
    return k->v ? k : NULL;
}

/* Saturates: INT64_MAX stands for "to the end" in slices. */
static int64_t whole(double v)
{
    if (!(v > -9.2e18))
        return INT64_MIN / 2;
    return v > 9.2e18 ? INT64_MAX / 2 : (int64_t)v;
}

bool ec__onnx_ints(const struct onnx_conv *c, const char *attr, int slot, struct ec_ints *ret)
{
    const struct onnx_attr *at = attr ? ec__onnx_attr(c->n, attr) : NULL;
    const struct onnx_known *k = slot >= 0 ? ec__onnx_known(c, ec__onnx_in(c->n, slot)) : NULL;
    int64_t count = at ? at->n_ints : k ? k->n : -1;
    int i;

    if (count < 0 || count > EC_INTS_MAX)
        return false;
    if (at && at->has_i && !at->n_ints) { /* a single number where a list is usual */
        *ret = (struct ec_ints){ 1, { whole((double)at->i) } };
        return true;
    }
    ret->n = (int)count;
    for (i = 0; i < ret->n; i++)
        ret->v[i] = at ? whole((double)at->ints[i]) : whole(k->v[i]);
    return true;
}
