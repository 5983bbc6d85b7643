/* What the rules of operators share.
 *
 * FLOP convention: an addition, multiplication, comparison, division, square root and a call of a
 * transcendental function count 1 each; a multiply-accumulate is 2. Traffic is compulsory traffic:
 * each tensor once per pass that a framework makes over it. */
#ifndef EC_OP_INTERNAL_H
#define EC_OP_INTERNAL_H

#include "op/op.h"

/* Begins a row: EC__OP(relu) = { ... }. The build makes the list of operators from the lines of
 * this folder that begin so, or with the name of a macro that does: EC__OP_UNARY(relu, ...). */
#define EC__OP(opname) const struct ec_op ec_op_##opname

/* In a row: the struct of its attributes and the table that describes it, both of attrs.fields. */
#define EC__ATTRS(of, table) .attrs_size = sizeof(struct of##_attrs), .fields = table

/* Bounds of attributes: far above any network, far below overflow. */
#define EC__EXTENT_MAX 65536.0 /* filters, strides, padding */
#define EC__COUNT_MAX 1e12     /* features, channels, rows */
#define EC__SPLIT_MAX 1024
#define EC__OPAQUE_OUT_MAX 64
#define EC__RNN_LAYERS_MAX 8 /* keeps kernels and parameters within their lists */

#define EC__INDEX_BYTES 8.0 /* frameworks index with int64_t */

/* The tables of attributes, of attrs.fields, and what words in them may be. */
extern const char *const ec__dtype_words[];
extern const char *const ec__pad_words[]; /* valid same */
#include "attrs_fields.h"

/* --- Sizes --- */
double ec__in(const struct ec_case *c, int i);  /* elements of input i */
double ec__out(const struct ec_case *c, int i); /* elements of output i */
double ec__in_all(const struct ec_case *c);
double ec__out_all(const struct ec_case *c);
double ec__ratio(double a, double b); /* 0 when b is 0: empty tensors cost nothing */
/* Bytes of one index of input i; float inputs stand for indices of unstated type. */
double ec__index_bytes(const struct ec_case *c, int i);
int64_t ec__ints_at(const struct ec_ints *v, int i); /* one for all, or one each */

/* --- Parts of shape rules; all errors are SHAPE unless said --- */
enum ec_status ec__rank_is(const struct ec_case *c, int input, int lo, int hi,
                           struct ec_err *err) EC_MUST_CHECK;
/* Writes an output: every dimension >= 0, product below 2^60. */
enum ec_status ec__set_out(const struct ec_case *c, int i, const struct ec_shape *s,
                           enum ec_dtype t, struct ec_err *err) EC_MUST_CHECK;
/* A negative axis counts from the end. */
enum ec_status ec__axis(int64_t axis, int rank, int *ret, struct ec_err *err) EC_MUST_CHECK;
/* Set of axes as bits, none given meaning all; refuses doubles. */
enum ec_status ec__axes(const struct ec_ints *axes, int rank, unsigned *ret,
                        struct ec_err *err) EC_MUST_CHECK;
/* Numpy broadcasting. */
enum ec_status ec__broadcast(const struct ec_shape *a, const struct ec_shape *b,
                             struct ec_shape *ret, struct ec_err *err) EC_MUST_CHECK;
