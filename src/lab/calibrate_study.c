/* Accuracy of calibration: errors by number of calibration rows over the public tables, each device
 * treated as one without measurements. */
#include "fit/fit.h"
#include "lab/fit_internal.h"
#include "adapt/adapt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last count only where there are enough rows. */
static const int counts[] = { 0, 1, 2, 5, 10, 20, 100 };
#define COUNT_MAX 100
#define COUNT_USUAL 20
#define COUNT_NETWORKS 5 /* whole networks: tables are short */
/* A device is tested in a table with at least so many rows beside twice those chosen. */
#define TEST_ROWS_MIN 10
#define RANDOM_DRAWS 3
#define THREADS 2 /* the result does not depend on them */

enum selection { TELLING, RANDOM, MICRO, SELECTION_COUNT };
static const char *const selection_names[] = { "most telling", "random", "micro-benchmarks" };

/* Operators of the first source, separately: few-shot calibration of operators is evaluated by the
 * mean over cases of operator and device. */
static const struct {
    const char *name, *op; /* NULL: all others */
} families[] = {
    {"bmm",           "matmul"    },
    { "linear",       "linear"    },
    { "convolution",  "conv2d"    },
    { "element-wise", NULL        },
    { "softmax",      "softmax"   },
    { "layer norm",   "layer_norm"},
};
/* Rows of one operator and device: enough to test, and to choose 100 from. */
#define FAMILY_ROWS_MAX 500
/* Micro-benchmarks of a device: the product of matrices nearest to 8192 x 8192 x 8192, of even
 * sides, since some libraries take other kernels for odd ones; the element-wise operator nearest to
 * adding two of 8192 x 8192; and the element-wise operator that moves least, which is all launch.
 */
#define MICRO_SIDE 8192.0
#define MICRO_EVEN 64
enum micro { MICRO_PRODUCT, MICRO_STREAM, MICRO_LAUNCH, MICRO_COUNT };

/* A row of the study: its query, the correction fitted without its product, its point. */
struct entry {
    const struct ec_fit_row *row;
    struct ec_physics_query q;
    double correction;
    const struct ec_gp_point *place;
};

/* Rows of one device in one table, or of one operator. */
struct group {
    struct entry *entry;
    int *order;  /* the first so many of it are those to calibrate with */
    bool *taken; /* by the largest count: tested are the others, the same for all counts */
    int n, n_counts;
};

/* Errors of one table by selection and count, over its devices; and of micro-benchmarks by their
 * number. */
struct errors {
    double *v;
    int n, cap, inside; /* the 90 % interval */
    int n_cases;        /* of operator and device, or of device */
    double sum_of_means;
};

struct study {
    struct ec_fit f;
    struct ec_fitted bare;      /* without offsets of any device */
    int *family;                /* per row: index into families, -1: of none */
    struct ec_gp_point **place; /* per row that takes part */
    /* per device: whether it has rows of a kind with a framework */
    bool (*measured)[EC_WIDTH_COUNT][EC_FRAMEWORK_COUNT];
    int64_t seed;
    struct ec_buf *out;
};

static void shuffle(struct group *g, uint64_t seed)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, seed);
    for (i = 0; i < g->n; i++)
        g->order[i] = i;
    for (i = 0; i < g->n - 1; i++) {
        int j = (int)ec_rng_range(&rng, i, g->n - 1), old = g->order[i];

        g->order[i] = g->order[j];
        g->order[j] = old;
    }
}

/* Chooses the rows that reduce the variance of the others most, before any is measured. */
static enum ec_status order_telling(const struct ec_fitted *bare, struct group *g,
                                    struct ec_err *err)
{
    static const double none[EC_DO_COUNT] = { 0 };
    size_t n = (size_t)(g->n ? g->n : 1);
    double(*shared)[EC_DO_COUNT] = ec_alloc(sizeof *shared * n), sd[EC_DO_COUNT];
    struct ec_gp_point *point = ec_alloc(sizeof *point * n);
    enum ec_status st = EC_OK;
    int i, c;

