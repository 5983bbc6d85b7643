/* Operators that move elements: output element (j0, j1 ...) is input element t0[j0] + t1[j1] ...,
 * a table of offsets per output dimension, made once. A negative offset stands for zero (padding).
 * Backward adds along the same tables. Joining and cutting along an axis copy blocks. */
#include "engine/ref/ref_internal.h"

#include <string.h>

#define MAP_RANK_MAX (2 * EC_RANK_MAX)
#define OUTSIDE INT64_MIN

struct map {
    int rank;
    int64_t d[MAP_RANK_MAX];
    int64_t *t[MAP_RANK_MAX]; /* d[i] offsets */
};

static void strides_of(const struct ec_shape *s, int64_t stride[EC_RANK_MAX])
{
    int64_t n = 1;
    int i;

    for (i = s->rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= s->d[i];
    }
}

/* Appends a dimension; its table is for the caller to fill. NULL: no memory. */
static int64_t *map_add(struct map *m, struct ec_arena *arena, int64_t d)
{
    int64_t *t = ec_arena_alloc(arena, sizeof *t * (size_t)(d ? d : 1));

    m->d[m->rank] = d;
    m->t[m->rank++] = t;
    return t;
}

/* A dimension whose table is first, first + step ... */
static bool map_steps(struct map *m, struct ec_arena *arena, int64_t d, int64_t first, int64_t step)
{
    int64_t *t = map_add(m, arena, d), i;

    for (i = 0; t && i < d; i++)
        t[i] = first + i * step;
    return t != NULL;
}

/* --- What each operator's map is; false: no memory --- */
typedef bool map_fn(const struct ec_case *c, struct ec_arena *arena, struct map *m);

static bool transpose_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_ints *perm = ec_case_ints(c, "perm");
    const struct ec_shape *x = &c->in[0]->shape;
    int64_t s[EC_RANK_MAX];
    bool ok = true;
    int i;

    strides_of(x, s);
    for (i = 0; i < x->rank; i++) {
        int64_t axis = perm->n ? perm->v[i] : x->rank - 1 - i;

        axis = axis < 0 ? axis + x->rank : axis;
        ok = ok && map_steps(m, arena, x->d[axis], 0, s[axis]);
    }
    return ok;
}

/* First element and step of axis i; see the shape rule in src/op/movement.c. */
static void slice_axis(const struct ec_case *c, int axis, int64_t *ret_start, int64_t *ret_step)
{
    const struct ec_ints *axes = ec_case_ints(c, "axes"), *starts = ec_case_ints(c, "starts");
    const struct ec_ints *steps = ec_case_ints(c, "steps");
    const struct ec_shape *x = &c->in[0]->shape;
    int64_t extent = x->d[axis], start, step;
    int i;

    *ret_start = 0;
    *ret_step = 1;
    for (i = 0; i < starts->n; i++) {
        int64_t at = axes->n ? axes->v[i] : i;

        if ((at < 0 ? at + x->rank : at) != axis)
            continue;
        step = steps->n ? steps->v[i] : 1;
        start = starts->v[i] < 0 ? starts->v[i] + extent : starts->v[i];
        start = EC__REF_MAX(start, step > 0 ? 0 : -1);
        *ret_start = EC__REF_MIN(start, step > 0 ? extent : extent - 1);
        *ret_step = step;
    }
}

static bool slice_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_shape *y = &c->out[0]->shape;
    int64_t s[EC_RANK_MAX], start, step;
    bool ok = true;
    int i;

    strides_of(&c->in[0]->shape, s);
    for (i = 0; i < y->rank; i++) {
        slice_axis(c, i, &start, &step);
        ok = ok && map_steps(m, arena, y->d[i], start * s[i], step * s[i]);
    }
    return ok;
}

/* Source of a padded place: mode 0 constant, 1 reflect, 2 edge. */
static int64_t pad_source(int64_t at, int64_t extent, int64_t mode)
{
    if (at >= 0 && at < extent)
        return at;
    if (mode == 0 || extent == 0)
        return -1;
    if (mode == 1)
        return at < 0 ? -at : 2 * (extent - 1) - at;
    return at < 0 ? 0 : extent - 1;
}

