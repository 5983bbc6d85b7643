/* Several models as one: the geometric mean of their predictions, with equal weights or with those
 * that non-negative least squares finds on predictions for rows they had not seen. */
#include "learn/learn_internal.h"

#include <math.h>
#include <string.h>

#define MEMBERS_MAX 16

#include "kinds_fields.h"

struct ensemble {
    int n;
    double weight[MEMBERS_MAX];
    struct ec_regressor *member[MEMBERS_MAX];
};

static double log_of(const struct ec_regressor *r, const double *x)
{
    double p = ec__regressor_one(r, x);

    return log(p > 1e-300 ? p : 1e-300);
}

/* Rows of a list, copied. */
static void copy_rows(const struct ec_rows *from, const int *row, int n, double *x, double *y)
{
    size_t d = (size_t)from->n_cols;
    int i;

    for (i = 0; i < n; i++) {
        memcpy(x + (size_t)i * d, from->x + (size_t)row[i] * d, d * sizeof *x);
        y[i] = from->y[row[i]];
    }
}

/* Members of one recipe differ by their seeds. */
static struct ec_learn_env env_of(const struct ec_learn_env *env, int member)
{
    struct ec_learn_env own = *env;

    own.seed += 1000003u * (uint64_t)member;
    return own;
}

/* log predictions of each member for rows that it has not seen: n x n_members. */
static enum ec_status predict_unseen(const struct ec_recipe *r, const struct ec_rows *rows,
                                     const struct ec_split *s, const struct ec_learn_env *env,
                                     double *ret, struct ec_err *err)
{
    size_t n = (size_t)rows->n, d = (size_t)rows->n_cols;
    struct ec_rows part = *rows;
    struct ec_arena a = { 0 };
    double *x = ec_arena_alloc(&a, n * d * sizeof *x), *y = ec_arena_alloc(&a, n * sizeof *y);
    int *row = ec_arena_alloc(&a, n * sizeof *row), round, k, i;
    struct ec_regressor *m = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(x && y && row, err));
    part.x = x;
    part.y = y;
    for (round = 0; round < s->n_rounds; round++)
        for (k = 0; k < r->n_members; k++) {
            struct ec_learn_env own = env_of(env, k);

            part.n = ec_split_rows(s, round, false, row);
            copy_rows(rows, row, part.n, x, y);
            EC_TRY(ec_regressor_fit(&r->members[k], &part, &own, &m, err));
            for (i = 0; i < rows->n; i++)
                if (s->round[i] == round)
                    ret[i * r->n_members + k] = log_of(m, rows->x + (size_t)i * d);
            ec_regressor_free(m);
            m = NULL;
        }
out:
    ec_arena_clear(&a);
    return st;
}

static enum ec_status stack(const struct ec_recipe *r, const struct ec_rows *rows,
                            const struct ec_learn_env *env, struct ensemble *e, struct ec_err *err)
{
    static const char *const no_names[MEMBERS_MAX] = { "", "", "", "", "", "", "", "",
                                                       "", "", "", "", "", "", "", "" };
    const struct ensemble_opts *o = r->opts;
    size_t n = (size_t)rows->n, k = (size_t)r->n_members;
    struct ec_rows logs = { .names = no_names, .n = rows->n, .n_cols = r->n_members };
    struct ec_linear_model m = { 0 };
    struct ec_recipe nnls = { 0 };
    struct ec_split split = { 0 };
    struct ec_arena a = { 0 };
    double *x = ec_arena_alloc(&a, n * k * sizeof *x), *y = ec_arena_alloc(&a, n * sizeof *y);
    double sum = 0;
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_allocated(x && y, err));
    EC_TRY(ec_split_make(EC_SPLIT_KFOLD, NULL, rows->n, (int)o->folds, env->seed, &split, err));
    EC_TRY(predict_unseen(r, rows, &split, env, x, err));
    for (i = 0; i < rows->n; i++)
        y[i] = log(rows->y[i]);
    logs.x = x;
    logs.y = y;
    EC_TRY(ec__recipe_of(&ec_regressor_nnls, "relative=0 intercept=0", &a, &nnls, err));
    EC_TRY(nnls.kind->fit(&(struct ec_fitting){ &nnls, &logs, env, &a }, &m, err));
    for (i = 0; i < e->n; i++)
        sum += m.coef[i];
    for (i = 0; i < e->n; i++)
        e->weight[i] = sum > 0 ? m.coef[i] / sum : 1.0 / e->n;