    EC_TRY(ec_allocated(shared && point, err));
    for (i = 0; i < g->n; i++) {
        ec_offsets_prior_sd(bare, g->entry[i].q.device->key, sd);
        ec_query_gradient(bare, &g->entry[i].q, none, shared[i]);
        for (c = 0; c < EC_DO_COUNT; c++)
            shared[i][c] *= sd[c];
        point[i] = *g->entry[i].place;
    }
    EC_TRY(
        ec_gp_choose(&(struct ec_gp_choice){ point, (const double(*)[EC_DO_COUNT])shared, g->n, 0 },
                     counts[g->n_counts - 1], g->order, NULL, err));
out:
    ec_free(shared);
    ec_free(point);
    return st;
}

static enum ec_status choose(const struct ec_fitted *bare, struct group *g, int selection,
                             uint64_t seed, struct ec_err *err)
{
    int i;

    if (selection == RANDOM)
        shuffle(g, seed);
    else
        EC_PASS(order_telling(bare, g, err));
    memset(g->taken, 0, sizeof *g->taken * (size_t)g->n);
    for (i = 0; i < counts[g->n_counts - 1]; i++)
        g->taken[g->order[i]] = true;
    return EC_OK;
}

/* Prediction by physics, correction and the offsets of the profile. */
static double predicted(const struct ec_fitted *bare, const struct ec_profile *p,
                        const struct entry *e)
{
    return ec_query_log_ns(bare, &e->q, p->change) + e->correction +
           ec_profile_width(bare, p, 1, &e->q).mid;
}

/* Offsets and residuals, from so many rows. */
static enum ec_status calibrate(const struct ec_fitted *bare, const struct entry *const *rows,
                                int n, struct ec_profile *p, struct ec_gp **ret, struct ec_err *err)
{
    struct ec_map_row row[COUNT_MAX];
    struct ec_map map = { .fitted = bare, .row = row, .n = n };
    struct ec_gp_point point[COUNT_MAX];
    int i, round;

    if (n)
        ec_offsets_prior_sd(bare, rows[0]->q.device->key, map.prior_sd);
    for (i = 0; i < EC_DO_COUNT; i++)
        p->covariance[i][i] = map.prior_sd[i] * map.prior_sd[i];
    for (round = 0; round < EC_MAP_ROUNDS && n; round++) {
        for (i = 0; i < n; i++)
            row[i] = (struct ec_map_row){ rows[i]->q, rows[i]->row->time_ns,
                                          rows[i]->correction +
                                              ec_profile_width(bare, p, 1, &rows[i]->q).mid };
        EC_PASS(ec_offsets_map(&map, p->change, p->covariance, err));
    }
    for (i = 0; i < n; i++) {
        point[i] = *rows[i]->place;
        point[i].residual =
            ec_residual_kept(log(rows[i]->row->time_ns) - predicted(bare, p, rows[i]));
    }
    return ec_gp_new(point, n, ret, err);
}

static enum ec_status test_entry(const struct ec_fitted *bare, const struct ec_profile *p,
                                 const struct ec_gp *gp, const struct entry *at, struct errors *e,
                                 struct ec_err *err)
{
    double unknown, t;
    struct ec_width w;

    t = predicted(bare, p, at) + ec_gp_mean(gp, at->place, &unknown) - log(at->row->time_ns);
    w = ec_profile_width(bare, p, unknown, &at->q);
    EC_PASS(ec_grow(&e->v, &e->cap, e->n + 1, sizeof *e->v, err));
    e->v[e->n++] = fabs(expm1(t));
    e->inside += -t >= w.lo - w.mid && -t <= w.hi - w.mid;
    return EC_OK;
}

