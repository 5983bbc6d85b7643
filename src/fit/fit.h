/* Fitting to a user's own measurements: calibration of a device, regressors of operators and of
 * tables, their comparison, and saved models. */
#ifndef EC_FIT_H
#define EC_FIT_H

#include "fit/calibrate.h"
#include "fit/compare.h"
#include "fit/grid.h"
#include "fit/saved_model.h"

#endif
