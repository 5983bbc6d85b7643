/* Dense networks: predicting and the model file. */
#include "learn/learn_internal.h"

static double ann_predict(const void *state, const double *x, int n_cols)
{
    const struct ec_ann *m = state;
    float a[EC_ANN_WIDTH_MAX], z[EC_ANN_WIDTH_MAX];
    int i;

    for (i = 0; i < n_cols; i++)
        a[i] = (float)((x[i] - m->mean[i]) / m->sd[i]);
    ec__ann_answer(m, a, z);
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
