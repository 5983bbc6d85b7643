/* oneDNN, major version 2: all that would differ with another one. */
#include "engine/cpu/dnnl.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <stdio.h>
#include <string.h>

#include "engine/cpu/dnnl_guard.h"

#define LIBRARY "libdnnl.so.2"
/* What making a kernel takes at most. It is asked for before: where memory ends inside the library,
 * many of its functions go on with no memory. */
#define SPARE_BYTES ((int64_t)16 << 20)

struct ec__dnnl {
#define POINTER(name) __typeof__(name) *name;
    EC_LIBDNNL(POINTER)
#undef POINTER
    struct ec__omp omp;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    char text[64];
};

struct ec__md {
    dnnl_memory_desc_t d;
};

struct ec__prim {
    dnnl_primitive_t p;
    int n;
    dnnl_exec_arg_t args[EC_PRIM_ARGS_MAX];
    void *bound[EC_PRIM_ARGS_MAX];
};

/* --- The library --- */

static bool is_missing(const char *why)
{
    return !why || strstr(why, "No such file");
}

static void begin(void)
{
    ec_foreign_begin("oneDNN");
}

/* Without the module the functions stay as they are. */
static enum ec_status guard(void *slots[], int n_slots, struct ec_err *err)
{
    void *module = ec_module_open(EC_DNNL_GUARD_MODULE, RTLD_NOW | RTLD_LOCAL);
    const char *why = module ? NULL : dlerror();
    ec_dnnl_guard_fn *put;

    if (!module && is_missing(why))
        return EC_OK;
    if (!module)
        return ec_fail(err, EC_E_BACKEND, "backend cpu: %.300s", why);
    *(void **)(void *)&put = dlsym(module, EC_DNNL_GUARD_SYMBOL);
    if (!put || !put(EC_DNNL_GUARD_ABI, n_slots, slots, begin, ec_foreign_end))
        return ec_fail(err, EC_E_BACKEND,
                       EC_DNNL_GUARD_MODULE " is of another version of this program");
    return EC_OK;
}

static enum ec_status load_functions(struct ec__dnnl *lib, void *handle, struct ec_err *err)
{
    static const char *const symbols[] = {
#define NAME(name) #name,
        EC_LIBDNNL(NAME) NULL
#undef NAME
    };
    void *slots[EC_LEN(symbols) - 1];
    const char *missing = ec_dynlib_take(handle, symbols, slots);
    enum ec_status st = missing
                            ? ec_fail(err, EC_E_BACKEND, "%s has no function %s", LIBRARY, missing)
                            : guard(slots, EC_LEN(slots), err);

    memcpy(lib, slots, sizeof slots); /* they come first in it */
    return st;
}

/* OpenMP's own functions come from whatever run time the library was linked with. */
static void load_omp(struct ec__omp *omp, void *handle)
{
    *(void **)(void *)&omp->parallel = dlsym(handle, "GOMP_parallel");
    *(void **)(void *)&omp->thread_num = dlsym(handle, "omp_get_thread_num");
    *(void **)(void *)&omp->num_threads = dlsym(handle, "omp_get_num_threads");
    *(void **)(void *)&omp->set_num_threads = dlsym(handle, "omp_set_num_threads");
    if (!omp->parallel || !omp->thread_num || !omp->num_threads || !omp->set_num_threads)
        memset(omp, 0, sizeof *omp);
}

static enum ec_status check_version(struct ec__dnnl *lib, struct ec_err *err)
{
    const dnnl_version_t *v = lib->dnnl_version();
    const char *runtime = v->cpu_runtime == DNNL_RUNTIME_OMP   ? "OMP"
                          : v->cpu_runtime == DNNL_RUNTIME_TBB ? "TBB"
                          : v->cpu_runtime == DNNL_RUNTIME_SEQ ? "SEQ"
                                                               : "own threads";

    if (v->major != DNNL_VERSION_MAJOR || v->minor < DNNL_VERSION_MINOR)
        return ec_fail(err, EC_E_BACKEND, "%s is oneDNN %d.%d.%d, expected %d.%d or a later %d.x",
                       LIBRARY, v->major, v->minor, v->patch, DNNL_VERSION_MAJOR,
                       DNNL_VERSION_MINOR, DNNL_VERSION_MAJOR);
    snprintf(lib->text, sizeof lib->text, "oneDNN %d.%d.%d (%s)", v->major, v->minor, v->patch,
             runtime);
    return EC_OK;
}

