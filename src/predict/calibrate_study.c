/* What calibration reaches: errors against the number of calibration rows over the public tables,
 * each device in turn taken as one that nobody measured. */
#include "predict/calibrate_internal.h"
#include "predict/fit_internal.h"
#include "predict/gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The last of them only where rows are many. */
static const int counts[] = { 0, 1, 2, 5, 10, 20, 100 };
#define COUNT_MAX 100
#define COUNT_USUAL 20
/* A device counts in a table when so many rows are left to test beside the chosen ones. */
#define TEST_ROWS_MIN 10
#define RANDOM_DRAWS 3
#define KMEANS_ROUNDS 12
#define COORDS 5

enum selection { SPACE_FILLING, RANDOM, SELECTION_COUNT };
static const char *const selection_names[] = { "space-filling", "random" };

/* Rows of one device in one table. */
struct group {
    const struct ec_fit_row **row;
    double (*at)[COORDS]; /* where a row lies: logs of its work, scaled over the group */
    struct ec_map_row *map;
    int (*chosen)[COUNT_MAX]; /* rows to calibrate with, for each of counts */
    bool *taken;              /* by any of them: tested are the others, the same for all counts */
    int *order;
    int n, n_counts;
};

/* Errors of one table by selection and count, over its devices. */
struct errors {
    double *v;
    int n, cap, inside; /* the 90 % interval */
};

static void describe(const struct ec_fit_row *r, double at[COORDS])
{
    double flop = 0, elems = 0, launches = 0, weights = 0;
    int i;

    for (i = 0; i < r->step->n; i++) {
        const struct ec_kernel *k = &r->step->kernel[i];
        double repeat = r->step->repeat ? r->step->repeat[i] : 1;

        flop += repeat * k->flop;
        elems += repeat * (k->read_elems + k->write_elems);
        weights += repeat * k->weight_elems;
        launches += repeat * k->launches;
    }
    at[0] = log1p(flop);
    at[1] = log1p(elems);
    at[2] = log1p(flop) - log1p(elems + weights);
    at[3] = log1p(launches);
    at[4] = r->precision != EC_FP32;
}

