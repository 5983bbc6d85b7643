/* Trains a dense network: Adam on standardised columns and target, a cosine schedule of the rate,
 * and the weights with the least error on validation rows. With one thread, so that sums are the
 * same everywhere; or by an engine that the caller provides. */
#include "learn/learn_internal.h"

#include <math.h>
#include <string.h>

enum loss { LOSS_MSE, LOSS_MAE, LOSS_HUBER };
static const char *const act_words[] = { "relu", "silu", NULL };
static const char *const loss_words[] = { "mse", "mae", "huber", NULL };

#include "ann_fields.h"

struct trainer {
    struct ec_ann *m;
    const struct ec_ann_opts *o;
    int n_train, n_val, n_weights, step;
    int *order;                /* row numbers: validation rows first */
    float *x, *y;              /* standardised */
    float *w, *grad, *m1, *m2; /* all weights, one layer after the other */
    float *best;
    float *z[EC_ANN_LAYERS_MAX + 1], *a[EC_ANN_LAYERS_MAX + 1], *delta[EC_ANN_LAYERS_MAX + 1];
    float *turned; /* transposed weights */
    float *ones;   /* one for each row of a step */
    struct ec_rng rng;
    const struct ec_ann_engine *engine; /* NULL: the loops of this file */
    void *net;
};

static float *weights_of(float *all, const struct ec_ann *m, int layer)
{
    int l;

    for (l = 0; l < layer; l++)
        all += (m->width[l] + 1) * m->width[l + 1];
    return all;
}

static float *bias_of(float *all, const struct ec_ann *m, int layer)
{
    return weights_of(all, m, layer) + m->width[layer] * m->width[layer + 1];
}

static void forward(struct trainer *t, int n)
{
    const struct ec_ann *m = t->m;
    int l, i;

    for (l = 0; l < m->n_layers; l++) {
        int width = m->width[l + 1];
        const float *bias = bias_of(t->w, m, l);

        for (i = 0; i < n; i++)
            memcpy(t->z[l + 1] + (size_t)i * (size_t)width, bias, sizeof *bias * (size_t)width);
        ec__mul_add(t->z[l + 1], t->a[l], weights_of(t->w, m, l), n, m->width[l], width);
        if (l + 1 < m->n_layers)
            ec__activate(m->act, t->z[l + 1], n * width, t->a[l + 1]);
        else
            memcpy(t->a[l + 1], t->z[l + 1], sizeof *t->z[l] * (size_t)(n * width));
    }
}

static double loss_of(int loss, double e)
{
    double a = fabs(e);

    if (loss == LOSS_MSE)
        return 0.5 * e * e;
    if (loss == LOSS_MAE)
        return a;
    return a < 0.3 ? 0.5 * e * e : 0.3 * (a - 0.15);
}

static float loss_slope(int loss, float e)
{
    if (loss == LOSS_MSE)
        return e;
    if (loss == LOSS_MAE)
        return e > 0 ? 1.0f : e < 0 ? -1.0f : 0.0f;
    return e > 0.3f ? 0.3f : e < -0.3f ? -0.3f : e;
}

static void backward(struct trainer *t, int n, const float *y)
{
    const struct ec_ann *m = t->m;
    int l, i;

    memset(t->grad, 0, sizeof *t->grad * (size_t)t->n_weights);
    for (i = 0; i < n; i++)
        t->delta[m->n_layers][i] = loss_slope(t->o->loss, t->a[m->n_layers][i] - y[i]) / (float)n;
    for (l = m->n_layers; l-- > 0;) {
        int in = m->width[l], out = m->width[l + 1];

        ec__mul_add_turned(weights_of(t->grad, m, l), t->a[l], t->delta[l + 1], in, n, out);
        ec__mul_add(bias_of(t->grad, m, l), t->ones, t->delta[l + 1], 1, n, out);
        if (l == 0)
            break;
        ec__transpose(weights_of(t->w, m, l), in, out, t->turned);
        memset(t->delta[l], 0, sizeof *t->delta[l] * (size_t)n * (size_t)in);
        ec__mul_add(t->delta[l], t->delta[l + 1], t->turned, n, out, in);
        ec__mul_slopes(m->act, t->z[l], n * in, t->delta[l]);
    }
}

