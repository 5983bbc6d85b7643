/* What the kernels of ref share. Every file of this folder but backend.c is compiled twice, over
 * float (EC_REF_BITS 32) and over double (64): `real` is the element of every float value, whatever
 * type the graph gives it; other types are held as they are. Sums over many elements are double in
 * both. All values are plain: row-major, dense. */
#ifndef EC_REF_INTERNAL_H
#define EC_REF_INTERNAL_H

#include "engine/ref/ref.h"

#if EC_REF_BITS == 64
typedef double real;
#else
typedef float real;
#endif

/* Names of functions and tables seen outside their file, apart for both builds. Inside, what files
 * share is called by one name. */
#define EC__REF_JOIN(bits, name) ec__ref##bits##_##name
#define EC__REF_NAME(bits, name) EC__REF_JOIN(bits, name)
#define EC__REF(name) EC__REF_NAME(EC_REF_BITS, name)
#define ec__ref_load EC__REF(load)
#define ec__ref_store EC__REF(store)
#define ec__ref_load_int EC__REF(load_int)
#define ec__ref_index EC__REF(index)
#define ec__ref_from_double EC__REF(from_double)
#define ec__ref_keep EC__REF(keep)
#define ec__ref_is_real EC__REF(is_real)
#define ec__ref_param EC__REF(param)
#define ec__ref_prepare EC__REF(prepare)
#define ec__ref_clear_d_in EC__REF(clear_d_in)
#define ec__ref_walk_over EC__REF(walk_over)
#define ec__ref_walk_add EC__REF(walk_add)
#define ec__ref_walk_add_reduced EC__REF(walk_add_reduced)
#define ec__ref_walk_begin EC__REF(walk_begin)
#define ec__ref_walk_next EC__REF(walk_next)
#define ec__ref_lines_of EC__REF(lines_of)
#define ec__ref_gemm EC__REF(gemm)
#define ec__ref_dense_forward EC__REF(dense_forward)
#define ec__ref_dense_backward EC__REF(dense_backward)
#define ec__ref_column_sums EC__REF(column_sums)
#define ec__ref_add_row EC__REF(add_row)
#define ec__ref_softmax_row EC__REF(softmax_row)
#define ec__ref_drop EC__REF(drop)

/* --- Elements --- */
static inline int64_t ec__ref_elems(const struct ec_type *t)
{
    int64_t n = 1;
    int i;

    for (i = 0; i < t->shape.rank; i++)
        n *= t->shape.d[i];
    return n;
}

static inline int64_t ec__ref_size(const struct ec_type *t)
{
    return ec_dtype_is_float(t->dtype) ? (int64_t)sizeof(real) : ec_dtype_bytes(t->dtype);
}

#define EC__REF_MAX(a, b) ((a) > (b) ? (a) : (b))
#define EC__REF_MIN(a, b) ((a) < (b) ? (a) : (b))

/* Elements of the dimensions from the third on. */
static inline int64_t ec__ref_plane(const struct ec_shape *s)
{
    int64_t n = 1;
    int i;

    for (i = 2; i < s->rank; i++)
        n *= s->d[i];
    return n;
}

/* A shape before, at and behind an axis: elements of each. */
struct ec__ref_lines {
    int64_t outer, n, inner;
};
struct ec__ref_lines ec__ref_lines_of(const struct ec_shape *s, int axis);

/* Element `off` of floats; NULL stays. Gradients' buffers are only read where a kernel reads them.
 */
static inline real *ec__ref_at(const void *p, int64_t off)
{
    return p ? (real *)p + off : NULL;
}

