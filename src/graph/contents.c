/* The contents of constants: numbers from a file, or a rule by which they are computed when a
 * program needs them. Networks of the zoo have masks of a million elements; counting and predicting
 * never look. */
#include "graph/build_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* An element of a constant: its index, its place in the last dimension (x), in the one before (y)
 * and before that (z), and the sizes of these, 1 where there are fewer. Roots are whole, or 0. */
struct at {
    const struct ec_shape *s;
    const double *arg;
    int64_t i, x, y, z, n, nx, ny, nz;
    int64_t root_n, root_x, root_y; /* of n, nx and ny: sides of square maps */
};

struct ec_rule {
    const char *name;
    int n_arg;
    bool (*fits)(const struct at *p); /* NULL: any shape but a scalar */
    double (*value)(const struct at *p);
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

static int64_t root(int64_t v)
{
    int64_t r = (int64_t)llround(sqrt((double)v));

    return r > 0 && r < 3000000000 && r * r == v ? r : 0;
}

/* A side or a number of them: not 0 where a rule fits. */
static int64_t divisor(int64_t v)
{
    assert(v > 0);
    return v;
}

static struct at first_of(const struct ec_shape *s, const double *arg)
{
    int64_t n = elems(s), nx = dim(s, 0), ny = dim(s, 1);

    return (struct at){ .s = s,
                        .arg = arg,
                        .n = n,
                        .nx = nx,
                        .ny = ny,
                        .nz = dim(s, 2),
                        .root_n = root(n),
                        .root_x = root(nx),
                        .root_y = root(ny) };
}

static bool fits(const struct ec_rule *r, const struct at *p)
{
    return r->fits ? r->fits(p) : p->s->rank > 0;
}

/* --- range: 0, 1, 2 ... along the last dimension --- */

static double range(const struct at *p)
{
    return (double)p->x;
}

/* --- causal: (..., queries, keys); a query sees the keys up to its own --- */

/* How far a key lies before its query. */
static int64_t before(const struct at *p)
{
    return p->y + (p->nx - p->ny) - p->x;
}

static double causal(const struct at *p)
{
    return before(p) >= 0 ? p->arg[0] : p->arg[1];
}

/* --- causal_window: the same, but for keys that lie so many before the query: 0, else masked ---
 */

static double causal_window(const struct at *p)
{
    return before(p) >= 0 && (double)before(p) < p->arg[0] ? 0 : p->arg[1];
}

/* --- alibi: (..., heads, queries, keys); rises with the key, by a slope of each head --- */

static double alibi(const struct at *p)
{
    return (double)p->x * pow(2, -8.0 * (double)(p->z + 1) / (double)p->nz);
}

/* --- relative_index: for each pair of tokens of a square window, the row of the bias table --- */

static bool is_window(const struct at *p)
{
    return root(p->root_n) > 0;
}

static double relative_index(const struct at *p)
{
    int64_t all = divisor(p->root_n), side = divisor(root(all)), i = p->i / all, j = p->i % all;
    int64_t down = i / side - j / side + side - 1, right = i % side - j % side + side - 1;

    return (double)(down * (2 * side - 1) + right);
}

/* --- relative_coords: (1, n, n, 2), distances in a window, by their logarithm (Swin v2) --- */

static bool is_coords(const struct at *p)
{
    return p->s->rank == 4 && p->s->d[0] == 1 && p->nz == p->ny && p->ny % 2 && p->nx == 2;
}

/* From the middle of the window, down or to the right. */
static int64_t apart(const struct at *p)
{
    return (p->x ? p->y : p->z) - ((p->ny + 1) / 2 - 1);
}

static double relative_coords(const struct at *p)
{
    int64_t most = (p->ny + 1) / 2 - 1;
    double v = most > 0 ? 8 * (double)apart(p) / (double)most : 0;

    return copysign(log2(fabs(v) + 1) / 3, v);
}

/* --- log_coords: the same, their logarithm as it is --- */

static double signed_log(int64_t v)
{
    return copysign(log1p(fabs((double)v)), (double)v);
}

static double log_coords(const struct at *p)
{
    return signed_log(apart(p));
}

/* --- pair_coords: (l * l, 2), rows and columns between two tokens of a window, by their logarithm
 * (Swin v2 by Christoph Reich) --- */

static bool is_pair_coords(const struct at *p)
{
    return p->s->rank == 2 && p->nx == 2 && root(p->root_y) > 0;
}

static double pair_coords(const struct at *p)
{
    int64_t all = divisor(p->root_y), side = divisor(root(all)), i = p->y / all, j = p->y % all;

    return signed_log(p->x ? i % side - j % side : i / side - j / side);
}

/* --- distance_index: (queries, keys) of two square maps with the same corners, where the keys of
 * each query begin anew: rows apart times the side of the keys, plus columns apart (LeViT) --- */

static bool is_distances(const struct at *p)
{
    return p->s->rank == 2 && p->root_y > 0 && p->root_x >= p->root_y;
}

static double distance_index(const struct at *p)
{
    int64_t q = p->root_y, k = p->root_x, step = (k + q - 1) / q;

    return (double)(llabs(p->y / q * step - p->x / k) * k + llabs(p->y % q * step - p->x % k));
}

/* --- distances: (1, t, t, 3) of a square map: columns, rows and the square of both (ConViT) --- */

static bool is_pairs_of_3(const struct at *p)
{
    return p->s->rank == 4 && p->s->d[0] == 1 && p->nz == p->ny && p->nx == 3 && p->root_y > 0;
}

static double distances(const struct at *p)
{
    int64_t side = p->root_y, right = p->y % side - p->z % side, down = p->y / side - p->z / side;

    return (double)(p->x == 0 ? right : p->x == 1 ? down : right * right + down * down);
}

/* --- window_mask: (..., windows, 1, l, l) of a shifted map of arg[0] rows, shifted by arg[1]:
 * tokens from different sides of the seam do not see each other --- */

struct windows {
    int64_t side, rows, cols, shift;
};

static struct windows windows_of(const struct at *p)
{
    int64_t rows = (int64_t)p->arg[0] / p->root_x;