static void adam(struct trainer *t, double rate)
{
    double fix1, fix2;

    t->step++;
    fix1 = 1 - pow(0.9, t->step);
    fix2 = 1 - pow(0.999, t->step);
    ec__adam_step(t->w, t->grad, t->m1, t->m2, t->n_weights, (float)(rate / fix1),
                  (float)(1 - rate * t->o->decay), (float)(1 / sqrt(fix2)));
}

/* Loads rows order[from ...] as input of the first layer; returns how many. */
static int load_batch(struct trainer *t, int from, int until, float *y)
{
    int n = until - from < t->o->batch ? until - from : (int)t->o->batch, i;
    size_t d = (size_t)t->m->width[0];

    for (i = 0; i < n; i++) {
        size_t row = (size_t)t->order[from + i];

        memcpy(t->a[0] + (size_t)i * d, t->x + row * d, sizeof *t->x * d);
        y[i] = t->y[row];
    }
    return n;
}

static double validate(struct trainer *t, float *y)
{
    double sum = 0;
    int at, i, n;

    for (at = 0; at < t->n_val; at += n) {
        n = load_batch(t, at, t->n_val, y);
        forward(t, n);
        for (i = 0; i < n; i++)
            sum += loss_of(t->o->loss, (double)t->a[t->m->n_layers][i] - (double)y[i]);
    }
    return sum / fmax(t->n_val, 1);
}

static void own_epoch(struct trainer *t, float *y, double rate)
{
    int at, n;

    for (at = t->n_val; at < t->n_val + t->n_train; at += n) {
        n = load_batch(t, at, t->n_val + t->n_train, y);
        forward(t, n);
        backward(t, n, y);
        adam(t, rate);
    }
}

/* The engine's steps have one size: the last incomplete step of an epoch is skipped. */
static enum ec_status engine_epoch(struct trainer *t, float *y, double rate, struct ec_err *err)
{
    int batch = (int)t->o->batch, at;

    for (at = t->n_val; at + batch <= t->n_val + t->n_train; at += batch) {
        (void)load_batch(t, at, at + batch, y);
        EC_PASS(t->engine->step(t->net, t->a[0], y, rate, t->o->decay, err));
    }
    return EC_OK;
}

static enum ec_status engine_validate(struct trainer *t, float *y, double *ret, struct ec_err *err)
{
    double sum = 0;
    int at, i, n;

    for (at = 0; at < t->n_val; at += n) {
        float *out = t->a[t->m->n_layers];

        n = load_batch(t, at, t->n_val, y);
        EC_PASS(t->engine->predict(t->net, t->a[0], n, out, err));
        for (i = 0; i < n; i++)
            sum += loss_of(t->o->loss, (double)out[i] - (double)y[i]);
    }
    *ret = sum / fmax(t->n_val, 1);
    return EC_OK;
}

static enum ec_status one_epoch(struct trainer *t, float *y, double rate, double *ret_loss,
                                struct ec_err *err)
{
    ec_rng_shuffle(&t->rng, t->order + t->n_val, t->n_train);
    if (!t->engine) {
        own_epoch(t, y, rate);
        *ret_loss = validate(t, y);
        return EC_OK;
    }
    EC_PASS(engine_epoch(t, y, rate, err));
    return engine_validate(t, y, ret_loss, err);
}

static enum ec_status keep_best(struct trainer *t, struct ec_err *err)
{
    if (t->engine)
        return t->engine->weights(t->net, t->best, err);
    memcpy(t->best, t->w, sizeof *t->w * (size_t)t->n_weights);
    return EC_OK;
}

