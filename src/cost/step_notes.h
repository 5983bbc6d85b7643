/* Shared inside cost: what the kernels of a node are marked with, what a step keeps, equal kernels.
 */
#ifndef EC_STEP_NOTES_H
#define EC_STEP_NOTES_H

#include "cost/cost.h"

enum {
    EC_NOTE_WIDE = 1 << 0,         /* works in float32 under autocast, for whatever reason */
    EC_NOTE_CASTS_WIDE = 1 << 1,   /* casts what it reads in float32 to half */
    EC_NOTE_CASTS_NARROW = 1 << 2, /* casts what it reads in half to float32 */
    EC_NOTE_ATTENTION = 1 << 3,    /* part of plain attention */
    EC_NOTE_PASSES = 1 << 4,       /* goes over elements, or rows of them, once */
    EC_NOTE_REDUCES = 1 << 5,      /* and gives what others can read only when it has ended */
    EC_NOTE_LAST = 1 << 6,         /* its values lie channels-last whatever the memory format */
    EC_NOTE_REORDER = 1 << 7,      /* only tells apart where the channels stand */
    EC_NOTE_MASKED = 1 << 8,       /* part of attention with a causal mask, else plain */
    EC_NOTE_OPERAND = 1 << 9,      /* of attention: the scale of q or k before their product */
    EC_NOTE_SCORES = 1 << 10,      /* and makes scores: all but the last product */
    EC_NOTE_STRIDED = 1 << 11,     /* a transposition beside attention, which a compiler drops */
};
struct ec_step_notes {
    unsigned char *wide;  /* per value: float32 under autocast */
    unsigned short *node; /* per node: EC_NOTE_* */
    /* Per node, in elements: read and written between it and its neighbours when a compiler makes
     * one kernel of them; of the rest, what it then moves as half while it works in float32.
     * joint_frac: the former, as a share of the tensors that the node reads and writes. again: of
     * what backward would read, computed again in the same kernel. */
    double *joint, *joint_frac, *narrow, *again;
    unsigned char *together; /* per value: several passes of one kernel read it */
};
/* Errors: NOMEM */
enum ec_status ec__step_notes(const struct ec_graph *g, struct ec_step_notes *ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec__step_notes_clear(struct ec_step_notes *n);
/* Fills joint, joint_frac, narrow, again and together from the rest. Errors: NOMEM */
enum ec_status ec__find_joint(const struct ec_graph *g, struct ec_step_notes *notes,
                              struct ec_err *err) EC_MUST_CHECK;

/* How what backward needs is counted, and what of it has been. */
struct ec_keeping {
    unsigned char *kept;               /* per value: counted */
    double elem_bytes;                 /* of activations */
    bool autocast;                     /* but for those that stay in float32 */
    bool composed;                     /* models run as Python has them: norms, masks of windows */
    const unsigned char *solid;        /* of a compiler, per value: read by more than passes */
    const struct ec_step_notes *notes; /* NULL: each operator for itself, no autocast */
};
/* What a node is the first to keep from forward for backward. */
double ec__saved_bytes(const struct ec_graph *g, const struct ec_node *n,
                       const struct ec_keeping *k);
double ec__value_bytes(const struct ec_value *v, const struct ec_keeping *k);
/* What a view is a view of; any other value is its own. */
const struct ec_value *ec__owner(const struct ec_graph *g, const struct ec_value *v);
/* Scores of attention that runs as one kernel: they are nowhere. */
bool ec__makes_scores(const struct ec_node *n, const struct ec_keeping *k);
/* Parameters, buffers and bytes of the inputs of a network. */
void ec__count_params(const struct ec_graph *g, struct ec_totals *ret);

double ec_optimizer_scratch(enum ec_optimizer o);

/* The hidden matrices that Muon updates, one parameter after the other: count of them, narrow x
 * wide. Starts zeroed; false: there are no more. */
struct ec__muon {
    int node, slot; /* next */
    double count, narrow, wide;
};
bool ec__muon_next(const struct ec_graph *g, struct ec__muon *m);
/* The products that their update takes, of which a device has a share. */
void ec__muon_work(const struct ec__muon *m, double share, struct ec_work *w);

#endif