static enum ec_status did_not_open(struct ec_err *err)
{
    const char *why = dlerror();

    if (is_missing(why))
        return ec_fail(err, EC_E_BACKEND,
                       "backend cpu needs oneDNN: %s was not found (Debian package libdnnl2)",
                       LIBRARY);
    return ec_fail(err, EC_E_BACKEND, "backend cpu needs oneDNN: %.300s", why);
}

/* The library stays loaded: threads of its OpenMP pool outlive every context. */
static enum ec_status load(struct ec__dnnl *lib, struct ec_err *err)
{
    void *handle;

    /* its constructors run, and no module can take what they throw */
    begin();
    handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    ec_foreign_end();
    if (!handle)
        return did_not_open(err);
    EC_PASS(load_functions(lib, handle, err));
    EC_PASS(check_version(lib, err));
    load_omp(&lib->omp, handle);
    EC_PASS(ec_headroom_spare(LIBRARY, SPARE_BYTES, err));
    if (lib->dnnl_engine_create(&lib->engine, dnnl_cpu, 0) ||
        lib->dnnl_stream_create(&lib->stream, lib->engine, dnnl_stream_in_order))
        return ec_fail(err, EC_E_BACKEND, "%s: no engine for the CPU", lib->text);
    return EC_OK;
}

enum ec_status ec__dnnl_open(struct ec__dnnl **ret, struct ec_err *err)
{
    struct ec__dnnl *lib = ec_alloc(sizeof *lib);
    enum ec_status st;

    EC_TRY(ec_allocated(lib, err));
    EC_TRY(load(lib, err));
    *ret = lib;
    lib = NULL;
out:
    ec__dnnl_close(lib);
    return st;
}

void ec__dnnl_close(struct ec__dnnl *lib)
{
    if (!lib)
        return;
    if (lib->stream)
        lib->dnnl_stream_destroy(lib->stream);
    if (lib->engine)
        lib->dnnl_engine_destroy(lib->engine);
    ec_free(lib);
}

const char *ec__dnnl_text(const struct ec__dnnl *lib)
{
    return lib->text;
}

