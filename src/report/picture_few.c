/* Reduces bars, curves or labels that are too many for one picture. Those with values in most
 * series stay, as they can be compared. The picture says how many are shown. */
#include "report/picture_internal.h"

#include <stdlib.h>

enum { BARS_MAX = 96, PLACES_MIN = 8, PLACES_MAX = 28 };

struct candidate {
    int index;   /* of a category, or the first series of a kind */
    int n;       /* number of series with it */
    double size; /* decides between equals: the larger first */
};

static int best_first(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;

    if (p->n != q->n)
        return q->n - p->n;
    if (p->size < q->size || p->size > q->size)
        return p->size < q->size ? 1 : -1;
    return p->index - q->index;
}

/* Keeps the marked series, or categories, in their order. */
static enum ec_status keep_marked(struct ec__points *pts, bool categories, int *marks,
                                  struct ec_err *err)
{
    int n = categories ? pts->categories.n : pts->series.n, i, left = 0;

    for (i = 0; i < n; i++)
        marks[i] = marks[i] ? left++ : -1;
    return ec__points_place(pts, categories, marks, err);
}

/* ------------------------------------------------------------------------------------------------
 * Categories: bars of a network at so many batches */

static void count_values(const struct ec__points *pts, enum ec__rank by, struct candidate *v)
{
    int i;

    for (i = 0; i < pts->categories.n; i++)
        v[i] = (struct candidate){ .index = i };
    for (i = 0; i < pts->n; i++) {
        v[pts->v[i].category].n++;
        if (by == EC__BY_SUM || (by == EC__BY_FIRST && !pts->v[i].series))
            v[pts->v[i].category].size += pts->v[i].y;
    }
}

/* Of categories with the same word in the first column, keeps the one in most series; of equals the
 * last, which has the largest batch. */
static enum ec_status one_each(const struct ec_csv *t, const struct ec__points *pts,
                               const struct candidate *v, int *keep, struct ec_err *err)
{
    struct ec_groups g = { 0 };
    enum ec_status st =
        ec__csv_group(t, pts->categories.cols, 1, pts->categories.row, pts->categories.n, &g, err);
    int i, k;

    for (i = 0; i < g.n; i++) {
        int best = ec_group_first(&g, i);

        for (k = g.begin[i]; k < g.begin[i + 1]; k++)
            best = v[g.item[k]].n >= v[best].n ? g.item[k] : best;
        for (k = g.begin[i]; k < g.begin[i + 1]; k++)
            keep[g.item[k]] = g.item[k] == best;
    }
    ec_groups_clear(&g);
    return st;
}

/* Drops categories in one series only, if others can be compared. */
static void drop_lonely(const struct candidate *v, int n, int *keep)
{
    int i, several = 0;

    for (i = 0; i < n; i++)
        several += keep[i] && v[i].n > 1;
    for (i = 0; i < n && several > 2; i++)
        keep[i] = keep[i] && v[i].n > 1;
}

enum ec_status ec__few_categories(const struct ec_csv *t, struct ec__points *pts, enum ec__rank by,
                                  const char **ret_note, struct ec_err *err)
{
    int n = pts->categories.n, bars = by == EC__BY_SUM ? 1 : pts->series.n, max, i, left = 0;
    struct candidate *v = ec_arena_alloc(&pts->arena, sizeof *v * (size_t)(n + 1));
    int *keep = ec_arena_alloc(&pts->arena, sizeof *keep * (size_t)(n + 1));

    EC_PASS(ec_allocated(v && keep, err));
    max = BARS_MAX / (bars > 0 ? bars : 1);
    max = max < PLACES_MIN ? PLACES_MIN : max > PLACES_MAX ? PLACES_MAX : max;
    if (n <= max)
        return EC_OK;
    for (i = 0; i < n; i++)
        keep[i] = true;
    count_values(pts, by, v);
    if (pts->categories.n_cols > 1)
        EC_PASS(one_each(t, pts, v, keep, err));
    if (by == EC__BY_SERIES)
        drop_lonely(v, n, keep);
    for (i = 0; i < n; i++)
        if (keep[i])
            v[left++] = v[i];
    qsort(v, (size_t)left, sizeof *v, best_first);
    for (i = max; i < left; i++)
        keep[v[i].index] = false;
    EC_PASS(keep_marked(pts, true, keep, err));
    *ret_note =
        ec_arena_printf(&pts->arena, "%d of %d shown, %s", pts->categories.n, n,
                        by == EC__BY_SERIES ? "those that most series have" : "the largest");
    return *ret_note ? EC_OK : ec_nomem(err);
}

