/* The formula of a measured machine, and a Gaussian process for each kind of task. */
#include "adapt/layers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learn/learn.h"

/* Prior of the residual log(measured / formula): a level for each kind of task, slopes along work
 * and bytes, and a part that is correlated by distance. The three lists are candidates:
 * leave-one-out likelihood chooses for each kind. */
#define LEVEL_SD 1.0
#define SLOPE_SD 0.12
#define DOUBTFUL_SD 0.15
static const double noise_sds[] = { 0.02, 0.05, 0.12, 0.3 };
static const double bend_sds[] = { 0.1, 0.3, 1.0 };
static const double lengths[] = { 0.7, 1.5, 3.0, 6.0 };
/* Convolutions run blocks of so many channels; others are padded, or run slower kernels. */
#define CHANNEL_BLOCK 16
/* Standard deviation of log(time) for kinds without rows. */
#define UNKNOWN_SD 0.6
/* Fixed cost of a task in the formula. */
#define CALL_NS 300.0

enum {
    AT_FLOP,
    AT_BYTES,
    AT_M,
    AT_N,
    AT_K,
    AT_FILTER,
    AT_STRIDE,
    AT_PIXELS,
    AT_GROUPS,
    AT_RAGGED_IN,
    AT_RAGGED_OUT
};

struct group {
    int n, *row;
    double noise_sd, bend_sd, length,
        spread; /* spread: actual over expected error of left-out rows */
    double mean[EC_LAYER_COORDS];
    double *residual; /* log(measured / formula) of its rows */
    struct ec_gaussian solved;
};

struct ec_layers {
    struct ec_layer_machine machine;
    struct ec_layer_row *row;
    int n, n_groups;
    struct group *group;
};

/* ------------------------------------------------------------------------------------------------
 * The formula */

/* Rate at which a working set of `bytes` is read and written: that of copies of this size,
 * interpolated. */
static double rate_at(const struct ec_layer_machine *m, double bytes)
{
    double share;
    int i;

    if (bytes <= m->size_bytes[0])
        return m->rate_bytes_per_s[0];
    for (i = 1; i < m->n; i++)
        if (bytes <= m->size_bytes[i])
            break;
    if (i == m->n)
        return m->rate_bytes_per_s[m->n - 1];
    share = log(bytes / m->size_bytes[i - 1]) / log(m->size_bytes[i] / m->size_bytes[i - 1]);
    return exp((1 - share) * log(m->rate_bytes_per_s[i - 1]) + share * log(m->rate_bytes_per_s[i]));
}

double ec_layer_move_ns(const struct ec_layer_machine *m, double bytes, double footprint_bytes)
{
    return bytes / rate_at(m, fmax(bytes, footprint_bytes)) * 1e9;
}

/* ns of a kernel by the formula. Weights, and in backward half of the inputs, were last used up to
 * a step ago: they are cold. */
static double kernel_ns(const struct ec_layer_machine *m, const struct ec_kernel *k,
                        double footprint_bytes)
{
    double old = k->phase == EC_FORWARD ? 0 : 0.5 * k->read_elems;
    double cold = 4 * (k->weight_elems + old);
    double warm = 4 * (k->read_elems + k->write_elems - old) + k->fixed_bytes;
    double move = ec_layer_move_ns(m, warm, 0) + ec_layer_move_ns(m, cold, footprint_bytes);
    double compute = k->flop / m->flop_per_s * 1e9;

    return sqrt(move * move + compute * compute) + CALL_NS;
}

/* 0: channels fill whole blocks. Else above 1, the more the larger the padding. */
static double ragged(double channels)
{
    double filled = ceil(channels / CHANNEL_BLOCK) * CHANNEL_BLOCK;

    return channels < 1 || filled <= channels ? 0 : 1 + 2 * log(filled / channels);
}

static void place_kernel(const struct ec_kernel *k, struct ec_layer_point *ret)
{
    double together = k->kclass == EC_K_DEPTHWISE ? k->groups : 1;

    ret->at[AT_RAGGED_IN] = ragged(k->c_in * together);
    ret->at[AT_RAGGED_OUT] = ragged(k->c_out * together);
    ret->at[AT_M] = log1p(k->m);
    ret->at[AT_N] = log1p(k->n);
    ret->at[AT_K] = log1p(k->k);
    ret->at[AT_FILTER] = log1p(k->r * k->s);
    ret->at[AT_STRIDE] = 2 * log1p(k->stride);
    ret->at[AT_PIXELS] = log1p(k->out_hw) / 2;
    ret->at[AT_GROUPS] = log1p(k->groups);
}

