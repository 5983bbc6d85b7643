/* Levenberg-Marquardt for a few hundred parameters and tens of thousands of rows. */
#include "learn/learn_internal.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define PIECES 32
#define STEP 1e-4
#define DAMPING_MIN 1e-9
#define DAMPING_MAX 1e9
/* With kept derivatives the fit starts near its optimum. Parameters that the rows hardly determine
 * depend on the prior alone, and need small damping to converge. */
#define DAMPING_NEAR 1e-8
#define LITTLE_NEAR 1e-7

/* Derivatives of one residual that are not 0. */
struct slopes_row {
    int n;
    int *param;
    float *v;
};

struct ec_lm_slopes {
    struct ec_arena arena[PIECES]; /* one for each piece: they run in parallel */
    struct slopes_row *row;
    bool failed[PIECES];
};

/* One piece of the rows: its part of J'J (upper triangle), J'r and the loss. */
struct piece {
    const struct ec_lm_problem *p;
    const double *x;
    double *jtj, *jtr, *x_local, *row_j;
    int *active;
    double loss;
    int from, to;
    bool want_jacobian;
    struct ec_lm_slopes *keep; /* NULL: not wanted */
    struct ec_arena *arena;
    bool *failed;
};

static double huber_loss(double r, double delta)
{
    double a = fabs(r);

    return a <= delta ? 0.5 * a * a : delta * (a - 0.5 * delta);
}

/* The weight with which squares become Huber's loss. */
static double huber_weight(double r, double delta)
{
    double a = fabs(r);

    return a <= delta ? 1 : delta / a;
}

/* Derivatives by central differences; returns how many are not 0. */
static int differentiate(struct piece *w, int row)
{
    const struct ec_lm_problem *p = w->p;
    int i, n = 0;

    for (i = 0; i < p->n_params; i++) {
        double up, down;

        if (p->depends && !p->depends(p->ctx, i, row))
            continue;
        w->x_local[i] = w->x[i] + STEP;
        up = p->residual(p->ctx, w->x_local, row);
        w->x_local[i] = w->x[i] - STEP;
        down = p->residual(p->ctx, w->x_local, row);
        w->x_local[i] = w->x[i];
        if (up == down)
            continue;
        w->row_j[n] = (up - down) / (2 * STEP);
        w->active[n++] = i;
    }
    return n;
}

static int recall(struct piece *w, int row)
{
    const struct ec_lm_problem *p = w->p;
    const struct slopes_row *s = &p->slopes->row[p->slopes_row[row]];
    int i;

    for (i = 0; i < s->n; i++) {
        w->row_j[i] = (double)s->v[i];
        w->active[i] = s->param[i];
    }
    return s->n;
}

static void keep_row(struct piece *w, int row, int n)
{
    struct slopes_row *s = &w->keep->row[row];
    int i;

    s->param = ec_arena_alloc(w->arena, sizeof *s->param * (size_t)n);
    s->v = ec_arena_alloc(w->arena, sizeof *s->v * (size_t)n);
    if (!s->param || !s->v) {
        *w->failed = true;
        return;
    }
    for (i = 0; i < n; i++) {
        s->param[i] = w->active[i];
        s->v[i] = (float)w->row_j[i];
    }
    s->n = n;
}

static void add_row(struct piece *w, int row)
{
    const struct ec_lm_problem *p = w->p;
    double r = p->residual(p->ctx, w->x, row);
    double weight = p->weight ? p->weight[row] : 1, h;
    int i, j, n;

    w->loss += weight * huber_loss(r, p->huber);
    if (!w->want_jacobian)
        return;
    n = p->slopes ? recall(w, row) : differentiate(w, row);
    h = weight * huber_weight(r, p->huber);
    for (i = 0; i < n; i++) {
        double *line = w->jtj + (size_t)w->active[i] * (size_t)p->n_params;

        w->jtr[w->active[i]] += h * w->row_j[i] * r;
        for (j = i; j < n; j++)
            line[w->active[j]] += h * w->row_j[i] * w->row_j[j];
    }
}

static void run_piece(struct piece *w)
{
    int row;

    memcpy(w->x_local, w->x, sizeof *w->x * (size_t)w->p->n_params);
    w->loss = 0;
    for (row = w->from; row < w->to; row++)
        if (w->keep)
            keep_row(w, row, differentiate(w, row));
        else
            add_row(w, row);
}

struct worker {
    struct piece *pieces;
    int first, step;
};

static void *work(void *arg)
{
    const struct worker *w = arg;
    int i;

    for (i = w->first; i < PIECES; i += w->step)
        run_piece(&w->pieces[i]);
    return NULL;
}

