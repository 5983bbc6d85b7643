/* Batch norm where channels lie in blocks of 16, by loops of ours: as fast as memory, and the
 * activation behind it costs nothing: forward applies it on the way, backward works it out again
 * from what the norm read, so that neither the norm's result nor a mask is kept.
 *
 * Work is cut into rows, one per sample and block of channels. A block's rows follow each other, so
 * that they are still in a cache when they are read again; with few blocks and several threads all
 * rows are done side by side instead. Sums are made per row and added up in their order: results do
 * not depend on threads. */
#include "engine/cpu/rows.h"

#include <math.h>
#include <string.h>

#define LANES 16

struct norm {
    enum ec__elem t;
    int f; /* ec__unary behind it, or -1 */
    bool training;
    float eps, momentum;
    struct ec__channels c;
};

enum { AT_X, AT_Y, AT_WEIGHT, AT_BIAS, AT_MEAN, AT_SCALE, AT_RUN_MEAN, AT_RUN_VAR, AT_SCRATCH };
enum {
    BACK_X,
    BACK_DY,
    BACK_DX,
    BACK_WEIGHT,
    BACK_BIAS,
    BACK_MEAN,
    BACK_SCALE,
    BACK_DW,
    BACK_DB,
    BACK_SCRATCH
};

struct job {
    const struct norm *v;
    const struct ec__loops *loops;
    void *const *at;
    float *sums;                   /* (rows, 2, 16) */
    struct ec__norm_lanes *blocks; /* (blocks) */
};

static int64_t rows_of(const struct norm *v)
{
    return v->c.outer * v->c.blocks;
}

static int64_t sums_bytes(const struct norm *v)
{
    return rows_of(v) * 2 * LANES * (int64_t)sizeof(float);
}

static int64_t scratch_bytes(const struct norm *v)
{
    return sums_bytes(v) + v->c.blocks * (int64_t)sizeof(struct ec__norm_lanes);
}

static struct job job_of(const struct norm *v, const struct ec__cpu *cpu, void *const *at,
                         void *scratch)
{
    struct job j = { v, cpu->loops, at, scratch, NULL };

    j.blocks = (struct ec__norm_lanes *)(void *)((char *)scratch + sums_bytes(v));
    return j;
}

/* NULL where the place is. */
static char *row_at(const struct job *j, int which, int64_t row)
{
    if (!j->at[which])
        return NULL;
    return (char *)j->at[which] + row * j->v->c.inner * LANES * ec__elem_bytes(j->v->t);
}

static float *row_sums(const struct job *j, int64_t row)
{
    return j->sums + row * 2 * LANES;
}

/* The order of rows in memory is sample by sample. */
static int64_t row_of(const struct norm *v, int64_t block, int64_t sample)
{
    return sample * v->c.blocks + block;
}

static int64_t lanes_used(const struct norm *v, int64_t block)
{
    int64_t left = v->c.channels - block * LANES;

    return left < LANES ? left : LANES;
}

/* Lane l of a parameter, one value per channel; NULL: `none`. */
static float param(const void *p, int64_t block, int64_t l, float none)
{
    return p ? ((const float *)p)[block * LANES + l] : none;
}

/* --- Forward --- */

static void stats_row(const struct job *j, int64_t row)
{
    float *s = row_sums(j, row);

    j->loops->norm_stats(j->v->t, row_at(j, AT_X, row), j->v->c.inner, s, s + LANES);
}

/* Mean and variance of lane l over all rows of the block. */
static void merge(const struct job *j, int64_t block, int64_t l, double *ret_mean, double *ret_var)
{
    const struct norm *v = j->v;
    double mean = 0, m2 = 0, n = (double)v->c.inner;
    int64_t i;

    for (i = 0; i < v->c.outer; i++) {
        const float *s = row_sums(j, row_of(v, block, i));
        double off = (double)s[l] - mean, share = 1 / (double)(i + 1);

        m2 += (double)s[LANES + l] + off * off * n * (double)i * share;
        mean += off * share;
    }
    *ret_mean = mean;
    *ret_var = m2 / (n * (double)v->c.outer);
}

static void keep_running(const struct job *j, int64_t channel, double mean, double var)
{
    const struct norm *v = j->v;
    float *run_mean = j->at[AT_RUN_MEAN], *run_var = j->at[AT_RUN_VAR];
    double n = (double)(v->c.outer * v->c.inner), unbiased = n > 1 ? n / (n - 1) : 1;

    run_mean[channel] += v->momentum * ((float)mean - run_mean[channel]);
    run_var[channel] += v->momentum * ((float)(var * unbiased) - run_var[channel]);
}