/* Whether two inputs of different shapes are combined; such operators have kernels of their own. */
static bool broadcasts(const struct ec_case *c)
{
    return c->n_in == 2 && c->in[0]->shape.rank && !c->op->params && !c->op->fields &&
           !ec_shape_eq(&c->in[0]->shape, &c->in[1]->shape);
}

enum ec_status ec_layer_place(const struct ec_layer_machine *m, const struct ec_case *c, int phase,
                              double footprint_bytes, struct ec_layer_point *ret,
                              struct ec_err *err)
{
    const char *phase_name = phase < 0 ? "whole" : ec_phase_name((enum ec_phase)phase);
    const struct ec_kernel *main_kernel = NULL;
    struct ec_step step = { 0 };
    double flop = 0, elems = 0, ns = 0, most = -1;
    enum ec_status st;
    int i;

    memset(ret, 0, sizeof *ret);
    EC_TRY(ec_step_of_case(c, phase, EC_MODE_TRAINING_STEP, &step, err));
    if (!step.n)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s runs no kernel in phase %s", c->op->name,
                       phase_name));
    for (i = 0; i < step.n; i++) {
        const struct ec_kernel *k = &step.kernel[i];
        double moved = k->read_elems + k->write_elems + k->weight_elems;

        flop += k->flop;
        elems += moved;
        ns += kernel_ns(m, k, footprint_bytes);
        if (k->flop + moved > most) {
            most = k->flop + moved;
            main_kernel = k;
        }
    }
    place_kernel(main_kernel, ret);
    ret->at[AT_FLOP] = log1p(flop);
    ret->at[AT_BYTES] = log1p(4 * elems);
    ret->log_law = log(ns);
    ret->kclass = main_kernel->kclass;
    (void)snprintf(ret->group, sizeof ret->group, "%s %s %s%s", c->op->name, phase_name,
                   ec_kclass_name(main_kernel->kclass),
                   main_kernel->kclass != EC_K_GEMM && broadcasts(c) ? " broadcast" : "");
out:
    ec_step_clear(&step);
    return st;
}

void ec_layer_place_update(const struct ec_layer_machine *m, enum ec_optimizer o, double elems,
                           double footprint_bytes, struct ec_layer_point *ret)
{
    double bytes = 4 * elems * ec_optimizer_tensors(o);

    memset(ret, 0, sizeof *ret);
    ret->at[AT_BYTES] = log1p(bytes);
    ret->log_law = log(ec_layer_move_ns(m, bytes, footprint_bytes) + CALL_NS);
    ret->kclass = EC_K_UPDATE;
    (void)snprintf(ret->group, sizeof ret->group, "update %s", ec_optimizer_names[o]);
}

/* ------------------------------------------------------------------------------------------------
 * The process of a kind of task */

/* Covariance of two tasks. The part by distance is a Matern 3/2 kernel, less smooth than a
 * Gaussian, since libraries change kernels from one shape to the next. */
static double covariance(const struct group *g, const double *a, const double *b)
{
    double d = 0, slopes = 0;
    int i;

    for (i = 0; i < EC_LAYER_COORDS; i++)
        d += (a[i] - b[i]) * (a[i] - b[i]);
    for (i = AT_FLOP; i <= AT_BYTES; i++)
        slopes += (a[i] - g->mean[i]) * (b[i] - g->mean[i]);
    d = sqrt(3 * d) / g->length;
    return LEVEL_SD * LEVEL_SD + SLOPE_SD * SLOPE_SD * slopes +
           g->bend_sd * g->bend_sd * (1 + d) * exp(-d);
}

static double noise_of(const struct group *g, const struct ec_layer_row *r)
{
    double v = g->noise_sd * g->noise_sd;

    return r->doubtful ? v + DOUBTFUL_SD * DOUBTFUL_SD : v;
}

/* A group, and all rows, which group->row[] indexes. */
struct rows_of {
    const struct group *group;
    const struct ec_layer_row *row;
};

static double noisy_covariance(const void *ctx, int i, int j)
{
    const struct rows_of *o = ctx;
    const struct group *g = o->group;
    const struct ec_layer_row *a = &o->row[g->row[i]], *b = &o->row[g->row[j]];

    return covariance(g, a->point.at, b->point.at) + (i == j ? noise_of(g, a) : 0);
}