static void run_pieces(struct piece *pieces, int n_threads)
{
    struct worker workers[PIECES];
    pthread_t thread[PIECES];
    bool started[PIECES] = { false };
    int i;

    if (n_threads < 1)
        n_threads = 1;
    if (n_threads > PIECES)
        n_threads = PIECES;
    for (i = 0; i < n_threads; i++) {
        workers[i] = (struct worker){ pieces, i, n_threads };
        if (i)
            started[i] = pthread_create(&thread[i], NULL, work, &workers[i]) == 0;
    }
    for (i = 0; i < n_threads; i++)
        if (!started[i])
            (void)work(&workers[i]);
    for (i = 0; i < n_threads; i++)
        if (started[i])
            (void)pthread_join(thread[i], NULL);
}

/* Loss with priors; with a Jacobian, J'J and J'r too (full symmetric). */
static double evaluate(const struct ec_lm_problem *p, struct piece *pieces, const double *x,
                       double *jtj, double *jtr)
{
    size_t n = (size_t)p->n_params;
    double loss = 0;
    size_t i, j;
    int k;

    for (k = 0; k < PIECES; k++) {
        pieces[k].x = x;
        pieces[k].want_jacobian = jtj != NULL;
        if (jtj) {
            memset(pieces[k].jtj, 0, n * n * sizeof *jtj);
            memset(pieces[k].jtr, 0, n * sizeof *jtr);
        }
    }
    run_pieces(pieces, p->n_threads);
    for (k = 0; k < PIECES; k++)
        loss += pieces[k].loss;
    for (i = 0; i < n; i++)
        if (p->prior_sd && p->prior_sd[i] > 0)
            loss += 0.5 * x[i] * x[i] / (p->prior_sd[i] * p->prior_sd[i]);
    if (!jtj)
        return loss;
    memset(jtj, 0, n * n * sizeof *jtj);
    memset(jtr, 0, n * sizeof *jtr);
    for (k = 0; k < PIECES; k++)
        for (i = 0; i < n; i++) {
            jtr[i] += pieces[k].jtr[i];
            for (j = i; j < n; j++)
                jtj[i * n + j] += pieces[k].jtj[i * n + j];
        }
    for (i = 0; i < n; i++) {
        if (p->prior_sd && p->prior_sd[i] > 0) {
            double w = 1 / (p->prior_sd[i] * p->prior_sd[i]);

            jtj[i * n + i] += w;
            jtr[i] += w * x[i];
        }
        for (j = 0; j < i; j++)
            jtj[i * n + j] = jtj[j * n + i];
    }
    return loss;
}

/* Solve (A + damping * diag(A)) step = -g; false when not positive definite. */
static bool solve(const double *jtj, const double *jtr, double damping, size_t n, double *chol,
                  double *step)
{
    size_t i;

    memcpy(chol, jtj, n * n * sizeof *chol);
    for (i = 0; i < n; i++) {
        chol[i * n + i] += damping * chol[i * n + i] + 1e-12;
        step[i] = -jtr[i];
    }
    return ec_cholesky_solve(chol, step, (int)n);
}

static bool make_pieces(const struct ec_lm_problem *p, struct piece *pieces, struct ec_arena *a)
{
    size_t n = (size_t)p->n_params;
    int k;

    for (k = 0; k < PIECES; k++) {
        struct piece *w = &pieces[k];

        w->p = p;
        w->from = (int)((int64_t)p->n_rows * k / PIECES);
        w->to = (int)((int64_t)p->n_rows * (k + 1) / PIECES);
        w->jtj = ec_arena_alloc(a, n * n * sizeof *w->jtj);
        w->jtr = ec_arena_alloc(a, n * sizeof *w->jtr);
        w->x_local = ec_arena_alloc(a, n * sizeof *w->x_local);
        w->row_j = ec_arena_alloc(a, n * sizeof *w->row_j);
        w->active = ec_arena_alloc(a, n * sizeof *w->active);
        if (!w->jtj || !w->jtr || !w->x_local || !w->row_j || !w->active)
            return false;
    }
    return true;
}

enum ec_status ec_lm_fit(const struct ec_lm_problem *p, double *x, double *ret_loss,
                         struct ec_err *err)
{
    size_t n = (size_t)p->n_params, i;
    struct piece pieces[PIECES] = { 0 };
    struct ec_arena a = { 0 };
    double *m = ec_arena_alloc(&a, (2 * n * n + 3 * n) * sizeof *m);
    double *jtj = m, *chol, *jtr, *step, *trial;
    double damping = p->slopes ? DAMPING_NEAR : 1e-3, loss = 0;
    double little = p->slopes ? LITTLE_NEAR : 1e-5;
    enum ec_status st = EC_OK;
    int it;

