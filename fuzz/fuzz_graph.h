/* What every target that reads networks does with one that was read. */
#ifndef FUZZ_GRAPH_H
#define FUZZ_GRAPH_H

#include "cost/cost.h"

#include <math.h>

/* Counts are finite; the network written as our JSON reads back and counts the same. */
void fuzz_check_graph(const struct ec_graph *g);

#endif
