/* Field tables: a struct described by rows. One table gives command-line flags, --help, manual
 * page, JSON keys, operator attributes and the canonical text of a case. */
#ifndef EC_BASE_FIELD_H
#define EC_BASE_FIELD_H

#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"

#include <stddef.h>

enum ec_field_type {
    EC_F_BOOL,   /* bool: 0/1, true/false, yes/no; a bare command-line flag is true */
    EC_F_INT,    /* int64_t; `choices` may name the words for -1, -2 ..., below `min` */
    EC_F_DOUBLE, /* double */
    EC_F_ENUM,   /* int: index into `choices` */
    EC_F_STR,  /* const char *, in the arena given to the setter; of `choices`, where it has any */
    EC_F_INTS, /* struct ec_ints: 3x3 or 3,3; `choices` may name the words for n = -1, -2 ... */
    EC_F_STRS, /* struct ec_strs: the flag may be repeated; of `choices`, where it has any, several
                  of which may be joined by commas */
};

#define EC_INTS_MAX 16
/* A short list of integers. n < 0 stands for a word: -1 the first of `choices`, and so on. */
struct ec_ints {
    int n;
    int64_t v[EC_INTS_MAX];
};

struct ec_strs {
    int n, cap;
    const char **v; /* in the arena */
};

struct ec_field {
    const char *name; /* lower case, words joined by '_'; '-' on the command line */
    enum ec_field_type type;
    size_t offset;              /* offsetof in the struct */
    const char *unit;           /* for help; NULL when none */
    const char *deflt;          /* text of the default; NULL: zero, empty */
    double min, max;            /* inclusive; both 0: no bound (numbers and each list element) */
    const char *const *choices; /* NULL-terminated; EC_F_ENUM needs it */
    const char *metavar;        /* what stands for the value in help: KEY, N, FILE */
    const char *help;           /* one sentence without final full stop */
    const char *const *also; /* for each choice other spellings, joined by blanks, that are accepted
                                but never printed; or NULL */
    const char *hint;        /* said behind the choices where a word is none of them; or NULL */
    unsigned only;           /* EC_ONLY of the choices that are possible here; 0: all */
    bool is_amount;          /* EC_F_INT: 1e9, 300M and 15B are read as well */
};

/* Several values of a number or a choice. */
struct ec_field_values {
    const char *field; /* its name */
    struct ec_strs values;
    bool has_range; /* some were written as "1..64" */
};

/* A table ends with a row whose name is NULL. */
#define EC_FIELD_END                                                                               \
    {                                                                                              \
        .name = NULL                                                                               \
    }
#define EC_ONLY(index) (1u << (index))

const struct ec_field *ec_field_find(const struct ec_field *fields, struct ec_span name);
/* Fill every field with its default. Errors: NOMEM; a default that does not parse asserts. */
enum ec_status ec_fields_default(const struct ec_field *fields, void *obj, struct ec_arena *a,
                                 struct ec_err *err) EC_MUST_CHECK;
/* Which choice a word is, in any spelling; -1: none. */
int ec_field_index(const struct ec_field *f, struct ec_span word);
/* The choice that a word names: capitals are as small letters, '_' is as '-'. Errors: INPUT says
 * which words are possible */
enum ec_status ec_field_choice(const struct ec_field *f, struct ec_span word, int *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* The word for a negative value of an EC_F_INT; NULL: it is a number. */
const char *ec_field_word(const struct ec_field *f, int64_t v);
bool ec_field_may_be(const struct ec_field *f, int choice); /* possible here, by `only` */
/* Parse `text` into the field. The sentence names the field, what was found, what was expected. */
enum ec_status ec_field_set(const struct ec_field *f, void *obj, struct ec_span text,
                            struct ec_arena *a, struct ec_err *err) EC_MUST_CHECK;
/* Canonical text of one value, without quoting. */
void ec_field_print(const struct ec_field *f, const void *obj, struct ec_buf *out);
/* The texts with commas between them. */
void ec_strs_print(const struct ec_strs *v, struct ec_buf *out);
/* The shortest end of a path that no other of all has: its name, with folders where others have the
 * same name. */
const char *ec_path_end(const char *path, const struct ec_strs *all);
/* Appends a sentence. Errors: NOMEM */
enum ec_status ec_strs_add(struct ec_strs *list, struct ec_arena *a, struct ec_err *err,
                           const char *fmt, ...) EC_PRINTF(4, 5) EC_MUST_CHECK;
bool ec_strs_have(const struct ec_strs *list, const char *text);
/* A field's name as an option: "--base-filters". */
#define EC_FLAG_BYTES 64
const char *ec_flag_text(const char *name, char *out, size_t size);
/* True when the value equals the default. */
bool ec_field_is_default(const struct ec_field *f, const void *obj);
/* " name=value" for each field that differs from its default, in table order. */
void ec_fields_print(const struct ec_field *fields, const void *obj, struct ec_buf *out);

#endif
