/* The contents of constants: numbers from a file, or a rule by which they are computed when a
 * program needs them. Networks of the zoo have masks of a million elements; counting and predicting
 * never look. */
#include "graph/build_internal.h"

#include <math.h>
#include <stdlib.h>

typedef bool rule_fits(const struct ec_shape *s, const double *arg);
typedef void rule_fill(const struct ec_shape *s, const double *arg, double *ret);

struct ec_rule {
    const char *name;
    int n_arg;
    rule_fits *fits; /* NULL: any shape but a scalar */
    rule_fill *fill;
};

static int64_t dim(const struct ec_shape *s, int from_end)
{
    return s->rank > from_end ? s->d[s->rank - 1 - from_end] : 1;
}

static int64_t elems(const struct ec_shape *s)
{
    int64_t n = 0;

    return ec_shape_count(s, &n) ? n : 0;
}

/* Shapes were checked: no side is 0. */
static int64_t some(int64_t side)
{
    return side > 0 ? side : 1;
}

/* Whole root, or 0. */
static int64_t root(int64_t v)
{
    int64_t r = (int64_t)llround(sqrt((double)v));

    return r > 0 && r < 3000000000 && r * r == v ? r : 0;
}

/* --- range: 0, 1, 2 ... along the last dimension --- */

static void range_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = elems(s), w = dim(s, 0), i;

    (void)arg;
    for (i = 0; i < n; i++)
        ret[i] = (double)(i % w);
}

/* --- causal: (..., queries, keys); a query sees the keys up to its own --- */

static void causal_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = elems(s), k = dim(s, 0), q = dim(s, 1), i;

    for (i = 0; i < n; i++)
        ret[i] = i % k <= i / k % q + (k - q) ? arg[0] : arg[1];
}

/* --- causal_window: the same, but for keys that lie so many before the query: 0, else masked ---
 */

static void causal_window_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = elems(s), k = dim(s, 0), q = dim(s, 1), i;

    for (i = 0; i < n; i++) {
        int64_t before = i / k % q + (k - q) - i % k;

        ret[i] = before >= 0 && (double)before < arg[0] ? 0 : arg[1];
    }
}

/* --- alibi: (..., heads, queries, keys); rises with the key, by a slope of each head --- */

static void alibi_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = elems(s), k = dim(s, 0), q = dim(s, 1), heads = dim(s, 2), i;

    (void)arg;
    for (i = 0; i < n; i++)
        ret[i] = (double)(i % k) * pow(2, -8.0 * (double)(i / k / q % heads + 1) / (double)heads);
}

/* --- relative_index: for each pair of tokens of a square window, the row of the bias table --- */

static bool is_window(const struct ec_shape *s, const double *arg)
{
    (void)arg;
    return root(root(elems(s))) > 0;
}

static void relative_index_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t l = root(elems(s)), side = root(l), i, j;

    (void)arg;
    for (i = 0; side > 0 && i < l; i++)
        for (j = 0; j < l; j++) {
            int64_t down = i / side - j / side + side - 1, right = i % side - j % side + side - 1;

            *ret++ = (double)(down * (2 * side - 1) + right);
        }
}

/* --- relative_coords: (1, n, n, 2), distances in a window, by their logarithm (Swin v2) --- */

static bool is_coords(const struct ec_shape *s, const double *arg)
{
    (void)arg;
    return s->rank == 4 && s->d[0] == 1 && s->d[1] == s->d[2] && s->d[1] % 2 && s->d[3] == 2;
}

static double log_distance(int64_t at, int64_t side)
{
    double x = side > 1 ? 8 * (double)(at - (side - 1)) / (double)(side - 1) : 0;

    return copysign(log2(fabs(x) + 1) / 3, x);
}

static void relative_coords_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = s->d[1], side = (n + 1) / 2, i;

    (void)arg;
    for (i = 0; i < n * n; i++) {
        *ret++ = log_distance(i / n, side);
        *ret++ = log_distance(i % n, side);
    }
}

