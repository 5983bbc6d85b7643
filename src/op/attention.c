/* Attention: the fused kernel that keeps no score matrix, and the layer composed of plain steps. */
#include "op/op_internal.h"

#define STAT_BYTES 4.0     /* log-sum-exp of a row, float32 */
#define FLASH_BACKWARD 2.5 /* five products against two forward: scores are computed again */

/* Sizes of (b,t,d)(b,u,d)(b,u,e) -> (b,t,e); pairs counts the scores of one b that are needed. */
struct size {
    double b, t, u, d, e, pairs;
};

static double causal_pairs(double t, double u)
{
    return t <= u ? t * (t + 1) / 2 : u * (u + 1) / 2 + (t - u) * u;
}

/* Query i sees keys from i - window + 1 up to i. */
static double window_pairs(double t, double u, double window)
{
    return causal_pairs(t, u) - causal_pairs(t - window, u);
}

static struct size size_of(const struct ec_case *c)
{
    const struct attention_attrs *a = c->attrs;
    const struct ec_shape *q = &c->in[0]->shape, *v = &c->in[2]->shape;
    struct size s = { 0 };

    s.t = (double)q->d[q->rank - 2];
    s.d = (double)q->d[q->rank - 1];
    s.u = (double)v->d[v->rank - 2];
    s.e = (double)v->d[v->rank - 1];
    s.b = ec__ratio(ec__in(c, 0), s.t * s.d);
    s.pairs = a->causal ? causal_pairs(s.t, s.u) : s.t * s.u;
    if (a->window && (double)a->window < s.t)
        s.pairs = window_pairs(s.t, s.u, (double)a->window);
    return s;
}

static enum ec_status attention_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct ec_shape *q = &c->in[0]->shape, *k = &c->in[1]->shape, *v = &c->in[2]->shape;
    struct ec_shape y = *q;
    char tq[200], tk[200], tv[200];
    const struct attention_attrs *a = c->attrs;
    int i, r = q->rank;
    bool fit;

    if (a->window && !a->causal)
        return ec_fail(err, EC_E_INPUT, "a window needs causal=1");

    EC_PASS(ec__rank_is(c, 0, 2, EC_RANK_MAX, err));
    EC_PASS(ec__rank_is(c, 1, r, r, err));
    EC_PASS(ec__rank_is(c, 2, r, r, err));
    fit = q->d[r - 1] == k->d[r - 1] && k->d[r - 2] == v->d[r - 2];
    for (i = 0; i < r - 2; i++)
        fit = fit && q->d[i] == k->d[i] && q->d[i] == v->d[i];
    if (!fit)
        return ec_fail(err, EC_E_SHAPE, "query %s, key %s and value %s do not fit together",
                       ec_shape_text(q, tq, sizeof tq), ec_shape_text(k, tk, sizeof tk),
                       ec_shape_text(v, tv, sizeof tv));
    y.d[r - 1] = v->d[r - 1];
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

/* forward: QK' and PV, softmax of 5 operations per score. backward: 5 products, 8 per score. */
static void attention_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    struct size s = size_of(c);
    double in = ec__in_all(c), y = ec__out(c, 0), scores = s.b * s.pairs;
    struct ec_kernel *k;

    if (p != EC_FORWARD && p != EC_GRAD_DATA)
        return;
    k = ec_work_add(w, EC_K_ATTENTION, p);
    k->flags = EC_KF_MATRIX;
    k->b = s.b;
    k->m = s.t;
    k->n = s.u;
    k->k = s.d;
    k->mac = scores * (s.d + s.e) * (p == EC_FORWARD ? 1 : FLASH_BACKWARD);
    k->flop = 2 * k->mac + scores * (p == EC_FORWARD ? 5 : 8);
    k->read_elems = p == EC_FORWARD ? in : in + 2 * y; /* q, k, v; also out and its gradient */
    k->write_elems = p == EC_FORWARD ? y : in;
    k->fixed_bytes = STAT_BYTES * s.b * s.t;
    k->launches = p == EC_FORWARD ? 1 : 2; /* dout . out first */
}

static void attention_saved(const struct ec_case *c, struct ec_saved *ret)
{
    struct size s = size_of(c);

    ret->in_mask = 7;
    ret->out_mask = 1;
    ret->extra_bytes = STAT_BYTES * s.b * s.t;
}

