/* A locale whose decimal point is a comma, for tests that nothing takes it up. */
#ifndef COMMA_H
#define COMMA_H

#include "test.h"

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

static inline bool comma_is_set(const char *name)
{
    return setlocale(LC_ALL, name) && strcmp(localeconv()->decimal_point, ",") == 0;
}

/* Compiled into a folder of its own, which is gone again when the locale is in memory. */
static inline bool comma_made(void)
{
    char folder[] = "/tmp/ec-test-locale-XXXXXX", command[256];
    bool is_set = false;

    if (!mkdtemp(folder))
        return false;
    (void)snprintf(command, sizeof command,
                   "localedef -i de_DE -f UTF-8 %s/comma.UTF-8 > /dev/null 2>&1", folder);
    if (system(command) == 0 && setenv("LOCPATH", folder, 1) == 0)
        is_set = comma_is_set("comma.UTF-8");
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && is_set;
}

/* False, and said so, where no such locale is installed and none can be made. */
static inline bool comma_begin(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8",
                                         "pt_BR.UTF-8", "ru_RU.UTF-8", "de_DE" };
    char text[8];
    bool found = false;
    int i;

    for (i = 0; i < EC_LEN(names) && !found; i++)
        found = comma_is_set(names[i]);
    if (!found && !comma_made()) {
        (void)setlocale(LC_ALL, "C");
        printf("skipped: no locale with a decimal comma, and localedef makes none\n");
        return false;
    }
    (void)snprintf(text, sizeof text, "%.1f", 0.5);
    CHECK_STR(text, "0,5"); /* the C library itself does */
    return true;
}

static inline void comma_end(void)
{
    (void)setlocale(LC_ALL, "C");
}

#endif
