/* Fits the corrections: boosted trees and a dense network on the residual of the physics, from
 * features of the query; for each kind, and for each framework with many rows. */
#include "model/model.h"
#include "lab/fit_internal.h"

#include <math.h>
#include <string.h>

#define FEW_ROWS 100
#define MOST_COLUMNS EC_FIT_COLUMNS
/* Errors are compared by their logarithms; below this share they count as equal. */
#define SMALLEST_ERROR 0.02

/* Options of trees. */
static const char *trees_of(enum ec_width_kind kind, enum ec_role role)
{
    if (role != EC_ROLE_correction)
        return "trees=40 depth=4 rate=0.15 subsample=0.7 columns=0.5 child_weight=40 lambda=5";
    return kind == EC_W_vector ? "trees=64 depth=8 rate=0.2 subsample=0.8 columns=0.7 "
                                 "child_weight=5 lambda=2"
           : kind == EC_W_conv ? "trees=200 depth=8 rate=0.15 subsample=0.8 columns=0.7 "
                                 "child_weight=1 lambda=1"
                               : "trees=128 depth=8 rate=0.15 subsample=0.8 columns=0.7 "
                                 "child_weight=2 lambda=1";
}

/* Options of dense networks. They are smooth, which helps with products and convolutions, and not
 * with vector operators, whose times are steps of the size. NULL: none */
static const char *dense_of(enum ec_width_kind kind, enum ec_role role)
{
    if (role != EC_ROLE_correction)
        return NULL;
    return kind == EC_W_gemm   ? "hidden=128x64x64 epochs=80 patience=80 batch=128 rate=0.003 "
                                 "decay=0.02"
           : kind == EC_W_conv ? "hidden=128x128x64 epochs=100 patience=100 batch=64 rate=0.003 "
                                 "decay=0.05"
                               : NULL;
}

struct ec_operator ec__fit_operator(const struct ec_fit *f, const struct ec_fit_row *r)
{
    return (struct ec_operator){ .op = r->op,
                                 .step = *r->step,
                                 .device = f->device[r->device],
                                 .cond = r->cond,
                                 .routes = r->width == EC_W_conv };
}

bool ec__fit_features(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                      double ret[EC_FIT_COLUMNS])
{
    struct ec_operator o = ec__fit_operator(f, r);
    struct ec_constants c;
    struct ec_rates rates;
    struct ec_step_time t;

    if (!ec__fit_rates(f, x, r, EC_FIT_AS_ASKED, &c, &rates))
        return false;
    ec_step_time(r->step, &rates, &c, r->isolated, &t);
    if (r->op)
        return ec_features_at(&o, &rates, &t, ret, NULL) == EC_OK;
    ec_network_features(r->step, &rates, &t, ret);
    return true;
}

/* One model to fit, and its rows. */
struct lesson {
    const struct ec_fit *f;
    const double *x;
    struct ec_fit_row *const *rows;
    int n, part; /* rows of this half are left out; -1: none */
    enum ec_width_kind kind;
    enum ec_role role;
    enum ec_member member;
    int scope;                  /* 1 + framework: rows of that only; 0: all */
    double typical;             /* of a spread: logarithm of the error that counts as 1 */
    struct ec_regressor *model; /* the result */
    enum ec_status st;
    struct ec_err err;
};

static double log_error(const struct ec_fit_row *r)
{
    return log(fabs(r->unseen[EC_BASIS_MEASURED]) + SMALLEST_ERROR);
}

/* The mean log error of a kind: a spread of 1. */
static double typical_log_error(const struct ec_fit *f, int kind)
{
    double sum = 0, weight = 0;
    int i;

    for (i = 0; i < f->n_rows; i++)
        if ((int)f->row[i]->width == kind) {
            double w = ec__fit_width_weight(f->row[i], EC_BASIS_MEASURED);

            sum += w * log_error(f->row[i]);
            weight += w;
        }
    return weight > 0 ? sum / weight : 0;
}