static enum ec_status train(struct trainer *t, float *y, const struct ec_learn_env *env,
                            struct ec_err *err)
{
    int64_t epoch, last_gain = 0;
    double best = HUGE_VAL;

    for (epoch = 0; epoch < t->o->epochs && epoch - last_gain <= t->o->patience; epoch++) {
        double rate =
            t->o->rate * 0.5 * (1 + cos(3.141592653589793 * (double)epoch / (double)t->o->epochs));
        double loss = 0;

        EC_PASS(one_epoch(t, y, rate, &loss, err));
        if (!t->n_val && epoch + 1 < t->o->epochs) {
            last_gain = epoch;
        } else if (loss < best) {
            best = loss;
            last_gain = epoch;
            EC_PASS(keep_best(t, err));
        }
        if (epoch % 10 == 9)
            ec__learn_say(env, "  epoch %lld: loss aside %.5f, best %.5f", (long long)epoch + 1,
                          loss, best);
    }
    return EC_OK;
}

/* Opens the engine if there are enough rows for one step, since its steps have one size. */
static enum ec_status open_engine(struct trainer *t, const struct ec_learn_env *env,
                                  struct ec_err *err)
{
    const struct ec_ann_shape shape = {
        .n_layers = t->m->n_layers,
        .width = t->m->width,
        .silu = t->m->act == EC_ACT_SILU,
        .loss = t->o->loss,
        .batch = t->o->batch,
    };

    if (!env->ann || t->n_train < t->o->batch)
        return EC_OK;
    t->engine = env->ann;
    return t->engine->open(&shape, t->w, &t->net, err);
}

static enum ec_status set_layers(const struct ec_ann_opts *o, int n_cols, struct ec_ann *m,
                                 struct ec_err *err)
{
    int l;

    if (o->hidden.n < 1 || o->hidden.n > EC_ANN_LAYERS_MAX - 1)
        return ec_fail(err, EC_E_INPUT, "%d hidden layers, expected 1 to %d", o->hidden.n,
                       EC_ANN_LAYERS_MAX - 1);
    m->act = o->act;
    m->n_layers = o->hidden.n + 1;
    m->width[0] = n_cols;
    for (l = 0; l < o->hidden.n; l++)
        m->width[l + 1] = (int)o->hidden.v[l];
    m->width[m->n_layers] = 1;
    return EC_OK;
}

static enum ec_status get_room(struct trainer *t, const struct ec_rows *rows, struct ec_arena *a,
                               struct ec_err *err)
{
    const struct ec_ann *m = t->m;
    size_t n = (size_t)rows->n, batch = (size_t)t->o->batch, all;
    int l;

    for (l = 0; l < m->n_layers; l++)
        t->n_weights += (m->width[l] + 1) * m->width[l + 1];
    all = (size_t)t->n_weights * sizeof(float);
    t->w = ec_arena_alloc(a, all);
    t->grad = ec_arena_alloc(a, all);
    t->m1 = ec_arena_alloc(a, all);
    t->m2 = ec_arena_alloc(a, all);
    t->best = ec_arena_alloc(a, all);
    t->order = ec_arena_alloc(a, n * sizeof *t->order);
    t->x = ec_arena_alloc(a, n * (size_t)rows->n_cols * sizeof *t->x);
    t->y = ec_arena_alloc(a, n * sizeof *t->y);
    t->turned = ec_arena_alloc(a, sizeof *t->turned * EC_ANN_WIDTH_MAX * EC_ANN_WIDTH_MAX);
    t->ones = ec_arena_alloc(a, batch * sizeof *t->ones);
    EC_PASS(ec_allocated(t->w && t->grad && t->m1 && t->m2 && t->best && t->order && t->x && t->y &&
                             t->turned && t->ones,
                         err));
    for (n = 0; n < batch; n++)
        t->ones[n] = 1;
    for (l = 0; l <= m->n_layers; l++) {
        size_t bytes = batch * (size_t)m->width[l] * sizeof(float);

        t->z[l] = ec_arena_alloc(a, bytes);
        t->a[l] = ec_arena_alloc(a, bytes);
        t->delta[l] = ec_arena_alloc(a, bytes);
        EC_PASS(ec_allocated(t->z[l] && t->a[l] && t->delta[l], err));
    }
    return EC_OK;
}

