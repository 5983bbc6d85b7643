/* Measuring by the protocol, inside measure. */
#ifndef EC_PROTOCOL_INTERNAL_H
#define EC_PROTOCOL_INTERNAL_H

#include "measure/protocol.h"

const char *ec_stop_name(enum ec_stop s); /* "ci", "budget", "count": docs/measurement-format.md */
void ec_timing_clear(struct ec_timing *t);

/* Runs once and says how long it took. */
typedef enum ec_status (*ec_measured_run)(void *user, int64_t *host_ns, struct ec_err *err);
/* Repeats `run` as the protocol says. ret is valid (what was seen so far) even on failure.
 * stop     NULL, or asked between runs: true ends it (Ctrl-C), with EC_STOP_BUDGET
 * Errors   those of run; NOMEM */
enum ec_status ec_protocol_run(const struct ec_protocol *p, ec_measured_run run, void *user,
                               bool (*stop)(void), struct ec_timing *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* The statistics of what lies in t->sample; run does this itself. Errors: NOMEM */
enum ec_status ec_timing_judge(const struct ec_protocol *p, struct ec_timing *t,
                               struct ec_err *err) EC_MUST_CHECK;

#endif
