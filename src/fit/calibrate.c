/* Calibration: fits changes of the three offsets of a device to a few measured rows, and suggests
 * rows to measure. */
#include "fit/calibrate.h"
#include "store/store.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "candidates.h"

#define REASONS_MAX 10

/* ------------------------------------------------------------------------------------------------
 * Rows to queries */

static enum ec_status own_copy(const struct ec_step *from, struct ec_step *ret, struct ec_err *err)
{
    size_t n = (size_t)from->n;

    *ret = *from;
    ret->node = NULL;
    ret->n_node = ret->cap_node = 0;
    ret->kernel = ec_alloc(sizeof *ret->kernel * (n ? n : 1));
    ret->repeat = from->repeat ? ec_alloc(sizeof *ret->repeat * (n ? n : 1)) : NULL;
    if (!ret->kernel || (from->repeat && !ret->repeat)) {
        ec_step_clear(ret);
        return ec_nomem(err);
    }
    memcpy(ret->kernel, from->kernel, sizeof *ret->kernel * n);
    if (from->repeat)
        memcpy(ret->repeat, from->repeat, sizeof *ret->repeat * n);
    return EC_OK;
}

static enum ec_status step_of_network(struct ec_predictor *p, const char *what,
                                      const struct ec_predict_opts *o, struct ec_step *ret,
                                      struct ec_err *err)
{
    const struct ec_step *step = NULL;
    const struct ec_graph *g = NULL;

    EC_PASS(ec_predictor_network(p, what, o, &g, &step, err));
    return own_copy(step, ret, err);
}

static enum ec_status step_of_op(const char *what, const struct ec_predict_opts *o,
                                 struct ec_step *ret, const struct ec_op **ret_op,
                                 struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    enum ec_status st;

    EC_TRY(ec_case_parse(what, &c, err));
    EC_TRY(ec_step_of_query(&c.c, o, ret, err));
    *ret_op = c.c.op;
    if (!ret->n)
        st = ec_fail(err, EC_E_UNSUPPORTED, "%s runs no kernel in this phase", c.c.op->name);
out:
    ec_case_clear(&c);
    return st;
}

/* Makes the physics' query of a row; it has a step of its own. */
static enum ec_status pose(struct ec_predictor *p, const struct ec_device *d, const char *what,
                           bool is_network, const struct ec_predict_opts *o, struct ec_step *step,
                           struct ec_physics_query *ret, struct ec_err *err)
{
    const struct ec_op *op = NULL;

    EC_PASS(is_network ? step_of_network(p, what, o, step, err)
                       : step_of_op(what, o, step, &op, err));
    *ret = (struct ec_physics_query){ .device = d,
                                      .step = step,
                                      .op = op,
                                      .cond = o->cond,
                                      .kind = op ? ec_width_of_op(op) : ec_width_of_network(d),
                                      .isolated = !is_network,
                                      .copy_bytes = o->cond.input_copy ? step->input_bytes : 0 };
    return EC_OK;
}

static enum ec_status predict(struct ec_predictor *p, const char *device, const char *what,
                              bool is_network, const struct ec_predict_opts *o,
                              struct ec_prediction *ret, struct ec_err *err)
{
    return is_network ? ec_predict_network(p, what, device, o, ret, err)
                      : ec_predict_op(p, what, device, o, ret, err);
}

/* The rows of a calibration as queries. */
struct fit_rows_list {
    struct ec_map map;
    struct ec_map_row *row;
    struct ec_step *step;
    struct ec_predict_opts *opts;
    struct ec_calibrated_row *out;
    int n;
    struct ec_left_out left_out;
    struct ec_arena arena; /* devices of fewer threads */
};

static void fit_rows_clear(struct fit_rows_list *l)
{
    int i;

    for (i = 0; l->step && i < l->n; i++)
        ec_step_clear(&l->step[i]);
    ec_buf_clear(&l->left_out.why);
    ec_arena_clear(&l->arena);
    ec_free(l->row);
    ec_free(l->step);
    ec_free(l->opts);
    ec_free(l->out);
}

/* Refuses a time below what the peak permits: one wrong row would shift all offsets. */
static enum ec_status check_possible(const struct ec_record *m, const struct ec_device *d,
                                     const struct ec_step *s, struct ec_err *err)
{
    double least = ec_step_least_ns(s, d, ec_record_word(m, EC_WORD_PRECISION));
    char found[32], possible[32];

    if (m->time.ns >= least)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT,
                   "%.80s: found %s, which is above the peak of %s at %s: expected at least %s",
                   m->what, ec_fmt_ns(found, sizeof found, m->time.ns), ec_device_key(d),
                   ec_record_word(m, EC_WORD_PRECISION),
                   ec_fmt_ns(possible, sizeof possible, least));
}

