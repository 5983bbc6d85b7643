/* Tables, pictures of tables, analyses of runs: what results become for people and programs. */
#ifndef EC_REPORT_H
#define EC_REPORT_H

#include "report/demo.h"
#include "report/picture.h"
#include "report/results.h"
#include "report/runs.h"
#include "report/table.h"

#endif
