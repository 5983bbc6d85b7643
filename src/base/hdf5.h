/* libhdf5, opened at run time. It is not made for threads: all its calls stand between
 * ec_hdf5_begin and ec_hdf5_end. */
#ifndef EC_BASE_HDF5_H
#define EC_BASE_HDF5_H

#include "base/dynlib.h"

#include <stdint.h>

/* What hdf5.h defines, for libhdf5 1.10 and later: handles are 64 bits wide since 1.10. */
typedef int64_t ec_hid;
typedef unsigned long long ec_hsize;
enum { EC_H5_READ_ONLY = 0, EC_H5_SELECT_SET = 0, EC_H5_INTEGER = 0, EC_H5_STRING = 3 };

struct ec_hdf5 {
    EC_LIBHDF5(EC_FOREIGN_MEMBER)
    ec_hid *native_u8; /* the variable that holds the handle of the type */
};

void ec_hdf5_begin(void);
void ec_hdf5_end(void);
/* Between them. Errors: UNSUPPORTED where the library is not there */
enum ec_status ec_hdf5_open(struct ec_hdf5 *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
