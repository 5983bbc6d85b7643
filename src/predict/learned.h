/* The learned part: what the physics leaves over, as boosted trees on features of the question. It
 * corrects the logarithm of the time; how much of a correction is taken was chosen by
 * cross-validation, apart for devices that were measured and those that were not. */
#ifndef EC_LEARNED_H
#define EC_LEARNED_H

#include "predict/domain.h"
#include "predict/predict_internal.h"

struct ec_learned_model {
    struct ec_regressor *model; /* NULL: the physics stands alone */
    double share[2];            /* of the correction taken, by basis */
    bool bound;                 /* `column` says where each of its columns is */
    int column[EC_LEARN_COLS_MAX];
};

struct ec_learned {
    struct ec_learned_model kind[EC_WIDTH_COUNT];
    struct ec_buf ranges;    /* what the fit has seen, as text; empty: the file has none */
    struct ec_domain domain; /* the same, read */
};

/* The file, docs/predictor-file.md: magic, version, count, then kind, shares, model for each, and
 * the ranges of the fit; the models carry checksums of their own. Errors  PARSE for damaged or
 * hostile bytes, NOMEM */
enum ec_status ec_learned_load(const void *data, size_t len, struct ec_learned **ret,
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

/* Columns of a kind's model; scratch holds EC_FEATURE_COUNT names. */
int ec__learned_columns(enum ec_width_kind kind);
const char *const *ec__learned_column_names(enum ec_width_kind kind, const char **scratch);

/* The file that ships inside the library. */
void ec__learned_shipped(const void **ret_data, size_t *ret_len);

#endif
