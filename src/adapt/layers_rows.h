/* Measured operators and ceilings of a machine to layers. */
#ifndef EC_PREDICT_LAYERS_ROWS_H
#define EC_PREDICT_LAYERS_ROWS_H

#include "adapt/layers.h"

/* What a ceiling computes, and the bytes that it copies from one place to another; 0: it is of
 * another kind. */
void ec_ceiling_work(const char *what, double *ret_flop, double *ret_copy_bytes);

struct ec_measured_layer; /* one row of a file */
struct ec_measured_layers {
    struct ec_layer_machine machine;
    int64_t only_threads; /* 0: rows of any number, all of the same */
    char device[EC_LAYER_TEXT_BYTES], threads[EC_LAYER_TEXT_BYTES]; /* words of the rows */
    struct ec_measured_layer *row;
    int n, cap;
    struct ec_arena arena;
};
void ec_measured_layers_clear(struct ec_measured_layers *l);
/* Separated operators and ceilings; networks, rows kept apart and those that did not work are
 * passed over. Errors: those of reading; INPUT for rows of two machines, engines, precisions */
enum ec_status ec_measured_layers_add(struct ec_measured_layers *l, const char *path,
                                      struct ec_err *err) EC_MUST_CHECK;
/* ret: ec_layers_free. ret_left_out: rows of operators that we do not have. Errors: INPUT when none
 * can be used, NOMEM, UNSTABLE */
enum ec_status ec_measured_layers_fit(struct ec_measured_layers *l, struct ec_layers **ret,
                                      int *ret_left_out, struct ec_err *err) EC_MUST_CHECK;

#endif
