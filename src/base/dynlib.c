/* Opening a library at run time. */
#include "base/dynlib.h"

#include <dlfcn.h>
#include <string.h>

const char *ec_dynlib_take(void *lib, const char *const *symbols, void *to)
{
    const char *missing = NULL;
    char *at = to;
    void *p;

    for (; *symbols; symbols++, at += sizeof p) {
        p = dlsym(lib, *symbols);
        memcpy(at, &p, sizeof p); /* POSIX lets a data pointer carry a function */
        if (!p && !missing)
            missing = *symbols;
    }
    return missing;
}

enum ec_status ec_dynlib_open(const char *const *names, const char *package, const char *what,
                              const char *const *symbols, void *to, struct ec_err *err)
{
    const char *const *name, *missing;
    void *lib = NULL;

    for (name = names; *name && !lib; name++)
        lib = dlopen(*name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!lib)
        return ec_fail(err, EC_E_UNSUPPORTED, "%s needs %s, which cannot be opened: install %s",
                       what, names[0], package);
    missing = ec_dynlib_take(lib, symbols, to);
    return missing ? ec_fail(err, EC_E_UNSUPPORTED, "the library has no %s", missing) : EC_OK;
}
