/* Shared inside cost: where operators put the dimensions of what they read. */
#ifndef EC_AXES_H
#define EC_AXES_H

#include "cost/cost.h"

/* Where a dimension of an input of a node is found again in its output; EC_AXIS_LOST: the operator
 * works across it, or has no such dimension. */
#define EC_AXIS_LOST (-1)
int ec__axis_through(const struct ec_node *n, int input, int axis);
bool ec__is_op(const struct ec_node *n, const char *name);

#endif
