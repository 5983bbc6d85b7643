/* Measures why isolated layers add up to more than their network: each layer is timed in six ways,
 * from a benchmark that trains a single layer with its input and target to the time that one more
 * copy adds to a running network, and the sums are compared with the network's step.
 * docs/composition.md */
#ifndef EC_COMPOSITION_H
#define EC_COMPOSITION_H

#include "measure/measurer.h"

/* Ways to time a layer, each without one part that the one before has. X(name, what it holds, what
 * the step to the next takes away) */
#define EC_SUM_LIST(X)                                                                             \
    X(justus, "lone layer; input and target trained, a loss, its update",                          \
      "gradients and updates of input and target")                                                 \
    X(isolated, "lone layer; gradient of its input, a loss, its update", "a loss for every layer") \
    X(no_loss, "lone layer; constant upstream gradient, gradient of its input, its update",        \
      "gradients of inputs that the network does not compute")                                     \
    X(needed, "the same, gradient of its input only where the network needs it",                   \
      "borders of a lone layer: conversions, constants, warm caches")                              \
    X(marginal, "what a further copy adds to a network of copies",                                 \
      "neighbours that the network does not have: no fusing, another memory format")               \
    X(company, "what a further copy adds among the neighbours that it has in the network",         \
      "the rest")

enum ec_sum {
#define EC_SUM_ENUM(name, holds, next) EC_SUM_##name,
    EC_SUM_LIST(EC_SUM_ENUM)
#undef EC_SUM_ENUM
        EC_SUM_COUNT
};
const char *ec_sum_next(enum ec_sum s);

struct ec_composed_layer {
    const char *what;   /* case text */
    const char *then;   /* case text of the operator that the network's program fuses into it */
    bool fused;         /* ... this is such a one: its time among neighbours is theirs */
    bool before, after; /* images come from, go to another layer as they are */
    int count;          /* how often it stands in the network */
    bool needs_input;   /* the network computes the gradient of its input */
    bool left_out;      /* does not work on this backend in some way */
    double ns[EC_SUM_COUNT]; /* of one, from medians of shares of the whole step; 0: left out */
};
struct ec_composition {
    const char *network;
    int64_t batch;
    double whole_ns; /* median training step */
    double tasks_ns; /* the tasks of a whole step, timed one by one, added up */
    double sum_ns[EC_SUM_COUNT];
    int n_layers, cap_layers;
    struct ec_composed_layer *layer;
    int n_left_out;      /* layers that did not work alone */
    int64_t n_crowded;   /* times of layers while others took the processor ... */
    double crowded_frac; /* ... at most this share of the time */
    struct ec_arena arena;
};
struct ec_compose_opts {
    struct ec_graph_opts graph;
    int turns; /* each layer is timed so often, in turns with the others; at least 1 */
    void (*progress)(void *user, const char *what, int done, int total); /* NULL: silent */
    void *user;
};
/* Times every kind of layer of the network in turns, and the whole before and after every few of
 * them. What is kept of a time is its share of the whole steps beside it, and of turns the median:
 * neither a drift of the machine nor a disturbed turn is in it.
 * m         context, protocol (its budget is of all turns), precision, optimizer; its file is not
 *           used
 * ret       yours; ec_composition_clear
 * Errors    those of ec_graph_open and ec_program_new; INPUT when stopped */
enum ec_status ec_compose(const struct ec_measurer *m, const char *network,
                          const struct ec_compose_opts *o, struct ec_composition *ret,
                          struct ec_err *err) EC_MUST_CHECK;
void ec_composition_clear(struct ec_composition *c);

#endif
