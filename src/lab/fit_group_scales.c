/* Scales of widths by group of rows, relative to their kind, since frameworks differ and so do
 * forward passes and training. Errors within a cluster (a family of networks, or a device) are
 * correlated: the error of a new cluster has the variance within clusters and the variance between
 * their medians. Groups with few clusters are shrunk towards the other groups of the kind. For the
 * table of errors, each cluster is evaluated with scales from the other clusters of its group, and
 * a single row with the other half of the rows. */
#include "lab/fit_internal.h"

#include <math.h>
#include <string.h>

#include "learn/learn.h"

/* Shrinkage: so many clusters weigh as much as the other groups, for the variance within clusters
 * and between their medians. */
#define SHRINK_WITHIN 2.0
#define SHRINK_BETWEEN 1.0
/* For independent rows: to reduce a width takes more of them than to increase it. */
#define SHRINK_WIDER 3.0
#define SHRINK_NARROWER 20.0
#define FEW_ROWS 20
#define FEW_SINGLE_ROWS 10
#define LARGEST_FACTOR 4.0
#define LARGEST_APART 16.0 /* a group of others, before it is drawn towards them */
/* Of a normal distribution: the variance of a median over that of a mean. */
#define MEDIAN_VARIANCE 1.57

struct group {
    int kind, group;
    enum ec_basis basis;
};

static bool is_in(const struct ec_fit *f, const struct group *g, const struct ec_fit_row *r)
{
    return ec_width_group(r->cond.framework, r->step, f->device[r->device], r->cond.queued) ==
               g->group &&
           (int)r->width == g->kind;
}

double ec__fit_unit_error(const struct ec_fit_row *r, enum ec_basis basis)
{
    return r->unseen[basis] / r->spread;
}

/* Whether errors of rows are independent: operators on measured devices. */
static bool is_single(const struct group *g, const struct ec_fit_row *r)
{
    return r->isolated && g->basis == EC_BASIS_MEASURED;
}

/* Whether errors are correlated: networks built alike, or devices of one architecture. */
static bool same_cluster(const struct ec_fit *f, const struct group *g, const struct ec_fit_row *a,
                         const struct ec_fit_row *b)
{
    if (g->basis == EC_BASIS_SPECIFICATION)
        return f->arch_of[a->device] == f->arch_of[b->device];
    return a->kin == b->kin;
}

/* Which cluster a row of a group is in; single rows: which half. */
struct member {
    struct ec_fit_row *row;
    int cluster;
    double error, weight;
    double around; /* error minus the median of its cluster */
};

/* A family, or a device, within a group. */
struct cluster {
    double mid, weight;
    int n;
};

/* Statistics of a group, or of several. */
struct reach {
    double lo, hi;       /* 5 and 95 % points of rows minus the median of their cluster */
    double mid, between; /* mean and variance of those middles */
    double of_groups;    /* variance of the groups' own, where there are several */
    double freedom;      /* of several groups: how many middles say `between`, beyond one a group */
    int n_rows, n_clusters;
};

/* The rows of a kind, group by group. */
struct room {
    struct member *member;
    struct ec_weighted *v;
    const struct ec_fit_row **first; /* of each cluster of a group, to find more of it */
    struct cluster *cluster;
    int from[EC_WIDTH_GROUPS + 1];          /* members of a group: from[g] to from[g + 1] */
    int first_cluster[EC_WIDTH_GROUPS + 1]; /* clusters likewise */
    struct reach own[EC_WIDTH_GROUPS];
};

/* Returns how many clusters. */
static int find_members(const struct ec_fit *f, const struct group *g, struct member *ret,
                        int *ret_n, const struct ec_fit_row **first)
{
    int i, k, n = 0, n_clusters = 0;

    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        if (!is_in(f, g, r))
            continue;
        if (is_single(g, r)) {
            k = r->id % 2;
            n_clusters = 2;
        } else {
            for (k = 0; k < n_clusters && !same_cluster(f, g, first[k], r); k++)
                continue;
            if (k == n_clusters)
                first[n_clusters++] = r;
        }
        ret[n++] = (struct member){ r, k, ec__fit_unit_error(r, g->basis),
                                    ec__fit_width_weight(r, g->basis), 0 };
    }
    *ret_n = n;
    return n_clusters;
}

