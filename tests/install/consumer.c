/* What a program outside the project would write; every public header is included by the compiler's
 * -include. */
#include <epochcast/hw.h>
#include <epochcast/store.h>

#include <stdio.h>

int main(void)
{
    const struct ec_device *device = NULL;
    struct ec_store *store = NULL;
    struct ec_err err = { EC_OK, "" };
    int n_devices;

    if (ec_device_find("a100-sxm4-40gb", &device, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    (void)ec_devices(&n_devices);
    if (ec_device_find("no such device", &device, &err) != EC_E_NOT_FOUND || !err.text[0])
        return 1;
    if (ec_store_schema_version() < 1 ||
        ec_store_open("/no/such/store", EC_STORE_READ, &store, &err) != EC_E_NOT_FOUND)
        return 1;
    return n_devices > 100 ? 0 : 1;
}
