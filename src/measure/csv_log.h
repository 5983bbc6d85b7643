/* Tables that only grow: lines are appended one by one and never changed, so that a process killed
 * at any moment loses at most the line it was writing. */
#ifndef EC_CSV_LOG_H
#define EC_CSV_LOG_H

#include "base/base.h"

struct ec_csv_log;

/* The file, made with its header when it is not there, and locked until it is closed: two processes
 * would mix their rows. A torn last line is cut off.
 * header    names joined by commas, without newline
 * wait_ms   for another process that has it
 * ret_rows  what was there, and under which columns; the caller clears it. NULL: not wanted
 * Errors: IO, when another process still has it; PARSE when it holds a table that lacks one of the
 * columns; NOMEM */
enum ec_status ec_csv_log_open(const char *path, const char *header, int wait_ms,
                               struct ec_csv_log **ret, struct ec_csv *ret_rows,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_csv_log_close(struct ec_csv_log *l);
/* One or more whole lines: all of it or nothing, so a full disk leaves no half line.
 * flush    on disk when the call returns; else a killed process loses nothing, a power cut may
 * Errors: IO, NOMEM (when `lines` is broken) */
enum ec_status ec_csv_log_append(struct ec_csv_log *l, const struct ec_buf *lines, bool flush,
                                 struct ec_err *err) EC_MUST_CHECK;
/* Takes back the last lines that begin with `prefix`: what an interrupted run left half done.
 * Errors: IO */
enum ec_status ec_csv_log_cut(struct ec_csv_log *l, const char *prefix,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
