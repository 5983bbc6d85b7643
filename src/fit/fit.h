/* What learns from a user's own measurements: calibration of a device, regressors of operators and
 * of tables, side by side. */
#ifndef EC_FIT_H
#define EC_FIT_H

#include "fit/calibrate.h"
#include "fit/compare.h"
#include "fit/grid.h"
#include "fit/saved_model.h"

#endif
