/* The command `epochcast` inside the caller's process: for other languages, whose objects print
 * what the command prints. */
#ifndef EPOCHCAST_COMMAND_H
#define EPOCHCAST_COMMAND_H

#include "epochcast/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a command line and returns what it writes.
 * word      n of them, without the program's name: "predict", "resnet50", "--device", "t4"; they
 *           are reordered
 * ret_out   what goes to standard output; yours: ec_text_free
 * ret_said  what goes to standard error: notes, a line each; yours, written after a failure too,
 *           but NULL where memory ran out; may be NULL
 * Errors    those of the command; INPUT for wrong usage
 * Safe in several threads, except for the commands that work long (measure, train, study, demo,
 * fetch): they change what SIGINT and SIGTERM do to the process. Help is no command here. */
EC_API enum ec_status ec_command(int n, char **word, char **ret_out, char **ret_said,
                                 struct ec_err *err) EC_MUST_CHECK;
EC_API void ec_text_free(char *text); /* NULL: does nothing */
/* main() of the command: takes over the signals of the process, prints, and returns the exit
 * status. NULL: a failure */
EC_API int ec_command_main(int argc, char **argv);
EC_API const char *ec_version(void); /* "0.1.0" */

#ifdef __cplusplus
}
#endif
#endif
