/* oneDNN behind one file: opening the library, layouts, primitives. dnnl.c is written for version
 * 2; another major version is another file behind this header. */
#ifndef EC_ENGINE_CPU_DNNL_H
#define EC_ENGINE_CPU_DNNL_H

#include "engine/backend.h"

#include <oneapi/dnnl/dnnl_types.h> /* the numbers of DNNL_ARG_* */

struct ec__dnnl;

/* Errors: BACKEND (missing, or another major version), NOMEM */
enum ec_status ec__dnnl_open(struct ec__dnnl **ret, struct ec_err *err) EC_MUST_CHECK;
void ec__dnnl_close(struct ec__dnnl *lib);
const char *ec__dnnl_text(const struct ec__dnnl *lib); /* "oneDNN 2.6.3 (OMP)" */
bool ec__dnnl_has_bf16(const struct ec__dnnl *lib);    /* by instructions or by its emulation */

/* What of OpenMP's run time we call; the library's own, so that there is one pool of threads. */
struct ec__omp {
    void (*parallel)(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
    int (*thread_num)(void);
    int (*num_threads)(void);
    void (*set_num_threads)(int);
};
/* All NULL when the library has none: everything then runs on one thread. */
const struct ec__omp *ec__dnnl_omp(const struct ec__dnnl *lib);

/* --- Layouts --- */

#define EC_DNNL_RANK_MAX 6
struct ec__md; /* shape, type and order of elements; lives in an arena */

/* strides in elements; NULL: row-major. All return NULL when memory is out. */
const struct ec__md *ec__md_strided(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t,
                                    int rank, const int64_t *dims, const int64_t *strides);
/* The library chooses. */
const struct ec__md *ec__md_any(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t, int rank,
                                const int64_t *dims);
/* Channels last. */
const struct ec__md *ec__md_nhwc(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t,
                                 int rank, const int64_t *dims);
/* Channels in blocks of 16, innermost; what is missing in the last block is padding. NULL too for a
 * rank that has no such layout. */
const struct ec__md *ec__md_blocked(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t,
                                    int rank, const int64_t *dims);
/* Weights (groups, 1, 1, filter h, filter w) in blocks of 16 groups. */
const struct ec__md *ec__md_depthwise(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t,
                                      const int64_t dims[5]);
/* The same order of elements with another type. */
const struct ec__md *ec__md_retype(struct ec_arena *a, const struct ec__md *md, enum ec_dtype t);
/* The last two dimensions change places; for layouts by strides. */
const struct ec__md *ec__md_turned(struct ec__dnnl *lib, struct ec_arena *a,
                                   const struct ec__md *md);
/* Rows [at, at + n) of one axis. NULL too when the layout does not allow it. */
const struct ec__md *ec__md_part(struct ec__dnnl *lib, struct ec_arena *a, const struct ec__md *md,
                                 int axis, int64_t at, int64_t n);
bool ec__md_same(const struct ec__dnnl *lib, const struct ec__md *a, const struct ec__md *b);
bool ec__md_same_dims(const struct ec__md *a, const struct ec__md *b);
int64_t ec__md_bytes(const struct ec__dnnl *lib, const struct ec__md *md); /* padding included */
enum ec_dtype ec__md_dtype(const struct ec__md *md);
/* Row-major, dense, without padding: whatever the description says about extents of 1. */
bool ec__md_is_plain(const struct ec__md *md);
bool ec__md_is_padded(const struct ec__md *md);
/* Elements as (outer, channels, inner) of the second dimension, as element-wise loops with a value
 * per channel see them: memory is [outer][blocks][inner][block]; block is 1 when plain, all
 * channels when last. False for any other order. */
struct ec__channels {
    int64_t outer, blocks, inner, block, channels;
};
bool ec__md_channels(const struct ec__md *md, struct ec__channels *ret);

/* --- Primitives --- */

struct ec__prim;

/* Windows of convolution and pooling, one entry per spatial dimension. */
struct ec__win {
    int dims;
    dnnl_dims_t filter, stride, dil, pad0, pad1;
};

enum ec__pass { EC__FWD, EC__FWD_INFER, EC__BWD_DATA, EC__BWD_WEIGHTS, EC__BWD };

enum ec__algo {
    EC__CONV,
    EC__DECONV,
    EC__INNER_PRODUCT,
    EC__MATMUL,
    EC__POOL_MAX,
    EC__POOL_AVG,        /* padding is not counted */
    EC__POOL_AVG_PADDED, /* padding counts */
    EC__BATCH_NORM,
};

/* What to make. Unused members are zero. bwd passes read src as diff_src (BWD_DATA) and so on. */
struct ec__prim_spec {
    enum ec__algo algo;
    enum ec__pass pass;
    const struct ec__md *src, *weights, *bias, *dst; /* or their gradients, as the pass has it */
    const struct ec__md *src_value; /* BWD of norms: src itself, src being its gradient */
    const struct ec__win *win;
    bool relu;                   /* after it: fused */
    bool global_stats;           /* batch norm by given statistics */
    bool affine;                 /* norms: scale and shift */
    double eps;                  /* norms */
    float scale;                 /* of the result of a product; 0: 1 */
    const struct ec__prim *hint; /* bwd: the forward primitive */
};
/* Errors: UNSUPPORTED, NOMEM, BACKEND; the sentence names the primitive */
enum ec_status ec__prim_new(struct ec__dnnl *lib, const struct ec__prim_spec *s,
                            struct ec__prim **ret, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__prim_reorder(struct ec__dnnl *lib, const struct ec__md *from,
                                const struct ec__md *to, struct ec__prim **ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* Whether a reorder converts between these two. */
bool ec__prim_reorders(struct ec__dnnl *lib, const struct ec__prim *p, const struct ec__md *from,
                       const struct ec__md *to);
void ec__prim_free(struct ec__dnnl *lib, struct ec__prim *p);

/* Layout of an argument (DNNL_ARG_*), copied into the arena; NULL when it has none or memory is
 * out. */
const struct ec__md *ec__prim_md(struct ec__dnnl *lib, struct ec_arena *a, const struct ec__prim *p,
                                 int arg);
int64_t ec__prim_scratch(struct ec__dnnl *lib, const struct ec__prim *p);
int64_t ec__prim_workspace(struct ec__dnnl *lib, const struct ec__prim *p);
const char *ec__prim_impl(struct ec__dnnl *lib, const struct ec__prim *p); /* while p lives */

#define EC_PRIM_ARGS_MAX 20
/* Which arguments runs will give, in this order; once, after making it. */
enum ec_status ec__prim_args(struct ec__dnnl *lib, struct ec__prim *p, int n, const int *args,
                             struct ec_err *err) EC_MUST_CHECK;
/* at[] in that order. Buffers may change from run to run; those that stay cost nothing. */
enum ec_status ec__prim_run(struct ec__dnnl *lib, struct ec__prim *p, void *const *at,
                            struct ec_err *err) EC_MUST_CHECK;
/* Makes the padding of a buffer zero. */
enum ec_status ec__md_zero_pad(struct ec__dnnl *lib, const struct ec__md *md, void *at,
                               struct ec_err *err) EC_MUST_CHECK;

#endif
