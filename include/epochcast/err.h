/* Status codes and error messages: how every call of the library reports failure.
 *
 * A function that can fail returns an ec_status and takes a struct ec_err as its last argument. The
 * struct belongs to the caller and may be NULL. The failing function writes the message; its
 * callers prefix context. The library never prints, never exits and keeps no "last error".
 *
 * NULL: where a pointer may be NULL, its function says so; err may everywhere. In place of any
 * other it is refused: E_INPUT with "ec_graph_open: source is NULL", and nothing is written.
 * Functions that return no status take it, too, and say what they return then. */
#ifndef EPOCHCAST_ERR_H
#define EPOCHCAST_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

/* One code for each way in which a caller may react: X(name, value, text). */
#define EC_STATUS_LIST(X)                                                                          \
    X(OK, 0, "success")                                                                            \
    X(E_INPUT, -1, "invalid argument or option")                                                   \
    X(E_PARSE, -2, "malformed file or text")                                                       \
    X(E_SHAPE, -3, "shapes do not fit together")                                                   \
    X(E_UNSUPPORTED, -4, "understood, but not supported")                                          \
    X(E_NOT_FOUND, -5, "no such thing")                                                            \
    X(E_NO_DEVICE, -6, "no such device present")                                                   \
    X(E_DEVICE_MEMORY, -7, "out of device memory")                                                 \
    X(E_UNSTABLE, -8, "measurement did not settle")                                                \
    X(E_BACKEND, -9, "backend or vendor library failed")                                           \
    X(E_STORE, -10, "measurement store failed")                                                    \
    X(E_IO, -11, "input or output failed")                                                         \
    X(E_NOMEM, -12, "out of memory")

enum ec_status {
#define EC_STATUS_ENUM(name, value, text) EC_##name = (value),
    EC_STATUS_LIST(EC_STATUS_ENUM)
#undef EC_STATUS_ENUM
};

#define EC_ERR_MAX_BYTES 512

struct ec_err {
    enum ec_status status;
    char text[EC_ERR_MAX_BYTES]; /* one sentence, no final newline; longer text is cut */
};

#if defined(__GNUC__)
#define EC_MUST_CHECK __attribute__((warn_unused_result))
#define EC_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define EC_API __attribute__((visibility("default")))
#else
#define EC_MUST_CHECK
#define EC_PRINTF(fmt, first)
#define EC_API
#endif

/* Name ("E_SHAPE") and text of a code, never NULL; "unknown status" for a value not in the list. */
EC_API const char *ec_status_name(enum ec_status st);
EC_API const char *ec_status_text(enum ec_status st);

#ifdef __cplusplus
}
#endif
#endif
