/* How a word of the command line is taken for a flag, shared by the files of the parser. */
#ifndef EC_ARGS_INTERNAL_H
#define EC_ARGS_INTERNAL_H

#include "cli/cli.h"

/* A flag has '-' where the name of the field has '_'. */
bool ec__flag_eq(struct ec_span flag, const char *name);
/* The field of a command with this flag, NULL if none; *ret_group is its group. */
const struct ec_field *ec__field_of(const struct ec_cmd *cmd, struct ec_span flag, char short_flag,
                                    const struct ec_arg_group **ret_group);
/* The flag that a word begins with: "--batch" of "--batch=4", "-b" of "-b4". */
struct ec_span ec__flag_of(const char *word, char *ret_short);

#endif
