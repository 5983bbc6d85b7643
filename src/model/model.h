/* From a query to a time on a device: formulas with fitted constants, corrections learned from
 * their residuals, memory, several devices, and the ranges of the rows of the fit. */
#ifndef EC_MODEL_H
#define EC_MODEL_H

#include "model/domain.h"
#include "model/features.h"
#include "model/fitted.h"
#include "model/learned.h"
#include "model/memory.h"
#include "model/network_features.h"
#include "model/parallel.h"
#include "model/physics.h"
#include "model/physics_query.h"
#include "model/sharded.h"

#endif
