/* What the files of this folder share. */
#ifndef EC_REPORT_INTERNAL_H
#define EC_REPORT_INTERNAL_H

#include "report/table.h"

void ec__table_csv(const struct ec_table *t, struct ec_buf *out);

#endif
