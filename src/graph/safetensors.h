/* Named tensors in a file, as safetensors: the length of a header (8 bytes, little-endian), the
 * header as JSON, the numbers. Anybody's reader reads our files; a file from outside is checked
 * whole before a number is used. */
#ifndef EC_GRAPH_SAFETENSORS_H
#define EC_GRAPH_SAFETENSORS_H

#include "op/op.h"

#define EC_TENSOR_TYPES 20 /* that files have */

struct ec_tensor {
    const char *name;
    enum ec_dtype dtype; /* EC_DT_COUNT: none of ours */
    struct ec_shape shape;
    int64_t bytes;
    const void *data; /* reading: in the file's memory, maybe unaligned; writing: see below */
    const char *type; /* reading: "BF16", one text for each type */
};

struct ec_tensor_note { /* an entry of "__metadata__" */
    const char *key, *value;
};

struct ec_tensors {
    int n, n_notes;
    struct ec_tensor *v;
    struct ec_tensor_note *notes;
    struct ec_arena arena;
    struct ec_file file; /* when read from one */
};

/* data is borrowed. Errors: PARSE with what is wrong and where, NOMEM */
enum ec_status ec_tensors_parse(const void *data, size_t len, struct ec_tensors *ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* Errors: as ec_file_open and ec_tensors_parse */
enum ec_status ec_tensors_open(const char *path, struct ec_tensors *ret,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_tensors_clear(struct ec_tensors *t);
const struct ec_tensor *ec_tensors_find(const struct ec_tensors *t, const char *name); /* NULL */
const char *ec_tensors_note(const struct ec_tensors *t, const char *key);              /* NULL */

/* Writes a note "crc32", which a reader of ours holds the file to. Writes beside the path, flushes
 * to the disk, renames: whoever opens the path sees a whole file, the old one or the new one,
 * whenever the process dies. fetch  gives the numbers of a tensor whose data is NULL: t->bytes of
 * them Errors: IO (disk full, no such folder), those of fetch */
typedef enum ec_status (*ec_tensor_fetch)(void *user, const struct ec_tensor *t, void *ret,
                                          struct ec_err *err);
enum ec_status ec_tensors_write(const char *path, const struct ec_tensor *v, int n,
                                const struct ec_tensor_note *notes, int n_notes,
                                ec_tensor_fetch fetch, void *user,
                                struct ec_err *err) EC_MUST_CHECK;

#endif
