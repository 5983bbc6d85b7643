/* Writing the error sentence. Callers outside base include "base/base.h". */
#ifndef EC_BASE_ERR_H
#define EC_BASE_ERR_H

#include "epochcast/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Write the sentence (once) and return st, so that `return ec_fail(...)` reads well. */
enum ec_status ec_fail(struct ec_err *err, enum ec_status st, const char *fmt, ...) EC_PRINTF(3, 4);
/* Put context in front of a sentence already there. */
void ec_err_prefix(struct ec_err *err, const char *fmt, ...) EC_PRINTF(2, 3);
/* st; where it is an error, with context in front of its sentence. */
enum ec_status ec_within(struct ec_err *err, enum ec_status st, const char *fmt, ...)
    EC_PRINTF(3, 4);
enum ec_status ec_nomem(struct ec_err *err);
/* NOMEM where an allocation failed. */
enum ec_status ec_allocated(bool ok, struct ec_err *err) EC_MUST_CHECK;

/* At the head of a public function: the pointers that it must be given. Returns INPUT with a
 * sentence such as "ec_graph_open: source is NULL". */
#define EC_NEED(err, ...)                                                                          \
    do {                                                                                           \
        const void *const ec_given[] = { __VA_ARGS__ };                                            \
        enum ec_status ec_lacks =                                                                  \
            ec_need(err, __func__, #__VA_ARGS__, ec_given, EC_LEN(ec_given));                      \
        if (ec_lacks)                                                                              \
            return ec_lacks;                                                                       \
    } while (0)
enum ec_status ec_need(struct ec_err *err, const char *function, const char *names,
                       const void *const *given, int n) EC_MUST_CHECK;
/* The struct_size of a caller's struct, between the size of its first version and ours. Errors:
 * INPUT */
enum ec_status ec_need_size(struct ec_err *err, const char *name, size_t found, size_t least,
                            size_t most) EC_MUST_CHECK;

/* Jumps to where things are cleaned up: needs `st` and the label `out` in scope. */
#define EC_TRY(call)                                                                               \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st)                                                                                    \
            goto out;                                                                              \
    } while (0)

/* Where there is nothing to clean up: what fails is returned. */
#define EC_PASS(call)                                                                              \
    do {                                                                                           \
        enum ec_status ec_failed = (call);                                                         \
        if (ec_failed)                                                                             \
            return ec_failed;                                                                      \
    } while (0)

#define EC_LEN(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
