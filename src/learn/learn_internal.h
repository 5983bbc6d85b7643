/* Shared inside learn: the list of kinds, bytes of the model file, small dense algebra. */
#ifndef EC_LEARN_INTERNAL_H
#define EC_LEARN_INTERNAL_H

#include "learn/learn.h"

/* The kinds; src/learn/<file>.c defines ec_regressor_<name>. */
#define EC_REGRESSOR_LIST(X)                                                                       \
    X(constant) X(linear) X(ridge) X(nnls) X(knn) X(forest) X(gbt) X(ann) X(ensemble)

#define EC_REGRESSOR_DECLARE(name) extern const struct ec_regressor_kind ec_regressor_##name;
EC_REGRESSOR_LIST(EC_REGRESSOR_DECLARE)
#undef EC_REGRESSOR_DECLARE

/* --- Bytes, little-endian. Reading past the end, or a number that is not finite, is a failure that
 * stays; numbers read after it are 0. --- */
struct ec_bytes {
    struct ec_buf *out; /* written to; NULL: what follows is read */
    const unsigned char *p;
    size_t left;
    int depth; /* of models inside models */
    bool bad, no_memory;
    enum ec_status st;  /* of a model inside; its sentence is in err */
    struct ec_arena *a; /* of the model that is read */
    struct ec_err *err;
    /* kinds.c: the kind of a name, for reading models. Errors: NOT_FOUND */
    enum ec_status (*find_kind)(const char *name, const struct ec_regressor_kind **ret,
                                struct ec_err *err);
};
void ec__put_uint(struct ec_buf *out, uint64_t v, int n); /* its lower n bytes, 1 to 8 */
void ec__put_f32(struct ec_buf *out, float v);
void ec__put_f64(struct ec_buf *out, double v);
void ec__put_text(struct ec_buf *out, const char *text);
uint64_t ec__get_uint(struct ec_bytes *in, int n);
float ec__get_f32(struct ec_bytes *in);
double ec__get_f64(struct ec_bytes *in);
/* Reads a count of elements of at least elem_bytes each, at most max. A count that exceeds the
 * remaining bytes is a failure. */
int ec__get_count(struct ec_bytes *in, size_t elem_bytes, int max);
/* The next n bytes as a reader of their own; empty, and a failure, when there are fewer. */
struct ec_bytes ec__get_part(struct ec_bytes *in, size_t n);
/* In the arena; NULL after a failure or when memory is out. */
const char *ec__get_text(struct ec_bytes *in, struct ec_arena *a);
/* PARSE when reading failed, NOMEM when it did not but `got` is false. */
enum ec_status ec__get_status(const struct ec_bytes *in, bool got,
                              struct ec_err *err) EC_MUST_CHECK;

/* Members of a model, written or read: a number from `least` to `most`; how many elements of at
 * least elem_bytes each follow; a number; n numbers, read into the arena, the last above zero. */
void ec__io_int(struct ec_bytes *io, int *v, int least, int most);
void ec__io_count(struct ec_bytes *io, int *v, size_t elem_bytes, int most);
void ec__io_f64(struct ec_bytes *io, double *v);
void ec__io_f64s(struct ec_bytes *io, double **v, int n);
void ec__io_f32s(struct ec_bytes *io, float **v, int n);
void ec__io_widths(struct ec_bytes *io, double **v, int n);

/* --- Dense algebra --- */
/* Mean and standard deviation of each column; a column that does not vary has sd 1. */
void ec__column_stats(const struct ec_rows *rows, double *mean, double *sd);

/* --- Models that are a sum of weighted columns: linear, ridge, nnls --- */
struct ec_linear_model {
    double intercept, *coef;
};
double ec__linear_predict(const void *state, const double *x, int n_cols);
void ec__linear_members(struct ec_bytes *io, void *state, int n_cols);
void ec__linear_describe(const void *state, const char *const *names, int n_cols,
                         struct ec_buf *out);

/* --- Trees, one after the other, each breadth first. The children of a node are the next two nodes
 * without a parent, so that the bits which say which nodes split determine the trees --- */
#define EC_TREES_MAX 100000
#define EC_TREE_NODES_MAX (1 << 24) /* what the 24 bits of a step hold */
/* Whether a model can hold so many. Errors: INPUT */
enum ec_status ec__trees_check_size(int64_t n_trees, int64_t n_nodes,
                                    struct ec_err *err) EC_MUST_CHECK;
struct ec_tree_node {
    float value;     /* of a leaf; otherwise the threshold: below it to the left */
    int32_t left;    /* index of the left child, the right one follows; 0: a leaf */
    int32_t feature; /* column; 0 in a leaf */
};
/* A node for prediction: right child, with the left one before it, and column in one word. It is
 * small, because models are larger than the nearest caches. */