out:
    ec_free(split.round);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status ensemble_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    const struct ec_recipe *r = f->r;
    const struct ec_rows *rows = f->rows;
    const struct ensemble_opts *o = r->opts;
    struct ensemble *e = state;
    int i;

    if (r->n_members < 1 || r->n_members > MEMBERS_MAX || r->target != EC_TARGET_PLAIN)
        return ec_fail(err, EC_E_INPUT,
                       "an ensemble of %d models with target %s: expected 1 to %d, target plain",
                       r->n_members, ec_target_names[r->target], MEMBERS_MAX);
    for (i = 0; i < rows->n; i++)
        if (rows->y[i] <= 0)
            return ec_fail(err, EC_E_INPUT, "row %d: a geometric mean needs values above zero", i);
    for (e->n = 0; e->n < r->n_members; e->n++) {
        struct ec_learn_env own = env_of(f->env, e->n);

        e->weight[e->n] = 1.0 / r->n_members;
        EC_PASS(ec_regressor_fit(&r->members[e->n], rows, &own, &e->member[e->n], err));
    }
    if (o->stacked && e->n > 1)
        EC_PASS(stack(r, rows, f->env, e, err));
    return EC_OK;
}

static void ensemble_clear(void *state)
{
    struct ensemble *e = state;
    int i;

    for (i = 0; i < MEMBERS_MAX; i++)
        ec_regressor_free(e->member[i]);
}

static double ensemble_predict(const void *state, const double *x, int n_cols)
{
    const struct ensemble *e = state;
    double sum = 0;
    int i;

    (void)n_cols;
    for (i = 0; i < e->n; i++)
        if (e->weight[i] > 0)
            sum += e->weight[i] * log_of(e->member[i], x);
    return exp(sum);
}

static void ensemble_members(struct ec_bytes *io, void *state, int n_cols)
{
    struct ensemble *e = state;
    int i;

    ec__io_count(io, &e->n, 16, MEMBERS_MAX);
    io->bad |= e->n < 1;
    for (i = 0; i < e->n && !io->bad && !io->st; i++) {
        ec__io_f64(io, &e->weight[i]);
        io->bad |= e->weight[i] < 0 || e->weight[i] > 1;
        ec__io_regressor(io, &e->member[i]);
        io->bad |= e->member[i] && ec_regressor_cols(e->member[i]) != n_cols;
    }
}

static void ensemble_describe(const void *state, const char *const *names, int n_cols,
                              struct ec_buf *out)
{
    const struct ensemble *e = state;
    int i;

    (void)names;
    (void)n_cols;
    ec_buf_str(out, "geometric mean of");
    for (i = 0; i < e->n; i++) {
        ec_buf_printf(out, "%s %.3f of (", i ? "," : "", e->weight[i]);
        ec_regressor_describe(e->member[i], out);
        ec_buf_char(out, ')');
    }
}

const struct ec_regressor_kind ec_regressor_ensemble = {
    .name = "ensemble",
    .help = "geometric mean of several models",
    .fields = ensemble_fields,
    .opts_size = sizeof(struct ensemble_opts),
    .state_size = sizeof(struct ensemble),
    .fit = ensemble_fit,
    .predict = ensemble_predict,
    .members = ensemble_members,
    .describe = ensemble_describe,
    .clear = ensemble_clear,
};