/* The target of a row, and its weight: of errors, without which the largest table would dominate.
 */
static bool answer(const struct lesson *l, const struct ec_fit_row *r, double *ret,
                   double *ret_weight)
{
    *ret_weight = 1;
    if (l->role != EC_ROLE_correction) {
        *ret = log_error(r) - l->typical;
        *ret_weight = ec__fit_width_weight(r, EC_BASIS_MEASURED);
        return true;
    }
    *ret = ec__fit_asked_error(l->f, l->x, r, EC_FIT_AS_ASKED);
    return true;
}

/* Features, answers and weights; owned. */
struct matrix {
    double *x, *y, *weight;
    const char *name[MOST_COLUMNS];
    int n, n_cols, column[MOST_COLUMNS];
};

/* A model of a framework, or of kernels alone, is fitted to those; that of all others is not fitted
 * to kernels alone. */
static bool is_for(const struct lesson *l, const struct ec_fit_row *r)
{
    int own = ec__fit_scope(l->f, r);

    if (r->width != l->kind || (l->scope && l->scope != own))
        return false;
    if (l->part >= 0 && ec__fit_part(l->f, r, EC_BASIS_MEASURED, 2) == l->part)
        return false;
    return l->role != EC_ROLE_correction || l->scope == own;
}

static void fill_matrix(const struct lesson *l, struct matrix *m)
{
    double one[MOST_COLUMNS], *weight, *y;
    int i, k;

    for (i = 0; i < l->n; i++) {
        const struct ec_fit_row *r = l->rows[i];

        weight = &m->weight[m->n];
        y = &m->y[m->n];
        if (!is_for(l, r) || !answer(l, r, y, weight) || !(*weight > 0) ||
            !ec__fit_features(l->f, l->x, r, one))
            continue;
        for (k = 0; k < m->n_cols; k++)
            m->x[(size_t)m->n * (size_t)m->n_cols + (size_t)k] = one[m->column[k]];
        m->n++;
    }
}

static enum ec_status make_matrix(const struct lesson *l, struct matrix *m, struct ec_err *err)
{
    const char *scratch[EC_FEATURE_COUNT];
    const char *const *names = ec_learned_column_names(l->kind, scratch);
    double sum = 0;
    int i, most = 0;

    m->n_cols = ec_role_columns(l->kind, l->role, m->column);
    for (i = 0; i < m->n_cols; i++)
        m->name[i] = names[m->column[i]];
    for (i = 0; i < l->n; i++)
        most += l->rows[i]->width == l->kind;
    m->x = ec_alloc(sizeof *m->x * (size_t)m->n_cols * (size_t)(most + 1));
    m->y = ec_alloc(sizeof *m->y * (size_t)(most + 1));
    m->weight = ec_alloc(sizeof *m->weight * (size_t)(most + 1));
    EC_PASS(ec_allocated(m->x && m->y && m->weight, err));
    fill_matrix(l, m);
    for (i = 0; i < m->n; i++)
        sum += m->weight[i];
    for (i = 0; i < m->n; i++)
        m->weight[i] *= m->n / sum;
    return EC_OK;
}

static enum ec_status teach(struct lesson *l, struct ec_err *err)
{
    bool trees = l->member == EC_MEMBER_trees;
    const char *options = trees ? trees_of(l->kind, l->role) : dense_of(l->kind, l->role);
    struct ec_learn_env env = { .seed = (uint64_t)l->f->opts->seed };
    struct matrix m = { 0 };
    struct ec_rows table;
    struct ec_arena a = { 0 };
    struct ec_recipe recipe;
    enum ec_status st;