static bool pad_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_shape *x = &c->in[0]->shape, *y = &c->out[0]->shape;
    const struct ec_ints *pads = ec_case_ints(c, "pads");
    int64_t s[EC_RANK_MAX], mode = ec_case_int(c, "mode"), j;
    int i;

    strides_of(x, s);
    for (i = 0; i < y->rank; i++) {
        int64_t *t = map_add(m, arena, y->d[i]);

        for (j = 0; t && j < y->d[i]; j++) {
            int64_t from = pad_source(j - pads->v[i], x->d[i], mode);

            t[j] = from < 0 ? OUTSIDE : from * s[i];
        }
        if (!t)
            return false;
    }
    return true;
}

static bool expand_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_shape *x = &c->in[0]->shape, *y = &c->out[0]->shape;
    int64_t s[EC_RANK_MAX];
    bool ok = true;
    int i;

    strides_of(x, s);
    for (i = 0; i < y->rank; i++) {
        int from = i - (y->rank - x->rank);

        ok = ok && map_steps(m, arena, y->d[i], 0, from < 0 || x->d[from] == 1 ? 0 : s[from]);
    }
    return ok;
}

static bool tile_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_shape *x = &c->in[0]->shape;
    const struct ec_ints *repeats = ec_case_ints(c, "repeats");
    int64_t s[EC_RANK_MAX];
    bool ok = true;
    int i;

    strides_of(x, s);
    for (i = 0; i < x->rank; i++)
        ok =
            ok && map_steps(m, arena, repeats->v[i], 0, 0) && map_steps(m, arena, x->d[i], 0, s[i]);
    return ok;
}

/* Shift of an axis, 0 where the attributes name none. */
static int64_t roll_shift(const struct ec_case *c, int axis)
{
    const struct ec_ints *axes, *shifts;
    int rank = c->in[0]->shape.rank, i;

    if (!ec_case_has(c, "shifts"))
        return 0;
    axes = ec_case_ints(c, "axes");
    shifts = ec_case_ints(c, "shifts");
    for (i = 0; i < shifts->n; i++) {
        int64_t at = axes->n ? axes->v[i] : i;

        if ((at < 0 ? at + rank : at) == axis)
            return shifts->v[i];
    }
    return 0;
}

static bool roll_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_shape *x = &c->in[0]->shape;
    int64_t s[EC_RANK_MAX], j;
    int i;

    strides_of(x, s);
    for (i = 0; i < x->rank; i++) {
        int64_t *t = map_add(m, arena, x->d[i]), shift = roll_shift(c, i);

        for (j = 0; t && j < x->d[i]; j++)
            t[j] = (((j - shift) % x->d[i] + x->d[i]) % x->d[i]) * s[i];
        if (!t)
            return false;
    }
    return true;
}

/* (n, g, c / g, rest) -> (n, c / g, g, rest) */
static bool channel_shuffle_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_shape *x = &c->in[0]->shape;
    int64_t groups = ec_case_int(c, "groups"), each = x->d[1] / groups, s[EC_RANK_MAX];
    bool ok;
    int i;

    strides_of(x, s);
    ok = map_steps(m, arena, x->d[0], 0, s[0]) && map_steps(m, arena, each, 0, s[1]) &&
         map_steps(m, arena, groups, 0, each * s[1]);
    for (i = 2; i < x->rank; i++)
        ok = ok && map_steps(m, arena, x->d[i], 0, s[i]);
    return ok;
}

