/* Measurement files: docs/measurement-format.md. Rows are appended one by one and never changed, so
 * that a process killed at any moment loses at most the row it was writing. */
#ifndef EC_ROW_FILE_H
#define EC_ROW_FILE_H

#include "measure/protocol.h"

/* One row. Texts are borrowed, NULL and zeros are written as nothing. */
struct ec_row {
    const char *kind, *what, *family, *phase, *method, *outcome, *note;
    int64_t batch, image_px, seq_len;
    const char *precision, *layout, *execution, *optimizer;
    int64_t threads, num_devices;
    const char *device, *device_name, *machine;
    const char *engine_version, *cuda, *cudnn, *driver, *onednn;
    int64_t calls_per_sample;
    int64_t memory_peak_bytes, memory_reserved_bytes;
    bool held_out;
    int64_t seed;
    const char *flags;
    bool thread_clock;              /* samples are of that clock, not the host's */
    const struct ec_timing *timing; /* NULL: no samples */
};

#define EC_ROW_KEY_BYTES 17
/* What identifies the row: 16 hex digits. */
enum ec_status ec_row_key(const struct ec_row *row, char ret[EC_ROW_KEY_BYTES],
                          struct ec_err *err) EC_MUST_CHECK;
/* Whether rows of this case or network are never fitted to: by its name alone.
 * kind  "operator" or "network"; others never are */
bool ec_row_held_out(const char *kind, const char *what);

struct ec_row_file;
/* The file, made with its header when it is not there. A torn last line is cut off.
 * Errors: IO; PARSE when it holds another table; NOMEM */
enum ec_status ec_row_file_open(const char *path, struct ec_row_file **ret,
                                struct ec_err *err) EC_MUST_CHECK;
void ec_row_file_close(struct ec_row_file *f);
const char *ec_row_file_run(const struct ec_row_file *f); /* 12 hex digits */
bool ec_row_file_has(const struct ec_row_file *f, const char *key);
int64_t ec_row_file_rows(const struct ec_row_file *f); /* that were there when it was opened */
/* On disk when the call returns. Errors: IO (full disk: what was written of the row is taken back),
 * NOMEM */
enum ec_status ec_row_file_append(struct ec_row_file *f, const struct ec_row *row,
                                  struct ec_err *err) EC_MUST_CHECK;

#endif
