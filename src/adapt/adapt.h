/* What measurements of one machine add to what ships: profiles, layers, a Gaussian process. */
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
