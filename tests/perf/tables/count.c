/* Counts the calls of the C library's comparisons in a program that loads this first (LD_PRELOAD),
 * and writes the number to the file of EC_COUNT at its end. The number is the same in every run of
 * one program over one table. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static uint64_t calls;

int strcmp(const char *a, const char *b)
{
    calls++;
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    calls++;
    while (n && *a && *a == *b)
        a++, b++, n--;
    return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    calls++;
    while (n && *x == *y)
        x++, y++, n--;
    return n ? *x - *y : 0;
}

size_t strlen(const char *text)
{
    const char *end = text;

    calls++;
    while (*end)
        end++;
    return (size_t)(end - text);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("EC_COUNT");
    FILE *f = path ? fopen(path, "w") : NULL;

    if (!f)
        return;
    (void)fprintf(f, "%llu\n", (unsigned long long)calls);
    (void)fclose(f);
}
