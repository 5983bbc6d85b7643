/* What is left over of known networks, shrunk: the mean of a network over the conditions it was
 * measured under, and what those conditions add. How well that does for a batch or an image size
 * that was not measured is told by leaving those out, whole. */
#include "learn/learn.h"
#include "predict/effects.h"
#include "predict/fit_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mean of n counts as n rows and this many of 0. */
#define SHRINK_NETWORK 2.0
#define SHRINK_CONDITIONS 0.2

struct known {
    struct ec_effect_keys keys;
    double size;
    double left_over; /* after physics and correction */
    double correction;
    bool in;     /* teaches */
    bool steady; /* did not wait for a host that changed its speed */
};

/* Which part a row is in when whole sizes of networks are left out. */
static int size_part(const struct ec_fit_row *r)
{
    double mac = ec_network_mac(r->step);
    uint64_t h = ec_hash(&mac, sizeof mac) ^ r->network;

    return (int)((h * 0x9e3779b97f4a7c15u >> 33) % EC_FIT_FOLDS_SIZES);
}

static struct ec_effect_keys keys_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    return ec_effect_keys(r->network, ec_device_key(f->device[r->device]), r->mode, r->precision,
                          r->framework, r->format);
}

static struct ec_effect *effect_at(struct ec_effects *e, uint64_t key)
{
    int i;

    for (i = 0; i < e->n; i++)
        if (e->v[i].key == key)
            return &e->v[i];
    return NULL;
}

struct mean {
    double sum;
    int n;
};

/* Adds one mean to `ret` for each key: of left_over, by network or by conditions. Rows that waited
 * for an unsteady host make nothing known: they help where others do. */
static enum ec_status add_means(const struct known *k, int n, bool conditions, double shrink,
                                struct ec_effects *ret, struct ec_err *err)
{
    struct ec_effects own = { ec_alloc(sizeof *own.v * (size_t)(n + 1)), 0 };
    struct mean *mean = ec_alloc(sizeof *mean * (size_t)(n + 1));
    enum ec_status st = EC_OK;
    int i;

    if (!own.v || !mean)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < n; i++) {
        uint64_t key = conditions ? k[i].keys.conditions : k[i].keys.network;
        bool teaches = k[i].in && k[i].steady;
        struct ec_effect *e = teaches ? effect_at(&own, key) : NULL;

        if (!teaches)
            continue;
        if (!e) {
            e = &own.v[own.n++];
            e->key = key;
        }
        mean[e - own.v].sum += k[i].left_over;
        mean[e - own.v].n++;
    }
    for (i = 0; i < own.n; i++) {
        own.v[i].log_factor = (float)(mean[i].sum / (mean[i].n + shrink));
        ret->v[ret->n++] = own.v[i];
    }
out:
    ec_free(own.v);
    ec_free(mean);
    return st;
}

static double effect_of(const struct ec_effects *e, uint64_t key)
{
    const struct ec_effect *at = ec_effects_find(e, key);

    return at ? (double)at->log_factor : 0;
}

/* How far a measurement may lie off, beside what ec_sizes_alike says; one that waited for a host
 * that changed its speed. */
#define ANCHOR_NOISE 0.3
#define UNSTEADY_ANCHOR_NOISE 1.0

static int by_conditions(const void *a, const void *b)
{
    const struct known *x = a, *y = b;

    if (x->keys.conditions != y->keys.conditions)
        return x->keys.conditions < y->keys.conditions ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->left_over > y->left_over) - (x->left_over < y->left_over);
}

/* The sizes measured under one set of conditions: (K + noise)^-1 left_over. */
static void add_anchors(const struct known *k, int n, struct ec_effects *ret)
{
    double matrix[EC_ANCHORS_MAX * EC_ANCHORS_MAX], weight[EC_ANCHORS_MAX];
    int i, j;

    n = n < EC_ANCHORS_MAX ? n : EC_ANCHORS_MAX;
    for (i = 0; i < n; i++) {
        weight[i] = k[i].left_over;
        for (j = 0; j < n; j++)
            matrix[i * n + j] = ec_sizes_alike(k[i].size, k[j].size);
        matrix[i * n + i] += k[i].steady ? ANCHOR_NOISE : UNSTEADY_ANCHOR_NOISE;
    }
    if (!ec_cholesky_solve(matrix, weight, n))
        return;
    for (i = 0; i < n; i++) {
        uint64_t key = k[i].keys.conditions;

        ret->v[ret->n++] =
            (struct ec_effect){ ec_anchor_key(key, i, EC_ANCHOR_WEIGHT), (float)weight[i] };
        ret->v[ret->n++] = (struct ec_effect){ ec_anchor_key(key, i, EC_ANCHOR_SIZE_OF),
                                               (float)(k[i].size / EC_ANCHOR_SIZE) };
    }
}

static enum ec_status add_sizes(const struct known *k, int n, struct ec_effects *ret,
                                struct ec_err *err)
{
    struct known *in = ec_alloc(sizeof *in * (size_t)(n + 1));
    int i, from, to, n_in = 0;

    if (!in)
        return ec_nomem(err);
    for (i = 0; i < n; i++)
        if (k[i].in)
            in[n_in++] = k[i];
    qsort(in, (size_t)n_in, sizeof *in, by_conditions);
    for (from = 0; from < n_in; from = to) {
        for (to = from; to < n_in && in[to].keys.conditions == in[from].keys.conditions; to++)
            continue;
        add_anchors(in + from, to - from, ret);
    }
    ec_free(in);
    return EC_OK;
}