/* Mean 0 and standard deviation 1 along each coordinate. */
static void scale(struct group *g)
{
    int c, i;

    for (c = 0; c < COORDS; c++) {
        double mean = 0, var = 0;

        for (i = 0; i < g->n; i++)
            mean += g->at[i][c] / g->n;
        for (i = 0; i < g->n; i++)
            var += (g->at[i][c] - mean) * (g->at[i][c] - mean) / g->n;
        for (i = 0; i < g->n; i++)
            g->at[i][c] = var > 0 ? (g->at[i][c] - mean) / sqrt(var) : 0;
    }
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    int c;

    for (c = 0; c < COORDS; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

static int nearest(const double (*centre)[COORDS], int n, const double *at)
{
    int i, best = 0;

    for (i = 1; i < n; i++)
        if (distance(centre[i], at) < distance(centre[best], at))
            best = i;
    return best;
}

/* One round of k-means: each centre moves to the mean of the rows nearest to it. */
static void move_centres(const struct group *g, double (*centre)[COORDS], int k)
{
    double sum[COUNT_MAX][COORDS] = { { 0 } };
    int n[COUNT_MAX] = { 0 }, i, c;

    for (i = 0; i < g->n; i++) {
        int at = nearest((const double(*)[COORDS])centre, k, g->at[i]);

        n[at]++;
        for (c = 0; c < COORDS; c++)
            sum[at][c] += g->at[i][c];
    }
    for (i = 0; i < k; i++)
        for (c = 0; c < COORDS && n[i]; c++)
            centre[i][c] = sum[i][c] / n[i];
}

/* The rows nearest to k centres of the cloud, no row twice. */
static void choose_space_filling(struct group *g, int k, int *ret)
{
    double centre[COUNT_MAX][COORDS];
    int i, j, round;

    for (i = 0; i < k; i++)
        memcpy(centre[i], g->at[(int64_t)i * g->n / k], sizeof centre[i]);
    for (round = 0; round < KMEANS_ROUNDS; round++)
        move_centres(g, centre, k);
    memset(g->taken, 0, sizeof *g->taken * (size_t)g->n);
    for (i = 0; i < k; i++) {
        ret[i] = -1;
        for (j = 0; j < g->n; j++)
            if (!g->taken[j] &&
                (ret[i] < 0 || distance(centre[i], g->at[j]) < distance(centre[i], g->at[ret[i]])))
                ret[i] = j;
        g->taken[ret[i]] = true;
    }
}

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

static void choose(struct group *g, int selection, uint64_t seed)
{
    int k, i;

    if (selection == RANDOM)
        shuffle(g, seed);
    for (k = 0; k < g->n_counts; k++)
        if (selection == RANDOM)
            memcpy(g->chosen[k], g->order, sizeof *g->order * (size_t)counts[k]);
        else
            choose_space_filling(g, counts[k], g->chosen[k]);
    memset(g->taken, 0, sizeof *g->taken * (size_t)g->n);
    for (k = 0; k < g->n_counts; k++)
        for (i = 0; i < counts[k]; i++)
            g->taken[g->chosen[k][i]] = true;
}

/* What the law and its corrections say with the offsets of the profile. */
static double predicted(const struct group *g, const struct ec_fitted *bare,
                        const struct ec_profile *p, int row)
{
    const struct ec_posed *q = &g->map[g->n + row].q;

    return ec__posed_log_ns(bare, q, p->change) + g->map[g->n + row].correction +
           ec__profile_width(bare, p, 1, q).mid;
}

static enum ec_status learn_residuals(const struct group *g, const struct ec_fitted *bare,
                                      const struct ec_profile *p, const int *chosen, int n,
                                      struct ec_gp **ret, struct ec_err *err)
{
    struct ec_gp_point point[COUNT_MAX];
    int i;

    for (i = 0; i < n; i++) {
        const struct ec_posed *q = &g->map[g->n + chosen[i]].q;

        ec_gp_place(q->step, q->op, q->precision, (int)q->kind, &point[i]);
        point[i].residual = log(g->row[chosen[i]]->time_ns) - predicted(g, bare, p, chosen[i]);
    }
    return ec_gp_new(point, n, ret, err);
}

static enum ec_status test_rows(const struct group *g, const struct ec_fitted *bare,
                                const struct ec_profile *p, const struct ec_gp *gp,
                                struct errors *e, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < g->n; i++) {
        const struct ec_posed *q = &g->map[g->n + i].q;
        struct ec_gp_point at;
        struct ec_width w;
        double t, unknown;

        if (g->taken[i])
            continue;
        ec_gp_place(q->step, q->op, q->precision, (int)q->kind, &at);
        t = predicted(g, bare, p, i) + ec_gp_mean(gp, &at, &unknown) - log(g->row[i]->time_ns);
        w = ec__profile_width(bare, p, unknown, q);
        EC_TRY(ec_grow(&e->v, &e->cap, e->n + 1, sizeof *e->v, err));
        e->v[e->n++] = fabs(expm1(t));
        e->inside += -t >= w.lo - w.mid && -t <= w.hi - w.mid;
    }
out:
    return st;
}

/* Errors on the rows that were not chosen, after calibrating with those that were. */
static enum ec_status test_count(struct group *g, const struct ec_fitted *bare, int count,
                                 struct errors *e, struct ec_err *err)
{
    struct ec_profile p = { 0 };
    struct ec_map map = { .fitted = bare, .row = g->map, .n = counts[count] };
    struct ec_gp *gp = NULL;
    enum ec_status st = EC_OK;
    int i, round;

    ec__calibrate_prior_sd(bare, g->map[g->n].q.device->key, map.prior_sd);
    for (i = 0; i < EC_DO_COUNT; i++)
        p.covariance[i][i] = map.prior_sd[i] * map.prior_sd[i];
    for (round = 0; round < EC_MAP_ROUNDS && map.n; round++) {
        for (i = 0; i < map.n; i++) {
            int row = g->chosen[count][i];

            g->map[i].q = g->map[g->n + row].q;
            g->map[i].time_ns = g->row[row]->time_ns;
            g->map[i].correction =
                g->map[g->n + row].correction + ec__profile_width(bare, &p, 1, &g->map[i].q).mid;
        }
        EC_TRY(ec__map_offsets(&map, p.change, p.covariance, err));
    }
    EC_TRY(learn_residuals(g, bare, &p, g->chosen[count], counts[count], &gp, err));
    EC_TRY(test_rows(g, bare, &p, gp, e, err));
out:
    ec_gp_free(gp);
    return st;
}

static enum ec_status group_fill(const struct ec_fit *f, int source, int device, struct ec_arena *a,
                                 struct group *ret, struct ec_err *err)
{
    struct group g = { 0 };
    size_t cap = 1;
    int i;

    for (i = 0; i < f->n_rows; i++)
        cap += f->row[i]->source == source && f->row[i]->device == device;
    g.row = ec_arena_alloc(a, sizeof *g.row * cap);
    g.at = ec_arena_alloc(a, sizeof *g.at * cap);
    g.map = ec_arena_alloc(a, sizeof *g.map * cap * 2);
    g.order = ec_arena_alloc(a, sizeof *g.order * cap);
    g.taken = ec_arena_alloc(a, sizeof *g.taken * cap);
    g.chosen = ec_arena_alloc(a, sizeof *g.chosen * EC_LEN(counts));
    if (!g.chosen || !g.row || !g.at || !g.map || !g.order || !g.taken)
        return ec_nomem(err);
    for (i = 0; i < f->n_rows; i++)
        if (f->row[i]->source == source && f->row[i]->device == device && f->row[i]->few)
            g.row[g.n++] = f->row[i];
    g.n_counts = EC_LEN(counts) - (g.n < 2 * COUNT_MAX + TEST_ROWS_MIN);
    for (i = 0; i < g.n; i++) {
        const struct ec_fit_row *r = g.row[i];

        describe(r, g.at[i]);
        g.map[g.n + i].q = (struct ec_posed){ .device = f->device[device],
                                              .step = r->step,
                                              .op = r->op,
                                              .precision = r->precision,
                                              .format = r->format,
                                              .framework = r->framework,
                                              .kind = r->width,
                                              .isolated = r->isolated,
                                              .queued = r->queued,
                                              .copy_bytes = r->copy_bytes };
        g.map[g.n + i].correction =
            ec__fit_correction(f, f->predictor->learned, EC_BASIS_SPECIFICATION, r, r->answer[1]);
    }
    scale(&g);
    *ret = g;
    return EC_OK;
}

static enum ec_status test_selection(struct group *g, const struct ec_fitted *bare, int selection,
                                     int64_t seed, struct errors *e, struct ec_err *err)
{
    int draws = selection == RANDOM ? RANDOM_DRAWS : 1, draw, k;
    enum ec_status st = EC_OK;

    for (draw = 0; draw < draws; draw++) {
        choose(g, selection, (uint64_t)(seed * 1000 + draw));
        for (k = 0; k < g->n_counts; k++)
            EC_TRY(test_count(g, bare, k, &e[k], err));
    }
out:
    return st;
}

static void put_row(const struct ec_fit *f, int source, int selection, int count, int n_devices,
                    struct errors *e, struct ec_buf *out)
{
    double sum = 0, mid, p90;
    int i;

    for (i = 0; i < e->n; i++)
        sum += e->v[i];
    mid = ec_quantile_inplace(e->v, e->n, 0.5);
    p90 = ec_quantile_inplace(e->v, e->n, 0.9);
    ec_csv_put(out, f->source[source].name);
    ec_buf_printf(out, ",%s,%d,%d,%d,%.4f,%.4f,%.4f,%.4f\n", selection_names[selection], count,
                  n_devices, e->n, mid, sum / e->n, p90, (double)e->inside / e->n);
}

static enum ec_status study_table(const struct ec_fit *f, const struct ec_fitted *bare, int source,
                                  int64_t seed, struct ec_buf *out, struct ec_err *err)
{
    struct errors e[SELECTION_COUNT][EC_LEN(counts)] = { 0 };
    struct ec_arena a = { 0 };
    enum ec_status st = EC_OK;
    int device, s, k, n_devices = 0, n_many = 0;

    for (device = 0; device < f->n_devices; device++) {
        struct group g = { 0 };

        ec_arena_clear(&a);
        EC_TRY(group_fill(f, source, device, &a, &g, err));
        if (g.n < 2 * COUNT_USUAL + TEST_ROWS_MIN)
            continue;
        n_devices++;
        n_many += g.n_counts == EC_LEN(counts);
        for (s = 0; s < SELECTION_COUNT; s++)
            EC_TRY(test_selection(&g, bare, s, seed, e[s], err));
    }
    for (s = 0; s < SELECTION_COUNT && n_devices; s++)
        for (k = 0; k < EC_LEN(counts); k++)
            if (e[s][k].n)
                put_row(f, source, s, counts[k], counts[k] > COUNT_USUAL ? n_many : n_devices,
                        &e[s][k], out);
out:
    for (s = 0; s < SELECTION_COUNT; s++)
        for (k = 0; k < EC_LEN(counts); k++)
            ec_free(e[s][k].v);
    ec_arena_clear(&a);
    return st;
}

/* Corrections that had nothing of the row's product, over the law without offsets; the shares are
 * those that ship for devices known from their specification. */
#define FOLDS 5

static int fold_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    return f->product_of[r->device] % FOLDS;
}