/* Errors on the rows of a group that are not taken, after calibrating with these. */
static enum ec_status test_group(const struct group *g, const struct ec_fitted *bare,
                                 const struct entry *const *rows, int n, struct errors *e,
                                 struct ec_err *err)
{
    struct ec_profile *p = ec_alloc(sizeof *p);
    struct ec_gp *gp = NULL;
    enum ec_status st = EC_OK;
    double sum = 0;
    int i, first = e->n;

    EC_TRY(ec_allocated(p, err));
    if (!n && g->n) { /* the prior alone */
        ec_offsets_prior_sd(bare, g->entry[0].q.device->key, p->change);
        for (i = 0; i < EC_DO_COUNT; i++) {
            p->covariance[i][i] = p->change[i] * p->change[i];
            p->change[i] = 0;
        }
    }
    if (n)
        EC_TRY(calibrate(bare, rows, n, p, &gp, err));
    for (i = 0; i < g->n; i++)
        if (!g->taken[i])
            EC_TRY(test_entry(bare, p, gp, &g->entry[i], e, err));
    for (i = first; i < e->n; i++)
        sum += e->v[i];
    if (e->n > first) {
        e->sum_of_means += sum / (e->n - first);
        e->n_cases++;
    }
out:
    ec_gp_free(gp);
    ec_free(p);
    return st;
}

static enum ec_status test_count(const struct group *g, const struct ec_fitted *bare, int count,
                                 struct errors *e, struct ec_err *err)
{
    const struct entry *rows[COUNT_MAX];
    int i;

    for (i = 0; i < counts[count]; i++)
        rows[i] = &g->entry[g->order[i]];
    return test_group(g, bare, rows, counts[count], e, err);
}

static void fill_entry(const struct study *s, int row, struct entry *ret)
{
    const struct ec_fit *f = &s->f;
    const struct ec_fit_row *r = f->row[row];

    ret->row = r;
    ret->place = s->place[row];
    ret->q = ec__fit_query(f, r);
    ret->correction = ec__fit_correction(f, ec_predictor_learned(f->predictor), r,
                                         r->answer[EC_BASIS_SPECIFICATION]);
}

/* Rows of a device: those of a table, or of a family of operators. */
struct choice {
    int source, family, device; /* source or family -1: any */
};

static bool is_in(const struct study *s, const struct choice *c, int row)
{
    const struct ec_fit_row *r = s->f.row[row];

    if (r->device != c->device || !s->place[row])
        return false;
    return c->family >= 0 ? s->family[row] == c->family : r->source == c->source && r->few;
}

static int counts_up_to(int most)
{
    int n = EC_LEN(counts);

    while (counts[n - 1] > most)
        n--;
    return n;
}

/* Number of counts that leave enough rows to test. It is the same for most devices of a table, so
 * that its columns can be compared. */
static int counts_of(const struct group *g)
{
    static const int most[] = { COUNT_MAX, COUNT_USUAL, COUNT_NETWORKS };
    int n = EC_LEN(most) - (g->n && g->entry[0].row->op), i;

    for (i = 0; i < n; i++)
        if (g->n >= 2 * most[i] + TEST_ROWS_MIN)
            return counts_up_to(most[i]);
    return 0;
}

static enum ec_status group_fill(const struct study *s, const struct choice *c, struct ec_arena *a,
                                 struct group *ret, struct ec_err *err)
{
    struct group g = { 0 };
    size_t cap = 1;
    int i;

    for (i = 0; i < s->f.n_rows; i++)
        cap += is_in(s, c, i);
    g.entry = ec_arena_alloc(a, sizeof *g.entry * cap);
    g.order = ec_arena_alloc(a, sizeof *g.order * cap);
    g.taken = ec_arena_alloc(a, sizeof *g.taken * cap);
    EC_PASS(ec_allocated(g.entry && g.order && g.taken, err));
    for (i = 0; i < s->f.n_rows; i++)
        if (is_in(s, c, i))
            fill_entry(s, i, &g.entry[g.n++]);
    g.n_counts = counts_of(&g);
    *ret = g;
    return EC_OK;
}

