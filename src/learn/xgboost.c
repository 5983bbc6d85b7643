/* Random forest and gradient boosting, fitted by XGBoost when its library is installed. The library
 * is only opened for fits, whose results are trees of ours. It uses one thread, since several add
 * up gradients in varying order, which changes the trees. */
#include "learn/learn_internal.h"

#include <dlfcn.h>
#include <string.h>

struct xgb_matrix; /* opaque handles */
struct xgb_booster;

struct xgb {
    void *lib;
    EC_LIBXGBOOST(EC_FOREIGN_MEMBER)
};

#include "gbt_fields.h"

static enum ec_status open_xgb(struct xgb *x, struct ec_err *err)
{
    static const char *const names[] = { "libxgboost.so.0", "libxgboost.so" };
    static const char *const symbols[] = { EC_LIBXGBOOST(EC_FOREIGN_SYMBOL) NULL };
    const char *missing;
    int i;

    for (i = 0; i < EC_LEN(names) && !x->lib; i++)
        x->lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!x->lib)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "fitting trees needs the library XGBoost (libxgboost0 of Debian), which is "
                       "not installed");
    missing = ec_dynlib_take(x->lib, symbols, &x->matrix);
    if (missing)
        return ec_fail(err, EC_E_UNSUPPORTED, "the library XGBoost lacks %s", missing);
    return EC_OK;
}

static enum ec_status check(const struct xgb *x, int rc, struct ec_err *err)
{
    const char *text;

    if (rc == 0)
        return EC_OK;
    text = x->last_error(); /* a sentence, then a stack trace on lines of its own */
    return ec_fail(err, EC_E_BACKEND, "XGBoost: %.*s", (int)strcspn(text ? text : "", "\n"),
                   text ? text : "");
}

static enum ec_status set_number(const struct xgb *x, struct xgb_booster *b, const char *name,
                                 double v, struct ec_err *err)
{
    char text[EC_FMT_DOUBLE_BYTES];

    return check(x, x->set(b, name, ec_fmt_double(text, sizeof text, v)), err);
}

static enum ec_status set_params(const struct xgb *x, struct xgb_booster *b,
                                 const struct gbt_opts *o, bool forest, uint64_t seed,
                                 struct ec_err *err)
{
    const struct {
        const char *name;
        double v;
    } numbers[] = {
        {"nthread",                                         1                            },
        { "verbosity",                                      0                            },
        { "base_score",                                     0                            },
        { "seed",                                           (double)(seed & 0x7fffffff)  },
        { "max_depth",                                      (double)o->depth             },
        { "max_bin",                                        (double)o->bins              },
        { "subsample",                                      o->subsample                 },
        { "min_child_weight",                               o->child_weight              },
        { "eta",                                            forest ? 1 : o->rate         },
        { "lambda",                                         forest ? 0 : o->lambda       },
        { "num_parallel_tree",                              forest ? (double)o->trees : 1},
        { forest ? "colsample_bynode" : "colsample_bytree", o->columns                   },
    };
    int i;

    EC_PASS(check(x, x->set(b, "tree_method", "hist"), err));
    EC_PASS(check(x, x->set(b, "objective", "reg:squarederror"), err));
    for (i = 0; i < EC_LEN(numbers); i++)
        EC_PASS(set_number(x, b, numbers[i].name, numbers[i].v, err));
    return EC_OK;
}

/* The rows as XGBoost takes them: floats, the mean of y taken off. */
static enum ec_status make_matrix(const struct xgb *x, const struct ec_rows *rows, double mean,
                                  struct xgb_matrix **ret, struct ec_err *err)
{
    size_t n = (size_t)rows->n, cells = n * (size_t)rows->n_cols, i;
    float *v = ec_alloc(cells * sizeof *v), *y = ec_alloc(n * sizeof *y);
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(v && y, err));
    for (i = 0; i < cells; i++)
        v[i] = (float)rows->x[i];
    for (i = 0; i < n; i++)
        y[i] = (float)(rows->y[i] - mean);
    EC_TRY(check(x, x->matrix(v, n, (uint64_t)rows->n_cols, __builtin_nanf(""), ret), err));
    EC_TRY(check(x, x->set_info(*ret, "label", y, n), err));
    if (rows->weight) {
        for (i = 0; i < n; i++)
            y[i] = (float)rows->weight[i];
        EC_TRY(check(x, x->set_info(*ret, "weight", y, n), err));
    }
out:
    ec_free(v);
    ec_free(y);
    return st;
}

static enum ec_status take_over(const struct xgb *x, struct xgb_booster *b, int n_cols,
                                struct ec_arena *a, struct ec_trees *ret, struct ec_err *err)
{
    const char *data = NULL;
    uint64_t len = 0;

    EC_PASS(check(x, x->save(b, "{\"format\": \"ubj\"}", &len, &data), err));
    return ec__trees_from_ubj((const unsigned char *)data, (size_t)len, n_cols, a, ret, err);
}

static double mean_of(const struct ec_rows *rows)
{
    double sum = 0, weight = 0;
    int i;

    for (i = 0; i < rows->n; i++) {
        sum += rows->weight ? rows->y[i] * rows->weight[i] : rows->y[i] / rows->n;
        weight += rows->weight ? rows->weight[i] : 0;
    }
    return weight > 0 ? sum / weight : sum;
}

static enum ec_status boost(const struct ec_fitting *f, bool forest, void *state,
                            struct ec_err *err)
{
    const struct gbt_opts *o = f->r->opts;
    int rounds = forest ? 1 : (int)o->trees, i;
    struct ec_trees *t = state;
    struct xgb_booster *b = NULL;
    struct xgb_matrix *m = NULL;
    struct xgb x = { 0 };
    enum ec_status st;

    EC_TRY(open_xgb(&x, err));
    t->offset = mean_of(f->rows);
    EC_TRY(make_matrix(&x, f->rows, t->offset, &m, err));
    EC_TRY(check(&x, x.booster(&m, 1, &b), err));
    EC_TRY(set_params(&x, b, o, forest, f->env->seed, err));
    for (i = 0; i < rounds; i++) {
        EC_TRY(check(&x, x.update(b, i, m), err));
        if (i % 100 == 99)
            ec__learn_say(f->env, "  %d of %d trees", i + 1, rounds);
    }
    EC_TRY(take_over(&x, b, f->rows->n_cols, f->a, t, err));
out:
    if (b)
        (void)x.free_booster(b);
    if (m)
        (void)x.free_matrix(m);
    /* The library stays open: it keeps threads and thread-local data of its own. */
    return st;
}

static enum ec_status gbt_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    return boost(f, false, state, err);
}

static enum ec_status forest_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    return boost(f, true, state, err);
}

const struct ec_regressor_kind ec_regressor_gbt = {
    .name = "gbt",
    .help = "gradient-boosted trees",
    .fields = gbt_fields,
    .opts_size = sizeof(struct gbt_opts),
    .state_size = sizeof(struct ec_trees),
    .fit = gbt_fit,
    .predict = ec__trees_predict,
    .members = ec__trees_members,
    .describe = ec__trees_describe,
};

const struct ec_regressor_kind ec_regressor_forest = {
    .name = "forest",
    .help = "random forest",
    .fields = forest_fields,
    .opts_size = sizeof(struct gbt_opts),
    .state_size = sizeof(struct ec_trees),
    .fit = forest_fit,
    .predict = ec__trees_predict,
    .members = ec__trees_members,
    .describe = ec__trees_describe,
};
