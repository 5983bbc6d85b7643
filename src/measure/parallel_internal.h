/* Timing programs on several processes. */
#ifndef EC_MEASURE_PARALLEL_INTERNAL_H
#define EC_MEASURE_PARALLEL_INTERNAL_H

#include "measure/measurer_internal.h"
#include "measure/parallel.h"

int ec__parallel_world(const struct ec_parallel *p);

enum ec__together {
    EC__EXCHANGING, /* all at once, gradients added up */
    EC__AT_ONCE,    /* all at once, without an exchange */
    EC__FIRST_ALONE /* the first process; the others wait */
};
/* Steps of a program that was compiled with separate_update; all processes call it together.
 * ret  of this process; zeros where only the first ran
 * Errors: those of steps and the exchange; NOMEM */
enum ec_status ec__parallel_time(const struct ec_measurer *m, const struct ec_parallel *p,
                                 struct ec_program *program, enum ec__together how,
                                 struct ec_timing *ret, struct ec_err *err) EC_MUST_CHECK;
/* A lone layer for it. trained: input and target are, too */
enum ec_status ec__parallel_layer_open(const struct ec_measurer *m, const struct ec_case *c,
                                       const char *activation, bool trained,
                                       struct ec__layer_program *ret,
                                       struct ec_err *err) EC_MUST_CHECK;

#endif
