/* Measuring this machine: the protocol of one measurement, the files that rows go to, and campaigns
 * over layers, networks, and configurations that are trained. */
#ifndef EC_MEASURE_H
#define EC_MEASURE_H

#include "measure/campaign.h"
#include "measure/composition.h"
#include "measure/configs.h"
#include "measure/csv_log.h"
#include "measure/iterations.h"
#include "measure/measurer.h"
#include "measure/parallel.h"
#include "measure/protocol.h"
#include "measure/row_file.h"
#include "measure/strategy.h"

#endif