static void attention_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    static const int64_t heads[] = { 32, 64, 64, 80, 128 };
    int64_t d = ec__draw_of(r, heads, EC_LEN(heads)), t = ec__draw_log(r, 16, 2048);
    int64_t b = ec__draw_log(r, 1, 512);
    bool causal = ec__draw_chance(r, 50);

    ec_buf_printf(out, "%s b=%lld t=%lld u=%lld d=%lld e=%lld causal=%d", op->name, (long long)b,
                  (long long)t, (long long)t, (long long)d, (long long)d, causal);
}

EC__OP(attention) = {
    .name = "attention",
    .help = "softmax(q k') v as one kernel that keeps no scores",
    EC__ATTRS(attention, attention_fields),
    .inputs = "*b t d; *b u d; *b u e",
    .shape = attention_shape,
    .work = attention_work,
    .saved = attention_saved,
    .sample = attention_sample,
    .example = "attention b=96 t=512 u=512 d=64 e=64",
};

/* --- multi_head_attention: self-attention as PyTorch's layer runs it in eager mode --- */

static enum ec_status mha_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct mha_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape scores = { 4, { 0 } };
    char text[200];
    int64_t n;

    EC_PASS(ec__rank_is(c, 0, 3, 3, err));
    EC_PASS(ec__divides(a->heads, x->d[2], "heads", "features", err));
    scores = ec_shape_make(4, (const int64_t[]){ x->d[0], a->heads, x->d[1], x->d[1] });
    if (!ec_shape_count(&scores, &n))
        return ec_fail(err, EC_E_SHAPE, "scores would be %s: above 2^60 elements",
                       ec_shape_text(&scores, text, sizeof text));
    EC_PASS(ec__shape_same(c, err));
    return ec__params_fit(c, err);
}

static void mha_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct mha_attrs *a = c->attrs;
    int64_t f = c->in[0]->shape.d[2], f3 = 0;

    if (!ec_mul_i64(f, 3, &f3))
        f3 = INT64_MAX; /* refused by the shape rule */
    ec_param_add(ret, "in_proj_weight", true, 2, f3, f);
    if (a->bias)
        ec_param_add(ret, "in_proj_bias", true, 1, f3);
    ec_param_add(ret, "out_proj.weight", true, 2, f, f);
    if (a->bias)
        ec_param_add(ret, "out_proj.bias", true, 1, f);
}

/* x = n t c elements, scores = n h t t */
struct mha_size {
    double rows, t, c, heads, batch, d, x, scores;
    bool bias, causal, dropout;
};

static struct mha_size mha_size_of(const struct ec_case *c)
{
    const struct mha_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct mha_size s = { 0 };

    s.t = (double)x->d[1];
    s.c = (double)x->d[2];
    s.rows = (double)x->d[0] * s.t;
    s.heads = (double)a->heads;
    s.batch = (double)x->d[0] * s.heads;
    s.d = s.c / s.heads;
    s.x = s.rows * s.c;
    s.scores = s.batch * s.t * s.t;
    s.bias = a->bias;
    s.causal = a->causal;
    s.dropout = a->p > 0;
    return s;
}

/* rows x in features to out features, with a weight */
static struct ec_kernel *projection(struct ec_work *w, enum ec_phase p, const struct mha_size *s,
                                    double in, double out)
{
    struct ec_kernel *k = ec__gemm(w, p, 1, s->rows, out, in);

    k->read_elems = s->rows * in;
    k->write_elems = s->rows * out;
    k->weight_elems = in * out;
    return k;
}

static void add_bias(struct ec_kernel *k, const struct mha_size *s)
{
    if (!s->bias)
        return;
    k->weight_elems += k->n;
    k->flop += k->write_elems;
}

/* Products between (t x d) matrices of every head and (t x t) scores. */
static void head_product(struct ec_work *w, enum ec_phase p, const struct mha_size *s,
                         bool makes_scores)
{
    struct ec_kernel *k = makes_scores ? ec__gemm(w, p, s->batch, s->t, s->t, s->d)
                                       : ec__gemm(w, p, s->batch, s->t, s->d, s->t);

    k->read_elems = makes_scores ? 2 * s->x : s->scores + s->x;
    k->write_elems = makes_scores ? s->scores : s->x;
}

static void score_softmax(struct ec_work *w, enum ec_phase p, const struct mha_size *s, double flop,
                          double reads)
{
    struct ec_kernel *k =
        ec__kernel(w, EC_K_SOFTMAX, p, flop * s->scores, reads * s->scores, s->scores);

    k->flags = EC_KF_FP32;
    k->b = 1;
    k->m = s->batch * s->t;
    k->n = s->t;
}