/* One element of any type. */
double ec__ref_load(const struct ec_type *t, const void *p, int64_t i);
void ec__ref_store(const struct ec_type *t, void *p, int64_t i, double v);
int64_t ec__ref_load_int(const struct ec_type *t, const void *p, int64_t i);
/* Index i of `p`, negative ones counted from the end when the operator allows it. Errors: INPUT */
enum ec_status ec__ref_index(const struct ec_case *c, int input, const void *p, int64_t i,
                             int64_t extent, bool from_end, int64_t *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* Rounded back from sums in double. */
void ec__ref_from_double(const double *from, real *to, int64_t n);

/* --- Preparing --- */
/* What backward reads: bits of inputs and outputs. Nothing when no gradient is wanted. */
void ec__ref_keep(struct ec_knode *k, unsigned in, unsigned out);
bool ec__ref_is_real(const struct ec_knode *k); /* first input and output are float */

/* Parameter by role; -1 when the case has none of that name. */
int ec__ref_param(const struct ec_knode *k, const char *role);

/* --- Kernels --- */

/* One run of a kernel. */
struct ec__ref_call {
    struct ec_ctx *ctx;
    const struct ec_knode *k;
    const struct ec_case *c; /* the node's */
    const void *data;        /* the row's */
    enum ec_phase phase;
    const struct ec_kargs *a;
    struct ec_err *err;
};

/* What is said of a kernel in its row. */
struct ec__ref_kernel {
    unsigned keeps_in, keeps_out; /* bits of the inputs and outputs whose values backward reads */
    bool split_backward;          /* see struct ec_knode */
    const void *data;             /* what rows of one function differ in */
    bool (*prepare)(struct ec_knode *k); /* what a row cannot say; false: no memory */
    enum ec_status (*run)(const struct ec__ref_call *call);
};
enum ec_status ec__ref_prepare(const struct ec__ref_kernel *r, struct ec_knode *k,
                               struct ec_err *err) EC_MUST_CHECK;

/* The row of an operator, EC__REF_KERNEL(relu, .run = ...), as the two functions of kernels.c. The
 * build makes the list of rows from the lines of this folder that begin with
 * EC__REF_KERNEL(operator, or with a macro named EC__REF_KERNEL_KIND(operator, */
#define EC__REF_DECLARE(name)                                                                      \
    enum ec_status EC__REF(name##_prepare)(struct ec_ctx * ctx, struct ec_knode * k,               \
                                           struct ec_err * err);                                   \
    enum ec_status EC__REF(name##_run)(struct ec_ctx * ctx, const struct ec_knode *k,              \
                                       enum ec_phase p, const struct ec_kargs *a,                  \
                                       struct ec_err *err);
#define EC__REF_KERNEL(name, ...)                                                                  \
    EC__REF_DECLARE(name)                                                                          \
    static const struct ec__ref_kernel name##_kernel = { __VA_ARGS__ };                            \
    enum ec_status EC__REF(name##_prepare)(struct ec_ctx * ctx, struct ec_knode * k,               \
                                           struct ec_err * err)                                    \
    {                                                                                              \
        (void)ctx;                                                                                 \
        return ec__ref_prepare(&name##_kernel, k, err);                                            \
    }                                                                                              \
    enum ec_status EC__REF(name##_run)(struct ec_ctx * ctx, const struct ec_knode *k,              \
                                       enum ec_phase p, const struct ec_kargs *a,                  \
                                       struct ec_err *err)                                         \
    {                                                                                              \
        return name##_kernel.run(                                                                  \
            &(struct ec__ref_call){ ctx, k, k->c, name##_kernel.data, p, a, err });                \
    }

/* Zero to the gradient of input i, where it is wanted. */
void ec__ref_clear_d_in(const struct ec__ref_call *call, int i);

/* --- Walking several tensors by strides ---
 * `shape` is gone through in rows along its last dimension; each of n tensors has strides, 0 where
 * it does not move (broadcast, reduced). */
#define EC__REF_WALK_MAX 4
struct ec__ref_walk {
    int rank, n;
    int64_t d[EC_RANK_MAX], s[EC__REF_WALK_MAX][EC_RANK_MAX];
    int64_t at[EC_RANK_MAX];
    bool done;
    int64_t len;                    /* elements of a row */
    int64_t off[EC__REF_WALK_MAX];  /* of the row's first element */
    int64_t step[EC__REF_WALK_MAX]; /* along the row */
};
struct ec__ref_walk ec__ref_walk_over(const struct ec_shape *shape);
/* Adds a dense tensor of shape t, right-aligned; extents of 1 do not move. */
void ec__ref_walk_add(struct ec__ref_walk *w, const struct ec_shape *t);
/* Adds the dense result of reducing the axes in `set`, whether they stay in its shape or not. */
void ec__ref_walk_add_reduced(struct ec__ref_walk *w, unsigned set);
void ec__ref_walk_begin(struct ec__ref_walk *w);
void ec__ref_walk_next(struct ec__ref_walk *w);
#define EC__REF_WALK(w) for (ec__ref_walk_begin(w); !(w)->done; ec__ref_walk_next(w))

/* --- Matrix product: c (m x n) = a (m x k) b (k x n), or added to c --- */
struct ec__ref_mat {
    const real *p;
    int64_t row, col; /* strides in elements */
};
static inline struct ec__ref_mat ec__ref_mat(const real *p, int64_t row, int64_t col)
{
    return (struct ec__ref_mat){ p, row, col };
}
struct ec__ref_out {
    real *p;
    int64_t ld; /* stride of the rows; columns are dense */
    bool add;
};
static inline struct ec__ref_out ec__ref_set(real *p, int64_t ld)
{
    return (struct ec__ref_out){ p, ld, false };
}
static inline struct ec__ref_out ec__ref_add(real *p, int64_t ld)
{
    return (struct ec__ref_out){ p, ld, true };
}
void ec__ref_gemm(struct ec_ctx *ctx, int64_t m, int64_t n, int64_t k, struct ec__ref_mat a,
                  struct ec__ref_mat b, struct ec__ref_out c);
/* y (rows, n) = x (rows, k) w' + b; w is (n, k), b NULL: none */
struct ec__ref_dense {
    int64_t rows, n, k;
};
void ec__ref_dense_forward(struct ec_ctx *ctx, const struct ec__ref_dense *l, const real *x,
                           const real *w, const real *b, real *y);
/* Its gradients; NULL: not wanted. */
void ec__ref_dense_backward(struct ec_ctx *ctx, const struct ec__ref_dense *l, const real *x,
                            const real *w, const real *dy, real *dx, real *dw, real *db);
/* Sums of the columns of x (rows x n, row stride ld) in double, to y. */
void ec__ref_column_sums(const real *x, int64_t rows, int64_t n, int64_t ld, real *y);
/* x (rows x n, row stride ld) += b (n) */
void ec__ref_add_row(real *x, int64_t rows, int64_t n, int64_t ld, const real *b);

/* Softmax of a row in place. */
void ec__ref_softmax_row(real *x, int64_t n);

/* --- Dropout: a function of seed and element alone --- */
/* Factor of element i: 0, or 1 / (1 - p). */
double ec__ref_drop(uint64_t seed, int64_t i, double p);

#endif
