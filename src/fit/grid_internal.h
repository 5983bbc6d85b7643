/* Shared by predictions with saved models. */
#ifndef EC_GRID_INTERNAL_H
#define EC_GRID_INTERNAL_H

#include "fit/saved_model.h"

/* Fills `predicted` and `held` of a row: the model's answer, limited to the range of its training
 * rows. */
void ec__asked_answer(const struct ec_regressor *m, const struct ec_saved_model *t, const double *x,
                      struct ec_model_row *ret);
/* Computes the errors over the rows with a measured value. Errors: NOMEM */
enum ec_status ec__asked_judge(struct ec_model_rows *a, struct ec_err *err) EC_MUST_CHECK;

#endif