/* Computes the medians of clusters, and the distance of each row from its own. */
static void find_middles(struct member *m, int n, struct cluster *c, int n_clusters,
                         struct ec_weighted *v)
{
    int i, k;

    for (k = 0; k < n_clusters; k++) {
        c[k] = (struct cluster){ 0 };
        for (i = 0; i < n; i++)
            if (m[i].cluster == k && m[i].weight > 0) {
                v[c[k].n++] = (struct ec_weighted){ m[i].error, m[i].weight };
                c[k].weight += sqrt(m[i].weight);
            }
        c[k].mid = ec__weighted_quantile(v, c[k].n, 0.5);
    }
    for (i = 0; i < n; i++)
        m[i].around = m[i].error - c[m[i].cluster].mid;
}

/* 5 and 95 % points of rows around the median, for clusters of several rows. */
static void find_ends(struct ec_weighted *v, int n, struct reach *ret)
{
    ret->n_rows = n;
    if (n < FEW_ROWS)
        return;
    ret->lo = ec__weighted_quantile(v, n, 0.05);
    ret->hi = ec__weighted_quantile(v, n, 0.95);
}

/* Of clusters but `out`: how far their middles lie apart, beyond what the rows of each explain. */
static void find_between(const struct cluster *c, int n, int out, struct reach *ret)
{
    double sum = 0, square = 0, weight = 0, noise = 0,
           sd = (ret->hi - ret->lo) / (2 * EC_NORMAL_95);
    int i;

    for (i = 0; i < n; i++)
        if (i != out && c[i].n) {
            ret->n_clusters++;
            weight += c[i].weight;
            sum += c[i].weight * c[i].mid;
            noise += c[i].weight * MEDIAN_VARIANCE * sd * sd / c[i].n;
        }
    if (ret->n_clusters < 2)
        return;
    ret->mid = sum / weight;
    for (i = 0; i < n; i++)
        if (i != out && c[i].n)
            square += c[i].weight * (c[i].mid - ret->mid) * (c[i].mid - ret->mid);
    square *= ret->n_clusters / (ret->n_clusters - 1.0);
    ret->between = fmax(0, (square - noise) / weight);
}

static struct reach reach_of(const struct room *room, int g, int out)
{
    const struct cluster *c = room->cluster + room->first_cluster[g];
    struct reach ret = { 0 };
    int i, n = 0;

    for (i = room->from[g]; i < room->from[g + 1]; i++) {
        const struct member *m = &room->member[i];

        if (m->cluster != out && c[m->cluster].n > 1 && m->weight > 0)
            room->v[n++] = (struct ec_weighted){ m->around, m->weight };
    }
    find_ends(room->v, n, &ret);
    find_between(c, room->first_cluster[g + 1] - room->first_cluster[g], out, &ret);
    return ret;
}

/* Statistics of all groups of the kind but one: the prior of a group without rows. */
static struct reach reach_of_others(const struct room *room, int but)
{
    struct cluster group[EC_WIDTH_GROUPS] = { { 0 } };
    struct reach ret = { 0 }, of_groups = { 0 };
    double sum = 0, freedom = 0;
    int g, i, n = 0, n_clusters = 0;

    for (g = 0; g < EC_WIDTH_GROUPS; g++) {
        const struct cluster *c = room->cluster + room->first_cluster[g];

        if (g == but)
            continue;
        for (i = room->from[g]; i < room->from[g + 1]; i++)
            if (c[room->member[i].cluster].n > 1 && room->member[i].weight > 0)
                room->v[n++] =
                    (struct ec_weighted){ room->member[i].around, room->member[i].weight };
        n_clusters += room->own[g].n_clusters;
        if (room->own[g].n_clusters > 1) {
            sum += room->own[g].between * (room->own[g].n_clusters - 1);
            freedom += room->own[g].n_clusters - 1;
            group[g] = (struct cluster){ room->own[g].mid, 1, room->own[g].n_rows };
        }
    }
    find_ends(room->v, n, &ret);
    find_between(group, EC_WIDTH_GROUPS, -1, &of_groups);
    ret.n_clusters = n_clusters;
    ret.freedom = freedom;
    ret.between = freedom > 0 ? sum / freedom : 0;
    ret.of_groups = of_groups.between;
    return ret;
}

