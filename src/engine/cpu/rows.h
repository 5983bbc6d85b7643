/* Kernels that walk memory flat or row by row: sums, softmax, layer norm. */
#ifndef EC_ENGINE_CPU_ROWS_H
#define EC_ENGINE_CPU_ROWS_H

#include "engine/cpu/cpu_internal.h"

static inline enum ec__elem ec__elem_of(const struct ec_knode *k)
{
    return k->compute == EC_DT_bf16 ? EC__BF16 : EC__F32;
}
static inline int64_t ec__elem_bytes(enum ec__elem t)
{
    return t == EC__BF16 ? 2 : 4;
}
/* Memory from an element on; NULL stays NULL. */
static inline void *ec__from(void *x, enum ec__elem t, int64_t elem)
{
    return x ? (char *)x + elem * ec__elem_bytes(t) : NULL;
}

/* A run over rows, and the part of it that one thread does. */
struct ec__row_job {
    const struct ec__cpu *cpu; /* as of the run */
    const void *data;
    void *const *at;
    char *own; /* scratch of the part */
};
/* Bytes of scratch for all parts. */
int64_t ec__row_scratch(const struct ec_knode *k, int64_t bytes);
typedef void (*ec__row_fn)(const struct ec__row_job *j, int64_t begin, int64_t end);
/* Cuts the rows into as many parts as there are threads; each has `bytes` of the scratch as its
 * own. */
enum ec_status ec__row_run(const struct ec__run *r, ec__row_fn fn, int64_t rows, void *scratch,
                           int64_t bytes);
/* Adds a call of that: its places are followed by the scratch it needs; data is copied into the
 * program's arena. */
void ec__call_rows(struct ec__build *b, ec__row_fn fn, int64_t rows, int64_t bytes,
                   const void *data, size_t size, const struct ec__place *place, int n);
#define EC__CALL_ROWS(b, fn, rows, bytes, data, ...)                                               \
    ec__call_rows(b, fn, rows, bytes, data, sizeof *(data),                                        \
                  (const struct ec__place[]){ __VA_ARGS__ },                                       \
                  EC_LEN(((const struct ec__place[]){ __VA_ARGS__ })))
/* Adds up what each part left in its scratch: n sums from the at-th float on. */
void ec__row_add_parts(const struct ec__run *r, void *scratch, int64_t bytes, int64_t at, int64_t n,
                       float *to);

/* Rows as float32: themselves, or converted into tmp. */
const float *ec__row_in(const struct ec__loops *l, enum ec__elem t, const void *x, int64_t row,
                        int64_t n, float *tmp);
float *ec__row_out(enum ec__elem t, void *y, int64_t row, int64_t n, float *tmp);
void ec__row_put(const struct ec__loops *l, enum ec__elem t, void *y, int64_t row, int64_t n,
                 const float *tmp);

/* Softmax of rows x n in place; where causal is not 0 row i uses its first i % causal + 1 + n -
 * causal elements, the others become 0. Gradient: dp becomes ds. */
struct ec__softmax_rows {
    enum ec__elem t;
    int64_t rows, n, causal;
    bool log;
    struct ec__place scratch; /* filled in by the calls below */
};
void ec__softmax_forward(struct ec__build *b, struct ec__softmax_rows s, struct ec__place x,
                         struct ec__place y);
void ec__softmax_backward(struct ec__build *b, struct ec__softmax_rows s, struct ec__place y,
                          struct ec__place dy, struct ec__place dx);
/* z = x f y, n elements each; z may be x or y. */
void ec__binary_call(struct ec__build *b, enum ec__binary f, enum ec__elem t, int64_t n,
                     struct ec__place x, struct ec__place y, struct ec__place z);
/* Mean and variance (over n) of each channel of x, float32; see statistics.c. */
void ec__statistics_call(struct ec__build *b, const struct ec__channels *c, struct ec__place x,
                         struct ec__place mean, struct ec__place var);
/* Dropout of n elements, not kept: the same seed makes the same choice. */
void ec__dropout_call(struct ec__build *b, double p, int64_t n, struct ec__place x,
                      struct ec__place y);

#endif
