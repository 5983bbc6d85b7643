/* Writing the error sentence. Callers outside base include "base/base.h". */
#ifndef EC_BASE_ERR_H
#define EC_BASE_ERR_H

#include "epochcast/err.h"

/* Write the sentence (once) and return st, so that `return ec_fail(...)` reads well. */
enum ec_status ec_fail(struct ec_err *err, enum ec_status st, const char *fmt, ...) EC_PRINTF(3, 4);
/* Put context in front of a sentence already there. */
void ec_err_prefix(struct ec_err *err, const char *fmt, ...) EC_PRINTF(2, 3);
enum ec_status ec_nomem(struct ec_err *err);

/* The one jumping macro: needs `st` and the label `out` in scope. */
#define EC_TRY(call)                                                                               \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st)                                                                                    \
            goto out;                                                                              \
    } while (0)

#define EC_LEN(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