/* What rows of the block are multiplied by; statistics go to the workspace. */
static void settle(const struct job *j, int64_t block)
{
    const struct norm *v = j->v;
    struct ec__norm_lanes *k = &j->blocks[block];
    int64_t l, used = lanes_used(v, block);

    memset(k, 0, sizeof *k);
    for (l = 0; l < used; l++) {
        int64_t channel = block * LANES + l;
        double mean, var;

        if (v->training) {
            merge(j, block, l, &mean, &var);
            keep_running(j, channel, mean, var);
        } else {
            mean = (double)param(j->at[AT_RUN_MEAN], block, l, 0);
            var = (double)param(j->at[AT_RUN_VAR], block, l, 0);
        }
        k->mean[l] = (float)mean;
        k->scale[l] = 1 / sqrtf((float)var + v->eps);
        if (v->training) {
            ((float *)j->at[AT_MEAN])[channel] = k->mean[l];
            ((float *)j->at[AT_SCALE])[channel] = k->scale[l];
        }
        k->scale[l] *= param(j->at[AT_WEIGHT], block, l, 1);
        k->shift[l] = param(j->at[AT_BIAS], block, l, 0);
    }
}

static void apply_row(const struct job *j, int64_t row)
{
    j->loops->norm_apply(j->v->t, j->v->f, row_at(j, AT_X, row), &j->blocks[row % j->v->c.blocks],
                         row_at(j, AT_Y, row), j->v->c.inner);
}

/* --- Backward --- */

/* As settle(), from what forward kept. */
static void recall(const struct job *j, int64_t block)
{
    struct ec__norm_lanes *k = &j->blocks[block];
    int64_t l, used = lanes_used(j->v, block);

    memset(k, 0, sizeof *k);
    for (l = 0; l < used; l++) {
        k->mean[l] = param(j->at[BACK_MEAN], block, l, 0);
        k->scale[l] =
            param(j->at[BACK_SCALE], block, l, 0) * param(j->at[BACK_WEIGHT], block, l, 1);
        k->shift[l] = param(j->at[BACK_BIAS], block, l, 0);
    }
}

static void sums_row(const struct job *j, int64_t row)
{
    float *s = row_sums(j, row);

    j->loops->norm_sums(j->v->t, j->v->f, row_at(j, BACK_X, row), row_at(j, BACK_DY, row),
                        &j->blocks[row % j->v->c.blocks], row_at(j, BACK_DX, row), j->v->c.inner, s,
                        s + LANES);
}

/* Gradients of weight and bias, and what the rows' gradients need:
 * dx = scale w (g - mean(g) - (x - mean) scale^2 mean(g (x - mean))). */
static void settle_back(const struct job *j, int64_t block)
{
    const struct norm *v = j->v;
    struct ec__norm_lanes *k = &j->blocks[block];
    double n = (double)(v->c.outer * v->c.inner);
    int64_t i, l, used = lanes_used(v, block);

    for (l = 0; l < used; l++) {
        double g = 0, gx = 0, inv = (double)param(j->at[BACK_SCALE], block, l, 0);

        for (i = 0; i < v->c.outer; i++) {
            const float *s = row_sums(j, row_of(v, block, i));

            g += (double)s[l];
            gx += (double)s[LANES + l];
        }
        if (j->at[BACK_DW])
            ((float *)j->at[BACK_DW])[block * LANES + l] = (float)(gx * inv);
        if (j->at[BACK_DB])
            ((float *)j->at[BACK_DB])[block * LANES + l] = (float)g;
        k->slope[l] = (float)(-(double)k->scale[l] * inv * inv * gx / n);
        k->level[l] = (float)(-(double)k->scale[l] * g / n);
    }
}

static void grad_row(const struct job *j, int64_t row)
{
    const struct norm *v = j->v;
    bool ready = v->f >= 0 && v->f != EC__U_relu && v->f != EC__U_relu6; /* left by norm_sums */

    j->loops->norm_grad(v->t, ready ? -1 : v->f, row_at(j, BACK_X, row),
                        row_at(j, ready ? BACK_DX : BACK_DY, row), &j->blocks[row % v->c.blocks],
                        row_at(j, BACK_DX, row), v->c.inner);
}

/* --- Over blocks and rows --- */

/* Rows of a block twice, and what is done with the block before and between. NULL: nothing. */
struct pass {
    void (*before)(const struct job *j, int64_t block);
    void (*first)(const struct job *j, int64_t row);
    void (*between)(const struct job *j, int64_t block);
    void (*second)(const struct job *j, int64_t row);
    struct job j;
};

static void blocks_part(const void *data, int64_t begin, int64_t end)
{
    const struct pass *p = data;
    const struct norm *v = p->j.v;
    int64_t b, i;

    for (b = begin; b < end; b++) {
        if (p->before)
            p->before(&p->j, b);
        for (i = 0; p->first && i < v->c.outer; i++)
            p->first(&p->j, row_of(v, b, i));
        if (p->between)
            p->between(&p->j, b);
        for (i = 0; p->second && i < v->c.outer; i++)
            p->second(&p->j, row_of(v, b, i));
    }
}

static void first_part(const void *data, int64_t begin, int64_t end)
{
    const struct pass *p = data;
    int64_t i;

    for (i = begin; i < end; i++)
        p->first(&p->j, i);
}

static void second_part(const void *data, int64_t begin, int64_t end)
{
    const struct pass *p = data;
    int64_t i;

    for (i = begin; i < end; i++)
        p->second(&p->j, i);
}