static enum ec_status test_selection(struct group *g, const struct ec_fitted *bare, int selection,
                                     int64_t seed, struct errors *e, struct ec_err *err)
{
    int draws = selection == RANDOM ? RANDOM_DRAWS : 1, draw, k;

    for (draw = 0; draw < draws; draw++) {
        EC_PASS(choose(bare, g, selection, (uint64_t)(seed * 1000 + draw), err));
        for (k = 0; k < g->n_counts; k++)
            EC_PASS(test_count(g, bare, k, &e[k], err));
    }
    return EC_OK;
}

static double squared(double v)
{
    return v * v;
}

static bool is_even(double side)
{
    return fmod(side, MICRO_EVEN) == 0;
}

/* How far a row is from a micro-benchmark. */
static double from_micro(const struct ec_fit_row *r, enum micro micro)
{
    const struct ec_kernel *k = &r->step->kernel[0];
    double moved = k->read_elems + k->write_elems;

    if (micro == MICRO_STREAM)
        return squared(log(moved / (3 * MICRO_SIDE * MICRO_SIDE)));
    if (micro == MICRO_LAUNCH)
        return moved;
    if (!is_even(k->m) || !is_even(k->n) || !is_even(k->k))
        return HUGE_VAL;
    return squared(log(k->m * (k->b > 1 ? k->b : 1) / MICRO_SIDE)) +
           squared(log(k->n / MICRO_SIDE)) + squared(log(k->k / MICRO_SIDE));
}

/* The row of a device; -1: it has none. */
static int find_micro(const struct study *s, int device, enum micro micro)
{
    double best = HUGE_VAL;
    int i, ret = -1;

    for (i = 0; i < s->f.n_rows; i++) {
        const struct ec_fit_row *r = s->f.row[i];
        bool product = r->width == EC_W_gemm;
        double d;

        if (r->device != device || s->family[i] < 0 || !s->place[i] ||
            product != (micro == MICRO_PRODUCT) || (!product && families[s->family[i]].op))
            continue;
        d = from_micro(r, micro);
        if (d < best) {
            best = d;
            ret = i;
        }
    }
    return ret;
}

/* With two of them, and with all. e: by how many they are */
static enum ec_status test_micro(const struct study *s, struct group *g, int device,
                                 struct errors *e, struct ec_err *err)
{
    const struct entry *rows[MICRO_COUNT];
    struct entry micro[MICRO_COUNT];
    int i, k, at, n = 0, first_two = 0;

    for (k = 0; k < MICRO_COUNT; k++) {
        at = find_micro(s, device, (enum micro)k);
        if (at < 0)
            continue;
        fill_entry(s, at, &micro[n]);
        rows[n] = &micro[n];
        n++;
        first_two += k != MICRO_LAUNCH;
    }
    for (i = 0; i < g->n; i++) {
        g->taken[i] = false;
        for (k = 0; k < n; k++)
            g->taken[i] = g->taken[i] || g->entry[i].row == micro[k].row;
    }
    EC_PASS(test_group(g, &s->bare, rows, first_two, &e[MICRO_COUNT - 1], err));
    return test_group(g, &s->bare, rows, n, &e[MICRO_COUNT], err);
}

static void put_row(struct study *s, const char *table, int selection, int count, struct errors *e)
{
    double mid = ec_quantile_inplace(e->v, e->n, 0.5), p90 = ec_quantile_inplace(e->v, e->n, 0.9);

    ec_csv_put(s->out, table);
    ec_buf_printf(s->out, ",%s,%d,%d,%d,%.4f,%.4f,%.4f,%.4f\n", selection_names[selection], count,
                  e->n_cases / (selection == RANDOM ? RANDOM_DRAWS : 1), e->n, mid,
                  e->sum_of_means / e->n_cases, p90, (double)e->inside / e->n);
}

typedef struct errors all_errors[SELECTION_COUNT][EC_LEN(counts)];