bool ec__dnnl_has_bf16(const struct ec__dnnl *lib)
{
    dnnl_cpu_isa_t isa = lib->dnnl_get_effective_cpu_isa();

    return (isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
}

const struct ec__omp *ec__dnnl_omp(const struct ec__dnnl *lib)
{
    return &lib->omp;
}

/* What a call of the library came to, as a sentence about `what`. */
static enum ec_status said(dnnl_status_t s, const char *what, struct ec_err *err)
{
    if (s == dnnl_success)
        return EC_OK;
    if (s == dnnl_out_of_memory)
        return ec_nomem(err);
    if (s == dnnl_unimplemented || s == dnnl_invalid_arguments)
        return ec_fail(err, EC_E_UNSUPPORTED, "oneDNN has no %s for these shapes and types", what);
    return ec_fail(err, EC_E_BACKEND, "oneDNN: %s failed with status %d", what, (int)s);
}

/* --- Layouts --- */

static dnnl_data_type_t type_of(enum ec_dtype t)
{
    switch ((int)t) {
    case EC_DT_f32:
        return dnnl_f32;
    case EC_DT_bf16:
        return dnnl_bf16;
    case EC_DT_i32:
        return dnnl_s32;
    case EC_DT_u8:
        return dnnl_u8;
    default:
        return dnnl_data_type_undef;
    }
}

static const struct ec__md *keep(struct ec_arena *a, const dnnl_memory_desc_t *d)
{
    return ec_arena_copy(a, d, sizeof *d);
}

const struct ec__md *ec__md_strided(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t,
                                    int rank, const int64_t *dims, const int64_t *strides)
{
    dnnl_memory_desc_t d;
    dnnl_dims_t dense = { 0 };
    int64_t n = 1;
    int i;

    for (i = rank - 1; i >= 0; i--) {
        dense[i] = n;
        n *= dims[i];
    }
    if (lib->dnnl_memory_desc_init_by_strides(&d, rank, dims, type_of(t),
                                              strides ? strides : dense))
        return NULL;
    return keep(a, &d);
}

const struct ec__md *ec__md_any(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t, int rank,
                                const int64_t *dims)
{
    dnnl_memory_desc_t d;

    if (lib->dnnl_memory_desc_init_by_tag(&d, rank, dims, type_of(t), dnnl_format_tag_any))
        return NULL;
    return keep(a, &d);
}

const struct ec__md *ec__md_nhwc(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t,
                                 int rank, const int64_t *dims)
{
    dnnl_dims_t s = { 0 };
    int64_t n = dims[1];
    int i;

    for (i = rank - 1; i >= 2; i--) {
        s[i] = n;
        n *= dims[i];
    }
    s[0] = n;
    s[1] = 1;
    return ec__md_strided(lib, a, t, rank, dims, s);
}

const struct ec__md *ec__md_blocked(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t,
                                    int rank, const int64_t *dims)
{
    static const dnnl_format_tag_t tags[] = { dnnl_nCw16c, dnnl_nChw16c, dnnl_nCdhw16c };
    dnnl_memory_desc_t d;

    if (rank < 3 || rank > 5 ||
        lib->dnnl_memory_desc_init_by_tag(&d, rank, dims, type_of(t), tags[rank - 3]))
        return NULL;
    return keep(a, &d);
}

const struct ec__md *ec__md_depthwise(struct ec__dnnl *lib, struct ec_arena *a, enum ec_dtype t,
                                      const int64_t dims[5])
{
    dnnl_memory_desc_t d;
    dnnl_dims_t all = { 0 };

    memcpy(all, dims, 5 * sizeof dims[0]);
    if (lib->dnnl_memory_desc_init_by_tag(&d, 5, all, type_of(t), dnnl_Goihw16g))
        return NULL;
    return keep(a, &d);
}

const struct ec__md *ec__md_retype(struct ec_arena *a, const struct ec__md *md, enum ec_dtype t)
{
    dnnl_memory_desc_t d = md->d;

    d.data_type = type_of(t);
    return keep(a, &d);
}

const struct ec__md *ec__md_turned(struct ec__dnnl *lib, struct ec_arena *a,
                                   const struct ec__md *md)
{
    int perm[DNNL_MAX_NDIMS], i, rank = md->d.ndims;
    dnnl_memory_desc_t d;

    for (i = 0; i < rank; i++)
        perm[i] = i;
    perm[rank - 2] = rank - 1;
    perm[rank - 1] = rank - 2;
    if (lib->dnnl_memory_desc_permute_axes(&d, &md->d, perm))
        return NULL;
    return keep(a, &d);
}

const struct ec__md *ec__md_part(struct ec__dnnl *lib, struct ec_arena *a, const struct ec__md *md,
                                 int axis, int64_t at, int64_t n)
{
    dnnl_dims_t dims, offsets = { 0 };
    dnnl_memory_desc_t d;

    memcpy(dims, md->d.dims, sizeof dims);
    dims[axis] = n;
    offsets[axis] = at;
    if (lib->dnnl_memory_desc_init_submemory(&d, &md->d, dims, offsets))
        return NULL;
    return keep(a, &d);
}

bool ec__md_same(const struct ec__dnnl *lib, const struct ec__md *a, const struct ec__md *b)
{
    if (lib->dnnl_memory_desc_equal(&a->d, &b->d))
        return true;
    return a->d.data_type == b->d.data_type && ec__md_same_dims(a, b) && ec__md_is_plain(a) &&
           ec__md_is_plain(b);
}

bool ec__md_same_dims(const struct ec__md *a, const struct ec__md *b)
{
    return a->d.ndims == b->d.ndims &&
           !memcmp(a->d.dims, b->d.dims, sizeof a->d.dims[0] * (size_t)a->d.ndims);
}

int64_t ec__md_bytes(const struct ec__dnnl *lib, const struct ec__md *md)
{
    return (int64_t)lib->dnnl_memory_desc_get_size(&md->d);
}

enum ec_dtype ec__md_dtype(const struct ec__md *md)
{
    switch ((int)md->d.data_type) {
    case dnnl_bf16:
        return EC_DT_bf16;
    case dnnl_s32:
        return EC_DT_i32;
    case dnnl_u8:
        return EC_DT_u8;
    default:
        return EC_DT_f32;
    }
}

bool ec__md_is_padded(const struct ec__md *md)
{
    return memcmp(md->d.dims, md->d.padded_dims, sizeof md->d.dims[0] * (size_t)md->d.ndims) != 0;
}

/* Product of the inner blocks of a dimension. */
static int64_t block_of(const dnnl_blocking_desc_t *b, int dim)
{
    int64_t n = 1;
    int i;

    for (i = 0; i < b->inner_nblks; i++)
        if (b->inner_idxs[i] == dim)
            n *= b->inner_blks[i];
    return n;
}

/* Whether extents of one dimension continue the dense order that *stride stands for. */
static bool continues(int64_t extent, int64_t at, int64_t *stride)
{
    if (extent == 1)
        return true;
    if (at != *stride)
        return false;
    *stride *= extent;
    return true;
}

/* From the last dimension to the first, and within each from its innermost block outwards, every
 * extent above 1 must follow densely. */
bool ec__md_is_plain(const struct ec__md *md)
{
    const dnnl_blocking_desc_t *b = &md->d.format_desc.blocking;
    int64_t stride = 1, inner;
    int dim, i;

    if (md->d.format_kind != dnnl_blocked || ec__md_is_padded(md) || md->d.extra.flags)
        return false;
    for (dim = md->d.ndims - 1; dim >= 0; dim--) {
        inner = 1;
        for (i = b->inner_nblks - 1; i >= 0; i--) {
            if (b->inner_idxs[i] == dim && !continues(b->inner_blks[i], inner, &stride))
                return false;
            inner *= b->inner_blks[i];
        }
        if (!continues(md->d.dims[dim] / block_of(b, dim), b->strides[dim], &stride))
            return false;
    }
    return true;
}

bool ec__md_channels(const struct ec__md *md, struct ec__channels *ret)
{
    const dnnl_blocking_desc_t *b = &md->d.format_desc.blocking;
    const int64_t *dims = md->d.dims;
    struct ec__channels c = { dims[0], 0, 1, 1, 0 };
    int64_t stride;
    int i;

    if (md->d.ndims < 2 || md->d.format_kind != dnnl_blocked || b->inner_nblks > 1 ||
        (b->inner_nblks == 1 && b->inner_idxs[0] != 1))
        return false;
    c.channels = dims[1];
    for (i = 2; i < md->d.ndims; i++)
        c.inner *= dims[i];
    c.block = block_of(b, 1);
    if (c.block == 1 && b->strides[1] == 1 && c.inner > 1)
        c.block = c.channels;
    c.blocks = md->d.padded_dims[1] / c.block;
    for (stride = c.block, i = md->d.ndims - 1; i >= 2; i--)
        if (!continues(dims[i], b->strides[i], &stride))
            return false;
    if (c.blocks > 1 && b->strides[1] != stride)
        return false;
    if (dims[0] > 1 && b->strides[0] != stride * c.blocks)
        return false;
    *ret = c;
    return true;
}

enum ec_status ec__md_zero_pad(struct ec__dnnl *lib, const struct ec__md *md, void *at,
                               struct ec_err *err)
{
    dnnl_memory_t m = NULL;
    dnnl_status_t s;

    if (!ec__md_is_padded(md))
        return EC_OK;
    s = lib->dnnl_memory_create(&m, &md->d, lib->engine, DNNL_MEMORY_NONE);
    if (!s)
        s = lib->dnnl_memory_set_data_handle_v2(m, at, lib->stream);
    if (m)
        lib->dnnl_memory_destroy(m);
    return said(s, "zero padding", err);
}

/* --- Primitives --- */

union op_desc {
    dnnl_convolution_desc_t conv; /* and deconvolution */
    dnnl_inner_product_desc_t ip;
    dnnl_matmul_desc_t matmul;
    dnnl_pooling_v2_desc_t pool;
    dnnl_batch_normalization_desc_t bn;
};

/* Names in sentences. */
static const char *const algo_names[] = {
    "convolution", "transposed convolution", "inner product", "matrix product",
    "max pooling", "mean pooling",           "mean pooling",  "batch normalization",
};

static dnnl_prop_kind_t forward_kind(const struct ec__prim_spec *s)
{
    return s->pass == EC__FWD_INFER ? dnnl_forward_inference : dnnl_forward_training;
}

static bool is_forward(const struct ec__prim_spec *s)
{
    return s->pass == EC__FWD || s->pass == EC__FWD_INFER;
}

static const dnnl_memory_desc_t *desc(const struct ec__md *md)
{
    return md ? &md->d : NULL;
}

/* oneDNN counts dilation from 0. */
struct win_dims {
    dnnl_dims_t dil;
};

static struct win_dims dilation(const struct ec__win *w)
{
    struct win_dims d = { { 0 } };
    int i;

    for (i = 0; i < w->dims; i++)
        d.dil[i] = w->dil[i] - 1;
    return d;
}

/* A transposed convolution is described as a convolution is, to other functions. */
static dnnl_status_t conv_desc(struct ec__dnnl *lib, const struct ec__prim_spec *s,
                               dnnl_convolution_desc_t *d)
{
    const struct ec__win *w = s->win;
    struct win_dims dil = dilation(w);
    bool turned = s->algo == EC__DECONV;
    dnnl_alg_kind_t alg = turned ? dnnl_deconvolution_direct : dnnl_convolution_direct;

    if (is_forward(s))
        return (turned ? lib->dnnl_dilated_deconvolution_forward_desc_init
                       : lib->dnnl_dilated_convolution_forward_desc_init)(
            d, forward_kind(s), alg, desc(s->src), desc(s->weights), desc(s->bias), desc(s->dst),
            w->stride, dil.dil, w->pad0, w->pad1);
    if (s->pass == EC__BWD_DATA)
        return (turned ? lib->dnnl_dilated_deconvolution_backward_data_desc_init
                       : lib->dnnl_dilated_convolution_backward_data_desc_init)(
            d, alg, desc(s->src), desc(s->weights), desc(s->dst), w->stride, dil.dil, w->pad0,
            w->pad1);
    return (turned ? lib->dnnl_dilated_deconvolution_backward_weights_desc_init
                   : lib->dnnl_dilated_convolution_backward_weights_desc_init)(
        d, alg, desc(s->src), desc(s->weights), desc(s->bias), desc(s->dst), w->stride, dil.dil,
        w->pad0, w->pad1);
}

static dnnl_status_t ip_desc(struct ec__dnnl *lib, const struct ec__prim_spec *s,
                             dnnl_inner_product_desc_t *d)
{
    if (is_forward(s))
        return lib->dnnl_inner_product_forward_desc_init(
            d, forward_kind(s), desc(s->src), desc(s->weights), desc(s->bias), desc(s->dst));
    if (s->pass == EC__BWD_DATA)
        return lib->dnnl_inner_product_backward_data_desc_init(d, desc(s->src), desc(s->weights),
                                                               desc(s->dst));
    return lib->dnnl_inner_product_backward_weights_desc_init(d, desc(s->src), desc(s->weights),
                                                              desc(s->bias), desc(s->dst));
}

static dnnl_status_t pool_desc(struct ec__dnnl *lib, const struct ec__prim_spec *s,
                               dnnl_pooling_v2_desc_t *d)
{
    const struct ec__win *w = s->win;
    struct win_dims dil = dilation(w);
    dnnl_alg_kind_t alg = s->algo == EC__POOL_MAX   ? dnnl_pooling_max
                          : s->algo == EC__POOL_AVG ? dnnl_pooling_avg_exclude_padding
                                                    : dnnl_pooling_avg_include_padding;

    if (is_forward(s))
        return lib->dnnl_pooling_v2_forward_desc_init(d, forward_kind(s), alg, desc(s->src),
                                                      desc(s->dst), w->stride, w->filter, dil.dil,
                                                      w->pad0, w->pad1);
    return lib->dnnl_pooling_v2_backward_desc_init(d, alg, desc(s->src), desc(s->dst), w->stride,
                                                   w->filter, dil.dil, w->pad0, w->pad1);
}

static unsigned norm_flags(const struct ec__prim_spec *s)
{
    unsigned f = s->affine ? (unsigned)(dnnl_use_scale | dnnl_use_shift) : 0u;

    if (s->global_stats)
        f |= (unsigned)dnnl_use_global_stats;
    if (s->relu)
        f |= (unsigned)dnnl_fuse_norm_relu;
    return f;
}

static dnnl_status_t bn_desc(struct ec__dnnl *lib, const struct ec__prim_spec *s,
                             dnnl_batch_normalization_desc_t *d)
{
    if (is_forward(s))
        return lib->dnnl_batch_normalization_forward_desc_init(d, forward_kind(s), desc(s->src),
                                                               (float)s->eps, norm_flags(s));
    return lib->dnnl_batch_normalization_backward_desc_init(
        d, dnnl_backward, desc(s->src), desc(s->src_value), (float)s->eps, norm_flags(s));
}

static dnnl_status_t make_desc(struct ec__dnnl *lib, const struct ec__prim_spec *s,
                               union op_desc *d)
{
    switch (s->algo) {
    case EC__CONV:
    case EC__DECONV:
        return conv_desc(lib, s, &d->conv);
    case EC__INNER_PRODUCT:
        return ip_desc(lib, s, &d->ip);
    case EC__MATMUL:
        return lib->dnnl_matmul_desc_init(&d->matmul, desc(s->src), desc(s->weights), desc(s->bias),
                                          desc(s->dst));
    case EC__POOL_MAX:
    case EC__POOL_AVG:
    case EC__POOL_AVG_PADDED:
        return pool_desc(lib, s, &d->pool);
    default:
        return bn_desc(lib, s, &d->bn);
    }
}

static dnnl_status_t add_relu(struct ec__dnnl *lib, dnnl_primitive_attr_t attr)
{
    dnnl_post_ops_t ops = NULL;
    dnnl_status_t s = lib->dnnl_post_ops_create(&ops);

    if (!s)
        s = lib->dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0);
    if (!s)
        s = lib->dnnl_primitive_attr_set_post_ops(attr, ops);
    if (ops)
        lib->dnnl_post_ops_destroy(ops);
    return s;
}

