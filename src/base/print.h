/* Printing and reading numbers as C writes them, with a point, whatever locale the program that
 * uses the library has set: what is printed here is read again, by us and by others. */
#ifndef EC_BASE_PRINT_H
#define EC_BASE_PRINT_H

#include "base/err.h"

#include <stdarg.h>
#include <stddef.h>

/* As the functions of the C library without ec_. */
int ec_snprintf(char *out, size_t size, const char *fmt, ...) EC_PRINTF(3, 4);
int ec_vsnprintf(char *out, size_t size, const char *fmt, va_list ap) EC_PRINTF(3, 0);
double ec_strtod(const char *text, char **ret_end);

#endif
