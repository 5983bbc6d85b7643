/* Evidence: the measured rows in the user's store that are nearest to a query. */
#ifndef EC_PREDICT_EVIDENCE_H
#define EC_PREDICT_EVIDENCE_H

#include "epochcast/predict.h"
#include "store/store.h"

#define EC_EVIDENCE_MAX 100
struct ec_evidence {
    const char *what, *device, *precision, *mode, *phase, *framework, *source;
    int64_t id, batch; /* of the first measurement; batch 0: in the case text, or unknown */
    int count;         /* rows with the same case and conditions, which are one entry */
    double time_ns;    /* mean of these rows */
    double least_ns, most_ns;
    bool same_device, same_network;
    double distance; /* 0: the same query on the same device; 1: about a factor e in a size, another
                        precision, or a device of twice the peak or bandwidth */
};
/* The query: a network or an operator, on a device. */
struct ec_evidence_query {
    const char *model, *op; /* one of them; the other is NULL */
    const char *device;     /* key */
    const struct ec_predict_opts *opts;
    int64_t batch;
};

/* Finds the n nearest rows. Operators: rows of the same operator; first those of the same device,
 * then by distance. Networks: the same network, then its family (names that begin alike), in each
 * the same device first.
 * ret     room for n; its texts are in the arena
 * Errors  INPUT, STORE, NOMEM; those of the case text */
enum ec_status ec_evidence_find(struct ec_store *store, const struct ec_evidence_query *q,
                                struct ec_arena *a, struct ec_evidence *ret, int n, int *ret_n,
                                struct ec_err *err) EC_MUST_CHECK;

#endif
