/* The catalogue, inside hw. */
#ifndef EC_HW_DEVICE_INTERNAL_H
#define EC_HW_DEVICE_INTERNAL_H

#include "hw/hw.h"

/* A device of the catalogue by a name as ec_device_fold leaves it; NULL: there is none. */
const struct ec_device *ec__device_folded(const char *folded);

/* A type of machines by such a name; NULL: there is none. */
const struct ec_device *ec__machine_type_folded(const char *folded);

/* This machine's processor as a device, found as "this" or "local": from the probe, so that what
 * needs a measurement (memory bandwidth) is unknown. Not in ec_devices. */
const struct ec_device *ec_device_this(void);
/* The form in which names are compared: lower case, letters and digits only, without vendor words.
 * Writes at most `size` bytes with the NUL; returns the length, or -1 when it does not fit. */
int ec_device_fold(const char *name, char *out, size_t size);
#define EC__DEVICES_OF_FILE 256 /* at most */
/* Devices in the text of a file. name: of the file, without folders, as ec_device_is_file takes it.
 * wanted: name or pattern of a row; NULL: all. Borrows nothing. Errors: PARSE, INPUT, NOT_FOUND,
 * NOMEM */
enum ec_status ec__devices_parse(const char *name, const char *wanted, struct ec_span text,
                                 struct ec_arena *a, const struct ec_device ***ret, int *ret_count,
                                 struct ec_err *err) EC_MUST_CHECK;
/* The device, or the devices, of a word that was read. Errors: NOT_FOUND; INPUT for several */
enum ec_status ec__device_read_as(const char *word, const struct ec_device **ret,
                                  struct ec_err *err) EC_MUST_CHECK;
bool ec__devices_read_as(const char *word, const struct ec_device ***ret, int *ret_count);
/* A device from the members of an object. Errors: INPUT, NOT_FOUND, NOMEM */
struct ec__sheet_names {
    const char *key;  /* what the device is called from now on */
    const char *row;  /* by which the file calls it; NULL: by none */
    const char *file; /* without folders and ending */
    bool of_json;     /* all its members are meant to be read */
};
enum ec_status ec__device_sheet(const struct ec_jval *object, const struct ec__sheet_names *names,
                                struct ec_arena *a, const struct ec_device **ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* Keys that match a shell pattern; "all" matches everything. Errors: NOT_FOUND with near keys. */
enum ec_status ec_devices_match(const char *pattern, const struct ec_device ***ret, int *ret_count,
                                struct ec_arena *a, struct ec_err *err) EC_MUST_CHECK;

#endif