static double drawn(double own, double others, double share)
{
    double ratio = others != 0 ? own / others : 1;

    ratio = fmax(1 / LARGEST_APART, fmin(LARGEST_APART, ratio));
    return others * exp(share * log(ratio));
}

/* Weight of other groups with n clusters: few clusters have little. */
static double strength(double most, double n)
{
    return most * n / (n + most);
}

/* The scale for a new cluster: variance within and between clusters. */
static struct ec_width_scale joined(const struct ec_width *kind, const struct reach *own,
                                    const struct reach *others)
{
    double n = own->n_clusters, within = strength(SHRINK_WITHIN, others->n_clusters);
    double share = own->n_rows < FEW_ROWS ? 0 : n / (n + within), apart;
    double lo = others->lo, hi = others->hi, between = others->between + others->of_groups, most;

    if (others->n_rows < FEW_ROWS) { /* the group is all there is of the kind */
        lo = own->lo;
        hi = own->hi;
        between = own->between;
    } else if (share > 0) {
        lo = drawn(own->lo, lo, share);
        hi = drawn(own->hi, hi, share);
        apart = strength(SHRINK_BETWEEN, others->freedom);
        if (n - 1 + apart > 0)
            between = ((n - 1) * own->between + apart * others->between) / (n - 1 + apart);
    }
    most = EC_NORMAL_95 * EC_NORMAL_95 * between * (1 + 1 / fmax(n, 1));
    lo = sqrt(lo * lo + most) / -kind->lo;
    hi = sqrt(hi * hi + most) / kind->hi;
    return (struct ec_width_scale){ fmax(1 / LARGEST_FACTOR, fmin(LARGEST_FACTOR, lo)),
                                    fmax(1 / LARGEST_FACTOR, fmin(LARGEST_FACTOR, hi)) };
}

static double single_factor(double own, double of_kind, int n)
{
    double ratio = of_kind != 0 ? own / of_kind : 1;
    double share = n / (n + (ratio > 1 ? SHRINK_WIDER : SHRINK_NARROWER));

    ratio = fmax(1 / LARGEST_FACTOR, fmin(LARGEST_FACTOR, ratio));
    return exp(share * log(ratio));
}

/* Of rows that err apart, but those of one half. */
static struct ec_width_scale single_scale(const struct ec_width *kind, const struct room *room,
                                          int g, int out)
{
    struct ec_width_scale ret = { 1, 1 };
    int i, n = 0;

    for (i = room->from[g]; i < room->from[g + 1]; i++)
        if (room->member[i].cluster != out && room->member[i].weight > 0)
            room->v[n++] = (struct ec_weighted){ room->member[i].error, room->member[i].weight };
    if (n < FEW_SINGLE_ROWS)
        return ret;
    ret.lo = single_factor(ec__weighted_quantile(room->v, n, 0.05), kind->lo, n);
    ret.hi = single_factor(ec__weighted_quantile(room->v, n, 0.95), kind->hi, n);
    return ret;
}

static void settle_group(struct ec_fit *f, const struct group *g, struct room *room)
{
    const struct ec_width *kind = &f->width[g->kind][g->basis];
    int from = room->from[g->group], to = room->from[g->group + 1], out, i;
    int n_outs = room->first_cluster[g->group + 1] - room->first_cluster[g->group];
    struct reach others;

    if (from == to || kind->n < FEW_ROWS)
        return;
    others = reach_of_others(room, g->group);
    for (out = -1; out < n_outs; out++) {
        struct reach own = reach_of(room, g->group, out);
        struct ec_width_scale s = is_single(g, room->member[from].row)
                                      ? single_scale(kind, room, g->group, out)
                                      : joined(kind, &own, &others);

        if (out < 0)
            f->group_scale[g->kind][g->basis][g->group] = s;
        for (i = from; i < to; i++)
            if (room->member[i].cluster == out)
                room->member[i].row->group_scale[g->basis] = s;
    }
}

