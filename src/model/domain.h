/* What the fit has seen: the range of every quantity of its rows, by kind of question and class of
 * device. A question outside says so, by how much, and its interval is widened. The ranges stand
 * in the predictor file (docs/predictor-file.md), else in domain.csv. */
#ifndef EC_DOMAIN_H
#define EC_DOMAIN_H

#include "model/physics.h"

/* Kinds of question with ranges of their own, in words: "conv2d" "gpu"; "device" "gpu" "network".
 */
struct ec_fact_group {
    const char *subject, *kind, *of; /* of: NULL when there are two words */
};
/* One quantity of a row or a question. A word is seen or not; a number has a range. Nothing here is
 * text of its own, so that a question inside of the ranges prints none. */
struct ec_fact {
    int group;          /* index into those of the question */
    const char *before; /* "last dimension of ", "precision ", "" */
    const char *name;   /* "k", "batch", "amp"; not terminated */
    int name_len;
    double value; /* words: 1 */
};
#define EC_FACTS_MAX 40
#define EC_FACT_GROUPS_MAX 2
struct ec_facts {
    struct ec_fact_group group[EC_FACT_GROUPS_MAX];
    int n;
    struct ec_fact v[EC_FACTS_MAX];
};
/* Quantities of an operator: each number of its case text, its work, precision, device. */
void ec_facts_of_op(const struct ec_case *c, const struct ec_device *d, enum ec_precision p,
                    struct ec_facts *ret);
/* Of a network with its batch per device: batch, image, sequence, parameters ... */
void ec_facts_of_network(const struct ec_graph *g, const struct ec_device *d, enum ec_precision p,
                         struct ec_facts *ret);

struct ec_range {
    char group[48], quantity[40]; /* "conv2d gpu", "last dimension of x" */
    int quantity_len;
    int n; /* rows */
    double lo, hi;
};
/* The ranges of one group: they stand together. */
struct ec_range_group {
    int first, n, name_len;
};
struct ec_domain {
    struct ec_range *v; /* sorted by group and quantity once it is read */
    int n, cap;
    struct ec_range_group *group; /* once it is read */
    int n_groups;
};
enum ec_status ec_domain_see(struct ec_domain *d, const struct ec_facts *facts,
                             struct ec_err *err) EC_MUST_CHECK;
/* CSV with a header: group,quantity,lo,hi,rows */
void ec_domain_print(struct ec_domain *d, struct ec_buf *out);
/* Errors: PARSE */
enum ec_status ec_domain_parse(const char *text, size_t len, struct ec_domain *ret,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_domain_clear(struct ec_domain *d);
/* The ranges that ship beside the predictor file, as text. */
void ec_domain_shipped(const char **ret, size_t *ret_len);

/* How far outside a fact lies: 0 inside, else log2 of the factor; a word or a group that was never
 * seen counts as EC_DOUBT_UNSEEN. */
#define EC_DOUBT_UNSEEN 2.0
struct ec_outside {
    double log2_factor;
    char text[200]; /* a sentence */
};
/* The farthest first; returns how many there are in all, of which at most `max` are written.
 */
int ec_domain_outside(const struct ec_domain *d, const struct ec_facts *facts,
                      struct ec_outside *ret, int max);

#endif
