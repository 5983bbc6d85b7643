/* Devices: the catalogue, and how devices are linked. */
#ifndef EPOCHCAST_HW_H
#define EPOCHCAST_HW_H

#include "epochcast/err.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a number comes from; NONE: unknown. */
enum ec_src { EC_SRC_NONE, EC_SRC_DATASHEET, EC_SRC_PROBED, EC_SRC_MEASURED, EC_SRC_USER };

/* X(id, word). nvlink: the device's own link, of any vendor; bridge: such a link between two to
 * four devices. */
#define EC_LINK_LIST(X)                                                                            \
    X(auto, "auto")                                                                                \
    X(pcie, "pcie")                                                                                \
    X(bridge, "nvlink-bridge")                                                                     \
    X(nvlink, "nvlink")

enum ec_link {
#define EC_LINK_ENUM(id, name) EC_LINK_##id,
    EC_LINK_LIST(EC_LINK_ENUM)
#undef EC_LINK_ENUM
        EC_LINK_COUNT
};

struct ec_qty {
    double value;
    enum ec_src src;
    const char *ref; /* document or rule for this number; NULL: the source of its device */
};

struct ec_device; /* opaque; rows of the catalogue are static */

/* Finds a row of the catalogue by key or by another name of the device ("a100", "Tesla T4", "NVIDIA
 * GeForce RTX 3090"). Case, blanks, '-' and '_' do not count, nor do the words nvidia, geforce,
 * tesla, amd and instinct. Devices that ec_device_read has read are found by their keys. *ret is
 * static. Errors: NOT_FOUND with the nearest keys */
EC_API enum ec_status ec_device_find(const char *key, const struct ec_device **ret,
                                     struct ec_err *err) EC_MUST_CHECK;
/* Reads a device from a file, once: JSON ("mygpu.json") or a row of a CSV ("GPUs.csv:L4");
 * docs/device-file.md has the format. From then on its key, and this word, name it wherever a key
 * is taken, until the process ends. Safe in several threads.
 * ret     the first where the word names several ("GPUs.csv"); may be NULL
 * Errors  NOT_FOUND, IO, PARSE; INPUT for numbers that no device has, or another file of this name
 */
EC_API enum ec_status ec_device_read(const char *word, const struct ec_device **ret,
                                     struct ec_err *err) EC_MUST_CHECK;
/* Both live as long as the device; of NULL they are "". */
EC_API const char *ec_device_key(const struct ec_device *d);
EC_API const char *ec_device_name(const struct ec_device *d);
/* A number of the device by name, in the unit at the end of its name: "fp32_flop_per_s",
 * "memory_bytes", "memory_bytes_per_s", "tdp_w" ...; ret->src is EC_SRC_NONE when it is unknown.
 * Errors: INPUT, with near names, for a name that no device has */
EC_API enum ec_status ec_device_number(const struct ec_device *d, const char *name,
                                       struct ec_qty *ret, struct ec_err *err) EC_MUST_CHECK;
/* All rows, in catalogue order. ret_count  may be NULL */
EC_API const struct ec_device *const *ec_devices(int *ret_count);

#ifdef __cplusplus
}
#endif
#endif