/* Uniform random weights with the variance that keeps the size of signals. */
static void start_weights(struct trainer *t)
{
    int l, i;

    for (l = 0; l < t->m->n_layers; l++) {
        double reach = sqrt((l + 1 < t->m->n_layers ? 6.0 : 3.0) / t->m->width[l]);
        float *w = weights_of(t->w, t->m, l);

        for (i = 0; i < t->m->width[l] * t->m->width[l + 1]; i++)
            w[i] = (float)(reach * (2 * ec_rng_unit(&t->rng) - 1));
    }
}

static void standardise(struct trainer *t, const struct ec_rows *rows)
{
    struct ec_ann *m = t->m;
    size_t d = (size_t)rows->n_cols, i;
    int row;

    ec__column_stats(rows, m->mean, m->sd);
    for (i = 0; i < (size_t)rows->n * d; i++)
        t->x[i] = (float)((rows->x[i] - m->mean[i % d]) / m->sd[i % d]);
    for (row = 0; row < rows->n; row++)
        m->y_mean += rows->y[row] / rows->n;
    for (row = 0; row < rows->n; row++)
        m->y_sd += (rows->y[row] - m->y_mean) * (rows->y[row] - m->y_mean) / rows->n;
    m->y_sd = m->y_sd > 0 ? sqrt(m->y_sd) : 1;
    for (row = 0; row < rows->n; row++) {
        t->y[row] = (float)((rows->y[row] - m->y_mean) / m->y_sd);
        t->order[row] = row;
    }
}

enum ec_status ec__ann_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    const struct ec_rows *rows = f->rows;
    struct ec_ann *m = state;
    struct trainer t = { .m = m, .o = f->r->opts };
    struct ec_arena scratch = { 0 };
    enum ec_status st;
    float *y;
    int l;

    EC_TRY(set_layers(t.o, rows->n_cols, m, err));
    m->mean = ec_arena_alloc(f->a, sizeof *m->mean * (size_t)rows->n_cols);
    m->sd = ec_arena_alloc(f->a, sizeof *m->sd * (size_t)rows->n_cols);
    y = ec_arena_alloc(&scratch, sizeof *y * (size_t)t.o->batch);
    EC_TRY(ec_allocated(m->mean && m->sd && y, err));
    EC_TRY(get_room(&t, rows, &scratch, err));
    ec_rng_seed(&t.rng, f->env->seed ^ 0x616e6eu);
    start_weights(&t);
    standardise(&t, rows);
    ec_rng_shuffle(&t.rng, t.order, rows->n);
    t.n_val = (int)fmax(floor(t.o->aside * rows->n), t.o->aside > 0);
    t.n_train = rows->n - t.n_val;
    memcpy(t.best, t.w, sizeof *t.w * (size_t)t.n_weights);
    EC_TRY(open_engine(&t, f->env, err));
    EC_TRY(train(&t, y, f->env, err));
    for (l = 0; l < m->n_layers; l++) {
        size_t n = (size_t)m->width[l + 1];

        m->weight[l] =
            ec_arena_copy(f->a, weights_of(t.best, m, l), sizeof(float) * n * (size_t)m->width[l]);
        m->bias[l] = ec_arena_copy(f->a, bias_of(t.best, m, l), sizeof(float) * n);
        EC_TRY(ec_allocated(m->weight[l] && m->bias[l], err));
    }
out:
    if (t.net)
        t.engine->close(t.net);
    ec_arena_clear(&scratch);
    return st;
}
