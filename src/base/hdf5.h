/* libhdf5, opened at run time. It is not made for threads: all its calls stand between
 * ec_hdf5_begin and ec_hdf5_end. */
#ifndef EC_BASE_HDF5_H
#define EC_BASE_HDF5_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What hdf5.h defines, for libhdf5 1.10 and later: handles are 64 bits wide since 1.10. */
typedef int64_t ec_hid;
typedef unsigned long long ec_hsize;
enum { EC_H5_READ_ONLY = 0, EC_H5_SELECT_SET = 0, EC_H5_INTEGER = 0, EC_H5_STRING = 3 };

/* X(member, result, parameters): symbol H5<member> */
#define EC_HDF5_LIST(X)                                                                            \
    X(open, int, (void))                                                                           \
    X(Eset_auto2, int, (ec_hid, void *, void *))                                                   \
    X(free_memory, int, (void *))                                                                  \
    X(Aexists, int, (ec_hid, const char *))                                                        \
    X(Aopen, ec_hid, (ec_hid, const char *, ec_hid))                                               \
    X(Aclose, int, (ec_hid))                                                                       \
    X(Aget_space, ec_hid, (ec_hid))                                                                \
    X(Aget_type, ec_hid, (ec_hid))                                                                 \
    X(Aread, int, (ec_hid, ec_hid, void *))                                                        \
    X(Fopen, ec_hid, (const char *, unsigned, ec_hid))                                             \
    X(Fclose, int, (ec_hid))                                                                       \
    X(Dopen2, ec_hid, (ec_hid, const char *, ec_hid))                                              \
    X(Dclose, int, (ec_hid))                                                                       \
    X(Dget_space, ec_hid, (ec_hid))                                                                \
    X(Dget_type, ec_hid, (ec_hid))                                                                 \
    X(Dread, int, (ec_hid, ec_hid, ec_hid, ec_hid, ec_hid, void *))                                \
    X(Tget_size, size_t, (ec_hid))                                                                 \
    X(Tget_class, int, (ec_hid))                                                                   \
    X(Tis_variable_str, int, (ec_hid))                                                             \
    X(Tclose, int, (ec_hid))                                                                       \
    X(Sget_simple_extent_ndims, int, (ec_hid))                                                     \
    X(Sget_simple_extent_dims, int, (ec_hid, ec_hsize *, ec_hsize *))                              \
    X(Sget_simple_extent_npoints, int64_t, (ec_hid))                                               \
    X(Sselect_hyperslab, int,                                                                      \
      (ec_hid, int, const ec_hsize *, const ec_hsize *, const ec_hsize *, const ec_hsize *))       \
    X(Screate_simple, ec_hid, (int, const ec_hsize *, const ec_hsize *))                           \
    X(Sclose, int, (ec_hid))

struct ec_hdf5 {
#define EC_HDF5_MEMBER(member, result, params) result(*member) params;
    EC_HDF5_LIST(EC_HDF5_MEMBER)
#undef EC_HDF5_MEMBER
    ec_hid *native_u8; /* the variable that holds the handle of the type */
};

void ec_hdf5_begin(void);
void ec_hdf5_end(void);
/* Between them. Errors: UNSUPPORTED where the library is not there */
enum ec_status ec_hdf5_open(struct ec_hdf5 *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
