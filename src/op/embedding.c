/* Tables looked up by id or by position. */
#include "op/op_internal.h"

/* ids(...) -> (..., dim) */
static enum ec_status embedding_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct embedding_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;

    EC_PASS(ec__required(a->num, "num (rows of the table)", err));
    EC_PASS(ec__required(a->dim, "dim (elements of a row)", err));
    EC_PASS(ec__rank_is(c, 0, 0, EC_RANK_MAX - 1, err));
    y.d[y.rank++] = a->dim;
    EC_PASS(ec__set_out(c, 0, &y, EC_DT_f32, err));
    return ec__params_fit(c, err);
}

static void embedding_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct embedding_attrs *a = c->attrs;

    ec_param_add(ret, "weight", true, 2, a->num, a->dim);
}

/* forward: one row of the table per id.
 * grad_weight: the dense gradient is cleared, then each row of dy is added to its row: the rows
 * are read and written once more. Frameworks sort the ids first: four launches, four passes over
 * ids and positions. */
static void embedding_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct embedding_attrs *a = c->attrs;
    double ids = ec__in(c, 0), y = ec__out(c, 0), index = ids * ec__index_bytes(c, 0);
    struct ec_kernel *k;

    if (p == EC_FORWARD) {
        k = ec__kernel(w, EC_K_GATHER, p, 0, 0, y);
        k->weight_elems = y;
        k->fixed_bytes = index;
    } else if (p == EC_GRAD_WEIGHT) {
        ec_work_stream(w, p, 0, 0, 0)->weight_elems = (double)a->num * (double)a->dim;
        k = ec__kernel(w, EC_K_GATHER, p, y, y, 0);
        k->weight_elems = 2 * y;
        k->fixed_bytes = 4 * 2 * index;
        k->launches = 4;
    } else {
        return;
    }
    k->b = 1;
    k->m = ids;
    k->n = (double)a->dim;
    k->k = (double)a->num;
}

static void embedding_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    int64_t n = ec__draw_log(r, 1, 128), t = ec__draw_log(r, 8, 1024);
    int64_t num = ec__draw_log(r, 100, 60000), dim = ec__draw_width(r, 32, 2048);

    ec_buf_printf(out, "%s x=%lldx%lld num=%lld dim=%lld", op->name, (long long)n, (long long)t,
                  (long long)num, (long long)dim);
}

EC__OP(embedding) = {
    .name = "embedding",
    .help = "row of a learned table per integer id",
    EC__ATTRS(embedding, embedding_fields),
    .inputs = "x",
    .flags = EC_OPF_INDEX_IN,
    .shape = embedding_shape,
    .params = embedding_params,
    .work = embedding_work,
    .saved = ec__saved_in,
    .sample = embedding_sample,
    .example = "embedding x=32x128 num=30522 dim=768",
};

/* --- positional_encoding: a table of (positions, features) added to every sample --- */

static int64_t position_rows(const struct ec_case *c)
{
    const struct position_attrs *a = c->attrs;

    return a->max_len ? a->max_len : c->in[0]->shape.d[1];
}

static enum ec_status position_shape(const struct ec_case *c, struct ec_err *err)
{
    EC_PASS(ec__rank_is(c, 0, 3, 3, err));
    if (c->in[0]->shape.d[1] > position_rows(c))
        return ec_fail(err, EC_E_SHAPE, "%lld positions, the table has only %lld",
                       (long long)c->in[0]->shape.d[1], (long long)position_rows(c));
    EC_PASS(ec__shape_same(c, err));
    return ec__params_fit(c, err);
}

static void position_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct position_attrs *a = c->attrs;

    if (a->learned)
        ec_param_add(ret, "weight", true, 2, position_rows(c), c->in[0]->shape.d[2]);
}

/* The input's gradient is dy itself; the table's is dy summed over samples, rows unused cleared. */
static void position_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct position_attrs *a = c->attrs;
    double x = ec__in(c, 0), n = (double)c->in[0]->shape.d[0], table = ec__ratio(x, n);

    if (p == EC_FORWARD)
        ec_work_stream(w, p, x, x, x)->weight_elems = table;
    if (p == EC_GRAD_WEIGHT && a->learned)
        ec__bias_grad(w, table, n)->weight_elems =
            (double)position_rows(c) * (double)c->in[0]->shape.d[2];
}

static void position_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    int64_t n = ec__draw_log(r, 1, 128), t = ec__draw_log(r, 8, 1024);
    int64_t c = ec__draw_width(r, 64, 2048);

    ec_buf_printf(out, "%s n=%lld t=%lld c=%lld", op->name, (long long)n, (long long)t,
                  (long long)c);
    if (ec__draw_chance(r, 50))
        ec_buf_printf(out, " learned=1 max_len=%lld", (long long)ec__draw_log(r, t, 2048));
}

EC__OP(positional_encoding) = {
    .name = "positional_encoding",
    .help = "add a table of positions, fixed or learned",
    EC__ATTRS(position, position_fields),
    .inputs = "n t c",
    .shape = position_shape,
    .params = position_params,
    .work = position_work,
    .saved = ec__saved_none,
    .sample = position_sample,
    .example = "positional_encoding n=32 t=128 c=512 learned=1 max_len=512",
};