static enum ec_status add_row(struct ec_predictor *p, const struct ec_device *d,
                              const struct ec_record *m, struct fit_rows_list *l,
                              struct ec_err *err)
{
    const struct ec_device *own = NULL;
    struct ec_map_row *r = &l->row[l->n];
    struct ec_prediction before;
    struct ec_cause why;
    enum ec_status st;

    EC_TRY(ec_device_find(m->device, &own, err));
    if (own != d)
        EC_TRY(ec_fail(err, EC_E_INPUT, "a row is of device %s, expected %s", ec_device_key(own),
                       ec_device_key(d)));
    if (!(m->time.ns > 0))
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s has no time", m->what));
    if (*m->job)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED,
                       "%.80s: %.60s: rows of plain training calibrate a device", m->what, m->job));
    EC_TRY(ec_record_opts(m, &l->opts[l->n], err));
    if (m->threads && d->kind == EC_DEV_CPU && !ec_fitted_device(ec_fitted(), ec_device_key(d))) {
        l->opts[l->n].threads = m->threads; /* a fitted device's offset is that of its threads */
        EC_TRY(ec_device_of_threads(d, m->threads, &l->arena, &d, err));
    }
    EC_TRY(
        pose(p, d, m->what, ec_record_is_network(m), &l->opts[l->n], &l->step[l->n], &r->q, err));
    EC_TRY(check_possible(m, d, &l->step[l->n], err));
    EC_TRY(predict(p, ec_device_key(d), m->what, ec_record_is_network(m), &l->opts[l->n], &before,
                   err));
    if (ec_record_spilled(m, d, &before, &why)) /* the time is that of the link to the host */
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s", why.text));
    l->out[l->n].before_ns = before.step_time_ns.p50;
    r->time_ns = m->time.ns;
    l->out[l->n].m = m;
    l->n++;
    return EC_OK;
out:
    ec_step_clear(&l->step[l->n]);
    return st;
}

/* Failures of a network begin with its name already. */
static void say_left_out(const struct ec_record *row, const char *why, struct ec_buf *out)
{
    ec_buf_str(out, "left out: ");
    if (!ec_str_starts(why, row->what) && row->batch > 0)
        ec_buf_printf(out, "%.80s, batch %lld: ", row->what, (long long)row->batch);
    ec_buf_printf(out, "%s\n", why);
}

static enum ec_status add_rows(struct ec_predictor *p, const struct ec_device *d,
                               const struct ec_record *rows, int n, struct fit_rows_list *l,
                               struct ec_err *err)
{
    size_t cap = (size_t)(n ? n : 1);
    struct ec_err first = { 0 };
    enum ec_status st;
    int i;

    l->row = ec_alloc(sizeof *l->row * cap);
    l->step = ec_alloc(sizeof *l->step * cap);
    l->opts = ec_alloc(sizeof *l->opts * cap);
    l->out = ec_alloc(sizeof *l->out * cap);
    EC_PASS(ec_allocated(l->row && l->step && l->opts && l->out, err));
    for (i = 0; i < n; i++) {
        struct ec_err one = { 0 };

        st = add_row(p, d, &rows[i], l, &one);
        if (st && !l->left_out.n++)
            first = one;
        if (st && l->left_out.n <= REASONS_MAX)
            say_left_out(&rows[i], one.text, &l->left_out.why);
        if (st == EC_E_NOMEM || (st == EC_E_INPUT && n == 1)) {
            if (err)
                *err = one;
            return st;
        }
    }
    if (l->left_out.n > REASONS_MAX)
        ec_buf_printf(&l->left_out.why, "%d more rows left out\n", l->left_out.n - REASONS_MAX);
    if (!n)
        return ec_fail(err, EC_E_INPUT, "no rows to calibrate %s with", ec_device_key(d));
    if (!l->n)
        return ec_fail(err, EC_E_INPUT, "none of the %d rows can be used: %s", n, first.text);
    return EC_OK;
}

/* Sets the correction of each row: predicted time over the physics' alone, as a logarithm. */
static enum ec_status take_corrections(struct ec_predictor *p, const struct ec_profile *profile,
                                       struct fit_rows_list *l, bool last, struct ec_err *err)
{
    int i;

    EC_PASS(ec_predictor_set_profile(p, profile, err));
    for (i = 0; i < l->n; i++) {
        struct ec_prediction now;
        double ns;

        EC_PASS(predict(p, profile->device, l->out[i].m->what, ec_record_is_network(l->out[i].m),
                        &l->opts[i], &now, err));
        ns = now.step_time_ns.p50;
        l->row[i].correction =
            log(ns) - ec_query_log_ns(ec_fitted(), &l->row[i].q, profile->change);
        if (last)
            l->out[i].after_ns = ns;
    }
    return EC_OK;
}

