/* The learned part: what the physics leaves over, as boosted trees on features of the question, and
 * how far off the answer then is, likewise. A correction is added to the logarithm of the time; how
 * much of it is taken was chosen by cross-validation. */
#ifndef EC_LEARNED_H
#define EC_LEARNED_H

#include "predict/domain.h"
#include "predict/effects.h"
#include "predict/predict_internal.h"

/* What a model is for. Devices that were measured, and those known by specification only, have
 * corrections of their own: what is learnt for the latter must not know one device from another. */
#define EC_ROLE_LIST(X)                                                                            \
    X(correction_measured)                                                                         \
    X(correction_specification)                                                                    \
    X(spread_measured)                                                                             \
    X(spread_specification)

enum ec_role {
#define EC_ROLE_ENUM(name) EC_ROLE_##name,
    EC_ROLE_LIST(EC_ROLE_ENUM)
#undef EC_ROLE_ENUM
        EC_ROLE_COUNT
};
/* Which corrects, which tells the spread, at a basis. */
enum ec_role ec__correction_role(enum ec_basis basis);
enum ec_role ec__spread_role(enum ec_basis basis);

struct ec_learned_model {
    struct ec_regressor *model; /* NULL: the physics stands alone, the spread is 1 */
    double share;               /* of the model's answer that is taken */
    const void *data;           /* of a model that was not asked for yet; borrowed */
    size_t len;
    bool bound; /* `column` says where each of its columns is */
    int column[EC_LEARN_COLS_MAX];
};

struct ec_learned {
    char *provenance;        /* JSON; NULL: none */
    struct ec_buf ranges;    /* what the fit has seen, as text; empty: the file has none */
    struct ec_domain domain; /* the same, read */
    struct ec_effects effects;
    struct ec_learned_model model[EC_WIDTH_COUNT][EC_ROLE_COUNT];
};

/* The file, docs/predictor-file.md: magic, version, provenance, count, then kind, role, share,
 * model for each, the ranges of the fit, known networks; the models carry checksums of their own.
 * Errors  PARSE for damaged or hostile bytes, NOMEM */
enum ec_status ec_learned_load(const void *data, size_t len, struct ec_learned **ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* The file that ships, whose models are read when they are first needed: a question needs two. */
enum ec_status ec_learned_open_shipped(struct ec_learned **ret, struct ec_err *err) EC_MUST_CHECK;
/* Read what questions of this kind and basis need, and bind it. Errors: those of load and bind */
enum ec_status ec_learned_need(struct ec_learned *l, enum ec_width_kind kind, enum ec_basis basis,
                               struct ec_err *err) EC_MUST_CHECK;
/* Find each column of the models among the features that this program computes, by name, so that
 * features may be added after a model was taught. Errors: UNSUPPORTED when one is not there */
enum ec_status ec_learned_bind(struct ec_learned *l, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_learned_save(const struct ec_learned *l, struct ec_buf *out,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_learned_free(struct ec_learned *l);
/* What to add to log(time); 0 where nothing was learnt.
 * features  all of the kind's; of the model's own columns when it is not bound */
double ec_learned_correction(const struct ec_learned *l, enum ec_width_kind kind,
                             enum ec_basis basis, const double *features);
/* How many times wider than usual the errors of such a question are; 1 where nothing was learnt. */
double ec_learned_spread(const struct ec_learned *l, enum ec_width_kind kind, enum ec_basis basis,
                         const double *features);

/* That of a model's answer. */
double ec__learned_as_spread(double answer);

/* What to add to log(time) for a network that is known, on a device that was measured; 0 for
 * others. *ret_known tells whether it was measured under these conditions. */
double ec_learned_effect(const struct ec_learned *l, const struct ec_effect_keys *keys,
                         bool *ret_known);

/* All features of a kind; scratch holds EC_FEATURE_COUNT names. */
int ec__learned_columns(enum ec_width_kind kind);
const char *const *ec__learned_column_names(enum ec_width_kind kind, const char **scratch);
/* The features that a role's model of a kind is taught, as indices; returns how many. */
int ec__role_columns(enum ec_width_kind kind, enum ec_role role, int *ret);

/* The file that ships inside the library. */
void ec__learned_shipped(const void **ret_data, size_t *ret_len);

#endif