static enum ec_status study_group(const struct study *s, const struct choice *c, struct ec_arena *a,
                                  all_errors e, struct ec_err *err)
{
    struct group g = { 0 };
    int k;

    ec_arena_clear(a);
    EC_PASS(group_fill(s, c, a, &g, err));
    if (!g.n_counts)
        return EC_OK;
    for (k = TELLING; k <= RANDOM; k++)
        EC_PASS(test_selection(&g, &s->bare, k, s->seed, e[k], err));
    if (c->family >= 0)
        EC_PASS(test_micro(s, &g, c->device, e[MICRO], err));
    return EC_OK;
}

static void put_table(struct study *s, const char *table, all_errors e)
{
    int i, k;

    for (i = 0; i < SELECTION_COUNT; i++)
        for (k = 0; k < EC_LEN(counts); k++)
            if (e[i][k].n)
                put_row(s, table, i, i == MICRO ? k : counts[k], &e[i][k]);
}

/* Errors of one table go into those of all. */
static enum ec_status add_errors(const all_errors from, all_errors to, struct ec_err *err)
{
    int i, k;

    for (i = 0; i < SELECTION_COUNT; i++)
        for (k = 0; k < EC_LEN(counts); k++) {
            const struct errors *a = &from[i][k];
            struct errors *b = &to[i][k];

            EC_PASS(ec_grow(&b->v, &b->cap, b->n + a->n + 1, sizeof *b->v, err));
            if (a->n)
                memcpy(b->v + b->n, a->v, sizeof *a->v * (size_t)a->n);
            b->n += a->n;
            b->inside += a->inside;
            b->n_cases += a->n_cases;
            b->sum_of_means += a->sum_of_means;
        }
    return EC_OK;
}

static void free_errors(all_errors e)
{
    int i, k;

    for (i = 0; i < SELECTION_COUNT; i++)
        for (k = 0; k < EC_LEN(counts); k++)
            ec_free(e[i][k].v);
}

static enum ec_status study_table(struct study *s, int source, struct ec_err *err)
{
    all_errors e = { 0 };
    struct ec_arena a = { 0 };
    struct choice c = { source, -1, 0 };
    enum ec_status st = EC_OK;

    for (c.device = 0; c.device < s->f.n_devices; c.device++)
        EC_TRY(study_group(s, &c, &a, e, err));
    put_table(s, s->f.source[source].name, e);
out:
    free_errors(e);
    ec_arena_clear(&a);
    return st;
}

/* Sources are called "who, what", and their tables "who/what.csv". */
static int first_part(const char *text, char end)
{
    const char *at = strchr(text, end);

    return at ? (int)(at - text) : (int)strlen(text);
}

static enum ec_status study_families(struct study *s, struct ec_err *err)
{
    const char *who = s->f.source[0].name;
    int who_len = first_part(who, ',');
    all_errors all = { 0 }, e = { 0 };
    struct ec_arena a = { 0 };
    struct choice c = { -1, 0, 0 };
    enum ec_status st = EC_OK;
    char name[80];

    for (c.family = 0; c.family < EC_LEN(families); c.family++) {
        for (c.device = 0; c.device < s->f.n_devices; c.device++)
            EC_TRY(study_group(s, &c, &a, e, err));
        EC_TRY(add_errors((const struct errors(*)[EC_LEN(counts)])e, all, err));
        (void)snprintf(name, sizeof name, "%.*s, operator: %s", who_len, who,
                       families[c.family].name);
        put_table(s, name, e);
        free_errors(e);
        memset(e, 0, sizeof e);
    }
    (void)snprintf(name, sizeof name, "%.*s, all cases of operator and device", who_len, who);
    put_table(s, name, all);
out:
    free_errors(e);
    free_errors(all);
    ec_arena_clear(&a);
    return st;
}

