/* Configuration files as a flat list of keys and values: "training.steps" and "1000". */
#ifndef EC_PREDICT_JOB_PAIRS_H
#define EC_PREDICT_JOB_PAIRS_H

#include "base/base.h"

/* Bounds of a file, and of what it holds; longer values are cut. */
enum { EC__JOB_FILE_BYTES = 1 << 18, EC__JOB_PAIRS = 4096, EC__JOB_KEY = 200, EC__JOB_VALUE = 400 };

/* X(NAME, what it is called) */
#define EC__JOB_SYNTAX_LIST(X)                                                                     \
    X(JSON, "JSON") X(YAML, "YAML") X(TOML, "TOML") X(ARGUMENTS, "command line")
enum ec__job_syntax {
#define EC__JOB_SYNTAX_ENUM(name, word) EC__JOB_##name,
    EC__JOB_SYNTAX_LIST(EC__JOB_SYNTAX_ENUM)
#undef EC__JOB_SYNTAX_ENUM
};

struct ec__job_pair {
    const char *key, *value; /* members of a list are joined by blanks */
    int order;
    bool used;
};

struct ec__job_pairs {
    struct ec__job_pair *v;
    int n;
    struct ec_arena *a; /* set by the caller */
};

/* Appends the pairs of a text; of JSON, YAML and TOML keys within others are joined by '.', of
 * arguments "--micro-batch-size 4" is micro_batch_size, and a flag alone is "true".
 * prefix  of all keys, "" or "deepspeed."
 * Errors  PARSE with the line; NOMEM; UNSUPPORTED without libyaml */
enum ec_status ec__job_pairs_read(enum ec__job_syntax syntax, struct ec_span text,
                                  const char *prefix, struct ec__job_pairs *ret,
                                  struct ec_err *err) EC_MUST_CHECK;
/* Orders them by key; of a key that is there several times only the last stays. */
void ec__job_pairs_sort(struct ec__job_pairs *p);
struct ec__job_pair *ec__job_pair(const struct ec__job_pairs *p, const char *key); /* or NULL */

#endif
