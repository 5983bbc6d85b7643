/* Dense networks: predicting, the model file, and the product that training spends its time in. */
#include "learn/learn_internal.h"

#include <math.h>
#include <string.h>

/* Loops that time is spent in are compiled for each width of vectors; the processor's own is chosen
 * when they are called. Products and sums are rounded one by one and each sum runs over k in order,
 * in the tile as in the rest: neither width nor shapes change bits. */
#ifdef __x86_64__
#define FOR_EACH_WIDTH(name, params, args)                                                         \
    __attribute__((target("avx512f"))) static void name##_512 params                               \
    {                                                                                              \
        name##_body args;                                                                          \
    }                                                                                              \
    __attribute__((target("avx2"))) static void name##_256 params                                  \
    {                                                                                              \
        name##_body args;                                                                          \
    }                                                                                              \
    static void name params                                                                        \
    {                                                                                              \
        if (__builtin_cpu_supports("avx512f"))                                                     \
            name##_512 args;                                                                       \
        else if (__builtin_cpu_supports("avx2"))                                                   \
            name##_256 args;                                                                       \
        else                                                                                       \
            name##_body args;                                                                      \
    }
#else
#define FOR_EACH_WIDTH(name, params, args)                                                         \
    static void name params                                                                        \
    {                                                                                              \
        name##_body args;                                                                          \
    }
#endif
#define INLINE static inline __attribute__((always_inline))

#define LANES 16
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* Results of LANES * n_wide columns in n_rows rows stay in registers while k runs. */
INLINE void mul_add_tile(float *out, const float *a, const float *b, int k, int n, int n_rows,
                         int n_wide)
{
    lanes acc[4][8], row;
    int i, j, p;

    for (i = 0; i < n_rows; i++)
        for (j = 0; j < n_wide; j++)
            memcpy(&acc[i][j], out + (size_t)i * (size_t)n + LANES * j, sizeof row);
    for (p = 0; p < k; p++)
        for (j = 0; j < n_wide; j++) {
            memcpy(&row, b + (size_t)p * (size_t)n + LANES * j, sizeof row);
            for (i = 0; i < n_rows; i++)
                acc[i][j] += a[(size_t)i * (size_t)k + (size_t)p] * row;
        }
    for (i = 0; i < n_rows; i++)
        for (j = 0; j < n_wide; j++)
            memcpy(out + (size_t)i * (size_t)n + LANES * j, &acc[i][j], sizeof row);
}

/* One row; its columns from `from` on. */
INLINE void mul_add_row(float *out, const float *a, const float *b, int k, int n, int from)
{
    int j, p;

    for (; from + 8 * LANES <= n; from += 8 * LANES)
        mul_add_tile(out + from, a, b + from, k, n, 1, 8);
    for (; from + 4 * LANES <= n; from += 4 * LANES)
        mul_add_tile(out + from, a, b + from, k, n, 1, 4);
    for (; from + LANES <= n; from += LANES)
        mul_add_tile(out + from, a, b + from, k, n, 1, 1);
    if (from == n)
        return;
    for (p = 0; p < k; p++)
        for (j = from; j < n; j++)
            out[j] += a[p] * b[(size_t)p * (size_t)n + (size_t)j];
}

INLINE void mul_add_body(float *out, const float *a, const float *b, int m, int k, int n)
{
    int i, j, r, tiled = n - n % (2 * LANES);

    for (i = 0; i + 4 <= m; i += 4) {
        float *to = out + (size_t)i * (size_t)n;
        const float *from = a + (size_t)i * (size_t)k;

        for (j = 0; j < tiled; j += 2 * LANES)
            mul_add_tile(to + j, from, b + j, k, n, 4, 2);
        for (r = 0; r < 4 && tiled < n; r++)
            mul_add_row(to + (size_t)r * (size_t)n, from + (size_t)r * (size_t)k, b, k, n, tiled);
    }
    for (; i < m; i++)
        mul_add_row(out + (size_t)i * (size_t)n, a + (size_t)i * (size_t)k, b, k, n, 0);
}

FOR_EACH_WIDTH(mul_add, (float *out, const float *a, const float *b, int m, int k, int n),
               (out, a, b, m, k, n))

void ec__mul_add(float *out, const float *a, const float *b, int m, int k, int n)
{
    mul_add(out, a, b, m, k, n);
}

/* 1 / (1 + exp(-z)), to a few units of the last place: exp as a power of two times a polynomial on
 * [-ln 2 / 2, ln 2 / 2] (Cephes, expf), so that a loop of it needs no calls. */
