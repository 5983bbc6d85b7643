/* Sentences on files, said together: equal ones once, behind the files that they are about. */
#ifndef EC_BASE_SAID_H
#define EC_BASE_SAID_H

#include "base/field.h"

/* Begins empty but for folder and arena. */
struct ec_said {
    const char *folder; /* a heading; files below it go by the ends of their paths; NULL: none */
    struct ec_arena *arena;
    struct ec_sayings {
        struct ec_strs paths, texts;
    } left_out, notes;
    enum ec_status st; /* NOMEM: ec_said_print returns it */
};
void ec_said_add(struct ec_said *s, const char *path, const char *fmt, ...) EC_PRINTF(3, 4);
/* path: of the file, or what else is left out; "": none. why: may begin with the path, as errors
 * do */
void ec_said_left_out(struct ec_said *s, const char *path, const char *why);
/* Appends a line for each sentence. Errors: NOMEM, IO of the folder */
enum ec_status ec_said_print(const struct ec_said *s, struct ec_buf *out,
                             struct ec_err *err) EC_MUST_CHECK;

#endif
