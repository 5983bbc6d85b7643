/* A network's data-parallel step beside sums of its layers, measured alone and inside the strategy:
 * the three ways in which the practicum of 2020 put layers together. docs/methods.md */
#ifndef EC_MEASURE_STRATEGY_H
#define EC_MEASURE_STRATEGY_H

#include "measure/parallel.h"

/* Ways to put layers together: X(id, word as in `predict --method`, what is added up). */
#define EC_STRATEGY_SUM_LIST(X)                                                                    \
    X(INSIDE, "practicum-1", "all inside")                                                         \
    X(LAST_INSIDE, "practicum-2", "last inside")                                                   \
    X(DIVIDED, "practicum-3", "others / 1.5")

enum ec_strategy_sum {
#define EC_STRATEGY_SUM_ENUM(id, word, holds) EC_STRATEGY_SUM_##id,
    EC_STRATEGY_SUM_LIST(EC_STRATEGY_SUM_ENUM)
#undef EC_STRATEGY_SUM_ENUM
        EC_STRATEGY_SUM_COUNT
};

struct ec_strategy_layer {
    const char *what, *activation; /* activation NULL: none */
    int count;
    bool is_last;  /* the last layer of the network: not counted among its like */
    bool left_out; /* does not work alone */
    double alone_ns, inside_ns;
};
struct ec_strategy_study {
    const char *network;
    int64_t batch; /* samples of one process */
    int ranks;
    bool stopped;                         /* before all was timed: there are no times */
    double step_ns;                       /* of all processes together */
    double at_once_ns;                    /* all at once, without the exchange */
    double alone_ns;                      /* of one process */
    double sum_ns[EC_STRATEGY_SUM_COUNT]; /* 0: a layer was left out */
    int n_layers, cap_layers, n_left_out;
    struct ec_strategy_layer *layer;
    struct ec_arena arena;
};
struct ec_strategy_opts {
    struct ec_graph_opts graph;
    int turns;    /* everything is timed so often, in turns; at least 1 */
    bool trained; /* layers train their input and target, too, as the practicum's did */
};
/* All processes call it together; the numbers of the first one count.
 * m    context, conditions, seed; its file is not used
 * p    number of steps of each time
 * ret  yours; ec_strategy_clear
 * Errors: those of ec_graph_open and of programs, the same on every process */
enum ec_status ec_strategy_measure(const struct ec_measurer *m, const struct ec_parallel *p,
                                   const char *network, const struct ec_strategy_opts *o,
                                   struct ec_strategy_study *ret, struct ec_err *err) EC_MUST_CHECK;
void ec_strategy_clear(struct ec_strategy_study *s);

#endif