struct ec_tree_step {
    uint32_t value; /* rank of the threshold, or the bits of the leaf's value */
    uint32_t to;    /* right child << 8 | column */
};
struct ec_trees {
    int n_trees, n_nodes;
    double offset;             /* added to the sum */
    int32_t *root;             /* n_trees */
    struct ec_tree_node *node; /* n_nodes */
    /* For prediction, made from the nodes. A leaf points to itself, so that each walk of a tree
     * takes as many steps as the tree is high, without a test for its end. */
    struct ec_tree_step *step; /* in an order for the caches */
    int32_t *start;            /* n_trees; step of the root */
    int32_t *height;           /* n_trees */
    uint8_t *used;             /* columns that any node uses */
    int n_used;
};
/* Makes step, start, height and used from the nodes. Errors: NOMEM */
enum ec_status ec__trees_make_steps(struct ec_trees *t, struct ec_arena *a,
                                    struct ec_err *err) EC_MUST_CHECK;
double ec__trees_predict(const void *state, const double *x, int n_cols);
void ec__trees_members(struct ec_bytes *io, void *state, int n_cols);
void ec__trees_describe(const void *state, const char *const *names, int n_cols,
                        struct ec_buf *out);
/* Converts XGBoost's model (UBJSON) to trees of ours. Errors: BACKEND for other bytes; INPUT for
 * more trees or nodes than a model holds */
enum ec_status ec__trees_from_ubj(const unsigned char *data, size_t len, int n_cols,
                                  struct ec_arena *a, struct ec_trees *ret,
                                  struct ec_err *err) EC_MUST_CHECK;

#define EC__KNN_MAX 64 /* nearest neighbours, at most */

/* --- Dense networks --- */
enum ec_act { EC_ACT_RELU, EC_ACT_SILU };
#define EC_ANN_LAYERS_MAX 4 /* with the output */
#define EC_ANN_WIDTH_MAX 256
struct ec_ann {
    int n_layers, width[EC_ANN_LAYERS_MAX + 1]; /* width[0]: columns; the last is 1 */
    enum ec_act act;
    double *mean, *sd, y_mean, y_sd;
    float *weight[EC_ANN_LAYERS_MAX]; /* (in, out) row-major */
    float *bias[EC_ANN_LAYERS_MAX];
};
struct ec_ann_opts {
    struct ec_ints hidden;
    enum ec_act act;
    int loss;
    int64_t epochs, patience, batch;
    double rate, decay, aside;
};
extern const struct ec_field ec__ann_fields[];
enum ec_status ec__ann_fit(const struct ec_fitting *f, void *state, struct ec_err *err);
/* out += a b; a is m x k, b is k x n. */
void ec__mul_add(float *out, const float *a, const float *b, int m, int k, int n);
/* As ec__mul_add, with a transposed: k x m. */
void ec__mul_add_turned(float *out, const float *a, const float *b, int m, int k, int n);
void ec__transpose(const float *a, int rows, int cols, float *out);
/* w = keep w - step m1 / (root sqrt(m2) + 1e-8), after m1 and m2 have moved towards the gradient
 * and its square. */
void ec__adam_step(float *w, const float *grad, float *m1, float *m2, int n, float step, float keep,
                   float root);
/* n numbers; z and ret may be the same. */
void ec__activate(enum ec_act act, const float *z, int n, float *ret);
/* Multiplies io by the activation's derivatives at z. */
void ec__mul_slopes(enum ec_act act, const float *z, int n, float *io);
/* Predicts one row. a: the standardised columns on entry, the result in a[0]; a and z:
 * EC_ANN_WIDTH_MAX numbers */
void ec__ann_answer(const struct ec_ann *m, float *a, float *z);

#define EC_ABOUT_MAX_BYTES 4096
/* A recipe of a kind with options as text. Errors: INPUT, NOMEM */
enum ec_status ec__recipe_of(const struct ec_regressor_kind *kind, const char *options,
                             struct ec_arena *a, struct ec_recipe *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* A model inside another one. */
void ec__regressor_put(const struct ec_regressor *r, struct ec_buf *out);
enum ec_status ec__regressor_get(struct ec_bytes *in, struct ec_regressor **ret,
                                 struct ec_err *err) EC_MUST_CHECK;
void ec__io_regressor(struct ec_bytes *io, struct ec_regressor **r);
double ec__regressor_one(const struct ec_regressor *r, const double *x);
void ec__learn_say(const struct ec_learn_env *env, const char *fmt, ...) EC_PRINTF(2, 3);

/* Writes a paragraph: kind, target, content of the model. */
void ec_regressor_describe(const struct ec_regressor *r, struct ec_buf *out);
/* A x = b: a becomes its factor, b becomes x. */
bool ec_cholesky_solve(double *a, double *b, int n);

#endif