static void score_dropout(struct ec_work *w, enum ec_phase p, const struct mha_size *s)
{
    if (s->dropout)
        ec_work_stream(w, p, 2 * s->scores, s->scores, s->scores)->fixed_bytes = s->scores;
}

/* Projection to q, k, v; copy to (heads, t, d); scale q; scores; mask; softmax; dropout; weighted
 * sum; copy back; projection. */
static void mha_forward(const struct mha_size *s, struct ec_work *w)
{
    const enum ec_phase p = EC_FORWARD;

    add_bias(projection(w, p, s, s->c, 3 * s->c), s);
    ec_work_stream(w, p, 0, 3 * s->x, 3 * s->x);
    ec_work_stream(w, p, s->x, s->x, s->x);
    head_product(w, p, s, true);
    if (s->causal)
        ec_work_stream(w, p, s->scores, s->scores + s->t * s->t, s->scores);
    score_softmax(w, p, s, 5, 1);
    score_dropout(w, p, s);
    head_product(w, p, s, false);
    ec_work_stream(w, p, 0, s->x, s->x);
    add_bias(projection(w, p, s, s->c, s->c), s);
}

/* The same backwards; each product of heads has two gradients. All but the last projection is
 * needed for the gradients of the weights too. */
static void mha_grad_data(const struct mha_size *s, struct ec_work *w)
{
    const enum ec_phase p = EC_GRAD_DATA;

    (void)projection(w, p, s, s->c, s->c);
    ec_work_stream(w, p, 0, s->x, s->x);
    head_product(w, p, s, true);
    head_product(w, p, s, false);
    score_dropout(w, p, s);
    score_softmax(w, p, s, 4, 2);
    head_product(w, p, s, false);
    head_product(w, p, s, false);
    ec_work_stream(w, p, s->x, s->x, s->x);
    ec_work_stream(w, p, 0, 3 * s->x, 3 * s->x);
    projection(w, p, s, 3 * s->c, s->c)->for_input = 1;
}

static void mha_grad_weight(const struct mha_size *s, struct ec_work *w)
{
    double out[2] = { s->c, 3 * s->c };
    int i;

    for (i = 0; i < 2; i++) {
        struct ec_kernel *k = ec__gemm(w, EC_GRAD_WEIGHT, 1, out[i], s->c, s->rows);

        k->read_elems = s->rows * (out[i] + s->c);
        k->weight_elems = out[i] * s->c;
        if (s->bias)
            ec__bias_grad(w, out[i], s->rows);
    }
}

static void mha_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    struct mha_size s = mha_size_of(c);

    if (p == EC_FORWARD)
        mha_forward(&s, w);
    if (p == EC_GRAD_DATA)
        mha_grad_data(&s, w);
    if (p == EC_GRAD_WEIGHT)
        mha_grad_weight(&s, w);
}

/* x; q (scaled), k, v; softmax's result, and what dropout made of it with its mask; the weighted
 * sum, which the last projection reads. */
static void mha_saved(const struct ec_case *c, struct ec_saved *ret)
{
    struct mha_size s = mha_size_of(c);

    ret->in_mask = 1;
    ret->extra_elems = 4 * s.x + s.scores * (s.dropout ? 2 : 1);
    ret->extra_bytes = s.dropout ? s.scores : 0;
}

static void mha_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    static const int64_t dims[] = { 32, 64, 64, 64, 128 };
    int64_t d = ec__draw_of(r, dims, EC_LEN(dims)), heads = ec__draw_log(r, 1, 16), c = d * heads;
    int64_t n = ec__draw_log(r, 1, 64), t = ec__draw_log(r, 16, 1024);

    ec_buf_printf(out, "%s n=%lld t=%lld c=%lld heads=%lld", op->name, (long long)n, (long long)t,
                  (long long)c, (long long)heads);
    if (ec__draw_chance(r, 30))
        ec_buf_str(out, " causal=1");
    if (ec__draw_chance(r, 30))
        ec_buf_str(out, " p=0.1");
}

EC__OP(multi_head_attention) = {
    .name = "multi_head_attention",
    .help = "self-attention layer with its projections",
    EC__ATTRS(mha, mha_fields),
    .inputs = "n t c",
    .shape = mha_shape,
    .params = mha_params,
    .work = mha_work,
    .saved = mha_saved,
    .sample = mha_sample,
    .example = "multi_head_attention n=8 t=512 c=768 heads=12 p=0.1",
};