static enum ec_status median_errors(const struct fit_rows_list *l, struct ec_profile *ret,
                                    struct ec_err *err)
{
    double *v = ec_alloc(sizeof *v * (size_t)l->n);
    int i;

    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < l->n; i++)
        v[i] = fabs(l->out[i].before_ns / l->out[i].m->time.ns - 1);
    ret->error_before = ec_quantile_inplace(v, l->n, 0.5);
    for (i = 0; i < l->n; i++)
        v[i] = fabs(l->out[i].after_ns / l->out[i].m->time.ns - 1);
    ret->error_after = ec_quantile_inplace(v, l->n, 0.5);
    ec_free(v);
    return EC_OK;
}

/* Keeps the residual of each row, after offsets, for the Gaussian process. */
static enum ec_status keep_residuals(struct ec_predictor *p, struct fit_rows_list *l,
                                     struct ec_profile *profile, struct ec_err *err)
{
    int i;

    for (i = 0; i < l->n && i < EC_GP_MAX; i++) {
        const struct ec_physics_query *q = &l->row[i].q;
        struct ec_gp_point *at = &profile->point[i];
        double predicted = ec_query_log_ns(ec_fitted(), q, profile->change) + l->row[i].correction;

        EC_PASS(ec_predictor_place(p, q, true, at, err));
        at->time_ns = l->row[i].time_ns;
        at->residual = ec_residual_kept(log(l->row[i].time_ns) - predicted);
    }
    profile->n_points = i;
    return EC_OK;
}

static enum ec_status fit_rows(struct ec_predictor *p, struct fit_rows_list *l,
                               struct ec_profile *profile, struct ec_err *err)
{
    int round, i;

    l->map.fitted = ec_fitted();
    l->map.row = l->row;
    l->map.n = l->n;
    ec_offsets_prior_sd(ec_fitted(), profile->device, l->map.prior_sd);
    for (round = 0; round < EC_MAP_ROUNDS; round++) {
        EC_PASS(take_corrections(p, profile, l, false, err));
        EC_PASS(ec_offsets_map(&l->map, profile->change, profile->covariance, err));
    }
    EC_PASS(take_corrections(p, profile, l, false, err));
    EC_PASS(keep_residuals(p, l, profile, err));
    EC_PASS(take_corrections(p, profile, l, true, err));
    for (i = 0; i < profile->n_points; i++) /* now each row may answer for itself */
        profile->point[i].query = ec_query_id(&l->row[i].q);
    for (i = 0; i < l->n; i++)
        *(l->row[i].q.isolated ? &profile->n_operators : &profile->n_networks) += 1;
    return median_errors(l, profile, err);
}

enum ec_status ec_calibrate(struct ec_predictor *p, const char *device,
                            const struct ec_record *rows, int n, struct ec_profile *ret,
                            struct ec_calibrated_row **ret_rows, struct ec_left_out *ret_left_out,
                            struct ec_err *err)
{
    const struct ec_device *d = NULL;
    struct fit_rows_list l = { 0 };
    enum ec_status st;

    EC_TRY(ec_predictor_use_profile(p, NULL, err));
    EC_TRY(ec_device_find(device, &d, err));
    EC_TRY(add_rows(p, d, rows, n, &l, err));
    EC_TRY(ec_profile_prior(device, ret, err));
    EC_TRY(fit_rows(p, &l, ret, err));
    EC_TRY(ec_predictor_set_profile(p, ret, err));
    *ret_rows = l.out;
    *ret_left_out = l.left_out;
    l.left_out.why = (struct ec_buf)EC_BUF_INIT;
    l.out = NULL;
out:
    fit_rows_clear(&l);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * What to measure */

#define CANDIDATE(what, precision, batch) { what, precision, batch },
static const struct {
    const char *what;
    const char *precision;
    int64_t batch; /* 0 for operators */
} candidates[] = { CANDIDATES(CANDIDATE) };

struct candidate {
    struct ec_physics_query q;
    struct ec_step step;
    double g[EC_DO_COUNT], ns;
    struct ec_gp_point place;
    bool usable;
};

static enum ec_status make_candidate(struct ec_predictor *p, const struct ec_profile *from,
                                     const struct ec_device *d, int i, struct candidate *ret,
                                     struct ec_err *err)
{
    bool is_network = candidates[i].batch > 0;
    struct ec_prediction now;
    struct ec_predict_opts o;

