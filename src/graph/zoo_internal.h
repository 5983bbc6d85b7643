/* The zoo inside its folder: families and networks.
 *
 * A family is a text, data/families/NAME.net, of which the build makes a struct of what
 * distinguishes its networks and the field table of that struct (tools/list-families). A network is
 * an entry of data/networks.txt: a family and parameters. They and what a user writes after ':' are
 * set through the same table, so everything that tells two networks apart can be set. */
#ifndef EC_GRAPH_ZOO_INTERNAL_H
#define EC_GRAPH_ZOO_INTERNAL_H

#include "graph/build_internal.h"

/* What every network can be given. Zero: the network's own. */
struct ec__net {
    int64_t batch;
    int64_t size;     /* image side in pixels, or tokens of a sequence */
    int64_t channels; /* of the image */
    int64_t classes;
};

/* The terms of a text, once it was parsed. Zero: not yet */
struct ec__parsed {
    struct ec_arena arena;
    struct ec__term *terms;
};

struct ec__family {
    const char *name, *help;
    const char *task; /* "classify": images; "language": tokens */
    size_t variant_size;
    const struct ec_field *fields;
    const char *text;          /* what is behind its head */
    struct ec__parsed *parsed; /* NULL: the text is parsed for each network */
};

/* Runs the text (net_run.c). Returns the value that is the network's main output: (n, classes) or
 * (n*t, vocabulary); auxiliary outputs it adds itself. */
int ec__net_build(struct ec_builder *b, const struct ec__net *net, const struct ec__family *family,
                  const void *variant);

/* Where the published figures of a network come from, and how exact they are there. */
struct ec__zoo_source {
    const char *key, *text;         /* for tables; for sentences */
    double params_tol, params_frac; /* absolute plus relative */
    double mac_tol, mac_frac;
};

struct ec__zoo_row {
    const char *name, *aliases; /* aliases joined by blanks */
    const struct ec__family *family;
    int64_t size, classes; /* as in ec__net */
    int64_t params;        /* published, trainable; 0: unknown, as below */
    double mac;            /* published, forward, one sample */
    const struct ec__zoo_source *source;
    const char *set; /* its parameters, of the family or of ec__net: "layers=3x4x6x3,image=288" */
};

const struct ec__zoo_row *ec__zoo_rows(int *ret_count);
const struct ec__zoo_row *ec__zoo_find(struct ec_span name); /* NULL: no such network */

/* The network of a row. params: "layers=3,classes=10" in place of its own; NULL: none */
enum ec_status ec__zoo_make(const struct ec__zoo_row *row, const char *params,
                            const struct ec_graph_opts *opts, struct ec_graph **ret,
                            struct ec_err *err) EC_MUST_CHECK;

/* --- Rows of field tables: struct, name, member, bounds, help --- */

/* clang-format off */
#define EC__REST NULL, NULL, 0, false /* of the members of a field */
#define EC__INT(T, name, member, lo, hi, help)                                                     \
    { name, EC_F_INT, offsetof(T, member), NULL, NULL, lo, hi, NULL, "N", help, EC__REST }
#define EC__INTS(T, name, member, lo, hi, help)                                                    \
    { name, EC_F_INTS, offsetof(T, member), NULL, NULL, lo, hi, NULL, "NxN", help, EC__REST }
#define EC__REAL(T, name, member, lo, hi, help)                                                    \
    { name, EC_F_DOUBLE, offsetof(T, member), NULL, NULL, lo, hi, NULL, "X", help, EC__REST }
#define EC__BOOL(T, name, member, help)                                                            \
    { name, EC_F_BOOL, offsetof(T, member), NULL, NULL, 0, 0, NULL, NULL, help, EC__REST }
#define EC__STR(T, name, member, help)                                                             \
    { name, EC_F_STR, offsetof(T, member), NULL, NULL, 0, 0, NULL, "TEXT", help, EC__REST }
#define EC__ENUM(T, name, member, choices, help)                                                   \
    { name, EC_F_ENUM, offsetof(T, member), NULL, NULL, 0, 0, choices, "NAME", help, EC__REST }

/* clang-format on */

#endif
