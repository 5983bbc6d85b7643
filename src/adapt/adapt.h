/* Adapting predictions to measurements of one machine: offsets, a Gaussian process on residuals,
 * measured layers, and the profile that holds them. */
#ifndef EC_ADAPT_H
#define EC_ADAPT_H

#include "adapt/composed.h"
#include "adapt/gp.h"
#include "adapt/layers.h"
#include "adapt/layers_rows.h"
#include "adapt/local.h"
#include "adapt/neighbours.h"
#include "adapt/offsets.h"
#include "adapt/profile.h"

#endif
