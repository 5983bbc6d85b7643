/* Learned corrections. A correction is a model's estimate of the physics' residual and is added to
 * the logarithm of the time; a spread is a model's estimate of how large the errors then are on a
 * device that was measured. The
 * share of each model was chosen by cross-validation. */
#ifndef EC_LEARNED_H
#define EC_LEARNED_H

#include "learn/learn.h"
#include "model/domain.h"
#include "model/fitted.h"

/* What a model estimates: the correction, or the spread of the errors. */
#define EC_ROLE_LIST(X)                                                                            \
    X(correction)                                                                                  \
    X(spread)

enum ec_role {
#define EC_ROLE_ENUM(name) EC_ROLE_##name,
    EC_ROLE_LIST(EC_ROLE_ENUM)
#undef EC_ROLE_ENUM
        EC_ROLE_COUNT
};

/* The models that a correction is a weighted sum of. Boosted trees never leave the range of their
 * rows. A dense network is smooth, but does extrapolate, so it is bounded to a distance from the
 * trees. */
#define EC_MEMBER_LIST(X) X(trees) X(dense)

enum ec_member {
#define EC_MEMBER_ENUM(name) EC_MEMBER_##name,
    EC_MEMBER_LIST(EC_MEMBER_ENUM)
#undef EC_MEMBER_ENUM
        EC_MEMBER_COUNT
};

/* The scope of a model. 1 + framework: forward passes of a framework with many such rows;
 * EC_SCOPE_QUEUED: operators timed by their kernels alone; EC_SCOPE_STEP: whole training steps of
 * isolated operators; 0: all other queries. */
#define EC_SCOPE_QUEUED (1 + (int)EC_FRAMEWORK_COUNT)
#define EC_SCOPE_STEP (EC_SCOPE_QUEUED + 1)
#define EC_SCOPE_COUNT (EC_SCOPE_STEP + 1)

struct ec_learned_model {
    struct ec_regressor *model; /* owned; NULL: not loaded yet */
    double share;               /* 0 to 1, the weight of the model's answer */
    const void *data;           /* bytes of a model that is not loaded yet; borrowed */
    size_t len;
    bool bound; /* column[] is filled */
    int column[EC_LEARN_COLS_MAX];
};

/* The models of one kind and role; NULL: none. */
struct ec_learned_set {
    struct ec_learned_model *of[EC_SCOPE_COUNT][EC_MEMBER_COUNT];
};

struct ec_learned {
    char *provenance;        /* JSON; NULL: none */
    struct ec_buf ranges;    /* ranges of the fit, as CSV; empty: the file has none */
    struct ec_domain domain; /* `ranges`, parsed */
    struct ec_learned_set set[EC_WIDTH_COUNT][EC_ROLE_COUNT];
};

/* What selects the scope of a query: `queued` and `step` first, then the framework's models of
 * forward passes, else scope 0. Scopes without models are skipped. */
struct ec_scope_key {
    enum ec_framework framework;
    bool forward; /* a forward pass alone */
    bool queued;  /* an operator timed by its kernels alone */
    bool step;    /* the whole training step of an isolated operator */
};
/* forward: the step is a forward pass alone. */
struct ec_scope_key ec_scope_key_of(const struct ec_conditions *c, bool forward);
/* The scope whose models are used. */
int ec_learned_scope(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                     struct ec_scope_key who);
/* Returns the model at a place; makes an empty one there if there is none. Errors: NOMEM */
enum ec_status ec_learned_place(struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                                int scope, enum ec_member member, struct ec_learned_model **ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* The sum of answers times shares, each bounded. A member with share 0 is left out. */
double ec_learned_blend(const double answer[EC_MEMBER_COUNT], const double share[EC_MEMBER_COUNT]);

/* Reads a predictor file, docs/predictor-file.md: magic, version, provenance, count; kind, role,
 * scope, member, share, length and bytes of each model; ranges of the fit; checksum. Each model has
 * a checksum of its own. ret: yours, ec_learned_free. Errors: PARSE for damaged or hostile bytes,
 * UNSUPPORTED for another version, NOMEM */
enum ec_status ec_learned_load(const void *data, size_t len, struct ec_learned **ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Opens the predictor file in the library. Its models are loaded by ec_learned_need, since a query
 * needs few of them. Errors: as ec_learned_load */
enum ec_status ec_learned_open_shipped(struct ec_learned **ret, struct ec_err *err) EC_MUST_CHECK;
/* Loads and binds the models for this kind and scope. Errors: those of ec_learned_load and
 * ec_learned_bind */
enum ec_status ec_learned_need(struct ec_learned *l, enum ec_width_kind kind,
                               struct ec_scope_key who, struct ec_err *err) EC_MUST_CHECK;
/* Fills column[] of each loaded model: the index of each of its features, found by name, so that
 * features may be added after a model was fitted. Errors: UNSUPPORTED when this program lacks a
 * feature of the model */
enum ec_status ec_learned_bind(struct ec_learned *l, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_learned_save(const struct ec_learned *l, struct ec_buf *out,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_learned_free(struct ec_learned *l);
/* The answer and the share of each member; both 0 where there is no model.
 * features  all of the kind, ec__learned_columns; of a model that is not bound, its own columns */
void ec_learned_answers(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                        struct ec_scope_key who, const double *features,
                        double ret_answer[EC_MEMBER_COUNT], double ret_share[EC_MEMBER_COUNT]);
/* The correction: to be added to log(time of an operator). 0 without models, as of networks.
 * features  as for ec_learned_answers */
double ec_learned_correction(const struct ec_learned *l, enum ec_width_kind kind,
                             struct ec_scope_key who, const double *features);
/* The trees' answer alone, not multiplied by the share. */
double ec_learned_trees(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                        struct ec_scope_key who, const double *features);
/* The spread: a factor on the width with measurements; 1 without a model. */
double ec_learned_spread(const struct ec_learned *l, enum ec_width_kind kind,
                         const struct ec_device *d, const double *features);
/* Not of accelerators that are no GPUs: there are too few rows of them. */
bool ec_has_spread(const struct ec_device *d);

/* exp(answer), bounded to what a spread may be. */
double ec_learned_as_spread(double answer);

/* Number of all features of a kind, and their names. scratch: an array of EC_FEATURE_COUNT, which
 * may become the result. */
int ec__learned_columns(enum ec_width_kind kind);
const char *const *ec_learned_column_names(enum ec_width_kind kind, const char **scratch);
/* Indices of the features that models of this kind and role are fitted to. Returns their number;
 * ret has room for all features of the kind. */
int ec_role_columns(enum ec_width_kind kind, enum ec_role role, int *ret);

/* The predictor file in the library. */
void ec__learned_shipped(const void **ret_data, size_t *ret_len);
/* Provenance of the shipped predictor as JSON: command, seed, splits, tables with their licences
 * and rows. Static; not terminated. */
const char *ec_predictor_provenance(size_t *ret_len);

#endif