/* The part of a correction that ec_learned_effect takes back: what is left over grows by it. */
static double held_back(const struct known *k)
{
    return (1 - EC_KNOWN_CORRECTION) * k->correction;
}

/* Networks first, then what conditions add to them. left_over of `k` is used up. */
static enum ec_status make_effects(struct known *k, int n, struct ec_effects *ret,
                                   struct ec_err *err)
{
    struct ec_effects e = { ec_alloc(sizeof *e.v * (size_t)(4 * n + 1)), 0 };
    enum ec_status st = EC_OK;
    int i;

    if (!e.v)
        return ec_nomem(err);
    EC_TRY(add_means(k, n, false, SHRINK_NETWORK, &e, err));
    ec_effects_sort(&e);
    for (i = 0; i < n; i++)
        k[i].left_over += held_back(&k[i]) - effect_of(&e, k[i].keys.network);
    EC_TRY(add_means(k, n, true, SHRINK_CONDITIONS, &e, err));
    EC_TRY(add_sizes(k, n, &e, err));
    ec_effects_sort(&e);
    *ret = e;
    e.v = NULL;
out:
    ec_free(e.v);
    return st;
}

/* Rows of networks as `known`; part < 0: all teach, otherwise those of the part do not. */
static void know(const struct ec_fit *f, const double *x, const struct ec_learned *l, int part,
                 struct known *ret)
{
    int i;

    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];
        double answer[EC_MEMBER_COUNT], correction;

        if (r->isolated)
            continue;
        ec__fit_answers(f, x, l, EC_BASIS_MEASURED, r, answer);
        correction = ec__fit_correction(f, f->learned, EC_BASIS_MEASURED, r, answer);
        *ret++ = (struct known){
            .keys = keys_of(f, r),
            .size = ec_network_size(r->step),
            .left_over = -ec__fit_log_error(f, x, i) - correction -
                         f->width[r->width][EC_BASIS_MEASURED].mid,
            .correction = correction,
            .in = size_part(r) != part,
            .steady = !r->unsteady,
        };
    }
}

/* Predicts the rows of a part from the others; notes what is left of those whose conditions are
 * known. */
static enum ec_status run_part(struct ec_fit *f, const double *x, int part, struct known *k, int n,
                               struct ec_err *err)
{
    struct ec_fit_row **train = ec_alloc(sizeof *train * (size_t)(f->n_rows + 1));
    struct ec_learned *l = ec_alloc(sizeof *l);
    struct ec_effects e = { 0 };
    enum ec_status st;
    int i, j, n_train = 0;

    if (!train || !l)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < f->n_rows; i++)
        if (!f->row[i]->isolated && size_part(f->row[i]) != part)
            train[n_train++] = f->row[i];
    EC_TRY(ec__fit_learn(f, x, EC_BASIS_MEASURED, train, n_train, l, err));
    know(f, x, l, part, k);
    for (i = 0, j = 0; i < f->n_rows; i++)
        if (!f->row[i]->isolated && !k[j++].in)
            f->row[i]->unseen_size = k[j - 1].left_over + held_back(&k[j - 1]);
    EC_TRY(make_effects(k, n, &e, err));
    for (i = 0, j = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        if (r->isolated || k[j++].in)
            continue;
        r->known_size = ec_effects_find(&e, k[j - 1].keys.conditions) != NULL;
        r->unseen_size -= effect_of(&e, k[j - 1].keys.network) +
                          ec_effect_near(&e, k[j - 1].keys.conditions, k[j - 1].size);
    }
out:
    ec_free(e.v);
    ec_learned_free(l);
    ec_free(train);
    return st;
}

static enum ec_status settle_width(struct ec_fit *f, struct ec_err *err)
{
    struct ec_weighted *v = ec_alloc(sizeof *v * (size_t)(f->n_rows + 1));
    struct ec_width *w = &f->width[EC_W_known_network][EC_BASIS_MEASURED];
    int i, n = 0;

    if (!v)
        return ec_nomem(err);
    for (i = 0; i < f->n_rows; i++)
        if (f->row[i]->known_size)
            v[n++] = (struct ec_weighted){ f->row[i]->unseen_size, f->row[i]->source_weight };
    *w = ec__weighted_width(v, n);
    f->width[EC_W_known_network][EC_BASIS_SPECIFICATION] = *w;
    ec_free(v);
    return ec__fit_stretch(f, EC_BASIS_MEASURED, true, err);
}

enum ec_status ec__fit_effects(struct ec_fit *f, const double *x, struct ec_err *err)
{
    struct known *k;
    enum ec_status st;
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++)
        n += !f->row[i]->isolated;
    k = ec_alloc(sizeof *k * (size_t)(n + 1));
    if (!k)
        return ec_nomem(err);
    for (i = 0; i < EC_FIT_FOLDS_SIZES && !f->opts->quick; i++)
        EC_TRY(run_part(f, x, i, k, n, err));
    if (!f->opts->quick)
        EC_TRY(settle_width(f, err));
    know(f, x, f->learned, -1, k);
    EC_TRY(make_effects(k, n, &f->learned->effects, err));
out:
    ec_free(k);
    return st;
}
