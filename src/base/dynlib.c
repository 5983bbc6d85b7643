/* Opening a library at run time. */
#include "base/dynlib.h"

#include <dlfcn.h>
#include <string.h>

enum ec_status ec_dynlib_open(const char *const *names, const char *package, const char *what,
                              void **ret, struct ec_err *err)
{
    const char *const *name;

    for (name = names; *name; name++) {
        *ret = dlopen(*name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (*ret)
            return EC_OK;
    }
    return ec_fail(err, EC_E_UNSUPPORTED, "%s needs %s, which cannot be opened: install %s", what,
                   names[0], package);
}

enum ec_status ec_dynlib_symbol(void *lib, const char *name, void *to, struct ec_err *err)
{
    void *p = dlsym(lib, name);

    if (!p)
        return ec_fail(err, EC_E_UNSUPPORTED, "the library has no %s", name);
    memcpy(to, &p, sizeof p); /* POSIX lets a data pointer carry a function */
    return EC_OK;
}
