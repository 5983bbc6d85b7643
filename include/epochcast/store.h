/* Stores of measurements: SQLite files with measured values, their conditions and their sources.
 * docs/store.md has the schema; `epochcast data` does the same on the command line. */
#ifndef EPOCHCAST_STORE_H
#define EPOCHCAST_STORE_H

#include "epochcast/err.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque. One thread at a time. */
struct ec_store;

enum ec_store_flags {
    EC_STORE_READ = 1 << 0,   /* the file must exist; nothing is written */
    EC_STORE_EXISTS = 1 << 1, /* the file must exist */
};

/* Opens or creates the file; converts an older schema.
 * flags   0, or of enum ec_store_flags
 * ret     ec_store_close
 * Errors  NOT_FOUND (with the flags above); STORE: not a store, a newer schema, damaged, locked;
 *         IO; NOMEM; INPUT for another flag */
EC_API enum ec_status ec_store_open(const char *path, unsigned flags, struct ec_store **ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* NULL: does nothing. Rows that were selected can be read on; the file is closed with the last. */
EC_API void ec_store_close(struct ec_store *s);
EC_API int ec_store_schema_version(void);

/* Adds the rows of a CSV table that a mapping reads, or that `epochcast data export` wrote. Rows
 * that are there already stay as they are.
 * device      for tables without a device column; NULL: none
 * ret_added   number of new measurements, ret_known: of those that were there; either may be NULL
 * Errors      NOT_FOUND for the file or the mapping, PARSE, INPUT, STORE, IO, NOMEM */
EC_API enum ec_status ec_store_import_file(struct ec_store *s, const char *path, const char *device,
                                           int64_t *ret_added, int64_t *ret_known,
                                           struct ec_err *err) EC_MUST_CHECK;
/* Adds all measurements of another store that are not here yet; counts as above. Errors: as
 * ec_store_open; INPUT when it is the same store */
EC_API enum ec_status ec_store_merge_file(struct ec_store *s, const char *other, int64_t *ret_added,
                                          int64_t *ret_known, struct ec_err *err) EC_MUST_CHECK;

/* A measurement. Texts live until the next row is read and are never NULL; "" is unknown. */
struct ec_store_row {
    size_t struct_size; /* sizeof(struct ec_store_row), set by the caller */
    int64_t id;
    const char *what; /* the case of an operator, or a network */
    int is_network;
    const char *device; /* key of the catalogue, or the source's own word */
    const char *precision, *memory_format, *optimizer, *framework, *mode;
    const char *phase;    /* of an operator; "": the whole of the mode */
    const char *outcome;  /* ok unsupported out_of_memory unstable */
    const char *findings; /* findings of `epochcast data check`, separated by blanks */
    const char *source, *licence;
    int64_t batch, num_devices, n_samples; /* 0: not known */
    double time_ns;                        /* 0: none */
    double memory_bytes;                   /* 0: none */
};

struct ec_store_rows; /* opaque */
/* Selects rows, in the order in which they were stored.
 * device, op, network  shell patterns without regard to case; NULL: any; of op and network at most
 * one
 * ret                  ec_store_rows_free
 * Errors               STORE, NOMEM */
EC_API enum ec_status ec_store_find(struct ec_store *s, const char *device, const char *op,
                                    const char *network, struct ec_store_rows **ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Reads the next row; its id is 0 at the end. Errors: STORE, NOMEM; INPUT for a struct_size that no
 * version had */
EC_API enum ec_status ec_store_read(struct ec_store_rows *rows, struct ec_store_row *ret,
                                    struct ec_err *err) EC_MUST_CHECK;
EC_API void ec_store_rows_free(struct ec_store_rows *rows); /* NULL: does nothing */

#ifdef __cplusplus
}
#endif
#endif