    EC_TRY(ec_allocated(m && make_pieces(p, pieces, &a), err));
    chol = m + n * n;
    jtr = chol + n * n;
    step = jtr + n;
    trial = step + n;
    for (it = 0; it < p->max_iterations && damping < DAMPING_MAX; it++) {
        double next = 0;
        bool better = false;

        loss = evaluate(p, pieces, x, jtj, jtr);
        if (!isfinite(loss))
            EC_TRY(ec_fail(err, EC_E_UNSTABLE, "the loss at the start of the fit is not finite"));
        while (!better && damping < DAMPING_MAX) {
            if (solve(jtj, jtr, damping, n, chol, step)) {
                for (i = 0; i < n; i++)
                    trial[i] = x[i] + fmax(-1, fmin(1, step[i]));
                next = evaluate(p, pieces, trial, NULL, NULL);
                better = isfinite(next) && next < loss;
            }
            damping = better ? fmax(damping * 0.3, DAMPING_MIN) : damping * 4;
        }
        if (!better)
            break;
        memcpy(x, trial, n * sizeof *x);
        if (p->progress)
            p->progress(p->progress_ctx, it, next);
        if (loss - next < little * loss) {
            loss = next;
            break;
        }
        loss = next;
    }
    *ret_loss = loss;
out:
    ec_arena_clear(&a);
    return st;
}

void ec_lm_slopes_free(struct ec_lm_slopes *s)
{
    int k;

    if (!s)
        return;
    for (k = 0; k < PIECES; k++)
        ec_arena_clear(&s->arena[k]);
    ec_free(s->row);
    ec_free(s);
}

enum ec_status ec_lm_slopes_at(const struct ec_lm_problem *p, const double *x,
                               struct ec_lm_slopes **ret, struct ec_err *err)
{
    struct ec_lm_slopes *s = ec_alloc(sizeof *s);
    struct piece pieces[PIECES] = { 0 };
    struct ec_arena a = { 0 };
    enum ec_status st = EC_OK;
    int k;

    if (s)
        s->row = ec_alloc(sizeof *s->row * (size_t)(p->n_rows + 1));
    EC_TRY(ec_allocated(s && s->row && make_pieces(p, pieces, &a), err));
    for (k = 0; k < PIECES; k++) {
        pieces[k].x = x;
        pieces[k].keep = s;
        pieces[k].arena = &s->arena[k];
        pieces[k].failed = &s->failed[k];
    }
    run_pieces(pieces, p->n_threads);
    for (k = 0; k < PIECES; k++)
        if (s->failed[k])
            EC_TRY(ec_nomem(err));
    *ret = s;
    s = NULL;
out:
    ec_lm_slopes_free(s);
    ec_arena_clear(&a);
    return st;
}

struct ec_lm_row ec_lm_row_at(const struct ec_lm_problem *p, const double *x, int row)
{
    const struct slopes_row *s = &p->slopes->row[p->slopes_row[row]];
    double weight = p->weight ? p->weight[row] : 1;

    return (struct ec_lm_row){ s->n, s->param, s->v,
                               weight * huber_weight(p->residual(p->ctx, x, row), p->huber) };
}

enum ec_status ec_lm_posterior_sd(const struct ec_lm_problem *p, const double *x, double *ret_sd,
                                  struct ec_err *err)
{
    size_t n = (size_t)p->n_params, i, k;
    struct piece pieces[PIECES] = { 0 };
    struct ec_arena a = { 0 };
    double *m = ec_arena_alloc(&a, (n * n + 2 * n) * sizeof *m);
    double *hessian = m, *gradient = m + n * n, *unit = gradient + n;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(m && make_pieces(p, pieces, &a), err));
    (void)evaluate(p, pieces, x, hessian, gradient);
    if (!ec_cholesky_factor(hessian, (int)n))
        EC_TRY(ec_fail(err, EC_E_UNSTABLE,
                       "neither rows nor priors determine some of the parameters"));
    for (i = 0; i < n; i++) { /* |L^-1 e_i|^2 is the i-th variance */
        memset(unit, 0, n * sizeof *unit);
        unit[i] = 1;
        ec_cholesky_lower(hessian, (int)n, unit);
        for (ret_sd[i] = 0, k = i; k < n; k++)
            ret_sd[i] += unit[k] * unit[k];
        ret_sd[i] = sqrt(ret_sd[i]);
    }
out:
    ec_arena_clear(&a);
    return st;
}
