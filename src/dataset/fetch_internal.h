/* Shared by the parts of fetching: the download, the checksum, the unpacking. */
#ifndef EC_FETCH_INTERNAL_H
#define EC_FETCH_INTERNAL_H

#include "dataset/fetch.h"

/* Downloads the rest of the file from the length of `path` on. max_bytes limits the whole file.
 * Errors: IO */
enum ec_status ec__download(const char *url, const char *path, int64_t max_bytes,
                            const struct ec_fetch_opts *opts, const char *name,
                            struct ec_err *err) EC_MUST_CHECK;

#define EC__MD5_TEXT_BYTES 33
/* For comparing with published checksums, not for security. */
void ec__md5(const void *data, size_t len, char out[EC__MD5_TEXT_BYTES]);

/* Files and folders of a tar archive, perhaps compressed, below the folder `to`, which is ours
 * alone. Links, devices, absolute paths and `..` are refused. *budget_bytes shrinks by what is
 * written. */
enum ec_status ec__unpack_tar(const char *archive, const char *to, int64_t *budget_bytes,
                              struct ec_err *err) EC_MUST_CHECK;
/* True when the path may be written below a folder: relative, without `..` or empty parts. */
bool ec__path_is_inside(const char *path);
enum ec_status ec__unpack_gzip(const char *from, const char *to, int64_t *budget_bytes,
                               struct ec_err *err) EC_MUST_CHECK;

#endif