/* --- pair_coords: (l * l, 2), rows and columns between two tokens of a window, by their logarithm
 * (Swin v2 by Christoph Reich) --- */

static bool is_pair_coords(const struct ec_shape *s, const double *arg)
{
    (void)arg;
    return s->rank == 2 && s->d[1] == 2 && root(root(s->d[0])) > 0;
}

static double signed_log(int64_t v)
{
    return copysign(log1p(fabs((double)v)), (double)v);
}

static void pair_coords_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t l = some(root(s->d[0])), side = some(root(l)), i;

    (void)arg;
    for (i = 0; i < l * l; i++) {
        *ret++ = signed_log(i / l / side - i % l / side);
        *ret++ = signed_log(i / l % side - i % l % side);
    }
}

/* --- log_coords: (1, n, n, 2), distances in a window, their logarithm as it is --- */

static void log_coords_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = s->d[1], side = (n + 1) / 2, i;

    (void)arg;
    for (i = 0; i < n * n; i++) {
        *ret++ = signed_log(i / n - (side - 1));
        *ret++ = signed_log(i % n - (side - 1));
    }
}

/* --- distance_index: (queries, keys) of two square maps with the same corners, where the keys of
 * each query begin anew: rows apart times the side of the keys, plus columns apart (LeViT) --- */

static bool is_distances(const struct ec_shape *s, const double *arg)
{
    int64_t q = root(dim(s, 1)), k = root(dim(s, 0));

    (void)arg;
    return s->rank == 2 && q > 0 && k >= q;
}

static void distance_index_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t q = some(root(s->d[0])), k = some(root(s->d[1])), step = (k + q - 1) / q, i, j;

    (void)arg;
    for (i = 0; i < q * q; i++)
        for (j = 0; j < k * k; j++)
            *ret++ = (double)(llabs(i / q * step - j / k) * k + llabs(i % q * step - j % k));
}

/* --- distances: (1, t, t, 3) of a square map: columns, rows and the square of both (ConViT) --- */

static bool is_pairs_of_3(const struct ec_shape *s, const double *arg)
{
    (void)arg;
    return s->rank == 4 && s->d[0] == 1 && s->d[1] == s->d[2] && s->d[3] == 3 && root(s->d[1]) > 0;
}

static void distances_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t t = some(s->d[1]), side = some(root(t)), i;

    (void)arg;
    for (i = 0; i < t * t; i++) {
        int64_t to = i % t, from = i / t, right = to % side - from % side;
        int64_t down = to / side - from / side;

        *ret++ = (double)right;
        *ret++ = (double)down;
        *ret++ = (double)(right * right + down * down);
    }
}

/* --- window_mask: (..., windows, 1, l, l) of a shifted map of arg[0] rows, shifted by arg[1]:
 * tokens from different sides of the seam do not see each other --- */

struct windows {
    int64_t side, rows, cols, shift;
};

static bool windows_of(const struct ec_shape *s, const double *arg, struct windows *ret)
{
    int64_t n;

    ret->side = root(dim(s, 0));
    if (s->rank < 4 || !elems(s) || !ret->side || dim(s, 1) != dim(s, 0) || dim(s, 2) != 1 ||
        !(arg[0] >= 1 && arg[0] <= 1e9 && arg[1] >= 1 && arg[1] < (double)ret->side))
        return false;
    ret->rows = (int64_t)arg[0] / ret->side;
    ret->shift = (int64_t)arg[1];
    n = dim(s, 3);
    ret->cols = ret->rows ? n / ret->rows : 0;
    return ret->cols && n == ret->rows * ret->cols && elems(s) == n * dim(s, 0) * dim(s, 0);
}

static bool is_windows(const struct ec_shape *s, const double *arg)
{
    struct windows w;

    return windows_of(s, arg, &w);
}