INLINE float sigmoid(float z)
{
    const float magic = 12582912.0F; /* 1.5 * 2^23: adding it rounds to a whole number */
    float x = z < 80 ? z : 80, whole, r, y, power; /* 80 where z is no number */
    int32_t bits;

    x = x > -80 ? -x : 80;
    whole = x * 1.44269504F + magic - magic;
    r = x - whole * 0.693359375F + whole * 2.12194440e-4F;
    y = 1.9875691500e-4F;
    y = y * r + 1.3981999507e-3F;
    y = y * r + 8.3334519073e-3F;
    y = y * r + 4.1665795894e-2F;
    y = y * r + 1.6666665459e-1F;
    y = y * r + 5.0000001201e-1F;
    y = y * r * r + r + 1;
    bits = ((int32_t)whole + 127) * (1 << 23);
    memcpy(&power, &bits, sizeof power);
    return 1 / (1 + y * power);
}

INLINE void activate_body(enum ec_act act, const float *z, int n, float *ret)
{
    int i;

    if (act == EC_ACT_RELU)
        for (i = 0; i < n; i++)
            ret[i] = z[i] > 0 ? z[i] : 0;
    else
        for (i = 0; i < n; i++)
            ret[i] = z[i] * sigmoid(z[i]);
}

FOR_EACH_WIDTH(activate, (enum ec_act act, const float *z, int n, float *ret), (act, z, n, ret))

void ec__activate(enum ec_act act, const float *z, int n, float *ret)
{
    activate(act, z, n, ret);
}

INLINE void mul_slopes_body(enum ec_act act, const float *z, int n, float *io)
{
    int i;

    if (act == EC_ACT_RELU)
        for (i = 0; i < n; i++)
            io[i] = z[i] > 0 ? io[i] : 0;
    else
        for (i = 0; i < n; i++) {
            float s = sigmoid(z[i]);

            io[i] *= s * (1 + z[i] * (1 - s));
        }
}

FOR_EACH_WIDTH(mul_slopes, (enum ec_act act, const float *z, int n, float *io), (act, z, n, io))

void ec__mul_slopes(enum ec_act act, const float *z, int n, float *io)
{
    mul_slopes(act, z, n, io);
}

/* To a few units of the last place, without a call: one over the root by Newton's method from its
 * exponent halved. v: 0 or above */
INLINE float root_of(float v)
{
    float half = 0.5F * v, y;
    int32_t bits;

    memcpy(&bits, &v, sizeof bits);
    bits = 0x5f3759df - (bits >> 1);
    memcpy(&y, &bits, sizeof y);
    y = y * (1.5F - half * y * y);
    y = y * (1.5F - half * y * y);
    y = y * (1.5F - half * y * y);
    return v * y;
}

INLINE void adam_step_body(float *restrict w, const float *restrict grad, float *restrict m1,
                           float *restrict m2, int n, float step, float keep, float root)
{
    int i;

    for (i = 0; i < n; i++) {
        float g = grad[i];

        m1[i] = 0.9f * m1[i] + 0.1f * g;
        m2[i] = 0.999f * m2[i] + 0.001f * g * g;
        w[i] = keep * w[i] - step * m1[i] / (root_of(m2[i]) * root + 1e-8f);
    }
}

FOR_EACH_WIDTH(adam_step,
               (float *w, const float *grad, float *m1, float *m2, int n, float step, float keep,
                float root),
               (w, grad, m1, m2, n, step, keep, root))

void ec__adam_step(float *w, const float *grad, float *m1, float *m2, int n, float step, float keep,
                   float root)
{
    adam_step(w, grad, m1, m2, n, step, keep, root);
}

/* Sums of every LANES-th product side by side, for the one column of the last layer. */
INLINE float dot(const float *a, const float *b, int n)
{
    lanes sum = { 0 }, x, y;
    float all = 0;
    int i;

    for (i = 0; i + LANES <= n; i += LANES) {
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        sum += x * y;
    }
    for (; i < n; i++)
        all += a[i] * b[i];
    for (i = 0; i < LANES; i++)
        all += sum[i];
    return all;
}

/* One row through all layers. */
INLINE void answer_body(const struct ec_ann *m, float *a, float *z)
{
    int l, last = m->n_layers - 1;

    for (l = 0; l < last; l++) {
        int n = m->width[l + 1];

        memcpy(z, m->bias[l], sizeof *z * (size_t)n);
        mul_add_row(z, a, m->weight[l], m->width[l], n, 0);
        activate_body(m->act, z, n, a);
    }
    a[0] = m->bias[last][0] + dot(a, m->weight[last], m->width[last]);
}

