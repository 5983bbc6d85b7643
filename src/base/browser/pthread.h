/* POSIX threads on a machine that has one: locks are free, and no further thread starts. Whoever
 * starts threads does the work alone then. */
#ifndef EC_BASE_BROWSER_PTHREAD_H
#define EC_BASE_BROWSER_PTHREAD_H

#include <errno.h>
#include <stddef.h>

typedef int pthread_t, pthread_once_t, pthread_mutex_t;
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_INITIALIZER 0

static inline int pthread_once(pthread_once_t *done, void (*run)(void))
{
    if (!*done) {
        *done = 1;
        run();
    }
    return 0;
}

static inline int pthread_mutex_init(pthread_mutex_t *m, const void *attr)
{
    (void)attr;
    return *m = 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *m)
{
    return *m = 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *m)
{
    return *m = 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *m)
{
    return *m = 0;
}

static inline int pthread_create(pthread_t *t, const void *attr, void *(*run)(void *), void *user)
{
    (void)attr, (void)run, (void)user;
    *t = 0;
    return EAGAIN;
}

static inline int pthread_join(pthread_t t, void **ret)
{
    (void)t, (void)ret;
    return EINVAL;
}

#endif
