/* What is left over of known networks, shrunk: the mean of a network over the conditions it was
 * measured under, and what those conditions add. How well that does for a batch or an image size
 * that was not measured is told by leaving those out, whole. */
#include "predict/effects.h"
#include "predict/fit_internal.h"

#include <math.h>
#include <string.h>

/* A mean of n counts as n rows and this many of 0. */
#define SHRINK_NETWORK 2.0
#define SHRINK_CONDITIONS 0.2

struct known {
    struct ec_effect_keys keys;
    double left_over; /* after physics and correction */
    bool in;          /* teaches */
};

/* Which part a row is in when whole sizes of networks are left out. */
static int size_part(const struct ec_fit_row *r)
{
    double mac = 0;
    uint64_t h;
    int i;

    for (i = 0; i < r->step->n; i++)
        if (r->step->kernel[i].phase == EC_FORWARD)
            mac += (r->step->repeat ? r->step->repeat[i] : 1) * r->step->kernel[i].mac;
    h = ec_hash(&mac, sizeof mac) ^ r->network;
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

/* Adds one mean to `ret` for each key: of left_over, by network or by conditions. */
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
        struct ec_effect *e = k[i].in ? effect_at(&own, key) : NULL;

        if (!k[i].in)
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

/* Networks first, then what conditions add to them. left_over of `k` is used up. */
static enum ec_status make_effects(struct known *k, int n, struct ec_effects *ret,
                                   struct ec_err *err)
{
    struct ec_effects e = { ec_alloc(sizeof *e.v * (size_t)(2 * n + 1)), 0 };
    enum ec_status st = EC_OK;
    int i;

    if (!e.v)
        return ec_nomem(err);
    EC_TRY(add_means(k, n, false, SHRINK_NETWORK, &e, err));
    ec_effects_sort(&e);
    for (i = 0; i < n; i++)
        k[i].left_over -= effect_of(&e, k[i].keys.network);
    EC_TRY(add_means(k, n, true, SHRINK_CONDITIONS, &e, err));
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
        double answer[EC_MEMBER_COUNT];

        if (r->isolated)
            continue;
        ec__fit_answers(f, x, l, EC_BASIS_MEASURED, r, answer);
        *ret++ = (struct known){
            .keys = keys_of(f, r),
            .left_over = -ec__fit_log_error(f, x, i) -
                         ec__fit_correction(f, f->learned, EC_BASIS_MEASURED, r, answer) -
                         f->width[r->width][EC_BASIS_MEASURED].mid,
            .in = size_part(r) != part && r->source_weight > 0,
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
            f->row[i]->unseen_size = k[j - 1].left_over;
    EC_TRY(make_effects(k, n, &e, err));
    for (i = 0, j = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        if (r->isolated || k[j++].in)
            continue;
        r->known_size = ec_effects_find(&e, k[j - 1].keys.conditions) != NULL;
        r->unseen_size -=
            effect_of(&e, k[j - 1].keys.network) + effect_of(&e, k[j - 1].keys.conditions);
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