/* The family of a row. Of families with many rows on a device only every nth row is used. */
static int family_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    const char *table = f->source[r->source].table, *first = f->source[0].table;
    int i, rest = -1, folder = first_part(first, '/');

    if (!r->op || strncmp(table, first, (size_t)folder + 1) != 0)
        return -1;
    for (i = 0; i < EC_LEN(families); i++) {
        if (families[i].op && ec_str_eq(families[i].op, r->op->name))
            return i;
        if (!families[i].op)
            rest = i;
    }
    return rest;
}

static enum ec_status find_families(struct study *s, struct ec_err *err)
{
    const struct ec_fit *f = &s->f;
    int(*n)[EC_LEN(families)] = ec_alloc(sizeof *n * (size_t)(f->n_devices + 1));
    int(*at)[EC_LEN(families)] = ec_alloc(sizeof *at * (size_t)(f->n_devices + 1)), i;
    enum ec_status st = EC_OK;

    s->family = ec_alloc(sizeof *s->family * (size_t)(f->n_rows + 1));
    s->place = ec_alloc(sizeof *s->place * (size_t)(f->n_rows + 1));
    s->measured = ec_alloc(sizeof *s->measured * (size_t)(f->n_devices + 1));
    EC_TRY(ec_allocated(n && at && s->family && s->place && s->measured, err));
    for (i = 0; i < f->n_rows; i++) {
        s->measured[f->row[i]->device][f->row[i]->width][f->row[i]->cond.framework] = true;
        s->family[i] = family_of(f, f->row[i]);
        if (s->family[i] >= 0)
            n[f->row[i]->device][s->family[i]]++;
    }
    for (i = 0; i < f->n_rows; i++) {
        int family = s->family[i], device = f->row[i]->device, every;

        if (family < 0)
            continue;
        every = 1 + n[device][family] / FAMILY_ROWS_MAX;
        if (at[device][family]++ % every)
            s->family[i] = -1;
    }
out:
    ec_free(n);
    ec_free(at);
    return st;
}

/* Corrections fitted without the row's product, on physics without offsets; shares are the shipped
 * ones for basis specification. */
#define FOLDS EC_FIT_FOLDS_DEVICES
#define DEVICES_MAX 64 /* of a kind and a framework */

static int fold_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    return ec__fit_part(f, r, EC_BASIS_SPECIFICATION, FOLDS);
}

/* The predictor of one part of the products, fitted without it. */
struct fold {
    struct study *s;
    const double *x;
    int fold;
    struct ec_learned *learned;
};

/* Devices of other parts with rows of such queries. */
static int neighbours_of(const struct fold *l, const struct ec_fit_row *r,
                         int ret[EC_GP_NEIGHBOURS])
{
    const struct ec_fit *f = &l->s->f;
    const struct ec_device *found[DEVICES_MAX];
    int at[DEVICES_MAX], i, n = 0;

    for (i = 0; i < f->n_devices && n < DEVICES_MAX; i++) {
        struct ec_fit_row other = *r;

        other.device = i;
        if (fold_of(f, &other) == l->fold || !l->s->measured[i][r->width][r->cond.framework])
            continue;
        found[n] = f->device[i];
        at[n++] = i;
    }
    n = ec_nearest_devices(f->device[r->device], found, n, ret);
    for (i = 0; i < n; i++)
        ret[i] = at[ret[i]];
    return n;
}

static double departure(const struct fold *l, const struct ec_fit_row *r, int device)
{
    const struct ec_fit *f = &l->s->f;
    double known[EC_MEMBER_COUNT];
    struct ec_fit_row other = *r;

    other.device = device;
    ec__fit_answers(f, l->x, l->learned, &other, known);
    return fmax(-EC_DEPARTURE_MAX, fmin(EC_DEPARTURE_MAX, known[EC_MEMBER_trees]));
}

static enum ec_status place_row(const struct fold *l, int row, struct ec_err *err)
{
    struct ec_fit *f = &l->s->f;
    const struct ec_fit_row *r = f->row[row];
    struct ec_gp_query q = { .step = r->step, .op = r->op, .cond = r->cond, .kind = (int)r->width };
    double features[EC_FIT_COLUMNS], neighbour[EC_GP_NEIGHBOURS];
    int device[EC_GP_NEIGHBOURS], i;