/* ------------------------------------------------------------------------------------------------
 * Curves: of a network in so many environments */

/* Drops series of one point, if others have more. */
static enum ec_status drop_points(struct ec__points *pts, struct ec_err *err)
{
    int *n = ec_arena_alloc(&pts->arena, sizeof *n * (size_t)(pts->series.n + 1)), i, longest = 0;

    EC_PASS(ec_allocated(n, err));
    for (i = 0; i < pts->n; i++)
        n[pts->v[i].series]++;
    for (i = 0; i < pts->series.n; i++) {
        longest = n[i] > longest ? n[i] : longest;
        n[i] = n[i] > 1;
    }
    return longest > 1 ? keep_marked(pts, false, n, err) : EC_OK;
}

enum ec_status ec__few_curves(const struct ec_csv *t, struct ec__points *pts, int max,
                              const char **ret_note, struct ec_err *err)
{
    struct ec_groups g = { 0 }; /* series that differ in their environment alone */
    const struct ec__names *series = &pts->series;
    enum ec_status st = drop_points(pts, err);
    int n = series->n, *keep = ec_arena_alloc(&pts->arena, sizeof *keep * (size_t)(n + 1));
    struct candidate *v = ec_arena_alloc(&pts->arena, sizeof *v * (size_t)(n + 1));
    int i, k, left = 0, taken = 0;

    if (!st && !(v && keep))
        st = ec_nomem(err);
    if (st || n <= max || series->n_cols < 2)
        return st;
    EC_TRY(ec__csv_group(t, series->cols + 1, series->n_cols - 1, series->row, n, &g, err));
    for (i = 0; i < g.n; i++)
        v[i] = (struct candidate){ .index = i, .n = ec_group_size(&g, i) };
    for (i = 0; i < pts->n; i++)
        v[g.of[pts->v[i].series]].size++;
    qsort(v, (size_t)g.n, sizeof *v, best_first);
    if (v[0].n < 2) /* nothing to compare */
        goto out;
    for (i = 0; i < g.n && left + v[i].n <= max; i++, taken++) {
        for (k = g.begin[v[i].index]; k < g.begin[v[i].index + 1]; k++)
            keep[g.item[k]] = true;
        left += v[i].n;
    }
    if (!taken)
        goto out;
    EC_TRY(keep_marked(pts, false, keep, err));
    *ret_note =
        ec_arena_printf(&pts->arena, "%d of %d networks, those of most environments", taken, g.n);
    st = *ret_note ? EC_OK : ec_nomem(err);
out:
    ec_groups_clear(&g);
    return st;
}

void ec__name_ends(const struct ec_series *s, const char **labels)
{
    int fast = 0, slow = 0, right = 0, left = 0, i;

    for (i = 0; i < s->n; i++) {
        fast = s->y[i] > s->y[fast] ? i : fast;
        slow = s->y[i] < s->y[slow] ? i : slow;
        right = s->x[i] > s->x[right] ? i : right;
        left = s->x[i] < s->x[left] ? i : left;
    }
    for (i = 0; i < s->n; i++)
        if (i != fast && i != slow && i != right && i != left)
            labels[i] = "";
}
