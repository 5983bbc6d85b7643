/* Teaching the corrections: what the physics leaves over on the training rows, as boosted trees on
 * the features of the question, one model for each kind. */
#include "predict/features.h"
#include "predict/fit_internal.h"
#include "predict/network_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW_ROWS 100
enum { MOST_COLUMNS = (int)EC_FEATURE_COUNT > (int)EC_NF_COUNT ? EC_FEATURE_COUNT : EC_NF_COUNT };

static const char *recipe_of(enum ec_width_kind kind)
{
    if (kind == EC_W_network || kind == EC_W_network_not_gpu)
        return "trees=150 depth=4 rate=0.06 subsample=0.7 columns=0.6 child_weight=6 lambda=3";
    return "trees=120 depth=7 rate=0.12 subsample=0.8 columns=0.7 child_weight=5 lambda=2";
}

/* Features of a row at x and, when asked for, log(measured / physics). False: cannot be timed. */
static bool row_features(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                         double *ret, double *ret_left_over)
{
    struct ec_operator o = { .op = r->op,
                             .step = *r->step,
                             .device = f->device[r->device],
                             .precision = r->precision,
                             .format = r->format,
                             .framework = r->framework,
                             .mode = r->mode,
                             .optimizer = r->optimizer };
    struct ec_constants c;
    struct ec_rates rates;
    struct ec_step_time t;

    if (!ec__fit_rates(f, x, r, &c, &rates))
        return false;
    ec_step_time(r->step, &rates, &c, r->framework, r->precision, r->isolated, &t);
    if (ret_left_over)
        *ret_left_over = log(r->time_ns / t.step_ns);
    if (!r->op) {
        ec_network_features(r->step, &rates, &t, r->framework, r->precision, ret);
        return true;
    }
    return ec_features_at(&o, &rates, &t, ret, NULL) == EC_OK;
}

/* Features and left-overs of the rows of a kind; owned. */
struct matrix {
    double *x, *y;
    int n, n_cols;
};

static enum ec_status make_matrix(const struct ec_fit *f, const double *x, enum ec_width_kind kind,
                                  struct ec_fit_row *const *rows, int n, struct matrix *ret,
                                  struct ec_err *err)
{
    size_t n_cols = (size_t)ec__learned_columns(kind);
    double one[MOST_COLUMNS];
    int i;

    ret->n_cols = (int)n_cols;
    ret->x = ec_alloc(sizeof *ret->x * n_cols * (size_t)(n + 1));
    ret->y = ec_alloc(sizeof *ret->y * (size_t)(n + 1));
    if (!ret->x || !ret->y)
        return ec_nomem(err);
    for (i = 0; i < n; i++) {
        if (rows[i]->width != kind || !row_features(f, x, rows[i], one, &ret->y[ret->n]))
            continue;
        memcpy(ret->x + (size_t)ret->n++ * n_cols, one, sizeof *one * n_cols);
    }
    return EC_OK;
}

static enum ec_status learn_kind(const struct ec_fit *f, const double *x, enum ec_width_kind kind,
                                 struct ec_fit_row *const *rows, int n, struct ec_regressor **ret,
                                 struct ec_err *err)
{
    const char *scratch[EC_FEATURE_COUNT];
    struct ec_learn_env env = { .seed = (uint64_t)f->opts->seed };
    struct matrix m = { 0 };
    struct ec_rows table;
    struct ec_arena a = { 0 };
    struct ec_recipe recipe;
    enum ec_status st;

    EC_TRY(make_matrix(f, x, kind, rows, n, &m, err));
    if (m.n < FEW_ROWS)
        goto out;
    table = (struct ec_rows){ m.x, m.y, ec__learned_column_names(kind, scratch), m.n, m.n_cols };
    EC_TRY(ec_recipe_parse("gbt", recipe_of(kind), &a, &recipe, err));
    st = ec_regressor_fit(&recipe, &table, &env, ret, err);
    if (st == EC_E_UNSUPPORTED) { /* without the library that fits trees the physics stands alone */
        ec__fit_say(f->opts, "  no corrections learnt: %s", err ? err->text : "");
        st = EC_OK;
    }
out:
    ec_free(m.x);
    ec_free(m.y);
    ec_arena_clear(&a);
    return st;
}

enum ec_status ec__fit_learn(const struct ec_fit *f, const double *x,
                             struct ec_fit_row *const *rows, int n, struct ec_learned **ret,
                             struct ec_err *err)
{
    struct ec_learned *l = ec_alloc(sizeof *l);
    enum ec_status st = EC_OK;
    int k;

    if (!l)
        return ec_nomem(err);
    for (k = 0; k < EC_WIDTH_COUNT; k++)
        if (k != EC_W_memory)
            EC_TRY(learn_kind(f, x, (enum ec_width_kind)k, rows, n, &l->kind[k].model, err));
    *ret = l;
    l = NULL;
out:
    ec_learned_free(l);
    return st;
}

double ec__fit_correction(const struct ec_fit *f, const double *x, const struct ec_learned *l,
                          const struct ec_fit_row *r)
{
    double one[MOST_COLUMNS], v;

    if (!l->kind[r->width].model || !row_features(f, x, r, one, NULL))
        return 0;
    ec_regressor_predict(l->kind[r->width].model, one, 1, &v);
    return v;
}
