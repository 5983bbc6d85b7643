/* A baseline on the same held-out rows: boosting on raw features, without physics, fitted to the
 * rows that our corrections are fitted to. The table of cross-validation has it beside our errors.
 */
#include "model/model.h"
#include "lab/fit_internal.h"

#include <math.h>
#include <string.h>

#define RAW_BOOSTING "trees=150 depth=8 rate=0.12 columns=0.7 subsample=0.8 child_weight=3"
#define FEW_ROWS 100

/* What a table of networks says of one, and a specification of a device. */
/* clang-format off */
#define RAW_NETWORK_LIST(X)                                                                        \
    X(log_batch, log1p((double)r->batch))       X(log_image, log1p((double)r->image))              \
    X(log_mac, log1p(sum->mac))                 X(log_flop, log1p(sum->flop))                      \
    X(log_weights, log1p(sum->weights))         X(log_activations, log1p(sum->written))            \
    X(log_kernels, log1p(sum->kernels))         X(mode, r->cond.mode)                              \
    X(precision, r->cond.precision)                  X(format, r->cond.layout)                     \
    X(framework, r->cond.framework)                                                                \
    X(log_peak, log1p(d->fp32_flop_per_s.value))                                                   \
    X(log_half_peak, log1p(d->fp16_tensor_flop_per_s.value))                                       \
    X(log_bandwidth, log1p(d->memory_bytes_per_s.value))                                           \
    X(log_cache, log1p(d->l2_bytes.value))      X(log_units, log1p(d->sm_count.value))             \
    X(log_power, log1p(d->tdp_w.value))         X(capability, d->compute_capability)
/* clang-format on */

enum {
#define RAW_ENUM(name, value) RAW_##name,
    RAW_NETWORK_LIST(RAW_ENUM)
#undef RAW_ENUM
        RAW_COUNT,
    MOST_COLUMNS = (int)EC_FEATURE_COUNT > (int)RAW_COUNT ? (int)EC_FEATURE_COUNT : (int)RAW_COUNT
};
static const char *const raw_names[] = {
#define RAW_NAME(name, value) #name,
    RAW_NETWORK_LIST(RAW_NAME)
#undef RAW_NAME
};

struct sums {
    double mac, flop, weights, written, kernels;
};

static struct sums sum_up(const struct ec_step *s)
{
    struct sums ret = { 0 };
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double repeat = s->repeat ? s->repeat[i] : 1;

        ret.mac += repeat * k->mac;
        ret.flop += repeat * k->flop;
        ret.weights += repeat * k->weight_elems;
        ret.written += repeat * k->write_elems;
        ret.kernels += repeat;
    }
    return ret;
}

static void network_columns(const struct ec_fit_row *r, const struct ec_device *d, double *ret)
{
    struct sums of_step = sum_up(r->step), *sum = &of_step;

#define RAW_VALUE(name, value) ret[RAW_##name] = (value);
    RAW_NETWORK_LIST(RAW_VALUE)
#undef RAW_VALUE
}

/* The baseline of one kind of query in one fold. */
struct peer {
    const struct ec_fit *f;
    struct ec_fit_row *const *training;
    int n;
    enum ec_width_kind kind;
    enum ec_basis basis;
    int column[MOST_COLUMNS]; /* of the features of operators */
    const char *name[MOST_COLUMNS];
    int n_cols;
    struct ec_regressor *model;
    enum ec_status st;
    struct ec_err err;
};

static void choose_columns(struct peer *p)
{
    bool network = ec_is_network_kind(p->kind);
    int i;

    for (i = 0; i < (network ? (int)RAW_COUNT : (int)EC_FEATURE_COUNT); i++)
        if (network || ec_feature_set(i) == EC_FS_BASELINE) {
            p->column[p->n_cols] = i;
            p->name[p->n_cols++] = network ? raw_names[i] : ec_feature_name(i);
        }
}

/* False: the catalogue lacks what features need. */
static bool columns_of(const struct peer *p, const struct ec_fit_row *r, double *ret)
{
    double all[MOST_COLUMNS];
    int i;

    if (!r->op) {
        network_columns(r, p->f->device[r->device], ret);
        return true;
    }
    {
        struct ec_operator o = ec__fit_operator(p->f, r);

        if (ec_features(&o, &ec_fitted()->c, NULL, all, NULL))
            return false;
    }
    for (i = 0; i < p->n_cols; i++)
        ret[i] = all[p->column[i]];
    return true;
}

static enum ec_status teach(struct peer *p, struct ec_err *err)
{
    struct ec_learn_env env = { .seed = (uint64_t)p->f->opts->seed };
    double *x = ec_alloc(sizeof *x * (size_t)p->n_cols * (size_t)(p->n + 1));
    double *y = ec_alloc(sizeof *y * (size_t)(p->n + 1));
    struct ec_rows rows = { .names = p->name, .n_cols = p->n_cols };
    struct ec_arena a = { 0 };
    struct ec_recipe recipe;
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_allocated(x && y, err));
    for (i = 0; i < p->n; i++) {
        const struct ec_fit_row *r = p->training[i];

        if (r->width != p->kind || (p->basis == EC_BASIS_SPECIFICATION && !r->few) ||
            !columns_of(p, r, x + (size_t)rows.n * (size_t)p->n_cols))
            continue;
        y[rows.n++] = r->time_ns;
    }
    if (rows.n < FEW_ROWS)
        goto out;
    rows.x = x;
    rows.y = y;
    EC_TRY(ec_recipe_parse("gbt", RAW_BOOSTING, &a, &recipe, err));
    recipe.target = EC_TARGET_LOG;
    EC_TRY(ec_regressor_fit(&recipe, &rows, &env, &p->model, err));
out:
    ec_arena_clear(&a);
    ec_free(x);
    ec_free(y);
    return st;
}

static void teach_one(void *ctx, int i)
{
    struct peer *p = (struct peer *)ctx + i;

    p->st = teach(p, &p->err);
}

static void ask(const struct peer *p, struct ec_fit_row *r)
{
    double x[MOST_COLUMNS], ns = 0;

    r->raw[p->basis] = (double)NAN;
    if (!p->model || !columns_of(p, r, x))
        return;
    ec_regressor_predict(p->model, x, 1, &ns);
    r->raw[p->basis] = log(r->time_ns / ns);
}

enum ec_status ec__fit_baselines(const struct ec_fit *train, enum ec_basis basis,
                                 struct ec_fit_row *const *unseen, int n, struct ec_err *err)
{
    struct peer *p = ec_alloc(sizeof *p * EC_WIDTH_COUNT);
    enum ec_status st = EC_OK;
    int i;

    if (!p)
        return ec_nomem(err);
    for (i = 0; i < EC_WIDTH_COUNT; i++) {
        p[i] = (struct peer){ .f = train,
                              .training = train->row,
                              .n = i == EC_W_memory ? 0 : train->n_rows,
                              .kind = (enum ec_width_kind)i,
                              .basis = basis };
        choose_columns(&p[i]);
    }
    ec_each((int)train->opts->threads, EC_WIDTH_COUNT, teach_one, p);
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        if (p[i].st && p[i].st != EC_E_UNSUPPORTED) /* without the library there is no baseline */
            EC_TRY(ec_fail(err, p[i].st, "%s", p[i].err.text));
    for (i = 0; i < n; i++)
        ask(&p[unseen[i]->width], unseen[i]);
out:
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        ec_regressor_free(p[i].model);
    ec_free(p);
    return st;
}