    EC_TRY(make_matrix(l, &m, err));
    if (m.n < FEW_ROWS)
        goto out;
    table = (struct ec_rows){ m.x, m.y, m.name, m.n, m.n_cols, m.weight };
    EC_TRY(ec_recipe_parse(trees ? "gbt" : "ann", options, &a, &recipe, err));
    EC_TRY(ec_regressor_fit(&recipe, &table, &env, &l->model, err));
out:
    ec_free(m.x);
    ec_free(m.y);
    ec_free(m.weight);
    ec_arena_clear(&a);
    return st;
}

static void teach_one(void *ctx, int i)
{
    struct lesson *l = (struct lesson *)ctx + i;

    l->st = teach(l, &l->err);
}

static enum ec_status teach_all(const struct ec_fit *f, struct lesson *v, int n, struct ec_err *err)
{
    int i;

    ec_each((int)f->opts->threads, n, teach_one, v);
    for (i = 0; i < n; i++) {
        if (v[i].st == EC_E_UNSUPPORTED) /* without the library the physics stands alone */
            ec__fit_say(f->opts, "  nothing learnt: %s", v[i].err.text);
        else if (v[i].st)
            return ec_fail(err, v[i].st, "%s", v[i].err.text);
    }
    return EC_OK;
}

/* Corrections are those of operators. Networks had one, which a choice of shares turned on in one
 * fit and off in the next: it improved rows of unseen structures by 3 % of their error, and made
 * that of unseen frameworks 1.25 times as large. */
static bool is_taught(enum ec_width_kind kind)
{
    return kind != EC_W_memory && !ec_is_network_kind(kind);
}

/* Lessons of a kind; returns how many. l: room for EC_SCOPE_COUNT * EC_MEMBER_COUNT */
static int lessons_of(const struct ec_fit *f, const struct lesson *like, enum ec_width_kind kind,
                      struct lesson *l)
{
    int scope, member, n = 0;

    for (scope = 0; scope < EC_SCOPE_COUNT; scope++) {
        if (scope && !f->own_models[kind][scope])
            continue;
        for (member = 0; member < EC_MEMBER_COUNT; member++) {
            if (member == EC_MEMBER_dense && (f->trees_only || !dense_of(kind, like->role)))
                continue;
            l[n] = *like;
            l[n].kind = kind;
            l[n].scope = scope;
            l[n++].member = (enum ec_member)member;
        }
    }
    return n;
}

static enum ec_status take_model(struct lesson *l, struct ec_learned *ret, struct ec_err *err)
{
    struct ec_learned_model *m = NULL;

    if (!l->model)
        return EC_OK;
    EC_PASS(ec_learned_place(ret, l->kind, l->role, l->scope, l->member, &m, err));
    m->model = l->model;
    l->model = NULL;
    return EC_OK;
}

enum ec_status ec__fit_learn(const struct ec_fit *f, const double *x,
                             struct ec_fit_row *const *rows, int n, struct ec_learned *ret,
                             struct ec_err *err)
{
    struct lesson *l =
        ec_alloc(sizeof *l * EC_WIDTH_COUNT * (size_t)EC_SCOPE_COUNT * EC_MEMBER_COUNT);
    struct lesson like = {
        .f = f, .x = x, .rows = rows, .n = n, .part = -1, .role = EC_ROLE_correction
    };
    enum ec_status st = EC_OK;
    int i, n_lessons = 0;

    if (!l)
        return ec_nomem(err);
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        if (is_taught((enum ec_width_kind)i))
            n_lessons += lessons_of(f, &like, (enum ec_width_kind)i, l + n_lessons);
    EC_TRY(teach_all(f, l, n_lessons, err));
    for (i = 0; i < n_lessons; i++)
        EC_TRY(take_model(&l[i], ret, err));
    EC_TRY(ec_learned_bind(ret, err));
out:
    for (i = 0; i < n_lessons; i++)
        ec_regressor_free(l[i].model);
    ec_free(l);
    return st;
}

