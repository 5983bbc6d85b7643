/* libhdf5, opened at run time, and the lock around it. */
#include "base/hdf5.h"

#include <pthread.h>

/* The library's state is the process's, so is its lock. */
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

void ec_hdf5_begin(void)
{
    (void)pthread_mutex_lock(&g_lock);
}

void ec_hdf5_end(void)
{
    (void)pthread_mutex_unlock(&g_lock);
}

enum ec_status ec_hdf5_open(struct ec_hdf5 *ret, struct ec_err *err)
{
    static const char *const names[] = { "libhdf5_serial.so.103", "libhdf5.so.103",
                                         "libhdf5_serial.so.310", "libhdf5.so.310",
                                         "libhdf5.so.200",        NULL };
    static const char *const symbols[] = { EC_LIBHDF5(EC_FOREIGN_SYMBOL) "H5T_NATIVE_UINT8_g",
                                           NULL };

    EC_PASS(ec_dynlib_open(names, "libhdf5-103-1", "reading HDF5", symbols, &ret->open, err));
    if (ret->open() < 0)
        return ec_fail(err, EC_E_UNSUPPORTED, "libhdf5 cannot be started");
    (void)ret->Eset_auto2(0, NULL, NULL); /* it would print */
    return EC_OK;
}
