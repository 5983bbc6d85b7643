/* A mixture of experts: each token goes through the feed-forward layers of the experts that score
 * it highest. Tokens are put in the order of their experts, so that a layer of all experts is one
 * grouped product. */
#include "op/op_internal.h"

static int64_t last(const struct ec_case *c, int in)
{
    return c->in[in]->shape.d[c->in[in]->shape.rank - 1];
}

static enum ec_status experts_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct experts_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape, *s = &c->in[1]->shape;
    char tx[200], ts[200];
    bool fit;
    int i;

    EC_PASS(ec__rank_is(c, 0, 1, EC_RANK_MAX, err));
    EC_PASS(ec__required(a->ffn, "ffn (features inside an expert)", err));
    fit = s->rank == x->rank;
    for (i = 0; fit && i < x->rank - 1; i++)
        fit = x->d[i] == s->d[i];
    if (!fit)
        return ec_fail(err, EC_E_SHAPE, "tokens %s and scores %s do not fit together",
                       ec_shape_text(x, tx, sizeof tx), ec_shape_text(s, ts, sizeof ts));
    if (a->top_k > last(c, 1))
        return ec_fail(err, EC_E_SHAPE, "top_k %lld is more than %lld experts", (long long)a->top_k,
                       (long long)last(c, 1));
    EC_PASS(ec__shape_same(c, err));
    return ec__params_fit(c, err);
}

static void experts_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct experts_attrs *a = c->attrs;
    int64_t n = last(c, 1), x = last(c, 0), inner = a->ffn * (a->gated ? 2 : 1);

    ec_param_add(ret, "up_proj", true, 3, n, inner, x);
    ec_param_add(ret, "down_proj", true, 3, n, x, a->ffn);
    if (a->bias) {
        ec_param_add(ret, "up_proj_bias", true, 2, n, inner);
        ec_param_add(ret, "down_proj_bias", true, 2, n, x);
    }
}

struct sizes {
    double tokens, rows, c, n, ffn, inner; /* rows: tokens times their experts */
    bool bias;
};

static struct sizes sizes_of(const struct ec_case *c)
{
    const struct experts_attrs *a = c->attrs;
    struct sizes s = { .c = (double)last(c, 0), .n = (double)last(c, 1), .ffn = (double)a->ffn };

    s.tokens = ec__ratio(ec__in(c, 0), s.c);
    s.rows = s.tokens * (double)a->top_k;
    s.inner = s.ffn * (a->gated ? 2 : 1);
    s.bias = a->bias;
    return s;
}

/* rows/n x k by k x m, for each expert; the roles turn with the phase */
static void grouped(struct ec_work *w, enum ec_phase p, const struct sizes *s, double in,
                    double out)
{
    double each = s->rows / s->n;
    struct ec_kernel *k = p == EC_GRAD_WEIGHT ? ec__gemm(w, p, s->n, out, in, each)
                                              : ec__gemm(w, p, s->n, each, out, in);

    k->read_elems = s->rows * (p == EC_GRAD_WEIGHT ? in + out : in);
    k->write_elems = p == EC_GRAD_WEIGHT ? 0 : s->rows * out;
    k->weight_elems = s->n * in * out;
    k->flags |= EC_KF_GROUPED | EC_KF_COMPOSED;
    if (s->bias && p == EC_FORWARD) {
        k->weight_elems += s->n * out;
        k->flop += s->rows * out;
    }
    if (s->bias && p == EC_GRAD_WEIGHT)
        ec__bias_grad(w, s->n * out, each);
}

/* Choose, put in order, two products with the activation between them, weighted sum. */
static void forward(const struct sizes *s, struct ec_work *w)
{
    const enum ec_phase p = EC_FORWARD;

    (void)ec__reduce(w, p, s->tokens, s->n);
    ec_work_stream(w, p, 0, s->rows * s->c, s->rows * s->c);
    grouped(w, p, s, s->c, s->inner);
    ec_work_stream(w, p, 5 * s->rows * s->inner, s->rows * s->inner, s->rows * s->ffn);
    grouped(w, p, s, s->ffn, s->c);
    ec_work_stream(w, p, 2 * s->rows * s->c, s->rows * s->c + s->rows, s->tokens * s->c);
}

static void grad_data(const struct sizes *s, struct ec_work *w)
{
    const enum ec_phase p = EC_GRAD_DATA;

    ec_work_stream(w, p, s->rows * s->c, s->tokens * s->c + s->rows, s->rows * s->c);
    ec_work_stream(w, p, 2 * s->rows * s->c, s->tokens * s->c + s->rows * s->c, s->tokens * s->n)
        ->for_input = 2;
    grouped(w, p, s, s->c, s->ffn);
    ec_work_stream(w, p, 8 * s->rows * s->inner, s->rows * (s->inner + s->ffn), s->rows * s->inner);
    grouped(w, p, s, s->inner, s->c);
    w->kernel[w->n - 1].for_input = 1;
    ec_work_stream(w, p, s->rows * s->c, s->rows * s->c, s->tokens * s->c)->for_input = 1;
}

static void experts_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    struct sizes s = sizes_of(c);

    if (p == EC_FORWARD)
        forward(&s, w);
    if (p == EC_GRAD_DATA)
        grad_data(&s, w);
    if (p == EC_GRAD_WEIGHT) {
        grouped(w, p, &s, s.ffn, s.c);
        grouped(w, p, &s, s.c, s.inner);
    }
}

/* The scores; tokens in the order of their experts, before and after the activation, and results.
 */
static void experts_saved(const struct ec_case *c, struct ec_saved *ret)
{
    struct sizes s = sizes_of(c);

    ret->in_mask = 2;
    ret->extra_elems = s.rows * (2 * s.c + s.inner + s.ffn);
    ret->extra_bytes = 8 * s.rows; /* where each went */
}

static void experts_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    int64_t n = ec__draw_log(r, 2, 128), top_k = ec__draw_log(r, 1, n < 8 ? n : 8);

    ec_buf_printf(out, "%s m=%lld c=%lld e=%lld top_k=%lld ffn=%lld", op->name,
                  (long long)ec__draw_log(r, 16, 16384), (long long)ec__draw_width(r, 64, 4096),
                  (long long)n, (long long)top_k, (long long)ec__draw_width(r, 64, 8192));
}

EC__OP(experts) = {
    .name = "experts",
    .help = "feed-forward layers, of which a score chooses some for each token",
    EC__ATTRS(experts, experts_fields),
    .inputs = "*m c; *m e",
    .shape = experts_shape,
    .params = experts_params,
    .work = experts_work,
    .saved = experts_saved,
    .sample = experts_sample,
    .example = "experts m=4096 c=1024 e=8 top_k=2 ffn=3584",
};