int ec__fit_scope(const struct ec_fit *f, const struct ec_fit_row *r)
{
    const bool *own = f->own_models[r->width];
    struct ec_scope_key who = ec_scope_key_of(&r->cond, ec_is_forward(r->step));

    if (!r->op)
        return 0;
    if (who.queued && own[EC_SCOPE_QUEUED])
        return EC_SCOPE_QUEUED;
    if (who.step && own[EC_SCOPE_STEP])
        return EC_SCOPE_STEP;
    return who.forward && own[1 + (int)who.framework] ? 1 + (int)who.framework : 0;
}

void ec__fit_answers(const struct ec_fit *f, const double *x, const struct ec_learned *l,
                     const struct ec_fit_row *r, double ret[EC_MEMBER_COUNT])
{
    double features[MOST_COLUMNS], share[EC_MEMBER_COUNT];

    memset(ret, 0, sizeof *ret * EC_MEMBER_COUNT);
    if (r->isolated && ec__fit_features(f, x, r, features))
        ec_learned_answers(l, r->width, EC_ROLE_correction,
                           ec_scope_key_of(&r->cond, ec_is_forward(r->step)), features, ret, share);
}

double ec__fit_correction(const struct ec_fit *f, const struct ec_learned *shares,
                          const struct ec_fit_row *r, const double answer[EC_MEMBER_COUNT])
{
    struct ec_learned_model *const *m =
        shares->set[r->width][EC_ROLE_correction].of[ec__fit_scope(f, r)];
    double share[EC_MEMBER_COUNT];
    int i;

    for (i = 0; i < EC_MEMBER_COUNT; i++)
        share[i] = m[i] ? m[i]->share : 0;
    return ec_learned_blend(answer, share);
}

/* The row's spread by a model fitted without it; 1 without a model. */
static double spread_of(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                        const struct ec_regressor *model)
{
    double one[MOST_COLUMNS], row[MOST_COLUMNS], v;
    int column[MOST_COLUMNS], i, n;

    if (!model || !ec_has_spread(f->device[r->device]) || !ec__fit_features(f, x, r, one))
        return 1;
    n = ec_role_columns(r->width, EC_ROLE_spread, column);
    for (i = 0; i < n; i++)
        row[i] = one[column[i]];
    ec_regressor_predict(model, row, 1, &v);
    return ec_learned_as_spread(v);
}

/* Three models of each kind: one of all rows, which ships, and two of a half each, which show the
 * spread of the other half. */
enum ec_status ec__fit_spread(struct ec_fit *f, const double *x, struct ec_err *err)
{
    struct lesson *l = ec_alloc(sizeof *l * EC_WIDTH_COUNT * 3);
    enum ec_status st;
    int i;

    if (!l)
        return ec_nomem(err);
    for (i = 0; i < EC_WIDTH_COUNT * 3; i++)
        l[i] = (struct lesson){ .f = f,
                                .x = x,
                                .rows = f->row,
                                .n = i / 3 == EC_W_memory ? 0 : f->n_rows,
                                .part = i % 3 - 1,
                                .kind = (enum ec_width_kind)(i / 3),
                                .role = EC_ROLE_spread,
                                .typical = typical_log_error(f, i / 3) };
    EC_TRY(teach_all(f, l, EC_WIDTH_COUNT * 3, err));
    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];
        const struct lesson *of =
            &l[(int)r->width * 3 + 1 + ec__fit_part(f, r, EC_BASIS_MEASURED, 2)];

        r->spread = spread_of(f, x, r, of->model);
    }
    for (i = 0; i < EC_WIDTH_COUNT; i++) {
        struct ec_learned_model *m = NULL;

        EC_TRY(take_model(&l[i * 3], f->learned, err));
        m = f->learned->set[i][EC_ROLE_spread].of[0][EC_MEMBER_trees];
        if (m)
            m->share = 1;
    }
out:
    for (i = 0; i < EC_WIDTH_COUNT * 3; i++)
        ec_regressor_free(l[i].model);
    ec_free(l);
    return st;
}
