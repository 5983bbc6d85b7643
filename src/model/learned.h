/* The learned part: the residual of the physics, by models of features of the question, and how
 * far off the answer then is, likewise. A correction is added to the logarithm of the time; how
 * much of each model is taken was chosen by cross-validation. */
#ifndef EC_LEARNED_H
#define EC_LEARNED_H

#include "learn/learn.h"
#include "model/domain.h"
#include "model/fitted.h"

/* What a model is for: to correct, or to say how far off answers are, for what was measured and
 * for what is known by specification. */
#define EC_ROLE_LIST(X)                                                                            \
    X(correction)                                                                                  \
    X(spread_measured)                                                                             \
    X(spread_specification)

enum ec_role {
#define EC_ROLE_ENUM(name) EC_ROLE_##name,
    EC_ROLE_LIST(EC_ROLE_ENUM)
#undef EC_ROLE_ENUM
        EC_ROLE_COUNT
};
/* Which says the spread, at a basis. */
enum ec_role ec_spread_role(enum ec_basis basis);

/* What a correction is blended from: boosted trees, which never leave what they have seen, and a
 * dense network, which is smooth and may move the answer of the trees by so much only. */
#define EC_MEMBER_LIST(X) X(trees) X(dense)

enum ec_member {
#define EC_MEMBER_ENUM(name) EC_MEMBER_##name,
    EC_MEMBER_LIST(EC_MEMBER_ENUM)
#undef EC_MEMBER_ENUM
        EC_MEMBER_COUNT
};

/* Frameworks whose rows of forward passes are many have models of their own: 1 + framework; so has
 * the time of an operator's kernels alone. 0 is for all other questions. */
#define EC_SCOPE_QUEUED (1 + (int)EC_FRAMEWORK_COUNT)
#define EC_SCOPE_COUNT (EC_SCOPE_QUEUED + 1)

struct ec_learned_model {
    struct ec_regressor *model; /* NULL: not read yet */
    double share;               /* of the model's answer that is taken */
    const void *data;           /* of a model that was not asked for yet; borrowed */
    size_t len;
    bool bound; /* `column` says where each of its columns is */
    int column[EC_LEARN_COLS_MAX];
};

/* The models of a kind in a role; NULL: none. */
struct ec_learned_set {
    struct ec_learned_model *of[EC_SCOPE_COUNT][EC_MEMBER_COUNT];
};

struct ec_learned {
    char *provenance;        /* JSON; NULL: none */
    struct ec_buf ranges;    /* what the fit has seen, as text; empty: the file has none */
    struct ec_domain domain; /* the same, read */
    struct ec_learned_set set[EC_WIDTH_COUNT][EC_ROLE_COUNT];
};

/* Who asks: its framework's own models answer for forward passes, where there are any; those of
 * kernels alone answer for them, whatever the framework and the pass. */
struct ec_asker {
    enum ec_framework framework;
    bool forward; /* nothing but a forward pass */
    bool queued;  /* of an operator, its kernels alone */
};
/* Which models answer. */
int ec_learned_scope(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                     struct ec_asker who);
/* A model's place, made when there is none. Errors: NOMEM */
enum ec_status ec_learned_place(struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                                int scope, enum ec_member member, struct ec_learned_model **ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* One answer of the members' answers and shares; members without a share have none. That of
 * networks is bounded closely. */
double ec_learned_blend(enum ec_width_kind kind, const double answer[EC_MEMBER_COUNT],
                        const double share[EC_MEMBER_COUNT]);

/* The file, docs/predictor-file.md: magic, version, provenance, count, then kind, role, scope,
 * member, share and model for each, the ranges of the fit; the models carry checksums of their
 * own. Errors  PARSE for damaged or hostile bytes, NOMEM */
enum ec_status ec_learned_load(const void *data, size_t len, struct ec_learned **ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* The file that ships, whose models are read when they are first needed: a question needs few. */
enum ec_status ec_learned_open_shipped(struct ec_learned **ret, struct ec_err *err) EC_MUST_CHECK;
/* Read what questions of this kind, basis and asker need, and bind it. Errors: those of load
 * and bind */
enum ec_status ec_learned_need(struct ec_learned *l, enum ec_width_kind kind, enum ec_basis basis,
                               struct ec_asker who, struct ec_err *err) EC_MUST_CHECK;
/* Find each column of the models among the features that this program computes, by name, so that
 * features may be added after a model was fitted. Errors: UNSUPPORTED when one is not there */
enum ec_status ec_learned_bind(struct ec_learned *l, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_learned_save(const struct ec_learned *l, struct ec_buf *out,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_learned_free(struct ec_learned *l);
/* What each member says and how much of it is taken, both 0 where there is none.
 * features  as for the correction */
void ec_learned_answers(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                        struct ec_asker who, const double *features,
                        double ret_answer[EC_MEMBER_COUNT], double ret_share[EC_MEMBER_COUNT]);
/* What to add to log(time), of a network to that of its kernels; 0 where nothing was learnt.
 * features  all of the kind's; of the model's own columns when it is not bound */
double ec_learned_correction(const struct ec_learned *l, enum ec_width_kind kind,
                             struct ec_asker who, const double *features);
/* What the trees of a role alone say, all of it. */
double ec_learned_trees(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                        struct ec_asker who, const double *features);
/* How many times wider than usual the errors of such a question are; 1 where nothing was learnt. */
double ec_learned_spread(const struct ec_learned *l, enum ec_width_kind kind, enum ec_basis basis,
                         const double *features);

/* That of a model's answer. */
double ec_learned_as_spread(double answer);

/* All features of a kind; scratch holds EC_FEATURE_COUNT names. */
int ec__learned_columns(enum ec_width_kind kind);
const char *const *ec_learned_column_names(enum ec_width_kind kind, const char **scratch);
/* The features that a role's models of a kind have, as indices; returns how many. */
int ec_role_columns(enum ec_width_kind kind, enum ec_role role, int *ret);

/* The file that ships inside the library. */
void ec__learned_shipped(const void **ret_data, size_t *ret_len);
/* What the shipped predictor rests on, as JSON: command, seed, splits, tables with their licences
 * and rows. Borrowed, lives as long as the program. */
const char *ec_predictor_provenance(size_t *ret_len);

#endif