/* PyTorch's pixel_shuffle: (n, c, b, b', h, w) -> (n, c, h, b, w, b') */
static bool depth_to_space_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_shape *x = &c->in[0]->shape;
    int64_t b = ec_case_int(c, "block"), s[EC_RANK_MAX];

    strides_of(x, s);
    return map_steps(m, arena, x->d[0], 0, s[0]) &&
           map_steps(m, arena, x->d[1] / (b * b), 0, b * b * s[1]) &&
           map_steps(m, arena, x->d[2], 0, s[2]) && map_steps(m, arena, b, 0, b * s[1]) &&
           map_steps(m, arena, x->d[3], 0, s[3]) && map_steps(m, arena, b, 0, s[1]);
}

/* (n, c, h, b, w, b') -> (n, c, b, b', h, w) */
static bool space_to_depth_map(const struct ec_case *c, struct ec_arena *arena, struct map *m)
{
    const struct ec_shape *x = &c->in[0]->shape;
    int64_t b = ec_case_int(c, "block"), s[EC_RANK_MAX];

    strides_of(x, s);
    return map_steps(m, arena, x->d[0], 0, s[0]) && map_steps(m, arena, x->d[1], 0, s[1]) &&
           map_steps(m, arena, b, 0, s[2]) && map_steps(m, arena, b, 0, s[3]) &&
           map_steps(m, arena, x->d[2] / b, 0, b * s[2]) &&
           map_steps(m, arena, x->d[3] / b, 0, b * s[3]);
}

/* --- Running a map --- */

static bool map_prepare(struct ec_knode *k, map_fn *fn)
{
    struct map *m = ec_arena_alloc(k->arena, sizeof *m);

    k->state = m;
    return m && fn(k->c, k->arena, m) && (m->rank || map_steps(m, k->arena, 1, 0, 0));
}

struct row {
    int64_t first; /* output element */
    int64_t base;  /* input offset, OUTSIDE */
};
typedef void row_fn(const struct map *m, struct row r, const struct ec_type *type, const void *from,
                    void *to);

/* Calls fn for each row along the map's last dimension. */
static void map_rows(const struct map *m, const struct ec_type *type, const void *from, void *to,
                     row_fn *fn)
{
    int64_t at[MAP_RANK_MAX] = { 0 };
    struct row r = { 0, 0 };
    int last = m->rank - 1, i;

    for (i = 0; i < m->rank; i++)
        if (m->d[i] == 0)
            return;
    for (;; r.first += m->d[last]) {
        r.base = 0;
        for (i = 0; i < last && r.base != OUTSIDE; i++)
            r.base = m->t[i][at[i]] == OUTSIDE ? OUTSIDE : r.base + m->t[i][at[i]];
        fn(m, r, type, from, to);
        for (i = last - 1; i >= 0 && ++at[i] == m->d[i]; i--)
            at[i] = 0;
        if (i < 0)
            return;
    }
}

static void gather_row(const struct map *m, struct row r, const struct ec_type *type,
                       const void *from, void *to)
{
    const int64_t *t = m->t[m->rank - 1];
    int64_t n = m->d[m->rank - 1], size = ec__ref_size(type), i;

    for (i = 0; i < n; i++) {
        bool outside = r.base == OUTSIDE || t[i] == OUTSIDE;

        if (size == (int64_t)sizeof(real)) { /* floats mostly: a copy of known size is one move */
            real *y = (real *)to + r.first + i;

            if (outside)
                memset(y, 0, sizeof *y);
            else
                memcpy(y, (const real *)from + r.base + t[i], sizeof *y);
        } else if (outside) {
            memset((char *)to + (r.first + i) * size, 0, (size_t)size);
        } else {
            memcpy((char *)to + (r.first + i) * size, (const char *)from + (r.base + t[i]) * size,
                   (size_t)size);
        }
    }
}

static void scatter_row(const struct map *m, struct row r, const struct ec_type *type,
                        const void *from, void *to)
{
    const int64_t *t = m->t[m->rank - 1];
    int64_t n = m->d[m->rank - 1], i;

    (void)type;
    for (i = 0; r.base != OUTSIDE && i < n; i++)
        if (t[i] != OUTSIDE)
            ((real *)to)[r.base + t[i]] += ((const real *)from)[r.first + i];
}

