/* Libraries that are opened at run time, where there are none: nobody finds one. */
#ifndef EC_BASE_BROWSER_DLFCN_H
#define EC_BASE_BROWSER_DLFCN_H

#include <stddef.h>

enum { RTLD_LAZY, RTLD_NOW, RTLD_LOCAL, RTLD_NODELETE, RTLD_NOLOAD };

static inline void *dlopen(const char *name, int flags)
{
    (void)name, (void)flags;
    return NULL;
}

static inline void *dlsym(void *lib, const char *name)
{
    (void)lib, (void)name;
    return NULL;
}

static inline int dlclose(void *lib)
{
    (void)lib;
    return 0;
}

static inline char *dlerror(void)
{
    return NULL;
}

#endif