static bool solve_group(const struct ec_layers *l, struct group *g)
{
    struct rows_of rows = { g, l->row };

    return ec_gaussian_solve(&g->solved, noisy_covariance, &rows, g->residual);
}

/* Leave-one-out log likelihood of all rows. ret_spread: the errors' root mean square in units of
 * their standard deviations. room: scratch for n numbers */
static double left_out(const struct group *g, double *room, double *ret_spread)
{
    double sum = 0, squares = 0;
    int i;

    for (i = 0; i < g->n; i++) {
        double variance, error = ec_gaussian_left_out(&g->solved, i, room, &variance);

        sum -= 0.5 * log(variance) + 0.5 * error * error / variance;
        squares += error * error / variance;
    }
    *ret_spread = sqrt(squares / g->n);
    return sum;
}

static enum ec_status choose(const struct ec_layers *l, struct group *g, struct ec_err *err)
{
    double best = -HUGE_VAL, spread, *room = ec_alloc(sizeof *room * (size_t)g->n);
    struct group chosen = *g;
    int i, n = EC_LEN(noise_sds) * EC_LEN(bend_sds) * EC_LEN(lengths);

    EC_PASS(ec_allocated(room, err));
    for (i = 0; i < n; i++) {
        double score;

        g->noise_sd = noise_sds[i % EC_LEN(noise_sds)];
        g->bend_sd = bend_sds[i / EC_LEN(noise_sds) % EC_LEN(bend_sds)];
        g->length = lengths[i / EC_LEN(noise_sds) / EC_LEN(bend_sds)];
        if (!solve_group(l, g))
            continue;
        score = left_out(g, room, &spread);
        if (score > best) {
            best = score;
            chosen = *g;
            chosen.spread = spread;
        }
    }
    *g = chosen;
    ec_free(room);
    if (!isfinite(best) || !solve_group(l, g))
        return ec_fail(err, EC_E_UNSTABLE, "the rows of \"%s\" have no factorisation",
                       l->row[g->row[0]].point.group);
    return EC_OK;
}

static struct group *find_group(const struct ec_layers *l, const char *name)
{
    int i;

    for (i = 0; i < l->n_groups; i++)
        if (ec_str_eq(l->row[l->group[i].row[0]].point.group, name))
            return &l->group[i];
    return NULL;
}

static enum ec_status add_to_group(struct ec_layers *l, int row, struct ec_err *err)
{
    struct group *g = find_group(l, l->row[row].point.group);

    if (!g) {
        g = &l->group[l->n_groups];
        g->row = ec_alloc(sizeof *g->row * (size_t)l->n);
        EC_PASS(ec_allocated(g->row, err));
        l->n_groups++;
    }
    g->row[g->n++] = row;
    return EC_OK;
}

/* Hyperparameters that were chosen for a kind when the profile was made. */
struct choice {
    char group[EC_LAYER_TEXT_BYTES];
    double noise_sd, bend_sd, length, spread;
};

static enum ec_status take_choice(const struct ec_layers *l, struct group *g,
                                  const struct choice *c, struct ec_err *err)
{
    g->noise_sd = c->noise_sd;
    g->bend_sd = c->bend_sd;
    g->length = c->length;
    g->spread = c->spread;
    if (!solve_group(l, g))
        return ec_fail(err, EC_E_PARSE, "\"kinds\": the rows of \"%s\" have no factorisation",
                       c->group);
    return EC_OK;
}

static enum ec_status fit_group(const struct ec_layers *l, struct group *g,
                                const struct choice *choices, int n_choices, struct ec_err *err)
{
    int i, k;

    g->residual = ec_alloc(sizeof *g->residual * (size_t)g->n);
    if (!g->residual || ec_gaussian_init(&g->solved, g->n, NULL))
        return ec_nomem(err);
    for (i = 0; i < g->n; i++) {
        const struct ec_layer_row *r = &l->row[g->row[i]];

        g->residual[i] = r->log_ns - r->point.log_law;
        for (k = 0; k < EC_LAYER_COORDS; k++)
            g->mean[k] += r->point.at[k] / g->n;
    }
    for (i = 0; i < n_choices; i++)
        if (ec_str_eq(choices[i].group, l->row[g->row[0]].point.group))
            return take_choice(l, g, &choices[i], err);
    return choose(l, g, err);
}