    ec_predict_opts_default(&o);
    o.batch = candidates[i].batch;
    EC_PASS(ec_predict_opts_set(&o, "precision", candidates[i].precision, err));
    EC_PASS(pose(p, d, candidates[i].what, is_network, &o, &ret->step, &ret->q, err));
    EC_PASS(predict(p, ec_device_key(d), candidates[i].what, is_network, &o, &now, err));
    ret->ns = now.step_time_ns.p50;
    ec_query_gradient(ec_fitted(), &ret->q, from->change, ret->g);
    EC_PASS(ec_predictor_place(p, &ret->q, false, &ret->place, err));
    ret->usable = isfinite(ret->g[0] + ret->g[1] + ret->g[2]);
    return EC_OK;
}

/* Standard deviations of a candidate by the offsets, made independent by a Cholesky factor of the
 * covariance: their squares add up to g' C g. */
static void share(const struct ec_profile *from, const double g[EC_DO_COUNT],
                  double ret[EC_DO_COUNT])
{
    double factor[EC_DO_COUNT][EC_DO_COUNT];
    int i, c;

    memcpy(factor, from->covariance, sizeof factor);
    (void)ec_cholesky_factor(factor[0], EC_DO_COUNT); /* never fails for a covariance */
    for (c = 0; c < EC_DO_COUNT; c++)
        for (ret[c] = 0, i = c; i < EC_DO_COUNT; i++)
            ret[c] += factor[i][c] * g[i];
}

/* Chooses among candidates. The rows of the profile come first, as measured; their information on
 * the offsets is in the covariance already. */
static enum ec_status choose(const struct candidate *c, int n_candidates,
                             const struct ec_profile *from, int n, struct ec_suggestion *ret,
                             int *ret_n, double *ret_spread, struct ec_err *err)
{
    size_t room = (size_t)from->n_points + (size_t)n_candidates;
    struct ec_gp_point *point = ec_alloc(sizeof *point * room);
    double(*shared)[EC_DO_COUNT] = ec_alloc(sizeof *shared * room);
    double *left = ec_alloc(sizeof *left * (size_t)(n + 1));
    int *which = ec_alloc(sizeof *which * room), *chosen = ec_alloc(sizeof *chosen * (size_t)n);
    struct ec_gp_choice choice = { point, (const double(*)[EC_DO_COUNT])shared, from->n_points,
                                   from->n_points };
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_allocated(point && shared && left && which && chosen, err));
    memcpy(point, from->point, sizeof *point * (size_t)from->n_points);
    for (i = 0; i < n_candidates; i++)
        if (c[i].usable) {
            point[choice.n] = c[i].place;
            share(from, c[i].g, shared[choice.n]);
            which[choice.n++] = i;
        }
    EC_TRY(ec_gp_choose(&choice, n, chosen, left, err));
    *ret_spread = sqrt(left[0]);
    for (i = 0; i < n && i < choice.n - choice.n_given; i++) {
        int at = which[chosen[i]];

        ret[i] = (struct ec_suggestion){ .what = candidates[at].what,
                                         .is_network = candidates[at].batch > 0,
                                         .precision = candidates[at].precision,
                                         .batch = candidates[at].batch,
                                         .expected_ns = c[at].ns,
                                         .spread = sqrt(left[i + 1]) };
    }
    *ret_n = i;
out:
    ec_free(point);
    ec_free(shared);
    ec_free(left);
    ec_free(which);
    ec_free(chosen);
    return st;
}

enum ec_status ec_calibrate_suggest(struct ec_predictor *p, const struct ec_profile *from, int n,
                                    struct ec_suggestion **ret, int *ret_n, double *ret_spread,
                                    struct ec_err *err)
{
    struct candidate *c = ec_alloc(sizeof *c * EC_LEN(candidates));
    struct ec_suggestion *out = ec_alloc(sizeof *out * (size_t)(n > 0 ? n : 1));
    const struct ec_device *d = NULL;
    struct ec_err first = { 0 };
    enum ec_status st = EC_OK;
    int i, n_usable = 0;

    EC_TRY(ec_allocated(c && out, err));
    EC_TRY(ec_device_find(from->device, &d, err));
    for (i = 0; i < EC_LEN(candidates); i++) {
        st = make_candidate(p, from, d, i, &c[i], &first);
        if (st == EC_E_NOMEM)
            EC_TRY(ec_nomem(err));
        n_usable += c[i].usable;
    }
    if (!n_usable)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s", first.text));
    EC_TRY(choose(c, EC_LEN(candidates), from, n, out, ret_n, ret_spread, err));
    *ret = out;
    out = NULL;
out:
    for (i = 0; c && i < EC_LEN(candidates); i++)
        ec_step_clear(&c[i].step);
    ec_free(c);
    ec_free(out);
    return st;
}