static enum ec_status map_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const struct map *m = call->k->state;

    if (call->phase == EC_FORWARD)
        map_rows(m, call->c->in[0], a->in[0], a->out[0], gather_row);
    if (call->phase == EC_GRAD_DATA && a->d_in[0]) {
        ec__ref_clear_d_in(call, 0);
        map_rows(m, call->c->in[0], a->d_out[0], a->d_in[0], scatter_row);
    }
    return EC_OK;
}

/* --- concat, split: `outer` blocks, each a piece of every part --- */

struct blocks {
    int64_t outer, whole; /* elements of the joined tensor's block */
    int64_t inner;        /* elements per row of the axis */
    int axis;
};

static struct blocks blocks_of(const struct ec_case *c, const struct ec_type *joined)
{
    int axis = ec_case_axis(c);
    struct ec__ref_lines l = ec__ref_lines_of(&joined->shape, axis);

    return (struct blocks){ l.outer, l.n * l.inner, l.inner, axis };
}

/* Copies one part out of the joined tensor, or into it; NULL: zero. */
static void copy_part(const struct blocks *b, int64_t off, int64_t len, void *joined, void *part,
                      bool join, int64_t size)
{
    int64_t i;

    for (i = 0; i < b->outer; i++) {
        char *at = (char *)joined + (i * b->whole + off) * size;
        size_t bytes = (size_t)(len * size);

        if (!join)
            memcpy((char *)part + i * len * size, at, bytes);
        else if (part)
            memcpy(at, (const char *)part + i * len * size, bytes);
        else
            memset(at, 0, bytes);
    }
}

static enum ec_status concat_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct blocks b = blocks_of(call->c, call->c->out[0]);
    int64_t off = 0, size = ec__ref_size(call->c->in[0]);
    int i;

    for (i = 0; i < call->c->n_in; i++) {
        int64_t len = call->c->in[i]->shape.d[b.axis] * b.inner;

        if (call->phase == EC_FORWARD)
            copy_part(&b, off, len, a->out[0], ec__ref_at(a->in[i], 0), true, size);
        else if (call->phase == EC_GRAD_DATA && a->d_in[i])
            copy_part(&b, off, len, ec__ref_at(a->d_out[0], 0), a->d_in[i], false, size);
        off += len;
    }
    return EC_OK;
}

static enum ec_status split_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct blocks b = blocks_of(call->c, call->c->in[0]);
    int64_t off = 0, size = ec__ref_size(call->c->in[0]);
    int i;

    for (i = 0; i < call->c->n_out; i++) {
        int64_t len = call->c->out[i]->shape.d[b.axis] * b.inner;

        if (call->phase == EC_FORWARD && a->out[i])
            copy_part(&b, off, len, ec__ref_at(a->in[0], 0), a->out[i], false, size);
        else if (call->phase == EC_GRAD_DATA && a->d_in[0])
            copy_part(&b, off, len, a->d_in[0], ec__ref_at(a->d_out[i], 0), true, size);
        off += len;
    }
    return EC_OK;
}

#define EC__REF_KERNEL_MAP(opname)                                                                 \
    static bool opname##_prepare(struct ec_knode *k)                                               \
    {                                                                                              \
        return map_prepare(k, opname##_map);                                                       \
    }                                                                                              \
    EC__REF_KERNEL(opname, .prepare = opname##_prepare, .run = map_run)

EC__REF_KERNEL_MAP(channel_shuffle)
EC__REF_KERNEL_MAP(depth_to_space)
EC__REF_KERNEL_MAP(expand)
EC__REF_KERNEL_MAP(pad)
#define permute_map transpose_map
EC__REF_KERNEL_MAP(permute)
EC__REF_KERNEL_MAP(roll)
EC__REF_KERNEL_MAP(slice)
EC__REF_KERNEL_MAP(space_to_depth)
EC__REF_KERNEL_MAP(tile)
EC__REF_KERNEL_MAP(transpose)

EC__REF_KERNEL(concat, .run = concat_run)
EC__REF_KERNEL(split, .run = split_run)
