/* Shared inside cost: the segments of a network under activation checkpointing. */
#ifndef EC_COST_RECOMPUTE_H
#define EC_COST_RECOMPUTE_H

#include "cost/step_notes.h"

/* Nodes begin to end - 1. On the way back those before run_end run forward once more, and then all
 * of them backward. */
struct ec_segment {
    int begin, end, run_end;
};
/* What crosses from one segment to another is kept from forward; all else only while backward is in
 * its segment. */
struct ec_segments {
    int n, head; /* head: the node from which on all is kept and runs once; n_nodes: none */
    struct ec_segment *v;
    int *of_node;           /* per node: its segment */
    unsigned char *crosses; /* per value, by the value that owns its memory */
    unsigned char *stays;   /* per node: its result is kept as what crosses is; it runs once */
};
/* What cond->recompute says, which is not none. Errors: NOMEM */
enum ec_status ec__segments_find(const struct ec_graph *g, const struct ec_conditions *cond,
                                 const struct ec_step_notes *notes, struct ec_segments *ret,
                                 struct ec_err *err) EC_MUST_CHECK;
void ec__segments_clear(struct ec_segments *s);

#endif
