/* Output for people and programs: tables, pictures, analyses of runs, reports. */
#ifndef EC_REPORT_H
#define EC_REPORT_H

#include "report/beside.h"
#include "report/demo.h"
#include "report/operators.h"
#include "report/picture.h"
#include "report/results.h"
#include "report/runs.h"
#include "report/scaling.h"
#include "report/table.h"

#endif