static dnnl_status_t make_attr(struct ec__dnnl *lib, const struct ec__prim_spec *s,
                               dnnl_primitive_attr_t *ret)
{
    dnnl_status_t st = lib->dnnl_primitive_attr_create(ret);

    if (!st)
        st = lib->dnnl_primitive_attr_set_scratchpad_mode(*ret, dnnl_scratchpad_mode_user);
    if (!st && s && s->relu && s->algo != EC__BATCH_NORM)
        st = add_relu(lib, *ret);
    if (!st && s && s->scale != 0)
        st = lib->dnnl_primitive_attr_set_output_scales(*ret, 1, 0, &s->scale);
    return st;
}

static const_dnnl_primitive_desc_t pd_of(struct ec__dnnl *lib, const struct ec__prim *p)
{
    const_dnnl_primitive_desc_t pd = NULL;

    if (p && lib->dnnl_primitive_get_primitive_desc(p->p, &pd))
        return NULL;
    return pd;
}

/* The primitive of a description, which is used up. */
static enum ec_status from_pd(struct ec__dnnl *lib, dnnl_primitive_desc_t pd, const char *what,
                              struct ec__prim **ret, struct ec_err *err)
{
    struct ec__prim *p = ec_alloc(sizeof *p);
    enum ec_status st = EC_OK;