    return (struct windows){ p->root_x, rows, rows ? dim(p->s, 3) / rows : 0, (int64_t)p->arg[1] };
}

static bool is_windows(const struct at *p)
{
    struct windows w;

    if (p->s->rank < 4 || !p->n || !p->root_x || p->ny != p->nx || p->nz != 1 ||
        !(p->arg[0] >= 1 && p->arg[0] <= 1e9 && p->arg[1] >= 1 && p->arg[1] < (double)p->root_x))
        return false;
    w = windows_of(p);
    return w.cols && dim(p->s, 3) == w.rows * w.cols && p->n == dim(p->s, 3) * p->nx * p->nx;
}

/* Of the three parts of a side: whole windows, the last window before the seam, after it. */
static int64_t stretch(int64_t at, int64_t windows, const struct windows *w)
{
    int64_t size = windows * w->side;

    return at < size - w->side ? 0 : at < size - w->shift ? 1 : 2;
}

static int64_t region(const struct windows *w, int64_t window, int64_t token)
{
    int64_t cols = divisor(w->cols);
    int64_t y = window / cols * w->side + token / w->side;
    int64_t x = window % cols * w->side + token % w->side;

    return 3 * stretch(y, w->rows, w) + stretch(x, w->cols, w);
}

static double window_mask(const struct at *p)
{
    const struct windows w = windows_of(p);
    int64_t window = p->i / p->nx / p->ny;

    return region(&w, window, p->y) == region(&w, window, p->x) ? 0 : -100;
}

/* --- overlap_index: (windows, side*side) of a square map of arg[0] rows, a window every arg[1]
 * rows and columns: the pixels of each window --- */

static int64_t windows_across(const struct at *p)
{
    int64_t side = p->root_x, rows = (int64_t)p->arg[0], step = (int64_t)p->arg[1];

    return side && rows >= side && (rows - side) % step == 0 ? (rows - side) / step + 1 : 0;
}

static bool is_overlap(const struct at *p)
{
    int64_t n;

    if (p->s->rank != 2 ||
        !(p->arg[0] >= 1 && p->arg[0] <= 1e6 && p->arg[1] >= 1 && p->arg[1] <= p->arg[0]))
        return false;
    n = windows_across(p);
    return n > 0 && p->ny == n * n;
}

static double overlap_index(const struct at *p)
{
    int64_t across = divisor(windows_across(p)), step = (int64_t)p->arg[1];
    int64_t row = p->y / across * step + p->x / p->root_x;
    int64_t column = p->y % across * step + p->x % p->root_x;

    return (double)(row * (int64_t)p->arg[0] + column);
}

/* --- positions: (..., t, d), sines and cosines of growing wavelengths --- */

static double angle(int64_t at, int64_t pair, int64_t d)
{
    return (double)at * pow(10000, -2 * (double)pair / (double)d);
}

static double positions(const struct at *p)
{
    double a = angle(p->y, p->x / 2, p->nx);

    return p->x % 2 ? cos(a) : sin(a);
}

/* Rotary: both halves of the features have the same angles. */
static double rotary(const struct at *p)
{
    double a = angle(p->y, p->x % (p->nx > 1 ? p->nx / 2 : 1), p->nx);

    return p->arg[0] > 0 ? sin(a) : cos(a);
}

/* --- positions_2d: (..., c, h, w), of the rows in the first half of the channels, of the columns
 * in the second; a side is one turn of the longest wave (XCiT) --- */

static bool is_map(const struct at *p)
{
    return p->s->rank >= 3 && p->nz % 4 == 0;
}

static double positions_2d(const struct at *p)
{
    static const double turn = 6.283185307179586;
    int64_t half = p->nz / 2;
    double part = p->z < half ? (double)(p->y + 1) / ((double)p->ny + 1e-6)
                              : (double)(p->x + 1) / ((double)p->nx + 1e-6);
    double a = part * turn * angle(1, p->z % half / 2, half);

    return p->z % 2 ? cos(a) : sin(a);
}

/* --- grid: of the tokens of a square map, t in all, the column (arg[0] 0) or the row (1) --- */

static bool is_grid(const struct at *p)
{
    return p->root_n > 0;
}

static double grid(const struct at *p)
{
    return (double)(p->arg[0] > 0 ? p->i / p->root_n : p->i % p->root_n);
}

/* --- rotary_2d: (..., t, d) of a square map; in both halves of the features, angles of the row,
 * then of the column --- */

static bool is_square_map(const struct at *p)
{
    return p->s->rank >= 2 && p->nx % 4 == 0 && p->root_y > 0;
}

static double rotary_2d(const struct at *p)
{
    int64_t half = p->nx / 2, pair = p->x % half;
    int64_t at = pair < half / 2 ? p->y / p->root_y : p->y % p->root_y;
    double a = angle(at, pair % (half / 2), half);

    return p->arg[0] > 0 ? sin(a) : cos(a);
}

/* --- line_index: (side, side), the distance of a key from a query on a line, from 0 on --- */

static bool is_line(const struct at *p)
{
    return p->s->rank == 2 && p->nx == p->ny;
}

static double line_index(const struct at *p)
{
    return (double)(p->y - p->x + p->nx - 1);
}

/* --- buckets: (t, t), the distance of a key from a query in 32 classes (T5); arg[0] > 0: keys
 * after the query have half of them --- */

enum { BUCKETS = 32, DISTANCE_MAX = 128 };

static double buckets(const struct at *p)
{
    bool both = p->arg[0] > 0;
    int64_t distance = p->x - p->y, n = both ? BUCKETS / 2 : BUCKETS, exact = n / 2, far;
    int64_t base = both && distance > 0 ? n : 0;

    distance = both ? llabs(distance) : distance < 0 ? -distance : 0;
    if (distance < exact)
        return (double)(base + distance);
    far = exact + (int64_t)(log((double)distance / (double)exact) /
                            log((double)DISTANCE_MAX / (double)exact) * (double)(n - exact));
    return (double)(base + (far < n - 1 ? far : n - 1));
}

/* --- The table --- */

static const struct ec_rule rules[] = {
    {"alibi",            0, NULL,           alibi          },
    { "buckets",         1, NULL,           buckets        },
    { "causal",          2, NULL,           causal         },
    { "causal_window",   2, NULL,           causal_window  },
    { "distance_index",  0, is_distances,   distance_index },
    { "distances",       0, is_pairs_of_3,  distances      },
    { "grid",            1, is_grid,        grid           },
    { "line_index",      0, is_line,        line_index     },
    { "log_coords",      0, is_coords,      log_coords     },
    { "overlap_index",   2, is_overlap,     overlap_index  },
    { "pair_coords",     0, is_pair_coords, pair_coords    },
    { "positions",       0, NULL,           positions      },
    { "positions_2d",    0, is_map,         positions_2d   },
    { "range",           0, NULL,           range          },
    { "relative_coords", 0, is_coords,      relative_coords},
    { "relative_index",  0, is_window,      relative_index },
    { "rotary",          1, NULL,           rotary         },
    { "rotary_2d",       1, is_square_map,  rotary_2d      },
    { "window_mask",     2, is_windows,     window_mask    },
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

    EC_PASS(constant(g, value, &c, err));
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
    EC_PASS(ec_allocated(c->contents.v, err));
    g->n_contents += n;
    return EC_OK;
}

enum ec_status ec_graph_const_rule(struct ec_graph *g, int value, const char *rule,
                                   const double *arg, int n_arg, struct ec_err *err)
{
    const struct ec_rule *r = ec_row_named(rules, EC_LEN(rules), sizeof *rules, rule);
    struct ec_value *c = NULL;
    enum ec_status st = EC_OK;
    struct at first;
    int i;

    EC_PASS(constant(g, value, &c, err));
    if (!r || n_arg != r->n_arg)
        return ec_fail(err, EC_E_INPUT, "constant \"%.80s\": no rule \"%.40s\" of %d numbers",
                       c->name, rule, n_arg);
    c->contents = (struct ec_contents){ .rule = r };
    for (i = 0; i < n_arg; i++)
        c->contents.arg[i] = arg[i];
    first = first_of(&c->type.shape, c->contents.arg);
    if (!fits(r, &first))
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
    struct at p = first_of(&v->type.shape, c->arg);

    if (!c->rule && !c->n)
        return false;
    if (c->rule && !fits(c->rule, &p))
        return true; /* of another batch, for which there is none */
    for (; p.i < p.n; p.i++) {
        p.x = p.i % p.nx;
        if (!p.x) {
            p.y = p.i / p.nx % p.ny;
            p.z = p.i / p.nx / p.ny % p.nz;
        }
        ret[p.i] = c->rule ? c->rule->value(&p) : c->v[c->n == 1 ? 0 : p.i];
    }
    return true;
}
