/* Ranges of the rows of the fit: the smallest and largest value of each quantity, by kind of query
 * and class of device. A query outside of them gets a note with the factor, and a wider interval.
 * The ranges are a part of the predictor file (docs/predictor-file.md); a file without them uses
 * domain.csv. */
#ifndef EC_DOMAIN_H
#define EC_DOMAIN_H

#include "model/physics.h"

/* The group of a quantity, as words: "conv2d" "gpu"; "device" "gpu" "network"; "conv2d"
 * "tensorflow-1" "p100", an operator with a framework on a product. */
struct ec_fact_group {
    const char *subject, *kind, *of; /* of: NULL in groups of two words */
};
/* One quantity of a row or a query: a number, or a word such as a precision, which is in the rows
 * of the fit or not. The texts are borrowed, and a sentence is made only for what is outside. */
struct ec_fact {
    int group;          /* index into group[] of the query */
    const char *before; /* "last dimension of ", "precision ", "" */
    const char *name;   /* "k", "batch", "amp"; not terminated */
    int name_len;
    double value; /* 1 for a word */
};
#define EC_FACTS_MAX 64
#define EC_FACT_GROUPS_MAX 2
struct ec_facts {
    struct ec_fact_group group[EC_FACT_GROUPS_MAX];
    /* Where rows with the framework on the product say enough of the numbers of the first group,
     * their ranges count. Subject NULL: none. */
    struct ec_fact_group here;
    char product[32];
    int n;
    struct ec_fact v[EC_FACTS_MAX];
};
/* Quantities of an operator: each number of its case, its work in MAC or elements, precision,
 * device. The texts live as long as c and ret. */
void ec_facts_of_op(const struct ec_case *c, const struct ec_device *d,
                    const struct ec_conditions *cond, struct ec_facts *ret);
/* Quantities of a network: batch per device, image, sequence, parameters, operators, precision,
 * device; and what it is made of: kinds of layers with parameters, and grouped convolutions by the
 * width of a group and memory order. */
void ec_facts_of_network(const struct ec_graph *g, const struct ec_step *step,
                         const struct ec_device *d, const struct ec_conditions *cond,
                         struct ec_facts *ret);

#define EC_QUANTITY_BYTES 64
struct ec_range {
    char group[48], quantity[EC_QUANTITY_BYTES]; /* "conv2d gpu", "last dimension of x" */
    int quantity_len;
    int n; /* rows */
    double lo, hi;
};
/* Ranges of one group: n of ec_domain.v from `first` on. */
struct ec_range_group {
    int first, n, name_len;
};
struct ec_domain {
    struct ec_range *v; /* sorted by ec_domain_parse */
    int n, cap;
    struct ec_range_group *group; /* made by ec_domain_parse */
    int n_groups;
};
enum ec_status ec_domain_see(struct ec_domain *d, const struct ec_facts *facts,
                             struct ec_err *err) EC_MUST_CHECK;
/* Sorts the ranges and writes them as CSV with the header group,quantity,lo,hi,rows. */
void ec_domain_print(struct ec_domain *d, struct ec_buf *out);
/* Reads what ec_domain_print wrote. Errors: PARSE, NOMEM */
enum ec_status ec_domain_parse(const char *text, size_t len, struct ec_domain *ret,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_domain_clear(struct ec_domain *d);
/* The domain.csv inside the library; not terminated. */
void ec_domain_shipped(const char **ret, size_t *ret_len);

/* A quantity outside its range: log2 of the factor to the nearest end. A word or a group without
 * rows has EC_OUTSIDE_UNSEEN. */
#define EC_OUTSIDE_UNSEEN 2.0
struct ec_outside {
    double log2_factor;
    bool is_unseen; /* of a kind that no row has; else beyond the range of the rows */
    char text[200]; /* a note for the user, one sentence */
};
/* Writes at most `max` quantities that are outside, the farthest first. Returns how many there are.
 */
int ec_domain_outside(const struct ec_domain *d, const struct ec_facts *facts,
                      struct ec_outside *ret, int max);

#endif
