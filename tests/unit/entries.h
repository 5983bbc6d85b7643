/* What a write that fails, or is killed, leaves in a folder. */
#ifndef ENTRIES_H
#define ENTRIES_H

#include <dirent.h>

/* Files of a folder, hidden ones among them. */
static inline int n_entries(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        (void)closedir(d);
    return n - 2; /* . and .. */
}

#endif
