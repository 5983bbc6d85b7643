/* How far errors reach within a group of rows, beside those of their whole kind: frameworks differ,
 * and so do forward passes and training. A group of few families, or few devices, is taken for
 * what its kind is, as far as they are few. For the table of errors each family, or device, is
 * judged by the reach of the others in its group; single rows by the other half of theirs. */
#include "predict/fit_internal.h"

#include <math.h>
#include <string.h>

/* So many families or devices count as much as the kind: more of them to promise less error than
 * to warn of more. */
#define SHRINK_WIDER 3.0
#define SHRINK_NARROWER 20.0
#define FEW_ROWS 20
#define LARGEST_FACTOR 4.0

struct group {
    int kind, group;
    enum ec_basis basis;
    bool sizes; /* errors at batches that were not known */
};

static bool is_in(const struct group *g, const struct ec_fit_row *r)
{
    return ec__width_group(r->framework, r->step) == g->group &&
           (g->sizes ? !r->isolated && r->known_size : (int)r->width == g->kind);
}

/* The error over what counts as one for this row. */
static double unit_error(const struct ec_fit *f, const struct group *g, const struct ec_fit_row *r)
{
    double mid = f->width[g->kind][g->basis].mid;

    return g->sizes ? r->unseen_size - mid : (r->unseen[g->basis] - mid) / r->spread[g->basis];
}

/* Single rows err apart: of operators on measured devices, and of networks at other sizes. */
static bool is_single(const struct group *g, const struct ec_fit_row *r)
{
    return g->sizes || (r->isolated && g->basis == EC_BASIS_MEASURED);
}

/* Rows that do not err alike: families of networks, or devices; single rows of operators. */
static bool same_cluster(const struct ec_fit *f, const struct group *g, const struct ec_fit_row *a,
                         const struct ec_fit_row *b)
{
    if (!g->sizes && g->basis == EC_BASIS_SPECIFICATION)
        return f->product_of[a->device] == f->product_of[b->device];
    return !a->isolated && ec_str_eq(a->family, b->family);
}

/* Where the rows of a group are: which cluster each is in, and with which it is left out. */
struct member {
    struct ec_fit_row *row;
    int cluster, out;
};

/* first: a row of each cluster so far. Returns how many members. */
static int find_members(const struct ec_fit *f, const struct group *g, struct member *ret,
                        const struct ec_fit_row **first, int *ret_clusters)
{
    int i, k, n = 0, n_clusters = 0;

    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        if (!is_in(g, r))
            continue;
        for (k = r->isolated && g->basis == EC_BASIS_MEASURED ? n_clusters : 0; k < n_clusters; k++)
            if (same_cluster(f, g, first[k], r))
                break;
        if (k == n_clusters)
            first[n_clusters++] = r;
        ret[n++] = (struct member){ r, k, is_single(g, r) ? r->id % 2 : k };
    }
    *ret_clusters = n_clusters;
    return n;
}

static double factor(double own, double of_kind, int n_clusters)
{
    double ratio = of_kind != 0 ? own / of_kind : 1;
    double share = n_clusters / (n_clusters + (ratio > 1 ? SHRINK_WIDER : SHRINK_NARROWER));

    ratio = fmax(1 / LARGEST_FACTOR, fmin(LARGEST_FACTOR, ratio));
    return exp(share * log(ratio));
}

/* Room for one group. */
struct room {
    struct member *member;
    struct ec_weighted *v;
    const struct ec_fit_row **first;
    bool *seen; /* clusters */
    int n, n_clusters;
};

/* Of the members that are not left out with `out`; -1: of all. */
static struct ec_stretch stretch_of(const struct ec_fit *f, const struct group *g, int out,
                                    struct room *room)
{
    const struct ec_width *kind = &f->width[g->kind][g->basis];
    struct ec_stretch ret = { 1, 1 };
    struct ec_width w;
    int i, n = 0, n_clusters = 0;

    memset(room->seen, 0, sizeof *room->seen * (size_t)room->n_clusters);
    for (i = 0; i < room->n; i++) {
        const struct member *m = &room->member[i];

        if (m->out == out || m->row->source_weight == 0)
            continue;
        room->v[n++] = (struct ec_weighted){ unit_error(f, g, m->row), m->row->source_weight };
        n_clusters += !room->seen[m->cluster];
        room->seen[m->cluster] = true;
    }
    if (n >= FEW_ROWS && kind->n >= FEW_ROWS) {
        w = ec__weighted_width(room->v, n);
        ret.lo = factor(w.lo, kind->lo - kind->mid, n_clusters);
        ret.hi = factor(w.hi, kind->hi - kind->mid, n_clusters);
    }
    return ret;
}

static void settle_group(struct ec_fit *f, const struct group *g, struct room *room)
{
    int i, out, n_outs;

    room->n = find_members(f, g, room->member, room->first, &room->n_clusters);
    f->stretch[g->kind][g->basis][g->group] = stretch_of(f, g, -1, room);
    n_outs = room->n && is_single(g, room->member[0].row) ? 2 : room->n_clusters;
    for (out = 0; out < n_outs; out++) {
        struct ec_stretch others = stretch_of(f, g, out, room);

        for (i = 0; i < room->n; i++)
            if (room->member[i].out == out)
                room->member[i].row->stretch[g->sizes ? 2 : g->basis] = others;
    }
}

enum ec_status ec__fit_stretch(struct ec_fit *f, enum ec_basis basis, bool sizes,
                               struct ec_err *err)
{
    size_t most = (size_t)f->n_rows + 1;
    struct room room = { .member = ec_alloc(sizeof *room.member * most),
                         .v = ec_alloc(sizeof *room.v * most),
                         .first = ec_alloc(sizeof *room.first * most),
                         .seen = ec_alloc(sizeof *room.seen * most) };
    struct group g = { .basis = basis, .sizes = sizes };
    enum ec_status st = EC_OK;

    if (!room.member || !room.v || !room.first || !room.seen)
        EC_TRY(ec_nomem(err));
    for (g.kind = 0; g.kind < EC_WIDTH_COUNT; g.kind++) {
        if (g.kind == EC_W_memory || (g.kind == EC_W_known_network) != sizes)
            continue;
        for (g.group = 0; g.group < EC_WIDTH_GROUPS; g.group++)
            settle_group(f, &g, &room);
    }
out:
    ec_free(room.member);
    ec_free(room.v);
    ec_free(room.first);
    ec_free(room.seen);
    return st;
}