/* Of the three parts of a side: whole windows, the last window before the seam, after it. */
static int64_t stretch(int64_t at, int64_t windows, const struct windows *w)
{
    int64_t size = windows * w->side;

    return at < size - w->side ? 0 : at < size - w->shift ? 1 : 2;
}

static int64_t region(const struct windows *w, int64_t window, int64_t token)
{
    int64_t y = window / w->cols * w->side + token / w->side;
    int64_t x = window % w->cols * w->side + token % w->side;

    return 3 * stretch(y, w->rows, w) + stretch(x, w->cols, w);
}

static void window_mask_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    struct windows w = { 0 };
    int64_t l = dim(s, 0), n, i, j;

    if (!windows_of(s, arg, &w))
        return;
    for (n = 0; n < w.rows * w.cols; n++)
        for (i = 0; i < l; i++)
            for (j = 0; j < l; j++)
                *ret++ = region(&w, n, i) == region(&w, n, j) ? 0 : -100;
}

/* --- overlap_index: (windows, side*side) of a square map of arg[0] rows, a window every arg[1]
 * rows and columns: the pixels of each window --- */

static int64_t windows_across(const struct ec_shape *s, const double *arg)
{
    int64_t side = root(dim(s, 0)), rows = (int64_t)arg[0], step = (int64_t)arg[1];

    return side && rows >= side && (rows - side) % step == 0 ? (rows - side) / step + 1 : 0;
}

static bool is_overlap(const struct ec_shape *s, const double *arg)
{
    int64_t n;

    if (s->rank != 2 || !(arg[0] >= 1 && arg[0] <= 1e6 && arg[1] >= 1 && arg[1] <= arg[0]))
        return false;
    n = windows_across(s, arg);
    return n > 0 && s->d[0] == n * n;
}

static void overlap_index_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t side = root(dim(s, 0)), rows = (int64_t)arg[0], step = (int64_t)arg[1];
    int64_t across = windows_across(s, arg), w, t;

    for (w = 0; across > 0 && w < across * across; w++)
        for (t = 0; t < side * side; t++) {
            int64_t y = w / across * step + t / side, x = w % across * step + t % side;

            *ret++ = (double)(y * rows + x);
        }
}

/* --- positions: (..., t, d), sines and cosines of growing wavelengths --- */

static double angle(int64_t at, int64_t pair, int64_t d)
{
    return (double)at * pow(10000, -2 * (double)pair / (double)d);
}

static void positions_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = elems(s), d = dim(s, 0), t = dim(s, 1), i;

    (void)arg;
    for (i = 0; i < n; i++) {
        double a = angle(i / d % t, i % d / 2, d);

        ret[i] = i % d % 2 ? cos(a) : sin(a);
    }
}

/* Rotary: both halves of the features have the same angles. */
static void rotary_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = elems(s), d = dim(s, 0), t = dim(s, 1), half = d / 2 > 0 ? d / 2 : 1, i;

    for (i = 0; i < n; i++) {
        double a = angle(i / d % t, i % d % half, d);

        ret[i] = arg[0] > 0 ? sin(a) : cos(a);
    }
}

/* --- positions_2d: (..., c, h, w), of the rows in the first half of the channels, of the columns
 * in the second; a side is one turn of the longest wave (XCiT) --- */

static bool is_map(const struct ec_shape *s, const double *arg)
{
    (void)arg;
    return s->rank >= 3 && dim(s, 2) % 4 == 0;
}

static void positions_2d_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    static const double turn = 6.283185307179586;
    int64_t w = some(dim(s, 0)), h = some(dim(s, 1)), half = some(dim(s, 2) / 2);
    int64_t n = elems(s), i;

    (void)arg;
    for (i = 0; i < n; i++) {
        int64_t channel = i / (h * w) % (2 * half), row = i / w % h, column = i % w;
        double part = channel < half ? (double)(row + 1) / ((double)h + 1e-6)
                                     : (double)(column + 1) / ((double)w + 1e-6);
        double a = part * turn * angle(1, channel % half / 2, half);

        ret[i] = channel % 2 ? cos(a) : sin(a);
    }
}

