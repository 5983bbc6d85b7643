/* Looks for a module beside the program first: a program that was built but not installed, or that
 * was moved together with its modules. */
#include "base/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 64

/* For a handler of signals, hence global. */
static int g_calls;
static const char *g_library;

void ec_foreign_begin(const char *name)
{
    __atomic_store_n(&g_library, name, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&g_calls, 1, __ATOMIC_RELAXED);
}

void ec_foreign_end(void)
{
    (void)__atomic_fetch_sub(&g_calls, 1, __ATOMIC_RELAXED);
}

const char *ec_foreign(void)
{
    return __atomic_load_n(&g_calls, __ATOMIC_RELAXED) > 0
               ? __atomic_load_n(&g_library, __ATOMIC_RELAXED)
               : NULL;
}

/* False: the path of this program is not known. */
static bool beside_program(const char *name, char path[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - NAME_BYTES - 1);
    char *slash;

    if (n <= 0)
        return false;
    path[n] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    (void)snprintf(slash + 1, NAME_BYTES, "%s", name);
    return true;
}

void *ec_module_open(const char *name, int flags)
{
    char path[PATH_MAX];

    if (beside_program(name, path) && access(path, F_OK) == 0)
        return dlopen(path, flags);
    if (snprintf(path, sizeof path, EC_MODULE_DIR "/%s", name) >= (int)sizeof path)
        return NULL;
    return dlopen(path, flags);
}
