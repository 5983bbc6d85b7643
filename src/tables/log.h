/* Speeds as people say them, and logs of training loops. */
#ifndef EC_TABLES_LOG_H
#define EC_TABLES_LOG_H

#include "base/base.h"

/* A time or a rate, as people say it: "94ms", "680 img/s", "12.4k tokens/s", "1.35 it/s",
 * "71 ms per step", "1h12m per epoch", "312 TFLOP/s/gpu", "380 GB/s". In keys, in sentences, unit.
 */
#define EC_SPEEDS(X)                                                                               \
    X(TIME, "", "", "") /* ns of a step; the others are per second */                              \
    X(EPOCHS, "epochs", "epochs", "epochs/s")                                                      \
    X(STEPS, "steps", "steps", "steps/s")                                                          \
    X(SAMPLES, "samples", "samples", "samples/s")                                                  \
    X(TOKENS, "tokens", "tokens", "tokens/s")                                                      \
    X(FLOP, "flop", "FLOP", "FLOP/s")                                                              \
    X(BYTES, "bytes", "bytes", "B/s")
#define EC_SPEED_KIND(name, ...) EC_SPEED_##name,
enum ec_speed_kind { EC_SPEEDS(EC_SPEED_KIND) EC_SPEED_COUNT };
extern const struct ec_speed_words {
    const char *key, *counted, *unit;
} ec_speed_words[EC_SPEED_COUNT];
struct ec_speed {
    enum ec_speed_kind kind;
    double value;
    bool of_each; /* of each device */
};
bool ec_parse_speed(struct ec_span text, struct ec_speed *ret); /* false: it is none */

/* So many steps, or what else a log counts, took so long. */
struct ec_log_span {
    double steps, seconds;
};
struct ec_log {
    int64_t step, steps;   /* the last; of so many, 0: not said */
    struct ec_log_span *v; /* n, in order, between lines with a clock; else by rates */
    int n;
    double step_ns; /* median of `counted` steps, all but those of the first span */
    double counted;
    enum ec_speed_kind kind; /* what step_ns is of: STEPS, SAMPLES, TOKENS, EPOCHS */
};
/* Errors: PARSE where no time of a step is found; NOMEM */
enum ec_status ec_log_read(struct ec_span text, struct ec_log *ret,
                           struct ec_err *err) EC_MUST_CHECK;
void ec_log_clear(struct ec_log *l);

#endif