static enum ec_status build(const struct ec_layer_machine *m, const struct ec_layer_row *rows,
                            int n, const struct choice *choices, int n_choices,
                            struct ec_layers **ret, struct ec_err *err)
{
    struct ec_layers *l = ec_alloc(sizeof *l);
    size_t cap = (size_t)(n ? n : 1);
    enum ec_status st = EC_OK;
    int i;

    EC_PASS(ec_allocated(l, err));
    l->machine = *m;
    l->n = n;
    l->row = ec_alloc(sizeof *l->row * cap);
    l->group = ec_alloc(sizeof *l->group * cap);
    EC_TRY(ec_allocated(l->row && l->group, err));
    memcpy(l->row, rows, sizeof *rows * (size_t)n);
    for (i = 0; i < n; i++)
        EC_TRY(add_to_group(l, i, err));
    for (i = 0; i < l->n_groups; i++)
        EC_TRY(fit_group(l, &l->group[i], choices, n_choices, err));
    *ret = l;
    l = NULL;
out:
    ec_layers_free(l);
    return st;
}

enum ec_status ec_layers_new(const struct ec_layer_machine *m, const struct ec_layer_row *rows,
                             int n, struct ec_layers **ret, struct ec_err *err)
{
    return build(m, rows, n, NULL, 0, ret, err);
}

void ec_layers_free(struct ec_layers *l)
{
    int i;

    if (!l)
        return;
    for (i = 0; l->group && i < l->n_groups; i++) {
        ec_free(l->group[i].row);
        ec_free(l->group[i].residual);
        ec_gaussian_clear(&l->group[i].solved);
    }
    ec_free(l->group);
    ec_free(l->row);
    ec_free(l);
}

const struct ec_layer_machine *ec_layers_machine(const struct ec_layers *l)
{
    return &l->machine;
}

int ec_layers_count(const struct ec_layers *l)
{
    return l->n;
}

void ec_layers_time(const struct ec_layers *l, const struct ec_layer_point *at,
                    struct ec_layer_time *ret)
{
    const struct group *g = find_group(l, at->group);
    double *k, prior, explained;
    int i;

    *ret = (struct ec_layer_time){ at->log_law, UNKNOWN_SD, 0, 1 };
    k = g ? ec_alloc(sizeof *k * (size_t)g->n) : NULL;
    if (!k)
        return;
    for (i = 0; i < g->n; i++)
        k[i] = covariance(g, l->row[g->row[i]].point.at, at->at);
    prior = covariance(g, at->at, at->at);
    ret->log_ns += ec_gaussian_mean(&g->solved, k);
    explained = ec_gaussian_explained(&g->solved, k);
    ret->unknown = fmin(1, fmax(0, 1 - explained / prior));
    ret->log_sd = fmax(1, g->spread) * sqrt(fmax(0, prior - explained) + g->noise_sd * g->noise_sd);
    ret->rows = g->n;
    ec_free(k);
}

static bool same_place(const struct ec_layer_point *a, const struct ec_layer_point *b)
{
    int i;

    for (i = 0; i < EC_LAYER_COORDS; i++)
        if (fabs(a->at[i] - b->at[i]) > 1e-9)
            return false;
    return true;
}

/* Prior variance of the sum, in ns^2. */
static double prior_of_sum(const struct group *g, const struct ec_layer_point *const *at,
                           const double *ns, int n)
{
    double sum = 0;
    int i, k;

    for (i = 0; i < n; i++)
        for (k = 0; k <= i; k++) {
            double v = covariance(g, at[i]->at, at[k]->at);

            if (same_place(at[i], at[k]))
                v += g->noise_sd * g->noise_sd;
            sum += (i == k ? 1 : 2) * ns[i] * ns[k] * v;
        }
    return sum;
}

