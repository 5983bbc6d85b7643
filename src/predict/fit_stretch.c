/* How far errors reach within a group of rows, beside those of their whole kind: frameworks differ,
 * and so do forward passes and training. A group of few families, or few devices, is taken for
 * what its kind is, as far as they are few. For the table of errors each half of a group is judged
 * by the reach of the other. */
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

static int part_of(const struct ec_fit *f, const struct group *g, const struct ec_fit_row *r)
{
    return g->sizes ? r->id % 2 : ec__fit_part(f, r, g->basis, 2);
}

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

/* Rows that do not err alike: families of networks, or devices; single rows of operators. */
static bool same_cluster(const struct ec_fit *f, const struct group *g, const struct ec_fit_row *a,
                         const struct ec_fit_row *b)
{
    if (!g->sizes && g->basis == EC_BASIS_SPECIFICATION)
        return f->product_of[a->device] == f->product_of[b->device];
    return !a->isolated && ec_str_eq(a->family, b->family);
}

static double factor(double own, double of_kind, int n_clusters)
{
    double ratio = of_kind != 0 ? own / of_kind : 1;
    double share = n_clusters / (n_clusters + (ratio > 1 ? SHRINK_WIDER : SHRINK_NARROWER));

    ratio = fmax(1 / LARGEST_FACTOR, fmin(LARGEST_FACTOR, ratio));
    return exp(share * log(ratio));
}

/* Of the rows that are not in part `without`; -1: of all. `v` and `first` have room for all rows.
 */
static struct ec_stretch stretch_of(const struct ec_fit *f, const struct group *g, int without,
                                    struct ec_weighted *v, const struct ec_fit_row **first)
{
    const struct ec_width *kind = &f->width[g->kind][g->basis];
    struct ec_stretch ret = { 1, 1 };
    struct ec_width w;
    int i, k, n = 0, n_clusters = 0;

    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        if (!is_in(g, r) || part_of(f, g, r) == without || r->source_weight == 0)
            continue;
        v[n++] = (struct ec_weighted){ unit_error(f, g, r), r->source_weight };
        for (k = r->isolated && g->basis == EC_BASIS_MEASURED ? n_clusters : 0; k < n_clusters; k++)
            if (same_cluster(f, g, first[k], r))
                break;
        if (k == n_clusters)
            first[n_clusters++] = r;
    }
    if (n >= FEW_ROWS && kind->n >= FEW_ROWS) {
        w = ec__weighted_width(v, n);
        ret.lo = factor(w.lo, kind->lo - kind->mid, n_clusters);
        ret.hi = factor(w.hi, kind->hi - kind->mid, n_clusters);
    }
    return ret;
}

static void settle_group(struct ec_fit *f, const struct group *g, struct ec_weighted *v,
                         const struct ec_fit_row **first)
{
    struct ec_stretch half[2];
    int i;

    f->stretch[g->kind][g->basis][g->group] = stretch_of(f, g, -1, v, first);
    for (i = 0; i < 2; i++)
        half[i] = stretch_of(f, g, i, v, first);
    for (i = 0; i < f->n_rows; i++)
        if (is_in(g, f->row[i]))
            f->row[i]->stretch[g->sizes ? 2 : g->basis] = half[part_of(f, g, f->row[i])];
}

enum ec_status ec__fit_stretch(struct ec_fit *f, enum ec_basis basis, bool sizes,
                               struct ec_err *err)
{
    struct ec_weighted *v = ec_alloc(sizeof *v * (size_t)(f->n_rows + 1));
    const struct ec_fit_row **first = ec_alloc(sizeof *first * (size_t)(f->n_rows + 1));
    struct group g = { .basis = basis, .sizes = sizes };
    enum ec_status st = EC_OK;

    if (!v || !first)
        EC_TRY(ec_nomem(err));
    for (g.kind = 0; g.kind < EC_WIDTH_COUNT; g.kind++) {
        if (g.kind == EC_W_memory || (g.kind == EC_W_known_network) != sizes)
            continue;
        for (g.group = 0; g.group < EC_WIDTH_GROUPS; g.group++)
            settle_group(f, &g, v, first);
    }
out:
    ec_free(v);
    ec_free(first);
    return st;
}
