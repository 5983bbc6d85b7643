/* Python pickles as data: numbers, text, lists, dictionaries and NumPy arrays. Nothing is ever
 * called; a pickle that asks for any class but NumPy's arrays is refused. Values live in the arena:
 * its max_bytes bounds what a hostile file can take. */
#ifndef EC_PICKLE_INTERNAL_H
#define EC_PICKLE_INTERNAL_H

#include "base/base.h"

enum ec__py_type {
    EC__PY_NONE,
    EC__PY_BOOL, /* in i */
    EC__PY_INT,
    EC__PY_FLOAT,
    EC__PY_BYTES, /* text too */
    EC__PY_LIST,  /* and tuples */
    EC__PY_DICT,  /* item holds key, value, key, value ... */
    EC__PY_ARRAY, /* once its state was set: item[0] shape, item[1] type, item[2] bytes */
    EC__PY_DTYPE, /* bytes: "u1" */
    EC__PY_GLOBAL,
};

struct ec__py {
    enum ec__py_type type;
    int64_t i; /* EC__PY_GLOBAL: which */
    double f;
    const unsigned char *bytes;
    int64_t n, cap; /* bytes or items */
    struct ec__py **item;
};

/* ret lives in the arena; its bytes in `data`. Errors: PARSE, UNSUPPORTED, NOMEM */
enum ec_status ec__pickle_parse(const unsigned char *data, size_t len, struct ec_arena *a,
                                const struct ec__py **ret, struct ec_err *err) EC_MUST_CHECK;
/* Value of a dictionary by key; NULL when it has none. */
const struct ec__py *ec__py_get(const struct ec__py *dict, const char *key);
/* Bytes of an array of unsigned bytes in C order with rows of `row_elems`; NULL when it is none. */
const unsigned char *ec__py_rows_u8(const struct ec__py *array, int64_t row_elems, int64_t *ret_n);

#endif