static void run(const struct ec__cpu *cpu, struct pass *p)
{
    const struct norm *v = p->j.v;
    int64_t b, threads = cpu->base.threads;

    if (threads < 2 || v->c.blocks % threads == 0 || v->c.blocks >= 8 * threads) {
        ec__threads_run(cpu, v->c.blocks, 1, blocks_part, p);
        return;
    }
    for (b = 0; p->before && b < v->c.blocks; b++)
        p->before(&p->j, b);
    if (p->first)
        ec__threads_run(cpu, rows_of(v), 1, first_part, p);
    for (b = 0; p->between && b < v->c.blocks; b++)
        p->between(&p->j, b);
    if (p->second)
        ec__threads_run(cpu, rows_of(v), 1, second_part, p);
}

static enum ec_status forward(const struct ec__run *r)
{
    const struct norm *v = r->data;
    struct pass p = { NULL, v->training ? stats_row : NULL, settle, apply_row,
                      job_of(v, r->cpu, r->at, r->at[AT_SCRATCH]) };

    run(r->cpu, &p);
    return EC_OK;
}

static enum ec_status backward(const struct ec__run *r)
{
    const struct norm *v = r->data;
    struct pass p = { recall, sums_row, settle_back, r->at[BACK_DX] ? grad_row : NULL,
                      job_of(v, r->cpu, r->at, r->at[BACK_SCRATCH]) };

    run(r->cpu, &p);
    return EC_OK;
}

/* --- Preparing --- */

/* Functions that leave the padding of a block 0 and have no constant. */
static bool can_follow(int f)
{
    switch (f) {
    case EC__U_relu:
    case EC__U_relu6:
    case EC__U_silu:
    case EC__U_hard_swish:
    case EC__U_gelu:
    case EC__U_gelu_tanh:
    case EC__U_mish:
    case EC__U_tanh:
        return true;
    default:
        return false;
    }
}

static bool function_behind(const struct ec_knode *k, int *ret)
{
    *ret = -1;
    if (k->fuse == EC_FUSE_RELU_BWD)
        *ret = EC__U_relu;
    else if (k->fuse == EC_FUSE_ACT)
        *ret = ec__unary_of(k->after);
    return !k->fuse || can_follow(*ret);
}

static struct ec__place param_at(const struct ec_knode *k, bool affine, int i, bool gradient)
{
    if (!affine || (gradient && !k->want_d_param[i]))
        return ec__place_at(EC__NOWHERE, 0);
    return ec__place_at(gradient ? EC__D_PARAM : EC__PARAM, i);
}

static void build(struct ec__build *b, const struct norm *v, struct ec__buf x)
{
    struct ec_knode *k = b->k;
    bool affine = ec_case_int(k->c, "affine"), wants_dx = k->training && k->want_d_in[0];
    int64_t stat_bytes = v->c.channels * (int64_t)sizeof(float);
    int first_running = affine ? 2 : 0;
    struct ec__place mean = { EC__NOWHERE, 0 }, scale = mean;

    if (k->training) {
        mean = ec__ws(b, stat_bytes);
        scale = ec__ws(b, stat_bytes);
    }
    ec__choose_out(b, 0, x.md);
    ec__build_phase(b, EC_FORWARD);
    EC__CALL_OWN(b, forward, v, x.place, ec__place_at(EC__OUT, 0), param_at(k, affine, 0, false),
                 param_at(k, affine, 1, false), mean, scale, ec__place_at(EC__PARAM, first_running),
                 ec__place_at(EC__PARAM, first_running + 1), ec__scratch(b, scratch_bytes(v)));
    k->in_place = k->training ? -1 : 0;
    if (!wants_dx && !(k->training && affine && (k->want_d_param[0] || k->want_d_param[1])))
        return;
    ec__build_phase(b, EC_GRAD_DATA);
    EC__CALL_OWN(b, backward, v, x.place, ec__place_at(EC__D_OUT, 0),
                 ec__place_at(wants_dx ? EC__D_IN : EC__NOWHERE, 0), param_at(k, affine, 0, false),
                 param_at(k, affine, 1, false), mean, scale, param_at(k, affine, 0, true),
                 param_at(k, affine, 1, true), ec__scratch(b, scratch_bytes(v)));
    k->keep_in[0] = true;
    k->d_in_place = wants_dx ? 0 : -1;
}

void ec__block_norm_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct norm v = { .t = ec__elem_of(k),
                      .training = k->training,
                      .eps = (float)ec_case_double(k->c, "eps"),
                      .momentum = (float)ec_case_double(k->c, "momentum") };
    struct ec__buf x;

    x = ec__at_in(b, 0);
    if (!b->st && (!ec__md_channels(x.md, &v.c) || v.c.block != LANES || !v.c.outer || !v.c.inner ||
                   !function_behind(k, &v.f)))
        ec__build_fail(b, EC_E_UNSUPPORTED, "not in blocks of 16 channels");
    if (!b->st)
        build(b, &v, x);
    ec__build_loops(b);
}
