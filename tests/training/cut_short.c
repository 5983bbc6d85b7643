/* Preloaded: a file that is mapped is cut short at once, as if another program had done it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void *map_fn(void *, size_t, int, int, int, off_t);

/* Only what is to be read alone: not libraries, not memory. */
void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
    void *found = dlsym(RTLD_NEXT, "mmap");
    char link[64];
    map_fn *next;

    memcpy(&next, &found, sizeof next);
    if (fd >= 0 && prot == PROT_READ) {
        char path[4096];
        ssize_t n;

        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        n = readlink(link, path, sizeof path - 1);
        path[n > 0 ? n : 0] = '\0';
        if (strstr(path, "/net.json")) {
            void *map = next(at, len, prot, flags, fd, offset);

            return truncate(path, 0) ? MAP_FAILED : map;
        }
    }
    return next(at, len, prot, flags, fd, offset);
}