/* --- grid: of the tokens of a square map, t in all, the column (arg[0] 0) or the row (1) --- */

static bool is_grid(const struct ec_shape *s, const double *arg)
{
    (void)arg;
    return root(elems(s)) > 0;
}

static void grid_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t t = elems(s), side = root(t), i;

    for (i = 0; side > 0 && i < t; i++)
        ret[i] = (double)(arg[0] > 0 ? i / side : i % side);
}

/* --- rotary_2d: (..., t, d) of a square map; in both halves of the features, angles of the row,
 * then of the column --- */

static bool is_square_map(const struct ec_shape *s, const double *arg)
{
    (void)arg;
    return s->rank >= 2 && dim(s, 0) % 4 == 0 && root(dim(s, 1)) > 0;
}

static void rotary_2d_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = elems(s), d = some(dim(s, 0)), t = some(dim(s, 1)), side = root(t);
    int64_t half = some(d / 2), i;

    for (i = 0; side > 0 && i < n; i++) {
        int64_t pair = i % half, at = i / d % t;
        double a = angle(pair < half / 2 ? at / side : at % side, pair % some(half / 2), half);

        ret[i] = arg[0] > 0 ? sin(a) : cos(a);
    }
}

/* --- line_index: (side, side), the distance of a key from a query on a line, from 0 on --- */

static bool is_line(const struct ec_shape *s, const double *arg)
{
    (void)arg;
    return s->rank == 2 && s->d[0] == s->d[1];
}

static void line_index_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t side = some(s->d[0]), i;

    (void)arg;
    for (i = 0; i < side * side; i++) {
        int64_t index = i / side - i % side + side - 1;

        ret[i] = (double)index;
    }
}

/* --- buckets: (t, t), the distance of a key from a query in 32 classes (T5); arg[0] > 0: keys
 * after the query have half of them --- */

enum { BUCKETS = 32, DISTANCE_MAX = 128 };

static int64_t bucket(int64_t distance, bool both) /* key - query */
{
    int64_t n = both ? BUCKETS / 2 : BUCKETS, base = both && distance > 0 ? n : 0, exact = n / 2,
            far;

    distance = both ? (distance < 0 ? -distance : distance) : distance < 0 ? -distance : 0;
    if (distance < exact)
        return base + distance;
    far = exact + (int64_t)(log((double)distance / (double)exact) /
                            log((double)DISTANCE_MAX / (double)exact) * (double)(n - exact));
    return base + (far < n - 1 ? far : n - 1);
}

static void buckets_fill(const struct ec_shape *s, const double *arg, double *ret)
{
    int64_t n = elems(s), k = dim(s, 0), q = dim(s, 1), i;

    for (i = 0; i < n; i++)
        ret[i] = (double)bucket(i % k - i / k % q, arg[0] > 0);
}

/* --- The table --- */

static const struct ec_rule rules[] = {
    {"alibi",            0, NULL,           alibi_fill          },
    { "buckets",         1, NULL,           buckets_fill        },
    { "causal",          2, NULL,           causal_fill         },
    { "causal_window",   2, NULL,           causal_window_fill  },
    { "distance_index",  0, is_distances,   distance_index_fill },
    { "distances",       0, is_pairs_of_3,  distances_fill      },
    { "grid",            1, is_grid,        grid_fill           },
    { "line_index",      0, is_line,        line_index_fill     },
    { "log_coords",      0, is_coords,      log_coords_fill     },
    { "overlap_index",   2, is_overlap,     overlap_index_fill  },
    { "pair_coords",     0, is_pair_coords, pair_coords_fill    },
    { "positions",       0, NULL,           positions_fill      },
    { "positions_2d",    0, is_map,         positions_2d_fill   },
    { "range",           0, NULL,           range_fill          },
    { "relative_coords", 0, is_coords,      relative_coords_fill},
    { "relative_index",  0, is_window,      relative_index_fill },
    { "rotary",          1, NULL,           rotary_fill         },
    { "rotary_2d",       1, is_square_map,  rotary_2d_fill      },
    { "window_mask",     2, is_windows,     window_mask_fill    },
};

