/* Rows of a table by id. Backward clears the dense gradient and adds each row of dy to its row;
 * threads own ranges of the table, so that no two add to the same row and the order is fixed. */
#include "engine/cpu/rows.h"

#include <string.h>

struct lookup {
    enum ec__elem t;
    enum ec_dtype ids;
    int64_t n, num, dim;
};

static int64_t id_at(const struct lookup *v, const void *ids, int64_t i)
{
    return v->ids == EC_DT_i64 ? ((const int64_t *)ids)[i] : ((const int32_t *)ids)[i];
}

static void gather_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct lookup *v = j->data;
    int64_t i;

    for (i = begin; i < end; i++) {
        const float *row = (const float *)j->at[1] + id_at(v, j->at[0], i) * v->dim;

        if (v->t == EC__F32)
            memcpy((float *)j->at[2] + i * v->dim, row, (size_t)v->dim * sizeof *row);
        else
            j->cpu->loops->to_bf16(row, (uint16_t *)j->at[2] + i * v->dim, v->dim);
    }
}

static enum ec_status forward(const struct ec__run *r)
{
    const struct lookup *v = r->data;
    int64_t i;

    for (i = 0; i < v->n; i++) {
        int64_t id = id_at(v, r->at[0], i);

        if (id < 0 || id >= v->num)
            return ec_fail(r->err, EC_E_INPUT, "id %lld at position %lld, the table has %lld rows",
                           (long long)id, (long long)i, (long long)v->num);
    }
    return ec__row_run(r, gather_part, v->n, NULL, 0);
}

static void scatter_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct lookup *v = j->data;
    float *to = j->at[2];
    int64_t i;

    memset(to + begin * v->dim, 0, (size_t)((end - begin) * v->dim) * sizeof *to);
    for (i = 0; i < v->n; i++) {
        int64_t id = id_at(v, j->at[0], i);

        if (id >= begin && id < end)
            j->cpu->loops->add_to(
                to + id * v->dim,
                ec__row_in(j->cpu->loops, v->t, j->at[1], i, v->dim, (float *)(void *)j->own),
                v->dim);
    }
}

void ec__embedding_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct lookup v = { ec__elem_of(k), k->c->in[0]->dtype, ec__elems(k->c->in[0]),
                        ec_case_int(k->c, "num"), ec_case_int(k->c, "dim") };

    if ((v.ids != EC_DT_i64 && v.ids != EC_DT_i32) || (k->param_fmt[0] && k->param_fmt[0]->layout))
        ec__build_fail(b, EC_E_UNSUPPORTED, "ids that are not whole numbers");
    ec__build_phase(b, EC_FORWARD);
    EC__CALL_OWN(b, forward, &v, ec__place_at(EC__IN, 0), ec__place_at(EC__PARAM, 0),
                 ec__place_at(EC__OUT, 0));
    if (k->training && k->want_d_param[0]) {
        ec__build_phase(b, EC_GRAD_WEIGHT);
        EC__CALL_ROWS(b, scatter_part, v.num, v.dim * (int64_t)sizeof(float), &v,
                      ec__place_at(EC__IN, 0), ec__place_at(EC__D_OUT, 0),
                      ec__place_at(EC__D_PARAM, 0));
        if (!b->st)
            k->keep_in[0] = true;
    }
    k->split_backward = true;
    ec__build_loops(b);
}
