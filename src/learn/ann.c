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

static void ann_members(struct ec_bytes *io, void *state, int n_cols)
{
    struct ec_ann *m = state;
    int act = (int)m->act, l;

    ec__io_int(io, &act, EC_ACT_RELU, EC_ACT_SILU);
    m->act = (enum ec_act)act;
    ec__io_int(io, &m->n_layers, 1, EC_ANN_LAYERS_MAX);
    m->width[0] = n_cols;
    for (l = 1; l <= m->n_layers; l++)
        ec__io_int(io, &m->width[l], 1, EC_ANN_WIDTH_MAX);
    io->bad |= m->width[m->n_layers] != 1;
    ec__io_f64(io, &m->y_mean);
    ec__io_f64(io, &m->y_sd);
    ec__io_f64s(io, &m->mean, n_cols);
    ec__io_widths(io, &m->sd, n_cols);
    for (l = 0; l < m->n_layers; l++) {
        ec__io_f32s(io, &m->weight[l], m->width[l] * m->width[l + 1]);
        ec__io_f32s(io, &m->bias[l], m->width[l + 1]);
    }
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
    .state_size = sizeof(struct ec_ann),
    .fit = ec__ann_fit,
    .predict = ann_predict,
    .members = ann_members,
    .describe = ann_describe,
};
