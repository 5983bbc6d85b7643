/* The device catalogue: the blocks of data/devices, which the build makes into an array. */
#include "hw/hw.h"

/* clang-format off */
static const struct ec_device *const devices[] = {
#include "devices.h"
};
/* clang-format on */

const struct ec_device *const *ec_devices(int *ret_count)
{
    if (ret_count)
        *ret_count = EC_LEN(devices);
    return devices;
}