/* The number of elements of every parameter must be countable; the last line of a shape rule. */
enum ec_status ec__params_fit(const struct ec_case *c, struct ec_err *err) EC_MUST_CHECK;
/* A required attribute. Error: INPUT. */
enum ec_status ec__required(int64_t v, const char *what, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__divides(int64_t parts, int64_t whole, const char *parts_what,
                           const char *whole_what, struct ec_err *err) EC_MUST_CHECK;

enum ec_status ec__shape_same(const struct ec_case *c, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__shape_scalar(const struct ec_case *c, struct ec_err *err) EC_MUST_CHECK;

/* --- Kernels --- */
struct ec_kernel *ec__kernel(struct ec_work *w, enum ec_kclass kclass, enum ec_phase p, double flop,
                             double read_elems, double write_elems);
/* b products (m x k)(k x n): mac, flop and the matrix view; traffic is the caller's. */
struct ec_kernel *ec__gemm(struct ec_work *w, enum ec_phase p, double b, double m, double n,
                           double k);
/* m results out of n elements each: read m * n, write m, one operation per element. */
struct ec_kernel *ec__reduce(struct ec_work *w, enum ec_phase p, double m, double n);
/* Gradient of a bias of m features summed over n rows: a REDUCE that writes parameters. */
struct ec_kernel *ec__bias_grad(struct ec_work *w, double m, double n);
/* Gradient of input i, which was broadcast to the output: summed back where the shapes differ. */
void ec__unbroadcast(const struct ec_case *c, int i, struct ec_work *w);
/* Work of a plain copy: input read, output written; backward likewise. */
void ec__copy_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w);
void ec__no_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w);

/* --- What backward keeps --- */
void ec__saved_none(const struct ec_case *c, struct ec_saved *ret);
void ec__saved_in(const struct ec_case *c, struct ec_saved *ret);   /* input 0 */
void ec__saved_both(const struct ec_case *c, struct ec_saved *ret); /* inputs 0 and 1 */
/* Products: each factor for the gradient of the other; of layers with weights: input 0 for theirs
 */
void ec__saved_factors(const struct ec_case *c, struct ec_saved *ret);
void ec__saved_for_weights(const struct ec_case *c, struct ec_saved *ret);
void ec__saved_out(const struct ec_case *c, struct ec_saved *ret);    /* output 0 */
void ec__saved_in_out(const struct ec_case *c, struct ec_saved *ret); /* input 0, output 0 */

/* --- Drawing cases --- */
bool ec__draw_chance(struct ec_rng *r, int percent);
int64_t ec__draw_log(struct ec_rng *r, int64_t lo, int64_t hi);   /* log-uniform */
int64_t ec__draw_width(struct ec_rng *r, int64_t lo, int64_t hi); /* the same, mostly rounded */
int64_t ec__draw_side(struct ec_rng *r);                          /* of an image, at least 7 */
int64_t ec__draw_of(struct ec_rng *r, const int64_t *values, int n);
void ec__draw_shape(struct ec_rng *r, struct ec_buf *out);  /* images, sequences or rows */
void ec__draw_images(struct ec_rng *r, struct ec_buf *out); /* NxCxHxW */
void ec__draw_rows(struct ec_rng *r, struct ec_buf *out);   /* NxTxC */
/* `.sample` of operators with one input of such a shape and nothing else to choose. */
void ec__sample_any(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out);
void ec__sample_images(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out);
void ec__sample_rows(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out);

/* --- Sliding windows, shared by convolution and pooling --- */
#define EC__SPATIAL_MAX 3
struct ec__window {
    int dims;
    int64_t filter[EC__SPATIAL_MAX], stride[EC__SPATIAL_MAX], dil[EC__SPATIAL_MAX];
    int64_t out[EC__SPATIAL_MAX];
};
/* Attributes of a window as they are written; lists hold one number or one per dimension. */
struct ec__window_attrs {
    const int64_t *filter;
    const struct ec_ints *stride, *pad, *dil, *out_pad; /* out_pad NULL unless transposed */
    bool ceil_mode;
};
/* Output extents of windows over the spatial dimensions (from the third on) of x. */
enum ec_status ec__window_make(const struct ec_shape *x, const struct ec__window_attrs *a,
                               struct ec__window *ret, struct ec_err *err) EC_MUST_CHECK;
double ec__window_taps(const struct ec__window *w);   /* elements of a filter */
double ec__window_stride(const struct ec__window *w); /* geometric mean over dimensions */
/* Product of the spatial dimensions. */
double ec__spatial(const struct ec_shape *s);

#endif