    if (!p)
        st = ec_nomem(err);
    else
        st = said(lib->dnnl_primitive_create(&p->p, pd), what, err);
    lib->dnnl_primitive_desc_destroy(pd);
    if (st) {
        ec_free(p);
        return st;
    }
    *ret = p;
    return EC_OK;
}

enum ec_status ec__prim_new(struct ec__dnnl *lib, const struct ec__prim_spec *s,
                            struct ec__prim **ret, struct ec_err *err)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    union op_desc d;
    dnnl_status_t st;

    if (ec_headroom_spare(LIBRARY, SPARE_BYTES, err))
        return EC_E_DEVICE_MEMORY;
    st = make_attr(lib, s, &attr);
    memset(&d, 0, sizeof d);
    if (!st)
        st = make_desc(lib, s, &d);
    if (!st)
        st = lib->dnnl_primitive_desc_create(&pd, &d, attr, lib->engine, pd_of(lib, s->hint));
    if (attr)
        lib->dnnl_primitive_attr_destroy(attr);
    if (st)
        return said(st, algo_names[s->algo], err);
    return from_pd(lib, pd, algo_names[s->algo], ret, err);
}

enum ec_status ec__prim_reorder(struct ec__dnnl *lib, const struct ec__md *from,
                                const struct ec__md *to, struct ec__prim **ret, struct ec_err *err)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t st;

    if (ec_headroom_spare(LIBRARY, SPARE_BYTES, err))
        return EC_E_DEVICE_MEMORY;
    st = make_attr(lib, NULL, &attr);
    if (!st)
        st = lib->dnnl_reorder_primitive_desc_create(&pd, &from->d, lib->engine, &to->d,
                                                     lib->engine, attr);
    if (attr)
        lib->dnnl_primitive_attr_destroy(attr);
    if (st)
        return said(st, "reorder", err);
    return from_pd(lib, pd, "reorder", ret, err);
}