FOR_EACH_WIDTH(answer, (const struct ec_ann *m, float *a, float *z), (m, a, z))

static double ann_predict(const void *state, const double *x, int n_cols)
{
    const struct ec_ann *m = state;
    float a[EC_ANN_WIDTH_MAX], z[EC_ANN_WIDTH_MAX];
    int i;

    for (i = 0; i < n_cols; i++)
        a[i] = (float)((x[i] - m->mean[i]) / m->sd[i]);
    answer(m, a, z);
    return m->y_mean + m->y_sd * (double)a[0];
}

static void ann_save(const void *state, int n_cols, struct ec_buf *out)
{
    const struct ec_ann *m = state;
    int l;

    ec__put_u32(out, (uint32_t)m->act);
    ec__put_u32(out, (uint32_t)m->n_layers);
    for (l = 1; l <= m->n_layers; l++)
        ec__put_u32(out, (uint32_t)m->width[l]);
    ec__put_f64(out, m->y_mean);
    ec__put_f64(out, m->y_sd);
    ec__put_f64s(out, m->mean, n_cols);
    ec__put_f64s(out, m->sd, n_cols);
    for (l = 0; l < m->n_layers; l++) {
        ec__put_f32s(out, m->weight[l], m->width[l] * m->width[l + 1]);
        ec__put_f32s(out, m->bias[l], m->width[l + 1]);
    }
}

static void get_widths(struct ec_bytes *in, int n_cols, struct ec_ann *m)
{
    uint32_t act = ec__get_u32(in), n = ec__get_u32(in);
    int l;

    in->bad |= act > EC_ACT_SILU || n < 1 || n > EC_ANN_LAYERS_MAX;
    if (in->bad)
        return;
    m->act = (enum ec_act)act;
    m->n_layers = (int)n;
    m->width[0] = n_cols;
    for (l = 1; l <= m->n_layers; l++) {
        uint32_t width = ec__get_u32(in);

        in->bad |= width < 1 || width > EC_ANN_WIDTH_MAX;
        m->width[l] = in->bad ? 1 : (int)width;
    }
    in->bad |= m->width[m->n_layers] != 1;
}

static enum ec_status ann_load(struct ec_bytes *in, int n_cols, struct ec_arena *a, void **ret,
                               struct ec_err *err)
{
    struct ec_ann *m = ec_arena_alloc(a, sizeof *m);
    bool got = true;
    int l, i;

    if (!m)
        return ec_nomem(err);
    get_widths(in, n_cols, m);
    m->y_mean = ec__get_f64(in);
    m->y_sd = ec__get_f64(in);
    m->mean = ec__get_f64s(in, n_cols, a);
    m->sd = ec__get_f64s(in, n_cols, a);
    got = m->mean && m->sd;
    for (i = 0; got && i < n_cols; i++)
        in->bad |= m->sd[i] <= 0;
    for (l = 0; l < m->n_layers && got && !in->bad; l++) {
        m->weight[l] = ec__get_f32s(in, m->width[l] * m->width[l + 1], a);
        m->bias[l] = ec__get_f32s(in, m->width[l + 1], a);
        got = m->weight[l] && m->bias[l];
    }
    *ret = m;
    return ec__get_status(in, got, err);
}

static void ann_describe(const void *state, const char *const *names, int n_cols,
                         struct ec_buf *out)
{
    const struct ec_ann *m = state;
    int l, n = 0;

    (void)names;
    for (l = 0; l < m->n_layers; l++)
        n += (m->width[l] + 1) * m->width[l + 1];
    ec_buf_printf(out, "layers of %d", n_cols);
    for (l = 1; l <= m->n_layers; l++)
        ec_buf_printf(out, ", %d", m->width[l]);
    ec_buf_printf(out, "; %s; %d weights", m->act == EC_ACT_RELU ? "ReLU" : "SiLU", n);
}

const struct ec_regressor_kind ec_regressor_ann = {
    .name = "ann",
    .help = "dense network with up to three hidden layers",
    .fields = ec__ann_fields,
    .opts_size = sizeof(struct ec_ann_opts),
    .fit = ec__ann_fit,
    .predict = ann_predict,
    .save = ann_save,
    .load = ann_load,
    .describe = ann_describe,
};