enum ec_status ec_layers_sum_sd(const struct ec_layers *l, const struct ec_layer_point *const *at,
                                const double *ns, int n, double *ret, struct ec_err *err)
{
    const struct group *g = n ? find_group(l, at[0]->group) : NULL;
    double *k, variance;
    int i, row;

    *ret = 0;
    for (i = 0; i < n && !g; i++)
        *ret += UNKNOWN_SD * ns[i];
    if (!g)
        return EC_OK;
    k = ec_alloc(sizeof *k * (size_t)g->n);
    EC_PASS(ec_allocated(k, err));
    for (row = 0; row < g->n; row++)
        for (i = 0; i < n; i++)
            k[row] += ns[i] * covariance(g, l->row[g->row[row]].point.at, at[i]->at);
    variance = prior_of_sum(g, at, ns, n) - ec_gaussian_explained(&g->solved, k);
    *ret = fmax(1, g->spread) * sqrt(fmax(0, variance));
    ec_free(k);
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The file */

static double rounded(double v)
{
    return round(v * 1e4) / 1e4;
}

void ec_layers_json(const struct ec_layers *l, struct ec_json *j)
{
    const struct ec_layer_machine *m = &l->machine;
    int i, k;

    ec_json_str(j, "framework", m->framework);
    ec_json_str(j, "precision", m->precision);
    ec_json_int(j, "threads", m->threads);
    ec_json_num(j, "flop_per_s", m->flop_per_s);
    ec_json_open(j, "copies", '[');
    for (i = 0; i < m->n; i++) {
        ec_json_open(j, NULL, '[');
        ec_json_num(j, NULL, m->size_bytes[i]);
        ec_json_num(j, NULL, m->rate_bytes_per_s[i]);
        ec_json_close(j, ']');
    }
    ec_json_close(j, ']');
    ec_json_open(j, "kinds", '[');
    for (i = 0; i < l->n_groups; i++) {
        const struct group *g = &l->group[i];

        ec_json_open(j, NULL, '[');
        ec_json_str(j, NULL, l->row[g->row[0]].point.group);
        ec_json_num(j, NULL, g->noise_sd);
        ec_json_num(j, NULL, g->bend_sd);
        ec_json_num(j, NULL, g->length);
        ec_json_num(j, NULL, rounded(g->spread));
        ec_json_close(j, ']');
    }
    ec_json_close(j, ']');
    ec_json_open(j, "rows", '[');
    for (i = 0; i < l->n; i++) {
        const struct ec_layer_row *r = &l->row[i];

        ec_json_open(j, NULL, '[');
        ec_json_str(j, NULL, r->point.group);
        ec_json_int(j, NULL, r->doubtful);
        ec_json_num(j, NULL, rounded(r->log_ns));
        ec_json_num(j, NULL, rounded(r->point.log_law));
        for (k = 0; k < EC_LAYER_COORDS; k++)
            ec_json_num(j, NULL, rounded(r->point.at[k]));
        ec_json_close(j, ']');
    }
    ec_json_close(j, ']');
}

static enum ec_status number(const struct ec_jval *v, double max, double *ret, struct ec_err *err)
{
    if (!v || v->type != EC_J_NUM || !(fabs(v->num) <= max))
        return ec_fail(err, EC_E_PARSE, "\"layers\": expected a number of at most %g", max);
    *ret = v->num;
    return EC_OK;
}

static enum ec_status text(const struct ec_jval *v, char ret[EC_LAYER_TEXT_BYTES],
                           struct ec_err *err)
{
    if (!v || v->type != EC_J_STR || strlen(v->str) >= EC_LAYER_TEXT_BYTES)
        return ec_fail(err, EC_E_PARSE, "\"layers\": expected text of less than %d bytes",
                       EC_LAYER_TEXT_BYTES);
    (void)snprintf(ret, EC_LAYER_TEXT_BYTES, "%s", v->str);
    return EC_OK;
}

static enum ec_status parse_copies(const struct ec_jval *list, struct ec_layer_machine *m,
                                   struct ec_err *err)
{
    const struct ec_jval *v = list && list->type == EC_J_ARRAY ? list->child : NULL;

    for (; v && m->n < EC_LAYER_SIZES; v = v->next, m->n++) {
        const struct ec_jval *size = v->type == EC_J_ARRAY ? v->child : NULL;

        EC_PASS(number(size, 1e18, &m->size_bytes[m->n], err));
        EC_PASS(number(size->next, 1e18, &m->rate_bytes_per_s[m->n], err));
        if (!(m->size_bytes[m->n] > (m->n ? m->size_bytes[m->n - 1] : 0)) ||
            !(m->rate_bytes_per_s[m->n] > 0))
            return ec_fail(err, EC_E_PARSE, "\"copies\": expected growing sizes, rates above 0");
    }
    if (!m->n || v)
        return ec_fail(err, EC_E_PARSE, "\"copies\": expected 1 to %d sizes", EC_LAYER_SIZES);
    return EC_OK;
}

static enum ec_status parse_row(const struct ec_jval *list, struct ec_layer_row *ret,
                                struct ec_err *err)
{
    const struct ec_jval *v = list->type == EC_J_ARRAY ? list->child : NULL;
    double doubtful = 0;
    int k;

    EC_PASS(text(v, ret->point.group, err));
    EC_PASS(number(v = v->next, 1, &doubtful, err));
    EC_PASS(number(v = v->next, 100, &ret->log_ns, err));
    EC_PASS(number(v = v->next, 100, &ret->point.log_law, err));
    for (k = 0; k < EC_LAYER_COORDS && v->next; k++)
        EC_PASS(number(v = v->next, 1e3, &ret->point.at[k], err));
    if (k < EC_LAYER_COORDS || v->next)
        return ec_fail(err, EC_E_PARSE,
                       "\"layers\": rows of another number of coordinates than %d: make the "
                       "profile again with epochcast calibrate",
                       EC_LAYER_COORDS);
    ret->doubtful = doubtful > 0;
    return EC_OK;
}

static enum ec_status parse_choice(const struct ec_jval *list, struct choice *ret,
                                   struct ec_err *err)
{
    const struct ec_jval *v = list->type == EC_J_ARRAY ? list->child : NULL;
    double *const numbers[] = { &ret->noise_sd, &ret->bend_sd, &ret->length, &ret->spread };
    int i;

    EC_PASS(text(v, ret->group, err));
    for (i = 0; i < EC_LEN(numbers); i++) {
        EC_PASS(number(v = v->next, 1e3, numbers[i], err));
        if (!(*numbers[i] >= (i < 3 ? 1e-3 : 0)))
            return ec_fail(err, EC_E_PARSE, "\"kinds\": expected numbers above 0");
    }
    return EC_OK;
}

/* *ret: ec_free; NULL for none: hyperparameters are then chosen again. */
static enum ec_status parse_choices(const struct ec_jval *list, struct choice **ret, int *ret_n,
                                    struct ec_err *err)
{
    const struct ec_jval *v;
    struct choice *c = NULL;
    enum ec_status st = EC_OK;
    int n = 0;

    if (!list || list->type != EC_J_ARRAY || !list->n)
        return EC_OK;
    c = ec_alloc(sizeof *c * (size_t)list->n);
    EC_PASS(ec_allocated(c, err));
    for (v = list->child; v; v = v->next)
        EC_TRY(parse_choice(v, &c[n++], err));
    *ret = c;
    *ret_n = n;
    c = NULL;
out:
    ec_free(c);
    return st;
}

#define ROWS_MAX 20000

enum ec_status ec_layers_parse(const struct ec_jval *obj, struct ec_layers **ret,
                               struct ec_err *err)
{
    const struct ec_jval *rows = ec_json_get(obj, "rows"), *v;
    struct ec_layer_machine m = { 0 };
    struct ec_layer_row *row = NULL;
    struct choice *choices = NULL;
    double threads = 0;
    enum ec_status st;
    int n = 0, n_choices = 0;

    EC_TRY(text(ec_json_get(obj, "framework"), m.framework, err));
    EC_TRY(text(ec_json_get(obj, "precision"), m.precision, err));
    EC_TRY(number(ec_json_get(obj, "threads"), 4096, &threads, err));
    EC_TRY(number(ec_json_get(obj, "flop_per_s"), 1e20, &m.flop_per_s, err));
    EC_TRY(parse_copies(ec_json_get(obj, "copies"), &m, err));
    if (!(m.flop_per_s > 0) || !rows || rows->type != EC_J_ARRAY || rows->n > ROWS_MAX)
        EC_TRY(ec_fail(err, EC_E_PARSE,
                       "\"layers\": expected FLOP/s above 0 and a list of at most %d rows",
                       ROWS_MAX));
    m.threads = (int64_t)threads;
    row = ec_alloc(sizeof *row * (size_t)(rows->n ? rows->n : 1));
    EC_TRY(ec_allocated(row, err));
    for (v = rows->child; v; v = v->next)
        EC_TRY(parse_row(v, &row[n++], err));
    EC_TRY(parse_choices(ec_json_get(obj, "kinds"), &choices, &n_choices, err));
    EC_TRY(build(&m, row, n, choices, n_choices, ret, err));
out:
    ec_free(choices);
    ec_free(row);
    return st;
}