void ec__prim_free(struct ec__dnnl *lib, struct ec__prim *p)
{
    int i;

    if (!p)
        return;
    for (i = 0; i < p->n; i++)
        if (p->args[i].memory)
            lib->dnnl_memory_destroy(p->args[i].memory);
    if (p->p)
        lib->dnnl_primitive_destroy(p->p);
    ec_free(p);
}

static const dnnl_memory_desc_t *arg_desc(struct ec__dnnl *lib, const struct ec__prim *p, int arg)
{
    const dnnl_memory_desc_t *d =
        lib->dnnl_primitive_desc_query_md(pd_of(lib, p), dnnl_query_exec_arg_md, arg);

    return d && d->ndims ? d : NULL;
}

const struct ec__md *ec__prim_md(struct ec__dnnl *lib, struct ec_arena *a, const struct ec__prim *p,
                                 int arg)
{
    const dnnl_memory_desc_t *d = arg_desc(lib, p, arg);

    return d ? keep(a, d) : NULL;
}

static int64_t arg_bytes(struct ec__dnnl *lib, const struct ec__prim *p, int arg)
{
    const dnnl_memory_desc_t *d = arg_desc(lib, p, arg);

    return d ? (int64_t)lib->dnnl_memory_desc_get_size(d) : 0;
}

