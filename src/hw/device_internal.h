/* The catalogue, inside hw. */
#ifndef EC_HW_DEVICE_INTERNAL_H
#define EC_HW_DEVICE_INTERNAL_H

#include "hw/hw.h"

/* A device of the catalogue by a name as ec_device_fold leaves it; NULL: there is none. */
const struct ec_device *ec__device_folded(const char *folded);

/* This machine's processor as a device, found as "this" or "local": from the probe, so that what
 * needs a measurement (memory bandwidth) is unknown. Not in ec_devices. */
const struct ec_device *ec_device_this(void);
/* The form in which names are compared: lower case, letters and digits only, without vendor words.
 * Writes at most `size` bytes with the NUL; returns the length, or -1 when it does not fit. */
int ec_device_fold(const char *name, char *out, size_t size);
/* Keys that match a shell pattern; "all" matches everything. Errors: NOT_FOUND with near keys. */
enum ec_status ec_devices_match(const char *pattern, const struct ec_device ***ret, int *ret_count,
                                struct ec_arena *a, struct ec_err *err) EC_MUST_CHECK;

#endif
