/* The device catalogue. A device is one block; the blocks lie in one .inc file per generation, and
 * this file joins them into one array.
 *
 * A number written DS(v) stands in the block's source; FROM(v, document or rule) names another one,
 * MEASURED(v, who) a measurement.
 * A number that no document states is left out, which makes it unknown. Quantities are in SI units:
 * Hz, FLOP/s (dense, tensor rates with FP32 accumulation), bytes, bytes/s, W. A data sheet's "GB"
 * of memory is GiB; its "GB/s" is 1e9 bytes/s. */
#include "hw/hw.h"
#include "hw/device_generations.h"
#include "hw/device_sources.h"

#define GIB 1073741824.0
#define MIB 1048576.0

/* clang-format off */
#define DEVICE      &(const struct ec_device)
#define ALIASES(...) (const char *const[]){ __VA_ARGS__, NULL }
#define DS(v)          { (v), EC_SRC_DATASHEET, NULL }
#define FROM(v, r)     { (v), EC_SRC_DATASHEET, (r) }
#define MEASURED(v, r) { (v), EC_SRC_MEASURED, (r) }
/* clang-format on */

static const struct ec_device *const devices[] = {
#include "hw/device_nvidia_kepler_pascal.inc"
#include "hw/device_nvidia_volta_turing.inc"
#include "hw/device_nvidia_ampere.inc"
#include "hw/device_nvidia_ada_hopper.inc"
#include "hw/device_nvidia_blackwell.inc"
#include "hw/device_amd.inc"
#include "hw/device_accelerator.inc"
#include "hw/device_cpu.inc"
};

const struct ec_device *const *ec_devices(int *ret_count)
{
    if (ret_count)
        *ret_count = EC_LEN(devices);
    return devices;
}