bool ec__prim_reorders(struct ec__dnnl *lib, const struct ec__prim *p, const struct ec__md *from,
                       const struct ec__md *to)
{
    const dnnl_memory_desc_t *x = arg_desc(lib, p, DNNL_ARG_FROM);
    const dnnl_memory_desc_t *y = arg_desc(lib, p, DNNL_ARG_TO);

    return x && y && lib->dnnl_memory_desc_equal(x, &from->d) &&
           lib->dnnl_memory_desc_equal(y, &to->d);
}

int64_t ec__prim_scratch(struct ec__dnnl *lib, const struct ec__prim *p)
{
    return arg_bytes(lib, p, DNNL_ARG_SCRATCHPAD);
}

int64_t ec__prim_workspace(struct ec__dnnl *lib, const struct ec__prim *p)
{
    return arg_bytes(lib, p, DNNL_ARG_WORKSPACE);
}

const char *ec__prim_impl(struct ec__dnnl *lib, const struct ec__prim *p)
{
    const char *text = NULL;

    if (lib->dnnl_primitive_desc_query(pd_of(lib, p), dnnl_query_impl_info_str, 0, &text) || !text)
        return "oneDNN";
    return text;
}

enum ec_status ec__prim_args(struct ec__dnnl *lib, struct ec__prim *p, int n, const int *args,
                             struct ec_err *err)
{
    int i;

    for (i = 0; i < n; i++) {
        const dnnl_memory_desc_t *d = arg_desc(lib, p, args[i]);
        dnnl_status_t s;

        if (!d)
            return ec_fail(err, EC_E_BACKEND, "oneDNN: a primitive has no argument %d", args[i]);
        s = lib->dnnl_memory_create(&p->args[i].memory, d, lib->engine, DNNL_MEMORY_NONE);
        if (s)
            return said(s, "memory", err);
        p->args[i].arg = args[i];
        p->n = i + 1;
    }
    return EC_OK;
}

enum ec_status ec__prim_run(struct ec__dnnl *lib, struct ec__prim *p, void *const *at,
                            struct ec_err *err)
{
    dnnl_status_t s = dnnl_success;
    int i;

    for (i = 0; i < p->n && !s; i++) {
        if (p->bound[i] == at[i])
            continue;
        s = lib->dnnl_memory_set_data_handle_v2(p->args[i].memory, at[i], lib->stream);
        p->bound[i] = at[i];
    }
    if (!s)
        s = lib->dnnl_primitive_execute(p->p, lib->stream, p->n, p->args);
    return said(s, "execution", err);
}