static enum ec_status learn_fold(const struct ec_fit *f, const double *x, int fold,
                                 struct ec_fit_row **scratch, struct ec_err *err)
{
    struct ec_learned *l = ec_alloc(sizeof *l);
    enum ec_status st = EC_OK;
    int i, n = 0;

    if (!l)
        return ec_nomem(err);
    for (i = 0; i < f->n_rows; i++)
        if (fold_of(f, f->row[i]) != fold)
            scratch[n++] = f->row[i];
    EC_TRY(ec__fit_learn(f, x, EC_BASIS_SPECIFICATION, scratch, n, l, err));
    for (i = 0; i < f->n_rows; i++)
        if (fold_of(f, f->row[i]) == fold)
            ec__fit_answers(f, x, l, EC_BASIS_SPECIFICATION, f->row[i], f->row[i]->answer[1]);
out:
    ec_learned_free(l);
    return st;
}

static enum ec_status learn_folds(const struct ec_fit *f, struct ec_err *err)
{
    double *x = ec_alloc(sizeof *x * (size_t)ec__fit_params(f));
    struct ec_fit_row **scratch = ec_alloc(sizeof *scratch * ((size_t)f->n_rows + 1));
    enum ec_status st = EC_OK;
    int fold;

    if (!x || !scratch)
        EC_TRY(ec_nomem(err));
    ec__fit_params_of(&ec__fitted()->c, x);
    for (fold = 0; fold < FOLDS; fold++) {
        ec__fit_say(f->opts, "corrections without part %d of %d of the products", fold + 1, FOLDS);
        EC_TRY(learn_fold(f, x, fold, scratch, err));
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
                                .threads = 1,
                                .max_rows = 150,
                                .progress = progress,
                                .progress_ctx = ctx };
    struct ec_fitted bare = *ec__fitted(); /* nothing known of any device beyond its catalogue */
    struct ec_fit f = { .opts = &opts };
    enum ec_status st;
    int s;

    bare.n_devices = bare.n_products = bare.n_hosts = 0;
    EC_TRY(ec__fit_collect(&f, err));
    EC_TRY(learn_folds(&f, err));
    ec_buf_str(out, "table,selection,calibration_rows,devices,tests,median_ape_frac,mean_ape_frac,"
                    "p90_ape_frac,coverage_of_90_frac\n");
    for (s = 0; s < f.n_sources; s++)
        EC_TRY(study_table(&f, &bare, s, seed, out, err));
    EC_TRY(ec_buf_status(out, err));
out:
    ec__fit_clear(&f);
    return st;
}
