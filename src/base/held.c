/* Files that were handed over as bytes: by a page, which has no others, or to a server. */
#include "base/held.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char name[256];
    void *data;
    size_t len;
} g_held[EC_HELD_MAX];
static int g_n; /* were held; the next takes the place of the oldest */

/* -1: none */
static int find(const char *name)
{
    int i = EC_HELD_MAX;

    while (i-- && (!g_held[i].data || !ec_str_eq(g_held[i].name, name)))
        ;
    return i;
}

enum ec_status ec_file_hold(const char *name, void *data, size_t len, struct ec_err *err)
{
    int i;

    if (strlen(name) >= sizeof g_held[0].name)
        return ec_fail(err, EC_E_INPUT, "%.60s...: the name is too long", name);
    (void)pthread_mutex_lock(&g_lock);
    i = find(name);
    if (i < 0)
        i = g_n++ % EC_HELD_MAX;
    (void)snprintf(g_held[i].name, sizeof g_held[i].name, "%s", name);
    ec_free(g_held[i].data);
    g_held[i].data = data;
    g_held[i].len = len;
    (void)pthread_mutex_unlock(&g_lock);
    return EC_OK;
}

enum ec_status ec__file_held(const char *name, size_t max_bytes, struct ec_file *ret,
                             struct ec_err *err)
{
    enum ec_status st = EC_E_NOT_FOUND;
    int i;

    (void)pthread_mutex_lock(&g_lock);
    i = find(name);
    if (i >= 0 && max_bytes && g_held[i].len > max_bytes) {
        st = ec_fail(err, EC_E_IO, "%s: has %zu bytes, at most %zu are read", name, g_held[i].len,
                     max_bytes);
    } else if (i >= 0) {
        void *copy = ec_alloc(g_held[i].len + 1);

        st = copy ? EC_OK : ec_nomem(err);
        if (copy)
            memcpy(copy, g_held[i].data, g_held[i].len);
        *ret = (struct ec_file){ .data = copy, .len = g_held[i].len, .owned = copy };
    }
    (void)pthread_mutex_unlock(&g_lock);
    return st;
}