static void settle_kind(struct ec_fit *f, struct group *g, struct room *room)
{
    int i, n, n_clusters;

    for (i = 0; i < EC_WIDTH_GROUPS; i++) {
        g->group = i;
        f->group_scale[g->kind][g->basis][i] = (struct ec_width_scale){ 1, 1 };
        n_clusters = find_members(f, g, room->member + room->from[i], &n, room->first);
        room->from[i + 1] = room->from[i] + n;
        room->first_cluster[i + 1] = room->first_cluster[i] + n_clusters;
        find_middles(room->member + room->from[i], n, room->cluster + room->first_cluster[i],
                     n_clusters, room->v);
        room->own[i] = reach_of(room, i, -1);
    }
    for (g->group = 0; g->group < EC_WIDTH_GROUPS; g->group++)
        settle_group(f, g, room);
}

/* ------------------------------------------------------------------------------------------------
 * Networks on a device that was measured: hosts differ, and some change their speed. */

/* The error as a share of what its group reaches on that side. */
static double share_of_reach(const struct ec_fit *f, const struct ec_fit_row *r)
{
    const struct ec_width *w = &f->width[r->width][EC_BASIS_MEASURED];
    const struct ec_width_scale *s = &r->group_scale[EC_BASIS_MEASURED];
    double error = ec__fit_unit_error(r, EC_BASIS_MEASURED);

    return error < 0 ? error / (s->lo * w->lo) : error / (s->hi * w->hi);
}

/* Factor of a device's networks, without one family; 1 without others. */
static double reach_there(const struct member *m, int n, int out, struct ec_weighted *v)
{
    int i, used = 0, n_families = 0, last = -1;

    for (i = 0; i < n; i++)
        if (m[i].cluster != out) {
            v[used++] = (struct ec_weighted){ m[i].error, m[i].weight };
            n_families += m[i].cluster > last;
            last = m[i].cluster > last ? m[i].cluster : last;
        }
    return used < FEW_SINGLE_ROWS
               ? 1
               : single_factor(ec__weighted_quantile(v, used, 0.9), 1, n_families);
}

/* Sets the factor of each row from the other families; returns the factor over all families. */
static double settle_device(struct ec_fit *f, int device, struct room *room)
{
    struct member *m = room->member;
    int i, k, out, n = 0, n_kin = 0;

    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        if (r->isolated || r->device != device || r->bare[EC_BASIS_MEASURED])
            continue;
        for (k = 0; k < n_kin && room->first[k]->kin != r->kin; k++)
            continue;
        if (k == n_kin)
            room->first[n_kin++] = r;
        m[n++] = (struct member){ r, k, share_of_reach(f, r), r->reach_weight, 0 };
    }
    for (out = 0; out < n_kin; out++) {
        double others = reach_there(m, n, out, room->v);

        for (i = 0; i < n; i++)
            if (m[i].cluster == out)
                m[i].row->interval_factor = others;
    }
    return reach_there(m, n, -1, room->v);
}

static void settle_devices(struct ec_fit *f, struct room *room)
{
    int i;

    for (i = 0; i < f->n_rows; i++)
        f->row[i]->interval_factor = 1;
    for (i = 0; i < f->n_devices; i++)
        f->interval_factor[i] = settle_device(f, i, room);
}

enum ec_status ec__fit_group_scales(struct ec_fit *f, enum ec_basis basis, struct ec_err *err)
{
    size_t most = (size_t)f->n_rows + 2 * (size_t)EC_WIDTH_GROUPS + 1;
    struct room *room = ec_alloc(sizeof *room);
    struct group g = { .basis = basis };
    enum ec_status st = EC_OK;

    if (!room)
        return ec_nomem(err);
    room->member = ec_alloc(sizeof *room->member * most);
    room->v = ec_alloc(sizeof *room->v * most);
    room->first = ec_alloc(sizeof *room->first * most);
    room->cluster = ec_alloc(sizeof *room->cluster * most);
    EC_TRY(ec_allocated(room->member && room->v && room->first && room->cluster, err));
    for (g.kind = 0; g.kind < EC_WIDTH_COUNT; g.kind++)
        if (g.kind != EC_W_memory)
            settle_kind(f, &g, room);
    if (basis == EC_BASIS_MEASURED)
        settle_devices(f, room);
out:
    ec_free(room->member);
    ec_free(room->v);
    ec_free(room->first);
    ec_free(room->cluster);
    ec_free(room);
    return st;
}
