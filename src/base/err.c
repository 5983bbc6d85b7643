/* Error text: written once where the failure happened, prefixed on the way up. */
#include "base/err.h"

#include "base/print.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ec_status_name(enum ec_status st)
{
    switch (st) {
#define EC_CASE(name, value, text)                                                                 \
    case EC_##name:                                                                                \
        return #name;
        EC_STATUS_LIST(EC_CASE)
#undef EC_CASE
    }
    return "unknown status";
}

const char *ec_status_text(enum ec_status st)
{
    switch (st) {
#define EC_CASE(name, value, text)                                                                 \
    case EC_##name:                                                                                \
        return text;
        EC_STATUS_LIST(EC_CASE)
#undef EC_CASE
    }
    return "unknown status";
}

/* A sentence quotes names out of files, and goes to terminals. */
static void make_plain(struct ec_err *err)
{
    err->text[ec_plain_text(err->text, strlen(err->text), "")] = '\0';
}

enum ec_status ec_fail(struct ec_err *err, enum ec_status st, const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return st;
    err->status = st;
    va_start(ap, fmt);
    (void)ec_vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    make_plain(err);
    return st;
}

EC_PRINTF(2, 0) static void prefix(struct ec_err *err, const char *fmt, va_list ap)
{
    char old[EC_ERR_MAX_BYTES];
    int n;

    if (!err)
        return;
    memcpy(old, err->text, sizeof old);
    n = ec_vsnprintf(err->text, sizeof err->text, fmt, ap);
    if (n >= 0 && n < EC_ERR_MAX_BYTES)
        (void)snprintf(err->text + n, sizeof err->text - (size_t)n, "%s", old);
    make_plain(err);
}

void ec_err_prefix(struct ec_err *err, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    prefix(err, fmt, ap);
    va_end(ap);
}

enum ec_status ec_within(struct ec_err *err, enum ec_status st, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (st)
        prefix(err, fmt, ap);
    va_end(ap);
    return st;
}

enum ec_status ec_need(struct ec_err *err, const char *function, const char *names,
                       const void *const *given, int n)
{
    int i;

    for (i = 0; i < n && given[i]; i++)
        names += strcspn(names, ",") + (i < n - 1 ? strlen(", ") : 0);
    if (i == n)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%s: %.*s is NULL", function, (int)strcspn(names, ","), names);
}

enum ec_status ec_need_size(struct ec_err *err, const char *name, size_t found, size_t least,
                            size_t most)
{
    if (found >= least && found <= most)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%s: struct_size is %zu, expected %zu to %zu", name, found,
                   least, most);
}

enum ec_status ec_nomem(struct ec_err *err)
{
    return ec_fail(err, EC_E_NOMEM, "out of memory");
}

enum ec_status ec_allocated(bool ok, struct ec_err *err)
{
    return ok ? EC_OK : ec_nomem(err);
}