    l->s->place[row] = ec_arena_alloc(&f->arena, sizeof **l->s->place);
    EC_PASS(ec_allocated(l->s->place[row], err));
    if (ec__fit_features(f, l->x, r, features))
        q.features = features;
    if (ec_gp_wants_neighbours(q.kind)) {
        q.n_neighbours = neighbours_of(l, r, device);
        for (i = 0; i < q.n_neighbours; i++)
            neighbour[i] = departure(l, r, device[i]);
        q.neighbour = neighbour;
    }
    ec_gp_place(&q, l->s->place[row]);
    return EC_OK;
}

static enum ec_status learn_fold(struct fold *l, struct ec_fit_row **scratch, struct ec_err *err)
{
    struct ec_fit *f = &l->s->f;
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++)
        if (fold_of(f, f->row[i]) != l->fold)
            scratch[n++] = f->row[i];
    EC_PASS(ec__fit_learn(f, l->x, scratch, n, l->learned, err));
    for (i = 0; i < f->n_rows; i++) {
        if (fold_of(f, f->row[i]) != l->fold || (!f->row[i]->few && l->s->family[i] < 0))
            continue;
        ec__fit_answers(f, l->x, l->learned, f->row[i], f->row[i]->answer[EC_BASIS_SPECIFICATION]);
        EC_PASS(place_row(l, i, err));
    }
    return EC_OK;
}

static enum ec_status learn_folds(struct study *s, struct ec_err *err)
{
    double *x = ec_alloc(sizeof *x * (size_t)ec__fit_params(&s->f));
    struct ec_fit_row **scratch = ec_alloc(sizeof *scratch * ((size_t)s->f.n_rows + 1));
    enum ec_status st = EC_OK;
    int fold;

    EC_TRY(ec_allocated(x && scratch, err));
    ec__fit_params_of(&ec_fitted()->c, x);
    for (fold = 0; fold < FOLDS; fold++) {
        struct fold l = { s, x, fold, ec_alloc(sizeof *l.learned) };

        ec__fit_say(s->f.opts, "corrections without part %d of %d of the products", fold + 1,
                    FOLDS);
        st = l.learned ? learn_fold(&l, scratch, err) : ec_nomem(err);
        ec_learned_free(l.learned);
        EC_TRY(st);
    }
out:
    ec_free(x);
    ec_free(scratch);
    return st;
}

enum ec_status ec_calibrate_study(const char *data_dir, int64_t seed,
                                  void (*progress)(void *ctx, const char *text), void *ctx,
                                  struct ec_buf *out, struct ec_err *err)
{
    struct ec_fit_opts opts = { .data_dir = data_dir,
                                .seed = seed,
                                .threads = THREADS,
                                .max_rows = 150,
                                .progress = progress,
                                .progress_ctx = ctx };
    struct study s = {
        .f = {.opts = &opts, .trees_only = true},
        .bare = ec_fitted_bare(ec_fitted()),
        .seed = seed,
        .out = out
    };
    enum ec_status st;
    int i;

    EC_TRY(ec__fit_collect(&s.f, err));
    EC_TRY(find_families(&s, err));
    EC_TRY(learn_folds(&s, err));
    ec_buf_str(out, "table,selection,calibration_rows,devices,tests,median_ape_frac,mean_ape_frac,"
                    "p90_ape_frac,coverage_of_90_frac\n");
    for (i = 0; i < s.f.n_sources; i++)
        EC_TRY(study_table(&s, i, err));
    EC_TRY(study_families(&s, err));
    EC_TRY(ec_buf_status(out, err));
out:
    ec_free(s.family);
    ec_free(s.place);
    ec_free(s.measured);
    ec__fit_clear(&s.f);
    return st;
}
