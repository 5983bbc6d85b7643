/* From measured operators and ceilings of a machine to layers. */
#ifndef EC_PREDICT_LAYERS_ROWS_H
#define EC_PREDICT_LAYERS_ROWS_H

#include "adapt/layers.h"

/* Work of a ceiling's case: FLOP of arithmetic, or bytes of a copy; 0 for the other. */
void ec_ceiling_work(const char *what, double *ret_flop, double *ret_copy_bytes);

struct ec_measured_layer; /* one row of a file */
struct ec_measured_layers {
    struct ec_layer_machine machine;
    int64_t only_threads; /* take only rows with so many threads; 0: any, but all the same */
    char device[EC_LAYER_TEXT_BYTES],
        threads[EC_LAYER_TEXT_BYTES]; /* of the first row; all rows must agree */
    struct ec_measured_layer *row;
    int n, cap;
    struct ec_arena arena;
};
void ec_measured_layers_clear(struct ec_measured_layers *l);
/* Adds the operators and ceilings of a file. Networks, flagged rows that are kept apart and failed
 * measurements are skipped. Errors: those of reading; INPUT for rows of two machines, engines,
 * precisions or numbers of threads */
enum ec_status ec_measured_layers_add(struct ec_measured_layers *l, const char *path,
                                      struct ec_err *err) EC_MUST_CHECK;
/* Fits the layers. ret: ec_layers_free. ret_left_out: number of rows of unknown operators. Errors:
 * INPUT when no row can be used, NOMEM, UNSTABLE */
enum ec_status ec_measured_layers_fit(struct ec_measured_layers *l, struct ec_layers **ret,
                                      int *ret_left_out, struct ec_err *err) EC_MUST_CHECK;

#endif
