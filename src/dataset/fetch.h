/* Downloads public data sets from their distributors, compares published checksums, unpacks the
 * files, and renames the folder when it is complete. Included by "dataset/dataset.h". */
#ifndef EC_DATASET_FETCH_H
#define EC_DATASET_FETCH_H

#include "base/base.h"

enum ec_fetch_kind {
    EC_FETCH_PLAIN, /* stored as downloaded; readers unpack gzip */
    EC_FETCH_TAR,   /* unpacked */
    EC_FETCH_GZIP,  /* one file, unpacked, without ".gz" */
};

struct ec_fetch_file {
    const char *name;   /* on the server */
    int64_t bytes;      /* 0: not published */
    const char *md5;    /* as published; NULL: none */
    const char *sha256; /* as published; NULL: none */
    enum ec_fetch_kind kind;
};

struct ec_fetch_set {
    const char *name; /* also the folder it goes to */
    const char *what;
    const char *const *urls; /* folders of servers, tried in order; NULL ends */
    const struct ec_fetch_file *files;
    int n_files;
    int64_t unpacked_bytes; /* limit of the unpacked size; about twice the real size */
    const char *licence;
    const char *checksums; /* where the checksums were published */
};

/* All rows, in the order of the help. */
const struct ec_fetch_set *ec_fetch_sets(int *ret_count);
/* Errors: NOT_FOUND with near names */
enum ec_status ec_fetch_find(const char *name, const struct ec_fetch_set **ret,
                             struct ec_err *err) EC_MUST_CHECK;

struct ec_fetch_opts {
    const char *dir; /* the set goes to a folder of its name in there; NULL: ec_samples_home() */
    const char *url; /* folder of a server instead of the row's; NULL: the row's */
    /* Called as bytes arrive, and with done == total at the end of each file; may be NULL. */
    void (*progress)(void *arg, const char *file, int64_t got_bytes, int64_t total_bytes);
    void *arg;
};

/* Afterwards `dir/name` is complete or does not exist; partly downloaded files stay in
 * `dir/name.part` for the next call. *ret_already: the folder was there, nothing was done. Errors:
 * UNSUPPORTED: no libcurl or libarchive on this machine; IO: no connection, answer of the server,
 * disk; PARSE: a size or checksum differs, an archive has forbidden contents; NOMEM */
enum ec_status ec_fetch(const struct ec_fetch_set *set, const struct ec_fetch_opts *opts,
                        struct ec_buf *ret_path, bool *ret_already,
                        struct ec_err *err) EC_MUST_CHECK;

#endif