static enum ec_status constant(struct ec_graph *g, int value, struct ec_value **ret,
                               struct ec_err *err)
{
    if (value < 0 || value >= g->n_values || g->values[value]->kind != EC_V_CONST)
        return ec_fail(err, EC_E_INPUT, "value %d is no constant", value);
    *ret = g->values[value];
    return EC_OK;
}

bool ec_graph_has_room(const struct ec_graph *g, int64_t n)
{
    return n <= EC_CONTENTS_MAX - g->n_contents;
}

static bool all_same(const double *v, int64_t n)
{
    int64_t i;

    for (i = 1; i < n; i++)
        if (v[i] != v[0])
            return false;
    return n > 0;
}

enum ec_status ec_graph_const_values(struct ec_graph *g, int value, const double *v, int64_t n,
                                     struct ec_err *err)
{
    struct ec_value *c = NULL;
    enum ec_status st = constant(g, value, &c, err);

    if (st)
        return st;
    if (n != 1 && n != elems(&c->type.shape))
        return ec_fail(err, EC_E_INPUT, "constant \"%.80s\" has %.0f elements, %lld were given",
                       c->name, ec_type_elems(&c->type), (long long)n);
    if (all_same(v, n))
        n = 1;
    if (!ec_graph_has_room(g, n))
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "constants hold more than %d numbers, \"%.80s\" the last of them",
                       EC_CONTENTS_MAX, c->name);
    c->contents = (struct ec_contents){ .n = n };
    c->contents.v = ec_arena_copy(&g->arena, v, sizeof *v * (size_t)n);
    if (!c->contents.v)
        return ec_nomem(err);
    g->n_contents += n;
    return EC_OK;
}

enum ec_status ec_graph_const_rule(struct ec_graph *g, int value, const char *rule,
                                   const double *arg, int n_arg, struct ec_err *err)
{
    const struct ec_rule *r = NULL;
    struct ec_value *c = NULL;
    enum ec_status st = constant(g, value, &c, err);
    int i;

    if (st)
        return st;
    for (i = 0; i < EC_LEN(rules) && !r; i++)
        if (ec_str_eq(rules[i].name, rule))
            r = &rules[i];
    if (!r || n_arg != r->n_arg)
        return ec_fail(err, EC_E_INPUT, "constant \"%.80s\": no rule \"%.40s\" of %d numbers",
                       c->name, rule, n_arg);
    c->contents = (struct ec_contents){ .rule = r };
    for (i = 0; i < n_arg; i++)
        c->contents.arg[i] = arg[i];
    if (r->fits ? !r->fits(&c->type.shape, c->contents.arg) : c->type.shape.rank < 1)
        st = ec_fail(err, EC_E_SHAPE, "constant \"%.80s\": its shape does not fit the rule %s",
                     c->name, r->name);
    if (st)
        c->contents = (struct ec_contents){ 0 };
    return st;
}

const char *ec_contents_rule(const struct ec_contents *c, int *ret_n_arg)
{
    *ret_n_arg = c->rule ? c->rule->n_arg : 0;
    return c->rule ? c->rule->name : NULL;
}

bool ec_value_contents(const struct ec_value *v, double *ret)
{
    const struct ec_contents *c = &v->contents;
    int64_t n = elems(&v->type.shape), i;

    if (!c->rule && !c->n)
        return false;
    if (c->rule && n)
        c->rule->fill(&v->type.shape, c->arg, ret);
    for (i = 0; !c->rule && i < n; i++)
        ret[i] = c->v[c->n == 1 ? 0 : i];
    return true;
}
